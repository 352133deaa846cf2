"""The protocol in JSON, version 2: what is sent to an agent, and what its answers mean. `docs/remote.md` describes it,
`protocol.schema.json` beside this file is its JSON Schema.

Its keys are those of every observation (`vnla.observation`). Version 1 had others for some; agents that declare it are
sent those (`_OLD_KEYS`).

What comes from an agent is untrusted text: it is parsed as JSON and looked at field by field, and nothing else is done
with it.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vnla.agents.sensor_registry import UNTRAINED, UNTRAINED_AROUND
from vnla.camera import HEADINGS, HEIGHT, WIDTH
from vnla.common.errors import InputError
from vnla.common.outside import from_json, is_real, is_whole, shown
from vnla.observation import ONE_VIEW, PICTURES, PICTURES_AROUND, SENSOR, SENSORS, SHOWN, TEXT, VIEW, VIEWS, Observation
from vnla.remote.evaluated_agent import ACTIONS, Answer, Declaration, Fault
from vnla.world.actions import NAV_ACTIONS, Nav

VERSION = 2
VERSIONS = (1, VERSION)
SCHEMA = "protocol.schema.json"
LARGEST_BATCH = 1024
WIDEST = 1280
BASE64 = (VIEW, VIEWS, PICTURES, PICTURES_AROUND, "picture")
"""Keys whose values are bytes in base64, or a list of such."""
_NARROWEST = 16
WIDTHS = f"pixels from {_NARROWEST} to {WIDEST} that are a multiple of 4: pictures are 4:3"
"""How wide pictures may be, in words."""
_LONGEST_NAME = 200
_OLD_KEYS = {PICTURES: "picture", SENSORS: "senses"}
_OLD_DECLARATIONS = {"picture": PICTURES, "features:": ONE_VIEW, "sense:": SENSOR}
_NEW_KEYS = ("has_requested", "last_action")
_FIRST = {"time_left": "time", "requests_left": "requests"}  # when an episode begins, in version 1


def schema() -> dict[str, Any]:
    """The protocol as a JSON Schema."""
    value: dict[str, Any] = json.loads(files("vnla.remote").joinpath(SCHEMA).read_text(encoding="utf-8"))
    return value


def parsed(text: bytes | str) -> Any:
    """The value of JSON; a `ValueError` says what is wrong with it: two actions in one answer, say."""
    return from_json(text, unique=True)


def read_declaration(value: Any, where: str) -> Declaration:
    """What an agent says of itself."""

    def wrong(name: str, expected: str) -> InputError:
        found = value.get(name) if isinstance(value, dict) else value
        return InputError(f"{where}: {name} is {shown(found)}; expected {expected}")

    version = value.get("version") if isinstance(value, dict) else None
    if not is_whole(version, *VERSIONS):
        raise wrong("version", f"{VERSION}, the protocol that this vnla speaks")
    name, observes = value.get("name"), value.get("observes", [TEXT])
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
        raise wrong("name", "what to call the agent, in characters that can be printed")
    if isinstance(observes, list) and version == 1:
        observes = [_renewed(each) for each in observes]
    if not isinstance(observes, list) or not observes or not all(map(_is_observed, observes)):
        kinds = f"{VIEW}, {ONE_VIEW}NAME, {', '.join(SHOWN[1:])}"
        raise wrong("observes", f"a list of {kinds}, or {SENSOR} and {', '.join((*UNTRAINED, *UNTRAINED_AROUND))}")
    if version == 1 and sum(each.startswith(ONE_VIEW) for each in observes) > 1:
        raise wrong("observes", f"features of one name, or version {VERSION}")
    batch, width = value.get("batch", 1), value.get("picture_width", Declaration.picture_width)
    if not is_whole(batch, 1, LARGEST_BATCH):
        raise wrong("batch", f"a whole number from 1 to {LARGEST_BATCH}: how many episodes it takes at once")
    if not is_width(width):
        raise wrong("picture_width", WIDTHS)
    return Declaration(name, tuple(dict.fromkeys(observes)), batch, width, version)


def _renewed(each: Any) -> Any:
    """What version 1 declared, as it is declared now."""
    for old, new in _OLD_DECLARATIONS.items():
        if isinstance(each, str) and (each == old or (old.endswith(":") and each.startswith(old))):
            return new + each.removeprefix(old)
    return each


def is_width(value: object) -> TypeGuard[int]:
    """Whether pictures can be so wide."""
    return is_whole(value, _NARROWEST, WIDEST) and value * HEIGHT % WIDTH == 0


def _is_observed(value: Any) -> bool:
    """Sensors are those of this package: untrusted text names no module."""
    known = {*SHOWN, *(f"{SENSOR}{name}" for name in (*UNTRAINED, *UNTRAINED_AROUND))}
    return isinstance(value, str) and (value in known or (value.startswith(ONE_VIEW) and _is_store(value)))


def _is_store(value: str) -> bool:
    """Whether features are named as one folder of a world's is: untrusted text leads nowhere else."""
    name = value.removeprefix(ONE_VIEW)
    return name.isprintable() and not name.startswith(".") and name != "" and not set(name) & set("/\\:,")


