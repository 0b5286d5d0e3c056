"""v_cmp_* and v_cmpx_* against Python's comparisons, lane by lane."""

from __future__ import annotations

import operator

import pytest
from tests.sim.amdgcn.programs import run_program
from tests.sim.amdgcn.vector_cases import FORMATS, Batch, Case, assembles, batches, is_nan, to_float

from avelang.sim.amdgcn import vector_compare

RELATIONS = {"lt": operator.lt, "eq": operator.eq, "le": operator.le, "gt": operator.gt, "ge": operator.ge}
ORDERED = {**RELATIONS, "lg": lambda x, y: x < y or x > y, "o": lambda x, y: x == x and y == y}
FLOATS = {
    **ORDERED, "f": lambda x, y: False, "tru": lambda x, y: True, "u": lambda x, y: x != x or y != y,
    **{"n" + n: (lambda x, y, f=ORDERED[n]: not f(x, y)) for n in ("ge", "lg", "gt", "le", "eq", "lt")},
}  # fmt: skip
INTEGERS = {**RELATIONS, "ne": operator.ne, "f": lambda x, y: False, "t": lambda x, y: True}


def classes(p, mask, kind):
    """Bit n of the mask, n being the place of a number's class in the order in which section 12 lists them."""
    bits, mantissa, _, _ = FORMATS[kind]
    sign, magnitude = p >> bits - 1, p & (1 << bits - 1) - 1
    if is_nan(p, kind):
        n = p >> mantissa - 1 & 1
    else:
        field, part = magnitude >> mantissa, magnitude & (1 << mantissa) - 1
        kinds = ["infinity", "normal", "denormal", "zero"]
        what = (
            "zero"
            if magnitude == 0
            else "denormal"
            if field == 0
            else "infinity"
            if field == (1 << bits - 1 - mantissa) - 1 and not part
            else "normal"
        )
        n = 2 + kinds.index(what) if sign else 9 - kinds.index(what)
    return mask >> n & 1


def cases(prefix):
    """The result of v_cmp is read back through v_cndmask; that of v_cmpx both so and by a move in the lanes that are
    left."""
    out = "v_cndmask_b32 {d}, 0, 1, "
    read = "vcc" if prefix == "v_cmp" else "s[20:21]"
    text = "{name} {read}, {{a}}, {{b}}\n" + out.replace("{d}", "{{d}}") + "{read}"
    if prefix == "v_cmpx":
        text = (
            "s_mov_b64 s[10:11], exec\nv_mov_b32 {{d}}, 0\n{name} s[20:21], {{a}}, {{b}}\nv_mov_b32 {{d}}, 1\n"
            "s_mov_b64 exec, s[10:11]\nv_cndmask_b32 v39, 0, 2, s[20:21]\nv_or_b32 {{d}}, v39, {{d}}"
        )
    worth = 1 if prefix == "v_cmp" else 3

    def case(relation, sources, meaning):
        name = f"{prefix}_{relation}_{sources.split()[0]}"
        return Case(name, sources, "u32", lambda *v: worth * bool(meaning(*v)), text.format(name=name, read=read))

    for relation, f in INTEGERS.items():
        for s in "iu":
            for bits in (16, 32, 64):
                yield case(relation, f"{s}{bits} {s}{bits}", f)
    for kind in FORMATS:
        for relation, f in FLOATS.items():
            yield case(relation, f"{kind} {kind}", lambda x, y, f=f, k=kind: f(to_float(x, k), to_float(y, k)))
        yield case("class", f"{kind} {'u16' if kind == 'f16' else 'u32'}", lambda x, m, k=kind: classes(x, m, k))


CASES = [*cases("v_cmp"), *cases("v_cmpx")]


def test_every_instruction_has_a_case():
    assert {c.name for c in CASES} == vector_compare.TABLE.keys()


@pytest.mark.parametrize("part", range(len(batches(CASES, 100))))
def test_gfx942(part):
    assert Batch(batches(CASES, 100)[part], "gfx942", part).check() == []


def test_the_programs_are_legal():
    assert assembles("\n".join(Batch(part, "gfx942", 0).text for part in batches(CASES, 100)), "gfx942") == ""


def test_inactive_lanes_read_as_false():
    out = run_program("v_cmp_t_u32 vcc, 0, v0\nv_cmp_t_u32 s[4:5], 0, v0\nv_cmpx_t_u32 s[6:7], 0, v0", exec_mask=0xF0F0)
    assert out["vcc"] == out["s[4:5]"] == out["s[6:7]"] == 0xF0F0
    assert out["exec"] == 0xF0F0
