"""One file a metric: `retrieval.recall` is `metrics/retrieval/recall.py`."""
