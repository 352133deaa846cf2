"""`MatterSim.Simulator`, both generations of it.

R2R and VNLA have one simulator an agent: `init`, single values, and `getState()` gives a copy that no later action changes.
Today's upstream has one simulator a batch: `initialize`, lists, and `getState()` gives a list of states that the simulator
keeps up to date. Which of the two a simulator is, `newEpisode` decides: text starts one agent, lists start a batch.
"""

# ruff: noqa: N802, N803 (the names are MatterSim's)

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np

from vnla.mattersim.agent import SimulatedAgent, SimulatorSettings
from vnla.mattersim.arguments import angle, count, each, real, text, truth, whole
from vnla.mattersim.graph import ScanGraph, load_graph
from vnla.mattersim.images import colour_image, depth_image
from vnla.mattersim.state import SimState, ViewPoint

_HALF_TURN = np.pi / 2
_DEFAULT_SEED = 1


class Simulator:
    """Agents in buildings. Configure it, initialise it, start an episode, then act and read states in turn."""

    def __init__(self) -> None:
        self._settings = SimulatorSettings()
        self._initialised = False
        self._batched = False
        self._seed: int | None = None
        self._random = random.Random()
        self._agents: list[SimulatedAgent] = []
        self._states: list[SimState] = []
        self._graphs: dict[str, ScanGraph] = {}
        self.resetTimers()

    def setDatasetPath(self, path: str) -> None:
        """The folder that has the images: Matterport3D's own, or its folder of scans."""
        if self._open_to_change():
            self._settings.dataset_path = text(path, "path")

    def setNavGraphPath(self, path: str) -> None:
        """The folder that has the connectivity files."""
        if self._open_to_change():
            self._settings.nav_graph_path = text(path, "path") or SimulatorSettings.nav_graph_path
            self._graphs.clear()

    def setCameraResolution(self, width: int, height: int) -> None:
        """Size of the images; with the vertical field of view it decides which neighbours are in view."""
        size = whole(width, "width"), whole(height, "height")
        if min(size) < 1:
            raise ValueError(f"MatterSim: a camera resolution of {size[0]}×{size[1]} has no pixels")
        self._settings.width, self._settings.height = size

    def setCameraVFOV(self, vfov: float) -> None:
        """Vertical field of view in radians."""
        self._settings.vfov = angle(vfov, "vfov")

    def setElevationLimits(self, min: float, max: float) -> bool:  # noqa: A002
        """Limits of the camera's elevation where views are not discrete; False, and no change, if they make no sense."""
        lowest, highest = real(min, "min"), real(max, "max")
        if not -_HALF_TURN < lowest < 0 < highest < _HALF_TURN:
            return False
        self._settings.lowest, self._settings.highest = lowest, highest
        return True

    def setRenderingEnabled(self, value: bool) -> None:
        """Whether states have images; ignored once initialised."""
        self._switch("rendering", value)

    def setDiscretizedViewingAngles(self, value: bool) -> None:
        """Whether the camera has 36 views instead of any heading and elevation; ignored once initialised."""
        self._switch("discretised", value)

    def setRestrictedNavigation(self, value: bool) -> None:
        """Whether only neighbours in the field of view can be walked to; ignored once initialised."""
        self._switch("restricted", value)

    def setDepthEnabled(self, value: bool) -> None:
        """Whether a batch's states have depth images; ignored once initialised."""
        self._switch("depth", value)

    def setBatchSize(self, size: int) -> None:
        """Number of agents; ignored once initialised."""
        wanted = count(size, "size")
        if not self._initialised:
            self._settings.batch_size = wanted
            self._batched = True

    def setPreloadingEnabled(self, value: bool) -> None:
        """Accepted and without effect: images are read when they are needed, and the last few are kept."""
        truth(value, "value")

    def setCacheSize(self, size: int) -> None:
        """Accepted and without effect, as above."""
        count(size, "size")

    def setSeed(self, seed: int) -> None:
        """Seed of random episodes."""
        self._seed = whole(seed, "seed")
        self._random.seed(self._seed)

    def init(self) -> None:
        """Initialise a simulator of one agent."""
        self._initialise(batched=False)

    def initialize(self) -> None:
        """Initialise a simulator of a batch of agents."""
        self._initialise(batched=True)

    def newEpisode(self, scanId: Any, viewpointId: Any, heading: Any, elevation: Any) -> None:
        """Start in a building at a viewpoint, or at a random one if its id is empty. One value, or a list for a batch."""
        batched = self._wants_batch(scanId)
        size = self._settings.batch_size
        if batched:
            scans, viewpoints = each(text, scanId, "scanId", size), each(text, viewpointId, "viewpointId", size)
            angles = each(angle, heading, "heading", size), each(angle, elevation, "elevation", size)
        else:
            scans, viewpoints = [text(scanId, "scanId")], [text(viewpointId, "viewpointId")]
            angles = [angle(heading, "heading")], [angle(elevation, "elevation")]
        self._begin(batched, scans, viewpoints, *angles)

    def newRandomEpisode(self, scanId: Any) -> None:
        """Start in a building (one id, or a list for a batch) at a random viewpoint with a random heading, looking level."""
        batched = self._wants_batch(scanId)
        scans = each(text, scanId, "scanId", self._settings.batch_size) if batched else [text(scanId, "scanId")]
        if not self._initialised:
            self._initialise(batched)
        headings = [self._random.uniform(0, 2 * np.pi) for _ in scans]
        self._begin(batched, scans, [""] * len(scans), headings, [0.0] * len(scans))

    def makeAction(self, index: Any, heading: Any, elevation: Any) -> None:
        """Go to a navigable location (0: stay), then turn and tilt. One value each, or a list each for a batch."""
        if self._batched:
            self._act_together(index, heading, elevation)
            return
        place, turn, tilt = whole(index, "index"), angle(heading, "heading"), angle(elevation, "elevation")
        agent = self._agents[0] if self._initialised else None
        if agent is None or agent.here is None or not 0 <= place <= len(agent.around):
            raise ValueError(f"MatterSim: Invalid action index: {place}")
        agent.act(place, turn, tilt)
        if self._settings.rendering:
            self._render(agent)

    def getState(self) -> Any:
        """Where the agent is, as a copy; for a batch a list of states, which later actions bring up to date."""
        if self._batched:
            return list(self._states)
        if not self._agents or (here := self._agents[0].here) is None:
            raise RuntimeError("MatterSim: there is no state before newEpisode")
        agent = self._agents[0]
        return SimState(
            agent.scan,
            agent.step,
            None if agent.rgb is None else agent.rgb.copy(),
            None,
            ViewPoint(*here),
            agent.heading,
            agent.elevation,
            agent.view,
            [ViewPoint(*here), *[ViewPoint(*record) for record in agent.around]],
        )

    def setLocation(self, viewpointId: str, ix: int) -> None:
        """Change the id and the number of the current location, and nothing else until the next action."""
        name, number = text(viewpointId, "viewpointId"), count(ix, "ix")
        agent = self._agents[0] if self._agents else None
        if agent is None or agent.graph is None:
            raise RuntimeError("MatterSim: there is no location before newEpisode")
        if number >= len(agent.graph):
            raise ValueError(f"MatterSim: there is no viewpoint {number}: {agent.scan} has {len(agent.graph)}")
        agent.rename(name, number)

    def loadTexture(self, locationId: int) -> None:
        """Accepted and without effect: images are read when they are needed."""
        whole(locationId, "locationId")

    def renderScene(self) -> None:
        """Draw the current view again, after a change of the camera."""
        if self._settings.rendering:
            for agent in self._agents:
                self._render(agent)

    def close(self) -> None:
        """End the use of the simulator; a new episode initialises it anew."""
        self._initialised = False

    def resetTimers(self) -> None:
        """Start counting frames and time again."""
        self._frames = 0
        self._since = time.perf_counter()

    def timingInfo(self) -> str:
        """The number of frames drawn and the time since the count began."""
        elapsed = time.perf_counter() - self._since
        return f"Rendered {self._frames} frames\nWall time: {elapsed * 1000:.0f} ms\n"

    def _switch(self, setting: str, value: object) -> None:
        """Set a setting that is true or false; ignored once initialised."""
        wanted = truth(value, "value")
        if not self._initialised:
            setattr(self._settings, setting, wanted)

    def _open_to_change(self) -> bool:
        """Whether a path may still be set: in a batch's simulator it is ignored once initialised, in an agent's never."""
        return not (self._initialised and self._batched)

    def _wants_batch(self, scans: object) -> bool:
        """Whether the argument starts a batch; text cannot, if the simulator was made for several agents."""
        if not isinstance(scans, str | bytes):
            return True
        if self._settings.batch_size != 1:
            raise TypeError(f"MatterSim: a batch of {self._settings.batch_size} takes lists, not single values")
        return False

    def _initialise(self, batched: bool) -> None:
        self._batched = batched
        self._agents = [SimulatedAgent(self._settings) for _ in range(self._settings.batch_size)]
        self._make_states()
        if batched and self._seed is None:
            self._random.seed(_DEFAULT_SEED)
        self._initialised = True

    def _make_states(self) -> None:
        """The states of a batch before its first episode: black images, nowhere."""
        shape = (self._settings.height, self._settings.width)
        self._states = [
            SimState("", 0, np.zeros((*shape, 3), np.uint8), np.zeros((*shape, 1), np.uint16), None, 0.0, 0.0, 0, [])
            for _ in (self._agents if self._batched else ())
        ]

    def _begin(
        self, batched: bool, scans: list[str], viewpoints: list[str], headings: list[float], elevations: list[float]
    ) -> None:
        if not self._initialised:
            self._initialise(batched)
        elif batched != self._batched:
            self._batched = batched
            self._make_states()
        graphs = [self._graph(scan) for scan in scans]
        numbers = [self._find(*place) for place in zip(graphs, scans, viewpoints, strict=True)]
        for agent, *start in zip(self._agents, scans, graphs, numbers, headings, elevations, strict=True):
            agent.start(*start)
        self._publish()

    def _act_together(self, index: Any, heading: Any, elevation: Any) -> None:
        if not self._initialised:
            raise RuntimeError("MatterSim: newEpisode must be called before makeAction")
        size = len(self._agents)
        places = each(count, index, "index", size)
        turns, tilts = each(angle, heading, "heading", size), each(angle, elevation, "elevation", size)
        for i, (agent, place) in enumerate(zip(self._agents, places, strict=True)):
            if agent.here is None or place > len(agent.around):
                raise ValueError(f"MatterSim: Invalid action index: {place} in environment {i} of {size}")
        for agent, place, turn, tilt in zip(self._agents, places, turns, tilts, strict=True):
            agent.act(place, turn, tilt)
        self._publish()

    def _publish(self) -> None:
        """Draw what the agents see, and bring a batch's states up to date."""
        if self._settings.rendering:
            for agent in self._agents:
                self._render(agent)
        for agent, state in zip(self._agents, self._states, strict=False):
            assert agent.here is not None
            state.scanId, state.step, state.viewIndex = agent.scan, agent.step, agent.view
            state.heading, state.elevation = agent.heading, agent.elevation
            state.location = ViewPoint(*agent.here)
            state.navigableLocations = [state.location, *[ViewPoint(*record) for record in agent.around]]
            if agent.rgb is not None:
                state.rgb = agent.rgb
            if agent.depth is not None:
                state.depth = agent.depth

    def _render(self, agent: SimulatedAgent) -> None:
        if agent.graph is None or agent.here is None:
            return
        viewpoint, number = agent.here[:2]
        view = (agent.scan, viewpoint, agent.graph.rotations[number], agent.heading, agent.elevation)
        agent.rgb = colour_image(self._settings, *view)
        if self._batched and self._settings.depth:
            agent.depth = depth_image(self._settings, *view)
        self._frames += 1

    def _graph(self, scan: str) -> ScanGraph:
        graph = self._graphs.get(scan)
        if graph is None:
            graph = self._graphs[scan] = load_graph(self._settings.nav_graph_path, scan)
        return graph

    def _find(self, graph: ScanGraph, scan: str, viewpoint: str) -> int:
        if not viewpoint:
            return self._random_viewpoint(graph, scan)
        number = graph.number.get(viewpoint)
        if number is None:
            raise ValueError(f"MatterSim: Could not find viewpointId: {viewpoint} in {scan}, is viewpoint id valid?")
        if not graph.included[number]:
            raise ValueError(f"MatterSim: viewpointId {viewpoint} is excluded from the connectivity graph of {scan}")
        return number

    def _random_viewpoint(self, graph: ScanGraph, scan: str) -> int:
        """A random number, or the next one after it, cyclically, that is included."""
        if not any(graph.included):
            raise RuntimeError(f"MatterSim: {scan} has no included viewpoints")
        number = self._random.randrange(len(graph))
        while not graph.included[number]:
            number = (number + 1) % len(graph)
        return number
