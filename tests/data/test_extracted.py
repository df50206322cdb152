"""Readers of extracted documents: plain text, Markdown, HTML, and what is hostile in them."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.errors import BadInput, MissingExtra
from ragtriage.core.extraction_views import Heading
from ragtriage.data.extracted import plain_document, read_extracted
from ragtriage.data.extracted_html import decoded, html_document
from ragtriage.data.extracted_markdown import markdown_document

PAGE = """<!DOCTYPE html><html><head><title>Fees |
 Bank</title><style>p {color: red}</style></head><body>
<nav><a href="/">Home</a> <a href="/x">Cards</a></nav>
<h1>Fees</h1><p>One <b>per</b>cent<br>of the&nbsp;sum.</p>
<h2>Cards</h2>
<ul><li>debit<ol><li>gold</li><li>blue</li></ol></li><li><p>credit</p><p>any</p></li></ul>
<h3>Limits</h3><table><caption>Daily</caption><tr><th>Card</th><th>Sum</th></tr><tr><td>gold</td><td>5<br>000</td></tr></table>
<h2>Loans</h2><pre>rate  =
  12 %</pre>
<script>document.write("<p>written</p>")</script><noscript>none</noscript><template><p>t</p></template>
<p hidden>unseen</p><!-- <p>comment</p> -->
</body></html>"""


def test_a_page_is_read_as_a_reader_without_scripts_sees_it():
    found = html_document(PAGE)
    assert found.title == "Fees | Bank"
    assert found.blocks == (
        "Home Cards",
        "Fees",
        "One percent\nof the\u00a0sum.",
        "Cards",
        "debit",
        "gold",
        "blue",
        "credit",
        "any",
        "Limits",
        "Daily\nCard\tSum\ngold\t5 000",
        "Loans",
        "rate  =\n  12 %",
    )
    assert found.headings == (
        Heading(1, "Fees"),
        Heading(2, "Cards", "Fees"),
        Heading(3, "Limits", "Cards"),
        Heading(2, "Loans", "Fees"),
    )
    assert found.lists == (("debit", "credit any"), ("gold", "blue"))
    assert len(found.tables or ()) == 1
    assert found.text == "\n\n".join(found.blocks)


def test_a_table_keeps_its_spans_and_loses_what_no_browser_shows():
    page = '<table><tr><td colspan="2">a<script>x</script>b</td></tr><tr hidden><td>c</td></tr></table>after'
    found = html_document(page)
    assert found.tables == ('<table><tr><td colspan="2">ab</td></tr></table>',)
    assert found.blocks == ("ab", "after")


@pytest.mark.parametrize(
    "page",
    [
        "<table role='presentation'><tr><td><p>left</p></td><td>right</td></tr></table>",
        "<table><tr><td><h2>left</h2></td><td>right</td></tr></table>",
        "<table><tr><td>left<table><tr><td>right</td></tr></table></td></tr></table>",
    ],
)
def test_a_table_that_lays_out_a_page_is_read_through(page):
    assert html_document(page).blocks == ("left", "right")


def test_markdown_is_read_as_the_html_that_it_stands_for():
    text = """---
title: "Tariffs of 2026"
---
# Fees

