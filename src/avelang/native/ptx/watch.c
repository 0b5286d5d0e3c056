/* What watched code does besides its work: it writes down who accessed which memory, for `watch` to read when the warp has stopped. */

typedef u64 V64 __attribute__((ext_vector_type(LANES), aligned(64)));

/* The next record of a log, or null where it has so many. */
INLINE LogRecord *record(CtaRecord *g, u64 most) {
  Log *log = g->log;
  return log->count < most ? &log->records[log->count++] : 0;
}

/* These lanes do something, with the addresses that stand in the warp. */
OUT_OF_LINE void ave_note(WarpState *w, CtaRecord *g, u32 mask, i32 instr, i32 kind, i32 size) {
  w->at = instr;
  LogRecord *r = mask ? record(g, CAPACITY) : 0;
  if (!r) return;
  r->instr = instr;
  r->kind = kind;
  r->mask = mask;
  r->size = size;
  *(V64 *)r->address = *(V64 *)w->address;
}

/* These lanes run from here on. */
OUT_OF_LINE void ave_enter(WarpState *w, CtaRecord *g, u32 active) {
  if (w->seen == active) return;
  w->seen = active;
  ave_note(w, g, active, -1, ENTER, 0);
}

/* A fault of a lane, behind which the code goes on: gives a place to read zeros from and to write to. */
OUT_OF_LINE void *ave_blame(WarpState *w, CtaRecord *g, u64 lane, u64 address, u64 size, i32 code) {
  LogRecord *r = record(g, CAPACITY + SPARE);
  if (r) {
    r->instr = (i32)w->at;
    r->kind = BLAME;
    r->mask = 1u << lane;
    r->size = (i32)size;
    r->code = code;
    r->address[0] = address;
  }
  Log *log = g->log;
  __builtin_memset(log->sink, 0, 128);
  return log->sink;
}
