"""Ports to language models, embedders, rerankers and entailment models, and what answers behind them."""
