"""AMD's chips as an engine that compiles and does not run: a kernel with the arguments of a launch comes in; its
assembly is looked at for each chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from avelang import arch, pipeline
from avelang.base.errors import AveError
from avelang.emit.llvm import simt_device
from avelang.frontend.build import build
from avelang.frontend.signature import signature
from avelang.runtime.arguments import Parameters
from emit.llvm.gpu import device, lane_loops, metadata

AMD = tuple(c.name for c in arch.CHIPS.values() if c.vendor == "amd")
ELSEWHERE = ("U110", "U103")  # an intrinsic, or a form of it, that other chips have


def constexprs(kernel: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The compile-time values of a launch."""
    source = kernel.source
    return (
        Parameters(source.name, signature(source), None, source.fn.__code__.co_argcount).bind(args, kwargs).constexprs
    )


def compile_only(
    kernel: Any, block: tuple[int, int, int], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, str]:
    """The kernel's assembly for every AMD chip that has its intrinsics. All of it must be in registers: no scratch
    memory, no spills, no loops over lanes."""
    out: dict[str, str] = {}
    values = constexprs(kernel, args, kwargs)
    for chip in AMD:
        if kwargs.get("target") not in (None, *AMD):
            continue
        try:
            made = simt_device.program(
                pipeline.gpu(build(kernel.source, values, arch.chip(chip)), block), arch.chip(chip)
            )
        except AveError as e:
            assert e.code in ELSEWHERE, (chip, e)
            continue
        out[chip] = text = device(chip).assembly(made.text)
        for name in ("private_segment_fixed_size", "vgpr_spill_count", "sgpr_spill_count"):
            assert metadata(text, name) == 0, (chip, name, text)
        assert not lane_loops(text), (chip, text)
    return out
