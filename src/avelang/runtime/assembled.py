"""A launch on an NVIDIA GPU comes in, under AVE_CHECK=ptxas; it runs with code of its PTX made at -O0 and at -O3, and
on the PTX executor where that can be; X066 says where results differ.

What is compared must have one result only. So `mul`, `add` and `sub` of floats, which ptxas may contract where they
have no rounding modifier (PTX ISA, "Floating Point Instructions"), get `.rn` here. Approximations may be folded, and
who comes first at an atomic differs from run to run: of kernels that have such instructions, differences of -O0 and -O3
are told on standard error, not raised. Two runs of the -O3 code that differ end the comparison."""

from __future__ import annotations

import math
import re
import sys
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from avelang.base.errors import AveError, error
from avelang.base.spans import Span
from avelang.ir.bounds_report import MemoryRange
from avelang.runtime.arrays import Array
from avelang.runtime.checked import memories
from avelang.runtime.geometry import Geometry

if TYPE_CHECKING:
    from avelang.runtime.arguments import BoundArguments
    from avelang.runtime.gpu import GpuProgram

O0, O3, EXECUTOR = "-O0", "-O3", "the executor"
MOST_THREADS, MOST_BYTES = 1 << 16, 64 << 20  # of a launch that is also executed on this machine
_FLOATS = r"(?:f16x2|bf16x2|f32x2|bf16|f16|f32|f64)"
_CONTRACTED = re.compile(rf"(?<![.\w%$])(mul|add|sub)((?:\.ftz|\.sat)*\.{_FLOATS})(?=\s)")
# What makes results of right code differ, by the reason.
_LOOSE = {
    "it has approximate instructions": re.compile(r"\.(?:approx|full)\b"),
    "its atomics, clocks or masks depend on who runs first": re.compile(
        rf"(?<![.\w%$])(?:atom\.|red\.\S*\.{_FLOATS}\s|cp\.reduce\.|activemask\.|multimem\.)"
        r"|%(?:clock|globaltimer|smid|warpid|nsmid|gridid)"
    ),
}
_PRODUCTS = re.compile(r"(?<![.\w%$])(?:mma|wmma|wgmma|tcgen05)\.")
_NOT_CODE = re.compile(r"//[^\n]*|^\s*\.(?:file|loc)\b[^\n]*", re.MULTILINE)
_ROOM = 256  # bytes: copies begin where the memory does, modulo this

_variants: weakref.WeakKeyDictionary[GpuProgram, tuple[GpuProgram | str, GpuProgram | None]] = (
    weakref.WeakKeyDictionary()
)
_told: set[str] = set()


def pinned(text: str) -> str:
    """The PTX with a rounding modifier on each instruction that could be contracted with another."""
    return _CONTRACTED.sub(r"\1.rn\2", text)


def loose(text: str) -> str:
    """Why right code of this PTX may give different results; "" where it may not."""
    code = _NOT_CODE.sub("", text)
    return " and ".join(why for why, pattern in _LOOSE.items() if pattern.search(code))


class Difference(NamedTuple):
    """The first element of an array that results disagree on, and its bit patterns by whose result it is."""

    array: str
    index: tuple[int, ...]
    values: dict[str, str]
    who: str


class DataSpace:
    """The memory of a launch's arrays: arrays that overlap are one range of bytes, and results are a copy of each
    range."""

    def __init__(self, named: Sequence[tuple[str, Array]]):
        found = memories(named)
        self.arrays = [(name, array, m) for (name, array),
                       m in zip(named, found, strict=True) if array.size and array.dtype is not None]
        self.ranges: list[MemoryRange] = list({m.start: m for _, _, m in self.arrays}.values())
        self.bytes = sum(m.size for m in self.ranges)

    def empty(self) -> list[np.ndarray]:
        """Fresh host memory for the bytes of each range."""
        out = []
        for m in self.ranges:
            room = np.empty(m.size + _ROOM, np.uint8)
            skipped = (m.start - room.ctypes.data) % _ROOM
            out.append(room[skipped : skipped + m.size])
        return out

    def read(self, program: GpuProgram) -> list[np.ndarray]:
        """Copies of the ranges as the device holds them."""
        driver, doing, out = program.device.driver, f"saving the arrays of `{program.kernel}`", self.empty()
        with driver.on(program.device, doing):
            for m, copy in zip(self.ranges, out, strict=True):
                driver.must(doing, "from", copy.ctypes.data, m.start, m.size)
        return out

    def write(self, program: GpuProgram, copies: Sequence[np.ndarray]) -> None:
        """Puts it there again."""
        driver, doing = program.device.driver, f"restoring the arrays of `{program.kernel}`"
        with driver.on(program.device, doing):
            for m, copy in zip(self.ranges, copies, strict=True):
                driver.must(doing, "to", m.start, copy.ctypes.data, m.size)

    def elements(self, array: Array, m: MemoryRange, copies: Sequence[np.ndarray]) -> np.ndarray:
        """An array's elements in copies of the ranges, as bit patterns."""
        assert array.dtype is not None
        bits = np.dtype(f"u{array.dtype.bytes}")
        return np.ndarray(array.shape, bits, copies[self.ranges.index(m)], array.address - m.start,
                          array.strides)  # type: ignore[arg-type]

    def difference(self, results: Mapping[str, Sequence[np.ndarray]]) -> Difference | None:
        """The first element in which results disagree, array by array. A NaN is like another: the ISA says nothing of
        its bits."""
        whose = list(results)
        for name, array, m in self.arrays:
            seen = [self.elements(array, m, results[w]) for w in whose]
            at = min((i for x in seen[1:] if (i := _first(seen[0], x, array)) is not None), default=None)
            if at is None:
                continue
            index = tuple(int(i) for i in np.unravel_index(at, array.shape))
            patterns = [x[index] for x in seen]
            same = [[v for v, q in zip(whose, patterns, strict=True) if _same(p, q, array)] for p in patterns]
            return Difference(name, index, {w: _shown(p, array) for w, p in zip(whose, patterns, strict=True)},
                              _who(same))
        return None


