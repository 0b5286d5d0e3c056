/* Barriers at which arrivals are counted. */

/* A wave gives its turn away, or has got on (`done`): a cluster is stuck when no wave of any block gets on. */
SHARED void ave_turn(WaitState *s, bool done) {
  WaitState *home = s->home;
  home->turns = done ? 0 : home->turns + 1;
}

int sched_yield(void);

/* A wave waits for another rank, which other threads or processes run: nobody here can say that it waits for ever. */
SHARED void ave_turn_far(WaitState *s) {
  s->home->turns = 0;
  sched_yield();
}

/* Opens a barrier when all threads have come; 0 threads: those of all waves. */
INLINE void look(WaitState *s, WaveBarrier *b, u32 threads) {
  u32 wanted = threads ? threads : s->live * s->lanes;
  if (!b->count || b->count < wanted) return;
  b->count = 0;
  b->opened++;
  ave_turn(s, 1);
}

/* The wave has come to a barrier: how often that has opened before. */
SHARED u32 ave_barrier_arrive(WaitState *s, u32 number, u32 threads) {
  WaveBarrier *b = &s->barriers[number % BARRIERS];
  u32 before = b->opened;
  b->count += s->lanes;
  look(s, b, threads);
  return before;
}

/* Whether a barrier has opened since it had opened `before` times. */
SHARED bool ave_barrier_open(WaitState *s, u32 number, u32 threads, u32 before) {
  WaveBarrier *b = &s->barriers[number % BARRIERS];
  look(s, b, threads);
  bool open = b->opened != before;
  ave_turn(s, open);
  return open;
}

/* The wave is over. */
SHARED void ave_wave_finished(WaitState *s) {
  s->live--;
  ave_turn(s, 1);
}

INLINE void begin(WaitState *s, u32 waves, u32 lanes, WaitState *home, i64 first) {
  __builtin_memset(s, 0, sizeof *s);
  s->live = waves;
  s->lanes = lanes;
  s->home = home;
  s->first = first;
}
