"""The word lists: every key is known where it is used, and nothing is there twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import get_args

import pytest

from vnla.language import word_lists
from vnla.language.clauses import clause_grammar, compiled
from vnla.language.frames import Frame
from vnla.language.grammar import Grammar
from vnla.language.lexer import tokens
from vnla.language.relaxed_matching import KIN
from vnla.language.things import ROOMS, THINGS

LISTS = ["synonyms", "around_clauses", "slot_fillers", "things", "rooms", "colours", "categories", "phrases"]
LISTS += ["things_heard", "rooms_heard"]


def twice(found: Iterable[object]) -> list[object]:
    return [each for each, count in Counter(found).items() if count > 1]


@pytest.mark.parametrize("name", LISTS)
def test_no_key_is_there_twice(name: str) -> None:
    assert twice(key for key, _ in word_lists.entries(f"{name}.txt")) == []


def test_no_phrase_means_two_things() -> None:
    heard = [phrase for name in ("phrases", "things_heard", "rooms_heard") for _, text in word_lists.entries(f"{name}.txt")
             for phrase in word_lists.phrases(text)]  # fmt: skip
    names = [tuple(word.split()) for noun in (*THINGS, *ROOMS) for word in (*noun.words, *noun.held_out)]
    things = [phrase for _, text in word_lists.entries("things_heard.txt") for phrase in word_lists.phrases(text)]
    assert twice(heard) == [] and twice([*set(names), *things]) == []


def test_labels_of_things_and_their_kin_are_known() -> None:
    kinds = {noun.name for noun in THINGS}
    labels = [label for key, _ in word_lists.entries("things.txt") for label in key.split(", ")]
    assert twice(labels) == []
    assert {name for names in KIN for name in names} <= kinds
    assert {name for key, _ in word_lists.entries("things_heard.txt") for name in key.split(", ")} <= kinds
    assert {key for key, _ in word_lists.entries("rooms_heard.txt")} <= {noun.name for noun in ROOMS}
    assert {kind for _, kind in word_lists.entries("categories.txt")} <= kinds


def test_templates_are_there_once_and_of_classes_that_exist() -> None:
    for form, templates in word_lists.sections("templates.txt").items():
        assert twice(templates) == [], form
    assert len(Grammar().forms) == len(word_lists.sections("templates.txt"))


def test_forms_speak_of_signs_that_phrases_have() -> None:
    known = {kind for key, _ in word_lists.entries("phrases.txt") for kind in key.split()} | {"door", "stairs"}
    grammar = clause_grammar()
    for pattern, _ in (*grammar.always, *grammar.named, *grammar.unnamed):
        bare = re.sub(r"\?P<\w+>|\\d|\[[^]]*\]|#\d*|\b(thing|room|hue|here|nth\d)", " ", pattern.pattern)
        assert set(re.findall(r"[A-Za-z]+", bare)) <= known, pattern.pattern
    assert grammar.soft <= known | {",", "&"}


def test_every_production_makes_frames() -> None:
    grammar = clause_grammar()
    assert {form.production for form in (*grammar.always, *grammar.named, *grammar.unnamed)} <= grammar.frames.keys()
    frames = {frame.__name__ for frame in get_args(Frame)}
    for made in grammar.frames.values():
        assert {each.split()[0] for each in made.split(" | ")} <= frames | grammar.frames.keys()


@pytest.mark.parametrize(
    ("form", "row", "taken", "slots"),
    [
        ("(turn | go)* [to] SIDE", "turn go left ahead ", "turn go left ", {"side": "left "}),
        ("turn [SIDE | side:around]", "turn around ", "turn around ", {"side": "around "}),
        ("go times:NUMBER ?(, | &)", "go #12 , ", "go #12 ", {"times": "#12 "}),
        ("go !(SIDE)", "go left ", None, {}),
        ("look+", "looks ", None, {}),
        ("& , #1", "& , #1 ", "& , #1 ", {}),
    ],
)
def test_notation_of_forms(form: str, row: str, taken: str | None, slots: dict[str, str]) -> None:
    match = compiled(form, {"SIDE": "side:(left | right)", "NUMBER": "/#[0-9]+ /"}).match(row)
    assert (match and match[0]) == taken
    assert {slot.split("_")[0]: said for slot, said in (match.groupdict() if match else {}).items() if said} == slots


def test_a_part_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        compiled("turn SIDES", {"SIDE": "left"})


def test_forms_are_there_once() -> None:
    assert twice(pattern.pattern for pattern, _ in clause_grammar().always) == []


def test_every_phrase_is_read_as_its_signs() -> None:
    for key, text in word_lists.entries("phrases.txt"):
        for phrase in word_lists.phrases(text):
            if key not in ("step", "feet"):  # which depend on what is before
                assert [each.kind for each in tokens(" ".join(phrase))] == key.split(), phrase
