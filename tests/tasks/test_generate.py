"""Whole data sets: what is in which split, on disk and back."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from furnished import small_houses
from tasks.corridor import corridor
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.tasks.buckets import Filters
from vnla.tasks.building_splits import BuildingSplits, building_splits
from vnla.tasks.dataset import Dataset, read_dataset, training_budgets, write_dataset
from vnla.tasks.end_goals import matterport_splits
from vnla.tasks.generate import SPLITS, Generated, Place, Pool, generate, split_points
from vnla.tasks.making import make_tests
from vnla.tasks.recipes import ASKNAV, NOROOM, DatasetRecipe
from vnla.world.budgets import TimeBudgets

PARTS = BuildingSplits({"train": ("h0", "h1", "h2", "h3"), "dev": ("h4", "h5"), "test": ("h6", "h7")}, "the test")
RECIPES = pytest.mark.parametrize("recipe", [ASKNAV, NOROOM], ids=lambda recipe: recipe.name)


def made_of(recipe: DatasetRecipe = ASKNAV, **options: Any) -> Generated:
    return generate(small_houses(), recipe, PARTS, seed=options.pop("seed", 1), **options)


def pairs(made: Generated, split: str) -> set[tuple[int, int]]:
    return {(house, int(made.houses[house].bucket[point])) for house, point in made.splits[split]}


@pytest.fixture(scope="module")
def asknav(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "asknav"
    write_dataset(path, made_of(), world={"name": "test"})
    return path


@RECIPES
def test_no_end_goal_of_a_building_is_in_two_splits(recipe: DatasetRecipe) -> None:
    made = made_of(recipe)
    seen: set[tuple[str, str]] = set()
    for split in SPLITS:
        assert made.splits[split], split
        end_goals = {
            (made.houses[house].house.name, made.houses[house].buckets[bucket].end_goal)
            for house, bucket in pairs(made, split)
        }
        assert not end_goals & seen
        seen |= end_goals


@RECIPES
def test_counts_add_up(recipe: DatasetRecipe) -> None:
    made = made_of(recipe)
    places = [place for split in SPLITS for place in made.splits[split]]
    assert len(set(places)) == len(places)
    assert len(places) + made.unused == sum(map(len, made.houses))
    sampled = pairs(made, "val_seen") | pairs(made, "test_seen")
    untouched = sum((number, bucket) not in sampled for number in range(4) for bucket in made.houses[number].bucket.tolist())
    assert len(made.splits["train"]) == untouched
    for split in SPLITS[1:]:
        assert made.size <= len(made.splits[split]) < made.size + recipe.most


def test_splits_take_their_own_buildings() -> None:
    made = made_of()
    buildings = {split: {made.houses[house].house.name for house, _ in made.splits[split]} for split in SPLITS}
    assert buildings["train"] == set(PARTS.parts["train"])
    assert buildings["val_seen"] <= buildings["train"] and buildings["test_seen"] <= buildings["train"]
    assert buildings["val_unseen"] == {"h4", "h5"}
    assert buildings["test_unseen"] == {"h6", "h7"}


def test_the_size_of_small_worlds_leaves_most_for_training() -> None:
    """An eighth of what the training buildings' buckets give at ten points each."""
    made = made_of()
    assert len(pairs(made, "train")) > 3 * len(pairs(made, "val_seen"))
    assert made_of(size=30).size == 30


def test_seen_points_of_buildings_without_training_points_are_removed() -> None:
    """House 0 has one bucket. Whenever a seen set took it, none of its points may stay there."""
    pool: Pool = {(0, 0): [(0, 0), (0, 1)]} | {(1, bucket): [(1, bucket)] for bucket in range(30)}
    taken = 0
    for seed in range(30):
        splits = split_points({"train": pool, "dev": {}, "test": {}}, ASKNAV, seed, 2, ["lone", "other"])
        trained = {house for house, _ in splits["train"]}
        taken += 0 not in trained
        assert {house for split in ("val_seen", "test_seen") for house, _ in splits[split]} <= trained
    assert taken


def test_the_rest_of_a_sampled_bucket_is_in_no_split() -> None:
    pool: Pool = {(0, bucket): [(0, 100 * bucket + i) for i in range(50)] for bucket in range(10)}
    splits = split_points({"train": pool, "dev": {}, "test": {}}, ASKNAV, 0, 10, ["house"])
    assert [len(splits[split]) for split in ("train", "val_seen", "test_seen")] == [400, 10, 10]


def test_a_building_does_not_depend_on_the_others() -> None:
    """Without the rule of five occurrences: the same records for h0 in a world of two as in a world of eight."""

    def records(houses: Sequence[House]) -> list[tuple[Any, ...]]:
        parts = BuildingSplits({"train": tuple(house.name for house in houses), "dev": (), "test": ()}, "")
        made = generate(houses, ASKNAV, parts, seed=1, fewest=1, size=0)
        points = made.houses[0]
        return [(points.start.tolist(), points.heading.tolist(), points.lengths.tolist())]

    assert records(small_houses(2)) == records(small_houses(8))


