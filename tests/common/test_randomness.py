"""Keyed random numbers: reproducible, uniform, and different for every part of the key."""

from __future__ import annotations

import math

import pytest
import torch

from vnla.common.randomness import Purpose, episode_key, uniform


def test_the_numbers_follow_the_published_generator() -> None:
    """One round of SplitMix64 is known: its first output for state 0 is 0xE220A8397B1DCDAF. Here it is computed with
    Python's unlimited integers for three rounds, the way the module says its key is mixed."""

    def mixed(state: int) -> int:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        state = (state ^ state >> 27) * 0x94D049BB133111EB % 2**64
        return state ^ state >> 31

    assert mixed(0) == 0xE220A8397B1DCDAF
    for seed, episode, draw in [(0, 0, 0), (7, 12345, 24), (2**31, 2**62, 3)]:
        bits = mixed(
            (mixed((mixed(episode ^ seed * 0x9E3779B97F4A7C15 % 2**64) + Purpose.NAV_ACTION) % 2**64) + draw) % 2**64
        )
        assert float(uniform(seed, torch.tensor([episode]), Purpose.NAV_ACTION, draw)) == (bits >> 11) / 2**53


@pytest.mark.parametrize("which", ["episode", "draw", "seed"])
def test_numbers_are_uniform_along_every_part_of_the_key(which: str) -> None:
    """Mean, variance and the correlation of neighbours, each within five standard errors."""
    n = 50_000
    count = torch.arange(n)
    if which == "episode":
        numbers = uniform(1, count, Purpose.RANDOM_HELP)
    elif which == "draw":
        numbers = uniform(1, torch.tensor([9]), Purpose.RANDOM_HELP, count)
    else:
        numbers = torch.cat([uniform(seed, torch.tensor([9]), Purpose.RANDOM_HELP) for seed in range(5_000)])
    n = len(numbers)
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert float(numbers.mean()) == pytest.approx(0.5, abs=5 / math.sqrt(12 * n))
    assert float(numbers.var()) == pytest.approx(1 / 12, abs=5 / math.sqrt(180 * n))
    pairs = torch.stack([numbers[:-1], numbers[1:]])
    assert float(torch.corrcoef(pairs)[0, 1]) == pytest.approx(0.0, abs=5 / math.sqrt(n))


def test_episodes_may_have_seeds_of_their_own() -> None:
    seeds, episodes = torch.tensor([3, 4, 2**40]), torch.tensor([9, 9, 9])
    alone = torch.cat([uniform(int(seed), episodes[:1], Purpose.HELP_BUDGET) for seed in seeds])
    assert torch.equal(uniform(seeds, episodes, Purpose.HELP_BUDGET), alone)


def test_purposes_are_independent() -> None:
    count = torch.arange(20_000)
    pairs = torch.stack([uniform(1, count, Purpose.HELP_BUDGET), uniform(1, count, Purpose.RANDOM_HELP)])
    assert abs(float(torch.corrcoef(pairs)[0, 1])) < 5 / math.sqrt(20_000)


def test_episode_keys_are_those_of_the_name_on_every_machine() -> None:
    """The key is the first 63 bits of the name's BLAKE2b hash: `printf 7_0 | b2sum -l 64`."""
    import hashlib

    assert episode_key("7_0") == int(hashlib.blake2b(b"7_0", digest_size=8).hexdigest(), 16) // 2
    assert episode_key("7_0") != episode_key("7_1")
