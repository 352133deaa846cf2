"""The Triton side of `vnla.agents.fast.gpu.kernels.reading`.

As in the walk, everything is transposed, (gates or units, sentences). What a program has to do besides the state that the
others wait for, it does after it has passed that on: while they arrive it writes down, and lets the next word enter.
"""

# mypy: ignore-errors
# ruff: noqa: N803, N806
import triton
import triton.language as tl

from vnla.agents.fast.gpu.kernels._walk import advance, note_state


@triton.jit
def read(
    sentence, tokens, length, embedding, slot, reads, page_tokens, page_length, page_embedded, page_kept, enters, bias,
    again, kept, scale, hidden, cell, gates, context, passing, covers, covers_bias, cover, meet, batch, places, last,
    HIDDEN: tl.constexpr, WIDTH: tl.constexpr, OUTER: tl.constexpr, ROWS: tl.constexpr, UNITS: tl.constexpr,
    DROPS: tl.constexpr, IN_TURN: tl.constexpr,
):  # fmt: skip
    """One program: `UNITS` hidden units of `ROWS` sentences; or, the last one with these sentences, the layer that follows.

    Those with the same sentences meet after every word; the interpreter runs them in turn.
    """
    PIECES: tl.constexpr = HIDDEN // UNITS
    group, piece = tl.program_id(0) // (PIECES + 1), tl.program_id(0) % (PIECES + 1)
    one = group * ROWS + tl.arange(0, ROWS)
    inside = one < batch
    code = tl.load(sentence + one, mask=inside, other=0)
    there = tl.load(reads + one, mask=inside, other=0) != 0
    to = tl.where(there, tl.load(slot + one, mask=inside, other=0) + 1, last).to(tl.int32) * batch + one
    words = tl.where(there, tl.load(length + code, mask=inside, other=0), 0).to(tl.int32)
    end = tl.max(words, 0)
    meet += group * ROWS  # far from where others meet: many look at it
    if piece < PIECES:
        walk(
            tokens, (code * places).to(tl.int32), words, end, embedding, page_tokens, page_length, page_embedded, page_kept,
            enters, bias, again, kept, scale, hidden, cell, gates, context, passing + (one * (2 * HIDDEN))[None, :], meet,
            inside, to, places, piece, HIDDEN, WIDTH, ROWS, UNITS, DROPS, IN_TURN,
        )  # fmt: skip
    else:
        follow(
            words, end, context, covers, covers_bias, cover, meet, inside, to, places,
            HIDDEN, OUTER, ROWS, 4 * UNITS, PIECES, IN_TURN,
        )  # fmt: skip


