/* Looks at the lanes of one instruction: stores of different values to one place, shuffles from lanes that are not active. */

INLINE i32 found_at(GroupState *g, u32 code, u32 lane, u64 address, u64 other) {
  g->fault_code = code;
  g->fault_lane = lane;
  g->fault_address = address;
  g->fault_extra = other;
  return ave_check_found(g, (u32)g->access, 0, 1);
}

/* Whether lanes `n` and `m` have different bits, of a mask behind a shift, in one of some registers. */
INLINE bool differ(const u32 *data, u32 n, u32 m, u64 registers, u32 shift, u32 mask) {
  for (u64 j = 0; j < registers; j++, data += LANES)
    if ((data[n] ^ data[m]) >> shift & mask) return 1;
  return 0;
}

/* Whether two active lanes store different values at the same address: 1 where the wave is to stop. A lane is held against those up to 32 further on, so
   that each pair is met. */
OUT_OF_LINE i32 ave_lanes(GroupState *g, const u32 *data, const V64 *at, u64 exec, u64 registers, u32 shift, u32 mask) {
  _Alignas(64) u64 twice[2 * LANES];
  V64 a = *at;
  *(V64 *)twice = *(V64 *)(twice + LANES) = a;
  for (u32 k = 1; k <= LANES / 2; k++) {
    V64 b = *(const Near *)(twice + k);
    for (u64 left = WORD(a == b) & exec & (exec >> k | exec << (64 - k)); left; left &= left - 1) {
      u32 n = __builtin_ctzll(left), m = (n + k) % LANES;
      if (differ(data, n, m, registers, shift, mask)) return found_at(g, LANES_DIFFER, n, twice[n], m);
    }
  }
  return 0;
}

/* Whether an active lane of ds_bpermute_b32 reads from one that is not: 1 where the wave is to stop. */
OUT_OF_LINE i32 ave_sources(GroupState *g, const u32 *addresses, u32 offset, u64 exec) {
  for (u64 left = ~exec ? exec : 0; left; left &= left - 1) {
    u32 n = __builtin_ctzll(left), from = (addresses[n] + offset) / 4 % LANES;
    if (!(exec >> from & 1)) return found_at(g, INACTIVE, n, 0, from);
  }
  return 0;
}
