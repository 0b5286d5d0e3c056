"""Every mnemonic of each chip, as LLVM's assembler has them: which are executed, and which are not, with the reason."""

from __future__ import annotations

import re

import pytest
from tests.sim.amdgcn.mnemonics import CHIPS, known, read
from tests.sim.amdgcn.programs import run_program
from tests.tools import need

from avelang.base.errors import AveError
from avelang.sim.amdgcn.mfma import ALIASES
from avelang.sim.amdgcn.table import HANDLERS

NAMES = read()
# What is not executed, whatever its operands: a pattern of mnemonics, an instruction, and what the wave says that meets it.
NOT_EXECUTED = {
    r"ds_gws_.*": ("ds_gws_barrier v0 gds", "global wave sync"),
    r"s_cbranch_([gi]_fork|join)": ("s_cbranch_join s0", "branch stack"),
    r"s_setvskip": ("s_setvskip s0, s1", "skipping of vector instructions"),
    r"s_rfe(_restore)?_b64": ("s_rfe_b64 s[0:1]", "no trap handler"),
    r"s_endpgm_ordered_ps_done": ("s_endpgm_ordered_ps_done", "shaders of pixels"),
    r"s_dcache_discard(_x2)?": ("s_dcache_discard s[0:1], 0x0", "not defined"),
    r"t?buffer_(load|store)_format_.*": ("buffer_load_format_x v0, v1, s[0:3], 0 idxen", "buffer formats"),
    r"v_screen_partition_4se_b32": ("v_screen_partition_4se_b32 v0, v1", "screen's parts"),
}


@pytest.mark.parametrize("chip", CHIPS)
def test_each_mnemonic_has_a_handler(chip):
    lacking = sorted(n for n in NAMES[chip] if ALIASES[chip].get(n, n) not in HANDLERS)
    assert not lacking
    assert len(NAMES[chip]) > {"gfx942": 1150, "gfx950": 1250}[chip]


@pytest.mark.parametrize("pattern", NOT_EXECUTED)
def test_what_is_not_executed_says_why(pattern):
    text, why = NOT_EXECUTED[pattern]
    assert any(re.fullmatch(pattern, n) for n in NAMES["gfx950"]) and re.fullmatch(pattern, text.split()[0])
    with pytest.raises(AveError, match=rf"\[X021\].*{why}"):
        run_program(text, {"s[0:1]": 0})


@pytest.mark.parametrize("chip", CHIPS)
def test_the_list_is_the_assembler_s(chip):
    """The assembler takes each of them, with one of its encodings, and none that is another chip's alone."""
    tool = need("llvm-mc")
    every = sorted(set().union(*NAMES.values()))
    spelled = [n + form for n in every for form in ("", "_e64", "_e32")]
    taken = {n.removesuffix("_e64").removesuffix("_e32") for n in known(spelled, chip, tool)}
    assert taken == NAMES[chip]
