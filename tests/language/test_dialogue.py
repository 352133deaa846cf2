"""A question back: two readings that tie are told apart in words, the answer chooses, and it is paid for by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
import torch

from cottage_players import FOLLOWING, TASKS, VOCABULARY, WORLD, context
from cottage_poses import AROUND
from vnla import episode
from vnla.assistance.advisor import BoundAdvisor, TemplateAdvisor, tabulated
from vnla.assistance.help_policies import AtFirst
from vnla.assistance.words import Phrases, Utterance
from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.episode import StepContext, beginning
from vnla.evaluation.evaluate import greedy
from vnla.language.asking import AskingInterpreter
from vnla.language.dialogue import Asking, ask_back, choice_among, choice_of, plain_clauses, without_what_tells_apart
from vnla.language.interpreter import Houses
from vnla.language.readings import readings, with_sides
from vnla.language.registry import advisor_named
from vnla.serve.hearing import spoken_into, with_persons
from vnla.stepper import EpisodeStepper
from vnla.world.actions import Nav

HOUSES = Houses(WORLD, lambda _: AROUND)
LEVEL = 14  # the first viewpoint, looking level


def test_a_turn_without_its_side_has_both_readings() -> None:
    found = readings("turn 60 degrees", AROUND, LEVEL, AROUND.after)
    assert {each.plan for each in found[:2]} == {(Nav.LEFT,) * 2, (Nav.RIGHT,) * 2}
    assert abs(found[0].cost - found[1].cost) <= Asking.margin


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("turn left", ["turn left"]),
        ("turn 60 degrees", ["turn left 60 degrees", "turn right 60 degrees"]),
        (
            "turn left, then turn 60 degrees",
            ["turn left, then turn left 60 degrees", "turn left, then turn right 60 degrees"],
        ),
        ("xyzzy", ["xyzzy"]),
        ("", [""]),
    ],
)
def test_sides_that_nobody_told(text: str, told: list[str]) -> None:
    """None is completed that the reader reads with both sides by itself."""
    assert with_sides(text) in ([text], told)


def asked(text: str, margin: float = 0.3) -> object:
    return ask_back(readings(text, AROUND, LEVEL, AROUND.after), AROUND, LEVEL, Asking(margin=margin))


def test_what_is_plain_is_not_asked_about() -> None:
    assert asked("turn left 60 degrees") is None and asked("xyzzy") is None and asked("") is None


def test_a_question_names_what_differs() -> None:
    question = ask_back(readings("turn 60 degrees", AROUND, LEVEL, AROUND.after), AROUND, LEVEL, Asking())
    assert question is not None and {*question.choices} == {"turn left", "turn right"}
    assert str(question) == f"{question.choices[0]}, or {question.choices[1]}?"
    left = question.choices.index("turn left")
    assert choice_of("to the left, please", question) == left and choice_of("neither", question) is None
    end = AROUND.after(AROUND.after(LEVEL, Nav.LEFT), Nav.LEFT)
    assert question.right((Nav.LEFT, Nav.LEFT), end) == left
    assert question.right((Nav.FORWARD,), LEVEL + 1000) is None


CHOICES = ("the sofa on the left", "the sofa behind you", "go forward", "go forward, turn slightly left")


@pytest.mark.parametrize(
    ("answer", "choice"),
    [
        ("the sofa behind you", 1),
        ("The one BEHIND me!", 1),
        ("go forward", 2),
        ("go forward, turn slightly left.", 3),
        ("the second", 1),
        ("3", 2),
        ("neither", None),
        ("", None),
        ("\x00<b>你好</b>" * 1000, None),
    ],
)
def test_how_answers_choose(answer: str, choice: int | None) -> None:
    assert choice_among(answer, CHOICES) == choice


def test_what_tells_apart_is_left_out_where_the_rest_is_understood() -> None:
    shorter = without_what_tells_apart("turn 60 degrees left, go through the second door on the right")
    assert shorter == "turn 60 degrees, go through the door"
    assert without_what_tells_apart("left, please") == "left, please", "nothing would be left"
    assert plain_clauses((Nav.LEFT, Nav.LEFT, Nav.FORWARD)) == ["turn 60 degrees left", "go forward"]


@dataclass(frozen=True)
class Vague(BoundAdvisor):
    """Says to everybody to turn, and not to which side."""

    phrases: Phrases
    asked: list[Sequence[str]]

    def say(self, now: StepContext) -> Utterance:
        return Utterance(torch.zeros_like(now.pose), self.phrases)

    def answer(self, now: StepContext, row: int, choices: Sequence[str], right: int | None) -> str:
        self.asked.append(choices)
        return super().answer(now, row, choices, right)


def interpreter(asking: Asking | None, text: str = "turn 60 degrees") -> tuple[AskingInterpreter, list[Sequence[str]]]:
    heard: list[Sequence[str]] = []
    vague = Vague(tabulated([["."], ()], VOCABULARY, lambda row: (text, "")[row]), heard)
    return AskingInterpreter.of(vague, HOUSES, TemplateAdvisor(k=2), VOCABULARY, asking), heard


def two_turns(side: Nav) -> tuple[int, str]:
    """A task that begins with two turns to a side, and what the paper's advisor says there."""
    now = beginning(TASKS.episodes(torch.arange(len(TASKS)), seed=0, k=2))
    actions, _ = now.episodes.environment.taught_way(now.pose, now.episodes.goals, 2)
    row = (torch.stack(actions, dim=1) == int(side)).all(dim=1).nonzero().flatten().tolist()[0]
    return row, f"turn 60 degrees {side.name.lower()}"


