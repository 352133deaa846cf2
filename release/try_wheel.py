"""Installs a wheel or an sdist into an empty environment, and uses it there from another folder: `make package`.

python release/try_wheel.py dist/*.whl            the steps of the demo in three houses, one command after the other
python release/try_wheel.py dist/*.whl --demo     vnla demo itself: minutes
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]

STEPS = """
vnla --version
vnla list agents
vnla walk
vnla world make world --preset small --houses 3
vnla features make world
vnla tasks make world tasks --fewest 1
vnla train run --world world --tasks tasks --iterations 4 --validate-every 4 --hidden 32 --batch 8
vnla evaluate run --seeds 1 --subset 20 --json summary.json
vnla evaluate pretrained --world world --tasks tasks --seeds 1 --subset 20
vnla watch pretrained --world world --tasks tasks --out pictures
vnla watch pretrained
vnla world show
vnla world export world exported
python -m vnla.mattersim --path
python -c 'import vnla.gym, vnla.serve.app'
"""
DEMO = """
vnla demo demo
vnla evaluate demo/runs/learned --seeds 1 --subset 100
"""


def install(file: Path, environment: Path) -> None:
    """Make an environment with nothing in it but a package and what that says it needs."""
    venv.create(environment, with_pip=True)
    pip = [environment / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", ROOT / "constraints.txt", f"{file.resolve()}[serve]"], check=True)


def use(environment: Path, folder: Path, steps: str = STEPS) -> None:
    """Run commands of an environment in a folder, where nothing of the checkout can be found."""
    programs = environment / "bin"
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    told = {**kept, "PATH": f"{programs}{os.pathsep}{kept['PATH']}", "XDG_CACHE_HOME": str(folder / "cache")}
    for step in steps.strip().splitlines():
        began = time.monotonic()
        program, *words = shlex.split(step)
        done = subprocess.run([programs / program, *words], cwd=folder, env=told, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{step}\n{done.stdout}{done.stderr}exit status {done.returncode}")
        sys.stdout.write(f"{time.monotonic() - began:6.1f} s  {step}\n")
        sys.stdout.flush()


def main() -> None:
    """Try what is named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--demo", action="store_true", help="the whole demo")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment, work = Path(folder) / "environment", Path(folder) / "work"
        work.mkdir()
        install(given.file, environment)
        use(environment, work, DEMO if given.demo else STEPS)


if __name__ == "__main__":
    main()