def _first(a: np.ndarray, b: np.ndarray, array: Array) -> int | None:
    """The place, in row-major order, of the first element that differs."""
    at = np.flatnonzero(a != b)
    if at.size and array.dtype is not None and array.dtype.is_float:
        at = at[~(_nan(a.ravel()[at], array) & _nan(b.ravel()[at], array))]
    return int(at[0]) if at.size else None


def _nan(patterns: np.ndarray, array: Array) -> np.ndarray:
    assert array.dtype is not None
    return np.isnan(patterns.view(array.dtype.np).astype(np.float64))


def _same(p: Any, q: Any, array: Array) -> bool:
    return _first(np.array([p]), np.array([q]), array) is None


def _shown(pattern: Any, array: Array) -> str:
    assert array.dtype is not None
    value = np.array([pattern]).view(array.dtype.np)[0]
    return f"{value} ({int(pattern):#0{2 + 2 * array.dtype.bytes}x})"


def _who(same: list[list[str]]) -> str:
    """Which of two or three results disagree. `same`: for each those that are like it."""
    alone = [group[0] for group in same if len(group) == 1]
    if len(alone) == 1:
        others = next(group for group in same if len(group) > 1)
        return f"{alone[0]} differs from {' and '.join(others)}"
    return (
        f"{', '.join(alone[:-1])} and {alone[-1]} all differ"
        if len(alone) > 2
        else f"{alone[0]} differs from {alone[1]}"
    )


# -- a launch ---


def compared(program: GpuProgram, at: Geometry, bound: BoundArguments, specs: Sequence[Any], stream: int,
             span: Span | None = None) -> str:
    """Runs a checked launch to its end with all the codes there are, and gives what the kernel printed. Afterwards
    memory holds what the launch leaves without the check. `specs`: the run-time parameters. What the kernel writes
    besides its array arguments (through addresses in memory) is not saved: each run finds what the last one has left.
    Raises X066, D035 under capture, and what launches raise."""
    names = [s.name for s in specs]
    driver, text = program.device.driver, program.meta["ptx"]
    doing = f"comparing codes of `{program.kernel}`"
    with driver.on(program.device, doing):
        if driver.capturing(stream):
            raise error("D035", doing=doing, instead=driver.hints[driver.captured],
                        **driver.blame("capturing", driver.captured))
        driver.must(doing, "wait", stream)
    space = DataSpace(
        [(name, value) for name, value in zip(names, bound.values, strict=True) if isinstance(value, Array)]
    )
    before = space.read(program)
    slow, fast = _codes(program)

    def results(which: GpuProgram) -> tuple[list[np.ndarray], str]:
        space.write(program, before)
        printed = _run(which, at, bound, names, stream)
        return space.read(program), printed

    found: dict[str, list[np.ndarray]] = {}
    if not isinstance(slow, str):
        try:
            found[O0] = results(slow)[0]
        except AveError as e:
            if e.code != "L032":  # -O0 takes more registers: the driver may refuse the block
                raise
            slow = str(e.message)
    if isinstance(slow, str):
        _say(program, f"there is no {O0} to compare: {slow}")
    once = results(fast)[0]
    found[O3], printed = results(fast)
    if fast is not program:
        printed = results(program)[1]
    unstable = space.difference({"once": once, "again": found[O3]})
    if unstable is not None:
        values = " and ".join(unstable.values.values())
        place = f"`{unstable.array}` at index {unstable.index}"
        _say(
            program, f"the kernel is not deterministic: two runs of {O3} leave {values} in {place}; nothing is compared"
        )
        return printed
    why = _executed(program, at, bound, specs, space, before, found)
    if why:
        _say(program, f"not compared with the executor: {why}")
    _judge(program, space.difference(found), loose(text), span)
    return printed


