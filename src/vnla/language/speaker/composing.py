"""Sentences of a speaker for every plan in a house, composed before anybody walks.

For each level pose and each plan that the navigation teacher may have there the speaker says a few sentences. Those are kept
that a listener understands, finds true, and follows to where the plan ends: the parser (`vnla.language.grounding`). What is
kept of a house lies beside its sights in the world's folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.assistance.phrases import until_stop
from vnla.camera import VIEWS
from vnla.common.arrays import WHOLE, ArraySpec, mismatch
from vnla.common.progress import Count, unheard
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.houses.sightings import digest, keep_arrays, kept_arrays
from vnla.language.facts import kept_or_made
from vnla.language.frames import Step
from vnla.language.grounding import denote
from vnla.language.parser import parse
from vnla.language.speaker.kept import Speaker, read_speaker
from vnla.language.speaker.looks import Looks
from vnla.language.speech import PlanBatch
from vnla.language.surroundings import Surroundings
from vnla.language.tabled import plans_in
from vnla.language.things import ROOMS, THINGS
from vnla.world.actions import NAV_ACTIONS, Nav

TRIES = 4
"""Sentences that the speaker says of a plan: drawn, or it would say much the same of all; the last one is the likeliest."""
KEPT = 2
"""Of them that are kept: those that name most things and rooms."""
WARMTH = 0.7
_VERSION = 4
_AT_ONCE = 2048
_NOUNS = {word for noun in (*THINGS, *ROOMS) for phrase in noun.words for word in phrase.split()}


class SpokenSentences(NamedTuple):
    """The sentences that are kept of a house, sorted by what they are about."""

    about: NDArray[np.int64]  # (sentences,), pose in the house · 6^k + code of the plan
    tokens: NDArray[np.int16]  # (sentences, longest), words of the speaker, 0 where there are fewer
    plans: NDArray[np.int64]  # (1,), how many plans there are


def world_said(
    folder: WorldFolder, speaker: Path, progress: Count = unheard, workers: int | None = None
) -> Iterator[SpokenSentences]:
    """What a speaker says in every house, in order; made where it is not kept yet."""
    own = read_speaker(speaker)
    kept = [_kept(folder, house, own) for house in folder.houses]
    return kept_or_made(folder.houses, kept, partial(_made, folder, speaker), "vnla speaker", progress, workers)


def _of(folder: WorldFolder, house: House, speaker: Speaker) -> str:
    return f"{digest(folder, house, _VERSION)} {speaker.digest}"


def _kept(folder: WorldFolder, house: House, speaker: Speaker) -> SpokenSentences | None:
    arrays = kept_arrays(folder, f"{house.name}.said", _of(folder, house, speaker))
    plans = len(house.stands) * VIEWS * NAV_ACTIONS**speaker.k
    specs = {
        "about": ArraySpec(WHOLE, ("sentences",), 0, plans - 1),
        "tokens": ArraySpec(WHOLE, ("sentences", speaker.longest), 0, len(speaker.words)),
        "plans": ArraySpec(WHOLE, (1,), 0, plans),
    }
    if arrays is None or set(arrays) != set(specs) or mismatch(arrays, specs) is not None:
        return None  # whatever is wrong with it, it can be made again
    return SpokenSentences(**arrays)


@cache
def _opened(path: Path) -> Speaker:
    return read_speaker(path)


def _made(folder: WorldFolder, path: Path, house: House) -> SpokenSentences:
    speaker = _opened(path)
    said = said_in(Surroundings.of(folder, house), speaker)
    keep_arrays(folder, f"{house.name}.said", _of(folder, house, speaker), said._asdict())
    return said


def said_in(around: Surroundings, speaker: Speaker) -> SpokenSentences:
    """All that a speaker says in a house and a listener follows."""
    plan, about = plans_in(around, speaker.k)
    looks = Looks.of([around])
    nouns = {number for number, word in enumerate(speaker.words, start=1) if word in _NOUNS}
    found: dict[int, list[tuple[int, ...]]] = {}
    for first in range(0, len(about), _AT_ONCE):
        rows = slice(first, first + _AT_ONCE)
        some = PlanBatch(plan.actions[rows], plan.poses[rows])
        said = torch.stack(list(tries(speaker, looks, some, about[rows])), dim=1)
        for row, sentences in enumerate(said.tolist(), start=first):
            different = dict.fromkeys(tuple(each for each in sentence if each) for sentence in sentences)
            telling = sorted(different, key=lambda each: -sum(word in nouns for word in each))
            good = (each for each in telling if follows(speaker.text(each), around, plan, row))
            found[row] = list(islice(good, KEPT))
    rows_kept = [(int(about[row]), words) for row, own in sorted(found.items()) for words in own]
    kept = np.zeros((len(rows_kept), speaker.longest), np.int16)
    for row, (_, words) in enumerate(rows_kept):
        kept[row, : len(words)] = words
    return SpokenSentences(np.array([each for each, _ in rows_kept], np.int64), kept, np.array([len(about)]))


def tries(speaker: Speaker, looks: Looks, plan: PlanBatch, about: Tensor) -> Iterator[Tensor]:
    """What a speaker says of plans, drawn by the numbers of what they are about: (batch, longest) each time."""
    with torch.inference_mode():
        memory = speaker.network.look(looks, plan)
        for number in range(TRIES):
            drawn = speaker.drawn(about, number)
            yield speaker.network.speak(memory, speaker.longest, speaker.stop, drawn, WARMTH if number < TRIES - 1 else 0.0)


def follows(text: str, around: Surroundings, plan: PlanBatch, row: int) -> bool:
    """Whether a listener finds a sentence true, and is led by it along a plan."""
    actions = until_stop(plan.actions[row].tolist())
    poses = plan.poses[row].tolist()
    meant = denote(parse(text), around, poses[0], stepping(around, actions, poses), loosely=False)
    return meant.true and meant.pose == poses[len(actions)] and (Nav.STOP in meant.plan) == (Nav.STOP in actions)


def stepping(around: Surroundings, actions: Sequence[Nav], poses: Sequence[int]) -> Step:
    """What actions do: on a plan what they do there, elsewhere what they do for somebody without a goal."""
    own = {(pose, action): after for pose, action, after in zip(poses, actions, poses[1:], strict=False)}
    return lambda pose, action: own[pose, action] if (pose, action) in own else around.after(pose, action)
