"""The NVIDIA rows: fragment maps against a published table and one-hot probes, meanings against NumPy, ldmatrix and
stmatrix by hand."""

from __future__ import annotations

import numpy as np
import pytest

import avelang.isa.nvptx  # noqa: F401  (registers the rows)
from avelang.ir.core import walk
from avelang.ir.dtypes import f16
from avelang.ir.text import parse_kernel
from avelang.ir.types import TensorType, VecType, dtype_of
from avelang.ir.verify import verify
from avelang.isa.row import ROWS, Row, TensorRef
from avelang.passes.lower_rows import lower_rows
from avelang.sim import reference

MMA = [r for r in ROWS.values() if r.namespace == "nvvm" and r.mma]
SIZES = {(r.mma.m, r.mma.n, r.mma.k, dtype_of(r.params[0].type).bits): r for r in MMA}


class FakeWave:
    """A wave over one byte array, as the executor would pass it to a meaning."""

    lanes = 32
    features: frozenset[str] = frozenset()

    def __init__(self, memory: np.ndarray | None = None, active: np.ndarray | None = None):
        self.memory = memory if memory is not None else np.zeros(0, np.uint8)
        self.active = np.ones(32, bool) if active is None else active

    def read(self, space, address, nbytes, mask):
        assert space == "shared"
        out = np.zeros((32, nbytes), np.uint8)
        for lane in np.flatnonzero(mask):
            out[lane] = self.memory[int(address[lane]) : int(address[lane]) + nbytes]
        return out

    def write(self, space, address, data, mask):
        assert space == "shared"
        for lane in np.flatnonzero(mask):
            self.memory[int(address[lane]) : int(address[lane]) + data.shape[1]] = data[lane]


