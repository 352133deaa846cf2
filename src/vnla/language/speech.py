"""The grammar and the facts of a world as tensors, and the one function that makes sentences of them.

Everything is gathers of fixed sizes over a batch: from the plan of every agent, to which facts hold on it, to one fact after
the other that is drawn, to a template and words for each, to a row of tokens. On a CPU, on a GPU and inside of its graph it
is the same function; what people read is its tokens, written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from vnla.assistance.advisor import Lexicon
from vnla.camera import VIEWS
from vnla.common.randomness import Purpose, uniform
from vnla.episode import StepContext
from vnla.language.facts import MOST, MOST_TURNS, Facts, runs
from vnla.language.frames import FrameKind
from vnla.language.grammar import FULL_STOP, NUMBERS, PLAIN, Grammar, Slot, form_of, is_new_after, is_new_with
from vnla.language.things import HUES, ROOMS, THINGS, Noun
from vnla.words import Words
from vnla.world.actions import FORWARD, STOP, Nav
from vnla.world.compiled import NOWHERE, World, view_of, viewpoint_of

TURNS = 4 * MOST_TURNS
"""Facts of a turn that are looked at."""
ROOM_FOR_MORE = 8
"""Words that a sentence may have besides its plain clauses."""

SIDES_TOLD = 0.25
"""How often it is said where something is that one has to turn to, and can see."""

LANGUAGES = ("usual", "combinations", "templates", "synonyms", "landmarks", "mirrored", "wrong", "shuffled")
"""What may be said: as in training; held-out combinations, templates or words wherever there are any; what a thing or a room
alone tells, wherever one does; or the contrary of what is so: left for right, other things than those, no order."""

_WEIGHTS = {
    FrameKind.WALK: 1.0, FrameKind.TURN: 1.0, FrameKind.LOOK_UP: 1.0, FrameKind.LOOK_DOWN: 1.0, FrameKind.STOP: 1.0,
    FrameKind.FACE: 0.7, FrameKind.SPOT: 0.4, FrameKind.REACH: 2.0, FrameKind.PASS: 0.45, FrameKind.ENTER: 1.2,
    FrameKind.LEAVE: 0.6, FrameKind.CROSS: 1.2, FrameKind.THROUGH: 1.2, FrameKind.CLIMB: 4.0, FrameKind.DESCEND: 4.0,
    FrameKind.RISE: 2.0, FrameKind.SINK: 2.0, FrameKind.TOWARD: 0.3, FrameKind.RETURN: 0.8,
}  # fmt: skip
"""How readily each kind of frame is said, for each action that it covers."""
_SAVING, _ALONE = 3.0, 9.0
"""How much more readily a frame is said that saves words for turning, and one with a noun that alone tells which way."""
_RARELY = 1e-6  # weight of the usual where something held out is preferred


@dataclass(frozen=True)
class Knowledge:
    """The facts of all houses of a world."""

    start: Tensor  # (pairs,), where the facts of two viewpoints begin
    count: Tensor  # (pairs,)
    edge: Tensor  # (facts,), with which the way begins that each is about
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
        tables |= {
            "edge": world.ways().cpu().numpy()[pair[order]],
            "start": start,
            "count": count,
            "turn_start": turn_start,
            "turn_count": turn_count,
        }
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


class Counting(NamedTuple):
    """Numbers in a row, made once: small tensors cost as much to make as to compute with."""

    place: Tensor  # (k,), 0 to k - 1
    span: Tensor  # (start, end), actions from one to the other
    inside: Tensor  # (start, end, place), whether a place is between the two
    ends: Tensor  # (end, 1)
    facts: Tensor  # (MOST,)
    turns: Tensor  # (TURNS,)
    words: Tensor  # (longest sentence,)
    draws: Tensor  # (numbers that are drawn,)

    @classmethod
    def to(cls, k: int, draws: int, device: torch.device | str) -> Counting:
        """For plans of k actions."""
        place = torch.arange(k)
        end = place + 1
        inside = (place >= place[:, None, None]) & (place < end[:, None])
        counts = (torch.arange(count) for count in (MOST, TURNS, longest_sentence(k), draws))
        return cls(*(each.to(device) for each in (place, end - place[:, None], inside, end[:, None], *counts)))


@dataclass(frozen=True)
class Speech:
    """A grammar in an agent's words."""

    language: str
    tokens: Tensor  # (all words of all phrases,), numbers of the grammar's own: places in `Grammar.words`, from 1
    numbers: Tensor  # (words + 1,), the agent's numbers for them
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
    names: Tensor  # (forms, most), whether combinations with nouns may be held out
    plainest: Tensor  # (forms,), the plain one
    is_plain: Tensor  # (most,)
    kinds: Tensor  # (kinds,), how readily each kind is said
    plainly: Tensor  # (actions,), the kind of frame that an action is
    slots: Tensor  # (slots·256,), the class that fills each slot, by what `_values` says of it
    counting: Counting
    around: dict[str, tuple[int, int]]  # class of what stands around clauses → its first phrase, and how many there are
    comma: int  # the phrase that is the shortest connector
    full_stop: int
    sides: float  # how often it is said where something is that one has to turn to, and can see
    landmarks: float  # share of the sentences that tell by landmarks alone what they can

    @classmethod
    def of(
        cls,
        grammar: Grammar,
        lexicon: Lexicon,
        language: str,
        k: int,
        device: torch.device | str = "cpu",
        sides: float = SIDES_TOLD,
        landmarks: float = 0.0,
    ) -> Speech:
        """In the words of a lexicon, for plans of k actions."""
        phrases = [phrase for each in grammar.classes for phrase in each.all]
        length = torch.tensor([len(phrase) for phrase in phrases])
        own = {word: number for number, word in enumerate(grammar.words, start=1)}
        tokens = torch.tensor([own[word] for phrase in phrases for word in phrase])
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
        variants = [form_of(FrameKind(kind), **options) for kind in range(len(FrameKind)) for options in _VARIANTS]
        variants = ["STAY" if name == "STOP" and i % len(_VARIANTS) else name for i, name in enumerate(variants)]
        tables = {
            "tokens": tokens,
            "numbers": torch.tensor([lexicon.padding, *(lexicon[word] for word in grammar.words)]),
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
            "names": torch.tensor([[i >= 0 and every[i].names for i in row] for row in templates]),
            "plainest": torch.tensor([row[0] for row in templates]),
            "is_plain": torch.arange(most) == 0,
            "slots": _slot_table(grammar),
            "plainly": torch.tensor([int(_PLAINLY[action]) for action in Nav]),
            "kinds": torch.tensor([_WEIGHTS[kind] for kind in FrameKind], dtype=torch.float64),
        }
        around = {name: (firsts[grammar[name]], choices[grammar[name]]) for name in _AROUND}
        moved = {name: table.to(device) for name, table in tables.items()}
        counting = Counting.to(k, 3 + k * (4 + grammar.most_pieces), device)
        comma = sum(len(each.all) for each in grammar.classes[: grammar["connector"]])
        assert phrases[comma] == (",",)
        share = 1.0 if language in _BY_LANDMARKS else landmarks
        return cls(
            language, counting=counting, around=around, comma=comma, full_stop=own[FULL_STOP], sides=sides, landmarks=share,
            **moved,
        )  # fmt: skip


