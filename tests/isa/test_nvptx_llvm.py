"""The NVIDIA rows' LLVM and PTX spellings: LLVM selects each for the least chip that has it; an NVIDIA GPU, if any,
runs them."""

from __future__ import annotations

import ctypes
import dataclasses

import llvmlite.binding as llvm
import numpy as np
import pytest

import avelang.isa.nvptx  # noqa: F401  (registers the rows)
from avelang.ir.types import VecType, dtype_of
from avelang.isa.lowering import AMONG, spelling
from avelang.isa.row import ROWS, Param, Row, bits
from avelang.nvptx import nodes as n
from avelang.nvptx.lint import WARNINGS, lint
from avelang.nvptx.parse import parse
from avelang.nvptx.readings import entry_of
from isa.nvptx_rows import NAMED

NVVM = [r for r in ROWS.values() if r.namespace == "nvvm" and (r.mma or "matrix_m8n8" in r.name)]
MMA = [r for r in NVVM if r.mma]
MATRIX = [r for r in NVVM if "matrix_m8n8" in r.name]


def register(p: Param) -> tuple[str, int, int]:
    """The LLVM type of one register of a parameter, its bytes, and how many a lane holds (LLVM's IntrinsicsNVVM.td)."""
    d = dtype_of(p.type)
    kind = {"f16": "<2 x half>", "f64": "double"}.get(d.name, "float" if d.name == "f32" and p.name == "c" else "i32")
    size = 8 if kind == "double" else 4
    return kind, size, bits(p.type) // 8 // size


def struct(kind: str, count: int) -> str:
    return kind if count == 1 else "{" + ", ".join([kind] * count) + "}"


def mma_kernel(row: Row) -> str:
    """LLVM IR of `k(a, b, c, d)`: every lane loads its fragments from consecutive memory, multiplies, and stores D."""
    lines, args, types = [], [], []
    for p in row.params:
        kind, size, count = register(p)
        lines.append(f"  %{p.name}p = getelementptr [{count} x {kind}], ptr addrspace(1) %{p.name}, i32 %lane")
        for i in range(count):
            lines += [
                f"  %{p.name}p{i} = getelementptr {kind}, ptr addrspace(1) %{p.name}p, i32 {i}",
                f"  %{p.name}{i} = load {kind}, ptr addrspace(1) %{p.name}p{i}, align {size}",
            ]
            args.append(f"{kind} %{p.name}{i}")
            types.append(kind)
    kind, size, count = register(row.params[-1])
    result, name = struct(kind, count), spelling(row.llvm["nvptx"])
    lines += [f"  %r = call {result} @{name}({', '.join(args)})",
              f"  %dp = getelementptr [{count} x {kind}], ptr addrspace(1) %d, i32 %lane"]  # fmt: skip
    for i in range(count):
        lines += [
            f"  %r{i} = extractvalue {result} %r, {i}",
            f"  %dp{i} = getelementptr {kind}, ptr addrspace(1) %dp, i32 {i}",
            f"  store {kind} %r{i}, ptr addrspace(1) %dp{i}, align {size}",
        ]
    return module([f"declare {result} @{name}({', '.join(types)})"], "abcd", lines)


def matrix_kernel(row: Row) -> str:
    """LLVM IR of `k(a, b, c, d)`: copies 2 KiB from `a` to shared memory; loads with the lane's row at byte offset
    b[lane] and stores the words to `d`, or stores the words of `c` and copies shared memory to `d`."""
    name, load = spelling(row.llvm["nvptx"]), "ldmatrix" in row.name
    count = int(row.name.split("_x")[1][0])
    words = struct("i32", count)
    lines = ["  %op = getelementptr i32, ptr addrspace(1) %b, i32 %lane", "  %off = load i32, ptr addrspace(1) %op",
             "  %row = getelementptr i8, ptr addrspace(3) @tile, i32 %off"]  # fmt: skip
    for i in range(16):
        lines += [f"  %i{i} = add i32 %lane, {32 * i}", f"  %ap{i} = getelementptr i32, ptr addrspace(1) %a, i32 %i{i}",
            f"  %x{i} = load i32, ptr addrspace(1) %ap{i}", f"  %sp{i} = getelementptr i32, ptr addrspace(3) @tile, "
            f"i32 %i{i}", f"  store i32 %x{i}, ptr addrspace(3) %sp{i}"]  # fmt: skip
    barrier = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"
    lines.append(barrier)
    if load:
        declared = f"declare {words} @{name}(ptr addrspace(3))"
        lines.append(f"  %r = call {words} @{name}(ptr addrspace(3) %row)")
        for i in range(count):
            lines.append(f"  %r{i} = " + (f"extractvalue {words} %r, {i}" if count > 1 else "add i32 %r, 0"))
            lines += [f"  %di{i} = add i32 %lane, {32 * i}", f"  %dp{i} = getelementptr i32, ptr addrspace(1) %d, i32 "
                f"%di{i}", f"  store i32 %r{i}, ptr addrspace(1) %dp{i}"]  # fmt: skip
    else:
        declared = f"declare void @{name}(ptr addrspace(3){', i32' * count})"
        for i in range(count):
            lines += [f"  %ci{i} = add i32 %lane, {32 * i}", f"  %cp{i} = getelementptr i32, ptr addrspace(1) %c, i32 "
                f"%ci{i}", f"  %c{i} = load i32, ptr addrspace(1) %cp{i}"]  # fmt: skip
        lines += [f"  call void @{name}(ptr addrspace(3) %row{''.join(f', i32 %c{i}' for i in range(count))})", barrier]
        for i in range(16):
            lines += [f"  %y{i} = load i32, ptr addrspace(3) %sp{i}", f"  %dp{i} = getelementptr i32, ptr addrspace(1) "
                f"%d, i32 %i{i}", f"  store i32 %y{i}, ptr addrspace(1) %dp{i}"]  # fmt: skip
    tile = "@tile = internal addrspace(3) global [2048 x i8] undef, align 16"
    shared = (tile, "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)")
    return module([declared, *shared], "abcd", lines)


