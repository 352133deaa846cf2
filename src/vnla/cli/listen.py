"""`vnla listen`: whether an agent does what it is told."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich import box

from vnla.cli.console import counting, plain, telling
from vnla.cli.options import CheckpointOption, DeviceOption, FoundOption, RunArgument, ThreadsOption, given_of, takes_options
from vnla.common.errors import InputError
from vnla.common.files import writable, write_text
from vnla.common.options import option, refuse
from vnla.common.progress import Tell
from vnla.report.printing import Table

if TYPE_CHECKING:
    from vnla.evaluation.confidence import Interval
    from vnla.experiments.listening.followed import Listened
    from vnla.houses.folder import WorldFolder

AGENT, INTERPRETED, CAREFUL, PARSER = "agent", "interpreted", "careful", "parser"
LISTENERS = (AGENT, INTERPRETED, CAREFUL, PARSER)
MEASURES = {"exact": "all actions", "there": "ends there", "success": "success"}


@dataclass(frozen=True)
class ListenOptions:
    """Who listens, where, and to what."""

    split: str = option("test_unseen", "Split whose tasks are used; agents start on the way to their goals.", metavar="NAME")
    reference: Path | None = option(
        None,
        "Another run to compare with: how much of what it gains from advice in its own language the agent gains, too.",
        metavar="RUN",
    )
    handwritten: Path | None = option(
        None,
        "Also test sentences written by hand; their houses are kept in DIR and made there if they are missing.",
        metavar="DIR",
    )
    listener: str = option(
        AGENT,
        "agent; interpreted: the parser reads the advice and passes it on in the agent's own words; careful: the same, but"
        " passes nothing on if it does not know a word; parser: the parser in the agent's place.",
        metavar="NAME",
    )
    says: str | None = option(
        None,
        "Kinds of sentences for the grammar to say, separated by commas, such as usual,templates. [default: all]",
        metavar="NAMES",
    )
    seeds: int = option(
        1, "How many of the authors' five seeds to measure success with; 0: do not measure it.", min=0, max=5
    )
    subset: int | None = option(None, "Only N tasks of the split. [default: all]", metavar="N", min=1)
    checkpoint: CheckpointOption = None
    world: Path | None = option(None, "World for pretrained; for a run, where its world is now.", metavar="DIR")
    tasks: Path | None = option(None, "Another data set. [default: the run's]", metavar="DIR")
    device: DeviceOption = None

    def check(self, context: typer.Context) -> None:
        """Refuse a listener that there is none of, and what a parser has no use for."""
        if self.listener not in LISTENERS:
            raise InputError(f"--listener {self.listener}: unknown; choose from {', '.join(LISTENERS)}")
        if self.listener == PARSER:
            refuse(given_of(context, ["reference"]), ": belongs to agents; the parser is compared with itself")
            refuse(given_of(context, ["checkpoint", "seeds"]), ": belongs to agents; the parser only reads what is said")

    def heard(self, run: Path) -> tuple[int, list[Listened]]:
        """Return how many actions a sentence describes to a run's listener, and how it follows each kind of sentence."""
        with telling() as tell:
            subject = self._opened(run, tell)
            self._look_around(subject.trained.material.folder, tell)
            other = subject if self.reference is None else self._opened(self.reference, tell)
            if subject.k != other.k:
                raise InputError(f"{self.reference}: its subgoals have {other.k} actions, those of {run} {subject.k}")
            found = subject.listened(other)
            if self.handwritten is not None:
                found += subject.read(self.handwritten, other)
        return subject.k, found

    def _look_around(self, folder: WorldFolder, tell: Tell) -> None:
        """Find out what is in view in every house, which is most of the work the first time, and say how far it is."""
        from vnla.language.facts import world_facts

        for _ in world_facts(folder, counting(tell, "looking around in the houses", len(folder.houses))):
            pass

    def _opened(self, run: Path, tell: Tell) -> Any:
        from vnla.common.machine import device_named
        from vnla.experiments.listening import listeners
        from vnla.training.trained import open_trained

        kinds = {
            AGENT: listeners.AgentListener,
            INTERPRETED: listeners.InterpretedListener,
            CAREFUL: listeners.CarefulListener,
            PARSER: listeners.ParserListener,
        }
        seeds = 0 if self.listener == PARSER else self.seeds
        trial = listeners.ListeningOptions(self.split, seeds, self.subset, self.checkpoint, _languages(self.says))
        tell(f"loading {run}")
        trained = open_trained(run, world=self.world, tasks=self.tasks, device=device_named(self.device))
        return kinds[self.listener](trained, trial, tell)

    def about(self, run: Path, k: int) -> dict[str, Any]:
        """Return who listened to what, for a file."""
        reference = None if self.reference is None else str(self.reference)
        return {"run": str(run), "listener": self.listener, "reference": reference, "split": self.split, "k": k}

    def title(self, run: Path, k: int) -> str:
        """Return who listened to what, for a table."""
        who = {AGENT: str(run), PARSER: PARSER}.get(self.listener, f"{run}, {self.listener}")
        return f"{who}, {self.split}, {k} actions"


