"""Launches from end to end: what is compiled, what comes from the cache, what is hot; errors before anything runs; both backends."""

import os
import pathlib
import subprocess
import sys
import textwrap
import threading
import traceback

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError, LaunchError
from avelang.runtime import cache, compile, keys

SCALE = 3


@avelang.jit
def scaled(x, n):
    return x * n


@avelang.jit
def axpy(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, BLOCK: al.constexpr = 64):
    i = al.block_id(0) * BLOCK + al.thread_id(0)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    if i < n:
        Y[i] = Y[i] + scaled(X[i], SCALE)


def arrays(n=100):
    return np.arange(n, dtype=np.float32), np.ones(n, np.float32)


def launch(kernel, n=100, block=64, **kwargs):
    x, y = arrays(n)
    kernel[lambda: ((-(-n // block),), (block,))](x, y, n, **kwargs)
    np.testing.assert_array_equal(y, 1 + SCALE * x)
    return kernel.last.how


def fresh():
    return avelang.jit(axpy.source.fn)


def test_compiled_then_hot_then_from_disk():
    kernel = fresh()
    assert kernel.last is None
    assert [launch(kernel) for _ in range(3)] == ["compiled", "hot", "hot"]
    assert kernel.last.run > 0
    assert launch(kernel, n=101) == "hot"
    assert launch(fresh()) == "disk"


def test_what_makes_another_kernel(monkeypatch):
    kernel = fresh()
    assert launch(kernel) == "compiled"
    assert launch(kernel, block=32, BLOCK=32) == "compiled"
    assert launch(kernel, num_warps=4) == "compiled"
    assert launch(kernel, target="gfx942") == "compiled"
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 5)
    assert launch(kernel) == "compiled"
    assert launch(fresh()) == "disk"
    monkeypatch.undo()
    assert launch(kernel) == "hot"


def test_another_host_is_another_kernel(monkeypatch):
    assert launch(fresh()) == "compiled"
    assert launch(fresh()) == "disk"
    from avelang.llvm.core import HostCompiler

    key = HostCompiler.key.fget
    monkeypatch.setattr(HostCompiler, "key", property(lambda self: (*key(self), "another cpu")))
    assert launch(fresh()) == "compiled"


def test_the_cache_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("AVE_NO_CACHE", "1")
    assert launch(fresh()) == "compiled"
    assert launch(fresh()) == "compiled"


def kernels_in_cache():
    return [p for p in pathlib.Path(cache.folder()).glob("*.ave") if b'"kind": "kernel"' in p.read_bytes()]


@pytest.mark.parametrize("damage", ["byte", "cut", "empty", "swapped", "open"])
def test_a_damaged_entry_is_compiled_anew_and_replaced(damage):
    launch(fresh())
    launch(fresh(), block=32, BLOCK=32)
    one, other = kernels_in_cache()
    good = one.read_bytes()
    if damage == "byte":
        one.write_bytes(good[:-200] + bytes([good[-200] ^ 1]) + good[-199:])
    elif damage == "cut":
        one.write_bytes(good[: len(good) // 2])
    elif damage == "empty":
        one.write_bytes(b"")
    elif damage == "swapped":
        one.write_bytes(other.read_bytes())
    else:
        one.chmod(0o666)
    hows = {launch(fresh()), launch(fresh(), block=32, BLOCK=32)}
    assert hows == {"compiled", "disk"}
    assert {launch(fresh()), launch(fresh(), block=32, BLOCK=32)} == {"disk"}
    assert one.read_bytes()[:12] == good[:12]


def test_no_cache_folder_is_no_error(monkeypatch, tmp_path, recwarn):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(cache, "_warned", set())
    assert launch(fresh()) == "compiled"
    assert launch(fresh(), num_warps=2) == "compiled"
    assert len([w for w in recwarn if issubclass(w.category, RuntimeWarning)]) == 1


def test_grid_of_nothing():
    x, y = arrays()
    axpy[((0,), (64,))](x, y, 100)
    assert (y == 1).all()
    with pytest.raises(LaunchError):
        axpy[((0,), (64,))](x, None, 100)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_both_backends(backend, monkeypatch):
    assert launch(fresh(), backend=backend) in ("compiled", "reference")
    monkeypatch.setenv("AVE_BACKEND", backend)
    assert launch(fresh()) in ("disk", "compiled", "reference")


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_torch_and_jax(backend):
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    x, y = torch.arange(100.0), torch.ones(100)
    for n in (1, 2, 3):
        axpy[((2,), (64,))](x, y, 100, backend=backend)
        assert torch.equal(y, 1 + n * SCALE * x)
    x, y = jax.numpy.arange(100.0), torch.ones(100)
    axpy[((2,), (64,))](x, y, 100, backend=backend)
    np.testing.assert_array_equal(y.numpy(), 1 + SCALE * np.arange(100))
    # Documented: the memory of a JAX array is written like any other.
    y = jax.numpy.ones(100)
    axpy[((2,), (64,))](x, y, 100, backend=backend)
    np.testing.assert_array_equal(np.from_dlpack(y), 1 + SCALE * np.arange(100))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_bf16_everywhere(backend):
    torch = pytest.importorskip("torch")

    @avelang.jit
    def double(x: al.Tensor((64,), al.bf16)):
        i = al.thread_id(0)
        x[i] = x[i] + x[i]

    x = torch.arange(64).to(torch.bfloat16)
    double[((1,), (64,))](x, backend=backend)
    assert torch.equal(x, 2 * torch.arange(64).to(torch.bfloat16))


def test_a_read_only_array_is_protected_by_the_reference():
    x, y = arrays()
    y.flags.writeable = False
    with pytest.raises(AveError) as e:
        axpy[((2,), (64,))](x, y, 100, backend="reference")
    assert e.value.code == "X004"
    assert (y == 1).all()


def test_several_threads_launch_a_new_kernel_at_once(monkeypatch):
    kernel, compiled = fresh(), []
    real = compile.cpu_object
    monkeypatch.setattr(compile, "cpu_object", lambda *args: compiled.append(1) or real(*args))
    failed = []

    def go():
        try:
            for n in (50, 100, 150):
                launch(kernel, n)
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(compiled) == 1


# -- tracebacks --------------------------------------------------------------------------------------------------------------------


def frames(call):
    try:
        call()
    except AveError as e:
        return [(f.filename, f.name) for f in traceback.extract_tb(e.__traceback__)], "".join(traceback.format_exception(e))
    raise AssertionError("nothing was raised")


def test_framework_frames_are_hidden():
    @avelang.jit
    def broken(x: al.Pointer(al.f32)):
        y = nonsense  # noqa: F821, F841

    x, y = arrays()
    for call in (lambda: axpy[((2,), (64,))](x, None, 100), lambda: broken[((1,), (1,))](x), lambda: axpy[((2,), (64,))](x, y, -1)):
        for _ in range(2):
            found, text = frames(call)
            assert all(name == __file__ for name, _ in found), found
            assert "[" in text
            assert "The above exception" not in text
            assert "During handling" not in text


def test_frames_can_be_kept(monkeypatch):
    monkeypatch.setenv("AVE_TRACEBACK", "full")
    x, _ = arrays()
    found, _ = frames(lambda: axpy[((2,), (64,))](x, None, 100))
    assert any("arguments.py" in name for name, _ in found)
    monkeypatch.delenv("AVE_TRACEBACK")
    found, _ = frames(lambda: axpy[((2,), (64,))](x, None, 100))
    assert all(name == __file__ for name, _ in found)


def test_an_argument_error_points_at_the_parameter():
    x, _ = arrays()
    with pytest.raises(LaunchError) as e:
        axpy[((2,), (64,))](x, x.astype(np.float64), 100)
    text = str(e.value)
    assert "[L012] `axpy`: parameter 'y' wants Pointer(f32), got a NumPy array of float64 with shape (100,)" in text
    assert "def axpy(" in text
    assert text.splitlines()[4].count("^") == len("y: al.Pointer(al.f32)")


def test_an_argument_error_comes_before_compilation(monkeypatch):
    monkeypatch.setattr(compile, "build", None)
    x, y = arrays()
    with pytest.raises(LaunchError):
        fresh()[((2,), (64,))](x, y, 100.0)


# -- other processes ---------------------------------------------------------------------------------------------------------------

MODULE = """
import avelang, avelang.language as al, numpy as np, sys
from helper import step, AMOUNT

@avelang.jit
def kernel(x: al.Pointer(al.i32)):
    X = al.make_tensor(x, al.i32, al.make_layout((64,), (1,)))
    X[al.thread_id(0)] = step(X[al.thread_id(0)]) + AMOUNT

x = np.zeros(64, np.int32)
kernel[((1,), (64,))](x)
heavy = ("avelang.frontend.build", "avelang.pipeline", "avelang.emit.llvm.cpu", "avelang.sim.reference", "torch", "jax")
print(kernel.last.how, x[5], *(m for m in heavy if m in sys.modules))
"""
HELPER = """
import avelang, avelang.language as al

AMOUNT = 1

@avelang.jit
def step(x):
    return x + 10
"""


@pytest.fixture
def run(tmp_path):
    def run(helper=HELPER, module=MODULE, **env):
        (tmp_path / "helper.py").write_text(textwrap.dedent(helper))
        (tmp_path / "module.py").write_text(textwrap.dedent(module))
        # Two versions of one size within one second would look the same to a .pyc.
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **env}
        done = subprocess.run([sys.executable, "module.py"], capture_output=True, text=True, cwd=tmp_path, env=env, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    return run


def test_a_fresh_process_starts_from_the_cache_without_the_compiler(run):
    first = run()
    assert first[:2] == ["compiled", "11"]
    assert "avelang.frontend.build" in first
    assert run() == ["disk", "11"]


def test_a_change_anywhere_is_compiled_anew(run):
    assert run()[:2] == ["compiled", "11"]
    assert run(helper=HELPER.replace("x + 10", "x + 20"))[:2] == ["compiled", "21"]
    assert run(helper=HELPER.replace("AMOUNT = 1", "AMOUNT = 2"))[:2] == ["compiled", "12"]
    assert run(module=MODULE.replace(") + AMOUNT", ") - AMOUNT"))[:2] == ["compiled", "9"]
    assert run() == ["disk", "11"]


def test_what_a_kernel_prints_keeps_its_place():
    program = """
    import avelang, avelang.language as al
    @avelang.jit
    def hello(n: al.i32):
        if al.thread_id(0) == 0:
            al.printf("kernel %d\\n", n)
    print("before")
    for n in range(3):
        hello[((1,), (64,))](n)
        print("after", n)
    """
    path = pathlib.Path(cache.folder()).parent.parent / "hello.py"
    path.write_text(textwrap.dedent(program))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == ["before", *(line for n in range(3) for line in (f"kernel {n}", f"after {n}"))]


# -- text --------------------------------------------------------------------------------------------------------------------------


def test_compile_text():
    from avelang.ir.text import parse_kernel, print_kernel

    ir = compile.compile_text(axpy, {}, emit="ir")
    assert print_kernel(parse_kernel(ir)) == ir
    assert compile.compile_text(axpy, {"BLOCK": 32}, emit="ir") != ir
    assert "gfx942" in compile.compile_text(axpy, {}, target="gfx942", emit="ir")
    assert "define i64 @ave_run" in compile.compile_text(axpy, {}, (64, 1, 1), "cpu", "llvm")
    assert "ave_run:" in compile.compile_text(axpy, {}, (64, 1, 1), "cpu", "asm")
    assert "amdgpu_kernel void @axpy" in compile.compile_text(axpy, {}, (64, 1, 1), "gfx942", "llvm")
    assert "axpy.kd" in compile.compile_text(axpy, {}, (64, 1, 1), "gfx942", "asm")
    assert ".entry axpy" in compile.compile_text(axpy, {}, (64, 1, 1), "sm_90a", "asm")


def test_compile_text_refuses():
    for code, args in [
        ("U101", ({}, (64, 1, 1), "gfx1", "ir")), ("L007", ({"BLOK": 1}, (64, 1, 1), "cpu", "ir")),
        ("L009", ({}, (64, 1, 1), "cpu", "ptx")), ("L003", ({}, (2048, 1, 1), "cpu", "asm")),
    ]:  # fmt: skip
        with pytest.raises(AveError) as e:
            compile.compile_text(axpy, *args)
        assert e.value.code == code

    # A parameter of run time is no constexpr; and a constexpr that is written wrong is named.
    for name, said in (("n", "no parameter 'n' that is known at compile time"), ("BLOK", "; did you mean BLOCK?")):
        with pytest.raises(AveError) as e:
            compile.compile_text(axpy, {name: 1})
        assert said in e.value.message and "BLOCK" in e.value.hint

    @avelang.jit
    def needs(B: al.constexpr):
        pass

    with pytest.raises(AveError) as e:
        compile.compile_text(needs, {})
    assert e.value.code == "L006"


def test_dump(monkeypatch, capsys):
    monkeypatch.setenv("AVE_DUMP", "ir,passes,llvm,asm")
    for _ in range(2):
        launch(fresh())
        shown = capsys.readouterr().err
        assert [stage for stage in ("ir", "passes", "llvm", "asm") if f"; ---- {stage} of axpy" in shown] == ["ir", "passes", "llvm", "asm"]


def test_a_value_without_a_text_stays_out_of_the_cache(monkeypatch):
    def unstable(value, portable=False):
        raise keys.Unstable

    monkeypatch.setattr(keys, "token", unstable)
    assert launch(fresh()) == "compiled"
    assert launch(fresh()) == "compiled"
    assert not os.path.isdir(cache.folder()) or not kernels_in_cache()


@avelang.jit
def turned(x: al.Tensor((128,), al.i32)):
    t = al.thread_id(0)
    stage = al.make_shared((128,), al.i32)
    stage[t] = x[t]
    al.syncthreads()
    value = stage[(t + 64) % 128]
    stage[t] = value + 1  # while the other wave may still read
    al.syncthreads()
    x[t] = stage[t]


def test_the_reference_reports_races_where_the_environment_asks(monkeypatch):
    turned[1, 128](np.zeros(128, np.int32), backend="reference")
    monkeypatch.setenv("AVE_CHECK", "ir,races")
    with pytest.raises(AveError) as caught:
        turned[1, 128](np.zeros(128, np.int32), backend="reference")
    assert caught.value.code == "X006" and "`stage`" in caught.value.message
    with pytest.raises(AveError) as caught:
        turned[1, 128](np.zeros(128, np.int32))  # the CPU backend cannot check that
    assert caught.value.code == "X045"
