"""The agent for a whole batch of fixed size, in plain PyTorch on a CPU: the same agent, with the same gradients."""

from __future__ import annotations

import sys

import pytest
import torch
from torch import Tensor, nn

from agents.fast.streams import Streams
from agents.small import end_goals_of, small_agent, start_of
from vnla.agents.fast.gpu.kernels import reading
from vnla.agents.fast.gpu.kernels.walk import Halves
from vnla.agents.fast.gpu.state import CudaGraphState
from vnla.agents.layers.deferred import collect_gradients
from vnla.agents.paper import PaperAgent
from vnla.agents.policy_state import PolicyState
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.words import Utterance
from vnla.world.actions import ASK_START, NAV_START

EPISODES, STEPS, REQUESTS = 4, 4, 2
VIEW, SENSE = 8, 3
ASKED = [(False, False, True, False), (True, True, False, False), (False, True, False, False), (False, False, True, False)]
START = start_of(end_goals_of(torch.arange(EPISODES)), TemplateAdvisor(), STEPS, REQUESTS)
TABLE = START.phrases


def agent_with(**sizes: float | bool) -> PaperAgent:
    """An agent whose view is not of the length that a GPU likes."""
    return small_agent(6, **{"view_size": VIEW + SENSE, **sizes})


def script(dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Views and what the teacher does, by which the subgoals are numbered, too."""
    generator = torch.Generator().manual_seed(1)
    views = torch.randn(STEPS, EPISODES, VIEW + SENSE, generator=generator, dtype=torch.float64).to(dtype)
    return views, torch.randint(0, 6, (STEPS, EPISODES), generator=generator)


def begun(agent: PaperAgent, as_on_a_gpu: bool) -> PolicyState:
    if as_on_a_gpu:
        return CudaGraphState.begin(agent.navigation, START)
    return agent.begin(START)


def run(agent: PaperAgent, as_on_a_gpu: bool, deliberate: bool = True) -> tuple[Tensor, list[Tensor]]:
    """The loss of a walk in which agents ask as `ASKED` says, and what both passes decided, or the second alone."""
    views, taught = script(agent.navigation.output.weight.dtype)
    state = begun(agent, as_on_a_gpu)
    nav, ask = torch.full((EPISODES,), NAV_START), torch.full((EPISODES,), ASK_START)
    logits, finals = [], []
    for step, view in enumerate(views):
        asked = torch.tensor(ASKED[step])
        may_ask = torch.ones_like(asked) if deliberate else asked
        heard = state.read(may_ask, lambda step=step: Utterance(taught[step] * 200, TABLE))
        state = state.see({"view": view[:, :VIEW], "sense": view[:, VIEW:]}, nav)
        if deliberate:
            logits.append(state.propose(ask).logits)
        state = state.hear(asked, heard)
        second, state = state.decide(asked.long())
        nav, ask = taught[step], asked.long()
        logits.append(second.logits)
        finals.append(second.logits)
    together = state.recall()
    final = torch.cat(finals) if together is None else together
    return nn.functional.cross_entropy(final, taught.flatten(), reduction="sum"), logits


def learned(agent: PaperAgent) -> dict[str, Tensor | None]:
    collect_gradients(agent)
    return {name: each.grad for name, each in agent.named_parameters()}


def test_the_whole_batch_decides_and_learns_as_its_episodes_do() -> None:
    results = []
    for as_on_a_gpu in (False, True):
        agent = agent_with().double()
        loss, logits = run(agent, as_on_a_gpu)
        loss.backward()
        results.append((loss.detach(), logits, learned(agent)))
    (plain, its_logits, its_slopes), (batched, logits, slopes) = results
    torch.testing.assert_close(batched, plain)
    torch.testing.assert_close([each.detach() for each in logits], [each.detach() for each in its_logits])
    for name, slope in its_slopes.items():
        if name.startswith("navigation."):
            torch.testing.assert_close(slopes[name], slope, msg=name)


def test_without_the_first_pass_the_second_is_the_same() -> None:
    """With dropout, too: what it keeps is drawn at once, whoever uses it."""
    results = []
    for deliberate in (True, False):
        agent = agent_with(dropout=0.5).train()
        torch.manual_seed(8)
        loss, logits = run(agent, True, deliberate)
        loss.backward()
        finals = logits[1::2] if deliberate else logits
        results.append((loss.detach(), [each.detach() for each in finals], learned(agent)))
    (_, its_finals, _), (_, finals, _) = results
    assert len(its_finals) == len(finals) == STEPS
    torch.testing.assert_close(results[1], results[0])


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_the_gradient_of_the_whole_batch_is_the_slope_of_its_loss(dropout: float) -> None:
    """Along a random direction of all parameters, in float64; with dropout the same draws each time."""
    agent = agent_with(dropout=dropout).double().train()

    def loss() -> Tensor:
        torch.manual_seed(8)
        return run(agent, True)[0]

    loss().backward()
    slopes = learned(agent)
    generator = torch.Generator().manual_seed(2)
    directions = {name: torch.randn(each.shape, generator=generator).double() for name, each in agent.named_parameters()}
    directions["navigation.encoder.embedding.weight"][0] = 0  # padding never learns
    expected = sum(float((slope * directions[name]).sum()) for name, slope in slopes.items() if slope is not None)
    values = []
    for by in (1e-5, -2e-5):
        with torch.no_grad():
            for name, each in agent.named_parameters():
                each += by * directions[name]
        values.append(float(loss().detach()))
    assert (values[0] - values[1]) / 2e-5 == pytest.approx(expected, rel=1e-6)


def test_dropout_changes_what_both_passes_decide_and_only_in_training() -> None:
    agent = agent_with(dropout=0.5)
    one, other = (torch.stack(run(agent.train(), True)[1]).detach() for _ in range(2))
    assert ((one - other).abs().amax(dim=(1, 2)) > 0).all()
    with torch.no_grad():
        still, again = (torch.stack(run_without_learning(agent.eval())) for _ in range(2))
    assert torch.equal(still, again)


def run_without_learning(agent: PaperAgent) -> list[Tensor]:
    """What both passes decide when nothing is to be learned from."""
    views, taught = script(torch.float32)
    state = begun(agent, True)
    assert isinstance(state, CudaGraphState)
    nav, ask, logits = torch.full((EPISODES,), NAV_START), torch.full((EPISODES,), ASK_START), []
    for view, action in zip(views, taught, strict=True):
        state = state.see({"view": view[:, :VIEW], "sense": view[:, VIEW:]}, nav)
        first = state.propose(ask)
        second, state = state.decide(torch.zeros_like(action))
        logits += [first.logits, second.logits]
    assert state.recall() is None
    return logits


def test_what_nobody_asked_for_leaves_no_trace() -> None:
    """Readings for those who do not ask are written over; the loss and its gradients are those without them."""
    results = []
    for read in (True, False):
        agent = agent_with().double()
        views, taught = script(torch.float64)
        state = begun(agent, True)
        nav, ask = torch.full((EPISODES,), NAV_START), torch.full((EPISODES,), ASK_START)
        for view, action in zip(views, taught, strict=True):
            may_ask = torch.full((EPISODES,), read)
            state.read(may_ask, lambda action=action: Utterance(action * 200, TABLE))
            state = state.see({"view": view[:, :VIEW], "sense": view[:, VIEW:]}, nav)
            state.propose(ask)
            state = state.hear(torch.zeros(EPISODES, dtype=torch.bool), Utterance(action, TABLE))
            _, state = state.decide(torch.zeros_like(action))
        together = state.recall()
        assert together is not None
        together.logsumexp(dim=1).sum().backward()
        results.append(learned(agent))
    for name, slope in results[0].items():
        assert (slope is None) == (results[1][name] is None)
        if slope is not None:
            torch.testing.assert_close(slope, results[1][name], msg=name)


def test_mixed_precision_stays_outside() -> None:
    """Kernels want float32: a walk is the same to the last digit within a block of mixed precision."""
    agent = agent_with()
    plain, _ = run(agent, True)
    with torch.autocast("cpu", torch.bfloat16):
        mixed, _ = run(agent, True)
    assert torch.equal(plain, mixed)


@pytest.mark.skipif(sys.platform != "linux", reason="there is no Triton for this system")
@pytest.mark.skipif(torch.cuda.is_available(), reason="Triton interprets kernels where there is no GPU")
@pytest.mark.slow
def test_nothing_is_taken_from_another_stream_before_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """From packing the parameters to their gradients, with the kernels of a GPU. In a graph what is taken too early is what
    the iteration before had left there."""
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    streams = Streams()
    streams.watch(monkeypatch, "vnla.agents.fast.gpu.tape", "vnla.agents.fast.gpu.state")
    monkeypatch.setattr("vnla.agents.fast.gpu.tape._streams_of", lambda *_: ("beside", "ahead"))
    agent = agent_with(dropout=0.5, hidden=64, word_embedding=64).train()
    in_one_program(monkeypatch, agent.config.hidden)
    with streams:
        loss, _ = run(agent, True)
        loss.backward()
        collect_gradients(agent)
        with torch.no_grad():
            run(agent.eval(), True)
    assert not streams.too_early


def in_one_program(monkeypatch: pytest.MonkeyPatch, hidden: int) -> None:
    """Have Triton's interpreter read in one kernel, as a GPU does in tf32."""
    monkeypatch.setattr(Halves, "of", lambda weight: Halves(weight, weight.half(), None))
    monkeypatch.setattr(reading, "_UNITS", hidden)
    monkeypatch.setattr(reading, "processors", lambda _: 132)
