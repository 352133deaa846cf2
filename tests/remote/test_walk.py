"""A guest walks by the rules of the paper, and its errors cost it time and nothing else."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from cottage_players import TASKS, context
from remote.cottage_rules import KITCHEN, rules
from vnla.assistance.advisor import TemplateAdvisor
from vnla.observation import Observation
from vnla.remote.episode import EvaluationEpisode
from vnla.remote.evaluated_agent import Answer, Fault
from vnla.world.actions import Nav

LEFT, FORWARD, STOP, ASK = Answer(Nav.LEFT), Answer(Nav.FORWARD), Answer(Nav.STOP), Answer(None)
SURE = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
END_GOAL = "find a towel in the kitchen ."


def walked(walk: EvaluationEpisode, *answers: Answer | Fault) -> Observation:
    for answer in answers:
        walk.take(answer)
    return walk.observation()


def test_the_way_to_the_kitchen() -> None:
    walk = rules().begin(KITCHEN, 123)
    first = walk.observation()
    assert [first[key] for key in ("instruction", "end_goal", "time_left", "requests_left")] == [END_GOAL, END_GOAL, 25, 2]
    assert first["last"] is None and first["last_action"] is None and not first["has_requested"]
    now = walked(walk, LEFT, LEFT, LEFT, FORWARD)
    assert (now["time_left"], now["step"], now["turn"]) == (21, 4, 4)
    assert now["last"] is not None and (now["last"]["outcome"], now["last"]["metres"]) == ("moved", 2.55)
    walked(walk, FORWARD, FORWARD, STOP)
    assert walk.over
    record = walk.record()
    assert record.path[-1][0] == "kitchen" and record.actions[-1] == "stop"
    assert record.errors == () and record.said == (None,) * 7


def test_a_request_takes_no_time_and_is_heard_before_the_action() -> None:
    walk = rules().begin(KITCHEN, 123)
    now = walked(walk, ASK)
    assert (now["time_left"], now["requests_left"], now["may_request"]) == (25, 1, False)
    assert now["advice"] == "turn 90 degrees left, go forward"
    assert now["instruction"] == f"turn 90 degrees left , go forward . {END_GOAL}"
    assert now["last"] is not None and now["last"]["outcome"] == "answered"
    now = walked(walk, LEFT)
    assert (now["time_left"], now["may_request"], now["turn"]) == (24, True, 2)
    assert walk.record().said == ("turn 90 degrees left, go forward",)


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([Fault.MALFORMED], Fault.MALFORMED),
        ([Fault.LATE], Fault.LATE),
        ([ASK, ASK], Fault.ASKED_TWICE),
        ([ASK, LEFT, ASK, LEFT, ASK], Fault.NO_BUDGET),
    ],
)
def test_a_wrong_answer_costs_the_step(answers: list[Answer | Fault], kind: Fault) -> None:
    walk = rules().begin(KITCHEN, 123)
    before = walk.pose
    now = walked(walk, *answers)
    steps = sum(isinstance(each, Fault) or each.action is not None for each in answers) + (kind is not answers[-1])
    assert walk.record().errors == ((steps - 1, kind.value),)
    assert walk.record().actions[-1] is None
    assert now["last"] is not None and (now["last"]["outcome"], now["last"]["error"]) == ("error", kind)
    assert now["time_left"] == 25 - steps
    assert not walk.over and (steps > 1 or walk.pose == before)


def test_or_it_ends_the_episode() -> None:
    walk = rules(on_error="stop").begin(KITCHEN, 123)
    walk.take(Fault.MALFORMED)
    assert walk.over and walk.record().actions == ("stop",)


def test_forward_with_nothing_in_view_and_up_at_the_top_change_nothing() -> None:
    walk = rules().begin(KITCHEN, 123)
    while walk.observation()["may_go_forward"]:
        walk.take(LEFT)
    now = walked(walk, FORWARD)
    assert now["last"] is not None and (now["last"]["outcome"], now["last"]["metres"]) == ("stayed", 0)
    now = walked(walk, Answer(Nav.UP), Answer(Nav.UP))
    assert now["last"] is not None and now["last"]["outcome"] == "stayed"


def test_time_runs_out() -> None:
    walk = rules().begin(KITCHEN, 123)
    walked(walk, *[LEFT] * 24)
    assert not walk.over and walk.observation()["time_left"] == 1
    walk.take(LEFT)
    assert walk.over and len(walk.record().actions) == 25


def test_a_direct_advisor_acts_for_it() -> None:
    walk = rules(TemplateAdvisor(direct=True)).begin(KITCHEN, 123)
    now = walked(walk, ASK, STOP, STOP, STOP, STOP)
    assert walk.record().actions == ("left", "left", "left", "forward")
    assert now["last"] is not None and now["last"]["led"]
    walk.take(STOP)
    assert walk.over


def test_any_advisor_is_heard() -> None:
    """That of the example says how near the goal is, by a table of its own."""
    advisor = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "advisor.py"))["Warmer"]()
    walk = rules(advisor).begin(KITCHEN, 123)
    now = walked(walk, ASK)
    assert now["advice"] and now["instruction"].endswith(END_GOAL) and now["instruction"] != END_GOAL


def test_what_the_help_teacher_thinks_is_known_from_the_chances_only() -> None:
    walk = rules(ratio=0.16).begin(KITCHEN, 123)  # one request
    walked(walk, Answer(Nav.LEFT), Answer(Nav.LEFT, SURE), Answer(Nav.LEFT, (1 / 6,) * 6), ASK, LEFT, LEFT)
    assert walk.record().teacher == (None, "pass", "uncertain", None, "exceed")


def test_budgets_are_those_of_an_evaluation() -> None:
    from vnla.evaluation.evaluate import evaluate

    done = evaluate(context(), TASKS, seeds=(123, 435), ratio=0.3)
    found = [
        rules(ratio=0.3).begin(i, seed).observation()["requests_left"] for seed in (123, 435) for i in range(len(TASKS))
    ]
    assert found == done.trace.help_budget.tolist()
