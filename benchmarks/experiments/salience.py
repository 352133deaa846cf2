"""How many sentences of the grammar name something that nobody would look at, or lead astray: the numbers of language.md.

python benchmarks/experiments/salience.py worlds/small --split test --seed 11
python benchmarks/experiments/salience.py worlds/small --split test --seed 11 --sheets sheets    # and pictures to look at
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw

from vnla.camera import VIEWS
from vnla.houses.folder import WorldFolder, read_world
from vnla.language.advisor import GrammarAdvisor
from vnla.language.frames import Face, Frame, Landmark, Pass, Reach, Spot, Walk, said
from vnla.language.salience import Sighting, reason
from vnla.language.sights import OUTSIDE
from vnla.language.speech import plan_of
from vnla.language.surroundings import Surroundings
from vnla.report.advice import wandering
from vnla.report.episodes import images_of
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.world.actions import Nav
from vnla.world.compiled import World

SHEET, PICTURE = (4, 3), (320, 240)


@dataclass(frozen=True)
class Clause:
    """One clause of a sentence: what it says, where, and what is wrong with that."""

    sentence: str
    frame: Frame
    house: int
    pose: int  # of the picture in which what it names is looked for
    wrong: str


def clauses(folder: WorldFolder, says: str, count: int, seed: int) -> Iterator[list[Clause]]:
    """Of each sentence."""
    world, advisor = World.compile(folder.houses), GrammarAdvisor(says=says)
    now = wandering(world, count, seed)
    voice = advisor.ready_in(folder, world, Vocabulary((*SPECIAL, *advisor.words())))
    told, plan, table = voice.tell(now), plan_of(now, advisor.k), voice.say(now).table
    houses = [Surroundings.of(folder, house) for house in folder.houses]
    for row in range(count):
        house = int(torch.searchsorted(world.first, now.pose[row] // VIEWS, right=True)) - 1
        first, text, found = int(world.first[house]) * VIEWS, table.text(row), list[Clause]()
        for at, what in enumerate(told.what[row].tolist()):
            if what >= 0:
                end = int(told.end[row, at])
                frame = said(what, int(told.side[row, at]), Nav(int(plan.actions[row, at])), end - at)
                poses = int(plan.poses[row, at]) - first, int(plan.poses[row, end]) - first
                pose = poses[1] if isinstance(frame, Face | Spot) else poses[0]
                found.append(Clause(text, frame, house, pose, wrong(houses[house], frame, *poses)))
        yield found


def wrong(around: Surroundings, frame: Frame, start: int, end: int) -> str:
    """What is wrong with the thing that a clause names, if it names one that is in view."""
    landmark = named(frame)
    if landmark is None:
        return ""
    where = *divmod(end if isinstance(frame, Face | Spot) else start, VIEWS), landmark.thing
    why = reason(Sighting(around.share[where], around.across[where], around.whole[where]))
    rooms = around.room[around.path(start // VIEWS, end // VIEWS)]
    leaves = bool((rooms != rooms[0]).any()) and not isinstance(frame, Face | Spot | Pass)
    own = around.house.objects[landmark.thing].room
    if leaves and (OUTSIDE if own is None else own) != rooms[-1]:
        why = "leaves through a way out"
    return why


def named(frame: Frame) -> Landmark | None:
    """What a frame names that has to be in view."""
    match frame:
        case Walk(_, landmark) | Face(_, landmark) | Spot(_, landmark) | Reach(landmark, _) | Pass(landmark, _):
            return landmark
    return None


def draw(folder: WorldFolder, found: list[Clause], out: Path) -> None:
    """Sheets of the pictures in which things are named, with what is said and what the test says."""
    out.mkdir(parents=True, exist_ok=True)
    pictures = {}
    for house in sorted({each.house for each in found}):
        images = images_of(folder, folder.houses[house], PICTURE)
        world = World.compile([folder.houses[house]])
        for number, each in enumerate(found):
            if each.house == house and images is not None:
                place, view = divmod(each.pose, VIEWS)
                pictures[number] = images(folder.houses[house].name, world.ids[place], view)
    columns, rows = SHEET
    width, height = PICTURE[0], PICTURE[1] + 44
    for first in range(0, len(found), columns * rows):
        sheet = Image.new("RGB", (columns * width, rows * height), "white")
        for number in range(first, min(first + columns * rows, len(found))):
            row, column = divmod(number - first, columns)
            sheet.paste(Image.fromarray(pictures[number]), (column * width, row * height))
            each, text = found[number], ImageDraw.Draw(sheet)
            lines = (f"{number}: {type(each.frame).__name__} {named(each.frame)} {each.wrong}", *cut(each.sentence, 52))
            text.multiline_text((column * width + 2, row * height + PICTURE[1] + 1), "\n".join(lines[:3]), "black")
        sheet.save(out / f"sheet{first // (columns * rows)}.png")


def cut(text: str, width: int) -> list[str]:
    """Into lines."""
    return [text[i : i + width] for i in range(0, len(text), width)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("world", type=Path)
    parser.add_argument("--split", default="test")
    parser.add_argument("--says", default="usual")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--sheets", type=Path)
    options = parser.parse_args()
    folder = read_world(options.world)
    folder = replace(folder, houses=folder.split(options.split))
    sentences = list(clauses(folder, options.says, options.count, options.seed))
    things = [each for clause in sentences for each in clause if named(each.frame) is not None]
    reasons = Counter(each.wrong for each in things if each.wrong)
    bad = np.mean([any(each.wrong for each in clause) for clause in sentences])
    kinds = Counter(type(each.frame).__name__ for clause in sentences for each in clause)
    sys.stdout.write(f"{len(sentences)} sentences, {len(things)} clauses with a thing in view; {bad:.0%} of sentences")
    sys.stdout.write(f" name something hardly visible or misleading: {dict(reasons)}\n{dict(kinds.most_common())}\n")
    if options.sheets:
        draw(folder, things, options.sheets)
