"""Where the state of warps and blocks stands in memory: offsets in bytes, shared by the translated code and by Python.

A warp: where its 32 lanes are, a few words of control, room for addresses and data on their way to memory, then the virtual registers of the
program, each 32 lanes wide (a predicate is one word, a bit a lane). A block (CTA): pointers and extents, then what a fault left behind.
"""

from __future__ import annotations

LANES = 32

# Windows of generic addresses: what lies in none of them is global memory, at its address on this machine. A shared address has the rank of
# its block in the cluster in bits 24 and up, and the byte in that block's memory below; the window says only that it is one.
SHARED_BASE, LOCAL_BASE, FUNCTIONS = 1 << 60, 2 << 60, 3 << 60
RANK = 24  # bits: from here on the rank of the block

# Of a warp. `pc`: the block of code that each lane runs next; `active`: the lanes that run now; `op`: the instruction that asks the host; `live`:
# lanes that have not exited; `blocked`: lanes that wait for others of their warp; `steps`: blocks of code left of this turn; `count`: instructions;
# `barrier`: the warp waits at bar.sync 0; `at`, `seen`, `bad`: of code that is watched (`watch_text`): the instruction that accesses memory, the
# lanes that ran last, those whose stores another lane's has overwritten; `thread`: %tid as three registers; `local`: the memory of its lanes' local
# variables; `address`, `data`: room for accesses, and `undef` for which lanes' data nothing has written.
WARP = {
    "pc": 0, "active": 128, "op": 132, "live": 136, "blocked": 140, "steps": 144, "index": 148, "count": 152, "local": 160, "turn": 168,
    "barrier": 172, "at": 176, "seen": 180, "bad": 184, "thread": 192, "address": 640, "data": 1024,
    "undef": 1024 + 16 * 256,
}  # fmt: skip
REGISTERS = 1024 + 16 * 256 + 64  # where the registers begin
EXITED = 0x7FFFFFFF  # the pc of a lane that is no more

# What a block of code returns where it does not return the number of the next one.
APART = -1  # the lanes go different ways: their pcs are written
ASKS = -2  # the instruction `op` is the host's; the lanes' pcs stand behind it
FAULT = -3
WAITS = -4  # none of the lanes may go on before others of the warp come
# What `ave_warp` returns besides ASKS and FAULT.
ENDED = 0
TURN = -5  # others are to have a turn
STUCK = -6  # all lanes wait for others of the warp
BARRIER = -7  # the warp has come to bar.sync 0

# Of a block. `regions`: triples of u64 (start, end, writable) of memory that the kernel may touch; `near_...`: the last of them that was hit;
# `shared`, `shadow`: a pointer for each rank of the cluster; `module`: where the module's variables stand; `fault_...`: code, instruction,
# lane, address, and what else the code means. `warps`, `masks`: a pointer and an i32 of lanes for each of `count` warps; `stopped`: why
# `ave_grid` left a block to the host; `log`: where watched code writes down its accesses; `undef`: bytes from
# shared or local memory to its shadow, where a byte says that nothing has written one (`defined`).
BLOCK = {
    "regions": 0, "region_count": 8, "near_start": 16, "near_end": 24, "near_writable": 32, "shared": 40, "shadow": 48, "shared_bytes": 56,
    "ranks": 60, "rank": 64, "local_bytes": 68, "params": 72, "module": 80, "fault_code": 88, "fault_instruction": 92, "fault_lane": 96,
    "fault_size": 100, "fault_address": 104, "fault_extra": 112, "clock": 120, "ctaid": 128, "nctaid": 140, "ntid": 152, "clusterid": 164,
    "nclusterid": 176, "cluster_ctaid": 188, "cluster_nctaid": 200, "dynamic": 212, "explicit": 216, "fault_warp": 220,
    "warps": 224, "masks": 232, "count": 240, "entry": 244, "stopped": 248,
    "log": 256, "undef": 264,
}  # fmt: skip
BLOCK_BYTES = 320

# The shadow of shared memory, a byte for each byte: data of a copy is to arrive there; a copy still reads it; written by ordinary stores (the generic
# proxy) and not yet handed to the async proxy by a fence.
ARRIVING, READ_LATER, UNFENCED = 1, 2, 4

# Codes of faults, in `fault_code`.
UNKNOWN, OUTSIDE, READONLY, MISALIGNED, IN_FLIGHT, GUARDED, TRAP, UNWAITED = 1, 2, 3, 4, 5, 6, 7, 8
