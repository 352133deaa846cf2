"""A policy that acts one episode at a time, as a policy of a batch: it is called for each row in turn, and does not learn.

`vnla train RUN --agent NAME --iterations 0` makes a run of it as it is, which can be evaluated and watched like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from vnla.agents.panorama import listed_exits
from vnla.agents.policy import read_choice
from vnla.assistance.words import Utterance
from vnla.observation import COUNTS, EXITS, PICTURES, SENSORS, TEXT, VIEW, VIEWS, Observation
from vnla.words import Words
from vnla.world.actions import NAV_ACTIONS, NAV_START, Nav


class _EpisodeState(NamedTuple):
    state: Any  # the policy's own
    advice: str | None


@dataclass(frozen=True)
class EpisodeStates:
    """The states of a batch. Each has a number, and none is ever replaced: rows are taken and put like any others."""

    SHARED: ClassVar[frozenset[str]] = frozenset({"all"})

    number: Tensor  # (batch,)
    all: list[_EpisodeState]

    def rows(self) -> Iterator[_EpisodeState]:
        """Go through those of the batch."""
        return (self.all[each] for each in self.number.tolist())

    def after(self, states: Sequence[_EpisodeState]) -> EpisodeStates:
        """Return the batch with other states, one for each row."""
        first = len(self.all)
        self.all.extend(states)
        return EpisodeStates(torch.arange(first, len(self.all), device=self.number.device), self.all)


class OneAtATime(nn.Module):
    """Calls a policy for one episode after the other."""

    captured = False

    def __init__(self, policy: Any, vocabulary: Sequence[str]) -> None:
        """The vocabulary has the words by number."""
        super().__init__()
        self.policy, self.vocabulary = policy, vocabulary

    def reset(self, instructions: Words) -> EpisodeStates:
        """Begin each episode for itself."""
        none = EpisodeStates(instructions.length, [])
        return none.after([_EpisodeState(self.policy.reset(each), None) for each in self._sentences(instructions)])

    def hear(self, utterance: Utterance, state: EpisodeStates) -> EpisodeStates:
        """Let each read what it is told, if it reads."""
        hear, found = getattr(self.policy, "hear", None), []
        for each, index in zip(state.rows(), utterance.index.tolist(), strict=True):
            text = utterance.table.text(index)
            found.append(_EpisodeState(each.state if hear is None else hear(text, each.state), text))
        return state.after(found)

    def act(self, observation: Observation, state: EpisodeStates) -> tuple[tuple[Tensor, Tensor], EpisodeStates]:
        """Ask each what it does."""
        logits, asks, states = list[list[float]](), list[float](), list[_EpisodeState]()
        for now, before in zip(self._split(observation), state.rows(), strict=True):
            now["advice"] = before.advice
            choice, after = read_choice(f"agent {type(self.policy).__name__}", self.policy.act(now, before.state))
            logits.append(choice.logits)
            asks.append(choice.ask)
            states.append(_EpisodeState(after, before.advice))
        device = state.number.device
        navigation = torch.tensor(logits, dtype=torch.float32, device=device).reshape(-1, NAV_ACTIONS)
        return (navigation, torch.tensor(asks, dtype=torch.float32, device=device)), state.after(states)

    def _split(self, observation: Observation) -> Iterator[Observation]:
        """What each episode observes, as numbers, arrays and words."""
        columns: dict[str, Sequence[Any]] = {
            "last_action": [None if each == NAV_START else Nav(each) for each in observation["last_action"].tolist()],
            "has_requested": observation["has_requested"].tolist(),
        }
        columns |= {key: observation[key].tolist() for key in COUNTS if key in observation}
        columns |= {key: _arrays(observation[key]) for key in (VIEW, VIEWS) if key in observation}
        if EXITS in observation:
            columns[EXITS] = [listed_exits(each) for each in observation[EXITS].cpu()]
        if PICTURES in observation:
            columns[PICTURES] = _arrays((observation[PICTURES] * 255).round().byte().movedim(-3, -1))
        if TEXT in observation:
            tokens = observation[TEXT]
            columns[TEXT] = self._sentences(Words(tokens, (tokens > 0).sum(dim=1)))
        sensors = {name: _arrays(each) for name, each in observation.get(SENSORS, {}).items()}
        for row in range(len(observation["last_action"])):
            now = Observation({name: each[row] for name, each in columns.items()})
            if sensors:
                now[SENSORS] = {name: each[row] for name, each in sensors.items()}
            yield now

    def _sentences(self, words: Words) -> list[str]:
        """Words in letters; numbers where nobody knows the words."""
        rows = zip(words.tokens.tolist(), words.length.tolist(), strict=True)
        return [" ".join(self._word(token) for token in tokens[:length]) for tokens, length in rows]

    def _word(self, token: int) -> str:
        return self.vocabulary[token] if token < len(self.vocabulary) else str(token)


def _arrays(values: Tensor) -> list[Any]:
    return list(values.cpu().numpy())
