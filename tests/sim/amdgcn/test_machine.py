"""Launches: descriptors, kernel arguments, extents, memory that was not given."""

import pathlib
import re
import struct

import numpy as np
import pytest

from avelang.amdgcn.asm import parse
from avelang.base.errors import AveError
from avelang.sim.amdgcn.machine import AmdMachine, DispatchParams

HEAD = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_kernel axpy
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_count 2
		.amdhsa_system_sgpr_workgroup_id_x 1
	.end_amdhsa_kernel
	.text
"""
AXPY = HEAD + (pathlib.Path(__file__).parents[2] / "golden" / "amdgpu" / "axpy.gfx942.s").read_text()


def region(a: np.ndarray) -> tuple[int, int]:
    return a.ctypes.data, a.ctypes.data + a.nbytes


def arguments(scale: float, x: np.ndarray, y: np.ndarray, n: int) -> bytes:
    return struct.pack("<fxxxxQQI4x", scale, x.ctypes.data, y.ctypes.data, n)


def arrays(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng()
    return rng.standard_normal(n).astype(np.float32), rng.standard_normal(n).astype(np.float32)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_a_kernel_runs(order, threads):
    x, y = arrays(1000)
    want = 2 * x + y
    run = AmdMachine(parse(AXPY), order=order).launch(
        DispatchParams((16, 1, 1), (64, 1, 1), arguments(2.0, x, y, 1000), [region(x), region(y)]), threads
    )
    assert (y == want).all()
    assert run.instructions == 16 * 21


def test_memory_that_was_not_given_stops_the_wave():
    x, y = arrays(1000)
    with pytest.raises(
        AveError, match=r"\[X022\].*global_load_dword.*workgroup \(15, 0, 0\), wave 0, lane 40"
    ) as caught:
        AmdMachine(parse(AXPY)).launch(
            DispatchParams((16, 1, 1), (64, 1, 1), arguments(2.0, x, y, 1001), [region(x), region(y)])
        )
    assert caught.value.code == "X022"


def test_an_unknown_instruction_is_refused_with_its_line():
    """Where the text is read; one that has no handler stops the wave that comes to it."""
    with pytest.raises(AveError, match=r"\[X029\] assembly:\d+: `v_fancy_f32` is not an instruction of gfx942"):
        parse(AXPY.replace("v_mul_f32_e32 v2, s0, v2", "v_fancy_f32 v2, s0, v2"))
    x, y = arrays(64)
    text = AXPY.replace("v_mul_f32_e32 v2, s0, v2", "image_load v2, v2, s[0:7] dmask:0x1")
    text = re.sub(r"\.amdgcn_target.*", "", text)  # the instruction is gfx90a's, others of the text are not
    with pytest.raises(AveError, match=r"\[X021\].*image_load v2, v2.*line.*image_load is not executed here"):
        AmdMachine(parse(text)).launch(
            DispatchParams((1, 1, 1), (64, 1, 1), arguments(2.0, x, y, 64), [region(x), region(y)])
        )


@pytest.mark.parametrize(
    "change",
    [{"block": (2048, 1, 1)}, {"grid": (-1, 1, 1)}, {"kernarg": b"1234"}, {"dynamic_lds": 1 << 17}],
    ids=lambda c: next(iter(c)),
)
def test_what_cannot_be_launched_is_refused(change):
    x, y = arrays(64)
    given = {
        "grid": (1, 1, 1), "block": (64, 1, 1), "kernarg": arguments(2.0, x, y, 64), "regions": [region(x), region(y)],
        **change,
    }  # fmt: skip
    with pytest.raises(AveError, match="X027"):
        AmdMachine(parse(AXPY)).launch(DispatchParams(**given))
