"""The cottage's tasks as guests walk them. Task "1": from living_west, heading 180, to the kitchen; three turns to the left,
three steps forward and a stop. It has 25 steps; with τ = 0.32 and k = 4 two requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cottage_players import HOUSE, TASKS, VOCABULARY, WORLD
from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.houses.folder import WorldFolder
from vnla.remote.episode import EvaluationRules
from vnla.remote.observer import WorldObserver
from vnla.remote.participant import Declaration

FOLDER = WorldFolder(Path(), (HOUSE,), {"train": (HOUSE.name,)}, {})
KITCHEN = 1


def rules(advisor: Advisor | None = None, ratio: float = 0.32, **options: Any) -> EvaluationRules:
    advisor = advisor or TemplateAdvisor()
    return EvaluationRules(TASKS, advisor, advisor.ready(VOCABULARY.with_words(advisor.words())), ratio, **options)


def showing(declared: Declaration | None = None) -> WorldObserver:
    return WorldObserver(declared or Declaration("somebody"), FOLDER, WORLD)
