"""The rank that a call of several ranks is on, and what it must have in common with those of the others."""

from __future__ import annotations

import sys
from typing import Any

from avelang import argument_error
from avelang.bridge import Array, mesh_axes
from avelang.dist import axes, connect
from avelang.dist.group import Group
from avelang.dist.memory import MEMBERS, Member
from avelang_kernels.arrays import named

DTYPES = ("bfloat16", "float16", "float32", "float64")
_CONNECTED: dict[str, Group] = {}  # of process groups that were given as they are


def member_of(group: Any) -> Member:
    """The member that a `group` argument means; a process group is connected when it first comes, by all its ranks.
    Raises L066."""
    if isinstance(group, Member):
        return group
    if isinstance(group, str) or (isinstance(group, tuple) and group and all(isinstance(n, str) for n in group)):
        return _on_axis((group,) if isinstance(group, str) else group)
    name = "" if group is None else str(getattr(group, "group_name", ""))
    if group is not None and not name:
        came = "of other ranks, without this one" if _outside(group) else type(group).__name__
        raise argument_error(f"group is {came}: it must be a Member of avelang.dist, or a torch process group")
    found = _CONNECTED.get(name)
    if found is None and _compiled():
        raise argument_error(
            "group has no symmetric memory yet, and torch.compile cannot trace how it gets some",
            "call an operation with it before, on all ranks, or pass what avelang.dist.connect(group) gives",
        )
    if found is None or not (_compiled() or found.process_group is _whole(group)):
        found = _connected(name, group)
    return found


def _connected(name: str, group: Any) -> Group:
    """The member of a process group that came by another name, or a new one. Those of groups that were destroyed, whose
    names new groups may have, are let go with their memory."""
    for known in [n for n, m in _CONNECTED.items() if not _exists(m.process_group)]:
        del _CONNECTED[known]
    whole = _whole(group)
    found = next((m for m in _CONNECTED.values() if m.process_group is whole), None)
    if found is None:
        found = connect(group)
        found.given_as = name
    _CONNECTED[name] = found
    return found


def _exists(process_group: Any) -> bool:
    """False after `destroy_process_group`."""
    try:
        return bool(sys.modules["torch"].distributed.get_process_group_ranks(process_group))
    except (KeyError, ValueError):
        return False


def _whole(group: Any) -> Any:
    """The process group that an argument means, or None where there is none any more."""
    if group is not None:
        return group
    torch = sys.modules.get("torch")
    return torch.distributed.group.WORLD if torch is not None and torch.distributed.is_initialized() else None


def _outside(group: Any) -> bool:
    """True for what torch gives a rank for a group that it is not in."""
    torch = sys.modules.get("torch")
    there = torch is not None and torch.distributed.is_available()
    return there and group is torch.distributed.GroupMember.NON_GROUP_MEMBER  # type: ignore[union-attr]


def _check_exists(found: Group) -> None:
    """Forgets the member of a process group, and raises L066, where torch has destroyed the group since: what was
    compiled knows it, whatever has its name now."""
    if found.process_group is _whole(None) or _exists(found.process_group):
        return
    for known in [n for n, m in _CONNECTED.items() if m is found]:
        del _CONNECTED[known]
    named = f"process group {found.given_as!r}" if found.given_as else "default process group"
    raise argument_error(
        f"the {named} that this call was made for was destroyed",
        "call an operation with the new one, on all ranks; the next compiled call is then compiled anew",
    )


def _compiled() -> bool:
    """True while torch.compile traces, which would read groups as values that stay."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def _on_axis(names: tuple[str, ...]) -> Any:
    """The group of JAX's devices along an axis of a mesh. Raises L066."""
    axis = mesh_axes.bound(names)
    if axis is None:
        raise argument_error(
            f"group is {', '.join(names)!r}, which is no axis of a mesh here: call it inside of jax.shard_map over it"
        )
    return axes.OnAxis(axis)


def here(group: str) -> Member:
    """The member of a name, in an operation. Raises L066 where it is gone."""
    if group.startswith(mesh_axes.AXIS):
        return axes.here(group)
    found = MEMBERS.get(group)
    if found is None:
        raise argument_error(f"the group {group!r} is gone: its Member was let go, or lives in another process")
    if isinstance(found, Group) and found.given_as is not None:
        _check_exists(found)
    return found


def checked(x: Array, name: str = "x") -> None:
    """Raises L066 for a dtype that is not exchanged."""
    if x.dtype not in DTYPES:
        raise argument_error(f"{name} is of {x.dtype}: it must be of one of {DTYPES}")


def agree(group: Member, function: str, x: Any, **options: Any) -> None:
    """Compares a call with those of the other ranks: on the CPU each one, on a GPU, where it would cost more than the
    call, when one like it first comes; not while torch.compile traces it. Raises L081."""
    if isinstance(group, axes.OnAxis) or _compiled():
        return  # JAX's devices run one program, with one shape
    key = function, options.get("shape", x.shape), x.dtype, *options.items()  # the same on all ranks that agree
    if group.device == "cpu" or key not in group._kept:
        group.agree(f"ops.dist.{function}", **{"shape": tuple(x.shape), "dtype": named(x), **options})
        group._kept[key] = True


def flat(x: Any) -> Any:
    """All elements in a row."""
    return x if len(x.shape) == 1 else x.reshape(-1)
