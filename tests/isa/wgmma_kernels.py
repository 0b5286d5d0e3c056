"""Kernels around one wgmma: images of shared memory, laid out here by the written rules, and register fragments come in; D goes out, by lanes."""

import dataclasses
from typing import Any

import ml_dtypes
import numpy as np

import avelang
import avelang.language as al
from avelang.ir.dtypes import BY_NAME

NUMPY = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "f32": np.float32, "i8": np.int8, "u8": np.uint8, "i32": np.int32,
    "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2,
}  # fmt: skip
AVE = {"tf32": "f32", "e4m3": "f8e4m3fn", "e5m2": "f8e5m2"}
DEPTH = {"f16": 16, "bf16": 16, "tf32": 8, "i8": 32, "u8": 32, "e4m3": 32, "e5m2": 32}


@dataclasses.dataclass(frozen=True)
class Trial:
    """One wgmma. `pattern`: bytes of swizzle; `turned`: A and B are MN-major."""

    a: str
    b: str
    d: str
    n: int
    pattern: int = 128
    turned: bool = False
    registers: bool = False
    scale_d: int = 1
    neg_a: int = 0
    neg_b: int = 0

    @property
    def k(self) -> int:
        return DEPTH[self.a]

    @property
    def name(self) -> str:
        types = self.a if self.a == self.b else f"{self.a}_{self.b}"
        flags = f"{'_mn' * self.turned}{'_rs' * self.registers}{'_d0' * (not self.scale_d)}{'_na' * self.neg_a}{'_nb' * self.neg_b}"
        return f"wgmma_{types}_{self.d}_n{self.n}_s{self.pattern}{flags}"

    @property
    def row(self) -> str:
        types = self.a if self.a == self.b else f"{self.a}_{self.b}"
        return f"wgmma_{types}_{self.d}{'_rs' * self.registers}"


