"""The results file: what an agent did in every episode of one seed, in the JSON of the authors' code.

A list of records, one a task:

- `instr_id`: the task; `scan`: its house
- `trajectory`: [viewpoint, heading, elevation], angles in radians, before the first action and after each
- `agent_nav`: for each action the simulator's [index, heading, elevation]: the place of where to go among what is navigable
  (0 stays) and the signs of turns; zeros are `stop`; null is a step in which nothing was done, after an error of the agent
  or because it went forward where nothing is ahead
- `agent_ask`, `teacher_ask`: for each action 0 or 1; `teacher_ask_reason`: why (`vnla.assistance.help_teacher.RESULT_NAMES`)
- `subgoals`: for each action what the advisor said, null where it was not asked
- `is_success`
- `help_budget`: how often it could have asked
- `forward`: where `forward` goes (`vnla.world.forward`), if not as in the paper

`instr_id` and `trajectory` are enough to score anybody's results; the rest may be missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vnla.assistance.help_teacher import RESULT_NAMES, Reason
from vnla.assistance.phrases import COMMA
from vnla.camera import HEADINGS, LEVEL_ROW, ROWS, TURN, VIEWS, view_angles, view_index
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.outside import is_real, shown, whole
from vnla.evaluation.evaluate import Evaluation
from vnla.evaluation.trace import NOTHING, Trace
from vnla.tasks.points import navigable_index
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import NO_ACTION, Nav
from vnla.world.compiled import World
from vnla.world.forward import FORWARDS, INFORMED

Pose = tuple[str, float, float]
Move = tuple[int, int, int]

WHAT = "a results file: a JSON list of records with instr_id and trajectory"
MOST_REQUESTS = 1000
"""No help budget is larger."""
_LARGEST_ANGLE = 1e6  # radians
_REASONS = {name: reason for reason, name in RESULT_NAMES.items()}
_TURNS: dict[Nav, Move] = {
    Nav.LEFT: (0, -1, 0),
    Nav.RIGHT: (0, 1, 0),
    Nav.UP: (0, 0, 1),
    Nav.DOWN: (0, 0, -1),
    Nav.STOP: (0, 0, 0),
}
ACTIONS: dict[Move, Nav] = {move: action for action, move in _TURNS.items()}
"""What is none of these is `forward`."""


def action_of(move: Move | None) -> int:
    """Return the action of a move as the simulator takes it; NO_ACTION where nothing was done."""
    return NO_ACTION if move is None else int(ACTIONS.get(move, Nav.FORWARD))


def actions_of(result: Result) -> list[int] | None:
    """Return the actions that a record names, NO_ACTION for an agent's errors; None where it names none."""
    return None if result.agent_nav is None else [action_of(move) for move in result.agent_nav]


_EACH_ACTION = ("agent_nav", "agent_ask", "teacher_ask", "teacher_ask_reason", "subgoals")


@dataclass(frozen=True)
class Result:
    """One episode; fields and their names as in the file. None where the file does not say."""

    instr_id: str
    scan: str | None
    trajectory: tuple[Pose, ...]
    agent_nav: tuple[Move | None, ...] | None = None
    agent_ask: tuple[int, ...] | None = None
    teacher_ask: tuple[int, ...] | None = None
    teacher_ask_reason: tuple[str, ...] | None = None
    subgoals: tuple[str | None, ...] | None = None
    is_success: bool | None = None
    help_budget: int | None = None
    forward: str | None = None


def results_of(evaluation: Evaluation, seed: int | None = None) -> list[Result]:
    """Return the results under one seed of an evaluation, the first if none is named."""
    if seed is not None and seed not in evaluation.seeds:
        raise InputError(f"evaluation: it has no seed {seed}; its seeds are {', '.join(map(str, evaluation.seeds))}")
    place = 0 if seed is None else evaluation.seeds.index(seed)
    count = len(evaluation.tasks)
    trace = evaluation.trace.rows(slice(place * count, (place + 1) * count))
    return results_of_trace(evaluation.tasks, trace, evaluation.scores.success[place].tolist())


def results_of_trace(tasks: TaskSet, trace: Trace, success: Sequence[bool]) -> list[Result]:
    """The results of episodes, a row of `trace` for each of `tasks`. What is not known of the help teacher is not told."""
    world = tasks.environment.world
    moves = _moves(trace, world)
    return [
        _result(world, task, trace.rows(slice(row, row + 1)), moves[row], success[row])
        for row, task in enumerate(tasks.tasks)
    ]


