"""The registers of a function come in; names that say what they hold go out: parameters, thread and block ids,
addresses, counters, accumulators, comparisons. For `ave ptx to-python --readable`.

A name is that of the first instruction that writes the register; registers of one name and type are one list, in the
order in which they are written. Names are for people: what they say is read off the instructions, not proved."""

from __future__ import annotations

import re

from avelang.nvptx import nodes as n
from avelang.nvptx.ptx_types import REGISTERS
from avelang.nvptx.renamed import declared
from avelang.nvptx.special_registers import SPECIAL

# Instructions whose first operand is no register that they write.
_NO_RESULT = frozenset({
    "st", "red", "bra", "brx", "call", "ret", "exit", "bar", "barrier", "membar", "fence", "cp", "prefetch",
    "prefetchu", "stmatrix", "trap", "brkpt", "nanosleep", "setmaxnreg", "griddepcontrol", "discard", "sust",
    "sured", "tcgen05",
    "applypriority", "pmevent", "multimem",
})  # fmt: skip
_NOUNS = {
    "add": "total", "sub": "diff", "mul": "product", "mul24": "product", "mad": "index", "fma": "fma",
    "div": "quotient",
    "rem": "rest", "and": "masked", "or": "merged", "xor": "mixed", "not": "inverse", "shl": "shifted",
    "shr": "shifted",
    "shf": "shifted", "selp": "picked", "min": "least", "max": "most", "neg": "negative", "abs": "size", "ex2": "exp2",
    "lg2": "log2", "rcp": "reciprocal", "sqrt": "root", "rsqrt": "inverse_root", "sin": "sine", "cos": "cosine",
    "tanh": "tanh", "atom": "before", "shfl": "other_lane", "vote": "votes", "match": "matching", "popc": "ones",
    "clz": "leading_zeros", "bfe": "field", "bfi": "merged", "bfind": "highest_bit", "brev": "reversed_bits",
    "prmt": "permuted", "lop3": "logic", "ldmatrix": "fragment", "mma": "acc", "wmma": "acc", "wgmma": "acc",
    "activemask": "active", "set": "flag", "slct": "picked", "sad": "distance", "dp4a": "dot", "dp2a": "dot",
    "mapa": "mapped", "isspacep": "is_there", "testp": "is_number", "elect": "elected", "redux": "reduced",
    "tex": "texel", "createpolicy": "policy", "mbarrier": "state", "alloca": "stack",
}  # fmt: skip
_COUNTERS = "ijmnuvw"
_LONGEST = 28
_IN_A_ROW = 4  # names in a declaration


def short_name(text: str) -> str:
    """A name of PTX as a part of names; of one that C++ mangled its last word."""
    if text.startswith("_Z"):
        bare = re.sub(r"E(?:_\d+)?$", "", text)
        for found in re.finditer(r"\d+", bare):
            if len(bare) - found.end() == int(found[0]):
                text = bare[found.end() :]
                break
    return re.sub(r"\W+", "_", text.lstrip("%_$"), flags=re.ASCII).strip("_")


