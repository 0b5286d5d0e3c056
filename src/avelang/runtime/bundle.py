"""Specializations of kernels come in; a bundle goes out: one file of entries like those of the cache on disk, which a
later process, on another machine too, runs without a compiler.

A bundle is the cache by another road. Its entries are the cache's, byte for byte; their names leave out what is of one
machine (where files lie, tools, the processor), and the head says that once for all of them. So a launch looks here
first, then into the cache, then compiles. What does not fit is an error and no silent compilation: D045 (damaged), D046
(another Ave or Python), D047 (another processor), D048 (a kernel's text has changed)."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import platform
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import avelang.arch as arch
from avelang.base import knobs
from avelang.base.errors import error
from avelang.base.version import VERSION
from avelang.frontend.closure import closure
from avelang.frontend.signature import signature
from avelang.frontend.source import FunctionSource
from avelang.runtime import cache, compile, keys, native
from avelang.runtime.geometry import Dim3

_MAGIC = b"ave-bundle-1\n"
_LENGTH = 8  # bytes of the head's length, little endian
_DIGEST = hashlib.sha256().digest_size
CPU = "cpu"
# Options of a launch that do not change its code.
_PLACES = ("backend", "stream")
# LLVM's names of x86 features that Linux calls otherwise in /proc/cpuinfo. Others are alike but for "." and "-".
_LINUX = {
    "sse3": "pni", "bmi": "bmi1", "lzcnt": "abm", "pclmul": "pclmulqdq", "rdrnd": "rdrand", "sha": "sha_ni",
    "sahf": "lahf_lm", "crc32": "sse4_2", "64bit": "lm", "prfchw": "3dnowprefetch", "avxvnni": "avx_vnni",
    **{f"avx512{x}": f"avx512_{x}" for x in ("vpopcntdq", "bf16", "vnni", "bitalg", "vbmi2", "fp16")},
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Specialization:
    """A kernel as it is compiled: `kernel`, a jit function; `block`, threads of a block, a number or up to three;
    `constexprs`, its compile-time values by name, those with a default may be left out; `options`, those of a launch
    that change code (num_warps, waves_per_eu, cluster, and target where the CPU runs it). `chips`: those that it is
    for; none: the ones that the build names."""

    kernel: Any
    block: int | Sequence[int] = 64
    constexprs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    chips: tuple[str, ...] = ()

    @property
    def extents(self) -> Dim3:
        """The block as three numbers."""
        x, y, z = (*((self.block,) if isinstance(self.block, int) else self.block), 1, 1)[:3]
        return int(x), int(y), int(z)


def _texts(source: FunctionSource) -> tuple[str, dict[str, str]]:
    return closure(source).portable()


def name_of(source: FunctionSource, key: str, constexprs: Mapping[str, Any], options: Mapping[str, Any], block: Dim3,
            chip: str) -> str:  # fmt: skip
    """The name of an entry: a digest of all that its code depends on, but for what the head says; "" where something
    has none. `key`: the portable one of the closure."""
    left_out = _PLACES if chip == CPU else (*_PLACES, "target")
    try:
        parts = {
            "bundle": 1, "kernel": source.name, "captured": key, "chip": chip, "block": list(block),
            "parameters": [str((s.name, s.kind, s.dtype, s.shape, s.strides, str(s.map))) for s in signature(source)],
            "constexprs": keys.tokens(constexprs, portable=True),
            "options": keys.tokens({n: v for n, v in options.items() if n not in left_out and v is not None}),
            "checks": [knobs.check_bounds(), knobs.check_uniform(), knobs.check_ptxas()],
        }  # fmt: skip
    except keys.Unstable:
        return ""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest() if key else ""


def words(constexprs: Mapping[str, Any], options: Mapping[str, Any], block: Dim3) -> str:
    """A specialization in words."""
    given = [f"{n}={v!r}" for n, v in (*constexprs.items(), *options.items()) if n not in _PLACES]
    return ", ".join([f"blocks of {' x '.join(map(str, block))} threads", *given])


# -- what bundles depend on ---


@functools.cache
def _own_digest() -> str:
    """A digest of the contents of Ave's own files: an edited checkout may hand its code other arguments."""
    digest, root = hashlib.sha256(), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder, inner, files in os.walk(root):
        inner[:] = sorted(x for x in inner if x != "__pycache__")
        for file in sorted(files):
            if file.endswith((".py", ".ll")):
                with open(os.path.join(folder, file), "rb") as f:
                    digest.update(file.encode() + b"\0" + f.read())
    return digest.hexdigest()[:16]


