"""A module of PTX and the name of an entry come in; flat code goes out: instructions one after another, whose
registers, variables and labels are found.

The entry and the functions that it calls are laid one behind the other, those that are called first. There is no
recursion, so the registers and parameters of a function have one place each. """

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from avelang.base.errors import AveError, error
from avelang.nvptx import nodes as n
from avelang.nvptx.check import misplaced, plain, unread
from avelang.nvptx.forms import Entry, entry
from avelang.nvptx.printer import instruction
from avelang.nvptx.readings import entry_of
from avelang.nvptx.special_registers import CONSTANTS
from avelang.sim.ptx.constants import fold
from avelang.sim.ptx.state import GRID_BYTES, GRID_POINTER, REGISTERS, WINDOWS, Windows

_TENSOR_LOAD = entry("tcgen05.ld")
BITS = {"pred": 1, **{f"{k}{b}": b for k in "bus" for b in (8, 16, 32, 64)}, "b128": 128, "f16": 16, "bf16": 16,
    "f32": 32, "f64": 64, "f16x2": 32, "bf16x2": 32, "tf32": 32, "e4m3": 8, "e5m2": 8, "e4m3x2": 16, "e5m2x2": 16,
    "e4m3x4": 32, "e5m2x4": 32, "e2m1x2": 8, "e2m3x2": 16, "e3m2x2": 16, "ue8m0x2": 16, "u16x2": 32, "s16x2": 32,
    "f32x2": 64}  # fmt: skip
# Of variables whose state space is certain: parameters of functions lie in .local here.
_SPACES = {"global": "global", "const": "const", "shared": "shared", "param": "entry"}


@dataclasses.dataclass(slots=True, eq=False)
class PtxReg:
    """A register: its type, the bits of a lane, and where it stands in the warp's memory."""

    name: str
    type: str
    bits: int
    place: int

    def __str__(self) -> str:
        return self.name


@dataclasses.dataclass(slots=True, eq=False)
class FlatVariable:
    """A variable: `offset` is in its space's memory (the module's memory for global and const)."""

    name: str
    space: str
    type: str
    bytes: int
    align: int
    init: n.Initializer | None = None
    offset: int = -1
    dynamic: bool = False

    def __str__(self) -> str:
        return self.name


@dataclasses.dataclass(slots=True, eq=False)
class FlatLabel:
    """A label; `index` is that of the instruction behind it."""

    name: str
    index: int = -1

    def __str__(self) -> str:
        return self.name


@dataclasses.dataclass(slots=True, eq=False)
class Callee:
    """A function that is called, or whose address is taken: `number` is its place among the functions, -1 for one of
    the host's."""

    name: str
    number: int = -1


@dataclasses.dataclass(frozen=True, slots=True)
class At:
    """The address of a variable and an offset: a constant of the launch."""

    variable: FlatVariable
    offset: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Mem:
    """[base + offset]: `base` is a register, an `At`, or an Int; `rest` as in `nodes.Address`."""

    base: Operand
    offset: int
    rest: tuple[Operand, ...] = ()


Operand = (
    PtxReg | At | FlatLabel | Callee | Mem | n.SpecialOperand | n.Int | n.Float | n.VectorOperand | n.Not
    | n.Pair | n.Sink | n.Arguments | n.Targets | n.Prototype
)  # fmt: skip


@dataclasses.dataclass(slots=True, eq=False)
class Instr:
    """An instruction of flat code. `node` is the parsed one; `entry` its line of the table; `operands` are found;
    `guard` is (register, negated). `returned`: it is no instruction of the text, but stands behind a call, whose
    results it fetches."""

    node: n.PtxInstruction
    entry: Entry
    operands: tuple[Operand, ...]
    guard: tuple[PtxReg, bool] | None
    function: int = -1
    index: int = -1
    returned: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The opcode and the modifiers."""
        return self.node.parts

    @property
    def name(self) -> str:
        """The opcode and the modifiers, with dots."""
        return self.node.name

    def registers(self) -> Iterator[PtxReg]:
        """All registers among the operands, the guard's too."""
        if self.guard:
            yield self.guard[0]
        yield from registers_of(self.operands)


