"""Rows by which the lanes of a warp, or the threads of a block, tell one another of a condition or a value: votes,
matches, and barriers that count.

As shuffles do, votes and matches take the lanes that execute them: in a branch those that took it. CUDA's mask of lanes
is what the compiler knows of that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Op, Value
from avelang.ir.dtypes import f32, f64, i32, i64, u1, u32, u64
from avelang.ir.types import SHARED, TensorType, dtype_of
from avelang.isa.asm import Asm
from avelang.isa.lowering import AMONG, Emitter, Lowering
from avelang.isa.lowering_helpers import active_mask, first_active, pointer
from avelang.isa.row import Param, Row, register
from avelang.isa.wave_protocol import Machine, Waiting

SM_75 = frozenset({"sm_75"})
CONVERGENT = frozenset({"convergent"})
MEETING = frozenset({"read", "write", "sync", "convergent"})
WORDS = (i32, u32, f32, i64, u64, f64)
COND = Param("cond", u1, "a condition")


def _spelled(name: str, result: str) -> dict[str, Any]:
    """The spelling of a row that is called with the lanes that take part, then its operand. `{bits}` in the name: the
    operand's bits as an integer; of a struct the first field is the result."""

    def emit(w: Emitter, op: Op, name: str) -> str:
        v = op.operands[0]
        bits = f"i{dtype_of(v.type).bits}"
        value = w.bitcast(w.value(v), w.type(v.type), bits)
        got = w.call(name.format(bits=bits), result, ("i32", w.members or "-1"), (bits, value))
        return w.op(f"extractvalue {result} {got}, 0") if result[0] == "{" else got

    return {"nvptx": Lowering(name, emit=emit, marks=frozenset({AMONG}))}


def _here(w: Emitter, op: Op, name: str) -> str:
    return w.call(name, "i32", ("i32", w.members or "-1"), ("i1", "true"))


def _word(wave: Machine, cond: np.ndarray) -> np.uint32:
    """A bit for each active lane that has the condition."""
    return np.packbits(wave.active & cond, bitorder="little").view(np.uint32)[0]


def _votes(b: Builder, cond: Value) -> Value:
    """u32: a bit for each active lane that has the condition."""
    return b.convert(b.emit("ballot", (cond,), (u64,)).result, u32)


def _active(b: Builder) -> Value:
    return b.convert(active_mask(b), u32)


def _not(b: Builder, cond: Value) -> Value:
    return b.xor(cond, b.const(True, u1))


# -- votes -------------------------------------------------------------------------------------------------------------

_MODES: tuple[tuple[str, str, Any, Any], ...] = (
    ("any", "True in every active lane where the condition holds in any of them.",
     lambda wave, cond: (wave.active & cond).any(),
     lambda b, cond: b.cmp("ne", _votes(b, cond), b.const(0))),
    ("all", "True in every active lane where the condition holds in all of them.",
     lambda wave, cond: not (wave.active & ~cond).any(),
     lambda b, cond: b.cmp("eq", _votes(b, _not(b, cond)), b.const(0))),
    ("uni", "True in every active lane where the condition is the same in all of them.",
     lambda wave, cond: not (wave.active & cond).any() or not (wave.active & ~cond).any(),
     lambda b, cond: b.or_(b.cmp("eq", _votes(b, cond), b.const(0)), b.cmp("eq", _votes(b, _not(b, cond)),
                                                                            b.const(0)))),
)  # fmt: skip