def test_training_can_be_cut_to_a_sample() -> None:
    whole, cut = made_of(), made_of(most_train=100)
    assert len(cut.splits["train"]) == 100
    assert set(cut.splits["train"]) < set(whole.splits["train"])
    assert {split: cut.splits[split] for split in SPLITS[1:]} == {split: whole.splits[split] for split in SPLITS[1:]}
    assert len({house for house, _ in cut.splits["train"]}) == 4
    assert made_of(most_train=10**9).splits == whole.splits


def test_worlds_without_points_are_refused() -> None:
    parts = BuildingSplits({"train": ("corridor",), "dev": (), "test": ()}, "")
    with pytest.raises(InputError, match=r"no valid data point \(objects left out: 1 rare\).*--fewest"):
        generate([corridor(20)], ASKNAV, parts, seed=0)
    with pytest.raises(InputError, match="no training points are left after sets of 50 were sampled; give a smaller --size"):
        generate([corridor(20)], ASKNAV, parts, seed=0, fewest=1, size=50)
    with pytest.raises(InputError, match="seed -1: give zero or a positive number"):
        made_of(seed=-1)


@RECIPES
@pytest.mark.parametrize("compress", [False, True])
def test_the_same_seed_gives_the_same_bytes(recipe: DatasetRecipe, compress: bool, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_dataset(tmp_path / name, made_of(recipe), world={}, compress=compress)
    write_dataset(tmp_path / "other", made_of(recipe, seed=2), world={}, compress=compress)
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert len(files) == 7
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    train = f"{recipe.name}_train.json{'.gz' if compress else ''}"
    assert (tmp_path / "one" / train).read_bytes() != (tmp_path / "other" / train).read_bytes()


def test_what_was_written_is_read_back(asknav: Path) -> None:
    made, dataset = made_of(), read_dataset(asknav)
    assert dataset.task == "asknav"
    for split in SPLITS:
        tasks = dataset.split(split)
        counts = dataset.manifest["splits"][split]
        assert counts["points"] == len(tasks) == len(made.splits[split])
        assert counts["goals"] == sum(len(task.goals) for task in tasks) == made.goals(split)
        assert counts["buildings"] == len({task.house for task in tasks})
    ids = [task.id for split in SPLITS for task in dataset.split(split)]
    assert len(set(ids)) == len(ids)
    assert dataset.split("train") is dataset.split("train")


def test_time_budgets_and_vocabulary_come_with_it_or_are_worked_out(asknav: Path, tmp_path: Path) -> None:
    dataset = read_dataset(asknav)
    bare = without_manifest(asknav, tmp_path)
    assert isinstance(dataset.budgets, TimeBudgets)
    assert dataset.budgets == bare.budgets == training_budgets(dataset.split("train"))
    assert dataset.budgets["hallway", "nowhere"] == 25
    assert dataset.vocabulary == bare.vocabulary
    assert dataset.vocabulary["find"] == 4  # after the full stop, which is as frequent


def test_a_test_set_has_the_words_and_the_times_of_another_data_set(asknav: Path, tmp_path: Path) -> None:
    """Its houses are others; what is asked for, in which words and time, is as those know who were trained before."""
    known = WorldFolder(tmp_path, tuple(small_houses()), {}, {})
    fresh = tuple(replace(house, name=f"fresh{house.name}") for house in small_houses(12)[8:])
    like = read_dataset(asknav)
    make_tests(WorldFolder(tmp_path, fresh, {}, {}), tmp_path / "tests", like, known, seed=3, size=40)
    made = read_dataset(tmp_path / "tests")
    assert made.task == like.task and made.vocabulary == like.vocabulary and made.budgets == like.budgets
    assert made.budgets.bounds  # with training points of its own it would have had none, and the longest time for all
    tasks = made.split("test_unseen")
    assert 40 <= len(tasks) < 40 + ASKNAV.most and {task.house for task in tasks} == {house.name for house in fresh}
    assert not any(made.split(split) for split in SPLITS if split != "test_unseen")
    frequent = Filters.of(known.houses, rooms=True).objects
    assert {task.object for task in tasks} <= frequent


def without_manifest(path: Path, folder: Path, *, fields: Sequence[str] = ()) -> Dataset:
    """The folder as the authors' files: records without some fields, no manifest, no vocabulary; one split compressed."""
    for file in path.glob("asknav_*.json"):
        records = [{k: v for k, v in each.items() if k not in fields} for each in json.loads(file.read_text())]
        text = json.dumps(records)
        if "test_seen" in file.name:
            (folder / f"{file.name}.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / file.name).write_text(text)
    return read_dataset(folder)


def test_the_authors_files_are_read(asknav: Path, tmp_path: Path) -> None:
    bare = without_manifest(asknav, tmp_path, fields=("distances", "start_region", "end_regions", "object_indices"))
    assert bare.manifest == {}
    for split in SPLITS:
        assert bare.split(split) == read_dataset(asknav).split(split)


def test_bad_data_sets_are_named(asknav: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has neither manifest.json nor asknav_train.json or noroom_train.json"):
        read_dataset(tmp_path)
    for name in ("asknav", "noroom"):
        (tmp_path / f"{name}_train.json").write_text("[]")
    with pytest.raises(InputError, match="has both asknav and noroom; say which"):
        read_dataset(tmp_path)
    assert read_dataset(tmp_path, "noroom").task == "noroom"
    with pytest.raises(InputError, match="has no split 'test_seen'; it has train"):
        read_dataset(tmp_path, "noroom").split("test_seen")
    with pytest.raises(InputError, match="has asknav, not noroom"):
        read_dataset(asknav, "noroom")
    with pytest.raises(InputError, match="task 'r2r': expected one of asknav, noroom"):
        read_dataset(tmp_path, "r2r")


def test_a_damaged_data_set_is_noticed(asknav: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in asknav.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / "asknav_train.json").write_text("[]")
    with pytest.raises(InputError, match=r"asknav_train.json: is not the file that manifest.json describes"):
        read_dataset(copy).split("train")
    (copy / "asknav_train.json").unlink()
    with pytest.raises(InputError, match=r"asknav_train.json: no such file"):
        read_dataset(copy).split("train")


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("format", "other", 'expected "format": "vnla-tasks"'),
        ("version", 9, "field version is 9"),
        ("task", "r2r", "field task is 'r2r'"),
        ("files", [], "field files: expected an object"),
        ("files", {"train": "../secret.json"}, "is not a split and the name of a file beside it"),
        ("time_budgets", {}, "field time_budgets: expected longest, a number of steps, and bounds"),
        ("time_budgets", {"longest": 25, "bounds": [["a", 5]]}, "entry 0 of bounds is not"),
    ],
)
def test_a_bad_manifest_is_named_with_its_field(
    asknav: Path, tmp_path: Path, field: str, value: object, complaint: str
) -> None:
    manifest = json.loads((asknav / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, field: value}))
    with pytest.raises(InputError, match=complaint):
        read_dataset(tmp_path)


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    made = made_of()

    def fail(places: Sequence[Place], name: str) -> Sequence[Place]:
        if "test" in name:
            raise InputError("the disk is full")
        return places

    with pytest.raises(InputError, match="the disk is full"):
        write_dataset(tmp_path / "out", made, world={}, track=fail)
    assert not any(tmp_path.iterdir())


