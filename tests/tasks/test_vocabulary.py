"""Words and numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from vnla.assistance.advisor import TemplateAdvisor
from vnla.common.errors import InputError
from vnla.tasks.vocabulary import Vocabulary, cut

GOALS = ["find a bed .", "find a towel in the bathroom .", "find towels in the bathroom ."]


def test_words_by_frequency_then_alphabet_then_the_advisors() -> None:
    """Three times: "." and "find"; twice: "a", "bathroom", "in", "the"; once: "bed", "towel", "towels"."""
    words = Vocabulary.build(GOALS).words
    assert words[:12] == ("<PAD>", "<UNK>", "<EOS>", ".", "find", "a", "bathroom", "in", "the", "bed", "towel", "towels")
    rest = words[12:]
    assert list(rest) == sorted(rest)
    assert set(rest) == (set(TemplateAdvisor().words()) | set(TemplateAdvisor(aggregate=False).words())) - {"."}
    assert {"120", "90", "60", "2", "3", "4", "degrees", ",", "look"} <= set(rest)


def test_the_advisors_table_finds_all_its_words() -> None:
    vocabulary = Vocabulary.build(GOALS)
    assert int(TemplateAdvisor().ready(vocabulary).phrases.words.tokens[-1].sum()) == 0


def test_sentences_go_there_and_back() -> None:
    vocabulary = Vocabulary.build(GOALS)
    tokens, lengths = vocabulary.encode(GOALS)
    assert tokens.shape == (3, 7)
    assert lengths.tolist() == [4, 7, 6]
    assert tokens[0].tolist() == [4, 5, 9, 3, 0, 0, 0]
    assert vocabulary.decode(tokens) == GOALS
    assert vocabulary.encode(["find a dragon ."])[0].tolist() == [[4, 5, 1, 3]]
    assert vocabulary.encode([])[0].shape == (0, 0)


def test_sentences_that_come_again_stay_in_their_places() -> None:
    vocabulary = Vocabulary.build(GOALS)
    again = [GOALS[1], GOALS[0], GOALS[1], GOALS[1], GOALS[2], GOALS[0]]
    tokens, lengths = vocabulary.encode(again)
    assert vocabulary.decode(tokens) == again
    assert lengths.tolist() == [7, 4, 7, 7, 6, 4]


def test_long_sentences_keep_their_beginning_and_their_full_stop() -> None:
    vocabulary = Vocabulary.build(GOALS)
    tokens, lengths = vocabulary.encode(GOALS, longest=4)
    assert lengths.tolist() == [4, 4, 4]
    assert vocabulary.decode(tokens)[1] == "find a towel ."
    with pytest.raises(InputError, match="leaves nothing"):
        cut(["find"], 0)


def test_a_file_has_one_word_a_line(tmp_path: Path) -> None:
    vocabulary = Vocabulary.build(GOALS)
    path = tmp_path / "vocab.txt"
    path.write_text(vocabulary.text())
    assert path.read_text().splitlines()[3] == "."
    assert Vocabulary.read(path) == vocabulary


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("find\n", "vocab.txt: vocabulary: it must begin with <PAD> <UNK> <EOS>"),
        ("<PAD>\n<UNK>\n<EOS>\na\na\n", "it has the word 'a' twice"),
    ],
)
def test_bad_vocabularies_are_refused(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=complaint):
        Vocabulary.read(path)
