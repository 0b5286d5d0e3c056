"""Memory: operands in brackets, parameters, shared memory; the addresses of swizzled tiles against the NumPy of the
rows."""

from __future__ import annotations

import numpy as np
import pytest
from tests.ptx.programs import lines, made

from avelang.base.errors import AveError
from avelang.isa.nvptx.swizzle import swizzled
from avelang.nvptx.printer import operand as text_of
from avelang.ptx import Tile, kernel, ptx, reg, smem
from avelang.ptx.types import b32, bf16, f16, f32, f64, u8, u32, u64


def test_addresses():
    def body():
        p, x = reg.scalar(u64), reg.scalar(b32)
        tile = smem.alloc(f32, (4, 8))
        ptx.inst.ld.global_.b32(x, ptx.addr(p))
        ptx.inst.ld.global_.b32(x, ptx.addr(ptx.addr(p, 4), 8))
        ptx.inst.ld.shared.b32(x, ptx.addr(tile))
        ptx.inst.ld.shared.b32(x, ptx.addr(tile[1], 4))
        ptx.inst.ld.shared.b32(x, ptx.addr(tile.at(2, 3)))
        ptx.inst.ld.shared.b32(x, ptx.addr(tile.pointer()))
        tile[3].pointer()

    assert lines(body) == [
        "ld.global.b32 %r0, [%ud0]", "ld.global.b32 %r0, [%ud0+12]", "ld.shared.b32 %r0, [smem]",
        "ld.shared.b32 %r0, [smem+36]",
        "ld.shared.b32 %r0, [smem+76]", "mov.u32 %u0, smem", "ld.shared.b32 %r0, [%u0]", "mov.u32 %u1, smem+96",
    ]  # fmt: skip


def test_parameters_of_every_type_are_loaded():
    @kernel(in_specs=(Tile(4, f32), u32, f32, f16, u64, f64), grid=1, block=32, arch="sm_80")
    def k(a, n, x, h, wide, d):
        ptx.global_ptrs(a)
        for argument in (n, x, h, wide, d):
            ptx.param(argument)

    text = k.ptx()
    assert [line.strip().rstrip(",") for line in text.splitlines() if line.strip().startswith(".param")] == [
        ".param .u64 k_a", ".param .u32 k_n", ".param .f32 k_x", ".param .b16 k_h", ".param .u64 k_wide",
        ".param .f64 k_d",
    ]  # fmt: skip
    assert [line.strip() for line in text.splitlines() if "ld.param" in line or "cvta" in line] == [
        "ld.param.u64 %ud0, [k_a];", "cvta.to.global.u64 %ud1, %ud0;", "ld.param.u32 %u0, [k_n];",
        "ld.param.f32 %f0, [k_x];",
        "ld.param.b16 %h0, [k_h];", "ld.param.u64 %ud2, [k_wide];", "ld.param.f64 %fd0, [k_d];",
    ]  # fmt: skip


def test_static_and_dynamic_allocations():
    def body():
        smem.alloc(f32, 16)
        smem.alloc(bf16, (8, 64), swizzle=128)
        smem.alloc(u8, 3, dynamic=True)
        second = smem.alloc(bf16, (64, 64), swizzle=128, dynamic=True)
        second.pointer()
        smem.barriers(2, name="full")

    k = made(body)
    text = k.ptx()
    assert ".extern .shared .align 1024 .b8 probe_smem[];" in text
    assert [line.strip() for line in text.splitlines() if line.startswith("    .shared")] == [
        ".shared .align 16 .b8 smem[64];", ".shared .align 1024 .b8 smem_1[1024];", ".shared .align 8 .b8 full[16];",
    ]  # fmt: skip
    assert "mov.u32 %u0, probe_smem+1024;" in text
    assert k.traced((), None).dynamic_bytes == 1024 + 64 * 64 * 2


