"""PTX for every NVIDIA chip, and golden PTX of the tutorial kernels: ptxas takes it with warnings as errors, and no
register is spilled."""

from __future__ import annotations

import functools
import pathlib
import re
import subprocess

import ml_dtypes
import numpy as np
import pytest
from benchmarks import mma_gemm
from examples import gemm_ladder

import golden
import tools
from avelang.arch import CHIPS
from avelang.runtime import ptxas, resources
from emit.llvm import nvptx_tutorial
from emit.llvm.gpu import assembly
from emit.llvm.test_nvptx import KERNELS
from isa import hopper_kernels
from runtime import nvidia_kernels

WARP, SQUARE = (32, 1, 1), (16, 16, 1)
GEMMS = ("fixed", "sized", "guarded")
LADDER = ("naive", "shared_memory", "vectorized")
# Kernel, block, constexprs, and the oldest chip that has all that it needs.
EVERY = {
    **{name: (*given, "sm_75") for name, given in KERNELS.items()},
    **{f"tutorial_{name}": (getattr(nvptx_tutorial, name), WARP, {}, "sm_80") for name in GEMMS},
    **{f"ladder_{name}": (getattr(gemm_ladder, name), SQUARE, {}, "sm_75") for name in LADDER},
    "cp_async_pipeline": (hopper_kernels._pipeline, WARP, {}, "sm_80"),
    "mma_gemm": (mma_gemm.mma_gemm, (mma_gemm.THREADS, 1, 1), {"BM": 64, "BN": 64}, "sm_80"),
    "mbarrier_roles": (hopper_kernels._roles, (64, 1, 1), {}, "sm_90"),
    "warp_specialized_gemm": (hopper_kernels._gemm, (384, 1, 1), {}, "sm_90a"),
}
EVERY["tensor_cores"] = (*KERNELS["tensor_cores"], "sm_80")
EVERY["big_tile"] = (*KERNELS["big_tile"], "sm_80")
STRICT = ("-v", "-Werror", "--warn-on-spills", "--warn-on-local-memory-usage")


@functools.cache
def targets() -> frozenset[str]:
    """The architectures that the installed ptxas knows."""
    said = subprocess.run([tools.need("ptxas"), "--help"], capture_output=True, text=True, check=True).stdout
    return frozenset(re.findall(r"'(sm_\w+)'", said))


def strict(text: str, chip: str, folder: pathlib.Path) -> tuple[int, str]:
    """(status, what it says) of ptxas, warnings being errors."""
    source = folder / "k.ptx"
    source.write_text(text)
    command = [tools.need("ptxas"), f"-arch={chip}", *STRICT, str(source), "-o", str(folder / "k.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr + done.stdout


def ptx(name: str, chip: str) -> str:
    kernel, block, constexprs, _ = EVERY[name]
    return assembly(kernel, chip, block, **constexprs)


@pytest.mark.parametrize("chip", [c.name for c in CHIPS.values() if c.vendor == "nvidia"])
def test_every_target(chip, tmp_path):
    if chip not in targets():
        pytest.skip(f"the ptxas here makes no code for {chip}; it knows {', '.join(sorted(targets()))}")
    done = 0
    for name, (*_, oldest) in EVERY.items():
        if oldest in CHIPS[chip].features:
            text = ptx(name, chip)
            assert f".target {chip}\n" in text
            status, said = strict(text, chip, tmp_path)
            assert status == 0, f"{name}: {said}"
            found = ptxas.report(said, re.search(r"\.entry (\w+)", text)[1], text)
            assert (
                found["spills"] == [0, 0]
                and found["registers"] > 0
                and not [r for r in found["remarks"] if ptxas.LOSS in r[1]]
            ), (name, said)
            done += 1
    assert done >= 11, "the kernels that even sm_75 has"


def test_the_oldest_chips_are_the_oldest():
    """Each kernel's mark is true: the chip before it lacks something."""
    from avelang.base.errors import AveError

    before = {"sm_80": "sm_75", "sm_90": "sm_89", "sm_90a": "sm_90"}
    for name, (*_, oldest) in EVERY.items():
        if oldest in before:
            with pytest.raises(AveError, match="does not exist on|of shared memory"):
                ptx(name, before[oldest])


GOLDEN = [*((f"tutorial_{name}", "sm_80") for name in GEMMS), *((f"ladder_{name}", "sm_75") for name in LADDER)]


@pytest.mark.golden
@pytest.mark.parametrize(("name", "chip"), GOLDEN)
def test_golden(name, chip, tmp_path):
    """The text is as it was, and ptxas takes the file as it stands."""
    file = f"nvptx/{name}.{chip}.ptx"
    golden.check(file, ptx(name, chip))
    status, said = strict((golden.FOLDER / file).read_text(), chip, tmp_path)
    assert status == 0 and "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in said, said


@pytest.mark.skipif(golden.accepting(), reason="accepting golden files")
def test_a_broken_emitter_is_noticed(monkeypatch):
    """Operands of mma.sync in the wrong order: legal PTX, another product."""
    from avelang.emit.llvm import rows

    real = rows._operand
    monkeypatch.setattr(rows, "_operand", lambda *args: real(*args)[::-1])
    with pytest.raises(AssertionError, match="differs"):
        golden.check("nvptx/tutorial_fixed.sm_80.ptx", ptx("tutorial_fixed", "sm_80"))


def test_strict_is_strict(tmp_path):
    """What is refused: a spill, a broken instruction, an older target."""
    text = resources.ptx(nvidia_kernels.crowded, {}, (1024, 1, 1), "sm_80")
    status, said = strict(text, "sm_80", tmp_path)
    assert status != 0 and "spill" in said.lower(), said
    text = (golden.FOLDER / "nvptx" / "tutorial_fixed.sm_80.ptx").read_text()
    assert strict(text.replace("mma.sync.aligned.m16n8k16", "mma.sync.aligned.m16n8k17"), "sm_80", tmp_path)[0] != 0
    assert strict(text.replace(".target sm_80", ".target sm_75"), "sm_80", tmp_path)[0] != 0


@pytest.mark.parametrize(
    ("name", "m", "n", "k"),
    [("fixed", 128, 128, 128), ("sized", 64, 96, 48), ("guarded", 50, 37, 40), ("guarded", 1, 33, 8)],
)
def test_the_tutorial_kernels_multiply(name, m, n, k):
    """On the CPU, against NumPy in float64."""
    rng = np.random.default_rng()
    a, b = (rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in ((m, k), (n, k)))
    c = np.full((m, n), np.nan, np.float32)
    sizes = () if name == "fixed" else (m, n, k)
    getattr(nvptx_tutorial, name)[lambda: ((-(-n // 32), -(-m // 32)), WARP)](a, b, c, *sizes, target="sm_80")
    a, b = a.astype(np.float64), b.astype(np.float64)
    assert (np.abs(c - a @ b.T) <= 1e-5 * (np.abs(a) @ np.abs(b).T)).all()