class _Namer:
    def __init__(self, function: n.PtxFunction):
        self.function = function
        body = function.body or ()
        self.types = {k: v for k, v in declared(body).items() if v in REGISTERS}
        self.every = list(n.instructions(body))
        self.bases: dict[str, str] = {}
        self.updated, self.sums = self._updated()
        self.compared_ones = {o.name for x in self.every if x.opcode == "setp" for o in x.operands[1:]
                              if isinstance(o, n.Register)}  # fmt: skip
        self.halved = {x.operands[0].name for x in self.every if x.opcode in ("shr", "shl") and len(x.operands) == 3
                       and x.operands[0] == x.operands[1] and isinstance(x.operands[0], n.Register)}  # fmt: skip
        self.addresses = {x.base.name for i in self.every for o in i.operands for x in (o,)
                          if isinstance(x, n.AddressOperand) and isinstance(x.base, n.Register)}  # fmt: skip
        self.pointed = self._pointed()
        self.counters = 0
        self.loads = {r: x for x in reversed(self.every) if x.opcode == "ld" for r in self.results(x)}

    def results(self, x: n.PtxInstruction) -> list[str]:
        """The registers that an instruction writes."""
        if x.opcode == "call":
            given = (
                x.operands[0] if x.operands and isinstance(x.operands[0], n.Arguments) and len(x.operands) > 1 else None
            )
            return [i.name for i in n.leaves(given) if isinstance(i, n.Register)] if given is not None else []
        if x.opcode in _NO_RESULT or not x.operands or isinstance(x.operands[0], n.AddressOperand):
            return []
        return [i.name for i in n.leaves(x.operands[0]) if isinstance(i, n.Register)]

    def _updated(self) -> tuple[set[str], set[str]]:
        """Registers that an instruction reads and writes, or that a copy of `r + constant` is written back to; and
        those among them that add what is no constant."""
        counts: set[str] = set()
        sums: set[str] = set()
        next_: dict[str, str] = {}
        for x in self.every:
            ops = x.operands
            if (
                x.opcode in ("add", "sub")
                and len(ops) == 3
                and isinstance(ops[0], n.Register)
                and isinstance(ops[1], n.Register)
            ):
                steps = isinstance(ops[2], n.Int)
                if ops[0].name == ops[1].name:
                    (counts if steps else sums).add(ops[0].name)
                elif steps:
                    next_[ops[0].name] = ops[1].name
            elif (
                x.opcode == "mov"
                and len(ops) == 2
                and isinstance(ops[1], n.Register)
                and isinstance(ops[0], n.Register)
            ):
                if next_.get(ops[1].name) == ops[0].name:
                    counts.add(ops[0].name)
            elif x.opcode in ("mma", "wmma", "wgmma") and len(ops) > 1:
                read = {i.name for o in ops[1:] for i in n.leaves(o) if isinstance(i, n.Register)}
                written = {i.name for i in n.leaves(ops[0]) if isinstance(i, n.Register)}
                sums |= written if x.opcode == "wgmma" else written & read
            elif x.opcode in ("fma", "mad") and len(ops) == 4 and ops[0] == ops[3] and isinstance(ops[0], n.Register):
                sums.add(ops[0].name)
        return counts, sums

    def _pointed(self) -> set[str]:
        """Registers of 64 or 32 bits from which addresses are made by sums and conversions."""
        out = set(self.addresses)
        for x in reversed(self.every):
            if x.opcode in ("add", "sub", "mov", "cvta") and x.operands and isinstance(x.operands[0], n.Register):
                if x.operands[0].name in out:
                    first = x.operands[1]
                    if isinstance(first, n.Register):
                        out.add(first.name)
            elif x.opcode == "mad" and "wide" in x.parts and isinstance(x.operands[-1], n.Register):
                if isinstance(x.operands[0], n.Register) and x.operands[0].name in out:
                    out.add(x.operands[-1].name)
        return out

    # -- the name of one -----------------------------------------------------------------------------------------------

    def base(self, x: n.PtxInstruction, name: str) -> str:
        """The name for a register that the instruction writes first."""
        kind = self.types[name]
        found = self.said(x, name)
        if found.startswith("p_"):
            return found
        if name in self.halved:
            return "stride"
        counts = name in self.updated or (name in self.compared_ones and kind not in ("f32", "f64"))
        if name in self.sums and kind != "pred" and not counts:
            return "acc"
        if (name in self.updated or (name in self.sums and counts)) and kind not in ("pred", "f32", "f64", "f16"):
            out = _COUNTERS[self.counters % len(_COUNTERS)]
            self.counters += 1
            return out
        return found

    def said(self, x: n.PtxInstruction, name: str) -> str:
        """What the instruction says of its result."""
        ops = x.operands
        if x.opcode == "ld":
            return self.loaded(x, name)
        if x.opcode == "call":
            return "result"
        first = ops[1] if len(ops) > 1 else None
        if x.opcode == "mov" and name in self.loads:  # the value where the load's guard does not hold
            return self.loaded(self.loads[name], name)
        if self.types[name] == "pred":
            return self.compared(x)
        if x.opcode == "cvta" or (x.opcode in ("mov", "cvt") and first is not None):
            return self.copied(x, name, first)
        if x.opcode in ("add", "sub") and len(ops) > 2:
            at = [self.short(o) for o in ops[1:]]
            pointers = [a for a in at if a.startswith("p_")]
            if pointers:
                return pointers[0] if pointers[0].endswith("_at") else f"{pointers[0]}_at"
        if (
            x.opcode == "mad"
            and len(ops) == 4
            and {self.short(o).partition("_")[0] for o in ops[1:]} == {"ctaid", "ntid", "tid"}
        ):
            return f"index_{self.short(ops[3])[-1]}"
        if x.opcode == "mad" and ops and self.short(ops[-1]).startswith("p_"):
            return f"{self.short(ops[-1]).removesuffix('_at')}_at"
        if "wide" in x.parts or (x.opcode == "shl" and x.parts[-1] == "b64"):
            return "offset"
        if x.opcode.startswith("cp") or x.opcode not in _NOUNS:
            return short_name(x.opcode) or "value"
        return _NOUNS[x.opcode]

    def loaded(self, x: n.PtxInstruction, name: str) -> str:
        at = x.operands[-1] if len(x.operands) > 1 else None
        base = at.base if isinstance(at, n.AddressOperand) else at
        if "param" in x.parts or any(p.startswith("param") for p in x.parts):
            full = base.name if isinstance(base, n.SymbolOperand) else "value"
            short = short_name(full.removeprefix(f"{self.function.name}_"))
            number = re.fullmatch(r"param_?(\d+)", short)
            if name in self.pointed:
                return f"p_{number[1] if number else short}"
            return f"arg_{number[1] if number else short}"
        space = next(
            (p.partition("::")[0] for p in x.parts if p.partition("::")[0] in ("shared", "local", "const")), ""
        )
        said = self.short(base) if base is not None else ""
        if said.startswith("p_"):
            what = said[2:].removesuffix("_at").removesuffix("_global")
            return f"in_{what}" if what else "loaded"
        return f"{space}_value" if space else "loaded"

    def compared(self, x: n.PtxInstruction) -> str:
        if x.opcode == "setp" and len(x.operands) >= 3 and len(x.parts) > 1:
            words = self.short(x.operands[1]), x.parts[1], self.short(x.operands[2])
            text = "_".join(words)
            return text if all(words) and len(text) <= _LONGEST else f"is_{x.parts[1]}"
        return {"elect": "elected", "mov": "condition", "mbarrier": "done"}.get(x.opcode, "condition")

    def copied(self, x: n.PtxInstruction, name: str, first: n.Operand | None) -> str:
        if isinstance(first, n.SpecialOperand):
            return short_name(first.name + (f"_{first.component}" if first.component else ""))
        if isinstance(first, n.SymbolOperand):
            return f"p_{short_name(first.name)}"
        if isinstance(first, n.Register) and first.name in self.bases:
            said = self.bases[first.name]
            if x.opcode == "cvta":
                what = said.removeprefix("p_").removeprefix("arg_")
                return f"p_{what}_global" if said.startswith("p_") else f"p_{what}"
            if x.opcode == "cvt" and len(x.parts) > 2 and said[:2] != "p_":
                return f"{re.sub(r'_(?:[busf]|bf)(?:8|16|32|64)$', '', said)}_{short_name(x.parts[-2])}"
            return "start" if said in _COUNTERS else said
        if isinstance(first, (n.Int, n.Float)):
            value = first.value if isinstance(first, n.Int) else first.bits
            return {0: "zero", 1: "one"}.get(value, "constant")
        return "pieces" if isinstance(first, n.VectorOperand) else "packed" if x.opcode == "mov" else "value"

    def short(self, x: n.Operand) -> str:
        """An operand as a part of a name; "" for what has none."""
        if isinstance(x, n.Register):
            return self.bases.get(x.name, "")
        if isinstance(x, n.Int):
            return str(x.value) if x.value >= 0 else f"m{-x.value}"
        return ""

    def run(self) -> dict[str, str]:
        """The bases of all registers that are used, in the order in which they are written."""
        for x in self.every:
            for name in self.results(x):
                if name in self.types and name not in self.bases:
                    base = self.base(x, name)
                    self.bases[name] = base if len(base) <= _LONGEST + 8 else base[:_LONGEST]
        for x in self.every:
            guard = (x.guard.register,) if x.guard is not None else ()
            for o in (*x.operands, *guard):
                for i in n.leaves(o):
                    if isinstance(i, n.Register) and i.name in self.types:
                        self.bases.setdefault(i.name, "never_written")
        return self.bases


