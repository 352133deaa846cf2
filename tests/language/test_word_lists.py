"""The word lists: every key is known where it is used, and nothing is there twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import pytest

from vnla.language import word_lists
from vnla.language.clauses import rules
from vnla.language.grammar import Grammar
from vnla.language.meanings import signs
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


def test_rules_speak_of_symbols_that_phrases_have() -> None:
    known = {symbol for key, _ in word_lists.entries("phrases.txt") for symbol in key.split()} | {"door", "stairs"}
    for pattern, _ in (*rules().always, *rules().named, *rules().unnamed):
        bare = re.sub(r"\?P(<\w+>|=\w+)|\\d|\[[^]]*\]|#\d*|\b(thing|room|hue|here|nth)", " ", pattern.pattern)
        assert set(re.findall(r"[a-z]+", bare)) <= known, pattern.pattern
    assert rules().soft <= known | {",", "&"}


def test_rules_are_there_once() -> None:
    assert twice(pattern.pattern for pattern, _ in rules().always) == []


def test_every_phrase_is_read_as_its_symbols() -> None:
    for key, text in word_lists.entries("phrases.txt"):
        for phrase in word_lists.phrases(text):
            if key not in ("step", "feet"):  # which depend on what is before
                assert [each.sign for each in signs(" ".join(phrase))] == key.split(), phrase
