/* Calls by XLA like ones before, without Python and without its lock: a frame of XLA's comes in; the launches that the call has made the last times go to the
   driver, on this frame's memory. `bridge/xla_calls.py` fills the tables.

   The key of a call is its text, the stream, types and extents of the buffers, the last bits of their addresses, which of them are one, and the word of the
   choices. Tables change while other threads look: entries only come, and what goes is kept until nobody is `inside`. */

typedef void *Asks(void *);
typedef void *Failed(void *, i64, i64, u64, u64 *);
typedef u32 Six(u64, u64, u64, u64, u64, u64);

/* A function of XLA's by its number; null where this version has none. */
INLINE Asks *asks(XlaFrame *f, u64 number) {
  XlaApi *api = f->api;
  return api->size < (u64)((i8 *)&api->functions[number + 1] - (i8 *)api) ? 0 : (Asks *)api->functions[number];
}

/* Takes an error of XLA's away; whether there was one. */
static bool erred(XlaFrame *f, void *error) {
  XlaFailure gone = {__builtin_offsetof(XlaFailure, message), 0, error, 0};
  if (error) ((Asks *)f->api->functions[XLA_DESTROY])(&gone);
  return error != 0;
}

/* A key that is being made, and where the call's memories begin. */
typedef struct XlaKey {
  i64 words;
  u64 hash;
  u64 site;
  i64 bases;
  u64 key[XLA_WORDS];
  u64 base[XLA_BASES];
} XlaKey;

INLINE bool key_word(XlaKey *k, u64 word) {
  if (k->words == XLA_WORDS) return 0;
  k->key[k->words++] = word;
  k->hash = mixed(k->hash, word);
  return 1;
}

static bool key_buffers(XlaKey *k, XlaList *list) {
  for (i64 i = 0; i < list->count; i++) {
    XlaBuffer *b = list->items[i];
    u64 address = (u64)b->data;
    if (k->bases == XLA_BASES || b->rank > 255) return 0;
    i64 first = 0;
    while (first < k->bases && k->base[first] != address) first++;
    if (!key_word(k, (u64)(u32)b->dtype | (u64)b->rank << 32 | (address & LOW) << 40 | (u64)first << 48)) return 0;
    for (i64 d = 0; d < b->rank; d++)
      if (!key_word(k, b->dims[d])) return 0;
    k->base[k->bases++] = address;
  }
  return 1;
}

/* Whether a call has a key: not one whose first attribute is no text, or for which XLA has no stream to give. */
__attribute__((noinline)) static bool key_of(XlaCalls *x, XlaFrame *f, XlaKey *k) {
  k->words = k->bases = 0;
  k->hash = 0;
  if (!f->attributes.count || f->attributes.types[0] == XLA_SCALAR) return 0;
  XlaAsk ask = {sizeof ask, 0, f->context, 0};
  if (erred(f, asks(f, XLA_STREAM)(&ask))) return 0;
  XlaSpan *span = f->attributes.items[0];
  k->site = (u64)span->text;
  if (!key_word(k, ask.answer) || !key_word(k, LOAD(x->choices, RELAXED)) || !key_word(k, span->length)) return 0;
  for (u64 at = 0; at < span->length; at += 8) {
    u64 word = 0, left = span->length - at;
    __builtin_memcpy(&word, (i8 *)span->text + at, left < 8 ? left : 8);
    if (!key_word(k, word)) return 0;
  }
  return key_word(k, f->arguments.count) && key_buffers(k, &f->arguments) && key_buffers(k, &f->results);
}

/* For Python: the words of a frame's key, how many there are (0: it has none), and where its text stands. */
i64 ave_xla_key(XlaCalls *x, XlaFrame *f, u64 *found, u64 *site) {
  XlaKey k;
  if (!key_of(x, f, &k)) return 0;
  __builtin_memcpy(found, k.key, k.words * 8);
  *site = k.site;
  return k.words;
}

static XlaCall *known_call(XlaCalls *x, XlaKey *k) {
  XlaTable *table = LOAD(&x->table, SEQ_CST);
  if (!table) return 0;
  for (u64 i = start_of(k->hash);; i++) {
    XlaCall *c = LOAD(&table->calls[i & (u64)table->mask], ACQUIRE);
    if (!c) return 0;
    if (c->hash != k->hash || c->words != k->words || (c->site && c->site != k->site)) continue;
    i64 w = 0;
    while (w < c->words && c->key[w] == k->key[w]) w++;
    if (w == c->words) return c;
  }
}

/* For Python: puts a call into a table that has room. */
void ave_xla_put(XlaTable *table, XlaCall *c) {
  c->hash = 0;
  for (i64 w = 0; w < c->words; w++) c->hash = mixed(c->hash, c->key[w]);
  u64 i = start_of(c->hash);
  while (table->calls[i & (u64)table->mask]) i++;
  STORE(&table->calls[i & (u64)table->mask], c, RELEASE);
}

/* For Python: takes another table (null: leaves the one that is there); returns whether nobody looks at one that was there before. */
i64 ave_xla_turn(XlaCalls *x, XlaTable *table) {
  if (table) STORE(&x->table, table, SEQ_CST);
  return !LOAD(&x->inside, SEQ_CST);
}

static void lock_maps(XlaCalls *x) {
  while (__atomic_exchange_n(&x->lock, 1, __ATOMIC_ACQUIRE)) sched_yield();
}

