"""How success on the dev sets rose in training, and how it depends on help."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from vnla.evaluation.confidence import Floats
from vnla.experiments.beyond.arms import Arm
from vnla.experiments.beyond.evaluations import read_sweep
from vnla.experiments.beyond.results import Results, one_of
from vnla.experiments.paper.naming import SPLITS
from vnla.report.charts import finish, new_canvas, png, styled
from vnla.report.curves import Curves
from vnla.report.document import Figure, Item
from vnla.report.figures import help_figure
from vnla.training.checkpoints import VALIDATION


def success_against_help(results: Results) -> list[Item]:
    """Success against requests, a line for each agent."""
    return [help_figure({arm.title: read_sweep(results.layout.sweep(arm.name)) for arm in results.plan.arms})]


def training(results: Results) -> list[Item]:
    """Success on the dev sets over all phases, a line for each agent: the mean of its trainings."""
    canvas = new_canvas(9.2, 3.9)
    panels = {split: canvas.add_subplot(1, 2, i) for i, split in enumerate(VALIDATION, start=1)}
    courses = {arm.title: _courses(results, arm) for arm in results.plan.arms}
    for label, (iterations, rates), (colour, mark, line) in styled(courses):
        for split, axes in panels.items():
            mean = rates[split].mean(axis=0)
            axes.plot(iterations, mean, color=colour, marker=mark, markersize=3, linestyle=line, linewidth=1.6, label=label)
            axes.plot(iterations, rates[split].T, color=colour, linewidth=0.5, alpha=0.35)
    for split, axes in panels.items():
        finish(axes, "iterations in all", f"success on {SPLITS[split]}", legend=split == VALIDATION[-1])
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ends = {label: {split: each[:, -1].mean() for split, each in rates.items()} for label, (_, rates) in courses.items()}
    told = [
        f"{label}: {', '.join(f'{SPLITS[split]} {rate:.1f}%' for split, rate in each.items())}."
        for label, each in ends.items()
    ]
    return [
        Figure(
            "figure-training", "The course of training", png(canvas),
            alt=f"Success on the dev sets over the iterations of all phases. At the end: {' '.join(told)}",
            caption="Success on the dev sets over the iterations of all phases: the mean of an agent's trainings, and thin,"
            " each of them.",
            data={
                label: {"iterations": iterations, "success": {split: each.tolist() for split, each in rates.items()}}
                for label, (iterations, rates) in courses.items()
            },
        )
    ]  # fmt: skip


def _courses(results: Results, arm: Arm) -> tuple[list[int], dict[str, Floats]]:
    """Iterations of all validations of an agent's phases, and success on each dev set: (trainings, validations)."""
    lengths = arm.lengths(results.plan.scale.iterations)
    iterations: list[int] = []
    rates: dict[str, list[Floats]] = {split: [] for split in VALIDATION}
    for place, phase in enumerate(arm.phases):
        runs = [results.layout.run(one_of(phase.name, training)) for training in range(results.plan.trainings)]
        curves = [Curves.read(run) for run in runs]
        iterations += [sum(lengths[:place]) + each for each in curves[0].validations]
        for split, each in rates.items():
            each.append(np.array([curve.success[split] for curve in curves]))
    return iterations, {split: np.concatenate(each, axis=1) for split, each in rates.items()}
