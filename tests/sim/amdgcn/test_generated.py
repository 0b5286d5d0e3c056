"""What the compiler makes for gfx942, executed: kernels of the language, the IR's ops, random programs and every AMD
row, against the reference."""

import numpy as np
import pytest

from avelang import arch
from avelang.ir.core import Kernel, Value
from avelang.ir.dtypes import i32, i64, u32
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.types import GLOBAL, SHARED, TensorType, VecType
from avelang.isa.row import ROWS, types_on
from avelang.sim import reference
from emit.llvm.gpu_cases import NUMBERS, benches, kernels, programs
from isa.amdgpu_waves import ALL, LANES, Bench
from isa.test_amdgpu_native import APPROXIMATE, consts, draw
from sim.amdgcn.executed import Executed

CHIP = arch.chip("gfx942")
CASES = {c.name: c for c in (*kernels(64), *benches(), *programs())}
# Of most dtypes arithmetic is run on numbers and conversions on vectors, or the other way round, in turn; of those that
# users know, both on both.
for turn, dtype in enumerate(d for d in map(str, NUMBERS) if d not in ("i32", "f16", "bf16", "f32")):
    del CASES[f"arithmetic {dtype} x{1 + turn % 2}"], CASES[f"conversions {dtype} x{2 - turn % 2}"]


@pytest.mark.parametrize("name", CASES)
def test_cases(name):
    case = CASES[name]
    kernel, args = case.make("gfx942")
    want = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
    block = case.block or (64, 1, 1)
    if case.want is not None:
        want = case.want(want)
    else:
        reference.run(kernel, want, case.grid, block)
    again, _ = case.make("gfx942")
    Executed(again, block, check=True).run(args, case.grid)
    assert case.check(want, args) <= case.most


VALUES = [r for r in ROWS.values() if r.namespace == "amdgpu" and CHIP.has(r) and r.result is not None]
VALUES = [r for r in VALUES if not any(p.type == "tensor" or p.name == "rsrc" for p in r.params)]


@pytest.mark.parametrize("row", VALUES, ids=lambda r: r.name.removeprefix("amdgpu."))
def test_rows_that_compute_a_value(row):
    """Some lanes are inactive, except for matrix instructions."""
    rng = np.random.default_rng(7)
    active = ALL if row.mma else rng.random(LANES) < 0.7
    bench, seen, operands = Bench("gfx942"), {}, []
    for p in row.operands:
        t = seen[p.type] if isinstance(p.type, str) else types_on(p, CHIP.features)[0]
        seen[p.name] = t
        data = np.abs(draw(rng, t)) if row.name.endswith(APPROXIMATE) else draw(rng, t)
        operands.append(bench.operand(data, t))
    result = seen[row.result] if isinstance(row.result, str) else row.result
    with bench.only(active):
        kept = bench.keep(bench.b.emit(row.name, operands, (result,), **consts(row, rng)).result)
    got, _, _ = both(bench, kept)
    if row.name.endswith(APPROXIMATE):
        np.testing.assert_array_max_ulp(got, kept, 2)
    else:
        np.testing.assert_array_equal(got.view(np.uint8), kept.view(np.uint8))


@pytest.mark.parametrize(
    "name", ["mfma_scale_f32_16x16x128_fp4_fp8", "mfma_scale_f32_32x32x64_bf6_bf8", "mfma_f32_16x16x32_bf16"]
)
def test_rows_of_gfx950(name):
    """Scales near 1: far from it the reference rounds an element with its scale to f32, which the instruction does
    not."""
    row, rng, bench, operands = ROWS[f"amdgpu.{name}"], np.random.default_rng(9), Bench("gfx950"), []
    features = arch.chip("gfx950").features
    for p in row.operands:
        t = types_on(p, features)[0]
        data = (
            rng.integers(0x78, 0x87, 4 * LANES).astype(np.uint8).view(np.int32)
            if p.name.startswith("scale")
            else draw(rng, t)
        )
        operands.append(bench.operand(data, t))
    kept = bench.keep(bench.b.emit(row.name, operands, (row.result if not isinstance(row.result,
        str) else types_on(row.params[2], features)[0],),
                                   **consts(row, rng)).result)  # fmt: skip
    got, _, _ = both(bench, kept, "gfx950")
    got, want = (np.ascontiguousarray(x).view(np.float32) for x in (got, kept))
    assert np.array_equal(got, want, equal_nan=True)


