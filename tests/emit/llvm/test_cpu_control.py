"""Branches, loops, barriers and lane ops as native code, against the reference executor bit for bit, and against Python
where that is short."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.ir.text import parse_kernel
from avelang.ir.verify import verify
from avelang.sim import reference
from emit.llvm.native import Native

HEAD = """%t = thread_id {"dim": 0} : u32
%ti = convert(%t) : i32
%zero = const {"value": 0} : i32
%one = const {"value": 1} : i32
%three = const {"value": 3} : i32
%seven = const {"value": 7} : i32
%fz = const {"value": 0.0} : f32
%t64 = convert(%t) : i64
%four = const {"value": 4} : i64
%o = mul(%t64, %four) : i64
%a = ld(%p, %o) {"align": 4} : i32
"""
A = np.random.default_rng(3).integers(-20, 20, 256).astype(np.int32)


def both(body: str, block: int = 64, s: int = 5, wave: int = 64, out: str = "i32", grid: int = 1) -> np.ndarray:
    """Runs `body`, which stores at %q, on both; %a is each thread's number, %s a scalar."""
    text = (
        f"kernel @k(%p: ptr<i32, global>, %q: ptr<{out}, global>, %s: i32) {{'wave': {wave}, 'block': ({block}, 1, "
        f"1)}} {{\n{HEAD}{body}\n}}\n"
    )
    k = parse_kernel(text)
    verify(k, "addresses")
    size = 32 * block
    got, want = np.zeros(size, np.int32), np.zeros(size, np.int32)
    reference.run(k, [A, want.view(np.float32) if out == "f32" else want, s], (grid, 1, 1), (block, 1, 1))
    Native(k).run([A, got, s], (grid, 1, 1))
    np.testing.assert_array_equal(got, want)
    return got[:block]


STORE = '\nst(%r, %q, %o) {"align": 4}'


@pytest.mark.parametrize("cond", ["cmp(%a, %zero)", "cmp(%s, %zero)", "cmp(%ti, %seven)", "cmp(%ti, %s)"])
@pytest.mark.parametrize("block", [64, 100, 128])
def test_if_with_results(cond: str, block: int):
    """Varying, uniform and known conditions; values of every form merge, one of them a whole accumulator."""
    body = f"""%c = {cond} {{"pred": "lt"}} : u1
    %r1, %r2, %r3 = if(%c) : i32, vec<16 x i32>, u1 {{ ^():
      %x = mul(%a, %three) : i32
      %v = vec(%x, %a, %s, %ti, %x, %a, %s, %ti, %x, %a, %s, %ti, %x, %a, %s, %one) : vec<16 x i32>
      yield(%s, %v, %c)
    }} {{ ^():
      %y = sub(%zero, %ti) : i32
      %u = vec(%y, %y, %y, %y, %a, %a, %a, %a, %s, %s, %s, %s, %one, %one, %one, %seven) : vec<16 x i32>
      %n = not(%c) : u1
      yield(%ti, %u, %n)
    }}
    %e = extract(%r2, %ti) : i32
    %f = extract(%r2, %s) : i32
    %g = select(%r3, %e, %f) : i32
    %h = add(%r1, %e) : i32
    %r = mul(%h, %g) : i32""".replace(
        "%e = extract(%r2, %ti)", "%i15 = and(%ti, %seven) : i32\n    %e = extract(%r2, %i15)"
    )
    both(body + STORE, block)


