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

from vnla.agents.agent import Agent
from vnla.common.selection import take_rows
from vnla.episode import beginning
from vnla.experiments.listening.followed import PlannedWalks, followed
from vnla.experiments.listening.listeners import AgentListener, ListeningOptions
from vnla.language.advisor import GrammarAdvisor
from vnla.language.speech import SIDES_TOLD, plan_of
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context, make_practice, vocabulary_of
from vnla.training.contrasts import Contrasts
from vnla.training.data import RunData
from vnla.training.trained import Trained
from vnla.training.trainer import Trainer
from vnla.world.compiled import Environment

LISTENER = ("objects", "exits", "advice")
REPORTED = 50


def settings(arguments: argparse.Namespace) -> RunConfig:
    """A small agent that sees symbols and knows words by their pieces."""
    options = {"hidden": 128, "word_embedding": 128, "dropout": 0.2, "pieces": arguments.pieces}
    options |= {"meanings": True} if arguments.meanings else {}
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


def told_apart(agent: Agent, config: RunConfig, data: RunData) -> str:
    """How often it does what is said where another thing that might be named leads another way: with the right thing named,
    the other one, and nothing, in walks of `Contrasts` in the houses of test unseen."""
    everywhere, own = Environment.everywhere(data.world), (data.folder, data.world, vocabulary_of(config, data))
    landmarks, wrong = (GrammarAdvisor(says=says).ready_in(*own) for says in ("landmarks", "wrong"))
    found, tasks = Contrasts.found(everywhere, landmarks, wrong, seed=1), data.evaluation_tasks("test_unseen")
    houses = sorted({data.world.house(task.house) for task in tasks.tasks})
    rows = torch.cat([torch.arange(int(found.first[each]), int(found.first[each + 1])) for each in houses])
    start, goals = torch.unique(torch.stack([found.start[rows], found.goal[rows]]), dim=1)
    number, one = torch.arange(len(start)), torch.ones_like(start)
    episodes = replace(
        tasks.episodes(number % len(tasks), seed=1, k=4), environment=everywhere, key=number, start=start, goals=goals,
        time_budget=4 * one, help_budget=one, start_paths=start[:, None, None], most_requests=1,
    )  # fmt: skip
    now = beginning(episodes)
    rows, plan = wrong.landmarks_decide(now).nonzero().squeeze(1), plan_of(now, 4)
    walks = PlannedWalks(take_rows(episodes, rows), plan.actions[rows], plan.poses[rows, -1], ())
    shares = []
    for says, told in (("landmarks", True), ("wrong", True), ("wrong", False)):
        heard = make_context(replace(config, advisor=GrammarAdvisor(says=says)), data, agent, training=False)
        shares.append(f"{100 * followed(heard, walks, told=told).exact.mean():.1f}%")
    return f"another thing leads another way: {len(rows)} walks, right {shares[0]}, wrong {shares[1]}, silence {shares[2]}"


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
    parser.add_argument("--meanings", action="store_true", help="synonyms share vectors")
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
    if chosen.agent == "listener":
        sys.stdout.write(f"{told_apart(agent, alone, data)}\n")
    written = listener.read(Path(chosen.written), listener) if chosen.written else ()
    for found in [*listener.listened(listener), *written]:
        exact, there = (found.figures[measure][0] for measure in ("exact", "there"))
        sys.stdout.write(f"{found.name}: {found.walks} walks, all actions {exact:.1f}%, ends there {there:.1f}%\n")
