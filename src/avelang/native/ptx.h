/* The state of executed PTX: warps and blocks (CTAs). As of `layouts.h`, `ptx.py` is made of it. */

#include "types.h"

enum {
  LANES = 32,
  EXITED = 0x7FFFFFFF, /* the pc of a lane that is no more */
  STEPS = 32768, /* blocks of code that a warp runs before others have a turn */
  ROUNDS = 16384 /* barriers of a block that translated code opens by itself: behind those the host does, so that Python sees to signals now and then */
};

/* What a block of code returns where it does not return the number of the next one: the lanes go different ways, their pcs are written; the instruction
   `op` is the host's, the lanes' pcs stand behind it; a fault; none of the lanes may go on before others of the warp come. */
enum { APART = -1, ASKS = -2, FAULT = -3, WAITS = -4 };

/* What `ave_warp` returns besides ASKS and FAULT: all lanes have exited; others are to have a turn; all lanes wait for others of the warp; the warp has
   come to bar.sync 0. */
enum { ENDED = 0, TURN = -5, STUCK = -6, BARRIER = -7 };

/* A warp: where its 32 lanes are, a few words of control, room for addresses and data on their way to memory, then the virtual registers of the program,
   each 32 lanes wide (a predicate is one word, a bit a lane). `pc`: the block of code that each lane runs next; `active`: the lanes that run now; `op`:
   the instruction that asks the host; `live`: lanes that have not exited; `blocked`: lanes that wait for others of their warp; `steps`: blocks of code
   left of this turn; `count`: instructions; `barrier`: the warp waits at bar.sync 0; `at`, `seen`, `bad`: of code that is watched (`watch_text`): the
   instruction that accesses memory, the lanes that ran last, those whose stores another lane's has overwritten; `thread`: %tid as three registers;
   `local`: the memory of its lanes' local variables; `address`, `data`: room for accesses, and `undef` for which lanes' data nothing has written. */
typedef struct WarpState {
  i32 pc[LANES];
  u32 active;
  u32 op;
  u32 live;
  u32 blocked;
  i32 steps;
  u32 index;
  u64 count;
  void *local;
  u32 turn;
  u32 barrier;
  u32 at;
  u32 seen;
  u32 bad;
  u32 padding;
  u32 thread[96];
  u64 rest[8];
  u64 address[LANES];
  u64 padding2[16];
  u32 data[1024];
  u32 undef[16];
} WarpState;

/* A block. `regions`: triples of u64 (start, end, writable) of memory that the kernel may touch; `near_...`: the last of them that was hit; `shared`,
   `shadow`: a pointer for each rank of the cluster; `module`: where the module's variables stand; `fault_...`: code, instruction, lane, address, and
   what else the code means. `warps`, `masks`: a pointer and an i32 of lanes for each of `count` warps; `stopped`: why `ave_grid` left a block to the
   host; `log`: where watched code writes down its accesses; `undef`: bytes from shared or local memory to its shadow, where a byte says that nothing
   has written one (`defined`). */
typedef struct BlockState {
  u64 *regions;
  u64 region_count;
  u64 near_start;
  u64 near_end;
  u64 near_writable;
  i8 **shared;
  i8 **shadow;
  u32 shared_bytes;
  u32 ranks;
  u32 rank;
  u32 local_bytes;
  void *params;
  void *module;
  u32 fault_code;
  u32 fault_instruction;
  u32 fault_lane;
  u32 fault_size;
  u64 fault_address;
  u64 fault_extra;
  u64 clock;
  u32 ctaid[3];
  u32 nctaid[3];
  u32 ntid[3];
  u32 clusterid[3];
  u32 nclusterid[3];
  u32 cluster_ctaid[3];
  u32 cluster_nctaid[3];
  u32 dynamic;
  u32 explicit;
  u32 fault_warp;
  WarpState **warps;
  u32 *masks;
  u32 count;
  i32 entry;
  i32 stopped;
  u32 padding;
  void *log;
  u64 undef;
} BlockState;
