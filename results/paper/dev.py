"""Table 2's trainings at the paper's sizes on the development splits, from the logs beside this file.

python results/paper/dev.py
"""

from __future__ import annotations

import json
import math
from pathlib import Path

POLICIES = ("none", "first", "random", "learned", "teacher")
SPLITS = {"val_seen": 5008, "val_unseen": 5004}
"""Episodes of each."""


def main() -> None:
    """Print the last validation of every policy; the interval is that of a share of so many episodes."""
    print("| help policy | split | success, % | room-finding, % | navigation error, m | requests |")
    print("| --- | --- | --- | --- | --- | --- |")
    for split, episodes in SPLITS.items():
        for policy in POLICIES:
            lines = (Path(__file__).parent / policy / "log.jsonl").read_text().splitlines()
            last = [json.loads(line) for line in lines if split in line][-1]
            found = last[split]
            share = found["success_rate"] / 100
            margin = 196 * math.sqrt(share * (1 - share) / episodes)
            print(
                f"| {policy} | {split} | {found['success_rate']:.1f} ± {margin:.1f} | {found['room_success_rate']:.1f}"
                f" | {found['nav_error']:.2f} | {found['requests']:.2f} |"
            )


if __name__ == "__main__":
    main()
