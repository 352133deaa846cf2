"""The card of a data set: what it is, for people and, in its YAML header, for the Hugging Face Hub."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Protocol

from vnla.recordings.naming import slug
from vnla.recordings.sources import EpisodeSource

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_CITATION = """\
@inproceedings{nguyen2019vnla,
  title     = {Vision-based Navigation with Language-based Assistance via Imitation Learning with Indirect Intervention},
  author    = {Nguyen, Khanh and Dey, Debadeepta and Brockett, Chris and Dolan, Bill},
  booktitle = {The IEEE Conference on Computer Vision and Pattern Recognition (CVPR)},
  year      = {2019}
}"""


class Described(Protocol):
    """A column with what it means."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def meaning(self) -> str: ...


def card(source: EpisodeSource, columns: Sequence[Described], totals: Mapping[str, int], nbytes: int, command: str) -> str:
    """The text of the card."""
    return "\n".join([_header(source, columns, totals, nbytes), _body(source, columns, totals, command)])


def _header(source: EpisodeSource, columns: Sequence[Described], totals: Mapping[str, int], nbytes: int) -> str:
    """YAML. Whatever is somebody's text is written as a JSON string, which YAML reads as it is."""
    episodes = totals["episodes"]
    size = next((name for most, name in _SIZES if episodes < most), "n>1M")
    lines = [
        "---",
        f"pretty_name: {json.dumps(_title(source))}",
        "language:",
        "- en",
        f"license: {'mit' if source.folder.manifest.get('source') == 'generated' else 'other'}",
        "task_categories:",
        "- robotics",
        "- reinforcement-learning",
        "tags:",
        "- vision-and-language-navigation",
        "- imitation-learning",
        "- vnla",
        "size_categories:",
        f"- {size}",
        "configs:",
        "- config_name: default",
        "  data_files:",
        f"  - split: {source.split}",
        f"    path: data/{source.split}-*.parquet",
        "dataset_info:",
        "  features:",
        *(line for column in columns for line in _feature(column)),
        "  splits:",
        f"  - name: {source.split}",
        f"    num_bytes: {nbytes}",
        f"    num_examples: {episodes}",
        "---",
        "",
    ]
    return "\n".join(lines)


def _feature(column: Described) -> list[str]:
    """A column as `dataset_info` has it: a type, or a list of a type, or a list of lists."""
    base, lists = column.kind.rstrip("[]"), column.kind.count("[]")
    name = f"  - name: {json.dumps(column.name)}"
    if lists == 0:
        return [name, f"    dtype: {base}"]
    if lists == 1:
        return [name, f"    list: {base}"]
    return [name, "    list:", f"      list: {base}"]


def _title(source: EpisodeSource) -> str:
    return f"{source.dataset.task}, {source.split.replace('_', ' ')}: {source.name}"


def _body(source: EpisodeSource, columns: Sequence[Described], totals: Mapping[str, int], command: str) -> str:
    episodes = max(1, totals["episodes"])
    rows = "\n".join(f"| `{column.name}` | {column.kind} | {column.meaning} |" for column in columns)
    pictured = source.folder.manifest.get("source") == "generated"
    licence = (
        "The houses are generated; their pictures and these episodes may be used as the MIT licence says."
        if pictured
        else "The houses have terms of use of their own, which hold for what is derived from them."
    )
    made = f"\nMade by `{command.replace('`', '')}`.\n" if command else ""
    return f"""\
# {slug(source.dataset.task, source.split, source.name)}

Episodes of vision-based navigation with language-based assistance: an agent walks through a house to find what it was asked
for, sees only what is in front of it, and may ask an advisor a limited number of times.

{source.what} World `{source.folder.path.name.replace("`", "")}`, split {source.split}: {totals["episodes"]:,} episodes,
{totals["steps"] / episodes:.1f} actions each, {100 * totals["successes"] / episodes:.1f}% of them successful.
{made}
| column | type | meaning |
| --- | --- | --- |
{rows}

Lists have an entry for each of the T actions, or one more: before each action and after the last. `vocab.txt` has the words
of the tokens, numbered by line from 0.

## Licence

{licence}

## Citation

The task is that of

```bibtex
{_CITATION}
```
"""
