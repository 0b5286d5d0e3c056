"""Static distributions: layouts there and back, fragments of every row, published layouts of others, coalesced ones,
runs."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import avelang.language as al
from avelang.base.errors import AveError
from avelang.isa import ROWS
from avelang.isa.amdgpu.scaled import SCALED
from avelang.isa.fragments import Fragment
from avelang.isa.nvptx import wgmma
from avelang.tile import Distribution, Encoding, vectorize
from checked import ask
from tile import drawn
from tile.test_encoding import PARTS, SEED, encodings

DENSE = [r for r in ROWS.values() if r.mma]


def test_the_published_distribution():
    d = Distribution(SEED)
    assert (d.wave, d.waves, d.threads, d.elements, d.shape) == (64, 4, 256, 256, (256, 256))
    tile = np.arange(65536).reshape(256, 256)
    assert np.array_equal(d.gather(tile), d.linear) and np.array_equal(d.scatter(d.gather(tile)), tile)
    assert (d.run(0), d.run(1), d.width(1, al.bf16), d.width(1, al.f32), d.width(1, al.i8)) == (4, 4, 8, 16, 4)


def test_one_p_is_the_thread_of_the_block():
    two = Distribution(SEED)
    one = Distribution(Encoding((), SEED.Hs, ((1, 2, 1, 2),), ((1, 1, 2, 2),), (1, 1, 2, 2), (0, 3, 0, 3)))
    assert (
        (one.wave, one.waves) == (64, 4)
        and np.array_equal(one.linear, two.linear)
        and one.to_layout() == two.to_layout()
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([32, 64]))
def test_who_holds_what_by_the_documentation(seed, wave):
    """The whole map of drawn distributions, with replicas and with one P or two, and of what kernels compute it from:
    every element as often as there are replicas."""
    r = random.Random(seed)
    waves = r.choice((1, 2, 3, 4))
    d = drawn.distribution(r, drawn.extents(r, r.choice((1, 2, 3)), waves * wave), waves, wave)
    want = drawn.by_definition(d.encoding)
    assert all(np.array_equal(a, b) for a, b in zip(d.index, want, strict=True))
    assert (
        np.bincount(np.ravel_multi_index(want, d.shape).ravel(), minlength=math.prod(d.shape)) == d.replication
    ).all()
    thread, at = np.arange(d.threads), [np.zeros(d.threads, np.int64) for _ in d.shape]
    for below, digit in vectorize.lane_digits(d):
        at = [x + thread // below % digit.extent * s for x, s in zip(at, digit.strides, strict=True)]
    assert all(np.array_equal(x, w[:, 0]) for x, w in zip(at, want, strict=True))


@pytest.mark.parametrize(("target", "backend", "count"), drawn.RUNS)
def test_drawn_distributions_in_kernels(target, backend, count, monkeypatch):
    """Loaded in one, moved to another, stored: over edges, of five dtypes, with races and waits checked."""
    ask(monkeypatch, backend, target, "races", "waits")
    drawn.check("move", target, backend, count)


# Encoding, wave, waves; the code and words of the error.
WRONG = {
    "more lanes": (
        (PARTS, 32, 0), "T304", "the last P: 8 * 8 = 64, but the wave has 32 lanes: more lanes than the wave has"
    ),
    "fewer lanes": (
        ({**PARTS, "Hs": ((4, 2, 4, 4), (4, 2, 8, 4))}, 64, 0), "T304",
        "the last P: 4 * 8 = 32, but the wave has 64 lanes: fewer lanes"
    ),
    "waves": ((PARTS, 64, 8), "T304", "waves: the encoding has 4, but 8 are wanted"),
    "no waves": ((PARTS, 64, -1), "T301", "waves must be an integer from 0, not -1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_lanes_are_checked_at_the_users_line(name):
    (parts, wave, waves), code, words = WRONG[name]
    encoding = Encoding(**parts)
    with pytest.raises(AveError) as e:
        Distribution(encoding, wave, waves)  # this line
    assert e.value.code == code and words in e.value.message and e.value.span.text().endswith("# this line")


def test_threads_that_are_no_waves():
    for extent, words in ((32, "fewer threads"), (96, "96 threads, but waves have 64")):
        encoding = Encoding((), ((extent,),), ((1,),), ((0,),), (), ())
        with pytest.raises(AveError, match=words):
            Distribution(encoding)
    with pytest.raises(AveError, match="encoding must be an Encoding"):
        Distribution(3)


# -- layouts -----------------------------------------------------------------------------------------------------------


def read_by_hand(layout, wave: int, lane: int, element: int) -> int:
    """A place of a layout: each mode's leaves, the first the fastest."""
    at = 0
    for number, shape, strides in zip((wave, lane, element), layout.shape, layout.strides, strict=True):
        for n, s in zip(np.atleast_1d(shape), np.atleast_1d(strides), strict=True):
            at, number = at + number % n * s, number // n
    return int(at)


