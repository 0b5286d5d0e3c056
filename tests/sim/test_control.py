"""Control flow under divergence, against plain Python run once for each thread."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.sim.control_flow import trips
from avelang.sim.reference import run
from sim.kernels import kernel

HEAD = """
%t = thread_id {"dim": 0} : u32
%A = make_tensor(%a, %n) : tensor<i32, (?):(1), global>
%O = make_tensor(%o, %n) : tensor<i32, (?):(1), global>
%x = load(%A, %t) : i32
%0 = const {"value": 0} : i32
%1 = const {"value": 1} : i32
%2 = const {"value": 2} : i32
%3 = const {"value": 3} : i32
"""


def per_thread(body: str, a, *, wave: int = 64) -> list[int]:
    """Runs ops that see thread %t's %x and define %r; gives each thread's %r."""
    a = np.asarray(a, np.int32)
    out = np.full(len(a), -99, np.int32)
    k = kernel("%a: ptr<i32, global>, %o: ptr<i32, global>, %n: u32", HEAD + body + "\nstore(%r, %O, %t)", wave)
    run(k, [a, out, len(a)], 1, len(a))
    return out.tolist()


DATA = np.random.default_rng(0).integers(-20, 20, 90)

NESTED = """
%neg = cmp(%x, %0) {"pred": "lt"} : u1
%m = rem(%x, %3) : i32
%mult = cmp(%m, %0) {"pred": "eq"} : u1
%r = if(%neg) : i32 { ^():
  %p, %q = if(%mult) : i32, i32 { ^():
    %y = mul(%x, %2) : i32
    yield(%y, %x)
  } { ^():
    %y2 = add(%x, %1) : i32
    yield(%y2, %3)
  }
  %s = add(%p, %q) : i32
  yield(%s)
} { ^():
  %z = if(%mult) : i32 { ^():
    yield(%1)
  } { ^():
    yield(%x)
  }
  yield(%z)
}
"""


def test_nested_ifs_merge_lane_by_lane():
    def model(x: int) -> int:
        mult = x % 3 == 0
        if x < 0:
            return (2 * x + x) if mult else (x + 1 + 3)
        return 1 if mult else x

    assert per_thread(NESTED, DATA) == [model(int(x)) for x in DATA]
    assert per_thread(NESTED, DATA, wave=32) == [model(int(x)) for x in DATA]


def test_if_of_one_mind_runs_one_side():
    for value in (-6, 5):
        assert set(per_thread(NESTED, [value] * 64)) == {-18 if value == -6 else 5}


COLLATZ = """
%limit = const {"value": 1000} : i32
%steps, %last = while(%0, %x) : i32, i32 { ^(%n0: i32, %v0: i32):
  %more = cmp(%v0, %1) {"pred": "gt"} : u1
  %n10 = add(%n0, %3) : i32
  %plus = sub(%n10, %3) : i32
  condition(%more, %plus, %v0)
} { ^(%n1: i32, %v1: i32):
  %odd = rem(%v1, %2) : i32
  %is = cmp(%odd, %0) {"pred": "ne"} : u1
  %next = if(%is) : i32 { ^():
    %u = mul(%v1, %3) : i32
    %w = add(%u, %1) : i32
    yield(%w)
  } { ^():
    %h = div(%v1, %2) : i32
    yield(%h)
  }
  %n2 = add(%n1, %1) : i32
  yield(%n2, %next)
}
%big = mul(%steps, %limit) : i32
%r = add(%big, %last) : i32
"""


def test_while_ends_lane_by_lane():
    def model(x: int) -> int:
        n = 0
        while x > 1:
            n, x = n + 1, (3 * x + 1 if x % 2 else x // 2)
        return 1000 * n + x

    data = list(range(-3, 97))
    assert per_thread(COLLATZ, data) == [model(x) for x in data]


FOR = """
%stop = add(%x, %STOP) : i32
%sum, %v, %unused = for(%START, %stop, %STEP, %0, %V, %x) : i32, vec<2 x i32>, i32 { ^(%i: i32, %acc: i32, %w: vec<2 x i32>, %g: i32):
  %square = mul(%i, %i) : i32
  %next = add(%acc, %square) : i32
  %w0 = extract(%w) {"index": 0} : i32
  %w1 = extract(%w) {"index": 1} : i32
  %w2 = insert(%w, %w1) {"index": 0} : vec<2 x i32>
  %w3 = insert(%w2, %i) {"index": 1} : vec<2 x i32>
  yield(%next, %w3, %i)
}
%v0 = extract(%v) {"index": 0} : i32
%v1 = extract(%v) {"index": 1} : i32
%k = const {"value": 1000} : i32
%r0 = mul(%v0, %k) : i32
%r1 = add(%r0, %v1) : i32
%r2 = mul(%r1, %k) : i32
%r = add(%r2, %sum) : i32
"""


@pytest.mark.parametrize("start, stop, step", [("%0", 5, "%1"), ("%1", 3, "%3"), ("%3", 0, "%m2"), ("%0", 4, "%0"), ("%x", 3, "%1"), ("%0", 2, "%x")])
@pytest.mark.parametrize("data", [list(range(-9, 70)), [4] * 64], ids=["divergent", "uniform"])
def test_for(start, stop, step, data):
    body = "%m2 = const {'value': -2} : i32\n%STOP = const {'value': " + str(stop) + "} : i32\n%V = const {'value': (7, 8)} : vec<2 x i32>\n"
    body += FOR.replace("%START", start).replace("%STEP", step)

    def number(token: str, x: int) -> int:
        return x if token == "%x" else -2 if token == "%m2" else int(token[1:])

    def model(x: int) -> int:
        total, a, b, by = 0, 7, 8, number(step, x)
        for i in range(number(start, x), x + stop, by) if by else ():
            total, a, b = total + i * i, b, i
        value = ((a * 1000 + b) * 1000 + total) & 0xFFFFFFFF
        return value - (1 << 32) if value >> 31 else value

    assert per_thread(body, data) == [model(x) for x in data]


@pytest.mark.parametrize("start, stop, step", [(0, 10, 3), (10, 0, -3), (0, 0, 1), (5, 3, 1), (3, 5, -1), (0, 9, 9), (2**64 - 2, 2**64 - 1, 1)])
def test_trips(start, stop, step):
    assert trips(start, stop, step) == len(range(start, stop, step))


def test_loop_with_nothing_carried_and_lanes_that_left():
    # Lanes that have left a loop write no more.
    body = """
    for(%0, %x, %1) { ^(%i: i32):
      store(%i, %O, %t)
      yield
    }
    %r = load(%O, %t) : i32
    """
    assert per_thread(body, [0, 1, 5, 3, -2, 9]) == [-99, 0, 4, 2, -99, 8]


def test_tensors_and_pointers_as_results():
    body = """
    %even = rem(%x, %2) : i32
    %c = cmp(%even, %0) {"pred": "eq"} : u1
    %two = const {"value": 2} : u32
    %T = if(%c) : tensor<i32, (?):(1), global> { ^():
      yield(%A)
    } { ^():
      %S = subview(%A, %two, %n) : tensor<i32, (?):(1), global>
      yield(%S)
    }
    %null = const {"value": 0} : u32
    %v = load(%T, %null) : i32
    %P = select(%c, %a, %o) : ptr<i32, global>
    %off = const {"value": 4} : i64
    %w = ld(%P, %off) {"align": 4} : i32
    %k = const {"value": 1000} : i32
    %vk = mul(%v, %k) : i32
    %r = add(%vk, %w) : i32
    """
    a = list(range(10, 50))
    assert per_thread(body, a) == [(10000 if x % 2 == 0 else 12000) + (11 if x % 2 == 0 else -99) for x in a]
