"""The cache on disk: a key and a compiled object come in; the same bytes come out in a later process, or nothing.

An entry is one file, `<key>.ave`: magic, header length, JSON header, payload, SHA-256 of everything before. Nothing is
ever unpickled. Whatever is not exactly what this user's Ave wrote counts as absent: damaged, truncated, another key,
another owner, writable by others, no file at all. A file's time of change is when its entry was used last: where the
whole grows over its limit, those used longest ago go first."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import stat
import time
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from avelang.base import knobs
from avelang.base.version import VERSION

FORMAT = 1
_MAGIC = b"ave-cache-1\n"
_SUFFIX = ".ave"
_DIGEST = hashlib.sha256().digest_size
# The header's length, little endian.
_LENGTH = 4
_NEW = ".new-"
# Seconds after which a file that somebody began to write was left behind by a process that was killed.
_STALE = 3600.0
# What is swept down to, of the limit; and after how many of its bytes, written by this process, it is looked at again.
_KEEP, _LOOK = 0.9, 1 / 64
_HAS_OWNER = hasattr(os, "geteuid")


class CacheEntry(NamedTuple):
    """A stored program: `meta` is a dict of JSON values, `payload` the object's bytes."""

    meta: dict[str, Any]
    payload: bytes


class Info(NamedTuple):
    """The facts that `ave cache info` prints: the folder, how many entries, their bytes, why the cache cannot be used
    ("" if it can), and how many bytes it may have (0: any number)."""

    path: str
    entries: int
    bytes: int
    trouble: str
    limit: int


def folder() -> str:
    """The folder of the entries, one of ours inside AVE_CACHE_DIR or the user's cache directory. It need not exist."""
    root = knobs.cache_dir()
    if root is None:
        # Imported late: a process that sets AVE_CACHE_DIR need not pay for it.
        import platformdirs

        root = platformdirs.user_cache_dir("avelang", appauthor=False)
    return os.path.join(root, f"kernels-{FORMAT}")


