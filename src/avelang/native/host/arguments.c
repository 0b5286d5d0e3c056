/* Arguments of a call, one by one: a Python object and a `ParamCheck` come in, a slot is filled. What is unusual (another dtype, a subclass, a number out of
   range) is no match, and goes to the slow path in Python, which knows every case and every error. So nothing is decided here: what the slow path
   has accepted before is recognized. */

typedef int Read(Object *, DLTensor *);
/* They give a bool of C++, of which one byte is defined. */
typedef u32 Requires(void *impl);
typedef u32 Enabled(void);

/* Which thread's launches are not run but told of: a dry run (repeats.py). */
Dry ave_dry;

INLINE bool dry(void) { return ave_dry.hook && ave_dry.thread == pthread_self(); }

INLINE Object *item_of(Object *tuple, Context *ctx, i64 i) { return ((Object **)((i8 *)tuple + ctx->items))[i]; }

/* Whether an exact int is from 1 to 2^30 - 1, as read from the object itself; `*out` has the value. */
INLINE bool small(Object *o, Context *ctx, u64 *out) {
  *out = o->digit;
  return o->size == ctx->digit;
}

/* The value of an exact Python int between `low` and `high`; 0 (and no error set) for anything else. */
static bool is_signed(Object *o, Context *ctx, i64 low, i64 high, u64 *out) {
  if (o->type != ctx->int_) return 0;
  if (small(o, ctx, out)) return (i64)*out >= low && (i64)*out <= high;
  i64 value = PyLong_AsLongLong(o);
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return 0;
  }
  if (value < low || value > high) return 0;
  *out = value;
  return 1;
}

/* The same for values up to 2^64 - 1. */
static bool is_unsigned(Object *o, Context *ctx, u64 high, u64 *out) {
  if (o->type != ctx->int_) return 0;
  if (small(o, ctx, out)) return *out <= high;
  u64 value = PyLong_AsUnsignedLongLong(o);
  if (value == (u64)-1 && PyErr_Occurred()) {
    PyErr_Clear();
    return 0;
  }
  if (value > high) return 0;
  *out = value;
  return 1;
}

/* An exact float as the bits of an f64. */
static bool is_double(Object *o, Context *ctx, u64 *out) {
  if (o->type != ctx->float_) return 0;
  *(f64 *)out = PyFloat_AsDouble(o);
  return 1;
}

/* As the bits of an f32; not for a finite number that f32 cannot hold. */
static bool is_single(Object *o, Context *ctx, u64 *out) {
  if (o->type != ctx->float_) return 0;
  f64 value = PyFloat_AsDouble(o);
  float narrow = (float)value;
  if (__builtin_fabsf(narrow) == __builtin_inff() && __builtin_fabs(value) < __builtin_inf()) return 0;
  u32 bits;
  __builtin_memcpy(&bits, &narrow, sizeof bits);
  *out = bits;
  return 1;
}