@settings(max_examples=60, deadline=None)
@given(encodings())
def test_layouts_there_and_back(e):
    if len(e.lengths_p) == 1:
        return
    d = Distribution(e, e.lengths_p[1])
    layout = d.to_layout()
    for wave, lane, element in itertools.islice(
        itertools.product(range(d.waves), range(d.wave), range(d.elements)), 0, None, 7
    ):
        assert read_by_hand(layout, wave, lane, element) == d.linear[wave * d.wave + lane, element]
    back = Distribution.from_layout(layout, d.shape, d.wave)
    assert np.array_equal(back.linear, d.linear) and back.replication == d.replication


def test_a_layout_for_other_strides_in_memory():
    layout = Distribution(SEED).to_layout((1, 300))  # column-major, padded
    assert layout.strides == ((9600, 32), (1200, 4), (300, 19200, 1, 64))


NONE = {
    "leaves out": (al.Layout((1, 64, 2), (0, 4, 1)), (16, 16), "leave some out"),
    "twice": (al.Layout((1, 64, 4), (0, 2, 1)), (130, 1), "meet some twice"),
    "reaches beyond": (al.Layout((1, 64, 4), (0, 4, 1)), (8, 8), "it reaches 255"),
    "modes": (al.Layout((64,), (1,)), (8, 8), "it has 1 modes"),
    "an element twice": (al.Layout((1, 64, 2), (0, 1, 0)), (8, 8), "a lane holds an element twice"),
    "across rows": (al.Layout((1, 64, 3), (0, 3, 1)), (16, 12), None),
    "no equal steps": (al.Layout((1, 64, 5), (0, 5, 1)), (32, 10), None),
    "across in unequal steps": (al.Layout((1, 64, 3), (0, 1, 64)), (12, 16), None),
}


@pytest.mark.parametrize("name", NONE)
def test_layouts_that_are_no_distribution(name):
    layout, shape, words = NONE[name]
    if words is None:
        d = Distribution.from_layout(layout, shape)  # these are
        assert np.array_equal(
            d.linear, np.array([[read_by_hand(layout, 0, t, e) for e in range(d.elements)] for t in range(64)])
        )
        return
    with pytest.raises(AveError, match=words) as e:
        Distribution.from_layout(layout, shape)  # this line
    assert e.value.code == "T305" and e.value.span.text().endswith("# this line")


def test_other_wrong_layouts():
    with pytest.raises(AveError, match=r"T304.*48 lanes|48 lanes"):
        Distribution.from_layout(al.Layout((1, 48, 1), (0, 1, 0)), (48,))
    with pytest.raises(AveError, match="needs a layout"):
        Distribution.from_layout(((1, 64), (0, 1)), (64,))
    steps = np.array([0, 1, 3]).reshape(1, 3, 1)
    with pytest.raises(AveError, match="the 3 lanes do not move in equal steps"):
        Distribution.of_index((steps,), (4,))
    with pytest.raises(AveError, match="not at the origin"):
        Distribution.of_index((steps + 1,), (5,))
    twisted = np.arange(8).reshape(1, 4, 2)
    twisted = np.where(twisted == 7, 6, np.where(twisted == 6, 7, twisted))
    with pytest.raises(AveError, match="do not move independently"):
        Distribution.of_index((twisted,), (8,))
    diagonal = np.arange(4).reshape(1, 4, 1)
    with pytest.raises(AveError, match="no step forward along one dimension"):
        Distribution.of_index((diagonal, diagonal), (4, 4))
    with pytest.raises(AveError, match=r"dimension 0 has extent 8, and 4 of it is covered"):
        Distribution.of_index((np.arange(4).reshape(1, 4, 1),), (8,))


# -- fragments ---------------------------------------------------------------------------------------------------------


def same(d: Distribution, f: Fragment) -> bool:
    index = f.index if f.shape[0] > 1 else f.index[1:]
    return d.shape == (f.shape if f.shape[0] > 1 else f.shape[1:]) and all(
        np.array_equal(a, b) for a, b in zip(d.index, index, strict=True)
    )


@pytest.mark.parametrize("row", DENSE, ids=lambda r: r.name)
def test_every_rows_fragments_are_encodings(row):
    for operand in "abc":
        assert same(Distribution.from_fragment(row, operand), getattr(row.mma, operand))


def test_the_other_fragments_are_encodings():
    for s in SCALED:
        for operand in "abc":
            assert same(Distribution.from_fragment(f"amdgpu.{s.name}", operand), getattr(s.mma, operand))
    for form in wgmma.FORMS:
        if form.registers:
            assert same(Distribution.from_fragment(f"nvvm.{form.name}", "a"), wgmma.a_fragment(form))
    for n in wgmma.SIZES:
        d = Distribution.from_fragment("wgmma_f16_f32", "d", n=n)
        assert same(d, wgmma.d_fragment(n)) and (d.waves, d.wave) == (4, 32)