def world_of(names: Sequence[str], splits: dict[str, tuple[str, ...]] | None = None) -> WorldFolder:
    return WorldFolder(Path("world"), tuple(corridor(3, name=name) for name in names), splits or {}, {})


def test_splits_of_buildings_are_the_files_the_worlds_the_standard_or_hashed(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text('{"train": ["b"], "val": ["a"]}')
    own = {"train": ("a",), "dev": (), "test": ("b", "c")}
    assert building_splits(world_of("abc", own), file).parts == {"train": ("b",), "dev": ("a",), "test": ()}
    assert building_splits(world_of("abc", own)).parts == own
    standard = matterport_splits()
    some = [standard["test"][0], standard["train"][0]]
    assert building_splits(world_of(some)).parts == {"train": (some[1],), "dev": (), "test": (some[0],)}
    hashed = building_splits(world_of([f"h{i}" for i in range(25)]))
    assert {part: len(names) for part, names in hashed.parts.items()} == {"train": 17, "dev": 3, "test": 5}
    assert "hashed names" in hashed.source
    assert building_splits(world_of([f"h{i}" for i in range(25)])).parts == hashed.parts
    assert [len(names) for names in building_splits(world_of("abc")).parts.values()] == [1, 1, 1]
    assert building_splits(world_of("a")).parts == {"train": ("a",), "dev": (), "test": ()}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[]", "mine.json: expected a split of buildings"),
        ('{"train": ["a"], "evil": []}', "the split 'evil' is none of train, dev, test"),
        ('{"train": "a"}', "the split 'train' is not a list of names"),
        ('{"train": ["x"]}', "has the building 'x', which the world does not have"),
        ('{"train": ["a"], "dev": ["a"]}', "the building 'a' is in the splits train and dev"),
        ('{"dev": ["a"]}', "no building is for training"),
    ],
)
def test_bad_splits_are_named(text: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(InputError, match=complaint):
        building_splits(world_of("abc"), file)
