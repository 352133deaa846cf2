"""A chat model as the advisor: `--advisor-language openai:MODEL --advisor-option base_url=URL`.

It is shown in words what is in view, what the navigation teacher would do next, and sentences of the grammar that are true
of it. Its sentence is said to the agent only if the reader follows it to the right place (`vnla.language.verdict`); else the
grammar speaks. A sentence is composed when an agent that has asked hears it, and those of one step are composed together.

In the folder `out` stand `calls.jsonl` and `cache/`, as a chat model's that acts (`vnla.remote.completions`), and
`advice.jsonl`: a line for each sentence, with the raw reply, who answered, whether it was kept, and why not.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import torch

from vnla.assistance.advisor import Advisor, BoundAdvisor, Lexicon
from vnla.assistance.later import heard_later, on_a_cpu, silence_of
from vnla.assistance.phrases import subgoal_text, until_stop
from vnla.assistance.words import Phrases, Utterance
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.common.outside import check_fields, whole
from vnla.episode import StepContext, nowhere
from vnla.language.advisor import GrammarAdvisor, GrammarVoice
from vnla.language.asking import houses_of
from vnla.language.dialogue import choice_among
from vnla.language.handwritten import words_of
from vnla.language.lexer import known_words
from vnla.language.surroundings import Surroundings
from vnla.language.verdict import LONGEST, SentenceVerdict, is_answer, judged
from vnla.remote.caller import Address, Caller, Manner
from vnla.remote.completions import CHARACTERS, KEY_VARIABLE, Completions, key_in
from vnla.remote.evaluated_agent import Fault
from vnla.remote.folder import CACHE, CALLS, Journal
from vnla.remote.prompts import read_advisor_prompt
from vnla.remote.protocol import parsed
from vnla.remote.replies import FORMS, RESERVED, is_completion, said
from vnla.remote.spending import LARGEST, Meter
from vnla.vision.symbols import WorldSymbols, describe
from vnla.world.actions import Nav
from vnla.world.budgets import SUBGOAL_ACTIONS

if TYPE_CHECKING:
    from vnla.houses.folder import WorldFolder
    from vnla.world.compiled import World

ADVICE = "advice.jsonl"
ADVICE_FOLDER = Path("advice")
"""Where calls are kept if nobody says where."""
OPTION = "--advisor-option "
EXAMPLES = 5
"""Sentences of the grammar that it is shown, at most."""
LONGEST_SENTENCE = 48
"""Words that are said, with commas and the full stop."""
_MOST_CALLS = 1 << 40


@dataclass(frozen=True)
class ChatAdvisor(Advisor):
    """A chat model behind an address, whose sentences are said where the reader follows them; else the grammar speaks."""

    trains: ClassVar[bool] = False
    manner: ClassVar[frozenset[str]] = frozenset(
        {
            "base_url",
            "out",
            "max_calls",
            "max_tokens",
            "concurrency",
            "timeout",
            "retries",
            "give_up",
            "max_wait",
            "key_variable",
        }
    )

    k: int = SUBGOAL_ACTIONS
    """How many actions it describes."""
    direct: bool = False
    """Whether it acts for the agent during those actions, at test time too."""
    speaks: bool = True
    """Whether it says anything."""
    model: str = ""
    """The model; `openai:MODEL` says it."""
    base_url: str = ""
    """Where the server is, such as http://localhost:8000/v1."""
    prompt: str = ""
    """A file with the prompt; the package's unless it is given."""
    request: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What goes into every request as it is, as JSON; `temperature` is 0 unless it says another."""
    out: str = ""
    """Folder of calls, cache and sentences; advice/MODEL unless it is given."""
    max_calls: int | None = None
    """No more calls than this, over all times that the command goes on."""
    max_tokens: int | None = None
    """No more tokens than this."""
    concurrency: int = 8
    """Calls at a time."""
    timeout: float = 60.0
    """Seconds for one try of a call."""
    retries: int = 3
    """Tries after the first."""
    give_up: int = 20
    """Calls in a row without an answer after which the command leaves; 0: never."""
    max_wait: float = 600.0
    """Seconds that a busy server is waited for."""
    key_variable: str = ""
    """The variable of the environment with the key; OPENAI_API_KEY unless it is given."""

    def __post_init__(self) -> None:
        check_fields(self, concurrency=(1, 256))
        self.check_role("advisor openai", 6)
        if not self.model:
            raise InputError("advisor openai: say which model, openai:MODEL")
        if not self.base_url:
            raise InputError(
                f"advisor openai:{self.model}: say where the server is, for example"
                f" {OPTION}base_url=http://localhost:8000/v1"
            )
        for name in ("max_calls", "max_tokens"):
            if getattr(self, name) is not None:
                whole(getattr(self, name), f"advisor openai: {name}", 0, _MOST_CALLS)
        if not isinstance(self.request, Mapping):
            raise InputError(
                f'advisor openai: request is {self.request!r}; expected an object, such as {{"max_tokens": 100}}'
            )
        if taken := (RESERVED | FORMS) & set(self.request):
            raise InputError(f"advisor openai: request has {min(taken)}, which is filled in")
        _ = self.calls

    @property
    def calls(self) -> Manner:
        """How the server is called."""
        return Manner(
            self.timeout, self.retries, give_up=self.give_up, max_wait=self.max_wait, largest=LARGEST, options=OPTION
        )

    @property
    def folder(self) -> Path:
        """Where calls, cache and sentences are kept."""
        return Path(self.out) if self.out else ADVICE_FOLDER / (re.sub(r"[^\w.-]+", "-", self.model).strip("-.") or "model")

    def words(self) -> Sequence[str]:
        """Every word that the reader knows and the grammar says: of a sentence with another none is kept."""
        return sorted({*GrammarAdvisor().words(), *known_words(), ",", "."})

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> BoundAdvisor:  # noqa: ARG002
        """Never without a world's folder: whether a sentence is true is seen in its houses."""
        raise InputError(f"advisor openai:{self.model}: speaks of what is in the houses; give the world as a folder")

    def ready_in(self, folder: WorldFolder, world: World, lexicon: Lexicon, device: torch.device | str = "cpu") -> ChatVoice:
        """Bound to the houses of a world, on a CPU: on a GPU every agent would be told something at every step."""
        on_a_cpu(f"openai:{self.model}", device)
        self.check_words(lexicon)
        prompt = read_advisor_prompt(Path(self.prompt) if self.prompt else None)
        journal = Journal(self.folder / CALLS)
        meter = Meter(self.max_calls, self.max_tokens, option=f"{OPTION}max_")
        meter.recall(journal)
        key = key_in(self.key_variable or None, KEY_VARIABLE, f"{OPTION}key_variable")
        caller = Caller(Address.of(self.base_url), self.calls, journal, key)
        if caller.is_secret_in([prompt.text, dict(self.request), self.model]):
            raise InputError("advisor openai: an option or the prompt has the key in it, which would be written down")
        server = Completions(caller, meter, self.folder / CACHE, journal)
        grammar = GrammarAdvisor(k=self.k).ready_in(folder, world, lexicon)

        def ask(plan: PlanInWords, where: Mapping[str, Any]) -> str | Fault:
            system, user = prompt.filled(plan._asdict())
            messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
            body = {"model": self.model, "messages": messages, "temperature": 0, **self.request}
            body = {name: value for name, value in body.items() if value is not None}
            about = (len(system) + len(user)) // CHARACTERS + LONGEST // CHARACTERS
            return server.ask(body, about, where, {"body": body})

        silence = silence_of(LONGEST_SENTENCE, lexicon)
        around, symbols = houses_of(folder), WorldSymbols(folder)
        return ChatVoice(self, silence, lexicon, grammar, world, around, symbols, ask, Journal(self.folder / ADVICE))


