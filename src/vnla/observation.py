"""What a policy observes: one set of keys, whoever looks.

A PyTorch module in Algorithm 1, a script in this process, a server behind an address and a Gymnasium program observe the
same things under the same names. `KEYS` has a line on each. What shows something is given to those who declare it:

    observes = ("view", "sensor:requests")

names any of `view` (whatever features there are), `view:NAME` (those of that name), `pictures`, `text`, `symbols` and
`sensor:NAME`; for the panorama track `views`, `exits`, `text_around`, `symbols_around` and `pictures_around`; and, for a
module, `time_left`, `requests_left`, `step` and `may_go_forward`. Whoever is asked about one episode at a time
(`vnla.remote`) is given all keys that show nothing, declared or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from vnla.common.errors import InputError

VIEW, VIEWS, PICTURES, TEXT, SYMBOLS, SENSORS = "view", "views", "pictures", "text", "symbols", "sensors"
EXITS, TEXT_AROUND, SYMBOLS_AROUND, PICTURES_AROUND = "exits", "text_around", "symbols_around", "pictures_around"
ONE_VIEW, SENSOR = "view:", "sensor:"
"""How a declaration begins that names features, or a sensor."""
COUNTS = ("time_left", "requests_left", "step", "may_go_forward")
"""Numbers of an episode that a module may declare."""
AROUND = (VIEWS, EXITS)
"""What is all around a viewpoint, in numbers: sensors that a module observes under keys of their own."""
ENCODERS = {"pictures": PICTURES, "pixels": PICTURES, "text": TEXT}
"""Features that are no numbers of a view → the key under which they are observed."""


class Key(NamedTuple):
    """A key of an observation."""

    one: str
    """What stands there for one episode."""
    batch: str
    """What a PyTorch module is given for a batch; "" where that has no such key."""
    meaning: str


KEYS: Mapping[str, Key] = {
    VIEW: Key("float32 (size,)", "float32 (batch, size)", "features of the view, of all names that were declared"),
    VIEWS: Key(
        "float32 (12, size)", "float32 (batch, 12, size)", "features of the twelve level headings, from its own to the right"
    ),
    PICTURES: Key("uint8 (height, width, 3)", "float32 (batch, 3, height, width), 0 to 1", "the view itself"),
    TEXT: Key("text", "int64 (batch, words), tokens", "what is in view, in words"),
    SYMBOLS: Key("names and values", "", "the things and exits in view (`vnla.vision.symbols`)"),
    EXITS: Key("list of names and values", "float32 (batch, 16, 13)", "what leaves the viewpoint (`vnla.agents.panorama`)"),
    TEXT_AROUND: Key("text", "", "what is in each of the twelve level headings, in words"),
    SYMBOLS_AROUND: Key("twelve of names and values", "", "the things and exits in each of the twelve level headings"),
    PICTURES_AROUND: Key("uint8 (12, height, width, 3)", "", "the twelve level headings, from its own to the right"),
    SENSORS: Key("name → float32 (size,)", "name → float32 (batch, size)", "what each sensor says (`vnla.agents.sensors`)"),
    "instruction": Key("text", "", "the end-goal, with what the advisor said last before it"),
    "end_goal": Key("text", "", "the end-goal alone, as `reset` is given it"),
    "advice": Key("text or None", "Words", "what the advisor said last"),
    "has_requested": Key("bool", "bool (batch,)", "whether help was requested in this very time step"),
    "last_action": Key("Nav or None", "int64 (batch,), 6 before the first", "the last navigation action"),
    "last": Key("names and values", "", "what became of the last answer: `action`, `outcome`, `metres`, `error`, `led`"),
    "step": Key("int", "int64 (batch,)", "time steps before this one"),
    "time_left": Key("int", "int64 (batch,)", "time steps left, this one included"),
    "requests_left": Key("int", "int64 (batch,), before a request of this time step", "requests left"),
    "may_request": Key("bool", "", "whether a request would be answered now"),
    "may_go_forward": Key("bool", "int64 (batch,)", "whether a viewpoint to go to is in view"),
    "episode": Key("text", "", "the name of the episode"),
    "turn": Key("int", "", "how many answers were asked for before in this episode"),
}
"""Key → what stands there, and what it means."""


class Observation(dict[str, Any]):
    """What a policy is given when it acts: a dictionary with the keys of `vnla.observation.KEYS`, as far as they are known.

    To look for one that is not there is an error that says which there are.
    """

    def __missing__(self, key: str) -> Any:
        why = KEYS[key].meaning if key in KEYS else "no such key is known"
        raise InputError(f"the observation has no {key!r} ({why}); it has {', '.join(self)}; declare it in `observes`")

    @property
    def vector(self) -> Any:
        """All numbers that show something in one tensor, for a batch: (batch, sizes). Features first, counts last."""
        import torch

        return torch.cat([each.flatten(1).float() for each in self._shown()], dim=1)

    def _shown(self) -> Iterator[Any]:
        sensors = self.get(SENSORS, {})
        yield from (self[key] for key in (VIEW, PICTURES, TEXT, *AROUND) if key in self and key not in sensors)
        yield from sensors.values()
        yield from (self[key][:, None] for key in COUNTS if key in self)


def declared(kind: object, default: Sequence[str] = ()) -> tuple[str, ...]:
    """What a policy, or its class, declares to observe; the default where it declares nothing."""
    name = kind.__name__ if isinstance(kind, type) else type(kind).__name__
    if hasattr(kind, "sees"):
        raise InputError(f'agent {name}: has `sees`, which is called `observes` now, for example observes = ("{VIEW}",)')
    observes: Any = getattr(kind, "observes", default)
    sound = isinstance(observes, Sequence) and not isinstance(observes, str)
    if not sound or not all(isinstance(each, str) and is_declaration(each) for each in observes):
        raise InputError(f"agent {name}: observes is {observes!r}; expected a list of {DECLARATIONS}")
    return tuple(dict.fromkeys(observes))


SHOWN = (VIEW, PICTURES, TEXT, SYMBOLS, *AROUND, TEXT_AROUND, SYMBOLS_AROUND, PICTURES_AROUND)
"""Keys that show something and are declared by their own names."""
DECLARATIONS = f"{VIEW}, {ONE_VIEW}NAME, {', '.join(SHOWN[1:4])}, {SENSOR}NAME, {', '.join((*SHOWN[4:], *COUNTS))}"
"""What can be declared, in words."""


def is_declaration(text: str) -> bool:
    """Whether something can be declared by this name."""
    named = any(text.startswith(each) and text != each for each in (ONE_VIEW, SENSOR))
    return named or text in (*SHOWN, *COUNTS)


def named(observes: Sequence[str], prefix: str) -> tuple[str, ...]:
    """The names that are declared with a prefix, `SENSOR` say."""
    return tuple(each.removeprefix(prefix) for each in observes if each.startswith(prefix))
