"""The stages of a kernel come in; pictures of what its speed depends on go out, as values for JSON: the roofline, the
cost of each access to memory, and the main loop's timeline. All of it by models; nothing is run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from avelang.inspection.lane_walk import AccessCost, LaneWalk, Traffic, walk_lanes
from avelang.ir.core import Op, walk
from avelang.isa.row import ROWS
from avelang.runtime.compile import chip_of

if TYPE_CHECKING:
    from avelang.amdgcn.report import KernelReport
    from avelang.arch import Chip
    from avelang.inspection.stages import Stages
    from avelang.inspection.subject import LaunchFacts

MOST_WAVES = 16  # of a CU that the model follows
MOST_BARS = 20_000
ROOFLINE = (
    "Bytes and operations are counted from the code, by its addresses; peaks are the product's data sheet. "
    "Points stand on the roof: where a kernel that loses nothing else would be. No time was measured."
)
ACCESSES = ("One access of a wave, its lanes' addresses computed from thread numbers, at the first iteration. Shared "
            "memory: cycles of its banks. Global memory: sectors of 32 bytes, arrays aligned.")  # fmt: skip
_SUMS = ("flops", "float_ops", "read", "written", "shared", "unknown")
TIMELINE = "A model of one compute unit, whose clock, caches and neighbors are not in it: no time on a card."


def sections(made: Stages, launch: LaunchFacts | None) -> dict[str, Any]:
    """The sections of a page, by name."""
    chip = chip_of(made.chip)
    if chip is None:
        return {}
    found: dict[str, Any] = {}
    if made.kernel is not None:
        scalars, grid = (launch.scalars, launch.grid) if launch is not None else ({}, ())
        walked = walk_lanes(made.kernel, chip, scalars, grid)
        numbers = {op: n for n, op in enumerate(walk(made.kernel.body), 1)}
        found["roofline"] = roofline(made, chip, walked, launch)
        found["accesses"] = accesses(walked, numbers)
    if chip.vendor == "amd":
        found["timeline"] = amd_timeline(made)
    return {name: x for name, x in found.items() if x}


# -- roofline ---


def peak_flops(made: Stages, chip: Chip, traffic: Traffic) -> float | None:
    """Operations a second of the matrix pipes with the instructions that the kernel has; None where it has none, or the
    product is not known."""
    unit = chip.product
    if unit is None or not traffic.flops or made.kernel is None:
        return None
    each = unit.count * unit.pipes * unit.clock
    if chip.vendor == "nvidia":
        if unit.rate is None:
            return None
        return 2 * unit.rate * 2 / max(1, traffic.dtype) * each * (unit.sync_share if traffic.sync else 1.0)
    from avelang.isa.amdgpu.passes import CLOCKS, passes

    best = 0.0
    for op in walk(made.kernel.body):
        row = ROWS.get(op.name)
        if row is not None and row.mma is not None:
            m = row.mma
            formats = op.attrs.get("cbsz", 0), op.attrs.get("blgp", 0)
            best = max(best, 2 * m.m * m.n * m.k * m.blocks / (passes(op.name, chip.name, formats) * CLOCKS))
    return best * each or None


def main_loop_of(walked: LaneWalk) -> tuple[Op, Traffic, float | None] | None:
    """The loop with the most matrix operations in an iteration, else the one with the most traffic."""
    return max(walked.loops, key=lambda x: (x[1].flops * (x[2] or 2), (x[1].read + x[1].written) * (x[2] or 2)),
               default=None)  # fmt: skip


def roofline(made: Stages, chip: Chip, walked: LaneWalk, launch: LaunchFacts | None) -> dict[str, Any]:
    """The roofs of the chip's product, and where the kernel stands below them."""
    unit = chip.product
    points = []

    def point(name: str, flops: float, moved: float, remark: str) -> None:
        if flops and moved:
            points.append({"name": name, "flops": flops, "bytes": moved, "intensity": flops / moved, "remark": remark})

    loop = main_loop_of(walked)
    if loop is not None:
        op, t, trips = loop
        line = f"line {op.span.line}" if op.span is not None else "the main loop"
        count = f"{trips:g} trips" if trips is not None else "trips not known"
        point("main loop, as the code asks", t.flops or t.float_ops, t.read + t.written,
              f"{line}, one iteration of a block; {count}")  # fmt: skip
    total = walked.total
    if not total.unknown:
        point("whole block, as the code asks", total.flops or total.float_ops, total.read + total.written,
              "all loops with their trips")  # fmt: skip
        if launch is not None and launch.arrays:
            blocks = launch.grid[0] * launch.grid[1] * launch.grid[2]
            point("launch, each array moved once", (total.flops or total.float_ops) * blocks,
                  float(sum(size for _, size in launch.arrays)),
                  f"{blocks} blocks like the first; caches hold all that is used again")  # fmt: skip
    peak = peak_flops(made, chip, total)
    if not points and unit is None:
        return {}
    return {
        "product": unit.name if unit is not None else "", "peak": peak, "memory": unit.memory if unit else None,
        "matrix": bool(total.flops), "points": points, "note": ROOFLINE,
        "block": {name: getattr(total, name) for name in _SUMS},
    }  # fmt: skip


