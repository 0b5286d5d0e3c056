"""Trains a small Llama of random weights with Ave's operations for a few steps, and the same model without them.

    pip install transformers
    python examples/transformers/train.py [--steps 5] [--device cuda] [--hidden 64]
"""

import argparse
import copy
import importlib
from typing import Any

import torch

from avelang.integrations.transformers import patch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=5)
parser.add_argument("--device", default="cpu")
parser.add_argument("--hidden", type=int, default=64)
args = parser.parse_args()

transformers: Any = importlib.import_module("transformers")  # it has types in part only
torch.default_generator.manual_seed(0)
config = transformers.LlamaConfig(
    hidden_size=args.hidden, intermediate_size=2 * args.hidden, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, vocab_size=256,
)  # fmt: skip
dtype = torch.bfloat16 if args.device == "cuda" else torch.float32
plain = transformers.LlamaForCausalLM(config).to(args.device, dtype)
ours = copy.deepcopy(plain)
changes = patch(ours)
print("\n".join(f"  {line}" for line in str(changes).splitlines()))

# A task that can be learned: the sequence counts up from a random number.
batches = [(torch.randint(0, 256, (4, 1)) + torch.arange(32)) % 256 for _ in range(args.steps)]
losses: list[list[float]] = []
for model in (plain, ours):
    optimizer: Any = torch.optim.AdamW(model.parameters(), lr=3e-3)
    ran: list[float] = []
    losses.append(ran)
    for batch in batches:
        tokens = batch.to(args.device)
        loss = model(tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        ran.append(loss.item())
for step, (a, b) in enumerate(zip(*losses, strict=True), 1):
    print(f"step {step}: loss {a:.4f} without Ave, {b:.4f} with it")
most = max(abs(a - b) for a, b in zip(*losses, strict=True))
print("they agree" if most < (5e-2 if args.device == "cuda" else 1e-3) else f"they differ by {most}")
