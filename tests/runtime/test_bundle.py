"""Bundles: kernels that were compiled ahead of time run without a compiler; what does not fit is refused; strict mode compiles nothing."""

import json
import pathlib
import platform
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from tests.runtime import cuda, rocm

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.llvm.loader import load_code
from avelang.runtime import bundle, native

KERNELS = """
import avelang, avelang.language as al
F = 2.0

@avelang.jit
def twice(x):
    return x * F

@avelang.jit
def scale(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, SHIFT: al.constexpr = 0):
    room = al.make_shared((64,), al.f32)
    t = al.thread_id(0)
    i = al.block_id(0) * 64 + t
    if i < n:
        room[t] = twice(x[i])
    al.syncthreads()
    if i < n:
        y[i] = room[t] + SHIFT
"""
# Prints what `scale` gives for 100 numbers, with an LLVM that cannot be imported.
RUN = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "llvmlite":
            raise ImportError("there is no compiler")
sys.meta_path.insert(0, Finder())
import numpy as np, avelang
avelang.strict()
if len(sys.argv) > 1:
    avelang.load_bundle(sys.argv[1])
from kernels import scale
x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
scale[2, 64](x, y, 100)
assert (y == 2 * x).all() and scale.last.how == "bundle" and "llvmlite" not in sys.modules
print("right")
"""
WITHOUT_LLVM = pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64", reason="LLVM loads the objects of other machines")


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    monkeypatch.setattr(bundle, "_loaded", [])
    monkeypatch.setattr(bundle, "_of_environment", {})
    monkeypatch.setattr(native, "provided", [])
    for name in ("AVE_STRICT", "AVE_BUNDLE", "AVE_TARGET", "AVE_CHECK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AVE_STRICT", "0")


def run(folder: pathlib.Path, *args: str, code: str = RUN, **variables: str) -> subprocess.CompletedProcess:
    import os

    (folder / "run.py").write_text(code)
    # A file that was written twice in a second, with as many bytes, is the same one to Python's own cache.
    env = {**os.environ, "AVE_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    return subprocess.run([sys.executable, "run.py", *args], cwd=folder, env=env, capture_output=True, text=True, check=False)


def made(folder: pathlib.Path, *chips: str) -> pathlib.Path:
    """A bundle of `scale`, made in a process of its own."""
    (folder / "kernels.py").write_text(KERNELS)
    done = run(folder, code=f"""
        import avelang
        from kernels import scale
        avelang.build([avelang.specialization(scale, 64)], {list(chips) or ["cpu"]!r}, "k.bundle", "the command")
    """.replace("\n        ", "\n"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "k.bundle"


@avelang.jit
def add(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, S: al.constexpr = 1):
    i = al.block_id(0) * 64 + al.thread_id(0)
    if i < n:
        y[i] = x[i] + S


def fresh(kernel=add):
    return avelang.jit(kernel.source.fn)


def launched(kernel, *args, **options):
    x, y = np.arange(70, dtype=np.float32), np.zeros(70, np.float32)
    kernel[2, 64](x, y, 70, *args, **options)
    return y - x


@WITHOUT_LLVM
def test_a_bundle_runs_without_llvm(tmp_path):
    path = made(tmp_path)
    done = run(tmp_path, str(path))
    assert done.stdout == "right\n", done.stderr
    # By the environment, too.
    done = run(tmp_path, AVE_BUNDLE=str(path))
    assert done.stdout == "right\n", done.stderr



@WITHOUT_LLVM
def test_a_bundle_moves_with_its_kernels(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    path = made(first)
    path.rename(second / "moved.bundle")
    (second / "kernels.py").write_text(KERNELS)
    assert run(second, "moved.bundle").stdout == "right\n"


@pytest.mark.parametrize(("old", "new", "what"), [("return x * F", "return x + x", "twice"), ("al.block_id(0) * 64", "64 * al.block_id(0)", "scale")])
def test_a_changed_kernel_is_refused(tmp_path, old, new, what):
    path = made(tmp_path)
    assert old in KERNELS
    (tmp_path / "kernels.py").write_text(KERNELS.replace(old, new))
    said = run(tmp_path, str(path)).stderr
    assert "D048" in said and f"`{what}`" in said and "the command" in said


def test_a_changed_value_is_another_specialization(tmp_path):
    path = made(tmp_path)
    (tmp_path / "kernels.py").write_text(KERNELS.replace("F = 2.0", "F = 3.0"))
    assert "L067" in run(tmp_path, str(path)).stderr


def test_in_one_process(tmp_path):
    path, kernel = tmp_path / "one.bundle", fresh()
    with avelang.recording() as found:
        assert (launched(kernel, 3) == 3).all()
        launched(kernel, 3)
    assert len(found.found) == 1
    lines = avelang.build(found, [], path, "the command")
    assert lines == [f"test_bundle.py:{add.source.fn.__qualname__} for cpu: blocks of 64 x 1 x 1 threads, S=3"]
    loaded = avelang.load_bundle(path)
    kernel = fresh()
    assert (launched(kernel, 3) == 3).all() and kernel.last.how == "bundle"
    assert kernel.last.prepare < 60 and launched(kernel, 3) is not None and kernel.last.how == "hot"
    avelang.unload_bundle(loaded)
    kernel = fresh()
    assert (launched(kernel, 3) == 3).all() and kernel.last.how == "disk"


def test_strict_names_the_specialization_and_the_command(monkeypatch):
    monkeypatch.setenv("AVE_NO_CACHE", "1")
    avelang.strict()
    with pytest.raises(AveError) as e:
        launched(fresh(), 5)
    assert e.value.code == "L067" and "`add`" in str(e.value) and "S=5" in str(e.value)
    assert f"ave build {__file__}:add --chip cpu --block 64,1,1 -D S=5 -o FILE" in str(e.value)
    avelang.strict(False)
    assert (launched(fresh(), 5) == 5).all()


def test_strict_takes_what_the_cache_has():
    launched(fresh(), 6)
    avelang.strict()
    kernel = fresh()
    assert (launched(kernel, 6) == 6).all() and kernel.last.how == "disk"
    assert (launched(fresh(), 6, backend="reference") == 6).all()  # nothing is compiled for it


def test_a_kernel_of_a_factory_is_to_be_recorded(monkeypatch):
    launched(add)  # Ave's own host code is there then
    monkeypatch.setenv("AVE_NO_CACHE", "1")
    avelang.strict()

    @avelang.jit
    def inner(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
        y[al.thread_id(0)] = x[al.thread_id(0)]

    with pytest.raises(AveError, match="--record") as e:
        launched(inner)
    assert e.value.code == "L067"


def test_what_has_no_key_is_in_no_bundle(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS.replace("F = 2.0", "import time\nF = time.time").replace("x * F", "x * F()"))
    done = run(tmp_path, code='import avelang\nfrom kernels import scale\navelang.build([avelang.specialization(scale)], ["cpu"], "k.bundle")')
    assert done.returncode and ("D049" in done.stderr or "[T" in done.stderr or "[U" in done.stderr)


def test_d049_is_said_of_it(monkeypatch, tmp_path):
    monkeypatch.setattr(bundle, "_texts", lambda source: ("", {}))
    with pytest.raises(AveError) as e:
        avelang.build([avelang.specialization(add)], ["cpu"], tmp_path / "x.bundle")
    assert e.value.code == "D049"


def edited(path: pathlib.Path, change) -> str:
    """The bundle with another head, well packed."""
    data = path.read_bytes()
    start = len(bundle._MAGIC) + bundle._LENGTH
    end = start + int.from_bytes(data[len(bundle._MAGIC) : start], "little")
    head = json.loads(data[start:end])
    change(head)
    raw = json.dumps(head).encode()
    body = bundle._MAGIC + len(raw).to_bytes(bundle._LENGTH, "little") + raw + data[end : -bundle._DIGEST]
    path.write_bytes(body + bundle.hashlib.sha256(body).digest())
    return str(path)


@pytest.fixture
def one(tmp_path):
    path = tmp_path / "one.bundle"
    avelang.build([avelang.specialization(add, 64)], ["cpu"], path, "the command")
    return path


@pytest.mark.parametrize("damage", ["cut", "flipped", "head", "other", "empty", "longer"])
def test_a_damaged_bundle_is_refused(one, damage):
    data = bytearray(one.read_bytes())
    if damage == "flipped":
        data[len(data) // 2] ^= 4
    if damage == "head":
        data[40] ^= 1
    one.write_bytes({"cut": data[:-5], "other": b"PK\3\4" + data, "empty": b"", "longer": data + b"x"}.get(damage, bytes(data)))
    with pytest.raises(AveError) as e:
        avelang.load_bundle(one)
    assert e.value.code == "D045" and "make it again" in str(e.value)


@pytest.mark.parametrize(("name", "value"), [("avelang", "0.0.1"), ("code", "0" * 16), ("system", "linux sparc"), ("python", "cpython 2.7")])
def test_a_bundle_of_another_ave_is_refused(one, name, value):
    with pytest.raises(AveError) as e:
        avelang.load_bundle(edited(one, lambda head: head.update({name: value})))
    assert e.value.code == "D046" and "the command" in str(e.value) and (name == "code" or value in str(e.value))


def test_a_bundle_for_another_processor_is_refused(one):
    with pytest.raises(AveError, match="avx9000") as e:
        avelang.load_bundle(edited(one, lambda head: head["needs"].append("avx9000")))
    assert e.value.code == "D047"


def test_one_that_is_not_there():
    with pytest.raises(OSError):
        avelang.load_bundle("nowhere.bundle")


def test_what_the_environment_names_must_be_there(monkeypatch):
    monkeypatch.setenv("AVE_BUNDLE", "nowhere.bundle")
    with pytest.raises(AveError, match=r"nowhere\.bundle") as e:
        launched(fresh(), 8)
    assert e.value.code == "D045"


def test_what_is_no_specialization(tmp_path):
    with pytest.raises(TypeError, match="no function"):
        avelang.specialization(print)
    with pytest.raises(TypeError, match="stream"):
        avelang.specialization(add, stream=0)
    for given, words in (({"block": 0}, "one to three ints"), ({"block": (8, 8, 8, 8)}, "one to three ints"), ({"block": "64"}, "'64'"),
                         ({"block": (32, 33)}, "1056 threads"), ({"num_warps": "x"}, "a positive int"), ({"cluster": 2}, "cluster must be"),
                         ({"target": 3}, "the name of a chip"), ({"waves_per_eu": 9}, "from 1 to 8"), ({"narrow": "x"}, "bytes of their elements")):  # fmt: skip
        with pytest.raises(AveError, match=words) as e:
            avelang.specialization(add, **given)
        assert e.value.code == "L066" and e.value.span is not None and e.value.span.file == __file__
    for listed in (3, [3]):
        with pytest.raises(AveError, match="3 is no avelang.specialization"):
            avelang.build(listed, ["cpu"], tmp_path / "x.bundle")
    with pytest.raises(OSError):
        avelang.build([avelang.specialization(add, 64)], ["cpu"], tmp_path)
    assert not list(tmp_path.parent.glob(f"{tmp_path.name}.new*"))
    with pytest.raises(AveError) as e:
        avelang.build([avelang.specialization(add, 64, {"T": 1})], ["cpu"], tmp_path / "x.bundle")
    assert e.value.code == "L007"


@pytest.mark.parametrize("vendor", [cuda, rocm])
def test_on_a_gpu(monkeypatch, tmp_path, vendor):
    """Through the stub of the driver: the launch takes the bundle's code, and nothing compiles."""
    pytest.importorskip("torch")
    machine = vendor.Machine(monkeypatch)
    torch = vendor.Torch(monkeypatch, machine) if hasattr(vendor, "Torch") else rocm.Torch(monkeypatch, machine)
    chip = machine.driver.device(0).chip.name if hasattr(machine.driver, "device") else machine.CHIPS[0]
    if vendor is cuda:
        from avelang.runtime import ptxas

        monkeypatch.delenv("AVE_PTXAS", raising=False)
        if ptxas.find() is None:
            pytest.skip("no ptxas is here")
    wanted = [avelang.specialization(add, 64, {"S": 4}, **more) for more in ({}, {"narrow": "x=4"})]
    avelang.build(wanted, [chip], tmp_path / "g.bundle")
    monkeypatch.setenv("AVE_PTXAS", "driver")
    avelang.load_bundle(tmp_path / "g.bundle")
    avelang.strict()
    monkeypatch.setattr("avelang.runtime.compile.build", None)
    kernel, (x, y) = fresh(), (torch.make(np.zeros(64, np.float32), 0) for _ in range(2))
    kernel[1, 64](x, y, 64, 4)
    assert kernel.last.how == "bundle" and machine.launches == 1
    kernel[1, 64](x[1:], y, 63, 4)
    assert kernel.last.how == "bundle" and machine.launches == 2
    with pytest.raises(AveError, match="L067.*narrow") as e:
        kernel[1, 64](x, y[1:], 63, 4)
    assert "--option narrow='y=4'" in e.value.hint
    with pytest.raises(AveError) as e:
        kernel[1, 64](x, y, 64, 5)
    assert e.value.code == "L067" and f"--chip {chip}" in str(e.value)


