"""Episodes as a Minari data set, step by step as the Gymnasium environment `vnla/AskNav-v0` would have given them.

In a time step in which the agent asks the environment takes two steps: the request, which takes no time and changes what
the agent reads, and then the action. So an episode of T actions with Q requests has T + Q steps. The data set has the
specification of that environment (`recover_environment`), with the folders of the world and of the tasks by their paths.
Reset with the `seed` and the `options` of an episode, it gives the episode's observations and rewards again.

Instructions are stored as tokens, whatever is chosen: `vocab.txt` beside the data has the words, a number a line from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from vnla.camera import VIEWS, Ints
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.evaluation.checked import LONGEST_WALK
from vnla.evaluation.results import MOST_REQUESTS
from vnla.evaluation.trace import NOTHING
from vnla.gym import ASK_NAV, AskNavEnv
from vnla.gym.tokens import InstructionTokens
from vnla.observation import PICTURES, VIEW
from vnla.recordings.observing import Observer
from vnla.recordings.recording import Recording, recordings
from vnla.recordings.sources import EpisodeSource, slug
from vnla.world.actions import NAV_START

VERSION = 1
WORDS = "vocab.txt"
OBSERVED = {"features": "features", "pictures": "rgb", "poses": "pose"}
"""Kind of an observation → what an environment calls it."""


def dataset_id(source: EpisodeSource) -> str:
    """Return the name by which `minari.load_dataset` finds it."""
    return f"vnla/{slug(source.dataset.task, source.split, source.name)}-v{VERSION}"


def write_minari(out: Path, source: EpisodeSource, observer: Observer, progress: Share = unheard) -> str:
    """Write the episodes as the new folder `out`, a root of Minari data sets with this one in it; its id."""
    minari, storage_class = _minari(), _storage()
    name, steps = dataset_id(source), MinariSteps.of(observer)
    with files.new_folder(out) as root:
        data = root / name / "data"
        data.mkdir(parents=True)
        space = steps.environment.action_space
        storage = storage_class.new(data, observation_space=steps.observation_space, action_space=space)
        done = 0
        for batch in source.batches():
            some = list(recordings(batch))
            storage.update_episodes(steps.buffer(minari, each) for each in some)
            storage.update_episode_metadata(map(_metadata, some), range(done, done + len(some)))
            done += len(some)
            progress(done, source.count)
        storage.update_metadata(
            {
                "dataset_id": name,
                "minari_version": minari.__version__,
                "algorithm_name": source.name,
                "description": f"{source.what} Split {source.split} of {source.dataset.task}.",
                "requirements": ["vnla"],
                "env_spec": steps.specification,
                "vnla_world": source.folder.path.name,
                "vnla_observations": list(observer.kinds),
            }
        )
        files.write_text(root / name / WORDS, steps.tokens.vocabulary.text())
    return name


@dataclass(frozen=True)
class MinariSteps:
    """How episodes become steps of an environment."""

    observer: Observer
    environment: AskNavEnv
    specification: str
    tokens: InstructionTokens

    @classmethod
    def of(cls, observer: Observer) -> MinariSteps:
        """With the environment that shows what the observer looks at."""
        shown = [name for kind, name in OBSERVED.items() if kind in observer.kinds]
        options: dict[str, Any] = {**observer.source.environment, "tokens": True, "observe": ",".join(shown) or "nothing"}
        if "features" in observer.kinds:
            options["features"] = observer.feature_names
        if "pictures" in observer.kinds:
            options |= {"width": observer.size[0], "height": observer.size[1]}
        made = gymnasium.make(ASK_NAV, **options)
        environment = made.unwrapped
        assert isinstance(environment, AskNavEnv) and made.spec is not None
        instruction = environment.observation_space["instruction"]
        assert instruction.shape is not None
        tokens = InstructionTokens(environment.vocabulary, instruction.shape[0])
        return cls(observer, environment, made.spec.to_json(), tokens)

    @property
    def observation_space(self) -> spaces.Dict:
        """What an observation is: the environment's space, where the budgets are such as it can have."""
        found = dict(self.environment.observation_space.spaces)
        if not self.observer.source.budgets_known:
            found["time_left"] = spaces.Box(0, LONGEST_WALK, (), np.int64)
            found["requests_left"] = spaces.Box(NOTHING, MOST_REQUESTS, (), np.int64)
        return spaces.Dict(found)

    def buffer(self, minari: Any, each: Recording) -> Any:
        """One episode."""
        time, asked = observation_steps(each)
        last = len(time) - 2
        rewards = np.zeros(last + 1)
        ended = np.zeros(last + 1, bool)
        if last >= 0:
            rewards[last], ended[last] = float(each.success), True
        infos = {"teacher_action": each.taught[time], "distance_left": each.metres[time]}
        if "poses" in self.observer.kinds:
            infos |= {"viewpoint": each.pose[time] // VIEWS, "view": each.pose[time] % VIEWS}
        return minari.data_collector.EpisodeBuffer(
            seed=each.about.seed,
            options=_options(each),
            observations=self._observations(each, time, asked),
            actions=np.stack([each.nav[time[:-1]], _asks(time, asked)], axis=1),
            rewards=rewards,
            terminations=ended & each.stopped,
            truncations=ended & (not each.stopped),
            infos=infos,
        )

    def _observations(self, each: Recording, time: Ints, asked: Ints) -> dict[str, Any]:
        observer, acting = self.observer, each.instructions()
        before = (each.task.end_goal, *acting[:-1])  # what it had read before it could ask
        read = [acting[t] if has else before[t] for t, has in zip(time.tolist(), asked.tolist(), strict=True)]
        left = np.where(each.help_left[time] == NOTHING, NOTHING, each.help_left[time] - asked)
        pose = each.pose[time]
        found: dict[str, Any] = {
            "instruction": self.tokens(read),
            "last_action": np.concatenate([[NAV_START], each.nav])[time],
            "time_left": each.time_left[time],
            "requests_left": left,
            "may_go_forward": (~each.blocked[time]).astype(np.int64),
            "may_request": ((left != 0) & (asked == 0) & (time < each.steps)).astype(np.int64),
            "has_requested": asked,
        }
        if "poses" in observer.kinds:
            found[observer.poses.key] = observer.poses(pose)
        if "features" in observer.kinds:
            parts = [np.asarray(table[pose], np.float32) for table in observer.views.values()]
            found[VIEW] = np.concatenate(parts, axis=1)
        if "pictures" in observer.kinds:
            found[PICTURES] = np.stack(list(observer.pictures(pose)))
        return found


def observation_steps(each: Recording) -> tuple[Ints, Ints]:
    """Return the time step of every observation, and whether the agent has asked in it by then: (T + Q + 1,) both."""
    pairs = [(t, asked) for t, asks in enumerate(each.request) for asked in ((0, 1) if asks else (0,))]
    found = np.array([*pairs, (each.steps, 0)], dtype=np.int64)
    return found[:, 0], found[:, 1]


def _asks(time: Ints, asked: Ints) -> Ints:
    """Return the help-requesting action of every step: asking is what leads to the next observation of the same time."""
    found: Ints = (np.diff(time) == 0).astype(np.int64)
    return np.where(asked[:-1] == 1, 0, found)


def _options(each: Recording) -> dict[str, Any]:
    """Return what an environment is reset with for this episode, as far as it is known."""
    known = {} if each.help_budget == NOTHING else {"help_budget": each.help_budget, "time_budget": each.time_budget}
    return {"task": each.task.id, **known}


def _metadata(each: Recording) -> dict[str, Any]:
    return each.summary() | {"help_budget": each.help_budget, "said": "\n".join(each.said)}


def _minari() -> Any:
    try:
        return import_module("minari")
    except ImportError as error:
        raise InputError(f"Minari data sets need the package minari ({error}); pip install 'vnla[minari]'") from None


def _storage() -> Any:
    return import_module("minari.dataset.minari_storage").MinariStorage
