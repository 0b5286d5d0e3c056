"""Layouts drawn at random: loads, stores, subviews and partial coordinates against NumPy's own strides."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang.sim.reference import run
from sim.kernels import kernel


def strided(memory: np.ndarray, first: int, shape, strides) -> np.ndarray:
    """The view that NumPy makes of a layout in elements."""
    return np.lib.stride_tricks.as_strided(memory[first:], shape, [s * memory.itemsize for s in strides])


@st.composite
def layouts(draw):
    """(shape, strides, subview offsets, sizes, steps, coordinates given, dynamic): `dynamic` leaves come as operands at run time."""
    rank = draw(st.integers(1, 3))
    shape = [draw(st.integers(1, 5)) for _ in range(rank)]
    strides = [draw(st.sampled_from([0, 1, 2, 3, 5, 8, 20])) for _ in range(rank)]
    offsets = [draw(st.integers(0, n - 1)) for n in shape]
    steps = [draw(st.integers(1, 2)) for _ in shape]
    sizes = [draw(st.integers(1, (n - o - 1) // s + 1)) for n, o, s in zip(shape, offsets, steps)]
    return shape, strides, offsets, sizes, steps, draw(st.integers(0, rank)), draw(st.booleans())


def text(dims, dynamic: bool) -> str:
    return "(" + ", ".join("?" if dynamic else str(d) for d in dims) + ")"


@settings(max_examples=150, deadline=None)
@given(layouts(), st.sampled_from(["u8", "i16", "f32", "i64"]))
def test_subviews(layout, dtype):
    shape, strides, offsets, sizes, steps, given_, dynamic = layout
    names: list[str] = []
    body = ['%t = thread_id {"dim": 0} : u32']

    def const(value: int) -> str:
        names.append(f"%n{len(names)}")
        body.append(f"{names[-1]} = const {{'value': {value}}} : i32")
        return names[-1]

    inner = [s * k for s, k in zip(strides, steps)]
    base_type = f"tensor<{dtype}, {text(shape, False)}:{text(strides, False)}, global>"
    # Extents of leaves that a vector runs through must be static; strides need not be.
    part_shape = "(" + ", ".join("?" if dynamic and i < given_ else str(n) for i, n in enumerate(sizes)) + ")"
    operands = [const(o) for o in offsets]
    if dynamic:
        operands += [const(n) for n in sizes[:given_]] + [const(s) for s in inner]
    body.append(f"%S = subview(%a, {', '.join(operands)}) : tensor<{dtype}, {part_shape}:{text(inner, dynamic)}, global>")
    # Thread t takes the coordinates that t counts out, row-major over the leaves given.
    coords, left = [], "%t"
    for i in reversed(range(given_)):
        body.append(f"%e{i} = const {{'value': {sizes[i]}}} : u32")
        body.append(f"%c{i} = rem({left}, %e{i}) : u32")
        body.append(f"%l{i} = div({left}, %e{i}) : u32")
        coords.insert(0, f"%c{i}")
        left = f"%l{i}"
    n, threads = int(np.prod(sizes[given_:])), int(np.prod(sizes[:given_]))
    t = dtype if given_ == len(sizes) else f"vec<{n} x {dtype}>"
    at = "".join(", " + c for c in coords)
    out_at = "%t" if given_ < len(sizes) else "%t, %zero"
    body += [
        "%zero = const {'value': 0} : u32",
        f"%v = load(%S{at}) : {t}",
        f"store(%v, %o, {out_at})",
        "barrier",
        f"%w = add(%v, %v) : {t}",
        f"store(%w, %S{at})",
    ]
    k = kernel(f"%a: {base_type}, %o: tensor<{dtype}, ({threads}, {n}):({n}, 1), global>", "\n".join(body))

    size = 1 + sum((m - 1) * s for m, s in zip(shape, strides))
    memory = (np.arange(size) % 50 + 1).astype({"u8": np.uint8, "i16": np.int16, "f32": np.float32, "i64": np.int64}[dtype])
    want_memory = memory.copy()
    view = strided(want_memory, sum(o * s for o, s in zip(offsets, strides)), sizes, inner)
    want = view.reshape(threads, n).copy()
    view[...] = 2 * want.reshape(view.shape)
    out = np.zeros((threads, n), memory.dtype)
    run(k, [memory, out], 1, threads)
    assert (out == want).all() and (memory == want_memory).all()
