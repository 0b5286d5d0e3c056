"""`ptx`: what a kernel of the instruction level calls. Each call adds what it says to the kernel that is being
traced."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from avelang.base.errors import AveTypeError
from avelang.base.places import wrong
from avelang.nvptx.readings import FORMS
from avelang.ptx.control_flow import (
    bar_sync,
    block,
    bra,
    break_,
    cluster,
    continue_,
    do_while,
    elect_sync,
    else_,
    exit_,
    if_,
    label,
    loop,
    not_,
    ret,
    syncthreads,
    when,
)
from avelang.ptx.copy_ops import cp_async, fence, mbarrier, tma
from avelang.ptx.instruction_names import inst
from avelang.ptx.mma_ops import ldmatrix, mma, stmatrix, wgmma
from avelang.ptx.module import module
from avelang.ptx.refusals import as_class
from avelang.ptx.shared_memory import addr, global_ptr, global_ptrs, param
from avelang.ptx.special_registers import special
from avelang.ptx.statements import (
    branch_targets,
    call,
    call_targets,
    parameter,
    pragma,
    prototype,
    raw,
    scope,
    variable,
)
from avelang.ptx.statements import text_operand as operand

__all__ = [
    "addr", "bar_sync", "block", "bra", "branch_targets", "break_", "call", "call_targets", "cluster",
    "continue_", "cp_async", "do_while", "elect_sync", "else_", "exit_", "fence", "global_ptr", "global_ptrs",
    "if_", "inst", "label", "ldmatrix", "loop", "mbarrier", "mma", "module", "not_", "operand", "param",
    "parameter", "pragma", "prototype", "raw", "ret", "scope", "special", "stmatrix", "syncthreads", "tma",
    "variable", "wgmma", "when",
]  # fmt: skip


class NoName(AveTypeError, AttributeError):
    """A name that `ptx` does not have (T111): as Python expects it of a missing attribute, and coded as all that is
    wrong in a kernel."""


if not TYPE_CHECKING:  # a checker knows all names

    def __getattr__(name: str) -> Any:
        """What there is not, with a word on where it is."""
        if name.startswith("_"):
            raise AttributeError(f"ptx has no `{name}`", name=name)
        near = [x for x in __all__ if x.startswith(f"{name}_")] or difflib.get_close_matches(name, __all__, 2)
        close = f"close to it: {', '.join(f'ptx.{x}' for x in near)}; " if near else ""
        hint = (
            f"{close}ptx.inst.{name}... writes instructions of that name"
            if name in FORMS
            else f"{close}ptx.inst has all instructions"
        )
        found = wrong("T111", hint=hint, name=name)
        raise as_class(NoName, found)
