"""The paper's agent and Algorithm 1 in one file, to be read beside the paper: https://arxiv.org/abs/1812.04155

python examples/bcui_single_file.py --world demo/world --tasks demo/tasks/asknav --iterations 450 --seed 0 --out results.json
vnla score results.json --world demo/world --tasks demo/tasks/asknav

From `vnla` come houses, tasks, features, the transition function, the navigation teacher, budgets, the advisor's phrases and
the scorer. Sections and line numbers are the paper's. Defaults are those of `vnla demo`; options name the paper's values.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from vnla.assistance.advisor import TemplateAdvisor
from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.episode import Episodes
from vnla.evaluation.metrics import score
from vnla.evaluation.results import results_of_trace, write_results
from vnla.evaluation.trace import NOTHING, Trace
from vnla.houses.folder import read_world
from vnla.tasks.dataset import read_dataset
from vnla.tasks.task_set import TaskSet
from vnla.vision.views import world_views
from vnla.words import Words
from vnla.world.actions import ASK_ACTIONS, ASK_START, FORWARD, NAV_ACTIONS, NAV_START, REQUEST, STOP
from vnla.world.compiled import World, viewpoint_of

NAV_EMBEDDING, ASK_EMBEDDING, BUDGET_EMBEDDING, COVERAGE, LARGEST_BUDGET = 32, 32, 16, 10, 19  # 19 and more share a vector
POLICIES = ("learned", "none", "first", "random", "teacher")


def option(default: Any, text: str, **more: Any) -> Any:
    return field(default=default, metadata={"help": f"{text} [default: {default}]", **more})


@dataclass(frozen=True)
class Options:
    world: str = option("demo/world", "folder of the world")
    tasks: str = option("demo/tasks/asknav", "folder of the data set")
    features: str = option("efficientnet-lite0-128", "features of the views, a folder in the world's")
    policy: str = option("learned", "when to ask for help, in training and evaluation (section 7)", choices=POLICIES)
    iterations: int = option(450, "batches to train with; the paper's: 100000")
    batch: int = option(100, "episodes in a batch")
    learning_rate: float = option(0.003, "of Adam; the paper's: 0.0001")
    cooldown: float = option(0.5, "last share of the training in which the rate falls to 0; the paper's: 0")
    weight_decay: float = option(0.0005, "weight of the L2 norm")
    dropout: float = option(0.2, "share of the numbers that dropout clears; the paper's: 0.5")
    hidden: int = option(128, "size of encoder and decoder; the paper's: 512")
    help_hidden: int = option(128, "hidden size of the help module; the paper's: 512")
    word_embedding: int = option(128, "size of a word's embedding; the paper's: 256")
    tau: float = option(0.4, "τ, share of the time in which the agent receives assistance (section 6.4)")
    k: int = option(4, "k, number of actions that a subgoal describes")
    deviation: float = option(8.0, "δ of rule (a), metres")
    uncertainty: float = option(1.0, "ε of rule (b), nats")
    non_moving: int = option(9, "μ of rule (c), steps")
    seed: int = option(0, "seed of everything random in training")
    evaluation_seed: int = option(123, "seed of the help budgets in evaluation")
    splits: str = option("test_unseen", "splits to evaluate on, with commas between them")
    device: str = option("cpu", "cpu or cuda")
    out: str = option("results.json", "results file; with several splits each has one, the split in its name")

    def __post_init__(self) -> None:
        sizes = dict.fromkeys(("batch", "hidden", "help_hidden", "word_embedding"), (1, 1 << 20))
        check_fields(self, iterations=(0, 1 << 30), dropout=(0, 0.99), cooldown=(0, 1), tau=(0, 1), **sizes)


class Setting(NamedTuple):
    """What an agent is put into, apart from its tasks."""

    views: Tensor  # (poses, features), o of every pose
    words: int  # size of the vocabulary
    advisor: TemplateAdvisor
    subgoals: Words  # (6^k + 1, …), what the advisor may say, backwards, each with <EOS>; the last is <EOS> alone


class State(NamedTuple):
    """What the navigation module (section 6.1) keeps from one time step to the next."""

    memory: Tensor  # (batch, words, hidden), M: a vector for each word of the instruction
    present: Tensor  # (batch, words), where the instruction has a word
    coverage: Tensor  # (batch, words, COVERAGE), what has been attended to
    hidden: Tensor  # (batch, hidden), h^dec after pass 2, before dropout
    cell: Tensor  # (batch, hidden)


class Pass(NamedTuple):
    """What one decoding pass computes."""

    logits: Tensor  # (batch, 6)
    dec: Tensor  # (batch, hidden), h^dec
    att: Tensor  # (batch, hidden), h^att


class Attention(nn.Module):
    """Multiplicative attention (Luong et al. 2015) with coverage (Tu et al. 2016)."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.combine = nn.Linear(2 * hidden, hidden, bias=False)
        self.uncover = nn.Linear(COVERAGE, hidden)
        self.cover = nn.GRUCell(2 * hidden + 1, COVERAGE)

    def forward(self, dec: Tensor, state: State) -> tuple[Tensor, Tensor]:
        """Return h^att and the new coverage."""
        memory = state.memory + self.uncover(state.coverage)  # (batch, words, hidden)
        scores = (memory @ self.query(dec)[:, :, None]).squeeze(2)  # (batch, words)
        weights = scores.masked_fill(~state.present, -torch.inf).softmax(dim=1)  # (batch, words)
        summary = (weights[:, None] @ memory).squeeze(1)  # (batch, hidden)
        att = torch.tanh(self.combine(torch.cat([summary, dec], dim=1)))
        used = torch.cat([memory, dec[:, None].expand_as(memory), weights[:, :, None]], dim=2)
        return att, self.cover(used.flatten(0, 1), state.coverage.flatten(0, 1)).view_as(state.coverage)


