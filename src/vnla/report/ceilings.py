"""How much better agents could do, as tables, figures and a report.

document = ceilings_document([Entry("runs/learned", "test_unseen", found, pairs)], command, device="cpu")
write(document, Path("out"))  # vnla.report.writing
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from vnla.agents.sensor_notes import sensors_note, sensors_text
from vnla.evaluation.ceilings.lines import (
    ANYBODY,
    BEST,
    IF_WRONG,
    MEAN,
    NAV_TEACHER,
    NEVER,
    OWN,
    PLACEBO_BEST,
    PLACEBO_MEAN,
    RULES,
    WORST,
    Ceilings,
)
from vnla.evaluation.ceilings.requests import Pairs, RequestValue
from vnla.evaluation.confidence import houses_note
from vnla.report import palette
from vnla.report.charts import LABEL, dot, finish, in_percent, new_canvas, png, tidy
from vnla.report.document import Document, Figure, Provenance, ReportTable, Row, RowGroup, Section, Value

LINES: Mapping[str, Mapping[str, str]] = {
    "The agent": {OWN: "as it is"},
    "When it asks": {
        NEVER: "never",
        RULES: "as the help teacher does",
        IF_WRONG: "if its next action is wrong",
    },
    "In hindsight, of many walks": {
        WORST: "at the worst times",
        MEAN: "at any times (mean)",
        BEST: "at the best times",
        PLACEBO_BEST: "placebo: sampled actions, best",
        PLACEBO_MEAN: "placebo: sampled actions, mean",
    },
    "Asking as it does, it …": {
        "own_following": "follows every subgoal",
        "own_stopping": "stops where it should",
        "own_both": "does both",
    },
    "A scripted searcher sees …": {
        "search_view": "one view",
        "search_view_if_wrong": "one view; asks if wrong",
        "search_panorama": "a panorama",
        "search_panorama_if_wrong": "a panorama; asks if wrong",
    },
    "What the time allows": {NAV_TEACHER: "the navigation teacher", ANYBODY: "any walk at all"},
}
"""Heading → the lines below it, by name, and what they are called."""
HINDSIGHT = (WORST, BEST, PLACEBO_BEST)
"""Lines that are chosen among the walks of an episode after they have ended."""
DIVISIONS = {
    "agent": "The agent …",
    "rules": "The help teacher …",
    "requests": "Requests left",
    "metres": "To the nearest goal",
    "sureness": "Entropy of its decision",
    "time": "Time gone by",
    "goal": "The agent stands …",
    "room": "The room it is in",
}
"""Divisions of the states, and what is said above their parts."""
SMALL = ("agent", "requests", "metres", "sureness")
"""Those that a terminal shows."""
_DRAWN = ("time", "requests", "metres", "sureness")
_TEXT = """\
All lines but the last two groups are of the same agent, with one thing or another changed. “If its next action is wrong”: it
asks if and only if its most probable action is not the navigation teacher's, as long as a request is left. No agent knows
that; the line shows what it would be worth to this agent to know its own errors. An agent that follows every subgoal is led
by the navigation teacher for the actions of each. An agent that stops where it should stops as soon as that is a success,
and walks on where it would have stopped too early.

Lines in hindsight are chosen among many walks of an episode after these have ended. “At the best times” it asks by the
best of the schedules that were tried. The best of many walks is partly luck, whatever the walks differ in. So there is
a placebo: the best of as many walks in which the agent asks by its own help policy and its actions are sampled. Compare
the best times with the placebo, not with the agent.

The scripted searcher goes to the nearest place that it has seen and not been to, recognises without error a goal among the
neighbours that it sees, and follows advice to the letter. It has the same time and the same requests, and learns nothing. It
asks as soon as it has neither advice nor a goal in sight, or if its next action is wrong.

At each step at which the agent goes on and has a request left, it is made to ask, and made not to ask; after that it follows
its own help policy again. The difference is what asking is worth at that step. It is below zero where the request would
better have been kept."""


@dataclass(frozen=True)
class CeilingsEntry:
    """What was found for a run on a split."""

    run: str
    split: str
    found: Ceilings
    pairs: Pairs

    @property
    def title(self) -> str:
        """What it is about."""
        return f"{self.run}, {self.split.replace('_', ' ')}"


def lines_among(names: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the headings and lines of which there are figures under these `names`.

    The best times are left out where there is no placebo to stand beside them, as in files of earlier versions.
    """
    some = set(names) if {PLACEBO_BEST, PLACEBO_MEAN} <= set(names) else set(names) - {BEST}
    shown = {heading: {line: label for line, label in lines.items() if line in some} for heading, lines in LINES.items()}
    return {heading: lines for heading, lines in shown.items() if lines}


