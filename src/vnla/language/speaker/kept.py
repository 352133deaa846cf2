"""A speaker in a file: safetensors with its parameters as `network.*`, in one to go on from also Adam's moments as `adam.*`,
and notes on what it is in the header."""

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
from vnla.common.errors import InputError
from vnla.common.outside import from_json, whole
from vnla.common.randomness import Purpose, uniform
from vnla.language.grammar import FULL_STOP, text_of
from vnla.language.speaker.looks import called
from vnla.language.speaker.network import Sizes, SpeakerNetwork
from vnla.language.speech import longest_sentence

NETWORK, ADAM = "network.", "adam."
_MOST_WIDTH = 4096
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
    network = SpeakerNetwork(Sizes(len(words), k, width))
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
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            notes = from_json((file.metadata() or {})["notes"])
        words = tuple(map(str, notes["words"]))
        if FULL_STOP not in words:
            raise ValueError("its notes make no sense")
        k, width = whole(notes["k"], "k", 1, 8), whole(notes["width"], "width", 1, _MOST_WIDTH)
        network = SpeakerNetwork(Sizes(len(words), k, width))
        network.load_state_dict({name[len(NETWORK) :]: each for name, each in tensors.items() if name.startswith(NETWORK)})
        done = whole(notes["done"], "done", 0)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no speaker; `vnla speaker {path} --world WORLD` trains one") from None
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise InputError(f"{path}: cannot be read as a speaker ({str(error).splitlines()[0]})") from None
    moments = {name[len(ADAM) :]: each for name, each in tensors.items() if name.startswith(ADAM)}
    return Speaker(network.eval(), words, done), moments, notes


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
    }
    data = save(
        {name: each.contiguous().cpu() for name, each in tensors.items()}, {"notes": json.dumps(told, sort_keys=True)}
    )
    files.write_bytes(path, data)