class Machine:
    """Executes the few integer instructions that an address is made of, from their text: an independent reading of what
    was written."""

    def __init__(self, tid: int):
        self.regs: dict[str, int] = {}
        self.tid = tid

    def value(self, text: str) -> int:
        if text == "%tid.x":
            return self.tid
        if text.startswith("smem"):
            return int(text.partition("+")[2] or 0)
        return self.regs[text] if text.startswith("%") else int(text)

    def run(self, instructions: list[str]) -> int:
        for line in instructions:
            name, _, rest = line.partition(" ")
            to, *sources = rest.split(", ")
            x = [self.value(s) for s in sources]
            self.regs[to] = {
                "mov": lambda: x[0], "add": lambda: x[0] + x[1], "mad": lambda: x[0] * x[1] + x[2],
                "shr": lambda: x[0] >> x[1],
                "shl": lambda: x[0] << x[1], "and": lambda: x[0] & x[1], "xor": lambda: x[0] ^ x[1],
            }[name.partition(".")[0]]()  # fmt: skip
        return self.regs[to]


@pytest.mark.parametrize("pattern", [0, 32, 64, 128])
def test_the_address_of_an_element_is_swizzled_as_the_copy_engine_does(pattern):
    width = (pattern or 128) // 2
    places: list[str] = []

    def body():
        tile = smem.alloc(bf16, (2, 16, width), swizzle=pattern)
        row = reg.from_(ptx.special.tid.x())
        tile[1].at(row, 8)
        places.extend(text_of(tile.at(1, r, 8).node()) for r in range(16))

    written = lines(body)
    stage = 16 * width * 2
    wanted = swizzled(np.arange(16) * width * 2 + 16 + stage, pattern)
    assert [Machine(r).run(written) for r in range(16)] == wanted.tolist()
    assert [int(p.partition("+")[2] or 0) for p in places] == wanted.tolist()


def test_a_register_that_moves_along_both_dimensions():
    def body():
        tile = smem.alloc(u32, (4, 4))
        i = reg.from_(ptx.special.tid.x())
        tile.at(i, i)

    assert [Machine(t).run(lines(body)) for t in range(4)] == [t * 20 for t in range(4)]


def test_a_place_moves_by_bytes():
    def body():
        tile = smem.alloc(f32, (2, 3))
        ptx.inst.ld.shared.f32(reg.scalar(f32), ptx.addr(tile.at(1, 0) + 4))
        ptx.inst.ld.shared.f32(reg.scalar(f32), ptx.addr(tile.at(1, 0) + reg.scalar(u32)))

    assert lines(body) == [
        "ld.shared.f32 %f0, [smem+16]",
        "mov.u32 %u1, smem+12",
        "add.u32 %u2, %u1, %u0",
        "ld.shared.f32 %f1, [%u2]",
    ]


@pytest.mark.parametrize(("code", "wrong"), [
    ("T233", lambda: ptx.addr(reg.scalar(f32))),
    ("T233", lambda: ptx.addr(reg.scalar(u64), reg.scalar(u32))),
    ("T233", lambda: ptx.addr(3)),
    ("T234", lambda: smem.alloc(f32, (0, 3))),
    ("T234", lambda: smem.alloc(f32, (2, 3)).at(1)),
    ("T234", lambda: smem.alloc(f32, (2, 3))[2]),
    ("T234", lambda: smem.alloc(f32, (2, 3)).at(1, 3)),
    ("T234", lambda: smem.alloc(f32, (2, 3)).at(-1, 0)),
    ("T101", lambda: smem.alloc(f32, (2, 3), swizzle=16)),
    ("T033", lambda: smem.alloc(f32, (2, 3), align=24)),
    ("T033", lambda: smem.alloc(f32, 4, align=2048, dynamic=True)),
])  # fmt: skip
def test_refusals(code, wrong):
    with pytest.raises(AveError) as caught:
        made(wrong).ptx()
    assert caught.value.code == code and caught.value.span.file == __file__


@pytest.mark.parametrize(("size", "dynamic"), [(48 * 1024 + 4, False), (164 * 1024, True)])
def test_too_much_shared_memory(size, dynamic):
    with pytest.raises(AveError) as caught:
        made(lambda: smem.alloc(u8, size, dynamic=dynamic) and None, "sm_80").ptx()
    assert caught.value.code == "U203"


def test_l043_less_than_is_allocated():
    with pytest.raises(AveError) as caught:
        made(lambda: smem.alloc(u8, 64, dynamic=True) and None, smem=32).ptx()
    assert caught.value.code == "L043"
