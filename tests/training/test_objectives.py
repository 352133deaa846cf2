"""What an agent learns from: labels against trying by hand, advantages by hand, and that both improve what they should."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from cottage_run import severed, severed_tasks, write_cottage, write_severed
from lanes import state_file
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_policies import AtFirst
from vnla.assistance.schedules import Otherwise
from vnla.assistance.valued import Tried, Valued
from vnla.bcui import bcui
from vnla.common.batching import Batching
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import greedy
from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.checkpoints import LAST, load_agent, read_checkpoint
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context
from vnla.training.data import RunData
from vnla.training.objectives.objective import ImitationObjective, Objective, closeness, final_reward
from vnla.training.objectives.registry import objective
from vnla.training.objectives.reward import FARTHEST, UNLIKELY, Reward, advantage, critic_features, normalised, straightened
from vnla.training.objectives.worth import Worth, counterfactuals
from vnla.training.together import train
from vnla.training.trainer import Trainer
from vnla.world.actions import Nav
from vnla.world.compiled import World

SIZES = {"hidden": 24, "help_hidden": 24, "word_embedding": 8, "dropout": 0.1}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottage"))
    training = TrainingConfig(iterations=3, batch=6, learning_rate=5e-3)
    return RunConfig(str(world), str(tasks), "symbolic", training=training, agent_options=SIZES, validate_every=100)


@pytest.fixture(scope="module")
def data(base: RunConfig) -> RunData:
    return RunData.load(base)


def cast(config: RunConfig, data: RunData) -> tuple[RolloutContext, TaskSet]:
    """Who takes part in a training, and on what."""
    context = make_context(config, data, make_agent(config, data), training=True)
    return context, data.training_tasks(timed=config.aim.timed)


def worth_of(base: RunConfig, **options: float) -> RunConfig:
    return replace(base.asking("valued"), objective="worth", objective_options=options)


def test_a_label_is_what_trying_both_by_hand_gives(base: RunConfig, data: RunData) -> None:
    """The same episodes one at a time, with a policy that is overruled at one step."""
    config = worth_of(base, shaping_weight=0.3, silence=0.0)
    context, tasks = cast(config, data)
    which, seed = torch.arange(6), torch.arange(6, 12)
    rollout = config.aim.rollout(tasks, which, seed, 0.9, context)
    labels = counterfactuals(rollout, 0.3)
    assert labels.counts.sum() >= 2 and not labels.ask_features.requires_grad
    for pair in range(6):
        ends = []
        for asks in (True, False):
            episodes = tasks.episodes(which[pair : pair + 1], seed=seed[pair : pair + 1], ratio=0.9, k=4)
            step = Tried.step_of(episodes)
            policy = Otherwise.of(Valued(), episodes, step, torch.tensor([asks]))
            with greedy(context.agent):
                walk = bcui(episodes, replace(context, help_policy=policy))
            ends.append(final_reward(walk, 0.3))
        transitions = {transition.step: transition for transition in walk.transitions}
        there = int(step) in transitions and bool(transitions[int(step)].budget > 0)
        assert bool(labels.counts[pair]) == there
        if there:
            assert float(labels.worth[pair]) == pytest.approx(float(ends[0] - ends[1]), abs=1e-6)
            assert torch.allclose(labels.ask_features[pair], transitions[int(step)].ask_features[0], atol=1e-5)
            assert int(labels.budget[pair]) == int(transitions[int(step)].budget)


def mistakes_of(base: RunConfig, **options: float) -> RunConfig:
    return replace(base.asking("threshold"), objective="mistakes", objective_options=options)


def test_the_loss_of_mistakes_is_the_cross_entropy_of_what_is_wrong(base: RunConfig, data: RunData) -> None:
    """Worked out step by step: where a request is left, is the action that is most probable before asking the teacher's?"""
    config = mistakes_of(base, silence=0.5)
    context, tasks = cast(config, data)
    rollout = config.aim.rollout(tasks, torch.arange(6).repeat(4), torch.arange(24), 0.9, context)
    assert not any(each.ask_features.requires_grad for each in rollout.transitions)
    environment, goals, wanted, wrongs = tasks.environment, rollout.episodes.goals, 0.0, []
    with greedy(context.agent):
        for each in rollout.transitions:
            total = 0.0
            for place in range(len(each.row)):
                if not each.budget[place]:
                    continue
                pose, goal = each.pose[place : place + 1], goals[each.row[place]][None]
                wrong = int(each.tentative[place].argmax()) != int(environment.nav_teacher(pose, goal))
                logits = context.agent.ask(each.ask_features[place : place + 1], each.budget[place : place + 1])[0]
                probability = 1 / (1 + math.exp(float(logits[0] - logits[1])))
                total -= math.log(probability if wrong else 1 - probability)
                wrongs.append(wrong)
            wanted += total / int(each.active.sum())
        found = float(config.aim.ask_loss(rollout, context.agent, None))
    assert 0 < sum(wrongs) < len(wrongs)
    assert found == pytest.approx(wanted, rel=1e-4)


