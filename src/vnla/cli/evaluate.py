"""`vnla evaluate`: how well a trained agent does (`vnla.cli.trial`), somebody else's (`vnla.cli.guests`), or people
(`vnla.cli.recorded`)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vnla.cli.guests import GuestOptions, GuestTrial, evaluate_guest
from vnla.cli.options import given_of, names_in, takes_options
from vnla.cli.outcome import EvaluationOptions
from vnla.cli.recorded import score_recorded_file
from vnla.cli.trial import RunTrial, RunTrialOptions, evaluate_runs
from vnla.common.errors import InputError
from vnla.common.options import refuse
from vnla.common.registry import options_of


@takes_options()
def evaluate(
    context: typer.Context,
    run: Annotated[
        Path | None,
        typer.Argument(
            metavar="RUN",
            help="Folder of one run or of several, or: pretrained. Leave it out with --agent.",
            show_default=False,
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Instead of a run: http://HOST:PORT, openai:MODEL, scripted, planner, or your own a.b:C."
        ),
    ] = None,
    recorded: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Instead of a run: score what people did, from a results file such as that of vnla study export.",
        ),
    ] = None,
    *,
    options: EvaluationOptions,
    of_runs: RunTrialOptions,
    of_guests: GuestOptions,
) -> None:
    """Measure success, room-finding, navigation error and more, with 95% intervals over the seeds of the help budgets.

    With --shard i/n a share of the evaluations is carried out and kept in DIR.shards, where DIR is that of --npz; --shard
    merge puts the shares together, and prints and writes what the command does without --shard.

    Example: vnla evaluate runs/learned --split test_seen --split test_unseen --sweep pictures

    Example: vnla evaluate runs/policies --csv episodes.csv --metric examples.metric:steps_after_help

    Example: vnla evaluate pretrained --split test_unseen --seeds 1

    Example: vnla evaluate --recorded data/results.json --world worlds/small --tasks tasks/small

    Example: vnla evaluate --agent http://localhost:8000 --world worlds/small --tasks tasks/small --subset 200
    """
    from vnla.common.machine import use_threads

    use_threads(options.threads)
    if recorded is not None:
        score_recorded_file(context, recorded, run, options)
    elif agent is not None:
        evaluate_guest(guest_trial(context, run, agent, options, of_guests))
    else:
        trial = run_trial(context, options, of_runs)
        if run is None:
            raise InputError("say which RUN to evaluate, or which --agent, or which --recorded FILE to score")
        evaluate_runs(run, trial)


def run_trial(context: typer.Context, options: EvaluationOptions, own: RunTrialOptions) -> RunTrial:
    """Return how runs are to be evaluated by the options of the command."""
    from vnla.common.machine import device_named

    refuse(given_of(context, names_in(GuestOptions)), " needs --agent")
    return RunTrial(options, own, options.speaking, options.metrics, device_named(options.device))


def guest_trial(
    context: typer.Context, run: Path | None, agent: str, options: EvaluationOptions, own: GuestOptions
) -> GuestTrial:
    """Return how an agent that is no run is to be evaluated by the options of the command."""
    from vnla.evaluation.evaluate import SEEDS
    from vnla.remote.episode import ON_ERROR
    from vnla.world.budgets import HELP_RATIO

    why = f" is for runs; --agent {agent} decides by itself"
    if run is not None:
        raise InputError(f"RUN{why}")
    refuse(given_of(context, names_in(RunTrialOptions)), why)
    if own.on_error not in ON_ERROR:
        raise InputError(f"--on-error {own.on_error}: choose from {', '.join(ON_ERROR)}")
    return GuestTrial(
        agent, options, own, SEEDS[: options.seeds or 1], options.metrics,
        HELP_RATIO if options.ratio is None else options.ratio, options.speaking,
        options_of(own.agent_option or [], "--agent-option"),
    )  # fmt: skip
