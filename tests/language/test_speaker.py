"""The speaker: it learns, goes on where it was, and is heard only where a listener follows it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save, save_file

from vnla.assistance.advisor import TemplateAdvisor
from vnla.camera import VIEWS, view_index
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.houses.sightings import keep_arrays
from vnla.language.facts import facts_of
from vnla.language.grammar import Grammar
from vnla.language.sights import plain_sights
from vnla.language.speaker import composing, kept
from vnla.language.speaker.advisor import SpeakerAdvisor, sentences_of
from vnla.language.speaker.composing import SpokenSentences, follows, said_in
from vnla.language.speaker.kept import new_speaker, read_speaker, write_speaker
from vnla.language.speaker.looks import COLOURS, KINDS, SIZE, Looks, called
from vnla.language.speaker.training import Ground, SpeakerSettings, followed, train_speaker
from vnla.language.speech import plan_of
from vnla.language.surroundings import Surroundings
from vnla.language.tabled import plans_in
from vnla.language.things import THINGS
from vnla.report.advice import wandering
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.compiled import World

AROUND = Surroundings(cottage(), plain_sights(cottage()))
GROUND = Ground.of([AROUND], [facts_of(AROUND)])
WORDS = Grammar().words
VOCABULARY = Vocabulary((*SPECIAL, *WORDS))


def test_it_learns_and_goes_on_where_it_was(tmp_path: Path) -> None:
    file, heard = tmp_path / "speaker.safetensors", dict[int, float]()
    settings = SpeakerSettings(iterations=20, batch=16, learning_rate=0.02, width=16, k=2)
    first = train_speaker(file, GROUND, settings, lambda done, _, loss: heard.update({done: loss}))
    assert first.done == 20 and read_speaker(file).digest == first.digest
    more = train_speaker(
        file, GROUND, replace(settings, iterations=40, k=4, width=8), lambda n, _, loss: heard.update({n: loss})
    )
    assert more.done == 40 and more.k == 2, "the file says what it is"
    assert heard[20] < 5 and heard[40] < heard[20] - 0.1
    assert train_speaker(file, GROUND, replace(settings, iterations=40)).digest == more.digest, "nothing is left to do"
    shares = followed(more, GROUND, 10, 1)
    assert 0.0 <= max(shares.likeliest, shares.drawn) <= shares.any <= 1.0


def test_a_file_that_holds_no_speaker_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no speaker; `vnla speaker"):
        read_speaker(tmp_path / "none.safetensors")
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(b"what is this")
    with pytest.raises(InputError, match="cannot be read as a speaker"):
        read_speaker(bad)
    speaker = new_speaker(WORDS, 2, 8, 0)
    write_speaker(bad, speaker, {}, {"seed": 0})
    assert read_speaker(bad).words == tuple(WORDS)
    write_speaker(bad, replace(speaker, words=("no", "full", "stop")), {}, {})
    with pytest.raises(InputError, match="its notes make no sense"):
        read_speaker(bad)


def spoken(path: Path, tensors: dict[str, torch.Tensor] | None = None, **notes: Any) -> Path:
    """A small speaker as earlier versions wrote it, without a checksum, with some notes and tensors changed."""
    speaker = new_speaker(WORDS, 2, 8, 0)
    about = {"words": list(WORDS), "k": 2, "width": 8, "done": 3, "seed": 0} | notes
    own = {f"network.{name}": each for name, each in speaker.network.state_dict().items()} | (tensors or {})
    path.write_bytes(save(own, {"notes": json.dumps(about)}))
    return path


def test_a_speaker_of_earlier_versions_is_read(tmp_path: Path) -> None:
    assert read_speaker(spoken(tmp_path / "s.safetensors")).done == 3


WRONG: dict[str, dict[str, Any]] = {
    "a lone surrogate": {"words": [".", "\ud800"]},
    "a line end": {"words": [".", "a\nb"]},
    "no text": {"words": [".", 3]},
    "no list": {"words": "."},
    "a word twice": {"words": [".", "a", "a"]},
    "a long word": {"words": [".", "a" * 61]},
    "too many words": {"words": [".", *map(str, range(200_000))], "width": 4096},
    "a network that is not there": {"words": [".", *map(str, range(20_000))], "width": 4096},
    "another width": {"width": 16},
    "no k": {"k": 9},
    "a truth for a number": {"k": True},
    "a fraction": {"width": 8.0},
    "less than nothing done": {"done": -1},
    "endlessly done": {"done": 10**30},
    "no seed": {"seed": -1},
    "no number": {"tensors": {"network.gist.bias": torch.full((8,), torch.nan)}},
    "infinite moments": {"tensors": {"adam.exp_avg.gist.bias": torch.full((8,), torch.inf)}},
    "moments of another shape": {"tensors": {"adam.exp_avg.gist.bias": torch.zeros(9)}},
    "moments of nothing": {"tensors": {"adam.exp_avg.nobody": torch.zeros(8)}},
    "whole numbers": {"tensors": {"network.gist.bias": torch.zeros(8, dtype=torch.int64)}},
    "another tensor": {"tensors": {"others": torch.zeros(8)}},
    "another checksum": {"sha256": "0" * 64},
    "no checksum": {"sha256": [1]},
}


@pytest.mark.parametrize("what", WRONG)
def test_whatever_is_wrong_with_a_speaker_is_one_line(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = spoken(tmp_path / "s.safetensors", **WRONG[what])
    on = list[torch.device]()
    network = kept.SpeakerNetwork
    monkeypatch.setattr(kept, "SpeakerNetwork", lambda sizes: on.append(torch.empty(0).device) or network(sizes))
    with pytest.raises(InputError, match=r"s\.safetensors: cannot be read as a speaker \(") as error:
        read_speaker(path)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300
    assert {each.type for each in on} <= {"meta"}, "no memory is taken for a network before all is known to fit"


def test_a_speaker_with_another_bit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.safetensors"
    write_speaker(path, new_speaker(WORDS, 2, 8, 0), {}, {"seed": 0})
    data = bytearray(path.read_bytes())
    for place in (len(data) - 1, len(data) // 2, len(data) - 1000):
        changed = bytearray(data)
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(InputError, match="it is not what its checksum says"):
            read_speaker(path)


def test_sentences_that_cannot_be_are_composed_again(tmp_path: Path) -> None:
    write_world(tmp_path / "w", [cottage()], source="drawn")
    folder, house, speaker = read_world(tmp_path / "w"), cottage(), new_speaker(WORDS, 1, 8, 0)
    right = SpokenSentences(np.array([3]), np.ones((1, speaker.longest), np.int16), np.array([1]))
    odd = {
        "a word that it has not": right._replace(tokens=right.tokens + len(WORDS)),
        "a word below none": right._replace(tokens=-right.tokens),
        "too few words": right._replace(tokens=right.tokens[:, 1:]),
        "a pose that is not there": right._replace(about=np.array([2**62])),
        "more sentences than poses": right._replace(about=np.array([3, 4])),
        "no number of plans": right._replace(plans=np.zeros((0,), np.int64)),
    }
    of = composing._of(folder, folder.houses[0], speaker)
    keep_arrays(folder, f"{house.name}.said", of, right._asdict())
    assert composing._kept(folder, folder.houses[0], speaker) is not None
    for what, said in odd.items():
        keep_arrays(folder, f"{house.name}.said", of, said._asdict())
        assert composing._kept(folder, folder.houses[0], speaker) is None, what


@pytest.mark.parametrize("odd", [math.inf, math.nan, 10**400, "2", True, 2.0, None])
@pytest.mark.parametrize("name", ["k", "width", "done"])
def test_numbers_in_its_notes_that_are_none(name: str, odd: Any, tmp_path: Path) -> None:
    file = tmp_path / "speaker.safetensors"
    write_speaker(file, new_speaker(WORDS, 2, 8, 0), {}, {"seed": 0})
    with safe_open(file, framework="pt") as opened:
        notes = json.loads(opened.metadata()["notes"])
    save_file({}, file, {"notes": json.dumps(notes | {name: odd})})
    with pytest.raises(InputError, match="cannot be read as a speaker"):
        read_speaker(file)


def test_what_it_sees() -> None:
    looks = Looks.of([AROUND])
    assert looks.kind.shape == (len(AROUND.graph.ids) * VIEWS, SIZE) and looks.where.isfinite().all()
    pose = AROUND.graph.ids.index("living_east") * VIEWS + view_index(1, 9)
    seen = looks.kind[pose][:8]
    in_view = AROUND.visible[pose // VIEWS, pose % VIEWS] & (AROUND.noun >= 0)
    assert set(seen[seen > 0].tolist()) <= {int(noun) + 1 for noun in AROUND.noun[in_view]}
    assert (seen > 0).sum() == min(8, in_view.sum())
    ahead = AROUND.ahead[pose // VIEWS, pose % VIEWS] & (AROUND.noun >= 0)
    assert looks.where[pose, :8, 4].sum() == ahead.sum() > 0, "what is ahead is told apart"


def test_the_words_of_what_it_looks_at_are_near_at_hand() -> None:
    named = list(called())
    assert len(named) == KINDS + COLOURS
    network = new_speaker(WORDS, 2, 8, 0).network
    for kind, words in enumerate(named):
        likely = {WORDS[each - 1] for each in network.names.weight[kind].nonzero().flatten().tolist()}
        assert likely == set(words) <= set(WORDS)
    sofa = [noun.name for noun in THINGS].index("sofa")
    assert "couch" in named[sofa + 1]


def test_plans_are_those_of_the_teacher_and_each_is_there_once() -> None:
    plan, about = plans_in(AROUND, 3)
    advisor = TemplateAdvisor(k=3)
    assert about.tolist() == sorted(set(about.tolist()))
    assert torch.equal(plan.poses[:, 0] * NAV_ACTIONS**3 + advisor.code(plan.actions), about)
    assert (plan.poses[:, 0] % VIEWS // 12 == 1).all(), "level"
    now = wandering(GROUND.world, 40, 3)
    level = now.pose % VIEWS // 12 == 1
    asked = (now.pose * NAV_ACTIONS**3 + advisor.code(plan_of(now, 3).actions))[level]
    assert set(asked.tolist()) <= set(about.tolist()), "whoever asks has a plan that is there"


def test_a_listener_follows_what_is_true_and_leads_to_the_right_place() -> None:
    plan, about = plans_in(AROUND, 4)
    start = AROUND.graph.ids.index("hall_south") * VIEWS + view_index(1, 0)
    wanted = [Nav.RIGHT, Nav.RIGHT, Nav.RIGHT, Nav.FORWARD]
    row = next(
        i for i in range(len(about)) if int(plan.poses[i, 0]) == start and plan.actions[i].tolist() == [*map(int, wanted)]
    )
    for text in (
        "turn right, enter the kitchen",
        "turn 90 degrees right, go forward",
        "turn right and take the opening ahead",
    ):
        assert follows(text, AROUND, plan, row), text
    others = ("turn left, enter the kitchen", "turn right", "turn right, enter the bathroom", "turn right, go to the piano")
    for text in (*others, "turn right, and stop", "turn right, enter the kitchen and stop", "colourless ideas", ""):
        assert not follows(text, AROUND, plan, row), text


def test_what_is_kept_is_followed() -> None:
    """An untrained speaker babbles: nothing that it says is kept unless it happens to be right."""
    said = said_in(AROUND, new_speaker(WORDS, 1, 8, 0))
    plan, about = plans_in(AROUND, 1)
    assert int(said.plans[0]) == len(about) and len(said.about) == len(said.tokens)
    for number, tokens in zip(said.about.tolist(), said.tokens.tolist(), strict=True):
        assert follows(new_speaker(WORDS, 1, 8, 0).text(tokens), AROUND, plan, about.tolist().index(number))


def test_its_sentences_are_heard_where_they_belong_and_plain_words_elsewhere() -> None:
    world = GROUND.world
    now = wandering(world, 30, 3)
    advisor = SpeakerAdvisor(k=2, speaker="x")
    plain = advisor.ready(VOCABULARY).say(now)
    code = TemplateAdvisor(k=2).code(plan_of(now, 2).actions)
    about = (now.pose * NAV_ACTIONS**2 + code).numpy()
    chosen = np.unique(about[::3])
    tokens = np.zeros((len(chosen), 16), np.int16)
    tokens[:, :3] = [WORDS.index(word) + 1 for word in ("climb", "the", "stairs")]
    sentences = sentences_of([SpokenSentences(chosen, tokens, np.array([1]))], world, WORDS, 2)
    heard = advisor.voiced(VOCABULARY, sentences, "cpu").say(now)
    for row in range(30):
        said, plainly = (each.table.text(int(each.index[row])) for each in (heard, plain))
        assert plainly and said == ("climb the stairs" if about[row] in chosen else plainly)


def test_bad_options_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--advisor-option speaker=FILE"):
        SpeakerAdvisor()
    with pytest.raises(InputError, match="1 to 6 actions"):
        SpeakerAdvisor(k=7, speaker="x")
    file = tmp_path / "speaker.safetensors"
    write_speaker(file, new_speaker(WORDS, 2, 8, 0), {}, {})
    with pytest.raises(InputError, match="describes 2 actions, not 4"):
        SpeakerAdvisor(speaker=str(file)).ready_in(None, World.compile([cottage()]), VOCABULARY)  # type: ignore[arg-type]