_VARIANTS: tuple[dict[str, Any], ...] = (
    *({"number": number} for number in range(1, 7)), {"sided": True}, {"again": True}, {"number": 2, "again": True},
)  # fmt: skip
_SIDED, _AGAIN = 6, 7
_AROUND = ("interjection", "polite", "connector", "closing")


def _weight(grammar: Grammar, template: int, language: str) -> float:
    if template < 0:
        return 0.0
    if language == "templates":
        return 1.0 if grammar.templates[template].held_out else _RARELY
    return 0.0 if grammar.templates[template].held_out else 1.0


class PlanBatch(NamedTuple):
    """What agents are to do."""

    actions: Tensor  # (batch, k)
    poses: Tensor  # (batch, k + 1), before each action and after the last


class ComposedSentences(NamedTuple):
    """Sentences, and what they say: a column for each action, -1 where no clause begins with it."""

    words: Words  # in the grammar's own numbers
    what: Tensor  # (batch, k), frames as `vnla.language.facts.pack` makes them
    side: Tensor  # (batch, k), where what they speak of is said to be: 1 left, 2 right, 3 ahead, 0 not said
    end: Tensor  # (batch, k), the action that comes after the clause
    template: Tensor  # (batch, k)


def longest_sentence(k: int) -> int:
    """Words of the longest sentence about so many actions, with its full stop."""
    return PLAIN * k + ROOM_FOR_MORE


