"""Episodes as a Minari data set, step by step as the Gymnasium environment `vnla/AskNav-v0` would have given them.

In a time step in which the agent asks the environment takes two steps: the request, which takes no time and changes what
the agent reads, and then the action. So an episode of T actions with Q requests has T + Q steps. Reset with the `seed` and
the `options` of an episode, the environment with the same houses and tasks gives its observations again.

Instructions are stored as tokens, whatever is chosen: `vocab.txt` beside the data has the words, a number a line from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from vnla.camera import VIEWS, Ints
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.evaluation.checked import LONGEST_WALK
from vnla.evaluation.results import MOST_REQUESTS
from vnla.evaluation.trace import NOTHING
from vnla.gym.setting import action_space
from vnla.recordings.observing import Observer
from vnla.recordings.recording import Recording, recordings
from vnla.recordings.sources import EpisodeSource, slug
from vnla.tasks.vocabulary import LONGEST

VERSION = 0
WORDS = "vocab.txt"


def dataset_id(source: EpisodeSource) -> str:
    """The name by which `minari.load_dataset` finds it."""
    return f"vnla/{slug(source.dataset.task, source.split, source.name)}-v{VERSION}"


def write_minari(out: Path, source: EpisodeSource, observer: Observer, progress: Share = unheard) -> str:
    """Write the episodes as the new folder `out`, a root of Minari data sets with this one in it; its id."""
    minari, storage_class = _minari(), _storage()
    name = dataset_id(source)
    with files.new_folder(out) as root:
        data = root / name / "data"
        data.mkdir(parents=True)
        storage = storage_class.new(data, observation_space=observation_space(observer), action_space=action_space())
        done = 0
        for batch in source.batches():
            some = list(recordings(batch))
            storage.update_episodes(_buffers(minari, some, observer))
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
                "vnla_world": source.folder.path.name,
                "vnla_observations": list(observer.kinds),
            }
        )
        files.write_text(root / name / WORDS, source.vocabulary.text())
    return name


def observation_space(observer: Observer) -> spaces.Dict:
    """What an observation is, with what was chosen."""
    source = observer.source
    space: dict[str, spaces.Space[Any]] = {
        "instruction": spaces.Box(0, len(source.vocabulary) - 1, (LONGEST,), np.int64),
        "time_left": spaces.Box(0, LONGEST_WALK, (), np.int64),
        "requests_left": spaces.Box(NOTHING, MOST_REQUESTS, (), np.int64),
        "may_go_forward": spaces.Discrete(2),
        "may_request": spaces.Discrete(2),
    }
    if "poses" in observer.kinds:
        space["viewpoint"] = spaces.Discrete(len(source.world.ids))
        space["view"] = spaces.Discrete(VIEWS)
        space["pose"] = spaces.Box(-np.inf, np.inf, (5,), np.float32)
    if "features" in observer.kinds:
        for name, table in observer.views.items():
            space[f"features_{name}"] = spaces.Box(-np.inf, np.inf, table.shape[1:], np.float32)
    if "pictures" in observer.kinds:
        width, height = observer.size
        space["picture"] = spaces.Box(0, 255, (height, width, 3), np.uint8)
    return spaces.Dict(space)


def _buffers(minari: Any, some: list[Recording], observer: Observer) -> Iterator[Any]:
    for each in some:
        time, asked = moments(each)
        last = len(time) - 2
        rewards = np.zeros(last + 1)
        ended = np.zeros(last + 1, bool)
        if last >= 0:
            rewards[last], ended[last] = float(each.success), True
        yield minari.data_collector.EpisodeBuffer(
            seed=each.about.seed,
            options={"task": each.task.id},
            observations=_observations(each, observer, time, asked),
            actions=np.stack([each.nav[time[:-1]], _asks(time, asked)], axis=1),
            rewards=rewards,
            terminations=ended & each.stopped,
            truncations=ended & (not each.stopped),
            infos={"teacher_action": each.taught[time], "distance_left": each.metres[time]},
        )


def moments(each: Recording) -> tuple[Ints, Ints]:
    """The time step of every observation, and whether the agent has asked in it by then: (T + Q + 1,) both."""
    pairs = [(t, asked) for t, asks in enumerate(each.request) for asked in ((0, 1) if asks else (0,))]
    found = np.array([*pairs, (each.steps, 0)], dtype=np.int64)
    return found[:, 0], found[:, 1]


def _asks(time: Ints, asked: Ints) -> Ints:
    """The help-requesting action of every step: asking is what leads to the next observation of the same time."""
    found: Ints = (np.diff(time) == 0).astype(np.int64)
    return np.where(asked[:-1] == 1, 0, found)


def _observations(each: Recording, observer: Observer, time: Ints, asked: Ints) -> dict[str, Any]:
    acting = each.instructions()
    before = (each.task.end_goal, *acting[:-1])  # what it had read before it could ask
    read = [acting[t] if has else before[t] for t, has in zip(time.tolist(), asked.tolist(), strict=True)]
    left = np.where(each.help_left[time] == NOTHING, NOTHING, each.help_left[time] - asked)
    pose = each.pose[time]
    found: dict[str, Any] = {
        "instruction": observer.tokens(read),
        "time_left": each.time_left[time],
        "requests_left": left,
        "may_go_forward": (~each.blocked[time]).astype(np.int64),
        "may_request": ((left != 0) & (asked == 0) & (time < each.steps)).astype(np.int64),
    }
    if "poses" in observer.kinds:
        found |= {"viewpoint": pose // VIEWS, "view": pose % VIEWS, "pose": observer.poses(pose)}
    if "features" in observer.kinds:
        found |= {f"features_{name}": np.asarray(table[pose], np.float32) for name, table in observer.views.items()}
    if "pictures" in observer.kinds:
        found["picture"] = np.stack(list(observer.pictures(pose)))
    return found


def _metadata(each: Recording) -> dict[str, Any]:
    return {
        "task": each.task.id,
        "house": each.task.house,
        "end_goal": each.task.end_goal,
        "actor": each.about.actor,
        "participant": each.about.participant,
        "condition": each.about.condition,
        "success": each.success,
        "steps": each.steps,
        "requests": int(each.request.sum()),
        "help_budget": each.help_budget,
        "said": "\n".join(each.said),
    }


def _minari() -> Any:
    try:
        return import_module("minari")
    except ImportError as error:
        raise InputError(f"Minari data sets need the package minari ({error}); pip install 'vnla[minari]'") from None


def _storage() -> Any:
    return import_module("minari.dataset.minari_storage").MinariStorage
