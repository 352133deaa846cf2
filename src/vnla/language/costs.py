"""What it costs to take a sentence in one way rather than another: of all ways the one that costs least is meant.

`data/costs.txt` says what each cost is charged for; `benchmarks/experiments/fit_reader.py` fits them.
"""

from __future__ import annotations

from types import SimpleNamespace

from vnla.language import word_lists

COSTS = SimpleNamespace(**{name: float(text.split(" | ")[0]) for name, text in word_lists.entries("costs.txt")})
"""Those that are in use; only fitting changes them."""
