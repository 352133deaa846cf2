"""Words by their pieces."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from agents.small import WORDS, cottage_environment, drawn_episodes, players_of, small_agent
from vnla.agents.agent import Sizes
from vnla.agents.fast.cpu.state import CpuState
from vnla.agents.fast.gpu.state import CudaGraphState
from vnla.agents.fast.registry import is_ours
from vnla.agents.layers.deferred import collect_gradients
from vnla.agents.paper import PaperAgent, paper_agent
from vnla.agents.plain import PlainState
from vnla.agents.policy_state import PolicyState
from vnla.agents.spelling import SpelledEmbedding, pieces_of
from vnla.assistance.acting import BCUI
from vnla.assistance.help_policies import AsTaught
from vnla.bcui import bcui
from vnla.common.batching import Batching
from vnla.common.errors import InputError

SPELLED = ("<PAD>", "<UNK>", *(f"word{i * 7919 % 9973:x}" for i in range(WORDS - 2)))


def spelled_agent(**sizes: float) -> PaperAgent:
    agent = small_agent(pieces=64, **sizes)
    assert agent.meets(SPELLED)
    return agent


def test_the_pieces_of_a_word() -> None:
    assert pieces_of("sofa") == ["<so", "sof", "ofa", "fa>", "<sof", "sofa", "ofa>", "<sofa", "sofa>"]
    assert pieces_of("a") == ["<a>"]
    assert pieces_of("<EOS>") == [] and pieces_of("") == []


def test_a_word_is_its_own_vector_and_its_pieces_and_an_unknown_word_its_pieces() -> None:
    torch.manual_seed(0)
    table = SpelledEmbedding(4, 200, 5000)
    table.spell(["<PAD>", "<UNK>", "couch", "lamp", "couches"])
    weight = table.weight.detach()
    assert weight.shape == (5, 200)
    assert not weight[0].any() and torch.allclose(weight[1], table.own[1] * 0.5**0.5)
    spelled = (table.share @ table.pieces).detach()
    assert torch.allclose(weight[2], (table.own[2] + spelled[2]) * 0.5**0.5)
    assert torch.equal(weight[4], spelled[4])
    assert float(spelled[2:].norm(dim=1).mean()) == pytest.approx(200**0.5, rel=0.2), "as large as its own"
    near, far = (float(cosine_similarity(spelled[4], spelled[i], dim=0)) for i in (2, 3))
    assert near > 0.5 > 0.2 > abs(far), "9 of couches' 15 pieces are couch's 12 as well"


def test_a_word_that_was_never_heard_is_near_its_synonyms() -> None:
    torch.manual_seed(0)
    words = ["<PAD>", "<UNK>", "stop", "halt", "forward", "onward", "zundum"]
    plain, meanings = SpelledEmbedding(2, 200, 5000), SpelledEmbedding(2, 200, 5000, meanings=True)
    for table in (plain, meanings):
        table.spell(words)

    def near(table: SpelledEmbedding, one: str, other: str) -> float:
        weight = table.weight.detach()
        return float(cosine_similarity(weight[words.index(one)], weight[words.index(other)], dim=0))

    assert near(meanings, "stop", "halt") > 0.15 > near(plain, "stop", "halt")
    assert near(meanings, "forward", "onward") > near(plain, "forward", "onward")
    assert near(meanings, "stop", "onward") < 0.15
    assert torch.equal(meanings.share[0], plain.share[0]) and torch.equal(meanings.share[-1], plain.share[-1])
    assert float(meanings.share.norm(dim=1)[2:].mean()) == pytest.approx(1, rel=0.1)


def test_by_default_words_are_known_whole() -> None:
    assert not small_agent().meets(SPELLED)
    with pytest.raises(InputError, match="how the words are spelled"):
        paper_agent(Sizes(9, {"view": 4}), pieces=32, hidden=8)
    agent = paper_agent(Sizes(3, {"view": 4}, vocabulary=("<PAD>", "<UNK>", "sofa")), pieces=32, hidden=8)
    assert not agent.meets(("<PAD>",)), "some of its own words are not among them"
    assert not any("share" in name for name in agent.state_dict()), "a checkpoint has no spelling"


def test_all_minds_decide_and_learn_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast minds hold a table of words; its gradients go on to the pieces."""
    assert is_ours(spelled_agent().navigation)
    found = {state: _learned(state, monkeypatch) for state in (PlainState, CpuState, CudaGraphState)}
    plain = found.pop(PlainState)
    assert plain["pieces"].any() and plain["own"].any() and not plain["own"][0].any()
    for gradients in found.values():
        for name, gradient in gradients.items():
            assert torch.allclose(gradient, plain[name], rtol=1e-4, atol=1e-5), name


def _learned(state: type[PolicyState], monkeypatch: pytest.MonkeyPatch) -> dict[str, Tensor]:
    monkeypatch.setattr("vnla.agents.paper.state_for", lambda _: state)
    agent, environment = spelled_agent().train(), cottage_environment()
    context = players_of(agent, environment, AsTaught(), BCUI)
    if state is CudaGraphState:
        object.__setattr__(context, "batching", Batching(fixed=True))
    rollout = bcui(drawn_episodes(environment, torch.arange(12)), context)
    rollout.nav_loss().backward()
    collect_gradients(agent)
    embedding = agent.navigation.encoder.embedding
    assert isinstance(embedding, SpelledEmbedding) and embedding.own.grad is not None and embedding.pieces.grad is not None
    return {"own": embedding.own.grad, "pieces": embedding.pieces.grad}


def test_what_is_kept_between_readings_is_made_anew_when_weights_change() -> None:
    table = SpelledEmbedding(3, 4, 16).eval()
    table.spell(["<PAD>", "<UNK>", "sofa"])
    word = torch.tensor([2])
    with torch.no_grad():
        before = table(word)
        assert table.weight is table.weight
        table.pieces += 1
        assert not torch.equal(table(word), before)
        table.pieces -= 1
        assert torch.allclose(table(word), before)
        table.pieces.data += 1  # as a graph does: nobody is told
        assert not torch.equal(table.train().eval()(word), before)
