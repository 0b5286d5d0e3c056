"""Loads and stores of every address shape under every kind of mask, as native code, against the reference executor bit
for bit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from avelang.ir.dtypes import BY_NAME
from avelang.ir.text import parse_kernel
from avelang.ir.types import VecType
from avelang.ir.verify import verify
from avelang.sim import reference
from emit.llvm.native import Native

# Element index of a lane (u32 %e) from %t, its thread number, and the scalar %s = 37, with what comes before.
SHAPES = {
    "uniform": "%e = add(%s, %zero) : u32",
    "consecutive": "%e = add(%t, %s) : u32",
    "backward": "%e = sub(%c255, %t) : u32",
    "stride 2": "%e = mul(%t, %two) : u32",
    "stride 3": "%e = mul(%t, %three) : u32",
    "rows": "%lo = and(%t, %c31) : u32\n%m = mul(%lo, %s) : u32\n%h = shr(%t, %five) : u32\n%e = add(%m, %h) : u32",
    "runs of 8": "%h = shr(%t, %three) : u32\n%m = mul(%h, %s) : u32\n%lo = and(%t, %c7) : u32\n%e = add(%m, %lo) : "
    "u32",
    "few": "%h = shr(%t, %five) : u32\n%e = mul(%h, %s) : u32",
    "two terms": "%h = shr(%t, %five) : u32\n%m = mul(%h, %s) : u32\n%lo = and(%t, %c7) : u32\n%s2 = add(%s, %three) "
    ": u32\n"
    "%n = mul(%lo, %s2) : u32\n%e = add(%m, %n) : u32",
    "scattered": "%q = mul(%t, %t) : u32\n%e = rem(%q, %c255) : u32",
    "wrapped": "%u = sub(%t, %one) : u32\n%e = add(%u, %zero) : u32",
}
MASKS = {
    "full": None,
    "known": "%c = cmp(%t, %c9) {'pred': 'lt'} : u1",
    "odd": "%bit = and(%t, %one) : u32\n%c = cmp(%bit, %one) {'pred': 'eq'} : u1",
    "dynamic": "%c = cmp(%t, %s) {'pred': 'ge'} : u1",
    "low": "%c = cmp(%t, %zero) {'pred': 'ne'} : u1",
    "none": "%c = cmp(%s, %t) {'pred': 'gt'} : u1\n",
}
CONSTS = {"zero": 0, "one": 1, "two": 2, "three": 3, "five": 5, "c7": 7, "c9": 9, "c31": 31, "c255": 255}
SIZE = 4096


def program(access: str, shape: str, mask: str, block: int) -> str:
    head = [f'%{n} = const {{"value": {v}}} : u32' for n, v in CONSTS.items()]
    head += ['%t = thread_id {"dim": 0} : u32', SHAPES[shape], "%e64 = convert(%e) : i64", "%t64 = convert(%t) : i64"]
    if MASKS[mask] is None:
        return "\n".join([*head, access])
    return "\n".join([*head, MASKS[mask] or "", "if(%c) { ^():", access, "yield", "} { ^():", "yield", "}"])


def run_both(params: str, body: str, arrays: list[np.ndarray], block: int = 64) -> list[np.ndarray]:
    k = parse_kernel(f"kernel @k({params}, %s: u32) {{'wave': 64, 'block': ({block}, 1, 1)}} {{\n{body}\n}}\n")
    verify(k, "addresses")
    got, want = [a.copy() for a in arrays], [a.copy() for a in arrays]
    reference.run(k, [*want, 37], (1, 1, 1), (block, 1, 1))
    Native(k).run([*got, 37])
    for g, x in zip(got, want, strict=True):
        np.testing.assert_array_equal(g.view(np.uint8), x.view(np.uint8))
    return got


def value_type(d: str, n: int) -> str:
    return d if n == 1 else str(VecType(BY_NAME[d], n))


CASES = [
    ("f32", 1),
    ("bf16", 1),
    ("u8", 1),
    ("f64", 1),
    ("i32", 4),
    ("bf16", 4),
    ("u8", 2),
    ("f32", 3),
    ("i32", 2),
    ("f64", 2),
    ("f16", 8),
    ("f32", 32),
]


def allowed(shape: str, mask: str) -> bool:
    # Lane 0 of "wrapped" lies outside; so only masks that leave it out.
    return shape != "wrapped" or mask in ("odd", "dynamic", "low")


# A vector longer than a register takes the same ways as two short ones: four shapes will do.
PAIRS = [(s, d, n) for s in SHAPES for d, n in CASES if n < 32 or s in ("consecutive", "backward", "rows", "scattered")]


@pytest.mark.parametrize("shape,d,n", PAIRS)
def test_global(shape: str, d: str, n: int):
    """A load in each shape, stored lane after lane; then a store in that shape."""
    size, vt = BY_NAME[d].bytes, value_type(d, n)
    rng = np.random.default_rng(0)
    source = rng.integers(0, 100, SIZE * max(4, n) * size // 4, dtype=np.uint32).view(np.uint8).view(BY_NAME[d].np)
    # Elements of a lane begin at n times its index for a third of the masks, at the index itself for the others:
    # unaligned vectors.
    pair = list(SHAPES).index(shape) + CASES.index((d, n))
    for i, mask in enumerate(MASKS):
        # A third of the masks for each pair: every mask meets every shape and every case.
        if not allowed(shape, mask) or (i + pair) % 3:
            continue
        step = size * (n if i % 2 == 0 else 1)
        common = (
            f'%z = const {{"value": {step}}} : i64\n%o = mul(%e64, %z) : i64\n%w = const {{"value": {size * n}}} : '
            f'i64\n%p = mul(%t64, %w) : i64\n'
        )
        load = common + f'%x = ld(%a, %o) {{"align": {size}}} : {vt}\nst(%x, %b, %p) {{"align": {size}}}'
        store = common + f'%x = ld(%a, %p) {{"align": {size}}} : {vt}\nst(%x, %b, %o) {{"align": {size}}}'
        params = f"%a: ptr<{d}, global>, %b: ptr<{d}, global>"
        for access in (load, store) if shape not in ("few", "uniform") or mask != "none" else (load,):
            run_both(params, program(access, shape, mask, 64), [source, np.zeros_like(source)])


@pytest.mark.parametrize("block", [64, 100, 128, 200])
@pytest.mark.parametrize("shape", ["consecutive", "stride 2", "scattered", "backward"])
def test_partial_waves(shape: str, block: int):
    """The last wave of a block may have fewer lanes than a wave: the others touch nothing."""
    body = program(
        '%z = const {"value": 4} : i64\n%o = mul(%e64, %z) : i64\n%x = ld(%a, %o) {"align": 4} : i32\nst(%x, %b, %o) '
        '{"align": 4}',
        shape,
        "full",
        block,
    )
    source = np.arange(1024, dtype=np.int32)
    run_both("%a: ptr<i32, global>, %b: ptr<i32, global>", body, [source, np.zeros(1024, np.int32)], block)


@pytest.mark.parametrize(
    "shape,mask",
    list(itertools.product(["consecutive", "stride 2", "rows", "scattered"], ["full", "known", "dynamic"])),
)
@pytest.mark.parametrize("d,n", [("f32", 1), ("i32", 4), ("bf16", 4), ("u8", 1)])
def test_shared(shape: str, mask: str, d: str, n: int):
    """Into shared memory in one shape, out of it in the same."""
    size, vt = BY_NAME[d].bytes, value_type(d, n)
    access = "\n".join([
        f'%z = const {{"value": {size * n}}} : i64', "%o = mul(%e64, %z) : i64", "%p = mul(%t64, %z) : i64",
        f'%m_ = alloc {{"name": "m", "align": 16}} : tensor<{d}, ({SIZE * n}):(1), shared>',
        f"%mp = base(%m_) : ptr<{d}, shared>",
        f'%x = ld(%a, %p) {{"align": {size}}} : {vt}', f'st(%x, %mp, %o) {{"align": {size}}}',
        f'%y = ld(%mp, %o) {{"align": {size}}} : {vt}', f'st(%y, %b, %p) {{"align": {size}}}',
    ])  # fmt: skip
    source = np.random.default_rng(1).integers(0, 256, 64 * n * size).astype(np.uint8).view(BY_NAME[d].np)
    run_both(
        f"%a: ptr<{d}, global>, %b: ptr<{d}, global>", program(access, shape, mask, 64), [source, np.zeros_like(source)]
    )


@pytest.mark.parametrize("mask", ["full", "known", "dynamic"])
@pytest.mark.parametrize("index", ["%zero", "%s7", "%t7"])
@pytest.mark.parametrize("d,n", [("f32", 1), ("u16", 2), ("bf16", 1)])
def test_local(mask: str, index: str, d: str, n: int):
    """Registers as memory: written in full as 32-bit words, read back as other elements at a constant, a scalar and a
    varying place."""
    size, vt = BY_NAME[d].bytes, value_type(d, n)
    lines = [
        '%m_ = alloc {"name": "m", "align": 16} : tensor<u32, (16):(1), local>',
        "%mp = base(%m_) : ptr<u32, local>",
    ]
    for i in range(16):
        lines += [f'%k{i} = const {{"value": {i * 65537 * 3}}} : u32', f"%v{i} = add(%t, %k{i}) : u32",
            f'%o{i} = const {{"value": {4 * i}}} : i64',
                  f'st(%v{i}, %mp, %o{i}) {{"align": 4}}']  # fmt: skip
    lines += ["%s7 = and(%s, %c7) : u32", "%t7 = and(%t, %c7) : u32", f"%ix = convert({index}) : i64",
        f'%z = const {{"value": {size * n}}} : i64',
              "%o = mul(%ix, %z) : i64", f'%x = ld(%mp, %o) {{"align": {size}}} : {vt}', "%p = mul(%t64, %z) : i64",
              f'st(%x, %b, %p) {{"align": {size}}}', f'st(%x, %mp, %z) {{"align": {size}}}',
              f'%y = ld(%mp, %z) {{"align": {size}}} : {vt}',
              f'st(%y, %a, %p) {{"align": {size}}}']  # fmt: skip
    zeros = np.zeros(64 * n, BY_NAME[d].np)
    run_both(
        f"%a: ptr<{d}, global>, %b: ptr<{d}, global>",
        program("\n".join(lines), "consecutive", mask, 64),
        [zeros, zeros],
    )


def test_highest_lane_wins_where_lanes_write_one_element():
    body = program(
        '%z = const {"value": 4} : i64\n%o = mul(%e64, %z) : i64\nst(%t, %a, %o) {"align": 4}', "few", "full", 64
    )
    (out,) = run_both("%a: ptr<u32, global>", body, [np.zeros(64, np.uint32)])
    assert out[0] == 31 and out[37] == 63


def test_inactive_lanes_touch_no_memory():
    """The page behind the array is not there: a wide access under a mask must not reach into it."""
    import mmap

    pages = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    whole = np.frombuffer(pages, np.float32)
    end = 2 * mmap.PAGESIZE // 4
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(whole.ctypes.data + 2 * mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    for n, vt in ((1, "f32"), (4, "vec<4 x f32>"), (2, "vec<2 x f32>")):
        tail = whole[end - 9 * n : end]
        tail[:] = np.arange(9 * n)
        body = (
            f'%z = const {{"value": {4 * n}}} : i64\n%o = mul(%t64, %z) : i64\n%x = ld(%a, %o) {{"align": 4}} : '
            f'{vt}\nst(%x, %b, %o) {{"align": 4}}'
        )
        for mask in ("%c = cmp(%t, %c9) {'pred': 'lt'} : u1", "%c = cmp(%t, %s) {'pred': 'lt'} : u1"):
            text = program(body, "consecutive", "known", 64).replace(MASKS["known"] or "", mask)
            k = parse_kernel(
                f"kernel @k(%a: ptr<f32, global>, %b: ptr<f32, global>, %s: u32) {{'wave': 64, 'block': (64, 1, 1)}} "
                f"{{\n{text}\n}}\n"
            )
            out = np.zeros(64 * n, np.float32)
            Native(k).run([tail, out, 9])
            np.testing.assert_array_equal(out[: 9 * n], np.arange(9 * n))
            assert not out[9 * n :].any()
    assert libc.mprotect(ctypes.c_void_p(whole.ctypes.data + 2 * mmap.PAGESIZE), mmap.PAGESIZE, 3) == 0