def named_registers(function: n.PtxFunction) -> tuple[dict[str, str], tuple[n.RegisterDecl, ...]]:
    """New names of the registers that a function declares outside of braces and uses, and the declarations of these."""
    namer = _Namer(function)
    groups: dict[tuple[str, str], list[str]] = {}
    for name, base in namer.run().items():
        groups.setdefault((base, namer.types[name]), []).append(name)
    body = function.body or ()
    used = {name for s in n.statements(body) if isinstance(s, n.PtxBlock) for name in declared(s.body)}
    used |= {p.name for p in (*(function.params or ()), *(function.returns or ()))}
    used |= {name for name in declared(body) if name not in namer.types} | set(SPECIAL)
    out: dict[str, str] = {}
    declarations: dict[str, list[n.RegisterName]] = {}
    kinds = dict(reversed([(base, kind) for base, kind in groups]))  # the first type of each
    for (base, kind), members in groups.items():
        given = f"%{base}" if kinds[base] == kind else f"%{base}_{kind}"
        if len(members) > 1 and given[-1].isdigit():
            given += "_"  # ptxas finds no member of a family whose name ends in a digit
        while True:
            shown = n.RegisterName(given, len(members) if len(members) > 1 else None)
            if used.isdisjoint((*shown.names(), given)):
                break
            given += "_"
        used.update((*shown.names(), given))
        out.update(zip(members, shown.names(), strict=True))
        declarations.setdefault(kind, []).append(shown)
    rows = (
        (kind, names[i : i + _IN_A_ROW])
        for kind, names in declarations.items()
        for i in range(0, len(names), _IN_A_ROW)
    )
    return out, tuple(n.RegisterDecl(kind, tuple(names)) for kind, names in rows)


__all__ = ["named_registers", "short_name"]
