"""What it costs to take a sentence in one way rather than another: of all ways the one that costs least is meant.

The numbers are in `data/costs.txt`, fitted to the sentences to develop on by `benchmarks/experiments/fit_reader.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from vnla.language import word_lists


@dataclass
class Costs:
    """Each cost, by its name in the file."""

    blocked: float
    """A clause that changes nothing, where it should."""
    lost: float
    """A clause that leads nowhere."""
    forbidden: float
    """Entering a room that one should not."""
    astray: float
    """Each turn of a plan that the next one takes back."""
    again: float
    """Each place where one has been before."""
    otherwise: float
    """Each way in which a clause is not taken as it is most likely meant."""
    action: float
    """Each action, where it is known how many are meant."""
    action_more: float
    """Each action, where that is not known."""
    too_many: float
    """Each action that is more than people describe at a time."""
    miscounted: float
    """Each action more or less than are meant, where that is known."""
    more: float
    """Each action more than is usual, where it is not known how many are meant."""
    more_strict: float
    """The same where all is so as frames mean it."""
    early: float
    """Each action less where one stops."""
    cut: float
    """Each action that a clause is cut short by."""
    farther: float
    """Each action that a clause goes on for."""
    restated: float
    """Saying again what has been done."""
    restated_then: float
    """The same after a "then"."""
    detour: float
    """What is not the beginning of a shortest way."""
    more_or_less: float
    """Each turn more or less than a right angle, where nothing that follows tells how far."""
    told_later: float
    """The same where something that follows may tell."""
    loose: float
    """What is not so as frames mean it."""
    unsaid_turn: float
    """Each turn that nobody speaks of."""
    onward: float
    """Each step of "go on" after the first."""
    elsewhere: float
    """A room that is not on the side that is said."""
    close: float
    """Between what is meant and another way that is almost as likely meant; fitted to nothing."""


COSTS = Costs(**{name: float(value) for name, value in word_lists.entries("costs.txt")})
"""Those that are in use; only fitting changes them."""