class NavigationModule(nn.Module):
    """π_nav: an encoder and a decoder, which runs twice in each time step."""

    def __init__(self, words: int, features: int, options: Options) -> None:
        super().__init__()
        self.word_embedding = nn.Embedding(words, options.word_embedding, padding_idx=0)
        self.encoder = nn.LSTM(options.word_embedding, options.hidden, batch_first=True)
        self.nav_embedding = nn.Embedding(NAV_ACTIONS + 1, NAV_EMBEDDING)  # one more for <start>
        self.ask_embedding = nn.Embedding(ASK_ACTIONS + 1, ASK_EMBEDDING)
        self.decoder = nn.LSTMCell(features + NAV_EMBEDDING + ASK_EMBEDDING, options.hidden)
        self.attention = Attention(options.hidden)
        self.output = nn.Linear(options.hidden, NAV_ACTIONS)
        self.dropout = nn.Dropout(options.dropout)

    def encode(self, instruction: Tensor) -> Tensor:
        """Return the memory of instructions (batch, words). Padding is read after all else, and so changes nothing."""
        return self.dropout(self.encoder(self.dropout(self.word_embedding(instruction)))[0])

    def start(self, instruction: Tensor) -> State:
        """Return the first state: the end-goal is read, the decoder's vectors are zero."""
        memory = self.encode(instruction)
        zero = memory.new_zeros(len(memory), memory.shape[2])
        return State(memory, instruction != 0, memory.new_zeros(*instruction.shape, COVERAGE), zero, zero)

    def hear(self, state: State, request: Tensor, instruction: Tensor) -> State:
        """Return the state in which those who requested help have read a new instruction (batch, words)."""
        rows = request.nonzero().squeeze(1)
        if not len(rows):
            return state
        return state._replace(
            memory=state.memory.index_copy(0, rows, self.encode(instruction[rows])),
            present=torch.where(request[:, None], instruction != 0, state.present),
            coverage=state.coverage.masked_fill(request[:, None, None], 0),
        )

    def forward(self, view: Tensor, nav: Tensor, ask: Tensor, blocked: Tensor, state: State) -> tuple[Pass, State]:
        """Do one decoding pass, and return the state after it."""
        inputs = torch.cat([view, self.nav_embedding(nav), self.ask_embedding(ask)], dim=1)
        hidden, cell = self.decoder(self.dropout(inputs), (state.hidden, state.cell))
        dec = self.dropout(hidden)
        att, coverage = self.attention(dec, state)
        impossible = blocked[:, None] & (torch.arange(NAV_ACTIONS, device=view.device) == FORWARD)
        logits = self.output(att).masked_fill(impossible, -torch.inf)  # nothing is in view to go to
        return Pass(logits, dec, att), state._replace(coverage=coverage, hidden=hidden, cell=cell)


