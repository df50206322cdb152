"""Put the bias probes to a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ragtriage.core.errors import BadInput
from ragtriage.core.verdicts import JudgeCall
from ragtriage.judges.bias import PROBES, BiasItem, ProbeResult, bias_items, lexical_probes, model_probes
from ragtriage.workflows.judge_opening import JudgeNamed, named_judge

__all__ = ["probe_judge", "results_json", "results_text"]

_OF_CODE = "injection_support"


def probe_judge(
    judge: str, *, config: Path | None = None, probes: Sequence[str] = (), languages: Sequence[str] = ()
) -> tuple[str, list[ProbeResult]]:
    """Return the judge's identity and what each probe showed; raises BadInput, JudgeUnavailable, BudgetReached.

    `probes`, `languages`: only these, all where there are none. Raises BadInput for those that do not exist.
    """
    every = bias_items()
    spoken = sorted({item.language for item in every})
    for names, known, what in ((probes, PROBES, "probe"), (languages, spoken, "language of the probes")):
        for name in names:
            if name not in known:
                raise BadInput(f"there is no {what} {name!r}; there are {', '.join(known)}")
    items = [item for item in every if not languages or item.language in languages]
    chosen = [probe for probe in PROBES if not probes or probe in probes]
    named = named_judge(judge, config=config)
    if named is not None:
        return asyncio.run(_probed(named, items, chosen))
    if _OF_CODE not in chosen:
        raise BadInput(f"the lexical judge compares no answers: {_OF_CODE!r} is the one probe for it")
    return "lexical", lexical_probes(items)


async def _probed(named: JudgeNamed, items: Sequence[BiasItem], probes: Sequence[str]) -> tuple[str, list[ProbeResult]]:
    from ragtriage.judges.calling import Asker  # noqa: PLC0415

    async def forget(call: JudgeCall) -> None:
        del call

    opened = named.open()
    try:
        asker = Asker(opened.model, named.seed, forget)
        found = await model_probes(asker, items, at_once=named.concurrency, probes=probes)
        return opened.model.identity, found
    finally:
        await opened.close()


def results_json(judge: str, results: list[ProbeResult]) -> dict[str, object]:
    """Return the results as plain data."""
    probes = [
        {
            "probe": one.probe,
            "moved": one.moved,
            "asked": one.asked,
            "failed": one.failed,
            "share": one.share,
            "interval": one.interval,
            "biased": one.biased,
        }
        for one in results
    ]
    return {"judge": judge, "probes": probes}


def results_text(judge: str, results: list[ProbeResult]) -> str:
    """Draw the results as lines."""
    lines = [f"judge: {judge}"]
    for one in results:
        ends = "" if one.interval is None else f" [{one.interval[0]:.2f}, {one.interval[1]:.2f}]"
        share = "no verdict" if one.share is None else f"{one.share:.2f}{ends}"
        word = "biased" if one.biased else "not shown"
        lines.append(f"  {one.probe:<18} {share}  moved {one.moved} of {one.asked}, failed {one.failed}: {word}")
    lines.append("  a liking for its own family of models: ragtriage judge prefer RUN RUN, with several --judge")
    return "\n".join(lines) + "\n"
