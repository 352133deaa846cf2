"""The sensor of objects against what is in view in the house, and the agent that attends between words and objects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from cottage_run import practice_gradients, write_cottage
from vnla.agents.agent import Sizes
from vnla.agents.listener.agent import ListenerAgent, ListenerGates, ListenerModule, listener_agent
from vnla.agents.listener.objects import ObjectsAhead, ObjectSensor
from vnla.agents.panorama import Exits
from vnla.agents.registry import agent_named
from vnla.agents.sensor_registry import sensors_named
from vnla.assistance.help_policies import AtFirst
from vnla.bcui import bcui
from vnla.camera import HALF_FIELD
from vnla.common.errors import InputError
from vnla.episode import StepContext, beginning
from vnla.evaluation.evaluate import greedy
from vnla.houses.sightings import sightings_of
from vnla.language.advisor import GrammarAdvisor
from vnla.language.objects import FIRST_WAY, NAMES, SLOTS, THINGS_SHOWN, world_objects
from vnla.language.sights import LEAST
from vnla.language.things import THINGS, thing_of
from vnla.rollout import Rollout
from vnla.training.checkpoints import load_agent
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context
from vnla.training.data import RunData
from vnla.training.together import train

SIZES = {"hidden": 16, "help_hidden": 16, "word_embedding": 8, "width": 8, "pieces": 64, "dropout": 0.0}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottages"), houses=2)
    return RunConfig(
        world=str(world), tasks=str(tasks), features="symbolic", agent="listener", sensors="objects,exits,advice",
        training=TrainingConfig(iterations=2, batch=4), agent_options=SIZES, practice=2, advisor=GrammarAdvisor(),
        validate_every=2,
    )  # fmt: skip


@pytest.fixture(scope="module")
def data(config: RunConfig) -> RunData:
    return RunData.load(config)


def ready(data: RunData, name: str = "objects") -> ObjectSensor:
    sensor = sensors_named(name)[name].ready_in(data.folder, None, data.world, data.views)  # type: ignore[arg-type]
    assert isinstance(sensor, ObjectSensor)
    return sensor


def step_at(data: RunData, pose: Tensor) -> StepContext:
    episodes = data.training_tasks().episodes(torch.zeros_like(pose), seed=0, k=4)
    return beginning(replace(episodes, start=pose))


def shown_at(data: RunData, sensor: ObjectSensor, viewpoint: int, heading: int = 0) -> list[dict[str, float]]:
    rows = sensor(step_at(data, torch.tensor([viewpoint * 36 + 12 + heading]))).reshape(SLOTS, -1)
    return [dict(zip(sensor.FIELDS, row.tolist(), strict=True)) for row in rows if row[0]]


def test_each_heading_has_the_largest_things_that_are_in_view_there(data: RunData) -> None:
    """Counted again from the sightings: a thing stands at the heading in whose middle it is."""
    house = data.folder.houses[0]
    things = {each.id: thing_of(each.label, each.category[1] if each.category else None) for each in house.objects}
    seen = sightings_of(data.folder, house).seen
    seen = seen[(seen["share"] >= LEAST) & (seen["view"] >= 12) & (seen["view"] < 24)]
    sensor, some = ready(data), 0
    for viewpoint, number in enumerate(house.stands):
        wanted: dict[int, list[tuple[float, int, float]]] = {}
        here = seen[seen["viewpoint"] == number]
        for thing in sorted(set(here["object"].tolist())):
            best = min(here[here["object"] == thing], key=lambda each: abs(each["across"]))
            if things[thing] >= 0:
                heading = int(best["view"]) - 12
                row = (float(best["share"]), things[thing] + 1, heading * 30 + float(best["across"]))
                wanted.setdefault(heading, []).append(row)
        largest = [row for rows in wanted.values() for row in sorted(rows, reverse=True)[:THINGS_SHOWN]]
        found = [each for each in shown_at(data, sensor, viewpoint) if each["label"] < FIRST_WAY]
        assert sorted(round(each["share"] ** 2, 4) for each in found) == sorted(round(row[0], 4) for row in largest)
        for share, label, bearing in largest:
            alike = [each for each in found if each["label"] == label and abs(each["share"] ** 2 - share) < 1e-4]
            turns = [np.degrees(np.arctan2(each["sine"], each["cosine"])) - bearing for each in alike]
            assert any(abs((turn + 180) % 360 - 180) < 0.1 for turn in turns)
            some += 1
    assert some > 10


def test_a_turn_moves_everything_the_other_way_and_one_view_shows_what_is_within_it(data: RunData) -> None:
    whole, ahead = ready(data), ready(data, "objects-ahead")
    assert isinstance(ahead, ObjectsAhead)
    straight, turned = shown_at(data, whole, 3, heading=2), shown_at(data, whole, 3, heading=3)
    assert len(straight) == len(turned) > 2
    for one, other in zip(straight, turned, strict=True):
        moved = np.degrees(np.arctan2(other["sine"], other["cosine"]) - np.arctan2(one["sine"], one["cosine"]))
        assert abs((moved + 30 + 180) % 360 - 180) < 0.01 and one["label"] == other["label"]
    some = 0
    for heading in range(12):
        around = shown_at(data, whole, 3, heading)
        within = [each for each in around if abs(np.arctan2(each["sine"], each["cosine"])) <= HALF_FIELD]
        assert shown_at(data, ahead, 3, heading) == within and len(within) < len(around)
        some += len(within)
    assert some


def test_ways_out_are_among_the_objects(data: RunData) -> None:
    ways = [each for at in range(6) for each in shown_at(data, ready(data), at) if each["label"] >= FIRST_WAY]
    assert ways and all(each["metres"] > 0 and each["share"] == 0 for each in ways)
    assert any(each["room"] for each in ways) and all(NAMES[int(each["room"])] for each in ways if each["room"])
    assert NAMES[FIRST_WAY] == ("doorway", "opening") and NAMES[FIRST_WAY + 1] == ("door",)
    assert NAMES[1 + [noun.name for noun in THINGS].index("sofa")] == ("sofa", "couch")


def test_a_noisy_detector_misses_and_mistakes_always_the_same(data: RunData) -> None:
    true, noisy = ready(data).table, ready(data, "objects-noisy").table
    assert torch.equal(noisy, ready(data, "objects-noisy").table)
    there, kept = true[:, :, 0] > 0, noisy[:, :, 0] > 0
    assert not (kept & ~there).any()
    assert 0.7 < float(kept[there].float().mean()) < 0.9
    wrong = kept & (true[:, :, 0] != noisy[:, :, 0])
    is_thing = there & (true[:, :, 0] < FIRST_WAY)
    assert 0.03 < float(wrong[is_thing & kept].float().mean()) < 0.2 and not wrong[~is_thing].any()
    assert torch.equal(true[kept][:, 1:], noisy[kept][:, 1:])
    assert int(noisy[:, :, 0].max()) < FIRST_WAY + 2


def test_it_says_where_no_houses_are_known(data: RunData) -> None:
    with pytest.raises(InputError, match="sensor objects: is made from the houses of a world folder"):
        ObjectSensor().ready(None, data.world, data.views)  # type: ignore[arg-type]
    sensor = ready(data)
    assert sensor.ready(None, data.world, data.views) is sensor  # type: ignore[arg-type]
    assert torch.equal(sensor.table, world_objects(data.folder, data.world)), "what was kept is what was made"


def module_with(words: tuple[str, ...]) -> ListenerModule:
    sensors = {"objects": ObjectSensor.size, "exits": Exits.size}
    sizes = Sizes(len(words), {"drawn": 8, **sensors}, tuple(sensors), words)
    torch.manual_seed(1)
    module = listener_agent(sizes, **{**SIZES, "pieces": 0}).navigation
    assert isinstance(module, ListenerModule)
    return module


def test_a_word_means_the_object_that_it_names() -> None:
    """With nothing learned: the word's own vector is that of the label, and no other object has it."""
    module = module_with(("", "sofa", "couch", "bed"))
    label = {noun.name: number for number, noun in enumerate(THINGS, start=1)}
    encoder, names = module.encoder, module.names
    with torch.no_grad():
        names.own.zero_()
        word = encoder.naming(encoder.embedding(torch.tensor([1, 3])))
        known = names(encoder)
    torch.testing.assert_close(known[label["bed"]], word[1])
    torch.testing.assert_close(known[label["sofa"]], encoder.naming(encoder.embedding.weight[1:3].sum(dim=0) * 0.5**0.5))
    keys = 40 * known[[label["sofa"], label["bed"], 0]][None]
    present = torch.tensor([[True, True, False]])
    others = (torch.zeros(1, 1, 13), torch.zeros(1, 3, 12), torch.zeros(1, 1, 3), torch.zeros(1, 3, 3))
    shared = ListenerGates(torch.empty(1, 0), [], keys, keys, present, *others)
    heard = torch.cat([torch.randn(2, 8), word], dim=1)[None]  # what was read does not matter
    meant = module.meant(torch.tensor([[1.0, 0.0]]), heard, shared)[0]
    assert meant[0] > 0.9 and meant[2] == 0 and meant.sum() <= 1
    after = module.meant(torch.tensor([[0.0, 1.0]]), heard, shared)[0]  # sentences are read backwards
    assert 0.3 < after[0] < after[1], "what is named after the word that is attended to is meant, too"
    little = module.meant(torch.tensor([[0.001, 0.0]]), heard, shared)[0]
    assert little.sum() < 0.1, "nothing is attended to, so nothing is meant"


