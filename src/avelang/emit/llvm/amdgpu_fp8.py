"""8-bit floats by AMD's instructions: values of the chip's own kind come in, f32 goes out, and the other way around.

The instructions do what the language says (rounded to nearest even; out of range infinity where the format has one,
else NaN) while MODE.FP16_OVFL is 0, as kernel descriptors of LLVM leave it; the zero of fnuz has no sign in either.
gfx942 has the fnuz kind and gfx950 the OCP kind; the other one, and all of it on gfx90a, is computed in integers
(`llvm.narrow_floats`). """

from __future__ import annotations

from avelang.arch import Chip
from avelang.emit.llvm.simt import Simt
from avelang.ir.dtypes import DType
from avelang.ir.types import Type, VecType
from avelang.isa.amdgpu.scalar_rows import CVT, kind_on


def name_on(chip: Chip, d: DType) -> str | None:
    """The name by which the chip's instructions call an 8-bit float: "fp8" or "bf8"; None where it has none for it."""
    if not chip.features & CVT:
        return None
    return next((name for name in ("fp8", "bf8") if kind_on(name, chip.features) == d), None)


def narrow(w: Simt, kind: str, t: Type, x: str) -> str:
    """f32 (or a vector of them) as 8-bit floats of type `t`: two at a time, into either half of a word."""
    items = [x]
    if isinstance(t, VecType):
        items = [w.op(f"extractelement <{t.n} x float> {x}, i64 {i}") for i in range(t.n)]
    items += ["0.0"] * (-len(items) % 2)
    words: list[str] = []
    for at in range(0, len(items), 4):
        word = "poison"
        for half, pair in enumerate(zip(items[at : at + 4 : 2], items[at + 1 : at + 4 : 2], strict=True)):
            last = ("i1", "true" if half else "false")
            word = w.call(f"llvm.amdgcn.cvt.pk.{kind}.f32", "i32", *(("float", v) for v in pair), ("i32", word), last)
        words.append(word)
    return w.from_words(words, t)


def widen(w: Simt, kind: str, t: Type, x: str) -> str:
    """8-bit floats of type `t` as f32: two at a time, or one byte of a word."""
    words, n = w.words(x, t), t.n if isinstance(t, VecType) else 1
    items: list[str] = []
    for i in range(0, n - 1, 2):
        half = ("i1", "true" if i % 4 else "false")
        pair = w.call(f"llvm.amdgcn.cvt.pk.f32.{kind}", "<2 x float>", ("i32", words[i // 4]), half)
        items += [w.op(f"extractelement <2 x float> {pair}, i64 {k}") for k in (0, 1)]
    if n % 2:
        items.append(w.call(f"llvm.amdgcn.cvt.f32.{kind}", "float", ("i32", words[n // 4]), ("i32", str((n - 1) % 4))))
    return w.vector(items, "float") if isinstance(t, VecType) else items[0]
