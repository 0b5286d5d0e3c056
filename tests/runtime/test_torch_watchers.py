"""What compiled code asks torch about who watches: the answers change with what they are about."""

import contextlib
import warnings

import pytest

from avelang.runtime import torch_watchers

torch = pytest.importorskip("torch")


@contextlib.contextmanager
def autocast(device):
    torch.set_autocast_enabled(device, True)
    yield
    torch.set_autocast_enabled(device, False)


@contextlib.contextmanager
def mapped():
    torch._C._functorch._vmap_increment_nesting(2, "error")
    yield
    torch._C._functorch._vmap_decrement_nesting()


def somebody():
    from torch._subclasses import FakeTensorMode
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    return {"dispatch": TorchDispatchMode(), "fake": FakeTensorMode(), "function": TorchFunctionMode(), "vmap": mapped(),
            "cpu": autocast("cpu"), "cuda": autocast("cuda")}  # fmt: skip


@pytest.mark.parametrize("kind", ["dispatch", "fake", "function", "vmap", "cpu", "cuda"])
def test_somebody_is_seen(kind):
    checks = torch_watchers.checks()
    assert torch_watchers.answered(checks) and torch_watchers.quiet(torch)
    with somebody()[kind]:
        assert not torch_watchers.answered(checks) and not torch_watchers.quiet(torch)
    assert torch_watchers.answered(checks) and torch_watchers.quiet(torch)


def test_jit_trace_is_seen():
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(lambda x: (seen.append((torch_watchers.answered(torch_watchers.checks()), torch_watchers.quiet(torch))), x + 1)[1],
                        (torch.ones(2),), check_trace=False)  # fmt: skip
    assert seen == [(False, False)] and torch_watchers.quiet(torch)


def test_a_question_whose_answer_never_changes_is_not_trusted(monkeypatch):
    checks = torch_watchers.checks()
    assert torch_watchers._hold(torch, checks)
    for i in range(len(checks)):
        if torch_watchers._hold(torch, [*checks[:i], *checks[i + 1 :]]):
            assert i in (2, 3, 4)  # keys of which one more is in the set wherever they are
    monkeypatch.setattr(torch_watchers, "_INCLUDED", "no such function")
    torch_watchers._asked.cache_clear()
    assert torch_watchers.checks() is None
    torch_watchers._asked.cache_clear()


def test_sizes_of_elements_by_number():
    from avelang.runtime import torch_tensors

    sizes = torch_watchers.items(torch, torch_tensors.layout().meta, ["float32", "bfloat16", "no_such", "bool"])
    assert sorted(filter(None, sizes)) == [1, 2, 4]
