"""Tensor maps and torch's tensors in launches by the host code, on a real NVIDIA GPU (sm_90 or newer): a kernel copies boxes; results are held against
torch.

    python3 tests/gpu/maps_check.py

Prints one line for each check; exit status 1 when one fails. Needs torch with CUDA.
"""

from __future__ import annotations

import pathlib
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
from gpu.scratch import own_cache  # noqa: E402

own_cache()

import avelang  # noqa: E402
import avelang.language as al  # noqa: E402
from avelang.base.errors import AveError  # noqa: E402
from avelang.isa import tensor_map  # noqa: E402
from avelang.runtime import tensor_maps, torch_tensors  # noqa: E402
from avelang.runtime.arrays import describe  # noqa: E402

MAP = al.TensorMap(al.f32, 2, (8, 32))
AT = ((1,), (32,))


@avelang.jit
def copy(A: MAP, B: MAP, row: al.i32, col: al.i32):
    """B's first box becomes A's at (row, col)."""
    t = al.thread_id(0)
    tile = al.make_shared((8, 32), al.f32, 128)
    bar = al.make_shared((1,), al.u64)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.fence_mbarrier_init()
        al.nvvm.mbarrier_arrive_expect_tx(bar, 1024)
        al.nvvm.tma_load_2d(tile, A, row, col, bar)
    al.syncthreads()
    al.nvvm.mbarrier_wait(bar, 0)
    if t == 0:
        al.nvvm.tma_store_2d(B, 0, 0, tile)
        al.nvvm.cp_async_bulk_commit_group()
        al.nvvm.cp_async_bulk_wait_group(0)


def hot() -> bool:
    return copy._launcher._stub.latest() is not None


def want(x: Any, row: int, col: int) -> Any:
    """The box, zeros outside."""
    padded = torch.nn.functional.pad(x, (32, 64, 8, 16))
    return padded[8 + row : 16 + row, 32 + col : 64 + col]


def same(x: Any, out: Any, row: int = 0, col: int = 0, must: bool = True) -> None:
    out.fill_(float("nan"))
    copy[lambda: AT](x, out, row, col)
    assert torch.equal(out[:8, :32], want(x, row, col)) and (hot() or not must), (x.shape, x.stride(), hot())


def layout() -> str:
    x = torch.randn(64, device="cuda")
    at = torch_tensors.layout()
    assert at is not None, "torch's tensors are asked for by its own function, which is slower"
    found = torch_tensors.likeness(x, x.data_ptr(), (64,), (4,), 4)
    assert found.keys, "a tensor on the GPU is read"
    assert (found.meta >> 16 & 0xFF, found.meta >> 24 & 0xFF) == (1, x.device.index), "device type and index"
    return f"torch {torch.__version__}: {at}"


def buffers_in_turn() -> str:
    several, out = [torch.randn(20, 64, device="cuda") for _ in range(8)], torch.empty(8, 32, device="cuda")
    for turn in range(4):
        for i, x in enumerate(several):
            same(x, out, i - 4, 8 * i - 16, must=turn > 0)
    views = [several[0][::2], several[0][1:], several[0][:, 4:40], several[0].view(10, 128)[:, :64], several[0][:1], several[0][:, :4]]
    for turn in range(2):
        for x in views:
            same(x, out, must=turn > 0)
    return f"{sum(1 for _ in tensor_maps.table(MAP.type, 'cuda').records())} maps encoded"


def one_row_of_any_stride() -> None:
    x = torch.randn(33, device="cuda").as_strided((1, 32), (33, 1))
    same(x, torch.empty(8, 32, device="cuda"), must=False)


def replaced_while_a_graph_has_them() -> None:
    most, tensor_maps.MOST_KEPT = tensor_maps.MOST_KEPT, tensor_maps.table(MAP.type, "cuda").maps.mask + 1
    try:
        x, out, other = torch.randn(8, 32, device="cuda"), torch.zeros(8, 32, device="cuda"), torch.empty(8, 32, device="cuda")
        whole = torch.randn(600, 64, device="cuda")
        same(x, out, must=False)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            copy[AT](x, out, 0, 0)
        assert hot()
        for i in range(500):
            same(whole[i : i + 20], other, must=False)
        for _ in range(3):
            x.normal_()
            out.zero_()
            graph.replay()
            torch.cuda.synchronize()
            assert torch.equal(out, x)
    finally:
        tensor_maps.MOST_KEPT = most


def threads() -> None:
    errors: list[BaseException] = []

    def run() -> None:
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                mine, out = [torch.randn(16, 64, device="cuda") for _ in range(5)], torch.empty(8, 32, device="cuda")
                for i in range(300):
                    x = mine[i % 5]
                    out.fill_(float("nan"))
                    copy[AT](x, out, 0, 0)
                    if i % 20 == 0:
                        assert torch.equal(out, x[:8, :32])
        except BaseException as e:
            errors.append(e)

    several = [threading.Thread(target=run) for _ in range(4)]
    for t in several:
        t.start()
    for t in several:
        t.join()
    assert not errors, errors


def errors_behind_the_host_code() -> None:
    x, out = torch.randn(16, 64, device="cuda"), torch.empty(8, 32, device="cuda")
    for _ in range(2):
        same(x, out, must=False)
    bad = [(x.double(), "L012"), (x[0], "L027"), (x.T, "L027"), (x[:, 1:], "L027"), (x.cpu(), "L017"), (x[:0], "L027"), (torch._neg_view(x), "L011")]
    for y, code in bad:
        try:
            copy[AT](y, out, 0, 0)
        except AveError as e:
            assert e.code == code, (e.code, code)
        else:
            raise AssertionError(f"{code} was expected")
        same(x, out)
    assert describe(x).device == "cuda:0"  # type: ignore[union-attr]


def stores_write_whole_pieces() -> str:
    """Why arrays whose rows end inside of 16 bytes are refused where a kernel stores to them: with the refusal taken out, what is written?"""
    x, ends = torch.ones(8, 32, device="cuda"), []
    for n in (24, 25, 26, 27, 28):
        room = torch.full((8, 64), float("nan"), device="cuda")
        if n % 4:
            try:
                copy[lambda: AT](x, room[:, :n], 0, 0)
            except AveError as e:
                assert e.code == "L027", e.code
            else:
                raise AssertionError("an array that stores would write past is not refused")
        kept, tensor_map.torn = tensor_map.torn, lambda t, shape: ""
        try:
            copy[lambda: AT](x, room[:, :n], 0, 0)
            torch.cuda.synchronize()
        finally:
            tensor_map.torn = kept
        written = ~torch.isnan(room)
        assert (written == written[0]).all()
        ends.append(int(written[0].sum()))
    assert ends == [24, 28, 28, 28, 28], ends
    return f"rows of 24 to 28 elements of 4 bytes are written up to {ends}"


CHECKS: list[Callable[[], str | None]] = [
    layout, buffers_in_turn, one_row_of_any_stride, replaced_while_a_graph_has_them, threads, errors_behind_the_host_code,
    stores_write_whole_pieces,
]  # fmt: skip


def main() -> int:
    failed = 0
    for f in CHECKS:
        try:
            print("ok  ", f.__name__, f() or "")
        except Exception:
            failed += 1
            print("FAIL", f.__name__, traceback.format_exc())
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
