"""Ranks of gloo: operations of `avelang.ops` on DTensors that are split in drawn ways, results and gradients held against torch's own functions on
whole arrays: `gloo_shards.py RANK RANKS STORE SEED COUNT`."""

from __future__ import annotations

import datetime
import random
import sys
import warnings
from typing import Any

import torch
import torch.distributed as td
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

from avelang import ops

F = torch.nn.functional
Case = tuple[Any, Any, list[torch.Tensor]]  # ours, torch's, and the arrays


class Draw(random.Random):
    """Draws that are the same on all ranks."""

    def numbers(self, *shape: int, grad: bool = True) -> torch.Tensor:
        x = torch.randn(shape, generator=torch.Generator().manual_seed(self.randrange(1 << 30)))
        return x.requires_grad_() if grad else x

    def ints(self, most: int, *shape: int) -> torch.Tensor:
        return torch.randint(0, most, shape, generator=torch.Generator().manual_seed(self.randrange(1 << 30)))

    def leading(self) -> tuple[int, ...]:
        return self.choice([(), (4,), (2,), (3,), (6,), (2, 4), (4, 3)])

    def rows(self) -> torch.Tensor:
        return self.numbers(*self.leading(), self.choice([4, 5]), self.choice([8, 12, 33]))


def rms_norm(r: Draw) -> Case:
    x = r.rows()
    n, w = x.shape[-1], r.numbers(x.shape[-1])
    if r.random() < 0.6:
        return lambda x, w: ops.rms_norm(x, w, eps=1e-5), lambda x, w: F.rms_norm(x, (n,), w, 1e-5), [x, w]
    return (lambda x, w, y: ops.rms_norm(x, w, residual=y, eps=1e-5),
            lambda x, w, y: (F.rms_norm(x + y, (n,), w, 1e-5), x + y), [x, w, r.numbers(*x.shape)])  # fmt: skip


def layer_norm(r: Draw) -> Case:
    x = r.rows()
    n = x.shape[-1]
    return ops.layer_norm, lambda x, w, b: F.layer_norm(x, (n,), w, b), [x, r.numbers(n), r.numbers(n)]


def softmax(r: Draw) -> Case:
    x, dim = r.rows(), r.choice([-1, 0])
    if r.random() < 0.5:
        return lambda x: ops.softmax(x, dim), lambda x: x.softmax(dim), [x]
    return lambda x: ops.log_softmax(x, dim), lambda x: x.log_softmax(dim), [x]


def swiglu(r: Draw) -> Case:
    x = r.rows()
    if r.random() < 0.5 and x.shape[-1] % 2 == 0:
        return ops.swiglu, lambda x: F.silu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1], [x]
    return ops.swiglu, lambda a, b: F.silu(a) * b, [x, r.numbers(*x.shape)]


def linear(r: Draw) -> Case:
    x, n, act = r.rows(), r.choice([4, 8, 10]), r.choice([None, None, "relu"])
    more = [r.numbers(n)] if r.random() < 0.6 else []
    after = (lambda y: y.relu()) if act else (lambda y: y)
    return lambda *a: ops.linear(*a, activation=act), lambda *a: after(F.linear(*a)), [x, r.numbers(n, x.shape[-1]), *more]


def matmul(r: Draw) -> Case:
    lead, k = r.leading(), r.choice([8, 6])
    others = r.choice([(), lead, tuple(1 for _ in lead), lead[1:]])
    return ops.matmul, torch.matmul, [r.numbers(*lead, r.choice([4, 6]), k), r.numbers(*others, k, r.choice([4, 8]))]


def rotary(r: Draw) -> Case:
    b, s, several, first = r.choice([2, 4, 3]), r.choice([4, 6, 8]), r.random() < 0.4, r.random() < 0.4
    table = *((b,) if several else ()), s + r.choice([0, 0, 3]), 4
    cos, sin = r.numbers(*table, grad=False), r.numbers(*table, grad=False)
    place = r.ints(table[-2], *r.choice([(s,), (b, s)])) if r.random() < 0.5 else None
    q, k = (r.numbers(*((b, s, h, 8) if first else (b, h, s, 8))) for h in (r.choice([4, 2, 6]), r.choice([2, 1, 4])))

    def want(q: Any, k: Any, cos: Any, sin: Any, place: Any = None) -> Any:
        at = (torch.arange(s) if place is None else place).expand(b, s)
        c, n = (torch.stack([(t[i] if several else t)[at[i]] for i in range(b)]) for t in (cos, sin))
        c, n = (t[:, :, None] if first else t[:, None] for t in (c, n))
        return tuple(torch.cat((x[..., :4] * c - x[..., 4:] * n, x[..., 4:] * c + x[..., :4] * n), -1) for x in (q, k))

    def ours(q: Any, k: Any, cos: Any, sin: Any, place: Any = None) -> Any:
        return ops.rotary(q, k, cos, sin, positions=place, seq_dim=-3 if first else -2)

    return ours, want, [q, k, cos, sin, *(() if place is None else (place,))]


