"""Handlers of loads, stores, atomic operations and what goes with them. PTX ISA 9.0, 9.7.9, "Data movement", and
9.7.13, "Parallel synchronization"."""

from __future__ import annotations

import avelang.sim.ptx.atomics as atomics
import avelang.sim.ptx.memory_text as memory_text
import avelang.sim.ptx.watch_text as watch_text
from avelang.nvptx import nodes as n
from avelang.sim.ptx.code import BITS, At, Instr, Mem, PtxReg
from avelang.sim.ptx.modifiers import Mods, NotExecuted
from avelang.sim.ptx.translator import Handler, PtxTranslator

SPACES = {"global": "global", "shared": "shared", "shared::cta": "shared", "shared::cluster": "shared::cluster",
    "local": "local", "const": "global", "param": "param", "param::entry": "param", "param::func": "param"}  # fmt: skip
# What order and caches mean is nothing here: accesses happen one after another, in the order of the code.
HINTS = ("weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio", "ca", "cg", "cs", "lu", "cv",
    "wb", "wt", "nc", "unified", "cta", "cluster", "gpu", "sys")  # fmt: skip
CACHE = ("L1::", "L2::")
VECTORS = {"v2": 2, "v4": 4, "v8": 8}


def _hints(m: Mods) -> bool:
    """Takes the modifiers that change nothing here. Whether there is a cache policy, which is one more operand."""
    for hint in HINTS:
        m.take(hint)
    policy = "L2::cache_hint" in m.left
    m.left = [x for x in m.left if not x.startswith(CACHE)]
    return policy


class _AccessForm:
    """The space, type and vector of a load or store."""

    def __init__(self, i: Instr, mem: object):
        m = Mods(i)
        self.policy = _hints(m)
        found = m.take(*SPACES)
        self.space = SPACES[found] if found else "generic"
        self.window = {"const": "module", "param": "params", "param::entry": "params"}.get(found, "")
        self.count = VECTORS.get(m.take(*VECTORS), 1)
        self.kind = m.type()
        m.done()
        self.bits = BITS[self.kind]
        if not isinstance(mem, Mem):
            raise NotExecuted("an address in brackets is needed")
        self.mem = mem
        if self.space == "param":
            base = mem.base
            if not isinstance(base, At) and not isinstance(base, PtxReg):
                raise NotExecuted("a parameter is needed")
            # Parameters of functions stand with the local variables; a register holds a parameter's address on this
            # machine.
            self.space = "local" if isinstance(base, At) and base.variable.space == "local" else "global"
        if isinstance(mem.base, At) and self.space == "generic":
            self.space = {"param": "global", "const": "global"}.get(mem.base.variable.space, mem.base.variable.space)

    def items(self, o: object) -> list[object]:
        if self.count == 1:
            return [o]
        if not isinstance(o, n.VectorOperand) or len(o.items) != self.count:
            raise NotExecuted(f"{self.count} registers in braces are needed")
        return list(o.items)


def _uniform(t: PtxTranslator, a: _AccessForm) -> list[str] | None:
    """Values of a kernel's parameter, which are the same in all lanes and always there."""
    base = a.mem.base
    if not isinstance(base, At) or base.variable.space != "param":
        return None
    first = base.offset + a.mem.offset
    if not 0 <= first <= base.variable.bytes - a.bits // 8 * a.count:
        raise NotExecuted(f"it reads beyond the parameter {base.variable.name}")
    whole = t.word("params", 0, 64)
    place = t.op(f"inttoptr i64 {t.op(f'add i64 {whole}, {base.variable.offset + first}')} to ptr")
    out = []
    for k in range(a.count):
        at = t.op(f"getelementptr i{a.bits}, ptr {place}, i64 {k}") if k else place
        out.append(t.splat(t.op(f"load i{a.bits}, ptr {at}, align 1"), f"i{a.bits}"))
    return out


def _partly(t: PtxTranslator, a: _AccessForm, read: list[int]) -> list[str]:
    """A vector of which the program uses some elements only: the others may be anywhere. LLVM loads more than there is
    where the address of a vector is a multiple of its size, as what follows in that piece of memory, and behind the
    last array of shared memory, is never out of a GPU's reach."""
    x, size = t.address(a.mem, a.space, a.window), a.bits // 8
    t.put_addresses(x)
    low = t.op(f"and {t.t('i64')} {x}, {t.constant(size * a.count - 1, 64)}")
    crooked = t.bits_of(t.op(f"icmp ne {t.t('i64')} {low}, {t.constant(0, 64)}"))
    name, text = memory_text.access(a.space, a.bits, a.count, False, t.checked, t.watched)
    status = t.op(f"call i32 @{t.helper(name, lambda: text)}(ptr %w, ptr %g, i32 "
        f"{t.op(f'and i32 {crooked}, {t.lanes()}')})")
    t.stop_if(t.op(f"icmp ne i32 {status}, 0"))
    values = [t.constant(0, a.bits)] * a.count
    for k in read:
        t.put_addresses(t.op(f"add {t.t('i64')} {x}, {t.constant(k * size, 64)}") if k else x)
        t.access(a.space, a.bits, 1, False)
        values[k] = t.take_data(0, a.bits)
    return values