# -- accesses ---


def accesses(walked: LaneWalk, numbers: dict[Op, int]) -> dict[str, Any]:
    """The accesses by their line and cost, those that cost most above the least first."""
    groups: dict[tuple[Any, ...], list[AccessCost]] = {}
    for x in walked.accesses:
        span = x.op.span
        users = span.chain()[-1] if span is not None else None
        key = (users.file if users else "", users.line if users else 0, x.space, x.kind, x.nbytes, x.cycles, x.least)
        groups.setdefault(key, []).append(x)
    rows = []
    for (_, line, space, kind, nbytes, cycles, least), items in groups.items():
        factor = cycles / least if cycles is not None and least else None
        rows.append({
            "line": line, "op": numbers.get(items[0].op, 0), "space": space, "kind": kind, "bytes": nbytes,
            "lanes": items[0].lanes, "count": len(items), "cycles": cycles, "least": least, "factor": factor,
            "varies": any(x.varies for x in items),
        })  # fmt: skip
    rows.sort(key=lambda r: (-((r["factor"] or 0) - 1) * r["count"] * r["least"], r["line"]))
    lost = sum(
        (r["cycles"] - r["least"]) * r["count"] for r in rows if r["space"] == "shared" and r["cycles"] is not None
    )
    unknown = sum(r["count"] for r in rows if r["cycles"] is None)
    return {"rows": rows, "lost": lost, "unknown": unknown, "note": ACCESSES} if rows else {}


# -- timeline ---


def amd_timeline(made: Stages) -> dict[str, Any]:
    """The main loop on the model of a CU; `stalled` is for the lines of the assembly."""
    from avelang.amdgcn.asm import parse
    from avelang.amdgcn.cu.timeline import timeline
    from avelang.amdgcn.report import report_of

    program = parse(made.code)
    r: KernelReport = report_of(program, made.chip, None)
    groups = min(max(1, r.occupancy.groups), MOST_WAVES * 64 // max(64, r.threads) or 1)
    found = timeline(program, made.chip, r.kernel, r.threads, groups)
    if found is None:
        return {}
    code = program.instructions
    row_of = rows_by_line(made)
    causes = Counter[str]()
    for _, _, cause, a, b in found.waits:
        causes[cause] += b - a
    space = found.clocks * len(found.waves) or 1
    return {
        "chip": made.chip, "clocks": found.clocks, "iterations": found.iterations, "waves": list(found.waves),
        "groups": groups, "listing": "asm", "note": TIMELINE,
        "issued": [[w, row_of.get(code[n].line, -1), k, a, b] for w, n, k, a, b in found.issued[:MOST_BARS]],
        "waits": [[w, row_of.get(code[n].line, -1), k, a, b] for w, n, k, a, b in found.waits[:MOST_BARS]],
        "cut": max(0, len(found.issued) - MOST_BARS),
        "causes": {cause: clocks / space for cause, clocks in causes.most_common()},
        "heat": {row_of[code[n].line]: part for n, part in found.stalled.items() if code[n].line in row_of},
    }  # fmt: skip


def rows_by_line(made: Stages) -> dict[int, int]:
    """The row of the assembly's listing, from 0 on, by the line of the assembly's text, from 1 on."""
    listing = next(x for x in made.listings if x.key == "asm")
    return {line.row: n for n, line in enumerate(listing.lines) if line.row}