def _result(world: World, task: Task, trace: Trace, moves: list[Move | None], success: bool) -> Result:
    length, budget = int(trace.length), int(trace.help_budget)
    headings, elevations = view_angles()
    poses = [divmod(pose, VIEWS) for pose in trace.pose[0, : length + 1].tolist()]
    said, reasons = (each[0, :length].tolist() for each in (trace.phrase, trace.reason))
    judged = NOTHING not in reasons
    return Result(
        instr_id=task.id,
        scan=task.house,
        trajectory=tuple((world.ids[where], float(headings[view]), float(elevations[view])) for where, view in poses),
        agent_nav=tuple(moves[:length]),
        agent_ask=tuple(map(int, trace.request[0, :length].tolist())),
        teacher_ask=tuple(map(int, trace.teacher_request[0, :length].tolist())) if judged else None,
        teacher_ask_reason=tuple(RESULT_NAMES[Reason(why)] for why in reasons) if judged else None,
        subgoals=tuple(None if number == NOTHING else subgoal_words(trace.texts[number]) for number in said),
        is_success=success,
        help_budget=None if budget == NOTHING else budget,
        forward=None if world.forward == INFORMED else world.forward,
    )


def subgoal_words(subgoal: str) -> str:
    """Return a subgoal as the authors write it, commas as words of their own."""
    return subgoal.replace(COMMA, f" {COMMA}")


def _moves(trace: Trace, world: World) -> list[list[Move | None]]:
    """Actions as the simulator takes them, None where nothing was done."""
    index = np.concatenate([navigable_index(graph) for graph in world.graphs])  # (edges, 36)
    count = len(world.ids)
    edges = (world.source * count + world.target).cpu().numpy()  # rising
    pose = trace.pose.numpy()
    here, there = pose[:, :-1] // VIEWS, pose[:, 1:] // VIEWS
    edge = np.searchsorted(edges, here * count + there).clip(max=len(edges) - 1)
    ahead = np.where(here == there, 0, index[edge, pose[:, :-1] % VIEWS])
    rows = zip(trace.nav.tolist(), ahead.tolist(), strict=True)
    return [
        [
            None if action == NO_ACTION else _forward(step) if action == Nav.FORWARD else _TURNS[Nav(action)]
            for action, step in zip(*row, strict=True)
        ]
        for row in rows
    ]


def _forward(index: int) -> Move | None:
    """Return the move to what is navigable, None where nothing is ahead: zeros would mean `stop`."""
    return (index, 0, 0) if index else None


def write_results(path: Path, results: Sequence[Result]) -> None:
    """Write a results file, whole or not at all."""
    lines = ",\n".join(map(result_line, results))
    files.write_text(path, f"[\n{lines}\n]\n")


def result_line(result: Result) -> str:
    """Return a record as a results file has it, in one line."""
    record = {name: value for name, value in vars(result).items() if value is not None}
    return json.dumps(record, separators=(",", ":"), allow_nan=False)


def trace_of(tasks: TaskSet, results: Sequence[tuple[str, Result]]) -> Trace:
    """Return the trace of results, in the order of the tasks, each with what to call it in messages."""
    world = tasks.environment.world
    poses = [list(_poses(world, task, *pair)) for task, pair in zip(tasks.tasks, results, strict=True)]
    steps = max(map(len, poses)) - 1
    records = [result for _, result in results]
    asked = [[bool(each) for each in result.agent_ask or ()] for result in records]
    taught = [[bool(each) for each in result.teacher_ask or ()] for result in records]
    reasons = [[int(_REASONS[each]) for each in result.teacher_ask_reason or ()] for result in records]
    actions = [[action_of(move) for move in result.agent_nav or ()] for result in records]
    nothing = torch.full((len(results), steps), NOTHING)
    return Trace(
        pose=torch.tensor([row + row[-1:] * (steps + 1 - len(row)) for row in poses]),
        length=torch.tensor([len(row) - 1 for row in poses]),
        nav=_filled(actions, steps, NOTHING),
        request=_filled(asked, steps, False),
        teacher_request=_filled(taught, steps, False),
        reason=_filled(reasons, steps, NOTHING),
        phrase=nothing,
        help_budget=torch.tensor([NOTHING if each.help_budget is None else each.help_budget for each in records]),
    )


def _filled(rows: Sequence[list[Any]], width: int, empty: int | bool) -> Tensor:
    kind = torch.bool if isinstance(empty, bool) else torch.int64
    return torch.tensor([row + [empty] * (width - len(row)) for row in rows], dtype=kind).reshape(len(rows), width)


