"""Knobs: the environment comes in, typed values go out. The only module that reads `os.environ`."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator
from typing import Any

from avelang.base.errors import error


def _flag(name: str) -> bool:
    return os.environ.get(name, "").lower() not in ("", "0", "no", "off", "false")


CHECKS = ("bounds", "init", "races", "waits", "uniform", "ir", "launch", "ptxas")
STAGES = ("ir", "passes", "llvm", "asm")  # of AVE_DUMP
REPORT = "report"  # a mode rather than a check: `all` does not mean it


@functools.lru_cache
def _checked(value: str) -> frozenset[str]:
    """The checks that AVE_CHECK names; `all` is every one. Raises L034 for one that there is not: who misspells it
    would think that all is verified."""
    found = frozenset(word.strip() for word in value.split(",")) - {""}
    for word in sorted(found - {*CHECKS, REPORT, "all"}):
        raise error("L034", name="AVE_CHECK", got=word, want=", ".join((*CHECKS, REPORT, "all")))
    return frozenset(CHECKS) if "all" in found else found - {REPORT}


def checks() -> frozenset[str]:
    """The checks that AVE_CHECK asks for: words of `CHECKS`."""
    return _checked(os.environ.get("AVE_CHECK", ""))


def checks_by_name() -> frozenset[str]:
    """Those of them that stand there by name, not only as a part of `all`."""
    return frozenset(word.strip() for word in os.environ.get("AVE_CHECK", "").split(",")) & frozenset(CHECKS)


def _checks(what: str) -> bool:
    return what in checks()


def check_report() -> bool:
    """AVE_CHECK=report: what the PTX executor finds on the CPU is printed with the lines of both accesses, once for
    each kind and place, and the kernel runs on with what the order of its program gives. It goes with the other words:
    `races,report`."""
    return REPORT in (word.strip() for word in os.environ.get("AVE_CHECK", "").split(","))


def check_bounds() -> bool:
    """AVE_CHECK=bounds: an access outside of a tensor stops the kernel with its line, tensor, index, block and
    thread."""
    return _checks("bounds")


def check_init() -> bool:
    """AVE_CHECK=init: a read of memory or of registers that nothing wrote is an error; outputs that Ave makes begin as
    NaN, and the reference says on standard error which elements of an output nothing wrote."""
    return _checks("init")


def check_uniform() -> bool:
    """AVE_CHECK=uniform: operands that hardware takes from scalar registers must be the same in all active lanes
    (X044)."""
    return _checks("uniform")


def check_ir() -> bool:
    """AVE_CHECK=ir: verify the IR after the frontend and between passes."""
    return _checks("ir")


def check_races() -> bool:
    """AVE_CHECK=races: two accesses to shared (X006, X025) or global memory (X040) that nothing orders; on the
    reference also lanes of a wave that write different values to one place (X041), and barriers (X042) and shuffles
    (X043) that not all come to. `ir,races` checks both."""
    return _checks("races")


def check_waits() -> bool:
    """AVE_CHECK=waits: the executor of gfx942 code verifies waits, hazards and LDS races (X024 to X026)."""
    return _checks("waits")


def check_launches() -> bool:
    """AVE_CHECK=launch: wait for each launch on a GPU, so that a kernel that faults is named (L033); set it before the
    first launch."""
    return _checks("launch")


def check_ptxas() -> bool:
    """AVE_CHECK=ptxas: each launch on an NVIDIA GPU runs code that ptxas makes at -O0 and at -O3 on the same memory,
    and the PTX executor where it can; X066 says where results differ."""
    return _checks("ptxas")


def hip_library() -> str | None:
    """AVE_HIP=PATH: the HIP runtime (libamdhip64.so) to load, instead of the one that this process or the system
    has."""
    return os.environ.get("AVE_HIP") or None


def cuda_library() -> str | None:
    """AVE_CUDA=PATH: the CUDA driver (libcuda.so.1) to load, instead of the one that this process or the system has."""
    return os.environ.get("AVE_CUDA") or None


def pyptx_cache() -> str | None:
    """PYPTX_CACHE_DIR=FOLDER: where the caches of `pyptx.cache` keep their files (default: ~/.cache/pyptx)."""
    return os.environ.get("PYPTX_CACHE_DIR") or None


def cuda_folders() -> tuple[str, ...]:
    """CUDA_HOME, CUDA_PATH: where the CUDA toolkit is installed (default: /usr/local/cuda)."""
    return (*(os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)), "/usr/local/cuda")


def ptxas() -> str | None:
    """AVE_PTXAS=FILE: the `ptxas` that makes code for NVIDIA GPUs, instead of the first that is found (CUDA 12.8 or
    newer); `driver`: none, the driver's own compiler does."""
    return os.environ.get("AVE_PTXAS") or None