def attention(r: Draw) -> Case:
    b, kv, group, length, d = r.choice([2, 4, 3]), r.choice([1, 2, 4]), r.choice([1, 1, 2, 4]), r.choice([4, 8, 5]), 8
    keys = length if r.random() < 0.6 else r.choice([4, 8, 6])
    q, k, v = r.numbers(b, kv * group, length, d), r.numbers(b, kv, keys, d), r.numbers(b, kv, keys, d)
    shapes = [(length, keys), (b, 1, length, keys), (b, kv * group, length, keys), (1, kv * group, length, keys)]
    more = [r.numbers(*r.choice(shapes))] if r.random() < 0.4 else []
    causal = {"is_causal": True} if not more and keys == length and r.random() < 0.5 else {}
    return (lambda *a: ops.attention(*a, enable_gqa=group > 1, **causal),
            lambda *a: F.scaled_dot_product_attention(*a, enable_gqa=group > 1, **causal), [q, k, v, *more])  # fmt: skip


def cross_entropy(r: Draw) -> Case:
    x, how = r.numbers(*r.choice([(6,), (4,), (2, 3), (5,)]), r.choice([8, 11])), r.choice(["mean", "sum", "none"])
    return (lambda x, t: ops.cross_entropy(x, t, reduction=how),
            lambda x, t: F.cross_entropy(x.movedim(-1, 1) if x.ndim > 2 else x, t, reduction=how),
            [x, r.ints(8, *x.shape[:-1])])  # fmt: skip


def linear_cross_entropy(r: Draw) -> Case:
    x, how = r.numbers(r.choice([4, 6, 5]), 8), r.choice(["mean", "sum"])
    return (lambda x, w, t: ops.linear_cross_entropy(x, w, t, reduction=how),
            lambda x, w, t: F.cross_entropy(F.linear(x, w), t, reduction=how), [x, r.numbers(10, 8), r.ints(10, len(x))])  # fmt: skip


def grouped_matmul(r: Draw) -> Case:
    """Of each kind: groups of rows, of columns, of K, and batches without offsets; in bf16."""
    low, m, k, n = torch.bfloat16, r.choice([6, 8]), 16, r.choice([8, 12])
    kind = r.choice(["rows", "columns", "inner", "batches"])
    of = {"rows": ((m, k), (3, k, n), m), "columns": ((3, m, k), (k, n), n), "inner": ((m, k), (k, n), k), "batches": ((4, m, k), (4, k, n), 0)}
    shape_a, shape_b, last = of[kind]
    a, b = (r.numbers(*shape, grad=False).to(low).requires_grad_() for shape in (shape_a, shape_b))
    cuts = torch.tensor([0, r.choice([2, 5]), last], dtype=torch.int32)  # the first group is empty

    def want(a: Any, b: Any, offs: Any = None) -> Any:
        if offs is None:
            return a @ b
        begins = [0, *offs[:-1].tolist()]
        parts = [slice(i, j) for i, j in zip(begins, offs.tolist(), strict=True)]
        if kind == "rows":
            return torch.cat([a[p] @ b[i] for i, p in enumerate(parts)])
        if kind == "columns":
            return torch.cat([a[i] @ b[:, p] for i, p in enumerate(parts)], 1)
        return torch.stack([a[:, p] @ b[p] for p in parts])

    return ops.grouped_matmul, want, [a, b] if kind == "batches" else [a, b, cuts]


def moe(r: Draw) -> Case:
    """A layer of four experts, two for each token; in bf16."""
    low = torch.bfloat16
    x, logits, up, down = (r.numbers(*s, grad=False).to(low).requires_grad_() for s in ((6, 16), (6, 4), (4, 32, 16), (4, 16, 16)))

    def want(x: Any, logits: Any, up: Any, down: Any) -> Any:
        share, ids = logits.float().softmax(-1).topk(2)
        share = share / share.sum(-1, keepdim=True)

        def expert(t: int, j: int) -> Any:
            gate, other = (x[t].float() @ up[ids[t, j]].float().T).chunk(2)
            return share[t, j] * ((F.silu(gate) * other) @ down[ids[t, j]].float().T)

        return torch.stack([expert(t, 0) + expert(t, 1) for t in range(len(x))]).to(low)

    return lambda *a: ops.moe(*a, top_k=2), want, [x, logits, up, down]


