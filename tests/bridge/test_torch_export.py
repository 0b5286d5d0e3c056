"""Programs that torch.export keeps: they compute the same, with other extents too, and in a process that has called no operation."""

import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from avelang import ops  # noqa: E402
from avelang.bridge.registry import OPERATIONS  # noqa: E402


class Layer(torch.nn.Module):
    """A norm, a gated layer, attention, and a softmax."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(16))
        self.up, self.down = torch.nn.Linear(16, 48), torch.nn.Linear(24, 16)

    def forward(self, x):
        h = ops.swiglu(ops.linear(ops.rms_norm(x, self.weight, eps=1e-6), self.up.weight, self.up.bias))
        heads = h.view(h.shape[0], h.shape[1], 2, 12).transpose(1, 2)
        made = ops.attention(heads, heads, heads, is_causal=True).transpose(1, 2).reshape(h.shape)
        return ops.softmax(ops.linear(made, self.down.weight, self.down.bias))


LOAD = """
import sys, torch
from avelang import ops
ops.register_torch()
x, y = torch.load(sys.argv[2])
torch.testing.assert_close(torch.export.load(sys.argv[1]).module()(x), y)
print("the same")
"""


def test_a_program_is_loaded_elsewhere(tmp_path):
    torch.manual_seed(1)
    layer, (batch, length) = Layer().eval(), (torch.export.Dim("batch", min=2, max=64), torch.export.Dim("length", min=2, max=64))
    program = torch.export.export(layer, (torch.randn(3, 5, 16),), dynamic_shapes=({0: batch, 1: length},))
    x = torch.randn(4, 9, 16)
    y = layer(x).detach()
    torch.testing.assert_close(program.module()(x), y)
    torch.export.save(program, tmp_path / "program.pt2")
    torch.save((x, y), tmp_path / "arrays.pt")
    command = [sys.executable, "-c", LOAD, str(tmp_path / "program.pt2"), str(tmp_path / "arrays.pt")]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=300, check=False)
    assert "the same" in done.stdout, done.stderr[-3000:]


def test_no_list_is_empty_where_nothing_is_said():
    """AOTInductor's programs hand over such a list as None."""
    ops.register_torch()
    ours = [o for name, o in OPERATIONS.items() if name.startswith("avelang::")]
    assert len(ours) > 20 and not [o.full_name for o in ours if () in o.signature.defaults]
