"""The CPU target: a kernel in phase "addresses", with its block's extents, comes in; LLVM IR of `ave_run` goes out.

A wave is one function whose values are vectors over its lanes. Where waves of a block wait for one another, each is an LLVM coroutine,
and `ave_run` resumes them in turn; so it does with the waves of all blocks of a cluster that have to do with one another.
"""

from __future__ import annotations

import numpy as np

from avelang.emit.llvm import cpu_cluster, cpu_waits
from avelang.emit.llvm.cpu_check import FLAG, HALTED, LOOK, STOP
from avelang.emit.llvm.cpu_if import emit_if
from avelang.emit.llvm.cpu_lanes import linear_id
from avelang.emit.llvm.cpu_loops import emit_for, emit_while
from avelang.emit.llvm.cpu_mma import emit_mma
from avelang.emit.llvm.cpu_ops import RULES, copies, local_words, shared_plan, type_of
from avelang.emit.llvm.cpu_values import Ptr, S, const
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.core import Block, Kernel, walk
from avelang.ir.dtypes import DType
from avelang.ir.types import GLOBAL, MapType
from avelang.isa.row import ROWS
from avelang.llvm.core import Emitted, IRModule

ENTRY = "ave_run"
ATTRIBUTES = 'nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512"'
PARAMS = "ptr noalias readonly %args, ptr %grid, i32 %block.x, i32 %block.y, i32 %block.z, i32 %wave, ptr noalias %scratch"
PASSED = "ptr %args, ptr %grid, i32 %x, i32 %y, i32 %z, i32 %w, ptr %scratch"
PASSED_IN_CLUSTER = "ptr %args, ptr %grid, i32 %bx, i32 %by, i32 %bz, i32 %w, ptr %own"


def emit(kernel: Kernel) -> Emitted:
    """The module of a kernel. Raises V001 on an op that should not have come this far."""
    module = IRModule()
    w = WaveWriter(kernel, module, kernel.attrs["block"])
    ops = list(walk(kernel.body))
    w.shared, scratch = shared_plan(ops)
    w.words = local_words(ops)
    w.copies = copies(kernel.body, w.uses)
    waiting, counted = cpu_waits.waits(ops)
    clustered = cpu_waits.together(ops)
    counted |= clustered
    w.coroutine = counted or (w.waves > 1 and waiting)
    place, cluster = scratch, None
    if w.waves > 1:
        w.wave = S("%wave")
    if w.coroutine:
        _coroutine_head(w)
    if counted:
        w.state = w.op(f"getelementptr i8, ptr %scratch, i64 {place}")
        cpu_waits.functions(w, clustered)
        scratch += cpu_waits.STATE
    if clustered:
        cluster = cpu_cluster.ClusterMemory(kernel.cluster, w.waves, scratch, place)
        scratch = cluster.scratch
        cpu_cluster.functions(w, cluster)
        cpu_cluster.enter(w, cluster)
    _params(w)
    w.mask = _first_mask(w)
    _block(w, kernel.body)
    if counted:
        w.do(f"call void @finish(ptr {w.state})")
    if cluster is not None:
        w.do(f"call void @finish(ptr {w.cluster_state})")
    if w.stops:
        w.do("br label %stopped")
        w.body.start("stopped")
    tail = _coroutine_tail(w) if w.coroutine else "  ret void"
    kind = "ptr @wave(" + PARAMS + ") presplitcoroutine" if w.coroutine else "void @wave(" + PARAMS + ") noinline"
    module.functions["wave"] = f"define internal {kind} #0 {{\n{w.body.text()}\n{tail}\n}}"
    prints = any(op.name == "printf" for op in ops)
    module.functions[ENTRY] = _entry(module, w.waves, w.coroutine, prints, place if counted else None, cluster)
    return Emitted(module.text(ATTRIBUTES), ENTRY, scratch)


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
    outer, w.here = w.here, block
    for op in block.ops:
        if op.name in _CONTROL:
            _CONTROL[op.name](w, op, _block)
        elif op.name in RULES:
            rep = RULES[op.name](w, op)
            if op.results and rep is not None:
                w.bind(op.result, rep)
        elif op.name in ROWS and ROWS[op.name].mma is not None:
            w.bind(op.result, emit_mma(w, op))
        elif not op.defn.terminator:
            raise w.fault(op, "has no code on the CPU: it should have been expanded")
    w.here = outer


