"""python -m vnla.mattersim script.py args…   runs a MatterSim program on the simulator of `vnla`.

With `--path` instead of a script it prints a folder. Programs that find the folder in PYTHONPATH import the same simulator
however they are started: by torchrun, by a shell script, by another program.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from vnla.mattersim import install

USAGE = "usage: python -m vnla.mattersim script.py [args…]   or   python -m vnla.mattersim --path"
BAD_INPUT = 2


def main(arguments: list[str]) -> int:
    """Run the script named first in `arguments` as python would; the exit status where there is none to run."""
    if arguments and arguments[0] in ("-h", "--help"):
        sys.stdout.write(f"{__doc__ or ''}\n{USAGE}\n")
        return 0
    if arguments == ["--path"]:
        sys.stdout.write(f"{drop_in_folder()}\n")
        return 0
    if not arguments or arguments[0].startswith("-"):
        sys.stderr.write(f"{USAGE}\n")
        return BAD_INPUT
    script = Path(arguments[0])
    if not script.is_file():
        what = "is a directory" if script.is_dir() else "no such file"
        sys.stderr.write(f"{script}: {what}; expected the Python script to run\n")
        return BAD_INPUT
    run(script, arguments)
    return 0


def run(script: Path, arguments: list[str]) -> None:
    """Run `script` as `__main__` with `arguments`, its own name first, as sys.argv."""
    install()
    # Worker processes that start afresh get this process's import path, but not its modules.
    sys.path.append(str(drop_in_folder()))
    if not sys.flags.safe_path:
        sys.path[0] = str(script.resolve().parent)
    sys.argv = arguments
    runpy.run_path(arguments[0], run_name="__main__")


def drop_in_folder() -> Path:
    """The folder to put on the import path so that `import MatterSim` finds this package."""
    return Path(__file__).resolve().parent / "drop_in"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