def _run(which: GpuProgram, at: Geometry, bound: BoundArguments, names: Sequence[str], stream: int) -> str:
    if which.prints or "sites" in which.meta:
        return which.printed(at, bound, names, stream)
    which.run(at, bound, names, stream)
    which.finish(at, bound, names, stream)
    return ""


def _say(program: GpuProgram, text: str) -> None:
    """A line on standard error, once."""
    line = f"ave: AVE_CHECK=ptxas: `{program.kernel}`: {text}"
    if line not in _told:
        _told.add(line)
        print(line, file=sys.stderr)


def _judge(program: GpuProgram, found: Difference | None, why: str, span: Span | None) -> None:
    if found is None:
        return
    values = ", ".join(f"{value} by {who}" for who, value in found.values.items())
    fields = {"array": found.array, "index": found.index, "values": values, "who": found.who,
              "tool": program.meta["assembler"]}
    e = error("X066", span, kernel=program.kernel, **fields)
    if not why:
        raise e
    _say(program, f"{found.who} (`{found.array}` at index {found.index} is {values}); no error, since {why}")


def _codes(program: GpuProgram) -> tuple[GpuProgram | str, GpuProgram]:
    """The kernel at -O0 (or why there is none) and at -O3, loaded: of the pinned text, where that is another."""
    made = _variants.get(program)
    if made is None:
        text = pinned(program.meta["ptx"])
        slow: GpuProgram | str
        try:
            slow = _made(program, text, 0)
        except AveError as e:
            if e.code != "D038":
                raise
            slow = str(e.message)
        # An entry that named the program itself would keep it for good.
        made = _variants[program] = slow, None if text == program.meta["ptx"] else _made(program, text, None)
    return made[0], made[1] or program


def _made(program: GpuProgram, text: str, level: int | None) -> GpuProgram:
    meta, device = program.meta, program.device
    made = device.driver.machine_code(device, text, meta["chip"], meta["entry"], level)  # type: ignore[attr-defined]
    code, said = made
    # That -O0 spills is no news.
    return device.load(code, {**meta, **said, "spills": [0, 0], "remarks": []})


def _executed(
    program: GpuProgram, at: Geometry, bound: BoundArguments, specs: Sequence[Any], space: DataSpace,
    before: Sequence[np.ndarray],
    found: dict[str, list[np.ndarray]],
) -> str:  # fmt: skip
    """Adds the executor's results, or says why there are none to compare."""
    meta, text = program.meta, pinned(program.meta["ptx"])
    if program.prints or "sites" in meta:
        return "it prints, or looks at its own accesses"
    if math.prod(at.grid) * math.prod(at.block) > MOST_THREADS or space.bytes > MOST_BYTES:
        return f"over {MOST_THREADS} threads or {MOST_BYTES >> 20} MiB of arrays"
    why = loose(text) or (
        "it has matrix instructions, which round in their own way" if _PRODUCTS.search(_NOT_CODE.sub("", text)) else ""
    )
    if why:
        return why
    from avelang.sim.ptx import Program as Executed
    from avelang.sim.ptx import tensor_map

    copies = space.empty()
    for copy, saved in zip(copies, before, strict=True):
        copy[:] = saved
    moved = {m.start: copy.ctypes.data - m.start for m, copy in zip(space.ranges, copies, strict=True)}
    shifts = {id(array): moved[m.start] for _, array, m in space.arrays}
    memory = [(copy.ctypes.data, m.size, m.name, True) for m, copy in zip(space.ranges, copies, strict=True)]
    cluster = meta["launch"].get("cluster")
    try:
        executed = Executed(text, entry=meta["entry"])
        args: list[Any] = []
        for spec, value, slot, v in zip(specs, bound.values, bound.slots, executed.code.params, strict=True):
            shift = shifts.get(id(value), 0)
            if spec.kind == "map":
                args.append(tensor_map(spec.map, value.address + shift, value.shape, value.strides))
            else:
                args.append((slot + shift if isinstance(value, Array) else slot) & (1 << 8 * v.bytes) - 1)
        executed.launch(args, at.grid, at.block, shared_bytes=meta["dynamic_bytes"],
                        cluster=tuple(cluster) if cluster else None, memory=memory)  # type: ignore[arg-type]
    except (AveError, ValueError) as e:
        return str(e)
    found[EXECUTOR] = copies
    return ""
