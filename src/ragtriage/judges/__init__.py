"""Those who write verdict records: rules in code, later models and people."""
