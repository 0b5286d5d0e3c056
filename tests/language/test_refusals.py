"""What the language refuses: each with an error of its own, at the user's line."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError

N = 64
X = al.Tensor((N,), al.f32)


@avelang.jit
def unknown_name(x: X):
    x[0] = nothing_like_it  # noqa: F821  # here


@avelang.jit
def unknown_builtin(x: X):
    x[0] = al.no_such_builtin(1.0)  # here


@avelang.jit
def unknown_intrinsic(x: X):
    x[0] = al.amdgpu.no_such_instruction(1.0)  # here


@avelang.jit
def too_few(x: X):
    x[0] = al.fma(x[0], x[1])  # here


@avelang.jit
def too_many_coordinates(x: X):
    x[0, 1] = 1.0  # here


@avelang.jit
def runtime_shape_of_shared(x: X, n: al.u32):
    tile = al.make_shared((n,), al.f32)  # here
    tile[0] = x[0]


@avelang.jit
def runtime_dimension(x: X):
    x[al.thread_id(al.thread_id(0))] = 1.0  # here


@avelang.jit
def dimension_three(x: X):
    x[al.thread_id(3)] = 1.0  # here


@avelang.jit
def runtime_constexpr(x: X):
    x[0] = al.amdgpu.rcp(x[0])
    al.amdgpu.s_waitcnt(al.thread_id(0), 7, 15)  # here


@avelang.jit
def constant_out_of_range(x: X):
    x[0] = al.amdgpu.rcp(x[0])
    al.amdgpu.s_waitcnt(64, 7, 15)  # here


@avelang.jit
def wrong_operand(x: X):
    x[0] = al.amdgpu.rcp(al.convert(3, al.i32))  # here


@avelang.jit
def wrong_fragment(x: X):
    acc = al.amdgpu.mfma_32x32x8_bf16_f32(x[0], x[1], al.full((16,), 0.0, al.f32))  # here
    x[0] = acc[0]


@avelang.jit
def with_try(x: X):
    try:  # here
        x[0] = 1.0
    except ValueError:
        pass


@avelang.jit
def shared_too_large(x: X):
    tile = al.make_shared((1 << 20,), al.f32)  # here
    tile[al.thread_id(0)] = x[0]
    al.syncthreads()
    x[0] = tile[1]


@avelang.jit
def not_defined_on_all_paths(x: X):
    if x[0] > 0.0:
        v = 1.0
    x[1] = v  # here


@avelang.jit
def types_of_branches_differ(x: X, r: al.Tensor((4,), al.f32)):
    if x[0] > 0.0:
        v = r[0]
    else:
        v = al.full((4,), 0.0, al.f32)
    x[1] = v  # noqa: F841


@avelang.jit
def narrows_inexactly(x: al.Tensor((N,), al.i32)):
    x[0] = 1.5  # here


def plain_python(v):
    return v


@avelang.jit
def calls_plain_python(x: X):
    x[0] = plain_python(x[1])  # here


CASES = [
    (unknown_name, "nothing_like_it"), (unknown_builtin, "no_such_builtin"), (unknown_intrinsic, "no_such_instruction"),
    (too_few, "fma"), (too_many_coordinates, ""), (runtime_shape_of_shared, ""), (runtime_dimension, ""),
    (dimension_three, "3"),
    (runtime_constexpr, "vmcnt"),
    (constant_out_of_range, "64"), (wrong_operand, "i32"), (wrong_fragment, ""), (with_try, "try"),
    (not_defined_on_all_paths, "'v'"), (narrows_inexactly, "1.5"), (calls_plain_python, "plain_python"),
]  # fmt: skip


def run(kernel, **options):
    args = [np.ones(N, np.int32 if kernel is narrows_inexactly else np.float32)]
    if kernel is runtime_shape_of_shared:
        args.append(4)
    kernel[lambda: ((1, 1, 1), (64, 1, 1))](*args, **options)


@pytest.mark.parametrize("kernel, said", CASES, ids=lambda c: getattr(c, "__name__", c))
def test_refused_at_its_line(kernel, said):
    with pytest.raises(AveError) as e:
        run(kernel)
    text = str(e.value)
    with open(__file__) as f:
        lines = f.read().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"def {kernel.__name__}("))
    line = next(i for i in range(start, len(lines)) if lines[i].endswith("# here"))
    assert f"{__file__}:{line + 1}" in text, text
    assert "^" in text
    assert said in text, text


def test_branches_that_give_different_shapes_are_refused():
    with pytest.raises(AveError, match="'v'"):
        types_of_branches_differ[lambda: ((1, 1, 1), (64, 1, 1))](np.ones(N, np.float32), np.ones(4, np.float32))


def test_shared_memory_over_the_limit():
    with pytest.raises(AveError, match="shared"):
        run(shared_too_large, target="gfx942")


def test_an_intrinsic_that_the_chip_lacks():
    @avelang.jit
    def kernel(x: X):
        x[0] = al.amdgpu.rcp(x[1])

    with pytest.raises(AveError) as e:
        run(kernel, target="sm_90")
    assert "rcp" in str(e.value) and "sm_90" in str(e.value)


def test_intrinsics_of_two_vendors_in_one_kernel():
    @avelang.jit
    def kernel(x: X):
        x[0] = al.amdgpu.rcp(x[1])
        d = al.nvvm.mma_16x8x16_f16_f16(al.full((4,), 0, al.i32), al.full((2,), 0, al.i32), al.full((4,), 0.0, al.f16))
        x[1] = al.convert(d[0], al.f32)

    with pytest.raises(AveError):
        run(kernel)


def test_an_unknown_chip_is_named_with_those_there_are():
    with pytest.raises(AveError) as e:
        run(unknown_name, target="gfx9999")
    assert "gfx9999" in str(e.value) and "gfx942" in str(e.value)


# -- what the reference finds while running ----------------------------------------------------------------------------


@avelang.jit
def out_of_bounds(x: X, n: al.u32):
    t = al.thread_id(0)
    x[t + n] = 1.0


def test_the_reference_reports_an_access_out_of_bounds():
    with pytest.raises(AveError) as e:
        out_of_bounds[lambda: ((1, 1, 1), (64, 1, 1))](np.zeros(N, np.float32), 3, backend="reference")
    text = str(e.value)
    assert "out_of_bounds" in text and "`x`" in text and "64" in text and "61" in text  # element 64, lane 61
    assert f"{__file__}:" in text


@avelang.jit
def reads_what_nothing_wrote(x: X):
    tile = al.make_shared((N,), al.f32)
    t = al.thread_id(0)
    if t < 10:
        tile[t] = 1.0
    al.syncthreads()
    x[t] = tile[t]


@avelang.jit
def reads_a_local_that_nothing_wrote(x: X):
    r = al.make_local((4,), al.f32)
    r[0] = 1.0
    x[0] = r[1]


@pytest.mark.parametrize(
    "kernel", [reads_what_nothing_wrote, reads_a_local_that_nothing_wrote], ids=lambda k: k.__name__
)
def test_the_reference_reports_a_read_of_memory_that_nothing_wrote(kernel):
    with pytest.raises(AveError) as e:
        kernel[lambda: ((1, 1, 1), (64, 1, 1))](np.zeros(N, np.float32), backend="reference")
    assert kernel.__name__ in str(e.value)
