"""The agent against a plain reference of its equations (`reference.py`), in float64 and without dropout."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from agents.reference import Array, Layer, Pass, Reference, instruction, softmax
from agents.small import END_MARK, FIRST_WORD, WORDS, Numbered, small_agent, start_of
from vnla.agents.paper import PaperAgent
from vnla.agents.plain import PlainState
from vnla.agents.policy_state import Decision, Start
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.words import Phrases, Utterance
from vnla.words import Words
from vnla.world.actions import ASK_START, NAV_ACTIONS, NAV_START

CLOSE = 1e-10


def drawn(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def agent_of(seed: int, layers: int) -> PaperAgent:
    """An agent of odd sizes, all different, so that no two can be mistaken for each other."""
    sizes = {"hidden": 5 + seed % 3, "coverage": 2 + seed % 2, "help_layers": 1 + seed % 2, "largest_budget": 3}
    return small_agent(seed, layers=layers, view_size=9, word_embedding=4, **sizes).double().eval()


def end_goals(lengths: list[int], seed: int, padding: int = 0) -> Words:
    """Random end-goals; what stands in the padding is no word of theirs."""
    tokens = torch.randint(FIRST_WORD, WORDS, (len(lengths), max(lengths) + padding), generator=drawn(seed))
    return Words(tokens, torch.tensor(lengths))


class Single:
    """One agent of a batch, stepped by the reference, which encodes the whole instruction again for every subgoal."""

    def __init__(self, reference: Reference, end_goal: list[int]) -> None:
        self.reference, self.end_goal = reference, end_goal
        self.state: list[Layer] = reference.start()
        self.memory, self.coverage = self.read([])

    def read(self, said: list[int]) -> tuple[Array, Array]:
        memory = self.reference.encode(instruction(self.end_goal, said, END_MARK))
        return memory, np.zeros((len(memory), self.reference.config.coverage))

    def propose(self, view: Array, nav: int, ask: int) -> Pass:
        return self.reference.decode(view, nav, ask, self.state, self.memory, self.coverage)

    def decide(self, view: Array, nav: int, ask: int) -> Pass:
        decoded = self.reference.decode(view, nav, ask, self.state, self.memory, self.coverage)
        self.coverage = self.reference.cover(decoded, self.memory, self.coverage)
        self.state = decoded.state
        return decoded


def assert_same(decided: Decision, expected: Pass, state: PlainState, i: int) -> None:
    assert decided.attention is not None
    found = (decided.logits, *decided.ask_features, decided.attention)
    logits, decoder, attended, weights = (each[i].detach().numpy() for each in found)
    present = state.memory.present[i].numpy()
    np.testing.assert_allclose(logits, expected.logits, atol=CLOSE)
    np.testing.assert_allclose(decoder, expected.decoder, atol=CLOSE)
    np.testing.assert_allclose(attended, expected.attended, atol=CLOSE)
    np.testing.assert_allclose(weights[present], expected.weights, atol=CLOSE)
    assert not weights[~present].any()


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_five_steps_with_and_without_a_subgoal_follow_the_equations(seed: int, layers: int) -> None:
    """Some agents ask at some steps (some twice in a row, some never); the others' memory and coverage go on."""
    agent, generator = agent_of(seed, layers), drawn(seed)
    reference = Reference(agent)
    advisor = TemplateAdvisor(k=2)
    lengths = torch.randint(1, 8, (4,), generator=generator).tolist()
    goals = end_goals(lengths, seed)
    singles = [Single(reference, row[:n].tolist()) for row, n in zip(goals.tokens, lengths, strict=True)]
    start = start_of(goals, advisor)
    state = agent.begin(start)
    nav, ask = torch.full((4,), NAV_START), torch.full((4,), ASK_START)
    for step in range(5):
        view = torch.randn(4, 9, generator=generator, dtype=torch.float64)
        budget = torch.randint(0, 6, (4,), generator=generator)
        state = state.see({"": view}, nav)
        first = state.propose(ask)
        ask_features = agent.ask_inputs({"": view}, first.logits.softmax(dim=1), first)
        help_logits = agent.ask(ask_features, budget)
        for i, single in enumerate(singles):
            expected = single.propose(view[i].numpy(), int(nav[i]), int(ask[i]))
            assert_same(first, expected, state, i)
            wanted = reference.help(view[i].numpy(), softmax(expected.logits), expected, int(budget[i]))
            np.testing.assert_allclose(help_logits[i].detach().numpy(), wanted, atol=CLOSE)
        asked = torch.rand(4, generator=generator) < 0.5
        asked[0], asked[1] = step in (1, 2), False
        subgoal = torch.randint(0, advisor.silence, (4,), generator=generator)
        state = state.hear(asked, Utterance(subgoal, start.phrases))
        for i in asked.nonzero().squeeze(1).tolist():
            words = start.phrases.words
            said = words.tokens[subgoal[i], : words.length[subgoal[i]]].tolist()
            singles[i].memory, singles[i].coverage = singles[i].read(said)
        ask = asked.long()
        second, state = state.decide(ask)
        for i, single in enumerate(singles):
            expected = single.decide(view[i].numpy(), int(nav[i]), int(ask[i]))
            assert_same(second, expected, state, i)
            present = state.memory.present[i]
            np.testing.assert_allclose(state.memory.context[i, present].detach().numpy(), single.memory, atol=CLOSE)
            np.testing.assert_allclose(state.coverage[i, present].detach().numpy(), single.coverage, atol=CLOSE)
            for ours, theirs in zip(state.state, single.state, strict=True):
                np.testing.assert_allclose(ours.hidden[i].detach().numpy(), theirs.hidden, atol=CLOSE)
                np.testing.assert_allclose(ours.cell[i].detach().numpy(), theirs.cell, atol=CLOSE)
        nav = torch.randint(0, NAV_ACTIONS, (4,), generator=generator)


