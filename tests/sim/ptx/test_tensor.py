"""tcgen05 in the executor of PTX: products against NumPy."""

import ml_dtypes
import numpy as np
import pytest

from sim.ptx.tensor_programs import NUMPY, Case

DENSE = [
    Case("f16", 128, 32, "bf16", "bf16"), Case("f16", 64, 40, "f16", "f16"), Case("f16", 128, 24, "f16", "f16", "f16"),
    Case("f16", 128, 64, "bf16", "bf16", a_mn=True, b_mn=True), Case("f16", 128, 32, "bf16", "bf16", negate_a=True),
    Case("tf32", 128, 16, "tf32", "tf32"), Case("i8", 128, 16, "s8", "u8", "s32"), Case("f8f6f4", 64, 32, "e4m3", "e5m2"),
    Case("f16", 256, 32, "bf16", "bf16", group=2), Case("f16", 128, 64, "bf16", "bf16", group=2), Case("f8f6f4", 256, 32,
        "e5m2", "e4m3", group=2), Case("f16", 128, 16, "bf16", "bf16", twice=True),
    Case("f16", 64, 64, "bf16", "bf16", ws=True), Case("f16", 32, 64, "f16", "f16", ws=True), Case("f16", 128, 32, "bf16",
        "bf16", at="tmem"), Case("f16", 64, 32, "f16", "f16", at="tmem"), Case("f16", 256, 32, "bf16", "bf16", group=2, at="tmem"),
    Case("f16", 128, 32, "bf16", "bf16", group=2, at="tmem"), Case("i8", 128, 32, "s8", "s8", "s32", at="tmem"),
]  # fmt: skip


def drawn(rng, name: str, shape: tuple[int, int]) -> np.ndarray:
    if name in ("s8", "u8"):
        return rng.integers(-128 if name == "s8" else 0, 128, shape).astype(NUMPY[name])
    return rng.standard_normal(shape).astype(np.float32).astype(NUMPY[name])


