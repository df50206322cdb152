from __future__ import annotations

import json

from ragtriage.core.results import Results
from ragtriage.report.formats.json import json_results
from ragtriage.report.model import Report


def test_the_file_is_the_results_and_reads_back_as_them(report: Report) -> None:
    drawn = json_results(report)
    assert json.loads(drawn) == json.loads(json.dumps(report.results.to_json()))
    assert Results.model_validate_json(drawn) == report.results


def test_the_order_of_free_keys_does_not_show(report: Report) -> None:
    turned = dict(reversed(report.results.bundle.items()))
    other = Report(results=report.results.model_copy(update={"bundle": turned}))
    assert json_results(other) == json_results(report)


def test_the_schema_stands_first_and_the_file_ends_in_one_line_feed(report: Report) -> None:
    drawn = json_results(report)
    assert drawn.startswith('{\n  "schema": "ragtriage.results/1",\n  "run_id": ')
    assert drawn.endswith("}\n")
    assert not drawn.endswith("\n\n")


def test_the_fields_of_a_slice_keep_their_order(report: Report) -> None:
    row = report.results.metrics[0].model_copy(update={"slice": {"language": "ru", "kind": "lookup"}})
    drawn = json_results(Report(results=report.results.model_copy(update={"metrics": (row,)})))
    assert list(json.loads(drawn)["metrics"][0]["slice"]) == ["language", "kind"]


def test_each_row_and_each_case_is_a_line(report: Report) -> None:
    results, lines = report.results, json_results(report).splitlines()
    assert sum(line.startswith('    {"name": "') for line in lines) == len(results.metrics)
    assert sum(line.startswith('    {"case_id": "') for line in lines) == len(results.cases)
