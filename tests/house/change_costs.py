"""What a change costs: each is made in a copy of the sources, in the places that `docs/developing.md` names, and must
work everywhere."""

from __future__ import annotations

import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class Change:
    """`edits`: (file, anchor, text): the text goes in front of the anchor, or to the file's end where that is empty.
    `check`: Python, behind `COMMON`, that fails where the change does not work."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    check: str

    def make(self, src: pathlib.Path) -> None:
        """In a copy of the sources."""
        for file, anchor, text in self.edits:
            path = src / file
            old = path.read_text() if path.exists() else ""
            assert not anchor or old.count(anchor) == 1, (self.name, anchor)
            path.write_text(old.replace(anchor, text + anchor) if anchor else old + text)


COMMON = """
import numpy as np
import avelang, avelang.language as al
from avelang.runtime.compile import compile_text

RNG = np.random.default_rng(1)

def executed(kernel, *args):
    from avelang.ir.text import parse_kernel
    from sim.ptx.executed import Executed
    Executed(parse_kernel(compile_text(kernel, {}, (64, 1, 1), "sm_80", "ir")), (64, 1, 1)).run(args)

def on(kernel, want, *args, tolerance=0.0, **launch):
    out = np.full(len(want), 77, want.dtype)
    kernel[(1,), (64,)](*args, out, **launch)
    with np.errstate(all="ignore"):
        assert np.allclose(out, want, rtol=tolerance, atol=0), (launch, out, want)
"""


def three(row: str, dtype: str) -> str:
    """A kernel that calls a row of three operands."""
    return f"""
@avelang.jit
def {row}(a: al.Pointer(al.{dtype}), b: al.Pointer(al.{dtype}), c: al.Pointer(al.{dtype}), d: al.Pointer(al.{dtype})):
    i, T = al.thread_id(0), al.Tensor((64,), al.{dtype})
    result = al.make_tensor(d, T)
    result[i] = NAMESPACE.{row}(al.make_tensor(a, T)[i], al.make_tensor(b, T)[i], al.make_tensor(c, T)[i])
"""


AMD_ROW = Change("an AMD intrinsic", ((
    "avelang/isa/amdgpu/scalar_rows.py", "# -- 8-bit floats ---", '''
@row("amdgpu.fmed3(a: f32, b: f32, c: f32) -> f32", f"{VOP}, V_MED3_F32", GFX9, llvm="llvm.amdgcn.fmed3.f32",
     lower=lambda b, x, y, z: b.same("max", b.same("min", x, y), b.same("min", b.same("max", x, y), z)))
def fmed3(wave: Wave, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The one in the middle."""
    return np.median(np.stack([a, b, c]), axis=0).astype(np.float32)


'''),), three("fmed3", "f32").replace("NAMESPACE", "al.amdgpu") + """
x = [RNG.standard_normal(64).astype(np.float32) for _ in range(3)]
for launch in ({"backend": "reference"}, {}, {"backend": "gfx942-exec"}, {"backend": "gfx950-exec"}):
    on(fmed3, np.median(np.stack(x), axis=0), *x, **launch)
assert "v_med3_f32" in compile_text(fmed3, {}, (64, 1, 1), "gfx90a", "asm")
""")  # fmt: skip

_PRMT = '''

def _lower_bytes(b, low, high, which):
    out = b.same("xor", low, low)
    for i in range(4):
        k = b.and_(b.shr(which, b.const(4 * i)), b.const(7))
        word = b.select(b.cmp("lt", k, b.const(4)), low, high)
        out = b.or_(out, b.shl(b.and_(b.shr(word, b.shl(b.and_(k, b.const(3)), b.const(3))), b.const(255)), b.const(8 * i)))
    return out


