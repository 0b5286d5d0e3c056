"""The instruction set as a table. An `Entry` is one instruction: its name, what it does to memory, to other threads and
to control flow, and its `Form`s: lines of syntax with their operands, conditions, and the oldest PTX and chip that have
them. Everything that asks what an instruction is asks its entry: the checker, the linter, the executor and its checks.

The notation of a form's syntax is the manual's: `ld{.weak}{.<space>}{.<vec>}.<t>`; braces mean "may be left out", `<t>`
is a slot with a choice of words, all else stands for itself. Operands: `d:<t>*<vec>, [<space>], s:b64 if
L2::cache_hint`

    d:T      destination register          s:T    register or constant       r:T    register
    i:T      constant                      i=4|8  one of these constants     a:T    register, constant, symbol's address
    p        predicate, maybe negated      l      label                      [S]    memory of space S (empty: generic)
    [S,N]    a tensor map and N coordinates                                  n      texture, sampler, surface, handle
    c        what stands behind `call`     d:T=_  the sink alone
    T*<s/2>  half as many as the columns of a shape s (m64n128k16: 64)
    T*N      N of them in braces (without braces where the slot N is left out)  T+     the register may be wider
    T@H      a fragment's words in registers of T that may hold H: "half", "word", "int", or what a slot says of those
    X|pred   X, behind a bar a predicate if wanted                              X&pred  X|predicate, both needed
    X?       may be left out               X if W where, and only where, the modifier W stands     X unless W

"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Mapping

from avelang.nvptx.ptx_types import TYPES, Need, need

Env = Mapping[str, str]  # slot -> the word chosen, "" for none; fixed words stand for themselves


@dataclasses.dataclass(frozen=True, slots=True)
class ModifierSlot:
    """A place for a modifier. `choices` are written as in the text; one may be of several words ("async.global")."""

    name: str
    choices: tuple[str, ...]
    optional: bool


@dataclasses.dataclass(frozen=True, slots=True)
class OperandSpec:
    """One operand; see the notation above. `type` and `count` may be slots."""

    role: str
    type: str = ""
    count: str = ""
    wider: bool = False
    optional: bool = False
    when: str = ""
    unless: str = ""
    values: tuple[str, ...] = ()
    pair: bool = False
    both: bool = False
    held: str = ""


# Registers that hold the words of a fragment, by what is in these. Asked of ptxas 13.0, which takes any of 32 bits for
# the fragments that the table says nothing of.
HELD = {"half": ("b32", "f16x2"), "word": ("b32",), "int": ("b32", "u32", "s32"), "f16": ("b32", "f16x2"),
    "bf16": ("b32",), "tf32": ("b32",)}


@dataclasses.dataclass(frozen=True, slots=True)
class WordRule:
    """A condition on the words of a form together; `why` is said where it does not hold."""

    test: Callable[[Env], bool]
    why: str


# What an entry's `effects` may say.
EFFECTS = {
    "read": "reads the memory that its brackets name",
    "write": "writes the memory that its brackets name",
    "strong": "is relaxed where no modifier says otherwise",
    "async": "accesses memory beside the thread that begins it",
    "commit": "closes the thread's open group of asynchronous operations",
    "arrive": "counts an arrival, or bytes of copies, on an mbarrier",
    "wait": "waits for asynchronous operations, for a phase of an mbarrier, or for other blocks",
    "barrier": "waits for other threads, or lets them go on",
    "fence": "orders accesses to memory",
    "jump": "goes on elsewhere, or ends the thread",
    "call": "calls a function",
    "stop": "stops the kernel",
    "across": "gives a lane what depends on the values of others",
    "aligned": "is executed by all lanes of the warp, though no .aligned says so",
    "ordered": "takes its modifiers in the manual's order alone",
    "long": "takes no addresses of 32 bits in global and generic memory",
    "special": "reads special registers",
    "discards": "takes `_` for a destination, and keeps nothing",
    "selects": "takes bytes and halves of registers, such as %r0.b1",
    "braces": "takes one register in braces, as vectors are",
}


@dataclasses.dataclass(slots=True, eq=False)
class Entry:
    """One instruction of the table. `name`: its opcode and the words that tell it from others with that opcode
    ("cp.async.wait_group"); for the float instructions whose opcode integers have too, LLVM's name ("fadd"). `group`:
    the asynchronous operations that it begins, counts or waits for: "cp.async", "bulk", "wgmma", "tcgen05", "mbarrier",
    "grids". `proxy`: "async" where its accesses, or those that it orders, are of the async proxy. `space`: the memory
    that its addresses mean where no modifier names one."""

    name: str
    opcode: str
    effects: frozenset[str]
    group: str = ""
    proxy: str = ""
    space: str = ""
    forms: list[Form] = dataclasses.field(default_factory=list)

    def has(self, *effects: str) -> bool:
        """True if it has any of these effects."""
        return not self.effects.isdisjoint(effects)

    @property
    def source(self) -> str:
        """The section of the manual."""
        return f"PTX ISA 9.0, {self.forms[0].section}"


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """One line of syntax. `needs` of the whole; `word_needs` of single words; `cases` of words together."""

    entry: Entry
    opcode: str
    slots: tuple[ModifierSlot, ...]
    operands: tuple[OperandSpec, ...]
    rules: tuple[WordRule, ...]
    needs: Need
    word_needs: Mapping[str, Need]
    cases: tuple[tuple[Callable[[Env], bool], Need], ...]
    syntax: str
    section: str

    def broken(self, env: Env) -> str:
        """The reason why these words do not go together, or ""."""
        return next((r.why for r in self.rules if not r.test(env)), "")

    def present(self, env: Env) -> list[OperandSpec]:
        """The operands that these words ask for."""
        return [o for o in self.operands if (not o.when or env.get(o.when)) and not (o.unless and env.get(o.unless))]

    def name(self, env: Env) -> str:
        """The instruction with these words."""
        return ".".join([self.opcode, *(env[s.name] for s in self.slots if env[s.name])])

    def all_needs(self, env: Env) -> list[tuple[str, Need]]:
        """(what, need) of the form and of each word in use."""
        out = [("", self.needs)]
        for slot in self.slots:
            word = env[slot.name]
            if word:
                out += [(word, n) for n in (self.word_needs.get(word), COMMON_NEEDS.get(word)) if n is not None][:1]
        return out + [("", n) for test, n in self.cases if test(env)]


# Targets of Blackwell that have what its generation has for itself, and those of them with tensor memory.
BLACKWELL = "sm_100f sm_110f sm_120f"
TENSOR_MEMORY = "sm_100f sm_110f"

# Words that need the same wherever they stand; a form's own needs come first.
COMMON_NEEDS: dict[str, Need] = {"shared::cta": need("7.8"), "shared::cluster": need("7.8 sm_90"),
    "cluster": need("7.8 sm_90"), "multicast::cluster": need("8.0 sm_90"), "L2::cache_hint": need("7.4 sm_80"),
    **{f"L2::{n}B": need("7.4 sm_75") for n in (64, 128)}, "L2::256B": need("7.4 sm_80"),
    **{f"L1::{x}": need("7.4 sm_70") for x in ("evict_normal", "evict_unchanged", "evict_first", "evict_last",
    "no_allocate")}}

SHARED_SLOTS: dict[str, str] = {
    "rnd": "rn rz rm rp",
    "scope": "cta cluster gpu sys",
    "cmp": "eq ne lt le gt ge",
    "evict1": "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate",
    "prefetch": "L2::64B L2::128B L2::256B",
    "dim": "1d 2d 3d 4d 5d",
    "group": "cta_group::1 cta_group::2",
}

_WORD = re.compile(r"\{\.([^}]+)\}|\.(<\w+>|[\w:]+)")
_OPERAND = re.compile(
    r"(?:(?P<role>[dsriaplnc])(?::(?P<type><\w+>|\w+)(?:@(?P<held><\w+>|\w+))?)?(?:=(?P<values>[\w|.-]+))?"
    r"|\[(?P<space><\w+>|[\w:]*)(?:,(?P<coords><\w+>|\d+))?\])"
    r"(?P<wider>\+)?(?:\*(?P<count><\w+(?:/\d)?>|\d+))?(?P<pair>[|&]pred)?(?P<optional>\?)?"
    r"(?: if (?P<when>\S+))?(?: unless (?P<unless>\S+))?$"
)


def _slots(syntax: str, own: Mapping[str, str]) -> tuple[str, tuple[ModifierSlot, ...]]:
    opcode = re.match(r"\w+", syntax)
    assert opcode is not None
    slots, at = [], opcode.end()
    while at < len(syntax):
        m = _WORD.match(syntax, at)
        assert m is not None, syntax[at:]
        word, optional = m[1] or m[2], m[1] is not None
        if word[0] == "<":
            name = word[1:-1]
            slots.append(ModifierSlot(name, tuple((own[name] if name in own else SHARED_SLOTS[name]).split()),
                optional))
        else:
            slots.append(ModifierSlot(word, (word,), optional))
        at = m.end()
    return opcode[0], tuple(slots)


@functools.cache
def _operand(text: str) -> OperandSpec:
    m = _OPERAND.match(text)
    assert m is not None, text
    memory = m["role"] is None
    return OperandSpec(
        ("t" if m["coords"] else "m") if memory else m["role"],
            m["space"] if memory else (m["type"] or "pred" if m["role"] == "p" else m["type"] or ""),
        m["coords"] or m["count"] or "", bool(m["wider"]), bool(m["optional"]), m["when"] or "", m["unless"] or "",
        tuple(m["values"].split("|")) if m["values"] else (), bool(m["pair"]), m["pair"] == "&pred",
            m["held"] or "",
    )  # fmt: skip


ENTRIES: dict[str, Entry] = {}
FORMS: dict[str, list[Form]] = {}  # by opcode


def entries(names: str, effects: str = "", prefix: str = "", group: str = "", proxy: str = "", space: str = "") -> None:
    """Adds entries, whose names have spaces between, to the table. `prefix`: what stands before the opcode in their
    names."""
    said = frozenset(effects.split())
    if not said <= EFFECTS.keys():
        raise ValueError(f"no effect is called {', '.join(said - EFFECTS.keys())}")
    for name in names.split():
        if name in ENTRIES:
            raise ValueError(f"two entries are called {name}")
        ENTRIES[name] = Entry(name, name.removeprefix(prefix).partition(".")[0], said, group, proxy, space)


def entry(name: str) -> Entry:
    """The entry of a name. Raises ValueError where no form has it."""
    found = ENTRIES.get(name)
    if found is None or not found.forms:
        raise ValueError(f"the table has no instruction {name}")
    return found


def named(names: str) -> frozenset[Entry]:
    """The entries of names with spaces between."""
    return frozenset(map(entry, names.split()))


_NAMING = re.compile(r"\w+(?:\.[\w:]+)*")


def _entry_of(syntax: str) -> Entry:
    """The entry of a line of syntax: the longest name with which it begins."""
    found = _NAMING.match(syntax)
    assert found is not None, syntax
    words = found[0].split(".")
    for k in range(len(words), 0, -1):
        name = ".".join(words[:k])
        if name in ENTRIES:
            return ENTRIES[name]
    raise ValueError(f"no entry for {syntax}")


def form(syntax: str, operands: str = "", needs: str = "1.0", section: str = "", rules: Iterable[WordRule] = (),
        words: Mapping[str, str] | None = None, cases: Iterable[tuple[Callable[[Env], bool], str]] = (), of: str = "",
        **slots: str) -> None:  # fmt: skip
    """Adds a line of syntax to the table. `slots` give the words of slots, with spaces between; `words` and `cases`
    what these need; `of` the name of the entry, if the syntax does not begin with it."""
    opcode, places = _slots(syntax, slots)
    specs = tuple(_operand(x.strip()) for x in re.split(r",\s+", operands) if x.strip())
    single = {w: need(text) for names, text in (words or {}).items() for w in names.split()}
    own = ENTRIES[of] if of else _entry_of(syntax)
    assert own.opcode == opcode, syntax
    made = Form(own, opcode, places, specs, tuple(rules), need(needs), single, tuple((t, need(x)) for t, x in cases),
        syntax, section)
    own.forms.append(made)
    FORMS.setdefault(opcode, []).append(made)


def only(word: str, slot: str, values: str) -> WordRule:
    """The rule that a word, where it stands, wants one of `values` in a slot."""
    allowed = frozenset(values.split())
    shown = ", ".join(f".{v}" for v in values.split())
    return WordRule(lambda env: not env.get(word) or env[slot] in allowed, f".{word} goes with {shown} only")


def implies(when: Callable[[Env], bool], then: Callable[[Env], bool], why: str) -> WordRule:
    """The rule that `then` holds wherever `when` does."""
    return WordRule(lambda env: not when(env) or then(env), why)


TOGETHER = WordRule(lambda env: bool(env.get("sem")) == bool(env.get("scope")), "an order and a scope stand together, "
    "or neither")
PLAIN = WordRule(lambda env: not env["vec"] or (env["vec"] != "v8"
    and int(env["vec"][1:]) * TYPES[env["t"]].bits <= 128), "a vector has 128 bits at most")
