"""Linking: each linker against the others, the order in which they are taken, what is said when there is none or when
it refuses."""

from __future__ import annotations

import concurrent.futures
import ctypes
import importlib.util
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

import pytest

from amdgcn.objects import assemble, gemm_object, text
from avelang.amdgcn import comgr, link, tools
from avelang.amdgcn.elf import header, target_id
from avelang.base.errors import AveError
from tools import library, lld, missing

HERE = pathlib.Path(__file__).parent


def stripped(code_object: bytes, folder: pathlib.Path) -> dict[str, bytes]:
    """The loaded sections of a code object by name: what is the same whichever LLVM version linked."""
    from elftools.elf.elffile import ELFFile

    (folder / "x").write_bytes(code_object)
    with open(folder / "x", "rb") as f:
        return {s.name: s.data() for s in ELFFile(f).iter_sections() if s["sh_flags"] & 2}


def script(path: pathlib.Path, first: str = "") -> pathlib.Path:
    """A program that is LLVM's linker; `first` is run before."""
    path.write_text(f'#!/bin/sh\n{first}\nexec {shlex.join(lld())} "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without any linker."""
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    for name in ("AVE_LLD", "AVE_LLVM"):
        monkeypatch.delenv(name, raising=False)
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "ziglang" else find(name, *rest)
    )
    monkeypatch.setattr(comgr, "NAMES", ("libave_no_comgr.so.3", "libave_no_comgr.so.2"))
    monkeypatch.setattr(comgr, "FOLDERS", ())
    tools.version.cache_clear()
    yield empty
    tools.version.cache_clear()


@pytest.mark.parametrize("version,abi", [(4, 2), (5, 3), (6, 4)])
def test_versions_of_code_objects(version, abi):
    lld()
    made = header(link.link(assemble(text(version=version))))
    assert made[:2] == (3, abi)


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950"])
def test_kernels_of_ave_are_version_5(chip):
    lld()
    made = header(link.link(gemm_object(chip)))
    assert not isinstance(made, str) and made[:2] == (3, 3) and target_id(made[2]) == chip


@pytest.mark.parametrize("suffix", ["", ":xnack+", ":sramecc-:xnack-", ":sramecc+"])
def test_target_ids(suffix):
    features = ",".join(part[-1] + part[:-1] for part in suffix.split(":")[1:])
    made = header(assemble(text(chip=f"gfx942{suffix}"), features=features))
    assert not isinstance(made, str) and target_id(made[2]) == f"gfx942{suffix}"


def test_leaves_no_files_and_runs_beside_itself(monkeypatch, tmp_path):
    lld()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    data = gemm_object()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = set(pool.map(link.link, [data] * 16))
    assert len(made) == 1 and list(tmp_path.iterdir()) == []


def test_quick():
    """40 ms of processor time at most, whatever else the machine does."""
    lld()
    data, times = gemm_object(), []
    for _ in range(5):
        before = os.times()
        link.link(data)
        times.append(sum(os.times()[:4]) - sum(before[:4]))
    assert min(times) <= 0.04


def test_ave_lld_comes_first(monkeypatch, tmp_path):
    mine = script(tmp_path / "mine", f"touch {tmp_path}/used")
    monkeypatch.setenv("AVE_LLD", str(mine))
    assert header(link.link(gemm_object()))[0] == 3 and (tmp_path / "used").exists()
    monkeypatch.setenv("AVE_LLD", str(tmp_path / "nothing"))
    with pytest.raises(AveError, match="AVE_LLD=.*cannot be run") as caught:
        link.link(gemm_object())
    assert caught.value.code == "D020"


def test_ave_llvm_comes_before_path(monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin" / "ld.lld")
    monkeypatch.setenv("AVE_LLVM", str(tmp_path))
    assert link.linker()[0] == str(tmp_path / "bin" / "ld.lld")


def test_no_linker(bare):
    with pytest.raises(AveError) as caught:
        link.link(gemm_object())
    said = str(caught.value)
    assert caught.value.code == "D020"
    for word in (
        "ld.lld-22 to ld.lld-19", "ziglang", "libave_no_comgr.so.3", "apt-get install lld-22", "pip install ziglang",
        "AVE_LLD",
    ):  # fmt: skip
        assert word in said, word


def test_an_old_linker_is_passed_by(bare):
    old = bare / "ld.lld"
    old.write_text("#!/bin/sh\necho 'Debian LLD 14.0.6 (compatible with GNU linkers)'\n")
    old.chmod(0o755)
    with pytest.raises(AveError, match=r"ld\.lld is 14") as caught:
        link.link(gemm_object())
    assert caught.value.code == "D020"


def test_the_wheel(bare, monkeypatch, tmp_path):
    """The linker of ziglang, found beside the package without starting Python; held against Debian's."""
    spec = _original_spec("ziglang")
    if spec is None:
        missing("ziglang", "pip install ziglang")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: spec)
    name, function = link.linker()
    assert os.path.basename(name) == "zig"
    by_wheel = function(gemm_object())
    with monkeypatch.context() as m:
        m.setenv("PATH", os.defpath)
        by_lld = subprocess.run(
            [*lld(), "-shared", "-o", "-", "/dev/stdin"], input=gemm_object(), capture_output=True, check=True
        ).stdout
    assert stripped(by_wheel, tmp_path) == stripped(by_lld, tmp_path)


