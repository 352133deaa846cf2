"""The grammar and the facts of a world as tensors, and the one function that makes sentences of them.

Everything is gathers of fixed sizes over a batch: from the plan of every agent, to which facts hold on it, to one fact after
the other that is drawn, to a template and words for each, to a row of tokens. On a CPU, on a GPU and inside of its graph it is
the same function; what people read is its tokens, written out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from vnla.common.randomness import Purpose, uniform
from vnla.episodes import Situation
from vnla.language.facts import MOST, MOST_TURNS, Facts, runs
from vnla.language.frames import Kind
from vnla.language.grammar import FULL_STOP, NUMBERS, PLAIN, Grammar, Slot, form_of, is_new_after, is_new_with
from vnla.language.things import HUES, ROOMS, THINGS
from vnla.roles.advisor import Lexicon
from vnla.roles.words import Words
from vnla.world.actions import FORWARD, STOP, Nav
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
    is_plain: Tensor  # (most,)
    kinds: Tensor  # (kinds,), how readily each kind is said
    plainly: Tensor  # (actions,), the kind of frame that an action is
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
            "weight": torch.tensor([[_weight(grammar, i, language) for i in row] for row in templates], dtype=torch.float64),
            "plain": torch.tensor([every[row[0]].longest for row in templates]),
            "pieces": torch.tensor(pieces),
            "longest": torch.tensor([each.longest for each in every]),
            "has_verb": torch.tensor([each.has_verb for each in every]),
            "names": torch.tensor([each.names for each in every]),
            "is_plain": torch.arange(most) == 0,
            "plainly": torch.tensor([int(_PLAINLY[action]) for action in Nav]),
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
    """Sentences, and what they say: a column for each action, -1 where no clause begins with it."""

    words: Words
    what: Tensor  # (batch, k), frames as `vnla.language.facts.pack` makes them
    side: Tensor  # (batch, k), where what they speak of is said to be: 1 left, 2 right, 3 ahead, 0 not said
    end: Tensor  # (batch, k), the action that comes after the clause
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
    plan = plan_of(now, k)
    drawn = _draws(now, 3 + k * (4 + speech.pieces.shape[1]))
    each = drawn[:, 3:].view(len(drawn), k, -1)
    chosen = _choose(now, plan, speech, knowledge, each)
    return _put_into_words(now, plan, chosen, speech, drawn[:, :3], each)


def _draws(now: Situation, count: int) -> Tensor:
    """All random numbers of a step: (batch, count)."""
    seed = now.episodes.seed[:, None] if isinstance(now.episodes.seed, Tensor) else now.episodes.seed
    place = torch.arange(count, device=now.pose.device)
    return uniform(seed, now.episodes.key[:, None], Purpose.ADVICE, place + now.step * count)


class _Facts(NamedTuple):
    """Facts that hold on a plan, for each action that a clause may begin with: (batch, k, …) each."""

    what: Tensor
    end: Tensor
    sides: Tensor  # bits: 1 left, 2 right, 4 ahead, 8 holds without a side
    weight: Tensor


class _Chosen(NamedTuple):
    """For each action what is said if a clause begins with it: (batch, k) each."""

    what: Tensor
    end: Tensor
    side: Tensor
    form: Tensor
    begins: Tensor  # whether a clause does
    before: Tensor  # the form of the clause before; -1 for the first


def _choose(now: Situation, plan: Plan, speech: Speech, known: Knowledge, drawn: Tensor) -> _Chosen:
    """A fact for every action, and which of them are said one after the other; all plainly where they would be too long."""
    run = _runs(plan.actions)
    plainly = _plainly(plan, run, speech)
    every = (_ways(now, plan, run, speech, known), _turns(plan, run, speech, known), plainly)
    what, end, sides, weight = (torch.cat(parts, dim=2) for parts in zip(*every, strict=True))
    packed = what | end << 42 | sides << 46
    packed = packed.gather(2, _pick(weight, drawn[:, :, 0])[:, :, None])
    some = _Facts(packed & ((1 << 42) - 1), packed >> 42 & 15, packed >> 46, packed)
    choices = [_chosen(each, plan, run, speech, drawn[:, :, 1]) for each in (some, plainly)]
    lengths = torch.where(choices[0].begins, look_up(speech.plain, choices[0].form) + 1, 0).sum(dim=1)
    fits = (lengths < longest_sentence(run.shape[1]))[:, None]
    return _Chosen(*(torch.where(fits, one, other) for one, other in zip(*choices, strict=True)))


def _chosen(facts: _Facts, plan: Plan, run: Tensor, speech: Speech, drawn: Tensor) -> _Chosen:
    """One fact for every action (batch, k, 1) with its form.

    Where something is, is said if it must be, if it saves words for turning, or now and then. What was named just before is
    not named again.
    """
    what, end, sides = (each.squeeze(2) for each in facts[:3])
    place = torch.arange(run.shape[1], device=run.device)
    kind, actions = what & 31, end - place
    begins, before = _chain(end)
    earlier = before.clamp(min=0)
    thing = what >> 25
    again = (before >= 0) & (thing > 0) & (thing == thing.gather(1, earlier)) & _is(kind, Kind.REACH, Kind.PASS, Kind.TOWARD)
    side = torch.where(sides & 1 > 0, 1, torch.where(sides & 2 > 0, 2, torch.where(sides & 4 > 0, 3, 0)))
    turns = (plan.actions < _UP) & (actions > run)
    side = torch.where(~again & ((sides & 8 == 0) | turns | (drawn < 0.5)), side, 0)
    number = torch.where(_is(kind, Kind.STOP), (place == 0).long(), (actions - 1).clamp(min=0, max=5))
    variant = torch.where(again, torch.where(actions == 1, _AGAIN, _AGAIN_MORE), torch.where(side > 0, _SIDED, number))
    form = look_up(speech.form, kind * len(_VARIANTS) + variant)
    return _Chosen(what, end, side, form, begins, torch.where(before >= 0, form.gather(1, earlier), -1))


def _chain(end: Tensor) -> tuple[Tensor, Tensor]:
    """With which actions clauses begin if each goes on where the one before ended, and with which that one began, or -1."""
    columns, begins, before = end.unbind(dim=1), [], []
    at, last = torch.zeros_like(columns[0]), torch.full_like(columns[0], -1)
    for place, after in enumerate(columns):
        here = at == place
        begins.append(here)
        before.append(last)
        at, last = torch.where(here, after, at), torch.where(here, place, last)
    return torch.stack(begins, dim=1), torch.stack(before, dim=1)


def _ways(now: Situation, plan: Plan, run: Tensor, speech: Speech, known: Knowledge) -> _Facts:
    """Facts about going from each place of a plan to any later one: (batch, k, k·facts)."""
    world, k = now.episodes.environment.world, run.shape[1]
    start = torch.arange(k, device=run.device)
    end = start + 1
    places = viewpoint_of(plan.poses)
    here, there = places[:, :-1], places[:, 1:]
    row = look_up(world.row, here)
    walks = plan.actions == FORWARD
    hop = look_up(world.hop, row[:, None] + there[:, :, None])  # (batch, end, place), where one would go next
    along = ~walks[:, None] | (hop == there[:, None])
    outside = (start < start[:, None])[:, None] | (start >= end[:, None])  # (start, end, place)
    later = end > start[:, None]
    good = (along[:, None] | outside).all(dim=3) & walks[:, None] & later  # (batch, start, end)
    pair = row[:, :, None] + there[:, None]
    index = torch.arange(MOST, device=run.device)
    good = good[..., None] & (index < look_up(known.count, pair)[..., None])
    fact = torch.where(good, look_up(known.start, pair)[..., None] + index, 0)  # (batch, start, end, facts)
    what = look_up(known.what, fact)
    view = view_of(plan.poses[:, :-1])[:, :, None, None]
    tables = (known.left, known.right, known.ahead, known.any)
    sides = sum((look_up(table, fact) >> view & 1) << bit for bit, table in enumerate(tables))
    assert isinstance(sides, Tensor)
    kind, span = what & 31, (end - start[:, None])[..., None]
    straight = (walks[:, :, None] & (span.squeeze(2) <= run[:, :, None]))[..., None]
    true = good & (sides > 0) & (straight | ~_is(kind, Kind.PASS, Kind.TOWARD))
    true = true & (~_is(kind, Kind.RETURN) | _remembered(now, plan, what, known))
    weight = look_up(speech.kinds, kind) * span * true
    ends = end[:, None].expand_as(what)
    return _Facts(*(each.flatten(2) for each in (what, ends, sides, weight)))


def _remembered(now: Situation, plan: Plan, what: Tensor, known: Knowledge) -> Tensor:
    """Whether things at the end of a plan that begins with its first action were in view before: (batch, start, end, facts)."""
    if now.past.dim() < 2 or not now.past.shape[1]:
        return torch.zeros_like(what, dtype=torch.bool)
    place = torch.arange(what.shape[2], device=what.device)
    last = torch.where(plan.actions == FORWARD, place, 0).amax(dim=1)[:, None, None]  # (batch, 1, 1), the last step forward
    thing = (what[:, 0].gather(1, last.expand(-1, 1, what.shape[3])).squeeze(1) >> 25) - 1  # (batch, facts)
    seen = known.seen[now.past.clamp(min=0)].masked_fill((now.past == NOWHERE)[:, :, None], -2).flatten(1)
    before = (thing[:, :, None] == seen[:, None]).any(dim=2)
    here = (place[:, None] == 0) & (place == last)  # (batch, start, end)
    return here[..., None] & before[:, None, None]


def _turns(plan: Plan, run: Tensor, speech: Speech, known: Knowledge) -> _Facts:
    """Facts about what turns end at: (batch, k, facts)."""
    end = torch.arange(run.shape[1], device=run.device) + run
    pose = plan.poses.gather(1, end)
    index = torch.arange(TURNS, device=run.device)
    good = (index < look_up(known.turn_count, pose)[..., None]) & (plan.actions < _UP)[..., None]
    fact = torch.where(good, look_up(known.turn_start, pose)[..., None] + index, 0)
    what, left = look_up(known.turn, fact), (plan.actions == _LEFT)[..., None]
    bits = torch.where(left, look_up(known.from_left, fact), look_up(known.from_right, fact))
    true = good & (bits >> view_of(plan.poses[:, :-1])[..., None] & 1 > 0)
    weight = look_up(speech.kinds, what & 31) * true * run[..., None]
    return _Facts(what, end[..., None].expand_as(what), torch.full_like(what, 8), weight)


def _plainly(plan: Plan, run: Tensor, speech: Speech) -> _Facts:
    """Each action itself, as often as it is repeated: (batch, k, 1)."""
    k = run.shape[1]
    what = look_up(speech.plainly, plan.actions)
    end = torch.where(plan.actions == STOP, k, torch.arange(k, device=run.device) + run)
    weight = look_up(speech.kinds, what) * run
    return _Facts(*(each[..., None] for each in (what, end, torch.full_like(what, 8), weight)))


def _put_into_words(
    now: Situation, plan: Plan, chosen: _Chosen, speech: Speech, opening: Tensor, drawn: Tensor
) -> Told:
    """Templates and words for what was chosen, and words around it."""
    around = [torch.full_like(now.pose, speech.numbers[name]) for name in ("interjection", "polite", "closing")]
    interjection, polite, closing = (_member(each, opening[:, i], speech) for i, each in enumerate(around))
    template = _template(chosen, speech, drawn[:, :, 2])
    connector = _member(torch.full_like(template, speech.numbers["connector"]), drawn[:, :, 3], speech)
    connector = torch.where(chosen.before >= 0, connector, 0)
    template, connector, closing = _fitting(chosen, template, connector, closing, interjection, polite, speech)
    pieces = speech.pieces[template]  # (batch, k, pieces)
    slot = _slots(now, plan, chosen, speech).gather(2, (-1 - pieces).clamp(min=0))
    phrases = _member(torch.where(pieces < 0, slot, pieces), drawn[:, :, 4:], speech)
    clauses = torch.cat([connector[:, :, None], phrases], dim=2).masked_fill(~chosen.begins[:, :, None], 0)
    # "could you" wants a verb to follow.
    polite = torch.where(look_up(speech.has_verb, template[:, 0]), polite, 0)
    whole = torch.cat([interjection[:, None], polite[:, None], clauses.flatten(1), closing[:, None]], dim=1)
    said = (each.masked_fill(~chosen.begins, -1) for each in (chosen.what, chosen.side, chosen.end, template))
    return Told(_words(now, whole, speech, longest_sentence(template.shape[1])), *said)


def _template(chosen: _Chosen, speech: Speech, drawn: Tensor) -> Tensor:
    """One of each form's templates; those of new combinations only where they are wanted: (batch, k)."""
    templates, weight = speech.templates[chosen.form], speech.weight[chosen.form]  # (batch, k, most)
    noun, before = (chosen.what >> 5 & 255)[..., None], chosen.before[..., None]
    some = templates.clamp(min=0)
    new = look_up(speech.names, some) & is_new_with(some, noun)
    new = (new | ((before >= 0) & is_new_after(some, before))) & ~speech.is_plain
    if speech.language == "combinations":
        weight = torch.where(new, weight, weight * _RARELY)
    elif speech.language not in ("templates", "synonyms"):
        weight = weight.masked_fill(new, 0)
    return templates.gather(2, _pick(weight, drawn)[..., None]).squeeze(2)


