"""The calls of this level state no fact of an instruction: drawn arguments are taken exactly where the table of PTX has
what they mean.

Each draw gives a call and, spelled here from the manual's syntax, the instruction that its arguments mean. Registers
have the same names in both."""

from __future__ import annotations

import operator
import random
import re

import pytest
from tests.ptx.programs import lines

from avelang.base.errors import AveError
from avelang.nvptx.check import check
from avelang.nvptx.parse import parse_body
from avelang.ptx import ptx, reg, types
from avelang.ptx.form_queries import counts, first_known, forms_of, names, operands_of

ELEMENTS = ("f16", "bf16", "tf32", "f64", "s8", "u8", "e4m3", "e5m2", "f32", "u32")
NUMBERS = (
    "u8",
    "u16",
    "u32",
    "u64",
    "s16",
    "s32",
    "s64",
    "f16",
    "bf16",
    "f32",
    "f64",
    "f16x2",
    "bf16x2",
    "tf32",
    "e4m3",
)
DRAWS = 150


class Drawn:
    """A call, and the texts that it may mean: the first that the table has. `registers`: (name, type, count) to
    declare."""

    def __init__(self, call, texts, registers):
        self.call, self.texts, self.registers = call, texts if isinstance(texts, tuple) else (texts,), registers


def braces(name: str, count: int) -> str:
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


def near(rng: random.Random, right: int) -> int:
    """A number of registers: mostly the right one."""
    return right if rng.random() < 0.8 else rng.choice([1, 2, 4, 8, 16])


def mma(rng):
    known = list(names(("mma", "sync", "aligned"), 10))
    parts = rng.choice(known)
    m, n, k = map(int, re.findall(r"\d+", parts[3]))
    la, lb, d, a, b, c = parts[4:]
    if rng.random() < 0.4:
        m, n, k, d, a, b, la = (
            rng.choice(x)
            for x in (
                (8, 16),
                (8, 16),
                (4, 8, 16, 32),
                ("f16", "f32", "s32", "f64"),
                ELEMENTS,
                ELEMENTS,
                ("row", "col"),
            )
        )
    if any(not hasattr(types, x) for x in (d, a, b, c)):
        return None
    right = counts(parts)
    have = {x: near(rng, want) for x, want in zip("dabc", right, strict=True)}
    kinds = {"d": d, "a": a, "b": b, "c": c}
    held = {x: t if t in ("f32", "f64", "s32") and (x in "dc" or t == "f64") else "b32" for x, t in kinds.items()}
    shown = ", ".join(braces(x, have[x]) for x in "dabc")
    return Drawn(
        lambda r: ptx.mma.sync(
            shape=(m, n, k),
            a_layout=la,
            b_layout=lb,
            **r,
            **{f"dtype_{x}": getattr(types, t) for x, t in kinds.items()},
        ),
        f"mma.sync.aligned.m{m}n{n}k{k}.{la}.{lb}.{d}.{a}.{b}.{c} {shown}",
        [(x, held[x], have[x]) for x in "dabc"],
    )


def matrices(rng):
    count, trans, store = rng.randrange(1, 9), rng.random() < 0.5, rng.random() < 0.5
    word = f"matrix.sync.aligned.m8n8.x{count}{'.trans' * trans}.shared.b16"
    registers = [("d", "b32", count), ("p", "u32", 1)]
    if store:
        return Drawn(
            lambda r: ptx.stmatrix(r["p"][0], r["d"], trans=trans), f"st{word} [%p0], {braces('d', count)}", registers
        )
    return Drawn(
        lambda r: ptx.ldmatrix(r["d"], r["p"][0], trans=trans), f"ld{word} {braces('d', count)}, [%p0]", registers
    )