class HelpModule(nn.Module):
    """π_ask: a feed-forward network. Its errors do not reach its inputs, except the embedding of the budget."""

    def __init__(self, features: int, options: Options) -> None:
        super().__init__()
        self.budget_embedding = nn.Embedding(LARGEST_BUDGET + 1, BUDGET_EMBEDDING)
        inputs = features + NAV_ACTIONS + 2 * options.hidden + BUDGET_EMBEDDING
        self.inner, self.output = nn.Linear(inputs, options.help_hidden), nn.Linear(options.help_hidden, ASK_ACTIONS)
        self.dropout = nn.Dropout(options.dropout)

    def forward(self, view: Tensor, budget: Tensor, first: Pass) -> Tensor:
        """Return logits (batch, 2) of doing nothing and of requesting, which is impossible without budget."""
        known = torch.cat([view, first.logits.softmax(dim=1), first.dec, first.att], dim=1).detach()
        inputs = torch.cat([known, self.budget_embedding(budget.clamp(max=LARGEST_BUDGET))], dim=1)
        impossible = (budget <= 0)[:, None] & (torch.arange(ASK_ACTIONS, device=view.device) == REQUEST)
        return self.output(self.dropout(torch.relu(self.inner(inputs)))).masked_fill(impossible, -torch.inf)


class Agent(nn.Module):
    """Both policies."""

    def __init__(self, words: int, features: int, options: Options) -> None:
        super().__init__()
        self.nav = NavigationModule(words, features, options)
        self.ask = HelpModule(features, options)


def instruction_of(end_goal: Words, subgoal: Words) -> Tensor:
    """Return subgoal ⊙ end-goal as it is read: backwards, like the authors' code, so the subgoal's first word comes last."""
    width = subgoal.tokens.shape[1]
    place = end_goal.length[:, None] + torch.arange(width, device=end_goal.length.device)  # (batch, width)
    return nn.functional.pad(end_goal.backwards().tokens, (0, width)).scatter(1, place, subgoal.tokens)  # (batch, words)


def help_teacher(tentative: Tensor, pose: Tensor, budget: Tensor, unmoved: Tensor, step: int, episodes: Episodes,
                 options: Options) -> Tensor:  # fmt: skip
    """Section 6.2: return who should request help, whoever has a request left and a reason."""
    environment, goals = episodes.environment, episodes.goals
    off_path = environment.distance_to_path(pose, episodes.start_paths, goals)  # metres
    entropy = torch.special.entr(tentative).sum(dim=1)
    a = off_path > options.deviation
    b = math.log(NAV_ACTIONS) - entropy < options.uncertainty
    c = unmoved >= options.non_moving
    d = budget >= episodes.time_budget - step
    e = environment.at_goal(pose, goals) & (tentative.argmax(dim=1) == FORWARD)
    return (budget > 0) & (a | b | c | d | e)


def random_steps(episodes: Episodes) -> Tensor:
    """Section 7: return at which steps RANDOM asks, as many of the time budget's as there are requests: (batch, steps)."""
    steps = torch.arange(int(episodes.time_budget.max()), device=episodes.start.device)
    late = steps >= episodes.time_budget[:, None]
    rank = torch.rand(late.shape, device=late.device).masked_fill(late, torch.inf).argsort(dim=1).argsort(dim=1)
    return (rank < episodes.help_budget[:, None]) & ~late


