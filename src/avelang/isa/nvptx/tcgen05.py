"""Facts of the fifth generation of tensor cores: descriptors, shapes, and where tensor memory holds which element.

Tensor memory of an SM has 128 lanes of 512 columns of 32 bits; an address has the lane in bits 31:16 and the column in
bits 15:0. Sources: PTX ISA 9.0, 9.7.16 ("TensorCore 5th Generation Family Instructions": 2.1 shapes, 2.3 data movement,
4.1 and 4.2 descriptors, 10.5 data paths, 10.7 block scaling); CUTLASS, cute/atom/copy_traits_sm100.hpp and
mma_traits_sm100.hpp, which state the same maps as layouts. No such chip was at hand: what stands here is read,
assembled by ptxas and executed, not measured.
"""

from __future__ import annotations

import dataclasses
import functools

from avelang.base.lazy import np
from avelang.isa.fragments import Fragment
from avelang.isa.nvptx.swizzle import swizzled

LANES, COLUMNS, QUARTER = 128, 512, 32  # of tensor memory; lanes that a warp reaches
FIRST_COLUMNS = 32  # the least that is allocated; powers of two up to COLUMNS
FIELD = (1 << 14) - 1

# -- data movement: tcgen05.ld, tcgen05.st -----------------------------------------------------------------------------

# Of a shape: its lanes, columns of .x1, registers of a thread in .x1.
MOVES = {"32x32b": (32, 1, 1), "16x64b": (16, 2, 1), "16x128b": (16, 4, 2), "16x256b": (16, 8, 4), "16x32bx2": (16, 1,
    1)}  # fmt: skip


