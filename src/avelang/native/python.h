/* What native code uses of CPython and of the C library, declared here so that no header of either is needed. The host code is loaded into the
   interpreter's process, where all of it is found by name. The heads of objects are those of CPython 3.11 to 3.14 with 64-bit words and the
   interpreter's lock (Include/object.h, cpython/tupleobject.h, cpython/longintrepr.h, cpython/dictobject.h): `stub.py` looks at objects of its own
   before anything here reads one. */

/* PyObject; of a tuple (PyVarObject) `size` counts its items, of an int of one digit it is `Context.digit` and `digit` the value, of a dict
   `tag` is ma_version_tag where there is one. */
typedef struct Object {
  i64 count;
  void *type;
  i64 size;
  union {
    u64 tag;
    u32 digit;
  };
} Object;

/* PyCFunctionObject, as far as it is read. */
typedef struct Builtin {
  i64 count;
  void *type;
  MethodDef *method;
} Builtin;

/* PyArrayObject_fields of numpy/ndarraytypes.h. */
typedef struct Array {
  i64 count;
  void *type;
  u64 data;
  i32 rank;
  i64 *shape;
  i64 *strides; /* in bytes */
  void *base;
  void *descriptor;
  i32 flags;
} Array;

/* DLTensor of dlpack.h. `device`: type, index << 32. */
typedef struct DLTensor {
  u64 data;
  u64 device;
  i32 rank;
  u32 dtype;
  i64 *shape;
  i64 *strides; /* in elements */
  u64 offset;
  u64 rest;
} DLTensor;

void Py_IncRef(Object *);
void Py_DecRef(Object *);
int PyCallable_Check(Object *);
Object *PyObject_CallNoArgs(Object *);
Object *PyObject_Vectorcall(Object *, Object **, u64, Object *);
Object *PyObject_CallFunctionObjArgs(Object *, ...);
int PyObject_RichCompareBool(Object *, Object *, int);
Object *PyDict_GetItemWithError(Object *, Object *);
Object *PyTuple_GetItem(Object *, i64);
Object *PyTuple_New(i64);
int PyTuple_SetItem(Object *, i64, Object *);
Object *PyBytes_FromStringAndSize(const i8 *, i64);
Object *PyCell_Get(Object *);
i64 PyLong_AsLongLong(Object *);
u64 PyLong_AsUnsignedLongLong(Object *);
void *PyLong_AsVoidPtr(Object *);
Object *PyLong_FromLongLong(i64);
f64 PyFloat_AsDouble(Object *);
Object *PyErr_Occurred(void);
void PyErr_Clear(void);
int PyErr_BadArgument(void);
int PyErr_CheckSignals(void);
int PyErr_ExceptionMatches(Object *);
int PyErr_GivenExceptionMatches(Object *, Object *);
void PyErr_Fetch(Object **, Object **, Object **);
void PyErr_NormalizeException(Object **, Object **, Object **);
void PyErr_Restore(Object *, Object *, Object *);
int PyException_SetTraceback(Object *, Object *);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *);
int PyGILState_Ensure(void);
void PyGILState_Release(int);
void *_PyObject_GC_New(void *);
void PyObject_GC_Track(void *);
int PyObject_GC_IsTracked(void *);
void PyObject_GC_UnTrack(void *);
void PyObject_GC_Del(void *);
extern Object *PyExc_TypeError;
enum { Py_EQ = 2 };

int pthread_mutex_init(void *, void *);
int pthread_mutex_lock(void *);
int pthread_mutex_unlock(void *);
int pthread_cond_init(void *, void *);
int pthread_cond_wait(void *, void *);
int pthread_cond_signal(void *);
int pthread_cond_broadcast(void *);
int pthread_attr_init(void *);
int pthread_attr_destroy(void *);
int pthread_attr_setdetachstate(void *, int);
int pthread_attr_setstacksize(void *, u64);
int pthread_create(void *, void *, void *(*)(Pool *), Pool *);
int pthread_sigmask(int, void *, void *);
void *pthread_self(void);
int sigfillset(void *);
int sigaction(int, void *, void *);
int sched_yield(void);
int usleep(u32);
int clock_gettime(int, i64 *);
int posix_memalign(void *, u64, u64);
void free(void *);
i8 *getenv(const i8 *);
