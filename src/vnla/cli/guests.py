"""`vnla evaluate --agent`: how well somebody else's agent does, or one that is not learned."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vnla.cli.console import plain, say, telling
from vnla.cli.embedded import places_or_embedded
from vnla.cli.outcome import ADVISOR_COUNTS, EvaluationOptions, Speaking, check_places, print_account, print_evaluations
from vnla.common.errors import InputError
from vnla.common.files import write_text
from vnla.common.options import option
from vnla.common.progress import Tell
from vnla.common.registry import options_of

if TYPE_CHECKING:
    from vnla.evaluation.metrics import Metric
    from vnla.houses.folder import WorldFolder
    from vnla.remote.caller import Manner
    from vnla.remote.chat import Chat
    from vnla.remote.episode import EvaluationRules
    from vnla.remote.evaluated_agent import EvaluatedAgent
    from vnla.remote.evaluation import PolicyEvaluation
    from vnla.remote.folder import Journal
    from vnla.remote.observer import WorldObserver
    from vnla.tasks.dataset import Dataset
    from vnla.world.compiled import World

EVALUATIONS = Path("evaluations")
"""Where evaluations of agents behind an address are kept if nobody says where."""


@dataclass(frozen=True)
class AskedOptions:
    """What may be said of an agent that is no run: how it is made, called, and paid for."""

    agent_option: list[str] | None = option(None, "Agent: an option of the agent; may be repeated.", metavar="NAME=VALUE")
    on_error: str = option("stay", "Agent: a wrong answer costs a step (stay), or ends everything (stop).", metavar="WHAT")
    concurrency: int = option(8, "Agent: number of calls at a time.", min=1, max=256)
    timeout: float = option(60, "Agent: seconds to wait for the answer to a call.", min=0.01)
    retries: int = option(3, "Agent: how often to try a call again.", min=0, max=20)
    give_up: int = option(20, "Agent: give up after this many unanswered calls in a row; 0: never.", min=0)
    max_wait: float = option(600, "Agent: seconds to wait for a busy server (429, 503).", min=0)
    key_variable: str | None = option(
        None, "Agent: environment variable that holds a key. [default: OPENAI_API_KEY for openai:]", metavar="NAME"
    )
    base_url: str | None = option(
        None, "With openai: address of the server, such as http://localhost:8000/v1.", metavar="URL"
    )
    observe: str = option(
        "picture", "With openai: picture, text, both, panorama, text-around, or several separated by commas.", metavar="WHAT"
    )
    replies: str = option(
        "auto", "With openai: text, tools, json-schema, or auto (the first that the server supports).", metavar="FORM"
    )
    prompt: Path | None = option(None, "With openai: a prompt. [default: the package's]", metavar="FILE")
    max_calls: int | None = option(None, "With openai: make no more calls than this.", min=0)
    max_tokens: int | None = option(None, "With openai: use no more tokens than this.", min=0)

    def manner(self) -> Manner:
        """How it is called."""
        from vnla.remote.caller import Manner

        return Manner(self.timeout, self.retries, give_up=self.give_up, max_wait=self.max_wait)


@dataclass(frozen=True)
class GuestOptions(AskedOptions):
    """The same, where its episodes are kept, and whether anything is asked at all."""

    out: Path | None = option(
        None,
        "With --agent: folder for episodes and calls, so that the command can continue. [default: evaluations/NAME]",
        metavar="DIR",
    )
    dry_run: bool = option(False, "With openai: print what the evaluation may cost, and exit.")


@dataclass(frozen=True)
class GuestTrial:
    """Who is evaluated, on what, and how."""

    agent: str
    options: EvaluationOptions
    own: GuestOptions
    seeds: Sequence[int]
    metrics: Mapping[str, Metric]
    ratio: float
    speaking: Speaking
    made_with: Mapping[str, Any]

    def run(self) -> tuple[str, dict[str, PolicyEvaluation], dict[str, Any]]:
        """Evaluate the guest on all splits; a title, what came of each, and the summary for a file."""
        from vnla.common.lock import alone_in
        from vnla.houses.folder import read_world
        from vnla.remote.chat import Chat
        from vnla.remote.evaluated_agent import LocalPolicy
        from vnla.remote.folder import CALLS, SUMMARY, Journal
        from vnla.remote.observer import WorldObserver
        from vnla.tasks.dataset import read_dataset
        from vnla.world.compiled import World
        from vnla.world.forward import INFORMED

        options = self.options
        places = places_or_embedded("--agent", options.world, options.tasks)
        place = self.place
        with ExitStack() as stack:
            if place is not None and not self.own.dry_run:
                stack.enter_context(alone_in(place))
            journal = None if place is None or self.own.dry_run else Journal(place / CALLS)
            tell = stack.enter_context(telling())
            tell(f"loading {places[0]}")
            folder, dataset = read_world(places[0]), read_dataset(places[1])
            world = World.compile(folder.houses, forward=options.forward or INFORMED)
            guest = self._guest(folder, journal)
            show = WorldObserver(guest.declaration, folder, world)
            every = {split: self._rules(folder, dataset, world, split) for split in self.options.splits}
            if isinstance(guest, LocalPolicy) and isinstance(guest.policy, Chat):
                self._announce(guest.policy, every, show)
            visits = {split: self._visit(guest, rules, show, folder, split, tell) for split, rules in every.items()}
            if journal is not None:
                journal.close()
        summary = {split: self._summary(guest, visit, dataset, split, every[split]) for split, visit in visits.items()}
        if place is not None:
            write_text(place / SUMMARY, json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
        return self._title(guest, dataset), visits, summary

    @property
    def place(self) -> Path | None:
        """Where it is kept: for guests behind an address somewhere in any case."""
        from vnla.remote.registry import is_far

        if self.own.out is not None or not is_far(self.agent):
            return self.own.out
        return EVALUATIONS / re.sub(r"[^\w.-]+", "-", self.agent.partition("://")[2] or self.agent).strip("-.")

    def _guest(self, folder: WorldFolder, journal: Journal | None) -> EvaluatedAgent:
        from vnla.remote.address import Addressed
        from vnla.remote.caller import Address, Caller
        from vnla.remote.registry import ADDRESSES, CHAT, policy_named

        if self.agent.startswith(ADDRESSES):
            if self.made_with:
                raise InputError(f"--agent-option: {self.agent} takes none; it is asked as it is")
            return Addressed(Caller(Address.of(self.agent), self.own.manner(), journal, self._key(None)))
        if self.agent.startswith(CHAT):
            return self._chat(self.agent.removeprefix(CHAT), journal)
        return policy_named(self.agent, self.made_with, folder)

    def _chat(self, model: str, journal: Journal | None) -> EvaluatedAgent:
        from vnla.remote.caller import Address, Caller
        from vnla.remote.chat import Chat
        from vnla.remote.completions import KEY_VARIABLE
        from vnla.remote.evaluated_agent import LocalPolicy
        from vnla.remote.folder import CACHE
        from vnla.remote.prompts import read_prompt
        from vnla.remote.spending import LARGEST, Meter

        if self.own.base_url is None:
            raise InputError(
                f"--agent {self.agent}: say where the server is, for example --base-url http://localhost:8000/v1"
            )
        prompt = read_prompt(self.own.prompt, self.own.observe)
        meter = Meter(self.own.max_calls, self.own.max_tokens)
        if journal is not None:
            meter.recall(journal)
        manner = replace(self.own.manner(), largest=LARGEST)
        caller = Caller(Address.of(self.own.base_url), manner, journal, self._key(KEY_VARIABLE))
        own = {name: value for name, value in self.made_with.items() if name in ("width", "memory", "pictures")}
        sent = {name: value for name, value in self.made_with.items() if name not in own}
        chat = Chat(
            model, caller, prompt, observe=self.own.observe, replies=self.own.replies, options=sent, meter=meter,
            cache=None if journal is None or self.place is None else self.place / CACHE, journal=journal, **own,
        )  # fmt: skip
        return LocalPolicy(chat)

    def _key(self, usual: str | None) -> str | None:
        """The key, from the environment alone."""
        from vnla.remote.completions import key_in

        return key_in(self.own.key_variable, usual, "--key-variable")

    def _rules(self, folder: WorldFolder, dataset: Dataset, world: World, split: str) -> EvaluationRules:
        from vnla.assistance.advisor import TemplateAdvisor
        from vnla.remote.episode import EvaluationRules
        from vnla.world.budgets import SUBGOAL_ACTIONS

        on_error: Any = self.own.on_error
        advisor = self.speaking.advisor(TemplateAdvisor(k=self.speaking.k or SUBGOAL_ACTIONS))
        return EvaluationRules.of(
            world, dataset, split, advisor=advisor, folder=folder, ratio=self.ratio, chosen=self.options.subset,
            on_error=on_error,
        )  # fmt: skip

    def _visit(
        self, guest: EvaluatedAgent, rules: EvaluationRules, show: WorldObserver, folder: WorldFolder, split: str, tell: Tell
    ) -> PolicyEvaluation:
        from vnla.evaluation.results import results_of, write_results
        from vnla.remote.evaluation import evaluate_policy
        from vnla.remote.folder import RESULTS, EvaluationFolder

        kept = None
        if self.place is not None:
            kept = EvaluationFolder(self.place / split, self._settings(guest, rules, folder, split))
        visit = evaluate_policy(
            guest, rules, show, seeds=self.seeds, folder=kept, at_once=self.own.concurrency, metrics=self.metrics,
            progress=partial(tell, f"evaluating {split}"),
        )  # fmt: skip
        if kept is not None:
            write_results(kept.path / RESULTS, results_of(visit.evaluation, self.seeds[0]))
        return visit

    def _settings(self, guest: EvaluatedAgent, rules: EvaluationRules, folder: WorldFolder, split: str) -> dict[str, Any]:
        """All that determines the outcome."""
        from vnla.remote.evaluation import tasks_checksum
        from vnla.vision.store import world_checksum

        return {
            "agent": guest.declaration.name,
            "observes": list(guest.declaration.observes),
            "picture_width": guest.declaration.picture_width,
            "protocol": guest.declaration.version,
            **{"options": dict(self.made_with), **guest.settings},
            "world": world_checksum(folder) or sorted(house.name for house in folder.houses),
            "split": split,
            "subset": self.options.subset,
            "tasks": tasks_checksum(rules.tasks.tasks),
            "seeds": list(self.seeds),
            "ratio": self.ratio,
            "k": rules.advisor.k,
            "on_error": self.own.on_error,
            **_forward_of(rules),
            **self.speaking.as_dict(),
        }

    def _summary(
        self, guest: EvaluatedAgent, visit: PolicyEvaluation, dataset: Dataset, split: str, rules: EvaluationRules
    ) -> dict[str, Any]:
        """What is told of a split: the figures, and who went wrong how often on which tasks."""
        from vnla.remote.evaluation import tasks_checksum

        tasks = visit.evaluation.tasks.tasks
        return {
            "agent": guest.declaration.name,
            "tasks": {"subset": self.options.subset, "of": len(dataset.split(split)), "sha256": tasks_checksum(tasks)},
            "answers": visit.answers,
            "errors": dict(sorted(visit.errors.items())),
            **({ADVISOR_COUNTS: account} if (account := rules.bound_advisor.account) else {}),
            **visit.evaluation.as_dict(),
        }

    def _title(self, guest: EvaluatedAgent, dataset: Dataset) -> str:
        from vnla.world.forward import INFORMED

        sizes = {split: len(dataset.split(split)) for split in self.options.splits}
        drawn = ", ".join(
            f"{min(self.options.subset or 0, size)} of {size:,} tasks of {split}" for split, size in sizes.items()
        )
        some = f", {drawn}" if self.options.subset is not None else ""
        seen = f"observes: {', '.join(guest.declaration.observes) or 'nothing'}, forward {self.options.forward or INFORMED}"
        return f"{guest.declaration.name}, τ = {self.ratio}{some}, {seen}"

    def _announce(self, chat: Chat, every: Mapping[str, EvaluationRules], show: WorldObserver) -> None:
        """What it may cost, before anything is spent; no more than that in a dry run, else in which form it replies."""
        from vnla.remote.evaluation import observed

        calls = sum(_most_calls(rules, self.seeds) for rules in every.values())
        rules = next(iter(every.values()))
        first = observed(rules.begin(0, self.seeds[0]), rules, show)
        thread = chat.reset(first["end_goal"])
        each = chat.tokens(first, thread)
        typer.echo(
            f"at most {calls:,} calls of about {each:,} tokens, {calls * each:,} in all"
            f" ({_cap('--max-calls', chat.meter.max_calls)}, {_cap('--max-tokens', chat.meter.max_tokens)});"
            f" before now {chat.meter.calls:,} calls and {chat.meter.tokens:,} tokens",
            err=True,
        )
        if self.own.dry_run:
            for message in chat.body(first, thread)["messages"]:
                say(f"[{message['role']}]\n{_written(message['content'])}\n")
            raise typer.Exit
        chat.settle(first, thread)
        typer.echo(f"replies: {chat.replies}", err=True)


def _written(content: Any) -> str:
    """A message as it is printed."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return "\n".join(part["text"] if part["type"] == "text" else "(and a picture)" for part in parts)


