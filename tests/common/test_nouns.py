"""Plurals and articles: right, and not bought with seconds of checks."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys, typeguard
def rewriting(*_given, **_options):
    raise AssertionError("this takes seconds")
typeguard.typechecked = rewriting
from vnla.common.nouns import nouns
assert "inflect" not in sys.modules, "only who asks pays for it"
found = nouns().a("armchair"), nouns().plural_noun("bedroom"), nouns().singular_noun("towels")
assert found == ("an armchair", "bedrooms", "towel"), found
assert typeguard.typechecked is rewriting, "for others it is as it was"
"""


def test_words_are_right_and_nothing_is_rewritten_for_them() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
