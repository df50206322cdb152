"""The judge that is a language model: it writes the same records as the judge that is code.

Claims of the answer and of the reference are extracted once and held against all context items in one call, which
also says what each item states by itself (the claim x chunk matrix) and what several state only together. A question
that brought no verdict is a JudgeFailure of this case, never a number and never a gap.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragtriage.core.identity import hash_json
from ragtriage.core.records import Behaviour, Case, Trace
from ragtriage.core.verdicts import (
    BehaviourVerdict,
    ClaimVerdict,
    JudgeCall,
    JudgeFailure,
    NuggetVerdict,
    RelevanceVerdict,
    Verdicts,
)
from ragtriage.judges.asking import PARSER_VERSION, Ask, Piece
from ragtriage.judges.behaviour import read_behaviour
from ragtriage.judges.calling import Asker, AskFailed, Keep, together
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.citing import looked_again
from ragtriage.judges.matrix import Matrix, Stated, cited_ids, disputed_claims, stated_of
from ragtriage.judges.outcomes import correctness_of, escalation_of, resolution_of
from ragtriage.judges.parts import grade_of, parts_of, questions_of, similarity_of
from ragtriage.judges.uncertainty import uncertainty_of
from ragtriage.models.ports import ChatModel, Embedder

__all__ = ["ASKS", "DECIDES", "JudgeOptions", "ModelJudge", "rubric_of"]

ASKS: Mapping[str, tuple[str, ...]] = {
    "behaviour": ("abstention",),
    "claims": ("claim_extraction", "claim_support"),
    "reference": ("claim_extraction", "claim_support", "claim_correctness"),
    "nuggets": ("nugget_assignment",),
    "relevance": ("context_relevance",),
    "questions": ("question_generation",),
    "parts": ("completeness",),
    "similarity": (),
    "rubric_grade": ("rubric_score",),
    "correctness": ("answer_correctness",),
    "resolution": ("resolution",),
    "escalation": ("escalation",),
    "citations": ("citation_support",),
    "uncertainty": ("uncertainty",),
}
"""What a judge can be asked of a case, and the rubrics that it takes."""

DECIDES: Mapping[str, str] = {
    "behaviour": "abstention",
    "claims": "claim_support",
    "reference": "claim_correctness",
    "nuggets": "nugget_assignment",
    "relevance": "context_relevance",
    "rubric_grade": "rubric_score",
    "correctness": "answer_correctness",
    "resolution": "resolution",
    "escalation": "escalation",
    "citations": "citation_support",
    "uncertainty": "uncertainty",
}
"""The rubric whose labels decide what is read from an ask: the one that people's labels must have been held against."""

_RISKY = frozenset({"high", "critical"})


@functools.cache
def rubric_of(asks: frozenset[str]) -> str:
    """Return one hash of the rubrics that a set of asks takes and of the parser that reads their replies."""
    used = sorted({name for ask in asks for name in ASKS[ask]})
    return hash_json({"parser": PARSER_VERSION, "rubrics": {name: RUBRICS[name].identity for name in used}})


@dataclass(frozen=True)
class JudgeOptions:
    """What a model judge does. `asks`: what metrics need. `second`: another model for cases of high and critical risk.

    `criteria`: for `rubric_grade`; `policy`: for `escalation`. `trusted`: asks that a current trust record speaks for.
    `known`: replies of earlier attempts by their request. `asker`: what puts a question to a model.
    """

    asks: frozenset[str]
    seed: int = 20260101
    second: ChatModel | None = None
    embedder: Embedder | None = None
    criteria: str | None = None
    policy: str | None = None
    trusted: frozenset[str] = frozenset()
    known: Mapping[str, JudgeCall] = field(default_factory=dict)
    asker: type[Asker] = Asker


class ModelJudge:
    """Judges cases through a chat model."""

    def __init__(self, model: ChatModel, options: JudgeOptions) -> None:
        self.model = model
        self.options = options

    async def judge(self, case: Case, trace: Trace, keep: Keep, earlier: Verdicts | None = None) -> Verdicts:
        """Judge one case; each call is kept before it is used. JudgeUnavailable and BudgetReached pass through.

        `earlier`: what an earlier attempt wrote; only what failed there for want of a reply is asked again.
        """
        asker = self._asker(self.model, keep)
        second = None
        if self.options.second is not None and case.risk in _RISKY:
            second = self._asker(self.options.second, keep)
        return await _Case(case, trace, asker, second, self.options, earlier=earlier).judged()

    def _asker(self, model: ChatModel, keep: Keep) -> Asker:
        return self.options.asker(model, self.options.seed, keep, self.options.known)


