"""The cache on disk: what is stored comes back; what is not exactly that counts as absent."""

import errno
import os
import pathlib
import random
import stat
import subprocess
import sys
import tempfile

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.runtime import cache

META = {"entry": "ave_run", "scratch_bytes": 64}
PAYLOAD = bytes(range(256)) * 5


def entry(name="k"):
    return pathlib.Path(cache.folder()) / f"{name}.ave"


@pytest.fixture(autouse=True)
def forget_warnings(monkeypatch):
    monkeypatch.setattr(cache, "_warned", set())


def test_round_trip():
    assert cache.load("k") is None
    assert cache.store("k", META, PAYLOAD)
    assert cache.load("k") == (META, PAYLOAD)


def test_owner_only():
    cache.store("k", META, PAYLOAD)
    assert stat.S_IMODE(os.stat(cache.folder()).st_mode) == 0o700
    assert stat.S_IMODE(entry().stat().st_mode) == 0o600


def test_any_damaged_byte_makes_the_entry_absent():
    cache.store("k", META, PAYLOAD)
    good = entry().read_bytes()
    places = {0, 5, 12, 13, 15, 16, 40, len(good) - 33, len(good) - 32, len(good) - 1, *random.Random(1).sample(range(len(good)), 60)}
    for at in places:
        for flip in (0x01, 0x80, 0xFF):
            bad = bytearray(good)
            bad[at] ^= flip
            entry().write_bytes(bad)
            assert cache.load("k") is None, (at, flip)
    entry().write_bytes(good)
    assert cache.load("k") == (META, PAYLOAD)


