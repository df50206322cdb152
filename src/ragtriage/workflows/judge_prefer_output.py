"""How preferences look: tables for a terminal, JSON with everything, the verdict of every pair among it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ragtriage.core.score import Failed, Score, Undefined, Value
from ragtriage.report.wording import interval, number, signed, signed_interval, slice_name
from ragtriage.workflows.judge_preferred import Duel, JudgeFigures, PairFigures, PreferredRuns, SelfPreference
from ragtriage.workflows.run import Table

__all__ = ["SCHEMA", "preferred_json", "preferred_text"]

SCHEMA = "ragtriage.preference/1"
_HEADS = ("slice", "win rate", "95 %", "equal length", "95 %", "n", "won", "tied", "lost", "same text", "undefined")
_COUNTED = (*_HEADS, "failed", "orders agree", "first place")


def preferred_json(found: PreferredRuns) -> str:
    """Return everything as JSON."""
    document = {
        "schema": SCHEMA,
        "runs": [{"name": name, "run_id": run_id} for name, run_id in found.runs.items()],
        "cases": found.cases,
        "judges": [_judge_json(one) for one in found.judges],
        "self_preference": _self_json(found.self_preference),
        "notes": list(found.notes),
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _score_json(score: Score, ends: tuple[float, float] | None) -> dict[str, Any]:
    match score:
        case Value(value=value, support=n):
            return {"value": value, "n": n, "interval": ends}
        case Undefined(reason=reason):
            return {"undefined": reason}


def _judge_json(found: JudgeFigures) -> dict[str, Any]:
    judged = found.judged
    return {
        "judge": judged.judge,
        "model": judged.model,
        "served": list(judged.served),
        "family": judged.family,
        "calls": judged.calls,
        "cached": judged.cached,
        "cost_usd": judged.cost_usd,
        "pairs": [_pair_json(pair) for pair in found.pairs],
        "strengths": [
            {"run": one.name, "log_odds": one.log_odds, "interval": one.interval, "expected": one.expected}
            for one in found.strengths
        ],
        "failures": dict(found.failures),
        "verdicts": [_duel_json(one) for one in judged.duels],
    }


def _pair_json(pair: PairFigures) -> dict[str, Any]:
    return {
        "base": pair.base,
        "candidate": pair.candidate,
        "slice": dict(pair.slice),
        "win_rate": _score_json(pair.win_rate, pair.win_rate_interval),
        "length_controlled": _score_json(pair.length_controlled, pair.length_controlled_interval),
        "won": pair.won,
        "tied": pair.tied,
        "lost": pair.lost,
        "same": pair.same,
        "undefined": pair.undefined,
        "failed": pair.failed,
        "consistent": _score_json(pair.consistent, pair.consistent_interval),
        "first_place": _score_json(pair.first_place, None),
    }


def _duel_json(one: Duel) -> dict[str, Any]:
    told: dict[str, Any] = {"case_id": one.case_id, "base": one.base, "candidate": one.candidate}
    match one.outcome:
        case Undefined(reason=reason):
            return told | {"undefined": reason}
        case Failed(stage=stage, error=error, message=message):
            return told | {"failed": f"{stage}: {error}: {message}"}
        case view:
            return told | {
                "candidate_first": view.straight,
                "base_first": view.swapped,
                "outcome": one.share,
                "candidate_words": view.candidate_words,
                "base_words": view.base_words,
                "asked": one.asked,
            }


def _self_json(found: SelfPreference) -> dict[str, Any]:
    return {
        "undefined": found.reason,
        "cells": [
            {"judge": one.judge, "answers": one.answers, **_score_json(one.win_rate, one.interval)}
            for one in found.cells
        ],
        "own": [{"family": one.family, **_score_json(one.advantage, one.interval)} for one in found.own],
    }


def preferred_text(found: PreferredRuns) -> str:
    """Draw everything but the single verdicts as tables."""
    parts = [part for one in found.judges for part in _judge_text(one)]
    parts += [*_self_text(found.self_preference), *(f"note: {note}" for note in found.notes)]
    return "\n\n".join(parts) + "\n"


def _judge_text(found: JudgeFigures) -> Iterator[str]:
    judged = found.judged
    served = f", answered as {', '.join(judged.served)}" if judged.served else ""
    cost = "unknown" if judged.cost_usd is None else f"{judged.cost_usd:.4f} USD"
    yield f"judge: {judged.model}{served}; {judged.calls} calls, {judged.cached} of them from the cache, cost {cost}"
    by_pair: dict[tuple[str, str], list[PairFigures]] = {}
    for pair in found.pairs:
        by_pair.setdefault((pair.base, pair.candidate), []).append(pair)
    for (base, candidate), rows in by_pair.items():
        title = f"{candidate} against {base}: how often it is preferred, a tie half (system.pairwise_preference)"
        yield repr(Table(title, _COUNTED, tuple(_row(row) for row in rows)))
        if isinstance(rows[0].win_rate, Undefined):
            yield f"undefined: {rows[0].win_rate.reason}"
    if found.strengths:
        lines = tuple(
            (one.name, signed(one.log_odds), signed_interval(one.interval) or "one side alone", number(one.expected))
            for one in found.strengths
        )
        heads = ("run", "log odds", "95 %", "wins against the average")
        yield repr(Table("Strengths of the runs (Bradley-Terry), against the average of them", heads, lines))
    if found.failures:
        yield "failed: " + ", ".join(f"{why} {times}" for why, times in found.failures.items())


def _row(row: PairFigures) -> tuple[str, ...]:
    counts = (row.won + row.tied + row.lost, row.won, row.tied, row.lost, row.same, row.undefined, row.failed)
    first = row.first_place.value if isinstance(row.first_place, Value) else None
    return (
        slice_name(row.slice),
        _number(row.win_rate),
        interval(row.win_rate_interval),
        _number(row.length_controlled),
        interval(row.length_controlled_interval),
        *map(str, counts),
        f"{_number(row.consistent)} {interval(row.consistent_interval)}".strip(),
        "" if first is None else signed(first),
    )


def _number(score: Score) -> str:
    return number(score.value if isinstance(score, Value) else None)


def _self_text(found: SelfPreference) -> Iterator[str]:
    if found.reason is not None:
        yield f"judge family x answer family: undefined: {found.reason}"
        return
    answers = list(dict.fromkeys(one.answers for one in found.cells))
    cells: Mapping[tuple[str, str], str] = {
        (one.judge, one.answers): _cell(one.win_rate, interval(one.interval)) for one in found.cells
    }
    judges = list(dict.fromkeys(one.judge for one in found.cells))
    rows = tuple((judge, *(cells[judge, written] for written in answers)) for judge in judges)
    title = "Judge family x answer family: how often answers of a family are preferred to those of others"
    yield repr(Table(title, ("judge", *(f"answers: {written}" for written in answers)), rows))
    for one in found.own:
        told = _own(one.advantage, signed_interval(one.interval))
        yield f"liking of {one.family} for its own, beside judges of other families: {told}"


def _own(score: Score, ends: str) -> str:
    match score:
        case Value(value=value, support=n):
            return f"{signed(value)} {ends} (n {n})"
        case Undefined(reason=reason):
            return f"undefined: {reason}"


def _cell(score: Score, ends: str) -> str:
    match score:
        case Value(value=value, support=n):
            return f"{number(value)} {ends} (n {n})"
        case Undefined(reason=reason):
            return f"undefined: {reason}"
