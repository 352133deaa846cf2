"""Results files of anybody's agents: scored, and compared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from vnla.api.options import CompareOptions, Place, ScoreOptions

if TYPE_CHECKING:
    from vnla.evaluation.confidence import Interval
    from vnla.evaluation.contest import Entry, Pair


def score(results: Place, world: Place, tasks: Place, **options: Unpack[ScoreOptions]) -> Entry:
    """Check a results file of any agent and score it from the paths alone, with the options of `vnla score`.

    An entry has `figure("success_rate")`, a value with its interval over houses, `told()` with the names of all
    figures, and `scores` with every episode.
    """
    from vnla.cli import score as command
    from vnla.cli.asking import asked
    from vnla.cli.options import made_from

    among = (*ScoreOptions.__annotations__, "world", "tasks")
    given = asked(command.score, [results], {**options, "world": world, "tasks": tasks}, among)
    (entry,) = made_from(command.ContestOptions, given).entries(given["results"])
    return entry


@dataclass(frozen=True)
class Comparison:
    """Agents side by side, and what each pair of them differs by."""

    entries: tuple[Entry, ...]
    pairs: tuple[Pair, ...]

    def difference(self, name: str) -> Interval:
        """By how much the second agent has more of a figure than the first, with its interval over houses."""
        return self.pairs[0].difference(name)

    def as_dict(self) -> dict[str, Any]:
        """As `vnla compare --json` writes it."""
        return {"agents": [each.as_dict() for each in self.entries], "pairs": [each.as_dict() for each in self.pairs]}


def compare(one: Place, other: Place, *more: Place, **options: Unpack[CompareOptions]) -> Comparison:
    """Check and score results files or evaluations, and compare them task by task, with the options of `vnla compare`.

    NAME=FILE gives an agent a name. With `out` a report is written there.
    """
    from vnla.cli import compare as command
    from vnla.cli.asking import asked
    from vnla.cli.options import made_from
    from vnla.cli.score import ContestOptions
    from vnla.common.files import writable
    from vnla.evaluation.contest import pairs
    from vnla.report.writing import REPORT

    given = asked(command.compare, [one, other, *more], options, CompareOptions.__annotations__)
    out: Path | None = given["out"]
    if out is not None:
        writable(out / REPORT)
    chosen = made_from(ContestOptions, given)
    entries = chosen.entries(given["agents"])
    found = pairs(entries)
    if out is not None:
        command.write_report(out, given["agents"], chosen, entries, found)
    return Comparison(tuple(entries), tuple(found))
