"""The sets that ask other things of the code-only judge: which answer is more correct, no source, does it abstain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from judge_baselines import BASELINES
from judge_sets import read
from sklearn.metrics import roc_auc_score

from ragtriage.judges.behaviour import read_behaviour
from ragtriage.judges.lexical import verify
from ragtriage.stats.proportions import wilson

__all__ = ["halueval_lines", "nomiracl_lines", "ragchecker_lines"]

Interval = Callable[[Callable[[Sequence[int]], float], int], tuple[float, float]]
Shown = Callable[[float, tuple[float, float]], str]
LANGUAGES = {"ru": "Russian", "ar": "Arabic", "hi": "Hindi"}


def both_ways(scorer: Callable[[str, str], float]) -> Callable[[str, str], float]:
    """Return the harmonic mean of a score of the answer against the reference and the other way round."""

    def score(answer: str, reference: str) -> float:
        there, back = scorer(answer, reference), scorer(reference, answer)
        return 2 * there * back / (there + back) if there + back else 0.0

    return score


def ragchecker_lines(folder: Path, shown: Shown, interval: Interval) -> list[str]:
    """Return how often the answer that people call more correct has the greater score."""
    pairs = []
    for row in read(folder / "ragchecker_human/pairs.jsonl"):
        first, second = (row[key]["response"] for key in ("model1", "model2"))
        if row["correctness_label"]:
            pairs.append((first, second, row["gt_answer"], row["correctness_label"] > 0))
    lines = [
        f"## RAGChecker: which of two answers is more correct ({len(pairs)} pairs that people tell apart)", "",
        "A positive label says that the second answer is better. Score: harmonic mean of the answer held against the",
        "reference and of the reference held against the answer; equal scores count half. Chance is 0.5.", "",
        "| judge | agrees with people |", "|---|---|",
    ]  # fmt: skip
    scorers = {"lexical": lambda text, source: verify(text, source).score, **BASELINES}
    for name, scorer in scorers.items():
        of = both_ways(scorer)
        right = []
        for first, second, reference, second_better in pairs:
            gap = of(second, reference) - of(first, reference)
            right.append(0.5 if gap == 0 else float((gap > 0) == second_better))
        ends = interval(lambda index, r=right: sum(r[i] for i in index) / len(index), len(right))
        lines.append(f"| {name} | {shown(sum(right) / len(right), ends)} |")
    return lines


def halueval_lines(folder: Path, shown: Shown, interval: Interval) -> list[str]:
    """Return the area under the curve without a source: the question stands in for it."""
    rows = read(folder / "halueval_general/rows.jsonl")
    truth = [row["hallucination"] == "no" for row in rows]
    scores = [verify(row["chatgpt_response"], row["user_query"]).score for row in rows]

    def of(index: Sequence[int]) -> float:
        return float(roc_auc_score([truth[i] for i in index], [scores[i] for i in index]))

    return [
        f"## HaluEval general: {len(rows)} answers without a source", "",
        'Held against the question, for want of a source. AUROC for "no hallucination":',
        f"{shown(of(range(len(rows))), interval(of, len(rows)))}.",
    ]  # fmt: skip


def nomiracl_lines(folder: Path, shown: Shown) -> list[str]:
    """Return how the outputs that say in plain words whether they abstain are read, by language."""
    rows = read(folder / "miracl/nomiracl_model_outputs.jsonl")
    counts: Counter[tuple[str, str, bool]] = Counter()
    unclear: Counter[str] = Counter()
    for row in rows:
        for text in row["results"].values():
            if not text.strip():
                continue
            plain = text.strip(" \n\"'*").lower()
            says = (
                "abstain" if plain.startswith("i don't know") else "answer" if plain.startswith("yes, answer") else ""
            )
            read_as = read_behaviour(text)
            if says:
                counts[row["lang"], says, read_as == says] += 1
            else:
                unclear[read_as] += 1
    lines = [
        "## NoMIRACL: does an output abstain", "",
        "Outputs of four models that open with `I don't know` or `Yes, answer is present`; the rest has no label by",
        "people and is only counted.", "",
        "| language of the question | says | outputs | read so |", "|---|---|---|---|",
    ]  # fmt: skip
    for language, title in LANGUAGES.items():
        for says in ("abstain", "answer"):
            right = counts[language, says, True]
            count = right + counts[language, says, False]
            lines.append(f"| {title} | {says} | {count} | {shown(right / count, wilson(right, count))} |")
    rest = ", ".join(f"{name} {count}" for name, count in sorted(unclear.items()))
    return [*lines, "", f"The other {sum(unclear.values())} outputs are read as: {rest}."]
