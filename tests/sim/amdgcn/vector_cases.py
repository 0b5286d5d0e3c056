"""Vector instructions come in with what they should compute, in Python's exact numbers; what the executor computes is
held against that.

Each case runs on 512 lanes with operands that differ by lane, edge values among them, and with some lanes switched off,
which must keep what their registers held.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import struct
import subprocess
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
from tests.tools import assembler

from avelang.amdgcn.asm import EXEC, parse
from avelang.sim.amdgcn.machine import AmdMachine, DispatchParams

HEAD = """
	.amdgcn_target "amdgcn-amd-amdhsa--{chip}"
	.amdhsa_kernel test
		.amdhsa_float_denorm_mode_32 {denormals}
		.amdhsa_ieee_mode {ieee}
	.end_amdhsa_kernel
	.text
test:
"""
WAVES, LANES = 8, 64
ACTIVE = 0xFFFF_0FFF_FFFF_FFF5
FIRST_RESULT = 40
# Registers with several floats: of which format, how many.
PARTS = {"h32": ("f16", 2), "n32": ("f32", 2), "p64": ("f32", 2)}
FORMATS = {"f16": (16, 10, "<e", "<H"), "f32": (32, 23, "<f", "<I"), "f64": (64, 52, "<d", "<Q")}


@dataclasses.dataclass(frozen=True)
class Case:
    """`name` computes `meaning(*sources)` on kinds such as "f32 f32 i32". `text`: its assembly, {d} the destination,
    {a}, {b}, {c} the sources. `result`: the kind of the result; `ulps`: how far from `meaning` a float may lie; `old`:
    the destination's old value is the last argument. The result "h16" is a float in the lower half of a register whose
    upper half stays."""

    name: str
    sources: str
    result: str
    meaning: Callable[..., object]
    text: str = ""
    ulps: int = 0
    old: bool = False
    draw: str = ""  # other operands than usual, see `SPECIAL`

    @property
    def assembly(self) -> str:
        return self.text or f"{self.name} " + ", ".join(["{d}", *("{a}", "{b}", "{c}")[: len(self.sources.split())]])


# -- numbers -----------------------------------------------------------------------------------------------------------


def to_float(pattern: int, kind: str) -> float:
    """A pattern's number; a signaling NaN reads as a NaN."""
    _, _, f, i = FORMATS[kind]
    return struct.unpack(f, struct.pack(i, pattern))[0]


def to_pattern(x: float, kind: str) -> int:
    """The pattern of a number that the format has."""
    _, _, f, i = FORMATS[kind]
    return struct.unpack(i, struct.pack(f, x))[0]


def rounded(q: Fraction, kind: str, negative_zero: bool = False) -> float:
    """The number of a format nearest to q, ties to even."""
    bits, mantissa, _, _ = FORMATS[kind]
    if q == 0:
        return -0.0 if negative_zero else 0.0
    bias = (1 << bits - mantissa - 2) - 1
    a = abs(q)
    e = a.numerator.bit_length() - a.denominator.bit_length()
    e -= a < Fraction(2) ** e
    e = max(e, 1 - bias)
    step = Fraction(2) ** (e - mantissa)
    n = round(a / step)  # Python rounds halves to even
    value = n * step
    out = math.inf if value >= Fraction(2) ** (bias + 1) else float(value)
    return -out if q < 0 else out


def is_nan(pattern: int, kind: str) -> bool:
    bits, mantissa, _, _ = FORMATS[kind]
    return pattern & ((1 << bits - 1) - 1) > ((1 << bits - 1 - mantissa) - 1) << mantissa


def _edges(kind: str) -> list[int]:
    bits = int(kind[1:])
    if kind[0] != "f":
        near = [
            0, 1, 2, 3, 7, 8, 15, 16, 23, 24, 31, 32, 33, 63, 64, 127, 128, 255, 0x0C0B0908, 0x0D0F0A01, 0x80808080,
            0x7F7F7F7F,
        ]  # fmt: skip
        ends = [(1 << n) + d for n in (15, 16, 23, 24, 31, 32, 63) for d in (-1, 0, 1)]
        return [x & (1 << bits) - 1 for x in [*near, *ends, *(-x for x in near)]]
    _, mantissa, _, _ = FORMATS[kind]
    bias = (1 << bits - mantissa - 2) - 1
    one, infinity = bias << mantissa, (2 * bias + 1) << mantissa
    positive = [
        0, 1, 2, (1 << mantissa) - 1, 1 << mantissa, (1 << mantissa) + 1, one - 1, one, one + 1, one - (1 << mantissa),
        one + (1 << mantissa), infinity - 1,
        infinity, infinity | 1 << mantissa - 1, infinity | 1, one + (3 << mantissa - 1), infinity - (1 << mantissa),
        one + (5 << mantissa) + 12345 % (1 << mantissa),
    ]  # fmt: skip
    whole = [to_pattern(float(x), kind) for x in (2.5, 3.5, 100.25, 255.5, 256, 32767, 32768, 65504)]
    if bits > 16:
        whole += [
            to_pattern(float(x), kind)
            for x in (2.0**24 + 2, 2.0**31, 2.0**31 - 128, 2.0**32, 2.0**32 - 256, 65535.5, 2.0**63)
        ]
    return [x | s for x in positive + whole for s in (0, 1 << bits - 1)]


