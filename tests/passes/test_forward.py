"""Forward: values pass through local memory without it, exactly where that is the same."""

import numpy as np
import pytest

from avelang.ir.core import walk
from avelang.ir.text import parse_kernel
from avelang.ir.verify import verify
from avelang.passes.addresses import addresses
from avelang.passes.forward import forward
from avelang.passes.simplify import simplify
from avelang.sim import reference

PARAMS = "%out: tensor<i32, (64, 2):(2, 1), global>, %n: u32, %c: u1"
HEAD = f"kernel @k({PARAMS})" + """ {'wave': 64, 'chip': '', 'block': (64, 1, 1)} {
  %t = thread_id {'dim': 0} : u32
  %zero = const {'value': 0} : u32
  %one = const {'value': 1} : u32
  %two = const {'value': 2} : u32
  %x = const {'value': 16909060} : i32
  %ti = convert(%t) : i32
  %y = mul(%ti, %x) : i32
  %l = alloc {'name': 'l', 'align': 16} : tensor<i32, (4):(1), local>
"""
TAIL ="""
  store(%a, %out, %t, %zero)
  store(%b, %out, %t, %one)
}"""

CASES = {
    # name: (body, whether the memory must be gone)
    "elements": ("store(%x, %l, %zero)\nstore(%y, %l, %one)\n%a = load(%l, %one) : i32\n%b = load(%l, %zero) : i32",
                 True),
    "overwritten": (
        "store(%x, %l, %zero)\n%a = load(%l, %zero) : i32\nstore(%y, %l, %zero)\n%b = load(%l, %zero) : i32", True,
    ),
    "view of halves": (
        """%v = vec(%x, %y, %x, %y) : vec<4 x i32>
           store(%v, %l)
           %h = view(%l) : tensor<i16, (4, 2):(2, 1), local>
           %p = load(%h, %one, %one) : i16
           %q = load(%h, %two) : vec<2 x i16>
           %a = convert(%p) : i32
           %b = bitcast(%q) : i32""",
        True,
    ),
    "subview": (
        """%v = vec(%x, %y, %y, %x) : vec<4 x i32>
           store(%v, %l)
           %s = subview(%l, %two) : tensor<i32, (2):(1), local>
           %a = load(%s, %zero) : i32
           %b = load(%s, %one) : i32""",
        True,
    ),
    "made of two stores": (
        """store(%x, %l, %zero)
           store(%y, %l, %one)
           %w = view(%l) : tensor<i64, (2):(1), local>
           %q = load(%w, %zero) : i64
           %h = bitcast(%q) : vec<2 x i32>
           %a = extract(%h) {'index': 0} : i32
           %b = extract(%h) {'index': 1} : i32""",
        False,
    ),
    "unknown place": (
        "store(%x, %l, %zero)\nstore(%x, %l, %one)\nstore(%y, %l, %n)\n"
        "%a = load(%l, %zero) : i32\n%b = load(%l, %one) : i32", False,
    ),
    "loads in regions": (
        """store(%x, %l, %zero)
           %m = alloc {'name': 'm', 'align': 16} : tensor<i32, (1):(1), local>
           %early = load(%l, %zero) : i32
           store(%early, %m, %zero)
           %a = for(%zero, %two, %one, %y) : i32 { ^(%i: u32, %s: i32):
             %v = load(%l, %zero) : i32
             %w = load(%m, %zero) : i32
             %p = add(%s, %v) : i32
             %q = mul(%p, %w) : i32
             yield(%q)
           }
           store(%y, %l, %zero)
           %b = if(%c) : i32 { ^():
             %u = load(%l, %zero) : i32
             yield(%u)
           } { ^():
             yield(%x)
           }""",
        True,
    ),
    "a load in a region before the store that it meets next time": (
        """store(%x, %l, %zero)
           %a = for(%zero, %two, %one, %y) : i32 { ^(%i: u32, %s: i32):
             %v = load(%l, %zero) : i32
             %p = add(%v, %s) : i32
             store(%p, %l, %zero)
             yield(%p)
           }
           %b = load(%l, %zero) : i32""",
        False,
    ),
    "inner region": (
        """store(%x, %l, %zero)
           if(%c) { ^():
             store(%y, %l, %zero)
             yield
           } { ^():
             yield
           }
           %a = load(%l, %zero) : i32
           %b = load(%l, %zero) : i32""",
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_forward(name):
    body, gone = CASES[name]
    kernel = parse_kernel(HEAD + body + TAIL)

    def run():
        out = np.zeros((64, 2), np.int32)
        reference.run(kernel, [out, 1, True], (1, 1, 1), (64, 1, 1))
        return out

    want = run()
    assert want.any()
    for step in (addresses, simplify, forward, simplify):
        step(kernel)
        verify(kernel, "addresses")
    np.testing.assert_array_equal(run(), want)
    assert all(op.name != "alloc" for op in walk(kernel.body)) == gone
