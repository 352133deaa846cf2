"""Two files of measurements side by side: what got faster, what got slower."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Measurement
from benchmarks.record import Measured, Record
from vnla.common.errors import InputError

TOLERANCE = 0.1
"""The share that a measurement may get worse by before it counts."""

_LESS_IS_BETTER = {"s", "ms", "kB", "MB", "GB"}
_SAME_MACHINE = ("processor", "cores", "threads", "gpu")


@dataclass(frozen=True)
class Line:
    """One measurement of both files; None where a file lacks it."""

    benchmark: Measured
    old: Measurement | None
    new: Measurement | None

    @property
    def name(self) -> str:
        """What was measured."""
        return self._either.name

    @property
    def unit(self) -> str:
        """Of both values."""
        return self._either.unit

    @property
    def ratio(self) -> float | None:
        """The new value as times of the old one."""
        return None if self.old is None or self.new is None or not self.old.value else self.new.value / self.old.value

    @property
    def speed(self) -> float | None:
        """How many times as good the new value is, whichever direction is the better one; None where there is none."""
        if not self.ratio or not self._either.judged:
            return None
        return 1 / self.ratio if self.unit in _LESS_IS_BETTER else self.ratio if self.unit.endswith("/s") else None

    def worse(self, tolerance: float) -> bool:
        """Whether it got worse by more than a share of `tolerance`."""
        return self.speed is not None and self.speed < 1 / (1 + tolerance)

    def better(self, tolerance: float) -> bool:
        """Whether it got better by more than that."""
        return self.speed is not None and self.speed > 1 + tolerance

    @property
    def _either(self) -> Measurement:
        either = self.old or self.new
        assert either is not None
        return either


def read_both(old: Path, new: Path, *, any_machine: bool = False) -> tuple[Record, Record]:
    """Two files that can be compared."""
    before, after = Record.read(old), Record.read(new)
    for name in _SAME_MACHINE:
        here, there = before.machine.get(name), after.machine.get(name)
        if here != there and not any_machine:
            raise InputError(
                f"{old} and {new}: measured on different machines ({name}: {here} and {there}); times of two machines "
                "say nothing about the program, --any-machine compares them nevertheless"
            )
    return before, after


def compare(before: Record, after: Record) -> list[Line]:
    """Every measurement of either, benchmark by benchmark."""
    lines = [line for old, new in _pairs(before, after) for line in _lines(old, new)]
    if not any(line.old and line.new for line in lines):
        raise InputError(
            f"the two files have no benchmark in common: one has {_titles(before)}; the other has {_titles(after)}"
        )
    return lines


def _pairs(before: Record, after: Record) -> Iterator[tuple[Measured | None, Measured | None]]:
    """Benchmarks of the same name and options."""
    left = list(after.benchmarks)
    for old in before.benchmarks:
        match = next((new for new in left if (new.name, new.options) == (old.name, old.options)), None)
        if match is not None:
            left.remove(match)
        yield old, match
    yield from ((None, new) for new in left)


def _lines(old: Measured | None, new: Measured | None) -> Iterator[Line]:
    of = old or new
    assert of is not None
    before, after = ({each.name: each for each in one.measurements} if one else {} for one in (old, new))
    for name in before | after:
        was, now = before.get(name), after.get(name)
        if was and now and was.unit != now.unit:
            raise InputError(f"{of.name}, {name}: the files have it in {was.unit} and in {now.unit}; measure again")
        yield Line(of, was, now)


def _titles(record: Record) -> str:
    return "; ".join(each.title for each in record.benchmarks) or "none"
