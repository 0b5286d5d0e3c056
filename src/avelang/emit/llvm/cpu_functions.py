"""Ops that are done by a function of the module: an op with the attribute "function" comes in; a call goes out, and the
function, once.

Operands and a scalar result pass in registers, a vector as stack memory that the caller lends."""

from __future__ import annotations

from collections.abc import Callable

from avelang.emit.llvm.cpu_parts import parts, shape, unparts
from avelang.emit.llvm.cpu_values import S, StackVector, elem
from avelang.emit.llvm.cpu_vectors import to_slot
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.core import Block, Kernel, Op
from avelang.ir.dtypes import DType
from avelang.ir.types import VecType

Run = Callable[[WaveWriter, Block], None]


def emit_call(w: WaveWriter, op: Op, run: Run) -> None:
    """The call of an op's function, under the mask where it does more than compute."""
    function = w.kernel.functions[op.attrs["function"]]
    masked = bool(op.defn.effects) and w.mask is not None
    name = f"do.{function.name}{'.masked' if masked else ''}"
    if name not in w.called:
        w.called[name] = _define(w, function, name, masked, run)
    args = [x for v, p in zip(op.operands, function.params, strict=True)
            for x in parts(w, w.env[v], v.type, not p.uniform)]
    if masked:
        word = f"i{w.W}"
        args.append((word, w.op(f"bitcast {w.t('i1')} {w.mask_text(w.mask)} to {word}")))
    t = op.result.type
    if isinstance(t, VecType):
        slot = w.new_slot(t)
        args.append(("ptr", slot.ptr))
        w.do(f"call void @{name}({', '.join(f'{kind} {x}' for kind, x in args)})")
        w.bind(op.result, slot)
        return
    assert isinstance(t, DType)
    wide = w.called[name]
    text = w.op(f"call {w.t(elem(t), wide)} @{name}({', '.join(f'{kind} {x}' for kind, x in args)})")
    w.bind(op.result, w.made(text, wide))


def _define(w: WaveWriter, function: Kernel, name: str, masked: bool, run: Run) -> bool:
    """Adds a function to the module; whether a scalar result is one of each lane."""
    params: list[str] = []

    def param(kind: str) -> str:
        params.append(f"{kind} %x{len(params)}")
        return f"%x{len(params) - 1}"

    with w.apart():
        for p in function.params:
            texts = [param(kind) for kind in shape(w, p.type, not p.uniform)]
            w.env[p] = unparts(w, texts, p.type, not p.uniform)
        if masked:
            w.mask = w.op(f"bitcast i{w.W} {param(f'i{w.W}')} to {w.t('i1')}")
        run(w, function.body)
        value = function.body.terminator.operands[0]
        rep, t = w.env[value], value.type
        wide, result, text = not isinstance(rep, S), "void", ""
        if isinstance(t, VecType):
            to_slot(w, rep, t, StackVector(param("ptr"), t.n, elem(t.dtype)))
        else:
            assert isinstance(t, DType)
            ((result, text),) = parts(w, rep, t, wide)
        w.module.define(name, result, ", ".join(params), w.body, text)
    return wide
