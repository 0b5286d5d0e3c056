"""Tile distribution encodings: the published one, maps against a merge and split by NumPy, and what is wrong at the
user's line."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.tile import Digit, Distribution, Encoding

# CK Tile's documentation of a block GEMM: a tile of 256 x 256 over 4 waves.
PARTS = {
    "Rs": (), "Hs": ((4, 2, 8, 4), (4, 2, 8, 4)), "Ps2RHs_major": ((1, 2), (1, 2)), "Ps2RHs_minor": ((1, 1), (2, 2)),
    "Ys2RHs_major": (1, 1, 2, 2), "Ys2RHs_minor": (0, 3, 0, 3)
}


def test_the_published_encoding():
    e = Encoding(**PARTS, tile=(256, 256))
    assert (e.shape, e.lengths_p, e.lengths_y) == ((256, 256), (4, 64), (4, 4, 4, 4))
    assert (e.threads, e.elements, e.replication) == (256, 256, 1)
    assert e.steps().p == ((Digit(2, (32, 0)), Digit(2, (0, 32))), (Digit(8, (4, 0)), Digit(8, (0, 4))))
    assert e.steps().y == (Digit(4, (64, 0)), Digit(4, (1, 0)), Digit(4, (0, 64)), Digit(4, (0, 1)))
    row, col = e.index
    assert sorted((row * 256 + col).ravel()) == list(range(65536))
    # Wave 3 is (1, 1) of 2 x 2, lane 17 is (2, 1) of 8 x 8, element 5 is (0, 0, 1, 1).
    assert [int(x) for x in e.coordinates((3, 17), (0, 0, 1, 1))] == [32 + 2 * 4, 64 + 32 + 1 * 4 + 1]


@st.composite
def encodings(draw) -> Encoding:
    """Factors of up to three dimensions and of replicas, each given to the wave, to the lane or to the elements, in any
    order."""
    factor = st.integers(1, 4)
    hs = tuple(tuple(x) for x in draw(st.lists(st.lists(factor, min_size=1, max_size=3), min_size=1, max_size=3)))
    rs = tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    where = [(0, i) for i in range(len(rs))] + [(d + 1, i) for d, h in enumerate(hs) for i in range(len(h))]
    groups: list[list[tuple[int, int]]] = [[], [], []]
    for pair in draw(st.permutations(where)):
        groups[draw(st.integers(0, 1 if pair[0] == 0 else 2))].append(pair)
    if draw(st.booleans()):
        groups = [groups[0] + groups[1], groups[2]]
    *p, y = groups
    return Encoding(
        rs,
        hs,
        tuple(tuple(a for a, _ in g) for g in p),
        tuple(tuple(b for _, b in g) for g in p),
        tuple(a for a, _ in y),
        tuple(b for _, b in y),
    )


def by_definition(e: Encoding, p: int | tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
    """CK Tile's definition: a P is the merge of its factors, first the slowest; a dimension is the merge of its
    factors, first the slowest."""
    value: dict[tuple[int, int], int] = {}
    extents = (e.Rs, *e.Hs)
    for number, major, minor in zip(p, e.Ps2RHs_major, e.Ps2RHs_minor, strict=True):
        lengths = tuple(extents[a][b] for a, b in zip(major, minor, strict=True))
        if lengths:
            value.update(zip(zip(major, minor, strict=True), np.unravel_index(number, lengths), strict=True))
    value.update(zip(zip(e.Ys2RHs_major, e.Ys2RHs_minor, strict=True), y, strict=True))
    return tuple(int(np.ravel_multi_index([value[d + 1, i] for i in range(len(h))], h)) for d, h in enumerate(e.Hs))


@settings(max_examples=80, deadline=None)
@given(encodings(), st.randoms(use_true_random=False))
def test_maps_are_those_of_the_definition(e, random):
    assert e.shape == tuple(math.prod(h) for h in e.Hs)
    row = [random.randrange(n) for n in e.lengths_p]
    ys = tuple(random.randrange(n) for n in e.lengths_y)
    want = by_definition(e, tuple(row), ys)
    assert tuple(int(x) for x in e.coordinates(row, ys)) == want
    thread = int(np.ravel_multi_index(row, e.lengths_p))
    element = int(np.ravel_multi_index(ys, e.lengths_y)) if ys else 0
    assert tuple(int(x[thread, element]) for x in e.index) == want


@settings(max_examples=60, deadline=None)
@given(encodings())
def test_every_element_is_held_as_often_as_there_are_replicas(e):
    places = np.ravel_multi_index([x.ravel() for x in e.index], e.shape)
    assert (np.bincount(places, minlength=math.prod(e.shape)) == e.replication).all()
    assert e.threads * e.elements == e.replication * math.prod(e.shape)


# What is changed of the published encoding, the code, and what the message must say.
WRONG = {
    "twice": (
        {"Ys2RHs_minor": (0, 3, 0, 2)}, "T303",
        "Hs[1][2] (major 2, minor 2, extent 8) is used 2 times, by Ps2RHs[1][1] and Ys2RHs[3]"
    ),
    "never": (
        {"Ys2RHs_major": (1, 1, 2), "Ys2RHs_minor": (0, 3, 0)}, "T303",
        "Hs[1][3] (major 2, minor 3, extent 4) is used by no P and no Y"
    ),
    "replicas never": ({"Rs": (2,)}, "T303", "Rs[0] (major 0, minor 0, extent 2) is used by no P and no Y"),
    "major": ({"Ys2RHs_major": (1, 1, 2, 3)}, "T302", "Ys2RHs_major[3] is 3: Hs has 2"),
    "minor": (
        {"Ps2RHs_minor": ((1, 1), (2, 4))}, "T302", "Ps2RHs_minor[1][1] is 4: Hs[1] = (4, 2, 8, 4) has 4 entries"
    ),
    "replicas in Y": (
        {"Rs": (2,), "Ys2RHs_major": (1, 1, 2, 0), "Ys2RHs_minor": (0, 3, 0, 0)}, "T302", "Ys2RHs_major[3] is 0"
    ),
    "product": ({"tile": (256, 128)}, "T304", "Hs[1]: 4 * 2 * 8 * 4 = 256, but the tile has 128"),
    "rank": ({"tile": (256,)}, "T301", "tile must be as many extents as Hs has dimensions, 2"),
    "zero": ({"Hs": ((4, 2, 8, 4), (4, 0, 8, 4))}, "T301", "Hs[1][1] must be an integer from 1, not 0"),
    "no integer": ({"Ys2RHs_minor": (0, 3, 0, 3.0)}, "T301", "Ys2RHs_minor[3] must be an integer from 0, not 3.0"),
    "bool": ({"Rs": (True,)}, "T301", "Rs[0] must be an integer from 1, not True"),
    "flat": ({"Hs": (4, 2)}, "T301", "Hs[0] must be a tuple of integers, not 4"),
    "no tuple": ({"Hs": 4}, "T301", "Hs must be a tuple of tuples of integers, not 4"),
    "lengths": ({"Ys2RHs_minor": (0, 3, 0)}, "T301", "Ys2RHs_minor must be as many entries as Ys2RHs_major, 4, not 3"),
    "lengths of a P": (
        {"Ps2RHs_minor": ((1, 1), (2,))}, "T301", "Ps2RHs_minor[1] must be as many entries as Ps2RHs_major[1], 2, not 1"
    ),
    "three Ps": ({"Ps2RHs_major": ((1,), (1,), (2,))}, "T301", "one tuple (threads) or two (waves, lanes)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_name_the_number_at_the_users_line(name):
    changed, code, words = WRONG[name]
    with pytest.raises(AveError) as e:
        Encoding(**{**PARTS, **changed})  # this line
    assert e.value.code == code and words in e.value.message
    assert e.value.span is not None and e.value.span.file == __file__ and e.value.span.text().endswith("# this line")


def test_numbers_of_p_and_y_are_counted():
    with pytest.raises(AveError, match=r"2 and 4 numbers, not 1 and 4"):
        Encoding(**PARTS).coordinates((3,), (0, 0, 0, 0))


SEED = Encoding(**PARTS)


@avelang.jit
def in_a_kernel(out: al.Tensor((64,), al.i32)):
    lane = al.thread_id(0)
    rows, cols = SEED.steps().p[1]
    out[lane] = al.convert(
        lane // cols.extent % rows.extent * rows.strides[0] * 256 + lane % cols.extent * cols.strides[1], al.i32
    )


@avelang.jit
def wrong_in_a_kernel(out: al.Tensor((64,), al.i32)):
    e = Encoding((), ((4, 16),), ((1,),), ((2,),), (1,), (0,))
    out[al.thread_id(0)] = e.elements


def test_a_kernel_computes_coordinates_from_the_digits():
    out = np.zeros(64, np.int32)
    in_a_kernel[(1, 64)](out, backend="reference")
    row, col = SEED.index
    assert np.array_equal(out, row[:64, 0] * 256 + col[:64, 0])


def test_an_encoding_made_in_a_kernel_fails_at_the_kernels_line():
    with pytest.raises(AveError) as e:
        wrong_in_a_kernel[(1, 64)](np.zeros(64, np.int32), backend="reference")
    assert (
        e.value.code == "T302" and e.value.span is not None and e.value.span.text().strip().startswith("e = Encoding(")
    )


@avelang.jit
def spread_in_a_kernel(out: al.Tensor((64,), al.i32), E: al.constexpr, T: al.constexpr):
    e = Encoding(*E, T)  # this line
    d = Distribution(e, al.target().wave)  # or this line
    out[al.thread_id(0)] = d.elements


# What is changed of the published encoding, the chip; the code and what the message must say, the line.
IN_A_KERNEL = {
    "product": ({}, (256, 128), "gfx942", "T304", "Hs[1]: 4 * 2 * 8 * 4 = 256, but the tile has 128", "# this line"),
    "twice": (
        {"Ys2RHs_minor": (0, 3, 0, 2)},
        None,
        "gfx942",
        "T303",
        "Hs[1][2] (major 2, minor 2, extent 8) is used 2 times",
        "# this line",
    ),
    "more lanes": (
        {},
        None,
        "sm_80",
        "T304",
        "the last P: 8 * 8 = 64, but the wave has 32 lanes: more lanes than the wave has",
        "# or this line",
    ),
}


@pytest.mark.parametrize("name", IN_A_KERNEL)
def test_errors_in_kernels_name_the_number_at_the_kernels_line(name):
    changed, extents, target, code, words, line = IN_A_KERNEL[name]
    parts = {**PARTS, **changed}
    with pytest.raises(AveError) as e:
        spread_in_a_kernel[1, 64](np.zeros(64, np.int32), tuple(parts.values()), extents, target=target,
                                  backend="reference")
    assert e.value.code == code and words in e.value.message and e.value.span is not None
    assert e.value.span.file == __file__ and e.value.span.text().strip().endswith(line)
