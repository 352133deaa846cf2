"""The pages that people read: the front page and its neighbours, the documentation, the results, the agent's card."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
CARD = ROOT / "src" / "vnla" / "agents" / "pretrained" / "card.md"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "results" / "README.md", CARD]