def registers_of(operands: Sequence[object]) -> Iterator[PtxReg]:
    """All registers in operands."""
    for o in operands:
        if isinstance(o, PtxReg):
            yield o
        elif isinstance(o, Mem):
            yield from registers_of((o.base, *o.rest))
        elif isinstance(o, (n.VectorOperand, n.Arguments)):
            yield from registers_of(o.items)
        elif isinstance(o, n.Not):
            yield from registers_of((o.operand,))
        elif isinstance(o, n.Pair):
            yield from registers_of((o.first, o.second))


def items_of(o: object) -> list[Any]:
    """The operands in braces; of one without braces, it alone."""
    return list(o.items) if isinstance(o, n.VectorOperand) else [o]


def held_by(o: object) -> tuple[PtxReg, ...]:
    """The registers of a vector."""
    return tuple(registers_of(o.items)) if isinstance(o, n.VectorOperand) else ()


@dataclasses.dataclass(slots=True)
class FlatFunction:
    """A function of flat code: its range of instructions, parameters, and the register that holds where its callers go
    on."""

    name: str
    node: n.PtxFunction
    number: int
    params: list[FlatVariable | PtxReg]
    returns: list[FlatVariable | PtxReg]
    back: PtxReg
    first: int = 0
    end: int = 0
    calls: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class FlatCode:
    """Flat code: `functions` in their order, the entry last; `bytes` of the warp's registers; sizes of memory."""

    entry: FlatFunction
    functions: list[FlatFunction]
    instructions: list[Instr]
    params: list[FlatVariable]
    variables: list[FlatVariable]  # of the module: global and const
    warp_bytes: int
    shared_bytes: int = 0
    local_bytes: int = 0
    param_bytes: int = 0
    module_bytes: int = 0
    carry: PtxReg | None = None
    windows: Windows = WINDOWS[64]
    # By the registers of an accumulator or of tcgen05.ld: how many products of wgmma, or loads, that write them run.
    running: dict[tuple[PtxReg, ...], PtxReg] = dataclasses.field(default_factory=dict)
    # By the registers of an accumulator or of A: whether they have been written since the last wgmma.fence, in code
    # that is watched.
    unfenced: dict[tuple[PtxReg, ...], PtxReg] = dataclasses.field(default_factory=dict)


def size_of(v: n.PtxVariable) -> tuple[int, bool]:
    """(bytes of a variable, whether its extent is open)."""
    count, opened = 1, False
    for d in v.dims:
        opened |= d is None
        count *= d.value if d is not None else 1
    element = BITS.get(v.type, 0) * {"": 1, "v2": 2, "v4": 4, "v8": 8}[v.vector] // 8
    if not element:
        raise error("X030", what=f"the variable `{v.name}`", why=f".{v.type} variables are not executed here")
    if opened and v.init is not None:
        opened, count = False, len(v.init) if isinstance(v.init, tuple) else 1
    return (0 if opened else element * count), opened


