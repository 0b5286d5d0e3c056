/* Runs workgroups: a wave until its next barrier, all waves in an order, one workgroup after another. */

enum { EXEC = 126 }; /* its low word's cell (`amdgcn.asm.EXEC`) */

typedef i32 Block(WaveState *, GroupState *);
typedef i32 Maker(i32 block);

/* The program's blocks: its module has them. */
extern Block *ave_blocks[];
/* Where blocks are made when a wave first comes to them: called with the block's number, it fills its place in `ave_blocks`, or returns not 0. */
Maker *ave_maker;

/* Of the program: the checker's part of the start. */
void ave_check_start(GroupState *);

/* Keeps a record, where somebody asked for them; those that find no place are only counted. */
INLINE void record(GroupState *g, u64 kind, u64 wave, u64 index, u64 value) {
  if (!g->trace) return;
  if (g->trace < g->trace_end) *g->trace = kind << 60 | wave << 56 | (index & 0xFFFFFFFF) << 24 | (value < 0xFFFFFF ? value : 0xFFFFFF);
  g->trace++;
}

/* Runs one wave from its pc until it waits, ends or faults. Returns 0, or 1 after a fault. `later`: blocks may have to be made. */
INLINE u32 run_wave(WaveState *w, GroupState *g, bool later) {
  g->current = w;
  i32 pc = w->pc;
  for (;;) {
    Block *code = ave_blocks[pc];
    if (later && !code) {
      if (ave_maker(pc)) break;
      continue;
    }
    record(g, TRACE_BLOCK, w->index, (u32)pc, 0);
    pc = code(w, g);
    if (pc == BARRIER || pc == END) {
      w->status = pc == END ? ENDED : AT_BARRIER;
      return 0;
    }
    if (pc < 0 || __atomic_load_n(&g->stop, __ATOMIC_RELAXED)) break;
  }
  g->fault_wave = w->index;
  return 1;
}

/* Gives every wave of the workgroup its first registers. */
OUT_OF_LINE void ave_start(GroupState *g) {
  u64 bytes = (u64)g->item_registers * LANES * 4;
  for (u32 n = 0; n < g->waves; n++) {
    WaveState *w = &g->wave_states[n];
    __builtin_memcpy(w->scalars, g->template, 4 * CELLS);
    w->pc = 0;
    w->status = RUNNING;
    w->index = n;
    w->epoch = 0;
    __builtin_memcpy(w->vectors, g->items + n * bytes, bytes);
    u32 at = g->id_cell;
    for (u32 d = 0; d < 3; d++)
      if (g->id_mask >> d & 1) w->scalars[at++] = g->id[d];
    u64 *exec = (u64 *)&w->scalars[EXEC];
    if (n + 1 == g->waves) *exec &= g->last_exec;
  }
  ave_check_start(g);
}

/* The order of the waves in this round: forward, reverse, or shuffled (Fisher and Yates, with a xorshift generator). */
OUT_OF_LINE void ave_order(GroupState *g) {
  u32 waves = g->waves;
  for (u32 i = 0; i < waves; i++) g->permutation[i] = g->order == REVERSE ? waves - 1 - i : i;
  if (g->order != RANDOM) return;
  for (u32 k = waves - 1; k > 0; k--) {
    u32 s = g->seed;
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    g->seed = s;
    u32 pick = s % (k + 1), value = g->permutation[k];
    g->permutation[k] = g->permutation[pick];
    g->permutation[pick] = value;
  }
}

/* One workgroup: rounds over its waves until all have ended; waves that wait go on when no other wave can. */
INLINE u32 run_group(GroupState *g, bool later) {
  ave_start(g);
  WaveState *waves = g->wave_states;
  for (bool open = 1; open;) {
    ave_order(g);
    for (u32 i = 0; i < g->waves; i++) {
      WaveState *w = &waves[g->permutation[i]];
      if (w->status == RUNNING && run_wave(w, g, later)) return 1;
    }
    open = 0;
    for (u32 i = 0; i < g->waves; i++)
      if (waves[i].status == AT_BARRIER) {
        waves[i].status = RUNNING;
        open = 1;
      }
  }
  return 0;
}

/* Workgroups first .. last - 1 by their linear number, x fastest. Returns 1 after a fault. */
INLINE u32 run(GroupState *g, u64 first, u64 last, bool later) {
  u64 x = g->grid[0], y = g->grid[1];
  for (u64 at = first; at < last; at++) {
    g->id[0] = (u32)(at % x);
    g->id[1] = (u32)(at / x % y);
    g->id[2] = (u32)(at / x / y);
    g->linear = at;
    record(g, TRACE_GROUP, 0, at, 0);
    if (run_group(g, later)) return 1;
  }
  return 0;
}

u32 ave_run(GroupState *g, u64 first, u64 last) { return run(g, first, last, 0); }

u32 ave_run_later(GroupState *g, u64 first, u64 last) { return run(g, first, last, 1); }
