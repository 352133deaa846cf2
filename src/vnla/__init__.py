"""Agents that find things in a house by sight and ask for help in language.

An implementation of *Vision-based Navigation with Language-based Assistance via Imitation Learning with Indirect
Intervention* (Nguyen, Dey, Brockett, Dolan, CVPR 2019).

    import vnla

    vnla.train("runs/learned", world="worlds/small", tasks="tasks/small", iterations=2000)
    print(vnla.evaluate("runs/learned")["test_unseen"].figure("success_rate"))

The names in `__all__` are what a person needs from Python; docs/python.md has a line on each. Each is imported when it is
first used, so that `import vnla` itself loads next to nothing.
"""

import os as _os
import platform as _platform
from importlib import import_module as _import_module

TYPE_CHECKING = False  # type checkers take it for true; `typing` would take longer to load than all the rest
if TYPE_CHECKING:
    from vnla import gym, mattersim
    from vnla.agents.agent import Agent, Sizes
    from vnla.agents.policy import Policy
    from vnla.agents.policy_state import Decision, PolicyState, Start
    from vnla.agents.sensors import Sensor
    from vnla.api.agents import LoadedAgent, evaluate, load_agent, train
    from vnla.api.making import import_world, load_tasks, load_world, make_features, make_tasks, make_world
    from vnla.api.registry import find_part, list_parts
    from vnla.api.scoring import Comparison, compare, score
    from vnla.assistance.advisor import Advisor, BoundAdvisor, Lexicon, tabulated
    from vnla.assistance.help_policies import HelpPolicy
    from vnla.assistance.phrases import read_subgoal
    from vnla.assistance.words import Phrases, Utterance
    from vnla.common.errors import InputError
    from vnla.episode import StepContext
    from vnla.evaluation.contest import Entry
    from vnla.evaluation.evaluate import Evaluation
    from vnla.evaluation.metrics import Metric
    from vnla.evaluation.scores import Case
    from vnla.houses.cottage import cottage
    from vnla.houses.folder import WorldFolder
    from vnla.houses.house import Box, House, Object, OrientedBox, Room, Viewpoint
    from vnla.houses.pictures import PictureSource
    from vnla.houses.skybox import face_directions
    from vnla.houses.sources import WorldSource
    from vnla.observation import Observation
    from vnla.report.maps import Step, draw_house
    from vnla.report.terminal import house_text
    from vnla.rollout import Rollout
    from vnla.tasks.dataset import Dataset
    from vnla.training.objectives.objective import Judged, Objective
    from vnla.vision.encoders.base import Encoder, Size
    from vnla.words import Words
    from vnla.world.actions import Nav
    from vnla.world.compiled import viewpoint_of

# Threads of PyTorch wait for each other many times in an iteration. By default they do so in circles, which takes the cores
# from whoever else needs them, the slower of these threads included: on a busy x86 machine a training takes several times as
# long. Asleep they lose a few per cent on an idle one. On ARM, where OpenBLAS multiplies matrices and waits in circles of
# its own, nothing would be gained. It has to be said before PyTorch is loaded; what the environment says comes first.
if _platform.machine().lower() not in ("aarch64", "arm64"):
    _os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

__version__ = "0.1.0"

__all__ = [
    "Advisor",
    "Agent",
    "BoundAdvisor",
    "Box",
    "Case",
    "Comparison",
    "Dataset",
    "Decision",
    "Encoder",
    "Entry",
    "Evaluation",
    "HelpPolicy",
    "House",
    "InputError",
    "Judged",
    "Lexicon",
    "LoadedAgent",
    "Metric",
    "Nav",
    "Object",
    "Objective",
    "Observation",
    "OrientedBox",
    "Phrases",
    "PictureSource",
    "Policy",
    "PolicyState",
    "Rollout",
    "Room",
    "Sensor",
    "Size",
    "Sizes",
    "Start",
    "Step",
    "StepContext",
    "Utterance",
    "Viewpoint",
    "Words",
    "WorldFolder",
    "WorldSource",
    "__version__",
    "compare",
    "cottage",
    "draw_house",
    "evaluate",
    "face_directions",
    "find_part",
    "gym",
    "house_text",
    "import_world",
    "list_parts",
    "load_agent",
    "load_tasks",
    "load_world",
    "make_features",
    "make_tasks",
    "make_world",
    "mattersim",
    "read_subgoal",
    "score",
    "tabulated",
    "train",
    "viewpoint_of",
]

