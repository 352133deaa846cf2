"""Sheets of pictures: every picture at its place, captions below it and within its width."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vnla.common.errors import InputError
from vnla.report.house_pictures import GAP, contact_sheet


def pictures(count: int) -> list[np.ndarray]:
    return [np.full((40, 120, 3), 20 * k, np.uint8) for k in range(count)]


def sheet(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


def test_every_picture_is_at_its_place(tmp_path: Path) -> None:
    contact_sheet(pictures(5), [""] * 5, 3, tmp_path / "sheet.png")
    pixels = sheet(tmp_path / "sheet.png")
    assert pixels.shape[1] == 3 * 120 + 4 * GAP
    high = (pixels.shape[0] - GAP) // 2
    for k in range(5):
        top, left = GAP + k // 3 * high, GAP + k % 3 * (120 + GAP)
        assert (pixels[top : top + 40, left : left + 120] == 20 * k).all()
    empty = pixels[GAP + high : GAP + high + 40, GAP + 2 * (120 + GAP) :]
    assert (empty == empty[0, 0]).all()


def test_captions_stay_under_their_pictures(tmp_path: Path) -> None:
    long = "kitchen\nrefrigerator, stove, sink, cupboard, table, chair, another chair, lamp, towel"
    contact_sheet(pictures(2), [long, ""], 2, tmp_path / "sheet.png")
    pixels = sheet(tmp_path / "sheet.png")
    paper = pixels[0, 0]
    ink = (np.abs(pixels - paper).sum(axis=-1) > 60)[GAP + 40 :]
    assert ink[:, GAP : GAP + 120].sum() > 100
    assert not ink[:, GAP + 120 :].any()
    assert not ink[-GAP // 2 :].any()


@pytest.mark.parametrize(
    ("images", "captions", "columns", "message"),
    [
        ([], [], 3, "no pictures"),
        (pictures(2), ["one"], 3, "2 pictures but 1 captions"),
        (pictures(1), ["one"], 0, "at least one column"),
        ([np.zeros((4, 4, 3), np.uint8), np.zeros((5, 4, 3), np.uint8)], ["", ""], 2, "of one size"),
    ],
)
def test_what_cannot_be_a_sheet_is_refused(
    tmp_path: Path, images: list[np.ndarray], captions: list[str], columns: int, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        contact_sheet(images, captions, columns, tmp_path / "sheet.png")
    assert not list(tmp_path.iterdir())