def run(row: Row, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Gathers whole matrices into fragments, runs the row's meaning, scatters D."""
    mma = row.mma

    def held(fragment, matrix, param):
        part = fragment.gather(matrix[None].astype(dtype_of(param.type).np))
        return part if isinstance(param.type, VecType) else part[:, 0]

    d = row.semantics(FakeWave(), *(held(f, x, p) for f, x,
        p in zip((mma.a, mma.b, mma.c), (a, b, c), row.params, strict=True)))
    return mma.c.scatter(d.reshape(32, -1))[0]


def small(rng: np.random.Generator, param, shape: tuple[int, int]) -> np.ndarray:
    """Small integers that every dtype of the table holds exactly."""
    signed = dtype_of(param.type).is_signed
    return rng.integers(-4 if signed else 0, 5, shape).astype(np.int64)


@pytest.mark.parametrize("row", MMA, ids=lambda r: r.name)
def test_product_is_numpys(row: Row):
    rng = np.random.default_rng(3)
    m, n, k = row.mma.m, row.mma.n, row.mma.k
    a, b, c = (small(rng, p, s) for p, s in zip(row.params, ((m, k), (k, n), (m, n)), strict=True))
    np.testing.assert_array_equal(run(row, a, b, c).astype(np.int64), a @ b + c)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_maps_are_a_partition(size):
    mma = SIZES[size].mma
    for fragment in (mma.a, mma.b, mma.c):
        block, row, col = fragment.index
        cells = (np.asarray(block) * fragment.shape[1] + row) * fragment.shape[2] + col
        assert sorted(cells.ravel()) == list(range(np.prod(fragment.shape)))


def published(size):
    """The atom of tensor-layouts with this size and element width, by the spelling of its PTX."""
    nv = pytest.importorskip("tensor_layouts.atoms_nv")
    m, n, k, bits = size
    for atom in vars(nv).values():
        ptx = getattr(atom, "ptx", "")
        if not isinstance(ptx, str) or not ptx.startswith(f"mma.sync.aligned.m{m}n{n}k{k}.row.col"):
            continue
        kind = ptx.split(".")[-3]
        if {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "e4m3": 8, "e5m2": 8}.get(kind) == bits:
            return atom
    return None


# The table has no fp8 instruction with k = 16; its layout is that of the integer one, which it has.
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_maps_are_the_published_ones(size):
    atom = published(size)
    assert atom is not None
    m, n, _, _ = size
    mma = SIZES[size].mma
    operands = ((mma.a, atom.a_layout, m, False), (mma.b, atom.b_layout, n, True), (mma.c, atom.c_layout, m, False))
    for fragment, layout, rows, transposed in operands:
        _, row, col = fragment.index
        first, second = (col, row) if transposed else (row, col)
        for t in range(32):
            for v in range(fragment.slots):
                assert layout(t, v) == first[t, v] + rows * second[t, v], (t, v)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_one_hot_probe(size):
    """A one in one slot of A meets a B of distinct numbers: D shows where the slot stands. Then the same for B."""
    row = SIZES[size]
    mma, (pa, pb, pc) = row.mma, row.params
    zeros = [np.zeros((32, f.slots), dtype_of(p.type).np) for f, p in ((mma.a, pa), (mma.b, pb), (mma.c, pc))]
    for which, fragment in ((0, mma.a), (1, mma.b)):
        other = mma.b if which == 0 else mma.a
        # Rows of the other operand are told apart by k alone: 1, 2, 3 ... (exact in all the dtypes up to 8; compared
        # modulo 8).
        k_axis = other.index[1] if which == 0 else other.index[2]
        marks = ((k_axis % 8) + 1).astype(zeros[1 - which].dtype)
        _, r, c = fragment.index
        for lane in range(0, 32, 3):
            for slot in range(fragment.slots):
                probe = zeros[which].copy()
                probe[lane, slot] = 1
                args = [probe, marks, zeros[2]] if which == 0 else [marks, probe, zeros[2]]
                args = [x if isinstance(p.type, VecType) else x[:, 0] for x, p in zip(args, row.params, strict=True)]
                d = mma.c.scatter(row.semantics(FakeWave(), *args).reshape(32, -1))[0].astype(np.int64)
                k = int((c if which == 0 else r)[lane, slot])
                want = np.zeros_like(d)
                if which == 0:
                    want[int(r[lane, slot]), :] = k % 8 + 1
                else:
                    want[:, int(c[lane, slot])] = k % 8 + 1
                np.testing.assert_array_equal(d, want)


def test_f32_accumulates_in_order_of_k():
    row = ROWS["nvvm.mma_16x8x16_f16_f32"]
    a, b = np.ones((16, 16)), np.ones((16, 8))
    c = np.full((16, 8), 2.0**24)
    # each 1 is lost, one after another; added first they would give 2**24 + 16
    assert (run(row, a, b, c) == 2.0**24).all()
    row = ROWS["nvvm.mma_16x8x16_f16_f16"]
    assert (run(row, a, b, np.full((16, 8), 2048.0)) == 2064.0).all()  # rounded to f16 once, at the end


def test_products_are_not_rounded():
    row = ROWS["nvvm.mma_16x8x8_f16_f32"]
    x = np.float16(1 + 2**-10)
    a, b = np.zeros((16, 8)), np.zeros((8, 8))
    a[0, 0] = b[0, 0] = x
    assert run(row, a, b, np.zeros((16, 8)))[0, 0] == np.float32(x) * np.float32(x) != np.float16(x * x)


def test_tf32_ignores_the_low_bits():
    row = ROWS["nvvm.mma_16x8x8_tf32_f32"]
    a, b = np.zeros((16, 8), np.float32), np.zeros((8, 8), np.float32)
    a[0, 0], b[0, 0] = np.float32(1 + 2**-10 + 2**-11 + 2**-20), 1
    assert run(row, a, b, np.zeros((16, 8)))[0, 0] == np.float32(1 + 2**-10)


def test_integers_wrap():
    row = ROWS["nvvm.mma_8x8x16_i8_i32"]
    d = run(row, np.full((8, 16), 1), np.full((16, 8), 1), np.full((8, 8), 2**31 - 1))
    assert (d == -(2**31) + 15).all()


def test_fp8_not_a_number_and_infinity():
    row = ROWS["nvvm.mma_16x8x32_e5m2_f32"]
    a, b = np.zeros((16, 32)), np.zeros((32, 8))
    a[0, 0], a[1, 0], b[0, :] = np.inf, np.nan, 1
    d = run(row, a, b, np.zeros((16, 8)))
    assert np.isinf(d[0]).all() and np.isnan(d[1]).all() and (d[2:] == 0).all()


# -- ldmatrix, stmatrix ------------------------------------------------------------------------------------------------


def place(starts: np.ndarray) -> TensorRef:
    return TensorRef("shared", starts.astype(np.uint64), TensorType(f16, (8,), (1,), "shared"))


def tiles(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct halves in `count` 8x8 matrices whose rows lie scattered in memory: (matrices, memory, address of each
    lane's row)."""
    rng = np.random.default_rng(count)
    matrices = rng.permutation(count * 64).astype(np.uint16).reshape(count, 8, 8)
    slots = rng.permutation(40)[: count * 8]  # a row in every slot of 16 bytes, in no order
    memory = np.zeros(40 * 16, np.uint8)
    starts = np.zeros(32, np.int64)
    for j in range(count):
        for r in range(8):
            at = 16 * slots[8 * j + r]
            memory[at : at + 16] = matrices[j, r].view(np.uint8)
            starts[8 * j + r] = at
    return matrices, memory, starts


@pytest.mark.parametrize("trans", [False, True], ids=["plain", "trans"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix(count: int, trans: bool):
    matrices, memory, starts = tiles(count)
    row = ROWS[f"nvvm.ldmatrix_m8n8_x{count}_b16" + "_trans" * trans]
    words = row.semantics(FakeWave(memory), place(starts)).reshape(32, count)
    for lane in range(32):
        for j in range(count):
            m = matrices[j].T if trans else matrices[j]
            low, high = m[lane // 4, 2 * (lane % 4)], m[lane // 4, 2 * (lane % 4) + 1]
            assert int(words[lane, j]) & 0xFFFFFFFF == int(low) | int(high) << 16


@pytest.mark.parametrize("trans", [False, True], ids=["plain", "trans"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_stmatrix_undoes_ldmatrix(count: int, trans: bool):
    matrices, memory, starts = tiles(count)
    name = f"matrix_m8n8_x{count}_b16" + "_trans" * trans
    words = ROWS[f"nvvm.ld{name}"].semantics(FakeWave(memory), place(starts))
    after = FakeWave(np.zeros_like(memory))
    ROWS[f"nvvm.st{name}"].semantics(after, place(starts), words)
    np.testing.assert_array_equal(after.memory, memory)
    assert after.memory.any()


# One warp: rows of 16 bytes from global memory to shared memory, the row under test, and back. Lanes name each other's
# rows: lane ^ 5.
_KERNEL = """kernel @k(%x: tensor<u16, (32, 8):(8, 1), global>, %w: tensor<i32, (32, COUNT):(COUNT, 1), global>, \
%y: tensor<u16, (32, 8):(8, 1), global>, %o: tensor<i32, (32, COUNT):(COUNT, 1), global>) {"wave": 32, "chip": "sm_90a"} {
  %t = thread_id {'dim': 0} : u32
  %zero = const {'value': 0} : u32
  %five = const {'value': 5} : u32
  %named = xor(%t, %five) : u32
  %s = alloc {'name': 's', 'align': 16} : tensor<u16, (32, 8):(8, 1), shared>
  %v = load(%x, %t) : vec<8 x u16>
  store(%v, %s, %t)
  barrier
  %r = subview(%s, %named, %zero) : tensor<u16, (1, 8):(8, 1), shared>
  %data = load(%w, %t, LAST) : TYPE
  OP
  store(%words, %o, %t, LAST)
  barrier
  %after = load(%s, %t) : vec<8 x u16>
  store(%after, %y, %t)
}
"""


@pytest.mark.parametrize("name", [r.name for r in ROWS.values() if "matrix_m8n8" in r.name])
def test_the_expansion_means_the_same(name: str):
    """The reference runs the row by its meaning, then the kernel in which the row is expanded to primitive ops."""
    count = int(name.split("_x")[1][0])
    ty = "i32" if count == 1 else f"vec<{count} x i32>"
    op = (f"%words = {name}(%r) : {ty}" if "ldmatrix" in name else f"{name}(%r, %data)\n  %words = or(%data, %data) : "
        f"{ty}")
    text = _KERNEL.replace("COUNT", str(count)).replace("OP", op).replace("TYPE", ty).replace(", LAST", ", %zero"
        if count == 1 else "")
    rng = np.random.default_rng(11)
    x, w = rng.integers(0, 1 << 16, (32, 8)).astype(np.uint16), rng.integers(0, 1 << 31, (32, count)).astype(np.int32)
    results = []
    for lowered in (False, True):
        kernel = parse_kernel(text)
        if lowered:
            lower_rows(kernel, lambda row: False, frozenset())
            assert all(op.name != name for op in walk(kernel.body))
        verify(kernel)
        y, o = np.zeros_like(x), np.zeros_like(w)
        reference.run(kernel, [x, w, y, o], 1, 32)
        results.append((y, o))
    for meant, got in zip(*results, strict=True):
        np.testing.assert_array_equal(meant, got)
    assert (results[0][0] != x).any() if "stmatrix" in name else (results[0][1] != 0).any()


def test_public_names_of_the_specification():
    names = ["mma_16x8x16_f16_f16", "mma_16x8x8_f16_f32"]
    names += [f"{w}matrix_m8n8_x{n}_b16{t}" for w in ("ld", "st") for n in (1, 2, 4) for t in ("", "_trans")]
    assert all(f"nvvm.{n}" in ROWS for n in names)


def test_needs():
    names = ("mma_16x8x8_f16_f32", "mma_16x8x16_f16_f16", "mma_16x8x32_e4m3_f32", "stmatrix_m8n8_x4_b16")
    assert [ROWS[f"nvvm.{n}"].needs for n in names] == [{"sm_75"}, {"sm_80"}, {"sm_89"}, {"sm_90"}]
