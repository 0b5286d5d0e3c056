"""Made by `./dev stubs` from the tables of builtins and the rows of the intrinsics."""

from abc import ABCMeta
from collections.abc import Iterable, Iterator
from enum import EnumMeta
from typing import Any, Protocol, TypeAlias

from avelang.frontend import names as _names
from avelang.frontend.names import Builtin as Builtin
from avelang.frontend.names import Layout as Layout
from avelang.frontend.names import Namespace as Namespace
from avelang.frontend.names import Ranks as Ranks
from avelang.ir.dtypes import DType as DType
from avelang.ir.types import AtomicScope as AtomicScope
from avelang.jit import constant as constant
from avelang.jit import struct as struct

__all__: list[str]
dynamic: int

class _DType(EnumMeta, ABCMeta, DType):  # type: ignore
    """A scalar type: as an annotation, a number of it; in expressions, the type. `EnumMeta` stands here for calls: by
    it pyright lets a protocol be called."""

    def __call__(cls, value: Any) -> Any:  # type: ignore
        """The number in this dtype, in a kernel."""
    def __eq__(cls, other: object) -> bool: ...
    def __hash__(cls) -> int: ...

class _Float(Protocol):
    """A number in a kernel; Python's are, too."""

    def __abs__(self) -> Any: ...
    def __bool__(self) -> bool: ...
    def __float__(self) -> float: ...
    def __int__(self) -> int: ...
    def __add__(self, other: Any, /) -> Any: ...
    def __eq__(self, other: object, /) -> Any: ...
    def __floordiv__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __mod__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __ne__(self, other: object, /) -> Any: ...
    def __neg__(self) -> Any: ...
    def __pos__(self) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __rfloordiv__(self, other: Any, /) -> Any: ...
    def __rmod__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...

class _Int(_Float, Protocol):
    """An integer in a kernel."""

    def __and__(self, other: Any, /) -> Any: ...
    def __invert__(self) -> Any: ...
    def __lshift__(self, other: Any, /) -> Any: ...
    def __or__(self, other: Any, /) -> Any: ...
    def __rand__(self, other: Any, /) -> Any: ...
    def __rlshift__(self, other: Any, /) -> Any: ...
    def __ror__(self, other: Any, /) -> Any: ...
    def __rrshift__(self, other: Any, /) -> Any: ...
    def __rshift__(self, other: Any, /) -> Any: ...
    def __rxor__(self, other: Any, /) -> Any: ...
    def __xor__(self, other: Any, /) -> Any: ...

class _Value:
    """A vector, tensor or pointer in a kernel."""

    dtype: Any
    shape: Any
    strides: Any
    ndim: int

    def __getitem__(self, index: Any) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __len__(self) -> int: ...
    def __abs__(self) -> Any: ...
    def __hash__(self) -> int: ...
    def __add__(self, other: Any, /) -> Any: ...
    def __and__(self, other: Any, /) -> Any: ...
    def __eq__(self, other: object, /) -> Any: ...
    def __floordiv__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __invert__(self) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __lshift__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def __mod__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __ne__(self, other: object, /) -> Any: ...
    def __neg__(self) -> Any: ...
    def __or__(self, other: Any, /) -> Any: ...
    def __pos__(self) -> Any: ...
    def __pow__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __rand__(self, other: Any, /) -> Any: ...
    def __rfloordiv__(self, other: Any, /) -> Any: ...
    def __rlshift__(self, other: Any, /) -> Any: ...
    def __rmatmul__(self, other: Any, /) -> Any: ...
    def __rmod__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __ror__(self, other: Any, /) -> Any: ...
    def __rpow__(self, other: Any, /) -> Any: ...
    def __rrshift__(self, other: Any, /) -> Any: ...
    def __rshift__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __rxor__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __xor__(self, other: Any, /) -> Any: ...

class Pointer(_names.Pointer, _Value):  # type: ignore
    """`Pointer[dtype]`: an annotation for an address in global memory; `Pointer(dtype)` means the same."""

    dtype: Any
    def __init__(self, dtype: DType) -> None: ...
    def __class_getitem__(cls, dtype: Any) -> Any: ...

class Tensor(_names.Tensor, _Value):  # type: ignore
    """`Tensor[shape, dtype]` or `Tensor[shape, strides, dtype]`: an annotation, which type checkers take too; `Tensor(shape,
    dtype)` and `Tensor(shape, strides, dtype)` mean the same, and are the target of a view. Default strides are row-major. In the
    annotation of a kernel's parameter an extent (or a stride that is given) may be `al.dynamic`: each launch takes it from the
    array, and it is known at compile time.
    """

    dtype: Any
    shape: Any
    strides: Any
    def __init__(self, *args: Any) -> None: ...
    def __class_getitem__(cls, args: Any) -> Any: ...

