"""Small CUDA C++ programs, drawn with seeds, and what NumPy computes of the same description; as a script, nvcc's PTX
of them.

    python -m sim.ptx.nvcc_programs          (PYTHONPATH=src:tests; writes tests/sim/ptx/nvcc)

nvcc is found as tests/nvptx/make_samples.py says. Floats are of exactly rounded operations only and compiled with
-fmad=false: results are exact. """

from __future__ import annotations

import dataclasses
import functools
import gzip
import hashlib
import pathlib
import subprocess
import tempfile
import zlib
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sim.ptx import nvcc_values as values
from sim.ptx.nvcc_flow import flow
from sim.ptx.nvcc_values import (
    BITS32,
    BITS64,
    CTYPES,
    DTYPES,
    INTS,
    OPS,
    Lines,
    N,
    bits,
    drawn,
    exact,
    integer,
    rounded,
    whole,
    wrapped,
)

HERE = pathlib.Path(__file__).resolve().parent / "nvcc"
CHIPS = ("sm_80", "sm_90a")
FLAGS = ("-std=c++17", "-fmad=false", "-w")


@dataclasses.dataclass
class Made:
    """A program: kernel NAME(a, b, ..., o) over `inputs` (C type, array) writes `want`, an array of the C type `to`."""

    name: str
    body: list[str]
    inputs: list[tuple[str, np.ndarray]]
    to: str
    want: np.ndarray
    first: np.ndarray | None = None  # what `o` holds before
    before: str = ""  # functions and variables
    grid: int = 2
    block: int = N // 2

    def cuda(self) -> str:
        params = [f"const {c}* {'abcd'[k]}" for k, (c, _) in enumerate(self.inputs)]
        head = f'extern "C" __global__ void {self.name}({", ".join([*params, f"{self.to}* o"])}) {{'
        lines = ["const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;", *self.body]
        return "\n".join([*([self.before] if self.before else []), head, *("    " + line for line in lines), "}", ""])


Maker = Callable[[str, np.random.Generator, int], Made]
FAMILIES: dict[str, tuple[Maker, int]] = {}


def family(name: str, count: int) -> Callable[[Maker], Maker]:
    def keep(maker: Maker) -> Maker:
        FAMILIES[name] = maker, count
        return maker

    return keep


def started(rng: np.random.Generator, *types: str) -> tuple[Lines, list[tuple[str, np.ndarray]]]:
    """Lines that have read one element of an input of each type."""
    s, inputs = Lines(rng), []
    for k, t in enumerate(types):
        raw = drawn(rng, t)
        inputs.append((CTYPES[t], raw))
        read = (raw.astype(np.uint32) << 16).view(np.float32) if t == "bf16" else raw
        s.let(t, f"{'abcd'[k]}[i]", read.astype(np.float64) if t in ("f16", "bf16", "f32", "f64") else read)
    return s, inputs


def ended(name: str, s: Lines, inputs: list, t: str, count: int = 3) -> Made:
    """Stores the last values of the type."""
    last = [v for v in s.values if v.t == t][-count:]
    body = [*s.lines, *(f"o[{k * N} + i] = {v.text};" for k, v in enumerate(last))]
    return Made(name, body, inputs, CTYPES[t], np.concatenate([v.v if t in INTS else exact(v.v, t) for v in last]))


@family("int", 48)
def integers(name: str, rng: np.random.Generator, k: int) -> Made:
    t = INTS[k % 8]
    s, inputs = started(rng, t, t, t)
    order = rng.permutation(len(OPS))
    for j in range(9):
        integer(s, t, OPS[order[j]])
    return ended(name, s, inputs, t, 4)


@family("divide", 8)
def divisions(name: str, rng: np.random.Generator, k: int) -> Made:
    t = INTS[k % 8]
    s, inputs = started(rng, t, t, t)
    for j in range(6):
        values.divided(s, t, j % 2 == 1)
        integer(s, t, ("^", "+")[j % 2])
    return ended(name, s, inputs, t, 20)


@family("mixed", 8)
def mixed(name: str, rng: np.random.Generator, k: int) -> Made:
    """Values of several types, cast to each other."""
    types = [INTS[j] for j in rng.permutation(8)[:4]]
    s, inputs = started(rng, *types)
    for _ in range(4):
        for t, then in zip(types, types[1:] + types[:1], strict=True):
            v = integer(s, t, OPS[s.below(len(OPS))])
            s.let(then, f"({CTYPES[then]}){v.text}", v.v.astype(DTYPES[then]))
    return ended(name, s, inputs, types[0])


