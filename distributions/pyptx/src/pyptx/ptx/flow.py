"""Control flow that the kernel executes, and what else a body has besides instructions: labels and branches, loops,
pipelines, braces, variables, parameters, text of PTX.

Python's own `for` and `if` run while the kernel is traced."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pyptx.types as t
from avelang.base.places import wrong
from avelang.nvptx import nodes as n
from avelang.nvptx.declarations import variable as variable_faults
from avelang.nvptx.parse import SPACES
from avelang.ptx import statements
from avelang.ptx.registers import typed
from avelang.ptx.trace import is_identifier
from pyptx._errors import PyptxRuntimeError, bad_type, bad_value, fail
from pyptx._operands import Address, addr, emit
from pyptx._registers import NegPred, Reg, move, scalar
from pyptx._trace import get_ctx
from pyptx._words import WORDS
from pyptx.ptx.inst import InstructionName
from pyptx.types import as_ptx_type


def _not(pred: Any) -> Any:
    return pred.reg if isinstance(pred, NegPred) else NegPred(pred)


def label(name: str) -> None:
    """Places a label here. Raises T224 for one that stands already."""
    get_ctx().place(name)


def bra(label: str, *, pred: Any = None) -> None:
    """`bra label`."""
    emit(("bra",), label, pred=pred)


def ret(*, pred: Any = None) -> None:
    """`ret`: the end of the kernel for this thread."""
    emit(("ret",), pred=pred)


@contextlib.contextmanager
def if_(pred_reg: Any) -> Iterator[None]:
    """The block is executed where the predicate holds. Registers that it makes live on behind it. `ptx.else_()` may
    follow directly."""
    trace = get_ctx()
    if not isinstance(pred_reg, (Reg, NegPred)):
        raise wrong("T225", WORDS["T225"], got=repr(pred_reg))
    other, end = trace.new_label("else"), trace.new_label("endif")
    bra(other, pred=_not(pred_reg))
    yield
    bra(end)
    trace.place(other)
    trace.place(end)
    trace.ends.add(end)


@contextlib.contextmanager
def else_() -> Iterator[None]:
    """The other side of the `ptx.if_` that has just ended. Raises RuntimeError (T241) where there is none."""
    trace = get_ctx()
    last = trace.statements[-1] if trace.statements else None
    if not isinstance(last, n.LabelMark) or last.name not in trace.ends:
        raise fail(PyptxRuntimeError, "ptx.else_", "it must follow a ptx.if_ directly")
    trace.statements.pop()
    trace.lines.pop()
    trace.ends.discard(last.name)
    del trace.labels[last.name]
    yield
    trace.place(last.name)


@contextlib.contextmanager
def loop(label_name: str, *, pred: Any = None) -> Iterator[None]:
    """The block, again as long as the predicate holds at its end; without one for ever. It is entered in any case."""
    trace = get_ctx()
    trace.place(label_name)
    yield
    emit(("bra",) if pred is not None else ("bra", "uni"), label_name, pred=pred)


def range_(start: Any, stop: Any, step: int = 1) -> Iterator[Reg]:
    """`for k in ptx.range_(0, K, 64)`: a loop that runs; its body is traced once, k is an s32 register. start and stop
    are ints or registers of 32 bits."""
    trace = get_ctx()
    if not isinstance(step, int) or step == 0:
        raise bad_value("ptx.range_", f"the step is an int other than 0, not {step!r}")
    k = Reg(trace.outermost(t.s32, "%ri"), t.s32, trace)
    again, end = trace.new_label("loop"), trace.new_label("endloop")
    stop = stop.value() if isinstance(stop, Reg) else stop
    emit(("mov", "s32"), k, start)
    trace.place(again)
    done = scalar(t.pred)
    emit(("setp", "ge" if step > 0 else "le", "s32"), done, k, stop)
    bra(end, pred=done)
    trace.left[end] = "for ... in ptx.range_(...)"
    yield k
    del trace.left[end]
    emit(("add", "s32"), k, k, step)
    bra(again)
    trace.place(end)


def scope() -> contextlib.AbstractContextManager[None]:
    """Braces: registers and labels that are made within are known up to their end."""
    return get_ctx().braces()


# -- loops over K, and pipelines ---------------------------------------------------------------------------------------


def kloop(total: Any, *, unroll: int, body: Callable[[], Any], loop_label: str = "kloop") -> None:
    """The body `total` times. Of an int: written that often. Of a register: a loop with `unroll` bodies (a power of
    two), then what is left, up to unroll - 1, behind nested ifs."""
    if not isinstance(unroll, int) or unroll < 1 or unroll & (unroll - 1):
        raise bad_value("ptx.kloop", f"unroll is a power of two, not {unroll!r}")
    if isinstance(total, int) and not isinstance(total, bool):
        for _ in range(total):
            body()
        return
    if not isinstance(total, Reg):
        raise bad_type("ptx.kloop", f"the number of trips is an int or a register, not {total!r}")
    count = total.value()
    rest = count & (unroll - 1)
    left = count - rest
    with if_(count >= unroll):
        more = scalar(t.pred)
        with loop(loop_label, pred=more):
            for _ in range(unroll):
                body()
            left -= unroll
            emit(("setp", "ne", "u32"), more, left, 0)
    _ladder(rest, 0, unroll - 1, body)


def _ladder(rest: Reg, done: int, most: int, body: Callable[[], Any]) -> None:
    """The body once more where `rest` is over `done`, and so on."""
    if done == most:
        return
    with if_(rest != done):
        body()
        _ladder(rest, done + 1, most, body)


class PipelineState:
    """The place in a ring of `n_stages` buffers: `cursor`, the next stage, and `phase`, the parity of its barrier, both
    u32 registers."""

    def __init__(self, n_stages: int, cursor: Reg, phase: Reg):
        self.n_stages, self.cursor, self.phase = n_stages, cursor, phase

    def advance(self) -> tuple[Reg, Reg]:
        """(stage, phase) of the next buffer. The phase flips where the ring begins anew; it is the live register."""
        wrap = self.cursor == self.n_stages
        flip, stage = scalar(t.u32), scalar(t.u32)
        emit(("selp", "u32"), flip, 1, 0, wrap)
        self.phase ^= flip
        emit(("selp", "u32"), stage, 0, self.cursor, wrap)
        emit(("add", "s32"), self.cursor, stage, 1)
        return stage, self.phase


def pipeline(n_stages: int, *, cursor: Reg | None = None, phase: Reg | None = None) -> PipelineState:
    """A ring of so many stages. cursor and phase begin at 0 where they are not given."""
    if not isinstance(n_stages, int) or isinstance(n_stages, bool) or n_stages < 1:
        raise bad_value("ptx.pipeline", f"{n_stages!r} stages; an int from 1 on is wanted")
    first = scalar(t.u32, 0) if cursor is None else cursor
    return PipelineState(n_stages, first, scalar(t.u32, 0) if phase is None else phase)


@contextlib.contextmanager
def expr() -> Iterator[None]:
    """Instructions that belong together. They are written in order, as anywhere."""
    get_ctx()
    yield


class Pipe(InstructionName):
    """A chain: each instruction reads what the one before has written."""

    __slots__ = ("_source",)

    def __init__(self, source: Any, parts: tuple[str, ...] = ()):
        super().__init__(parts)
        self._source = source

    def _longer(self, parts: tuple[str, ...]) -> Pipe:
        return Pipe(self._source, parts)

    def __call__(self, dst: Any, *operands: Any, pred: Any = None) -> Pipe:
        """Adds the instruction `dst, source, operands`; the chain goes on with dst."""
        emit(self._parts, dst, self._source, *operands, pred=pred)
        return Pipe(dst)


def pipe(src: Any) -> Pipe:
    """A chain that begins with a register: `ptx.pipe(a).add.s32(b, 5).and_.b32(c, 3)`."""
    return Pipe(src)


# -- text, variables, parameters ---------------------------------------------------------------------------------------


def raw(text: str) -> None:
    """Statements as PTX has them, which are read but not checked against the table. Raises T232."""
    get_ctx()
    statements.raw(text)


def pragma(value: str) -> None:
    """`.pragma "value";`"""
    get_ctx().add(n.Pragma((value,)))


def loc(file_idx: int, line: int, col: int = 0) -> None:
    """`.loc file line column`."""
    get_ctx().add(n.Loc(file_idx, line, col))


def file_(file_idx: int, filename: str) -> None:
    """`.file index "name"`, before the function."""
    get_ctx().files.append(n.File(file_idx, filename))


def var(
    state_space: str, dtype: Any, name: str, *, size: int | None = None, align: int | None = None,
    linking: str | None = None,
) -> str:  # fmt: skip
    """Declares a variable here; its name. `size` in elements makes it an array. Raises ValueError (T241), S212."""
    kind, trace = as_ptx_type(dtype, "ptx.var"), get_ctx()
    space = state_space.lstrip(".").replace("__", "::")
    dims = () if size is None else (n.Int(size),)
    if not is_identifier(name):
        raise bad_value("ptx.var", f"{name!r} is no identifier of PTX")
    if f".{space}" not in SPACES:
        raise bad_value("ptx.var", f"{state_space!r} is no space: {', '.join(sorted(x[1:] for x in SPACES))} are")
    made = n.PtxVariable(space, kind.held, name, align=align, dims=dims, linkage=(linking or "").lstrip("."))
    for why in variable_faults(made, inside=True):
        raise wrong("S212", what="the variable", name=name, why=why)
    trace.symbols[name] = space.partition("::")[0]
    trace.add(made)
    return name


def param(dtype: Any, name: Any, dst: Reg | None = None) -> Reg:
    """A parameter in a register: `ld.param`; of an array its address, by `mov`."""
    kind, trace = as_ptx_type(dtype, "ptx.param"), get_ctx()
    out = dst if dst is not None else scalar(kind)
    text = name if isinstance(name, str) else name.name
    if "array" in trace.raw_types.get(text, ""):
        move(out, text)
    else:
        emit(typed(("ld", "param"), kind.ave), out, Address(text))
    return out


def global_ptrs(*tensors: Any) -> tuple[Reg, ...]:
    """The addresses of tensors in global memory, in b64 registers: `ld.param.u64`, `cvta.to.global.u64`."""
    out = []
    for tensor in tensors:
        pointer = scalar(t.b64)
        emit(("ld", "param", "u64"), pointer, addr(tensor))
        emit(("cvta", "to", "global", "u64"), pointer, pointer)
        out.append(pointer)
    return tuple(out)
