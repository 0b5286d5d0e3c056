"""Matrix instructions of a warp beyond the rows of `al.nvvm`: 4 bits, one bit, small floats, scales of blocks, sparse
`mma` and `wmma`, against NumPy on matrices."""

import ml_dtypes
import numpy as np
import pytest

from avelang.base.errors import AveError
from sim.ptx.texts import kernel, run

NUMPY = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "s8": np.int8, "u8": np.uint8, "f32": np.float32,
    "s32": np.int32, "f64": np.float64}  # fmt: skip
E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def held(x: np.ndarray, rows_first: bool, bits: int) -> np.ndarray:
    """Words of the lanes that hold A (rows_first) or B^T, of unsigned codes, by the figures of PTX ISA 9.0, 9.7.14.5: the
    lane's group is the row, its place in the quad the word along K, and words go down eight rows first for A."""
    rows, k = x.shape
    per = 32 // bits
    out = np.zeros((32, rows // 8 * k // per // 4), np.uint32)
    for lane in range(32):
        for word in range(out.shape[1]):
            down, along = (word % (rows // 8), word // (rows // 8)) if rows_first else (0, word)
            part = x[lane // 4 + 8 * down, per * (lane % 4 + 4 * along) :][:per]
            out[lane, word] = sum(int(c) << (bits * i) for i, c in enumerate(part))
    return out


def multiplied(
    form: str, a: np.ndarray, b: np.ndarray, kind: str, tail: str = "", more: tuple[np.ndarray, ...] = ()
) -> np.ndarray:
    """D (rows, 8) of one mma with C = 0; `more`: further words of the lanes, which `tail` names %e0, %e1."""
    words = [a, b, *[x.reshape(32, 1) for x in more]]
    text, at = (
        "mov.u32 %r0, %laneid; mul.lo.u32 %r1, %r0, 4; .reg .b32 %a<8>, %b<8>, %e<4>; .reg .f32 %z; .reg .b32 %o<4>;",
        0,
    )
    data = np.concatenate([np.ascontiguousarray(w.astype(np.uint32)) for w in words], axis=1)
    for name, w in zip(["a", "b"] + ["e"] * len(more), words, strict=True):
        first = 0 if name != "e" else at - a.shape[1] - b.shape[1]
        for k in range(w.shape[1]):
            text += f"mul.wide.u32 %d0, %r0, {4 * data.shape[1]}; add.u64 %d0, %d0, %p0; ld.global.b32 %{name}{first + k}, [%d0+{4 * (at + k)}];"
        at += w.shape[1]
    slots = 4 if "m16" in form else 2
    names = {
        "d": ", ".join(f"%{'f' if kind == 'f32' else 'o'}{k}" for k in range(slots)),
        "z": ", ".join(f"%{'f' if kind == 'f32' else 'o'}{k}" for k in range(slots)),
    }
    text += "".join(
        f"mov.b32 %{'f' if kind == 'f32' else 'o'}{k}, {'0f00000000' if kind == 'f32' else 0};" for k in range(slots)
    )
    text += f"{form} {{{names['d']}}}, {{{', '.join(f'%a{k}' for k in range(a.shape[1]))}}}, {{{', '.join(f'%b{k}' for k in range(b.shape[1]))}}}, {{{names['z']}}}{tail};"
    text += f"mul.wide.u32 %d1, %r0, {4 * slots}; add.u64 %d1, %d1, %p1;" + "".join(
        f"st.global.b32 [%d1+{4 * k}], %{'f' if kind == 'f32' else 'o'}{k};" for k in range(slots)
    )
    out = np.zeros((32, slots), np.uint32)
    run(kernel(text + "ret;", 2, "sm_120a").replace(".version 8.6", ".version 8.7"), data, out)
    values, d = out.view(NUMPY[kind]), np.zeros((4 * slots, 8))
    for lane in range(32):
        for k in range(slots):
            d[lane // 4 + 8 * (k // 2), 2 * (lane % 4) + k % 2] = values[lane, k]
    return d


@pytest.mark.parametrize(("shape", "bits"), [("m8n8k32", 4), ("m16n8k64", 4), ("m16n8k256", 1)])
def test_few_bits(shape, bits):
    m, k = int(shape[1:].split("n")[0]), int(shape.split("k")[1])
    rng = np.random.default_rng(k)
    a, b = (rng.integers(0, 1 << bits, (rows, k)) for rows in (m, 8))
    kind = "s32.s4.u4.s32" if bits == 4 else "s32.b1.b1.s32.xor.popc"
    got = multiplied(f"mma.sync.aligned.{shape}.row.col.{kind}", held(a, True, bits), held(b, False, bits), "s32")
    want = (a - 16 * (a > 7)) @ b.T if bits == 4 else (a[:, None] ^ b[None]).sum(-1)
    assert (got == want).all()


def small(rng, name: str, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """(codes as registers have them, numbers)"""
    if name == "e2m1":
        codes = rng.integers(0, 16, shape)
        return codes << 2, np.array(E2M1)[codes & 7] * np.where(codes & 8, -1, 1)
    dtype = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2, "e2m3": ml_dtypes.float6_e2m3fn}[name]
    x = rng.standard_normal(shape).astype(np.float32).astype(dtype)
    return x.view(np.uint8), x.astype(np.float64)


@pytest.mark.parametrize(("a", "b"), [("e2m1", "e4m3"), ("e2m3", "e5m2")])
def test_small_floats(a, b):
    rng = np.random.default_rng(1)
    (ca, x), (cb, y) = small(rng, a, (16, 32)), small(rng, b, (8, 32))
    got = multiplied(
        f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.{a}.{b}.f32", held(ca, True, 8), held(cb, False, 8), "f32"
    )
    assert np.allclose(got, x @ y.T, rtol=1e-5, atol=1e-5)


def test_scales_of_blocks():
    """kind::mxf4nvf4 with four factors to a row: lane 4 g + 2 has row g of A, 4 g + 3 row g + 8, 4 g + 1 column g of B."""
    rng = np.random.default_rng(2)
    ca, cb = rng.integers(0, 16, (16, 64)), rng.integers(0, 16, (8, 64))
    x, y = (np.array(E2M1)[c & 7] * np.where(c & 8, -1, 1) for c in (ca, cb))
    sa, sb = (rng.integers(0x20, 0x60, (rows, 4), dtype=np.uint8) for rows in (16, 8))
    wa, wb = np.zeros(32, np.uint32), np.zeros(32, np.uint32)
    for g in range(8):
        wa[4 * g + 2], wa[4 * g + 3] = sa[g].view(np.uint32)[0], sa[g + 8].view(np.uint32)[0]
        wb[4 * g + 1] = sb[g].view(np.uint32)[0]
    got = multiplied("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
        held(ca, True, 4), held(cb, False, 4), "f32", ", {%e0}, {0, 1}, {%e1}, {0, 1}", (wa, wb))  # fmt: skip
    fa, fb = (np.repeat(s.view(ml_dtypes.float8_e4m3fn).astype(np.float64), 16, axis=1) for s in (sa, sb))
    assert np.allclose(got, (x * fa) @ (y * fb).T, rtol=1e-5, atol=1e-4)


def test_sparse():
    """m16n8k32 of f16: of four columns of a row two are stored; threads 2 F and 2 F + 1 of a quad say which."""
    rng = np.random.default_rng(3)
    stored = rng.standard_normal((16, 16)).astype(np.float16)
    where = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])[rng.integers(0, 6, (16, 8))].reshape(16, 16)
    b = rng.standard_normal((8, 32)).astype(np.float16)
    wide = np.zeros((16, 32))
    for r in range(16):
        for j in range(16):
            wide[r, 4 * (j // 2) + where[r, j]] = stored[r, j]
    e = np.zeros(32, np.uint32)
    for g in range(8):
        for half in range(2):
            for down in range(2):
                bits = sum(int(where[g + 8 * down, 8 * half + i]) << (2 * i) for i in range(8))
                e[4 * g + 2 + half] |= np.uint32(bits << (16 * down))
    got = multiplied("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", held(stored.view(np.uint16), True, 16),
        held(b.view(np.uint16), False, 16), "f32", ", %e0, 0x1", (e,))  # fmt: skip
    assert np.allclose(got, wide @ b.astype(np.float64).T, rtol=1e-4, atol=1e-4)


def test_sparse_bytes():
    """m16n8k64 of 8 bits: of a quad, threads 0 and 2 say of the upper row, 1 and 3 of the lower one, a half of K each."""
    rng = np.random.default_rng(5)
    stored, b = rng.integers(-128, 128, (16, 32)), rng.integers(-128, 128, (8, 64))
    pairs = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
    where = pairs[rng.integers(0, 6, (16, 16))].reshape(16, 32)
    wide = np.zeros((16, 64), np.int64)
    np.put_along_axis(wide, 4 * (np.arange(32) // 2) + where, stored, axis=1)
    e = np.zeros(32, np.uint32)
    for lane in range(32):
        row = where[lane // 4 + 8 * (lane % 2), 16 * (lane % 4 // 2) :][:16]
        e[lane] = sum(int(c) << (2 * i) for i, c in enumerate(row))
    form = "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32"
    got = multiplied(form, held(stored & 255, True, 8), held(b & 255, False, 8), "s32", ", %e0, 0x0", (e,))
    assert (got == wide @ b.T).all()


WMMA = [("m16n16k16", "f16", "f32", "row", "col"), ("m8n32k16", "bf16", "f32", "col", "row"), ("m32n8k16", "s8", "s32", "row",
    "row"), ("m16n16k8", "tf32", "f32", "col", "col"), ("m8n8k4", "f64", "f64", "row", "col"), ("m16n16k16", "f16", "f16", "col",
    "row")]  # fmt: skip


@pytest.mark.parametrize(("shape", "a", "d", "la", "lb"), WMMA)
def test_wmma(shape, a, d, la, lb):
    """Matrices in global memory, with strides of their own; C is doubled lane by lane before the product."""
    m, n, k = (int(x) for x in shape.replace("n", " ").replace("k", " ")[1:].split())
    rng = np.random.default_rng(4)
    counts = {"f16": (8, 8), "bf16": (m // 4, n // 4), "s8": (4, 1), "tf32": (4, 4), "f64": (1, 1)}[a]
    slots = m * n * NUMPY[d]().itemsize // 128 if d != "f64" else 2
    reg = "d" if a == "f64" else "r"
    one = "f" if d == "f32" else reg

    def drawn(rows, cols, name, layout):
        x = rng.integers(-9, 9, (rows, cols)).astype(NUMPY[name])
        line, length = (cols, rows) if layout == "row" else (rows, cols)
        apart = -(-line // 16) * 16 + 16
        whole = np.zeros((length, apart), NUMPY[name])
        whole[:, :line] = x if layout == "row" else x.T
        return x, whole, apart

    x, xs, ax = drawn(m, k, a, la)
    y, ys, ay = drawn(k, n, a, lb)
    z, zs, az = drawn(m, n, d, "row")
    out = np.zeros_like(zs)
    names = [
        ", ".join(f"%{r}{s + i}" for i in range(c))
        for r, s, c in ((reg, 10, counts[0]), (reg, 20, counts[1]), (one, 28, slots))
    ]
    double = "".join(
        {
            "f32": f"add.f32 %f{28 + i}, %f{28 + i}, %f{28 + i};",
            "f64": f"add.f64 %dd, %d{28 + i}, %d{28 + i}; mov.b64 %d{28 + i}, %dd;",
            "s32": f"add.s32 %r{28 + i}, %r{28 + i}, %r{28 + i};",
            "f16": f"add.f16x2 %r{28 + i}, %r{28 + i}, %r{28 + i};",
        }[d]
        for i in range(slots)
    )
    kinds = f"{d}.{d}" if a == "f16" else f"{d}.{a}.{a}.{d}"
    if d == "f64":
        double = ""
    text = f"""
    wmma.load.a.sync.aligned.{la}.{shape}.global.{a} {{{names[0]}}}, [%p0], {ax};
    wmma.load.b.sync.aligned.{lb}.{shape}.global.{a} {{{names[1]}}}, [%p1], {ay};
    wmma.load.c.sync.aligned.row.{shape}.global.{d} {{{names[2]}}}, [%p2], {az};
    {double} wmma.mma.sync.aligned.{la}.{lb}.{shape}.{kinds} {{{names[2]}}}, {{{names[0]}}}, {{{names[1]}}}, {{{names[2]}}};
    wmma.store.d.sync.aligned.row.{shape}.global.{d} [%p3], {{{names[2]}}}, {az}; ret;"""
    if a == "f64":
        text = text.replace("%d", "%w")
        text = ".reg .f64 %w<40>;" + text
    run(kernel(text, 4, "sm_80"), xs, ys, zs, out, check=("races",))
    want = x.astype(np.float64) @ y.astype(np.float64) + (1 if d == "f64" else 2) * z.astype(np.float64)
    assert (out[:, :n].astype(np.float64) == want).all() and (out[:, n:] == 0).all()


def test_what_stays_out():
    with pytest.raises(AveError, match="of sm_70, is not executed"):
        run(kernel("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r0, %r1}, {%r2, %r3}, "
            "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}; ret;", 1, "sm_70"), np.zeros(4, np.uint32))  # fmt: skip
