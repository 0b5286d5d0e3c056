"""A kernel is traced once for its sizes and its chip: header, parameters, directives, the choice of a chip, and what
does not fit together."""

from __future__ import annotations

import pytest
from tests.ptx import programs
from tests.ptx.programs import made

from avelang.base.errors import AveError
from avelang.nvptx.parse import parse
from avelang.ptx import Tile, kernel, ptx, reg
from avelang.ptx.types import bf16, f32, u32, u64

SAXPY = """.version 8.7
.target sm_80
.address_size 64

.visible .entry saxpy(
    .param .u64 saxpy_x,
    .param .u64 saxpy_y,
    .param .f32 saxpy_a,
    .param .u64 saxpy_out
)
.reqntid 128, 1, 1
{
    .reg .u64 %ud<12>;
    .reg .u32 %u<5>;
    .reg .pred %p<1>;
    .reg .f32 %f<3>;
    ld.param.u64 %ud0, [saxpy_x];
    cvta.to.global.u64 %ud1, %ud0;
    ld.param.u64 %ud2, [saxpy_y];
    cvta.to.global.u64 %ud3, %ud2;
    ld.param.u64 %ud4, [saxpy_out];
    cvta.to.global.u64 %ud5, %ud4;
    mov.u32 %u0, %ctaid.x;
    mul.lo.u32 %u1, %u0, 128;
    mov.u32 %u2, %tid.x;
    add.u32 %u3, %u1, %u2;
    setp.lt.u32 %p0, %u3, 100;
    @!%p0 bra $else_0;
    mul.lo.u32 %u4, %u3, 4;
    cvt.u64.u32 %ud6, %u4;
    add.u64 %ud7, %ud1, %ud6;
    ld.global.f32 %f0, [%ud7];
    cvt.u64.u32 %ud8, %u4;
    add.u64 %ud9, %ud3, %ud8;
    ld.global.f32 %f1, [%ud9];
    ld.param.f32 %f2, [saxpy_a];
    fma.rn.f32 %f1, %f0, %f2, %f1;
    cvt.u64.u32 %ud10, %u4;
    add.u64 %ud11, %ud5, %ud10;
    st.global.f32 [%ud11], %f1;
$else_0:
    ret;
}
"""


def test_the_text_is_exactly_what_was_written():
    k = programs.saxpy()
    assert k.ptx(100) == k.ptx(N=100) == SAXPY
    assert k.ptx(101) == SAXPY.replace(" 100;", " 101;")


def test_a_module_reads_back_and_lines_name_the_users_file():
    for k, sizes in (
        (programs.saxpy(), (100,)),
        (programs.tiled_gemm(), (64, 64, 64)),
        (programs.hopper_gemm(), (128, 128, 128)),
    ):
        traced = k.traced(sizes, None)
        assert parse(traced.text) == traced.module
        with_lines = traced.with_lines
        assert f'.file 1 "{programs.__file__}"' in with_lines
        assert [x for x in with_lines.splitlines() if ".loc" not in x and ".file" not in x] == traced.text.splitlines()


def test_the_body_runs_once_for_each_size():
    runs = []

    @kernel(in_specs=Tile("N", f32), grid=lambda N: N, block=32)
    def k(x, *, N):
        runs.append(N)

    for n in (3, 4, 3):
        k.ptx(n)
    assert runs == [3, 4]


def test_shapes_and_sizes_are_known_in_the_body():
    @kernel(in_specs=(Tile("M", "K", bf16), Tile(4, f32), u32), out_specs=Tile("K", f32), grid=1, block=lambda M: M)
    def k(A, b, n, out, *, K, bonus=3):
        assert (A.shape, A.strides, A.type, b.shape, out.shape, K, bonus) == ((32, 5), (5, 1), bf16, (4,), (5,), 5, 3)
        assert n.type is u32 and n.tile is None

    assert ".reqntid 32, 1, 1" in k.ptx(M=32, K=5)


