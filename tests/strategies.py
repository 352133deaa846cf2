"""Random houses for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from vnla.houses.house import House, Viewpoint

coordinates = st.integers(-900, 900).map(lambda hundredths: hundredths / 100)
heights = st.sampled_from([1.5, 1.5, 1.5, 2.9, 4.3])


@st.composite
def connected_houses(draw: st.DrawFn, name: str = "random", most: int = 12) -> House:
    """A house of two to `most` viewpoints that can all reach each other."""
    places = draw(st.lists(st.tuples(coordinates, coordinates), min_size=2, max_size=most, unique=True))
    viewpoints = tuple(Viewpoint(f"v{i}", (x, y, draw(heights))) for i, (x, y) in enumerate(places))
    tree = {tuple(sorted((i, draw(st.integers(0, i - 1))))) for i in range(1, len(places))}
    pairs = st.tuples(st.integers(0, len(places) - 1), st.integers(0, len(places) - 1))
    more = {tuple(sorted(pair)) for pair in draw(st.lists(pairs, max_size=len(places))) if pair[0] != pair[1]}
    return House(name, viewpoints, tuple(sorted(tree | more)))
