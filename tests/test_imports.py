"""What a module brings along when it is imported, and that modules do not need each other in a circle."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import vnla

SOURCE = Path(vnla.__file__).parent
FOREIGN = ("shapely", "trimesh", "matplotlib", "inflect", "gymnasium", "numba", "llvmlite")
"""What drawing, figures, plurals, the environment and a CPU's own loops need, and training on a GPU does not."""

LOADED = """
import json, sys
import vnla.agent.agent, vnla.bcui, vnla.training.trainer
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


def modules() -> dict[str, Path]:
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of ours that a file names, also those that it imports late or for its types only."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for each in node.names:
                whole = f"{node.module}.{each.name}"
                yield whole if whole in known else node.module


@pytest.mark.parametrize("part", ["vnla.vision", "vnla.houses"])
def test_no_module_needs_one_that_needs_it(part: str) -> None:
    known = {name: path for name, path in modules().items() if name == part or name.startswith(f"{part}.")}
    graph = {name: set(imports(path, known)) - {name} for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))