@pytest.mark.parametrize("side", [Nav.LEFT, Nav.RIGHT])
def test_the_answer_chooses_and_costs(side: Nav) -> None:
    row, phrase = two_turns(side)
    for price in (0, 1, 2):
        bound, questions = interpreter(Asking(price=price))
        episodes = replace(TASKS.episodes(torch.tensor([row]), seed=0, k=2), help_budget=torch.tensor([3]))
        stepper = EpisodeStepper(episodes, TemplateAdvisor(k=2), bound)
        assert stepper.request(torch.tensor([True])) == [phrase]
        assert stepper.state.requests_left.tolist() == [3 - 1 - price]
        assert [{*each} for each in questions] == [{"turn left", "turn right"}]
        assert bound.account == {"asked back": 1}


def test_who_cannot_pay_does_not_ask() -> None:
    row, _ = two_turns(Nav.LEFT)
    for asking, budget in ((Asking(price=1), 1), (None, 3)):
        bound, questions = interpreter(asking)
        episodes = replace(TASKS.episodes(torch.tensor([row]), seed=0, k=2), help_budget=torch.tensor([budget]))
        stepper = EpisodeStepper(episodes, TemplateAdvisor(k=2), bound)
        assert stepper.request(torch.tensor([True])) != [None] and not questions
        assert stepper.state.requests_left.tolist() == [budget - 1]


def test_algorithm_1_charges_the_same() -> None:
    """Agents that ask at first, as often as they may: a question takes the place of the next request."""
    bound, questions = interpreter(Asking(price=1))
    players = replace(context(FOLLOWING, AtFirst(), TemplateAdvisor(k=2)), bound_advisor=bound, deliberate=False)
    some = torch.arange(0, len(TASKS), 3)  # what they are asked back takes long
    rollout = bcui(TASKS.episodes(some, seed=0, k=2), players)
    budget, request, active = (rollout.table(name) for name in ("budget", "request", "active"))
    assert questions
    for row in range(len(some)):
        left = budget[row][active[row]].tolist()
        spent = [before - after for before, after in pairwise(left)]
        assert {*spent} <= {0, 1, 2} and all(
            bool(cost) == asks for cost, asks in zip(spent, request[row].tolist(), strict=False)
        )
    steps = [before - after for row in budget.tolist() for before, after in pairwise(row) if after >= 0]
    assert steps.count(2) == len(questions)


def test_a_person_is_paid_for_alike() -> None:
    """What a person was asked back at a step is charged there, and nowhere else."""
    players = context(FOLLOWING, AtFirst(), TemplateAdvisor(k=2))
    plain = TASKS.episodes(torch.arange(2), seed=0, k=2)
    plain = replace(plain, help_budget=torch.tensor([3, 3]))
    episodes, said = spoken_into(plain, [{0: "turn left"}, {0: "turn left"}], [False, False], 40, [{0: 1}, {}])
    listening, listener = with_persons(players, said, VOCABULARY, 1)
    with torch.inference_mode(), greedy(listener):
        budget = bcui(episodes, replace(listening, deliberate=False), longest=40).table("budget")
    assert budget[:, :2].tolist() == [[3, 1], [3, 2]]


def test_the_rule() -> None:
    state = episode.start(TASKS.episodes(torch.arange(2), seed=0), k=4)
    state = replace(state, requests_left=torch.tensor([3, 2]))
    after = episode.request(state, torch.tensor([True, False]), torch.tensor([1, 1]))
    assert after.requests_left.tolist() == [1, 2], "who does not ask pays nothing"
    assert episode.may_ask_back(state.requests_left, 2).tolist() == [True, False]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"speaker": "dialogue"}, "another one is not its speaker"),
        ({"speaker": "nobody"}, "advisor nobody: unknown"),
        ({"words_of": "latin"}, "words_of is 'latin'; choose from template, grammar"),
        ({"options": [1]}, "options is "),
        ({"price": -1}, "price -1: must be a whole number from 0 to 100"),
        ({"margin": "wide"}, "margin 'wide': must be a number"),
    ],
)
def test_odd_options_are_one_line(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        advisor_named("dialogue", options)


def test_where_it_cannot_be() -> None:
    own = advisor_named("dialogue", k=2)
    with pytest.raises(InputError, match="advisor dialogue: reads what is said in the houses"):
        own.ready(VOCABULARY)
