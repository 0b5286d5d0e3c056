"""Subgroup layouts: IREE's example, a count by definition, which of the rows' fragments they can say, what is wrong."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import avelang.language as al
from avelang.base.errors import AveError
from avelang.isa import ROWS
from avelang.tile import Distribution, SubgroupLayout, same_places
from isa.test_amdgpu_mfma_rows import our_name, published_atoms

LHS = SubgroupLayout((1, 1), (8, 4), (2, 16), (1, 16))  # A of VDMFMA_F32_8x16x64x2_F16


def test_the_published_layout():
    assert LHS.shape == (8, 64) and LHS.lanes_per_place == 2 and LHS.own == (1, 8) and LHS.elements == 8
    for row, k in itertools.product(range(8), range(4)):
        first = 2 * row + 16 * k
        assert LHS.lanes_at(row, k) == (first, first + 1)
        at = [LHS.distribution.index[1][lane] for lane in (first, first + 1)]
        # Lane 2 p has the lower eight of sixteen neighbors, lane 2 p + 1 the upper.
        assert at[0].tolist() == list(range(16 * k, 16 * k + 8)) and at[1].tolist() == list(
            range(16 * k + 8, 16 * k + 16)
        )
        assert (LHS.distribution.index[0][first : first + 2] == row).all()


@st.composite
def layouts(draw) -> SubgroupLayout:
    """Two dimensions on a wave of 8 to 64 lanes, in either order, the thread grid as large as the wave or a part of
    it."""
    wave, share = draw(st.sampled_from([8, 32, 64])), draw(st.sampled_from([1, 1, 2, 4]))
    first = draw(st.sampled_from([d for d in (1, 2, 4, 8, 16, 32, 64) if (wave // share) % d == 0]))
    other = wave // share // first
    small = st.integers(1, 3)
    outer, element = draw(st.tuples(small, small)), draw(st.tuples(small, small))
    if share > 1:
        element = (element[0], element[1] * share)
    if draw(st.booleans()):
        return SubgroupLayout(outer, (first, other), (share, share * first), element, wave)
    return SubgroupLayout(outer, (first, other), (share * other, share), element, wave)


@settings(max_examples=60, deadline=None)
@given(layouts())
def test_places_by_definition(s):
    index = s.distribution.index
    for lane in range(s.wave):
        lower, upper = [], []
        for axis in range(2):
            t = lane // s.tstrides[axis] % s.thread[axis] if s.thread[axis] > 1 else 0
            part = lane % s.lanes_per_place if axis == s.shared_axis else 0
            lower.append([o * s.thread[axis] * s.element[axis] for o in range(s.outer[axis])])
            upper.append([t * s.element[axis] + part * s.own[axis] + e for e in range(s.own[axis])])
        want = [(a + c, b + d) for a, b, c, d in itertools.product(lower[0], lower[1], upper[0], upper[1])]
        assert list(zip(index[0][lane].tolist(), index[1][lane].tolist(), strict=True)) == want
    assert sorted(s.distribution.linear.ravel()) == list(range(math.prod(s.shape)))


@settings(max_examples=40, deadline=None)
@given(layouts())
def test_transposed_and_read_back(s):
    t = s.transposed
    assert t.shape == s.shape[::-1]
    if s.lanes_per_place == 1:  # lanes that share a place may choose another dimension there
        cells = [
            set(zip(x.index[0][5].tolist(), x.index[1][5].tolist(), strict=True))
            for x in (s.distribution, t.distribution)
        ]
        assert cells[0] == {(b, a) for a, b in cells[1]}
    back = SubgroupLayout.of(s.distribution)
    assert back is not None and same_places(back.distribution, s.distribution)


def test_fragments_that_four_tuples_can_say():
    """All of AMD's with one block; of NVIDIA's all but A's of more than one K word, whose words alternate between rows
    before K."""
    for row in ROWS.values():
        if row.mma is None or row.mma.blocks > 1:
            continue
        for operand in "abc":
            d = Distribution.from_fragment(row, operand)
            found = SubgroupLayout.of(d)
            if row.namespace == "amdgpu" and not (row.mma.k >= 64 and operand in "ab"):
                assert found is not None, (row.name, operand)
            if found is not None:
                assert found.shape == d.shape and same_places(found.distribution, d)
    c = SubgroupLayout.of(Distribution.from_fragment("mfma_f32_32x32x8_f16", "c"))
    assert c == SubgroupLayout((4, 1), (2, 32), (32, 1),
                               (4, 1))  # IREE's own, in its tests of the layout of MFMA_F32_32x32x8_F16
    assert SubgroupLayout.of(Distribution.from_fragment("mma_16x8x16_f16_f32", "a")) is None
    assert SubgroupLayout.of(Distribution.blocked((64, 64), waves=2)) is None
    assert SubgroupLayout.of(Distribution.blocked((2, 8), waves=1)) is None  # replicas


def test_published_accumulators_are_the_same_encodings_and_subgroup_layouts():
    """Those that `tensor-layouts` has of AMD's instructions with one block: (lane / n, lane % n) and (group of rows,
    row in it) -> place in the column-major tile, as its text defines them. (It leaves out which run of k a lane has in
    A and B.)"""
    seen = 0
    for atom in published_atoms().values():
        row = ROWS[f"amdgpu.{our_name(atom.ptx)}"]
        if row.mma is None or row.mma.blocks > 1:
            continue
        m, n, _ = atom.shape_mnk
        group, slots = atom.c_layout.shape[1][1], row.mma.c.slots
        place = np.array(
            [
                [atom.c_layout((lane // n, lane % n), (at // group, at % group)) for at in range(slots)]
                for lane in range(64)
            ]
        )[None]
        theirs = Distribution.of_index((place % m, place // m), (m, n))
        assert same_places(theirs, Distribution.from_fragment(row, "c")), row.name
        four = SubgroupLayout.of(theirs)
        assert four is not None and same_places(four.distribution, theirs) and four.thread[1] == n
        seen += 1
    assert seen >= 20


def test_published_accumulators_of_warpgroups_are_the_same_encodings():
    """CuTe's layouts (thread, value) -> place in the column-major tile, each n that the table has; they are spread over
    four warps."""
    nv = pytest.importorskip("tensor_layouts.atoms_nv")
    sizes = {a.shape_mnk[1]: a for name, a in vars(nv).items() if name.startswith("SM90_64x") and "SPARSE" not in name}
    assert len(sizes) >= 10
    for n, atom in sizes.items():
        theirs = Distribution.from_layout(al.Layout(atom.c_layout.shape, atom.c_layout.stride), (n, 64), 32)
        mine = Distribution.from_fragment("wgmma_f16_f32", "d", n=n)
        assert (theirs.waves, theirs.shape) == (4, (n, 64)) and all(
            np.array_equal(a, b) for a, b in zip(theirs.index, mine.index[::-1], strict=True)
        )


WRONG = {
    "stride": (
        ((1, 1), (8, 4), (4, 16), (1, 16)), "T306",
        "dimension 0 steps by 4 lanes, and lanes up to 1 are given away before it: it must be 2"
    ),
    "overlap": (
        ((1, 1), (16, 4), (1, 8), (1, 4)), "T306",
        "dimension 1 steps by 8 lanes, and lanes up to 15 are given away before it: it must be 16"
    ),
    "threads": (((1, 1), (8, 3), (2, 16), (1, 16)), "T306", "8 * 3 = 24 does not divide the wave's 64 lanes"),
    "sharing": (
        ((1, 1), (8, 4), (2, 16), (1, 15)), "T306",
        "2 lanes share each place of the thread grid (8, 4), and divide none of its extents"
    ),
    "entries": (((1, 1), (8, 4), (2,), (1, 16)), "T301", "tstrides must be as many entries as outer, 2, not (2,)"),
    "number": (((1, 0), (8, 4), (2, 16), (1, 16)), "T301", "outer[1] must be an integer from 1, not 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_at_the_users_line(name):
    parts, code, words = WRONG[name]
    with pytest.raises(AveError) as e:
        SubgroupLayout(*parts)  # this line
    assert e.value.code == code and words in e.value.message and e.value.span.text().endswith("# this line")


def test_layouts_compare_by_place():
    assert same_places(LHS.distribution, SubgroupLayout((1, 1), (8, 4), (2, 16), (1, 16)).distribution)
    assert not same_places(LHS.distribution, SubgroupLayout((1, 1), (8, 8), (1, 8), (1, 8)).distribution)
    assert np.array_equal(
        LHS.distribution.linear,
        Distribution.of_index([x.reshape(1, 64, 8) for x in LHS.distribution.index], (8, 64)).linear,
    )
