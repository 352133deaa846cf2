"""Docstrings, which are written as Markdown is, in the markup that Sphinx expects of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
ITEM = re.compile(r"[-*] |\d+\. ")
EMPHASIS = re.compile(r"(?<![\w*\\])(\*{1,2})(?=\S)([^*\n]+?)(?<=\S)\1(?![\w*])")


def as_rst(lines: Iterable[str]) -> list[str]:
    """Lines of a docstring: `code`, *emphasis* and lists stay what they are, what is indented is shown as it is."""
    written: list[str] = []
    for paragraph in paragraphs(lines):
        if paragraph[-1].endswith("::"):  # what follows is indented anyway
            paragraph[-1] = paragraph[-1].removesuffix("::") + (":" if paragraph[-1] != "::" else "")
        if paragraph[0].startswith("    "):
            written += ["::", "", *paragraph]
        elif ITEM.match(paragraph[0].lstrip()):
            written += inline("\n".join(items(paragraph))).split("\n")
        else:
            written += inline("\n".join(line.strip() for line in paragraph)).split("\n")
        written.append("")
    return written


def paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    """What stands between empty lines; a list after a sentence is a paragraph of its own."""
    found: list[str] = []
    for line in lines:
        begins = found and ITEM.match(line.lstrip()) and not (found[0].startswith("    ") or ITEM.match(found[0].lstrip()))
        if found and (begins or not line.strip()):
            yield found
            found = []
        if line.strip():
            found.append(line.rstrip())
    if found:
        yield found


def items(paragraph: list[str]) -> Iterator[str]:
    """A list's lines: each item begins at the margin, and what goes on is indented below it."""
    for line in paragraph:
        item = ITEM.match(line.lstrip())
        yield line.lstrip() if item else f"  {line.lstrip()}" if paragraph[0].lstrip()[0] in "-*" else f"   {line.lstrip()}"


def inline(text: str) -> str:
    """Sentences with code in them; whatever else would be markup is not meant as such."""
    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [plain(text[end : code.start()]), literal(code[2])]
        end = code.end()
    return "".join([*parts, plain(text[end:])])


def literal(code: str) -> str:
    """Code within a sentence."""
    return f"\\ ``{' '.join(code.split())}``\\ "


def plain(text: str) -> str:
    """A sentence without code."""
    parts, end = [], 0
    for emphasis in EMPHASIS.finditer(text):
        parts += [escaped(text[end : emphasis.start()]), emphasis[0]]
        end = emphasis.end()
    return "".join([*parts, escaped(text[end:])])


def escaped(text: str) -> str:
    """Letters that Sphinx would take for markup."""
    return re.sub(r"[\\*|`]|_(?!\w)", r"\\\g<0>", text)
