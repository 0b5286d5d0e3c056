"""Handlers of MFMA and SMFMAC instructions, from the fragment maps of the rows. Source: AMD Instinct MI300 ISA, section 7."""

from __future__ import annotations

from avelang.sim.amdgcn.translator import Handler

TABLE: dict[str, Handler] = {}
