"""Numbers and structs that native code and Python share. Made by `./dev native` of `amdgcn.h`."""

import ctypes

LANES = 64
MAX_WAVES = 16
CELLS = 136
FILE = 512
RECORD_CELLS = 768
MOST_FINDINGS = 1024
RING = 1024
LOOP_LOADS = 8
RUNNING = 0
AT_BARRIER = 1
ENDED = 2
END = -1
BARRIER = -2
FAULT = -3
FORWARD = 0
REVERSE = 1
RANDOM = 2
SHARED_WINDOW = 65536
PRIVATE_WINDOW = 131072
STACK_BUFFER = 61440
CLASSES = (
    "vm", "lds", "smem", "flat",
)
WRITES = 1
ATOMICALLY = 2
ASYNC = 4
BY_FLAT = 8
BY_WRITE = 16
BY_DIRECT = 32
BARRIER_PASSED = 64
GLOBAL_WRITES = 1
GLOBAL_ATOMIC = 2
GROUP_ATOMIC = 4
COHERENT = 8
RETURNS = 16
SIMPLE = 32
SCALAR = 64
LOOP_LOAD = 8
LOOP_SWAP = 16
KEEPS = 16777216
ACCESS_BITS = 255
OLD_WRITE = 2147483648
SKIP_VM = 1
SKIP_LGKM = 2
TRACE_GROUP = 1
TRACE_BLOCK = 2
TRACE_LDS = 3
TRACE_MEMORY = 4
UNKNOWN = 1
OUTSIDE = 2
LDS_OUTSIDE = 3
TRAP = 4
RESOURCE = 5
MISALIGNED = 6
IN_FLIGHT = 16
RACE = 17
HAZARD = 18
MEMORY_RACE = 19
LANES_DIFFER = 20
INACTIVE = 21
UNWRITTEN = 22
IN_RANGE = 0
MIXED = 2


class WaveRecords(ctypes.Structure):
    """The checker's records of a wave. `issued`, `done`, `skipped`: for each class. FLAT instructions come back
    through two counters: `touched` is the last that met LDS, `flat_vm` and `flat_lgkm` how many had been issued
    when each counter was last 0. `skipped`: what waits that are switched off would have reached. `position`: wait
    states so far, `positions`: at which each instruction was last executed. `pending`: of each cell, the number of
    its load and, above, that instruction's index and class. `ring`: (number, index) of the last accesses to LDS.
    `loaded`: by number of a load before a loop of compare-and-swap and lane, where it was plus 1, and its bytes
    from bit 56."""

    __slots__ = ()
    _fields_ = [
        ("issued", ctypes.c_uint32 * 4),
        ("done", ctypes.c_uint32 * 4),
        ("touched", ctypes.c_uint32),
        ("flat_vm", ctypes.c_uint32),
        ("flat_lgkm", ctypes.c_uint32),
        ("padding", ctypes.c_uint32),
        ("skipped", ctypes.c_uint32 * 4),
        ("position", ctypes.c_uint64),
        ("rest", ctypes.c_uint64 * 7),
        ("pending", ctypes.c_uint64 * RECORD_CELLS),
        ("ring", ctypes.c_uint64 * RING),
        ("loaded", ctypes.c_uint64 * 512),
        ("positions", ctypes.c_uint64 * 0),
    ]


class GroupRecords(ctypes.Structure):
    """The checker's records of a workgroup. `limit`: for even and odd epochs, for LDS instructions and loads to
    LDS, for each wave: how many were done when it came to the barrier that began the epoch; `seen`: how many had
    been issued. `met`, `mattered`: how often a wait that is switched off was met, and would have waited. `covered`:
    of each instruction, and of the end, whether it waited for what that wait did not. Then the granules."""

    __slots__ = ()
    _fields_ = [
        ("limit", ctypes.c_uint32 * 64),
        ("seen", ctypes.c_uint32 * 64),
        ("met", ctypes.c_uint32),
        ("mattered", ctypes.c_uint32),
        ("padding", ctypes.c_ubyte * 56),
        ("covered", ctypes.c_ubyte * 0),
    ]


class Granule(ctypes.Structure):
    """A piece of LDS: of each wave the number of the last read, the last write's number and what it was, the
    workgroup that has written it, plus 1."""

    __slots__ = ()
    _fields_ = [
        ("reads", ctypes.c_uint32 * MAX_WAVES),
        ("write", ctypes.c_uint64),
        ("stamp", ctypes.c_uint32),
        ("padding", ctypes.c_uint32),
    ]


class GlobalAccess(ctypes.Structure):
    """An access to a granule of global memory. `mark`: the wave, 1 + 16 * workgroup + number, from bit 32, and the
    number of its memory instruction; 0: none. `what`: its bits, and the instruction's index from bit 32."""

    __slots__ = ()
    _fields_ = [
        ("mark", ctypes.c_uint64),
        ("what", ctypes.c_uint64),
    ]


class GlobalGranule(ctypes.Structure):
    """A granule of global memory: the last write, two reads behind it (the first and the latest of different
    waves), and where the last write is atomic, the last plain one before it."""

    __slots__ = ()
    _fields_ = [
        ("write", GlobalAccess),
        ("reads", GlobalAccess * 2),
        ("plain", GlobalAccess),
    ]


