"""A person in the advisor's place: agents that hear, at certain steps, what somebody has said to them.

Algorithm 1 stays as it is; others take part in it. `PersonsVoice` says at a step what a person said there instead of what
the advisor would. `Listener` is the agent with open ears: it hears a person who speaks unasked too, which costs no request
and which it takes as if it had asked. It also notes what it attends to. Where it waits for a person, its walk ends at the
first request that nobody has answered: what comes after it follows from the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import pad

from vnla.agents.agent import Agent
from vnla.agents.policy_state import Decision, PolicyState, Start, Views
from vnla.agents.sensors import Sensor
from vnla.assistance.advisor import BoundAdvisor, Lexicon
from vnla.assistance.phrases import COMMA, FULL_STOP
from vnla.assistance.words import Phrases, Utterance
from vnla.common.errors import InputError
from vnla.episode import Episodes, StepContext, When, has_own_steps
from vnla.rollout import RolloutContext
from vnla.words import Words
from vnla.world.actions import NAV_ACTIONS, REQUEST, STOP

NOBODY = -1
"""Stands for "no person says anything here"."""
SILENCE = 0
"""The first of the persons' phrases: no answer."""

LARGEST = 1e4
"""A logit beside which no other counts."""

Spoken = Mapping[int, str | None]
"""When → what a person says there, in the agent's words; None is no answer."""


@dataclass(frozen=True)
class PersonsEpisodes(Episodes):
    """Episodes into which persons have spoken."""

    spoken: Tensor = field(kw_only=True)  # (batch, steps), which of the persons' phrases, or NOBODY
    waits: Tensor = field(kw_only=True)  # (batch,), whether requests wait for persons
    more: Tensor | None = field(default=None, kw_only=True)  # (batch, steps), requests that questions back cost

    def spoken_at(self, step: When) -> Tensor:
        """What is said at a step, or at one of each: (batch,)."""
        return _at(self.spoken, step)

    def more_at(self, step: When) -> Callable[[Tensor], Tensor] | None:
        """Of those who asked, what questions back cost; None where nobody asks back."""
        more = None if self.more is None else _at(self.more, step)
        return None if more is None else lambda who: more * who


def _at(table: Tensor, step: When) -> Tensor:
    """A column, or one of each row."""
    if isinstance(step, Tensor) and step.dim():
        return table.gather(1, step[:, None]).squeeze(1)
    return table[:, step]


def spoken_into(
    episodes: Episodes,
    spoken: Sequence[Spoken],
    waits: Sequence[bool],
    longest: int,
    more: Sequence[Mapping[int, int]] = (),
) -> tuple[PersonsEpisodes, list[str]]:
    """Episodes with what was said in each, and all that was said; the first of it is nothing, `SILENCE`. `more` are requests
    that questions back cost, by their steps."""
    said = sorted({text for each in spoken for text in each.values() if text})
    number = {text: i for i, text in enumerate(said, start=1)}
    rows = [
        [number.get(each[step] or "", SILENCE) if step in each else NOBODY for step in range(longest)] for each in spoken
    ]
    plain = {each.name: getattr(episodes, each.name) for each in fields(Episodes)}
    device = episodes.key.device
    said_where, waiting = torch.tensor(rows, device=device), torch.tensor(list(waits), device=device)
    costs = [[each.get(step, 0) for step in range(longest)] for each in more]
    paid = torch.tensor(costs, device=device) if any(map(any, costs)) else None
    return PersonsEpisodes(**plain, spoken=said_where, waits=waiting, more=paid), said


def words_of(text: str) -> list[str]:
    """The words of advice, commas as words of their own, without a full stop."""
    return text.lower().replace(COMMA, f" {COMMA} ").replace(FULL_STOP, " ").split()


def most_words(spoken: Spoken) -> int:
    """How many words the longest of it has, its full stop included."""
    return max((len(words_of(text)) + 1 for text in spoken.values() if text), default=0)


class PersonsVoice(BoundAdvisor):
    """An advisor's voice that gives way where a person speaks."""

    def __init__(self, own: BoundAdvisor, said: Sequence[str], lexicon: Lexicon) -> None:
        self._own = own
        self._said = said
        self.own_steps, self.remembers = has_own_steps(own), own.remembers
        rows = [[lexicon[word] for word in (*words_of(text), FULL_STOP)] for text in said]
        self._width = max([own.phrases.words.tokens.shape[1], *map(len, rows)])
        tokens = own.phrases.words.tokens.new_tensor([row + [lexicon.padding] * (self._width - len(row)) for row in rows])
        length = own.phrases.words.length.new_tensor([*map(len, rows)])
        self._words = Words(tokens.view(len(rows), self._width), length)
        self._tables: dict[Phrases, Phrases] = {}
        self.phrases = self._extended(own.phrases)

    def say(self, now: StepContext) -> Utterance:
        """What a person says at this step, or else the advisor."""
        assert isinstance(now.episodes, PersonsEpisodes)
        heard = self._own.say(now) if (now.budget > 0).any() else self._nothing(now)
        table, first = self._extended(heard.table), heard.table.silence
        own = torch.where(heard.index == first, table.silence, heard.index)
        spoken = now.episodes.spoken_at(now.step)
        persons = torch.where(spoken == SILENCE, table.silence, spoken - 1 + first)
        return Utterance(torch.where(spoken == NOBODY, own, persons), table, now.episodes.more_at(now.step))

    def _nothing(self, now: StepContext) -> Utterance:
        """What the advisor says where nobody may ask."""
        return Utterance(torch.full_like(now.budget, self._own.phrases.silence), self._own.phrases)

    def _extended(self, table: Phrases) -> Phrases:
        """A table with the persons' phrases before its last row, silence."""
        if table not in self._tables:
            theirs = Words(pad(table.words.tokens, (0, self._width - table.words.tokens.shape[1])), table.words.length)
            parts = ((each[:-1], own, each[-1:]) for each, own in zip(theirs, self._words, strict=True))
            words = Words(*map(torch.cat, parts))
            self._tables[table] = Phrases(words, table.end, self._text(table))
        return self._tables[table]

    def _text(self, table: Phrases) -> Callable[[int], str]:
        def text(row: int) -> str:
            if row < table.silence:
                return table.text(row)
            return [*self._said, ""][row - table.silence]

        return text


