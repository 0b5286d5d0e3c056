"""Uniformity: a kernel specialized to a block comes in; `Value.uniform` is set on what all active lanes of a wave hold
alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from avelang.ir.core import Block, Kernel, Op, Value
from avelang.ir.types import LOCAL, PtrType
from avelang.isa.row import ROWS

_NEVER = frozenset({"lane_id", "shuffle", "atomic_add", "atomic"})
_ALWAYS = frozenset({"amdgpu.readfirstlane"})


def uniformity(kernel: Kernel, varying: Iterable[Value] = ()) -> None:
    """Marks values. Optimistic: everything starts uniform and what depends on the lane is struck out until nothing
    changes. `varying`: params of a kernel that is a function, which differ from lane to lane.

    A value that is uniform inside divergent control flow is the same for the lanes that are active there.
    """
    _Uniformity(kernel, set(varying)).run()


class _Uniformity:
    def __init__(self, kernel: Kernel, varying: set[Value]):
        self.kernel = kernel
        self.varying = varying
        self.changed = True
        bx, by, bz = kernel.attrs["block"]
        wave = kernel.attrs["wave"]
        # thread_id along a dimension is the same in a wave when the extents below it fill whole waves.
        self.rows_of_waves = bx % wave == 0 or by == bz == 1
        self.thread_uniform = (bx * by * bz == 1 or bx == 1, bx % wave == 0 or by == 1, bx * by % wave == 0 or bz == 1)

    def run(self) -> None:
        while self.changed:
            self.changed = False
            self.block(self.kernel.body, False)
        self.set(self.kernel.body)
        for p in self.kernel.params:
            p.uniform = p not in self.varying

    def set(self, block: Block) -> None:
        for op in block.ops:
            for v in op.results:
                v.uniform = v not in self.varying
            for region in op.regions:
                for v in region.args:
                    v.uniform = v not in self.varying
                self.set(region)

    def strike(self, v: Value, because: bool) -> None:
        if because and v not in self.varying:
            self.varying.add(v)
            self.changed = True

    def varies(self, values: list[Value]) -> bool:
        return any(v in self.varying for v in values)

    def block(self, block: Block, divergent: bool) -> None:
        for op in block.ops:
            rule = _RULES.get(op.name)
            if rule is not None:
                rule(self, op, divergent)
            elif op.results and op.name not in _ALWAYS:
                self.strike(op.result, self.varies(op.operands) or op.name in _NEVER or op.name in ROWS)

    def on_thread_id(self, op: Op, divergent: bool) -> None:
        self.strike(op.result, not self.thread_uniform[op.attrs["dim"]])

    def on_shr(self, op: Op, divergent: bool) -> None:
        self.strike(op.result, self.varies(op.operands) and not self.wave_number(op, lambda n: 1 << n if n >= 0 else 0))

    def on_div(self, op: Op, divergent: bool) -> None:
        self.strike(op.result, self.varies(op.operands) and not self.wave_number(op, int))

    def wave_number(self, op: Op, divisor: Callable[[int], int]) -> bool:
        """True if this divides thread_id(0) by a multiple of the wave, where lanes of a wave are neighbors along x."""
        source, by = op.operands[0].op, op.operands[1].op
        while source is not None and source.name == "convert":
            source = source.operands[0].op
        if source is None or source.name != "thread_id" or source.attrs["dim"] != 0 or by is None or by.name != "const":
            return False
        amount = by.attrs["value"]
        wave = self.kernel.attrs["wave"]
        return self.rows_of_waves and isinstance(amount, int) and divisor(amount) > 0 and divisor(amount) % wave == 0

    def on_ld(self, op: Op, divergent: bool) -> None:
        # Local memory is each lane's own: its contents vary, whatever the address.
        ptr = op.operands[0].type
        self.strike(op.result, self.varies(op.operands) or (isinstance(ptr, PtrType) and ptr.space == LOCAL))

    def on_if(self, op: Op, divergent: bool) -> None:
        inside = divergent or self.varies(op.operands)
        for region in op.regions:
            self.block(region, inside)
        for i, r in enumerate(op.results):
            self.strike(r, self.varies([op.operands[0], *(region.terminator.operands[i] for region in op.regions)]))

    def on_for(self, op: Op, divergent: bool) -> None:
        bounds = self.varies(op.operands[:3])
        body = op.regions[0]
        self.strike(body.args[0], bounds)
        for i, (arg, r) in enumerate(zip(body.args[1:], op.results, strict=True)):
            carried = bounds or self.varies([op.operands[3 + i], body.terminator.operands[i]])
            self.strike(arg, carried)
            self.strike(r, carried)
        self.block(body, divergent or bounds)

    def on_while(self, op: Op, divergent: bool) -> None:
        test, body = op.regions
        cond = test.terminator.operands
        split = self.varies(cond[:1])
        for i, r in enumerate(op.results):
            carried = split or self.varies([op.operands[i], body.terminator.operands[i]])
            self.strike(test.args[i], carried)
            passed = split or self.varies([cond[1 + i]])
            self.strike(body.args[i], passed)
            self.strike(r, passed)
        self.block(test, divergent or split)
        self.block(body, divergent or split)


_RULES: dict[str, Callable[[_Uniformity, Op, bool], None]] = {
    "thread_id": _Uniformity.on_thread_id,
    "shr": _Uniformity.on_shr,
    "div": _Uniformity.on_div,
    "floordiv": _Uniformity.on_div,
    "ld": _Uniformity.on_ld,
    "if": _Uniformity.on_if,
    "for": _Uniformity.on_for,
    "while": _Uniformity.on_while,
}