def asking_of(base: RunConfig, **options: float) -> RunConfig:
    return replace(base.asking("threshold"), objective="asking", objective_options=options)


def test_samples_of_a_task_differ_in_their_requests_alone(base: RunConfig, data: RunData) -> None:
    """And an episode's advantage is its reward less the mean of the others of its task."""
    config = asking_of(base, samples=3, shaping_weight=0.5)
    context, tasks = cast(config, data)
    which, seed = torch.arange(6).repeat(2), torch.arange(12)
    rollout = config.aim.rollout(tasks, which, seed, 0.9, context)
    episodes, asked = rollout.episodes, rollout.table("request").long().view(3, 12, -1)
    for same in (episodes.start, episodes.help_budget, episodes.time_budget):
        assert (same.view(3, 12) == same.view(3, 12)[0]).all()
    assert (asked != asked[0]).any(), "requests are drawn anew"
    ends = final_reward(rollout, 0.5)
    for place in range(36):
        others = [float(ends[other]) for other in range(place % 12, 36, 12) if other != place]
        assert float(config.aim.advantages(rollout)[place]) == pytest.approx(float(ends[place]) - sum(others) / 2, abs=1e-5)


def test_the_loss_of_asking_is_the_same_where_ended_episodes_stay_in_the_batch(base: RunConfig, data: RunData) -> None:
    """As on a GPU, whose graphs have fixed sizes."""
    config = asking_of(base, samples=3)
    context, tasks = cast(config, data)
    found = []
    for batching in (Batching(), Batching(fixed=True)):
        own = replace(context, batching=batching)
        rollout = config.aim.rollout(tasks, torch.arange(6).repeat(2), torch.arange(12), 0.9, own)
        found.append(float(config.aim.ask_loss(rollout, context.agent, None).detach()))
    assert found[0] != 0 and found[1] == pytest.approx(found[0], rel=1e-4)


def test_asking_by_reward_learns_to_ask_where_only_a_request_helps(base: RunConfig, data: RunData) -> None:
    """The advisor acts, and the agent by itself is lost; so whoever asks gets nearer. At first it hardly ever asks."""
    config = replace(asking_of(base, entropy=0.0), advisor=TemplateAdvisor(k=4, direct=True))
    context, tasks = cast(config, data)
    with torch.no_grad():
        context.agent.get_parameter("help.output.bias").copy_(torch.tensor([3.0, 0.0]))
    training = replace(config.training, batch=24, learning_rate=5e-3)
    trainer = Trainer(context, tasks, training, learns_to_ask=True, objective=config.aim)
    ends, asked = [], []
    for _ in range(30):
        rollout = config.aim.rollout(tasks, torch.arange(6).repeat(4), torch.arange(24), 0.9, context)
        ends.append(float(final_reward(rollout, 0.25).mean()))
        asked.append(float(rollout.table("request").float().sum(dim=1).mean()))
        trainer.iterate()
    assert sum(ends[-5:]) > sum(ends[:5]) and sum(asked[-5:]) > sum(asked[:5])


@pytest.mark.parametrize("of", [worth_of, mistakes_of])
def test_the_help_module_alone_is_taught_and_its_loss_falls(
    base: RunConfig, data: RunData, of: Callable[[RunConfig], RunConfig]
) -> None:
    config = of(base)
    context, tasks = cast(config, data)
    before = {name: value.clone() for name, value in context.agent.state_dict().items()}
    trainer = Trainer(context, tasks, replace(config.training, batch=40), learns_to_ask=True, objective=config.aim)
    losses = [float(trainer.iterate().ask) for _ in range(8)]
    changed = {name.partition(".")[0] for name, value in context.agent.state_dict().items() if (value != before[name]).any()}
    assert changed == {"help"}
    assert sum(losses[-4:]) < sum(losses[:4])


