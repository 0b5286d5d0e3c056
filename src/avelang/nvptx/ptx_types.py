"""Types of PTX: the size of each, which registers may hold it, and which targets have a feature. PTX ISA, 5.2 "Types",
9.2 "Type information"."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import NamedTuple


class PtxType(NamedTuple):
    """`kind`: "b" untyped, "u" and "s" integers, "f" floats, "p" predicates, "x" what no register type is made for:
    only untyped ones hold it."""

    bits: int
    kind: str


TYPES: dict[str, PtxType] = {"pred": PtxType(1, "p"),
    **{f"{k}{bits}": PtxType(bits, k) for k in "us" for bits in (8, 16, 32, 64)},
    **{f"b{bits}": PtxType(bits, "b") for bits in (8, 16, 32, 64, 128, 1024)},
    **{f"f{bits}": PtxType(bits, "f") for bits in (16, 32, 64)}, "f16x2": PtxType(32, "f"), "bf16": PtxType(16, "x"),
    "bf16x2": PtxType(32, "x"), "tf32": PtxType(32, "x"),
    **dict.fromkeys(("u16x2", "s16x2", "u8x4", "s8x4", "ue8m0x4", "e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4"),
    PtxType(32, "x")), **dict.fromkeys(("e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "ue8m0x2", "e2m1x4"), PtxType(16, "x")),
    **dict.fromkeys(("e4m3", "e5m2", "e2m1x2"), PtxType(8, "x")), "f32x2": PtxType(64, "x")}  # fmt: skip
REGISTER_VECTORS = ("v2", "v4")  # of registers that are declared
REGISTERS = ("pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16",
    "f16x2", "f32", "f64")


def fits(register: str, wanted: str, wider: bool = False) -> bool:
    """True if a register of type `register` may stand where `wanted` is asked for; `wider`: where larger registers may,
    as in ld, st and cvt."""
    have, want = TYPES.get(register), TYPES[wanted]
    if have is None:
        return True
    if "p" in (have.kind, want.kind):
        return have.kind == want.kind
    if have.bits != want.bits and not (wider and have.bits > want.bits):
        return False
    if have.kind == want.kind == "f":
        return register == wanted  # two halves are no f32, and a float is never widened
    if want.kind == "x":
        return have.kind == "b"
    if register == "f16x2" and want.kind in "su":
        return True  # a pair of halves is a word to instructions of integers
    return "b" in (have.kind, want.kind) or (have.kind == "f") == (want.kind == "f")


# The targets that ptxas 13.0 and 13.5 know, and those of before, with the oldest PTX version that has each (PTX ISA
# 9.0, 11.1.2 ".target"; where the manual has two answers, ptxas's).
KNOWN: dict[str, tuple[int, int]] = {"sm_10": (1, 0), "sm_11": (1, 0), "sm_12": (1, 2), "sm_13": (1, 2),
    "sm_20": (2, 0), "sm_30": (3, 0), "sm_32": (4, 0), "sm_35": (3, 1), "sm_37": (4, 1), "sm_50": (4, 0),
    "sm_52": (4, 1), "sm_53": (4, 2), "sm_60": (5, 0), "sm_61": (5, 0), "sm_62": (5, 0), "sm_70": (6, 0),
    "sm_72": (6, 1), "sm_75": (6, 3), "sm_80": (7, 0), "sm_86": (7, 1), "sm_87": (7, 4), "sm_88": (7, 3),
    "sm_89": (7, 8), "sm_90": (7, 8), "sm_90a": (8, 0), "sm_101": (8, 6), "sm_101a": (8, 6), "sm_101f": (8, 8),
    **{f"sm_{chip}{kind}": version for chip,
    plain in ((100, (8, 6)), (103, (8, 8)), (110, (9, 0)), (120, (8, 7)), (121, (8, 8))) for kind,
    version in (("", plain), ("a", plain), ("f", max(plain, (8, 8))))}}  # fmt: skip
# The last version of each row of them; of the ninth there may be newer ones.
VERSIONS = {1: 5, 2: 3, 3: 2, 4: 3, 5: 1, 6: 5, 7: 8, 8: 8, 9: 9}
# Bytes of static shared memory of a kernel at most; 48 KiB of other targets. Asked of ptxas 13.0.
STATIC_SHARED = {**dict.fromkeys(("sm_90a", "sm_100a", "sm_103a", "sm_110a"), 232448),
    **dict.fromkeys(("sm_120a", "sm_121a"), 101376)}
# bytes at most: static shared memory, constants of a module, parameters of a kernel
SHARED, CONSTANT, PARAMETERS = 49152, 65536, 32764
_RENAMED = {101: 110}  # PTX ISA 9.0, 11.1.2: sm_101 has become sm_110
_TARGET = re.compile(r"sm_(\d+)([af]?)$")


@functools.cache
def target(name: str) -> tuple[int, str]:
    """(90, "a") of "sm_90a". Raises ValueError."""
    m = _TARGET.match(name)
    if m is None:
        raise ValueError(name)
    return _RENAMED.get(int(m[1]), int(m[1])), m[2]


@dataclasses.dataclass(frozen=True, slots=True)
class Need:
    """The oldest PTX version, and the targets of which one must be there: "sm_80" means that or newer, "sm_90a" that
    alone, "sm_100f" the family of sm_100 in its "f" and "a" targets (PTX ISA, 11.1.2 ".target")."""

    ptx: tuple[int, int] = (1, 0)
    targets: tuple[str, ...] = ()

    def met_by(self, chip: str) -> bool:
        """True if that chip has it."""
        return not self.targets or any(covers(t, chip) for t in self.targets)


def covers(needed: str, chip: str) -> bool:
    """True if the target `chip` has what `needed` has."""
    (want, feature), (have, own) = target(needed), target(chip)
    if not feature:
        return have >= want
    if feature == "a":
        return (have, own) == (want, "a")
    return bool(own) and have // 10 == want // 10 and have >= want


@functools.cache
def need(text: str) -> Need:
    """"7.8 sm_90": PTX 7.8, and sm_90 or newer; several targets with spaces between, of which any will do."""
    version, *targets = text.split()
    major, minor = version.split(".")
    return Need((int(major), int(minor)), tuple(targets))
