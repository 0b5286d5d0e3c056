"""Handlers of branches, calls and the ends of lanes. PTX ISA 9.0, 9.7.12, "Control flow"."""

from __future__ import annotations

from avelang.llvm.vectors import Ops
from avelang.nvptx import nodes as n
from avelang.sim.ptx.code import At, Callee, FlatFunction, FlatLabel, FlatVariable, Instr, Mem, Operand, PtxReg
from avelang.sim.ptx.modifiers import Mods, NotExecuted
from avelang.sim.ptx.state import TRAP
from avelang.sim.ptx.translator import Handler, PtxTranslator

CALLS = ("call", "ret")


# -- branches ----------------------------------------------------------------------------------------------------------


def _bra(t: PtxTranslator, i: Instr) -> None:
    m = Mods(i)
    m.take("uni")
    m.done()
    there = t.target(i.operands[0])
    if t.guard:
        t.fork(t.lanes(), there, t.block_at(i.index + 1))
    else:
        t.leave(str(there))


def _brx(t: PtxTranslator, i: Instr) -> None:
    m = Mods(i)
    m.take("idx")
    m.take("uni")
    m.done()
    index, targets = i.operands
    if not isinstance(targets, n.VectorOperand):
        raise NotExecuted("a list of targets is needed")
    o = Ops(t, "i32")
    x, new = t.get(index, 32), t.constant(t.block_at(i.index + 1), 32)
    for k, label in enumerate(targets.items):
        new = o.select(o.cmp("eq", x, k), str(o.lit(t.target(label))), new)  # type: ignore[arg-type]
    if t.guard:
        new = o.select(t.guard, new, t.block_at(i.index + 1))
    t.go(new)


def _exit(t: PtxTranslator, i: Instr) -> None:
    t.vanish(t.lanes())
    if t.guard:
        kept = t.op(f"and i32 {t.active}, {t.op(f'xor i32 {t.lanes()}, -1')}")
        behind = t.constant(t.block_at(i.index + 1), 32)

        def end() -> None:
            t.put_pcs(behind, kept)
            t.do("ret i32 -1")

        t.ending = end
    else:
        t.leave("-1")


def _trap(t: PtxTranslator, i: Instr) -> None:
    t.stop(TRAP)


class Calls:
    """Handlers that know the functions: call, what stands behind it, and ret."""

    def __init__(self, functions: list[FlatFunction], entry: FlatFunction):
        self.functions, self.entry = functions, entry

    def _parts(self, i: Instr) -> tuple[list[Operand], Operand, list[Operand], Operand | None]:
        """(results, the callee, arguments, what an indirect call may reach)."""
        rest = list(i.operands)
        results = list(rest.pop(0).items) if isinstance(rest[0], n.Arguments) else []  # type: ignore[union-attr]
        callee = rest.pop(0)
        args = list(rest.pop(0).items) if rest and isinstance(rest[0], n.Arguments) else []  # type: ignore[union-attr]
        return results, callee, args, rest[0] if rest else None  # type: ignore[return-value]

    def _candidates(self, t: PtxTranslator, callee: Operand) -> list[tuple[FlatFunction, str]]:
        """(function, the lanes that call it as i1 a lane, or "")."""
        if isinstance(callee, Callee):
            return [(self.functions[callee.number], "")]
        bits = t.windows.bits
        if not isinstance(callee, PtxReg) or callee.bits != bits:
            raise NotExecuted(f"a function, or its address in {bits} bits, is needed")
        o, value = Ops(t, f"i{bits}"), t.value(callee)
        first, others = t.windows.functions, [f for f in self.functions if f is not self.entry]
        return [(f, o.cmp("eq", value, first + 16 * f.number)) for f in others]

    def call(self, t: PtxTranslator, i: Instr) -> None:
        """call: arguments are copied, control goes to the function."""
        if i.returned:
            return self._back(t, i)
        m = Mods(i)
        m.take("uni")
        m.done()
        _, callee, args, _ = self._parts(i)
        behind, outer = t.block_at(i.index + 1), t.guard
        o = Ops(t, "i32")
        new = t.constant(t.block_at(i.index + 2), 32)
        for f, lanes in self._candidates(t, callee):
            if len(f.params) != len(args):
                if lanes:
                    continue
                raise NotExecuted(f"`{f.name}` takes {len(f.params)} arguments")
            t.guard = _and(t, outer, lanes)
            for to, value in zip(f.params, args, strict=True):
                _copy(t, to, value)
            t.put(f.back, t.constant(behind, 32))
            entry = t.functions[f.number]
            new = o.select(t.guard, entry, new) if t.guard else t.constant(entry, 32)
        t.guard = outer
        t.go(new)
        return None

    def _back(self, t: PtxTranslator, i: Instr) -> None:
        results, callee, args, _ = self._parts(i)
        outer = t.guard
        for f, lanes in self._candidates(t, callee):
            if len(f.params) != len(args) or len(f.returns) != len(results):
                if lanes:
                    continue
                raise NotExecuted(f"`{f.name}` gives {len(f.returns)} results")
            t.guard = _and(t, outer, lanes)
            for to, value in zip(results, f.returns, strict=True):
                _copy(t, to.variable if isinstance(to, At) else to, At(value) if isinstance(value, FlatVariable)
                    else value)
        t.guard = outer

    def ret(self, t: PtxTranslator, i: Instr) -> None:
        """ret: back to the caller, or the end of the thread."""
        m = Mods(i)
        m.take("uni")
        m.done()
        f = self.functions[i.function]
        if f is self.entry:
            return _exit(t, i)
        o, new = Ops(t, "i32"), t.value(f.back)
        t.go(o.select(t.guard, new, t.block_at(i.index + 1)) if t.guard else new)
        return None


