"""Fit what it costs to take a sentence in one way, `src/vnla/language/data/costs.txt`, to the sentences to develop on.

    python benchmarks/experiments/fit_reader.py worlds/development

One cost after the other is made smaller and larger, and kept so if more of two in three sentences then lead where their walk
ends, with and without the number of actions; what comes of every third sentence is printed beside it, and takes no part.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path

from people import Houses

from vnla.common.files import write_text
from vnla.language.costs import COSTS, Costs
from vnla.language.handwritten import development

FILE = Path(__file__).parents[2] / "src" / "vnla" / "language" / "data" / "costs.txt"
FACTORS = (0.5, 2.0)
LEAST = 0.1
"""What a cost of nothing is made."""
FREE = 2
"""How much more a sentence counts that is heard without the number of its actions."""


@cache
def _houses(place: Path) -> Houses:
    return Houses(place, development())


def _score(place: Path, costs: Costs, numbers: Sequence[int]) -> list[tuple[bool, bool]]:
    """Whether sentences lead to the end pose, without and with the number of actions."""
    for each in fields(Costs):
        setattr(COSTS, each.name, getattr(costs, each.name))
    lines, houses = development(), _houses(place)
    heard = ((houses.heard(line, line.sentence, None), houses.heard(line, line.sentence, len(line.plan)))
             for line in (lines[number] for number in numbers))  # fmt: skip
    return [(free[1], known[1]) for free, known in heard]


def _total(pool: ProcessPoolExecutor, place: Path, costs: Costs) -> tuple[float, str]:
    """The score to make larger, and a line about it."""
    numbers = list(range(len(development())))
    parts = [numbers[at::2] for at in range(2)]
    jobs = [pool.submit(_score, place, costs, part) for part in parts]
    found = {
        number: row for part, job in zip(parts, jobs, strict=True) for number, row in zip(part, job.result(), strict=True)
    }
    fitted = [row for number, row in found.items() if number % 3 != 2]
    others = [row for number, row in found.items() if number % 3 == 2]
    told = ", ".join(
        f"{100 * sum(column) / len(rows):.1f}" for rows in (fitted, others) for column in zip(*rows, strict=True)
    )
    return sum(
        FREE * free + known for free, known in fitted
    ), f"end pose, %: without and with the number, and of the others: {told}"


def main(place: Path, names: Sequence[str]) -> None:
    """Go through the costs twice, and write the file whenever one has become better."""
    with ProcessPoolExecutor(2) as pool:
        best, told = _total(pool, place, COSTS)
        sys.stdout.write(f"as they are: {told}\n")
        for name in [*names, *names]:
            value = getattr(COSTS, name)
            for changed in [value * factor for factor in FACTORS] if value else [LEAST]:
                tried = Costs(**{**asdict(COSTS), name: round(changed, 4)})
                score, told = _total(pool, place, tried)
                sys.stdout.write(f"{name} {changed:g}: {told}{' *' if score > best else ''}\n")
                sys.stdout.flush()
                if score > best:
                    best = score
                    setattr(COSTS, name, round(changed, 4))
                    _write()


def _write() -> None:
    head = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    write_text(FILE, "\n".join([*head, *(f"{name}: {value}" for name, value in asdict(COSTS).items())]) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or [each.name for each in fields(Costs) if each.name != "close"])
