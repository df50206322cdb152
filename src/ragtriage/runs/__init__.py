"""Asking the system, storing what happened, and viewing it; the only place with concurrency."""
