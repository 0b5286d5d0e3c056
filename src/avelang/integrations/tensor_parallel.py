"""A model of transformers on several ranks: its projections keep the rank's rows or columns of their weights, and the
products around the exchange are those of `avelang.ops.dist`.

Of attention and gated MLPs the first projections (q, k, v, gate, up) have their rows split, so that each rank has whole
heads and whole channels; the last ones (o, down) their columns, and their results are summed over ranks. Experts are
split the same way, each by its channels. What enters such a part is the same on all ranks: its gradient is summed."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from avelang import argument_error, ops
from avelang.dist.memory import Member
from avelang.integrations.patches import Patch
from avelang.integrations.sequence_parallel import Tokens, divide, gate_and_up, gathered
from avelang.ops import dist
from avelang.ops.dist.members import member_of

COLUMNS = {"attention": ("q_proj", "k_proj", "v_proj"), "mlp": ("gate_proj", "up_proj")}
ROWS = {"attention": "o_proj", "mlp": "down_proj"}


def tensor_parallel(
    model: Any, group: Any = None, *, vocabulary: bool = False, sequence: bool = False, fuse: bool | None = None
) -> Patch:
    """Splits a model of transformers (Llama, Qwen3, Mixtral, and what is built like them) over ranks, in place.

    model: the same on all ranks, with the same weights; heads, those of keys, and channels of MLPs must be multiples of
    the ranks. group: as of `avelang.ops.dist`. vocabulary: the rows of the head are split too, and logits gathered; not
    where it is the embedding. sequence: between projections each rank has a part of the tokens only, by
    `all_gather_matmul` and `matmul_reduce_scatter` (fuse: as these have it); where gradients are wanted, tokens of a
    sequence must be a multiple of the ranks. Each rank calls the model with the same tokens and gets the same logits,
    loss, and gradients: whole ones of weights that all have, those of its part of the others. Parameters stay the same
    objects, with less in them: make optimizers before or behind it, but their state behind.

    Returns the `Patch`, which says what was split and what was kept, and undoes it: weights and gradients are gathered
    again, so all ranks undo. Goes with `patch(model)`, before or behind it. Raises L066 for what is no such model or
    cannot be split."""
    if not hasattr(model, "modules") or not hasattr(model, "config"):
        raise argument_error(f"model is {type(model).__name__}: it must be a model of transformers")
    member = member_of(group)
    if any(hasattr(p, "_of_ranks") for p in model.parameters()):
        raise argument_error("model is split already: undo that first")
    found = [(kind, m) for m in model.modules() for kind, first in COLUMNS.items()
             if all(_linear(getattr(m, n, None)) for n in (*first, ROWS[kind]))]  # fmt: skip
    for kind, m in found:
        _check(kind, m, member.ranks)
    made = Patch(model)
    tokens = Tokens(member, fuse) if sequence else None
    if tokens is not None:
        divide(made, model, tokens, [m for _, m in found])
    for kind, m in found:
        _split_projections(made, kind, m, member, tokens)
    _experts(made, model, member)
    if vocabulary:
        _head(made, model, member)
    if not made.replaced:
        made.kept["over ranks"] = "the model has no projections that are known"
    return made


def _linear(m: Any) -> bool:
    return type(m).__name__ == "Linear" and getattr(getattr(m, "weight", None), "ndim", 0) == 2


def _check(kind: str, m: Any, ranks: int) -> None:
    """Raises L066 where a part cannot be split."""
    each = getattr(m, "head_dim", 1) if kind == "attention" else 1
    for name in COLUMNS[kind]:
        count = getattr(m, name).weight.shape[0] // each
        if count % ranks:
            what = f"heads of {each}" if kind == "attention" else "channels"
            raise argument_error(f"{type(m).__name__}.{name} has {count} {what}: they must be a multiple of {ranks} "
                                 f"ranks")  # fmt: skip


# -- gradients ---------------------------------------------------------------------------------------------------------


@functools.cache
def _functions() -> tuple[Any, Any, Any]:
    """Three functions of torch with gradients, of (x, member), where all ranks compute one loss."""
    torch: Any = sys.modules["torch"]

    class Entered(torch.autograd.Function):
        """What all ranks have, as it is; its gradient is the sum over ranks."""

        @staticmethod
        def forward(ctx: Any, x: Any, member: Any) -> Any:
            ctx.member = member
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return dist.all_reduce(grad, ctx.member), None

    class Summed(torch.autograd.Function):
        """The sum over ranks; each has its whole gradient."""

        @staticmethod
        def forward(ctx: Any, x: Any, member: Any) -> Any:
            return dist.all_reduce(x, member)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad, None

    class Joined(torch.autograd.Function):
        """The columns of all ranks side by side; each takes the gradient of its own."""

        @staticmethod
        def forward(ctx: Any, x: Any, member: Any) -> Any:
            ctx.member, ctx.wide = member, x.shape[-1]
            whole = dist.all_gather(x.reshape(1, -1, x.shape[-1]), member)
            return whole.transpose(0, 1).reshape(*x.shape[:-1], -1)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad[..., ctx.member.rank * ctx.wide : (ctx.member.rank + 1) * ctx.wide], None

    return Entered.apply, Summed.apply, Joined.apply


# -- parts -------------------------------------------------------------------------------------------------------------


def _cut(x: Any, axis: int, member: Member) -> Any:
    """The rank's part of an array."""
    return x.detach().chunk(member.ranks, axis)[member.rank].clone()


def _whole(x: Any, axis: int, member: Member) -> Any:
    """The parts of all ranks together."""
    return dist.all_gather(x.detach().movedim(axis, 0).contiguous(), member).movedim(0, axis).contiguous()


