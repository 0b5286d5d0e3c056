"""The types of PTX: see `avelang.ptx.types`."""

from avelang.ptx.types import (
    Type,
    b8,
    b16,
    b32,
    b64,
    b128,
    bf16,
    bf16x2,
    e4m3,
    e5m2,
    f16,
    f16x2,
    f32,
    f64,
    pred,
    s8,
    s16,
    s32,
    s64,
    tf32,
    u8,
    u16,
    u32,
    u64,
)  # fmt: skip

__all__ = [
    "Type", "b8", "b16", "b32", "b64", "b128", "bf16", "bf16x2", "e4m3", "e5m2", "f16", "f16x2", "f32", "f64", "pred", "s8", "s16", "s32", "s64",
    "tf32", "u8", "u16", "u32", "u64",
]  # fmt: skip