class Rollout(NamedTuple):
    """What happened in a batch of episodes; entries after an episode's end are NOTHING."""

    nav_loss: Tensor  # (), negative log-likelihood of the teachers' actions: mean over the episodes, sum over the steps
    ask_loss: Tensor  # ()
    poses: Tensor  # (batch, steps + 1)
    navs: Tensor  # (batch, steps)
    subgoals: Tensor  # (batch, steps), the number of what was said to those who asked, NOTHING to others


def run_episodes(agent: Agent, setting: Setting, episodes: Episodes, options: Options) -> Rollout:
    """Algorithm 1 over a batch. In training the teachers take part; in evaluation the agent acts alone, greedily."""
    environment, goals, training = episodes.environment, episodes.goals, agent.training
    pose, budget = episodes.start, episodes.help_budget  # 4-6, 8
    nav, ask = torch.full_like(pose, NAV_START), torch.full_like(pose, ASK_START)  # 7
    silence = setting.subgoals.rows(torch.full_like(pose, setting.advisor.silence))
    state = agent.nav.start(instruction_of(episodes.end_goals, silence))  # 8
    since_request, unmoved = torch.full_like(pose, options.k), torch.zeros_like(pose)  # steps
    active, planned = episodes.time_budget > 0, random_steps(episodes)
    nav_loss = ask_loss = torch.zeros((), device=pose.device)
    poses, navs, said = [pose], [], []
    for step in range(planned.shape[1]):  # 9
        if not active.any():
            break
        view, blocked = setting.views[pose].float(), environment.blocked(pose)  # 10
        with torch.no_grad():
            first, _ = agent.nav(view, nav, ask, blocked, state)  # 11
        ask_logits = agent.ask(view, budget, first)  # 12, (batch, 2)
        taught_ask = help_teacher(first.logits.softmax(dim=1), pose, budget, unmoved, step, episodes, options)  # 13
        wants = {
            "learned": taught_ask if training else ask_logits.argmax(dim=1) == REQUEST,
            "none": torch.zeros_like(active),
            "first": torch.ones_like(active),
            "random": planned[:, step],
            "teacher": taught_ask,
        }[options.policy]
        request = active & wants & (budget > 0)  # 14
        subgoal = setting.advisor(environment, pose, goals).subgoal  # 15
        state = agent.nav.hear(state, request, instruction_of(episodes.end_goals, setting.subgoals.rows(subgoal)))  # 16, 19
        budget, ask = budget - request.long(), request.long()  # 17
        second, state = agent.nav(view, nav, ask, blocked, state)  # 21
        taught_nav = environment.nav_teacher(pose, goals)  # 22
        since_request = torch.where(request, 0, since_request + 1)
        if training:
            drawn = torch.multinomial(second.logits.softmax(dim=1), 1).squeeze(1)  # 26
            nav = torch.where(since_request < options.k, taught_nav, drawn)  # 23-27
            ask_loss = ask_loss + nn.functional.cross_entropy(ask_logits[active], taught_ask.long()[active])  # 28
            nav_loss = nav_loss + nn.functional.cross_entropy(second.logits[active], taught_nav[active])  # 29
        else:
            nav = second.logits.argmax(dim=1)
        after = torch.where(active, environment.step(pose, nav, goals), pose)  # 33
        poses.append(after)
        navs.append(nav.masked_fill(~active, NOTHING))
        said.append(subgoal.masked_fill(~request, NOTHING))
        unmoved = torch.where(viewpoint_of(after) == viewpoint_of(pose), unmoved + 1, 0)
        active = active & (nav != STOP) & (step + 1 < episodes.time_budget)  # 30-32, 9
        pose = after
    return Rollout(nav_loss, ask_loss, *(torch.stack(each, dim=1) for each in (poses, navs, said)))


