"""The CPU target: a kernel in phase "addresses", with its block's extents, comes in; LLVM IR of `ave_run` goes out.

A wave is one function whose values are vectors over its lanes. Where waves of a block wait for one another, each is an
LLVM coroutine, and `ave_run` resumes them in turn; so it does with the waves of all blocks of a cluster that have to do
with one another. """

from __future__ import annotations

import numpy as np

from avelang.emit.llvm import cpu_cluster, cpu_lines, cpu_waits
from avelang.emit.llvm.cpu_accumulators import in_place
from avelang.emit.llvm.cpu_functions import emit_call
from avelang.emit.llvm.cpu_if import emit_if
from avelang.emit.llvm.cpu_lanes import linear_id
from avelang.emit.llvm.cpu_loops import emit_for, emit_while
from avelang.emit.llvm.cpu_mma import emit_mma
from avelang.emit.llvm.cpu_ops import RULES, copies, local_words, root_of, shared_plan, stored_whole, type_of
from avelang.emit.llvm.cpu_values import Ptr, S, const
from avelang.emit.llvm.cpu_vectors import count_of
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.core import Block, Kernel, walk
from avelang.ir.dtypes import DType, bf16
from avelang.ir.types import GLOBAL, MapType, dtype_of
from avelang.isa.row import ROWS
from avelang.llvm.core import Body, Emitted, IRModule

ENTRY = "ave_run"
ATTRIBUTES = 'nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512"'
PARAMS = (
    "ptr noalias readonly %args, ptr %grid, i32 %block.x, i32 %block.y, i32 %block.z, i32 %wave, ptr noalias %scratch"
)
RANGE = "ptr %args, ptr %grid, i64 %start, i64 %end, ptr %scratch"


def emit(kernel: Kernel) -> Emitted:
    """The module of a kernel. Raises V001 on an op that should not have come this far."""
    module = IRModule()
    w = WaveWriter(kernel, module, kernel.attrs["block"])
    lines = cpu_lines.number(w)
    ops = list(walk(kernel.body))
    w.shared, scratch = shared_plan(ops)
    w.words = local_words(ops)
    w.copies = copies(kernel.body, w.uses)
    made = [op.result.type for op in ops if op.name == "convert" and dtype_of(op.result.type) == bf16]
    w.narrows = sum(map(count_of, made)) > 8
    w.whole = stored_whole(ops)
    w.in_place = in_place(kernel.body, w.uses, root_of)
    waiting, counted = cpu_waits.waits(ops)
    clustered = cpu_waits.together(ops)
    counted |= clustered
    w.coroutine = counted or (w.waves > 1 and waiting)
    memory = cpu_cluster.BlockMemory(kernel.cluster if clustered else (1, 1, 1), w.waves, scratch, counted)
    if w.waves > 1:
        w.wave = S("%wave")
    if w.coroutine:
        _coroutine_head(w)
    if counted:
        module.include("cpu", "ave_turn", "ave_barrier_arrive", "ave_barrier_open", "ave_wave_finished")
        if any(op.attrs.get("far") for op in ops if op.name == "pause"):
            module.include("cpu", "ave_turn_far")
            module.declare("sched_yield", "i32", ())
        w.state = w.op(f"getelementptr i8, ptr %scratch, i64 {memory.state}")
    if clustered:
        cpu_cluster.enter(w, memory)
    _params(w)
    w.mask = _first_mask(w)
    _block(w, kernel.body)
    for state in (w.state, w.cluster_state):
        if state is not None:
            w.do(f"call void @ave_wave_finished(ptr {state})")
    if w.stops:
        w.do("br label %stopped")
        w.body.start("stopped")
    if w.coroutine:
        _coroutine_tail(w)
    else:
        w.do("ret void")
    name = "ave_coroutine" if w.coroutine else "ave_wave"
    kind = f"ptr @{name}({PARAMS}) presplitcoroutine" if w.coroutine else f"void @{name}({PARAMS}) noinline"
    place = f" !dbg !{lines.entry}" if lines else ""
    module.functions[name] = f"define internal {kind} #0{place} {{\n{w.body.text()}\n}}"
    module.functions[ENTRY] = _entry(w, memory, any(op.name == "printf" for op in ops))
    text = module.text(ATTRIBUTES)
    return Emitted(f"{text}{lines.text()}" if lines else text, ENTRY, memory.scratch)


def _params(w: WaveWriter) -> None:
    for i, p in enumerate(w.kernel.params):
        place = w.op(f"getelementptr i64, ptr %args, i64 {i}")
        if p.type == DType("u1", "bool", 1):
            w.env[p] = S(w.op(f"icmp ne i8 {w.op(f'load i8, ptr {place}, align 8')}, 0"))
            continue
        text = w.op(f"load {type_of(p.type)}, ptr {place}, align 8")
        if isinstance(p.type, MapType):
            w.maps[p] = text
            continue
        w.env[p] = S(text) if isinstance(p.type, DType) else Ptr(GLOBAL, text, const(0, 64))


