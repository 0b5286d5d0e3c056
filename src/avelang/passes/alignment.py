"""Alignment: loads and stores that promise an element's alignment come in; they promise all that can be proven when
they go out.

Expects and ensures phase "addresses". What pointers are aligned to comes from allocations and from the launch contract
on arguments; what offsets are multiples of, from constants, products, sums and what loops carry.

The contract is 16 bytes, and less for arguments that `narrow` of the kernel names, as long as only loads, stores and
atomics of elements read or write by them: any other instruction wants all 16."""

from __future__ import annotations

from collections.abc import Mapping

from avelang.ir.core import Block, Kernel, Op, Value
from avelang.ir.types import DType, PtrType, TensorType

WIDEST = 16  # bytes of the widest access of one lane
_MOST = 64  # a multiple of 2**64: zero


def alignment(kernel: Kernel, pointers: int = WIDEST) -> None:
    """Raises `align` of every `ld` and `st`. `pointers`: what pointer and array arguments are aligned to, in bytes; a
    launch must check it, and so what the kernel gets as `aligned`: for arguments that may be less, how much they are;
    `whole`: for others of which that was wanted, what forbids it."""
    narrow, whole = dict[str, int](), dict[str, str]()
    for word in kernel.attrs.get("narrow", "").split():
        name, _, least = word.partition("=")
        found, why = _needed(kernel, name, int(least))
        if why:
            whole[name] = why
        else:
            narrow[name] = found
    if narrow or whole:
        kernel.attrs.update(aligned=narrow, whole=whole)
    _Alignment(kernel, pointers, narrow).run()


def zeros(x: int) -> int:
    """The number of low bits of an integer that are zero."""
    return min((x & -x).bit_length() - 1, _MOST) if x else _MOST


# Ops on pointers that promise nothing of their alignment, or say what they promise.
_ATOMICS = ("atomic", "atomic_add")
_PLAIN = frozenset({"ld", "st", "base", "ptr_add", "select", "cmp", "if", "for", "while", "view", "make_tensor"})


def _needed(kernel: Kernel, name: str, least: int) -> tuple[int, str]:
    """The alignment that an argument must have beside `least`, by the elements that are read and written by it; or the
    first op that may want all of 16 bytes."""
    derived = {p for p in kernel.params if p.name == name}

    def visit(block: Block) -> str:
        nonlocal least
        for op in block.ops:
            touched = any(v in derived for v in op.operands)
            if touched:
                if op.name in _ATOMICS and isinstance(op.result.type, DType):
                    least = max(least, op.result.type.bytes)
                elif op.name not in _PLAIN and not op.defn.terminator:
                    return op.name
                least = max(least, op.attrs["align"] if op.name in ("ld", "st") else 1)
            if touched or op.regions:  # a region may carry it on: which of its values, is not looked at
                carried = [a for r in op.regions for a in r.args]
                derived.update(v for v in (*op.results, *carried) if isinstance(v.type, (PtrType, TensorType)))
            for region in op.regions:
                if found := visit(region):
                    return found
        return ""

    why = visit(kernel.body)
    return least, why


