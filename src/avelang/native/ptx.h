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

/* Windows of generic addresses, their upper four bits: what lies in none of them is global memory, at its address on this machine. A shared address has
   the rank of its block in the cluster in bits RANK and up, and the byte in that block's memory below; the window says only that it is one. */
enum { SHARED_WINDOW = 1, LOCAL_WINDOW = 2, FUNCTIONS_WINDOW = 3, RANK = 24 };

/* The shadow of shared memory, a byte for each byte: data of a copy is to arrive there; a copy still reads it; written by ordinary stores (the generic
   proxy) and not yet handed to the async proxy by a fence. */
enum { ARRIVING = 1, READ_LATER = 2, UNFENCED = 4 };

/* Codes of faults. */
enum { UNKNOWN = 1, OUTSIDE, READONLY, MISALIGNED, IN_FLIGHT, GUARDED, TRAP, UNWAITED, SPLIT };

/* What a record of watched code says. ENTER: these lanes run together from here on; BLAME: a fault, its address the first; CLASH: lanes whose stores
   another lane of the same instruction has overwritten with something else; ALONE: lanes that read one which does not take part; RUNNING: an
   accumulator still runs; UNDEFINED: lanes that use what nothing has written; UNNAMED: lanes that the mask which they give leaves out. */
enum { ENTER = 1, LOAD, STORE, ATOM, FENCE, BLAME, CLASH, ALONE, RUNNING, UNDEFINED, UNNAMED };

/* Records of a log, and the spare ones for faults, of which nobody knows how many there will be. */
enum { CAPACITY = 32768, SPARE = 4096 };

/* A note of watched code: the index of the instruction, what it is, a mask of lanes, bytes, a code, and the lanes' addresses as they were put. */
typedef struct LogRecord {
  i32 instr;
  i32 kind;
  u32 mask;
  i32 size;
  i32 code;
  i8 padding[44];
  u64 address[LANES];
} LogRecord;

/* The records in the order in which they happened, how many there are, and a place for accesses that have none. */
typedef struct Log {
  u64 count;
  i8 padding[248];
  i8 sink[256];
  LogRecord records[0];
} Log;

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
  i8 *local;
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
  u32 undef[32];
} WarpState;

/* A block. `regions`: triples of u64 (start, end, writable) of memory that the kernel may touch; `near_...`: the last of them that was hit; `shared`,
   `shadow`: a pointer for each rank of the cluster; `module`: where the module's variables stand; `fault_...`: code, instruction, lane, address, and
   what else the code means. `warps`, `masks`: a pointer and an i32 of lanes for each of `count` warps; `stopped`: why `ave_grid` left a block to the
   host; `checked`: the shadow of shared memory is looked at;
   `log`: where `watched` code writes down its accesses, and its faults, behind which it goes on; `undef`: bytes from shared or local memory to its shadow, where a byte says that nothing
   has written one (`defined`). */
typedef struct CtaRecord {
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
  u32 checked;
  Log *log;
  u64 undef;
  u32 watched;
} CtaRecord;
