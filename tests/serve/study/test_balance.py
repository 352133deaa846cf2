"""Assignment as the store does it: many at once in one transaction each, and balance whatever happens in which order."""

from __future__ import annotations

import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from vnla.common.errors import InputError
from vnla.serve.study.store import Participant, Store, StudyKey

SECRET = StudyKey(b"key")
PATIENCE = 1800.0


def test_two_in_one_moment_get_different_cells_and_all_together_are_balanced(tmp_path: Path) -> None:
    stores = [Store(tmp_path, SECRET, cells=4, patience=PATIENCE) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        joined = list(pool.map(lambda i: stores[i % 8].join(f"{i:032x}", "v"), range(40)))
    assert Counter(each.cell for each in joined) == dict.fromkeys(range(4), 10)
    assert len({each.id for each in joined}) == 40


def test_one_token_and_one_platform_id_in_the_same_moment_are_one_participant(tmp_path: Path) -> None:
    stores = [Store(tmp_path, SECRET, cells=3, patience=PATIENCE) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        same = list(pool.map(lambda store: store.join("a" * 32, "v"), stores))

        def try_platform(i: int) -> Participant | None:
            try:
                return stores[i].join(f"{i:032x}", "v", "5f00")
            except InputError:
                return None

        others = [each for each in pool.map(try_platform, range(8)) if each is not None]
    assert len({each.id for each in same}) == 1 and len(others) == 1
    assert len(stores[0].everybody()) == 2


def test_the_last_place_is_given_once(tmp_path: Path) -> None:
    stores = [Store(tmp_path, SECRET, cells=3, patience=PATIENCE) for _ in range(8)]

    def enter(i: int) -> bool:
        try:
            stores[i].join(f"{i:032x}", "v", most=5)
        except InputError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(enter, range(8))) == 5


class Balance(RuleBasedStateMachine):
    """People join, complete, fail, withdraw, fall silent and come back, in any order.

    `slack` counts those who left without completing, or came back to a place that was given to somebody else. Cells that
    participants complete, or are at work in, never differ by more than one and these.
    """

    @initialize(cells=st.integers(1, 5))
    def begin(self, cells: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.now, self.slack, self.joined = 0.0, 0, 0
        self.at_work: list[tuple[str, str]] = []
        self.silent: list[tuple[str, str]] = []
        self.store = Store(Path(self.folder.name), SECRET, cells=cells, patience=PATIENCE, clock=lambda: self.now)

    def teardown(self) -> None:
        self.folder.cleanup()

    def loads(self) -> list[int]:
        return [each.completed + each.at_work for each in self.store.counts()]

    def completed(self) -> list[int]:
        return [each.completed for each in self.store.counts()]

    def taken(self, which: int) -> tuple[str, str]:
        return self.at_work.pop(which % len(self.at_work))

    @rule()
    def join(self) -> None:
        before, token = self.loads(), f"{self.joined:032x}"
        someone = self.store.join(token, "v")
        self.joined += 1
        self.at_work.append((token, someone.id))
        assert before[someone.cell] == min(before)

    @precondition(lambda self: self.at_work)
    @rule(which=st.integers(0, 99))
    def complete(self, which: int) -> None:
        self.store.finish(self.taken(which)[1], "completed")

    @precondition(lambda self: self.at_work)
    @rule(which=st.integers(0, 99), withdraws=st.booleans())
    def leave(self, which: int, withdraws: bool) -> None:
        name = self.taken(which)[1]
        if withdraws:
            self.store.withdraw(name)
        else:
            self.store.finish(name, "out")
        self.slack += 1

    @precondition(lambda self: self.at_work)
    @rule(which=st.integers(0, 99))
    def fall_silent(self, which: int) -> None:
        self.silent.append(self.taken(which))
        self.now += PATIENCE + 1
        for token, _ in self.at_work:  # the others are heard of
            self.store.find(token)
        self.slack += 1

    @precondition(lambda self: self.silent)
    @rule(which=st.integers(0, 99))
    def come_back(self, which: int) -> None:
        token, name = self.silent.pop(which % len(self.silent))
        assert self.store.find(token) is not None
        self.at_work.append((token, name))
        self.slack += 1

    @precondition(lambda self: not self.at_work and max(self.completed()) - min(self.completed()) < 9)
    @rule()
    def make_up(self) -> None:
        """Once as many have come after the others as are missing, completed cells differ by one at most."""
        done = self.completed()
        for _ in range(sum(max(done) - each for each in done)):
            self.join()
            self.complete(0)
        assert len(set(self.completed())) == 1
        self.slack = 0 if not self.silent else self.slack

    @invariant()
    def balanced(self) -> None:
        if hasattr(self, "store"):
            counts = self.store.counts()
            loads = [each.completed + each.at_work for each in counts]
            assert max(loads) - min(loads) <= 1 + self.slack
            assert sum(each.at_work for each in counts) == len(self.at_work)


TestBalance = Balance.TestCase
TestBalance.settings = settings(max_examples=12, stateful_step_count=25, deadline=None)
