"""Sentences: the same as the grammar's own words, the same for the same seed whoever else is there, never too long."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import spoken as it
from strategies import connected_houses
from vnla.assistance.phrases import subgoal_text, until_stop
from vnla.common.errors import InputError
from vnla.common.selection import take_rows
from vnla.episode import StepContext
from vnla.houses.house import House
from vnla.language.advisor import GrammarAdvisor, GrammarVoice, _said
from vnla.language.grammar import Grammar, Template, is_new_after, is_new_with, text_of
from vnla.language.grounding import denote
from vnla.language.parser import parse
from vnla.language.speech import LANGUAGES, ComposedSentences, Knowledge, landmarks_alone, longest_sentence, plan_of
from vnla.language.things import ROOMS, THINGS
from vnla.report.advice import wandering
from vnla.world.compiled import World

GRAMMAR = Grammar()


def pattern(template: Template) -> str:
    """What a template may say, as a regular expression."""
    parts = []
    for piece in template.pieces:
        if piece < 0:
            parts.append(r"(?:\S+ )*?")  # a slot: whatever the frame fills in
        else:
            parts.append(
                "(?:" + "|".join(re.escape(" ".join(each)) + " " * bool(each) for each in GRAMMAR.classes[piece].all) + ")"
            )
    return "".join(parts)


def sentences(says: str = "usual", k: int = 4, count: int = 300) -> tuple[list[str], ComposedSentences]:
    voice, now = it.voice(k, says), it.agents(count, 2)
    table = voice.say(now).table
    return [table.text(row) for row in range(count)], voice.tell(now)


@pytest.mark.parametrize("k", [1, 4, 8])
def test_tokens_spell_the_clauses_of_the_templates_that_were_chosen(k: int) -> None:
    voice, now = it.voice(k), it.agents(200, 2)
    told, heard = voice.tell(now), voice.say(now)
    words = heard.table.words
    for row in range(200):
        spoken = [it.VOCABULARY.words[each] for each in words.tokens[row, : words.length[row]].tolist()]
        assert text_of(spoken) == heard.table.text(row)
        assert spoken[-1] == "." and "." not in spoken[:-1]
        around = [
            r"(?:\S+ )*?",
            *(pattern(GRAMMAR.templates[i]) + r"(?:\S+ )*?" for i in told.template[row].tolist() if i >= 0),
        ]
        assert re.fullmatch("".join(around), " ".join(spoken[:-1]) + " "), spoken
        assert len(spoken) <= longest_sentence(k)
    assert words.length[-1] == 0 and heard.table.text(200) == ""


def test_what_is_read_is_the_sentence_backwards_and_the_end_mark() -> None:
    heard = it.voice().say(it.agents(20, 2))
    words, tails = heard.words, heard.tails
    for row in range(20):
        spoken = words.tokens[row, : words.length[row]].tolist()
        assert tails.tokens[row, : tails.length[row]].tolist() == [*reversed(spoken), it.VOCABULARY.end]
    assert tails.tokens.shape[1] == it.voice().phrases.tails.tokens.shape[1]


def test_a_sentence_does_not_depend_on_who_else_is_there() -> None:
    voice, now = it.voice(), it.agents(40, 2)
    rows = torch.tensor([31, 4, 17])
    some = replace(take_rows(now, rows), step=now.step)
    every, few = voice.say(now).table, voice.say(some).table
    assert [few.text(i) for i in range(3)] == [every.text(int(row)) for row in rows]
    assert [voice.say(now).table.text(i) for i in range(40)] == [every.text(i) for i in range(40)]
    other = voice.say(replace(now, step=now.step + 1)).table
    assert sum(other.text(i) != every.text(i) for i in range(40)) > 30


def test_there_are_hundreds_of_thousands_of_sentences() -> None:
    """Of two thousand agents in two houses hardly two hear the same, but for those who have arrived."""
    said, told = sentences(count=2000)
    moving = {text for row, text in enumerate(said) if int(told.what[row, 0])}
    assert len(moving) > 0.9 * sum(int(told.what[row, 0]) > 0 for row in range(2000))


def used(told: ComposedSentences) -> list[tuple[int, int, int]]:
    """Templates with their nouns, and the form of the clause before."""
    forms = list(GRAMMAR.forms)
    found = []
    for row in range(len(told.what)):
        before = -1
        for what, template in zip(told.what[row].tolist(), told.template[row].tolist(), strict=True):
            if what >= 0:
                found.append((template, what >> 5 & 255, before))
                before = forms.index(GRAMMAR.templates[template].form)
    return found


def row_of(told: ComposedSentences, row: int) -> ComposedSentences:
    return ComposedSentences(told.words, *(each[row : row + 1] for each in told[1:]))


def is_held_out(template: int, noun: int, before: int) -> bool:
    if template == GRAMMAR.forms[GRAMMAR.templates[template].form][0]:
        return False
    of_noun = GRAMMAR.templates[template].names and is_new_with(template, noun)
    return bool(of_noun or (before >= 0 and is_new_after(template, before)))


@pytest.mark.parametrize("says", ["usual", "landmarks", "mirrored", "wrong", "shuffled"])
def test_nothing_that_is_held_out_is_said_in_training(says: str) -> None:
    said, told = sentences(says, count=1000)
    templates = used(told)
    assert not any(GRAMMAR.templates[template].held_out for template, _, _ in templates)
    assert not any(is_held_out(*each) for each in templates)
    usual = {word for each in GRAMMAR.classes for phrase in each.usual for word in phrase}
    words = {word.lower() for text in said for word in re.findall(r"[\w-]+", text)}
    assert words <= usual


def test_held_out_sets_have_what_training_lacks() -> None:
    """Not everything in them is new: a plain clause stands where there is no room for another, or no combination."""
    _, combined = sentences("combinations", count=300)
    _, framed = sentences("templates", count=300)
    assert not any(GRAMMAR.templates[template].held_out for template, _, _ in used(combined))
    assert sum(any(is_held_out(*each) for each in used(row_of(combined, row))) for row in range(300)) > 200
    strange = [[GRAMMAR.templates[each[0]].held_out for each in used(row_of(framed, row))] for row in range(300)]
    assert sum(map(any, strange)) > 280
    usual = {phrase for each in GRAMMAR.classes for phrase in each.usual}
    rare = {" ".join(phrase) for each in GRAMMAR.classes for phrase in each.held_out if phrase not in usual}
    said, _ = sentences("synonyms", count=300)
    assert sum(any(f" {each} " in f" {text.replace(',', ' ,')} " for each in rare) for text in said) > 200


def test_contrast_sets_say_what_is_not_so() -> None:
    usual, mirrored, shuffled = (sentences(says)[0] for says in ("usual", "mirrored", "shuffled"))
    swapped = {"left": "right", "right": "left"}
    for text, other in zip(usual, mirrored, strict=True):
        assert other == re.sub(r"\b(left|right)\b", lambda found: swapped[found[0]], text)
    assert all(
        sorted(re.findall(r"[\w-]+", a)) == sorted(re.findall(r"[\w-]+", b)) for a, b in zip(usual, shuffled, strict=True)
    )
    assert sum(a != b for a, b in zip(usual, shuffled, strict=True)) > 200


def test_wrong_things_are_never_the_right_ones() -> None:
    voice, wrong, now = it.voice(says="landmarks"), it.voice(says="wrong"), it.agents(300, 2)
    told = voice.tell(now)
    right, other = (each.say(now).table for each in (voice, wrong))
    for row in range(300):
        whats = [what for what in told.what[row].tolist() if what >= 0]
        if any(what >> 25 or what & 31 in (9, 11) for what in whats):
            assert right.text(row) != other.text(row)


def test_things_alone_often_tell_the_way() -> None:
    now = it.agents(2000, 2)
    plan, usual, landmarks = plan_of(now, 4), *(it.voice(says=says).tell(now) for says in ("usual", "landmarks"))
    some, most = (landmarks_alone(plan, told).any(dim=1).float().mean() for told in (usual, landmarks))
    assert 0.05 < some < most
    sided = [
        landmarks_alone(plan, told._replace(side=(told.side == 0).long())) & (told.what >> 25 > 0)
        for told in (usual, landmarks)
    ]
    assert [bool(each.any()) for each in sided] == [True, False], "now and then the side of a thing is said, or never"
    speech = replace(it.voice().speech, sides=1.0)
    always = landmarks_alone(plan, replace(it.voice(), speech=speech).tell(now)).float().mean()
    assert always < 0.1 * landmarks_alone(plan, usual).float().mean()


def test_a_share_of_what_is_said_tells_the_way_by_landmarks() -> None:
    now, usual, landmarks = it.agents(2000, 2), it.voice(), it.voice(says="landmarks")

    def texts(voice: GrammarVoice) -> list[str]:
        table = voice.say(now).table
        return [table.text(row) for row in range(2000)]

    none, half, every = (texts(replace(usual, speech=replace(usual.speech, landmarks=share))) for share in (0.0, 0.5, 1.0))
    assert (none, every) == (texts(usual), texts(landmarks))
    assert all(one in others for one, *others in zip(half, none, every, strict=True))
    differs = [row for row in range(2000) if none[row] != every[row]]
    assert 0.45 < sum(half[row] == every[row] for row in differs) / len(differs) < 0.55


def test_wrong_things_that_are_there_lead_another_way() -> None:
    """Where things alone tell the way, the true sentence is followed along the plan and the other one is not."""
    now, wrong = it.agents(2000, 2), it.voice(says="wrong")
    rows = wrong.landmarks_decide(now).nonzero().flatten().tolist()
    assert len(rows) > 20
    true, other = (voice.say(now).table for voice in (it.voice(says="landmarks"), wrong))
    told, plan = it.voice(says="landmarks").tell(now), plan_of(now, 4)
    followed = astray = 0
    for row in rows[:20]:
        _, pose, _, house = it.clauses(now, told, row)[0]
        wanted = until_stop(plan.actions[row].tolist())
        around, step = it.surroundings()[house], it.stepping(now, row, house)
        meant, other_way = (denote(parse(table.text(row)), around, pose, step, loosely=False) for table in (true, other))
        followed += meant.plan == wanted
        astray += other_way.plan != wanted
    assert followed >= 19 and astray == 20


def test_a_grammar_is_well_formed() -> None:
    for form, numbers in GRAMMAR.forms.items():
        own = [GRAMMAR.templates[i] for i in numbers]
        assert not own[0].held_out and own[0].has_verb, form
        assert any(each.held_out for each in own), f"{form}: nothing is held out"
    for template in GRAMMAR.templates:
        for piece in template.pieces:
            assert piece < 0 or piece < len(GRAMMAR.classes)
    assert len({noun.name for noun in THINGS}) == len(THINGS) and len(THINGS) < 255 and len(ROOMS) < 63


def test_no_word_stands_for_two_kinds_of_things_rooms_or_ways() -> None:
    """Or what is said of one would be heard of another; a door is both a thing and a way."""
    owners: dict[tuple[str, ...], set[str]] = {}
    for each in GRAMMAR.classes:
        if each.name.startswith(("thing ", "room ")) or each.name in ("door", "no door"):
            for phrase in each.all:
                owners.setdefault(phrase, set()).add(each.name)
    assert [phrase for phrase, names in owners.items() if len(names) > 1] == [("door",)]


def test_slots_are_no_longer_than_is_counted_with() -> None:
    from vnla.language.grammar import _LONGEST, Slot

    nouns = {Slot.NOUN: "thing ", Slot.ROOM: "room ", Slot.FROM: "room ", Slot.HUE: "hue ", Slot.ON: "on "}
    for slot, start in nouns.items():
        phrases = [phrase for each in GRAMMAR.classes if each.name.startswith(start) for phrase in each.all]
        assert max(map(len, phrases)) <= _LONGEST[slot], slot


@pytest.mark.parametrize("says", LANGUAGES)
@pytest.mark.parametrize("k", [1, 2, 4, 8])
def test_no_sentence_is_too_long(k: int, says: str) -> None:
    told = it.voice(k, says).tell(it.agents(2000, 2))
    assert int(told.words.length.max()) <= longest_sentence(k) == told.words.tokens.shape[1]


@given(connected_houses(), st.integers(1, 8), st.sampled_from(LANGUAGES), st.integers(0, 2**62))
@settings(deadline=None, max_examples=25)
def test_it_never_fails_in_houses_that_nobody_has_looked_at(house: House, k: int, says: str, seed: int) -> None:
    world = World.compile([house])
    now = wandering(world, 5, seed % 1000)
    voice = GrammarAdvisor(k=k, says=says).ready(it.VOCABULARY)
    heard = voice.say(now)
    assert (heard.words.length > 1).all() and (heard.words.length <= longest_sentence(k)).all()
    assert all(heard.table.text(row) for row in range(5))


def test_bad_options_are_refused_in_one_line() -> None:
    for options, message in (
        ({"k": 9}, "1 to 8"),
        ({"phrases": 2}, "from 0 to 1"),
        ({"landmarks": -1}, "from 0 to 1"),
        ({"k": 7, "phrases": 0.5}, "1 to 6"),
        ({"says": "nonsense"}, "choose from"),
        ({"speaks": False}, "no help"),
    ):
        with pytest.raises(InputError, match=message):
            GrammarAdvisor(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("phrases", "landmarks"), [pytest.param(0.0, 0.0, marks=pytest.mark.slow), (0.5, 0.5)])
def test_it_can_be_traced_for_a_graph(phrases: float, landmarks: float) -> None:
    """Without a break, and with the step as a tensor: so one compilation serves all steps."""
    book = GrammarAdvisor(phrases=phrases).ready(it.VOCABULARY).phrasebook
    speech = replace(it.voice().speech, landmarks=landmarks)
    voice, now = replace(it.voice(), speech=speech, phrasebook=book), it.agents(10, 2)
    now = replace(now, episodes=replace(now.episodes, seed=torch.full_like(now.pose, 3)))
    plain: Any = _said.__wrapped__  # type: ignore[attr-defined]
    whole = torch.compile(plain, backend="eager", fullgraph=True, dynamic=False)
    for step in (0, 7):
        own = plain(voice, replace(now, step=0), step)
        traced = whole(voice, replace(now, step=0), torch.tensor(step))
        assert all(
            torch.equal(a, b) for one, other in zip(own, traced, strict=True) for a, b in zip(one, other, strict=True)
        )
    torch._dynamo.reset()


def test_without_knowledge_it_speaks_of_turns_and_steps_alone() -> None:
    now: StepContext = it.agents(50, 2)
    told = GrammarAdvisor().ready(it.VOCABULARY).tell(now)
    assert set((told.what[told.what >= 0] & 31).tolist()) <= {0, 1, 2, 3, 4}
    assert Knowledge.none(it.world()).count.sum() == 0


def test_a_share_of_what_is_said_is_in_the_papers_phrases() -> None:
    now = it.agents(400, 2)
    plans = [until_stop(plan) for plan in plan_of(now, 4).actions.tolist()]
    phrases = [subgoal_text(plan) for plan in plans]

    def said(share: float, step: int = 0) -> list[str]:
        own, advisor = it.voice(), GrammarAdvisor(phrases=share)
        book = advisor.ready(it.VOCABULARY).phrasebook
        heard = replace(own, advisor=advisor, phrasebook=book).say(replace(now, step=now.step + step))
        spoken = [[it.VOCABULARY.words[each] for each in heard.words.tokens[row].tolist() if each] for row in range(400)]
        assert [text_of(words) for words in spoken] == [heard.table.text(row) for row in range(400)]
        return [heard.table.text(row) for row in range(400)]

    assert said(1.0) == phrases
    usual, mixed, later = said(0.0), said(0.25), said(0.25, step=1)
    phrased = [one == phrase != other for one, phrase, other in zip(mixed, phrases, usual, strict=True)]
    assert all(one in (phrase, other) for one, phrase, other in zip(mixed, phrases, usual, strict=True))
    assert 60 < sum(phrased) < 140, "a quarter of them"
    assert phrased != [one == phrase for one, phrase in zip(later, phrases, strict=True)], "drawn for each step"
