"""Matrix instructions as executed code: against the rows' meaning bit for bit, and against products placed by the
published tables."""

import itertools

import numpy as np
import pytest

from avelang.arch import CHIPS
from avelang.base.errors import AveError
from avelang.ir.types import dtype_of
from avelang.isa.amdgpu.instructions import find, names
from avelang.isa.amdgpu.mfma_rows import DENSE
from avelang.isa.amdgpu.passes import mnemonic
from avelang.isa.row import ROWS, types_on
from avelang.sim.amdgcn.mfma import TABLE, _rows
from isa.amdgpu_waves import LANES, OneWave
from isa.test_amdgpu_mfma_rows import our_name, published_atoms
from sim.amdgcn.programs import run_program

CHIP = CHIPS["gfx942"]
HERE = [r for r in _rows() if CHIP.has(r)]


def words(x: np.ndarray) -> np.ndarray:
    """Fragments (lanes, slots) as registers, uint32 (registers, lanes)."""
    return np.ascontiguousarray(np.ascontiguousarray(x).reshape(LANES, -1).view(np.uint32).T)


def draw(rng, row, which: int, lanes_slots) -> np.ndarray:
    t = dtype_of(types_on(row.params[which], CHIP.features)[0])
    if not t.is_float:
        return rng.integers(-128, 128, lanes_slots).astype(t.np)
    with np.errstate(over="ignore"):
        x = (rng.standard_normal(lanes_slots) * 2.0 ** rng.integers(-6, 6, lanes_slots)).astype(t.np)
    return x


def case(row, rng, attrs: dict[str, int]):
    """The text of the instruction, its registers, and the result that the row means."""
    mma = row.mma
    a, b, c = (draw(rng, row, k, (LANES, f.slots)) for k, f in enumerate((mma.a, mma.b, mma.c)))
    flat = [x if x.shape[1] > 1 else x[:, 0] for x in (a, b, c)]
    index = rng.integers(0, 1 << 32, LANES).astype(np.uint32)
    extra = [index.view(np.int32)] if mma.sparse else []
    want = row.semantics(
        OneWave(chip="gfx942"), *flat, *extra, *(attrs.get(p.name, 0) for p in row.params if p.is_const)
    )
    regs = {"a": words(a), "b": words(b), "c": words(c), **({"i": index[None]} if mma.sparse else {})}
    return regs, words(want.reshape(LANES, -1))


def place(file: str, first: int, count: int) -> str:
    return f"{file}[{first}:{first + count - 1}]" if count > 1 else f"{file}{first}"


def attributes(row, rng) -> dict[str, int]:
    found = {p.name: int(rng.integers(p.range[0], p.range[1] + 1)) for p in row.params if p.is_const}
    return {k: v for k, v in found.items() if v}


@pytest.mark.parametrize("row", HERE, ids=lambda r: r.name.removeprefix("amdgpu."))
def test_bits_are_the_rows(row):
    """Random fragments; A in accumulation registers, modifiers drawn, every second lane inactive (which must not
    matter)."""
    rng = np.random.default_rng()
    attrs = attributes(row, rng)
    regs, want = case(row, rng, attrs)
    n = {k: len(v) for k, v in regs.items()}
    mods = "".join(f" {k}:{v}" for k, v in attrs.items())
    inputs = {place("a", 0, n["a"]): regs["a"], place("v", 32, n["b"]): regs["b"]}
    body, outputs = "", []
    for k, name in enumerate(n for n in names("gfx942") if find(n,
        "gfx942").name == mnemonic(row.name)):  # type: ignore[union-attr]
        d = 64 + 64 * k
        if row.mma.sparse:
            inputs[place("v", d, n["c"])] = regs["c"]
            inputs["v60"] = regs["i"]
            body += f"\t{name} {place('v', d, n['c'])}, {place('a', 0, n['a'])}, {place('v', 32, n['b'])}, v60{mods}\n"
        else:
            inputs[place("a", 64, n["c"])] = regs["c"]
            places = (place("v", d, n["c"]), place("a", 0, n["a"]), place("v", 32, n["b"]), place("a", 64, n["c"]))
            body += f"\t{name} {', '.join(places)}{mods}\n"
        outputs.append(place("v", d, n["c"]))
    r = run_program(body, inputs, exec_mask=0x5555555555555555)
    for out in outputs:
        np.testing.assert_array_equal(np.atleast_2d(r[out]), want)


