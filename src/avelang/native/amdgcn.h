/* The state of executed AMD code: waves, workgroups, and the checker's records of both. As of `layouts.h`, `amdgcn.py` is made of it. */

#include "types.h"

enum {
  LANES = 64,
  MAX_WAVES = 16,
  CELLS = 136, /* scalar cells that a new wave is given */
  FILE = 512, /* vector registers of the whole file */
  RECORD_CELLS = 768, /* registers that loads may be waited for (`amdgcn.effects.CELLS`) */
  MOST_FINDINGS = 1024, /* that are noted */
  RING = 1024, /* the last accesses to LDS that are remembered */
  LOOP_LOADS = 8 /* loads before loops of compare-and-swap that are told apart */
};

/* Status of a wave. */
enum { RUNNING, AT_BARRIER, ENDED };

/* What a block returns where it does not return the next block's number. */
enum { END = -1, BARRIER = -2, FAULT = -3 };

/* Orders of the waves of a workgroup. */
enum { FORWARD, REVERSE, RANDOM };

/* Upper words of the flat addresses of LDS and of stacks, 4 GiB each (MI300 ISA, section 10.3); the values are those that Linux's driver gives to gfx9
   (drivers/gpu/drm/amd/amdkfd/kfd_flat_memory.c); no address of this machine is like them. */
enum { SHARED_WINDOW = 0x10000, PRIVATE_WINDOW = 0x20000 };
/* The upper half of the base of the buffer that a stack of gfx90a is in: of no address of this machine's programs. */
enum { STACK_BUFFER = 0xF000 };

/* Classes of instructions under way, each of which the checker counts. */
enum Classes { VM, LDS, SMEM, FLAT };

/* Kinds of an access to LDS. */
enum { WRITES = 1, ATOMICALLY = 2, ASYNC = 4, BY_FLAT = 8 };

/* Of a race's `fault_extra`: the other wave in the low bits, its instruction's index from bit 32 (-1 unknown). */
enum { BY_WRITE = 16, BY_DIRECT = 32, BARRIER_PASSED = 64 };

/* Of an access to global memory (`check_global`): it writes; it is an atomic operation or one that other workgroups' may meet (sc1, or sc0 inside a
   workgroup); it returns what was there; it is known to be done at the next barrier whatever was waited for (scalar and flat accesses); it goes by the
   scalar cache. */
enum {
  GLOBAL_WRITES = 1, GLOBAL_ATOMIC = 2, GROUP_ATOMIC = 4, COHERENT = 8, RETURNS = 16, SIMPLE = 32, SCALAR = 64
};

/* Above the bits of an access to global memory or LDS: it is a load that only a loop of compare-and-swap uses (`swap_loops`), its number plus 1; or such
   a swap, and a bit for each of those loads that it may verify, with KEEPS if `GroupState.kept` has bits of its word that it leaves alone. */
enum { LOOP_LOAD = 8, LOOP_SWAP = 16, KEEPS = 0x1000000, ACCESS_BITS = 255 };

/* Of what `GroupState.judge` is asked: the earlier access is a write. */
enum { OLD_WRITE = 0x80000000 };

/* Of `GroupState.skip`: which counters of the instruction, whose index stands from bit 2. */
enum { SKIP_VM = 1, SKIP_LGKM = 2 };

/* Kinds of a record of what waves execute, from bit 60; the wave stands from bit 56, then 32 bits, and 24 of a value. A workgroup begins (its number); a
   wave comes to a block (its number); an instruction (its index) keeps LDS busy for so many clocks; one (the place of its byte counter in `profile`) asks
   for so many pieces of 64 bytes of global memory, counted for 16 lanes at a time. */
enum { TRACE_GROUP = 1, TRACE_BLOCK = 2, TRACE_LDS = 3, TRACE_MEMORY = 4 };

/* Codes of what stops a wave, in `fault_code`; `machine.py` makes errors of them. In words: an instruction that is not executed here; memory that the
   kernel was not given (lane, address, bytes in `fault_extra`); LDS beyond what the workgroup has (the same); s_trap and its like; a kind of buffer
   resource whose range check the manual does not describe; an atomic operation at an address that is not a multiple of its size (lane, address, bytes
   in `fault_extra`). Of the checker: a register whose load or store has not been waited for (`fault_extra`: the register and the counter); LDS that
   another wave may be using (lane, address, the other wave in `fault_extra`); too few wait states (`fault_extra`: the register, how many are there and
   how many are needed); global memory that another wave may be using (lane, address, the other access in `fault_extra`); lanes of one store that
   write different values to one address (lane, address, the other lane in `fault_extra`); a shuffle from a lane that is not active (lane, the other
   lane in `fault_extra`); LDS that nothing wrote is read (lane, address). */
enum {
  UNKNOWN = 1, OUTSIDE = 2, LDS_OUTSIDE = 3, TRAP = 4, RESOURCE = 5, MISALIGNED = 6, IN_FLIGHT = 16, RACE = 17, HAZARD = 18, MEMORY_RACE = 19,
  LANES_DIFFER = 20, INACTIVE = 21, UNWRITTEN = 22
};

/* What `ave_at_buffer` returns, besides 1 for a fault: whether all of all active lanes is in range. */
enum { IN_RANGE = 0, MIXED = 2 };

/* The checker's records of a wave. `issued`, `done`, `skipped`: for each class. FLAT instructions come back through two counters: `touched` is the last
   that met LDS, `flat_vm` and `flat_lgkm` how many had been issued when each counter was last 0. `skipped`: what waits that are switched off would
   have reached. `position`: wait states so far, `positions`: at which each instruction was last executed. `pending`: of each cell, the number of its
   load and, above, that instruction's index and class. `ring`: (number, index) of the last accesses to LDS. `loaded`: by number of a load before a loop of
   compare-and-swap and lane, where it was plus 1, and its bytes from bit 56. */
