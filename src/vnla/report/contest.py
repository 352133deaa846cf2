"""Agents side by side, as tables, a figure and a report.

document = contest_document(entries, command)
write(document, Path("out"))  # vnla.report.writing
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from vnla.evaluation.confidence import Interval, houses_note
from vnla.evaluation.contest import Entry, Pair, common, pairs, unit_of_gain
from vnla.evaluation.metrics import ENDINGS, Metric
from vnla.report import palette
from vnla.report.charts import LABEL, dot, in_percent, new_canvas, png, tidy
from vnla.report.document import (
    Document,
    Figure,
    Finding,
    Item,
    Provenance,
    ReportTable,
    Row,
    RowGroup,
    Section,
    Value,
    bound_text,
)

FIGURE = "figure-contest"
SMALL = ("success_rate", "room_success_rate", "nav_error", "spl", "requests")
"""The figures that a terminal shows where there are many pairs."""
_TEXT = """\
Every figure is worked out again from the walks; what the files themselves say is not used. Intervals are for other houses
and other tasks in them: they come from how much a figure changes when a house is left out. Two agents are compared on the
tasks that both have, and a house is left out on both sides, so that what is hard for both cancels out."""
WIDER_NOTE = (
    "They say what other houses with other tasks would give, so they are wider than the ± over seeds of the help budgets"
    " that `vnla evaluate` and Table 2 have."
)
ANY_BUDGET = "any budget; not comparable"
"""What stands beside figures of files whose help budgets were not held to a seed."""
_ANY_NOTE = (
    "Any budget: every help budget that some seed draws was allowed. Such figures must not be compared: who walks under"
    " several seeds can hand in, for each task, the walk that went best."
)
_PARTIAL_NOTE = (
    "Tasks without a record are in no figure (--partial). A file that leaves out tasks on which its agent fails looks better"
    " than the agent is; without --partial such tasks are failures (--lenient) or the file is refused."
)


def entries_table(entries: Sequence[Entry], name: str = "scores", command: str = "") -> ReportTable:
    """The figures of each entry, in columns."""
    measured = [metric for metric in entries[0].metrics if any(metric in entry.told() for entry in entries)]
    rows: list[Row | RowGroup] = [("tasks", *(_number_of(entry) for entry in entries))]
    rows.append(("budget seeds", *(_seeds_of(entry) for entry in entries)))
    rows.append(("forward", *(entry.forward for entry in entries)))
    rows += [(_title(each, entries[0].metrics[each]), *(_value(entry, each) for entry in entries)) for each in measured]
    for title, counts in {
        "wrong records, counted as failures": [len(entry.wrong) for entry in entries],
        "missing tasks, counted as failures": [len(entry.missing) for entry in entries],
        "records that say otherwise": [sum(claim.differ for claim in entry.claims) for entry in entries],
    }.items():
        if any(counts):
            rows.append((title, *counts))
    over = houses_note(*(len(set(entry.houses)) for entry in entries))
    note = f"{over} {WIDER_NOTE} {_walked(entries)}{_warnings(entries)}"
    title = f"Scores on {entries[0].split.replace('_', ' ')}{_doubt(entries)}"
    return ReportTable(name, title, ("", *(entry.name for entry in entries)), rows, note, command)


def _seeds_of(entry: Entry) -> str:
    """The seeds of an entry's help budgets, in few letters."""
    first, *others = entry.seeds
    return f"{first}" + (f" and {len(others)} more" if others and not entry.any_budget else "")


def _doubt(entries: Sequence[Entry]) -> str:
    """What a title says of figures that must not be compared."""
    return f" ({ANY_BUDGET})" if any(entry.any_budget for entry in entries) else ""


def _warnings(entries: Sequence[Entry]) -> str:
    """What a note says of budgets that were not held to a seed, and of tasks that were left out."""
    notes = {_ANY_NOTE: any(entry.any_budget for entry in entries), _PARTIAL_NOTE: any(map(_is_partial, entries))}
    return "".join(f" {note}" for note, holds in notes.items() if holds)


