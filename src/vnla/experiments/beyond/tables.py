"""Table B1: how often each agent succeeds. B2: what each part adds. B3: what is left to win. B4: how each was trained."""

from __future__ import annotations

from collections.abc import Iterator

from vnla.agents.config import AgentConfig
from vnla.evaluation.confidence import few_houses
from vnla.experiments.beyond.arms import BEST, LEARNED, PARTS
from vnla.experiments.beyond.evaluations import FRESH, UNSEEN, Challenge, read_ceilings
from vnla.experiments.beyond.results import Results
from vnla.experiments.paper.findings import gains, gains_least
from vnla.experiments.paper.peers import NOTE, PEERS
from vnla.report.ceilings import LINES
from vnla.report.document import UNKNOWN, Finding, Group, Item, Row, Table, Value
from vnla.training.config import RunConfig

AIM = 10.0
"""Points by which BEST is to beat LEARNED."""


def agents(results: Results, command: str = "") -> list[Item]:
    """Table B1 and what it shows."""
    plan, rows = results.plan, list[Row | Group]()
    for challenge in plan.challenges:
        rows.append(Group(challenge.title))
        rows += [_agent_row(results, arm.name, arm.title, challenge) for arm in plan.arms]
        rows += [_agent_row(results, peer, title, challenge) for peer, title in PEERS.items() if plan.peers]
    columns = ["Agent", "Success (%)", "Over LEARNED (points)", "Navigation error (m)", "Requests", "Each training (%)"]
    what = " ".join([*(f"{arm.title}: {arm.adds}." for arm in plan.arms), *([NOTE] if plan.peers else [])])
    title = "Table B1: how often each agent succeeds"
    return [Table("table-b1", title, columns, rows, f"{what} {note(results)}", command), *_agent_findings(results)]


def _agent_row(results: Results, name: str, title: str, challenge: Challenge) -> Row:
    values = results.values(name, challenge)
    each = None if name in PEERS else " · ".join(f"{rate:.1f}" for rate in values.mean(axis=1))
    over = None if name == LEARNED else Value.of(results.gain(name, LEARNED, challenge), "points")
    error, requests = (
        Value(float(results.values(name, challenge, metric).mean()), unit=unit)
        for metric, unit in (("nav_error", "m"), ("requests", ""))
    )
    return title, Value.of(results.figure(name, challenge), "%"), over, error, requests, each


def _agent_findings(results: Results) -> Iterator[Finding]:
    plan = results.plan
    if not plan.has(BEST):
        return
    for challenge in plan.challenges:
        found = results.gain(BEST, LEARNED, challenge)
        if challenge.name in (UNSEEN.name, FRESH):
            claim = f"BEST succeeds at least {AIM:g} points more often than LEARNED {challenge.where}"
            yield gains_least(claim, found, AIM)
        yield gains(f"BEST succeeds more often than LEARNED {challenge.where}", found)


def parts(results: Results, command: str = "") -> list[Item]:
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
        f"Points of success that one agent has over another, which differs from it in that alone; with senses goes, in"
        f" training, the time of evaluation. {note(results)}"
    )
    return [Table("table-b2", "Table B2: what each part adds", columns, rows, text, command), *findings] if rows else []


def ceilings(results: Results, command: str = "") -> list[Item]:
    """Table B3: what is left to win for LEARNED and for BEST."""
    arms = [arm for arm in (LEARNED, BEST) if results.plan.has(arm)]
    found = {arm: read_ceilings(results.layout.ceilings(arm)) for arm in arms}
    rows: list[Row | Group] = []
    for heading, lines in LINES.items():
        rows.append(Group(heading))
        rows += [(label, *(_share(found[arm]["lines"][line]) for arm in arms)) for line, label in lines.items()]
    first = found[LEARNED]
    text = (
        f"Success rates on {first['tasks']:,} tasks of {UNSEEN.title} in {first['houses']} houses, one seed of the help"
        f" budgets, the first training of each agent; at most {results.plan.scale.schedules:,} sets of times to ask tried in"
        f" an episode. {'95% intervals over houses.' if first['houses'] > 1 else 'One house has no interval.'}"
        f" {few_houses(first['houses'])}"
    ).strip()
    columns = ["", *(f"{arm.upper()} (%)" for arm in arms)]
    return [Table("table-b3", "Table B3: what is left to win", columns, rows, text, command)]


def _share(line: dict[str, dict[str, float | None]]) -> Value:
    found = line["success"]
    value, low, high = (found[name] for name in ("value", "low", "high"))
    return Value(float("nan") if value is None else value, low, high, "%")


def trainings(results: Results, command: str = "") -> list[Item]:
    """Table B4: how each agent was trained, phase by phase, from the configurations that were used."""
    rows: list[Row | Group] = []
    for arm in results.plan.arms:
        rows.append(Group(f"{arm.title}: {arm.adds}"))
        rows += [_phase_row(results.config(phase.name)) for phase in arm.phases]
    columns = ["Learns by", "Iterations", "Batch", "Episodes", "Learning rate", "Cooldown", "Dropout", "Senses"]
    text = (
        f"Each phase begins with the agent of the one above it; phases that agents share were trained once. All agents have"
        f" {results.plan.scale.iterations:,} iterations in all. In the phase worth every episode is run twice."
    )
    return [Table("table-b4", "Table B4: how each agent was trained", columns, rows, text, command)]


def _phase_row(config: RunConfig) -> Row:
    training = config.training
    episodes = training.iterations * training.batch * (2 if config.objective == "worth" else 1)
    dropout = config.agent_options.get("dropout", AgentConfig.dropout)
    numbers = [f"{each:g}" for each in (training.learning_rate, training.cooldown, dropout)]
    return config.objective, training.iterations, training.batch, episodes, *numbers, config.sensors or UNKNOWN


def note(results: Results) -> str:
    """What the intervals say, and what they do not."""
    plan = results.plan
    few = few_houses(min(len(set(results.houses(challenge).tolist())) for challenge in plan.challenges))
    if plan.trainings == 1:
        return (
            "Each agent was trained once: intervals are 95% over houses and the tasks in them, and do not say what another"
            f" training would give. {few}"
        ).strip()
    return f"Intervals are 95% over {plan.trainings} trainings of each agent, houses, and the tasks in them. {few}".strip()
