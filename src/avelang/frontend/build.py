"""The frontend's door: a function, its compile-time arguments and a chip come in, a verified kernel in phase "tensors"
goes out."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import avelang.arch as arch
from avelang.base.errors import AveError, error
from avelang.base.garbage import rarer_collections
from avelang.frontend import calls, expr, scratch, shapes, stmt
from avelang.frontend.blocks import block
from avelang.frontend.constants import constant
from avelang.frontend.frame import MISSING, Build, BuildFacts, Frame, Restart, Visitors
from avelang.frontend.names import DYNAMIC
from avelang.frontend.signature import EMPTY, ParamSpec, signature
from avelang.frontend.source import FunctionSource
from avelang.frontend.storage import changed_names
from avelang.frontend.values import Ref, SignalRef
from avelang.ir.core import Block, Kernel, walk
from avelang.ir.types import GLOBAL, SHARED, PtrType, TensorType, extent
from avelang.ir.verify import verify

# The lanes of a wave where no intrinsic and no target says otherwise.
DEFAULT_WAVE = 64

VISITORS: Visitors = {**stmt.VISITORS, **expr.VISITORS, ast.Call: calls.call}


def build(source: FunctionSource, constexprs: Mapping[str, object], chip: arch.Chip | None = None,
          block: tuple[int, int, int] | None = None) -> Kernel:  # fmt: skip
    """The IR of one kernel, specialized to `constexprs` (one value for each constexpr parameter without a default).

    Without `chip`, the first chip that has all intrinsics used is taken (`arch.infer`). `block`: extents of the blocks
    of the launch, for `al.block_threads()`. Raises errors of the catalogue at the user's line."""
    known = BuildFacts()
    state = Build(Block(), chip, known, VISITORS, block)
    try:
        with rarer_collections():
            while True:
                try:
                    return _kernel(source, constexprs, chip, state, state.b.block)
                except Restart:
                    pass
                except AveError:
                    # Perhaps only as what stands in for a value is not the value (`stand_ins.py`).
                    if not known.hopeful or not state.heap.hoped:
                        raise
                    known.hopeful = False
                    known.changed.clear()
                state = Build(Block(), chip, known, VISITORS, block)
    except AveError as e:
        e.span = e.span or state.b.span
        raise
    except RecursionError as e:
        raise error("U002", state.b.span or source.span(source.tree)) from e
    except Exception as e:  # a fault of the frontend's own
        raise error("V003", state.b.span or source.span(source.tree), why=f"{type(e).__name__}: {e}") from e


def _kernel(source: FunctionSource, constexprs: Mapping[str, object], chip: arch.Chip | None, state: Build,
            body: Block) -> Kernel:
    frame = Frame(state, source, source.tree)
    frame.in_memory = changed_names(source, source.tree, state.known)
    frame.returned = lambda value, node: frame.fail("T054", node, name=source.name) if value is not None else None
    span = source.span(source.tree)
    for spec in signature(source):
        _enter(frame, spec, constexprs, body)
    state.active.append((source.tree, frame))
    block(frame, source.tree.body, frozenset(), tail=True)
    scratch.join(state, body)
    state.b.span = span
    chip = chip or state.chip or _infer(state)
    wave = chip.wave if chip is not None else DEFAULT_WAVE
    for op in state.shuffles:
        if op in state.whole_wave:
            op.attrs["width"] = wave
        elif op.attrs["width"] > wave:
            raise error("T076", op.span, width=op.attrs["width"], wave=wave,
                        chip=chip.name if chip is not None else "this target")
    attrs: dict[str, Any] = {"wave": wave, "chip": chip.name if chip is not None else "", "file": source.file}
    if state.threads:
        attrs["threads"] = tuple(state.threads)
    kernel = Kernel(source.name, body.args, body, attrs, span)
    _shared_fits(kernel, chip)
    verify(kernel, "tensors")
    return kernel


def _shared_fits(kernel: Kernel, chip: arch.Chip | None) -> None:
    """Raises U203, at the allocation that is too much, where a block's shared memory exceeds what the chip gives (any
    chip, where none is named)."""
    limit = chip.lds_bytes if chip is not None else max(c.lds_bytes for c in arch.CHIPS.values())
    have = 0
    for op in walk(kernel.body):
        t = op.result.type if op.name == "alloc" else None
        if isinstance(t, TensorType) and t.space == SHARED:
            have += -(-extent(t) // 16) * 16
            if have > limit:
                raise error("U203", op.span, kernel=kernel.name, have=have, limit=limit,
                            target=chip.name if chip is not None else "the largest chip")


def _enter(f: Frame, spec: ParamSpec, constexprs: Mapping[str, object], body: Block) -> None:
    """Makes a parameter: an argument of the body, or a compile-time value."""
    if spec.kind == "constexpr":
        value = constant(constexprs.get(spec.name, spec.default))
        if value is MISSING and spec.name in constexprs:
            given = constexprs[spec.name]
            kind = f"an object of type {type(given).__name__}"
            got = f"the class {given.__qualname__}" if isinstance(given, type) else kind
            raise error("L020", f.source.span(f.node), kernel=f.source.name, param=spec.name, got=got)
        if value is MISSING or value is EMPTY:
            raise error("T074", f.source.span(f.node), name=spec.name, kernel=f.source.name)
        f.env.set(spec.name, value)
        return
    assert spec.dtype is not None
    if spec.open is not None:
        if spec.name not in constexprs:
            raise error("T074", f.source.span(f.node), name=f"the shape of {spec.name}", kernel=f.source.name)
        _fits(f, spec, constexprs[spec.name])
        spec = spec.filled(constexprs[spec.name])
    assert spec.dtype is not None
    if spec.kind == "scalar":
        f.env.set(spec.name, body.add_arg(spec.name, spec.dtype))
    elif spec.kind == "pointer":
        pointer = body.add_arg(spec.name, PtrType(spec.dtype, GLOBAL))
        f.env.set(spec.name, pointer)
        if spec.ranks:
            f.build.ranks = pointer
    elif spec.map is not None:
        f.env.set(spec.name, body.add_arg(spec.name, spec.map))
    else:
        t = TensorType(spec.dtype, shapes.leaves(spec.shape), shapes.leaves(spec.strides), GLOBAL)
        held = Ref(body.add_arg(spec.name, t), spec.shape, spec.strides)
        f.env.set(spec.name, SignalRef(held) if spec.signals else held)


def _fits(f: Frame, spec: ParamSpec, given: object) -> None:
    """Raises L013 where extents that stand for those of an array are none of the parameter's annotation."""
    assert spec.open is not None
    extents, strides = shapes.leaves(spec.open.shape), shapes.leaves(spec.open.strides)
    want = (*extents, *(strides if DYNAMIC in strides else ()))
    if isinstance(given, (tuple, list)) and len(given) == len(want):
        if all(isinstance(x, int) and (y == DYNAMIC or x == y) for x, y in zip(given, want, strict=True)):
            return
    words = ", ".join("n" if x == DYNAMIC else str(x) for x in want) + ("," if len(want) == 1 else "")
    behind = ", strides behind the extents" if len(want) > len(extents) else ""
    raise error("L013", f.source.span(f.node), kernel=f.source.name, param=spec.name, want=spec.open, got=repr(given),
                expected=f"({words}){behind}")


def _infer(state: Build) -> arch.Chip | None:
    """The chip that the intrinsics used ask for. Raises U102 where no chip has them all."""
    if not state.rows:
        return None
    try:
        return arch.infer(list(state.rows.values()))
    except AveError as e:
        e.span = e.span or list(state.row_spans.values())[-1]
        raise
