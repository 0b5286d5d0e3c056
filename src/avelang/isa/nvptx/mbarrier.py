"""Rows of the mbarrier: an object of 8 bytes in shared memory that counts arrivals of threads and bytes of copies,
phase after phase.

Executors that finish each copy at once keep an mbarrier in one word (the hardware's own form is opaque): arrivals that
the phase waits for in bits 0-19, arrivals of a whole phase in bits 20-39, the phase's parity in bit 40, bytes still to
come in bits 41-63, signed. """

from __future__ import annotations

from collections.abc import Callable

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Block, Value
from avelang.ir.dtypes import i64, u1, u32, u64
from avelang.ir.types import SHARED
from avelang.isa.asm import Asm
from avelang.isa.lowering_helpers import pointer
from avelang.isa.nvptx.copy_async import KIND, nothing
from avelang.isa.row import Param, Row, TensorRef, register
from avelang.isa.wave_protocol import AsyncCopy, Machine, MBarrier, Waiting

SM_80, SM_90 = frozenset({"sm_80"}), frozenset({"sm_90"})
EFFECTS = frozenset({"read", "write", "sync"})
SOURCE = "PTX ISA 9.0, 9.7.13.15"
BAR = Param("bar", "tensor", "the mbarrier, 8 bytes in shared memory (u64), a multiple of 8", spaces=(SHARED,))
PARITY = Param("parity", u32, "of the phase: 0 for the first, the third, ...; 1 for the second, ...")
BYTES = Param("bytes", u32, "how many bytes more the phase waits for")
ARRIVALS, PHASE, TX = (1 << 20) - 1, 40, 41


def at_lanes(wave: Machine, bar: TensorRef) -> list[tuple[int, int]]:
    """(lane, address) of active lanes."""
    return [(lane, int(bar.address[lane])) for lane in np.flatnonzero(wave.active).tolist()]


def flag(wave: Machine, value: bool | np.ndarray) -> np.ndarray:
    """A condition in every lane."""
    return np.broadcast_to(value, (wave.lanes,)).copy()


def report(flight: AsyncCopy, bar: MBarrier, count: int, lane: int) -> None:
    """The copy reports to an mbarrier when it is complete."""
    bar.receive(flight, count, lane)


# -- expansion ---------------------------------------------------------------------------------------------------------


def _long(b: Builder, n: int) -> Value:
    return b.const(n, u64)


def change(b: Builder, bar: Value, delta: Value) -> None:
    """Adds to the word, lane by lane, and ends the phase where nothing is left to wait for."""
    place, zero = pointer(b, bar), b.const(0, i64)
    b.emit("atomic_add", (delta, place, zero), (u64,))
    word = b.ld(place, zero, u64, 8)
    left = b.or_(b.and_(word, _long(b, ARRIVALS)), b.shr(word, _long(b, TX)))
    with b.if_(b.cmp("eq", left, _long(b, 0))):
        expected = b.and_(b.shr(word, _long(b, 20)), _long(b, ARRIVALS))
        flipped = b.xor(word, _long(b, 1 << PHASE))
        b.st(b.or_(flipped, expected), place, zero, 8)


def transactions(b: Builder, count: Value, sign: int) -> Value:
    """The number that adds `count` bytes to come to an mbarrier's word, or takes them away."""
    wide = b.shl(b.convert(count, u64), _long(b, TX))
    return wide if sign > 0 else b.sub(_long(b, 0), wide)


def ended(b: Builder, bar: Value, parity: Value) -> Value:
    """u1: whether the phase of this parity has ended."""
    word = b.ld(pointer(b, bar), b.const(0, i64), u64, 8)
    running = b.and_(b.shr(word, _long(b, PHASE)), _long(b, 1))
    return b.cmp("ne", running, b.convert(b.and_(parity, b.const(1)), u64))


def until(b: Builder, test: Callable[[], Value]) -> None:
    """Gives the other waves a turn until `test`, whose ops are built here, holds."""
    before, body = Block(), Block()
    b.emit("while", (), (), (before, body))
    with b.inside(before):
        b.emit("condition", (b.same("not", test()),))
    with b.inside(body):
        b.emit("pause")
        b.yield_()
    b.emit("pause", done=1)


# -- rows --------------------------------------------------------------------------------------------------------------


def _init(wave: Machine, bar: TensorRef, count: np.ndarray) -> None:
    for lane, address in at_lanes(wave, bar):
        wave.make_mbarrier(lane, address, int(count[lane]))


def _expand_init(b: Builder, bar: Value, count: Value) -> None:
    wide = b.convert(count, u64)
    b.st(b.or_(wide, b.shl(wide, _long(b, 20))), pointer(b, bar), b.const(0, i64), 8)


def _inval(wave: Machine, bar: TensorRef) -> None:
    for lane, address in at_lanes(wave, bar):
        wave.make_mbarrier(lane, address, None)


def _arrive(wave: Machine, bar: TensorRef) -> None:
    for lane, address in at_lanes(wave, bar):
        wave.mbarrier(lane, address).arrive(1, lane)


def _expect(arrive: bool) -> Callable[..., None]:
    def semantics(wave: Machine, bar: TensorRef, count: np.ndarray) -> None:
        for lane, address in at_lanes(wave, bar):
            found = wave.mbarrier(lane, address)
            found.expect(int(count[lane]), lane)
            if arrive:
                found.arrive(1, lane)

    return semantics


def _expand_expect(arrive: bool) -> Callable[..., None]:
    def lower(b: Builder, bar: Value, count: Value) -> None:
        delta = transactions(b, count, 1)
        change(b, bar, b.sub(delta, _long(b, 1)) if arrive else delta)

    return lower