@family("bits", 16)
def bit_operations(name: str, rng: np.random.Generator, k: int) -> Made:
    t, table = ("u64", BITS64) if k % 3 == 2 else ("u32", BITS32)
    s, inputs = started(rng, t, t, t)
    names = list(table)
    for j in range(6):
        values.intrinsic(s, t, names[(k * 5 + j * 3) % len(names)])
        if j % 2:
            integer(s, t, ("+", "^", "*")[j // 2])
    return ended(name, s, inputs, t, 6)


@family("float", 20)
def floating_point(name: str, rng: np.random.Generator, k: int) -> Made:
    """Even ones round to nearest, odd ones in all ways."""
    t = ("f32", "f64")[k // 2 % 2]
    s, inputs = started(rng, t, t, t)
    for op in rng.permutation(["add", "sub", "mul", "fma", "add", "mul", "fma", "sqrt", "div", "min", "max"])[:7]:
        values.floating(s, t, str(op), ("rn", "rz", "ru", "rd")[s.below(4)] if k % 2 else "rn")
    return ended(name, s, inputs, t, 5)


@family("half", 10)
def halves(name: str, rng: np.random.Generator, k: int) -> Made:
    t = ("f16", "bf16")[k % 2]
    s, inputs = started(rng, t, t, t)
    for op in rng.permutation(["add", "sub", "mul", "fma", "add", "fma", "min", "max"])[:6]:
        values.floating(s, t, str(op), "rn")
    return ended(name, s, inputs, t, 5)


@family("convert", 16)
def conversions(name: str, rng: np.random.Generator, k: int) -> Made:
    """To integers in all roundings, saturating, and back."""
    t, short = (("f32", "float"), ("f64", "double"))[k % 2]
    to, word = (("i32", "int"), ("u32", "uint"), ("i64", "ll"), ("u64", "ull"))[k // 2 % 4]
    x = (drawn(rng, t).astype(np.float64) * 2.0 ** rng.integers(-3, 20 + bits(to), N) / 2.0**16).astype(DTYPES[t])
    back = drawn(rng, to)
    low, high = np.iinfo(DTYPES[to]).min, np.iinfo(DTYPES[to]).max
    body, wants = [], []
    for j, mode in enumerate(("rn", "rz", "rd", "ru")):
        body.append(f"o[{2 * j * N} + i] = __{short}2{word}_{mode}(a[i]);")
        wants.append(wrapped([min(max(whole(Fraction(float(v)), mode), low), high) for v in x], to))
        # which float64 holds exactly
        made = f"__{word}2{short}_{'rn' if t == 'f64' and bits(to) == 32 else mode}(b[i])"
        body.append(f"o[{(2 * j + 1) * N} + i] = "
            f"({CTYPES[to]})__{short}_as_{'longlong' if t == 'f64' else 'int'}({made});")
        floats = np.array([rounded(Fraction(int(v)), t, mode) if v else 0.0 for v in back]).astype(DTYPES[t])
        wants.append(floats.view(f"i{bits(t) // 8}").astype(DTYPES[to]))
    return Made(name, body, [(CTYPES[t], x), (CTYPES[to], back)], CTYPES[to], np.concatenate(wants))


@family("flow", 24)
def control(name: str, rng: np.random.Generator, k: int) -> Made:
    a, b = drawn(rng, "u32"), drawn(rng, "u32")
    body, want = flow(rng, a, b)
    return Made(name, body, [("unsigned", a), ("unsigned", b)], "unsigned", want)


def names() -> list[str]:
    """Of all programs."""
    import sim.ptx.nvcc_threads as _threads  # noqa: F401  its families register themselves

    return [f"{name}_{k}" for name, (_, count) in FAMILIES.items() for k in range(count)]


@functools.cache
def program(name: str) -> Made:
    """One program, of its own seed."""
    family_name, _, k = name.rpartition("_")
    with np.errstate(all="ignore"):
        return FAMILIES[family_name][0](name, np.random.default_rng([zlib.crc32(family_name.encode()), int(k)]), int(k))


def made() -> dict[str, Made]:
    return {name: program(name) for name in names()}


def source() -> str:
    return "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n\n" + "\n".join(p.cuda() for p in made().values())


def digest() -> str:
    """Of the C++ and the flags."""
    return hashlib.sha256("\n".join([source(), *FLAGS]).encode()).hexdigest()


def text(chip: str) -> str:
    """The stored PTX."""
    return gzip.decompress((HERE / f"programs.{chip}.ptx.gz").read_bytes()).decode()


def compile_all() -> None:
    from nvptx.make_samples import nvcc

    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "programs.cu").write_text(source())
        for chip in CHIPS:
            subprocess.run([nvcc(), "-ptx", f"-arch={chip}", *FLAGS, "programs.cu", "-o", "out.ptx"], cwd=folder,
                check=True)
            ptx = (pathlib.Path(folder) / "out.ptx").read_text().replace(folder, "nvcc")
            (HERE / f"programs.{chip}.ptx.gz").write_bytes(gzip.compress(ptx.encode(), mtime=0))
            print(chip, len(ptx.splitlines()), "lines")
    (HERE / "sources.sha256").write_text(digest() + "\n")


if __name__ == "__main__":
    import sim.ptx.nvcc_programs as this  # the module that families register with, not __main__

    this.compile_all()
