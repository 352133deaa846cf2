"""How often a thing or a room alone tells the way in what the grammar says: the numbers of language.md.

python docs/landmarks.py worlds/small
"""

from __future__ import annotations

import sys
from pathlib import Path

from vnla.houses.folder import read_world
from vnla.language.grammar import Grammar
from vnla.language.speaker.training import OwnWords, ground_of
from vnla.language.speech import Speech, landmarks_alone, plan_of, tell

K, WALKS = 4, 4000


def share(world: Path, says: str) -> float:
    """Of sentences about random walks in the houses of training."""
    ground, grammar = ground_of(read_world(world), "train"), Grammar()
    now = ground.agents(WALKS, 3)
    told = tell(now, Speech.of(grammar, OwnWords(grammar.words), says, K), ground.knowledge, K)
    return float(landmarks_alone(plan_of(now, K), told).any(dim=1).float().mean())


if __name__ == "__main__":
    for name in ("usual", "landmarks"):
        sys.stdout.write(f"{name}: {share(Path(sys.argv[1]), name):.1%} of {WALKS} sentences\n")