def plan_of(now: StepContext, k: int) -> PlanBatch:
    """The navigation teacher's next actions from where agents are."""
    actions, poses = now.episodes.environment.taught_way(now.pose, now.episodes.goals, k)
    return PlanBatch(torch.stack(actions, dim=1), torch.stack(poses, dim=1))


def tell(now: StepContext, speech: Speech, knowledge: Knowledge, k: int) -> ComposedSentences:
    """A sentence for everybody about the next k actions."""
    plan, drawn, each, chosen = _decided(now, speech, knowledge, k)
    what = _otherwise(now, plan, chosen, speech, knowledge) if speech.language == "wrong" else chosen.what
    return _put_into_words(now, plan, chosen, what, speech, drawn[:, :3], each)


def _decided(now: StepContext, speech: Speech, knowledge: Knowledge, k: int) -> tuple[PlanBatch, Tensor, Tensor, _Chosen]:
    """Plans, the numbers that are drawn, those of each clause, and what is said."""
    plan, drawn = plan_of(now, k), draws(now, speech.counting.draws)
    each = drawn[:, 3:].view(len(drawn), k, -1)
    return plan, drawn, each, _choose(now, plan, speech, knowledge, each)


def landmarks_alone(plan: PlanBatch, told: ComposedSentences | _Chosen) -> Tensor:
    """In which clauses a thing or a room alone tells which way to turn: (batch, k)."""
    run = _runs(plan.actions)
    saving = (plan.actions < _UP) & (told.end - torch.arange(run.shape[1], device=run.device) > run)
    return saving & (told.what >= 0) & (told.side == 0) & _has(told.what.clamp(min=0), _DECIDING)


def landmarks_decide(now: StepContext, speech: Speech, knowledge: Knowledge, k: int) -> Tensor:
    """Whether sentences of "wrong" have a clause in which a thing or a room alone tells which way to turn, and tells another
    way than the true one: (batch,)."""
    plan, _, _, chosen = _decided(now, speech, knowledge, k)
    elsewhere = _elsewhere(now, plan, chosen, speech, knowledge) >= 0
    return (chosen.begins & landmarks_alone(plan, chosen) & elsewhere).any(dim=1)


def draws(now: StepContext, numbers: Tensor) -> Tensor:
    """Random numbers of a step: (batch, numbers)."""
    seed = now.episodes.seed[:, None] if isinstance(now.episodes.seed, Tensor) else now.episodes.seed
    return uniform(seed, now.episodes.key[:, None], Purpose.ADVICE, numbers + now.step * len(numbers))


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