def test_truncated_and_extended_entries_are_absent():
    cache.store("k", META, PAYLOAD)
    good = entry().read_bytes()
    for size in (0, 1, 11, 12, 15, 16, 17, 48, len(good) // 2, len(good) - 1):
        entry().write_bytes(good[:size])
        assert cache.load("k") is None, size
    entry().write_bytes(good + b"\0")
    assert cache.load("k") is None


def test_a_damaged_entry_is_replaced():
    cache.store("k", META, PAYLOAD)
    entry().write_bytes(b"garbage")
    assert cache.store("k", META, b"new")
    assert cache.load("k") == (META, b"new")


def test_an_entry_under_another_key_is_absent():
    cache.store("k", META, PAYLOAD)
    os.rename(entry("k"), entry("other"))
    assert cache.load("other") is None


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_an_entry_that_others_may_write_is_absent(mode):
    cache.store("k", META, PAYLOAD)
    os.chmod(entry(), mode)
    assert cache.load("k") is None


def test_a_foreign_entry_is_absent(monkeypatch):
    cache.store("k", META, PAYLOAD)
    if os.geteuid() == 0:
        os.chown(entry(), 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert cache.load("k") is None


def test_a_link_is_absent(tmp_path):
    cache.store("k", META, PAYLOAD)
    os.rename(entry(), tmp_path / "elsewhere")
    entry().symlink_to(tmp_path / "elsewhere")
    assert cache.load("k") is None


def test_a_folder_that_others_may_write_is_not_used():
    cache.store("k", META, PAYLOAD)
    os.chmod(cache.folder(), 0o777)
    assert cache.load("k") is None
    with pytest.warns(RuntimeWarning, match="others may write"):
        assert not cache.store("k2", META, PAYLOAD)
    assert "others may write" in cache.info().trouble


def test_no_folder_can_be_made(tmp_path, monkeypatch, recwarn):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AVE_CACHE_DIR", str(tmp_path / "file"))
    assert cache.load("k") is None
    assert not cache.store("k", META, PAYLOAD)
    assert not cache.store("k", META, PAYLOAD)
    assert len(recwarn) == 1


def test_a_full_disk(monkeypatch, recwarn):
    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "mkstemp", full)
    assert not cache.store("k", META, PAYLOAD)
    assert "No space left" in str(recwarn.pop().message)


def test_a_failed_publication_leaves_nothing(monkeypatch):
    cache.store("k", META, PAYLOAD)

    def fails(*args):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.warns(RuntimeWarning):
        assert not cache.store("k", META, b"other")
    assert os.listdir(cache.folder()) == ["k.ave"]
    assert cache.load("k") == (META, PAYLOAD)


def test_switched_off(monkeypatch):
    cache.store("k", META, PAYLOAD)
    monkeypatch.setenv("AVE_NO_CACHE", "1")
    assert cache.load("k") is None
    assert not cache.store("k2", META, PAYLOAD)
    assert cache.info().trouble == "AVE_NO_CACHE is set"


def test_two_processes_publish_at_once():
    program = """
import sys
from avelang.runtime import cache
for _ in range(150):
    cache.store("k", {"by": sys.argv[1]}, sys.argv[1].encode() * 20000)
"""
    cache.store("k", {"by": "0"}, b"0" * 20000)
    writers = [subprocess.Popen([sys.executable, "-c", program, who]) for who in "12"]
    seen = set()
    while any(w.poll() is None for w in writers):
        found = cache.load("k")
        assert found is not None
        assert found.payload == found.meta["by"].encode() * 20000
        seen.add(found.meta["by"])
    assert [w.returncode for w in writers] == [0, 0]
    assert seen & {"1", "2"}
    assert os.listdir(cache.folder()) == ["k.ave"]


def test_info_and_clear():
    assert cache.info()[1:4] == (0, 0, "")
    for i in range(3):
        cache.store(f"k{i}", META, PAYLOAD)
    (pathlib.Path(cache.folder()) / "mine.txt").write_text("not an entry")
    info = cache.info()
    assert info.entries == 3
    assert info.bytes == sum(entry(f"k{i}").stat().st_size for i in range(3))
    assert cache.clear() == 3
    assert os.listdir(cache.folder()) == ["mine.txt"]


def test_the_user_cache_directory(monkeypatch, tmp_path):
    monkeypatch.delenv("AVE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    if sys.platform == "linux":
        assert cache.folder().startswith(str(tmp_path / "xdg" / "avelang"))


def test_keys():
    base = {"texts": ["a"], "block": [64, 1, 1]}
    assert cache.key(base) == cache.key({"block": [64, 1, 1], "texts": ["a"]})
    others = [{**base, "texts": ["b"]}, {**base, "block": [32, 1, 1]}, {**base, "more": 0}, {"texts": ["a"]}]
    assert len({cache.key(k) for k in [base, *others]}) == 5


def test_keys_depend_on_versions_and_on_our_own_files(monkeypatch, tmp_path):
    before = cache.key({})
    monkeypatch.setattr(cache, "VERSION", "99.0")
    assert cache.key({}) != before
    monkeypatch.undo()
    monkeypatch.setattr(cache, "FORMAT", 99)
    assert cache.key({}) != before
    (tmp_path / "package" / "runtime").mkdir(parents=True)
    (tmp_path / "package" / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "package" / "runtime" / "cache.py"))
    digest = cache.package_digest.__wrapped__
    first = digest()
    (tmp_path / "package" / "a.py").write_text("x = 12\n")
    second = digest()
    (tmp_path / "package" / "notes.txt").write_text("nothing to do with code")
    assert len({first, second, digest()}) == 2


def test_what_is_no_file():
    """A pipe that nobody writes, folders, sockets, links: none is an entry, none is waited for, and the next entry takes its place where it can."""
    import socket

    cache.store("k", META, PAYLOAD)
    places = {"pipe": os.mkfifo, "folder": os.mkdir, "full": lambda p: (os.mkdir(p), (p / "x").write_text("")), "link": lambda p: os.symlink("/dev/zero", p)}
    here = os.getcwd()
    os.chdir(cache.folder())  # names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.bind("socket.ave")
    finally:
        os.chdir(here)
    for name, make in places.items():
        make(entry(name))
    for name in (*places, "socket"):
        assert cache.load(name) is None, name
        if name == "full":
            with pytest.warns(RuntimeWarning, match="works without its cache"):
                assert not cache.store(name, META, PAYLOAD)
            assert cache.load(name) is None
            (entry(name) / "x").unlink()
        assert cache.store(name, META, PAYLOAD) and cache.load(name) == (META, PAYLOAD), name
    assert cache.clear() == 6


def test_a_damaged_entry_is_dropped():
    cache.store("k", META, PAYLOAD)
    entry().write_bytes(entry().read_bytes()[:-5])
    assert cache.load("k") is None and not entry().exists()


def test_files_of_killed_writers_are_swept(monkeypatch):
    cache.store("k", META, PAYLOAD)
    old, new = (pathlib.Path(cache.folder()) / name for name in (".new-old", ".new-young"))
    for file, age in ((old, 7200), (new, 60)):
        file.write_bytes(b"half")
        os.utime(file, (file.stat().st_mtime - age,) * 2)
    monkeypatch.setattr(cache, "_since", [-1.0])
    cache.store("other", META, PAYLOAD)
    assert not old.exists() and new.exists() and cache.load("k") == (META, PAYLOAD)


def test_the_size_has_a_limit(monkeypatch):
    """What was used longest ago goes first; a limit of 0 is none; what is no number is an error."""
    from avelang.base.errors import AveError

    names = [f"k{i}" for i in range(8)]
    monkeypatch.setattr(cache, "_since", [0.0])
    for i, name in enumerate(names):
        cache.store(name, META, bytes(200_000))
        os.utime(entry(name), (1000 + i,) * 2)
    assert cache.load("k0") is not None, "used now"
    monkeypatch.setenv("AVE_CACHE_SIZE", "1")
    cache.store("last", META, bytes(200_000))
    left = {name for name in (*names, "last") if entry(name).exists()}
    assert {"k0", "last", "k7"} <= left and not {"k1", "k2", "k3", "k4"} & left and sum(entry(n).stat().st_size for n in left) <= 0.9 * 2**20
    assert cache.info().limit == 2**20 and cache.sweep(cache.folder(), 0) == 0 and cache.sweep(cache.folder(), 1) == len(left)
    monkeypatch.setenv("AVE_CACHE_SIZE", "0")
    assert cache.info().limit == 0
    monkeypatch.setenv("AVE_CACHE_SIZE", "lots")
    with pytest.raises(AveError) as e:
        cache.info()
    assert e.value.code == "L034" and "AVE_CACHE_SIZE" in e.value.message and "'lots'" in e.value.message


def test_an_entry_that_does_not_load(monkeypatch, tmp_path):
    """An object file with symbols that are nowhere, without the kernel, torn, or no object at all: LLVM would end the process. It is dropped."""
    import numpy as np

    import avelang
    import avelang.language as al
    from avelang.llvm.core import HostCompiler

    @avelang.jit
    def k(out: al.Tensor((4,), al.i32)):
        out[al.thread_id(0)] = 7

    def launched():
        out = np.zeros(4, np.int32)
        again = avelang.jit(k.source.fn)  # with no program in memory
        again[1, 4](out, backend="cpu")
        assert out.tolist() == [7] * 4
        return again.last.how

    assert (launched(), launched()) == ("compiled", "disk")
    (file,) = [f for f in pathlib.Path(cache.folder()).glob("*.ave") if cache.load(f.stem).meta.get("kernel") == "k"]
    good = cache.load(file.stem)
    host = HostCompiler(0)
    others = [
        host.object("declare i64 @ave_nowhere(ptr)\ndefine i64 @ave_run(ptr %a, ptr %g, i64 %s, i64 %e, ptr %x) {\n %r = call i64 @ave_nowhere(ptr %a)\n ret i64 %r\n}\n"),
        host.object("define i64 @another() {\n ret i64 0\n}\n"), good.payload[: len(good.payload) // 2], good.payload[:60], b"no object", b"",
    ]  # fmt: skip
    for payload in others:
        assert cache.store(file.stem, good.meta, payload)
        assert (launched(), launched()) == ("compiled", "disk"), payload[:20]
    for meta in ({}, {**good.meta, "scratch_bytes": "many"}, {**good.meta, "entry": "no_such"}):
        assert cache.store(file.stem, meta, good.payload)
        assert (launched(), launched()) == ("compiled", "disk"), meta


def test_what_is_to_be_verified_is_built_anew(monkeypatch):
    """AVE_CHECK=ir verifies what is built: neither the cache on disk nor what this process has counts."""
    x = np.zeros(4, np.float32)

    def launched():
        marked[1, 4](x)
        return marked.last.how

    assert launched() == "compiled" and launched() == "hot"
    monkeypatch.setenv("AVE_CHECK", "ir")
    assert launched() == "compiled" and launched() == "hot"


@avelang.jit
def marked(x: al.Pointer(al.f32)):
    x[al.thread_id(0)] = 12.25
