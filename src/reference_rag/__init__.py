"""A small real RAG pipeline to be evaluated; the library never imports it."""
