"""An instruction and a target come in; nothing, or a coded error that says what is wrong with it, goes out.

S202 unknown instruction, S203 unknown or misplaced modifier, S204 modifiers that do not go together, S208 a constant
out of range, T201 number of operands, T202 kind or type of an operand, or the state space of an address, U206 the chip
lacks it, U207 the PTX version is too old. The facts are those of the table. """

from __future__ import annotations

import dataclasses
import difflib
import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping

from avelang.base.errors import AveError, error
from avelang.base.spans import Span
from avelang.nvptx import nodes as n
from avelang.nvptx.forms import HELD, Env, Form, OperandSpec
from avelang.nvptx.printer import operand as text_of
from avelang.nvptx.ptx_types import KNOWN, TYPES, Need, covers, fits
from avelang.nvptx.ranges import out_of_range
from avelang.nvptx.readings import FORMS, Progress, entry_of, in_order, readings
from avelang.nvptx.special_registers import CONSTANTS, SPECIAL

# A register by its name -> its type, or None where it is unknown. Vector registers are "v2.f32".
Types = Callable[[str], str | None]
# A symbol by its name -> its state space, or None where it is unknown: "global", "const", "shared", "local", "entry" (a
# kernel's parameter), "param" (one of a function, or of a call), "code" (a function or a label).
Spaces = Callable[[str], str | None]


# Where an instruction stands, or a function that says where its operand i stands (-1: the instruction itself).
Where = Span | Callable[[int], Span] | None


def _at(span: Where, i: int = -1) -> Span | None:
    return span(i) if callable(span) else span


@dataclasses.dataclass(frozen=True, slots=True)
class PtxTarget:
    """The target of code: a chip such as "sm_90a" and the version of PTX."""

    chip: str
    version: tuple[int, int]


def check(instruction: n.PtxInstruction, target: PtxTarget | None = None, types: Types | None = None,
        span: Where = None, spaces: Spaces | None = None) -> AveError | None:
    """The error of an instruction, or None. Without a target all chips' instructions will do, without `types` all
    registers fit, without `spaces` all symbols."""
    found, progress = readings(instruction.parts)
    if not found:
        return _unread(instruction, progress, span)
    wrong: list[str] = []
    whole: list[tuple[Form, Mapping[str, str]]] = []
    for form, env in found:
        why = form.broken(env)
        if why:
            wrong.append(why)
        else:
            whole.append((form, env))
    if not whole:
        return error("S204", _at(span), name=instruction.name, why=wrong[0])
    best: tuple[int, AveError] | None = None
    fitting: list[tuple[Form, Mapping[str, str]]] = []
    for form, env in whole:
        score, problem = _operands(instruction, form, env, types or _unknown, spaces or _unknown, span)
        if problem is None:
            fitting.append((form, env))
        elif best is None or score > best[0]:
            best = score, problem
    if not fitting:
        assert best is not None
        return best[1]
    for i, v, want in out_of_range(fitting[0][0].entry, instruction):
        return error("S208", _at(span, i), name=instruction.name, number=i + 1, got=v, want=want)
    if target is None:
        return None
    lacking = [_lacking(instruction, form, env, target, span) for form, env in fitting]
    return _special_lacking(instruction, target, span) if None in lacking else lacking[0]


def unread(x: n.PtxInstruction) -> AveError | None:
    """The error of an instruction whose name or modifiers the table does not have, or not together; None where it has
    them."""
    found, progress = readings(x.parts)
    if not found:
        return _unread(x, progress, None)
    why = next((form.broken(env) for form, env in found), "")
    return error("S204", None, name=x.name, why=why) if entry_of(x.parts) is None else None


def _unknown(name: str) -> None:
    """The type of a register, or the space of a symbol, of which nothing is known."""


@functools.lru_cache(maxsize=4096)
def counts(parts: tuple[str, ...]) -> frozenset[int]:
    """The numbers of operands that an instruction of these words may have; none for a call, which has any."""
    forms = [form.present(env) for form, env in readings(parts)[0]]
    if any(specs and specs[0].role == "c" for specs in forms):
        return frozenset()
    return frozenset(len(chosen) for specs in forms for chosen in _choices(specs))


