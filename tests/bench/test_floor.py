"""The arithmetic of an iteration, worked out by hand and against PyTorch's own count of what an iteration does."""

from __future__ import annotations

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.floor import Counts, Product, arithmetic, computed, report
from benchmarks.measure import seconds_of
from benchmarks.setting import bare_setting
from benchmarks.train import bench_train
from cottage_players import TASKS, context
from vnla.agents.config import AgentConfig
from vnla.agents.fast.cpu.state import CpuState
from vnla.agents.paper import PaperAgent
from vnla.assistance.help_policies import AtFirst
from vnla.bcui import bcui
from vnla.training.config import TrainingConfig
from vnla.training.trainer import Trainer, batch_of

SMALL = AgentConfig(
    words=50, view_size=8, hidden=4, word_embedding=2, nav_embedding=1, ask_embedding=1, budget_embedding=1, coverage=1,
    help_hidden=3,
)  # fmt: skip

# Two episodes of an end-goal of two and one words; both read an end mark. The second ends after one step; in the second
# step the first asks and reads four words. The second has no request left from the beginning.
COUNTS = Counts(steps=(2, 1), present=(5, 6), deciding=(1, 1), readings=((3, 2), (4,)))


def operations(products: list[Product]) -> int:
    return sum(each.operations for each in products)


def test_a_product_of_every_layer_forward_and_backward() -> None:
    parts = arithmetic(SMALL, COUNTS)
    # 3 rows in all, 8 inputs, 16 gates; nobody asks for the view's gradient.
    assert operations(parts["view projection"]) == 2 * (2 * 3 * 8 * 16)
    # The state forward and twice backward, the last action likewise, and so the help-requesting action, which two know in
    # pass 1, too.
    assert operations(parts["recurrence"]) == 3 * (2 * 3 * 4 * 16) + 3 * (2 * 3 * 16) + (3 * 3 + 2) * (2 * 16)
    # 2 decisions, 8 + 1 + 6 + 8 inputs without gradients, then 3 to 2.
    assert operations(parts["help module"]) == 2 * (2 * 2 * 23 * 3) + 3 * (2 * 2 * 3 * 2)
    # Nine words of two inputs; places of the first reading with 2, 2 and 1 words, of the second with one in each of four.
    assert operations(parts["encoder"]) == 3 * (2 * 9 * 2 * 16) + 3 * (2 * 9 * 4 * 16)
    recurrent = [each.rows for each in parts["encoder"] if (each.inner, each.columns) == (4, 16)]
    assert recurrent == [2, 2, 1, 1, 1, 1, 1]


def test_two_passes_attend_and_one_learns() -> None:
    attention = arithmetic(SMALL, COUNTS)["attention"]
    linear = (3 * 3 + 2) * 2 * (4 * 4 + 8 * 4 + 4 * 6)  # query, combination, actions: 3 rows that learn, 2 in pass 1
    covering = 3 * (2 * 3 * 4 * 3) + 3 * (2 * 9 * 4 * 3) + 2 * 3 * (2 * 11 * 1 * 3)
    # Two episodes of 2.5 words are taken as 2 each, then one of 6: scores and summaries forward, and twice backward. One of
    # the two, and the one, attend in pass 1 as well.
    attending = 6 * (2 * 2 * 4 * 2) + 6 * (2 * 1 * 4 * 6) + 2 * (2 * 1 * 4 * 2) + 2 * (2 * 1 * 4 * 6)
    assert operations(attention) == linear + covering + attending


def test_weight_gradients_are_one_product_over_all_steps() -> None:
    *steps, weight = arithmetic(SMALL, COUNTS)["view projection"]
    assert [each.rows for each in steps] == [2, 1]
    assert (weight.rows, weight.inner, weight.columns) == (16, 3, 8)


def test_what_is_counted_is_what_happened() -> None:
    everybody = context(policy=AtFirst())
    rollout = bcui(TASKS.episodes(torch.arange(len(TASKS)), seed=1), everybody)
    counts = Counts.of(rollout)
    requests = sum(int((transition.request & transition.active).sum()) for transition in rollout.transitions)
    assert counts.steps == tuple(int(transition.active.sum()) for transition in rollout.transitions)
    assert counts.deciding == tuple(
        int((transition.active & (transition.budget > 0)).sum()) for transition in rollout.transitions
    )
    assert 0 < sum(counts.deciding) < sum(counts.steps)
    assert counts.readings[0] == tuple((TASKS.end_goals.length + 1).tolist())
    assert sum(map(len, counts.readings[1:])) == requests > 0
    # Whoever asks first has its subgoal in mind from then on, and the end mark was there before.
    first = rollout.transitions[0]
    told = int(first.phrases.tails.length[first.heard[first.request]].sum()) - int(first.request.sum())
    assert counts.present[0] == sum(counts.readings[0]) + told


def test_an_iteration_does_what_is_counted_and_little_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the plain way, all of whose products are PyTorch's; the loops of the fast one are not in its count."""
    monkeypatch.setattr(CpuState, "suits", lambda _: False)
    setting = bare_setting(8, hidden=64, view_size=128, seed=0, device="cpu", houses=3)
    config = TrainingConfig(batch=8)
    trainer = Trainer(setting.context, setting.tasks, config, learns_to_ask=True)
    which = batch_of(0, 8, 8, 0)
    rollout = bcui(setting.tasks.episodes(which, seed=5), setting.context)
    assert isinstance(setting.context.agent, PaperAgent)
    parts = arithmetic(setting.context.agent.config, Counts.of(rollout))
    counted = sum(map(operations, parts.values()))
    with FlopCounterMode(display=False) as done:
        trainer.update(which, torch.full_like(which, 5))
    assert counted <= done.get_total_flops() < 2 * counted


def test_every_part_takes_some_time() -> None:
    parts = arithmetic(SMALL, COUNTS)
    spent = {name: seconds_of(computed(products, torch.float32, "cpu")) for name, products in parts.items()}
    lines = list(report(parts, spent))
    assert [line.name.strip() for line in lines] == list(parts)
    assert all(line.value > 0 and not line.judged for line in lines)


def test_an_iteration_is_reported_beside_its_floor() -> None:
    lines = {line.name: line for line in bench_train(batch=2, hidden=8, view_size=8, iterations=1, seconds=0.001)}
    assert lines["iteration"].reference == lines["floor"].value > 0
    assert lines["iterations a second"].reference is None, "the authors' sizes are others"
