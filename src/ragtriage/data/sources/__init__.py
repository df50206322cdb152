"""One file a source of traces, rankings or data sets."""
