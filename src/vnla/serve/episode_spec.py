"""The specification of an episode: a task, a seed, and what persons say on the way.

An episode is cheap and follows from these alone, so nothing else of it is stored: after every word of a person it is walked
again from the start. As text an `EpisodeSpec` is a link, the fragment of the page's address that gives exactly this episode.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Self

from pydantic import Field, ValidationError, model_validator

from vnla.common.errors import InputError
from vnla.serve.events import Frozen
from vnla.serve.hearing import Spoken
from vnla.world.budgets import LONGEST_EPISODE

LONGEST_LINK = 2048
LONGEST_TEXT = 200
"""Characters of what a person says at once."""
_PREFIX = "w="


class Intervention(Frozen):
    """What a person says at a step, in the agent's words; None is no answer to a request."""

    step: int = Field(ge=0, lt=LONGEST_EPISODE)
    text: str | None = Field(default=None, max_length=LONGEST_TEXT)


class EpisodeSpec(Frozen):
    """An episode: a task of the data set, or an end-goal in a house; the seed of its help budget; interventions in order."""

    task: str | None = Field(default=None, max_length=100)
    house: str | None = Field(default=None, max_length=64)
    goal: str | None = Field(default=None, max_length=LONGEST_TEXT)
    seed: int = Field(ge=0, lt=2**53)
    against: str | None = Field(default=None, max_length=200)
    """The agent that a visitor walks against, if it is not the server's own; of no episode that has a link."""
    said: tuple[Intervention, ...] = Field(default=(), max_length=LONGEST_EPISODE)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.task is None) == (self.goal is None) or (self.house is None) != (self.goal is None):
            raise ValueError("a task, or a house and a goal")
        steps = [each.step for each in self.said]
        if steps != sorted(set(steps)):
            raise ValueError("interventions are in the order of their steps")
        return self

    @property
    def spoken(self) -> Spoken:
        """What is said, by step."""
        return {each.step: each.text for each in self.said}

    def saying(self, step: int, text: str | None) -> EpisodeSpec:
        """Return the same episode up to a step, in which this is said then, and nothing later."""
        before = tuple(each for each in self.said if each.step < step)
        return self.model_copy(update={"said": (*before, Intervention(step=step, text=text))})

    def link(self) -> str:
        """Return the fragment of an address that stands for this episode."""
        return _PREFIX + base64.urlsafe_b64encode(self._canonical()).decode().rstrip("=")

    @classmethod
    def of_link(cls, link: str) -> EpisodeSpec:
        """Return the episode that a link stands for."""
        if len(link) > LONGEST_LINK:
            raise InputError(f"this link is longer than {LONGEST_LINK} characters; it is not one of ours")
        code = link.removeprefix("#").removeprefix(_PREFIX)
        try:
            data = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
            return cls.model_validate_json(data)
        except (ValidationError, binascii.Error, ValueError):
            raise InputError("this link is damaged; ask for it again") from None

    @property
    def name(self) -> str:
        """Sixteen digits that name the episode and say nothing of it."""
        return hashlib.sha256(self._canonical()).hexdigest()[:16]

    def _canonical(self) -> bytes:
        value = self.model_dump(exclude_defaults=True)
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