def misplaced(x: n.PtxInstruction, spaces: Spaces) -> str:
    """The reason why variables that addresses name are not in the state space that the instruction reads or writes, or
    ""."""
    found = ""
    for form, env in readings(x.parts)[0]:
        for specs in _choices(form.present(env)):
            if len(specs) == len(x.operands):
                found = next(filter(None, (_space_fault(o, s, env, spaces, form) for s,
                    o in zip(specs, x.operands, strict=True))), "")
                if not found:
                    return ""
    return found


def short_address(x: n.PtxInstruction, types: Types, span: Where = None) -> AveError | None:
    """The error T202 of an address in a register of 32 bits where memory wants 64, in a module whose addresses have 64;
    or None."""
    found = next(((f, e) for f, e in readings(x.parts)[0] if not f.broken(e)), None)
    if found is None or not found[0].entry.has("long") or found[1].get("tensormap"):
        return None
    specs = next((s for s in _choices(found[0].present(found[1])) if len(s) == len(x.operands)), [])
    for i, (spec, have) in enumerate(zip(specs, x.operands, strict=False)):
        space = type_of(spec, found[1])
        if (spec.role == "m" and space in ("", "global") and isinstance(have, n.AddressOperand)
                and isinstance(have.base, n.Register)):
            held = TYPES.get(types(have.base.name) or "")
            if held is not None and held.bits == 32:
                return error("T202", _at(span, i), name=x.name, number=i + 1, got=have.base.name,
                    why=f"an address of 32 bits in {f'.{space}' if space else 'generic'} memory",
                    want="a register of 64 bits, as .address_size says")
    return None


def plain(x: n.PtxInstruction) -> n.PtxInstruction:
    """The instruction as the manual writes it: its words in that order, a single register without braces."""
    parts, operands = in_order(x.parts), x.operands
    own = entry_of(x.parts)
    if (own is not None and own.has("braces")
            and any(isinstance(o, n.VectorOperand) and len(o.items) == 1 for o in operands)):
        operands = tuple(o.items[0] if isinstance(o, n.VectorOperand) and len(o.items) == 1 else o for o in operands)
    return x if parts == x.parts and operands is x.operands else dataclasses.replace(x, parts=parts, operands=operands)


# -- words -------------------------------------------------------------------------------------------------------------


def _close(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, 3, 0.6)
    return ", ".join(near)


def unknown(opcode: str, span: Span | None) -> AveError:
    """The error S202: an opcode that the table does not have."""
    near = _close(opcode, list(FORMS))
    return error("S202", span, name=opcode, hint=f"close to it: {near}" if near else "")


def _unread(x: n.PtxInstruction, progress: Progress, span: Where) -> AveError:
    if x.opcode not in FORMS:
        return unknown(x.opcode, _at(span))
    allowed = [f".{w}" for w in progress.allowed] + (["nothing more"] if progress.end else [])
    behind = ".".join(x.parts[: progress.at + 1])
    shown = ", ".join(allowed[:24]) + (f" and {len(allowed) - 24} more" if len(allowed) > 24 else "")
    if progress.at < len(x.modifiers):
        word = x.modifiers[progress.at]
        near = _close(word, list(progress.allowed))
        hint = f"did you mean .{near.replace(', ', ', .')}? " if near else ""
        return error("S203", _at(span), name=x.name, what=f"`.{word}` does not stand there",
            hint=f"{hint}behind `{behind}` can stand {shown}")
    return error("S203", _at(span), name=x.name, what="something is missing at its end",
        hint=f"behind `{behind}` can stand {shown}")


# -- operands ----------------------------------------------------------------------------------------------------------


