"""A sentence that a visitor gave: what they typed and where the agent stood, how it was read, and what came of it.

Nothing in it says who typed it: no address, no session, no time of the day.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from vnla.serve.episode_spec import LONGEST_TEXT
from vnla.serve.events import Action, Frozen
from vnla.world.budgets import LONGEST_EPISODE

SCHEMA = 1
"""Changes when a field changes its meaning; rows of all versions are kept."""
CONSENT = "1"
"""The version of the text that visitors agree to, which is in `web/src/parts/Contribute.tsx`."""

Name = Annotated[str, Field(max_length=200)]
Words = Annotated[str, Field(max_length=LONGEST_TEXT)]
Actions = Annotated[list[Action], Field(max_length=LONGEST_EPISODE)]
Heading = Annotated[int, Field(ge=0, le=11)]
Row = Annotated[int, Field(ge=0, le=2)]
Metres = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class HouseKey(Frozen):
    """By what a generated house is made again, as the sentences written by hand name it (`vnla.language.handwritten`)."""

    generator: int
    preset: Name
    seed: int
    number: int


class Contribution(Frozen):
    """One sentence."""

    schema_version: Literal[1] = 1
    consent: Name
    day: str = Field(pattern=r"^\d{4}-\d\d-\d\d$")
    vnla: Name
    reader: Name
    """The version of what read it."""
    agent: Name
    """Digits of the weights of the agent that it was said to."""
    world: Name
    """Digits of the world."""
    house: Name
    made: HouseKey | None
    """How the house is made; None where it was not generated."""
    viewpoint: Name
    heading: Heading
    row: Row
    end_goal: Name
    how: Literal["answer", "unasked", "what_if"]
    step: int = Field(ge=0, le=LONGEST_EPISODE)
    steps_left: int = Field(ge=0, le=LONGEST_EPISODE)
    requests_left: int = Field(ge=0, le=LONGEST_EPISODE)
    text: Words
    understood: Annotated[str, Field(max_length=2000)] | None
    """In the agent's words; None where nothing was understood, and the agent was told nothing."""
    plan: Actions
    """The actions that it was understood as."""
    parts: Annotated[list[tuple[int, int, bool]], Field(max_length=LONGEST_TEXT)]
    way: Actions
    """What the navigation teacher would do there: its next actions."""
    alone: int = Field(ge=0, le=LONGEST_EPISODE)
    """How many of these lead where they lead also without a goal: then the actions alone say where the agent goes."""
    metres: Metres
    """To the nearest goal from there."""


class Outcome(Frozen):
    """What came of a sentence. The last fields are None as long as the episode has not ended."""

    followed: Actions = Field(default_factory=list)
    """What the agent did until it asked again, heard something else, or the episode ended."""
    ended: Literal["stopped", "time", "left"] | None = None
    viewpoint: Name | None = None
    heading: Heading | None = None
    row: Row | None = None
    success: bool | None = None
    metres: Metres | None = None