/* For Python: as `ave_map_keep`. */
void ave_xla_keep(XlaCalls *x, Maps *maps, const i64 *key, u64 rank, const void *value) {
  lock_maps(x);
  ave_map_keep(maps, key, rank, value);
  STORE(&x->lock, 0, RELEASE);
}

/* The slots of all steps, one behind the other in `rooms`; 0 where a tensor map is not known. */
static bool placed_all(XlaCalls *x, XlaCall *c, const u64 *bases, Room *rooms) {
  bool all = 1;
  lock_maps(x);
  for (i64 i = 0; i < c->steps && all; i++) all = placed(&c->launch[i], bases, rooms[i].slots);
  STORE(&x->lock, 0, RELEASE);
  return all;
}

/* Whether launches of this rank may be made now, and somebody will look whether they end. */
static bool joined(XlaMember *m) {
  if (!m) return 1;
  if (LOAD(m->who, RELAXED) || LOAD(&m->failed, RELAXED)) return 0;
  __atomic_fetch_add(&m->touched, 1, __ATOMIC_SEQ_CST);
  return LOAD(&m->looking, SEQ_CST) != 0;
}

/* For Python: says whether somebody looks at a rank's launches; returns how many there were. */
i64 ave_xla_look(XlaMember *m, i64 looking) {
  STORE(&m->looking, looking, SEQ_CST);
  return LOAD(&m->touched, SEQ_CST);
}

static u64 step_taken(XlaStep *s, u64 *slots, const u32 *blocks) {
  if (s->gpu) return ave_launch_gpu(s->gpu, slots, blocks);
  return ((Six *)s->function)(slots[0], slots[1], slots[2], slots[3], slots[4], slots[5]);
}

/* The steps, in order; `*step` is the one whose status this is. */
static u64 taken(XlaCall *c, Room *rooms, i64 *step) {
  u64 had = 0, status = 0;
  bool away = 0;
  *step = 0;
  if (c->home) {
    if ((status = ((Get *)c->home->get)(&had))) return status | BY_GETTER;
    away = had != c->home->word;
    if (away && (status = ((Set *)c->home->set)(c->home->word))) return status | BY_SETTER;
  }
  for (i64 i = 0; i < c->steps && !status; i++) status = step_taken(&c->step[*step = i], rooms[i].slots, c->launch[i].blocks);
  if (away) ((Set *)c->home->set)(had);
  return status;
}

/* Whether all that users' kernels read is what it was. */
static bool as_it_was(XlaCall *c) {
  if (!c->watched) return 1;
  int state = PyGILState_Ensure();
  bool same = unchanged(c->context, c->watches, c->watched);
  PyErr_Clear();
  PyGILState_Release(state);
  return same;
}

/* Makes the call; 0 where nothing was done and Python must see it. */
static bool made_again(XlaCalls *x, XlaFrame *f, XlaCall *c, XlaKey *k, void **error) {
  XlaTake take = {sizeof take, 0, f->context, c->room + LOW + 1 - XLA_UNIT, XLA_UNIT, 0};
  *error = 0;
  if (k->bases + c->making > XLA_BASES || !as_it_was(c) || !joined(c->member)) return 0;
  if (c->room) {
    if (!asks(f, XLA_TAKE) || erred(f, asks(f, XLA_TAKE)(&take))) return 0;
    u64 first = ((u64)take.data + LOW) & ~(u64)LOW;
    for (i64 i = 0; i < c->making; i++) k->base[k->bases + i] = first + c->starts[i];
  }
  Room *rooms = (Room *)(((u64)__builtin_alloca((c->steps + 1) * sizeof *rooms) + 63) & -64ull);
  bool went = placed_all(x, c, k->base, rooms);
  if (went) {
    i64 step;
    u64 status = taken(c, rooms, &step);
    if (status) *error = ((Failed *)x->failed)(f, c->number, step, status, k->base);
    __atomic_fetch_add(&x->served, 1, __ATOMIC_RELAXED);
  }
  if (c->room) {
    XlaGive give = {sizeof give, 0, f->context, take.bytes, take.data};
    erred(f, asks(f, XLA_GIVE)(&give));
  }
  return went;
}

static bool asked_for_checks(void) {
  const i8 *said = getenv((const i8 *)"AVE_CHECK");
  return said && *said;
}

__attribute__((noinline)) static void *served(XlaCalls *x, XlaFrame *f) {
  XlaKey k;
  void *error = 0;
  bool went = 0;
  if (!f->extension && !LOAD(x->waiting, RELAXED) && !asked_for_checks() && key_of(x, f, &k)) {
    __atomic_fetch_add(&x->inside, 1, __ATOMIC_SEQ_CST);
    XlaCall *c = known_call(x, &k);
    went = c && made_again(x, f, c, &k, &error);
    __atomic_fetch_sub(&x->inside, 1, __ATOMIC_SEQ_CST);
  }
  return went ? error : ((Asks *)x->slow)(f);
}

/* Of each driver its calls, and the function that XLA's programs call. */
XlaCalls ave_xla_cuda, ave_xla_rocm;

void *ave_xla_on_cuda(XlaFrame *f) { return served(&ave_xla_cuda, f); }
void *ave_xla_on_rocm(XlaFrame *f) { return served(&ave_xla_rocm, f); }
