"""An advisor of your own that speaks with frames: it says where a plan leads, if a few words can.

vnla advice worlds/small --advisor-language examples.guide:Guide --count 20
vnla train runs/guided --advisor examples.guide:Guide --world … --tasks …
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vnla import Nav, WorldFolder
from vnla.camera import VIEWS
from vnla.language.frames import Enter, Frame, Landmark, Leave, Reach, Stairs, check, follow
from vnla.language.surroundings import Surroundings
from vnla.language.tabled import Sentences, TabledAdvisor, told_everywhere
from vnla.language.things import NOTHING, ROOMS
from vnla.world.compiled import World


@dataclass(frozen=True)
class Guide(TabledAdvisor):
    """Names the room or the thing where the next k actions end; else it says the actions."""

    k: int = 4

    def sentences(self, folder: WorldFolder, world: World) -> Sentences:
        """What it says of every plan in the houses of a world."""
        return told_everywhere(folder, world, self.k, tell)


def tell(around: Surroundings, actions: tuple[Nav, ...], poses: list[int]) -> str | None:
    """The first frame that is true where the agent stands, and leads to where the plan ends, in words of the grammar."""
    for frame, text in said_at(around, poses[0]):
        true = Nav.STOP not in actions and check(frame, around, poses[0])
        if true and follow(frame, around, poses[0], around.after) == poses[-1]:
            return text
    return None


def said_at(around: Surroundings, pose: int) -> Iterator[tuple[Frame, str]]:
    """Frames that it knows words for."""
    yield from ((Stairs(up), f"go {'up' if up else 'down'} the stairs") for up in (True, False))
    yield from ((Enter(room), f"go to the {noun.words[0]}") for room, noun in enumerate(ROOMS))
    yield Leave(around.room_noun(pose // VIEWS)), "leave this room"
    for thing, noun in enumerate(around.noun.tolist()):
        if noun != NOTHING and around.visible[pose // VIEWS, pose % VIEWS, thing]:
            landmark = Landmark(thing, noun)
            yield Reach(landmark), f"go to the {landmark}"
