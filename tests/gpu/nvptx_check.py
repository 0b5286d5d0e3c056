"""The NVIDIA backend on a real GPU: kernels are compiled to PTX, launched through the CUDA driver, and held against the reference executor.

    python3 tests/gpu/nvptx_check.py [--only TEXT] [--chip sm_90a] [--dry]

Prints one line for each case and writes nvptx_check.json to the folder that the variable OUT names, or here. Exit status 1 when a case fails.
`--dry` compiles everything and launches nothing. Needs NumPy, ml_dtypes and llvmlite; no torch.
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import json
import os
import pathlib
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import ml_dtypes  # noqa: E402

from avelang import arch, pipeline  # noqa: E402
from avelang.emit.llvm import simt_device  # noqa: E402
from avelang.emit.llvm.simt import Program  # noqa: E402
from avelang.frontend.build import build  # noqa: E402
from avelang.ir.core import Kernel  # noqa: E402
from avelang.ir.dtypes import DType, bf16, f16, f32, f64, i32, i64, u1, u8, u32, u64  # noqa: E402
from avelang.ir.types import VecType  # noqa: E402
from avelang.isa.row import ROWS  # noqa: E402
from avelang.sim import reference  # noqa: E402
from emit.llvm import gpu_kernels, simt_bench  # noqa: E402
from emit.llvm.gpu_rows import RowKernel, size_of  # noqa: E402
from emit.llvm.simt_bench import NUMBERS, Bench  # noqa: E402
from language.test_random_programs import N, Writer, load, plain_python  # noqa: E402

Three = tuple[int, int, int]
WARP = 32


class Driver:
    """The CUDA driver, as far as launching a kernel needs it. Raises RuntimeError with the driver's own words."""

    def __init__(self) -> None:
        self.cu = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(128)
        self.call("cuDeviceGetName", name, 128, device)
        self.name = name.value.decode()
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, device)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
        self.capability = 10 * major.value + minor.value

    def call(self, name: str, *args: Any) -> None:
        code = getattr(self.cu, name)(*args)
        if code:
            text = ctypes.c_char_p()
            self.cu.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()} ({code})")

    def run(self, program: Program, ptx: str, params: list[Any], args: list[Any], grid: Three) -> list[Any]:
        """Launches once; gives copies of the arguments as the kernel left them."""
        log = ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(5, 6)  # error log: buffer, size
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), 8192)
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx.encode() + b"\0", 2, options, values)
        except RuntimeError as e:
            raise RuntimeError(f"{e}: {log.value.decode()}") from None
        self.call("cuModuleGetFunction", ctypes.byref(function), module, program.entry.encode())
        if program.dynamic_bytes:
            self.call("cuFuncSetAttribute", function, 8, program.dynamic_bytes)  # the most dynamic shared memory
        slots, pointers = [], []
        for p, a in zip(params, args, strict=True):
            if isinstance(p.type, DType):
                raw = np.array(a, p.type.np).tobytes().ljust(8, b"\0")
                slots.append(ctypes.create_string_buffer(raw, 8))
                continue
            pointer = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(a.nbytes, 16)))
            self.call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(a.ctypes.data), ctypes.c_size_t(a.nbytes))
            slots.append(pointer)
            pointers.append(pointer)
        table = (ctypes.c_void_p * max(1, len(slots)))(*(ctypes.addressof(s) for s in slots))
        self.call("cuLaunchKernel", function, *grid, *program.block, program.dynamic_bytes, None, table, None)
        self.call("cuCtxSynchronize")
        rest, out = iter(pointers), []
        for a in args:
            if isinstance(a, np.ndarray):
                back = np.empty_like(a)
                self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(back.ctypes.data), next(rest), ctypes.c_size_t(a.nbytes))
                a = back
            out.append(a)
        for p in pointers:
            self.call("cuMemFree_v2", p)
        self.call("cuModuleUnload", module)
        return out


@dataclasses.dataclass
class Case:
    """`make(chip)` gives the kernel, in phase "tensors", and its arguments; `check(want, got)` gets both lists of arguments behind a run and gives
    the worst difference, which must be at most `most`. `want` replaces the reference where something else is the measure."""

    name: str
    make: Callable[[str], tuple[Kernel, list[Any]]]
    check: Callable[[list[Any], list[Any]], float]
    block: Three = (WARP, 1, 1)
    grid: Three = (1, 1, 1)
    most: float = 0.0
    want: Callable[[list[Any]], list[Any]] | None = None


def differing(want: list[Any], got: list[Any]) -> float:
    """How many elements differ, bit by bit; NaNs are all one."""
    total = 0
    for w, g in zip(want, got, strict=True):
        if isinstance(w, np.ndarray):
            total += int(_differs(w, g).sum())
    return float(total)


