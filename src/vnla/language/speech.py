"""The grammar and the facts of a world as tensors, and the one function that makes sentences of them.

Everything is gathers of fixed sizes over a batch: from the plan of every agent, to which facts hold on it, to one fact after
the other that is drawn, to a template and words for each, to a row of tokens. On a CPU, on a GPU and inside of its graph it is
the same function; what people read is its tokens, written out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from vnla.common.randomness import Purpose, uniform
from vnla.episodes import Situation
from vnla.language.facts import MOST, MOST_TURNS, Facts, runs
from vnla.language.frames import Kind
from vnla.language.grammar import FULL_STOP, NUMBERS, PLAIN, Grammar, Slot, form_of
from vnla.language.things import HUES, ROOMS, THINGS
from vnla.roles.advisor import Lexicon
from vnla.roles.words import Words
from vnla.world.actions import FORWARD, NAV_ACTIONS, STOP, Nav
from vnla.world.compiled import NOWHERE, World, look_up, view_of, viewpoint_of

TURNS = 4 * MOST_TURNS
"""Facts of a turn that are looked at."""
ROOM_FOR_MORE = 8
"""Words that a sentence may have besides its plain clauses."""

LANGUAGES = ("usual", "combinations", "templates", "synonyms", "mirrored", "wrong", "shuffled")
"""What may be said: as in training; held-out combinations, templates or words wherever there are any; or the contrary of what
is so: left for right, other things, no order."""

_WEIGHTS = {
    Kind.WALK: 1.0, Kind.TURN: 1.0, Kind.LOOK_UP: 1.0, Kind.LOOK_DOWN: 1.0, Kind.STOP: 1.0, Kind.FACE: 0.6, Kind.SPOT: 0.4,
    Kind.REACH: 1.0, Kind.PASS: 0.3, Kind.ENTER: 1.2, Kind.LEAVE: 0.6, Kind.CROSS: 1.2, Kind.THROUGH: 1.2, Kind.CLIMB: 4.0,
    Kind.DESCEND: 4.0, Kind.RISE: 2.0, Kind.SINK: 2.0, Kind.TOWARD: 0.3, Kind.RETURN: 0.8,
}  # fmt: skip
"""How readily each kind of frame is said, for each action that it covers."""
_RARELY = 1e-6  # weight of the usual where something held out is preferred


@dataclass(frozen=True)
class Knowledge:
    """The facts of all houses of a world."""

    start: Tensor  # (pairs,), where the facts of two viewpoints begin
    count: Tensor  # (pairs,)
    what: Tensor  # (facts,), and four times views as bits
    any: Tensor
    left: Tensor
    right: Tensor
    ahead: Tensor
    turn_start: Tensor  # (poses,)
    turn_count: Tensor
    turn: Tensor  # (turns,)
    from_left: Tensor
    from_right: Tensor
    seen: Tensor  # (poses, remembered)

    @classmethod
    def of(cls, facts: Iterable[Facts], world: World) -> Knowledge:
        """Those of the world's houses, in its order."""
        every = list(facts)
        first, row = world.first.cpu().numpy(), world.row.cpu().numpy()
        here = np.concatenate([each.here + first[i] for i, each in enumerate(every)])
        there = np.concatenate([each.there + first[i] for i, each in enumerate(every)])
        pose = np.concatenate([each.pose + first[i] * 36 for i, each in enumerate(every)])
        pair = row[here] + there
        order = np.argsort(pair, kind="stable")
        start, count = runs(pair, len(world.distance))
        turn_start, turn_count = runs(pose, len(world.ahead))
        tables = {name: _joined(every, name)[order] for name in ("what", "any", "left", "right", "ahead")}
        tables |= {name: _joined(every, name) for name in ("turn", "from_left", "from_right", "seen")}
        tables |= {"start": start, "count": count, "turn_start": turn_start, "turn_count": turn_count}
        return cls(**{name: _table(array).to(world.device) for name, array in tables.items()})

    @classmethod
    def none(cls, world: World) -> Knowledge:
        """Of houses that nobody has looked at."""
        nothing = np.empty(0, np.int64)
        sizes = np.diff(world.first.cpu().numpy()).tolist()
        columns = {each.name: nothing for each in fields(Facts)}
        return cls.of([Facts(**{**columns, "seen": np.full((size * 36, 1), -1, np.int64)}) for size in sizes], world)


