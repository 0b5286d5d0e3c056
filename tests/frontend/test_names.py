# ruff: noqa: F841, F823, F401, F821, C416
"""Names: what a kernel may capture, what is unknown, the public names outside kernels, and constructs that the language
does not have."""

import enum
import math
import types

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from avelang.base.errors import AveError
from avelang.frontend import names
from frontend.building import built, lanes, refused

I = al.Tensor((64,), al.i32)

WIDTH = 8
SCALE = al.constexpr(32)
RATIO = 0.5
ON = True
SHAPE = (4, (2, 4))
KIND = al.f16
ROWS = [1, 2, 3]
NUMPY = np.int64(7)
ARRAY = np.zeros(4)
LAYOUT = al.Layout((4, 2), (1, 4))
config = types.ModuleType("config")
config.DEPTH = 3
config.TABLE = {"a": 1}


def test_what_may_be_captured():
    from typing import NamedTuple

    class Config(NamedTuple):
        a: int
        b: tuple

    local = Config(5, (6, 7))

    def k(out: I):
        assert LAYOUT.shape == (4, 2) and KIND == al.f16 and SHAPE[1][0] == 2 and ON
        out[0] = WIDTH + SCALE + int(RATIO * 2) + NUMPY + config.DEPTH
        out[0] += local.a + local.b[1] + int(math.log2(8)) + math.gcd(4, 6)

    assert lanes(k)[0] == 8 + 32 + 1 + 7 + 3 + 5 + 7 + 3 + 2


def test_a_list_does_not_grow():
    def k(out: I):
        found = []
        found.append(out[0])  # <-

    assert refused(k, "T009", "'append'").hint == "a list is a tuple in a kernel: t = t + (x,)"


def test_constexpr_is_its_value():
    assert SCALE == 32 and isinstance(SCALE, int) and SCALE.value == 32


def test_unknown_names_suggest_near_ones():
    def name(out: I):
        width = 3
        out[0] = widht + width  # <-  # noqa: F821

    def attribute(out: I):
        out[0] = al.thread_idx(0)  # <-

    def intrinsic(out: I):
        al.amdgpu.s_waitcnt_all(0, 7, 15)  # <-

    def tensor(out: I):
        out[0] = out.size  # <-

    refused(name, "T001", "'widht'", "width", marked="widht")
    refused(attribute, "T009", "'thread_idx'", "thread_id", marked="al.thread_idx")
    refused(intrinsic, "T009", "s_waitcnt")
    refused(tensor, "T009", "'size'", "shape")


def test_a_local_name_before_its_value():
    def k(out: I):
        out[0] = WIDTH  # <-
        WIDTH = 3  # noqa: F823

    refused(k, "T002", "'WIDTH'", marked="WIDTH")


def test_mutable_globals_are_refused_by_name():
    def a(out: I):
        out[0] = ROWS[1]  # <-

    def b(out: I):
        out[0] = ARRAY[1]  # <-

    def c(out: I):
        out[0] = config.TABLE  # <-

    refused(a, "T008", "'ROWS'", "list", marked="ROWS")
    refused(b, "T008", "'ARRAY'", "ndarray")
    refused(c, "T008", "'config.TABLE'", "dict")


def test_statements_that_the_language_does_not_have():
    def tries(out: I):
        try:  # <-
            out[0] = 1
        except ValueError:
            pass

    def withs(out: I):
        with open("x"):  # <-
            pass

    def classes(out: I):
        class C:  # <-
            pass

    def imports(out: I):
        import math  # <-

    def globals_(out: I):
        global WIDTH  # <-

    def deletes(out: I):
        x = 1
        del x  # <-

    def raises(out: I):
        raise ValueError  # <-

    for fn in (tries, withs, classes, imports, globals_, deletes, raises):
        refused(fn, "S001")


def test_expressions_that_the_language_does_not_have():
    def formats(out: I):
        x = f"{out[0]}"  # <-

    def walrus(out: I):
        out[0] = (y := 3)  # <-

    def dicts(out: I):
        x = {"a": 1}  # <-

    def stars(out: I):
        a, *b = (1, 2, 3)  # <-

    def attributes(out: I):
        out.x = 3  # <-

    def complex_(out: I):
        out[0] = 3j  # <-

    def prints(out: I):
        print(out[0])  # <-

    def yields(out: I):
        yield 3  # <-

    for fn in (formats, walrus, dicts, stars, attributes, complex_, prints, yields):
        refused(fn, "S001")


def test_calls_of_what_cannot_be_called():
    def number(out: I):
        out[0] = WIDTH(3)  # <-

    def numpy(out: I):
        out[0] = np.sqrt(3)  # <-

    def runtime(out: I):
        out[0] = math.sqrt(al.thread_id(0))  # <-

    refused(number, "T063", "`WIDTH`")
    refused(numpy, "T008", "np.sqrt")
    refused(runtime, "T064", "`math.sqrt`")