_original_spec = importlib.util.find_spec


def build_stub(folder: pathlib.Path, lld: str, major: int) -> pathlib.Path:
    made = library(HERE / "comgr_stub.c", f"-DMAJOR={major}", f'-DLD="{lld}"')
    return pathlib.Path(shutil.copy(made, folder / f"libamd_comgr.so.{major}"))


@pytest.mark.parametrize("major", [2, 3])
def test_comgr(major, tmp_path, monkeypatch):
    """Against a library of the same ABI that checks every handle: the calls are right, the result is the linker's, no
    handle is left."""
    stub = build_stub(tmp_path, str(script(tmp_path / "lld")), major)
    monkeypatch.setattr(comgr, "NAMES", (str(stub),))
    monkeypatch.setattr(link, "search", lambda tool: (None, [tool]))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None)
    name, function = link.linker()
    assert name == str(stub)
    assert stripped(function(gemm_object()), tmp_path) == stripped(subprocess.run(
        [*lld(), "-shared", "-o", "-", "/dev/stdin"], input=gemm_object(), capture_output=True, check=True).stdout,
        tmp_path)  # fmt: skip
    counts = ctypes.CDLL(str(stub)).counts
    assert counts() == 0
    undefined = assemble(text(body="\ts_getpc_b64 s[0:1]\n\ts_add_u32 s0, s0, nowhere@rel32@lo+4\n"))
    with pytest.raises(AveError, match="undefined symbol: nowhere") as caught:
        link.link(undefined)
    assert caught.value.code == "D021" and counts() == 0


def test_comgr_of_an_unknown_version(tmp_path, monkeypatch):
    lld()
    stub = build_stub(tmp_path, "false", 4)
    with pytest.raises(AveError, match=r"version 4\.0; Ave knows 2 and 3") as caught:
        comgr.Comgr(str(stub)).link(gemm_object())
    assert caught.value.code == "D021"


def test_comgr_is_found_in_rocm(tmp_path, monkeypatch, bare):
    monkeypatch.setenv("PATH", os.defpath)
    stub = build_stub(tmp_path, "false", 3)
    monkeypatch.setattr(comgr, "NAMES", ("libamd_comgr.so.3",))
    monkeypatch.setattr(comgr, "FOLDERS", (str(tmp_path),))
    found, _ = comgr.load()
    assert found is not None and found.path == str(stub)


def test_what_the_linker_says_is_passed_on():
    lld()
    undefined = assemble(text(body="\ts_getpc_b64 s[0:1]\n\ts_add_u32 s0, s0, nowhere@rel32@lo+4\n"))
    with pytest.raises(AveError, match="undefined symbol: nowhere") as caught:
        link.link(undefined)
    assert caught.value.code == "D021"


@pytest.mark.parametrize(
    "broken,why",
    [
        (lambda d: b"", "no ELF file"),
        (lambda d: b"BC\xc0\xde" + d, "no ELF file"),
        (lambda d: d[:40], "ends after 40 bytes"),
        (lambda d: d[:18] + b"\x3e\x00" + d[20:], "machine 62"),
        (lambda d: d[:7] + b"\x00" + d[8:], "operating system is 0"),
    ],
)
def test_what_is_no_object(broken, why):
    with pytest.raises(AveError, match=why) as caught:
        link.link(broken(gemm_object()))
    assert caught.value.code == "D024"


def test_what_is_linked_already():
    lld()
    with pytest.raises(AveError, match="type is 3") as caught:
        link.link(link.link(gemm_object()))
    assert caught.value.code == "D024"


@pytest.mark.parametrize(
    "script,why",
    [
        ("exit 0", "no ELF file"),
        ("cat", "of type 1"),
        ("echo gone wrong >&2; exit 3", "gone wrong"),
        ("exit 7", "status 7"),
    ],
)
def test_a_linker_that_misbehaves(monkeypatch, tmp_path, script, why):
    bad = tmp_path / "bad"
    bad.write_text(f"#!/bin/sh\n{script}\n")
    bad.chmod(0o755)
    monkeypatch.setenv("AVE_LLD", str(bad))
    with pytest.raises(AveError, match=why) as caught:
        link.link(gemm_object())
    assert caught.value.code == "D021"


def test_a_linker_that_does_not_answer(monkeypatch, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(tools, "SECONDS", 0.2)
    monkeypatch.setenv("AVE_LLD", str(slow))
    with pytest.raises(AveError, match="no answer") as caught:
        link.link(gemm_object())
    assert caught.value.code == "D021"
