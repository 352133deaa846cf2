"""What a module brings along when it is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import vnla

SOURCE = Path(vnla.__file__).parent
FOREIGN = ("shapely", "trimesh", "matplotlib", "inflect", "gymnasium", "numba", "llvmlite")
"""What drawing, figures, plurals, the environment and a CPU's own loops need, and training on a GPU does not."""

LOADED = """
import json, sys
import vnla.agents.agent, vnla.bcui, vnla.training.trainer
print(json.dumps(sorted(sys.modules)))
"""


def test_training_loads_neither_pictures_nor_what_they_need() -> None:
    """In a fresh interpreter: this one has loaded everything."""
    program = [sys.executable, "-c", LOADED]
    environment = {"PYTHONPATH": str(SOURCE.parent), "OMP_NUM_THREADS": "1"}
    answer = subprocess.run(program, capture_output=True, text=True, check=True, env=environment)
    loaded = json.loads(answer.stdout)
    unwanted = ("vnla.houses.render", "vnla.houses.generate", "vnla.houses.images", "vnla.vision", "vnla.report", *FOREIGN)
    assert not [name for name in loaded if any(name == each or name.startswith(f"{each}.") for each in unwanted)]
