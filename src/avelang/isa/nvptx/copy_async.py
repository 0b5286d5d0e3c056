"""Rows of `cp.async` (Ampere and newer): copies from global to shared memory that run beside the thread, and the groups
in which it waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Op, Value
from avelang.ir.dtypes import i32, i64, u8, u32
from avelang.ir.types import GLOBAL, SHARED, Type, VecType
from avelang.isa.asm import Asm
from avelang.isa.lowering_helpers import choose, pointer
from avelang.isa.row import Param, Row, TensorRef, register
from avelang.isa.wave_protocol import Machine

SM_80 = frozenset({"sm_80"})
SOURCE = "PTX ISA 9.0, 9.7.9.25.3, cp.async"
KIND = "cp.async"
PREFETCH = (0, 64, 128, 256)  # bytes


def _semantics(size: int) -> Callable[..., None]:
    # By the generic proxy (SOURCE): where wgmma reads the data, a proxy fence stands behind the wait.
    def semantics(wave: Machine, dst: TensorRef, src: TensorRef, count: np.ndarray, hint: int, prefetch: int,
            l1: int = 0) -> None:
        lanes = np.flatnonzero(wave.active)
        for what, place in (("destination", dst), ("source", src)):
            crooked = wave.active & (place.address % np.uint64(size) != 0)
            if crooked.any():
                raise wave.wrong(int(crooked.argmax()), f"the {what} {int(place.address[crooked.argmax()]):#x} is no "
                    f"multiple of {size}")
        if (count[lanes] > size).any():
            raise wave.wrong(int(lanes[count[lanes] > size][0]), f"more than {size} bytes")
        data = np.zeros((wave.lanes, size), np.uint8)
        for n in np.unique(count[lanes]).tolist():
            if n:
                here = wave.active & (count == n)
                data[here, :n] = wave.read(src.space, src.address, n, here)[here]
        at = dst.address.view(np.int64)[lanes, None] + np.arange(size)
        wave.groups(KIND).add(wave.begin(SHARED, lanes, at, data[lanes], ordinary=True))

    return semantics


def _lower(size: int) -> Callable[..., None]:
    t: Type = i32 if size == 4 else VecType(i32, size // 4)

    def lower(b: Builder, dst: Value, src: Value, count: Value, hint: int, prefetch: int, l1: int = 0) -> None:
        to, source, zero = pointer(b, dst), pointer(b, src), b.convert(b.const(0), i64)

        def whole() -> Value:
            return b.ld(source, zero, t, size)

        def partly() -> Value:
            return b.bitcast(b.vec([byte(i) for i in range(size)]), t)

        def byte(i: int) -> Value:
            inside = b.cmp("gt", count, b.const(i))
            return choose(b, inside, lambda: b.ld(source, b.const(i, i64), u8, 1), lambda: b.const(0, u8))

        known = count.op.attrs["value"] if count.op is not None and count.op.name == "const" else None
        value = whole() if known == size else choose(b, b.cmp("ge", count, b.const(size)), whole, partly)
        b.st(value, to, zero, size)

    return lower


def _text(size: int) -> Callable[[Mapping[str, Any]], str]:
    def text(attrs: Mapping[str, Any]) -> str:
        level = "cg" if size == 16 and not attrs.get("l1") else "ca"
        ahead = f".L2::{attrs['prefetch']}B" if attrs["prefetch"] else ""
        return f"cp.async.{level}.shared.global{ahead} [<dst>], [<src>], {size}, <bytes>;"

    return text


def _refused(op: Op) -> str:
    """The reason why a copy is refused, or "". ptxas 13.0 makes `LDGSTS ... desc[UR1]` of a copy with a cache policy,
    which an H200 calls an illegal instruction, whole or with a count (driver 580, 2026-11-23, tests/gpu/run.py)."""
    return "NVIDIA's assembler makes an illegal instruction of a copy that has a hint" if op.attrs["hint"] else ""


def nothing(*args: Any) -> None:
    """The expansion of rows that an executor which finishes each copy at once needs not."""


def _group_rows() -> None:
    def commit(wave: Machine) -> None:
        wave.groups(KIND).commit(wave.active)

    def wait_group(wave: Machine, pending: int) -> None:
        wave.groups(KIND).wait(wave.active, pending)

    def wait_all(wave: Machine) -> None:
        wave.groups(KIND).commit(wave.active)
        wave.groups(KIND).wait(wave.active, 0)

    pending = Param("pending", "const", "how many of the newest groups need not be complete", range=(0, 64))
    effects = frozenset({"read", "write", "sync"})
    register(Row("nvvm.cp_async_commit_group", (), None, "The copies that the thread has begun by cp_async since the "
        "last group make up one more group; it " "may be empty.", "PTX ISA 9.0, 9.7.9.25.3.2, cp.async.commit_group",
        SM_80, commit, effects, nothing, llvm={"nvptx": Asm("cp.async.commit_group;")}))  # fmt: skip
    register(Row("nvvm.cp_async_wait_group", (pending,), None, "Waits until at most `pending` of the thread's newest "
        "groups are not complete. Other threads see the data after a barrier.", "PTX ISA 9.0, 9.7.9.25.3.3, "
        "cp.async.wait_group", SM_80, wait_group, effects, nothing,
        llvm={"nvptx": Asm("cp.async.wait_group <pending>;")}))  # fmt: skip
    register(Row("nvvm.cp_async_wait_all", (), None, "Waits for all copies that the thread has begun by cp_async. "
        "Other threads see the data after a barrier.", "PTX ISA 9.0, 9.7.9.25.3.3, cp.async.wait_all", SM_80, wait_all,
        effects, nothing, llvm={"nvptx": Asm("cp.async.wait_all;")}))  # fmt: skip


for _size in (4, 8, 16):
    _l1 = ((Param("l1", "const", "1: through L1 too (.ca); 0: L2 only (.cg)", range=(0, 1), default=0),) if _size == 16
        else ())
    register(Row(f"nvvm.cp_async_x{_size}", (Param("dst", "tensor", f"in shared memory; begins where this lane's "
        f"{_size} bytes go, a multiple of {_size}", spaces=(SHARED,)),
        Param("src", "tensor", f"in global memory; begins where they come from, a multiple of {_size}", spaces=(GLOBAL,
        ), source=True), Param("bytes", u32, "how many are read; zeros are written for the rest", default=_size),
        Param("hint", "const", "0; others are refused (U111)", range=(0, 3), default=0),
        Param("prefetch", "const", "bytes that L2 may fetch ahead", range=(0, 256), choices=PREFETCH, default=0), *_l1),
        None, f"Begins a copy of {_size} bytes from global to shared memory for each lane; `bytes` of them are read, "
        f"the rest are zeros. The data is " f"there once " "cp_async_wait_group or cp_async_wait_all (or an mbarrier, "
        "by cp_async_mbarrier_arrive) says so.", SOURCE, SM_80, _semantics(_size), frozenset({"read", "write"}),
        _lower(_size), llvm={"nvptx": Asm(_text(_size))}, refused=_refused))  # fmt: skip
_group_rows()
