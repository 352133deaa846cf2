"""Random numbers keyed by (seed, episode, purpose, draw): the same key gives the same number, everywhere and in any order.

An episode's outcome therefore never depends on the batch size, on who else is in the batch or on the number of processes.
The generator is a counter passed through the 64-bit finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), once for each
part of the key, in integer operations that a CPU and a GPU carry out alike.
"""

from __future__ import annotations

import hashlib
from enum import IntEnum

import torch
from torch import Tensor


class Purpose(IntEnum):
    """What a number is drawn for. The values are part of every result: add, never renumber."""

    HELP_BUDGET = 1
    RANDOM_HELP = 2
    NAV_ACTION = 3
    MIXTURE = 4
    TRIED_STEP = 5
    ASK_ACTION = 6
    FEATURE_DROPOUT = 7
    ADVICE = 8
    FOLLOWING = 9
    LISTENING = 10
    DROPOUT = 11
    PRACTICE = 12
    DETECTION = 13
    WANDERING = 14


def episode_key(name: str) -> int:
    """Return a 63-bit number for an episode's name, the same on every machine."""
    digest = hashlib.blake2b(name.encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def uniform(seed: int | Tensor, episode: Tensor, purpose: Purpose, draw: Tensor | int = 0) -> Tensor:
    """Float64 numbers in [0, 1), one for each `episode` (int64 keys), broadcast with `draw`, the number's place in a row.

    Episodes may have seeds of their own, as a tensor.
    """
    bits = _mixed(row_seeds(seed, episode, purpose) + draw)
    return _shifted(bits, 11).to(torch.float64) * 2.0**-53


def row_seeds(seed: int | Tensor, episode: Tensor, purpose: Purpose) -> Tensor:
    """Seeds (int64) of generators of their own, one for each `episode`."""
    seeds = seed * signed(GOLDEN) if isinstance(seed, Tensor) else signed(seed * GOLDEN)
    return _mixed(_mixed(episode ^ seeds) + purpose)


GOLDEN = 0x9E3779B97F4A7C15
FIRST = 0xBF58476D1CE4E5B9
SECOND = 0x94D049BB133111EB
"""The constants of SplitMix64."""


def _mixed(bits: Tensor) -> Tensor:
    bits = bits + signed(GOLDEN)
    bits = (bits ^ _shifted(bits, 30)) * signed(FIRST)
    bits = (bits ^ _shifted(bits, 27)) * signed(SECOND)
    return bits ^ _shifted(bits, 31)


def _shifted(bits: Tensor, by: int) -> Tensor:
    """Shift to the right filling with zeros; torch's own shift of int64 repeats the sign."""
    return (bits >> by) & ((1 << (64 - by)) - 1)


def signed(number: int) -> int:
    """Return the low 64 bits of a number as torch's signed int64 holds them."""
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number
