"""Episodes as Parquet files with a card, as the Hugging Face Hub has data sets: a row an episode.

::

    README.md                             what this is: a card with a YAML header
    data/SPLIT-00000-of-00003.parquet     the episodes
    vocab.txt                             the words of the tokens, numbered by line from 0
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from vnla.camera import VIEWS
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.evaluation.trace import NOTHING
from vnla.recordings.observing import Observer
from vnla.recordings.recording import Recording, recordings
from vnla.recordings.sources import EpisodeSource, slug

CARD, DATA, WORDS = "README.md", "data", "vocab.txt"
SHARD, LARGE_SHARD = 5000, 250
"""Episodes in a file; where they have features or pictures."""
GROUP = 50
"""Episodes that are written together."""


class Column(NamedTuple):
    """A column of the files: its name, its type in the words of the card's header, what it means."""

    name: str
    kind: str
    """A type; with `[]` behind it a list of them, once more a list of lists."""
    meaning: str


_EVERY = (
    Column("task", "string", "id of the task"),
    Column("house", "string", "its house"),
    Column("end_goal", "string", "what is asked for, in words"),
    Column("actor", "string", "whose episode: agent, teacher or person"),
    Column("participant", "string", "who, in a study with people"),
    Column("condition", "string", "of a study with people"),
    Column("seed", "int64", "of the help budget; null where it is not known"),
    Column("time_budget", "int64", "steps that it could take"),
    Column("help_budget", "int64", "requests that it could make; null where it is not known"),
    Column("steps", "int64", "T: actions taken"),
    Column("requests", "int64", "requests made"),
    Column("success", "bool", "whether it ended within 2 m of a goal"),
    Column("stopped", "bool", "whether it ended by stop, not because time was over"),
    Column("nav", "int8[]", "T actions: 0 left, 1 right, 2 up, 3 down, 4 forward, 5 stop"),
    Column("request", "bool[]", "T: whether help was requested before the action"),
    Column("said", "string[]", "T: what the advisor said before the action; null where it was not asked"),
    Column("teacher_nav", "int8[]", "T + 1: what the navigation teacher would do at each pose, the last included"),
    Column("distance_left", "float32[]", "T + 1: metres to the nearest goal"),
)
_OF_KIND = {
    "tokens": (Column("instruction", "int32[][]", "T + 1: tokens of what the agent reads when it acts, padded with 0"),),
    "poses": (
        Column("viewpoint", "string[]", "T + 1: id of the viewpoint"),
        Column("view", "int8[]", "T + 1: 12·row + heading; row 0 down, 1 level, 2 up"),
        Column("pose", "float32[][]", "T + 1: x, y, z in metres, heading and elevation in radians"),
    ),
    "pictures": (Column("picture", "image[]", "T + 1: what is seen, a JPEG file"),),
}


def columns(observer: Observer) -> list[Column]:
    """Return the columns of the files."""
    found = list(_EVERY)
    for kind in observer.kinds:
        found += _OF_KIND.get(kind, ())
    if "features" in observer.kinds:
        found += [
            Column(f"features_{name}", "float32[][]", f"T + 1: {table.shape[1]} features of the view")
            for name, table in observer.views.items()
        ]
    return found


def write_parquet(
    out: Path, source: EpisodeSource, observer: Observer, command: str = "", progress: Share = unheard
) -> Path:
    """Write the episodes as the new folder `out`; its card."""
    pyarrow, parquet = pyarrow_module("pyarrow"), pyarrow_module("pyarrow.parquet")
    schema = pyarrow.schema([(column.name, arrow_type(pyarrow, column.kind)) for column in columns(observer)])
    schema = schema.with_metadata({"vnla": json.dumps({"what": source.what, "split": source.split})})
    large = {"features", "pictures"} & set(observer.kinds)
    size = LARGE_SHARD if large else SHARD
    shards = max(1, math.ceil(source.count / size))
    totals = {"episodes": 0, "steps": 0, "successes": 0}
    with files.new_folder(out) as folder:
        (folder / DATA).mkdir()
        rows = _rows(source, observer, totals, progress)
        for shard in range(shards):
            path = folder / DATA / f"{source.split}-{shard:05}-of-{shards:05}.parquet"
            with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
                for group in _groups(rows, size):
                    writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
        files.write_text(folder / WORDS, source.vocabulary.text())
        nbytes = sum(path.stat().st_size for path in (folder / DATA).iterdir())
        files.write_text(folder / CARD, card(source, columns(observer), totals, nbytes, command))
    return out / CARD


