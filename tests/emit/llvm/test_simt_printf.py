"""printf of lanes: records written by the code that GPUs get, run here, and decoded; the same text as the reference
prints."""

from __future__ import annotations

import io

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.emit.llvm import simt_printf
from avelang.frontend.build import build
from avelang.ir.core import Kernel
from avelang.ir.printf import buffer, decode
from avelang.ir.text import parse_kernel
from avelang.sim import reference
from emit.llvm import gpu_kernels
from emit.llvm.gpu import assembly, counts, metadata, program
from emit.llvm.simt_host import OnHost, aligned


@avelang.jit
def speaks(A: al.Tensor((128,), al.i32), x: al.f32, wide: al.i64):
    """Some lanes, several blocks in three dimensions, all kinds of values."""
    t = al.thread_id(1) * al.block_dim(0) + al.thread_id(0)
    if A[t] % 3 == 1:
        al.printf(
            "%3d of block %u,%u,%u: %g %lld %x 100%%\n",
            A[t],
            al.block_id(0),
            al.block_id(1),
            al.block_id(2),
            x,
            wide + t,
            A[t],
        )


@avelang.jit
def counts_down(n: al.i32):
    """Lanes leave a loop one by one; two prints."""
    i = al.convert(al.thread_id(0), al.i32)
    while i < n:
        al.printf("%d ", i)
        if i % 2 == 0:
            al.printf("even\n")
        i += 3


TYPED = """kernel @typed(%a: u1, %b: u8, %c: bf16, %d: f64) {'wave': 64, 'chip': 'gfx942', 'file': ''} {
  printf(%a, %b, %c, %d) {'format': '%d %d %g %.17g;'}
}"""


def both(make, args, grid, block, nbytes: int = 1 << 16) -> tuple[str, str, np.ndarray]:
    """The text of the reference, ours, and our buffer."""
    text = io.StringIO()
    reference.run(make(), args, grid, block, stdout=text)
    on_host, words = OnHost(make(), block), aligned(nbytes // 4, np.uint32)
    words[:] = buffer(nbytes)
    on_host.run(args, grid, words)
    return text.getvalue(), decode(words, on_host.program.prints), words


def jitted(kernel) -> Kernel:
    return build(kernel.source, {}, None)


def test_as_the_reference():
    a = aligned(128, np.int32)
    a[:] = np.arange(128) * 7 - 300
    want, got, _ = both(lambda: jitted(speaks), [a, 1.5, -(1 << 40)], (2, 3, 2), (16, 8, 1))
    assert want.count("\n") > 300 and got == want


def test_lines_of_a_loop():
    want, got, _ = both(lambda: jitted(counts_down), [17], (1, 1, 1), (8, 1, 1))
    assert sorted(got.split()) == sorted(want.split()) and got.count("even") > 5


def test_types_that_the_frontend_converts():
    want, got, _ = both(lambda: parse_kernel(TYPED), [True, 200, 1.5, 0.1], (1, 1, 1), (2, 1, 1))
    assert got == want == "1 200 1.5 0.10000000000000001;" * 2


@pytest.mark.parametrize("room", [0, 1, 5])
def test_what_finds_no_room_is_counted(room):
    """Nothing is written behind the capacity."""
    size = 7 + 9  # words of a record
    nbytes = max(64, 16 + 4 * size * room + 16)
    a = aligned(128, np.int32)
    a[:] = 1
    want, got, words = both(lambda: jitted(speaks), [a, 1.5, 0], (1, 1, 1), (16, 8, 1), nbytes)
    lines = got.splitlines()
    assert len(lines) == room + 1 and lines[:-1] == want.splitlines()[:room]
    assert lines[-1] == f"printf: {128 - room} records lost: the buffer of {nbytes} bytes was full"
    assert not words[4 + size * room :].any()


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950", "sm_75", "sm_90"])
def test_only_kernels_that_print_have_the_argument(chip):
    silent, loud = (program(k, chip) for k in (gpu_kernels.axpy, gpu_kernels.speaks))
    assert not silent.prints and simt_printf.PARAM not in silent.text
    assert loud.prints == (("%d\n", ("i32",)),) and f"align 16 {simt_printf.PARAM}) #0" in loud.text


def test_one_reservation_a_wave():
    """LLVM makes one atomic addition of those of a wave; the record is stored in wide words. The argument is the
    last."""
    text = assembly(gpu_kernels.speaks, "gfx942")
    n = counts(text)
    assert (
        n["global_atomic_add_x2"] == 1
        and n["global_store_dwordx4"] == 2
        and metadata(text, "kernarg_segment_size") == 16
    )
    assert metadata(text, "private_segment_fixed_size") == 0


def test_lanes_of_a_warp_that_have_parted():
    """NVIDIA's shuffle names the lanes that print; the first of them is asked."""
    text = assembly(counts_down, "sm_90", (32, 1, 1))
    assert "shfl.sync.idx.b32" in text and "vote.sync.ballot" in text


def test_a_record_that_is_short_is_noticed(monkeypatch):
    monkeypatch.setattr(simt_printf, "words_of", lambda d: 1)
    a = aligned(128, np.int32)
    a[:] = 1
    with pytest.raises((AssertionError, IndexError, ValueError)):
        want, got, _ = both(lambda: jitted(speaks), [a, 1.5, 0], (1, 1, 1), (16, 8, 1))
        assert got == want
