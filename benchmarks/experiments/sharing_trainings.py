"""Whether trainings lose by beginning with what another one has learned: the demo's, with and without.

    python benchmarks/experiments/sharing_trainings.py demo/world demo/tasks/asknav 0 first random none

Each policy is trained twice for the seed: with all iterations of its own, and for the second half of them from the agent
that LEARNED is after the first. Success on the two development splits, under two seeds of the help budgets, and processor
seconds.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from vnla.agents.agent import Agent
from vnla.evaluation.evaluate import SEEDS, evaluate
from vnla.experiments.paper.candidates import TRAININGS
from vnla.experiments.presets import DEMO, SHARED
from vnla.training.checkpoints import VALIDATION
from vnla.training.config import RunConfig
from vnla.training.context import make_agent, make_context
from vnla.training.data import RunData
from vnla.training.trainer import Trainer


def trained(config: RunConfig, data: RunData, iterations: int, begin: Agent | None = None) -> tuple[Agent, float]:
    """Return an agent after so many iterations, and the processor seconds that they took."""
    agent = make_agent(config, data)
    if begin is not None:
        agent.load_state_dict(begin.state_dict())
    context, tasks = make_context(config, data, agent, training=True), data.training_tasks()
    learns, ratio = config.aim.teaches_asking(config.policy), config.help(training=True).ratio
    trainer = Trainer(context, tasks, config.training, learns_to_ask=learns, objective=config.aim, ratio=ratio)
    began = time.process_time()
    for _ in range(iterations):
        trainer.iterate()
    return agent, time.process_time() - began


def told(name: str, config: RunConfig, data: RunData, found: tuple[Agent, float]) -> None:
    """Print how often an agent succeeds."""
    context, rates = make_context(config, data, found[0], training=False), []
    for split in VALIDATION:
        done = evaluate(context, data.evaluation_tasks(split), seeds=SEEDS[:2], ratio=config.help(training=False).ratio)
        rates.append(f"{split} {done.figure('success_rate').mean:.1f}%")
    print(f"{name}: {', '.join(rates)}, {found[1]:.0f} s", flush=True)


def main(world: str, tasks: str, seed: str, *policies: str) -> None:
    """Train and compare."""
    torch.set_num_threads(1)
    whole = replace(DEMO.training, seed=int(seed))
    half, left = DEMO.validate_every, whole.iterations - DEMO.validate_every
    rest = replace(whole, iterations=left, cooldown=min(1.0, whole.cooldown * whole.iterations / left))
    preset = replace(DEMO, training=whole)

    def config(policy: str) -> RunConfig:
        return TRAININGS[policy].config(preset, Path(world), Path(tasks), preset.store)

    data = RunData.load(config(SHARED), "cpu")
    begin = trained(config(SHARED), data, half)
    told(f"LEARNED after {half}", config(SHARED), data, begin)
    for policy in policies:
        continued = replace(config(policy), training=rest)
        told(f"{policy}, {left} from there", continued, data, trained(continued, data, left, begin[0]))
        told(
            f"{policy}, {whole.iterations} of its own", config(policy), data, trained(config(policy), data, whole.iterations)
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