@pytest.mark.parametrize(
    "start,stop,step",
    [
        (0, 10, 3),
        (10, 0, -3),
        (0, 0, 1),
        (3, 4, 100),
        (2147483640, 2147483647, 3),
        (-2147483647, -2147483648, -2),
        (5, 9, 0),
        (0, 7, -1),
    ],
)
@pytest.mark.parametrize("form", ["uniform", "constant", "varying"])
def test_for_is_python_s_range(start: int, stop: int, step: int, form: str):
    """The same trips as Python's range, near the ends of the type too; a step of 0 runs none."""
    bounds = {n: f'%{n} = const {{"value": {v}}} : i32' for n, v in (("b", start), ("e", stop), ("d", step))}
    if form == "uniform":
        bounds = {
            n: f"{x.replace('%' + n, '%k' + n, 1)}\n%z{n} = sub(%s, %s) : i32\n%{n} = add(%k{n}, %z{n}) : i32"
            for n, x in bounds.items()
        }
    if form == "varying":
        bounds = {
            n: f"{x.replace('%' + n, '%k' + n, 1)}\n%z{n} = sub(%a, %a) : i32\n%{n} = add(%k{n}, %z{n}) : i32"
            for n, x in bounds.items()
        }
    body = "\n".join(bounds.values()) + """
    %n, %r = for(%b, %e, %d, %zero, %zero) : i32, i32 { ^(%i: i32, %x: i32, %y: i32):
      %m = add(%x, %one) : i32
      %w = xor(%y, %i) : i32
      yield(%m, %w)
    }
    %o2 = add(%o, %o256) : i64
    st(%n, %q, %o2) {"align": 4}"""  # fmt: skip
    out = both('%o256 = const {"value": 256} : i64\n' + body + STORE)
    trips = list(range(start, stop, step)) if step else []
    want = 0
    for i in trips:
        want ^= i
    assert out[0] == want


def test_loops_whose_trips_differ_by_lane():
    """Bounds, carried scalars and a carried accumulator differ by lane; lanes that have finished keep what they had."""
    body = """%v0 = vec(%a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a) : vec<16 x i32>
    %x, %v = for(%a, %seven, %three, %zero, %v0) : i32, vec<16 x i32> { ^(%i: i32, %y: i32, %u: vec<16 x i32>):
      %k = and(%i, %seven) : i32
      %z = add(%y, %i) : i32
      %w = insert(%u, %z, %k) : vec<16 x i32>
      yield(%z, %w)
    }
    %ka = and(%a, %seven) : i32
    %e = extract(%v, %ka) : i32
    %r = add(%x, %e) : i32"""
    both(body + STORE, 100)


@pytest.mark.parametrize("limit", ["%a", "%s"])
def test_while(limit: str):
    """Collatz steps of each lane, bounded by a varying or a uniform limit: the results are what the condition passed
    last."""
    body = f"""%bound = mul({limit}, %seven) : i32
    %n0 = abs(%a) : i32
    %x, %r = while(%n0, %zero) : i32, i32 {{ ^(%n: i32, %k: i32):
      %c1 = cmp(%n, %one) {{"pred": "gt"}} : u1
      %c2 = cmp(%k, %bound) {{"pred": "lt"}} : u1
      %c = and(%c1, %c2) : u1
      condition(%c, %n, %k)
    }} {{ ^(%n_: i32, %k_: i32):
      %odd = and(%n_, %one) : i32
      %is = cmp(%odd, %one) {{"pred": "eq"}} : u1
      %up = fma(%n_, %three, %one) : i32
      %down = shr(%n_, %one) : i32
      %m = select(%is, %up, %down) : i32
      %j = add(%k_, %one) : i32
      yield(%m, %j)
    }}"""
    both(body + STORE, 128)


def test_a_uniform_while_and_swapped_accumulators():
    """A uniform loop that swaps two carried vectors each trip: all are read before any is written."""
    body = """%v = vec(%a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a) : vec<16 x i32>
    %w = vec(%ti, %ti, %ti, %ti, %ti, %ti, %ti, %ti, %ti, %ti, %ti, %ti, %ti, %ti, %ti, %ti) : vec<16 x i32>
%x, %y = for(%zero, %s, %one, %v, %w) : vec<16 x i32>, vec<16 x i32> { ^(%i: i32, %f: vec<16 x i32>, %g: vec<16 x i32>):
      %h = add(%f, %g) : vec<16 x i32>
      yield(%g, %h)
    }
    %r = extract(%y, %three) : i32"""
    out = both(body + STORE)
    f, g = A[:64].copy(), np.arange(64, dtype=np.int32)
    for _ in range(5):
        f, g = g, f + g
    np.testing.assert_array_equal(out, g)