@takes_options()
def listen(
    context: typer.Context,
    run: RunArgument,
    *,
    options: ListenOptions,
    as_json: FoundOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Measure how exactly an agent follows advice. It is given advice as in training; combinations, sentences and
    words that were held out of training; sentences written by hand; advice that names nothing but objects; and contrast
    sets, in which something is wrong: left and right swapped, other objects, another order. Intervals (95%) are over
    houses.

    Example: vnla listen runs/talk --handwritten worlds/written --json listen.json

    Example: vnla listen runs/talk --reference runs/learned --seeds 0 --subset 500

    Example: vnla listen runs/learned --listener interpreted --handwritten worlds/written --subset 200

    Example: vnla listen runs/learned --listener interpreted --says usual --subset 1000

    Example: vnla listen runs/talk --listener parser --subset 200
    """
    from vnla.common.machine import use_threads
    from vnla.evaluation.confidence import houses_note

    use_threads(threads)
    if as_json is not None:
        writable(as_json)
    options.check(context)
    k, found = options.heard(run)
    reference = "" if options.reference is None else f" {options.reference}"
    for table in _tables(options.title(run, k), reference, found):
        plain().print(table)
    plain().print(houses_note(*(each.houses for each in found)))
    if as_json is not None:
        heard = {each.name: each.as_dict() for each in found}
        write_text(as_json, json.dumps({**options.about(run, k), "heard": heard}, indent=2) + "\n")


def _languages(names: str | None) -> tuple[str, ...]:
    """What is said, by its names."""
    from vnla.language.speech import LANGUAGES

    wanted = LANGUAGES if names is None else tuple(dict.fromkeys(name.strip() for name in names.split(",")))
    unknown = next((name for name in wanted if name not in LANGUAGES), None)
    if unknown is not None:
        raise InputError(f"--says {unknown}: unknown; choose from {', '.join(LANGUAGES)}")
    return wanted


def _tables(title: str, reference: str, found: Sequence[Listened]) -> Iterator[Table]:
    """How often each kind of sentence is followed, and how much of the usual advice's worth is retained."""
    percents = {each.name: {name: _compact(part, 1, 0, "–") for name, part in each.figures.items()} for each in found}
    yield _table(f"{title}: % of walks", found, percents, walks=True)
    retained = {each.name: {name: _compact(part, 2, 1) for name, part in each.retained.items()} for each in found}
    if any(retained.values()):
        yield _table(f"Gain from this advice, as a share of the gain from advice as in training{reference}", found, retained)


def _table(title: str, found: Sequence[Listened], cells: Mapping[str, Mapping[str, str]], *, walks: bool = False) -> Table:
    shown = [name for name in MEASURES if any(name in each for each in cells.values())]
    table = Table("", title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for name in (*(MEASURES[each] for each in shown), *(["walks"] if walks else [])):
        table.add_column(name, justify="right", no_wrap=True)
    group = ""
    for each in found:
        name, _, which = each.name.partition(", ")
        if which != group:
            group = which
            table.add_section()
            if group:
                table.add_row(f"sentences {group}:")
        figures = [cells[each.name].get(measure, "") for measure in shown]
        table.add_row(f"  {name}" if group else name, *figures, *([f"{each.walks:,}"] if walks else []))
    return table


def _compact(found: Interval, digits: int, bound_digits: int, to: str = " to ") -> str:
    """A figure and its interval in few letters."""
    if math.isnan(found.value):
        return "–"
    value = f"{found.value:.{digits}f}"
    if math.isnan(found.low):
        return value
    return f"{value} ({found.low:.{bound_digits}f}{to}{found.high:.{bound_digits}f})"