def _operands(x: n.PtxInstruction, form: Form, env: Env, types: Types, spaces: Spaces, span: Where) -> tuple[int,
        AveError | None]:
    """How well the operands suit a form (the higher the better), and what is wrong with them."""
    specs = form.present(env)
    if specs and specs[0].role == "c":
        why = _call_fault(x.operands)
        return (0, error("T203", _at(span), name=x.name, why=why)) if why else (1, None)
    best: tuple[int, AveError | None] = (-1, None)
    counts: set[int] = set()
    for chosen in _choices(specs):
        counts.add(len(chosen))
        if len(chosen) != len(x.operands):
            continue
        for i, (spec, have) in enumerate(zip(chosen, x.operands, strict=True)):
            if i == 0 and spec.role == "d" and isinstance(have, n.Sink) and not _discards(form, x):
                return 0, error("T202", _at(span, i), name=x.name, number=1, got="_",
                    why="nothing would keep the result", want=describe(spec, env))
            if form.entry.has("selects"):
                have = _selected(have, form.entry.opcode, i == 0, env, len(x.operands))
            if (form.entry.has("braces") and isinstance(have, n.VectorOperand) and len(have.items) == 1
                    and not count_of(spec, env)):
                have = (have.items[0] if isinstance(have.items[0], (n.Register, n.Sink))
                    and type_of(spec, env) != "pred" else have)
            why = (fault(have, spec, env, types) or _held_fault(have, spec, env, types)
                or _space_fault(have, spec, env, spaces, form))
            if why:
                if i > best[0]:
                    best = i, error("T202", _at(span, i), name=x.name, number=i + 1, got=text_of(have), why=why,
                        want=describe(spec, env))
                break
        else:
            return len(chosen), None
    if best[1] is not None:
        return best
    want = " or ".join(map(str, sorted(counts)))
    order = ", ".join(describe(s, env) for s in specs)
    return -1, error("T201", _at(span), name=x.name, want=want, got=len(x.operands), order=order)


# The parts of a word that video instructions read, by the digit that their names end with. PTX ISA 9.0, 9.7.19.
_PARTS = {"2": re.compile("h[0-3][0-3]"), "4": re.compile("b[0-7]{4}"), "": re.compile("b[0-3]|h[01]")}
_MASKS = {"2": re.compile("h1?0|h1"), "4": re.compile("b(?=.)3?2?1?0?"), "": _PARTS[""]}


def _selected(x: n.Operand, opcode: str, result: bool, env: Env, count: int) -> n.Operand:
    """A register of which a video instruction reads, or writes beside what a fourth operand has, a byte or a half: the
    register; other operands as they are."""
    if not isinstance(x, n.Register) or not x.component:
        return x
    kind = opcode[-1] if opcode[-1].isdigit() else ""
    if result and (count < 4 or env.get("op") or env.get("add") or opcode == "vmad"):
        return x
    return n.Register(x.name) if (_MASKS if result else _PARTS)[kind].fullmatch(x.component) else x


def _discards(form: Form, x: n.PtxInstruction) -> bool:
    """True where `_` may be the destination, which keeps nothing (asked of ptxas 13.5)."""
    return form.entry.has("discards") and not (form.entry.name == "match" and "any" in x.parts)


def _call_fault(operands: tuple[n.Operand, ...]) -> str:
    """Why these are not `(result), function, (arguments), prototype`, of which all but the function may be missing; or
    ""."""
    rest = list(operands)
    if rest and isinstance(rest[0], n.Arguments):
        rest.pop(0)
    if not rest or not isinstance(rest[0], (n.SymbolOperand, n.Register)):
        return "no function"
    indirect = isinstance(rest.pop(0), n.Register)
    if rest and isinstance(rest[0], n.Arguments):
        rest.pop(0)
    if not indirect and rest:
        return "only a call through a register has a .callprototype"
    if indirect and not (rest and isinstance(rest[0], n.SymbolOperand)):
        return "a call through a register needs a .callprototype or .calltargets"
    return ("" if not rest or (len(rest) == 1 and isinstance(rest[0], n.SymbolOperand))
        else "more than a function, its arguments and a prototype")


def _choices(specs: list[OperandSpec]) -> Iterator[list[OperandSpec]]:
    """The lists of operands with optional ones in or out, the longest first."""
    optional = [i for i, s in enumerate(specs) if s.optional]
    for leave in itertools.chain.from_iterable(itertools.combinations(optional, k) for k in range(len(optional) + 1)):
        yield [s for i, s in enumerate(specs) if i not in leave]


def type_of(spec: OperandSpec, env: Env) -> str:
    """The type (or space) that an operand has under these words."""
    return env.get(spec.type[1:-1], "") if spec.type.startswith("<") else spec.type


def count_of(spec: OperandSpec, env: Env) -> int:
    """The number of registers in braces that an operand wants; 0 for one without braces."""
    slot, slash, part = spec.count.strip("<>").partition("/")
    if slash:
        columns = _COLUMNS.match(env[slot])
        return int(columns[1]) // int(part) if columns else 0
    text = env.get(slot, "") if spec.count.startswith("<") else spec.count
    digits = "".join(c for c in text if c.isdigit())
    return int(digits) if digits else 0


