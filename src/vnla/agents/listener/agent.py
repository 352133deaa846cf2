"""An agent that understands advice in words by itself: it attends between the words and the objects in view.

It is the paper's agent (`vnla.agents.navigation`), with its decoder, coverage and help module, and three things more:

1. A word's place in the memory has its own vector beside what the encoder has read, m = [h; N·e]. An object's name has N·e,
   too, where e is the sum of the vectors of the words that name it, over the root of their number: "sofa" in the advice and
   a sofa in view have the same vector.
2. Every word attends to the objects in view, or to none, by its own vector alone. Which of these objects are meant now is
   told by the words at most `FARTHEST` from those that the decoder attends to, which coverage moves along the sentence: a
   sentence is read backwards, so it attends to the first word of what is to be done next, and the noun comes after. Words
   that mean no object in particular do not count:

       A(word, object) = softmax(N·e · (name + G·place))    w(word) = (attention ∗ K)(word) · (max A(word, ·))²
       meant(object) = Σ w(word)·A(word, object) / (Σ w(word) + ε)

3. Each exit of the viewpoint is a candidate. Its key is computed from the objects in its direction, and its score is higher
   if those that are meant now are in its direction, or near to where it leads. As in the panorama agent, a candidate is
   expanded into its first action. In which headings they are is added to the logits of turning, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from vnla.agents.agent import Sizes
from vnla.agents.config import AgentConfig
from vnla.agents.encoder import InstructionEncoder
from vnla.agents.help import HelpModule
from vnla.agents.layers.cells import Recurrent
from vnla.agents.listener.objects import ObjectSensor
from vnla.agents.navigation import AttentionMemory, Decoded, NavigationModule, SharedGates
from vnla.agents.panorama import MOST_EXITS, Exits
from vnla.agents.panorama_agent import EXITS, ViewParts, by_first_action, in_eights, padded
from vnla.agents.paper import PaperAgent
from vnla.agents.policy_state import Decision, Views
from vnla.agents.spelling import SpelledEmbedding
from vnla.camera import HEADINGS, TURN
from vnla.common.capture import fused
from vnla.common.errors import InputError
from vnla.language.objects import NAMES, SLOTS
from vnla.world.actions import NAV_ACTIONS, STOP

OBJECTS = "objects"
KINDS_OF_SENSORS = (OBJECTS, "objects-ahead", "objects-noisy")
"""Sensors of objects, any one of which the agent takes."""
FARTHEST = 8
"""Words between one that is attended to and one that tells what is meant."""
LITTLE = 0.01
"""ε: attention to words that mean something below which not much is meant."""
NEARNESS = 3
"""Measures of how near an object is to an exit: its direction by two widths, and its distance from the end."""
_NUMBERS = 6 + HEADINGS
"""Of an object's place: its direction twice over, share and distance, and which of the headings it is at."""


@dataclass(frozen=True)
class ListenerConfig(AgentConfig):
    """The paper's sizes, and the width of what is new."""

    width: int = 128
    """Size of the keys of objects and of exits."""


class NamingEncoder(InstructionEncoder):
    """The paper's encoder, whose memory has each word's own vector beside what was read up to it."""

    def __init__(self, config: ListenerConfig) -> None:
        super().__init__(config)
        self.read = config.hidden - config.width
        """Numbers of what was read that the memory has."""
        self.naming = nn.Linear(config.word_embedding, config.width, bias=False)

    def finished(self, values: Tensor, embedded: Tensor) -> Tensor:
        """Return what was read, and then the words' own vectors."""
        return torch.cat([values[..., : self.read], self.naming(embedded)], dim=-1)

    def vectors(self, tokens: Tensor) -> Tensor:
        """Return the embeddings of words (words,) without dropout: (words, word_embedding)."""
        if isinstance(self.embedding, SpelledEmbedding):
            return self.embedding.some(tokens)
        found: Tensor = self.embedding(tokens)
        return found


