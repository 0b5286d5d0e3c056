"""The emitter for machines whose threads are lanes: a kernel in phase "addresses" comes in; LLVM IR of one lane's code goes out.

What all GPUs share stands here and in the other `simt_*` files; a `Target` says the rest: ids, shuffles, barriers, rows. A value of the IR is
one LLVM value: vectors are LLVM vectors; f16, bf16 and fp8 are integers of their width until an instruction wants them otherwise.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import avelang.arch as arch
from avelang.base.errors import error
from avelang.emit.llvm.core import Body, Module
from avelang.emit.llvm.cpu_values import elem
from avelang.ir.core import Block, Kernel, Op, Value, walk
from avelang.ir.types import GLOBAL, SHARED, DType, PtrType, TensorType, Type, VecType

POINTER_ALIGN = 16  # bytes: what generated code assumes of every pointer argument; a launch must check it


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """What a GPU emitter gives: LLVM IR `text`, the `entry` symbol, the chip, the extents of the `block`, the bytes of shared memory of a
    block (`shared_bytes`) and how many of them the launch must provide (`dynamic_bytes`), and what every pointer argument must be
    aligned to."""

    text: str
    entry: str
    chip: arch.Chip
    block: tuple[int, int, int]
    shared_bytes: int
    dynamic_bytes: int = 0
    pointer_align: int = POINTER_ALIGN


class Vectors:
    """A writer of element-by-element instructions on vectors of `W` elements (scalars where it is asked for those): what
    `cpu_scalar` and `cpu_float`, which hold the arithmetic of the language, write through."""

    def __init__(self, w: Simt, n: int):
        self.w, self.W, self.module = w, n, w.module

    def t(self, e: str, wide: bool = True) -> str:
        return f"<{self.W} x {e}>" if wide else e

    def op(self, text: str) -> str:
        return self.w.op(text)

    def do(self, text: str) -> None:
        self.w.do(text)

    def splat(self, text: str, e: str) -> str:
        return self.w.splat(text, e, self.W)

    def overload(self, name: str, e: str, wide: bool) -> str:
        letter = LETTERS.get(e, e)
        return f"llvm.{name}.v{self.W}{letter}" if wide else f"llvm.{name}.{letter}"

    def call(self, name: str, result: str, *args: tuple[str, str]) -> str:
        return self.w.call(name, result, *args)


LETTERS = {"float": "f32", "double": "f64", "half": "f16", "bfloat": "bf16"}


class Target:
    """What differs from machine to machine. A method that writes code gets the emission `w`; texts are LLVM values."""

    convention = ""
    spaces: dict[str, int]
    stack_space = 0
    lane_pointers = ""  # suffix of an alloca
    # Floats below 32 bits that `fptrunc` from f32 rounds in an instruction or two.
    native_narrow: frozenset[str] = frozenset({"f16"})
    # Ops on floats below 32 bits that need no detour through f32 and round once: dtype -> names of LLVM types.
    native_fma: frozenset[str] = frozenset({"f16"})

    def __init__(self, chip: arch.Chip):
        self.chip = chip

    def begin(self, w: Simt) -> None:
        """Called before the first op."""

    def attributes(self, w: Simt) -> str:
        raise NotADirectoryError

    def thread_id(self, w: Simt, dim: int) -> str:
        raise NotADirectoryError
