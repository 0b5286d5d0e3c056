"""Which instructions of the table have a handler and are not executed all the same, with the reason
(tests/isa/test_amdgpu_instructions.py: those without one)."""

from __future__ import annotations

import re

import pytest

from avelang.base.errors import AveError
from avelang.isa.amdgpu.instructions import names
from sim.amdgcn.programs import run_program

# What is not executed, whatever its operands: a pattern of mnemonics, an instruction, and what the wave says that meets
# it.
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


@pytest.mark.parametrize("pattern", NOT_EXECUTED)
def test_what_is_not_executed_says_why(pattern):
    text, why = NOT_EXECUTED[pattern]
    assert any(re.fullmatch(pattern, n) for n in names("gfx950")) and re.fullmatch(pattern, text.split()[0])
    with pytest.raises(AveError, match=rf"\[X021\].*{why}"):
        run_program(text, {"s[0:1]": 0})
