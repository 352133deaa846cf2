"""`vnla beyond`: agents that go past the paper, each beside LEARNED."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vnla.cli.console import LARGEST_SEED
from vnla.cli.options import as_typed, takes_options
from vnla.cli.paper import EverythingArgument, ExperimentOptions, SharedWorkOptions, is_whole, print_found, resumable
from vnla.common.errors import InputError
from vnla.common.options import option

if TYPE_CHECKING:
    from vnla.experiments.beyond.plan import ComparisonPlan


@dataclass(frozen=True)
class BeyondOptions(ExperimentOptions):
    """Which agents are compared, and how."""

    preset: str = option("small", "small: on two cores; paper: the paper's sizes, on a GPU.", metavar="NAME")
    iterations: int | None = option(None, "Iterations of each agent, in all phases. [default: the preset's]", min=1)
    learned_iterations: int | None = option(
        None, "Iterations of LEARNED, such as the paper's 100000. [default: as many as the others]", min=1
    )
    arm: list[str] | None = option(
        None,
        "Only this agent beside learned; may be repeated. One of tuned, senses, reward, best, valued; an agent with one"
        " sensor: clock, requests, advice, been, spotted; or another one from docs/beyond.md. [default: the first five]",
        metavar="NAME",
    )
    trainings: int = option(1, "Number of trainings of each agent, with consecutive seeds.", min=1)
    fresh: int | None = option(
        None, "Number of fresh houses to test agents in as well. [default: small 0, paper 200]", min=0
    )
    sweep: bool = option(True, "Measure success with more and less help.", "--sweep/--no-sweep")
    ceilings: bool = option(True, "Measure how much better the agents could do.", "--ceilings/--no-ceilings")
    limit: int | None = option(None, "Tasks for --ceilings. [default: the preset's]", min=1)
    houses: str | None = option(
        None,
        "Train each agent, or best if none is named, in these numbers of houses, such as 61,122,244,500.",
        metavar="NUMBERS",
    )
    mirrored: bool = option(False, "With --houses: train in these houses and in their mirror images as well.")
    beside: int = option(8, "On a GPU: number of trainings side by side, at most.", min=1)

    def plan(self, seed: int) -> ComparisonPlan:
        """Return what is to be compared."""
        from vnla.experiments.beyond.arms import LEARNED, arms_by_houses, chosen_arms, scale_of
        from vnla.experiments.beyond.plan import ComparisonPlan
        from vnla.experiments.beyond.training_houses import house_counts, with_points

        scale = scale_of(self.preset)
        scale = replace(scale, preset=self.given(scale.preset), limit=self.limit or scale.limit)
        if self.mirrored and self.houses is None:
            raise InputError("--mirrored: is about the houses of --houses; give that option as well")
        counts = house_counts(self.houses) if self.houses else ()
        arms = chosen_arms(scale, self.arm or ())
        if counts:
            scale = replace(scale, preset=with_points(scale.preset, max(counts)))
            arms = arms_by_houses(scale, self.arm or (), counts, mirrored=self.mirrored)
        arms = [replace(arm, iterations=self.learned_iterations) if arm.name == LEARNED else arm for arm in arms]
        return ComparisonPlan(
            scale,
            arms,
            train=max(counts) if counts else None,
            mirrored=self.mirrored,
            trainings=self.trainings,
            fresh=scale.fresh if self.fresh is None else self.fresh,
            sweeps=self.sweep,
            ceilings=self.ceilings,
            peers=self.peers,
            seed=seed,
        )


@dataclass(frozen=True)
class BeyondWorkOptions(SharedWorkOptions):
    """The seed has another meaning where agents are trained several times."""

    seed: int = option(0, "Seed of houses, data sets and the first training.", min=0, max=LARGEST_SEED)


@takes_options()
def beyond(out: EverythingArgument, *, options: BeyondOptions, work: BeyondWorkOptions) -> None:
    """Train agents that go beyond the paper, and compare them with LEARNED in a report.

    These agents have sensors, learn from reward, or learn what a request is worth. The report is OUT/report.html, with
    tables and figures beside it.

    What is done is kept: stop it at any time, and the same command continues. Several machines divide the work as with
    `vnla paper`.

    Example: vnla beyond out --preset small

    Example: vnla beyond out --preset paper --trainings 3 --device cuda --precision tf32

    Example: vnla beyond out --arm panorama-spotted --preset paper --learned-iterations 100000 --device cuda

    Example: vnla beyond out --preset paper --houses 61,122,244,500 --mirrored
    """
    from vnla.experiments.beyond.comparison_stages import run_comparison

    noted = (
        "trainings",
        "iterations",
        "learned_iterations",
        "validate_every",
        "precision",
        "world",
        "features",
        "fresh",
        "limit",
        "houses",
    )
    words = [
        f"vnla beyond {out} --preset {options.preset}",
        *as_typed(options, *noted),
        *work.noted_seed(),
        *(f"--arm {name}" for name in options.arm or ()),
        *(["--mirrored"] if options.mirrored else []),
        *(f"--no-{part}" for part in ("sweep", "ceilings", "peers") if not getattr(options, part)),
    ]
    plan, here = options.plan(work.seed), work.here()
    with resumable():
        source = run_comparison(out, plan, command=" ".join(words), world=options.world, beside=options.beside, **here)
    if is_whole(here["sharing"]):
        print_found(source.tables(), source.layout.report)
