"""python -m torture faults|kills|flips|fuzz|mutants: a report as JSON, status 1 if anything is wrong.

PYTHONPATH=src:tests python -m torture faults --seed 0 --most 40 --out faults.json
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from pathlib import Path

PARTS = ("faults", "kills", "flips", "fuzz", "mutants")


def main() -> int:
    """Run one part."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, help="faults a command, kills, bits a file, inputs a reader, mutants a module")
    parser.add_argument("--jobs", type=int, default=1, help="processes that fuzz")
    parser.add_argument("--seconds", type=float, help="after which fuzzing, or the faults of a command, end as they are")
    parser.add_argument("--only", nargs="*", default=[], help="these commands, readers or modules alone")
    parser.add_argument("--work", type=Path, default=Path("build/torture"), help="where everything is done")
    parser.add_argument("--out", type=Path, help="the report; stdout without it")
    given = parser.parse_args()
    work = given.work.absolute()
    began = time.monotonic()
    if given.part == "faults":
        from torture.faults import faults, restart_with

        restart_with(work)
        rows = faults(work, given.seed, given.most, given.only, given.seconds)
    elif given.part == "kills":
        from torture.kills import kills

        rows = kills(work, given.seed, given.most or 200, given.only)
    elif given.part == "flips":
        from torture.flips import flips

        rows = flips(work, given.seed, given.most or 500)
    elif given.part == "fuzz":
        from torture.fuzz import fuzz_all

        rows = fuzz_all(work, given.seed, given.most or 1_000_000, given.only, given.jobs, given.seconds)
    else:
        from torture.mutants import mutants

        rows = mutants(work, given.seed, given.most, given.only)
    found = []
    for row in rows:
        found.append(row)
        for each in (*row["wrong"], *row.get("survivors", ())):
            print(json.dumps(each, ensure_ascii=False)[:2000], file=sys.stderr)
        short = {name: value for name, value in row.items() if name not in ("wrong", "survivors")}
        print(json.dumps({**short, "wrong": len(row["wrong"])}), file=sys.stderr, flush=True)
    report = {
        "part": given.part,
        "seed": given.seed,
        "most": given.most,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "seconds": round(time.monotonic() - began, 1),
        "rows": found,
    }
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    if given.out is None:
        print(text, end="")
    else:
        given.out.write_text(text, encoding="utf-8")
    return int(any(row["wrong"] for row in found))


if __name__ == "__main__":
    sys.exit(main())
