"""The paper's figures: data distributions, when the agent asks, on what it succeeds, and an episode (Figure 1).

All but the first are of the agent LEARNED, as in the appendix ("Qualitative Analysis"); beyond the paper there is the course
of training. The paper looks at one seed, here all seeds count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from vnla.evaluation.breakdown import (
    Labels,
    SubsetShare,
    agent_actions,
    early_requests,
    early_requests_otherwise,
    goal_rooms,
    objects,
    requests_over_time,
    success_by,
    teacher_actions,
)
from vnla.evaluation.confidence import Interval, minus, over_episodes, per_cent
from vnla.evaluation.evaluate import Evaluation
from vnla.experiments.evaluations import TESTS
from vnla.experiments.paper.paper_results import PaperResults
from vnla.experiments.paper.paper_tables import DATASETS, OURS, POLICIES
from vnla.experiments.paper.policy_order import policy_order
from vnla.experiments.reporting import SPLITS, exceeds, gains
from vnla.report.curves import TrainingCurves
from vnla.report.document import EpisodeReport, Figure, Finding, Item, ReportTable, Row, Value
from vnla.report.episodes import examples, images_of, tell_episode
from vnla.report.result_figures import (
    best_and_worst_figure,
    lengths_figure,
    requests_figure,
    success_figure,
    training_figure,
)
from vnla.report.task_figures import figures as draw_distributions
from vnla.tasks.statistics import SHOWN, SplitStatistics, dataset_statistics
from vnla.training.checkpoints import chosen_by, load_agent
from vnla.training.config import SYMBOLIC
from vnla.training.context import make_context

AGENT = "learned"
SPLIT = "test_unseen"
"""Where its episodes are told."""
EARLY = 20.0
"""Per cent of the time in which the paper's agent makes more than half of its requests."""

_DISTRIBUTIONS = {
    "objects": "The most common objects",
    "start_rooms": "The most common start rooms",
    "goal_rooms": "The most common goal rooms",
    "path_lengths": "How long the shortest paths are",
}


def distributions(results: PaperResults, dataset: str) -> list[Item]:
    """What a data set asks for, where it begins and ends, and how long its paths are."""
    splits = {split: each for split, each in dataset_statistics(results.dataset(dataset)).items() if split in SHOWN}
    made: list[Item] = []
    for name, image in draw_distributions(splits).items():
        title = f"{_DISTRIBUTIONS[name]} of {DATASETS[dataset]}"
        alt = f"{title}. " + " ".join(f"{SPLITS[split]}: {_in_words(each, name)}." for split, each in splits.items())
        data = {split: asdict(each)["lengths" if name == "path_lengths" else name] for split, each in splits.items()}
        made.append(Figure(f"figure-{dataset}-{name.replace('_', '-')}", title, image, alt, data=data))
    return made


def _in_words(split: SplitStatistics, name: str) -> str:
    """A distribution in a few words."""
    if name == "path_lengths":
        return f"{min(split.lengths)} to {max(split.lengths)} actions" if split.lengths else "none"
    counts: dict[str, int] = getattr(split, name)
    return ", ".join(f"{label} {count:,}" for label, count in list(counts.items())[:5]) or "none"


def success(results: PaperResults) -> list[Item]:
    """How often the agents under the five help policies succeed, and whether the order is the paper's."""
    rates = {
        SPLITS[split]: {
            name: per_cent(over_episodes(results.layout.scores(policy, split).success, whole=1))
            for policy, name in POLICIES.items()
        }
        for split in TESTS
    }
    return [success_figure(rates), *(policy_order(results, split) for split in TESTS)]


def requests(results: PaperResults) -> list[Item]:
    """When the agent asks."""
    found = _evaluations(results)
    figure = requests_figure({SPLITS[split]: requests_over_time(each) for split, each in found.items()})
    early = {split: early_requests(each, round(100 / EARLY)) for split, each in found.items()}
    findings: list[Item] = [
        exceeds(f"More than half of all requests are made in the first {EARLY:g}% of the time on {SPLITS[split]}", each, 50)
        for split, each in early.items()
    ]
    claim = f"A larger part of the requests is made in the first {EARLY:g}% of the time on Test unseen than on Test seen"
    return [figure, *findings, gains(claim, minus(early["test_unseen"], early["test_seen"]))]


