"""Prompts as files that people edit: a part `[system]` and a part `[user]`, with `$placeholders`.

A placeholder is replaced by text and by nothing else; there are no expressions. `$$` is a dollar sign.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from vnla.common.errors import InputError
from vnla.common.files import read_text
from vnla.common.outside import shown
from vnla.observation import EXITS, PICTURES, PICTURES_AROUND, TEXT, TEXT_AROUND

PLACEHOLDERS = (
    "actions", "advice", "candidates", "end_goal", "forward", "history", "instruction", "last", "observes",
    "requests_left", "sight", "step", "time_left",
)  # fmt: skip
"""What a prompt may have in it."""
ADVISOR_PLACEHOLDERS = ("end", "plan", "sight", "true")
"""What the prompt of an advisor may have in it."""
OBSERVES = {
    "picture": (PICTURES,),
    "text": (TEXT,),
    "both": (PICTURES, TEXT),
    "panorama": (PICTURES_AROUND, EXITS),
    "text-around": (TEXT_AROUND, EXITS),
}
"""What a chat model can be shown, and what it is made of."""
IN_WORDS = {
    PICTURES: "a picture of what is in front of you, about 80 degrees wide",
    TEXT: "in words what is in front of you, about 80 degrees wide",
    PICTURES_AROUND: (
        "one picture of twelve views all around you, each about 80 degrees wide and 30 degrees from the next, with the"
        " direction from the way you look and the numbers of candidates above each"
    ),
    TEXT_AROUND: "in words what is all around you",
}
"""How a prompt says what is shown."""

_PARTS = re.compile(r"^\[(\w+)\][ \t]*$", re.MULTILINE)
_WHAT = "a prompt: a part [system] and a part [user]"
_LARGEST = 1 << 20


@dataclass(frozen=True)
class Prompt:
    """What a chat model is told."""

    text: str
    """The whole file."""
    system: Template
    user: Template

    def filled(self, values: Mapping[str, str]) -> tuple[str, str]:
        """Both parts with the placeholders replaced."""
        return self.system.substitute(values).strip(), self.user.substitute(values).strip()


def observed_keys(observe: str) -> tuple[str, ...]:
    """The keys of an observation that a model is shown, by names of `OBSERVES` with commas between."""
    names = [each.strip() for each in observe.split(",")]
    if unknown := [each for each in names if each not in OBSERVES]:
        raise InputError(f"--observe {shown(unknown[0])}: choose from {', '.join(OBSERVES)}, or several with commas between")
    keys = {key for each in names for key in OBSERVES[each]}
    return tuple(key for key in (PICTURES, TEXT, PICTURES_AROUND, TEXT_AROUND, EXITS) if key in keys)


def read_prompt(path: Path | None, observe: str) -> Prompt:
    """The prompt in a file, or the one that comes with the package for what is observed."""
    keys = observed_keys(observe)
    name = "around.txt" if EXITS in keys else "both.txt" if len(keys) > 1 else f"{observe.strip()}.txt"
    return _read(path, name, PLACEHOLDERS)


def read_advisor_prompt(path: Path | None) -> Prompt:
    """The prompt of an advisor in a file, or the one that comes with the package."""
    return _read(path, "advisor.txt", ADVISOR_PLACEHOLDERS)


def _read(path: Path | None, name: str, known: Sequence[str]) -> Prompt:
    if path is not None:
        return parse_prompt(read_text(path, _WHAT, _LARGEST), str(path), known)
    return parse_prompt(files("vnla.remote").joinpath("prompts", name).read_text(encoding="utf-8"), name, known)


def parse_prompt(text: str, where: str, known: Sequence[str] = PLACEHOLDERS) -> Prompt:
    """A prompt from its text, in which these placeholders are known."""
    first, *rest = _PARTS.split(text)
    parts = dict(zip(rest[::2], rest[1::2], strict=True))
    if first.strip() or set(parts) != {"system", "user"} or len(rest) != 4:
        raise InputError(f"{where}: expected {_WHAT}, each headed by a line with its name in brackets")
    made = {name: Template(part) for name, part in parts.items()}
    for name, template in made.items():
        if not template.is_valid():
            raise InputError(f"{where}: [{name}] has a $ that begins no placeholder; write $$ for a dollar sign")
        unknown = sorted(set(template.get_identifiers()) - set(known))
        if unknown:
            raise InputError(f"{where}: [{name}] has ${unknown[0]}; there are ${', $'.join(known)}")
    return Prompt(text, made["system"], made["user"])
