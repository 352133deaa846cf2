"""What pages say of their pictures is so today."""

from __future__ import annotations

import re

from pages import ROOT
from vnla.language.parser import parse

TYPED = re.compile(
    r'somebody types "([^"]+)"; below it stands how that is understood, and "([^"]+)", which is not, is underlined'
)


def test_what_the_picture_underlines_is_not_understood() -> None:
    for page in ("README.md", "docs/start.md"):
        [(sentence, strange)] = TYPED.findall((ROOT / page).read_text(encoding="utf-8").replace("\n", " "))
        missed = [sentence[begin:end] for begin, end, understood in parse(sentence).parts if not understood]
        assert missed == [strange]
        assert f'SENTENCE = "{sentence}"' in (ROOT / "benchmarks" / "experiments" / "screens.py").read_text(encoding="utf-8")