def test_everything_new_learns_and_a_batch_of_fixed_size_learns_alike(config: RunConfig, data: RunData) -> None:
    found = practice_gradients(config, data)
    agent = make_agent(config, data)
    silent = [name for name, _ in agent.named_parameters() if name not in found or not found[name].any()]
    assert not silent
    for name, gradient in practice_gradients(config, data, fixed=True).items():
        torch.testing.assert_close(gradient, found[name], rtol=1e-3, atol=1e-5, msg=name)


def episodes_of(config: RunConfig, data: RunData, agent: ListenerAgent, which: list[int]) -> Rollout:
    context = replace(make_context(config, data, agent, training=False), help_policy=AtFirst())
    with greedy(agent):
        return bcui(data.training_tasks().episodes(torch.tensor(which), seed=3, k=4), context, longest=8)


def test_whoever_else_is_in_the_batch_it_does_the_same(config: RunConfig, data: RunData) -> None:
    agent = make_agent(config, data)
    assert isinstance(agent, ListenerAgent)
    together = episodes_of(config, data, agent, list(range(6)))
    for row in range(6):
        alone = episodes_of(config, data, agent, [row])
        steps = alone.table("nav").shape[1]
        assert torch.equal(alone.table("nav")[0], together.table("nav")[row, :steps])
    assert len(set(together.table("nav").flatten().tolist()) - {-1}) > 1