class Names(nn.Module):
    """The vectors of what things, colours and rooms are called, from the embeddings of the words that name them."""

    tokens: Tensor
    share: Tensor

    def __init__(self, vocabulary: Sequence[str], width: int) -> None:
        super().__init__()
        number = {word: token for token, word in enumerate(vocabulary)}
        known = [[number[word] for word in words if word in number] for words in NAMES]
        tokens = sorted({token for each in known for token in each}) or [0]
        share = torch.zeros(len(NAMES), len(tokens))
        for row, each in enumerate(known):
            for token in each:
                share[row, tokens.index(token)] += len(each) ** -0.5
        self.register_buffer("tokens", torch.tensor(tokens), persistent=False)
        self.register_buffer("share", share, persistent=False)
        self.own = nn.Parameter(torch.randn(len(NAMES), width) * 0.05)
        """What a kind of thing is beside its words, which an agent of another language may not know."""

    def forward(self, encoder: NamingEncoder) -> Tensor:
        """Return a vector for each of `NAMES`: (names, width)."""
        named: Tensor = encoder.naming(self.share @ encoder.vectors(self.tokens)) + self.own
        return named


@dataclass(frozen=True)
class ListenerGates(SharedGates):
    """What the two passes of a step have in common, with what there is to be meant and to choose from."""

    keys: Tensor  # (batch, SLOTS, width)
    values: Tensor  # (batch, SLOTS, width)
    present: Tensor  # (batch, SLOTS)
    exits: Tensor  # (batch, exits, fields)
    at: Tensor  # (batch, SLOTS, HEADINGS), which of the headings an object is at
    near: Tensor  # (batch, exits, SLOTS), how nearly an object is in the direction of an exit
    toward: Tensor  # (batch, exits·NEARNESS, SLOTS), how near by each measure of `NEARNESS`


def _reach() -> Tensor:
    """Return logarithms of K: words after the one that is attended to count, the nearer the more, those before hardly."""
    after = torch.arange(-FARTHEST, FARTHEST + 1)
    return torch.where(after >= 0, -after / 3, -3.0)


