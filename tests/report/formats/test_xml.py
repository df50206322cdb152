from __future__ import annotations

from xml.etree import ElementTree as ET

from ragtriage.report.formats.xml import junit
from ragtriage.report.model import Report


def cases(report: Report) -> dict[str, ET.Element]:
    root = ET.fromstring(junit(report))  # noqa: S314 - our own output
    return {case.get("name"): case for case in root.iter("testcase")}


def test_a_case_that_is_not_ok_fails_with_cause_and_advice(report: Report) -> None:
    failure = cases(report)["en-lost-card"].find("failure")
    assert failure.get("type") == "retrieval"
    assert failure.get("message") == "the evidence is in no candidate list"
    assert "advice: Add a sparse lane." in failure.text
    assert "ragtriage diagnose runs/latest --case en-lost-card" in failure.text


def test_a_case_that_failed_is_an_error_and_one_without_expectation_is_skipped(report: Report) -> None:
    found = cases(report)
    assert found["ar-transfer-limit"].find("error").get("type") == "TimeoutError"
    assert found["ru-open"].find("skipped") is not None
    assert list(found["en-block-card"]) == []


def test_a_measurement_that_failed_in_an_answered_case_is_told(report: Report) -> None:
    told = cases(report)["ru-open"].find("system-out").text
    assert told == "generation.faithfulness failed: judge: BadReply: two objects that disagree"


def test_the_gate_is_a_suite_of_its_own(report: Report) -> None:
    root = ET.fromstring(junit(report))  # noqa: S314 - our own output
    gate = root.findall("testsuite")[1]
    assert {key: gate.get(key) for key in ("name", "tests", "failures", "errors")} == {
        "name": "gate",
        "tests": "3",
        "failures": "1",
        "errors": "1",
    }
    assert gate.find("testcase/failure").get("message") == "value 0.500, n=4 undefined=1 failed=1: 0.5 is below 0.85"
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("9", "4", "2")
