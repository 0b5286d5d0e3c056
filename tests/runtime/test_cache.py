"""The cache on disk: what is stored comes back; what is not exactly that counts as absent."""

import errno
import os
import pathlib
import random
import stat
import subprocess
import sys
import tempfile

import pytest

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
    assert cache.info()[1:] == (0, 0, "")
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