FAMILIES = (rms_norm, layer_norm, softmax, swiglu, linear, matmul, rotary, attention, cross_entropy, linear_cross_entropy, grouped_matmul, moe)


def split(r: Draw, x: torch.Tensor, mesh: Any) -> DTensor:
    """The array, split in a drawn way."""
    ways = [Replicate(), *(Shard(d) for d in range(x.ndim))]
    made = distribute_tensor(x.detach(), mesh, [r.choice(ways) for _ in range(mesh.ndim)])
    return made.requires_grad_() if x.requires_grad else made


def whole(x: Any) -> torch.Tensor:
    return x.full_tensor() if isinstance(x, DTensor) else x


def near(got: Any, want: torch.Tensor, what: str) -> None:
    part = 4e-2 if want.dtype == torch.bfloat16 else 1e-4  # of the greatest number
    most = part * max(1.0, float(want.detach().abs().max()))
    torch.testing.assert_close(whole(got), want, atol=most, rtol=1e-3, msg=lambda m: f"{what}: {m}")


def drawn(r: Draw, meshes: list[Any]) -> None:
    family, mesh = r.choice(FAMILIES), r.choice(meshes)
    ours, torchs, arrays = family(r)
    given = [split(r, x, mesh) for x in arrays]
    said = f"{family.__name__} of {[tuple(x.shape) for x in arrays]}, {[x.placements for x in given]} on {tuple(mesh.shape)}"
    got, want = ours(*given), torchs(*arrays)
    got, want = ((x,) if isinstance(x, torch.Tensor) else x for x in (got, want))
    for y, z in zip(got, want, strict=True):
        assert isinstance(y, DTensor), said
        near(y, z, said)
    grads = [r.numbers(*z.shape, grad=False).to(z.dtype) for z in want]
    sum(((z * g).sum() for z, g in zip(want, grads, strict=True)), torch.zeros(())).backward()
    parts = [(y * distribute_tensor(g, mesh, [Replicate()] * mesh.ndim)).sum() for y, g in zip(got, grads, strict=True)]
    (parts[0] if len(parts) == 1 else parts[0] + parts[1]).backward()
    for i, (x, d) in enumerate(zip(arrays, given, strict=True)):
        if x.requires_grad:
            near(d.grad, x.grad, f"gradient {i} of {said}")


def stays(mesh: Any, ranks: int) -> None:
    """What is split well stays so: no rank gets all of it. What cannot be is not left split."""
    r = Draw(0)

    def at(x: torch.Tensor, d: int | None) -> DTensor:
        return distribute_tensor(x, mesh, [Replicate() if d is None else Shard(d)])

    x, w, q = (r.numbers(*shape, grad=False) for shape in ((2 * ranks, 6, 4 * ranks), (2 * ranks, 4 * ranks), (ranks, 2 * ranks, 8, 8)))
    classes = r.ints(4 * ranks, 2 * ranks)
    found = {
        "rows": (ops.linear(at(x, 0), at(w, None)), Shard(0)), "columns": (ops.linear(at(x, None), at(w, 0)), Shard(2)),
        "sums": (ops.linear(at(x, 2), at(w, 1)), Partial()), "inner": (ops.swiglu(at(x, 2), at(x, 2)), Shard(2)),
        "sequences": (ops.attention(at(q, 0), at(q, 0), at(q, 0)), Shard(0)), "heads": (ops.attention(at(q, 1), at(q, 1), at(q, 1)), Shard(1)),
        "positions of norms": (ops.rms_norm(at(x, 1)), Shard(1)), "losses": (ops.cross_entropy(at(x[:, 0], 0), at(classes, 0), reduction="none"), Shard(0)),
        "their sum": (ops.cross_entropy(at(x[:, 0], 0), at(classes, 0), reduction="sum"), Partial()),
    }  # fmt: skip
    for name, (got, want) in found.items():
        assert got.placements == (want,), (name, got.placements)
    same = at(r.numbers(1, 1, 8 * ranks, 8, grad=False), 2)
    assert ops.attention(same, same, same).placements != (Shard(2),)


def main() -> None:
    rank, ranks, store, seed, count = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    td.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks, timeout=datetime.timedelta(seconds=900))
    meshes = [init_device_mesh("cpu", (ranks,))]
    stays(meshes[0], ranks)
    if ranks == 4:
        meshes.append(init_device_mesh("cpu", (2, 2)))
    for i in range(count):
        drawn(Draw(f"{seed}/{i}"), meshes)
    print(f"{count} draws are right")
    td.destroy_process_group()


if __name__ == "__main__":
    main()
