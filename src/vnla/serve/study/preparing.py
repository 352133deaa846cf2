"""What is made ready before the first participant of a study: nothing that people see or say may change in the middle.

What is in view decides how words are read, so all houses are looked at first. Pictures are drawn first too: otherwise the
first participant in each house would wait for them, and their time would run.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from vnla.common.progress import Tell
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.houses.sightings import sightings_in
from vnla.language.surroundings import Surroundings
from vnla.serve.pictures import Pictures
from vnla.serve.study.design import Design
from vnla.tasks.task import Task


def tasks_of_study(design: Design) -> list[str]:
    """Return the ids of all tasks that participants may get."""
    return [*design.practice.tasks, *design.catch, *(task for group in design.groups for task in group)]


def houses_of(tasks: Collection[Task], folder: WorldFolder) -> list[House]:
    """Return the houses of some tasks, in the order of the world."""
    names = {task.house for task in tasks}
    return [house for house in folder.houses if house.name in names]


def looked_at(folder: WorldFolder, houses: Sequence[House], tell: Tell) -> dict[str, Surroundings]:
    """Return what is in view in some houses; what is not stored yet is drawn, by several processes."""
    tell("looking around in the houses", 0, len(houses))
    for done, _ in enumerate(sightings_in(folder, houses), start=1):
        tell("looking around in the houses", done, len(houses))
    return {house.name: Surroundings.of(folder, house) for house in houses}


def draw(pictures: Pictures, houses: Sequence[House], tell: Tell) -> None:
    """Draw all pictures of some houses that are not stored yet."""
    addresses = [address for house in houses if pictures.has(house) for address in pictures.first_faces(house)]
    for done, address in enumerate(addresses, start=1):
        pictures.face(address)
        tell("drawing pictures of the houses", done, len(addresses))
