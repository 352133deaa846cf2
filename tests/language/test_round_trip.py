"""What the grammar says is understood as it was meant: frames → words → frames, where they are said."""

from __future__ import annotations

import pytest

import spoken as it
from vnla.assistance.phrases import until_stop
from vnla.camera import VIEWS
from vnla.language.frames import Enter, Frame, Leave, Turn
from vnla.language.grounding import denote
from vnla.language.parser import parse
from vnla.language.speech import plan_of
from vnla.language.things import NOTHING

COUNT = 30


def as_said(frame: Frame) -> Frame:
    """What words tell of a frame: "turn around" has no side, and "go into the hall" does not say from where."""
    match frame:
        case Turn(_, 6):
            return Turn("right", 6)
        case Leave(_, into, side) if into != NOTHING:
            return Enter(into, side=side)
        case _:
            return frame


@pytest.mark.parametrize("says", ["usual", "templates", "synonyms"])
def test_sentences_of_the_grammar_are_parsed_back(says: str) -> None:
    voice, now = it.voice(4, says), it.agents(COUNT, 5)
    told, table, plan = voice.tell(now), voice.say(now).table, plan_of(now, 4)
    frames = plans = 0
    for row in range(COUNT):
        said = it.clauses(now, told, row)
        pose, house = said[0][1], said[0][3]
        seen = [int(each) - int(it.world().first[house]) * VIEWS for each in now.past[row]]
        meant = denote(parse(table.text(row)), it.surroundings()[house], pose, it.stepping(now, row, house), seen)
        frames += [as_said(frame) for frame, *_ in said] == [as_said(frame) for frame in meant.frames]
        plans += meant.plan == until_stop(plan.actions[row].tolist())
    assert frames >= 0.95 * COUNT and plans >= 0.95 * COUNT, (frames, plans)
