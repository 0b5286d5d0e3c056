"""`ptx`: what a kernel calls. Each call adds the instructions that it names to the kernel that is being traced."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import pyptx.ptx.clusters as cluster
import pyptx.ptx.cp as cp
import pyptx.ptx.fence as fence
import pyptx.ptx.mbarrier as mbarrier
import pyptx.ptx.special as special
import pyptx.ptx.tcgen05 as tcgen05
import pyptx.ptx.tma as tma
import pyptx.ptx.warp as warp
import pyptx.ptx.wgmma as wgmma
from pyptx._errors import PyptxTypeError, fail
from pyptx._operands import addr
from pyptx.ptx.block_barriers import (
    NamedBarrier,
    bar,
    elect_sync,
    named_barrier,
    setmaxnreg,
    setmaxnreg_dec,
    setmaxnreg_inc,
)
from pyptx.ptx.flow import (
    PipelineState,
    bra,
    else_,
    expr,
    file_,
    global_ptrs,
    if_,
    kloop,
    label,
    loc,
    loop,
    param,
    pipe,
    pipeline,
    pragma,
    range_,
    raw,
    ret,
    scope,
    var,
)
from pyptx.ptx.inst import inst
from pyptx.ptx.matrix import ldmatrix, mma, stmatrix, stmatrix_x4_trans_f32_bf16
from pyptx.ptx.plain import (
    add,
    and_,
    cvt,
    cvta,
    ld,
    mad,
    mov,
    mul,
    not_,
    or_,
    selp,
    setp,
    shl,
    shr,
    st,
    sub,
    xor_,
)
from pyptx.ptx.special import ctaid_x, ctaid_y, sreg

__all__ = [
    "NamedBarrier", "PipelineState", "add", "addr", "and_", "bar", "bra", "cluster", "cp", "ctaid_x", "ctaid_y", "cvt",
    "cvta", "elect_sync", "else_", "expr", "fence", "file_", "global_ptrs", "if_", "inst", "kloop", "label", "ld",
    "ldmatrix", "loc", "loop", "mad", "mbarrier", "mma", "mov", "mul", "named_barrier", "not_", "or_", "param", "pipe",
    "pipeline", "pragma", "range_", "raw", "ret", "scope", "selp", "setmaxnreg", "setmaxnreg_dec", "setmaxnreg_inc",
    "setp", "shl", "shr", "special", "sreg", "st", "stmatrix", "stmatrix_x4_trans_f32_bf16", "sub", "tcgen05", "tma",
    "var", "warp", "wgmma", "xor_",
]  # fmt: skip


class NoName(PyptxTypeError, AttributeError):
    """A name that `ptx` does not have (T241)."""


if not TYPE_CHECKING:  # a checker knows all names

    def __getattr__(name: str) -> Any:
        """What there is not, with a word on what is close to it."""
        if name.startswith("_"):
            raise AttributeError(f"ptx has no `{name}`", name=name)
        near = ", ".join(f"ptx.{x}" for x in difflib.get_close_matches(name, __all__, 2))
        hint = f"close to it: {near}; ptx.inst has all instructions" if near else "ptx.inst has all instructions"
        raise fail(NoName, f"ptx.{name}", "there is no such name", hint)
