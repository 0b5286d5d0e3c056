"""Numbers and structs that native code and Python share. Made by `./dev native` of `ptx.h`."""

import ctypes

LANES = 32
EXITED = 2147483647
STEPS = 32768
ROUNDS = 16384
APART = -1
ASKS = -2
FAULT = -3
WAITS = -4
ENDED = 0
TURN = -5
STUCK = -6
BARRIER = -7
SHARED_WINDOW = 1
LOCAL_WINDOW = 2
FUNCTIONS_WINDOW = 3
RANK = 24
ARRIVING = 1
READ_LATER = 2
UNFENCED = 4
UNKNOWN = 1
OUTSIDE = 2
READONLY = 3
MISALIGNED = 4
IN_FLIGHT = 5
GUARDED = 6
TRAP = 7
UNWAITED = 8
SPLIT = 9
ENTER = 1
LOAD = 2
STORE = 3
ATOM = 4
FENCE = 5
BLAME = 6
CLASH = 7
ALONE = 8
RUNNING = 9
UNDEFINED = 10
UNNAMED = 11
CAPACITY = 32768
SPARE = 4096


class LogRecord(ctypes.Structure):
    """A note of watched code: the index of the instruction, what it is, a mask of lanes, bytes, a code, and the
    lanes' addresses as they were put."""

    __slots__ = ()
    _fields_ = [
        ("instr", ctypes.c_int32),
        ("kind", ctypes.c_int32),
        ("mask", ctypes.c_uint32),
        ("size", ctypes.c_int32),
        ("code", ctypes.c_int32),
        ("padding", ctypes.c_byte * 44),
        ("address", ctypes.c_uint64 * LANES),
    ]


class Log(ctypes.Structure):
    """The records in the order in which they happened, how many there are, and a place for accesses that have none."""

    __slots__ = ()
    _fields_ = [
        ("count", ctypes.c_uint64),
        ("padding", ctypes.c_byte * 248),
        ("sink", ctypes.c_byte * 256),
        ("records", LogRecord * 0),
    ]


class WarpState(ctypes.Structure):
    """A warp: where its 32 lanes are, a few words of control, room for addresses and data on their way to memory,
    then the virtual registers of the program, each 32 lanes wide (a predicate is one word, a bit a lane). `pc`: the
    block of code that each lane runs next; `active`: the lanes that run now; `op`: the instruction that asks the
    host; `live`: lanes that have not exited; `blocked`: lanes that wait for others of their warp; `steps`: blocks
    of code left of this turn; `count`: instructions; `barrier`: the warp waits at bar.sync 0; `at`, `seen`, `bad`:
    of code that is watched (`watch_text`): the instruction that accesses memory, the lanes that ran last, those
    whose stores another lane's has overwritten; `thread`: %tid as three registers; `local`: the memory of its
    lanes' local variables; `address`, `data`: room for accesses, and `undef` for which lanes' data nothing has
    written."""

    __slots__ = ()
    _fields_ = [
        ("pc", ctypes.c_int32 * LANES),
        ("active", ctypes.c_uint32),
        ("op", ctypes.c_uint32),
        ("live", ctypes.c_uint32),
        ("blocked", ctypes.c_uint32),
        ("steps", ctypes.c_int32),
        ("index", ctypes.c_uint32),
        ("count", ctypes.c_uint64),
        ("local", ctypes.c_void_p),
        ("turn", ctypes.c_uint32),
        ("barrier", ctypes.c_uint32),
        ("at", ctypes.c_uint32),
        ("seen", ctypes.c_uint32),
        ("bad", ctypes.c_uint32),
        ("padding", ctypes.c_uint32),
        ("thread", ctypes.c_uint32 * 96),
        ("rest", ctypes.c_uint64 * 8),
        ("address", ctypes.c_uint64 * LANES),
        ("padding2", ctypes.c_uint64 * 16),
        ("data", ctypes.c_uint32 * 1024),
        ("undef", ctypes.c_uint32 * 32),
    ]


class CtaRecord(ctypes.Structure):
    """A block. `regions`: triples of u64 (start, end, writable) of memory that the kernel may touch; `near_...`:
    the last of them that was hit; `shared`, `shadow`: a pointer for each rank of the cluster; `module`: where the
    module's variables stand; `fault_...`: code, instruction, lane, address, and what else the code means. `warps`,
    `masks`: a pointer and an i32 of lanes for each of `count` warps; `stopped`: why `ave_grid` left a block to the
    host; `checked`: the shadow of shared memory is looked at; `log`: where `watched` code writes down its accesses,
    and its faults, behind which it goes on; `undef`: bytes from shared or local memory to its shadow, where a byte
    says that nothing has written one (`defined`)."""

    __slots__ = ()
    _fields_ = [
        ("regions", ctypes.c_void_p),
        ("region_count", ctypes.c_uint64),
        ("near_start", ctypes.c_uint64),
        ("near_end", ctypes.c_uint64),
        ("near_writable", ctypes.c_uint64),
        ("shared", ctypes.c_void_p),
        ("shadow", ctypes.c_void_p),
        ("shared_bytes", ctypes.c_uint32),
        ("ranks", ctypes.c_uint32),
        ("rank", ctypes.c_uint32),
        ("local_bytes", ctypes.c_uint32),
        ("params", ctypes.c_void_p),
        ("module", ctypes.c_void_p),
        ("fault_code", ctypes.c_uint32),
        ("fault_instruction", ctypes.c_uint32),
        ("fault_lane", ctypes.c_uint32),
        ("fault_size", ctypes.c_uint32),
        ("fault_address", ctypes.c_uint64),
        ("fault_extra", ctypes.c_uint64),
        ("clock", ctypes.c_uint64),
        ("ctaid", ctypes.c_uint32 * 3),
        ("nctaid", ctypes.c_uint32 * 3),
        ("ntid", ctypes.c_uint32 * 3),
        ("clusterid", ctypes.c_uint32 * 3),
        ("nclusterid", ctypes.c_uint32 * 3),
        ("cluster_ctaid", ctypes.c_uint32 * 3),
        ("cluster_nctaid", ctypes.c_uint32 * 3),
        ("dynamic", ctypes.c_uint32),
        ("explicit", ctypes.c_uint32),
        ("fault_warp", ctypes.c_uint32),
        ("warps", ctypes.c_void_p),
        ("masks", ctypes.c_void_p),
        ("count", ctypes.c_uint32),
        ("entry", ctypes.c_int32),
        ("stopped", ctypes.c_int32),
        ("checked", ctypes.c_uint32),
        ("log", ctypes.c_void_p),
        ("undef", ctypes.c_uint64),
        ("watched", ctypes.c_uint32),
    ]
