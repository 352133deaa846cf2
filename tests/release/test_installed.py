"""The wheel by itself, in an environment that has its dependencies and not the checkout, runs from another folder."""

from __future__ import annotations

import runpy
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_wheel_runs_from_another_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [wheel] = WheelBuilder(str(ROOT)).build(directory=str(tmp_path / "dist"), versions=["standard"])
    [sdist] = SdistBuilder(str(ROOT)).build(directory=str(tmp_path / "dist"), versions=["standard"])
    assert Path(sdist).stat().st_size < 60 << 20
    environment, work = tmp_path / "environment", tmp_path / "work"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel], check=True)
    # What is installed here, but for whatever is found by a .pth file, as a checkout is.
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = Path(subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True).stdout.strip())
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    work.mkdir()
    found = subprocess.run(
        [python, "-c", "import vnla; print(vnla.__file__)"], cwd=work, check=True, capture_output=True, text=True, env={}
    )
    assert Path(found.stdout.strip()).is_relative_to(own)
    runpy.run_path(str(ROOT / "release" / "try_wheel.py"))["use"](environment, work)
    assert capsys.readouterr().out.count("vnla watch pretrained") == 2, "in a world, and in none"
    assert (work / "summary.json").is_file()
    assert any((work / "pictures").iterdir())