# -- waves that wait ---------------------------------------------------------------------------------------------------------------------


def _coroutine_head(w: WaveWriter) -> None:
    w.do("%id = call token @llvm.coro.id(i32 64, ptr null, ptr null, ptr null)")
    w.do("%size = call i64 @llvm.coro.size.i64()")
    w.do("%more = add i64 %size, 63")
    w.do("%whole = and i64 %more, -64")
    w.do("%memory = call ptr @aligned_alloc(i64 64, i64 %whole)")
    w.do("%handle = call noalias ptr @llvm.coro.begin(token %id, ptr %memory)")
    for name, result, params in (
        ("llvm.coro.id", "token", ("i32", "ptr", "ptr", "ptr")), ("llvm.coro.size.i64", "i64", ()), ("aligned_alloc", "ptr", ("i64", "i64")),
        ("llvm.coro.begin", "ptr", ("token", "ptr")), ("llvm.coro.suspend", "i8", ("token", "i1")), ("llvm.coro.free", "ptr", ("token", "ptr")),
        ("free", "void", ("ptr",)), ("llvm.coro.end", "void", ("ptr", "i1", "token")), ("llvm.coro.resume", "void", ("ptr",)),
        ("llvm.coro.done", "i1", ("ptr",)), ("llvm.coro.destroy", "void", ("ptr",)),
    ):  # fmt: skip
        w.module.declare(name, result, params)


def _coroutine_tail(w: WaveWriter) -> str:
    return """  %last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %last, label %suspended [i8 0, label %never i8 1, label %cleanup]
never:
  unreachable
cleanup:
  %frame = call ptr @llvm.coro.free(token %id, ptr %handle)
  call void @free(ptr %frame)
  br label %suspended
suspended:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle"""


def _entry(module: IRModule, waves: int, coroutine: bool, prints: bool, state: int | None, cluster: cpu_cluster.ClusterMemory | None) -> str:
    """ave_run: the blocks from `start` to `end`, x fastest, the waves of each. `state`: where in a block's memory waits are counted. The blocks of a
    cluster are run as one: its waves are theirs, %x, %y and %z its number."""
    begin = "" if state is None else cpu_waits.start(waves, state)
    units, first, last, gx, gy = "", "%start", "%end", "%gxl", "%gyl"
    if cluster is not None:
        begin, waves = cpu_cluster.start(cluster), cluster.turns
        units, first, last, gx, gy = cpu_cluster.units(cluster), "%first", "%last", "%cgx", "%cgy"
    run = _round_robin(waves, "" if state is None else cpu_waits.check(waves), cluster) if coroutine else _one_after_another(waves)
    flush = f"  call i32 {module.declare('fflush', 'i32', ['ptr'])}(ptr null)\n" if prints else ""
    handles = f"  %handles = alloca [{waves} x ptr]\n" if coroutine else ""
    return f"""define i64 @{ENTRY}(ptr noalias %args, ptr %grid, i64 %start, i64 %end, ptr noalias %scratch) #0 {{
entry:
{handles}  %flagp = getelementptr i8, ptr %grid, i64 {FLAG}
  %gx = load i32, ptr %grid
  %gyp = getelementptr i32, ptr %grid, i64 1
  %gy = load i32, ptr %gyp
  %gxl = zext i32 %gx to i64
  %gyl = zext i32 %gy to i64
{units}  %any = icmp ult i64 {first}, {last}
  br i1 %any, label %block, label %done
block:
  %b = phi i64 [ {first}, %entry ], [ %b1, %after ]
  %xl = urem i64 %b, {gx}
  %yz = udiv i64 %b, {gx}
  %yl = urem i64 %yz, {gy}
  %zl = udiv i64 %yz, {gy}
  %x = trunc i64 %xl to i32
  %y = trunc i64 %yl to i32
  %z = trunc i64 %zl to i32
{begin}  br label %waves
{run}
next:
  %flag = load atomic i32, ptr %flagp monotonic, align 4
  %asked = icmp ne i32 %flag, 0
  br i1 %asked, label %look, label %after
look:
  %lookp = getelementptr i8, ptr %grid, i64 {LOOK}
  %looks = load ptr, ptr %lookp
  %told = call i32 %looks(ptr %grid)
  %halts = icmp ne i32 %told, 0
  br i1 %halts, label %halted, label %after
after:
  %b1 = add i64 %b, 1
  %go = icmp ult i64 %b1, {last}
  br i1 %go, label %block, label %done
done:
{flush}  ret i64 0
halted:
{flush}  ret i64 {HALTED}
}}"""