def _ours(status: os.stat_result) -> bool:
    """Whether this user owns it and nobody else may write to it."""
    if not _HAS_OWNER:
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _trouble(path: str) -> str:
    """Why the folder cannot be trusted; "" for one that can, or that does not exist."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return ""
    except OSError as e:
        return f"{path}: {e.strerror}"
    if not stat.S_ISDIR(status.st_mode):
        return f"{path} is not a folder"
    if not _ours(status):
        return f"{path} belongs to another user or others may write to it"
    return ""


_warned: set[str] = set()


def _warn(why: str) -> None:
    if why not in _warned:
        _warned.add(why)
        warnings.warn(f"Ave works without its cache on disk: {why}", RuntimeWarning, stacklevel=2)


def key(parts: Mapping[str, Any]) -> str:
    """The SHA-256, in hex, of the ingredients and of what every entry depends on: format, versions, Ave's own files.

    `parts` holds JSON values only; two dicts with the same items give the same key whatever their order.
    """
    everything = {"format": FORMAT, "avelang": VERSION, "package": package_digest(), **parts}
    return hashlib.sha256(json.dumps(everything, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


@functools.cache
def package_digest() -> str:
    """A digest of names, sizes and times of Ave's own files, so that an edited checkout never runs code of before.
    Computed once."""
    digest = hashlib.sha256()
    pending = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    while pending:
        with contextlib.suppress(OSError), os.scandir(pending.pop()) as found:
            for item in sorted(found, key=lambda item: item.name):
                if item.is_dir(follow_symlinks=False):
                    if item.name != "__pycache__":
                        pending.append(item.path)
                elif item.name.endswith((".py", ".ll")):
                    status = item.stat()
                    digest.update(f"{item.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def pack(name: str, meta: Mapping[str, Any], payload: bytes) -> bytes:
    """The bytes of an entry."""
    header = json.dumps({"key": name, "size": len(payload), "meta": dict(meta)}).encode()
    body = b"".join((_MAGIC, len(header).to_bytes(_LENGTH, "little"), header, payload))
    return body + hashlib.sha256(body).digest()


def unpack(name: str, data: bytes) -> CacheEntry | None:
    """The entry that the bytes are; None where they are no entry of that name."""
    start = len(_MAGIC) + _LENGTH
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if len(data) < start + _DIGEST or not data.startswith(_MAGIC) or hashlib.sha256(body).digest() != digest:
        return None
    end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
    try:
        header = json.loads(body[start:end])
        if header["key"] != name or header["size"] != len(body) - end:
            return None
        return CacheEntry(dict(header["meta"]), body[end:])
    except (ValueError, KeyError, TypeError):
        return None


def load(name: str) -> CacheEntry | None:
    """The entry under this key, or None. Never raises: an entry that cannot be trusted is as good as none."""
    if knobs.cache_off():
        return None
    try:
        path = folder()
        if _trouble(path):
            return None
        # Without waiting: for who never writes, where a pipe is in the place of a file.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(os.path.join(path, name + _SUFFIX), flags)
    except OSError:
        return None
    try:
        with os.fdopen(handle, "rb", closefd=False) as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or not _ours(status):
                return None
            found = unpack(name, file.read())
            if found is None:
                drop(name)
            else:
                with contextlib.suppress(OSError):
                    os.utime(handle if os.utime in os.supports_fd else os.path.join(path, name + _SUFFIX))
            return found
    except OSError:
        return None
    finally:
        os.close(handle)


def drop(name: str) -> None:
    """Removes an entry that turned out to be of no use."""
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(folder(), name + _SUFFIX))


def store(name: str, meta: Mapping[str, Any], payload: bytes) -> bool:
    """Publishes an entry in one step: readers see the whole of it or the one before. Warns once and returns False where
    it cannot."""
    if knobs.cache_off():
        return False
    path = folder()
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, mode=0o700)
        trouble = _trouble(path)
        if trouble:
            _warn(trouble)
            return False
        # Imported late: a start from a warm cache does without. mkstemp makes the file with mode 0600.
        import tempfile

        data, place = pack(name, meta, payload), os.path.join(path, name + _SUFFIX)
        handle, temporary = tempfile.mkstemp(prefix=_NEW, dir=path)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            try:
                os.replace(temporary, place)
            except IsADirectoryError:
                os.rmdir(place)
                os.replace(temporary, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as e:
        _warn(f"{path}: {e.strerror or e}")
        return False
    _written(path, len(data))
    return True


# Bytes that this process wrote since it looked at the whole; below 0: it has not looked yet.
_since = [-1.0]


def _written(path: str, size: int) -> None:
    """Sweeps, at the first entry that a process writes, and again when it has written a part of the limit."""
    limit = knobs.cache_bytes()
    _since[0] += size
    if _since[0] - size < 0 or (limit and _since[0] > limit * _LOOK):
        _since[0] = 0.0
        sweep(path, limit)


def sweep(path: str, limit: int) -> int:
    """Removes what killed writers left behind and, where entries have more than `limit` bytes (0: never), those used
    longest ago. Returns how many files it removed. Other processes may sweep at the same time."""
    found, gone, now = [], 0, time.time()
    for item in _files(path):
        with contextlib.suppress(OSError):
            status = item.stat(follow_symlinks=False)
            if not item.name.startswith(_NEW):
                found.append((status.st_mtime, status.st_size, item.path))
            elif now - status.st_mtime > _STALE:
                os.unlink(item.path)
                gone += 1
    total = sum(size for _, size, _ in found)
    if not limit or total <= limit:
        return gone
    for _, size, place in sorted(found):
        if total <= limit * _KEEP:
            break
        with contextlib.suppress(OSError):
            os.unlink(place)
            gone += 1
            total -= size
    return gone


def _files(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as found:
            return [item for item in found if item.name.endswith(_SUFFIX) or item.name.startswith(_NEW)]
    except OSError:
        return []


def info() -> Info:
    """The cache's folder and size."""
    path = folder()
    sizes = []
    for item in _files(path):
        with contextlib.suppress(OSError):
            sizes.append(item.stat(follow_symlinks=False).st_size)
    trouble = "AVE_NO_CACHE is set" if knobs.cache_off() else _trouble(path)
    return Info(path, len(sizes), sum(sizes), trouble, knobs.cache_bytes())


def clear() -> int:
    """Removes every entry and returns how many there were. Raises OSError where one cannot be removed."""
    gone = 0
    for item in _files(folder()):
        with contextlib.suppress(FileNotFoundError):
            if item.is_dir(follow_symlinks=False):  # none of ours
                os.rmdir(item.path)
            else:
                os.unlink(item.path)
            gone += 1
    return gone
