"""tcgen05.mma: matrix products of the tensor core, which leave D in tensor memory. Numbers are computed when an
instruction is issued; when they may be used is what `tensor_memory` watches. Layouts are those of `isa.nvptx.tcgen05`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.tensor_memory as memory
from avelang.ir.dtypes import BY_NAME
from avelang.isa.mma_reference import matmul
from avelang.isa.nvptx import tcgen05 as t5
from avelang.nvptx import nodes as n
from avelang.sim.ptx.barriers import HostMisuse
from avelang.sim.ptx.code import Mem
from avelang.sim.ptx.modifiers import NotExecuted
from avelang.sim.ptx.tensor_moves import Issue, bytes_at, group_of, pair_of, tensor_address, unpadded

if TYPE_CHECKING:
    from avelang.sim.ptx.host import HostExecutor, HostView
    from avelang.sim.ptx.run import CtaState

Waiting = Iterator[Any]


def _operand(
    issue: Issue, block: CtaState, word: int, name: str, rows: int, k: int, mn_major: bool, kind: str
) -> np.ndarray:
    """float32 or int (rows, k) of an operand in shared memory."""
    fault = t5.descriptor_fault(word)
    if fault:
        raise HostMisuse(fault, issue.lane)
    bits = t5.BITS[name]
    if bits < 8 and mn_major:
        raise NotExecuted(f"an MN-major operand of {name} is not executed here")
    if kind in ("mxf4", "mxf4nvf4"):  # two to a byte
        raw = issue.shared(block, bytes_at(word, rows, k // 2, False, 1)).reshape(rows, k // 2)
        return t5.small_float(name)[np.stack([raw & 15, raw >> 4], axis=-1).reshape(rows, k)]
    size = max(1, bits // 8)
    raw = issue.shared(block, bytes_at(word, rows, k, mn_major, size))
    if bits < 8:
        return t5.small_float(name)[unpadded(raw.reshape(rows, -1, 16), bits).reshape(rows, k)]
    return _numbers(raw.reshape(rows, k * size), name).reshape(rows, k)


def _numbers(raw: np.ndarray, name: str) -> np.ndarray:
    """The numbers in bytes uint8 (rows, bytes)."""
    raw = np.ascontiguousarray(raw)
    if name == "tf32":
        return (raw.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    if name in ("u8", "s8"):
        return raw.view(np.uint8 if name == "u8" else np.int8)
    if t5.BITS[name] == 8:
        return t5.small_float(name)[raw]
    return raw.view(BY_NAME[name].np).astype(np.float32)


def _in_tensor_memory(issue: Issue, m: memory.TensorMemory, at: tuple[int, int], name: str, d: t5.InstructionDescriptor,
        group: int, ws: bool) -> np.ndarray:  # fmt: skip
    """A in tensor memory: the block's rows of it, numbers (rows, k)."""
    lanes = t5.operand_lanes(d.m, group, ws, d.sparse)
    k = d.k // 2 if d.sparse else d.k
    packed = d.kind in ("mxf4", "mxf4nvf4")
    width = 4 if packed else max(8, t5.BITS[name])
    columns = at[1] + np.arange(k * width // 32)
    lane, column = (x.reshape(-1) for x in np.broadcast_arrays(at[0] + lanes[..., None], columns))
    m.access(issue.op, lane, column, False, "A")
    found = m.cells[at[0] + lanes[..., None], columns]
    if (found != found[:, :1]).any():
        apart = t5.LANES // lanes.shape[1]
        raise HostMisuse(f"A of M = {d.m} must stand in tensor memory again every {apart} lanes", issue.lane)
    raw = np.ascontiguousarray(found[:, 0]).view(np.uint8)
    if packed:
        return t5.small_float(name)[np.stack([raw & 15, raw >> 4], axis=-1).reshape(len(raw), k)]
    if t5.BITS[name] < 8:
        raw = raw >> 2 & 15 if t5.BITS[name] == 4 else raw & 63
        return t5.small_float(name)[raw]
    return _numbers(raw, name)


def _metadata(issue: Issue, m: memory.TensorMemory, at: tuple[int, int], d: t5.InstructionDescriptor) -> np.ndarray:
    """The fields of 4 bits that say where stored elements of A belong, int (128 rows, fields along K)."""
    lane, column, shift = t5.metadata_places(d.kind)
    if at[0]:
        raise HostMisuse(f"its metadata begins at lane {at[0]} of tensor memory; that of 128 rows at 0", issue.lane)
    if at[1] % 2:
        raise NotExecuted("metadata of a sparse tcgen05.mma from an odd column on is not executed here")
    column = column + at[1] + d.selector
    m.access(issue.op, lane.reshape(-1), column.reshape(-1), False, "its metadata")
    fields = m.cells[lane, column] >> shift.astype(np.uint32) & np.uint32(15)
    known = t5.SINGLES if d.kind == "tf32" else t5.PAIRS
    wrong = np.argwhere(~np.isin(fields, known))
    if len(wrong):
        r, k = (int(x) for x in wrong[0])
        raise HostMisuse(
            f"its metadata of row {r}, field {k} is {int(fields[r, k]):#06b} (lane {int(lane[r, k])}, column "
            f"{int(column[r, k])}); kind::{d.kind} has {', '.join(f'{x:#06b}' for x in known)}",
            issue.lane,
        )
    return fields.astype(np.int64)


def _spread(a: np.ndarray, fields: np.ndarray, k: int) -> np.ndarray:
    """A (rows, k) with zeros where nothing is stored, of the stored elements (rows, k / 2)."""
    rows, count = fields.shape
    row, chunk = np.arange(rows)[:, None], np.arange(count)
    if k // count == 2:  # one of two
        wide = np.zeros((rows, count, 2), a.dtype)
        wide[row, chunk, fields >> 3] = a
    else:  # two of four, with 4 bits an element two pairs of four
        run = k // count // 4
        wide, a = np.zeros((rows, count, 4, run), a.dtype), a.reshape(rows, count, 2, run)
        wide[row, chunk, fields & 3], wide[row, chunk, fields >> 2] = a[:, :, 0], a[:, :, 1]
    return wide.reshape(rows, k)


def _sparse_fault(d: t5.InstructionDescriptor, group: int) -> str:
    """The reason why a sparse product is none, or "". Raises NotExecuted for those whose layout is not known here."""
    if d.selector and d.kind in ("f8f6f4", "i8"):
        return f"its sparsity selector is {d.selector}; kind::{d.kind} has 0 alone"
    if d.m // group != t5.METADATA_ROWS:
        raise NotExecuted(f"sparse tcgen05.mma of {d.m // group} rows in a block is not executed here: M of 128 is, of "
            "a pair 256")  # fmt: skip
    if d.selector > 1:
        raise NotExecuted(f"the sparsity selector {d.selector} is not executed here: 0 and 1 are")
    return ""


def _scales(issue: Issue, m: memory.TensorMemory, at: tuple[int, int], rows: int, first: int, size: str,
        kind: str) -> np.ndarray:  # fmt: skip
    """float32 (rows, scales along K)."""
    count = {"1X": 1, "2X": 2, "4X": 4}[size]
    if first % count:
        raise HostMisuse(
            f"the scale factors begin at byte {first}; with .scale_vec::{size} that is a multiple of {count}",
            issue.lane,
        )
    lane, column, byte = t5.scale_places(rows, tuple(range(first, first + count)))
    column = at[1] + column
    copies = at[0] + lane[..., None] + t5.QUARTER * np.arange(4)
    m.access(
        issue.op,
        copies.reshape(-1),
        np.broadcast_to(column[..., None], copies.shape).reshape(-1),
        False,
        "its scale factors",
    )
    found = m.cells[copies, column[..., None]] >> (8 * byte[..., None]).astype(np.uint32) & np.uint32(0xFF)
    if (found != found[..., :1]).any():
        raise HostMisuse(
            "scale factors must be the same in lanes 0 to 31, 32 to 63, 64 to 95 and 96 to 127 "
            "(tcgen05.cp.32x128b.warpx4 copies them so)",
            issue.lane,
        )
    return t5.small_float(kind)[found[..., 0]]


class ProductOperands:
    """The operands of a tcgen05.mma in words."""

    def __init__(self, v: HostView):
        self.v, parts, o = v, v.i.parts, list(v.i.operands)
        self.ws, self.sparse = "ws" in parts, "sp" in parts
        self.kind = next(x for x in parts if x.startswith("kind::"))[6:]
        self.group = group_of(v)
        self.scaled = "block_scale" in parts
        self.d, self.a, self.b = o.pop(0), o.pop(0), o.pop(0)
        self.meta = o.pop(0) if self.sparse else None
        self.idesc = o.pop(0)
        self.scales = [o.pop(0), o.pop(0)] if self.scaled else []
        off = o.pop(0) if isinstance(o[0], n.VectorOperand) else None
        self.off = off.items if isinstance(off, n.VectorOperand) else ()
        self.enable = o.pop(0)
        self.rest = o.pop(0) if o else None  # the power of two that scales D; with .ws, the mask of columns
        if "ashift" in parts:
            raise NotExecuted("tcgen05.mma with .ashift is not executed here")
        if self.ws and self.rest is not None:
            raise NotExecuted("tcgen05.mma.ws with a mask of columns is not executed here")

    @property
    def size(self) -> str:
        """1X, 2X or 4X: scale factors to a row of A."""
        word = next((x for x in self.v.i.parts if x.startswith(("scale_vec::", "block")) and x != "block_scale"), "")
        if word.startswith("scale_vec::"):
            return word[11:]
        return {"mxf8f6f4": "1X", "mxf4": "2X", "mxf4nvf4": "4X" if word == "block16" else "2X"}[self.kind]


def _mma(host: HostExecutor, v: HostView) -> None:
    """tcgen05.mma, .ws: each thread that executes it begins a product."""
    if len(v.lanes) > 1:
        host.complain(HostMisuse(f"{len(v.lanes)} threads execute it, and each begins a product: let one do so "
            "(elect.sync)", v.lanes[1]))  # fmt: skip
    p = ProductOperands(v)
    for lane in v.lanes[:1]:
        _multiply(host, v, lane, p)


# What the instruction says, what its descriptor says.
_SPARSE_WORDS = {(False, True): "it says sparse, the instruction does not",
    (True, False): "it says dense, the instruction has .sp"}  # fmt: skip


def _multiply(host: HostExecutor, v: HostView, lane: int, p: ProductOperands) -> None:
    word = int(v.get(p.idesc)[lane])
    try:
        d = t5.decode_instruction(word, p.kind)
    except ValueError as why:
        raise HostMisuse(f"its instruction descriptor: {why}", lane) from None
    fault = d.fault(p.group, p.ws) or _SPARSE_WORDS.get((p.sparse, d.sparse), "")
    fault = fault or (_sparse_fault(d, p.group) if p.sparse else "")
    if fault:
        raise HostMisuse(f"its instruction descriptor: {fault}", lane)
    blocks, issue = pair_of(v, p.group), Issue(host, v, lane, "mma", p.group)
    rows, columns = d.m // p.group, d.n // p.group
    k = d.k
    right = [_operand(issue, b, int(v.get(p.b, 64)[lane]), d.b, columns, k, d.b_mn, p.kind) for b in blocks]
    left = []
    for b in blocks:
        m = memory.of_block(b)
        if isinstance(p.a, Mem):
            a = _in_tensor_memory(issue, m, tensor_address(v, p.a, lane), d.a, d, p.group, p.ws)
        else:
            a = _operand(issue, b, int(v.get(p.a, 64)[lane]), d.a, rows, k // (2 if d.sparse else 1), d.a_mn, p.kind)
        if p.sparse:
            a = _spread(a, _metadata(issue, m, tensor_address(v, p.meta, lane), d), k)
        left.append(a)
    every = np.concatenate(right)
    factors = _factors(issue, v, lane, p, d, blocks) if p.scaled else [None] * len(blocks)
    accumulate = bool(v.flags(p.enable)[lane])
    off = _disabled(v, lane, p.off, len(blocks))
    shift = v.one(p.rest) if p.rest is not None and not p.ws else 0
    for rank, (block, a) in enumerate(zip(blocks, left, strict=True)):
        _accumulate(
            issue,
            memory.of_block(block),
            tensor_address(v, p.d, lane),
            d,
            p,
            a,
            every,
            factors[rank],
            accumulate,
            off[rank],
            shift,
        )
    issue.done()


def _factors(issue: Issue, v: HostView, lane: int, p: ProductOperands, d: t5.InstructionDescriptor,
        blocks: list[CtaState]) -> list[Any]:  # fmt: skip
    """For each block of the pair: scale factors of its rows of A and of all columns of B."""
    out = []
    for b in blocks:
        m = memory.of_block(b)
        a = _scales(issue, m, tensor_address(v, p.scales[0], lane), d.m // p.group, d.a_scale, p.size, d.scale)
        c = _scales(issue, m, tensor_address(v, p.scales[1], lane), d.n, d.b_scale, p.size, d.scale)
        out.append((a, c))
    return out


def _disabled(v: HostView, lane: int, words: tuple[Any, ...], blocks: int) -> np.ndarray:
    """bool (blocks, 128): lanes of tensor memory that stay as they are."""
    if not words:
        return np.zeros((blocks, t5.LANES), bool)
    bits = np.array([int(v.get(w)[lane]) for w in words], np.uint32)
    return np.unpackbits(bits.view(np.uint8), bitorder="little").astype(bool).reshape(blocks, t5.LANES)


def _accumulate(issue: Issue, m: memory.TensorMemory, at: tuple[int, int], d: t5.InstructionDescriptor,
        p: ProductOperands, a: np.ndarray, b: np.ndarray, factors: Any, accumulate: bool, off: np.ndarray,
        shift: int) -> None:  # fmt: skip
    """D of one block: A's rows of the block by all columns of B."""
    where = t5.accumulator_map(d.m, d.n, p.group, p.ws, p.sparse)
    lane, column, row, col = where.places(0)
    if at[0] not in (0, 16 if where.name in "CF" else 0):
        raise HostMisuse(f"D begins at lane {at[0]} of tensor memory; layout {where.name} begins at lane 0", issue.lane)
    lane, column = lane + at[0], column + at[1]
    keep = ~off[lane]
    lane, column, row, col = lane[keep], column[keep], row[keep], col[keep]
    if accumulate:
        m.access(issue.op, lane, column, False, "D")
    m.access(issue.op, lane, column, True, "D")
    kind = {"f16": np.float16, "f32": np.float32, "s32": np.int32}[d.d]
    acc = np.zeros((len(a), d.n), kind)
    if accumulate:
        held = np.ascontiguousarray(m.cells[lane, column])
        acc[row, col] = held.astype(np.uint16).view(np.float16) if d.d == "f16" else held.view(kind)
        if shift:
            acc = np.ldexp(acc.astype(np.float64), -shift).astype(kind)
    out = _product(a, b, acc, d, factors)
    out = out[row, col]
    m.cells[lane, column] = (np.ascontiguousarray(out).view(np.uint16).astype(np.uint32) if d.d == "f16"
        else np.ascontiguousarray(out).view(np.uint32))  # fmt: skip


def _product(a: np.ndarray, b: np.ndarray, acc: np.ndarray, d: t5.InstructionDescriptor, factors: Any) -> np.ndarray:
    a = -a if d.negate_a else a
    b = -b if d.negate_b else b
    if factors is not None:
        # A scale factor is a power of two, or has 4 bits, and the numbers have few: their product is exact in float32.
        (sa, sb), k = factors, a.shape[1]
        a = a * np.repeat(sa, k // sa.shape[1], axis=1)
        b = b * np.repeat(sb, k // sb.shape[1], axis=1)
    if acc.dtype == np.int32:
        out = a.astype(np.int64) @ b.astype(np.int64).T + acc.astype(np.int64)
        return np.clip(out, -(1 << 31), (1 << 31) - 1).astype(np.int32) if d.saturate else out.astype(np.int32)
    return matmul(a[None], np.ascontiguousarray(b.T)[None], acc[None])[0]


TABLE: dict[str, Callable[[HostExecutor, HostView], None]] = dict.fromkeys(
    ("tcgen05.mma", "tcgen05.mma.sp", "tcgen05.mma.ws"), _mma
)
