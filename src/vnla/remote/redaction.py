"""What a server repeats of a key, taken out of everything that is kept, printed or passed on.

A server may send the key back as it was, or written as JSON, addresses, HTML or base64 write it. All of that is looked for.
A key of a few characters is no secret: people give servers of their own a `none` or an `x`. It is taken out of what is
written down; a reply without its `x` would mean something else, and is left alone.
"""

from __future__ import annotations

import base64
import html
import re
from typing import Any

HIDDEN = "(key)"
SHORTEST = 8
"""Characters of a key that could be a secret."""


class ApiKey:
    """A key that nobody is to see."""

    def __init__(self, key: str) -> None:
        """`key` has printable ASCII characters, as a header can carry."""
        self.is_short = len(key) < SHORTEST
        spelled = "\x00{0,3}".join(map(_spelled, key))  # between characters of UTF-16 and UTF-32 there are zeros
        forms = [*map(re.escape, sorted(_in_base64(key), key=len, reverse=True)), spelled]
        self._pattern = re.compile("|".join(f"(?:{form})" for form in forms))

    def out_of(self, value: Any) -> Any:
        """The same without the key: a text, or the texts in lists and objects, their names included."""
        if isinstance(value, str):
            return self._pattern.sub(HIDDEN, value)
        if isinstance(value, dict):
            return {self.out_of(name): self.out_of(each) for name, each in value.items()}
        return [self.out_of(each) for each in value] if isinstance(value, list | tuple) else value

    def is_in(self, value: Any) -> bool:
        """Whether a key that could be a secret stands in some texts."""
        return not self.is_short and self.out_of(value) != value

    def out_of_reply(self, reply: bytes) -> bytes:
        """A reply without the key, unless that is too short to be one; bytes that are no text stay as they are."""
        if self.is_short:
            return reply
        text: str = self.out_of(reply.decode("utf-8", "surrogateescape"))
        return text.encode("utf-8", "surrogateescape")


def _spelled(character: str) -> str:
    """A pattern of the ways in which a character is written: itself, `\\"`, `\\u0022`, `%22`, `&#34;` or `&quot;`."""
    code, entity = ord(character), html.escape(character)
    number = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{code:02x}")
    ways = [  # none of them without bounds: untrusted text is not to be searched for ever
        r"\\{1,2}" if character == "\\" else rf"\\{{0,8}}{re.escape(character)}",
        rf"\\{{1,8}}(?:[uU]0{{0,6}}|x){number}",
        rf"%(?:25){{0,4}}{number}",
        rf"&#(?:0{{0,6}}{code}|[xX]0{{0,6}}{number});",
        *([re.escape(entity)] if entity != character else []),
        *([r"\+"] if character == " " else []),
    ]
    return f"(?:{'|'.join(ways)})"


def _in_base64(key: str) -> set[str]:
    """What base64, of either alphabet, makes of a key wherever in a text it begins: what depends on the key alone."""
    found = set()
    for before in range(3):
        whole = base64.b64encode(b"\x00" * before + key.encode()).decode().rstrip("=")
        bits = 8 * (before + len(key))
        inner = whole[-(-8 * before // 6) : bits // 6]
        found |= {inner, inner.replace("+", "-").replace("/", "_")}
    return {each for each in found if len(each) >= 4}
