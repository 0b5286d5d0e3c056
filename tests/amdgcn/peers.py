"""Foreign gfx942 code, where it is at hand: the folder, or a skip that says what it is."""

from __future__ import annotations

import os
import pathlib

import pytest

TRITON, IREE = "gemm_gfx942_128x128x64_w4_s2_nk16", "iree_bf16_4864x4096x4096"
# (code object, assembly) of each.
FILES = {TRITON: (f"{TRITON}.hsaco", f"{TRITON}.amdgcn"), IREE: (f"{IREE}.hsaco", f"{IREE}.s")}
KERNELS = {TRITON: "gemm", IREE: "mm_dispatch_0_matmul_like_4864x4096x4096_bf16xbf16xf32"}


def folder() -> pathlib.Path:
    """Where the foreign code objects lie: AVE_PEERS, or `shared/peers` beside the checkout."""
    found = pathlib.Path(os.environ.get("AVE_PEERS") or pathlib.Path(__file__).resolve().parents[3] / "shared" / "peers")
    if not found.is_dir():
        pytest.skip("the foreign code objects are not here; set AVE_PEERS to their folder")
    return found


def code_object(name: str) -> bytes:
    return (folder() / FILES[name][0]).read_bytes()


def assembly(name: str) -> str:
    return (folder() / FILES[name][1]).read_text()
