"""Operations on views, as JAX's calls on a GPU make them, without JAX and a GPU: host functions get views of torch's
tensors, with strides and gaps, and new memory that holds NaN.

    python tests/ops/views.py FAMILY[@CHIP] ...    one drawn call of each family; a line for each that is wrong
    python tests/ops/views.py --ranks KIND ...     drawn calls of several ranks, of the kinds of tests/gpu/dist_one_card.py"""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import random
import sys
from typing import Any

import numpy as np
import pytest
import torch

from avelang.bridge import alignment, registry
from avelang.bridge.descriptions import ave_dtype
from avelang.bridge.device_views import ALIGNED, DeviceView
from avelang.ir.dtypes import numpy_dtype
from avelang.runtime.arguments import BoundArguments, Parameters
from avelang_kernels import arrays

CALLS: list[str] = []  # of host functions, by name
CHECKS = Parameters.check_writable


class Room:
    """New memory for views, on a device of torch's, all ones: a NaN in each dtype of floats."""

    def __init__(self, device: torch.device | str) -> None:
        self.device = torch.device(device)
        self.taken: list[torch.Tensor] = []

    def take(self, size: int) -> int:
        self.taken.append(torch.full((size + ALIGNED,), 255, dtype=torch.uint8, device=self.device))
        return -(-self.taken[-1].data_ptr() // ALIGNED) * ALIGNED


def view_of(x: Any, room: Any) -> Any:
    """A view of a tensor of torch's; anything else as it is."""
    if not isinstance(x, torch.Tensor):
        return x
    kind = numpy_dtype(ave_dtype(str(x.dtype).split(".")[-1]))
    place = "cpu" if x.device.type == "cpu" else f"cuda:{x.device.index or 0}"
    return DeviceView(x.data_ptr(), tuple(x.shape), kind, place, tuple(s * kind.itemsize for s in x.stride()), room)


def as_on_a_gpu(parameters: Parameters, bound: BoundArguments, written: frozenset[str]) -> None:
    """The checks before a launch, and that arguments begin where a GPU takes them."""
    CHECKS(parameters, bound, written)
    parameters.check_aligned(bound, 16, {}, {})


def wrap(operation: Any) -> None:
    """From now on the host function of an operation, that torch has not called yet, gets views."""
    host = operation.host

    def called(*given: Any, **options: Any) -> Any:
        CALLS.append(operation.full_name)
        if any(isinstance(x, DeviceView) for x in given):  # a host function calls it
            return host(*given, **options)
        room = Room(next(x.device for x in given if isinstance(x, torch.Tensor)))
        stream: Any = contextlib.nullcontext()
        if room.device.type == "cuda":
            from avelang.runtime import streams

            stream = streams.entered(torch.cuda.current_stream(room.device).cuda_stream)
        with stream, pytest.MonkeyPatch.context() as patch:
            patch.setattr(Parameters, "check_writable", as_on_a_gpu)
            return host(*(view_of(x, room) for x in given), **options)

    operation.host = called


def wrap_all() -> None:
    """The same for all operations of one device."""
    import avelang.ops

    alignment.on_gpu = arrays.on_gpu = lambda x: True  # what a GPU cannot read is copied
    for name in avelang.ops.__all__:
        getattr(avelang.ops, name)  # it is imported when it is asked for
    for operation in list(registry.OPERATIONS.values()):
        wrap(operation)


def ranks(kinds: list[str], draws: int = 3) -> int:
    """Calls of several ranks, whose symmetric memory is views too, as it is where GPUs are ranks under JAX."""
    from avelang.dist.world import WorldMember
    from avelang_kernels.dist import exchange
    from gpu import dist_one_card

    def seen(member: WorldMember, heap: Any, offset: int, shape: Any, dtype: Any) -> DeviceView:
        return DeviceView(heap.ctypes.data + offset, tuple(shape), np.dtype(dtype), "cpu")

    wrap_all()
    setattr(WorldMember, "view", seen)
    bad = 0
    for kind, i in itertools.product(kinds, range(draws)):
        what, program, wanted, _ = dist_one_card.KINDS[kind](team := dist_one_card.Team(2 + i % 3, True), random.Random(f"{kind} {i}"))

        def run(member: Any, program: Any = program) -> Any:
            exchange.COPIED = 1 << 60  # a thread of the CPU copies arrays of NumPy alone
            member.copies = False
            return program(member)

        CALLS.clear()
        for rank, pairs in enumerate(zip(team.run(run), wanted, strict=True)):
            for number, (got, want) in enumerate(zip(*pairs, strict=True)):
                if not CALLS or not bool((got.double() - want.double()).norm() <= 2.0**-5 * want.double().norm()):
                    print(f"{kind} {i}, {what}: result {number} of rank {rank} is wrong")
                    bad += 1
    return bool(bad)


def main(names: list[str]) -> int:
    sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
    if names[0] == "--ranks":
        return ranks(names[1:])
    from ops import drawn_attention, drawn_products, drawn_rows
    from ops.drawing import Draw, wrong

    wrap_all()
    families = {f.__name__: f for m in (drawn_rows, drawn_products, drawn_attention) for f in m.FAMILY}
    bad = 0
    for name in names:
        family, _, chip = name.partition("@")
        case = families[family](Draw(f"views/{name}", "cpu", 1 << 11, chip or None))
        CALLS.clear()
        found = wrong(case)[:1]
        for said in found if CALLS else ["no host function was called"]:
            print(f"{name}: {said}\n    {case.said}")
            bad += 1
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