def _joined(every: list[Facts], name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.concatenate([getattr(each, name) for each in every])


def _table(array: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Tensor:
    """One row at least: something can be looked up even where there is nothing."""
    table = torch.from_numpy(array)
    return table if len(table) else torch.zeros(1, *table.shape[1:], dtype=torch.int64)


@dataclass(frozen=True)
class Speech:
    """A grammar in an agent's words."""

    language: str
    tokens: Tensor  # (all words of all phrases,)
    start: Tensor  # (phrases,), where each begins
    length: Tensor  # (phrases,)
    first: Tensor  # (classes,), the first phrase that may be drawn
    choices: Tensor  # (classes,), how many may be
    form: Tensor  # (kinds·variants,), the form of a kind by `_variant`
    templates: Tensor  # (forms, most), numbers, -1 where there are fewer; the plain one first
    weight: Tensor  # (forms, most), how likely each is
    plain: Tensor  # (forms,), words of the plain one at most
    pieces: Tensor  # (templates, pieces), classes, or slots below zero
    longest: Tensor  # (templates,), words at most
    has_verb: Tensor  # (templates,)
    names: Tensor  # (templates,), whether combinations with nouns may be held out
    kinds: Tensor  # (kinds,), how readily each kind is said
    numbers: dict[str, int]  # class → its number
    full_stop: int

    @classmethod
    def of(cls, grammar: Grammar, lexicon: Lexicon, language: str, device: torch.device | str = "cpu") -> Speech:
        """In the words of a lexicon."""
        phrases = [phrase for each in grammar.classes for phrase in each.all]
        length = torch.tensor([len(phrase) for phrase in phrases])
        tokens = torch.tensor([lexicon[word] for phrase in phrases for word in phrase])
        firsts, choices, begin = [], [], 0
        for each in grammar.classes:
            rare = language == "synonyms" and bool(each.held_out)
            firsts.append(begin + len(each.usual) * rare)
            choices.append(len(each.held_out if rare else each.usual))
            begin += len(each.all)
        forms = list(grammar.forms)
        most = max(len(each) for each in grammar.forms.values())
        templates = [[*grammar.forms[form]] + [-1] * (most - len(grammar.forms[form])) for form in forms]
        every = grammar.templates
        pieces = [[*each.pieces] + [0] * (grammar.most_pieces - len(each.pieces)) for each in every]
        variants = [form_of(Kind(kind), **options) for kind in range(len(Kind)) for options in _VARIANTS]
        variants = ["STAY" if name == "STOP" and i % len(_VARIANTS) else name for i, name in enumerate(variants)]
        tables = {
            "tokens": tokens,
            "start": length.cumsum(0) - length,
            "length": length,
            "first": torch.tensor(firsts),
            "choices": torch.tensor(choices),
            "form": torch.tensor([forms.index(name) for name in variants]),
            "templates": torch.tensor(templates),
            "weight": torch.tensor([[_weight(grammar, each, language) for each in row] for row in templates]),
            "plain": torch.tensor([every[row[0]].longest for row in templates]),
            "pieces": torch.tensor(pieces),
            "longest": torch.tensor([each.longest for each in every]),
            "has_verb": torch.tensor([each.has_verb for each in every]),
            "names": torch.tensor([each.names for each in every]),
            "kinds": torch.tensor([_WEIGHTS[kind] for kind in Kind], dtype=torch.float64),
        }
        numbers = {name: grammar[name] for name in _NAMED}
        numbers |= {name: grammar.first(name, nouns) for name, nouns in (("thing", THINGS), ("room", ROOMS), ("hue", HUES))}
        moved = {name: table.to(device) for name, table in tables.items()}
        return cls(language=language, numbers=numbers, full_stop=lexicon[FULL_STOP], **moved)


_VARIANTS: tuple[dict[str, int], ...] = (
    {"number": 1}, {"number": 2}, {"number": 3}, {"number": 4}, {"number": 5}, {"number": 6}, {"sided": True}, {"again": True},
    {"number": 2, "again": True},
)  # fmt: skip
_SIDED, _AGAIN, _AGAIN_MORE = 6, 7, 8
_NAMED = (
    "interjection", "polite", "connector", "closing", "left", "right", "on left", "on right", "on ahead", "first", "door",
    "no door", "one", "twice", "the",
)  # fmt: skip


def _weight(grammar: Grammar, template: int, language: str) -> float:
    if template < 0:
        return 0.0
    if language == "templates":
        return 1.0 if grammar.templates[template].held_out else _RARELY
    return 0.0 if grammar.templates[template].held_out else 1.0


class Plan(NamedTuple):
    """What agents are to do."""

    actions: Tensor  # (batch, k)
    poses: Tensor  # (batch, k + 1), before each action and after the last


class Told(NamedTuple):
    """Sentences, and what they say: a column for each clause, -1 where there are fewer."""

    words: Words
    what: Tensor  # (batch, k), frames as `vnla.language.facts.pack` makes them
    side: Tensor  # (batch, k), where what they speak of is said to be: 1 left, 2 right, 3 ahead, 0 not said
    first: Tensor  # (batch, k), the action that a clause begins with
    end: Tensor  # (batch, k), the one that comes after it
    template: Tensor  # (batch, k)


def longest_sentence(k: int) -> int:
    """Words of the longest sentence about so many actions, with its full stop."""
    return PLAIN * k + ROOM_FOR_MORE


def plan_of(now: Situation, k: int) -> Plan:
    """The navigation teacher's next actions from where agents are."""
    environment, goals, pose = now.episodes.environment, now.episodes.goals, now.pose
    actions, poses = [], [pose]
    for _ in range(k):
        actions.append(environment.nav_teacher(poses[-1], goals))
        poses.append(environment.step(poses[-1], actions[-1], goals))
    return Plan(torch.stack(actions, dim=1), torch.stack(poses, dim=1))


def tell(now: Situation, speech: Speech, knowledge: Knowledge, k: int) -> Told:
    """A sentence for everybody about the next k actions."""
    return _Teller(now, speech, knowledge, plan_of(now, k)).tell()


class _Teller:
    """One sentence a row, clause by clause."""

    def __init__(self, now: Situation, speech: Speech, knowledge: Knowledge, plan: Plan) -> None:
        self.now, self.speech, self.known, self.plan = now, speech, knowledge, plan
        self.batch, self.k = plan.actions.shape
        self.world = now.episodes.environment.world
        self.zero = torch.zeros_like(now.pose)
        self.places = viewpoint_of(plan.poses)
        self.views = view_of(plan.poses)
        self.run = _runs(plan.actions)
        self.along = self._along()
        self.most = longest_sentence(self.k)
        self.width = speech.pieces.shape[1]
        self.drawn = self._draw(3 + self.k * (4 + self.width))
        self.taken = 0

    def _draw(self, count: int) -> Tensor:
        """All random numbers of this step: (batch, count)."""
        episodes, device = self.now.episodes, self.zero.device
        seed = episodes.seed[:, None] if isinstance(episodes.seed, Tensor) else episodes.seed
        draw = torch.arange(count, device=device) + self.now.step * count
        return uniform(seed, episodes.key[:, None], Purpose.ADVICE, draw)

    def _next(self, count: int) -> Tensor:
        self.taken += count
        return self.drawn[:, self.taken - count : self.taken]

    def _along(self) -> Tensor:
        """Whether the plan goes from each place to the next as one would to each later place: (batch, end, place)."""
        there = self.places[:, 1:, None]
        here, onward = self.places[:, None, :-1], self.places[:, None, 1:]
        hop = look_up(self.world.hop, look_up(self.world.row, here).expand(-1, self.k, -1) + there)
        walks = (self.plan.actions == FORWARD)[:, None]
        return ~walks | (hop == onward)

    def tell(self) -> Told:
        """All clauses, and the words around them."""
        speech, numbers = self.speech, self.speech.numbers
        opening = self._next(2)
        interjection = self._member(self.zero + numbers["interjection"], opening[:, 0])
        polite = self._member(self.zero + numbers["polite"], opening[:, 1])
        at, used = self.zero, look_up(speech.length, interjection) + look_up(speech.length, polite)
        thing, before = self.zero, self.zero - 1
        parts, clauses = [], []
        for number in range(self.k):
            clause = self._clause(number, at, used, thing, before)
            parts.append(clause.phrases)
            clauses.append(clause)
            used = used + look_up(speech.length, clause.phrases).sum(dim=1)
            if number == 0:
                # "could you" wants a verb to follow.
                polite = torch.where(look_up(speech.has_verb, clause.template), polite, 0)
            before, at, thing = clause.template, clause.end, clause.thing
        closing = self._member(self.zero + numbers["closing"], self._next(1)[:, 0])
        closing = torch.where(used + look_up(speech.length, closing) < self.most, closing, 0)
        phrases = torch.cat([interjection[:, None], polite[:, None], *parts, closing[:, None]], dim=1)
        words = self._words(phrases)
        what, side, first, end, template = (
            torch.stack([getattr(each, name) for each in clauses], dim=1) for name in ("what", "side", "first", "end", "template")
        )
        return Told(words, what, side, first, end, template)

    def _clause(self, number: int, at: Tensor, used: Tensor, thing: Tensor, before: Tensor) -> _Clause:
        """What to say of the plan from an action on, and how."""
        speech = self.speech
        going = at < self.k
        here = at.clamp(max=self.k - 1)
        drawn = self._next(3)
        spare = self.most - 1 - used  # words that are left, with the comma
        fact = self._fact(here, spare, drawn[:, 0], first=number == 0)
        kind, noun = fact.what & 31, (fact.what >> 5 & 255) - 1
        about = fact.what >> 25
        again = (about > 0) & (about == thing) & _is(kind, Kind.REACH, Kind.PASS, Kind.TOWARD)
        turning = self._action(here) < int(Nav.UP)
        must = ~fact.may_be_plain | (turning & (fact.end - here > self._run(here)))
        sided = (fact.side > 0) & ~again & (must | (drawn[:, 1] < 0.5))
        side = torch.where(sided, fact.side, 0)
        form = self._form(kind, fact.end - here, sided, again, stays=here == 0)
        spare = spare - PLAIN * (self.k - fact.end)
        connector = self._connector(number, spare - look_up(speech.plain, form))
        spare = spare - look_up(speech.length, connector)
        template = self._template(form, noun, before, spare, drawn[:, 2])
        pieces = speech.pieces[template]  # (batch, pieces)
        slots = self._slots(fact.what, side, here, fact.end)
        slot = slots.gather(1, (-1 - pieces).clamp(min=0))
        phrases = self._member(torch.where(pieces < 0, slot, pieces), self._next(self.width))
        phrases = torch.cat([connector[:, None], phrases], dim=1)
        none = ~going
        return _Clause(
            phrases=phrases.masked_fill(none[:, None], 0),
            what=fact.what.masked_fill(none, -1),
            side=side.masked_fill(none, -1),
            first=here.masked_fill(none, -1),
            end=torch.where(none, self.k, fact.end),
            template=template.masked_fill(none, 0),
            thing=about.masked_fill(none, 0),
        )

    def _action(self, at: Tensor) -> Tensor:
        return self.plan.actions.gather(1, at[:, None]).squeeze(1)

    def _run(self, at: Tensor) -> Tensor:
        return self.run.gather(1, at[:, None]).squeeze(1)

    def _fact(self, at: Tensor, spare: Tensor, drawn: Tensor, *, first: bool) -> _Fact:
        """One of all facts that hold on the plan from an action on: on ways, of a turn, or the action itself."""
        ways, turns, plain = self._ways(at, first=first), self._turns(at), self._plainly(at)
        what, end, left, right, ahead, anywhere, weight = (
            torch.cat(each, dim=1) for each in zip(ways, turns, plain, strict=True)
        )
        forms = look_up(self.speech.form, (what & 31) * len(_VARIANTS) + torch.where(anywhere, 0, _SIDED))
        room = look_up(self.speech.plain, forms) + 1 + PLAIN * (self.k - end)
        fits = room <= spare[:, None]
        fits[:, -1] = True
        weight = weight * fits
        chosen = _pick(weight, drawn)[:, None]
        what, end, left, right, ahead, anywhere = (
            each.gather(1, chosen).squeeze(1) for each in (what, end, left, right, ahead, anywhere)
        )
        side = torch.where(left, 1, torch.where(right, 2, torch.where(ahead, 3, 0)))
        return _Fact(what, end, side, anywhere)

    def _ways(self, at: Tensor, *, first: bool) -> _Choices:
        """Facts about going from here to any later place of the plan: (batch, k·facts)."""
        known, k = self.known, self.k
        later = torch.arange(1, k + 1, device=at.device)  # (k,), ends
        place = torch.arange(k, device=at.device)
        here = self.places.gather(1, at[:, None])  # (batch, 1)
        view = self.views.gather(1, at[:, None])[:, :, None]
        outside = (place < at[:, None])[:, None] | (place >= later[:, None])
        good = (self.along | outside).all(dim=2) & (self.plan.actions == FORWARD) & (later > at[:, None])  # (batch, k)
        pair = look_up(self.world.row, here) + self.places[:, 1:]
        index = torch.arange(MOST, device=at.device)
        good = good[:, :, None] & (index < look_up(known.count, pair)[:, :, None])
        row = (look_up(known.start, pair)[:, :, None] + index).clamp(max=len(known.what) - 1)
        row = torch.where(good, row, 0)
        what = look_up(known.what, row)
        anywhere, left, right, ahead = (
            (look_up(table, row) >> view & 1).bool() & good for table in (known.any, known.left, known.right, known.ahead)
        )
        kind = what & 31
        straight = later <= (at + self._run(at))[:, None]
        straight = (straight & (self._action(at) == FORWARD)[:, None])[:, :, None]
        true = (anywhere | left | right | ahead) & (straight | ~_is(kind, Kind.PASS, Kind.TOWARD))
        returns = _is(kind, Kind.RETURN)
        true = true & (~returns | self._remembered(what) if first else ~returns)
        span = (later - at[:, None])[:, :, None]
        weight = look_up(self.speech.kinds, kind) * span * true
        end = later[:, None].expand_as(what)
        return _Choices(*(each.flatten(1) for each in (what, end, left, right, ahead, anywhere, weight)))

    def _remembered(self, what: Tensor) -> Tensor:
        """Whether things were in view before."""
        past = self.now.past
        if past.dim() < 2 or not past.shape[1]:
            return torch.zeros_like(what, dtype=torch.bool)
        seen = self.known.seen[past.clamp(min=0)].masked_fill((past == NOWHERE)[:, :, None], -1).flatten(1)
        thing = ((what >> 25) - 1).flatten(1)
        return (thing[:, :, None] == seen[:, None]).any(dim=2).view_as(what) & (what >> 25 > 0)

    def _turns(self, at: Tensor) -> _Choices:
        """Facts about what the turn ends at that begins here: (batch, facts)."""
        known = self.known
        end = at + self._run(at)
        pose = self.plan.poses.gather(1, end[:, None])
        view = self.views.gather(1, at[:, None])
        action = self._action(at)[:, None]
        index = torch.arange(TURNS, device=at.device)
        good = (index < look_up(known.turn_count, pose)) & (action < int(Nav.UP))
        row = torch.where(good, look_up(known.turn_start, pose) + index, 0)
        what = look_up(known.turn, row)
        bits = torch.where(action == int(Nav.LEFT), look_up(known.from_left, row), look_up(known.from_right, row))
        true = good & (bits >> view & 1).bool()
        weight = look_up(self.speech.kinds, what & 31) * true * self._run(at)[:, None]
        no = torch.zeros_like(true)
        return _Choices(what, end[:, None].expand_as(what), no, no, no, true, weight)

    def _plainly(self, at: Tensor) -> _Choices:
        """The action itself, as often as it is repeated: (batch, 1)."""
        kinds = torch.tensor(_PLAINLY, device=at.device)
        action = self._action(at)
        what = look_up(kinds, action)[:, None]
        end = torch.where(action == STOP, self.k, at + self._run(at))[:, None]
        no = torch.zeros_like(what, dtype=torch.bool)
        weight = look_up(self.speech.kinds, what) * self._run(at)[:, None]
        return _Choices(what, end, no, no, no, ~no, weight)

    def _form(self, kind: Tensor, actions: Tensor, sided: Tensor, again: Tensor, *, stays: Tensor) -> Tensor:
        number = torch.where(_is(kind, Kind.STOP), torch.where(stays, 1, 0), (actions - 1).clamp(max=5))
        more = torch.where(actions == 1, _AGAIN, _AGAIN_MORE)
        variant = torch.where(again, more, torch.where(sided, _SIDED, number))
        return look_up(self.speech.form, kind * len(_VARIANTS) + variant)

    def _connector(self, number: int, spare: Tensor) -> Tensor:
        """What stands between two clauses: the shortest where there is no room for more."""
        drawn = self._next(1)[:, 0]
        if number == 0:
            return self.zero
        connector = self._member(self.zero + self.speech.numbers["connector"], drawn)
        shortest = look_up(self.speech.first, self.zero + self.speech.numbers["connector"])
        return torch.where(look_up(self.speech.length, connector) <= spare, connector, shortest)

    def _template(self, form: Tensor, noun: Tensor, before: Tensor, spare: Tensor, drawn: Tensor) -> Tensor:
        """One of the form's templates that fit; those of new combinations only where they are wanted."""
        speech = self.speech
        templates, weight = speech.templates[form], speech.weight[form].double()  # (batch, most)
        some = templates.clamp(min=0)
        named = look_up(speech.names, some) & ((17 * some + 13 * noun[:, None]) % 7 == 0)
        joined = (before >= 0)[:, None] & ((31 * before[:, None] + 17 * some) % 7 == 3)
        new = named | joined
        plain = torch.arange(templates.shape[1], device=form.device) == 0
        if speech.language == "combinations":
            weight = torch.where(new & ~plain, weight, weight * _RARELY)
        elif speech.language in ("usual", "mirrored", "wrong", "shuffled"):
            weight = weight.masked_fill(new & ~plain, 0)
        fits = (look_up(speech.longest, some) <= spare[:, None]) | plain
        return templates.gather(1, _pick(weight * fits, drawn)[:, None]).squeeze(1)

    def _slots(self, what: Tensor, side: Tensor, at: Tensor, end: Tensor) -> Tensor:
        """The classes of words that a frame fills slots with: (batch, slots)."""
        number, language = self.speech.numbers, self.speech.language
        noun, hue, ordinal, room = (what >> 5 & 255) - 1, (what >> 13 & 15) - 1, what >> 17 & 3, (what >> 19 & 63) - 1
        left = self._action(at) == int(Nav.LEFT)
        if language == "mirrored":
            left, side = ~left, torch.where(side == 1, 2, torch.where(side == 2, 1, side))
        kind = what & 31
        of_room = _is(kind, Kind.ENTER, Kind.CROSS)
        if language == "wrong":
            away = 1 + (self._next_free(at) * (len(THINGS) - 1)).long()
            noun = torch.where(of_room, (noun + 1 + away % (len(ROOMS) - 1)) % len(ROOMS), (noun + away) % len(THINGS))
            room = (room + 1 + away % (len(ROOMS) - 1)) % len(ROOMS)
        actions = (end - at).clamp(min=1, max=len(NUMBERS))
        sides = torch.tensor([0, number["on left"], number["on right"], number["on ahead"]], device=what.device)
        values = {
            Slot.THE: self.zero + number["the"],
            Slot.HUE: torch.where(hue >= 0, number["hue"] + hue, 0),
            Slot.NOUN: number["thing"] + noun.clamp(min=0, max=len(THINGS) - 1),
            Slot.SIDE: torch.where(left, number["left"], number["right"]),
            Slot.ON: look_up(sides, side),
            Slot.NTH: torch.where(ordinal > 0, number["first"] + ordinal - 1, 0),
            Slot.DOOR: torch.where(noun == 1, number["door"], number["no door"]),
            Slot.ROOM: number["room"] + noun.clamp(min=0, max=len(ROOMS) - 1),
            Slot.FROM: number["room"] + room.clamp(min=0, max=len(ROOMS) - 1),
            Slot.STEPS: number["one"] + actions - 1,
            Slot.TIMES: torch.where(actions > 1, number["twice"], 0),
        }
        return torch.stack([values[slot] for slot in Slot], dim=1)

    def _next_free(self, at: Tensor) -> Tensor:
        """A random number for each clause that nothing else has taken."""
        episodes = self.now.episodes
        return uniform(episodes.seed, episodes.key, Purpose.ADVICE, self.now.step * 64 + at + (1 << 40))

    def _member(self, number: Tensor, drawn: Tensor) -> Tensor:
        """A phrase of each class."""
        choice = (drawn * look_up(self.speech.choices, number)).long()
        return look_up(self.speech.first, number) + choice

    def _words(self, phrases: Tensor) -> Words:
        """The words of phrases, one after the other, and a full stop: (batch, longest)."""
        speech = self.speech
        lengths = look_up(speech.length, phrases)
        ends = lengths.cumsum(dim=1)
        total = ends[:, -1]
        place = torch.arange(self.most, device=phrases.device)
        which = (ends[:, None, :] <= place[:, None]).sum(dim=2).clamp(max=phrases.shape[1] - 1)  # (batch, longest)
        begins = (ends - lengths).gather(1, which)
        token = look_up(speech.start, phrases.gather(1, which)) + place - begins
        inside = place < total[:, None]
        tokens = look_up(speech.tokens, torch.where(inside, token, 0))
        if speech.language == "shuffled":
            tokens = self._shuffled(tokens, inside)
        tokens = torch.where(inside, tokens, torch.where(place == total[:, None], speech.full_stop, 0))
        return Words(tokens, total + 1)

    def _shuffled(self, tokens: Tensor, inside: Tensor) -> Tensor:
        episodes = self.now.episodes
        seed = episodes.seed[:, None] if isinstance(episodes.seed, Tensor) else episodes.seed
        place = torch.arange(tokens.shape[1], device=tokens.device)
        drawn = uniform(seed, episodes.key[:, None], Purpose.ADVICE, self.now.step * 4096 + place + (1 << 41))
        return tokens.gather(1, torch.where(inside, drawn, 2.0).argsort(dim=1))


class _Clause(NamedTuple):
    phrases: Tensor  # (batch, 1 + pieces)
    what: Tensor
    side: Tensor
    first: Tensor
    end: Tensor
    template: Tensor
    thing: Tensor


class _Fact(NamedTuple):
    what: Tensor
    end: Tensor
    side: Tensor  # 1 left, 2 right, 3 ahead, 0 unknown
    may_be_plain: Tensor  # whether it holds without a side


class _Choices(NamedTuple):
    """Facts to choose from: (batch, …) each."""

    what: Tensor
    end: Tensor
    left: Tensor
    right: Tensor
    ahead: Tensor
    anywhere: Tensor
    weight: Tensor


_PLAINLY = [
    {Nav.LEFT: Kind.TURN, Nav.RIGHT: Kind.TURN, Nav.UP: Kind.LOOK_UP, Nav.DOWN: Kind.LOOK_DOWN, Nav.FORWARD: Kind.WALK}.get(
        Nav(action), Kind.STOP
    )
    for action in range(NAV_ACTIONS)
]


def _is(kind: Tensor, *kinds: Kind) -> Tensor:
    found = kind == int(kinds[0])
    for each in kinds[1:]:
        found = found | (kind == int(each))
    return found


def _runs(actions: Tensor) -> Tensor:
    """How many like actions there are from each on."""
    run = torch.ones_like(actions)
    same = pad((actions[:, 1:] == actions[:, :-1]).long(), (0, 1))
    for place in reversed(range(actions.shape[1] - 1)):
        run[:, place] = torch.where(same[:, place] > 0, run[:, place + 1] + 1, 1)
    return run


def _pick(weight: Tensor, drawn: Tensor) -> Tensor:
    """A column of each row, each as likely as its weight: (batch,)."""
    sums = weight.cumsum(dim=1)
    return (sums <= (drawn * sums[:, -1])[:, None]).sum(dim=1).clamp(max=weight.shape[1] - 1)