_COLUMNS = re.compile(r"m\d+n(\d+)k")
_ROLES = {"d": "a register", "s": "a register or a constant", "r": "a register", "i": "a constant",
    "a": "a register, a constant or a symbol", "p": "a predicate", "l": "a label", "n": "a texture, sampler or surface"}


def describe(spec: OperandSpec, env: Env) -> str:
    """An operand in words."""
    kind, count = type_of(spec, env), count_of(spec, env)
    if spec.role in ("m", "t"):
        where = f"memory of .{kind}" if kind else "memory"
        return f"{where} [map, {{{count} coordinates}}]" if spec.role == "t" else f"{where} [address]"
    if spec.values:
        return "the constant " + " or ".join(spec.values)
    if spec.role in ("p", "l", "n"):
        return _ROLES[spec.role]
    kinds = HELD.get(held_of(spec, env), (kind,))
    kind = " or .".join((", .".join(kinds[:-1]), kinds[-1]) if len(kinds) > 1 else kinds)
    return f"{count} registers of .{kind} in braces" if count else f"{_ROLES[spec.role]} of .{kind}"


def fault(x: n.Operand, spec: OperandSpec, env: Env, types: Types) -> str:
    """The reason why `x` is not the operand that is wanted, or ""."""
    if spec.role in ("m", "t"):
        return _address_fault(x, spec, env, types)
    if isinstance(x, n.Pair):
        if not spec.pair:
            return "no second destination is possible"
        second = _register_fault(x.second, "pred", False, types)
        return second or fault(x.first, dataclasses.replace(spec, pair=False, both=False), env, types)
    if spec.both:
        return "a predicate behind a bar is missing"
    count = count_of(spec, env)
    if count:
        return _vector_fault(x, spec, env, count, types)
    return _scalar_fault(x, spec, type_of(spec, env), types)


def held_of(spec: OperandSpec, env: Env) -> str:
    """The type that the words of a fragment hold under these words of the name, "" where any register will do."""
    return env.get(spec.held[1:-1], "") if spec.held.startswith("<") else spec.held


def _held_fault(x: n.Operand, spec: OperandSpec, env: Env, types: Types) -> str:
    """Why registers of a fragment are not of a type that holds its words, or ""."""
    kinds = HELD.get(held_of(spec, env), ())
    have = [types(leaf.name) for leaf in n.leaves(x) if isinstance(leaf, n.Register)] if kinds else []
    wrong = next((t for t in have if t is not None and t not in kinds), None)
    return f"a register in it is of .{wrong}" if wrong is not None else ""


def _vector_fault(x: n.Operand, spec: OperandSpec, env: Env, count: int, types: Types) -> str:
    kind = type_of(spec, env)
    if isinstance(x, n.Register) and not x.component:
        have = types(x.name)
        if have is None or have == f"v{count}.{kind}":
            return ""
        vector, dot, element = have.partition(".")
        if dot and vector == f"v{count}" and fits(element, kind, spec.wider):
            return ""
        return f"it is one register of .{have}, without braces"
    if isinstance(x, n.SpecialOperand) and spec.role == "a" and not x.component and SPECIAL[x.name].vector:
        return _typed(SPECIAL[x.name].type, kind, spec.wider) if count == 4 else "a vector of four"
    if not isinstance(x, n.VectorOperand):
        return "no list in braces"
    if len(x.items) != count:
        return f"{len(x.items)} in braces"
    have = [t for i in x.items if isinstance(i, n.Register) and (t := TYPES.get(types(i.name) or "")) is not None]
    if spec.wider and len({t.bits for t in have}) > 1:
        return "registers of different sizes"
    floats = kind in TYPES and TYPES[kind].kind == "f"
    if spec.wider and floats and len(have) == count and all(t.kind in "bus" for t in have):
        kind = f"b{TYPES[kind].bits}"  # ptxas loads and stores floats by registers of integers, all of a list alike
    # ptxas takes constants among the registers of a list of integers, such as a fragment of a matrix.
    integers = spec.role == "r" and kind in TYPES and TYPES[kind].kind in "bus"
    taken = n.Int if integers and any(isinstance(i, n.Register) for i in x.items) else ()
    return next(filter(None, (_scalar_fault(i, spec, kind, types) for i in x.items if not isinstance(i, taken))), "")


