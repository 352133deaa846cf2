"""The pages that people read: the front page and its neighbours, the documentation, the results, the cards of agents."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
CARDS = sorted((ROOT / "src" / "vnla" / "agents" / "pretrained").glob("*/card.md"))
RESULTS = [ROOT / "results" / "README.md", *sorted((ROOT / "results").glob("*/README.md"))]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *RESULTS, *CARDS]