def test_the_reference_itself_attends_unevenly_and_covers() -> None:
    """Otherwise agreement would mean little: the inputs above must move what is compared."""
    agent = agent_of(1, 1)
    single = Single(Reference(agent), [5, 6, 7, 8])
    views = torch.randn(2, 9, generator=drawn(0), dtype=torch.float64).numpy()
    one, two = single.decide(views[0], NAV_START, 0), single.decide(views[1], 4, 1)
    assert np.ptp(one.weights) > 1e-3
    assert np.abs(single.coverage).max() > 1e-2
    assert np.abs(one.logits - two.logits).max() > 1e-1


def test_the_instruction_is_read_backwards_with_the_subgoal_last_and_the_end_mark_after_it() -> None:
    """ "turn left . find a bed ." is read as ". bed a find . left turn <end>"."""
    advisor = TemplateAdvisor(k=1)
    numbers = Numbered(tuple(advisor.words()))
    table = advisor.ready(numbers).phrases.tails
    left = table.tokens[0, : table.length[0]].tolist()
    assert left == [numbers["."], numbers["left"], numbers["turn"], END_MARK]
    assert table.tokens[advisor.silence, : table.length[advisor.silence]].tolist() == [END_MARK]
    find_a_bed = Words(torch.tensor([[50, 51, 52, 53, 9, 9]]), torch.tensor([4]))
    assert find_a_bed.backwards().tokens.tolist() == [[53, 52, 51, 50, 0, 0]]
    whole = instruction([50, 51, 52, 53], [numbers["turn"], numbers["left"], numbers["."]], END_MARK)
    assert whole == [53, 52, 51, 50, *left]


@pytest.mark.parametrize("layers", [1, 2])
def test_padding_changes_nothing(layers: int) -> None:
    """Three more columns of end-goal with words in them that do not count, and three more columns of subgoal."""
    agent, generator = agent_of(3, layers), drawn(3)
    goals = end_goals([2, 6, 1], seed=4)
    narrow = start_of(goals, TemplateAdvisor(k=2))
    said = narrow.phrases.words
    wider = Phrases(Words(torch.nn.functional.pad(said.tokens, (0, 3), value=7), said.length), END_MARK, str)
    padded = Words(torch.nn.functional.pad(goals.tokens, (0, 3), value=8), goals.length)
    views = torch.randn(4, 3, 9, generator=generator, dtype=torch.float64)
    outcomes = []
    for start in (narrow, narrow._replace(end_goals=padded, phrases=wider)):
        state, results = agent.begin(start), []
        nav, ask = torch.full((3,), NAV_START), torch.full((3,), ASK_START)
        for step, view in enumerate(views):
            state = state.see({"": view}, nav)
            first = state.propose(ask)
            ask = torch.tensor([step == 1, step == 2, False])
            state = state.hear(ask, Utterance(torch.tensor([5, 30, 11]), start.phrases))
            second, state = state.decide(ask.long())
            nav, ask = second.logits.argmax(dim=1), ask.long()
            results += [first.logits, second.logits, *second.ask_features]
        outcomes.append(torch.cat([each.flatten() for each in results]))
    torch.testing.assert_close(outcomes[0], outcomes[1], atol=CLOSE, rtol=0)


