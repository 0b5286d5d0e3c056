"""Hugging Face's transformers: a model (Llama, Qwen3, Mixtral, and whatever is built like them) comes in; its
attention, norms, rotary embedding, gated MLPs, experts and loss become Ave's operations, until that is undone.

Parts are known by what they compute, not by their class's name: see `probes`. What is replaced is the `forward` of a
module of this model, never a class, so that other models stay as they are. Sources: transformers, "Attention
Interface" and `modeling_llama.py`, `modeling_mixtral.py` (5.24)."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from avelang import argument_error, ops
from avelang.integrations import probes
from avelang.integrations.patches import Patch, ours
from avelang_kernels.attention.table import WIDEST

PARTS = ("attention", "norms", "rotary", "mlp", "experts", "loss")
# The operation that a part needs; without it the part stays as it is.
NEEDS = {"attention": "attention", "norms": "rms_norm", "rotary": "rotary", "mlp": "swiglu",
         "experts": "grouped_matmul", "loss": "cross_entropy"}  # fmt: skip
# Parts that are replaced where they are named alone, and the operations that they need.
OPTIONAL = {"linear": "linear", "linear_loss": "linear_cross_entropy"}
NAME = "avelang"  # of the attention, in transformers' registry
_FLOATS = ("bfloat16", "float16")
_PRODUCTS = (*_FLOATS, "float32")


def patch(model: Any, parts: Sequence[str] = PARTS, tp: Any = None) -> Patch:
    """Replaces what Ave has operations for in a model of transformers, in place.

    model: a `PreTrainedModel` such as `LlamaForCausalLM`, on any device, in any dtype that the operations take; for
    training, generation and `torch.compile`. parts: which of "attention", "norms", "rotary", "mlp", "experts" and
    "loss", and two more that must be named: "linear", all linear layers, with which `ops.invariant()` holds for the
    whole model; "linear_loss", the last layer and the loss as one where labels are given in training, so that logits
    are never whole in memory, and `logits` of the output is None. tp: a group of ranks, as of `avelang.ops.dist`, over
    which weights are split (see `tensor_parallel`). Returns the `Patch`, which says what was replaced and what was kept
    for which reason, and undoes it. Dropout in attention is drawn by torch's generator. Raises L066 for what is no such
    model, for parts that there are not, and for a model that is patched already."""
    if not hasattr(model, "modules") or not hasattr(model, "config"):
        raise argument_error(f"model is {type(model).__name__}: it must be a model of transformers")
    wrong = [p for p in parts if p not in (*PARTS, *OPTIONAL)]
    if wrong:
        raise argument_error(f"parts has {wrong}: there are {', '.join((*PARTS, *OPTIONAL))}")
    if any(getattr(getattr(m.__dict__.get("forward"), "__func__", None), "_of_avelang", False)
           for m in model.modules()):  # fmt: skip
        raise argument_error("model is patched already: undo that first")
    made = Patch(model)
    for part in parts:
        needed = {**NEEDS, **OPTIONAL}[part]
        if needed not in ops.TABLE:
            made.kept[part] = f"there is no operation {needed}"
            continue
        _PATCHES[part](made, model)
        if part not in made.replaced:
            made.kept.setdefault(part, "the model has none that is known")
    if tp is not None:
        from avelang.integrations.tensor_parallel import tensor_parallel

        try:
            made.adopt(tensor_parallel(model, tp))
        except BaseException:
            made.undo()
            raise
    return made


# -- norms, MLPs, rotary embedding -------------------------------------------------------------------------------------


def norm_forward(epsilon: str, offset: int) -> Callable[..., Any]:
    """The root mean square norm of a model's layer. epsilon: the name of the module's."""

    @ours
    def forward(self: Any, hidden_states: Any) -> Any:
        return ops.rms_norm(hidden_states, self.weight, eps=getattr(self, epsilon), offset=offset)

    return forward


def _replace(made: Patch, part: str, m: Any, function: Callable[..., Any] | None) -> None:
    """Replaces a module's forward by one that computes the same, if there is one, and nobody else has replaced it."""
    if "forward" in m.__dict__:
        made.kept[part] = f"the forward of {type(m).__name__} is another's already"
    elif function is None:
        made.kept[part] = f"{type(m).__name__} computes something else"
    else:
        made.forward(part, m, function)


