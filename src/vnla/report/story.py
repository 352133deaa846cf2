"""One episode told as a person would tell it: what was asked for, what the agent thought, asked and did, how it ended.

    rollout = run_task(context, tasks, "1234_0")
    Console().print(tell(rollout, 0, house, task, context.advisor))

`follow` turns an episode of a rollout into an `Account`, which films and maps are drawn from as well; `tell` puts it into
words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text
from torch import Tensor

from vnla.assistance.advisor import Advisor
from vnla.assistance.help_teacher import Reason
from vnla.camera import HEADINGS, VIEWS
from vnla.evaluation.scores import SUCCESS_RADIUS
from vnla.houses.house import House
from vnla.houses.rooms import NO_LABEL
from vnla.report.plan import Step
from vnla.rollout import Rollout, Transition
from vnla.tasks.task import Task
from vnla.vision.symbolic import symbolic_features
from vnla.world.actions import Nav
from vnla.world.compiled import World

Sights = Callable[[int, int], list[str]]
"""(number of a viewpoint, view) → labels of the things in view, nearest first."""

ACTIONS = {
    Nav.LEFT: "turn left",
    Nav.RIGHT: "turn right",
    Nav.UP: "look up",
    Nav.DOWN: "look down",
    Nav.FORWARD: "go forward",
    Nav.STOP: "stop",
}
REASONS = {
    Reason.NO_BUDGET: "no request was left",
    Reason.ARRIVED: "it stands at a goal and would walk on",
    Reason.DEVIATED: "it is far from the shortest path",
    Reason.CONFUSED: "it does not know what to do",
    Reason.UNMOVED: "it has been in one place for long",
    Reason.USE_IT_UP: "there is as much help left as time",
    Reason.NO_NEED: "it needs no help",
}
_DOES = {Nav.LEFT: "turns left", Nav.RIGHT: "turns right", Nav.UP: "looks up", Nav.DOWN: "looks down", Nav.STOP: "stops"}
_PLACES = {"s": "on the stairs", "p": "on the porch", "y": "on the balcony", "z": "in a room without a name"}
_COMPASS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
_SURE, _FAIRLY_SURE, _UNSURE = 0.4, math.log(len(Nav)) - 1.0, 1.35  # nats; the middle one is where rule (b) begins

_INDENT = 5
"""Columns before the words of a step."""

QUIET, ASKED, SAID, GOOD, BAD = "bright_black", "bold red", "italic", "bold green", "bold red"


@dataclass(frozen=True)
class EpisodeStep:
    """One step of an episode. Viewpoints are numbers of the house."""

    number: int  # from 0: how many actions were taken before
    viewpoint: int
    view: int
    metres_left: float
    tentative: tuple[float, ...]  # probabilities of the six actions before it could ask
    final: tuple[float, ...]  # and after
    asks: bool
    teacher_asks: bool
    reason: Reason
    said: str | None  # what the advisor said, None where it was not asked
    led: bool  # whether a direct advisor acted in its place
    action: Nav
    taught: Nav  # what the navigation teacher would have done

    @property
    def entropy(self) -> float:
        """Of the tentative distribution, in nats."""
        return -sum(each * math.log(each) for each in self.tentative if each > 0)


@dataclass(frozen=True)
class Account:
    """A whole episode."""

    house: House
    task: Task
    steps: tuple[EpisodeStep, ...]
    last: tuple[int, int]  # viewpoint and view at the end
    metres_left: float
    walked: float
    time_budget: int
    help_budget: int

    @property
    def end_goal(self) -> str:
        """As people write it."""
        return self.task.end_goal.removesuffix(" .").capitalize()

    @property
    def success(self) -> bool:
        """Whether it ended near enough to a goal."""
        return self.metres_left <= SUCCESS_RADIUS

    @property
    def stopped(self) -> bool:
        """Whether it ended by its own decision."""
        return bool(self.steps) and self.steps[-1].action is Nav.STOP

    @property
    def requests(self) -> int:
        """How often it asked."""
        return sum(step.asks for step in self.steps)

    @property
    def goals(self) -> list[int]:
        """The goal viewpoints."""
        return [self.house.number[goal] for goal in self.task.goals]

    def walk(self) -> list[Step]:
        """The episode for `report.maps` and `report.terminal`: a step before each action, and where it ended."""
        steps = [Step(step.viewpoint, step.view, step.said, ACTIONS[step.action]) for step in self.steps]
        return steps if self.stopped else [*steps, Step(*self.last)]


def follow(rollout: Rollout, index: int, house: House, task: Task, advisor: Advisor) -> Account:
    """The episode numbered `index` of a rollout; `task` is its task and `house` its house."""
    episodes = rollout.episodes
    goals, world = episodes.goals[index : index + 1], episodes.environment.world
    poses = [episodes.start[index : index + 1]]
    steps: list[EpisodeStep] = []
    since = advisor.k
    for transition in rollout.transitions:
        places = ((transition.row == index) & transition.active).nonzero()
        if len(places):
            row = int(places[0])
            since = 0 if bool(transition.request[row]) else since + 1
            left = float(episodes.environment.distance_left(poses[-1], goals))
            steps.append(_step_of(transition, row, house, world, left, led=advisor.direct and since < advisor.k))
            poses.append(transition.after[row : row + 1])
    walked = sum(_metres(world, a, b) for a, b in pairwise(poses))
    return Account(
        house=house,
        task=task,
        steps=tuple(steps),
        last=_where(house, world, int(poses[-1])),
        metres_left=float(episodes.environment.distance_left(poses[-1], goals)),
        walked=walked,
        time_budget=int(episodes.time_budget[index]),
        help_budget=int(episodes.help_budget[index]),
    )


def _step_of(transition: Transition, row: int, house: House, world: World, left: float, led: bool) -> EpisodeStep:
    viewpoint, view = _where(house, world, int(transition.pose[row]))
    asks = bool(transition.request[row])
    return EpisodeStep(
        number=transition.step,
        viewpoint=viewpoint,
        view=view,
        metres_left=left,
        tentative=tuple(transition.tentative[row].tolist()),
        final=tuple(transition.final[row].exp().tolist()),
        asks=asks,
        teacher_asks=bool(transition.teacher_request[row]),
        reason=Reason(int(transition.reason[row])),
        said=transition.phrases.text(int(transition.heard[row])) if asks else None,
        led=led,
        action=Nav(int(transition.nav[row])),
        taught=Nav(int(transition.taught[row])),
    )


def _where(house: House, world: World, pose: int) -> tuple[int, int]:
    viewpoint, view = divmod(pose, VIEWS)
    return house.number[world.ids[viewpoint]], view


def _metres(world: World, here: Tensor, there: Tensor) -> float:
    return float(world.distance_between(here // VIEWS, there // VIEWS))


def sights(house: House) -> Sights:
    """What is in view, by the house's own list of objects."""
    world = World.compile([house])
    features = symbolic_features([house], world)
    place = {house.number[viewpoint]: i for i, viewpoint in enumerate(world.ids)}

    def seen(viewpoint: int, view: int) -> list[str]:
        values = features.array[place[viewpoint], view]
        return [features.labels[i] for i in (-values).argsort(kind="stable") if values[i] > 0]

    return seen


