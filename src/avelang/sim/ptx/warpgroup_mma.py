"""wgmma: the four warps of a warpgroup come in, their accumulators are written. Layouts are those of `isa.nvptx.wgmma`.

The result is computed at once; what is read from shared memory counts as being read until wgmma.wait_group, and nobody
but another wgmma may touch the accumulator until then. PTX ISA 9.0, 9.7.15. """

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.clocks as clocks
from avelang.isa.mma_reference import matmul
from avelang.isa.nvptx.mma import LANES, TF32, MmaOperand
from avelang.isa.nvptx.wgmma import FORMS, ROWS, WARPS, M, WgmmaForm, a_fragment, d_fragment, element_addresses
from avelang.nvptx import nodes as n
from avelang.sim.async_copies import CommitGroups
from avelang.sim.ptx.barriers import HostMisuse
from avelang.sim.ptx.code import PtxReg, held_by
from avelang.sim.ptx.copies import Copy, check_read
from avelang.sim.ptx.modifiers import Mods, NotExecuted

if TYPE_CHECKING:
    from avelang.sim.ptx.host import HostExecutor, HostView
    from avelang.sim.ptx.run import Warp

KIND = "wgmma"


def _fence(host: HostExecutor, v: HostView) -> None:
    for word in v.run.program.code.unfenced.values():
        v.warp.words[word.place // 4] = 0


def _groups(v: HostView) -> CommitGroups:
    return v.warp.groups.setdefault(KIND, CommitGroups(LANES))


def _commit(host: HostExecutor, v: HostView) -> None:
    _groups(v).commit(v.active)


def _wait_group(host: HostExecutor, v: HostView) -> None:
    _groups(v).wait(v.active, v.one(v.i.operands[0]))
    host.copies.told(v.warp, _groups(v), clocks.PRODUCTS)


def _form(v: HostView, registers: bool) -> tuple[WgmmaForm, int]:
    """The form of a product, and the columns of B."""
    m = Mods(v.i)
    for word in ("mma_async", "sync", "aligned"):
        m.take(word)
    shape = next(x for x in m.left if re.fullmatch(r"m64n\d+k\d+", x))
    size, k = (int(x) for x in re.findall(r"\d+", shape)[1:])
    kinds = [x for x in m.left if x != shape]
    for form in FORMS:
        d = "s32" if form.d.name == "i32" else form.d.name
        if [d, form.a.ptx, form.b.ptx] == kinds and form.k == k and form.registers == registers:
            return form, size
    raise NotExecuted("this form is not in the table of matrix instructions")


class WarpgroupJoin:
    """The four warps of a warpgroup at a product that they do together."""

    def __init__(self) -> None:
        self.views: list[HostView] = []
        self.done = False


def _product(host: HostExecutor, v: HostView) -> Iterator[Any] | None:
    """wgmma.mma_async: the last warp that comes does it for all; the others wait for it."""
    if v.warp.index // WARPS * WARPS + WARPS > v.block.count:
        raise HostMisuse(f"the block has {v.block.count} warps, no four of which begin at warp "
            f"{v.warp.index // WARPS * WARPS}")
    _fenced(host, v)
    first = v.warp.index // WARPS * WARPS
    meeting = v.block.meetings.setdefault(first, WarpgroupJoin())
    if meeting.views and meeting.views[0].i is not v.i:
        raise HostMisuse(f"warp {meeting.views[0].warp.index} of the warpgroup is at line "
            f"{meeting.views[0].i.node.line}")
    meeting.views.append(v)
    if len(meeting.views) < WARPS:
        return _wait(meeting)
    del v.block.meetings[first]
    _multiply(host, sorted(meeting.views, key=lambda w: w.warp.index))
    meeting.done = True
    return None


def _fenced(host: HostExecutor, v: HostView) -> None:
    """PTX ISA 9.0, 9.7.15.7.1: wgmma.fence stands before the first product, and between other writes of its registers
    and a product."""
    if v.run.watch is None:
        return
    for o in v.i.operands[:2]:
        word = v.run.program.code.unfenced.get(held_by(o))
        if word is not None and v.warp.words[word.place // 4]:
            which = "A" if o is v.i.operands[1] else "its accumulator"
            why = f"it uses the registers of {which}, which have been written, and no wgmma.fence stands between"
            host.complain(HostMisuse(why, v.lanes[0], "wgmma.fence stands before the first product, and behind each "
                "write of registers of one"))


def _wait(meeting: WarpgroupJoin) -> Iterator[Any]:
    yield lambda: meeting.done


def _same(views: list[HostView], o: object, bits: int = 32) -> int:
    """An operand that is the same in the whole warpgroup."""
    values = {v.one(o, bits) for v in views}
    if len(values) != 1:
        raise HostMisuse("this operand must be the same in all warps of the warpgroup")
    return values.pop()


def _multiply(host: HostExecutor, views: list[HostView]) -> None:
    i = views[0].i
    d, a, b, scale, *rest = i.operands
    assert isinstance(d, n.VectorOperand)
    form, size = _form(views[0], isinstance(a, n.VectorOperand))
    flags = [_same(views, x) for x in rest]
    signs = [int(x) - (1 << 32 if x >> 31 else 0) for x in flags[:2]] if form.signed else [1, 1]
    turns = [*(flags[2:] if form.turns else []), 0, 0]
    if len(flags) != (2 if form.signed else 0) + (0 if not form.turns else 1 if form.registers else 2):
        raise NotExecuted(f"{len(flags)} numbers stand behind scale-d")
    turned_a, turned_b = (0, turns[0]) if form.registers else (turns[0], turns[1])
    used: list[np.ndarray] = []
    if isinstance(a, n.VectorOperand):
        left = np.concatenate([_held(v, form, a) for v in views])
    else:
        left = _shared(views[0], form.a, _same(views, a, 64), M, form.k, bool(turned_a), used)
    right = _shared(views[0], form.b, _same(views, b, 64), size, form.k, bool(turned_b), used)
    left, right = _exact(left, form.a, signs[0]), _exact(right, form.b, signs[1])
    _, row, col = d_fragment(size).index
    acc = np.zeros((1, M, size), form.d.np)
    if len({bool(v.flags(scale)[v.lanes[0]]) for v in views}) != 1:
        raise HostMisuse("scale-d must be the same in all warps of the warpgroup")
    if bool(views[0].flags(scale)[views[0].lanes[0]]):
        acc[0, row, col] = np.concatenate([_accumulator(v, form, d) for v in views])
    out = matmul(left[None], right.T[None], acc)[0, row, col]
    at, none = np.unique(np.concatenate(used)), np.zeros((LANES, 0), np.int64)
    number, product = 0, list[Copy]()
    for k, v in enumerate(views):
        _write(v, form, d, out[k * LANES : (k + 1) * LANES])
        count = v.run.program.code.running[tuple(r for r in d.items if isinstance(r, PtxReg))].place // 4
        v.warp.words[count] += np.uint32(1)
        done = functools.partial(_end, v.warp, count, product)
        reads = Copy(host.copies, np.arange(LANES), None, none, none.astype(np.uint8), v.block, at, origin=i.index,
            done=done)
        product.append(reads)
        _groups(v).add(reads)  # type: ignore[arg-type]
        if v.run.watch is not None:  # whoever of the warpgroup waits knows that all four have read
            reads.number = number = number or v.run.watch.flight(v.warp, i.index, clocks.PRODUCTS, None, (v.block, at))


def _end(warp: Warp, count: int, product: list[Copy]) -> None:
    """A product is there; `count` is the word of the warp's memory that says how many run. All four warps do it, so
    where one of them has waited, all have read: CUTLASS has one thread of a warpgroup give a stage back."""
    warp.words[count] -= np.uint32(1)
    for part in product:
        part.read()


@functools.lru_cache(256)
def _places(word: int, rows: int, k: int, turned: bool, size: int) -> np.ndarray:
    """Where each byte of an operand stands, by its descriptor."""
    i, j = np.meshgrid(np.arange(rows), np.arange(k), indexing="ij")
    at = element_addresses(word, i.reshape(-1), j.reshape(-1), turned, size)
    return (at[:, None] + np.arange(size)).reshape(-1)


def _shared(v: HostView, operand: MmaOperand, word: int, rows: int, k: int, turned: bool,
        used: list[np.ndarray]) -> np.ndarray:
    """(rows, k) of an operand in shared memory."""
    if word >> 49 & 7:
        raise HostMisuse("a descriptor with a base offset: begin the pattern at a multiple of its size")
    every = _places(word, rows, k, turned, operand.dtype.bytes)
    check_read(v.block, every, 0)
    used.append(every)
    return v.block.shared[every].view(operand.dtype.np).reshape(rows, k)


def _exact(x: np.ndarray, operand: MmaOperand, sign: int) -> np.ndarray:
    if operand is TF32:
        x = (np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return -x if sign < 0 else x


def _words(v: HostView, o: n.VectorOperand) -> np.ndarray:
    """Registers of 32 bits, uint32 (lanes, n)."""
    return np.stack([v.raw(r) for r in o.items if isinstance(r, PtxReg)], axis=1)


def _held(v: HostView, form: WgmmaForm, a: n.VectorOperand) -> np.ndarray:
    words = np.ascontiguousarray(_words(v, a)).view(form.a.dtype.np)
    _, row, col = (x[:LANES] for x in a_fragment(form).index)
    out = np.zeros((ROWS, form.k), words.dtype)
    out[row, col] = words.reshape(LANES, -1)
    return out


def _accumulator(v: HostView, form: WgmmaForm, d: n.VectorOperand) -> np.ndarray:
    return np.ascontiguousarray(_words(v, d)).view(form.d.np).reshape(LANES, -1)


def _write(v: HostView, form: WgmmaForm, d: n.VectorOperand, out: np.ndarray) -> None:
    words = np.ascontiguousarray(out.astype(form.d.np)).view(np.uint32).reshape(LANES, -1)
    for k, r in enumerate(d.items):
        assert isinstance(r, PtxReg)
        v.define(r)
        v.raw(r)[:] = words[:, k]


TABLE: dict[str, Callable[[HostExecutor, HostView], Iterator[Any] | None]] = {
    "wgmma.fence": _fence,
    "wgmma.mma_async": _product,
    "wgmma.commit_group": _commit,
    "wgmma.wait_group": _wait_group,
}
