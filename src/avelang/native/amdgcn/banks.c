/* The cycles that bank conflicts cost an access to LDS. */

enum { MOST_BANKS = 64, MOST_DWORDS = 5 }; /* that a lane's access touches, at most */

/* Counts them for the instruction `index`. Phases take `size` lanes each, in an order; for each dword it is looked whether the phase has asked for that
   dword already; if not, its bank takes one turn more. */
OUT_OF_LINE void ave_banks(GroupState *g, u64 index, const u8 *order, u64 size, u32 banks, const u32 *addresses, u32 offset, u32 nbytes, u64 exec) {
  u32 seen[MOST_DWORDS * LANES], turns[MOST_BANKS];
  u64 lost = 0, busy = 0;
  for (u64 first = 0; first < LANES; first += size) {
    u32 count = 0, most = 0;
    __builtin_memset(turns, 0, sizeof turns);
    for (u64 k = first; k < first + size; k++) {
      u32 lane = order[k];
      if (!(exec >> lane & 1)) continue;
      u32 from = addresses[lane] + offset, last = (from + nbytes - 1) / 4;
      for (u32 dword = from / 4; dword <= last; dword++) {
        u32 n = 0;
        while (n < count && seen[n] != dword) n++;
        if (n < count) continue;
        seen[count++] = dword;
        u32 turn = ++turns[dword % banks];
        most = turn > most ? turn : most;
      }
    }
    lost += most ? most - 1 : 0;
    busy += most;
  }
  record(g, TRACE_LDS, g->current->index, index, busy);
  __atomic_fetch_add(&g->profile[index], lost, __ATOMIC_RELAXED);
}
