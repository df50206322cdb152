"""Hold a judge against labels that people gave, and write down how far it may be believed."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragtriage.core.errors import BadInput
from ragtriage.core.identity import hash_json
from ragtriage.core.verdicts import JudgeCall
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.rubric import Rubric
from ragtriage.judges.single import Said, ask_lexical, ask_model
from ragtriage.stats.agreement import (
    agreement,
    cohen_kappa,
    confusion,
    gwet_ac1,
    interval,
    krippendorff_alpha,
    precision_recall,
)
from ragtriage.stats.calibration import expected_calibration_error
from ragtriage.stats.proportions import wilson
from ragtriage.workflows.judge_opening import JudgeNamed, named_judge
from ragtriage.workflows.judge_shares import Shares, shares_of
from ragtriage.workflows.judge_trust import Agreement, LabelFigures, TrustRecord
from ragtriage.workflows.labels import LabelledItem, read_labels

__all__ = ["SHIPPED", "Answered", "Limits", "calibrate", "shipped_labels", "trust_of"]

SHIPPED = "those that ship with the rubric, written for this project"
_SEED = 20260101
_RESAMPLES = 1000
_MIN_SLICE = 10


@dataclass(frozen=True, slots=True)
class Limits:
    """What a judge must reach to be trusted: labels, the lower end of kappa, share answered, share stable."""

    labels: int = 50
    kappa: float = 0.4
    failed: float = 0.05
    stability: float = 0.8


@dataclass(frozen=True, slots=True)
class Answered:
    """What the judge said of one item in each repeat; None where it gave no verdict."""

    item: LabelledItem
    said: tuple[Said | None, ...]

    @property
    def first(self) -> str | None:
        """The label of the first repeat."""
        return self.said[0].label if self.said[0] is not None else None


def shipped_labels(rubric: str) -> Path:
    """Return the labels that ship with a rubric; raises BadInput where none do."""
    path = RUBRICS[rubric].labels_file
    if not RUBRICS[rubric].file.labels:
        raise BadInput(f"{rubric} finds things and gives no label, so it has nothing to hold against people's labels")
    if path is None:
        raise BadInput(f"no labels ship with the rubric {rubric!r}: name a file of your own with --labels")
    return path


def calibrate(
    labels: Path | None,
    *,
    rubric: str,
    judge: str,
    repeats: int = 1,
    limits: Limits | None = None,
    config: Path | None = None,
) -> TrustRecord:
    """Ask the judge of every item, and measure; raises BadInput, JudgeUnavailable, BudgetReached.

    `labels` None: those that ship with the rubric.
    """
    if repeats < 1:
        raise BadInput(f"repeats must be 1 or more. Got {repeats}")
    source = SHIPPED if labels is None else str(labels)
    labels = labels or shipped_labels(rubric)
    read = read_labels(labels, rubric)
    items = read.items
    if not any(label is not None for item in items for label in item.said()):
        told = f"{read.waiting} wait for one, {read.others} are of other rubrics than {rubric!r}"
        raise BadInput(f"{labels}: no item has a label ({told})")
    named = named_judge(judge, config=config)
    known = RUBRICS[rubric]
    if named is None:
        from ragtriage.judges.lexical import rubric as lexical_rubric  # noqa: PLC0415

        answered = [Answered(item, (ask_lexical(rubric, item.asked()),) * repeats) for item in items]
        found = trust_of(answered, rubric=known, judge="lexical", identity=lexical_rubric(), limits=limits or Limits())
    else:
        name, answered = asyncio.run(_asked(items, rubric, named, repeats))
        found = trust_of(answered, rubric=known, judge=name, identity=known.identity, limits=limits or Limits())
    return found.model_copy(update={"labels_from": source, "waiting": read.waiting, "others": read.others})


async def _asked(
    items: Sequence[LabelledItem], rubric: str, named: JudgeNamed, repeats: int
) -> tuple[str, list[Answered]]:
    from ragtriage.judges.calling import Asker, AskFailed  # noqa: PLC0415

    async def forget(call: JudgeCall) -> None:
        del call

    opened = named.open()
    asker = Asker(opened.model, named.seed, forget)
    places = asyncio.Semaphore(named.concurrency)

    async def once(item: LabelledItem, sample: int) -> Said | None:
        async with places:
            try:
                return await ask_model(asker, rubric, item.asked(), sample=sample)
            except AskFailed:
                return None

    async def all_of(item: LabelledItem) -> Answered:
        return Answered(item, tuple(await asyncio.gather(*(once(item, sample) for sample in range(repeats)))))

    try:
        return opened.model.identity, list(await asyncio.gather(*(all_of(item) for item in items)))
    finally:
        await opened.close()


def _people(item: LabelledItem) -> str | None:
    """Return the label of most people; None where nobody gave one, or two are equally common."""
    counts = Counter(label for label in item.said() if label is not None).most_common(2)
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def trust_of(answered: Sequence[Answered], *, rubric: Rubric, judge: str, identity: str, limits: Limits) -> TrustRecord:
    """Measure answers against labels, and say whether that is enough."""
    labels = rubric.file.labels
    decided = [one for one in answered if _people(one.item) is not None]
    ordered = rubric.file.decisive is not None and rubric.file.decisive.type == "grade"
    overall = _agreement(decided, labels, {}, ordered=ordered)
    slices = _slices(decided, labels, ordered=ordered)
    repeats = len(answered[0].said)
    stability = _stability(decided) if repeats > 1 else None
    positive = _positive(rubric)
    shares = _shares(answered, positive)
    reasons = _reasons(overall, stability, limits)
    people = [one.item.said() for one in answered if len(one.item.said()) > 1]
    return TrustRecord(
        judge=judge,
        rubric_name=rubric.name,
        rubric=identity,
        labels_identity=hash_json([one.item.model_dump(mode="json") for one in answered]),
        annotators=max((len(one.item.said()) for one in answered), default=0),
        trusted=not reasons,
        reasons=tuple(reasons),
        overall=overall,
        slices=tuple(slices),
        stability=stability,
        repeats=repeats,
        ece=_ece(decided, repeats),
        people_alpha=krippendorff_alpha(people, labels, level="ordinal" if ordered else "nominal") if people else None,
        share_label=positive,
        share_raw=shares.raw,
        share_corrected=None if shares.ppi is None else shares.ppi.value,
        share_interval=None if shares.ppi is None else shares.ppi.interval,
        share_adjusted=None if shares.rogan_gladen is None else shares.rogan_gladen.value,
        share_adjusted_interval=None if shares.rogan_gladen is None else shares.rogan_gladen.interval,
        share_refused=shares.refused,
    )


def _agreement(
    answered: Sequence[Answered], labels: Sequence[str], where: dict[str, str], *, ordered: bool
) -> Agreement:
    pairs = [(p, j) for one in answered if (p := _people(one.item)) is not None and (j := one.first) is not None]
    weighted = cohen_kappa(pairs, labels, weights="quadratic") if ordered else None

    def kappa(some: Sequence[tuple[str, str]]) -> float | None:
        return cohen_kappa(some, labels)

    def ac1(some: Sequence[tuple[str, str]]) -> float | None:
        return gwet_ac1(some, labels)

    alpha = krippendorff_alpha([list(p) for p in pairs], labels, level="ordinal" if ordered else "nominal")
    equal = sum(a == b for a, b in pairs)
    return Agreement(
        slice=where,
        items=len(answered),
        failed=len(answered) - len(pairs),
        agreement=agreement(pairs),
        agreement_interval=wilson(equal, len(pairs)) if pairs else None,
        kappa=kappa(pairs),
        kappa_interval=interval(kappa, pairs, resamples=_RESAMPLES, seed=_SEED),
        weighted_kappa=weighted,
        ac1=ac1(pairs),
        ac1_interval=interval(ac1, pairs, resamples=_RESAMPLES, seed=_SEED),
        alpha=alpha,
        labels=tuple(_figures(pairs, label) for label in labels),
        confusion=tuple(map(tuple, confusion(pairs, labels))),
    )


def _figures(pairs: Sequence[tuple[str, str]], label: str) -> LabelFigures:
    (right, given), (_, wanted) = precision_recall(pairs, label)
    return LabelFigures(
        label=label,
        people=wanted,
        judge=given,
        precision=right / given if given else None,
        precision_interval=wilson(right, given) if given else None,
        recall=right / wanted if wanted else None,
        recall_interval=wilson(right, wanted) if wanted else None,
    )


def _slices(answered: Sequence[Answered], labels: Sequence[str], *, ordered: bool) -> list[Agreement]:
    groups: dict[tuple[str, str], list[Answered]] = defaultdict(list)
    for one in answered:
        for pair in one.item.where().items():
            groups[pair].append(one)
    return [
        _agreement(group, labels, {field: value}, ordered=ordered)
        for (field, value), group in sorted(groups.items())
        if len(group) >= _MIN_SLICE
    ]


def _stability(answered: Sequence[Answered]) -> float | None:
    """Return the share of items that got the same label in every repeat; a repeat without a verdict is another one."""
    same = [len({None if s is None else s.label for s in one.said}) == 1 for one in answered]
    return sum(same) / len(same) if same else None


def _ece(answered: Sequence[Answered], repeats: int) -> float | None:
    """Return the calibration error of the share of repeats that gave the commonest label; None without repeats."""
    sure, right = [], []
    for one in answered:
        said = [s.label for s in one.said if s is not None]
        if repeats > 1 and said:
            label, times = Counter(said).most_common(1)[0]
            sure.append(times / repeats)
            right.append(label == _people(one.item))
    return expected_calibration_error(sure, right) if sure else None


def _positive(rubric: Rubric) -> str:
    """Return the label whose share is corrected: what is right for a true control item, else the first."""
    return rubric.file.canary_true[0] if rubric.file.canary_true else rubric.file.labels[0]


def _shares(answered: Sequence[Answered], label: str) -> Shares:
    """Return the judge's share of a label on all items, and the same corrected by the labels of people."""
    said = []
    for one in answered:
        people = _people(one.item)
        if one.first is not None:
            said.append((one.first == label, None if people is None else people == label))
    return shares_of(said)


def _reasons(overall: Agreement, stability: float | None, limits: Limits) -> list[str]:
    """Say why the judge is not to be trusted; nothing where it is."""
    found = []
    if overall.items < limits.labels:
        found.append(f"{overall.items} labels; at least {limits.labels} are needed")
    if overall.items and overall.failed / overall.items > limits.failed:
        found.append(f"no verdict on {overall.failed} of {overall.items} items; at most {limits.failed:.0%} may fail")
    low = None if overall.kappa_interval is None else overall.kappa_interval[0]
    if low is None:
        found.append("kappa has no interval: people or judge gave one label alone")
    elif low < limits.kappa:
        found.append(f"the lower end of kappa is {low:.2f}; it must be at least {limits.kappa:.2f}")
    missed = [f.label for f in overall.labels if f.recall == 0.0]
    if missed:
        found.append(f"it never gives the label {missed[0]!r} where people do")
    if stability is not None and stability < limits.stability:
        found.append(f"{stability:.0%} of the items get the same label each time; {limits.stability:.0%} are needed")
    return found