def _most_calls(rules: EvaluationRules, seeds: Sequence[int]) -> int:
    """How many answers a guest can be asked for at most: one a time step, and one more for each request."""
    import torch

    which = torch.arange(len(rules.tasks))
    episodes = [rules.tasks.episodes(which, seed=seed, ratio=rules.ratio, k=rules.advisor.k) for seed in seeds]
    return sum(int(each.time_budget.sum() + each.help_budget.sum()) for each in episodes)


def _forward_of(rules: EvaluationRules) -> dict[str, str]:
    """Where `forward` goes, unless it is as in the paper, which goes without saying."""
    from vnla.world.forward import INFORMED

    forward = rules.tasks.environment.world.forward
    return {} if forward == INFORMED else {"forward": forward}


def _cap(name: str, most: int | None) -> str:
    return f"no {name}" if most is None else f"{name} {most:,}"


def evaluate_guest(trial: GuestTrial) -> None:
    """Evaluate an agent that is no run; print its table and its errors, and write the files that are asked for."""
    from vnla.evaluation.spreadsheet import Spreadsheet

    options, output, sheet = trial.options, trial.options.output(), Spreadsheet()
    check_places([*output.places(options.splits), options.as_json, options.as_csv])
    title, visits, summary = trial.run()
    print_evaluations(title, {split: visit.evaluation for split, visit in visits.items()}, trial.metrics)
    for split, visit in visits.items():
        kinds = ", ".join(f"{kind} {times:,}" for kind, times in sorted(visit.errors.items())) or "none"
        plain().print(f"errors of the agent on {split}, in {visit.answers:,} answers: {kinds}")
        print_account(split, summary[split].get(ADVISOR_COUNTS, {}))
        output.write(split, visit.evaluation)
        sheet.add(trial.agent, split, visit.evaluation)
    if trial.place is not None:
        typer.echo(f"episodes, calls and results: {trial.place}")
    options.write(summary, sheet)


def guest_in(
    agent: str, own: AskedOptions, folder: WorldFolder, place: Path | None
) -> tuple[EvaluatedAgent, Journal | None]:
    """Return an agent that is no run, made for a world, and the journal of its calls if it is behind an address.

    `place` is the folder where calls and cached replies are kept.
    """
    from vnla.remote.folder import CALLS, Journal
    from vnla.remote.registry import is_far

    made_with = options_of(own.agent_option or [], "--agent-option")
    trial = GuestTrial(
        agent, EvaluationOptions(), GuestOptions(**vars(own), out=place), (), {}, 0.0, Speaking(None, {}, None), made_with
    )
    journal = Journal(place / CALLS) if place is not None and is_far(agent) else None
    return trial._guest(folder, journal), journal
