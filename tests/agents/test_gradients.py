"""What learns from which loss."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from agents.small import (
    cottage_environment,
    drawn_episodes,
    end_goals_of,
    players_of,
    small_agent,
    start_of,
    voice_of,
)
from vnla.agents.encoder import InstructionEncoder
from vnla.agents.fast.cpu.state import CpuState
from vnla.agents.layers.cells import Recurrent
from vnla.agents.layers.deferred import DeferredLinear, collect_gradients
from vnla.agents.paper import PaperAgent
from vnla.agents.policy_state import Decision
from vnla.assistance.acting import BCUI
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_policies import AsTaught, AtFirst
from vnla.assistance.words import Utterance
from vnla.bcui import bcui
from vnla.rollout import Rollout
from vnla.words import Words
from vnla.world.actions import ASK_START, NAV_START
from vnla.world.compiled import Environment

KEYS = torch.arange(200, 230)


@pytest.fixture(scope="module")
def environment() -> Environment:
    return cottage_environment()


def trained_once(agent: PaperAgent, environment: Environment, seed: int = 3) -> Rollout:
    """A rollout with dropout, interventions and sampling, as in training."""
    torch.manual_seed(seed)
    context = players_of(agent.train(), environment, AsTaught(), BCUI)
    return bcui(drawn_episodes(environment, KEYS), context)


def gradients(agent: PaperAgent) -> dict[str, Tensor | None]:
    collect_gradients(agent)
    return {name: each.grad for name, each in agent.named_parameters()}


def touched(agent: PaperAgent) -> set[str]:
    return {name for name, gradient in gradients(agent).items() if gradient is not None and gradient.any()}


def one_by_one(encoder: InstructionEncoder, words: Words, state: list[Recurrent]) -> tuple[Tensor, list[Recurrent]]:
    """The encoder place for place, each sentence by itself."""
    rows = []
    after: list[list[Recurrent]] = []
    for row, length in enumerate(words.length.tolist()):
        now = [Recurrent(*(each[row : row + 1] for each in layer)) for layer in state]
        outputs = []
        for token in words.tokens[row, :length]:
            values = encoder.embedding(token[None])
            for layer, cell in enumerate(encoder.cells):
                now[layer] = cell(values, now[layer])
                values = now[layer].hidden
            outputs.append(values)
        rows.append(torch.nn.functional.pad(torch.cat(outputs), (0, 0, 0, words.tokens.shape[1] - length)))
        after.append(now)
    joined = [Recurrent(*(torch.cat(parts) for parts in zip(*layers, strict=True))) for layers in zip(*after, strict=True)]
    return torch.stack(rows), joined


@pytest.mark.parametrize("layers", [1, 2])
def test_deferring_changes_no_gradient_of_a_whole_rollout(
    environment: Environment, layers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CpuState, "suits", lambda _: False)
    monkeypatch.setattr(InstructionEncoder, "forward", one_by_one)  # which can do without deferring
    ours, theirs = (small_agent(4, dropout=0.3, layers=layers) for _ in range(2))
    loss = trained_once(ours, environment).nav_loss()
    loss.backward()
    deferred = gradients(ours)
    monkeypatch.setattr(DeferredLinear, "forward", nn.Linear.forward)
    expected = trained_once(theirs, environment).nav_loss()
    expected.backward()
    torch.testing.assert_close(loss, expected)
    for name, parameter in theirs.named_parameters():
        if parameter.grad is None:
            assert deferred[name] is None, name
        else:
            torch.testing.assert_close(deferred[name], parameter.grad, rtol=1e-4, atol=1e-5, msg=name)


def test_the_navigation_loss_reaches_all_of_the_navigation_module_and_nothing_else(environment: Environment) -> None:
    agent = small_agent(4)
    trained_once(agent, environment).nav_loss().backward()
    assert touched(agent) == {name for name, _ in agent.named_parameters() if name.startswith("navigation.")}


@pytest.mark.parametrize("trains", [True, False])
def test_the_help_loss_reaches_the_help_module_alone(environment: Environment, trains: bool) -> None:
    """The budget's embedding with it, unless the configuration says otherwise."""
    agent = small_agent(4, trains_budget_embedding=trains)
    trained_once(agent, environment).ask_loss(agent.ask).backward()
    expected = {name for name, _ in agent.named_parameters() if name.startswith("help.")}
    assert touched(agent) == expected - (set() if trains else {"help.budget_embedding.weight"})


def test_an_untrained_budget_embedding_stays_as_it_was_drawn(environment: Environment) -> None:
    for trains in (True, False):
        agent = small_agent(4, trains_budget_embedding=trains)
        before = agent.help.budget_embedding.weight.clone()
        optimizer = torch.optim.Adam(agent.parameters(), lr=0.1, weight_decay=0.1)
        rollout = trained_once(agent, environment)
        (rollout.nav_loss() + rollout.ask_loss(agent.ask)).backward()
        collect_gradients(agent)
        optimizer.step()
        assert torch.equal(agent.help.budget_embedding.weight, before) != trains