@dataclass(frozen=True)
class Story:
    """Lines that Rich prints; as text they are plain."""

    lines: tuple[Text, ...]

    def __str__(self) -> str:
        return "\n".join(line.plain for line in self.lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich calls this."""
        for line in self.lines:
            yield from _hanging(_to_ascii(line) if options.ascii_only else line, console, options.max_width)


def _hanging(line: Text, console: Console, width: int) -> Iterator[Text]:
    """A line folded to a width; what belongs to a step goes on below its words, not below its number."""
    head = line.plain[:_INDENT]
    if not (head.isspace() or head.strip().isdigit()) or width <= 2 * _INDENT:
        yield line
        return
    for number, part in enumerate(line[_INDENT:].wrap(console, width - _INDENT)):
        part.rstrip()
        yield Text.assemble(Text(" " * _INDENT) if number else line[:_INDENT], part)


def tell(rollout: Rollout, index: int, house: House, task: Task, advisor: Advisor) -> Story:
    """The story of the episode numbered `index` of a rollout."""
    return put_into_words(follow(rollout, index, house, task, advisor))


def put_into_words(account: Account) -> Story:
    """The story of an episode."""
    seen = sights(account.house)
    lines = [*_opening(account), Text()]
    for step, after in zip(account.steps, _viewpoints_after(account), strict=True):
        lines += _step(account, step, after, seen(step.viewpoint, step.view)[:3])
    return Story((*lines, Text(), *_ending(account)))


def _opening(account: Account) -> Iterator[Text]:
    viewpoint, view = (account.steps[0].viewpoint, account.steps[0].view) if account.steps else account.last
    metres = account.steps[0].metres_left if account.steps else account.metres_left
    yield Text(f"“{account.end_goal}.”", style="bold")
    yield Text(
        f"The agent begins {place(account.house, viewpoint)} and looks {compass(view)};"
        f" the nearest goal is {metres:.1f} m away."
        f" It has {count(account.time_budget, 'step')} and may ask {times(account.help_budget)}."
    )


def _viewpoints_after(account: Account) -> list[int]:
    return [*(step.viewpoint for step in account.steps[1:]), account.last[0]]


def _step(account: Account, step: EpisodeStep, after: int, seen: list[str]) -> Iterator[Text]:
    """The lines of one step: where it is and what it thinks; asking; doing."""
    where = f"{place(account.house, step.viewpoint)}, {step.metres_left:.1f} m to go"
    in_view = f"; in view: {', '.join(seen)}" if seen else ""
    yield Text.assemble((f"{step.number + 1:3d}  ", "bold"), where[0].upper() + where[1:], (in_view, QUIET))
    chances = f" ({_chances(step.tentative)}; entropy {step.entropy:.2f})."
    yield Text.assemble(f"     Before it can ask, it {sureness(step)}", (chances, QUIET))
    if asking := _asking(step):
        yield Text(f"     {asking}", style=ASKED if step.asks else QUIET)
    if step.said is not None:
        said = Text.assemble("     The advisor says: ", (f"“{step.said}”", SAID))
        yield said if step.said else Text("     The advisor says nothing and takes over.")
    yield Text(f"     {_doing(account.house, step, after)}")


def sureness(step: EpisodeStep) -> str:
    """How sure the agent is, by the entropy of its tentative distribution."""
    if step.entropy < _SURE:
        return "is sure of what to do"
    if step.entropy <= _FAIRLY_SURE:
        return "is fairly sure of what to do"
    return "is unsure of what to do" if step.entropy < _UNSURE else "has no idea of what to do"


def final_chance(step: EpisodeStep) -> str:
    """The probability that the agent gave its action when it took it; pictures have the same number."""
    return f"{step.final[step.action]:.0%}{' after advice' if step.said is not None else ''}"


def _chances(distribution: tuple[float, ...]) -> str:
    """The two most probable actions."""
    best = sorted(Nav, key=lambda action: -distribution[action])[:2]
    return ", ".join(f"{ACTIONS[action]} {distribution[action]:.0%}" for action in best)


def _asking(step: EpisodeStep) -> str:
    """What there is to say of asking; nothing where neither agent nor teacher would."""
    if step.asks and step.teacher_asks:
        return f"It asks for help, as its teacher would: {REASONS[step.reason]}."
    if step.asks:
        return "It asks for help; its teacher would not have asked."
    return f"It does not ask for help, but its teacher would have: {REASONS[step.reason]}." if step.teacher_asks else ""


def _doing(house: House, step: EpisodeStep, after: int) -> str:
    who = "The advisor acts for it: it" if step.led else "It"
    if step.action is Nav.FORWARD:
        does = f"goes forward, now {place(house, after)}" if after != step.viewpoint else "tries to go forward"
    else:
        does = _DOES[step.action]
    other = "" if step.action is step.taught else f"; its teacher would {ACTIONS[step.taught]}"
    chance = "" if step.led else f" ({final_chance(step)})"
    return f"{who} {does}{chance}{other}."


def _ending(account: Account) -> Iterator[Text]:
    how = "It stopped" if account.stopped else "Its time ran out"
    metres = distance_to_goal(account)
    style = GOOD if account.success else BAD
    verdict = "Success" if account.success else "Failure"
    yield Text.assemble((f"{verdict}. ", style), f"{how} {place(account.house, account.last[0])}, {metres}.")
    for sentence in what_went_wrong(account):
        yield Text(sentence)
    shortest = account.steps[0].metres_left if account.steps else account.metres_left
    yield Text(
        f"It took {len(account.steps)} of {count(account.time_budget, 'step')}, asked for help {account.requests}"
        f" of {count(account.help_budget, 'time')} and walked {account.walked:.1f} m;"
        f" the shortest path is {shortest:.1f} m long.",
        style=QUIET,
    )


def distance_to_goal(account: Account) -> str:
    """Where it ended, seen from the goals."""
    return "at a goal" if account.metres_left == 0 else f"{account.metres_left:.1f} m from the nearest goal"


def what_went_wrong(account: Account) -> list[str]:
    """Sentences on why an episode failed; none for a success."""
    if account.success:
        return []
    house, here = account.house, account.last[0]
    wrong = []
    closest = min(account.steps, key=lambda step: step.metres_left, default=None)
    if closest is not None and closest.metres_left <= SUCCESS_RADIUS:
        wrong.append(f"It had been near enough after {count(closest.number, 'action')}, but did not stop there.")
    room, wanted = house.room_of(here), {each.label: each for each in map(house.room_of, account.goals) if each}
    if room and wanted and room.label not in wanted:
        names = " or ".join(sorted(each.name for each in wanted.values()))
        wrong.append(f"It is in the wrong room: {room.name} instead of {names}.")
    elif room and wanted:
        wrong.append(
            f"It is in the right kind of room, but not near enough to what it should find ({SUCCESS_RADIUS:.0f} m)."
        )
    if len({step.viewpoint for step in account.steps} | {here}) == 1:
        wrong.append("It never left the place where it began.")
    if account.stopped:
        left = account.time_budget - len(account.steps)
        wrong.append(f"It stopped too early, with {count(left, 'step')} left." if left else "It stopped at its last step.")
    else:
        wrong.append("It ran out of time.")
    return wrong


def place(house: House, viewpoint: int) -> str:
    """Where that is, as people say it."""
    room = house.room_of(viewpoint)
    if room is None or room.label == NO_LABEL:
        return f"at viewpoint {viewpoint}"
    return _PLACES.get(room.label, f"in the {room.name}")


def compass(view: int) -> str:
    """The point of the compass nearest to a view's heading."""
    return _COMPASS[round(view % HEADINGS * len(_COMPASS) / HEADINGS) % len(_COMPASS)]


def count(number: int, what: str) -> str:
    """A number and what it counts."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def times(number: int) -> str:
    """How often."""
    return {0: "not once", 1: "once", 2: "twice"}.get(number, f"{number} times")


def _to_ascii(line: Text) -> Text:
    plain = line.copy()
    plain.plain = line.plain.replace("“", '"').replace("”", '"').encode("ascii", "replace").decode()
    return plain
