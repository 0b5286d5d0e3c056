/* The report of an access out of bounds: the first stays. All waves of the launch are to stop. */

__attribute__((cold)) OUT_OF_LINE void ave_report(BoundsRecord *r, LaunchState *launch, u64 site, u32 x, u32 y, u32 z, u64 thread, const u64 *values,
                                                  u64 count) {
  u64 free = 0;
  if (__atomic_compare_exchange_n(&r->taken, &free, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    r->site = site;
    r->block[0] = x;
    r->block[1] = y;
    r->block[2] = z;
    r->thread = thread;
    for (u64 k = 0; k < count; k++) r->values[k] = values[k];
  }
  __atomic_fetch_or(&launch->flag, STOP, __ATOMIC_RELEASE);
}