def _groups(rows: Iterator[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    """Return at most so many rows, a few at a time."""
    while size > 0:
        group = [row for _, row in zip(range(min(GROUP, size)), rows, strict=False)]
        if not group:
            return
        size -= len(group)
        yield group


def _rows(source: EpisodeSource, observer: Observer, totals: dict[str, int], progress: Share) -> Iterator[dict[str, Any]]:
    for batch in source.batches():
        for each in recordings(batch):
            totals["episodes"] += 1
            totals["steps"] += each.steps
            totals["successes"] += each.success
            yield _row(each, observer)
            progress(totals["episodes"], source.count)


def _row(each: Recording, observer: Observer) -> dict[str, Any]:
    row: dict[str, Any] = each.summary() | {
        "seed": each.about.seed,
        "time_budget": each.time_budget,
        "help_budget": None if each.help_budget == NOTHING else each.help_budget,
        "stopped": each.stopped,
        "nav": each.nav.tolist(),
        "request": each.request.tolist(),
        "said": [said or None for said in each.said],
        "teacher_nav": each.taught.tolist(),
        "distance_left": each.metres.tolist(),
    }
    if "tokens" in observer.kinds:
        row["instruction"] = list(observer.tokens(each.instructions()).astype(np.int32))
    if "poses" in observer.kinds:
        row |= {
            "viewpoint": observer.places(each.pose),
            "view": (each.pose % VIEWS).tolist(),
            "pose": list(observer.poses(each.pose)),
        }
    if "features" in observer.kinds:
        row |= {f"features_{name}": list(np.asarray(table[each.pose], np.float32)) for name, table in observer.views.items()}
    if "pictures" in observer.kinds:
        row["picture"] = [{"bytes": file, "path": None} for file in observer.files(each.pose)]
    return row


def arrow_type(pyarrow: Any, kind: str) -> Any:
    """Return a column's type."""
    if kind.endswith("[]"):
        return pyarrow.list_(arrow_type(pyarrow, kind.removesuffix("[]")))
    if kind == "image":
        return pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
    return getattr(pyarrow, {"bool": "bool_"}.get(kind, kind))()


def pyarrow_module(module: str) -> Any:
    """Return a module of the package that writes Parquet files, which not everybody has."""
    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(f"Parquet files need the package pyarrow ({error}); pip install 'vnla[parquet]'") from None


_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def size_category(rows: int) -> str:
    """Return how a card's header says how many rows there are."""
    return next((name for most, name in _SIZES if rows < most), "n>1M")


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
    """Return the text of the card."""
    return "\n".join([_header(source, columns, totals, nbytes), _body(source, columns, totals, command)])


def _header(source: EpisodeSource, columns: Sequence[Described], totals: Mapping[str, int], nbytes: int) -> str:
    """YAML. Whatever is somebody's text is written as a JSON string, which YAML reads as it is."""
    episodes = totals["episodes"]
    size = size_category(episodes)
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
        *(line for column in columns for line in feature_lines(column)),
        "  splits:",
        f"  - name: {source.split}",
        f"    num_bytes: {nbytes}",
        f"    num_examples: {episodes}",
        "---",
        "",
    ]
    return "\n".join(lines)


def feature_lines(column: Described) -> list[str]:
    """Return a column as `dataset_info` has it: a type, or a list of a type, or a list of lists."""
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
