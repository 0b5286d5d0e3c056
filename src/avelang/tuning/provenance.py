"""Where a measurement was made: a device's name for a table, driver, clocks and versions go out."""

from __future__ import annotations

import contextlib
import datetime
import functools
import pathlib
import platform
import shutil
import subprocess
import sys
from typing import Any

from avelang.base import knobs
from avelang.base.version import VERSION
from avelang.tuning.workers import cores

_QUERY = ("--query-gpu=driver_version,clocks.sm,clocks.mem,power.limit", "--format=csv,noheader")


@functools.cache
def processor() -> str:
    """The name of the host's processor, words joined by dashes."""
    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1] for line in lines if line.startswith("model name"))
    return "-".join(name.replace("|", "/").split()) or "unknown"


@functools.lru_cache(maxsize=256)
def device_name(place: str) -> str:
    """The name that tables have for a device: "cpu" with the processor and its threads, or the chip and the name of a
    GPU, such as "sm_90a NVIDIA H200". `place`: "cpu", "cuda:0", "rocm:0". Raises D030 to D036."""
    if place == "cpu":
        return f"cpu {processor()} x{knobs.threads() or cores()}"
    from avelang.runtime import devices

    found = devices.device(place)
    title = " ".join(found.driver.architecture(found.index)[0].replace("|", "/").split())
    return f"{found.chip.name} {title}"


def device_of(x: Any) -> str:
    """The name that tables have for the device of an array, or of "cpu", "cuda:0" and the like: what `find` takes."""
    from avelang.tuning.trial_arrays import device

    return device_name(x if isinstance(x, str) else device(x))


def now() -> str:
    """The time, in UTC."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def versions(place: str) -> str:
    """Versions of what makes the code and runs it."""
    import llvmlite.binding as llvm

    found = [f"avelang {VERSION}", f"llvm {'.'.join(map(str, llvm.llvm_version_info))}",
             f"python {platform.python_version()}"]  # fmt: skip
    if place.startswith("cuda"):
        from avelang.runtime import devices

        found.append(str(devices.device(place).driver.tools(devices.device(place))["assembler"]))
    torch = sys.modules.get("torch")
    if torch is not None and place != "cpu":
        found.append(f"torch {torch.__version__}")
    return ", ".join(found)


@functools.lru_cache(maxsize=16)
def _smi(index: int) -> list[str]:
    """Driver, clock of the multiprocessors, of memory, and the limit of power, by nvidia-smi; [] without it."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run([tool, *_QUERY, f"--id={index}"], capture_output=True, text=True, timeout=10, check=False)
        if done.returncode == 0:
            return [cell.strip() for cell in done.stdout.splitlines()[0].split(",")]
    return []


def driver(place: str) -> str:
    """The driver's version, "-" on the CPU."""
    if place == "cpu":
        return platform.system()
    from avelang.runtime import devices

    found = devices.device(place)
    said = _smi(found.index) if place.startswith("cuda") else []
    return said[0] if said else f"{found.driver.kind} {found.driver.version()[0]}"


def clocks(place: str) -> str:
    """The clocks of a GPU when it was first asked, its limit of power; "-" where nothing tells them."""
    said = _smi(int(place.partition(":")[2])) if place.startswith("cuda") else []
    return f"sm {said[1]}, memory {said[2]}, limit {said[3]}" if len(said) == 4 else "-"
