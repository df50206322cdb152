"""Write the extracted documents of the bank, with the flaws that extractors have: `python make.py` in this folder.

The references are the corpus's own texts; the pages are what a cleaner would have been given for those that came from
the web. The same corpus gives the same files, byte for byte.
"""

from __future__ import annotations

import csv
import html
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
SEED = 20260101
CLASSES = {
    "scan": ("ru-mortgage-insurance-rules", "uk-complaints-legal", "kk-account-opening", "en-complaints-policy"),
    "spreadsheet": ("ru-card-tariff", "uk-deposit-tariff", "kk-hajj-deposit", "en-safe-box-tariff-astana"),
    "two columns": (
        "ru-currency-control",
        "uk-power-of-attorney",
        "kk-personal-data-consent",
        "en-tax-residence-legal",
    ),
    "old encoding": ("ru-payroll-project", "uk-mortgage-legal", "kk-service-language-legal", "ru-guarantor-rules"),
    "web page": ("ru-news-app-limits", "uk-exchange-tariff", "kk-notice-mobile-branch", "en-news-payment-ring"),
}
# What OCR takes one sign for: shapes, not sounds.
_LOOKALIKES = {
    "о": "0", "О": "0", "З": "3", "з": "3", "б": "6", "и": "н", "н": "п", "п": "л", "ы": "м", "ш": "щ", "в": "б",
    "і": "1", "ї": "i", "қ": "к", "ғ": "г", "ә": "э", "ң": "н", "ө": "е",
    "o": "0", "l": "1", "e": "c", "m": "rn", "h": "b", "u": "v", "i": "l", "t": "f",
    "0": "O", "1": "l", "5": "S", "8": "B", "6": "b",
}  # fmt: skip
# What stands around the text of a page of the bank's site: menu, path, cookies, what others read, foot.
_AROUND = {
    "ru": (
        ("Частным лицам", "Бизнесу", "Карты", "Кредиты", "Войти"),
        "Главная › Новости",
        "Мы используем файлы cookie. Оставаясь на сайте, вы соглашаетесь с этим.",
        ("Читают сейчас", "Как защититься от мошенников", "Поделиться в мессенджере"),
        "© Arlan Bank, вымышленный банк. Лицензии нет. Карта сайта. Версия для печати.",
    ),
    "uk": (
        ("Приватним особам", "Бізнесу", "Картки", "Кредити", "Увійти"),
        "Головна › Тарифи",
        "Ми використовуємо файли cookie. Залишаючись на сайті, ви погоджуєтеся з цим.",
        ("Читають зараз", "Як уберегтися від шахраїв", "Поділитися в месенджері"),
        "© Арлан Банк Україна, вигаданий банк. Ліцензії немає. Мапа сайту. Версія для друку.",
    ),
    "kk": (
        ("Жеке тұлғаларға", "Бизнеске", "Карталар", "Несиелер", "Кіру"),
        "Басты бет › Хабарландырулар",
        "Біз cookie файлдарын пайдаланамыз. Сайтта қалсаңыз, бұған келісесіз.",
        ("Қазір оқып жатыр", "Алаяқтардан қалай қорғануға болады", "Мессенджерде бөлісу"),
        "© Арлан Банк, ойдан шығарылған банк. Лицензиясы жоқ. Сайт картасы. Басып шығару нұсқасы.",
    ),
    "en": (
        ("Private customers", "Business", "Cards", "Loans", "Log in"),
        "Home › News",
        "We use cookies. By staying on this site you agree to them.",
        ("Others are reading", "How to keep safe from fraud", "Share in a messenger"),
        "© Arlan Bank, an invented bank. It has no licence. Site map. Print version.",
    ),
}
_ERRORS = 0.06  # of all signs that OCR may confuse
_TABLE = re.compile(r"(?m)^\|.*\n?")
_RULE = re.compile(r"\|[\s:|-]+\|")


def scanned(text: str, name: str) -> str:
    """Plain text with confused signs, here and there a word in two."""
    chance = random.Random(f"{SEED}{name}")  # noqa: S311 - repeatable noise, no secret
    found = []
    for char in plain(text):
        confused = char in _LOOKALIKES and chance.random() < _ERRORS
        found.append(_LOOKALIKES[char] if confused else char)
        if char.isalpha() and chance.random() < _ERRORS / 12:
            found.append(" ")
    return "".join(found)


def without_tables(text: str, _: str) -> str:
    """Markdown whose tables the extractor could not read."""
    return _TABLE.sub("", text)


