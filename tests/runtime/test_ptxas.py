"""`ptxas` is found where it may be, asked once for its version, and what it says is read."""

import os
import stat

import pytest

from avelang.base.errors import AveError
from avelang.runtime import ptxas

SAID = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'other' for 'sm_90a'
ptxas info    : Function properties for other
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 1024 bytes smem
ptxas info    : Compiling entry function 'mine' for 'sm_90a'
ptxas info    : Function properties for mine
    1000 bytes stack frame, 1908 bytes spill stores, 1620 bytes spill loads
ptxas info    : Used 64 registers, used 0 barriers
ptxas info    : Compile time = 35.138 ms
"""


@pytest.fixture(autouse=True)
def forget(monkeypatch):
    for name in ("AVE_PTXAS", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    ptxas._found.cache_clear()
    yield
    ptxas._found.cache_clear()


def fake(folder, version, marks=None):
    """A program that says it is a `ptxas`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ptxas"
    note = f"echo x >> {marks}\n" if marks else ""
    path.write_text(f"#!/bin/sh\n{note}echo 'Cuda compilation tools, release {version}'\necho 'V{version}'\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)
    return str(path)


def only(monkeypatch, *paths):
    monkeypatch.setattr(ptxas, "places", lambda: iter(paths))


def test_what_is_said_is_read():
    none = {"spilled_at": [], "remarks": []}
    assert ptxas.report(SAID, "mine") == {"registers": 64, "spills": [1908, 1620], "stack": 1000, "barriers": 0, "static_bytes": 0, **none}
    assert ptxas.report(SAID, "other") == {"registers": 255, "spills": [4, 12], "stack": 8, "barriers": 1, "static_bytes": 1024, **none}
    assert ptxas.report("", "mine") == {"registers": 0, "spills": [0, 0], "stack": 0, "barriers": 0, "static_bytes": 0, **none}


PTX = """.file 1 "/a/kernel.py"
.visible .entry k()
.loc 1 7 3
mov.u32 %r1, 0;
.loc 1 9 1, function_name $L__info_string0, inlined_at 1 20 3
wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {}, %rd1, %rd2;
.loc 1 11 1
"""


@pytest.mark.parametrize(
    ("said", "want"),
    [
        ("info    : (C7519) warpgroup.arrive is injected in around line 4 by compiler to allow", ["C7519", "warpgroup.arrive is injected to allow", "/a/kernel.py", 7]),
        ("info    : (C7510) wgmma.mma_async instructions are serialized in the function 'k'", ["C7510", "wgmma.mma_async instructions are serialized in the function 'k'", "/a/kernel.py", 9]),
        ("warning : (C7508) 'setmaxnreg' ignored", ["C7508", "'setmaxnreg' ignored", "", 0]),
        ("info    : (C7511) serialized in the function 'k' in line 99999", ["C7511", "serialized in the function 'k'", "/a/kernel.py", 11]),
    ],
)
def test_remarks_have_the_line_of_the_source(said, want):
    assert ptxas.report(f"ptxas {said}\nptxas {said}\n", "k", PTX)["remarks"] == [want]


def test_the_first_that_will_do(monkeypatch, tmp_path):
    old, newer, good = (fake(tmp_path / name, v) for name, v in (("a", "12.4.131"), ("b", "14.1.5"), ("c", "13.0.88")))
    only(monkeypatch, str(tmp_path / "none"), old, newer, good)
    assert ptxas.find() == ptxas.Assembler(newer, (14, 1, 5))
    # A driver takes the code of its own major version and of older ones.
    assert ptxas.find(13) == ptxas.Assembler(good, (13, 0, 88)) and str(ptxas.find(13)) == "ptxas 13.0.88"
    assert ptxas.find(12) is None


def test_the_knob(monkeypatch, tmp_path):
    asked, other = fake(tmp_path / "a", "13.2.1"), fake(tmp_path / "b", "13.0.88")
    only(monkeypatch, other)
    monkeypatch.setenv("AVE_PTXAS", asked)
    assert ptxas.find(12) == ptxas.Assembler(asked, (13, 2, 1))
    monkeypatch.setenv("AVE_PTXAS", "driver")
    assert ptxas.find() is None
    for path, why in ((fake(tmp_path / "c", "12.7.9"), "it is version 12.7.9"), (str(tmp_path / "none"), "does not run")):
        monkeypatch.setenv("AVE_PTXAS", path)
        with pytest.raises(AveError, match="will not do") as e:
            ptxas.find()
        assert e.value.code == "D037" and why in str(e.value) and "12.8" in str(e.value)


def test_where_it_is_looked_for(monkeypatch, tmp_path):
    package, toolkit = tmp_path / "site" / "nvidia" / "cu13" / "bin", tmp_path / "cuda"
    want = fake(package, "13.5.37")
    fake(toolkit / "bin", "13.0.88")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("CUDA_HOME", str(toolkit))
    monkeypatch.setenv("PATH", f"{fake(tmp_path / 'path', '13.1.1').rpartition('/')[0]}{os.pathsep}{os.environ['PATH']}")
    found = [p for p in ptxas.places() if str(tmp_path) in p]
    assert found == [want, str(toolkit / "bin" / "ptxas"), str(tmp_path / "path" / "ptxas")]
    assert ptxas.find() == ptxas.Assembler(want, (13, 5, 37))


def test_a_program_is_asked_once(monkeypatch, tmp_path):
    """The cache on disk has the version; a script, which may call another program tomorrow, is asked each time."""
    marks = tmp_path / "marks"
    path = fake(tmp_path / "a", "13.0.88", marks)
    for _ in range(2):
        assert ptxas._version(path) == (13, 0, 88)
    assert marks.read_text() == "x\nx\n"
    binary = tmp_path / "binary"
    binary.write_bytes(b"\x7fELF")
    runs = []

    class Done:
        stdout = "Cuda compilation tools, release 13.0, V13.0.88"

    monkeypatch.setattr(ptxas.subprocess, "run", lambda *args, **more: runs.append(args) or Done())
    for _ in range(3):
        assert ptxas._version(str(binary)) == (13, 0, 88)
    assert len(runs) == 1


def test_assembling():
    tool = ptxas.find()
    if tool is None:
        pytest.skip(ptxas.GET)
    text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n  ret;\n}\n"
    code, said = ptxas.assemble(tool, text, "sm_90", "k")
    assert code[:4] == b"\x7fELF" and said["spills"] == [0, 0] and said["registers"] > 0
    with pytest.raises(AveError) as e:
        ptxas.assemble(tool, text.replace("ret", "rte"), "sm_90", "k")
    assert e.value.code == "D038" and "refuses the PTX of `k`" in str(e.value) and "rte" in str(e.value)