@functools.lru_cache(256)
def move_fragment(shape: str, count: int, split: int = 0) -> Fragment:
    """The map of tcgen05.ld and .st of a shape, .x`count`: (thread, register) -> (0, lane, column), from the lane and
    column of the address on. `split`: for 16x32bx2, how many columns further on the upper 16 threads begin. With
    .pack::16b or .unpack::16b a register holds the low halves of columns 2 c and 2 c + 1."""
    lanes, columns, registers = MOVES[shape]

    def place(t: np.ndarray, r: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
        if shape == "32x32b":
            return 0, t + 0 * r, r + 0 * t
        if shape == "16x64b":
            return 0, t // 4 + 8 * (t % 2) + 0 * r, t // 2 % 2 + 2 * r
        if shape == "16x128b":
            return 0, t // 4 + 8 * (r % 2), t % 4 + 4 * (r // 2)
        if shape == "16x256b":
            return 0, t // 4 + 8 * (r // 2 % 2), 2 * (t % 4) + r % 2 + 8 * (r // 4)
        return 0, t % 16 + 0 * r, r + split * (t // 16)

    return Fragment(32, registers * count, (1, lanes, columns * count + split), place)


# -- where D and A stand in tensor memory ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class TensorMemoryMap:
    """The map of a matrix in the tensor memory of one block: `fragment` says (k, column) -> (block of the pair, row,
    column of the matrix) for the k-th of `lanes`, the lanes that hold it. PTX ISA 9.0, 9.7.16.10.5 names them A to
    G."""

    name: str
    lanes: tuple[int, ...]
    fragment: Fragment

    def places(self, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(lane, column, row, column of the matrix), flat, of the block with this rank in its pair."""
        _, row, col = self.fragment.index
        lane, slot = np.meshgrid(np.asarray(self.lanes), np.arange(self.fragment.slots), indexing="ij")
        per = self.fragment.shape[1]
        return lane.reshape(-1), slot.reshape(-1), (row + rank * per).reshape(-1), col.reshape(-1)


_HALF = tuple(32 * (k // 16) + k % 16 for k in range(64))  # 16 lanes of each warp's 32


@functools.lru_cache(256)
def accumulator_map(m: int, n: int, group: int = 1, ws: bool = False, sparse: bool = False) -> TensorMemoryMap:
    """The place of D of m x n: a column of 32 bits for each element (f16: its low half); `group`: the blocks that
    compute it, each of which holds m / group rows. Raises KeyError for an m that there is not."""
    every = tuple(range(LANES))
    name = {(256, 2, False): "A", (128, 2, False): "C" if sparse else "B", (128, 1, False): "D", (128, 1, True): "D",
        (64, 1, True): "E", (64, 1, False): "F", (32, 1, True): "G"}[m, group, ws]  # fmt: skip
    per, parts = m // group, {"B": 2, "E": 2, "G": 4}.get(name, 1)
    if name in "CF":
        return TensorMemoryMap(name, _HALF, Fragment(64, n, (1, 64, n), lambda k, c: (0, k + 0 * c, c + 0 * k)))
    return TensorMemoryMap(
        name,
        every,
        Fragment(LANES, n // parts, (1, per, n), lambda k, c: (0, k % per + 0 * c, c + n // parts * (k // per))),
    )


@functools.lru_cache(256)
def operand_lanes(m: int, group: int = 1, ws: bool = False, sparse: bool = False) -> np.ndarray:
    """int64 (rows of a block, copies): the lanes that hold each row of A in tensor memory; where there are several, all
    must hold the same. Elements of 16 and 8 bits are packed into columns along K."""
    name, per = accumulator_map(m, 8 * group * (4 if ws else 1), group, ws, sparse).name, m // group
    if name in "CF":
        return np.asarray(_HALF)[:, None]
    return np.arange(per)[:, None] + per * np.arange(LANES // per)


def scale_places(rows: int, ids: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(lane, column, byte), each (rows, scales): where the scale factors of rows of A (of columns of B) stand. Row r is
    in lane r % 32, column r / 32, and again 32, 64 and 96 lanes further on. `ids`: the bytes along K."""
    row, byte = np.meshgrid(np.arange(rows), np.asarray(ids), indexing="ij")
    return row % QUARTER, row // QUARTER, byte


# The pairs of 2-bit places that a field of metadata may name, of 2 out of 4; of 1 out of 2 (tf32) it has two values.
PAIRS, SINGLES = (0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b0110, 0b1110), (0b0100, 0b1110)
METADATA_ROWS = 128  # of a block: the only count whose layout is stated in more than figures


def metadata_places(kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(lane, column, shift), each (128 rows, fields of 4 bits along K): where the metadata of one sparse instruction
    stands. With 8 and 4 bits an element it takes two columns and a row is a lane; with 16 and 32 bits one column: 16
    bits for each half of K, a lane of which holds that of row r below that of row r + 8. CUTLASS states it twice, for
    tensor memory (cute/atom/mma_traits_sm100.hpp, tmem_e_frg) and for the copy to it (sm1xx_sparse_config.inl,
    TensorEAtom_MMA_*); PTX ISA 9.0, 9.7.16.10.8.4, has it as figures 263, 265 and 267."""
    halves = kind in ("f16", "tf32")
    row, field = np.meshgrid(np.arange(METADATA_ROWS), np.arange(8 if halves else 16), indexing="ij")
    if halves:
        return row % 8 + 8 * (field // 4) + row // 16 * 16, 0 * row, 16 * (row // 8 % 2) + 4 * (field % 4)
    return row, field // 8, 4 * (field % 8)


# -- descriptors in shared memory --------------------------------------------------------------------------------------

SWIZZLES = {0: "none", 1: "128 bytes by 32", 2: "128 bytes", 4: "64 bytes", 6: "32 bytes"}  # bits 63:61
PATTERN = {0: 0, 1: 128, 2: 128, 4: 64, 6: 32}
MODE = {0: 0, 32: 6, 64: 4, 128: 2}


def smem_descriptor(address: int, leading: int, stride: int, swizzle: int = 128, by32: bool = False) -> int:
    """The 64 bits that describe an operand at an address of shared memory (bytes): `leading` and `stride` byte offsets,
    `swizzle` 0, 32, 64 or 128 bytes; `by32`: the pattern of 128 bytes moves pieces of 32."""
    mode = 1 if by32 else MODE[swizzle]
    return ((address >> 4 & FIELD) | (leading >> 4 & FIELD) << 16 | (stride >> 4 & FIELD) << 32 | 1 << 46
        | mode << 61)  # fmt: skip


def descriptor_fault(word: int) -> str:
    """The reason why 64 bits describe no operand that is executed here, or ""."""
    if word >> 46 & 7 != 1:
        return f"bits 48:46 of its descriptor are {word >> 46 & 7:#05b}, and must be 0b001"
    if word >> 61 not in SWIZZLES:
        return f"bits 63:61 of its descriptor are {word >> 61}, which is no swizzle"
    if word >> 53 & 0xFF:
        return "bits 60:53 of its descriptor must be zero"
    if word >> 49 & 7:
        return "its descriptor has a base offset: begin the pattern at a multiple of its size"
    if word >> 52 & 1:
        return "its descriptor gives the leading dimension as an address, which is not executed here"
    return ""


def operand_addresses(word: int, rows: np.ndarray, units: np.ndarray, mn_major: bool, size: int) -> np.ndarray:
    """int64: where elements (i along M or N, j along K) of `size` bytes stand in shared memory. The canonical layouts
    are those of wgmma; with pieces of 32 bytes, four rows of K make up a pattern."""
    start, leading, stride = ((word >> shift & FIELD) << 4 for shift in (0, 16, 32))
    mode = word >> 61
    pattern, piece = PATTERN[mode], 16 // size
    i, j = rows, units
    if not mn_major:
        if pattern:
            at = start + i % 8 * pattern + i // 8 * stride + j * size
        else:
            at = start + i % 8 * 16 + i // 8 * stride + j // piece * leading + j % piece * size
    elif pattern:
        run, deep = pattern // size, 4 if mode == 1 else 8
        at = start + i % run * size + i // run * leading + j % deep * pattern + j // deep * stride
    else:
        at = start + i % piece * size + i // piece * stride + j % 8 * 16 + j // 8 * leading
    if mode == 1:
        return at ^ (at >> 7 & 3) << 5
    return swizzled(at, pattern)


# -- instruction descriptors -------------------------------------------------------------------------------------------

# By kind: the numbers of A's and B's types; bits of an element of K's unit; K of a dense product.
NARROW = {"e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5}
TYPES: dict[str, dict[str, int]] = {"tf32": {"tf32": 2}, "f16": {"f16": 0, "bf16": 1}, "f8f6f4": NARROW,
    "i8": {"u8": 0, "s8": 1}, "mxf8f6f4": NARROW, "mxf4": {"e2m1": 1}, "mxf4nvf4": {"e2m1": 1}}  # fmt: skip
RESULTS: dict[str, dict[str, int]] = {"tf32": {"f32": 1}, "f16": {"f16": 0, "f32": 1}, "f8f6f4": {"f16": 0, "f32": 1},
    "i8": {"s32": 2}, "mxf8f6f4": {"f32": 1}, "mxf4": {"f32": 1}, "mxf4nvf4": {"f32": 1}}  # fmt: skip
DEPTH = {"tf32": 8, "f16": 16, "f8f6f4": 32, "i8": 32, "mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}
BITS = {"tf32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8, "e2m3": 6, "e3m2": 6, "e2m1": 4, "u8": 8, "s8": 8}
SCALED = ("mxf8f6f4", "mxf4", "mxf4nvf4")


@dataclasses.dataclass(frozen=True, slots=True)
class InstructionDescriptor:
    """The 32 bits that say what tcgen05.mma computes (PTX ISA 9.0, 9.7.16.4.2). `a`, `b`, `d`: names of types;
    `a_mn`, `b_mn`: the operand is MN-major ("transposed"); `a_scale`, `b_scale`: which bytes hold the scale factors;
    `scale`: their type, "ue4m3" or "ue8m0"; `reuse`: the shift of B in .ws; `deep`: K is 96 (mxf4nvf4 on sm_103a)."""

    kind: str
    m: int
    n: int
    a: str
    b: str
    d: str = "f32"
    negate_a: bool = False
    negate_b: bool = False
    a_mn: bool = False
    b_mn: bool = False
    saturate: bool = False
    sparse: bool = False
    selector: int = 0
    scale: str = "ue8m0"
    a_scale: int = 0
    b_scale: int = 0
    reuse: int = 0
    deep: bool = False

    @property
    def k(self) -> int:
        """Elements along K of one instruction."""
        return (96 if self.deep else DEPTH[self.kind]) * (2 if self.sparse else 1)

    def word(self) -> int:
        """The 32 bits."""
        types = TYPES[self.kind]
        out = (self.sparse << 2 | types[self.a] << 7 | types[self.b] << 10 | self.negate_a << 13 | self.negate_b << 14
            | self.a_mn << 15 | self.b_mn << 16 | self.n >> 3 << 17 | self.m >> 4 << 24)  # fmt: skip
        if self.kind in SCALED:
            return out | self.b_scale << 4 | (self.scale == "ue8m0") << 23 | self.a_scale << 29 | self.deep << 31
        return out | self.selector | self.saturate << 3 | RESULTS[self.kind][self.d] << 4 | self.reuse << 30

    def fault(self, group: int = 1, ws: bool = False) -> str:
        """The reason why there is no such product, or "" (PTX ISA 9.0, 9.7.16.2.1, table "Various combinations")."""
        sizes = {1: (32, 64, 128) if ws else (64, 128), 2: (128, 256)}[group]
        if self.kind in SCALED and group == 1:
            sizes = (128,)
        if self.deep and self.sparse:
            return "K of 96 is of dense products alone"
        if self.m not in sizes:
            return f"M is {self.m}; it may be {' or '.join(map(str, sizes))}"
        columns = (64, 128) if self.sparse else (64, 128, 256)
        if ws:
            return "" if self.n in columns else f"N is {self.n}; with .ws it may be {', '.join(map(str, columns))}"
        step = 16 if group == 2 or (self.kind == "i8" and self.n > 32) else 8
        if not 8 <= self.n <= 256 or self.n % step:
            return f"N is {self.n}; it may be {step} to 256 in steps of {step}"
        if self.d == "f16" and self.kind == "f16" and "bf16" in (self.a, self.b):
            return "bf16 has accumulators of f32 alone"
        if self.kind in ("mxf4", "mxf4nvf4") and (self.a_mn or self.b_mn):
            return "operands of 4 bits are K-major"
        return ""


def decode_instruction(word: int, kind: str) -> InstructionDescriptor:
    """The product that 32 bits describe. Raises ValueError where they describe none."""
    types = {v: k for k, v in TYPES[kind].items()}
    results = {v: k for k, v in RESULTS[kind].items()}
    scaled = kind in SCALED
    numbers = [word >> 7 & 7, word >> 10 & (3 if kind in ("mxf4", "mxf4nvf4") else 7)]
    for name, number in zip("AB", numbers, strict=True):
        if number not in types:
            raise ValueError(f"the type of {name} is {number}; kind::{kind} has "
                + ", ".join(f"{v} ({k})" for v, k in types.items()))  # fmt: skip
    if not scaled and word >> 4 & 3 not in results:
        raise ValueError(f"the type of D is {word >> 4 & 3}; kind::{kind} has "
            + ", ".join(f"{v} ({k})" for v, k in results.items()))  # fmt: skip
    if word & (1 << 6 | (0b111 << 24 | 0b1011 if scaled else 1 << 23 | 1 << 29)):
        raise ValueError(f"{word:#010x} has reserved bits that are not zero")
    d = "f32" if scaled else results[word >> 4 & 3]
    more = ({"scale": "ue8m0" if word >> 23 & 1 else "ue4m3", "a_scale": word >> 29 & 3, "b_scale": word >> 4 & 3,
        "deep": bool(word >> 31)} if scaled else {"selector": word & 3, "saturate": bool(word >> 3 & 1),
        "reuse": word >> 30})  # fmt: skip
    return InstructionDescriptor(
        kind,
        (word >> 24 & 0x1F) << 4,
        (word >> 17 & 0x3F) << 3,
        types[numbers[0]],
        types[numbers[1]],
        d,
        bool(word >> 13 & 1),
        bool(word >> 14 & 1),
        bool(word >> 15 & 1),
        bool(word >> 16 & 1),
        sparse=bool(word >> 2 & 1),
        **more,
    )  # type: ignore[arg-type]


# -- small numbers -----------------------------------------------------------------------------------------------------

# Exponent and mantissa bits, bias; whether the largest exponent has infinities (e5m2) or one NaN (e4m3).
_FORMATS = {"e4m3": (4, 3, 7), "e5m2": (5, 2, 15), "e2m3": (2, 3, 1), "e3m2": (3, 2, 3), "e2m1": (2, 1, 1),
    "ue4m3": (4, 3, 7), "ue8m0": (8, 0, 127)}  # fmt: skip


@functools.cache
def small_float(name: str) -> np.ndarray:
    """float32 (256,): the number that each byte stands for, of a type of at most 8 bits in its low bits."""
    exponent, mantissa, bias = _FORMATS[name]
    code = np.arange(256)
    if name == "ue8m0":
        return np.where(code == 255, np.nan, np.ldexp(1.0, code - bias)).astype(np.float32)
    e, f = code >> mantissa & (1 << exponent) - 1, code & (1 << mantissa) - 1
    sign = np.where(code >> (exponent + mantissa) & 1, -1.0, 1.0) if name != "ue4m3" else 1.0
    value = np.where(e == 0, np.ldexp(f / (1 << mantissa), 1 - bias), np.ldexp(1 + f / (1 << mantissa), e - bias))
    top = e == (1 << exponent) - 1
    if name in ("e4m3", "ue4m3"):
        value = np.where(top & (f == 7), np.nan, value)
    if name == "e5m2":
        value = np.where(top, np.where(f == 0, np.inf, np.nan), value)
    return (sign * value).astype(np.float32)
