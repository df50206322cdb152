"""A vector index and its embeddings in a run: recall by the flat index of FAISS, drift by numpy and sklearn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import normalize
from tests.workflows.projects import write_project

import ragtriage as rt
from ragtriage.core.errors import BadInput, NotComparable
from ragtriage.core.results import Results
from ragtriage.core.tables import read_parquet
from ragtriage.stats.domain_classifier import fold_of
from ragtriage.workflows.doctor_configuration import configuration_checks
from ragtriage.workflows.installation import installation
from ragtriage.workflows.rescore import rescore

RANDOM = np.random.default_rng(5)
VECTORS = RANDOM.normal(size=(400, 16)).astype(np.float32)
QUERIES = RANDOM.normal(size=(24, 16)).astype(np.float32)
CASES = [f"c{row}" for row in range(12)]  # half of the queries are golden cases
NAMES = [*CASES, *(f"q{row}" for row in range(12, 24))]
OLD = RANDOM.normal(size=(40, 12)).astype(np.float32)
NEW = (OLD + 0.3 * RANDOM.normal(size=OLD.shape) + 0.4).astype(np.float32)
PROBES = [f"p{row:02}" for row in range(40)]
NEIGHBOURS = (
    '[ingest.neighbours]\nvectors = "vectors.npy"\nqueries = "queries.npy"\nquery_ids = "queries.txt"\n'
    'found = "found.jsonl"\n'
)
DRIFT = '[ingest.probes]\nold = "old.npy"\nnew = "new.npy"\nold_ids = "probes.txt"\nnew_ids = "probes.txt"\n'
LEFT_OUT = {
    "ingest.ann_recall": "it needs what an index found; name the files with [ingest.neighbours]",
    "ingest.embedding_probe_drift": "it needs vectors of probes; name their files with [ingest.probes]",
    "ingest.probe_domain_auc": "it needs vectors of probes; name their files with [ingest.probes]",
    "ingest.probe_neighbour_overlap": "it needs vectors of probes; name their files with [ingest.probes]",
}


def flat(metric: int = faiss.METRIC_INNER_PRODUCT, *, unit: bool = True) -> Any:
    index = faiss.IndexFlat(16, metric)
    index.add(normalize(VECTORS) if unit else VECTORS)
    return index


def graph() -> Any:
    """A graph that is poor on purpose."""
    index = faiss.IndexHNSWFlat(16, 4, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = 8
    index.hnsw.efSearch = 4
    index.add(normalize(VECTORS))
    return index


TRUE = flat().search(normalize(QUERIES), 20)[1]
FOUND = graph().search(normalize(QUERIES), 10)[1]
SHARES = {k: [len({*a[:k]} & {*b[:k]}) / k for a, b in zip(TRUE, FOUND, strict=True)] for k in (1, 5, 10)}


def lines(found: Any = FOUND) -> list[dict[str, Any]]:
    rows = zip(NAMES, found, strict=True)
    return [{"query": name, "ids": [str(place) for place in row if place >= 0]} for name, row in rows]


def project(
    folder: Path,
    *,
    settings: str = "",
    ingest: str = NEIGHBOURS + DRIFT,
    found: list[Any] | None = None,
    vectors: Any = VECTORS,
    queries: Any = QUERIES,
    new: Any = NEW,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    written = [line if isinstance(line, str) else json.dumps(line) for line in (lines() if found is None else found)]
    (folder / "found.jsonl").write_text("".join(f"{line}\n" for line in written), encoding="utf-8")
    (folder / "queries.txt").write_text("\n".join(NAMES))
    (folder / "probes.txt").write_text("\n".join(PROBES))
    for name, table in (("vectors", vectors), ("queries", queries), ("old", OLD), ("new", new)):
        np.save(folder / f"{name}.npy", table)
    return write_project(
        folder,
        documents=[{"doc_id": "d", "text": "Two moons.", "language": "en"}],
        cases=[
            {"case_id": name, "question": f"Q {name}?", "language": "kk" if row < 4 else "en", "tags": ["x"]}
            for row, name in enumerate(CASES)
        ],
        traces=[{"trace_id": name, "case_id": name, "question": f"Q {name}?"} for name in CASES],
        settings=f"{ingest}[slices]\nmin_cases = 1\n{settings}",
    )


def run_of(config: Path, name: str = "run", **more: Any) -> rt.Run:
    return rt.evaluate(config, output=config.parent / name, **more)


def row_of(results: Results, name: str, **where: str) -> Any:
    row = results.row(name, where=where)
    assert row is not None
    return row


def only(*metrics: str) -> str:
    return f"[metrics]\ninclude = {json.dumps(metrics)}\n"


def test_recall_is_that_of_the_ids_of_the_flat_index_of_faiss(tmp_path: Path) -> None:
    results = run_of(project(tmp_path)).results
    assert 0.1 < np.mean(SHARES[10]) < 0.9
    for k, shares in SHARES.items():
        row = row_of(results, f"ingest.ann_recall@{k}")
        assert (row.population, row.scored, row.undefined, row.failed, row.missing) == ("queries", 24, 0, 0, 0)
        assert row.value == pytest.approx(np.mean(shares))
        assert row.interval is not None
        assert row.interval[0] < row.value < row.interval[1]
    row = row_of(results, "ingest.ann_recall@10")
    assert row.interval[1] - row.interval[0] == pytest.approx(2 * 1.96 * np.std(SHARES[10]) / np.sqrt(24), rel=0.3)


def test_a_query_that_is_a_golden_case_is_sliced_by_the_fields_of_the_case(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    assert row_of(run.results, "ingest.ann_recall@10", language="kk").value == pytest.approx(np.mean(SHARES[10][:4]))
    english = row_of(run.results, "ingest.ann_recall@10", language="en")
    assert (english.value, english.scored) == (pytest.approx(np.mean(SHARES[10][4:12])), 8)
    assert run.results.row("ingest.ann_recall@10", where={"tags": "x"}) is None
    units = {unit.unit_id: dict(unit.fields) for unit in run.results.units if unit.population == "queries"}
    assert units["c1"] == {"language": "kk", "kind": "lookup"}
    assert units["q20"] == {}


def test_an_index_that_returns_less_than_k_is_held_against_the_whole_truth(tmp_path: Path) -> None:
    """The depth of exact search follows what is asked, and not what came."""
    config = project(tmp_path, found=lines(TRUE[:, :4]), settings=only("ingest.ann_recall@10", "ingest.ann_recall@20"))
    results = run_of(config).results
    assert row_of(results, "ingest.ann_recall@10").value == pytest.approx(0.4)
    assert row_of(results, "ingest.ann_recall@20").value == pytest.approx(0.2)


def test_a_rule_asks_for_a_depth_of_its_own_and_more_than_there_is_is_undefined(tmp_path: Path) -> None:
    settings = (
        '[[gate]]\nmetric = "ingest.ann_recall@20"\nmin = 1\n[[gate]]\nmetric = "ingest.ann_recall@401"\nmin = 0\n'
    )
    run = run_of(project(tmp_path, found=lines(TRUE), settings=settings))
    assert row_of(run.results, "ingest.ann_recall@20").value == 1.0
    row = row_of(run.results, "ingest.ann_recall@401")
    assert (row.value, row.undefined) == (None, 24)
    assert row.reason == "k = 401 is more than the 400 items that could be found"
    assert [rule.verdict for rule in run.results.gate.rules] == ["pass", "undecidable"]


@pytest.mark.parametrize("distance", ["dot", "euclid"])
def test_other_distances_are_those_of_faiss(tmp_path: Path, distance: str) -> None:
    metric = faiss.METRIC_L2 if distance == "euclid" else faiss.METRIC_INNER_PRODUCT
    true = flat(metric, unit=False).search(QUERIES, 10)[1]
    ingest = f'{NEIGHBOURS}distance = "{distance}"\n'
    results = run_of(project(tmp_path, ingest=ingest, found=lines(true))).results
    assert row_of(results, "ingest.ann_recall@10").value == 1.0
    results = run_of(project(tmp_path / "cosine", found=lines(true))).results
    shares = [len({*a[:10]} & {*b}) / 10 for a, b in zip(TRUE, true, strict=True)]
    assert row_of(results, "ingest.ann_recall@10").value == pytest.approx(np.mean(shares))
    assert np.mean(shares) < 1


def test_what_ties_with_the_last_neighbour_is_accepted_whichever_of_them_came(tmp_path: Path) -> None:
    vectors = np.array([[1.0, 0.0]] * 3 + [[0.0, 1.0]])
    config = project(tmp_path, ingest=NEIGHBOURS, vectors=vectors, queries=np.array([[2.0, 0.0]] * 24),
                     found=[{"query": name, "ids": ["2"]} for name in NAMES[:12]]
                     + [{"query": name, "ids": ["3"]} for name in NAMES[12:]])  # fmt: skip
    assert row_of(run_of(config).results, "ingest.ann_recall@1").value == 0.5


def test_a_query_without_a_line_was_asked_and_nothing_came(tmp_path: Path) -> None:
    found = lines(TRUE[:, :10])
    run = run_of(project(tmp_path, found=[*found[2:-1], {"query": NAMES[-1], "ids": []}]))
    row = row_of(run.results, "ingest.ann_recall@10")
    assert (row.value, row.scored, row.failed, row.missing) == (pytest.approx(21 / 24), 24, 0, 2)
    assert row_of(run.results, "ingest.ann_recall@10", language="kk").missing == 2
    told = "2 of 24 queries have no line in the file of what was found, and score 0: c0, c1"
    assert f"[ingest.neighbours] {told}" in run.results.notes


def test_a_query_without_direction_has_no_neighbours(tmp_path: Path) -> None:
    queries = QUERIES.copy()
    queries[3] = 0
    row = row_of(run_of(project(tmp_path, queries=queries)).results, "ingest.ann_recall@10")
    assert (row.scored, row.undefined) == (23, 1)


def test_repeated_ids_count_once_and_times_are_told(tmp_path: Path) -> None:
    found = [{**line, "ids": [line["ids"][0], *line["ids"]], "took_ms": 2.5} for line in lines(TRUE[:, :10])]
    run = run_of(project(tmp_path, found=found))
    assert row_of(run.results, "ingest.ann_recall@10").value == 1.0
    notes = [note for note in run.results.notes if note.startswith("[ingest.neighbours]")]
    assert notes == [
        "[ingest.neighbours] 24 ids stand in a line again; the first of each counts",
        "[ingest.neighbours] a query took 2.500 ms (median of 24)",
    ]


def test_drift_is_that_of_numpy_and_the_area_that_of_sklearn(tmp_path: Path) -> None:
    results = run_of(project(tmp_path)).results
    old, new = normalize(OLD.astype(float)), normalize(NEW.astype(float))
    cosines = (old * new).sum(axis=1)
    row = row_of(results, "ingest.embedding_probe_drift")
    assert (row.population, row.scored, row.value) == ("probes", 40, pytest.approx(float(np.mean(1 - cosines))))
    near = [side @ side.T - 3 * np.eye(40) for side in (old, new)]
    first = [np.argsort(-side, axis=1) for side in near]
    for k in (1, 5, 10):
        shares = [len({*a[:k]} & {*b[:k]}) / k for a, b in zip(*first, strict=True)]
        assert row_of(results, f"ingest.probe_neighbour_overlap@{k}").value == pytest.approx(np.mean(shares))
    folds, areas = fold_of(PROBES), []
    for fold in range(5):
        fit = folds != fold
        rows = np.concatenate([old[fit], new[fit]])
        spread = ((rows - rows.mean(axis=0)) ** 2).sum() / 12
        model = Ridge(alpha=spread, solver="cholesky").fit(rows, np.repeat([-1.0, 1.0], fit.sum()))
        scores = model.predict(np.concatenate([old[~fit], new[~fit]]))
        areas.append(roc_auc_score(np.repeat([0, 1], (~fit).sum()), scores))
    row = row_of(results, "ingest.probe_domain_auc")
    assert (row.scored, row.value) == (40, pytest.approx(np.mean(areas)))
    assert row.interval is not None
    assert row.interval[0] <= row.value <= row.interval[1]
    assert row.interval[0] < row.interval[1]


def test_as_many_neighbours_of_probes_are_searched_as_a_metric_asks(tmp_path: Path) -> None:
    asked = only("ingest.probe_neighbour_overlap@39", "ingest.probe_neighbour_overlap@40")
    results = run_of(project(tmp_path, settings=asked)).results
    assert row_of(results, "ingest.probe_neighbour_overlap@39").value == 1.0  # all others
    row = row_of(results, "ingest.probe_neighbour_overlap@40")
    assert (row.value, row.reason) == (None, "k = 40 is more than the 39 other probes")


def test_a_probe_without_direction_and_other_dimensions_have_their_reasons(tmp_path: Path) -> None:
    new = NEW.copy()
    new[7] = 0
    results = run_of(project(tmp_path, new=new)).results
    assert row_of(results, "ingest.embedding_probe_drift").undefined == 1
    assert row_of(results, "ingest.probe_neighbour_overlap@5").undefined == 1
    results = run_of(project(tmp_path / "wide", new=np.hstack([NEW, NEW]))).results
    assert row_of(results, "ingest.probe_neighbour_overlap@5").scored == 40
    assert results.left_out["ingest.embedding_probe_drift"] == "the vectors have 12 and 24 dimensions"
    assert results.left_out["ingest.probe_domain_auc"] == "the vectors have more than one number of dimensions"


def test_probes_that_are_documents_or_cases_are_sliced_like_them(tmp_path: Path) -> None:
    config = project(tmp_path)
    (tmp_path / "probes.txt").write_text("\n".join([*CASES, "d", *PROBES[13:]]))
    run = run_of(config)
    units = {unit.unit_id: unit for unit in run.results.units if unit.population == "probes"}
    assert (units["d"].document, dict(units["d"].fields)) == ("d", {"language": "en"})
    assert row_of(run.results, "ingest.embedding_probe_drift", language="en").scored == 9
    assert row_of(run.results, "ingest.probe_domain_auc", language="en").scored == 9
    small = row_of(run.results, "ingest.probe_domain_auc", language="kk")
    assert (small.value, small.reason) == (None, "fewer than 5 different probes")


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ('metric = "ingest.ann_recall@10"\nmin = 0.05', "pass"),
        ('metric = "ingest.ann_recall@10"\nmin = 0.95', "fail"),
        ('metric = "ingest.ann_recall@10"\nmin = 0.95\nslice = {language = "kk"}', "fail"),
        ('metric = "ingest.ann_recall@10"\nmin = 0.01\nslice = {language = "ru"}', "undecidable"),
        ('metric = "ingest.ann_recall@10"\nmax_drop = 0.1', "undecidable"),
        ('metric = "ingest.ann_recall@10"\nmin = 0.999\ncritical = true', "fail"),
        ('metric = "ingest.embedding_probe_drift"\nmax = 1.9', "pass"),
        ('metric = "ingest.embedding_probe_drift"\nmax = 0.001', "fail"),
        ('metric = "ingest.probe_neighbour_overlap@5"\nmin = 0.99', "fail"),
        ('metric = "ingest.probe_neighbour_overlap@50"\nmin = 0.1', "undecidable"),
        ('metric = "ingest.probe_domain_auc"\nmax = 0.99', "pass"),
        ('metric = "ingest.probe_domain_auc"\nmax = 0.5', "fail"),
        ('metric = "ingest.probe_domain_auc"\nmax = 0.99\non = "upper"', "pass"),
    ],
)
def test_a_gate_holds_an_index_and_its_embeddings(tmp_path: Path, rule: str, verdict: str) -> None:
    gate = run_of(project(tmp_path, settings=f"[[gate]]\n{rule}\n")).results.gate
    assert gate is not None
    assert gate.rules[0].verdict == verdict, gate.rules[0].reason


def test_queries_and_probes_are_paired_with_those_of_a_base_run(tmp_path: Path) -> None:
    base = run_of(project(tmp_path / "one", found=lines(TRUE[:, :10])), gate=False)
    rules = "".join(
        f'[[gate]]\nmetric = "ingest.{name}"\nmax_drop = 0.01\n' for name in ("ann_recall@10", "probe_domain_auc")
    )
    after = run_of(project(tmp_path / "two", settings=rules, new=OLD), baseline=base.folder)
    compared = after.report().compared
    assert compared is not None
    rows = {row.metric: row for row in compared.runs.rows if not row.slice}
    recall = rows["ingest.ann_recall@10"]
    assert (recall.base, recall.candidate, recall.pairs) == (1.0, pytest.approx(np.mean(SHARES[10])), 24)
    assert set(recall.regressed) == {name for name, share in zip(NAMES, SHARES[10], strict=True) if share < 1}
    drift = rows["ingest.embedding_probe_drift"]
    assert (drift.candidate, drift.pairs, drift.regressed) == (pytest.approx(0, abs=1e-7), 40, ())
    assert after.results.gate is not None
    verdicts = [rule.verdict for rule in after.results.gate.rules]
    assert verdicts == ["fail", "undecidable"]  # of a number of the whole set there are no pairs


def test_every_file_of_the_run_names_its_queries_and_probes(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    stored = list(read_parquet(run.folder / "scores.parquet"))
    recall = {row["unit_id"]: row["value"] for row in stored if row["metric"] == "ingest.ann_recall@10"}
    assert recall == {name: pytest.approx(share) for name, share in zip(NAMES, SHARES[10], strict=True)}
    assert {row["population"] for row in stored if row["metric"] == "ingest.embedding_probe_drift"} == {"probes"}
    document = json.loads((run.folder / "results.json").read_text(encoding="utf-8"))
    assert Results.model_validate(document).units == run.results.units
    worst = run.units("ingest.ann_recall@10").rows[0][0]
    assert worst == min(zip(SHARES[10], range(24), NAMES, strict=True))[2]
    markdown = (run.folder / "report.md").read_text(encoding="utf-8")
    assert "Worst queries" in markdown
    assert "| Query |" in markdown
    assert "Worst probes" in markdown
    for name in ("report.md", "report.html"):
        text = (run.folder / name).read_text(encoding="utf-8")
        for metric in ("ann_recall", "embedding_probe_drift", "probe_neighbour_overlap", "probe_domain_auc"):
            assert metric in text.replace("<wbr>", ""), (name, metric)


def test_every_fault_of_every_file_is_told_at_its_line_and_nothing_is_written(tmp_path: Path) -> None:
    found = [
        {"query": "c0", "ids": ["1", "400", "x"]},
        {"query": "stranger", "ids": ["1"]},
        "{broken",
        {"query": "c0", "ids": []},
        {"query": "c1", "ids": [3]},
        {"query": "c2", "ids": ["1"], "took_ms": -1},
        {"query": "c3"},
        {"query": "c4", "ids": [], "allowed": []},
    ]
    config = project(tmp_path, found=found)
    (tmp_path / "probes.txt").write_text("p\np\n")
    with pytest.raises(BadInput) as told:
        run_of(config)
    text = str(told.value)
    for line, fault in (
        (1, "'ids' holds what there is no vector of: '400', 'x'"),
        (2, "there is no vector of the query 'stranger'"),
        (3, "is not JSON"),
        (4, "the query 'c0' stands in line 1 already"),
        (5, "'ids.0' should be a valid string. Got 3"),
        (6, "'took_ms' should be greater than or equal to 0"),
        (7, "'ids' is missing"),
        (8, "'allowed' is no known field"),
    ):
        assert f"found.jsonl:{line}: {fault}" in text, text
    assert "probes.txt:2: the id 'p' stands there again" in text
    assert not (tmp_path / "run").exists()


def test_files_of_vectors_that_do_not_fit_are_told_together(tmp_path: Path) -> None:
    config = project(tmp_path, queries=np.full((24, 16), np.nan), vectors=np.array(["a"]), found=["x"])
    with pytest.raises(BadInput) as told:
        run_of(config)
    for fault in ("vectors.npy: must hold one table", "queries.npy:1: holds numbers", "found.jsonl:1: is not JSON"):
        assert fault in str(told.value)
    config = project(tmp_path, queries=QUERIES[:, :3])
    with pytest.raises(BadInput, match=r"queries\.npy: holds vectors of 3 numbers, and vectors\.npy of 16"):
        run_of(config)
    config = project(tmp_path, vectors=VECTORS[:0], found=[])
    with pytest.raises(BadInput, match=r"vectors\.npy: holds no vector"):
        run_of(config)
    config = project(tmp_path, new=NEW[:-1])
    (tmp_path / "probes.txt").write_text("\n".join(PROBES))
    with pytest.raises(BadInput, match=r"holds 40 ids for the 39 rows"):
        run_of(config)


def test_without_its_key_a_metric_is_left_out_and_refused_where_it_is_named(tmp_path: Path) -> None:
    results = run_of(project(tmp_path / "one", ingest="")).results
    assert {name: results.left_out.get(name) for name in LEFT_OUT} == LEFT_OUT
    assert not any(row.name.partition("@")[0] in LEFT_OUT for row in results.metrics)
    for name, reason in LEFT_OUT.items():
        rule = f'[[gate]]\nmetric = "{name}{"@5" if name.endswith(("recall", "overlap")) else ""}"\nmax = 1\n'
        with pytest.raises(BadInput) as told:
            run_of(project(tmp_path / "two", ingest="", settings=rule))
        assert f"cannot run: {reason}" in str(told.value)


def test_nothing_is_searched_where_no_metric_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError

    for module in ("index_recall", "embedding_drift"):
        monkeypatch.setattr(f"ragtriage.workflows.{module}.exact_neighbours", never)
    run = run_of(project(tmp_path, settings=only("system.latency_p50")))
    assert [row.name for row in run.results.metrics if not row.slice] == ["system.latency_p50"]


def test_a_run_is_scored_again_alike_and_not_with_other_files(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    again = rescore(run.folder)
    assert again.results.metrics == run.results.metrics
    assert again.results.units == run.results.units
    (tmp_path / "found.jsonl").write_text(json.dumps(lines()[0]))
    np.save(tmp_path / "new.npy", OLD)
    with pytest.raises(NotComparable, match="has changed since this run: neighbours, probes"):
        rescore(run.folder)


def test_equal_runs_have_equal_results(tmp_path: Path) -> None:
    first, second = (run_of(project(tmp_path), name).results for name in ("a", "b"))
    assert first.units == second.units
    assert [row for row in first.metrics if row.name.startswith("ingest.")] == [
        row for row in second.metrics if row.name.startswith("ingest.")
    ]


def test_doctor_counts_queries_and_probes(tmp_path: Path) -> None:
    checks = configuration_checks(project(tmp_path), here=installation(), environment={})
    told = next(check.found for check in checks if check.name == "ingest")
    assert told == "neighbours: 24 queries, probes: 40 probes"
