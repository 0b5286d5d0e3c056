"""Rows that move values between the lanes of a wave: readfirstlane, DPP, ds_swizzle, ds_bpermute, ballot, mbcnt."""

from __future__ import annotations

from collections.abc import Callable

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import bf16, f16, f32, f64, i16, i32, i64, u1, u16, u32, u64
from avelang.isa.lowering import Lowering
from avelang.isa.lowering_helpers import active_mask, first_active
from avelang.isa.row import Param, Row, Wave, register

LANES = 64
ROW = 16  # lanes of a DPP row
CONVERGENT = frozenset({"convergent"})
GFX9 = frozenset({"gfx9"})
WORD = (i32, u32, f32)
DPP_SOURCE = (
    "AMD CDNA3 ISA, section 12.15 (Data Parallel Processing, DPP_CTRL); LLVM, AMDGPUModifierSyntax, dpp_ctrl, "
    "row_mask, bank_mask, "
    "bound_ctrl"
)
DS_SOURCE = "AMD CDNA3 ISA, section 12.13 (LDS and GDS instructions), DS_SWIZZLE_B32, DS_BPERMUTE_B32"


def is_active(b: Builder, lane: Value) -> Value:
    """u1: whether that lane is active."""
    bit = b.and_(b.shr(active_mask(b), b.convert(lane, u64)), b.const(1, u64))
    return b.cmp("ne", bit, b.const(0, u64))


def first(wave: Wave) -> int:
    """The lowest active lane; 0 where none is."""
    return int(np.argmax(wave.active))


# -- readfirstlane -----------------------------------------------------------------------------------------------------


def _readfirstlane(wave: Wave, v: np.ndarray) -> np.ndarray:
    return np.broadcast_to(v[first(wave)], v.shape).copy()


def _expand_readfirstlane(b: Builder, v: Value) -> Value:
    return b.shuffle("idx", v, first_active(b), LANES)


register(Row(
    "amdgpu.readfirstlane",
    (Param("v", (i32, u32, f32, i64, u64, f64, i16, u16, f16, bf16), "any value"),),
    "v",
    "The value of the lowest active lane, in every lane. The result is uniform across the wave.",
    "AMD CDNA3 ISA, section 12.9 (VOP1), V_READFIRSTLANE_B32", GFX9, _readfirstlane, CONVERGENT, _expand_readfirstlane,
    llvm={"amdgpu": Lowering("llvm.amdgcn.readfirstlane.i32", words=True)},
))  # fmt: skip

# -- DPP ---------------------------------------------------------------------------------------------------------------

# First and last dpp_ctrl of each pattern.
PATTERNS: tuple[tuple[tuple[int, int], str], ...] = (
    ((0x000, 0x0FF), "quad_perm"), ((0x101, 0x10F), "row_shl"), ((0x111, 0x11F), "row_shr"),
    ((0x121, 0x12F), "row_ror"),
    ((0x130, 0x130), "wave_shl"), ((0x134, 0x134), "wave_rol"), ((0x138, 0x138), "wave_shr"),
    ((0x13C, 0x13C), "wave_ror"),
    ((0x140, 0x140), "row_mirror"), ((0x141, 0x141), "row_half_mirror"), ((0x142, 0x142), "row_bcast15"),
    ((0x143, 0x143), "row_bcast31"),
    ((0x150, 0x15F), "row_newbcast"),
)  # fmt: skip
CONTROLS: tuple[int, ...] = tuple(c for (low, high), _ in PATTERNS for c in range(low, high + 1))


def dpp_pattern(ctrl: int) -> str:
    """The name of the pattern that a dpp_ctrl value selects."""
    return next(name for (low, high), name in PATTERNS if low <= ctrl <= high)


