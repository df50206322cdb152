"""Pure functions from a report to a table."""