def rocm_folder() -> str:
    """ROCM_PATH: where ROCm is installed (default: /opt/rocm)."""
    return os.environ.get("ROCM_PATH") or "/opt/rocm"


def cache_dir() -> str | None:
    """AVE_CACHE_DIR: where compiled kernels are kept, instead of the user's cache directory."""
    return os.environ.get("AVE_CACHE_DIR") or None


def cache_off() -> bool:
    """AVE_NO_CACHE=1: neither read nor write the cache on disk."""
    return _flag("AVE_NO_CACHE")


def cache_bytes() -> int:
    """AVE_CACHE_SIZE=MIB: how much the cache on disk may hold (default: 2048; 0: any amount). Entries used longest ago
    go first."""
    text = os.environ.get("AVE_CACHE_SIZE", "") or "2048"
    if not (text.isascii() and text.isdigit()):
        raise error("L034", hint="a number of MiB; 0: no limit", name="AVE_CACHE_SIZE", got=text, want="")
    return int(text) << 20


def tuned() -> tuple[str, ...]:
    """AVE_TUNED=FILE[:FILE...]: tables of tuned choices, best first, before the user's own; the tuner writes to the
    first."""
    return tuple(file for file in os.environ.get("AVE_TUNED", "").split(os.pathsep) if file)


def data_homes() -> tuple[str | None, ...]:
    """XDG_DATA_HOME, HOME: what the user's data folder, which platformdirs finds, depends on."""
    return os.environ.get("XDG_DATA_HOME"), os.environ.get("HOME")


def full_traceback() -> bool:
    """AVE_TRACEBACK=full: keep Ave's own frames in tracebacks."""
    return os.environ.get("AVE_TRACEBACK", "") == "full"


def backend() -> str | None:
    """AVE_BACKEND=reference|cpu|gfx942-exec|gfx950-exec: what runs kernels on CPU arrays, unless the launch says
    `backend=`. Of several, with commas, the first that does not execute another chip's code than the launch's."""
    return os.environ.get("AVE_BACKEND") or None


def target() -> str | None:
    """AVE_TARGET=CHIP: the chip whose intrinsics kernels use, unless the launch says `target=` (default: inferred from
    the intrinsics)."""
    return os.environ.get("AVE_TARGET") or None


def lld() -> str | None:
    """AVE_LLD=FILE: the `ld.lld` that links code objects for AMD GPUs, instead of the first that is found (LLVM 19 or
    newer)."""
    return os.environ.get("AVE_LLD") or None


def llvm() -> str | None:
    """AVE_LLVM=FOLDER: an installation of LLVM 19 or newer (with `bin/` and `lib/`, such as /usr/lib/llvm-22 or
    /opt/rocm/llvm), whose ld.lld, llvm-mca, llvm-objdump and libLLVM are taken before any other."""
    return os.environ.get("AVE_LLVM") or None


def strict() -> bool:
    """AVE_STRICT=1: compile nothing at a launch; what no bundle and no cache has is an error (L067). `avelang.strict()`
    sets it."""
    return _flag("AVE_STRICT")


def set_strict(on: bool) -> None:
    """Sets AVE_STRICT for this process and those that it starts."""
    os.environ["AVE_STRICT"] = "1" if on else "0"


def bundles() -> tuple[str, ...]:
    """AVE_BUNDLE=FILE: bundles of `ave build`, loaded before the first launch (several with the system's path separator
    between)."""
    return tuple(part for part in os.environ.get("AVE_BUNDLE", "").split(os.pathsep) if part)


