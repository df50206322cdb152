"""One file a command, without arguments and exit codes."""
