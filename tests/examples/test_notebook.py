"""The notebook goes from nothing to a trained agent with a picture of its walk, cell by cell, as Jupyter would run it."""

from __future__ import annotations

import ast
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"
SOURCE = Path(__file__).parents[2] / "src"


def run(cell: str, names: dict[str, Any]) -> Any:
    """What a cell shows: the value of its last line, if that is an expression."""
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, NOTEBOOK.name, "exec"), names)
    return eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names) if isinstance(last, ast.Expr) else None


@pytest.mark.slow
def test_every_cell_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {"__name__": "notebook"}
    shown = []
    for cell in cells:
        if "install" not in cell["metadata"].get("tags", ()):
            text = "".join(cell["source"]).replace("ITERATIONS = 100", "ITERATIONS = 20")
            shown.append(run(text, names))
    assert "success of yours:" in capsys.readouterr().out
    assert names["compared"].difference("success_rate").value > 0
    [picture] = [each for each in shown if isinstance(each, Image.Image)]
    assert picture.width > 400
    sys.modules.pop("my_agent", None)


def test_it_is_a_notebook() -> None:
    found = json.loads(NOTEBOOK.read_text())
    assert (found["nbformat"], found["metadata"]["kernelspec"]["language"]) == (4, "python")
    assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"])
    assert found["cells"][0]["cell_type"] == "markdown"
