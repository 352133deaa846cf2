"""Draws floor plans: homes and workplaces of one to three storeys, as different from each other as seeds are.

    plan = draw_plan(numpy.random.default_rng(7), rooms=22)

What the building contains is drawn first (`program`), in blocks of rooms that belong together (`blocks`); these are laid
along hallways (`frame`, `storeys`), the whole is turned and mirrored, and doors, windows and porches are added (`openings`,
`drawing`). Drawing is cheap and not every draw is good, so several are made and the most plausible is kept (`judgement`).
"""

from vnla.houses.generate.layout.drawing import draw_plan

__all__ = ["draw_plan"]
