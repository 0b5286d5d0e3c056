"""multimem on replicas of memory in this process: each form against NumPy, several GPUs at once, and what is reported."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang.base.errors import AveError
from avelang.sim.ptx import Multicast, Program
from sim.ptx.texts import kernel, memory

TYPES = {"u32": np.uint32, "s32": np.int32, "u64": np.uint64, "s64": np.int64, "b32": np.uint32, "b64": np.uint64,
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
    "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}  # fmt: skip
RULES = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor}  # fmt: skip


def forms() -> list[tuple[str, str, int, str, int]]:
    """(operation, type, elements of a register's type, words, registers) of loads that reduce."""
    out = [(op, t, 1, "", 1) for ops, types in (("add", "u32 s32 u64"), ("and or xor", "b32 b64"), ("min max", "u32 s32 u64 s64"))
        for op in ops.split() for t in types.split()]  # fmt: skip
    out += [("add", "f32", 1, "", n) for n in (1, 2, 4)] + [("add", "f64", 1, "", 1)]
    for op in ("add", "min", "max"):
        for t in ("f16", "bf16"):
            for acc in ("", ".acc::f32") if op == "add" else ("",):
                out += [(op, t, 1, acc, 4), (op, t, 2, acc, 1), (op, t, 2, acc, 4)]
        out += [(op, t, k, "", n) for t in ("e4m3", "e5m2") for k, n in ((1, 8), (2, 4), (4, 1))]
    return out


def whole(t: str, shape: tuple[int, ...], rng: np.random.Generator, op: str) -> np.ndarray:
    """Numbers whose sums are exact in every order."""
    numbers = rng.integers(0, 8, shape)
    if t[0] in "su" or t[0] == "b" and t != "bf16":
        return numbers.astype(TYPES[t]) * (1 if t[0] != "s" else 3) - (5 if t[0] == "s" else 0)
    return (numbers - 3).astype(TYPES[t])


def text_of(t: str, packed: int, count: int) -> tuple[str, str, str]:
    """(the type of registers, their names in the instruction, its type)."""
    bits = np.dtype(TYPES[t]).itemsize * 8 * packed
    regs = [f"%x{k}" for k in range(count)]
    return (f"b{max(bits, 16)}" if t not in ("f32", "f64") else t), "{" + ", ".join(regs) + "}" if count > 1 else regs[0], (
        f"{t}x{packed}" if packed > 1 else t)  # fmt: skip


def module(body: str, kind: str, count: int) -> str:
    regs = f".reg .{kind} {', '.join(f'%x{k}' for k in range(count))};"
    return kernel(f"{regs} mov.u32 %r0, %tid.x; {body} ret;", 2, "sm_100a").replace("8.6", "8.8")


@pytest.mark.parametrize(("op", "t", "packed", "words", "count"), forms())
def test_a_load_reduces_all_replicas(op, t, packed, words, count):
    rng, n = np.random.default_rng(3), 32 * packed * count
    replicas = [whole(t, (n,), rng, op) for _ in range(3)]
    kind, regs, type_ = text_of(t, packed, count)
    size = np.dtype(TYPES[t]).itemsize * packed * count
    vec = f".v{count}" if count > 1 else ""
    plain = np.dtype(TYPES[t]).itemsize * packed * 8
    body = f"""mul.wide.u32 %d0, %r0, {size}; add.u64 %d1, %d0, %p0; add.u64 %d2, %d0, %p1;
        multimem.ld_reduce.relaxed.sys.global.{op}{words}{vec}.{type_} {regs}, [%d1]; st.global{vec}.b{plain} [%d2], {regs};"""
    if count == 8:
        body = body.replace(f"st.global.v8.b{plain} [%d2], {regs};", " ".join(f"st.global.b8 [%d2+{k}], %x{k};" for k in range(8)))
    many, out = Multicast(replicas), np.zeros(n, TYPES[t])
    Program(module(body, kind, count)).launch([many.address, out.ctypes.data], (1, 1, 1), (32, 1, 1), memory=memory(out),
        multicast=[many])  # fmt: skip
    want = replicas[0].astype(np.float64) if t[0] in "fe" or t == "bf16" else replicas[0]
    for r in replicas[1:]:
        want = RULES[op](want, r.astype(want.dtype))
    assert (out == want.astype(TYPES[t])).all()


@pytest.mark.parametrize(("op", "t", "packed", "words", "count"), [f for f in forms() if f[1][0] != "e" and not f[3]
    and (f[0] == "add" or f[1][0] in "bus") and f[1] != "bf16" or f[1] == "bf16" and f[0] == "add" and not f[3]])  # fmt: skip
def test_a_reduction_goes_to_all_replicas(op, t, packed, words, count):
    rng, n = np.random.default_rng(4), 32 * packed * count
    replicas = [whole(t, (n,), rng, op) for _ in range(3)]
    x = whole(t, (n,), rng, op)
    want = [RULES[op](r, x).astype(TYPES[t]) for r in replicas]
    kind, regs, type_ = text_of(t, packed, count)
    size = np.dtype(TYPES[t]).itemsize * packed * count
    vec, plain = f".v{count}" if count > 1 else "", np.dtype(TYPES[t]).itemsize * packed * 8
    body = f"""mul.wide.u32 %d0, %r0, {size}; add.u64 %d1, %d0, %p0; add.u64 %d2, %d0, %p1;
        ld.global{vec}.b{plain} {regs}, [%d2]; multimem.red.relaxed.sys.global.{op}{vec}.{type_} [%d1], {regs};"""
    many = Multicast(replicas)
    Program(module(body, kind, count)).launch([many.address, x.ctypes.data], (1, 1, 1), (32, 1, 1), memory=memory(x),
        multicast=[many])  # fmt: skip
    assert all((a == b).all() for a, b in zip(replicas, want, strict=True))


@settings(max_examples=20, deadline=None)
@given(values=st.lists(st.lists(st.floats(-60000, 60000, width=16), min_size=4, max_size=4), min_size=2, max_size=5))
def test_sums_of_halves_are_rounded_where_the_words_say(values):
    """Without .acc::f32 after each addition, with it once."""
    replicas = [np.array(v, np.float16) for v in values]
    out, many = np.zeros(8, np.float16), Multicast(replicas)
    body = """setp.ne.u32 %q0, %r0, 0; @%q0 ret; multimem.ld_reduce.global.add.v4.f16 {%x0, %x1, %x2, %x3}, [%p0];
        st.global.v4.b16 [%p1], {%x0, %x1, %x2, %x3};
        multimem.ld_reduce.global.add.acc::f32.v4.f16 {%x0, %x1, %x2, %x3}, [%p0]; st.global.v4.b16 [%p1+8], {%x0, %x1, %x2, %x3};"""
    Program(module(body, "b16", 4)).launch([many.address, out.ctypes.data], (1, 1, 1), (32, 1, 1), memory=memory(out),
        multicast=[many])  # fmt: skip
    with np.errstate(all="ignore"):
        once, each = replicas[0].astype(np.float32), replicas[0]
        for r in replicas[1:]:
            once, each = once + r.astype(np.float32), (each + r).astype(np.float16)
        assert np.array_equal(out[:4], each, equal_nan=True)
        assert np.array_equal(out[4:], once.astype(np.float16), equal_nan=True)


# Each GPU has its part of the sum stored to all; a barrier between GPUs stands before and behind, in a word of each.
ALL_REDUCE = """
.reg .b32 %seen; mov.u32 %r0, %tid.x; setp.ne.u32 %q0, %r0, 0; @%q0 bra IN;
fence.acq_rel.sys; multimem.red.release.sys.global.add.u32 [%p1], 1;
W: ld.acquire.sys.global.u32 %seen, [%p2]; setp.lt.u32 %q1, %seen, 4; @%q1 bra W;
IN: bar.sync 0; cvt.u32.u64 %r1, %p3; shl.b32 %r1, %r1, 5; add.u32 %r1, %r1, %r0; mul.wide.u32 %d0, %r1, 16; add.u64 %d1, %d0, %p0;
multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%f0, %f1, %f2, %f3}, [%d1];
multimem.st.relaxed.sys.global.v4.f32 [%d1], {%f0, %f1, %f2, %f3};
bar.sync 0; @%q0 bra END; multimem.red.release.sys.global.add.u32 [%p1], 1;
X: ld.acquire.sys.global.u32 %seen, [%p2]; setp.lt.u32 %q1, %seen, 8; @%q1 bra X; END: ret;
"""


@pytest.mark.parametrize("check", [(), ("races", "init")])
def test_an_all_reduce_of_four(check):
    rng = np.random.default_rng(0)
    parts = [rng.integers(-99, 99, 4 * 128).astype(np.float32) for _ in range(4)]
    flags = [np.zeros(1, np.uint32) for _ in range(4)]
    want = sum(parts)
    data, bars = Multicast(parts, "data"), Multicast(flags, "flags")
    args = [[data.address, bars.address, f.ctypes.data, k] for k, f in enumerate(flags)]
    own = [[(f.ctypes.data, 4, "flag", True)] for f in flags]
    ran = Program(kernel(ALL_REDUCE, 4)).launch_peers(args, (1, 1, 1), (32, 1, 1), memory=own, multicast=[data, bars],
        check=check)  # fmt: skip
    assert len(ran) == 4 and min(ran) > 0
    assert all((p == want).all() for p in parts)


BULK = """
.shared .align 16 .b8 s[512]; mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, 16; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
st.shared.v4.u32 [%r2], {%r0, 1, 2, 3}; fence.proxy.async.shared::cta; bar.sync 0; setp.ne.u32 %q0, %r0, 0; @%q0 bra END; INSTRUCTION
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END: ret;
"""


def bulk(instruction: str, chip: str = "sm_90a") -> str:
    return kernel(BULK.replace("INSTRUCTION", instruction), 1, chip).replace("8.6", "9.1")


@pytest.mark.parametrize("check", [(), ("races",)])
def test_bulk_copies_go_to_all_replicas(check):
    source = np.array([[k, 1, 2, 3] for k in range(32)], np.uint32)
    for what, chip, rule in (("multimem.cp.async.bulk.global.shared::cta.bulk_group [%p0], [s], 512;", "sm_90a", lambda r: source),
            ("multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%p0], [s], 512;", "sm_90a", lambda r: r + source),
            ("mov.u16 %h0, 0xF00F; multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%p0], [s], 512, %h0;", "sm_100a",
                lambda r: np.where([True, False, False, True], source, r))):  # fmt: skip
        replicas = [np.full((32, 4), 7 + k, np.uint32) for k in range(3)]
        want, many = [rule(r.copy()) for r in replicas], Multicast(replicas)
        Program(bulk(what, chip)).launch([many.address], (1, 1, 1), (32, 1, 1), multicast=[many], check=check)
        assert all((r == w).all() for r, w in zip(replicas, want, strict=True))


RACE = """
.reg .b32 %x; mov.u32 %r0, %ctaid.x; setp.ne.u32 %q0, %r0, 0; @%q0 bra B;
multimem.st.relaxed.gpu.global.u32 [%p0+4], 7; FENCE multimem.st.relaxed.gpu.global.u32 [%p0], 1; ret;
B: ld.acquire.gpu.global.u32 %x, [%p1]; setp.eq.u32 %q1, %x, 0; @%q1 bra B; ld.global.u32 %x, [%p1+4]; st.global.u32 [%p1+8], %x; ret;
"""


def test_races_on_a_replica_are_found():
    """A relaxed store through the object, a plain load of the replica: a fence before the flag orders them."""
    for fence, fine in (("fence.acq_rel.gpu;", True), ("", False)):
        replicas = [np.zeros(4, np.uint32) for _ in range(2)]
        many = Multicast(replicas)
        args = [many.address, replicas[0].ctypes.data]
        program = Program(kernel(RACE.replace("FENCE", fence), 2))
        launch = lambda: program.launch(args, (2, 1, 1), (1, 1, 1), memory=memory(replicas[0]), multicast=[many], check=("races",))
        if fine:
            launch()
            assert replicas[0].tolist() == [1, 7, 7, 0] and replicas[1].tolist() == [1, 7, 0, 0]
        else:
            with pytest.raises(AveError, match="X040"):
                launch()


@pytest.mark.parametrize(
    ("body", "code", "why"),
    [
        ("ld.global.u32 %r1, [%p0];", "X032", "only `multimem` may reach it"),
        ("multimem.red.global.add.u32 [%p0+2], 1;", "X035", "no multiple of 4"),
        ("multimem.red.global.add.u32 [%p0+64], 1;", "X035", "`shared` of 64 bytes"),
        ("multimem.st.global.u32 [%p1], 1;", "X035", "not in a multicast object"),
        ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%p0], [s], 16;", "X032", "only `multimem` may reach it"),
    ],
)
def test_what_is_wrong_is_said(body, code, why):
    out, many = np.zeros(4, np.uint32), Multicast([np.zeros(16, np.uint32) for _ in range(2)], "shared")
    text = kernel(f".shared .align 16 .b8 s[16]; {body} ret;", 2)
    with pytest.raises(AveError, match=why) as caught:
        Program(text).launch([many.address, out.ctypes.data], (1, 1, 1), (1, 1, 1), memory=memory(out), multicast=[many])
    assert caught.value.code == code


def test_replicas_must_be_alike():
    with pytest.raises(AveError, match=r"X036.*of the same number of bytes"):
        Multicast([np.zeros(4), np.zeros(5)])
    many = Multicast([np.zeros(4, np.uint32)])
    many.replicas[0].flags.writeable = False
    with pytest.raises(AveError, match="read-only"):
        Program(kernel("multimem.st.global.u32 [%p0], 1; ret;")).launch([many.address], (1, 1, 1), (1, 1, 1), multicast=[many])
