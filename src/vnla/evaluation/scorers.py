"""What every evaluation finds out about its episodes: the scorers of our own metrics."""

from __future__ import annotations

from torch import Tensor

from vnla.assistance.help_teacher import Reason
from vnla.evaluation.measures import (
    agreement,
    count_reasons,
    finds_room,
    is_success,
    ndtw,
    path_length,
    reference_path,
    spl,
)
from vnla.evaluation.scores import Case


def ending(case: Case) -> dict[str, Tensor]:
    """Where the agent ended."""
    left, visited = case.metres_left[:, -1], case.visited[:, -1]
    goal_rooms = case.rooms[case.environment.goal_viewpoints[case.goals]]
    return {
        "success": is_success(left),
        "room_success": finds_room(case.rooms[visited], goal_rooms),
        "nav_error": left.double(),
    }


def walking(case: Case) -> dict[str, Tensor]:
    """How it went there."""
    left, walked = case.metres_left, path_length(case.world, case.visited)
    closest, reference = left.amin(dim=1), reference_path(case.environment, case.visited[:, 0], case.goals)
    return {
        "oracle_success": is_success(closest),
        "oracle_error": closest.double(),
        "steps": case.trace.length,
        "path_length": walked.double(),
        "shortest": left[:, 0].double(),
        "spl": spl(is_success(left[:, -1]), left[:, 0], walked).double(),
        "ndtw": ndtw(case.world, case.visited, reference).double(),
    }


def asking(case: Case) -> dict[str, Tensor]:
    """How it asked for help, and what the help-requesting teacher thought of it."""
    trace = case.trace
    # the teacher gives this reason exactly where no budget is left, and results files do not have the budget itself
    possible = case.active & (trace.reason != Reason.NO_BUDGET) & (trace.reason >= 0)
    agreed = agreement(trace.request, trace.teacher_request, possible)
    return {
        "requests": trace.request.sum(dim=1),
        "help_budget": trace.help_budget,
        **{f"ask_{name}": count for name, count in agreed._asdict().items()},
        "reasons": count_reasons(trace.reason, case.active),
        "reasons_at_requests": count_reasons(trace.reason, trace.request),
    }