def _choose(now: StepContext, plan: PlanBatch, speech: Speech, known: Knowledge, drawn: Tensor) -> _Chosen:
    """A fact for every action, and which of them are said one after the other; all plainly where they would be too long."""
    run = _runs(plan.actions)
    turning = plan.actions < _UP
    plainly = _plainly(plan, run, speech)
    every = (_ways(now, plan, run, speech, known), _turns(plan, run, turning, speech, known), plainly)
    what, end, sides, weight = (torch.cat(parts, dim=2) for parts in zip(*every, strict=True))
    saving = turning[..., None] & (end - speech.counting.place[:, None] > run[..., None])
    alone = saving & (sides & 8 > 0) & _has(what, _DECIDING)
    others, often = _by_landmarks(now, speech)
    weight = weight * torch.where(alone, _ALONE, torch.where(saving, _SAVING, 1.0) * others)
    packed = (what | end << 42 | sides << 46).gather(2, _pick(weight, drawn[:, :, 0])[:, :, None]).squeeze(2)
    some = _Facts(packed & ((1 << 42) - 1), packed >> 42 & 15, packed >> 46, packed)
    told = _chosen(some, run, turning, speech, drawn[:, :, 1], often)
    plain = _chosen(_Facts(*(each.squeeze(2) for each in plainly)), run, turning, speech, drawn[:, :, 1], often)
    words = (take(speech.plain, told.form) + 1) * told.begins
    fits = (words.sum(dim=1) < longest_sentence(run.shape[1]))[:, None]
    return _Chosen(*(torch.where(fits, one, other) for one, other in zip(told, plain, strict=True)))


def _by_landmarks(now: StepContext, speech: Speech) -> tuple[Tensor | float, Tensor | float]:
    """How readily other facts are said than those with a noun that alone tells which way, (batch, 1, 1), and how often the
    side of something that one can see, (batch, 1)."""
    if speech.landmarks in (0, 1):
        return (_RARELY, 0.0) if speech.landmarks else (1.0, speech.sides)
    led = draws(replace(now, step=now.step + (3 << 30)), speech.counting.place[:1]) < speech.landmarks
    return torch.where(led, _RARELY, 1.0)[:, :, None], torch.where(led, 0.0, speech.sides)


def _chosen(fact: _Facts, run: Tensor, turning: Tensor, speech: Speech, drawn: Tensor, often: Tensor | float) -> _Chosen:
    """One fact for every action (batch, k) with its form.

    Where something is, is said if it must be, or now and then; so a thing in view often is all that tells which way to turn.
    What was named just before is not named again.
    """
    what, end, sides, _ = fact
    begins, before = _chain(end)
    earlier, follows = before.clamp(min=0), before >= 0
    thing, actions = what >> 25, end - speech.counting.place
    again = follows & (thing > 0) & (thing == thing.gather(1, earlier)) & _has(what, _MAY_BE_IT)
    telling = drawn < torch.where(turning & (actions > run), often, 0.5)
    telling = ((sides & 8 == 0) | telling) & ~again
    side = take(speech.slots, sides + _SIDES) * telling
    # Repeated actions have forms of their own; so has stopping at once.
    number = torch.where(what == int(FrameKind.STOP), speech.counting.place == 0, (actions - 1).clamp(min=0, max=5))
    variant = torch.where(side > 0, _SIDED, number)
    variant = torch.where(again, _AGAIN + (actions > 1), variant)
    form = take(speech.form, (what & 31) * len(_VARIANTS) + variant)
    return _Chosen(what, end, side, form, begins, torch.where(follows, form.gather(1, earlier), -1))


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


def _ways(now: StepContext, plan: PlanBatch, run: Tensor, speech: Speech, known: Knowledge) -> _Facts:
    """Facts about going from each place of a plan to any later one: (batch, k, k·facts)."""
    world, counting = now.episodes.environment.world, speech.counting
    places = viewpoint_of(plan.poses)
    here, there = places[:, :-1], places[:, 1:]
    row = take(world.row, here)
    walks = plan.actions == FORWARD
    hop = take(world.hop, row[:, None] + there[:, :, None])  # (batch, end, place), where one would go next
    astray = walks[:, None] & (hop != there[:, None])
    pair = row[:, :, None] + there[:, None]  # (batch, start, end)
    count = take(known.count, pair) * (walks[:, None] & (counting.span > 0))
    count = count.masked_fill((astray[:, None] & counting.inside).any(dim=3), 0)
    good = counting.facts < count[..., None]
    fact = (take(known.start, pair)[..., None] + counting.facts) * good  # (batch, start, end, facts)
    what = take(known.what, fact)
    view = view_of(plan.poses[:, :-1])[:, :, None, None]
    left, right, ahead, anywhere = (
        take(table, fact) >> view & 1 for table in (known.left, known.right, known.ahead, known.any)
    )
    sides = left | right << 1 | ahead << 2 | anywhere << 3
    straight = (walks[:, :, None] & (counting.span <= run[:, :, None]))[..., None]
    true = good & (sides > 0) & (straight | ~_has(what, _STRAIGHT))
    true = true & ((what & 31 != int(FrameKind.RETURN)) | _remembered(now, plan, what, speech, known))
    weight = take(speech.kinds, what & 31) * counting.span[..., None] * true
    return _Facts(*(each.flatten(2) for each in (what, counting.ends.expand_as(what), sides, weight)))


