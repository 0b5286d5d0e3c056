"""A Llama of Hugging Face's transformers as it is, by `torch.compile`, and with Ave's operations: prefill, and forward
and backward of a training step.

    PYTHONPATH=src python3 benchmarks/op_llama.py [--only prefill|step] [--rounds 10] [--profile] [--tiny]

Four layers of the 8B model's size with random weights in bf16, a batch of 2 x 4096 tokens. Contenders: the model
(`eager`), `torch.compile` of it, the model after `avelang.integrations.transformers.patch` with linear layers and the
loss (`ours`), and `torch.compile` of that. One run, contenders in turn and in a new order each round, L2 full of other
data, medians of device time; the host is ahead by 0.2 ms, so what it takes beyond the GPU's time counts. Prefill fills
a cache and gives the logits of the last position. The step gives the loss and all gradients, without an optimizer,
which is the same for all. Errors are held against the same model in f32: ours may be off by 1.5 times what `eager` is.
`--tiny`: a small model, on the CPU where there is no GPU."""

from __future__ import annotations

import argparse
import copy
import functools
import os
import time
from collections.abc import Callable
from typing import Any

import torch
from harness import Bar, GpuClock, Part, device, interleaved, main, medians, table

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is loaded

SIZES: dict[str, Any] = {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 4, "num_attention_heads": 32,
                         "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192}  # fmt: skip
TINY: dict[str, Any] = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 4,
                        "num_key_value_heads": 2, "vocab_size": 512, "max_position_embeddings": 128}  # fmt: skip
WORSE = 1.5  # the error of ours by that of the model as it is
LIMIT = 0.97  # the time of ours by that of torch.compile
GPU = torch.cuda.is_available()
Call = Callable[[], list[Any]]


@functools.cache
def models(tiny: bool) -> tuple[Any, dict[str, Any], Any, str]:
    """The model in f32, the contenders in bf16, the tokens, and what was replaced."""
    import transformers

    from avelang.integrations.transformers import PARTS, patch

    torch.manual_seed(1)
    where = torch.device("cuda" if GPU else "cpu")
    sizes = TINY if tiny else SIZES
    with where:
        exact = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes))
        tokens = torch.randint(sizes["vocab_size"], (2, 64 if tiny else 4096))
    plain = copy.deepcopy(exact).bfloat16()
    for one, two in zip(plain.buffers(), exact.buffers(), strict=True):
        one.data = two.data.clone()  # frequencies stay in f32, as where a model is loaded
    exact.load_state_dict(plain.state_dict())  # of the same weights, rounded
    ours = copy.deepcopy(plain)
    made = patch(ours, (*PARTS, "linear"))
    found = {"eager": plain, "compile": torch.compile(plain), "ours": ours, "ours, compile": torch.compile(ours)}
    return exact, found, tokens, str(made)


def prefill(model: Any, tokens: Any) -> list[Any]:
    """Logits of the last position."""
    with torch.no_grad():
        return [model(tokens, use_cache=True, logits_to_keep=1).logits]


def step(model: Any, tokens: Any) -> list[Any]:
    """The loss and all gradients."""
    for p in model.parameters():
        p.grad = None
    loss = model(tokens, labels=tokens, use_cache=False).loss
    loss.backward()
    return [loss.detach(), *(p.grad for p in model.parameters())]


def error(got: list[Any], want: list[Any]) -> float:
    """The greatest difference of an array, by its norm."""
    return max(float((x.float() - y).norm() / y.norm()) for x, y in zip(got, want, strict=True))


def profile(name: str, call: Call) -> None:
    """Prints what the device spends the time of a call on."""
    from torch.profiler import ProfilerActivity

    with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        call()
        torch.cuda.synchronize()
    rows = sorted((r for r in seen.key_averages() if r.device_type.name == "CUDA"), key=lambda r: -r.device_time_total)
    print(f"{name}: {sum(r.device_time_total for r in rows) / 1000:.2f} ms in kernels")
    for r in rows[:24]:
        print(f"  {r.device_time_total:9.0f} us {r.count:5d}  {r.key[:110]}")


def measured(work: Callable[[Any, Any], list[Any]], args: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds and errors of the contenders."""
    exact, contenders, tokens, replaced = models(args.tiny)
    if args.eager:
        contenders = {n: m for n, m in contenders.items() if "compile" not in n}
    calls: dict[str, Call] = {name: functools.partial(work, m, tokens) for name, m in contenders.items()}
    want, errors, first = [x.clone() for x in work(exact, tokens)], {}, {}
    exact.zero_grad(set_to_none=True)
    for name, call in calls.items():
        start = time.perf_counter()
        errors[name] = error(call(), want)
        first[name] = time.perf_counter() - start
        print(f"{name}: the first call took {first[name]:.1f} s, error {errors[name]:.3g}", flush=True)
        if args.profile and GPU:
            profile(name, call)
    del want
    assert all(e <= WORSE * errors["eager"] for e in errors.values()), errors
    if GPU:
        ms = {n: t / 1e3 for n, t in medians(GpuClock().interleaved(calls, args.rounds, warm=2, batch=2)).items()}
    else:
        ms = {n: t * 1e3 for n, t in medians(interleaved(calls, args.rounds, calls=1)).items()}
    return {**(device() if GPU else {"gpu": None}), "tokens": list(tokens.shape), "ms": ms, "errors": errors,
            "first_call_s": first, "replaced": replaced}  # fmt: skip


def shown(record: dict[str, Any]) -> str:
    """The table."""
    peer = record["ms"].get("compile", record["ms"]["eager"])
    lines = [("contender", "ms", "of torch.compile's" if "compile" in record["ms"] else "of eager's", "error")]
    lines += [(n, f"{t:.2f}", f"{t / peer:.3f}", f"{record['errors'][n]:.2g}") for n, t in record["ms"].items()]
    return table([tuple(line) for line in lines])


def bars(record: dict[str, Any]) -> list[Bar]:
    """The better of ours by torch.compile."""
    ms = record["ms"]
    if record["gpu"] is None or "compile" not in ms:
        return []
    return [Bar("ours by torch.compile", min(ms["ours"], ms["ours, compile"]) / ms["compile"], LIMIT, "of its time")]


if __name__ == "__main__":
    main(__doc__, Part("prefill", "op_llama_prefill", functools.partial(measured, prefill), shown, bars=bars),
         Part("step", "op_llama_step", functools.partial(measured, step), shown, bars=bars), rounds=10,
         more={"--tiny": {"action": "store_true"}, "--profile": {"action": "store_true", "help": "print the kernels"},
               "--eager": {"action": "store_true", "help": "without torch.compile"}})  # fmt: skip