def test_recorded_for_a_chip_nothing_runs():
    with avelang.recording("sm_90a") as found:
        assert (launched(fresh(), 9) == -np.arange(70)).all()
    (spec,) = found.found
    assert spec.chips == ("sm_90a",) and spec.extents == (64, 1, 1) and spec.constexprs == {"S": 9} and not spec.options
    with avelang.recording("sm_90a") as found:
        fresh()[1, 64](*(np.zeros(65, np.float32)[i:][:64] for i in (1, 0)), 64, 9)
    assert found.found[0].options == {"narrow": "x=4"}


# -- the loader ---


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64", reason="LLVM loads the objects of other machines")
def test_the_loader_loads_and_refuses():
    import ctypes

    from avelang.llvm.core import HostCompiler
    from avelang.llvm.loader import ObjectCode

    text = textwrap.dedent("""
        @table = private unnamed_addr constant [3 x i64] [i64 5, i64 6, i64 7]
        @count = global i64 40
        @self = constant ptr @count
        declare i64 @labs(i64)
        declare i64 @outside(i64)
        define i64 @f(i64 %x) {
          %a = call i64 @labs(i64 %x)
          %p = load ptr, ptr @self
          %old = load i64, ptr %p
          %new = add i64 %old, 1
          store i64 %new, ptr @count
          %q = getelementptr [3 x i64], ptr @table, i64 0, i64 %a
          %t = load i64, ptr %q
          %s = add i64 %t, %new
          ret i64 %s
        }
        define i64 @g(i64 %x) {
          %y = call i64 @outside(i64 %x)
          ret i64 %y
        }""")
    data = HostCompiler().object(text)
    twice = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(lambda x: 2 * x)
    code = load_code(data, {"outside": ctypes.cast(twice, ctypes.c_void_p).value})
    assert isinstance(code, ObjectCode)
    f, g = (ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.address(name)) for name in "fg")
    assert [f(-2), f(1), g(21)] == [7 + 41, 6 + 42, 42] and code.address("nothing") == 0
    with pytest.raises(ValueError, match="outside"):
        load_code(data)
    for torn in (b"", b"\0" * 64, data[:200], data[:-40]):
        with pytest.raises(ValueError, match="object"):
            load_code(torn)
