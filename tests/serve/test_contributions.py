"""What visitors give: only what they agreed to, with what came of it, until they take it back; and the data set of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from command import Vnla
from serve.visitor import Door, Visitor
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.folder import read_world, write_world
from vnla.houses.generate.world import PRESETS, as_extra, recipes
from vnla.language.handwritten import OWN, house_key, read_written, written_world
from vnla.language.reader import LONGEST_ADVICE
from vnla.serve.contributions import collecting
from vnla.serve.contributions.collecting import Contributions
from vnla.serve.contributions.contribution import CONSENT, Contribution, HouseKey, Outcome
from vnla.serve.contributions.export import COLUMNS, export_advice
from vnla.serve.contributions.store import STORE, ContributionStore, StoredContribution
from vnla.serve.keys import ensure_key
from vnla.serve.site import Site

TURNS = "turn right and walk two steps, dude"


@pytest.fixture
def store(folder: Path) -> ContributionStore:
    folder.mkdir()
    return ContributionStore(folder, ensure_key(folder, "these sessions"))


@pytest.fixture
def door(site: Site, folder: Path, store: ContributionStore) -> Iterator[Door]:
    with Door(site, folder, contributions=Contributions(store)) as door:
        yield door


def last(visitor: Visitor) -> dict[str, Any]:
    """The last that a visitor heard of what they give."""
    answers = (json.loads(text) for text in reversed(visitor.heard))
    return next(answer for answer in answers if answer["kind"] == "contributions")


def agree(visitor: Visitor, token: str | None = None) -> str:
    assert visitor.say("contribute", agrees=True, version=CONSENT, token=token) is None
    return str(last(visitor)["token"])


def to_end(visitor: Visitor, text: str) -> None:
    while visitor.state["waits"]:
        assert visitor.say("advise", step=visitor.state["waits"]["step"], text=text) is None


def test_nothing_is_kept_of_who_has_not_agreed(visitor: Visitor, store: ContributionStore) -> None:
    visitor.say("help", task="0_0", seed=0)
    visitor.say("advise", step=0, text="turn left")
    assert not store.everything()
    assert "has changed" in str(visitor.say("contribute", agrees=True, version="0"))
    visitor.say("advise", step=1, text="turn left")
    assert not store.everything()


def test_a_server_that_does_not_ask_keeps_nothing(site: Site, tmp_path: Path) -> None:
    with Door(site, tmp_path / "plain") as plain:
        assert 'name="contributions"' not in plain.get("/").text
        assert "keeps nothing" in str(Visitor(plain).say("contribute", agrees=True, version=CONSENT))
    assert not (tmp_path / "plain" / STORE).exists()


def test_what_was_typed_is_kept_with_what_came_of_it(door: Door, visitor: Visitor, store: ContributionStore) -> None:
    assert 'name="contributions"' in door.get("/").text
    agree(visitor)
    visitor.say("help", task="0_0", seed=0)
    visitor.say("advise", step=0, text=TURNS)
    [(_, given, came)] = store.everything()
    assert (given.text, given.how, given.step) == (TURNS, "answer", 0)
    assert given.understood == "turn 90 degrees right, go forward 2 steps"
    assert given.plan == ["right"] * 3 + ["forward"] * 2
    assert [given.text[start:end] for start, end, good in given.parts if not good] == ["dude"]
    assert came.followed == [visitor.state["steps"][0]["acted"]["action"]] and came.ended is came.success is None
    to_end(visitor, "turn left")
    first, *others = sorted(store.everything(), key=lambda each: each.contribution.step)
    ended, walked = visitor.state["ended"], visitor.state["steps"]
    assert [each.contribution.step for each in others] == [*range(1, visitor.state["begun"]["requests"])]
    assert {each.outcome.ended for each in (first, *others)} == {ended["reason"]}
    assert {(each.outcome.success, each.outcome.metres) for each in others} == {(ended["success"], ended["metres"])}
    assert others[-1].outcome.followed == [step["acted"]["action"] for step in walked[len(others) :]]
    assert (others[-1].outcome.heading, others[-1].outcome.row) == tuple(
        walked[-1]["acted"]["pose"][name] for name in ("heading", "row")
    )


def test_the_way_is_the_teachers(visitor: Visitor, store: ContributionStore, site: Site) -> None:
    agree(visitor)
    visitor.say("help", task="0_0", seed=0)
    visitor.say("advise", step=0, text="turn left")
    [(_, given, _)] = store.everything()
    task, world = site.engine.goals.tasks["0_0"], site.engine.trained.material.world
    environment, goals = (each := site.engine.compiled([task])).environment, each.goals[:1]
    pose = goals.new_tensor([world.viewpoint(given.house, given.viewpoint) * VIEWS + 12 * given.row + given.heading])
    assert given.metres == pytest.approx(float(environment.distance_left(pose, goals)), abs=0.01)
    for action in given.way:
        assert action == ("left", "right", "up", "down", "forward", "stop")[int(environment.nav_teacher(pose, goals))]
        pose = environment.step(pose, environment.nav_teacher(pose, goals), goals)
    assert len(given.way) == LONGEST_ADVICE or float(environment.distance_left(pose, goals)) == 0
    assert 0 < given.alone <= len(given.way)


def test_what_is_said_again_goes_on_from_there(visitor: Visitor, store: ContributionStore) -> None:
    """A sentence from which the walk no longer follows keeps what came of it then."""
    agree(visitor)
    visitor.say("watch", task="0_0", seed=0)
    last_step = len(visitor.state["steps"]) - 1
    assert visitor.say("speak", step=last_step, text="look up") is None
    assert visitor.say("speak", step=last_step - 1, text="look down") is None
    assert visitor.say("what_if", step=2, text="turn around") is None
    kept = {each.contribution.how + each.contribution.text: each.outcome for each in store.everything()}
    assert set(kept) == {"unaskedlook up", "unaskedlook down", "what_ifturn around"}
    assert len(kept["unaskedlook up"].followed) == 1 and len(kept["unaskedlook down"].followed) == 2
    assert all(each.ended == "time" for each in kept.values())


def test_what_nobody_understood_is_kept_and_what_came_too_late_is_not(visitor: Visitor, store: ContributionStore) -> None:
    agree(visitor)
    visitor.say("help", task="0_0", seed=0)
    assert "would not understand" in str(visitor.say("advise", step=0, text="blah <b>blah</b>"))
    assert "not waiting" in str(visitor.say("advise", step=1, text="turn left"))
    [(_, given, came)] = store.everything()
    assert (given.text, given.understood, given.plan) == ("blah <b>blah</b>", None, [])
    assert (came.followed, came.ended) == ([], None)


def test_whoever_withdraws_leaves_nothing(door: Door, visitor: Visitor, store: ContributionStore, folder: Path) -> None:
    token, other = agree(visitor), Visitor(door)
    agree(other)
    for each in (visitor, other):
        each.say("help", task="0_0", seed=0)
        each.say("advise", step=0, text="turn left, my name is Xenia")
    visitor.leave()
    later = Visitor(door)
    assert agree(later, token) == token and last(later)["count"] == 1
    later.say("help", task="0_0", seed=0)
    later.say("advise", step=0, text="turn right")
    assert later.say("withdraw_contributions", token=token) is None
    assert last(later) == {"kind": "contributions", "agrees": False, "token": None, "count": 0, "withdrawn": 2}
    later.say("advise", step=1, text="turn right")
    assert [each.contributor for each in store.everything()] != [store.contributor(token)]
    other.say("withdraw_contributions", token=agree(other))
    assert len(store.everything()) == 1, "another token takes nothing back"
    assert token.encode() not in (folder / STORE).read_bytes()
    with sqlite3.connect(store.path) as database:
        database.execute("DELETE FROM contributions")


def test_what_is_being_kept_when_somebody_withdraws_is_not(
    door: Door, visitor: Visitor, store: ContributionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another tab, at the moment in which a sentence is looked at."""
    token, other = agree(visitor), Visitor(door)
    described = collecting._described

    def slowly(*given: Any, **more: Any) -> Contribution | None:
        other.say("withdraw_contributions", token=token)
        return described(*given, **more)

    monkeypatch.setattr(collecting, "_described", slowly)
    visitor.say("help", task="0_0", seed=0)
    assert visitor.say("advise", step=0, text="turn left") is None
    assert not store.everything()