@row("nvvm.prmt(a: u32, b: u32, which: u32) -> u32", "PTX ISA, prmt", SM_75, HOW, lower=_lower_bytes)
def prmt(wave: Machine, a: np.ndarray, b: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Bytes of a and b.

    which: four selectors below 8
    """
    out = np.zeros_like(a)
    for i in range(4):
        k = which >> np.uint32(4 * i) & np.uint32(7)
        out |= (np.where(k < 4, a, b) >> (k & np.uint32(3)) * np.uint32(8) & np.uint32(255)) << np.uint32(8 * i)
    return out
'''
_PRMT_CHECK = (
    three("prmt", "u32").replace("NAMESPACE", "al.nvvm")
    + """
from avelang.isa.nvptx.scalar import prmt as row
_bytes = row.semantics
x = [RNG.integers(0, 1 << 32, 64, dtype=np.uint32) for _ in range(3)]
x[2] &= np.uint32(0x7777)
for launch in ({"backend": "reference"}, {}):
    on(prmt, _bytes(None, *x), *x, **launch)
assert "prmt.b32" in compile_text(prmt, {}, (64, 1, 1), "sm_80", "asm")
out = np.zeros(64, np.uint32)
executed(prmt, *x, out)
assert (out == _bytes(None, *x)).all()
"""
)
NVIDIA_ROWS = tuple(
    Change(
        f"an NVIDIA intrinsic by {what}", (("avelang/isa/nvptx/scalar.py", "", _PRMT.replace("HOW", how)),), _PRMT_CHECK
    )
    for what, how in (
        ("LLVM's name", 'llvm="llvm.nvvm.prmt"'),
        ("PTX text", 'asm="prmt.b32 <out>, <a>, <b>, <which>;"'),
    )
)

# Rows that the package does not have, of other kinds: bytes, lanes, names outside of a vendor's in LLVM.
_MORE_AMD = '''
def _lower_sad(b, x, y, z):
    for i in range(4):
        p, q = (b.and_(b.shr(v, b.const(8 * i)), b.const(255)) for v in (x, y))
        z = b.add(z, b.sub(b.same("max", p, q), b.same("min", p, q)))
    return z


@row("amdgpu.sad_u8(a: u32, b: u32, c: u32) -> u32", f"{VOP}, V_SAD_U8", GFX9, llvm="llvm.amdgcn.sad.u8", lower=_lower_sad)
def sad_u8(wave: Wave, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """c, and the differences of the bytes of a and b without their signs."""
    x, y = (np.ascontiguousarray(v).view(np.uint8).reshape(-1, 4).astype(np.int64) for v in (a, b))
    return (np.abs(x - y).sum(1) + c).astype(np.uint32)


'''
_MORE_NVIDIA = '''

def _lower_brev(b, x, base, lanes):
    out = base
    for i in range(32):
        out = b.xor(out, b.shl(b.and_(b.shr(x, b.const(i)), b.const(1)), b.const(31 - i)))
    return b.add(out, lanes)


def _lower_match(b, x, y, z):
    out = b.and_(b.add(y, z), b.const(0))
    for i in range(32):
        same = b.cmp("eq", b.shuffle("idx", x, b.const(i), 32), x)
        out = b.or_(out, b.select(same, b.const(1 << i), b.const(0)))
    return out


@row("nvvm.reversed3(x: u32, base: u32, lanes: u32) -> u32", "PTX ISA, brev", SM_75, lower=_lower_brev,
     asm="{ .reg .b32 t; brev.b32 t, <x>; xor.b32 t, t, <base>; add.u32 <out>, t, <lanes>; }")
def reversed3(wave: Machine, x: np.ndarray, base: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    """The bits of x in the other order, xored and added to."""
    return (np.array([int(f"{int(v):032b}"[::-1], 2) for v in x], np.uint32) ^ base) + lanes


@row("nvvm.match3(x: u32, y: u32, z: u32) -> u32", "PTX ISA, match", SM_75, asm="match.any.sync.b32 <out>, <x>, 0xffffffff;", lower=_lower_match,
     effects=frozenset({"convergent"}))
def match3(wave: Machine, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The lanes with the same x."""
    return (x[:, None] == x[None, :]) @ (np.uint32(1) << np.arange(32, dtype=np.uint32))
'''
MORE_ROWS = Change("more intrinsics", (
    ("avelang/isa/amdgpu/scalar_rows.py", "# -- 8-bit floats ---", _MORE_AMD), ("avelang/isa/nvptx/scalar.py", "", _MORE_NVIDIA),
), three("sad_u8", "u32").replace("NAMESPACE", "al.amdgpu") + "".join(three(x, "u32").replace("NAMESPACE", "al.nvvm") for x in ("reversed3", "match3")) + """
import avelang.isa.amdgpu.scalar_rows as amd, avelang.isa.nvptx.scalar as nvidia
x = [RNG.integers(0, 1 << 32, 64, dtype=np.uint32) for _ in range(3)]
for launch in ({"backend": "reference"}, {}, {"backend": "gfx942-exec"}, {"backend": "gfx950-exec"}):
    on(sad_u8, amd.sad_u8.semantics(None, *x), *x, **launch)
x[0] %= np.uint32(5)
for kernel, row in ((reversed3, nvidia.reversed3), (match3, nvidia.match3)):
    want = np.concatenate([row.semantics(None, *(v[i : i + 32] for v in x)) for i in (0, 32)])
    for backend in ("reference", "cpu"):
        on(kernel, want, *x, target="sm_80", backend=backend)
    out = np.zeros(64, np.uint32)
    executed(kernel, *x, out)
    assert (out == want).all()
""")  # fmt: skip

_AMD_CHIP = """

AMD = (*AMD, Chip(
    "gfx1201", "amd", 32, frozenset({"gfx12", "gfx1201", "fp8-ocp"}), 64 * KIB, MAX_THREADS, "ocp",
    ComputeUnit(128 * KIB, 1024, waves=16, vgprs=1536, vgpr_granule=24, simds=2),
    SharedMemoryFacts(128, 128, in_order(32, (32, 16, 8, 8)), in_order(32, (32, 16, 8, 8))),
))
"""
CHIPS = Change("chips", (
    ("avelang/arch/amd.py", "", _AMD_CHIP),
    ("avelang/arch/nvidia.py", '    ("sm_100a", 227,', '    ("sm_121a", 99, "ocp", 88, Multiprocessor(1536, 24, 100 * KIB), None),\n'),
), """
@avelang.jit
def turned(x: al.Pointer(al.f32), y: al.Pointer(al.f32)):
    i, T = al.thread_id(0), al.Tensor((64,), al.f32)
    shared = al.make_shared((64,), al.f32)
    shared[i] = al.make_tensor(x, T)[i]
    al.syncthreads()
    v = shared[63 - i]
    result = al.make_tensor(y, T)
    result[i] = al.tanh(v + al.shuffle_xor(v, 1))

x = RNG.standard_normal(64).astype(np.float32)
want = np.tanh(x[::-1] + x[::-1].reshape(-1, 2)[:, ::-1].reshape(-1))
for target, words in (("gfx1201", "amdgcn-amd-amdhsa--gfx1201"), ("sm_121a", ".target sm_121a")):
    assert words in compile_text(turned, {}, (64, 1, 1), target, "asm")
    for backend in ("reference", "cpu"):
        on(turned, want, x, target=target, backend=backend, tolerance=1e-6)
from avelang.arch.occupancy import occupancy, residency
assert occupancy("gfx1201", 256, 96, 32, 0).waves == 16 and residency("sm_121a", 256, 32, 0).blocks == 6
""")  # fmt: skip

FUNCTION = Change("a math function", ((
    "avelang/ir/functions/__init__.py", '        _row("floor", ', """\
        _row("sigmoid", "1 / (1 + e to the -x)", lambda x: 1 / (1 + math.exp(-x)), lambda x: 1 / (1 + np.exp(-x)),
             **dict.fromkeys(("f32", "f64"), lambda m, x: m.div(1.0, m.add(1.0, m.one("exp", m.one("neg", x)))))),
"""),), """
@avelang.jit
def sigmoid(x: al.Pointer(al.f32), y: al.Pointer(al.f32)):
    i, T = al.thread_id(0), al.Tensor((64,), al.f32)
    result = al.make_tensor(y, T)
    result[i] = al.sigmoid(al.make_tensor(x, T)[i]) + (al.sigmoid(0.0) - 0.5)

x = RNG.standard_normal(64).astype(np.float32)
want = (1 / (1 + np.exp(-x.astype(np.float64)))).astype(np.float32)
for launch in ({"backend": "reference"}, {}, {"backend": "gfx942-exec"}):
    on(sigmoid, want, x, tolerance=1e-6, **launch)
out = np.zeros(64, np.float32)
executed(sigmoid, x, out)
assert np.allclose(out, want, rtol=1e-6)
""")  # fmt: skip

PASS = Change("a pass", (
    ("avelang/passes/marked.py", "", '''"""Marks: a kernel comes in; the same kernel with an attribute goes out."""

from avelang.ir.core import Kernel


def marked(kernel: Kernel) -> None:
    kernel.attrs["marked"] = True
    MET.append(kernel.name)


MET: list[str] = []
'''),
    ("avelang/pipeline/__init__.py", "from avelang.passes.simplify import", "from avelang.passes.marked import marked\n"),
    ("avelang/pipeline/__init__.py", "        # In vectors of lanes; of f64", '        ("marked", marked, "addresses"),\n'),
), """
@avelang.jit
def passed(x: al.Pointer(al.f32)):
    result = al.make_tensor(x, al.Tensor((64,), al.f32))
    result[al.thread_id(0)] = 3.0

on(passed, np.full(64, 3, np.float32))
from avelang.passes.marked import MET
assert MET[-1] == "passed"
""")  # fmt: skip

KERNEL = Change("a kernel", (("avelang_kernels/norm/doubled.py", "", '''"""Twice a vector: x, f32 (n,), comes in; y = 2 x goes out."""

import avelang
import avelang.language as al


@avelang.jit
def kernel(x: al.Pointer(al.f32), y: al.Pointer(al.f32)):
    i, T = al.thread_id(0), al.Tensor((64,), al.f32)
    result = al.make_tensor(y, T)
    result[i] = 2.0 * al.make_tensor(x, T)[i]
'''),), """
from avelang_kernels.norm import doubled
x = RNG.standard_normal(64).astype(np.float32)
for launch in ({"backend": "reference"}, {}, {"backend": "gfx942-exec"}):
    on(doubled.kernel, 2 * x, x, **launch)
""")  # fmt: skip

CHANGES = (AMD_ROW, NVIDIA_ROWS[0], MORE_ROWS, CHIPS, FUNCTION, PASS, KERNEL)