def no_color() -> bool:
    """NO_COLOR=1: no colors and no styles in what commands print (https://no-color.org: any text turns them off)."""
    return bool(os.environ.get("NO_COLOR"))


def set_no_color() -> None:
    """Sets NO_COLOR for this process and those that it starts: `ave --no-color`."""
    os.environ["NO_COLOR"] = "1"


def shell() -> str:
    """SHELL: the user's shell, for which `ave completion install` works where none is named."""
    return os.environ.get("SHELL", "")


def progress() -> bool | None:
    """AVE_PROGRESS=0|1: whether it is said on standard error what is being compiled, once that takes over a second
    (default: where standard error is a terminal)."""
    return _flag("AVE_PROGRESS") if os.environ.get("AVE_PROGRESS") else None


@contextlib.contextmanager
def with_target(name: str) -> Iterator[None]:
    """AVE_TARGET within."""
    before = os.environ.get("AVE_TARGET")
    os.environ["AVE_TARGET"] = name
    try:
        yield
    finally:
        os.environ.pop("AVE_TARGET", None)
        if before is not None:
            os.environ["AVE_TARGET"] = before


def set_defaults(backend: str | None = None, target: str | None = None, checks: tuple[str, ...] = ()) -> None:
    """Defaults of the environment, for this process and those that it starts: `ave run --on ... --target ... --check
    ...`."""
    for name, value in (("AVE_BACKEND", backend), ("AVE_TARGET", target), ("AVE_CHECK", ",".join(checks))):
        if value:
            os.environ[name] = value


@contextlib.contextmanager
def checking(*words: str) -> Iterator[None]:
    """A region in which launches of this process verify these words of `CHECKS`, and no others."""
    before = os.environ.get("AVE_CHECK")
    os.environ["AVE_CHECK"] = ",".join(words)
    try:
        yield
    finally:
        if before is None:
            del os.environ["AVE_CHECK"]
        else:
            os.environ["AVE_CHECK"] = before


@contextlib.contextmanager
def running_on(backend: str, *words: str) -> Iterator[None]:
    """A region in which launches on CPU arrays run on this engine (AVE_BACKEND), and verify these words of `CHECKS`."""
    before = os.environ.get("AVE_BACKEND")
    os.environ["AVE_BACKEND"] = backend
    try:
        with checking(*words):
            yield
    finally:
        os.environ.pop("AVE_BACKEND", None)
        if before is not None:
            os.environ["AVE_BACKEND"] = before


def child_environment(path: list[str]) -> dict[str, str]:
    """The environment for a Python process that imports from the folders of `path`, as this one does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folder for folder in path if folder)}


def threads() -> int | None:
    """AVE_THREADS=N: how many threads the CPU backend uses (default: the cores that this process may use)."""
    text = os.environ.get("AVE_THREADS", "")
    if text and not (text.isascii() and text.isdigit() and int(text) > 0):
        raise error("L034", hint="a number from 1 on", name="AVE_THREADS", got=text, want="")
    return int(text) if text else None


def dump() -> tuple[str, ...]:
    """AVE_DUMP=ir,passes,llvm,asm: print these stages to standard error at compile time."""
    found = tuple(part.strip() for part in os.environ.get("AVE_DUMP", "").split(",") if part.strip())
    for part in found:
        if part not in STAGES:
            raise error("L034", name="AVE_DUMP", got=part, want=", ".join(STAGES))
    return found


def launch_entries() -> tuple[dict[Any, Any], tuple[Any, ...]] | None:
    """The live dict behind `os.environ`, and the keys in it of the knobs that each launch obeys (`backend`, `target`,
    `checks`): a look at them costs almost nothing. None where this Python has no such dict."""
    data = getattr(os.environ, "_data", None)
    if not isinstance(data, dict) or not hasattr(os.environ, "encodekey"):
        return None
    return data, tuple(os.environ.encodekey(name) for name in ("AVE_BACKEND", "AVE_TARGET", "AVE_CHECK"))
