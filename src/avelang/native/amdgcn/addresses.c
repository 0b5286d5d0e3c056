/* Addresses of 64 lanes come in, in the ways instructions spell them; they are checked, and become host addresses.

   A stage is `i32 stage(g, w, out, low, high, base, exec, bytes)`: `low` and `high` are vector registers, `base` is the same for all lanes, each active
   lane touches `bytes`. It writes 64 addresses to `out` (those of inactive lanes are good to read) and returns 0, or records a fault and returns 1. At
   least one lane is active. What lanes touch together is checked at once; one by one only where that fails, to name the lane. */

typedef u64 V64 __attribute__((ext_vector_type(LANES), aligned(64)));
typedef u64 Near __attribute__((ext_vector_type(LANES), aligned(8))); /* anywhere among words */
typedef u32 V32 __attribute__((ext_vector_type(LANES), aligned(64)));
typedef bool Mask __attribute__((ext_vector_type(LANES)));

/* `a` in the lanes of a word, `b` in the others; and the word of the lanes where a comparison holds. */
#define SELECT(word, t, a, b) (__builtin_convertvector(__builtin_bit_cast(Mask, (u64)(word)), t) != 0 ? (a) : (b))
#define WORD(compared) __builtin_bit_cast(u64, __builtin_convertvector(compared, Mask))
#define WIDE(register) __builtin_convertvector(*(register), V64)

static const V64 lane_numbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
                                 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* Of the program, where it follows races in global memory (`check_global`), else never called: the lanes of a word access `bytes` at addresses. */
i32 ave_race(GroupState *g, const u64 *at, u64 exec, u64 bytes);

INLINE i32 raced(GroupState *g, const u64 *at, u64 exec, u64 bytes) { return g->shadows ? ave_race(g, at, exec, bytes) : 0; }

/* `bytes` of each lane of a word, to the instruction whose bytes are counted, if any are. */
INLINE void moved(GroupState *g, u64 lanes, u64 bytes) {
  if (g->moved) __atomic_fetch_add(g->moved, __builtin_popcountll(lanes) * bytes, __ATOMIC_RELAXED);
}

enum { AT_ONCE = 16, PIECE = 64 }; /* lanes whose addresses are merged, and the bytes that one clock brings */

/* Records the pieces of memory that an instruction asks for, if anybody wants to know. */
OUT_OF_LINE void ave_pieces(GroupState *g, const u64 *at, u64 exec, u64 bytes) {
  u64 seen[AT_ONCE * 3], pieces = 0;
  for (u32 first = 0; first < LANES; first += AT_ONCE) {
    u32 count = 0;
    for (u32 n = first; n < first + AT_ONCE; n++) {
      if (!(exec >> n & 1)) continue;
      for (u64 piece = at[n] / PIECE; piece <= (at[n] + bytes - 1) / PIECE && count < AT_ONCE * 3; piece++) {
        u32 k = 0;
        while (k < count && seen[k] != piece) k++;
        if (k == count) seen[count++] = piece;
      }
    }
    pieces += count;
  }
  record(g, TRACE_MEMORY, g->current->index, (u64)(g->moved - g->profile), pieces);
}

OUT_OF_LINE void ave_moved(GroupState *g, u64 lanes, u64 bytes) { moved(g, lanes, bytes); }

INLINE i32 fault(GroupState *g, u32 code, u64 lane, u64 address, u64 bytes) {
  g->fault_code = code;
  g->fault_lane = (u32)lane;
  g->fault_address = address;
  g->fault_extra = bytes;
  return 1;
}

/* Whether one piece of the memory that was given holds all of low .. high + bytes - 1. */
OUT_OF_LINE bool ave_within(GroupState *g, u64 low, u64 high, u64 bytes) {
  const u64 *region = g->regions;
  for (u32 n = 0; n < g->region_count; n++, region += 2)
    if (low >= region[0] && high < region[1] && region[1] - high >= bytes) return 1;
  return 0;
}

/* The check of each active lane alone. */
OUT_OF_LINE i32 ave_each(GroupState *g, const u64 *at, u64 exec, u64 bytes) {
  for (u64 left = exec; left; left &= left - 1) {
    u32 n = __builtin_ctzll(left);
    if (!ave_within(g, at[n], at[n], bytes)) return fault(g, OUTSIDE, n, at[n], bytes);
  }
  return 0;
}

/* Checks addresses, moved by `delta`, and writes those of inactive lanes over with a good one. */
OUT_OF_LINE i32 ave_settle(GroupState *g, const V64 *from, V64 *out, u64 delta, u64 exec, u64 bytes) {
  V64 a = *from + delta;
  u64 low = __builtin_reduce_min(SELECT(exec, V64, a, (V64)~0ull)), high = __builtin_reduce_max(SELECT(exec, V64, a, (V64)0ull));
  *out = SELECT(exec, V64, a, (V64)low);
  moved(g, exec, bytes);
  if (g->trace && g->moved) ave_pieces(g, (u64 *)out, exec, bytes);
  if (!ave_within(g, low, high, bytes) && ave_each(g, (u64 *)out, exec, bytes)) return 1;
  return raced(g, (u64 *)out, exec, bytes);
}