static u64 bits_of(Object *o) {
  f64 value = PyFloat_AsDouble(o);
  u64 bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The same object, or of the same type and equal, bit by bit: int, str, float, and tuples of these.
   (Equal is not the same across types: 1 == True == 1.0; nor for 0.0 and -0.0.) */
static bool same(Object *a, Object *b, Context *ctx) {
  if (a == b) return 1;
  if (a->type != b->type) return 0;
  if (a->type == ctx->int_ || a->type == ctx->str_) return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
  if (a->type == ctx->float_) return bits_of(a) == bits_of(b);
  if (a->type != ctx->tuple_ || a->size != b->size) return 0;
  for (i64 i = 0; i < a->size; i++)
    if (!same(item_of(a, ctx, i), item_of(b, ctx, i), ctx)) return 0;
  return 1;
}

/* -- arrays --------------------------------------------------------------------------------------------------------------------------------- */

/* Extents and strides as expected; unless `strict`, a stride counts only where the extent is over 1. */
INLINE bool same_layout(const i64 *want, const i64 *want_strides, u64 rank, const i64 *shape, const i64 *strides, i64 unit) {
  for (u64 i = rank; i-- > 0;) {
    if (shape[i] != want[i]) return 0;
    if (strides[i] != want_strides[i] * unit && shape[i] != 1) return 0;
  }
  return 1;
}

/* Any extents in row-major order without gaps; unless `strict`, a stride counts only where the extent is over 1. */
INLINE bool dense(bool strict, u64 rank, const i64 *shape, const i64 *strides, i64 unit) {
  for (u64 i = rank; i-- > 0;) {
    if (strides[i] != unit && (strict || shape[i] != 1)) return 0;
    unit *= shape[i];
  }
  return 1;
}

/* An array whose strides are in units of `unit` bytes against a POINTER or TENSOR. */
static bool fits(bool strict, ParamCheck *param, u64 rank, const i64 *shape, const i64 *strides, i64 unit) {
  if (param->rank == -1) return dense(strict, rank, shape, strides, unit);
  if ((u64)param->rank != rank) return 0;
  return same_layout(param->shape, param->strides, rank, shape, strides, unit);
}

/* A tensor map's array: the slot gets the address of the value that the table has for it. */
static bool mapped(ParamCheck *param, u64 address, u64 rank, const i64 *shape, const i64 *strides, i64 unit, u64 *out) {
  if ((u64)param->rank != rank) return 0;
  Wide *wide = (Wide *)((i8 *)out + (i64)param->strides);
  if (!described(param->shape, address, rank, shape, strides, unit, wide) && !dry()) return 0;
  *out = (u64)wide;
  return 1;
}

/* One of NumPy. The flags that `low` asks for: aligned, and writeable where the kernel writes. */
static bool is_numpy(Array *a, ParamCheck *param, u64 *out) {
  u64 i = 0;
  while (param->descriptors[i] != a->descriptor)
    if (++i == ALTERNATIVES) return 0;
  i32 flags = (i32)param->low;
  if ((a->flags & flags) != flags) return 0;
  u64 rank = (u32)a->rank;
  if (param->kind == MAP) return mapped(param, a->data, rank, a->shape, a->strides, 1, out);
  if (!fits(0, param, rank, a->shape, a->strides, param->item)) return 0;
  *out = a->data;
  return 1;
}

/* An array of the right type and device, strides in elements, against its `ParamCheck`. Unless it is known to be `plain`, only those with all the strides of a
   row-major one are taken here, and for maps those whose last stride is 1: a lazily negated view of torch (x.conj().imag) has a rank of 0 or a stride of
   2 even where its extent is 1, and Python must see it. */
static bool strided(bool plain, ParamCheck *param, u64 address, u64 rank, const i64 *shape, const i64 *strides, u64 *out) {
  if (!rank || address & (param->high - 1)) return 0;
  if (param->kind == MAP) return mapped(param, address, rank, shape, strides, param->item, out);
  if (!plain && !dense(1, rank, shape, strides, 1)) return 0;
  if ((plain || param->rank != -1) && !fits(0, param, rank, shape, strides, 1)) return 0;
  *out = address;
  return 1;
}

/* Whether memory is there for such extents: none is below zero, and where none is zero, there is an address. */
static bool sound(u64 address, i64 rank, const i64 *shape) {
  bool empty = 0;
  for (i64 i = 0; i < rank; i++) {
    if (shape[i] < 0) return 0;
    empty |= shape[i] == 0;
  }
  return address || empty;
}

static bool is_dlpack(Read *read, Object *o, ParamCheck *param, u64 *out) {
  DLTensor t;
  if (read(o, &t)) {
    PyErr_Clear();
    return 0;
  }
  if (t.device != (u64)param->device) return 0;
  u64 i = 0;
  while (param->dtypes[i] != t.dtype)
    if (++i == ALTERNATIVES) return 0;
  u64 address = t.data + t.offset, rank = (u32)t.rank;
  return t.strides && sound(address, rank, t.shape) && strided(0, param, address, rank, t.shape, t.strides, out);
}

/* -- tensors of torch ----------------------------------------------------------------------------------------------------------------------- */

/* A field of a kind that `Fields` has, of an object. */
#define FIELD(type, object, name) (*(type *)((i8 *)(object) + ctx->fields.name))
#define DTYPE 0xFFFFFFFFFFull /* bits of `meta`: the dtype and the device */

/* A tensor of the type that the `Likeness` has: the storage of one that is like it, else null. Dispatch keys tell a plain dense tensor from every lazy or
   wrapped one; the function that frees, memory of its own from what copies when it is written. torch gives none without elements an address. */
INLINE void *alike(void *impl, Context *ctx, Likeness *like) {
  u64 table = *(u64 *)impl ^ (u64)like->table, keys = FIELD(u64, impl, keys) ^ like->keys, meta = (FIELD(u64, impl, meta) & DTYPE) ^ like->meta;
  if (table | keys | meta) return 0;
  void *storage = FIELD(void *, impl, storage);
  if (!FIELD(i64, impl, numel) | (FIELD(u64, impl, rank) > MOST_INLINE) | !storage) return 0;
  return FIELD(void *, storage, deleter) == like->deleter || dry() ? storage : 0; /* in a dry run nobody frees */
}

/* Whether elements lie within a storage, which may have been made smaller under its tensors. All extents are 1 at least. */
static bool held(void *impl, void *storage, Context *ctx, i64 item) {
  const i64 *shape = &FIELD(i64, impl, sizes), *strides = shape + MOST_INLINE;
  i64 rank = FIELD(i64, impl, rank), elements = FIELD(i64, impl, offset) + 1;
  for (i64 i = 0; i < rank; i++) elements += (shape[i] - 1) * strides[i];
  return (u64)(elements * item) <= FIELD(u64, storage, bytes);
}

/* One that is like the one accepted. */
static bool is_tensor(void *impl, void *storage, Context *ctx, ParamCheck *param, u64 *out) {
  if (!held(impl, storage, ctx, param->item)) return 0;
  const i64 *shape = &FIELD(i64, impl, sizes);
  u64 address = FIELD(u64, storage, data) + FIELD(i64, impl, offset) * param->item;
  return strided(1, param, address, FIELD(u64, impl, rank), shape, shape + MOST_INLINE, out);
}

/* Whether a gradient would be lost by a tensor's going to a kernel: the slow path refuses it then. */
static bool graded(void *impl, Context *ctx) {
  return ((Requires *)ctx->fields.requires)(impl) & 1 && ((Enabled *)ctx->fields.enabled)() & 1;
}

/* Whether torch's own function may be asked of a tensor. It says nothing of a storage that has not all elements any more; the numbers of more dimensions
   than five stand elsewhere. */
static bool askable(Object *o, Context *ctx, ParamCheck *param) {
  void *impl = FIELD(void *, o, impl), *storage;
  if (graded(impl, ctx)) return 0;
  storage = FIELD(void *, impl, storage);
  return !storage || !FIELD(i64, impl, numel) || FIELD(u64, impl, rank) > MOST_INLINE || held(impl, storage, ctx, param->item);
}

INLINE Exchange *exchange_of(Object *o, Context *ctx) {
  for (u64 i = 0; i < (u64)ctx->count; i++)
    if (ctx->exchanges[i].type == o->type) return &ctx->exchanges[i];
  return 0;
}

static bool is_array(Object *o, Context *ctx, ParamCheck *param, u64 *out) {
  if (o->type == ctx->ndarray) return is_numpy((Array *)o, param, out);
  if (o->type == param->like.type) {
    void *impl = FIELD(void *, o, impl), *storage = alike(impl, ctx, &param->like);
    if (storage) return !graded(impl, ctx) && is_tensor(impl, storage, ctx, param, out);
    /* torch's function says nothing of laziness. */
    if (FIELD(u64, impl, keys) & ctx->fields.lazy) return 0;
  }
  Exchange *exchange = exchange_of(o, ctx);
  return exchange && askable(o, ctx, param) && is_dlpack(exchange->function, o, param, out);
}

/* Tells torch that the tensors which a kernel writes have changed: autograd finds by it what it had saved of them. Inference tensors have no counter. */
static void changed(Context *ctx, CallEntry *entry, Object **args, i64 count) {
  for (i64 i = 0; i < count; i++) {
    ParamCheck *param = &entry->params[i];
    if ((u64)param->kind < POINTER || !(param->low & WRITEABLE) || !exchange_of(args[i], ctx)) continue;
    void *counter = FIELD(void *, FIELD(void *, args[i], impl), counter);
    if (counter) __atomic_fetch_add(&FIELD(i32, counter, version), 1, __ATOMIC_RELAXED);
  }
}

/* One argument against its `ParamCheck`; its slot is filled. */
static bool argument(Object *o, Context *ctx, ParamCheck *param, u64 *slots) {
  u64 *out = &slots[param->slot];
  switch (param->kind) {
    case CONSTANT: return same(o, (Object *)param->low, ctx);
    case SIGNED: return is_signed(o, ctx, param->low, (i64)param->high, out);
    case UNSIGNED: return is_unsigned(o, ctx, param->high, out);
    case DOUBLE: return is_double(o, ctx, out);
    case SINGLE: return is_single(o, ctx, out);
    case FLAG: *out = o == ctx->true_; return o == ctx->true_ || o == ctx->false_;
    case POINTER:
    case TENSOR:
    case MAP: return is_array(o, ctx, param, out);
    default: return 0;
  }
}