def test_names_of_fragments():
    by = [
        Distribution.from_fragment(x, "a")
        for x in (al.amdgpu.mfma_16x16x16_bf16_f32, "mfma_16x16x16_bf16_f32", "al.amdgpu.mfma_f32_16x16x16_bf16")
    ]
    assert by[0] == by[1] == by[2]
    for what, operand, words in (
        ("mfma_nothing", "a", "a row must be"), ("wgmma_f16_f32", "b", "B of it is in shared memory"),
        ("mfma_16x16x16_bf16_f32", "x", "operand must be"), ("amdgpu.rcp", "a", "an operand in registers")
    ):
        with pytest.raises(AveError, match=words):
            Distribution.from_fragment(what, operand)


def published() -> dict[str, object]:
    nv = pytest.importorskip("tensor_layouts.atoms_nv")
    return {
        n: a
        for n, a in vars(nv).items()
        if n.startswith(("SM75_", "SM80_", "SM89_", "SM90_16x8x")) and hasattr(a, "c_layout")
    }


def test_published_layouts_are_the_same_distributions():
    """CuTe's layouts (thread, value) -> place in the column-major tile, read by us, against our fragments."""
    rows, seen = {r.ptx.replace(".satfinite", ""): r for r in DENSE if r.ptx}, set()
    for name, atom in published().items():
        (m, n, k), row = atom.shape_mnk, rows.get(atom.ptx)
        if row is None:
            assert any(words in name for words in ("S4S4", "U1U1", "C64")), (
                f"of {name} there is no row"
            )  # 4 bits, 1 bit, complex numbers
            continue
        for ours, layout, shape in (
            ("a", atom.a_layout, (k, m)), ("b", atom.b_layout, (k, n)), ("c", atom.c_layout, (n, m))
        ):
            theirs = Distribution.from_layout(al.Layout(layout.shape, layout.stride), shape, 32)
            mine = Distribution.from_fragment(row, ours)
            mine = mine.index if ours == "b" else mine.index[::-1]
            assert all(np.array_equal(a, b) for a, b in zip(theirs.index, mine, strict=True)), (row.name, ours)
        seen.add(row.name)
    # The table has no unsigned operands, and no fp8 with k = 16.
    assert {
        n for n in {r.name for r in rows.values()} - seen if "u8" not in n and "16x8x16_e" not in n
    } == set() and len(seen) > 20


def test_our_layouts_read_by_others():
    tl = pytest.importorskip("tensor_layouts")
    for d in (
        Distribution(SEED), Distribution.blocked((64, 64), al.bf16),
        Distribution.from_fragment("mfma_f32_32x32x8_f16", "c")
    ):
        ours = d.to_layout()
        theirs = tl.Layout(ours.shape, ours.strides)
        for thread, element in itertools.islice(itertools.product(range(d.threads), range(d.elements)), 0, None, 37):
            assert theirs(thread // d.wave, thread % d.wave, element) == d.linear[thread, element]


# -- coalesced ---------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([1, 2, 3, 4, 6, 8, 16, 48, 64]), min_size=1, max_size=3), st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([32, 64]), st.sampled_from([al.i8, al.bf16, al.f32, al.f64]), st.booleans()
)
def test_blocked_holds_every_element(shape, waves, wave, dtype, backward):
    order = tuple(range(len(shape))) if backward else None
    d = Distribution.blocked(shape, dtype, waves=waves, wave=wave, order=order)
    assert (d.shape, d.waves, d.wave) == (tuple(shape), waves, wave)
    assert (np.bincount(d.linear.ravel(), minlength=math.prod(shape)) == d.replication).all()


def test_blocked_is_coalesced():
    """Neighboring lanes hold neighboring 16 bytes; eight of them a row of 64 bf16."""
    d = Distribution.blocked((256, 64), al.bf16, waves=4)
    assert d.width(1, al.bf16) == 16 and d.elements == 64 and d.replication == 1
    first = d.linear[:, 0] * 2
    assert (np.diff(first.reshape(4, 64), axis=1) == 16).all()
    columns = Distribution.blocked((64, 256), al.f32, waves=2, order=(0, 1))
    assert columns.width(0, al.f32) == 16 and columns.width(1, al.f32) == 4
    assert Distribution.blocked((8, 64), al.bf16, waves=4).replication == 4
    assert Distribution.blocked((64, 64), vector=2, waves=1).run(1) == 2
    with pytest.raises(AveError, match="order must be the dimensions 0 to 1"):
        Distribution.blocked((8, 8), al.f32, order=(0, 0))


@settings(max_examples=30, deadline=None)
@given(encodings())
def test_runs_are_those_that_can_be_seen(e):
    """The greatest length such that each lane's elements fall into aligned runs along the dimension, by looking."""
    if len(e.lengths_p) == 1:
        return
    d = Distribution(e, e.lengths_p[1])
    for axis, extent in enumerate(d.shape):
        others = [np.broadcast_to(x, d.linear.shape) for i, x in enumerate(d.index) if i != axis]
        best = 1
        for length in range(2, extent + 1):
            if extent % length or d.elements % length:
                continue
            block = d.index[axis] // length
            groups = [
                len({(*(int(o[t, k]) for o in others), int(block[t, k])) for k in range(d.elements)})
                for t in range(d.threads)
            ]
            if all(n * length == d.elements for n in groups):
                best = length
        assert d.run(axis) == best