@pytest.mark.parametrize("block", [64, 128, 200, 256])
def test_waves_wait_for_one_another(block: int):
    """Each thread reads what the thread across the block wrote before the barrier, several times over, with values
    alive across it."""
    body = f"""%m_ = alloc {{"name": "m", "align": 16}} : tensor<i32, ({block}):(1), shared>
    %m = base(%m_) : ptr<i32, shared>
    %last = const {{"value": {4 * (block - 1)}}} : i64
    %across = sub(%last, %o) : i64
    %r = for(%zero, %s, %one, %a) : i32 {{ ^(%i: i32, %x: i32):
      st(%x, %m, %o) {{"align": 4}}
      barrier
      %y = ld(%m, %across) {{"align": 4}} : i32
      barrier
      %z = fma(%y, %three, %i) : i32
      %keep = add(%z, %x) : i32
      yield(%keep)
    }}"""
    out = both(body + STORE, block, grid=3)
    x = A[:block].copy()
    for i in range(5):
        x = x[::-1] * 3 + i + x
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("wave", [64, 32])
@pytest.mark.parametrize("kind", ["idx", "up", "down", "xor"])
@pytest.mark.parametrize("offset", ["%three", "%s", "%a", "%ti"])
def test_shuffle(wave: int, kind: str, offset: str):
    for width in (wave, 8, 1):
        for d in ("i32", "i64", "u8", "bf16"):
            body = (
                f'%x = convert(%a) : {d}\n%y = shuffle(%x, {offset}) {{"kind": "{kind}", "width": {width}}} : {d}\n'
                f'%r = convert(%y) : i32'
            )
            both(body + STORE, wave, wave=wave)


@pytest.mark.parametrize("wave", [64, 32])
def test_ballot_in_a_branch(wave: int):
    body = """%even = and(%ti, %one) : i32
    %c = cmp(%even, %zero) {"pred": "eq"} : u1
    %d = cmp(%a, %zero) {"pred": "gt"} : u1
    %r = if(%c) : i32 { ^():
      %b = ballot(%d) : u64
      %k = const {"value": 17} : u64
      %h = rem(%b, %k) : u64
      %x = convert(%h) : i32
      yield(%x)
    } { ^():
      yield(%zero)
    }"""
    both(body + STORE, wave, wave=wave)


@pytest.mark.parametrize("block", [(64, 1, 1), (8, 8, 2), (16, 3, 1), (5, 7, 3), (128, 2, 1), (32, 4, 2)])
def test_thread_coordinates(block: tuple[int, int, int]):
    """x + 1000 y + 1000000 z of each thread, where waves lie across rows of the block in every way."""
    lines = [f'%x{i} = thread_id {{"dim": {i}}} : u32' for i in range(3)] + [
        f'%w{i} = const {{"value": {1000**i}}} : u32' for i in range(3)
    ]
    lines += [
        "%y1 = mul(%x1, %w1) : u32",
        "%y2 = mul(%x2, %w2) : u32",
        "%y = add(%x0, %y1) : u32",
        "%r = add(%y, %y2) : u32",
    ]
    lines += [f'%bx = const {{"value": {block[0]}}} : u32', f'%by = const {{"value": {block[1]}}} : u32',
        "%k1 = mul(%x2, %by) : u32",
              "%k2 = add(%k1, %x1) : u32", "%k3 = mul(%k2, %bx) : u32", "%k = add(%k3, %x0) : u32",
              "%k64 = convert(%k) : i64",
              '%four = const {"value": 4} : i64', "%o = mul(%k64, %four) : i64",
              'st(%r, %q, %o) {"align": 4}']  # fmt: skip
    text = f"kernel @k(%q: ptr<u32, global>) {{'wave': 64, 'block': {block}}} {{\n" + "\n".join(lines) + "\n}\n"
    n = block[0] * block[1] * block[2]
    got = np.zeros(n, np.uint32)
    Native(parse_kernel(text)).run([got])
    z, y, x = np.meshgrid(*(np.arange(e) for e in block[::-1]), indexing="ij")
    np.testing.assert_array_equal(got, (x + 1000 * y + 1000000 * z).ravel())