def image(x: np.ndarray, pattern: int, turned: bool) -> tuple[np.ndarray, int, int]:
    """(bytes of shared memory, leading, stride) for an operand (rows along M or N, columns along K), element by element."""
    rows, cols = x.shape
    size = x.dtype.itemsize
    per = 16 // size
    out = np.zeros(64 * 1024, np.uint8)
    used = 0
    if turned and pattern:  # tiles of `pattern` bytes along M or N by 8 along K, those along K first
        wide = pattern // size
        stride, leading = 8 * pattern, 8 * pattern * (cols // 8)
    elif turned:  # core matrices: 8 along K, each 16 bytes along M or N; those along M or N first
        wide = per
        stride, leading = 128, 128 * (rows // per)
    elif pattern:  # rows of `pattern` bytes, of which K fills the first 32
        wide, stride, leading = 0, 8 * pattern, 16
    else:  # core matrices of 8 rows by 16 bytes; those along M or N first
        wide, leading, stride = per, 128 * (rows // 8), 128
    for i in range(rows):
        for j in range(cols):
            if turned and pattern:
                at = i % wide * size + i // wide * leading + j % 8 * pattern + j // 8 * stride
            elif turned:
                at = i % per * size + i // per * stride + j % 8 * 16 + j // 8 * leading
            elif pattern:
                at = i % 8 * pattern + i // 8 * stride + j * size
            else:
                at = i % 8 * 16 + i // 8 * stride + j // per * leading + j % per * size
            row = at // 128
            at ^= {0: 0, 32: row & 1, 64: row & 3, 128: row & 7}[pattern] << 4
            out[at : at + size] = x[i : i + 1, j : j + 1].copy().view(np.uint8).ravel()
            used = max(used, at + size)
    return out[: -(-used // 1024) * 1024], leading, stride


def kernel(t: Trial, a_bytes: int, b_bytes: int, la: int, sa: int, lb: int, sb: int) -> Any:
    """A kernel of one warpgroup for a trial."""
    wgmma, acc, slots = getattr(al.nvvm, t.row), BY_NAME[t.d], t.n // 2
    per_a, per_b, pattern = a_bytes // 512, b_bytes // 512, t.pattern
    scale, neg_a, neg_b, trans = t.scale_d, t.neg_a, t.neg_b, int(t.turned)
    two, signed = t.a in ("f16", "bf16"), t.a not in ("i8", "u8")
    element = BY_NAME[AVE.get(t.a, t.a)]
    held = 64 * t.k // 128

    @avelang.jit
    def shared(A: al.Tensor((per_a, 128), al.u32), B: al.Tensor((per_b, 128), al.u32), C: al.Tensor((128, slots), acc)):
        i = al.thread_id(0)
        a = al.make_shared((per_a, 128), al.u32, 1024)
        b = al.make_shared((per_b, 128), al.u32, 1024)
        for r in range(per_a):
            a[r, i] = A[r, i]
        for r in range(per_b):
            b[r, i] = B[r, i]
        al.nvvm.fence_proxy_async_shared()
        al.syncthreads()
        c = C[i]
        da = al.nvvm.wgmma_descriptor(a, pattern, la, sa)
        db = al.nvvm.wgmma_descriptor(b, pattern, lb, sb)
        c = al.nvvm.wgmma_fence_acc(c)
        if two:
            c = wgmma(da, db, c, scale, neg_a, neg_b, trans, trans)
        elif signed:
            c = wgmma(da, db, c, scale, neg_a, neg_b)
        else:
            c = wgmma(da, db, c, scale)
        al.nvvm.wgmma_commit_group()
        C[i] = al.nvvm.wgmma_wait_acc(c, 0)

    @avelang.jit
    def registers(A: al.Tensor((128, held), element), B: al.Tensor((per_b, 128), al.u32), C: al.Tensor((128, slots), acc)):
        i = al.thread_id(0)
        b = al.make_shared((per_b, 128), al.u32, 1024)
        for r in range(per_b):
            b[r, i] = B[r, i]
        al.nvvm.fence_proxy_async_shared()
        al.syncthreads()
        c = C[i]
        db = al.nvvm.wgmma_descriptor(b, pattern, lb, sb)
        a = A[i]
        c = al.nvvm.wgmma_fence_acc(c)
        if two:
            c = wgmma(a, db, c, scale, neg_a, neg_b, trans)
        elif signed:
            c = wgmma(a, db, c, scale, neg_a, neg_b)
        else:
            c = wgmma(a, db, c, scale)
        al.nvvm.wgmma_commit_group()
        C[i] = al.nvvm.wgmma_wait_acc(c, 0)

    return registers if t.registers else shared


def a_place(t: Trial, lane: int, slot: int) -> tuple[int, int]:
    """(row, column) of A that a thread holds (PTX ISA 9.0, 9.7.15.5.1.1.1), word by word."""
    size = np.dtype(NUMPY[t.a]).itemsize
    per = 4 // size
    word, within = divmod(slot, per)
    return 16 * (lane // 32) + lane % 32 // 4 + 8 * (word % 2), per * (lane % 4) + within + 4 * per * (word // 2)


def d_place(lane: int, slot: int) -> tuple[int, int]:
    """(row, column) of D that a thread holds (PTX ISA 9.0, 9.7.15.5.1.1.2)."""
    return 16 * (lane // 32) + lane % 32 // 4 + 8 * (slot // 2 % 2), 8 * (slot // 4) + 2 * (lane % 4) + slot % 2


def arguments(t: Trial, seed: int = 0) -> tuple[Any, list[np.ndarray], np.ndarray]:
    """(kernel, arguments, what C must be) for small numbers whose products and sums are exact."""
    rng = np.random.default_rng(seed)

    def numbers(shape: tuple[int, int], name: str) -> np.ndarray:
        low = 0 if name == "u8" else -3
        return rng.integers(low, 4, shape).astype(NUMPY[name])

    a, b, c = numbers((64, t.k), t.a), numbers((t.n, t.k), t.b), numbers((64, t.n), t.d)
    wide = np.float64
    want = (a.astype(wide) * (-1 if t.neg_a else 1)) @ (b.astype(wide) * (-1 if t.neg_b else 1)).T + (c.astype(wide) if t.scale_d else 0)
    own = np.array([[d_place(lane, s) for s in range(t.n // 2)] for lane in range(128)])
    held = c[own[..., 0], own[..., 1]].copy()
    (ai, la, sa), (bi, lb, sb) = image(a, t.pattern, t.turned), image(b, t.pattern, t.turned)
    first = ai.view(np.uint32).reshape(-1, 128)
    if t.registers:
        at = np.array([[a_place(t, lane, s) for s in range(64 * t.k // 128)] for lane in range(128)])
        first = a[at[..., 0], at[..., 1]].copy()
    args = [first, bi.view(np.uint32).reshape(-1, 128), held]
    return kernel(t, ai.size, bi.size, la, sa, lb, sb), args, want[own[..., 0], own[..., 1]]


def trials() -> list[Trial]:
    """Every row, every swizzle, both majors, flags, and all N of one row."""
    pairs = [("f16", "f16", "f16"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("tf32", "tf32", "f32")]
    pairs += [(a, b, d) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2") for d in ("f16", "f32")]
    pairs += [(a, b, "i32") for a in ("i8", "u8") for b in ("i8", "u8")]
    out = [Trial(*p, 32, registers=rs) for p in pairs for rs in (False, True)]
    out += [Trial(*p, 64, s) for p in (("bf16", "bf16", "f32"), ("tf32", "tf32", "f32"), ("i8", "i8", "i32"), ("e4m3", "e4m3", "f32")) for s in (0, 32, 64)]
    out += [Trial(*p, 64, s, True) for p in (("bf16", "bf16", "f32"), ("f16", "f16", "f16")) for s in (0, 32, 64, 128)]
    out += [Trial("f16", "f16", "f32", 128, 128, True, True), Trial("bf16", "bf16", "f32", 16, scale_d=0), Trial("bf16", "bf16", "f32", 16, neg_a=1)]
    out += [Trial("bf16", "bf16", "f32", 16, neg_b=1), Trial("f16", "f16", "f16", 24, registers=True, neg_a=1, neg_b=1), Trial("i8", "i8", "i32", 256)]
    return out


def sizes() -> list[Trial]:
    """All N."""
    return [Trial("bf16", "bf16", "f32", n) for n in range(8, 257, 8)] + [Trial("i8", "u8", "i32", n) for n in (8, 16, 24, *range(32, 257, 16))]
