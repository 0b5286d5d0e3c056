"""What is refused before anything runs."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.nvptx.parse import parse
from avelang.sim.ptx import Program
from sim.ptx.texts import kernel, run

TEXT = kernel("ret;", 1, directives=".maxntid 64, 1, 1")


def test_nodes_are_taken_as_text_is():
    out = np.zeros(1, np.uint32)
    program = Program(parse(kernel("st.global.u32 [%p0], 5; ret;")), entry="k")
    assert program.launch([out.ctypes.data], (1, 1, 1), (1, 1, 1), memory=[(out.ctypes.data, 4, "out", True)]) > 0
    assert out[0] == 5


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"args": []}, "its parameters are 1"), ({"args": [b"123"]}, "it has 8 bytes, 3 were given"), ({"args": [1 << 70]}, "does not fit 8 bytes"),
        ({"block": (65, 1, 1)}, "maxntid"), ({"block": (0, 1, 1)}, "1 to 1024 threads"), ({"grid": (-1, 1, 1)}, "extents"),
        ({"shared_bytes": 1 << 18}, "at most 232448"), ({"cluster": (2, 1, 1)}, "cannot be cut"), ({"cluster": (32, 1, 1)}, "1 to 16 blocks"),
    ],
)  # fmt: skip
def test_launches_that_cannot_be(change, why):
    given = {"args": [0], "grid": (1, 1, 1), "block": (32, 1, 1), **change}
    with pytest.raises(AveError, match=rf"\[X036\].*{why}"):
        Program(TEXT).launch(**given)


def test_required_extents():
    with pytest.raises(AveError, match=r"\[X036\].*reqntid \(32, 1, 1\)"):
        Program(kernel("ret;", directives=".reqntid 32")).launch([0], (1, 1, 1), (64, 1, 1))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TEXT.replace(".entry k", ".func k").replace(".maxntid 64, 1, 1", ""), "none"),
        (TEXT + TEXT[TEXT.index(".visible") :].replace(" k(", " other("), "k, other"), (TEXT.replace("ret;", ".reg .b32 x; mov.u32 x, 1/0;"), "by zero"),
        (kernel("ret;", outside=".global .u32 a = b;").replace("ret;", ".reg .b64 x; mov.u64 x, a;"), "names `b`"),
    ],
)  # fmt: skip
def test_modules_that_cannot_be_executed(text, why):
    with pytest.raises(AveError, match=rf"\[X030\].*{why}"):
        Program(text)


def test_an_empty_grid_runs_nothing():
    assert Program(TEXT).launch([0], (0, 1, 1), (32, 1, 1)) == 0


def test_many_warps_end_with_one_count_of_instructions():
    out = np.zeros(4096, np.uint32)
    text = kernel("""mov.u32 %r0, %ctaid.x; mad.lo.u32 %r1, %r0, 64, %tid.x; mul.wide.u32 %d0, %r1, 4; add.u64 %d0, %d0, %p0; st.global.u32 [%d0], %r1; ret;
        """.replace("mad.lo.u32 %r1, %r0, 64, %tid.x", "mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r0, 64, %r2"))
    run(text, out, grid=(64, 1, 1), block=(64, 1, 1))
    assert (out == np.arange(4096)).all()
