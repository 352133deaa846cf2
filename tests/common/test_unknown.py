"""What stands for a tensor that nobody asked for: nobody can compute with it in silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from vnla.common.errors import InputError
from vnla.common.unknown import Unknown

TRUTH = torch.tensor([True, False])
USES: dict[str, Callable[[Any], object]] = {
    "a method": lambda it: it.clamp(min=0),
    "an attribute": lambda it: it.shape,
    "a call": lambda it: it(),
    "an index": lambda it: it[:, 0],
    "a comparison": lambda it: it > 0,
    "equality": lambda it: it == 0,
    "arithmetic": lambda it: 1 - it,
    "its negative": lambda it: ~it,
    "its truth": bool,
    "its length": len,
    "a tensor beside it": lambda it: TRUTH & it,
    "a function of PyTorch": torch.sum,
    "one among others": lambda it: torch.cat([TRUTH, it]),
    "by name": lambda it: torch.sum(input=it),
}


class Reader:
    def looks(self, use: Callable[[Any], object]) -> object:
        return use(Unknown("the sky", "for whoever says `looks = True`"))


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_whoever_looks_is_named_and_told_how_to_ask(use: Callable[[Any], object]) -> None:
    with pytest.raises(
        InputError, match=r"^Reader\.looks looks at the sky, which is there for whoever says `looks = True`$"
    ):
        Reader().looks(use)


def test_it_may_be_kept_and_handed_on() -> None:
    one = Unknown("the sky", "for nobody")
    assert {one: 1}[one] == 1 and (one if one is not None else 0) is one and not hasattr(one, "__len_hint__")
