"""What more training houses are worth: agents that differ in their number alone, on the same tasks.

All houses are in one world, one data set and one store of features. An agent is trained on the tasks in the first so many
houses, or in these and their mirror images (`vnla.houses.mirror`), for as many iterations as all others.

Table B5: success by the number of training houses.
"""

from __future__ import annotations

import re
from dataclasses import replace

from vnla.common.errors import InputError
from vnla.experiments.beyond.arms import Arm
from vnla.experiments.beyond.plan import UNSEEN, ComparisonResults
from vnla.experiments.layout import FRESH
from vnla.experiments.presets import ExperimentPreset
from vnla.experiments.trainings import ASKNAV
from vnla.report.charts import finish, new_canvas, png, styled
from vnla.report.document import Figure, Item, ReportTable, Row, Value
from vnla.tasks.statistics import PAPER as PAPER_SIZES

MOST_TIMES = 4
"""A data set has at most so many times the preset's training points, or the paper's where the preset keeps all of them: a
file of more would be gigabytes."""


def house_counts(text: str) -> tuple[int, ...]:
    """The numbers of houses that a person wrote, 61,122,244 say, in rising order."""
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch("[1-9][0-9]{0,5}", part) for part in parts) or len(set(parts)) < len(parts):
        raise InputError(f"--houses {text}: expected numbers of houses with commas between, each once, such as 61,122,244")
    return tuple(sorted(int(part) for part in parts))


def with_points(preset: ExperimentPreset, train: int) -> ExperimentPreset:
    """Return the preset with as many training points a house as it has by itself, or with `MOST_TIMES` as many in all."""
    times = min(max(train / preset.houses.train, 1), MOST_TIMES)
    own, paper = preset.most_train.get(ASKNAV), PAPER_SIZES[ASKNAV]["train"].points
    most = MOST_TIMES * paper if own is None else round(own * times)
    return replace(preset, most_train={**preset.most_train, ASKNAV: most})


def houses_table(results: ComparisonResults, command: str = "") -> list[Item]:
    """Table B5."""
    challenges, rows = results.plan.challenges, list[Row]()
    for label, arms in _lines(results).items():
        for arm in arms:
            figures = (Value.of(results.figure(arm.name, each), "%") for each in challenges)
            rows.append((label, f"{_count(arm):,}", *figures))
    columns = ["Agent", "Training houses", *(f"{each.title} (%)" for each in challenges)]
    text = (
        "Success of the same agent by the number of houses that it was trained in, after as many iterations. All agents are"
        " tested on the same tasks; what is called seen is so to those alone who were trained in all houses."
    )
    return [ReportTable("table-b5", "Table B5: success by the number of training houses", columns, rows, text, command)]


def houses_figure(results: ComparisonResults) -> list[Item]:
    """Success in unseen and in fresh houses against the number of training houses."""
    shown = [each for each in results.plan.challenges if each.name in (UNSEEN.name, FRESH)]
    canvas = new_canvas(4.6 * len(shown), 3.9)
    data: dict[str, dict[str, list[list[float]]]] = {}
    for place, challenge in enumerate(shown, start=1):
        axes = canvas.add_subplot(1, len(shown), place)
        for label, arms, (colour, mark, line) in styled(_lines(results)):
            found = [results.figure(arm.name, challenge) for arm in arms]
            x, y = [_count(arm) for arm in arms], [each.value for each in found]
            axes.plot(x, y, color=colour, marker=mark, linestyle=line, linewidth=1.6, label=label)
            axes.fill_between(x, [each.low for each in found], [each.high for each in found], color=colour, alpha=0.12)
            points = zip(x, found, strict=True)
            data.setdefault(label, {})[challenge.name] = [[n, each.value, each.low, each.high] for n, each in points]
        finish(axes, "training houses", f"success, {challenge.title.lower()}", legend=place == len(shown))
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted({_count(arm) for arms in _lines(results).values() for arm in arms}))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ends = "; ".join(f"{label}: {_course(each)}" for label, each in data.items())
    return [
        Figure(
            "figure-houses", "Success by the number of training houses", png(canvas),
            alt=f"Success against the number of training houses. {ends}.",
            caption="Success against the number of training houses, of agents that differ in that alone; 95% intervals.",
            data=data,
        )
    ]  # fmt: skip


def _course(found: dict[str, list[list[float]]]) -> str:
    """The first and the last point of a line, in words."""
    points = found[UNSEEN.name]
    return ", ".join(f"{point[1]:.1f}% in {point[0]:,.0f} houses" for point in (points[0], points[-1]))


def _lines(results: ComparisonResults) -> dict[str, list[Arm]]:
    """The agents that were trained in several numbers of houses, by what they have in common."""
    lines: dict[str, list[Arm]] = {}
    for arm in results.plan.arms[1:]:
        if arm.houses is not None:
            agent = arm.name.removesuffix(f"-{arm.houses.name}").upper()
            lines.setdefault(f"{agent}, mirror images too" if arm.houses.mirrored else agent, []).append(arm)
    return lines


def _count(arm: Arm) -> int:
    return arm.houses.count if arm.houses else 0
