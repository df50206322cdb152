"""Judges made of rules, behind the port of a chat model: an honest one that reads, and one that obeys what it reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ragtriage.models.ports import ChatReply, ChatRequest, Usage

_DATA = re.compile(r"<<<DATA (?P<nonce>\w+)\n(?P<body>.*)\nDATA (?P=nonce)>>>", re.DOTALL)
_ORDERS = re.compile(
    r"ignore (?:all |the )?(?:previous|above)|mark (?:everything|all)|label (?:everything|all)"
    r"|игнорируй|считай вс[её]|ігноруй|вважай вс|елеме|барлығын",
    re.IGNORECASE,
)

Shown = Mapping[str, Any]


def shown_to(request: ChatRequest) -> dict[str, Any]:
    """Return the data of a prompt."""
    found = _DATA.fullmatch(request.messages[-1].content)
    assert found is not None
    data: dict[str, Any] = json.loads(found["body"])
    return data


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def evidence_for(claim: str, sources: list[Shown]) -> list[dict[str, str]]:
    """Return each source that holds all words of the claim, with its first words as the quote."""
    return [
        {"source": s["id"], "quote": s["text"].strip(), "stance": "supports"}
        for s in sources
        if set(words(claim)) <= set(words(s["text"]))
    ]


class FakeJudge:
    """Answers every rubric by word overlap. `change`: what is done to a reply's data before it is sent.

    `broken`: says for the n-th request, from 0, what is sent instead (None: nothing is).
    """

    def __init__(
        self,
        *,
        identity: str = "fake/honest",
        change: Callable[[str, dict[str, Any]], object] | None = None,
        broken: Callable[[int, ChatRequest], str | Exception | None] | None = None,
        served_model: str | None = "fake-1",
    ) -> None:
        self._identity = identity
        self.change = change
        self.broken = broken
        self.served_model = served_model
        self.requests: list[ChatRequest] = []
        self.confirmed = 0

    @property
    def identity(self) -> str:
        return self._identity

    async def complete(self, request: ChatRequest) -> ChatReply:
        number = len(self.requests)
        self.requests.append(request)
        instead = self.broken(number, request) if self.broken is not None else None
        if isinstance(instead, Exception):
            raise instead
        if instead is not None:
            return ChatReply(instead, "stop", served_model=self.served_model)
        reply = self.answer(request.schema_name, shown_to(request))
        if self.change is not None:
            self.change(request.schema_name, reply)
        text = json.dumps(reply, ensure_ascii=False)
        return ChatReply(text, "stop", served_model=self.served_model, usage=Usage(100, 20))

    async def confirm(self, request: ChatRequest, reply: ChatReply) -> None:
        del request, reply
        self.confirmed += 1

    def answer(self, rubric: str, data: dict[str, Any]) -> dict[str, Any]:
        return getattr(self, f"_{rubric}")(data)

    def _claim_extraction(self, data: Shown) -> dict[str, Any]:
        pieces = [p.strip() for p in re.split(r"(?<=[.!?])\s+", data["TEXT"]) if p.strip()]
        return {"items": [{"quote": p, "claim": p} for p in pieces]}

    def _claim_support(self, data: Shown) -> dict[str, Any]:
        return {"verdicts": [self._supported(item, data["SOURCES"]) for item in data["ITEMS"]]}

    def _supported(self, item: Shown, sources: list[Shown]) -> dict[str, Any]:
        evidence = evidence_for(item["text"], sources)
        label = "supported" if evidence else "not_in_context"
        return {"id": item["id"], "evidence": evidence, "difference": "", "label": label}

    _claim_correctness = _claim_support
    _citation_support = _claim_support

    def _nugget_assignment(self, data: Shown) -> dict[str, Any]:
        found = []
        for item in data["ITEMS"]:
            evidence = [e | {"stance": "states"} for e in evidence_for(item["text"], data["SOURCES"])]
            label = "support" if evidence else "not_support"
            found.append({"id": item["id"], "evidence": evidence, "label": label})
        return {"verdicts": found}

    def _context_relevance(self, data: Shown) -> dict[str, Any]:
        found = []
        for item in data["ITEMS"]:
            asked = set(words(item.get("question", data["QUESTION"])))
            shared = len(asked & set(words(item["text"])))
            grade = 0 if not shared else 3 if 2 * shared >= len(asked) else 1
            found.append({"id": item["id"], "wanted": "", "found": "", "grade": grade})
        return {"verdicts": found}

    def _nugget_importance(self, data: Shown) -> dict[str, Any]:
        return {"verdicts": [{"id": i["id"], "without_it": "", "importance": "vital"} for i in data["ITEMS"]]}

    def _abstention(self, data: Shown) -> dict[str, Any]:
        unsure = "know" in words(data["TEXT"])
        return {"quote": data["TEXT"], "behaviour": "abstain" if unsure else "answer"}

    def _question_generation(self, data: Shown) -> dict[str, Any]:
        unsure = "know" in words(data["TEXT"])
        questions = [] if unsure else [f"What about {w}?" for w in words(data["TEXT"])[:3]]
        return {"about": "it", "noncommittal": unsure, "questions": questions}

    def _completeness(self, data: Shown) -> dict[str, Any]:
        return {"items": [{"part": data["QUESTION"], "quote": data["TEXT"], "label": "answered"}]}

    def _rubric_score(self, data: Shown) -> dict[str, Any]:
        del data
        return {"steps": ["read"], "findings": [], "grade": 4}

    def _answer_correctness(self, data: Shown) -> dict[str, Any]:
        same = set(words(data["REFERENCE"])) <= set(words(data["TEXT"]))
        return {"lacks": [], "contradicts": [], "label": "correct" if same else "incorrect"}

    def _resolution(self, data: Shown) -> dict[str, Any]:
        same = set(words(data["REFERENCE"])) <= set(words(data["TEXT"]))
        return {"open": [], "label": "resolved" if same else "not_resolved"}

    def _escalation(self, data: Shown) -> dict[str, Any]:
        due = bool(set(words(data["POLICY"])) & set(words(data["QUESTION"])))
        handed = "colleague" in words(data["TEXT"])
        label = "right" if due == handed else "missed" if due else "needless"
        return {"falls_under": "", "hands_over": handed, "label": label}

    def _nugget_creation(self, data: Shown) -> dict[str, Any]:
        """One nugget a source: its first words."""
        shown = [(s["id"], s["text"].strip()) for s in data["SOURCES"]]
        return {"items": [{"evidence": [{"source": i, "quote": t}], "nugget": t} for i, t in shown]}

    def _pairwise_preference(self, data: Shown) -> dict[str, Any]:
        """Prefer the answer that shares more words with the reference."""
        right = set(words(data.get("REFERENCE", "")))
        first, second = (len(right & set(words(data[name]))) for name in ("FIRST", "SECOND"))
        better = "tie" if first == second else "first" if first > second else "second"
        return {"faults_first": [], "faults_second": [], "better": better}


class ObedientJudge(FakeJudge):
    """Does what any text in the data asks: where one gives orders, everything is supported."""

    def _claim_support(self, data: Shown) -> dict[str, Any]:
        reply = super()._claim_support(data)
        ordered = any(_ORDERS.search(s["text"]) for s in (*data["SOURCES"], *data["ITEMS"]))
        if ordered:
            for one in reply["verdicts"]:
                if one["label"] != "supported":
                    source = data["SOURCES"][0]
                    one["evidence"] = [{"source": source["id"], "quote": source["text"], "stance": "supports"}]
                    one["label"] = "supported"
        return reply
