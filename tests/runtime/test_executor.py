"""Kernels on CPU arrays as executed gfx942 code: how a launch gets there, what it says of itself, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.runtime import executed_code


@avelang.jit
def double(x: al.Pointer(al.f32), n: al.u32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    if i < n:
        X[i] = X[i] * 2.0


@avelang.jit
def beyond(x: al.Pointer(al.f32), n: al.u32):
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    X[al.thread_id(0) + 500_000_000] = 1.0  # two gigabytes away: nothing else that was given stands there


@avelang.jit
def speaks_then_faults(x: al.Pointer(al.f32), n: al.u32):
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    if al.thread_id(0) == 0:
        al.printf("before %d\n", n)
    X[al.thread_id(0) + 500_000_000] = 1.0  # two gigabytes away: nothing else that was given stands there


def data() -> np.ndarray:
    return np.random.default_rng().standard_normal(100).astype(np.float32)


@pytest.mark.parametrize("chip", ["gfx942", "gfx950"])
@pytest.mark.parametrize("names", [("target",), ("backend",), ("backend", "target")], ids=str)
def test_ways_to_get_there(names, chip):
    options = {name: chip + "-exec" * (name == "backend") for name in names}
    x = data()
    want = 2 * x
    double[2, 64](x, 100, **options)
    assert (x == want).all() and double.last.backend == f"{chip}-exec"
    double[2, 64](x, 100, **options)
    assert (x == 2 * want).all() and double.last.how == "hot"


@pytest.mark.parametrize("options", [{"target": "gfx942", "backend": "cpu"}, {"target": "gfx90a"}, {}], ids=str)
def test_other_launches_stay_on_the_cpu(options):
    x = data()
    double[2, 64](x, 100, **options)
    double[2, 64](x, 100, **options)
    assert double.last.backend == "cpu"


def test_the_environment_says_it(monkeypatch):
    monkeypatch.setenv("AVE_BACKEND", "gfx942-exec")
    double[2, 64](data(), 100)
    assert double.last.backend == "gfx942-exec"


def test_of_several_in_the_environment_the_first_that_fits_the_chip(monkeypatch):
    monkeypatch.setenv("AVE_BACKEND", "gfx942-exec,gfx950-exec,reference")
    for target, engine in ((None, "gfx942-exec"), ("gfx950", "gfx950-exec"), ("sm_80", "reference"), ("gfx90a", "reference")):
        double[2, 64](data(), 100, **({"target": target} if target else {}))
        assert double.last.backend == engine
    monkeypatch.setenv("AVE_BACKEND", "gfx942-exec,gfx950-exec")
    with pytest.raises(AveError, match=r"\[L026\].*AVE_BACKEND=gfx942-exec executes code for gfx942.*'sm_80'"):
        double[2, 64](data(), 100, target="sm_80")
    for wrong in ("gfx942-exec,no", "no"):
        monkeypatch.setenv("AVE_BACKEND", wrong)
        with pytest.raises(AveError, match="L009"):
            double[2, 64](data(), 100, target="sm_80")


def test_other_chips_are_refused():
    for chip, other in (("gfx942", "gfx950"), ("gfx950", "gfx942"), ("gfx950", "gfx90a")):
        with pytest.raises(AveError, match=rf"\[L026\].*{chip}-exec.*{other}"):
            double[2, 64](data(), 100, backend=f"{chip}-exec", target=other)


@avelang.jit
def mirrored(x: al.Pointer(al.u32), n: al.u32):
    """Reverses 40,000 words in LDS, more than 64 KiB of them."""
    X = al.make_tensor(x, al.u32, al.make_layout((n,), (1,)))
    S = al.make_shared((40000,), al.u32)
    for i in al.range(al.thread_id(0), n, 256):
        S[i] = X[i]
    al.syncthreads()
    for i in al.range(al.thread_id(0), n, 256):
        X[i] = S[n - 1 - i]


def test_gfx950_has_160_kib_of_lds():
    x = np.arange(40000, dtype=np.uint32)
    mirrored[1, 256](x, 40000, target="gfx950")
    assert (x == np.arange(40000)[::-1]).all()
    with pytest.raises(AveError, match="65536"):
        mirrored[1, 256](x, 40000, target="gfx942")


def test_read_only_arrays_are_refused():
    x = data()
    x.flags.writeable = False
    with pytest.raises(AveError, match=r"L0\d\d.*read-only|L0\d\d.*written"):
        double[2, 64](x, 100, target="gfx942")


def test_memory_beyond_the_arguments_is_an_error():
    with pytest.raises(AveError, match=r"\[X022\] kernel `beyond`: `global_store_dword"):
        beyond[1, 64](data(), 100, target="gfx942")


def test_what_was_printed_before_a_fault_is_shown(capsys):
    with pytest.raises(AveError, match="X022"):
        speaks_then_faults[1, 64](data(), 100, target="gfx942")
    assert capsys.readouterr().out == "before 100\n"


def test_code_comes_out_of_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path))

    def launch() -> str:
        again = avelang.jit(double.source.fn)  # as in another process: nothing is ready
        x = data()
        want = 2 * x
        again[2, 64](x, 100, target="gfx942")
        assert (x == want).all()
        return again.last.how

    assert [launch(), launch()] == ["compiled", "disk"]
    monkeypatch.setenv("AVE_CHECK", "waits")  # another translation
    assert launch() == "compiled"


def test_waits_are_verified_where_asked(monkeypatch):
    """The machine of a launch has its checker on with AVE_CHECK=waits and off without."""
    seen = []

    class Spy(executed_code.AmdMachine):
        def __init__(self, *args, **kwargs):
            seen.append(tuple(kwargs["check"]))
            super().__init__(*args, **kwargs)

    monkeypatch.setattr(executed_code, "AmdMachine", Spy)
    monkeypatch.setenv("AVE_NO_CACHE", "1")
    for value, want in (("", ()), ("waits", ("hazards", "lds", "waits")), ("races", ("lds", "races", "uniform"))):
        monkeypatch.setenv("AVE_CHECK", value)
        avelang.jit(double.source.fn)[2, 64](data(), 100, target="gfx942")
        assert set(seen) == {want}
        seen.clear()


@avelang.jit
def from_below(x: al.Pointer[al.f32], n: al.u32):
    t = al.thread_id(0)
    if t % 64 < n:
        x[t] = al.shuffle_up(x[t] * 3.0, 5)


@pytest.mark.parametrize("chip", ["gfx942", "gfx950"])
def test_shuffles_from_inactive_lanes_are_found_with_races(monkeypatch, chip):
    monkeypatch.setenv("AVE_CHECK", "races")
    from_below[1, 128](np.zeros(128, np.float32), 64, target=chip)

    @avelang.jit
    def from_above(x: al.Pointer[al.f32], n: al.u32):
        t = al.thread_id(0)
        if t % 64 < n:
            x[t] = al.shuffle_down(x[t] * 3.0, 5)

    with pytest.raises(AveError, match=r"\[X043\].*reads from lane 50"):
        from_above[1, 128](np.zeros(128, np.float32), 50, target=chip)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_grids_run_on_all_threads(monkeypatch, threads):
    monkeypatch.setenv("AVE_THREADS", threads)
    x = np.arange(64 * 40, dtype=np.float32)
    double[40, 64](x, x.size, target="gfx942")
    assert (x == 2 * np.arange(64 * 40)).all()


def test_an_error_names_its_line_of_python():
    with pytest.raises(AveError, match=r"`x` of 400 bytes, which ends \d+ bytes before") as caught:
        beyond[1, 64](data(), 100, target="gfx942")
    hint = caught.value.hint
    assert caught.value.span and "ave compile FILE:beyond --target gfx942 --block 64,1,1 --emit asm" in hint
