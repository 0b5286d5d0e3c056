/* Follows accesses to global memory: who wrote and read each granule, and whether that is over (`check_global.py`). Known here are a wave's own accesses,
   and those of its workgroup's waves from before the last barrier; about the rest the judge is asked. */

typedef i32 Judge(u64 wave, u64 access, u64 place, u64 mark, u64 word, i32 within);

/* An access, as all its lanes have it in common. */
typedef struct GlobalCheck {
  GroupState *g;
  GlobalAccess mine;
  u64 wave;
  u32 kind;
  bool together; /* the waves of a workgroup run on one compute unit */
  const u32 *done; /* of each wave of the workgroup: what it had waited for when it came to the last barrier */
  const u32 *issued; /* and what it had issued */
} GlobalCheck;

/* Whether an earlier access may still be under way, as far as is known here. */
INLINE bool unsettled(const GlobalCheck *c, GlobalAccess old) {
  u64 wave = old.mark >> 32;
  u32 kind = (u32)old.what;
  if (!old.mark || wave == c->wave || kind & c->kind & GLOBAL_ATOMIC) return 0;
  if (!c->together || wave - 1 >> 4 != c->g->linear) return 1;
  if (kind & (GLOBAL_ATOMIC | GROUP_ATOMIC) && c->kind & (GLOBAL_ATOMIC | GROUP_ATOMIC)) return 0;
  const u32 *limits = (kind | c->kind) & SCALAR ? c->done : c->issued;
  return (u32)old.mark > limits[wave - 1 & 15];
}

/* Asks about an earlier access that is not settled here. `from`: what the lane addresses, `granule`: where the granule begins. 1 where the wave is to
   stop. */
INLINE i32 asked(const GlobalCheck *c, GlobalAccess old, u64 write, u32 lane, u64 from, u64 granule) {
  if (!unsettled(c, old)) return 0;
  GroupState *g = c->g;
  u64 place = granule < from ? from : granule, word = old.what | write;
  if (!((Judge *)g->judge)(c->wave, g->access, place, old.mark, word, (i32)(place - from) << 8 | (i32)lane)) return 0;
  u64 key = word >> 32 << 40 | (word & OLD_WRITE) << 8;
  g->fault_code = MEMORY_RACE;
  g->fault_lane = lane;
  g->fault_address = place;
  g->fault_extra = key | old.mark >> 32;
  return ave_check_found(g, (u32)g->access, key, 1);
}

INLINE void note_write(const GlobalCheck *c, GlobalGranule *at) {
  /* An atomic access hides no plain write behind it, which others' atomics race with as well. */
  GlobalAccess kept = at->write.what & GLOBAL_ATOMIC ? at->plain : at->write;
  at->plain.mark = c->kind & GLOBAL_ATOMIC ? kept.mark : 0;
  at->plain.what = kept.what;
  at->write = c->mine;
  at->reads[0].mark = at->reads[1].mark = 0;
}

INLINE i32 granule(const GlobalCheck *c, GlobalGranule *at, u32 lane, u64 from, u64 start) {
  if (asked(c, at->write, OLD_WRITE, lane, from, start) || asked(c, at->plain, OLD_WRITE, lane, from, start)) return 1;
  if (c->kind & GLOBAL_WRITES) {
    for (u32 n = 0; n < 2; n++)
      if (asked(c, at->reads[n], 0, lane, from, start)) return 1;
    note_write(c, at);
  } else {
    u64 first = at->reads[0].mark;
    at->reads[first && first >> 32 != c->wave] = c->mine;
  }
  return 0;
}

/* Whether a piece of memory has records of these bytes. */
INLINE bool known(const GroupState *g, u64 from, u64 end) {
  for (u32 n = 0; n < g->shadows; n++)
    if (from >= g->shadow[n].first && end <= g->shadow[n].end) return 1;
  return 0;
}

/* Bytes of one lane. */
INLINE i32 bytes_of(const GlobalCheck *c, u32 lane, u64 from, u64 bytes, u64 shift, u32 how) {
  const GlobalRegion *region = c->g->shadow;
  u64 end = from + bytes;
  u32 n = 0;
  while (n < c->g->shadows && (from < region->first || end > region->end)) n++, region++;
  if (n == c->g->shadows) return 0;
  for (u64 k = from - region->first >> shift; k <= end - region->first - 1 >> shift; k++) {
    u64 start = (k << shift) + region->first;
    if (!keeps(c->g, how, lane, from, start, shift) && granule(c, &region->granules[k], lane, from, start)) return 1;
  }
  return 0;
}

/* Loads of a lane that the swap does not verify. */
INLINE i32 unverified(const GlobalCheck *c, const WaveRecords *r, u32 lane, u64 from, u64 bytes, u64 shift, u32 how) {
  GlobalCheck read = *c;
  read.kind = 0;
  read.mine.what = c->mine.what >> 32 << 32;
  for (u32 left = how >> LOOP_SWAP & 255; left; left &= left - 1) {
    u64 was = elsewhere(r, __builtin_ctz(left), lane, from, bytes);
    if (was && bytes_of(&read, lane, (was << 8 >> 8) - 1, was >> 56, shift, 0)) return 1;
  }
  return 0;
}

INLINE u64 wave_number(const WaveState *w, const GroupState *g) { return (g->linear << 4 | w->index) + 1; }

/* The active lanes access `bytes` at 64 addresses; `GroupState.access` says as what. Granules are of 2**shift bytes. `split`: waves of a workgroup may run
   on several compute units; `events`: atomic accesses are told to the judge. */
OUT_OF_LINE i32 ave_follow(GroupState *g, const u64 *at, u64 exec, u64 bytes, u64 shift, bool split, bool events) {
  WaveState *w = g->current;
  WaveRecords *r = w->check;
  GroupRecords *q = g->check;
  u32 how = (u32)(g->access >> 32);
  if (how >> LOOP_LOAD & 15) {
    put_off(r, how, at, exec, bytes);
    return 0;
  }
  GlobalCheck c = {.g = g, .kind = how & ACCESS_BITS, .wave = wave_number(w, g), .together = !split};
  c.mine.mark = c.wave << 32 | (c.kind & SIMPLE ? r->done : r->issued)[VM];
  c.mine.what = g->access << 32 | c.kind;
  c.done = &q->limit[place_of(w->epoch, 1, 0)];
  c.issued = &q->seen[place_of(w->epoch, 1, 0)];
  for (u64 left = g->shadows ? exec : 0; left; left &= left - 1) {
    u32 lane = __builtin_ctzll(left);
    u64 from = at[lane];
    if (unverified(&c, r, lane, from, bytes, shift, how) || bytes_of(&c, lane, from, bytes, shift, how)) return 1;
    if (events && c.kind & GLOBAL_ATOMIC && known(g, from, from + bytes)) ((Judge *)g->judge)(c.wave, g->access, from, 0, 0, 0);
  }
  return 0;
}

/* Something else that orders waves. */
OUT_OF_LINE void ave_event(WaveState *w, GroupState *g, u64 what) { ((Judge *)g->judge)(wave_number(w, g), 0, 0, 0, what, 0); }
