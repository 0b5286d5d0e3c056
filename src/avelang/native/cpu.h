/* What emitted CPU code and its native part share. As of `layouts.h`, `cpu.py` is made of it. */

#include "layouts.h"

/* Named barriers of a block; turns that every wave may give away, one after the other, before the block counts as stuck. */
enum { BARRIERS = 16, PATIENCE = 4096 };

/* Status of a range of blocks besides 0: waves wait for ever; a block stopped early, at a report or because the launch was interrupted. */
enum { STUCK = 2, HALTED = 3 };

/* A barrier: threads that have come, how often it has opened. */
typedef struct WaveBarrier {
  u32 count;
  u32 opened;
} WaveBarrier;

/* The counters at which waves of a block, or of a cluster, wait for one another. `turns`: given away in a row; `live`: waves that have not finished; `lanes`: threads
   of a wave; `home`: the state in which turns are counted, the cluster's or this one; `first`: bytes from this block's memory to that of rank 0. */
typedef struct WaitState {
  WaveBarrier barriers[BARRIERS];
  u32 turns;
  u32 live;
  u32 lanes;
  u32 padding;
  struct WaitState *home;
  i64 first;
  i64 rest[4];
} WaitState;

/* The way in which `ave_run_coroutines` runs a kernel: blocks of a cluster (1, 1, 1 without), waves of a block, lanes of a wave; in the memory that is lent, bytes of a
   block, where in those its `WaitState` is, and where the cluster's is, which is the block's where there is no cluster; whether arrivals are counted. */
typedef struct CoroutinePlan {
  u32 cluster[3];
  u32 waves;
  u32 lanes;
  u32 counted;
  i64 stride;
  i64 state;
  i64 whole;
} CoroutinePlan;

/* The report of a check (`ir.bounds_report`): 1 once a lane has begun to write; then the numbers. */
typedef struct BoundsRecord {
  u64 taken;
  u64 site;
  u64 block[3];
  u64 thread;
  u64 values[0];
} BoundsRecord;
