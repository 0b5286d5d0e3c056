"""Loops of assembly, on texts whose loops are known by construction and on foreign kernels."""

from __future__ import annotations

import random

import pytest

from amdgcn.peers import IREE, KERNELS, TRITON, assembly
from avelang.amdgcn.asm import parse
from avelang.amdgcn.loops import loops, main_loop
from avelang.base.errors import AveError

MFMA = "v_mfma_f32_16x16x16_bf16 a[0:3], v[0:1], v[2:3], a[0:3]\n"
HEAD = '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\n.text\n'
NEST = (
    HEAD
    + "k:\ns_mov_b32 s0, 0\n.Louter:\nv_mov_b32 v0, 0\n.Linner:\n"
    + MFMA
    + "s_cbranch_scc1 .Lskip\nv_mov_b32 v1, 0\n.Lskip:\ns_cbranch_scc0 .Linner\nv_mov_b32 v2, 0\n.Lplain:\n"
      "v_mov_b32 v3, 0\n"
    + "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\ns_cbranch_vccnz .Lplain\n"
      "s_cbranch_scc1 .Louter\ns_endpgm\n"
)


def names(program, loop):
    return [program.instructions[i].name for i in loop.indices]


def test_a_nest():
    p = parse(NEST)
    outer, inner, plain = loops(p)
    assert (outer.depth, inner.depth, plain.depth) == (0, 1, 1) and (outer.inner, inner.inner, plain.inner) == (
        False,
        True,
        True,
    )
    assert names(p, inner) == ["v_mfma_f32_16x16x16_bf16", "s_cbranch_scc1", "v_mov_b32", "s_cbranch_scc0"]
    assert len(inner.blocks) == 3 and len(outer.indices) == 13
    assert main_loop(p) == inner  # the other is larger


def test_without_matrix_instructions_the_largest_counts():
    p = parse(NEST.replace(MFMA, "v_mov_b32 v9, 0\n"))
    assert main_loop(p) == loops(p)[2]


def test_matrix_instructions_of_an_outer_loop():
    p = parse(NEST.replace(MFMA, "").replace("v_mov_b32 v2, 0\n", MFMA))
    assert main_loop(p) == loops(p)[0]


def test_no_loop_and_unreachable_code():
    p = parse(HEAD + "k:\ns_branch .Lend\n.Ldead:\nv_mov_b32 v0, 0\ns_branch .Ldead\n.Lend:\ns_endpgm\n")
    assert loops(p) == [] and main_loop(p) is None
    assert main_loop(parse("")) is None


def test_a_loop_that_another_kernel_has():
    two = (
        HEAD
        + "a:\n.La:\nv_mov_b32 v0, 0\ns_cbranch_scc1 .La\ns_endpgm\nb:\n.Lb:\n"
        + MFMA
        + "s_cbranch_scc1 .Lb\ns_endpgm\n"
    )
    p = parse(two + "".join(f".amdhsa_kernel {k}\n.end_amdhsa_kernel\n" for k in "ab"))
    assert "v_mov_b32" in names(p, main_loop(p)) and "v_mov_b32" in names(p, main_loop(p, "a"))
    assert names(p, main_loop(p, "b"))[0].startswith("v_mfma")
    with pytest.raises(AveError, match="no kernel 'c'") as caught:
        main_loop(p, "c")
    assert caught.value.code == "D023" and "a, b" in caught.value.hint


def test_a_branch_to_nowhere():
    with pytest.raises(AveError, match="no place of that name") as caught:
        main_loop(parse(HEAD + "k:\ns_branch .Lnone\n"))
    assert caught.value.code == "X020"


def test_addresses_of_a_disassembly_are_targets():
    text = (
        "k:\n\tv_mov_b32_e32 v0, 0 // 000000001000: 7E000280\n\ts_cbranch_scc1 65534 // 000000001004: BF85FFFE\n"
        "\ts_endpgm // 000000001008: BF810000\n"
    )
    loop = main_loop(parse(text))
    assert loop is not None and loop.indices == [0, 1]


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs_against_the_definition(seed):
    """A header is passed on every way from the entry to the blocks of its loop: without it, none of them is reached."""
    rng = random.Random(seed)
    n = rng.randrange(2, 14)
    text = HEAD + "k:\n"
    for i in range(n):
        text += f".L{i}:\nv_mov_b32 v0, {i}\n" + rng.choice(
            [f"s_cbranch_scc1 .L{rng.randrange(n)}\n", f"s_branch .L{rng.randrange(n)}\n", ""]
        )
    p = parse(text + "s_endpgm\n")
    edges: dict[int, set[int]] = {}
    for i, ins in enumerate(p.instructions):
        jump = {p.labels[ins.operands[0].name]} if "branch" in ins.name else set()
        fall = set() if ins.name in ("s_branch", "s_endpgm") else {i + 1}
        edges[i] = jump | fall

    def reached(without: int | None, start: int) -> set[int]:
        seen, todo = set(), [start]
        while todo:
            x = todo.pop()
            if x not in seen and x != without:
                seen.add(x)
                todo += edges[x]
        return seen

    back = {(a, b) for a in reached(None, 0) for b in edges[a] if a not in reached(b, 0)}
    want = {}
    for a, b in back:
        reach = {x for x in reached(None, 0) if a in reached(b, x) or x == b}
        want[b] = want.get(b, set()) | reach
    assert {x.header: set(x.indices) for x in loops(p)} == want


@pytest.mark.parametrize(
    "peer,count,first", [(TRITON, 140, "s_waitcnt lgkmcnt(0)"), (IREE, 123, "s_lshl_b32 s3, s2, 5")]
)
def test_main_loop_of_foreign_kernels(peer, count, first):
    p = parse(assembly(peer))
    loop = main_loop(p, KERNELS[peer])
    assert (
        loop is not None
        and len(loop.indices) == count
        and p.instructions[loop.indices[0]].text.split() == first.split()
    )
    assert sum(n.startswith("v_mfma") for n in names(p, loop)) == 64
