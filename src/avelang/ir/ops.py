"""The ops of the language, one definition each: types checked, effects named, meaning in words.

Rows of `avelang.isa` add the intrinsics to the same table. Conventions: every op works lane by lane unless it says
"wave" or "block"; `T` is a scalar or a vector, element by element; integers wrap; u1 is a condition."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from avelang.ir.core import Op, OpDef, define
from avelang.ir.dtypes import BY_NAME, bf16, f16, f32, f64, i32, i64, u1, u16, u32, u64
from avelang.ir.elementwise import ATOMICS, COMPARE, ELEMENTWISE
from avelang.ir.functions import FUNCTIONS
from avelang.ir.types import (
    GLOBAL,
    LOCAL,
    SHARED,
    DType,
    MapType,
    PtrType,
    TensorType,
    Type,
    VecType,
    dtype_of,
    with_dtype,
)  # fmt: skip

Check = Callable[[Op], "str | None"]


def _types(op: Op) -> list[Type]:
    return [v.type for v in op.operands]


def _is_value(t: Type) -> bool:
    return isinstance(t, (DType, VecType))


def same(count: int, kinds: str = "int uint float") -> Check:
    """`count` operands of one scalar or vector type, whose dtype has one of `kinds`; the result has it too."""
    allowed = kinds.split()

    def check(op: Op) -> str | None:
        ts = _types(op)
        if len(ts) != count or len(op.results) != 1:
            return f"takes {count} operands and gives one result"
        if any(t != op.result.type for t in ts) or not _is_value(ts[0]):
            return f"operands and result must have one type, not {', '.join(map(str, [*ts, op.result.type]))}"
        return None if dtype_of(ts[0]).kind in allowed else f"not defined on {ts[0]}"

    return check


# What stands in a signature: a dtype's name, `=0` for the type of the first operand, or one of these.
_KINDS: dict[str, tuple[str, Callable[[Type], bool]]] = {
    "value": ("a scalar or vector", _is_value),
    "number": ("a number, or a vector of them", lambda t: _is_value(t) and dtype_of(t).kind != "bool"),
    "int": ("an integer", lambda t: isinstance(t, DType) and t.is_int),
    "pointer": ("a pointer", lambda t: isinstance(t, PtrType)),
    "global": ("a global pointer", lambda t: isinstance(t, PtrType) and t.space == GLOBAL),
    "shared": ("a shared pointer", lambda t: isinstance(t, PtrType) and t.space == SHARED),
    "memory": ("a global or shared pointer", lambda t: isinstance(t, PtrType) and t.space != LOCAL),
    "tensor": ("a tensor", lambda t: isinstance(t, TensorType)),
    "map": ("a tensor map", lambda t: isinstance(t, MapType)),
}


def typed(signature: str, also: Check | None = None, /, **attrs: Container[Any]) -> Check:
    """The rule of an op with a fixed signature, as `pointer i64 -> value`, whose attributes are each one of `attrs`;
    `also` is asked then."""
    takes, gives = (part.split() for part in signature.split("->"))
    words = ["that of the first operand" if w == "=0" else _KINDS[w][0] if w in _KINDS else w for w in (*takes, *gives)]
    said = f"takes ({', '.join(words[: len(takes)])}) and gives ({', '.join(words[len(takes) :])})"

    def fits(wanted: str, t: Type, first: Type | None) -> bool:
        if wanted == "=0":
            return t == first
        return _KINDS[wanted][1](t) if wanted in _KINDS else t == BY_NAME[wanted]

    def check(op: Op) -> str | None:
        ts, rs = _types(op), [r.type for r in op.results]
        first = ts[0] if ts else None
        if (len(ts), len(rs)) != (len(takes), len(gives)) or not all(
            fits(w, t, first) for w, t in zip((*takes, *gives), (*ts, *rs), strict=True)
        ):
            return said
        for name, allowed in attrs.items():
            if op.attrs.get(name) not in allowed:
                return f"`{name}` is {op.attrs.get(name)!r}, not one of {allowed}"
        return None if also is None else also(op)

    return check


def _const(op: Op) -> str | None:
    if op.operands or len(op.results) != 1 or not _is_value(op.result.type):
        return "gives one scalar or vector"
    value = op.attrs.get("value")
    if isinstance(value, tuple):
        return None if isinstance(op.result.type,
                                  VecType) and len(value) == op.result.type.n else "one value for each element"
    return None if isinstance(value, (int, float, bool)) else "needs a number as `value`"


def _cmp(op: Op) -> str | None:
    ts = _types(op)
    if len(ts) != 2 or ts[0] != ts[1] or not _is_value(ts[0]):
        return "compares two values of one type"
    if op.attrs.get("pred") not in COMPARE:
        return f"no predicate {op.attrs.get('pred')!r}"
    return None if op.result.type == with_dtype(ts[0], u1) else "gives u1, or a vector of it"


def _select(op: Op) -> str | None:
    ts = _types(op)
    if len(ts) != 3 or ts[1] != ts[2] or op.result.type != ts[1]:
        return "takes a condition and two values of the result's type"
    ok = ts[0] in (u1, with_dtype(ts[1], u1))
    return None if ok else "the condition is u1, or a vector of it as long as the values"


def _convert(op: Op) -> str | None:
    ts = _types(op)
    ok = len(ts) == 1 and _is_value(ts[0]) and op.result.type == with_dtype(ts[0], dtype_of(op.result.type))
    return None if ok else "takes a scalar or a vector and gives one of the same length"


def bits_of(t: Type) -> int:
    """Bits of a scalar or vector."""
    return t.bits if isinstance(t, (DType, VecType)) else 0


def _bitcast(op: Op) -> str | None:
    ts = _types(op)
    ok = len(ts) == 1 and _is_value(ts[0]) and _is_value(op.result.type) and bits_of(ts[0]) == bits_of(op.result.type)
    return None if ok else "takes and gives scalars or vectors with the same number of bits"


def _vec(op: Op) -> str | None:
    t = op.result.type
    ok = isinstance(t, VecType) and len(op.operands) == t.n and all(x == t.dtype for x in _types(op))
    return None if ok else "takes n scalars of the result's dtype"


def _extract(op: Op) -> str | None:
    ts = _types(op)
    if not ts or not isinstance(ts[0], VecType) or op.result.type != ts[0].dtype:
        return "takes a vector and gives one of its elements"
    return _index(op, ts[0].n, 1)


def _insert(op: Op) -> str | None:
    ts = _types(op)
    if len(ts) < 2 or not isinstance(ts[0], VecType) or op.result.type != ts[0] or ts[1] != ts[0].dtype:
        return "takes a vector and a scalar of its dtype, and gives the vector"
    return _index(op, ts[0].n, 2)


def _index(op: Op, n: int, operands: int) -> str | None:
    if "index" in op.attrs:
        ok = len(op.operands) == operands and 0 <= op.attrs["index"] < n
        return None if ok else f"index {op.attrs['index']} outside 0..{n - 1}"
    ts = _types(op)
    ok = len(ts) == operands + 1 and dtype_of(ts[-1]).is_int
    return None if ok else "takes `index` as an attribute or as the last operand"


def _slice(op: Op) -> str | None:
    ts, r, start = _types(op), op.result.type, op.attrs.get("start", -1)
    ok = len(ts) == 1 and isinstance(ts[0], VecType) and isinstance(r, VecType)
    ok = ok and r.dtype == ts[0].dtype and 0 <= start <= ts[0].n - r.n  # type: ignore[union-attr]
    return None if ok else "takes a vector and gives `n` elements of it from `start`"


def dynamic_dims(t: TensorType) -> int:
    """The number of extents and strides of a tensor type that are known only at run time."""
    return sum(x is None for x in (*t.shape, *t.strides))


def _ints(ts: list[Type]) -> bool:
    return all(isinstance(t, DType) and t.is_int for t in ts)


def _alloc(op: Op) -> str | None:
    t = op.result.type
    ok = not op.operands and isinstance(t, TensorType) and t.space in (SHARED, LOCAL) and not dynamic_dims(t)
    return None if ok else "gives a tensor in shared or local memory whose layout is static"


def _make_tensor(op: Op) -> str | None:
    ts, t = _types(op), op.result.type
    ok = ts and isinstance(ts[0], PtrType) and isinstance(t, TensorType) and t.space == ts[0].space
    ok = ok and isinstance(t, TensorType) and len(ts) == 1 + dynamic_dims(t) and _ints(ts[1:])
    return None if ok else "takes a pointer and one integer for each `?` of the layout"


def _view(op: Op) -> str | None:
    ts, t = _types(op), op.result.type
    ok = ts and isinstance(ts[0], TensorType) and isinstance(t, TensorType) and t.space == ts[0].space
    ok = ok and isinstance(t, TensorType) and len(ts) == 1 + dynamic_dims(t) and _ints(ts[1:])
    return None if ok else "takes a tensor and one integer for each `?` of the new layout"


def _subview(op: Op) -> str | None:
    ts, t = _types(op), op.result.type
    if not ts or not isinstance(ts[0], TensorType) or not isinstance(t, TensorType):
        return "takes and gives a tensor"
    ok = (t.space, t.dtype) == (ts[0].space, ts[0].dtype)
    ok = ok and len(ts) == 1 + len(ts[0].shape) + dynamic_dims(t) and _ints(ts[1:])
    return None if ok else "takes a tensor, one offset for each leaf, and one integer for each `?` of the new layout"


def access_type(t: TensorType, coords: int) -> Type | None:
    """The type of a load with `coords` leaf coordinates: the dtype, or the vector of the leaves that remain (in
    row-major order of coordinates, last leaf fastest); None when too many coordinates came or a remaining extent is not
    static."""
    rest = t.shape[coords:]
    if coords > len(t.shape) or any(x is None for x in rest):
        return None
    n = 1
    for x in rest:
        n *= x or 0
    return t.dtype if coords == len(t.shape) else VecType(t.dtype, n)


def _load(op: Op) -> str | None:
    ts = _types(op)
    ok = ts and isinstance(ts[0], TensorType) and _ints(ts[1:]) and access_type(ts[0], len(ts) - 1) == op.result.type
    return None if ok else "takes a tensor and leaf coordinates, and gives what they address"


def _store(op: Op) -> str | None:
    ts = _types(op)
    ok = len(ts) >= 2 and isinstance(ts[1], TensorType) and _ints(ts[2:]) and not op.results
    ok = ok and isinstance(ts[1], TensorType) and access_type(ts[1], len(ts) - 2) == ts[0]
    return None if ok else "takes a value, a tensor and the leaf coordinates that address it"


def _base(op: Op) -> str | None:
    tensor, pointer = op.operands[0].type, op.result.type
    same_memory = (dtype_of(pointer), pointer.space) == (dtype_of(tensor), tensor.space)  # type: ignore[union-attr]
    return None if same_memory else "gives the pointer to the tensor's first element"


def _atomic(op: Op) -> str | None:
    ts, kind = _types(op), op.attrs.get("kind")
    if kind not in ATOMICS or kind == "add":
        return f"has a `kind`, one of {', '.join(list(ATOMICS)[1:])}"
    t = op.result.type if len(op.results) == 1 else None
    values, rest = ts[:-2], ts[-2:]
    types = (u32, u64) if kind in ("inc", "dec") else (i32, u32, i64, u64)
    types += (f16, bf16, f32, f64) if kind in ("min", "max") else (u16,) if kind in ("exch", "cas") else ()
    ok = t in types and values == [t] * (1 + (kind == "cas"))
    ok = ok and len(rest) == 2 and isinstance(rest[0], PtrType) and rest[0].space != LOCAL and rest[1] == i64
    takes = (
        "takes an integer of 32 or 64 bits (cas: two; exch, cas: or u16; inc, dec: unsigned; min, max: or a float), "
        "a pointer and i64"
    )
    return None if ok else takes


def _region_types(op: Op, region: int, terminator: str) -> list[Type] | None:
    block = op.regions[region]
    if not block.ops or block.terminator.name != terminator:
        return None
    return [v.type for v in block.terminator.operands]


def _if(op: Op) -> str | None:
    if _types(op) != [u1] or len(op.regions) != 2:
        return "takes a u1 and has two regions"
    want = [r.type for r in op.results]
    for i in (0, 1):
        if op.regions[i].args or _region_types(op, i, "yield") != want:
            return "both regions take nothing and yield the results' types"
    return None


def _for(op: Op) -> str | None:
    ts = _types(op)
    if len(ts) < 3 or len(op.regions) != 1 or not _ints(ts[:3]) or ts[0] != ts[1] or ts[0] != ts[2]:
        return "takes start, stop and step of one integer type, then the initial values, and has one region"
    want = [r.type for r in op.results]
    takes = [a.type for a in op.regions[0].args]
    ok = ts[3:] == want and takes == [ts[0], *want] and _region_types(op, 0, "yield") == want
    return None if ok else "the region takes the induction variable and the carried values, and yields the latter"


def _while(op: Op) -> str | None:
    if len(op.regions) != 2:
        return "has two regions"
    want = [r.type for r in op.results]
    cond = _region_types(op, 0, "condition")
    ok = _types(op) == want and all([a.type for a in r.args] == want for r in op.regions)
    ok = ok and cond == [u1, *want] and _region_types(op, 1, "yield") == want
    return None if ok else "regions take the carried values; the first ends in `condition` with a u1 and them"


def _printf(op: Op) -> str | None:
    ok = isinstance(op.attrs.get("format"), str) and all(isinstance(t, DType) for t in _types(op)) and not op.results
    return None if ok else "takes a `format` and scalars"


def _checks(op: Op) -> str | None:
    """`check`: a pointer to the record, `pairs` pairs of unsigned integers, then the integers that a report takes
    along."""
    n, ts = op.attrs.get("pairs", 0), _types(op)
    pairs = ts[1 : 1 + 2 * n]
    ok = n > 0 and len(pairs) == 2 * n and isinstance(ts[0], PtrType) and ts[0].space == GLOBAL
    ok = ok and not op.results and _ints(ts[1:])
    ok = ok and all(a == b and a in (u32, u64) for a,
                    b in zip(pairs[::2], pairs[1::2], strict=True)) and isinstance(op.attrs.get("site"), int)
    return None if ok else "takes a global pointer, `pairs` pairs of u32 or u64, and integers; `site` is a number"


def _expect(op: Op) -> str | None:
    ts = _types(op)
    ok = len(ts) in (1, 2) and ts[0] == u1 and _ints(ts[1:]) and isinstance(op.attrs.get("what"),
                                                                            str) and not op.results
    return None if ok else "takes a u1, and an integer to name where it does not hold, and says `what`"


def _any(op: Op) -> str | None:
    return None


_NUM = "int uint float"
_DIM = typed("-> u32", dim=(0, 1, 2))
_SHUFFLE = typed("value int -> =0", kind=("idx", "up", "down", "xor"), width=(1, 2, 4, 8, 16, 32, 64))


def _barrier(op: Op) -> str | None:
    ok = not op.results and _types(op) in ([], [u32])
    return None if ok else "takes nothing, or the u32 number of a barrier"


_TABLE: tuple[tuple[str, Check, str, str], ...] = (
    # name, check, effects, meaning
    ("const", _const, "", "The number `value`, in each element; or one number for each element, as a tuple."),
    *((row.name, same(row.arity, row.kinds), "", row.doc) for row in ELEMENTWISE.values()),
    ("fma", same(3, _NUM), "", "a * b + c, with one rounding on floats."),
    *((f.name, same(1, f.kinds), "", f"{f.doc[0].upper()}{f.doc[1:]}.") for f in FUNCTIONS.values()),
    ("cmp", _cmp, "", "Compares by `pred`: eq ne lt le gt ge. Of NaN only ne holds. u1 may be compared by eq and ne."),
    ("select", _select, "",
     "The second where the condition holds, else the third; a vector condition chooses element by element."),
    ("convert", _convert, "",
     "The number in another dtype: to float rounded to nearest even, float to integer truncated, saturated (NaN "
     "gives 0), integer to integer wrapped, to u1 `a != 0`. To fp8 out of range: infinity where the format has one, "
     "else NaN."),
    ("bitcast", _bitcast, "", "The same bits as another type; element 0 has the lowest bits."),
    ("vec", _vec, "", "A vector of n scalars."),
    ("extract", _extract, "", "One element, at `index` or at the last operand."),
    ("insert", _insert, "", "The vector with one element replaced, at `index` or at the last operand."),
    ("slice", _slice, "", "The elements from `start` on, as many as the result has."),
    ("block_id", _DIM, "", "Which block this is, along `dim`."),
    ("thread_id", _DIM, "", "Which thread of its block this is, along `dim`."),
    ("block_dim", _DIM, "", "Threads of a block along `dim`."),
    ("grid_dim", _DIM, "", "Blocks of the grid along `dim`."),
    ("lane_id", typed("-> u32"), "",
     "Which lane of its wave this is. The linear thread id is (z * bdy + y) * bdx + x; the lane is it modulo the "
     "wave."),
    ("shuffle", _SHUFFLE, "convergent",
     "Wave. The value of another lane of the same segment of `width` lanes; by `kind`: idx (lane `offset` of the "
     "segment), up (own lane - offset), down (own lane + offset), xor (own lane ^ offset). Where that is outside the "
     "segment: the own value."),
    ("ballot", typed("u1 -> u64"), "convergent",
     "Wave. Bit l is set where lane l is active and its operand holds; the same in every lane."),
    ("barrier", _barrier, "sync convergent",
     "Block. Every wave of the block arrives before any goes on; orders shared and global memory. Lanes and waves "
     "that have finished count as arrived. With an operand, the number of a barrier of its own, and `threads`: as "
     "soon as so many have arrived; with `wait` 0 the wave arrives and goes on."),
    ("pause", _barrier, "sync convergent",
     "Wave. The other waves of the block have a turn; `done` 1: none, the wave has got what it waited for."),
    ("cluster_arrive", typed("->"), "sync convergent",
     "Wave. It arrives at the barrier of its cluster, which opens when all waves of all its blocks have come. Waves "
     "that have finished count as arrived."),
    ("cluster_wait", typed("->"), "sync convergent",
     "Wave. It waits until the barrier has opened at which it has arrived last; orders shared and global memory."),
    ("expect", _expect, "io",
     "The kernel's own promise, `what`, holds in all active lanes. Only the reference looks; passes for machines "
     "drop it, and launches see to what their numbers and grid tell."),
    ("printf", _printf, "io", "Prints by C's conventions, once for each active lane, in lane order within a wave."),
    ("check", _checks, "io",
     "Where the first of a pair, in any of `pairs` pairs, is not less than the second: the first lane that finds "
     "that writes a report to the record (`ir.bounds`): the `site`, where the lane is, and the further operands. "
     "With `stop` the lane goes no further."),
    # Memory through tensors: what the frontend makes. A coordinate is a 32-bit or 64-bit integer for one leaf of the
    # layout.
    ("alloc", _alloc, "read write",
     "A new tensor, `name` for messages, aligned to `align` bytes: one for each block (shared) or each lane (local). "
     "Its contents are undefined; a local one is new each time the op runs. `undefined`: it is meant that they are "
     "read, of shared memory."),
    ("make_tensor", _make_tensor, "",
     "A tensor at a pointer; the operands after it are the `?` extents, then the `?` strides. `name` for messages."),
    ("view", _view, "", "The same memory from the same first byte, read as another dtype and layout."),
    ("subview", _subview, "",
     "The same memory from the element at the offsets (one a leaf) on; the result's strides are in its type, in "
     "elements."),
    ("load", _load, "read",
     "The element at the coordinates, or, with fewer coordinates than leaves, the vector of what remains, last leaf "
     "fastest."),
    ("store", _store, "write",
     "Writes what `load` with the same coordinates reads: operands are value, tensor, coordinates."),
    # Memory by address: what the pass `addresses` makes of the ops above.
    ("base", typed("tensor -> pointer", _base), "", "The pointer to a tensor's first element."),
    ("ld", typed("pointer i64 -> value"), "read",
     "n consecutive elements at pointer + byte offset; `align` is the known alignment in bytes."),
    ("st", typed("value pointer i64 ->"), "write",
     "Writes n consecutive elements at pointer + byte offset: operands are value, pointer, offset."),
    ("atomic_add", typed("number memory i64 -> =0"), "read write",
     "Adds to the value at pointer + byte offset in one step that nothing comes between, and gives what stood there "
     "before: operands are value, pointer, offset. A vector is one value whose elements are added each. Lanes go in "
     "order. `scope` (`AtomicScope`, AGENT where it is not there) and `order` (1 acquire, 2 release) as memory models "
     "have them."),
    ("atomic", _atomic, "read write",
     "The same for integers and other `kind`s: exch writes the value, min and max what is less or more, and, or, xor "
     "by bits; inc writes old + 1, or 0 where old is not below the value; dec old - 1, or the value where old is 0 "
     "or above it; cas, with two values, the second where old is the first. min and max take floats too, exch and "
     "cas u16."),
    ("fence", typed("->", scope=range(4), order=range(4)), "read write sync",
     "The lane's accesses to memory before and behind it are ordered, as seen within `scope`."),
    ("ptr_add", typed("pointer i64 -> =0"), "", "A pointer that lies an offset in bytes further on."),
    ("shared_base", typed("-> shared"), "", "Pointer to the first byte of the block's shared memory."),
    ("shared_peer", typed("shared i64 -> =0"), "",
     "The pointer to the same place in the shared memory of another block of the cluster, by its rank: for accesses "
     "only."),
    ("map_word", typed("map -> i64", index=range(11)), "",
     "What a tensor map says of its array: 0 its address; 1 to 5 its extents; 6 to 10 its strides in bytes, 0 where "
     "it has fewer dimensions."),
    ("ptr_int", typed("pointer -> i64"), "",
     "A global pointer's address, or the byte offset of a shared pointer from the start of the block's shared "
     "memory."),
    ("int_ptr", typed("i64 -> global"), "", "The global pointer at an address."),
    # Control flow. A condition may differ from lane to lane.
    ("if", _if, "",
     "Runs the first region where the condition holds, the second elsewhere; the results are what each yields. "
     "`returned`: bit 0 for the first region, bit 1 for the second: its lanes have left the kernel at its end."),
    ("for", _for, "",
     "Python's range(start, stop, step) with values carried around; a step of 0 runs no trip. Bounds may differ by "
     "lane. `unroll`: asked for by the user."),
    ("while", _while, "",
     "Runs the first region, and while its condition holds, the second; results are what `condition` passed last."),
)  # fmt: skip

for _name, _check, _effects, _doc in _TABLE:
    define(OpDef(_name, _check, frozenset(_effects.split()), doc=_doc))
for _name in ("yield", "condition"):
    define(OpDef(_name, _any, terminator=True,
                 doc="Ends a region; its operands are what the op around it makes of them."))
