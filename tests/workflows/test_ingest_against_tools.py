"""`ingest` against tools that other people wrote: jiwer on scans and on tesseract, extractors of articles."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import jiwer
import justext
import pytest
import trafilatura
from resiliparse.extract.html2text import extract_plain_text

from ragtriage.core.score import Value
from ragtriage.workflows.ingest import ingest

Shared = Callable[[str], Path]


def written(folder: Path, texts: dict[str, str | bytes]) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_old_newspapers_have_the_error_rates_of_jiwer_file_by_file(shared: Shared, tmp_path: Path) -> None:
    articles: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in (shared("data/ocr_bln600") / "pairs.jsonl").read_text().splitlines():
        pair = json.loads(line)
        articles[pair["Sample ID"]].append((pair["Ground Truth"], pair["OCR Text"]))
    right = {name: "\n".join(truth for truth, _ in lines) for name, lines in articles.items()}
    read = {name: "\n".join(ocr for _, ocr in lines) for name, lines in articles.items()}
    reference = written(tmp_path / "right", {f"{name}.txt": text for name, text in right.items()})
    extracted = written(tmp_path / "ocr", {f"{name}.txt": text for name, text in read.items()})
    (report,) = ingest(reference, [extracted], metrics=["cer", "wer"]).extractors
    assert len(report.documents) == len(articles) > 50
    for name, outcomes in report.documents.items():
        assert outcomes["ingest.cer"].value == jiwer.cer(right[name], read[name])
        assert outcomes["ingest.wer"].value == jiwer.wer(right[name], read[name])
    names = sorted(articles)
    texts = [right[name] for name in names], [read[name] for name in names]
    assert report.metrics["ingest.cer"].micro == pytest.approx(jiwer.cer(*texts), abs=1e-12)
    assert report.metrics["ingest.wer"].micro == pytest.approx(jiwer.wer(*texts), abs=1e-12)


EXTRACTORS: dict[str, Callable[[str], str]] = {
    "trafilatura": lambda page: trafilatura.extract(page) or "",
    "justext": lambda page: "\n\n".join(
        part.text for part in justext.justext(page.encode(), justext.get_stoplist("English")) if not part.is_boilerplate
    ),
    "resiliparse": lambda page: extract_plain_text(page, main_content=True),
}


def shingles(text: str, n: int) -> Counter[tuple[str, ...]]:
    found = re.findall(r"\w+", text.lower())
    return Counter(tuple(found[i : i + n]) for i in range(max(1, len(found) - n + 1))) if found else Counter()


def f1_of(reference: str, extracted: str, n: int) -> float:
    first, second = shingles(reference, n), shingles(extracted, n)
    return 2 * (first & second).total() / (first.total() + second.total())


@pytest.mark.filterwarnings("ignore")
def test_bodies_of_articles_have_the_f1_of_an_independent_count(shared: Shared, tmp_path: Path) -> None:
    source = shared("data/html_articles")
    bodies = {
        name: article["articleBody"] for name, article in json.loads((source / "ground-truth.json").read_text()).items()
    }
    pages = {name: gzip.decompress((source / "html" / f"{name}.html.gz").read_bytes()).decode() for name in bodies}
    reference = written(tmp_path / "bodies", {f"{name}.txt": text for name, text in bodies.items()})
    made = {
        extractor: {name: extract(page) for name, page in pages.items()} for extractor, extract in EXTRACTORS.items()
    }
    folders = [
        written(tmp_path / extractor, {f"{name}.txt": text for name, text in texts.items()})
        for extractor, texts in made.items()
    ]
    originals = written(tmp_path / "pages", {f"{name}.html": page for name, page in pages.items()})
    metrics = ["token_f1", "token_f1(n=4)", "boilerplate_precision", "boilerplate_recall"]
    report = ingest(reference, folders, metrics=metrics, pages=originals)
    assert len(bodies) >= 60
    for extractor in report.extractors:
        for name, n in (("ingest.token_f1", 1), ("ingest.token_f1@4", 4)):
            summary = extractor.metrics[name]
            assert (summary.scored, summary.failed) == (len(bodies), 0)
            counted = [f1_of(bodies[document], made[extractor.name][document], n) for document in bodies]
            assert summary.value == pytest.approx(sum(counted) / len(counted), abs=0.02)
        assert extractor.metrics["ingest.boilerplate_recall"].failed == 0
        assert (extractor.metrics["ingest.boilerplate_precision"].value or 0) > 0.8
    by_name = {extractor.name: extractor.metrics["ingest.token_f1"].value for extractor in report.extractors}
    assert sorted(by_name, key=lambda name: -(by_name[name] or 0)) == ["trafilatura", "resiliparse", "justext"]


def test_tesseract_has_the_error_rate_of_jiwer(
    shared: Shared, tmp_path: Path, capability: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    capability("tesseract")
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")
    source = shared("data/ocr_images")
    truths = {path.stem: path.with_suffix(".txt") for path in source.glob("*.tif") if path.with_suffix(".txt").exists()}
    truths |= {path.name.removesuffix(".gold.txt"): path for path in source.glob("*.gold.txt")}
    right = {name: path.read_bytes() for name, path in truths.items()}
    read = {
        name: subprocess.run(["tesseract", str(source / f"{name}.tif"), "-"], capture_output=True, check=True).stdout
        for name in truths
    }
    assert len(right) == 4
    reference = written(tmp_path / "right", {f"{name}.txt": text for name, text in right.items()})
    extracted = written(tmp_path / "tesseract", {f"{name}.txt": text for name, text in read.items()})
    (report,) = ingest(reference, [extracted], metrics=["cer", "wer"]).extractors
    for name, outcomes in report.documents.items():
        texts = right[name].decode(), read[name].decode()
        assert isinstance(outcomes["ingest.cer"], Value)
        assert outcomes["ingest.cer"].value == jiwer.cer(*texts)
        assert outcomes["ingest.wer"].value == jiwer.wer(*texts)
    assert (report.metrics["ingest.cer"].micro or 0) < 0.2
