"""Shares of work: what people may write, and that every piece is in one share and none is much heavier."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnla.common.errors import InputError
from vnla.pipeline.shards.shard import Shard, divide, shards


@pytest.mark.parametrize("text", ["", "2", "0/4", "5/4", "1/0", "a/b", "1/4/2", "-1/4", "1/1000000"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=f"--shard {text}: "):
        Shard.parse(text)


def test_a_shard_reads_as_it_is_written() -> None:
    assert Shard.parse("2/8") == Shard(2, 8) and str(Shard(2, 8)) == "2/8"
    assert shards(2) == [Shard(1, 2), Shard(2, 2)]
    assert Shard(2, 3).of_all(["a", "b", "c"]) == "b"


@given(st.lists(st.integers(1, 100), max_size=60), st.integers(1, 12))
def test_every_piece_is_in_one_share_and_shares_are_even(weights: list[int], count: int) -> None:
    shares = divide(weights, count)
    assert len(shares) == count and all(share == sorted(share) for share in shares)
    assert sorted(piece for share in shares for piece in share) == list(range(len(weights)))
    loads = [sum(weights[piece] for piece in share) for share in shares]
    assert max(loads) - min(loads) <= max(weights, default=0)


def test_by_hand() -> None:
    # 5 → first, 4 → second, 3 → second (4 < 5), 3 → first (5 < 7), 1 → second (7 < 8)
    assert divide([3, 5, 1, 4, 3], 2) == [[1, 4], [0, 2, 3]]
