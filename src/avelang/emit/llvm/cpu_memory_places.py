"""The addresses of one access: a pointer and an offset in any form come in, the most regular description of where the
lanes lie goes out."""

from __future__ import annotations

import dataclasses

import numpy as np

from avelang.emit.llvm import cpu_lin
from avelang.emit.llvm.cpu_values import Lin, Ptr, S, Scalar, V
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.dtypes import i64
from avelang.ir.types import SHARED


@dataclasses.dataclass
class LaneAddress:
    """The addresses of one access: `lin` bytes from the LLVM pointer `base`, in each lane."""

    w: WaveWriter
    base: str
    lin: Lin
    aligned: bool  # the base is a multiple of a register's size, in shared memory

    def __post_init__(self) -> None:
        self.columns = [c for _, c in self.lin.terms]
        self.pointers: dict[tuple[int, ...], str] = {}
        self._runs: dict[tuple[int, bool], int] = {}

    def group(self, lane: int) -> tuple[int, ...]:
        """Lanes of one group differ by a constant number of bytes."""
        return tuple(int(c[lane]) for c in self.columns)

    def key(self, lane: int) -> tuple[tuple[int, ...], int]:
        """An identity of a lane's address."""
        return self.group(lane), int(self.lin.k[lane])

    def pointer(self, lane: int, more: int = 0) -> str:
        """The address of a lane, plus some bytes."""
        group = self.group(lane)
        if group not in self.pointers:
            p, w = self.base, self.w
            for (s, _), c in zip(self.lin.terms, group, strict=True):
                if c:
                    p = w.op(f"getelementptr i8, ptr {p}, i64 {w.op(f'mul i64 {s.text}, {c}') if c != 1 else s.text}")
            self.pointers[group] = p
        k = int(self.lin.k[lane]) + more
        return self.w.op(f"getelementptr i8, ptr {self.pointers[group]}, i64 {k}") if k else self.pointers[group]

    def pointer_at(self, more: int) -> str:
        """The address of lane 0, plus some bytes."""
        return self.pointer(0, more)

    def start(self, first: int, lanes: int, size: int, more: int = 0) -> str:
        """The address at which a run of lanes begins, reckoned from its first active lane: an inactive one's may be
        anything."""
        known = self.w.mask
        skip = int(np.argmax(known[first : first + lanes])) if isinstance(known, np.ndarray) else 0
        return self.pointer(first + skip, more - skip * size)

    def run(self, size: int, lanes: np.ndarray | None) -> int:
        """The greatest power of two R such that, in each R lanes, addresses rise by `size` from lane to lane; only
        the `lanes` that are active count."""
        if (size, lanes is None) in self._runs:
            return self._runs[size, lanes is None]
        parts = [self.lin.k - np.arange(self.w.W) * size, *self.columns]
        r = self.w.W
        while r > 1 and not all(_alike(x.reshape(-1, r), lanes) for x in parts):
            r //= 2
        self._runs[size, lanes is None] = r
        return r


def _alike(rows: np.ndarray, lanes: np.ndarray | None) -> bool:
    """True where the numbers of the active lanes in each row are the same; None: all lanes are active."""
    if lanes is None:
        return bool((rows == rows[:, :1]).all())
    active = lanes.reshape(rows.shape)
    low = np.where(active, rows, np.iinfo(np.int64).max).min(axis=1)
    high = np.where(active, rows, np.iinfo(np.int64).min).max(axis=1)
    return bool(((low == high) | ~active.any(axis=1)).all())


def gep(w: WaveWriter, base: str, off: str) -> str:
    """An address some bytes from a pointer."""
    return w.op(f"getelementptr i8, ptr {base}, i64 {off}") if off != "0" else base


def place(w: WaveWriter, p: Ptr, off: Scalar) -> str | LaneAddress | V:
    """The place of an access: one LLVM pointer, a `LaneAddress`, or a vector of pointers."""
    total = cpu_lin.add64(w, p.off, off)
    assert isinstance(p.base, str)
    if isinstance(total, S):
        return gep(w, p.base, total.text) if p.base else w.op(f"inttoptr i64 {total.text} to ptr")
    if isinstance(total, Lin):
        flat = cpu_lin.resolve(w, total)
        u = flat.u.text if flat.u else "0"
        base = gep(w, p.base, u) if p.base else w.op(f"inttoptr i64 {u} to ptr")
        return LaneAddress(
            w, base, Lin(64, None, flat.terms, flat.k), p.space == SHARED and (flat.u is None or flat.u.tz >= 6)
        )
    text = w.vec(total, i64)
    return V(pointers_of(w, p.base, text))


def pointers_of(w: WaveWriter, base: str, offsets: str) -> str:
    """A vector of the lanes' pointers."""
    if base:
        return w.op(f"getelementptr i8, ptr {base}, {w.t('i64')} {offsets}")
    return w.op(f"inttoptr {w.t('i64')} {offsets} to {w.t('ptr')}")