def _poses(world: World, task: Task, where: str, result: Result) -> Iterator[int]:
    """Return the poses of a trajectory, which must begin where the task does and go from neighbour to neighbour."""
    if result.scan not in (None, task.house):
        raise InputError(f"{where}: field scan is {result.scan!r}, but task {task.id} is in house {task.house}")
    house = world.house(task.house)
    graph, first = world.graphs[house], int(world.first[house])
    number = {viewpoint: i for i, viewpoint in enumerate(graph.ids)}
    edges = set(zip(graph.source.tolist(), graph.target.tolist(), strict=True))
    before = None
    for place, (viewpoint, heading, elevation) in enumerate(result.trajectory):
        if viewpoint not in number:
            raise InputError(f"{where}: field trajectory: entry {place}: house {task.house} has no viewpoint {viewpoint!r}")
        here = number[viewpoint]
        if before is None and viewpoint != task.start:
            raise InputError(f"{where}: field trajectory: it begins at {viewpoint}, but task {task.id} at {task.start}")
        if before not in (None, here) and (before, here) not in edges:
            raise InputError(
                f"{where}: field trajectory: entry {place}: {viewpoint} is no neighbour of {graph.ids[before or 0]}"
            )
        before = here
        yield (first + here) * VIEWS + _view(heading, elevation)


def _view(heading: float, elevation: float) -> int:
    """Return the view nearest to a camera's angles."""
    row = min(max(LEVEL_ROW + round(elevation / TURN), 0), ROWS - 1)
    return view_index(row, round(heading / TURN) % HEADINGS)


def read_result(record: Any, where: str) -> Result:
    """Return a record of a results file; `where` names it in messages."""
    if not isinstance(record, dict):
        raise InputError(f"{where}: is not an object; expected one with instr_id and trajectory")
    name = record.get("instr_id")
    if not isinstance(name, str):
        raise InputError(f"{where}: field instr_id is {shown(name)}; expected the id of a task")
    trajectory = record.get("trajectory")
    if not isinstance(trajectory, list) or not trajectory or not all(map(_is_pose, trajectory)):
        raise InputError(f"{where}: field trajectory: expected a list of [viewpoint, heading, elevation], start included")
    for field, kind in (("scan", str), ("is_success", bool)):
        if not isinstance(record.get(field), kind | None):
            raise InputError(f"{where}: field {field} is {shown(record[field])}; expected {kind.__name__}")
    budget = record.get("help_budget")
    if budget is not None:
        whole(budget, f"{where}: field help_budget", 0, MOST_REQUESTS)
    forward = record.get("forward")
    if forward is not None and (not isinstance(forward, str) or forward not in FORWARDS):
        raise InputError(f"{where}: field forward is {shown(forward)}; expected {' or '.join(FORWARDS)}")
    return Result(
        instr_id=name,
        scan=record.get("scan"),
        trajectory=tuple((viewpoint, float(heading), float(elevation)) for viewpoint, heading, elevation in trajectory),
        is_success=record.get("is_success"),
        help_budget=budget,
        forward=forward,
        **_each_action(record, len(trajectory) - 1, where),
    )


def _each_action(record: Mapping[str, Any], actions: int, where: str) -> dict[str, Any]:
    """Return the fields that have an entry for every action."""
    found: dict[str, Any] = {}
    checks: tuple[Callable[[object], bool], ...] = (_is_move, _is_ask, _is_ask, _is_reason, _is_words)
    for name, is_right in zip(_EACH_ACTION, checks, strict=True):
        values = record.get(name)
        if values is None:
            continue
        if not isinstance(values, list) or len(values) != actions:
            raise InputError(f"{where}: field {name}: expected a list with an entry for each of the {actions} actions")
        for place, value in enumerate(values):
            if not is_right(value):
                raise InputError(f"{where}: field {name}: entry {place} is {shown(value)}; expected {_EXPECTED[name]}")
        found[name] = tuple(map(_plain, values))
    return found


_EXPECTED = {
    "agent_nav": "[index, heading, elevation], whole numbers of which one at most is not 0, or null",
    "agent_ask": "0 or 1",
    "teacher_ask": "0 or 1",
    "teacher_ask_reason": f"one of {', '.join(_REASONS)}",
    "subgoals": "text or null",
}


def _plain(value: Any) -> Any:
    """Lists become tuples; the authors' random policy writes its requests as truth values."""
    return tuple(value) if isinstance(value, list) else int(value) if isinstance(value, bool) else value


def _is_pose(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[0], str):
        return False
    return all(is_real(angle, -_LARGEST_ANGLE, _LARGEST_ANGLE) for angle in value[1:])


def _is_move(value: object) -> bool:
    if value is None:
        return True
    if not isinstance(value, list) or len(value) != 3 or not all(type(each) is int for each in value):
        return False
    index, *turn = value
    return index >= 0 and set(turn) <= {-1, 0, 1} and sum(each != 0 for each in value) <= 1


def _is_ask(value: object) -> bool:
    return type(value) in (int, bool) and value in (0, 1)


def _is_reason(value: object) -> bool:
    return isinstance(value, str) and value in _REASONS


def _is_words(value: object) -> bool:
    return isinstance(value, str | None)
