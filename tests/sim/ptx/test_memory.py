"""Loads, stores and atomic operations in all spaces; module variables; accesses that are not allowed."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.ptx import Program
from sim.ptx.texts import filled, kernel, memory, run

LANE = np.arange(32, dtype=np.uint32)


@pytest.mark.parametrize("kind", ["b8", "b16", "b32", "b64"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_widths_and_vectors(kind, count):
    """Side by side, in an order of their own, and by some lanes only."""
    bits = int(kind[1:])
    if bits * count > 128:
        pytest.skip("16 bytes a lane at most")
    rng = np.random.default_rng(bits * count)
    order = rng.permutation(32).astype(np.uint32)
    data = rng.integers(0, 256, (32, count * bits // 8), np.uint8)
    out = np.zeros((3, *data.shape), np.uint8)
    prefix = {8: "h", 16: "h", 32: "r", 64: "d"}[bits]
    regs = ", ".join(f"%{prefix}{k + 10}" for k in range(count))
    regs = regs if count == 1 else "{" + regs + "}"
    v = "" if count == 1 else f".v{count}"
    size = data.shape[1]
    run(kernel(f"""
        mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, {size}; add.u64 %d1, %p0, %d0; add.u64 %d2, %p1, %d0;
        ld.global{v}.{kind} {regs}, [%d1]; st.global{v}.{kind} [%d2], {regs};
        mul.wide.u32 %d3, %r0, 4; add.u64 %d3, %d3, %p2; ld.global.u32 %r1, [%d3];
        mul.wide.u32 %d4, %r1, {size}; add.u64 %d5, %p0, %d4; ld{v}.{kind} {regs}, [%d5]; st{v}.{kind} [%d2+{32 * size}], {regs};
        setp.lt.u32 %q1, %r0, 7; @%q1 ld.global{v}.{kind} {regs}, [%d1]; @!%q1 st.global{v}.{kind} [%d2+{64 * size}], {regs}; ret;
        """, 3), data, out, order)
    assert (out[0] == data).all() and (out[1] == data[order]).all()
    assert (out[2][7:] == data[order][7:]).all() and not out[2][:7].any()


def test_narrow_loads_fill_wide_registers():
    data = np.array([0x80, 0xFF, 0x7F, 1] * 8, np.uint8)
    out = np.zeros((32, 2), np.int64)
    run(kernel("""mov.u32 %r0, %tid.x; cvt.u64.u32 %d0, %r0; add.u64 %d1, %d0, %p0; shl.b64 %d2, %d0, 4; add.u64 %d2, %d2, %p1;
        ld.global.s8 %d3, [%d1]; ld.global.u8 %d4, [%d1]; st.global.v2.b64 [%d2], {%d3, %d4};
        ld.global.u8 %r5, [%d1]; add.u32 %r5, %r5, 256; st.global.u8 [%d1], %r5; ret;""", 2), data, out)
    assert (out[:, 0] == data.view(np.int8)).all() and (out[:, 1] == data).all()


def test_shared_local_const_and_generic():
    outside = (".const .align 4 .u32 table[4] = {5, 6, 7, 8}; .global .u32 total = 40; .global .align 8 .u64 where = "
        "generic(total);")
    got = filled("""
        .shared .align 16 .b32 buffer[64]; .local .align 8 .b32 own[4]; .reg .b64 %generic;
        mov.u64 %d1, buffer; cvt.u64.u32 %d2, %r0; shl.b64 %d2, %d2, 2; add.u64 %d3, %d1, %d2; st.shared.u32 [%d3], %r0;
        cvta.shared.u64 %generic, %d3; ld.u32 %r1, [%generic]; isspacep.shared %q1, %generic; isspacep.local %q2, %generic;
        mov.u64 %d4, own; st.local.u32 [own+4], %r1; cvta.local.u64 %d5, %d4; ld.u32 %r2, [%d5+4]; isspacep.local %q3, %d5; isspacep.global %q4, %p0;
        and.b32 %r3, %r0, 3; mul.wide.u32 %d6, %r3, 4; mov.u64 %d7, table; add.u64 %d7, %d7, %d6; ld.const.u32 %r4, [%d7];
        mov.u64 %d8, where; ld.global.u64 %d9, [%d8]; ld.u32 %r5, [%d9];
        selp.u32 %r6, 1, 0, %q1; selp.u32 %r7, 10, 0, %q2; selp.u32 %r8, 100, 0, %q3; selp.u32 %r9, 1000, 0, %q4;
        add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r8; add.u32 %r6, %r6, %r9; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;
        mad.lo.u32 %r6, %r6, 1000, %r2; st.global.u32 [%d0], %r6; ret;""", outside=outside)
    assert (got == 1101000 + LANE + 5 + LANE % 4 + 40).all()


def test_dynamic_shared_memory_begins_behind_the_rest():
    got = filled("""
        .shared .align 4 .b8 first[5]; mov.u32 %r1, first; mov.u32 %r2, more; sub.u32 %r3, %r2, %r1; st.shared.u8 [first+4], %r0;
        mul.lo.u32 %r4, %r0, 4; add.u32 %r4, %r4, %r2; st.shared.u32 [%r4], %r0; ld.shared.u32 %r5, [%r4];
        mov.u32 %r6, %dynamic_smem_size; mad.lo.u32 %r3, %r3, 1000, %r6; add.u32 %r3, %r3, %r5; st.global.u32 [%d0], %r3; ret;
        """, outside=".extern .shared .align 16 .b8 more[];", shared_bytes=128)
    assert (got == 16000 + 128 + LANE).all()


ATOMS = {"add.u32": lambda a, b: a + b, "add.u64": lambda a, b: a + b, "min.s32": lambda a,
    b: np.minimum(a.view(np.int32), b.view(np.int32)).view(np.uint32), "max.u64": np.maximum, "and.b32": lambda a,
    b: a & b, "or.b64": lambda a, b: a | b, "xor.b32": lambda a, b: a ^ b, "exch.b32": lambda a, b: b,
    "inc.u32": lambda a, b: np.where(a >= b, 0, a + 1).astype(np.uint32), "dec.u32": lambda a,
    b: np.where((a == 0) | (a > b), b, a - 1).astype(np.uint32), "add.f32": lambda a,
    b: (a.view(np.float32) + b.view(np.float32)).view(np.uint32), "add.f64": lambda a,
    b: (a.view(np.float64) + b.view(np.float64)).view(np.uint64), "add.noftz.f16x2": lambda a,
    b: (a.view(np.float16) + b.view(np.float16)).view(np.uint32)}  # fmt: skip


@pytest.mark.parametrize("op", ATOMS)
@pytest.mark.parametrize("space", ["global", "shared", ""])
def test_atomic_operations(op, space):
    """Lanes meet at four places, in order: what each gets back, and what is left."""
    bits = 64 if op.endswith("64") else 32
    t, letter = (np.uint64, "d") if bits == 64 else (np.uint32, "r")
    rng = np.random.default_rng(len(op))
    if ".f" in op:
        half = np.float16 if "f16" in op else np.float32 if bits == 32 else np.float64
        start, values = (rng.standard_normal((n, bits // 8 // np.dtype(half).itemsize)).astype(half).view(t).ravel()
            for n in (4, 32))
    else:
        start, values = (rng.integers(0, 9 if op[:3] in ("inc", "dec") else 1 << 31, n).astype(t) for n in (4, 32))
    memory_, old, want_old, want = start.copy(), np.zeros(32, t), np.zeros(32, t), start.copy()
    for lane in range(32):
        want_old[lane] = want[lane % 4]
        want[lane % 4 : lane % 4 + 1] = ATOMS[op](want[lane % 4 : lane % 4 + 1], values[lane : lane + 1])
    place = "%d9" if space != "shared" else "%r9"
    run(kernel(f"""
        .shared .align 8 .b{bits} box[4]; mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, {bits // 8}; add.u64 %d1, %d0, %p1; add.u64 %d2, %d0, %p2;
        and.b32 %r1, %r0, 3; mul.wide.u32 %d3, %r1, {bits // 8}; add.u64 %d9, %d3, %p0; cvt.u32.u64 %r9, %d3; mov.u32 %r8, box; add.u32 %r9, %r9, %r8;
        ld.global.b{bits} %{letter}20, [%d1]; ld.global.b{bits} %{letter}21, [%d9];
        st.shared.b{bits} [%r9], %{letter}21;
        atom{'.' + space if space else ''}.{op} %{letter}22, [{place}], %{letter}20; st.global.b{bits} [%d2], %{letter}22;
        ld.shared.b{bits} %{letter}23, [%r9]; {f'st.global.b{bits} [%d9], %{letter}23;' if space == 'shared' else ''} ret;
        """, 3), memory_, values, old)
    assert (old == want_old).all() and (memory_ == want).all()


def test_compare_and_swap_and_reductions_of_vectors():
    words, out = np.array([3, 0], np.uint16), np.zeros(4, np.float32)
    run(kernel("""atom.global.cas.b16 %h1, [%p0], 3, 9; atom.global.cas.b16 %h2, [%p0], 3, 5; st.global.b16 [%p0+2], %h2;
        mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; red.global.v2.f32.add [%p1], {%f1, %f2}; red.global.add.f32 [%p1+12], %f2; ret;
        """.replace("red.global.v2.f32.add", "red.global.add.v2.f32"), 2), words, out, block=(1, 1, 1))
    assert words.tolist() == [9, 9] and out.tolist() == [1, 2, 0, 2]


FAULTS = {
    "st.global.u32 [%d0+4096], %r0;": r"\[X032\].*`st.global.u32 \[%d0\+4096\], %r0;` at line \d+ touches 4 bytes.*`array 0` of 128 bytes, which ends"
                                      r" \d+ bytes before \(thread \(\d+, 0, 0\) of block \(0, 0, 0\), warp 0, lane 0\)",
    "mov.u64 %d1, 16; ld.global.u32 %r1, [%d1];": r"\[X032\].*a null pointer",
    "ld.shared.u32 %r1, [64];": r"\[X032\].*0x40 of shared memory, which has 0 bytes",
    ".local .b32 own[2]; mov.u64 %d1, own; ld.local.u32 %r1, [%d1+16];": r"\[X032\].*0x10 of local memory, of which a thread has 16 bytes",
    "st.global.u32 [%d0+1], %r0;": r"\[X035\].*is no multiple of 4",
    "setp.eq.u32 %q1, %r0, 13; @%q1 ld.global.v2.u32 {%r1, %r2}, [%d0];": r"\[X035\].*no multiple of 8 \(thread \(13, 0, 0\)",
}  # fmt: skip


@pytest.mark.parametrize("body", FAULTS)
def test_accesses_that_are_not_allowed(body):
    with pytest.raises(AveError, match=FAULTS[body]):
        filled(body + " ret;")


def test_read_only_memory():
    data = np.zeros(32, np.uint32)
    data.flags.writeable = False
    with pytest.raises(AveError, match=r"\[X032\].*which is read-only") as caught:
        run(kernel("st.global.u32 [%p0], 1; ret;"), data)
    assert caught.value.code == "X032"
    assert memory(data)[0][3] is False


@pytest.mark.parametrize("space", [".global", "", ".shared"])
@pytest.mark.parametrize(
    ("load", "at", "want"),
    [
        ("%r1, %r3, %r2, %r4", 0, 5 + 7), ("%r1, %r3, %r4, %r5", 0, 5), ("%r1, %r2, %r3, _", 0, 5 + 6), ("%r3, %r4, %r5, %r1", 0, "X032"),
        ("%r1, %r3, %r2, %r4", 4, "X035"), ("%r3, %r4, %r1, %r5", 16, "X032"), ("%r3, %r4, %r5, %r6", 16, "X032"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("check", [(), ("all",)], ids=["", "all"])
def test_elements_of_a_vector_that_nothing_reads(load, at, want, space, check):
    """May be outside of memory, where the vector's address is a multiple of its size: LLVM fills up vectors so."""
    whole = np.zeros(16, np.uint32)
    x = whole[(-whole.ctypes.data % 16) // 4 :][:3]
    x[:] = 5, 6, 7
    near, base = "", "%p0"
    if space == ".shared":
        words = (f"ld.global.u32 %r1, [%p0+{k}]; st{space}.u32 [box+{k}], %r1;" for k in (0, 4, 8))
        near, base = f"{space} .align 16 .b32 box[3]; {' '.join(words)}", "box"
    body = (f"{near} mov.b32 %r2, 0; mov.b32 %r1, 0; ld{space}.v4.b32 {{{load}}}, [{base}+{at}]; add.u32 %r1, %r1, %r2; "
        f"st.global.u32 [%p0], %r1; ret;")
    program = Program(kernel(body))
    try:
        program.launch([x.ctypes.data], (1, 1, 1), (1, 1, 1), memory=memory(x), check=check)
        found = int(x[0])
    except AveError as e:
        found = e.code
    assert found == want


HALVES = {  # of three
    "ld.global.v2.b32 {%r1, %r2}, [%p0]; mov.b32 {%h1, %h2}, %r2; st.global.b16 [%p0], %h1;": 3.0,
    "ld.global.b32 %r1, [%p0+8]; st.global.b16 [%p0], 0;": "X032",
    "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%p0]; add.u32 %r1, %r3, %r4; st.global.b32 [%p0], %r1;": "X032",
    "mov.b32 %r1, 0; st.global.b32 [%p0+4], %r1;": "X032",
}


@pytest.mark.parametrize("check", [(), ("all",)], ids=["", "all"])
def test_the_last_word_of_an_odd_number_of_halves(check):
    """LLVM loads the third of three 16-bit floats by a word of which half is behind the array; a whole word behind it
    is a fault, and so is a store."""
    whole = np.zeros(16, np.float16)
    x = whole[(-whole.ctypes.data % 16) // 2 :][:3]
    for body, want in HALVES.items():
        x[:] = 1, 2, 3
        program = Program(kernel(body + " ret;"))
        try:
            program.launch([x.ctypes.data], (1, 1, 1), (1, 1, 1), memory=memory(x), check=check)
            found = float(x[0])
        except AveError as e:
            found = e.code
        assert found == want
