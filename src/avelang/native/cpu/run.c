/* Runs blocks by their linear number, x fastest. */

typedef i32 Look(LaunchState *);

/* The kernel's: a wave as a function, or as a coroutine, which runs until it first waits. */
void ave_wave(void *args, LaunchState *launch, u32 x, u32 y, u32 z, u32 wave, i8 *scratch);
void *ave_coroutine(void *args, LaunchState *launch, u32 x, u32 y, u32 z, u32 wave, i8 *scratch);

INLINE bool stopped(LaunchState *launch) { return (u32)__atomic_load_n(&launch->flag, __ATOMIC_RELAXED) >= STOP; }

/* Whether to stop behind a block. */
INLINE bool halted(LaunchState *launch) { return __atomic_load_n(&launch->flag, __ATOMIC_RELAXED) && ((Look *)launch->look)(launch); }

/* Blocks first .. last - 1, the waves of each one after another. */
SHARED i64 ave_run_waves(void *args, LaunchState *launch, u64 first, u64 last, i8 *scratch, u32 waves) {
  u64 gx = launch->grid[0], gy = launch->grid[1];
  for (u64 b = first; b < last; b++) {
    u32 x = (u32)(b % gx), y = (u32)(b / gx % gy), z = (u32)(b / gx / gy), w = 0;
    do ave_wave(args, launch, x, y, z, w, scratch);
    while (++w < waves && !stopped(launch));
    if (halted(launch)) return HALTED;
  }
  return 0;
}

/* A cluster of blocks whose waves take turns, by its number. Its blocks' memories lie behind one another in `scratch`. */
INLINE void start(void *args, LaunchState *launch, i8 *scratch, void **handles, const CoroutinePlan *p, const u32 *number) {
  u32 x = p->cluster[0], y = p->cluster[1], blocks = x * y * p->cluster[2];
  WaitState *whole = (WaitState *)(scratch + p->whole);
  if (p->counted) {
    begin(whole, blocks * p->waves, p->lanes, whole, 0);
    for (u32 r = 0; r < blocks && p->whole != p->state; r++)
      begin((WaitState *)(scratch + r * p->stride + p->state), p->waves, p->lanes, whole, -(i64)r * p->stride);
  }
  for (u32 r = 0; r < blocks; r++)
    for (u32 w = 0; w < p->waves; w++)
      *handles++ = ave_coroutine(args, launch, number[0] * x + r % x, number[1] * y + r / x % y, number[2] * p->cluster[2] + r / x / y, w,
                                 scratch + r * p->stride);
}

/* Gives the waves turns until all are over: 0, or STUCK. */
INLINE i64 turns(LaunchState *launch, const WaitState *whole, void **handles, u32 count) {
  for (bool alive = 1; alive && !stopped(launch) && !halted(launch);) {
    alive = 0;
    for (u32 k = 0; k < count; k++) {
      if (__builtin_coro_done(handles[k])) continue;
      __builtin_coro_resume(handles[k]);
      alive = 1;
    }
    if (whole && whole->turns > PATIENCE * count) return STUCK;
  }
  return 0;
}

/* The same where waves wait for one another. A cluster belongs to the range that has the block of its number times its size, so that ranges which cover
   all blocks run each cluster once. `handles`: room for one of each wave. */
SHARED i64 ave_run_coroutines(void *args, LaunchState *launch, u64 first, u64 last, i8 *scratch, void **handles, const CoroutinePlan *p) {
  u64 gx = launch->grid[0] / p->cluster[0], gy = launch->grid[1] / p->cluster[1];
  u32 blocks = p->cluster[0] * p->cluster[1] * p->cluster[2], count = blocks * p->waves;
  for (u64 c = (first + blocks - 1) / blocks; c < (last + blocks - 1) / blocks; c++) {
    u32 number[3] = {(u32)(c % gx), (u32)(c / gx % gy), (u32)(c / gx / gy)};
    start(args, launch, scratch, handles, p, number);
    i64 status = turns(launch, p->counted ? (WaitState *)(scratch + p->whole) : 0, handles, count);
    for (u32 k = 0; k < count; k++) __builtin_coro_destroy(handles[k]);
    if (status) return status;
    if (halted(launch)) return HALTED;
  }
  return 0;
}