def test_only_embeddings_that_were_inputs_learn(environment: Environment) -> None:
    """Words that nobody heard and padding do not; nor does "no request yet", which only the first, untaught pass sees."""
    agent = small_agent(4)
    rollout = trained_once(agent, environment)
    rollout.nav_loss().backward()
    learned = gradients(agent)
    ask = learned["navigation.ask_embedding.weight"]
    assert not ask[ASK_START].any() and ask[0].any() and ask[1].any()
    words = learned["navigation.encoder.embedding.weight"]
    assert not words[0].any()
    said = {int(transition.heard[i]) for transition in rollout.transitions for i in transition.request.nonzero().squeeze(1)}
    table = voice_of(TemplateAdvisor()).phrases.tails
    heard = {int(token) for code in said for token in table.tokens[code, : table.length[code]]}
    heard |= {int(token) for row in end_goals_of(KEYS).tokens for token in row} | {1}
    assert {int(token) for token in words.any(dim=1).nonzero()} == heard - {0}


def test_pass_one_carries_no_gradient_and_its_result_does_not_enter_the_navigation_loss(environment: Environment) -> None:
    agent = small_agent(4)
    rollout = trained_once(agent, environment)
    assert not any(
        transition.tentative.requires_grad or transition.ask_features.requires_grad for transition in rollout.transitions
    )
    assert rollout.logits is not None and rollout.logits.requires_grad
    state = agent.begin(start_of(end_goals_of(KEYS), TemplateAdvisor()))
    nav, ask = torch.full_like(KEYS, NAV_START), torch.full_like(KEYS, ASK_START)
    first = state.see({"": torch.randn(len(KEYS), 8)}, nav).propose(ask)
    assert not first.logits.requires_grad


def test_errors_of_the_help_module_stop_at_its_inputs() -> None:
    """Whoever computes the inputs, and with gradients or not."""
    view, tentative, *ask_features = (torch.ones(2, size, requires_grad=True) for size in (8, 6, 12, 12))
    first = Decision(torch.zeros(2, 6), tuple(ask_features))
    assert not small_agent(1).ask_inputs({"": view}, tentative, first).requires_grad


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    """Along a random direction of all parameters, in float64: central difference against the sum of the gradients."""
    agent = small_agent(6, layers=2).double()
    start = start_of(end_goals_of(torch.arange(4)), TemplateAdvisor())
    generator = torch.Generator().manual_seed(1)
    views = torch.randn(4, 4, 8, generator=generator, dtype=torch.float64)
    taught = torch.randint(0, 6, (4, 4), generator=generator)

    def loss() -> Tensor:
        state, total = agent.begin(start), torch.zeros((), dtype=torch.float64)
        nav, ask = torch.full((4,), NAV_START), torch.full((4,), ASK_START)
        for step, view in enumerate(views):
            state = state.see({"": view}, nav)
            state.propose(ask)
            asked = torch.tensor([step == 1, step in (1, 2), step == 3, False])
            state = state.hear(asked, Utterance(taught[step] * 200, start.phrases))
            decoded, state = state.decide(asked.long())
            nav, ask = taught[step], asked.long()
            total = total + nn.functional.cross_entropy(decoded.logits, taught[step])
        return total

    loss().backward()
    slopes = gradients(agent)
    directions = {name: torch.randn(each.shape, generator=generator).double() for name, each in agent.named_parameters()}
    expected = sum(
        float((slopes[name].detach() * each).sum()) for name, each in directions.items() if slopes[name] is not None
    )
    values = []
    for sign in (1e-5, -2e-5):
        with torch.no_grad():
            for name, each in agent.named_parameters():
                if name != "navigation.encoder.embedding.weight":
                    each += sign * directions[name]
                else:
                    each[1:] += sign * directions[name][1:]  # padding never learns
            values.append(float(loss()))
    assert (values[0] - values[1]) / 2e-5 == pytest.approx(expected, rel=1e-6)


def test_losses_are_finite_and_so_are_gradients_where_actions_are_impossible(environment: Environment) -> None:
    """The rollout has blocked views and used-up budgets, whose log-probabilities are -inf."""
    agent = small_agent(4)
    torch.manual_seed(0)
    rollout = bcui(drawn_episodes(environment, KEYS), players_of(agent.train(), environment, AtFirst(), BCUI))
    assert any(torch.isneginf(transition.final).any() for transition in rollout.transitions)
    assert any((transition.budget == 0).any() for transition in rollout.transitions)
    loss = rollout.nav_loss() + rollout.ask_loss(agent.ask)
    loss.backward()
    assert math.isfinite(loss.item())
    assert all(each is None or bool(each.isfinite().all()) for each in gradients(agent).values())