class ListenerModule(NavigationModule):
    """π_nav over words and objects."""

    encoder: NamingEncoder

    def __init__(self, config: ListenerConfig, parts: ViewParts, vocabulary: Sequence[str]) -> None:
        width, hidden = config.width, config.hidden
        super().__init__(replace(config, view_size=in_eights(parts.size(*parts.flat) + 2 * width)))
        self.parts = parts
        self.objects_name = next(name for name in KINDS_OF_SENSORS if name in parts.sizes)
        self.encoder = NamingEncoder(config)
        self.names = Names(vocabulary, width)
        self.tell = nn.Linear(width, width)
        self.place = nn.Linear(in_eights(_NUMBERS), 2 * width)
        with torch.no_grad():
            self.place.weight[:width], self.place.bias[:width] = 0, 0  # at first a word means a thing wherever it is
        self.reach = nn.Parameter(_reach())  # K, by how many words after the one that is attended to
        self.kinds = nn.Parameter(torch.tensor([0.5, 0.5]))  # how much of a name are its colour and its room
        self.none = nn.Parameter(torch.full((1,), 4.5))  # score of a word that means no object
        self.certainty = nn.Parameter(torch.tensor(3.0))  # so that at first a word already tells its object from others
        self.sharpness = nn.Parameter(torch.tensor(8.0))
        self.narrowness = nn.Parameter(torch.tensor([20.0, 80.0, 12.0]))  # of the measures of nearness
        self.heed = nn.Linear(hidden, NEARNESS)  # how much an exit gains where what is meant is near to it, by each
        nn.init.constant_(self.heed.bias, 1.0)
        self.look, self.choose = nn.Linear(hidden, width), nn.Linear(hidden, width)
        self.exit = nn.Sequential(
            nn.Linear(in_eights(len(Exits.FIELDS) + 2 * width + 1), width), nn.ReLU(), nn.Linear(width, width)
        )
        self.found = nn.Sequential(
            nn.Linear(in_eights(hidden + 2 * width + HEADINGS), width), nn.ReLU(), nn.Linear(width, NAV_ACTIONS)
        )

    def share(self, view: Tensor, last_nav: Tensor, state: list[Recurrent]) -> ListenerGates:
        """What is in view, and what the one view, the last action and the state add to the gates."""
        parts = self.parts.split(view)
        names = self.names(self.encoder)
        keys, values, *others = self._objects(parts[self.objects_name], parts[EXITS], names, self.tell(names))
        pooled = [values.mean(dim=1), values.amax(dim=1)]
        seen = padded(torch.cat([*(parts[name] for name in self.parts.flat), *pooled], dim=1))
        shared = super().share(seen, last_nav, state)
        return ListenerGates(shared.gates, shared.state, keys, values, *others)

    @fused
    def _objects(
        self, objects: Tensor, exits: Tensor, called: Tensor, told: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Return keys, values and presence of objects; the exits; at which headings objects are, how near to exits."""
        batch = len(objects)
        rows = objects.reshape(batch, SLOTS, len(ObjectSensor.FIELDS))
        sine, cosine = rows[:, :, 3], rows[:, :, 4]
        present = rows[:, :, 0] > 0
        names = rows[:, :, :3].long()  # label, colour, room
        both = torch.cat([called, told], dim=1)  # (names, 2·width)
        tables = (both, self.kinds[0] * both, self.kinds[1] * both)
        label, hue, room = (embedding(names[:, :, column], table) for column, table in enumerate(tables))
        named = label + hue + room
        heading = torch.remainder(torch.round(torch.atan2(sine, cosine) / TURN), HEADINGS).long()
        at = nn.functional.one_hot(heading, HEADINGS).to(rows.dtype)
        twice = torch.stack([2 * sine * cosine, cosine * cosine - sine * sine], dim=2)
        placed = self.place(padded(torch.cat([rows[:, :, 3:], twice, at], dim=2)))
        keys, values = (named + placed).chunk(2, dim=2)
        values = torch.relu(values) * present[:, :, None]
        ways = exits.reshape(batch, -1, len(Exits.FIELDS))
        along = ways[:, :, 2:3] * sine[:, None] + ways[:, :, 3:4] * cosine[:, None]  # cosine of the angle between them
        near = torch.exp(self.sharpness * (along - 1)) * present[:, None]
        far, metres = ways[:, :, 5:6], rows[:, None, :, 6]
        apart = far.square() + metres.square() - 2 * far * metres * along  # squared
        # (batch, exits, NEARNESS, SLOTS)
        away = torch.stack([1 - along, 1 - along, apart], dim=2) * self.narrowness[:, None]
        toward = torch.exp(-away) * (present[:, None] & (ways[:, :, :1] > 0))[:, :, None]
        return keys, values, present, ways, at * present[:, :, None], near, toward.flatten(1, 2)

    def decode(
        self, shared: SharedGates, last_ask: Tensor, memory: AttentionMemory, coverage: Tensor
    ) -> tuple[Decoded, list[Recurrent]]:
        """One pass, and the decoder's state after it."""
        assert isinstance(shared, ListenerGates), "it is made by `share`"
        decoded, state = super().decode(shared, last_ask, memory, coverage)
        meant = self.meant(decoded.weights, memory.context, shared)
        return decoded._replace(logits=self._expanded(decoded.logits, decoded.attended, meant, shared)), state

    @fused
    def meant(self, weights: Tensor, context: Tensor, shared: ListenerGates) -> Tensor:
        """Return how far each object is meant by the words that are attended to: (batch, SLOTS)."""
        scale = self.certainty * shared.keys.shape[2] ** -0.5
        scores = (context[..., self.encoder.read :] * scale) @ shared.keys.transpose(1, 2)  # (batch, words, SLOTS)
        scores = scores.masked_fill(~shared.present[:, None], -torch.inf)
        scores = torch.cat([scores, self.none.expand(*scores.shape[:2], 1)], dim=2)
        pointed = torch.softmax(scores, dim=2)[:, :, :-1]
        around = nn.functional.pad(weights, (FARTHEST, FARTHEST)).unfold(1, 2 * FARTHEST + 1, 1)  # (batch, words, places)
        counts = (around @ torch.exp(self.reach)) * pointed.amax(dim=2).square()
        return (counts[:, None] @ pointed).squeeze(1) / (counts.sum(dim=1, keepdim=True) + LITTLE)

    @fused
    def _expanded(self, logits: Tensor, attended: Tensor, meant: Tensor, shared: ListenerGates) -> Tensor:
        """Return the logits of the six actions, with what is meant, what is seen, and the scores of the exits."""
        scale, values = shared.keys.shape[2] ** -0.5, shared.values
        spoken_of = (meant[:, None] @ values).squeeze(1)
        looked = (shared.keys @ self.look(attended)[:, :, None]).squeeze(2) * scale
        seen = (torch.softmax(looked, dim=1)[:, None] @ values).squeeze(1)
        at = (meant[:, None] @ shared.at).squeeze(1)  # (batch, HEADINGS)
        found: Tensor = self.found(padded(torch.cat([attended, spoken_of, seen, at], dim=1)))
        there = shared.near @ meant[:, :, None]  # (batch, exits, 1)
        toward = (shared.toward @ meant[:, :, None]).view(len(meant), -1, NEARNESS)
        along = shared.near @ values / (1 + shared.near.sum(dim=2, keepdim=True))
        said = shared.near @ (meant[:, :, None] * values)
        keys = self.exit(padded(torch.cat([shared.exits, along, said, there], dim=2)))
        scores = (keys @ self.choose(attended)[:, :, None]) * scale + toward @ self.heed(attended)[:, :, None]
        return logits + found + by_first_action(scores, shared.exits[:, :, -STOP:])


class ListenerAgent(PaperAgent):
    """The paper's agent, which attends between the words of advice and the objects in view."""

    observes = ("view", *(f"sensor:{name}" for name in (OBJECTS, EXITS, "advice")))
    """What it is trained with where nobody says otherwise."""

    def __init__(self, config: ListenerConfig, views: Mapping[str, int], vocabulary: Sequence[str] = ()) -> None:
        parts = ViewParts(views, (*KINDS_OF_SENSORS, EXITS))
        asks = replace(config, view_size=parts.size(*parts.flat))
        super().__init__(config, ListenerModule(config, parts, vocabulary), HelpModule(asks))
        self.width, self._apart = config.width, parts.apart

    def ask_inputs(self, view: Views, tentative: Tensor, first: Decision) -> Tensor:
        """The help module is given the one view, and what the state declares."""
        return super().ask_inputs({name: each for name, each in view.items() if name not in self._apart}, tentative, first)

    def footprint(self, words: int, steps: int) -> int:
        """What the paper's agent keeps, and the objects and attention of one step."""
        return super().footprint(words, steps) + 3 * SLOTS * (3 * self.width + words + NEARNESS * MOST_EXITS)


def listener_agent(sizes: Sizes, **options: Any) -> ListenerAgent:
    """The listener, with other sizes than usual where options say so: fields of `ListenerConfig`."""
    settable = {each.name for each in fields(ListenerConfig)} - {"words", "view_size"}
    unknown = sorted(set(options) - settable)
    if unknown:
        raise InputError(f"agent listener: has no option {unknown[0]}; its options are {', '.join(sorted(settable))}")
    if EXITS not in sizes.sensors:
        raise InputError(f"agent listener: does without the sensor {EXITS}; name it in --sensor, or name none")
    if sum(name in sizes.sensors for name in KINDS_OF_SENSORS) != 1:
        raise InputError(f"agent listener: needs one of the sensors {', '.join(KINDS_OF_SENSORS)}, and no more")
    config = ListenerConfig(words=sizes.words, view_size=sum(sizes.views.values()), **options)
    if not 0 < config.width < config.hidden:
        raise InputError(f"agent listener: width is {config.width}; it has to be less than hidden, which is {config.hidden}")
    agent = ListenerAgent(config, sizes.views, sizes.vocabulary)
    if config.pieces and not agent.meets(sizes.vocabulary):
        raise InputError("agent listener: pieces of words need to know how the words are spelled")
    return agent