_HOMES = {
    # Worlds, tasks and features.
    "make_world": "vnla.api.making",
    "load_world": "vnla.api.making",
    "import_world": "vnla.api.making",
    "make_tasks": "vnla.api.making",
    "load_tasks": "vnla.api.making",
    "make_features": "vnla.api.making",
    "WorldFolder": "vnla.houses.folder",
    "Dataset": "vnla.tasks.dataset",
    # Agents.
    "train": "vnla.api.agents",
    "load_agent": "vnla.api.agents",
    "evaluate": "vnla.api.agents",
    "LoadedAgent": "vnla.api.agents",
    "Evaluation": "vnla.evaluation.evaluate",
    # Scores of anybody's agents.
    "score": "vnla.api.scoring",
    "compare": "vnla.api.scoring",
    "Comparison": "vnla.api.scoring",
    "Entry": "vnla.evaluation.contest",
    # Parts by name, and what is wrong with what was given.
    "list_parts": "vnla.api.registry",
    "find_part": "vnla.api.registry",
    "InputError": "vnla.common.errors",
    # What one extends.
    "Policy": "vnla.agents.policy",
    "Agent": "vnla.agents.agent",
    "PolicyState": "vnla.agents.policy_state",
    "Advisor": "vnla.assistance.advisor",
    "BoundAdvisor": "vnla.assistance.advisor",
    "HelpPolicy": "vnla.assistance.help_policies",
    "Sensor": "vnla.agents.sensors",
    "Objective": "vnla.training.objectives.objective",
    "Metric": "vnla.evaluation.metrics",
    "Encoder": "vnla.vision.encoders.base",
    "PictureSource": "vnla.houses.pictures",
    "WorldSource": "vnla.houses.sources",
    # What their methods are given and return.
    "StepContext": "vnla.episode",
    "Rollout": "vnla.rollout",
    "Observation": "vnla.observation",
    "Sizes": "vnla.agents.agent",
    "Start": "vnla.agents.policy_state",
    "Decision": "vnla.agents.policy_state",
    "Words": "vnla.words",
    "Utterance": "vnla.assistance.words",
    "Phrases": "vnla.assistance.words",
    "Lexicon": "vnla.assistance.advisor",
    "tabulated": "vnla.assistance.advisor",
    "read_subgoal": "vnla.assistance.phrases",
    "Judged": "vnla.training.objectives.objective",
    "Case": "vnla.evaluation.scores",
    "Size": "vnla.vision.encoders.base",
    "Nav": "vnla.world.actions",
    "viewpoint_of": "vnla.world.compiled",
    # Houses as plain data, and pictures of them.
    "House": "vnla.houses.house",
    "Room": "vnla.houses.house",
    "Object": "vnla.houses.house",
    "Viewpoint": "vnla.houses.house",
    "Box": "vnla.houses.house",
    "OrientedBox": "vnla.houses.house",
    "cottage": "vnla.houses.cottage",
    "face_directions": "vnla.houses.skybox",
    "draw_house": "vnla.report.maps",
    "Step": "vnla.report.maps",
    "house_text": "vnla.report.terminal",
}
"""Name → the module that has it."""
_MODULES = ("gym", "mattersim")
"""Modules of ours that are imported by their use; the first makes the environments known to Gymnasium."""


def __getattr__(name: str) -> object:
    """Import what is used for the first time."""
    if name in _MODULES:
        return _import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(_import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
