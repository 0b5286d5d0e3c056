/* What the checker found. A check that fails has written the workgroup's `fault_` fields. Where the launch stops at errors, and this is one, the wave
   stops as for any fault. Else it is noted, once for each pair of instructions with a count, and the wave goes on. */

/* 1 where the wave is to stop. */
OUT_OF_LINE i32 ave_check_found(GroupState *g, u32 index, u64 key, bool severe) {
  if (!g->collect && severe) return 1;
  Findings *table = g->reports;
  u32 count = table->count, code = g->fault_code;
  for (u32 n = 0; n < count; n++) {
    FoundRecord *f = &table->entries[n];
    if (f->code != code || f->instruction != index || f->key != key) continue;
    f->times++;
    return 0;
  }
  if (count >= MOST_FINDINGS) return 0;
  FoundRecord *f = &table->entries[count];
  f->code = code;
  f->instruction = index;
  f->key = key;
  f->lane = g->fault_lane;
  f->wave = g->current->index;
  f->address = g->fault_address;
  f->extra = g->fault_extra;
  f->group[0] = g->id[0];
  f->group[1] = g->id[1];
  f->group[2] = g->id[2];
  f->times = 1;
  f->severe = severe;
  table->count = count + 1;
  return 0;
}
