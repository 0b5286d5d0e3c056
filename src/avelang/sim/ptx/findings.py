"""What a watched launch has found comes in; reports go out: raised, or collected while the kernel runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.reports as reports
import avelang.sim.ptx.watch_text as text
from avelang.base.errors import AveError, error
from avelang.sim.ptx.state import UNWAITED

if TYPE_CHECKING:
    from avelang.sim.ptx.clocks import Shadow, WarpAccess
    from avelang.sim.ptx.run import CtaState, PtxRun, Warp
    from avelang.sim.ptx.watch import WarpWatch

WORDS = ("takes its address from a value", "goes by a condition", "stores a value", "updates memory or uses a value")
VERBS = ("read", "write", "atomic update")
MOST = 200  # reports of one launch


def report(run: PtxRun, found: AveError, key: tuple[object, ...]) -> None:
    """Raises a report, or keeps the first one of each kind: of the same pair of instructions, say."""
    if not run.collects:
        raise found
    if key not in run.found and len(run.found) < MOST:
        run.found[key] = found


def _whose(a: WarpAccess) -> str:
    return f"warp {a.warp} of block {a.block}" + (f" of rank {a.device}" if a.device >= 0 else "")


def race(run: PtxRun, w: WarpWatch, shadow: Shadow, at: np.ndarray, mine: WarpAccess, other: WarpAccess,
        sort: int) -> None:
    """Two accesses that nothing orders. `at`: the bytes of the shadow that both touch."""
    tensor = shadow.name.startswith("tensor memory")
    shared = not tensor and not any(shadow is r for r in run.watched().memory.regions)
    code = "X050" if shared or tensor else "X040"
    key = (code, *sorted((mine.instr, other.instr)))
    if run.collects and key in run.found:
        return
    low = int(at.min())
    n = 1 + int(np.argmin(np.append(np.isin(np.arange(low + 1, low + 64), at), False)))
    owner = f"shared memory of block {w.block}" if shared else shadow.name if tensor else f"`{shadow.name}`"
    unit = "cell" if tensor else "byte"
    wrote = VERBS[sort]
    which = (f"its lanes {other.mask:#010x}, which went another way" if mine.agent == other.agent
        and mine.count != other.count else _whose(other))
    found = error(code, kernel=run.program.code.entry.name, what=f"the {wrote} by {run.program.quoted(mine.instr)}",
        place=f"{n} {unit}{'s' * (n > 1)} at {low:#x} of {owner}",
        other=f"{run.program.quoted(other.instr)} of {which}",
        where=_whose(mine))  # fmt: skip
    report(run, found, key)


def not_coherent(run: PtxRun, w: WarpWatch, shadow: Shadow, at: int, mine: WarpAccess, other: WarpAccess) -> None:
    """X035: a load that need not see what the launch has written."""
    i = run.program.code.instructions[mine.instr]
    who = (f"{run.program.quoted(other.instr)} of {_whose(other)}" if other.instr >= 0
        else "an atomic operation of this launch")
    lane = (mine.mask & -mine.mask).bit_length() - 1
    found = error("X035", kernel=run.program.code.entry.name, text=reports.text_of(i), where=f"line {i.node.line}",
        lane=reports.thread(w.warp, lane), why=f"its cache is not coherent with stores, and byte {at:#x} of "
        f"`{shadow.name}` was written by {who}; load it without .nc")  # fmt: skip
    report(run, found, ("nc", mine.instr, other.instr))


def outlived(run: PtxRun, block: CtaState, a: WarpAccess) -> None:
    """X050: an access to the shared memory of a block that may have ended."""
    found = error("X050", hint="wait before the block ends: for bulk stores cp.async.bulk.wait_group.read, for other "
        "blocks barrier.cluster", kernel=run.program.code.entry.name, what=f"the access by "
        f"{run.program.quoted(a.instr)}", place=f"shared memory of block {block.index}", other="the end of that block",
        where=_whose(a))  # fmt: skip
    report(run, found, ("end", a.instr))


def logged(run: PtxRun, w: WarpWatch, r: np.ndarray) -> None:
    """A fault or another fact that the code itself has written down."""
    kind, index, mask = int(r["kind"]), int(r["instr"]), int(r["mask"])
    i = run.program.code.instructions[index]
    lane = (mask & -mask).bit_length() - 1
    common: dict[str, Any] = {"kernel": run.program.code.entry.name, "where": reports.thread(w.warp, lane)}
    code = int(r["code"]) if kind == text.BLAME else 0
    key = (kind, code, index)
    if run.collects and key in run.found:
        return
    if kind == text.BLAME:
        found = reports.stopped(run.program, w.warp, run.launch, code, i, lane, int(r["size"]), int(r["address"][0]))
    elif kind == text.RUNNING:
        found = reports.stopped(run.program, w.warp, run.launch, UNWAITED, i, lane, 0, 0)
    elif kind == text.CLASH:
        other = next((k for k in range(32) if k != lane and r["address"][k] == r["address"][lane]), None)
        place = reports.place(w.warp, int(r["address"][lane]), int(r["size"]), run.launch, i)
        found = error("X041", what=run.program.quoted(index), place=place, other="another lane" if other is None
            else f"lane {other}", **common)
    elif kind == text.UNDEFINED:
        said = {"text": reports.text_of(i), "where": f"line {i.node.line}", "lane": common["where"]}
        found = error("X051", kernel=common["kernel"], what=WORDS[int(r["size"])], **said)
    elif kind == text.UNNAMED:
        said = {"text": reports.text_of(i), "where": f"line {i.node.line}", "lane": common["where"]}
        found = error("X035", kernel=common["kernel"], why=f"lane {lane} executes it and is not in the mask that it "
            f"gives", **said)
    else:
        found = error("X043", what=run.program.quoted(index), why=str(int(r["address"][lane])), **common)
    report(run, found, key)


def barrier(run: PtxRun, warp: Warp, instr: int, why: str) -> None:
    """X042: lanes or warps that never come to a barrier for all."""
    where = f"warp {warp.index} of block {warp.block.index}"
    report(run, error("X042", kernel=run.program.code.entry.name, what=run.program.quoted(instr), why=why, where=where),
        ("X042", instr))
