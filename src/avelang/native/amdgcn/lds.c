/* Orders accesses to LDS: who wrote and read each granule, and whether this wave may know that they are done. What another wave did is done for this one
   if that wave had waited for it when it came to the last barrier. Of its own accesses, LDS instructions follow one another, and so do loads that go
   to LDS, but the two take different ways. */

/* Of a granule's last write, above the wave; the instruction's index stands from bit 8. */
enum { ATOMIC = 16, DIRECT = 32 };

typedef u32 Sixteen __attribute__((ext_vector_type(16), aligned(16)));
typedef bool SixteenBits __attribute__((ext_vector_type(16)));

/* An access that is ordered. */
typedef struct Access {
  WaveState *w;
  GroupState *g;
  GroupRecords *q;
  u32 *limits; /* of LDS instructions and of loads to LDS, for each wave: what of it is done as this one may know it */
  u32 kind;
  u32 number;
  u64 mark;
  u32 index;
  u32 stamp;
} Access;

/* The other access of a race. */
typedef struct Other {
  u32 wave;
  u32 number;
  u32 index;
  u32 bits;
  u32 kind; /* 1: a load to LDS */
} Other;

/* Whether the last write may still be under way. */
INLINE bool after_write(Access *a, Granule *at, Other *o) {
  u32 word = (u32)(at->write >> 32), direct = word & DIRECT ? 1 : 0;
  o->wave = word & 15;
  o->number = (u32)at->write;
  o->index = word >> 8;
  o->bits = direct ? BY_WRITE | BY_DIRECT : BY_WRITE;
  o->kind = direct;
  if (word & ATOMIC && a->kind & ATOMICALLY) return 0;
  return o->number > a->limits[direct * MAX_WAVES + o->wave];
}

/* Whether a read of another wave may be, where this access writes. */
INLINE bool after_read(Access *a, Granule *at, Other *o) {
  Sixteen reads = *(Sixteen *)at->reads, limit = *(Sixteen *)a->limits;
  u32 late = __builtin_bit_cast(unsigned short, __builtin_convertvector(reads > limit, SixteenBits));
  if (!late) return 0;
  o->wave = __builtin_ctz(late);
  o->number = at->reads[o->wave];
  u64 last = a->g->wave_states[o->wave].check->ring[o->number % RING];
  o->index = (u32)last == o->number ? (u32)(last >> 32) : (u32)-1;
  o->bits = o->kind = 0;
  return 1;
}

OUT_OF_LINE i32 ave_check_race(Access *a, Other *o, u32 lane, u64 place) {
  GroupState *g = a->g;
  u32 seen = a->q->seen[place_of(a->w->epoch, o->kind, o->wave)];
  u64 index = (u64)o->index << 32;
  g->fault_code = RACE;
  g->fault_lane = lane;
  g->fault_address = place;
  g->fault_extra = index | o->wave | o->bits | (o->number <= seen ? BARRIER_PASSED : 0);
  return ave_check_found(g, a->index, index | o->bits, 1);
}

/* A read of a granule that this workgroup has not written. */
OUT_OF_LINE i32 ave_check_unwritten(Access *a, u32 lane, u64 place) {
  a->g->fault_code = UNWRITTEN;
  a->g->fault_lane = lane;
  a->g->fault_address = place;
  return ave_check_found(a->g, a->index, 0, 1);
}

/* Whether an atomic access would hide a plain write of its own wave that no barrier has told of: others' atomics race with that. */
INLINE bool hides(const Access *a, const Granule *at) {
  u32 word = (u32)(at->write >> 32);
  if (!(a->kind & ATOMICALLY) || word & ATOMIC || (word & 15) != a->w->index) return 0;
  return (u32)at->write > a->q->limit[place_of(a->w->epoch, word & DIRECT ? 1 : 0, a->w->index)];
}

/* A swap that a loop's loads lead to reads what they have read; so it is asked what nothing wrote. */
INLINE bool unwritten(const Access *a, const Granule *at, bool init) { return init && at->stamp != a->stamp; }

