"""How far the code-only judge agrees with people on public sets, beside code-only baselines: writes a Markdown page.

    python benchmarks/judges.py ../shared/data docs/reference/judges.md

Sets: SciFact claims against their abstracts (three labels), QAGS-CNN/DM, QAGS-XSum and Topical-Chat (is a text
consistent with, grounded in, its source). The baselines take the threshold that is best for them; the judge has none.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sklearn.metrics import f1_score, roc_auc_score

from ragtriage.judges.lexical import rubric, verify
from ragtriage.stats.bootstrap import resample_blocks
from ragtriage.stats.proportions import wilson
from ragtriage.text.similarity import longest_common_subsequence
from ragtriage.text.tokens import words

LABELS = ["supported", "contradicted", "not_in_context"]
SCIFACT = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}
CONSISTENCY = {"qags_cnndm": "consistency", "qags_xsum": "consistency", "topical_chat": "groundedness"}
NAMES = {"qags_cnndm": "QAGS-CNN/DM", "qags_xsum": "QAGS-XSum", "topical_chat": "Topical-Chat"}
RESAMPLES, SEED = 1000, 20260101
Scorer = Callable[[str, str], float]


@dataclass(frozen=True)
class Row:
    """A text, its source, and what people say."""

    text: str
    source: str
    label: str


def read(path: Path) -> list[dict]:
    """Read JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def scifact(folder: Path) -> list[Row]:
    """Return the claims with the abstract they were written about and the label that experts gave."""
    corpus = {row["_id"]: " ".join(row["sentences"]) for row in read(folder / "scifact/corpus.jsonl")}
    found = []
    for row in read(folder / "scifact/claims.jsonl"):
        document = next(iter(row["evidence"] or row["cited_doc_ids"]))
        label = SCIFACT[row["evidence"][document][0]["label"]] if row["evidence"] else "not_in_context"
        if document in corpus:
            found.append(Row(row["claim"], corpus[document], label))
    return found


def consistency(folder: Path, name: str) -> list[Row]:
    """Return texts with their source and whether people call them consistent with it."""
    rows = read(folder / f"consistency_human/{name}.jsonl")
    key = CONSISTENCY[name]
    return [
        Row(r["system_output"], r.get("context") or r["source"], "yes" if r["scores"][key] > 0.5 else "no")  # noqa: PLR2004
        for r in rows
    ]


def overlap(text: str, source: str) -> float:
    """Return the share of the words that stand in the source."""
    mine, theirs = words(text), set(words(source))
    return sum(word in theirs for word in mine) / len(mine) if mine else 0.0


def rouge_recall(text: str, source: str) -> float:
    """Return the longest common subsequence with the source / words of the text."""
    mine = words(text)
    return longest_common_subsequence(mine, words(source)) / len(mine) if mine else 0.0


def ngrams(size: int) -> Scorer:
    """Return a scorer: the share of the n-grams that stand in the source."""

    def share(text: str, source: str) -> float:
        mine, theirs = (
            [tuple(w[i : i + size]) for i in range(len(w) - size + 1)] for w in (words(text), words(source))
        )
        known = set(theirs)
        return sum(gram in known for gram in mine) / len(mine) if mine else 0.0

    return share


BASELINES: dict[str, Scorer] = {
    "word overlap": overlap,
    "ROUGE-L (share of the text)": rouge_recall,
    "2-gram precision": ngrams(2),
    "3-gram precision": ngrams(3),
}


def interval(statistic: Callable[[Sequence[int]], float], count: int) -> tuple[float, float]:
    """Return the percentile bootstrap interval over rows."""
    found = []
    for block in resample_blocks(count, resamples=RESAMPLES, seed=SEED):
        found.extend(statistic(row) for row in block.tolist())
    found.sort()
    return found[int(0.025 * len(found))], found[int(0.975 * len(found))]


def shown(value: float, ends: tuple[float, float]) -> str:
    """Write a figure with its interval."""
    return f"{value:.3f} [{ends[0]:.3f}, {ends[1]:.3f}]"