def train(setting: Setting, tasks: TaskSet, options: Options) -> tuple[Agent, list[tuple[float, float]]]:
    """Return a trained agent, and the losses of each iteration: navigation, asking."""
    torch.manual_seed(options.seed)
    agent = Agent(setting.words, setting.views.shape[1], options).to(options.device)  # 1, 2
    adam = torch.optim.Adam(agent.parameters(), weight_decay=options.weight_decay)
    losses, order = [], torch.empty(0, dtype=torch.int64)
    for iteration in range(options.iterations):  # 3
        while len(order) < options.batch:
            order = torch.cat([order, torch.randperm(len(tasks))])  # the next epoch
        which, order = order[: options.batch].to(options.device), order[options.batch :]
        left = 1 - iteration / options.iterations
        adam.param_groups[0]["lr"] = options.learning_rate * min(1.0, left / max(options.cooldown, 1e-9))
        episodes = tasks.episodes(which, seed=int(torch.randint(1 << 31, ())), ratio=options.tau, k=options.k)  # 4, 5
        rollout = run_episodes(agent, setting, episodes, options)
        adam.zero_grad()
        (rollout.nav_loss + (rollout.ask_loss if options.policy == "learned" else 0)).backward()
        adam.step()  # 28, 29
        losses.append((rollout.nav_loss.item(), rollout.ask_loss.item()))
        if (iteration + 1) % 10 == 0:
            print(f"iteration {iteration + 1}  nav {losses[-1][0]:.2f}  ask {losses[-1][1]:.2f}", flush=True)  # noqa: T201
    return agent, losses


@torch.no_grad()
def evaluate(agent: Agent, setting: Setting, tasks: TaskSet, options: Options, out: Path) -> float:
    """Run every task once, write the results file, and return the success rate in per cent."""
    agent.eval()
    which = torch.arange(len(tasks), device=options.device)
    episodes = tasks.episodes(which, seed=options.evaluation_seed, ratio=options.tau, k=options.k)
    walked = run_episodes(agent, setting, episodes, options)
    texts = tuple(map(setting.advisor.text, range(setting.advisor.silence)))
    asked, unknown = walked.subgoals != NOTHING, torch.full_like(walked.navs, NOTHING)
    length = (walked.navs != NOTHING).sum(dim=1)
    trace = Trace(walked.poses, length, walked.navs, asked, asked, unknown, walked.subgoals, episodes.help_budget, texts)
    success = score(trace, tasks.environment, tasks.goals)["success"]
    write_results(out, results_of_trace(tasks, trace.to("cpu"), success.tolist()))
    return 100 * float(success.mean())


def main(options: Options) -> None:
    """Read the world, the features and the tasks; train; evaluate."""
    folder, dataset = read_world(Path(options.world)), read_dataset(Path(options.tasks))
    world, advisor = World.compile(folder.houses, options.device), TemplateAdvisor(k=options.k)
    vocabulary = dataset.vocabulary.with_words(advisor.words())
    views = torch.cat([torch.from_numpy(each) for each in world_views(folder, world, options.features).values()], dim=1)
    subgoals = advisor.ready(vocabulary, options.device).phrases.tails
    setting = Setting(views.to(options.device), len(vocabulary), advisor, subgoals)
    compiled = partial(TaskSet.compile, world, vocabulary=vocabulary)  # time budgets T̂: appendix
    tests = {split: compiled(dataset.split(split), dataset.budgets) for split in options.splits.split(",")}
    agent, _ = train(setting, compiled(dataset.split("train")), options)
    for split, tasks in tests.items():
        out = Path(options.out) if len(tests) == 1 else Path(options.out).with_stem(f"{Path(options.out).stem}_{split}")
        rate = evaluate(agent, setting, tasks, options, out)
        print(f"{split}: success rate {rate:.2f}%, seed {options.evaluation_seed}; written to {out}")  # noqa: T201


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for each in fields(Options):
        name = f"--{each.name.replace('_', '-')}"
        parser.add_argument(name, type=type(each.default), default=each.default, **each.metadata)
    try:
        main(Options(**vars(parser.parse_args())))
    except InputError as error:
        parser.exit(2, f"{error}\n")
