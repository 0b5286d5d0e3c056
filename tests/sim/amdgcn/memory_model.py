"""What loads and stores of each format do, lane by lane in Python, for tests of the executor's memory instructions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

LANES = 64
UNTOUCHED = 0xDEADBEEF
FULL = (1 << 64) - 1
MASKS = {"all": FULL, "none": 0, "one": 1 << 37, "even": FULL // 3, "some": 0x8000F00D0000BEEF}
# Bytes of a lane's memory; what a load makes of an unsigned number of so many bytes, as words.
BYTES = {"dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16}
LOADED = {
    "ubyte": (1, lambda v: v), "sbyte": (1, lambda v: v | 0xFFFFFF00 if v > 127 else v), "ushort": (2, lambda v: v),
    "sshort": (2, lambda v: v | 0xFFFF0000 if v > 32767 else v), "ubyte_d16": (1, lambda v: v),
    "ubyte_d16_hi": (1, lambda v: v << 16), "sbyte_d16": (1, lambda v: v | 0xFF00 if v > 127 else v),
    "sbyte_d16_hi": (1, lambda v: (v | 0xFF00 if v > 127 else v) << 16), "short_d16": (2, lambda v: v),
    "short_d16_hi": (2, lambda v: v << 16),
}  # fmt: skip
STORED = {"byte": (1, 0), "short": (2, 0), "byte_d16_hi": (1, 16), "short_d16_hi": (2, 16)}
# LDS instructions' names of the same formats.
LDS_LOADS = {
    "u8": "ubyte", "i8": "sbyte", "u16": "ushort", "i16": "sshort", "u8_d16": "ubyte_d16", "u8_d16_hi": "ubyte_d16_hi",
    "i8_d16": "sbyte_d16",
    "i8_d16_hi": "sbyte_d16_hi", "u16_d16": "short_d16", "u16_d16_hi": "short_d16_hi", "b32": "dword", "b64": "dwordx2",
    "b96": "dwordx3",
    "b128": "dwordx4",
}  # fmt: skip
LDS_STORES = {
    "b8": "byte", "b16": "short", "b8_d16_hi": "byte_d16_hi", "b16_d16_hi": "short_d16_hi", "b32": "dword",
    "b64": "dwordx2", "b96": "dwordx3",
    "b128": "dwordx4",
}  # fmt: skip
LOADS, STORES = [*BYTES, *LOADED], [*BYTES, *STORED]


def nbytes(name: str) -> int:
    return BYTES.get(name) or (LOADED[name] if name in LOADED else STORED[name])[0]


def words(name: str) -> int:
    return max(1, nbytes(name) // 4)


def registers(first: int, count: int, file: str = "v") -> str:
    return f"{file}{first}" if count == 1 else f"{file}[{first}:{first + count - 1}]"


def lanes_of(mask: int) -> Iterator[int]:
    return (n for n in range(LANES) if mask >> n & 1)


def load(memory: np.ndarray, at: int, name: str) -> list[int]:
    """The words that a load gives from byte `at` on."""
    raw = bytes(memory[at : at + nbytes(name)])
    assert len(raw) == nbytes(name)
    if name in BYTES:
        return [int.from_bytes(raw[k : k + 4], "little") for k in range(0, len(raw), 4)]
    return [LOADED[name][1](int.from_bytes(raw, "little"))]


def loaded(memory: np.ndarray, at: np.ndarray, name: str, mask: int) -> np.ndarray:
    """uint32 (words, 64): the registers after a load of the active lanes."""
    out = np.full((words(name), LANES), UNTOUCHED, np.uint32)
    for n in lanes_of(mask):
        out[:, n] = load(memory, int(at[n]), name)
    return out


def store(memory: np.ndarray, at: np.ndarray, name: str, data: np.ndarray, mask: int) -> None:
    """Stores registers, uint32 (words, 64), from the lowest active lane on."""
    for n in lanes_of(mask):
        raw = data[:, n].astype("<u4").tobytes()
        if name in STORED:
            size, shift = STORED[name]
            raw = raw[shift // 8 : shift // 8 + size]
        memory[int(at[n]) : int(at[n]) + len(raw)] = np.frombuffer(raw, np.uint8)


def patterns(rng: np.random.Generator, room: int, size: int = 16) -> dict[str, np.ndarray]:
    """Offsets of 64 lanes, int64, `size` bytes from each within `room`: next to each other, turned around, strided,
    anywhere, the same."""
    last = room - size
    return {
        "next": np.arange(LANES) * 4, "blocks": np.arange(LANES) * 16, "permuted": rng.permutation(LANES) * 16,
        "strided": np.arange(LANES) * (last // LANES), "anywhere": rng.integers(0, last + 1, LANES),
        "same": np.full(LANES, last),
    }  # fmt: skip


def region(a: np.ndarray) -> tuple[int, int]:
    return a.ctypes.data, a.ctypes.data + a.nbytes


def pair(addresses: np.ndarray) -> np.ndarray:
    """64-bit addresses as two registers."""
    wide = addresses.astype(np.uint64)
    return np.stack([wide & np.uint64(0xFFFFFFFF), wide >> np.uint64(32)]).astype(np.uint32)


def random_bytes(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, 256, n).astype(np.uint8)


def random_words(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(0, 1 << 32, shape, dtype=np.uint32)