def reset_path(agent: Declaration) -> str:
    """Where an agent is told that an episode begins."""
    return "/begin" if agent.version == 1 else "/reset"


def reset_json(observation: Observation, agent: Declaration) -> dict[str, Any]:
    """What is sent when an episode begins."""
    keys = ("episode", "instruction", "time_left", "requests_left")
    old = _FIRST if agent.version == 1 else {}
    return {"version": agent.version, **{old.get(key, key): observation[key] for key in keys}, "actions": list(ACTIONS)}


def observation_json(observation: Observation, agent: Declaration) -> dict[str, Any]:
    """What is sent before each answer; only what the agent declared is shown in it."""
    value: dict[str, Any] = {"version": agent.version, **observation}
    value["last_action"] = None if value["last_action"] is None else value["last_action"].name.lower()
    for key in (VIEW, VIEWS):
        if key in value:
            value[key] = _base64(np.asarray(value[key], "<f4").tobytes())
    if PICTURES in value:
        value[PICTURES] = _base64(png(value[PICTURES]))
    if PICTURES_AROUND in value:
        value[PICTURES_AROUND] = [_base64(png(each)) for each in value[PICTURES_AROUND]]
    if SENSORS in value:
        value[SENSORS] = {name: each.tolist() for name, each in value[SENSORS].items()}
    return value if agent.version == VERSION else _aged(value, agent)


def _aged(value: dict[str, Any], agent: Declaration) -> dict[str, Any]:
    """An observation as version 1 has it."""
    aged = {_OLD_KEYS.get(key, key): each for key, each in value.items() if key not in _NEW_KEYS}
    if VIEW in aged:
        aged["features"] = {agent.features[0]: aged.pop(VIEW)}
    return aged


def read_observation(value: Mapping[str, Any]) -> Observation:
    """What a server was sent, for servers in Python; also what is sent when an episode begins."""
    found = Observation({key: each for key, each in value.items() if key not in ("version", "actions")})
    if found.get("last_action") is not None:
        found["last_action"] = ACTIONS[found["last_action"]]
    if VIEW in found:
        found[VIEW] = np.frombuffer(base64.b64decode(found[VIEW]), "<f4").copy()
    if VIEWS in found:
        found[VIEWS] = np.frombuffer(base64.b64decode(found[VIEWS]), "<f4").reshape(HEADINGS, -1).copy()
    if PICTURES in found:
        found[PICTURES] = _picture(found[PICTURES])
    if PICTURES_AROUND in found:
        found[PICTURES_AROUND] = np.stack([_picture(each) for each in found[PICTURES_AROUND]])
    if SENSORS in found:
        found[SENSORS] = {name: np.array(each, np.float32) for name, each in found[SENSORS].items()}
    return found


def read_answer(value: Any) -> Answer | Fault:
    """What an agent's answer means."""
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


def in_batch(name: str, values: Sequence[dict[str, Any]], agent: Declaration) -> dict[str, Any]:
    """Several of them in one call."""
    return {"version": agent.version, name: list(values)}


def png(picture: NDArray[np.uint8]) -> bytes:
    """A picture as a PNG file."""
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "PNG")
    return buffer.getvalue()


def _picture(text: str) -> NDArray[np.uint8]:
    return np.array(Image.open(io.BytesIO(base64.b64decode(text))))


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")