def _everywhere(meaning: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """A meaning that is one number for the warp, in every lane."""
    return lambda wave, *args: np.full(wave.lanes, meaning(wave, *args))


for _mode, _doc, _meaning, _lower in _MODES:
    register(Row(
        f"nvvm.vote_{_mode}", (COND,), u1, f"{_doc} CUDA's `__{_mode}_sync`, for the lanes that are here.",
        f"PTX ISA 9.0, 9.7.13.9, vote.sync.{_mode}", SM_75, _everywhere(_meaning), CONVERGENT, _lower,
        ptx=f"vote.sync.{_mode}.pred", llvm=_spelled(f"llvm.nvvm.vote.{_mode}.sync", "i1")))  # fmt: skip
register(Row(
    "nvvm.vote_ballot", (COND,), u32, "Bit l is set where lane l is active and its condition holds; the same in every "
    "active lane. CUDA's `__ballot_sync`, for the lanes that are here.", "PTX ISA 9.0, 9.7.13.9, vote.sync.ballot",
    SM_75, _everywhere(_word), CONVERGENT, _votes, aliases=("ballot",),
    ptx="vote.sync.ballot.b32", llvm=_spelled("llvm.nvvm.vote.ballot.sync", "i32")))  # fmt: skip
register(Row(
    "nvvm.activemask", (), u32, "Bit l is set where lane l is active: in a branch, where it took that. CUDA's "
    "`__activemask` gives those that happen to run together; this one waits for all that the branch has.",
    "PTX ISA 9.0, 9.7.13.9, vote.sync.ballot", SM_75, _everywhere(lambda wave: _word(wave, wave.active)), CONVERGENT,
    _active, ptx="vote.sync.ballot.b32",
    llvm={"nvptx": Lowering("llvm.nvvm.vote.ballot.sync", emit=_here, marks=frozenset({AMONG}))}))  # fmt: skip

# -- matches -----------------------------------------------------------------------------------------------------------


def _match_any(wave: Machine, value: np.ndarray) -> np.ndarray:
    bits = value.view(f"u{value.itemsize}")
    equal = (bits[:, None] == bits[None, :]) & wave.active[None, :]
    return np.packbits(equal, axis=1, bitorder="little").view(np.uint32)[:, 0]


def _match_all(wave: Machine, value: np.ndarray) -> np.ndarray:
    bits = value.view(f"u{value.itemsize}")[wave.active]
    alike = (bits == bits[:1]).all()
    return np.full(wave.lanes, _word(wave, wave.active) if alike else 0, np.uint32)


def _expand_match(b: Builder, value: Value) -> Value:
    """Lanes that agree in each bit. Votes, not shuffles: those would read lanes that are not here."""
    wide = dtype_of(value.type).bits
    kind = u64 if wide == 64 else u32
    word, same = b.bitcast(value, kind), _active(b)
    for i in range(wide):
        bit = b.cmp("ne", b.and_(word, b.const(1 << i, kind)), b.const(0, kind))
        ones = _votes(b, bit)
        same = b.and_(same, b.same("select", bit, ones, b.xor(ones, b.const(0xFFFFFFFF))))
    return same


def _expand_match_all(b: Builder, value: Value) -> Value:
    same, here = _expand_match(b, value), _active(b)
    return b.same("select", b.cmp("eq", same, here), here, b.const(0))


_VALUE = Param("value", WORDS, "a value, compared bit by bit")
register(Row(
    "nvvm.match_any", (_VALUE,), u32, "Bit l is set where lane l is active and has the same value as this lane. CUDA's "
    "`__match_any_sync`, for the lanes that are here.", "PTX ISA 9.0, 9.7.13.10, match.any.sync", SM_75, _match_any,
    CONVERGENT, _expand_match, ptx="match.any.sync.b32",
    llvm=_spelled("llvm.nvvm.match.any.sync.{bits}", "i32")))  # fmt: skip
register(Row(
    "nvvm.match_all", (_VALUE,), u32, "The active lanes, a bit each, where all of them have the same value; else 0, "
    "which is CUDA's predicate. CUDA's `__match_all_sync`, for the lanes that are here.",
    "PTX ISA 9.0, 9.7.13.10, match.all.sync", SM_75, _match_all, CONVERGENT, _expand_match_all,
    ptx="match.all.sync.b32", llvm=_spelled("llvm.nvvm.match.all.sync.{bits}p", "{i32, i1}")))  # fmt: skip

# -- barriers that count -----------------------------------------------------------------------------------------------


def _meeting(of: Callable[[np.ndarray], np.ndarray], result: Callable[[int], Any]) -> Callable[..., Waiting]:
    def semantics(wave: Machine, cond: np.ndarray) -> Waiting:
        total = yield from wave.barrier(0, 0, True, int((wave.active & of(cond)).sum()))
        return np.full(wave.lanes, result(total))

    return semantics


def _expand_meeting(of: Callable[[Builder, Value], Value],
                    result: Callable[[Builder, Value], Value]) -> Callable[..., Value]:
    def lower(b: Builder, cond: Value) -> Value:
        cell = b.emit("alloc", (), (TensorType(u32, (1,), (1,), SHARED),), name="votes", align=4).result
        at = pointer(b, cell), b.const(0, i64)
        b.emit("store", (b.const(0), cell, b.const(0)))  # by every wave: any of them may have ended
        b.emit("barrier")
        count = b.same("popc", _votes(b, of(b, cond)))
        with b.if_(b.cmp("eq", b.lane_id(), first_active(b))):
            b.emit("atomic_add", (count, *at), (u32,), scope=0, order=0)
        b.emit("barrier")
        total = b.emit("load", (cell, b.const(0)), (u32,)).result
        b.emit("barrier")  # the next one may use the same memory
        return result(b, total)

    return lower


_BOOL = "{ .reg .pred p, q; setp.ne.b32 p, <cond>, 0; barrier.red.%s.pred q, 0, p; selp.b32 <out>, 1, 0, q; }"
for _name, _kind, _doc, _of, _result, _say, _turn, _text in (
    ("or", u1, "True where the condition holds in any thread of the block.", lambda c: c, lambda n: n > 0,
     lambda b, n: b.cmp("ne", n, b.const(0)), lambda b, c: c, _BOOL % "or"),
    ("and", u1, "True where the condition holds in all threads of the block.", lambda c: ~c, lambda n: n == 0,
     lambda b, n: b.cmp("eq", n, b.const(0)), _not, _BOOL % "and"),
    ("count", u32, "The number of threads of the block in which the condition holds.", lambda c: c, np.uint32,
     lambda b, n: n, lambda b, c: c,
     "{ .reg .pred p; setp.ne.b32 p, <cond>, 0; barrier.red.popc.u32 <out>, 0, p; }"),
):
    register(Row(
        f"nvvm.syncthreads_{_name}", (COND,), _kind, f"{_doc} A barrier of the block, as `al.syncthreads()`; threads "
        f"that have ended count as arrived and say nothing. CUDA's `__syncthreads_{_name}`.",
        f"PTX ISA 9.0, 9.7.13.1, barrier.red.{'popc' if _name == 'count' else _name}", SM_75, _meeting(_of, _result),
        MEETING, _expand_meeting(_turn, _say), llvm={"nvptx": Asm(_text)}))  # fmt: skip
