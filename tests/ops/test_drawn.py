"""The drawing of calls of `avelang.ops` on the CPU, and that it finds what is wrong: tests/gpu/drawn_check.py draws many
on a GPU."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from avelang import ops  # noqa: E402
from ops import drawn_attention, drawn_products, drawn_rows  # noqa: E402
from ops.drawing import BF16, F32, Draw, differentiable, wrong  # noqa: E402

FAMILIES = sorted({f for m in (drawn_rows, drawn_products, drawn_attention) for f in m.FAMILY}, key=lambda f: f.__name__)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_drawn(family):
    case = family(Draw(f"test/{family.__name__}", "cpu", 1 << 12))
    assert not wrong(case), case.said


def control(call, dtype=F32):
    """What is said of a call that doubles."""
    draw = Draw("control", "cpu", 1 << 12)
    given = {"x": draw.normal("x", (5, 7), dtype, grad=True, spread=False)}
    return wrong(differentiable(draw, "control", call, lambda x: 2 * x, given))


def test_what_is_wrong_is_found():
    assert not control(lambda x: 2 * x)
    assert "result0: 35 of 35 are wrong" in control(lambda x: x.detach() * 3 + x * 0)[0]
    assert "gradient of x" in control(lambda x: 2 * x.detach() + 0 * x)[0]
    assert "Mismatch in shape" in control(lambda x: 2 * x[:, 0])[0]
    assert "nan" in control(lambda x: torch.empty_like(x) + 0 * x)[0]  # new memory is poisoned
    assert "x was changed" in control(lambda x: x.data.mul_(2) + x * 0, BF16)[0]


def test_memory_around_an_output_is_watched():
    draw = Draw("around", "cpu", 1 << 12)
    out = draw.out((3, 4), F32, 1.0)
    out.copy_(torch.zeros(3, 4))
    assert not draw.changed()
    torch.as_strided(out, (1,), (1,), out.storage_offset() + 1 + sum((n - 1) * s for n, s in zip(out.shape, out.stride()))).fill_(0)
    assert draw.changed() == ["memory of out was written outside of it"]


class Doubled:
    """`avelang.ops` with results that are twice what they should be."""

    def __getattr__(self, name):
        found = getattr(ops, name)
        return found if name == "invariant" else lambda *a, **more: 2 * found(*a, **more)


@pytest.mark.parametrize("family", ["gates", "rms_norm", "rotary", "softmax"])
def test_drawn_calls_of_jax(family, monkeypatch):
    """They are made by JAX, and what is wrong with them is found."""
    jax = pytest.importorskip("jax")
    from ops import by_jax

    device = jax.devices("cpu")[0]
    with by_jax.drawn(f"test/{family}", family, device, 1 << 10) as case:
        assert not wrong(case), case.said
    if family == "softmax":
        monkeypatch.setattr(by_jax, "ops", Doubled())
        with by_jax.drawn(f"test/{family}", family, device, 1 << 10) as case:
            assert "are wrong" in wrong(case)[0]
