"""The advisor `grammar`: it says the navigation teacher's next actions as people do, with what there is to see.

It knows the houses (`vnla.language.facts`), so what it says is true; how it says it is drawn for each episode and step
(`vnla.language.grammar`). Sentences are composed on the device (`vnla.language.speech`): a new table of phrases at every
step, one for each agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import pad

from vnla.assistance.advisor import Advisor, BoundAdvisor, Lexicon, TemplateAdvisor
from vnla.assistance.phrases import every_subgoal
from vnla.assistance.words import Phrases, Utterance, tails_of
from vnla.common.capture import fused
from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.episode import StepContext
from vnla.language.grammar import FULL_STOP, Grammar, text_of
from vnla.language.speech import (
    LANGUAGES,
    SIDES_TOLD,
    ComposedSentences,
    Knowledge,
    Speech,
    draws,
    landmarks_decide,
    longest_sentence,
    plan_of,
    tell,
)
from vnla.words import Words
from vnla.world.budgets import SUBGOAL_ACTIONS
from vnla.world.compiled import World

if TYPE_CHECKING:
    from vnla.houses.folder import WorldFolder

_LONGEST_PLAN = 8
_LONGEST_PHRASED = 6  # a turn of more has no words in the grammar


@dataclass(frozen=True)
class GrammarAdvisor(Advisor):
    """Describes the navigation teacher's next k actions as people do."""

    k: int = SUBGOAL_ACTIONS
    """How many actions it describes."""
    direct: bool = False
    """Whether it acts for the agent during those actions, at test time too."""
    speaks: bool = True
    """Whether it says anything."""
    says: str = "usual"
    """What: as in training; "combinations", "templates" or "synonyms" that are held out; "landmarks" wherever they alone
    tell the way; or for contrast what is not so: "mirrored", other things than those ("wrong"), or "shuffled" words."""
    phrases: float = 0.0
    """Share of what it says that is in the paper's phrases, so that an agent learns both."""
    sides: float = SIDES_TOLD
    """How often it says on which side something is that one has to turn to, and can see; what cannot be seen, always."""

    landmarks: float = 0.0
    """Share of what it says in which things and rooms alone tell the way, wherever they can."""

    def __post_init__(self) -> None:
        check_fields(self, phrases=(0, 1), sides=(0, 1), landmarks=(0, 1))
        self.check_role("advisor grammar", _LONGEST_PLAN)
        if self.phrases and self.k > _LONGEST_PHRASED:
            raise InputError(f"advisor grammar: k is {self.k}, but phrases can describe 1 to {_LONGEST_PHRASED} actions")
        if self.says not in LANGUAGES:
            raise InputError(f"advisor grammar: says {self.says!r}; choose from {', '.join(LANGUAGES)}")

    def words(self) -> Sequence[str]:
        """Every word of the grammar, held out or not."""
        return Grammar().words

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> GrammarVoice:
        """Without knowledge of any house: it speaks of turns and steps alone."""
        return self._voice(lexicon, None, device)

    def ready_in(
        self, folder: WorldFolder, world: World, lexicon: Lexicon, device: torch.device | str = "cpu"
    ) -> GrammarVoice:
        """With all that can be said in the houses of a world."""
        return self._voice(lexicon, knowledge_of(folder, world), device)

    def _voice(self, lexicon: Lexicon, knowledge: Knowledge | None, device: torch.device | str) -> GrammarVoice:
        grammar = Grammar()
        self.check_words(lexicon)
        speech = Speech.of(grammar, lexicon, self.says, self.k, device, self.sides, self.landmarks)
        silence = Words(torch.zeros(1, longest_sentence(self.k), dtype=torch.int64), torch.zeros(1, dtype=torch.int64))
        phrases = Phrases(silence.to(device), lexicon.end, lambda _: "")
        _ = phrases.tails
        book = _Phrasebook.of(grammar, self.k, self.phrases, device) if self.phrases else None
        return GrammarVoice(self, phrases, speech, ("", *grammar.words), knowledge, book)


