"""torch's tensors in memory: the torch that is loaded comes in; where its fields stand goes out, for compiled host code
to read them itself.

torch's own C function (`dltensor_from_py_object_no_sync` of DLPack's exchange API) takes some 20 ns for a tensor, a
dozen loads take 2. No fact of torch's classes is written down here: fields are looked for in tensors of which every
number differs, by what torch says of them (`_cdata`, `data_ptr`, `_dispatch_keys`), and what is read there is held
against torch's answers for others. Where any of it fails, or a tensor is not like the one that the slow path has
accepted, torch's own function is asked."""

from __future__ import annotations

import ctypes
import functools
import pathlib
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from avelang.native.layouts import MOST_INLINE, Fields, Likeness

# Of the word that begins with the dtype: 16 bits of that, 8 each of the device's type, its index, and whether there is
# one. Others depend on strides.
META = (1 << 40) - 1
_NO_INDEX = 0x01FF00  # a device of type 0 whose index is -1
_IMPL_BYTES, _STORAGE_BYTES = 208, 80  # that are searched: torch 2.11 has 184 and 80, 2.13 has 176 and 80


class TensorFields(NamedTuple):
    """Bytes from the beginning of an object to a field: `impl` of the Python object; `storage` to `sizes` of what that
    points to (`sizes` are followed by as many strides, MOST_INLINE of each); `data`, `deleter` of the storage, of which
    `bytes` says how many it has. `lazy`: dispatch keys of views that are negated or conjugated lazily. `counter` of
    what `impl` points to: null, or where `version` bytes on stands how often the memory was changed. `requires`,
    `enabled`: addresses of c10::TensorImpl::requires_grad and c10::GradMode::is_enabled."""

    impl: int
    storage: int
    keys: int
    meta: int
    numel: int
    offset: int
    rank: int
    sizes: int
    data: int
    deleter: int
    lazy: int
    counter: int
    version: int
    requires: int
    enabled: int
    bytes: int

    def fields(self) -> Fields:
        """As the struct of the host code."""
        return Fields(*self)