def _remembered(now: StepContext, plan: PlanBatch, what: Tensor, speech: Speech, known: Knowledge) -> Tensor:
    """Whether things at the end of the whole plan were in view before: (batch, start, end, facts)."""
    if now.past.dim() < 2 or not now.past.shape[1]:
        return torch.zeros_like(what, dtype=torch.bool)
    place = speech.counting.place
    last = ((plan.actions == FORWARD) * place).amax(dim=1)[:, None, None]  # (batch, 1, 1), the last step forward
    thing = (what[:, 0].gather(1, last.expand(-1, 1, what.shape[3])).squeeze(1) >> 25) - 1  # (batch, facts)
    seen = known.seen[now.past.clamp(min=0)].masked_fill((now.past == NOWHERE)[:, :, None], -2).flatten(1)
    before = (thing[:, :, None] == seen[:, None]).any(dim=2)
    here = (place[:, None] == 0) & (place == last)  # (batch, start, end)
    return here[..., None] & before[:, None, None]


def _turns(plan: PlanBatch, run: Tensor, turning: Tensor, speech: Speech, known: Knowledge) -> _Facts:
    """Facts about what turns end at: (batch, k, facts)."""
    end = speech.counting.place + run
    pose = plan.poses.gather(1, end)
    good = speech.counting.turns < (take(known.turn_count, pose) * turning)[..., None]
    fact = (take(known.turn_start, pose)[..., None] + speech.counting.turns) * good
    what, left = take(known.turn, fact), (plan.actions == _LEFT)[..., None]
    bits = torch.where(left, take(known.from_left, fact), take(known.from_right, fact))
    true = good & (bits >> view_of(plan.poses[:, :-1])[..., None]).bitwise_and(1).bool()
    weight = take(speech.kinds, what & 31) * true * run[..., None]
    return _Facts(what, end[..., None].expand_as(what), torch.full_like(what, 8), weight)


def _plainly(plan: PlanBatch, run: Tensor, speech: Speech) -> _Facts:
    """Each action itself, as often as it is repeated: (batch, k, 1)."""
    what = take(speech.plainly, plan.actions)
    end = torch.where(plan.actions == STOP, run.shape[1], speech.counting.place + run)
    weight = take(speech.kinds, what) * run
    return _Facts(*(each[..., None] for each in (what, end, torch.full_like(what, 8), weight)))


