"""A cache of PTX and machine code by kernel, template arguments, shapes and target, in memory and on disk, for tools
that want one. (Kernels themselves use Ave's own cache.)"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pathlib
from typing import Any

from avelang.base import knobs

DEFAULT_CACHE_DIR = pathlib.Path.home() / ".cache" / "pyptx"


@dataclasses.dataclass(frozen=True)
class CacheKey:
    """Kernel, template arguments, shapes and target, by which an entry is found."""

    fn_id: str
    template_kwargs: Any
    input_shapes: Any
    arch: str

    def hash(self) -> str:
        """32 hex digits, equal for equal keys."""
        kwargs = self.template_kwargs
        named = sorted(kwargs.items()) if isinstance(kwargs, dict) else kwargs
        text = repr((self.fn_id, named, self.input_shapes, self.arch))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclasses.dataclass
class CacheEntry:
    """PTX, and the machine code of it where there is some."""

    key: CacheKey
    ptx_source: str
    cubin_bytes: bytes | None = None
    metadata: dict[str, Any] = dataclasses.field(default_factory=dict)


class CubinCache:
    """Entries in memory, and in a folder: by default that of PYPTX_CACHE_DIR, else ~/.cache/pyptx."""

    def __init__(self, cache_dir: Any = None, enable_disk: bool = True):
        folder = cache_dir or knobs.pyptx_cache() or DEFAULT_CACHE_DIR
        self.cache_dir, self.enable_disk = pathlib.Path(folder), enable_disk
        self._entries: dict[str, CacheEntry] = {}

    def _files(self, name: str) -> tuple[pathlib.Path, pathlib.Path, pathlib.Path]:
        return tuple(self.cache_dir / f"{name}.{end}" for end in ("ptx", "cubin", "json"))  # type: ignore[return-value]

    def get(self, key: CacheKey) -> CacheEntry | None:
        """The entry of a key, or None."""
        name = key.hash()
        found = self._entries.get(name)
        if found is None and self.enable_disk:
            text, code, facts = self._files(name)
            if text.is_file():
                known = json.loads(facts.read_text()) if facts.is_file() else {}
                found = CacheEntry(key, text.read_text(), code.read_bytes() if code.is_file() else None, known)
                self._entries[name] = found
        return found

    def put(self, entry: CacheEntry) -> None:
        """Keeps an entry."""
        name = entry.key.hash()
        self._entries[name] = entry
        if self.enable_disk:
            self.cache_dir.mkdir(parents=True, exist_ok=True)
            text, code, facts = self._files(name)
            text.write_text(entry.ptx_source)
            facts.write_text(json.dumps(entry.metadata))
            if entry.cubin_bytes is not None:
                code.write_bytes(entry.cubin_bytes)

    def clear(self, *, disk: bool = False) -> None:
        """Forgets all entries; with `disk` their files too."""
        self._entries.clear()
        if disk and self.cache_dir.is_dir():
            for file in self.cache_dir.iterdir():
                if file.suffix in (".ptx", ".cubin", ".json"):
                    file.unlink()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: CacheKey) -> bool:
        return self.get(key) is not None


_cache: CubinCache | None = None


def get_global_cache() -> CubinCache:
    """The cache of this process."""
    global _cache
    if _cache is None:
        _cache = CubinCache()
    return _cache


def set_global_cache(cache: CubinCache | None) -> None:
    """Puts another cache in its place."""
    global _cache
    _cache = cache