def special(how: str, kind: str, rng: np.random.Generator, n: int) -> np.ndarray:
    """Patterns for cases that ask for them. "small": integers of the size of exponents; "numbers": no NaN; "division":
    numbers of all exponents, so that quotients over- and underflow."""
    bits = 16 if kind[1:] == "16" else 64 if kind[1:] == "64" else 32
    if kind[0] != "f":
        span = {16: 60, 32: 2300, 64: 2300}[bits]
        limit = np.where(rng.random(n) < 0.5, span, min(span, 300))
        return (rng.integers(-limit, limit + 1) & ((1 << bits) - 1)).astype(np.uint64)
    if how == "division":
        _, mantissa, _, _ = FORMATS[kind]
        top = (1 << bits - 1 - mantissa) - 2
        ends = rng.choice(np.array([0, 1, 2, top - 2, top - 1, top], np.uint64), n)
        wild = rng.integers(0, (1 << bits) - 1, n, np.uint64, endpoint=True)
        rest = wild & np.uint64(~((top + 1) << mantissa) & (1 << bits) - 1)
        return np.where(rng.random(n) < 0.3, rest | ends << np.uint64(mantissa), wild)
    out = draw(kind, rng, n)
    return np.array([0x3C00 if is_nan(int(x), kind) else int(x) for x in out], np.uint64) if how == "numbers" else out


def draw(kind: str, rng: np.random.Generator, n: int) -> np.ndarray:
    """Patterns of a kind: edge values in half of the lanes, in the others random patterns, of floats mostly near 1."""
    bits = int(kind[1:]) if int(kind[1:]) in (16, 64) else 32
    edges = np.array(_edges(f"{kind[0]}{bits}"), np.uint64)
    wild = (
        rng.integers(0, 1 << 64, n, np.uint64, endpoint=False)
        if bits == 64
        else rng.integers(0, 1 << bits, n, np.uint64)
    )
    if kind[0] == "f":
        near = rng.standard_normal(n) * np.exp2(rng.integers(-6, 7, n))
        tame = near.astype({16: np.float16, 32: np.float32, 64: np.float64}[bits]).view(
            {16: np.uint16, 32: np.uint32, 64: np.uint64}[bits]
        )
        wild = np.where(rng.random(n) < 0.3, wild, tame.astype(np.uint64))
    return np.where(rng.random(n) < 0.5, edges[rng.integers(0, len(edges), n)], wild)


def value(pattern: int, kind: str) -> object:
    """What a rule's meaning gets: an int with or without sign, or a float's pattern as `Bits`."""
    bits = int(kind[1:])
    pattern &= (1 << bits) - 1
    if kind[0] == "i":
        return pattern - (pattern >> bits - 1 << bits)
    return pattern


# -- runs --------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class _Placed:
    case: Case
    sources: list[np.ndarray]
    first: int  # of the result
    count: int
    text: str


def _name(first: int, count: int) -> str:
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