def test_advantages_by_hand() -> None:
    """Three steps worth 0.5, 0.4, 0.8 that ended with 1: TD errors −0.1, 0.4, 0.2. With λ = 0.5 the last is 0.2, the one
    before 0.4 + 0.1, the first −0.1 + 0.25. The other episode ended after one step, with 0."""
    values = torch.tensor([[0.5, 0.4, 0.8], [0.25, 9.0, 9.0]])
    active = torch.tensor([[True, True, True], [True, False, False]])
    found = advantage(values, active, torch.tensor([1.0, 0.0]), 0.5)
    assert torch.allclose(found, torch.tensor([[0.15, 0.5, 0.2], [-0.25, 0.0, 0.0]]))
    whole = advantage(values, active, torch.tensor([1.0, 0.0]), 1.0)
    assert torch.allclose(whole[0], 1 - values[0]) and float(whole[1, 0]) == -0.25
    assert float((normalised(found, found.square().sum(), active.sum()).square() * active).sum() / 4) == pytest.approx(1)


def test_what_is_all_but_impossible_counts_by_its_probability() -> None:
    logits = torch.linspace(-60, 5, 200, requires_grad=True)
    logarithm = torch.nn.functional.logsigmoid(logits)
    found = straightened(logarithm)
    likely = logarithm.exp() >= UNLIKELY
    assert torch.equal(found[likely], logarithm[likely])
    assert found.min() >= math.log(UNLIKELY) - 1, "it has an end"
    assert (found.diff() >= 0).all(), "and falls with the probability"
    (slope,) = torch.autograd.grad(found.sum(), logits)
    assert slope[0].item() == pytest.approx(0, abs=1e-20), "what can hardly become less likely is left alone"
    edge = torch.tensor(math.log(UNLIKELY))
    assert straightened(edge - 1e-6).item() == pytest.approx(straightened(edge + 1e-6).item(), abs=1e-5)


def test_the_critic_is_told_how_far_the_goal_is_and_what_is_left(base: RunConfig, data: RunData) -> None:
    context, tasks = cast(replace(base, objective="reward"), data)
    rollout = bcui(tasks.episodes(torch.arange(6), seed=3, ratio=0.9), context)
    told, first = critic_features(rollout), rollout.episodes
    metres = first.environment.distance_left(first.start, first.goals)
    assert torch.allclose(told[:, 0, 0], metres / 10) and torch.allclose(told[:, 0, 1], closeness(metres))
    assert torch.allclose(told[:, 0, 2], first.time_budget / 10) and torch.equal(told[:, 0, 3].long(), first.help_budget)
    taught = first.environment.nav_teacher(first.start, first.goals)
    assert torch.equal(told[:, 0, 6:].argmax(dim=1), taught)


@pytest.mark.parametrize("k", [2, 4])
def test_the_critic_knows_for_how_long_a_subgoal_lasts(k: int, base: RunConfig, data: RunData) -> None:
    """An agent that asks once, at its first step, follows what it heard for k steps."""
    config = replace(base, objective="reward", advisor=TemplateAdvisor(k=k))
    context, tasks = cast(config, data)
    episodes = replace(tasks.episodes(torch.arange(6), seed=3, k=k), help_budget=torch.ones(6, dtype=torch.long))
    rollout = bcui(episodes, replace(context, help_policy=AtFirst(), deliberate=False))
    step, active = torch.arange(len(rollout.transitions)), rollout.table("active")
    follows = (step > 0) & (step <= k)  # since_request is what it was before the step's own request
    assert torch.equal(critic_features(rollout)[:, :, 4].bool() & active, follows & active)


