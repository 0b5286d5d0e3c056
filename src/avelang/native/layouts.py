"""Numbers and structs that native code and Python share. Made by `./dev native` of `layouts.h`."""

import ctypes

ENTRIES = 16
EXCHANGES = 8
ALTERNATIVES = 4
SLOTS = 64
WIDES = 16
MOST_INLINE = 5
KEPT = 16
NOTED = 8
MOST_EXPECTED = 256
EXPECTED = (
    "const", "arg", "grid", "add", "sub", "mul", "div", "rem", "floordiv", "mod", "and", "or", "xor", "shl", "shr",
    "min", "max", "eq", "ne", "lt", "le", "gt", "ge", "select", "convert", "not", "neg", "not1",
)
CONSTANT = 0
SIGNED = 1
UNSIGNED = 2
DOUBLE = 3
SINGLE = 4
FLAG = 5
POINTER = 6
TENSOR = 7
MAP = 8
WATCHED_WORD = 1
ALIGNED = 256
WRITEABLE = 1024
LOOK_UP = 1
STOP = 2


class LaunchState(ctypes.Structure):
    """A launch, as a kernel on the CPU sees it. `look` says whether to stop. `owner`: the thread that launched,
    `thread`: its Python thread state (null: none), `interrupts`: how often Ctrl-C had been pressed. Emitted code
    reads the fields up to `look`."""

    __slots__ = ()
    _fields_ = [
        ("grid", ctypes.c_uint32 * 3),
        ("flag", ctypes.c_int32),
        ("look", ctypes.c_void_p),
        ("pool", ctypes.c_void_p),
        ("owner", ctypes.c_void_p),
        ("thread", ctypes.c_void_p),
        ("before", ctypes.c_void_p),
        ("next", ctypes.c_void_p),
        ("interrupts", ctypes.c_int64),
    ]


class Pool(ctypes.Structure):
    """The thread pool. `mutex`, `wake` (there is work), `finished` (the last worker is done): room for any libc's
    pthread objects (glibc: 40 and 48 bytes, macOS: 64 and 48). `taken`: 1 while a launch owns the workers and the
    caller's scratch. `active`: workers inside the job; `generation`: one more with each job; both are written under
    the mutex. `job`: null when there is none to join. `workers` are wanted besides the caller. `spins`: how often a
    worker looks for the next job before it sleeps. `clock`: CLOCK_MONOTONIC, `set_mask`: SIG_SETMASK, `detached`:
    PTHREAD_CREATE_DETACHED, `stack`: bytes of a worker's. `launches`: the first that is under way; `listed`: 1
    while somebody changes or walks that list. `ticker`: 0 where it has not been started, 1 while it ticks, 2 while
    it sleeps, because there was no launch for a while. `interrupts`: how often Ctrl-C was pressed; `hook` is called
    in a thread that launched and sees another number there, and what it raises ends the launch. `handler`: that of
    SIGINT which was there before ours."""

    __slots__ = ()
    _fields_ = [
        ("mutex", ctypes.c_byte * 128),
        ("wake", ctypes.c_byte * 128),
        ("finished", ctypes.c_byte * 128),
        ("taken", ctypes.c_int32),
        ("active", ctypes.c_int32),
        ("generation", ctypes.c_int64),
        ("job", ctypes.c_void_p),
        ("scratch", ctypes.c_void_p),
        ("scratch_bytes", ctypes.c_int64),
        ("workers", ctypes.c_int32),
        ("started", ctypes.c_int32),
        ("spins", ctypes.c_int32),
        ("clock", ctypes.c_int32),
        ("set_mask", ctypes.c_int32),
        ("detached", ctypes.c_int32),
        ("stack", ctypes.c_int64),
        ("launches", ctypes.c_void_p),
        ("listed", ctypes.c_int32),
        ("ticker", ctypes.c_int32),
        ("interrupts", ctypes.c_int64),
        ("hook", ctypes.c_void_p),
        ("handler", ctypes.c_void_p),
    ]


