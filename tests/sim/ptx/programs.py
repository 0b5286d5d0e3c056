"""A generator of PTX programs whose results are computed independently: a seed comes in; text, inputs and the expected
outputs go out.

A module is one kernel of several sections, one for each block of the grid; a section is a program of its own. Its steps
take operands from memory, adversarial ones among them, and run plainly, under a guard, behind a divergent branch, or in
a loop that some lanes leave early. """

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Iterator, Sequence

import numpy as np

from sim.ptx import forms, forms_approximate, forms_convert
from sim.ptx.forms import BITS, Form
from sim.ptx.numbers import F

LANES = 64  # threads of a block
KEPT = 0x5A5A5A5A5A5A5A5A  # what results hold where nothing writes them


@functools.cache
def alphabet() -> tuple[Form, ...]:
    """Every form, families in turns."""
    return tuple(f for family in families() for f in family)


def families() -> list[list[Form]]:
    parts = (forms.integers, forms.bits, forms.floats, forms_approximate.approximate, forms_convert.compares,
        forms_convert.conversions, forms_convert.moves, forms_convert.lanes)  # fmt: skip
    return [list(part()) for part in parts]


SPECIAL_INTS = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 63,
    (1 << 63) - 1, (1 << 64) - 1, 31, 32, 33)


def _float(rng: random.Random, name: str) -> int:
    f = F[name]
    top, sign = f.top, rng.getrandbits(1) << f.bits - 1
    kind = rng.randrange(10)
    if kind == 0:
        return (sign | rng.choice((0, 1, top - 1, top, top + 1 << 0, (1 << f.m) - 1, 1 << f.m, f.bias << f.m,
            (1 << f.bits - 1) - 1)))
    if kind == 1:
        return rng.getrandbits(f.bits)
    if kind == 2:
        return sign | rng.getrandbits(f.m)  # subnormal
    near = (f.bias + rng.randint(-12, 12)) << f.m
    mantissa = rng.getrandbits(f.m)
    if kind < 5:
        mantissa &= -1 << rng.randrange(f.m)  # ties are frequent among short ones
    return sign | near + mantissa


def draw(rng: random.Random, kind: str) -> int:
    """A pattern of a type: n32 are small numbers, n8 such up to 255, m32 moderate f32."""
    if kind == "pred":
        return rng.getrandbits(1)
    if kind == "n32":
        return rng.choice((rng.randrange(36), rng.randrange(36), rng.getrandbits(32), 255, 256, 0xFFFFFFFF))
    if kind == "n8":
        return rng.choice((rng.randrange(70), rng.randrange(70), rng.getrandbits(8), 63, 64, 255))
    if kind == "m32":
        return rng.getrandbits(1) << 31 | (127 + rng.randint(-2, 2)) << 23 | rng.getrandbits(23)
    part = kind.removesuffix("x2")
    if part in F:
        value = _float(rng, part)
        return value | _float(rng, part) << 16 if part != kind else value
    n = BITS[kind]
    pick = rng.randrange(4)
    value = (rng.choice(SPECIAL_INTS) if pick == 0 else rng.getrandbits(rng.randint(1, n)) if pick == 1
        else rng.getrandbits(n))
    return value & (1 << n) - 1


@dataclasses.dataclass
class Step:
    """One form with where its operands and results stand (slots of 64 bits a thread), and how it is run: "", "guard",
    "branch" or "loop"."""

    form: Form
    ins: list[int]
    outs: list[int]
    how: str
    test: int  # the slot of the predicate


@dataclasses.dataclass
class Made:
    """A module: its text, inputs uint64 (sections, slots, LANES), and expected outputs likewise; `steps` by section."""

    text: str
    inputs: np.ndarray
    want: np.ndarray
    steps: list[list[Step]]


LOAD = {16: ("b16", "h"), 32: ("b32", "r"), 64: ("b64", "d")}


def _register(kind: str) -> tuple[str, str, int]:
    bits = 32 if kind in ("n32", "n8", "m32") else BITS[kind]
    return (*LOAD[bits], bits) if bits != 1 else ("pred", "p", 1)


