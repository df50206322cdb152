"""Put the bias probes to a judge."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ragtriage.core.verdicts import JudgeCall
from ragtriage.judges.bias import ProbeResult, bias_items, lexical_probes, model_probes
from ragtriage.workflows.judge_opening import JudgeNamed, named_judge

__all__ = ["probe_judge", "results_json", "results_text"]


def probe_judge(judge: str, *, config: Path | None = None) -> tuple[str, list[ProbeResult]]:
    """Return the judge's identity and what each probe showed; raises BadInput, JudgeUnavailable, BudgetReached."""
    named = named_judge(judge, config=config)
    if named is None:
        return "lexical", lexical_probes(bias_items())
    return asyncio.run(_probed(named))


async def _probed(named: JudgeNamed) -> tuple[str, list[ProbeResult]]:
    from ragtriage.judges.calling import Asker  # noqa: PLC0415

    async def forget(call: JudgeCall) -> None:
        del call

    opened = named.open()
    try:
        asker = Asker(opened.model, named.seed, forget)
        return opened.model.identity, await model_probes(asker, bias_items(), at_once=named.concurrency)
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
    return "\n".join(lines) + "\n"
