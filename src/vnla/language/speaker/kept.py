"""A speaker in a file: safetensors with its parameters as `network.*`, in one to go on from also Adam's moments as `adam.*`,
and notes on what it is in the header, a checksum of the file among them. Files of earlier versions have none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from vnla.common import files
from vnla.common.checksums import CHECKSUM, UNSEALED, is_sealed_with, sealed
from vnla.common.errors import InputError
from vnla.common.outside import from_json, whole
from vnla.common.randomness import Purpose, uniform
from vnla.language.grammar import FULL_STOP, text_of
from vnla.language.speaker.looks import called
from vnla.language.speaker.network import SpeakerNetwork, SpeakerSizes
from vnla.language.speech import longest_sentence

NETWORK, ADAM = "network.", "adam."
MOMENTS = ("step", "exp_avg", "exp_avg_sq")
"""What Adam keeps of a parameter."""
MOST_WORDS = 30_000
"""So many have a number that fits into what is kept of sentences."""
_LONGEST_WORD = 60
_NUMBERS = {"k": (1, 8), "width": (1, 4096), "done": (0, 10**12), "seed": (0, 2**63 - 1)}
"""Whole numbers in the notes, and what they may be."""
_NEAR_AT_HAND = 3.0  # how much likelier at first the words of what is looked at are than others, as a logarithm


@dataclass(frozen=True, eq=False)
class Speaker:
    """A network with its words."""

    network: SpeakerNetwork
    words: tuple[str, ...]
    """Those that it has; number 1 is the first."""
    done: int = 0
    """Iterations of its training."""

    @property
    def k(self) -> int:
        """Actions of the plans that it speaks of."""
        return self.network.sizes.k

    @property
    def longest(self) -> int:
        """Words of its longest sentence."""
        return longest_sentence(self.k)

    @property
    def stop(self) -> int:
        """The number of the full stop."""
        return self.words.index(FULL_STOP) + 1

    def text(self, tokens: Sequence[int]) -> str:
        """A sentence as people write it."""
        return text_of([self.words[token - 1] for token in tokens if token])

    def drawn(self, about: Tensor, number: int) -> Tensor:
        """Random numbers for each word of the nth sentence about something: (batch, longest)."""
        places = torch.arange(self.longest, device=about.device) + number * self.longest
        return uniform(0, about[:, None], Purpose.ADVICE, places)

    @cached_property
    def digest(self) -> str:
        """What tells it from another."""
        found = hashlib.sha256(" ".join(self.words).encode())
        for name, value in sorted(self.network.state_dict().items()):
            found.update(name.encode() + value.cpu().numpy().tobytes())
        return found.hexdigest()


def new_speaker(words: Sequence[str], k: int, width: int, seed: int) -> Speaker:
    """One that has learned nothing yet."""
    torch.manual_seed(seed)
    network = SpeakerNetwork(SpeakerSizes(len(words), k, width))
    with torch.no_grad():
        for entry, names in enumerate(called()):
            network.names.weight[entry, [words.index(each) + 1 for each in names if each in words]] = _NEAR_AT_HAND
    return Speaker(network, tuple(words))


def read_speaker(path: Path) -> Speaker:
    """The speaker in a file, ready to speak."""
    return read_with_moments(path)[0]


def read_with_moments(path: Path) -> tuple[Speaker, dict[str, Tensor], dict[str, Any]]:
    """A speaker, with what it takes to train it further, and the notes on that."""
    try:
        with safe_open(path, framework="pt") as file:
            notes = from_json((file.metadata() or {})["notes"])
            words, sizes = _checked_notes(notes)
            if CHECKSUM in notes and not is_sealed_with(path, str(notes[CHECKSUM])):
                raise ValueError("it is damaged: it is not what its checksum says")
            _check_shapes(file, sizes)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if not all(each.isfinite().all() for each in tensors.values()):
            raise ValueError("a parameter is no finite number")
        network = SpeakerNetwork(sizes)
        network.load_state_dict({name[len(NETWORK) :]: each for name, each in tensors.items() if name.startswith(NETWORK)})
    except FileNotFoundError:
        raise InputError(f"{path}: there is no speaker; `vnla speaker {path} --world WORLD` trains one") from None
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path}: cannot be read as a speaker ({reason})") from None
    moments = {name[len(ADAM) :]: each for name, each in tensors.items() if name.startswith(ADAM)}
    return Speaker(network.eval(), words, notes["done"]), moments, notes


def _checked_notes(notes: Any) -> tuple[tuple[str, ...], SpeakerSizes]:
    """The words and the sizes of a speaker, from notes that may be anybody's."""
    words = notes["words"]
    if not isinstance(words, list) or not 1 <= len(words) <= MOST_WORDS or FULL_STOP not in words:
        raise ValueError("its notes make no sense: words")
    if not all(isinstance(each, str) and len(each) <= _LONGEST_WORD and each.isprintable() for each in words):
        raise ValueError("its notes make no sense: a word that is none")
    if len(set(words)) < len(words):
        raise ValueError("its notes make no sense: a word is there twice")
    for name, (least, most) in _NUMBERS.items():
        whole(notes.get(name, least) if name == "seed" else notes[name], f"its notes make no sense: {name}", least, most)
    return tuple(words), SpeakerSizes(len(words), notes["k"], notes["width"])


def _check_shapes(file: Any, sizes: SpeakerSizes) -> None:
    """Refuse a file whose tensors are not those of a network of these sizes and its moments, before any memory is taken for
    one: a header of a few bytes can claim sizes of many gigabytes."""
    with torch.device("meta"):
        expected = {name: tuple(each.shape) for name, each in SpeakerNetwork(sizes).state_dict().items()}
    allowed = {f"{NETWORK}{name}": shape for name, shape in expected.items()}
    for moment in MOMENTS:
        allowed |= {f"{ADAM}{moment}.{name}": (1,) if moment == "step" else shape for name, shape in expected.items()}
    found = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
    for name, each in found.items():
        if tuple(each.get_shape()) != allowed.get(name) or each.get_dtype() != "F32":
            raise ValueError(f"{name[:60]!r} is not what its notes say")
    if missing := [name for name in expected if f"{NETWORK}{name}" not in found]:
        raise ValueError(f"{NETWORK}{missing[0]} is missing")


def write_speaker(path: Path, speaker: Speaker, moments: Mapping[str, Tensor], notes: Mapping[str, Any]) -> None:
    """Keep a speaker, and what it takes to go on."""
    tensors = {f"{NETWORK}{name}": each for name, each in speaker.network.state_dict().items()}
    tensors |= {f"{ADAM}{name}": each for name, each in moments.items()}
    told = {
        **notes,
        "words": list(speaker.words),
        "k": speaker.k,
        "width": speaker.network.sizes.width,
        "done": speaker.done,
        CHECKSUM: UNSEALED,
    }
    data = save(
        {name: each.contiguous().cpu() for name, each in tensors.items()}, {"notes": json.dumps(told, sort_keys=True)}
    )
    files.write_bytes(path, sealed(data))
