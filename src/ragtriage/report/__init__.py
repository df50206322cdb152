"""What is said (sections) and how it looks (formats)."""
