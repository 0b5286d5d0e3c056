"""Passes: each one alone on small kernels; what it must leave, and that the reference computes the same before and
after."""

import io

import numpy as np
import pytest

from avelang.ir.core import walk
from avelang.ir.elementwise import wrap
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.verify import verify
from avelang.passes.addresses import addresses
from avelang.passes.fold import fold
from avelang.passes.simplify import dead, simplify
from avelang.passes.specialize import specialize
from avelang.passes.uniformity import uniformity
from avelang.sim import reference

BLOCK = (64, 1, 1)

HEAD = "kernel @k(%A: tensor<f32, (8, 16):(16, 1), global>, %p: ptr<f32, global>, %n: u32)"
KERNELS = {
    "layouts": HEAD + """ {'wave': 64, 'chip': ''} {
      %t = thread_id {'dim': 0} : u32
      %d = block_dim {'dim': 0} : u32
      %two = const {'value': 2} : u32
      %four = const {'value': 4} : u32
      %sixteen = const {'value': 16} : u32
      %row = div(%t, %sixteen) : u32
      %col = rem(%t, %sixteen) : u32
      %C = make_tensor(%p, %n, %n) {'name': 'C'} : tensor<f32, (?, 16):(?, 1), global>
      %s = alloc {'name': 's', 'align': 16} : tensor<f32, (8, 16):(1, 8), shared>
      %x = load(%A, %row, %col) : f32
      store(%x, %s, %row, %col)
      barrier
      %w = subview(%s, %two, %four) : tensor<f32, (2, 4):(1, 8), shared>
      %zero = const {'value': 0} : u32
      %v = load(%w, %zero) : vec<4 x f32>
      %one = const {'value': 1} : u32
      %e = extract(%v) {'index': 1} : f32
      %y = load(%s, %row, %col) : f32
      %sum = add(%e, %y) : f32
      %scale = convert(%d) : f32
      %r = mul(%sum, %scale) : f32
      store(%r, %C, %row, %col)
    }""",
    "loops": HEAD + """ {'wave': 64, 'chip': ''} {
      %t = thread_id {'dim': 0} : u32
      %zero = const {'value': 0} : u32
      %one = const {'value': 1} : u32
      %init = const {'value': 0.0} : f32
      %eight = const {'value': 8} : u32
      %sixteen = const {'value': 16} : u32
      %col = rem(%t, %sixteen) : u32
      %bound = rem(%t, %eight) : u32
      %acc = for(%zero, %bound, %one, %init) : f32 { ^(%i: u32, %a: f32):
        %x = load(%A, %i, %col) : f32
        %c = cmp(%x, %init) {'pred': 'gt'} : u1
        %s = if(%c) : f32 { ^():
          %b = add(%a, %x) : f32
          yield(%b)
        } { ^():
          yield(%a)
        }
        yield(%s)
      }
      %C = make_tensor(%p, %n) {'name': 'C'} : tensor<f32, (?):(1), global>
      store(%acc, %C, %t)
    }""",
}


def run_args(kernel, n):
    a = np.arange(128, dtype=np.float32).reshape(8, 16) - 40
    c = np.full(64 * 16, -1, np.float32)
    reference.run(kernel, [a, c, n], (1, 1, 1), BLOCK, stdout=io.StringIO())
    return c


@pytest.mark.parametrize(("name", "n"), [("layouts", 16), ("loops", 64)])
def test_each_pass_keeps_the_meaning(name, n):
    kernel = parse_kernel(KERNELS[name])
    want = run_args(kernel, n)
    assert (want != -1).any()
    for step, phase in (
        (lambda k: specialize(k, BLOCK), "tensors"),
        (simplify, "tensors"),
        (addresses, "addresses"),
        (simplify, "addresses"),
        (uniformity, "addresses"),
    ):
        step(kernel)
        verify(kernel, phase)
        printed = print_kernel(kernel)
        assert print_kernel(parse_kernel(printed)) == printed
        np.testing.assert_array_equal(run_args(kernel, n), want)


def ops(text: str, *steps) -> list[str]:
    kernel = parse_kernel(text)
    for step in steps:
        step(kernel)
    verify(kernel)
    return [op.name for op in walk(kernel.body)]


def test_specialize_decides_thread_queries():
    text = """kernel @k(%p: ptr<u32, global>, %o: i64) {'wave': 64} {
      %x = thread_id {'dim': 0} : u32
      %y = thread_id {'dim': 1} : u32
      %d = block_dim {'dim': 0} : u32
      %a = add(%x, %y) : u32
      %b = mul(%a, %d) : u32
      st(%b, %p, %o) {'align': 4}
    }"""
    assert ops(text, lambda k: specialize(k, BLOCK), simplify) == ["thread_id", "const", "mul", "st"]


def test_simplify_folds_merges_and_removes():
    text = """kernel @k(%p: ptr<i32, global>, %o: i64, %n: i32) {'wave': 64} {
      %a = const {'value': 6} : i32
      %b = const {'value': 7} : i32
      %c = mul(%a, %b) : i32
      %forty = const {'value': 42} : i32
      %same = cmp(%c, %forty) {'pred': 'eq'} : u1
      %r = if(%same) : i32 { ^():
        %n1 = add(%n, %a) : i32
        yield(%n1)
      } { ^():
        st(%b, %p, %o) {'align': 4}
        yield(%n)
      }
      %n2 = add(%n, %a) : i32
      %n3 = mul(%r, %n2) : i32
      %unused = ld(%p, %o) {'align': 4} : i32
      st(%n3, %p, %o) {'align': 4}
    }"""
    assert ops(text, simplify) == ["const", "add", "mul", "st"]