def _first_mask(w: WaveWriter) -> np.ndarray | str | None:
    """The lanes that exist: fewer than a wave has in the last wave of a block that is no multiple of it."""
    if w.threads % w.W == 0:
        return None
    if w.waves == 1:
        return np.arange(w.W) < w.threads
    return w.op(f"icmp ult {w.t('i32')} {w.lin_vec(linear_id(w))}, splat (i32 {w.threads})")


_CONTROL = {"if": emit_if, "for": emit_for, "while": emit_while}


def _block(w: WaveWriter, block: Block) -> None:
    """Emits the ops of a block under the mask that is set."""
    outer, w.here, around = w.here, block, w.making
    for op in block.ops:
        w.making = op
        if op.name in _CONTROL:
            _CONTROL[op.name](w, op, _block)
        elif "function" in op.attrs:
            emit_call(w, op, _block)
        elif op.name in RULES:
            rep = RULES[op.name](w, op)
            if op.results and rep is not None:
                w.bind(op.result, rep)
        elif op.name in ROWS and ROWS[op.name].mma is not None:
            w.bind(op.result, emit_mma(w, op))
        elif not op.defn.terminator:
            raise w.fault(op, "has no code on the CPU: it should have been expanded")
    w.here, w.making = outer, around


# -- waves that wait ---------------------------------------------------------------------------------------------------


def _coroutine_head(w: WaveWriter) -> None:
    for line in (
        "%id = call token @llvm.coro.id(i32 64, ptr null, ptr null, ptr null)",
        "%size = call i64 @llvm.coro.size.i64()", "%more = add i64 %size, 63",
        "%whole = and i64 %more, -64", "%memory = call ptr @aligned_alloc(i64 64, i64 %whole)",
        "%handle = call noalias ptr @llvm.coro.begin(token %id, ptr %memory)",
    ):  # fmt: skip
        w.do(line)
    for name, result, params in (
        ("llvm.coro.id", "token", ("i32", "ptr", "ptr", "ptr")), ("llvm.coro.size.i64", "i64", ()),
        ("aligned_alloc", "ptr", ("i64", "i64")),
        ("llvm.coro.begin", "ptr", ("token", "ptr")), ("llvm.coro.suspend", "i8", ("token", "i1")),
        ("llvm.coro.free", "ptr", ("token", "ptr")),
        ("free", "void", ("ptr",)), ("llvm.coro.end", "void", ("ptr", "i1", "token")),
    ):  # fmt: skip
        w.module.declare(name, result, params)


def _coroutine_tail(w: WaveWriter) -> None:
    """The last suspension, at which the wave is over, and what frees its memory."""
    last = w.call("llvm.coro.suspend", "i8", ("token", "none"), ("i1", "true"))
    w.do(f"switch i8 {last}, label %suspended [i8 0, label %never i8 1, label %cleanup]")
    w.body.start("never")
    w.do("unreachable")
    w.body.start("cleanup")
    frame = w.call("llvm.coro.free", "ptr", ("token", "%id"), ("ptr", "%handle"))
    w.call("free", "void", ("ptr", frame))
    w.do("br label %suspended")
    w.body.start("suspended")
    w.call("llvm.coro.end", "void", ("ptr", "%handle"), ("i1", "false"), ("token", "none"))
    w.do("ret ptr %handle")


def _entry(w: WaveWriter, memory: cpu_cluster.BlockMemory, prints: bool) -> str:
    """ave_run: the blocks from `start` to `end`, x fastest, the waves of each (`native/cpu/run.c`)."""
    m, b = w.module, Body()
    if w.coroutine:
        m.include("cpu", "ave_run_coroutines")
        plan = m.constant(*memory.plan(w.W))
        status = b.op(f"call i64 @ave_run_coroutines({RANGE}, ptr {b.alloca(f'[{memory.turns} x ptr]')}, ptr {plan})")
    else:
        m.include("cpu", "ave_run_waves")
        status = b.op(f"call i64 @ave_run_waves({RANGE}, i32 {w.waves})")
    if prints:
        b.op(f"call i32 {m.declare('fflush', 'i32', ['ptr'])}(ptr null)")
    b.do(f"ret i64 {status}")
    return (
        f"define i64 @{ENTRY}(ptr noalias %args, ptr %grid, i64 %start, i64 %end, ptr noalias %scratch) #0 {{\n"
        f"{b.text()}\n}}"
    )