class Read(NamedTuple):
    """The facts in a tensor's fields: strides in elements, `address` for elements of `item` bytes."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    likeness: Likeness


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def _only(candidates: Iterable[Iterable[int]]) -> int:
    """The one place that all lists name. Raises ValueError for none and for more than one."""
    (place,) = set.intersection(*map(set, candidates))
    return place


def _places(start: int, size: int, numbers: Sequence[int]) -> list[int]:
    """Bytes from `start` at which these words stand in a row, within `size` bytes."""
    return [
        at
        for at in range(0, size - 8 * len(numbers) + 8, 8)
        if [_word(start + at + 8 * i) for i in range(len(numbers))] == list(numbers)
    ]


def read(at: TensorFields, x: Any, item: int) -> Read | None:
    """The facts that host code reads of a tensor; None for one with more than MOST_INLINE dimensions, without elements,
    or with more than its storage has."""
    impl = _word(id(x) + at.impl)
    rank, storage = _word(impl + at.rank), _word(impl + at.storage)
    if rank > MOST_INLINE or not _word(impl + at.numel) or not storage:
        return None
    numbers = (ctypes.c_int64 * (2 * MOST_INLINE)).from_address(impl + at.sizes)
    offset = _word(impl + at.offset)
    address = _word(storage + at.data) + offset * item
    reach = sum((n - 1) * s for n, s in zip(numbers[:rank], numbers[MOST_INLINE : MOST_INLINE + rank], strict=True))
    if (offset + 1 + reach) * item > _word(storage + at.bytes):
        return None
    likeness = Likeness(
        type=id(type(x)), table=_word(impl), keys=_word(impl + at.keys), meta=_word(impl + at.meta) & META,
        deleter=_word(storage + at.deleter)
    )
    return Read(address, tuple(numbers[:rank]), tuple(numbers[MOST_INLINE : MOST_INLINE + rank]), likeness)


def _found(torch: Any) -> TensorFields:
    """Where the fields are: the places that are right for each of some tensors of which every number differs. Raises
    whatever goes wrong, where torch has not what is asked of it or a field is not to be found."""
    forms = [((3, 5, 7, 2, 6), (211, 29, 2, 401, 1), 77), ((4, 9, 8, 11, 1), (17, 311, 19, 3, 23), 203),
             ((13, 2, 1, 3, 5), (5, 97, 31, 41, 67), 55)]
    several = [torch.zeros(8191, dtype=torch.int16, device="cpu").as_strided(*form) for form in forms]
    storages = [x.untyped_storage() for x in several]
    impls = [x._cdata for x in several]

    def everywhere(starts: Iterable[int], size: int, numbers: Iterable[Sequence[int]]) -> int:
        return _only(_places(start, size, row) for start, row in zip(starts, numbers, strict=True))

    # Rank, extents and strides follow one another.
    rank = everywhere(impls, _IMPL_BYTES, ([5, *shape, *strides] for shape, strides, _ in forms))
    data = min(_places(storages[0]._cdata, _STORAGE_BYTES, [storages[0].data_ptr()]))
    # Behind the address stand what is to be freed, each storage's own, and the function that frees, which all have.
    frees = [
        at
        for at in (data + 8, data + 16)
        if len({_word(s._cdata + at) for s in storages}) == 1 and _word(storages[0]._cdata + at)
    ]
    return TensorFields(
        impl=everywhere(map(id, several), torch.Tensor.__basicsize__, ([i] for i in impls)),
        storage=everywhere(impls, rank, ([s._cdata] for s in storages)),
        keys=everywhere(impls, _IMPL_BYTES, ([_keys(torch, x)] for x in several)),
        meta=_meta(torch), numel=everywhere(impls, _IMPL_BYTES, ([x.numel()] for x in several)),
        offset=everywhere(impls, _IMPL_BYTES, ([offset] for _, _, offset in forms)), rank=rank, sizes=rank + 8,
        data=data, deleter=_only([frees]), lazy=_lazy(torch), **_counter(torch), **_functions(torch),
        bytes=_bytes(torch),
    )  # fmt: skip


def _counter(torch: Any) -> dict[str, int]:
    """Where the counter of changes is: a pointer in the tensor, and the count behind it, of tensors that were changed
    so often."""
    times = (1, 3, 8, 21)
    with torch.inference_mode(False):
        tensors = [torch.zeros(4, dtype=torch.float32, device="cpu") for _ in times]
        views = [x[1:] for x in tensors]
        for x, n in zip(tensors, times, strict=True):
            for _ in range(n):
                x.add_(1)
    assert tuple(x._version for x in tensors) == times
    with torch.inference_mode():
        none = torch.zeros(4, dtype=torch.float32, device="cpu")

    def counts(at: int) -> bool:
        """Whether a pointer is there that a tensor's views have too, others not, and tensors of inference mode not at
        all."""
        words = [_word(x._cdata + at) for x in tensors]
        shared = all(_word(x._cdata + at) == w for x, w in zip(views, words, strict=True))
        return (
            shared
            and len(set(words)) == len(words)
            and all(w > 4096 and not w % 8 for w in words)
            and not _word(none._cdata + at)
        )

    counter = _only([[at for at in range(0, _IMPL_BYTES, 8) if counts(at)]])
    pointers = [_word(x._cdata + counter) for x in tensors]
    found = [
        at for at in range(8, 24, 4) if tuple(ctypes.c_uint32.from_address(p + at).value for p in pointers) == times
    ]
    version = _only([found])
    return {"counter": counter, "version": version}


def _functions(torch: Any) -> dict[str, int]:
    """torch's own functions, by the names that C++ gives them in the library that holds them."""
    folder = pathlib.Path(torch.__file__).parent / "lib"
    library = ctypes.CDLL(str(next(p for p in (folder / "libc10.so", folder / "libc10.dylib") if p.is_file())))
    names = {"requires": "_ZNK3c1010TensorImpl13requires_gradEv", "enabled": "_ZN3c108GradMode10is_enabledEv"}
    return {k: ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for k, name in names.items()}


def _gradients_hold(torch: Any, at: TensorFields) -> bool:
    """Whether what autograd says of tensors is what the functions and the counter say: of leaves, results, views, and
    views of what became one."""
    if not at.requires or not at.enabled:
        return False
    requires = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(at.requires)
    enabled = ctypes.PYFUNCTYPE(ctypes.c_bool)(at.enabled)
    with torch.inference_mode(False), torch.enable_grad():
        plain, leaf, base = (torch.zeros(4, dtype=torch.float32, device="cpu") for _ in range(3))
        leaf.requires_grad_()
        view = base[1:]
        base[:2].mul_(leaf[:2])
        kinds = [plain, leaf, leaf * 2, leaf[1:], leaf.detach(), base, view, plain[1:], plain.view(2, 2)]
        good = all(requires(x._cdata) == x.requires_grad for x in kinds) and enabled()
    with torch.no_grad():
        good = good and not enabled()
    with torch.inference_mode():
        none = torch.zeros(4, dtype=torch.float32, device="cpu")
        good = good and not enabled() and not requires(none._cdata) and _word(none._cdata + at.counter) == 0
    if not good:
        return False
    for x, other in ((plain, plain[1:]), (view, base), (leaf.detach(), leaf)):
        before = x._version
        count = ctypes.c_uint32.from_address(_word(x._cdata + at.counter) + at.version)
        if count.value != before:
            return False
        count.value += 1
        if (x._version, other._version, count.value) != (before + 1, before + 1, before + 1):
            return False
    return True