def _flags() -> frozenset[str]:
    """What the processor has, by Linux's names; nothing where there is no list."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = next((line for line in file if line.startswith(("flags", "Features"))), ":")
        return frozenset(found.split(":")[1].split())
    except OSError:
        return frozenset()


def _needed() -> list[str]:
    """The features that code made here may use, by Linux's names, or by LLVM's where there is no list."""
    import llvmlite.binding as llvm

    has = [str(name) for name, on in llvm.get_host_cpu_features().items() if on]
    there = _flags()
    if not there:
        return sorted(has)
    known: set[str] = {_LINUX.get(name) or name.replace(".", "_").replace("-", "_") for name in has}
    return sorted(known & there)


def _missing(needed: Iterable[str]) -> list[str]:
    """The features of those that this processor lacks."""
    return sorted(frozenset(needed) - (_flags() or frozenset(_needed())))


def _this() -> dict[str, Any]:
    """What must be the same where a bundle is made and where it is loaded, with words for each."""
    return {"avelang": VERSION, "code": _own_digest(), "system": f"{sys.platform} {platform.machine()}",
            "python": f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"}


_WORDS = {"avelang": "by Ave {0}, and this is {1}", "code": "by other files of Ave than those that run here",
          "system": "for {0}, and this is {1}", "python": "for {0}, and this is {1}"}


# -- making ---


def compiled(spec: Specialization, chip: str) -> tuple[bytes, dict[str, Any]]:
    """The code of a specialization for a chip, without a device, and what the runtime must know of it. Raises what the
    compiler finds, U101 for an unknown chip, D020 without ptxas."""
    source: FunctionSource = spec.kernel.source
    closure(source).forget()
    values, options = compile.constants(source, spec.constexprs), dict(spec.options)
    if chip == CPU:
        return compile.cpu_object(source, values, options.get("target"), spec.extents, options.get("cluster"))
    made = arch.chip(chip)
    options["target"] = made.name
    if made.vendor == "amd":
        return compile.device_object(source, values, made.name, spec.extents, options)
    from avelang.runtime import cuda

    return cuda.ahead(source, values, made.name, spec.extents, options)


def host_code() -> bytes:
    """Ave's own launcher for any processor of this machine's kind."""
    import llvmlite.binding as llvm

    from avelang.llvm.core import HostCompiler
    from avelang.native import units

    plain = "x86-64" if platform.machine() == "x86_64" else "generic"
    return HostCompiler(2, (llvm.get_default_triple(), plain, "")).object(units.text("host"), ready=True)


def make(specs: Iterable[Specialization], chips: Sequence[str], path: str, command: str,
         tell: Callable[[str, str, str], Any] = lambda kernel, chip, what: None) -> list[dict[str, Any]]:  # fmt: skip
    """Compiles specializations for chips and writes the bundle; the records of its entries. `command`: what makes it
    again, for messages. `tell`: called before each with the kernel, the chip and the specialization in words. Raises
    what the compiler finds, D049 for a kernel that has no key."""
    entries: dict[str, dict[str, Any]] = {}
    blobs: list[bytes] = [host_code()]
    for spec in specs:
        source = spec.kernel.source
        key, texts = _texts(source)
        values = compile.constants(source, spec.constexprs)
        for chip in spec.chips or chips:
            name = name_of(source, key, values, spec.options, spec.extents, chip)
            if not name:
                raise error("D049", kernel=source.name, why=closure(source).trouble or "a compile-time value")
            if name in entries:
                continue
            said = words(values, spec.options, spec.extents)
            tell(source.name, chip, said)
            payload, meta = compiled(spec, chip)
            blobs.append(cache.pack(name, meta, payload))
            entries[name] = {"name": name, "kernel": _identity(source), "chip": chip, "what": said, "texts": texts,
                             "blob": len(blobs) - 1}
    needs = _needed() if any(e["chip"] == CPU for e in entries.values()) else []
    head = {**_this(), "command": command, "needs": needs,
            "blobs": [len(b) for b in blobs], "entries": list(entries.values())}  # fmt: skip
    raw = json.dumps(head).encode()
    body = b"".join((_MAGIC, len(raw).to_bytes(_LENGTH, "little"), raw, *blobs))
    temporary = f"{path}.new-{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.write(body + hashlib.sha256(body).digest())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return list(entries.values())


def _identity(source: FunctionSource) -> str:
    return f"{os.path.basename(source.file)}:{source.fn.__qualname__}"


# -- loading ---


class Bundle:
    """A bundle that is loaded. `path`; `command`, which makes it again; `records` of its entries: kernel, chip and
    specialization in words."""

    def __init__(self, path: str):
        self.path, self.command = path, "ave build"
        with open(path, "rb") as file:
            data = file.read()
        head = self._head(data)
        self.command = str(head["command"])
        for name, have in _this().items():
            if head[name] != have:
                raise error("D046", path=path, why=_WORDS[name].format(head[name], have), command=self.command)
        missing = _missing(head["needs"])
        if missing:
            raise error("D047", path=path, missing=", ".join(missing), command=self.command)
        self.records: list[dict[str, Any]] = head["entries"]
        self._by_name = {e["name"]: e for e in self.records}

    def _head(self, data: bytes) -> dict[str, Any]:
        start = len(_MAGIC) + _LENGTH
        if not data.startswith(_MAGIC):
            raise self._damaged("it is no bundle of this version's format")
        body, digest = data[:-_DIGEST], data[-_DIGEST:]
        if len(data) < start + _DIGEST or hashlib.sha256(body).digest() != digest:
            raise self._damaged("its bytes are not those that were written")
        end = start + int.from_bytes(data[len(_MAGIC) : start], "little")
        head = json.loads(body[start:end])
        self._blobs = []
        for size in head["blobs"]:
            self._blobs.append(body[end : end + size])
            end += size
        return head

    def _damaged(self, why: str) -> Exception:
        return error("D045", path=self.path, why=why, command=self.command)

    @property
    def host(self) -> bytes:
        """Ave's own launcher."""
        return self._blobs[0]

    def entry(self, name: str) -> cache.CacheEntry | None:
        """The entry of that name, or None."""
        record = self._by_name.get(name)
        return cache.unpack(name, self._blobs[record["blob"]]) if record is not None else None

    def changed(self, kernel: str, chip: str, texts: Mapping[str, str]) -> str:
        """The function whose text is another than in all entries of this kernel and chip; "" for none."""
        mine = [e["texts"] for e in self.records if e["kernel"] == kernel and e["chip"] == chip]
        other = [next((f for f, digest in sorted(texts.items()) if e.get(f, digest) != digest), "") for e in mine]
        return other[0] if other and all(other) else ""