def ceilings_table(entry: CeilingsEntry, *, metres: bool = True, name: str = "ceilings", command: str = "") -> ReportTable:
    """Success under each condition, what it wins, and how many metres are left to a goal at the end."""
    found, rows = entry.found, list[Row | RowGroup]()
    for heading, lines in LINES.items():
        rows.append(RowGroup(heading))
        for line, label in lines.items():
            won = None if line == OWN else Value.of(found.won(line), "points")
            left = [Value.of(found.metres(line), "m")] if metres else []
            rows.append((label, Value.of(found.success(line), "%"), won, *left))
    columns = ("", "Success (%)", "Gained (points)", *(["Metres left"] if metres else []))
    return ReportTable(name, f"{entry.title}: how much better it could do", columns, rows, ceilings_note(found), command)


def ceilings_note(found: Ceilings) -> str:
    """What was tried, and what a sample may have missed."""
    houses, seeds = len(set(found.subject.houses.tolist())), len(found.seeds)
    text = (
        f"{_number(len(found.tasks), 'task')} in {_number(houses, 'house')} under {_number(seeds, 'seed')}."
        f" {houses_note(houses)} {found.mean_help_budget:.2f} requests an episode."
    )
    text = f"{text} {_agent_note(found)}"
    tried, there, sampled = int(found.schedules.tried.sum()), int(found.schedules.there.sum()), int(found.sampled.sum())
    if not sampled:
        return f"{text} All {there:,} schedules were tried."
    text = f"{text} {tried:,} of {there:,} schedules were tried: {_number(sampled, 'episode')} had too many."
    unsolved = int(found.unsolved.sum())
    if not unsolved:
        return f"{text} What was not tried cannot change the best."
    return (
        f"{text} In {unsolved:,} of them no tried schedule succeeded: with what was not tried the best times may give up to"
        f" {found.at_most:.1f}%. At 95%, at most {100 * found.missed:.1f}% of such an episode's schedules succeed."
    )


def worth_table(
    entry: CeilingsEntry, divisions: Sequence[str] = tuple(DIVISIONS), name: str = "requests", command: str = ""
) -> ReportTable:
    """What a request is worth, in all states and in parts of them."""
    pairs = entry.pairs
    shown = [pairs.worth("all")] if len(pairs) else []
    rows: list[Row | RowGroup] = [_worth_row(part) for part in shown]
    for by in divisions:
        parts = pairs.parts(by)
        shown += parts
        rows += [RowGroup(DIVISIONS[by]), *map(_worth_row, parts)] if parts else []
    over = houses_note(*(part.houses for part in shown)) if shown else ""
    note = f"Asking now against not asking now. {over}" if shown else "There was no request to make."
    return ReportTable(
        name,
        f"{entry.title}: what a request is worth",
        ("", "Success (points)", "Metres nearer", "States"),
        rows,
        note,
        command,
    )


def _worth_row(part: RequestValue) -> Row:
    return part.label, Value.of(part.success, "points"), Value.of(part.metres, "m"), part.states


def ceilings_figure(entry: CeilingsEntry, name: str = "figure-ceilings") -> Figure:
    """The success rates of all lines below each other."""
    places, labels, headings, at = [], [], [], 0.0
    for heading, lines in LINES.items():
        headings.append((at, heading))
        for line, label in lines.items():
            at += 1
            places.append((at, line))
            labels.append(label)
        at += 1.4
    canvas = new_canvas(7.2, 0.27 * at + 0.8)
    axes = canvas.add_subplot()
    own = entry.found.success(OWN)
    axes.axvline(own.value, color=palette.RULE, linewidth=1.2)
    for y, line in places:
        colour = palette.HELP if line == OWN else palette.QUIET_INK if line in HINDSIGHT else palette.WALK
        dot(axes, y, entry.found.success(line), colour)
    for y, heading in headings:
        axes.text(0.5, y, heading, fontsize=8.5, color=palette.QUIET_INK, va="center")
    axes.set_yticks([y for y, _ in places], labels)
    axes.set_ylim(at - 0.8, -0.7)
    axes.set_xlim(0, 100)
    in_percent(axes.xaxis)
    tidy(axes)
    axes.set_xlabel("success rate", fontsize=LABEL, color=palette.INK)
    words = ", ".join(
        f"{label} {entry.found.success(line).value:.1f}%" for (_, line), label in zip(places, labels, strict=True)
    )
    return Figure(
        name, f"{entry.title}: success under each condition", png(canvas),
        alt=f"Success rates: {words}.",
        caption=f"Success rate under each condition, with 95% intervals over {entry.found.success(OWN).over}. The line"
        " is the agent as it is. What is grey is chosen in hindsight: the best times stand beside their placebo.",
        data={line: entry.found.success(line)._asdict() for _, line in places},
    )  # fmt: skip


