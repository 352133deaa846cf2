"""Algorithm 2, rule by rule, and as properties."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vnla.tasks.sampling import sample

bucket_lists = st.lists(st.tuples(st.integers(0, 40), st.sampled_from("abcd")), max_size=30)


def run(
    buckets: list[tuple[int, str]], least: int, most: int, seed: int = 0, whole_rounds: bool = False
) -> dict[int, list[int]]:
    sizes, environments = [size for size, _ in buckets], [environment for _, environment in buckets]
    random = np.random.default_rng(seed)
    chosen = sample(sizes, environments, most=most, random=random, least=least, whole_rounds=whole_rounds)
    return {bucket: points.tolist() for bucket, points in chosen.items()}


def test_one_bucket_an_environment_and_round() -> None:
    """Two rounds of at most ten points from each of a and b give 40: two buckets of each, though a has many more."""
    chosen = run([(30, "a")] * 20 + [(30, "b")] * 3, least=40, most=10)
    assert Counter("a" if bucket < 20 else "b" for bucket in chosen) == {"a": 2, "b": 2}
    assert all(len(points) == 10 for points in chosen.values())


def test_when_an_environment_has_no_bucket_left_the_others_go_on() -> None:
    chosen = run([(10, "a")] * 6 + [(10, "b")], least=60, most=10)
    assert len(chosen) == 6
    assert 6 in chosen


def test_it_stops_at_the_bucket_that_reaches_the_size_or_at_the_end_of_the_round() -> None:
    """Ten environments with one bucket of ten: 25 points need three of them; the printed loop takes all ten."""
    buckets = [(10, letter) for letter in "abcdefghij"]
    assert len(run(buckets, least=25, most=10)) == 3
    assert len(run(buckets, least=25, most=10, whole_rounds=True)) == 10


def test_which_points_are_sampled_is_random() -> None:
    drawn = {tuple(run([(40, "a")], least=10, most=10, seed=seed)[0]) for seed in range(10)}
    assert len(drawn) == 10


@given(bucket_lists, st.integers(0, 120), st.integers(1, 12), st.integers(0, 5))
def test_sizes(buckets: list[tuple[int, str]], least: int, most: int, seed: int) -> None:
    chosen = run(buckets, least, most, seed)
    count = sum(map(len, chosen.values()))
    available = sum(min(size, most) for size, _ in buckets)
    assert min(least, available) <= count < least + most
    for bucket, points in chosen.items():
        assert 0 < len(points) == min(buckets[bucket][0], most)
        assert points == sorted(set(points))
        assert points[-1] < buckets[bucket][0]


@given(bucket_lists, st.integers(0, 120), st.integers(0, 5))
def test_environments_are_sampled_evenly(buckets: list[tuple[int, str]], least: int, seed: int) -> None:
    chosen = run(buckets, least, 5, seed)
    all_of = Counter(environment for size, environment in buckets if size)
    taken = Counter(dict.fromkeys(all_of, 0))
    taken.update(buckets[bucket][1] for bucket in chosen)
    most = max(taken.values(), default=0)
    assert all(count >= most - 1 or count == all_of[environment] for environment, count in taken.items())
