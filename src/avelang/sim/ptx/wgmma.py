"""wgmma: one warp's part of a product of a warpgroup comes in, its accumulator is written. Layouts are those of `isa.nvptx.wgmma`.

The result is computed at once; what is read from shared memory counts as being read until wgmma.wait_group. PTX ISA 9.0, 9.7.15.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from avelang.isa.nvptx.mma import LANES, TF32, Operand
from avelang.isa.nvptx.wgmma import FORMS, ROWS, WARPS, Form, a_fragment, d_fragment, element_addresses
from avelang.isa.products import matmul
from avelang.nvptx import nodes as n
from avelang.sim.flights import Groups
from avelang.sim.ptx.code import Reg
from avelang.sim.ptx.copies import Copy, check_read
from avelang.sim.ptx.sync import Misuse
from avelang.sim.ptx.unknown import Mods, Unknown

if TYPE_CHECKING:
    from avelang.sim.ptx.host import Host, View

KIND = "wgmma"


def execute(host: Host, v: View) -> None:
    m = Mods(v.i)
    what = m.left.pop(0) if m.left else ""
    m.take("sync")
    m.take("aligned")
    groups = v.warp.groups.setdefault(KIND, Groups(LANES))
    if what == "fence":
        return m.done()
    if what == "commit_group":
        m.done()
        return groups.commit(v.active)
    if what == "wait_group":
        m.done()
        return groups.wait(v.active, v.one(v.i.operands[0]))
    if what != "mma_async":
        raise Unknown(f"wgmma.{what} is not executed here")
    if v.warp.index // WARPS * WARPS + WARPS > v.block.count:
        raise Misuse(f"the block has {v.block.count} warps, no four of which begin at warp {v.warp.index // WARPS * WARPS}")
    return _product(host, v, m, groups)


def _form(m: Mods, registers: bool) -> tuple[Form, int]:
    shape = next((x for x in m.left if re.fullmatch(r"m64n\d+k\d+", x)), "")
    if not shape:
        raise Unknown("a shape such as .m64n128k16 is needed")
    m.left.remove(shape)
    size, k = (int(x) for x in re.findall(r"\d+", shape)[1:])
    satfinite = m.has("satfinite")
    kinds = [x for x in m.left if x in ("f16", "bf16", "tf32", "f32", "e4m3", "e5m2", "s8", "u8", "s32", "b1")]
    m.left = m.left[len(kinds) :] if m.left[: len(kinds)] == kinds else m.left
    m.done()
    for form in FORMS:
        d = "s32" if form.d.name == "i32" else form.d.name
        if [d, form.a.ptx, form.b.ptx] == kinds and form.k == k and form.registers == registers and size % 8 == 0 and not satfinite:
            return form, size
    raise Unknown("this form is not in the table of matrix instructions")


def _product(host: Host, v: View, m: Mods, groups: Groups) -> None:
    d, a, b, scale, *rest = v.i.operands
    assert isinstance(d, n.Vector)
    form, size = _form(m, isinstance(a, n.Vector))
    flags = [v.one(x) for x in rest]
    signs = [int(x) - (1 << 32 if x >> 31 else 0) for x in flags[:2]] if form.signed else [1, 1]
    turns = [*(flags[2:] if form.turns else []), 0, 0]
    if len(flags) != (2 if form.signed else 0) + (0 if not form.turns else 1 if form.registers else 2):
        raise Unknown(f"{len(flags)} numbers stand behind scale-d")
    turned_a, turned_b = (0, turns[0]) if form.registers else (turns[0], turns[1])
    used: list[np.ndarray] = []
    first = ROWS * (v.warp.index % WARPS)
    if isinstance(a, n.Vector):
        left = _held(v, form, a)
    else:
        left = _shared(v, form.a, v.one(a, 64), ROWS, first, form.k, bool(turned_a), used)
    right = _shared(v, form.b, v.one(b, 64), size, 0, form.k, bool(turned_b), used)
    left, right = _exact(left, form.a, signs[0]), _exact(right, form.b, signs[1])
    _, row, col = (x[:LANES] for x in d_fragment(size).index)
    acc = np.zeros((1, ROWS, size), form.d.np)
    if bool(v.flags(scale)[v.lanes[0]]):
        acc[0, row, col] = _accumulator(v, form, d)
    out = matmul(left[None], right.T[None], acc)[0, row, col]
    _write(v, form, d, out)
    at = np.unique(np.concatenate(used))
    none = np.zeros((LANES, 0), np.int64)
    groups.add(Copy(host.copies, np.arange(LANES), None, none, none.astype(np.uint8), v.block, at, line=v.i.node.line))  # type: ignore[arg-type]


def _shared(v: View, operand: Operand, word: int, rows: int, first: int, k: int, turned: bool, used: list[np.ndarray]) -> np.ndarray:
    """(rows, k) of an operand in shared memory, from row `first` on."""
    if word >> 49 & 7:
        raise Misuse("a descriptor with a base offset: begin the pattern at a multiple of its size")
    i, j = np.meshgrid(first + np.arange(rows), np.arange(k), indexing="ij")
    size = operand.dtype.bytes
    at = element_addresses(word, i.reshape(-1), j.reshape(-1), turned, size)
    every = (at[:, None] + np.arange(size)).reshape(-1)
    check_read(v.block, every, 0)
    used.append(every)
    return v.block.shared[every].view(operand.dtype.np).reshape(rows, k)


def _exact(x: np.ndarray, operand: Operand, sign: int) -> np.ndarray:
    if operand is TF32:
        x = (np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return -x if sign < 0 else x


def _words(v: View, o: n.Vector) -> np.ndarray:
    """Registers of 32 bits, uint32 (lanes, n)."""
    return np.stack([v.raw(r) for r in o.items if isinstance(r, Reg)], axis=1)


def _held(v: View, form: Form, a: n.Vector) -> np.ndarray:
    words = np.ascontiguousarray(_words(v, a)).view(form.a.dtype.np)
    _, row, col = (x[:LANES] for x in a_fragment(form).index)
    out = np.zeros((ROWS, form.k), words.dtype)
    out[row, col] = words.reshape(LANES, -1)
    return out


def _accumulator(v: View, form: Form, d: n.Vector) -> np.ndarray:
    return np.ascontiguousarray(_words(v, d)).view(form.d.np).reshape(LANES, -1)


def _write(v: View, form: Form, d: n.Vector, out: np.ndarray) -> None:
    words = np.ascontiguousarray(out.astype(form.d.np)).view(np.uint32).reshape(LANES, -1)
    for k, r in enumerate(d.items):
        assert isinstance(r, Reg)
        v.raw(r)[:] = words[:, k]
