"""What a kernel takes on an NVIDIA GPU, by ptxas: numbers, the lines of spills, remarks at the user's lines; what is said where there is no ptxas."""

import linecache
import pathlib
import warnings

import pytest

import tools
from avelang.base.errors import AveError
from avelang.runtime import ptxas, resources, spills
from runtime import nvidia_kernels

with_ptxas = pytest.mark.usefixtures("assembler")


@pytest.fixture
def assembler():
    tools.need("ptxas")


def reported(kernel, block, **more):
    """(the report, the warnings)."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        return resources.resources(kernel, {}, block, **more), seen


def said_at(warning):
    return linecache.getline(warning.filename, warning.lineno)


@with_ptxas
def test_a_kernel_that_is_well():
    r, seen = reported(nvidia_kernels.staged, (256, 1, 1), target="sm_80")
    assert not seen and not r.remarks and (r.stored, r.loaded, r.stack) == (0, 0, 0)
    assert (r.shared, r.dynamic, r.barriers, r.threads) == (0, 64 << 10, 1, 256) and 8 < r.registers < 128
    assert (r.residency.blocks, r.residency.limited_by) == (2, "shared memory") and r.assembler.startswith("ptxas 1")
    small = nvidia_kernels.staged.report("sm_86", (256, 1, 1), ROWS=8)
    assert (small.shared, small.dynamic, small.chip) == (8 << 10, 0, "sm_86")
    # What a launch adds counts.
    assert nvidia_kernels.staged.report("sm_86", (256, 1, 1), 40 << 10, ROWS=8).residency.blocks == 2


@with_ptxas
def test_spills_are_at_their_lines():
    r, (warning,) = reported(nvidia_kernels.crowded, (1024, 1, 1))
    assert r.registers == 64 and r.stored > 500 and r.loaded > 500
    assert sum(size for _, _, size in r.spilled_at) == r.stored + r.loaded, "the instructions found move what ptxas counts"
    assert "# the crowd" in said_at(warning) and warning.category is RuntimeWarning
    text = str(warning.message)
    assert "`crowded` spills (sm_90a, block (1024, 1, 1)): 64 registers" in text and f"line {warning.lineno}: " in text
    assert r.residency.limited_by == "registers"


@with_ptxas
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_100a"])
def test_what_instructions_move_is_what_ptxas_counts(target):
    r, _ = reported(nvidia_kernels.crowded, (1024, 1, 1), target=target)
    assert sum(size for _, _, size in r.spilled_at) == r.stored + r.loaded > 0


@with_ptxas
def test_wgmma_that_is_serialized():
    r, seen = reported(nvidia_kernels.serial, (128, 1, 1))
    (warning,) = seen
    assert "serialized" in str(warning.message) and "(ptxas C75" in str(warning.message) and "# a wgmma" in said_at(warning)
    assert any(not m.costly for m in r.remarks), "a wait that ptxas puts in is no warning"


@with_ptxas
def test_setmaxnreg_that_is_ignored():
    """Ave gives the kernel what ptxas needs to heed it; PTX without that is remarked on."""
    assert not reported(nvidia_kernels.roles, (256, 1, 1))[1]
    text = resources.ptx(nvidia_kernels.roles, {}, (256, 1, 1))
    r = resources.of_ptx(text.replace(".minnctapersm 1", ""))
    (remark,) = r.remarks
    assert remark.number == "C7508" and remark.costly and "ignored" in remark.text
    assert "# the first" in linecache.getline(remark.file, remark.line)
    assert (r.kernel, r.chip, r.threads) == ("roles", "sm_90a", 256)


BARE = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n.maxntid 96, 2\n{\n  .shared .b8 s[512];\n  bar.sync 0;\n  ret;\n}\n.entry l()\n{\n  ret;\n}\n"


@with_ptxas
def test_ptx_of_others():
    r = resources.of_ptx(BARE)
    assert (r.kernel, r.threads, r.barriers, r.remarks, r.spilled_at) == ("k", 192, 1, (), ())
    other = resources.of_ptx(BARE, "l", dynamic=1 << 10)
    assert (other.kernel, other.threads, other.dynamic) == ("l", 1, 1 << 10)
    for text, entry, code in ((BARE, "m", "D023"), ("nothing", None, "D025"), (BARE.replace("ret", "rte"), None, "D038"), (BARE.replace("sm_80", "sm_52"), None, "")):
        with pytest.raises(AveError) as e:
            resources.of_ptx(text, entry)
        assert e.value.code == code or (not code and e.value.code in ("D038", "U101"))


def test_without_ptxas(monkeypatch):
    monkeypatch.setenv("AVE_PTXAS", "driver")
    for call in (lambda: nvidia_kernels.staged.report("sm_80", (256, 1, 1)), lambda: resources.of_ptx(BARE), lambda: ptxas.need("it")):
        with pytest.raises(AveError) as e:
            call()
        assert e.value.code == "D020" and "pip install nvidia-cuda-nvcc" in e.value.hint and "AVE_PTXAS=driver" in e.value.message
    monkeypatch.delenv("AVE_PTXAS")
    monkeypatch.setattr(ptxas, "places", lambda: iter(()))
    ptxas._found.cache_clear()
    with pytest.raises(AveError) as e:
        ptxas.need("machine code")
    ptxas._found.cache_clear()
    assert e.value.code == "D020" and "machine code needs ptxas" in e.value.message and "CUDA_HOME" in e.value.message
    assert resources.ptx(nvidia_kernels.staged, {}, (256, 1, 1)).count(".entry") == 1, "PTX needs none"


def test_other_vendors_have_none():
    with pytest.raises(AveError) as e:
        resources.resources(nvidia_kernels.staged, {}, (256, 1, 1), "gfx942")
    assert e.value.code == "L009" and "a chip of NVIDIA" in e.value.message
    assert nvidia_kernels.staged.report("gfx942", (256, 1, 1), ROWS=8).lds == 8 << 10


def test_files_without_lines():
    assert spills.spill_lines(b"", "k") == spills.spill_lines(b"\x7fELF\2" + bytes(99), "k") == spills.spill_lines(b"no file", "k") == []


def test_kernels_that_come_with_ave_do_not_warn(recwarn):
    """Who calls an operation cannot choose other tiles; a kernel of the user's that calls Ave's functions warns at its own line."""
    shipped, mine = str(pathlib.Path(resources.__file__).parents[2] / "avelang_kernels" / "norm" / "rows.py"), __file__
    said = {"kernel": "k", "chip": "sm_90a", "block": (32, 1, 1), "registers": 255, "spills": (16, 32), "spilled_at": [[shipped, 7, 40], [mine, 9, 8]]}
    resources.warn({**said, "place": [shipped, 3]})
    assert not recwarn.list
    resources.warn({**said, "place": [mine, 3]})
    (warning,) = recwarn.list
    assert (warning.filename, warning.lineno) == (mine, 9)
