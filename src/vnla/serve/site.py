"""All that a server shows: an agent in a world, and the plans, pictures and meshes of its houses.

To open a site takes seconds, or minutes where a world has to be made first; `Opening` does it on a thread of its own, while
the page shows a recorded episode.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vnla.common.errors import InputError
from vnla.houses.house import House
from vnla.serve import reading
from vnla.serve.engine import Engine
from vnla.serve.events import Pose
from vnla.serve.meshes import Meshes
from vnla.serve.pictures import Pictures
from vnla.serve.places import Places
from vnla.serve.plans import plan
from vnla.serve.reading import Reading
from vnla.serve.scene import Scene
from vnla.serve.shelf import Shelf
from vnla.serve.sights import Sights
from vnla.serve.visits import Visits
from vnla.tasks.end_goals import read_end_goal
from vnla.training.trained import Trained

Say = Callable[[str], None]
"""Hears in words what is being done."""

_EVERY = 0.05


class Site:
    """A world with an agent in it. `cache` is a folder for what takes long to draw."""

    def __init__(self, trained: Trained, cache: Path, secret: bytes, sights: Sights | None = None) -> None:
        """`secret` makes the names that those who walk themselves know places by; `sights` what has yet to be encoded."""
        folder, world = trained.material.folder, trained.material.world
        self._sights = sights
        self.engine = Engine(trained, sights=sights)
        self.places, self.walkers = Places(folder.houses), Places(folder.houses, secret)
        self.visits = Visits(self.engine, Scene(world, self.places), Scene(world, self.walkers))
        shelf = Shelf(cache)
        self.pictures = Pictures(folder, self.places, shelf, self.walkers)
        self._meshes = Meshes(folder, self.places, shelf)

    def houses(self) -> list[dict[str, Any]]:
        """The houses, with what can be looked for in each."""
        return [self._described(i, *each) for i, each in enumerate(self.places.houses.items(), start=1)]

    def _described(self, number: int, name: str, house: House) -> dict[str, Any]:
        known = [read_end_goal(each) for each in self.engine.goals.known(house.name)]
        objects, rooms = ({each.object for each in known}, {each.room for each in known if each.room})
        return {
            "house": name,
            "name": f"House {number}",
            "rooms": len(house.rooms),
            "known": {"objects": sorted(objects), "rooms": sorted(rooms)},
        }

    def plan(self, name: str, *, bare: bool) -> dict[str, Any]:
        """The plan of a house; a bare one names no room. Those who walk get no other."""
        places = self._known(name) if bare else self.places
        return plan(places.house(name), places, bare=bare)

    def addresses(self, name: str) -> dict[str, list[str]]:
        """Viewpoint → addresses of its pictures."""
        places = self._known(name)
        house = places.house(name)
        if not self.pictures.has(house):
            raise InputError("there are no pictures of this house")
        return self.pictures.addresses(house, places)

    def mesh(self, name: str) -> bytes:
        """The bare geometry of a house; nothing where there is no model of it."""
        return self._meshes.mesh(self._known(name).house(name)) or b""

    def _known(self, name: str) -> Places:
        """Those that have a house of this name: everybody's, or the walkers'."""
        return self.walkers if name in self.walkers.houses else self.places

    def advice(self, text: str, pose: Pose | None = None) -> Reading:
        """How advice is understood, at a pose or wherever it may be heard."""
        return Reading(**self.visits.reader.read(text, pose)._asdict())

    def end_goal(self, text: str, name: str | None) -> Reading:
        """How an end-goal is understood, in one house or in any."""
        houses = [self.places.house(name)] if name else [*self.places.houses.values()]
        known = dict.fromkeys(each for house in houses for each in self.engine.goals.known(house.name))
        return reading.of_end_goal(text, [*known])

    def warm(self) -> None:
        """Do beforehand what visitors would wait for: read tasks, walk some, compile the renderer, find what houses know."""
        from vnla.houses.render.warming import compile_kernels

        _ = self.engine.goals.tasks
        self.engine.fill()
        compile_kernels()
        self.houses()

    def close(self) -> None:
        """Finish what is under way."""
        self.engine.close()
        if self._sights is not None:
            self._sights.close()


class Opening:
    """A site that is being opened, on a thread of its own."""

    def __init__(self, opens: Callable[[Say], Site]) -> None:
        self.site: Site | None = None
        self.doing = "getting ready"
        self.error: str | None = None
        self._opens = opens

    def start(self, failed: Callable[[], object]) -> threading.Thread:
        """Begin; `failed` is called if it cannot be done, and `error` then says why."""
        thread = threading.Thread(target=self._open, args=(failed,), name="opening", daemon=True)
        thread.start()
        return thread

    def _open(self, failed: Callable[[], object]) -> None:
        try:
            self.site = self._opens(self._tell)
        except Exception as error:
            self.error = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            failed()

    def _tell(self, doing: str) -> None:
        self.doing = doing

    def now(self) -> Site:
        """The site, if it is open."""
        if self.error is not None:
            raise InputError(f"the houses cannot be shown: {self.error}")
        if self.site is None:
            raise InputError(f"the houses are not ready yet: {self.doing}; this happens once, try again in a moment")
        return self.site

    async def soon(self, patience: float) -> Site:
        """The site, waited for so many seconds at most."""
        while self.site is None and self.error is None and patience > 0:
            await asyncio.sleep(_EVERY)
            patience -= _EVERY
        return self.now()

    def close(self) -> None:
        """Finish what is under way in a site that is open."""
        if self.site is not None:
            self.site.close()
