"""Matrix instructions of a warp that the executor's host executes, on a real GPU: sparse `mma`, and `mma` of 4 bits and
one. The same text and the same random registers on both; D must be the same (integers), or nearly so (floats).

    python3 tests/gpu/matrix_check.py

Prints a line for each form, with the greatest difference. Exit status 1 where one differs. Needs NumPy, ml_dtypes and
llvmlite; no torch."""

from __future__ import annotations

import ctypes
import pathlib
import sys

import ml_dtypes
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "gpu")]

from nvptx_check import Driver  # noqa: E402

from avelang.sim.ptx import Program  # noqa: E402

# Form, registers of A, of B, of D; type of A's elements, of D's; how selectors go, 0 for dense.
FORMS = [
    ("mma.sp{o}.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2, 2, 4, "f16", "f32", 4),
    ("mma.sp{o}.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, "f16", "f32", 2),
    ("mma.sp{o}.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4, "bf16", "f32", 2),
    ("mma.sp{o}.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 2, 2, 4, "tf32", "f32", 4),
    ("mma.sp{o}.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, "tf32", "f32", 2),
    ("mma.sp{o}.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 2, 2, 4, "s8", "s32", 2),
    ("mma.sp{o}.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32", 4, 4, 4, "s8", "s32", 1),
    ("mma.sp{o}.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32", 4, 4, 4, "e4m3", "f32", 1),
    ("mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32", 1, 1, 2, "s4", "s32", 0),
    ("mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", 4, 2, 4, "s4", "s32", 0),
    ("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 4, "b1", "s32", 0),
    ("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 4, "b1", "s32", 0),
]  # fmt: skip


def text(form: str, a: int, b: int, d: int, kind: str, selector: str) -> str:
    lines, at = [], 0
    for name, count in (("a", a), ("b", b), ("d", d), ("e", 1)):
        for k in range(count):
            lines.append(f"ld.global.b32 %{name}{k}, [%i+{4 * at}];")
            at += 1

    def braces(name: str, count: int) -> str:
        return "{" + ", ".join(f"%{name}{k}" for k in range(count)) + "}"

    lines.insert(0, f"mov.u32 %t, %laneid; mul.wide.u32 %x, %t, {4 * at}; add.u64 %i, %i, %x; mul.wide.u32 %x, %t, {4 * d}; "
        "add.u64 %o, %o, %x;")  # fmt: skip
    lines.append(f"{form} {braces('d', d)}, {braces('a', a)}, {braces('b', b)}, {braces('d', d)}{selector};")
    lines += [f"st.global.b32 [%o+{4 * k}], %d{k};" for k in range(d)]
    return f"""
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 i, .param .u64 o)
{{
.reg .b32 %a<8>, %b<8>, %e<2>, %t; .reg .{"f32" if kind == "f32" else "b32"} %d<8>; .reg .b64 %i, %o, %x;
ld.param.u64 %i, [i]; ld.param.u64 %o, [o];
{chr(10).join(lines)}
ret;
}}
"""


def drawn(rng: np.random.Generator, name: str, words: int) -> np.ndarray:
    """Random registers of 32 lanes whose elements are ordinary numbers."""
    if name in ("s8", "s4", "b1"):
        return rng.integers(0, 1 << 32, (32, words), dtype=np.uint32)
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "e4m3": ml_dtypes.float8_e4m3fn}[name]
    count = 4 // np.dtype(dtype).itemsize * words
    x = rng.standard_normal((32, count)).astype(np.float32)
    x = (x.view(np.uint32) & 0xFFFFE000).view(np.float32) if name == "tf32" else x.astype(dtype)
    return np.ascontiguousarray(x).view(np.uint32)


def metadata(rng: np.random.Generator, name: str) -> np.ndarray:
    """A word for each lane: pairs of different columns in order, or for tf32 one of two."""
    if name == "tf32":
        parts = np.array([0b0100, 0b1110])[rng.integers(0, 2, (32, 8))]
    else:
        parts = np.array([0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110])[rng.integers(0, 6, (32, 8))]
    return (parts << (4 * np.arange(8))).sum(1).astype(np.uint32)


def on_device(driver: Driver, source: str, data: np.ndarray, out: np.ndarray) -> None:
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver.call("cuModuleLoadData", ctypes.byref(module), source.encode() + b"\0")
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, b"k")
    source_, destination = driver.upload(data), driver.upload(out)
    table = (ctypes.c_void_p * 2)(ctypes.addressof(source_), ctypes.addressof(destination))
    driver.call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, table, None)
    driver.call("cuCtxSynchronize")
    driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(out.ctypes.data), destination, ctypes.c_size_t(out.nbytes))


def main() -> int:
    rng, driver, bad = np.random.default_rng(0), Driver(), 0
    for form, a, b, d, name, kind, selectors in FORMS:
        for ordered in ("", "::ordered_metadata") if selectors else ("",):
            for f in range(max(1, selectors)):
                source = text(form.format(o=ordered), a, b, d, kind, f", %e0, {f:#x}" if selectors else "")
                parts = [drawn(rng, name, a), drawn(rng, "e4m3" if "e5m2" in form else name, b), np.zeros((32, d), np.uint32),
                    metadata(rng, name).reshape(32, 1)]  # fmt: skip
                data = np.ascontiguousarray(np.concatenate(parts, axis=1))
                here, there = np.zeros((32, d), np.uint32), np.zeros((32, d), np.uint32)
                memory = [(x.ctypes.data, x.nbytes, "array", True) for x in (data, here)]
                Program(source).launch([data.ctypes.data, here.ctypes.data], (1, 1, 1), (32, 1, 1), memory=memory)
                on_device(driver, source, data, there)
                view = np.float32 if kind == "f32" else np.int32
                x, y = here.view(view).astype(np.float64), there.view(view).astype(np.float64)
                worst = float(abs(x - y).max())
                wrong = worst > (1e-2 if kind == "f32" else 0)
                bad += wrong
                print(f"{'DIFFERS' if wrong else 'same'}  {form.format(o=ordered)} selector {f}: {worst:.3g}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
