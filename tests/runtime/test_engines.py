"""Which engine can do which check: what is asked for by name and cannot be done is an error, of `all` what is left out is said."""

import os

import numpy as np
import pytest
from click.testing import CliRunner

import avelang
import avelang.language as al
from avelang.base import engines, knobs
from avelang.base.errors import AveError
from avelang.cli.main import main
from avelang.ptx import Tile, kernel
from avelang.ptx.types import f32


@avelang.jit
def count(A: al.Tensor((4,), al.i32)):
    if al.thread_id(0) == 0:
        A[0] = A[0] + 1


def test_words_and_engines():
    assert all(set(found) <= set(knobs.CHECKS) for found in engines.TABLE.values()) and set(engines.WORDS) == set(knobs.CHECKS)
    assert engines.able({"races", "init"}) == ["reference", "gfx942-exec", "gfx950-exec", "ptx-exec"]
    assert engines.lacking("reference", knobs.CHECKS) == ["ptxas"], "the reference has all that are not about a GPU's code"
    assert [engines.choose({w}) for w in knobs.CHECKS] == ["cpu", "reference", "reference", "gfx942-exec", *["cpu"] * 4]
    assert engines.able({"ptxas"}) == ["gpu"]
    assert engines.choices({"waits"}) == "gfx942-exec,gfx950-exec,reference" and engines.choices({"races"}) == "reference"
    assert engines.choose({"races", "waits"}) == "gfx942-exec" and engines.choose({"init", "waits"}) == "gfx942-exec"


@pytest.mark.parametrize(
    ("asked", "options", "words"),
    [
        ("races", {}, "races, and cpu"), ("ir,init,uniform", {"backend": "cpu"}, "init, and cpu"), ("all,races", {}, "races, and cpu"),
        ("waits", {"backend": "cpu"}, "waits, and cpu"), ("ptxas", {"backend": "reference"}, "ptxas, and reference"),
    ],
)  # fmt: skip
def test_what_is_asked_for_by_name_is_done_or_refused(asked, options, words, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", asked)
    a = np.zeros(4, np.int32)
    with pytest.raises(AveError, match=rf"\[X045\] `count`: AVE_CHECK asks for {words} cannot check that"):
        count[2, 64](a, **options)
    assert not a.any()


@avelang.jit
def straight_to_lds(A: al.Tensor((64,), al.i32)):
    s, n = al.make_shared((64,), al.i32), al.convert(al.lane_id(), al.i32)
    al.amdgpu.raw_buffer_load_x1_lds(al.amdgpu.make_rsrc(A, 256), s, 4, 4 * n, 0)
    al.amdgpu.s_waitcnt(0, 7, 15)
    al.syncthreads()
    A[n] = s[63 - n]


@avelang.jit
def copied(A: al.Tensor((64,), al.i32), WAIT: al.constexpr):
    s, t = al.make_shared((64,), al.i32), al.thread_id(0)
    if t < 16:
        al.nvvm.cp_async_x16(al.subview(s, (4 * t,), (4,)), al.subview(A, (4 * t,), (4,)))
    al.nvvm.cp_async_commit_group()
    if WAIT:
        al.nvvm.cp_async_wait_group(0)
    al.syncthreads()
    A[t] = s[63 - t]


@pytest.mark.parametrize("asked", ["waits", "all", "waits,races,init"])
@pytest.mark.parametrize("target", [None, "gfx942", "gfx90a", "sm_80", "sm_90a"])
def test_a_kernel_with_nothing_to_wait_for_passes_in_the_reference(target, asked, monkeypatch, capfd):
    monkeypatch.setattr(engines, "_told", set())
    monkeypatch.setenv("AVE_CHECK", asked)
    a = np.zeros(4, np.int32)
    count[1, 64](a, backend="reference", **({"target": target} if target else {}))
    assert a[0] == 1 and "waits" not in capfd.readouterr().err


def test_the_reference_refuses_waits_of_amd_that_it_does_not_follow_and_finds_those_of_nvidia(monkeypatch, capfd):
    monkeypatch.setattr(engines, "_told", set())
    monkeypatch.setenv("AVE_CHECK", "waits")
    with pytest.raises(AveError, match=r"\[X045\].* asks for waits, and reference"):
        straight_to_lds[1, 64](np.arange(64, dtype=np.int32), backend="reference", target="gfx942")
    a = np.arange(64, dtype=np.int32)
    copied[1, 64](a, True, backend="reference", target="sm_80")
    assert (a == np.arange(64)[::-1]).all()
    with pytest.raises(AveError, match="X010"):
        copied[1, 64](a, False, backend="reference", target="sm_80")
    monkeypatch.setenv("AVE_CHECK", "all")
    straight_to_lds[1, 64](a, backend="reference", target="gfx942")
    assert "AVE_CHECK=all on reference: it cannot check waits" in capfd.readouterr().err


def test_of_all_what_is_left_out_is_said_once(monkeypatch, capfd):
    monkeypatch.setattr(engines, "_told", set())
    monkeypatch.setenv("AVE_CHECK", "all")
    a = np.zeros(4, np.int32)
    count[1, 64](a, backend="cpu")
    count[1, 64](a, backend="cpu")
    said = capfd.readouterr().err
    assert a[0] == 2 and said.count("AVE_CHECK=all on cpu") == 1 and "races" in said and "bounds" not in said.partition(";")[0]
    assert "ptxas" not in said


@kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=1, block=32, arch="sm_80")
def nothing(x, out):
    pass


def test_the_instruction_level_has_an_engine_of_its_own(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "uniform")
    with pytest.raises(AveError, match=r"\[X045\].* asks for uniform, and ptx-exec"):
        nothing(np.zeros(4, np.float32))


PROGRAM = """
import numpy as np, avelang, avelang.language as al
@avelang.jit
def count(A: al.Tensor((4,), al.i32)):
    if al.thread_id(0) == 0:
        A[0] = A[0] + 1
count[2, 64](np.zeros(4, np.int32){options})
print("ran to its end")
"""


@pytest.mark.parametrize(
    ("flags", "options", "want"),
    [
        (("--check", "races"), "", "X040"), (("--check", "races", "--on", "cpu"), "", "X045"), (("--check", "races"), ", backend='cpu'", "X045"),
        (("--check", "all"), "", "X040"), (("--check", "ir"), "", "ran to its end"), (("--check", "init", "--check", "races"), "", "X040"),
        (("--check", "sanity"), "", "sanity"), (("--check", "ptxas"), "", "X045"), (("--check", "waits"), ", target='sm_80'", "ran to its end"),
        (("--check", "waits"), ", target='gfx950'", "ran to its end"), (("--check", "waits"), "", "ran to its end"),
        (("--check", "waits", "--target", "sm_90a"), "", "ran to its end"), (("--check", "races,waits"), ", target='sm_80'", "X040"),
        (("--check", "waits", "--on", "gfx942-exec"), ", target='sm_80'", "leave AVE_BACKEND (--on of `ave run`) out"),
        (("--check", "waits", "--on", "cpu"), ", target='sm_80'", "X045"),
    ],
)  # fmt: skip
def test_ave_run_takes_an_engine_that_can(flags, options, want, tmp_path, monkeypatch):
    for name in ("AVE_CHECK", "AVE_BACKEND", "AVE_TARGET"):
        monkeypatch.setenv(name, "")  # given back afterwards, whatever the command sets
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.replace("{options}", options))
    done = CliRunner().invoke(main, ["run", "--quiet", *flags, str(file)])
    assert want in done.output and (done.exit_code == 0) == (want == "ran to its end"), done.output
    assert os.environ.get("AVE_CHECK") is not None