class GlobalRegion(ctypes.Structure):
    """A piece of memory that the launch was given, and its granules."""

    __slots__ = ()
    _fields_ = [
        ("first", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("granules", ctypes.c_void_p),
    ]


class FoundRecord(ctypes.Structure):
    """Something that the checker has found: an entry for each pair of instructions, told apart by code, instruction
    and key."""

    __slots__ = ()
    _fields_ = [
        ("code", ctypes.c_uint32),
        ("instruction", ctypes.c_uint32),
        ("key", ctypes.c_uint64),
        ("lane", ctypes.c_uint32),
        ("wave", ctypes.c_uint32),
        ("address", ctypes.c_uint64),
        ("extra", ctypes.c_uint64),
        ("group", ctypes.c_uint32 * 3),
        ("times", ctypes.c_uint32),
        ("severe", ctypes.c_uint32),
        ("padding", ctypes.c_uint32),
    ]


class Findings(ctypes.Structure):
    """The checker's findings, and how many there are."""

    __slots__ = ()
    _fields_ = [
        ("count", ctypes.c_uint32),
        ("padding", ctypes.c_uint32 * 15),
        ("entries", FoundRecord * MOST_FINDINGS),
    ]


class WaveState(ctypes.Structure):
    """A wave: scalar registers by their encoding (`amdgcn.asm.SPECIAL`; SCC is cell 128), a few words of control,
    then the registers of the unified vector file, of 64 lanes of 4 bytes each: vector registers, and accumulation
    registers from the kernel's `accum_offset` on. `pc`: the block to run next; `count`: instructions so far;
    `epoch`: barriers passed; `private`: the memory of its lanes' stacks; `check`: the checker's records."""

    __slots__ = ()
    _fields_ = [
        ("scalars", ctypes.c_uint32 * 160),
        ("pc", ctypes.c_int32),
        ("status", ctypes.c_uint32),
        ("count", ctypes.c_uint64),
        ("index", ctypes.c_uint32),
        ("epoch", ctypes.c_uint32),
        ("private", ctypes.c_void_p),
        ("check", ctypes.c_void_p),
        ("padding", ctypes.c_byte * 344),
        ("vectors", ctypes.c_uint32 * 32768),
    ]


class GroupState(ctypes.Structure):
    """A workgroup. `regions`: pairs of u64 (start, end) of memory that the kernel may touch; `template`: the scalar
    registers of a new wave; `items`: one vector register for each wave and each of `item_registers` registers;
    `id_cell`: the cell of the first workgroup id, for the dimensions in the mask `id_mask`; `order`: of the waves,
    `seed`: of a random one; `profile`: counters of the instructions, `moved`: of them the one that bytes are
    counted into; `image`: where address 0 of the code stands (what s_getpc_b64 counts from); `last_exec`: EXEC of
    the last wave when it starts; `skip`: of a mutable program, which wait or barrier does nothing; `current`: the
    wave that runs; `reports`: what the checker found; `collect`: whether the launch goes on behind it; `access`:
    what kind of access to memory comes next, `shadow`, `shadows`: records of memory (`GlobalRegion`), and how many
    pieces; `judge`: whom to ask (`check_global`); `linear`: the workgroup's number; `stop`: not 0 where all must
    end; `finder`: who knows the block at an address that no label names (`lazy`), or 0; `trace`, `trace_end`: where
    the next record of what waves execute goes, and where there is no more place, 0 where nobody asked; `kept`: of
    each lane, with KEEPS, the bits of its word that the swap leaves alone."""

    __slots__ = ()
    _fields_ = [
        ("lds", ctypes.c_void_p),
        ("lds_bytes", ctypes.c_uint32),
        ("waves", ctypes.c_uint32),
        ("wave_states", ctypes.c_void_p),
        ("kernarg", ctypes.c_void_p),
        ("regions", ctypes.c_void_p),
        ("region_count", ctypes.c_uint32),
        ("private_bytes", ctypes.c_uint32),
        ("fault_code", ctypes.c_uint32),
        ("fault_instruction", ctypes.c_uint32),
        ("fault_lane", ctypes.c_uint32),
        ("fault_wave", ctypes.c_uint32),
        ("fault_address", ctypes.c_uint64),
        ("fault_extra", ctypes.c_uint64),
        ("id", ctypes.c_uint32 * 3),
        ("grid", ctypes.c_uint32 * 3),
        ("order", ctypes.c_uint32),
        ("seed", ctypes.c_uint32),
        ("template", ctypes.c_void_p),
        ("items", ctypes.c_void_p),
        ("item_registers", ctypes.c_uint32),
        ("id_cell", ctypes.c_uint32),
        ("id_mask", ctypes.c_uint32),
        ("profile", ctypes.c_void_p),
        ("check", ctypes.c_void_p),
        ("count", ctypes.c_uint64),
        ("image", ctypes.c_uint64),
        ("last_exec", ctypes.c_uint64),
        ("skip", ctypes.c_uint32),
        ("permutation", ctypes.c_uint32 * MAX_WAVES),
        ("moved", ctypes.c_void_p),
        ("current", ctypes.c_void_p),
        ("reports", ctypes.c_void_p),
        ("collect", ctypes.c_uint32),
        ("access", ctypes.c_uint64),
        ("shadow", ctypes.c_void_p),
        ("shadows", ctypes.c_uint32),
        ("judge", ctypes.c_void_p),
        ("linear", ctypes.c_uint64),
        ("stop", ctypes.c_uint32),
        ("finder", ctypes.c_void_p),
        ("trace", ctypes.c_void_p),
        ("trace_end", ctypes.c_void_p),
        ("kept", ctypes.c_void_p),
    ]
