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

from vnla.agents.agent import Agent
from vnla.experiments.listening.listeners import AgentListener, ListeningOptions
from vnla.language.advisor import GrammarAdvisor
from vnla.language.speech import SIDES_TOLD
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context, make_practice
from vnla.training.data import RunData
from vnla.training.trained import Trained
from vnla.training.trainer import Trainer

LISTENER = ("objects", "exits", "advice")
REPORTED = 50


def settings(arguments: argparse.Namespace) -> RunConfig:
    """A small agent that sees symbols and knows words by their pieces."""
    options = {"hidden": 128, "word_embedding": 128, "dropout": 0.2, "pieces": arguments.pieces}
    options |= {"width": 64} if arguments.agent == "listener" else {}
    sensors = ",".join(LISTENER) if arguments.agent == "listener" else ""
    advisor = GrammarAdvisor(phrases=arguments.phrases, sides=arguments.sides, landmarks=arguments.landmarks)
    training = TrainingConfig(iterations=arguments.batches, learning_rate=0.003, cooldown=0.5, seed=arguments.seed)
    return RunConfig(
        world=arguments.world, tasks=arguments.tasks, features="symbolic", advisor=advisor,
        agent=arguments.agent, sensors=sensors, agent_options=options, training=training,
        objective="practice", practice=arguments.walks, strange=arguments.strange, anywhere=arguments.anywhere,
        contrast=arguments.contrast,
    )  # fmt: skip


def practised(config: RunConfig, data: RunData) -> Agent:
    """An agent after so many batches of walks."""
    agent = make_agent(config, data)
    trainer = Trainer(
        make_context(config, data, agent, training=True), data.training_tasks(), config.training,
        learns_to_ask=False, objective=config.aim, practice=make_practice(config, data, agent),
    )  # fmt: skip
    for _ in range(config.training.iterations):
        loss = trainer.iterate().nav
        if trainer.done % REPORTED == 0:
            spent = time.process_time()
            sys.stderr.write(f"batch {trainer.done}: loss {loss.item():.2f}, {spent:.0f} s of processor time\n")
    return agent.eval()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("world", "tasks"):
        parser.add_argument(name)
    parser.add_argument("written", nargs="?")
    parser.add_argument("--phrases", type=float, default=0.0)
    parser.add_argument("--sides", type=float, default=SIDES_TOLD)
    parser.add_argument("--strange", type=float, default=0.0)
    parser.add_argument("--landmarks", type=float, default=0.0)
    parser.add_argument("--anywhere", type=float, default=0.0)
    parser.add_argument("--contrast", type=float, default=0.0)
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
    alone = replace(config, objective="imitation", practice=0, strange=0.0, anywhere=0.0, contrast=0.0)
    run = Trained(Path("practised"), alone, data)
    listener = AgentListener(run, ListeningOptions("test_unseen", seeds=0, subset=chosen.subset), lambda *_: None)
    vars(listener)["agent"] = agent
    written = listener.read(Path(chosen.written), listener) if chosen.written else ()
    for found in [*listener.listened(listener), *written]:
        exact, there = (found.figures[measure][0] for measure in ("exact", "there"))
        sys.stdout.write(f"{found.name}: {found.walks} walks, all actions {exact:.1f}%, ends there {there:.1f}%\n")