def test_a_checkpoint_is_the_agent_that_was_trained(config: RunConfig, data: RunData, tmp_path: Path) -> None:
    assert train(tmp_path / "run", config, data) is None
    one, other = (load_agent(tmp_path / "run", config, data, "last") for _ in range(2))
    assert isinstance(one, ListenerAgent) and isinstance(other, ListenerAgent)
    fresh = make_agent(config, data).state_dict()
    changed = {name for name, value in one.state_dict().items() if not torch.equal(value, fresh[name])}
    assert {"navigation.names.own", "navigation.reach", "navigation.encoder.naming.weight"} <= changed
    done = [episodes_of(config, data, each, [0, 1, 2]).every("final") for each in (one, other)]
    assert torch.equal(*done)


def test_it_is_refused_without_its_sensors() -> None:
    views = {"drawn": 8, "objects": ObjectSensor.size, "exits": Exits.size}
    for sensors, line in (
        (("objects",), "does without the sensor exits"),
        (("exits",), "needs one of the sensors objects, objects-ahead, objects-noisy"),
    ):
        with pytest.raises(InputError, match=f"agent listener: {line}"):
            agent_named("listener", {}, Sizes(4, {name: views[name] for name in ("drawn", *sensors)}, sensors))
    with pytest.raises(InputError, match="agent listener: width is 16; it has to be less than hidden, which is 16"):
        agent_named("listener", {"hidden": 16, "width": 16}, Sizes(4, views, ("objects", "exits")))
    with pytest.raises(InputError, match="agent listener: has no option depth"):
        agent_named("listener", {"depth": 3}, Sizes(4, views, ("objects", "exits")))