def _scalar_fault(x: n.Operand, spec: OperandSpec, kind: str, types: Types) -> str:
    role = spec.role
    if role in ("l", "n"):
        if isinstance(x, n.SymbolOperand) or (role == "n" and isinstance(x, (n.Register, n.AddressOperand))):
            return ""
        return "no name"
    if isinstance(x, n.Not):
        return (_register_fault(x.operand, "pred", False, types) if role == "p" or (role == "s" and kind == "pred")
            else "a negated predicate")
    if isinstance(x, n.Register):
        return "a register" if role == "i" else _register_fault(x, kind, spec.wider, types)
    if isinstance(x, n.SpecialOperand):
        if role in ("d", "i"):
            return "a special register, which can only be read"
        if SPECIAL[x.name].vector and x.component not in ("x", "y", "z", "w"):
            return f"a vector of four: {x.name}.x, .y, .z and .w are numbers"
        return _typed(SPECIAL[x.name].type, kind, spec.wider)
    if isinstance(x, n.Sink):
        return "" if role == "d" else "nothing can be read from `_`"
    if isinstance(x, (n.VectorOperand, n.AddressOperand, n.Arguments, n.Pair)):
        return {n.VectorOperand: "a list in braces", n.AddressOperand: "an address", n.Arguments: "a list of arguments",
            n.Pair: "a pair"}[type(x)]
    return _constant_fault(x, spec, kind, types)


def _constant_fault(x: n.Operand, spec: OperandSpec, kind: str, types: Types) -> str:
    role = spec.role
    if isinstance(x, n.SymbolOperand) and x.name not in CONSTANTS:
        address = TYPES[kind].bits >= 32 and TYPES[kind].kind in "bus" if kind in TYPES else True
        return ("" if role == "a" and address else "a name that is no register" if role != "a"
            else f"an address for .{kind}")
    if isinstance(x, (n.Element, n.Apply)):
        return "" if role == "a" else "an address"
    if isinstance(x, n.Binary) and role == "a":
        return ""
    if role in ("d", "r"):
        return "a constant"
    if isinstance(x, n.Float):
        fine = ((kind in ("f32", "f64") and not spec.when) or (kind == "b64" and x.width == 64 and not spec.when)
            or (kind == "b32" and not x.decimal)
            or (x.decimal and kind in ("f16", "bf16")))
        return "" if fine else f"a floating-point constant for .{kind}"
    if kind in TYPES and TYPES[kind].kind in "fx":
        return f"an integer constant for .{kind}"
    if spec.values and isinstance(x, n.Int) and str(x.value) not in spec.values:
        return "another constant"
    return ""


def _register_fault(x: n.Operand, kind: str, wider: bool, types: Types) -> str:
    if isinstance(x, n.Sink):
        return ""
    if not isinstance(x, n.Register):
        return "no register"
    have = types(x.name)
    if have is None:
        return ""
    vector, dot, element = have.partition(".")
    if dot and not x.component:
        return f"a whole vector register of .{vector} .{element}"
    if x.component:
        if not dot:
            return f"one register of .{have}, which has no .{x.component}"
        have = element or have
    return _typed(have, kind, wider)


def _typed(have: str, kind: str, wider: bool) -> str:
    return "" if not kind or fits(have, kind, wider) else f"it is of .{have}"


def _address_fault(x: n.Operand, spec: OperandSpec, env: Env, types: Types) -> str:
    if not isinstance(x, n.AddressOperand):
        return "no address in brackets"
    if isinstance(x.base, n.Register):
        have = types(x.base.name)
        if have is not None and not (fits(have, "u32") or fits(have, "u64")):
            return f"an address in a register of .{have}"
    elif not isinstance(x.base, (n.SymbolOperand, n.Int, n.Unary, n.Binary, n.SpecialOperand)):
        return "no address"
    if spec.role == "t":
        return _coordinates_fault(x, spec, count_of(spec, env), types)
    return "a comma within the address" if x.rest else ""


_IN_WORDS = {"entry": "a parameter of the kernel", "param": "a parameter of a call", "code": "a function or a label"}
_GENERIC = frozenset(("global", "shared", "local"))  # what generic addresses reach by the name of a variable