def dpp_sources(ctrl: int) -> np.ndarray:
    """int (64,): the lane that each lane reads; -1 where there is none."""
    name, n, lane = dpp_pattern(ctrl), ctrl & 15, np.arange(LANES)
    row, at = lane & ~15, lane & 15

    def within(x: np.ndarray) -> np.ndarray:
        return np.where((x >= 0) & (x < ROW), row + x, -1)

    return {
        "quad_perm": (lane & ~3) + (ctrl >> (2 * (lane & 3)) & 3),
        "row_shl": within(at + n),
        "row_shr": within(at - n),
        "row_ror": row + (at - n) % ROW,
        "wave_shl": np.where(lane < LANES - 1, lane + 1, -1),
        "wave_rol": (lane + 1) % LANES,
        "wave_shr": lane - 1,
        "wave_ror": (lane - 1) % LANES,
        "row_mirror": row + 15 - at,
        "row_half_mirror": (lane & ~7) + 7 - (lane & 7),
        "row_bcast15": np.where(row > 0, row - 1, -1),
        "row_bcast31": np.where(lane >= 32, 31, -1),
        "row_newbcast": row + n,
    }[name]


def _dpp(
    wave: Wave, old: np.ndarray, src: np.ndarray, ctrl: int, row_mask: int, bank_mask: int, bound_ctrl: int
) -> np.ndarray:
    lane, source = np.arange(LANES), dpp_sources(ctrl)
    valid = (source >= 0) & wave.active[source]
    enabled = (row_mask >> (lane // ROW) & 1 == 1) & (bank_mask >> (lane % ROW // 4) & 1 == 1)
    outside = np.zeros_like(old) if bound_ctrl else old
    return np.where(enabled, np.where(valid, src[source], outside), old)


class _Source:
    """What a lane reads under a dpp_ctrl, as IR: `lane` u32, and `valid` u1 or None where every lane has a source."""

    def __init__(self, b: Builder, ctrl: int):
        self.b, self.ctrl, self.n = b, ctrl, ctrl & 15
        self.own = b.lane_id()
        self.at = b.and_(self.own, b.const(15))
        self.row = b.sub(self.own, self.at)
        self.valid: Value | None = None
        self.lane: Value = getattr(self, dpp_pattern(ctrl))()

    def c(self, x: int) -> Value:
        return self.b.const(x)

    def quad_perm(self) -> Value:
        b, twice = self.b, self.b.shl(self.b.and_(self.own, self.c(3)), self.c(1))
        return b.add(b.sub(self.own, b.and_(self.own, self.c(3))), b.and_(b.shr(self.c(self.ctrl), twice), self.c(3)))

    def row_shl(self) -> Value:
        self.valid = self.b.cmp("lt", self.at, self.c(ROW - self.n))
        return self.b.add(self.own, self.c(self.n))

    def row_shr(self) -> Value:
        self.valid = self.b.cmp("ge", self.at, self.c(self.n))
        return self.b.sub(self.own, self.c(self.n))

    def row_ror(self) -> Value:
        return self.b.add(self.row, self.b.and_(self.b.sub(self.at, self.c(self.n)), self.c(15)))

    def wave_shl(self) -> Value:
        self.valid = self.b.cmp("lt", self.own, self.c(LANES - 1))
        return self.b.add(self.own, self.c(1))

    def wave_rol(self) -> Value:
        return self.b.and_(self.b.add(self.own, self.c(1)), self.c(LANES - 1))

    def wave_shr(self) -> Value:
        self.valid = self.b.cmp("gt", self.own, self.c(0))
        return self.b.sub(self.own, self.c(1))

    def wave_ror(self) -> Value:
        return self.b.and_(self.b.sub(self.own, self.c(1)), self.c(LANES - 1))

    def row_mirror(self) -> Value:
        return self.b.xor(self.own, self.c(15))

    def row_half_mirror(self) -> Value:
        return self.b.xor(self.own, self.c(7))

    def row_bcast15(self) -> Value:
        self.valid = self.b.cmp("gt", self.row, self.c(0))
        return self.b.sub(self.row, self.c(1))

    def row_bcast31(self) -> Value:
        self.valid = self.b.cmp("ge", self.own, self.c(32))
        return self.c(31)

    def row_newbcast(self) -> Value:
        return self.b.add(self.row, self.c(self.n))


def _expand_dpp(b: Builder, old: Value, src: Value, ctrl: int, row_mask: int, bank_mask: int, bound_ctrl: int) -> Value:
    source = _Source(b, ctrl)
    lane = b.and_(source.lane, b.const(LANES - 1))
    valid = is_active(b, lane)
    if source.valid is not None:
        valid = b.and_(source.valid, valid)
    outside = b.const(0, old.type) if bound_ctrl else old
    out = b.select(valid, b.shuffle("idx", src, lane, LANES), outside)
    if row_mask == bank_mask == 15:
        return out
    bits = b.and_(
        b.shr(b.const(row_mask), b.shr(source.own, b.const(4))), b.shr(b.const(bank_mask), b.shr(source.at, b.const(2)))
    )
    return b.select(b.cmp("ne", b.and_(bits, b.const(1)), b.const(0)), out, old)


register(Row(
    "amdgpu.get_dpp",
    (
        Param("old", WORD, "what a lane keeps that does not read"),
        Param("src", "old", "the value that lanes read from one another"),
        Param("dpp_ctrl", "const",
            "0-0xff quad_perm (two bits a lane), 0x101-0x10f row_shl, 0x111-0x11f row_shr, 0x121-0x12f row_ror, "
                                   "0x130 wave_shl, "
              "0x134 wave_rol, 0x138 wave_shr, 0x13c wave_ror, 0x140 row_mirror, 0x141 row_half_mirror, 0x142 "
              "row_bcast15, 0x143 "
              "row_bcast31, "
              "0x150-0x15f row_newbcast", range=(CONTROLS[0], CONTROLS[-1]), choices=CONTROLS),
        Param("row_mask", "const", "rows of 16 lanes that take part, one bit each", range=(0, 15), default=15),
        Param("bank_mask", "const", "quarters of every row that take part, one bit each", range=(0, 15), default=15),
        Param("bound_ctrl", "const", "1: zero where the source lane does not exist or is not active; 0: `old` "
                                     "there", range=(0, 1), default=0),
    ),
    "old",
    "Each lane reads `src` of another lane by a fixed pattern. A row is 16 lanes. shl reads from a higher lane, shr "
    "from a lower; ror "
    "rotates toward "
    "higher lanes; bcast15 gives the last lane of each row to the next row, bcast31 lane 31 to the upper half.",
    DPP_SOURCE, GFX9, _dpp, CONVERGENT, _expand_dpp, aliases=("update_dpp",),
    llvm={"amdgpu": Lowering("llvm.amdgcn.update.dpp.i32", {"bound_ctrl": "i1"}, words=True)},
))  # fmt: skip

# -- LDS crossbar ------------------------------------------------------------------------------------------------------

QUAD_MODE = 0x8000


def _fetch(wave: Wave, v: np.ndarray, source: np.ndarray) -> np.ndarray:
    return np.where(wave.active[source], v[source], np.zeros_like(v))


def _expand_fetch(b: Builder, v: Value, source: Value) -> Value:
    return b.select(is_active(b, source), b.shuffle("idx", v, source, LANES), b.const(0, v.type))


def _swizzle(wave: Wave, v: np.ndarray, pattern: int) -> np.ndarray:
    lane = np.arange(LANES)
    if pattern & QUAD_MODE:
        return _fetch(wave, v, (lane & ~3) + (pattern >> (2 * (lane & 3)) & 3))
    return _fetch(wave, v, (lane & 32) + ((lane & pattern & 31 | pattern >> 5 & 31) ^ pattern >> 10 & 31))


def _expand_swizzle(b: Builder, v: Value, pattern: int) -> Value:
    if pattern & QUAD_MODE:
        return _expand_fetch(b, v, _Source(b, pattern & 0xFF).lane)
    lane = b.lane_id()
    low = b.or_(b.and_(lane, b.const(pattern & 31)), b.const(pattern >> 5 & 31))
    return _expand_fetch(b, v, b.add(b.and_(lane, b.const(32)), b.xor(low, b.const(pattern >> 10 & 31))))


register(Row(
    "amdgpu.ds_swizzle",
    (
        Param("v", WORD, "the value that lanes read from one another"),
        Param("pattern", "const",
            "bit 15 clear: within 32 lanes, source = ((lane & bits 0-4) | bits 5-9) ^ bits 10-14; 0x8000 + "
                                  "quad_perm: within 4 lanes",
              range=(0, QUAD_MODE | 0xFF)),
    ),
    "v", "Each lane reads `v` of another lane by a fixed pattern; zero where that lane is not active.",
    DS_SOURCE, GFX9, _swizzle, CONVERGENT, _expand_swizzle,
    llvm={"amdgpu": Lowering("llvm.amdgcn.ds.swizzle", words=True)},
))  # fmt: skip


def _bpermute(wave: Wave, address: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _fetch(wave, v, address.view(np.uint32).astype(np.int64) // 4 % LANES)


def _expand_bpermute(b: Builder, address: Value, v: Value) -> Value:
    return _expand_fetch(b, v, b.and_(b.shr(b.bitcast(address, u32), b.const(2)), b.const(LANES - 1)))


register(Row(
    "amdgpu.ds_bpermute",
    (Param("address", (i32, u32), "four times the lane to read from; taken modulo 64 "
                                  "lanes"), Param("v", WORD, "the value that lanes read")),
    "v", "Each lane reads `v` of the lane that it names; zero where that lane is not active.",
    DS_SOURCE, GFX9, _bpermute, CONVERGENT, _expand_bpermute,
    llvm={"amdgpu": Lowering("llvm.amdgcn.ds.bpermute", words=True)},
))  # fmt: skip

# -- ballot, mbcnt -----------------------------------------------------------------------------------------------------


def _ballot(wave: Wave, cond: np.ndarray) -> np.ndarray:
    word = np.packbits(wave.active & cond, bitorder="little").view(np.uint64)
    return np.broadcast_to(word, (wave.lanes,)).copy()


register(Row(
    "amdgpu.ballot", (Param("cond", u1, "a condition"),), u64,
    "Bit l is set where lane l is active and its condition holds; the same in every lane.",
    "LLVM, AMDGPUUsage, llvm.amdgcn.ballot", GFX9, _ballot, CONVERGENT,
    lambda b, cond: b.emit("ballot", (cond,), (u64,)).result, llvm={"amdgpu": "llvm.amdgcn.ballot.i64"},
))  # fmt: skip


def _mbcnt(upper: bool) -> Callable[..., np.ndarray]:
    def semantics(wave: Wave, mask: np.ndarray, base: np.ndarray) -> np.ndarray:
        below = np.clip(np.arange(LANES) - 32 * upper, 0, 32).astype(np.uint64)
        bits = mask.view(np.uint32) & ((np.uint64(1) << below) - np.uint64(1)).astype(np.uint32)
        count = np.unpackbits(bits.view(np.uint8)).reshape(LANES, 32).sum(axis=1, dtype=np.uint32)
        return (base.view(np.uint32) + count).view(base.dtype)

    return semantics


def _expand_mbcnt(upper: bool) -> Callable[..., Value]:
    def lower(b: Builder, mask: Value, base: Value) -> Value:
        lane = b.lane_id()
        # Shifts clamp: for 32 and more, 1 << n is 0 and all bits stay.
        below = b.sub(b.same("max", lane, b.const(32)), b.const(32)) if upper else lane
        bits = b.and_(b.bitcast(mask, u32), b.sub(b.shl(b.const(1), below), b.const(1)))
        # H. S. Warren, Hacker's Delight, 5-1: counts of pairs, of fours, of bytes, then their sum.
        bits = b.sub(bits, b.and_(b.shr(bits, b.const(1)), b.const(0x55555555)))
        bits = b.add(b.and_(bits, b.const(0x33333333)), b.and_(b.shr(bits, b.const(2)), b.const(0x33333333)))
        bits = b.and_(b.add(bits, b.shr(bits, b.const(4))), b.const(0x0F0F0F0F))
        count = b.shr(b.mul(bits, b.const(0x01010101)), b.const(24))
        return b.add(base, b.bitcast(count, base.type))

    return lower


for _name, _upper in (("lo", False), ("hi", True)):
    register(Row(
        f"amdgpu.mbcnt_{_name}",
        (Param("mask", (u32, i32), "one bit a lane"), Param("base", (u32, i32), "what is added")),
        "base", f"`base` and the number of bits of `mask` that stand for lower lanes than this one, of lanes "
                f"{'32-63' if _upper else '0-31'}.",
        f"AMD CDNA3 ISA, section 12.10 (VOP2/VOP3), "
        f"V_MBCNT_{_name.upper()}_U32_B32", GFX9, _mbcnt(_upper), frozenset(), _expand_mbcnt(_upper),
        llvm={"amdgpu": f"llvm.amdgcn.mbcnt.{_name}"},
    ))  # fmt: skip