def module(declarations: list[str], params: str, lines: list[str]) -> str:
    return "\n".join([
        'target triple = "nvptx64-nvidia-cuda"', "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()", *declarations,
        f"define ptx_kernel void @k({', '.join(f'ptr addrspace(1) %{p}' for p in params)}) {{",
        "  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()", *lines, "  ret void", "}",
    ])  # fmt: skip


def ptx(row: Row, chip: str | None = None) -> str:
    """PTX for the least chip that has the row."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    built = llvm.parse_assembly(mma_kernel(row) if row.mma else matrix_kernel(row))
    built.verify()
    target = llvm.Target.from_triple("nvptx64-nvidia-cuda")
    return target.create_target_machine(cpu=chip or next(iter(row.needs)), features="+ptx87",
        opt=2).emit_assembly(built)


@pytest.mark.parametrize("row", NVVM, ids=lambda r: r.name)
def test_llvm_selects_the_instruction(row: Row):
    text = ptx(row)
    assert text.count(row.ptx) == 1
    assert f".target {next(iter(row.needs))}" in text
    # The table has what LLVM writes, for that chip.
    assert [e for e in lint(text) if e.code not in WARNINGS] == []
    found = [x for f in parse(text).functions() for x in n.instructions(f.body or ()) if x.name == row.ptx]
    assert len(found) == 1 and entry_of(found[0].parts) is not None


def test_all_rows_by_llvms_name_are_tried():
    """But for votes, which name the lanes that take part: test_nvptx_votes has those."""
    votes = {r.name for r in NAMED if AMONG in getattr(r.llvm["nvptx"], "marks", ())}
    assert len(votes) == 7 and {r.name for r in NAMED} - votes == {r.name for r in NVVM}


def test_an_unknown_intrinsic_is_not_selected():
    """The negative control: a name that LLVM does not know becomes an ordinary call."""
    row = dataclasses.replace(ROWS["nvvm.mma_16x8x16_f16_f16"], llvm={"nvptx": "llvm.nvvm.mma.m16n8k7.row.col.f16.f16"})
    assert row.ptx not in ptx(row)


# -- on a GPU ----------------------------------------------------------------------------------------------------------


class Gpu:
    """The CUDA driver, as far as running one kernel of one warp needs it."""

    def __init__(self):
        self.cu = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.call("cuCtxSetCurrent", self.context)
        version = [ctypes.c_int(), ctypes.c_int()]
        for v, attribute in zip(version, (75, 76), strict=True):
            self.call("cuDeviceGetAttribute", ctypes.byref(v), attribute, device)
        self.capability = 10 * version[0].value + version[1].value

    def call(self, name: str, *args) -> None:
        code = getattr(self.cu, name)(*args)
        assert code == 0, f"{name}: error {code}"

    def run(self, text: str, buffers: list[np.ndarray]) -> None:
        """Runs `k` on one warp; the last buffer is copied back."""
        mod, fn = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(mod), text.encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(fn), mod, b"k")
        pointers = [ctypes.c_uint64() for _ in buffers]
        for p, x in zip(pointers, buffers, strict=True):
            self.call("cuMemAlloc_v2", ctypes.byref(p), ctypes.c_size_t(max(x.nbytes, 16)))
            self.call("cuMemcpyHtoD_v2", p, x.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(x.nbytes))
        table = (ctypes.c_void_p * len(pointers))(*(ctypes.addressof(p) for p in pointers))
        self.call("cuLaunchKernel", fn, 1, 1, 1, 32, 1, 1, 0, None, table, None)
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", buffers[-1].ctypes.data_as(ctypes.c_void_p), pointers[-1],
            ctypes.c_size_t(buffers[-1].nbytes))
        for p in pointers:
            self.call("cuMemFree_v2", p)
        self.call("cuModuleUnload", mod)


@pytest.fixture(scope="module")
def gpu() -> Gpu:
    try:
        return Gpu()
    except (OSError, AssertionError):
        pytest.skip("no NVIDIA GPU on this machine")


def chip_of(gpu: Gpu, row: Row) -> str:
    need = next(iter(row.needs))
    if int(need.removeprefix("sm_")) > gpu.capability:
        pytest.skip(f"this GPU has no {need}")
    return need


@pytest.mark.parametrize("row", MMA, ids=lambda r: r.name)
def test_the_gpu_agrees_on_products(gpu: Gpu, row: Row):
    """One-hot in every slot of A and of B, against distinct numbers in the other operand; then small random integers:
    all exact."""
    text = ptx(row, chip_of(gpu, row))
    rng = np.random.default_rng(5)
    dtypes = [dtype_of(p.type).np for p in row.params]
    fragments = (row.mma.a, row.mma.b, row.mma.c)
    signed = [dtype_of(p.type).is_signed for p in row.params]
    trials = [[rng.integers(-4 if s else 0, 5, (32, f.slots)).astype(d) for f, d,
        s in zip(fragments, dtypes, signed, strict=True)]]
    for which in (0, 1):
        for slot in range(fragments[which].slots):
            x = [rng.integers(0, 8, (32, f.slots)).astype(d) for f, d in zip(fragments, dtypes, strict=True)]
            x[which][:] = 0
            x[which][rng.integers(32), slot] = 1
            trials.append(x)
    for a, b, c in trials:
        d = np.zeros_like(c)
        gpu.run(text, [a, b, c, d])
        want = row.semantics(None, *(x if isinstance(p.type, VecType) else x[:, 0] for x,
            p in zip((a, b, c), row.params, strict=True)))
        np.testing.assert_array_equal(d.astype(np.float64), want.astype(np.float64))


@pytest.mark.parametrize("row", [r for r in MMA if "tf32" in r.name], ids=lambda r: r.name)
def test_the_gpu_ignores_the_low_bits_of_tf32(gpu: Gpu, row: Row):
    text = ptx(row, chip_of(gpu, row))
    a = np.full((32, row.mma.a.slots), 1 + 2**-11 + 2**-12, np.float32)  # would round up, if it were rounded
    b, c = np.ones((32, row.mma.b.slots), np.float32), np.zeros((32, 4), np.float32)
    d = np.zeros_like(c)
    gpu.run(text, [a, b, c, d])
    np.testing.assert_array_equal(d, np.float32(row.mma.k))


@pytest.mark.parametrize("row", MATRIX, ids=lambda r: r.name)
def test_the_gpu_agrees_on_matrices(gpu: Gpu, row: Row):
    from avelang.ir.dtypes import f16
    from avelang.ir.types import TensorType
    from avelang.isa.row import TensorRef

    text, rng = ptx(row, chip_of(gpu, row)), np.random.default_rng(6)
    memory = rng.integers(0, 1 << 32, 512, dtype=np.uint32)
    starts = (16 * rng.permutation(128)[:32]).astype(np.uint32)
    count = int(row.name.split("_x")[1][0])
    data = rng.integers(0, 1 << 31, (count, 32)).astype(np.int32)
    place = TensorRef("shared", starts.astype(np.uint64), TensorType(f16, (8,), (1,), "shared"))
    wave = Bytes(memory.copy())
    if "ldmatrix" in row.name:
        out = np.zeros((count, 32), np.int32)
        gpu.run(text, [memory, starts, data, out])
        np.testing.assert_array_equal(out.T, row.semantics(wave, place).reshape(32, count))
    else:
        out = np.zeros_like(memory)
        gpu.run(text, [memory, starts, data, out])
        row.semantics(wave, place, data[0] if count == 1 else np.ascontiguousarray(data.T))
        np.testing.assert_array_equal(out, wave.words)


class Bytes:
    """Shared memory for a meaning."""

    active = np.ones(32, bool)

    def __init__(self, words: np.ndarray):
        self.words, self.bytes = words, words.view(np.uint8)

    def read(self, space, address, nbytes, mask):
        return np.stack([self.bytes[int(a) : int(a) + nbytes] for a in address])

    def write(self, space, address, data, mask):
        for a, x in zip(address, data, strict=True):
            self.bytes[int(a) : int(a) + len(x)] = x
