"""Straight-line code of a wave of gfx942, drawn by lot: a seed and a mix come in, lines of assembly go out. The model of
a compute unit is held against llvm-mca on it, by `cu_model.py` and by the tests."""

from __future__ import annotations

import random

MIXES = {
    "GEMM": {"matrix": 6, "vector": 2, "scalar": 1, "lds": 2, "memory": 0.5, "wait": 0.5},
    "softmax": {"matrix": 3, "vector": 6, "slow": 3, "scalar": 1, "lds": 1, "wait": 0.5},
    "scalar": {"vector": 3, "scalar": 5, "slow": 1}, "LDS": {"lds": 5, "vector": 3, "wait": 2},
    "memory": {"memory": 2, "vector": 4, "wait": 2, "scalar": 1},
}  # fmt: skip


def drawn(seed: int, mix: dict[str, float], count: int = 100) -> list[str]:
    """`count` instructions of a mix (weights of kinds), with registers by lot: so many depend on one another."""
    r = random.Random(seed)

    def v(n: int, file: str = "v", top: int = 64) -> str:
        at = r.randrange(top // n) * n
        return f"{file}{at}" if n == 1 else f"{file}[{at}:{at + n - 1}]"

    def one(kind: str) -> str:
        c, c16 = v(4, "a", 128), v(16, "a", 128)
        return r.choice({
            "matrix": [f"v_mfma_f32_16x16x16_bf16 {c}, {v(2)}, {v(2)}, {c}",
                       f"v_mfma_f32_32x32x8_bf16 {c16}, {v(2)}, {v(2)}, {c16}",
                       f"v_mfma_f32_16x16x32_fp8_fp8 {c}, {v(2)}, {v(2)}, {c}",
                       f"v_mfma_f32_16x16x16_bf16 {v(4)}, {v(2)}, {v(2)}, {v(4)}"],
            "vector": [f"v_add_f32 {v(1)}, {v(1)}, {v(1)}", f"v_mov_b32 {v(1)}, {v(1)}",
                       f"v_fma_f32 {v(1)}, {v(1)}, {v(1)}, {v(1)}", f"v_pk_mul_f32 {v(2)}, {v(2)}, {v(2)}",
                       f"v_lshl_add_u32 {v(1)}, {v(1)}, 2, {v(1)}", f"v_mul_lo_u32 {v(1)}, {v(1)}, {v(1)}"],
            "slow": [f"v_exp_f32 {v(1)}, {v(1)}", f"v_cvt_f32_i32 {v(1)}, {v(1)}", f"v_rcp_f32 {v(1)}, {v(1)}"],
            "scalar": [f"s_add_u32 s{r.randrange(16)}, s{r.randrange(16)}, s{r.randrange(16)}"],
            "lds": [f"ds_read_b128 {v(4)}, {v(1)}", f"ds_write_b64 {v(1)}, {v(2)}", f"ds_read_b64 {v(2)}, {v(1)}"],
            "memory": [f"buffer_load_dwordx4 {v(4)}, {v(1)}, s[20:23], 0 offen"],
            "wait": [f"s_waitcnt lgkmcnt({r.randrange(4)})", f"s_waitcnt vmcnt({r.randrange(4)})", "s_nop 1"],
        }[kind])

    return [one(k) for k in r.choices(list(mix), list(mix.values()), k=count)]
