"""Where waves of a block wait for one another: `barrier` and `pause` come in; suspended coroutines and the state that tells who may go on go out.

In a kernel whose waves meet at plain barriers only, each resumes when all others have come: the turns of `ave_run` are the barrier. Otherwise
arrivals are counted, in the block's memory: for each of 16 barriers how many threads have come and how often it has opened, then turns given away in
a row, then waves that have not finished; in a cluster (`cpu_cluster`) then where the cluster's state is, in which turns are counted, and how far away
rank 0 is.
"""

from __future__ import annotations

from collections.abc import Iterable

from avelang.emit.llvm.cpu_values import S
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.core import Op

BARRIERS = 16
SPINS, LIVE, HOME, FIRST = (8 * BARRIERS + n for n in (0, 4, 8, 16))  # byte offsets in the state
STATE = 192  # bytes
PATIENCE = 4096  # turns that every wave may give away, one after the other, before the block counts as stuck
STUCK = 2  # the status of a block whose waves wait for ever


def waits(ops: Iterable[Op]) -> tuple[bool, bool]:
    """Whether waves of a kernel wait at all, and whether for something else than plain barriers."""
    found = [op for op in ops if op.name in ("barrier", "pause")]
    return bool(found), any(op.name == "pause" or op.operands for op in found)


def together(ops: Iterable[Op]) -> bool:
    """Whether blocks of a cluster have to do with one another."""
    return any(op.name in ("shared_peer", "cluster_arrive", "cluster_wait") for op in ops)


def suspend(w: WaveWriter) -> None:
    """The wave stops here until it is resumed."""
    on = w.body.fresh("resumed")
    s = w.call("llvm.coro.suspend", "i8", ("token", "none"), ("i1", "false"))
    w.do(f"switch i8 {s}, label %suspended [i8 0, label %{on} i8 1, label %cleanup]")
    w.body.start(on)


def emit_barrier(w: WaveWriter, op: Op) -> None:
    """A wave that waits for others is suspended; alone it has nothing to wait for."""
    if not w.coroutine:
        return
    if w.state is None:
        suspend(w)
        return
    rep = w.scalar(op.operands[0]) if op.operands else None
    number = "0"
    if rep is not None:
        number = rep.text if isinstance(rep, S) else w.one(rep, op.operands[0].type).text  # type: ignore[arg-type]
    barrier = at(w.state, number, op.attrs.get("threads", 0))
    before = arrive(w, barrier)
    if op.attrs.get("wait", 1):
        until_open(w, barrier, before)


def at(state: str | None, number: str = "0", threads: int = 0) -> str:
    """A barrier, as it is passed to the functions that count; 0 threads: those of all waves."""
    return f"ptr {state}, i32 {number}, i32 {threads}"


def arrive(w: WaveWriter, barrier: str) -> str:
    """The wave has come to a barrier: how often that has opened before."""
    return w.op(f"call i32 @barrier.arrive({barrier})")


def until_open(w: WaveWriter, barrier: str, before: str) -> None:
    """The wave waits until the barrier has opened once more than `before`."""
    test, wait, on = (w.body.fresh(x) for x in ("closed", "wait", "open"))
    w.do(f"br label %{test}")
    w.body.start(test)
    w.do(f"br i1 {w.op(f'call i1 @barrier.open({barrier}, i32 {before})')}, label %{on}, label %{wait}")
    w.body.start(wait)
    suspend(w)
    w.do(f"br label %{test}")
    w.body.start(on)


def emit_pause(w: WaveWriter, op: Op) -> None:
    """The other waves have a turn."""
    assert w.state is not None
    w.do(f"call void @turn(ptr {w.state}, i1 {'true' if op.attrs.get('done') else 'false'})")
    if not op.attrs.get("done"):
        suspend(w)


_PLACE = """  %slot = and i32 %number, 15
  %at = shl i32 %slot, 3
  %b = getelementptr i8, ptr %state, i32 %at
  %gp = getelementptr i8, ptr %b, i64 4"""