@pytest.mark.parametrize("name", ["imitation", "reward", "worth", "mistakes", "asking"])
def test_a_training_where_parts_of_a_house_cannot_be_reached_keeps_its_numbers(
    name: str, base: RunConfig, tmp_path: Path
) -> None:
    """From the first viewpoint no goal upstairs can be reached, and nobody who is after one has ever been there."""
    world, tasks = write_severed(tmp_path)
    config = replace(base.asking("valued"), world=str(world), tasks=str(tasks), objective=name)
    data = RunData.load(config)
    assert data.training_tasks().environment.left.isinf().any()
    assert train(tmp_path / "run", config, data) is None
    assert all(each.isfinite().all() for each in read_checkpoint(tmp_path / "run" / LAST)[0].values())


def test_the_critic_is_told_numbers_of_ended_episodes_wherever_their_house_stands(base: RunConfig, data: RunData) -> None:
    """In the last house of a world the tables of the first goal set begin before the first row of all."""
    context, _ = cast(replace(base, objective="reward"), data)
    street = World.compile([*(replace(severed(), name=name) for name in ("first", "second")), severed()])
    tasks = TaskSet.compile(street, severed_tasks(), vocabulary=data.dataset.vocabulary)
    assert tasks.environment.start[0] < 0
    views = {name: torch.cat([table] * 3) for name, table in context.views.items()}
    rollout = bcui(tasks.episodes(torch.arange(4).repeat(5), seed=torch.arange(20)), replace(context, views=views))
    assert not rollout.table("active").all()
    told, active = critic_features(rollout), rollout.table("active")
    metres = tasks.environment.distance_left(rollout.episodes.start, rollout.episodes.goals)
    assert torch.equal(told[:, 0, 0], metres / 10)
    assert torch.equal(told[:, :, 0][~active], (metres / 10)[:, None].expand_as(active)[~active])


def test_the_critic_is_told_a_number_where_no_goal_can_be_reached(base: RunConfig, data: RunData) -> None:
    context, _ = cast(replace(base, objective="reward"), data)
    lost = [replace(task, start="bathroom") for task in severed_tasks()[:2]]
    tasks = TaskSet.compile(World.compile([severed()]), lost, vocabulary=data.dataset.vocabulary)
    rollout = bcui(tasks.episodes(torch.arange(2), seed=1), context)
    told, active = critic_features(rollout), rollout.table("active")
    assert told.isfinite().all()
    assert (told[:, :, 0][active] == FARTHEST / 10).all() and (told[:, :, 1][active] < 1e-6).all()


def beside_the_goal(tasks: TaskSet) -> TaskSet:
    """The tasks with two steps of time, begun where one step forward reaches a goal and nothing else does."""
    environment, poses = tasks.environment, torch.arange(36 * len(tasks.environment.world.ids))
    starts = []
    for goals in tasks.goals:
        set_ = goals.expand_as(poses)
        forward = environment.nav_teacher(poses, set_) == Nav.FORWARD
        ahead = environment.distance_left(environment.step(poses, torch.full_like(poses, Nav.FORWARD), set_), set_)
        starts.append(poses[forward & (ahead == 0) & (environment.distance_left(poses, set_) > 2)][0])
    return replace(tasks, start=torch.stack(starts), time_budget=torch.full_like(tasks.time_budget, 2))


def success(context: RolloutContext, tasks: TaskSet) -> float:
    """How often these players succeed in 240 episodes."""
    episodes = tasks.episodes(torch.arange(6).repeat(40), seed=torch.arange(240))
    with greedy(context.agent):
        return float(final_reward(bcui(episodes, context), 0.0).mean())


def test_reward_alone_teaches_an_agent_to_take_the_last_step(base: RunConfig, data: RunData) -> None:
    config = replace(base, objective="reward", objective_options={"imitation": 0.0})
    context, tasks = cast(config, data)
    near = beside_the_goal(tasks)
    assert success(context, near) < 0.5
    training = replace(config.training, batch=48, learning_rate=1e-2)
    trainer = Trainer(context, near, training, learns_to_ask=True, objective=config.aim)
    for _ in range(25):
        trainer.iterate()
    assert success(context, near) > 0.9


