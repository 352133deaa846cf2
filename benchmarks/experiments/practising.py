"""What an agent understands that has learned by practice alone (`vnla.training.practice`): see results/language/README.md.

python benchmarks/experiments/practising.py demo/world demo/tasks/asknav worlds/written
python benchmarks/experiments/practising.py demo/world demo/tasks/asknav worlds/written --phrases 0.25
python benchmarks/experiments/practising.py demo/world demo/tasks/asknav worlds/written --phrases 0.25 --agent listener
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from vnla.agents.layers.deferred import collect_gradients
from vnla.agents.paper import PaperAgent
from vnla.experiments.listening.listeners import AgentListener, ListeningOptions
from vnla.language.advisor import GrammarAdvisor
from vnla.language.speech import SIDES_TOLD
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context, make_practice
from vnla.training.data import RunData
from vnla.training.trained import Trained
from vnla.training.trainer import BatchOrder, iteration_seed

LISTENER = ("objects", "exits", "advice")
REPORTED = 50


def settings(arguments: argparse.Namespace) -> RunConfig:
    """A small agent that sees symbols and knows words by their pieces."""
    options = {"hidden": 128, "word_embedding": 128, "dropout": 0.2, "pieces": arguments.pieces}
    options |= {"width": 64} if arguments.agent == "listener" else {}
    sensors = ",".join(LISTENER) if arguments.agent == "listener" else ""
    advisor = GrammarAdvisor(phrases=arguments.phrases, sides=arguments.sides)
    training = TrainingConfig(iterations=arguments.batches, learning_rate=0.003, cooldown=0.5, seed=arguments.seed)
    return RunConfig(
        world=arguments.world, tasks=arguments.tasks, features="symbolic", advisor=advisor,
        agent=arguments.agent, sensors=sensors, agent_options=options, training=training,
        practice=arguments.walks, strange=arguments.strange,
    )  # fmt: skip


def practised(config: RunConfig, data: RunData) -> PaperAgent:
    """An agent after so many batches of walks."""
    agent, training, tasks = make_agent(config, data), config.training, data.training_tasks()
    assert isinstance(agent, PaperAgent)
    context, practice = make_context(config, data, agent, training=True), make_practice(config, data, agent)
    assert practice is not None
    order = BatchOrder(training.seed, len(tasks), training.batch)
    optimiser = torch.optim.Adam(agent.parameters(), weight_decay=training.weight_decay, fused=True)
    agent.train()
    for done in range(training.iterations):
        for group in optimiser.param_groups:
            group["lr"] = training.rate(done)
        which = order.batch(done)
        torch.manual_seed(done)
        loss = practice.rollout(
            tasks, which, torch.full_like(which, iteration_seed(training.seed, done)), context
        ).nav_loss()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        collect_gradients(agent)
        optimiser.step()
        if (done + 1) % REPORTED == 0:
            sys.stderr.write(f"batch {done + 1}: loss {loss.item():.2f}, {time.process_time():.0f} s of processor time\n")
    return agent.eval()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("world", "tasks"):
        parser.add_argument(name)
    parser.add_argument("written", nargs="?")
    parser.add_argument("--phrases", type=float, default=0.0)
    parser.add_argument("--sides", type=float, default=SIDES_TOLD)
    parser.add_argument("--strange", type=float, default=0.0)
    parser.add_argument("--agent", default="paper", choices=("paper", "listener"))
    parser.add_argument("--walks", type=int, default=2, help="beside each task of a batch")
    parser.add_argument("--pieces", type=int, default=2048)
    parser.add_argument("--subset", type=int, help="tasks on whose ways it listens [default: all]")
    parser.add_argument("--batches", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    config = settings(chosen)
    data = RunData.load(config)
    agent = practised(config, data)
    run = Trained(Path("practised"), replace(config, practice=0, strange=0.0), data)
    listener = AgentListener(run, ListeningOptions("test_unseen", seeds=0, subset=chosen.subset), lambda *_: None)
    vars(listener)["agent"] = agent
    written = listener.read(Path(chosen.written), listener) if chosen.written else ()
    for found in [*listener.listened(listener), *written]:
        exact, there = (found.figures[measure][0] for measure in ("exact", "there"))
        sys.stdout.write(f"{found.name}: {found.walks} walks, all actions {exact:.1f}%, ends there {there:.1f}%\n")