class _Alignment:
    """`known`: for each integer or pointer, how many low bits are zero. Optimistic: what a loop carries starts as a
    multiple of everything and loses bits until nothing changes."""

    def __init__(self, kernel: Kernel, pointers: int, narrow: Mapping[str, int]):
        self.kernel = kernel
        self.known: dict[Value, int] = {
            p: 0 if isinstance(p.type, DType) else zeros(narrow.get(p.name, pointers)) for p in kernel.params
        }
        self.changed = True

    def run(self) -> None:
        while self.changed:
            self.changed = False
            self.block(self.kernel.body)
        self.apply(self.kernel.body)

    def apply(self, block: Block) -> None:
        for op in block.ops:
            if op.name in ("ld", "st"):
                proven = min(map(self.of, op.operands[-2:]))
                op.attrs["align"] = max(op.attrs["align"], min(1 << proven, WIDEST))
            for region in op.regions:
                self.apply(region)

    def of(self, v: Value) -> int:
        return self.known.get(v, 0)

    def set(self, v: Value, bits: int) -> None:
        # An integer that is zero modulo its own width is zero.
        bits = _MOST if isinstance(v.type, DType) and bits >= v.type.bits else bits
        old = self.known.get(v)
        if old is None or bits < old:
            self.known[v] = bits
            self.changed = True

    def block(self, block: Block) -> None:
        for op in block.ops:
            rule = getattr(self, "on_" + op.name, None)
            if rule is not None:
                rule(op)
            elif len(op.results) == 1 and isinstance(op.result.type, (DType, PtrType)):
                self.set(op.result, self.bits(op))

    # -- values -------------------------------------------------------------------------------------------------------

    def bits(self, op: Op) -> int:
        """Zero bits of the result of a plain op on scalars."""
        if not all(isinstance(v.type, (DType, PtrType, TensorType))
                   for v in op.operands) or not isinstance(op.result.type, (DType, PtrType)):
            return 0
        xs = [self.of(v) for v in op.operands]
        amount = self.constant(op, 1)
        match op.name:
            case "const":
                return zeros(op.attrs["value"]) if isinstance(op.attrs["value"], int) else 0
            case "add" | "sub" | "or" | "xor" | "min" | "max" | "rem" | "mod" | "ptr_add":
                return min(xs)
            case "and":
                return max(xs)
            case "mul":
                return min(sum(xs), _MOST)
            case "shl":
                return min(xs[0] + (amount or 0), _MOST)
            case "shr":
                return max(xs[0] - amount, 0) if amount is not None and amount >= 0 else 0
            case "div" | "floordiv":
                by = zeros(amount) if amount else 0
                return xs[0] - by if amount and amount == 1 << by and xs[0] >= by else 0
            case "select":
                return min(xs[1:])
            case "convert" | "bitcast" | "neg" | "ptr_int" | "int_ptr":
                return 0 if isinstance(op.operands[0].type, DType) and not op.operands[0].type.is_int else xs[0]
            case "base":
                return self.allocation(op.operands[0])
        return 0

    def allocation(self, tensor: Value) -> int:
        """Of an argument the contract, of an allocation what it asked for."""
        if tensor in self.known:
            return self.known[tensor]
        op = tensor.op
        return zeros(op.attrs.get("align", 1)) if op is not None and op.name == "alloc" else 0

    def constant(self, op: Op, i: int) -> int | None:
        d = op.operands[i].op if len(op.operands) > i else None
        value = d.attrs["value"] if d is not None and d.name == "const" else None
        return value if isinstance(value, int) else None

    # -- control flow -------------------------------------------------------------------------------------------------

    def pass_on(self, targets: list[Value], sources: list[Value]) -> None:
        for t, s in zip(targets, sources, strict=True):
            # Nothing is known yet of what a later op in the loop defines: a multiple of everything, until the next
            # round.
            self.set(t, self.known.get(s, _MOST))

    def on_if(self, op: Op) -> None:
        for region in op.regions:
            self.block(region)
        for i, r in enumerate(op.results):
            self.set(r, min(self.of(region.terminator.operands[i]) for region in op.regions))

    def on_for(self, op: Op) -> None:
        body = op.regions[0]
        self.set(body.args[0], min(self.of(op.operands[0]), self.of(op.operands[2])))
        for sources in (op.operands[3:], body.terminator.operands):
            self.pass_on(body.args[1:], sources)
            self.pass_on(op.results, sources)
        self.block(body)

    def on_while(self, op: Op) -> None:
        test, body = op.regions
        for sources in (op.operands, body.terminator.operands):
            self.pass_on(test.args, sources)
        self.block(test)
        for targets in (body.args, op.results):
            self.pass_on(targets, test.terminator.operands[1:])
        self.block(body)