_lock = threading.Lock()
_loaded: list[Bundle] = []
_of_environment: dict[str, Bundle] = {}


def load(path: str) -> Bundle:
    """Loads a bundle for the launches from here on. Raises D045 to D047, and OSError where it cannot be read."""
    found = Bundle(path)
    with _lock:
        _loaded[:] = [b for b in _loaded if os.path.abspath(b.path) != os.path.abspath(path)]
        _loaded.append(found)
        native.provided.append(found.host)
    return found


def unload(bundle: Bundle) -> None:
    """Launches that are not ready yet look into it no more."""
    with _lock:
        _loaded[:] = [b for b in _loaded if b is not bundle]


def bundles() -> list[Bundle]:
    """The loaded ones, the last first, those that AVE_BUNDLE names among them. Raises D045 to D047."""
    for path in knobs.bundles():
        if path not in _of_environment:
            if not os.path.isfile(path):
                raise error("D045", path=path, why="there is no such file", command=f"ave build ... -o {path}")
            _of_environment[path] = load(path)
    return _loaded[::-1]


def wanted() -> bool:
    """True where a launch that is not ready should look into bundles at all."""
    return bool(_loaded) or bool(knobs.bundles())


def find(source: FunctionSource, constexprs: Mapping[str, Any], options: Mapping[str, Any], block: Dim3,
         chip: str) -> tuple[str, cache.CacheEntry] | None:  # fmt: skip
    """The bundle and the entry of a launch, or None. Raises D048 where a bundle has the kernel with another text."""
    loaded = bundles() if chip else []
    if not loaded:
        return None
    key, texts = _texts(source)
    name = name_of(source, key, constexprs, options, block, chip)
    if not name:
        return None
    for bundle in loaded:
        entry = bundle.entry(name)
        if entry is not None:
            return bundle.path, entry
    for bundle in loaded:
        what = bundle.changed(_identity(source), chip, texts)
        if what:
            raise error("D048", kernel=source.name, path=bundle.path, what=f"`{what.rpartition('.')[2]}`",
                        command=bundle.command)
    return None


def refuse(source: FunctionSource, constexprs: Mapping[str, Any], options: Mapping[str, Any], block: Dim3,
           chip: str) -> Exception:  # fmt: skip
    """The error of strict mode: what would have to be compiled, and the command that adds it to a bundle."""
    if "<locals>" in source.fn.__qualname__:
        command = f"ave build --record SCRIPT.py --chip {chip} -o FILE, SCRIPT.py being a program that launches it so"
    else:
        shown = {n: v for n, v in constexprs.items() if isinstance(v, (bool, int, float, str, tuple))}
        more = [f"--option {n}={v!r}" for n, v in options.items() if n not in (*_PLACES, "target")]
        command = " ".join([f"ave build {source.file}:{source.name} --chip {chip}",
                            f"--block {','.join(map(str, block))}", *(f"-D {n}={v!r}" for n, v in shown.items()), *more,
                            "-o FILE"])  # fmt: skip
    return error("L067", hint=f"add it to a bundle: {command}", kernel=source.name, chip=chip or "this backend",
                 what=words(constexprs, options, block))
