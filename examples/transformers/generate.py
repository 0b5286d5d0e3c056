"""Generates tokens by a small Qwen3 of random weights, with a cache, with Ave's operations and without them.

    pip install transformers
    python examples/transformers/generate.py [--tokens 8] [--device cuda]
"""

import argparse
import importlib
from typing import Any

import torch

from avelang.integrations.transformers import patch

parser = argparse.ArgumentParser()
parser.add_argument("--tokens", type=int, default=8)
parser.add_argument("--device", default="cpu")
args = parser.parse_args()

transformers: Any = importlib.import_module("transformers")  # it has types in part only
torch.default_generator.manual_seed(0)
config = transformers.Qwen3Config(
    hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    head_dim=16, vocab_size=256,
)  # fmt: skip
dtype = torch.bfloat16 if args.device == "cuda" else torch.float32
model = transformers.Qwen3ForCausalLM(config).to(args.device, dtype).eval()
prompt = torch.randint(0, 256, (2, 6)).to(args.device)


def generated() -> torch.Tensor:
    return model.generate(prompt, max_new_tokens=args.tokens, do_sample=False, pad_token_id=0)


without = generated()
with patch(model) as changes:
    print("\n".join(f"  {line}" for line in str(changes).splitlines()))
    ours = generated()
for row in ours[:, prompt.shape[1] :]:
    print("tokens", *map(int, row))
print("they agree" if torch.equal(ours, without) else "they differ: bf16 rounds otherwise, look at the first that does")
