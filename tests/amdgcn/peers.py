"""Foreign gfx942 code: names of kernels and files come in, bytes and text go out."""

from __future__ import annotations

import pathlib

TRITON, IREE = "gemm_gfx942_128x128x64_w4_s2_nk16", "iree_bf16_4864x4096x4096"
# (code object, assembly) of each.
FILES = {TRITON: (f"{TRITON}.hsaco", f"{TRITON}.amdgcn"), IREE: (f"{IREE}.hsaco", f"{IREE}.s")}
KERNELS = {TRITON: "gemm", IREE: "mm_dispatch_0_matmul_like_4864x4096x4096_bf16xbf16xf32"}


def folder() -> pathlib.Path:
    """Where the foreign code objects lie."""
    return pathlib.Path(__file__).parents[1] / "peers"


def code_object(name: str) -> bytes:
    return (folder() / FILES[name][0]).read_bytes()


def assembly(name: str) -> str:
    return (folder() / FILES[name][1]).read_text()
