"""Scratch memory: the tensors of `al.make_scratch` come in; one allocation for all of a slot goes out, of which they
are views."""

from __future__ import annotations

import ast
from typing import Any

from avelang.frontend import tensor_access
from avelang.frontend.frame import Build, Frame
from avelang.frontend.values import Ref, describe
from avelang.ir.core import Block, Op
from avelang.ir.dtypes import DType, u8
from avelang.ir.types import SHARED, TensorType, extent

ALIGN = 128  # bytes: what the widest accesses and swizzles of any chip take


def allocate(f: Frame, d: DType, shape: tuple[Any, ...], slot: Any, node: ast.AST) -> Ref:
    """A tensor of a slot. Raises T017."""
    if isinstance(slot, bool) or not isinstance(slot, int):
        f.fail("T017", node, what="the slot of al.make_scratch", got=describe(slot))
    made = tensor_access.alloc(f, d, shape, SHARED, ALIGN)
    assert made.value.op is not None
    f.build.scratch.setdefault(slot, []).append(made.value.op)
    return made


def join(build: Build, body: Block) -> None:
    """Gives the tensors of each slot with several the same memory."""
    for ops in build.scratch.values():
        if len(ops) < 2:
            continue
        sizes = [extent(op.result.type) for op in ops if isinstance(op.result.type, TensorType)]
        most = max(sizes)
        memory = Op("alloc", (), (TensorType(u8, (most,), (1,), SHARED),), {"name": "scratch", "align": ALIGN},
                    span=ops[0].span)  # fmt: skip
        body.ops.insert(0, memory)
        memory.results[0].owner = memory
        for op in ops:
            op.name, op.operands, op.attrs = "view", [memory.result], {}