class CpuKernel(ctypes.Structure):
    """A kernel on the CPU. `ns_per_block` is measured by each launch; `last_ns` is the time of the last one."""

    __slots__ = ()
    _fields_ = [
        ("run", ctypes.c_void_p),
        ("scratch_bytes", ctypes.c_int64),
        ("ns_per_block", ctypes.c_double),
        ("launches", ctypes.c_int64),
        ("last_ns", ctypes.c_int64),
    ]


class Gpu(ctypes.Structure):
    """A kernel that a driver has loaded on a device. `launch`: hipModuleLaunchKernel or cuLaunchKernel, which take
    the same eleven arguments, or cuLaunchKernelEx, with so `many` `attributes` (-1: one of the former). `get` gives
    the thread's current device (a word by its address), `set` sets it; `word`: the kernel's device. `most_x` blocks
    fit along x (-1: none, the slow path sees every launch). Slot `params` is the stream. `only`: 1 where there is
    one device; then the thread's is asked for only where the launch says that it is another one or none. `wide`: a
    bit for each parameter whose slot has the address of its value, a `Wide`."""

    __slots__ = ()
    _fields_ = [
        ("launch", ctypes.c_void_p),
        ("function", ctypes.c_void_p),
        ("get", ctypes.c_void_p),
        ("set", ctypes.c_void_p),
        ("word", ctypes.c_uint64),
        ("most_x", ctypes.c_int64),
        ("params", ctypes.c_int64),
        ("block", ctypes.c_uint32 * 3),
        ("shared", ctypes.c_uint32),
        ("attributes", ctypes.c_void_p),
        ("many", ctypes.c_int64),
        ("only", ctypes.c_int64),
        ("wide", ctypes.c_uint64),
    ]


class Recent(ctypes.Structure):
    """A launch that was handed to a driver: how many there were before it, the first slots (of a value that no slot
    holds, the word that stands for it). A kernel that faults is reported by whatever comes after it: the last of
    these are the ones that it may be."""

    __slots__ = ()
    _fields_ = [
        ("gpu", ctypes.c_void_p),
        ("number", ctypes.c_int64),
        ("grid", ctypes.c_uint32 * 3),
        ("stream", ctypes.c_void_p),
        ("slots", ctypes.c_uint64 * KEPT),
    ]


class BoundKernel(ctypes.Structure):
    """The value of `kernel[provider]`: an object of CPython with a vectorcall."""

    __slots__ = ()
    _fields_ = [
        ("count", ctypes.c_int64),
        ("type", ctypes.c_void_p),
        ("call", ctypes.c_void_p),
        ("builtin", ctypes.c_void_p),
        ("provider", ctypes.c_void_p),
    ]


class Subscript(ctypes.Structure):
    """Filled in by Python: the type of `BoundKernel` and the byte of a kernel where its builtin stands, and the
    object that died last."""

    __slots__ = ()
    _fields_ = [
        ("type", ctypes.c_void_p),
        ("offset", ctypes.c_int64),
        ("free", ctypes.c_void_p),
    ]


class TensorMapRecord(ctypes.Structure):
    """One array's entry in a table of tensor maps. The key: address, five extents, five strides in bytes, zeros
    beyond the rank; 1, or 0 in a record that is free."""

    __slots__ = ()
    _fields_ = [
        ("key", ctypes.c_int64 * 12),
        ("padding", ctypes.c_int64 * 4),
        ("value", ctypes.c_byte * 128),
    ]


class Maps(ctypes.Structure):
    """A table of tensor maps: the first `TensorMapRecord`, how many there are less one, a power of two less one."""

    __slots__ = ()
    _fields_ = [
        ("records", ctypes.c_void_p),
        ("mask", ctypes.c_int64),
    ]


class Wide(ctypes.Structure):
    """A value that no slot holds, whose address a slot has; `word`, an array's address, stands for it in reports.
    Three lines of the cache."""

    __slots__ = ()
    _fields_ = [
        ("value", ctypes.c_byte * 128),
        ("word", ctypes.c_int64),
        ("padding", ctypes.c_int64 * 7),
    ]


