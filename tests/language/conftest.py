"""What the tests of the language share: every test that takes `launch` runs on the reference, on the CPU backend, and
as executed machine code of gfx942; the kernels are also compiled for all of AMD's chips."""

import pytest

from avelang.base.errors import AveError
from language.chips import ELSEWHERE, compile_only

EXECUTOR, EXECUTED = "gfx942-exec", "gfx942"


@pytest.fixture(params=["reference", "cpu", EXECUTOR])
def backend(request):
    """The name of a backend, for the launch option of that name."""
    return request.param


@pytest.fixture
def launch(backend):
    """launch(kernel, *args, grid=1, block=64, **kwargs): extents may be ints or tuples."""

    def three(x):
        x = (x,) if isinstance(x, int) else tuple(x)
        return x + (1,) * (3 - len(x))

    def go(kernel, *args, grid=1, block=64, **kwargs):
        if backend == EXECUTOR and kwargs.get("target") not in (None, EXECUTED):
            pytest.skip(f"executed code is code for {EXECUTED}")
        try:
            kernel[lambda: (three(grid), three(block))](*args, backend=backend, **kwargs)
        except AveError as e:
            if backend == EXECUTOR and e.code in ELSEWHERE:
                pytest.skip(f"{EXECUTED} has no such intrinsic: {e.message}")
            raise
        if backend == "cpu":
            compile_only(kernel, three(block), args, kwargs)

    return go