def _fitting(
    chosen: _Chosen, template: Tensor, connector: Tensor, closing: Tensor, interjection: Tensor, polite: Tensor, speech: Speech
) -> tuple[Tensor, Tensor, Tensor]:
    """Templates, connectors and closing as they are while there is room, plain ones from there on."""
    plain = speech.templates[chosen.form][..., 0]
    comma = torch.where(chosen.before >= 0, look_up(speech.first, torch.full_like(plain, speech.numbers["connector"])), 0)
    least = torch.where(chosen.begins, look_up(speech.plain, chosen.form) + look_up(speech.length, comma), 0).sum(dim=1)
    around = look_up(speech.length, interjection) + look_up(speech.length, polite)
    spare = longest_sentence(plain.shape[1]) - 1 - least - around
    more = look_up(speech.longest, template) - look_up(speech.plain, chosen.form)
    more = more.clamp(min=0) + look_up(speech.length, connector) - look_up(speech.length, comma)
    spent = torch.where(chosen.begins, more, 0).cumsum(dim=1)
    fits = spent <= spare[:, None]
    closes = spent[:, -1] + look_up(speech.length, closing) <= spare
    return torch.where(fits, template, plain), torch.where(fits, connector, comma), torch.where(closes, closing, 0)


def _slots(now: Situation, plan: Plan, chosen: _Chosen, speech: Speech) -> Tensor:
    """The classes of words that frames fill slots with: (batch, k, slots)."""
    number, what, side = speech.numbers, chosen.what, chosen.side
    noun, hue, ordinal, room = (what >> 5 & 255) - 1, what >> 13 & 15, what >> 17 & 3, (what >> 19 & 63) - 1
    left = plan.actions == _LEFT
    place = torch.arange(what.shape[1], device=what.device)
    if speech.language == "mirrored":
        left, side = ~left, torch.where(side == 1, 2, torch.where(side == 2, 1, side))
    if speech.language == "wrong":
        noun, room = _wrong(now, what & 31, noun, room)
    actions = (chosen.end - place).clamp(min=1, max=len(NUMBERS))
    on = torch.where(side == 1, number["on left"], torch.where(side == 2, number["on right"], number["on ahead"]))
    values = {
        Slot.THE: torch.full_like(what, number["the"]),
        Slot.HUE: torch.where(hue > 0, number["hue"] - 1 + hue, 0),
        Slot.NOUN: number["thing"] + noun.clamp(min=0, max=len(THINGS) - 1),
        Slot.SIDE: torch.where(left, number["left"], number["right"]),
        Slot.ON: torch.where(side > 0, on, 0),
        Slot.NTH: torch.where(ordinal > 0, number["first"] - 1 + ordinal, 0),
        Slot.DOOR: torch.where(noun == 1, number["door"], number["no door"]),
        Slot.ROOM: number["room"] + noun.clamp(min=0, max=len(ROOMS) - 1),
        Slot.FROM: number["room"] + room.clamp(min=0, max=len(ROOMS) - 1),
        Slot.STEPS: number["one"] - 1 + actions,
        Slot.TIMES: torch.where(actions > 1, number["twice"], 0),
    }
    return torch.stack([values[slot] for slot in Slot], dim=2)