def early(results: PaperResults) -> list[Item]:
    """How many requests are early, by other ways to count: the paper does not say which is its own."""
    evaluations = _evaluations(results)
    found = {
        split: {part.label: part for part in early_requests_otherwise(each, round(100 / EARLY))}
        for split, each in evaluations.items()
    }
    least, (first, *_) = results.preset.frequent, found.values()
    often = [label for label in first if all(label in parts and parts[label].tasks > least for parts in found.values())]
    rows: list[Row] = [(label, *(_value(parts[label].share) for parts in found.values())) for label in often]
    note = (
        f"Of all requests, those in the first {EARLY:g}% of an episode's own time are above. Who follows a subgoal before"
        " asking again seldom makes a second request so early: most depends on how many requests a task allows. Intervals"
        " are 95% over tasks. The longest time that any task allows is 25 steps in the paper's data sets."
    )
    columns = ["Counted", *(f"{SPLITS[split]} (%)" for split in found)]
    return [
        ReportTable(
            "early-requests", f"Requests in the first {EARLY:g}% of the time, counted otherwise", columns, rows, note
        )
    ]


def _value(share: Interval) -> Value:
    return Value(share.value, share.low, share.high, "%")


def lengths(results: PaperResults) -> list[Item]:
    """Success against the length of the way."""
    found = _evaluations(results)
    by_teacher = {SPLITS[split]: success_by(each, teacher_actions(each)) for split, each in found.items()}
    by_agent = {SPLITS[split]: success_by(each, agent_actions(each)) for split, each in found.items()}
    findings = [_shorter_is_easier(each, split) for split, each in found.items()]
    return [lengths_figure(by_teacher, by_agent), *findings]


def _shorter_is_easier(evaluation: Evaluation, split: str) -> Finding:
    """Whether the third of the tasks with the shortest ways is done better than that with the longest."""
    actions = teacher_actions(evaluation)
    order = actions.argsort(kind="stable")
    third = max(1, len(order) // 3)
    short, long = (_success(evaluation, which) for which in (order[:third], order[-third:]))
    claim = f"Success falls with the length of the way on {SPLITS[split]}: shortest third of the tasks against longest"
    return gains(claim, minus(short, long))


def _success(evaluation: Evaluation, tasks: Labels) -> Interval:
    return per_cent(over_episodes(evaluation.scores.success[:, tasks], whole=1))


def best_and_worst(results: PaperResults) -> list[Item]:
    """On which objects and goal rooms the agent succeeds most and least often."""
    found = _evaluations(results)
    made: list[Item] = []
    for what, labels in (("objects", objects), ("goal rooms", goal_rooms)):
        parts: dict[str, Sequence[SubsetShare]] = {
            SPLITS[split]: success_by(each, labels(each)) for split, each in found.items()
        }
        made.append(best_and_worst_figure(parts, what, more_than=results.preset.frequent))
    return made


def training(results: PaperResults, trainings: Sequence[str]) -> list[Item]:
    """The course of trainings."""
    preset = results.preset
    curves = {name: TrainingCurves.read(results.layout.run(name)) for name in trainings}
    curves |= {name: curves[name].later(preset.validate_every) for name in preset.continuing if name in curves}
    return [training_figure({{**POLICIES, **OURS}.get(name, name): each for name, each in curves.items()})]


def episodes(
    results: PaperResults, successes: int, failures: int, split: str = SPLIT, *, only: slice = slice(None)
) -> list[EpisodeReport]:
    """Episodes of the agent on a split, told and drawn: Figure 1, and a few more; `only` some of them."""
    config, material = results.config(AGENT), results.material
    agent = load_agent(results.layout.run(AGENT), config, material, chosen_by(split))
    context = make_context(config, material, agent, training=False)
    tasks = material.evaluation_tasks(split)
    chosen = examples(results.evaluation(AGENT, split), successes, failures)
    houses = {house.name: house for house in material.folder.houses}
    house_of = {task.id: houses[task.house] for task in tasks.tasks}
    return [
        tell_episode(
            context,
            tasks,
            material.folder.houses,
            task,
            seed=results.preset.seeds[0],
            ratio=config.help(training=False).ratio,
            images=None if config.features == SYMBOLIC else images_of(material.folder, house_of[task]),
            name="figure-1" if not number else None,
            command=f"vnla watch {results.layout.run(AGENT)} --split {split} --episode {task}",
        )
        for number, task in list(enumerate(chosen))[only]
    ]


def _evaluations(results: PaperResults) -> dict[str, Evaluation]:
    return {split: results.evaluation(AGENT, split) for split in TESTS}
