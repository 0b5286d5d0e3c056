"""AMD code of Triton for C = A @ B^T in bf16, to see how a model ranks kernels: tiles, waves, stages and Triton's own
switches come in, assembly goes out. Needs `pip install triton` and no GPU."""

from __future__ import annotations

import os
from typing import Any

SWITCHES = {"TRITON_HIP_USE_BLOCK_PINGPONG": "0", "TRITON_HIP_USE_ASYNC_COPY": "0", "AMDGCN_USE_BUFFER_OPS": "1",
            "TRITON_DISABLE_LINE_INFO": "1", "TRITON_DEFAULT_FP_FUSION": "1"}
POINTERS = 3


def kernel() -> Any:
    """The kernel, for whole tiles."""
    import triton
    import triton.language as tl

    globals()["tl"] = tl  # Triton reads the function's globals

    @triton.jit
    def gemm(a_ptr, b_ptr, c_ptr, M, N, K, sam, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        pid, cols = tl.program_id(0), tl.cdiv(N, BN)
        m, n = pid // cols * BM + tl.arange(0, BM), pid % cols * BN + tl.arange(0, BN)
        k = tl.arange(0, BK)
        a, b = a_ptr + m[:, None] * sam + k[None, :], b_ptr + n[None, :] * sbn + k[:, None]
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for _ in range(tl.cdiv(K, BK)):
            acc = tl.dot(tl.load(a), tl.load(b), acc)
            a += BK
            b += BK
        tl.store(c_ptr + m[:, None] * scm + n[None, :], acc.to(tl.bfloat16))

    return gemm


def assembly(chip: str, tile: tuple[int, int, int], waves: int, stages: int, side: int,
             **switches: str) -> tuple[str, int]:
    """(assembly, bytes of dynamic LDS). `side`: of the matrix instruction, 16 or 32."""
    os.environ.update({**SWITCHES, **switches})
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, compile

    names = ("a_ptr", "b_ptr", "c_ptr", "M", "N", "K", "sam", "sbn", "scm")
    signature = {n: "*bf16" if n.endswith("ptr") else "i32" for n in names} | dict.fromkeys(("BM", "BN", "BK"),
                                                                                           "constexpr")
    attrs = {(i,): [["tt.divisibility", 16], *([["tt.pointer_range", 32]] if i < POINTERS else [])] for i in range(9)}
    source = ASTSource(kernel(), signature, constexprs=dict(zip(("BM", "BN", "BK"), tile, strict=True)), attrs=attrs)
    made = compile(source, target=GPUTarget("hip", chip, 64),
                   options={"num_warps": waves, "num_stages": stages, "matrix_instr_nonkdim": side})
    text = made.asm["amdgcn"]
    dashed = chip.removeprefix("gfx")
    text = text.replace(f"amdgpu{dashed[0]}.{dashed[1:]}-amd-amdhsa-unknown-{chip}", f"amdgcn-amd-amdhsa--{chip}")
    return text, made.metadata.shared