def test_dead_keeps_what_acts():
    text = """kernel @k(%p: ptr<i32, global>, %o: i64, %c: u1) {'wave': 64} {
      barrier
      %v = const {'value': 1} : i32
      if(%c) { ^():
        st(%v, %p, %o) {'align': 4}
        yield
      } { ^():
        yield
      }
      if(%c) { ^():
        yield
      } { ^():
        yield
      }
    }"""
    assert ops(text, dead) == ["barrier", "const", "if", "st", "yield", "yield"]


NP = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "floordiv": np.floor_divide, "mod": np.mod,
      "and": np.bitwise_and, "or": np.bitwise_or,
      "xor": np.bitwise_xor, "min": np.minimum, "max": np.maximum}  # fmt: skip


@pytest.mark.parametrize("t", ["i8", "u8", "i32", "u32", "i64", "u64"])
@pytest.mark.parametrize("name", [*NP, "div", "rem", "shl", "shr"])
def test_fold_against_numpy(name, t):
    kernel = parse_kernel(f"kernel @k() {{}} {{\n %a = const {{'value': 0}} : {t}\n %b = const {{'value': 0}} : {t}\n"
                          f" %c = {name}(%a, %b) : {t}\n}}")
    a, b, c = kernel.body.ops
    d = a.result.type
    rng = np.random.default_rng(3)
    values = [d.min, d.max, 0, 1, 2, 7, wrap(-1, d), wrap(-7, d),
              *(int(x) for x in rng.integers(d.min, d.max, 8, d.np, endpoint=True))]
    with np.errstate(all="ignore"):
        for x in values:
            for y in values:
                a.attrs["value"], b.attrs["value"] = x, y
                got = fold(c)
                nx, ny = np.array(x, d.np), np.array(y, d.np)
                if name in ("div", "rem"):
                    q = wrap(-1, d) if y == 0 else int(np.trunc(np.longdouble(x) / np.longdouble(y)))
                    if y and abs(x) > 2**52:
                        q = (abs(x) // abs(y)) * (1 if (x < 0) == (y < 0) else -1)
                    want = wrap(q if name == "div" else (x - q * y if y else x), d)
                elif name in ("shl", "shr"):
                    amount = y & ((1 << d.bits) - 1)
                    want = wrap((x << amount if name == "shl" else x >> amount),
                                d) if amount < d.bits else (-1 if name == "shr" and x < 0 else 0)
                elif name in ("floordiv", "mod") and y == 0:
                    want = wrap(-1, d) if name == "floordiv" else x
                elif name == "floordiv" and y == -1:
                    want = wrap(-x, d)
                else:
                    want = int(NP[name](nx, ny))
                assert got == want, (name, t, x, y)


def uniform_names(text: str, block) -> set[str]:
    kernel = parse_kernel(text)
    specialize(kernel, block)
    uniformity(kernel)
    return {r.name for op in walk(kernel.body) for r in [*op.results, *(a for g in op.regions for a in g.args)]
            if r.uniform and r.name}


UNIFORM = """kernel @k(%p: ptr<f32, global>, %n: u32) {'wave': 64} {
  %x = thread_id {'dim': 0} : u32
  %y = thread_id {'dim': 1} : u32
  %bid = block_id {'dim': 0} : u32
  %sum = add(%bid, %n) : u32
  %ix = add(%sum, %x) : u32
  %o = convert(%sum) : i64
  %ox = convert(%ix) : i64
  %lu = ld(%p, %o) {'align': 4} : f32
  %lv = ld(%p, %ox) {'align': 4} : f32
  %first = amdgpu.readfirstlane(%ix) : u32
  %loc = alloc {'name': 'l', 'align': 4} : tensor<f32, (4):(1), local>
  %lb = base(%loc) : ptr<f32, local>
  %ll = ld(%lb, %o) {'align': 4} : f32
  %r = for(%bid, %n, %n, %lu) : f32 { ^(%i: u32, %a: f32):
    %a2 = add(%a, %lu) : f32
    yield(%a2)
  }
  %rv = for(%bid, %n, %n, %lu) : f32 { ^(%i2: u32, %av: f32):
    %av2 = add(%av, %lv) : f32
    yield(%av2)
  }
  %rd = for(%bid, %x, %n, %lu) : f32 { ^(%id: u32, %ad: f32):
    %ad2 = add(%ad, %lu) : f32
    yield(%ad2)
  }
}"""


def test_uniformity():
    always = {"bid", "sum", "o", "lu", "first", "loc", "lb", "r", "i", "a", "a2", "i2"}
    assert uniform_names(UNIFORM, (64, 1, 1)) == always
    assert uniform_names(UNIFORM, (64, 4, 1)) == always | {"y"}
    assert uniform_names(UNIFORM, (32, 4, 1)) == always