def _test(wave: Machine, bar: TensorRef, parity: np.ndarray) -> Waiting:
    yield None
    out = flag(wave, False)
    for lane, address in at_lanes(wave, bar):
        found = wave.mbarrier(lane, address)
        found.deliver()
        out[lane] = found.done(int(parity[lane]) & 1)
    return out


def _expand_test(b: Builder, bar: Value, parity: Value) -> Value:
    b.emit("pause")
    return ended(b, bar, parity)


def waits(wave: Machine, bar: TensorRef, parity: np.ndarray) -> Waiting:
    """Until the phase has ended in all active lanes; copies that report to the mbarrier arrive now."""
    wanted = {(address, int(parity[lane]) & 1): lane for lane, address in at_lanes(wave, bar)}

    def ready() -> bool:
        for (address, _), lane in wanted.items():
            wave.mbarrier(lane, address).deliver()
        return all(wave.mbarrier(lane, address).done(p) for (address, p), lane in wanted.items())

    yield ready


def _try_wait(wave: Machine, bar: TensorRef, parity: np.ndarray) -> Waiting:
    yield from waits(wave, bar, parity)
    return flag(wave, True)


def _expand_try_wait(b: Builder, bar: Value, parity: Value) -> Value:
    until(b, lambda: ended(b, bar, parity))
    return b.const(True, u1)


def _copies_arrive(counted: bool) -> Callable[..., None]:
    def semantics(wave: Machine, bar: TensorRef) -> None:
        for lane, address in at_lanes(wave, bar):
            found, only = wave.mbarrier(lane, address), np.arange(wave.lanes) == lane
            found.follow(wave.groups(KIND).so_far(only), lane, counted)

    return semantics


def _until_phase(instruction: str) -> str:
    return f"{{ .reg .pred p; {instruction}.parity.shared::cta.b64 p, [<bar>], <parity>; selp.b32 <out>, 1, 0, p; }}"


_SPIN = ("{ .reg .pred p; AVE_WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [<bar>], <parity>; @p bra AVE_DONE; "
    "bra AVE_WAIT; AVE_DONE: }")
_COUNT = Param("count", u32, "arrivals of a phase")
_ROWS = (("init", (BAR, _COUNT), None, "Makes an mbarrier whose phases end after `count` arrivals (and when no bytes "
    "are to come). A fence or a " "barrier must " "stand between it and other threads' use.", "mbarrier.init", SM_80,
    _init, _expand_init, "mbarrier.init.shared::cta.b64 [<bar>], <count>;"),
    ("inval", (BAR,), None, "Ends an mbarrier, so that its memory may be used otherwise.", "mbarrier.inval", SM_80,
    _inval, nothing, "mbarrier.inval.shared::cta.b64 [<bar>];"),
    ("arrive", (BAR,), None, "One arrival for each active lane.", "mbarrier.arrive", SM_80, _arrive, lambda b,
    bar: change(b, bar, _long(b, -1)), "{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [<bar>]; }"),
    ("expect_tx", (BAR, BYTES), None, "The phase waits for `bytes` more bytes of copies.", "mbarrier.expect_tx", SM_90,
    _expect(False), _expand_expect(False), "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [<bar>], <bytes>;"),
    ("arrive_expect_tx", (BAR, BYTES), None, "The phase waits for `bytes` more bytes of copies; then one arrival. For "
    "each active lane.", "mbarrier.arrive.expect_tx", SM_90, _expect(True), _expand_expect(True),
    "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [<bar>], <bytes>; }"),
    ("test_wait", (BAR, PARITY), u1, "Whether the phase of this parity has ended. Does not wait.", "mbarrier.test_wait",
    SM_80, _test, _expand_test, _until_phase("mbarrier.test_wait")),
    ("try_wait", (BAR, PARITY), u1, "Waits a while for the end of the phase of this parity; whether it has ended. On "
    "the CPU it waits until it has.", "mbarrier.try_wait", SM_90, _try_wait, _expand_try_wait,
    _until_phase("mbarrier.try_wait")), ("wait", (BAR, PARITY), None, "Waits until the phase of this parity has ended: "
    "mbarrier_try_wait in a loop.", "mbarrier.try_wait", SM_90, waits, lambda b, bar,
    parity: until(b, lambda: ended(b, bar, parity)), _SPIN))  # fmt: skip
for _name, _params, _result, _doc, _ptx, _needs, _semantics, _lower, _text in _ROWS:
    register(Row(
        f"nvvm.mbarrier_{_name}", _params, _result, _doc, f"{SOURCE}, {_ptx}", _needs, _semantics, EFFECTS, _lower,
        llvm={"nvptx": Asm(_text)},
    ))  # fmt: skip
for _name, _suffix, _counted, _doc in (
    ("cp_async_mbarrier_arrive", "", True, "this does not count among the arrivals that the phase expects"),
    ("cp_async_mbarrier_arrive_noinc", ".noinc", False, "it counts among the arrivals that the phase expects"),
):
    register(Row(f"nvvm.{_name}", (BAR,), None, f"One arrival on an mbarrier, for each active lane, as soon as all "
        f"copies that the lane has begun by " f"cp_async are complete; {_doc}.", "PTX ISA 9.0, 9.7.13.15.16, "
        "cp.async.mbarrier.arrive", SM_80, _copies_arrive(_counted), EFFECTS, nothing if _counted
        else (lambda b, bar: change(b, bar, _long(b, -1))),
        llvm={"nvptx": Asm(f"cp.async.mbarrier.arrive{_suffix}.shared::cta.b64 [<bar>];")}))  # fmt: skip
