"""Houses that nobody has encoded: visitors are told how far it is, and then see the walk that they would have seen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from torch import Tensor

from cottage_run import write_cottage
from serve.conftest import SECRET
from serve.visitor import Door, Visitor
from vnla import cli
from vnla.agents.policy_state import Views as Tables
from vnla.common.errors import InputError
from vnla.serve import visitor_service
from vnla.serve.engine import EpisodeEngine, EpisodeRequest
from vnla.serve.on_demand import OnDemandFeatures
from vnla.serve.site import Site
from vnla.training.trained import Trained, open_trained


class Slow(OnDemandFeatures):
    """Takes its time, or fails."""

    def __init__(self) -> None:
        super().__init__("cpu")
        self.may, self.fails, self.made = threading.Event(), False, list[str]()

    def has(self, house: str) -> bool:
        return house in self.made

    def _make(self, house: str) -> None:
        self._progress[house] = "3 of 9 places"
        assert self.may.wait(20)
        if self.fails:
            raise InputError("the disk is full")
        self.made.append(house)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    monkeypatch.setattr(visitor_service, "PATIENCE", 0.2)
    slow = Slow()
    yield slow
    slow.may.set()


def test_who_comes_first_is_told_how_far_it_is(trained: Trained, slow: Slow, tmp_path: Path) -> None:
    site = Site(trained, tmp_path / "pictures", SECRET, slow)
    with Door(site, tmp_path / "sessions") as door:
        first, second = Visitor(door), Visitor(door)
        for visitor in (first, second):
            why = visitor.say("watch", task="0_0", seed=0)
            assert why is not None and "3 of 9 places" in why and why.endswith("this happens once; try again in a moment.")
            assert visitor.state["begun"] is None
        slow.may.set()
        assert first.say("watch", task="0_0", seed=0) is None
        second.say("watch", task="0_0", seed=0)
        assert second.state == first.state
        assert slow.made == ["cottage"]
    site.close()


def test_who_does_not_choose_waits_for_one_house_at_most(trained: Trained, slow: Slow) -> None:
    engine, houses = EpisodeEngine(trained, features=slow), ["a", "b", "c"]
    first = engine.enter(houses)
    assert [engine.enter(houses) for _ in range(5)] == [first] * 5
    assert slow.under_way == [first]
    slow.may.set()
    slow.soon(first).result()
    slow.may.clear()
    assert {engine.enter(houses) for _ in range(5)} == {first}
    assert len(slow.under_way) == 1 and slow.under_way != [first], "the next is made meanwhile"
    engine.close()


def test_the_agents_walk_is_waited_for_at_the_end_of_ones_own(trained: Trained, slow: Slow, tmp_path: Path) -> None:
    site = Site(trained, tmp_path / "pictures", SECRET, slow)
    with Door(site, tmp_path / "sessions") as door:
        visitor = Visitor(door)
        assert visitor.say("beat") is None
        assert "3 of 9 places" in str(visitor.say("act", action="stop"))
        assert visitor.state["ended"] is None
        slow.may.set()
        assert visitor.say("act", action="stop") is None
        assert visitor.state["ended"]["walk"]
    site.close()


def test_what_was_not_made_is_tried_again(trained: Trained, slow: Slow) -> None:
    engine = EpisodeEngine(trained, features=slow)
    errand = EpisodeRequest(engine.goals.offered[0], 0, {})
    slow.fails = True
    slow.may.set()
    with pytest.raises(InputError, match="the disk is full"):
        engine.walk(errand).result(timeout=20)
    slow.fails = False
    assert engine.walk(errand).result(timeout=60) == EpisodeEngine(trained).walk(errand).result(timeout=60)
    engine.close()


def test_a_house_that_can_be_seen_waits_for_no_other(trained: Trained, slow: Slow) -> None:
    engine = EpisodeEngine(trained, features=slow)
    slow.soon("another")
    slow.made.append("cottage")
    assert engine.walk(EpisodeRequest(engine.goals.offered[0], 0, {})).result(timeout=20).steps
    assert slow.under_way == ["another"]
    engine.close()


def test_walks_in_stock_are_of_houses_that_can_be_seen(trained: Trained, slow: Slow) -> None:
    engine = EpisodeEngine(trained, features=slow)
    engine.fill()
    assert not engine.stock
    slow.made.append("cottage")
    engine.fill()
    assert len(engine.stock) == len(engine.goals.offered)
    engine.close()


class Hidden(OnDemandFeatures):
    """Features of a run that nobody sees before a house is entered."""

    def __init__(self, trained: Trained) -> None:
        super().__init__("cpu")
        self.known = {name: table.clone() for name, table in trained.material.views.items() if isinstance(table, Tensor)}

    def show(self, house: str, tables: Tables) -> None:  # noqa: ARG002
        for name, table in self.known.items():
            tables[name].copy_(table)


@pytest.mark.parametrize("sensors", ["spotted", "panorama,spotted-around", "views"])
def test_sensors_see_what_was_made_after_they_were_ready(sensors: str, tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    options = ["--world", world, "--tasks", tasks, "--features", "symbolic", "--help-policy", "first", "--sensor", sensors]
    sizes = ["--iterations", 1, "--batch", 4, "--hidden", 8, "--seed", 7]
    with pytest.raises(SystemExit):
        cli.main([str(each) for each in ["train", tmp_path / "run", *options, *sizes]])
    known, trained = open_trained(tmp_path / "run"), open_trained(tmp_path / "run")
    hidden = Hidden(known)
    for table in trained.material.views.values():
        assert isinstance(table, Tensor)
        table.zero_()
    plain, late = EpisodeEngine(known), EpisodeEngine(trained, features=hidden)
    request = EpisodeRequest(plain.goals.offered[0], 0, {})
    assert late.walk(request).result(timeout=60) == plain.walk(request).result(timeout=60)
    plain.close()
    late.close()