@pytest.mark.parametrize("d", [d for d in DENSE if CHIP.has(ROWS[f"amdgpu.{d.name}"])], ids=lambda d: d.name)
def test_products_by_the_calculators_formulas(d):
    """Small integers, so that every sum is exact: elements are placed by formulas written from the element to its lane
    (AMD Matrix Instruction Calculator), not by the maps that the executor reads."""
    rng, m = np.random.default_rng(), d.m
    row = ROWS[f"amdgpu.{d.name}"]
    ta, tb, tc = (dtype_of(types_on(p, CHIP.features)[0]).np for p in row.params[:3])
    a, b = rng.integers(-4, 5, (d.blocks, m, d.k)), rng.integers(-4, 5, (d.blocks, d.k, m))
    slots = m * d.k * d.blocks // LANES
    left, right = np.zeros((LANES, slots), ta), np.zeros((LANES, slots), tb)
    per_pass = d.k // d.passes
    run = slots // d.passes
    for block, i, k in itertools.product(range(d.blocks), range(m), range(d.k)):
        lane, slot = i + m * (block + d.blocks * (k % per_pass // run)), k % run + run * (k // per_pass)
        left[lane, slot], right[lane, slot] = a[block, i, k], b[block, k, i]
    n, out = max(1, slots * left.itemsize // 4), m * m * d.blocks * np.dtype(tc).itemsize // 4 // LANES
    text = f"v_{d.name} {place('v', 64, out)}, {place('v', 0, n)}, {place('v', 32, n)}, 0"
    got = np.atleast_2d(
        run_program(text, {place("v", 0, n): words(left), place("v", 32, n): words(right)})[place("v", 64, out)]
    )
    frag = np.ascontiguousarray(got.T).view(tc)
    step = 1 if d.acc == "f64" else 4
    side = 64 // m if m == 4 and step == 4 else d.blocks if m == 4 else 1
    rows = 64 // (m * side)
    want = a @ b
    for block, i, j in itertools.product(range(d.blocks), range(m), range(m)):
        lane = j + m * (block % side) + m * side * (i // step % rows)
        slot = block // side * (m * m // 64) + step * (i // (step * rows)) + i % step
        assert frag[lane, slot] == want[block, i, j], (block, i, j)


def test_results_stand_where_the_published_tables_say():
    """`tensor-layouts` publishes where each lane's results are: one product of each shape, read by its tables."""
    seen = 0
    for atom in published_atoms().values():
        name = our_name(atom.ptx)
        d = next(x for x in DENSE if x.name == name)
        row = ROWS[f"amdgpu.{name}"]
        if not CHIP.has(row):
            continue
        m, n, _ = atom.shape_mnk
        ta, tb, tc = (dtype_of(types_on(p, CHIP.features)[0]).np for p in row.params[:3])
        # Every element of A's row i is i + 1 and every element of B is 1: D's row i is k (i + 1), in every column.
        mma = row.mma
        a, b = np.zeros((LANES, mma.a.slots), ta), np.ones((LANES, mma.b.slots), tb)
        for lane in range(LANES):
            a[lane] = atom.a_layout((lane // n, lane % n), 0) % m % 8 + 1
        size = max(1, mma.a.slots * a.itemsize // 4)
        out = mma.c.slots * np.dtype(tc).itemsize // 4
        regs = {place("v", 0, size): words(a), place("v", 32, size): words(b)}
        got = run_program(f"v_{name} {place('v', 64, out)}, {place('v', 0, size)}, {place('v', 32, size)}, 0", regs)[
            place("v", 64, out)
        ]
        frag = np.ascontiguousarray(np.atleast_2d(got).T).view(tc)
        group = atom.c_layout.shape[1][1]
        for lane, slot in itertools.product(range(LANES), range(mma.c.slots)):
            at = slot % (mma.c.slots if m == 4 else mma.c.slots // d.blocks)
            i = atom.c_layout((lane // n, lane % n), (at // group, at % group)) % m
            assert frag[lane, slot] == d.k * (i % 8 + 1), (name, lane, slot)
        seen += 1
    assert seen >= 25


def test_accumulators_in_place_and_constants():
    rng = np.random.default_rng()
    row = ROWS["amdgpu.mfma_f32_16x16x16_bf16"]
    regs, want = case(row, rng, {})
    inputs = {"v[0:1]": regs["a"], "v[2:3]": regs["b"], "a[4:7]": regs["c"]}
    r = run_program(
        "v_mfma_f32_16x16x16_bf16 a[4:7], v[0:1], v[2:3], a[4:7]\nv_mfma_f32_16x16x16_bf16 v[8:11], v[0:1], v[2:3], "
        "1.0",
        inputs,
    )
    np.testing.assert_array_equal(r["a[4:7]"], want)
    ones = row.semantics(OneWave(), *(x.T.copy().view(t).reshape(LANES, -1) for x, t in ((regs["a"], _bf16()),
        (regs["b"], _bf16()))),
                       np.ones((LANES, 4), np.float32), 0, 0, 0)  # fmt: skip
    np.testing.assert_array_equal(r["v[8:11]"], words(ones))


def _bf16():
    import ml_dtypes

    return ml_dtypes.bfloat16


def test_f64_signs():
    rng = np.random.default_rng()
    row = ROWS["amdgpu.mfma_f64_16x16x4_f64"]
    regs, _ = case(row, rng, {})
    a, b, c = (np.ascontiguousarray(regs[x].T).view(np.float64) for x in "abc")
    want = row.semantics(OneWave(), -a[:, 0], b[:, 0], -c, *(0,) * sum(p.is_const for p in row.params))
    inputs = {"v[0:1]": regs["a"], "v[2:3]": regs["b"], "v[8:15]": regs["c"]}
    r = run_program("v_mfma_f64_16x16x4_f64 v[16:23], v[0:1], v[2:3], v[8:15] neg:[1,0,1]", inputs)
    np.testing.assert_array_equal(r["v[16:23]"], words(want))


def test_fp8_is_the_chips_kind():
    x = np.full((2, LANES), 0x38383838, np.uint32)
    for chip, one in (("gfx942", 0.5), ("gfx950", 1.0)):
        r = run_program("v_mfma_f32_16x16x32_fp8_fp8 v[8:11], v[0:1], v[2:3], 0", {"v[0:1]": x, "v[2:3]": x}, chip=chip)
        assert (r["v[8:11]"].view(np.float32) == 32 * one * one).all()


@pytest.mark.parametrize("text", [
    "v_mfma_f32_32x32x8_bf16 v[0:15], v[16:17], v[18:19], v[20:35] cbsz:1",
    "v_mfma_f32_32x32x8_bf16 v[0:15], v16, v[18:19], v[20:35]",
    "v_mfma_f32_32x32x8_bf16 v[0:15], s[16:17], v[18:19], v[20:35]",
    "v_mfma_f32_32x32x8_bf16 v[0:15], v[16:17], v[18:19], v[20:35] neg:[1,0,0]",
])  # fmt: skip
def test_other_forms_stop(text):
    with pytest.raises(AveError, match="X021"):
        run_program(text)


def test_every_matrix_row_of_the_chip_has_a_handler():
    assert {mnemonic(r.name) for r in HERE} <= TABLE.keys()
