"""An episode as a link, and back."""

from __future__ import annotations

from string import ascii_letters, digits

import pytest
from hypothesis import given
from hypothesis import strategies as some

from vnla.common.errors import InputError
from vnla.serve.episode_spec import LONGEST_LINK, EpisodeSpec, Intervention

TEXTS = some.none() | some.text(max_size=40)
SAID = some.dictionaries(some.integers(0, 24), TEXTS, max_size=4).map(
    lambda each: tuple(Intervention(step=step, text=each[step]) for step in sorted(each))
)
WANTED = some.builds(EpisodeSpec, task=some.text(max_size=30), seed=some.integers(0, 2**53 - 1), said=SAID) | some.builds(
    EpisodeSpec, house=some.text(max_size=12), goal=some.text(max_size=40), seed=some.integers(0, 2**53 - 1), said=SAID
)


@given(WANTED)
def test_a_link_gives_exactly_this_episode_again(wanted: EpisodeSpec) -> None:
    assert EpisodeSpec.of_link(wanted.link()) == wanted
    assert EpisodeSpec.of_link(f"#{wanted.link()}") == wanted


@given(some.text(max_size=200) | some.text(f"{ascii_letters}{digits}-_=", max_size=200))
def test_what_is_no_link_is_refused_with_a_line(text: str) -> None:
    with pytest.raises(InputError):
        EpisodeSpec.of_link(text)


def test_a_link_that_is_too_long_is_not_even_read() -> None:
    with pytest.raises(InputError, match="longer"):
        EpisodeSpec.of_link("w=" + "A" * LONGEST_LINK)


def test_an_episode_is_one_thing_and_its_words_are_in_order() -> None:
    for wrong in ({}, {"task": "1", "goal": "x", "house": "y"}, {"goal": "x"}, {"task": "1", "house": "y"}):
        with pytest.raises(ValueError, match="a task, or a house and a goal"):
            EpisodeSpec(seed=0, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="order"):
        EpisodeSpec(task="1", seed=0, said=(Intervention(step=3), Intervention(step=1)))


def test_a_new_word_takes_the_place_of_all_later_ones() -> None:
    wanted = EpisodeSpec(task="1", seed=0).saying(2, "turn left").saying(5, None).saying(2, "stop")
    assert wanted.spoken == {2: "stop"}
