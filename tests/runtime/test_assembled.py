"""AVE_CHECK=ptxas: what is compared and what is said of it. The stub of NVIDIA's driver runs nothing; what each code would do is put in its place."""

import sys

import numpy as np
import pytest
from tests.gpu import ptxas_check
from tests.runtime import cuda, rocm

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.runtime import assembled, ptxas
from avelang.runtime.arrays import describe

pytest.importorskip("torch")


@pytest.fixture
def machine(monkeypatch):
    monkeypatch.setattr(assembled, "_told", set())
    monkeypatch.setenv("AVE_CHECK", "ptxas")
    return cuda.Machine(monkeypatch)


@pytest.fixture
def torch(monkeypatch, machine):
    return rocm.Torch(monkeypatch, machine)


@avelang.jit
def triple(x: al.Pointer(al.i32), y: al.Pointer(al.i32), n: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    if i < n:
        y[i] = x[i] * 3 + y[i]


@avelang.jit
def counts(x: al.Pointer(al.i32), y: al.Pointer(al.i32), n: al.i32):
    i = al.convert(al.block_id(0) * 64 + al.thread_id(0), al.i32)
    if i < n:
        y[i] = al.nvvm.atomic_add(al.subview(al.make_tensor(x, al.i32, al.make_layout((n,), (1,))), (0,), (1,)), 1)


class Device:
    """What launches do: `y` becomes 3 x + y, with what is wrong added by the number of the launch (0: -O0, 1 and 2: -O3)."""

    def __init__(self, monkeypatch, x, y, wrong=None):
        self.runs, self.wrong = 0, wrong or {}
        self.x, self.y = x, y
        whole = assembled._run

        def run(*args):
            text = whole(*args)
            self.y += 3 * self.x
            at, add = self.wrong.get(self.runs, (0, 0))
            self.y[at] += add
            self.runs += 1
            return text

        monkeypatch.setattr(assembled, "_run", run)


def arrays(torch, dtype=np.int32, n=100):
    # torch's tensors are the memory of these.
    x, y = np.arange(n, dtype=dtype), np.full(n, 5, dtype)
    return x, y, torch.make(x), torch.make(y)


def _marked(program, text):
    program.meta = {**program.meta, "text": text}
    return program


def fresh(kernel):
    return avelang.jit(kernel.source.fn)


def test_codes_that_agree_leave_one_result(monkeypatch, torch, machine, capfd):
    x, y, *args = arrays(torch)
    device = Device(monkeypatch, x, y)
    k = fresh(triple)
    for times in (1, 2):
        k[(2,), (64,)](*args, 100)
        assert device.runs == 3 * times and np.array_equal(y, 5 + 3 * times * np.arange(100))
    assert machine.launches == 6 and not capfd.readouterr().err
    monkeypatch.setenv("AVE_CHECK", "")
    k[(2,), (64,)](*args, 100)
    assert machine.launches == 7 and device.runs == 6


@pytest.mark.parametrize(
    ("wrong", "who"),
    [
        ({0: (7, 1)}, r"-O0 differs from -O3 and the executor; `y` at index \(7,\) is 27 \(0x0000001b\) by -O0, 26 \(0x0000001a\) by -O3, 26"),
        ({1: (7, 1), 2: (7, 1)}, "-O3 differs from -O0 and the executor"),
        ({0: (9, 4), 1: (9, 4), 2: (9, 4)}, r"the executor differs from -O0 and -O3; `y` at index \(9,\)"),
        ({0: (9, 4), 1: (9, 5), 2: (9, 5)}, "-O0, -O3 and the executor all differ"),
    ],
)  # fmt: skip
def test_whoever_disagrees_is_named(wrong, who, monkeypatch, torch):
    x, y, *args = arrays(torch)
    Device(monkeypatch, x, y, wrong)
    with pytest.raises(AveError, match=rf"\[X066\] kernel `triple`: machine code of the same PTX \(.*\) gives different results: {who}"):
        fresh(triple)[(2,), (64,)](*args, 100)


def test_a_kernel_that_is_not_deterministic_is_not_compared(monkeypatch, torch, capfd):
    x, y, *args = arrays(torch)
    Device(monkeypatch, x, y, {0: (3, 9), 1: (7, 1)})
    fresh(triple)[(2,), (64,)](*args, 100)
    said = capfd.readouterr().err
    assert "`triple`: the kernel is not deterministic" in said and "`y` at index (7,)" in said and y[7] == 26


def test_tickets_are_told_not_raised(monkeypatch, torch, capfd):
    x, y, *args = arrays(torch)
    Device(monkeypatch, x, y, {0: (3, 9)})
    fresh(counts)[(2,), (64,)](*args, 100)
    said = capfd.readouterr().err
    assert "-O0 differs from -O3" in said and "no error, since its atomics" in said and "not compared with the executor: its atomics" in said


def test_contracted_floats_are_compared_uncontracted(monkeypatch, torch):
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    seen = []

    def runs(which, *args):
        seen.append("mul.rn.f32" in which.meta.get("text", ""))
        out[:] = x * 3
        return ""

    made = assembled._made
    monkeypatch.setattr(assembled, "_run", runs)
    monkeypatch.setattr(assembled, "_made", lambda program, text, level: _marked(made(program, text, level), text))
    ptxas_check.scaled(torch.make(x), 3, out=torch.make(out))
    assert seen == [True, True, True, False], "the last launch is of the code that launches have without the check"
    text = "mul.f32 %f1, %f2, %f3;\nadd.ftz.f32 a, b, c;\nmul.rn.f32 a, b, c;\n@%p sub.sat.f16x2 a, b, c;\nadd.s32 a, b, c;\nred.global.add.f32 [a], b;"
    want = "mul.rn.f32 %f1, %f2, %f3;\nadd.rn.ftz.f32 a, b, c;\nmul.rn.f32 a, b, c;\n@%p sub.rn.sat.f16x2 a, b, c;\nadd.s32 a, b, c;\nred.global.add.f32 [a], b;"
    assert assembled.pinned(text) == want


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("red.global.add.f32 [a], b;", "atomics"), ("red.global.add.u32 [a], b;", ""), ("atom.global.inc.u32 a, [b], c;", "atomics"),
        ("ex2.approx.ftz.f32 a, b;", "approximate"), ("div.full.f32 a, b, c;", "approximate"), ("div.rn.f32 a, b, c;", ""),
        ("mov.u64 a, %clock64;", "clocks"), ("// ex2.approx of old\nmov.u32 %r1, %tid.x;", ""), ('\t.file 1 "/a.full/k.py"', ""),
    ],
)  # fmt: skip
def test_what_has_several_right_results(text, why):
    assert (why in assembled.loose(text)) if why else not assembled.loose(text)