One **per**cent
of the [sum](http://bank.example).

1. debit
   - gold
2. credit

| Card | Sum |
| --- | ---: |
| gold | `5 000` |

Loans
-----

```
rate  = 12 %
```
<script>alert(1)</script>
"""
    found = markdown_document(text)
    assert found.form == "markdown"
    assert found.title == "Tariffs of 2026"
    assert found.blocks == (
        "Fees", "One percent of the sum.", "debit", "gold", "credit", "Card\tSum\ngold\t5 000", "Loans", "rate  = 12 %",
    )  # fmt: skip
    assert found.headings == (Heading(1, "Fees"), Heading(2, "Loans", "Fees"))
    assert found.lists == (("debit", "credit"), ("gold",))
    assert len(found.tables or ()) == 1


@pytest.mark.parametrize("text", ["---\n\ntext\n\n---\n", "---\nno front matter\n---\n", "---\ntitle: x\n"])
def test_a_rule_is_no_front_matter(text):
    assert markdown_document(text).title == ""


def test_plain_text_stands_as_it_is_and_can_hold_no_structure():
    text = "  Fees\r\n\r\n1 % of\r\nthe sum\fpage 2\n"
    found = plain_document(text)
    assert found.text == text
    assert found.blocks == ("Fees", "1 % of\nthe sum", "page 2")
    assert found.headings is found.lists is found.tables is found.title is None
    assert plain_document("one\ntwo").blocks == ("one", "two")
    assert plain_document(" \n ").blocks == ()


def test_the_suffix_says_how_a_file_is_read(tmp_path):
    for name, content in (("a.TXT", "# x"), ("a.md", "# x"), ("a.htm", "<h1>x</h1>")):
        (tmp_path / name).write_text(content)
    assert read_extracted(tmp_path / "a.TXT").text == "# x"
    assert read_extracted(tmp_path / "a.md").text == read_extracted(tmp_path / "a.htm").text == "x"
    with pytest.raises(BadInput, match="can be read"):
        read_extracted(tmp_path / "a.pdf")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("тариф".encode(), "тариф"),
        (b"\xef\xbb\xbf<p>fee", "fee"),
        (b"\xff\xfe" + "<p>тариф".encode("utf-16-le"), "тариф"),
        ('<meta http-equiv="x" content="text/html; charset=windows-1251">тариф'.encode("cp1251"), "тариф"),
        ('<?xml version="1.0" encoding="koi8-r"?><p>тариф</p>'.encode("koi8-r"), "тариф"),
        (b"<meta charset=iso-8859-1>\x93fee\x94", "“fee”"),  # as every browser reads it
        ("<meta charset=windows-1251>тариф".encode(), "тариф"),  # it says so and is UTF-8
    ],
)
def test_a_page_is_decoded_as_it_declares(content, text):
    assert html_document(decoded(content, name="a.html")).text == text


@pytest.mark.parametrize(
    "content", [b"fee \xff", b"<meta charset=utf-8>\xff", b"<meta charset=klingon>\xff", b"<meta charset=zip>\xff"]
)
def test_a_page_that_is_not_what_it_declares_is_refused_and_never_repaired(tmp_path, content):
    (tmp_path / "a.html").write_bytes(content)
    with pytest.raises(BadInput, match=r"a\.html"):
        read_extracted(tmp_path / "a.html")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", "<div>" * 300 + "deep"),
        ("a.html", "<ul><li>" * 200_000),
        ("a.md", "> " * 100 + "deep"),
        ("a.md", "- " * 20_000 + "deep"),
    ],
)
def test_what_is_nested_too_deeply_is_refused_and_not_cut(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(BadInput, match="nested deeper"):
        read_extracted(tmp_path / name)


def test_a_file_above_the_limit_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("x" * 11)
    with pytest.raises(BadInput, match="larger than 10 bytes"):
        read_extracted(tmp_path / "a.txt", max_bytes=10)


def test_nothing_outside_is_read_and_no_entity_grows(tmp_path):
    (tmp_path / "secret.txt").write_text("SECRET")
    outside = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{tmp_path}/secret.txt">]><p>a&e;b</p>'
    assert "SECRET" not in html_document(outside).text
    bomb = '<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]><p>&c;</p>'
    assert "haha" not in html_document(bomb).text.split("]>")[-1]


TAGS = (
    *("<p>", "</p>", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>", "</table>", "<h2>", "</h2>", "<pre>", "<br>"),
    *("x", " y\n", "\0", "&lt;", "&#0;", "<!--", "-->", "<svg>", "<title>", "<script>", "</script>", "<"),
    *("|", "- ", "# ", "\n\n", "```", "> "),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(TAGS)))
def test_any_tangle_of_tags_is_read(pieces):
    for read in (html_document, markdown_document):
        found = read("".join(pieces))
        assert all(block.strip() for block in found.blocks)
        assert all(heading.text for heading in found.headings or ())
        assert all(table.startswith("<table") and table.endswith("</table>") for table in found.tables or ())


def test_without_lxml_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "lxml", None)
    with pytest.raises(MissingExtra, match=r"ragtriage\[html\]"):
        html_document("<p>x")
