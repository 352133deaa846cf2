"""`vnla evaluate --agent`: how well somebody else's agent does, or one that is not learned."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from vnla.cli.console import plain, say, telling
from vnla.cli.outcome import Output, houses_note, table_of
from vnla.cli.trial import Speaking
from vnla.common.errors import InputError
from vnla.common.files import write_text
from vnla.common.progress import Tell
from vnla.world.budgets import SUBGOAL_ACTIONS

if TYPE_CHECKING:
    from vnla.evaluation.metrics import Metric
    from vnla.houses.folder import WorldFolder
    from vnla.remote.caller import Manner
    from vnla.remote.chat import Chat
    from vnla.remote.episode import EvaluationRules
    from vnla.remote.evaluation import PolicyEvaluation
    from vnla.remote.folder import Journal
    from vnla.remote.observer import WorldObserver
    from vnla.remote.participant import Participant
    from vnla.tasks.dataset import Dataset
    from vnla.world.compiled import World

EVALUATIONS = Path("evaluations")
"""Where evaluations of agents behind an address are kept if nobody says where."""
KEY = "OPENAI_API_KEY"


@dataclass(frozen=True)
class Spending:
    """What a chat model may cost."""

    max_calls: int | None = None
    max_tokens: int | None = None
    dry_run: bool = False


@dataclass(frozen=True)
class Invitation:
    """Who is evaluated, on what, and how."""

    agent: str
    world: Path | None
    tasks: Path | None
    splits: Sequence[str]
    seeds: Sequence[int]
    metrics: Mapping[str, Metric]
    ratio: float
    speaking: Speaking
    subset: int | None
    out: Path | None
    on_error: Any
    at_once: int
    manner: Manner
    base_url: str | None = None
    observe: str = "picture"
    prompt: Path | None = None
    key_variable: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)

    def run(self) -> tuple[str, dict[str, PolicyEvaluation], dict[str, Any]]:
        """Evaluate the guest on all splits; a title, what came of each, and the summary for a file."""
        from vnla.common.lock import alone_in
        from vnla.houses.folder import read_world
        from vnla.remote.chat import Chat
        from vnla.remote.folder import CALLS, SUMMARY, Journal
        from vnla.remote.participant import LocalPolicy
        from vnla.tasks.dataset import read_dataset
        from vnla.world.compiled import World

        if self.world is None or self.tasks is None:
            raise InputError("--agent: say which --world and --tasks to try it on")
        place = self.place
        with ExitStack() as stack:
            if place is not None and not self.spending.dry_run:
                stack.enter_context(alone_in(place))
            journal = None if place is None or self.spending.dry_run else Journal(place / CALLS)
            tell = stack.enter_context(telling())
            tell(f"loading {self.world}")
            folder, dataset = read_world(self.world), read_dataset(self.tasks)
            world = World.compile(folder.houses)
            guest = self._guest(folder, journal)
            show = self._show(guest, folder, world)
            every = {split: self._rules(folder, dataset, world, split) for split in self.splits}
            if isinstance(guest, LocalPolicy) and isinstance(guest.policy, Chat):
                self._announce(guest.policy, every, show)
            visits = {split: self._visit(guest, rules, show, folder, split, tell) for split, rules in every.items()}
            if journal is not None:
                journal.close()
        summary = {split: self._summary(guest, visit, dataset, split) for split, visit in visits.items()}
        if place is not None:
            write_text(place / SUMMARY, json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
        return self._title(guest, dataset), visits, summary

    @property
    def place(self) -> Path | None:
        """Where it is kept: for guests behind an address somewhere in any case."""
        from vnla.remote.registry import is_far

        if self.out is not None or not is_far(self.agent):
            return self.out
        return EVALUATIONS / re.sub(r"[^\w.-]+", "-", self.agent.partition("://")[2] or self.agent).strip("-.")

    def _guest(self, folder: WorldFolder, journal: Journal | None) -> Participant:
        from vnla.remote.address import Addressed
        from vnla.remote.caller import Address, Caller
        from vnla.remote.registry import ADDRESSES, CHAT, policy_named

        if self.agent.startswith(ADDRESSES):
            if self.options:
                raise InputError(f"--agent-option: {self.agent} takes none; it is asked as it is")
            return Addressed(Caller(Address.of(self.agent), self.manner, journal, self._key(None)))
        if self.agent.startswith(CHAT):
            return self._chat(self.agent.removeprefix(CHAT), journal)
        return policy_named(self.agent, self.options, folder)

    def _chat(self, model: str, journal: Journal | None) -> Participant:
        from dataclasses import replace

        from vnla.remote.caller import Address, Caller
        from vnla.remote.chat import LARGEST, OBSERVES, Chat, Meter
        from vnla.remote.folder import CACHE
        from vnla.remote.participant import LocalPolicy
        from vnla.remote.prompts import read_prompt

        if self.base_url is None:
            raise InputError(
                f"--agent {self.agent}: say where the server is, for example --base-url http://localhost:8000/v1"
            )
        if self.observe not in OBSERVES:
            raise InputError(f"--observe {self.observe}: choose from {', '.join(OBSERVES)}")
        meter = Meter(self.spending.max_calls, self.spending.max_tokens)
        if journal is not None:
            meter.recall(journal)
        caller = Caller(Address.of(self.base_url), replace(self.manner, largest=LARGEST), journal, self._key(KEY))
        own = {"width": self.options["width"]} if "width" in self.options else {}
        own |= {"memory": self.options["memory"]} if "memory" in self.options else {}
        sent = {name: value for name, value in self.options.items() if name not in own}
        chat = Chat(
            model, caller, read_prompt(self.prompt, self.observe), observe=self.observe, options=sent, meter=meter,
            cache=None if journal is None or self.place is None else self.place / CACHE, journal=journal, **own,
        )  # fmt: skip
        return LocalPolicy(chat)

    def _key(self, usual: str | None) -> str | None:
        """The key, from the environment alone."""
        name = self.key_variable or usual
        if self.key_variable is not None and not os.environ.get(self.key_variable):
            raise InputError(f"--key-variable {self.key_variable}: the environment has no such variable, or it is empty")
        key = os.environ.get(name, "") if name else ""
        if not key.isascii() or any(not character.isprintable() for character in key):
            raise InputError(f"{name}: the key in this variable has characters that no header can carry")
        return key or None

    def _show(self, guest: Participant, folder: WorldFolder, world: World) -> WorldObserver:
        from vnla.remote.observer import WorldObserver

        return WorldObserver(guest.declaration, folder, world)

    def _rules(self, folder: WorldFolder, dataset: Dataset, world: World, split: str) -> EvaluationRules:
        from vnla.assistance.advisor import TemplateAdvisor
        from vnla.remote.episode import EvaluationRules

        advisor = self.speaking.advisor(TemplateAdvisor(k=self.speaking.k or SUBGOAL_ACTIONS))
        return EvaluationRules.of(
            world, dataset, split, advisor=advisor, folder=folder, ratio=self.ratio, chosen=self.subset,
            on_error=self.on_error,
        )  # fmt: skip

    def _visit(
        self, guest: Participant, rules: EvaluationRules, show: WorldObserver, folder: WorldFolder, split: str, tell: Tell
    ) -> PolicyEvaluation:
        from vnla.evaluation.results import results_of, write_results
        from vnla.remote.evaluation import evaluate_policy
        from vnla.remote.folder import RESULTS, EvaluationFolder

        kept = None
        if self.place is not None:
            kept = EvaluationFolder(self.place / split, self._settings(guest, rules, folder, split))
        visit = evaluate_policy(
            guest, rules, show, seeds=self.seeds, folder=kept, at_once=self.at_once, metrics=self.metrics,
            progress=partial(tell, f"evaluating {split}"),
        )  # fmt: skip
        if kept is not None:
            write_results(kept.path / RESULTS, results_of(visit.evaluation, self.seeds[0]))
        return visit

    def _settings(self, guest: Participant, rules: EvaluationRules, folder: WorldFolder, split: str) -> dict[str, Any]:
        """All that determines the outcome."""
        from vnla.remote.evaluation import tasks_checksum
        from vnla.vision.store import world_checksum

        return {
            "agent": guest.declaration.name,
            "observes": list(guest.declaration.observes),
            "picture_width": guest.declaration.picture_width,
            "protocol": guest.declaration.version,
            **{"options": dict(self.options), **guest.settings},
            "world": world_checksum(folder) or sorted(house.name for house in folder.houses),
            "split": split,
            "subset": self.subset,
            "tasks": tasks_checksum(rules.tasks.tasks),
            "seeds": list(self.seeds),
            "ratio": self.ratio,
            "k": rules.advisor.k,
            "on_error": self.on_error,
            **self.speaking.as_dict(),
        }

    def _summary(self, guest: Participant, visit: PolicyEvaluation, dataset: Dataset, split: str) -> dict[str, Any]:
        """What is told of a split: the figures, and who went wrong how often on which tasks."""
        from vnla.remote.evaluation import tasks_checksum

        tasks = visit.evaluation.tasks.tasks
        return {
            "agent": guest.declaration.name,
            "tasks": {"subset": self.subset, "of": len(dataset.split(split)), "sha256": tasks_checksum(tasks)},
            "answers": visit.answers,
            "errors": dict(sorted(visit.errors.items())),
            **visit.evaluation.as_dict(),
        }

    def _title(self, guest: Participant, dataset: Dataset) -> str:
        sizes = {split: len(dataset.split(split)) for split in self.splits}
        drawn = ", ".join(f"{min(self.subset or 0, size)} of {size:,} tasks of {split}" for split, size in sizes.items())
        return f"{guest.declaration.name}, τ = {self.ratio}" + (f", {drawn}" if self.subset is not None else "")

    def _announce(self, chat: Chat, every: Mapping[str, EvaluationRules], show: WorldObserver) -> None:
        """What it may cost, before anything is spent; and no more than that in a dry run."""
        calls = sum(_most_calls(rules, self.seeds) for rules in every.values())
        rules = next(iter(every.values()))
        walk = rules.begin(0, self.seeds[0])
        viewpoint = rules.tasks.tasks[0].start
        first = walk.observation(**show(walk.task.house, viewpoint, walk.pose))
        thread = chat.reset(walk.task.end_goal)
        each = chat.tokens(first, thread)
        typer.echo(
            f"at most {calls:,} calls of about {each:,} tokens, {calls * each:,} in all"
            f" ({_cap('--max-calls', chat.meter.max_calls)}, {_cap('--max-tokens', chat.meter.max_tokens)});"
            f" before now {chat.meter.calls:,} calls and {chat.meter.tokens:,} tokens",
            err=True,
        )
        if self.spending.dry_run:
            for message in chat.body(first, thread)["messages"]:
                content = message["content"]
                text = content if isinstance(content, str) else content[0]["text"] + "\n(and a picture)"
                say(f"[{message['role']}]\n{text}\n")
            raise typer.Exit


def _most_calls(rules: EvaluationRules, seeds: Sequence[int]) -> int:
    """How many answers a guest can be asked for at most: one a time step, and one more for each request."""
    import torch

    which = torch.arange(len(rules.tasks))
    episodes = [rules.tasks.episodes(which, seed=seed, ratio=rules.ratio, k=rules.advisor.k) for seed in seeds]
    return sum(int(each.time_budget.sum() + each.help_budget.sum()) for each in episodes)


def _cap(name: str, most: int | None) -> str:
    return f"no {name}" if most is None else f"{name} {most:,}"


def tell_of(invitation: Invitation, output: Output, as_json: Path | None, as_csv: Path | None) -> None:
    """Evaluate a guest; its table, its errors, and the files that are asked for."""
    from vnla.evaluation.spreadsheet import Spreadsheet

    title, visits, summary = invitation.run()
    found, sheet = {split: visit.evaluation for split, visit in visits.items()}, Spreadsheet()
    plain().print(table_of(title, found, invitation.metrics))
    if note := houses_note(found):
        plain().print(note)
    for split, visit in visits.items():
        kinds = ", ".join(f"{kind} {times:,}" for kind, times in sorted(visit.errors.items())) or "none"
        plain().print(f"errors of the agent on {split}, in {visit.answers:,} answers: {kinds}")
        output.write(split, visit.evaluation)
        sheet.add(invitation.agent, split, visit.evaluation)
    if invitation.place is not None:
        typer.echo(f"episodes, calls and results: {invitation.place}")
    if as_json is not None:
        write_text(as_json, json.dumps(summary, indent=2) + "\n")
    if as_csv is not None:
        sheet.write(as_csv)