def _is_partial(entry: Entry) -> bool:
    return len(entry.tasks) < entry.of


def _walked(entries: Sequence[Entry]) -> str:
    """What files do not say, and that rules of `forward` must not be mixed up."""
    mixed = len({entry.forward for entry in entries}) > 1
    apart = " Numbers under two rules of forward must not be compared." if mixed else ""
    return f"Files do not say which sensors their agents have.{apart}"


def _number_of(entry: Entry) -> str:
    return f"{len(entry.tasks):,}" + (f" of {entry.of:,}" if _is_partial(entry) else "")


def _title(name: str, metric: Metric) -> str:
    return name if metric.unit == name else f"{name}, {metric.unit}"


def _value(entry: Entry, metric: str) -> Value | None:
    return Value.of(entry.figure(metric), entry.metrics[metric].unit) if metric in entry.told() else None


def claims_of(entry: Entry) -> list[str]:
    """What a file says otherwise than it is, in sentences."""
    return [
        f"{entry.path}: {claim.field} is wrong in {claim.differ:,} of {claim.said:,} records: {claim.first}"
        for claim in entry.claims
        if claim.differ
    ]


def pairs_table(
    found: Sequence[Pair], name: str = "differences", command: str = "", among: Collection[str] | None = None
) -> ReportTable:
    """What each pair differs by; in all figures, or in those `among` them."""
    rows: list[Row | RowGroup] = []
    for pair in found:
        rows.append(RowGroup(_versus(pair)))
        for metric in (each for each in pair.told() if among is None or each in among):
            unit = unit_of_gain(pair.one.metrics[metric])
            title = metric if unit == metric else f"{metric}, {unit}"
            rows.append((title, Value.of(pair.difference(metric), unit), _verdict(pair, metric)))
        for entry, count in zip((pair.one, pair.other), pair.only(), strict=True):
            rows.append((f"only {entry.name}, tasks", Value(count, digits=0 if count.is_integer() else 1), None))
    note = (
        "The second less the first, on the tasks that both have and in the same houses. Only one: tasks on which it succeeds"
        f" and the other does not; with several seeds, on average. {houses_note(*(len(set(pair.houses)) for pair in found))}"
    )
    entries = [entry for pair in found for entry in (pair.one, pair.other)]
    note = f"{note} {_walked(entries)}{_warnings(entries)}"
    return ReportTable(
        name, f"Differences within each pair{_doubt(entries)}", ("", "Difference", "Better"), rows, note, command
    )


def _versus(pair: Pair) -> str:
    of = f" of {pair.one.of:,}" if len(pair.tasks) < pair.one.of else ""
    return f"{pair.one.name} → {pair.other.name} ({len(pair.tasks):,}{of} tasks)"


def _verdict(pair: Pair, name: str) -> str | None:
    """Who is better, where the interval tells; nothing where neither is."""
    found, metric = pair.difference(name), pair.one.metrics[name]
    if metric.unit not in ("%", "m") or name in ("length", "budget_used", *ENDINGS):
        return None  # more steps, metres, requests or failures of one kind are neither good nor bad
    if not pair.comparable:
        return "not comparable"
    if math.isnan(found.low) or found.low <= 0 <= found.high:
        return "inconclusive"
    better = pair.other.name if (found.value > 0) != metric.lower_is_better else pair.one.name
    if abs(found.value) > (found.high - found.low) / 2:
        return better
    unit = unit_of_gain(metric)  # the interval is lopsided, and what is told of it, its mean width, would hold zero
    return f"{better} ({' to '.join(bound_text(bound, unit, (0.0,)) for bound in (found.low, found.high))})"


def findings(found: Sequence[Pair]) -> list[Finding]:
    """Whether the second of each pair succeeds more often than the first."""
    return [
        Finding.difference(
            f"{pair.other.name} succeeds more often than {pair.one.name}", *pair.difference("success_rate")[:3]
        )
        for pair in found
        if pair.comparable
    ]