@triton.jit
def walk(
    tokens, spoken, words, end, embedding, page_tokens, page_length, page_embedded, page_kept, enters, bias, again, kept,
    scale, hidden, cell, gates, context, passed, meet, inside, to, places, piece, HIDDEN: tl.constexpr, WIDTH: tl.constexpr,
    ROWS: tl.constexpr, UNITS: tl.constexpr, DROPS: tl.constexpr, IN_TURN: tl.constexpr,
):  # fmt: skip
    """The walk over the words of sentences, for some hidden units.

    A state is passed on in two places in turn: nobody writes into one before all have read it.
    """
    PIECES: tl.constexpr = HIDDEN // UNITS
    if piece == 0:
        tl.store(page_length + to, words.to(tl.int64), mask=inside)
    if end > 0:
        here, first = inside[None, :], to * places
        inner, column = tl.arange(0, HIDDEN // 2), tl.arange(0, WIDTH)
        unit = piece * UNITS + tl.arange(0, UNITS)
        part = tl.arange(0, 4 * UNITS)  # the four gates of each unit, gate by gate
        output = (part // UNITS) * HIDDEN + piece * UNITS + part % UNITS
        mine = piece * (WIDTH // PIECES) + tl.arange(0, WIDTH // PIECES)  # columns that this program writes down
        token = tl.load(tokens + spoken, mask=inside, other=0).to(tl.int32)
        entering = tl.load(enters + output[:, None] * WIDTH + column[None, :])  # (4·units, width), the bits of float16
        entering = entering.to(tl.float16, bitcast=True)
        weight = again + output[:, None] * HIDDEN + inner[None, :]  # (4·units, half)
        left, right = tl.load(weight), tl.load(weight + HIDDEN // 2)
        steady = tl.load(bias + output)[:, None]
        start = ((first + to) * HIDDEN)[None, :]
        carried = tl.load(cell + start + unit[:, None], mask=here, other=0.0)  # (units, sentences)
        keeps = kept_of(kept, first, unit, here, HIDDEN, DROPS)
        values = embed(embedding, page_kept, token, first, column, words > 0, WIDTH, DROPS)
        put(embedding, page_kept, page_tokens, page_embedded, token, first, mine, words > 0, piece, WIDTH, DROPS)
        total = tl.dot(entering, values, steady + tl.zeros((4 * UNITS, ROWS), tl.float32))
        total = add_product(total, left, right, hidden + start + inner[:, None], here, HIDDEN)
        for each in range(1, end):
            token = tl.load(tokens + (spoken + each), mask=each < words, other=0).to(tl.int32)
            reached, carried, enter, forget, candidate, leave = advance(total, carried, UNITS, ROWS)
            shown = passed + (each % 2) * HIDDEN
            tl.store(shown + unit[:, None], reached.to(passed.dtype.element_ty), mask=here)
            arrive(meet)
            note(
                scale, hidden, cell, gates, context, each - 1, places, to, unit, here, keeps, reached, carried, enter,
                forget, candidate, leave, HIDDEN, DROPS,
            )  # fmt: skip
            keeps = kept_of(kept, first + each, unit, here, HIDDEN, DROPS)
            there = each < words
            values = embed(embedding, page_kept, token, first + each, column, there, WIDTH, DROPS)
            put(embedding, page_kept, page_tokens, page_embedded, token, first + each, mine, there, piece, WIDTH, DROPS)
            total = tl.dot(entering, values, steady + tl.zeros((4 * UNITS, ROWS), tl.float32))
            wait(meet, PIECES * each, IN_TURN)
            total = add_product(total, left, right, shown + inner[:, None], here, HIDDEN)
        reached, carried, enter, forget, candidate, leave = advance(total, carried, UNITS, ROWS)
        note(
            scale, hidden, cell, gates, context, end - 1, places, to, unit, here, keeps, reached, carried, enter, forget,
            candidate, leave, HIDDEN, DROPS,
        )  # fmt: skip
        arrive(meet)


@triton.jit
def follow(
    words, end, context, covers, bias, cover, meet, inside, to, places, HIDDEN: tl.constexpr, OUTER: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, PIECES: tl.constexpr, IN_TURN: tl.constexpr,
):  # fmt: skip
    """A layer applied to every word, as soon as all have written it down: when they have passed on the next, or ended."""
    if end > 0:
        here, inner, column = inside[None, :], tl.arange(0, HIDDEN // 2), tl.arange(0, COLUMNS)
        known = (column < OUTER)[:, None]
        weight = covers + column[:, None] * HIDDEN + inner[None, :]  # (columns, half)
        left, right = tl.load(weight, mask=known, other=0.0), tl.load(weight + HIDDEN // 2, mask=known, other=0.0)
        steady = tl.load(bias + column, mask=column < OUTER, other=0.0)[:, None]
        for each in range(0, end):
            wait(meet, PIECES * tl.minimum(each + 2, end), IN_TURN)
            word = (to * places + each)[None, :]
            total = steady + tl.zeros((COLUMNS, ROWS), tl.float32)
            total = add_product(total, left, right, context + word * HIDDEN + inner[:, None], here, HIDDEN)
            tl.store(cover + word * OUTER + column[:, None], total, mask=known & (each < words)[None, :])


@triton.jit
def add_product(total, left, right, state, here, HIDDEN: tl.constexpr):
    """Add the product of weights and states, in two parts, both of which are asked for first.

    Others have just written these states: they are read past the nearest cache.
    """
    upper = tl.load(state, mask=here, other=0.0, cache_modifier=".cg")
    lower = tl.load(state + HIDDEN // 2, mask=here, other=0.0, cache_modifier=".cg")
    total = tl.dot(left, upper.to(left.dtype), total)
    return tl.dot(right, lower.to(right.dtype), total)


@triton.jit
def arrive(meet):
    """Tell the others that what this program has written is there."""
    tl.debug_barrier()
    tl.atomic_add(meet, 1, sem="release")


@triton.jit
def wait(meet, count, IN_TURN: tl.constexpr):
    """Until so many have arrived. Each warp looks for itself, past the nearest cache."""
    if not IN_TURN:
        arrived = look(meet)
        while arrived < count:
            arrived = look(meet)


@triton.jit
def look(meet):
    """How many have arrived; what they wrote before can be read after it."""
    return tl.inline_asm_elementwise(
        "ld.acquire.gpu.global.b32 $0, [$1];", "=r,l", [meet], dtype=tl.int32, is_pure=False, pack=1
    )


@triton.jit
def embed(embedding, page_kept, token, word, column, there, WIDTH: tl.constexpr, DROPS: tl.constexpr):
    """What dropout leaves of a word of each sentence, (width, sentences)."""
    values = tl.load(embedding + token[None, :] * WIDTH + column[:, None], mask=there[None, :], other=0.0)
    if DROPS:
        keeps = tl.load(page_kept + (word * WIDTH)[None, :] + column[:, None], mask=there[None, :], other=0) != 0
        values = tl.where(keeps, values, 0.0)
    return values


@triton.jit
def put(
    embedding, page_kept, page_tokens, page_embedded, token, word, mine, there, piece, WIDTH: tl.constexpr,
    DROPS: tl.constexpr,
):  # fmt: skip
    """Write this program's share of the embedded words down; the first writes the words themselves."""
    values = embed(embedding, page_kept, token, word, mine, there, WIDTH, DROPS)
    at = page_embedded + (word * WIDTH)[None, :] + mine[:, None]
    tl.store(at, values.to(tl.float32), mask=there[None, :])
    tl.store(page_tokens + word, token.to(tl.int64), mask=there & (piece == 0))


@triton.jit
def kept_of(kept, word, unit, here, HIDDEN: tl.constexpr, DROPS: tl.constexpr):
    """What dropout keeps of the state after a word, (units, sentences)."""
    keeps = here
    if DROPS:
        keeps = tl.load(kept + (word * HIDDEN)[None, :] + unit[:, None], mask=here, other=0) != 0
    return keeps


@triton.jit
def note(
    scale, hidden, cell, gates, context, place, places, to, unit, here, keeps, reached, carried, enter, forget, candidate,
    leave, HIDDEN: tl.constexpr, DROPS: tl.constexpr,
):  # fmt: skip
    """Write the state after a word down."""
    note_state(hidden, cell, gates, place, places, to, unit, here, reached, carried, enter, forget, candidate, leave, HIDDEN)
    if DROPS:
        reached = tl.where(keeps, reached * scale, 0.0)
    tl.store(context + ((to * places + place) * HIDDEN)[None, :] + unit[:, None], reached, mask=here)
