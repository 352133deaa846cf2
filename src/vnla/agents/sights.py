"""What a simple agent may see, as its class declares it.

`sees = ("symbols", "clock")` names any of

- `features`: whatever features the run has, of images (`vnla.vision`) or symbolic;
- `pictures`: the views themselves, (3, height, width) from 0 to 1: features of the encoder `pictures`, or `pixels`;
- `symbols`: which objects are in view and how near, without looking (`vnla.vision.symbolic`);
- `text`: what is in view, the nearest first, in the words of the instructions (`vnla.vision.text`);
- or a sense, by its name (`vnla.agents.sensors`).

One that declares nothing sees all that there is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from vnla.agents.agent import Sizes
from vnla.agents.policy_state import Views
from vnla.agents.sensors import SENSES
from vnla.common.errors import InputError

FEATURES, PICTURES, SYMBOLS, TEXT = "features", "pictures", "symbols", "text"
NAMES = {"pictures": PICTURES, "pixels": PICTURES, "symbolic": SYMBOLS, "text": TEXT}
"""Features with a name of their own → what they are."""
DEFAULTS = {PICTURES: "pictures", SYMBOLS: "symbolic", TEXT: "text"}
"""What to train with where nobody says."""


def declared(kind: object) -> tuple[str, ...]:
    """What the class of an agent declares to see; nothing for all that there is."""
    sees: object = getattr(kind, "sees", ())
    if not isinstance(sees, Sequence) or isinstance(sees, str) or not all(isinstance(each, str) for each in sees):
        name = getattr(kind, "__name__", kind)
        raise InputError(f'agent {name}: sees is {sees!r}; expected names of what it may see, such as ("{FEATURES}",)')
    return tuple(sees)


def features_for(kind: object, usual: str) -> str:
    """The features to train an agent with where nobody names any: those that it declares, where it declares some."""
    names = [usual if each == FEATURES else DEFAULTS[each] for each in declared(kind) if each in (FEATURES, *DEFAULTS)]
    return ",".join(dict.fromkeys(name for each in names for name in each.split(","))) or usual


def senses_for(kind: object) -> str:
    """The senses to train an agent with where nobody names any: those that it declares."""
    return ",".join(each for each in declared(kind) if each not in (FEATURES, *DEFAULTS))


@dataclass(frozen=True)
class Sights:
    """The views that an agent is shown."""

    sizes: Sizes
    """With these views alone."""

    @classmethod
    def declared(cls, kind: object, sizes: Sizes) -> Sights:
        """Those of the views that there are which the class of an agent declares to see."""
        sees = declared(kind)
        kinds = {name: _kinds(name, sizes.sensors) for name in sizes.views}
        shown = {name: size for name, size in sizes.views.items() if not sees or kinds[name] & set(sees)}
        missing = [each for each in sees if not any(each in kinds[name] for name in shown)]
        if missing:
            option = "--sensor" if missing[0] in SENSES or ":" in missing[0] else "--features"
            there = ", ".join(sizes.views) or "nothing"
            raise InputError(
                f"agent {getattr(kind, '__name__', kind)}: sees {missing[0]}, but there is {there}; name it in {option}"
            )
        return cls(sizes._replace(views=shown))

    def shown(self, view: Views) -> Mapping[str, Tensor]:
        """What it sees of all that there is."""
        return {name: _as_it_is(name, view[name]) for name in self.sizes.views}


def _kinds(view: str, senses: Sequence[str]) -> set[str]:
    """What a view may be declared as."""
    if view in senses:
        return {view}
    return {FEATURES, SYMBOLS} if NAMES.get(view) == SYMBOLS else {NAMES.get(view, FEATURES)}


def _as_it_is(name: str, values: Tensor) -> Tensor:
    """Tokens are whole numbers, and a picture has rows, columns and colours."""
    kind = NAMES.get(name)
    if kind == TEXT:
        return values.long()
    if kind == PICTURES:
        height = math.isqrt(values.shape[-1] // 4)  # three colours, and the camera's 4:3
        return values.reshape(*values.shape[:-1], height, -1, 3).movedim(-1, -3)
    return values
