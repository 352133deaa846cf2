"""One walk of an entry to watch: the floor plan with its path, and what the agent did, asked and was told at each step.

The walk is chosen by a rule that nobody can turn to an entry's advantage: of the common houses the first task by its id, at
the main τ. So all entries of one size of the benchmark show the same task, success or not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vnla.camera import HEADINGS, TURN, VIEWS
from vnla.evaluation.results import Result
from vnla.experiments.benchmark.board.listed import ListedEntry
from vnla.experiments.benchmark.definition import COMMON
from vnla.experiments.benchmark.verification import VerifiedCondition
from vnla.houses.house import House
from vnla.report.layout import GAP, MARGIN, SIDE, WIDTH, Panel, arrange
from vnla.report.maps import house_png
from vnla.report.plan import Step, spoken
from vnla.report.story import ACTIONS, compass, place
from vnla.tasks.task import Task
from vnla.world.actions import NO_ACTION, Nav

RULE = "of the common houses the first task by its id, at the main τ, whatever comes of it"


@dataclass(frozen=True)
class ShownStep:
    """One step of a walk, as a page shows it."""

    number: int
    """From 0: how many actions were taken before."""
    where: str
    action: str
    said: str | None
    """What the advisor said, None where it was not asked."""
    metres: float
    """To the nearest goal."""
    x: float
    y: float
    turn: float
    """Degrees clockwise from north."""


@dataclass(frozen=True)
class ShownWalk:
    """A walk and the plan that it is drawn on."""

    task: str
    house: str
    end_goal: str
    plan: bytes
    """PNG."""
    width: int
    height: int
    alt: str
    steps: tuple[ShownStep, ...]
    outcome: str
    success: bool


def shown_walk(entry: ListedEntry, houses: dict[str, House]) -> ShownWalk:
    """Return the walk that the board shows of an entry; `houses` are the common ones, by name."""
    definition = entry.verified.entry.definition
    done = entry.verified.of(COMMON, definition.swept, definition.ratio)
    tasks = list(done.tasks.tasks)
    row = min(range(len(tasks)), key=lambda number: tasks[number].id)
    task = tasks[row]
    record = entry.verified.results(done.condition.name).get(task.id)
    return _drawn(done, row, task, houses[task.house], record)


def _drawn(done: VerifiedCondition, row: int, task: Task, house: House, record: Result | None) -> ShownWalk:
    steps = list(_steps(done, row, house, record))
    goals = [house.number[goal] for goal in task.goals]
    end_goal = task.end_goal.removesuffix(" .").capitalize()
    plan = house_png(house, walk=steps, goals=goals, title=f"{end_goal}.")
    panels, height = arrange(house, right=WIDTH - MARGIN - SIDE - GAP)
    metres = _metres_left(done, row)
    shown = tuple(_shown(house, panels, height, number, step, metres[number]) for number, step in enumerate(steps))
    success = bool(done.scores.success[row])
    return ShownWalk(
        task=task.id,
        house=task.house,
        end_goal=f"{end_goal}.",
        plan=plan,
        width=WIDTH,
        height=height,
        alt=_alt(house, steps),
        steps=shown,
        outcome=_outcome(house, steps[-1], metres[-1], sound=record is not None),
        success=success,
    )


def _steps(done: VerifiedCondition, row: int, house: House, record: Result | None) -> Iterator[Step]:
    """Yield the pose before each action, and the last one."""
    length = int(done.trace.length[row])
    said = record.subgoals if record is not None and record.subgoals is not None else (None,) * length
    for number in range(length + 1):
        viewpoint, view = divmod(int(done.trace.pose[row, number]), VIEWS)
        at = house.number[done.tasks.environment.world.ids[viewpoint]]
        if number == length:
            yield Step(at, view)
        else:
            asked = bool(done.trace.request[row, number])
            words = spoken(said[number]) if asked else None
            yield Step(at, view, words, _action(int(done.trace.nav[row, number])))


def _action(action: int) -> str:
    return "do nothing (an error, or nothing is ahead)" if action == NO_ACTION else ACTIONS[Nav(action)]


def _metres_left(done: VerifiedCondition, row: int) -> list[float]:
    poses = done.trace.pose[row, : int(done.trace.length[row]) + 1]
    goals = done.tasks.goals[row : row + 1].expand_as(poses)
    return [float(each) for each in done.tasks.environment.distance_left(poses, goals)]


def _shown(house: House, panels: list[Panel], height: int, number: int, step: Step, metres: float) -> ShownStep:
    panel = next(each for each in panels if step.viewpoint in each.storey.viewpoints)
    x, y = panel.at(house.viewpoints[step.viewpoint].position)
    where = f"{place(house, step.viewpoint)}, looking {compass(step.view)}"
    turn = round(math.degrees(step.view % HEADINGS * TURN))
    return ShownStep(
        number, where[0].upper() + where[1:], step.action or "", step.said, metres, round(x, 1), round(height - y, 1), turn
    )


def _outcome(house: House, last: Step, metres: float, *, sound: bool) -> str:
    if not sound:
        return "There is no record of this task that can be believed, so it counts as a failure, at its start."
    left = "at a goal" if metres == 0 else f"{metres:.1f} m from the nearest goal"
    return f"It ended {place(house, last.viewpoint)}, {left}."


def _alt(house: House, steps: list[Step]) -> str:
    rooms = [place(house, step.viewpoint) for step in steps]
    through = [room for number, room in enumerate(rooms) if number == 0 or room != rooms[number - 1]]
    return f"Floor plan of house {house.name} with the agent's path: {', then '.join(through)}. Every step is listed below."


def common_houses(folder: Path) -> dict[str, House]:
    """Return the houses of a world folder by name."""
    from vnla.houses.folder import read_world

    return {house.name: house for house in read_world(folder).houses}
