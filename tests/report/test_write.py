from __future__ import annotations

from pathlib import Path

import pytest

from ragtriage.core.catalogue import FORMATS
from ragtriage.core.errors import BadInput, StorageFailed
from ragtriage.report.model import Report
from ragtriage.report.write import write_report

SUFFIXES = [".csv", ".html", ".json", ".md", ".parquet", ".prom", ".tex", ".txt", ".xml"]


def test_the_catalogue_finds_a_format_for_each_suffix() -> None:
    assert sorted(declared.suffix for _, declared in FORMATS) == SUFFIXES


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_report_is_written_and_equal_runs_give_equal_bytes(report: Report, tmp_path: Path, suffix: str) -> None:
    write_report(report, tmp_path / f"one{suffix}")
    write_report(report, tmp_path / f"two{suffix.upper()}")
    one = (tmp_path / f"one{suffix}").read_bytes()
    assert one == (tmp_path / f"two{suffix.upper()}").read_bytes()
    assert len(one) > 100


def test_an_unknown_suffix_names_those_that_exist(report: Report, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no report format has the suffix '\.htm'\. Did you mean '\.html'"):
        write_report(report, tmp_path / "report.htm")


def test_a_folder_that_cannot_be_written_is_a_storage_failure(report: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed):
        write_report(report, tmp_path / "file" / "report.md")
