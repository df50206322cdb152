"""What an answer comes to as a whole: right by its reference, the request resolved, handed over where it has to be."""

from __future__ import annotations

from ragtriage.core.records import Case
from ragtriage.core.verdicts import CorrectnessVerdict, EscalationVerdict, ResolutionVerdict
from ragtriage.judges.asking import Ask
from ragtriage.judges.calling import Asker
from ragtriage.judges.catalogue import RUBRICS

__all__ = ["correctness_of", "escalation_of", "resolution_of"]


async def correctness_of(asker: Asker, case: Case, answer: str) -> CorrectnessVerdict | None:
    """Return how the answer agrees with the case's reference; None without a reference or an answer."""
    reference = case.expected.answer
    if not reference or not reference.strip() or not answer.strip():
        return None
    told = "\n".join((reference, *(f"or: {other}" for other in case.expected.alternatives)))
    asked = Ask(RUBRICS["answer_correctness"], {"question": case.question, "reference": told, "text": answer})
    (found,) = await asker.ask(asked)
    return CorrectnessVerdict(label=found.values["label"])


async def resolution_of(asker: Asker, case: Case, answer: str) -> ResolutionVerdict | None:
    """Return whether the customer has what resolves the request; None where no case says what does."""
    reference = case.expected.answer
    if not reference or not reference.strip() or not answer.strip():
        return None
    asked = Ask(RUBRICS["resolution"], {"question": case.question, "reference": reference, "text": answer})
    (found,) = await asker.ask(asked)
    return ResolutionVerdict(label=found.values["label"])


async def escalation_of(asker: Asker, case: Case, answer: str, policy: str | None) -> EscalationVerdict | None:
    """Return whether the answer hands over to a person when the policy demands it; None without one."""
    if policy is None or not answer.strip():
        return None
    asked = Ask(RUBRICS["escalation"], {"question": case.question, "policy": policy, "text": answer})
    (found,) = await asker.ask(asked)
    return EscalationVerdict(label=found.values["label"], handed_over=found.values["hands_over"])
