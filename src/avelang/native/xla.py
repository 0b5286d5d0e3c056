"""Numbers and structs that native code and Python share. Made by `./dev native` of `xla.h`."""

import ctypes


class XlaList(ctypes.Structure):
    """XLA's structs of foreign functions (xla/ffi/api/c_api.h, version 0.x): each begins with its size and a
    pointer to what extends it. XLA_FFI_Args, XLA_FFI_Rets: `items` are the structs of the buffers."""

    __slots__ = ()
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("extension", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("items", ctypes.c_void_p),
    ]


class XlaSpan(ctypes.Structure):
    """XLA_FFI_ByteSpan."""

    __slots__ = ()
    _fields_ = [
        ("text", ctypes.c_void_p),
        ("length", ctypes.c_uint64),
    ]


class XlaAttributes(ctypes.Structure):
    """XLA_FFI_Attrs: kinds, names and values. A text is a `XlaSpan`."""

    __slots__ = ()
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("extension", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("names", ctypes.c_void_p),
        ("items", ctypes.c_void_p),
    ]


class XlaBuffer(ctypes.Structure):
    """XLA_FFI_Buffer."""

    __slots__ = ()
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("extension", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.c_void_p),
    ]


class XlaApi(ctypes.Structure):
    """XLA_FFI_Api, as far as functions are called; those behind the first are found by their numbers (`XLA_MESSAGE`
    and the others)."""

    __slots__ = ()
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("extension", ctypes.c_void_p),
        ("version_size", ctypes.c_uint64),
        ("version_extension", ctypes.c_void_p),
        ("major", ctypes.c_int32),
        ("minor", ctypes.c_int32),
        ("internal", ctypes.c_void_p),
        ("functions", ctypes.c_void_p * 17),
    ]


class XlaFrame(ctypes.Structure):
    """XLA_FFI_CallFrame."""

    __slots__ = ()
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("extension", ctypes.c_void_p),
        ("api", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int32),
        ("arguments", XlaList),
        ("results", XlaList),
        ("attributes", XlaAttributes),
    ]


class XlaAsk(ctypes.Structure):
    """The argument of XLA's functions: XLA_FFI_Stream_Get_Args, XLA_FFI_RunId_Get_Args."""

    __slots__ = ()
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("extension", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("answer", ctypes.c_uint64),
    ]


class XlaTake(ctypes.Structure):
    """XLA_FFI_DeviceMemory_Allocate_Args."""

    __slots__ = ()
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("extension", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("bytes", ctypes.c_uint64),
        ("alignment", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
    ]


class XlaGive(ctypes.Structure):
    """XLA_FFI_DeviceMemory_Free_Args."""

    __slots__ = ()
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("extension", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("bytes", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
    ]


class XlaFailure(ctypes.Structure):
    """XLA_FFI_Error_GetMessage_Args, and XLA_FFI_Error_Destroy_Args without the last."""

    __slots__ = ()
    _fields_ = [
        ("size", ctypes.c_uint64),
        ("extension", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
    ]
XLA_ERROR = 0
XLA_MESSAGE = 1
XLA_DESTROY = 2
XLA_REGISTER = 3
XLA_STREAM = 4
XLA_TAKE = 9
XLA_GIVE = 10
XLA_RUN = 16
XLA_SCALAR = 3
XLA_UNIT = 16
XLA_WORDS = 512
XLA_BASES = 64
XLA_MAPS = 1024


class XlaStep(ctypes.Structure):
    """One thing that a call does: a launch (`gpu`), or else a call of a function of the driver, whose arguments are
    the slots."""

    __slots__ = ()
    _fields_ = [
        ("gpu", ctypes.c_void_p),
        ("function", ctypes.c_void_p),
    ]


class XlaMember(ctypes.Structure):
    """A rank on a GPU. Nothing is launched while `*who` (a rank did not come) or `failed` is not 0. `touched`
    counts launches for who looks whether they end, which he does while `looking` is not 0."""

    __slots__ = ()
    _fields_ = [
        ("who", ctypes.c_void_p),
        ("failed", ctypes.c_int64),
        ("touched", ctypes.c_int64),
        ("looking", ctypes.c_int64),
    ]


class XlaCall(ctypes.Structure):
    """A call that is known by its key; `site`: 0, or where the text of the only call stands that it is. `launch`:
    of each step its slots and which of them move (without `entry` and `state`). It takes `room` bytes of XLA's
    memory, of which `starts` are the `making` pieces. `home`: of the device that driver's functions want (null:
    there are none). `watches`: what kernels depend on, looked at under the interpreter's lock with `context`.
    `number`: Python's of the call."""

    __slots__ = ()
    _fields_ = [
        ("hash", ctypes.c_uint64),
        ("words", ctypes.c_int64),
        ("key", ctypes.c_void_p),
        ("site", ctypes.c_uint64),
        ("steps", ctypes.c_int64),
        ("step", ctypes.c_void_p),
        ("launch", ctypes.c_void_p),
        ("room", ctypes.c_int64),
        ("making", ctypes.c_int64),
        ("starts", ctypes.c_void_p),
        ("home", ctypes.c_void_p),
        ("member", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("watched", ctypes.c_int64),
        ("watches", ctypes.c_void_p),
        ("number", ctypes.c_int64),
    ]


class XlaTable(ctypes.Structure):
    """The known calls by hash, one behind the other; `mask` is the size less one, a power of two less one."""

    __slots__ = ()
    _fields_ = [
        ("mask", ctypes.c_int64),
        ("calls", ctypes.c_void_p),
    ]


class XlaCalls(ctypes.Structure):
    """The calls of one driver. `inside`: threads that look at the table now; `lock`: 1 while somebody reads or
    writes a table of tensor maps; `served`: how many calls were made. A call goes to `slow` where it is not known,
    `*waiting` is not 0, or AVE_CHECK asks for something; `choices` is a word of each key. `failed` is called with
    the frame, the call's number, the step's, its status and where the memories begin, and gives XLA's error."""

    __slots__ = ()
    _fields_ = [
        ("table", ctypes.c_void_p),
        ("inside", ctypes.c_int64),
        ("lock", ctypes.c_int64),
        ("served", ctypes.c_int64),
        ("choices", ctypes.c_void_p),
        ("waiting", ctypes.c_void_p),
        ("slow", ctypes.c_void_p),
        ("failed", ctypes.c_void_p),
    ]