@dataclass(frozen=True, eq=False)
class GrammarVoice(BoundAdvisor):
    """It, ready to speak."""

    remembers = True

    advisor: GrammarAdvisor
    phrases: Phrases
    speech: Speech
    spelling: tuple[str, ...]  # of the grammar's own numbers
    knowledge: Knowledge | None = None
    phrasebook: _Phrasebook | None = None
    _bare: dict[int, Knowledge] = field(default_factory=dict)

    def say(self, now: StepContext) -> Utterance:
        """A sentence for everybody, in a table of their own."""
        own, words, tails = _said(self, replace(now, step=0), now.step)
        table = Composed(words, self.phrases.end, partial(self._text, own), tails)
        return Utterance(torch.arange(len(now.pose), device=now.pose.device), table)

    def _text(self, words: Words, row: int) -> str:
        return spelled(words.tokens[row, : int(words.length[row])], self.spelling)

    def tell(self, now: StepContext) -> ComposedSentences:
        """The sentences with what they say."""
        return tell(now, self.speech, self.known(now), self.advisor.k)

    def landmarks_decide(self, now: StepContext) -> Tensor:
        """Of somebody who says what is "wrong", whether a thing or a room alone leads another way: (batch,)."""
        return landmarks_decide(now, self.speech, self.known(now), self.advisor.k)

    def known(self, now: StepContext) -> Knowledge:
        """What is known of the houses."""
        if self.knowledge is not None:
            return self.knowledge
        world = now.episodes.environment.world
        if id(world) not in self._bare:
            self._bare.clear()
            self._bare[id(world)] = Knowledge.none(world)
        return self._bare[id(world)]


_APART = 1 << 45  # from the numbers that a step draws for anything else


@dataclass(frozen=True, eq=False)
class _Phrasebook:
    """Every plan of k actions in the paper's words, for agents that are to understand both: so many of the things that are
    said are said so, drawn for each episode and step."""

    share: float  # of what is said
    advisor: TemplateAdvisor
    words: Words  # (plans, longest sentence), in the grammar's own numbers
    first: Tensor  # (1,), the number that is drawn

    @classmethod
    def of(cls, grammar: Grammar, k: int, share: float, device: torch.device | str) -> _Phrasebook:
        """For plans of k actions."""
        number = {word: i for i, word in enumerate(grammar.words, start=1)}
        rows = [[number[word] for word in (*plan, FULL_STOP)] for plan in every_subgoal(k)]
        length = torch.tensor([len(row) for row in rows])
        tokens = torch.tensor([row + [0] * (longest_sentence(k) - len(row)) for row in rows])
        return cls(
            share, TemplateAdvisor(k=k), Words(tokens, length).to(device), torch.zeros(1, dtype=torch.int64).to(device)
        )

    def among(self, now: StepContext, said: Words) -> Words:
        """What was said, some of it in phrases."""
        drawn = draws(replace(now, step=now.step + _APART), self.first)  # (batch, 1)
        phrased = drawn < self.share
        row = self.advisor.code(plan_of(now, self.advisor.k).actions)
        tokens = torch.where(phrased, self.words.tokens[row], said.tokens)
        return Words(tokens, torch.where(phrased.squeeze(1), torch.take(self.words.length, row), said.length))


@fused
def _said(voice: GrammarVoice, now: StepContext, step: int | Tensor) -> tuple[Words, Words, Words]:
    """The sentences in the grammar's own words and in the agent's, and how they are read, with silence below them."""
    now = replace(now, step=step)
    told = voice.tell(now).words
    if voice.phrasebook is not None:
        told = voice.phrasebook.among(now, told)
    own = Words(pad(told.tokens, (0, 0, 0, 1)), pad(told.length, (0, 1)))
    table = Words(torch.take(voice.speech.numbers, own.tokens), own.length)
    return own, table, tails_of(table, voice.phrases.end)


@dataclass(frozen=True, eq=False)
class Composed(Phrases):
    """A table of sentences that were composed for a batch, and silence."""

    read: Words

    @property
    def tails(self) -> Words:
        """Every row as it is read: made together with the words."""
        return self.read


def spelled(tokens: Tensor, spelling: Sequence[str]) -> str:
    """Tokens as people write them."""
    return text_of([spelling[token] for token in tokens.tolist()])


_known: dict[tuple[int, str], tuple[object, Knowledge]] = {}


def knowledge_of(folder: WorldFolder, world: World) -> Knowledge:
    """The facts of a world on its device; those of the last worlds are kept, for others who speak there."""
    from vnla.language.facts import world_facts  # late: it brings houses and processes along

    key = id(world.graphs), str(world.device)
    if key not in _known:
        while len(_known) >= 2:
            _known.pop(next(iter(_known)))
        _known[key] = world.graphs, Knowledge.of(world_facts(folder), world)
    return _known[key][1]