@dataclass(frozen=True)
class Told(Sensor):
    """Whether a person says something at this step, and whether one has yet to. Only a `Listener` notices it."""

    NAME: ClassVar[str] = "told"
    size: ClassVar[int] = 2
    own_steps: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """1 or 0 for each: (batch, 2)."""
        assert isinstance(situation.episodes, PersonsEpisodes)
        spoken = situation.episodes.spoken_at(situation.step)
        return torch.stack([spoken > SILENCE, situation.episodes.waits & (spoken == NOBODY)], dim=1).float()


class Listener(Agent):
    """An agent that also hears whoever speaks to it unasked."""

    def __init__(self, own: Agent, unasked: int) -> None:
        super().__init__()
        self.own = own
        self.attention: list[Tensor | None] = []
        """Of all second passes, one entry a step: (batch, words)."""
        self._unasked = unasked

    def begin(self, start: Start) -> PolicyState:
        """Return its own policy state, which may hear more often than it asks."""
        start = start._replace(requests=min(start.steps, start.requests + self._unasked))
        nobody = torch.zeros_like(start.end_goals.length, dtype=torch.bool)
        return _Listening(self.own.begin(start), self.attention, nobody, nobody, nobody)

    def ask_inputs(self, view: Views, tentative: Tensor, first: Decision) -> Tensor:
        """As its own."""
        return self.own.ask_inputs(_seen(view), tentative, first)

    def ask(self, ask_features: Tensor, budget: Tensor) -> Tensor:
        """As its own."""
        return self.own.ask(ask_features, budget)


@dataclass(frozen=True)
class _Listening(PolicyState):
    """The policy state of a `Listener`."""

    SHARED: ClassVar[frozenset[str]] = frozenset({"attention"})

    own: PolicyState
    attention: list[Tensor | None]
    told: Tensor  # (batch,), whether a person says something at this step
    before: Tensor  # whether one did at the step before
    waits: Tensor  # whether there is nothing to do but to wait, if it asks; then, whether that is so

    def read(self, may_ask: Tensor, advice: Callable[[], Utterance]) -> Utterance:
        return self.own.read(torch.ones_like(may_ask), advice)

    def see(self, view: Views, last_nav: Tensor) -> _Listening:
        told, waits = (view[Told.NAME] > 0).unbind(dim=1)
        return replace(self, own=self.own.see(_seen(view), last_nav), told=told, waits=waits)

    def propose(self, last_ask: Tensor, may_ask: Tensor | None = None) -> Decision:  # noqa: ARG002
        return self.own.propose(last_ask.masked_fill(self.before, REQUEST))

    def hear(self, asked: Tensor, heard: Utterance) -> _Listening:
        return replace(self, own=self.own.hear(asked | self.told, heard), waits=self.waits & asked)

    def decide(self, ask: Tensor) -> tuple[Decision, _Listening]:
        decision, own = self.own.decide(ask.masked_fill(self.told, REQUEST))
        self.attention.append(decision.attention)
        stops = torch.arange(NAV_ACTIONS, device=ask.device) == STOP
        logits = decision.logits.masked_fill(self.waits[:, None] & stops, LARGEST)
        return decision._replace(logits=logits), replace(self, own=own, before=self.told)


def told_anew(policy_state: PolicyState, listener: Listener) -> PolicyState | None:
    """Return the policy state of a `Listener` as that of another, of the same agent; None if it cannot go on elsewhere."""
    assert isinstance(policy_state, _Listening)
    return replace(policy_state, attention=listener.attention) if policy_state.own.goes_on else None


def _seen(view: Views) -> Views:
    return {name: each for name, each in view.items() if name != Told.NAME}


def with_persons(
    context: RolloutContext, said: Sequence[str], lexicon: Lexicon, unasked: int
) -> tuple[RolloutContext, Listener]:
    """Everybody, with persons who say these things, each agent spoken to unasked so often at most; and the listener."""
    if said and not context.advisor.speaks:
        raise InputError("this agent's advisor acts for it and says nothing, so it has not learned to listen")
    listener = Listener(context.agent, unasked)
    bound_advisor = PersonsVoice(context.bound_advisor, said, lexicon)
    senses = {**context.sensors, Told.NAME: Told()}
    return replace(context, agent=listener, bound_advisor=bound_advisor, sensors=senses, keeps_ask_features=True), listener
