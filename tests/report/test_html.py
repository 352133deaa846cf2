"""The page of a report: one file that needs nothing else, that nothing in a document can break, and that all can read."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnla.report.document import (
    Document,
    EpisodeFrame,
    EpisodeReport,
    Figure,
    Finding,
    Provenance,
    ReportTable,
    RowGroup,
    Section,
    Value,
)
from vnla.report.html import page

DOT = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")
VOID = {"meta", "img", "br"}
NASTY = "<script>alert('1')</script>\"&amp; `<b>`"


class Reader(HTMLParser):
    """Elements with their attributes and the texts in them; complains where tags do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader._open == []
    return reader


def everything(text: str) -> Document:
    """A document with `text` wherever text can be."""
    rows = [RowGroup(text), (text, Value(50, 49, 51, "%", paper=40)), (text, None)]
    table = ReportTable("table-1", text, [text, "Success"], rows, text, text)
    figure = Figure("figure-1", text, DOT, text, text, {text: text}, text)
    frames = [EpisodeFrame(DOT, text, text, "A", text)]
    episode = EpisodeReport("episode-1", text, False, text, text, DOT, text, frames, DOT, text, [text], {text: text}, text)
    findings = [Finding(text, True, text), Finding(text, False, text), Finding(text, None, text)]
    provenance = Provenance([text], text, {text: text}, [1], {text: 3.0}, text, {text: text}, text)
    return Document(text, text, [Section(text, text, [table, *findings, figure, episode])], provenance)


def texts(document: Document) -> str:
    return " ".join("".join(read(page(document)).texts).split())


def test_nothing_in_a_document_becomes_markup() -> None:
    reader = read(page(everything(NASTY)))
    assert "script" not in {tag for tag, _ in reader.elements}
    assert "b" not in {tag for tag, _ in reader.elements}
    assert any("<script>alert('1')</script>" in text for text in reader.texts)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20))
def test_whatever_the_text_the_elements_are_the_same(text: str) -> None:
    ignored = {"p", "code"}  # paragraphs of blanks are left out, and backticks are code
    usual = [tag for tag, _ in read(page(everything("plain"))).elements if tag not in ignored]
    assert [tag for tag, _ in read(page(everything(text))).elements if tag not in ignored] == usual


def links(reader: Reader) -> Iterator[str]:
    for _, attributes in reader.elements:
        for name in ("src", "href"):
            if attributes.get(name):
                yield str(attributes[name])


def test_the_page_needs_nothing_else() -> None:
    text = page(everything("plain"))
    reader = read(text)
    assert all(link.startswith(("data:", "#")) for link in links(reader))
    assert not re.search(r"https?://|@import|url\(", text)
    assert not {"script", "link", "iframe", "object"} & {tag for tag, _ in reader.elements}
    policy = next(each for each in reader.all("meta") if each.get("http-equiv") == "Content-Security-Policy")
    assert str(policy["content"]).startswith("default-src 'none'")


def test_every_link_inside_the_page_has_its_place() -> None:
    reader = read(page(everything("plain")))
    places = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(places) == len(set(places))
    wanted = {link[1:] for link in links(reader) if link.startswith("#")}
    assert wanted == {"section-1-plain", "table-1", "figure-1", "episode-1", "provenance"} <= set(places)


def test_the_page_can_be_read_without_seeing_it() -> None:
    reader = read(page(everything("plain")))
    assert all(image["alt"] for image in reader.all("img"))
    assert [tag for tag, _ in reader.elements if tag in ("h1", "h2", "h3")] == ["h1", "h2", "h2", "h3", "h3", "h3", "h2"]
    assert len(reader.all("caption")) == len(reader.all("table")) == 1
    assert {cell["scope"] for cell in reader.all("th")} == {"col", "row", "rowgroup"}
    assert reader.all("html")[0]["lang"] == "en"


def test_pictures_are_there_before_the_page_is_shown() -> None:
    """A page that is printed, or taken a picture of, as soon as it is loaded has them too."""
    assert {image["decoding"] for image in read(page(everything("plain"))).all("img")} == {"sync"}


def test_findings_say_in_words_whether_they_hold() -> None:
    text = texts(everything("plain"))
    for mark in ("✓ holds", "✗ does not hold", "? inconclusive"):
        assert mark in text
    assert "1 claim holds" in text
    assert "1 claim is inconclusive" in text


def test_the_papers_figure_stands_beside_ours() -> None:
    assert "50.0 ± 1.0 paper: 40.0" in texts(everything("plain"))


def test_downloads_are_the_table_itself() -> None:
    reader = read(page(everything("plain")))
    table = next(each for each in reader.all("a") if each.get("download") == "table-1.csv")
    content = base64.b64decode(str(table["href"]).split(",")[1]).decode()
    assert content.splitlines()[0] == "group,plain,Success,Success low,Success high,Success paper"


@pytest.mark.parametrize("document", [Document("Empty", "", []), Document("D", "", [Section("S")])])
def test_little_content_is_a_page_too(document: Document) -> None:
    assert document.title in texts(document)
