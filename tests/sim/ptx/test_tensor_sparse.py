"""Sparse tcgen05.mma in the executor of PTX: products of a compressed A and its metadata against NumPy."""

import dataclasses
import subprocess

import ml_dtypes
import numpy as np
import pytest

import tools
from avelang.base.errors import AveError
from avelang.isa.nvptx import tcgen05 as t5
from sim.ptx.tensor_programs import Case
from sim.ptx.test_tensor import E2M1, drawn, scale_bytes

STEPS = 2  # instructions: together 128 bytes of a row of B, 64 of A
ROWS = 128  # of a block
PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (2, 1)]  # that the manual's values name, low bits first


@dataclasses.dataclass
class SparseCase(Case):
    """One product. Tensor memory from column 256 on has 16 columns of metadata, then 16 of A."""

    @property
    def deep(self) -> int:
        return STEPS * 2 * t5.DEPTH[self.kind]

    @property
    def allocated(self) -> int:
        return 512

    @property
    def a_columns(self) -> int:
        return 32

    @property
    def halves(self) -> bool:
        return self.kind in ("f16", "tf32")

    def word(self, step: int) -> int:
        """The descriptor: with 16 and 32 bits the selector says which of two columns."""
        d = t5.InstructionDescriptor(self.kind, self.m, self.n, self.a, self.b, self.d, sparse=True,
            selector=step if self.halves else 0, scale=self.scale)  # fmt: skip
        byte = step * self.chunks % 4 if self.size else 0
        return d.word() | byte << 4 | byte << 29

    def text(self) -> str:
        text = self.begun() + self.held() + self.brought() + self.multiplied() + self.read()
        for old, new in self.cut:
            assert old in text, old
            text = text.replace(old, new)
        return text

    def multiplied(self) -> str:
        g = self.group
        desc = t5.smem_descriptor(0, 16, 1024)
        text = f"""
setp.ne.u32 %lead, %rank, 0; or.pred %lead, %lead, %p; @%lead bra ISSUED;
mov.u32 %s, sa; shr.u32 %s, %s, 4; cvt.u64.u32 %da, %s; or.b64 %da, %da, {desc};
mov.u32 %s, sb; shr.u32 %s, %s, 4; cvt.u64.u32 %db, %s; or.b64 %db, %db, {desc};
add.u32 %a0, %tm, 256; add.u32 %at, %tm, 272;
"""
        if self.size:
            text += (f"mov.u32 %s, ss; shr.u32 %s, %s, 4; cvt.u64.u32 %sd, %s; or.b64 %sd, %sd, {t5.smem_descriptor(0, 16, 128, 0)};\n"
                "add.u32 %sa, %tm, 384;\n")  # fmt: skip
            text += (f"tcgen05.cp.cta_group::{g}.32x128b.warpx4 [%sa], %sd; add.u32 %sa, %sa, 4; add.u64 %sd, %sd, 32;\n"
                * (self.factors // 512))  # fmt: skip
        scaled = f".block_scale.scale_vec::{self.size}" if self.size else ""
        for k in range(STEPS):
            at = 384 + k * self.chunks // 4 * 8 if self.size else 0
            text += (f"add.u32 %sa, %tm, {at}; add.u32 %sb, %tm, {at + 4};\n"
                f"setp.ne.u32 %e, {k}, 0; mov.u32 %dt, {self.word(k)}; tcgen05.mma.sp.cta_group::{g}.kind::{self.kind}{scaled} "
                f"[%tm], {'[%at]' if self.at == 'tmem' else '%da'}, %db, [%a0], %dt{', [%sa], [%sb]' if self.size else ''}, %e;\n"
                f"add.s64 %da, %da, 2; add.s64 %db, %db, 4; add.u32 %at, %at, 8; add.u32 %a0, %a0, {0 if self.halves else 2};\n")  # fmt: skip
        commit = ("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [done], %h;"
            if g == 2 else "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];")  # fmt: skip
        return text + f"mov.u16 %h, 3; {commit}\n"


def fields_of(case: SparseCase, where: np.ndarray) -> np.ndarray:
    """The metadata: words (m, 32-bit words along K), the first chunk in the lowest bits. `where`: for each stored
    element (m, k / 2) its place in its chunk."""
    if case.kind == "tf32":
        fields = np.where(where == 1, 0b1110, 0b0100)
    else:
        fields = where[:, ::2] | where[:, 1::2] << 2
    fields = fields.astype(np.uint64).reshape(case.m, -1, 8)
    return (fields << (4 * np.arange(8, dtype=np.uint64))).sum(-1).astype(np.uint32)


def in_columns(case: SparseCase, words: np.ndarray) -> np.ndarray:
    """Metadata words (m, along K) where tensor memory wants them, (blocks, 128 lanes, 16 columns), by loops in the words
    of CUTLASS's layouts: of ((8, 2, 8), (16, 2)) bits, rows 8 further on are 16 bits up, the second half of K eight
    lanes down."""
    out = np.zeros((case.group, ROWS, 16), np.uint32)
    for block in range(case.group):
        for r in range(ROWS):
            for c, word in enumerate(words[block * ROWS + r].tolist()):
                if not case.halves:
                    out[block, r, c] = word
                    continue
                for half in range(2):
                    lane = r // 16 * 16 + r % 8 + 8 * half
                    out[block, lane, c] |= (word >> 16 * half & 0xFFFF) << 16 * (r // 8 % 2)
    return out


def sparse(case: SparseCase, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(A compressed, its places, A with zeros, B)."""
    rng = np.random.default_rng(seed)
    stored, b = drawn(rng, case.a, (case.m, case.deep // 2)), drawn(rng, case.b, (case.n, case.deep))
    chunk = 2 if case.kind == "tf32" else 4
    if chunk == 2:
        where = rng.integers(0, 2, stored.shape)
    else:
        where = np.asarray(PAIRS)[rng.integers(0, len(PAIRS), (case.m, case.deep // 4))].reshape(stored.shape)
    dense = np.zeros((case.m, case.deep), stored.dtype)
    column = np.arange(stored.shape[1]) // (chunk // 2) * chunk + where
    np.put_along_axis(dense, column, stored, axis=1)
    return stored, where, dense, b


def run(case: SparseCase, stored: np.ndarray, words: np.ndarray, b: np.ndarray, **more: object) -> np.ndarray:
    a = np.concatenate([stored, stored[:, ::-1]], axis=1)  # behind 64 bytes: what no instruction may take
    held = np.ascontiguousarray(stored).view(np.uint32).reshape(case.group, ROWS, 16)
    return case.run(a, b, np.concatenate([in_columns(case, words), held], axis=2), **more)


CASES = [
    SparseCase("f16", 128, 32, "bf16", "bf16"), SparseCase("f16", 128, 24, "f16", "f16", "f16"),
    SparseCase("tf32", 128, 16, "tf32", "tf32"), SparseCase("f8f6f4", 128, 40, "e4m3", "e5m2"),
    SparseCase("i8", 128, 16, "s8", "u8", "s32"), SparseCase("f16", 128, 16, "f16", "f16", at="tmem"),
    SparseCase("tf32", 128, 8, "tf32", "tf32", at="tmem"), SparseCase("i8", 128, 32, "u8", "s8", "s32", at="tmem"),
    SparseCase("f16", 256, 32, "bf16", "bf16", group=2), SparseCase("f8f6f4", 256, 32, "e5m2", "e4m3", group=2),
    SparseCase("tf32", 256, 32, "tf32", "tf32", group=2, at="tmem"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.kind}-{c.m}x{c.n}-{c.a}-{c.at}")
def test_sparse_products(case):
    """The stored elements, put where the metadata says, times B."""
    for seed in range(2):
        stored, where, dense, b = sparse(case, seed)
        out = run(case, stored, fields_of(case, where), b, check=("races", "init") if seed else ())
        x, y = dense.astype(np.float64), b.astype(np.float64)
        if case.a == "tf32":
            x, y = ((z.view(np.uint32) & 0xFFFFE000).view(np.float32).astype(np.float64) for z in (dense, b))
        bound = (abs(x) @ abs(y).T) * (2.0**-9 if case.d == "f16" else 2.0**-20)
        assert (abs(case.matrix(out).astype(np.float64) - x @ y.T) <= bound).all()


SCALED = [
    SparseCase("mxf8f6f4", 128, 32, "e4m3", "e5m2", size="1X"), SparseCase("mxf8f6f4", 256, 64, "e5m2", "e4m3", size="1X", group=2),
    SparseCase("mxf4", 128, 64, "e2m1", "e2m1", size="2X"), SparseCase("mxf4nvf4", 128, 32, "e2m1", "e2m1", size="4X",
        scale="ue4m3"), SparseCase("mxf4nvf4", 128, 32, "e2m1", "e2m1", size="2X", at="tmem"),
]  # fmt: skip


@pytest.mark.parametrize("case", SCALED, ids=lambda c: f"{c.kind}-{c.m}x{c.n}-{c.size}-{c.at}")
def test_scaled_sparse_products(case):
    """One, two or four factors along the K of each instruction, which is twice as long as that of a dense one."""
    rng = np.random.default_rng(case.n)
    small = case.kind != "mxf8f6f4"
    where = np.asarray(PAIRS)[rng.integers(0, len(PAIRS), (case.m, case.deep // (8 if small else 4)))].reshape(case.m, -1)
    if small:  # of eight elements two pairs are there
        codes = [rng.integers(0, 16, (rows, k), dtype=np.uint8) for rows, k in ((case.m, case.deep // 2), (case.n, case.deep))]
        stored, b = (c[:, ::2] | c[:, 1::2] << 4 for c in codes)
        values, y = (E2M1[c & 7] * np.where(c & 8, -1, 1) for c in codes)
    else:
        stored, b = drawn(rng, case.a, (case.m, case.deep // 2)), drawn(rng, case.b, (case.n, case.deep))
        values, y = stored.astype(np.float64), b.astype(np.float64)
    run_of, x = 2 if small else 1, np.zeros((case.m, case.deep))
    for r in range(case.m):
        for i, place in enumerate(where[r]):
            to = (i // 2 * 4 + place) * run_of
            x[r, to : to + run_of] = values[r, i * run_of : (i + 1) * run_of]
    count = STEPS * case.chunks
    if case.scale == "ue8m0":
        sf = [rng.integers(120, 134, (rows, 4 * case.chunks), dtype=np.uint8) for rows in (case.m, 128)]
        factor = [np.exp2(f.astype(np.float64) - 127) for f in sf]
    else:
        sf = [rng.integers(0, 0x70, (rows, 4 * case.chunks), dtype=np.uint8) for rows in (case.m, 128)]
        factor = [f.view(ml_dtypes.float8_e4m3fn).astype(np.float64) for f in sf]
    image = [scale_bytes(f[:, 4 * c : 4 * c + 4]) for a in np.split(sf[0], case.group) for c in range(case.chunks)
        for f in (a, sf[1])]  # fmt: skip
    out = run(case, stored, fields_of(case, where), b, sf=np.concatenate(image))
    x, y = (v * np.repeat(f[: len(v), :count], case.deep // count, axis=1) for v, f in zip((x, y), factor, strict=True))
    assert (abs(case.matrix(out) - x @ y.T) <= (abs(x) @ abs(y).T) * 2.0**-20).all()


HALF, BYTE = CASES[0], CASES[4]
HIGH = "add.u32 %a0, %tm, 256;"
# The case, what is cut, what stands there instead, the code and the words of the report.
FAULTS = {
    "metadata of nobody": (HALF, (HIGH, "add.u32 %a0, %tm, 512;"), "X035", "its metadata ends at lane 127, column 512"),
    "metadata that is not allocated": (HALF, ("[slot], 512;", "[slot], 256;"), "X035", "not allocated"),
    "metadata from another lane": (HALF, (HIGH, "add.u32 %a0, %tm, 1048832;"), "X035", "its metadata begins at lane 16"),
    "a selector that bytes do not have": (BYTE, (f"%dt, {BYTE.word(0)};", f"%dt, {BYTE.word(0) + 1};"), "X035",
        "its sparsity selector is 1; kind::i8 has 0 alone"),
    "a selector of no metadata": (HALF, (f"%dt, {HALF.word(1)};", f"%dt, {HALF.word(1) + 1};"), "X031", "selector 2"),
    "metadata from an odd column on": (HALF, (HIGH, "add.u32 %a0, %tm, 257;"), "X031", "an odd column"),
    "64 rows": (HALF, (f"%dt, {HALF.word(0)};", f"%dt, {HALF.word(0) - (4 << 24)};"), "X031", "64 rows in a block"),
    "a dense descriptor": (HALF, (f"%dt, {HALF.word(0)};", f"%dt, {HALF.word(0) - 4};"), "X035", "it says dense"),
    "metadata that is still stored": (HALF, ("tcgen05.wait::st.sync.aligned;", ""), "X033", "where `tcgen05.st.*still runs"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_misuse_of_metadata(name):
    case, cut, code, said = FAULTS[name]
    stored, where, _, b = sparse(case, 0)
    with pytest.raises(AveError, match="(?s)" + said) as caught:
        run(dataclasses.replace(case, cut=(cut,)), stored, fields_of(case, where), b)
    assert caught.value.code == code


@pytest.mark.parametrize("case", [HALF, CASES[2], BYTE], ids=lambda c: c.kind)
def test_metadata_of_no_meaning(case):
    """Each value of 4 bits: those of the manual are taken, the others are reported where they stand."""
    stored, where, _, b = sparse(case, 0)
    words = fields_of(case, where)
    valid = {1 * x + 4 * y for x, y in PAIRS} if case.kind != "tf32" else {0b0100, 0b1110}
    for value in range(16):
        bad = words.copy()
        bad[77, -1] = bad[77, -1] & ~np.uint32(0xF00) | np.uint32(value << 8)
        if value in valid:
            run(case, stored, bad, b)
            continue
        with pytest.raises(AveError, match=f"row 77, field {2 if case.halves else 10} is {value:#06b}") as caught:
            run(case, stored, bad, b)
        assert caught.value.code == "X035"


def test_no_sparse_product_has_k_of_96():
    d = t5.InstructionDescriptor("mxf4", 128, 64, "e2m1", "e2m1", sparse=True, deep=True)
    assert t5.decode_instruction(d.word(), "mxf4") == d and d.fault() == "K of 96 is of dense products alone"
    assert not dataclasses.replace(d, deep=False).fault() and not dataclasses.replace(d, sparse=False).fault()


def test_assembled(tmp_path):
    """ptxas takes the programs."""
    ptxas = tools.need("ptxas")
    for k, case in enumerate(CASES + SCALED):
        source = tmp_path / f"{k}.ptx"
        source.write_text(case.text())
        done = subprocess.run([ptxas, "-arch=sm_100a", str(source), "-o", str(tmp_path / "out")], capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
