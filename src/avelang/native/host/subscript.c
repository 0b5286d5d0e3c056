/* `kernel[provider]` without Python code: a kernel and a provider come in; an object that launches when it is called goes out.

   `ave_subscript` is the subscription of a base class, `ave_bound_call` the vectorcall of what it gives. `subscript.py` makes the types. The object
   that died last is kept for the next subscription, as most live for one call. */

#define ARGUMENTS_OFFSET (1ull << 63) /* PY_VECTORCALL_ARGUMENTS_OFFSET: args[-1] may be written */

typedef int Visit(Object *, void *);

Subscript ave_subscripts;

/* What somebody else holds too may stand in a cycle, and the collector must see it; what is called as it is made is spared that. */
static void track(BoundKernel *self) {
  if ((i32)self->count != 1 && !PyObject_GC_IsTracked(self)) PyObject_GC_Track(self);
}

Object *ave_bound_call(BoundKernel *self, Object **args, u64 flags, Object *names) {
  track(self);
  State *state = ((Builtin *)self->builtin)->method->state;
  return launch(state, self->provider, args, (i64)(flags & ~ARGUMENTS_OFFSET), names);
}

BoundKernel *ave_subscript(Object *self, Object *provider) {
  Object *builtin = *(Object **)((i8 *)self + ave_subscripts.offset);
  if (!builtin) {
    PyErr_BadArgument();
    return 0;
  }
  Py_IncRef(builtin);
  BoundKernel *bound = ave_subscripts.free;
  if (bound) {
    /* It has its type still. */
    ave_subscripts.free = 0;
    bound->count = 1;
  } else {
    bound = _PyObject_GC_New(ave_subscripts.type);
    if (!bound) {
      Py_DecRef(builtin);
      return 0;
    }
  }
  bound->call = ave_bound_call;
  bound->builtin = builtin;
  Py_IncRef(provider);
  bound->provider = provider;
  return bound;
}

int ave_bound_traverse(BoundKernel *self, Visit *visit, void *arg) {
  int stop = visit(self->type, arg);
  if (!stop) stop = visit(self->builtin, arg);
  if (!stop) stop = visit(self->provider, arg);
  return stop;
}

void ave_bound_dealloc(BoundKernel *self) {
  PyObject_GC_UnTrack(self);
  void *type = self->type;
  Object *builtin = self->builtin, *provider = self->provider;
  Py_DecRef(provider);
  Py_DecRef(builtin);
  if (!ave_subscripts.free) {
    ave_subscripts.free = self;
    return;
  }
  PyObject_GC_Del(self);
  Py_DecRef(type);
}