def test_what_is_withdrawn_is_overwritten(visitor: Visitor, store: ContributionStore) -> None:
    token = agree(visitor)
    visitor.say("help", task="0_0", seed=0)
    visitor.say("advise", step=0, text="turn left, my name is Xenia")
    assert b"Xenia" in store.path.read_bytes()
    visitor.say("withdraw_contributions", token=token)
    assert b"Xenia" not in store.path.read_bytes()
    assert not [*store.path.parent.glob(f"{STORE}-*")]


def test_nothing_kept_says_who_it_was(visitor: Visitor, store: ContributionStore) -> None:
    token = agree(visitor)
    visitor.say("help", task="0_0", seed=0)
    visitor.say("advise", step=0, text="turn left")
    assert store.path.stat().st_mode & 0o77 == 0
    data = store.path.read_bytes()
    session = str(visitor.session)
    assert session.encode() not in data and token.encode() not in data and b"testclient" not in data
    assert not [path for path in store.path.parent.glob("*.jsonl") if token in path.read_text()]


def test_a_database_that_refuses_is_told_and_the_walk_goes_on(visitor: Visitor, store: ContributionStore) -> None:
    agree(visitor)
    visitor.say("help", task="0_0", seed=0)
    with sqlite3.connect(store.path) as database:
        database.execute("DROP TABLE contributions")
    assert "cannot be kept" in str(visitor.say("advise", step=0, text="turn left"))
    assert visitor.state["waits"]["step"] == 1


