/* Addresses of buffer instructions, and their range checks (MI300 ISA, section 9.1; `memory_buffer.py` says what is checked, and why). */

typedef i64 S64 __attribute__((ext_vector_type(LANES), aligned(64)));

/* A resource, as far as addresses depend on it. */
typedef struct Resource {
  u64 base;
  u64 stride;
  u64 limit; /* num_records; 0 where the resource is unbound, so that all is out of range */
  u64 row; /* lanes of a swizzled row */
  bool swizzled;
  bool by_lane; /* the lane's number is added to the index */
  bool structured;
  bool known; /* the manual says what is checked */
} Resource;

INLINE Resource resource_of(u64 r0, u64 r1, bool indexed, u64 nbytes) {
  u64 word = r1 >> 32, format = word >> 15 & 15, stride = r0 >> 48 & 0x3FFF;
  Resource r;
  r.by_lane = word >> 23 & 1;
  r.swizzled = r0 >> 63;
  r.base = r0 & 0xFFFFFFFFFFFFull;
  r.stride = r.by_lane ? format << 14 | stride : stride;
  r.limit = r.by_lane || format ? (u32)r1 : 0;
  r.row = 8ull << (word >> 21 & 3);
  r.structured = indexed && r.stride;
  r.known = word >> 30 == 0 && !(r.by_lane && indexed) && !(r.swizzled && !r.structured && !r.by_lane) && !(r.swizzled && nbytes > 4);
  return r;
}

/* Which active lanes have the part in range whose last byte is `last` bytes behind what they address. */
OUT_OF_LINE u64 ave_room(const S64 *room, u64 exec, i64 last) { return WORD(*room > last) & exec; }

/* A lane's stack in the buffer that the kernel was given: rows of a word for each lane, of which the scalar offset counts all (LLVM, "User Guide for AMDGPU
   Backend", Private Segment Buffer). Here lanes stand one after another, as flat addresses find them. */
INLINE i32 on_stack(GroupState *g, V64 *out, S64 *room, const V32 *offset, u64 soffset, u64 inst, u64 exec, u64 nbytes) {
  *room = (S64)0x7FFFFFFFFFFFFFFF;
  return ave_at_scratch(g, g->current, out, offset, offset, soffset / LANES + inst, exec, nbytes);
}

/* Addresses in `out`; in `room` how far the range reaches behind what the lane addresses: a part whose last byte is `c` bytes behind it is in range where
   c < room. `last` is that of the last part. Where all of all active lanes is in range, addresses have been checked, and the answer is
   IN_RANGE. */
OUT_OF_LINE i32 ave_at_buffer(GroupState *restrict g, V64 *restrict out, S64 *restrict room, const V32 *index, const V32 *offset, u64 r0, u64 r1,
                              u64 soffset, u64 inst, u64 exec, bool indexed, u64 nbytes, i64 last) {
  Resource r = resource_of(r0, r1, indexed, nbytes);
  if (!r.known) return fault(g, RESOURCE, 0, r0, r1);
  if (r.by_lane && r.swizzled && r.base >> 32 == STACK_BUFFER && soffset % (4 * LANES) == 0)
    return on_stack(g, out, room, offset, soffset, inst, exec, nbytes);
  u64 base = r.base + soffset;
  if (!r.by_lane && !r.structured && !r.swizzled) {
    V32 narrow = *offset + (u32)inst;
    V64 wide = WIDE(&narrow);
    *out = wide + base;
    *room = __builtin_convertvector(r.limit - soffset - wide, S64);
  } else {
    const u32 *indices = (const u32 *)index, *offsets = (const u32 *)offset;
    u64 *addresses = (u64 *)out;
    i64 *rooms = (i64 *)room;
    for (u32 n = 0; n < LANES; n++) {
      u64 x = (u64)indices[n] + (r.by_lane ? n : 0), o = offsets[n] + inst;
      u64 swizzled = (x / r.row * r.stride + (o & ~3ull)) * r.row + x % r.row * 4 + (o & 3);
      addresses[n] = base + (r.swizzled ? swizzled : o + x * r.stride);
      rooms[n] = r.by_lane || x < r.limit ? 0x7FFFFFFFFFFFFFFF : 0;
    }
  }
  return ave_room(room, exec, last) == exec ? ave_settle(g, out, out, 0, exec, nbytes) : MIXED;
}

/* Stores the words in range, a lane's one after another. */
OUT_OF_LINE i32 ave_some_words(GroupState *g, const u32 *data, const V64 *at, const S64 *room, u64 exec, u64 nbytes) {
  typedef u32 Anywhere __attribute__((aligned(1)));
  V64 good;
  for (u64 c = 0; c < nbytes; c += 4) {
    u64 in = ave_room(room, exec, c + 3);
    if (in && ave_settle(g, at, &good, c, in, 4)) return 1;
  }
  for (u64 left = exec; left; left &= left - 1) {
    u32 n = __builtin_ctzll(left);
    for (u64 k = 0; k < nbytes; k += 4)
      if (((const i64 *)room)[n] > (i64)k + 3) *(Anywhere *)(((const u64 *)at)[n] + k) = data[k / 4 * LANES + n];
  }
  return 0;
}
