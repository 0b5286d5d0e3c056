"""Models of Hugging Face with random weights: patched and not, they agree in loss, gradients, a training step, prefill and
decoding with a cache."""

from __future__ import annotations

import copy
import os

import pytest

from avelang import ops
from avelang.base.errors import ArgumentError

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # models have random weights: nothing is loaded
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: pip install transformers")

SIZES = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "vocab_size": 128, "max_position_embeddings": 64}  # fmt: skip
MORE = {"Llama": {}, "Qwen3": {"head_dim": 16}, "Mixtral": {"num_local_experts": 4, "num_experts_per_tok": 2}}


def model_of(family, dtype="float32"):
    torch.manual_seed(1)
    config = getattr(transformers, f"{family}Config")(**SIZES, **MORE[family])
    return getattr(transformers, f"{family}ForCausalLM")(config).to(getattr(torch, dtype))


def close(one, two, tolerance):
    """Whether two arrays differ by little beside the larger's root mean square."""
    one, two = one.double(), two.double()
    return ((one - two).abs().max() / two.pow(2).mean().sqrt().clamp_min(1e-9)).item() < tolerance


def tokens(*shape):
    return torch.randint(0, SIZES["vocab_size"], shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize(("family", "dtype"), [("Llama", "float32"), ("Qwen3", "float32"), ("Mixtral", "bfloat16")])
def test_a_patched_model_agrees_with_the_other(family, dtype):
    from avelang.integrations.transformers import NEEDS, patch

    plain, tolerance = model_of(family, dtype), 2e-3 if dtype == "float32" else 0.25
    ours, x = copy.deepcopy(plain), tokens(2, 11)
    made = patch(ours)
    expected = {p for p, n in NEEDS.items() if n in ops.TABLE} - {"experts" if family != "Mixtral" else "mlp"}
    assert expected <= set(made.replaced), made
    # Loss, gradients, and a step of training.
    mask = torch.ones_like(x)
    mask[0, :3] = 0
    for given in ({}, {"attention_mask": mask}):
        losses = [m(x, labels=x, **given).loss for m in (plain, ours)]
        assert close(losses[1], losses[0], tolerance)
    for m, loss in zip((plain, ours), losses, strict=True):
        m.zero_grad()
        loss.backward()
    for (name, p), q in zip(plain.named_parameters(), ours.parameters(), strict=True):
        assert close(q.grad, p.grad, 10 * tolerance), name
    for m in (plain, ours):
        torch.optim.SGD(m.parameters(), lr=0.1).step()
    # Prefill, and decoding with a cache.
    with torch.no_grad():
        first = [m(x, use_cache=True) for m in (plain, ours)]
        assert close(first[1].logits, first[0].logits, 2 * tolerance)
        more = tokens(2, 1)
        second = [
            m(more, past_key_values=r.past_key_values, use_cache=True) for m, r in zip((plain, ours), first, strict=True)
        ]
        assert close(second[1].logits, second[0].logits, 2 * tolerance)
        if dtype == "float32":
            got, want = (m.generate(x, max_new_tokens=4, do_sample=False, pad_token_id=0) for m in (ours, plain))
            assert torch.equal(got, want)
    # Undone it is bit by bit what it was.
    made.undo()
    made.undo()
    ours.load_state_dict(plain.state_dict())
    with torch.no_grad():
        assert torch.equal(ours(x, labels=x).loss, plain(x, labels=x).loss)
    assert not any("forward" in m.__dict__ for m in ours.modules())


# Models that look like Llama and are not: pairs of neighbors turned, a score more in each row's softmax, scores that are capped, norms, gates and logits with
# factors. What the patch takes of each but attention and the loss, and what it must keep.
SMALL = {"vocab_size": 96, "head_dim": 16, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
NEIGHBORS = {
    "Granite": ({"attention_multiplier": 0.1, "logits_scaling": 3.0}, {"norms", "rotary", "mlp"}, {"linear_loss"}),
    "Bloom": ({"num_hidden_layers": 1}, {"loss"}, {"attention", "norms", "mlp"}),
    "Cohere": ({}, {"rotary", "mlp"}, {"norms", "linear_loss"}),
    "Ernie4_5": ({}, {"norms", "rotary", "mlp", "linear_loss"}, set()),
    "GptOss": ({"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 6}, {"norms", "rotary", "linear_loss"}, {"experts"}),
    "Gemma2": ({"sliding_window": 6, "attn_logit_softcapping": 2.0}, {"norms", "rotary", "mlp"}, {"linear_loss"}),
    "FalconH1": ({"mlp_multipliers": [0.5, 2.0], "lm_head_multiplier": 0.5}, {"norms", "rotary"}, {"mlp", "linear_loss"}),
}


@pytest.mark.parametrize("family", NEIGHBORS)
def test_models_that_look_alike(family):
    """The same logits, losses and gradients, with padding and in generation, whatever could be replaced."""
    from avelang.integrations.transformers import PARTS, patch

    more, taken, kept = NEIGHBORS[family]
    torch.manual_seed(3)
    wanted = getattr(transformers, f"{family}Config")
    plain = getattr(transformers, f"{family}ForCausalLM")(wanted(**{**SIZES, **SMALL, **more}))
    with torch.no_grad():
        for p in plain.parameters():
            p.add_(torch.randn_like(p) * 0.05)
    ours, x = copy.deepcopy(plain), torch.randint(3, 96, (2, 11))
    made = patch(ours, (*PARTS, "linear_loss"))
    assert taken <= set(made.replaced) and kept <= set(made.kept) and not set(made.replaced) & set(made.kept), made
    mask = torch.ones_like(x)
    mask[0, :3] = 0
    labels = x.masked_fill(mask.cumsum(1) * mask <= 1, -100)  # a padded row that saw nothing has no loss
    for given in ({"labels": x}, {"labels": labels, "attention_mask": mask}):
        outs = [m.train()(x, use_cache=False, **given) for m in (plain, ours)]
        assert close(outs[1].loss, outs[0].loss, 1e-3)
        for m, out in zip((plain, ours), outs, strict=True):
            m.zero_grad()
            out.loss.backward()
        least = 1e-3 * max(p.grad.abs().max() for p in plain.parameters() if p.grad is not None)
        for (name, p), q in zip(plain.named_parameters(), ours.parameters(), strict=True):
            if p.grad is not None:  # gradients of nearly nothing, as of biases of keys, are rounding
                assert (q.grad - p.grad).abs().max() <= 0.03 * max(p.grad.pow(2).mean().sqrt(), least), name
    with torch.no_grad():
        one, two = (m.eval()(x, attention_mask=mask).logits[mask.bool()] for m in (plain, ours))
        assert close(two, one, 2e-3)
        got, want = (m.generate(x, attention_mask=mask, max_new_tokens=3, do_sample=False, pad_token_id=0) for m in (ours, plain))
        assert torch.equal(got, want)
        made.undo()
        assert torch.equal(ours(x).logits, plain(x).logits)


def test_heads_that_are_too_wide_for_kernels():
    """Where all layers have them attention is kept; where some have, as Gemma 4's, those are torch's."""
    from avelang.integrations.transformers import attention_forward, patch

    model, x = transformers.LlamaForCausalLM(transformers.LlamaConfig(**{**SIZES, "head_dim": 272})), tokens(1, 5)
    want = model(x).logits
    with patch(model) as made:
        assert "heads of 272" in made.kept["attention"] and "attention" not in made.replaced
        assert close(model(x).logits, want, 1e-3)
    model.model.layers[0].self_attn.head_dim = 128
    with patch(model) as made:
        assert made.replaced["attention"] == 1 and "heads of 272" in made.kept["attention"]
    q, k = torch.randn(2, 4, 5, 272), torch.randn(2, 2, 5, 272)
    layer = model.model.layers[1].self_attn
    layer.num_key_value_groups = 2
    for mask in (None, torch.ones(2, 1, 5, 5, dtype=torch.bool).tril(-1) | torch.eye(5, dtype=torch.bool), torch.empty(1, 1, 1, 0)):
        own = None if mask is None or not mask.shape[-1] else mask
        want = torch.nn.functional.scaled_dot_product_attention(q, k, k, own, 0.0, own is None, scale=0.3, enable_gqa=True)
        assert close(attention_forward(layer, q, k, k, mask, scaling=0.3)[0], want.transpose(1, 2), 1e-4)


def test_a_forward_that_is_another_s_stays():
    """Hooks of accelerate, say, that bring weights to a device before a module runs."""
    from avelang.integrations.transformers import patch

    model, calls = model_of("Llama"), []
    norm = model.model.norm
    norm.forward = lambda x: calls.append(1) or type(norm).forward(norm, x)
    with patch(model) as made:
        assert made.replaced["norms"] == 4 and "another's" in made.kept["norms"]
        model(tokens(1, 3))
    assert calls and "forward" in norm.__dict__


def test_it_says_what_it_replaced_and_what_it_kept():
    from avelang.integrations.transformers import patch

    model = model_of("Llama")
    with patch(model, parts=("norms", "experts")) as made:
        assert made.replaced == {"norms": 5} and set(made.kept) == {"experts"}
        assert "norms: 5 by Ave" in str(made) and "experts: kept" in str(made)
        with pytest.raises(ArgumentError, match="patched already"):
            patch(model)
    assert not any("forward" in m.__dict__ for m in model.modules())
    mixtral = model_of("Mixtral")
    assert "experts" in patch(mixtral).kept  # of float32, which products in groups do not take


@pytest.mark.parametrize("family", ["Llama", "Mixtral"])
def test_a_loss_without_logits(family):
    """The last layer and the loss as one: the same loss and gradients as of the model as it is, no logits in training,
    and logits elsewhere."""
    from avelang.integrations.transformers import patch

    plain, x = model_of(family), tokens(2, 11)
    ours, labels = copy.deepcopy(plain), tokens(2, 11).masked_fill(torch.arange(11) < 3, -100)
    with patch(ours, parts=("linear_loss",)) as made:
        assert made.replaced == {"linear_loss": 1}
        for given in ({}, {"num_items_in_batch": torch.tensor(7)}):
            outs = [m.train()(input_ids=x, labels=labels, **given) for m in (plain, ours)]
            assert outs[1].logits is None and close(outs[1].loss, outs[0].loss, 1e-4)
            for m, out in zip((plain, ours), outs, strict=True):
                m.zero_grad()
                out.loss.backward()
            for (name, p), q in zip(plain.named_parameters(), ours.parameters(), strict=True):
                assert close(q.grad, p.grad, 1e-3), name
        with torch.no_grad():
            assert torch.equal(ours.train()(x).logits, plain.train()(x).logits)
            one, two = (m.eval()(x, labels=labels) for m in (plain, ours))
            assert torch.equal(one.logits, two.logits) and close(two.loss, one.loss, 1e-4)
            got, want = (m.generate(x, max_new_tokens=2, do_sample=False, pad_token_id=0) for m in (ours, plain))
            assert torch.equal(got, want)
    assert not any("forward" in m.__dict__ for m in ours.modules())


def test_rows_of_a_model_have_the_same_bits_whatever_comes_with_them():
    """Under `ops.invariant()`, with all that computes by Ave: logits, forward, and gradients of the inputs."""
    from avelang.integrations.transformers import PARTS, patch

    model, x = model_of("Llama"), tokens(3, 9)
    embedded = model.get_input_embeddings()(x).detach()
    with patch(model, parts=(*PARTS, "linear")) as made, ops.invariant():
        assert made.replaced["linear"] == 15

        def run(rows):
            given = embedded[rows].clone().requires_grad_()
            logits = model(inputs_embeds=given).logits
            return logits, torch.autograd.grad(logits.square().sum(), given)[0]

        logits, grads = run([0, 1, 2])
        for rows in ([1], [2, 0]):
            for got, want in zip(run(rows), (logits, grads), strict=True):
                assert torch.equal(got, want[rows])


def test_dropout_in_attention():
    """It is drawn by torch's generator; in evaluation there is none."""
    from avelang.integrations.transformers import patch

    config = transformers.LlamaConfig(**SIZES, attention_dropout=0.5)
    model, x = transformers.LlamaForCausalLM(config), tokens(1, 9)
    want = model.eval()(x).logits
    with patch(model, parts=("attention",)) as made:
        assert made.replaced == {"attention": 2}
        assert close(model.eval()(x).logits, want, 2e-3)
        model.train()
        found = []
        for seed in (1, 1, 2):
            torch.manual_seed(seed)
            found.append(model(x).logits)
        assert torch.equal(found[0], found[1]) and not torch.equal(found[0], found[2])


def test_what_is_no_model():
    from avelang.integrations.transformers import patch

    with pytest.raises(ArgumentError, match="model is int"):
        patch(3)
    with pytest.raises(ArgumentError, match="parts has"):
        patch(model_of("Llama"), parts=("heads",))


@pytest.mark.parametrize("name", ["train", "generate"])
def test_example(name):
    import os
    import pathlib
    import subprocess
    import sys

    root = pathlib.Path(__file__).parents[2]
    more = ["--steps", "2"] if name == "train" else ["--tokens", "3"]
    done = subprocess.run([sys.executable, str(root / "examples" / "transformers" / f"{name}.py"), *more],
                          capture_output=True, text=True, env=os.environ)  # fmt: skip
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "they agree", done.stdout + done.stderr


@pytest.mark.parametrize("family", ["Llama", "Qwen3"])
def test_a_compiled_step_has_no_mask_but_where_sequences_are_packed(family):
    """Without a cache, where transformers looks for packed sequences; the same loss and gradients as not compiled."""
    from avelang.integrations.transformers import patch

    masks, model, x = [], model_of(family), tokens(2, 11)

    def backend(graph, inputs):
        masks.extend(n.args[3] for n in graph.graph.nodes if "scaled_attention" in str(n.target))
        return graph.forward

    def step(call, **given):
        model.zero_grad()
        loss = call(x, labels=x, use_cache=False, **given).loss
        loss.backward()
        return [loss.detach(), *(p.grad.clone() for p in model.parameters())]

    apart = torch.cat((torch.arange(4), torch.arange(7)))[None].expand(2, -1)
    with patch(model):
        for given, wanted in (({}, False), ({"position_ids": apart}, True)):
            want = step(model, **given)
            torch._dynamo.reset()
            masks.clear()
            got = step(torch.compile(model, backend=backend), **given)
            assert masks and all((m is not None) == wanted for m in masks)
            assert all(close(a, b, 2e-3) for a, b in zip(got, want, strict=True))
    assert not any(m._forward_pre_hooks for m in model.modules())


def test_a_compiled_prefill_has_no_mask_but_where_there_is_padding():
    from avelang.integrations.transformers import patch

    masks, model, x = [], model_of("Llama"), tokens(2, 11)

    def backend(graph, inputs):
        masks.extend(n.args[3] for n in graph.graph.nodes if "scaled_attention" in str(n.target))
        return graph.forward

    padded = torch.ones_like(x)
    padded[0, :3] = 0
    with torch.no_grad(), patch(model):
        for given, wanted in (({}, False), ({"attention_mask": padded}, True)):
            want = model(x, use_cache=True, **given).logits
            torch._dynamo.reset()
            masks.clear()
            got = torch.compile(model, backend=backend)(x, use_cache=True, **given).logits
            assert len(masks) == 2 and all((m is not None) == wanted for m in masks)
            assert close(got, want, 2e-3)
            # One more token sees all that the cache has.
        cache = model(x, use_cache=True).past_key_values
        more = tokens(2, 1)
        whole = model(torch.cat((x, more), 1)).logits[:, -1]
        assert close(torch.compile(model, backend=backend)(more, past_key_values=cache).logits[:, -1], whole, 2e-3)


def test_layers_with_graph_breaks_in_them():
    """What `torch.compile` makes of a forward is kept with its code, and finds its parts among the globals: layers, whose forwards have globals of their
    own, must not share one without the other."""
    from avelang.integrations.transformers import patch

    class Broken(torch.nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, x):
            torch._dynamo.graph_break()
            return self.inner(x)

    x, models = tokens(2, 9), [model_of("Llama"), model_of("Llama")]
    want = models[0](x).logits
    torch._dynamo.reset()
    for model in models:  # of one class, each with globals of its own
        with patch(model):
            for layer in model.model.layers:
                layer.self_attn.q_proj = Broken(layer.self_attn.q_proj)
            for _ in range(2):
                assert close(torch.compile(model, backend="aot_eager")(x).logits, want, 2e-3)
