"""A key is found however a server writes it, and nothing else is."""

from __future__ import annotations

import base64
import html
import json
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnla.remote.redaction import HIDDEN, ApiKey

KEYS = ["sk-secret-1234", 'sk-"quoted"/+&\\<b>~', "sk proj A+b/c==", "x" * 200]
WAYS = {
    "plain": str,
    "json": lambda key: json.dumps(key)[1:-1],
    "json in json": lambda key: json.dumps(json.dumps(key)),
    "json, slashes escaped": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "json, every character": lambda key: "".join(f"\\u{ord(each):04X}" for each in key),
    "address": lambda key: quote(key, safe=""),
    "address, small letters": lambda key: quote(key, safe="").lower() if key == key.lower() else quote(key),
    "address twice": lambda key: quote(quote(key, safe=""), safe=""),
    "query": quote_plus,
    "html": html.escape,
    "python": lambda key: repr(key)[1:-1],
    "bytes": lambda key: repr(key.encode())[2:-1],
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("way", WAYS)
def test_ways_to_write_a_key(key: str, way: str) -> None:
    written = WAYS[way](key)
    assert ApiKey(key).out_of(f"you sent {written}, no?") in (f"you sent {HIDDEN}, no?", f'you sent "{HIDDEN}", no?') or (
        way == "json in json" and key not in ApiKey(key).out_of(written) and HIDDEN in ApiKey(key).out_of(written)
    )


@given(st.text("abcXYZ019-_+/=", min_size=8, max_size=60), st.binary(max_size=8), st.binary(max_size=8))
def test_in_base64_wherever_it_begins(key: str, before: bytes, after: bytes) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(before + key.encode() + after).decode()
        hidden = ApiKey(key).out_of(text)
        assert HIDDEN in hidden
        left = hidden.replace(HIDDEN, "")
        assert len(left) <= len(encode(before + after)) + 4


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_with_zeros_between(encoding: str) -> None:
    assert HIDDEN.encode() in ApiKey("sk-secret-1234").out_of_reply("I heard sk-secret-1234".encode(encoding))


def test_other_text_stays_as_it_is() -> None:
    reply = b'{"action": "left", "why": "sk-secret-123"}' + b"\xff\x00\xe2\x82"
    assert ApiKey("sk-secret-1234").out_of_reply(reply) == reply


def test_a_short_key_is_no_secret() -> None:
    """Who calls a server of their own with the key x still wants to read what it says."""
    assert ApiKey("x").out_of_reply(b'{"text": "exit"}') == b'{"text": "exit"}'
    assert ApiKey("none").out_of("none") == HIDDEN and not ApiKey("none").is_in("none")


def test_lists_and_objects() -> None:
    secret = ApiKey("sk-secret-1234")
    assert secret.out_of({"a": ["sk-secret-1234", 1, None], "sk-secret-1234": (True,)}) == {
        "a": [HIDDEN, 1, None],
        HIDDEN: [True],
    }
    assert secret.is_in({"a": ["Bearer sk-secret-1234"]}) and not secret.is_in({"a": ["Bearer", 1]})


def test_nothing_in_the_search_is_without_bounds() -> None:
    """What a stranger sends is searched in a time that grows with its length alone."""
    pattern = ApiKey("sk-secret-1234")._pattern.pattern
    assert not re.search(r"(?<!\\)[*+]|,\}", pattern)
    assert ApiKey("s" * 60).out_of("\\" * 100_000) == "\\" * 100_000