def _put_into_words(
    now: StepContext, plan: PlanBatch, chosen: _Chosen, what: Tensor, speech: Speech, opening: Tensor, drawn: Tensor
) -> ComposedSentences:
    """Templates for what was chosen, words for `what` is spoken of there, and words around it."""
    names = ("interjection", "polite", "closing")
    interjection, polite, closing = (_drawn_phrase(speech, name, opening[:, i : i + 1]) for i, name in enumerate(names))
    connector = _drawn_phrase(speech, "connector", drawn[:, :, 3]) * (chosen.before >= 0)
    template = _template(chosen, speech, drawn[:, :, 2])
    # What there is room for, the clauses in the plainest words first.
    spare = _spare(chosen, speech)
    template, connector, spare = _fitting_clauses(chosen, template, connector, spare, speech)
    interjection, spare = _fitting(interjection, spare, speech)
    polite, spare = _fitting(polite, spare, speech)
    closing, _ = _fitting(closing, spare, speech)
    pieces = speech.pieces[template]  # (batch, k, pieces)
    slot = _slots(plan, chosen, what, speech).gather(2, (-1 - pieces).clamp(min=0))
    number = torch.where(pieces < 0, slot, pieces)
    phrases = take(speech.first, number) + (drawn[:, :, 4:] * take(speech.choices, number)).long()
    clauses = torch.cat([connector[:, :, None], phrases], dim=2) * chosen.begins[:, :, None]
    polite = polite * take(speech.has_verb, template[:, :1])  # "could you" wants a verb to follow
    whole = torch.cat([interjection, polite, clauses.flatten(1), closing], dim=1)
    said = (each.masked_fill(~chosen.begins, -1) for each in (chosen.what, chosen.side, chosen.end, template))
    return ComposedSentences(_words(now, whole, speech), *said)


def _drawn_phrase(speech: Speech, name: str, drawn: Tensor) -> Tensor:
    """A phrase of a class, for everybody."""
    first, choices = speech.around[name]
    return first + (drawn * choices).long()


def _template(chosen: _Chosen, speech: Speech, drawn: Tensor) -> Tensor:
    """One of each form's templates; those of new combinations only where they are wanted: (batch, k)."""
    templates, weight = speech.templates[chosen.form], speech.weight[chosen.form]  # (batch, k, most)
    if speech.language not in ("templates", "synonyms"):
        noun, before = (chosen.what >> 5 & 255)[..., None], chosen.before[..., None]
        new = speech.names[chosen.form] & is_new_with(templates, noun)
        new = (new | ((before >= 0) & is_new_after(templates, before))) & ~speech.is_plain
        weight = weight * torch.where(new, *((1.0, _RARELY) if speech.language == "combinations" else (0.0, 1.0)))
    return templates.gather(2, _pick(weight, drawn)[..., None]).squeeze(2)


def _spare(chosen: _Chosen, speech: Speech) -> Tensor:
    """Words that are left over when everything is said in the plainest way: (batch, 1)."""
    least = take(speech.plain, chosen.form) + (chosen.before >= 0)
    return longest_sentence(least.shape[1]) - 1 - (least * chosen.begins).sum(dim=1, keepdim=True)


def _fitting(phrase: Tensor, spare: Tensor, speech: Speech) -> tuple[Tensor, Tensor]:
    """A phrase if there is room for it, and the room that is left."""
    words = take(speech.length, phrase)
    fits = words <= spare
    return phrase * fits, spare - words * fits


def _fitting_clauses(
    chosen: _Chosen, template: Tensor, connector: Tensor, spare: Tensor, speech: Speech
) -> tuple[Tensor, Tensor, Tensor]:
    """Templates and connectors as they are where there is room for them, else plain ones and commas."""
    follows = (chosen.before >= 0).long()
    more = take(speech.longest, template) - take(speech.plain, chosen.form) + take(speech.length, connector) - follows
    each = []
    for words in torch.split(more.clamp(min=0) * chosen.begins, 1, dim=1):
        each.append(words <= spare)
        spare = spare - words * each[-1]
    fits = torch.cat(each, dim=1)
    template = torch.where(fits, template, take(speech.plainest, chosen.form))
    connector = torch.where(fits, connector, speech.comma * follows)
    return template, connector, spare


def _slots(plan: PlanBatch, chosen: _Chosen, what: Tensor, speech: Speech) -> Tensor:
    """The classes of words that frames fill slots with: (batch, k, slots)."""
    turn, side = plan.actions, chosen.side
    if speech.language == "mirrored":
        turn, side = turn ^ (turn < _UP), torch.where((side > 0) & (side < 3), 3 - side, side)
    noun, room = what >> 5 & 255, what >> 19 & 63
    zero = torch.zeros_like(what)
    actions = (chosen.end - speech.counting.place).clamp(max=len(NUMBERS))
    values = {
        Slot.THE: zero, Slot.HUE: what >> 13 & 15, Slot.NOUN: noun, Slot.SIDE: turn, Slot.ON: side, Slot.NTH: what >> 17 & 3,
        Slot.DOOR: noun, Slot.ROOM: noun, Slot.FROM: room, Slot.STEPS: actions, Slot.TIMES: actions,
    }  # fmt: skip
    return take(speech.slots, torch.stack([values[slot] + 256 * slot for slot in _SLOTS], dim=2))