def _norms(made: Patch, model: Any) -> None:
    forwards = {(name, offset): norm_forward(name, offset) for name in probes.EPSILONS for offset in (0, 1)}
    for m in model.modules():
        if any(hasattr(m, n) for n in probes.EPSILONS) and getattr(getattr(m, "weight", None), "ndim", 0) == 1:
            found = probes.rms_norm_of(m)
            _replace(made, "norms", m, forwards[found] if found else None)


def mlp_forward(gated: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The gated MLP of a model's layer."""

    @ours
    def forward(self: Any, x: Any) -> Any:
        return self.down_proj(gated(self.gate_proj(x), self.up_proj(x)))

    return forward


_MLPS = {
    "silu": mlp_forward(ops.swiglu),
    "gelu": mlp_forward(lambda gate, up: ops.geglu(gate, up, approximate="none")),
    "gelu_tanh": mlp_forward(lambda gate, up: ops.geglu(gate, up, approximate="tanh")),
}


def _mlp(made: Patch, model: Any) -> None:
    for m in model.modules():
        if all(callable(getattr(m, n, None)) for n in ("gate_proj", "up_proj", "down_proj")):
            found = probes.gate_of(m)
            _replace(made, "mlp", m, _MLPS[found] if found else None)


def rotary_embedding(layout: str, interleaved: bool) -> Callable[..., Any]:
    """`apply_rotary_pos_emb` of transformers, for tables of a layout of `probes` and pairs of halves or neighbors."""

    def apply(q: Any, k: Any, cos: Any, sin: Any, unsqueeze_dim: int = 1) -> Any:
        """q and k are (batch, heads, positions, d), or with `unsqueeze_dim` 2 (batch, positions, heads, d); cos and sin
        (batch, positions, d)."""
        dims = 2 * cos.shape[-1] if layout == probes.ONCE else cos.shape[-1]
        if layout == probes.PAIRS and not interleaved:
            cos, sin = cos[..., ::2], sin[..., ::2]
        elif layout == probes.HALVES and interleaved:
            cos, sin = cos[..., : dims // 2], sin[..., : dims // 2]
        return ops.rotary(q, k, cos, sin, dims=dims, seq_dim=-2 if unsqueeze_dim == 1 else -3, interleaved=interleaved)

    return apply


def _calls(function: Any, name: str) -> Any:
    """The function that has a global of this name, of a function and those that it wraps; or None."""
    while name not in getattr(getattr(function, "__code__", None), "co_names", ()):
        function = getattr(function, "__wrapped__", None)
        if function is None:
            return None
    return function


def _with_global(function: Any, name: str, value: Any) -> Any:
    """A copy of a function, and of those that it wraps, in which a global is another one. The globals have no name: by
    that `torch.compile` would look for them, and guard what the module has. The code is a copy, too: `torch.compile`
    keeps what it made of a function with its code, and finds parts of that among the globals."""
    inner, names, cells = getattr(function, "__wrapped__", None), function.__globals__, function.__closure__
    if name in function.__code__.co_names:
        names = {**{n: x for n, x in names.items() if n != "__name__"}, name: value}
    elif cells is not None:
        own = _with_global(inner, name, value)
        cells = tuple(types.CellType(own) if c.cell_contents is inner else c for c in cells)
    made = types.FunctionType(function.__code__.replace(), names, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__, made.__module__ = function.__kwdefaults__, function.__module__
    return made


def _rotary(made: Patch, model: Any) -> None:
    """The function stands in the module of the model's class: each attention gets a forward that knows another."""
    kinds = tuple(dict.fromkeys(getattr(model.config, "layer_types", None) or ()))
    tables = [m for m in model.modules() if "rotary" in type(m).__name__.lower()]
    layouts = {probes.table_layout(m, kinds) for m in tables}
    layout = layouts.pop() if len(layouts) == 1 else None
    made_of: dict[Any, Any] = {}  # layers share a forward: `torch.compile` compiles it once
    for m in model.modules():
        forward = type(m).forward
        caller = _calls(forward, "apply_rotary_pos_emb")
        if caller is None:
            continue
        if layout is None:
            made.kept["rotary"] = "the model's tables of angles are not known"
            return
        neighbors = probes.interleaved_pairs(caller.__globals__["apply_rotary_pos_emb"], layout)
        if neighbors is None:
            made.kept["rotary"] = f"{type(m).__name__} has another function for it"
            continue
        if forward not in made_of:
            turned = rotary_embedding(layout, neighbors)
            made_of[forward] = ours(_with_global(forward, "apply_rotary_pos_emb", turned))
        _replace(made, "rotary", m, made_of[forward])


# -- attention ---------------------------------------------------------------------------------------------------------


def attention_forward(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, dropout: float = 0.0,
    scaling: float | None = None, is_causal: bool | None = None, softcap: float | None = None, s_aux: Any = None,
    position_bias: Any = None, **_: Any,
) -> tuple[Any, None]:  # fmt: skip
    """Attention as transformers' registry calls it: query (batch, heads, length, d), key and value (batch, key heads,
    keys, d), a mask of bool or float or None; s_aux: a score (heads,) more for each row, whose value is 0;
    position_bias: added to scores. Returns (batch, length, heads, d), and no weights."""
    if max(query.shape[-1], value.shape[-1]) > WIDEST and s_aux is None and not softcap:
        return _of_torch(module, query, key, value, attention_mask, dropout, scaling, is_causal, position_bias)
    length = query.shape[2]
    if attention_mask is not None and not attention_mask.shape[-1]:  # of `one_sequence`
        attention_mask = None
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    causal = length > 1 and attention_mask is None and causal
    if causal and key.shape[2] > length:  # a cache of a fixed size, of which the beginning is filled
        key, value = key[:, :, :length], value[:, :, :length]
    if position_bias is not None:
        attention_mask = _biased(position_bias.to(query.dtype), attention_mask)
    sinks = s_aux if s_aux is None else s_aux.float()
    out = ops.attention(query, key, value, attention_mask, dropout, causal, scaling, True, softcap=softcap or 0.0,
                        sinks=sinks)  # fmt: skip
    return out.transpose(1, 2).contiguous(), None


def _of_torch(module: Any, query: Any, key: Any, value: Any, mask: Any, dropout: float, *more: Any) -> Any:
    """Attention by torch's function, for heads that are wider than kernels take: Gemma 4's of all keys have 512."""
    if mask is not None and not mask.shape[-1]:  # of `one_sequence`
        mask = None
    forward = sys.modules["transformers.integrations.sdpa_attention"].sdpa_attention_forward
    return forward(module, query, key, value, mask, dropout, *more)


def _biased(bias: Any, mask: Any) -> Any:
    """What is added to scores: a bias of positions, where a mask lets keys take part."""
    if mask is None:
        return bias
    return bias.masked_fill(~mask, float("-inf")) if mask.dtype is sys.modules["torch"].bool else bias + mask


def attention_mask(**named: Any) -> Any:
    """The mask as transformers' registry asks for it: `sdpa_mask`, but none for a prefill without padding while
    `torch.compile` traces, where older versions make one: kernels know a causal mask by themselves, and are several
    times faster without an array of it."""
    torch: Any = sys.modules["torch"]
    keys, local = named.get("kv_length"), named.get("local_size")
    if (
        torch.compiler.is_compiling() and named.get("attention_mask") is None
        and named.get("allow_is_causal_skip", True) and isinstance(keys, int) and named.get("q_length") == keys
        and (local is None or keys < local)
    ):  # fmt: skip
        return None
    return sys.modules["transformers.masking_utils"].sdpa_mask(**named)


def one_sequence(module: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A hook before the forward of a model's layers: while `torch.compile` traces, transformers cannot see that the
    positions that it makes itself are of one sequence, and makes an array of a mask that tells sequences apart. A mask
    of four dimensions goes through as it is; this one has no keys, and stands for a causal one."""
    torch: Any = sys.modules["torch"]
    x = args[0] if len(args) == 1 else None if args else named.get("input_ids")
    x = named.get("inputs_embeds") if x is None else x
    said = ("attention_mask", "position_ids", "past_key_values")
    if torch.compiler.is_compiling() and x is not None and all(named.get(n) is None for n in said):
        return args, {**named, "attention_mask": torch.empty((1, 1, 1, 0), dtype=torch.float32, device=x.device)}
    return None


def _all_keys(config: Any) -> bool:
    """True where every layer's queries see all keys before them."""
    kinds = getattr(config, "layer_types", None)
    if kinds is not None:
        return all(k == "full_attention" for k in kinds)
    return all(getattr(config, n, None) is None for n in ("sliding_window", "attention_chunk_size"))


# What layers may hand to attention, of names that change its result and are not torch's own: why a model cannot have
# torch's function, and can have this one.
_BEYOND_TORCH = {"s_aux", "softcap"}
_HANDED = {*_BEYOND_TORCH, "dropout", "scaling", "is_causal", "position_bias", "sliding_window", "attention_mask"}


def _attention_layers(model: Any) -> tuple[list[Any], str]:
    """The layers of a model that ask transformers' registry for attention, and why they cannot have another one."""
    layers = [m for m in model.modules() if _calls(type(m).forward, "ALL_ATTENTION_FUNCTIONS") is not None]
    if not layers:
        return [], "its layers do not ask transformers for a function of attention"
    if not getattr(model, "_supports_sdpa", False):
        handed = [probes.handed_to(type(m).forward, "attention_interface") for m in layers]
        for names in handed:
            more = sorted(names - _HANDED)
            if more or not names & _BEYOND_TORCH:
                return [], f"it is not torch's{f', but has {more[0]}' if more else ''}"
    return layers, ""


def _attention(made: Patch, model: Any) -> None:
    utils = sys.modules.get("transformers.modeling_utils")
    masks = sys.modules.get("transformers.masking_utils")
    if utils is None or not hasattr(utils, "ALL_ATTENTION_FUNCTIONS") or masks is None:
        made.kept["attention"] = "this version of transformers has no registry of attention functions"
        return
    layers, why = _attention_layers(model)
    if why:
        made.kept["attention"] = why
        return
    wide = [m for m in layers if int(getattr(m, "head_dim", None) or 0) > WIDEST]
    if wide:
        made.kept["attention"] = f"heads of {wide[0].head_dim} are torch's: kernels take up to {WIDEST}"
        if len(wide) == len(layers):
            return
    utils.ALL_ATTENTION_FUNCTIONS.register(NAME, attention_forward)
    masks.ALL_MASK_ATTENTION_FUNCTIONS.register(NAME, attention_mask)
    before = model.config._attn_implementation
    model.set_attn_implementation(NAME)
    made.later("attention", len(layers) - len(wide), lambda: model.set_attn_implementation(before))
    for m in model.modules():
        if hasattr(m, "layers") and hasattr(m, "rotary_emb") and _all_keys(getattr(m, "config", model.config)):
            made.undoing(m.register_forward_pre_hook(one_sequence, with_kwargs=True).remove)


# -- experts -----------------------------------------------------------------------------------------------------------


@ours
def experts_forward(self: Any, hidden_states: Any, top_k_index: Any, top_k_weights: Any) -> Any:
    """The experts of a layer: rows sorted by expert, two products in groups with a gate between them, and the sum of
    each row's experts in the order of its choice."""
    torch: Any = sys.modules["torch"]
    rows, chosen = top_k_index.shape
    experts, order = torch.sort(top_k_index.reshape(-1), stable=True)
    ends = torch.searchsorted(experts, torch.arange(self.num_experts, device=experts.device), right=True)
    ends = ends.to(torch.int32)
    gated = ops.grouped_matmul(hidden_states[order // chosen], self.gate_up_proj.transpose(1, 2), ends)
    made = ops.grouped_matmul(ops.swiglu(gated), self.down_proj.transpose(1, 2), ends)
    places = torch.empty_like(order)
    places[order] = torch.arange(rows * chosen, device=order.device)
    sums = made[places].reshape(rows, chosen, -1).float() * top_k_weights.reshape(rows, chosen, 1).float()
    return sums.sum(1).to(hidden_states.dtype)


def _experts(made: Patch, model: Any) -> None:
    for m in model.modules():
        if not all(hasattr(m, n) for n in ("gate_up_proj", "down_proj", "num_experts", "act_fn")):
            continue
        dtype = str(m.gate_up_proj.dtype).split(".")[-1]
        if dtype in _FLOATS:
            _replace(made, "experts", m, experts_forward if probes.are_gated_experts(m) else None)
        else:
            made.kept["experts"] = f"weights are of {dtype}, and products in groups take {' and '.join(_FLOATS)}"


# -- linear layers -----------------------------------------------------------------------------------------------------


@ours
def linear_forward(self: Any, input: Any) -> Any:
    """A linear layer."""
    return ops.linear(input, self.weight, self.bias)


def _linear(made: Patch, model: Any) -> None:
    torch: Any = sys.modules["torch"]
    for m in model.modules():
        if type(m) is torch.nn.Linear:
            dtype = str(m.weight.dtype).split(".")[-1]
            if dtype in _PRODUCTS:
                _replace(made, "linear", m, linear_forward)
            else:
                made.kept["linear"] = f"weights are of {dtype}, and products take {', '.join(_PRODUCTS)}"


# -- loss --------------------------------------------------------------------------------------------------------------


def next_tokens(labels: Any, shift_labels: Any, ignore_index: int) -> Any:
    """The token that follows upon each position; `shift_labels` where that is given."""
    pad = sys.modules["torch"].nn.functional.pad
    return pad(labels, (0, 1), value=ignore_index)[..., 1:] if shift_labels is None else shift_labels


def causal_loss(
    logits: Any, labels: Any, vocab_size: int, num_items_in_batch: Any = None, ignore_index: int = -100,
    shift_labels: Any = None, **_: Any,
) -> Any:  # fmt: skip
    """The loss of the next token: cross entropy of logits (batch, positions, vocab_size) and labels (batch, positions),
    which are moved by one unless `shift_labels` has them so; the mean, or the sum over `num_items_in_batch`."""
    wanted = next_tokens(labels, shift_labels, ignore_index).reshape(-1).to(logits.device)
    reduction = "mean" if num_items_in_batch is None else "sum"
    loss = ops.cross_entropy(logits.reshape(-1, vocab_size), wanted, ignore_index=ignore_index, reduction=reduction)
    return loss if num_items_in_batch is None else loss / num_items_in_batch


def _loss(made: Patch, model: Any, part: str = "loss", loss: Callable[..., Any] = causal_loss) -> None:
    if not hasattr(type(model), "loss_function") or not type(model).__name__.endswith("ForCausalLM"):
        made.kept[part] = "the model has no loss of the next token"
        return
    name = getattr(model.loss_function, "__name__", "of another kind")
    if name != "ForCausalLMLoss" and model.loss_function is not causal_loss:
        made.kept[part] = f"its loss is {name}"
        return
    before = model.__dict__.get("_loss_function")

    def undo() -> None:
        if before is None:
            model.__dict__.pop("_loss_function", None)
        else:
            model.loss_function = before

    model.loss_function = loss
    made.later(part, 1, undo)


def _linear_loss(made: Patch, model: Any) -> None:
    """The model's own forward runs; while it does, its last layer gives what it gets, and the loss multiplies."""
    torch: Any = sys.modules["torch"]
    head: Any = getattr(model, "lm_head", None)
    dtype = str(getattr(getattr(head, "weight", None), "dtype", "")).split(".")[-1]
    if type(head) is not torch.nn.Linear or dtype not in _PRODUCTS:
        made.kept["linear_loss"] = f"lm_head is of {type(head).__name__}, {dtype}"
        return
    if not probes.comes_from(type(model).forward, "logits", "self.lm_head"):
        made.kept["linear_loss"] = "its logits are not what lm_head gives"
        return
    skipping, plain, theirs = [False], head.forward, model.forward
    taken = inspect.signature(theirs)

    @ours
    def head_forward(self: Any, input: Any) -> Any:
        return input if skipping[0] else plain(input)

    def loss(logits: Any, labels: Any, vocab_size: int, num_items_in_batch: Any = None, ignore_index: int = -100,
             shift_labels: Any = None, **more: Any) -> Any:  # fmt: skip
        if not skipping[0]:
            return causal_loss(logits, labels, vocab_size, num_items_in_batch, ignore_index, shift_labels, **more)
        wanted = next_tokens(labels, shift_labels, ignore_index).to(logits.device)
        reduction = "mean" if num_items_in_batch is None else "sum"
        found = ops.linear_cross_entropy(logits, head.weight, wanted, head.bias, ignore_index=ignore_index,
                                         reduction=reduction)  # fmt: skip
        return found if num_items_in_batch is None else found / num_items_in_batch

    @ours
    def forward(self: Any, *args: Any, **named: Any) -> Any:
        given = taken.bind(*args, **named).arguments
        more = given.get("kwargs", {})
        whole = given.get("labels") is None or not self.training or more.get("return_dict") is False
        if whole or not isinstance(given.get("logits_to_keep", 0), int) or given.get("logits_to_keep", 0):
            return theirs(*args, **named)
        skipping[0] = True
        try:
            out = theirs(*args, **named)
        finally:
            skipping[0] = False
        if hasattr(out, "logits"):
            out["logits"] = None
        return out

    forward.__signature__ = inspect.signature(type(model).forward)  # type: ignore[attr-defined]
    _loss(made, model, "linear_loss", loss)
    if "linear_loss" in made.replaced:
        for module, function in ((head, head_forward), (model, forward)):
            made.forward("linear_loss", module, function)
        made.replaced["linear_loss"] = 1


_PATCHES: dict[str, Callable[[Patch, Any], None]] = {
    "attention": _attention, "norms": _norms, "rotary": _rotary, "mlp": _mlp, "experts": _experts, "loss": _loss,
    "linear": _linear, "linear_loss": _linear_loss,
}  # fmt: skip
