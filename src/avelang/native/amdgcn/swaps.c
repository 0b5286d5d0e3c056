/* Loops of compare-and-swap, as `swap_loops` finds them: loads that only lead to a swap, and what a swap of a word leaves alone. */

/* Whether a swap leaves all of a granule of a lane's word alone. */
INLINE bool keeps(const GroupState *g, u32 how, u32 lane, u64 from, u64 start, u64 shift) {
  if (!(how & KEEPS) || start < from) return 0;
  u64 ones = (1ull << (8ull << shift)) - 1;
  return (g->kept[lane] >> 8 * (start - from) & ones) == ones;
}

/* A load before a loop of compare-and-swap is not looked at where it is: the swap at the same address finds out what it may have missed. */
INLINE void put_off(WaveRecords *r, u32 how, const u64 *at, u64 exec, u64 bytes) {
  u64 *loaded = &r->loaded[((how >> LOOP_LOAD & 15) - 1) * LANES];
  for (u64 left = exec; left; left &= left - 1) {
    u32 lane = __builtin_ctzll(left);
    loaded[lane] = bytes << 56 | at[lane] + 1;
  }
}

/* Where a lane of such a load was, if the swap of `bytes` at `from` is at another address: then it is an access like any other; 0 else, also where there
   was no load (`ave_check_begin`). */
INLINE u64 elsewhere(const WaveRecords *r, u32 n, u32 lane, u64 from, u64 bytes) {
  u64 was = r->loaded[n * LANES + lane], at = (was << 8 >> 8) - 1;
  return was && was >> 56 <= 8 && at - from >= bytes ? was : 0;
}