# Where turns are counted: a cluster is stuck when no wave of any block gets on.
_TURNS = f"  %p = getelementptr i8, ptr %state, i64 {SPINS}"
_CLUSTER_TURNS = f"""  %hp = getelementptr i8, ptr %state, i64 {HOME}
  %home = load ptr, ptr %hp
  %p = getelementptr i8, ptr %home, i64 {SPINS}"""
_FUNCTIONS = {
    "turn": """void @turn(ptr %state, i1 %done) #0 {
TURNS
  %n = load i32, ptr %p
  %n1 = add i32 %n, 1
  %new = select i1 %done, i32 0, i32 %n1
  store i32 %new, ptr %p
  ret void
}""",
    "barrier.check": f"""void @barrier.check(ptr %state, ptr %b, i32 %threads) #0 {{
  %lp = getelementptr i8, ptr %state, i64 {LIVE}
  %live = load i32, ptr %lp
  %all = mul i32 %live, LANES
  %any = icmp eq i32 %threads, 0
  %want = select i1 %any, i32 %all, i32 %threads
  %count = load i32, ptr %b
  %enough = icmp uge i32 %count, %want
  %some = icmp ne i32 %count, 0
  %opens = and i1 %enough, %some
  br i1 %opens, label %yes, label %no
yes:
  store i32 0, ptr %b
  %gp = getelementptr i8, ptr %b, i64 4
  %g = load i32, ptr %gp
  %g1 = add i32 %g, 1
  store i32 %g1, ptr %gp
  call void @turn(ptr %state, i1 true)
  br label %no
no:
  ret void
}}""",
    "barrier.arrive": f"""i32 @barrier.arrive(ptr %state, i32 %number, i32 %threads) #0 {{
{_PLACE}
  %g = load i32, ptr %gp
  %count = load i32, ptr %b
  %more = add i32 %count, LANES
  store i32 %more, ptr %b
  call void @barrier.check(ptr %state, ptr %b, i32 %threads)
  ret i32 %g
}}""",
    "barrier.open": f"""i1 @barrier.open(ptr %state, i32 %number, i32 %threads, i32 %before) #0 {{
{_PLACE}
  call void @barrier.check(ptr %state, ptr %b, i32 %threads)
  %g = load i32, ptr %gp
  %open = icmp ne i32 %g, %before
  call void @turn(ptr %state, i1 %open)
  ret i1 %open
}}""",
    "finish": f"""void @finish(ptr %state) #0 {{
  %lp = getelementptr i8, ptr %state, i64 {LIVE}
  %live = load i32, ptr %lp
  %less = sub i32 %live, 1
  store i32 %less, ptr %lp
  call void @turn(ptr %state, i1 true)
  ret void
}}""",
}


def functions(w: WaveWriter, clustered: bool) -> None:
    """Defines what counts arrivals."""
    words = {"LANES": str(w.W), "TURNS": _CLUSTER_TURNS if clustered else _TURNS}
    for name, text in _FUNCTIONS.items():
        for word, meant in words.items():
            text = text.replace(word, meant)
        w.module.functions[name] = "define internal " + text
    w.module.declare("llvm.memset.p0.i64", "void", ("ptr", "i8", "i64", "i1"))


def start(waves: int, offset: int) -> str:
    """Code of `ave_run` that makes the state of a block."""
    return f"""  %state = getelementptr i8, ptr %scratch, i64 {offset}
  call void @llvm.memset.p0.i64(ptr %state, i8 0, i64 {STATE}, i1 false)
  %statelive = getelementptr i8, ptr %state, i64 {LIVE}
  store i32 {waves}, ptr %statelive
"""


def check(waves: int) -> str:
    """Code of `ave_run`, behind each round, that goes to %stuck where no wave has got on."""
    return f"""  %spinsp = getelementptr i8, ptr %state, i64 {SPINS}
  %spins = load i32, ptr %spinsp
  %forever = icmp ugt i32 %spins, {PATIENCE * waves}
  br i1 %forever, label %stuck, label %again
stuck:
  ret i64 {STUCK}
again:
"""
