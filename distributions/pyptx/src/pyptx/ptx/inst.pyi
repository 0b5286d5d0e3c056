"""Made by `./dev stubs` from the table of the instruction set."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, SupportsFloat, SupportsIndex, TypeAlias, overload

from avelang.nvptx import nodes as n

class Node(Protocol):
    """A value that makes its own operand: a register, an address, a variable, an argument."""

    def node(self) -> n.Operand: ...

Operand: TypeAlias = Node | SupportsIndex | SupportsFloat | str | list[Any] | tuple[Any, ...] | None
Place: TypeAlias = Node | Sequence[Any] | None

class InstructionName:
    """A name under way: attributes lengthen it, a call adds the instruction."""

    def __init__(self, parts: tuple[str, ...] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, name: str) -> Any: ...
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

_abs_word: TypeAlias = Literal["bf16", "bf16x2", "f16", "f16x2", "f32", "f64", "ftz", "s16", "s32", "s64"]

class _abs:
    """PTX ISA 9.0, 9.7.3

    abs{.ftz}.f32
    abs.f64
    abs{.ftz}.<t>
    abs.<t>
    """

    def __getattr__(self, name: _abs_word, /) -> _abs_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _abs_any(_abs):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _abs_0(_abs):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _abs_1(_abs):
    f16: _abs_0
    f16x2: _abs_0
    f32: _abs_0

class _abs_2(_abs):
    bf16: _abs_0
    bf16x2: _abs_0
    f16: _abs_0
    f16x2: _abs_0
    f32: _abs_0
    f64: _abs_0
    ftz: _abs_1
    s16: _abs_0
    s32: _abs_0
    s64: _abs_0

_activemask_word: TypeAlias = Literal["b32"]

class _activemask:
    """PTX ISA 9.0, 9.7.13

    activemask.b32
    """

    def __getattr__(self, name: _activemask_word, /) -> _activemask_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _activemask_any(_activemask):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _activemask_0(_activemask):
    def __call__(self, d: Place, /, *, pred: Any = None) -> Any: ...

class _activemask_1(_activemask):
    b32: _activemask_0

_add_word: TypeAlias = Literal[
    "bf16", "bf16x2", "cc", "f16", "f16x2", "f32", "f32x2", "f64", "ftz", "rm", "rn", "rp", "rz", "s16", "s16x2",
    "s32", "s64", "sat", "u16", "u16x2", "u32", "u64"
]

class _add:
    """PTX ISA 9.0, 9.7.3

    add{.<rnd>}{.ftz}{.sat}.f32
    add{.<rnd>}.f64
    add{.<rnd>}{.ftz}.f32x2
    add{.rn}{.ftz}{.sat}.<t>
    add{.rn}.<t>
    add{.<rnd>}{.sat}.f32.<t>
    add.<t>
    add.sat.s32
    add.cc.<t>
    """

    def __getattr__(self, name: _add_word, /) -> _add_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _add_any(_add):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _add_0(_add):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _add_1(_add):
    f16: _add_0
    f16x2: _add_0
    f32: _add_0

class _add_2(_add):
    f16: _add_0
    f16x2: _add_0
    f32: _add_0
    f32x2: _add_0
    sat: _add_1

class _add_3(_add):
    bf16: _add_0
    f16: _add_0
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _add_4(_add):
    f16: _add_0
    f16x2: _add_0
    f32: _add_3

class _add_5(_add):
    bf16: _add_0
    bf16x2: _add_0
    f16: _add_0
    f16x2: _add_0
    f32: _add_3
    f32x2: _add_0
    f64: _add_0
    ftz: _add_2
    sat: _add_4

class _add_6(_add):
    f32: _add_0

class _add_7(_add):
    f32: _add_0
    f32x2: _add_0
    sat: _add_6

class _add_8(_add):
    f32: _add_3

class _add_9(_add):
    f32: _add_3
    f32x2: _add_0
    f64: _add_0
    ftz: _add_7
    sat: _add_8

class _add_10(_add):
    f16: _add_0
    f16x2: _add_0
    f32: _add_3
    s32: _add_0

class _add_11(_add):
    s32: _add_0
    s64: _add_0
    u32: _add_0
    u64: _add_0

class _add_12(_add):
    bf16: _add_0
    bf16x2: _add_0
    cc: _add_11
    f16: _add_0
    f16x2: _add_0
    f32: _add_3
    f32x2: _add_0
    f64: _add_0
    ftz: _add_2
    rm: _add_9
    rn: _add_5
    rp: _add_9
    rz: _add_9
    s16: _add_0
    s16x2: _add_0
    s32: _add_0
    s64: _add_0
    sat: _add_10
    u16: _add_0
    u16x2: _add_0
    u32: _add_0
    u64: _add_0

_addc_word: TypeAlias = Literal["cc", "s32", "s64", "u32", "u64"]

class _addc:
    """PTX ISA 9.0, 9.7.2

    addc{.cc}.<t>
    """

    def __getattr__(self, name: _addc_word, /) -> _addc_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _addc_any(_addc):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _addc_0(_addc):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _addc_1(_addc):
    s32: _addc_0
    s64: _addc_0
    u32: _addc_0
    u64: _addc_0

class _addc_2(_addc):
    cc: _addc_1
    s32: _addc_0
    s64: _addc_0
    u32: _addc_0
    u64: _addc_0

_alloca_word: TypeAlias = Literal["u32", "u64"]

class _alloca:
    """PTX ISA 9.0, 9.7.17

    alloca.<t>
    """

    def __getattr__(self, name: _alloca_word, /) -> _alloca_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _alloca_any(_alloca):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _alloca_0(_alloca):
    @overload
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _alloca_1(_alloca):
    u32: _alloca_0
    u64: _alloca_0

_and_word: TypeAlias = Literal["b16", "b32", "b64", "pred"]

class _and:
    """PTX ISA 9.0, 9.7.8

    and.<t>
    """

    def __getattr__(self, name: _and_word, /) -> _and_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _and_any(_and):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _and_0(_and):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _and_1(_and):
    b16: _and_0
    b32: _and_0
    b64: _and_0
    pred: _and_0

_applypriority_word: TypeAlias = Literal["L2__evict_normal", "global_"]

class _applypriority:
    """PTX ISA 9.0, 9.7.9

    applypriority{.global}.L2::evict_normal
    """

    def __getattr__(self, name: _applypriority_word, /) -> _applypriority_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _applypriority_any(_applypriority):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _applypriority_0(_applypriority):
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _applypriority_1(_applypriority):
    L2__evict_normal: _applypriority_0

class _applypriority_2(_applypriority):
    L2__evict_normal: _applypriority_0
    global_: _applypriority_1

_atom_word: TypeAlias = Literal[
    "L2__cache_hint", "acq_rel", "acquire", "add", "and_", "b128", "b16", "b32", "b64", "bf16", "bf16x2", "cas",
    "cluster", "cta", "dec", "exch", "f16", "f16x2", "f32", "f64", "global_", "gpu", "inc", "max", "min", "noftz",
    "or_", "relaxed", "release", "s32", "s64", "shared", "shared__cluster", "shared__cta", "sys", "u32", "u64",
    "v2", "v4", "v8", "xor"
]

class _atom:
    """PTX ISA 9.0, 9.7.13

    atom{.<sem>}{.<scope>}{.<space>}.<op>{.L2::cache_hint}.<t>
    atom.<space>.<scope>{.<sem>}.<op>{.L2::cache_hint}.<t>
    atom.<space>.<sem>{.<scope>}.<op>{.L2::cache_hint}.<t>
    atom{.<sem>}{.<scope>}{.<space>}.cas.<t>
    atom.<space>.<scope>{.<sem>}.cas.<t>
    atom.<space>.<sem>{.<scope>}.cas.<t>
    atom{.<sem>}{.<scope>}{.<space>}.cas.b128
    atom.<space>.<scope>{.<sem>}.cas.b128
    atom.<space>.<sem>{.<scope>}.cas.b128
    atom{.<sem>}{.<scope>}{.<space>}.exch{.L2::cache_hint}.b128
    atom.<space>.<scope>{.<sem>}.exch{.L2::cache_hint}.b128
    atom.<space>.<sem>{.<scope>}.exch{.L2::cache_hint}.b128
    atom{.<sem>}{.<scope>}{.<space>}.add.noftz{.L2::cache_hint}.f16
    atom.<space>.<scope>{.<sem>}.add.noftz{.L2::cache_hint}.f16
    atom.<space>.<sem>{.<scope>}.add.noftz{.L2::cache_hint}.f16
    atom{.<sem>}{.<scope>}{.<space>}.add.noftz{.L2::cache_hint}.f16x2
    atom.<space>.<scope>{.<sem>}.add.noftz{.L2::cache_hint}.f16x2
    atom.<space>.<sem>{.<scope>}.add.noftz{.L2::cache_hint}.f16x2
    atom{.<sem>}{.<scope>}{.<space>}.add.noftz{.L2::cache_hint}.bf16
    atom.<space>.<scope>{.<sem>}.add.noftz{.L2::cache_hint}.bf16
    atom.<space>.<sem>{.<scope>}.add.noftz{.L2::cache_hint}.bf16
    atom{.<sem>}{.<scope>}{.<space>}.add.noftz{.L2::cache_hint}.bf16x2
    atom.<space>.<scope>{.<sem>}.add.noftz{.L2::cache_hint}.bf16x2
    atom.<space>.<sem>{.<scope>}.add.noftz{.L2::cache_hint}.bf16x2
    atom{.<sem>}{.<scope>}{.<space>}.<op>.noftz{.L2::cache_hint}.<vec>.<t>
    atom.<space>.<scope>{.<sem>}.<op>.noftz{.L2::cache_hint}.<vec>.<t>
    atom.<space>.<sem>{.<scope>}.<op>.noftz{.L2::cache_hint}.<vec>.<t>
    atom{.<sem>}{.<scope>}{.<space>}.add{.L2::cache_hint}.<vec>.f32
    atom.<space>.<scope>{.<sem>}.add{.L2::cache_hint}.<vec>.f32
    atom.<space>.<sem>{.<scope>}.add{.L2::cache_hint}.<vec>.f32
    """

    def __getattr__(self, name: _atom_word, /) -> _atom_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _atom_any(_atom):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _atom_0(_atom):
    def __call__(
        self, d: Place, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _atom_1(_atom):
    b32: _atom_0
    b64: _atom_0

class _atom_2(_atom):
    def __call__(self, d: Place, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _atom_3(_atom):
    L2__cache_hint: _atom_1
    b32: _atom_2
    b64: _atom_2

class _atom_4(_atom):
    b128: _atom_0
    b32: _atom_0
    b64: _atom_0

class _atom_5(_atom):
    L2__cache_hint: _atom_4
    b128: _atom_2
    b32: _atom_2
    b64: _atom_2

class _atom_6(_atom):
    f32: _atom_0

class _atom_7(_atom):
    f32: _atom_0
    f64: _atom_0
    s32: _atom_0
    u32: _atom_0
    u64: _atom_0
    v2: _atom_6
    v4: _atom_6

class _atom_8(_atom):
    bf16: _atom_0
    bf16x2: _atom_0
    f16: _atom_0
    f16x2: _atom_0

class _atom_9(_atom):
    bf16: _atom_0
    f16: _atom_0

class _atom_10(_atom):
    bf16: _atom_0
    bf16x2: _atom_0
    f16: _atom_0
    f16x2: _atom_0
    v2: _atom_8
    v4: _atom_8
    v8: _atom_9

class _atom_11(_atom):
    bf16: _atom_2
    bf16x2: _atom_2
    f16: _atom_2
    f16x2: _atom_2

class _atom_12(_atom):
    bf16: _atom_2
    f16: _atom_2

class _atom_13(_atom):
    L2__cache_hint: _atom_10
    bf16: _atom_2
    bf16x2: _atom_2
    f16: _atom_2
    f16x2: _atom_2
    v2: _atom_11
    v4: _atom_11
    v8: _atom_12

class _atom_14(_atom):
    f32: _atom_2

class _atom_15(_atom):
    L2__cache_hint: _atom_7
    f32: _atom_2
    f64: _atom_2
    noftz: _atom_13
    s32: _atom_2
    u32: _atom_2
    u64: _atom_2
    v2: _atom_14
    v4: _atom_14

class _atom_16(_atom):
    u32: _atom_0

class _atom_17(_atom):
    L2__cache_hint: _atom_16
    u32: _atom_2

class _atom_18(_atom):
    s32: _atom_0
    s64: _atom_0
    u32: _atom_0
    u64: _atom_0

class _atom_19(_atom):
    v2: _atom_8
    v4: _atom_8
    v8: _atom_9

class _atom_20(_atom):
    L2__cache_hint: _atom_19
    v2: _atom_11
    v4: _atom_11
    v8: _atom_12

class _atom_21(_atom):
    L2__cache_hint: _atom_18
    noftz: _atom_20
    s32: _atom_2
    s64: _atom_2
    u32: _atom_2
    u64: _atom_2

class _atom_22(_atom):
    b128: _atom_0
    b16: _atom_0
    b32: _atom_0
    b64: _atom_0

class _atom_23(_atom):
    add: _atom_15
    and_: _atom_3
    cas: _atom_22
    dec: _atom_17
    exch: _atom_5
    inc: _atom_17
    max: _atom_21
    min: _atom_21
    or_: _atom_3
    xor: _atom_3

class _atom_24(_atom):
    f32: _atom_0
    f64: _atom_0
    s32: _atom_0
    u32: _atom_0
    u64: _atom_0

class _atom_25(_atom):
    L2__cache_hint: _atom_8
    bf16: _atom_2
    bf16x2: _atom_2
    f16: _atom_2
    f16x2: _atom_2

class _atom_26(_atom):
    L2__cache_hint: _atom_24
    f32: _atom_2
    f64: _atom_2
    noftz: _atom_25
    s32: _atom_2
    u32: _atom_2
    u64: _atom_2

class _atom_27(_atom):
    L2__cache_hint: _atom_18
    s32: _atom_2
    s64: _atom_2
    u32: _atom_2
    u64: _atom_2

class _atom_28(_atom):
    add: _atom_26
    and_: _atom_3
    cas: _atom_22
    dec: _atom_17
    exch: _atom_5
    inc: _atom_17
    max: _atom_27
    min: _atom_27
    or_: _atom_3
    xor: _atom_3

class _atom_29(_atom):
    add: _atom_15
    and_: _atom_3
    cas: _atom_22
    dec: _atom_17
    exch: _atom_5
    global_: _atom_23
    inc: _atom_17
    max: _atom_21
    min: _atom_21
    or_: _atom_3
    shared: _atom_28
    shared__cluster: _atom_28
    shared__cta: _atom_28
    xor: _atom_3

class _atom_30(_atom):
    add: _atom_15
    and_: _atom_3
    cas: _atom_22
    cluster: _atom_29
    cta: _atom_29
    dec: _atom_17
    exch: _atom_5
    global_: _atom_23
    gpu: _atom_29
    inc: _atom_17
    max: _atom_21
    min: _atom_21
    or_: _atom_3
    shared: _atom_28
    shared__cluster: _atom_28
    shared__cta: _atom_28
    sys: _atom_29
    xor: _atom_3

class _atom_31(_atom):
    acq_rel: _atom_23
    acquire: _atom_23
    add: _atom_15
    and_: _atom_3
    cas: _atom_22
    dec: _atom_17
    exch: _atom_5
    inc: _atom_17
    max: _atom_21
    min: _atom_21
    or_: _atom_3
    relaxed: _atom_23
    release: _atom_23
    xor: _atom_3

class _atom_32(_atom):
    add: _atom_15
    and_: _atom_3
    cas: _atom_22
    cluster: _atom_23
    cta: _atom_23
    dec: _atom_17
    exch: _atom_5
    gpu: _atom_23
    inc: _atom_17
    max: _atom_21
    min: _atom_21
    or_: _atom_3
    sys: _atom_23
    xor: _atom_3

class _atom_33(_atom):
    acq_rel: _atom_32
    acquire: _atom_32
    add: _atom_15
    and_: _atom_3
    cas: _atom_22
    cluster: _atom_31
    cta: _atom_31
    dec: _atom_17
    exch: _atom_5
    gpu: _atom_31
    inc: _atom_17
    max: _atom_21
    min: _atom_21
    or_: _atom_3
    relaxed: _atom_32
    release: _atom_32
    sys: _atom_31
    xor: _atom_3

class _atom_34(_atom):
    acq_rel: _atom_28
    acquire: _atom_28
    add: _atom_26
    and_: _atom_3
    cas: _atom_22
    dec: _atom_17
    exch: _atom_5
    inc: _atom_17
    max: _atom_27
    min: _atom_27
    or_: _atom_3
    relaxed: _atom_28
    release: _atom_28
    xor: _atom_3

class _atom_35(_atom):
    add: _atom_26
    and_: _atom_3
    cas: _atom_22
    cluster: _atom_28
    cta: _atom_28
    dec: _atom_17
    exch: _atom_5
    gpu: _atom_28
    inc: _atom_17
    max: _atom_27
    min: _atom_27
    or_: _atom_3
    sys: _atom_28
    xor: _atom_3

class _atom_36(_atom):
    acq_rel: _atom_35
    acquire: _atom_35
    add: _atom_26
    and_: _atom_3
    cas: _atom_22
    cluster: _atom_34
    cta: _atom_34
    dec: _atom_17
    exch: _atom_5
    gpu: _atom_34
    inc: _atom_17
    max: _atom_27
    min: _atom_27
    or_: _atom_3
    relaxed: _atom_35
    release: _atom_35
    sys: _atom_34
    xor: _atom_3

class _atom_37(_atom):
    acq_rel: _atom_30
    acquire: _atom_30
    add: _atom_15
    and_: _atom_3
    cas: _atom_22
    cluster: _atom_29
    cta: _atom_29
    dec: _atom_17
    exch: _atom_5
    global_: _atom_33
    gpu: _atom_29
    inc: _atom_17
    max: _atom_21
    min: _atom_21
    or_: _atom_3
    relaxed: _atom_30
    release: _atom_30
    shared: _atom_36
    shared__cluster: _atom_36
    shared__cta: _atom_36
    sys: _atom_29
    xor: _atom_3

_bar_word: TypeAlias = Literal["and_", "arrive", "cta", "or_", "popc", "pred", "red", "sync", "u32", "warp"]

class _bar:
    """PTX ISA 9.0, 9.7.13

    bar.sync
    bar.arrive
    bar.red.popc.u32
    bar.red.<op>.pred
    bar.cta.sync
    bar.cta.arrive
    bar.cta.red.popc.u32
    bar.cta.red.<op>.pred
    bar.warp.sync
    """

    def __getattr__(self, name: _bar_word, /) -> _bar_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _bar_any(_bar):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _bar_0(_bar):
    @overload
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _bar_1(_bar):
    def __call__(self, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _bar_2(_bar):
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _bar_3(_bar):
    u32: _bar_2

class _bar_4(_bar):
    pred: _bar_2

class _bar_5(_bar):
    and_: _bar_4
    or_: _bar_4
    popc: _bar_3

class _bar_6(_bar):
    arrive: _bar_1
    red: _bar_5
    sync: _bar_0

class _bar_7(_bar):
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

class _bar_8(_bar):
    sync: _bar_7

class _bar_9(_bar):
    arrive: _bar_1
    cta: _bar_6
    red: _bar_5
    sync: _bar_0
    warp: _bar_8

_barrier_word: TypeAlias = Literal[
    "acquire", "aligned", "and_", "arrive", "cluster", "cta", "or_", "popc", "pred", "red", "relaxed", "release",
    "sync", "u32", "wait"
]

class _barrier:
    """PTX ISA 9.0, 9.7.13

    barrier.sync{.aligned}
    barrier.arrive{.aligned}
    barrier.red.popc{.aligned}.u32
    barrier.red.<op>{.aligned}.pred
    barrier.cta.sync{.aligned}
    barrier.cta.arrive{.aligned}
    barrier.cta.red.popc{.aligned}.u32
    barrier.cta.red.<op>{.aligned}.pred
    barrier.cluster.arrive{.<sem>}{.aligned}
    barrier.cluster.wait{.acquire}{.aligned}
    """

    def __getattr__(self, name: _barrier_word, /) -> _barrier_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _barrier_any(_barrier):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _barrier_0(_barrier):
    @overload
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _barrier_1(_barrier):
    aligned: _barrier_0
    @overload
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _barrier_2(_barrier):
    def __call__(self, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _barrier_3(_barrier):
    aligned: _barrier_2
    def __call__(self, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _barrier_4(_barrier):
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _barrier_5(_barrier):
    u32: _barrier_4

class _barrier_6(_barrier):
    aligned: _barrier_5
    u32: _barrier_4

class _barrier_7(_barrier):
    pred: _barrier_4

class _barrier_8(_barrier):
    aligned: _barrier_7
    pred: _barrier_4

class _barrier_9(_barrier):
    and_: _barrier_8
    or_: _barrier_8
    popc: _barrier_6

class _barrier_10(_barrier):
    arrive: _barrier_3
    red: _barrier_9
    sync: _barrier_1

class _barrier_11(_barrier):
    def __call__(self, *, pred: Any = None) -> Any: ...

class _barrier_12(_barrier):
    aligned: _barrier_11
    def __call__(self, *, pred: Any = None) -> Any: ...

class _barrier_13(_barrier):
    aligned: _barrier_11
    relaxed: _barrier_12
    release: _barrier_12
    def __call__(self, *, pred: Any = None) -> Any: ...

class _barrier_14(_barrier):
    acquire: _barrier_12
    aligned: _barrier_11
    def __call__(self, *, pred: Any = None) -> Any: ...

class _barrier_15(_barrier):
    arrive: _barrier_13
    wait: _barrier_14

class _barrier_16(_barrier):
    arrive: _barrier_3
    cluster: _barrier_15
    cta: _barrier_10
    red: _barrier_9
    sync: _barrier_1

_bfe_word: TypeAlias = Literal["s32", "s64", "u32", "u64"]

class _bfe:
    """PTX ISA 9.0, 9.7.1

    bfe.<t>
    """

    def __getattr__(self, name: _bfe_word, /) -> _bfe_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _bfe_any(_bfe):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _bfe_0(_bfe):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _bfe_1(_bfe):
    s32: _bfe_0
    s64: _bfe_0
    u32: _bfe_0
    u64: _bfe_0

_bfi_word: TypeAlias = Literal["b32", "b64"]

class _bfi:
    """PTX ISA 9.0, 9.7.1

    bfi.<t>
    """

    def __getattr__(self, name: _bfi_word, /) -> _bfi_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _bfi_any(_bfi):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _bfi_0(_bfi):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...

class _bfi_1(_bfi):
    b32: _bfi_0
    b64: _bfi_0

_bfind_word: TypeAlias = Literal["s32", "s64", "shiftamt", "u32", "u64"]

class _bfind:
    """PTX ISA 9.0, 9.7.1

    bfind{.shiftamt}.<t>
    """

    def __getattr__(self, name: _bfind_word, /) -> _bfind_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _bfind_any(_bfind):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _bfind_0(_bfind):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _bfind_1(_bfind):
    s32: _bfind_0
    s64: _bfind_0
    u32: _bfind_0
    u64: _bfind_0

class _bfind_2(_bfind):
    s32: _bfind_0
    s64: _bfind_0
    shiftamt: _bfind_1
    u32: _bfind_0
    u64: _bfind_0

_bmsk_word: TypeAlias = Literal["b32", "clamp", "wrap"]

class _bmsk:
    """PTX ISA 9.0, 9.7.1

    bmsk.<mode>.b32
    """

    def __getattr__(self, name: _bmsk_word, /) -> _bmsk_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _bmsk_any(_bmsk):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _bmsk_0(_bmsk):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _bmsk_1(_bmsk):
    b32: _bmsk_0

class _bmsk_2(_bmsk):
    clamp: _bmsk_1
    wrap: _bmsk_1

_bra_word: TypeAlias = Literal["uni"]

class _bra:
    """PTX ISA 9.0, 9.7.12

    bra{.uni}
    """

    def __getattr__(self, name: _bra_word, /) -> _bra_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _bra_any(_bra):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _bra_0(_bra):
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

class _bra_1(_bra):
    uni: _bra_0
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

_brev_word: TypeAlias = Literal["b32", "b64"]

class _brev:
    """PTX ISA 9.0, 9.7.1

    brev.<t>
    """

    def __getattr__(self, name: _brev_word, /) -> _brev_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _brev_any(_brev):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _brev_0(_brev):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _brev_1(_brev):
    b32: _brev_0
    b64: _brev_0

class _brkpt:
    """PTX ISA 9.0, 9.7.20

    brkpt
    """

    def __getitem__(self, name: str, /) -> InstructionName: ...

class _brkpt_0(_brkpt):
    def __call__(self, *, pred: Any = None) -> Any: ...

_brx_word: TypeAlias = Literal["idx", "uni"]

class _brx:
    """PTX ISA 9.0, 9.7.12

    brx.idx{.uni}
    """

    def __getattr__(self, name: _brx_word, /) -> _brx_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _brx_any(_brx):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _brx_0(_brx):
    def __call__(self, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _brx_1(_brx):
    uni: _brx_0
    def __call__(self, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _brx_2(_brx):
    idx: _brx_1

_call_word: TypeAlias = Literal["uni"]

class _call:
    """PTX ISA 9.0, 9.7.12

    call{.uni}
    """

    def __getattr__(self, name: _call_word, /) -> _call_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _call_any(_call):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _call_0(_call):
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

class _call_1(_call):
    uni: _call_0
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

_clusterlaunchcontrol_word: TypeAlias = Literal[
    "async_", "b128", "b32", "get_first_ctaid", "get_first_ctaid__x", "get_first_ctaid__y", "get_first_ctaid__z",
    "is_canceled", "mbarrier__complete_tx__bytes", "multicast__cluster__all", "pred", "query_cancel", "shared__cta",
    "try_cancel", "v4"
]

class _clusterlaunchcontrol:
    """PTX ISA 9.0, 9.7.13

    clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128
    clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128
    clusterlaunchcontrol.query_cancel.<dim>.b32.b128
    """

    def __getattr__(self, name: _clusterlaunchcontrol_word, /) -> _clusterlaunchcontrol_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _clusterlaunchcontrol_any(_clusterlaunchcontrol):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _clusterlaunchcontrol_0(_clusterlaunchcontrol):
    def __call__(self, address: Node, a: Node, /, *, pred: Any = None) -> Any: ...

class _clusterlaunchcontrol_1(_clusterlaunchcontrol):
    b128: _clusterlaunchcontrol_0

class _clusterlaunchcontrol_2(_clusterlaunchcontrol):
    b128: _clusterlaunchcontrol_0
    multicast__cluster__all: _clusterlaunchcontrol_1

class _clusterlaunchcontrol_3(_clusterlaunchcontrol):
    mbarrier__complete_tx__bytes: _clusterlaunchcontrol_2

class _clusterlaunchcontrol_4(_clusterlaunchcontrol):
    mbarrier__complete_tx__bytes: _clusterlaunchcontrol_2
    shared__cta: _clusterlaunchcontrol_3

class _clusterlaunchcontrol_5(_clusterlaunchcontrol):
    async_: _clusterlaunchcontrol_4

class _clusterlaunchcontrol_6(_clusterlaunchcontrol):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _clusterlaunchcontrol_7(_clusterlaunchcontrol):
    b128: _clusterlaunchcontrol_6

class _clusterlaunchcontrol_8(_clusterlaunchcontrol):
    pred: _clusterlaunchcontrol_7

class _clusterlaunchcontrol_9(_clusterlaunchcontrol):
    b32: _clusterlaunchcontrol_7

class _clusterlaunchcontrol_10(_clusterlaunchcontrol):
    v4: _clusterlaunchcontrol_9

class _clusterlaunchcontrol_11(_clusterlaunchcontrol):
    get_first_ctaid: _clusterlaunchcontrol_10
    get_first_ctaid__x: _clusterlaunchcontrol_9
    get_first_ctaid__y: _clusterlaunchcontrol_9
    get_first_ctaid__z: _clusterlaunchcontrol_9
    is_canceled: _clusterlaunchcontrol_8

class _clusterlaunchcontrol_12(_clusterlaunchcontrol):
    query_cancel: _clusterlaunchcontrol_11
    try_cancel: _clusterlaunchcontrol_5

_clz_word: TypeAlias = Literal["b32", "b64"]

class _clz:
    """PTX ISA 9.0, 9.7.1

    clz.<t>
    """

    def __getattr__(self, name: _clz_word, /) -> _clz_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _clz_any(_clz):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _clz_0(_clz):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _clz_1(_clz):
    b32: _clz_0
    b64: _clz_0

_cnot_word: TypeAlias = Literal["b16", "b32", "b64"]

class _cnot:
    """PTX ISA 9.0, 9.7.8

    cnot.<t>
    """

    def __getattr__(self, name: _cnot_word, /) -> _cnot_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _cnot_any(_cnot):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _cnot_0(_cnot):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _cnot_1(_cnot):
    b16: _cnot_0
    b32: _cnot_0
    b64: _cnot_0

_copysign_word: TypeAlias = Literal["f32", "f64"]

class _copysign:
    """PTX ISA 9.0, 9.7.3

    copysign.<t>
    """

    def __getattr__(self, name: _copysign_word, /) -> _copysign_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _copysign_any(_copysign):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _copysign_0(_copysign):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _copysign_1(_copysign):
    f32: _copysign_0
    f64: _copysign_0

_cos_word: TypeAlias = Literal["approx", "f32", "ftz"]

class _cos:
    """PTX ISA 9.0, 9.7.3

    cos.approx{.ftz}.f32
    """

    def __getattr__(self, name: _cos_word, /) -> _cos_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _cos_any(_cos):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _cos_0(_cos):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _cos_1(_cos):
    f32: _cos_0

class _cos_2(_cos):
    f32: _cos_0
    ftz: _cos_1

class _cos_3(_cos):
    approx: _cos_2

_cp_word: TypeAlias = Literal[
    "_1d", "_2d", "_3d", "_4d", "_5d", "L2", "L2__128B", "L2__256B", "L2__64B", "L2__cache_hint", "add", "and_",
    "arrive", "async_", "b32", "b64", "bf16", "bulk", "bulk_group", "ca", "cg", "commit_group", "cp_mask",
    "cta_group__1", "cta_group__2", "dec", "f16", "f32", "f64", "global_", "im2col", "im2col__w", "im2col__w__128",
    "im2col_no_offs", "inc", "max", "mbarrier", "mbarrier__complete_tx__bytes", "min", "multicast__cluster",
    "noftz", "noinc", "or_", "prefetch", "read", "reduce", "s32", "s64", "shared", "shared__cluster", "shared__cta",
    "tensor", "tile", "tile__gather4", "tile__scatter4", "u32", "u64", "wait_all", "wait_group", "xor"
]

class _cp:
    """PTX ISA 9.0, 9.7.9.25

    cp.async.ca.shared.global{.L2::cache_hint}{.<prefetch>}
    cp.async.cg.shared.global{.L2::cache_hint}{.<prefetch>}
    cp.async.ca.shared::cta.global{.L2::cache_hint}{.<prefetch>}
    cp.async.cg.shared::cta.global{.L2::cache_hint}{.<prefetch>}
    cp.async.commit_group
    cp.async.wait_group
    cp.async.wait_all
    cp.async.mbarrier.arrive{.noinc}{.<space>}.b64
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint}
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}{.L2::cache_hint}
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
    cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}
    cp.async.bulk.prefetch.L2.global{.L2::cache_hint}
    cp.async.bulk.commit_group
    cp.async.bulk.wait_group{.read}
    cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.<op>.<t>
    cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.<op>.<t>
    cp.async.bulk.tensor.1d.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.2d.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.3d.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.3d.shared::cluster.global.<mode>.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.4d.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.4d.shared::cluster.global.<mode>.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.5d.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.5d.shared::cluster.global.<mode>.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes{.multicast::cluster}{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.1d.shared::cta.global{.tile}.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.2d.shared::cta.global{.tile}.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.3d.shared::cta.global{.tile}.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.3d.shared::cta.global.<mode>.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.4d.shared::cta.global{.tile}.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.4d.shared::cta.global.<mode>.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.5d.shared::cta.global{.tile}.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.5d.shared::cta.global.<mode>.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes{.<group>}{.L2::cache_hint}
    cp.async.bulk.tensor.1d.global.shared::cta{.tile}.bulk_group{.L2::cache_hint}
    cp.reduce.async.bulk.tensor.1d.global.shared::cta.<op>{.tile}.bulk_group{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.1d.L2.global{.tile}{.L2::cache_hint}
    cp.async.bulk.tensor.2d.global.shared::cta{.tile}.bulk_group{.L2::cache_hint}
    cp.reduce.async.bulk.tensor.2d.global.shared::cta.<op>{.tile}.bulk_group{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.2d.L2.global{.tile}{.L2::cache_hint}
    cp.async.bulk.tensor.3d.global.shared::cta{.tile}.bulk_group{.L2::cache_hint}
    cp.reduce.async.bulk.tensor.3d.global.shared::cta.<op>{.tile}.bulk_group{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.3d.L2.global{.tile}{.L2::cache_hint}
    cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group{.L2::cache_hint}
    cp.reduce.async.bulk.tensor.3d.global.shared::cta.<op>.im2col_no_offs.bulk_group{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.3d.L2.global.im2col{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.3d.L2.global.<mode>{.L2::cache_hint}
    cp.async.bulk.tensor.4d.global.shared::cta{.tile}.bulk_group{.L2::cache_hint}
    cp.reduce.async.bulk.tensor.4d.global.shared::cta.<op>{.tile}.bulk_group{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.4d.L2.global{.tile}{.L2::cache_hint}
    cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group{.L2::cache_hint}
    cp.reduce.async.bulk.tensor.4d.global.shared::cta.<op>.im2col_no_offs.bulk_group{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.4d.L2.global.im2col{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.4d.L2.global.<mode>{.L2::cache_hint}
    cp.async.bulk.tensor.5d.global.shared::cta{.tile}.bulk_group{.L2::cache_hint}
    cp.reduce.async.bulk.tensor.5d.global.shared::cta.<op>{.tile}.bulk_group{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.5d.L2.global{.tile}{.L2::cache_hint}
    cp.async.bulk.tensor.5d.global.shared::cta.im2col_no_offs.bulk_group{.L2::cache_hint}
    cp.reduce.async.bulk.tensor.5d.global.shared::cta.<op>.im2col_no_offs.bulk_group{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.5d.L2.global.im2col{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.5d.L2.global.<mode>{.L2::cache_hint}
    cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group{.L2::cache_hint}
    cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4{.L2::cache_hint}
    """

    def __getattr__(self, name: _cp_word, /) -> _cp_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _cp_any(_cp):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _cp_0(_cp):
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_1(_cp):
    L2__128B: _cp_0
    L2__256B: _cp_0
    L2__64B: _cp_0
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_2(_cp):
    @overload
    def __call__(self, address: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_3(_cp):
    L2__128B: _cp_2
    L2__256B: _cp_2
    L2__64B: _cp_2
    L2__cache_hint: _cp_1
    @overload
    def __call__(self, address: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_4(_cp):
    global_: _cp_3

class _cp_5(_cp):
    shared: _cp_4
    shared__cta: _cp_4

class _cp_6(_cp):
    def __call__(self, *, pred: Any = None) -> Any: ...

class _cp_7(_cp):
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_8(_cp):
    def __call__(self, address: Node, /, *, pred: Any = None) -> Any: ...

class _cp_9(_cp):
    b64: _cp_8

class _cp_10(_cp):
    b64: _cp_8
    shared: _cp_9
    shared__cta: _cp_9

class _cp_11(_cp):
    b64: _cp_8
    noinc: _cp_10
    shared: _cp_9
    shared__cta: _cp_9

class _cp_12(_cp):
    arrive: _cp_11

class _cp_13(_cp):
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_14(_cp):
    L2__cache_hint: _cp_13
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, /, *, pred: Any = None) -> Any: ...

class _cp_15(_cp):
    mbarrier__complete_tx__bytes: _cp_14

class _cp_16(_cp):
    global_: _cp_15

class _cp_17(_cp):
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_18(_cp):
    L2__cache_hint: _cp_17
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_19(_cp):
    L2__cache_hint: _cp_13
    multicast__cluster: _cp_18
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, /, *, pred: Any = None) -> Any: ...

class _cp_20(_cp):
    mbarrier__complete_tx__bytes: _cp_19

class _cp_21(_cp):
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, /, *, pred: Any = None) -> Any: ...

class _cp_22(_cp):
    mbarrier__complete_tx__bytes: _cp_21

class _cp_23(_cp):
    global_: _cp_20
    shared__cta: _cp_22

class _cp_24(_cp):
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_25(_cp):
    cp_mask: _cp_24
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_26(_cp):
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_27(_cp):
    L2__cache_hint: _cp_25
    cp_mask: _cp_26
    def __call__(self, address: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_28(_cp):
    bulk_group: _cp_27

class _cp_29(_cp):
    shared__cta: _cp_28

class _cp_30(_cp):
    def __call__(
        self, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_31(_cp):
    L2__cache_hint: _cp_30
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_32(_cp):
    global_: _cp_31

class _cp_33(_cp):
    def __call__(self, tensor: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_34(_cp):
    L2__cache_hint: _cp_33
    def __call__(self, tensor: Node, /, *, pred: Any = None) -> Any: ...

class _cp_35(_cp):
    L2__cache_hint: _cp_33
    tile: _cp_34
    def __call__(self, tensor: Node, /, *, pred: Any = None) -> Any: ...

class _cp_36(_cp):
    global_: _cp_35

class _cp_37(_cp):
    L2: _cp_36

class _cp_38(_cp):
    L2__cache_hint: _cp_33
    tile: _cp_34
    tile__gather4: _cp_34
    def __call__(self, tensor: Node, /, *, pred: Any = None) -> Any: ...

class _cp_39(_cp):
    global_: _cp_38

class _cp_40(_cp):
    L2: _cp_39

class _cp_41(_cp):
    def __call__(self, tensor: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_42(_cp):
    L2__cache_hint: _cp_41
    def __call__(self, tensor: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_43(_cp):
    L2__cache_hint: _cp_33
    im2col: _cp_42
    im2col__w: _cp_42
    im2col__w__128: _cp_42
    tile: _cp_34
    def __call__(self, tensor: Node, /, *, pred: Any = None) -> Any: ...

class _cp_44(_cp):
    global_: _cp_43

class _cp_45(_cp):
    L2: _cp_44

class _cp_46(_cp):
    @overload
    def __getattr__(self, name: Literal["_1d"], /) -> _cp_37: ...
    @overload
    def __getattr__(self, name: Literal["_2d"], /) -> _cp_40: ...
    @overload
    def __getattr__(self, name: Literal["_3d", "_4d", "_5d"], /) -> _cp_45: ...
    @overload
    def __getattr__(self, name: _cp_word, /) -> _cp_any: ...

class _cp_47(_cp):
    L2: _cp_32
    tensor: _cp_46

class _cp_48(_cp):
    read: _cp_7
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_49(_cp):
    def __call__(
        self, address: Node, tensor: Node, a: Node, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_50(_cp):
    L2__cache_hint: _cp_49
    def __call__(
        self, address: Node, tensor: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_51(_cp):
    L2__cache_hint: _cp_49
    cta_group__1: _cp_50
    cta_group__2: _cp_50
    def __call__(
        self, address: Node, tensor: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_52(_cp):
    def __call__(
        self, address: Node, tensor: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_53(_cp):
    L2__cache_hint: _cp_52
    def __call__(self, address: Node, tensor: Node, a: Node, /, *, pred: Any = None) -> Any: ...

class _cp_54(_cp):
    L2__cache_hint: _cp_52
    cta_group__1: _cp_53
    cta_group__2: _cp_53
    multicast__cluster: _cp_51
    def __call__(self, address: Node, tensor: Node, a: Node, /, *, pred: Any = None) -> Any: ...

class _cp_55(_cp):
    mbarrier__complete_tx__bytes: _cp_54

class _cp_56(_cp):
    mbarrier__complete_tx__bytes: _cp_54
    tile: _cp_55

class _cp_57(_cp):
    global_: _cp_56

class _cp_58(_cp):
    L2__cache_hint: _cp_52
    cta_group__1: _cp_53
    cta_group__2: _cp_53
    def __call__(self, address: Node, tensor: Node, a: Node, /, *, pred: Any = None) -> Any: ...

class _cp_59(_cp):
    mbarrier__complete_tx__bytes: _cp_58

class _cp_60(_cp):
    mbarrier__complete_tx__bytes: _cp_58
    tile: _cp_59

class _cp_61(_cp):
    global_: _cp_60

class _cp_62(_cp):
    def __call__(
        self, tensor: Node, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_63(_cp):
    L2__cache_hint: _cp_62
    def __call__(self, tensor: Node, address: Node, /, *, pred: Any = None) -> Any: ...

class _cp_64(_cp):
    bulk_group: _cp_63

class _cp_65(_cp):
    bulk_group: _cp_63
    tile: _cp_64

class _cp_66(_cp):
    shared__cta: _cp_65

class _cp_67(_cp):
    global_: _cp_66
    shared__cluster: _cp_57
    shared__cta: _cp_61

class _cp_68(_cp):
    mbarrier__complete_tx__bytes: _cp_54
    tile: _cp_55
    tile__gather4: _cp_55

class _cp_69(_cp):
    global_: _cp_68

class _cp_70(_cp):
    mbarrier__complete_tx__bytes: _cp_58
    tile: _cp_59
    tile__gather4: _cp_59

class _cp_71(_cp):
    global_: _cp_70

class _cp_72(_cp):
    bulk_group: _cp_63
    tile: _cp_64
    tile__scatter4: _cp_64

class _cp_73(_cp):
    shared__cta: _cp_72

class _cp_74(_cp):
    global_: _cp_73
    shared__cluster: _cp_69
    shared__cta: _cp_71

class _cp_75(_cp):
    def __call__(
        self, address: Node, tensor: Node, a: Node, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_76(_cp):
    L2__cache_hint: _cp_75
    def __call__(
        self, address: Node, tensor: Node, a: Node, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_77(_cp):
    L2__cache_hint: _cp_75
    cta_group__1: _cp_76
    cta_group__2: _cp_76
    def __call__(
        self, address: Node, tensor: Node, a: Node, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_78(_cp):
    L2__cache_hint: _cp_49
    cta_group__1: _cp_50
    cta_group__2: _cp_50
    multicast__cluster: _cp_77
    def __call__(
        self, address: Node, tensor: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_79(_cp):
    mbarrier__complete_tx__bytes: _cp_78

class _cp_80(_cp):
    im2col: _cp_79
    im2col__w: _cp_79
    im2col__w__128: _cp_79
    mbarrier__complete_tx__bytes: _cp_54
    tile: _cp_55

class _cp_81(_cp):
    global_: _cp_80

class _cp_82(_cp):
    mbarrier__complete_tx__bytes: _cp_51

class _cp_83(_cp):
    im2col: _cp_82
    im2col__w: _cp_82
    im2col__w__128: _cp_82
    mbarrier__complete_tx__bytes: _cp_58
    tile: _cp_59

class _cp_84(_cp):
    global_: _cp_83

class _cp_85(_cp):
    bulk_group: _cp_63
    im2col_no_offs: _cp_64
    tile: _cp_64

class _cp_86(_cp):
    shared__cta: _cp_85

class _cp_87(_cp):
    global_: _cp_86
    shared__cluster: _cp_81
    shared__cta: _cp_84

class _cp_88(_cp):
    @overload
    def __getattr__(self, name: Literal["_1d"], /) -> _cp_67: ...
    @overload
    def __getattr__(self, name: Literal["_2d"], /) -> _cp_74: ...
    @overload
    def __getattr__(self, name: Literal["_3d", "_4d", "_5d"], /) -> _cp_87: ...
    @overload
    def __getattr__(self, name: _cp_word, /) -> _cp_any: ...

class _cp_89(_cp):
    commit_group: _cp_6
    global_: _cp_29
    prefetch: _cp_47
    shared__cluster: _cp_23
    shared__cta: _cp_16
    tensor: _cp_88
    wait_group: _cp_48

class _cp_90(_cp):
    bulk: _cp_89
    ca: _cp_5
    cg: _cp_5
    commit_group: _cp_6
    mbarrier: _cp_12
    wait_all: _cp_6
    wait_group: _cp_7

class _cp_91(_cp):
    b32: _cp_21

class _cp_92(_cp):
    s32: _cp_21
    u32: _cp_21
    u64: _cp_21

class _cp_93(_cp):
    u32: _cp_21

class _cp_94(_cp):
    s32: _cp_21
    u32: _cp_21

class _cp_95(_cp):
    add: _cp_92
    and_: _cp_91
    dec: _cp_93
    inc: _cp_93
    max: _cp_94
    min: _cp_94
    or_: _cp_91
    xor: _cp_91

class _cp_96(_cp):
    mbarrier__complete_tx__bytes: _cp_95

class _cp_97(_cp):
    shared__cta: _cp_96

class _cp_98(_cp):
    b32: _cp_26
    b64: _cp_26

class _cp_99(_cp):
    bf16: _cp_26
    f16: _cp_26

class _cp_100(_cp):
    f32: _cp_26
    f64: _cp_26
    noftz: _cp_99
    s32: _cp_26
    u32: _cp_26
    u64: _cp_26

class _cp_101(_cp):
    u32: _cp_26

class _cp_102(_cp):
    bf16: _cp_26
    f16: _cp_26
    s32: _cp_26
    s64: _cp_26
    u32: _cp_26
    u64: _cp_26

class _cp_103(_cp):
    add: _cp_100
    and_: _cp_98
    dec: _cp_101
    inc: _cp_101
    max: _cp_102
    min: _cp_102
    or_: _cp_98
    xor: _cp_98

class _cp_104(_cp):
    def __call__(self, address: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...

class _cp_105(_cp):
    b32: _cp_104
    b64: _cp_104

class _cp_106(_cp):
    bf16: _cp_104
    f16: _cp_104

class _cp_107(_cp):
    f32: _cp_104
    f64: _cp_104
    noftz: _cp_106
    s32: _cp_104
    u32: _cp_104
    u64: _cp_104

class _cp_108(_cp):
    u32: _cp_104

class _cp_109(_cp):
    bf16: _cp_104
    f16: _cp_104
    s32: _cp_104
    s64: _cp_104
    u32: _cp_104
    u64: _cp_104

class _cp_110(_cp):
    L2__cache_hint: _cp_103
    add: _cp_107
    and_: _cp_105
    dec: _cp_108
    inc: _cp_108
    max: _cp_109
    min: _cp_109
    or_: _cp_105
    xor: _cp_105

class _cp_111(_cp):
    bulk_group: _cp_110

class _cp_112(_cp):
    shared__cta: _cp_111

class _cp_113(_cp):
    add: _cp_65
    and_: _cp_65
    dec: _cp_65
    inc: _cp_65
    max: _cp_65
    min: _cp_65
    or_: _cp_65
    xor: _cp_65

class _cp_114(_cp):
    shared__cta: _cp_113

class _cp_115(_cp):
    global_: _cp_114

class _cp_116(_cp):
    add: _cp_85
    and_: _cp_85
    dec: _cp_85
    inc: _cp_85
    max: _cp_85
    min: _cp_85
    or_: _cp_85
    xor: _cp_85

class _cp_117(_cp):
    shared__cta: _cp_116

class _cp_118(_cp):
    global_: _cp_117

class _cp_119(_cp):
    @overload
    def __getattr__(self, name: Literal["_1d", "_2d"], /) -> _cp_115: ...
    @overload
    def __getattr__(self, name: Literal["_3d", "_4d", "_5d"], /) -> _cp_118: ...
    @overload
    def __getattr__(self, name: _cp_word, /) -> _cp_any: ...

class _cp_120(_cp):
    global_: _cp_112
    shared__cluster: _cp_97
    tensor: _cp_119

class _cp_121(_cp):
    bulk: _cp_120

class _cp_122(_cp):
    async_: _cp_121

class _cp_123(_cp):
    async_: _cp_90
    reduce: _cp_122

_createpolicy_word: TypeAlias = Literal[
    "L2", "L2__evict_first", "L2__evict_last", "L2__evict_normal", "L2__evict_unchanged", "b64", "cvt",
    "fractional", "global_", "range"
]

class _createpolicy:
    """PTX ISA 9.0, 9.7.9

    createpolicy.range{.global}.<first>{.<second>}.b64
    createpolicy.fractional.<first>{.<second>}.b64
    createpolicy.cvt.L2.b64
    """

    def __getattr__(self, name: _createpolicy_word, /) -> _createpolicy_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _createpolicy_any(_createpolicy):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _createpolicy_0(_createpolicy):
    def __call__(
        self, d: Place, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _createpolicy_1(_createpolicy):
    b64: _createpolicy_0

class _createpolicy_2(_createpolicy):
    L2__evict_first: _createpolicy_1
    L2__evict_unchanged: _createpolicy_1
    b64: _createpolicy_0

class _createpolicy_3(_createpolicy):
    L2__evict_first: _createpolicy_2
    L2__evict_last: _createpolicy_2
    L2__evict_normal: _createpolicy_2
    L2__evict_unchanged: _createpolicy_2

class _createpolicy_4(_createpolicy):
    L2__evict_first: _createpolicy_2
    L2__evict_last: _createpolicy_2
    L2__evict_normal: _createpolicy_2
    L2__evict_unchanged: _createpolicy_2
    global_: _createpolicy_3

class _createpolicy_5(_createpolicy):
    @overload
    def __call__(self, d: Place, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _createpolicy_6(_createpolicy):
    b64: _createpolicy_5

class _createpolicy_7(_createpolicy):
    L2__evict_first: _createpolicy_6
    L2__evict_unchanged: _createpolicy_6
    b64: _createpolicy_5

class _createpolicy_8(_createpolicy):
    L2__evict_first: _createpolicy_7
    L2__evict_last: _createpolicy_7
    L2__evict_normal: _createpolicy_7
    L2__evict_unchanged: _createpolicy_7

class _createpolicy_9(_createpolicy):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _createpolicy_10(_createpolicy):
    b64: _createpolicy_9

class _createpolicy_11(_createpolicy):
    L2: _createpolicy_10

class _createpolicy_12(_createpolicy):
    cvt: _createpolicy_11
    fractional: _createpolicy_8
    range: _createpolicy_4

_cvt_word: TypeAlias = Literal[
    "b32", "bf16", "bf16x2", "e2m1x2", "e2m1x4", "e2m3x2", "e2m3x4", "e3m2x2", "e3m2x4", "e4m3x2", "e4m3x4",
    "e5m2x2", "e5m2x4", "f16", "f16x2", "f32", "f64", "ftz", "pack", "relu", "rm", "rmi", "rn", "rna", "rni", "rp",
    "rpi", "rs", "rz", "rzi", "s16", "s2", "s32", "s4", "s64", "s8", "sat", "satfinite", "tf32", "u16", "u2", "u32",
    "u4", "u64", "u8", "ue8m0x2"
]

class _cvt:
    """PTX ISA 9.0, 9.7.9

    cvt{.<rnd>}{.ftz}{.sat}.<d>.<a>
    cvt.f32.bf16
    cvt.ftz.f32.bf16
    cvt.<rnd>{.ftz}.bf16.f32
    cvt.<rnd>.<d>.bf16
    cvt.<rnd>.bf16.<a>
    cvt{.<rnd>}.<d>.bf16
    cvt{.<rnd>}.bf16.<a>
    cvt.<rnd>{.relu}{.satfinite}.<d>.f32
    cvt.<rnd>.satfinite.f16.f32
    cvt.rs{.relu}{.satfinite}.<d>.f32
    cvt.rna{.satfinite}.tf32.f32
    cvt.<rnd>{.satfinite}{.relu}.tf32.f32
    cvt.rn.satfinite{.relu}.<d>.f32
    cvt.rn{.relu}.f16x2.<a>
    cvt.rn.satfinite{.relu}.<d>.f16x2
    cvt.rs{.relu}.satfinite.<d>.f32
    cvt.<rnd>{.satfinite}.ue8m0x2.f32
    cvt.<rnd>{.satfinite}.ue8m0x2.bf16x2
    cvt.rn.bf16x2.ue8m0x2
    cvt.pack.sat.<d>.s32
    cvt.pack.sat.<d>.s32.b32
    """

    def __getattr__(self, name: _cvt_word, /) -> _cvt_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _cvt_any(_cvt):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _cvt_0(_cvt):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _cvt_1(_cvt):
    f16: _cvt_0
    f32: _cvt_0
    f64: _cvt_0
    s16: _cvt_0
    s32: _cvt_0
    s64: _cvt_0
    s8: _cvt_0
    u16: _cvt_0
    u32: _cvt_0
    u64: _cvt_0
    u8: _cvt_0

class _cvt_2(_cvt):
    f16: _cvt_1
    f32: _cvt_1
    f64: _cvt_1
    s16: _cvt_1
    s32: _cvt_1
    s64: _cvt_1
    s8: _cvt_1
    u16: _cvt_1
    u32: _cvt_1
    u64: _cvt_1
    u8: _cvt_1

class _cvt_3(_cvt):
    f16: _cvt_1
    f32: _cvt_1
    f64: _cvt_1
    s16: _cvt_1
    s32: _cvt_1
    s64: _cvt_1
    s8: _cvt_1
    sat: _cvt_2
    u16: _cvt_1
    u32: _cvt_1
    u64: _cvt_1
    u8: _cvt_1

class _cvt_4(_cvt):
    bf16: _cvt_0
    f16: _cvt_0
    f32: _cvt_0
    f64: _cvt_0
    s16: _cvt_0
    s32: _cvt_0
    s64: _cvt_0
    s8: _cvt_0
    u16: _cvt_0
    u32: _cvt_0
    u64: _cvt_0
    u8: _cvt_0

class _cvt_5(_cvt):
    bf16: _cvt_0
    f16: _cvt_0
    f64: _cvt_0
    s16: _cvt_0
    s32: _cvt_0
    s64: _cvt_0
    u16: _cvt_0
    u32: _cvt_0
    u64: _cvt_0

class _cvt_6(_cvt):
    bf16: _cvt_5
    f16: _cvt_4
    f32: _cvt_4
    f64: _cvt_4
    ftz: _cvt_3
    s16: _cvt_4
    s32: _cvt_4
    s64: _cvt_4
    s8: _cvt_4
    sat: _cvt_2
    u16: _cvt_4
    u32: _cvt_4
    u64: _cvt_4
    u8: _cvt_4

class _cvt_7(_cvt):
    f32: _cvt_0

class _cvt_8(_cvt):
    bf16: _cvt_7
    f16: _cvt_1
    f32: _cvt_1
    f64: _cvt_1
    s16: _cvt_1
    s32: _cvt_1
    s64: _cvt_1
    s8: _cvt_1
    sat: _cvt_2
    u16: _cvt_1
    u32: _cvt_1
    u64: _cvt_1
    u8: _cvt_1

class _cvt_9(_cvt):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _cvt_10(_cvt):
    f32: _cvt_9

class _cvt_11(_cvt):
    bf16: _cvt_7
    bf16x2: _cvt_10
    f16: _cvt_7
    f16x2: _cvt_10

class _cvt_12(_cvt):
    e2m1x2: _cvt_0
    e2m3x2: _cvt_0
    e3m2x2: _cvt_0
    e4m3x2: _cvt_0
    e5m2x2: _cvt_0
    f32: _cvt_9

class _cvt_13(_cvt):
    bf16: _cvt_7
    bf16x2: _cvt_10
    f16: _cvt_7
    f16x2: _cvt_12
    satfinite: _cvt_11
    tf32: _cvt_7

class _cvt_14(_cvt):
    f16x2: _cvt_0
    f32: _cvt_9

class _cvt_15(_cvt):
    e2m1x2: _cvt_10
    e2m3x2: _cvt_10
    e3m2x2: _cvt_10
    e4m3x2: _cvt_14
    e5m2x2: _cvt_14
    tf32: _cvt_7

class _cvt_16(_cvt):
    bf16: _cvt_7
    bf16x2: _cvt_10
    e2m1x2: _cvt_10
    e2m3x2: _cvt_10
    e3m2x2: _cvt_10
    e4m3x2: _cvt_14
    e5m2x2: _cvt_14
    f16: _cvt_7
    f16x2: _cvt_10
    relu: _cvt_15
    tf32: _cvt_7

class _cvt_17(_cvt):
    f32: _cvt_9
    ue8m0x2: _cvt_0

class _cvt_18(_cvt):
    bf16: _cvt_4
    bf16x2: _cvt_17
    f16: _cvt_4
    f16x2: _cvt_12
    f32: _cvt_4
    f64: _cvt_4
    ftz: _cvt_8
    relu: _cvt_13
    s16: _cvt_4
    s32: _cvt_4
    s64: _cvt_4
    s8: _cvt_1
    sat: _cvt_2
    satfinite: _cvt_16
    tf32: _cvt_7
    u16: _cvt_4
    u32: _cvt_4
    u64: _cvt_4
    u8: _cvt_1

class _cvt_19(_cvt):
    bf16: _cvt_7
    bf16x2: _cvt_10
    f16: _cvt_7
    f16x2: _cvt_10
    satfinite: _cvt_11
    tf32: _cvt_7

class _cvt_20(_cvt):
    tf32: _cvt_7

class _cvt_21(_cvt):
    bf16x2: _cvt_0
    f32: _cvt_9

class _cvt_22(_cvt):
    bf16: _cvt_7
    bf16x2: _cvt_10
    f16: _cvt_7
    f16x2: _cvt_10
    relu: _cvt_20
    tf32: _cvt_7
    ue8m0x2: _cvt_21

class _cvt_23(_cvt):
    bf16: _cvt_4
    bf16x2: _cvt_10
    f16: _cvt_4
    f16x2: _cvt_10
    f32: _cvt_4
    f64: _cvt_4
    ftz: _cvt_8
    relu: _cvt_19
    s16: _cvt_4
    s32: _cvt_4
    s64: _cvt_4
    s8: _cvt_1
    sat: _cvt_2
    satfinite: _cvt_22
    tf32: _cvt_7
    u16: _cvt_4
    u32: _cvt_4
    u64: _cvt_4
    u8: _cvt_1
    ue8m0x2: _cvt_21

class _cvt_24(_cvt):
    bf16: _cvt_4
    f16: _cvt_4
    f32: _cvt_4
    f64: _cvt_4
    ftz: _cvt_8
    s16: _cvt_4
    s32: _cvt_4
    s64: _cvt_4
    s8: _cvt_1
    sat: _cvt_2
    u16: _cvt_4
    u32: _cvt_4
    u64: _cvt_4
    u8: _cvt_1

class _cvt_25(_cvt):
    ue8m0x2: _cvt_21

class _cvt_26(_cvt):
    bf16: _cvt_4
    f16: _cvt_4
    f32: _cvt_4
    f64: _cvt_4
    ftz: _cvt_8
    s16: _cvt_4
    s32: _cvt_4
    s64: _cvt_4
    s8: _cvt_1
    sat: _cvt_2
    satfinite: _cvt_25
    u16: _cvt_4
    u32: _cvt_4
    u64: _cvt_4
    u8: _cvt_1
    ue8m0x2: _cvt_21

class _cvt_27(_cvt):
    f16: _cvt_1
    f32: _cvt_4
    f64: _cvt_1
    s16: _cvt_1
    s32: _cvt_1
    s64: _cvt_1
    s8: _cvt_1
    sat: _cvt_2
    u16: _cvt_1
    u32: _cvt_1
    u64: _cvt_1
    u8: _cvt_1

class _cvt_28(_cvt):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _cvt_29(_cvt):
    f32: _cvt_28

class _cvt_30(_cvt):
    bf16x2: _cvt_29
    e2m1x4: _cvt_10
    e2m3x4: _cvt_10
    e3m2x4: _cvt_10
    e4m3x4: _cvt_10
    e5m2x4: _cvt_10
    f16x2: _cvt_29

class _cvt_31(_cvt):
    bf16x2: _cvt_29
    f16x2: _cvt_29
    satfinite: _cvt_30

class _cvt_32(_cvt):
    bf16x2: _cvt_29
    f16x2: _cvt_29
    relu: _cvt_31
    satfinite: _cvt_30

class _cvt_33(_cvt):
    satfinite: _cvt_20
    tf32: _cvt_7

class _cvt_34(_cvt):
    s32: _cvt_9

class _cvt_35(_cvt):
    b32: _cvt_28

class _cvt_36(_cvt):
    s32: _cvt_35

class _cvt_37(_cvt):
    s16: _cvt_34
    s2: _cvt_36
    s4: _cvt_36
    s8: _cvt_36
    u16: _cvt_34
    u2: _cvt_36
    u4: _cvt_36
    u8: _cvt_36

class _cvt_38(_cvt):
    sat: _cvt_37

class _cvt_39(_cvt):
    bf16: _cvt_5
    f16: _cvt_4
    f32: _cvt_4
    f64: _cvt_4
    ftz: _cvt_27
    pack: _cvt_38
    rm: _cvt_24
    rmi: _cvt_6
    rn: _cvt_18
    rna: _cvt_33
    rni: _cvt_6
    rp: _cvt_26
    rpi: _cvt_6
    rs: _cvt_32
    rz: _cvt_23
    rzi: _cvt_6
    s16: _cvt_4
    s32: _cvt_4
    s64: _cvt_4
    s8: _cvt_1
    sat: _cvt_2
    u16: _cvt_4
    u32: _cvt_4
    u64: _cvt_4
    u8: _cvt_1

_cvta_word: TypeAlias = Literal["const", "global_", "local", "param", "param__entry", "shared", "shared__cluster", "shared__cta", "to", "u64"]

class _cvta:
    """PTX ISA 9.0, 9.7.9

    cvta.<space>.<t>
    cvta.to.<space>.<t>
    """

    def __getattr__(self, name: _cvta_word, /) -> _cvta_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _cvta_any(_cvta):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _cvta_0(_cvta):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _cvta_1(_cvta):
    u64: _cvta_0

class _cvta_2(_cvta):
    const: _cvta_1
    global_: _cvta_1
    local: _cvta_1
    param: _cvta_1
    param__entry: _cvta_1
    shared: _cvta_1
    shared__cluster: _cvta_1
    shared__cta: _cvta_1

class _cvta_3(_cvta):
    const: _cvta_1
    global_: _cvta_1
    local: _cvta_1
    param: _cvta_1
    param__entry: _cvta_1
    shared: _cvta_1
    shared__cluster: _cvta_1
    shared__cta: _cvta_1
    to: _cvta_2

_discard_word: TypeAlias = Literal["L2", "global_"]

class _discard:
    """PTX ISA 9.0, 9.7.9

    discard{.global}.L2
    """

    def __getattr__(self, name: _discard_word, /) -> _discard_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _discard_any(_discard):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _discard_0(_discard):
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _discard_1(_discard):
    L2: _discard_0

class _discard_2(_discard):
    L2: _discard_0
    global_: _discard_1

_div_word: TypeAlias = Literal["approx", "f32", "f64", "ftz", "full", "rm", "rn", "rp", "rz", "s16", "s32", "s64", "u16", "u32", "u64"]

class _div:
    """PTX ISA 9.0, 9.7.3

    div.<how>{.ftz}.f32
    div.full{.ftz}.f32
    div.<rnd>.f64
    div.<t>
    """

    def __getattr__(self, name: _div_word, /) -> _div_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _div_any(_div):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _div_0(_div):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _div_1(_div):
    f32: _div_0

class _div_2(_div):
    f32: _div_0
    ftz: _div_1

class _div_3(_div):
    f32: _div_0
    f64: _div_0
    ftz: _div_1

class _div_4(_div):
    approx: _div_2
    full: _div_2
    rm: _div_3
    rn: _div_3
    rp: _div_3
    rz: _div_3
    s16: _div_0
    s32: _div_0
    s64: _div_0
    u16: _div_0
    u32: _div_0
    u64: _div_0

_dp2a_word: TypeAlias = Literal["hi", "lo", "s32", "u32"]

class _dp2a:
    """PTX ISA 9.0, 9.7.1

    dp2a.<half>.<a>.<b>
    """

    def __getattr__(self, name: _dp2a_word, /) -> _dp2a_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _dp2a_any(_dp2a):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _dp2a_0(_dp2a):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _dp2a_1(_dp2a):
    s32: _dp2a_0
    u32: _dp2a_0

class _dp2a_2(_dp2a):
    s32: _dp2a_1
    u32: _dp2a_1

class _dp2a_3(_dp2a):
    hi: _dp2a_2
    lo: _dp2a_2

_dp4a_word: TypeAlias = Literal["s32", "u32"]

class _dp4a:
    """PTX ISA 9.0, 9.7.1

    dp4a.<a>.<b>
    """

    def __getattr__(self, name: _dp4a_word, /) -> _dp4a_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _dp4a_any(_dp4a):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _dp4a_0(_dp4a):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _dp4a_1(_dp4a):
    s32: _dp4a_0
    u32: _dp4a_0

class _dp4a_2(_dp4a):
    s32: _dp4a_1
    u32: _dp4a_1

_elect_word: TypeAlias = Literal["sync"]

class _elect:
    """PTX ISA 9.0, 9.7.13

    elect.sync
    """

    def __getattr__(self, name: _elect_word, /) -> _elect_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _elect_any(_elect):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _elect_0(_elect):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _elect_1(_elect):
    sync: _elect_0

_ex2_word: TypeAlias = Literal["approx", "bf16", "bf16x2", "f16", "f16x2", "f32", "ftz"]

class _ex2:
    """PTX ISA 9.0, 9.7.3

    ex2.approx{.ftz}.f32
    ex2.approx.<t>
    ex2.approx.ftz.<t>
    """

    def __getattr__(self, name: _ex2_word, /) -> _ex2_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _ex2_any(_ex2):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _ex2_0(_ex2):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _ex2_1(_ex2):
    bf16: _ex2_0
    bf16x2: _ex2_0
    f32: _ex2_0

class _ex2_2(_ex2):
    f16: _ex2_0
    f16x2: _ex2_0
    f32: _ex2_0
    ftz: _ex2_1

class _ex2_3(_ex2):
    approx: _ex2_2

class _exit:
    """PTX ISA 9.0, 9.7.12

    exit
    """

    def __getitem__(self, name: str, /) -> InstructionName: ...

class _exit_0(_exit):
    def __call__(self, *, pred: Any = None) -> Any: ...

_fence_word: TypeAlias = Literal[
    "acq_rel", "acquire", "alias", "async_", "async__generic", "cluster", "cta", "global_", "gpu", "mbarrier_init",
    "proxy", "release", "sc", "shared__cluster", "shared__cta", "sync_restrict__shared__cluster",
    "sync_restrict__shared__cta", "sys", "tensormap__generic"
]

class _fence:
    """PTX ISA 9.0, 9.7.13

    fence{.<sem>}.<scope>
    fence.acquire.sync_restrict::shared::cluster.cluster
    fence.release.sync_restrict::shared::cta.cluster
    fence.mbarrier_init.release.cluster
    fence.proxy.alias
    fence.proxy.async{.<space>}
    fence.proxy.tensormap::generic.release.<scope>
    fence.proxy.tensormap::generic.acquire.<scope>
    fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster
    fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster
    """

    def __getattr__(self, name: _fence_word, /) -> _fence_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _fence_any(_fence):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _fence_0(_fence):
    def __call__(self, *, pred: Any = None) -> Any: ...

class _fence_1(_fence):
    cluster: _fence_0
    cta: _fence_0
    gpu: _fence_0
    sys: _fence_0

class _fence_2(_fence):
    cluster: _fence_0

class _fence_3(_fence):
    cluster: _fence_0
    cta: _fence_0
    gpu: _fence_0
    sync_restrict__shared__cluster: _fence_2
    sys: _fence_0

class _fence_4(_fence):
    cluster: _fence_0
    cta: _fence_0
    gpu: _fence_0
    sync_restrict__shared__cta: _fence_2
    sys: _fence_0

class _fence_5(_fence):
    release: _fence_2

class _fence_6(_fence):
    global_: _fence_0
    shared__cluster: _fence_0
    shared__cta: _fence_0
    def __call__(self, *, pred: Any = None) -> Any: ...

class _fence_7(_fence):
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _fence_8(_fence):
    cluster: _fence_7
    cta: _fence_7
    gpu: _fence_7
    sys: _fence_7

class _fence_9(_fence):
    acquire: _fence_8
    release: _fence_1

class _fence_10(_fence):
    sync_restrict__shared__cluster: _fence_2

class _fence_11(_fence):
    sync_restrict__shared__cta: _fence_2

class _fence_12(_fence):
    acquire: _fence_10
    release: _fence_11

class _fence_13(_fence):
    alias: _fence_0
    async_: _fence_6
    async__generic: _fence_12
    tensormap__generic: _fence_9

class _fence_14(_fence):
    acq_rel: _fence_1
    acquire: _fence_3
    cluster: _fence_0
    cta: _fence_0
    gpu: _fence_0
    mbarrier_init: _fence_5
    proxy: _fence_13
    release: _fence_4
    sc: _fence_1
    sys: _fence_0

_fma_word: TypeAlias = Literal["bf16", "bf16x2", "f16", "f16x2", "f32", "f32x2", "f64", "ftz", "oob", "relu", "rm", "rn", "rp", "rz", "sat"]

class _fma:
    """PTX ISA 9.0, 9.7.3

    fma.<rnd>{.ftz}{.sat}.f32
    fma.<rnd>.f64
    fma.<rnd>{.ftz}.f32x2
    fma.rn{.ftz}{.sat}.<t>
    fma.rn{.ftz}.relu.<t>
    fma.rn{.relu}.<t>
    fma.rn.oob{.relu}.<t>
    fma.<rnd>{.sat}.f32.<t>
    """

    def __getattr__(self, name: _fma_word, /) -> _fma_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _fma_any(_fma):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _fma_0(_fma):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _fma_1(_fma):
    f16: _fma_0
    f16x2: _fma_0
    f32: _fma_0

class _fma_2(_fma):
    f16: _fma_0
    f16x2: _fma_0

class _fma_3(_fma):
    f16: _fma_0
    f16x2: _fma_0
    f32: _fma_0
    f32x2: _fma_0
    relu: _fma_2
    sat: _fma_1

class _fma_4(_fma):
    bf16: _fma_0
    f16: _fma_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _fma_5(_fma):
    f16: _fma_0
    f16x2: _fma_0
    f32: _fma_4

class _fma_6(_fma):
    bf16: _fma_0
    bf16x2: _fma_0
    f16: _fma_0
    f16x2: _fma_0

class _fma_7(_fma):
    bf16: _fma_0
    bf16x2: _fma_0
    f16: _fma_0
    f16x2: _fma_0
    relu: _fma_6

class _fma_8(_fma):
    bf16: _fma_0
    bf16x2: _fma_0
    f16: _fma_0
    f16x2: _fma_0
    f32: _fma_4
    f32x2: _fma_0
    f64: _fma_0
    ftz: _fma_3
    oob: _fma_7
    relu: _fma_6
    sat: _fma_5

class _fma_9(_fma):
    f32: _fma_0

class _fma_10(_fma):
    f32: _fma_0
    f32x2: _fma_0
    sat: _fma_9

class _fma_11(_fma):
    f32: _fma_4

class _fma_12(_fma):
    f32: _fma_4
    f32x2: _fma_0
    f64: _fma_0
    ftz: _fma_10
    sat: _fma_11

class _fma_13(_fma):
    rm: _fma_12
    rn: _fma_8
    rp: _fma_12
    rz: _fma_12

_fns_word: TypeAlias = Literal["b32"]

class _fns:
    """PTX ISA 9.0, 9.7.1

    fns.b32
    """

    def __getattr__(self, name: _fns_word, /) -> _fns_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _fns_any(_fns):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _fns_0(_fns):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _fns_1(_fns):
    b32: _fns_0

_getctarank_word: TypeAlias = Literal["shared__cluster", "u32", "u64"]

class _getctarank:
    """PTX ISA 9.0, 9.7.9

    getctarank{.shared::cluster}.<t>
    """

    def __getattr__(self, name: _getctarank_word, /) -> _getctarank_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _getctarank_any(_getctarank):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _getctarank_0(_getctarank):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _getctarank_1(_getctarank):
    u32: _getctarank_0
    u64: _getctarank_0

class _getctarank_2(_getctarank):
    shared__cluster: _getctarank_1
    u32: _getctarank_0
    u64: _getctarank_0

_griddepcontrol_word: TypeAlias = Literal["launch_dependents", "wait"]

class _griddepcontrol:
    """PTX ISA 9.0, 9.7.13

    griddepcontrol.launch_dependents
    griddepcontrol.wait
    """

    def __getattr__(self, name: _griddepcontrol_word, /) -> _griddepcontrol_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _griddepcontrol_any(_griddepcontrol):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _griddepcontrol_0(_griddepcontrol):
    def __call__(self, *, pred: Any = None) -> Any: ...

class _griddepcontrol_1(_griddepcontrol):
    launch_dependents: _griddepcontrol_0
    wait: _griddepcontrol_0

_isspacep_word: TypeAlias = Literal["const", "global_", "local", "param", "param__entry", "shared", "shared__cluster", "shared__cta"]

class _isspacep:
    """PTX ISA 9.0, 9.7.9

    isspacep.<space>
    """

    def __getattr__(self, name: _isspacep_word, /) -> _isspacep_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _isspacep_any(_isspacep):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _isspacep_0(_isspacep):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _isspacep_1(_isspacep):
    const: _isspacep_0
    global_: _isspacep_0
    local: _isspacep_0
    param: _isspacep_0
    param__entry: _isspacep_0
    shared: _isspacep_0
    shared__cluster: _isspacep_0
    shared__cta: _isspacep_0

_istypep_word: TypeAlias = Literal["samplerref", "surfref", "texref"]

class _istypep:
    """PTX ISA 9.0, 9.7.10

    istypep.<what>
    """

    def __getattr__(self, name: _istypep_word, /) -> _istypep_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _istypep_any(_istypep):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _istypep_0(_istypep):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _istypep_1(_istypep):
    samplerref: _istypep_0
    surfref: _istypep_0
    texref: _istypep_0

_ld_word: TypeAlias = Literal[
    "L1__evict_first", "L1__evict_last", "L1__evict_normal", "L1__evict_unchanged", "L1__no_allocate", "L2__128B",
    "L2__256B", "L2__64B", "L2__cache_hint", "L2__evict_first", "L2__evict_last", "L2__evict_normal", "acquire",
    "b128", "b16", "b32", "b64", "b8", "ca", "cg", "cluster", "const", "cs", "cta", "cv", "f32", "f64", "global_",
    "gpu", "local", "lu", "mmio", "nc", "param", "param__entry", "param__func", "relaxed", "s16", "s32", "s64",
    "s8", "shared", "shared__cluster", "shared__cta", "sys", "u16", "u32", "u64", "u8", "v2", "v4", "v8",
    "volatile", "weak"
]

class _ld:
    """PTX ISA 9.0, 9.7.9

    ld{.weak}{.<space>}{.<cop>}{.L2::cache_hint}{.<prefetch>}{.<vec>}.<t>
    ld{.weak}{.<space>}{.<evict1>}{.<evict2>}{.L2::cache_hint}{.<prefetch>}{.<vec>}.<t>
    ld.volatile{.<space>}{.<prefetch>}{.<vec>}.<t>
    ld.relaxed.<scope>{.<space>}{.<evict1>}{.<evict2>}{.L2::cache_hint}{.<prefetch>}{.<vec>}.<t>
    ld.acquire.<scope>{.<space>}{.<evict1>}{.<evict2>}{.L2::cache_hint}{.<prefetch>}{.<vec>}.<t>
    ld.mmio.relaxed.sys{.global}.<t>
    ld.global{.<cop>}.nc{.L2::cache_hint}{.<prefetch>}{.<vec>}.<t>
    ld.global.nc{.<evict1>}{.<evict2>}{.L2::cache_hint}{.<prefetch>}{.<vec>}.<t>
    """

    def __getattr__(self, name: _ld_word, /) -> _ld_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _ld_any(_ld):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _ld_0(_ld):
    def __call__(self, d: Place, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _ld_1(_ld):
    b128: _ld_0
    b16: _ld_0
    b32: _ld_0
    b64: _ld_0
    b8: _ld_0
    f32: _ld_0
    f64: _ld_0
    s16: _ld_0
    s32: _ld_0
    s64: _ld_0
    s8: _ld_0
    u16: _ld_0
    u32: _ld_0
    u64: _ld_0
    u8: _ld_0

class _ld_2(_ld):
    b128: _ld_0
    b16: _ld_0
    b32: _ld_0
    b64: _ld_0
    b8: _ld_0
    f32: _ld_0
    f64: _ld_0
    s16: _ld_0
    s32: _ld_0
    s64: _ld_0
    s8: _ld_0
    u16: _ld_0
    u32: _ld_0
    u64: _ld_0
    u8: _ld_0
    v2: _ld_1
    v4: _ld_1
    v8: _ld_1

class _ld_3(_ld):
    L2__128B: _ld_2
    L2__256B: _ld_2
    L2__64B: _ld_2
    b128: _ld_0
    b16: _ld_0
    b32: _ld_0
    b64: _ld_0
    b8: _ld_0
    f32: _ld_0
    f64: _ld_0
    s16: _ld_0
    s32: _ld_0
    s64: _ld_0
    s8: _ld_0
    u16: _ld_0
    u32: _ld_0
    u64: _ld_0
    u8: _ld_0
    v2: _ld_1
    v4: _ld_1
    v8: _ld_1

class _ld_4(_ld):
    def __call__(self, d: Place, address: Node, /, *, pred: Any = None) -> Any: ...

class _ld_5(_ld):
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    f32: _ld_4
    f64: _ld_4
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4

class _ld_6(_ld):
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    f32: _ld_4
    f64: _ld_4
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_7(_ld):
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    L2__cache_hint: _ld_3
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    f32: _ld_4
    f64: _ld_4
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_8(_ld):
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    L2__cache_hint: _ld_3
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    ca: _ld_7
    cg: _ld_7
    cs: _ld_7
    cv: _ld_7
    f32: _ld_4
    f64: _ld_4
    lu: _ld_7
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_9(_ld):
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    L2__cache_hint: _ld_3
    L2__evict_first: _ld_7
    L2__evict_last: _ld_7
    L2__evict_normal: _ld_7
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    f32: _ld_4
    f64: _ld_4
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_10(_ld):
    L1__evict_first: _ld_9
    L1__evict_last: _ld_9
    L1__evict_normal: _ld_9
    L1__evict_unchanged: _ld_9
    L1__no_allocate: _ld_9
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    L2__cache_hint: _ld_3
    L2__evict_first: _ld_7
    L2__evict_last: _ld_7
    L2__evict_normal: _ld_7
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    ca: _ld_7
    cg: _ld_7
    cs: _ld_7
    cv: _ld_7
    f32: _ld_4
    f64: _ld_4
    lu: _ld_7
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_11(_ld):
    L1__evict_first: _ld_9
    L1__evict_last: _ld_9
    L1__evict_normal: _ld_9
    L1__evict_unchanged: _ld_9
    L1__no_allocate: _ld_9
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    L2__cache_hint: _ld_3
    L2__evict_first: _ld_7
    L2__evict_last: _ld_7
    L2__evict_normal: _ld_7
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    ca: _ld_7
    cg: _ld_7
    const: _ld_8
    cs: _ld_7
    cv: _ld_7
    f32: _ld_4
    f64: _ld_4
    global_: _ld_10
    local: _ld_8
    lu: _ld_7
    param: _ld_8
    param__entry: _ld_8
    param__func: _ld_8
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    shared: _ld_8
    shared__cluster: _ld_8
    shared__cta: _ld_8
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_12(_ld):
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    L2__cache_hint: _ld_3
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    f32: _ld_4
    f64: _ld_4
    nc: _ld_7
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_13(_ld):
    L1__evict_first: _ld_9
    L1__evict_last: _ld_9
    L1__evict_normal: _ld_9
    L1__evict_unchanged: _ld_9
    L1__no_allocate: _ld_9
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    L2__cache_hint: _ld_3
    L2__evict_first: _ld_7
    L2__evict_last: _ld_7
    L2__evict_normal: _ld_7
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    f32: _ld_4
    f64: _ld_4
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_14(_ld):
    L1__evict_first: _ld_9
    L1__evict_last: _ld_9
    L1__evict_normal: _ld_9
    L1__evict_unchanged: _ld_9
    L1__no_allocate: _ld_9
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    L2__cache_hint: _ld_3
    L2__evict_first: _ld_7
    L2__evict_last: _ld_7
    L2__evict_normal: _ld_7
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    ca: _ld_12
    cg: _ld_12
    cs: _ld_12
    cv: _ld_7
    f32: _ld_4
    f64: _ld_4
    lu: _ld_7
    nc: _ld_13
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_15(_ld):
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    f32: _ld_4
    f64: _ld_4
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_16(_ld):
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    f32: _ld_4
    f64: _ld_4
    global_: _ld_15
    local: _ld_15
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    shared: _ld_15
    shared__cluster: _ld_15
    shared__cta: _ld_15
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_17(_ld):
    L1__evict_first: _ld_9
    L1__evict_last: _ld_9
    L1__evict_normal: _ld_9
    L1__evict_unchanged: _ld_9
    L1__no_allocate: _ld_9
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    L2__cache_hint: _ld_3
    L2__evict_first: _ld_7
    L2__evict_last: _ld_7
    L2__evict_normal: _ld_7
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    f32: _ld_4
    f64: _ld_4
    global_: _ld_13
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    shared: _ld_13
    shared__cluster: _ld_13
    shared__cta: _ld_13
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5

class _ld_18(_ld):
    cluster: _ld_17
    cta: _ld_17
    gpu: _ld_17
    sys: _ld_17

class _ld_19(_ld):
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    f32: _ld_4
    f64: _ld_4
    global_: _ld_5
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4

class _ld_20(_ld):
    sys: _ld_19

class _ld_21(_ld):
    relaxed: _ld_20

class _ld_22(_ld):
    L1__evict_first: _ld_9
    L1__evict_last: _ld_9
    L1__evict_normal: _ld_9
    L1__evict_unchanged: _ld_9
    L1__no_allocate: _ld_9
    L2__128B: _ld_6
    L2__256B: _ld_6
    L2__64B: _ld_6
    L2__cache_hint: _ld_3
    L2__evict_first: _ld_7
    L2__evict_last: _ld_7
    L2__evict_normal: _ld_7
    acquire: _ld_18
    b128: _ld_4
    b16: _ld_4
    b32: _ld_4
    b64: _ld_4
    b8: _ld_4
    ca: _ld_7
    cg: _ld_7
    const: _ld_8
    cs: _ld_7
    cv: _ld_7
    f32: _ld_4
    f64: _ld_4
    global_: _ld_14
    local: _ld_8
    lu: _ld_7
    mmio: _ld_21
    param: _ld_8
    param__entry: _ld_8
    param__func: _ld_8
    relaxed: _ld_18
    s16: _ld_4
    s32: _ld_4
    s64: _ld_4
    s8: _ld_4
    shared: _ld_8
    shared__cluster: _ld_8
    shared__cta: _ld_8
    u16: _ld_4
    u32: _ld_4
    u64: _ld_4
    u8: _ld_4
    v2: _ld_5
    v4: _ld_5
    v8: _ld_5
    volatile: _ld_16
    weak: _ld_11

_ldmatrix_word: TypeAlias = Literal[
    "aligned", "b16", "b4x16_p64", "b6x16_p32", "b8", "b8x16", "m16n16", "m8n16", "m8n8", "shared", "shared__cta",
    "sync", "trans", "x1", "x2", "x4"
]

class _ldmatrix:
    """PTX ISA 9.0, 9.7.14

    ldmatrix.sync.aligned.m8n8.<num>{.trans}{.<space>}.b16
    ldmatrix.sync.aligned.m8n16.<num>{.<space>}.b8x16.<src>
    ldmatrix.sync.aligned.m16n16.x1.trans{.<space>}.b8
    ldmatrix.sync.aligned.m16n16.x1.trans{.<space>}.b8x16.<src>
    ldmatrix.sync.aligned.m16n16.x2.trans{.<space>}.b8
    ldmatrix.sync.aligned.m16n16.x2.trans{.<space>}.b8x16.<src>
    """

    def __getattr__(self, name: _ldmatrix_word, /) -> _ldmatrix_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _ldmatrix_any(_ldmatrix):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _ldmatrix_0(_ldmatrix):
    def __call__(self, d: Place, address: Node, /, *, pred: Any = None) -> Any: ...

class _ldmatrix_1(_ldmatrix):
    b16: _ldmatrix_0

class _ldmatrix_2(_ldmatrix):
    b16: _ldmatrix_0
    shared: _ldmatrix_1
    shared__cta: _ldmatrix_1

class _ldmatrix_3(_ldmatrix):
    b16: _ldmatrix_0
    shared: _ldmatrix_1
    shared__cta: _ldmatrix_1
    trans: _ldmatrix_2

class _ldmatrix_4(_ldmatrix):
    x1: _ldmatrix_3
    x2: _ldmatrix_3
    x4: _ldmatrix_3

class _ldmatrix_5(_ldmatrix):
    b4x16_p64: _ldmatrix_0
    b6x16_p32: _ldmatrix_0

class _ldmatrix_6(_ldmatrix):
    b8x16: _ldmatrix_5

class _ldmatrix_7(_ldmatrix):
    b8x16: _ldmatrix_5
    shared: _ldmatrix_6
    shared__cta: _ldmatrix_6

class _ldmatrix_8(_ldmatrix):
    x1: _ldmatrix_7
    x2: _ldmatrix_7
    x4: _ldmatrix_7

class _ldmatrix_9(_ldmatrix):
    b8: _ldmatrix_0
    b8x16: _ldmatrix_5

class _ldmatrix_10(_ldmatrix):
    b8: _ldmatrix_0
    b8x16: _ldmatrix_5
    shared: _ldmatrix_9
    shared__cta: _ldmatrix_9

class _ldmatrix_11(_ldmatrix):
    trans: _ldmatrix_10

class _ldmatrix_12(_ldmatrix):
    x1: _ldmatrix_11
    x2: _ldmatrix_11

class _ldmatrix_13(_ldmatrix):
    m16n16: _ldmatrix_12
    m8n16: _ldmatrix_8
    m8n8: _ldmatrix_4

class _ldmatrix_14(_ldmatrix):
    aligned: _ldmatrix_13

class _ldmatrix_15(_ldmatrix):
    sync: _ldmatrix_14

_ldu_word: TypeAlias = Literal[
    "b128", "b16", "b32", "b64", "b8", "f32", "f64", "global_", "s16", "s32", "s64", "s8", "u16", "u32", "u64",
    "u8", "v2", "v4"
]

class _ldu:
    """PTX ISA 9.0, 9.7.9

    ldu{.global}{.<vec>}.<t>
    """

    def __getattr__(self, name: _ldu_word, /) -> _ldu_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _ldu_any(_ldu):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _ldu_0(_ldu):
    def __call__(self, d: Place, address: Node, /, *, pred: Any = None) -> Any: ...

class _ldu_1(_ldu):
    b128: _ldu_0
    b16: _ldu_0
    b32: _ldu_0
    b64: _ldu_0
    b8: _ldu_0
    f32: _ldu_0
    f64: _ldu_0
    s16: _ldu_0
    s32: _ldu_0
    s64: _ldu_0
    s8: _ldu_0
    u16: _ldu_0
    u32: _ldu_0
    u64: _ldu_0
    u8: _ldu_0

class _ldu_2(_ldu):
    b128: _ldu_0
    b16: _ldu_0
    b32: _ldu_0
    b64: _ldu_0
    b8: _ldu_0
    f32: _ldu_0
    f64: _ldu_0
    s16: _ldu_0
    s32: _ldu_0
    s64: _ldu_0
    s8: _ldu_0
    u16: _ldu_0
    u32: _ldu_0
    u64: _ldu_0
    u8: _ldu_0
    v2: _ldu_1
    v4: _ldu_1

class _ldu_3(_ldu):
    b128: _ldu_0
    b16: _ldu_0
    b32: _ldu_0
    b64: _ldu_0
    b8: _ldu_0
    f32: _ldu_0
    f64: _ldu_0
    global_: _ldu_2
    s16: _ldu_0
    s32: _ldu_0
    s64: _ldu_0
    s8: _ldu_0
    u16: _ldu_0
    u32: _ldu_0
    u64: _ldu_0
    u8: _ldu_0
    v2: _ldu_1
    v4: _ldu_1

_lg2_word: TypeAlias = Literal["approx", "f32", "ftz"]

class _lg2:
    """PTX ISA 9.0, 9.7.3

    lg2.approx{.ftz}.f32
    """

    def __getattr__(self, name: _lg2_word, /) -> _lg2_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _lg2_any(_lg2):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _lg2_0(_lg2):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _lg2_1(_lg2):
    f32: _lg2_0

class _lg2_2(_lg2):
    f32: _lg2_0
    ftz: _lg2_1

class _lg2_3(_lg2):
    approx: _lg2_2

_lop3_word: TypeAlias = Literal["and_", "b32", "or_"]

class _lop3:
    """PTX ISA 9.0, 9.7.8

    lop3.b32
    lop3.<bool>.b32
    """

    def __getattr__(self, name: _lop3_word, /) -> _lop3_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _lop3_any(_lop3):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _lop3_0(_lop3):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...

class _lop3_1(_lop3):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _lop3_2(_lop3):
    b32: _lop3_1

class _lop3_3(_lop3):
    and_: _lop3_2
    b32: _lop3_0
    or_: _lop3_2

_mad_word: TypeAlias = Literal[
    "cc", "f32", "f64", "ftz", "hi", "lo", "rm", "rn", "rp", "rz", "s16", "s32", "s64", "sat", "u16", "u32", "u64",
    "wide"
]

class _mad:
    """PTX ISA 9.0, 9.7.3

    mad.<rnd>{.ftz}{.sat}.f32
    mad.<rnd>.f64
    mad.<half>.<t>
    mad.hi.sat.s32
    mad.wide.u16
    mad.wide.s16
    mad.wide.u32
    mad.wide.s32
    mad.<half>.cc.<t>
    """

    def __getattr__(self, name: _mad_word, /) -> _mad_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _mad_any(_mad):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _mad_0(_mad):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _mad_1(_mad):
    f32: _mad_0

class _mad_2(_mad):
    f32: _mad_0
    sat: _mad_1

class _mad_3(_mad):
    f32: _mad_0
    f64: _mad_0
    ftz: _mad_2
    sat: _mad_1

class _mad_4(_mad):
    s32: _mad_0

class _mad_5(_mad):
    s32: _mad_0
    s64: _mad_0
    u32: _mad_0
    u64: _mad_0

class _mad_6(_mad):
    cc: _mad_5
    s16: _mad_0
    s32: _mad_0
    s64: _mad_0
    sat: _mad_4
    u16: _mad_0
    u32: _mad_0
    u64: _mad_0

class _mad_7(_mad):
    cc: _mad_5
    s16: _mad_0
    s32: _mad_0
    s64: _mad_0
    u16: _mad_0
    u32: _mad_0
    u64: _mad_0

class _mad_8(_mad):
    s16: _mad_0
    s32: _mad_0
    u16: _mad_0
    u32: _mad_0

class _mad_9(_mad):
    hi: _mad_6
    lo: _mad_7
    rm: _mad_3
    rn: _mad_3
    rp: _mad_3
    rz: _mad_3
    wide: _mad_8

_mad24_word: TypeAlias = Literal["hi", "lo", "s32", "sat", "u32"]

class _mad24:
    """PTX ISA 9.0, 9.7.1

    mad24.<half>.<t>
    mad24.hi.sat.s32
    """

    def __getattr__(self, name: _mad24_word, /) -> _mad24_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _mad24_any(_mad24):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _mad24_0(_mad24):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _mad24_1(_mad24):
    s32: _mad24_0

class _mad24_2(_mad24):
    s32: _mad24_0
    sat: _mad24_1
    u32: _mad24_0

class _mad24_3(_mad24):
    s32: _mad24_0
    u32: _mad24_0

class _mad24_4(_mad24):
    hi: _mad24_2
    lo: _mad24_3

_madc_word: TypeAlias = Literal["cc", "hi", "lo", "s32", "s64", "u32", "u64"]

class _madc:
    """PTX ISA 9.0, 9.7.2

    madc.<half>{.cc}.<t>
    """

    def __getattr__(self, name: _madc_word, /) -> _madc_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _madc_any(_madc):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _madc_0(_madc):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _madc_1(_madc):
    s32: _madc_0
    s64: _madc_0
    u32: _madc_0
    u64: _madc_0

class _madc_2(_madc):
    cc: _madc_1
    s32: _madc_0
    s64: _madc_0
    u32: _madc_0
    u64: _madc_0

class _madc_3(_madc):
    hi: _madc_2
    lo: _madc_2

_mapa_word: TypeAlias = Literal["shared__cluster", "u32", "u64"]

class _mapa:
    """PTX ISA 9.0, 9.7.9

    mapa{.shared::cluster}.<t>
    """

    def __getattr__(self, name: _mapa_word, /) -> _mapa_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _mapa_any(_mapa):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _mapa_0(_mapa):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _mapa_1(_mapa):
    u32: _mapa_0
    u64: _mapa_0

class _mapa_2(_mapa):
    shared__cluster: _mapa_1
    u32: _mapa_0
    u64: _mapa_0

_match_word: TypeAlias = Literal["all", "any", "b32", "b64", "sync"]

class _match:
    """PTX ISA 9.0, 9.7.13

    match.any.sync.<t>
    match.all.sync.<t>
    """

    def __getattr__(self, name: _match_word, /) -> _match_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _match_any(_match):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _match_0(_match):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _match_1(_match):
    b32: _match_0
    b64: _match_0

class _match_2(_match):
    sync: _match_1

class _match_3(_match):
    all: _match_2
    any: _match_2

_max_word: TypeAlias = Literal[
    "NaN", "abs", "bf16", "bf16x2", "f16", "f16x2", "f32", "f64", "ftz", "relu", "s16", "s16x2", "s32", "s64",
    "u16", "u16x2", "u32", "u64", "xorsign"
]

class _max:
    """PTX ISA 9.0, 9.7.3

    max{.ftz}{.NaN}{.xorsign.abs}.f32
    max{.ftz}{.NaN}{.abs}.f32
    max.f64
    max{.ftz}{.NaN}{.xorsign.abs}.<t>
    max{.NaN}{.xorsign.abs}.<t>
    max.<t>
    max.relu.<t>
    """

    def __getattr__(self, name: _max_word, /) -> _max_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _max_any(_max):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _max_0(_max):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _max_1(_max):
    f16: _max_0
    f16x2: _max_0
    f32: _max_0

class _max_2(_max):
    abs: _max_1

class _max_3(_max):
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _max_4(_max):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _max_5(_max):
    f32: _max_4

class _max_6(_max):
    abs: _max_5
    f16: _max_0
    f16x2: _max_0
    f32: _max_3
    xorsign: _max_2

class _max_7(_max):
    NaN: _max_6
    abs: _max_5
    f16: _max_0
    f16x2: _max_0
    f32: _max_3
    xorsign: _max_2

class _max_8(_max):
    bf16: _max_0
    bf16x2: _max_0
    f16: _max_0
    f16x2: _max_0
    f32: _max_0

class _max_9(_max):
    abs: _max_8

class _max_10(_max):
    abs: _max_5
    bf16: _max_0
    bf16x2: _max_0
    f16: _max_0
    f16x2: _max_0
    f32: _max_3
    xorsign: _max_9

class _max_11(_max):
    s16x2: _max_0
    s32: _max_0

class _max_12(_max):
    NaN: _max_10
    abs: _max_5
    bf16: _max_0
    bf16x2: _max_0
    f16: _max_0
    f16x2: _max_0
    f32: _max_3
    f64: _max_0
    ftz: _max_7
    relu: _max_11
    s16: _max_0
    s16x2: _max_0
    s32: _max_0
    s64: _max_0
    u16: _max_0
    u16x2: _max_0
    u32: _max_0
    u64: _max_0
    xorsign: _max_9

_mbarrier_word: TypeAlias = Literal[
    "acquire", "arrive", "arrive_drop", "b64", "cluster", "complete_tx", "cta", "expect_tx", "init", "inval",
    "noComplete", "parity", "pending_count", "relaxed", "release", "shared", "shared__cluster", "shared__cta",
    "test_wait", "try_wait"
]

class _mbarrier:
    """PTX ISA 9.0, 9.7.13.15

    mbarrier.init{.<space>}.b64
    mbarrier.inval{.<space>}.b64
    mbarrier.expect_tx{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.complete_tx{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.arrive{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.arrive{.<sem>}{.<scope>}.shared::cluster.b64
    mbarrier.arrive.expect_tx{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.arrive.expect_tx{.<sem>}{.<scope>}.shared::cluster.b64
    mbarrier.arrive.noComplete{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.arrive_drop{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.arrive_drop{.<sem>}{.<scope>}.shared::cluster.b64
    mbarrier.arrive_drop.expect_tx{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.arrive_drop.expect_tx{.<sem>}{.<scope>}.shared::cluster.b64
    mbarrier.arrive_drop.noComplete{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.test_wait{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.test_wait.parity{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.try_wait{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.try_wait.parity{.<sem>}{.<scope>}{.<space>}.b64
    mbarrier.pending_count.b64
    """

    def __getattr__(self, name: _mbarrier_word, /) -> _mbarrier_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _mbarrier_any(_mbarrier):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _mbarrier_0(_mbarrier):
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _mbarrier_1(_mbarrier):
    b64: _mbarrier_0

class _mbarrier_2(_mbarrier):
    b64: _mbarrier_0
    shared: _mbarrier_1
    shared__cta: _mbarrier_1

class _mbarrier_3(_mbarrier):
    def __call__(self, address: Node, /, *, pred: Any = None) -> Any: ...

class _mbarrier_4(_mbarrier):
    b64: _mbarrier_3

class _mbarrier_5(_mbarrier):
    b64: _mbarrier_3
    shared: _mbarrier_4
    shared__cta: _mbarrier_4

class _mbarrier_6(_mbarrier):
    b64: _mbarrier_0
    shared: _mbarrier_1
    shared__cluster: _mbarrier_1
    shared__cta: _mbarrier_1

class _mbarrier_7(_mbarrier):
    b64: _mbarrier_0
    cluster: _mbarrier_6
    cta: _mbarrier_6
    shared: _mbarrier_1
    shared__cluster: _mbarrier_1
    shared__cta: _mbarrier_1

class _mbarrier_8(_mbarrier):
    b64: _mbarrier_0
    cluster: _mbarrier_6
    cta: _mbarrier_6
    relaxed: _mbarrier_7
    shared: _mbarrier_1
    shared__cluster: _mbarrier_1
    shared__cta: _mbarrier_1

class _mbarrier_9(_mbarrier):
    @overload
    def __call__(self, d: Place, address: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, d: Place, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _mbarrier_10(_mbarrier):
    b64: _mbarrier_9

class _mbarrier_11(_mbarrier):
    b64: _mbarrier_9
    shared: _mbarrier_10
    shared__cluster: _mbarrier_10
    shared__cta: _mbarrier_10

class _mbarrier_12(_mbarrier):
    b64: _mbarrier_9
    cluster: _mbarrier_11
    cta: _mbarrier_11
    shared: _mbarrier_10
    shared__cluster: _mbarrier_10
    shared__cta: _mbarrier_10

class _mbarrier_13(_mbarrier):
    def __call__(self, d: Place, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _mbarrier_14(_mbarrier):
    b64: _mbarrier_13

class _mbarrier_15(_mbarrier):
    b64: _mbarrier_13
    shared: _mbarrier_14
    shared__cluster: _mbarrier_14
    shared__cta: _mbarrier_14

class _mbarrier_16(_mbarrier):
    b64: _mbarrier_13
    cluster: _mbarrier_15
    cta: _mbarrier_15
    shared: _mbarrier_14
    shared__cluster: _mbarrier_14
    shared__cta: _mbarrier_14

class _mbarrier_17(_mbarrier):
    b64: _mbarrier_13
    cluster: _mbarrier_15
    cta: _mbarrier_15
    relaxed: _mbarrier_16
    release: _mbarrier_16
    shared: _mbarrier_14
    shared__cluster: _mbarrier_14
    shared__cta: _mbarrier_14

class _mbarrier_18(_mbarrier):
    b64: _mbarrier_13
    shared: _mbarrier_14
    shared__cta: _mbarrier_14

class _mbarrier_19(_mbarrier):
    b64: _mbarrier_13
    cta: _mbarrier_18
    shared: _mbarrier_14
    shared__cta: _mbarrier_14

class _mbarrier_20(_mbarrier):
    b64: _mbarrier_13
    cta: _mbarrier_18
    release: _mbarrier_19
    shared: _mbarrier_14
    shared__cta: _mbarrier_14

class _mbarrier_21(_mbarrier):
    b64: _mbarrier_9
    cluster: _mbarrier_11
    cta: _mbarrier_11
    expect_tx: _mbarrier_17
    noComplete: _mbarrier_20
    relaxed: _mbarrier_12
    release: _mbarrier_12
    shared: _mbarrier_10
    shared__cluster: _mbarrier_10
    shared__cta: _mbarrier_10

class _mbarrier_22(_mbarrier):
    b64: _mbarrier_13
    cluster: _mbarrier_18
    cta: _mbarrier_18
    shared: _mbarrier_14
    shared__cta: _mbarrier_14

class _mbarrier_23(_mbarrier):
    acquire: _mbarrier_22
    b64: _mbarrier_13
    cluster: _mbarrier_18
    cta: _mbarrier_18
    relaxed: _mbarrier_22
    shared: _mbarrier_14
    shared__cta: _mbarrier_14

class _mbarrier_24(_mbarrier):
    acquire: _mbarrier_22
    b64: _mbarrier_13
    cluster: _mbarrier_18
    cta: _mbarrier_18
    parity: _mbarrier_23
    relaxed: _mbarrier_22
    shared: _mbarrier_14
    shared__cta: _mbarrier_14

class _mbarrier_25(_mbarrier):
    @overload
    def __call__(self, d: Place, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _mbarrier_26(_mbarrier):
    b64: _mbarrier_25

class _mbarrier_27(_mbarrier):
    b64: _mbarrier_25
    shared: _mbarrier_26
    shared__cta: _mbarrier_26

class _mbarrier_28(_mbarrier):
    b64: _mbarrier_25
    cluster: _mbarrier_27
    cta: _mbarrier_27
    shared: _mbarrier_26
    shared__cta: _mbarrier_26

class _mbarrier_29(_mbarrier):
    acquire: _mbarrier_28
    b64: _mbarrier_25
    cluster: _mbarrier_27
    cta: _mbarrier_27
    relaxed: _mbarrier_28
    shared: _mbarrier_26
    shared__cta: _mbarrier_26

class _mbarrier_30(_mbarrier):
    acquire: _mbarrier_28
    b64: _mbarrier_25
    cluster: _mbarrier_27
    cta: _mbarrier_27
    parity: _mbarrier_29
    relaxed: _mbarrier_28
    shared: _mbarrier_26
    shared__cta: _mbarrier_26

class _mbarrier_31(_mbarrier):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _mbarrier_32(_mbarrier):
    b64: _mbarrier_31

class _mbarrier_33(_mbarrier):
    arrive: _mbarrier_21
    arrive_drop: _mbarrier_21
    complete_tx: _mbarrier_8
    expect_tx: _mbarrier_8
    init: _mbarrier_2
    inval: _mbarrier_5
    pending_count: _mbarrier_32
    test_wait: _mbarrier_24
    try_wait: _mbarrier_30

_membar_word: TypeAlias = Literal["alias", "async_", "cta", "gl", "proxy", "sys"]

class _membar:
    """PTX ISA 9.0, 9.7.13

    membar.<level>
    membar.proxy.alias
    membar.proxy.async
    """

    def __getattr__(self, name: _membar_word, /) -> _membar_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _membar_any(_membar):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _membar_0(_membar):
    def __call__(self, *, pred: Any = None) -> Any: ...

class _membar_1(_membar):
    alias: _membar_0
    async_: _membar_0

class _membar_2(_membar):
    cta: _membar_0
    gl: _membar_0
    proxy: _membar_1
    sys: _membar_0

_min_word: TypeAlias = Literal[
    "NaN", "abs", "bf16", "bf16x2", "f16", "f16x2", "f32", "f64", "ftz", "relu", "s16", "s16x2", "s32", "s64",
    "u16", "u16x2", "u32", "u64", "xorsign"
]

class _min:
    """PTX ISA 9.0, 9.7.3

    min{.ftz}{.NaN}{.xorsign.abs}.f32
    min{.ftz}{.NaN}{.abs}.f32
    min.f64
    min{.ftz}{.NaN}{.xorsign.abs}.<t>
    min{.NaN}{.xorsign.abs}.<t>
    min.<t>
    min.relu.<t>
    """

    def __getattr__(self, name: _min_word, /) -> _min_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _min_any(_min):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _min_0(_min):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _min_1(_min):
    f16: _min_0
    f16x2: _min_0
    f32: _min_0

class _min_2(_min):
    abs: _min_1

class _min_3(_min):
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _min_4(_min):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _min_5(_min):
    f32: _min_4

class _min_6(_min):
    abs: _min_5
    f16: _min_0
    f16x2: _min_0
    f32: _min_3
    xorsign: _min_2

class _min_7(_min):
    NaN: _min_6
    abs: _min_5
    f16: _min_0
    f16x2: _min_0
    f32: _min_3
    xorsign: _min_2

class _min_8(_min):
    bf16: _min_0
    bf16x2: _min_0
    f16: _min_0
    f16x2: _min_0
    f32: _min_0

class _min_9(_min):
    abs: _min_8

class _min_10(_min):
    abs: _min_5
    bf16: _min_0
    bf16x2: _min_0
    f16: _min_0
    f16x2: _min_0
    f32: _min_3
    xorsign: _min_9

class _min_11(_min):
    s16x2: _min_0
    s32: _min_0

class _min_12(_min):
    NaN: _min_10
    abs: _min_5
    bf16: _min_0
    bf16x2: _min_0
    f16: _min_0
    f16x2: _min_0
    f32: _min_3
    f64: _min_0
    ftz: _min_7
    relu: _min_11
    s16: _min_0
    s16x2: _min_0
    s32: _min_0
    s64: _min_0
    u16: _min_0
    u16x2: _min_0
    u32: _min_0
    u64: _min_0
    xorsign: _min_9

_mma_word: TypeAlias = Literal[
    "aligned", "and_", "b1", "bf16", "block_scale", "col", "e2m1", "e2m3", "e3m2", "e4m3", "e5m2", "f16", "f32",
    "f64", "kind__f8f6f4", "kind__mxf4", "kind__mxf4nvf4", "kind__mxf8f6f4", "m16n8k128", "m16n8k16", "m16n8k256",
    "m16n8k32", "m16n8k4", "m16n8k64", "m16n8k8", "m8n8k128", "m8n8k16", "m8n8k32", "m8n8k4", "popc", "row", "s32",
    "s4", "s8", "satfinite", "scale_vec__1X", "scale_vec__2X", "scale_vec__4X", "sp", "sp__ordered_metadata",
    "sync", "tf32", "u4", "u8", "ue4m3", "ue8m0", "xor"
]

class _mma:
    """PTX ISA 9.0, 9.7.14

    mma.sync.aligned.m16n8k8.row.col.f16.<a>.<b>.f16
    mma.sync.aligned.m16n8k8.row.col.f32.<a>.<b>.f32
    mma.sync.aligned.m16n8k16.row.col.f16.<a>.<b>.f16
    mma.sync.aligned.m16n8k16.row.col.f32.<a>.<b>.f32
    mma.sync.aligned.m16n8k4.row.col.f32.<a>.<b>.f32
    mma.sync.aligned.m8n8k16.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sync.aligned.m16n8k16.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sync.aligned.m16n8k32.row.col.f16.<a>.<b>.f16
    mma.sync.aligned.m16n8k32.row.col.f32.<a>.<b>.f32
    mma.sync.aligned.m8n8k4.row.col.f64.<a>.<b>.f64
    mma.sync.aligned.m16n8k4.row.col.f64.<a>.<b>.f64
    mma.sync.aligned.m16n8k8.row.col.f64.<a>.<b>.f64
    mma.sync.aligned.m16n8k16.row.col.f64.<a>.<b>.f64
    mma.sync.aligned.m8n8k4.<la>.<lb>.f16.f16.f16.f16
    mma.sync.aligned.m8n8k4.<la>.<lb>.f32.f16.f16.f32
    mma.sync.aligned.m8n8k4.<la>.<lb>.f32.f16.f16.f16
    mma.sync.aligned.m8n8k32.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sync.aligned.m16n8k64.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sync.aligned.m8n8k128.row.col.s32.<a>.<b>.s32.xor.popc
    mma.sync.aligned.m8n8k128.row.col.s32.<a>.<b>.s32.and.popc
    mma.sync.aligned.m16n8k128.row.col.s32.<a>.<b>.s32.xor.popc
    mma.sync.aligned.m16n8k128.row.col.s32.<a>.<b>.s32.and.popc
    mma.sync.aligned.m16n8k256.row.col.s32.<a>.<b>.s32.xor.popc
    mma.sync.aligned.m16n8k256.row.col.s32.<a>.<b>.s32.and.popc
    mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.<a>.<b>.f16
    mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.<a>.<b>.f32
    mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.<a>.<b>.f32.ue8m0
    mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale{.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0
    mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0
    mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.<s>
    mma.sp.sync.aligned.m16n8k16.row.col.f16.<a>.<b>.f16
    mma.sp.sync.aligned.m16n8k16.row.col.f32.<a>.<b>.f32
    mma.sp.sync.aligned.m16n8k32.row.col.f16.<a>.<b>.f16
    mma.sp.sync.aligned.m16n8k32.row.col.f32.<a>.<b>.f32
    mma.sp.sync.aligned.m16n8k8.row.col.f32.<a>.<b>.f32
    mma.sp.sync.aligned.m16n8k64.row.col.f32.<a>.<b>.f32
    mma.sp.sync.aligned.m16n8k32.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sp.sync.aligned.m16n8k64.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sp.sync.aligned.m16n8k128.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.<a>.<b>.f16
    mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.<a>.<b>.f32
    mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.<a>.<b>.f16
    mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.<a>.<b>.f32
    mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.<a>.<b>.f32
    mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.<a>.<b>.f32
    mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col{.satfinite}.s32.<a>.<b>.s32
    mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16.<a>.<b>.f16
    mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.<a>.<b>.f32
    mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.<a>.<b>.f32.ue8m0
    mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.<a>.<b>.f16
    mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale{.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0
    mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0
    mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.<s>
    """

    def __getattr__(self, name: _mma_word, /) -> _mma_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _mma_any(_mma):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _mma_0(_mma):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _mma_1(_mma):
    f16: _mma_0

class _mma_2(_mma):
    f16: _mma_1

class _mma_3(_mma):
    f16: _mma_2

class _mma_4(_mma):
    f32: _mma_0

class _mma_5(_mma):
    f16: _mma_4

class _mma_6(_mma):
    bf16: _mma_4

class _mma_7(_mma):
    tf32: _mma_4

class _mma_8(_mma):
    bf16: _mma_6
    f16: _mma_5
    tf32: _mma_7

class _mma_9(_mma):
    f64: _mma_0

class _mma_10(_mma):
    f64: _mma_9

class _mma_11(_mma):
    f64: _mma_10

class _mma_12(_mma):
    f16: _mma_3
    f32: _mma_8
    f64: _mma_11

class _mma_13(_mma):
    col: _mma_12

class _mma_14(_mma):
    row: _mma_13

class _mma_15(_mma):
    e4m3: _mma_1
    e5m2: _mma_1

class _mma_16(_mma):
    e4m3: _mma_15
    e5m2: _mma_15
    f16: _mma_2

class _mma_17(_mma):
    e4m3: _mma_4
    e5m2: _mma_4

class _mma_18(_mma):
    bf16: _mma_6
    e4m3: _mma_17
    e5m2: _mma_17
    f16: _mma_5

class _mma_19(_mma):
    s32: _mma_0

class _mma_20(_mma):
    s8: _mma_19
    u8: _mma_19

class _mma_21(_mma):
    s8: _mma_20
    u8: _mma_20

class _mma_22(_mma):
    s32: _mma_21

class _mma_23(_mma):
    f16: _mma_16
    f32: _mma_18
    f64: _mma_11
    s32: _mma_21
    satfinite: _mma_22

class _mma_24(_mma):
    col: _mma_23

class _mma_25(_mma):
    row: _mma_24

class _mma_26(_mma):
    tf32: _mma_7

class _mma_27(_mma):
    f32: _mma_26
    f64: _mma_11

class _mma_28(_mma):
    col: _mma_27

class _mma_29(_mma):
    row: _mma_28

class _mma_30(_mma):
    s32: _mma_21
    satfinite: _mma_22

class _mma_31(_mma):
    col: _mma_30

class _mma_32(_mma):
    row: _mma_31

class _mma_33(_mma):
    s4: _mma_19
    u4: _mma_19

class _mma_34(_mma):
    s4: _mma_33
    s8: _mma_20
    u4: _mma_33
    u8: _mma_20

class _mma_35(_mma):
    s32: _mma_34

class _mma_36(_mma):
    e4m3: _mma_15
    e5m2: _mma_15

class _mma_37(_mma):
    e4m3: _mma_17
    e5m2: _mma_17

class _mma_38(_mma):
    e2m1: _mma_1
    e2m3: _mma_1
    e3m2: _mma_1
    e4m3: _mma_1
    e5m2: _mma_1

class _mma_39(_mma):
    e2m1: _mma_38
    e2m3: _mma_38
    e3m2: _mma_38
    e4m3: _mma_38
    e5m2: _mma_38

class _mma_40(_mma):
    e2m1: _mma_4
    e2m3: _mma_4
    e3m2: _mma_4
    e4m3: _mma_4
    e5m2: _mma_4

class _mma_41(_mma):
    e2m1: _mma_40
    e2m3: _mma_40
    e3m2: _mma_40
    e4m3: _mma_40
    e5m2: _mma_40

class _mma_42(_mma):
    f16: _mma_39
    f32: _mma_41

class _mma_43(_mma):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, f: Operand, g: Operand, h: Operand, /, *, pred: Any = None) -> Any: ...

class _mma_44(_mma):
    ue8m0: _mma_43

class _mma_45(_mma):
    f32: _mma_44

class _mma_46(_mma):
    e2m1: _mma_45
    e2m3: _mma_45
    e3m2: _mma_45
    e4m3: _mma_45
    e5m2: _mma_45

class _mma_47(_mma):
    e2m1: _mma_46
    e2m3: _mma_46
    e3m2: _mma_46
    e4m3: _mma_46
    e5m2: _mma_46

class _mma_48(_mma):
    f32: _mma_47

class _mma_49(_mma):
    f32: _mma_47
    scale_vec__1X: _mma_48

class _mma_50(_mma):
    block_scale: _mma_49

class _mma_51(_mma):
    f16: _mma_36
    f32: _mma_37
    kind__f8f6f4: _mma_42
    kind__mxf8f6f4: _mma_50
    s32: _mma_34
    satfinite: _mma_35

class _mma_52(_mma):
    col: _mma_51

class _mma_53(_mma):
    row: _mma_52

class _mma_54(_mma):
    f16: _mma_0
    f32: _mma_0

class _mma_55(_mma):
    f16: _mma_54

class _mma_56(_mma):
    f16: _mma_55

class _mma_57(_mma):
    f16: _mma_3
    f32: _mma_56
    f64: _mma_11

class _mma_58(_mma):
    f16: _mma_3
    f32: _mma_56

class _mma_59(_mma):
    col: _mma_57
    row: _mma_58

class _mma_60(_mma):
    col: _mma_58
    row: _mma_58

class _mma_61(_mma):
    col: _mma_60
    row: _mma_59

class _mma_62(_mma):
    s4: _mma_33
    u4: _mma_33

class _mma_63(_mma):
    s32: _mma_62

class _mma_64(_mma):
    s32: _mma_62
    satfinite: _mma_63

class _mma_65(_mma):
    col: _mma_64

class _mma_66(_mma):
    row: _mma_65

class _mma_67(_mma):
    e2m1: _mma_45

class _mma_68(_mma):
    e2m1: _mma_67

class _mma_69(_mma):
    f32: _mma_68

class _mma_70(_mma):
    f32: _mma_68
    scale_vec__2X: _mma_69

class _mma_71(_mma):
    block_scale: _mma_70

class _mma_72(_mma):
    ue4m3: _mma_43
    ue8m0: _mma_43

class _mma_73(_mma):
    f32: _mma_72

class _mma_74(_mma):
    e2m1: _mma_73

class _mma_75(_mma):
    e2m1: _mma_74

class _mma_76(_mma):
    f32: _mma_75

class _mma_77(_mma):
    scale_vec__2X: _mma_69
    scale_vec__4X: _mma_76

class _mma_78(_mma):
    block_scale: _mma_77

class _mma_79(_mma):
    kind__mxf4: _mma_71
    kind__mxf4nvf4: _mma_78
    s32: _mma_62
    satfinite: _mma_63

class _mma_80(_mma):
    col: _mma_79

class _mma_81(_mma):
    row: _mma_80

class _mma_82(_mma):
    popc: _mma_0

class _mma_83(_mma):
    and_: _mma_82
    xor: _mma_82

class _mma_84(_mma):
    s32: _mma_83

class _mma_85(_mma):
    b1: _mma_84

class _mma_86(_mma):
    b1: _mma_85

class _mma_87(_mma):
    s32: _mma_86

class _mma_88(_mma):
    col: _mma_87

class _mma_89(_mma):
    row: _mma_88

class _mma_90(_mma):
    m16n8k128: _mma_89
    m16n8k16: _mma_25
    m16n8k256: _mma_89
    m16n8k32: _mma_53
    m16n8k4: _mma_29
    m16n8k64: _mma_81
    m16n8k8: _mma_14
    m8n8k128: _mma_89
    m8n8k16: _mma_32
    m8n8k32: _mma_66
    m8n8k4: _mma_61

class _mma_91(_mma):
    aligned: _mma_90

class _mma_92(_mma):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...

class _mma_93(_mma):
    f16: _mma_92

class _mma_94(_mma):
    f16: _mma_93

class _mma_95(_mma):
    f16: _mma_94

class _mma_96(_mma):
    f32: _mma_92

class _mma_97(_mma):
    f16: _mma_96

class _mma_98(_mma):
    bf16: _mma_96

class _mma_99(_mma):
    tf32: _mma_96

class _mma_100(_mma):
    bf16: _mma_98
    f16: _mma_97
    tf32: _mma_99

class _mma_101(_mma):
    f16: _mma_95
    f32: _mma_100

class _mma_102(_mma):
    col: _mma_101

class _mma_103(_mma):
    row: _mma_102

class _mma_104(_mma):
    bf16: _mma_98
    f16: _mma_97

class _mma_105(_mma):
    s32: _mma_92

class _mma_106(_mma):
    s8: _mma_105
    u8: _mma_105

class _mma_107(_mma):
    s8: _mma_106
    u8: _mma_106

class _mma_108(_mma):
    s32: _mma_107

class _mma_109(_mma):
    f16: _mma_95
    f32: _mma_104
    s32: _mma_107
    satfinite: _mma_108

class _mma_110(_mma):
    col: _mma_109

class _mma_111(_mma):
    row: _mma_110

class _mma_112(_mma):
    tf32: _mma_99

class _mma_113(_mma):
    f32: _mma_112

class _mma_114(_mma):
    col: _mma_113

class _mma_115(_mma):
    row: _mma_114

class _mma_116(_mma):
    e4m3: _mma_96
    e5m2: _mma_96

class _mma_117(_mma):
    e4m3: _mma_116
    e5m2: _mma_116

class _mma_118(_mma):
    s4: _mma_105
    u4: _mma_105

class _mma_119(_mma):
    s4: _mma_118
    s8: _mma_106
    u4: _mma_118
    u8: _mma_106

class _mma_120(_mma):
    s32: _mma_119

class _mma_121(_mma):
    f32: _mma_117
    s32: _mma_119
    satfinite: _mma_120

class _mma_122(_mma):
    col: _mma_121

class _mma_123(_mma):
    row: _mma_122

class _mma_124(_mma):
    s4: _mma_118
    u4: _mma_118

class _mma_125(_mma):
    s32: _mma_124

class _mma_126(_mma):
    s32: _mma_124
    satfinite: _mma_125

class _mma_127(_mma):
    col: _mma_126

class _mma_128(_mma):
    row: _mma_127

class _mma_129(_mma):
    m16n8k128: _mma_128
    m16n8k16: _mma_103
    m16n8k32: _mma_111
    m16n8k64: _mma_123
    m16n8k8: _mma_115

class _mma_130(_mma):
    aligned: _mma_129

class _mma_131(_mma):
    sync: _mma_130

class _mma_132(_mma):
    e2m1: _mma_93
    e2m3: _mma_93
    e3m2: _mma_93
    e4m3: _mma_93
    e5m2: _mma_93

class _mma_133(_mma):
    e2m1: _mma_132
    e2m3: _mma_132
    e3m2: _mma_132
    e4m3: _mma_132
    e5m2: _mma_132

class _mma_134(_mma):
    e2m1: _mma_96
    e2m3: _mma_96
    e3m2: _mma_96
    e4m3: _mma_96
    e5m2: _mma_96

class _mma_135(_mma):
    e2m1: _mma_134
    e2m3: _mma_134
    e3m2: _mma_134
    e4m3: _mma_134
    e5m2: _mma_134

class _mma_136(_mma):
    f16: _mma_133
    f32: _mma_135

class _mma_137(_mma):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, f: Operand, g: Operand, h: Operand, i: Operand,
        j: Operand, /, *, pred: Any = None) -> Any: ...

class _mma_138(_mma):
    ue8m0: _mma_137

class _mma_139(_mma):
    f32: _mma_138

class _mma_140(_mma):
    e2m1: _mma_139
    e2m3: _mma_139
    e3m2: _mma_139
    e4m3: _mma_139
    e5m2: _mma_139

class _mma_141(_mma):
    e2m1: _mma_140
    e2m3: _mma_140
    e3m2: _mma_140
    e4m3: _mma_140
    e5m2: _mma_140

class _mma_142(_mma):
    f32: _mma_141

class _mma_143(_mma):
    f32: _mma_141
    scale_vec__1X: _mma_142

class _mma_144(_mma):
    block_scale: _mma_143

class _mma_145(_mma):
    e4m3: _mma_93
    e5m2: _mma_93

class _mma_146(_mma):
    e4m3: _mma_145
    e5m2: _mma_145

class _mma_147(_mma):
    f16: _mma_146
    f32: _mma_117
    kind__f8f6f4: _mma_136
    kind__mxf8f6f4: _mma_144
    s32: _mma_119
    satfinite: _mma_120

class _mma_148(_mma):
    col: _mma_147

class _mma_149(_mma):
    row: _mma_148

class _mma_150(_mma):
    e2m1: _mma_139

class _mma_151(_mma):
    e2m1: _mma_150

class _mma_152(_mma):
    f32: _mma_151

class _mma_153(_mma):
    f32: _mma_151
    scale_vec__2X: _mma_152

class _mma_154(_mma):
    block_scale: _mma_153

class _mma_155(_mma):
    ue4m3: _mma_137
    ue8m0: _mma_137

class _mma_156(_mma):
    f32: _mma_155

class _mma_157(_mma):
    e2m1: _mma_156

class _mma_158(_mma):
    e2m1: _mma_157

class _mma_159(_mma):
    f32: _mma_158

class _mma_160(_mma):
    scale_vec__2X: _mma_152
    scale_vec__4X: _mma_159

class _mma_161(_mma):
    block_scale: _mma_160

class _mma_162(_mma):
    kind__mxf4: _mma_154
    kind__mxf4nvf4: _mma_161
    s32: _mma_124
    satfinite: _mma_125

class _mma_163(_mma):
    col: _mma_162

class _mma_164(_mma):
    row: _mma_163

class _mma_165(_mma):
    m16n8k128: _mma_164
    m16n8k16: _mma_103
    m16n8k32: _mma_111
    m16n8k64: _mma_149
    m16n8k8: _mma_115

class _mma_166(_mma):
    aligned: _mma_165

class _mma_167(_mma):
    sync: _mma_166

class _mma_168(_mma):
    sp: _mma_131
    sp__ordered_metadata: _mma_167
    sync: _mma_91

_mov_word: TypeAlias = Literal["b128", "b16", "b32", "b64", "f32", "f64", "pred", "s16", "s32", "s64", "u16", "u32", "u64", "v2", "v4"]

class _mov:
    """PTX ISA 9.0, 9.7.9

    mov.<t>
    mov.b128
    mov.<vec>.<t>
    mov.b16
    mov.b32
    mov.b64
    """

    def __getattr__(self, name: _mov_word, /) -> _mov_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _mov_any(_mov):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _mov_0(_mov):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _mov_1(_mov):
    b16: _mov_0
    b32: _mov_0
    b64: _mov_0
    f32: _mov_0
    f64: _mov_0
    s16: _mov_0
    s32: _mov_0
    s64: _mov_0
    u16: _mov_0
    u32: _mov_0
    u64: _mov_0

class _mov_2(_mov):
    b128: _mov_0
    b16: _mov_0
    b32: _mov_0
    b64: _mov_0
    f32: _mov_0
    f64: _mov_0
    pred: _mov_0
    s16: _mov_0
    s32: _mov_0
    s64: _mov_0
    u16: _mov_0
    u32: _mov_0
    u64: _mov_0
    v2: _mov_1
    v4: _mov_1

_movmatrix_word: TypeAlias = Literal["aligned", "b16", "m8n8", "sync", "trans"]

class _movmatrix:
    """PTX ISA 9.0, 9.7.14

    movmatrix.sync.aligned.m8n8.trans.b16
    """

    def __getattr__(self, name: _movmatrix_word, /) -> _movmatrix_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _movmatrix_any(_movmatrix):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _movmatrix_0(_movmatrix):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _movmatrix_1(_movmatrix):
    b16: _movmatrix_0

class _movmatrix_2(_movmatrix):
    trans: _movmatrix_1

class _movmatrix_3(_movmatrix):
    m8n8: _movmatrix_2

class _movmatrix_4(_movmatrix):
    aligned: _movmatrix_3

class _movmatrix_5(_movmatrix):
    sync: _movmatrix_4

_mul_word: TypeAlias = Literal[
    "bf16", "bf16x2", "f16", "f16x2", "f32", "f32x2", "f64", "ftz", "hi", "lo", "rm", "rn", "rp", "rz", "s16",
    "s32", "s64", "sat", "u16", "u32", "u64", "wide"
]

class _mul:
    """PTX ISA 9.0, 9.7.3

    mul{.<rnd>}{.ftz}{.sat}.f32
    mul{.<rnd>}.f64
    mul{.<rnd>}{.ftz}.f32x2
    mul{.rn}{.ftz}{.sat}.<t>
    mul{.rn}.<t>
    mul.<half>.<t>
    mul.wide.u16
    mul.wide.s16
    mul.wide.u32
    mul.wide.s32
    """

    def __getattr__(self, name: _mul_word, /) -> _mul_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _mul_any(_mul):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _mul_0(_mul):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _mul_1(_mul):
    f16: _mul_0
    f16x2: _mul_0
    f32: _mul_0

class _mul_2(_mul):
    f16: _mul_0
    f16x2: _mul_0
    f32: _mul_0
    f32x2: _mul_0
    sat: _mul_1

class _mul_3(_mul):
    bf16: _mul_0
    bf16x2: _mul_0
    f16: _mul_0
    f16x2: _mul_0
    f32: _mul_0
    f32x2: _mul_0
    f64: _mul_0
    ftz: _mul_2
    sat: _mul_1

class _mul_4(_mul):
    f32: _mul_0

class _mul_5(_mul):
    f32: _mul_0
    f32x2: _mul_0
    sat: _mul_4

class _mul_6(_mul):
    f32: _mul_0
    f32x2: _mul_0
    f64: _mul_0
    ftz: _mul_5
    sat: _mul_4

class _mul_7(_mul):
    s16: _mul_0
    s32: _mul_0
    s64: _mul_0
    u16: _mul_0
    u32: _mul_0
    u64: _mul_0

class _mul_8(_mul):
    s16: _mul_0
    s32: _mul_0
    u16: _mul_0
    u32: _mul_0

class _mul_9(_mul):
    bf16: _mul_0
    bf16x2: _mul_0
    f16: _mul_0
    f16x2: _mul_0
    f32: _mul_0
    f32x2: _mul_0
    f64: _mul_0
    ftz: _mul_2
    hi: _mul_7
    lo: _mul_7
    rm: _mul_6
    rn: _mul_3
    rp: _mul_6
    rz: _mul_6
    sat: _mul_1
    wide: _mul_8

_mul24_word: TypeAlias = Literal["hi", "lo", "s32", "u32"]

class _mul24:
    """PTX ISA 9.0, 9.7.1

    mul24.<half>.<t>
    """

    def __getattr__(self, name: _mul24_word, /) -> _mul24_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _mul24_any(_mul24):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _mul24_0(_mul24):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _mul24_1(_mul24):
    s32: _mul24_0
    u32: _mul24_0

class _mul24_2(_mul24):
    hi: _mul24_1
    lo: _mul24_1

_multimem_word: TypeAlias = Literal[
    "acc__f16", "acc__f32", "acquire", "add", "and_", "async_", "b32", "b64", "bf16", "bf16x2", "bulk",
    "bulk_group", "cluster", "cp", "cp_mask", "cta", "dec", "e4m3", "e4m3x2", "e4m3x4", "e5m2", "e5m2x2", "e5m2x4",
    "f16", "f16x2", "f32", "f64", "global_", "gpu", "inc", "ld_reduce", "max", "min", "noftz", "or_", "red",
    "reduce", "relaxed", "release", "s32", "s64", "shared__cta", "st", "sys", "u32", "u64", "v2", "v4", "v8",
    "weak", "xor"
]

class _multimem:
    """PTX ISA 9.0, 9.7.9

    multimem.ld_reduce{.<sem>}{.<scope>}{.global}.<op>.<t>
    multimem.ld_reduce.weak{.global}.<op>.<t>
    multimem.red{.<sem>}{.<scope>}{.global}.<op>.<t>
    multimem.ld_reduce{.<sem>}{.<scope>}{.global}.<op>{.acc::f32}.<vec>.<t>
    multimem.ld_reduce.weak{.global}.<op>{.acc::f32}.<vec>.<t>
    multimem.ld_reduce{.<sem>}{.<scope>}{.global}.<op>.<vec>.<t>
    multimem.ld_reduce.weak{.global}.<op>.<vec>.<t>
    multimem.red{.<sem>}{.<scope>}{.global}.add.<vec>.<t>
    multimem.st{.<sem>}{.<scope>}{.global}.<vec>.<t>
    multimem.st.weak{.global}.<vec>.<t>
    multimem.ld_reduce{.<sem>}{.<scope>}{.global}.<op>{.acc::f32}{.<vec>}.<t>
    multimem.ld_reduce.weak{.global}.<op>{.acc::f32}{.<vec>}.<t>
    multimem.ld_reduce{.<sem>}{.<scope>}{.global}.<op>{.<vec>}.<t>
    multimem.ld_reduce.weak{.global}.<op>{.<vec>}.<t>
    multimem.red{.<sem>}{.<scope>}{.global}.add{.<vec>}.<t>
    multimem.st{.<sem>}{.<scope>}{.global}{.<vec>}.<t>
    multimem.st.weak{.global}{.<vec>}.<t>
    multimem.red{.<sem>}{.<scope>}{.global}.add.<t>
    multimem.ld_reduce{.<sem>}{.<scope>}{.global}.<op>{.acc::f16}.<vec>.<t>
    multimem.ld_reduce.weak{.global}.<op>{.acc::f16}.<vec>.<t>
    multimem.ld_reduce{.<sem>}{.<scope>}{.global}.<op>{.acc::f16}{.<vec>}.<t>
    multimem.ld_reduce.weak{.global}.<op>{.acc::f16}{.<vec>}.<t>
    multimem.st{.<sem>}{.<scope>}{.global}.<t>
    multimem.st.weak{.global}.<t>
    multimem.cp.async.bulk.global.shared::cta.bulk_group{.cp_mask}
    multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.<op>.<t>
    """

    def __getattr__(self, name: _multimem_word, /) -> _multimem_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _multimem_any(_multimem):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _multimem_0(_multimem):
    def __call__(self, d: Place, address: Node, /, *, pred: Any = None) -> Any: ...

class _multimem_1(_multimem):
    bf16: _multimem_0
    bf16x2: _multimem_0
    f16: _multimem_0
    f16x2: _multimem_0

class _multimem_2(_multimem):
    bf16: _multimem_0
    f16: _multimem_0

class _multimem_3(_multimem):
    bf16x2: _multimem_0
    f16x2: _multimem_0
    v2: _multimem_1
    v4: _multimem_1
    v8: _multimem_2

class _multimem_4(_multimem):
    bf16: _multimem_0
    bf16x2: _multimem_0
    e4m3x2: _multimem_0
    e4m3x4: _multimem_0
    e5m2x2: _multimem_0
    e5m2x4: _multimem_0
    f16: _multimem_0
    f16x2: _multimem_0
    f32: _multimem_0

class _multimem_5(_multimem):
    bf16: _multimem_0
    bf16x2: _multimem_0
    e4m3: _multimem_0
    e4m3x2: _multimem_0
    e4m3x4: _multimem_0
    e5m2: _multimem_0
    e5m2x2: _multimem_0
    e5m2x4: _multimem_0
    f16: _multimem_0
    f16x2: _multimem_0
    f32: _multimem_0

class _multimem_6(_multimem):
    bf16: _multimem_0
    e4m3: _multimem_0
    e4m3x2: _multimem_0
    e5m2: _multimem_0
    e5m2x2: _multimem_0
    f16: _multimem_0

class _multimem_7(_multimem):
    e4m3: _multimem_0
    e4m3x2: _multimem_0
    e4m3x4: _multimem_0
    e5m2: _multimem_0
    e5m2x2: _multimem_0
    e5m2x4: _multimem_0

class _multimem_8(_multimem):
    e4m3: _multimem_0
    e4m3x2: _multimem_0
    e5m2: _multimem_0
    e5m2x2: _multimem_0

class _multimem_9(_multimem):
    e4m3x2: _multimem_0
    e4m3x4: _multimem_0
    e5m2x2: _multimem_0
    e5m2x4: _multimem_0

class _multimem_10(_multimem):
    e4m3x4: _multimem_0
    e5m2x4: _multimem_0
    v2: _multimem_9
    v4: _multimem_7
    v8: _multimem_8

class _multimem_11(_multimem):
    acc__f16: _multimem_10
    acc__f32: _multimem_3
    bf16x2: _multimem_0
    e4m3x4: _multimem_0
    e5m2x4: _multimem_0
    f16x2: _multimem_0
    f32: _multimem_0
    f64: _multimem_0
    s32: _multimem_0
    u32: _multimem_0
    u64: _multimem_0
    v2: _multimem_4
    v4: _multimem_5
    v8: _multimem_6

class _multimem_12(_multimem):
    b32: _multimem_0
    b64: _multimem_0

class _multimem_13(_multimem):
    bf16: _multimem_0
    bf16x2: _multimem_0
    e4m3x2: _multimem_0
    e4m3x4: _multimem_0
    e5m2x2: _multimem_0
    e5m2x4: _multimem_0
    f16: _multimem_0
    f16x2: _multimem_0

class _multimem_14(_multimem):
    bf16: _multimem_0
    bf16x2: _multimem_0
    e4m3: _multimem_0
    e4m3x2: _multimem_0
    e4m3x4: _multimem_0
    e5m2: _multimem_0
    e5m2x2: _multimem_0
    e5m2x4: _multimem_0
    f16: _multimem_0
    f16x2: _multimem_0

class _multimem_15(_multimem):
    acc__f16: _multimem_10
    bf16x2: _multimem_0
    e4m3x4: _multimem_0
    e5m2x4: _multimem_0
    f16x2: _multimem_0
    s32: _multimem_0
    s64: _multimem_0
    u32: _multimem_0
    u64: _multimem_0
    v2: _multimem_13
    v4: _multimem_14
    v8: _multimem_6

class _multimem_16(_multimem):
    add: _multimem_11
    and_: _multimem_12
    max: _multimem_15
    min: _multimem_15
    or_: _multimem_12
    xor: _multimem_12

class _multimem_17(_multimem):
    add: _multimem_11
    and_: _multimem_12
    global_: _multimem_16
    max: _multimem_15
    min: _multimem_15
    or_: _multimem_12
    xor: _multimem_12

class _multimem_18(_multimem):
    add: _multimem_11
    and_: _multimem_12
    cluster: _multimem_17
    cta: _multimem_17
    global_: _multimem_16
    gpu: _multimem_17
    max: _multimem_15
    min: _multimem_15
    or_: _multimem_12
    sys: _multimem_17
    xor: _multimem_12

class _multimem_19(_multimem):
    acquire: _multimem_18
    add: _multimem_11
    and_: _multimem_12
    cluster: _multimem_17
    cta: _multimem_17
    global_: _multimem_16
    gpu: _multimem_17
    max: _multimem_15
    min: _multimem_15
    or_: _multimem_12
    relaxed: _multimem_18
    sys: _multimem_17
    weak: _multimem_17
    xor: _multimem_12

class _multimem_20(_multimem):
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _multimem_21(_multimem):
    bf16: _multimem_20
    bf16x2: _multimem_20
    f16: _multimem_20
    f16x2: _multimem_20
    f32: _multimem_20

class _multimem_22(_multimem):
    bf16: _multimem_20
    f16: _multimem_20

class _multimem_23(_multimem):
    bf16x2: _multimem_20
    f16x2: _multimem_20
    f32: _multimem_20
    f64: _multimem_20
    s32: _multimem_20
    u32: _multimem_20
    u64: _multimem_20
    v2: _multimem_21
    v4: _multimem_21
    v8: _multimem_22

class _multimem_24(_multimem):
    b32: _multimem_20
    b64: _multimem_20

class _multimem_25(_multimem):
    s32: _multimem_20
    s64: _multimem_20
    u32: _multimem_20
    u64: _multimem_20

class _multimem_26(_multimem):
    add: _multimem_23
    and_: _multimem_24
    max: _multimem_25
    min: _multimem_25
    or_: _multimem_24
    xor: _multimem_24

class _multimem_27(_multimem):
    add: _multimem_23
    and_: _multimem_24
    global_: _multimem_26
    max: _multimem_25
    min: _multimem_25
    or_: _multimem_24
    xor: _multimem_24

class _multimem_28(_multimem):
    add: _multimem_23
    and_: _multimem_24
    cluster: _multimem_27
    cta: _multimem_27
    global_: _multimem_26
    gpu: _multimem_27
    max: _multimem_25
    min: _multimem_25
    or_: _multimem_24
    sys: _multimem_27
    xor: _multimem_24

class _multimem_29(_multimem):
    add: _multimem_23
    and_: _multimem_24
    cluster: _multimem_27
    cta: _multimem_27
    global_: _multimem_26
    gpu: _multimem_27
    max: _multimem_25
    min: _multimem_25
    or_: _multimem_24
    relaxed: _multimem_28
    release: _multimem_28
    sys: _multimem_27
    xor: _multimem_24

class _multimem_30(_multimem):
    b32: _multimem_20
    b64: _multimem_20
    bf16x2: _multimem_20
    f16x2: _multimem_20
    f32: _multimem_20
    f64: _multimem_20
    s32: _multimem_20
    s64: _multimem_20
    u32: _multimem_20
    u64: _multimem_20
    v2: _multimem_21
    v4: _multimem_21
    v8: _multimem_22

class _multimem_31(_multimem):
    b32: _multimem_20
    b64: _multimem_20
    bf16x2: _multimem_20
    f16x2: _multimem_20
    f32: _multimem_20
    f64: _multimem_20
    global_: _multimem_30
    s32: _multimem_20
    s64: _multimem_20
    u32: _multimem_20
    u64: _multimem_20
    v2: _multimem_21
    v4: _multimem_21
    v8: _multimem_22

class _multimem_32(_multimem):
    b32: _multimem_20
    b64: _multimem_20
    bf16x2: _multimem_20
    cluster: _multimem_31
    cta: _multimem_31
    f16x2: _multimem_20
    f32: _multimem_20
    f64: _multimem_20
    global_: _multimem_30
    gpu: _multimem_31
    s32: _multimem_20
    s64: _multimem_20
    sys: _multimem_31
    u32: _multimem_20
    u64: _multimem_20
    v2: _multimem_21
    v4: _multimem_21
    v8: _multimem_22

class _multimem_33(_multimem):
    b32: _multimem_20
    b64: _multimem_20
    bf16x2: _multimem_20
    cluster: _multimem_31
    cta: _multimem_31
    f16x2: _multimem_20
    f32: _multimem_20
    f64: _multimem_20
    global_: _multimem_30
    gpu: _multimem_31
    relaxed: _multimem_32
    release: _multimem_32
    s32: _multimem_20
    s64: _multimem_20
    sys: _multimem_31
    u32: _multimem_20
    u64: _multimem_20
    v2: _multimem_21
    v4: _multimem_21
    v8: _multimem_22
    weak: _multimem_31

class _multimem_34(_multimem):
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _multimem_35(_multimem):
    cp_mask: _multimem_34
    def __call__(self, address: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...

class _multimem_36(_multimem):
    bulk_group: _multimem_35

class _multimem_37(_multimem):
    shared__cta: _multimem_36

class _multimem_38(_multimem):
    global_: _multimem_37

class _multimem_39(_multimem):
    bulk: _multimem_38

class _multimem_40(_multimem):
    def __call__(self, address: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...

class _multimem_41(_multimem):
    b32: _multimem_40
    b64: _multimem_40

class _multimem_42(_multimem):
    bf16: _multimem_40
    f16: _multimem_40

class _multimem_43(_multimem):
    f32: _multimem_40
    f64: _multimem_40
    noftz: _multimem_42
    s32: _multimem_40
    u32: _multimem_40
    u64: _multimem_40

class _multimem_44(_multimem):
    u32: _multimem_40

class _multimem_45(_multimem):
    bf16: _multimem_40
    f16: _multimem_40
    s32: _multimem_40
    s64: _multimem_40
    u32: _multimem_40
    u64: _multimem_40

class _multimem_46(_multimem):
    add: _multimem_43
    and_: _multimem_41
    dec: _multimem_44
    inc: _multimem_44
    max: _multimem_45
    min: _multimem_45
    or_: _multimem_41
    xor: _multimem_41

class _multimem_47(_multimem):
    bulk_group: _multimem_46

class _multimem_48(_multimem):
    shared__cta: _multimem_47

class _multimem_49(_multimem):
    global_: _multimem_48

class _multimem_50(_multimem):
    bulk: _multimem_49

class _multimem_51(_multimem):
    async_: _multimem_50

class _multimem_52(_multimem):
    async_: _multimem_39
    reduce: _multimem_51

class _multimem_53(_multimem):
    cp: _multimem_52
    ld_reduce: _multimem_19
    red: _multimem_29
    st: _multimem_33

_nanosleep_word: TypeAlias = Literal["u32"]

class _nanosleep:
    """PTX ISA 9.0, 9.7.20

    nanosleep.u32
    """

    def __getattr__(self, name: _nanosleep_word, /) -> _nanosleep_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _nanosleep_any(_nanosleep):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _nanosleep_0(_nanosleep):
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

class _nanosleep_1(_nanosleep):
    u32: _nanosleep_0

_neg_word: TypeAlias = Literal["bf16", "bf16x2", "f16", "f16x2", "f32", "f64", "ftz", "s16", "s32", "s64"]

class _neg:
    """PTX ISA 9.0, 9.7.3

    neg{.ftz}.f32
    neg.f64
    neg{.ftz}.<t>
    neg.<t>
    """

    def __getattr__(self, name: _neg_word, /) -> _neg_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _neg_any(_neg):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _neg_0(_neg):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _neg_1(_neg):
    f16: _neg_0
    f16x2: _neg_0
    f32: _neg_0

class _neg_2(_neg):
    bf16: _neg_0
    bf16x2: _neg_0
    f16: _neg_0
    f16x2: _neg_0
    f32: _neg_0
    f64: _neg_0
    ftz: _neg_1
    s16: _neg_0
    s32: _neg_0
    s64: _neg_0

_not_word: TypeAlias = Literal["b16", "b32", "b64", "pred"]

class _not:
    """PTX ISA 9.0, 9.7.8

    not.<t>
    """

    def __getattr__(self, name: _not_word, /) -> _not_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _not_any(_not):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _not_0(_not):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _not_1(_not):
    b16: _not_0
    b32: _not_0
    b64: _not_0
    pred: _not_0

_or_word: TypeAlias = Literal["b16", "b32", "b64", "pred"]

class _or:
    """PTX ISA 9.0, 9.7.8

    or.<t>
    """

    def __getattr__(self, name: _or_word, /) -> _or_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _or_any(_or):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _or_0(_or):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _or_1(_or):
    b16: _or_0
    b32: _or_0
    b64: _or_0
    pred: _or_0

_pmevent_word: TypeAlias = Literal["mask"]

class _pmevent:
    """PTX ISA 9.0, 9.7.20

    pmevent
    pmevent.mask
    """

    def __getattr__(self, name: _pmevent_word, /) -> _pmevent_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _pmevent_any(_pmevent):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _pmevent_0(_pmevent):
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

class _pmevent_1(_pmevent):
    mask: _pmevent_0
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

_popc_word: TypeAlias = Literal["b32", "b64"]

class _popc:
    """PTX ISA 9.0, 9.7.1

    popc.<t>
    """

    def __getattr__(self, name: _popc_word, /) -> _popc_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _popc_any(_popc):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _popc_0(_popc):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _popc_1(_popc):
    b32: _popc_0
    b64: _popc_0

_prefetch_word: TypeAlias = Literal["L1", "L2", "L2__evict_last", "L2__evict_normal", "const", "global_", "local", "param", "tensormap"]

class _prefetch:
    """PTX ISA 9.0, 9.7.9

    prefetch{.<space>}.<level>
    prefetch.global.<level>
    prefetch{.<space>}.tensormap
    """

    def __getattr__(self, name: _prefetch_word, /) -> _prefetch_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _prefetch_any(_prefetch):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _prefetch_0(_prefetch):
    def __call__(self, address: Node, /, *, pred: Any = None) -> Any: ...

class _prefetch_1(_prefetch):
    L1: _prefetch_0
    L2: _prefetch_0
    L2__evict_last: _prefetch_0
    L2__evict_normal: _prefetch_0

class _prefetch_2(_prefetch):
    L1: _prefetch_0
    L2: _prefetch_0

class _prefetch_3(_prefetch):
    tensormap: _prefetch_0

class _prefetch_4(_prefetch):
    L1: _prefetch_0
    L2: _prefetch_0
    const: _prefetch_3
    global_: _prefetch_1
    local: _prefetch_2
    param: _prefetch_3
    tensormap: _prefetch_0

_prefetchu_word: TypeAlias = Literal["L1"]

class _prefetchu:
    """PTX ISA 9.0, 9.7.9

    prefetchu.L1
    """

    def __getattr__(self, name: _prefetchu_word, /) -> _prefetchu_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _prefetchu_any(_prefetchu):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _prefetchu_0(_prefetchu):
    def __call__(self, address: Node, /, *, pred: Any = None) -> Any: ...

class _prefetchu_1(_prefetchu):
    L1: _prefetchu_0

_prmt_word: TypeAlias = Literal["b32", "b4e", "ecl", "ecr", "f4e", "rc16", "rc8"]

class _prmt:
    """PTX ISA 9.0, 9.7.9

    prmt.b32{.<mode>}
    """

    def __getattr__(self, name: _prmt_word, /) -> _prmt_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _prmt_any(_prmt):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _prmt_0(_prmt):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _prmt_1(_prmt):
    b4e: _prmt_0
    ecl: _prmt_0
    ecr: _prmt_0
    f4e: _prmt_0
    rc16: _prmt_0
    rc8: _prmt_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _prmt_2(_prmt):
    b32: _prmt_1

_rcp_word: TypeAlias = Literal["approx", "f32", "f64", "ftz", "rm", "rn", "rp", "rz"]

class _rcp:
    """PTX ISA 9.0, 9.7.3

    rcp.<how>{.ftz}.f32
    rcp.<rnd>.f64
    rcp.approx.ftz.f64
    """

    def __getattr__(self, name: _rcp_word, /) -> _rcp_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _rcp_any(_rcp):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _rcp_0(_rcp):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _rcp_1(_rcp):
    f32: _rcp_0
    f64: _rcp_0

class _rcp_2(_rcp):
    f32: _rcp_0
    ftz: _rcp_1

class _rcp_3(_rcp):
    f32: _rcp_0

class _rcp_4(_rcp):
    f32: _rcp_0
    f64: _rcp_0
    ftz: _rcp_3

class _rcp_5(_rcp):
    approx: _rcp_2
    rm: _rcp_4
    rn: _rcp_4
    rp: _rcp_4
    rz: _rcp_4

_red_word: TypeAlias = Literal[
    "L2__cache_hint", "add", "and_", "async_", "b32", "b64", "bf16", "bf16x2", "cluster", "cta", "dec", "f16",
    "f16x2", "f32", "f64", "global_", "gpu", "inc", "max", "mbarrier__complete_tx__bytes", "min", "mmio", "noftz",
    "or_", "relaxed", "release", "s32", "s64", "shared", "shared__cluster", "shared__cta", "sys", "u32", "u64",
    "v2", "v4", "v8", "xor"
]

class _red:
    """PTX ISA 9.0, 9.7.13

    red{.<sem>}{.<scope>}{.<space>}.<op>{.L2::cache_hint}.<t>
    red.<space>.<scope>{.<sem>}.<op>{.L2::cache_hint}.<t>
    red.<space>.<sem>{.<scope>}.<op>{.L2::cache_hint}.<t>
    red{.<sem>}{.<scope>}{.<space>}.add.noftz{.L2::cache_hint}.f16
    red.<space>.<scope>{.<sem>}.add.noftz{.L2::cache_hint}.f16
    red.<space>.<sem>{.<scope>}.add.noftz{.L2::cache_hint}.f16
    red{.<sem>}{.<scope>}{.<space>}.add.noftz{.L2::cache_hint}.f16x2
    red.<space>.<scope>{.<sem>}.add.noftz{.L2::cache_hint}.f16x2
    red.<space>.<sem>{.<scope>}.add.noftz{.L2::cache_hint}.f16x2
    red{.<sem>}{.<scope>}{.<space>}.add.noftz{.L2::cache_hint}.bf16
    red.<space>.<scope>{.<sem>}.add.noftz{.L2::cache_hint}.bf16
    red.<space>.<sem>{.<scope>}.add.noftz{.L2::cache_hint}.bf16
    red{.<sem>}{.<scope>}{.<space>}.add.noftz{.L2::cache_hint}.bf16x2
    red.<space>.<scope>{.<sem>}.add.noftz{.L2::cache_hint}.bf16x2
    red.<space>.<sem>{.<scope>}.add.noftz{.L2::cache_hint}.bf16x2
    red{.<sem>}{.<scope>}{.<space>}.<op>.noftz{.L2::cache_hint}.<vec>.<t>
    red.<space>.<scope>{.<sem>}.<op>.noftz{.L2::cache_hint}.<vec>.<t>
    red.<space>.<sem>{.<scope>}.<op>.noftz{.L2::cache_hint}.<vec>.<t>
    red{.<sem>}{.<scope>}{.<space>}.add{.L2::cache_hint}.<vec>.f32
    red.<space>.<scope>{.<sem>}.add{.L2::cache_hint}.<vec>.f32
    red.<space>.<sem>{.<scope>}.add{.L2::cache_hint}.<vec>.f32
    red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.<op>.<t>
    red.async{.mmio}.release.<scope>{.global}.add.<t>
    """

    def __getattr__(self, name: _red_word, /) -> _red_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _red_any(_red):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _red_0(_red):
    def __call__(
        self, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _red_1(_red):
    b32: _red_0
    b64: _red_0

class _red_2(_red):
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _red_3(_red):
    L2__cache_hint: _red_1
    b32: _red_2
    b64: _red_2

class _red_4(_red):
    f32: _red_0

class _red_5(_red):
    f32: _red_0
    f64: _red_0
    s32: _red_0
    u32: _red_0
    u64: _red_0
    v2: _red_4
    v4: _red_4

class _red_6(_red):
    bf16: _red_0
    bf16x2: _red_0
    f16: _red_0
    f16x2: _red_0

class _red_7(_red):
    bf16: _red_0
    f16: _red_0

class _red_8(_red):
    bf16: _red_0
    bf16x2: _red_0
    f16: _red_0
    f16x2: _red_0
    v2: _red_6
    v4: _red_6
    v8: _red_7

class _red_9(_red):
    bf16: _red_2
    bf16x2: _red_2
    f16: _red_2
    f16x2: _red_2

class _red_10(_red):
    bf16: _red_2
    f16: _red_2

class _red_11(_red):
    L2__cache_hint: _red_8
    bf16: _red_2
    bf16x2: _red_2
    f16: _red_2
    f16x2: _red_2
    v2: _red_9
    v4: _red_9
    v8: _red_10

class _red_12(_red):
    f32: _red_2

class _red_13(_red):
    L2__cache_hint: _red_5
    f32: _red_2
    f64: _red_2
    noftz: _red_11
    s32: _red_2
    u32: _red_2
    u64: _red_2
    v2: _red_12
    v4: _red_12

class _red_14(_red):
    u32: _red_0

class _red_15(_red):
    L2__cache_hint: _red_14
    u32: _red_2

class _red_16(_red):
    s32: _red_0
    s64: _red_0
    u32: _red_0
    u64: _red_0

class _red_17(_red):
    v2: _red_6
    v4: _red_6
    v8: _red_7

class _red_18(_red):
    L2__cache_hint: _red_17
    v2: _red_9
    v4: _red_9
    v8: _red_10

class _red_19(_red):
    L2__cache_hint: _red_16
    noftz: _red_18
    s32: _red_2
    s64: _red_2
    u32: _red_2
    u64: _red_2

class _red_20(_red):
    add: _red_13
    and_: _red_3
    dec: _red_15
    inc: _red_15
    max: _red_19
    min: _red_19
    or_: _red_3
    xor: _red_3

class _red_21(_red):
    f32: _red_0
    f64: _red_0
    s32: _red_0
    u32: _red_0
    u64: _red_0

class _red_22(_red):
    L2__cache_hint: _red_6
    bf16: _red_2
    bf16x2: _red_2
    f16: _red_2
    f16x2: _red_2

class _red_23(_red):
    L2__cache_hint: _red_21
    f32: _red_2
    f64: _red_2
    noftz: _red_22
    s32: _red_2
    u32: _red_2
    u64: _red_2

class _red_24(_red):
    L2__cache_hint: _red_16
    s32: _red_2
    s64: _red_2
    u32: _red_2
    u64: _red_2

class _red_25(_red):
    add: _red_23
    and_: _red_3
    dec: _red_15
    inc: _red_15
    max: _red_24
    min: _red_24
    or_: _red_3
    xor: _red_3

class _red_26(_red):
    add: _red_13
    and_: _red_3
    dec: _red_15
    global_: _red_20
    inc: _red_15
    max: _red_19
    min: _red_19
    or_: _red_3
    shared: _red_25
    shared__cluster: _red_25
    shared__cta: _red_25
    xor: _red_3

class _red_27(_red):
    add: _red_13
    and_: _red_3
    cluster: _red_26
    cta: _red_26
    dec: _red_15
    global_: _red_20
    gpu: _red_26
    inc: _red_15
    max: _red_19
    min: _red_19
    or_: _red_3
    shared: _red_25
    shared__cluster: _red_25
    shared__cta: _red_25
    sys: _red_26
    xor: _red_3

class _red_28(_red):
    add: _red_13
    and_: _red_3
    dec: _red_15
    inc: _red_15
    max: _red_19
    min: _red_19
    or_: _red_3
    relaxed: _red_20
    release: _red_20
    xor: _red_3

class _red_29(_red):
    add: _red_13
    and_: _red_3
    cluster: _red_20
    cta: _red_20
    dec: _red_15
    gpu: _red_20
    inc: _red_15
    max: _red_19
    min: _red_19
    or_: _red_3
    sys: _red_20
    xor: _red_3

class _red_30(_red):
    add: _red_13
    and_: _red_3
    cluster: _red_28
    cta: _red_28
    dec: _red_15
    gpu: _red_28
    inc: _red_15
    max: _red_19
    min: _red_19
    or_: _red_3
    relaxed: _red_29
    release: _red_29
    sys: _red_28
    xor: _red_3

class _red_31(_red):
    add: _red_23
    and_: _red_3
    dec: _red_15
    inc: _red_15
    max: _red_24
    min: _red_24
    or_: _red_3
    relaxed: _red_25
    release: _red_25
    xor: _red_3

class _red_32(_red):
    add: _red_23
    and_: _red_3
    cluster: _red_25
    cta: _red_25
    dec: _red_15
    gpu: _red_25
    inc: _red_15
    max: _red_24
    min: _red_24
    or_: _red_3
    sys: _red_25
    xor: _red_3

class _red_33(_red):
    add: _red_23
    and_: _red_3
    cluster: _red_31
    cta: _red_31
    dec: _red_15
    gpu: _red_31
    inc: _red_15
    max: _red_24
    min: _red_24
    or_: _red_3
    relaxed: _red_32
    release: _red_32
    sys: _red_31
    xor: _red_3

class _red_34(_red):
    def __call__(self, address: Node, a: Operand, b: Node, /, *, pred: Any = None) -> Any: ...

class _red_35(_red):
    u32: _red_34

class _red_36(_red):
    s32: _red_34
    u32: _red_34

class _red_37(_red):
    b32: _red_34

class _red_38(_red):
    s32: _red_34
    u32: _red_34
    u64: _red_34

class _red_39(_red):
    add: _red_38
    and_: _red_37
    dec: _red_35
    inc: _red_35
    max: _red_36
    min: _red_36
    or_: _red_37
    xor: _red_37

class _red_40(_red):
    mbarrier__complete_tx__bytes: _red_39

class _red_41(_red):
    mbarrier__complete_tx__bytes: _red_39
    shared__cluster: _red_40

class _red_42(_red):
    cluster: _red_41

class _red_43(_red):
    s32: _red_2
    s64: _red_2
    u32: _red_2
    u64: _red_2

class _red_44(_red):
    add: _red_43

class _red_45(_red):
    add: _red_43
    global_: _red_44

class _red_46(_red):
    gpu: _red_45
    sys: _red_45

class _red_47(_red):
    release: _red_46

class _red_48(_red):
    mmio: _red_47
    relaxed: _red_42
    release: _red_46

class _red_49(_red):
    add: _red_13
    and_: _red_3
    async_: _red_48
    cluster: _red_26
    cta: _red_26
    dec: _red_15
    global_: _red_30
    gpu: _red_26
    inc: _red_15
    max: _red_19
    min: _red_19
    or_: _red_3
    relaxed: _red_27
    release: _red_27
    shared: _red_33
    shared__cluster: _red_33
    shared__cta: _red_33
    sys: _red_26
    xor: _red_3

_redux_word: TypeAlias = Literal["NaN", "abs", "add", "and_", "b32", "f32", "max", "min", "or_", "s32", "sync", "u32", "xor"]

class _redux:
    """PTX ISA 9.0, 9.7.13

    redux.sync.<op>.<t>
    redux.sync.<op>.b32
    redux.sync.<op>{.abs}{.NaN}.f32
    """

    def __getattr__(self, name: _redux_word, /) -> _redux_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _redux_any(_redux):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _redux_0(_redux):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _redux_1(_redux):
    s32: _redux_0
    u32: _redux_0

class _redux_2(_redux):
    f32: _redux_0

class _redux_3(_redux):
    NaN: _redux_2
    f32: _redux_0

class _redux_4(_redux):
    NaN: _redux_2
    abs: _redux_3
    f32: _redux_0
    s32: _redux_0
    u32: _redux_0

class _redux_5(_redux):
    b32: _redux_0

class _redux_6(_redux):
    add: _redux_1
    and_: _redux_5
    max: _redux_4
    min: _redux_4
    or_: _redux_5
    xor: _redux_5

class _redux_7(_redux):
    sync: _redux_6

_rem_word: TypeAlias = Literal["s16", "s32", "s64", "u16", "u32", "u64"]

class _rem:
    """PTX ISA 9.0, 9.7.1

    rem.<t>
    """

    def __getattr__(self, name: _rem_word, /) -> _rem_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _rem_any(_rem):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _rem_0(_rem):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _rem_1(_rem):
    s16: _rem_0
    s32: _rem_0
    s64: _rem_0
    u16: _rem_0
    u32: _rem_0
    u64: _rem_0

_ret_word: TypeAlias = Literal["uni"]

class _ret:
    """PTX ISA 9.0, 9.7.12

    ret{.uni}
    """

    def __getattr__(self, name: _ret_word, /) -> _ret_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _ret_any(_ret):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _ret_0(_ret):
    def __call__(self, *, pred: Any = None) -> Any: ...

class _ret_1(_ret):
    uni: _ret_0
    def __call__(self, *, pred: Any = None) -> Any: ...

_rsqrt_word: TypeAlias = Literal["approx", "f32", "f64", "ftz"]

class _rsqrt:
    """PTX ISA 9.0, 9.7.3

    rsqrt.approx{.ftz}.f32
    rsqrt.approx{.ftz}.f64
    """

    def __getattr__(self, name: _rsqrt_word, /) -> _rsqrt_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _rsqrt_any(_rsqrt):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _rsqrt_0(_rsqrt):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _rsqrt_1(_rsqrt):
    f32: _rsqrt_0
    f64: _rsqrt_0

class _rsqrt_2(_rsqrt):
    f32: _rsqrt_0
    f64: _rsqrt_0
    ftz: _rsqrt_1

class _rsqrt_3(_rsqrt):
    approx: _rsqrt_2

_sad_word: TypeAlias = Literal["s16", "s32", "s64", "u16", "u32", "u64"]

class _sad:
    """PTX ISA 9.0, 9.7.1

    sad.<t>
    """

    def __getattr__(self, name: _sad_word, /) -> _sad_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _sad_any(_sad):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _sad_0(_sad):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _sad_1(_sad):
    s16: _sad_0
    s32: _sad_0
    s64: _sad_0
    u16: _sad_0
    u32: _sad_0
    u64: _sad_0

_selp_word: TypeAlias = Literal["b16", "b32", "b64", "f32", "f64", "s16", "s32", "s64", "u16", "u32", "u64"]

class _selp:
    """PTX ISA 9.0, 9.7.6

    selp.<t>
    """

    def __getattr__(self, name: _selp_word, /) -> _selp_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _selp_any(_selp):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _selp_0(_selp):
    def __call__(
        self, d: Place, a: Operand, b: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _selp_1(_selp):
    b16: _selp_0
    b32: _selp_0
    b64: _selp_0
    f32: _selp_0
    f64: _selp_0
    s16: _selp_0
    s32: _selp_0
    s64: _selp_0
    u16: _selp_0
    u32: _selp_0
    u64: _selp_0

_set_word: TypeAlias = Literal[
    "and_", "b16", "b32", "b64", "bf16", "bf16x2", "eq", "equ", "f16", "f16x2", "f32", "f64", "ftz", "ge", "geu",
    "gt", "gtu", "hi", "hs", "le", "leu", "lo", "ls", "lt", "ltu", "nan", "ne", "neu", "num", "or_", "s16", "s32",
    "s64", "u16", "u32", "u64", "xor"
]

class _set:
    """PTX ISA 9.0, 9.7.6

    set.<cmp>.<d>.<t>
    set.<cmp>.<bool>.<d>.<t>
    set.<cmp>{.ftz}.<d>.f32
    set.<cmp>.<bool>{.ftz}.<d>.f32
    set.<cmp>{.ftz}.f16.<t>
    set.<cmp>.bf16.<t>
    set.<cmp>{.ftz}.<d>.f16
    set.<cmp>.<d>.bf16
    set.<cmp>{.ftz}.f16x2.f16x2
    set.<cmp>.bf16x2.bf16x2
    set.<cmp>.<bool>{.ftz}.f16.<t>
    set.<cmp>.<bool>.bf16.<t>
    set.<cmp>.<bool>{.ftz}.<d>.f16
    set.<cmp>.<bool>.<d>.bf16
    set.<cmp>.<bool>{.ftz}.f16x2.f16x2
    set.<cmp>.<bool>.bf16x2.bf16x2
    """

    def __getattr__(self, name: _set_word, /) -> _set_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _set_any(_set):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _set_0(_set):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _set_1(_set):
    b16: _set_0
    b32: _set_0
    b64: _set_0
    bf16: _set_0
    f16: _set_0
    f32: _set_0
    f64: _set_0
    s16: _set_0
    s32: _set_0
    s64: _set_0
    u16: _set_0
    u32: _set_0
    u64: _set_0

class _set_2(_set):
    b16: _set_0
    b32: _set_0
    b64: _set_0
    f32: _set_0
    f64: _set_0
    s16: _set_0
    s32: _set_0
    s64: _set_0
    u16: _set_0
    u32: _set_0
    u64: _set_0

class _set_3(_set):
    def __call__(
        self, d: Place, a: Operand, b: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _set_4(_set):
    b16: _set_3
    b32: _set_3
    b64: _set_3
    bf16: _set_3
    f16: _set_3
    f32: _set_3
    f64: _set_3
    s16: _set_3
    s32: _set_3
    s64: _set_3
    u16: _set_3
    u32: _set_3
    u64: _set_3

class _set_5(_set):
    b16: _set_3
    b32: _set_3
    b64: _set_3
    f32: _set_3
    f64: _set_3
    s16: _set_3
    s32: _set_3
    s64: _set_3
    u16: _set_3
    u32: _set_3
    u64: _set_3

class _set_6(_set):
    f16: _set_3
    f32: _set_3

class _set_7(_set):
    f32: _set_3

class _set_8(_set):
    f16: _set_3

class _set_9(_set):
    f16x2: _set_3

class _set_10(_set):
    f16: _set_8
    f16x2: _set_9
    f32: _set_7
    s16: _set_8
    s32: _set_6
    u16: _set_8
    u32: _set_6

class _set_11(_set):
    bf16: _set_3

class _set_12(_set):
    bf16: _set_3
    f16: _set_3

class _set_13(_set):
    bf16x2: _set_3

class _set_14(_set):
    bf16: _set_11
    bf16x2: _set_13
    f16: _set_8
    f16x2: _set_9
    f32: _set_5
    ftz: _set_10
    s16: _set_12
    s32: _set_4
    u16: _set_12
    u32: _set_4

class _set_15(_set):
    f16: _set_0
    f32: _set_0

class _set_16(_set):
    f32: _set_0

class _set_17(_set):
    f16: _set_0

class _set_18(_set):
    f16x2: _set_0

class _set_19(_set):
    f16: _set_17
    f16x2: _set_18
    f32: _set_16
    s16: _set_17
    s32: _set_15
    u16: _set_17
    u32: _set_15

class _set_20(_set):
    bf16: _set_0

class _set_21(_set):
    bf16: _set_0
    f16: _set_0

class _set_22(_set):
    bf16x2: _set_0

class _set_23(_set):
    and_: _set_14
    bf16: _set_20
    bf16x2: _set_22
    f16: _set_17
    f16x2: _set_18
    f32: _set_2
    ftz: _set_19
    or_: _set_14
    s16: _set_21
    s32: _set_1
    u16: _set_21
    u32: _set_1
    xor: _set_14

class _set_24(_set):
    bf16: _set_0
    f16: _set_0
    f32: _set_0
    f64: _set_0
    s16: _set_0
    s32: _set_0
    s64: _set_0
    u16: _set_0
    u32: _set_0
    u64: _set_0

class _set_25(_set):
    f32: _set_0
    f64: _set_0
    s16: _set_0
    s32: _set_0
    s64: _set_0
    u16: _set_0
    u32: _set_0
    u64: _set_0

class _set_26(_set):
    bf16: _set_3
    f16: _set_3
    f32: _set_3
    f64: _set_3
    s16: _set_3
    s32: _set_3
    s64: _set_3
    u16: _set_3
    u32: _set_3
    u64: _set_3

class _set_27(_set):
    f32: _set_3
    f64: _set_3
    s16: _set_3
    s32: _set_3
    s64: _set_3
    u16: _set_3
    u32: _set_3
    u64: _set_3

class _set_28(_set):
    bf16: _set_11
    bf16x2: _set_13
    f16: _set_8
    f16x2: _set_9
    f32: _set_27
    ftz: _set_10
    s16: _set_12
    s32: _set_26
    u16: _set_12
    u32: _set_26

class _set_29(_set):
    and_: _set_28
    bf16: _set_20
    bf16x2: _set_22
    f16: _set_17
    f16x2: _set_18
    f32: _set_25
    ftz: _set_19
    or_: _set_28
    s16: _set_21
    s32: _set_24
    u16: _set_21
    u32: _set_24
    xor: _set_28

class _set_30(_set):
    u16: _set_0
    u32: _set_0
    u64: _set_0

class _set_31(_set):
    u16: _set_3
    u32: _set_3
    u64: _set_3

class _set_32(_set):
    f32: _set_31
    s32: _set_31
    u32: _set_31

class _set_33(_set):
    and_: _set_32
    f32: _set_30
    or_: _set_32
    s32: _set_30
    u32: _set_30
    xor: _set_32

class _set_34(_set):
    bf16: _set_0
    f16: _set_0
    f32: _set_0
    f64: _set_0

class _set_35(_set):
    f32: _set_0
    f64: _set_0

class _set_36(_set):
    bf16: _set_3
    f16: _set_3
    f32: _set_3
    f64: _set_3

class _set_37(_set):
    f32: _set_3
    f64: _set_3

class _set_38(_set):
    bf16: _set_11
    bf16x2: _set_13
    f16: _set_8
    f16x2: _set_9
    f32: _set_37
    ftz: _set_10
    s16: _set_12
    s32: _set_36
    u16: _set_12
    u32: _set_36

class _set_39(_set):
    and_: _set_38
    bf16: _set_20
    bf16x2: _set_22
    f16: _set_17
    f16x2: _set_18
    f32: _set_35
    ftz: _set_19
    or_: _set_38
    s16: _set_21
    s32: _set_34
    u16: _set_21
    u32: _set_34
    xor: _set_38

class _set_40(_set):
    eq: _set_23
    equ: _set_39
    ge: _set_29
    geu: _set_39
    gt: _set_29
    gtu: _set_39
    hi: _set_33
    hs: _set_33
    le: _set_29
    leu: _set_39
    lo: _set_33
    ls: _set_33
    lt: _set_29
    ltu: _set_39
    nan: _set_39
    ne: _set_23
    neu: _set_39
    num: _set_39

_setmaxnreg_word: TypeAlias = Literal["aligned", "dec", "inc", "sync", "u32"]

class _setmaxnreg:
    """PTX ISA 9.0, 9.7.20

    setmaxnreg.<how>.sync.aligned.u32
    """

    def __getattr__(self, name: _setmaxnreg_word, /) -> _setmaxnreg_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _setmaxnreg_any(_setmaxnreg):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _setmaxnreg_0(_setmaxnreg):
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

class _setmaxnreg_1(_setmaxnreg):
    u32: _setmaxnreg_0

class _setmaxnreg_2(_setmaxnreg):
    aligned: _setmaxnreg_1

class _setmaxnreg_3(_setmaxnreg):
    sync: _setmaxnreg_2

class _setmaxnreg_4(_setmaxnreg):
    dec: _setmaxnreg_3
    inc: _setmaxnreg_3

_setp_word: TypeAlias = Literal[
    "and_", "b16", "b32", "b64", "bf16", "bf16x2", "eq", "equ", "f16", "f16x2", "f32", "f64", "ftz", "ge", "geu",
    "gt", "gtu", "hi", "hs", "le", "leu", "lo", "ls", "lt", "ltu", "nan", "ne", "neu", "num", "or_", "s16", "s32",
    "s64", "u16", "u32", "u64", "xor"
]

class _setp:
    """PTX ISA 9.0, 9.7.6

    setp.<cmp>.<t>
    setp.<cmp>.<bool>.<t>
    setp.<cmp>{.ftz}.f32
    setp.<cmp>.<bool>{.ftz}.f32
    setp.<cmp>{.ftz}.f16
    setp.<cmp>{.ftz}.f16x2
    setp.<cmp>.bf16
    setp.<cmp>.bf16x2
    setp.<cmp>.<bool>{.ftz}.f16
    setp.<cmp>.<bool>{.ftz}.f16x2
    setp.<cmp>.<bool>.bf16
    setp.<cmp>.<bool>.bf16x2
    """

    def __getattr__(self, name: _setp_word, /) -> _setp_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _setp_any(_setp):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _setp_0(_setp):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _setp_1(_setp):
    def __call__(
        self, d: Place, a: Operand, b: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _setp_2(_setp):
    f16: _setp_1
    f16x2: _setp_1
    f32: _setp_1

class _setp_3(_setp):
    b16: _setp_1
    b32: _setp_1
    b64: _setp_1
    bf16: _setp_1
    bf16x2: _setp_1
    f16: _setp_1
    f16x2: _setp_1
    f32: _setp_1
    f64: _setp_1
    ftz: _setp_2
    s16: _setp_1
    s32: _setp_1
    s64: _setp_1
    u16: _setp_1
    u32: _setp_1
    u64: _setp_1

class _setp_4(_setp):
    f16: _setp_0
    f16x2: _setp_0
    f32: _setp_0

class _setp_5(_setp):
    and_: _setp_3
    b16: _setp_0
    b32: _setp_0
    b64: _setp_0
    bf16: _setp_0
    bf16x2: _setp_0
    f16: _setp_0
    f16x2: _setp_0
    f32: _setp_0
    f64: _setp_0
    ftz: _setp_4
    or_: _setp_3
    s16: _setp_0
    s32: _setp_0
    s64: _setp_0
    u16: _setp_0
    u32: _setp_0
    u64: _setp_0
    xor: _setp_3

class _setp_6(_setp):
    bf16: _setp_1
    bf16x2: _setp_1
    f16: _setp_1
    f16x2: _setp_1
    f32: _setp_1
    f64: _setp_1
    ftz: _setp_2
    s16: _setp_1
    s32: _setp_1
    s64: _setp_1
    u16: _setp_1
    u32: _setp_1
    u64: _setp_1

class _setp_7(_setp):
    and_: _setp_6
    bf16: _setp_0
    bf16x2: _setp_0
    f16: _setp_0
    f16x2: _setp_0
    f32: _setp_0
    f64: _setp_0
    ftz: _setp_4
    or_: _setp_6
    s16: _setp_0
    s32: _setp_0
    s64: _setp_0
    u16: _setp_0
    u32: _setp_0
    u64: _setp_0
    xor: _setp_6

class _setp_8(_setp):
    u16: _setp_1
    u32: _setp_1
    u64: _setp_1

class _setp_9(_setp):
    and_: _setp_8
    or_: _setp_8
    u16: _setp_0
    u32: _setp_0
    u64: _setp_0
    xor: _setp_8

class _setp_10(_setp):
    bf16: _setp_1
    bf16x2: _setp_1
    f16: _setp_1
    f16x2: _setp_1
    f32: _setp_1
    f64: _setp_1
    ftz: _setp_2

class _setp_11(_setp):
    and_: _setp_10
    bf16: _setp_0
    bf16x2: _setp_0
    f16: _setp_0
    f16x2: _setp_0
    f32: _setp_0
    f64: _setp_0
    ftz: _setp_4
    or_: _setp_10
    xor: _setp_10

class _setp_12(_setp):
    eq: _setp_5
    equ: _setp_11
    ge: _setp_7
    geu: _setp_11
    gt: _setp_7
    gtu: _setp_11
    hi: _setp_9
    hs: _setp_9
    le: _setp_7
    leu: _setp_11
    lo: _setp_9
    ls: _setp_9
    lt: _setp_7
    ltu: _setp_11
    nan: _setp_11
    ne: _setp_5
    neu: _setp_11
    num: _setp_11

_shf_word: TypeAlias = Literal["b32", "clamp", "l", "r", "wrap"]

class _shf:
    """PTX ISA 9.0, 9.7.8

    shf.<way>.<mode>.b32
    """

    def __getattr__(self, name: _shf_word, /) -> _shf_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _shf_any(_shf):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _shf_0(_shf):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _shf_1(_shf):
    b32: _shf_0

class _shf_2(_shf):
    clamp: _shf_1
    wrap: _shf_1

class _shf_3(_shf):
    l: _shf_2
    r: _shf_2

_shfl_word: TypeAlias = Literal["b32", "bfly", "down", "idx", "sync", "up"]

class _shfl:
    """PTX ISA 9.0, 9.7.9

    shfl.sync.<way>.b32
    """

    def __getattr__(self, name: _shfl_word, /) -> _shfl_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _shfl_any(_shfl):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _shfl_0(_shfl):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...

class _shfl_1(_shfl):
    b32: _shfl_0

class _shfl_2(_shfl):
    bfly: _shfl_1
    down: _shfl_1
    idx: _shfl_1
    up: _shfl_1

class _shfl_3(_shfl):
    sync: _shfl_2

_shl_word: TypeAlias = Literal["b16", "b32", "b64"]

class _shl:
    """PTX ISA 9.0, 9.7.8

    shl.<t>
    """

    def __getattr__(self, name: _shl_word, /) -> _shl_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _shl_any(_shl):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _shl_0(_shl):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _shl_1(_shl):
    b16: _shl_0
    b32: _shl_0
    b64: _shl_0

_shr_word: TypeAlias = Literal["b16", "b32", "b64", "s16", "s32", "s64", "u16", "u32", "u64"]

class _shr:
    """PTX ISA 9.0, 9.7.8

    shr.<t>
    """

    def __getattr__(self, name: _shr_word, /) -> _shr_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _shr_any(_shr):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _shr_0(_shr):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _shr_1(_shr):
    b16: _shr_0
    b32: _shr_0
    b64: _shr_0
    s16: _shr_0
    s32: _shr_0
    s64: _shr_0
    u16: _shr_0
    u32: _shr_0
    u64: _shr_0

_sin_word: TypeAlias = Literal["approx", "f32", "ftz"]

class _sin:
    """PTX ISA 9.0, 9.7.3

    sin.approx{.ftz}.f32
    """

    def __getattr__(self, name: _sin_word, /) -> _sin_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _sin_any(_sin):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _sin_0(_sin):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _sin_1(_sin):
    f32: _sin_0

class _sin_2(_sin):
    f32: _sin_0
    ftz: _sin_1

class _sin_3(_sin):
    approx: _sin_2

_slct_word: TypeAlias = Literal["b16", "b32", "b64", "f32", "f64", "ftz", "s16", "s32", "s64", "u16", "u32", "u64"]

class _slct:
    """PTX ISA 9.0, 9.7.6

    slct.<t>.s32
    slct{.ftz}.<t>.f32
    """

    def __getattr__(self, name: _slct_word, /) -> _slct_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _slct_any(_slct):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _slct_0(_slct):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _slct_1(_slct):
    f32: _slct_0
    s32: _slct_0

class _slct_2(_slct):
    f32: _slct_0

class _slct_3(_slct):
    b16: _slct_2
    b32: _slct_2
    b64: _slct_2
    f32: _slct_2
    f64: _slct_2
    s16: _slct_2
    s32: _slct_2
    s64: _slct_2
    u16: _slct_2
    u32: _slct_2
    u64: _slct_2

class _slct_4(_slct):
    b16: _slct_1
    b32: _slct_1
    b64: _slct_1
    f32: _slct_1
    f64: _slct_1
    ftz: _slct_3
    s16: _slct_1
    s32: _slct_1
    s64: _slct_1
    u16: _slct_1
    u32: _slct_1
    u64: _slct_1

_sqrt_word: TypeAlias = Literal["approx", "f32", "f64", "ftz", "rm", "rn", "rp", "rz"]

class _sqrt:
    """PTX ISA 9.0, 9.7.3

    sqrt.<how>{.ftz}.f32
    sqrt.<rnd>.f64
    """

    def __getattr__(self, name: _sqrt_word, /) -> _sqrt_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _sqrt_any(_sqrt):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _sqrt_0(_sqrt):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _sqrt_1(_sqrt):
    f32: _sqrt_0

class _sqrt_2(_sqrt):
    f32: _sqrt_0
    ftz: _sqrt_1

class _sqrt_3(_sqrt):
    f32: _sqrt_0
    f64: _sqrt_0
    ftz: _sqrt_1

class _sqrt_4(_sqrt):
    approx: _sqrt_2
    rm: _sqrt_3
    rn: _sqrt_3
    rp: _sqrt_3
    rz: _sqrt_3

_st_word: TypeAlias = Literal[
    "L1__evict_first", "L1__evict_last", "L1__evict_normal", "L1__evict_unchanged", "L1__no_allocate",
    "L2__cache_hint", "L2__evict_first", "L2__evict_last", "L2__evict_normal", "async_", "b128", "b16", "b32",
    "b64", "b8", "bulk", "cg", "cluster", "cs", "cta", "f32", "f64", "global_", "gpu", "local",
    "mbarrier__complete_tx__bytes", "mmio", "param", "param__func", "relaxed", "release", "s16", "s32", "s64", "s8",
    "shared", "shared__cluster", "shared__cta", "sys", "u16", "u32", "u64", "u8", "v2", "v4", "v8", "volatile",
    "wb", "weak", "wt"
]

class _st:
    """PTX ISA 9.0, 9.7.9

    st{.weak}{.<space>}{.<cop>}{.L2::cache_hint}{.<vec>}.<t>
    st{.weak}{.<space>}{.<evict1>}{.<evict2>}{.L2::cache_hint}{.<vec>}.<t>
    st.volatile{.<space>}{.<vec>}.<t>
    st.relaxed.<scope>{.<space>}{.<evict1>}{.<evict2>}{.L2::cache_hint}{.<vec>}.<t>
    st.release.<scope>{.<space>}{.<evict1>}{.<evict2>}{.L2::cache_hint}{.<vec>}.<t>
    st.mmio.relaxed.sys{.global}.<t>
    st.bulk{.weak}{.shared::cta}
    st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.<vec>}.<t>
    st.async{.mmio}.release.<scope>{.global}.<t>
    """

    def __getattr__(self, name: _st_word, /) -> _st_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _st_any(_st):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _st_0(_st):
    def __call__(
        self, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _st_1(_st):
    b128: _st_0
    b16: _st_0
    b32: _st_0
    b64: _st_0
    b8: _st_0
    f32: _st_0
    f64: _st_0
    s16: _st_0
    s32: _st_0
    s64: _st_0
    s8: _st_0
    u16: _st_0
    u32: _st_0
    u64: _st_0
    u8: _st_0

class _st_2(_st):
    b128: _st_0
    b16: _st_0
    b32: _st_0
    b64: _st_0
    b8: _st_0
    f32: _st_0
    f64: _st_0
    s16: _st_0
    s32: _st_0
    s64: _st_0
    s8: _st_0
    u16: _st_0
    u32: _st_0
    u64: _st_0
    u8: _st_0
    v2: _st_1
    v4: _st_1
    v8: _st_1

class _st_3(_st):
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _st_4(_st):
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    f32: _st_3
    f64: _st_3
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3

class _st_5(_st):
    L2__cache_hint: _st_2
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    f32: _st_3
    f64: _st_3
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3
    v2: _st_4
    v4: _st_4
    v8: _st_4

class _st_6(_st):
    L2__cache_hint: _st_2
    L2__evict_first: _st_5
    L2__evict_last: _st_5
    L2__evict_normal: _st_5
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    f32: _st_3
    f64: _st_3
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3
    v2: _st_4
    v4: _st_4
    v8: _st_4

class _st_7(_st):
    L1__evict_first: _st_6
    L1__evict_last: _st_6
    L1__evict_normal: _st_6
    L1__evict_unchanged: _st_6
    L1__no_allocate: _st_6
    L2__cache_hint: _st_2
    L2__evict_first: _st_5
    L2__evict_last: _st_5
    L2__evict_normal: _st_5
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    cg: _st_5
    cs: _st_5
    f32: _st_3
    f64: _st_3
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3
    v2: _st_4
    v4: _st_4
    v8: _st_4
    wb: _st_5
    wt: _st_5

class _st_8(_st):
    L2__cache_hint: _st_2
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    cg: _st_5
    cs: _st_5
    f32: _st_3
    f64: _st_3
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3
    v2: _st_4
    v4: _st_4
    v8: _st_4
    wb: _st_5
    wt: _st_5

class _st_9(_st):
    L1__evict_first: _st_6
    L1__evict_last: _st_6
    L1__evict_normal: _st_6
    L1__evict_unchanged: _st_6
    L1__no_allocate: _st_6
    L2__cache_hint: _st_2
    L2__evict_first: _st_5
    L2__evict_last: _st_5
    L2__evict_normal: _st_5
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    cg: _st_5
    cs: _st_5
    f32: _st_3
    f64: _st_3
    global_: _st_7
    local: _st_8
    param: _st_8
    param__func: _st_8
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    shared: _st_8
    shared__cluster: _st_8
    shared__cta: _st_8
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3
    v2: _st_4
    v4: _st_4
    v8: _st_4
    wb: _st_5
    wt: _st_5

class _st_10(_st):
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    f32: _st_3
    f64: _st_3
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3
    v2: _st_4
    v4: _st_4
    v8: _st_4

class _st_11(_st):
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    f32: _st_3
    f64: _st_3
    global_: _st_10
    local: _st_10
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    shared: _st_10
    shared__cluster: _st_10
    shared__cta: _st_10
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3
    v2: _st_4
    v4: _st_4
    v8: _st_4

class _st_12(_st):
    L1__evict_first: _st_6
    L1__evict_last: _st_6
    L1__evict_normal: _st_6
    L1__evict_unchanged: _st_6
    L1__no_allocate: _st_6
    L2__cache_hint: _st_2
    L2__evict_first: _st_5
    L2__evict_last: _st_5
    L2__evict_normal: _st_5
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    f32: _st_3
    f64: _st_3
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3
    v2: _st_4
    v4: _st_4
    v8: _st_4

class _st_13(_st):
    L1__evict_first: _st_6
    L1__evict_last: _st_6
    L1__evict_normal: _st_6
    L1__evict_unchanged: _st_6
    L1__no_allocate: _st_6
    L2__cache_hint: _st_2
    L2__evict_first: _st_5
    L2__evict_last: _st_5
    L2__evict_normal: _st_5
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    f32: _st_3
    f64: _st_3
    global_: _st_12
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    shared: _st_12
    shared__cluster: _st_12
    shared__cta: _st_12
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3
    v2: _st_4
    v4: _st_4
    v8: _st_4

class _st_14(_st):
    cluster: _st_13
    cta: _st_13
    gpu: _st_13
    sys: _st_13

class _st_15(_st):
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    f32: _st_3
    f64: _st_3
    global_: _st_4
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3

class _st_16(_st):
    sys: _st_15

class _st_17(_st):
    relaxed: _st_16

class _st_18(_st):
    shared__cta: _st_0
    def __call__(
        self, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _st_19(_st):
    shared__cta: _st_0
    weak: _st_18
    def __call__(
        self, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _st_20(_st):
    def __call__(self, address: Node, a: Operand, b: Node, /, *, pred: Any = None) -> Any: ...

class _st_21(_st):
    b32: _st_20
    b64: _st_20
    f32: _st_20
    f64: _st_20
    s32: _st_20
    s64: _st_20
    u32: _st_20
    u64: _st_20

class _st_22(_st):
    b32: _st_20
    b64: _st_20
    f32: _st_20
    f64: _st_20
    s32: _st_20
    s64: _st_20
    u32: _st_20
    u64: _st_20
    v2: _st_21
    v4: _st_21

class _st_23(_st):
    mbarrier__complete_tx__bytes: _st_22

class _st_24(_st):
    mbarrier__complete_tx__bytes: _st_22
    shared__cluster: _st_23

class _st_25(_st):
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    f32: _st_3
    f64: _st_3
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3

class _st_26(_st):
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    f32: _st_3
    f64: _st_3
    global_: _st_25
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3

class _st_27(_st):
    gpu: _st_26
    sys: _st_26

class _st_28(_st):
    release: _st_27

class _st_29(_st):
    mbarrier__complete_tx__bytes: _st_22
    mmio: _st_28
    release: _st_27
    shared__cluster: _st_23
    weak: _st_24

class _st_30(_st):
    L1__evict_first: _st_6
    L1__evict_last: _st_6
    L1__evict_normal: _st_6
    L1__evict_unchanged: _st_6
    L1__no_allocate: _st_6
    L2__cache_hint: _st_2
    L2__evict_first: _st_5
    L2__evict_last: _st_5
    L2__evict_normal: _st_5
    async_: _st_29
    b128: _st_3
    b16: _st_3
    b32: _st_3
    b64: _st_3
    b8: _st_3
    bulk: _st_19
    cg: _st_5
    cs: _st_5
    f32: _st_3
    f64: _st_3
    global_: _st_7
    local: _st_8
    mmio: _st_17
    param: _st_8
    param__func: _st_8
    relaxed: _st_14
    release: _st_14
    s16: _st_3
    s32: _st_3
    s64: _st_3
    s8: _st_3
    shared: _st_8
    shared__cluster: _st_8
    shared__cta: _st_8
    u16: _st_3
    u32: _st_3
    u64: _st_3
    u8: _st_3
    v2: _st_4
    v4: _st_4
    v8: _st_4
    volatile: _st_11
    wb: _st_5
    weak: _st_9
    wt: _st_5

_stackrestore_word: TypeAlias = Literal["u32", "u64"]

class _stackrestore:
    """PTX ISA 9.0, 9.7.17

    stackrestore.<t>
    """

    def __getattr__(self, name: _stackrestore_word, /) -> _stackrestore_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _stackrestore_any(_stackrestore):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _stackrestore_0(_stackrestore):
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

class _stackrestore_1(_stackrestore):
    u32: _stackrestore_0
    u64: _stackrestore_0

_stacksave_word: TypeAlias = Literal["u32", "u64"]

class _stacksave:
    """PTX ISA 9.0, 9.7.17

    stacksave.<t>
    """

    def __getattr__(self, name: _stacksave_word, /) -> _stacksave_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _stacksave_any(_stacksave):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _stacksave_0(_stacksave):
    def __call__(self, d: Place, /, *, pred: Any = None) -> Any: ...

class _stacksave_1(_stacksave):
    u32: _stacksave_0
    u64: _stacksave_0

_stmatrix_word: TypeAlias = Literal["aligned", "b16", "b8", "m16n8", "m8n8", "shared", "shared__cta", "sync", "trans", "x1", "x2", "x4"]

class _stmatrix:
    """PTX ISA 9.0, 9.7.14

    stmatrix.sync.aligned.m8n8.<num>{.trans}{.<space>}.b16
    stmatrix.sync.aligned.m16n8.<num>.trans{.<space>}.b8
    """

    def __getattr__(self, name: _stmatrix_word, /) -> _stmatrix_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _stmatrix_any(_stmatrix):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _stmatrix_0(_stmatrix):
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _stmatrix_1(_stmatrix):
    b16: _stmatrix_0

class _stmatrix_2(_stmatrix):
    b16: _stmatrix_0
    shared: _stmatrix_1
    shared__cta: _stmatrix_1

class _stmatrix_3(_stmatrix):
    b16: _stmatrix_0
    shared: _stmatrix_1
    shared__cta: _stmatrix_1
    trans: _stmatrix_2

class _stmatrix_4(_stmatrix):
    x1: _stmatrix_3
    x2: _stmatrix_3
    x4: _stmatrix_3

class _stmatrix_5(_stmatrix):
    b8: _stmatrix_0

class _stmatrix_6(_stmatrix):
    b8: _stmatrix_0
    shared: _stmatrix_5
    shared__cta: _stmatrix_5

class _stmatrix_7(_stmatrix):
    trans: _stmatrix_6

class _stmatrix_8(_stmatrix):
    x1: _stmatrix_7
    x2: _stmatrix_7
    x4: _stmatrix_7

class _stmatrix_9(_stmatrix):
    m16n8: _stmatrix_8
    m8n8: _stmatrix_4

class _stmatrix_10(_stmatrix):
    aligned: _stmatrix_9

class _stmatrix_11(_stmatrix):
    sync: _stmatrix_10

_sub_word: TypeAlias = Literal[
    "bf16", "bf16x2", "cc", "f16", "f16x2", "f32", "f32x2", "f64", "ftz", "rm", "rn", "rp", "rz", "s16", "s32",
    "s64", "sat", "u16", "u32", "u64"
]

class _sub:
    """PTX ISA 9.0, 9.7.3

    sub{.<rnd>}{.ftz}{.sat}.f32
    sub{.<rnd>}.f64
    sub{.<rnd>}{.ftz}.f32x2
    sub{.rn}{.ftz}{.sat}.<t>
    sub{.rn}.<t>
    sub{.<rnd>}{.sat}.f32.<t>
    sub.<t>
    sub.sat.s32
    sub.cc.<t>
    """

    def __getattr__(self, name: _sub_word, /) -> _sub_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _sub_any(_sub):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _sub_0(_sub):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _sub_1(_sub):
    f16: _sub_0
    f16x2: _sub_0
    f32: _sub_0

class _sub_2(_sub):
    f16: _sub_0
    f16x2: _sub_0
    f32: _sub_0
    f32x2: _sub_0
    sat: _sub_1

class _sub_3(_sub):
    bf16: _sub_0
    f16: _sub_0
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _sub_4(_sub):
    f16: _sub_0
    f16x2: _sub_0
    f32: _sub_3

class _sub_5(_sub):
    bf16: _sub_0
    bf16x2: _sub_0
    f16: _sub_0
    f16x2: _sub_0
    f32: _sub_3
    f32x2: _sub_0
    f64: _sub_0
    ftz: _sub_2
    sat: _sub_4

class _sub_6(_sub):
    f32: _sub_0

class _sub_7(_sub):
    f32: _sub_0
    f32x2: _sub_0
    sat: _sub_6

class _sub_8(_sub):
    f32: _sub_3

class _sub_9(_sub):
    f32: _sub_3
    f32x2: _sub_0
    f64: _sub_0
    ftz: _sub_7
    sat: _sub_8

class _sub_10(_sub):
    f16: _sub_0
    f16x2: _sub_0
    f32: _sub_3
    s32: _sub_0

class _sub_11(_sub):
    s32: _sub_0
    s64: _sub_0
    u32: _sub_0
    u64: _sub_0

class _sub_12(_sub):
    bf16: _sub_0
    bf16x2: _sub_0
    cc: _sub_11
    f16: _sub_0
    f16x2: _sub_0
    f32: _sub_3
    f32x2: _sub_0
    f64: _sub_0
    ftz: _sub_2
    rm: _sub_9
    rn: _sub_5
    rp: _sub_9
    rz: _sub_9
    s16: _sub_0
    s32: _sub_0
    s64: _sub_0
    sat: _sub_10
    u16: _sub_0
    u32: _sub_0
    u64: _sub_0

_subc_word: TypeAlias = Literal["cc", "s32", "s64", "u32", "u64"]

class _subc:
    """PTX ISA 9.0, 9.7.2

    subc{.cc}.<t>
    """

    def __getattr__(self, name: _subc_word, /) -> _subc_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _subc_any(_subc):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _subc_0(_subc):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _subc_1(_subc):
    s32: _subc_0
    s64: _subc_0
    u32: _subc_0
    u64: _subc_0

class _subc_2(_subc):
    cc: _subc_1
    s32: _subc_0
    s64: _subc_0
    u32: _subc_0
    u64: _subc_0

_suld_word: TypeAlias = Literal[
    "_1d", "_2d", "_3d", "a1d", "a2d", "b", "b16", "b32", "b64", "b8", "ca", "cg", "clamp", "cs", "cv", "trap",
    "v2", "v4", "zero"
]

class _suld:
    """PTX ISA 9.0, 9.7.11

    suld.b.1d{.<cop>}{.<vec>}.<t>.<mode>
    suld.b.2d{.<cop>}{.<vec>}.<t>.<mode>
    suld.b.3d{.<cop>}{.<vec>}.<t>.<mode>
    suld.b.a1d{.<cop>}{.<vec>}.<t>.<mode>
    suld.b.a2d{.<cop>}{.<vec>}.<t>.<mode>
    """

    def __getattr__(self, name: _suld_word, /) -> _suld_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _suld_any(_suld):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _suld_0(_suld):
    def __call__(self, d: Place, tensor: Node, /, *, pred: Any = None) -> Any: ...

class _suld_1(_suld):
    clamp: _suld_0
    trap: _suld_0
    zero: _suld_0

class _suld_2(_suld):
    b16: _suld_1
    b32: _suld_1
    b64: _suld_1
    b8: _suld_1

class _suld_3(_suld):
    b16: _suld_1
    b32: _suld_1
    b64: _suld_1
    b8: _suld_1
    v2: _suld_2
    v4: _suld_2

class _suld_4(_suld):
    b16: _suld_1
    b32: _suld_1
    b64: _suld_1
    b8: _suld_1
    ca: _suld_3
    cg: _suld_3
    cs: _suld_3
    cv: _suld_3
    v2: _suld_2
    v4: _suld_2

class _suld_5(_suld):
    a1d: _suld_4
    a2d: _suld_4
    @overload
    def __getattr__(self, name: Literal["_1d", "_2d", "_3d"], /) -> _suld_4: ...
    @overload
    def __getattr__(self, name: _suld_word, /) -> _suld_any: ...

class _suld_6(_suld):
    b: _suld_5

_suq_word: TypeAlias = Literal["array_size", "b32", "channel_data_type", "channel_order", "depth", "height", "memory_layout", "width"]

class _suq:
    """PTX ISA 9.0, 9.7.11

    suq.<what>.b32
    """

    def __getattr__(self, name: _suq_word, /) -> _suq_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _suq_any(_suq):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _suq_0(_suq):
    def __call__(self, d: Place, address: Node, /, *, pred: Any = None) -> Any: ...

class _suq_1(_suq):
    b32: _suq_0

class _suq_2(_suq):
    array_size: _suq_1
    channel_data_type: _suq_1
    channel_order: _suq_1
    depth: _suq_1
    height: _suq_1
    memory_layout: _suq_1
    width: _suq_1

_sured_word: TypeAlias = Literal[
    "_1d", "_2d", "_3d", "add", "and_", "b", "b32", "clamp", "max", "min", "or_", "p", "s32", "trap", "u32", "u64",
    "zero"
]

class _sured:
    """PTX ISA 9.0, 9.7.11

    sured.b.<op>.1d.<t>.<mode>
    sured.b.<op>.1d.b32.<mode>
    sured.p.<op>.1d.b32.<mode>
    sured.b.<op>.2d.<t>.<mode>
    sured.b.<op>.2d.b32.<mode>
    sured.p.<op>.2d.b32.<mode>
    sured.b.<op>.3d.<t>.<mode>
    sured.b.<op>.3d.b32.<mode>
    sured.p.<op>.3d.b32.<mode>
    """

    def __getattr__(self, name: _sured_word, /) -> _sured_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _sured_any(_sured):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _sured_0(_sured):
    def __call__(self, tensor: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _sured_1(_sured):
    clamp: _sured_0
    trap: _sured_0
    zero: _sured_0

class _sured_2(_sured):
    s32: _sured_1
    u32: _sured_1
    u64: _sured_1

class _sured_3(_sured):
    @overload
    def __getattr__(self, name: Literal["_1d", "_2d", "_3d"], /) -> _sured_2: ...
    @overload
    def __getattr__(self, name: _sured_word, /) -> _sured_any: ...

class _sured_4(_sured):
    b32: _sured_1

class _sured_5(_sured):
    @overload
    def __getattr__(self, name: Literal["_1d", "_2d", "_3d"], /) -> _sured_4: ...
    @overload
    def __getattr__(self, name: _sured_word, /) -> _sured_any: ...

class _sured_6(_sured):
    add: _sured_3
    and_: _sured_5
    max: _sured_3
    min: _sured_3
    or_: _sured_5

class _sured_7(_sured):
    add: _sured_5
    and_: _sured_5
    max: _sured_5
    min: _sured_5
    or_: _sured_5

class _sured_8(_sured):
    b: _sured_6
    p: _sured_7

_sust_word: TypeAlias = Literal[
    "_1d", "_2d", "_3d", "a1d", "a2d", "b", "b16", "b32", "b64", "b8", "cg", "clamp", "cs", "p", "trap", "v2", "v4",
    "wb", "wt", "zero"
]

class _sust:
    """PTX ISA 9.0, 9.7.11

    sust.b.1d{.<cop>}{.<vec>}.<t>.<mode>
    sust.p.1d{.<vec>}.b32.<mode>
    sust.b.2d{.<cop>}{.<vec>}.<t>.<mode>
    sust.p.2d{.<vec>}.b32.<mode>
    sust.b.3d{.<cop>}{.<vec>}.<t>.<mode>
    sust.p.3d{.<vec>}.b32.<mode>
    sust.b.a1d{.<cop>}{.<vec>}.<t>.<mode>
    sust.b.a2d{.<cop>}{.<vec>}.<t>.<mode>
    """

    def __getattr__(self, name: _sust_word, /) -> _sust_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _sust_any(_sust):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _sust_0(_sust):
    def __call__(self, tensor: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _sust_1(_sust):
    clamp: _sust_0
    trap: _sust_0
    zero: _sust_0

class _sust_2(_sust):
    b16: _sust_1
    b32: _sust_1
    b64: _sust_1
    b8: _sust_1

class _sust_3(_sust):
    b16: _sust_1
    b32: _sust_1
    b64: _sust_1
    b8: _sust_1
    v2: _sust_2
    v4: _sust_2

class _sust_4(_sust):
    b16: _sust_1
    b32: _sust_1
    b64: _sust_1
    b8: _sust_1
    cg: _sust_3
    cs: _sust_3
    v2: _sust_2
    v4: _sust_2
    wb: _sust_3
    wt: _sust_3

class _sust_5(_sust):
    a1d: _sust_4
    a2d: _sust_4
    @overload
    def __getattr__(self, name: Literal["_1d", "_2d", "_3d"], /) -> _sust_4: ...
    @overload
    def __getattr__(self, name: _sust_word, /) -> _sust_any: ...

class _sust_6(_sust):
    b32: _sust_1

class _sust_7(_sust):
    b32: _sust_1
    v2: _sust_6
    v4: _sust_6

class _sust_8(_sust):
    @overload
    def __getattr__(self, name: Literal["_1d", "_2d", "_3d"], /) -> _sust_7: ...
    @overload
    def __getattr__(self, name: _sust_word, /) -> _sust_any: ...

class _sust_9(_sust):
    b: _sust_5
    p: _sust_8

_szext_word: TypeAlias = Literal["clamp", "s32", "u32", "wrap"]

class _szext:
    """PTX ISA 9.0, 9.7.1

    szext.<mode>.<t>
    """

    def __getattr__(self, name: _szext_word, /) -> _szext_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _szext_any(_szext):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _szext_0(_szext):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _szext_1(_szext):
    s32: _szext_0
    u32: _szext_0

class _szext_2(_szext):
    clamp: _szext_1
    wrap: _szext_1

_tanh_word: TypeAlias = Literal["approx", "bf16", "bf16x2", "f16", "f16x2", "f32"]

class _tanh:
    """PTX ISA 9.0, 9.7.3

    tanh.approx.f32
    tanh.approx.<t>
    """

    def __getattr__(self, name: _tanh_word, /) -> _tanh_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _tanh_any(_tanh):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _tanh_0(_tanh):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _tanh_1(_tanh):
    bf16: _tanh_0
    bf16x2: _tanh_0
    f16: _tanh_0
    f16x2: _tanh_0
    f32: _tanh_0

class _tanh_2(_tanh):
    approx: _tanh_1

_tcgen05_word: TypeAlias = Literal[
    "_128x128b", "_128x256b", "_16x128b", "_16x256b", "_16x32bx2", "_16x64b", "_32x128b", "_32x32b", "_4x256b",
    "_64x128b", "aligned", "alloc", "ashift", "b32", "b4x16_p64", "b64", "b6x16_p32", "b8x16", "block16", "block32",
    "block_scale", "collector__a__discard", "collector__a__fill", "collector__a__lastuse", "collector__a__use",
    "collector__b0__discard", "collector__b0__fill", "collector__b0__lastuse", "collector__b0__use",
    "collector__b1__discard", "collector__b1__fill", "collector__b1__lastuse", "collector__b1__use",
    "collector__b2__discard", "collector__b2__fill", "collector__b2__lastuse", "collector__b2__use",
    "collector__b3__discard", "collector__b3__fill", "collector__b3__lastuse", "collector__b3__use", "commit", "cp",
    "cta_group__1", "cta_group__2", "dealloc", "down", "fence__after_thread_sync", "fence__before_thread_sync",
    "kind__f16", "kind__f8f6f4", "kind__i8", "kind__mxf4", "kind__mxf4nvf4", "kind__mxf8f6f4", "kind__tf32", "ld",
    "mbarrier__arrive__one", "mma", "multicast__cluster", "pack__16b", "relinquish_alloc_permit", "scale_vec__1X",
    "scale_vec__2X", "scale_vec__4X", "shared__cluster", "shared__cta", "shift", "sp", "st", "sync", "unpack__16b",
    "wait__ld", "wait__st", "warpx2__01_23", "warpx2__02_13", "warpx4", "ws", "x1", "x128", "x16", "x2", "x32",
    "x4", "x64", "x8"
]

class _tcgen05:
    """PTX ISA 9.0, 9.7.16

    tcgen05.alloc.<group>.sync.aligned{.shared::cta}.b32
    tcgen05.dealloc.<group>.sync.aligned.b32
    tcgen05.relinquish_alloc_permit.<group>.sync.aligned
    tcgen05.ld.sync.aligned.32x32b.x1{.pack::16b}.b32
    tcgen05.st.sync.aligned.32x32b.x1{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.32x32b.x2{.pack::16b}.b32
    tcgen05.st.sync.aligned.32x32b.x2{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.32x32b.x4{.pack::16b}.b32
    tcgen05.st.sync.aligned.32x32b.x4{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.32x32b.x8{.pack::16b}.b32
    tcgen05.st.sync.aligned.32x32b.x8{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.32x32b.x16{.pack::16b}.b32
    tcgen05.st.sync.aligned.32x32b.x16{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.32x32b.x32{.pack::16b}.b32
    tcgen05.st.sync.aligned.32x32b.x32{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.32x32b.x64{.pack::16b}.b32
    tcgen05.st.sync.aligned.32x32b.x64{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.32x32b.x128{.pack::16b}.b32
    tcgen05.st.sync.aligned.32x32b.x128{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x64b.x1{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x64b.x1{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x64b.x2{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x64b.x2{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x64b.x4{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x64b.x4{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x64b.x8{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x64b.x8{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x64b.x16{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x64b.x16{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x64b.x32{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x64b.x32{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x64b.x64{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x64b.x64{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x64b.x128{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x64b.x128{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x128b.x1{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x128b.x1{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x128b.x2{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x128b.x2{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x128b.x4{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x128b.x4{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x128b.x8{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x128b.x8{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x128b.x16{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x128b.x16{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x128b.x32{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x128b.x32{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x128b.x64{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x128b.x64{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x256b.x1{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x256b.x1{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x256b.x2{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x256b.x2{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x256b.x4{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x256b.x4{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x256b.x8{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x256b.x8{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x256b.x16{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x256b.x16{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x256b.x32{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x256b.x32{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x32bx2.x1{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x32bx2.x1{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x32bx2.x2{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x32bx2.x2{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x32bx2.x4{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x32bx2.x4{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x32bx2.x8{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x32bx2.x8{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x32bx2.x16{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x32bx2.x16{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x32bx2.x32{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x32bx2.x32{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x32bx2.x64{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x32bx2.x64{.unpack::16b}.b32
    tcgen05.ld.sync.aligned.16x32bx2.x128{.pack::16b}.b32
    tcgen05.st.sync.aligned.16x32bx2.x128{.unpack::16b}.b32
    tcgen05.<what>.sync.aligned
    tcgen05.<what>
    tcgen05.commit.<group>.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64
    tcgen05.shift.<group>.down
    tcgen05.cp.<group>.<shape>{.<src>}
    tcgen05.cp.<group>.64x128b.<warps>{.<src>}
    tcgen05.cp.<group>.32x128b.warpx4{.<src>}
    tcgen05.mma.cta_group::1.<kind>{.<collector>}
    tcgen05.mma.cta_group::2.<kind>{.<collector>}
    tcgen05.mma.<group>.kind::mxf8f6f4.block_scale{.<scale>}{.<collector>}
    tcgen05.mma.<group>.kind::mxf4.block_scale{.<scale>}{.<collector>}
    tcgen05.mma.<group>.kind::mxf4nvf4.block_scale.<scale>{.<collector>}
    tcgen05.mma.ws.cta_group::1.<kind>{.<collector>}
    tcgen05.mma.cta_group::1.<kind>{.ashift}{.<collector>}
    tcgen05.mma.cta_group::2.<kind>{.ashift}{.<collector>}
    tcgen05.mma.sp.cta_group::1.<kind>{.<collector>}
    tcgen05.mma.sp.cta_group::2.<kind>{.<collector>}
    tcgen05.mma.sp.<group>.kind::mxf8f6f4.block_scale{.<scale>}{.<collector>}
    tcgen05.mma.sp.<group>.kind::mxf4.block_scale{.<scale>}{.<collector>}
    tcgen05.mma.sp.<group>.kind::mxf4nvf4.block_scale.<scale>{.<collector>}
    tcgen05.mma.ws.sp.cta_group::1.<kind>{.<collector>}
    tcgen05.mma.sp.cta_group::1.<kind>{.ashift}{.<collector>}
    tcgen05.mma.sp.cta_group::2.<kind>{.ashift}{.<collector>}
    """

    def __getattr__(self, name: _tcgen05_word, /) -> _tcgen05_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _tcgen05_any(_tcgen05):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _tcgen05_0(_tcgen05):
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_1(_tcgen05):
    b32: _tcgen05_0

class _tcgen05_2(_tcgen05):
    b32: _tcgen05_0
    shared__cta: _tcgen05_1

class _tcgen05_3(_tcgen05):
    aligned: _tcgen05_2

class _tcgen05_4(_tcgen05):
    sync: _tcgen05_3

class _tcgen05_5(_tcgen05):
    cta_group__1: _tcgen05_4
    cta_group__2: _tcgen05_4

class _tcgen05_6(_tcgen05):
    def __call__(self, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_7(_tcgen05):
    b32: _tcgen05_6

class _tcgen05_8(_tcgen05):
    aligned: _tcgen05_7

class _tcgen05_9(_tcgen05):
    sync: _tcgen05_8

class _tcgen05_10(_tcgen05):
    cta_group__1: _tcgen05_9
    cta_group__2: _tcgen05_9

class _tcgen05_11(_tcgen05):
    def __call__(self, *, pred: Any = None) -> Any: ...

class _tcgen05_12(_tcgen05):
    aligned: _tcgen05_11

class _tcgen05_13(_tcgen05):
    sync: _tcgen05_12

class _tcgen05_14(_tcgen05):
    cta_group__1: _tcgen05_13
    cta_group__2: _tcgen05_13

class _tcgen05_15(_tcgen05):
    def __call__(self, d: Place, address: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_16(_tcgen05):
    b32: _tcgen05_15

class _tcgen05_17(_tcgen05):
    b32: _tcgen05_15
    pack__16b: _tcgen05_16

class _tcgen05_18(_tcgen05):
    x1: _tcgen05_17
    x128: _tcgen05_17
    x16: _tcgen05_17
    x2: _tcgen05_17
    x32: _tcgen05_17
    x4: _tcgen05_17
    x64: _tcgen05_17
    x8: _tcgen05_17

class _tcgen05_19(_tcgen05):
    x1: _tcgen05_17
    x16: _tcgen05_17
    x2: _tcgen05_17
    x32: _tcgen05_17
    x4: _tcgen05_17
    x64: _tcgen05_17
    x8: _tcgen05_17

class _tcgen05_20(_tcgen05):
    x1: _tcgen05_17
    x16: _tcgen05_17
    x2: _tcgen05_17
    x32: _tcgen05_17
    x4: _tcgen05_17
    x8: _tcgen05_17

class _tcgen05_21(_tcgen05):
    def __call__(self, d: Place, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_22(_tcgen05):
    b32: _tcgen05_21

class _tcgen05_23(_tcgen05):
    b32: _tcgen05_21
    pack__16b: _tcgen05_22

class _tcgen05_24(_tcgen05):
    x1: _tcgen05_23
    x128: _tcgen05_23
    x16: _tcgen05_23
    x2: _tcgen05_23
    x32: _tcgen05_23
    x4: _tcgen05_23
    x64: _tcgen05_23
    x8: _tcgen05_23

class _tcgen05_25(_tcgen05):
    @overload
    def __getattr__(self, name: Literal["_16x64b", "_32x32b"], /) -> _tcgen05_18: ...
    @overload
    def __getattr__(self, name: Literal["_16x128b"], /) -> _tcgen05_19: ...
    @overload
    def __getattr__(self, name: Literal["_16x256b"], /) -> _tcgen05_20: ...
    @overload
    def __getattr__(self, name: Literal["_16x32bx2"], /) -> _tcgen05_24: ...
    @overload
    def __getattr__(self, name: _tcgen05_word, /) -> _tcgen05_any: ...

class _tcgen05_26(_tcgen05):
    aligned: _tcgen05_25

class _tcgen05_27(_tcgen05):
    sync: _tcgen05_26

class _tcgen05_28(_tcgen05):
    b32: _tcgen05_0
    unpack__16b: _tcgen05_1

class _tcgen05_29(_tcgen05):
    x1: _tcgen05_28
    x128: _tcgen05_28
    x16: _tcgen05_28
    x2: _tcgen05_28
    x32: _tcgen05_28
    x4: _tcgen05_28
    x64: _tcgen05_28
    x8: _tcgen05_28

class _tcgen05_30(_tcgen05):
    x1: _tcgen05_28
    x16: _tcgen05_28
    x2: _tcgen05_28
    x32: _tcgen05_28
    x4: _tcgen05_28
    x64: _tcgen05_28
    x8: _tcgen05_28

class _tcgen05_31(_tcgen05):
    x1: _tcgen05_28
    x16: _tcgen05_28
    x2: _tcgen05_28
    x32: _tcgen05_28
    x4: _tcgen05_28
    x8: _tcgen05_28

class _tcgen05_32(_tcgen05):
    def __call__(
        self, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_33(_tcgen05):
    b32: _tcgen05_32

class _tcgen05_34(_tcgen05):
    b32: _tcgen05_32
    unpack__16b: _tcgen05_33

class _tcgen05_35(_tcgen05):
    x1: _tcgen05_34
    x128: _tcgen05_34
    x16: _tcgen05_34
    x2: _tcgen05_34
    x32: _tcgen05_34
    x4: _tcgen05_34
    x64: _tcgen05_34
    x8: _tcgen05_34

class _tcgen05_36(_tcgen05):
    @overload
    def __getattr__(self, name: Literal["_16x64b", "_32x32b"], /) -> _tcgen05_29: ...
    @overload
    def __getattr__(self, name: Literal["_16x128b"], /) -> _tcgen05_30: ...
    @overload
    def __getattr__(self, name: Literal["_16x256b"], /) -> _tcgen05_31: ...
    @overload
    def __getattr__(self, name: Literal["_16x32bx2"], /) -> _tcgen05_35: ...
    @overload
    def __getattr__(self, name: _tcgen05_word, /) -> _tcgen05_any: ...

class _tcgen05_37(_tcgen05):
    aligned: _tcgen05_36

class _tcgen05_38(_tcgen05):
    sync: _tcgen05_37

class _tcgen05_39(_tcgen05):
    b64: _tcgen05_0

class _tcgen05_40(_tcgen05):
    def __call__(self, address: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_41(_tcgen05):
    b64: _tcgen05_40
    multicast__cluster: _tcgen05_39

class _tcgen05_42(_tcgen05):
    b64: _tcgen05_40
    multicast__cluster: _tcgen05_39
    shared__cluster: _tcgen05_41

class _tcgen05_43(_tcgen05):
    mbarrier__arrive__one: _tcgen05_42

class _tcgen05_44(_tcgen05):
    cta_group__1: _tcgen05_43
    cta_group__2: _tcgen05_43

class _tcgen05_45(_tcgen05):
    down: _tcgen05_40

class _tcgen05_46(_tcgen05):
    cta_group__1: _tcgen05_45
    cta_group__2: _tcgen05_45

class _tcgen05_47(_tcgen05):
    b4x16_p64: _tcgen05_0
    b6x16_p32: _tcgen05_0

class _tcgen05_48(_tcgen05):
    b8x16: _tcgen05_47
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_49(_tcgen05):
    warpx2__01_23: _tcgen05_48
    warpx2__02_13: _tcgen05_48

class _tcgen05_50(_tcgen05):
    warpx4: _tcgen05_48

class _tcgen05_51(_tcgen05):
    @overload
    def __getattr__(self, name: Literal["_128x128b", "_128x256b", "_4x256b"], /) -> _tcgen05_48: ...
    @overload
    def __getattr__(self, name: Literal["_64x128b"], /) -> _tcgen05_49: ...
    @overload
    def __getattr__(self, name: Literal["_32x128b"], /) -> _tcgen05_50: ...
    @overload
    def __getattr__(self, name: _tcgen05_word, /) -> _tcgen05_any: ...

class _tcgen05_52(_tcgen05):
    cta_group__1: _tcgen05_51
    cta_group__2: _tcgen05_51

class _tcgen05_53(_tcgen05):
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, f: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_54(_tcgen05):
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, p: Node, f: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_55(_tcgen05):
    collector__a__discard: _tcgen05_54
    collector__a__fill: _tcgen05_54
    collector__a__lastuse: _tcgen05_54
    collector__a__use: _tcgen05_54
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, p: Node, f: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_56(_tcgen05):
    ashift: _tcgen05_55
    collector__a__discard: _tcgen05_53
    collector__a__fill: _tcgen05_53
    collector__a__lastuse: _tcgen05_53
    collector__a__use: _tcgen05_53
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, f: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_57(_tcgen05):
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_58(_tcgen05):
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_59(_tcgen05):
    collector__a__discard: _tcgen05_58
    collector__a__fill: _tcgen05_58
    collector__a__lastuse: _tcgen05_58
    collector__a__use: _tcgen05_58
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Operand, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_60(_tcgen05):
    ashift: _tcgen05_59
    collector__a__discard: _tcgen05_57
    collector__a__fill: _tcgen05_57
    collector__a__lastuse: _tcgen05_57
    collector__a__use: _tcgen05_57
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_61(_tcgen05):
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Node, f: Node, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_62(_tcgen05):
    collector__a__discard: _tcgen05_61
    collector__a__fill: _tcgen05_61
    collector__a__lastuse: _tcgen05_61
    collector__a__use: _tcgen05_61
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Node, f: Node, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_63(_tcgen05):
    block32: _tcgen05_62
    collector__a__discard: _tcgen05_61
    collector__a__fill: _tcgen05_61
    collector__a__lastuse: _tcgen05_61
    collector__a__use: _tcgen05_61
    scale_vec__1X: _tcgen05_62
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Node, f: Node, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_64(_tcgen05):
    block_scale: _tcgen05_63

class _tcgen05_65(_tcgen05):
    block32: _tcgen05_62
    collector__a__discard: _tcgen05_61
    collector__a__fill: _tcgen05_61
    collector__a__lastuse: _tcgen05_61
    collector__a__use: _tcgen05_61
    scale_vec__2X: _tcgen05_62
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, e: Node, f: Node, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_66(_tcgen05):
    block_scale: _tcgen05_65

class _tcgen05_67(_tcgen05):
    block16: _tcgen05_62
    block32: _tcgen05_62
    scale_vec__2X: _tcgen05_62
    scale_vec__4X: _tcgen05_62

class _tcgen05_68(_tcgen05):
    block_scale: _tcgen05_67

class _tcgen05_69(_tcgen05):
    kind__f16: _tcgen05_56
    kind__f8f6f4: _tcgen05_60
    kind__i8: _tcgen05_60
    kind__mxf4: _tcgen05_66
    kind__mxf4nvf4: _tcgen05_68
    kind__mxf8f6f4: _tcgen05_64
    kind__tf32: _tcgen05_56

class _tcgen05_70(_tcgen05):
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, p: Node, e: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_71(_tcgen05):
    collector__b0__discard: _tcgen05_70
    collector__b0__fill: _tcgen05_70
    collector__b0__lastuse: _tcgen05_70
    collector__b0__use: _tcgen05_70
    collector__b1__discard: _tcgen05_70
    collector__b1__fill: _tcgen05_70
    collector__b1__lastuse: _tcgen05_70
    collector__b1__use: _tcgen05_70
    collector__b2__discard: _tcgen05_70
    collector__b2__fill: _tcgen05_70
    collector__b2__lastuse: _tcgen05_70
    collector__b2__use: _tcgen05_70
    collector__b3__discard: _tcgen05_70
    collector__b3__fill: _tcgen05_70
    collector__b3__lastuse: _tcgen05_70
    collector__b3__use: _tcgen05_70
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Operand, p: Node, e: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_72(_tcgen05):
    kind__f16: _tcgen05_71
    kind__f8f6f4: _tcgen05_71
    kind__i8: _tcgen05_71
    kind__tf32: _tcgen05_71

class _tcgen05_73(_tcgen05):
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, p: Node, f: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_74(_tcgen05):
    collector__b0__discard: _tcgen05_73
    collector__b0__fill: _tcgen05_73
    collector__b0__lastuse: _tcgen05_73
    collector__b0__use: _tcgen05_73
    collector__b1__discard: _tcgen05_73
    collector__b1__fill: _tcgen05_73
    collector__b1__lastuse: _tcgen05_73
    collector__b1__use: _tcgen05_73
    collector__b2__discard: _tcgen05_73
    collector__b2__fill: _tcgen05_73
    collector__b2__lastuse: _tcgen05_73
    collector__b2__use: _tcgen05_73
    collector__b3__discard: _tcgen05_73
    collector__b3__fill: _tcgen05_73
    collector__b3__lastuse: _tcgen05_73
    collector__b3__use: _tcgen05_73
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, p: Node, f: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_75(_tcgen05):
    kind__f16: _tcgen05_74
    kind__f8f6f4: _tcgen05_74
    kind__i8: _tcgen05_74
    kind__tf32: _tcgen05_74

class _tcgen05_76(_tcgen05):
    cta_group__1: _tcgen05_75

class _tcgen05_77(_tcgen05):
    cta_group__1: _tcgen05_72
    sp: _tcgen05_76

class _tcgen05_78(_tcgen05):
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Operand, p: Node, g: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_79(_tcgen05):
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, p: Node, g: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_80(_tcgen05):
    collector__a__discard: _tcgen05_79
    collector__a__fill: _tcgen05_79
    collector__a__lastuse: _tcgen05_79
    collector__a__use: _tcgen05_79
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, p: Node, g: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_81(_tcgen05):
    ashift: _tcgen05_80
    collector__a__discard: _tcgen05_78
    collector__a__fill: _tcgen05_78
    collector__a__lastuse: _tcgen05_78
    collector__a__use: _tcgen05_78
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Operand, p: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Operand, p: Node, g: Operand, /, *, pred: Any = None) -> Any: ...

class _tcgen05_82(_tcgen05):
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_83(_tcgen05):
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_84(_tcgen05):
    collector__a__discard: _tcgen05_83
    collector__a__fill: _tcgen05_83
    collector__a__lastuse: _tcgen05_83
    collector__a__use: _tcgen05_83
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Node, b: Operand, c: Node, e: Operand, f: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_85(_tcgen05):
    ashift: _tcgen05_84
    collector__a__discard: _tcgen05_82
    collector__a__fill: _tcgen05_82
    collector__a__lastuse: _tcgen05_82
    collector__a__use: _tcgen05_82
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_86(_tcgen05):
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Node, g: Node, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_87(_tcgen05):
    collector__a__discard: _tcgen05_86
    collector__a__fill: _tcgen05_86
    collector__a__lastuse: _tcgen05_86
    collector__a__use: _tcgen05_86
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Node, g: Node, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_88(_tcgen05):
    block32: _tcgen05_87
    collector__a__discard: _tcgen05_86
    collector__a__fill: _tcgen05_86
    collector__a__lastuse: _tcgen05_86
    collector__a__use: _tcgen05_86
    scale_vec__1X: _tcgen05_87
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Node, g: Node, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_89(_tcgen05):
    block_scale: _tcgen05_88

class _tcgen05_90(_tcgen05):
    block32: _tcgen05_87
    collector__a__discard: _tcgen05_86
    collector__a__fill: _tcgen05_86
    collector__a__lastuse: _tcgen05_86
    collector__a__use: _tcgen05_86
    scale_vec__2X: _tcgen05_87
    def __call__(
        self, address: Node, a: Operand, b: Operand, c: Node, e: Operand, f: Node, g: Node, p: Node, /, *, pred: Any = None) -> Any: ...

class _tcgen05_91(_tcgen05):
    block_scale: _tcgen05_90

class _tcgen05_92(_tcgen05):
    block16: _tcgen05_87
    block32: _tcgen05_87
    scale_vec__2X: _tcgen05_87
    scale_vec__4X: _tcgen05_87

class _tcgen05_93(_tcgen05):
    block_scale: _tcgen05_92

class _tcgen05_94(_tcgen05):
    kind__f16: _tcgen05_81
    kind__f8f6f4: _tcgen05_85
    kind__i8: _tcgen05_85
    kind__mxf4: _tcgen05_91
    kind__mxf4nvf4: _tcgen05_93
    kind__mxf8f6f4: _tcgen05_89
    kind__tf32: _tcgen05_81

class _tcgen05_95(_tcgen05):
    cta_group__1: _tcgen05_94
    cta_group__2: _tcgen05_94

class _tcgen05_96(_tcgen05):
    cta_group__1: _tcgen05_69
    cta_group__2: _tcgen05_69
    sp: _tcgen05_95
    ws: _tcgen05_77

class _tcgen05_97(_tcgen05):
    alloc: _tcgen05_5
    commit: _tcgen05_44
    cp: _tcgen05_52
    dealloc: _tcgen05_10
    fence__after_thread_sync: _tcgen05_11
    fence__before_thread_sync: _tcgen05_11
    ld: _tcgen05_27
    mma: _tcgen05_96
    relinquish_alloc_permit: _tcgen05_14
    shift: _tcgen05_46
    st: _tcgen05_38
    wait__ld: _tcgen05_13
    wait__st: _tcgen05_13

_tensormap_word: TypeAlias = Literal[
    "aligned", "b1024", "b32", "b64", "box_dim", "cluster", "cp_fenceproxy", "cta", "element_stride", "elemtype",
    "fill_mode", "global_", "global_address", "global_dim", "global_stride", "gpu", "interleave_layout", "rank",
    "release", "replace", "shared__cta", "swizzle_atomicity", "swizzle_mode", "sync", "sys", "tensormap__generic",
    "tile"
]

class _tensormap:
    """PTX ISA 9.0, 9.7.9.28

    tensormap.replace.tile.global_address{.<space>}.b1024.b64
    tensormap.replace.tile.rank{.<space>}.b1024.b32
    tensormap.replace.tile.<field>{.<space>}.b1024.b32
    tensormap.replace.tile.global_stride{.<space>}.b1024.b64
    tensormap.replace.tile.swizzle_atomicity{.<space>}.b1024.b32
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.<scope>.sync.aligned
    """

    def __getattr__(self, name: _tensormap_word, /) -> _tensormap_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _tensormap_any(_tensormap):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _tensormap_0(_tensormap):
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _tensormap_1(_tensormap):
    b64: _tensormap_0

class _tensormap_2(_tensormap):
    b1024: _tensormap_1

class _tensormap_3(_tensormap):
    b1024: _tensormap_1
    global_: _tensormap_2
    shared__cta: _tensormap_2

class _tensormap_4(_tensormap):
    b32: _tensormap_0

class _tensormap_5(_tensormap):
    b1024: _tensormap_4

class _tensormap_6(_tensormap):
    b1024: _tensormap_4
    global_: _tensormap_5
    shared__cta: _tensormap_5

class _tensormap_7(_tensormap):
    def __call__(
        self, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _tensormap_8(_tensormap):
    b32: _tensormap_7

class _tensormap_9(_tensormap):
    b1024: _tensormap_8

class _tensormap_10(_tensormap):
    b1024: _tensormap_8
    global_: _tensormap_9
    shared__cta: _tensormap_9

class _tensormap_11(_tensormap):
    b64: _tensormap_7

class _tensormap_12(_tensormap):
    b1024: _tensormap_11

class _tensormap_13(_tensormap):
    b1024: _tensormap_11
    global_: _tensormap_12
    shared__cta: _tensormap_12

class _tensormap_14(_tensormap):
    box_dim: _tensormap_10
    element_stride: _tensormap_10
    elemtype: _tensormap_6
    fill_mode: _tensormap_6
    global_address: _tensormap_3
    global_dim: _tensormap_10
    global_stride: _tensormap_13
    interleave_layout: _tensormap_6
    rank: _tensormap_6
    swizzle_atomicity: _tensormap_6
    swizzle_mode: _tensormap_6

class _tensormap_15(_tensormap):
    tile: _tensormap_14

class _tensormap_16(_tensormap):
    def __call__(self, address: Node, a: Node, b: Operand, /, *, pred: Any = None) -> Any: ...

class _tensormap_17(_tensormap):
    aligned: _tensormap_16

class _tensormap_18(_tensormap):
    sync: _tensormap_17

class _tensormap_19(_tensormap):
    cluster: _tensormap_18
    cta: _tensormap_18
    gpu: _tensormap_18
    sys: _tensormap_18

class _tensormap_20(_tensormap):
    release: _tensormap_19

class _tensormap_21(_tensormap):
    tensormap__generic: _tensormap_20

class _tensormap_22(_tensormap):
    shared__cta: _tensormap_21

class _tensormap_23(_tensormap):
    global_: _tensormap_22

class _tensormap_24(_tensormap):
    cp_fenceproxy: _tensormap_23
    replace: _tensormap_15

_testp_word: TypeAlias = Literal["f32", "f64", "finite", "infinite", "normal", "notanumber", "number", "subnormal"]

class _testp:
    """PTX ISA 9.0, 9.7.3

    testp{.<kind>}.<t>
    """

    def __getattr__(self, name: _testp_word, /) -> _testp_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _testp_any(_testp):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _testp_0(_testp):
    def __call__(self, d: Place, a: Operand, /, *, pred: Any = None) -> Any: ...

class _testp_1(_testp):
    f32: _testp_0
    f64: _testp_0

class _testp_2(_testp):
    f32: _testp_0
    f64: _testp_0
    finite: _testp_1
    infinite: _testp_1
    normal: _testp_1
    notanumber: _testp_1
    number: _testp_1
    subnormal: _testp_1

_tex_word: TypeAlias = Literal[
    "_1d", "_2d", "_2dms", "_3d", "a1d", "a2d", "a2dms", "acube", "base", "cube", "f16", "f16x2", "f32", "grad",
    "level", "s32", "u32", "v2", "v4"
]

class _tex:
    """PTX ISA 9.0, 9.7.10

    tex.1d.v4.<d>.s32
    tex.base.1d.v4.<d>.s32
    tex.level.1d.v4.<d>.s32
    tex.1d.v4.<d>.f32
    tex.base.1d.v4.<d>.f32
    tex.level.1d.v4.<d>.f32
    tex.grad.1d.v4.<d>.f32
    tex.1d.v2.<d>.s32
    tex.base.1d.v2.<d>.s32
    tex.level.1d.v2.<d>.s32
    tex.1d.v2.<d>.f32
    tex.base.1d.v2.<d>.f32
    tex.level.1d.v2.<d>.f32
    tex.grad.1d.v2.<d>.f32
    tex.2d.v4.<d>.s32
    tex.base.2d.v4.<d>.s32
    tex.level.2d.v4.<d>.s32
    tex.2d.v4.<d>.f32
    tex.base.2d.v4.<d>.f32
    tex.level.2d.v4.<d>.f32
    tex.grad.2d.v4.<d>.f32
    tex.2d.v2.<d>.s32
    tex.base.2d.v2.<d>.s32
    tex.level.2d.v2.<d>.s32
    tex.2d.v2.<d>.f32
    tex.base.2d.v2.<d>.f32
    tex.level.2d.v2.<d>.f32
    tex.grad.2d.v2.<d>.f32
    tex.3d.v4.<d>.s32
    tex.base.3d.v4.<d>.s32
    tex.level.3d.v4.<d>.s32
    tex.3d.v4.<d>.f32
    tex.base.3d.v4.<d>.f32
    tex.level.3d.v4.<d>.f32
    tex.grad.3d.v4.<d>.f32
    tex.3d.v2.<d>.s32
    tex.base.3d.v2.<d>.s32
    tex.level.3d.v2.<d>.s32
    tex.3d.v2.<d>.f32
    tex.base.3d.v2.<d>.f32
    tex.level.3d.v2.<d>.f32
    tex.grad.3d.v2.<d>.f32
    tex.a1d.v4.<d>.s32
    tex.base.a1d.v4.<d>.s32
    tex.level.a1d.v4.<d>.s32
    tex.a1d.v4.<d>.f32
    tex.base.a1d.v4.<d>.f32
    tex.level.a1d.v4.<d>.f32
    tex.grad.a1d.v4.<d>.f32
    tex.a1d.v2.<d>.s32
    tex.base.a1d.v2.<d>.s32
    tex.level.a1d.v2.<d>.s32
    tex.a1d.v2.<d>.f32
    tex.base.a1d.v2.<d>.f32
    tex.level.a1d.v2.<d>.f32
    tex.grad.a1d.v2.<d>.f32
    tex.a2d.v4.<d>.s32
    tex.base.a2d.v4.<d>.s32
    tex.level.a2d.v4.<d>.s32
    tex.a2d.v4.<d>.f32
    tex.base.a2d.v4.<d>.f32
    tex.level.a2d.v4.<d>.f32
    tex.grad.a2d.v4.<d>.f32
    tex.a2d.v2.<d>.s32
    tex.base.a2d.v2.<d>.s32
    tex.level.a2d.v2.<d>.s32
    tex.a2d.v2.<d>.f32
    tex.base.a2d.v2.<d>.f32
    tex.level.a2d.v2.<d>.f32
    tex.grad.a2d.v2.<d>.f32
    tex.cube.v4.<d>.f32
    tex.base.cube.v4.<d>.f32
    tex.level.cube.v4.<d>.f32
    tex.grad.cube.v4.<d>.f32
    tex.cube.v2.<d>.f32
    tex.base.cube.v2.<d>.f32
    tex.level.cube.v2.<d>.f32
    tex.grad.cube.v2.<d>.f32
    tex.acube.v4.<d>.f32
    tex.base.acube.v4.<d>.f32
    tex.level.acube.v4.<d>.f32
    tex.grad.acube.v4.<d>.f32
    tex.acube.v2.<d>.f32
    tex.base.acube.v2.<d>.f32
    tex.level.acube.v2.<d>.f32
    tex.grad.acube.v2.<d>.f32
    tex.2dms.v4.<d>.s32
    tex.2dms.v2.<d>.s32
    tex.a2dms.v4.<d>.s32
    tex.a2dms.v2.<d>.s32
    """

    def __getattr__(self, name: _tex_word, /) -> _tex_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _tex_any(_tex):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _tex_0(_tex):
    @overload
    def __call__(self, d: Place, tensor: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, d: Place, tensor: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _tex_1(_tex):
    @overload
    def __call__(self, d: Place, tensor: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, d: Place, tensor: Node, a: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, tensor: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _tex_2(_tex):
    f32: _tex_1
    s32: _tex_0

class _tex_3(_tex):
    f16: _tex_2
    f32: _tex_2
    s32: _tex_2
    u32: _tex_2

class _tex_4(_tex):
    f16x2: _tex_2

class _tex_5(_tex):
    v2: _tex_4
    v4: _tex_3

class _tex_6(_tex):
    f32: _tex_0
    s32: _tex_0

class _tex_7(_tex):
    f16: _tex_6
    f32: _tex_6
    s32: _tex_6
    u32: _tex_6

class _tex_8(_tex):
    f16x2: _tex_6

class _tex_9(_tex):
    v2: _tex_8
    v4: _tex_7

class _tex_10(_tex):
    f32: _tex_0

class _tex_11(_tex):
    f16: _tex_10
    f32: _tex_10
    s32: _tex_10
    u32: _tex_10

class _tex_12(_tex):
    f16x2: _tex_10

class _tex_13(_tex):
    v2: _tex_12
    v4: _tex_11

class _tex_14(_tex):
    a1d: _tex_5
    a2d: _tex_5
    acube: _tex_13
    cube: _tex_13
    @overload
    def __getattr__(self, name: Literal["_1d", "_2d"], /) -> _tex_5: ...
    @overload
    def __getattr__(self, name: Literal["_3d"], /) -> _tex_9: ...
    @overload
    def __getattr__(self, name: _tex_word, /) -> _tex_any: ...

class _tex_15(_tex):
    @overload
    def __call__(self, d: Place, tensor: Node, a: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, tensor: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _tex_16(_tex):
    @overload
    def __call__(self, d: Place, tensor: Node, a: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, tensor: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, tensor: Node, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _tex_17(_tex):
    f32: _tex_16
    s32: _tex_15

class _tex_18(_tex):
    f16: _tex_17
    f32: _tex_17
    s32: _tex_17
    u32: _tex_17

class _tex_19(_tex):
    f16x2: _tex_17

class _tex_20(_tex):
    v2: _tex_19
    v4: _tex_18

class _tex_21(_tex):
    f32: _tex_15
    s32: _tex_15

class _tex_22(_tex):
    f16: _tex_21
    f32: _tex_21
    s32: _tex_21
    u32: _tex_21

class _tex_23(_tex):
    f16x2: _tex_21

class _tex_24(_tex):
    v2: _tex_23
    v4: _tex_22

class _tex_25(_tex):
    f32: _tex_15

class _tex_26(_tex):
    f16: _tex_25
    f32: _tex_25
    s32: _tex_25
    u32: _tex_25

class _tex_27(_tex):
    f16x2: _tex_25

class _tex_28(_tex):
    v2: _tex_27
    v4: _tex_26

class _tex_29(_tex):
    a1d: _tex_20
    a2d: _tex_20
    acube: _tex_28
    cube: _tex_28
    @overload
    def __getattr__(self, name: Literal["_1d", "_2d"], /) -> _tex_20: ...
    @overload
    def __getattr__(self, name: Literal["_3d"], /) -> _tex_24: ...
    @overload
    def __getattr__(self, name: _tex_word, /) -> _tex_any: ...

class _tex_30(_tex):
    @overload
    def __call__(
        self, d: Place, tensor: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, tensor: Node, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, tensor: Node, a: Operand, b: Operand, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...

class _tex_31(_tex):
    f32: _tex_30

class _tex_32(_tex):
    f16: _tex_31
    f32: _tex_31
    s32: _tex_31
    u32: _tex_31

class _tex_33(_tex):
    f16x2: _tex_31

class _tex_34(_tex):
    v2: _tex_33
    v4: _tex_32

class _tex_35(_tex):
    @overload
    def __call__(
        self, d: Place, tensor: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, tensor: Node, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _tex_36(_tex):
    f32: _tex_35

class _tex_37(_tex):
    f16: _tex_36
    f32: _tex_36
    s32: _tex_36
    u32: _tex_36

class _tex_38(_tex):
    f16x2: _tex_36

class _tex_39(_tex):
    v2: _tex_38
    v4: _tex_37

class _tex_40(_tex):
    a1d: _tex_34
    a2d: _tex_34
    acube: _tex_39
    cube: _tex_39
    @overload
    def __getattr__(self, name: Literal["_1d", "_2d"], /) -> _tex_34: ...
    @overload
    def __getattr__(self, name: Literal["_3d"], /) -> _tex_39: ...
    @overload
    def __getattr__(self, name: _tex_word, /) -> _tex_any: ...

class _tex_41(_tex):
    s32: _tex_0

class _tex_42(_tex):
    f16: _tex_41
    f32: _tex_41
    s32: _tex_41
    u32: _tex_41

class _tex_43(_tex):
    f16x2: _tex_41

class _tex_44(_tex):
    v2: _tex_43
    v4: _tex_42

class _tex_45(_tex):
    a1d: _tex_5
    a2d: _tex_5
    a2dms: _tex_44
    acube: _tex_13
    base: _tex_14
    cube: _tex_13
    grad: _tex_40
    level: _tex_29
    @overload
    def __getattr__(self, name: Literal["_1d", "_2d"], /) -> _tex_5: ...
    @overload
    def __getattr__(self, name: Literal["_3d"], /) -> _tex_9: ...
    @overload
    def __getattr__(self, name: Literal["_2dms"], /) -> _tex_44: ...
    @overload
    def __getattr__(self, name: _tex_word, /) -> _tex_any: ...

_tld4_word: TypeAlias = Literal["_2d", "a", "a2d", "acube", "b", "cube", "f32", "g", "r", "s32", "u32", "v4"]

class _tld4:
    """PTX ISA 9.0, 9.7.10

    tld4.<part>.2d.v4.<d>.f32
    tld4.<part>.a2d.v4.<d>.f32
    tld4.<part>.cube.v4.<d>.f32
    tld4.<part>.acube.v4.<d>.f32
    """

    def __getattr__(self, name: _tld4_word, /) -> _tld4_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _tld4_any(_tld4):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _tld4_0(_tld4):
    @overload
    def __call__(self, d: Place, tensor: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, d: Place, tensor: Node, a: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, tensor: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _tld4_1(_tld4):
    f32: _tld4_0

class _tld4_2(_tld4):
    f32: _tld4_1
    s32: _tld4_1
    u32: _tld4_1

class _tld4_3(_tld4):
    v4: _tld4_2

class _tld4_4(_tld4):
    @overload
    def __call__(self, d: Place, tensor: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, d: Place, tensor: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _tld4_5(_tld4):
    f32: _tld4_4

class _tld4_6(_tld4):
    f32: _tld4_5
    s32: _tld4_5
    u32: _tld4_5

class _tld4_7(_tld4):
    v4: _tld4_6

class _tld4_8(_tld4):
    a2d: _tld4_3
    acube: _tld4_7
    cube: _tld4_7
    @overload
    def __getattr__(self, name: Literal["_2d"], /) -> _tld4_3: ...
    @overload
    def __getattr__(self, name: _tld4_word, /) -> _tld4_any: ...

class _tld4_9(_tld4):
    a: _tld4_8
    b: _tld4_8
    g: _tld4_8
    r: _tld4_8

class _trap:
    """PTX ISA 9.0, 9.7.20

    trap
    """

    def __getitem__(self, name: str, /) -> InstructionName: ...

class _trap_0(_trap):
    def __call__(self, *, pred: Any = None) -> Any: ...

_txq_word: TypeAlias = Literal[
    "array_size", "b32", "channel_data_type", "channel_order", "depth", "height", "level", "normalized_coords",
    "num_mipmap_levels", "num_samples", "width"
]

class _txq:
    """PTX ISA 9.0, 9.7.10

    txq.<what>.b32
    txq.level.<what>.b32
    """

    def __getattr__(self, name: _txq_word, /) -> _txq_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _txq_any(_txq):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _txq_0(_txq):
    def __call__(self, d: Place, address: Node, /, *, pred: Any = None) -> Any: ...

class _txq_1(_txq):
    b32: _txq_0

class _txq_2(_txq):
    def __call__(self, d: Place, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _txq_3(_txq):
    b32: _txq_2

class _txq_4(_txq):
    depth: _txq_3
    height: _txq_3
    width: _txq_3

class _txq_5(_txq):
    array_size: _txq_1
    channel_data_type: _txq_1
    channel_order: _txq_1
    depth: _txq_1
    height: _txq_1
    level: _txq_4
    normalized_coords: _txq_1
    num_mipmap_levels: _txq_1
    num_samples: _txq_1
    width: _txq_1

_vabsdiff_word: TypeAlias = Literal["add", "max", "min", "s32", "sat", "u32"]

class _vabsdiff:
    """PTX ISA 9.0, 9.7.19

    vabsdiff.<d>.<a>.<b>{.sat}
    vabsdiff.<d>.<a>.<b>{.sat}.<op>
    """

    def __getattr__(self, name: _vabsdiff_word, /) -> _vabsdiff_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vabsdiff_any(_vabsdiff):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vabsdiff_0(_vabsdiff):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vabsdiff_1(_vabsdiff):
    add: _vabsdiff_0
    max: _vabsdiff_0
    min: _vabsdiff_0
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vabsdiff_2(_vabsdiff):
    add: _vabsdiff_0
    max: _vabsdiff_0
    min: _vabsdiff_0
    sat: _vabsdiff_1
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vabsdiff_3(_vabsdiff):
    s32: _vabsdiff_2
    u32: _vabsdiff_2

class _vabsdiff_4(_vabsdiff):
    s32: _vabsdiff_3
    u32: _vabsdiff_3

class _vabsdiff_5(_vabsdiff):
    s32: _vabsdiff_4
    u32: _vabsdiff_4

_vabsdiff2_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vabsdiff2:
    """PTX ISA 9.0, 9.7.19

    vabsdiff2.<d>.<a>.<b>{.sat}
    vabsdiff2.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vabsdiff2_word, /) -> _vabsdiff2_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vabsdiff2_any(_vabsdiff2):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vabsdiff2_0(_vabsdiff2):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vabsdiff2_1(_vabsdiff2):
    add: _vabsdiff2_0
    sat: _vabsdiff2_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vabsdiff2_2(_vabsdiff2):
    s32: _vabsdiff2_1
    u32: _vabsdiff2_1

class _vabsdiff2_3(_vabsdiff2):
    s32: _vabsdiff2_2
    u32: _vabsdiff2_2

class _vabsdiff2_4(_vabsdiff2):
    s32: _vabsdiff2_3
    u32: _vabsdiff2_3

_vabsdiff4_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vabsdiff4:
    """PTX ISA 9.0, 9.7.19

    vabsdiff4.<d>.<a>.<b>{.sat}
    vabsdiff4.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vabsdiff4_word, /) -> _vabsdiff4_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vabsdiff4_any(_vabsdiff4):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vabsdiff4_0(_vabsdiff4):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vabsdiff4_1(_vabsdiff4):
    add: _vabsdiff4_0
    sat: _vabsdiff4_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vabsdiff4_2(_vabsdiff4):
    s32: _vabsdiff4_1
    u32: _vabsdiff4_1

class _vabsdiff4_3(_vabsdiff4):
    s32: _vabsdiff4_2
    u32: _vabsdiff4_2

class _vabsdiff4_4(_vabsdiff4):
    s32: _vabsdiff4_3
    u32: _vabsdiff4_3

_vadd_word: TypeAlias = Literal["add", "max", "min", "s32", "sat", "u32"]

class _vadd:
    """PTX ISA 9.0, 9.7.19

    vadd.<d>.<a>.<b>{.sat}
    vadd.<d>.<a>.<b>{.sat}.<op>
    """

    def __getattr__(self, name: _vadd_word, /) -> _vadd_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vadd_any(_vadd):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vadd_0(_vadd):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vadd_1(_vadd):
    add: _vadd_0
    max: _vadd_0
    min: _vadd_0
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vadd_2(_vadd):
    add: _vadd_0
    max: _vadd_0
    min: _vadd_0
    sat: _vadd_1
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vadd_3(_vadd):
    s32: _vadd_2
    u32: _vadd_2

class _vadd_4(_vadd):
    s32: _vadd_3
    u32: _vadd_3

class _vadd_5(_vadd):
    s32: _vadd_4
    u32: _vadd_4

_vadd2_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vadd2:
    """PTX ISA 9.0, 9.7.19

    vadd2.<d>.<a>.<b>{.sat}
    vadd2.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vadd2_word, /) -> _vadd2_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vadd2_any(_vadd2):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vadd2_0(_vadd2):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vadd2_1(_vadd2):
    add: _vadd2_0
    sat: _vadd2_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vadd2_2(_vadd2):
    s32: _vadd2_1
    u32: _vadd2_1

class _vadd2_3(_vadd2):
    s32: _vadd2_2
    u32: _vadd2_2

class _vadd2_4(_vadd2):
    s32: _vadd2_3
    u32: _vadd2_3

_vadd4_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vadd4:
    """PTX ISA 9.0, 9.7.19

    vadd4.<d>.<a>.<b>{.sat}
    vadd4.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vadd4_word, /) -> _vadd4_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vadd4_any(_vadd4):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vadd4_0(_vadd4):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vadd4_1(_vadd4):
    add: _vadd4_0
    sat: _vadd4_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vadd4_2(_vadd4):
    s32: _vadd4_1
    u32: _vadd4_1

class _vadd4_3(_vadd4):
    s32: _vadd4_2
    u32: _vadd4_2

class _vadd4_4(_vadd4):
    s32: _vadd4_3
    u32: _vadd4_3

_vavrg2_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vavrg2:
    """PTX ISA 9.0, 9.7.19

    vavrg2.<d>.<a>.<b>{.sat}
    vavrg2.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vavrg2_word, /) -> _vavrg2_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vavrg2_any(_vavrg2):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vavrg2_0(_vavrg2):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vavrg2_1(_vavrg2):
    add: _vavrg2_0
    sat: _vavrg2_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vavrg2_2(_vavrg2):
    s32: _vavrg2_1
    u32: _vavrg2_1

class _vavrg2_3(_vavrg2):
    s32: _vavrg2_2
    u32: _vavrg2_2

class _vavrg2_4(_vavrg2):
    s32: _vavrg2_3
    u32: _vavrg2_3

_vavrg4_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vavrg4:
    """PTX ISA 9.0, 9.7.19

    vavrg4.<d>.<a>.<b>{.sat}
    vavrg4.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vavrg4_word, /) -> _vavrg4_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vavrg4_any(_vavrg4):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vavrg4_0(_vavrg4):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vavrg4_1(_vavrg4):
    add: _vavrg4_0
    sat: _vavrg4_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vavrg4_2(_vavrg4):
    s32: _vavrg4_1
    u32: _vavrg4_1

class _vavrg4_3(_vavrg4):
    s32: _vavrg4_2
    u32: _vavrg4_2

class _vavrg4_4(_vavrg4):
    s32: _vavrg4_3
    u32: _vavrg4_3

_vmad_word: TypeAlias = Literal["po", "s32", "sat", "shr15", "shr7", "u32"]

class _vmad:
    """PTX ISA 9.0, 9.7.19

    vmad.<d>.<a>.<b>{.sat}{.<shift>}
    vmad.<d>.<a>.<b>.po{.sat}{.<shift>}
    """

    def __getattr__(self, name: _vmad_word, /) -> _vmad_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vmad_any(_vmad):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vmad_0(_vmad):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmad_1(_vmad):
    shr15: _vmad_0
    shr7: _vmad_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmad_2(_vmad):
    sat: _vmad_1
    shr15: _vmad_0
    shr7: _vmad_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmad_3(_vmad):
    po: _vmad_2
    sat: _vmad_1
    shr15: _vmad_0
    shr7: _vmad_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmad_4(_vmad):
    s32: _vmad_3
    u32: _vmad_3

class _vmad_5(_vmad):
    s32: _vmad_4
    u32: _vmad_4

class _vmad_6(_vmad):
    s32: _vmad_5
    u32: _vmad_5

_vmax_word: TypeAlias = Literal["add", "max", "min", "s32", "sat", "u32"]

class _vmax:
    """PTX ISA 9.0, 9.7.19

    vmax.<d>.<a>.<b>{.sat}
    vmax.<d>.<a>.<b>{.sat}.<op>
    """

    def __getattr__(self, name: _vmax_word, /) -> _vmax_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vmax_any(_vmax):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vmax_0(_vmax):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmax_1(_vmax):
    add: _vmax_0
    max: _vmax_0
    min: _vmax_0
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmax_2(_vmax):
    add: _vmax_0
    max: _vmax_0
    min: _vmax_0
    sat: _vmax_1
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmax_3(_vmax):
    s32: _vmax_2
    u32: _vmax_2

class _vmax_4(_vmax):
    s32: _vmax_3
    u32: _vmax_3

class _vmax_5(_vmax):
    s32: _vmax_4
    u32: _vmax_4

_vmax2_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vmax2:
    """PTX ISA 9.0, 9.7.19

    vmax2.<d>.<a>.<b>{.sat}
    vmax2.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vmax2_word, /) -> _vmax2_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vmax2_any(_vmax2):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vmax2_0(_vmax2):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmax2_1(_vmax2):
    add: _vmax2_0
    sat: _vmax2_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmax2_2(_vmax2):
    s32: _vmax2_1
    u32: _vmax2_1

class _vmax2_3(_vmax2):
    s32: _vmax2_2
    u32: _vmax2_2

class _vmax2_4(_vmax2):
    s32: _vmax2_3
    u32: _vmax2_3

_vmax4_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vmax4:
    """PTX ISA 9.0, 9.7.19

    vmax4.<d>.<a>.<b>{.sat}
    vmax4.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vmax4_word, /) -> _vmax4_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vmax4_any(_vmax4):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vmax4_0(_vmax4):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmax4_1(_vmax4):
    add: _vmax4_0
    sat: _vmax4_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmax4_2(_vmax4):
    s32: _vmax4_1
    u32: _vmax4_1

class _vmax4_3(_vmax4):
    s32: _vmax4_2
    u32: _vmax4_2

class _vmax4_4(_vmax4):
    s32: _vmax4_3
    u32: _vmax4_3

_vmin_word: TypeAlias = Literal["add", "max", "min", "s32", "sat", "u32"]

class _vmin:
    """PTX ISA 9.0, 9.7.19

    vmin.<d>.<a>.<b>{.sat}
    vmin.<d>.<a>.<b>{.sat}.<op>
    """

    def __getattr__(self, name: _vmin_word, /) -> _vmin_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vmin_any(_vmin):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vmin_0(_vmin):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmin_1(_vmin):
    add: _vmin_0
    max: _vmin_0
    min: _vmin_0
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmin_2(_vmin):
    add: _vmin_0
    max: _vmin_0
    min: _vmin_0
    sat: _vmin_1
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmin_3(_vmin):
    s32: _vmin_2
    u32: _vmin_2

class _vmin_4(_vmin):
    s32: _vmin_3
    u32: _vmin_3

class _vmin_5(_vmin):
    s32: _vmin_4
    u32: _vmin_4

_vmin2_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vmin2:
    """PTX ISA 9.0, 9.7.19

    vmin2.<d>.<a>.<b>{.sat}
    vmin2.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vmin2_word, /) -> _vmin2_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vmin2_any(_vmin2):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vmin2_0(_vmin2):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmin2_1(_vmin2):
    add: _vmin2_0
    sat: _vmin2_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmin2_2(_vmin2):
    s32: _vmin2_1
    u32: _vmin2_1

class _vmin2_3(_vmin2):
    s32: _vmin2_2
    u32: _vmin2_2

class _vmin2_4(_vmin2):
    s32: _vmin2_3
    u32: _vmin2_3

_vmin4_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vmin4:
    """PTX ISA 9.0, 9.7.19

    vmin4.<d>.<a>.<b>{.sat}
    vmin4.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vmin4_word, /) -> _vmin4_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vmin4_any(_vmin4):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vmin4_0(_vmin4):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmin4_1(_vmin4):
    add: _vmin4_0
    sat: _vmin4_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vmin4_2(_vmin4):
    s32: _vmin4_1
    u32: _vmin4_1

class _vmin4_3(_vmin4):
    s32: _vmin4_2
    u32: _vmin4_2

class _vmin4_4(_vmin4):
    s32: _vmin4_3
    u32: _vmin4_3

_vote_word: TypeAlias = Literal["all", "any", "b32", "ballot", "pred", "sync", "uni"]

class _vote:
    """PTX ISA 9.0, 9.7.13

    vote.sync.<op>.pred
    vote.sync.ballot.b32
    """

    def __getattr__(self, name: _vote_word, /) -> _vote_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vote_any(_vote):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vote_0(_vote):
    def __call__(self, d: Place, p: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _vote_1(_vote):
    pred: _vote_0

class _vote_2(_vote):
    b32: _vote_0

class _vote_3(_vote):
    all: _vote_1
    any: _vote_1
    ballot: _vote_2
    uni: _vote_1

class _vote_4(_vote):
    sync: _vote_3

_vset_word: TypeAlias = Literal["add", "eq", "ge", "gt", "le", "lt", "max", "min", "ne", "s32", "u32"]

class _vset:
    """PTX ISA 9.0, 9.7.19

    vset.<a>.<b>.<cmp>
    vset.<a>.<b>.<cmp>.<op>
    """

    def __getattr__(self, name: _vset_word, /) -> _vset_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vset_any(_vset):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vset_0(_vset):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vset_1(_vset):
    add: _vset_0
    max: _vset_0
    min: _vset_0
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vset_2(_vset):
    eq: _vset_1
    ge: _vset_1
    gt: _vset_1
    le: _vset_1
    lt: _vset_1
    ne: _vset_1

class _vset_3(_vset):
    s32: _vset_2
    u32: _vset_2

class _vset_4(_vset):
    s32: _vset_3
    u32: _vset_3

_vset2_word: TypeAlias = Literal["add", "eq", "ge", "gt", "le", "lt", "ne", "s32", "u32"]

class _vset2:
    """PTX ISA 9.0, 9.7.19

    vset2.<a>.<b>.<cmp>
    vset2.<a>.<b>.<cmp>.add
    """

    def __getattr__(self, name: _vset2_word, /) -> _vset2_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vset2_any(_vset2):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vset2_0(_vset2):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vset2_1(_vset2):
    add: _vset2_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vset2_2(_vset2):
    eq: _vset2_1
    ge: _vset2_1
    gt: _vset2_1
    le: _vset2_1
    lt: _vset2_1
    ne: _vset2_1

class _vset2_3(_vset2):
    s32: _vset2_2
    u32: _vset2_2

class _vset2_4(_vset2):
    s32: _vset2_3
    u32: _vset2_3

_vset4_word: TypeAlias = Literal["add", "eq", "ge", "gt", "le", "lt", "ne", "s32", "u32"]

class _vset4:
    """PTX ISA 9.0, 9.7.19

    vset4.<a>.<b>.<cmp>
    vset4.<a>.<b>.<cmp>.add
    """

    def __getattr__(self, name: _vset4_word, /) -> _vset4_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vset4_any(_vset4):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vset4_0(_vset4):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vset4_1(_vset4):
    add: _vset4_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vset4_2(_vset4):
    eq: _vset4_1
    ge: _vset4_1
    gt: _vset4_1
    le: _vset4_1
    lt: _vset4_1
    ne: _vset4_1

class _vset4_3(_vset4):
    s32: _vset4_2
    u32: _vset4_2

class _vset4_4(_vset4):
    s32: _vset4_3
    u32: _vset4_3

_vshl_word: TypeAlias = Literal["add", "clamp", "max", "min", "s32", "sat", "u32", "wrap"]

class _vshl:
    """PTX ISA 9.0, 9.7.19

    vshl.<d>.<a>.u32{.sat}.<mode>
    vshl.<d>.<a>.u32{.sat}.<mode>.<op>
    """

    def __getattr__(self, name: _vshl_word, /) -> _vshl_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vshl_any(_vshl):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vshl_0(_vshl):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vshl_1(_vshl):
    add: _vshl_0
    max: _vshl_0
    min: _vshl_0
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vshl_2(_vshl):
    clamp: _vshl_1
    wrap: _vshl_1

class _vshl_3(_vshl):
    clamp: _vshl_1
    sat: _vshl_2
    wrap: _vshl_1

class _vshl_4(_vshl):
    u32: _vshl_3

class _vshl_5(_vshl):
    s32: _vshl_4
    u32: _vshl_4

class _vshl_6(_vshl):
    s32: _vshl_5
    u32: _vshl_5

_vshr_word: TypeAlias = Literal["add", "clamp", "max", "min", "s32", "sat", "u32", "wrap"]

class _vshr:
    """PTX ISA 9.0, 9.7.19

    vshr.<d>.<a>.u32{.sat}.<mode>
    vshr.<d>.<a>.u32{.sat}.<mode>.<op>
    """

    def __getattr__(self, name: _vshr_word, /) -> _vshr_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vshr_any(_vshr):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vshr_0(_vshr):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vshr_1(_vshr):
    add: _vshr_0
    max: _vshr_0
    min: _vshr_0
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vshr_2(_vshr):
    clamp: _vshr_1
    wrap: _vshr_1

class _vshr_3(_vshr):
    clamp: _vshr_1
    sat: _vshr_2
    wrap: _vshr_1

class _vshr_4(_vshr):
    u32: _vshr_3

class _vshr_5(_vshr):
    s32: _vshr_4
    u32: _vshr_4

class _vshr_6(_vshr):
    s32: _vshr_5
    u32: _vshr_5

_vsub_word: TypeAlias = Literal["add", "max", "min", "s32", "sat", "u32"]

class _vsub:
    """PTX ISA 9.0, 9.7.19

    vsub.<d>.<a>.<b>{.sat}
    vsub.<d>.<a>.<b>{.sat}.<op>
    """

    def __getattr__(self, name: _vsub_word, /) -> _vsub_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vsub_any(_vsub):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vsub_0(_vsub):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vsub_1(_vsub):
    add: _vsub_0
    max: _vsub_0
    min: _vsub_0
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vsub_2(_vsub):
    add: _vsub_0
    max: _vsub_0
    min: _vsub_0
    sat: _vsub_1
    @overload
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vsub_3(_vsub):
    s32: _vsub_2
    u32: _vsub_2

class _vsub_4(_vsub):
    s32: _vsub_3
    u32: _vsub_3

class _vsub_5(_vsub):
    s32: _vsub_4
    u32: _vsub_4

_vsub2_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vsub2:
    """PTX ISA 9.0, 9.7.19

    vsub2.<d>.<a>.<b>{.sat}
    vsub2.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vsub2_word, /) -> _vsub2_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vsub2_any(_vsub2):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vsub2_0(_vsub2):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vsub2_1(_vsub2):
    add: _vsub2_0
    sat: _vsub2_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vsub2_2(_vsub2):
    s32: _vsub2_1
    u32: _vsub2_1

class _vsub2_3(_vsub2):
    s32: _vsub2_2
    u32: _vsub2_2

class _vsub2_4(_vsub2):
    s32: _vsub2_3
    u32: _vsub2_3

_vsub4_word: TypeAlias = Literal["add", "s32", "sat", "u32"]

class _vsub4:
    """PTX ISA 9.0, 9.7.19

    vsub4.<d>.<a>.<b>{.sat}
    vsub4.<d>.<a>.<b>.add
    """

    def __getattr__(self, name: _vsub4_word, /) -> _vsub4_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _vsub4_any(_vsub4):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _vsub4_0(_vsub4):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vsub4_1(_vsub4):
    add: _vsub4_0
    sat: _vsub4_0
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _vsub4_2(_vsub4):
    s32: _vsub4_1
    u32: _vsub4_1

class _vsub4_3(_vsub4):
    s32: _vsub4_2
    u32: _vsub4_2

class _vsub4_4(_vsub4):
    s32: _vsub4_3
    u32: _vsub4_3

_wgmma_word: TypeAlias = Literal[
    "aligned", "and_", "b1", "bf16", "commit_group", "e4m3", "e5m2", "f16", "f32", "fence", "m64n104k16",
    "m64n104k32", "m64n104k64", "m64n104k8", "m64n112k16", "m64n112k256", "m64n112k32", "m64n112k64", "m64n112k8",
    "m64n120k16", "m64n120k32", "m64n120k64", "m64n120k8", "m64n128k16", "m64n128k256", "m64n128k32", "m64n128k64",
    "m64n128k8", "m64n136k16", "m64n136k32", "m64n136k64", "m64n136k8", "m64n144k16", "m64n144k256", "m64n144k32",
    "m64n144k64", "m64n144k8", "m64n152k16", "m64n152k32", "m64n152k64", "m64n152k8", "m64n160k16", "m64n160k256",
    "m64n160k32", "m64n160k64", "m64n160k8", "m64n168k16", "m64n168k32", "m64n168k64", "m64n168k8", "m64n16k16",
    "m64n16k256", "m64n16k32", "m64n16k64", "m64n16k8", "m64n176k16", "m64n176k256", "m64n176k32", "m64n176k64",
    "m64n176k8", "m64n184k16", "m64n184k32", "m64n184k64", "m64n184k8", "m64n192k16", "m64n192k256", "m64n192k32",
    "m64n192k64", "m64n192k8", "m64n200k16", "m64n200k32", "m64n200k64", "m64n200k8", "m64n208k16", "m64n208k256",
    "m64n208k32", "m64n208k64", "m64n208k8", "m64n216k16", "m64n216k32", "m64n216k64", "m64n216k8", "m64n224k16",
    "m64n224k256", "m64n224k32", "m64n224k64", "m64n224k8", "m64n232k16", "m64n232k32", "m64n232k64", "m64n232k8",
    "m64n240k16", "m64n240k256", "m64n240k32", "m64n240k64", "m64n240k8", "m64n248k16", "m64n248k32", "m64n248k64",
    "m64n248k8", "m64n24k16", "m64n24k256", "m64n24k32", "m64n24k64", "m64n24k8", "m64n256k16", "m64n256k256",
    "m64n256k32", "m64n256k64", "m64n256k8", "m64n32k16", "m64n32k256", "m64n32k32", "m64n32k64", "m64n32k8",
    "m64n40k16", "m64n40k32", "m64n40k64", "m64n40k8", "m64n48k16", "m64n48k256", "m64n48k32", "m64n48k64",
    "m64n48k8", "m64n56k16", "m64n56k32", "m64n56k64", "m64n56k8", "m64n64k16", "m64n64k256", "m64n64k32",
    "m64n64k64", "m64n64k8", "m64n72k16", "m64n72k32", "m64n72k64", "m64n72k8", "m64n80k16", "m64n80k256",
    "m64n80k32", "m64n80k64", "m64n80k8", "m64n88k16", "m64n88k32", "m64n88k64", "m64n88k8", "m64n8k16",
    "m64n8k256", "m64n8k32", "m64n8k64", "m64n8k8", "m64n96k16", "m64n96k256", "m64n96k32", "m64n96k64", "m64n96k8",
    "mma_async", "popc", "s32", "s8", "satfinite", "sp", "sync", "tf32", "u8", "wait_group"
]

class _wgmma:
    """PTX ISA 9.0, 9.7.15

    wgmma.mma_async.sync{.aligned}.<shape>.f16.<a>.<b>
    wgmma.mma_async.sp.sync{.aligned}.<shape>.f16.<a>.<b>
    wgmma.mma_async.sync{.aligned}.<shape>.f32.<a>.<b>
    wgmma.mma_async.sp.sync{.aligned}.<shape>.f32.<a>.<b>
    wgmma.mma_async.sync{.aligned}.<shape>{.satfinite}.s32.<a>.<b>
    wgmma.mma_async.sp.sync{.aligned}.<shape>{.satfinite}.s32.<a>.<b>
    wgmma.mma_async.sync{.aligned}.<shape>.s32.b1.b1.and.popc
    wgmma.fence.sync.aligned
    wgmma.commit_group.sync.aligned
    wgmma.wait_group.sync.aligned
    """

    def __getattr__(self, name: _wgmma_word, /) -> _wgmma_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _wgmma_any(_wgmma):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _wgmma_0(_wgmma):
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, p: Node, c: Operand, e: Operand, f: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, p: Node, c: Operand, e: Operand, f: Operand, g: Operand, /, *, pred: Any = None) -> Any: ...

class _wgmma_1(_wgmma):
    f16: _wgmma_0

class _wgmma_2(_wgmma):
    f16: _wgmma_1

class _wgmma_3(_wgmma):
    bf16: _wgmma_0

class _wgmma_4(_wgmma):
    bf16: _wgmma_3
    f16: _wgmma_1

class _wgmma_5(_wgmma):
    f16: _wgmma_2
    f32: _wgmma_4

class _wgmma_6(_wgmma):
    def __call__(
        self, d: Place, a: Operand, b: Operand, p: Node, c: Operand, e: Operand, /, *, pred: Any = None) -> Any: ...

class _wgmma_7(_wgmma):
    tf32: _wgmma_6

class _wgmma_8(_wgmma):
    tf32: _wgmma_7

class _wgmma_9(_wgmma):
    f32: _wgmma_8

class _wgmma_10(_wgmma):
    e4m3: _wgmma_6
    e5m2: _wgmma_6

class _wgmma_11(_wgmma):
    e4m3: _wgmma_10
    e5m2: _wgmma_10

class _wgmma_12(_wgmma):
    def __call__(
        self, d: Place, a: Operand, b: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _wgmma_13(_wgmma):
    s8: _wgmma_12
    u8: _wgmma_12

class _wgmma_14(_wgmma):
    s8: _wgmma_13
    u8: _wgmma_13

class _wgmma_15(_wgmma):
    s32: _wgmma_14

class _wgmma_16(_wgmma):
    f16: _wgmma_11
    f32: _wgmma_11
    s32: _wgmma_14
    satfinite: _wgmma_15

class _wgmma_17(_wgmma):
    f16: _wgmma_11
    f32: _wgmma_11

class _wgmma_18(_wgmma):
    popc: _wgmma_12

class _wgmma_19(_wgmma):
    and_: _wgmma_18

class _wgmma_20(_wgmma):
    b1: _wgmma_19

class _wgmma_21(_wgmma):
    b1: _wgmma_20

class _wgmma_22(_wgmma):
    s32: _wgmma_21

class _wgmma_23(_wgmma):
    m64n104k16: _wgmma_5
    m64n104k32: _wgmma_17
    m64n104k8: _wgmma_9
    m64n112k16: _wgmma_5
    m64n112k256: _wgmma_22
    m64n112k32: _wgmma_16
    m64n112k8: _wgmma_9
    m64n120k16: _wgmma_5
    m64n120k32: _wgmma_17
    m64n120k8: _wgmma_9
    m64n128k16: _wgmma_5
    m64n128k256: _wgmma_22
    m64n128k32: _wgmma_16
    m64n128k8: _wgmma_9
    m64n136k16: _wgmma_5
    m64n136k32: _wgmma_17
    m64n136k8: _wgmma_9
    m64n144k16: _wgmma_5
    m64n144k256: _wgmma_22
    m64n144k32: _wgmma_16
    m64n144k8: _wgmma_9
    m64n152k16: _wgmma_5
    m64n152k32: _wgmma_17
    m64n152k8: _wgmma_9
    m64n160k16: _wgmma_5
    m64n160k256: _wgmma_22
    m64n160k32: _wgmma_16
    m64n160k8: _wgmma_9
    m64n168k16: _wgmma_5
    m64n168k32: _wgmma_17
    m64n168k8: _wgmma_9
    m64n16k16: _wgmma_5
    m64n16k256: _wgmma_22
    m64n16k32: _wgmma_16
    m64n16k8: _wgmma_9
    m64n176k16: _wgmma_5
    m64n176k256: _wgmma_22
    m64n176k32: _wgmma_16
    m64n176k8: _wgmma_9
    m64n184k16: _wgmma_5
    m64n184k32: _wgmma_17
    m64n184k8: _wgmma_9
    m64n192k16: _wgmma_5
    m64n192k256: _wgmma_22
    m64n192k32: _wgmma_16
    m64n192k8: _wgmma_9
    m64n200k16: _wgmma_5
    m64n200k32: _wgmma_17
    m64n200k8: _wgmma_9
    m64n208k16: _wgmma_5
    m64n208k256: _wgmma_22
    m64n208k32: _wgmma_16
    m64n208k8: _wgmma_9
    m64n216k16: _wgmma_5
    m64n216k32: _wgmma_17
    m64n216k8: _wgmma_9
    m64n224k16: _wgmma_5
    m64n224k256: _wgmma_22
    m64n224k32: _wgmma_16
    m64n224k8: _wgmma_9
    m64n232k16: _wgmma_5
    m64n232k32: _wgmma_17
    m64n232k8: _wgmma_9
    m64n240k16: _wgmma_5
    m64n240k256: _wgmma_22
    m64n240k32: _wgmma_16
    m64n240k8: _wgmma_9
    m64n248k16: _wgmma_5
    m64n248k32: _wgmma_17
    m64n248k8: _wgmma_9
    m64n24k16: _wgmma_5
    m64n24k256: _wgmma_22
    m64n24k32: _wgmma_16
    m64n24k8: _wgmma_9
    m64n256k16: _wgmma_5
    m64n256k256: _wgmma_22
    m64n256k32: _wgmma_16
    m64n256k8: _wgmma_9
    m64n32k16: _wgmma_5
    m64n32k256: _wgmma_22
    m64n32k32: _wgmma_16
    m64n32k8: _wgmma_9
    m64n40k16: _wgmma_5
    m64n40k32: _wgmma_17
    m64n40k8: _wgmma_9
    m64n48k16: _wgmma_5
    m64n48k256: _wgmma_22
    m64n48k32: _wgmma_16
    m64n48k8: _wgmma_9
    m64n56k16: _wgmma_5
    m64n56k32: _wgmma_17
    m64n56k8: _wgmma_9
    m64n64k16: _wgmma_5
    m64n64k256: _wgmma_22
    m64n64k32: _wgmma_16
    m64n64k8: _wgmma_9
    m64n72k16: _wgmma_5
    m64n72k32: _wgmma_17
    m64n72k8: _wgmma_9
    m64n80k16: _wgmma_5
    m64n80k256: _wgmma_22
    m64n80k32: _wgmma_16
    m64n80k8: _wgmma_9
    m64n88k16: _wgmma_5
    m64n88k32: _wgmma_17
    m64n88k8: _wgmma_9
    m64n8k16: _wgmma_5
    m64n8k256: _wgmma_22
    m64n8k32: _wgmma_16
    m64n8k8: _wgmma_9
    m64n96k16: _wgmma_5
    m64n96k256: _wgmma_22
    m64n96k32: _wgmma_16
    m64n96k8: _wgmma_9

class _wgmma_24(_wgmma):
    aligned: _wgmma_23
    m64n104k16: _wgmma_5
    m64n104k32: _wgmma_17
    m64n104k8: _wgmma_9
    m64n112k16: _wgmma_5
    m64n112k256: _wgmma_22
    m64n112k32: _wgmma_16
    m64n112k8: _wgmma_9
    m64n120k16: _wgmma_5
    m64n120k32: _wgmma_17
    m64n120k8: _wgmma_9
    m64n128k16: _wgmma_5
    m64n128k256: _wgmma_22
    m64n128k32: _wgmma_16
    m64n128k8: _wgmma_9
    m64n136k16: _wgmma_5
    m64n136k32: _wgmma_17
    m64n136k8: _wgmma_9
    m64n144k16: _wgmma_5
    m64n144k256: _wgmma_22
    m64n144k32: _wgmma_16
    m64n144k8: _wgmma_9
    m64n152k16: _wgmma_5
    m64n152k32: _wgmma_17
    m64n152k8: _wgmma_9
    m64n160k16: _wgmma_5
    m64n160k256: _wgmma_22
    m64n160k32: _wgmma_16
    m64n160k8: _wgmma_9
    m64n168k16: _wgmma_5
    m64n168k32: _wgmma_17
    m64n168k8: _wgmma_9
    m64n16k16: _wgmma_5
    m64n16k256: _wgmma_22
    m64n16k32: _wgmma_16
    m64n16k8: _wgmma_9
    m64n176k16: _wgmma_5
    m64n176k256: _wgmma_22
    m64n176k32: _wgmma_16
    m64n176k8: _wgmma_9
    m64n184k16: _wgmma_5
    m64n184k32: _wgmma_17
    m64n184k8: _wgmma_9
    m64n192k16: _wgmma_5
    m64n192k256: _wgmma_22
    m64n192k32: _wgmma_16
    m64n192k8: _wgmma_9
    m64n200k16: _wgmma_5
    m64n200k32: _wgmma_17
    m64n200k8: _wgmma_9
    m64n208k16: _wgmma_5
    m64n208k256: _wgmma_22
    m64n208k32: _wgmma_16
    m64n208k8: _wgmma_9
    m64n216k16: _wgmma_5
    m64n216k32: _wgmma_17
    m64n216k8: _wgmma_9
    m64n224k16: _wgmma_5
    m64n224k256: _wgmma_22
    m64n224k32: _wgmma_16
    m64n224k8: _wgmma_9
    m64n232k16: _wgmma_5
    m64n232k32: _wgmma_17
    m64n232k8: _wgmma_9
    m64n240k16: _wgmma_5
    m64n240k256: _wgmma_22
    m64n240k32: _wgmma_16
    m64n240k8: _wgmma_9
    m64n248k16: _wgmma_5
    m64n248k32: _wgmma_17
    m64n248k8: _wgmma_9
    m64n24k16: _wgmma_5
    m64n24k256: _wgmma_22
    m64n24k32: _wgmma_16
    m64n24k8: _wgmma_9
    m64n256k16: _wgmma_5
    m64n256k256: _wgmma_22
    m64n256k32: _wgmma_16
    m64n256k8: _wgmma_9
    m64n32k16: _wgmma_5
    m64n32k256: _wgmma_22
    m64n32k32: _wgmma_16
    m64n32k8: _wgmma_9
    m64n40k16: _wgmma_5
    m64n40k32: _wgmma_17
    m64n40k8: _wgmma_9
    m64n48k16: _wgmma_5
    m64n48k256: _wgmma_22
    m64n48k32: _wgmma_16
    m64n48k8: _wgmma_9
    m64n56k16: _wgmma_5
    m64n56k32: _wgmma_17
    m64n56k8: _wgmma_9
    m64n64k16: _wgmma_5
    m64n64k256: _wgmma_22
    m64n64k32: _wgmma_16
    m64n64k8: _wgmma_9
    m64n72k16: _wgmma_5
    m64n72k32: _wgmma_17
    m64n72k8: _wgmma_9
    m64n80k16: _wgmma_5
    m64n80k256: _wgmma_22
    m64n80k32: _wgmma_16
    m64n80k8: _wgmma_9
    m64n88k16: _wgmma_5
    m64n88k32: _wgmma_17
    m64n88k8: _wgmma_9
    m64n8k16: _wgmma_5
    m64n8k256: _wgmma_22
    m64n8k32: _wgmma_16
    m64n8k8: _wgmma_9
    m64n96k16: _wgmma_5
    m64n96k256: _wgmma_22
    m64n96k32: _wgmma_16
    m64n96k8: _wgmma_9

class _wgmma_25(_wgmma):
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, f: Operand, g: Operand, h: Operand, /,
        *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, f: Operand, g: Operand, h: Operand, i:
        Operand, /, *, pred: Any = None) -> Any: ...

class _wgmma_26(_wgmma):
    f16: _wgmma_25

class _wgmma_27(_wgmma):
    f16: _wgmma_26

class _wgmma_28(_wgmma):
    bf16: _wgmma_25

class _wgmma_29(_wgmma):
    bf16: _wgmma_28
    f16: _wgmma_26

class _wgmma_30(_wgmma):
    f16: _wgmma_27
    f32: _wgmma_29

class _wgmma_31(_wgmma):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, f: Operand, g: Operand, /, *, pred: Any = None) -> Any: ...

class _wgmma_32(_wgmma):
    tf32: _wgmma_31

class _wgmma_33(_wgmma):
    tf32: _wgmma_32

class _wgmma_34(_wgmma):
    f32: _wgmma_33

class _wgmma_35(_wgmma):
    e4m3: _wgmma_31
    e5m2: _wgmma_31

class _wgmma_36(_wgmma):
    e4m3: _wgmma_35
    e5m2: _wgmma_35

class _wgmma_37(_wgmma):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, e: Operand, p: Node, /, *, pred: Any = None) -> Any: ...

class _wgmma_38(_wgmma):
    s8: _wgmma_37
    u8: _wgmma_37

class _wgmma_39(_wgmma):
    s8: _wgmma_38
    u8: _wgmma_38

class _wgmma_40(_wgmma):
    s32: _wgmma_39

class _wgmma_41(_wgmma):
    f16: _wgmma_36
    f32: _wgmma_36
    s32: _wgmma_39
    satfinite: _wgmma_40

class _wgmma_42(_wgmma):
    f16: _wgmma_36
    f32: _wgmma_36

class _wgmma_43(_wgmma):
    m64n104k16: _wgmma_34
    m64n104k32: _wgmma_30
    m64n104k64: _wgmma_42
    m64n112k16: _wgmma_34
    m64n112k32: _wgmma_30
    m64n112k64: _wgmma_41
    m64n120k16: _wgmma_34
    m64n120k32: _wgmma_30
    m64n120k64: _wgmma_42
    m64n128k16: _wgmma_34
    m64n128k32: _wgmma_30
    m64n128k64: _wgmma_41
    m64n136k16: _wgmma_34
    m64n136k32: _wgmma_30
    m64n136k64: _wgmma_42
    m64n144k16: _wgmma_34
    m64n144k32: _wgmma_30
    m64n144k64: _wgmma_41
    m64n152k16: _wgmma_34
    m64n152k32: _wgmma_30
    m64n152k64: _wgmma_42
    m64n160k16: _wgmma_34
    m64n160k32: _wgmma_30
    m64n160k64: _wgmma_41
    m64n168k16: _wgmma_34
    m64n168k32: _wgmma_30
    m64n168k64: _wgmma_42
    m64n16k16: _wgmma_34
    m64n16k32: _wgmma_30
    m64n16k64: _wgmma_41
    m64n176k16: _wgmma_34
    m64n176k32: _wgmma_30
    m64n176k64: _wgmma_41
    m64n184k16: _wgmma_34
    m64n184k32: _wgmma_30
    m64n184k64: _wgmma_42
    m64n192k16: _wgmma_34
    m64n192k32: _wgmma_30
    m64n192k64: _wgmma_41
    m64n200k16: _wgmma_34
    m64n200k32: _wgmma_30
    m64n200k64: _wgmma_42
    m64n208k16: _wgmma_34
    m64n208k32: _wgmma_30
    m64n208k64: _wgmma_41
    m64n216k16: _wgmma_34
    m64n216k32: _wgmma_30
    m64n216k64: _wgmma_42
    m64n224k16: _wgmma_34
    m64n224k32: _wgmma_30
    m64n224k64: _wgmma_41
    m64n232k16: _wgmma_34
    m64n232k32: _wgmma_30
    m64n232k64: _wgmma_42
    m64n240k16: _wgmma_34
    m64n240k32: _wgmma_30
    m64n240k64: _wgmma_41
    m64n248k16: _wgmma_34
    m64n248k32: _wgmma_30
    m64n248k64: _wgmma_42
    m64n24k16: _wgmma_34
    m64n24k32: _wgmma_30
    m64n24k64: _wgmma_41
    m64n256k16: _wgmma_34
    m64n256k32: _wgmma_30
    m64n256k64: _wgmma_41
    m64n32k16: _wgmma_34
    m64n32k32: _wgmma_30
    m64n32k64: _wgmma_41
    m64n40k16: _wgmma_34
    m64n40k32: _wgmma_30
    m64n40k64: _wgmma_42
    m64n48k16: _wgmma_34
    m64n48k32: _wgmma_30
    m64n48k64: _wgmma_41
    m64n56k16: _wgmma_34
    m64n56k32: _wgmma_30
    m64n56k64: _wgmma_42
    m64n64k16: _wgmma_34
    m64n64k32: _wgmma_30
    m64n64k64: _wgmma_41
    m64n72k16: _wgmma_34
    m64n72k32: _wgmma_30
    m64n72k64: _wgmma_42
    m64n80k16: _wgmma_34
    m64n80k32: _wgmma_30
    m64n80k64: _wgmma_41
    m64n88k16: _wgmma_34
    m64n88k32: _wgmma_30
    m64n88k64: _wgmma_42
    m64n8k16: _wgmma_34
    m64n8k32: _wgmma_30
    m64n8k64: _wgmma_41
    m64n96k16: _wgmma_34
    m64n96k32: _wgmma_30
    m64n96k64: _wgmma_41

class _wgmma_44(_wgmma):
    aligned: _wgmma_43
    m64n104k16: _wgmma_34
    m64n104k32: _wgmma_30
    m64n104k64: _wgmma_42
    m64n112k16: _wgmma_34
    m64n112k32: _wgmma_30
    m64n112k64: _wgmma_41
    m64n120k16: _wgmma_34
    m64n120k32: _wgmma_30
    m64n120k64: _wgmma_42
    m64n128k16: _wgmma_34
    m64n128k32: _wgmma_30
    m64n128k64: _wgmma_41
    m64n136k16: _wgmma_34
    m64n136k32: _wgmma_30
    m64n136k64: _wgmma_42
    m64n144k16: _wgmma_34
    m64n144k32: _wgmma_30
    m64n144k64: _wgmma_41
    m64n152k16: _wgmma_34
    m64n152k32: _wgmma_30
    m64n152k64: _wgmma_42
    m64n160k16: _wgmma_34
    m64n160k32: _wgmma_30
    m64n160k64: _wgmma_41
    m64n168k16: _wgmma_34
    m64n168k32: _wgmma_30
    m64n168k64: _wgmma_42
    m64n16k16: _wgmma_34
    m64n16k32: _wgmma_30
    m64n16k64: _wgmma_41
    m64n176k16: _wgmma_34
    m64n176k32: _wgmma_30
    m64n176k64: _wgmma_41
    m64n184k16: _wgmma_34
    m64n184k32: _wgmma_30
    m64n184k64: _wgmma_42
    m64n192k16: _wgmma_34
    m64n192k32: _wgmma_30
    m64n192k64: _wgmma_41
    m64n200k16: _wgmma_34
    m64n200k32: _wgmma_30
    m64n200k64: _wgmma_42
    m64n208k16: _wgmma_34
    m64n208k32: _wgmma_30
    m64n208k64: _wgmma_41
    m64n216k16: _wgmma_34
    m64n216k32: _wgmma_30
    m64n216k64: _wgmma_42
    m64n224k16: _wgmma_34
    m64n224k32: _wgmma_30
    m64n224k64: _wgmma_41
    m64n232k16: _wgmma_34
    m64n232k32: _wgmma_30
    m64n232k64: _wgmma_42
    m64n240k16: _wgmma_34
    m64n240k32: _wgmma_30
    m64n240k64: _wgmma_41
    m64n248k16: _wgmma_34
    m64n248k32: _wgmma_30
    m64n248k64: _wgmma_42
    m64n24k16: _wgmma_34
    m64n24k32: _wgmma_30
    m64n24k64: _wgmma_41
    m64n256k16: _wgmma_34
    m64n256k32: _wgmma_30
    m64n256k64: _wgmma_41
    m64n32k16: _wgmma_34
    m64n32k32: _wgmma_30
    m64n32k64: _wgmma_41
    m64n40k16: _wgmma_34
    m64n40k32: _wgmma_30
    m64n40k64: _wgmma_42
    m64n48k16: _wgmma_34
    m64n48k32: _wgmma_30
    m64n48k64: _wgmma_41
    m64n56k16: _wgmma_34
    m64n56k32: _wgmma_30
    m64n56k64: _wgmma_42
    m64n64k16: _wgmma_34
    m64n64k32: _wgmma_30
    m64n64k64: _wgmma_41
    m64n72k16: _wgmma_34
    m64n72k32: _wgmma_30
    m64n72k64: _wgmma_42
    m64n80k16: _wgmma_34
    m64n80k32: _wgmma_30
    m64n80k64: _wgmma_41
    m64n88k16: _wgmma_34
    m64n88k32: _wgmma_30
    m64n88k64: _wgmma_42
    m64n8k16: _wgmma_34
    m64n8k32: _wgmma_30
    m64n8k64: _wgmma_41
    m64n96k16: _wgmma_34
    m64n96k32: _wgmma_30
    m64n96k64: _wgmma_41

class _wgmma_45(_wgmma):
    sync: _wgmma_44

class _wgmma_46(_wgmma):
    sp: _wgmma_45
    sync: _wgmma_24

class _wgmma_47(_wgmma):
    def __call__(self, *, pred: Any = None) -> Any: ...

class _wgmma_48(_wgmma):
    aligned: _wgmma_47

class _wgmma_49(_wgmma):
    sync: _wgmma_48

class _wgmma_50(_wgmma):
    def __call__(self, a: Operand, /, *, pred: Any = None) -> Any: ...

class _wgmma_51(_wgmma):
    aligned: _wgmma_50

class _wgmma_52(_wgmma):
    sync: _wgmma_51

class _wgmma_53(_wgmma):
    commit_group: _wgmma_49
    fence: _wgmma_49
    mma_async: _wgmma_46
    wait_group: _wgmma_52

_wmma_word: TypeAlias = Literal[
    "a", "aligned", "and_", "b", "b1", "bf16", "c", "col", "d", "f16", "f32", "f64", "global_", "load", "m16n16k16",
    "m16n16k8", "m32n8k16", "m8n32k16", "m8n8k128", "m8n8k32", "m8n8k4", "mma", "popc", "rm", "rn", "row", "rp",
    "rz", "s32", "s4", "s8", "satfinite", "shared", "shared__cta", "store", "sync", "tf32", "u4", "u8", "xor"
]

class _wmma:
    """PTX ISA 9.0, 9.7.14

    wmma.load.a.sync.aligned.<layout>.m16n16k16{.<space>}.<t>
    wmma.load.b.sync.aligned.<layout>.m16n16k16{.<space>}.<t>
    wmma.load.c.sync.aligned.<layout>.m16n16k16{.<space>}.f16
    wmma.store.d.sync.aligned.<layout>.m16n16k16{.<space>}.f16
    wmma.mma.sync.aligned.<la>.<lb>.m16n16k16.f16.f16
    wmma.mma.sync.aligned.<la>.<lb>.m16n16k16.f32.f16
    wmma.load.c.sync.aligned.<layout>.m16n16k16{.<space>}.f32
    wmma.store.d.sync.aligned.<layout>.m16n16k16{.<space>}.f32
    wmma.mma.sync.aligned.<la>.<lb>.m16n16k16.f16.f32
    wmma.mma.sync.aligned.<la>.<lb>.m16n16k16.f32.f32
    wmma.load.a.sync.aligned.<layout>.m8n32k16{.<space>}.<t>
    wmma.load.b.sync.aligned.<layout>.m8n32k16{.<space>}.<t>
    wmma.load.c.sync.aligned.<layout>.m8n32k16{.<space>}.f16
    wmma.store.d.sync.aligned.<layout>.m8n32k16{.<space>}.f16
    wmma.mma.sync.aligned.<la>.<lb>.m8n32k16.f16.f16
    wmma.mma.sync.aligned.<la>.<lb>.m8n32k16.f32.f16
    wmma.load.c.sync.aligned.<layout>.m8n32k16{.<space>}.f32
    wmma.store.d.sync.aligned.<layout>.m8n32k16{.<space>}.f32
    wmma.mma.sync.aligned.<la>.<lb>.m8n32k16.f16.f32
    wmma.mma.sync.aligned.<la>.<lb>.m8n32k16.f32.f32
    wmma.load.a.sync.aligned.<layout>.m32n8k16{.<space>}.<t>
    wmma.load.b.sync.aligned.<layout>.m32n8k16{.<space>}.<t>
    wmma.load.c.sync.aligned.<layout>.m32n8k16{.<space>}.f16
    wmma.store.d.sync.aligned.<layout>.m32n8k16{.<space>}.f16
    wmma.mma.sync.aligned.<la>.<lb>.m32n8k16.f16.f16
    wmma.mma.sync.aligned.<la>.<lb>.m32n8k16.f32.f16
    wmma.load.c.sync.aligned.<layout>.m32n8k16{.<space>}.f32
    wmma.store.d.sync.aligned.<layout>.m32n8k16{.<space>}.f32
    wmma.mma.sync.aligned.<la>.<lb>.m32n8k16.f16.f32
    wmma.mma.sync.aligned.<la>.<lb>.m32n8k16.f32.f32
    wmma.load.c.sync.aligned.<layout>.m16n16k16{.<space>}.s32
    wmma.store.d.sync.aligned.<layout>.m16n16k16{.<space>}.s32
    wmma.mma.sync.aligned.<la>.<lb>.m16n16k16.s32.s8.s8.s32{.satfinite}
    wmma.mma.sync.aligned.<la>.<lb>.m16n16k16.s32.u8.u8.s32{.satfinite}
    wmma.load.c.sync.aligned.<layout>.m8n32k16{.<space>}.s32
    wmma.store.d.sync.aligned.<layout>.m8n32k16{.<space>}.s32
    wmma.mma.sync.aligned.<la>.<lb>.m8n32k16.s32.s8.s8.s32{.satfinite}
    wmma.mma.sync.aligned.<la>.<lb>.m8n32k16.s32.u8.u8.s32{.satfinite}
    wmma.load.c.sync.aligned.<layout>.m32n8k16{.<space>}.s32
    wmma.store.d.sync.aligned.<layout>.m32n8k16{.<space>}.s32
    wmma.mma.sync.aligned.<la>.<lb>.m32n8k16.s32.s8.s8.s32{.satfinite}
    wmma.mma.sync.aligned.<la>.<lb>.m32n8k16.s32.u8.u8.s32{.satfinite}
    wmma.mma.sync.aligned.<la>.<lb>.m16n16k16.f32.bf16.bf16.f32
    wmma.mma.sync.aligned.<la>.<lb>.m8n32k16.f32.bf16.bf16.f32
    wmma.mma.sync.aligned.<la>.<lb>.m32n8k16.f32.bf16.bf16.f32
    wmma.load.a.sync.aligned.<layout>.m16n16k8{.<space>}.<t>
    wmma.load.b.sync.aligned.<layout>.m16n16k8{.<space>}.<t>
    wmma.load.c.sync.aligned.<layout>.m16n16k8{.<space>}.f32
    wmma.store.d.sync.aligned.<layout>.m16n16k8{.<space>}.f32
    wmma.mma.sync.aligned.<la>.<lb>.m16n16k8.f32.tf32.tf32.f32
    wmma.load.a.sync.aligned.<layout>.m8n8k4{.<space>}.<t>
    wmma.load.b.sync.aligned.<layout>.m8n8k4{.<space>}.<t>
    wmma.load.c.sync.aligned.<layout>.m8n8k4{.<space>}.f64
    wmma.store.d.sync.aligned.<layout>.m8n8k4{.<space>}.f64
    wmma.mma.sync.aligned.<la>.<lb>.m8n8k4{.<rnd>}.f64.f64.f64.f64
    wmma.load.a.sync.aligned.<layout>.m8n8k32{.<space>}.<t>
    wmma.load.b.sync.aligned.<layout>.m8n8k32{.<space>}.<t>
    wmma.load.c.sync.aligned.<layout>.m8n8k32{.<space>}.s32
    wmma.store.d.sync.aligned.<layout>.m8n8k32{.<space>}.s32
    wmma.mma.sync.aligned.<la>.<lb>.m8n8k32.s32.s4.s4.s32{.satfinite}
    wmma.mma.sync.aligned.<la>.<lb>.m8n8k32.s32.u4.u4.s32{.satfinite}
    wmma.load.a.sync.aligned.<layout>.m8n8k128{.<space>}.<t>
    wmma.load.b.sync.aligned.<layout>.m8n8k128{.<space>}.<t>
    wmma.load.c.sync.aligned.<layout>.m8n8k128{.<space>}.s32
    wmma.store.d.sync.aligned.<layout>.m8n8k128{.<space>}.s32
    wmma.mma.<op>.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32
    """

    def __getattr__(self, name: _wmma_word, /) -> _wmma_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _wmma_any(_wmma):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _wmma_0(_wmma):
    @overload
    def __call__(self, d: Place, address: Node, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(self, d: Place, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...

class _wmma_1(_wmma):
    bf16: _wmma_0
    f16: _wmma_0
    s8: _wmma_0
    u8: _wmma_0

class _wmma_2(_wmma):
    bf16: _wmma_0
    f16: _wmma_0
    global_: _wmma_1
    s8: _wmma_0
    shared: _wmma_1
    shared__cta: _wmma_1
    u8: _wmma_0

class _wmma_3(_wmma):
    tf32: _wmma_0

class _wmma_4(_wmma):
    global_: _wmma_3
    shared: _wmma_3
    shared__cta: _wmma_3
    tf32: _wmma_0

class _wmma_5(_wmma):
    f64: _wmma_0

class _wmma_6(_wmma):
    f64: _wmma_0
    global_: _wmma_5
    shared: _wmma_5
    shared__cta: _wmma_5

class _wmma_7(_wmma):
    s4: _wmma_0
    u4: _wmma_0

class _wmma_8(_wmma):
    global_: _wmma_7
    s4: _wmma_0
    shared: _wmma_7
    shared__cta: _wmma_7
    u4: _wmma_0

class _wmma_9(_wmma):
    b1: _wmma_0

class _wmma_10(_wmma):
    b1: _wmma_0
    global_: _wmma_9
    shared: _wmma_9
    shared__cta: _wmma_9

class _wmma_11(_wmma):
    m16n16k16: _wmma_2
    m16n16k8: _wmma_4
    m32n8k16: _wmma_2
    m8n32k16: _wmma_2
    m8n8k128: _wmma_10
    m8n8k32: _wmma_8
    m8n8k4: _wmma_6

class _wmma_12(_wmma):
    m16n16k16: _wmma_2
    m16n16k8: _wmma_4
    m32n8k16: _wmma_2
    m8n32k16: _wmma_2
    m8n8k4: _wmma_6

class _wmma_13(_wmma):
    col: _wmma_12
    row: _wmma_11

class _wmma_14(_wmma):
    aligned: _wmma_13

class _wmma_15(_wmma):
    sync: _wmma_14

class _wmma_16(_wmma):
    col: _wmma_11
    row: _wmma_12

class _wmma_17(_wmma):
    aligned: _wmma_16

class _wmma_18(_wmma):
    sync: _wmma_17

class _wmma_19(_wmma):
    f16: _wmma_0
    f32: _wmma_0
    s32: _wmma_0

class _wmma_20(_wmma):
    f16: _wmma_0
    f32: _wmma_0
    global_: _wmma_19
    s32: _wmma_0
    shared: _wmma_19
    shared__cta: _wmma_19

class _wmma_21(_wmma):
    f32: _wmma_0

class _wmma_22(_wmma):
    f32: _wmma_0
    global_: _wmma_21
    shared: _wmma_21
    shared__cta: _wmma_21

class _wmma_23(_wmma):
    s32: _wmma_0

class _wmma_24(_wmma):
    global_: _wmma_23
    s32: _wmma_0
    shared: _wmma_23
    shared__cta: _wmma_23

class _wmma_25(_wmma):
    m16n16k16: _wmma_20
    m16n16k8: _wmma_22
    m32n8k16: _wmma_20
    m8n32k16: _wmma_20
    m8n8k128: _wmma_24
    m8n8k32: _wmma_24
    m8n8k4: _wmma_6

class _wmma_26(_wmma):
    col: _wmma_25
    row: _wmma_25

class _wmma_27(_wmma):
    aligned: _wmma_26

class _wmma_28(_wmma):
    sync: _wmma_27

class _wmma_29(_wmma):
    a: _wmma_15
    b: _wmma_18
    c: _wmma_28

class _wmma_30(_wmma):
    @overload
    def __call__(self, address: Node, a: Operand, /, *, pred: Any = None) -> Any: ...
    @overload
    def __call__(
        self, address: Node, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _wmma_31(_wmma):
    f16: _wmma_30
    f32: _wmma_30
    s32: _wmma_30

class _wmma_32(_wmma):
    f16: _wmma_30
    f32: _wmma_30
    global_: _wmma_31
    s32: _wmma_30
    shared: _wmma_31
    shared__cta: _wmma_31

class _wmma_33(_wmma):
    f32: _wmma_30

class _wmma_34(_wmma):
    f32: _wmma_30
    global_: _wmma_33
    shared: _wmma_33
    shared__cta: _wmma_33

class _wmma_35(_wmma):
    f64: _wmma_30

class _wmma_36(_wmma):
    f64: _wmma_30
    global_: _wmma_35
    shared: _wmma_35
    shared__cta: _wmma_35

class _wmma_37(_wmma):
    s32: _wmma_30

class _wmma_38(_wmma):
    global_: _wmma_37
    s32: _wmma_30
    shared: _wmma_37
    shared__cta: _wmma_37

class _wmma_39(_wmma):
    m16n16k16: _wmma_32
    m16n16k8: _wmma_34
    m32n8k16: _wmma_32
    m8n32k16: _wmma_32
    m8n8k128: _wmma_38
    m8n8k32: _wmma_38
    m8n8k4: _wmma_36

class _wmma_40(_wmma):
    col: _wmma_39
    row: _wmma_39

class _wmma_41(_wmma):
    aligned: _wmma_40

class _wmma_42(_wmma):
    sync: _wmma_41

class _wmma_43(_wmma):
    d: _wmma_42

class _wmma_44(_wmma):
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _wmma_45(_wmma):
    f16: _wmma_44
    f32: _wmma_44

class _wmma_46(_wmma):
    f32: _wmma_44

class _wmma_47(_wmma):
    bf16: _wmma_46

class _wmma_48(_wmma):
    bf16: _wmma_47
    f16: _wmma_44
    f32: _wmma_44

class _wmma_49(_wmma):
    satfinite: _wmma_44
    def __call__(
        self, d: Place, a: Operand, b: Operand, c: Operand, /, *, pred: Any = None) -> Any: ...

class _wmma_50(_wmma):
    s32: _wmma_49

class _wmma_51(_wmma):
    s8: _wmma_50

class _wmma_52(_wmma):
    u8: _wmma_50

class _wmma_53(_wmma):
    s8: _wmma_51
    u8: _wmma_52

class _wmma_54(_wmma):
    f16: _wmma_45
    f32: _wmma_48
    s32: _wmma_53

class _wmma_55(_wmma):
    tf32: _wmma_46

class _wmma_56(_wmma):
    tf32: _wmma_55

class _wmma_57(_wmma):
    f32: _wmma_56

class _wmma_58(_wmma):
    f64: _wmma_44

class _wmma_59(_wmma):
    f64: _wmma_58

class _wmma_60(_wmma):
    f64: _wmma_59

class _wmma_61(_wmma):
    f64: _wmma_60

class _wmma_62(_wmma):
    f64: _wmma_60
    rm: _wmma_61
    rn: _wmma_61
    rp: _wmma_61
    rz: _wmma_61

class _wmma_63(_wmma):
    m16n16k16: _wmma_54
    m16n16k8: _wmma_57
    m32n8k16: _wmma_54
    m8n32k16: _wmma_54
    m8n8k4: _wmma_62

class _wmma_64(_wmma):
    s4: _wmma_50

class _wmma_65(_wmma):
    u4: _wmma_50

class _wmma_66(_wmma):
    s4: _wmma_64
    u4: _wmma_65

class _wmma_67(_wmma):
    s32: _wmma_66

class _wmma_68(_wmma):
    m16n16k16: _wmma_54
    m16n16k8: _wmma_57
    m32n8k16: _wmma_54
    m8n32k16: _wmma_54
    m8n8k32: _wmma_67
    m8n8k4: _wmma_62

class _wmma_69(_wmma):
    col: _wmma_68
    row: _wmma_63

class _wmma_70(_wmma):
    col: _wmma_63
    row: _wmma_63

class _wmma_71(_wmma):
    col: _wmma_70
    row: _wmma_69

class _wmma_72(_wmma):
    aligned: _wmma_71

class _wmma_73(_wmma):
    s32: _wmma_44

class _wmma_74(_wmma):
    b1: _wmma_73

class _wmma_75(_wmma):
    b1: _wmma_74

class _wmma_76(_wmma):
    s32: _wmma_75

class _wmma_77(_wmma):
    m8n8k128: _wmma_76

class _wmma_78(_wmma):
    col: _wmma_77

class _wmma_79(_wmma):
    row: _wmma_78

class _wmma_80(_wmma):
    aligned: _wmma_79

class _wmma_81(_wmma):
    sync: _wmma_80

class _wmma_82(_wmma):
    popc: _wmma_81

class _wmma_83(_wmma):
    and_: _wmma_82
    sync: _wmma_72
    xor: _wmma_82

class _wmma_84(_wmma):
    load: _wmma_29
    mma: _wmma_83
    store: _wmma_43

_xor_word: TypeAlias = Literal["b16", "b32", "b64", "pred"]

class _xor:
    """PTX ISA 9.0, 9.7.8

    xor.<t>
    """

    def __getattr__(self, name: _xor_word, /) -> _xor_any: ...
    def __getitem__(self, name: str, /) -> InstructionName: ...

class _xor_any(_xor):
    def __call__(self, *operands: Operand, pred: Any = None) -> Any: ...

class _xor_0(_xor):
    def __call__(self, d: Place, a: Operand, b: Operand, /, *, pred: Any = None) -> Any: ...

class _xor_1(_xor):
    b16: _xor_0
    b32: _xor_0
    b64: _xor_0
    pred: _xor_0

class Instructions:
    """All instructions, by the words of their names."""

    abs: _abs_2
    activemask: _activemask_1
    add: _add_12
    addc: _addc_2
    alloca: _alloca_1
    and_: _and_1
    applypriority: _applypriority_2
    atom: _atom_37
    bar: _bar_9
    barrier: _barrier_16
    bfe: _bfe_1
    bfi: _bfi_1
    bfind: _bfind_2
    bmsk: _bmsk_2
    bra: _bra_1
    brev: _brev_1
    brkpt: _brkpt_0
    brx: _brx_2
    call: _call_1
    clusterlaunchcontrol: _clusterlaunchcontrol_12
    clz: _clz_1
    cnot: _cnot_1
    copysign: _copysign_1
    cos: _cos_3
    cp: _cp_123
    createpolicy: _createpolicy_12
    cvt: _cvt_39
    cvta: _cvta_3
    discard: _discard_2
    div: _div_4
    dp2a: _dp2a_3
    dp4a: _dp4a_2
    elect: _elect_1
    ex2: _ex2_3
    exit: _exit_0
    fence: _fence_14
    fma: _fma_13
    fns: _fns_1
    getctarank: _getctarank_2
    griddepcontrol: _griddepcontrol_1
    isspacep: _isspacep_1
    istypep: _istypep_1
    ld: _ld_22
    ldmatrix: _ldmatrix_15
    ldu: _ldu_3
    lg2: _lg2_3
    lop3: _lop3_3
    mad: _mad_9
    mad24: _mad24_4
    madc: _madc_3
    mapa: _mapa_2
    match: _match_3
    max: _max_12
    mbarrier: _mbarrier_33
    membar: _membar_2
    min: _min_12
    mma: _mma_168
    mov: _mov_2
    movmatrix: _movmatrix_5
    mul: _mul_9
    mul24: _mul24_2
    multimem: _multimem_53
    nanosleep: _nanosleep_1
    neg: _neg_2
    not_: _not_1
    or_: _or_1
    pmevent: _pmevent_1
    popc: _popc_1
    prefetch: _prefetch_4
    prefetchu: _prefetchu_1
    prmt: _prmt_2
    rcp: _rcp_5
    red: _red_49
    redux: _redux_7
    rem: _rem_1
    ret: _ret_1
    rsqrt: _rsqrt_3
    sad: _sad_1
    selp: _selp_1
    set: _set_40
    setmaxnreg: _setmaxnreg_4
    setp: _setp_12
    shf: _shf_3
    shfl: _shfl_3
    shl: _shl_1
    shr: _shr_1
    sin: _sin_3
    slct: _slct_4
    sqrt: _sqrt_4
    st: _st_30
    stackrestore: _stackrestore_1
    stacksave: _stacksave_1
    stmatrix: _stmatrix_11
    sub: _sub_12
    subc: _subc_2
    suld: _suld_6
    suq: _suq_2
    sured: _sured_8
    sust: _sust_9
    szext: _szext_2
    tanh: _tanh_2
    tcgen05: _tcgen05_97
    tensormap: _tensormap_24
    testp: _testp_2
    tex: _tex_45
    tld4: _tld4_9
    trap: _trap_0
    txq: _txq_5
    vabsdiff: _vabsdiff_5
    vabsdiff2: _vabsdiff2_4
    vabsdiff4: _vabsdiff4_4
    vadd: _vadd_5
    vadd2: _vadd2_4
    vadd4: _vadd4_4
    vavrg2: _vavrg2_4
    vavrg4: _vavrg4_4
    vmad: _vmad_6
    vmax: _vmax_5
    vmax2: _vmax2_4
    vmax4: _vmax4_4
    vmin: _vmin_5
    vmin2: _vmin2_4
    vmin4: _vmin4_4
    vote: _vote_4
    vset: _vset_4
    vset2: _vset2_4
    vset4: _vset4_4
    vshl: _vshl_6
    vshr: _vshr_6
    vsub: _vsub_5
    vsub2: _vsub2_4
    vsub4: _vsub4_4
    wgmma: _wgmma_53
    wmma: _wmma_84
    xor: _xor_1
    def __getitem__(self, name: str, /) -> InstructionName: ...

inst: Instructions
