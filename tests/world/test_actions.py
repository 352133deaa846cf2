"""The actions' numbers, which results files and trained networks hold."""

from __future__ import annotations

import torch

from vnla.world import actions
from vnla.world.actions import Ask, Nav


def test_the_numbers_are_those_of_the_authors() -> None:
    assert {each.name: int(each) for each in Nav} == {"LEFT": 0, "RIGHT": 1, "UP": 2, "DOWN": 3, "FORWARD": 4, "STOP": 5}
    assert {each.name: int(each) for each in Ask} == {"DO_NOTHING": 0, "REQUEST": 1}
    assert (actions.NAV_START, actions.ASK_START) == (6, 2), "no action yet comes after all actions"
    assert actions.NO_ACTION == -1, "environments show it, and embeddings of actions have no such row"


def test_who_requests_help_does_the_action_of_requesting() -> None:
    asked = actions.ask_action(torch.tensor([False, True]))
    assert asked.tolist() == [Ask.DO_NOTHING, Ask.REQUEST] and asked.dtype == torch.int64
