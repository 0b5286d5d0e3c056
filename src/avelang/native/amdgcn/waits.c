/* The checker's records of what is under way: what was issued, what a wait lets a wave rely on, what others may rely on behind a barrier. */

enum { POISON = 0xFFFDFFFD }; /* a NaN as f32, two as f16 or bf16, and no address */

/* A list's entry: first cell | cells << 10 | class that may still be under way + 1 << 20. */
INLINE u32 first_of(u32 span) { return span & 1023; }
INLINE u32 end_of(u32 span) { return (span & 1023) + (span >> 10 & 1023); }

typedef u32 Four __attribute__((ext_vector_type(4)));

/* Whether one of n spans waits for a load: 1 where the wave is to stop. */
OUT_OF_LINE i32 ave_check_use(WaveRecords *c, GroupState *g, const u32 *list, u32 n, u32 index) {
  if (!__builtin_reduce_or(*(Four *)c->issued ^ *(Four *)c->done)) return 0;
  for (u32 k = 0; k < n; k++) {
    u32 allowed = list[k] >> 20, end = end_of(list[k]);
    for (u32 r = first_of(list[k]); r < end; r++) {
      u64 pending = c->pending[r], what = pending >> 32;
      u32 number = (u32)pending, class = (u32)what & 3;
      if (!number || number <= c->done[class] || class + 1 == allowed) continue;
      /* FLAT instructions that met LDS overtake those of DS: then a count of others says nothing. */
      bool mixed = c->touched > c->flat_lgkm && class == LDS;
      u64 since = mixed ? 0 : c->issued[class] - number;
      g->fault_code = IN_FLIGHT;
      g->fault_address = what;
      g->fault_extra = since << 32 | r;
      c->pending[r] = 0;
      if (ave_check_found(g, index, what, 1)) return 1;
    }
  }
  return 0;
}

/* One more instruction of a class; the cells of n spans wait for it. `word`: its index and class. */
OUT_OF_LINE void ave_check_issue(WaveRecords *c, u32 class, u32 word, const u32 *list, u32 n) {
  u32 number = ++c->issued[class];
  for (u32 k = 0; k < n; k++) {
    u32 end = end_of(list[k]);
    for (u32 r = first_of(list[k]); r < end; r++) c->pending[r] = (u64)word << 32 | number;
  }
}

/* What a wait makes of a wave's records. */
typedef struct Reached {
  u32 done[4];
  u32 flat_vm;
  u32 flat_lgkm;
} Reached;

/* What is surely done of an ordered class when at most `count` instructions of its counter are under way. */
INLINE u32 done_of(const WaveRecords *c, u32 class, u32 count, bool ordered) {
  return ordered && c->issued[class] - c->done[class] > count ? c->issued[class] - count : c->done[class];
}

/* Instructions of a class come back in order, scalar loads in none (MI300 ISA, section 4.4); an access of FLAT to LDS stands among those of DS, and may
   overtake them (section 10.2.2), so that then only 0 says something. A counter that is not named is -1. */
INLINE Reached reached(const WaveRecords *c, u32 vm, u32 lgkm) {
  Reached r;
  bool idle = lgkm == 0, mixed = c->touched > c->flat_lgkm;
  r.done[VM] = done_of(c, VM, vm, 1);
  r.done[LDS] = done_of(c, LDS, lgkm, !mixed || idle);
  r.done[SMEM] = idle ? c->issued[SMEM] : c->done[SMEM];
  r.flat_vm = vm == 0 ? c->issued[FLAT] : c->flat_vm;
  r.flat_lgkm = idle ? c->issued[FLAT] : c->flat_lgkm;
  r.done[FLAT] = c->touched > r.flat_lgkm && r.flat_lgkm < r.flat_vm ? r.flat_lgkm : r.flat_vm;
  return r;
}

INLINE void keep(WaveRecords *c, Reached r) {
  __builtin_memcpy(c->done, r.done, sizeof r.done);
  c->flat_vm = r.flat_vm;
  c->flat_lgkm = r.flat_lgkm;
}

