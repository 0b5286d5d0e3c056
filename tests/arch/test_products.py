"""What chips have, for models: the peak rates that follow, against those that vendors print; what is not known."""

import dataclasses

import pytest

from avelang.arch import CHIPS, product
from avelang.arch.facts import ASSUMED_L2
from avelang.base.errors import AveError
from avelang.tile import mmas

# TFLOP/s (i8: TOP/s) without sparsity: AMD CDNA 3 white paper, endnote MI300-11 (MI250X: of both dies); MI355X, T4,
# A100, A40, L40, H200 data sheets; B200: Together AI, "FlashAttention-4".
PEAKS = {
    ("gfx90a", "bf16"): 383.0 / 2, ("gfx942", "bf16"): 1307.4, ("gfx942", "i8"): 2614.9,
    ("gfx942", "f8e4m3fnuz"): 2614.9, ("gfx950", "bf16"): 2516.6,
    ("gfx950", "f8e4m3fn"): 5033.2, ("sm_75", "f16"): 65.1, ("sm_75", "i8"): 130.3, ("sm_80", "bf16"): 312.0,
    ("sm_80", "i8"): 624.0,
    ("sm_100a", "bf16"): 2250.0, ("sm_100a", "f8e4m3fn"): 4500.0, ("sm_86", "f16"): 149.7, ("sm_89", "f16"): 362.1, ("sm_90a", "bf16"): 989.4, ("sm_90a", "f8e4m3fn"): 1978.9,
}  # fmt: skip


@pytest.mark.parametrize(("chip", "dtype"), PEAKS, ids=str)
def test_peak_rates_are_those_in_print(chip, dtype):
    u = product(chip)
    if u.rate is None:
        fits = [x for x in mmas(chip) if x.dtypes[0] == x.dtypes[1] and x.dtypes[0].name == dtype and not x.virtual]
        each = max(x.work / x.cycles(chip) for x in fits)
    else:
        each = u.rate * 2 / (1 if dtype in ("i8", "f8e4m3fn") else 2)
    assert 2 * each * u.pipes * u.count * u.clock / 1e12 == pytest.approx(PEAKS[chip, dtype], rel=0.005)


def test_bandwidths():
    """L2 of MI250X: 6.96 TB/s a die at 1.7 GHz (AMD CDNA 2 white paper, endnotes)."""
    assert product("gfx90a").l2_clock * 110 * 1.7e9 == pytest.approx(6.96e12, rel=0.002)
    assert product("gfx942").memory_clock * 304 * 2.1e9 == pytest.approx(5.3e12)
    assert product("sm_80").l2_clock * 108 == 5120
    assert product("sm_75").l2 is None and product("sm_75").l2_clock == ASSUMED_L2 == product("sm_80").l2_clock


def test_who_has_numbers(monkeypatch):
    assert all(c.product for c in CHIPS.values()) and product("sm_90").name == "H200"
    monkeypatch.setitem(CHIPS, "sm_86", dataclasses.replace(CHIPS["sm_86"], product=None))
    for name, code in (("sm_86", "U103"), ("gfx1100", "U101")):
        with pytest.raises(AveError) as e:
            product(name)
        assert e.value.code == code