def _keys(torch: Any, x: Any) -> int:
    return torch._C._dispatch_keys(x).raw_repr()


def _lazy(torch: Any) -> int:
    z = torch.zeros(3, dtype=torch.complex64, device="cpu")
    more = [_keys(torch, view) & ~_keys(torch, z) for view in (z.conj(), torch._neg_view(z))]
    assert all(more)
    return more[0] | more[1]


def _bytes(torch: Any) -> int:
    """Where a storage's size stands: it changes with the storage."""
    storages = [
        torch.zeros(n, dtype=torch.int8, device="cpu").untyped_storage() for n in (4099, 10007, 70001, 3, 12289)
    ]
    storages[1].resize_(777)
    return _only(_places(s._cdata, _STORAGE_BYTES, [s.nbytes()]) for s in storages)


def _meta(torch: Any) -> int:
    """Where the dtype stands: tensors of one form have as many numbers there as dtypes; device type 0 (the CPU), no
    index and a 1 follow."""
    dtypes = [torch.int16, torch.float16, torch.bfloat16, torch.int32, torch.float32, torch.int16, torch.float32]
    tensors = [torch.zeros(64, dtype=d, device="cpu") for d in dtypes]

    def tells(at: int) -> bool:
        words = [_word(x._cdata + at) & META for x in tensors]
        return len(set(words)) == len(set(zip(words, dtypes, strict=True))) == 5 and all(
            w >> 16 == _NO_INDEX for w in words
        )

    return _only([[at for at in range(0, _IMPL_BYTES, 8) if tells(at)]])


def _holds(torch: Any, at: TensorFields) -> bool:
    """Whether what is read is what torch says, for tensors of many kinds, and whether those that are unlike are told
    apart."""
    base = torch.arange(2048, dtype=torch.float32, device="cpu")
    plain = base[:256]
    like = [base, base[3:], base.view(4, 8, 64)[1:, ::2, 5:], base.view(2, 4, 4, 8, 8), base.view(32, 64).T,
            base[7].view(1, 1), base[9], base[:1]]
    like += [torch.empty(n, 3, dtype=torch.float32, device="cpu") for n in (1, 2, 9)] + [
        base.as_strided((5, 3), (0, 7), 11)
    ]
    want = read(at, plain, 4)
    for x in like:
        found = read(at, x, 4)
        if found is None or want is None or bytes(found.likeness) != bytes(want.likeness):
            return False
        if (found.address, found.shape, found.strides) != (x.data_ptr(), tuple(x.shape), x.stride()):
            return False
    apart = [plain.to(torch.int32), plain.double(), plain.to("meta"), torch._neg_view(plain), torch._lazy_clone(plain)]
    kinds = [read(at, x, x.element_size()) for x in apart]
    return all(k is None or bytes(k.likeness) != bytes(want.likeness) for k in kinds if want is not None)


@functools.cache
def layout() -> TensorFields | None:
    """The offsets of the fields of the loaded torch's tensors, or None where they are not as they were found. It is
    found in a thread of its own, as what a thread has asked torch to do is not meant for these tensors: hooks of saved
    tensors, say, by which a checkpoint counts what its forward keeps."""
    made: list[TensorFields | None] = [None]

    def find() -> None:
        torch: Any = sys.modules["torch"]
        try:
            at = _found(torch)
            made[0] = at if _holds(torch, at) and _gradients_hold(torch, at) else None
        except Exception:  # whatever a torch does that has not what is asked of it: its own function is asked then
            return

    thread = threading.Thread(target=find)
    thread.start()
    thread.join()
    return made[0]


def likeness(x: Any, address: int, shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> Likeness:
    """The pattern of tensors that may be read as `x`, which was accepted; `strides` in bytes. All zero where none
    may."""
    at = layout()
    found = read(at, x, item) if at is not None else None
    if found is None:
        return Likeness()
    if (found.address, found.shape, tuple(s * item for s in found.strides)) != (address, shape, strides):
        return Likeness()
    return found.likeness
