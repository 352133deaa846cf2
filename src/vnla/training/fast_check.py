"""Compares the policy state that an agent learns with to the plain one, before anything is learned.

A fast policy state contains the agent's equations once more. A few episodes are run with the plain state, without dropout;
the fast state then decides every step again from the same views, actions and words. If they differ, no training begins.

On a GPU that takes seconds. A comparison that went well is noted on disk, beside the kernels that were compared. The note
holds for as long as nothing changes: this program's code, the agent's layers, PyTorch, the GPU and the precision.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path

import torch

from vnla.agents.policy_state import PolicyState
from vnla.assistance.words import Utterance
from vnla.bcui import bcui, begin, feature_dropout_of, log_distribution, seen
from vnla.common import checksums, files
from vnla.common.custom_parts import called, is_ours
from vnla.common.errors import InputError
from vnla.common.returned import check_finite, check_tensor
from vnla.common.selection import take_rows
from vnla.episode import StepContext
from vnla.rollout import Rollout, RolloutContext, Transition
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import NAV_ACTIONS, NAV_START, ask_action

EPISODES = 8
"""Walked for the comparison."""
TOLERANCE = {"float32": 1e-3, "tf32": 0.1}
"""Precision → how far the logarithms of two probabilities may be apart."""


def check_fast(context: RolloutContext, tasks: TaskSet, precision: str, cache: Path | None) -> None:
    """Compare the two states, unless the folder `cache` notes that this has been done."""
    if cache is None or not is_ours(context.agent):  # the checksum is of our code alone
        compare_fast(context, tasks, precision)
        return
    about = {
        "program": checksums.of_program(),
        "agent": repr(context.agent),
        "torch": torch.__version__,
        "device": _name(tasks.key.device),
        "precision": precision,
    }
    file = cache / "minds" / f"{checksums.of_json(about)}.json"
    if _is_noted(file, about):
        return
    difference = compare_fast(context, tasks, precision)
    with suppress(OSError):  # it will be compared again
        file.parent.mkdir(parents=True, exist_ok=True)
        files.write_text(file, json.dumps({"compared": about, "difference": difference}, indent=1))


def _name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def _is_noted(file: Path, about: dict[str, str]) -> bool:
    """Return whether a file says that these were compared; where they differ none is written."""
    try:
        noted = files.read_json(file, "a comparison")
    except InputError:
        return False
    return isinstance(noted, dict) and noted.get("compared") == about


def compare_fast(context: RolloutContext, tasks: TaskSet, precision: str = "float32") -> float:
    """Return the largest difference between what the plain and the fast state decide; refuse one that is too large.

    Where both are of one kind there is nothing to compare, and the difference is 0. Of an agent that is not ours it is seen
    to, either way, that it decides at all.
    """
    episodes = tasks.episodes(torch.arange(min(EPISODES, len(tasks)), device=tasks.key.device), seed=0)
    training = context.agent.training
    context.agent.eval()
    try:
        learning = begin(episodes, context).policy_state
        with torch.no_grad():
            if not is_ours(context.agent):
                _check_decisions(context, bcui(episodes, context, longest=2))
            if type(begin(episodes, context).policy_state) is type(learning):
                return 0.0
            difference = max(_differences(context, bcui(episodes, context), learning), default=0.0)
    finally:
        context.agent.train(training)
    if not difference <= TOLERANCE[precision]:
        who = type(context.agent).__name__
        raise InputError(
            f"agent {who}: the state it would learn with and the plain one differ by {difference:.3g} in the logarithm of a"
            " probability; the equations in vnla.agents.fast are not those of the agent"
        )
    return difference


def _check_decisions(context: RolloutContext, rollout: Rollout) -> None:
    """Whether what a custom agent decided in its first steps are probabilities of the six actions."""
    who = called("agent", context.agent)
    for transition in rollout.transitions:
        check_tensor(who, "the policy state's decide", transition.final, (len(transition.row), NAV_ACTIONS), torch.float32)
        check_finite(
            who,
            "the policy state's decide",
            transition.final.nan_to_num(torch.nan, None, 0.0),
            f" at step {transition.step}",
        )


def _differences(context: RolloutContext, rollout: Rollout, policy_state: PolicyState) -> list[float]:
    """Return how far `policy_state` is from what was decided, step by step, when it is led through the same episodes."""
    environment = rollout.episodes.environment
    row = torch.arange(len(rollout.episodes), device=rollout.episodes.key.device)
    nav = torch.full_like(row, NAV_START)
    feature_dropout, found = feature_dropout_of(rollout.episodes, context), []
    for transition in rollout.transitions:
        rest = torch.searchsorted(row, transition.row)
        if len(rest) < len(row):
            policy_state = take_rows(policy_state, rest)
        nav, row = nav[rest], transition.row
        answer = policy_state.read(transition.request, partial(Utterance, transition.heard, transition.phrases))
        view = seen(_step_context(transition, rollout), context, take_rows(feature_dropout, transition.row))
        for name, values in view.items():
            who, method = (f"sensor {name}", "__call__") if name in context.sensors else (f"features {name}", "a view")
            check_finite(who, method, values, f" at step {transition.step}")
        policy_state = policy_state.see(view, nav)
        policy_state = policy_state.hear(transition.request & context.advisor.speaks, answer)
        decision, policy_state = policy_state.decide(ask_action(transition.request & context.help_policy.invited))
        nav = transition.nav
        again = log_distribution(decision.logits, environment.blocked(transition.pose))
        apart = torch.where(again == transition.final, 0.0, (again - transition.final).abs())  # both may be infinite
        found.append(float(apart.nan_to_num(torch.inf).max()))
    return found


def _step_context(transition: Transition, rollout: Rollout) -> StepContext:
    """Return the step context of a transition."""
    return StepContext(
        take_rows(rollout.episodes, transition.row), transition.step, transition.pose, transition.unmoved, transition.budget,
        transition.tentative, transition.tentative[:, :0], since_request=transition.since_request, past=transition.past,
        k=rollout.k,
    )  # fmt: skip
