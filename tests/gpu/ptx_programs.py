"""The generated PTX programs of `tests/sim/ptx` on a real GPU: the same text, assembled by the CUDA driver, against the executor bit by bit, and
against the results that were computed independently.

    python3 tests/gpu/ptx_programs.py [--modules 40] [--seed 0] [--chip sm_90a]

Every form once, then so many modules of 16 random programs. NaNs count as equal where both are one; how often their bits differ is said at the end. The
approximate forms (.approx, .full) may differ by what the PTX ISA allows; their greatest errors are said as parts of that. What a known fault of the
assembler explains exactly (`tests/sim/ptx/faults.py`) is counted apart. Prints a line for each form that differs and writes ptx_programs.json to the
folder that the variable OUT names, or here. Exit status 1 when anything else differs. Needs NumPy, ml_dtypes and llvmlite; no torch.
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
from sim.ptx import faults, programs  # noqa: E402
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


class Counts:
    """What may differ: how often both have a NaN in different bits (`nans`), and last bits of approximate results (`last_bits`), by form; `errors`: the
    greatest error of each approximate form, 1.0 being what is allowed; `known`: lanes that a fault of the assembler explains."""

    def __init__(self) -> None:
        self.nans: collections.Counter[str] = collections.Counter()
        self.last_bits: collections.Counter[str] = collections.Counter()
        self.known: collections.Counter[str] = collections.Counter()
        self.errors: dict[str, float] = {}

    def add(self, made: programs.Made, here: np.ndarray, device: np.ndarray, bad: set[tuple[int, int, int]]) -> None:
        """`bad`: (section, slot, lane) of what may not differ, and so is not counted."""
        for k, steps in enumerate(made.steps):
            for step in (s for s in steps if s.form.outs[0].removesuffix("x2") in F):
                (at,), form = step.outs, step.form
                for lane in np.flatnonzero(here[k, at] != device[k, at]).tolist():
                    if (k, at, lane) not in bad:
                        (self.last_bits if form.near else self.nans)[form.name] += 1
                if form.near is not None:
                    self._error(made, k, step, device[k, at])

    def _error(self, made: programs.Made, section: int, step: programs.Step, got: np.ndarray) -> None:
        f = F[step.form.outs[0]]
        for lane in range(programs.LANES):
            value, args = int(got[lane]) & (1 << f.bits) - 1, [int(made.inputs[section, a, lane]) for a in step.ins]
            ran = step.test < 0 or made.inputs[section, step.test, lane]
            if ran and not any(f.is_nan(v) or f.is_inf(v) or f.flushed(v) != v or not v << 1 & (1 << f.bits) - 1 for v in (value, *args)):
                assert step.form.near is not None
                self.errors[step.form.name] = max(self.errors.get(step.form.name, 0.0), step.form.near.share(f, value, *args))


def version(driver: Driver) -> faults.Version:
    """Of the driver's CUDA, whose assembler makes the code."""
    number = ctypes.c_int()
    driver.call("cuDriverGetVersion", ctypes.byref(number))
    return number.value // 1000, number.value % 1000 // 10


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
    counts, cuda = Counts(), version(driver)
    for m in made:
        device, here = on_device(driver, m), executed(m)
        for name, want in (("device against the rules", m.want), ("device against the executor", here)):
            held = programs.Made(m.text, m.inputs, want, m.steps)
            wrong = list(programs.wrong(held, device))
            left, known = faults.unexplained(held, device, wrong, cuda)
            for d in left:
                bad.setdefault(f"{name}: {d.step.form.name}", []).append(d.text)
        counts.known += known
        counts.add(m, here, device, {(d.section, d.at, d.lane) for d in wrong})
    for name, lines in sorted(bad.items()):
        print(f"FAIL {name}: {len(lines)} times, such as {lines[0]}")
    for what, lanes in counts.known.items():
        print(f"known fault of the assembler of CUDA {cuda[0]}.{cuda[1]}: {what}: {lanes} lanes")
    print(f"greatest errors of approximate forms, as parts of what the ISA allows: {', '.join(f'{k} {v:.2f}' for k, v in sorted(counts.errors.items()))}")
    print(f"{driver.name}, CUDA {cuda[0]}.{cuda[1]}: {len(made) * SECTIONS} programs, {len(alphabet)} forms; {len(bad)} differences by form; NaNs of other "
          f"bits: {sum(counts.nans.values())} in {dict(counts.nans.most_common(12))}; last bits of approximate results: {sum(counts.last_bits.values())}")  # fmt: skip
    report = {
        "device": driver.name, "cuda": f"{cuda[0]}.{cuda[1]}", "programs": len(made) * SECTIONS, "forms": len(alphabet),
        "different": {k: v[:4] for k, v in bad.items()}, "known": counts.known, "nans": counts.nans, "last_bits": counts.last_bits, "errors": counts.errors,
    }  # fmt: skip
    (pathlib.Path(os.environ.get("OUT", ".")) / "ptx_programs.json").write_text(json.dumps(report, indent=1))
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