def test_comparison_of_strided_arrays_and_nan():
    whole = np.zeros((4, 6), np.float32)
    part, other = whole[::2, 1:5:3], np.zeros(3, np.uint16)
    space = assembled.DataSpace([("part", describe(part)), ("whole", describe(whole)), ("other", describe(other))])
    assert [m.name for m in space.ranges if m.size > 6] == ["part/whole"] and space.bytes == whole.nbytes + other.nbytes

    def copies():
        out = space.empty()
        for m, x in zip(space.ranges, out, strict=True):
            x[:] = np.frombuffer((whole if m.size > 6 else other).tobytes(), np.uint8)
        return out

    def put(where, index, pattern):
        _, array, m = next(a for a in space.arrays if a[0] == where[0])
        space.elements(array, m, where[1])[index] = pattern

    a, b = copies(), copies()
    assert space.difference({"a": a, "b": b}) is None
    put(("part", a), (1, 1), 0x7FC00000), put(("part", b), (1, 1), 0x7FFFFFFF)
    assert space.difference({"a": a, "b": b}) is None, "one NaN is like another"
    put(("part", b), (1, 0), 0x80000000)
    found = space.difference({"a": a, "b": b})
    assert found == ("part", (1, 0), {"a": "0.0 (0x00000000)", "b": "-0.0 (0x80000000)"}, "a differs from b")
    a, b = copies(), copies()
    put(("whole", b), (3, 0), 1)
    put(("other", b), 2, 9)
    assert space.difference({"a": a, "b": b})[:2] == ("whole", (3, 0)), "outside of part"


def test_code_of_level_0_that_the_driver_refuses(monkeypatch, torch, machine, capfd):
    x, y, *args = arrays(torch)
    Device(monkeypatch, x, y)
    machine.fail("launch", 701)
    fresh(triple)[(2,), (64,)](*args, 100)
    assert "there is no -O0 to compare: `triple` was not launched" in capfd.readouterr().err


def test_no_capture_and_no_other_vendor(monkeypatch, torch, machine):
    *_, x, y = arrays(torch)
    torch.stream(0, 0x70)
    machine.lib.stub_capture(1)
    k = fresh(triple)
    with pytest.raises(AveError, match="D035"):
        k[(2,), (64,)](x, y, 100)
    amd = rocm.Machine(monkeypatch)
    tensors = [rocm.Torch(monkeypatch, amd).make(np.zeros(100, np.int32)) for _ in range(2)]
    with pytest.raises(AveError, match="X045.*ptxas, and gpu cannot"):
        fresh(triple)[(2,), (64,)](*tensors, 100)


def test_the_instruction_level(monkeypatch, torch, capfd):
    """A guarded set, whose fault a device has: the lanes that the guard leaves out hold something else."""
    a, b, out = np.arange(32, dtype=np.uint16), np.full(32, 7, np.uint16), np.zeros(32, np.uint32)
    want, tensors = ptxas_check._want(True), [torch.make(x) for x in (a, b, out)]

    def run(faulty):
        def runs(*args):
            out[:] = want
            if faulty:
                out[16:] = 0xFFFF8765
            return ""

        monkeypatch.setattr(assembled, "_run", runs)
        k = ptxas_check.sets(True)
        k(*tensors[:2], out=tensors[2])

    run(False)
    assert np.array_equal(out, want) and not capfd.readouterr().err
    with pytest.raises(AveError, match=r"\[X066\].*the executor differs from -O0 and -O3; `out` at index \(16,\) is 4294936421.* 305432421 \(0x12348765\) by the"):
        run(True)


def test_ptxas_is_asked_for_its_level(monkeypatch, tmp_path):
    tool, log = tmp_path / "ptxas", tmp_path / "log"
    tool.write_text(f'#!{sys.executable}\nimport sys\nopen({str(log)!r}, "a").write(" ".join(sys.argv) + "\\n")\nopen(sys.argv[-1], "w").close()\n')
    tool.chmod(0o755)
    for level in (None, 0):
        ptxas.assemble(ptxas.Assembler(str(tool), (13, 0, 88)), "", "sm_90", "k", level)
    usual, slow = log.read_text().splitlines()
    assert "-O" not in usual and " -O0 " in slow