def _wrong(now: Situation, kind: Tensor, noun: Tensor, room: Tensor) -> tuple[Tensor, Tensor]:
    """Other things and other rooms than those that are there."""
    drawn = _draws(replace(now, step=now.step + (1 << 30)), noun.shape[1])
    thing = (noun + 1 + (drawn * (len(THINGS) - 1)).long()) % len(THINGS)
    away = 1 + (drawn * (len(ROOMS) - 1)).long()
    other = torch.where(_is(kind, Kind.ENTER, Kind.CROSS), (noun + away) % len(ROOMS), thing)
    return torch.where(_is(kind, Kind.THROUGH), 1 - noun, other), (room + away) % len(ROOMS)


def _member(number: Tensor, drawn: Tensor, speech: Speech) -> Tensor:
    """A phrase of each class."""
    return look_up(speech.first, number) + (drawn * look_up(speech.choices, number)).long()


def _words(now: Situation, phrases: Tensor, speech: Speech, most: int) -> Words:
    """The words of phrases, one after the other, and a full stop: (batch, most)."""
    lengths = look_up(speech.length, phrases)
    ends = lengths.cumsum(dim=1)
    total = ends[:, -1:]
    place = torch.arange(most, device=phrases.device)
    which = (ends[:, None] <= place[:, None]).sum(dim=2).clamp(max=phrases.shape[1] - 1)
    token = (look_up(speech.start, phrases) - ends + lengths).gather(1, which) + place
    inside = place < total
    tokens = look_up(speech.tokens, torch.where(inside, token, 0))
    if speech.language == "shuffled":
        order = torch.where(inside, _draws(replace(now, step=now.step + (1 << 30)), most), 2.0).argsort(dim=1)
        tokens = tokens.gather(1, order)
    tokens = torch.where(inside, tokens, torch.where(place == total, speech.full_stop, 0))
    return Words(tokens, total.squeeze(1) + 1)


