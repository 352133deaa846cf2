"""The probe: average precision by hand, and what it says of perfect, useless and half-blind features."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.patterns import draw
from vnla.camera import VIEWS
from vnla.cli.features import app, training_houses
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.houses.sightings import SIGHTING
from vnla.vision.encoders.base import Size
from vnla.vision.making import camera_size
from vnla.vision.probe import (
    Visibility,
    average_precision,
    drawn_visibility,
    fit_reader,
    listed_visibility,
    probe,
    probe_targets,
)
from vnla.vision.store import StoreWriter, store_path, world_features
from vnla.world.compiled import World


def precision_of(scores: list[float], targets: list[int]) -> float:
    return float(average_precision(np.array(scores)[:, None], np.array(targets, dtype=bool)[:, None])[0])


@pytest.mark.parametrize(
    ("scores", "targets", "expected"),
    [
        ([4, 3, 2, 1], [1, 1, 0, 0], 1),
        ([4, 3, 2, 1], [0, 0, 1, 1], (1 / 3 + 2 / 4) / 2),
        ([4, 3, 2, 1], [1, 0, 1, 0], (1 + 2 / 3) / 2),
        ([1, 2, 3, 4], [1, 0, 1, 0], (1 / 2 + 2 / 4) / 2),
        ([5, 5, 5, 5], [1, 0, 0, 0], 1 / 4),  # one step of four views
        ([9, 5, 5, 1], [1, 1, 0, 0], (1 + 2 / 3) / 2),  # the second positive comes with a step of two views
        ([9, 5, 5, 1], [0, 1, 1, 0], 2 / 3),  # both in one step, down to rank 3
        ([3, 2, 2, 2], [0, 1, 0, 1], 2 / 4),
    ],
)
def test_average_precision_by_hand(scores: list[float], targets: list[int], expected: float) -> None:
    assert precision_of(scores, targets) == pytest.approx(expected)


def test_without_positives_there_is_no_precision() -> None:
    assert np.isnan(precision_of([1, 2], [0, 0]))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30))
def test_average_precision_against_its_definition(rows: list[tuple[int, bool]]) -> None:
    """The sum over thresholds of precision times the recall gained, written as a loop."""
    positives = sum(hit for _, hit in rows)
    if not positives:
        return
    expected = recall = 0.0
    for threshold in sorted({score for score, _ in rows}, reverse=True):
        taken = [hit for score, hit in rows if score >= threshold]
        expected += sum(taken) / len(taken) * (sum(taken) / positives - recall)
        recall = sum(taken) / positives
    assert precision_of([score for score, _ in rows], [int(hit) for _, hit in rows]) == pytest.approx(expected)


def views(count: int = 3000, labels: int = 6, seed: int = 0) -> tuple[np.random.Generator, NDArray[np.bool_]]:
    generator = np.random.default_rng(seed)
    shares = np.linspace(0.02, 0.4, labels)
    return generator, generator.random((count, labels)) < shares


def halves(count: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    train = np.arange(count) < count // 2
    return train, ~train


def test_perfect_features() -> None:
    """The targets themselves, mixed by a random rotation among noise columns that are constant."""
    generator, targets = views()
    features = np.concatenate([targets @ generator.normal(size=(6, 6)), np.ones((3000, 4))], axis=1)
    result = probe(features, targets, *halves(3000))
    np.testing.assert_allclose(result.precision, 1, atol=1e-6)


def test_random_features_give_chance() -> None:
    generator, targets = views()
    result = probe(generator.normal(size=(3000, 20)), targets, *halves(3000))
    np.testing.assert_allclose(result.chance, targets[1500:].mean(axis=0))
    np.testing.assert_allclose(result.precision, result.chance, atol=0.06)
    assert result.mean_precision == pytest.approx(result.mean_chance, abs=0.03)


def test_features_of_some_labels_help_those_alone() -> None:
    generator, targets = views()
    features = targets[:, 3:] + 0.3 * generator.normal(size=(3000, 3))
    result = probe(features, targets, *halves(3000), labels=tuple("abcdef"))
    assert result.labels == tuple("abcdef")
    assert result.precision[3:].min() > 0.9
    assert result.precision[:3].max() < 0.3


def test_a_reader_gives_probabilities_that_hold_in_other_houses() -> None:
    """Of views that it says have a label with some probability about that share has it; noise leaves the usual share."""
    generator, targets = views(6000)
    features = (targets + generator.normal(size=targets.shape)).astype(np.float32)
    features[:, 0] = generator.normal(size=6000)
    reader = fit_reader(features[:3000], targets[:3000], "abcdef", np.arange(3000) // 100)
    found = 1 / (1 + np.exp(-(features[3000:] @ reader.weight + reader.bias)))
    np.testing.assert_allclose(found.mean(axis=0), targets[3000:].mean(axis=0), atol=0.03)
    for column in range(1, 6):
        for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1)):
            within = (found[:, column] >= low) & (found[:, column] < high)
            if within.sum() >= 100:
                assert low - 0.08 < targets[3000:][within, column].mean() < high + 0.08
    assert found[:, 0].max() < 0.1 and found[:, 5].max() > 0.8
    assert reader.measured.precision[0] < 0.1 < 0.5 < reader.measured.precision[5]


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.2])
def test_a_reader_is_sure_of_what_never_deceived_it(noise: float) -> None:
    """Also of a label that is rare, and where nothing has to be weighed up."""
    generator = np.random.default_rng(1)
    targets = np.zeros((3000, 2), dtype=bool)
    targets[::50, 0] = targets[:, 1] = True  # the second is everywhere: nothing to read
    features = (targets + noise * generator.normal(size=targets.shape)).astype(np.float32)
    reader = fit_reader(features, targets, ["rare", "all"], np.arange(3000) // 100)
    assert reader.labels == ("rare",)
    found = 1 / (1 + np.exp(-(features @ reader.weight + reader.bias)))
    assert found[targets[:, 0]].mean() > 0.7 and found[~targets[:, 0]].mean() < 0.01


def test_a_reader_needs_something_to_read() -> None:
    with pytest.raises(InputError, match="no label is in some views of the training houses and not in others"):
        fit_reader(np.ones((10, 2), np.float32), np.ones((10, 1), dtype=bool), ["all"], np.arange(10))


def test_many_useless_columns_are_held_down_by_the_penalty() -> None:
    """600 views, 500 columns of noise: without a penalty the one good column would drown."""
    generator, targets = views(1200, 1, seed=3)
    targets = generator.random((1200, 1)) < 0.3
    features = np.concatenate([targets + 0.5 * generator.normal(size=(1200, 1)), generator.normal(size=(1200, 500))], axis=1)
    result = probe(features, targets, *halves(1200), houses=np.arange(1200) // 60)
    assert result.penalty >= 0.1
    assert result.mean_precision > 0.6


def test_labels_that_cannot_be_measured() -> None:
    generator, targets = views(400, 5)
    train, test = halves(400)
    targets[train, 0] = False
    targets[test, 1] = False
    targets[:, 2] = True
    result = probe(generator.normal(size=(400, 3)), targets, train, test)
    assert result.measured.tolist() == [False, False, False, True, True]
    assert np.isfinite(result.mean_precision)
    written = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert written["labels"]["0"]["average_precision"] is None
    assert written["labels"]["4"]["positives"] == targets[test, 4].sum()


def test_a_probe_never_sees_its_test_views() -> None:
    """As many columns of noise as training views: had it seen the test views, it would know them by heart."""
    generator, targets = views(300, 4)
    features = generator.normal(size=(300, 200))
    train = np.arange(300) < 200
    result = probe(features, targets, train, ~train)
    np.testing.assert_allclose(result.precision[1:], result.chance[1:], atol=0.25)
    assert probe(features, targets, ~train, train).test_views == 200


def test_probes_that_make_no_sense() -> None:
    _, targets = views(10, 2)
    train, test = halves(10)
    with pytest.raises(ValueError, match="do not fit"):
        probe(np.zeros((9, 3)), targets, train, test)
    with pytest.raises(ValueError, match="both a training and a test view"):
        probe(np.zeros((10, 3)), targets, train, train)
    with pytest.raises(InputError, match="views of training houses and of other houses"):
        probe(np.zeros((10, 3)), targets, train, ~train & False)
    with pytest.raises(InputError, match="no label is seen both"):
        probe(np.zeros((10, 3)), np.repeat(train[:, None], 2, axis=1), train, test)


def test_targets_are_objects_in_view_and_rooms() -> None:
    house = cottage()
    world = World.compile([house])
    share = np.zeros((len(world.ids), VIEWS, 2))
    share[0, 3] = [0.02, 0.001]
    targets = probe_targets([house], world, Visibility(("towel", "sink"), share), least=0.01)
    assert targets.labels[:2] == ("towel", "sink")
    assert targets.table[:, :, :2].sum() == 1 and targets.table[0, 3, 0]
    column = targets.labels.index("in: kitchen")
    kitchen = world.viewpoint(house.name, "kitchen")
    assert np.flatnonzero(targets.table[:, :, column].any(axis=1)).tolist() == [kitchen]
    assert targets.table[kitchen, :, column].all()


def test_listed_visibility_knows_the_bathroom_from_the_kitchen() -> None:
    house = cottage()
    world = World.compile([house])
    seen = listed_visibility([house], world)
    bathtub = seen.share[:, :, seen.labels.index("bathtub")].any(axis=1)
    assert bathtub[world.viewpoint(house.name, "bathroom")] and not bathtub[world.viewpoint(house.name, "kitchen")]


def test_drawn_visibility_adds_up_objects_of_one_label() -> None:
    """Two towels in one view, a wall (no object of the house), and numbers that count excluded viewpoints too."""
    whole = cottage()
    excluded = replace(whole.viewpoints[0], included=False)
    house = replace(whole, viewpoints=(excluded, *whole.viewpoints[1:]))
    towels = [thing.id for thing in house.objects if thing.label == "towel"][:2]
    world = World.compile([house])
    rows = [
        (5, 7, towels[0], 0.25, 0.0),
        (5, 7, towels[1], 0.5, 0.0),
        (5, 8, towels[0], 0.1, 0.0),
        (5, 7, 10_000, 0.2, 0.0),
    ]
    seen = drawn_visibility([house], world, lambda _: np.array(rows, dtype=SIGHTING))
    kitchen, column = world.viewpoint(house.name, "kitchen"), seen.labels.index("towel")
    assert house.viewpoints[5].id == "kitchen" and kitchen == 4
    np.testing.assert_allclose(seen.share[kitchen, 7:9, column], [0.75, 0.1])
    assert seen.share.sum() == pytest.approx(0.85)


@pytest.mark.parametrize(
    ("size", "expected"),
    [((224, 168), (224, 168)), ((640, 480), (640, 480)), ((224, 224), (300, 225)), ((65, 40), (68, 51))],
)
def test_cameras_cover_the_encoder(size: tuple[int, int], expected: tuple[int, int]) -> None:
    assert camera_size(Size(*size)) == expected


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    names = ["a", "b", "c", "d"]
    splits = {"train": names[:3], "unseen": names[3:]}
    write_world(tmp_path / "world", [replace(cottage(), name=name) for name in names], source="test", splits=splits)
    monkeypatch.setattr("vnla.vision.making.world_images", lambda *_, **__: draw)
    monkeypatch.setattr("vnla.vision.making.check_pictures", lambda *_: None)
    return tmp_path / "world"


def test_make_and_probe_commands(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The pattern gives every view away, in the unseen house too, so pixels are all that a probe needs."""
    make = ["make", str(world), "--encoder", "pixels", "--size", "64x48"]
    app(make, standalone_mode=False)
    assert "written" in capsys.readouterr().out
    app([*make, "--json"], standalone_mode=False)
    report = json.loads(capsys.readouterr().out)
    assert (report["status"], report["shape"], report["image"]) == ("there already", [52, 36, 576], [64, 48])
    app(["probe", str(world), "--encoder", "pixels", "--json"], standalone_mode=False)
    result = json.loads(capsys.readouterr().out)["pixels"]
    assert (result["train_views"], result["test_views"]) == (39 * 36, 13 * 36)
    assert result["mean_average_precision"] > 0.9 > 3 * result["mean_chance"]
    assert "in: kitchen" in result["labels"]
    header = replace(world_features(read_world(world), "pixels").header, encoder="blind", dimension=2)
    with StoreWriter(store_path(world, "blind"), header) as store:
        store.write(0, np.zeros((52, VIEWS, 2)))
        store.finish()
    app(["probe", str(world), "--encoder", "blind"], standalone_mode=False)
    row = next(line for line in capsys.readouterr().out.splitlines() if "in: kitchen" in line)
    assert row.count("0.077") == 2, "one viewpoint in thirteen: by chance, and for the blind"
    with pytest.raises(InputError, match="holds features with another size"):
        app(["make", str(world), "--encoder", "pixels", "--size", "32x32"], standalone_mode=False)


def test_training_houses(world: Path, tmp_path: Path) -> None:
    assert training_houses(read_world(world)) == ("a", "b", "c")
    (world / "world.json").unlink()
    assert training_houses(read_world(world)) == ("a", "b", "c"), "without splits: all but the last fifth"
    write_world(tmp_path / "lonely", [cottage()], source="test")
    with pytest.raises(InputError, match="this world has 1 houses"):
        training_houses(read_world(tmp_path / "lonely"))
