/* Where an address of a lane stands on this machine: the place of `size` bytes, or null where the access is not allowed, and the block says why. Watched
   code goes on: the fault is written down, and the access goes nowhere. */

INLINE void *fault(WarpState *w, CtaRecord *g, u64 lane, u64 address, u64 size, i32 code) {
  if (g->watched) return ave_blame(w, g, lane, address, size, code);
  g->fault_code = code;
  g->fault_address = address;
  g->fault_size = (u32)size;
  return 0;
}

/* Whether the last four bytes of a load begin in a piece of memory and only they end behind it: LLVM loads the last one of an odd number of 16-bit floats
   by such a word, which is in one page. */
INLINE bool last_word(const CtaRecord *g, u64 address, u64 size) {
  const u64 *region = g->regions;
  for (u64 k = 0; k < g->region_count && size % 4 == 0 && address % 4 == 0; k++, region += 3)
    if (address >= region[0] && address + size - 4 < region[1] && address <= address + size) return 1;
  return 0;
}

/* Global memory. Most accesses go where the last one went. */
OUT_OF_LINE void *ave_place_global(WarpState *w, CtaRecord *g, u64 lane, u64 address, u64 size, u32 write) {
  u64 end = address + size;
  if (address >= g->near_start && end <= g->near_end && address <= end && (!write || g->near_writable)) return (void *)address;
  const u64 *region = g->regions;
  for (u64 k = 0; k < g->region_count; k++, region += 3) {
    if (address < region[0] || end > region[1] || address > end) continue;
    g->near_start = region[0];
    g->near_end = region[1];
    g->near_writable = region[2];
    return !write || region[2] ? (void *)address : fault(w, g, lane, address, size, READONLY);
  }
  if (!write && last_word(g, address, size)) return (void *)address;
  return fault(w, g, lane, address, size, OUTSIDE);
}

/* The code of the fault that the shadow of some bytes says, or 0; what is written is marked. */
INLINE i32 disturbed(u8 *shadow, u64 size, u32 write) {
  u8 bad = write ? ARRIVING | READ_LATER : ARRIVING, mark = write ? UNFENCED : 0;
  for (u64 k = 0; k < size; k++) {
    if (shadow[k] & bad) return shadow[k] & ARRIVING ? IN_FLIGHT : GUARDED;
    shadow[k] |= mark;
  }
  return 0;
}

/* Shared memory; `peers`: also that of the cluster's other blocks. */
OUT_OF_LINE void *ave_place_shared(WarpState *w, CtaRecord *g, u64 lane, u64 whole, u64 size, u32 write, bool peers) {
  u64 address = (u32)whole, rank = address >> RANK, offset = address & ((1u << RANK) - 1);
  bool who = rank == g->rank || (rank < g->ranks && peers);
  if (!who || offset + size > g->shared_bytes) return fault(w, g, lane, address, size, OUTSIDE);
  void *place = g->shared[rank] + offset;
  i32 code = g->checked ? disturbed((u8 *)g->shadow[rank] + offset, size, write) : 0;
  if (!code) return place;
  return fault(w, g, lane, address, size, code) ? place : 0;
}

/* A lane's own memory. */
OUT_OF_LINE void *ave_place_local(WarpState *w, CtaRecord *g, u64 lane, u64 whole, u64 size, u32 write) {
  (void)write;
  u64 address = (u32)whole, bytes = g->local_bytes;
  return address + size <= bytes ? w->local + lane * bytes + address : fault(w, g, lane, address, size, OUTSIDE);
}

OUT_OF_LINE void *ave_place_generic(WarpState *w, CtaRecord *g, u64 lane, u64 address, u64 size, u32 write) {
  switch (address >> 60) {
    case SHARED_WINDOW: return ave_place_shared(w, g, lane, address, size, write, 1);
    case LOCAL_WINDOW: return ave_place_local(w, g, lane, address, size, write);
    default: return ave_place_global(w, g, lane, address, size, write);
  }
}