def worth_figure(entry: CeilingsEntry, name: str = "figure-requests") -> Figure:
    """What a request is worth by when, by where and by how sure the agent is."""
    canvas = new_canvas(9.2, 6.0)
    parts = {by: entry.pairs.parts(by) for by in _DRAWN}
    for number, (by, some) in enumerate(parts.items(), start=1):
        axes = canvas.add_subplot(2, 2, number)
        axes.axhline(0, color=palette.WALL, linewidth=1)
        for x, part in enumerate(some):
            dot(axes, x, part.success, palette.WALK, upright=True)
        axes.set_xticks(range(len(some)), [part.label.replace("more than", ">").replace("up to", "≤") for part in some])
        axes.tick_params(axis="x", rotation=30 if len(some) > 4 else 0)
        axes.set_xlim(-0.5, len(some) - 0.5)
        finish(axes, DIVISIONS[by], "points of success" if number % 2 else "", percent=False)
    words = [
        f"{DIVISIONS[by]}: {', '.join(f'{part.label} {part.success.value:+.1f}' for part in some)}."
        for by, some in parts.items()
    ]
    return Figure(
        name, f"{entry.title}: what asking now adds", png(canvas),
        alt=f"Points of success that asking now adds. {' '.join(words)}",
        caption="Points that asking now, rather than not now, adds to the success rate."
        f" {houses_note(*(part.houses for some in parts.values() for part in some))}",
        data={by: [part.as_dict() for part in entry.pairs.parts(by)] for by in entry.pairs.divisions},
    )  # fmt: skip


def ceilings_document(entries: Sequence[CeilingsEntry], command: str, device: str = "cpu") -> Document:
    """The report on some runs."""
    sections = []
    for number, entry in enumerate(entries, start=1):
        end = f"-{number}" if len(entries) > 1 else ""
        sections.append(
            Section(
                entry.title,
                _TEXT if number == 1 else "",
                [
                    ceilings_table(entry, name=f"ceilings{end}", command=command),
                    ceilings_figure(entry, f"figure-ceilings{end}"),
                    worth_table(entry, name=f"requests{end}", command=command),
                    *([worth_figure(entry, f"figure-requests{end}")] if len(entry.pairs) else []),
                ],
            )
        )
    walks = f"{sum(len(each.found.schedules.episode) for each in entries):,}"
    settings = {"episodes tried": f"{walks} schedules, and as many walks with sampled actions"}
    origin = Provenance.collect(command, seeds=entries[0].found.seeds, device=device, settings=settings)
    return Document("How much better the agent could do", _summary(entries), sections, origin)


def _summary(entries: Sequence[CeilingsEntry]) -> str:
    return "\n\n".join(map(_sentence, entries))


def _sentence(entry: CeilingsEntry) -> str:
    found = entry.found
    rate = {line: f"{found.success(line).value:.1f}%" for line in found.lines}
    return (
        f"{entry.title}: the agent succeeds in {rate[OWN]} of its episodes. It would succeed in {rate[IF_WRONG]} if it asked"
        f" whenever its next action is wrong, in {rate['own_following']} if it followed every subgoal, and in"
        f" {rate['own_stopping']} if it stopped where it should. A scripted searcher with a perfect detector succeeds in"
        f" {rate['search_view']} with one view and in {rate['search_panorama']} with a panorama; the navigation teacher, in"
        f" the same time, in {rate[NAV_TEACHER]}. In hindsight, asking at the best times gives {rate[BEST]}, and its placebo"
        f" of as many walks {rate[PLACEBO_BEST]}."
    )


def _agent_note(found: Ceilings) -> str:
    """Which sensors the agent has, and by which `forward` it walks."""
    sensors = ",".join(found.subject.context.sensors)
    forward = found.subject.tasks.environment.world.forward
    return f"Sensors: {sensors_text(sensors)}; forward {forward}. {sensors_note([sensors])}".strip()


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