/* s_waitcnt; -1 where it does not name a counter. */
OUT_OF_LINE void ave_check_wait(WaveRecords *c, u32 vm, u32 lgkm) { keep(c, reached(c, vm, lgkm)); }

/* The same, for programs whose waits can be switched off: of one that is off, `skipped` keeps what it would have reached; another wait (or the end) that
   comes to that instead is marked in `covered`. */
OUT_OF_LINE void ave_check_reach(WaveRecords *c, GroupRecords *q, u32 vm, u32 lgkm, u32 index, bool off) {
  Reached r = reached(c, vm, lgkm);
  bool gain = 0, paid = 0;
  for (u32 k = 0; k < 4; k++) {
    gain |= r.done[k] > c->done[k];
    paid |= c->skipped[k] > c->done[k] && r.done[k] >= c->skipped[k];
  }
  if (off) {
    q->met++;
    q->mattered += gain;
    for (u32 k = 0; k < 4; k++)
      if (r.done[k] > c->done[k]) c->skipped[k] = r.done[k];
    return;
  }
  keep(c, r);
  if (paid) q->covered[index] = 1;
}

OUT_OF_LINE void ave_check_mutable_wait(WaveRecords *c, GroupState *g, u32 vm, u32 lgkm, u32 index) {
  GroupRecords *q = g->check;
  u32 skip = g->skip, none = -1;
  if (skip >> 2 == index) {
    bool vm_off = skip & SKIP_VM, lgkm_off = skip & SKIP_LGKM;
    ave_check_reach(c, q, vm_off ? vm : none, lgkm_off ? lgkm : none, index, 1);
    vm = vm_off ? none : vm;
    lgkm = lgkm_off ? none : lgkm;
  }
  ave_check_reach(c, q, vm, lgkm, index, 0);
}

/* Of a wave in an epoch: what is done (`all`: everything) of LDS instructions and of loads to LDS, and what has been issued. */
INLINE u32 place_of(u32 epoch, u32 kind, u32 wave) { return (epoch & 1) * 2 * MAX_WAVES + kind * MAX_WAVES + wave; }

OUT_OF_LINE void ave_check_publish(GroupRecords *q, const WaveRecords *c, u32 epoch, u32 wave, bool all) {
  u32 lds = place_of(epoch, 0, wave), vm = place_of(epoch, 1, wave);
  q->limit[lds] = all ? c->issued[LDS] : c->done[LDS];
  q->limit[vm] = all ? c->issued[VM] : c->done[VM];
  q->seen[lds] = c->issued[LDS];
  q->seen[vm] = c->issued[VM];
}

/* The wave is at a barrier (or its end: `end`). What it has done by now is what others may rely on behind that. */
OUT_OF_LINE void ave_check_arrive(WaveState *w, GroupState *g, bool end) {
  u32 epoch = w->epoch + 1;
  ave_check_publish(g->check, w->check, epoch, w->index, end);
  for (u32 n = 0; n < g->waves; n++) {
    WaveState *u = &g->wave_states[n];
    if (u->status == ENDED) ave_check_publish(g->check, u->check, epoch, n, 1);
  }
}

INLINE void poison(void *at, u32 words) {
  for (u32 n = 0; n < words; n++) ((u32 *)at)[n] = POISON;
}

/* A new workgroup; numbers go on from those of the last one, all of which is done. */
OUT_OF_LINE void ave_check_begin(GroupState *g) {
  poison(g->lds, g->lds_bytes >> 2);
  for (u32 n = 0; n < g->waves; n++) {
    WaveState *w = &g->wave_states[n];
    WaveRecords *c = w->check;
    *(Four *)c->done = *(Four *)c->issued;
    *(Four *)c->skipped = 0;
    c->flat_vm = c->flat_lgkm = c->issued[FLAT];
    poison((u32 *)c->loaded, 2 * LOOP_LOADS * LANES);
    poison(&w->vectors[g->item_registers * LANES], (FILE - g->item_registers) * LANES);
    ave_check_publish(g->check, c, 0, n, 1);
    ave_check_publish(g->check, c, 1, n, 1);
  }
}