def across_columns(text: str, _: str) -> str:
    """Plain text of a page in two columns, read line by line across both."""
    lines = [line for block in plain(text).split("\n\n") for line in (*wrapped(block, 48), "")]
    half = (len(lines) + 1) // 2
    left, right = lines[:half], lines[half:] + [""] * (2 * half - len(lines))
    return "\n".join(f"{one} {other}".strip() for one, other in zip(left, right, strict=True)) + "\n"


def misread(text: str, name: str) -> str:
    """Plain text of which somebody guessed the encoding: UTF-8 read as Windows-1251, or letters that it has not."""
    if name == "kk-service-language-legal":  # Windows-1251 holds no Kazakh letters
        return plain(text).encode("cp1251", errors="replace").decode("cp1251")
    if name == "uk-mortgage-legal":
        return plain(text).encode("cp1251", errors="replace").decode("cp1252", errors="replace")
    return plain(text).encode("utf-8").decode("cp1251", errors="replace")


def web_page(text: str, _: str) -> str:
    """A page as a cleaner left it, in good order."""
    return f"<!doctype html>\n<html>\n<body>\n{''.join(_elements(text))}</body>\n</html>\n"


def whole_page(text: str, name: str) -> str:
    """The same page before cleaning, with all that stands around its text."""
    menu, path, cookies, others, foot = _AROUND[name.partition("-")[0]]
    links, more = ("".join(f'<a href="#">{html.escape(one)}</a>\n' for one in names) for names in (menu, others))
    return (
        f"<!doctype html>\n<html>\n<body>\n<div>{html.escape(cookies)}</div>\n<nav>\n{links}</nav>\n"
        f"<p>{html.escape(path)}</p>\n<main>\n{''.join(_elements(text))}</main>\n<aside>\n{more}</aside>\n"
        f"<footer>{html.escape(foot)}</footer>\n</body>\n</html>\n"
    )


def plain(text: str) -> str:
    """Take the marks of Markdown off."""
    rows = (line for line in text.split("\n") if not _RULE.fullmatch(line))
    kept = (re.sub(r"^(#+|-|\d+\.)\s+", "", line).strip("|").replace(" | ", "  ").strip() for line in rows)
    return "\n".join(kept)


def wrapped(text: str, width: int) -> Iterator[str]:
    """Break a block into lines of at most `width` signs, at white space."""
    line = ""
    for word in text.split():
        if line and len(line) + len(word) >= width:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    yield line


def _elements(text: str) -> Iterator[str]:
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        if block.startswith("#"):
            level = len(block) - len(block.lstrip("#"))
            yield f"<h{level}>{html.escape(lines[0][level:].strip())}</h{level}>\n"
            lines = lines[1:]
        if not lines:
            continue
        if lines[0].startswith("|"):
            cells = [
                [cell.strip() for cell in line.strip("|").split("|")] for line in lines if not _RULE.fullmatch(line)
            ]
            head, *rows = (
                "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
                for tag, row in zip(["th", *["td"] * len(cells)], cells, strict=False)
            )
            body = "".join(f"<tr>{row}</tr>\n" for row in rows)
            yield f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
        elif all(line.startswith("- ") for line in lines):
            items = "".join(f"<li>{html.escape(line[2:])}</li>\n" for line in lines)
            yield f"<ul>\n{items}</ul>\n"
        else:
            yield f"<p>{html.escape(' '.join(lines))}</p>\n"


FLAWS: dict[str, tuple[str, Callable[[str, str], str]]] = {
    "scan": (".txt", scanned),
    "spreadsheet": (".md", without_tables),
    "two columns": (".txt", across_columns),
    "old encoding": (".txt", misread),
    "web page": (".html", web_page),
}


def main() -> None:
    """Write references, extracted documents, their classes, and web pages before they were cleaned."""
    with (HERE.parent / "corpus" / "documents.jsonl").open(encoding="utf-8") as stream:
        documents = {record["doc_id"]: record["text"] for record in map(json.loads, stream)}
    for folder in ("reference", "extracted", "pages"):
        (HERE / folder).mkdir(exist_ok=True)
        for old in (HERE / folder).iterdir():
            old.unlink()
    rows = []
    for kind, names in CLASSES.items():
        suffix, flawed = FLAWS[kind]
        for name in names:
            text = documents[name].rstrip("\n") + "\n"
            (HERE / "reference" / f"{name}.md").write_text(text, encoding="utf-8", newline="\n")
            (HERE / "extracted" / f"{name}{suffix}").write_text(flawed(text, name), encoding="utf-8", newline="\n")
            if kind == "web page":
                page = whole_page(text, name)
                (HERE / "pages" / f"{name}.html").write_text(page, encoding="utf-8", newline="\n")
            rows.append((name, kind))
    with (HERE / "classes.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([("document", "class"), *rows])


if __name__ == "__main__":
    main()
