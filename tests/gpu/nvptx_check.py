"""The NVIDIA backend on a real GPU: kernels are compiled to PTX, launched through the CUDA driver, and held against the reference executor.

    python3 tests/gpu/nvptx_check.py [--only REGEX] [--chip sm_90a] [--dry] [--part 1/4]

Prints one line for each case and writes nvptx_check.json to the folder that the variable OUT names, or here. Exit status 1 when a case fails.
`--dry` compiles everything and launches nothing; `--part I/N` takes every N-th case, for several processes beside one another. Needs NumPy,
ml_dtypes and llvmlite; no torch. """

from __future__ import annotations

import argparse
import ctypes
import json
import multiprocessing
import os
import pathlib
import re
import sys
import time
import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from avelang import arch, pipeline  # noqa: E402
from avelang.emit.llvm import simt_device  # noqa: E402
from avelang.emit.llvm.simt import DeviceModule  # noqa: E402
from avelang.frontend.build import build  # noqa: E402
from avelang.ir.core import Kernel  # noqa: E402
from avelang.ir.dtypes import DType  # noqa: E402
from avelang.ir.types import MapType  # noqa: E402
from avelang.isa.row import ROWS  # noqa: E402
from avelang.runtime import tensor_maps  # noqa: E402
from avelang.sim import reference  # noqa: E402
from emit.llvm import gpu_kernels  # noqa: E402
from emit.llvm.gpu_cases import Case, benches, differing, kernels, language, programs, row_case  # noqa: E402
from isa import cluster_kernels, hopper_kernels, wgmma_kernels  # noqa: E402

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

    def upload(self, a: np.ndarray) -> ctypes.c_uint64:
        """A copy on the device."""
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(a.nbytes, 16)))
        self.call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(a.ctypes.data), ctypes.c_size_t(a.nbytes))
        return pointer

    def run(self, program: DeviceModule, ptx: str, params: list[Any], args: list[Any], grid: Three) -> list[Any]:
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
            if isinstance(p.type, MapType):
                pointer = self.upload(a)
                pointers.append(pointer)
                # The launch copies the 128 bytes; its table has their address.
                slots.append(tensor_maps.encode(self.call, p.type, pointer.value, a.shape, a.strides))
                continue
            if isinstance(p.type, DType):
                raw = np.array(a, p.type.np).tobytes().ljust(8, b"\0")
                slots.append(ctypes.create_string_buffer(raw, 8))
                continue
            pointer = self.upload(a)
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


def tensor_cores() -> Case:
    def args(r: np.random.Generator) -> list[Any]:
        return [r.standard_normal(s).astype(t) for s, t in (((16, 16), np.float16), ((8, 16), np.float16), ((16, 8), np.float32))]

    return language("tensor_cores", gpu_kernels.tensor_cores, args, (WARP, 1, 1), most=1e-5)


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
        if name.startswith("nvvm.") and arch.chip(chip).has(row) and (row.mma or "matrix_m8n8" in name):
            yield row_case(name) if row.mma else matrix_case(name)


def hopper() -> Iterator[Case]:
    """The asynchronous rows, and wgmma in all its forms: held against NumPy, bit by bit, as `tests/isa` holds the reference and the CPU."""
    for t in (*hopper_kernels.trials(), *cluster_kernels.trials()):
        yield trial_case(t.name, t.kernel, t.args, t.want, t.block, t.grid, t.cluster)
    for w in (*wgmma_kernels.trials(), *wgmma_kernels.sizes()):
        kernel, args, want = wgmma_kernels.arguments(w)
        yield trial_case(w.name, kernel, args, [*args[:2], want.astype(args[2].dtype)], (128, 1, 1))


def trial_case(name: str, kernel: Any, args: list[Any], want: list[Any], block: Three, grid: Three = (1, 1, 1), cluster: Three = (1, 1, 1)) -> Case:
    """A kernel of `tests/isa`."""

    def make(chip: str) -> tuple[Kernel, list[Any]]:
        built = build(kernel.source, {}, arch.chip(chip))
        if cluster != (1, 1, 1):
            built.attrs["cluster"] = cluster
        return built, [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]

    return Case(name, make, differing, block, grid, want=lambda _: want)


