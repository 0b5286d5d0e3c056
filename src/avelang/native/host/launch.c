/* The launch path: `kernel[provider](*args)` without per-argument Python. `stub.py` fills the tables that it reads.

   `ave_launch` is a builtin function (METH_FASTCALL | METH_KEYWORDS). It evaluates the provider, compares the captured globals and the arguments with each
   specialization that ran before (a `CallEntry`), and runs the kernel with the interpreter's lock released. Whatever is unusual goes to the slow path in
   Python. A builtin has no Python frame: the traceback of an AveError shows the user's frames alone. */

#define MOST_YZ 65535 /* blocks along y and z (geometry.py); more is an error, which Python words */

typedef int CurrentStream(u32 type, u32 index, u64 *stream);

/* A call as it came: arguments, keywords last. */
typedef struct Call {
  Object **args;
  i64 positional;
  i64 keyword;
  Object *names;
} Call;

typedef struct Geometry {
  u64 grid[3];
  u64 block[3];
  u32 blocks[3]; /* the grid, as drivers and kernels read it */
} Geometry;

/* Whether all that is watched is still the object that the kernel was compiled for. */
static bool unchanged(Context *ctx, WatchedName *watches, i64 count) {
  bool tagged = ctx->tagged != 0;
  for (WatchedName *w = watches; w < watches + count; w++) {
    void *have;
    if ((u64)w->name > WATCHED_WORD) {
      Object *home = w->home;
      u64 now = home->tag;
      if (now == w->tag && tagged) continue;
      if (PyDict_GetItemWithError(home, w->name) != w->value) return 0;
      w->tag = now;
      continue;
    }
    if (w->name) {
      have = *(void **)w->home;
    } else {
      have = PyCell_Get(w->home);
      if (have) Py_DecRef(have); /* the cell holds it too */
    }
    if (have != w->value) return 0;
  }
  return 1;
}

/* One to three exact ints of a tuple, or one by itself, the rest 1, each within 0 and 2^31 - 1. */
static bool extents(Object *t, Context *ctx, u64 *out) {
  i64 size = t->size;
  out[1] = out[2] = 1;
  if (t->type != ctx->tuple_) return is_signed(t, ctx, 0, 0x7FFFFFFF, out);
  if (size < 1 || size > 3) return 0;
  for (i64 i = 0; i < size; i++)
    if (!is_signed(item_of(t, ctx, i), ctx, 0, 0x7FFFFFFF, &out[i])) return 0;
  return 1;
}

/* Grid and block of what the provider gave. */
INLINE bool geometry_of(Object *given, Context *ctx, Geometry *g) {
  if (given->type != ctx->tuple_ || given->size != 2) return 0;
  if (!extents(item_of(given, ctx, 0), ctx, g->grid) || !extents(item_of(given, ctx, 1), ctx, g->block)) return 0;
  if ((g->grid[1] | g->grid[2]) > MOST_YZ) return 0;
  g->blocks[0] = (u32)g->grid[0];
  g->blocks[1] = (u32)g->grid[1];
  g->blocks[2] = (u32)g->grid[2];
  return 1;
}

/* Whether the entry is for this call: shape of the call, block, environment, globals, every argument. Fills the slots. */
static bool match(CallEntry *entry, Context *ctx, Call *call, const u64 *block, u64 *slots) {
  if (entry->positional != call->positional || entry->keyword != call->keyword) return 0;
  const i64 *want = entry->block;
  if ((want[0] ^ block[0]) | (want[1] ^ block[1]) | (want[2] ^ block[2])) return 0;
  if (!unchanged(ctx, entry->watches, entry->watched)) return 0;
  for (i64 i = 0; i < call->keyword; i++)
    if (!same(item_of(call->names, ctx, i), entry->names[i], ctx)) return 0;
  if (entry->template) __builtin_memcpy(slots, entry->template, entry->slots * sizeof *slots);
  i64 count = call->positional + call->keyword;
  ParamCheck *params = entry->params;
  Object **args = call->args;
  for (i64 i = 0; i < count; i++)
    if (!argument(args[i], ctx, &params[i], slots)) return 0;
  return 1;
}

/* Takes Ave's own frames off the traceback of an AveError that is being raised. */
static void strip(Context *ctx) {
  if (ctx->keep_traceback) return;
  Object *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (PyErr_GivenExceptionMatches(type, ctx->ave_error)) {
    if (traceback) Py_DecRef(traceback);
    traceback = 0;
    PyException_SetTraceback(value, ctx->none);
  }
  PyErr_Restore(type, value, traceback);
}

/* Python: a function is called with the geometry in place of its provider, which must not run twice, and with a status before it (null: none). */
static Object *python(Object *function, Context *ctx, Object *status, Object *geometry, Call *call) {
  i64 count = call->positional + call->keyword, first = status ? 2 : 1;
  Object **space = __builtin_alloca((first + count) * sizeof *space);
  space[0] = status;
  space[first - 1] = geometry;
  for (i64 i = 0; i < count; i++) space[first + i] = call->args[i];
  Object *result = PyObject_Vectorcall(function, space, call->positional + first, call->names);
  if (!result) strip(ctx);
  return result;
}

/* Whether the driver may be asked to launch: not too many blocks along x, and a stream is known, which goes to the last slot. */
static bool launchable(CallEntry *entry, Gpu *gpu, u64 gx, u64 *slots) {
  if ((i64)gx > gpu->most_x) return 0;
  if (!entry->stream) return 1;
  if (!((CurrentStream *)entry->stream)((u32)entry->device, (u32)(entry->device >> 32), &slots[gpu->params])) return 1;
  PyErr_Clear();
  return 0;
}