def _differs(w: np.ndarray, g: np.ndarray) -> np.ndarray:
    bits = f"u{w.dtype.itemsize}"
    out = w.view(bits) != g.view(bits)
    if w.dtype.kind not in "iub":
        with np.errstate(all="ignore"):
            out &= ~(np.isnan(w.astype(np.float64)) & np.isnan(g.astype(np.float64)))
    return out


def farthest(want: list[Any], got: list[Any]) -> float:
    """The greatest relative difference, to one at least."""
    worst = 0.0
    for w, g in zip(want, got, strict=True):
        if isinstance(w, np.ndarray):
            a, b = w.astype(np.float64), g.astype(np.float64)
            worst = max(worst, float(np.max(np.abs(a - b) / np.maximum(1, np.abs(a)))))
    return worst


# -- benches: the ops of the IR --------------------------------------------------------------------------------------------------------------


def bench_case(name: str, fill: Callable[[Bench], Bench], tolerance: float | None = None) -> Case:
    held: dict[str, Bench] = {}

    def make(chip: str) -> tuple[Kernel, list[Any]]:
        bench = held["bench"] = fill(Bench(chip, WARP))
        return bench.kernel(), bench.args

    def check(want: list[Any], got: list[Any]) -> float:
        pairs = held["bench"].pairs(want, got)
        measure = differing if tolerance is None else farthest
        return max(measure([w], [g]) for w, g, _ in pairs)

    return Case(name, make, check, most=tolerance or 0.0)


def shuffles(bench: Bench) -> Bench:
    """Every kind and width, by constants and by numbers, on words, halves, pairs and vectors."""
    b = bench.b
    for t in (i32, f64, u8, VecType(bf16, 3), u1):
        v = bench.operand(t) if t != u1 else b.cmp("ne", bench.operand(u8), b.const(0, u8))
        for kind in ("idx", "up", "down", "xor"):
            for width in (1, 8, 32):
                for by in (0, 1, 5, 40):
                    bench.keep(_byte(b, b.shuffle(kind, v, b.const(by), width)))
    v = bench.operand(i32)
    for d in (i32, u32, i64):
        by = bench.operand(d, np.random.default_rng(1).integers(0 if d == u32 else -9, 40, WARP).astype(d.np))
        for kind in ("idx", "up", "down", "xor"):
            for width in (4, 32):
                bench.keep(b.shuffle(kind, v, by, width))
    return bench


def _byte(b: Any, v: Any) -> Any:
    return b.convert(v, u8) if v.type == u1 else v


def ballots(bench: Bench) -> Bench:
    b = bench.b
    x = bench.operand(u32)
    odd = b.cmp("ne", b.and_(x, b.const(1)), b.const(0))
    bench.keep(b.emit("ballot", (odd,), (u64,)).result)
    with b.if_(odd):
        bench.keep(b.emit("ballot", (b.cmp("lt", x, b.const(1 << 31)),), (u64,)).result)
    return bench


def functions(d: DType, name: str) -> Callable[[Bench], Bench]:
    def fill(bench: Bench) -> Bench:
        rng = np.random.default_rng(4)
        for low, high in ((0.01, 3), (-8, 8), (-80, 80)):
            data = rng.uniform(max(low, 1e-3) if name in ("log", "log2", "rsqrt") else low, high, WARP).astype(d.np)
            bench.keep(bench.b.same(name, bench.operand(d, data)))
        return bench

    return fill


def benches() -> Iterator[Case]:
    for d in NUMBERS:
        for count in (0, 2):
            yield bench_case(f"arithmetic {d} x{count or 1}", lambda b, d=d, count=count: simt_bench.arithmetic(b, d, count))
            yield bench_case(f"conversions {d} x{count or 1}", lambda b, d=d, count=count: simt_bench.conversions(b, d, count))
    for d in (i32, u8, bf16, f16, f64):
        yield bench_case(f"vectors {d}", lambda b, d=d: simt_bench.vectors(b, d))
    for d in (i32, u32, i64):
        for known in (True, False):
            yield bench_case(f"loops {d} {'constant' if known else 'run time'}", lambda b, d=d, known=known: simt_bench.loops(b, d, known))
    yield bench_case("conditions", simt_bench.conditions)
    yield bench_case("shuffles", shuffles)
    yield bench_case("ballots", ballots)
    for d, tolerance in ((f32, 6e-7), (f16, 2e-3), (bf16, 1e-2)):
        for name in ("exp", "exp2", "log", "log2", "tanh", "erf", "rsqrt", "sin", "cos"):
            # Relative to the value from one up, so that exp(80) counts as exp(1) does; f16 overflows in the reference and here alike.
            if d != f16 or name not in ("exp", "exp2"):
                yield bench_case(f"{name} {d}", functions(d, name), tolerance)


