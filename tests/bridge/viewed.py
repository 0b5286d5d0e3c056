"""Views of the CPU's memory for tests: of NumPy's arrays, and back."""

from __future__ import annotations

import ctypes
import random

import numpy as np

from avelang.bridge.device_views import ALIGNED, DeviceView


class HostRoom:
    """New memory, all ones: a NaN in each dtype of floats."""

    def __init__(self) -> None:
        self.kept: list[np.ndarray] = []

    def take(self, size: int) -> int:
        self.kept.append(np.full(size + ALIGNED, 255, np.uint8))
        return -(-self.kept[-1].ctypes.data // ALIGNED) * ALIGNED


def viewed(a: np.ndarray, room: HostRoom | None = None) -> DeviceView:
    """A view of an array's memory."""
    room = HostRoom() if room is None else room
    room.kept.append(a)
    return DeviceView(a.ctypes.data, a.shape, a.dtype, "cpu", a.strides, room)


def read(v: DeviceView) -> np.ndarray:
    """What a view holds."""
    if not v.size:
        return np.empty(v.shape, v.dtype)
    down = -sum((n - 1) * s for n, s in zip(v.shape, v.strides) if s < 0)
    span = down + v.itemsize + sum((n - 1) * s for n, s in zip(v.shape, v.strides) if s > 0)
    memory = (ctypes.c_uint8 * span).from_address(v.address - down)
    return np.ndarray(v.shape, v.dtype, memory, down, v.strides).copy()


def drawn(rng: random.Random) -> np.ndarray:
    """An array of some strides: gaps, backward, turned."""
    shape = [rng.choice((1, 2, 3, 4, 6)) for _ in range(rng.randrange(5))]
    whole = np.arange(np.prod([2 * n for n in shape], dtype=int), dtype=np.float32).reshape([2 * n for n in shape])
    cut = tuple(rng.choice((slice(0, n), slice(0, 2 * n, 2), slice(n, 0, -1))) for n in shape)
    return np.asarray(whole[cut]).transpose(rng.sample(range(len(shape)), len(shape)))


def split(rng: random.Random, size: int) -> tuple[int, ...]:
    """A shape of so many elements."""
    found = []
    while size > 1:
        n = rng.choice([d for d in range(2, size + 1) if size % d == 0])
        found.append(n)
        size //= n
    found += [1] * rng.randrange(2)
    rng.shuffle(found)
    return tuple(found)
