/* Calls of an operation like one before, without Python: tensors of torch and constants come in; memory for the results is asked of torch, kernels are
   launched, and the results go out. `repeats.py` fills the tables, of what a dry run of the Python function has launched.

   The key of a call is all that the Python function may look at: of each tensor the type, dtype, device, extents, strides and the last bits of the address, of
   each constant its value, the names of keywords, and words of the process (`Repeats.watched`). A call with something that has no key, a gradient that is wanted, or
   somebody who watches torch (`Repeats.checks`) gives None; a key that is not known is given as bytes; what the caller does then is Python's. */

enum { A_TENSOR = 1, AN_OBJECT, AN_INT, A_FLOAT, A_TUPLE, A_KEYWORD }; /* first words of what a key is of */

typedef u64 Asked(u64);

/* A key that is being made, and the addresses of the tensors in it. */
typedef struct Walk {
  Repeats *repeats;
  Context *ctx;
  i64 words;
  i64 tensors;
  bool recording;
  u64 hash;
  u64 key[KEY_WORDS];
  u64 bases[BASES];
} Walk;

static bool put(Walk *w, u64 word) {
  if (w->words == KEY_WORDS) return 0;
  w->key[w->words++] = word;
  w->hash = mixed(w->hash, word);
  return 1;
}

static bool put_tensor(Walk *w, Object *o) {
  Context *ctx = w->ctx;
  void *impl = FIELD(void *, o, impl), *storage = FIELD(void *, impl, storage);
  u64 meta = FIELD(u64, impl, meta) & DTYPE, rank = FIELD(u64, impl, rank);
  i64 item = (meta & 0xFFFF) < ITEMS ? w->repeats->items[meta & 0xFFFF] : 0;
  if (!storage || !item || rank > MOST_INLINE || !FIELD(i64, impl, numel) || w->tensors == BASES) return 0;
  if (!held(impl, storage, ctx, item)) return 0;
  if (w->recording && ((Requires *)ctx->fields.requires)(impl) & 1) return 0;
  u64 address = FIELD(u64, storage, data) + FIELD(i64, impl, offset) * item;
  if (w->words + 6 + 2 * rank > KEY_WORDS) return 0;
  put(w, A_TENSOR | rank << 8 | (address & LOW) << 16);
  put(w, (u64)o->type);
  put(w, *(u64 *)impl);
  put(w, FIELD(u64, impl, keys));
  put(w, meta);
  put(w, FIELD(u64, storage, deleter));
  const i64 *sizes = &FIELD(i64, impl, sizes);
  for (u64 i = 0; i < rank; i++) {
    put(w, sizes[i]);
    put(w, sizes[MOST_INLINE + i]);
  }
  w->bases[w->tensors++] = address;
  return 1;
}

static bool put_value(Walk *w, Object *o, i64 depth) {
  Context *ctx = w->ctx;
  Repeats *r = w->repeats;
  void *type = o->type;
  if (type == r->tensor || type == r->parameter) return !depth && put_tensor(w, o);
  if (o == ctx->none || o == ctx->true_ || o == ctx->false_ || type == ctx->str_ || type == r->dtype) return put(w, AN_OBJECT) && put(w, (u64)o);
  if (type == ctx->float_) return put(w, A_FLOAT) && put(w, bits_of(o));
  if (type == ctx->int_) {
    u64 value;
    return is_signed(o, ctx, -1ll << 62, 1ll << 62, &value) && put(w, AN_INT) && put(w, value);
  }
  if (type != ctx->tuple_ || depth > 2) return 0;
  if (!put(w, A_TUPLE) || !put(w, o->size)) return 0;
  for (i64 i = 0; i < o->size; i++)
    if (!put_value(w, item_of(o, ctx, i), depth + 1)) return 0;
  return 1;
}

/* For a question (`Repeats.checks`): the word at the address that a function gives. */
u64 ave_word_at(u64 function) { return *(u64 *)((Asked *)function)(0); }