def _words(kind: str) -> int:
    return max(1, int(kind[1:]) // 32)


class Batch:
    """Cases in one program. Sources stand in v0 to v39, drawn for each batch and kind; results from v40 on."""

    def __init__(self, cases: Iterable[Case], chip: str, seed: int, denormals: int = 3, ieee: int = 1):
        self.chip, self.head = chip, HEAD.format(chip=chip, denormals=denormals, ieee=ieee)
        rng = np.random.default_rng(seed)
        self.vectors = rng.integers(0, 1 << 32, (WAVES, 512, LANES), np.uint32)
        self.pool: dict[tuple[str, int, str], tuple[int, np.ndarray]] = {}
        self.rng, self.next, self.free = rng, FIRST_RESULT, 0
        self.placed = [self._place(c) for c in cases]

    def _source(self, kind: str, n: int, how: str) -> tuple[int, np.ndarray]:
        key = (kind, n, how)
        if key not in self.pool:
            count = _words(kind)
            first = self.free + self.free % count if count < 3 else -(-self.free // 4) * 4
            assert first + count <= FIRST_RESULT, "too many kinds in one batch"
            patterns = self._patterns(kind, WAVES * LANES, how).reshape(WAVES, LANES, -1)
            for k in range(count):
                self.vectors[:, first + k] = (patterns[:, :, k // 2] >> np.uint64(32 * (k % 2))).astype(np.uint32)
            self.free = first + count
            self.pool[key] = first, patterns.reshape(WAVES * LANES, -1)
        return self.pool[key]

    def _patterns(self, kind: str, n: int, how: str) -> np.ndarray:
        if kind in PARTS:
            part, count = PARTS[kind]
            pieces = [draw(part, self.rng, n) for _ in range(count)]
            if part == "f32" and kind == "n32":
                pieces = [x >> np.uint64(16) for x in pieces]
            return functools.reduce(lambda x, y: x << np.uint64({"h32": 16, "n32": 16, "p64": 32}[kind]) | y, pieces)
        if kind == "b128":
            return self.rng.integers(0, 1 << 63, (n, 2), np.uint64)
        out = special(how, kind, self.rng, n) if how else draw(kind, self.rng, n)
        # What lies above 16 bits must not matter.
        return out | self.rng.integers(0, 1 << 16, n, np.uint64) << np.uint64(16) if kind[1:] == "16" else out

    def _place(self, case: Case) -> _Placed:
        places = [self._source(kind, n, case.draw) for n, kind in enumerate(case.sources.split())]
        names = [_name(first, _words(kind)) for (first, _), kind in zip(places, case.sources.split(), strict=True)]
        count = _words(case.result)
        first = -(-self.next // count) * count if count < 3 else -(-self.next // 2) * 2
        self.next = first + count
        assert self.next <= 256, "too many cases in one batch"
        text = case.assembly.format(d=_name(first, count), **dict(zip("abc", names, strict=False)))
        return _Placed(case, [p for _, p in places], first, count, text)

    @property
    def text(self) -> str:
        return "\n".join(f"\t{line.strip()}" for p in self.placed for line in p.text.split("\n"))

    def run(self) -> np.ndarray:
        """The vector registers at the end, (waves, 512, 64)."""
        machine = AmdMachine(parse(self.head + self.text + "\n\ts_endpgm\n", "cases"))
        scalars = {EXEC: ACTIVE & 0xFFFFFFFF, EXEC + 1: ACTIVE >> 32}
        launch = DispatchParams((1, 1, 1), (WAVES * LANES, 1, 1), b"", [], vectors=self.vectors, scalars=scalars)
        return machine.launch(launch).vectors

    def check(self) -> list[str]:
        """What is wrong, a line for each case."""
        found, bad = self.run(), []
        for p in self.placed:
            got, was = (_together(x[:, p.first : p.first + p.count]) for x in (found, self.vectors))
            lines = []
            for n in range(WAVES * LANES):
                if not ACTIVE >> n % LANES & 1:
                    if got[n] != was[n]:
                        lines.append(f"lane {n} was off and changed")
                    continue
                if text := self._wrong(p, n, got[n], was[n]):
                    lines.append(text)
            if lines:
                bad.append(f"{p.text}: {len(lines)} lanes, such as {lines[0]}")
        return bad

    @staticmethod
    def _wrong(p: _Placed, n: int, got: int, was: int) -> str:
        c = p.case
        args = [
            value(sum(int(w) << 64 * k for k, w in enumerate(np.atleast_1d(x[n]))), kind)
            for x, kind in zip(p.sources, c.sources.split(), strict=True)
        ]
        want = c.meaning(*args, *([was] if c.old else []))
        bits = max(32, int(c.result[1:]))
        if c.result == "h16":  # a half of the register, the other keeps its value
            assert isinstance(want, int)
            if got >> 16 != was >> 16 or not (
                got & 0xFFFF == want or is_nan(want, "f16") and is_nan(got & 0xFFFF, "f16")
            ):
                return _said(args, got, f"{was >> 16:#x} above {want:#x}")
            return ""
        if c.result[0] == "f":
            assert isinstance(want, int)
            if is_nan(want, c.result):
                return "" if is_nan(got, c.result) else _said(args, got, "NaN")
            if c.ulps and not is_nan(got, c.result) and abs(_rank(want, c.result) - _rank(got, c.result)) <= c.ulps:
                return ""
        want = int(want) & (1 << bits) - 1  # type: ignore[call-overload]
        return "" if got == want else _said(args, got, f"{want:#x}")


def _rank(pattern: int, kind: str) -> int:
    sign = 1 << int(kind[1:]) - 1
    return -(pattern & sign - 1) if pattern & sign else pattern


def _said(args: list[object], got: int, want: str) -> str:
    return f"{', '.join(f'{a:#x}' for a in args)}: got {got:#x}, not {want}"


def _together(words: np.ndarray) -> list[int]:
    flat = words.transpose(0, 2, 1).reshape(WAVES * LANES, -1)
    return [sum(int(w) << 32 * k for k, w in enumerate(lane)) for lane in flat]


def batches(cases: list[Case], size: int = 60) -> list[list[Case]]:
    return [cases[n : n + size] for n in range(0, len(cases), size)]


def assembles(text: str, chip: str) -> str:
    """What llvm-mc says about the text, nothing where it is legal."""
    return subprocess.run(assembler(chip), input=text, capture_output=True, text=True).stderr
