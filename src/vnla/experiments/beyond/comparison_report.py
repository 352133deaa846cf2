"""The report of a comparison: who succeeds how often, what each part adds, what is left, and how they were trained.

Table B1: how often each agent succeeds. B2: what each part adds. B3: what is left to win. B4: how each was trained. B5: what
more houses are worth, where agents were trained in several numbers of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from vnla.agents.config import AgentConfig
from vnla.agents.sensor_notes import sensors_note, sensors_text
from vnla.evaluation.confidence import Floats, houses_note
from vnla.experiments.beyond.arms import BEST, LEARNED, PARTS, Arm
from vnla.experiments.beyond.plan import UNSEEN, Challenge, ComparisonPlan, ComparisonResults
from vnla.experiments.beyond.training_houses import houses_figure, houses_table
from vnla.experiments.evaluations import NOTE, PEERS, read_ceilings, read_sweep
from vnla.experiments.layout import FRESH, one_of
from vnla.experiments.reporting import SPLITS, ExperimentReport, ReportPart, gains, gains_least
from vnla.report.ceilings import lines_among
from vnla.report.charts import finish, new_canvas, png, styled
from vnla.report.curves import TrainingCurves
from vnla.report.document import Figure, Finding, Item, ReportTable, Row, RowGroup, Section, Value, difference_text
from vnla.report.result_figures import help_figure
from vnla.training.checkpoints import VALIDATION
from vnla.training.config import RunConfig
from vnla.training.objectives.asking import AskingByReward
from vnla.world.forward import INFORMED

FORWARD_NOTE = "All walk with the paper's forward, which knows the goal"
AIM = 10.0
"""Points by which BEST is to beat LEARNED."""


def agents_table(results: ComparisonResults, command: str = "") -> list[Item]:
    """Table B1 and what it shows."""
    plan, rows = results.plan, list[Row | RowGroup]()
    for challenge in plan.challenges:
        rows.append(RowGroup(challenge.title))
        rows += [_agent_row(results, arm.name, arm.title, challenge) for arm in plan.arms]
        rows += [_agent_row(results, peer, title, challenge) for peer, title in PEERS.items() if plan.peers]
    columns = [
        "Agent",
        "Success (%)",
        "Over LEARNED (points)",
        "Navigation error (m)",
        "Requests",
        "Each training (%)",
        "Sensors",
    ]
    sensors = [_sensors(plan, arm.name) for arm in plan.arms]
    noted = [*([NOTE] if plan.peers else []), sensors_note(sensors), f"{FORWARD_NOTE} ({INFORMED})."]
    what = " ".join([*(f"{arm.title}: {arm.adds}." for arm in plan.arms), *filter(None, noted)])
    title = "Table B1: how often each agent succeeds"
    return [ReportTable("table-b1", title, columns, rows, f"{what} {note(results)}", command), *_agent_findings(results)]


def _agent_row(results: ComparisonResults, name: str, title: str, challenge: Challenge) -> Row:
    values = results.values(name, challenge)
    each = None if name in PEERS else " · ".join(f"{rate:.1f}" for rate in values.mean(axis=1))
    over = None if name == LEARNED else Value.of(results.gain(name, LEARNED, challenge), "points")
    error, requests = (
        Value(float(results.values(name, challenge, metric).mean()), unit=unit)
        for metric, unit in (("nav_error", "m"), ("requests", ""))
    )
    seen = "names of what is in view" if name in PEERS else sensors_text(_sensors(results.plan, name))
    return title, Value.of(results.figure(name, challenge), "%"), over, error, requests, each, seen


def _sensors(plan: ComparisonPlan, name: str) -> str:
    """The sensors that an agent ends its training with."""
    return next(arm.phases[-1].senses for arm in plan.arms if arm.name == name)


def _agent_findings(results: ComparisonResults) -> Iterator[Finding]:
    plan = results.plan
    if not plan.has(BEST):
        return
    for challenge in plan.challenges:
        found = results.gain(BEST, LEARNED, challenge)
        if challenge.name in (UNSEEN.name, FRESH):
            claim = f"BEST succeeds at least {AIM:g} points more often than LEARNED {challenge.where}"
            yield gains_least(claim, found, AIM)
        yield gains(f"BEST succeeds more often than LEARNED {challenge.where}", found)


def parts_table(results: ComparisonResults, command: str = "") -> list[Item]:
    """Table B2 and what it shows: agents that differ in one thing."""
    plan = results.plan
    rows: list[Row] = []
    findings: list[Item] = []
    for better, worse, what in PARTS:
        if plan.has(better, worse):
            found = {each.name: results.gain(better, worse, each) for each in plan.challenges}
            rows.append((what, better.upper(), worse.upper(), *(Value.of(each, "points") for each in found.values())))
            if (better, worse) != (BEST, LEARNED):  # Table B1 says it
                claim = f"{better.upper()} succeeds more often than {worse.upper()} {UNSEEN.where}: {what}"
                findings.append(gains(claim, found[UNSEEN.name]))
    columns = ["Added", "Agent", "Over", *(each.title for each in plan.challenges)]
    text = (
        f"Points of success that one agent has over another, which differs from it in that alone; with sensors goes, in"
        f" training, the time of evaluation. {note(results)}"
    )
    table = ReportTable("table-b2", "Table B2: what each part adds", columns, rows, text, command)
    return [table, *findings] if rows else []


def ceilings_lines(results: ComparisonResults, command: str = "") -> list[Item]:
    """Table B3: what is left to win for LEARNED and for BEST."""
    arms = [arm for arm in (LEARNED, BEST) if results.plan.has(arm)]
    found = {arm: read_ceilings(results.layout.ceilings(arm)) for arm in arms}
    rows: list[Row | RowGroup] = []
    for heading, lines in lines_among(set.intersection(*(set(each["lines"]) for each in found.values()))).items():
        rows.append(RowGroup(heading))
        rows += [(label, *(_share(found[arm]["lines"][line]) for arm in arms)) for line, label in lines.items()]
    first = found[LEARNED]
    text = (
        f"Success rates on {first['tasks']:,} tasks of {UNSEEN.title} in {first['houses']} houses, one seed of the help"
        f" budgets, the first training of each agent; at most {results.plan.scale.schedules:,} sets of times to ask tried in"
        f" an episode, and as many walks with sampled actions. {houses_note(first['houses'])}"
    )
    columns = ["", *(f"{arm.upper()} (%)" for arm in arms)]
    return [ReportTable("table-b3", "Table B3: how much better agents could do", columns, rows, text, command)]


def _share(line: dict[str, dict[str, float | None]]) -> Value:
    found = line["success"]
    value, low, high = (found[name] for name in ("value", "low", "high"))
    return Value(float("nan") if value is None else value, low, high, "%")


def trainings_table(results: ComparisonResults, command: str = "") -> list[Item]:
    """Table B4: how each agent was trained, phase by phase, from the configurations that were used."""
    rows: list[Row | RowGroup] = []
    for arm in results.plan.arms:
        rows.append(RowGroup(f"{arm.title}: {arm.adds}"))
        rows += [_phase_row(results.config(phase.name)) for phase in arm.phases]
    columns = ["Learns by", "Iterations", "Batch", "Episodes", "Learning rate", "Cooldown", "Dropout", "Sensors"]
    text = (
        f"Each phase begins with the agent of the one above it; phases that agents share were trained once. Iterations"
        f" in all: {results.plan.iterations_text}. In the phase worth every episode is run twice, in"
        f" the phase asking {AskingByReward.samples} times."
    )
    return [ReportTable("table-b4", "Table B4: how each agent was trained", columns, rows, text, command)]


def _phase_row(config: RunConfig) -> Row:
    training = config.training
    episodes = training.iterations * training.batch * (2 if config.objective == "worth" else 1)
    dropout = config.agent_options.get("dropout", AgentConfig.dropout)
    numbers = [f"{each:g}" for each in (training.learning_rate, training.cooldown, dropout)]
    return config.objective, training.iterations, training.batch, episodes, *numbers, sensors_text(config.sensors)


def note(results: ComparisonResults) -> str:
    """What the intervals say, and what they do not."""
    plan = results.plan
    over = houses_note(*(len(set(results.houses(challenge).tolist())) for challenge in plan.challenges))
    if plan.trainings == 1:
        return f"{over} Each agent was trained once: they do not say what another training would give."
    return f"{over} They are over the {plan.trainings} trainings of each agent, too (Satterthwaite)."


def success_against_help(results: ComparisonResults) -> list[Item]:
    """Success against requests, a line for each agent."""
    return [help_figure({arm.title: read_sweep(results.layout.sweep(arm.name)) for arm in results.plan.arms})]


def training_curves(results: ComparisonResults) -> list[Item]:
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
    words = [
        f"{label}: {', '.join(f'{SPLITS[split]} {rate:.1f}%' for split, rate in each.items())}."
        for label, each in ends.items()
    ]
    return [
        Figure(
            "figure-training", "The course of training", png(canvas),
            alt=f"Success on the dev sets over the iterations of all phases. At the end: {' '.join(words)}",
            caption="Success on the dev sets over the iterations of all phases: the mean of an agent's trainings, and thin,"
            " each of them.",
            data={
                label: {"iterations": iterations, "success": {split: each.tolist() for split, each in rates.items()}}
                for label, (iterations, rates) in courses.items()
            },
        )
    ]  # fmt: skip


def _courses(results: ComparisonResults, arm: Arm) -> tuple[list[int], dict[str, Floats]]:
    """Iterations of all validations of an agent's phases, and success on each dev set: (trainings, validations)."""
    lengths = arm.lengths(results.plan.scale.iterations)
    iterations: list[int] = []
    rates: dict[str, list[Floats]] = {split: [] for split in VALIDATION}
    for place, phase in enumerate(arm.phases):
        runs = [results.layout.run(one_of(phase.name, training)) for training in range(results.plan.trainings)]
        curves = [TrainingCurves.read(run) for run in runs]
        iterations += [sum(lengths[:place]) + each for each in curves[0].validations]
        for split, each in rates.items():
            each.append(np.array([curve.success[split] for curve in curves]))
    return iterations, {split: np.concatenate(each, axis=1) for split, each in rates.items()}