@pytest.mark.parametrize("name", ["reward", "worth", "mistakes", "asking"])
def test_a_training_by_another_objective_restored_goes_on_exactly(
    base: RunConfig, data: RunData, tmp_path: Path, name: str
) -> None:
    config = replace(base.asking("valued"), objective=name)

    def trainer() -> Trainer:
        return Trainer(*cast(config, data), config.training, learns_to_ask=True, objective=config.aim)

    torch.manual_seed(4)  # a critic is not drawn from where the caller stands
    whole = trainer()
    for _ in range(4):
        whole.iterate()
    torch.manual_seed(5)
    first = trainer()
    first.iterate()
    first.iterate()
    (tmp_path / "state").write_bytes(state_file(first))
    second = trainer()
    second.resume(tmp_path / "state")
    second.iterate()
    second.iterate()
    assert state_file(second) == state_file(whole)


def test_a_run_begins_with_the_agent_of_another_and_its_words(base: RunConfig, data: RunData, tmp_path: Path) -> None:
    train(tmp_path / "first", base, data)
    config = replace(worth_of(base), begins_with=str(tmp_path / "first"))
    train(tmp_path / "second", config, RunData.load(config))
    agents = [load_agent(tmp_path / name, each, data, "last") for name, each in (("first", base), ("second", config))]
    one, other = (agent.state_dict() for agent in agents)
    assert all(torch.equal(one[name], other[name]) for name in one if name.startswith("navigation."))
    assert any(not torch.equal(one[name], other[name]) for name in one if name.startswith("help."))
    assert (tmp_path / "second" / "vocab.txt").read_text() == (tmp_path / "first" / "vocab.txt").read_text()
    file = replace(config, begins_with=str(tmp_path / "first" / LAST))
    train(tmp_path / "third", file, data)
    nobody = replace(config, begins_with=str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="nowhere: holds no agent to begin with; give a run that was trained"):
        train(tmp_path / "fourth", nobody, data)
    other_sizes = replace(config, agent_options={**SIZES, "hidden": 8})
    with pytest.raises(InputError, match="does not fit the run's configuration"):
        train(tmp_path / "fifth", other_sizes, data)


def test_the_paper_is_the_default(base: RunConfig, data: RunData) -> None:
    assert base.aim == ImitationObjective() and not base.aim.timed
    context, tasks = cast(base, data)
    rollout = base.aim.rollout(tasks, torch.arange(6), torch.zeros(6, dtype=torch.long), 0.4, context)
    loss = base.aim.nav_loss(rollout, None)
    assert torch.equal(loss, rollout.nav_loss())
    assert base.aim.critic() is None and base.aim.judge(rollout, None) is None


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("luck", {}, "objective luck: unknown; choose from imitation, practice, worth, mistakes, asking, reward"),
        ("worth", {"metres": 2}, "objective worth: shaping_weight is 2, but a share is between 0 and 1"),
        ("reward", {"trace": -1}, "objective reward: gae_lambda is -1, but it is between 0 and 1"),
        ("reward", {"trace": 0.5, "gae_lambda": 0.5}, "objective reward: has the option gae_lambda twice"),
        ("worth", {"hold": 0}, "hold 0: must be a whole number from 1 to 25"),
        ("asking", {"samples": 1}, "samples 1: must be a whole number from 2 to 64"),
        ("asking", {"shaping_weight": 2}, "objective asking: shaping_weight is 2, but a share is between 0 and 1"),
        ("mistakes", {"silence": 2}, "objective mistakes: silence is 2, but a share is between 0 and 1"),
        ("worth", {"patience": 2}, "objective worth: has no option patience; its options are shaping_weight, silence, hold"),
    ],
)
def test_what_is_wrong_with_an_objective_is_one_line(name: str, options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        objective(name, options)


def test_options_are_known_by_their_earlier_names() -> None:
    assert objective("reward", {"metres": 0.1, "trace": 0.5}) == Reward(shaping_weight=0.1, gae_lambda=0.5)
    assert objective("worth", {"metres": 0.1}) == Worth(shaping_weight=0.1)


def test_a_method_by_its_earlier_name_is_noticed() -> None:
    with pytest.raises(InputError, match="objective Old: the method players is now called rollout_context; rename it"):
        type("Old", (Objective,), {"players": Objective.rollout_context})


def test_closeness_falls_with_metres() -> None:
    near: Tensor = closeness(torch.tensor([0.0, 2.0, 4.0, 40.0]))
    assert near[0] == 1 and (near.diff() < 0).all() and float(near[2]) == pytest.approx(0.3679, abs=1e-4)
