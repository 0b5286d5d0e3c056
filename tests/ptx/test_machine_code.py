"""ptxas takes what kernels of this level write; its words stand at the user's line; the widest access says how arrays
must be aligned."""

from __future__ import annotations

import stat

import pytest
from tests import tools
from tests.ptx import programs
from tests.ptx.programs import made

from avelang.base.errors import AveError
from avelang.ptx import machine_code, ptx, reg
from avelang.ptx.types import b32, f32, u32, u64


@pytest.mark.parametrize(
    ("make", "sizes"),
    [(programs.saxpy, (100,)), (programs.tiled_gemm, (64, 64, 64)), (programs.hopper_gemm, (256, 256, 256))],
)
def test_kernels_are_assembled(make, sizes):
    tools.need("ptxas")
    code, said = machine_code.assembled(make().traced(sizes, None))
    assert code[:4] == b"\x7fELF" and said["registers"] > 0 and said["spills"] == [0, 0]


def test_tcgen05_is_assembled():
    tools.need("ptxas")

    def body():
        r = reg.array(b32, 4)
        ptx.inst.tcgen05.ld.sync.aligned._32x32b.x4.b32(r, ptx.addr(reg.scalar(u32)))
        ptx.inst.tcgen05.wait__ld.sync.aligned()
        ptx.inst.st.global_.v4.b32(ptx.addr(reg.scalar(u64)), r)

    k = made(body, "sm_100a")
    assert machine_code.assembled(k.traced((), None))[0]


def test_alignment_is_that_of_the_widest_access():
    def width(body) -> int:
        return machine_code.alignment(made(body).traced((), None).module)

    assert width(lambda: None) == 1
    assert width(lambda: ptx.inst.ld.shared.v4.b32(reg.array(b32, 4), ptx.addr(reg.scalar(u32)))) == 1
    assert width(lambda: ptx.inst.ld.global_.b32(reg.scalar(b32), ptx.addr(reg.scalar(u64)))) == 4
    assert width(lambda: ptx.inst.st.global_.v2.f32(ptx.addr(reg.scalar(u64)), reg.array(f32, 2))) == 8
    assert width(lambda: ptx.cp_async(reg.scalar(u32), reg.scalar(u64), 8)) == 8
    assert width(lambda: ptx.cp_async(reg.scalar(u32), reg.scalar(u64))) == 16
    assert width(lambda: ptx.tma.store_bytes(reg.scalar(u64), reg.scalar(u32), 4096)) == 16
    assert machine_code.alignment(programs.hopper_gemm().traced((128, 128, 128), None).module) == 8


def test_what_ptxas_refuses_stands_at_the_users_line():
    tools.need("ptxas")

    def body():
        reg.scalar(b32)
        ptx.raw("ld.shared.b32 %r0, [nobody];")  # here

    with pytest.raises(AveError) as caught:
        machine_code.assembled(made(body, "sm_80").traced((), None))
    assert caught.value.code == "D038" and "# here" in caught.value.span.text()


@pytest.fixture
def disassembler(tmp_path, monkeypatch):
    """A folder of tools with a `ptxas` that copies, and what stands in for a disassembler."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def tool(name: str, script: str) -> None:
        file = folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    monkeypatch.setattr(machine_code.ptxas, "places", lambda: iter([str(folder / "ptxas")]))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tool


def test_sass_by_a_disassembler(disassembler, monkeypatch):
    k = programs.saxpy()
    with pytest.raises(AveError) as caught:
        k.sass(100)
    assert caught.value.code == "D020" and "nvdisasm" in str(caught.value)
    monkeypatch.setattr(machine_code, "assembled", lambda traced: (b"code of " + traced.entry.encode(), {}))
    disassembler("cuobjdump", 'cat "$2"; echo " by $1"')
    assert k.sass(100) == "code of saxpy by -sass\n"
    disassembler("nvdisasm", "echo no >&2; exit 3")
    with pytest.raises(AveError) as caught:
        k.sass(100)
    assert caught.value.code == "D021" and "no" in str(caught.value)


def test_spills_are_warned_of_at_the_kernel():
    from types import SimpleNamespace

    from avelang.runtime import resources

    traced = programs.saxpy().traced((100,), None)
    said = {"spills": [96, 112], "registers": 42, "remarks": [], "spilled_at": []}
    meta = machine_code._facts(traced, SimpleNamespace(runtime=()), SimpleNamespace(key={"assembler": "13.0"}), said)
    ((text, file, line),) = resources.warned(meta)
    assert "96 bytes are stored and 112 loaded" in text and file == programs.__file__ and line > 0
