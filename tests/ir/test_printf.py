"""printf against the C library's own; buffers of records, written here word by word as the table of the module says."""

from __future__ import annotations

import ctypes
import sys

import numpy as np
import pytest

from avelang.base.errors import ExecutionError
from avelang.ir.dtypes import BY_NAME
from avelang.ir.printf import Print, buffer, decode, formatter

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


PRINTS = (Print("%d %lld\n", ("i32", "i64")), Print("%g|", ("f64",)), Print("end\n", ()))


def record(number: int, instance: int, block: tuple[int, int, int], wave: int, lane: int, *values: int) -> list[int]:
    return [number, instance, *block, wave, lane, *(v & 0xFFFFFFFF for v in values)]


def filled(records: list[list[int]], nbytes: int = 4096, lost: int = 0, asked: int = 0) -> np.ndarray:
    words = buffer(nbytes)
    flat = [w for r in records for w in r]
    words[4 : 4 + len(flat)] = flat
    words[1] = lost
    words[2:4].view(np.uint64)[0] = len(flat) + asked
    return words


def double(x: float) -> list[int]:
    return np.array([x]).view(np.uint32).tolist()


def test_a_fresh_buffer():
    words = buffer(1000)
    assert words.dtype == np.uint32 and words.nbytes == 992 and words[0] == 248 - 4 and not words[1:].any()
    assert decode(words, PRINTS) == ""


def test_records_in_order():
    """Blocks, x fastest; waves; instances; lanes."""
    half = double(0.5)
    records = [
        record(1, 900, (0, 1, 0), 0, 0, 9, 0, 0),
        record(2, 60, (1, 0, 0), 0, 5, *half),
        record(1, 0, (1, 0, 0), 1, 0, 3, 3, 0),
        record(2, 60, (1, 0, 0), 0, 2, *double(-1e300)),
        record(3, 80, (1, 0, 0), 0, 2),
        record(1, 20, (1, 0, 0), 0, 63, -5, -1, -1),
    ]
    want = "-5 -1\n-1e+300|0.5|end\n3 3\n9 0\n"
    assert decode(filled(records), PRINTS) == want
    assert decode(filled(records).tobytes(), [list(p) for p in PRINTS]) == want  # as JSON gives them back


def test_lost_records_are_counted():
    one = record(1, 0, (0, 0, 0), 0, 0, 7, 1, 2)
    text = decode(filled([one, one], 16 * 7, lost=3, asked=30), PRINTS)
    assert text == f"7 {1 + (2 << 32)}\n" * 2 + "printf: 3 records lost: the buffer of 112 bytes was full\n"


def test_sixty_four_bits_of_use():
    """What was asked for may go beyond 32 bits; what was written ends with zeros."""
    words = filled([record(3, 0, (0, 0, 0), 0, 0)], lost=1, asked=1 << 33)
    assert decode(words, PRINTS).startswith("end\nprintf: 1 records lost")


@pytest.mark.parametrize(("name", "value", "text"),
                         [("u1", True, "1"), ("u8", 200, "200"), ("i16", -3, "-3"), ("u64", 2**64 - 1, str(2**64 - 1))])
def test_other_widths(name, value, text):
    d = BY_NAME[name]
    raw = np.zeros(8, np.uint8)
    raw[: d.bytes] = np.array([value], d.np).view(np.uint8)
    values = raw.view(np.uint32).tolist()[: max(1, d.bits // 32)]
    form = "%d" if d.kind == "int" else "%llu"
    assert decode(filled([record(1, 0, (0, 0, 0), 0, 0, *values)]), [(form, [name])]) == text