# -- running ---------------------------------------------------------------------------------------------------------------------------------


def run(case: Case, chip: str, driver: Driver | None) -> dict[str, Any]:
    """One case: what came of it, and how long compiling took."""
    kernel, args = case.make(chip)
    params = list(kernel.params)
    want = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
    if case.want is not None:
        want = case.want(want)
    else:
        reference.run(kernel, want, case.grid, case.block or (WARP, 1, 1))
    again, _ = case.make(chip)
    start = time.perf_counter()
    program = simt_device.program(pipeline.gpu(again, case.block or (WARP, 1, 1)), arch.chip(chip))
    ptx = simt_device.DeviceCompiler(arch.chip(chip)).assembly(program.text)
    compiled = time.perf_counter() - start
    out: dict[str, Any] = {"case": case.name, "compile_ms": round(1000 * compiled, 1), "lines": ptx.count("\n")}
    if driver is None:
        return {**out, "ok": True, "difference": None}
    got = driver.run(program, ptx, params, args, case.grid)
    difference = case.check(want, got)
    return {**out, "ok": bool(difference <= case.most), "difference": difference, "most": case.most}


def in_turn(cases: list[Case], chip: str, dry: bool) -> Iterator[dict[str, Any]]:
    """The results of all cases. They run in a child of this process; a kernel that fails takes its process' context with it, and another child goes
    on."""
    done = 0
    while done < len(cases):
        reader, writer = multiprocessing.Pipe(duplex=False)
        child = multiprocessing.get_context("fork").Process(target=run_some, args=(cases[done:], chip, dry, writer))
        child.start()
        writer.close()
        before = done
        try:
            while True:
                yield reader.recv()
                done += 1
        except EOFError:
            child.join()
        if done == before:
            yield {"case": cases[done].name, "ok": False, "error": f"the process ended with status {child.exitcode}"}
            done += 1


def run_some(cases: list[Case], chip: str, dry: bool, results: Any) -> None:
    """Runs cases until one fails, and sends what came of each."""
    driver = None if dry else Driver()
    for case in cases:
        try:
            results.send(run(case, chip, driver))
        except Exception as e:
            error = {"error": f"{type(e).__name__}: {str(e)[:600]}", "trace": traceback.format_exc()[-1500:]}
            results.send({"case": case.name, "ok": False, **error})
            return


def device() -> tuple[str, str]:
    """The device's name and its chip, asked by a process of their own."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(_device)


def _device() -> tuple[str, str]:
    driver = Driver()
    return driver.name, "sm_90a" if driver.capability == 90 else f"sm_{driver.capability}"


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--only", default="", help="cases whose name has this regular expression")
    options.add_argument("--chip", default="", help="the target; by default the device's own")
    options.add_argument("--dry", action="store_true", help="compile only")
    options.add_argument("--part", default="1/1", help="I/N: the I-th of N parts of the cases")
    given = options.parse_args()
    part, parts = map(int, given.part.split("/"))
    name, chip = ("", "sm_90a") if given.dry else device()
    chip = given.chip or chip
    print(f"{name or 'no device'}, {chip}")
    every = [*kernels(WARP), tensor_cores(), *programs(), *rows(chip), *benches(), *(hopper() if chip == "sm_90a" else ())]
    chosen = [c for c in every if re.search(given.only, c.name)][part - 1 :: parts]
    results = []
    for result in in_turn(chosen, chip, given.dry):
        results.append(result)
        shown = result.get("error", "") or f"difference {result['difference']}, compiled in {result['compile_ms']} ms"
        print(f"{'ok  ' if result['ok'] else 'FAIL'} {result['case']:32} {shown.splitlines()[0]}", flush=True)
    failed = sum(not r["ok"] for r in results)
    print(f"{len(results) - failed} of {len(results)} cases pass")
    folder = pathlib.Path(os.environ.get("OUT", "."))
    (folder / "nvptx_check.json").write_text(json.dumps({"device": name, "chip": chip, "cases": results}, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