def in_lanes(case: Case, a: np.ndarray) -> np.ndarray:
    """A (m, k) as words of tensor memory, (blocks, 128, columns)."""
    words = np.ascontiguousarray(a).view(np.uint32).reshape(case.group, case.m // case.group, -1)
    if words.shape[1] == 64 and case.group == 1:
        out = np.zeros((1, 128, words.shape[2]), np.uint32)
        for w in range(4):
            out[0, 32 * w : 32 * w + 16] = words[0, 16 * w : 16 * w + 16]
        return out
    return np.concatenate([words] * (128 // words.shape[1]), axis=1)


@pytest.mark.parametrize(
    "case", DENSE, ids=lambda c: f"{c.kind}-{c.m}x{c.n}-{c.a}-{c.group}-{c.at}{'-ws' * c.ws}{'-mn' * c.a_mn}"
)
def test_products(case):
    rng = np.random.default_rng(case.m + case.n)
    a, b = drawn(rng, case.a, (case.m, case.deep)), drawn(rng, case.b, (case.n, case.deep))
    araw = in_lanes(case, a) if case.at == "tmem" else None
    out = case.run(np.ascontiguousarray(a.T) if case.a_mn else a, np.ascontiguousarray(b.T) if case.b_mn else b, araw)
    x, y = a.astype(np.float64), b.astype(np.float64)
    if case.a == "tf32":
        x, y = ((z.astype(np.float32).view(np.uint32) & 0xFFFFE000).view(np.float32).astype(np.float64) for z in (x, y))
    want = (x @ y.T) * (1 + case.twice) * (-1 if case.negate_a else 1)
    bound = (abs(x) @ abs(y).T) * (2.0**-9 if case.d == "f16" else 2.0**-20)
    assert (abs(case.matrix(out).astype(np.float64) - want) <= bound).all()


SCALED = [
    Case("mxf8f6f4", 128, 32, "e4m3", "e5m2", size="1X"), Case("mxf8f6f4", 256, 64, "e5m2", "e4m3", size="1X", group=2),
    Case("mxf4", 128, 64, "e2m1", "e2m1", size="2X"), Case("mxf4nvf4", 128, 32, "e2m1", "e2m1", size="4X", scale="ue4m3"),
]  # fmt: skip
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def scale_bytes(sf: np.ndarray) -> np.ndarray:
    """Scale factors uint8 (128 rows, at most 4 along K) as tcgen05.cp.32x128b copies them: lane, then the rows 32 further
    on, then K."""
    out = np.zeros((32, 4, 4), np.uint8)
    for r in range(128):
        out[r % 32, r // 32, : sf.shape[1]] = sf[r]
    return out.reshape(-1)


@pytest.mark.parametrize("case", SCALED, ids=lambda c: f"{c.kind}-{c.m}x{c.n}")
def test_scaled_products(case):
    """The numbers of A and B times the factors of their 16 or 32 elements along K."""
    rng = np.random.default_rng(case.n)
    if case.kind == "mxf8f6f4":
        raws = [drawn(rng, t, (rows, case.deep)) for t, rows in ((case.a, case.m), (case.b, case.n))]
        values = [x.astype(np.float64) for x in raws]
    else:
        codes = [rng.integers(0, 16, (rows, case.deep), dtype=np.uint8) for rows in (case.m, case.n)]
        raws = [c[:, ::2] | c[:, 1::2] << 4 for c in codes]
        values = [E2M1[c & 7] * np.where(c & 8, -1, 1) for c in codes]
    count = 4 * case.chunks
    if case.scale == "ue8m0":
        sf = [rng.integers(120, 134, (rows, count), dtype=np.uint8) for rows in (case.m, 128)]
        factor = [np.exp2(x.astype(np.float64) - 127) for x in sf]
    else:
        sf = [rng.integers(0, 0x70, (rows, count), dtype=np.uint8) for rows in (case.m, 128)]
        factor = [x.view(ml_dtypes.float8_e4m3fn).astype(np.float64) for x in sf]
    image = [scale_bytes(x[:, 4 * c : 4 * c + 4]) for a in np.split(sf[0], case.group) for c in range(case.chunks)
        for x in (a, sf[1])]  # fmt: skip
    out = case.run(*raws, sf=np.concatenate(image))
    x, y = (v * np.repeat(f[: len(v)], case.deep // count, axis=1) for v, f in zip(values, factor, strict=True))
    assert (abs(case.matrix(out) - x @ y.T) <= (abs(x) @ abs(y).T) * 2.0**-20).all()


# -- loads and stores --------------------------------------------------------------------------------------------------

MOVES = """
.shared .align 4 .b32 slot; .reg .b32 %x<128>; .reg .b32 %at, %w, %half; mov.u32 %r0, %tid.x; shr.u32 %w, %r0, 5;
setp.ne.u32 %q1, %w, 0; @%q1 bra IN; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512; IN: bar.sync 0;
ld.shared.b32 %at, [slot]; shl.b32 %w, %w, 21; add.u32 %at, %at, %w; add.u32 %half, %at, {up};
mul.wide.u32 %d0, %r0, {inner}; add.u64 %d1, %p0, %d0; mul.wide.u32 %d0, %r0, {outer}; add.u64 %d2, %p1, %d0;
{load} {store} tcgen05.wait::st.sync.aligned; {back} tcgen05.wait::ld.sync.aligned; {keep}
bar.sync 0; @%q1 bra OUT; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %at, 512; OUT: ret;
"""
SHAPES = [("32x32b", 4), ("16x64b", 4), ("16x128b", 2), ("16x256b", 2), ("16x32bx2", 4), ("16x64b", 1)]


def where(shape: str, thread: int, register: int, split: int) -> tuple[int, int]:
    """(lane, column) in words of the manual's figures (PTX ISA 9.0, 9.7.16.2.3.1) and of CUTLASS's layouts."""
    group, inner = thread >> 2, thread & 3
    if shape == "32x32b":
        return thread, register
    if shape == "16x64b":  # two threads of a group in the upper eight lanes
        return group + 8 * (inner & 1), (inner >> 1) + 2 * register
    if shape == "16x128b":  # registers alternate between the halves
        return group + 8 * (register & 1), inner + 4 * (register >> 1)
    if shape == "16x256b":  # as an accumulator of mma
        return group + 8 * (register >> 1 & 1), 2 * inner + (register & 1) + 8 * (register >> 2)
    return thread & 15, register + split * (thread >> 4)


def moved(shape: str, count: int, up: int, packed: bool) -> tuple[np.ndarray, np.ndarray]:
    """(registers (128 threads, n), lanes (128, 64 columns)): stored by a shape, read back as lanes."""
    from avelang.isa.nvptx import tcgen05 as t5
    from sim.ptx.texts import kernel, run

    n = t5.MOVES[shape][2] * count
    split = ", 8" if shape == "16x32bx2" else ""
    names = ", ".join(f"%x{k}" for k in range(n))
    lanes = ", ".join(f"%x{64 + k}" for k in range(64))
    text = MOVES.format(up=up << 16, inner=4 * n, outer=256, load="".join(f"ld.global.b32 %x{k}, [%d1+{4 * k}];" for k in range(n)),
        store=f"tcgen05.st.sync.aligned.{shape}.x{count}{'.unpack::16b' * packed}.b32 [%half]{split}, {{{names}}};",
        back=f"tcgen05.ld.sync.aligned.32x32b.x64.b32 {{{lanes}}}, [%at];",
        keep="".join(f"st.global.b32 [%d2+{4 * k}], %x{64 + k};" for k in range(64)))  # fmt: skip
    x = np.random.default_rng(n).integers(0, 1 << 32, (128, n), dtype=np.uint32)
    out = np.zeros((128, 64), np.uint32)
    run(kernel(text, 2, "sm_100a"), x, out, block=(128, 1, 1))
    return x, out


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("shape", "count"), SHAPES)
def test_where_registers_go(shape, count, packed):
    """What tcgen05.st puts into tensor memory, read back lane by lane; two columns to a register where it is unpacked."""
    up = 16 if shape != "32x32b" else 0
    x, out = moved(shape, count, up, packed)
    want = np.full((128, 64), 0xA5A5A5A5, np.uint32)
    for warp in range(4):
        for thread in range(32):
            for register in range(x.shape[1]):
                lane, column = where(shape, thread, register, 8 if not packed else 0)
                word = int(x[32 * warp + thread, register])
                parts = [(column, word)]
                if packed:
                    base = 2 * column + (8 * (thread >> 4) if shape == "16x32bx2" else 0)
                    parts = [(base, word & 0xFFFF), (base + 1, word >> 16)]
                for c, value in parts:
                    want[32 * warp + up + lane, c] = value
    assert (out == want).all()
