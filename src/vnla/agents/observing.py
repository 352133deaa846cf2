"""What a policy observes in Algorithm 1: the views and sensors that its class declares (`vnla.observation`).

One that declares nothing observes all that there is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from vnla.agents.agent import Sizes
from vnla.agents.panorama import Exits
from vnla.agents.policy_state import Views
from vnla.camera import HEADINGS
from vnla.common.errors import InputError
from vnla.observation import (
    AROUND,
    COUNTS,
    ENCODERS,
    EXITS,
    ONE_VIEW,
    PICTURES,
    PICTURES_AROUND,
    SENSOR,
    SENSORS,
    SYMBOLS,
    SYMBOLS_AROUND,
    TEXT,
    TEXT_AROUND,
    VIEW,
    VIEWS,
    Observation,
    declared,
    named,
)

_KEYED = (*COUNTS, *AROUND)
"""Sensors that can be observed under keys of their own."""
GUESTS_ALONE = (SYMBOLS, SYMBOLS_AROUND, TEXT_AROUND, PICTURES_AROUND)
"""What is shown only where policies are asked from outside (`vnla.remote`)."""


def features_for(kind: object, usual: str) -> str:
    """The features to train a policy with where nobody names any: those that it declares, where it declares some."""
    names = {VIEW: usual, PICTURES: "pictures", TEXT: "text"}
    observes = declared(kind)
    found = [names[each] for each in observes if each in names] + list(named(observes, ONE_VIEW))
    return ",".join(dict.fromkeys(name for each in found for name in each.split(","))) or usual


def sensors_for(kind: object) -> str:
    """The sensors to train a policy with where nobody names any: those that it declares."""
    observes = declared(kind)
    return ",".join(dict.fromkeys([*named(observes, SENSOR), *(each for each in observes if each in _KEYED)]))


@dataclass(frozen=True)
class ObservedViews:
    """The views that a policy observes."""

    sizes: Sizes
    """With these views alone."""
    keyed: frozenset[str] = frozenset(_KEYED) - {EXITS}
    """Sensors that are observed under keys of their own; others stand among `sensors`."""
    both: bool = False
    """Whether the exits stand among the sensors, too."""

    @classmethod
    def declared(cls, kind: object, sizes: Sizes) -> ObservedViews:
        """Those of the views that there are which the class of a policy declares to observe."""
        observes = declared(kind)
        kinds = {name: _declarations(name, sizes.sensors) for name in sizes.views}
        shown = {name: size for name, size in sizes.views.items() if not observes or kinds[name] & set(observes)}
        missing = [each for each in observes if not any(each in kinds[name] for name in shown)]
        if missing:
            if missing[0] in GUESTS_ALONE:
                raise InputError(
                    f"agent {_called(kind)}: observes {missing[0]}, which no run shows; vnla evaluate --agent does"
                )
            option = "--sensor" if missing[0].startswith(SENSOR) or missing[0] in _KEYED else "--features"
            there = ", ".join(sizes.views) or "nothing"
            raise InputError(f"agent {_called(kind)}: observes {missing[0]}, but there is {there}; name it in {option}")
        keyed = cls.keyed | ({EXITS} & set(observes))
        return cls(sizes._replace(views=shown), keyed, f"{SENSOR}{EXITS}" in observes)

    def observation(self, view: Views) -> Observation:
        """Return what it observes of all that there is to see."""
        shown = {name: view[name] for name in self.sizes.views if name not in self.sizes.sensors}
        found = Observation()
        if features := [each for name, each in shown.items() if name not in ENCODERS]:
            found[VIEW] = features[0] if len(features) == 1 else torch.cat(features, dim=-1)
        for name, values in shown.items():
            if name in ENCODERS:
                found[ENCODERS[name]] = values.long() if ENCODERS[name] == TEXT else _picture(values)
        sensors = {name: view[name] for name in self.sizes.views if name in self.sizes.sensors}
        found |= {name: _shaped(name, each) for name, each in sensors.items() if name in self.keyed}
        among = {name for name in sensors if name not in self.keyed or (name == EXITS and self.both)}
        if among:
            found[SENSORS] = {name: each for name, each in sensors.items() if name in among}
        return found


def _shaped(key: str, values: Tensor) -> Tensor:
    """Return what a sensor says as it stands under its own key: (batch,), or a row for each heading or exit."""
    if key == VIEWS:
        return values.reshape(len(values), HEADINGS, -1)
    return values.reshape(len(values), -1, len(Exits.FIELDS)) if key == EXITS else values[:, 0].long()


def _called(kind: object) -> object:
    return getattr(kind, "__name__", kind)


def _declarations(view: str, sensors: Sequence[str]) -> set[str]:
    """What a view may be declared as."""
    if view in sensors:
        own = {view} if view in _KEYED else set()
        return own if view in COUNTS or view == VIEWS else {*own, f"{SENSOR}{view}"}
    return {ENCODERS[view]} if view in ENCODERS else {VIEW, f"{ONE_VIEW}{view}"}


def _picture(values: Tensor) -> Tensor:
    """Pictures with colours, rows and columns: (batch, 3, height, width)."""
    height = math.isqrt(values.shape[-1] // 4)  # three colours, and the camera's 4:3
    return values.reshape(*values.shape[:-1], height, -1, 3).movedim(-1, -3)