def test_auto_takes_the_oldest_chip_that_has_the_instructions():
    def target(body):
        return made(body).ptx().splitlines()[1]

    assert target(lambda: None) == ".target sm_75"
    assert target(lambda: ptx.cp_async.wait_all()) == ".target sm_80"
    assert target(lambda: ptx.fence.proxy_async()) == ".target sm_90"
    assert target(lambda: ptx.wgmma.fence()) == ".target sm_90a"
    assert target(lambda: ptx.inst.tcgen05.wait__ld.sync.aligned()) == ".target sm_100a"

    def both():
        ptx.wgmma.fence()
        ptx.inst.tcgen05.wait__ld.sync.aligned()

    with pytest.raises(AveError) as caught:
        made(both).ptx()
    assert caught.value.code == "U208" and "sm_90a lacks tcgen05.wait::ld.sync.aligned" in str(caught.value)


def test_directives():
    @kernel(grid=4, block=(16, 2), cluster=2, arch="sm_90", max_registers=64, min_blocks=2)
    def k():
        pass

    assert [x for x in k.ptx().splitlines() if x.startswith(".") and "n" in x][-4:] == [
        ".reqntid 16, 2, 1", ".reqnctapercluster 2, 1, 1", ".maxnreg 64", ".minnctapersm 2",
    ]  # fmt: skip


def test_the_name_of_a_register_is_its_own():
    def body():
        x = reg.scalar(u64, name="%address")
        x.set(0)

    assert ".reg .u64 %address;" in made(body).ptx()


@kernel(in_specs=Tile("N", f32), grid=lambda N: N, block=32)
def symbolic(x):
    pass


def nested():
    @kernel(grid=1, block=32)
    def outer():
        symbolic.ptx(3)

    outer.ptx()


def returning():
    @kernel(grid=1, block=32)
    def k():
        return 3

    k.ptx()


WRONG = {
    "T237": lambda: kernel(in_specs=Tile(3, f32), grid=1)(lambda_free),
    "T238": lambda: kernel(in_specs=Tile("N", f32), out_specs=Tile("M", f32), grid=1)(two),
    "U101": lambda: kernel(grid=1, arch="sm_81")(lambda_free),
    "L009": lambda: kernel(grid=1, arch="gfx942")(lambda_free),
    "S003": lambda: kernel(grid=1)(lambda: None),
    "T221": lambda: kernel(in_specs=3, grid=1)(lambda_free),
    "L042": lambda: symbolic.ptx(),
    "L002": lambda: kernel(grid="x")(lambda_free).ptx(),
    "L003": lambda: kernel(grid=1, block=2048)(lambda_free).ptx(),
    "L029": lambda: kernel(grid=3, cluster=2)(lambda_free).ptx(),
    "U206": lambda: kernel(grid=2, cluster=2, arch="sm_80")(lambda_free).ptx(),
    "T236": nested,
    "T054": returning,
}


@pytest.mark.parametrize("cluster", [0, 32, (1, 1, 1, 1), 2.0, (2, -1)])
def test_what_is_no_cluster(cluster):
    with pytest.raises(AveError, match="L009.*16 blocks at most"):
        kernel(grid=32, cluster=cluster)(lambda_free).ptx()


def test_clusters_want_a_chip_that_has_them():
    assert ".target sm_90\n" in kernel(grid=2, cluster=2)(lambda_free).ptx()


def lambda_free():
    pass


def two(a, b):
    pass


@pytest.mark.parametrize("code", WRONG)
def test_what_does_not_fit(code):
    with pytest.raises(AveError) as caught:
        WRONG[code]()
    assert caught.value.code == code


def test_a_grid_that_asks_for_an_unknown_size():
    with pytest.raises(AveError, match="T238"):
        kernel(in_specs=Tile("N", f32), grid=lambda K: K)(lambda_free_of_one).ptx(3)


def lambda_free_of_one(x):
    pass
