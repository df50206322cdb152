"""The root of all tables of `ragtriage.toml`: what a key means stands under it, as its description."""

from __future__ import annotations

from pydantic import ConfigDict

from ragtriage.core.records import Record

__all__ = ["ConfigurationTable"]


class ConfigurationTable(Record):
    """A table of the file; the text under each key is its description in the schema and in the reference."""

    model_config = ConfigDict(use_attribute_docstrings=True)