def _slot_table(grammar: Grammar) -> Tensor:
    """For each slot and each number below 256 that may be its value the class that fills it; then the side by bits."""
    table = torch.zeros(_SIDES + 16, dtype=torch.int64)

    def fill(slot: Slot, first: int, classes: Sequence[int]) -> None:
        table[256 * slot + first : 256 * slot + first + len(classes)] = torch.tensor(classes)

    def following(kind: str, nouns: Sequence[Noun]) -> list[int]:
        return [grammar.first(kind, nouns) + i for i in range(len(nouns))]

    fill(Slot.THE, 0, [grammar["the"]])
    fill(Slot.HUE, 1, following("hue", HUES))
    fill(Slot.NOUN, 1, following("thing", THINGS))
    fill(Slot.SIDE, 0, [grammar["left"], grammar["right"]])
    fill(Slot.ON, 1, [grammar["on left"], grammar["on right"], grammar["on ahead"]])
    fill(Slot.NTH, 1, [grammar["first"], grammar["second"], grammar["third"]])
    fill(Slot.DOOR, 1, [grammar["no door"], grammar["door"]])
    fill(Slot.ROOM, 1, following("room", ROOMS))
    fill(Slot.FROM, 1, following("room", ROOMS))
    fill(Slot.STEPS, 1, [grammar[number] for number in NUMBERS])
    fill(Slot.TIMES, 2, [grammar["twice"]] * 7)
    table[_SIDES:] = torch.tensor([1 if bits & 1 else 2 if bits & 2 else 3 if bits & 4 else 0 for bits in range(16)])
    return table


def _otherwise(now: StepContext, plan: PlanBatch, chosen: _Chosen, speech: Speech, known: Knowledge) -> Tensor:
    """Other things, doors and rooms than those that are meant: such as lead another way from there, if there are any, else
    any others: (batch, k)."""
    what = chosen.what
    kind, noun, room = what & 31, what >> 5 & 255, what >> 19 & 63
    drawn = draws(replace(now, step=now.step + (1 << 30)), speech.counting.place)
    thing = 1 + (noun + (drawn * (len(THINGS) - 1)).long()) % len(THINGS)
    away = (drawn * (len(ROOMS) - 1)).long()
    of_room = (kind == int(FrameKind.ENTER)) | (kind == int(FrameKind.CROSS))
    other = torch.where(of_room, 1 + (noun + away) % len(ROOMS), thing)
    other = torch.where(kind == int(FrameKind.THROUGH), 3 - noun, other)
    anything = what & ~(255 << 5 | 63 << 19) | other << 5 | (1 + (room + away) % len(ROOMS)) << 19
    elsewhere = _elsewhere(now, plan, chosen, speech, known)
    return torch.where(elsewhere >= 0, elsewhere, anything)


