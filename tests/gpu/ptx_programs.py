"""The generated PTX programs of `tests/sim/ptx` on a real GPU: the same text, assembled by the CUDA driver, against the executor bit by bit, and
against the results that were computed independently.

    python3 tests/gpu/ptx_programs.py [--modules 40] [--seed 0] [--chip sm_90a]

Every form once, then so many modules of 16 random programs. NaNs count as equal where both are one; how often their bits differ is said at the end. The
approximate forms (.approx, .full) may differ by what the PTX ISA allows. Prints a line for each form that differs and writes ptx_programs.json to the
folder that the variable OUT names, or here. Exit status 1 when anything differs. Needs NumPy, ml_dtypes and llvmlite; no torch.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import json
import os
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "gpu")]

from nvptx_check import Driver  # noqa: E402

from avelang.sim.ptx import Program  # noqa: E402
from sim.ptx import programs  # noqa: E402
from sim.ptx.numbers import F  # noqa: E402

FORMS, SECTIONS = 128, 16


def on_device(driver: Driver, made: programs.Made) -> np.ndarray:
    log = ctypes.create_string_buffer(8192)
    options, values = (ctypes.c_int * 2)(5, 6), (ctypes.c_void_p * 2)(ctypes.addressof(log), 8192)
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    try:
        driver.call("cuModuleLoadDataEx", ctypes.byref(module), made.text.encode() + b"\0", 2, options, values)
    except RuntimeError as e:
        raise RuntimeError(f"{e}: {log.value.decode()}") from None
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, b"programs")
    out = np.full(made.want.shape, programs.KEPT, np.uint64)
    source, destination = driver.upload(made.inputs), driver.upload(out)
    table = (ctypes.c_void_p * 2)(ctypes.addressof(source), ctypes.addressof(destination))
    driver.call("cuLaunchKernel", function, len(made.steps), 1, 1, programs.LANES, 1, 1, 0, None, table, None)
    driver.call("cuCtxSynchronize")
    driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(out.ctypes.data), destination, ctypes.c_size_t(out.nbytes))
    for p in (source, destination):
        driver.call("cuMemFree_v2", p)
    driver.call("cuModuleUnload", module)
    return out


def executed(made: programs.Made) -> np.ndarray:
    out = np.full(made.want.shape, programs.KEPT, np.uint64)
    memory = [(made.inputs.ctypes.data, made.inputs.nbytes, "source", False), (out.ctypes.data, out.nbytes, "destination", True)]
    Program(made.text).launch([made.inputs.ctypes.data, out.ctypes.data], (len(made.steps), 1, 1), (programs.LANES, 1, 1), memory=memory)
    return out


def other_nans(made: programs.Made, a: np.ndarray, b: np.ndarray) -> collections.Counter[str]:
    """How often both have a NaN, in different bits, by form."""
    found: collections.Counter[str] = collections.Counter()
    for k, steps in enumerate(made.steps):
        for step in steps:
            for at, kind in zip(step.outs, step.form.outs, strict=True):
                f = F.get(kind.removesuffix("x2"))
                if f is not None:
                    found[step.form.name] += int((a[k, at] != b[k, at]).sum())
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--modules", type=int, default=40, help="modules of 16 random programs")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--chip", default="sm_90a")
    given = options.parse_args()
    driver = Driver()
    alphabet = programs.alphabet()
    made = [
        programs.module(1000 + at, SECTIONS, -(-len(alphabet[at : at + FORMS]) // SECTIONS), alphabet[at : at + FORMS], given.chip)
        for at in range(0, len(alphabet), FORMS)
    ]
    made += [programs.module(given.seed + n, SECTIONS, 6, chip=given.chip) for n in range(given.modules)]
    bad: dict[str, list[str]] = {}
    nans: collections.Counter[str] = collections.Counter()
    for m in made:
        device, here = on_device(driver, m), executed(m)
        for name, want, got in (("device against the rules", m.want, device), ("device against the executor", here, device)):
            held = programs.Made(m.text, m.inputs, want, m.steps)
            for line in programs.differences(held, got):
                bad.setdefault(f"{name}: {line.split(', ')[1].split(' (')[0]}", []).append(line)
        nans += other_nans(m, here, device)
    for name, lines in sorted(bad.items()):
        print(f"FAIL {name}: {len(lines)} times, such as {lines[0]}")
    nans = collections.Counter({k: n for k, n in nans.items() if n and not any(f": {k}" in x for x in bad)})
    print(f"{driver.name}: {len(made) * SECTIONS} programs, {len(alphabet)} forms; {len(bad)} differences by form; bits of NaN (or, in approximate forms, "
          f"last bits) that differ: {sum(nans.values())} in {dict(nans.most_common(12))}")  # fmt: skip
    report = {"device": driver.name, "programs": len(made) * SECTIONS, "forms": len(alphabet), "different": {k: v[:4] for k, v in bad.items()}, "nans": nans}
    (pathlib.Path(os.environ.get("OUT", ".")) / "ptx_programs.json").write_text(json.dumps(report, indent=1))
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