/* Whether nobody watches torch: no mode, no transformation, no autocast, no tangents. */
static bool quiet(Repeats *r, Context *ctx) {
  for (i64 i = 0; i < r->checking; i++) {
    Check *c = &r->checks[i];
    if ((((Asked *)c->function)(c->argument) & c->mask) != c->wanted) return 0;
  }
  return unchanged(ctx, &r->level, 1);
}

/* Whether this is the thread and the stream of launches that use memory which is kept for them, and no graph is being captured. */
static bool own_place(Repeat *e) {
  if (!e->thread) return 1;
  if (e->thread != pthread_self()) return 0;
  if (!e->stream_function) return 1;
  u64 stream;
  if (((CurrentStream *)e->stream_function)((u32)e->device, (u32)(e->device >> 32), &stream)) {
    PyErr_Clear();
    return 0;
  }
  if (stream != e->stream) return 0;
  Object *capturing = PyObject_CallNoArgs(e->capturing);
  if (!capturing) {
    PyErr_Clear();
    return 0;
  }
  Py_DecRef(capturing); /* True and False outlive it */
  return capturing == e->calm;
}

/* The entry for this key and place, or null. Its owner has a new reference: another thread may drop the entry while this one waits in the driver. */
static Repeat *repeat_of(Repeats *r, Walk *w) {
  if (!r->table) return 0;
  for (u64 i = start_of(w->hash);; i++) {
    Repeat *e = r->table[i & (u64)r->mask];
    if (!e) return 0;
    if (e->hash != w->hash || e->words != w->words) continue;
    i64 k = 0;
    while (k < e->words && e->key[k] == w->key[k]) k++;
    if (k != e->words) continue;
    Object *owner = e->owner;
    Py_IncRef(owner);
    if (own_place(e)) return e;
    Py_DecRef(owner);
  }
}

/* Whether nothing on which the launches depend has changed, but for what their slots hold. */
static bool still(Repeat *e, Context *ctx) {
  for (i64 i = 0; i < e->launches; i++) {
    CallEntry *entry = e->launch[i].entry;
    if (!unchanged(ctx, entry->watches, entry->watched)) return 0;
  }
  return 1;
}

/* Whether new memory comes from the device of the kernels: torch's function takes the thread's. */
static bool at_home(Repeat *e) {
  for (i64 i = 0; i < e->launches; i++) {
    Gpu *gpu = e->launch[i].entry->gpu;
    if (!gpu || gpu->only) continue;
    u64 had = 0;
    if (((Get *)gpu->get)(&had) || had != gpu->word) return 0;
  }
  return 1;
}

/* The slots of a launch with the addresses of this call; 0 where a tensor map is not known. */
static bool placed(RepeatLaunch *l, const u64 *bases, u64 *slots) {
  __builtin_memcpy(slots, l->slots, l->count * sizeof *slots);
  for (i64 i = 0; i < l->moving; i++) {
    Moving *m = &l->moves[i];
    u64 address = (m->base < 0 ? 0 : bases[m->base]) + m->delta;
    if (m->maps) {
      Wide *wide = (Wide *)((i8 *)&slots[m->slot] + m->wide);
      if (!described(m->maps, address, m->rank, m->shape, m->strides, m->unit, wide)) return 0;
      address = (u64)wide;
    }
    slots[m->slot] = address;
  }
  return 1;
}

/* A launch: 1 where it was taken, 0 where Python must see the call, -1 with an error set. */
static int relaunched(Context *ctx, RepeatLaunch *l, const u64 *bases) {
  _Alignas(64) Room room;
  CallEntry *entry = l->entry;
  if (!placed(l, bases, room.slots)) return 0;
  if (entry->expects && !kept(entry->expects, room.slots, l->blocks)) return 0;
  Gpu *gpu = entry->gpu;
  l->state->last = entry;
  if (!gpu) {
    Object *done = run_on_cpu(ctx, entry, room.slots, l->blocks);
    if (!done) return -1;
    Py_DecRef(done);
    return 1;
  }
  if (!launchable(entry, gpu, l->blocks[0], room.slots)) return 0;
  void *thread = PyEval_SaveThread();
  u64 status = ave_launch_gpu(gpu, room.slots, l->blocks);
  PyEval_RestoreThread(thread);
  return !status;
}

