"""What is known of a part of a model by running it on a few numbers: Llama's parts, their neighbors that look alike, and parts that are changed a bit."""

from __future__ import annotations

import copy
import importlib
import os

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: pip install transformers")

from avelang.integrations import probes  # noqa: E402  (behind the modules that may be missing)

SIZES = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 64,
         "head_dim": 16}  # fmt: skip


def config(family, **more):
    return getattr(transformers, f"{family}Config")(**{**SIZES, **more})


def code(family):
    """The module of a family's code."""
    return importlib.import_module(type(config(family)).__module__.replace("configuration_", "modeling_"))


def test_norms():
    good = code("Llama").LlamaRMSNorm(32, eps=1e-3)
    for m in (good, copy.deepcopy(good).to(torch.bfloat16), copy.deepcopy(good).to("meta")):
        assert probes.rms_norm_of(m) == ("variance_epsilon", 0)
    assert probes.rms_norm_of(torch.nn.RMSNorm(32, eps=1e-3)) == ("eps", 0)
    assert probes.rms_norm_of(code("Gemma").GemmaRMSNorm(32)) == ("eps", 1)
    for m in (code("Cohere").CohereLayerNorm(hidden_size=32), torch.nn.LayerNorm(32), torch.nn.RMSNorm(32), torch.nn.Linear(3, 4)):
        assert probes.rms_norm_of(m) is None

    counting = torch.nn.BatchNorm1d(32)
    assert probes.rms_norm_of(counting) is None and counting.num_batches_tracked == 0 and not counting.running_mean.any()

    class Twice(type(good)):
        def forward(self, x):
            return super().forward(x) * 2

    class Gated(type(good)):
        def forward(self, x, gate=None):
            return super().forward(x) if gate is None else super().forward(x) * gate

    class OtherEpsilon(type(good)):
        def forward(self, x):
            return x * (x.square().mean(-1, keepdim=True) + 1e-3).rsqrt() * self.weight

    class Broken(type(good)):
        def forward(self, x):
            raise RuntimeError("x")

    assert all(probes.rms_norm_of(kind(32, eps=1e-3)) is None for kind in (Twice, Gated, OtherEpsilon, Broken))
    assert good.variance_epsilon == 1e-3


def test_gated_mlps():
    good = code("Llama").LlamaMLP(config("Llama"))
    state = torch.get_rng_state()
    assert probes.gate_of(good) == "silu" and good.training
    assert torch.equal(torch.get_rng_state(), state)  # a model's weights are drawn as they were
    for act, found in (("gelu", "gelu"), ("gelu_pytorch_tanh", "gelu_tanh"), ("relu", None)):
        assert probes.gate_of(code("Llama").LlamaMLP(config("Llama", hidden_act=act))) == found
    given = config("FalconH1", mlp_multipliers=[0.5, 2.0])
    assert probes.gate_of(code("FalconH1").FalconH1MLP(given)) is None
    assert probes.gate_of(code("FalconH1").FalconH1MLP(config("FalconH1", mlp_multipliers=[1.0, 1.0]))) == "silu"

    class Dropping(type(good)):
        def forward(self, x):
            return torch.nn.functional.dropout(super().forward(x), 0.5, self.training)

    assert probes.gate_of(Dropping(config("Llama"))) is None
    assert all(p.shape[0] > 8 for p in good.parameters())  # its own weights are where they were


def test_experts():
    good = code("Mixtral").MixtralExperts(config("Mixtral", num_local_experts=3))
    assert probes.are_gated_experts(good)

    class UpFirst(type(good)):
        def forward(self, x, chosen, weights):
            made = copy.copy(self)
            made._parameters = {**self._parameters, "gate_up_proj": torch.nn.Parameter(self.gate_up_proj.roll(6, 1))}
            return super(UpFirst, made).forward(x, chosen, weights)

    other = UpFirst(config("Mixtral", num_local_experts=3))
    assert not probes.are_gated_experts(other)


ROTARY = {"Llama": (probes.HALVES, False), "Cohere": (probes.PAIRS, True), "Ernie4_5": (probes.HALVES, True), "GptOss": (probes.ONCE, False)}


@pytest.mark.parametrize("family", ROTARY)
def test_rotary_embedding(family):
    layout, neighbors = ROTARY[family]
    part, given = code(family), config(family)
    assert probes.table_layout(getattr(part, f"{family}RotaryEmbedding")(given)) == layout
    assert probes.interleaved_pairs(part.apply_rotary_pos_emb, layout) is neighbors
    assert probes.table_layout(getattr(part, f"{family}RotaryEmbedding")(given).to("meta")) is None


def test_other_rotary_embeddings():
    assert probes.interleaved_pairs(code("DeepseekV4").apply_rotary_pos_emb, probes.HALVES) is None

    def backwards(q, k, cos, sin, unsqueeze_dim=1):
        return code("Llama").apply_rotary_pos_emb(q, k, cos, -sin, unsqueeze_dim)

    def queries_alone(q, k, cos, sin):
        return code("Llama").apply_rotary_pos_emb(q, k, cos, sin)[0], k

    assert probes.interleaved_pairs(backwards, probes.HALVES) is None and probes.interleaved_pairs(queries_alone, probes.HALVES) is None


def test_what_sources_say():
    forward = {f: getattr(code(f), f"{f}ForCausalLM").forward for f in ("Llama", "Qwen3", "Mixtral", "Granite", "Cohere", "Gemma2")}
    assert {f: probes.comes_from(call, "logits", "self.lm_head") for f, call in forward.items()} == {
        "Llama": True, "Qwen3": True, "Mixtral": True, "Granite": False, "Cohere": False, "Gemma2": False,
    }  # fmt: skip
    assert "s_aux" in probes.handed_to(code("GptOss").GptOssAttention.forward, "attention_interface")
    assert probes.handed_to(len, "x") == set() and not probes.comes_from(len, "x", "y")
