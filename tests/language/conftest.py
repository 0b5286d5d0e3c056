"""What the tests of the language share: every test that takes `launch` runs once on the reference and once on the CPU backend; then its kernels
are also compiled for AMD's chips."""

import pytest

from language.chips import compile_only


@pytest.fixture(params=["reference", "cpu"])
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
        kernel[lambda: (three(grid), three(block))](*args, backend=backend, **kwargs)
        if backend == "cpu":
            compile_only(kernel, three(block), args, kwargs)

    return go