def test_limits_are_kept(store: ContributionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnla.serve.contributions.store.MOST_OF_ONE", 1)
    (one,) = stored(1)
    store.add("one", one.contribution, one.outcome)
    store.add("other", one.contribution, one.outcome)
    with pytest.raises(InputError, match="as many sentences"):
        store.add("one", one.contribution, one.outcome)
    assert store.count("one") == 1


def stored(count: int, **fields: Any) -> list[StoredContribution]:
    """Rows as a server writes them, in a house of the preset `small`."""
    recipe = recipes(PRESETS["small"], 3)[0]
    made = {"generator": 1, "preset": OWN, "seed": recipe.seed, "number": recipe.viewpoints}
    return [
        StoredContribution(
            f"contributor {number % 2}",
            Contribution.model_validate(
                {
                    "consent": CONSENT, "day": "2026-11-18", "vnla": "1", "reader": "1", "agent": "a", "world": "w",
                    "house": recipe.name, "made": made,
                    "viewpoint": "v", "heading": 3, "row": 1, "end_goal": "Find a mug.", "how": "answer", "step": number,
                    "steps_left": 9, "requests_left": 1, "text": "turn  left", "understood": "turn 90 degrees left",
                    "plan": ["left"] * 3, "parts": [[0, 10, True]], "way": ["left", "forward", "stop"], "alone": 3,
                    "metres": 4.5, **fields,
                }
            ),
            Outcome(followed=["left"], ended="stopped", viewpoint="u", heading=1, row=1, success=True, metres=0),
        )
        for number in range(count)
    ]  # fmt: skip


def test_the_data_set(tmp_path: Path) -> None:
    rows = [*stored(3), *stored(1, understood=None, plan=[], parts=[[0, 4, False]], text="gnrz", alone=2, made=None)]
    made = export_advice(rows, tmp_path / "out", "vnla advice export out")
    assert made == (4, 2, 1), "three sentences alike in one place, and one in a house that nobody can make again"
    table = pyarrow.parquet.read_table(tmp_path / "out" / "data").to_pylist()
    assert list(table[0]) == [column.name for column in COLUMNS]
    assert [each["text"] for each in table] == ["gnrz", *["turn  left"] * 3]
    assert (table[0]["understood"], table[0]["unread"], table[0]["generator"]) == (None, ["gnrz"], None)
    assert {each["contributor"] for each in table} == {1, 2}
    card = (tmp_path / "out" / "README.md").read_text()
    assert card.startswith("---\n") and all(f"`{column.name}`" in card for column in COLUMNS)
    assert "num_examples: 4" in card and "vnla advice export out" in card
    [line] = read_written(tmp_path / "out" / "sentences.jsonl")
    assert (line.sentence, [action.name for action in line.plan]) == ("turn left", ["LEFT", "FORWARD", "STOP"])
    assert line.house[0] == OWN and line.view == 15


def test_a_house_that_a_sentence_names_is_made_again(tmp_path: Path) -> None:
    recipe = replace(recipes(PRESETS["small"], 3)[0], viewpoints=8)
    house = recipe.make().house
    extra, splits = as_extra("small", 3, [recipe]), {"train": [house.name]}
    write_world(tmp_path / "world", [house], source="generated", splits=splits, extra=extra)
    key = house_key(read_world(tmp_path / "world"), house.name)
    assert key is not None
    viewpoint = house.viewpoints[house.stands[0]].id
    export_advice(stored(1, made=HouseKey.model_validate(key), viewpoint=viewpoint), tmp_path / "out")
    lines = read_written(tmp_path / "out" / "sentences.jsonl")
    again = written_world(tmp_path / "again", lines=lines)
    assert [each.id for each in again.houses[0].viewpoints] == [each.id for each in house.viewpoints]
    (tmp_path / "broken.jsonl").write_text('{"house": 1}\n')
    with pytest.raises(InputError, match="line 1 is no walk"):
        read_written(tmp_path / "broken.jsonl")


def test_the_command(vnla: Vnla, visitor: Visitor, store: ContributionStore, folder: Path, tmp_path: Path) -> None:
    token = agree(visitor)
    visitor.say("help", task="0_0", seed=0)
    visitor.say("advise", step=0, text=TURNS)
    answer = vnla("advice", "export", tmp_path / "out", "--record", folder)
    assert answer.status == 0 and "1 sentences of 1 contributors; 0 in sentences.jsonl" in answer.out, answer.err
    [row] = pyarrow.parquet.read_table(tmp_path / "out" / "data").to_pylist()
    assert row["text"] == TURNS and row["unread"] == ["dude"]
    assert vnla("advice", "export", tmp_path / "out", "--record", folder).status == 2
    visitor.say("withdraw_contributions", token=token)
    assert vnla("advice", "export", tmp_path / "later", "--record", folder).status == 0
    assert not pyarrow.parquet.read_table(tmp_path / "later" / "data").to_pylist()
    assert "no such file; expected what visitors gave" in vnla("advice", "export", tmp_path / "no", "--record", tmp_path).err
    with sqlite3.connect(store.path) as database:
        row_of = ("0" * 16, "c", "{}", "{}")
        database.execute("INSERT INTO contributions VALUES (?, ?, ?, ?)", row_of)
    assert "row 0000000000000000 is damaged" in vnla("advice", "export", tmp_path / "no", "--record", folder).err
    assert not (tmp_path / "no").exists()