def _one_after_another(waves: int) -> str:
    return f"""waves:
  %w = phi i32 [ 0, %block ], [ %w1, %waves ]
  call void @wave({PASSED})
  %w1 = add i32 %w, 1
  %wmore = icmp ult i32 %w1, {waves}
  %wflag = load atomic i32, ptr %flagp monotonic, align 4
  %wgoes = icmp ult i32 %wflag, {STOP}
  %wgo = and i1 %wmore, %wgoes
  br i1 %wgo, label %waves, label %next"""


def _round_robin(waves: int, check: str, cluster: cpu_cluster.ClusterMemory | None) -> str:
    """Starts each wave, which runs until its first barrier; then resumes those that are not done, one after another, until all are."""
    n, place, passed = ("%w", "", PASSED) if cluster is None else ("%number", cpu_cluster.place(cluster), PASSED_IN_CLUSTER)
    return f"""waves:
  {n} = phi i32 [ 0, %block ], [ %w1, %waves ]
{place}  %h = call ptr @wave({passed})
  %wl = zext i32 {n} to i64
  %hp = getelementptr ptr, ptr %handles, i64 %wl
  store ptr %h, ptr %hp
  %w1 = add i32 {n}, 1
  %wgo = icmp ult i32 %w1, {waves}
  br i1 %wgo, label %waves, label %round
round:
  br label %turn
turn:
  %t = phi i64 [ 0, %round ], [ %t1, %turned ]
  %alive = phi i1 [ false, %round ], [ %still, %turned ]
  %tp = getelementptr ptr, ptr %handles, i64 %t
  %th = load ptr, ptr %tp
  %isdone = call i1 @llvm.coro.done(ptr %th)
  br i1 %isdone, label %turned, label %resume
resume:
  call void @llvm.coro.resume(ptr %th)
  br label %turned
turned:
  %now = phi i1 [ false, %turn ], [ true, %resume ]
  %still = or i1 %alive, %now
  %t1 = add i64 %t, 1
  %tgo = icmp ult i64 %t1, {waves}
  br i1 %tgo, label %turn, label %counted
counted:
{check}  %rflag = load atomic i32, ptr %flagp monotonic, align 4
  %goes = icmp ult i32 %rflag, {STOP}
  %round.on = and i1 %still, %goes
  br i1 %round.on, label %round, label %destroy
destroy:
  %d = phi i64 [ 0, %{'again' if check else 'counted'} ], [ %d1, %destroy ]
  %dp = getelementptr ptr, ptr %handles, i64 %d
  %dh = load ptr, ptr %dp
  call void @llvm.coro.destroy(ptr %dh)
  %d1 = add i64 %d, 1
  %dgo = icmp ult i64 %d1, {waves}
  br i1 %dgo, label %destroy, label %next"""
