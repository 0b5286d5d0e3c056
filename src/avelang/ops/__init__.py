"""Operations that a model calls: arrays of NumPy, torch or JAX come in; the kernel of the chip and of the shape runs;
an array of the same kind goes out. docs/ops.md lists them."""

import sys
import types
from typing import TYPE_CHECKING, Any

from avelang.frontend.names import missing

# Each public operation and the module that has it, which is imported when the operation is asked for.
TABLE = {
    "attention": "avelang.ops.attention",
    "cross_entropy": "avelang.ops.loss",
    "geglu": "avelang.ops.swiglu",
    "grouped_matmul": "avelang.ops.grouped",
    "invariant": "avelang.bridge",
    "layer_norm": "avelang.ops.norm",
    "linear": "avelang.ops.linear",
    "linear_cross_entropy": "avelang.ops.loss",
    "log_softmax": "avelang.ops.softmax",
    "matmul": "avelang.ops.matmul",
    "moe": "avelang.ops.moe",
    "quantize_fp8": "avelang.ops.scaled",
    "rms_norm": "avelang.ops.norm",
    "rotary": "avelang.ops.rotary",
    "scaled_matmul": "avelang.ops.scaled",
    "softmax": "avelang.ops.softmax",
    "swiglu": "avelang.ops.swiglu",
}

# What torch and others call it.
THEIRS = {
    **dict.fromkeys(("mm", "bmm", "gemm", "dot", "einsum", "addmm"), "ops.matmul(a, b, bias=...)"),
    **dict.fromkeys(("relu", "silu", "gelu"), "ops.matmul(a, b, activation=...), or ops.swiglu and ops.geglu"),
    **dict.fromkeys(("scaled_dot_product_attention", "flash_attention", "flash_attn_func", "sdpa"),
                    "ops.attention(query, key, value, is_causal=...)"),
    **dict.fromkeys(("scaled_mm", "fp8_matmul"), "ops.scaled_matmul(a, b, scale_a, scale_b)"),
    **dict.fromkeys(("grouped_mm", "grouped_gemm"), "ops.grouped_matmul(a, b, offs)"),
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), "there is no convolution: ops.matmul of unfolded rows, or a kernel "
                    "of tiles over view.embed"),
    "nll_loss": "ops.cross_entropy(logits, target)",
    "rope": "ops.rotary(q, k, cos, sin)",
    "layernorm": "ops.layer_norm(x, weight, bias)",
    "rmsnorm": "ops.rms_norm(x, weight)",
    "quantize": "ops.quantize_fp8(x, block)",
}  # fmt: skip

if TYPE_CHECKING:
    from avelang.bridge import invariant as invariant
    from avelang.ops.attention import attention as attention
    from avelang.ops.grouped import grouped_matmul as grouped_matmul
    from avelang.ops.linear import linear as linear
    from avelang.ops.loss import cross_entropy as cross_entropy
    from avelang.ops.loss import linear_cross_entropy as linear_cross_entropy
    from avelang.ops.matmul import matmul as matmul
    from avelang.ops.moe import moe as moe
    from avelang.ops.norm import layer_norm as layer_norm
    from avelang.ops.norm import rms_norm as rms_norm
    from avelang.ops.rotary import rotary as rotary
    from avelang.ops.scaled import quantize_fp8 as quantize_fp8
    from avelang.ops.scaled import scaled_matmul as scaled_matmul
    from avelang.ops.softmax import log_softmax as log_softmax
    from avelang.ops.softmax import softmax as softmax
    from avelang.ops.swiglu import geglu as geglu
    from avelang.ops.swiglu import swiglu as swiglu

__all__ = [
    "attention", "cross_entropy", "geglu", "grouped_matmul", "invariant", "layer_norm", "linear",
    "linear_cross_entropy", "log_softmax", "matmul", "moe", "quantize_fp8", "register_torch", "rms_norm", "rotary",
    "scaled_matmul", "softmax", "swiglu",
]  # fmt: skip


if not TYPE_CHECKING:  # a checker knows all names

    def __getattr__(name: str) -> Any:
        if name not in TABLE:
            raise missing("avelang.ops", name, TABLE, THEIRS.get(name, ""))
        import importlib

        found = globals()[name] = getattr(importlib.import_module(TABLE[name]), name)
        return found


def register_torch() -> None:
    """Makes torch know all operators of this package, and of operations of your own that have been made, before their
    first calls: for programs that `torch.export` has kept. torch must have been imported."""
    import importlib

    from avelang import bridge

    for module in sorted({*TABLE.values(), "avelang.ops.dist"}):
        importlib.import_module(module)
    bridge.register_torch()


class _Operations(types.ModuleType):
    """This package: an operation stays what its name means, though a module of the same name is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, types.ModuleType) and TABLE.get(name) == value.__name__:
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Operations


def __dir__() -> list[str]:
    return sorted({*globals(), *TABLE})
