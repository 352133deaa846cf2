"""What a study is, as its `study.json` says; `docs/human-study.md` explains the fields.

A participant goes through a schedule: practice until a criterion, then blocks of tasks, one block a condition. The cell of a
participant (`vnla.serve.study.assignment`) says which condition comes when. All of it follows from the design and the cell,
so a participant's state is which tries have been made.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from vnla.common import files
from vnla.common.errors import InputError
from vnla.serve.events import Frozen, Mode

DESIGN, CONSENT, README = "study.json", "consent.txt", "README.md"
WHAT = "the configuration of a study"
_LARGEST = files.MEGABYTE

DOES: dict[str, Mode] = {"help:advisor": "watch", "help:person": "help", "beat": "beat"}
"""What the participant does: watches the agent with its own advisor, is its advisor, or does the task instead of it."""

INSTRUCTIONS = {
    "help:advisor": "Watch the robot. When it asks, a teacher answers it.",
    "help:person": "The robot asks you for help. Tell it the next few moves, such as: turn left, go forward 2 steps.",
    "beat": "You are the robot. Find what the sentence says, and stop there. You may ask a teacher for help.",
}


class StudyCondition(Frozen):
    """What a participant does, with which of the agents."""

    name: str = Field(min_length=1, max_length=100)
    kind: Literal["help:advisor", "help:person", "beat"]
    agent: str
    instructions: str = Field(default="", max_length=4000)

    @property
    def mode(self) -> Mode:
        """The mode of the page."""
        return DOES[self.kind]


class PracticeRules(Frozen):
    """Practice before the tasks, for everything that a participant will have to do."""

    tasks: list[str]
    passes: int = Field(ge=0)
    """How many have to go well; 0 for no practice."""
    most: int = Field(ge=1)
    """Who needs more tries than that cannot take part."""


class Shows(Frozen):
    """What participants see in the tasks; in practice they see how it went in any case."""

    way: bool = True
    """To helpers: the shortest way to the goal."""
    offer: bool = False
    """To helpers: what the advisor would say."""
    thoughts: bool = False
    """Probabilities and attention of the agent."""
    outcome: bool = False
    """How a task went, and where the goals were."""


class Design(Frozen):
    """A study."""

    name: str = Field(pattern=r"^[\w .-]{1,100}$")
    world: str
    tasks: str
    agents: dict[str, str] = Field(min_length=1)
    """Name → folder of a run, or "pretrained"."""
    conditions: list[StudyCondition] = Field(min_length=1, max_length=12)
    arrangement: Literal["within", "between"]
    """Every participant goes through all conditions, or through one."""
    groups: list[list[str]] = Field(min_length=1)
    """Groups of tasks; a participant does one of them, block by block."""
    practice: PracticeRules
    catch: list[str]
    """Easy tasks, one in each block: who fails them was not attentive."""
    shows: Shows = Shows()
    unasked: bool = False
    """Whether helpers may speak when they have not been asked."""
    seconds: int | None = Field(default=None, ge=5)
    """For a task; None for as long as one likes."""
    patience: float = Field(default=30, gt=0)
    """Minutes after which somebody silent counts as a drop-out."""
    participants: int | None = Field(default=None, ge=1)
    """How many are wanted; None for any number."""
    platform: str | None = Field(default=None, pattern=r"^\w{1,50}$")
    """The parameter of the page's address that has a platform's id of the participant."""
    seed: int = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        names = [each.name for each in self.conditions]
        if len(set(names)) < len(names):
            raise ValueError("two conditions have the same name")
        strange = [each.agent for each in self.conditions if each.agent not in self.agents]
        if strange:
            raise ValueError(f"there is no agent {strange[0]!r}")
        if not all(group and len(group) % self.blocks == 0 for group in self.groups):
            raise ValueError(f"a group of tasks has to be {self.blocks} blocks of the same size")
        if self.practice.passes and (not self.practice.tasks or self.practice.most < self.practice.passes):
            raise ValueError("practice has too few tasks or tries")
        return self

    @property
    def blocks(self) -> int:
        """Blocks of tasks that a participant does."""
        return len(self.conditions) if self.arrangement == "within" else 1

    @property
    def fingerprint(self) -> str:
        """Digits that another configuration does not have. Folders may move: records are stamped with what is in them."""
        values = self.model_dump(mode="json", exclude={"world", "tasks", "agents"}) | {"agents": sorted(self.agents)}
        text = json.dumps(values, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def text(self) -> str:
        """Return the text of `study.json`."""
        return json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, folder: Path) -> Design:
        """Return the design of the study in a folder."""
        path = folder / DESIGN
        text = files.read_text(path, WHAT, _LARGEST)
        try:
            return cls.model_validate(files.parse_json(text, path, WHAT))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            why = first["msg"].removeprefix("Value error, ")
            raise InputError(f"{path}: {where and f'field {where}: '}{why}") from None


BLANK = "[["
"""Begins what is to be filled in in a consent text."""


class Consent(Frozen):
    """What participants agree to; its version is made from its text."""

    text: str
    version: str

    def check_complete(self, folder: Path) -> None:
        """Refuse a text in which something is still to be filled in: nobody can agree to that."""
        for number, line in enumerate(self.text.splitlines(), start=1):
            if BLANK in line:
                blank = BLANK + line.partition(BLANK)[2].partition("]]")[0]
                raise InputError(
                    f"{folder / CONSENT}: line {number} still has a blank, {blank[:60]}]]; fill in all of them before "
                    "anybody is asked to agree"
                )

    @classmethod
    def read(cls, folder: Path) -> Consent:
        """Return the consent text of the study in a folder."""
        text = files.read_text(folder / CONSENT, "the consent text of a study", _LARGEST).strip()
        if not text:
            raise InputError(f"{folder / CONSENT}: is empty; say there what participants agree to")
        return cls(text=text, version=hashlib.sha256(text.encode()).hexdigest()[:16])


class ScheduleEntry(Frozen):
    """An entry of a participant's schedule. Practice has several tasks, of which as many as needed are done."""

    kind: Literal["practice", "task", "catch"]
    condition: StudyCondition
    tasks: tuple[str, ...]
