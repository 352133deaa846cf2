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

BLANK = "[["
"""Begins what is to be filled in in the consent text."""

_CONSENT = """\
[[Title of the study]]

You are invited to take part in a study by [[who does it, and how to reach them]]. You will look for things in drawn houses,
or help a robot that does so. This takes about [[how many]] minutes.

What is recorded: what you do and type on this page and when, how the robot answers, and the version of this text. Neither
your name nor the address of your computer is recorded. If you come from a platform, its id of you is kept only as a code
that cannot be read back, apart from everything else.

What happens with it: [[who may read the records, how long they are kept, whether they are published]].

Taking part is voluntary. You may stop at any time by closing this page. With the button “Withdraw” you stop and everything
that was recorded of you is deleted at once.
"""

_README = """\
# {name}: a study with people

| file | what it is |
| --- | --- |
| `{design}` | the configuration, explained below; it must not change once somebody takes part |
| `{consent}` | what participants agree to; fill in what stands in [[…]]. Its version is made from its text |
| `secret.key` | makes completion codes, draws and hashes of platform ids; keep it, and give it to nobody |
| `study.sqlite` | participants, their cells and tries; tokens are kept as hashes |
| `platform.sqlite` | ids of a platform as keyed hashes, apart from the rest; delete it when nobody has to be paid any more |
| `records/` | what everybody did, a JSONL file a participant |

Try it out with `vnla study rehearse`, open it with `vnla study serve`, and get the data with `vnla study export`.

## {design}

| field | what it is |
| --- | --- |
| `name` | shown above the page |
| `world`, `tasks` | the houses, and the data set that the tasks are of |
| `agents` | name → run of the agent, or `pretrained` |
| `conditions` | `kind`: `help:advisor` (the participant watches, the built-in advisor answers), `help:person` (the \
participant answers), `beat` (the participant does the task); `agent`; `instructions`: what the page says |
| `arrangement` | `within`: everybody goes through all conditions, in counter-balanced order; `between`: through one |
| `groups` | groups of task ids; a participant gets one group, split into one block a condition |
| `practice` | `tasks`; `passes`: how many have to go well first; `most`: who needs more tries than that is out |
| `catch` | easy tasks, one in each block, to see who is attentive |
| `shows` | what participants see: `way` and `offer` (helpers: the shortest way, the advisor's answer), `thoughts` of the \
agent, `outcome` of their tasks |
| `unasked` | whether helpers may speak unasked |
| `seconds` | time for a task, or null |
| `patience` | minutes after which somebody silent counts as a drop-out |
| `participants` | how many are wanted, or null |
| `platform` | the parameter of the page's address with a platform's id, such as `PROLIFIC_PID`, or null |
| `seed` | of the draws that everybody has in common |
"""


@dataclass(frozen=True)
class StudySizes:
    """How much of everything."""

    each: int
    """Tasks in a block."""
    groups: int
    practice: int
    """Tasks to practise with."""
    passes: int
    catch: int


def conditions_of(text: str, agents: Mapping[str, str]) -> list[StudyCondition]:
    """Conditions by their kinds, with commas between them, each with @ and an agent if it is not the first."""
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
        files.write_text(new / CONSENT, _CONSENT)
        files.write_text(new / README, _README.format(name=design.name, design=DESIGN, consent=CONSENT))
        new_key(new)
    return design


@dataclass(frozen=True)
class _Drawn:
    groups: list[list[str]]
    practice: list[str]
    catch: list[str]


def _draw(tasks: Sequence[Task], sizes: StudySizes, blocks: int, seed: int) -> _Drawn:
    """Tasks for everything, none of them twice: the shortest to catch and to practise with, the others at random.

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
    return _Drawn(
        groups=[ids[first : first + size] for first in range(0, wanted, size)],
        practice=[task.id for task in easy[sizes.catch :]],
        catch=[task.id for task in easy[: sizes.catch]],
    )