_LEFT, _UP = int(Nav.LEFT), int(Nav.UP)
_PLAINLY = {
    Nav.LEFT: Kind.TURN, Nav.RIGHT: Kind.TURN, Nav.UP: Kind.LOOK_UP, Nav.DOWN: Kind.LOOK_DOWN, Nav.FORWARD: Kind.WALK,
    Nav.STOP: Kind.STOP,
}  # fmt: skip


def _is(kind: Tensor, *kinds: Kind) -> Tensor:
    found = kind == int(kinds[0])
    for each in kinds[1:]:
        found = found | (kind == int(each))
    return found


def _runs(actions: Tensor) -> Tensor:
    """How many like actions there are from each on."""
    columns = actions.unbind(dim=1)
    runs_ = [torch.ones_like(columns[-1])]
    for here, after in zip(reversed(columns[:-1]), reversed(columns[1:]), strict=True):
        runs_.append(torch.where(here == after, runs_[-1] + 1, 1))
    return torch.stack(runs_[::-1], dim=1)


def _pick(weight: Tensor, drawn: Tensor) -> Tensor:
    """One of the last dimension, each as likely as its weight."""
    sums = weight.cumsum(dim=-1)
    return (sums <= drawn[..., None] * sums[..., -1:]).sum(dim=-1).clamp(max=weight.shape[-1] - 1)