def contest_canvas(entries: Sequence[Entry], found: Sequence[Pair]) -> Canvas:
    """Success rates on the left, differences on the right, with their intervals."""
    lines = max(len(entries), len(found))
    canvas = new_canvas(9.6, 1.1 + 0.34 * lines)
    left, right = canvas.add_subplot(1, 2, 1), canvas.add_subplot(1, 2, 2)
    shared = common(entries)
    rates = {entry.name: entry.figure("success_rate", shared or None) for entry in entries}
    _lines(left, rates, "success rate", palette.WALK)
    in_percent(left.xaxis)
    left.set_xlim(left=0)
    right.axvline(0, color=palette.WALL, linewidth=1)
    gains = {f"{pair.other.name} − {pair.one.name}": pair.difference("success_rate") for pair in found}
    _lines(right, gains, "points of success", palette.HELP)
    return canvas


def _lines(axes: Axes, figures: dict[str, Interval], what: str, colour: str) -> None:
    for y, found in enumerate(figures.values()):
        dot(axes, y, found, colour)
    axes.set_yticks(range(len(figures)), [_shown(name) for name in figures], parse_math=False)
    axes.set_ylim(len(figures) - 0.5, -0.5)
    tidy(axes)
    axes.set_xlabel(what, fontsize=LABEL, color=palette.INK)


def _shown(name: str) -> str:
    return name if len(name) <= 36 else f"{name[:35]}…"


def contest_figure(entries: Sequence[Entry], found: Sequence[Pair], canvas: Canvas) -> Figure:
    """The figure for a report."""
    shared = common(entries)
    rates = {entry.name: entry.figure("success_rate", shared or None) for entry in entries}
    gains = [(pair, pair.difference("success_rate")) for pair in found]
    words = ", ".join(f"{name} {rate.value:.1f}%" for name, rate in rates.items())
    more = ", ".join(f"{pair.other.name} less {pair.one.name} {gain.value:+.1f} points" for pair, gain in gains)
    among = "on the tasks that all have" if shared else "each on its own tasks"
    return Figure(
        FIGURE, "Success, and the differences within each pair", png(canvas),
        alt=f"Success rates: {words}. Differences: {more}.",
        caption=f"Left: success rates, {among}. Right: the differences within each pair, on the tasks that both have. Bars: "
        f"{houses_note(*(len(set(entry.houses)) for entry in entries))}",
        data={
            "success_rate": {name: rate._asdict() for name, rate in rates.items()},
            "differences": [{"one": pair.one.name, "other": pair.other.name, **gain._asdict()} for pair, gain in gains],
        },
    )  # fmt: skip


def contest_document(entries: Sequence[Entry], command: str, canvas: Canvas) -> Document:
    """The report on some entries; `canvas` is `contest_canvas` of them."""
    found = pairs(entries)
    said = [line for entry in entries for line in claims_of(entry)]
    items: list[Item] = [entries_table(entries, command=command), contest_figure(entries, found, canvas)]
    items += [pairs_table(found, command=command), *findings(found)]
    text = "\n\n".join([_TEXT, *filter(None, [_warnings(entries).strip()]), *said])
    settings = {
        entry.name: f"{entry.path}, {_number_of(entry)} tasks of {entry.split}, budget seeds: {_seeds_of(entry)}"
        for entry in entries
    }
    seeds = [seed for seed in entries[0].seeds if isinstance(seed, int)]
    origin = Provenance.collect(command, seeds=seeds, device="cpu", settings=settings)
    return Document("Agents side by side", _summary(entries, found), [Section("Scores", text, items)], origin)


def _summary(entries: Sequence[Entry], found: Sequence[Pair]) -> str:
    rates = ", ".join(f"{entry.name} {entry.figure('success_rate').value:.1f}%" for entry in entries)
    verdicts = [finding for finding in findings(found) if finding.holds is not None]
    return (
        f"Success on {entries[0].split.replace('_', ' ')}{_doubt(entries)}: {rates}."
        f" Of {len(found)} difference{'' if len(found) == 1 else 's'}, {len(found) - len(verdicts)}"
        f" {'is' if len(found) - len(verdicts) == 1 else 'are'} inconclusive."
    )