/* What the provider gives, or itself where it cannot be called, or wants arguments: Python names that. A new reference, or null with an error set. */
INLINE Object *asked(Object *provider) {
  if (PyCallable_Check(provider)) {
    Object *answer = PyObject_CallNoArgs(provider);
    if (answer) return answer;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return 0;
    PyErr_Clear();
  }
  Py_IncRef(provider);
  return provider;
}

INLINE Object *none_of(Context *ctx) {
  Py_IncRef(ctx->none);
  return ctx->none;
}

/* The driver's launch; takes over the reference of `geometry`. */
INLINE Object *run_on_gpu(Context *ctx, CallEntry *entry, Gpu *gpu, u64 *slots, u32 *blocks, Object *geometry, Call *call) {
  Object *tell = entry->failed; /* another thread may drop the entry while this one waits in the driver */
  Py_IncRef(tell);
  void *thread = PyEval_SaveThread();
  u64 status = ave_launch_gpu(gpu, slots, blocks);
  PyEval_RestoreThread(thread);
  if (!status) {
    Py_DecRef(tell);
    Py_DecRef(geometry);
    return none_of(ctx);
  }
  Object *why = PyLong_FromLongLong((i64)status);
  Object *told = python(tell, ctx, why, geometry, call);
  Py_DecRef(why);
  Py_DecRef(tell);
  Py_DecRef(geometry);
  return told;
}

INLINE Object *run_on_cpu(Context *ctx, CallEntry *entry, u64 *slots, u32 *blocks) {
  CpuKernel *kernel = entry->kernel; /* another thread may drop the entry while this one has no lock; kernels stay */
  void *thread = PyEval_SaveThread();
  i64 status = ave_run_grid(ctx->pool, kernel, slots, blocks, thread);
  PyEval_RestoreThread(thread);
  if (!status) return none_of(ctx);
  if (PyErr_Occurred()) return 0; /* a handler of a signal has raised while the blocks ran */
  Object *code = PyLong_FromLongLong(status);
  PyObject_CallFunctionObjArgs(ctx->fail, code, (Object *)0);
  Py_DecRef(code);
  strip(ctx);
  return 0;
}

/* The entry for this call, whose slots are filled, or null. */
INLINE CallEntry *entry_of(State *state, Context *ctx, Call *call, Geometry *g, u64 *slots) {
  for (i64 i = 0; i < state->count; i++) {
    CallEntry *entry = state->entries[i];
    if (!match(entry, ctx, call, g->block, slots)) continue;
    return !entry->expects || kept(entry->expects, slots, g->blocks) ? entry : 0;
  }
  return 0;
}

/* Tells a dry run of a launch: which kernel, the entry for it (0: none), its slots and blocks, and the arguments. */
static Object *told(State *state, CallEntry *entry, u64 *slots, u32 *blocks, Call *call) {
  i64 count = call->positional + call->keyword;
  Object **space = __builtin_alloca((4 + count) * sizeof *space);
  space[0] = state->slow;
  space[1] = PyLong_FromLongLong((i64)entry);
  space[2] = PyLong_FromLongLong((i64)slots);
  space[3] = PyLong_FromLongLong((i64)blocks);
  for (i64 i = 0; i < count; i++) space[4 + i] = call->args[i];
  Object *result = PyObject_Vectorcall(ave_dry.hook, space, 4 + call->positional, call->names);
  for (i64 i = 1; i < 4; i++) Py_DecRef(space[i]);
  return result;
}

/* A launch: what the builtin does, and what `kernel[provider]` does when it is called (subscript.c). */
static Object *launch(State *state, Object *provider, Object **args, i64 positional, Object *names) {
  _Alignas(64) Room room;
  Geometry g;
  Context *ctx = state->context;
  Call call = {args, positional, names ? names->size : 0, names};
  Object *geometry = asked(provider);
  if (!geometry) return 0;
  CallEntry *entry = geometry_of(geometry, ctx, &g) ? entry_of(state, ctx, &call, &g, room.slots) : 0;
  if (dry()) {
    Py_DecRef(geometry);
    bool runs = entry && (!entry->gpu || launchable(entry, entry->gpu, g.grid[0], room.slots));
    return told(state, runs ? entry : 0, room.slots, g.blocks, &call);
  }
  if (entry) {
    changed(ctx, entry, args, call.positional + call.keyword);
    Gpu *gpu = entry->gpu;
    if (!gpu) {
      Py_DecRef(geometry);
      state->last = entry;
      return run_on_cpu(ctx, entry, room.slots, g.blocks);
    }
    if (launchable(entry, gpu, g.grid[0], room.slots)) {
      state->last = entry;
      return run_on_gpu(ctx, entry, gpu, room.slots, g.blocks, geometry, &call);
    }
  }
  Object *result = python(state->slow, ctx, 0, geometry, &call);
  Py_DecRef(geometry);
  return result;
}

/* The builtin: `self` is a tuple, the address of `State` and what must live as long; args[0] is the provider. */
Object *ave_launch(Object *self, Object **args, i64 count, Object *names) {
  return launch(PyLong_AsVoidPtr(PyTuple_GetItem(self, 0)), args[0], args + 1, count - 1, names);
}
