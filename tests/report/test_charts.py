"""What all charts share: percents along an axis."""

from __future__ import annotations

import pytest

from vnla.report.charts import in_percent, new_canvas
from vnla.report.task_figures import bars


@pytest.mark.parametrize("most", [0.03, 0.4, 1.0, 2.3, 7.0, 55.0, 100.0])
def test_ticks_differ_from_each_other(most: float) -> None:
    canvas = new_canvas(3, 2)
    axes = canvas.add_subplot()
    axes.barh(["a", "b"], [most, most / 3])
    in_percent(axes.xaxis)
    canvas.canvas.draw()
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert 2 < len(set(labels)) == len(labels)
    assert all(
        float(label.removesuffix("%")) == pytest.approx(tick) for label, tick in zip(labels, axes.get_xticks(), strict=True)
    )


def test_rare_objects_have_a_scale_of_their_own() -> None:
    canvas = bars("common objects", {"train": {f"thing {i}": 100 for i in range(60)}})  # each 1.7%
    canvas.canvas.draw()
    labels = [label.get_text() for label in canvas.axes[0].get_xticklabels()]
    assert len(set(labels)) == len(labels)
    assert float(labels[-1].removesuffix("%")) > 1.2