class Room(ctypes.Structure):
    """Memory that a launch fills in: a slot for each argument and the stream, and values that no slot holds."""

    __slots__ = ()
    _fields_ = [
        ("slots", ctypes.c_uint64 * SLOTS),
        ("wides", Wide * WIDES),
    ]


class Exchange(ctypes.Structure):
    """A type, and the function that reads its objects (DLPack's C exchange API: dltensor_from_py_object_no_sync)."""

    __slots__ = ()
    _fields_ = [
        ("type", ctypes.c_void_p),
        ("function", ctypes.c_void_p),
    ]


class Fields(ctypes.Structure):
    """Places of the fields of a torch tensor, in bytes (`torch_tensors.Layout`): in the Python object the tensor's
    implementation; in that the storage, dispatch keys, the word that begins with the dtype, the number of elements,
    the offset into the storage in elements, the rank, the extents (5, then 5 strides in elements); in the storage
    the memory and the function that frees it. Then, no place: the dispatch keys of lazy views, whose memory holds
    other values than they. In the implementation the counter of changes, and in that the count. Then functions:
    whether a tensor (its implementation) requires a gradient, and whether this thread records for gradients. Last,
    in the storage how many bytes it has."""

    __slots__ = ()
    _fields_ = [
        ("impl", ctypes.c_int64),
        ("storage", ctypes.c_int64),
        ("keys", ctypes.c_int64),
        ("meta", ctypes.c_int64),
        ("numel", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("rank", ctypes.c_int64),
        ("sizes", ctypes.c_int64),
        ("data", ctypes.c_int64),
        ("deleter", ctypes.c_int64),
        ("lazy", ctypes.c_uint64),
        ("counter", ctypes.c_int64),
        ("version", ctypes.c_int64),
        ("requires", ctypes.c_void_p),
        ("enabled", ctypes.c_void_p),
        ("bytes", ctypes.c_int64),
    ]


class Likeness(ctypes.Structure):
    """Facts that torch tensors have in common which are read alike: type (null: none), virtual table, dispatch
    keys, dtype and device, who frees."""

    __slots__ = ()
    _fields_ = [
        ("type", ctypes.c_void_p),
        ("table", ctypes.c_void_p),
        ("keys", ctypes.c_uint64),
        ("meta", ctypes.c_uint64),
        ("deleter", ctypes.c_void_p),
    ]


class Context(ctypes.Structure):
    """The state that all kernels share. `fail` is called with the status of a launch that failed, and raises.
    `keep_traceback`: 1: leave tracebacks as they are. `count`: of exchanges. `digit`: what stands behind the type
    of an int from 1 to 2^30 - 1, whose value comes behind that; -1 if this is not known. `tagged`: 1: a dict's
    fourth word is another one after each change to it. `items`: the byte of a tuple where its items begin."""

    __slots__ = ()
    _fields_ = [
        ("pool", ctypes.c_void_p),
        ("int_", ctypes.c_void_p),
        ("float_", ctypes.c_void_p),
        ("str_", ctypes.c_void_p),
        ("tuple_", ctypes.c_void_p),
        ("none", ctypes.c_void_p),
        ("true_", ctypes.c_void_p),
        ("false_", ctypes.c_void_p),
        ("ndarray", ctypes.c_void_p),
        ("ave_error", ctypes.c_void_p),
        ("fail", ctypes.c_void_p),
        ("keep_traceback", ctypes.c_int64),
        ("count", ctypes.c_int64),
        ("exchanges", Exchange * EXCHANGES),
        ("digit", ctypes.c_int64),
        ("tagged", ctypes.c_int64),
        ("items", ctypes.c_int64),
        ("fields", Fields),
    ]


class WatchedName(ctypes.Structure):
    """A dependence of a kernel beside its arguments, a global or a knob of the environment: the dict that holds it,
    the name, the object found when the kernel was compiled (null: there was none), and the dict's tag when it was
    last looked up. A closure's cell has no name (null); the name WATCHED_WORD: a word in memory, its address and
    what it was (the version of a class, the code of a function)."""

    __slots__ = ()
    _fields_ = [
        ("home", ctypes.c_void_p),
        ("name", ctypes.c_void_p),
        ("value", ctypes.c_void_p),
        ("tag", ctypes.c_uint64),
    ]


class ParamCheck(ctypes.Structure):
    """One argument. `low` and `high`: the least and the greatest integer; CONSTANT: `low` is the object expected;
    arrays: `low` has the flags that one of NumPy must have, `high` is what an address read through DLPack is a
    multiple of. `device`: DLPack's type, index << 32. `dtypes`: of DLPack, that are accepted: code, bits << 8,
    lanes << 16. `strides`: in elements; MAP: `shape` is the `Maps`, `strides` (a number) the bytes from the slot to
    the `Wide`. `item`: bytes of an element. `descriptors`: of NumPy, that are accepted. What is read of a number,
    or of an array through DLPack, are the first 64 bytes, one line of the processor's cache; of a torch tensor also
    the last 64."""

    __slots__ = ()
    _fields_ = [
        ("kind", ctypes.c_int64),
        ("slot", ctypes.c_int64),
        ("low", ctypes.c_int64),
        ("high", ctypes.c_uint64),
        ("rank", ctypes.c_int64),
        ("device", ctypes.c_int64),
        ("dtypes", ctypes.c_uint32 * ALTERNATIVES),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("item", ctypes.c_int64),
        ("descriptors", ctypes.c_void_p * ALTERNATIVES),
        ("padding", ctypes.c_int64),
        ("like", Likeness),
        ("rest", ctypes.c_int64 * 3),
    ]


class CallEntry(ctypes.Structure):
    """A call that the slow path has accepted. `positional` and `keyword`: how many arguments, with the keywords'
    `names`; `params`: one for each, keywords last. `template`: what stands in the slots before arguments are filled
    in (defaults), null where arguments or the stream fill all of them. `gpu`: null for a kernel on the CPU
    (`kernel` is null else); the last slot is the stream. `stream`: asked for the current stream of `device`
    (DLPack's type, index << 32), null where the slot has it. `failed`: called with the status, the geometry and the
    arguments of a launch that the driver refused; raises. `expects`: what the kernel expects of a launch
    (`expects.table`), null for nothing."""

    __slots__ = ()
    _fields_ = [
        ("kernel", ctypes.c_void_p),
        ("watched", ctypes.c_int64),
        ("watches", ctypes.c_void_p),
        ("positional", ctypes.c_int64),
        ("keyword", ctypes.c_int64),
        ("names", ctypes.c_void_p),
        ("block", ctypes.c_int64 * 3),
        ("params", ctypes.c_void_p),
        ("slots", ctypes.c_int64),
        ("template", ctypes.c_void_p),
        ("gpu", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
        ("device", ctypes.c_uint64),
        ("failed", ctypes.c_void_p),
        ("expects", ctypes.c_void_p),
    ]


class State(ctypes.Structure):
    """One for each jit function: the slow path, entries (newest first), the entry that ran last."""

    __slots__ = ()
    _fields_ = [
        ("context", ctypes.c_void_p),
        ("slow", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("entries", ctypes.c_void_p * ENTRIES),
        ("last", ctypes.c_void_p),
    ]


class MethodDef(ctypes.Structure):
    """CPython's PyMethodDef, and behind it the builtin's `State`."""

    __slots__ = ()
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int32),
        ("doc", ctypes.c_char_p),
        ("state", ctypes.c_void_p),
    ]
KEY_WORDS = 384
BASES = 32
MADES = 12
MADE_ARGUMENTS = 5
ITEMS = 64
LOW = 127


class Check(ctypes.Structure):
    """A question to torch: what the function answers to the argument, of which `mask` counts, is `wanted` where
    nobody watches."""

    __slots__ = ()
    _fields_ = [
        ("function", ctypes.c_void_p),
        ("argument", ctypes.c_uint64),
        ("mask", ctypes.c_uint64),
        ("wanted", ctypes.c_uint64),
    ]


class Made(ctypes.Structure):
    """New memory: torch's function that makes it, with its arguments. The last bits of its address, `mask` says
    which, are those of `low`."""

    __slots__ = ()
    _fields_ = [
        ("function", ctypes.c_void_p),
        ("positional", ctypes.c_int64),
        ("keyword", ctypes.c_int64),
        ("args", ctypes.c_void_p * MADE_ARGUMENTS),
        ("names", ctypes.c_void_p),
        ("low", ctypes.c_uint64),
        ("mask", ctypes.c_uint64),
    ]


class Moving(ctypes.Structure):
    """A slot that has another value in each call: the address of a tensor, `base` counts those that come in and
    then those that are made (-1: none, of memory that is kept), and `delta` more. Of a tensor map `maps` is the
    table, `wide` the bytes from the slot to the `Wide`, and extents and strides (in units of `unit` bytes) are as
    given."""

    __slots__ = ()
    _fields_ = [
        ("slot", ctypes.c_int64),
        ("base", ctypes.c_int64),
        ("delta", ctypes.c_int64),
        ("maps", ctypes.c_void_p),
        ("wide", ctypes.c_int64),
        ("rank", ctypes.c_int64),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("unit", ctypes.c_int64),
    ]


class RepeatLaunch(ctypes.Structure):
    """One launch of a call: the entry that has accepted it, what its `count` slots hold, and which of them move."""

    __slots__ = ()
    _fields_ = [
        ("entry", ctypes.c_void_p),
        ("state", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("slots", ctypes.c_void_p),
        ("moving", ctypes.c_int64),
        ("moves", ctypes.c_void_p),
        ("blocks", ctypes.c_uint32 * 3),
    ]


class Repeat(ctypes.Structure):
    """A call that is known by its key. Without launches it is one that cannot be repeated. What is made first,
    `returned` of it, goes to the caller: alone where `single`. `owner`: what holds all of this. `thread`: null, or
    the only one in which the call is repeated, since it uses memory that is kept for that and for `stream`, which
    `stream_function` (null: none) gives for `device`; and not while `capturing` gives something else than `calm`.
    `stale`: 1 where something has changed on which its launches depend."""

    __slots__ = ()
    _fields_ = [
        ("hash", ctypes.c_uint64),
        ("words", ctypes.c_int64),
        ("key", ctypes.c_void_p),
        ("launches", ctypes.c_int64),
        ("launch", ctypes.c_void_p),
        ("making", ctypes.c_int64),
        ("make", ctypes.c_void_p),
        ("returned", ctypes.c_int64),
        ("single", ctypes.c_int64),
        ("owner", ctypes.c_void_p),
        ("thread", ctypes.c_void_p),
        ("stream_function", ctypes.c_void_p),
        ("device", ctypes.c_uint64),
        ("stream", ctypes.c_uint64),
        ("capturing", ctypes.c_void_p),
        ("calm", ctypes.c_void_p),
        ("stale", ctypes.c_int64),
    ]


class Repeats(ctypes.Structure):
    """One for each function whose calls are repeated. `table`: by hash, one behind the other, `mask` is its size
    less one, a power of two less one. `items`: bytes of an element by torch's number of the dtype. `level`: of the
    tangents of torch. `watched`: words that every key has. `served`: how many calls were repeated."""

    __slots__ = ()
    _fields_ = [
        ("context", ctypes.c_void_p),
        ("table", ctypes.c_void_p),
        ("mask", ctypes.c_int64),
        ("tensor", ctypes.c_void_p),
        ("parameter", ctypes.c_void_p),
        ("dtype", ctypes.c_void_p),
        ("checking", ctypes.c_int64),
        ("checks", ctypes.c_void_p),
        ("watching", ctypes.c_int64),
        ("watched", ctypes.c_void_p),
        ("level", WatchedName),
        ("served", ctypes.c_int64),
        ("items", ctypes.c_int64 * ITEMS),
    ]


class Dry(ctypes.Structure):
    """A dry run: `hook` is called with each launch of the thread, in its place (null: there is none)."""

    __slots__ = ()
    _fields_ = [
        ("hook", ctypes.c_void_p),
        ("thread", ctypes.c_void_p),
    ]