def wgmma(rng):
    a = rng.choice(ELEMENTS)
    d = rng.choice(["f16", "f32", "s32"]) if rng.random() < 0.2 else "s32" if a in ("s8", "u8") else "f32"
    b = a if rng.random() < 0.8 else rng.choice(ELEMENTS)
    bits = getattr(types, a).bits
    m, n, k = rng.choice([64] * 9 + [128]), rng.randrange(0, 272, 8), rng.choice([256 // bits] * 5 + [8])
    listed = rng.random() < 0.5
    have = {"d": near(rng, max(1, n // (4 if d == "f16" else 2))), "a": near(rng, 4) if listed else 1}
    given = {
        "scale_a": 1,
        "scale_b": rng.choice([1, 1, -1, 0]),
        "trans_a": rng.choice([0, 0, 0, 1]),
        "trans_b": rng.choice([0, 0, 0, 0, 1, 2]),
    }
    flags = [given["scale_a"], given["scale_b"]] if d != "s32" else []
    flags += ([] if listed else [given["trans_a"]]) + [given["trans_b"]] if bits == 16 else []
    unused = {
        x
        for x in given
        if not ((x[0] == "s" and d != "s32") or (x[0] == "t" and bits == 16 and not (listed and x == "trans_a")))
    }
    if any(given[x] != (x[0] == "s") for x in unused):
        return None  # refused as an argument that the instruction does not have: T101, tested in test_mma_ops
    left = braces("a", have["a"]) if listed else "%a0"
    text = f"wgmma.mma_async.sync.aligned.m{m}n{n}k{k}.{d}.{a}.{b} {braces('d', have['d'])}, {left}, %b0, %p0"
    return Drawn(
        lambda r: ptx.wgmma.mma_async(shape=(m, n, k), d=r["d"], a=r["a"] if listed else r["a"][0], b=r["b"][0],
                                      scale_d=r["p"][0],
                                      dtype_a=getattr(types, a), dtype_b=getattr(types, b), dtype_d=getattr(types, d),
                                      **given),
        ", ".join([text, *map(str, flags)]),
        [("d", d if d != "f16" else "b32", have["d"]), ("a", "b32" if listed else "u64", have["a"]), ("b", "u64", 1),
         ("p", "pred", 1)])  # fmt: skip


def cp_async(rng):
    size, l1, read = (
        rng.choice([1, 2, 4, 8, 16, 32]),
        rng.choice([None, True, False]),
        rng.choice([None, 0, size_of(rng), -1]),
    )
    how = "ca" if l1 or (l1 is None and size != 16) else "cg"
    tail = "" if read is None else f", {read}"
    return Drawn(lambda r: ptx.cp_async(r["d"][0], r["s"][0], size, l1=l1, src_size=read),
                 f"cp.async.{how}.shared.global [%d0], [%s0], {size}{tail}",
                 [("d", "u32", 1), ("s", "u64", 1)])  # fmt: skip


def size_of(rng) -> int:
    return rng.randrange(0, 20)


INSTRUCTIONS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div.rn",
    "//": "div",
    "%": "rem",
    "&": "and",
    "|": "or",
    "^": "xor",
}
PYTHONS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


def operators(rng):
    sign, name = rng.choice(list(INSTRUCTIONS)), rng.choice((*NUMBERS, "pred", "b32", "b64"))
    kind = getattr(types, name)
    if not kind.is_int and sign in ("//", "%", *("&|^" if kind.kind != "pred" else ())):
        return None  # of integers, says the language
    word = INSTRUCTIONS[sign] + ".lo" * (sign == "*" and kind.is_int)
    plain = f"u{kind.bits}" if name[0] == "b" and name[1:].isdigit() else name
    end = name if kind.kind == "pred" else f"b{kind.bits}" if sign in "&|^" else plain
    return Drawn(
        lambda r: PYTHONS[sign](r["a"][0], r["b"][0]), f"{word}.{end} %, %a0, %b0", [("a", name, 1), ("b", name, 1)]
    )


def conversion(rng):
    want, have = rng.choice(NUMBERS), rng.choice(NUMBERS)
    texts = tuple(f"cvt{way}.{want}.{have} %, %a0" for way in ("", ".rn", ".rzi"))
    return Drawn(lambda r: r["a"][0].to(getattr(types, want)), texts, [("a", have, 1)])


def barrier(rng):
    number, threads = rng.randrange(-2, 18), rng.choice([None, 0, 31, 32, 64, 96, -32, 1024])
    return Drawn(
        lambda r: ptx.bar_sync(number, threads), f"bar.sync {number}{'' if threads is None else f', {threads}'}", []
    )


def fence(rng):
    word = rng.choice(["cta", "cluster", "gpu", "sys", "warp", "global", "shared::cta", "shared::cluster", "local"])
    if rng.random() < 0.5:
        return Drawn(lambda r: ptx.fence.acq_rel(word), f"fence.acq_rel.{word}", [])
    return Drawn(lambda r: ptx.fence.proxy_async(word), f"fence.proxy.async.{word}", [])


def cluster(rng):
    words = rng.sample(["release", "relaxed", "acquire", "aligned", "sync"], rng.randrange(3))
    wait = rng.random() < 0.5
    act = ptx.cluster.wait if wait else ptx.cluster.arrive
    return Drawn(lambda r: act(*words), ".".join(["barrier.cluster", "wait" if wait else "arrive", *words]), [])


def tma(rng):
    rank, mask, hint = rng.randrange(1, 7), rng.random() < 0.5, rng.random() < 0.5
    coords = ", ".join(f"%c{i}" for i in reversed(range(rank)))
    name = f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    text = (
        name
        + ".multicast::cluster" * mask
        + ".L2::cache_hint" * hint
        + f" [%d0], [%m0, {{{coords}}}], [%bar0]"
        + ", %k0" * mask
        + ", %h0" * hint
    )
    return Drawn(
        lambda r: ptx.tma.load(
            r["d"][0],
            r["m"][0],
            r["c"],
            r["bar"][0],
            mask=r["k"][0] if mask else None,
            policy=r["h"][0] if hint else None,
        ),
        text,
        [("d", "u32", 1), ("m", "u64", 1), ("c", "s32", rank), ("bar", "u32", 1), ("k", "b16", 1), ("h", "b64", 1)],
    )


FAMILIES = {
    f.__name__: f for f in (mma, matrices, wgmma, cp_async, operators, conversion, barrier, fence, cluster, tma)
}


def refused(text: str, held: dict[str, str]) -> AveError | None:
    """The table's refusal of an instruction that is spelled out; `%` alone stands for its new register."""
    (node,) = parse_body(text.replace("%,", "_,") + ";", registers=frozenset(held))
    found = check(node, types=held.get)
    return None if found is not None and "nothing would keep the result" in str(found) else found


def outcome(drawn: Drawn) -> tuple[str, bool]:
    """(what is written, or the code of the refusal; whether the table has what was meant)."""
    held = {f"%{name}{i}": getattr(types, kind).held for name, kind, count in drawn.registers for i in range(count)}

    def body():
        declared = [
            (name, reg.declare(getattr(types, kind), f"%{name}<{count}>")) for name, kind, count in drawn.registers
        ]
        drawn.call(dict(declared))

    fits = [text for text in drawn.texts if refused(text, held) is None]
    try:
        written = lines(body)[-1]
    except AveError as e:
        assert e.span is not None and e.span.file == __file__
        return e.code or "", bool(fits)
    (node,) = parse_body(written + ";", registers=frozenset(held))
    assert forms_of(node.parts) and check(node, types=lambda x: held.get(x)) is None, written
    assert fits and re.sub(r"^(\S+) %\w+,", r"\1 %,", written) in (
        fits[0],
        re.sub(r"^(\S+) %\w+,", r"\1 %,", fits[0]),
    ), (written, fits)
    return written, True


@pytest.mark.parametrize("family", FAMILIES)
def test_taken_where_the_table_has_it(family):
    rng, taken, left = random.Random(family), 0, 0
    for _ in range(DRAWS):
        drawn = FAMILIES[family](rng)
        if drawn is None:
            continue
        said, fits = outcome(drawn)
        coded = re.fullmatch(r"[A-Z]\d{3}", said) is not None
        assert coded != fits, (drawn.texts, said)
        taken, left = taken + fits, left + coded
    assert taken >= 5 and left >= 5, (taken, left)  # both happen


def test_a_fact_of_its_own_would_be_noticed(monkeypatch):
    """The control: a call that knows better than the table."""
    import avelang.ptx.mma_ops as mma_ops

    real = mma_ops.forms_of
    monkeypatch.setattr(mma_ops, "forms_of", lambda parts: () if "m16n8k16" in parts else real(parts))
    with pytest.raises(AssertionError):
        test_taken_where_the_table_has_it("mma")


def test_the_questions():
    assert first_known(("mul", "lo", "f32"), ("mul", "f32")) == ("mul", "f32") and first_known(("add", "pred")) is None
    assert counts(("ldmatrix", "sync", "aligned", "m8n8", "x4", "shared", "b16")) == [4, 1]
    assert operands_of(("cp", "async", "cg", "shared", "global"))[2].values == ("16",)
    assert ("mma", "sync", "aligned", "m16n8k4", "row", "col", "f32", "tf32", "tf32", "f32") in set(
        names(("mma", "sync", "aligned"), 10)
    )
