"""Chips: limits, features, and which chip is inferred from intrinsics."""

from __future__ import annotations

import dataclasses

import pytest

from avelang import arch
from avelang.base.errors import UnsupportedError


@dataclasses.dataclass
class Needs:
    needs: frozenset[str]
    name: str = "x"


def needs(*features: str) -> Needs:
    return Needs(frozenset(features), "/".join(features))


def test_limits():
    kib = {name: c.lds_bytes // 1024 for name, c in arch.CHIPS.items()}
    assert kib == {
        "gfx90a": 64, "gfx942": 64, "gfx950": 160,
        "sm_75": 64, "sm_80": 163, "sm_86": 99, "sm_89": 99, "sm_90": 227, "sm_90a": 227, "sm_100a": 227,
        "sm_103a": 227, "sm_120a": 99,
    }  # fmt: skip
    assert {c.wave for c in arch.CHIPS.values() if c.vendor == "amd"} == {64}
    assert {c.wave for c in arch.CHIPS.values() if c.vendor == "nvidia"} == {32}
    assert {name: c.fp8 for name, c in arch.CHIPS.items() if c.fp8} == {
        "gfx942": "fnuz", "gfx950": "ocp", "sm_89": "ocp", "sm_90": "ocp", "sm_90a": "ocp", "sm_100a": "ocp",
        "sm_103a": "ocp", "sm_120a": "ocp",
    }  # fmt: skip


def test_the_kind_of_fp8_is_a_feature():
    for c in arch.CHIPS.values():
        assert {f for f in c.features if f in ("fp8-fnuz", "fp8-ocp")} == ({f"fp8-{c.fp8}"} if c.fp8 else set())


def test_nvidia_features_add_up_but_a_targets_stand_alone():
    f = {name: c.features for name, c in arch.CHIPS.items()}
    assert {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"} <= f["sm_90a"] and "sm_90a" in f["sm_90a"]
    assert "sm_90a" not in f["sm_90"] | f["sm_100a"] and "sm_80" not in f["sm_75"] and "sm_90" in f["sm_100a"]


def test_unknown_chip_lists_the_known():
    with pytest.raises(UnsupportedError, match="no chip 'gfx1100'") as e:
        arch.chip("gfx1100")
    assert e.value.code == "U101" and "gfx942" in e.value.hint


def test_inference_prefers_common_chips():
    assert arch.infer([]) is None
    for features, want in (
        (("gfx9",), "gfx942"), (("mfma-gfx950",), "gfx950"), (("mfma-gfx908",), "gfx90a"), (("sm_75",), "sm_80"),
        (("sm_90a",), "sm_90a"),
        (("sm_89",), "sm_90a"), (("sm_100a",), "sm_100a"), (("xf32", "mfma-gfx950"), "gfx942"),
    ):  # fmt: skip
        chosen = arch.infer([needs(*features)])
        assert chosen is not None and chosen.name == want
    both = arch.infer([needs("gfx9"), needs("mfma-gfx950")])
    assert both is not None and both.name == "gfx950"


def test_no_chip_has_them_all():
    with pytest.raises(UnsupportedError) as e:
        arch.infer([needs("sm_80"), needs("gfx9")])
    assert e.value.code == "U102" and "gfx9" in e.value.message and "sm_80" in e.value.message


def test_every_row_is_on_some_chip():
    from avelang.isa import ROWS

    for row in ROWS.values():
        assert any(c.has(row) for c in arch.CHIPS.values()), row.name
    assert set(arch.PREFERENCE) == set(arch.CHIPS)
