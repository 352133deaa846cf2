"""What is submitted: an artefact that was frozen before its test houses existed.

An artefact is the files of a trained agent, the source of a policy, a container, or an address with the model and the
prompt behind it. Its digest draws the fresh houses (`vnla.experiments.benchmark.houses.draw_seed`).

What this proves: weights, or code, with this digest were there before anybody could have looked at the houses. What it does
not prove: that the server behind an address is still the one that it was, or that people had not walked there.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vnla.agents import pretrained
from vnla.common import checksums
from vnla.common.errors import InputError
from vnla.common.files import existing_file, existing_folder
from vnla.training.checkpoints import CONFIG, TUNED
from vnla.training.config import WORDS

RUN, POLICY, ADDRESS, CONTAINER, PEOPLE = "run", "policy", "address", "container", "people"
KINDS = (RUN, POLICY, ADDRESS, CONTAINER, PEOPLE)
"""What can be submitted."""


@dataclass(frozen=True)
class Artefact:
    """What is submitted, by the checksums of its parts."""

    kind: str
    parts: Mapping[str, Any]
    """What decides how the agent acts, as JSON: checksums of files by name, options, model, prompt."""

    @property
    def digest(self) -> str:
        """What names the artefact."""
        return checksums.of_json(self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file."""
        return {"kind": self.kind, "parts": dict(self.parts)}


def artefact_of_run(run: Path, checkpoint: str, asking: Mapping[str, Any], forward: str) -> Artefact:
    """Return the artefact of a trained agent: its configuration, words and weights, and how it asks."""
    folder = existing_folder(pretrained.folder_of(run), "a run")
    names = (CONFIG, WORDS, TUNED, f"{checkpoint}.safetensors")
    files = {name: checksums.of_file(folder / name) for name in names if (folder / name).is_file()}
    if f"{checkpoint}.safetensors" not in files:
        raise InputError(f"{run}: has no checkpoint {checkpoint}")
    return Artefact(RUN, {"files": files, "help": dict(asking), "forward": forward})


def artefact_of_policy(policy: object, options: Mapping[str, Any], files: Sequence[Path] = ()) -> Artefact:
    """Return the artefact of a policy in this process: the source of its module, its options, and further files of its."""
    kind = type(policy)
    found = {name: checksums.of_file(path) for name, path in _sources(kind.__module__).items()}
    found |= {path.name: checksums.of_file(existing_file(path, "a file of the agent")) for path in files}
    name = f"{kind.__module__}:{kind.__qualname__}"
    return Artefact(POLICY, {"class": name, "options": dict(options), "files": found})


def _sources(module: str) -> dict[str, Path]:
    """Return the sources of a module, and of those in its package whose functions and classes it uses."""
    package, found, todo = module.rpartition(".")[0], dict[str, Path](), [module]
    while todo:
        name = todo.pop()
        if name in found or name not in sys.modules:
            continue
        found[name] = Path(inspect.getfile(sys.modules[name]))
        used = {str(getattr(value, "__module__", "")) for value in vars(sys.modules[name]).values()}
        todo += sorted(each for each in used if package and each.startswith(f"{package}."))
    return dict(sorted(found.items()))


def artefact_of_address(name: str, settings: Mapping[str, Any], options: Mapping[str, Any]) -> Artefact:
    """Return the artefact of an agent behind an address: what it calls itself, model, prompt and options."""
    return Artefact(ADDRESS, {"name": name, "settings": dict(settings), "options": dict(options)})


def artefact_of_digest(kind: str, digest: str) -> Artefact:
    """Return the artefact of something that was frozen elsewhere, a container by its digest, say."""
    if kind not in KINDS:
        raise InputError(f"kind {kind}: unknown; choose from {', '.join(KINDS)}")
    return Artefact(kind, {"digest": digest})