def _gates(cut: Callable[..., Any]) -> Callable[..., Any]:
    """The same of arrays (experts, 2 channels, ...), gates before ups: both are cut, or joined, for themselves."""

    def both(x: Any, axis: int, member: Member) -> Any:
        halves = x.detach().chunk(2, axis)
        return sys.modules["torch"].cat([cut(h, axis, member) for h in halves], axis)

    return both


def _split(made: Patch, p: Any, axis: int, member: Member, gates: bool = False) -> None:
    """Leaves a parameter, and its gradient, the rank's part."""
    cut, whole = (_gates(_cut), _gates(_whole)) if gates else (_cut, _whole)

    def put(change: Callable[..., Any]) -> None:
        grad = None if p.grad is None else change(p.grad, axis, member)
        p.grad = None
        p.data = change(p.data, axis, member)
        p.grad = grad

    def back() -> None:
        put(whole)
        del p._of_ranks

    put(cut)
    p._of_ranks = (member.rank, member.ranks, axis)
    made.undoing(back)


def _entering(made: Patch, m: Any, member: Member, names: tuple[str, ...], tokens: Tokens | None = None) -> None:
    """Arguments of a module that are floats, the first ones by their names, enter from all ranks."""

    def entered(x: Any, member: Member) -> Any:
        return gathered(x, member) if tokens is not None and tokens.split else _functions()[0](x, member)

    def hook(module: Any, args: Any, kwargs: Any) -> Any:
        args = tuple(entered(x, member) if _floats(x) else x for x in args)
        return args, {k: entered(x, member) if k in names and _floats(x) else x for k, x in kwargs.items()}

    made.undoing(m.register_forward_pre_hook(hook, with_kwargs=True).remove)


def _entering_whole(made: Patch, m: Any, member: Member, tokens: Tokens) -> None:
    """The entry of an MLP that gathers by itself: nothing to do but where tokens are not divided."""

    def hook(module: Any, args: Any) -> Any:
        return args if tokens.split else tuple(_functions()[0](x, member) for x in args)

    made.undoing(m.register_forward_pre_hook(hook).remove)


def _floats(x: Any) -> bool:
    return getattr(x, "dtype", None) is not None and x.dtype.is_floating_point


def column_forward(self: Any, x: Any) -> Any:
    """A projection whose rows are the rank's."""
    return ops.linear(x, self.weight, self.bias)


def _row_forward(member: Member, tokens: Tokens | None) -> Callable[..., Any]:
    summed = _functions()[1]

    def row_forward(self: Any, x: Any) -> Any:
        """A projection whose columns are the rank's, summed over ranks."""
        if tokens is not None and tokens.split:
            found = tokens.scattered(x, self.weight)
        else:
            found = summed(ops.linear(x, self.weight), member)
        return found if self.bias is None else found + self.bias

    return row_forward


def _split_projections(made: Patch, kind: str, m: Any, member: Member, tokens: Tokens | None) -> None:
    part, together = f"{kind} over ranks", tokens is not None and kind == "mlp"
    for name in COLUMNS[kind]:
        p = getattr(m, name)
        _split(made, p.weight, 0, member)
        if p.bias is not None:
            _split(made, p.bias, 0, member)
        if not together:
            made.forward(part, p, column_forward)
    last = getattr(m, ROWS[kind])
    _split(made, last.weight, 1, member)
    made.forward(part, last, _row_forward(member, tokens))
    if tokens is not None and together:
        gate_and_up(made, part, m, tokens)
        _entering_whole(made, m, member, tokens)
    else:
        _entering(made, m, member, ("hidden_states", "x"), tokens)
    inside = [p for n, p in m.named_parameters() if not hasattr(p, "_of_ranks") and n != f"{ROWS[kind]}.bias"]
    for p in inside:  # of norms of heads: each rank's gradient is that of its own heads
        if p.requires_grad:
            made.undoing(p.register_hook(lambda g: dist.all_reduce(g, member)).remove)


def _experts(made: Patch, model: Any, member: Member) -> None:
    summed = _functions()[1]
    for m in model.modules():
        if not all(getattr(getattr(m, n, None), "ndim", 0) == 3 for n in ("gate_up_proj", "down_proj")):
            continue
        channels = m.down_proj.shape[2]
        if getattr(m, "is_transposed", False) or getattr(m, "has_bias", False) or channels % member.ranks:
            made.kept["experts over ranks"] = f"weights are arranged otherwise, or no parts of {channels} channels"
            continue
        _split(made, m.gate_up_proj, 1, member, gates=True)
        _split(made, m.down_proj, 2, member)
        _entering(made, m, member, ("hidden_states", "top_k_weights"))
        made.undoing(m.register_forward_hook(lambda module, args, out: summed(out, member)).remove)
        made.replaced["experts over ranks"] = made.replaced.get("experts over ranks", 0) + 1


def _head(made: Patch, model: Any, member: Member) -> None:
    head: Any = getattr(model, "lm_head", None)
    embedding = model.get_input_embeddings()
    if not _linear(head) or head.weight is embedding.weight or head.weight.shape[0] % member.ranks:
        made.kept["vocabulary over ranks"] = "the head is the embedding, or its rows are no multiple of the ranks"
        return
    joined = _functions()[2]

    def head_forward(self: Any, x: Any) -> Any:
        """The head, whose rows are the rank's: logits of all."""
        return joined(ops.linear(x, self.weight, self.bias), member)

    _split(made, head.weight, 0, member)
    if head.bias is not None:
        _split(made, head.bias, 0, member)
    _entering(made, head, member, ("input",))
    made.forward("vocabulary over ranks", head, head_forward)
