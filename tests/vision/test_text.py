"""What is in view in words: the nearest first, in the words of a vocabulary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.vision.symbolic import MOST, symbolic_features, text_views
from vnla.vision.views import world_views
from vnla.world.compiled import World

HOUSE = cottage()
WORLD = World.compile([HOUSE])
WORDS = Vocabulary((*SPECIAL, *sorted({word for thing in HOUSE.objects for word in thing.label.split()})))


def test_every_view_names_what_the_symbols_show() -> None:
    tokens, symbols = text_views([HOUSE], WORLD, WORDS), symbolic_features([HOUSE], WORLD)
    nearness = symbols.array.reshape(len(tokens), -1)
    sentences = [" ".join(WORDS.words[token] for token in row if token) for row in tokens.tolist()]
    for row, sentence in zip(nearness, sentences, strict=True):
        seen = [symbols.labels[i] for i in np.argsort(-row, kind="stable") if row[i] > 0][:MOST]
        assert sentence == " ".join(seen)
    assert any(sentences) and not all(sentences)
    assert all(row[: np.count_nonzero(row)].all() for row in tokens), "padding comes last"


def test_a_word_that_nobody_knows_is_the_unknown_word() -> None:
    few = Vocabulary((*SPECIAL, "picture"))
    assert set(np.unique(text_views([HOUSE], WORLD, few)).tolist()) == {0, few.unknown, few["picture"]}


def test_words_need_a_vocabulary() -> None:
    folder = WorldFolder(Path("nowhere"), (HOUSE,), {}, {})
    assert world_views(folder, WORLD, "text,symbolic", WORDS)["text"].dtype == np.int32
    with pytest.raises(InputError, match="features text: are words, which need a vocabulary"):
        world_views(folder, WORLD, "text")
