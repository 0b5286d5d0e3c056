"""Activations between the projections of a split model, by tokens: each rank has some of them for norms and residual
sums; what the first projections need is gathered, what the last ones make is summed and scattered, by the fused
products of `avelang.ops.dist` where there is one."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

from avelang import argument_error, ops
from avelang.dist.memory import Member
from avelang.integrations.patches import Patch
from avelang.ops import dist


@functools.cache
def _functions() -> tuple[Any, Any]:
    """Two functions of torch of (x, member), x being (batch, tokens, ...), whose gradients are whole on each rank."""
    torch: Any = sys.modules["torch"]

    def own(x: Any, member: Any) -> Any:
        return x.chunk(member.ranks, 1)[member.rank].contiguous()

    class Own(torch.autograd.Function):
        """The rank's tokens."""

        @staticmethod
        def forward(ctx: Any, x: Any, member: Any) -> Any:
            ctx.member = member
            return own(x, member)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return gathered(grad, ctx.member), None

    class Collected(torch.autograd.Function):
        """The tokens of all ranks."""

        @staticmethod
        def forward(ctx: Any, x: Any, member: Any) -> Any:
            ctx.member = member
            return gathered(x, member)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return own(grad, ctx.member), None

    return Own.apply, Collected.apply


def gathered(x: Any, member: Member) -> Any:
    """(batch, tokens of a rank, ...) of all ranks as (batch, tokens, ...); gradients are summed and scattered."""
    return dist.all_gather(x.transpose(0, 1).contiguous(), member).transpose(0, 1).contiguous()


class Tokens:
    """The division of a model's tokens. `split`: whether the call that runs has them divided."""

    def __init__(self, member: Member, fuse: bool | None):
        self.member, self.fuse, self.split = member, fuse, False

    def begin(self, count: int) -> None:
        """Decides for a call of so many tokens. Raises L066 where they are no multiple, and gradients are wanted."""
        self.split = count % self.member.ranks == 0
        if not self.split and sys.modules["torch"].is_grad_enabled():
            raise argument_error(
                f"the sequence has {count} tokens: with sequence=True they must be a multiple of {self.member.ranks} "
                f"ranks where gradients are wanted"
            )

    def product(self, x: Any, weight: Any, bias: Any) -> Any:
        """The tokens of all ranks by a weight (n, k) of the rank's own rows: one fused product where that is worth
        it."""
        rows = x.transpose(0, 1).reshape(-1, x.shape[-1])
        made = dist.all_gather_matmul(rows, weight.T, self.member, fuse=self.fuse)
        made = made.reshape(-1, x.shape[0], weight.shape[0]).transpose(0, 1)
        return made if bias is None else made + bias

    def scattered(self, x: Any, weight: Any) -> Any:
        """The rank's tokens of the sum of x (batch, tokens, k) by a weight (n, k) of own columns."""
        rows = x.transpose(0, 1).reshape(-1, x.shape[-1])
        made = dist.matmul_reduce_scatter(rows, weight.T, self.member, fuse=self.fuse)
        return made.reshape(-1, x.shape[0], weight.shape[0]).transpose(0, 1).contiguous()


def gate_and_up(made: Patch, part: str, m: Any, tokens: Tokens) -> None:
    """Makes the gate and the up projection of an MLP one product: who is called first computes both."""
    torch: Any = sys.modules["torch"]
    kept: dict[str, tuple[Any, Any]] = {}

    def forward_of(mine: str, other: str) -> Callable[..., Any]:
        def projection_forward(self: Any, x: Any) -> Any:
            """A projection whose rows are the rank's, of the tokens of all ranks."""
            if not tokens.split:
                return ops.linear(x, self.weight, self.bias)
            given, ready = kept.pop(mine, (None, None))
            if given is x:
                return ready
            next_one = getattr(m, other)
            bias = None if self.bias is None else torch.cat([self.bias, next_one.bias])
            both = tokens.product(x, torch.cat([self.weight, next_one.weight]), bias)
            found, then = both.split([self.weight.shape[0], next_one.weight.shape[0]], -1)
            kept[other] = x, then
            return found

        return projection_forward

    made.forward(part, m.gate_proj, forward_of("gate_proj", "up_proj"))
    made.forward(part, m.up_proj, forward_of("up_proj", "gate_proj"))


def _first(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """A hook that changes hidden states: the first argument, or the one of that name."""

    def hook(module: Any, args: Any, kwargs: Any) -> Any:
        if args:
            return (change(args[0]), *args[1:]), kwargs
        return args, {**kwargs, "hidden_states": change(kwargs["hidden_states"])}

    return hook


def divide(made: Patch, model: Any, tokens: Tokens, parts: Sequence[Any]) -> None:
    """Divides tokens at the first layer, and gathers them in front of the last norm, and around mixtures of experts.
    `parts`: attentions and MLPs that are split. Raises L066 for a model without layers that are known."""
    base = getattr(model, "model", model)
    layers, norm = getattr(base, "layers", None), getattr(base, "norm", None)
    if not layers or norm is None or not all(hasattr(x, "self_attn") and hasattr(x, "mlp") for x in layers):
        raise argument_error("sequence=True: the model has no `layers` with `self_attn` and `mlp`, and a `norm` behind")
    known = {id(x) for layer in layers for x in (layer.self_attn, layer.mlp)}
    other = next((type(m).__name__ for m in parts if id(m) not in known), None)
    if other is not None:
        raise argument_error(f"sequence=True: {other} is part of another part of its layer, as a shared expert is")
    member, (own, collected) = tokens.member, _functions()

    def begin(x: Any) -> Any:
        tokens.begin(x.shape[1])
        return own(x, member) if tokens.split else x

    def end(x: Any) -> Any:
        return collected(x, member) if tokens.split else x

    def back(module: Any, args: Any, out: Any) -> Any:
        return own(out, member) if tokens.split else out

    made.undoing(layers[0].register_forward_pre_hook(_first(begin), with_kwargs=True).remove)
    made.undoing(norm.register_forward_pre_hook(_first(end), with_kwargs=True).remove)
    for layer in layers:
        if hasattr(layer.mlp, "experts"):
            made.undoing(layer.mlp.register_forward_pre_hook(_first(end), with_kwargs=True).remove)
            made.undoing(layer.mlp.register_forward_hook(back).remove)
        outside = [p for n, p in layer.named_parameters() if not n.startswith(("self_attn.", "mlp."))]
        last = (getattr(layer.self_attn, "o_proj", None), getattr(layer.mlp, "down_proj", None))
        for p in (*outside, *(m.bias for m in last if m is not None and m.bias is not None)):
            if p.requires_grad:  # each rank's gradient is that of its own tokens
                made.undoing(p.register_hook(lambda g: dist.all_reduce(g, member)).remove)
    made.replaced["layers by tokens"] = len(layers)