class PlanInWords(NamedTuple):
    """What a chat model is shown: the placeholders of its prompt."""

    sight: str
    plan: str
    end: str
    true: str


class ChatAdvice(NamedTuple):
    """What was said of a plan, and by whom."""

    said: str
    kept: bool
    why: str


@dataclass(frozen=True, eq=False)
class ChatVoice(BoundAdvisor):
    """It, ready to speak."""

    captured = False
    remembers = True

    advisor: ChatAdvisor
    phrases: Phrases
    lexicon: Lexicon
    grammar: GrammarVoice
    world: World
    around: Callable[[str], Surroundings]
    symbols: WorldSymbols
    ask: Callable[[PlanInWords, Mapping[str, Any]], str | Fault]
    sentences: Journal
    _judged: dict[tuple[int, tuple[int, ...]], ChatAdvice] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def account(self) -> Mapping[str, int]:
        """How many of its sentences were kept, and why others were not."""
        with self._lock:
            return dict(sorted(self._counts.items()))

    def say(self, now: StepContext) -> Utterance:
        """A sentence for everybody, which is composed when somebody hears it."""
        return heard_later(self.phrases, self.lexicon, len(now.pose), partial(self.advice, now), words_of)

    def answer(self, now: StepContext, row: int, choices: Sequence[str], right: int | None) -> str:
        """What it answers to a question back; its words are kept if they choose what is right, else that is said plainly."""
        actions, poses = now.episodes.environment.taught_way(
            now.pose[row : row + 1], now.episodes.goals[row : row + 1], self.advisor.k
        )
        plan, way = until_stop([int(each) for each in actions]), [int(each) for each in poses]
        where, told = self._shown(plan, way, [])
        asked = f"They ask back: which did you mean? {'; '.join(choices)}. Answer with the one that is right, or: neither."
        reply = self.ask(told._replace(true=asked), {**where, "choices": list(choices)})
        answer = "" if isinstance(reply, Fault) else sentence_of(reply)
        kept = is_answer(answer) and choice_among(answer, choices) == right
        note = {"model": self.advisor.model, "reply": None if isinstance(reply, Fault) else reply}
        self.sentences.add({**where, **note, "choices": list(choices), "sentence": answer, "kept": kept})
        with self._lock:
            self._counts["answers kept" if kept else "answers not kept"] += 1
        return answer if kept else super().answer(now, row, choices, right)

    def advice(self, now: StepContext, rows: Sequence[int]) -> list[str]:
        """What it says to some agents of a batch: several are asked about at a time."""
        actions, poses = now.episodes.environment.taught_way(now.pose, now.episodes.goals, self.advisor.k)
        plans = torch.stack(actions, dim=1)[list(rows)].tolist()
        ways = torch.stack(poses, dim=1)[list(rows)].tolist()
        plain = Spare(self.grammar, now)
        plans = [tuple(Nav(each) for each in until_stop(plan)) for plan in plans]
        about = [(way[0], plan) for way, plan in zip(ways, plans, strict=True)]
        new = {key: (*key, way, row) for key, way, row in zip(about, ways, rows, strict=True) if key not in self._judged}
        asked = [(pose, plan, way, plain.examples(row)) for pose, plan, way, row in new.values()]
        with ThreadPoolExecutor(max_workers=max(1, min(self.advisor.concurrency, len(asked)))) as pool:
            self._judged.update(zip(new, pool.map(lambda each: self._asked(*each), asked), strict=True))
        found = [self._judged[key] for key in about]
        with self._lock:
            self._counts.update("kept" if each.kept else f"not kept, {each.why.partition(':')[0]}" for each in found)
        return [each.said if each.kept else plain.sentence(row) for each, row in zip(found, rows, strict=True)]

    def _asked(self, pose: int, plan: tuple[Nav, ...], way: Sequence[int], true: Sequence[str]) -> ChatAdvice:
        """What it says of a plan, and whether that is kept; written down with the raw reply."""
        house, first = self._house(pose)
        around, own = self.around(house), [each - first * VIEWS for each in way]
        where, told = self._shown(plan, way, true)
        reply = self.ask(told, where)
        raw = None if isinstance(reply, Fault) else reply
        fault = reply if isinstance(reply, Fault) else None if is_completion(reply) else Fault.MALFORMED
        sentence = "" if raw is None else sentence_of(raw)
        found = judged(sentence, around, plan, own) if fault is None else SentenceVerdict(False, f"no answer: {fault}")
        if found.kept and len(words_of(sentence)) > LONGEST_SENTENCE:
            found = SentenceVerdict(False, f"it has more than {LONGEST_SENTENCE} words")
        note = {"model": self.advisor.model, "answered_by": None if raw is None else answered_by(raw), "reply": raw}
        self.sentences.add({**where, **note, "sentence": sentence, "kept": found.kept, "why": found.why, "true": found.true})
        return ChatAdvice(sentence, found.kept, found.why)

    def _shown(self, plan: Sequence[Nav], way: Sequence[int], true: Sequence[str]) -> tuple[dict[str, Any], PlanInWords]:
        """Where a plan begins, as it is written down, and what the model is shown of it."""
        ids, (house, _) = self.world.ids, self._house(way[0])
        seen = [describe(self.symbols(house, ids[each // VIEWS], each % VIEWS)) for each in (way[0], way[len(plan)])]
        told = PlanInWords(seen[0], exactly(plan), seen[1], "\n".join(f"- {each}" for each in true))
        return {"house": house, "viewpoint": ids[way[0] // VIEWS], "view": way[0] % VIEWS, "plan": told.plan}, told

    def _house(self, pose: int) -> tuple[str, int]:
        """The house of a pose of the world, and its first viewpoint."""
        number = int(torch.searchsorted(self.world.first, torch.tensor(pose // VIEWS), right=True)) - 1
        return self.world.houses[number], int(self.world.first[number])


@dataclass(frozen=True, eq=False)
class Spare:
    """What the grammar says of the plans of a step: examples, and sentences where none was kept."""

    grammar: GrammarVoice
    now: StepContext

    def sentence(self, row: int) -> str:
        """What it says to an agent."""
        return self._spoken.table.text(int(self._spoken.index[row]))

    def examples(self, row: int) -> list[str]:
        """Different sentences that are true of an agent's plan: the same wherever one stands so, whatever one has seen."""
        texts = [each.table.text(int(each.index[row])) for each in self._drawn]
        return list(dict.fromkeys(text for text in texts if text))

    @cached_property
    def _spoken(self) -> Utterance:
        return self.grammar.say(self.now)

    @cached_property
    def _drawn(self) -> list[Utterance]:
        episodes = replace(self.now.episodes, key=self.now.pose, seed=0)
        apart = replace(self.now, episodes=episodes, past=nowhere(self.now.pose, 1))
        return [self.grammar.say(replace(apart, step=number)) for number in range(EXAMPLES)]


def exactly(plan: Sequence[Nav]) -> str:
    """A plan in the paper's words, with the degrees of every turn: to people "turn left" is a right angle."""
    return re.sub(r"turn (left|right)", r"turn 30 degrees \1", subgoal_text(plan))


_QUOTED = re.compile(r"[\"“”'`*_]*(.*?)[\"“”'`*_]*", re.DOTALL)


def sentence_of(reply: str) -> str:
    """The sentence of a completion, without the quotation marks or stars that models put around it."""
    text = (said(reply) or "").strip()
    found = _QUOTED.fullmatch(text)
    return (found[1] if found else text).strip().replace("’", "'")


def answered_by(reply: str) -> str | None:
    """The model that a completion says it is from."""
    try:
        name = parsed(reply)["model"]
    except (ValueError, LookupError, TypeError):
        return None
    return name[:200] if isinstance(name, str) else None
