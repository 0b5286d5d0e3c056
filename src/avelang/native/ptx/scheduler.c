/* Runs one warp until it needs the host, ends, or has had its turn; and blocks of a grid, as long as they need nothing of the host but bar.sync 0.

   Lanes that stand at different places run in groups: always those whose block of code has the lowest number, so that lanes that went apart meet again
   behind the branch; lanes that wait for others of their warp are left out until another group has moved. Now and then another group has a turn, so
   that lanes that spin do not keep out the one that they wait for. */

enum { OTHER = 256 }; /* of so many choices among groups, one is for another group than the first */
enum { FILLED = 0xA5 }; /* the bytes of shared memory that nothing has written */

typedef i32 V32 __attribute__((ext_vector_type(LANES), aligned(64)));
typedef bool Mask __attribute__((ext_vector_type(LANES)));
typedef i32 Code(WarpState *, CtaRecord *, u32 active);

/* `a` in the lanes of a word, `b` in the others; and the word of the lanes where a comparison holds. */
#define SELECT(word, a, b) (__builtin_convertvector(__builtin_bit_cast(Mask, (u32)(word)), V32) != 0 ? (a) : (b))
#define WORD(compared) __builtin_bit_cast(u32, __builtin_convertvector(compared, Mask))

/* The program's blocks of code: its module has them. */
extern Code *ave_blocks[];

/* The pc of the group that runs next, of lanes that may. */
INLINE i32 chosen(WarpState *w, u32 may) {
  V32 *pcs = (V32 *)w->pc;
  u32 turn = ++w->turn;
  if (turn % OTHER) return __builtin_reduce_min(SELECT(may, *pcs, (V32)EXITED));
  u32 above = may & ~0u << (turn / OTHER % LANES);
  return w->pc[__builtin_ctz(above ? above : may)];
}

__attribute__((noinline)) i32 ave_warp(WarpState *w, CtaRecord *g) {
  V32 *pcs = (V32 *)w->pc;
  for (;;) {
    u32 live = w->live, may = live & ~w->blocked;
    if (!live) return ENDED;
    if (!may) return STUCK;
    i32 pc = chosen(w, may), next;
    u32 now = WORD(*pcs == pc) & live;
    for (;;) {
      w->active = now;
      next = ave_blocks[pc](w, g, now);
      now = w->active;
      w->steps--;
      /* All of them go to one place. Where they are all there is, nothing has to be chosen. */
      if (next < 0 || now != live || w->steps <= 0) break;
      w->blocked = 0;
      pc = next;
    }
    if (next == WAITS) {
      /* Those that came stand where they are; the pc of a group that ran on may not be written yet. */
      *pcs = SELECT(now, (V32)pc, *pcs);
      w->blocked |= now;
      continue;
    }
    w->blocked = 0;
    if (next < 0 && next != APART) return next;
    if (next >= 0) *pcs = SELECT(now, (V32)next, *pcs);
    if (w->steps <= 0) return TURN;
  }
}

/* Block n of the grid, x fastest, before its first instruction. */
INLINE void begin(CtaRecord *g, u64 n) {
  u64 x = g->nctaid[0], y = g->nctaid[1];
  g->clusterid[0] = g->ctaid[0] = (u32)(n % x);
  g->clusterid[1] = g->ctaid[1] = (u32)(n / x % y);
  g->clusterid[2] = g->ctaid[2] = (u32)(n / x / y);
  __builtin_memset(g->shared[0], FILLED, g->shared_bytes);
  for (u32 k = 0; k < g->count; k++) {
    WarpState *w = g->warps[k];
    *(V32 *)w->pc = SELECT(g->masks[k], (V32)g->entry, (V32)EXITED);
    w->live = g->masks[k];
    w->blocked = 0;
    w->turn = 0;
    w->barrier = 0;
  }
}

/* Leaves the block to the host. */
INLINE void leave(CtaRecord *g, i32 why, u32 warp) {
  g->stopped = why;
  g->fault_warp = warp;
}

/* Runs a block to its end; 0 where the host must go on with it. */
INLINE bool run_block(CtaRecord *g) {
  for (u32 round = 0; round < ROUNDS; round++) {
    bool open = 0;
    for (u32 k = 0; k < g->count; k++) {
      WarpState *w = g->warps[k];
      if (!w->live) continue;
      w->steps = STEPS;
      w->barrier = 0;
      i32 code = ave_warp(w, g);
      if (code == BARRIER) {
        w->barrier = 1;
        open = 1;
      } else if (code != ENDED) {
        leave(g, code, k);
        return 0;
      }
    }
    /* All that live are at the barrier: it opens. */
    if (!open) return 1;
  }
  leave(g, BARRIER, 0);
  return 0;
}

/* Blocks first .. last - 1 of a grid, one after another. Returns the number of the one that the host must go on with, or `last`. */
u64 ave_grid(CtaRecord *g, u64 first, u64 last) {
  for (u64 n = first; n < last; n++) {
    begin(g, n);
    if (!run_block(g)) return n;
  }
  return last;
}
