"""An interpreter: what somebody said becomes what agents know, and silence where nobody could understand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from cottage_players import TASKS, VOCABULARY, WORLD
from vnla.assistance.advisor import BoundAdvisor, TemplateAdvisor, tabulated
from vnla.assistance.words import Phrases, Utterance
from vnla.episode import StepContext, beginning
from vnla.houses.cottage import cottage
from vnla.language.interpreter import Houses, Interpreter
from vnla.language.sights import plain_sights
from vnla.language.surroundings import Surroundings
from vnla.language.wording import worded
from vnla.world.actions import Nav

SAID = ("um, turn left twice please", "xyzzy", "turn right", "")
HOUSES = Houses(WORLD, lambda _: Surroundings(cottage(), plain_sights(cottage())))


@dataclass(frozen=True)
class Somebody(BoundAdvisor):
    """Says the first to everybody, but to the second and the third something else."""

    phrases: Phrases

    def say(self, now: StepContext) -> Utterance:
        return Utterance((torch.arange(len(now.pose)) * (torch.arange(len(now.pose)) < 3)).clone(), self.phrases)


def test_what_was_meant_is_told_to_those_who_may_ask() -> None:
    somebody = Somebody(tabulated([["."], ["."], ["."], ()], VOCABULARY, SAID.__getitem__))
    voice = Interpreter.of(somebody, HOUSES, TemplateAdvisor(k=2), VOCABULARY)
    now = beginning(TASKS.episodes(torch.arange(6), seed=0, k=2))
    heard = voice.say(replace(now, budget=torch.tensor([1, 1, 1, 1, 0, 1])))
    told = [heard.table.text(row) for row in heard.index.tolist()]
    assert told[0] == told[3] == told[5] == "turn 60 degrees left ."
    assert told[1] == told[4] == "", "nobody knows what that means; and who has no request left is told nothing"
    assert told[2].startswith("turn") and "right" in told[2]
    assert heard.table.words.tokens.shape[1] == voice.phrases.words.tokens.shape[1], "all tables have as much room"


def test_plans_are_said_as_the_agents_own_advisor_says_them() -> None:
    plan = (Nav.LEFT, Nav.LEFT, Nav.STOP)
    assert worded(plan, TemplateAdvisor(k=3), VOCABULARY) == ("turn", "60", "degrees", "left", ",", "stop", ".")
    assert worded(plan, TemplateAdvisor(k=3, aggregate=False), VOCABULARY)[:5] == ("turn", "left", ",", "turn", "left")
    assert worded((), TemplateAdvisor(k=3), VOCABULARY) == ()


def test_who_is_careful_takes_half_a_sentence_for_nothing() -> None:
    careful, pose = replace(HOUSES, wholly=True), int(TASKS.start[0])
    assert careful.meant("turn left twice", pose, 2) == (Nav.LEFT, Nav.LEFT)
    assert HOUSES.meant("turn left xyzzy", pose, 2) and not careful.meant("turn left xyzzy", pose, 2)
    assert not careful.meant("", pose, 2)
