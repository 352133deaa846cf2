"""The advisor: its plan is the teacher's next k actions, its words come from a table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import connected_houses
from vnla.assistance.advisor import Advisor, BoundAdvisor, Lexicon, TemplateAdvisor, tabulated
from vnla.assistance.phrases import FULL_STOP, every_subgoal, read_subgoal, subgoal_words, until_stop
from vnla.assistance.words import Phrases, Utterance
from vnla.camera import VIEWS, view_index
from vnla.common.errors import InputError
from vnla.episode import StepContext
from vnla.houses.cottage import cottage
from vnla.houses.house import House
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.world.actions import Nav
from vnla.world.compiled import Environment, World

L, R, U, D, F, S = Nav


def test_the_plan_is_the_teachers_next_k_actions_and_ends_with_stop() -> None:
    """On the stairs (see tests/test_world.py): from half-way facing 30 and up, the teacher does down, right, right, up,
    forward, forward, stop. At the bathroom only stop is left."""
    world = World.compile([cottage()])
    environment = Environment.compile(world, [("cottage", ["bathroom"])])
    middle = world.viewpoint("cottage", "stairs_middle") * VIEWS + view_index(2, 1)
    landing = world.viewpoint("cottage", "landing") * VIEWS + view_index(2, 3)
    advice = TemplateAdvisor(k=4)(environment, torch.tensor([middle, landing]), torch.tensor([0, 0]))
    assert advice.plan.tolist() == [[D, R, R, U], [F, S, S, S]]
    advisor = TemplateAdvisor(k=4)
    assert [advisor.text(code) for code in advice.subgoal.tolist()] == [
        "look down, turn 60 degrees right, look up",
        "go forward, stop",
    ]


def test_a_silent_direct_advisor_plans_but_says_nothing() -> None:
    world = World.compile([cottage()])
    environment = Environment.compile(world, [("cottage", ["bathroom"])])
    advisor = TemplateAdvisor(direct=True, speaks=False)
    advice = advisor(environment, torch.tensor([0]), torch.tensor([0]))
    assert advice.subgoal.tolist() == [advisor.silence]
    assert advisor.text(advisor.silence) == ""
    assert advice.plan.shape == (1, 4)


def test_an_advisor_that_can_do_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="neither speaks nor acts"):
        TemplateAdvisor(direct=False, speaks=False)
    with pytest.raises(InputError, match="k is 0"):
        TemplateAdvisor(k=0)
    with pytest.raises(InputError, match="k is 8, but a subgoal can describe 1 to 7 actions"):
        TemplateAdvisor(k=8)
    assert (TemplateAdvisor(k=1).silence, TemplateAdvisor(k=7).silence) == (6, 6**7)


def test_the_papers_advisor_speaks_of_four_actions_and_does_none() -> None:
    advisor = TemplateAdvisor()
    assert (advisor.k, advisor.direct, advisor.speaks, advisor.aggregate) == (4, False, True, True)


class Somebody(Advisor):
    """Says as little about itself as it may."""

    k = 2

    def words(self) -> list[str]:
        return ["hello"]

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> BoundAdvisor:
        return Greeting(tabulated([["hello"], ["hello", "hello"], []], lexicon, str, device))


@dataclass
class Greeting(BoundAdvisor):
    """Says the first row of its table to everybody."""

    phrases: Phrases

    def say(self, now: StepContext) -> Utterance:
        return Utterance(torch.zeros_like(now.pose), self.phrases)


def test_somebodys_advisor_speaks_and_does_not_act_and_its_voice_remembers_nothing_unless_it_says_so() -> None:
    advisor, vocabulary = Somebody(), Vocabulary((*SPECIAL, "hello"))
    assert advisor.speaks and not advisor.direct
    bound_advisor = advisor.ready_in(None, None, vocabulary)  # type: ignore[arg-type]  # the same in every world
    assert bound_advisor.captured and not bound_advisor.remembers
    hello, padding = vocabulary["hello"], vocabulary.padding
    assert bound_advisor.phrases.words.tokens.tolist() == [[hello, padding], [hello, hello], [padding, padding]]
    assert bound_advisor.phrases.words.length.tolist() == [1, 2, 0]
    assert tabulated([["hello"], []], vocabulary, str).words.tokens.tolist() == [[hello], [padding]]
    with pytest.raises(InputError, match="Somebody: what row 1 of its table said was not recorded"):
        advisor.text(1)


def test_a_voice_says_the_code_of_the_plan_from_where_the_agent_is() -> None:
    environment = Environment.compile(World.compile([cottage()]), [("cottage", ["bathroom"])])
    advisor = TemplateAdvisor(k=2)
    bound_advisor = advisor.ready(Vocabulary((*SPECIAL, *advisor.words())))
    pose, goals = torch.arange(0, 13 * VIEWS, 7), torch.zeros(67, dtype=torch.long)
    now = SimpleNamespace(pose=pose, episodes=SimpleNamespace(environment=environment, goals=goals))
    heard = bound_advisor.say(now)  # type: ignore[arg-type]
    assert heard.table is bound_advisor.phrases
    assert heard.index.tolist() == advisor.code(advisor(environment, pose, goals).plan).tolist()


@given(connected_houses(), st.data())
@settings(deadline=None, max_examples=40)
def test_the_text_read_back_gives_the_plan_and_the_plan_leads_nearer(house: House, data: st.DataObject) -> None:
    world = World.compile([house])
    environment = Environment.compile(world, [("random", [house.viewpoints[-1].id])])
    pose = torch.tensor([data.draw(st.integers(0, len(house.viewpoints) * VIEWS - 1))])
    goals = torch.tensor([0])
    advisor = TemplateAdvisor(k=data.draw(st.integers(1, 5)), aggregate=data.draw(st.booleans()))
    advice = advisor(environment, pose, goals)
    plan = until_stop(advice.plan[0].tolist())
    assert read_subgoal(advisor.text(int(advice.subgoal))) == plan
    after = pose
    for action in plan:
        after = environment.step(after, torch.tensor([action]), goals)
    gained = environment.distance_left(pose, goals) - environment.distance_left(after, goals)
    assert float(gained) >= -1e-5
    assert (float(gained) > 0) == (Nav.FORWARD in plan)


@pytest.mark.parametrize("aggregate", [True, False])
def test_the_token_table_spells_every_subgoal(aggregate: bool) -> None:
    advisor = TemplateAdvisor(k=3, aggregate=aggregate)
    vocabulary = Vocabulary((*SPECIAL, *advisor.words()))
    phrases = advisor.ready(vocabulary).phrases
    table = phrases.words
    for plan in product(Nav, repeat=3):
        code = int(advisor.code(torch.tensor(plan)))
        words = [vocabulary.words[token] for token in table.tokens[code, : table.length[code]].tolist()]
        assert words == [*subgoal_words(plan, aggregate=aggregate), "."]
        assert advisor.plan(code) == plan
        assert phrases.text(code) == advisor.text(code)
    assert TemplateAdvisor(k=1).code(torch.tensor([[F], [L]])).tolist() == [F, L]
    assert table.length[advisor.silence] == 0 and phrases.silence == advisor.silence


@pytest.mark.parametrize("aggregate", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_its_words_are_those_of_all_that_it_may_say(k: int, aggregate: bool) -> None:
    said = {word for subgoal in every_subgoal(k, aggregate=aggregate) for word in subgoal}
    assert TemplateAdvisor(k=k, aggregate=aggregate).words() == sorted(said | {FULL_STOP})


def test_a_vocabulary_that_lacks_a_word_is_refused_with_the_word() -> None:
    with pytest.raises(InputError, match="'degrees'"):
        TemplateAdvisor().ready(Vocabulary((*SPECIAL, *(word for word in TemplateAdvisor().words() if word != "degrees"))))
