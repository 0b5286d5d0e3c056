"""Rows of `tcgen05` that the tensor core executes: products, copies to tensor memory, and the commits that tell their
end. One thread begins them for its block or a pair of blocks. The others are in `tensor_core`; layouts and descriptors:
`isa.nvptx.tcgen05`. PTX ISA 9.0, 9.7.16."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import avelang.isa.nvptx.tcgen05 as t5
from avelang.base.lazy import np
from avelang.ir.dtypes import u32, u64
from avelang.ir.types import SHARED
from avelang.isa.mma_reference import matmul
from avelang.isa.nvptx.mbarrier import BAR, at_lanes
from avelang.isa.nvptx.tensor_core import ADDRESS, GROUP, TENSOR, tensor_row
from avelang.isa.row import Param, TensorRef
from avelang.isa.wave_protocol import Machine

KIND = "tcgen05"  # the group of what a thread has begun

# -- products ----------------------------------------------------------------------------------------------------------


class _Operands:
    """What one product reads, in the reference: fetches note which shared memory must stay as it is."""

    def __init__(self, wave: Machine, lane: int, group: int, ws: bool, d: t5.InstructionDescriptor):
        self.wave, self.lane, self.group, self.ws, self.d = wave, lane, group, ws, d
        rank = wave.place()[3]
        self.rank, self.ranks = rank, [rank] if group == 1 else [rank & ~1, (rank & ~1) + 1]
        self.used: list[np.ndarray] = []
        self.cells: list[tuple[Any, np.ndarray, np.ndarray, bool]] = []

    def fetch(self, rank: int, at: np.ndarray) -> np.ndarray:
        """Bytes of a block's shared memory."""
        if rank == self.rank:
            self.used.append(at)
            return self.wave.fetch(SHARED, at, 1).reshape(-1)
        first, end = int(at.min()), int(at.max()) + 1
        return self.wave.peer(self.lane, rank, np.array([first], np.uint64), end - first).reshape(-1)[at - first]

    def touch(self, rank: int, lanes: np.ndarray, columns: np.ndarray, write: bool) -> Any:
        """The tensor memory of a block, cells of which the product uses."""
        memory = self.wave.tensor(rank)
        memory.reach(self.lane, lanes.reshape(-1), columns.reshape(-1))
        self.cells.append((memory, lanes.reshape(-1), columns.reshape(-1), write))
        return memory

    def begin(self) -> None:
        """The product runs from here on."""
        used = np.unique(np.concatenate(self.used)) if self.used else np.zeros(0, np.int64)
        none = np.zeros((1, 0), np.int64)
        flight = self.wave.begin(SHARED, np.array([self.lane]), none, none.astype(np.uint8), guard=used[None])
        self.wave.groups(KIND).add(flight)
        for memory, lanes, columns, write in self.cells:
            memory.access(self.lane, lanes, columns, write, flight)

    def shared(self, rank: int, word: int, name: str, rows: int, mn_major: bool) -> np.ndarray:
        """Numbers (rows, k) of an operand in shared memory."""
        fault = t5.descriptor_fault(word)
        if fault:
            raise self.wave.wrong(self.lane, fault)
        bits, k = t5.BITS[name], self.d.k
        pairs = self.d.kind in ("mxf4", "mxf4nvf4")
        size = 1 if bits <= 8 else bits // 8
        i, j = np.meshgrid(np.arange(rows), np.arange(k // 2 if pairs else k), indexing="ij")
        at = t5.operand_addresses(word, i.reshape(-1), j.reshape(-1), mn_major, size)
        raw = self.fetch(rank, (at[:, None] + np.arange(size)).reshape(-1))
        if pairs:
            return t5.small_float(name)[np.stack([raw & 15, raw >> 4], -1).reshape(rows, k)]
        if bits < 8:
            flat = np.unpackbits(raw.reshape(-1, 16), axis=1, bitorder="little")[:, : 16 * bits].reshape(-1, bits)
            return t5.small_float(name)[np.packbits(flat, axis=1, bitorder="little")].reshape(rows, k)
        return numbers(raw, name).reshape(rows, k)

    def held(self, rank: int, at: int, name: str) -> np.ndarray:
        """Numbers (rows, k) of A in tensor memory."""
        lanes = (at >> 16) + t5.operand_lanes(self.d.m, self.group, self.ws)
        pairs, bits = self.d.kind in ("mxf4", "mxf4nvf4"), t5.BITS[name]
        columns = (at & 0xFFFF) + np.arange(self.d.k * (4 if pairs else max(8, bits)) // 32)
        every, across = np.broadcast_arrays(lanes[..., None], columns)
        memory = self.touch(rank, every, across, False)
        raw = np.ascontiguousarray(memory.cells[lanes[:, :1], columns]).view(np.uint8)
        if pairs:
            return t5.small_float(name)[np.stack([raw & 15, raw >> 4], -1).reshape(len(raw), -1)]
        if bits < 8:
            return t5.small_float(name)[raw >> 2 & 15 if bits == 4 else raw & 63]
        return numbers(raw.reshape(-1), name).reshape(len(raw), -1)

    def scales(self, rank: int, at: int, rows: int, first: int, count: int) -> np.ndarray:
        """Scale factors (rows, count)."""
        lane, column, byte = t5.scale_places(rows, tuple(range(first, first + count)))
        lane, column = lane + (at >> 16), column + (at & 0xFFFF)
        memory = self.touch(rank, lane, column, False)
        return t5.small_float(self.d.scale)[memory.cells[lane, column] >> (8 * byte).astype(np.uint32) & 0xFF]


def numbers(raw: np.ndarray, name: str) -> np.ndarray:
    """The numbers in bytes, of a type of 8 bits or more: float32, or integers."""
    if name == "tf32":
        return (raw.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    if name == "bf16":
        return (raw.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
    if name == "f16":
        return raw.view(np.float16).astype(np.float32)
    return raw.view({"u8": np.uint8, "s8": np.int8}[name]) if name in ("u8", "s8") else t5.small_float(name)[raw]


def _product(kind: str, held: bool, ws: bool) -> Callable[..., None]:
    """The meaning of a product: each lane that executes it begins one."""

    def semantics(wave: Machine, d: np.ndarray, a: np.ndarray, b: np.ndarray, idesc: np.ndarray, *rest: Any) -> None:
        scaled = kind in t5.SCALED
        scales, (accumulate, *consts) = (rest[:2], rest[2:]) if scaled else ((), rest)
        group, count = 1 if ws else consts[0], consts[1] if scaled else 0
        for lane in np.flatnonzero(wave.active).tolist():
            try:
                how = t5.decode_instruction(int(idesc[lane]), kind)
            except ValueError as why:
                raise wave.wrong(lane, f"its instruction descriptor: {why}") from None
            fault = how.fault(group, ws)
            if fault:
                raise wave.wrong(lane, f"its instruction descriptor: {fault}")
            o = _Operands(wave, lane, group, ws, how)
            _multiply(
                o,
                int(d[lane]),
                int(a[lane]),
                int(b[lane]),
                held,
                [int(s[lane]) for s in scales],
                count,
                bool(accumulate[lane]),
            )

    return semantics


def _multiply(
    o: _Operands, d: int, a: int, b: int, held: bool, scales: list[int], count: int, accumulate: bool
) -> None:
    how, rows = o.d, o.d.m // o.group
    right = np.concatenate([o.shared(r, b, how.b, how.n // o.group, how.b_mn) for r in o.ranks])
    right = -right if how.negate_b else right
    where = t5.accumulator_map(how.m, how.n, o.group, o.ws)
    lane, column, row, col = where.places(0)
    lane, column = lane + (d >> 16), column + (d & 0xFFFF)
    kind = {"f16": np.float16, "f32": np.float32, "s32": np.int32}[how.d]
    for r in o.ranks:
        left = o.held(r, a, how.a) if held else o.shared(r, a, how.a, rows, how.a_mn)
        left, other = -left if how.negate_a else left, right
        if scales:
            left = left * np.repeat(o.scales(r, scales[0], rows, how.a_scale, count), how.k // count, axis=1)
            other = right * np.repeat(o.scales(r, scales[1], how.n, how.b_scale, count), how.k // count, axis=1)
        memory = o.touch(r, lane, column, True)
        acc = np.zeros((1, rows, how.n), kind)
        if accumulate:
            words = np.ascontiguousarray(memory.cells[lane, column])
            acc[0, row, col] = words.astype(np.uint16).view(kind) if how.d == "f16" else words.view(kind)
        out = np.ascontiguousarray(matmul(left[None], np.ascontiguousarray(other.T)[None], acc)[0, row, col])
        memory.cells[lane, column] = out.view(np.uint16 if how.d == "f16" else np.uint32)
    o.begin()


def _commit(wave: Machine, bar: TensorRef, *rest: Any) -> None:
    """`rest`: the mask of blocks where it goes to several, and the group."""
    mask = rest[0] if len(rest) > 1 else None
    for lane, address in at_lanes(wave, bar):
        only = np.arange(wave.lanes) == lane
        for rank in [None] if mask is None else [r for r in range(16) if int(mask[lane]) >> r & 1]:
            wave.mbarrier(lane, address, rank).follow(wave.groups(KIND).so_far(only), lane, False)


_D = Param("d", u32, "where D is in tensor memory")
_DESC = "a descriptor, as tcgen05_descriptor makes it"
_TYPES = {
    "f16": "f16 or bf16, D of f16 or f32",
    "tf32": "tf32",
    "f8f6f4": "8, 6 or 4 bits",
    "i8": "8-bit integers, D of i32",
    "mxf8f6f4": "8, 6 or 4 bits with a scale factor to 32 along K",
    "mxf4": "e2m1 with a scale factor to 32 along K",
    "mxf4nvf4": "e2m1 with a scale factor to 32 or 16 along K",
}


def _products(kind: str, held: bool, ws: bool) -> None:
    scaled = kind in t5.SCALED
    sizes = {"mxf8f6f4": (1,), "mxf4": (2,), "mxf4nvf4": (2, 4)}.get(kind, ())
    name = f"mma{'_ws' * ws}_{kind}{'_ts' * held}"
    a = Param("a", u32 if held else u64, "where A is in tensor memory" if held else _DESC)
    factors = (
        tuple(Param(f"scale_{x}", u32, f"where {x.upper()}'s scale factors are in tensor memory") for x in "ab")
        * scaled
    )
    params = (
        _D,
        a,
        Param("b", u64, _DESC),
        Param("idesc", u32, "the instruction descriptor"),
        *factors,
        Param("accumulate", u32, "0: D = A B, without what is in D"),
        *((GROUP,) * (not ws)),
        *((Param("scales", "const", "factors to a row of A", choices=sizes, default=sizes[0]),) if sizes else ()),
    )

    def text(attrs: Mapping[str, Any]) -> str:
        group = f".cta_group::{1 if ws else attrs['group']}.kind::{kind}"
        scale = f".block_scale.scale_vec::{attrs['scales']}X" if scaled else ""
        where = ", [<scale_a>], [<scale_b>]" if scaled else ""
        return (
            f"{{ .reg .pred p; setp.ne.b32 p, <accumulate>, 0; tcgen05.mma{'.ws' * ws}{group}{scale} [<d>], "
            f"{'[<a>]' if held else '<a>'}, <b>, <idesc>{where}, p; }}"
        )

    tensor_row(
        name,
        params,
        None,
        f"Begins D = A B + D for the block or pair of blocks: {_TYPES[kind]}. One thread "
        f"executes it. A in {'tensor' if held else 'shared'} memory, B in shared memory, D in tensor memory. M, N, "
        "types and majors are those of the instruction descriptor. tcgen05_commit tells its end.",
        "10.9, tcgen05.mma",
        _product(kind, held, ws),
        text,
        features=frozenset({"sm_100a"}) if kind == "i8" else TENSOR,  # 9.7.16.10.9.1, "Target ISA Notes"
    )


for _kind in t5.DEPTH:
    for _held_ in (False, True):
        _products(_kind, _held_, False)
        if _kind in ("f16", "tf32", "f8f6f4", "i8"):
            _products(_kind, _held_, True)
tensor_row(
    "commit",
    (BAR, GROUP),
    None,
    "One arrival on an mbarrier when all products and copies that the thread has "
    "begun are done. It orders them before what is behind a wait for that.",
    "12.1, tcgen05.commit",
    _commit,
    "tcgen05.commit.cta_group::<group>.mbarrier::arrive::one.shared::cluster.b64 [<bar>];",
)
tensor_row(
    "commit_multicast",
    (BAR, Param("mask", u32, "bit r: the block of rank r of the cluster"), GROUP),
    None,
    "As tcgen05_commit, on the mbarriers at the same place of all blocks of a mask.",
    "12.1, tcgen05.commit",
    _commit,
    "{ .reg .b16 mask; cvt.u16.u32 mask, <mask>; "
    "tcgen05.commit.cta_group::<group>.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [<bar>], mask; }",
)

# -- copies ------------------------------------------------------------------------------------------------------------

# Rows, words of a row; the lanes at which its rows (or each half of them) begin, for each time that they are copied.
COPIES: dict[str, tuple[int, int, tuple[tuple[int, ...], ...]]] = {
    "128x256b": (128, 8, ((0,),)),
    "4x256b": (4, 8, ((0,),)),
    "128x128b": (128, 4, ((0,),)),
    "64x128b_02_13": (64, 4, ((0, 32), (64, 96))),
    "64x128b_01_23": (64, 4, ((0, 64), (32, 96))),
    "32x128b": (32, 4, ((0,), (32,), (64,), (96,))),
}
_SPELLED = {
    "64x128b_02_13": "64x128b.warpx2::02_13",
    "64x128b_01_23": "64x128b.warpx2::01_23",
    "32x128b": "32x128b.warpx4",
}


def _copy(shape: str) -> Callable[..., None]:
    rows, words, starts = COPIES[shape]

    def semantics(wave: Machine, address: np.ndarray, desc: np.ndarray, group: int) -> None:
        for lane in np.flatnonzero(wave.active).tolist():
            o = _Operands(wave, lane, group, False, t5.InstructionDescriptor("f16", 128, 16, "f16", "f16"))
            i, j = np.meshgrid(np.arange(rows), np.arange(4 * words), indexing="ij")
            at = t5.operand_addresses(int(desc[lane]), i.reshape(-1), j.reshape(-1), False, 1)
            for rank in o.ranks:
                data = np.ascontiguousarray(o.fetch(rank, at).reshape(rows, -1)).view(np.uint32)
                for start in starts:
                    here = np.concatenate([s + np.arange(rows // len(start)) for s in start])
                    lanes, columns = np.broadcast_arrays(
                        (int(address[lane]) >> 16) + here[:, None], (int(address[lane]) & 0xFFFF) + np.arange(words)
                    )
                    o.touch(rank, lanes, columns, True).cells[lanes, columns] = data
            o.begin()

    return semantics


for _shape, (_rows, _words, _starts) in COPIES.items():
    tensor_row(
        f"cp_{_shape}",
        (ADDRESS, Param("desc", u64, _DESC), GROUP),
        None,
        f"Begins a copy of {_rows} rows of "
        f"{4 * _words} bytes from shared to tensor memory{', for each warp of four' if len(_starts) == 4 else ''}. One "
        "thread executes it; later products of that thread come behind it.",
        "9.1, tcgen05.cp",
        _copy(_shape),
        f"tcgen05.cp.cta_group::<group>.{_SPELLED.get(_shape, _shape)} [<address>], <desc>;",
    )