@pytest.mark.parametrize("t", ["i32", "f32", "u64", "f16", "vec<2 x f16>", "vec<2 x bf16>"])
@pytest.mark.parametrize("space", ["global", "shared"])
def test_atomic_add(t: str, space: str):
    """Lanes that name one word add up, in order; each gets what stood there before."""
    d = t.split(" x ")[-1].strip(">")
    size = {"u64": 8, "f16": 2}.get(t, 4)
    make = f"%h = convert(%a) : {d}\n" + (
        f"%v = vec(%h, %h) : {t}" if t.startswith("vec") else f"%v = add(%h, %h) : {d}"
    )
    where = (
        "%m = ptr_add(%w, %zero64) : "
        if space == "global"
        else f'%m_ = alloc {{"name": "m", "align": 16}} : tensor<{d}, (32):(1), shared>\n%m = base(%m_) : '
    )
    zeros = (
        ""
        if space == "global"
        else "\n".join(
            f'%zo{i} = const {{"value": {i * size}}} : i64\nst(%zv, %m, %zo{i}) {{"align": 2}}' for i in range(8)
        )
    )
    clear = f'%zv = const {{"value": 0}} : {t}\n{zeros}'
    body = f"""%zero64 = const {{"value": 0}} : i64
    %w = ptr_add(%q, %zero64) : ptr<{d}, global>
    {where}ptr<{d}, {space}>
    {make}
    {clear}
    %k = and(%ti, %seven) : i32
    %k64 = convert(%k) : i64
    %sz = const {{"value": {size}}} : i64
    %at = mul(%k64, %sz) : i64
    %old = atomic_add(%v, %m, %at) : {t}
    %far = const {{"value": 256}} : i64
    %z = mul(%t64, %sz) : i64
    %place = add(%z, %far) : i64
    st(%old, %q, %place) {{"align": 2}}"""
    text = (
        f"kernel @k(%p: ptr<i32, global>, %q: ptr<{d}, global>) {{'wave': 64, 'block': (64, 1, 1)}} {{\n"
        f"{HEAD}{body}\n}}\n"
    )
    k = parse_kernel(text)
    verify(k, "addresses")
    got, want = np.zeros(4096, np.uint8), np.zeros(4096, np.uint8)
    reference.run(k, [A, want], (1, 1, 1), (64, 1, 1))
    Native(k).run([A, got])
    np.testing.assert_array_equal(got, want)
    assert want.any()


def test_printf_prints_each_active_lane_in_order(capfd: pytest.CaptureFixture[str]):
    body = """%c = cmp(%ti, %three) {"pred": "lt"} : u1
    if(%c) { ^():
      %f = convert(%a) : bf16
      %l = convert(%a) : i64
      %b = convert(%a) : u8
      printf(%ti, %f, %l, %b) {"format": "%d: %.2f %ld %u %%\\n"}
      yield
    } { ^():
      yield
    }"""
    text = f"kernel @k(%p: ptr<i32, global>) {{'wave': 64, 'block': (64, 1, 1)}} {{\n{HEAD}{body}\n}}\n"
    Native(parse_kernel(text)).run([A])
    assert capfd.readouterr().out == "".join(f"{i}: {float(A[i]):.2f} {A[i]} {A[i] & 255} %\n" for i in range(3))


def test_blocks_run_in_any_split_of_the_grid():
    """The entry runs the blocks [start, end), x fastest, so that threads may share a grid."""
    text = """kernel @k(%q: ptr<u32, global>) {'wave': 64, 'block': (1, 1, 1)} {
      %x = block_id {"dim": 0} : u32
      %y = block_id {"dim": 1} : u32
      %z = block_id {"dim": 2} : u32
      %gx = grid_dim {"dim": 0} : u32
      %gy = grid_dim {"dim": 1} : u32
      %a = mul(%z, %gy) : u32
      %b = add(%a, %y) : u32
      %c = mul(%b, %gx) : u32
      %i = add(%c, %x) : u32
      %i64 = convert(%i) : i64
      %four = const {"value": 4} : i64
      %o = mul(%i64, %four) : i64
      %one = const {"value": 1} : u32
      %n = add(%i, %one) : u32
      st(%n, %q, %o) {"align": 4}
    }
    """
    native, got = Native(parse_kernel(text)), np.zeros(30, np.uint32)
    native.run([got], (5, 3, 2), range(7, 19))
    np.testing.assert_array_equal(got, np.where((np.arange(30) >= 7) & (np.arange(30) < 19), np.arange(30) + 1, 0))
