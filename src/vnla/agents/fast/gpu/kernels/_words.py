"""The Triton side of `vnla.agents.fast.gpu.kernels.words`."""

# mypy: ignore-errors
# ruff: noqa: N803
import triton
import triton.language as tl


@triton.jit
def write(
    sentence, tokens, length, embedding, row, reads, scale, page_tokens, page_length, page_embedded, page_kept, embedded,
    lengths, places, WIDTH: tl.constexpr, UNITS: tl.constexpr, DROPS: tl.constexpr,
):  # fmt: skip
    """One program: one place of one sentence."""
    which, place = tl.program_id(0).to(tl.int64), tl.program_id(1)
    code, to = tl.load(sentence + which), tl.load(row + which)
    unit = tl.arange(0, UNITS)
    inside = unit < WIDTH
    word = tl.load(tokens + code * places + place)
    values = tl.load(embedding + word * WIDTH + unit, mask=inside, other=0.0)
    at = (to * places + place) * WIDTH + unit
    if DROPS:
        values = tl.where(tl.load(page_kept + at, mask=inside, other=0) != 0, values * scale, 0.0)
    tl.store(page_embedded + at, values, mask=inside)
    tl.store(embedded + (which * places + place) * WIDTH + unit, values, mask=inside)
    tl.store(page_tokens + to * places + place, word)
    if place == 0:
        size = tl.load(length + code) * tl.load(reads + which).to(tl.int64)
        tl.store(page_length + to, size)
        tl.store(lengths + which, size)