/* base + (high, low): both registers may be zeros. */
OUT_OF_LINE i32 ave_at_global(GroupState *restrict g, WaveState *restrict w, V64 *restrict out, const V32 *low, const V32 *high, u64 base, u64 exec,
                              u64 bytes) {
  (void)w;
  *out = (WIDE(high) << 32 | WIDE(low)) + base;
  return ave_settle(g, out, out, 0, exec, bytes);
}

/* LDS: low + base modulo 2**32, in bytes from the start of what the workgroup has (MI300 ISA, section 11.3.1). */
OUT_OF_LINE i32 ave_at_lds(GroupState *restrict g, WaveState *restrict w, V64 *restrict out, const V32 *low, const V32 *high, u64 base, u64 exec,
                           u64 bytes) {
  (void)w, (void)high;
  V32 a = *low + (u32)base;
  u32 most = __builtin_reduce_max(SELECT(exec, V32, a, (V32)0u));
  u64 n = g->lds_bytes;
  if (most + bytes <= n) {
    V32 good = SELECT(exec, V32, a, (V32)most);
    *out = WIDE(&good) + (u64)g->lds;
    return 0;
  }
  u64 which = n < bytes ? exec : WORD(a > (u32)(n - bytes)) & exec;
  u32 lane = __builtin_ctzll(which);
  return fault(g, LDS_OUTSIDE, lane, a[lane], bytes);
}

/* A lane's stack: offset low + base, unsigned (MI300 ISA, section 10.5). Lanes stand one after another, `private_bytes` each. */
OUT_OF_LINE i32 ave_at_scratch(GroupState *restrict g, WaveState *restrict w, V64 *restrict out, const V32 *low, const V32 *high, u64 base, u64 exec,
                               u64 bytes) {
  (void)high;
  V64 offset = WIDE(low) + base, own = SELECT(exec, V64, offset, (V64)0ull);
  u64 n = g->private_bytes;
  u64 which = n < bytes ? exec : WORD(own > n - bytes) & exec;
  *out = (u64)w->private + lane_numbers * n + own;
  if (!which) return 0;
  u32 lane = __builtin_ctzll(which);
  return fault(g, OUTSIDE, lane, offset[lane] + ((u64)PRIVATE_WINDOW << 32), bytes);
}

/* Flat addresses: the upper word tells LDS and stacks from the rest (MI300 ISA, section 10.3); lanes may differ in that. */
OUT_OF_LINE i32 ave_at_flat(GroupState *restrict g, WaveState *restrict w, V64 *restrict out, const V32 *low, const V32 *high, u64 base, u64 exec,
                            u64 bytes) {
  V64 a = (WIDE(high) << 32 | WIDE(low)) + base, top = a >> 32;
  u64 windows = WORD(top == SHARED_WINDOW) | WORD(top == PRIVATE_WINDOW), last = 0, *at = (u64 *)out;
  *out = a;
  if (!(windows & exec)) return ave_settle(g, out, out, 0, exec, bytes);
  for (u64 left = exec; left; left &= left - 1) {
    u32 n = __builtin_ctzll(left);
    u64 x = at[n], in = (u32)x, end = in + bytes;
    if (x >> 32 == SHARED_WINDOW) {
      if (end > g->lds_bytes) return fault(g, LDS_OUTSIDE, n, in, bytes);
      last = (u64)g->lds + in;
    } else if (x >> 32 == PRIVATE_WINDOW) {
      if (end > g->private_bytes) return fault(g, OUTSIDE, n, x, bytes);
      last = (u64)w->private + (u64)g->private_bytes * n + in;
    } else {
      moved(g, 1, bytes);
      if (!ave_within(g, x, x, bytes)) return fault(g, OUTSIDE, n, x, bytes);
      last = x;
    }
    at[n] = last;
  }
  *out = SELECT(exec, V64, *out, (V64)last);
  return raced(g, at, ~windows & exec, bytes);
}

/* A fault where an active lane's address is not a multiple of `bytes`, a power of two. */
OUT_OF_LINE i32 ave_aligned(GroupState *restrict g, const V64 *restrict at, u64 exec, u64 bytes) {
  u64 which = WORD((*at & bytes - 1) != 0) & exec;
  if (!which) return 0;
  u32 lane = __builtin_ctzll(which);
  return fault(g, MISALIGNED, lane, ((const u64 *)at)[lane], bytes);
}

/* 0 in a register's lanes. */
OUT_OF_LINE void ave_clear(V32 *data, u64 lanes) { *data = SELECT(lanes, V32, (V32)0u, *data); }
