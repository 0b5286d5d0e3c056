"""Passes of the matrix instructions, against LLVM's scheduling model and the peak rates that AMD publishes."""

from __future__ import annotations

import re
import subprocess

import pytest

from avelang.arch import CHIPS as DESCRIPTORS
from avelang.base.errors import AveError
from avelang.isa.amdgpu.instructions import MATRIX, find, names
from avelang.isa.amdgpu.mfma_rows import DENSE, mma_of
from avelang.isa.amdgpu.passes import CHIPS, CLOCKS, passes
from avelang.isa.amdgpu.sparse import SPARSE
from tools import compiler, need

# Registers of 32 bits that a lane's part of a matrix takes, by the type's name.
BITS = {"f16": 16, "bf16": 16, "f32": 32, "xf32": 32, "f64": 64, "i8": 8, "fp8": 8, "bf8": 8}


def registers(first: int, n: int) -> str:
    return f"v[{first}:{first + n - 1}]" if n > 1 else f"v{first}"


def line(mnemonic: str, c: int, a: int, b: int) -> str:
    last = "v252" if "smfmac" in mnemonic else registers(100, c)
    return f"{mnemonic} {registers(100, c)}, {registers(0, a)}, {registers(32, b)}, {last}"


def spelled(d, chip: str) -> str:
    """The mnemonic of a dense row on a chip."""
    if chip != "gfx90a":
        return f"v_{d.name}"
    return f"v_mfma_{d.acc}_{d.m}x{d.m}x{d.k}{d.a}" + ("_1k" if d.llvm.endswith(".1k") else "")