def _load(t: PtxTranslator, i: Instr) -> None:
    a = _AccessForm(i, i.operands[1])
    values = _uniform(t, a)
    read = [k for k, o in enumerate(a.items(i.operands[0])) if not isinstance(o, n.Sink) and o not in t.unread]
    if values is None and a.space != "param" and 0 < len(read) < a.count:
        values = _partly(t, a, read)
    if values is None:
        t.put_addresses(t.address(a.mem, a.space, a.window))
        t.access(a.space, a.bits, a.count, False)
        values = [t.take_data(k, a.bits) for k in range(a.count)]
    for o, x in zip(a.items(i.operands[0]), values, strict=True):
        t.set(o, x, a.bits, wider="s" if a.kind[0] == "s" else "z")  # type: ignore[arg-type]


def _store(t: PtxTranslator, i: Instr) -> None:
    a = _AccessForm(i, i.operands[0])
    for k, o in enumerate(a.items(i.operands[1])):
        t.put_data(k, t.get(o, a.bits, wider=True, kind=a.kind[0]), a.bits)  # type: ignore[arg-type]
    t.put_addresses(t.address(a.mem, a.space))
    t.access(a.space, a.bits, a.count, True)


# -- atomic operations -------------------------------------------------------------------------------------------------

OPERATIONS = ("and", "or", "xor", "exch", "add", "inc", "dec", "min", "max", "cas")
KINDS = {"and": ("b32", "b64"), "or": ("b32", "b64"), "xor": ("b32", "b64"), "exch": ("b32", "b64", "b128"),
    "cas": ("b16", "b32", "b64", "b128"), "add": ("u32", "s32", "u64", "s64", "f32", "f64", "f16", "f16x2", "bf16",
    "bf16x2"), "inc": ("u32",), "dec": ("u32",), **dict.fromkeys(("min", "max"), ("u32", "s32", "u64", "s64", "f16",
    "f16x2", "bf16", "bf16x2"))}  # fmt: skip


def _atomic(t: PtxTranslator, i: Instr) -> None:
    """atom gives back what stood there, red does not."""
    m = Mods(i)
    policy = _hints(m)
    found = m.take(*SPACES)
    space, op = SPACES[found] if found else "generic", m.take(*OPERATIONS)
    m.take("noftz")
    count = VECTORS.get(m.take(*VECTORS), 1)
    kind = m.type()
    m.done()
    operands = list(i.operands[: -1 if policy else None])
    to = operands.pop(0) if not isinstance(operands[0], Mem) else n.Sink()
    mem, *values = operands
    if kind not in KINDS.get(op, ()) or space in ("param", "local") or not isinstance(mem, Mem):
        raise NotExecuted(f"there is no {op or 'operation'} of .{kind} in this space")
    made = atomics.atomic(space, op, kind, BITS[kind], count, t.watched)
    if made is None or len(values) != (2 if op == "cas" else 1):
        raise NotExecuted("this form is not executed here")
    bits, k = BITS[kind], 0
    for v in values:
        for part in v.items if isinstance(v, n.VectorOperand) and count > 1 else (v,):
            t.put_data(k, t.get(part, bits, kind=kind[0]), bits)  # type: ignore[arg-type]
            k += 1
    t.put_addresses(t.address(mem, space))
    t.note(watch_text.ATOM, BITS[kind] // 8 * count)
    for name, text in atomics.HELPERS.items():
        if f"@{name}(" in made[1]:
            t.module.functions.setdefault(name, text)
    t.run(t.helper(made[0], lambda: made[1]))
    t.updates(space, bits, count, k)
    parts = to.items if isinstance(to, n.VectorOperand) and count > 1 else (to,)
    for k, o in enumerate(parts):
        if not isinstance(o, n.Sink):
            t.set(o, t.take_data(k, bits), bits)  # type: ignore[arg-type]


# -- what changes nothing here -----------------------------------------------------------------------------------------


def _nothing(t: PtxTranslator, i: Instr) -> None:
    """Fences and hints: memory is one, and accesses happen in the order of the code."""
    if i.entry.has("fence"):
        t.note(watch_text.FENCE)


def _alloca(t: PtxTranslator, i: Instr) -> None:
    raise NotExecuted("the stack cannot grow while the kernel runs")


def _created(t: PtxTranslator, i: Instr) -> None:
    """createpolicy: a cache policy, which means nothing here."""
    t.set(i.operands[0], t.constant(0, 64), 64)


_ORDERING = ("membar", "membar.proxy", "fence", "fence.proxy", "prefetch", "prefetchu", "discard", "applypriority",
    "pmevent", "griddepcontrol.wait", "griddepcontrol.launch_dependents")  # fmt: skip
TABLE: dict[str, Handler] = {
    **dict.fromkeys(("ld", "ldu"), _load),
    "st": _store,
    **dict.fromkeys(("atom", "red"), _atomic),
    **dict.fromkeys(_ORDERING, _nothing),
    "createpolicy": _created,
    "alloca": _alloca,
}
