"""Arithmetic over many cases: aggregates, slices, intervals, paired tests."""
