"""Untrusted Markdown, as HTML in which nothing can act.

    markup = safe_markdown(card)

Tags are text. What a picture would show is said instead of fetched. Links lead to web pages alone, and search engines are
told not to follow them. Headings stand below those of the page that the text is shown on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from vnla.report.printing import harmless

LONGEST = 1 << 15
"""Characters that are shown; a card is a page, and a parser takes long for some texts that are no card."""
_DEEPEST = 12
"""Quotations and lists within each other."""
_LAST_HEADING = 6


def safe_markdown(text: str, heading: int = 3) -> Markup:
    """Return text as HTML; its first headings are of that level, and no level is left out."""
    left_out = "\n\n… (the rest is left out)" if len(text) > LONGEST else ""
    parser = _parser()
    tokens = list(_safe(parser.parse(harmless(text[:LONGEST]) + left_out), heading))
    return Markup(parser.renderer.render(tokens, parser.options, {}))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False, "maxNesting": _DEEPEST})
    return parser.disable(["html_block", "html_inline"])


def _safe(tokens: Sequence[Token], heading: int) -> Iterator[Token]:
    """Yield what may be shown, with the attributes that we gave it."""
    before = heading - 1
    for token in tokens:
        if token.type == "heading_open":
            before = min(heading - 1 + int(token.tag[1:]), before + 1, _LAST_HEADING)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{before}"
        if token.type == "fence":
            token.info = ""  # it would become a class
        if token.type == "inline":
            token.children = list(_safe_inline(token.children or []))
        else:
            token.attrs = {name: value for name, value in token.attrs.items() if name == "start"}  # of a numbered list
        yield token


def _safe_inline(tokens: Sequence[Token]) -> Iterator[Token]:
    shown: list[bool] = []  # of the links that are open, whether each can be followed
    for token in tokens:
        if token.type == "image":
            yield _text(f"[picture: {token.content or 'without words'}]")
        elif token.type == "link_open":
            address = str(token.attrGet("href") or "")
            shown.append(is_web_page(address))
            if shown[-1]:
                token.attrs = {"href": address, "rel": "nofollow noopener noreferrer"}
                yield token
        elif token.type == "link_close":
            if shown.pop():
                yield token
        else:
            token.attrs = {}
            yield token


def is_web_page(address: str) -> bool:
    """Whether an address is that of a page on the web, so that a link may lead there."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc


def _text(content: str) -> Token:
    token = Token("text", "", 0)
    token.content = content
    return token