class _Section:
    """Writes one section."""

    def __init__(self, number: int, rng: random.Random):
        self.number, self.rng = number, rng
        self.lines: list[str] = []
        self.counts = {"h": 0, "r": 0, "d": 0, "p": 0}
        self.slots: list[list[int]] = []
        self.outs = 0
        self.steps: list[Step] = []

    def new(self, letter: str) -> str:
        self.counts[letter] += 1
        return f"%{letter}{self.counts[letter]}"

    def load(self, kind: str) -> tuple[str, int]:
        """A register with fresh data of a type, and its slot."""
        self.slots.append([draw(self.rng, kind) for _ in range(LANES)])
        at = len(self.slots) - 1
        t, letter, bits = _register(kind)
        if bits == 1:
            word, p = self.new("r"), self.new("p")
            self.lines += [f"ld.global.b32 {word}, [%src+{at * 8 * LANES}];", f"setp.ne.b32 {p}, {word}, 0;"]
            return p, at
        reg = self.new(letter)
        self.lines.append(f"ld.global.{t} {reg}, [%src+{at * 8 * LANES}];")
        return reg, at

    def step(self, form: Form) -> None:
        ins = [self.load(k) for k in form.ins]
        how = "" if form.warp else self.rng.choice(("", "", "guard", "branch", "loop"))
        test, slot = self.load("pred") if how else ("", -1)
        names = dict(zip("abcg", (r for r, _ in ins), strict=False))
        outs = []
        for letter, kind in zip("de", form.outs, strict=False):
            t, prefix, bits = _register(kind)
            reg = self.new(prefix)
            names[letter] = reg
            self.lines.append(f"setp.eq.b32 {reg}, 0, 1;" if bits == 1 else f"mov.{t} {reg}, "
                f"{KEPT & (1 << bits) - 1:#x};")
            outs.append((reg, kind, bits))
        body = form.text.format(**names)
        self.run(how, test, body)
        places = []
        for reg, _, bits in outs:
            at = self.outs
            self.outs += 1
            places.append(at)
            if bits == 1:
                word = self.new("r")
                self.lines += [f"selp.b32 {word}, 1, 0, {reg};", f"st.global.b32 [%dst+{at * 8 * LANES}], {word};"]
            else:
                self.lines.append(f"st.global.{LOAD[bits][0]} [%dst+{at * 8 * LANES}], {reg};")
        self.steps.append(Step(form, [at for _, at in ins], places, how, slot))

    def run(self, how: str, test: str, body: str) -> None:
        label = f"$L{self.number}_{len(self.steps)}"
        if how == "guard" and "{" not in body:
            self.lines += [f"@{test} {part.strip()};" for part in body.split(";") if part.strip()]
        elif how in ("guard", "branch"):
            self.lines += [f"@!{test} bra {label};", body, f"{label}:"]
        elif how == "loop":
            # Lanes leave at once, or behind one trip.
            left, p = self.new("r"), self.new("p")
            self.lines += [f"selp.b32 {left}, 1, 0, {test};", f"{label}:", f"setp.eq.b32 {p}, {left}, 0;",
                f"@{p} bra {label}_end;", body, f"sub.u32 {left}, {left}, 1;", f"bra.uni {label};", f"{label}_end:"]
        else:
            self.lines.append(body)

    def text(self) -> str:
        kinds = {"h": "b16", "r": "b32", "d": "b64", "p": "pred"}
        declared = "\n".join(f".reg .{kinds[k]} %{k}<{n + 1}>;" for k, n in self.counts.items())
        return f"$S{self.number}:\n{{\n{declared}\n" + "\n".join(self.lines) + "\nbra.uni $END;\n}\n"


def _expected(s: _Section) -> list[list[int]]:
    """The outputs of a section, slot by slot."""
    out = [[KEPT] * LANES for _ in range(s.outs)]
    for step in s.steps:
        args = [s.slots[a] for a in step.ins]
        if step.form.warp:
            for w in range(0, LANES, 32):
                found = step.form.rule(*(a[w : w + 32] for a in args))
                results: tuple[list[int], ...] = found if isinstance(found, tuple) else (found,)  # type: ignore[assignment]
                for at, kind, values in zip(step.outs, step.form.outs, results, strict=True):
                    for k, v in enumerate(values):
                        out[at][w + k] = stored(v, kind)
            continue
        for lane in range(LANES):
            ran = step.test < 0 or s.slots[step.test][lane]
            for k, (at, kind) in enumerate(zip(step.outs, step.form.outs, strict=True)):
                if not ran:
                    out[at][lane] = stored(0 if kind == "pred" else KEPT, kind)
                    continue
                found = step.form.rule(*(a[lane] for a in args))
                out[at][lane] = stored(found[k] if isinstance(found, tuple) else found, kind)  # type: ignore[arg-type]
    return out