@dataclass(frozen=True)
class ComparisonReport(ExperimentReport):
    """Tables B1 to B4, success against help and the course of training."""

    plan: ComparisonPlan

    @property
    def title(self) -> str:
        """The title of the page."""
        return "Past the paper"

    @property
    def settings(self) -> Mapping[str, str]:
        """What else decides the numbers."""
        plan = self.plan
        return {
            "fresh houses": f"{plan.fresh}",
            "features": plan.preset.store,
            "iterations": f"{plan.iterations_text}, in all phases",
            "trainings": f"{plan.trainings} of each agent, seeds {plan.seed} to {plan.seed + plan.trainings - 1}",
            "precision": plan.preset.training.precision,
        }

    def parts(self) -> list[ReportPart]:
        """Return the sections, in order."""
        plan, results, command = self.plan, self.results, self.command
        sweeps = [partial(success_against_help, results)] if plan.sweeps else []
        left = [partial(ceilings_lines, results, command)] if plan.ceilings else []
        curves = [partial(training_curves, results)]
        by_houses = any(arm.houses for arm in plan.arms[1:])
        return [
            ReportPart("Agents", tables=[partial(agents_table, results, command)]),
            ReportPart(
                "Training houses",
                tables=[partial(houses_table, results, command)] if by_houses else [],
                figures=[partial(houses_figure, results)] if by_houses else [],
            ),
            ReportPart("What each part adds", tables=[partial(parts_table, results, command)]),
            ReportPart("Success against help", figures=sweeps),
            ReportPart("How much better the agents could do", tables=left),
            ReportPart("Training", tables=[partial(trainings_table, results, command)], figures=curves),
        ]

    @property
    def results(self) -> ComparisonResults:
        """What the stages have left."""
        return ComparisonResults(self.layout, self.plan)

    def summary(self, sections: Sequence[Section]) -> str:  # noqa: ARG002
        """Return what BEST reaches beside LEARNED, in a sentence, and what the intervals are over."""
        results = self.results
        if not self.plan.has(BEST):
            return note(results)
        rates = {arm: results.values(arm, UNSEEN).mean() for arm in (LEARNED, BEST)}
        found = results.gain(BEST, LEARNED, UNSEEN)
        return (
            f"On {UNSEEN.title} LEARNED succeeds in {rates[LEARNED]:.1f}% of its episodes and BEST in {rates[BEST]:.1f}%:"
            f" {difference_text(*found[:3], 'points')}. {note(results)}"
        )
