"""An agent of the panorama track: it chooses among exits and places, and acts by the first action towards its choice.

It is the paper's agent (`vnla.agents.navigation`) with three things more:

1. The twelve headings of its viewpoint become tokens. Their mean and maximum are part of the view, and the state that has
   attended to the words attends to them, too.
2. Each exit of the viewpoint, and each place visited before, is a candidate. Its key is computed from what the agent sees in
   that direction and from what it remembers of it; its score is the product with a query from the attended state.
3. A candidate is expanded into the six actions by its first one, `by`: turn, tilt or `forward`. With the paper's logits z,

       logit(a) = z(a) + log(1 + Σ exp(score(c)) over all candidates c with by(c) = a),

   so time, budgets and teachers stay the paper's, and what an advisor says of turns and steps can still be followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch import Tensor, nn

from vnla.agents.agent import Sizes
from vnla.agents.config import AgentConfig
from vnla.agents.help import HelpModule
from vnla.agents.layers.cells import Recurrent
from vnla.agents.navigation import AttentionMemory, Decoded, NavigationModule, SharedGates
from vnla.agents.panorama import Exits, Places
from vnla.agents.paper import PaperAgent
from vnla.agents.policy_state import Decision, Views
from vnla.camera import HEADINGS
from vnla.common.capture import fused
from vnla.common.errors import InputError
from vnla.world.actions import STOP

PANORAMA, SPOTTED, EXITS, PLACES = "panorama", "spotted-around", "exits", "places"


@dataclass(frozen=True)
class PanoramaConfig(AgentConfig):
    """The paper's sizes, and the width of what is new."""

    width: int = 256
    """Size of the tokens of headings, and of the keys of candidates."""


@dataclass(frozen=True)
class ViewParts:
    """Where each named part stands in what an agent sees."""

    sizes: Mapping[str, int]
    apart: tuple[str, ...] = (PANORAMA, SPOTTED, EXITS, PLACES)
    """Those that are neither of the one view nor of no view."""

    def split(self, view: Tensor) -> dict[str, Tensor]:
        """Return the parts of a view (batch, size) by name."""
        bounds = pairwise([0, *accumulate(self.sizes.values())])
        return {name: view[:, first:last] for name, (first, last) in zip(self.sizes, bounds, strict=True)}

    @property
    def flat(self) -> tuple[str, ...]:
        """The names of the parts that are of the one view, or of no view."""
        return tuple(name for name in self.sizes if name not in self.apart)

    def size(self, *names: str) -> int:
        """Return how many numbers some parts have together; none for those that are not there."""
        return sum(self.sizes.get(name, 0) for name in names)


@dataclass(frozen=True)
class PanoramaGates(SharedGates):
    """What the two passes of a step have in common, with what there is to choose from."""

    headings: Tensor  # (batch, 12, width)
    keys: Tensor  # (batch, candidates, width)
    by: Tensor  # (batch, candidates, 5), whether a candidate is expanded into an action; none where there is no candidate


def in_eights(size: int) -> int:
    """Return a size, or the next multiple of eight: a GPU has slower products for rows of other lengths."""
    return size + -size % 8


def padded(values: Tensor) -> Tensor:
    """Return values (…, size) with zeros up to the next multiple of eight."""
    return nn.functional.pad(values, (0, -values.shape[-1] % 8))


def by_first_action(scores: Tensor, by: Tensor) -> Tensor:
    """Return what candidates of these scores (batch, candidates, 1), each reached `by` an action (batch, candidates, 5), add
    to the logits of the six actions."""
    expanded = torch.where(by > 0, scores, -torch.inf)
    nothing = torch.zeros_like(expanded[:, :1])
    return nn.functional.pad(torch.logsumexp(torch.cat([nothing, expanded], dim=1), dim=1), (0, 1))


