"""Markdown of strangers: it reads as it was meant, and nothing in it can act."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnla.report.markdown import LONGEST, safe_markdown

HARMLESS = {
    *("h3", "h4", "h5", "h6", "p", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "br", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"href", "rel", "start"}


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def tags(text: str) -> Tags:
    found = Tags()
    found.feed(safe_markdown(text))
    return found


def test_it_reads_as_it_was_meant() -> None:
    text = (
        "# Walker\n\nIt *asks* `never`.\n\n1. one\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n[paper](https://example.org/a?b=1&c)"
    )
    assert safe_markdown(text) == (
        "<h3>Walker</h3>\n<p>It <em>asks</em> <code>never</code>.</p>\n<ol>\n<li>one</li>\n</ol>\n"
        "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n"
        '</tbody>\n</table>\n<p><a href="https://example.org/a?b=1&amp;c" rel="nofollow noopener noreferrer">paper</a></p>\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](data:text/html,<script>alert(1)</script>)",
        "[a](//evil.example)",
        "[a](file:///etc/passwd)",
        "[a](https://user:word@evil.example)",
        "[a](../../x.html)",
        '<https://evil.example/" onclick=alert(1)>',
        "![a](https://evil.example/x.png)",
        "![a](data:image/png;base64,AAAA)",
        "[![a](https://evil.example/x.png)](javascript:alert(1))",
        '[a]: https://evil.example "x" onmouseover=alert(1)\n\n[a]',
        '```x" onclick="alert(1)\n<b>\n```',
        "| a |\n| :-: |\n| <b onclick=alert(1)> |",
        "<!-- -->\n<style>*{display:none}</style>",
        "&lt;script&gt; &#60;script&#62;",
    ],
)
def test_nothing_of_it_can_act(text: str) -> None:
    found = tags(text)
    assert set(found.tags) <= HARMLESS
    assert {name for name, _ in found.attributes} <= ATTRIBUTES
    assert all(re.match("https?://", value or "") for name, value in found.attributes if name == "href")


@given(st.text(st.sampled_from(list("<>[]()!#*_`|-:&\"'= \n\tab1./")) | st.characters(), max_size=80))
def test_no_text_becomes_anything_else(text: str) -> None:
    found = tags(text)
    assert set(found.tags) <= HARMLESS
    assert {name for name, _ in found.attributes} <= ATTRIBUTES
    str(safe_markdown(text)).encode("utf-8")


def test_headings_stand_below_those_of_the_page_and_none_is_left_out() -> None:
    assert tags("### a\n\n# b\n\n###### c\n\n## d\n\n# e").tags == ["h3", "h3", "h4", "h4", "h3"]


@pytest.mark.parametrize(
    "text", ["[" * LONGEST, "> " * LONGEST, "* _" * LONGEST, "[a](b" * LONGEST, "`" * LONGEST, "![[" * LONGEST]
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    safe_markdown(text)
    assert time.process_time() - began < 5


def test_of_a_long_text_the_beginning_is_shown() -> None:
    shown = safe_markdown("word " * LONGEST)
    assert len(shown) < LONGEST + 200
    assert "the rest is left out" in shown
