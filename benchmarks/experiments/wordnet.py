"""Makes `vnla/language/data/wordnet.txt` from the files of WordNet 3.0, as in Debian's package wordnet-base.

python benchmarks/experiments/wordnet.py /usr/share/wordnet src/vnla/language/data/wordnet.txt
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Set
from pathlib import Path

from vnla.common.files import write_text
from vnla.language.advisor import GrammarAdvisor

HEAD = """\
# Sets of synonyms: part of speech and number of the set: its words. Of WordNet 3.0 those with two words or more of which one
# is in the vocabulary of the grammar; words of several parts are left out. Made by benchmarks/experiments/wordnet.py.
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. Its licence is in wordnet-licence.txt.
"""
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_MARKER = re.compile(r"\(.*\)$")
"""What follows an adjective that stands in one place only."""


def synonyms(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield all sets of synonyms, with the words that are letters alone."""
    for part, name in PARTS.items():
        for line in (folder / f"data.{name}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):
                continue
            number, _, _, count, *rest = line.split()
            words = (_MARKER.sub("", word).lower() for word in rest[: 2 * int(count, 16) : 2])
            yield f"{part}{number}", sorted({word for word in words if word.isalpha() and word.isascii()})


def kept(folder: Path, vocabulary: Set[str]) -> Iterator[str]:
    """Yield a line for each set that is of use."""
    for name, words in synonyms(folder):
        if len(words) > 1 and not vocabulary.isdisjoint(words):
            yield f"{name}: {' '.join(words)}\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wordnet", type=Path)
    parser.add_argument("out", type=Path)
    chosen = parser.parse_args()
    write_text(chosen.out, HEAD + "".join(kept(chosen.wordnet, {*GrammarAdvisor(phrases=0.25).words()})))
