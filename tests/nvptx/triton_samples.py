"""Triton kernels for `make_samples.py`: their PTX is what Triton writes. Compiled for a chip that need not be there."""

from __future__ import annotations

from collections.abc import Iterator

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n, other=1.0), mask=i < n)


@triton.jit
def softmax(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def matmul(a, b, c, m, n, k, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    r = tl.arange(0, BK)
    pa, pb = a + i[:, None] * sa + r[None, :], b + r[:, None] * sb + j[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, k, BK):
        acc = tl.dot(tl.load(pa, mask=r[None, :] < k - s, other=0.0), tl.load(pb, mask=r[:, None] < k - s, other=0.0),
            acc)
        pa += BK
        pb += BK * sb
    tl.store(c + i[:, None] * sc + j[None, :], acc.to(tl.float16), mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(out + v, 1, mask=i < n, sem="relaxed")
    old = tl.atomic_cas(out, 0, 1)
    tl.device_print("old", old)


_POINTERS = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "a": "*fp16", "b": "*fp16", "c": "*fp16"}
# name, function, types that differ from the usual ones, constexprs, options.
KERNELS = (
    ("add", add, {}, {"BLOCK": 1024}, {}),
    ("softmax", softmax, {}, {"BLOCK": 2048}, {"num_warps": 8}),
    ("matmul", matmul, {}, {"BM": 128, "BN": 128, "BK": 64}, {"num_warps": 4, "num_stages": 3}),
    ("histogram", histogram, {"x": "*i32", "out": "*i32"}, {"BLOCK": 256}, {}),
)


def compiled(arch: int) -> Iterator[tuple[str, str]]:
    """(name, PTX) of each kernel for a chip such as 90."""
    for name, function, own, constants, options in KERNELS:
        signature = {p: "constexpr" if p in constants else own.get(p, _POINTERS.get(p, "i32"))
            for p in function.arg_names}
        # Pointers are multiples of 16 bytes, strides of 16 elements, so that accesses are wide and copies asynchronous.
        attributes = {(i,): [["tt.divisibility", 16]] for i, (p, t) in enumerate(signature.items()) if t[0] == "*"
            or p[0] == "s" or p in "mnk"}
        source = ASTSource(function, signature, {(function.arg_names.index(p),): v for p, v in constants.items()},
            attributes)
        yield name, triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options).asm["ptx"]
