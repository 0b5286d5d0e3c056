"""One rank of a process group of gloo with a part of a model: `gloo_tensor_parallel.py RANK RANKS FILE FAMILY`. Logits, loss, gradients and a step of
training are compared with those of the whole model in this process."""

import copy
import sys

import torch
import torch.distributed
import transformers

from avelang.base.errors import AveError
from avelang.integrations.tensor_parallel import tensor_parallel
from avelang.integrations.transformers import patch

SIZES = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "vocab_size": 128, "max_position_embeddings": 64}  # fmt: skip
MORE = {"Llama": {"attention_bias": True}, "Qwen3": {"head_dim": 16}, "Mixtral": {"num_local_experts": 4, "num_experts_per_tok": 2}}


def near(got, want, name):
    off = ((got - want).abs().max() / want.pow(2).mean().sqrt().clamp_min(1e-9)).item()
    assert off < 2e-3, f"{name}: off by {off:.3g}"


def sequence(rank: int, ranks: int, group, plain, family: str) -> None:
    """Tokens are divided between projections."""
    ours, x = copy.deepcopy(plain), torch.randint(0, SIZES["vocab_size"], (2, 16), generator=torch.Generator().manual_seed(6))
    made = tensor_parallel(ours, group, sequence=True, fuse=True if family == "Llama" else None)
    assert made.replaced["layers by tokens"] == 2
    behind = patch(ours, ("norms", "mlp") if family == "Llama" else ())
    sizes = []
    norm = ours.model.layers[1].input_layernorm
    handle = norm.register_forward_hook(lambda m, args, out: sizes.append(out.shape[1]))
    mask = (torch.arange(16) > 2).long().repeat(2, 1)
    got, want = (m(x, labels=x, attention_mask=mask) for m in (ours, plain))
    near(got.logits, want.logits, "logits")
    for m, loss in ((ours, got.loss), (plain, want.loss)):
        m.zero_grad()
        loss.backward()
    try:
        ours(x[:, :15])
    except AveError as e:
        assert e.code == "L066" and "15 tokens" in str(e)
    else:
        raise AssertionError("15 tokens were divided")
    with torch.no_grad():
        near(ours(x[:, :15]).logits, plain(x[:, :15]).logits, "logits of 15 tokens")
    assert sizes == [16 // ranks, 15]
    handle.remove()
    behind.undo()
    made.undo()
    for (name, p), q in zip(plain.named_parameters(), ours.parameters(), strict=True):
        near(q.grad, p.grad, f"gradient of {name}")
    assert not any(m._forward_pre_hooks or m._forward_hooks or "forward" in m.__dict__ for m in ours.modules())
    plain.zero_grad()


def refused(plain, group) -> None:
    """Models that cannot be divided."""
    inner = copy.deepcopy(plain)
    inner.model.layers[0].mlp.shared_expert = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES)).model.layers[0].mlp
    try:
        tensor_parallel(inner, group, sequence=True)
    except AveError as e:
        assert e.code == "L066" and "LlamaMLP is part of another part" in str(e), e
    else:
        raise AssertionError("a shared expert was divided")
    odd = transformers.LlamaForCausalLM(transformers.LlamaConfig(**{**SIZES, "num_key_value_heads": 1}))
    try:
        tensor_parallel(odd, group)
    except AveError as e:
        assert e.code == "L066" and "k_proj has 1 heads" in str(e), e
    else:
        raise AssertionError("one head was split")


def main(rank: int, ranks: int, file: str, family: str) -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=ranks)
    torch.manual_seed(1)
    plain = getattr(transformers, f"{family}ForCausalLM")(getattr(transformers, f"{family}Config")(**SIZES, **MORE[family]))
    for name, p in plain.named_parameters():
        if p.ndim == 1:  # biases and norms that matter
            torch.nn.init.normal_(p, 1.0 * ("norm" in name), 0.2)
    group = torch.distributed.group.WORLD
    sequence(rank, ranks, group, plain, family)
    ours = copy.deepcopy(plain)
    if family == "Llama":
        made = patch(ours, ("norms", "mlp"), tp=group)
    else:
        made = tensor_parallel(ours, group, vocabulary=True)
    print(made)
    sizes = {n: p.numel() for n, p in ours.named_parameters()}
    split = [n for n, p in plain.named_parameters() if sizes[n] == p.numel() // ranks]
    assert all(any(n.endswith(e) for n in split) for e in ("q_proj.weight", "k_proj.weight", "v_proj.weight", "o_proj.weight"))
    assert any("down_proj" in n for n in split) and any("up_proj" in n for n in split)
    assert ("lm_head.weight" in split) == (family != "Llama")
    try:
        tensor_parallel(ours, group)
    except AveError as e:
        assert e.code == "L066" and "split already" in str(e)
    else:
        raise AssertionError("it was split twice")
    x = torch.randint(0, SIZES["vocab_size"], (2, 11), generator=torch.Generator().manual_seed(5))
    for given in ({}, {"attention_mask": (torch.arange(11) > 2).long().repeat(2, 1)}):
        got, want = ours(x, labels=x, **given), plain(x, labels=x, **given)
        near(got.logits, want.logits, "logits")
        near(got.loss, want.loss, "loss")
    if family == "Llama":
        with torch.no_grad():
            assert torch.equal(*(m.generate(x, max_new_tokens=3, do_sample=False, pad_token_id=0) for m in (ours, plain)))
    for m, loss in ((ours, got.loss), (plain, want.loss)):
        m.zero_grad()
        loss.backward()
        torch.optim.SGD(m.parameters(), lr=0.1).step()
    near(ours(x, labels=x).loss, plain(x, labels=x).loss, "loss of the second step")
    made.undo()
    made.undo()
    for (name, p), q in zip(plain.named_parameters(), ours.named_parameters(), strict=True):
        near(q[1].grad, p.grad, f"gradient of {name}")
        near(q[1], p, name)
    assert not any("forward" in m.__dict__ or m._forward_pre_hooks or m._forward_hooks for m in ours.modules())
    # Bit by bit what it was.
    with tensor_parallel(plain, group):
        assert sum(p.numel() for p in plain.parameters()) < sum(p.numel() for p in ours.parameters())
    ours.load_state_dict(plain.state_dict())
    with torch.no_grad():
        assert torch.equal(ours(x).logits, plain(x).logits)
    refused(plain, group)
    print("the parts agree")


main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