# -- kernels of the language -----------------------------------------------------------------------------------------------------------------


def language(name: str, kernel: Any, args: Callable[[np.random.Generator], list[Any]], block: Three, grid: Three = (1, 1, 1), most: float = 0.0,
             **constexprs: Any) -> Case:  # fmt: skip
    def make(chip: str) -> tuple[Kernel, list[Any]]:
        return build(kernel.source, constexprs, arch.chip(chip)), args(np.random.default_rng(11))

    return Case(name, make, differing if not most else farthest, block, grid, most)


def kernels() -> Iterator[Case]:
    g, i4, f4, b2 = gpu_kernels, np.int32, np.float32, ml_dtypes.bfloat16

    def ints(r: np.random.Generator, *shape: int) -> np.ndarray:
        return r.integers(-99, 99, shape).astype(i4)

    def floats(r: np.random.Generator, *shape: int, dtype: Any = f4) -> np.ndarray:
        return r.standard_normal(shape).astype(dtype)

    yield language("axpy", g.axpy, lambda r: [1.5, floats(r, 1000), floats(r, 1000), 1000], (64, 1, 1), (16, 1, 1))
    yield language("copy_words", g.copy_words, lambda r: [ints(r, 256, 4), ints(r, 256, 4)], (64, 1, 1), (4, 1, 1))
    yield language("turn", g.turn, lambda r: [ints(r, 64, 64), ints(r, 64, 64)], (16, 16, 1), (4, 4, 1), TILE=16)
    yield language("registers", g.registers, lambda r: [floats(r, 64, 16), floats(r, 64, 16)], (64, 1, 1))
    yield language("row_sums", g.row_sums, lambda r: [floats(r, 8, 1024), floats(r, 8)], (256, 1, 1), (8, 1, 1), WAVE=32)
    yield language("softmax", g.softmax, lambda r: [floats(r, 16, 128, dtype=b2), floats(r, 16, 128, dtype=b2)], (32, 1, 1), (16, 1, 1), 1e-2)
    yield language("half_pairs", g.half_pairs, lambda r: [floats(r, 64, 2, dtype=np.float16), floats(r, 64, 2, dtype=np.float16)], (64, 1, 1))
    yield language(
        "tensor_cores", g.tensor_cores,
        lambda r: [floats(r, 16, 16, dtype=np.float16), floats(r, 8, 16, dtype=np.float16), floats(r, 16, 8)], (32, 1, 1), most=1e-5,
    )  # fmt: skip
    yield language("parted_sums", g.parted_sums, lambda r: [ints(r, 64), ints(r, 64)], (64, 1, 1))
    yield language("big_tile", g.big_tile, lambda r: [floats(r, 64, 256), floats(r, 64, 256)], (256, 1, 1))