def auroc(rows: Sequence[Row], scores: Sequence[float], wanted: str) -> str:
    """Return the area under the curve of scores for a label, with its interval."""
    truth = [row.label == wanted for row in rows]

    def of(index: Sequence[int]) -> float:
        some = [truth[i] for i in index]
        return roc_auc_score(some, [scores[i] for i in index]) if len(set(some)) > 1 else 0.5

    return shown(of(range(len(rows))), interval(of, len(rows)))


def macro(wanted: Sequence[str], given: Sequence[str]) -> str:
    """Return the macro F1 over the three labels, with its interval."""

    def of(index: Sequence[int]) -> float:
        return f1_score(
            [wanted[i] for i in index], [given[i] for i in index], average="macro", labels=LABELS, zero_division=0
        )

    return shown(of(range(len(wanted))), interval(of, len(wanted)))


def best_threshold(wanted: Sequence[str], scores: Sequence[float]) -> list[str]:
    """Return labels by the threshold that is best on these very rows."""

    def labels(least: float) -> list[str]:
        return ["supported" if score >= least else "not_in_context" for score in scores]

    def value(least: float) -> float:
        return f1_score(wanted, labels(least), average="macro", labels=LABELS, zero_division=0)

    return labels(max(sorted(set(scores)), key=value))


def scifact_lines(rows: Sequence[Row]) -> list[str]:
    """Return the tables of SciFact."""
    wanted = [row.label for row in rows]
    given = [verify(row.text, row.source).label for row in rows]
    lines = [
        f"## SciFact: {len(rows)} claims against abstracts, three labels", "",
        "| judge | macro F1 |", "|---|---|", f"| lexical | {macro(wanted, given)} |",
    ]  # fmt: skip
    for name, scorer in BASELINES.items():
        guessed = best_threshold(wanted, [scorer(row.text, row.source) for row in rows])
        lines.append(f"| {name}, best threshold | {macro(wanted, guessed)} |")
    lines += ["", "| label | people | judge | precision | recall |", "|---|---|---|---|---|"]
    for label in LABELS:
        right = sum(w == g == label for w, g in zip(wanted, given, strict=True))
        people, judge = wanted.count(label), given.count(label)
        figures = " | ".join(shown(right / of, wilson(right, of)) if of else "-" for of in (judge, people))
        lines.append(f"| {label} | {people} | {judge} | {figures} |")
    return lines


def consistency_lines(folder: Path) -> list[str]:
    """Return the table of the consistency sets."""
    sets = {name: consistency(folder, name) for name in CONSISTENCY}
    titles = [f"{NAMES[name]} ({len(rows)})" for name, rows in sets.items()]
    lines = [
        "## Is a text consistent with its source: AUROC against people", "",
        f"| judge | {' | '.join(titles)} |", f"|---|{'---|' * len(sets)}",
    ]  # fmt: skip
    for name, scorer in {"lexical": lambda t, s: verify(t, s).score, **BASELINES}.items():
        cells = [auroc(rows, [scorer(r.text, r.source) for r in rows], "yes") for rows in sets.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def page(folder: Path) -> str:
    """Return the whole page."""
    lines = [
        "# How far the code-only judge agrees with people",
        "",
        "Generated by `benchmarks/judges.py` from public sets that lie outside the repository; 95 % bootstrap",
        f"intervals (rates: Wilson). Rules: `{rubric()[:16]}`. Baselines use the threshold that is best for them on",
        "the very set. Its few weights were chosen on these sets, too: expect less on other parts of them.",
        "",
        *scifact_lines(scifact(folder)),
        "",
        *consistency_lines(folder),
        "",
        "## Where it fails",
        "",
        "- **Contradiction by meaning.** It sees another number, date or bound, a denial, and words of opposite sense.",
        "  A claim that is wrong in any other way is `supported` where it uses the source's words: see the recall of",
        "  `contradicted`.",
        "- **Short abstractive texts** (QAGS-XSum): a wrong relation between right words. There plain word overlap",
        "  ranks no worse; a language model is needed.",
        "- **Paraphrase.** What is said in other words is `not_in_context`.",
        "- **Another language than the source.** Only amounts and dates are compared.",
        "",
        "So its verdicts are marked as proxies and block no gate, until `ragtriage judge calibrate` has measured it on",
        "labels of your own.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(page(Path(sys.argv[1])), encoding="utf-8")
