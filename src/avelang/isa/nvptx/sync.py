"""Rows by which threads, warps and grids wait for one another and order memory, and hints to the machine that compute
nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import u1, u32
from avelang.ir.types import GLOBAL
from avelang.isa.asm import Asm
from avelang.isa.lowering import SETS_REGISTERS
from avelang.isa.lowering_helpers import first_active
from avelang.isa.nvptx.copy_async import nothing
from avelang.isa.row import Param, Row, register
from avelang.isa.wave_protocol import Machine, Waiting

SM_75, SM_90 = frozenset({"sm_75"}), frozenset({"sm_90"})
SETMAXNREG = frozenset({"sm_90a", "sm_100a", "sm_103a", "sm_120a"})
ORDER = frozenset({"read", "write", "sync"})
MOST_BARRIERS = 16


def _elect(wave: Machine) -> np.ndarray:
    return np.arange(wave.lanes) == int(np.argmax(wave.active))


register(Row("nvvm.elect_sync", (), u1, "True in one active lane of the warp, the lowest, false in the others. All "
    "lanes take part.", "PTX ISA 9.0, 9.7.13.14, elect.sync", SM_90, _elect, frozenset({"convergent"}),
    lambda b: b.cmp("eq", b.lane_id(), first_active(b)), llvm={"nvptx": Asm("{ .reg .pred p; elect.sync _|p, "
    "0xFFFFFFFF; selp.b32 <out>, 1, 0, p; }")}))  # fmt: skip


def _named(wait: bool) -> Callable[..., Waiting]:
    def semantics(wave: Machine, number: np.ndarray, threads: int) -> Waiting:
        which = int(number[int(np.argmax(wave.active))])
        if not 0 <= which < MOST_BARRIERS:
            raise wave.wrong(int(np.argmax(wave.active)), f"there is no barrier {which}: they are numbered 0 to "
                f"{MOST_BARRIERS - 1}")
        yield from wave.barrier(which, threads, wait)

    return semantics


def _expand_named(wait: int) -> Callable[..., None]:
    def lower(b: Builder, number: Value, threads: int) -> None:
        b.emit("barrier", (number,), threads=threads, wait=wait)

    return lower


for _name, _wait, _doc in (("barrier_sync", 1, "Waits at barrier `number` until `threads` threads have arrived there "
        "by barrier_sync or barrier_arrive; orders their " "memory accesses."),
        ("barrier_arrive", 0, "Arrives at barrier `number`, for those that wait there by barrier_sync, and goes on.")):
    _ptx = "bar.sync" if _wait else "bar.arrive"
    register(Row(f"nvvm.{_name}", (Param("number", u32, "0 to 15; 0 is the one of syncthreads; the same in all active "
        "lanes", uniform="a warp comes to one barrier at a time"),
        Param("threads", "const", "whole warps", range=(32, 1024), choices=tuple(range(32, 1025, 32)))), None,
        f"{_doc} Whole warps take " f"part.", f"PTX ISA 9.0, 9.7.13.1, {_ptx}", SM_75, _named(bool(_wait)), ORDER
        | {"convergent"}, _expand_named(_wait), llvm={"nvptx": Asm(f"{_ptx} <number>, <threads>;")}))  # fmt: skip

_NOTHING: tuple[tuple[str, tuple[Param, ...], str, str, frozenset[str], str | Asm, frozenset[str]],
    ...] = (("fence_proxy_async", (), "Orders this thread's ordinary accesses before later ones by copies and matrix "
    "instructions, in all memory.", "9.7.13.4, fence.proxy.async", SM_90, "fence.proxy.async;", ORDER),
    ("fence_proxy_async_shared", (), "Orders this thread's ordinary accesses to shared memory before later ones by "
    "copies and matrix instructions.", "9.7.13.4, fence.proxy.async", SM_90, "fence.proxy.async.shared::cta;", ORDER),
    ("fence_mbarrier_init", (), "Makes mbarriers that this thread has initialized known in the cluster.",
    "9.7.13.4, fence.mbarrier_init", SM_90, "fence.mbarrier_init.release.cluster;", ORDER),
    ("fence_gpu", (), "Orders this thread's accesses to memory before and behind it, as seen from the whole GPU.",
    "9.7.13.4, fence.acq_rel", SM_75, "fence.acq_rel.gpu;", ORDER),
    ("griddepcontrol_wait", (), "Waits until the grids that this one depends on are complete and their writes visible "
    "(programmatic dependent " "launch).", "9.7.13.13, griddepcontrol", SM_90, "griddepcontrol.wait;", ORDER),
    ("griddepcontrol_launch_dependents", (), "Grids that depend on this one may start when all its blocks have said "
    "so.", "9.7.13.13, griddepcontrol", SM_90, "griddepcontrol.launch_dependents;", ORDER),
    *((f"setmaxnreg_{how}", (Param("count", "const", "registers of each thread, a multiple of " "8", range=(24, 256),
    choices=tuple(range(24, 257, 8))),), f"The warps of a warpgroup {what} registers: `count` for each thread from now "
    f"on. All warps of the warpgroup execute it.", "9.7.20.5, setmaxnreg", SETMAXNREG,
    Asm(f"setmaxnreg.{how}.sync.aligned.u32 <count>;", marks=frozenset({SETS_REGISTERS})), ORDER | {"convergent"})
    for how, what in (("inc", "wait for more"), ("dec", "give back"))),
    ("prefetch_l2", (Param("src", "tensor", "in global memory; begins where the line is", spaces=(GLOBAL,),
    source=True),), "Brings the line of an address into L2.", "9.7.9.15, prefetch", SM_75,
    "prefetch.global.L2 [<src>];", ORDER))  # fmt: skip


def _ignore(wave: Machine, *args: Any) -> None:
    """Order and speed only: waves of executors see memory in order."""


def _proxies(wave: Machine) -> None:
    wave.fence_proxies()


def _mbarriers(wave: Machine) -> None:
    wave.fence_mbarriers()


_MEANINGS = {"fence_proxy_async": _proxies, "fence_proxy_async_shared": _proxies, "fence_mbarrier_init": _mbarriers}
for _name, _params, _doc, _section, _needs, _text, _effects in _NOTHING:
    register(Row(f"nvvm.{_name}", _params, None, _doc, f"PTX ISA 9.0, {_section}", _needs,
        _MEANINGS.get(_name, _ignore), _effects, nothing,
        llvm={"nvptx": _text if isinstance(_text, Asm) else Asm(_text)}))  # fmt: skip