def _align(at: int, to: int) -> int:
    return -(-at // to) * to


class Flattener:
    """Lays out an entry and what it calls."""

    def __init__(self, module: n.PtxModule, entry: n.PtxFunction):
        self.module, self.entry = module, entry
        self.place = REGISTERS
        self.shared: list[FlatVariable] = []
        self.local, self.param_end = 0, 0
        self.globals: dict[str, FlatVariable] = {}
        self.nodes = {v.name: v for v in module.items if isinstance(v, n.PtxVariable)}
        self.aliases = {a.name: a.of for a in module.items if isinstance(a, n.Alias)}
        self.functions: dict[str, FlatFunction] = {}
        self.order: list[FlatFunction] = []
        self.code: dict[str, list[Instr]] = {}
        self.callees: dict[str, Callee] = {}
        self.taken: list[str] = []

    # -- registers and variables ---------------------------------------------------------------------------------------

    def register(self, name: str, kind: str) -> PtxReg:
        """A register with a place in the warp's memory."""
        bits = BITS.get(kind)
        if bits is None:
            raise error("X030", what=f"the register `{name}`", why=f".{kind} registers are not executed here")
        size = 4 if bits == 1 else 4 * bits
        self.place = _align(self.place, 64 if bits > 1 else 4)
        self.place += size
        return PtxReg(name, kind, bits, self.place - size)

    def variable(self, v: n.PtxVariable, space: str) -> FlatVariable:
        """Finds room for a variable, where its space is laid out here."""
        nbytes, opened = size_of(v)
        natural = max(1, BITS[v.type] * {"": 1, "v2": 2, "v4": 4, "v8": 8}[v.vector] // 8)
        made = FlatVariable(v.name, space, v.type, nbytes, v.align or natural, v.init, dynamic=opened)
        if space == "shared":
            self.shared.append(made)
        elif space == "local":
            made.offset = self.local = _align(self.local, made.align)
            self.local += nbytes
        elif space == "param":
            made.offset = self.param_end = _align(self.param_end, made.align)
            self.param_end += nbytes
        return made

    def module_variable(self, name: str) -> FlatVariable | None:
        """The variable of the module of this name, or None."""
        node = self.nodes.get(name)
        if node is None:
            return None
        if name not in self.globals:
            self.globals[name] = self.variable(node, node.space)
        return self.globals[name]

    def callee(self, name: str) -> Callee | None:
        """The function of this name, or None."""
        name = self.aliases.get(name, name)
        node = self.module.function(name)
        if node is None:
            return None
        return self.callees.setdefault(name, Callee(name))

    # -- functions -----------------------------------------------------------------------------------------------------

    def function(self, node: n.PtxFunction, above: tuple[str, ...] = ()) -> FlatFunction:
        """Lays out a function behind those that it calls."""
        if node.name in above:
            raise error("X030", what=f"the function `{node.name}`", why="it calls itself, perhaps through others: "
                "recursion is not executed here")
        if node.name in self.functions:
            return self.functions[node.name]
        is_entry = node is self.entry
        space = "param" if is_entry else "local"
        names: dict[str, object] = {}

        def declared(v: n.PtxVariable) -> FlatVariable | PtxReg:
            names[v.name] = made = self.register(v.name, v.type) if v.space == "reg" else self.variable(v, space)
            return made

        returns, params = [declared(v) for v in node.returns or ()], [declared(v) for v in node.params or ()]
        made = FlatFunction(node.name, node, -1, params, returns, self.register(f"(return of {node.name})", "b32"))
        instructions: list[Instr] = []
        self._body(node.body or (), [names], instructions, made)
        end = n.PtxInstruction(("ret",), line=instructions[-1].node.line if instructions else node.line)
        instructions.append(Instr(end, entry("ret"), (), None))  # a body may end without one
        self.functions[node.name] = made
        for name in made.calls:
            below = self.module.function(name)
            if below is not None and below.body is not None:
                self.function(below, (*above, node.name))
        made.number = len(self.order)
        self.order.append(made)
        self.code[node.name] = instructions
        return made

    def _body(self, body: Sequence[n.Statement], scopes: list[dict[str, object]], out: list[Instr],
            f: FlatFunction) -> None:
        names: dict[str, object] = {}
        scopes = [*scopes, names]
        for s in body:
            if isinstance(s, n.LabelMark):
                names[s.name] = FlatLabel(s.name)
            elif isinstance(s, (n.Targets, n.Prototype)):
                names[s.label] = s
        for s in body:
            if isinstance(s, n.RegisterDecl):
                width = {"": 1, "v2": 2, "v4": 4, "v8": 8}[s.vector]
                for declared in s.names:
                    for name in declared.names():
                        regs = [self.register(name, s.type) for _ in range(width)]
                        names[name] = regs if s.vector else regs[0]
            elif isinstance(s, n.PtxVariable):
                names[s.name] = self.variable(s, "local" if s.space == "param" else s.space)
                if s.space in ("global", "const"):
                    self.globals[f"{f.name}/{s.name}"] = names[s.name]  # type: ignore[assignment]
            elif isinstance(s, n.LabelMark):
                label = names[s.name]
                assert isinstance(label, FlatLabel)
                label.index = len(out)  # within the function; moved when functions are laid behind one another
            elif isinstance(s, n.PtxBlock):
                self._body(s.body, scopes, out, f)
            elif isinstance(s, n.PtxInstruction):
                out.append(self._instruction(s, scopes, f))
                last = out[-1]
                if (last.entry.has("call") and not any(isinstance(o, Callee) and self._foreign(o)
                        for o in last.operands)):
                    out.append(Instr(last.node, last.entry, last.operands, None, returned=True))

    def _foreign(self, callee: Callee) -> bool:
        """Whether a function has no body here."""
        node = self.module.function(callee.name)
        return node is None or node.body is None

    def _instruction(self, s: n.PtxInstruction, scopes: list[dict[str, object]], f: FlatFunction) -> Instr:
        s = plain(s)
        find = _Finder(self, scopes, s, f)
        own = entry_of(s.parts)
        if s.opcode == "cvta" and s.parts[-1] == "u32" and self.module.address_size == 32:
            own = entry("cvta")  # no assembler of today takes it, so the table does not have it
        if own is None:
            unknown = unread(s)
            assert unknown is not None
            raise find.wrong(unknown.message)
        guard = None
        if s.guard is not None:
            reg = find(s.guard.register)
            if not isinstance(reg, PtxReg) or reg.bits != 1:
                raise find.wrong(f"{s.guard.register.name} is no predicate")
            guard = (reg, s.guard.negated)
        operands = tuple(find(o) for o in s.operands)
        spaces: dict[str, str | None] = {}
        for node, o in zip(s.operands, operands, strict=True):
            if (isinstance(o, Mem) and isinstance(o.base, At) and isinstance(node, n.AddressOperand)
                    and isinstance(node.base, n.SymbolOperand)):
                spaces[node.base.name] = _SPACES.get(o.base.variable.space)
        why = misplaced(s, spaces.get) if spaces else ""
        if why:
            raise find.wrong(why)
        return Instr(s, own, operands, guard)

    # -- the whole -----------------------------------------------------------------------------------------------------

    def code_of(self) -> FlatCode:
        """The flat code: functions behind one another, with places for all variables."""
        entry = self.function(self.entry)
        self._follow_initializers()
        for name in self.taken:  # not called by name, perhaps by address; the list grows meanwhile
            node = self.module.function(name)
            if node is not None and node.body is not None and name not in self.functions:
                self.function(node, (self.entry.name,))
                self._follow_initializers()
        self.order.sort(key=lambda f: f is entry)
        instructions: list[Instr] = []
        for number, f in enumerate(self.order):
            f.number, f.first = number, len(instructions)
            own = self.code[f.name]
            moved: set[int] = set()
            for i in own:
                i.function = number
                for label in _labels(i.operands):
                    if id(label) not in moved:
                        moved.add(id(label))
                        label.index += f.first
            instructions += own
            f.end = len(instructions)
        for index, i in enumerate(instructions):
            i.index = index
        for name, callee in self.callees.items():
            if name in self.functions:
                callee.number = self.functions[name].number
        carry = self.register("CC.CF", "pred")
        products = [i for i in instructions if i.entry.group == "wgmma" and i.entry.has("async")]
        loads = [i for i in instructions if i.entry is _TENSOR_LOAD]
        accumulators = dict.fromkeys(tuple(registers_of(i.operands[:1])) for i in (*products, *loads))
        running = {key: self.register("running", "pred") for key in accumulators}
        held = dict.fromkeys(held_by(o) for i in products for o in i.operands[:2] if held_by(o))
        unfenced = {key: self.register("unfenced", "pred") for key in held}
        params = [p for p in entry.params if isinstance(p, FlatVariable)]
        code = FlatCode(entry, self.order, instructions, params, [], _align(self.place, 64), carry=carry,
            running=running, unfenced=unfenced, windows=WINDOWS[self.module.address_size or 64])
        self._lay(code)
        return code

    def _lay(self, code: FlatCode) -> None:
        """Places of shared variables, open ones behind all others; and of the module's."""
        at = 0
        for v in (v for v in self.shared if not v.dynamic):
            v.offset = at = _align(at, v.align)
            at += v.bytes
        opened = [v for v in self.shared if v.dynamic]
        if opened:
            at = _align(at, max([16, *(v.align for v in opened)]))
        for v in opened:
            v.offset = at
        code.shared_bytes, code.local_bytes, code.param_bytes = at, _align(self.local, 16), _align(self.param_end, 16)
        code.variables = [v for v in self.globals.values() if v.space in ("global", "const")]
        operands = (o for i in code.instructions for o in i.operands if isinstance(o, n.SpecialOperand))
        end = GRID_BYTES if any(o.name in GRID_POINTER for o in operands) else 0
        for v in code.variables:
            v.offset = end = _align(end, max(v.align, 16))
            end += v.bytes
        code.module_bytes = end

    def _follow_initializers(self) -> None:
        """Variables that are named by initializers only have a place too, and functions an address: tables of
        functions."""
        work = list(self.globals.values())
        while work:
            for name in _names(work.pop().init):
                if name in self.nodes and name not in self.globals:
                    found = self.module_variable(name)
                    assert found is not None
                    work.append(found)
                elif self.module.function(name) is not None and name not in self.taken:
                    self.taken.append(name)


def _names(init: object) -> Iterator[str]:
    if isinstance(init, tuple):
        for part in init:
            yield from _names(part)
    elif isinstance(init, n.SymbolOperand):
        yield init.name
    elif dataclasses.is_dataclass(init) and not isinstance(init, (n.Int, n.Float)):
        for field in dataclasses.fields(init):
            yield from _names(getattr(init, field.name))


def _labels(operands: Sequence[object]) -> Iterator[FlatLabel]:
    for o in operands:
        if isinstance(o, FlatLabel):
            yield o
        elif isinstance(o, n.VectorOperand):
            yield from _labels(o.items)


class _Finder:
    """Finds what the operands of one instruction name."""

    def __init__(self, flat: Flattener, scopes: list[dict[str, object]], s: n.PtxInstruction, f: FlatFunction):
        self.flat, self.scopes, self.instruction, self.function = flat, scopes, s, f

    def wrong(self, why: str) -> AveError:
        return error("X031", kernel=self.flat.entry.name, text=instruction(self.instruction),
            where=f"line {self.instruction.line}", why=why, hint="`ave ptx lint` says what is wrong with a text")

    def name(self, name: str) -> object:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def __call__(self, o: n.Operand) -> Operand:  # type: ignore[return]
        if isinstance(o, n.Register):
            return self.register(o)
        if isinstance(o, n.SymbolOperand):
            return self.symbol(o.name)
        if isinstance(o, n.AddressOperand):
            return self.address(o)
        if isinstance(o, (n.VectorOperand, n.Arguments)):
            return type(o)(tuple(self(x) for x in o.items))  # type: ignore[arg-type]
        if isinstance(o, n.Not):
            return n.Not(self(o.operand))  # type: ignore[arg-type]
        if isinstance(o, n.Pair):
            return n.Pair(self(o.first), self(o.second))  # type: ignore[arg-type]
        if isinstance(o, (n.SpecialOperand, n.Sink, n.Int, n.Float)):
            return o
        if isinstance(o, n.Binary) and o.op in "+-" and isinstance(o.left, n.SymbolOperand):
            base = self.symbol(o.left.name)
            if isinstance(base, At):
                return At(base.variable, base.offset + (fold(o.right) if o.op == "+" else -fold(o.right)))
        if isinstance(o, n.Element):
            base = self.symbol(o.array)
            if isinstance(base, At):
                return At(base.variable, base.offset + fold(o.index) * BITS[base.variable.type] // 8)
        if isinstance(o, (n.Unary, n.Binary, n.Ternary)):
            if isinstance(o, n.Unary) and isinstance(o.operand, n.Float):
                bits = o.operand.bits ^ (1 << o.operand.width - 1) if o.op == "-" else o.operand.bits
                return n.Float(bits, o.operand.width)
            return n.Int(fold(o))
        raise self.wrong(f"an operand of this kind ({type(o).__name__}) is not executed here")

    def register(self, o: n.Register) -> Operand:
        found = self.name(o.name)
        if isinstance(found, list):
            if not o.component:
                return n.VectorOperand(tuple(found))
            letters = "xyzw" if o.component in "xyzw" else "rgba"
            if o.component in letters and letters.index(o.component) < len(found):
                return found[letters.index(o.component)]
            raise self.wrong(f"{o.name} has no component .{o.component}")
        if isinstance(found, PtxReg) and not o.component:
            return found
        raise self.wrong(f"there is no register {o.name}" if found is None else f"{o.name} is no vector")

    def symbol(self, name: str) -> Operand:
        if name in CONSTANTS:
            return n.Int(CONSTANTS[name])
        found = self.name(name)
        if isinstance(found, FlatVariable):
            return At(found)
        if isinstance(found, list):
            return n.VectorOperand(tuple(found))
        if isinstance(found, (PtxReg, FlatLabel, n.Targets, n.Prototype)):
            return self.targets(found) if isinstance(found, n.Targets) else found
        variable = self.flat.module_variable(name)
        if variable is not None:
            return At(variable)
        callee = self.flat.callee(name)
        if callee is not None:
            self.function.calls.append(callee.name)
            called = next((o for o in self.instruction.operands if not isinstance(o, n.Arguments)), None)
            own = entry_of(self.instruction.parts)
            if own is None or not own.has("call") or called != n.SymbolOperand(name):
                self.flat.taken.append(callee.name)
            return callee
        raise self.wrong(f"there is no `{name}`")

    def targets(self, found: n.Targets) -> Operand:
        """The list of a brx.idx as labels; that of an indirect call as it is."""
        if found.kind != "branchtargets":
            for name in found.names:
                self.symbol(name)
            return found
        return n.VectorOperand(tuple(self.symbol(x) for x in found.names))  # type: ignore[arg-type]

    def address(self, o: n.AddressOperand) -> Mem:
        base = self(o.base)
        offset = fold(o.offset) if o.offset is not None else 0
        rest = tuple(self(x) for x in o.rest)
        if isinstance(base, At):
            base, offset = At(base.variable), base.offset + offset
        return Mem(base, offset, rest)


def flatten(module: n.PtxModule, entry: str | None) -> FlatCode:
    """The code of an entry (not needed where the module has one). Raises X030, X031."""
    entries = {f.name: f for f in module.functions() if f.kind == "entry" and f.body is not None}
    if entry is None and len(entries) == 1:
        entry = next(iter(entries))
    if entry not in entries:
        what = "the module" if entry is None else f"entry `{entry}`"
        raise error("X030", what=what, why=f"the entries of the module are {', '.join(entries) or 'none'}")
    flat = Flattener(module, entries[entry])
    flat.function(entries[entry])
    return flat.code_of()


def required(f: n.PtxFunction) -> Mapping[str, tuple[int, ...]]:
    """The launch that the entry's directives ask for: reqntid, maxntid, reqnctapercluster, each as three numbers."""
    out = {}
    for d in f.directives:
        if d.name in ("reqntid", "maxntid", "reqnctapercluster"):
            values = [fold(v) for v in d.values if not isinstance(v, str)]
            out[d.name] = tuple([*values, 1, 1][:3])
    return out
