"""Ctrl-C while DuckDB works, which it reports as an error of its own."""

from __future__ import annotations

import duckdb
import pytest

from ragtriage.core import tables
from ragtriage.core.errors import BadInput


@pytest.mark.parametrize("error", [duckdb.Error("KeyboardInterrupt: "), duckdb.InterruptException("Interrupted!")])
def test_ctrl_c_stays_ctrl_c(error):
    with pytest.raises(KeyboardInterrupt), tables._refused(BadInput):
        raise error


def test_what_duckdb_refuses_is_told_in_its_first_line():
    with pytest.raises(BadInput, match=r"^no such column$"), tables._refused(BadInput):
        raise duckdb.Error("no such column\nLINE 1: ...")
