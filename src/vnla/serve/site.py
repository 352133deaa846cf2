"""All that a server shows: an agent in a world, and the plans, pictures and meshes of its houses.

Opening a site takes seconds, or minutes where a world has to be made first. `SiteLoader` does it on a thread, while the page
shows a recorded episode.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vnla.common.errors import InputError
from vnla.houses.house import House
from vnla.serve.content import first_episode
from vnla.serve.daily import Daily, Days
from vnla.serve.engine import EpisodeEngine
from vnla.serve.file_cache import FileCache
from vnla.serve.meshes import Meshes
from vnla.serve.on_demand import OnDemandFeatures
from vnla.serve.pictures import Pictures
from vnla.serve.places import PlaceNames, VisitorWorld
from vnla.serve.plans import plan
from vnla.serve.reading import Reading, of_end_goal
from vnla.serve.shipped import shipped_files
from vnla.serve.visitor_service import VisitorService
from vnla.tasks.end_goals import read_end_goal
from vnla.training.trained import Trained

Say = Callable[[str], None]
"""Shows what is being done, in words."""

_EVERY = 0.05


class Site:
    """A world with an agent in it. `cache` is a folder for what takes long to draw."""

    def __init__(
        self,
        trained: Trained,
        cache: Path,
        secret: bytes,
        features: OnDemandFeatures | None = None,
        days: Path | None = None,
    ) -> None:
        """`secret` makes the place names of those who walk themselves; `features` are those that have yet to be encoded.

        With a folder for their tables there are tasks of the `days`.
        """
        folder, world = trained.material.folder, trained.material.world
        self._features = features
        self.engine = EpisodeEngine(trained, features=features)
        self.places, self.walker_places = PlaceNames(folder.houses), PlaceNames(folder.houses, secret)
        self.day_places = PlaceNames(folder.houses if days else (), hmac.digest(secret, b"days", "sha256"))
        worlds = VisitorWorld(world, self.places), VisitorWorld(world, self.walker_places)
        self.daily = None if days is None else Daily(self.engine.goals, days, secret, self._seen_first())
        in_days = None if self.daily is None else Days(self.daily, VisitorWorld(world, self.day_places))
        self.service = VisitorService(self.engine, *worlds, in_days)
        files = FileCache(cache, shipped=shipped_files())
        others = [self.walker_places, *([] if days is None else [self.day_places])]
        self.pictures = Pictures(folder, self.places, files, *others)
        self._meshes = Meshes(folder, self.places, files)
        self._note_drawn()

    def houses(self) -> list[dict[str, Any]]:
        """Return the houses, with what can be looked for in each."""
        every = [self._described(i, *each) for i, each in enumerate(self.places.houses.items(), start=1)]
        return [each for each in every if self.places.house(each["house"]).name not in self.withheld]

    @property
    def withheld(self) -> frozenset[str]:
        """The houses of the task of the day, of which nothing is named."""
        return frozenset() if self.daily is None else self.daily.withheld

    def _seen_first(self) -> list[str]:
        """Return the house that everybody has seen in the recorded episode, if it is one of this world."""
        recorded = first_episode().events
        name = "" if recorded is None else json.loads(recorded.body)["plan"]["house"]
        return [self.places.house(name).name] if name in self.places.houses else []

    def _described(self, number: int, name: str, house: House) -> dict[str, Any]:
        goals = [read_end_goal(each) for each in self.engine.goals.known(house.name)]
        objects, rooms = ({each.thing for each in goals}, {each.room for each in goals if each.room})
        return {
            "house": name,
            "name": f"House {number}",
            "rooms": len(house.rooms),
            "known": {"objects": sorted(objects), "rooms": sorted(rooms)},
        }

    def plan(self, name: str, *, bare: bool) -> dict[str, Any]:
        """Return the plan of a house; a bare one names no room. Those who walk get no other."""
        places = self._places_of(name) if bare else self.places
        if not bare and self.daily is not None:
            self.daily.check_open(places.house(name).name)
        return plan(places.house(name), places, bare=bare)

    def addresses(self, name: str) -> dict[str, list[str]]:
        """Return the addresses of the pictures of each viewpoint."""
        places = self._places_of(name)
        house = places.house(name)
        if not self.pictures.has(house):
            raise InputError("there are no pictures of this house")
        return self.pictures.addresses(house, places)

    def mesh(self, name: str) -> bytes:
        """Return the bare geometry of a house; nothing where there is no model of it."""
        return self._meshes.mesh(self._places_of(name).house(name)) or b""

    def _places_of(self, name: str) -> PlaceNames:
        """Return the names to which a house's belongs: everybody's, the walkers', or those of the task of the day."""
        hidden = (each for each in (self.walker_places, self.day_places) if name in each.houses)
        return next(hidden, self.places)

    def end_goal(self, text: str, name: str | None) -> Reading:
        """Return how an end-goal is understood, in one house or in any."""
        houses = [self.places.house(name)] if name else [*self.places.houses.values()]
        if name and self.daily is not None:
            self.daily.check_open(houses[0].name)
        houses = [house for house in houses if house.name not in self.withheld]
        goals = dict.fromkeys(goal for house in houses for goal in self.engine.goals.known(house.name))
        return of_end_goal(text, [*goals], houses)

    def _offered(self) -> list[House]:
        """Return the houses of the tasks that are offered."""
        return [self.engine.goals.houses[name] for name in sorted({task.house for task in self.engine.goals.offered})]

    def can_walk(self) -> bool:
        """Return whether an agent can walk in a house of the tasks at once."""
        return any(self.engine.sees(house.name) for house in self._offered())

    def _note_drawn(self) -> None:
        """Have houses entered first that are drawn already, so that nobody waits for pictures."""
        self.engine.ready = frozenset(house.name for house in self._offered() if not self.pictures.missing(house))

    def warm(self) -> None:
        """Do beforehand what visitors would wait for: read tasks, walk some, compile the renderer, find goals of houses."""
        from vnla.houses.render.warming import compile_kernels

        self.engine.fill()
        _ = self.engine.goals.tasks
        compile_kernels()
        self.houses()

    def draw_others(self) -> None:
        """Draw the houses of tasks that are not drawn yet, where some are, in the background; each is entered when it is."""
        for house in self._offered() if self.engine.ready else ():
            self.pictures.draw_missing(house)
            self._meshes.mesh(house)
            self._note_drawn()

    def close(self) -> None:
        """Finish what is under way."""
        self.engine.close()
        self.service.other_agents.close()
        if self._features is not None:
            self._features.close()


class SiteLoader:
    """Opens a site on a thread."""

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
            self.site = self._opens(lambda doing: setattr(self, "doing", doing))
        except Exception as error:
            self.error = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            failed()

    def now(self) -> Site:
        """Return the site, if it is open."""
        if self.error is not None:
            raise InputError(f"the houses cannot be shown: {self.error}")
        if self.site is None:
            raise InputError(f"the houses are not ready yet: {self.doing}; this happens once, try again in a moment")
        return self.site

    async def soon(self, patience: float) -> Site:
        """Return the site; wait for it so many seconds at most."""
        while self.site is None and self.error is None and patience > 0:
            await asyncio.sleep(_EVERY)
            patience -= _EVERY
        return self.now()

    def close(self) -> None:
        """Finish what is under way in a site that is open."""
        if self.site is not None:
            self.site.close()
