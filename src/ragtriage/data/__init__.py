"""Corpora, golden sets and the readers of foreign files."""
