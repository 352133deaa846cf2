"""What happens in front of a visitor, as an append-only list of events: the one source of live page, replay and study.

Events are numbered from 1 within a session. `vnla.serve.reduce` makes the state of a page from them. Places are the opaque
names of `vnla.serve.places`; of a walk that a person makes no event but `ended` says where the goals are.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from vnla.world.actions import Nav

Mode = Literal["watch", "help", "beat"]
Action = Literal["left", "right", "up", "down", "forward", "stop"]
ACTIONS: dict[Nav, Action] = {
    Nav.LEFT: "left", Nav.RIGHT: "right", Nav.UP: "up", Nav.DOWN: "down", Nav.FORWARD: "forward", Nav.STOP: "stop",
}  # fmt: skip
NUMBERS: dict[Action, Nav] = {name: action for action, name in ACTIONS.items()}


class Frozen(BaseModel):
    """Plain data that nobody changes and that has no other fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Pose(Frozen):
    """A viewpoint, one of twelve headings and one of three rows (0 down, 1 level, 2 up)."""

    viewpoint: str
    heading: int = Field(ge=0, le=11)
    row: int = Field(ge=0, le=2)


class Score(Frozen):
    """How many of the tasks that both have done each has solved."""

    yours: int
    its: int
    tasks: int


class SoughtObject(Frozen):
    """The object that was found: what it is outlined by, and the pose that looks at it from where the walk ended."""

    corners: list[tuple[float, float, float]]
    """Of its box, in metres as the plan has them: x east, y north, z up."""
    pose: Pose
    near: str
    """The viewpoint that stands for it."""
    same_room: bool
    """Whether it is in the room where the walk ended; otherwise there may be a wall before it."""


class WrongTurn(Frozen):
    """The last step at which the way was still right: afterwards the walk never came as near to a goal again."""

    step: int
    pose: Pose
    metres: float
    """From there to the nearest goal."""
    left: bool
    """Whether the walk went away from there; otherwise it only ended too soon."""


class DayResult(Frozen):
    """How somebody did in the task of a day."""

    date: str
    success: bool
    steps: int
    requests: int
    """That were made."""
    seconds: int
    its_success: bool | None
    """Whether the agent found it; None if that is not known."""
    its_steps: int | None
    marks: list[int]
    """For each step 1 if it led nearer to a goal, -1 if farther away, 0 if neither. They say nothing of where it is."""
    token: str
    """The same as text, which this server alone can have made."""


class Ending(Frozen):
    """What is shown at the end of a walk."""

    sought: SoughtObject | None = None
    """After a success; None if the tasks do not say which objects they mean."""
    wrong_turn: WrongTurn | None = None
    """After a failure."""
    rooms: list[list[str | None]] | None = None
    """The names of the rooms of each storey, in the order of the plan, for whoever has walked without them."""
    day: DayResult | None = None
    """Of the task of the day."""


class BaseEvent(Frozen):
    """An event."""

    number: int = Field(default=0, ge=0)
    """0 as long as it is in no session."""


class BegunEvent(BaseEvent):
    """An episode begins; whatever was before it is over."""

    kind: Literal["begun"] = "begun"
    mode: Mode
    episode: str
    house: str
    sentence: str
    time: int
    requests: int
    k: int
    start: Pose
    link: str | None = None
    """The episode as a fragment of the page's address; None for a walk of one's own."""
    day: str | None = None
    """The date, if it is the task of a day."""
    until: float | None = None
    """When that ends by the server's clock, in milliseconds."""
    agent: str | None = None
    """Who walks, or whom a visitor walks against, if it is not the server's own agent."""
    around: bool = False
    """Whether who walks sees all around."""


class StoodEvent(BaseEvent):
    """A step begins. If the step was told before, that and all after it is void."""

    kind: Literal["stood"] = "stood"
    step: int
    pose: Pose
    steps_left: int
    requests_left: int
    ahead: list[str]
    """All viewpoints in view that can be walked to."""


class ThoughtEvent(BaseEvent):
    """What the agent made of it: probabilities of the six actions, in the order of `Action`, before and after asking."""

    kind: Literal["thought"] = "thought"
    before: list[float]
    after: list[float]
    """Empty while it waits for an answer."""
    ask: float
    """How probable it finds it to ask; 0 or 1 where something else decides that."""
    attention: list[tuple[str, float]]
    """The words that it was told, in order, and "(end)", and how much it attends to each: 1 in all but for rounding; empty
    where an agent has no such thing."""


class AskedEvent(BaseEvent):
    """Somebody asks for help."""

    kind: Literal["asked"] = "asked"
    step: int
    by: Literal["agent", "visitor"]


class AdvisedEvent(BaseEvent):
    """Somebody gives advice, asked or unasked; `understood` is what the agent reads, None if there was no answer."""

    kind: Literal["advised"] = "advised"
    by: Literal["advisor", "visitor"]
    text: str
    understood: str | None
    parts: list[tuple[int, int, bool]] = []
    """Stretches of the text, each with its first character, the one after its last, and whether it was understood."""


class ActedEvent(BaseEvent):
    """An action was carried out."""

    kind: Literal["acted"] = "acted"
    action: Action
    pose: Pose
    """After it."""


class WaitsEvent(BaseEvent):
    """The agent has asked, and waits for the visitor's answer."""

    kind: Literal["waits"] = "waits"
    step: int
    way: list[str]
    """The shortest way from here to the nearest goal, as viewpoints."""
    offer: str
    """What the advisor would say."""


class EndedEvent(BaseEvent):
    """An episode is over."""

    kind: Literal["ended"] = "ended"
    reason: Literal["stopped", "time", "left"]
    success: bool | None
    metres: float | None
    """To the nearest goal. This and success are None where the visitor is not told how it went."""
    goals: list[str]
    walk: list[Pose] | None = None
    """The agent's on the same task, where a person walked."""
    its_success: bool | None = None
    """Whether the agent solved it."""
    score: Score | None = None
    link: str | None = None
    """An agent's episode with all that was said in it, as `BegunEvent.link`."""
    ending: Ending | None = None


class SaidEvent(BaseEvent):
    """A line for the page, as text."""

    kind: Literal["said"] = "said"
    text: str


Event = Annotated[
    BegunEvent | StoodEvent | ThoughtEvent | AskedEvent | AdvisedEvent | ActedEvent | WaitsEvent | EndedEvent | SaidEvent,
    Field(discriminator="kind"),
]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Reads and checks any of them, and gives their JSON schema."""
