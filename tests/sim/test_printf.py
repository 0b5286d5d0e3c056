"""printf against the C library's own."""

from __future__ import annotations

import ctypes
import sys

import numpy as np
import pytest

from avelang.base.errors import ExecutionError
from avelang.ir.dtypes import BY_NAME
from avelang.sim.printf import formatter
from sim.kernels import kernel, printed

INTS = [
    "%d",
    "%i",
    "%5d|",
    "%-5d|",
    "%05d",
    "%+d",
    "% d",
    "%.3d",
    "%8.3d|",
    "%-8.3d|",
    "%08.3d",
    "%u",
    "%x",
    "%X",
    "%#x",
    "%#010x",
    "%o",
    "%#o",
    "%#6o|",
    "%-6u|",
    "%+u",
]
FLOATS = ["%f", "%.2f", "%10.3f|", "%-10.3f|", "%010.3f", "%+f", "%e", "%.0e", "%G", "%g", "%#g", "%E", "%.10g", "%F"]


def libc(form: str, value) -> str:
    lib = ctypes.CDLL(None)
    buffer = ctypes.create_string_buffer(400)
    lib.snprintf(buffer, 400, form.encode(), value)
    return buffer.value.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="no C library under that name")
@pytest.mark.parametrize("form", INTS)
def test_integers(form):
    for v in (0, 1, -1, 42, -12345, 2**31 - 1, -(2**31)):
        assert formatter(form, [BY_NAME["i32"]])([v]) == libc(form, ctypes.c_int(v))
        assert formatter(form, [BY_NAME["u32"]])([v & 0xFFFFFFFF]) == libc(form, ctypes.c_int(v))
        long = form.replace("|", "")
        long = long[:-1] + "ll" + long[-1]
        assert formatter(long, [BY_NAME["i64"]])([v * 2**30]) == libc(long, ctypes.c_longlong(v * 2**30))
    assert formatter(form, [BY_NAME["i8"]])([-3]) == libc(form, ctypes.c_int(-3))
    assert formatter(form, [BY_NAME["u8"]])([200]) == libc(form, ctypes.c_int(200))


@pytest.mark.skipif(sys.platform == "win32", reason="no C library under that name")
@pytest.mark.parametrize("form", FLOATS)
def test_floats(form):
    for v in (0.0, -0.0, 1.5, -2.25, 1e-7, 123456789.0, 1e300, float("inf"), float("-inf"), float("nan")):
        assert formatter(form, [BY_NAME["f64"]])([v]) == libc(form, ctypes.c_double(v))


def test_the_rest():
    assert formatter("100%% of %c%3c|%-3c|\n", [BY_NAME["i32"]] * 3)([65, 66, 67]) == "100% of A  B|C  |\n"


@pytest.mark.parametrize("form, n", [("%d", 0), ("%d", 2), ("%s", 1), ("%*d", 2), ("%q", 1), ("50%", 0)])
def test_formats_that_do_not_fit(form, n):
    with pytest.raises(ExecutionError) as e:
        formatter(form, [BY_NAME["i32"]] * n)
    assert e.value.code == "X008"


def test_once_for_each_active_lane_in_order():
    k = kernel("%x: f32", """
    %t = thread_id {"dim": 0} : u32
    %three = const {"value": 3} : u32
    %c = cmp(%t, %three) {"pred": "lt"} : u1
    if(%c) { ^():
      printf(%t, %x) {"format": "t%d %.1f, "}
      yield
    } { ^():
      yield
    }
    %h = convert(%x) : bf16
    %last = const {"value": 69} : u32
    %d = cmp(%t, %last) {"pred": "ge"} : u1
    if(%d) { ^():
      printf(%t, %h) {"format": "%u=%g;"}
      printf {"format": "end (100%%)\\n"}
      yield
    } { ^():
      yield
    }
    """)  # fmt: skip
    assert printed(k, [np.float32(1.25)], 1, 70) == "t0 1.2, t1 1.2, t2 1.2, 69=1.25;end (100%)\n"
