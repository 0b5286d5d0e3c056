"""Handlers of what moves values between lanes: DPP, readlane and its like, permutes. Source: AMD Instinct MI300 ISA, sections 6.5 and 11.3."""

from __future__ import annotations

from avelang.sim.amdgcn.translator import Handler

TABLE: dict[str, Handler] = {}