def lines(chip: str) -> list[tuple[str, str]]:
    """(name of the row, or mnemonic; a line of assembly) of all that the chip has."""
    features, out = DESCRIPTORS[chip].features, []
    for d in DENSE:
        if d.needs in features and "f8f6f4" not in d.llvm:
            m = mma_of(d)
            words = [
                max(1, f.slots * BITS[t] // 32)
                for f, t in ((m.c, "f64" if d.acc == "f64" else "f32"), (m.a, d.a), (m.b, d.b))
            ]
            out.append((d.name, line(spelled(d, chip), *words)))
    for s in (s for s in SPARSE if s.needs in features):
        words = [s.mma.c.slots, s.mma.a.slots * BITS[s.a] // 32, s.mma.b.slots * BITS[s.b] // 32]
        mnemonic = f"v_smfmac_{s.acc}_{s.m}x{s.m}x{s.k}_{s.inputs}"
        out.append((mnemonic, line(mnemonic, *words)))
    if chip == "gfx950":
        out += [("v_mfma_f32_16x16x128_f8f6f4", line("v_mfma_f32_16x16x128_f8f6f4", 4, 4, 4) + " cbsz:4 blgp:4"),
                ("v_mfma_f32_32x32x64_f8f6f4", line("v_mfma_f32_32x32x64_f8f6f4", 16, 4,
                    4) + " cbsz:4 blgp:4")]  # fmt: skip
    return out


@pytest.mark.parametrize("chip", CHIPS)
def test_llvm_schedules_every_shape_alike(chip):
    """llvm-mca's reciprocal throughput of a matrix instruction is the passes; its latency is four cycles more."""
    rows = lines(chip)
    assert len(rows) == {"gfx90a": 27, "gfx942": 46, "gfx950": 66}[chip]
    command = [need("llvm-mca"), "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-iterations=1", "-"]
    out = subprocess.run(
        command, input="\n".join(text for _, text in rows) + "\n", capture_output=True, text=True, check=True
    ).stdout
    found = re.findall(r"^ 1 +(\d+) +([\d.]+) .*?(v_s?mfma\w*)", out.split("Instructions:\n")[1], re.M)
    assert len(found) == len(rows)
    for (name, text), (latency, throughput, mnemonic) in zip(rows, found, strict=True):
        formats = (4, 4) if "cbsz:4" in text else (0, 0)
        want = passes(name, chip, formats)
        assert float(throughput) == want == int(latency) - 4, text
        assert passes(mnemonic, chip, formats) == want, mnemonic
        assert find(mnemonic, chip).unit == MATRIX and mnemonic in text  # type: ignore[union-attr]


# Chip: compute units, GHz, and peak dense rates in units of 1e12 a second by type (AMD data sheets: MI250X per die,
# MI300X, MI355X).
PEAKS = {
    "gfx90a": (110, 1.7, {"f16": 191.5, "bf16": 191.5, "f32": 47.9, "f64": 47.9, "i8": 191.5}),
    "gfx942": (
        304,
        2.1,
        {"f16": 1307.4, "bf16": 1307.4, "xf32": 653.7, "f32": 163.4, "f64": 163.4, "fp8": 2614.9, "i8": 2614.9},
    ),
    "gfx950": (
        256,
        2.4,
        {"f16": 2516.6, "bf16": 2516.6, "f32": 157.3, "f64": 78.6, "fp8": 5033.2, "i8": 5033.2, "fp4": 10066.3},
    ),
}


@pytest.mark.parametrize("chip", CHIPS)
def test_best_shape_reaches_the_published_peak(chip):
    units, ghz, peaks = PEAKS[chip]
    best: dict[str, float] = {}
    for name in names(chip):
        shape = re.fullmatch(r"v_mfma_[fi]\d\d_(\d+)x\d+x(\d+)_?(?:\d+b_)?([a-z]+\d+f?\d?f?\d?)(_\w+)?", name)
        if shape is None:
            continue
        m, k, kind, n = (
            int(shape[1]),
            int(shape[2]),
            shape[3].replace("bf8", "fp8"),
            find(name, chip).passes[CHIPS.index(chip)],
        )  # type: ignore[union-attr]
        if m > 4 and "b_" not in name:
            rate = (
                2 * m * m * k * 4 * units * ghz / (n * CLOCKS) / 1000
            )  # blocks left out: instructions of one block are the best
            kinds = {"f8f6f4": ("fp8", "fp4")}.get(kind, (kind,))
            for name, factor in zip(kinds, (1, 2), strict=False):
                best[name] = max(best.get(name, 0), rate * factor)
    assert best.keys() == peaks.keys()
    for kind, rate in peaks.items():
        assert best[kind] == pytest.approx(rate, rel=2e-3), kind


def test_narrow_operands_take_half_the_time_where_both_are():
    for name, n in (("v_mfma_scale_f32_16x16x128_f8f6f4", 8), ("v_mfma_f32_32x32x64_f8f6f4", 16)):
        got = {(a, b): passes(name, "gfx950", (a, b)) for a in range(5) for b in range(5)}
        assert got == {(a, b): n if a < 2 or b < 2 else n // 2 for a in range(5) for b in range(5)}
    assert passes("amdgpu.mfma_f32_16x16x128_fp8_bf8", "gfx950") == 8


F8F6F4 = """
declare <{n} x float> @{name}(<{words} x i32>, <{words} x i32>, <{n} x float>,
  i32 immarg, i32 immarg, i32 immarg, i32, i32 immarg, i32)
define amdgpu_kernel void @k(ptr addrspace(1) %p, <{words} x i32> %a, <{words} x i32> %b) {{
  %r = call <{n} x float> @{name}(<{words} x i32> %a, <{words} x i32> %b, <{n} x float> zeroinitializer,
    i32 {f}, i32 {f}, i32 0, i32 0, i32 0, i32 0)
  store <{n} x float> %r, ptr addrspace(1) %p
  ret void
}}
"""


@pytest.mark.parametrize("shape,n", [("16x16x128", 4), ("32x32x64", 16)])
@pytest.mark.parametrize("code,words", [(0, 8), (4, 4)])
def test_llvm_waits_as_long_by_format(shape, n, code, words):
    """Of f8f6f4 instructions llvm-mca takes the shorter time whatever the format; the compiler, which puts `s_nop`
    between a product and the store of it, does not: passes and four more (CDNA4 ISA guide, section 7.6, XDL write to
    memory read)."""
    name = f"llvm.amdgcn.mfma.scale.f32.{shape}.f8f6f4.v{words}i32.v{words}i32"
    out = subprocess.run(
        compiler("gfx950"), input=F8F6F4.format(name=name, n=n, words=words, f=code), capture_output=True, text=True,
        check=True,
    ).stdout  # fmt: skip
    between = re.search(r"v_mfma_f32_\w+_f8f6f4 [^\n]*\n(.*?)\tglobal_store", out, re.S)
    assert between is not None
    waited = sum(
        int(x[6:]) + 1 if x.startswith("s_nop") else 1 for x in between[1].split("\n\t") for x in [x.strip()] if x
    )
    assert waited == passes(f"v_mfma_f32_{shape}_f8f6f4", "gfx950", (code, code)) + 4


def test_names_of_rows_and_their_aliases():
    for d in DENSE:
        for chip in CHIPS:
            if d.needs in DESCRIPTORS[chip].features:
                assert len({passes(n, chip) for n in (d.name, f"amdgpu.{d.name}", *d.aliases)}) == 1


@pytest.mark.parametrize(
    "name,chip,have",
    [("v_mfma_f32_16x16x8_xf32", "gfx950", "gfx942"), ("v_mfma_f32_32x32x16_bf16", "gfx942", "gfx950"),
        ("v_add_f32", "gfx942", "no chip"),
     ("v_mfma_f32_16x16x16_bf16", "sm_90a", "gfx90a, gfx942, gfx950")],
)  # fmt: skip
def test_what_a_chip_does_not_have(name, chip, have):
    with pytest.raises(AveError, match=chip) as caught:
        passes(name, chip)
    assert caught.value.code == "U110" and have in caught.value.hint
