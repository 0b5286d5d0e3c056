"""MFMA rows: fragment maps against what AMD and others publish, meanings against NumPy and one-hot probes, names
against LLVM's selection."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys

import llvmlite.binding as llvm
import numpy as np
import pytest

from avelang.arch import CHIPS, chip
from avelang.ir.dtypes import f32
from avelang.ir.types import VecType, dtype_of
from avelang.isa.amdgpu.mfma_rows import DENSE, F8F6F4
from avelang.isa.amdgpu.sparse import SPARSE
from avelang.isa.lowering import spelling
from avelang.isa.row import PUBLIC, ROWS, Row, in_range, types_on
from isa.amdgpu_waves import LANES, OneWave

AMD = [c for c in CHIPS.values() if c.vendor == "amd"]
BY_NAME = {d.name: d for d in DENSE}


def row_of(d) -> Row:
    return ROWS[f"amdgpu.{d.name}"]


def ids(d) -> str:
    return d.name


def types_for(row: Row, chip_name: str = "gfx942"):
    return [dtype_of(types_on(p, CHIPS[chip_name].features)[0]).np for p in row.params[:3]]


def matrices(d, rng, chip_name="gfx942"):
    """Random A, B, C of a row, as (blocks, m, k), (blocks, k, m), (blocks, m, m)."""
    ta, tb, tc = types_for(row_of(d), chip_name)
    shapes = ((d.blocks, d.m, d.k), (d.blocks, d.k, d.m), (d.blocks, d.m, d.m))
    draw = (lambda s: rng.integers(-100, 100, s)) if d.acc == "i32" else rng.standard_normal
    return [np.asarray(draw(s)).astype(t) for s, t in zip(shapes, (ta, tb, tc), strict=True)]


def held(row: Row, which: str, matrix: np.ndarray) -> np.ndarray:
    """A matrix as the operand of the meaning: (lanes,) where a lane has one element."""
    part = getattr(row.mma, which).gather(matrix)
    return part if part.shape[1] > 1 else part[:, 0]


def compute(d, a, b, c, *consts, chip_name="gfx942"):
    row = row_of(d)
    out = row.semantics(
        OneWave(chip=chip_name), held(row, "a", a), held(row, "b", b), held(row, "c", c), *(consts or (0, 0, 0))
    )
    return row.mma.c.scatter(out.reshape(LANES, -1))


# -- the maps ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "d", (*DENSE, *SPARSE), ids=lambda d: f"{d.acc}_{d.m}x{d.k}_{d.inputs}_{getattr(d, 'blocks', 'sparse')}"
)
def test_maps_are_one_to_one(d):
    mma = d.mma if d in SPARSE else row_of(d).mma
    for f in (mma.a, mma.b, mma.c):
        places = set(zip(*(x.ravel().tolist() for x in f.index), strict=True))
        assert len(places) == f.lanes * f.slots == np.prod(f.shape)


PUBLISHED = {
    "v_mfma_f32_32x32x8f16": "mfma_f32_32x32x8_f16", "v_mfma_f32_16x16x16f16": "mfma_f32_16x16x16_f16",
    "v_mfma_f32_4x4x4f16": "mfma_f32_4x4x4_16b_f16", "v_mfma_f32_32x32x4f16": "mfma_f32_32x32x4_2b_f16",
    "v_mfma_f32_16x16x4f16": "mfma_f32_16x16x4_4b_f16", "v_mfma_f64_16x16x4f64": "mfma_f64_16x16x4_f64",
}  # fmt: skip


def published_atoms():
    atoms_amd = pytest.importorskip("tensor_layouts.atoms_amd")
    return {name: atom for name, atom in vars(atoms_amd).items() if name.startswith("CDNA") and name.endswith("_MFMA")}


def our_name(inst: str) -> str:
    """v_mfma_f32_32x32x8bf16_1k -> mfma_f32_32x32x8_bf16."""
    if inst in PUBLISHED:
        return PUBLISHED[inst]
    acc, shape, kind = re.fullmatch(r"v_mfma_(f32|i32|f64)_(\d+x\d+x\d+)_?(.+?)(?:_1k)?", inst).groups()
    return f"mfma_{acc}_{shape}_{kind}"


def test_accumulators_and_rows_are_the_published_ones():
    """The package's layouts are read at nested coordinates (lane / n, lane % n) and (group of rows, row in the group),
    as its text defines them. Its A and B give the row and the run of k only: it leaves out which run a lane has."""
    seen = set()
    for atom in published_atoms().values():
        d = BY_NAME[our_name(atom.ptx)]
        mma = row_of(d).mma
        m, n, _ = atom.shape_mnk
        group = atom.c_layout.shape[1][1]
        block, row, col = mma.c.index
        for lane, slot in itertools.product(range(LANES), range(mma.c.slots)):
            if d.blocks > 1 and d.m > 4 and block[lane, slot]:
                continue  # one block is published
            at = slot % (mma.c.slots if d.m == 4 else mma.c.slots // d.blocks)
            want = atom.c_layout((lane // n, lane % n), (at // group, at % group))
            across = col[lane, slot] + (4 * block[lane, slot] if d.m == 4 else 0)
            assert want == row[lane, slot] + across * m, (atom.ptx, lane, slot)
        for lane in range(LANES):
            assert mma.a.index[1][lane, 0] % m == atom.a_layout((lane // n, lane % n), 0) % m
        assert (np.diff(mma.a.index[2], axis=1) == 1).all()
        seen.add(d.name)
    assert len(seen) >= 30


# AMD Matrix Instruction Calculator, --detail-instruction, "Register to matrix element mapping": A's k, and where D's
# rows are, in its words.
CALCULATOR = {
    "mfma_f32_32x32x8_f16": (
        "4 * (lane // 32) + 2 * gpr + bits // 16",
        16,
        "(8 * (gpr // 4) % 32) + 4 * (lane // 32) + (gpr % 4)",
    ),
    "mfma_f32_16x16x32_fp8_fp8": ("8 * (lane // 16) + 4 * gpr + bits // 8", 8, "4 * (lane // 16) + (gpr % 4)"),
    "mfma_f32_4x4x1_16b_f32": ("0", 32, "gpr % 4"),
}


@pytest.mark.parametrize("name", CALCULATOR)
def test_maps_are_the_calculators(name):
    k, bits_each, i = CALCULATOR[name]
    mma = ROWS[f"amdgpu.{name}"].mma
    for lane, slot in itertools.product(range(LANES), range(mma.a.slots)):
        gpr, bits = divmod(slot * bits_each, 32)
        want = eval(k, {"lane": lane, "gpr": gpr, "bits": bits})
        assert mma.a.index[2][lane, slot] == want == mma.b.index[1][lane, slot]
        assert mma.a.index[1][lane, slot] == lane % mma.m == mma.b.index[2][lane, slot]
    for lane, gpr in itertools.product(range(LANES), range(mma.c.slots)):
        assert mma.c.index[1][lane, gpr] == eval(i, {"lane": lane, "gpr": gpr})
        assert mma.c.index[2][lane, gpr] == lane % mma.n


def test_the_calculators_examples():
    """README of the AMD Matrix Instruction Calculator: A[1][2].B4 = v1{17}.[15:0]; D[3][2].B1 = v3{6} of
    v_mfma_f32_4x4x4f16."""
    mma = ROWS["amdgpu.mfma_f32_4x4x4_16b_f16"].mma
    assert [int(x[17, 2]) for x in mma.a.index] == [4, 1, 2]
    assert [int(x[6, 3]) for x in mma.c.index] == [1, 3, 2]


@pytest.mark.parametrize("d", DENSE, ids=ids)
def test_maps_inverted(d):
    """Written the other way round, from the element to its place: A's lane is row + m (block + blocks (k / run)); D's
    rows go four (f64: one) to a lane, then to the next lanes that hold the same block's columns, then to the next
    slots."""
    mma, m = row_of(d).mma, d.m
    per_lane, k_pass = mma.a.slots // d.passes, d.k // d.passes
    for block, i, k in itertools.product(range(d.blocks), range(m), range(d.k)):
        lane, slot = i + m * (block + d.blocks * (k % k_pass // per_lane)), k % per_lane + per_lane * (k // k_pass)
        assert tuple(int(x[lane, slot]) for x in mma.a.index) == (block, i, k)
        assert tuple(int(x[lane, slot]) for x in mma.b.index) == (block, k, i)
    run = 1 if d.acc == "f64" else 4
    side_by_side = 64 // m if m == 4 and run == 4 else d.blocks if m == 4 else 1
    rows_at_once = 64 // (m * side_by_side)
    for block, i, j in itertools.product(range(d.blocks), range(m), range(m)):
        lane = j + m * (block % side_by_side) + m * side_by_side * (i // run % rows_at_once)
        slot = block // side_by_side * (m * m // 64) + run * (i // (run * rows_at_once)) + i % run
        assert tuple(int(x[lane, slot]) for x in mma.c.index) == (block, i, j), (block, i, j)


# -- the meaning -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", DENSE, ids=ids)
def test_one_hot(d):
    """A has a single one, B numbers its rows: D shows A's place in its row, and B's row across it."""
    rng = np.random.default_rng(1)
    ta, tb, tc = types_for(row_of(d))
    for _ in range(4):
        block, i, k = (int(rng.integers(x)) for x in (d.blocks, d.m, d.k))
        a = np.zeros((d.blocks, d.m, d.k), ta)
        a[block, i, k] = 1
        b = rng.integers(-8, 8, (d.blocks, d.k, d.m)).astype(tb)
        got = compute(d, a, b, np.zeros((d.blocks, d.m, d.m), tc))
        want = np.zeros_like(got)
        want[block, i] = b[block, k].astype(tc)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("d", DENSE, ids=ids)
def test_random_product(d):
    a, b, c = matrices(d, np.random.default_rng(2))
    got = compute(d, a, b, c)
    if d.acc == "i32":
        np.testing.assert_array_equal(got, a.astype(np.int64) @ b.astype(np.int64) + c)
        return
    if d.a == "xf32":
        a, b = ((x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32) for x in (a, b))
    exact = a.astype(np.float64) @ b.astype(np.float64) + c
    np.testing.assert_allclose(got, exact, rtol=0, atol=d.k * (2e-16 if d.acc == "f64" else 1e-7) * 40)
    assert got.dtype == (np.float64 if d.acc == "f64" else np.float32)


def test_integers_wrap():
    d = BY_NAME["mfma_i32_16x16x32_i8"]
    a, b = np.full((1, 16, 32), -128, np.int8), np.full((1, 32, 16), -128, np.int8)
    c = np.full((1, 16, 16), 2**31 - 1, np.int32)
    assert (compute(d, a, b, c) == -(2**31) + 32 * 128 * 128 - 1).all()


def test_products_are_fused_in_order_of_k():
    """1 + 2^-24 rounds to 1 at each step in order; 2^-24 twice, then 1, would not. A fused product keeps what a rounded
    one loses."""
    d = BY_NAME["mfma_f32_16x16x4_f32"]
    a, b, c = (np.zeros(s, np.float32) for s in ((1, 16, 4), (1, 4, 16), (1, 16, 16)))
    a[0, 0], b[0, :, 0] = (1, 2**-24, 2**-24, 0), (1, 1, 1, 1)
    assert compute(d, a, b, c)[0, 0, 0] == 1
    a[0, 0], b[0, :, 0], c[0, 0, 0] = (1 + 2**-12, 0, 0, 0), (1 + 2**-12, 0, 0, 0), -1 - 2**-11
    assert compute(d, a, b, c)[0, 0, 0] == 2**-24


def test_xf32_truncates():
    d = BY_NAME["mfma_f32_16x16x8_xf32"]
    a, b, c = (np.zeros(s, np.float32) for s in ((1, 16, 8), (1, 8, 16), (1, 16, 16)))
    a[0, 0, 0], b[0, 0, 0] = np.float32(1 + 2**-10 + 2**-11 + 2**-12), 1
    assert compute(d, a, b, c)[0, 0, 0] == 1 + 2**-10


@pytest.mark.parametrize("name", ["mfma_f32_16x16x32_fp8_bf8", "mfma_f32_32x32x16_bf8_fp8"])
@pytest.mark.parametrize("chip_name", ["gfx942", "gfx950"])
def test_fp8_kinds(name, chip_name):
    d = BY_NAME[name]
    a, b, c = matrices(d, np.random.default_rng(5), chip_name)
    assert ("fnuz" in str(a.dtype)) == (chip_name == "gfx942")
    exact = a.astype(np.float64) @ b.astype(np.float64) + c
    np.testing.assert_allclose(compute(d, a, b, c, chip_name=chip_name), exact, atol=1e-4)


# -- cbsz, abid, blgp --------------------------------------------------------------------------------------------------

MANY = [d for d in DENSE if d.blocks > 1 and d.acc != "f64"]


@pytest.mark.parametrize("d", MANY, ids=ids)
def test_cbsz_shares_blocks_of_a(d):
    """For 16 blocks, cbsz 2 and abid 1 give block 1 to blocks 0-3, block 5 to blocks 4-7, and so on (ROCm
    documentation, common MFMA parameters)."""
    a, b, c = matrices(d, np.random.default_rng(3))
    for cbsz in range(d.blocks.bit_length()):
        for abid in {0, (1 << cbsz) - 1, min(1, (1 << cbsz) - 1)}:
            group = 1 << cbsz
            shared = a[[x // group * group + abid for x in range(d.blocks)]]
            np.testing.assert_array_equal(compute(d, a, b, c, cbsz, abid, 0), compute(d, shared, b, c))


@pytest.mark.parametrize("name", ["mfma_f32_16x16x16_f16", "mfma_f32_32x32x4_2b_bf16", "mfma_i32_4x4x4_16b_i8"])
def test_blgp_moves_lanes_of_b(name):
    d = BY_NAME[name]
    row = row_of(d)
    a, b, c = (held(row, w, x) for w, x in zip("abc", matrices(d, np.random.default_rng(4)), strict=True))
    quarter = {4: 0, 5: 1, 6: 2, 7: 3}
    for blgp in range(8):
        moved = b.copy()
        for lane in range(64):
            if blgp in (1, 2):
                source = lane % 32 + 32 * (blgp - 1)
            elif blgp == 3:
                source = (lane + 16) % 64  # lane 0's data goes to lane 48, lane 16's to lane 0
            else:
                source = lane % 16 + 16 * quarter[blgp] if blgp else lane
            moved[lane] = b[source]
        got = row.semantics(OneWave(), a, b, c, 0, 0, blgp)
        np.testing.assert_array_equal(got, row.semantics(OneWave(), a, moved, c, 0, 0, 0))


def test_modifiers_are_refused_where_they_mean_nothing():
    limits = {d.name: {p.name: p for p in row_of(d).params if p.is_const} for d in DENSE}
    assert not in_range(limits["mfma_f32_32x32x8_bf16"]["cbsz"], 1)
    assert in_range(limits["mfma_f32_32x32x8_bf16"]["blgp"], 7)
    assert in_range(limits["mfma_f32_4x4x1_16b_f32"]["cbsz"], 4)
    assert not in_range(limits["mfma_f32_4x4x1_16b_f32"]["cbsz"], 5)
    assert not in_range(limits["mfma_f32_16x16x32_fp8_fp8"]["blgp"], 1)
    assert not in_range(limits["mfma_f64_16x16x4_f64"]["blgp"], 1)


# -- names, chips, LLVM ------------------------------------------------------------------------------------------------


def test_the_names_that_users_know():
    names = (
        "mfma_16x16x16_f16_f32 mfma_16x16x16_bf16_f32 mfma_f32_16x16x16_bf16 mfma_32x32x8_bf16_f32 "
        "mfma_f32_32x32x8_bf16"
    )
    for name in names.split():
        assert PUBLIC[f"amdgpu.{name}"].mma
    assert PUBLIC["amdgpu.mfma_32x32x8_bf16_f32"] is PUBLIC["amdgpu.mfma_f32_32x32x8_bf16"]
    a, b, c = PUBLIC["amdgpu.mfma_32x32x8_bf16_f32"].params[:3]
    assert (str(a.type), str(b.type), str(c.type)) == ("vec<4 x bf16>", "vec<4 x bf16>", "vec<16 x f32>")
    assert a.packed and c.type == VecType(f32, 16)


def _llvm_type(t) -> str:
    scalar = {"f32": "float", "f64": "double", "i32": "i32"}[dtype_of(t).name]
    return f"<{t.n} x {scalar}>" if isinstance(t, VecType) else scalar


def _machine(name: str):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple("amdgcn-amd-amdhsa").create_target_machine(cpu=name)


@pytest.fixture(scope="module")
def machines():
    return {c.name: _machine(c.name) for c in AMD}


def selected(machine, name: str, result: str, operands: list[str], tail: str = "i32 0, i32 0, i32 0") -> str | None:
    """The mnemonic that LLVM selects for a call of an intrinsic with these operand types; None where it cannot."""
    params = ", ".join(operands + re.sub(r" \d+", "", tail).split(", "))
    given = ", ".join(f"{t} %x{i}" for i, t in enumerate(operands))
    text = f"""target triple = "amdgcn-amd-amdhsa"
        declare {result} @{name}({params})
        define amdgpu_kernel void @k(ptr addrspace(1) %p, {given}) {{
          %r = call {result} @{name}({given}, {tail})
          store {result} %r, ptr addrspace(1) %p
          ret void
        }}"""
    module = llvm.parse_assembly(text)
    module.verify()
    found = re.search(r"\tv_(s?mfma[cm]?\w*)", machine.emit_assembly(module))
    return found.group(1) if found else None


def tail(d) -> str:
    """The const operands of the intrinsic."""
    if d.passes == 1:
        return "i32 0, i32 0, i32 0"
    return f"i32 {F8F6F4[d.a]}, i32 {F8F6F4[d.b]}, i32 0, i32 0, i32 0, i32 0"


def test_order_of_k_in_the_8_bit_instruction_of_gfx950():
    """The AMD article's code for 32x32x64: a_reg[16 i + j] = A[lane % 32][16 (lane / 32) + 32 i + j]."""
    mma = ROWS["amdgpu.mfma_f32_32x32x64_fp8_fp8"].mma
    for lane, i, j in itertools.product(range(LANES), range(2), range(16)):
        assert [int(x[lane, 16 * i + j]) for x in mma.a.index] == [0, lane % 32, 16 * (lane // 32) + 32 * i + j]
        assert [int(x[lane, 16 * i + j]) for x in mma.b.index] == [0, 16 * (lane // 32) + 32 * i + j, lane % 32]


# On a chip without an instruction LLVM's selection aborts the process, so only the chips that a row names are asked.
@pytest.mark.parametrize("d", DENSE, ids=ids)
def test_llvm_selects_it(d, machines):
    row = row_of(d)
    result = _llvm_type(row.params[2].type)
    chips = [c.name for c in AMD if c.has(row)]
    assert chips
    for name in chips:
        got = selected(machines[name], spelling(row.llvm["amdgpu"]), result, [d.words, d.words, result], tail(d))
        assert got, name
        if d.passes > 1:
            assert got == f"mfma_f32_{d.shape}_f8f6f4"
            continue
        plain = f"mfma{d.acc}{d.m}x{d.m}x{d.k}{d.inputs}".replace("_", "")
        assert re.sub(r"_1k|_(\d+b)(?=_)|_", "", got) == plain, (name, got)


def test_llvm_cannot_select_it_elsewhere():
    """The other direction: on every AMD chip that a row does not name, LLVM fails. It ends the process then, so each
    try is a process of its own."""
    script = f"""
import os, sys
sys.path[:0] = {sys.path!r}
from isa.test_amdgpu_mfma_rows import AMD, DENSE, _llvm_type, _machine, row_of, selected, tail
machines, wrong = {{c.name: _machine(c.name) for c in AMD}}, []
for d in DENSE:
    row = row_of(d)
    result = _llvm_type(row.params[2].type)
    for c in AMD:
        if c.has(row):
            continue
        pid = os.fork()
        if pid == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            name, words = spelling(row.llvm["amdgpu"]), [d.words, d.words, result]
            os._exit(0 if selected(machines[c.name], name, result, words, tail(d)) else 1)
        if os.waitpid(pid, 0)[1] == 0:
            wrong.append((d.name, c.name))
print("checked", wrong)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "checked []", done.stdout + done.stderr[-2000:]


def test_chips_have_what_their_generation_has():
    def has(name: str) -> set[str]:
        return {c.name for c in AMD if c.has(PUBLIC[f"amdgpu.{name}"])}

    assert has("mfma_f32_32x32x8_bf16") == has("mfma_f64_4x4x4_4b_f64") == {"gfx90a", "gfx942", "gfx950"}
    assert has("mfma_f32_32x32x4_bf16") == has("mfma_i32_32x32x8_i8") == {"gfx90a"}
    assert has("mfma_f32_16x16x8_xf32") == {"gfx942"}
    assert has("mfma_f32_16x16x32_fp8_fp8") == has("mfma_i32_32x32x16_i8") == {"gfx942", "gfx950"}
    assert has("mfma_f32_16x16x32_f16") == has("mfma_i32_16x16x64_i8") == {"gfx950"}
    assert not chip("sm_80").has(PUBLIC["amdgpu.mfma_f32_32x32x8_bf16"])
