"""Which words mean nearly the same, by WordNet: the sets of synonyms that each word is in.

`data/wordnet.txt` has the sets of WordNet 3.0 with at least two words of which one is in the vocabulary of the grammar.
`benchmarks/experiments/wordnet.py` makes it of WordNet's own files.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from vnla.language import word_lists

NAME = "wordnet.txt"


@cache
def _meanings() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for synonyms, words in word_lists.entries(NAME):
        for word in words.split():
            found.setdefault(word, []).append(f"={synonyms}")
    return {word: tuple(each) for word, each in found.items()}


def meanings_of(word: str) -> tuple[str, ...]:
    """Return names of the sets of synonyms that a word is in, which are no pieces of any word."""
    return _meanings().get(word, ())