/* New memory of a result, whose address goes to `*base`. */
static Object *made_by(Context *ctx, Made *m, u64 *base) {
  Object *space[2 + MADE_ARGUMENTS];
  for (i64 i = 0; i < m->positional + m->keyword; i++) space[1 + i] = m->args[i];
  Object *x = PyObject_Vectorcall(m->function, space + 1, m->positional | ARGUMENTS_OFFSET, m->names);
  if (!x) return 0;
  void *storage = FIELD(void *, FIELD(void *, x, impl), storage);
  *base = FIELD(u64, storage, data);
  return x;
}

/* What the call gives. Takes over the references of `made`. */
static Object *given(Repeat *e, Object **made) {
  if (e->single) return made[0];
  Object *out = PyTuple_New(e->returned);
  if (!out) return 0;
  for (i64 i = 0; i < e->returned; i++) {
    Py_IncRef(made[i]);
    PyTuple_SetItem(out, i, made[i]);
  }
  return out;
}

static Object *repeated(Context *ctx, Repeat *e, u64 *bases, i64 tensors) {
  Object *made[MADES];
  i64 count = 0;
  int went = 1;
  for (; count < e->making && went == 1; count++) {
    made[count] = made_by(ctx, &e->make[count], &bases[tensors + count]);
    if (!made[count]) {
      went = -1;
      break;
    }
    if ((bases[tensors + count] ^ e->make[count].low) & e->make[count].mask) went = 0;
  }
  for (i64 i = 0; i < e->launches && went == 1; i++) went = relaunched(ctx, &e->launch[i], bases);
  Object *out = went == 1 ? given(e, made) : went ? 0 : none_of(ctx);
  for (i64 i = went == 1 && e->single && out ? 1 : 0; i < count; i++) Py_DecRef(made[i]);
  return out;
}

/* The builtin: `self` is a tuple, the address of `Repeats` and what must live as long. */
Object *ave_repeat(Object *self, Object **args, i64 count, Object *names) {
  Walk w;
  Repeats *r = PyLong_AsVoidPtr(PyTuple_GetItem(self, 0));
  Context *ctx = r->context;
  if (ave_dry.hook || !quiet(r, ctx)) return none_of(ctx);
  w.repeats = r;
  w.ctx = ctx;
  w.words = w.tensors = 0;
  w.hash = 0;
  w.recording = ((Enabled *)ctx->fields.enabled)() & 1;
  i64 keyword = names ? names->size : 0;
  put(&w, count | keyword << 32);
  for (i64 i = 0; i < r->watching; i++) put(&w, *r->watched[i]);
  for (i64 i = 0; i < count + keyword; i++) {
    if (i >= count && !(put(&w, A_KEYWORD) && put(&w, (u64)item_of(names, ctx, i - count)))) return none_of(ctx);
    if (!put_value(&w, args[i], 0)) return none_of(ctx);
  }
  if (!w.tensors) return none_of(ctx);
  Repeat *e = repeat_of(r, &w);
  if (!e) return PyBytes_FromStringAndSize((const i8 *)w.key, w.words * 8);
  Object *out, *owner = e->owner;
  bool same = e->launches && still(e, ctx);
  if (!e->launches || (same && !at_home(e))) {
    out = none_of(ctx);
  } else if (same) {
    out = repeated(ctx, e, w.bases, w.tensors);
    r->served += out && out != ctx->none;
  } else {
    e->stale = 1;
    out = PyBytes_FromStringAndSize((const i8 *)w.key, w.words * 8);
  }
  Py_DecRef(owner);
  return out;
}
