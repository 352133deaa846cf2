"""Many small pictures on one sheet, each with a caption: what a house, or a walk through it, looks like at a glance."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from vnla.common.errors import InputError
from vnla.common.files import write_bytes

GAP = 10
LINES = 2
_PAPER, _INK, _FAINT = (250, 249, 246), (40, 40, 44), (120, 120, 126)
_FONT_SIZE, _LINE = 13, 17

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def contact_sheet(images: Sequence[NDArray[np.uint8]], captions: Sequence[str], columns: int, path: Path) -> None:
    """Write pictures (height, width, 3), RGB and of one size, as a PNG with `columns` of them in a row.

    A caption's first line is set in ink and the rest fainter; what does not fit under its picture ends in an ellipsis.
    """
    if not images:
        raise InputError(f"{path}: no pictures were given for the sheet")
    if len(images) != len(captions):
        raise InputError(f"{path}: {len(images)} pictures but {len(captions)} captions")
    if columns < 1:
        raise InputError(f"{path}: a sheet has at least one column, not {columns}")
    if any(image.shape != images[0].shape for image in images):
        raise InputError(f"{path}: the pictures of a sheet are of one size; got {sorted({image.shape for image in images})}")
    height, width = images[0].shape[:2]
    across, down = width + GAP, height + GAP + _LINE * LINES + 4
    rows = -(-len(images) // columns)
    sheet = Image.new("RGB", (columns * across + GAP, rows * down + GAP), _PAPER)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(_FONT_SIZE)
    for number, (image, caption) in enumerate(zip(images, captions, strict=True)):
        x, y = GAP + number % columns * across, GAP + number // columns * down
        sheet.paste(Image.fromarray(image), (x, y))
        for line, text in enumerate(_lines(caption, width, pen, font)):
            pen.text((x, y + height + 3 + line * _LINE), text, _INK if line == 0 else _FAINT, font)
    stream = io.BytesIO()
    sheet.save(stream, "PNG")
    write_bytes(path, stream.getvalue())


def _lines(caption: str, width: int, pen: ImageDraw.ImageDraw, font: Font) -> list[str]:
    """A caption in at most `LINES` lines that fit into `width` pixels."""
    lines: list[str] = []
    for paragraph in caption.splitlines():
        words = paragraph.split()
        while words and len(lines) < LINES:
            count = len(words)
            while count > 1 and pen.textlength(" ".join(words[:count]), font) > width:
                count -= 1
            last = len(lines) == LINES - 1 and count < len(words)
            lines.append(_shortened(" ".join(words[:count]), width, last, pen, font))
            words = words[count:]
    return lines


def _shortened(text: str, width: int, more: bool, pen: ImageDraw.ImageDraw, font: Font) -> str:
    """`text` cut to `width` pixels, with an ellipsis where it was cut or where `more` follows."""
    ending = "…" if more else ""
    while len(text) > 1 and pen.textlength(text + ending, font) > width:
        text, ending = text[:-1].rstrip(), "…"
    return text + ending