def _and(t: PtxTranslator, a: str, b: str) -> str:
    return t.op(f"and {t.t('i1')} {a}, {b}") if a and b else a or b


def _copy(t: PtxTranslator, to: object, value: Operand) -> None:
    """An argument into a parameter, or a result into its variable: registers, or memory of the lanes."""
    if isinstance(to, PtxReg):
        if isinstance(value, At):
            t.put_addresses(t.address(Mem(value, 0), "local"))
            t.access("local", to.bits, 1, False)
            return t.put(to, t.take_data(0, to.bits))
        return t.set(to, t.get(value, to.bits), to.bits)
    assert isinstance(to, FlatVariable)
    if isinstance(value, PtxReg):
        t.put_data(0, t.value(value), value.bits)
        t.put_addresses(t.address(Mem(At(to), 0), "local"))
        return t.access("local", value.bits, 1, True)
    if isinstance(value, n.Int):
        t.put_data(0, t.constant(value.value, 8 * to.bytes), 8 * to.bytes)
        t.put_addresses(t.address(Mem(At(to), 0), "local"))
        return t.access("local", 8 * to.bytes, 1, True)
    if not isinstance(value, At):
        raise NotExecuted("an argument must be a register, a number or a .param variable")
    if value.variable.bytes != to.bytes:
        raise NotExecuted(f"{value.variable.name} has {value.variable.bytes} bytes, the parameter {to.bytes}")
    step = next(s for s in (8, 4, 2, 1) if s <= t.widest and to.bytes % s == 0 and to.align % s == 0
        and value.variable.align % s == 0)
    for at in range(0, to.bytes, step):
        t.put_addresses(t.address(Mem(value, at), "local"))
        t.access("local", 8 * step, 1, False)
        t.put_addresses(t.address(Mem(At(to), at), "local"))
        t.access("local", 8 * step, 1, True)
    return None


def jumps_to(i: Instr) -> list[FlatLabel]:
    """The labels that a branch names."""
    found = []
    for o in i.operands:
        found += ([o] if isinstance(o, FlatLabel) else [x for x in o.items if isinstance(x, FlatLabel)]
            if isinstance(o, n.VectorOperand) else [])
    return found


TABLE: dict[str, Handler] = {"bra": _bra, "brx": _brx, "exit": _exit, "trap": _trap}