class PanoramaModule(NavigationModule):
    """π_nav over headings, exits and places."""

    def __init__(self, config: PanoramaConfig, parts: ViewParts) -> None:
        width = config.width
        super().__init__(replace(config, view_size=in_eights(parts.size(*parts.flat) + 2 * width)))
        self.parts = parts
        self.heading = nn.Linear(in_eights(parts.size(PANORAMA, SPOTTED) // HEADINGS), width)
        self.exit, self.place = (
            nn.Sequential(nn.Linear(in_eights(size), width), nn.ReLU(), nn.Linear(width, width))
            for size in (width + len(Exits.FIELDS), len(Places.FIELDS))
        )
        self.choose = nn.Linear(config.hidden, width)
        self.look = nn.Linear(config.hidden, width)
        self.found = nn.Linear(width, STOP + 1)

    def share(self, view: Tensor, last_nav: Tensor, state: list[Recurrent]) -> PanoramaGates:
        """What is seen all around, and what the one view, the last action and the state add to the gates."""
        parts = self.parts.split(view)
        headings, keys, by = self._candidates(parts)
        pooled = [headings.mean(dim=1), headings.amax(dim=1)]
        seen = padded(torch.cat([*(parts[name] for name in self.parts.flat), *pooled], dim=1))
        shared = super().share(seen, last_nav, state)
        return PanoramaGates(shared.gates, shared.state, headings, keys, by)

    @fused
    def _candidates(self, parts: Mapping[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Return the tokens of the headings, the keys of the candidates, and by which action each is reached."""
        batch = len(parts[PANORAMA])
        around = [parts[name].reshape(batch, HEADINGS, -1) for name in (PANORAMA, SPOTTED) if name in parts]
        headings = torch.relu(self.heading(padded(torch.cat(around, dim=2))))
        exits = parts[EXITS].reshape(batch, -1, len(Exits.FIELDS))
        where = exits[:, :, Exits.FIELDS.index("heading")].long()
        towards = headings.gather(1, where[:, :, None].expand(-1, -1, headings.shape[2]))
        keys, by = [self.exit(padded(torch.cat([towards, exits], dim=2)))], [exits[:, :, -STOP:]]
        if PLACES in parts:
            places = parts[PLACES].reshape(batch, -1, len(Places.FIELDS))
            keys.append(self.place(padded(places)))
            by.append(places[:, :, -STOP:])
        return headings, torch.cat(keys, dim=1), torch.cat(by, dim=1)

    def decode(
        self, shared: SharedGates, last_ask: Tensor, memory: AttentionMemory, coverage: Tensor
    ) -> tuple[Decoded, list[Recurrent]]:
        """One pass, and the decoder's state after it."""
        assert isinstance(shared, PanoramaGates), "it is made by `share`"
        decoded, state = super().decode(shared, last_ask, memory, coverage)
        return decoded._replace(logits=self._expanded(decoded.logits, decoded.attended, shared)), state

    @fused
    def _expanded(self, logits: Tensor, attended: Tensor, shared: PanoramaGates) -> Tensor:
        """Return the logits of the six actions, with what is seen all around and the scores of the candidates."""
        scale = shared.keys.shape[2] ** -0.5
        weights = torch.softmax((shared.headings @ self.look(attended)[:, :, None]).squeeze(2) * scale, dim=1)
        seen = (weights[:, :, None] * shared.headings).sum(dim=1)
        scores = (shared.keys @ self.choose(attended)[:, :, None]) * scale  # (batch, candidates, 1)
        found: Tensor = self.found(seen)
        return logits + found + by_first_action(scores, shared.by)


class PanoramaAgent(PaperAgent):
    """The paper's agent with a panorama, exits and places to choose from."""

    observes = ("view", *(f"sensor:{name}" for name in (PANORAMA, SPOTTED, EXITS, PLACES, "clock", "requests", "advice")))
    """What it is trained with where nobody says otherwise; `spotted-around` and `places` can be left out."""

    def __init__(self, config: PanoramaConfig, views: Mapping[str, int]) -> None:
        parts = ViewParts(views)
        asks = replace(config, view_size=parts.size(*parts.flat, SPOTTED))
        super().__init__(config, PanoramaModule(config, parts), HelpModule(asks))
        self.width = config.width

    def ask_inputs(self, view: Views, tentative: Tensor, first: Decision) -> Tensor:
        """The help module is given the one view, what is spotted all around, and what the state declares."""
        shown = {name: each for name, each in view.items() if name not in (PANORAMA, EXITS, PLACES)}
        return super().ask_inputs(shown, tentative, first)

    def footprint(self, words: int, steps: int) -> int:
        """What the paper's agent keeps, and the tokens and keys of one step."""
        return super().footprint(words, steps) + 60 * self.width


def panorama_agent(sizes: Sizes, **options: Any) -> PanoramaAgent:
    """The panorama agent, with other sizes than usual where options say so: fields of `PanoramaConfig`."""
    settable = {each.name for each in fields(PanoramaConfig)} - {"words", "view_size", "pieces"}
    unknown = sorted(set(options) - settable)
    if unknown:
        raise InputError(f"agent panorama: has no option {unknown[0]}; its options are {', '.join(sorted(settable))}")
    missing = [name for name in (PANORAMA, EXITS) if name not in sizes.sensors]
    if missing:
        raise InputError(f"agent panorama: does without the sensor {missing[0]}; name it in --sensor, or name none")
    return PanoramaAgent(PanoramaConfig(words=sizes.words, view_size=sum(sizes.views.values()), **options), sizes.views)
