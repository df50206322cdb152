"""Metrics of an index: recall against FAISS, drift by hand and by sklearn, percentiles by numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import normalize

from ragtriage.core.index_views import ChangeView, NeighboursView, ProbeView, ServedView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest.ann_recall import ann_recall
from ragtriage.metrics.ingest.deletion_lag import deletion_lag
from ragtriage.metrics.ingest.embedding_probe_drift import embedding_probe_drift
from ragtriage.metrics.ingest.freshness_lag import freshness_lag
from ragtriage.metrics.ingest.probe_domain_auc import probe_domain_auc
from ragtriage.metrics.ingest.probe_neighbour_overlap import probe_neighbour_overlap
from ragtriage.metrics.ingest.stale_query_share import stale_query_share
from ragtriage.metrics.ingest.unseen_changes import unseen_changes
from ragtriage.stats.domain_classifier import fold_of
from ragtriage.stats.nearest import prepared


def number(score: Score) -> float:
    assert isinstance(score, Value), score
    return score.value


def view(found: Sequence[int], near: Sequence[float], exact: Sequence[float], size: int) -> NeighboursView:
    return NeighboursView(np.array(found), np.array(near), np.array(exact), size)


def test_recall_is_the_share_of_the_ids_of_the_flat_index_of_faiss() -> None:
    random = np.random.default_rng(1)
    vectors, queries = (prepared(random.normal(size=(n, 32)), distance="cosine") for n in (4000, 60))
    flat = faiss.IndexFlatIP(32)
    flat.add(vectors)
    exact, true = flat.search(queries, 10)
    graph = faiss.IndexHNSWFlat(32, 8, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = 40
    graph.add(vectors)
    graph.hnsw.efSearch = 10
    _, found = graph.search(queries, 10)
    values = []
    for row in range(60):
        near = np.array([vectors[place] @ queries[row] for place in found[row]])
        score = ann_recall(NeighboursView(found[row], near, exact[row], size=4000), k=10)
        assert score == Value(len({*true[row]} & {*found[row]}) / 10, support=10)
        values.append(number(score))
    assert 0.2 < np.mean(values) < 0.95  # the graph is poor on purpose


def test_whatever_ties_with_the_last_exact_neighbour_is_accepted() -> None:
    exact = [0.9, 0.8, 0.8, 0.8, 0.1]
    assert number(ann_recall(view([7, 3], [0.9, 0.8], exact, 5), k=2)) == 1.0
    assert number(ann_recall(view([3, 4], [0.8, 0.8], exact, 5), k=2)) == 1.0  # both reach the second-best similarity
    assert number(ann_recall(view([3, 4], [0.8, 0.79], exact, 5), k=2)) == 0.5


def test_single_precision_is_no_miss_and_a_real_difference_is_one() -> None:
    assert number(ann_recall(view([1], [0.8 - 1e-8], [0.8], 9), k=1)) == 1.0
    assert number(ann_recall(view([1], [0.8 - 1e-5], [0.8], 9), k=1)) == 0.0
    assert number(ann_recall(view([1], [0.8 - 1e-5], [0.8], 9), k=1, tolerance=1e-3)) == 1.0


def test_repeats_missing_results_and_longer_lists() -> None:
    assert number(ann_recall(view([1, 1, 2], [0.9, 0.9, 0.8], [0.9, 0.8], 9), k=2)) == 1.0  # a repeat takes no place
    assert number(ann_recall(view([1, 5, 2], [0.9, 0.1, 0.8], [0.9, 0.8], 9), k=2)) == 0.5  # the third came too late
    assert number(ann_recall(view([-1, -1], [0.0, 0.0], [-0.1, -0.2], 9), k=2)) == 0.0
    assert number(ann_recall(view([], [], [0.9], 9), k=1)) == 0.0


def test_recall_is_undefined_for_more_than_there_is() -> None:
    assert ann_recall(view([1], [0.9], [0.9], 1), k=2) == Undefined(
        "k = 2 is more than the 1 items that could be found"
    )
    assert isinstance(ann_recall(view([1], [0.9], [0.9], 9), k=2), Undefined)
    with pytest.raises(ValueError, match="k must be 1 or more"):
        ann_recall(view([1], [0.9], [0.9], 9), k=0)


def test_drift_is_one_minus_the_cosine_by_hand() -> None:
    probe = ProbeView("p", np.array([3.0, 4.0]), np.array([4.0, 3.0]))
    assert number(embedding_probe_drift(probe)) == pytest.approx(1 - 24 / 25, abs=1e-15)
    assert number(embedding_probe_drift(ProbeView("p", np.array([1.0]), np.array([-2.0])))) == 2.0
    assert number(embedding_probe_drift(ProbeView("p", np.array([1e200, 0.0]), np.array([1e-200, 0.0])))) == 0.0


@pytest.mark.parametrize("other", [np.zeros(2), np.array([1.0, 0.0, 0.0])])
def test_drift_is_undefined_without_direction_and_across_dimensions(other: Any) -> None:
    assert isinstance(embedding_probe_drift(ProbeView("p", np.array([1.0, 0.0]), other)), Undefined)


def test_neighbour_overlap_by_hand() -> None:
    nothing = np.zeros(1)
    probe = ProbeView("p", nothing, nothing, ("a", "b", "c"), ("b", "d", "a"))
    assert [number(probe_neighbour_overlap(probe, k=k)) for k in (1, 2, 3)] == [0.0, 0.5, pytest.approx(2 / 3)]
    assert isinstance(probe_neighbour_overlap(probe, k=4), Undefined)
    assert isinstance(probe_neighbour_overlap(ProbeView("p", nothing, nothing), k=1), Undefined)


def probes(count: int, width: int, *, shift: float, seed: int = 0) -> list[ProbeView]:
    random = np.random.default_rng(seed)
    old = random.normal(size=(count, width))
    new = old + 0.1 * random.normal(size=(count, width))
    new[:, 0] += shift
    return [ProbeView(f"p{row}", old[row], new[row]) for row in range(count)]


def test_the_area_is_that_of_sklearn_with_the_same_folds_and_the_same_ridge() -> None:
    views = probes(60, 6, shift=0.8)
    ids = [one.probe_id for one in views]
    old, new = (normalize(np.array([getattr(one, side) for one in views])) for side in ("old", "new"))
    folds = fold_of(ids)
    areas = []
    for fold in range(5):
        fit, held = folds != fold, folds == fold
        rows = np.concatenate([old[fit], new[fit]])
        side = np.repeat([-1.0, 1.0], fit.sum())
        centred = rows - rows.mean(axis=0)
        spread = (centred**2).sum() / 6  # ours weighs rows to sum 1, sklearn's penalty stands beside their plain sum
        model = Ridge(alpha=spread, solver="cholesky").fit(rows, side)
        scores = model.predict(np.concatenate([old[held], new[held]]))
        areas.append((roc_auc_score(np.repeat([0, 1], held.sum()), scores), held.sum() ** 2))
    expected = np.average([area for area, _ in areas], weights=[pairs for _, pairs in areas])
    assert number(probe_domain_auc(views)) == pytest.approx(expected, abs=1e-12)
    assert 0.6 < expected < 1.0


def test_a_resample_counts_held_out_scores_as_often_as_they_are_drawn_and_fits_nothing_again() -> None:
    views = probes(30, 6, shift=0.8)
    old, new = (normalize(np.array([getattr(one, side) for one in views])) for side in ("old", "new"))
    folds = fold_of([one.probe_id for one in views])
    drawn = np.random.default_rng(4).integers(0, 30, 30).tolist()
    areas = []
    for fold in range(5):
        fit = folds != fold
        rows = np.concatenate([old[fit], new[fit]])
        spread = ((rows - rows.mean(axis=0)) ** 2).sum() / 6
        model = Ridge(alpha=spread, solver="cholesky").fit(rows, np.repeat([-1.0, 1.0], fit.sum()))
        held = [place for place in drawn if folds[place] == fold]
        side = np.repeat([0, 1], len(held))
        areas.append((roc_auc_score(side, model.predict(np.concatenate([old[held], new[held]]))), len(held) ** 2))
    expected = np.average([area for area, _ in areas], weights=[pairs for _, pairs in areas])
    assert probe_domain_auc.redraws is not None
    assert number(probe_domain_auc.redraws(views)(drawn)) == pytest.approx(expected, abs=1e-12)
    assert isinstance(probe_domain_auc.redraws(views[:3])([0, 1]), Undefined)
    assert isinstance(probe_domain_auc.redraws(views)([]), Undefined)


@pytest.mark.parametrize("width", [4, 200])
def test_equal_sides_cannot_be_told_apart_and_far_ones_always(width: int) -> None:
    views = probes(50, width, shift=0.0)
    same = [ProbeView(one.probe_id, one.old, one.old) for one in views]
    assert probe_domain_auc(same) == Value(0.5, support=50)
    assert number(probe_domain_auc(probes(50, width, shift=1e3))) == 1.0


def test_neither_the_order_of_probes_nor_a_repeat_in_a_resample_is_seen() -> None:
    views = probes(40, 5, shift=0.5)
    assert probe_domain_auc(views) == probe_domain_auc(views[::-1])
    noise = [ProbeView(one.probe_id, one.old, other.old) for one, other in zip(views, views[::-1], strict=True)]
    assert number(probe_domain_auc(noise * 3)) < 0.6  # a repeat in another fold would be recognised


def test_the_area_is_undefined_for_few_probes_and_mixed_lengths() -> None:
    views = probes(9, 3, shift=0.0)
    assert isinstance(probe_domain_auc([]), Undefined)
    assert isinstance(probe_domain_auc(views[:4] * 3), Undefined)
    assert isinstance(probe_domain_auc([*views, ProbeView("x", np.ones(3), np.ones(2))]), Undefined)
    flat = [ProbeView(f"p{row}", np.ones(3), np.ones(3)) for row in range(9)]
    assert probe_domain_auc(flat) == Value(0.5, support=9)


@settings(max_examples=80, deadline=None)
@given(lags=st.lists(st.floats(0, 1e6), min_size=1, max_size=12), percentile=st.sampled_from([0, 50, 90, 99, 100]))
@pytest.mark.parametrize(("metric", "kind"), [(freshness_lag, "written"), (deletion_lag, "deleted")])
def test_a_percentile_is_that_of_numpy(
    metric: Any, kind: Literal["written", "deleted"], lags: list[float], percentile: float
) -> None:
    other: Literal["written", "deleted"] = "deleted" if kind == "written" else "written"
    views = [ChangeView(kind, lag, 1e7) for lag in lags] + [ChangeView(other, 5e6, 1e7)]
    score = metric(views, percentile=percentile)
    assert score.support == len(lags)
    assert score.value == pytest.approx(float(np.percentile(lags, percentile)), rel=1e-12)


def test_a_change_that_was_not_seen_stands_behind_all_others_and_has_no_number() -> None:
    views = [ChangeView("written", lag, 5000.0) for lag in (100.0, 300.0, None, 200.0)]
    assert freshness_lag(views, percentile=50) == Value(250.0, support=4)  # 100, 200, 300, more
    found = freshness_lag(views, percentile=99)
    assert isinstance(found, Undefined)
    assert found.reason.startswith("1 of 4 changes were not seen within their deadline (5000 ms)")
    assert freshness_lag([ChangeView("deleted", 1.0, 5.0)]) == Undefined("no document was written")
    assert deletion_lag([]) == Undefined("no document was deleted")
    with pytest.raises(ValueError, match="percentile must lie"):
        freshness_lag(views, percentile=101)


def test_unseen_changes_and_stale_queries_are_counted() -> None:
    late = ChangeView("written", None, 5.0)
    assert unseen_changes(late) == unseen_changes(late, kind="written") == Value(1.0, support=1)
    assert isinstance(unseen_changes(late, kind="deleted"), Undefined)
    with pytest.raises(ValueError, match="kind must be"):
        unseen_changes(late, kind="moved")
    assert [stale_query_share(ServedView(lagging)) for lagging in (True, False)] == [Value(1.0, 1), Value(0.0, 1)]
    assert isinstance(stale_query_share(ServedView(None)), Undefined)