typedef struct WaveRecords {
  u32 issued[4];
  u32 done[4];
  u32 touched;
  u32 flat_vm;
  u32 flat_lgkm;
  u32 padding;
  u32 skipped[4];
  u64 position;
  u64 rest[7];
  u64 pending[RECORD_CELLS];
  u64 ring[RING];
  u64 loaded[512]; /* LOOP_LOADS * LANES */
  u64 positions[0];
} WaveRecords;

/* The checker's records of a workgroup. `limit`: for even and odd epochs, for LDS instructions and loads to LDS, for each wave: how many were done when
   it came to the barrier that began the epoch; `seen`: how many had been issued. `met`, `mattered`: how often a wait that is switched off was met, and
   would have waited. `covered`: of each instruction, and of the end, whether it waited for what that wait did not. Then the granules. */
typedef struct GroupRecords {
  u32 limit[64];
  u32 seen[64];
  u32 met;
  u32 mattered;
  u8 padding[56];
  u8 covered[0];
} GroupRecords;

/* A piece of LDS: of each wave the number of the last read, the last write's number and what it was, the workgroup that has written it, plus 1. */
typedef struct Granule {
  u32 reads[MAX_WAVES];
  u64 write;
  u32 stamp;
  u32 padding;
} Granule;

/* An access to a granule of global memory. `mark`: the wave, 1 + 16 * workgroup + number, from bit 32, and the number of its memory instruction; 0: none.
   `what`: its bits, and the instruction's index from bit 32. */
typedef struct GlobalAccess {
  u64 mark;
  u64 what;
} GlobalAccess;

/* A granule of global memory: the last write, two reads behind it (the first and the latest of different waves), and where the last write is atomic, the
   last plain one before it. */
typedef struct GlobalGranule {
  GlobalAccess write;
  GlobalAccess reads[2];
  GlobalAccess plain;
} GlobalGranule;

/* A piece of memory that the launch was given, and its granules. */
typedef struct GlobalRegion {
  u64 first;
  u64 end;
  GlobalGranule *granules;
} GlobalRegion;

/* Something that the checker has found: an entry for each pair of instructions, told apart by code, instruction and key. */
typedef struct FoundRecord {
  u32 code;
  u32 instruction;
  u64 key;
  u32 lane;
  u32 wave;
  u64 address;
  u64 extra;
  u32 group[3];
  u32 times;
  u32 severe;
  u32 padding;
} FoundRecord;

/* The checker's findings, and how many there are. */
typedef struct Findings {
  u32 count;
  u32 padding[15];
  FoundRecord entries[MOST_FINDINGS];
} Findings;

/* A wave: scalar registers by their encoding (`amdgcn.asm.SPECIAL`; SCC is cell 128), a few words of control, then the registers of the unified vector
   file, of 64 lanes of 4 bytes each: vector registers, and accumulation registers from the kernel's `accum_offset` on. `pc`: the block to run next;
   `count`: instructions so far; `epoch`: barriers passed; `private`: the memory of its lanes' stacks; `check`: the checker's records. */
typedef struct WaveState {
  u32 scalars[160];
  i32 pc;
  u32 status;
  u64 count;
  u32 index;
  u32 epoch;
  i8 *private;
  WaveRecords *check;
  i8 padding[344];
  u32 vectors[32768];
} WaveState;

/* A workgroup. `regions`: pairs of u64 (start, end) of memory that the kernel may touch; `template`: the scalar registers of a new wave; `items`: one
   vector register for each wave and each of `item_registers` registers; `id_cell`: the cell of the first workgroup id, for the dimensions in the mask
   `id_mask`; `order`: of the waves, `seed`: of a random one; `profile`: counters of the instructions, `moved`: of them the one that bytes are counted
   into; `image`: where address 0 of the code stands (what s_getpc_b64 counts from); `last_exec`: EXEC of the last wave when it starts; `skip`: of a
   mutable program, which wait or barrier does nothing; `current`: the wave that runs; `reports`: what the checker found; `collect`: whether the launch goes on behind it; `access`: what kind of access to memory comes next, `shadow`, `shadows`: records of
   memory (`GlobalRegion`), and how many pieces; `judge`: whom to ask (`check_global`); `linear`: the workgroup's number; `stop`: not 0 where all must end;
   `finder`: who knows the block at an address that no label names (`lazy`), or 0; `trace`, `trace_end`: where the next record of what waves execute
   goes, and where there is no more place, 0 where nobody asked; `kept`: of each lane, with KEEPS, the bits of its word that the swap leaves alone. */
typedef struct GroupState {
  i8 *lds;
  u32 lds_bytes;
  u32 waves;
  WaveState *wave_states;
  void *kernarg;
  u64 *regions;
  u32 region_count;
  u32 private_bytes;
  u32 fault_code;
  u32 fault_instruction;
  u32 fault_lane;
  u32 fault_wave;
  u64 fault_address;
  u64 fault_extra;
  u32 id[3];
  u32 grid[3];
  u32 order;
  u32 seed;
  u32 *template;
  i8 *items;
  u32 item_registers;
  u32 id_cell;
  u32 id_mask;
  u64 *profile;
  GroupRecords *check;
  u64 count;
  u64 image;
  u64 last_exec;
  u32 skip;
  u32 permutation[MAX_WAVES];
  u64 *moved;
  WaveState *current;
  Findings *reports;
  u32 collect;
  u64 access;
  GlobalRegion *shadow;
  u32 shadows;
  void *judge;
  u64 linear;
  u32 stop;
  void *finder;
  u64 *trace;
  u64 *trace_end;
  u32 *kept;
} GroupState;