def _space_fault(x: n.Operand, spec: OperandSpec, env: Env, spaces: Spaces, form: Form) -> str:
    """Why the variable that an address names is not of the state space that the instruction reads or writes, or ""."""
    if spec.role not in ("m", "t") or not isinstance(x, n.AddressOperand):
        return ""
    wanted = type_of(spec, env)
    if isinstance(x.base, n.Int):
        return "" if wanted in ("local", "tmem") else "a number: only .local has addresses that are numbers"
    have = spaces(x.base.name) if isinstance(x.base, n.SymbolOperand) else None
    if have is None or wanted in ("tex", "surf"):
        return ""
    kind, _, _ = wanted.partition("::")
    if spec.role == "t":  # tensor maps lie in global memory to the copies (asked of ptxas 13.0)
        fine = have == "global"
    elif env.get("tensormap"):  # and where it says to `prefetch`
        fine = have in _GENERIC if not kind else have == kind or (kind, have) == ("param", "entry")
    elif kind == "param":
        fine = have == "param" or (have == "entry" and not form.entry.has("write"))
    else:
        fine = have in _GENERIC if not kind else have == kind
    if fine:
        return ""
    instead = (f": ld.param reads "
        f"it{', and what it points to is then read by its value' if kind in ('', 'global') else ''}" if have == "entry"
        else "")
    return f"{x.base.name} is {_IN_WORDS.get(have, f'a variable of .{have}')}{instead}"  # type: ignore[union-attr]


def _coordinates_fault(x: n.AddressOperand, spec: OperandSpec, count: int, types: Types) -> str:
    """Coordinates stand behind a tensor map, or behind a texture and, if wanted, a sampler; textures take those of
    integers and of floats."""
    texture = spec.type in ("tex", "surf")
    if not (len(x.rest) == 1 or (texture and len(x.rest) == 2)):
        return "no coordinates behind the map"
    have = x.rest[-1]
    items = have.items if isinstance(have, n.VectorOperand) else (have,) if texture else ()
    if len(items) != count:
        return f"not {count} coordinates in braces"
    kind = "b32" if texture else "s32"
    return next(filter(None, (_scalar_fault(i, OperandSpec("s", kind), kind, types) for i in items)), "")


# -- targets -----------------------------------------------------------------------------------------------------------


def in_words(needed: tuple[str, ...]) -> str:
    """The targets that have what one of `needed` has: "sm_90 and newer", "sm_90a", "sm_100a, sm_103a and the family
    targets sm_100f, sm_103f"."""
    plain_, families = [t if t[-1] == "a" else f"{t} and newer" for t in needed if t[-1] != "f"], [t for t in needed
        if t[-1] == "f"]
    chips = [t for t in KNOWN if t[-1] == "a" and any(covers(f, t) for f in families)]
    own = " or ".join(filter(None, (*plain_, ", ".join(chips))))
    return own + (f", and their family targets ({', '.join(t[:-1] + 'f' for t in chips)})" if chips else "")


def _special_lacking(x: n.PtxInstruction, target: PtxTarget, span: Where) -> AveError | None:
    """What the target lacks of the special registers that an instruction reads."""
    for i, operand in enumerate(x.operands):
        if isinstance(operand, n.SpecialOperand):
            own = SPECIAL[operand.name]
            error_ = _unmet(operand.name, Need(own.ptx, (f"sm_{own.sm}",) if own.sm else ()), target, span, i)
            if error_ is not None:
                return error_
    return None


def _lacking(x: n.PtxInstruction, form: Form, env: Env, target: PtxTarget, span: Where) -> AveError | None:
    for word, need in form.all_needs(env):
        found = _unmet(f".{word} of {x.name}" if word else x.name, need, target, span)
        if found is not None:
            return found
    return None


def _unmet(what: str, need: Need, target: PtxTarget, span: Where, i: int = -1) -> AveError | None:
    """The error of what needs another chip, or a newer PTX version."""
    if not need.met_by(target.chip):
        return error("U206", _at(span, i), what=what, chip=target.chip, have=in_words(need.targets))
    if need.ptx > target.version:
        return error("U207", _at(span, i), what=what, need="{}.{}".format(*need.ptx),
            have="{}.{}".format(*target.version))
    return None
