"""The options of the functions, as editors and type checkers see them.

They are those of the commands and have no defaults here: what is not given is what the command takes. docs/commands.md says
what each means. A mapping stands for options of the form NAME=VALUE, a class of yours for its name, and
several values for what may be repeated or has commas between.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

Place = str | os.PathLike[str]
"""A path; a `WorldFolder` and a `Dataset` are the paths of their folders, too."""
Name = str | type
"""A name that is listed, `package.module:Class`, or the class itself."""
Names = Name | Sequence[Name]
Own = Mapping[str, Any]
"""Options of a part that is chosen by name."""
Ends = str | tuple[int, int]
"""The least and the most, also as text: "1..3"."""


class WorldOptions(TypedDict, total=False):
    """Options of `vnla world make`."""

    preset: Name
    seed: int
    houses: int | None
    train: int | None
    dev: int | None
    test: int | None
    storeys: Ends | None
    rooms: Ends | None
    area: Ends | None
    style: Names | None
    programme: Name | None
    mirrored: bool
    workers: int | None


class ImportOptions(TypedDict, total=False):
    """Options of `vnla world import matterport`, `vnla world import json`, `vnla world import from`."""

    connectivity: Place | None
    scans: Place | None
    scan: str | Sequence[str] | None
    pictures: Place | None
    strict: bool
    option: Own | None


class TaskOptions(TypedDict, total=False):
    """Options of `vnla tasks make`."""

    task: str
    seed: int
    size: int | None
    splits: Place | None
    fewest: int
    most_train: int | None
    starts: int | None
    per: str | None
    gzip: bool


class FeatureOptions(TypedDict, total=False):
    """Options of `vnla features make`."""

    encoder: Name
    encoder_option: Own | None
    views: str
    name: str | None
    weights: Place | None
    device: str | None
    size: str | None
    batch: int | None
    workers: int | None
    threads: int | None
    half: bool
    seed: int


class TrainOptions(TypedDict, total=False):
    """Options of `vnla train`."""

    world: Place | None
    tasks: Place | None
    features: Names | None
    help_policy: Names
    help_option: Own | None
    keeps_ended: bool
    validate_every: int
    agent: Name
    agent_option: Own | None
    sensor: Names
    feature_dropout: float
    fold: str
    timed: bool
    objective: Name
    objective_option: Own | None
    following: bool
    practice: int
    strange: float
    anywhere: float
    contrast: float
    forward: Name
    begins_with: Place | None
    iterations: int
    batch: int
    learning_rate: float
    weight_decay: float
    ratio: float
    seed: int | str | Sequence[int]
    precision: Name
    cooldown: float
    hidden: int
    layers: int
    dropout: float
    k: int
    advisor: Name
    advisor_language: Name
    advisor_option: Own | None
    easy: bool
    rules: str
    deviation: float
    uncertainty: float
    non_moving: int
    beta: float
    variant: str | Sequence[str] | None
    feature_cache: str | None
    device: str | None
    eager: bool
    threads: int | None


class LoadOptions(TypedDict, total=False):
    """Options of `vnla watch`."""

    checkpoint: Name
    world: Place | None
    tasks: Place | None
    forward: Name | None
    device: str


class WalkOptions(TypedDict, total=False):
    """Options of `vnla watch`."""

    episode: str | None
    split: Name
    seed: int
    ratio: float | None


class EvaluateOptions(TypedDict, total=False):
    """Options of `vnla evaluate`."""

    agent: Name | None
    split: str | Sequence[str] | None
    seeds: int | None
    subset: int | None
    ratio: float | None
    k: int | None
    advisor_language: Name | None
    advisor_option: Own | None
    tasks: Place | None
    world: Place | None
    forward: Name | None
    metric: str | Sequence[str] | None
    results: Place | None
    npz: Place | None
    device: str | None
    threads: int | None
    help_policy: Name | None
    help_option: Own | None
    checkpoint: Name | None
    sweep: Place | None
    agent_option: Own | None
    on_error: str
    concurrency: int
    timeout: float
    retries: int
    give_up: int
    max_wait: float
    key_variable: Name | None
    base_url: str | None
    observe: str
    replies: str
    prompt: Place | None
    max_calls: int | None
    max_tokens: int | None
    out: Place | None


class ScoreOptions(TypedDict, total=False):
    """Options of `vnla score`."""

    split: Name | None
    ratio: float
    k: int
    seed: str | None
    partial: bool
    lenient: bool
    metric: str | Sequence[str] | None


class CompareOptions(TypedDict, total=False):
    """Options of `vnla compare`."""

    world: Place | None
    tasks: Place | None
    split: Name | None
    ratio: float
    k: int
    seed: str | None
    partial: bool
    lenient: bool
    metric: str | Sequence[str] | None
    out: Place | None
