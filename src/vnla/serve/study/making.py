"""A new study: its configuration with tasks drawn from a data set, a consent text to fill in, a key, and a README."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from vnla.common import files
from vnla.common.errors import InputError
from vnla.houses.folder import read_world
from vnla.serve.goals import SPLITS
from vnla.serve.keys import new_key
from vnla.serve.study.design import CONSENT, DESIGN, DOES, INSTRUCTIONS, README, Design, PracticeRules, StudyCondition
from vnla.tasks.dataset import read_dataset
from vnla.tasks.task import Task

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class StudySizes:
    """How many tasks a study has."""

    each: int
    """Tasks in a block."""
    groups: int
    practice: int
    """Number of tasks for practice."""
    passes: int
    catch: int


def conditions_of(text: str, agents: Mapping[str, str]) -> list[StudyCondition]:
    """Read conditions: kinds with commas between them, each with @ and an agent if it is not the first."""
    found = []
    for name in filter(None, (each.strip() for each in text.split(","))):
        kind, _, agent = name.partition("@")
        if kind not in DOES:
            raise InputError(f"condition {name}: there is no {kind!r}; there are {', '.join(DOES)}")
        if agent and agent not in agents:
            raise InputError(f"condition {name}: there is no agent {agent!r}; there are {', '.join(agents)}")
        values = {"name": name, "kind": kind, "agent": agent or next(iter(agents)), "instructions": INSTRUCTIONS[kind]}
        found.append(StudyCondition.model_validate(values))
    if not found:
        raise InputError(f"there are no conditions; there are {', '.join(DOES)}")
    if len({each.name for each in found}) < len(found):
        raise InputError("a condition is there twice")
    return found


def make_study(
    folder: Path,
    *,
    world: Path,
    tasks: Path,
    agents: Mapping[str, str],
    conditions: Sequence[StudyCondition],
    arrangement: Literal["within", "between"],
    split: str,
    sizes: StudySizes,
    seed: int,
) -> Design:
    """Write a new study, whole or not at all."""
    if split not in SPLITS:
        raise InputError(f"--split {split}: people do tasks that agents were not trained on, of {', '.join(SPLITS)}")
    blocks = len(conditions) if arrangement == "within" else 1
    offered, houses = read_dataset(tasks).split(split), {house.name for house in read_world(world).houses}
    if strange := sorted({task.house for task in offered} - houses):
        raise InputError(f"{world}: has no house {strange[0]}, where tasks of {tasks} are done; name their --world")
    found = _draw(offered, sizes, blocks, seed)
    design = Design(
        name=re.sub(r"[^\w .-]", "-", folder.absolute().name)[:100],
        world=str(world.absolute()),
        tasks=str(tasks.absolute()),
        agents=dict(agents),
        conditions=list(conditions),
        arrangement=arrangement,
        groups=found.groups,
        practice=PracticeRules(tasks=found.practice, passes=sizes.passes, most=max(1, 3 * sizes.passes)),
        catch=found.catch,
        seed=seed,
    )
    with files.new_folder(folder) as new:
        files.write_text(new / DESIGN, design.text())
        for name in (CONSENT, README):
            template = (_TEMPLATES / name).read_text(encoding="utf-8")
            files.write_text(new / name, template.replace("{name}", design.name))
        new_key(new)
    return design


@dataclass(frozen=True)
class DrawnTasks:
    """The ids of a study's tasks."""

    groups: list[list[str]]
    practice: list[str]
    catch: list[str]


def _draw(tasks: Sequence[Task], sizes: StudySizes, blocks: int, seed: int) -> DrawnTasks:
    """Draw tasks for everything, none of them twice: the shortest for catch tasks and practice, the others at random.

    In one house nothing is looked for twice.
    """
    order = np.random.default_rng(seed).permutation(len(tasks)).tolist()
    mixed = list({(tasks[i].house, tasks[i].end_goal): tasks[i] for i in order}.values())
    easy = sorted(mixed, key=lambda task: min(task.lengths))[: sizes.catch + sizes.practice]
    rest = [task for task in mixed if task not in easy]
    size = blocks * sizes.each
    wanted = sizes.groups * size
    if len(rest) < wanted:
        raise InputError(
            f"the study needs {wanted + len(easy)} tasks that differ, but this split has {len(mixed)}; "
            "ask for fewer, or name another --split"
        )
    ids = [task.id for task in rest[:wanted]]
    return DrawnTasks(
        groups=[ids[first : first + size] for first in range(0, wanted, size)],
        practice=[task.id for task in easy[sizes.catch :]],
        catch=[task.id for task in easy[: sizes.catch]],
    )