def test_an_agent_does_not_notice_how_long_its_batch_mates_end_goals_are() -> None:
    agent, together = agent_of(2, 1), end_goals([1, 7, 3], seed=6)
    start = start_of(together, TemplateAdvisor(k=2))
    view = torch.randn(3, 9, generator=drawn(1), dtype=torch.float64)
    nav, ask = torch.full((3,), NAV_START), torch.full((3,), ASK_START)
    all_three = agent.begin(start).see({"": view}, nav).propose(ask)
    for i, length in enumerate([1, 7, 3]):
        alone = Words(together.tokens[i : i + 1, :length], together.length[i : i + 1])
        state = agent.begin(start._replace(end_goals=alone)).see({"": view[i : i + 1]}, nav[:1])
        decoded = state.propose(ask[:1])
        torch.testing.assert_close(decoded.logits[0], all_three.logits[i], atol=CLOSE, rtol=0)


def test_hearing_touches_only_those_who_asked() -> None:
    """The asker's coverage is zero and its tail new; its end-goal's vectors, and all of its neighbour, stay."""
    agent, start = agent_of(5, 1), start_of(end_goals([3, 3], seed=1), TemplateAdvisor(k=2))
    state, table = agent.begin(start), start.phrases
    state = replace(state, coverage=torch.ones_like(state.coverage))
    after = state.hear(torch.tensor([True, False]), Utterance(torch.tensor([8, 8]), table))
    assert not after.coverage[0].any() and after.coverage[1].all()
    assert torch.equal(after.memory.context[1], state.memory.context[1])
    assert torch.equal(after.memory.present[1], state.memory.present[1])
    assert torch.equal(after.memory.context[0, :3], state.memory.context[0, :3])
    assert after.memory.present[0].sum() == 3 + table.tails.length[8]
    nobody = state.hear(torch.tensor([False, False]), Utterance(torch.tensor([8, 8]), table))
    assert torch.equal(nobody.coverage, state.coverage) and torch.equal(nobody.memory.context, state.memory.context)


def test_a_new_subgoal_replaces_the_one_before() -> None:
    """Told a long subgoal and then a short one, the memory is that of the short one alone."""
    agent, start = agent_of(4, 2), start_of(end_goals([4], seed=2), TemplateAdvisor(k=2))
    table, length = start.phrases, start.phrases.words.length
    long, short = int(length[:-1].argmax()), int(length[:-1].argmin())
    assert length[long] > length[short]
    state, asked = agent.begin(start), torch.tensor([True])
    twice = state.hear(asked, Utterance(torch.tensor([long]), table)).hear(asked, Utterance(torch.tensor([short]), table))
    once = state.hear(asked, Utterance(torch.tensor([short]), table))
    present = once.memory.present[0]
    assert torch.equal(twice.memory.present, once.memory.present)
    torch.testing.assert_close(twice.memory.context[0, present], once.memory.context[0, present], atol=CLOSE, rtol=0)


def test_requests_are_impossible_without_budget_and_large_budgets_share_an_embedding() -> None:
    agent = agent_of(1, 1)
    ask_features = torch.randn(1, agent.help.hidden[0].in_features - 4, generator=drawn(2), dtype=torch.float64).expand(
        5, -1
    )
    logits = agent.help(ask_features, torch.tensor([0, 1, 3, 4, 25]))
    assert torch.isneginf(logits[:, 1]).tolist() == [True, False, False, False, False]
    assert logits.softmax(dim=1)[0].tolist() == [1.0, 0.0]
    assert torch.equal(logits[2], logits[3]) and torch.equal(logits[2], logits[4])
    assert not torch.equal(logits[1], logits[2])


def test_dropout_reaches_every_input_in_training_and_nothing_in_evaluation() -> None:
    agent, view = small_agent(1, dropout=0.5), torch.randn(2, 8, generator=drawn(3))
    start: Start = start_of(end_goals([3, 2], seed=3), TemplateAdvisor(k=1))
    nav, ask = torch.full((2,), NAV_START), torch.full((2,), ASK_START)

    def once() -> Tensor:
        logits: Tensor = agent.begin(start).see({"": view}, nav).propose(ask).logits
        return logits

    assert not torch.equal(once(), once())
    agent.eval()
    assert torch.equal(once(), once())