/* One granule; `place`: where it begins, `from`: where the access does. 1 where the wave is to stop. */
INLINE i32 ordered(Access *a, Granule *at, u32 lane, u64 place, u64 from, bool init, bool verifies) {
  Other other;
  if (after_write(a, at, &other) || (a->kind & WRITES && after_read(a, at, &other)))
    if (ave_check_race(a, &other, lane, place < from ? from : place)) return 1;
  if (a->kind & WRITES) {
    if (verifies && unwritten(a, at, init) && ave_check_unwritten(a, lane, place)) return 1;
    if (!hides(a, at)) at->write = a->mark;
    at->stamp = a->stamp;
    return 0;
  }
  if (unwritten(a, at, init) && ave_check_unwritten(a, lane, place)) return 1;
  at->reads[a->w->index] = a->number;
  return 0;
}

/* Of this wave's accesses, what is done: of the kind of this one all, of the other kind what was waited for. */
INLINE void limits_of(Access *a, const WaveRecords *c) {
  u32 me = a->w->index, async = a->kind & ASYNC;
  __builtin_memcpy(a->limits, &a->q->limit[place_of(a->w->epoch, 0, 0)], 2 * MAX_WAVES * sizeof(u32));
  a->limits[me] = async ? c->done[LDS] : (u32)-1;
  a->limits[MAX_WAVES + me] = async ? (u32)-1 : c->done[VM];
}

/* Loads before a loop of compare-and-swap that the swap of a lane does not verify, as in global memory. */
INLINE i32 strays(Access *a, Granule *first, u32 lane, u64 from, u32 nbytes, u32 how, u64 shift, bool init) {
  const WaveRecords *c = a->w->check;
  Access read = *a;
  read.kind = 0;
  for (u32 left = how >> LOOP_SWAP & 255; left; left &= left - 1) {
    u64 was = elsewhere(c, __builtin_ctz(left), lane, from, nbytes), there = (was << 8 >> 8) - 1, end = there + (was >> 56);
    for (u64 at = there >> shift; was && at <= (end - 1) >> shift; at++)
      if (ordered(&read, &first[at], lane, at << shift, there, init, 0)) return 1;
  }
  return 0;
}

/* Active lanes access `nbytes` of LDS each; granules are of 2**shift bytes and stand `granules` bytes behind the workgroup's records. `init`: reads of
   what nothing wrote are faults. */
OUT_OF_LINE i32 ave_check_lds(WaveState *w, GroupState *g, const u32 *addresses, u32 offset, u32 nbytes, u32 how, u64 exec, u32 index, u64 granules,
                              u64 shift, bool init) {
  u32 kind = how & ACCESS_BITS, verifies = how >> LOOP_SWAP & 255, load = how >> LOOP_LOAD & 15;
  _Alignas(64) u32 limits[2 * MAX_WAVES];
  WaveRecords *c = w->check;
  Access a = {.w = w, .g = g, .q = g->check, .limits = limits, .kind = kind, .index = index, .stamp = (u32)g->linear + 1};
  Granule *first = (Granule *)((i8 *)g->check + granules);
  bool met = 0;
  limits_of(&a, c);
  a.number = kind & ASYNC ? c->issued[VM] : c->issued[LDS] + (kind & BY_FLAT ? 1 : 0);
  u32 word = index << 8 | w->index | (kind & ATOMICALLY ? ATOMIC : 0) | (kind & ASYNC ? DIRECT : 0);
  a.mark = (u64)word << 32 | a.number;
  if (!(kind & ASYNC)) c->ring[a.number % RING] = (u64)index << 32 | a.number;
  for (u64 left = exec; left; left &= left - 1) {
    u32 lane = __builtin_ctzll(left);
    u64 from = addresses[lane] + offset, end = from + nbytes;
    if (end > g->lds_bytes) continue;
    met = 1;
    if (load) {
      c->loaded[(load - 1) * LANES + lane] = (u64)nbytes << 56 | from + 1;
      continue;
    }
    if (verifies && strays(&a, first, lane, from, nbytes, how, shift, init)) return 1;
    for (u64 at = from >> shift; at <= (end - 1) >> shift; at++)
      if (!keeps(g, how, lane, from, at << shift, shift) && ordered(&a, &first[at], lane, at << shift, from, init, verifies)) return 1;
  }
  if (met && kind & BY_FLAT) {
    c->issued[LDS] = a.number;
    c->touched = c->issued[FLAT];
  }
  return 0;
}
