"""`ragtriage.toml`: every fault at once, with key and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.workflows.settings import read_settings, secrets_of

GOOD = """
[corpus]
path = "."

[golden]
path = "."

[system]
python = "pipeline:answer"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "ragtriage.toml"
    path.write_text(text, encoding="utf-8")
    return path


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(BadInput) as refused:
        read_settings(written(folder, text))
    assert refused.value.exit_code == 2
    return [str(fault).removeprefix(str(folder / "ragtriage.toml")) for fault in refused.value.faults]


def test_paths_start_from_the_folder_of_the_file(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, GOOD))
    assert settings.base == tmp_path
    assert settings.configuration.system.python == "pipeline:answer"


def test_all_faults_come_at_once_with_key_line_and_the_nearest_name(tmp_path: Path) -> None:
    text = """
[corpus]
path = "nowhere"
[golden]
path = "."
[system]
pyton = "pipeline:answer"
timeout_s = "soon"
[[gate]]
metric = "retrieval.recall@4"
min = 0.5
[[gate]]
metric = "retrieval.recall@4"
minimum = 1
"""
    found = faults(tmp_path, text)
    assert ":7: 'system.pyton' is no known field. Did you mean 'python'?" in found
    assert any(line.startswith(":8: 'system.timeout_s' should be a valid number. Got 'soon' instead") for line in found)
    assert any(line.startswith(":14: 'gate.1.minimum' is no known field.") for line in found)
    assert len(found) >= 3


def test_what_is_missing_on_the_disk_is_a_fault_of_its_key(tmp_path: Path) -> None:
    found = faults(tmp_path, GOOD.replace('path = "."', 'path = "nowhere"').replace("pipeline:answer", "pipeline"))
    assert len(found) == 3
    assert found[0].startswith(":3: 'corpus.path' names 'nowhere', which does not exist in")
    assert found[1].startswith(":6: 'golden.path'")
    assert found[2].startswith(":9: 'system.python' must be 'module:attribute'")


def test_names_that_nothing_answers_to_are_faults_of_their_lines_all_at_once(tmp_path: Path) -> None:
    text = (
        GOOD
        + """
[metrics]
include = ["retrieval.recal@4", "retrieval.recall", "retrieval.ndcg@4(gain=cubic)"]
exclude = ["contxt.*"]
[slices]
by = ["langage", "kind+"]
[[gate]]
metric = "retrieval.recall@4"
slice = { knd = "lookup" }
min = 0.5
[[gate]]
metric = "retrieval.recall@0"
min = 0.5
"""
    )
    found = faults(tmp_path, text)
    assert len(found) == 8
    assert all(any(line in fault and word in fault for fault in found) for line, word in [
        (":12:", "Did you mean 'retrieval.recall'"),
        (":12:", "needs a cut-off"),
        (":12:", "gain must be one of exponential, linear"),
        (":13:", "contxt"),
        (":15:", "Did you mean 'language'"),
        (":15:", "slice by ''"),
        (":18:", "Did you mean 'kind'"),
        (":21:", "k must be 1 or more"),
    ])  # fmt: skip


def test_a_metric_of_documents_is_sliced_by_what_their_table_of_classes_says(tmp_path: Path) -> None:
    rule = '[[gate]]\nmetric = "ingest.cer"\nslice = { class = "scan" }\nmax = 0.1\n'
    (tmp_path / "texts").mkdir()
    read_settings(written(tmp_path, GOOD + '[ingest]\nreference = "texts"\nextracted = "texts"\n' + rule))


@pytest.mark.parametrize("system", ["", 'python = "a:b"\ntraces = "*.jsonl"'])
def test_exactly_one_system_is_given(tmp_path: Path, system: str) -> None:
    (line,) = faults(tmp_path, GOOD.replace('python = "pipeline:answer"', system))
    assert "give exactly one of 'python', 'http', 'traces'" in line


def test_broken_toml_names_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="line 2"):
        read_settings(written(tmp_path, '\n[corpus\npath = "."\n'))


HTTP = """
[golden]
path = "."
[system.http]
url = "https://host/ask"
{lines}
"""


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('headers = {Authorization = "Bearer abc"}', "'system.http.headers.Authorization' must be given as 'env:NAME'"),
        ('headers = {"X-API-Key" = "abc"}', "never as a literal"),
        ('headers = {Cookie = "sid=1"}', "never as a literal"),
        ('body = {q = "{{qestion}}"}', "{{qestion}} is no placeholder. Did you mean 'question'?"),
        ("body = '{\"q\": '", "is not JSON"),
        ('fields = {answer = "$.["}', "is no JSONPath"),
        ('method = "DELETE"', "'system.http.method'"),
    ],
)
def test_a_faulty_endpoint_is_refused_before_anything_is_sent(tmp_path: Path, lines: str, words: str) -> None:
    assert any(words in line for line in faults(tmp_path, HTTP.format(lines=lines)))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://host/", "must be an http or https address"),
        ("https://user:secret@host/", "holds a password"),
        ("https://host/?api_key=abc", "write 'env:NAME'"),
        ("https://{{principal.tenant}}.host/", "must not take its host from a question"),
    ],
)
def test_no_secret_and_no_question_stands_in_the_address(tmp_path: Path, url: str, words: str) -> None:
    (line,) = faults(tmp_path, HTTP.format(lines="").replace("https://host/ask", url))
    assert words in line


def test_a_field_that_no_trace_has_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    text = GOOD.replace('python = "pipeline:answer"', "") + (
        '[system.http]\nurl = "http://localhost/ask"\n[system.http.fields]\n"anwser.text" = "$.result"\n'
    )
    [fault] = faults(tmp_path, text)
    assert "Did you mean 'answer'" in fault


@pytest.mark.parametrize("table", ["run", "judge"])
def test_a_seed_below_nothing_is_refused(tmp_path: Path, table: str) -> None:
    [fault] = faults(tmp_path, GOOD + f"[{table}]\nseed = -1\n")
    assert f"'{table}.seed' should be greater than or equal to 0" in fault


def test_secrets_are_looked_up_by_name_and_all_missing_ones_are_told(tmp_path: Path) -> None:
    lines = 'headers = {Authorization = "Bearer env:TOKEN", "X-Key" = "env:OTHER"}'
    configuration = read_settings(written(tmp_path, HTTP.format(lines=lines))).configuration
    with pytest.raises(BadInput, match="not set: OTHER, TOKEN"):
        secrets_of(configuration, {})
    secrets = secrets_of(configuration, {"TOKEN": "t" * 12, "OTHER": "o" * 12, "ELSE": "e"})
    assert secrets.reveal("Bearer env:TOKEN") == "Bearer tttttttttttt"
    assert "tttt" not in repr(secrets)


def test_a_date_in_a_factor_is_read_as_text(tmp_path: Path) -> None:
    settings = read_settings(written(tmp_path, GOOD + "[system.factors]\nnow = 2026-03-01\n"))
    assert settings.configuration.system.factors == {"now": "2026-03-01"}


def test_the_shipped_configurations_are_read(root: Path) -> None:
    for path in sorted((root / "examples").glob("*/ragtriage.toml")):
        assert read_settings(path).configuration.golden.path == "golden"
