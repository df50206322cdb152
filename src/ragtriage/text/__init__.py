"""Reading text of any script: normal forms, numbers, dates, tokens, sentences, similarity."""
