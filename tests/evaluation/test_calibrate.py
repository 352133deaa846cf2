"""Promises from samples that are made up: which thresholds come out, and that they are kept in other houses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cottage_players import TASKS
from vnla.common.errors import InputError
from vnla.evaluation import calibrate as module
from vnla.evaluation.calibrate import Calibration, Held, calibrate, check, check_fresh, held, some_a_house, some_tasks
from vnla.evaluation.sureness import DOUBTS, NEVER_LEFT, OUT_OF_TIME, Sample


def made_up(houses: int, seed: int = 0, each: int = 1, shift: float = 0.0) -> Sample:
    """Agents whose sureness tells how often they are right, and whose doubt tells where they fail if nobody acts."""
    random = np.random.default_rng(seed)
    count = houses * each
    sureness = random.random(count)
    doubt = random.beta(2, 6, size=count) * (1 - shift)
    fails = doubt + random.beta(2, 8, size=count) * (1 - shift)  # some who leave the way come back to it
    success = fails[:, None] >= np.array(DOUBTS)
    requests = np.round(20 * (1 - np.array(DOUBTS))) * np.ones((count, 1))
    wrong = random.random(count) < (1 - sureness) ** 2 + shift / 2
    return Sample(np.repeat(np.arange(houses), each), sureness, wrong, doubt, success, requests, np.full_like(requests, 20))


def test_thresholds_by_hand() -> None:
    """Of 99 houses one is always right, ten leave the way at a doubt below 0.1, and the others above 0.2."""
    doubt = np.array([0.09] * 10 + [0.21] * 88 + [NEVER_LEFT])
    success = doubt[:, None] >= np.array(DOUBTS)
    sureness, wrong = np.array([0.95] * 60 + [0.3] * 39), np.array([False] * 60 + [True] * 39)
    sample = Sample(np.arange(99), sureness, wrong, doubt, success, 1 * success, 1 + 0 * success)
    found = calibrate(sample, risk=0.1, confidence=0.9)
    assert (found.found, found.certain, found.taught) == (0.5, 0.08, 0.08)  # the tenth lowest doubt is 0.09
    assert calibrate(sample, risk=0.2, confidence=0.9).taught == 0.2
    assert found.houses == 99
    assert found.as_dict()["found"] == 0.5 and len(found.as_dict()["doubts"]) == len(DOUBTS)


def test_nothing_is_promised_of_who_is_always_wrong() -> None:
    sample = made_up(200)
    hopeless = Sample(
        sample.house, sample.sureness, sample.wrong | True, np.full(200, OUT_OF_TIME), sample.success & False,
        sample.requests, sample.steps,
    )  # fmt: skip
    found = calibrate(hopeless, risk=0.1, confidence=0.9)
    assert (found.found, found.certain, found.taught) == (None, None, None)
    kept = held(found, sample)
    assert kept.says == 0
    assert all(math.isnan(each) for each in kept[1:])
    assert set(kept.as_dict().values()) == {0, None}


def test_houses_count_the_same_however_many_tasks_they_have() -> None:
    found = calibrate(made_up(400), risk=0.2, confidence=0.9)
    sample = made_up(3)
    doubled = sample.rows(np.array([0, 0, 0, 1, 2]))
    assert held(found, doubled) == pytest.approx(held(found, sample), nan_ok=True)


@pytest.mark.parametrize("risk", [0.1, 0.3])
def test_promises_are_kept_in_other_houses(risk: float) -> None:
    rows = check(made_up(600, each=3), risk=risk, confidence=0.9, times=60)
    wrong = np.array([row.wrong for row in rows])
    assert np.nanmean(wrong > risk) <= 0.1 + 0.1  # the other half is a sample too
    assert np.mean([row.success < 1 - risk for row in rows]) <= 0.1 + 0.1
    assert np.mean([row.as_taught for row in rows]) >= 1 - risk - 0.01
    assert np.mean([row.says for row in rows]) > 0.1
    assert all(row.asks <= row.asks_as_taught for row in rows)


def test_promises_are_broken_among_others() -> None:
    """Agents elsewhere who are as sure and more often wrong."""
    rows = check(made_up(400), risk=0.2, confidence=0.9, times=20, there=made_up(300, seed=1, shift=0.6))
    assert min(row.wrong for row in rows) > 0.2
    assert max(row.success for row in rows) < 0.8
    assert max(row.as_taught for row in rows) < 0.8


def test_a_check_can_be_repeated() -> None:
    seen: list[tuple[int, int]] = []
    one, same, other = (
        check(made_up(200), risk=0.2, confidence=0.8, times=3, seed=seed, progress=lambda *done: seen.append(done))
        for seed in (1, 1, 2)
    )
    assert one == same != other
    assert seen[:3] == [(1, 3), (2, 3), (3, 3)]


def test_one_task_of_each_house_any_of_them() -> None:
    house, random = np.array([2, 0, 2, 2, 0, 7]), np.random.default_rng(0)
    drawn = [some_a_house(house, random) for _ in range(60)]
    assert all(house[each].tolist() == [0, 2, 7] for each in drawn)
    assert {int(each[1]) for each in drawn} == {0, 2, 3}
    assert sorted(house[some_a_house(house, random, 2)].tolist()) == [0, 0, 2, 2, 7]


def test_tasks_are_drawn_by_a_seed() -> None:
    assert len(some_tasks(TASKS.tasks, 1, seed=0)) == 1  # the cottage
    assert some_tasks(TASKS.tasks, 3, seed=5) == some_tasks(TASKS.tasks, 3, seed=5)
    assert len({some_tasks(TASKS.tasks, 1, seed=seed)[0].id for seed in range(20)}) > 1


@pytest.mark.parametrize(
    ("sample", "risk", "confidence", "complaint"),
    [
        (made_up(20), 0.1, 0.9, "20 houses to calibrate in are too few: .* takes 42 or more"),
        (made_up(30, each=2), 0.1, 0.9, "several tasks"),
        (made_up(50), 0.0, 0.9, "risk 0.0: must be"),
        (made_up(50), 0.1, 1.0, "confidence 1.0: must be"),
    ],
)
def test_what_cannot_be_calibrated(sample: Sample, risk: float, confidence: float, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        calibrate(sample, risk=risk, confidence=confidence)


def test_houses_that_the_agent_knows_are_refused() -> None:
    with pytest.raises(InputError, match="house cottage: the agent was trained or chosen in it; a guarantee"):
        check_fresh(TASKS.tasks, TASKS.tasks)
    check_fresh(TASKS.tasks, [])


def test_a_check_looks_at_the_houses_that_it_did_not_calibrate_on(monkeypatch: pytest.MonkeyPatch) -> None:
    here, seen = made_up(30, each=3), list[tuple[set[int], set[int]]]()
    calibrated = module.calibrate

    def calibrating(sample: Sample, **options: float) -> Calibration:
        seen.append((set(sample.house.tolist()), set()))
        return calibrated(sample, **options)

    def looking(calibration: Calibration, sample: Sample) -> Held:
        seen[-1] = seen[-1][0], set(sample.house.tolist())
        return held(calibration, sample)

    monkeypatch.setattr(module, "calibrate", calibrating)
    monkeypatch.setattr(module, "held", looking)
    check(here, risk=0.3, confidence=0.5, times=4)
    assert len(seen) == 4 and len({frozenset(mine) for mine, _ in seen}) > 1
    for mine, others in seen:
        assert not mine & others and mine | others == set(range(30)) and len(mine) == 15