def programs() -> Iterator[Case]:
    """Random control flow, against plain Python."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ave-check-"))
    for seed in range(8):
        text = Writer(200 + seed).program()

        def make(chip: str, text: str = text, seed: int = seed) -> tuple[Kernel, list[Any]]:
            kernel = load(text, folder / f"program_{seed}.py")
            src = np.random.default_rng(seed).integers(-50, 100, (2, N)).astype(np.int32)
            return build(kernel.source, {}, arch.chip(chip)), [src, np.zeros((4, N), np.int32)]

        yield Case(f"program {seed}", make, differing, (N, 1, 1), want=lambda args, text=text: [args[0], plain_python(text, args[0])])


# -- rows ------------------------------------------------------------------------------------------------------------------------------------


def row_case(name: str) -> Case:
    """Small whole numbers, whose products and sums every order of additions gets exactly. Memory rows get 16-byte rows of shared memory."""
    row = ROWS[name]

    def make(chip: str) -> tuple[Kernel, list[Any]]:
        made = RowKernel(row, chip)
        rng, args = np.random.default_rng(3), []
        types = list(made.operands)
        for p in made.kernel.params:
            if p.name.startswith("out"):
                args.append(np.zeros(WARP * size_of(made.result), np.uint8))
                continue
            t = types.pop(0)
            d, n = (t.dtype, t.n) if isinstance(t, VecType) else (t, 1)
            numbers = rng.integers(0 if d.kind == "uint" else -3, 4, WARP * n).astype(d.np)
            args.append(numbers.view(np.uint8))
        return made.kernel, args

    return Case(name, make, differing)


MATRIX_TEXT = """kernel @matrix(%data: ptr<i32, global>, %row: ptr<u32, global>, %out: ptr<i32, global>) {{'wave': 32, 'chip': '{chip}', 'file': ''}} {{
  %lane = lane_id : u32
  %wide = convert(%lane) : i64
  %four = const {{'value': 4}} : i64
  %at = mul(%wide, %four) : i64
  %big = const {{'value': 64}} : i64
  %from = mul(%wide, %big) : i64
  %lds = alloc {{'name': 'lds', 'align': 16}} : tensor<i32, (512):(1), shared>
  %p = base(%lds) : ptr<i32, shared>
  %mine = ld(%data, %from) {{'align': 4}} : vec<16 x i32>
  st(%mine, %p, %from) {{'align': 4}}
  %o = ld(%row, %at) {{'align': 4}} : u32
  %o64 = convert(%o) : i64
  %tile = ptr_add(%p, %o64) : ptr<i32, shared>
  barrier
  {body}
  barrier
  %copy = ld(%p, %from) {{'align': 4}} : vec<16 x i32>
  st(%copy, %out, %from) {{'align': 4}}
}}"""


def matrix_case(name: str) -> Case:
    """ldmatrix and stmatrix on 2 KiB of random words, each lane naming a row of its own."""
    from avelang.ir.text import parse_kernel

    count = int(name.split("_x")[1][0])
    t = "i32" if count == 1 else f"vec<{count} x i32>"
    if "ldmatrix" in name:
        # What was loaded goes over the first words of shared memory, so that the copy shows it.
        body = f"%v = {name}(%tile) : {t}\n  barrier\n  %n = const {{'value': {4 * count}}} : i64\n  %w = mul(%wide, %n) : i64\n  st(%v, %p, %w) {{'align': 4}}"
    else:
        body = f"%n = const {{'value': {4 * count}}} : i64\n  %w = mul(%wide, %n) : i64\n  %v = ld(%data, %w) {{'align': 4}} : {t}\n  {name}(%tile, %v)"

    def make(chip: str) -> tuple[Kernel, list[Any]]:
        rng = np.random.default_rng(6)
        rows = (16 * rng.permutation(128)[:WARP]).astype(np.uint32)
        return parse_kernel(MATRIX_TEXT.format(chip=chip, body=body)), [rng.integers(0, 1 << 31, 512).astype(np.int32), rows, np.zeros(512, np.int32)]

    return Case(name, make, differing)


def rows(chip: str) -> Iterator[Case]:
    for name, row in ROWS.items():
        if name.startswith("nvvm.") and arch.chip(chip).has(row):
            yield row_case(name) if row.mma else matrix_case(name)


# -- running ---------------------------------------------------------------------------------------------------------------------------------


def run(case: Case, chip: str, driver: Driver | None) -> dict[str, Any]:
    """One case: what came of it, and how long compiling took."""
    kernel, args = case.make(chip)
    params = list(kernel.params)
    want = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
    if case.want is not None:
        want = case.want(want)
    else:
        reference.run(kernel, want, case.grid, case.block)
    again, _ = case.make(chip)
    start = time.perf_counter()
    program = simt_device.program(pipeline.gpu(again, case.block), arch.chip(chip))
    ptx = simt_device.Device(arch.chip(chip)).assembly(program.text)
    compiled = time.perf_counter() - start
    out: dict[str, Any] = {"case": case.name, "compile_ms": round(1000 * compiled, 1), "lines": ptx.count("\n")}
    if driver is None:
        return {**out, "ok": True, "difference": None}
    got = driver.run(program, ptx, params, args, case.grid)
    difference = case.check(want, got)
    return {**out, "ok": bool(difference <= case.most), "difference": difference, "most": case.most}


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--only", default="", help="cases whose name has this text")
    options.add_argument("--chip", default="", help="the target; by default the device's own")
    options.add_argument("--dry", action="store_true", help="compile only")
    given = options.parse_args()
    driver = None if given.dry else Driver()
    chip = given.chip or ("sm_90a" if driver is None or driver.capability == 90 else f"sm_{driver.capability}")
    print(f"{driver.name if driver else 'no device'}, {chip}")
    results = []
    for case in [*kernels(), *programs(), *rows(chip), *benches()]:
        if given.only not in case.name:
            continue
        try:
            result = run(case, chip, driver)
        except Exception as e:
            result = {"case": case.name, "ok": False, "error": f"{type(e).__name__}: {str(e)[:600]}", "trace": traceback.format_exc()[-1500:]}
        results.append(result)
        shown = result.get("error", "") or f"difference {result['difference']}, compiled in {result['compile_ms']} ms"
        print(f"{'ok  ' if result['ok'] else 'FAIL'} {case.name:32} {shown.splitlines()[0]}", flush=True)
    failed = sum(not r["ok"] for r in results)
    print(f"{len(results) - failed} of {len(results)} cases pass")
    folder = pathlib.Path(os.environ.get("OUT", "."))
    (folder / "nvptx_check.json").write_text(json.dumps({"device": driver.name if driver else "", "chip": chip, "cases": results}, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