class _Case:
    """One case while it is judged."""

    def __init__(
        self,
        case: Case,
        trace: Trace,
        asker: Asker,
        second: Asker | None,
        options: JudgeOptions,
        *,
        earlier: Verdicts | None,
    ) -> None:
        self.case = case
        self.trace = trace
        self.asker = asker
        self.second = second
        self.options = options
        self.answer = trace.answer.text if trace.answer is not None else ""
        self.found: dict[str, Any] = {}
        self.failed: list[JudgeFailure] = []
        self.disputed: tuple[str, ...] = ()
        self.sources = tuple(Piece(item.id, item.text) for item in trace.context or () if item.text.strip())
        expected = case.expected
        self.references = tuple(t for t in (expected.answer, *expected.alternatives) if t and t.strip())
        self.wanted = set(options.asks)
        self.earlier = earlier
        if earlier is not None:
            self._take_up(earlier)

    def _take_up(self, earlier: Verdicts) -> None:
        """Keep what stands of an earlier attempt; what the answer does decides what else is asked, so it goes first."""
        again = {failure.ask for failure in earlier.failed if failure.passing}
        if "behaviour" in again:
            return
        self.wanted &= again | ({"reference"} if "claims" in again else set())
        stand = {ask: getattr(earlier, ask, None) for ask in ASKS if ask not in again}
        self.found = {ask: said for ask, said in stand.items() if said is not None}
        self.failed = [failure for failure in earlier.failed if not failure.passing]
        self.disputed = () if "claims" in again else earlier.disputed

    async def judged(self) -> Verdicts:
        """Ask everything, and write it down."""
        asks = self.options.asks
        await self._write("behaviour", self._behaviour)
        silent = self._acts() == "abstain"
        question, answer, asker = self.case.question, self.answer, self.asker
        embedder = self.options.embedder
        work: dict[str, Callable[[], Awaitable[Any]]] = {
            "claims": lambda: self._claims(silent=silent),
            "nuggets": lambda: self._nuggets(silent=silent),
            "relevance": self._relevance,
            "questions": lambda: questions_of(asker, question, answer, embedder),
            "parts": lambda: parts_of(asker, question, answer),
            "similarity": lambda: similarity_of(answer, self.references, embedder),
            "rubric_grade": lambda: grade_of(asker, self.case, answer, self.options.criteria),
            "correctness": lambda: correctness_of(asker, self.case, answer),
            "resolution": lambda: resolution_of(asker, self.case, answer),
            "escalation": lambda: escalation_of(asker, self.case, answer, self.options.policy),
            "uncertainty": lambda: uncertainty_of(asker, self.case, answer),
        }
        await together(*(self._write(ask, one) for ask, one in work.items() if self._is_wanted(ask)))
        of_others = (self.second, self.earlier)
        served = self.asker.served.union(*(one.served for one in of_others if one is not None))
        retried = self.asker.retried.union(*(one.retried for one in of_others if one is not None))
        return Verdicts(
            case_id=self.case.case_id,
            judge=self.asker.model.identity,
            rubric=rubric_of(asks),
            calibrated=asks <= self.options.trusted,
            trusted=tuple(sorted(asks & self.options.trusted)),
            failed=tuple(sorted(self.failed, key=lambda f: f.ask)),
            disputed=self.disputed,
            served=tuple(sorted(served)),
            retried=tuple(sorted(retried)),
            **self.found,
        )

    def _is_wanted(self, ask: str) -> bool:
        return ask in self.wanted or (ask == "claims" and "reference" in self.wanted)

    async def _write(self, ask: str, work: Callable[[], Awaitable[Any]]) -> None:
        """Ask what is wanted and write it down; what brings no verdict is written down as failed."""
        if not self._is_wanted(ask):
            return
        try:
            self.found[ask] = await work()
        except AskFailed as error:
            self.failed.append(JudgeFailure(ask=ask, kind=error.kind, message=error.message))

    async def _behaviour(self) -> BehaviourVerdict | None:
        answer = self.trace.answer
        if answer is None or not answer.text.strip() or answer.acted is not None:
            return None
        inputs = {"question": self.case.question, "text": answer.text}
        (found,) = await self.asker.ask(Ask(RUBRICS["abstention"], inputs))
        return BehaviourVerdict(behaviour=found.values["behaviour"])

    def _acts(self) -> Behaviour | None:
        """Return what the answer does: as recorded, as judged, else as its phrases say."""
        recorded = self.trace.answer.acted if self.trace.answer is not None else None
        judged: BehaviourVerdict | None = self.found.get("behaviour")
        if recorded is not None:
            return recorded
        if judged is not None:
            return judged.behaviour
        return read_behaviour(self.answer) if self.answer.strip() else None

    async def _extract(self, text: str) -> list[Stated]:
        if not text.strip():
            return []
        asked = Ask(RUBRICS["claim_extraction"], {"question": self.case.question, "text": text})
        return stated_of(await self.asker.ask(asked))

    async def _claims(self, *, silent: bool) -> tuple[ClaimVerdict, ...]:
        """Extract claims, hold them against the context, and against the reference where that is wanted."""
        reference = self.references[0] if self.references and "reference" in self.options.asks else ""
        answer = "" if silent else self.answer
        if reference:
            mine, theirs = await together(self._extract(answer), self._extract(reference))
        else:
            mine, theirs = await self._extract(answer), []
        claims = [Stated(one.text, one.start, one.end, f"a{i}") for i, one in enumerate(mine, 1)]
        claims += [Stated(one.text, one.start, one.end, f"r{i}", "reference") for i, one in enumerate(theirs, 1)]
        context, to_reference, to_answer = await self._matrices(claims, reference)
        cited = cited_ids(self.trace, claims)
        verdicts = tuple(
            context.verdict(
                one,
                cited=cited.get(one.key, ()),
                reference=to_reference.label(one.key) if reference and one.of == "answer" else None,
                answer=to_answer.label(one.key) if one.of == "reference" else None,
            )
            for one in claims
        )
        if "citations" not in self.options.asks:
            return verdicts
        documents = {item.id: item.doc_id for item in self.trace.context or () if item.doc_id is not None}
        return await looked_again(self.asker, self.case.question, verdicts, self.sources, documents)

    async def _matrices(self, claims: Sequence[Stated], reference: str) -> tuple[Matrix, Matrix, Matrix]:
        """Hold the claims against the context, those of the answer against the reference, and the other way round."""
        mine = [one for one in claims if one.of == "answer"]
        theirs = [one for one in claims if one.of == "reference"]
        shown = tuple(Piece(f"reference {i}", text) for i, text in enumerate(self.references))
        answer = (Piece("answer", self.answer),) if self.answer.strip() else ()
        held = (
            ("claim_support", claims, self.sources),
            ("claim_correctness", mine if reference else [], shown),
            ("claim_correctness", theirs, answer),
        )
        found = iter(await together(*(self._held(*one) for one in held if one[1] and one[2])))
        # Without claims or sources nothing is stated there, and nobody is asked.
        context, to_reference, to_answer = (
            next(found) if one[1] and one[2] else Matrix({}, self.trace) for one in held
        )
        if self.second is not None and claims and self.sources:
            other = await self._held("claim_support", claims, self.sources, asker=self.second)
            self.disputed = disputed_claims(claims, context, other)
        return context, to_reference, to_answer

    async def _held(
        self, rubric: str, claims: Sequence[Stated], sources: tuple[Piece, ...], *, asker: Asker | None = None
    ) -> Matrix:
        """Hold claims against sources."""
        items = tuple(Piece(one.key, one.text) for one in claims)
        asked = Ask(RUBRICS[rubric], {"question": self.case.question}, sources, items)
        return Matrix({str(r.key): r for r in await (asker or self.asker).ask(asked)}, self.trace)

    async def _nuggets(self, *, silent: bool) -> tuple[NuggetVerdict, ...]:
        nuggets = self.case.expected.nuggets
        labels = ["not_support"] * len(nuggets)
        if nuggets and self.answer.strip() and not silent:
            items = tuple(Piece(str(i), nugget.text) for i, nugget in enumerate(nuggets))
            sources = (Piece("answer", self.answer),)
            asked = Ask(RUBRICS["nugget_assignment"], {"question": self.case.question}, sources, items)
            labels = [r.values["label"] for r in await self.asker.ask(asked)]
        return tuple(
            NuggetVerdict.model_validate({"text": n.text, "importance": n.importance, "label": label})
            for n, label in zip(nuggets, labels, strict=True)
        )

    async def _relevance(self) -> tuple[RelevanceVerdict, ...] | None:
        if not self.sources or self.case.evidence:  # evidence says what is relevant, so nobody need be asked
            return None
        unique = {piece.key: piece for piece in self.sources}
        asked = Ask(RUBRICS["context_relevance"], {"question": self.case.question}, (), tuple(unique.values()))
        readings = await self.asker.ask(asked)
        return tuple(RelevanceVerdict(id=str(r.key), grade=r.values["grade"]) for r in readings)