def both(bench: Bench, kept: np.ndarray, chip: str = "gfx942") -> tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]:
    """Runs a bench on the reference, and as executed code on copies of its arrays, checker on. What was kept there, and
    the arrays of both."""
    args = [a.copy() for a in bench.args]
    kernel = Kernel("bench", bench.body.args, bench.body, {"wave": LANES, "chip": chip, "file": ""})
    text = print_kernel(kernel)
    bench.run()
    Executed(parse_kernel(text), chip=chip, check=True).run(args)
    return args[-1].view(kept.dtype).reshape(kept.shape), bench.args, args


WORDS = TensorType(i32, (256,), (1,), GLOBAL)
RANGE = 4 * 200  # bytes of a buffer, of 256 words


def buffer(bench: Bench, rng: np.random.Generator) -> tuple[Value, Value, Value]:
    """A resource over 256 random words whose range ends at the 200th, and offsets that differ by lane, some of them
    beyond."""
    tensor = bench.array(rng.integers(-(1 << 31), 1 << 31, 256).astype(np.int32), WORDS)
    size = bench.operand(np.full(LANES, RANGE, np.uint32), u32)
    rsrc = bench.b.emit(
        "amdgpu.make_rsrc", (tensor, bench.b.emit("amdgpu.readfirstlane", (size,), (u32,)).result), (VecType(i32, 4),),
        flags=0x27000,
    )  # fmt: skip
    offset = bench.operand((4 * rng.integers(0, 230, LANES)).astype(np.int32), i32)
    return rsrc.result, offset, bench.operand((4 * rng.integers(0, 8, LANES)).astype(np.int32), i32)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_buffer_rows(n):
    """Loads and stores that straddle the end of the range, dword by dword."""
    rng = np.random.default_rng()
    bench = Bench("gfx942")
    t = i32 if n == 1 else VecType(i32, n)
    rsrc, voffset, soffset = buffer(bench, rng)
    loaded = bench.b.emit(f"amdgpu.raw_buffer_load_x{n}", (rsrc, voffset, soffset), (t,), aux=0).result
    # Stores go to places of their own, lane by lane, since lanes that meet in one would race.
    place = bench.b.mul(bench.b.convert(bench.b.lane_id(), i32), bench.b.const(4 * n, i32))
    target, _, _ = buffer(bench, rng)
    bench.b.emit(f"amdgpu.raw_buffer_store_x{n}", (loaded, target, place, bench.b.const(8, i32)), (), aux=0)
    kept = bench.keep(loaded)
    got, want_args, args = both(bench, kept)
    np.testing.assert_array_equal(got, kept)
    for w, a in zip(want_args, args, strict=True):
        np.testing.assert_array_equal(w.view(np.uint8), a.view(np.uint8))


@pytest.mark.parametrize("size", [1, 2, 4])
def test_loads_straight_to_lds(size):
    bench = Bench("gfx942")
    rsrc, voffset, _ = buffer(bench, np.random.default_rng())
    lds = bench.shared(4 * LANES)
    bench.b.emit(
        "amdgpu.raw_buffer_load_x1_lds", (rsrc, lds, voffset, bench.b.const(0, i32)), (), size=size, offset=0, aux=0
    )
    bench.b.emit("amdgpu.s_waitcnt", (), (), vmcnt=0, expcnt=7, lgkmcnt=15)
    bench.b.emit("barrier", (), ())
    kept = bench.keep(bench.b.ld(bench.b.base(lds), bench.b.mul(bench.lane, bench.b.const(4, i64)), i32, 4))
    got, _, _ = both(bench, kept)
    mask = np.uint32((1 << 8 * size) - 1)  # of a byte or a half, hardware leaves the rest of the word open
    np.testing.assert_array_equal(got.view(np.uint32) & mask, kept.view(np.uint32) & mask)