def stored(value: int, kind: str) -> int:
    """The slot's 64 bits behind a store of its low ones."""
    bits = 32 if kind == "pred" else BITS[kind]
    return KEPT >> bits << bits | value & (1 << bits) - 1


def module(seed: int, sections: int = 16, steps: int = 6, only: Sequence[Form] = (), chip: str = "sm_90a") -> Made:
    """`sections` programs of so many steps. `only`: these forms, in order, instead of drawn ones."""
    rng = random.Random(seed)
    groups = families()
    made = []
    for k in range(sections):
        s = _Section(k, rng)
        for n in range(steps):
            at = k * steps + n
            form = only[at % len(only)] if only else rng.choice(rng.choice(groups))
            s.step(form)
        made.append(s)
    slots = max(max(len(s.slots) for s in made), max(s.outs for s in made))
    inputs = np.zeros((sections, slots, LANES), np.uint64)
    want = np.full((sections, slots, LANES), KEPT, np.uint64)
    for k, s in enumerate(made):
        inputs[k, : len(s.slots)] = np.array(s.slots, np.uint64)
        want[k, : s.outs] = np.array(_expected(s), np.uint64)
    labels = ", ".join(f"$S{k}" for k in range(sections))
    text = f""".version 8.6
.target {chip}
.address_size 64
.visible .entry programs(.param .u64 source, .param .u64 destination)
{{
.reg .b32 %block, %thread, %at;
.reg .b64 %src, %dst, %offset;
ld.param.b64 %src, [source];
ld.param.b64 %dst, [destination];
mov.u32 %block, %ctaid.x;
mov.u32 %thread, %tid.x;
mad.lo.u32 %at, %block, {slots * LANES}, %thread;
mul.wide.u32 %offset, %at, 8;
add.u64 %src, %src, %offset;
add.u64 %dst, %dst, %offset;
$TABLE: .branchtargets {labels};
brx.idx %block, $TABLE;
{"".join(s.text() for s in made)}
$END:
ret;
}}
"""
    return Made(text, inputs, want, [s.steps for s in made])


@dataclasses.dataclass(frozen=True)
class Difference:
    """One result that is not as expected: of a step of a section, in the slot `at`, of a thread."""

    section: int
    step: Step
    at: int
    lane: int
    text: str


def wrong(made: Made, got: np.ndarray, exact: bool = False) -> Iterator[Difference]:
    """What is not as expected, by form and lane. NaN of one type are all one, and approximate forms may be as far off
    as they are allowed to, unless `exact`."""
    for k, steps in enumerate(made.steps):
        for step in steps:
            for at, kind in zip(step.outs, step.form.outs, strict=True):
                for lane in np.flatnonzero(made.want[k, at] != got[k, at]).tolist():
                    w, g = int(made.want[k, at, lane]), int(got[k, at, lane])
                    args = [int(made.inputs[k, a, lane]) for a in step.ins]
                    ran = step.test < 0 or bool(made.inputs[k, step.test, lane])
                    form = dataclasses.replace(step.form, near=None) if exact else step.form
                    if not (ran and _alike(form, kind, w, g, args)):
                        said = f"{', '.join(map(hex, args))} gave {g:#x}, not {w:#x}"
                        yield Difference(k, step, at, lane, f"section {k}, {step.form.name} ({step.how or 'plain'}), "
                            f"thread {lane}: {said}")


def differences(made: Made, got: np.ndarray, exact: bool = False) -> list[str]:
    """What is not as expected: a line for each form and lane."""
    return [d.text for d in wrong(made, got, exact)]


def _alike(form: Form, kind: str, want: int, got: int, args: list[int]) -> bool:
    f = F.get(kind.removesuffix("x2"))
    bits = 32 if kind == "pred" else BITS[kind]
    if want >> bits != got >> bits:
        return False
    if f is None:
        return want == got
    for s in range(0, bits, f.bits):
        w, g = (v >> s & (1 << f.bits) - 1 for v in (want, got))
        if w == g or f.is_nan(w) and f.is_nan(g):
            continue
        if form.near is None or any(f.is_nan(v) or f.is_inf(v) for v in (w, g)) or form.near.share(f, g, *args) > 1:
            return False
    return True
