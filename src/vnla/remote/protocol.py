"""The protocol in JSON, version 1: what is sent to a guest, and what its answers mean. `docs/remote.md` describes it,
`protocol.schema.json` beside this file is its JSON Schema.

What comes from a guest is a stranger's text: it is parsed as JSON and looked at field by field, and nothing else is done
with it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any, TypeGuard

from vnla.agents.sensors import LENT
from vnla.camera import HEIGHT, WIDTH
from vnla.common.errors import InputError
from vnla.common.outside import from_json, is_real, is_whole, shown
from vnla.remote.guest import ACTIONS, FEATURES, OBSERVATIONS, SENSE, Answer, Beginning, Declared, Fault, Observation
from vnla.world.actions import NAV_ACTIONS, Nav

VERSION = 1
SCHEMA = "protocol.schema.json"
LARGEST_BATCH = 1024
WIDEST = 1280
_NARROWEST = 16
WIDTHS = f"pixels from {_NARROWEST} to {WIDEST} that are a multiple of 4: pictures are 4:3"
"""How wide pictures may be, in words."""
_LONGEST_NAME = 200


def schema() -> dict[str, Any]:
    """The protocol as a JSON Schema."""
    value: dict[str, Any] = json.loads(files("vnla.remote").joinpath(SCHEMA).read_text(encoding="utf-8"))
    return value


def parsed(text: bytes | str) -> Any:
    """The value of JSON; a `ValueError` says what is wrong with it: two actions in one answer, say."""
    return from_json(text, unique=True)


def read_declared(value: Any, where: str) -> Declared:
    """What a guest says of itself."""

    def wrong(name: str, expected: str) -> InputError:
        found = value.get(name) if isinstance(value, dict) else value
        return InputError(f"{where}: {name} is {shown(found)}; expected {expected}")

    if not isinstance(value, dict) or not is_whole(value.get("version"), VERSION, VERSION):
        raise wrong("version", f"{VERSION}, the protocol that this vnla speaks")
    name, observes = value.get("name"), value.get("observes", ["text"])
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
        raise wrong("name", "what to call the agent, in characters that can be printed")
    if not isinstance(observes, list) or not observes or not all(map(_is_observation, observes)):
        raise wrong("observes", f"a list of {', '.join(OBSERVATIONS)}, {FEATURES}NAME, or {SENSE} and {', '.join(LENT)}")
    batch, width = value.get("batch", 1), value.get("picture_width", Declared.width)
    if not is_whole(batch, 1, LARGEST_BATCH):
        raise wrong("batch", f"a whole number from 1 to {LARGEST_BATCH}: how many episodes it takes at once")
    if not is_width(width):
        raise wrong("picture_width", WIDTHS)
    return Declared(name, tuple(dict.fromkeys(observes)), batch, width)


def is_width(value: object) -> TypeGuard[int]:
    """Whether pictures can be so wide."""
    return is_whole(value, _NARROWEST, WIDEST) and value * HEIGHT % WIDTH == 0


def _is_observation(value: Any) -> bool:
    """Senses are those of this package: a stranger's text names no module."""
    known = {*OBSERVATIONS, *(f"{SENSE}{name}" for name in LENT)}
    return isinstance(value, str) and (value in known or (value.startswith(FEATURES) and _is_store(value)))


def _is_store(value: str) -> bool:
    """Whether features are named as one folder of a world's is: a stranger's text leads nowhere else."""
    name = value.removeprefix(FEATURES)
    return name.isprintable() and not name.startswith(".") and name != "" and not set(name) & set("/\\:,")


def beginning_json(beginning: Beginning) -> dict[str, Any]:
    """What is sent when an episode begins."""
    return {"version": VERSION, **asdict(beginning), "actions": list(ACTIONS)}


def observation_json(observation: Observation) -> dict[str, Any]:
    """What is sent before each answer; only what the guest asked to be shown is in it."""
    value = {"version": VERSION, **asdict(observation)}
    value = {name: each for name, each in value.items() if each is not None or name in ("advice", "last")}
    if observation.picture is not None:
        value["picture"] = base64.b64encode(observation.picture).decode("ascii")
    value["features"] = {name: base64.b64encode(each).decode("ascii") for name, each in observation.features.items()}
    return {name: each for name, each in value.items() if each or name not in ("features", "senses")}


def read_answer(value: Any) -> Answer | Fault:
    """What a guest's answer means."""
    if not isinstance(value, dict):
        return Fault.MALFORMED
    action, request, chances = (value.get(name) for name in ("action", "request", "chances"))
    if not isinstance(request, bool | None) or (action is None) is not (request is True):
        return Fault.MALFORMED  # neither of them, or both
    if action is not None and not isinstance(action, str):
        return Fault.MALFORMED
    if action is not None and action not in ACTIONS:
        return Fault.UNKNOWN_ACTION
    found = None if chances is None else _chances(chances)
    if chances is not None and found is None:
        return Fault.MALFORMED
    return Answer(None if action is None else ACTIONS[action], found)


def read_answers(value: Any, count: int) -> list[Answer | Fault]:
    """Those of a batch; one that is not of the right length answers nobody."""
    answers = value.get("answers") if isinstance(value, dict) else None
    if not isinstance(answers, list) or len(answers) != count:
        return [Fault.MALFORMED] * count
    return [read_answer(each) for each in answers]


def _chances(value: Any) -> tuple[float, ...] | None:
    """Probabilities of all actions, by their names."""
    if not isinstance(value, Mapping) or set(value) != set(ACTIONS):
        return None
    found = [value[action.name.lower()] for action in Nav]
    if not all(is_real(each, 0, 1) for each in found):
        return None
    return tuple(map(float, found)) if abs(sum(found) - 1) < 1e-3 else None


def answer_json(answer: Answer) -> dict[str, Any]:
    """An answer as a server sends it."""
    value: dict[str, Any] = {"request": True} if answer.action is None else {"action": answer.action.name.lower()}
    if answer.chances is not None:
        assert len(answer.chances) == NAV_ACTIONS
        value["chances"] = {action.name.lower(): each for action, each in zip(Nav, answer.chances, strict=True)}
    return value


def read_observation(value: Mapping[str, Any]) -> Observation:
    """What a server was sent, for servers in Python."""
    from vnla.remote.guest import Last

    known: dict[str, Any] = {name: value.get(name) for name in Observation.__dataclass_fields__}
    known["last"] = None if value.get("last") is None else Last(**value["last"])
    known["picture"] = None if value.get("picture") is None else base64.b64decode(value["picture"])
    known["features"] = {name: base64.b64decode(each) for name, each in value.get("features", {}).items()}
    known["senses"] = value.get("senses", {})
    return Observation(**known)


def read_beginning(value: Mapping[str, Any]) -> Beginning:
    """The same of how an episode begins."""
    return Beginning(**{name: value[name] for name in Beginning.__dataclass_fields__})


def in_batch(name: str, values: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Several of them in one call."""
    return {"version": VERSION, name: list(values)}