class Signals(_names.Signals):  # type: ignore
    """`signals: al.Signals[n]` (or `[m, n]`; extents as of `Tensor`): an annotation for signals, words of u32 in symmetric memory
    by which ranks say what is done. Each holds an *epoch*, a number that only grows: a signal is sent and waited for, and is no
    data, so it is neither loaded nor stored to. `signals[i]` is one of them, with `at`, `send`, `wait`, `add` and `value`. In a
    kernel `al.Signals(pointer, shape)` takes a pointer to u32, or a tensor of u32.
    """

    shape: Any
    def __init__(self, pointer: Any, shape: Any = ...) -> None: ...
    def __class_getitem__(cls, shape: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Signals: ...
    def at(self, rank: Any) -> Signals:
        """The same signal in the memory of another rank, to be sent there."""
    def send(self, epoch: Any) -> None:
        """Writes the number `epoch`, behind all accesses before it: whoever waits for it sees them. Store with release at system
        scope.
        """
    def wait(self, at_least: Any, rank: Any) -> None:
        """Waits until the signal, which rank `rank` sends, has reached the epoch `at_least` or a later one (numbers go round after
        2**31); accesses behind it see what that rank did before. Where the host gives up, all waits end, and the launch fails
        (L080).
        """
    def add(self, count: Any = ...) -> None:
        """Adds `count` (1) in one step, with release at system scope: for a signal that several blocks or ranks send, whose epoch
        is the sum of what they have added.
        """
    def value(self) -> Any:
        """The epoch that is there, loaded with acquire: accesses behind it see what was done before it was sent."""

class TensorMap(_names.TensorMap, _Value):  # type: ignore
    """`TensorMap(dtype, rank, box, swizzle=0, interleave=0, fill=0)`: an annotation for a tensor map, by which a GPU copies boxes
    of an array of `rank` dimensions; a launch passes the array. `box`: extents in elements, in the array's order of dimensions,
    the last of them contiguous. `swizzle`: 0, 32, 64 or 128 bytes. `interleave`: 0. `fill`: what elements outside the array read
    as: 0 or "nan". `TensorMap[dtype, rank, box, swizzle]` means the same.
    """

    dtype: Any
    def __init__(
        self, dtype: DType, rank: int, box: Any, swizzle: int = 0, interleave: int = 0, fill: Any = 0
    ) -> None: ...
    def __class_getitem__(cls, args: Any) -> Any: ...

constexpr: TypeAlias = Any
"""As an annotation: a parameter that is known at compile time."""


dtype: TypeAlias = DType
class bf16(_Float, Protocol, metaclass=_DType): ...
class f16(_Float, Protocol, metaclass=_DType): ...
class f32(_Float, Protocol, metaclass=_DType): ...
class f64(_Float, Protocol, metaclass=_DType): ...
class f8e4m3fn(_Float, Protocol, metaclass=_DType): ...
class f8e4m3fnuz(_Float, Protocol, metaclass=_DType): ...
class f8e5m2(_Float, Protocol, metaclass=_DType): ...
class f8e5m2fnuz(_Float, Protocol, metaclass=_DType): ...
class i16(_Int, Protocol, metaclass=_DType): ...
class i32(_Int, Protocol, metaclass=_DType): ...
class i64(_Int, Protocol, metaclass=_DType): ...
class i8(_Int, Protocol, metaclass=_DType): ...
class u1(_Int, Protocol, metaclass=_DType): ...
class u16(_Int, Protocol, metaclass=_DType): ...
class u32(_Int, Protocol, metaclass=_DType): ...
class u64(_Int, Protocol, metaclass=_DType): ...
class u8(_Int, Protocol, metaclass=_DType): ...
class void(_Int, Protocol, metaclass=_DType): ...

def abs(value: Any) -> Any:
    """|x|; of the least integer, itself"""

def atomic_add(x: Any, index: Any, value: Any, scope: Any = ..., order: Any = ...) -> Any:
    """Adds to x[index] in one step; a pair of f16 or bf16 adds to two elements, from x[index] on. Gives what stood there before.
    scope: "block", "cluster", "device" (if left out) or "system"; order: "relaxed" (if left out), "acquire", "release" or
    "acq_rel".
    """

def atomic_and(x: Any, index: Any, value: Any, scope: Any = ..., order: Any = ...) -> Any:
    """Ands the bits of value to x[index] in one step. Gives what stood there before. scope: "block", "cluster", "device" (if left
    out) or "system"; order: "relaxed" (if left out), "acquire", "release" or "acq_rel".
    """

def atomic_and_(x: Any, index: Any, value: Any, scope: Any = ..., order: Any = ...) -> Any:
    """Another name of `al.atomic_and`. Gives what stood there before. scope: "block", "cluster", "device" (if left out) or
    "system"; order: "relaxed" (if left out), "acquire", "release" or "acq_rel".
    """

def atomic_cas(x: Any, index: Any, expected: Any, value: Any, scope: Any = ..., order: Any = ...) -> Any:
    """Compare-and-swap: writes value to x[index] where it is expected, bit by bit. Gives what stood there before. scope: "block",
    "cluster", "device" (if left out) or "system"; order: "relaxed" (if left out), "acquire", "release" or "acq_rel".
    """

def atomic_exchange(x: Any, index: Any, value: Any, scope: Any = ..., order: Any = ...) -> Any:
    """Writes value to x[index] in one step. Gives what stood there before. scope: "block", "cluster", "device" (if left out) or
    "system"; order: "relaxed" (if left out), "acquire", "release" or "acq_rel".
    """

def atomic_max(x: Any, index: Any, value: Any, scope: Any = ..., order: Any = ...) -> Any:
    """Writes value to x[index] where it is more, in one step. Gives what stood there before. scope: "block", "cluster", "device"
    (if left out) or "system"; order: "relaxed" (if left out), "acquire", "release" or "acq_rel".
    """

def atomic_min(x: Any, index: Any, value: Any, scope: Any = ..., order: Any = ...) -> Any:
    """Writes value to x[index] where it is less, in one step. Gives what stood there before. scope: "block", "cluster", "device"
    (if left out) or "system"; order: "relaxed" (if left out), "acquire", "release" or "acq_rel".
    """

def atomic_or(x: Any, index: Any, value: Any, scope: Any = ..., order: Any = ...) -> Any:
    """Ors the bits of value to x[index] in one step. Gives what stood there before. scope: "block", "cluster", "device" (if left
    out) or "system"; order: "relaxed" (if left out), "acquire", "release" or "acq_rel".
    """

def atomic_or_(x: Any, index: Any, value: Any, scope: Any = ..., order: Any = ...) -> Any:
    """Another name of `al.atomic_or`. Gives what stood there before. scope: "block", "cluster", "device" (if left out) or
    "system"; order: "relaxed" (if left out), "acquire", "release" or "acq_rel".
    """

def atomic_xor(x: Any, index: Any, value: Any, scope: Any = ..., order: Any = ...) -> Any:
    """Flips the bits of value in x[index] in one step. Gives what stood there before. scope: "block", "cluster", "device" (if left
    out) or "system"; order: "relaxed" (if left out), "acquire", "release" or "acq_rel".
    """

def bitcast(value: Any, dtype: DType | Tensor) -> Any:
    """The same bits as another dtype (or `Tensor`), element 0 lowest."""

def block_dim(dim: int) -> u32:
    """Threads of a block; u32."""

def block_id(dim: int) -> u32:
    """Which block this is, along dimension 0, 1 or 2; u32."""

def block_threads() -> Any:
    """Threads of a block of the launch, an int at compile time; 0 where no launch is known."""

def brev(value: Any) -> Any:
    """the bits in reverse, of integers"""

def cdiv(a: Any, b: Any) -> Any:
    """Integers: a / b rounded up, such as the blocks that a elements take. Host code may call it too."""

def ceil(value: Any) -> Any:
    """rounded toward infinity"""

def clamp(value: Any, low: Any, high: Any) -> Any:
    """The value, or the bound beyond which it lies."""

def clz(value: Any) -> Any:
    """the number of zeros before the highest bit that is set, of integers; the width of 0"""

def convert(value: Any, dtype: DType) -> Any:
    """The number in another dtype; a vector element by element."""

def cos(value: Any) -> Any:
    """cosine"""

def erf(value: Any) -> Any:
    """error function"""

def exp(value: Any) -> Any:
    """e to the x"""

def exp2(value: Any) -> Any:
    """2 to the x"""

def expect(condition: Any, what: str, value: Any = ...) -> None:
    """A promise that callers keep: `what` says it in words. A launch that breaks it fails."""

def expect_threads(count: Any, exact: Any = ...) -> None:
    """Blocks have `count` threads along dimension 0 or more; `exact`: just these. Other launches fail."""

def fence(scope: Any = ..., order: Any = ...) -> Any:
    """Orders the lane's accesses to memory before and behind it, within scope ("device"); order: "acq_rel", "acquire" or
    "release".
    """

def ffs(value: Any) -> Any:
    """The place of the lowest bit that is set, counted from 1; 0 where none is."""

def floor(value: Any) -> Any:
    """rounded toward minus infinity"""

def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c with one rounding."""

def full(shape: Any, value: Any, dtype: DType) -> Tensor:
    """A register tensor with every element `value`."""

def grid_dim(dim: int) -> u32:
    """Blocks of the grid; u32."""

def isfinite(value: Any) -> Any:
    """True where a float is neither infinite nor NaN."""

def isinf(value: Any) -> Any:
    """True where a float is infinite."""

def isnan(value: Any) -> Any:
    """True where a float is no number."""

def lane_id() -> u32:
    """Which lane of its wave this is; u32."""

def log(value: Any) -> Any:
    """natural logarithm"""

def log1p(value: Any) -> Any:
    """natural logarithm of 1 + x, for small x too"""

def log2(value: Any) -> Any:
    """logarithm to base 2"""

def make_layout(shape: Any, strides: Any = ...) -> Layout:
    """Shape and strides in elements, which may be run-time integers; default strides are row-major."""

def make_local(shape: Any, dtype: DType) -> Tensor:
    """A register tensor of each lane, with undefined contents."""

def make_scratch(shape: Any, dtype: DType, slot: Any = ...) -> Any:
    """Shared memory between two barriers: tensors of one `slot` (0) lie in the same memory, one for each block."""

def make_shared(shape: Any, dtype: DType, alignment: Any = ..., undefined: Any = ...) -> Tensor:
    """A tensor in shared memory, one for each block; alignment in bytes. `undefined`: a kernel may read of it what nothing wrote,
    without a use for it: the reference gives NaN then, and no error.
    """

def make_tensor(pointer: Any, dtype: DType | Tensor, layout: Layout = ...) -> Tensor:
    """A tensor at a pointer: (pointer, dtype, layout) or (pointer, Tensor)."""

def max(a: Any, b: Any, *rest: Any) -> Any:
    """The greatest."""

def min(a: Any, b: Any, *rest: Any) -> Any:
    """The least."""

def peer(tensor: Any, rank: Any) -> Any:
    """The same tensor (or pointer) in the memory of another rank, where `tensor` lies in symmetric memory: for loads, stores,
    atomics with scope="system", and copies by TMA.
    """

def philox(seed: Any, c0: Any, c1: Any = ..., c2: Any = ..., c3: Any = ...) -> Any:
    """Philox 4x32-10: four words (u32) of a 64-bit seed and a counter of four words."""

def popc(value: Any) -> Any:
    """the number of bits that are set, of integers"""

def printf(format: str, *args: Any) -> None:
    """Prints by C's conventions, once for each lane."""

def rand(seed: Any, offset: Any) -> Any:
    """A random f32 in [0, 1), of Philox 4x32-10: the same on every chip and engine."""

def randint(seed: Any, offset: Any) -> Any:
    """A random u32, the first word of Philox for this seed and offset."""

def randn(seed: Any, offset: Any) -> Any:
    """A random f32 of the normal distribution, likewise."""

def range(start: Any, stop: Any = ..., step: Any = ..., unroll: Any = ...) -> Iterable[Any]:
    """A loop at run time: range(stop), (start, stop) or (start, stop, step)."""

def rank() -> Any:
    """Which of the launch's ranks this is, from 0 on; u32. As `ranks`, `peer` and `wait` it reads the kernel's parameter of type
    al.Ranks.
    """

def ranks() -> Any:
    """How many ranks take part in the launch; u32."""

def round(value: Any) -> Any:
    """rounded to the nearest whole number, ties to the even one"""

def rsqrt(value: Any) -> Any:
    """1 / sqrt(x)"""

def select(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`."""

def shuffle(value: Any, offset: Any, width: Any = ...) -> Any:
    """The value of lane `offset` of the segment of `width` lanes."""

def shuffle_down(value: Any, offset: Any, width: Any = ...) -> Any:
    """The value of the lane `offset` above."""

def shuffle_up(value: Any, offset: Any, width: Any = ...) -> Any:
    """The value of the lane `offset` below."""

def shuffle_xor(value: Any, offset: Any, width: Any = ...) -> Any:
    """The value of the lane whose number differs by xor `offset`."""

def sigmoid(value: Any) -> Any:
    """1 / (1 + exp(-x))"""

def sign(value: Any) -> Any:
    """-1, 0 or 1, in the value's type; of NaN, NaN."""

def signal(place: Any, epoch: Any) -> Any:
    """Writes the number `epoch` to a signal, a u32 in symmetric memory, often of a peer, behind all accesses before it: whoever
    waits for it sees them. Store with release at system scope.
    """

def sin(value: Any) -> Any:
    """sine"""

def sqrt(value: Any) -> Any:
    """square root"""

def subview(tensor: Any, offsets: Any, sizes: Any, strides: Any = ...) -> Tensor:
    """A window onto a tensor; stores go through."""

def syncthreads() -> None:
    """Waits until every thread of the block has arrived."""

def tanh(value: Any) -> Any:
    """hyperbolic tangent"""

def target() -> Any:
    """The chip that the kernel is compiled for, at compile time: name, vendor, wave, lds_bytes, dies, has(feature)."""

def thread_id(dim: int) -> u32:
    """Which thread of its block this is; u32."""

def trunc(value: Any) -> Any:
    """rounded toward zero"""

def view(tensor: Any, dtype: DType | Tensor, layout: Layout = ...) -> Tensor:
    """The same bits read otherwise: (tensor, Tensor) or (tensor, dtype, layout)."""

def wait(place: Any, epoch: Any, rank: Any) -> Any:
    """Waits until the signal at `place`, which rank `rank` gives, has reached `epoch` (or a later one: numbers go round after
    2**31); accesses behind it see what that rank did before. Where the host gives up, all waits end, and the launch fails (L080).
    """

def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`: another name of `al.select`."""

class _amdgpu:
    from avelang.ir.types import AtomicScope as AtomicScope

    @staticmethod
    def atomic_add(byte_offset: Any, value: Any, tensor: Any, scope: int = 1) -> Any:
        """Adds `value` to the word at the tensor's first element + `byte_offset`, and gives what stood there before. Lanes that
        name one word add up; between waves the order is not defined. A pair of bf16 needs gfx942 or gfx950.
        """

    @staticmethod
    def ballot(cond: Any) -> Any:
        """Bit l is set where lane l is active and its condition holds; the same in every lane."""

    @staticmethod
    def cvt_f32_bf8(v: Any, byte: int = 0) -> Any:
        """One number of bf8 in a word, as f32: f8e5m2fnuz on gfx942, f8e5m2 on gfx950."""

    @staticmethod
    def cvt_f32_fp8(v: Any, byte: int = 0) -> Any:
        """One number of fp8 in a word, as f32: f8e4m3fnuz on gfx942, f8e4m3fn on gfx950."""

    @staticmethod
    def cvt_pk_bf8_f32(a: Any, b: Any, old: Any, word_sel: int = 0) -> Any:
        """Two numbers as bf8 in one half of `old`: f8e5m2fnuz on gfx942, f8e5m2 on gfx950, rounded to nearest even. Out of range
        there is no saturation: infinity where the format has one, else NaN.
        """

    @staticmethod
    def cvt_pk_f32_bf8(v: Any, word_sel: int = 0) -> Any:
        """Two numbers of bf8 in a word, as f32: f8e5m2fnuz on gfx942, f8e5m2 on gfx950."""

    @staticmethod
    def cvt_pk_f32_fp8(v: Any, word_sel: int = 0) -> Any:
        """Two numbers of fp8 in a word, as f32: f8e4m3fnuz on gfx942, f8e4m3fn on gfx950."""

    @staticmethod
    def cvt_pk_fp8_f32(a: Any, b: Any, old: Any, word_sel: int = 0) -> Any:
        """Two numbers as fp8 in one half of `old`: f8e4m3fnuz on gfx942, f8e4m3fn on gfx950, rounded to nearest even. Out of range
        there is no saturation: infinity where the format has one, else NaN.
        """

    @staticmethod
    def ds_bpermute(address: Any, v: Any) -> Any:
        """Each lane reads `v` of the lane that it names; zero where that lane is not active."""

    @staticmethod
    def ds_swizzle(v: Any, pattern: int) -> Any:
        """Each lane reads `v` of another lane by a fixed pattern; zero where that lane is not active."""

    @staticmethod
    def exp2(x: Any) -> Any:
        """2 to the x, in f32. The reference rounds the exact value; the instruction may be off by one unit in the last place, and
        flushes subnormals.
        """

    @staticmethod
    def get_dpp(old: Any, src: Any, dpp_ctrl: int, row_mask: int = 15, bank_mask: int = 15, bound_ctrl: int = 0) -> Any:
        """Each lane reads `src` of another lane by a fixed pattern. A row is 16 lanes. shl reads from a higher lane, shr from a
        lower; ror rotates toward higher lanes; bcast15 gives the last lane of each row to the next row, bcast31 lane 31 to the
        upper half.
        """

    @staticmethod
    def log2(x: Any) -> Any:
        """the logarithm of x to base 2, in f32. The reference rounds the exact value; the instruction may be off by one unit in
        the last place, and flushes subnormals.
        """

    @staticmethod
    def make_rsrc(tensor: Any, range_bytes: Any, flags: int = 159744) -> Any:
        """The raw-buffer resource of `range_bytes` bytes from a tensor's first element on: four words (low address, high 16 bits
        of the address, range, flags). A buffer instruction takes it from scalar registers: base and range must be the same in all
        lanes that use it.
        """

    @staticmethod
    def mbcnt_hi(mask: Any, base: Any) -> Any:
        """`base` and the number of bits of `mask` that stand for lower lanes than this one, of lanes 32-63."""

    @staticmethod
    def mbcnt_lo(mask: Any, base: Any) -> Any:
        """`base` and the number of bits of `mask` that stand for lower lanes than this one, of lanes 0-31."""

    @staticmethod
    def mfma_16x16x128_bf8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (bf8) and B 128 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_16x16x128_bf8_bf8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (bf8) and B 128 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_16x16x128_bf8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (bf8) and B 128 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_16x16x128_bf8_fp8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (bf8) and B 128 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_16x16x128_fp8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (fp8) and B 128 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_16x16x128_fp8_bf8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (fp8) and B 128 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_16x16x128_fp8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (fp8) and B 128 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_16x16x128_fp8_fp8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (fp8) and B 128 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_16x16x16_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 16 (bf16) and B 16 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_16x16x16_f16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 16 (f16) and B 16 x 16 (f16); C and D are f32."""

    @staticmethod
    def mfma_16x16x16_i8_i32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 16 (i8) and B 16 x 16 (i8); C and D are i32."""

    @staticmethod
    def mfma_16x16x1_4b_f32_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 1 (f32) and B 1 x 16 (f32); C and D are f32."""

    @staticmethod
    def mfma_16x16x2_4b_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 2 (bf16) and B 2 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (bf16) and B 32 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_bf8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (bf8) and B 32 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_bf8_bf8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (bf8) and B 32 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_bf8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (bf8) and B 32 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_bf8_fp8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (bf8) and B 32 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_f16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (f16) and B 32 x 16 (f16); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_fp8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (fp8) and B 32 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_fp8_bf8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (fp8) and B 32 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_fp8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (fp8) and B 32 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_fp8_fp8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (fp8) and B 32 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_16x16x32_i8_i32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (i8) and B 32 x 16 (i8); C and D are i32."""

    @staticmethod
    def mfma_16x16x4_4b_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 4 (bf16) and B 4 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_16x16x4_4b_f16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 4 (f16) and B 4 x 16 (f16); C and D are f32."""

    @staticmethod
    def mfma_16x16x4_4b_i8_i32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 4 (i8) and B 4 x 16 (i8); C and D are i32."""

    @staticmethod
    def mfma_16x16x4_f32_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 4 (f32) and B 4 x 16 (f32); C and D are f32."""

    @staticmethod
    def mfma_16x16x4_f64_f64(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 4 (f64) and B 4 x 16 (f64); C and D are f64."""

    @staticmethod
    def mfma_16x16x64_i8_i32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 64 (i8) and B 64 x 16 (i8); C and D are i32."""

    @staticmethod
    def mfma_16x16x8_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 8 (bf16) and B 8 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_16x16x8_xf32_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 8 (xf32) and B 8 x 16 (xf32); C and D are f32. The low 13 bits of the
        significands of A and B are ignored: the ISA guide says rounded in section 7 and truncated at the instruction; hardware was
        measured to truncate.
        """

    @staticmethod
    def mfma_32x32x16_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (bf16) and B 16 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_32x32x16_bf8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (bf8) and B 16 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_32x32x16_bf8_bf8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (bf8) and B 16 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_32x32x16_bf8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (bf8) and B 16 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_32x32x16_bf8_fp8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (bf8) and B 16 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_32x32x16_f16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (f16) and B 16 x 32 (f16); C and D are f32."""

    @staticmethod
    def mfma_32x32x16_fp8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (fp8) and B 16 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_32x32x16_fp8_bf8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (fp8) and B 16 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_32x32x16_fp8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (fp8) and B 16 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_32x32x16_fp8_fp8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (fp8) and B 16 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_32x32x16_i8_i32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (i8) and B 16 x 32 (i8); C and D are i32."""

    @staticmethod
    def mfma_32x32x1_2b_f32_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 1 (f32) and B 1 x 32 (f32); C and D are f32."""

    @staticmethod
    def mfma_32x32x2_2b_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 2 (bf16) and B 2 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_32x32x2_f32_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 2 (f32) and B 2 x 32 (f32); C and D are f32."""

    @staticmethod
    def mfma_32x32x32_i8_i32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 32 (i8) and B 32 x 32 (i8); C and D are i32."""

    @staticmethod
    def mfma_32x32x4_2b_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 4 (bf16) and B 4 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_32x32x4_2b_f16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 4 (f16) and B 4 x 32 (f16); C and D are f32."""

    @staticmethod
    def mfma_32x32x4_2b_i8_i32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 4 (i8) and B 4 x 32 (i8); C and D are i32."""

    @staticmethod
    def mfma_32x32x4_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 4 (bf16) and B 4 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_32x32x4_xf32_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 4 (xf32) and B 4 x 32 (xf32); C and D are f32. The low 13 bits of the
        significands of A and B are ignored: the ISA guide says rounded in section 7 and truncated at the instruction; hardware was
        measured to truncate.
        """

    @staticmethod
    def mfma_32x32x64_bf8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (bf8) and B 64 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_32x32x64_bf8_bf8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (bf8) and B 64 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_32x32x64_bf8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (bf8) and B 64 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_32x32x64_bf8_fp8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (bf8) and B 64 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_32x32x64_fp8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (fp8) and B 64 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_32x32x64_fp8_bf8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (fp8) and B 64 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_32x32x64_fp8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (fp8) and B 64 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_32x32x64_fp8_fp8_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (fp8) and B 64 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_32x32x8_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 8 (bf16) and B 8 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_32x32x8_f16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 8 (f16) and B 8 x 32 (f16); C and D are f32."""

    @staticmethod
    def mfma_32x32x8_i8_i32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 8 (i8) and B 8 x 32 (i8); C and D are i32."""

    @staticmethod
    def mfma_4x4x1_16b_f32_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 1 (f32) and B 1 x 4 (f32); C and D are f32."""

    @staticmethod
    def mfma_4x4x2_16b_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 2 (bf16) and B 2 x 4 (bf16); C and D are f32."""

    @staticmethod
    def mfma_4x4x4_16b_bf16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 4 (bf16) and B 4 x 4 (bf16); C and D are f32."""

    @staticmethod
    def mfma_4x4x4_16b_f16_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 4 (f16) and B 4 x 4 (f16); C and D are f32."""

    @staticmethod
    def mfma_4x4x4_16b_i8_i32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 4 (i8) and B 4 x 4 (i8); C and D are i32."""

    @staticmethod
    def mfma_4x4x4_4b_f64_f64(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 4 x 4 (f64) and B 4 x 4 (f64); C and D are f64."""

    @staticmethod
    def mfma_f32_16x16x128_bf8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (bf8) and B 128 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x128_bf8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (bf8) and B 128 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x128_fp8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (fp8) and B 128 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x128_fp8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 128 (fp8) and B 128 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x16_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 16 (bf16) and B 16 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x16_bf16_1k(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 16 (bf16) and B 16 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x16_f16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 16 (f16) and B 16 x 16 (f16); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x1_4b_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 1 (f32) and B 1 x 16 (f32); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x2_4b_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 2 (bf16) and B 2 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x32_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (bf16) and B 32 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x32_bf8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (bf8) and B 32 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x32_bf8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (bf8) and B 32 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x32_f16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (f16) and B 32 x 16 (f16); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x32_fp8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (fp8) and B 32 x 16 (bf8); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x32_fp8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (fp8) and B 32 x 16 (fp8); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x4_4b_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 4 (bf16) and B 4 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x4_4b_bf16_1k(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 4 (bf16) and B 4 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x4_4b_f16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 4 (f16) and B 4 x 16 (f16); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x4_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 4 (f32) and B 4 x 16 (f32); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x8_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 8 (bf16) and B 8 x 16 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_16x16x8_xf32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 8 (xf32) and B 8 x 16 (xf32); C and D are f32. The low 13 bits of the
        significands of A and B are ignored: the ISA guide says rounded in section 7 and truncated at the instruction; hardware was
        measured to truncate.
        """

    @staticmethod
    def mfma_f32_32x32x16_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (bf16) and B 16 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x16_bf8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (bf8) and B 16 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x16_bf8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (bf8) and B 16 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x16_f16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (f16) and B 16 x 32 (f16); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x16_fp8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (fp8) and B 16 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x16_fp8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (fp8) and B 16 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x1_2b_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 1 (f32) and B 1 x 32 (f32); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x2_2b_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 2 (bf16) and B 2 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x2_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 2 (f32) and B 2 x 32 (f32); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x4_2b_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 4 (bf16) and B 4 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x4_2b_bf16_1k(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 4 (bf16) and B 4 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x4_2b_f16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 4 (f16) and B 4 x 32 (f16); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x4_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 4 (bf16) and B 4 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x4_xf32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 4 (xf32) and B 4 x 32 (xf32); C and D are f32. The low 13 bits of the
        significands of A and B are ignored: the ISA guide says rounded in section 7 and truncated at the instruction; hardware was
        measured to truncate.
        """

    @staticmethod
    def mfma_f32_32x32x64_bf8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (bf8) and B 64 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x64_bf8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (bf8) and B 64 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x64_fp8_bf8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (fp8) and B 64 x 32 (bf8); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x64_fp8_fp8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 64 (fp8) and B 64 x 32 (fp8); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x8_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 8 (bf16) and B 8 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x8_bf16_1k(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 8 (bf16) and B 8 x 32 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_32x32x8_f16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 8 (f16) and B 8 x 32 (f16); C and D are f32."""

    @staticmethod
    def mfma_f32_4x4x1_16b_f32(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 1 (f32) and B 1 x 4 (f32); C and D are f32."""

    @staticmethod
    def mfma_f32_4x4x2_16b_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 2 (bf16) and B 2 x 4 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_4x4x4_16b_bf16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 4 (bf16) and B 4 x 4 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_4x4x4_16b_bf16_1k(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 4 (bf16) and B 4 x 4 (bf16); C and D are f32."""

    @staticmethod
    def mfma_f32_4x4x4_16b_f16(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 4 (f16) and B 4 x 4 (f16); C and D are f32."""

    @staticmethod
    def mfma_f64_16x16x4_f64(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 4 (f64) and B 4 x 16 (f64); C and D are f64."""

    @staticmethod
    def mfma_f64_4x4x4_4b_f64(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 4 x 4 (f64) and B 4 x 4 (f64); C and D are f64."""

    @staticmethod
    def mfma_i32_16x16x16_i8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 16 (i8) and B 16 x 16 (i8); C and D are i32."""

    @staticmethod
    def mfma_i32_16x16x32_i8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 32 (i8) and B 32 x 16 (i8); C and D are i32."""

    @staticmethod
    def mfma_i32_16x16x4_4b_i8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 4 independent products of A 16 x 4 (i8) and B 4 x 16 (i8); C and D are i32."""

    @staticmethod
    def mfma_i32_16x16x64_i8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 16 x 64 (i8) and B 64 x 16 (i8); C and D are i32."""

    @staticmethod
    def mfma_i32_32x32x16_i8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 16 (i8) and B 16 x 32 (i8); C and D are i32."""

    @staticmethod
    def mfma_i32_32x32x32_i8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 32 (i8) and B 32 x 32 (i8); C and D are i32."""

    @staticmethod
    def mfma_i32_32x32x4_2b_i8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 2 independent products of A 32 x 4 (i8) and B 4 x 32 (i8); C and D are i32."""

    @staticmethod
    def mfma_i32_32x32x8_i8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, the product of A 32 x 8 (i8) and B 8 x 32 (i8); C and D are i32."""

    @staticmethod
    def mfma_i32_4x4x4_16b_i8(a: Any, b: Any, c: Any, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Any:
        """D = A @ B + C over a wave, 16 independent products of A 4 x 4 (i8) and B 4 x 4 (i8); C and D are i32."""

    @staticmethod
    def mfma_scale_f32_16x16x128_bf6_bf6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf6) and B 128 x 16 (bf6), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_bf6_bf8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf6) and B 128 x 16 (bf8), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_bf6_fp4(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf6) and B 128 x 16 (fp4), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_bf6_fp6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf6) and B 128 x 16 (fp6), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_bf6_fp8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf6) and B 128 x 16 (fp8), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_bf8_bf6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf8) and B 128 x 16 (bf6), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_bf8_bf8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf8) and B 128 x 16 (bf8), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_bf8_fp4(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf8) and B 128 x 16 (fp4), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_bf8_fp6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf8) and B 128 x 16 (fp6), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_bf8_fp8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf8) and B 128 x 16 (fp8), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp4_bf6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp4) and B 128 x 16 (bf6), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp4_bf8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp4) and B 128 x 16 (bf8), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp4_fp4(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp4) and B 128 x 16 (fp4), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp4_fp6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp4) and B 128 x 16 (fp6), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp4_fp8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp4) and B 128 x 16 (fp8), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp6_bf6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp6) and B 128 x 16 (bf6), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp6_bf8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp6) and B 128 x 16 (bf8), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp6_fp4(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp6) and B 128 x 16 (fp4), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp6_fp6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp6) and B 128 x 16 (fp6), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp6_fp8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp6) and B 128 x 16 (fp8), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp8_bf6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp8) and B 128 x 16 (bf6), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp8_bf8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp8) and B 128 x 16 (bf8), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp8_fp4(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp8) and B 128 x 16 (fp4), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp8_fp6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp8) and B 128 x 16 (fp6), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_16x16x128_fp8_fp8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp8) and B 128 x 16 (fp8), C and D f32. Each 32 neighbors along K of a row of A
        and of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far
        the scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_bf6_bf6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf6) and B 64 x 32 (bf6), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_bf6_bf8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf6) and B 64 x 32 (bf8), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_bf6_fp4(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf6) and B 64 x 32 (fp4), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_bf6_fp6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf6) and B 64 x 32 (fp6), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_bf6_fp8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf6) and B 64 x 32 (fp8), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_bf8_bf6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf8) and B 64 x 32 (bf6), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_bf8_bf8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf8) and B 64 x 32 (bf8), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_bf8_fp4(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf8) and B 64 x 32 (fp4), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_bf8_fp6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf8) and B 64 x 32 (fp6), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_bf8_fp8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf8) and B 64 x 32 (fp8), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp4_bf6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp4) and B 64 x 32 (bf6), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp4_bf8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp4) and B 64 x 32 (bf8), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp4_fp4(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp4) and B 64 x 32 (fp4), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp4_fp6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp4) and B 64 x 32 (fp6), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp4_fp8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp4) and B 64 x 32 (fp8), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp6_bf6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp6) and B 64 x 32 (bf6), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp6_bf8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp6) and B 64 x 32 (bf8), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp6_fp4(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp6) and B 64 x 32 (fp4), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp6_fp6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp6) and B 64 x 32 (fp6), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp6_fp8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp6) and B 64 x 32 (fp8), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp8_bf6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp8) and B 64 x 32 (bf6), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp8_bf8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp8) and B 64 x 32 (bf8), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp8_fp4(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp8) and B 64 x 32 (fp4), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp8_fp6(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp8) and B 64 x 32 (fp6), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def mfma_scale_f32_32x32x64_fp8_fp8(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        part_a: int = 0,
        part_b: int = 0,
    ) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp8) and B 64 x 32 (fp8), C and D f32. Each 32 neighbors along K of a row of A and
        of a column of B are multiplied by a power of two of their own. Products of elements and scales are exact, however far the
        scales; each is added with one rounding to f32.
        """

    @staticmethod
    def perm(lhs: Any, rhs: Any, sel: Any) -> Any:
        """Each byte of the result is the byte of (lhs, rhs) that the same byte of `sel` names."""

    @staticmethod
    def raw_buffer_load_x1(rsrc: Any, voffset: Any, soffset: Any, aux: int = 0) -> Any:
        """Loads 1 dword. The byte address is base + voffset + soffset, both read as unsigned, a multiple of 4. The range is
        checked dword by dword: a dword is inside when voffset + soffset + 4 times its number + 4 is at most the resource's range.
        Outside it reads zero.
        """

    @staticmethod
    def raw_buffer_load_x1_lds(rsrc: Any, lds: Any, size: int, vindex: Any, soffset: Any, offset: int = 0, aux: int = 0) -> None:
        """Loads from a buffer straight into shared memory: the data of lane l go to lds + offset + l times max(4, size). A byte or
        half is extended with zeros to a word. Memory is read at base + vindex + soffset + offset; outside the range zeros are
        written. Lanes that are not active write nothing.
        """

    @staticmethod
    def raw_buffer_load_x2(rsrc: Any, voffset: Any, soffset: Any, aux: int = 0) -> Any:
        """Loads 2 dwords. The byte address is base + voffset + soffset, both read as unsigned, a multiple of 4. The range is
        checked dword by dword: a dword is inside when voffset + soffset + 4 times its number + 4 is at most the resource's range.
        Outside it reads zero.
        """

    @staticmethod
    def raw_buffer_load_x4(rsrc: Any, voffset: Any, soffset: Any, aux: int = 0) -> Any:
        """Loads 4 dwords. The byte address is base + voffset + soffset, both read as unsigned, a multiple of 4. The range is
        checked dword by dword: a dword is inside when voffset + soffset + 4 times its number + 4 is at most the resource's range.
        Outside it reads zero.
        """

    @staticmethod
    def raw_buffer_store_x1(data: Any, rsrc: Any, voffset: Any, soffset: Any, aux: int = 0) -> None:
        """Stores 1 dword. The byte address is base + voffset + soffset, both read as unsigned, a multiple of 4. The range is
        checked dword by dword: a dword is inside when voffset + soffset + 4 times its number + 4 is at most the resource's range.
        Outside nothing is written.
        """

    @staticmethod
    def raw_buffer_store_x2(data: Any, rsrc: Any, voffset: Any, soffset: Any, aux: int = 0) -> None:
        """Stores 2 dwords. The byte address is base + voffset + soffset, both read as unsigned, a multiple of 4. The range is
        checked dword by dword: a dword is inside when voffset + soffset + 4 times its number + 4 is at most the resource's range.
        Outside nothing is written.
        """

    @staticmethod
    def raw_buffer_store_x4(data: Any, rsrc: Any, voffset: Any, soffset: Any, aux: int = 0) -> None:
        """Stores 4 dwords. The byte address is base + voffset + soffset, both read as unsigned, a multiple of 4. The range is
        checked dword by dword: a dword is inside when voffset + soffset + 4 times its number + 4 is at most the resource's range.
        Outside nothing is written.
        """

    @staticmethod
    def rcp(x: Any) -> Any:
        """1 / x, in f32. The reference rounds the exact value; the instruction may be off by one unit in the last place, and
        flushes subnormals.
        """

    @staticmethod
    def readfirstlane(v: Any) -> Any:
        """The value of the lowest active lane, in every lane. The result is uniform across the wave."""

    @staticmethod
    def rsq(x: Any) -> Any:
        """1 / the square root of x, in f32. The reference rounds the exact value; the instruction may be off by one unit in the
        last place, and flushes subnormals.
        """

    @staticmethod
    def s_nop(count: int) -> None:
        """Does nothing for `count` + 1 wait states. Results do not depend on it."""

    @staticmethod
    def s_setprio(priority: int) -> None:
        """Sets the priority of the wave among those of its SIMD. Results do not depend on it."""

    @staticmethod
    def s_sleep(amount: int) -> None:
        """The wave sleeps for about that long. Results do not depend on it."""

    @staticmethod
    def s_waitcnt(vmcnt: int, expcnt: int, lgkmcnt: int) -> None:
        """Waits until no more operations of each kind are under way than said. Results do not depend on it."""

    @staticmethod
    def sched_barrier(mask: int) -> None:
        """The compiler moves no other instructions across this point. Results do not depend on it."""

    @staticmethod
    def sched_group_barrier(mask: int, size: int, group_id: int) -> None:
        """The compiler makes a group of so many instructions of those kinds here. Results do not depend on it."""

    @staticmethod
    def smfmac_16x16x128_bf8_bf8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf8) with two stored elements of each four along K, B 128 x 16 (bf8), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x128_bf8_fp8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf8) with two stored elements of each four along K, B 128 x 16 (fp8), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x128_fp8_bf8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp8) with two stored elements of each four along K, B 128 x 16 (bf8), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x128_fp8_fp8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp8) with two stored elements of each four along K, B 128 x 16 (fp8), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x128_i8_i32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (i8) with two stored elements of each four along K, B 128 x 16 (i8), C and D i32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x32_bf16_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 32 (bf16) with two stored elements of each four along K, B 32 x 16 (bf16), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x32_f16_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 32 (f16) with two stored elements of each four along K, B 32 x 16 (f16), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x64_bf16_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (bf16) with two stored elements of each four along K, B 64 x 16 (bf16), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x64_bf8_bf8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (bf8) with two stored elements of each four along K, B 64 x 16 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x64_bf8_fp8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (bf8) with two stored elements of each four along K, B 64 x 16 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x64_f16_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (f16) with two stored elements of each four along K, B 64 x 16 (f16), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x64_fp8_bf8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (fp8) with two stored elements of each four along K, B 64 x 16 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x64_fp8_fp8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (fp8) with two stored elements of each four along K, B 64 x 16 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_16x16x64_i8_i32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (i8) with two stored elements of each four along K, B 64 x 16 (i8), C and D i32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x16_bf16_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 16 (bf16) with two stored elements of each four along K, B 16 x 32 (bf16), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x16_f16_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 16 (f16) with two stored elements of each four along K, B 16 x 32 (f16), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x32_bf16_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (bf16) with two stored elements of each four along K, B 32 x 32 (bf16), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x32_bf8_bf8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (bf8) with two stored elements of each four along K, B 32 x 32 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x32_bf8_fp8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (bf8) with two stored elements of each four along K, B 32 x 32 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x32_f16_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (f16) with two stored elements of each four along K, B 32 x 32 (f16), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x32_fp8_bf8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (fp8) with two stored elements of each four along K, B 32 x 32 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x32_fp8_fp8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (fp8) with two stored elements of each four along K, B 32 x 32 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x32_i8_i32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (i8) with two stored elements of each four along K, B 32 x 32 (i8), C and D i32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x64_bf8_bf8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf8) with two stored elements of each four along K, B 64 x 32 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x64_bf8_fp8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf8) with two stored elements of each four along K, B 64 x 32 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x64_fp8_bf8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp8) with two stored elements of each four along K, B 64 x 32 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x64_fp8_fp8_f32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp8) with two stored elements of each four along K, B 64 x 32 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_32x32x64_i8_i32(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (i8) with two stored elements of each four along K, B 64 x 32 (i8), C and D i32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x128_bf8_bf8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf8) with two stored elements of each four along K, B 128 x 16 (bf8), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x128_bf8_fp8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (bf8) with two stored elements of each four along K, B 128 x 16 (fp8), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x128_fp8_bf8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp8) with two stored elements of each four along K, B 128 x 16 (bf8), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x128_fp8_fp8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (fp8) with two stored elements of each four along K, B 128 x 16 (fp8), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x32_bf16(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 32 (bf16) with two stored elements of each four along K, B 32 x 16 (bf16), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x32_f16(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 32 (f16) with two stored elements of each four along K, B 32 x 16 (f16), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x64_bf16(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (bf16) with two stored elements of each four along K, B 64 x 16 (bf16), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x64_bf8_bf8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (bf8) with two stored elements of each four along K, B 64 x 16 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x64_bf8_fp8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (bf8) with two stored elements of each four along K, B 64 x 16 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x64_f16(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (f16) with two stored elements of each four along K, B 64 x 16 (f16), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x64_fp8_bf8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (fp8) with two stored elements of each four along K, B 64 x 16 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_16x16x64_fp8_fp8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (fp8) with two stored elements of each four along K, B 64 x 16 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x16_bf16(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 16 (bf16) with two stored elements of each four along K, B 16 x 32 (bf16), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x16_f16(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 16 (f16) with two stored elements of each four along K, B 16 x 32 (f16), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x32_bf16(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (bf16) with two stored elements of each four along K, B 32 x 32 (bf16), C and D
        f32. Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x32_bf8_bf8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (bf8) with two stored elements of each four along K, B 32 x 32 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x32_bf8_fp8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (bf8) with two stored elements of each four along K, B 32 x 32 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x32_f16(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (f16) with two stored elements of each four along K, B 32 x 32 (f16), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x32_fp8_bf8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (fp8) with two stored elements of each four along K, B 32 x 32 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x32_fp8_fp8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (fp8) with two stored elements of each four along K, B 32 x 32 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x64_bf8_bf8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf8) with two stored elements of each four along K, B 64 x 32 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x64_bf8_fp8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (bf8) with two stored elements of each four along K, B 64 x 32 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x64_fp8_bf8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp8) with two stored elements of each four along K, B 64 x 32 (bf8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_f32_32x32x64_fp8_fp8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (fp8) with two stored elements of each four along K, B 64 x 32 (fp8), C and D f32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_i32_16x16x128_i8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 128 (i8) with two stored elements of each four along K, B 128 x 16 (i8), C and D i32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_i32_16x16x64_i8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 16 x 64 (i8) with two stored elements of each four along K, B 64 x 16 (i8), C and D i32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_i32_32x32x32_i8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 32 (i8) with two stored elements of each four along K, B 32 x 32 (i8), C and D i32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def smfmac_i32_32x32x64_i8(a: Any, b: Any, c: Any, index: Any, cbsz: int = 0, abid: int = 0) -> Any:
        """D = A @ B + C over a wave, A 32 x 64 (i8) with two stored elements of each four along K, B 64 x 32 (i8), C and D i32.
        Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says.
        """

    @staticmethod
    def update_dpp(old: Any, src: Any, dpp_ctrl: int, row_mask: int = 15, bank_mask: int = 15, bound_ctrl: int = 0) -> Any:
        """Each lane reads `src` of another lane by a fixed pattern. A row is 16 lanes. shl reads from a higher lane, shr from a
        lower; ror rotates toward higher lanes; bcast15 gives the last lane of each row to the next row, bcast31 lane 31 to the
        upper half.
        """


amdgpu: _amdgpu

class _nvvm:
    @staticmethod
    def activemask() -> Any:
        """Bit l is set where lane l is active: in a branch, where it took that. CUDA's `__activemask` gives those that happen to
        run together; this one waits for all that the branch has.
        """

    @staticmethod
    def atomic_add(dst: Any, value: Any, order: int = 0) -> Any:
        """Adds `value`; of a pair, which is one word, each half. In one step, for each active lane; gives what stood there before.
        Between lanes and warps the sequence is not defined.
        """

    @staticmethod
    def atomic_add_bf16x2(dst: Any, value: Any, order: int = 0) -> Any:
        """Adds each half of `value`, which is one word. In one step, for each active lane; gives what stood there before. Between
        lanes and warps the sequence is not defined.
        """

    @staticmethod
    def atomic_and(dst: Any, value: Any, order: int = 0) -> Any:
        """Ands the bits of `value`. In one step, for each active lane; gives what stood there before. Between lanes and warps the
        sequence is not defined.
        """

    @staticmethod
    def atomic_cas(dst: Any, expected: Any, value: Any, order: int = 0) -> Any:
        """Writes `value` where `expected` stands. In one step, for each active lane; gives what stood there before. Between lanes
        and warps the sequence is not defined.
        """

    @staticmethod
    def atomic_dec(dst: Any, value: Any, order: int = 0) -> Any:
        """Subtracts 1, and begins again with `value` behind 0, or from above `value`. In one step, for each active lane; gives
        what stood there before. Between lanes and warps the sequence is not defined.
        """

    @staticmethod
    def atomic_exch(dst: Any, value: Any, order: int = 0) -> Any:
        """Writes `value`. In one step, for each active lane; gives what stood there before. Between lanes and warps the sequence
        is not defined.
        """

    @staticmethod
    def atomic_inc(dst: Any, value: Any, order: int = 0) -> Any:
        """Adds 1, and begins again with 0 behind `value`: a counter that resets itself. In one step, for each active lane; gives
        what stood there before. Between lanes and warps the sequence is not defined.
        """

    @staticmethod
    def atomic_max(dst: Any, value: Any, order: int = 0) -> Any:
        """Writes `value` where it is more. In one step, for each active lane; gives what stood there before. Between lanes and
        warps the sequence is not defined.
        """

    @staticmethod
    def atomic_min(dst: Any, value: Any, order: int = 0) -> Any:
        """Writes `value` where it is less. In one step, for each active lane; gives what stood there before. Between lanes and
        warps the sequence is not defined.
        """

    @staticmethod
    def atomic_or(dst: Any, value: Any, order: int = 0) -> Any:
        """Ors the bits of `value`. In one step, for each active lane; gives what stood there before. Between lanes and warps the
        sequence is not defined.
        """

    @staticmethod
    def atomic_xor(dst: Any, value: Any, order: int = 0) -> Any:
        """Flips the bits of `value`. In one step, for each active lane; gives what stood there before. Between lanes and warps the
        sequence is not defined.
        """

    @staticmethod
    def ballot(cond: Any) -> Any:
        """Bit l is set where lane l is active and its condition holds; the same in every active lane. CUDA's `__ballot_sync`, for
        the lanes that are here.
        """

    @staticmethod
    def barrier_arrive(number: Any, threads: int) -> None:
        """Arrives at barrier `number`, for those that wait there by barrier_sync, and goes on. Whole warps take part."""

    @staticmethod
    def barrier_sync(number: Any, threads: int) -> None:
        """Waits at barrier `number` until `threads` threads have arrived there by barrier_sync or barrier_arrive; orders their
        memory accesses. Whole warps take part.
        """

    @staticmethod
    def cluster_arrive(relaxed: int = 0) -> None:
        """Arrives at the barrier of the cluster: all threads of all its blocks do. cluster_wait must follow."""

    @staticmethod
    def cluster_block_id(dim: int) -> Any:
        """Which block of its cluster this is, along a dimension."""

    @staticmethod
    def cluster_count(dim: int) -> Any:
        """Clusters of the grid, along a dimension."""

    @staticmethod
    def cluster_dim(dim: int) -> Any:
        """Blocks of a cluster, along a dimension."""

    @staticmethod
    def cluster_id(dim: int) -> Any:
        """Which cluster of the grid this is, along a dimension."""

    @staticmethod
    def cluster_rank() -> Any:
        """The block's rank in its cluster, x fastest."""

    @staticmethod
    def cluster_size() -> Any:
        """Blocks of a cluster."""

    @staticmethod
    def cluster_wait() -> None:
        """Waits until all threads of the cluster have arrived; orders their memory accesses."""

    @staticmethod
    def cp_async_bulk_commit_group() -> None:
        """The bulk stores that the thread has begun since the last group make up one more group."""

    @staticmethod
    def cp_async_bulk_load(dst: Any, src: Any, bytes: Any, bar: Any, hint: int = 0) -> None:
        """Begins a copy of `bytes` consecutive bytes from global to shared memory. They count on the mbarrier."""

    @staticmethod
    def cp_async_bulk_prefetch(src: Any, bytes: Any) -> None:
        """Brings `bytes` consecutive bytes into L2."""

    @staticmethod
    def cp_async_bulk_store(dst: Any, src: Any, bytes: Any, hint: int = 0) -> None:
        """Begins a copy of `bytes` consecutive bytes from shared to global memory, of the thread's open group."""

    @staticmethod
    def cp_async_bulk_wait_group(pending: int) -> None:
        """Waits until all of the thread's groups of bulk stores but the newest `pending` are complete."""

    @staticmethod
    def cp_async_bulk_wait_group_read(pending: int) -> None:
        """Waits until all of the thread's groups of bulk stores but the newest `pending` have read their shared memory, which may
        then be written again.
        """

    @staticmethod
    def cp_async_commit_group() -> None:
        """The copies that the thread has begun by cp_async since the last group make up one more group; it may be empty."""

    @staticmethod
    def cp_async_mbarrier_arrive(bar: Any) -> None:
        """One arrival on an mbarrier, for each active lane, as soon as all copies that the lane has begun by cp_async are
        complete; this does not count among the arrivals that the phase expects.
        """

    @staticmethod
    def cp_async_mbarrier_arrive_noinc(bar: Any) -> None:
        """One arrival on an mbarrier, for each active lane, as soon as all copies that the lane has begun by cp_async are
        complete; it counts among the arrivals that the phase expects.
        """

    @staticmethod
    def cp_async_wait_all() -> None:
        """Waits for all copies that the thread has begun by cp_async. Other threads see the data after a barrier."""

    @staticmethod
    def cp_async_wait_group(pending: int) -> None:
        """Waits until at most `pending` of the thread's newest groups are not complete. Other threads see the data after a
        barrier.
        """

    @staticmethod
    def cp_async_x16(dst: Any, src: Any, bytes: Any = 16, hint: int = 0, prefetch: int = 0, l1: int = 0) -> None:
        """Begins a copy of 16 bytes from global to shared memory for each lane; `bytes` of them are read, the rest are zeros. The
        data is there once cp_async_wait_group or cp_async_wait_all (or an mbarrier, by cp_async_mbarrier_arrive) says so.
        """

    @staticmethod
    def cp_async_x4(dst: Any, src: Any, bytes: Any = 4, hint: int = 0, prefetch: int = 0) -> None:
        """Begins a copy of 4 bytes from global to shared memory for each lane; `bytes` of them are read, the rest are zeros. The
        data is there once cp_async_wait_group or cp_async_wait_all (or an mbarrier, by cp_async_mbarrier_arrive) says so.
        """

    @staticmethod
    def cp_async_x8(dst: Any, src: Any, bytes: Any = 8, hint: int = 0, prefetch: int = 0) -> None:
        """Begins a copy of 8 bytes from global to shared memory for each lane; `bytes` of them are read, the rest are zeros. The
        data is there once cp_async_wait_group or cp_async_wait_all (or an mbarrier, by cp_async_mbarrier_arrive) says so.
        """

    @staticmethod
    def elect_sync() -> Any:
        """True in one active lane of the warp, the lowest, false in the others. All lanes take part."""

    @staticmethod
    def exp2(x: Any) -> Any:
        """2 to the x, in f32. The reference rounds the exact value; the instruction may be off by two units in the last place, and
        flushes subnormals.
        """

    @staticmethod
    def fence_gpu() -> None:
        """Orders this thread's accesses to memory before and behind it, as seen from the whole GPU."""

    @staticmethod
    def fence_mbarrier_init() -> None:
        """Makes mbarriers that this thread has initialized known in the cluster."""

    @staticmethod
    def fence_proxy_async() -> None:
        """Orders this thread's ordinary accesses before later ones by copies and matrix instructions, in all memory."""

    @staticmethod
    def fence_proxy_async_shared() -> None:
        """Orders this thread's ordinary accesses to shared memory before later ones by copies and matrix instructions."""

    @staticmethod
    def griddepcontrol_launch_dependents() -> None:
        """Grids that depend on this one may start when all its blocks have said so."""

    @staticmethod
    def griddepcontrol_wait() -> None:
        """Waits until the grids that this one depends on are complete and their writes visible (programmatic dependent launch)."""

    @staticmethod
    def ld_acquire_u32(src: Any) -> Any:
        """Loads the word; accesses behind it come after it, and see what was written before the st_release (or the atomic with
        release) whose value it gives.
        """

    @staticmethod
    def ld_acquire_u64(src: Any) -> Any:
        """Loads the word; accesses behind it come after it, and see what was written before the st_release (or the atomic with
        release) whose value it gives.
        """

    @staticmethod
    def ld_cluster_x1(tile: Any, rank: Any) -> Any:
        """Loads 1 words from the shared memory of another block of the cluster."""

    @staticmethod
    def ld_cluster_x2(tile: Any, rank: Any) -> Any:
        """Loads 2 words from the shared memory of another block of the cluster."""

    @staticmethod
    def ld_cluster_x4(tile: Any, rank: Any) -> Any:
        """Loads 4 words from the shared memory of another block of the cluster."""

    @staticmethod
    def ldmatrix_m8n8_x1_b16(tile: Any) -> Any:
        """Loads one 8x8 matrix of 16-bit elements from shared memory into the warp's registers. Lanes 0-7 name the rows of matrix
        0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the elements at columns
        2 (lane % 4) and the next one of row lane / 4 of matrix j, the first in the low half. All lanes take part.
        """

    @staticmethod
    def ldmatrix_m8n8_x1_b16_trans(tile: Any) -> Any:
        """Loads one 8x8 matrix of 16-bit elements from shared memory into the warp's registers, transposed. Lanes 0-7 name the
        rows of matrix 0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the
        elements at rows 2 (lane % 4) and the next one of column lane / 4 of matrix j, the first in the low half. All lanes take
        part.
        """

    @staticmethod
    def ldmatrix_m8n8_x2_b16(tile: Any) -> Any:
        """Loads 2 8x8 matrices of 16-bit elements from shared memory into the warp's registers. Lanes 0-7 name the rows of matrix
        0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the elements at columns
        2 (lane % 4) and the next one of row lane / 4 of matrix j, the first in the low half. All lanes take part.
        """

    @staticmethod
    def ldmatrix_m8n8_x2_b16_trans(tile: Any) -> Any:
        """Loads 2 8x8 matrices of 16-bit elements from shared memory into the warp's registers, transposed. Lanes 0-7 name the
        rows of matrix 0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the
        elements at rows 2 (lane % 4) and the next one of column lane / 4 of matrix j, the first in the low half. All lanes take
        part.
        """

    @staticmethod
    def ldmatrix_m8n8_x4_b16(tile: Any) -> Any:
        """Loads 4 8x8 matrices of 16-bit elements from shared memory into the warp's registers. Lanes 0-7 name the rows of matrix
        0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the elements at columns
        2 (lane % 4) and the next one of row lane / 4 of matrix j, the first in the low half. All lanes take part.
        """

    @staticmethod
    def ldmatrix_m8n8_x4_b16_trans(tile: Any) -> Any:
        """Loads 4 8x8 matrices of 16-bit elements from shared memory into the warp's registers, transposed. Lanes 0-7 name the
        rows of matrix 0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the
        elements at rows 2 (lane % 4) and the next one of column lane / 4 of matrix j, the first in the low half. All lanes take
        part.
        """

    @staticmethod
    def mapa(tile: Any, rank: Any) -> Any:
        """The address in the cluster's shared memory window that a place has in another block."""

    @staticmethod
    def match_all(value: Any) -> Any:
        """The active lanes, a bit each, where all of them have the same value; else 0, which is CUDA's predicate. CUDA's
        `__match_all_sync`, for the lanes that are here.
        """

    @staticmethod
    def match_any(value: Any) -> Any:
        """Bit l is set where lane l is active and has the same value as this lane. CUDA's `__match_any_sync`, for the lanes that
        are here.
        """

    @staticmethod
    def mbarrier_arrive(bar: Any) -> None:
        """One arrival for each active lane."""

    @staticmethod
    def mbarrier_arrive_cluster(bar: Any, rank: Any, relaxed: int = 0) -> None:
        """One arrival for each active lane on the mbarrier that another block of the cluster has at this place."""

    @staticmethod
    def mbarrier_arrive_expect_tx(bar: Any, bytes: Any) -> None:
        """The phase waits for `bytes` more bytes of copies; then one arrival. For each active lane."""

    @staticmethod
    def mbarrier_expect_tx(bar: Any, bytes: Any) -> None:
        """The phase waits for `bytes` more bytes of copies."""

    @staticmethod
    def mbarrier_init(bar: Any, count: Any) -> None:
        """Makes an mbarrier whose phases end after `count` arrivals (and when no bytes are to come). A fence or a barrier must
        stand between it and other threads' use.
        """

    @staticmethod
    def mbarrier_inval(bar: Any) -> None:
        """Ends an mbarrier, so that its memory may be used otherwise."""

    @staticmethod
    def mbarrier_test_wait(bar: Any, parity: Any) -> Any:
        """Whether the phase of this parity has ended. Does not wait."""

    @staticmethod
    def mbarrier_try_wait(bar: Any, parity: Any) -> Any:
        """Waits a while for the end of the phase of this parity; whether it has ended. On the CPU it waits until it has."""

    @staticmethod
    def mbarrier_wait(bar: Any, parity: Any) -> None:
        """Waits until the phase of this parity has ended: mbarrier_try_wait in a loop."""

    @staticmethod
    def mma_16x8x16_bf16_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of bf16, B 16 x 8 of bf16, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x16_e4m3_e5m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of e4m3, B 16 x 8 of e5m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x16_e4m3_e5m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of e4m3, B 16 x 8 of e5m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x16_e4m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of e4m3, B 16 x 8 of e4m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x16_e4m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of e4m3, B 16 x 8 of e4m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x16_e5m2_e4m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of e5m2, B 16 x 8 of e4m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x16_e5m2_e4m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of e5m2, B 16 x 8 of e4m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x16_e5m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of e5m2, B 16 x 8 of e5m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x16_e5m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of e5m2, B 16 x 8 of e5m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x16_f16_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of f16, B 16 x 8 of f16, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x16_f16_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of f16, B 16 x 8 of f16, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x16_f64_f64(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of f64, B 16 x 8 of f64, C and D 16 x 8 of f64. All lanes take part."""

    @staticmethod
    def mma_16x8x16_i8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of i8, B 16 x 8 of i8, C and D 16 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_16x8x16_i8_u8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of i8, B 16 x 8 of u8, C and D 16 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_16x8x16_u8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of u8, B 16 x 8 of u8, C and D 16 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_16x8x16_u8_i8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 16 of u8, B 16 x 8 of i8, C and D 16 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_e4m3_e5m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e5m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_e4m3_e5m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e5m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_e4m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e4m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_e4m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e4m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_e5m2_e4m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e4m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_e5m2_e4m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e4m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_e5m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e5m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_e5m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e5m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m1_e2m1_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e2m1, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m1_e2m1_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e2m1, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m1_e2m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e2m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m1_e2m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e2m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m1_e3m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e3m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m1_e3m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e3m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m1_e4m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e4m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m1_e4m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e4m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m1_e5m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e5m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m1_e5m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e5m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m3_e2m1_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e2m1, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m3_e2m1_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e2m1, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m3_e2m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e2m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m3_e2m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e2m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m3_e3m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e3m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m3_e3m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e3m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m3_e4m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e4m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m3_e4m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e4m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m3_e5m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e5m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e2m3_e5m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e5m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e3m2_e2m1_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e2m1, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e3m2_e2m1_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e2m1, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e3m2_e2m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e2m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e3m2_e2m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e2m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e3m2_e3m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e3m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e3m2_e3m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e3m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e3m2_e4m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e4m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e3m2_e4m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e4m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e3m2_e5m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e5m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e3m2_e5m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e5m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e4m3_e2m1_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e2m1, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e4m3_e2m1_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e2m1, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e4m3_e2m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e2m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e4m3_e2m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e2m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e4m3_e3m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e3m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e4m3_e3m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e3m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e4m3_e4m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e4m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e4m3_e4m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e4m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e4m3_e5m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e5m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e4m3_e5m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e5m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e5m2_e2m1_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e2m1, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e5m2_e2m1_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e2m1, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e5m2_e2m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e2m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e5m2_e2m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e2m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e5m2_e3m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e3m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e5m2_e3m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e3m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e5m2_e4m3_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e4m3, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e5m2_e4m3_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e4m3, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e5m2_e5m2_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e5m2, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x32_f8f6f4_e5m2_e5m2_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e5m2, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_i8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of i8, B 32 x 8 of i8, C and D 16 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_i8_u8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of i8, B 32 x 8 of u8, C and D 16 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e2m1_e2m1_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e2m1, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e2m1_e2m3_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e2m3, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e2m1_e3m2_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e3m2, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e2m1_e4m3_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e4m3, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e2m1_e5m2_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m1, B 32 x 8 of e5m2, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e2m3_e2m1_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e2m1, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e2m3_e2m3_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e2m3, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e2m3_e3m2_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e3m2, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e2m3_e4m3_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e4m3, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e2m3_e5m2_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e2m3, B 32 x 8 of e5m2, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e3m2_e2m1_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e2m1, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e3m2_e2m3_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e2m3, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e3m2_e3m2_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e3m2, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e3m2_e4m3_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e4m3, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e3m2_e5m2_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e3m2, B 32 x 8 of e5m2, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e4m3_e2m1_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e2m1, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e4m3_e2m3_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e2m3, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e4m3_e3m2_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e3m2, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e4m3_e4m3_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e4m3, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e4m3_e5m2_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e4m3, B 32 x 8 of e5m2, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e5m2_e2m1_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e2m1, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e5m2_e2m3_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e2m3, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e5m2_e3m2_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e3m2, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e5m2_e4m3_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e4m3, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_mxf8f6f4_e5m2_e5m2_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of e5m2, B 32 x 8 of e5m2, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x32_u8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of u8, B 32 x 8 of u8, C and D 16 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_16x8x32_u8_i8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 32 of u8, B 32 x 8 of i8, C and D 16 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_16x8x4_f64_f64(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 4 of f64, B 4 x 8 of f64, C and D 16 x 8 of f64. All lanes take part."""

    @staticmethod
    def mma_16x8x4_tf32_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 4 of tf32, B 4 x 8 of tf32, C and D 16 x 8 of f32. The low 13 bits of the elements of
        A and B are ignored. All lanes take part.
        """

    @staticmethod
    def mma_16x8x64_mxf4_e2m1_e2m1_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 64 of e2m1, B 64 x 8 of e2m1, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x64_mxf4nvf4_2x_ue8m0_e2m1_e2m1_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 64 of e2m1, B 64 x 8 of e2m1, C and D 16 x 8 of f32. Each 32 elements along K have a
        scale factor, ue8m0. All lanes take part.
        """

    @staticmethod
    def mma_16x8x64_mxf4nvf4_4x_ue4m3_e2m1_e2m1_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_a: Any,
        scale_b: Any,
        byte_a: int = 0,
        thread_a: int = 0,
        byte_b: int = 0,
        thread_b: int = 0,
    ) -> Any:
        """D = A B + C over a warp: A is 16 x 64 of e2m1, B 64 x 8 of e2m1, C and D 16 x 8 of f32. Each 16 elements along K have a
        scale factor, ue4m3. All lanes take part.
        """

    @staticmethod
    def mma_16x8x8_bf16_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 8 of bf16, B 8 x 8 of bf16, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x8_f16_f16(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 8 of f16, B 8 x 8 of f16, C and D 16 x 8 of f16. All lanes take part."""

    @staticmethod
    def mma_16x8x8_f16_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 8 of f16, B 8 x 8 of f16, C and D 16 x 8 of f32. All lanes take part."""

    @staticmethod
    def mma_16x8x8_f64_f64(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 8 of f64, B 8 x 8 of f64, C and D 16 x 8 of f64. All lanes take part."""

    @staticmethod
    def mma_16x8x8_tf32_f32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 16 x 8 of tf32, B 8 x 8 of tf32, C and D 16 x 8 of f32. The low 13 bits of the elements of
        A and B are ignored. All lanes take part.
        """

    @staticmethod
    def mma_8x8x16_i8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 8 x 16 of i8, B 16 x 8 of i8, C and D 8 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_8x8x16_i8_u8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 8 x 16 of i8, B 16 x 8 of u8, C and D 8 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_8x8x16_u8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 8 x 16 of u8, B 16 x 8 of u8, C and D 8 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_8x8x16_u8_i8_i32(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 8 x 16 of u8, B 16 x 8 of i8, C and D 8 x 8 of i32. All lanes take part."""

    @staticmethod
    def mma_8x8x4_f64_f64(a: Any, b: Any, c: Any) -> Any:
        """D = A B + C over a warp: A is 8 x 4 of f64, B 4 x 8 of f64, C and D 8 x 8 of f64. All lanes take part."""

    @staticmethod
    def prefetch_l2(src: Any) -> None:
        """Brings the line of an address into L2."""

    @staticmethod
    def prefetch_tensormap(map: Any) -> None:
        """Brings a tensor map to where copies will look for it."""

    @staticmethod
    def rcp(x: Any) -> Any:
        """1 / x, in f32. The reference rounds the exact value; the instruction may be off by one unit in the last place, and
        flushes subnormals.
        """

    @staticmethod
    def setmaxnreg_dec(count: int) -> None:
        """The warps of a warpgroup give back registers: `count` for each thread from now on. All warps of the warpgroup execute
        it.
        """

    @staticmethod
    def setmaxnreg_inc(count: int) -> None:
        """The warps of a warpgroup wait for more registers: `count` for each thread from now on. All warps of the warpgroup
        execute it.
        """

    @staticmethod
    def st_async_x1(tile: Any, rank: Any, data: Any, bar: Any) -> None:
        """Begins a store of 1 words into the shared memory of another block of the cluster; its bytes count on that block's
        mbarrier at the place of `bar`.
        """

    @staticmethod
    def st_async_x2(tile: Any, rank: Any, data: Any, bar: Any) -> None:
        """Begins a store of 2 words into the shared memory of another block of the cluster; its bytes count on that block's
        mbarrier at the place of `bar`.
        """

    @staticmethod
    def st_async_x4(tile: Any, rank: Any, data: Any, bar: Any) -> None:
        """Begins a store of 4 words into the shared memory of another block of the cluster; its bytes count on that block's
        mbarrier at the place of `bar`.
        """

    @staticmethod
    def st_cluster_x1(tile: Any, rank: Any, data: Any) -> None:
        """Stores 1 words into the shared memory of another block of the cluster."""

    @staticmethod
    def st_cluster_x2(tile: Any, rank: Any, data: Any) -> None:
        """Stores 2 words into the shared memory of another block of the cluster."""

    @staticmethod
    def st_cluster_x4(tile: Any, rank: Any, data: Any) -> None:
        """Stores 4 words into the shared memory of another block of the cluster."""

    @staticmethod
    def st_release(dst: Any, value: Any) -> None:
        """Stores a word behind all accesses before it, for those that ld_acquire it."""

    @staticmethod
    def stmatrix_m8n8_x1_b16(tile: Any, data: Any) -> None:
        """Stores one 8x8 matrix of 16-bit elements from the warp's registers into shared memory. Lanes 0-7 name the rows of matrix
        0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the elements at columns
        2 (lane % 4) and the next one of row lane / 4 of matrix j, the first in the low half. All lanes take part.
        """

    @staticmethod
    def stmatrix_m8n8_x1_b16_trans(tile: Any, data: Any) -> None:
        """Stores one 8x8 matrix of 16-bit elements from the warp's registers into shared memory, transposed. Lanes 0-7 name the
        rows of matrix 0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the
        elements at rows 2 (lane % 4) and the next one of column lane / 4 of matrix j, the first in the low half. All lanes take
        part.
        """

    @staticmethod
    def stmatrix_m8n8_x2_b16(tile: Any, data: Any) -> None:
        """Stores 2 8x8 matrices of 16-bit elements from the warp's registers into shared memory. Lanes 0-7 name the rows of matrix
        0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the elements at columns
        2 (lane % 4) and the next one of row lane / 4 of matrix j, the first in the low half. All lanes take part.
        """

    @staticmethod
    def stmatrix_m8n8_x2_b16_trans(tile: Any, data: Any) -> None:
        """Stores 2 8x8 matrices of 16-bit elements from the warp's registers into shared memory, transposed. Lanes 0-7 name the
        rows of matrix 0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the
        elements at rows 2 (lane % 4) and the next one of column lane / 4 of matrix j, the first in the low half. All lanes take
        part.
        """

    @staticmethod
    def stmatrix_m8n8_x4_b16(tile: Any, data: Any) -> None:
        """Stores 4 8x8 matrices of 16-bit elements from the warp's registers into shared memory. Lanes 0-7 name the rows of matrix
        0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the elements at columns
        2 (lane % 4) and the next one of row lane / 4 of matrix j, the first in the low half. All lanes take part.
        """

    @staticmethod
    def stmatrix_m8n8_x4_b16_trans(tile: Any, data: Any) -> None:
        """Stores 4 8x8 matrices of 16-bit elements from the warp's registers into shared memory, transposed. Lanes 0-7 name the
        rows of matrix 0, lanes 8-15 those of matrix 1, and so on; all tiles lie in one allocation. Word j of a lane holds the
        elements at rows 2 (lane % 4) and the next one of column lane / 4 of matrix j, the first in the low half. All lanes take
        part.
        """

    @staticmethod
    def syncthreads_and(cond: Any) -> Any:
        """True where the condition holds in all threads of the block. A barrier of the block, as `al.syncthreads()`; threads that
        have ended count as arrived and say nothing. CUDA's `__syncthreads_and`.
        """

    @staticmethod
    def syncthreads_count(cond: Any) -> Any:
        """The number of threads of the block in which the condition holds. A barrier of the block, as `al.syncthreads()`; threads
        that have ended count as arrived and say nothing. CUDA's `__syncthreads_count`.
        """

    @staticmethod
    def syncthreads_or(cond: Any) -> Any:
        """True where the condition holds in any thread of the block. A barrier of the block, as `al.syncthreads()`; threads that
        have ended count as arrived and say nothing. CUDA's `__syncthreads_or`.
        """

    @staticmethod
    def tcgen05_alloc(slot: Any, columns: int, group: int = 1) -> None:
        """Allocates columns of tensor memory, and writes their address to shared memory; waits until there is room. One warp
        executes it (group 2: one of each block of the pair); all its lanes.
        """

    @staticmethod
    def tcgen05_commit(bar: Any, group: int = 1) -> None:
        """One arrival on an mbarrier when all products and copies that the thread has begun are done. It orders them before what
        is behind a wait for that.
        """

    @staticmethod
    def tcgen05_commit_multicast(bar: Any, mask: Any, group: int = 1) -> None:
        """As tcgen05_commit, on the mbarriers at the same place of all blocks of a mask."""

    @staticmethod
    def tcgen05_cp_128x128b(address: Any, desc: Any, group: int = 1) -> None:
        """Begins a copy of 128 rows of 16 bytes from shared to tensor memory. One thread executes it; later products of that
        thread come behind it.
        """

    @staticmethod
    def tcgen05_cp_128x256b(address: Any, desc: Any, group: int = 1) -> None:
        """Begins a copy of 128 rows of 32 bytes from shared to tensor memory. One thread executes it; later products of that
        thread come behind it.
        """

    @staticmethod
    def tcgen05_cp_32x128b(address: Any, desc: Any, group: int = 1) -> None:
        """Begins a copy of 32 rows of 16 bytes from shared to tensor memory, for each warp of four. One thread executes it; later
        products of that thread come behind it.
        """

    @staticmethod
    def tcgen05_cp_4x256b(address: Any, desc: Any, group: int = 1) -> None:
        """Begins a copy of 4 rows of 32 bytes from shared to tensor memory. One thread executes it; later products of that thread
        come behind it.
        """

    @staticmethod
    def tcgen05_cp_64x128b_01_23(address: Any, desc: Any, group: int = 1) -> None:
        """Begins a copy of 64 rows of 16 bytes from shared to tensor memory. One thread executes it; later products of that thread
        come behind it.
        """

    @staticmethod
    def tcgen05_cp_64x128b_02_13(address: Any, desc: Any, group: int = 1) -> None:
        """Begins a copy of 64 rows of 16 bytes from shared to tensor memory. One thread executes it; later products of that thread
        come behind it.
        """

    @staticmethod
    def tcgen05_dealloc(address: Any, columns: int, group: int = 1) -> None:
        """Gives back columns; all that are allocated must be given back before the block ends. One warp executes it (group 2: one
        of each block of the pair).
        """

    @staticmethod
    def tcgen05_descriptor(tile: Any, swizzle: int = 128, leading: int = 0, stride: int = 0) -> Any:
        """The descriptor of an operand of tcgen05 in shared memory; layouts are those of wgmma_descriptor. A tile further along K:
        add its byte offset / 16.
        """

    @staticmethod
    def tcgen05_fence_after_thread_sync() -> None:
        """Orders later tcgen05 behind a synchronization that came before."""

    @staticmethod
    def tcgen05_fence_before_thread_sync() -> None:
        """Orders the thread's earlier tcgen05 before a synchronization that follows."""

    @staticmethod
    def tcgen05_ld_16x128b_x1(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 4 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x128b_x16(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 4 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x128b_x2(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 4 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x128b_x32(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 4 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x128b_x4(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 4 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x128b_x64(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 4 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x128b_x8(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 4 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x256b_x1(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 8 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x256b_x16(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 8 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x256b_x2(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 8 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x256b_x32(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 8 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x256b_x4(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 8 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x256b_x8(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 8 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x32bx2_x1(address: Any, split: int, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 1 columns twice for each of x; tcgen05_wait_ld gives what has
        come. Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x32bx2_x128(address: Any, split: int, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 1 columns twice for each of x; tcgen05_wait_ld gives what has
        come. Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x32bx2_x16(address: Any, split: int, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 1 columns twice for each of x; tcgen05_wait_ld gives what has
        come. Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x32bx2_x2(address: Any, split: int, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 1 columns twice for each of x; tcgen05_wait_ld gives what has
        come. Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x32bx2_x32(address: Any, split: int, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 1 columns twice for each of x; tcgen05_wait_ld gives what has
        come. Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x32bx2_x4(address: Any, split: int, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 1 columns twice for each of x; tcgen05_wait_ld gives what has
        come. Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x32bx2_x64(address: Any, split: int, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 1 columns twice for each of x; tcgen05_wait_ld gives what has
        come. Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x32bx2_x8(address: Any, split: int, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 1 columns twice for each of x; tcgen05_wait_ld gives what has
        come. Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x64b_x1(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 2 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x64b_x128(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 2 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x64b_x16(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 2 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x64b_x2(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 2 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x64b_x32(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 2 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x64b_x4(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 2 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x64b_x64(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 2 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_16x64b_x8(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 16 lanes x 2 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_32x32b_x1(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 32 lanes x 1 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_32x32b_x128(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 32 lanes x 1 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_32x32b_x16(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 32 lanes x 1 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_32x32b_x2(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 32 lanes x 1 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_32x32b_x32(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 32 lanes x 1 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_32x32b_x4(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 32 lanes x 1 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_32x32b_x64(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 32 lanes x 1 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_ld_32x32b_x8(address: Any, pack: int = 0) -> Any:
        """Begins to load tensor memory into registers, 32 lanes x 1 columns for each of x; tcgen05_wait_ld gives what has come.
        Warp w of a block reaches lanes 32 (w % 4) to + 31.
        """

    @staticmethod
    def tcgen05_mma_f16(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any, group: int = 1) -> None:
        """Begins D = A B + D for the block or pair of blocks: f16 or bf16, D of f16 or f32. One thread executes it. A in shared
        memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor.
        tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_f16_ts(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any, group: int = 1) -> None:
        """Begins D = A B + D for the block or pair of blocks: f16 or bf16, D of f16 or f32. One thread executes it. A in tensor
        memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor.
        tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_f8f6f4(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any, group: int = 1) -> None:
        """Begins D = A B + D for the block or pair of blocks: 8, 6 or 4 bits. One thread executes it. A in shared memory, B in
        shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor. tcgen05_commit tells its
        end.
        """

    @staticmethod
    def tcgen05_mma_f8f6f4_ts(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any, group: int = 1) -> None:
        """Begins D = A B + D for the block or pair of blocks: 8, 6 or 4 bits. One thread executes it. A in tensor memory, B in
        shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor. tcgen05_commit tells its
        end.
        """

    @staticmethod
    def tcgen05_mma_i8(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any, group: int = 1) -> None:
        """Begins D = A B + D for the block or pair of blocks: 8-bit integers, D of i32. One thread executes it. A in shared
        memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor.
        tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_i8_ts(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any, group: int = 1) -> None:
        """Begins D = A B + D for the block or pair of blocks: 8-bit integers, D of i32. One thread executes it. A in tensor
        memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor.
        tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_mxf4(
        d: Any,
        a: Any,
        b: Any,
        idesc: Any,
        scale_a: Any,
        scale_b: Any,
        accumulate: Any,
        group: int = 1,
        scales: int = 2,
    ) -> None:
        """Begins D = A B + D for the block or pair of blocks: e2m1 with a scale factor to 32 along K. One thread executes it. A in
        shared memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor.
        tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_mxf4_ts(
        d: Any,
        a: Any,
        b: Any,
        idesc: Any,
        scale_a: Any,
        scale_b: Any,
        accumulate: Any,
        group: int = 1,
        scales: int = 2,
    ) -> None:
        """Begins D = A B + D for the block or pair of blocks: e2m1 with a scale factor to 32 along K. One thread executes it. A in
        tensor memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor.
        tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_mxf4nvf4(
        d: Any,
        a: Any,
        b: Any,
        idesc: Any,
        scale_a: Any,
        scale_b: Any,
        accumulate: Any,
        group: int = 1,
        scales: int = 2,
    ) -> None:
        """Begins D = A B + D for the block or pair of blocks: e2m1 with a scale factor to 32 or 16 along K. One thread executes
        it. A in shared memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction
        descriptor. tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_mxf4nvf4_ts(
        d: Any,
        a: Any,
        b: Any,
        idesc: Any,
        scale_a: Any,
        scale_b: Any,
        accumulate: Any,
        group: int = 1,
        scales: int = 2,
    ) -> None:
        """Begins D = A B + D for the block or pair of blocks: e2m1 with a scale factor to 32 or 16 along K. One thread executes
        it. A in tensor memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction
        descriptor. tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_mxf8f6f4(
        d: Any,
        a: Any,
        b: Any,
        idesc: Any,
        scale_a: Any,
        scale_b: Any,
        accumulate: Any,
        group: int = 1,
        scales: int = 1,
    ) -> None:
        """Begins D = A B + D for the block or pair of blocks: 8, 6 or 4 bits with a scale factor to 32 along K. One thread
        executes it. A in shared memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the
        instruction descriptor. tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_mxf8f6f4_ts(
        d: Any,
        a: Any,
        b: Any,
        idesc: Any,
        scale_a: Any,
        scale_b: Any,
        accumulate: Any,
        group: int = 1,
        scales: int = 1,
    ) -> None:
        """Begins D = A B + D for the block or pair of blocks: 8, 6 or 4 bits with a scale factor to 32 along K. One thread
        executes it. A in tensor memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the
        instruction descriptor. tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_tf32(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any, group: int = 1) -> None:
        """Begins D = A B + D for the block or pair of blocks: tf32. One thread executes it. A in shared memory, B in shared
        memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor. tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_tf32_ts(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any, group: int = 1) -> None:
        """Begins D = A B + D for the block or pair of blocks: tf32. One thread executes it. A in tensor memory, B in shared
        memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor. tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_ws_f16(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any) -> None:
        """Begins D = A B + D for the block or pair of blocks: f16 or bf16, D of f16 or f32. One thread executes it. A in shared
        memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor.
        tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_ws_f16_ts(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any) -> None:
        """Begins D = A B + D for the block or pair of blocks: f16 or bf16, D of f16 or f32. One thread executes it. A in tensor
        memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor.
        tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_ws_f8f6f4(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any) -> None:
        """Begins D = A B + D for the block or pair of blocks: 8, 6 or 4 bits. One thread executes it. A in shared memory, B in
        shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor. tcgen05_commit tells its
        end.
        """

    @staticmethod
    def tcgen05_mma_ws_f8f6f4_ts(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any) -> None:
        """Begins D = A B + D for the block or pair of blocks: 8, 6 or 4 bits. One thread executes it. A in tensor memory, B in
        shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor. tcgen05_commit tells its
        end.
        """

    @staticmethod
    def tcgen05_mma_ws_i8(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any) -> None:
        """Begins D = A B + D for the block or pair of blocks: 8-bit integers, D of i32. One thread executes it. A in shared
        memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor.
        tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_ws_i8_ts(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any) -> None:
        """Begins D = A B + D for the block or pair of blocks: 8-bit integers, D of i32. One thread executes it. A in tensor
        memory, B in shared memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor.
        tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_ws_tf32(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any) -> None:
        """Begins D = A B + D for the block or pair of blocks: tf32. One thread executes it. A in shared memory, B in shared
        memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor. tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_mma_ws_tf32_ts(d: Any, a: Any, b: Any, idesc: Any, accumulate: Any) -> None:
        """Begins D = A B + D for the block or pair of blocks: tf32. One thread executes it. A in tensor memory, B in shared
        memory, D in tensor memory. M, N, types and majors are those of the instruction descriptor. tcgen05_commit tells its end.
        """

    @staticmethod
    def tcgen05_relinquish_alloc_permit(group: int = 1) -> None:
        """The block will allocate no more, so that others on the SM need not wait for it."""

    @staticmethod
    def tcgen05_st_16x128b(address: Any, value: Any, unpack: int = 0) -> None:
        """Begins to store registers to tensor memory, 16 lanes x 4 columns for each of x; done behind tcgen05_wait_st."""

    @staticmethod
    def tcgen05_st_16x256b(address: Any, value: Any, unpack: int = 0) -> None:
        """Begins to store registers to tensor memory, 16 lanes x 8 columns for each of x; done behind tcgen05_wait_st."""

    @staticmethod
    def tcgen05_st_16x32bx2(address: Any, value: Any, split: int, unpack: int = 0) -> None:
        """Begins to store registers to tensor memory, 16 lanes x 1 columns twice for each of x; done behind tcgen05_wait_st."""

    @staticmethod
    def tcgen05_st_16x64b(address: Any, value: Any, unpack: int = 0) -> None:
        """Begins to store registers to tensor memory, 16 lanes x 2 columns for each of x; done behind tcgen05_wait_st."""

    @staticmethod
    def tcgen05_st_32x32b(address: Any, value: Any, unpack: int = 0) -> None:
        """Begins to store registers to tensor memory, 32 lanes x 1 columns for each of x; done behind tcgen05_wait_st."""

    @staticmethod
    def tcgen05_wait_ld(value: Any) -> Any:
        """The registers once all loads of tensor memory that the warp has begun are done."""

    @staticmethod
    def tcgen05_wait_st() -> None:
        """Waits until all stores to tensor memory that the warp has begun are done."""

    @staticmethod
    def tma_load_1d(dst: Any, map: Any, d0: Any, bar: Any, hint: int = 0) -> None:
        """Begins a copy of a box of 1 dimension into shared memory. Its bytes count on the mbarrier, outside the array as zeros
        (or NaN) too: expect them by mbarrier_arrive_expect_tx. It begins at a multiple of 16 bytes along the last dimension. A
        swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_load_1d_multicast(dst: Any, map: Any, d0: Any, bar: Any, mask: Any, hint: int = 0) -> None:
        """Begins a copy of a box of 1 dimension into shared memory, in every block of the cluster that `mask` names, at the same
        place in each, and reports to the mbarrier at the same place. Its bytes count on the mbarrier, outside the array as zeros
        (or NaN) too: expect them by mbarrier_arrive_expect_tx. It begins at a multiple of 16 bytes along the last dimension. A
        swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_load_2d(dst: Any, map: Any, d0: Any, d1: Any, bar: Any, hint: int = 0) -> None:
        """Begins a copy of a box of 2 dimensions into shared memory. Its bytes count on the mbarrier, outside the array as zeros
        (or NaN) too: expect them by mbarrier_arrive_expect_tx. It begins at a multiple of 16 bytes along the last dimension. A
        swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_load_2d_multicast(dst: Any, map: Any, d0: Any, d1: Any, bar: Any, mask: Any, hint: int = 0) -> None:
        """Begins a copy of a box of 2 dimensions into shared memory, in every block of the cluster that `mask` names, at the same
        place in each, and reports to the mbarrier at the same place. Its bytes count on the mbarrier, outside the array as zeros
        (or NaN) too: expect them by mbarrier_arrive_expect_tx. It begins at a multiple of 16 bytes along the last dimension. A
        swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_load_2d_pair(dst: Any, map: Any, d0: Any, d1: Any, bar: Any, hint: int = 0) -> None:
        """Begins a copy of a box of 2 dimensions into shared memory, whose bytes count on the mbarrier at that place of the pair's
        first block, the one with the even rank: the one that multiplies for both. It begins at a multiple of 16 bytes along the
        last dimension. A swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_load_3d(dst: Any, map: Any, d0: Any, d1: Any, d2: Any, bar: Any, hint: int = 0) -> None:
        """Begins a copy of a box of 3 dimensions into shared memory. Its bytes count on the mbarrier, outside the array as zeros
        (or NaN) too: expect them by mbarrier_arrive_expect_tx. It begins at a multiple of 16 bytes along the last dimension. A
        swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_load_3d_multicast(dst: Any, map: Any, d0: Any, d1: Any, d2: Any, bar: Any, mask: Any, hint: int = 0) -> None:
        """Begins a copy of a box of 3 dimensions into shared memory, in every block of the cluster that `mask` names, at the same
        place in each, and reports to the mbarrier at the same place. Its bytes count on the mbarrier, outside the array as zeros
        (or NaN) too: expect them by mbarrier_arrive_expect_tx. It begins at a multiple of 16 bytes along the last dimension. A
        swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_load_4d(dst: Any, map: Any, d0: Any, d1: Any, d2: Any, d3: Any, bar: Any, hint: int = 0) -> None:
        """Begins a copy of a box of 4 dimensions into shared memory. Its bytes count on the mbarrier, outside the array as zeros
        (or NaN) too: expect them by mbarrier_arrive_expect_tx. It begins at a multiple of 16 bytes along the last dimension. A
        swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_load_4d_multicast(
        dst: Any,
        map: Any,
        d0: Any,
        d1: Any,
        d2: Any,
        d3: Any,
        bar: Any,
        mask: Any,
        hint: int = 0,
    ) -> None:
        """Begins a copy of a box of 4 dimensions into shared memory, in every block of the cluster that `mask` names, at the same
        place in each, and reports to the mbarrier at the same place. Its bytes count on the mbarrier, outside the array as zeros
        (or NaN) too: expect them by mbarrier_arrive_expect_tx. It begins at a multiple of 16 bytes along the last dimension. A
        swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_load_5d(dst: Any, map: Any, d0: Any, d1: Any, d2: Any, d3: Any, d4: Any, bar: Any, hint: int = 0) -> None:
        """Begins a copy of a box of 5 dimensions into shared memory. Its bytes count on the mbarrier, outside the array as zeros
        (or NaN) too: expect them by mbarrier_arrive_expect_tx. It begins at a multiple of 16 bytes along the last dimension. A
        swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_load_5d_multicast(
        dst: Any,
        map: Any,
        d0: Any,
        d1: Any,
        d2: Any,
        d3: Any,
        d4: Any,
        bar: Any,
        mask: Any,
        hint: int = 0,
    ) -> None:
        """Begins a copy of a box of 5 dimensions into shared memory, in every block of the cluster that `mask` names, at the same
        place in each, and reports to the mbarrier at the same place. Its bytes count on the mbarrier, outside the array as zeros
        (or NaN) too: expect them by mbarrier_arrive_expect_tx. It begins at a multiple of 16 bytes along the last dimension. A
        swizzled box should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_prefetch_1d(map: Any, d0: Any) -> None:
        """Brings a box of the array into L2."""

    @staticmethod
    def tma_prefetch_2d(map: Any, d0: Any, d1: Any) -> None:
        """Brings a box of the array into L2."""

    @staticmethod
    def tma_prefetch_3d(map: Any, d0: Any, d1: Any, d2: Any) -> None:
        """Brings a box of the array into L2."""

    @staticmethod
    def tma_prefetch_4d(map: Any, d0: Any, d1: Any, d2: Any, d3: Any) -> None:
        """Brings a box of the array into L2."""

    @staticmethod
    def tma_prefetch_5d(map: Any, d0: Any, d1: Any, d2: Any, d3: Any, d4: Any) -> None:
        """Brings a box of the array into L2."""

    @staticmethod
    def tma_reduce_add_1d(map: Any, d0: Any, src: Any, hint: int = 0) -> None:
        """Begins an addition of a box in shared memory to the array's elements; what is outside the array is not written, but no
        coordinate may be negative, and its rows must be multiples of 16 bytes long. Shared memory must not change before
        cp_async_bulk_wait_group_read has said so. It begins at a multiple of 16 bytes along the last dimension. A swizzled box
        should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_reduce_add_2d(map: Any, d0: Any, d1: Any, src: Any, hint: int = 0) -> None:
        """Begins an addition of a box in shared memory to the array's elements; what is outside the array is not written, but no
        coordinate may be negative, and its rows must be multiples of 16 bytes long. Shared memory must not change before
        cp_async_bulk_wait_group_read has said so. It begins at a multiple of 16 bytes along the last dimension. A swizzled box
        should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_reduce_add_3d(map: Any, d0: Any, d1: Any, d2: Any, src: Any, hint: int = 0) -> None:
        """Begins an addition of a box in shared memory to the array's elements; what is outside the array is not written, but no
        coordinate may be negative, and its rows must be multiples of 16 bytes long. Shared memory must not change before
        cp_async_bulk_wait_group_read has said so. It begins at a multiple of 16 bytes along the last dimension. A swizzled box
        should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_reduce_add_4d(map: Any, d0: Any, d1: Any, d2: Any, d3: Any, src: Any, hint: int = 0) -> None:
        """Begins an addition of a box in shared memory to the array's elements; what is outside the array is not written, but no
        coordinate may be negative, and its rows must be multiples of 16 bytes long. Shared memory must not change before
        cp_async_bulk_wait_group_read has said so. It begins at a multiple of 16 bytes along the last dimension. A swizzled box
        should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_reduce_add_5d(map: Any, d0: Any, d1: Any, d2: Any, d3: Any, d4: Any, src: Any, hint: int = 0) -> None:
        """Begins an addition of a box in shared memory to the array's elements; what is outside the array is not written, but no
        coordinate may be negative, and its rows must be multiples of 16 bytes long. Shared memory must not change before
        cp_async_bulk_wait_group_read has said so. It begins at a multiple of 16 bytes along the last dimension. A swizzled box
        should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_store_1d(map: Any, d0: Any, src: Any, hint: int = 0) -> None:
        """Begins a copy of a box from shared memory to the array; what is outside the array is not written, but no coordinate may
        be negative, and its rows must be multiples of 16 bytes long. Shared memory must not change before
        cp_async_bulk_wait_group_read has said so. It begins at a multiple of 16 bytes along the last dimension. A swizzled box
        should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_store_2d(map: Any, d0: Any, d1: Any, src: Any, hint: int = 0) -> None:
        """Begins a copy of a box from shared memory to the array; what is outside the array is not written, but no coordinate may
        be negative, and its rows must be multiples of 16 bytes long. Shared memory must not change before
        cp_async_bulk_wait_group_read has said so. It begins at a multiple of 16 bytes along the last dimension. A swizzled box
        should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_store_3d(map: Any, d0: Any, d1: Any, d2: Any, src: Any, hint: int = 0) -> None:
        """Begins a copy of a box from shared memory to the array; what is outside the array is not written, but no coordinate may
        be negative, and its rows must be multiples of 16 bytes long. Shared memory must not change before
        cp_async_bulk_wait_group_read has said so. It begins at a multiple of 16 bytes along the last dimension. A swizzled box
        should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_store_4d(map: Any, d0: Any, d1: Any, d2: Any, d3: Any, src: Any, hint: int = 0) -> None:
        """Begins a copy of a box from shared memory to the array; what is outside the array is not written, but no coordinate may
        be negative, and its rows must be multiples of 16 bytes long. Shared memory must not change before
        cp_async_bulk_wait_group_read has said so. It begins at a multiple of 16 bytes along the last dimension. A swizzled box
        should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def tma_store_5d(map: Any, d0: Any, d1: Any, d2: Any, d3: Any, d4: Any, src: Any, hint: int = 0) -> None:
        """Begins a copy of a box from shared memory to the array; what is outside the array is not written, but no coordinate may
        be negative, and its rows must be multiples of 16 bytes long. Shared memory must not change before
        cp_async_bulk_wait_group_read has said so. It begins at a multiple of 16 bytes along the last dimension. A swizzled box
        should begin at a multiple of 1024 bytes, so that its pattern begins there too.
        """

    @staticmethod
    def vote_all(cond: Any) -> Any:
        """True in every active lane where the condition holds in all of them. CUDA's `__all_sync`, for the lanes that are here."""

    @staticmethod
    def vote_any(cond: Any) -> Any:
        """True in every active lane where the condition holds in any of them. CUDA's `__any_sync`, for the lanes that are here."""

    @staticmethod
    def vote_ballot(cond: Any) -> Any:
        """Bit l is set where lane l is active and its condition holds; the same in every active lane. CUDA's `__ballot_sync`, for
        the lanes that are here.
        """

    @staticmethod
    def vote_uni(cond: Any) -> Any:
        """True in every active lane where the condition is the same in all of them. CUDA's `__uni_sync`, for the lanes that are
        here.
        """

    @staticmethod
    def wgmma_bf16_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_d: Any = 1,
        neg_a: int = 0,
        neg_b: int = 0,
        trans_a: int = 0,
        trans_b: int = 0,
    ) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 16 of bf16, B 16 x N of bf16, C and D
        64 x N of f32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_bf16_f32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0, trans_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 16 of bf16, B 16 x N of bf16, C and D
        64 x N of f32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_commit_group() -> None:
        """The wgmma since the last group make up one more group. All warps of the warpgroup execute it."""

    @staticmethod
    def wgmma_descriptor(tile: Any, swizzle: int = 128, leading: int = 0, stride: int = 0) -> Any:
        """The descriptor of a matrix operand in shared memory. With T elements to 16 bytes, an element stands, from the tile's
        start on and before the swizzle of S bytes, along M or N (i) and K (j): K-major at S (i % 8) + stride (i / 8) + bytes j
        (unswizzled: 16 (i % 8) + stride (i / 8) + leading (j / T) + bytes (j % T)); MN-major at S (j % 8) + stride (j / 8) +
        leading (i / (S / bytes)) + bytes (i % (S / bytes)) (unswizzled: 16 (j % 8) + leading (j / 8) + stride (i / T) + bytes (i %
        T)). Patterns begin at multiples of 8 S bytes. A tile further along K: add its byte offset / 16.
        """

    @staticmethod
    def wgmma_e4m3_e5m2_f16(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e4m3, B 32 x N of e5m2, C and D
        64 x N of f16; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e4m3_e5m2_f16_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e4m3, B 32 x N of e5m2, C and D
        64 x N of f16; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e4m3_e5m2_f32(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e4m3, B 32 x N of e5m2, C and D
        64 x N of f32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e4m3_e5m2_f32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e4m3, B 32 x N of e5m2, C and D
        64 x N of f32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e4m3_f16(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e4m3, B 32 x N of e4m3, C and D
        64 x N of f16; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e4m3_f16_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e4m3, B 32 x N of e4m3, C and D
        64 x N of f16; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e4m3_f32(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e4m3, B 32 x N of e4m3, C and D
        64 x N of f32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e4m3_f32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e4m3, B 32 x N of e4m3, C and D
        64 x N of f32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e5m2_e4m3_f16(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e5m2, B 32 x N of e4m3, C and D
        64 x N of f16; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e5m2_e4m3_f16_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e5m2, B 32 x N of e4m3, C and D
        64 x N of f16; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e5m2_e4m3_f32(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e5m2, B 32 x N of e4m3, C and D
        64 x N of f32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e5m2_e4m3_f32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e5m2, B 32 x N of e4m3, C and D
        64 x N of f32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e5m2_f16(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e5m2, B 32 x N of e5m2, C and D
        64 x N of f16; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e5m2_f16_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e5m2, B 32 x N of e5m2, C and D
        64 x N of f16; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e5m2_f32(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e5m2, B 32 x N of e5m2, C and D
        64 x N of f32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_e5m2_f32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of e5m2, B 32 x N of e5m2, C and D
        64 x N of f32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_f16_f16(
        a: Any,
        b: Any,
        c: Any,
        scale_d: Any = 1,
        neg_a: int = 0,
        neg_b: int = 0,
        trans_a: int = 0,
        trans_b: int = 0,
    ) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 16 of f16, B 16 x N of f16, C and D
        64 x N of f16; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_f16_f16_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0, trans_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 16 of f16, B 16 x N of f16, C and D
        64 x N of f16; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_f16_f32(
        a: Any,
        b: Any,
        c: Any,
        scale_d: Any = 1,
        neg_a: int = 0,
        neg_b: int = 0,
        trans_a: int = 0,
        trans_b: int = 0,
    ) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 16 of f16, B 16 x N of f16, C and D
        64 x N of f32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may
        be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_f16_f32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0, trans_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 16 of f16, B 16 x N of f16, C and D
        64 x N of f32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_fence() -> None:
        """Orders accesses to registers and shared memory before the wgmma that follow: needed before the first, and when registers
        have changed. All warps of the warpgroup execute it.
        """

    @staticmethod
    def wgmma_fence_acc(acc: Any) -> Any:
        """The accumulator (or A in registers) behind a wgmma_fence: what has been computed of it is in registers before. All warps
        of the warpgroup execute it.
        """

    @staticmethod
    def wgmma_i8_i32(a: Any, b: Any, c: Any, scale_d: Any = 1) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of i8, B 32 x N of i8, C and D 64
        x N of i32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_i8_i32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of i8, B 32 x N of i8, C and D 64
        x N of i32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_i8_u8_i32(a: Any, b: Any, c: Any, scale_d: Any = 1) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of i8, B 32 x N of u8, C and D 64
        x N of i32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_i8_u8_i32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of i8, B 32 x N of u8, C and D 64
        x N of i32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_tf32_f32(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 8 of tf32, B 8 x N of tf32, C and D
        64 x N of f32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. The
        low 13 bits of the elements of A and B are ignored. D may be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_tf32_f32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1, neg_a: int = 0, neg_b: int = 0) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 8 of tf32, B 8 x N of tf32, C and D
        64 x N of f32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. The low
        13 bits of the elements of A and B are ignored. D may be used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_u8_i32(a: Any, b: Any, c: Any, scale_d: Any = 1) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of u8, B 32 x N of u8, C and D 64
        x N of i32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_u8_i32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of u8, B 32 x N of u8, C and D 64
        x N of i32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_u8_i8_i32(a: Any, b: Any, c: Any, scale_d: Any = 1) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of u8, B 32 x N of i8, C and D 64
        x N of i32; A in shared memory, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_u8_i8_i32_rs(a: Any, b: Any, c: Any, scale_d: Any = 1) -> Any:
        """D = A B + C over a warpgroup, which all its four warps execute together: A is 64 x 32 of u8, B 32 x N of i8, C and D 64
        x N of i32; A in registers, B in shared memory. N is twice the number of the accumulator's elements: 8 to 256. D may be
        used once wgmma_wait_acc has given it back.
        """

    @staticmethod
    def wgmma_wait_acc(acc: Any, pending: int) -> Any:
        """The accumulator once all groups of wgmma but the newest `pending` are complete. All warps of the warpgroup execute it."""

    @staticmethod
    def wgmma_wait_group(pending: int) -> None:
        """Waits until all groups of wgmma but the newest `pending` are complete. All warps of the warpgroup execute it."""


nvvm: _nvvm

class _system:
    @staticmethod
    def load_acquire_u32(src: Any) -> Any:
        """Loads the word; accesses behind it come after it, and see what was written, on any GPU, before the store_release (or the
        atomic with release) whose value it gives.
        """

    @staticmethod
    def load_acquire_u64(src: Any) -> Any:
        """Loads the word; accesses behind it come after it, and see what was written, on any GPU, before the store_release (or the
        atomic with release) whose value it gives.
        """

    @staticmethod
    def load_relaxed_u32(src: Any) -> Any:
        """Loads the word as it is now; orders nothing."""

    @staticmethod
    def load_relaxed_u64(src: Any) -> Any:
        """Loads the word as it is now; orders nothing."""

    @staticmethod
    def load_signal(src: Any, epoch: Any, rank: Any) -> Any:
        """The look of `al.wait` at a signal: load_acquire_u32, which says in reports what is waited for, and of whom."""

    @staticmethod
    def pause() -> None:
        """Gives others time: what stands in a loop that waits for another rank. Orders nothing."""

    @staticmethod
    def send_signal(dst: Any, epoch: Any) -> None:
        """The store of `al.signal` to a signal: store_release, of an epoch that is not before the one that is there."""

    @staticmethod
    def store_relaxed(dst: Any, value: Any) -> None:
        """Stores a word, in one piece; orders nothing. A word of 64 bits may hold a number and the mark of the round that it is
        of: whoever sees the one sees the other.
        """

    @staticmethod
    def store_release(dst: Any, value: Any) -> None:
        """Stores a word behind all accesses before it, for whoever loads it with acquire, on any GPU."""


system: _system