def _elsewhere(now: StepContext, plan: PlanBatch, chosen: _Chosen, speech: Speech, known: Knowledge) -> Tensor:
    """What may be said of the same kind without a side in place of what is, and is so too, but begins with another action;
    -1 where there is nothing: (batch, k)."""
    world, place = now.episodes.environment.world, speech.counting.place
    here, view = viewpoint_of(plan.poses[:, :-1]), view_of(plan.poses[:, :-1])[..., None]
    row, house = take(world.row, here), torch.searchsorted(world.first, here, right=True)
    first, last = row + take(world.first, house - 1), row + take(world.first, house) - 1
    begin = take(known.start, first)
    count = take(known.start, last) + take(known.count, last) - begin
    drawn = draws(replace(now, step=now.step + (2 << 30)), torch.arange(len(place) * _LOOKED_AT, device=here.device))
    fact = (begin[..., None] + (drawn.view(*here.shape, -1) * count[..., None]).long()) * (count > 0)[..., None]
    what, begins = take(known.what, fact), take(world.toward, take(known.edge, fact) * VIEWS + view)
    said, alike = chosen.what[..., None], 31 | 255 << 5
    other = (what & 31 == said & 31) & (what & alike != said & alike) & _has(what, _DECIDING)
    other = other & (begins != plan.actions[..., None]) & (take(known.any, fact) >> view).bitwise_and(1).bool()
    other = other & ((count > 0) & (chosen.side == 0))[..., None]
    found = what.gather(2, other.to(torch.int8).argmax(dim=2, keepdim=True)).squeeze(2)
    return torch.where(other.any(dim=2), found, -1)


def _words(now: StepContext, phrases: Tensor, speech: Speech) -> Words:
    """The words of phrases, one after the other, and a full stop: (batch, most)."""
    place = speech.counting.words
    lengths = take(speech.length, phrases)
    ends = lengths.cumsum(dim=1)
    total = ends[:, -1:]
    which = (ends[:, None] <= place[:, None]).sum(dim=2).clamp(max=phrases.shape[1] - 1)
    inside = place < total
    token = ((take(speech.start, phrases) - ends + lengths).gather(1, which) + place) * inside
    tokens = take(speech.tokens, token)
    if speech.language == "shuffled":
        drawn = draws(replace(now, step=now.step + (1 << 30)), place)
        tokens = tokens.gather(1, torch.where(inside, drawn, 2.0).argsort(dim=1))
    tokens = torch.where(inside, tokens, (place == total) * speech.full_stop)
    return Words(tokens, total.squeeze(1) + 1)


_LEFT, _UP = int(Nav.LEFT), int(Nav.UP)
_SLOTS = tuple(Slot)  # what goes through an enumeration cannot be fused
_SIDES = 256 * len(_SLOTS)
_PLAINLY = {
    Nav.LEFT: FrameKind.TURN, Nav.RIGHT: FrameKind.TURN, Nav.UP: FrameKind.LOOK_UP, Nav.DOWN: FrameKind.LOOK_DOWN,
    Nav.FORWARD: FrameKind.WALK, Nav.STOP: FrameKind.STOP,
}  # fmt: skip
_STRAIGHT = 1 << FrameKind.PASS | 1 << FrameKind.TOWARD  # kinds that are about steps straight on
_MAY_BE_IT = _STRAIGHT | 1 << FrameKind.REACH
_DECIDING = (
    1 << FrameKind.REACH | 1 << FrameKind.ENTER | 1 << FrameKind.CROSS | 1 << FrameKind.RETURN
)  # kinds with a noun that tells the way
_BY_LANDMARKS = ("landmarks", "wrong")
_LOOKED_AT = 256  # facts of a viewpoint among which something else is looked for


def take(table: Tensor, index: Tensor) -> Tensor:
    """`table[index]` for a table of one dimension, in one operation."""
    return torch.take(table, index)


def _has(what: Tensor, kinds: int) -> Tensor:
    """Whether frames are of some kinds, given as bits."""
    return (kinds >> (what & 31)).bitwise_and(1).bool()


def _runs(actions: Tensor) -> Tensor:
    """How many like actions there are from each on."""
    columns = actions.unbind(dim=1)
    counts = [torch.ones_like(columns[-1])]
    for here, after in zip(reversed(columns[:-1]), reversed(columns[1:]), strict=True):
        counts.append((here == after) * counts[-1] + 1)
    return torch.stack(counts[::-1], dim=1)


def _pick(weight: Tensor, drawn: Tensor) -> Tensor:
    """One of the last dimension, each as likely as its weight."""
    sums = weight.cumsum(dim=-1)
    return (sums <= drawn[..., None] * sums[..., -1:]).sum(dim=-1).clamp(max=weight.shape[-1] - 1)