def test_counts_of_a_builtins_arguments():
    def few(out: I):
        out[0] = al.convert(3)  # <-

    def many(out: I):
        al.syncthreads(1)  # <-

    def unknown(out: I):
        al.make_shared((4,), al.i32, align=8)  # <-

    def twice(out: I):
        al.make_shared((4,), al.i32, dtype=al.i32)  # <-

    refused(few, "T003", "2 arguments", "al.convert(value, dtype)", "1 given", marked="al.convert(3)")
    refused(many, "T003", "0 arguments")
    refused(unknown, "T060", "'align'", "alignment")
    refused(twice, "T061", "'dtype'")


def test_dimensions_and_widths():
    def big(out: I):
        out[0] = al.thread_id(3)  # <-

    def runtime(out: I):
        out[0] = al.block_id(al.thread_id(0))  # <-

    def width(out: I):
        out[0] = al.shuffle(1, 2, 48)  # <-

    refused(big, "T067", "3")
    refused(runtime, "T017", "al.block_id")
    refused(width, "T068", "48")


def test_float_bounds():
    def k(out: I, x: al.Tensor((4,), al.f32)):
        for i in al.range(x[0]):  # <-
            out[i] = 1

    refused(k, "T051", "al.range")


def test_builtins_outside_a_kernel():
    for call in (lambda: al.thread_id(0), lambda: al.amdgpu.rcp(1.0), al.syncthreads):
        with pytest.raises(AveError) as e:
            call()
        assert e.value.code == "T004" and "inside a kernel" in e.value.message


def test_public_names():
    assert set(names.BUILTINS) <= set(dir(al)) and al.bf16.np == ml_dtypes.bfloat16
    assert {"mfma_32x32x8_bf16_f32", "mfma_f32_32x32x8_bf16", "AtomicScope",
            "raw_buffer_load_x4"} <= set(dir(al.amdgpu))
    assert "ldmatrix_m8n8_x4_b16" in dir(al.nvvm) and al.amdgpu.AtomicScope.AGENT == 1
    assert al.amdgpu.rcp is al.amdgpu.rcp and al.amdgpu.rcp.__doc__
    with pytest.raises(AttributeError, match="did you mean mfma_"):
        al.amdgpu.mfma_32x32x8_bf16_f23
    with pytest.raises(AttributeError, match="make_shared"):
        al.make_sharde
    assert all(b.__doc__ and not b.__doc__.startswith("A function of the language") for b in names.BUILTINS.values())


def test_every_builtin_has_an_implementation():
    from avelang.frontend.calls import BUILTIN

    assert set(BUILTIN) == set(names.BUILTINS)


def test_lists_of_parameters():
    def bare(out: I, n):  # <-
        out[0] = n

    def wrong(out: I, n: int):  # <-
        out[0] = n

    def constant(out: I, N: al.constexpr):
        out[0] = N

    refused(bare, "T007", "'n'", "annotation", marked="n")
    refused(wrong, "T007", "'n'", "int", marked="n: int")
    refused(constant, "T074", "'N'", "`constant`")
    refused(constant, "L020", "'N'", "list", N=[1])
    built(constant, N=3)


class Settings:
    TILE = 4


class Mode(enum.Enum):
    FAST = 1
    EXACT = 2

    @property
    def twice(self):
        return 2 * self.value


def test_attributes_of_classes_are_refused_as_what_they_are():
    def read(out: I):
        out[0] = Settings.TILE  # <-

    def none(out: I):
        out[0] = Settings.TYLE  # <-

    def computed(out: I):
        out[0] = Mode.FAST.twice  # <-

    refused(read, "T010", "the class Settings may change", "'TILE'", "named tuple", marked="Settings.TILE")
    refused(none, "T009", "the class Settings", "'TYLE'")
    refused(computed, "T010", "'twice'")


def test_members_of_an_enum_are_compile_time_values():
    def k(out: I, FIRST: al.constexpr = 3):
        mode = Mode.FAST
        if mode == Mode.FAST and mode is not Mode.EXACT:
            out[al.thread_id(0)] = mode.value + Mode.EXACT.value

    assert set(lanes(k)) == {3}


def test_conditions_name_what_they_are_not():
    def whole(out: I):
        if out:  # <-
            out[0] = 1

    def registers(out: I):
        if al.full((2,), 1, al.i32):  # <-
            out[0] = 1

    refused(whole, "T028", "a tensor (64,) of i32 in global memory", marked="out")
    refused(registers, "T028", "a register tensor (2,) of i32")
