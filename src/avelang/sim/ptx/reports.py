"""From what stopped a warp to an error: what it left in its block's memory comes in; an error that names line, thread
and cause goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.multicast as multicast
from avelang.base.errors import AveError, error
from avelang.nvptx.printer import instruction
from avelang.sim.ptx.barriers import HostMisuse, Outside
from avelang.sim.ptx.code import Instr, registers_of
from avelang.sim.ptx.state import (
    GUARDED,
    IN_FLIGHT,
    LANES,
    LOCAL_BASE,
    MISALIGNED,
    OUTSIDE,
    RANK,
    READONLY,
    SHARED_BASE,
    SPLIT,
    TRAP,
    UNKNOWN,
    UNWAITED,
    WARP,
)  # fmt: skip

if TYPE_CHECKING:
    from avelang.sim.ptx.program import PtxProgram
    from avelang.sim.ptx.run import PtxLaunch, Warp

PAGE = 4096  # bytes at address 0, which no array has


def text_of(i: Instr) -> str:
    """An instruction as reports quote it."""
    return instruction(i.node).strip() if not i.returned else "the return of a call"


def _common(program: PtxProgram, i: Instr) -> dict[str, Any]:
    return {"kernel": program.code.entry.name, "text": text_of(i), "where": f"line {i.node.line}"}


def thread(warp: Warp, lane: int) -> str:
    """A lane in words: its thread, block, warp."""
    at = WARP["thread"] // 4
    x, y, z = (int(warp.words[at + axis * LANES + lane]) for axis in range(3))
    return f"thread ({x}, {y}, {z}) of block {warp.block.index}, warp {warp.index}, lane {lane}"


def unknown(program: PtxProgram, i: Instr, why: str) -> AveError:
    """The error X031 of an instruction that is not executed."""
    return error("X031", **_common(program, i), why=why)


def _nearest(address: int, size: int, launch: PtxLaunch) -> str:
    if address < PAGE:
        return ": it is a null pointer, or near one"
    best = min(launch.names, key=lambda r: max(r[0] - address, address - r[1], 0), default=None)
    if best is None:
        return ""
    start, end, name, _ = best
    what = f"`{name}` of {end - start} bytes"
    if address < start:
        return f"; the nearest is {what}, which begins {start - address} bytes further on"
    return (f"; it runs past the end of {what}" if address < end else f"; the nearest is {what}, which ends "
        f"{address - end} bytes before")


def _memory(warp: Warp, address: int, size: int, launch: PtxLaunch, space: str) -> tuple[str, str]:
    """(the address, why it is wrong), in words."""
    window = address >> 60
    if window == SHARED_BASE >> 60 or space.startswith("shared"):
        byte = address & 0xFFFFFFFF
        return (f"{byte & (1 << RANK) - 1:#x} of shared memory", f", which has {warp.block.size} bytes"
            if byte >> RANK == warp.block.rank else (f", of block {byte >> RANK} of the cluster"))  # fmt: skip
    if window == LOCAL_BASE >> 60 or space == "local":
        return (f"{address & 0xFFFFFFFF:#x} of local memory", f", of which a thread has "
            f"{warp.block.run.program.code.local_bytes} bytes")
    held = multicast.inside(launch, address)
    if held is not None:
        return f"{address - held.address:#x} of `{held.name}`", ", a multicast object: only `multimem` may reach it"
    return f"{address:#x}", f", outside of all memory that was given{_nearest(address, size, launch)}"


def _space(i: Instr) -> str:
    return next((p for p in i.parts if p in ("global", "local") or p.startswith("shared")), i.entry.space)


def fault(program: PtxProgram, warp: Warp, launch: PtxLaunch) -> AveError:
    """The error of a warp that stopped in translated code."""
    b = warp.block
    code, i = b.get("fault_code"), program.code.instructions[b.get("fault_instruction")]
    common = _common(program, i)
    if code == UNKNOWN:
        return error("X031", **common, why=program.unknown.get(i.index, "it is not executed here"))
    if code == TRAP:
        lanes = warp.get("active")
        return error("X035", **common, why="the kernel stopped itself",
            lane=thread(warp, (lanes & -lanes).bit_length() - 1))
    if code == SPLIT:
        runs = b.get("fault_extra")
        return error("X035", **common, lane=thread(warp, (runs & -runs).bit_length() - 1), why=f"its predicate holds "
            f"in lanes {runs:#010x} of the warp only; all execute an instruction with .aligned, or none")
    return stopped(program, warp, launch, code, i, b.get("fault_lane"), b.get("fault_size"),
        b.get("fault_address", "<Q"))


def stopped(program: PtxProgram, warp: Warp, launch: PtxLaunch, code: int, i: Instr, lane: int, size: int,
        address: int) -> AveError:
    """The error of an access that a code of `state` says is wrong."""
    if code == MISALIGNED:
        why = (f"address {address:#x} is no multiple of {size}" if size else "rows of matrices begin at multiples of "
            "16 bytes")
        return error("X035", **_common(program, i), why=why, lane=thread(warp, lane))
    if code in (OUTSIDE, READONLY):
        return _outside(program, warp, i, Outside(address, size, lane, code == READONLY), _space(i))
    if code == UNWAITED:
        return _unwaited(program, warp, i)
    assert code in (IN_FLIGHT, GUARDED)
    return _disturbed(program, warp, i, code, address & (1 << RANK) - 1, size, lane)


def place(warp: Warp, address: int, size: int, launch: PtxLaunch, i: Instr) -> str:
    """An address in words."""
    for start, end, name, _ in [*launch.names, *launch.replicas()]:
        if start <= address < end:
            return f"{size} bytes at {address - start:#x} of `{name}`"
    return f"{size} bytes at {_memory(warp, address, size, launch, _space(i))[0]}"


def _unwaited(program: PtxProgram, warp: Warp, i: Instr) -> AveError:
    """Registers of an accumulator are touched while a wgmma runs, or those of a load of tensor memory."""
    mine, lanes = set(i.registers()), warp.get("active")
    load = next((op.instr for op in warp.groups.get("tcgen05.ld", ())
        if mine & {*registers_of(program.code.instructions[op.instr].operands[:1])}), -1)  # fmt: skip
    if load >= 0:
        what = f"touches a register that {program.quoted(load)} still loads"
        return error("X033", hint="wait first: tcgen05.wait::ld", **_common(program, i), what=what, lane=thread(warp,
            (lanes & -lanes).bit_length() - 1))  # fmt: skip
    running = (c.origin for c in warp.groups["wgmma"].left()) if "wgmma" in warp.groups else ()
    other = next((o for o in running if mine & {*registers_of(program.code.instructions[o].operands[:1])}), -1)
    what = f"touches a register of the accumulator of {program.quoted(other)}, which still runs"
    lane = thread(warp, (lanes & -lanes).bit_length() - 1)
    return error("X033", hint="wait first: wgmma.commit_group, then wgmma.wait_group", **_common(program, i), what=what,
        lane=lane)


def _outside(program: PtxProgram, warp: Warp, i: Instr, at: Outside, space: str) -> AveError:
    where, why = _memory(warp, at.address, at.size, warp.block.run.launch, space)
    why = ", which is read-only" if at.readonly else why
    return error("X032", **_common(program, i), size=at.size, address=where, why=why, lane=thread(warp, at.lane))


def _disturbed(program: PtxProgram, warp: Warp, i: Instr, code: int, byte: int, size: int, lane: int) -> AveError:
    """An access to bytes that a copy brings, or reads."""
    mine = np.arange(byte, byte + size)
    origin = -1
    for copy in warp.block.flights:
        touched = copy.at if code == IN_FLIGHT and copy.block is warp.block else copy.guard if code == GUARDED else None
        if touched is not None and np.isin(mine, touched).any():
            origin = copy.origin
    other = program.quoted(origin)
    if code == IN_FLIGHT:
        does = "which still arrives there"
        hint = ("wait for the copy before the data is used: cp.async.wait_group, or the mbarrier's phase (its parity, "
            "and all bytes in expect_tx); then a barrier")
    else:
        does, hint = "which still reads there", "wait first: cp.async.bulk.wait_group.read, or wgmma.wait_group"
        if origin >= 0 and program.code.instructions[origin].entry.group == "tcgen05":
            hint = "wait first for the mbarrier of its tcgen05.commit"
    what = f"touches {size} bytes at {byte:#x} of shared memory, and {other} runs, {does}"
    return error("X033", hint=hint, **_common(program, i), what=what, lane=thread(warp, lane))


def misuse(program: PtxProgram, warp: Warp, why: HostMisuse) -> AveError:
    """The error of a misuse that the host has found."""
    i = program.code.instructions[warp.get("op")]
    if isinstance(why, Outside):
        return _outside(program, warp, i, why, "")
    code = "X033" if why.hint else "X035"
    said: dict[str, Any] = {"what": why.why} if why.hint else {"why": why.why}
    return error(code, hint=why.hint or None, **_common(program, i), **said, lane=thread(warp, why.lane))


def _stands(program: PtxProgram, warp: Warp) -> str:
    """Where a warp waits."""
    if warp.waits is not None:
        i = program.code.instructions[warp.get("op")]
        return f"warp {warp.index} of block {warp.block.index} at line {i.node.line} (`{text_of(i)}`)"
    live = warp.get("live")
    places = {}
    for lane in range(LANES):
        if live >> lane & 1:
            places.setdefault(int(warp.pcs[lane]), []).append(lane)
    parts = []
    for pc, lanes in sorted(places.items()):
        i = program.at_block(pc)
        parts.append(f"{len(lanes)} lane{'s' * (len(lanes) > 1)} at line {i.node.line} (`{text_of(i)}`)")
    return f"warp {warp.index} of block {warp.block.index}: {', '.join(parts)}"


def deadlock(program: PtxProgram, warps: list[Warp]) -> AveError:
    """The error X034: these warps wait for one another."""
    shown = ("; ".join(_stands(program, w) for w in warps[:8])
        + (f"; and {len(warps) - 8} more" if len(warps) > 8 else ""))
    return error("X034", kernel=program.code.entry.name, warps=shown)


def stuck(program: PtxProgram, warp: Warp) -> AveError:
    """All lanes of a warp wait for others of it."""
    return deadlock(program, [warp])
