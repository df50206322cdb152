"""The systems under test: a Python callable, an HTTP endpoint, recorded traces."""
