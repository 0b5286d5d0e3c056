"""Rows of `tcgen05` that warps execute: allocation of tensor memory, loads and stores of it, waits and fences; and
descriptors. Products are in `tensor_products`; layouts: `isa.nvptx.tcgen05`. PTX ISA 9.0, 9.7.16.

An address of tensor memory is a u32: the lane in bits 31:16, the column in bits 15:0. Products, copies, loads and
stores run beside the thread; `tcgen05_commit` lets an mbarrier tell the end of products and copies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import avelang.isa.nvptx.tcgen05 as t5
from avelang.base.errors import error
from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import f32, i32, u32, u64
from avelang.ir.types import SHARED, Type, VecType
from avelang.isa.asm import Asm
from avelang.isa.lowering_helpers import pointer, shared_offset
from avelang.isa.row import Param, Row, TensorRef, register
from avelang.isa.wave_protocol import Machine, Waiting

TENSOR = frozenset({"sm_100a", "sm_103a"})
EFFECTS = frozenset({"read", "write", "sync"})
TOGETHER = EFFECTS | {"convergent"}
SECTION = "PTX ISA 9.0, 9.7.16"
KIND = "tcgen05"
GROUP = Param(
    "group",
    "const",
    "the blocks that work together: 1, or 2 for a pair of a cluster; the same for all instructions of a kernel",
    choices=(1, 2),
    default=1,
)
ADDRESS = Param("address", u32, "in tensor memory; the same in all lanes")
_COLUMNS = Param("columns", "const", "how many columns", choices=(32, 64, 128, 256, 512))


def not_on_the_cpu(name: str) -> Callable[..., None]:
    """The expansion of a row that the CPU backend has none of: it raises V001."""

    def lower(b: Builder, *rest: Any) -> None:
        raise error(
            "V001",
            op=name,
            why="uses tensor memory, which the CPU backend does not have: launch it with "
            'backend="reference", or run its PTX by the executor (ave ptx run)',
        )

    return lower


def tensor_row(
    name: str,
    params: tuple[Param, ...],
    result: Type | str | None,
    doc: str,
    section: str,
    meaning: Callable[..., Any],
    text: str | Callable[[Mapping[str, Any]], str],
    effects: frozenset[str] = EFFECTS,
    tied: str = "",
    features: frozenset[str] = TENSOR,
) -> None:
    """Registers a row of `tcgen05`, which the CPU backend does not execute."""
    name = f"nvvm.tcgen05_{name}"
    register(
        Row(
            name,
            params,
            result,
            doc,
            f"{SECTION}.{section}",
            features,
            meaning,
            effects,
            not_on_the_cpu(name),
            llvm={"nvptx": Asm(text, tied=tied)},
        )
    )


def _first(wave: Machine, x: np.ndarray) -> int:
    """A number that is the same in all lanes that execute this."""
    lanes = np.flatnonzero(wave.active)
    odd = lanes[x[lanes] != x[lanes[0]]]
    if len(odd):
        raise wave.wrong(int(odd[0]), "this operand must be the same in all lanes")
    return int(x[lanes[0]])


# -- allocation --------------------------------------------------------------------------------------------------------


def _together(wave: Machine, group: int, name: str) -> Waiting:
    """Waits for the wave of the other block of the pair; gives the tensor memories, the lower rank's first, or None for
    the wave that leaves the rest to the other."""
    if group == 1:
        return [wave.tensor()]
    low = wave.place()[3] & ~1
    both = [wave.tensor(low), wave.tensor(low + 1)]
    waiting = both[0].coming.setdefault(name, [])
    mine = [False]
    waiting.append(mine)
    if len(waiting) < 2:
        yield lambda: mine[0]
        return None
    del both[0].coming[name]
    for flag in waiting:
        flag[0] = True
    return both


def _alloc(wave: Machine, slot: TensorRef, columns: int, group: int) -> Waiting:
    lane = int(np.flatnonzero(wave.active)[0])
    if not wave.tensor().permit:
        raise wave.wrong(lane, "the block has given up the permit to allocate tensor memory")
    memories = yield from _together(wave, group, "alloc")
    if memories is not None:
        yield lambda: memories[0].room(columns) is not None
        at = memories[0].room(columns)
        for m in memories:
            m.held[at] = columns
            m.last = at
    only = np.arange(wave.lanes) == lane
    at = wave.tensor().last
    data = np.frombuffer(np.full(wave.lanes, at, np.uint32).tobytes(), np.uint8).reshape(wave.lanes, 4)
    wave.write(SHARED, slot.address, data, only)


def _dealloc(wave: Machine, address: np.ndarray, columns: int, group: int) -> Waiting:
    at = _first(wave, address)
    memories = yield from _together(wave, group, "dealloc")
    for m in memories or ():
        if m.held.get(at) != columns:
            raise wave.wrong(
                int(np.flatnonzero(wave.active)[0]), f"{columns} columns from column {at} on are not allocated"
            )
        del m.held[at]


def _relinquish(wave: Machine, group: int) -> None:
    wave.tensor().permit = False


def _nothing(wave: Machine, *rest: Any) -> None:
    """Orders what is in order here."""


def _given(wave: Machine, value: np.ndarray) -> np.ndarray:
    return value


tensor_row(
    "alloc",
    (Param("slot", "tensor", "4 bytes of shared memory, which get the address", spaces=(SHARED,)), _COLUMNS, GROUP),
    None,
    "Allocates columns of tensor memory, and writes their address to shared memory; waits until there is room. "
    "One warp executes it (group 2: one of each block of the pair); all its lanes.",
    "7.1, tcgen05.alloc",
    _alloc,
    "tcgen05.alloc.cta_group::<group>.sync.aligned.shared::cta.b32 [<slot>], <columns>;",
    TOGETHER,
)
tensor_row(
    "dealloc",
    (ADDRESS, _COLUMNS, GROUP),
    None,
    "Gives back columns; all that are allocated must be given back "
    "before the block ends. One warp executes it (group 2: one of each block of the pair).",
    "7.1, tcgen05.dealloc",
    _dealloc,
    "tcgen05.dealloc.cta_group::<group>.sync.aligned.b32 <address>, <columns>;",
    TOGETHER,
)
tensor_row(
    "relinquish_alloc_permit",
    (GROUP,),
    None,
    "The block will allocate no more, so that others on the SM need not wait for it.",
    "7.1, tcgen05.relinquish_alloc_permit",
    _relinquish,
    "tcgen05.relinquish_alloc_permit.cta_group::<group>.sync.aligned;",
    TOGETHER,
)
for _when, _doc in (
    ("before", "Orders the thread's earlier tcgen05 before a synchronization that follows."),
    ("after", "Orders later tcgen05 behind a synchronization that came before."),
):
    tensor_row(
        f"fence_{_when}_thread_sync",
        (),
        None,
        _doc,
        "11.1, tcgen05.fence",
        _nothing,
        f"tcgen05.fence::{_when}_thread_sync;",
    )

# -- loads and stores --------------------------------------------------------------------------------------------------


def _cells(wave: Machine, address: np.ndarray, shape: str, count: int, pack: int, split: int) -> tuple[Any, Any, int]:
    """(lanes, columns) of each thread's registers, (threads, registers) or with two columns to each; a lane."""
    if not wave.active.all():
        raise wave.wrong(int(np.flatnonzero(wave.active)[0]), "all lanes of a warp must execute this together")
    at = _first(wave, address)
    lane, column, quarter = at >> 16, at & 0xFFFF, t5.QUARTER * (wave.warp() % 4)
    rows = t5.MOVES[shape][0]
    if lane not in ((quarter,) if rows == t5.QUARTER else (quarter, quarter + 16)):
        raise wave.wrong(0, f"lane {lane} of tensor memory: this warp reaches lanes {quarter} to {quarter + 31}")
    _, lanes, columns = t5.move_fragment(shape, count).index
    if pack:
        columns = 2 * columns[..., None] + np.arange(2)
        lanes = np.broadcast_to(lanes[..., None], columns.shape)
    extra = (split * (np.arange(32) // 16)).reshape(32, *[1] * (columns.ndim - 1))
    return lane + lanes, column + columns + extra, 0


def _load(shape: str, count: int) -> Callable[..., np.ndarray]:
    def semantics(wave: Machine, address: np.ndarray, *consts: int) -> np.ndarray:
        *split, pack = consts
        lanes, columns, lane = _cells(wave, address, shape, count, pack, sum(split))
        memory = wave.tensor()
        memory.access(lane, lanes.reshape(-1), columns.reshape(-1), False)
        data = memory.cells[lanes, columns]
        data = data[..., 0] & 0xFFFF | data[..., 1] << np.uint32(16) if pack else data
        return data[:, 0] if data.shape[1] == 1 else data

    return semantics


def _store(shape: str) -> Callable[..., None]:
    def semantics(wave: Machine, address: np.ndarray, value: np.ndarray, *consts: int) -> None:
        *split, unpack = consts
        data = np.ascontiguousarray(value).view(np.uint32).reshape(wave.lanes, -1)
        lanes, columns, lane = _cells(wave, address, shape, data.shape[1] // t5.MOVES[shape][2], unpack, sum(split))
        memory = wave.tensor()
        memory.access(lane, lanes.reshape(-1), columns.reshape(-1), True)
        memory.cells[lanes, columns] = np.stack([data & 0xFFFF, data >> np.uint32(16)], axis=-1) if unpack else data

    return semantics


def _vector(d: Any, n: int) -> Type:
    return d if n == 1 else VecType(d, n)


_SPLIT = Param("split", "const", "how many columns further on the upper 16 threads begin", range=(0, 255))
_WORDS = (1, 2, 4, 8, 16, 32, 64, 128)


def _moved(shape: str) -> None:
    lanes, columns, registers = t5.MOVES[shape]
    halves = (_SPLIT,) if shape == "16x32bx2" else ()
    reach = (f"{lanes} lanes x {columns} columns" + (" twice" if halves else "")) + " for each of x"
    split = ", <split>" if halves else ""
    counts = [n for n in _WORDS if registers * n <= 128]
    for n in counts:
        tensor_row(
            f"ld_{shape}_x{n}",
            (
                ADDRESS,
                *halves,
                Param("pack", "const", "1: the low halves of two columns to a register", range=(0, 1), default=0),
            ),
            _vector(u32, registers * n),
            f"Begins to load tensor memory into registers, "
            f"{reach}; "
            "tcgen05_wait_ld gives what has come. Warp w of a block reaches lanes 32 (w % 4) to + 31.",
            "8.1, tcgen05.ld",
            _load(shape, n),
            lambda a, n=n: (
                f"tcgen05.ld.sync.aligned.{shape}.x{n}{'.pack::16b' * a['pack']}.b32 <out*>, [<address>]{split};"
            ),
            TOGETHER,
        )
    kinds = tuple(_vector(d, registers * n) for d in (u32, i32, f32) for n in counts)

    def text(a: Mapping[str, Any]) -> str:
        n = (a["value"].n if isinstance(a["value"], VecType) else 1) // registers
        return f"tcgen05.st.sync.aligned.{shape}.x{n}{'.unpack::16b' * a['unpack']}.b32 [<address>]{split}, <value*>;"

    tensor_row(
        f"st_{shape}",
        (
            ADDRESS,
            Param("value", kinds, "registers", packed=True),
            *halves,
            Param("unpack", "const", "1: a register goes to the low halves of two columns", range=(0, 1), default=0),
        ),
        None,
        f"Begins to store registers to tensor memory, {reach}; done behind tcgen05_wait_st.",
        "8.2, tcgen05.st",
        _store(shape),
        text,
        TOGETHER,
    )


for _shape in t5.MOVES:
    _moved(_shape)
_HELD = tuple(_vector(u32, n) for n in _WORDS)
tensor_row(
    "wait_ld",
    (Param("value", _HELD, "what a tcgen05_ld has begun to load"),),
    "value",
    "The registers once all loads of tensor memory that the warp has begun are done.",
    "8.3, tcgen05.wait",
    _given,
    "tcgen05.wait::ld.sync.aligned;",
    TOGETHER,
    tied="value",
)
tensor_row(
    "wait_st",
    (),
    None,
    "Waits until all stores to tensor memory that the warp has begun are done.",
    "8.3, tcgen05.wait",
    _nothing,
    "tcgen05.wait::st.sync.aligned;",
    TOGETHER,
)

# -- descriptors -------------------------------------------------------------------------------------------------------


def _descriptor(wave: Machine, tile: TensorRef, swizzle: int, leading: int, stride: int) -> np.ndarray:
    high = t5.smem_descriptor(0, leading or 16, stride or 8 * (swizzle or 16), swizzle)
    return (tile.address >> np.uint64(4) & np.uint64(t5.FIELD)) | np.uint64(high)


def _lower_descriptor(b: Builder, tile: Value, swizzle: int, leading: int, stride: int) -> Value:
    high = t5.smem_descriptor(0, leading or 16, stride or 8 * (swizzle or 16), swizzle)
    start = b.and_(b.shr(b.convert(shared_offset(b, pointer(b, tile)), u64), b.const(4, u64)), b.const(t5.FIELD, u64))
    return b.or_(start, b.const(high, u64))


register(
    Row(
        "nvvm.tcgen05_descriptor",
        (
            Param(
                "tile",
                "tensor",
                "in shared memory; begins where the operand does, a multiple of 16 bytes",
                spaces=(SHARED,),
            ),
            Param("swizzle", "const", "bytes of the swizzle's pattern", choices=(0, 32, 64, 128), default=128),
            Param(
                "leading",
                "const",
                "leading byte offset, a multiple of 16; 0 means 16",
                range=(0, t5.FIELD << 4),
                default=0,
            ),
            Param(
                "stride",
                "const",
                "stride byte offset, a multiple of 16; 0 means 8 rows of the pattern, as "
                "boxes of tensor maps have them",
                range=(0, t5.FIELD << 4),
                default=0,
            ),
        ),
        u64,
        "The descriptor of an operand of "
        "tcgen05 in shared memory; layouts are those of wgmma_descriptor. A tile further along K: add its byte "
        "offset / 16.",
        f"{SECTION}.4.1, shared memory descriptor",
        TENSOR,
        _descriptor,
        lower=_lower_descriptor,
    )
)