@pytest.mark.parametrize("space", [GLOBAL, SHARED])
@pytest.mark.parametrize(
    "t", types_on(next(p for p in ROWS["amdgpu.atomic_add"].params if p.name == "value"), CHIP.features), ids=str
)
def test_atomic_add(t, space):
    """Lanes meet in few places; small whole numbers, whose sums every order gets exactly."""
    rng = np.random.default_rng()
    d, n = (t.dtype, t.n) if isinstance(t, VecType) else (t, 1)
    bench = Bench("gfx942")
    size = d.bytes * n
    if space == GLOBAL:
        tensor = bench.array(rng.integers(0, 5, 8 * n).astype(d.np), TensorType(d, (8 * n,), (1,), GLOBAL))
    else:
        tensor = bench.b.emit("alloc", (), (TensorType(d, (64 * n,), (1,), SHARED),), name="lds", align=16).result
        bench.b.st(
            bench.operand(np.zeros((LANES, n) if n > 1 else LANES, d.np), t), bench.b.base(tensor),
            bench.b.mul(bench.lane, bench.b.const(size, i64)), 4,
        )  # fmt: skip
        bench.b.emit("barrier", (), ())
    value = bench.operand(rng.integers(1, 4, (LANES, n) if n > 1 else LANES).astype(d.np), t)
    offset = bench.operand((size * rng.integers(0, 8, LANES)).astype(np.int32), i32)
    bench.b.emit("amdgpu.atomic_add", (offset, value, tensor), (t,), scope=1)
    bench.b.emit("barrier", (), ())
    at = bench.b.mul(bench.b.and_(bench.lane, bench.b.const(7, i64)), bench.b.const(size, i64))
    kept = bench.keep(bench.b.ld(bench.b.base(tensor), at, t, size if size in (4, 8) else 4))
    got, _, _ = both(bench, kept)
    np.testing.assert_array_equal(got.view(np.uint8), kept.view(np.uint8))


SCHEDULING = {
    "s_waitcnt": (0, 7, 0), "s_setprio": (1,), "s_nop": (3,), "s_sleep": (1,), "sched_barrier": (0,),
    "sched_group_barrier": (8, 1, 0),
}  # fmt: skip


def test_rows_of_scheduling_change_nothing():
    bench = Bench("gfx942")
    x = bench.operand(np.arange(LANES, dtype=np.int32), i32)
    for name, values in SCHEDULING.items():
        names = [p.name for p in ROWS[f"amdgpu.{name}"].params]
        bench.b.emit(f"amdgpu.{name}", (), (), **dict(zip(names, values, strict=True)))
        x = bench.b.add(x, bench.b.const(1, i32))
    kept = bench.keep(x)
    got, _, _ = both(bench, kept)
    assert (got == kept).all() and (kept == np.arange(LANES) + len(SCHEDULING)).all()


def test_every_row_of_the_chip_is_executed_here():
    memory = {
        "make_rsrc", "atomic_add", "raw_buffer_load_x1_lds",
        *(f"raw_buffer_{k}_x{n}" for k in ("load", "store") for n in (1, 2, 4)),
    }  # fmt: skip
    here = {r.name.removeprefix("amdgpu.") for r in VALUES} | memory | set(SCHEDULING)
    assert here == {r.name.removeprefix("amdgpu.") for r in ROWS.values() if r.namespace == "amdgpu" and CHIP.has(r)}
