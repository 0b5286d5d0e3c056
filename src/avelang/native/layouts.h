/* The structs that native code and Python share. This text is the only place of a layout: C includes it, and `./dev native` makes `layouts.py`
   of it (a `ctypes` mirror of each struct, each number of an enum; of an enum with a name, the tuple of its names). Only what that tool reads may stand here: enums, and structs of numbers,
   pointers, arrays and structs from above. A comment before a struct becomes its docstring. */

#include "types.h"

enum {
  ENTRIES = 16, /* specializations that the host code knows of one kernel */
  EXCHANGES = 8,
  ALTERNATIVES = 4,
  SLOTS = 64,
  WIDES = 16, /* values that no slot holds, at most, of a launch by the host code */
  MOST_INLINE = 5, /* dimensions of a torch tensor that holds them itself */
  KEPT = 16, /* slots of a launch that is noted, which a caller has at least */
  NOTED = 8, /* launches that are */
  MOST_EXPECTED = 256 /* rows of what a kernel expects of a launch */
};

/* What a row of what a kernel expects does (`expects.py`). */
enum Expected {
  CONST, ARG, GRID, ADD, SUB, MUL, DIV, REM, FLOORDIV, MOD, AND, OR, XOR, SHL, SHR, MIN, MAX, EQ, NE, LT, LE, GT, GE, SELECT, CONVERT, NOT, NEG, NOT1
};

/* Kinds of `ParamCheck`. */
enum { CONSTANT, SIGNED, UNSIGNED, DOUBLE, SINGLE, FLAG, POINTER, TENSOR, MAP };

/* A `WatchedName` with this name is of a word in memory. */
enum { WATCHED_WORD = 1 };

/* Flags of a NumPy array (ndarraytypes.h: NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE). */
enum { ALIGNED = 0x0100, WRITEABLE = 0x0400 };

/* What stands in `LaunchState.flag`: somebody wants the threads to look up; all must stop. */
enum { LOOK_UP = 1, STOP = 2 };

/* A launch, as a kernel on the CPU sees it. `look` says whether to stop. `owner`: the thread that launched, `thread`: its Python thread state
   (null: none), `interrupts`: how often Ctrl-C had been pressed. Emitted code reads the fields up to `look`. */
typedef struct LaunchState {
  u32 grid[3];
  i32 flag;
  void *look;
  struct Pool *pool;
  void *owner;
  void *thread;
  struct LaunchState *before;
  struct LaunchState *next;
  i64 interrupts;
} LaunchState;

/* The thread pool. `mutex`, `wake` (there is work), `finished` (the last worker is done): room for any libc's pthread objects (glibc: 40 and 48
   bytes, macOS: 64 and 48). `taken`: 1 while a launch owns the workers and the caller's scratch. `active`: workers inside the job; `generation`:
   one more with each job; both are written under the mutex. `job`: null when there is none to join. `workers` are wanted besides the caller.
   `spins`: how often a worker looks for the next job before it sleeps. `clock`: CLOCK_MONOTONIC, `set_mask`: SIG_SETMASK, `detached`:
   PTHREAD_CREATE_DETACHED, `stack`: bytes of a worker's. `launches`: the first that is under way; `listed`: 1 while somebody changes or walks that
   list. `ticker`: 0 where it has not been started, 1 while it ticks, 2 while it sleeps, because there was no launch for a while. `interrupts`: how
   often Ctrl-C was pressed; `hook` is called in a thread that launched and sees another number there, and what it raises ends the launch.
   `handler`: that of SIGINT which was there before ours. */
typedef struct Pool {
  i8 mutex[128];
  i8 wake[128];
  i8 finished[128];
  i32 taken;
  i32 active;
  i64 generation;
  struct Job *job;
  void *scratch;
  i64 scratch_bytes;
  i32 workers;
  i32 started;
  i32 spins;
  i32 clock;
  i32 set_mask;
  i32 detached;
  i64 stack;
  LaunchState *launches;
  i32 listed;
  i32 ticker;
  i64 interrupts;
  void *hook;
  void *handler;
} Pool;

/* A kernel on the CPU. `ns_per_block` is measured by each launch; `last_ns` is the time of the last one. */
typedef struct CpuKernel {
  void *run;
  i64 scratch_bytes;
  f64 ns_per_block;
  i64 launches;
  i64 last_ns;
} CpuKernel;

/* A kernel that a driver has loaded on a device. `launch`: hipModuleLaunchKernel or cuLaunchKernel, which take the same eleven arguments, or
   cuLaunchKernelEx, with so `many` `attributes` (-1: one of the former). `get` gives the thread's current device (a word by its address), `set` sets
   it; `word`: the kernel's device. `most_x` blocks fit along x (-1: none, the slow path sees every launch). Slot `params` is the stream. `only`: 1
   where there is one device; then the thread's is asked for only where the launch says that it is another one or none. `wide`: a bit for each
   parameter whose slot has the address of its value, a `Wide`. */
typedef struct Gpu {
  void *launch;
  void *function;
  void *get;
  void *set;
  u64 word;
  i64 most_x;
  i64 params;
  u32 block[3];
  u32 shared;
  void *attributes;
  i64 many;
  i64 only;
  u64 wide;
} Gpu;

/* A launch that was handed to a driver: how many there were before it, the first slots (of a value that no slot holds, the word that stands for
   it). A kernel that faults is reported by whatever comes after it: the last of these are the ones that it may be. */
typedef struct Recent {
  Gpu *gpu;
  i64 number;
  u32 grid[3];
  void *stream;
  u64 slots[KEPT];
} Recent;

/* The value of `kernel[provider]`: an object of CPython with a vectorcall. */
typedef struct BoundKernel {
  i64 count;
  void *type;
  void *call;
  struct Object *builtin;
  struct Object *provider;
} BoundKernel;

/* Filled in by Python: the type of `BoundKernel` and the byte of a kernel where its builtin stands, and the object that died last. */
typedef struct Subscript {
  void *type;
  i64 offset;
  BoundKernel *free;
} Subscript;

/* One array's entry in a table of tensor maps. The key: address, five extents, five strides in bytes, zeros beyond the rank; 1, or 0 in a record
   that is free. */
typedef struct TensorMapRecord {
  i64 key[12];
  i64 padding[4];
  i8 value[128];
} TensorMapRecord;

/* A table of tensor maps: the first `TensorMapRecord`, how many there are less one, a power of two less one. */
typedef struct Maps {
  TensorMapRecord *records;
  i64 mask;
} Maps;

/* A value that no slot holds, whose address a slot has; `word`, an array's address, stands for it in reports. Three lines of the cache. */
typedef struct Wide {
  i8 value[128];
  i64 word;
  i64 padding[7];
} Wide;

/* Memory that a launch fills in: a slot for each argument and the stream, and values that no slot holds. */
typedef struct Room {
  u64 slots[SLOTS];
  Wide wides[WIDES];
} Room;

/* A type, and the function that reads its objects (DLPack's C exchange API: dltensor_from_py_object_no_sync). */
typedef struct Exchange {
  void *type;
  void *function;
} Exchange;

/* Places of the fields of a torch tensor, in bytes (`torch_tensors.Layout`): in the Python object the tensor's implementation; in that the storage,
   dispatch keys, the word that begins with the dtype, the number of elements, the offset into the storage in elements, the rank, the extents (5, then 5
   strides in elements); in the storage the memory and the function that frees it. Then, no place: the dispatch keys of lazy views, whose memory
   holds other values than they. In the implementation the counter of changes, and in that the count. Then functions: whether a tensor (its
   implementation) requires a gradient, and whether this thread records for gradients. Last, in the storage how many bytes it has. */
typedef struct Fields {
  i64 impl;
  i64 storage;
  i64 keys;
  i64 meta;
  i64 numel;
  i64 offset;
  i64 rank;
  i64 sizes;
  i64 data;
  i64 deleter;
  u64 lazy;
  i64 counter;
  i64 version;
  void *requires;
  void *enabled;
  i64 bytes;
} Fields;

/* Facts that torch tensors have in common which are read alike: type (null: none), virtual table, dispatch keys, dtype and device, who frees. */
typedef struct Likeness {
  void *type;
  void *table;
  u64 keys;
  u64 meta;
  void *deleter;
} Likeness;

/* The state that all kernels share. `fail` is called with the status of a launch that failed, and raises. `keep_traceback`: 1: leave tracebacks as they are.
   `count`: of exchanges. `digit`: what stands behind the type of an int from 1 to 2^30 - 1, whose value comes behind that; -1 if this is not known.
   `tagged`: 1: a dict's fourth word is another one after each change to it. `items`: the byte of a tuple where its items begin. */
typedef struct Context {
  Pool *pool;
  void *int_;
  void *float_;
  void *str_;
  void *tuple_;
  struct Object *none;
  struct Object *true_;
  struct Object *false_;
  void *ndarray;
  void *ave_error;
  void *fail;
  i64 keep_traceback;
  i64 count;
  Exchange exchanges[EXCHANGES];
  i64 digit;
  i64 tagged;
  i64 items;
  Fields fields;
} Context;

/* A dependence of a kernel beside its arguments, a global or a knob of the environment: the dict that holds it, the name, the object found when the
   kernel was compiled (null: there was none), and the dict's tag when it was last looked up. A closure's cell has no name (null); the name
   WATCHED_WORD: a word in memory, its address and what it was (the version of a class, the code of a function). */
typedef struct WatchedName {
  void *home;
  void *name;
  void *value;
  u64 tag;
} WatchedName;

/* One argument. `low` and `high`: the least and the greatest integer; CONSTANT: `low` is the object expected; arrays: `low` has the flags that one
   of NumPy must have, `high` is what an address read through DLPack is a multiple of. `device`: DLPack's type, index << 32. `dtypes`: of DLPack, that
   are accepted: code, bits << 8, lanes << 16. `strides`: in elements; MAP: `shape` is the `Maps`, `strides` (a number) the bytes from the slot to
   the `Wide`. `item`: bytes of an element. `descriptors`: of NumPy, that are accepted. What is read of a number, or of an array through DLPack, are
   the first 64 bytes, one line of the processor's cache; of a torch tensor also the last 64. */
typedef struct ParamCheck {
  i64 kind;
  i64 slot;
  i64 low;
  u64 high;
  i64 rank;
  i64 device;
  u32 dtypes[ALTERNATIVES];
  void *shape;
  void *strides;
  i64 item;
  void *descriptors[ALTERNATIVES];
  i64 padding;
  Likeness like;
  i64 rest[3];
} ParamCheck;

/* A call that the slow path has accepted. `positional` and `keyword`: how many arguments, with the keywords' `names`; `params`: one for each, keywords
   last. `template`: what stands in the slots before arguments are filled in (defaults), null where arguments or the stream fill all of them. `gpu`:
   null for a kernel on the CPU (`kernel` is null else); the last slot is the stream. `stream`: asked for the current stream of `device` (DLPack's
   type, index << 32), null where the slot has it. `failed`: called with the status, the geometry and the arguments of a launch that the driver
   refused; raises. `expects`: what the kernel expects of a launch (`expects.table`), null for nothing. */
typedef struct CallEntry {
  CpuKernel *kernel;
  i64 watched;
  WatchedName *watches;
  i64 positional;
  i64 keyword;
  struct Object **names;
  i64 block[3];
  ParamCheck *params;
  i64 slots;
  u64 *template;
  Gpu *gpu;
  void *stream;
  u64 device;
  struct Object *failed;
  i64 *expects;
} CallEntry;

/* One for each jit function: the slow path, entries (newest first), the entry that ran last. */
typedef struct State {
  Context *context;
  struct Object *slow;
  i64 count;
  CallEntry *entries[ENTRIES];
  CallEntry *last;
} State;

/* CPython's PyMethodDef, and behind it the builtin's `State`. */
typedef struct MethodDef {
  char *name;
  void *function;
  i32 flags;
  char *doc;
  State *state;
} MethodDef;

/* Bounds of what a call that is repeated (`repeats.c`) may have: words of a key, tensors that come in and are made, of these how many, arguments of the function that makes
   one, numbers of torch's dtypes; and the last bits of an address, which a key has. */
enum { KEY_WORDS = 384, BASES = 32, MADES = 12, MADE_ARGUMENTS = 5, ITEMS = 64, LOW = 127 };

/* A question to torch: what the function answers to the argument, of which `mask` counts, is `wanted` where nobody watches. */
typedef struct Check {
  void *function;
  u64 argument;
  u64 mask;
  u64 wanted;
} Check;

/* New memory: torch's function that makes it, with its arguments. The last bits of its address, `mask` says which, are those of `low`. */
typedef struct Made {
  struct Object *function;
  i64 positional;
  i64 keyword;
  struct Object *args[MADE_ARGUMENTS];
  struct Object *names;
  u64 low;
  u64 mask;
} Made;

/* A slot that has another value in each call: the address of a tensor, `base` counts those that come in and then those that are made (-1: none, of memory that is kept), and `delta` more. Of a tensor map
   `maps` is the table, `wide` the bytes from the slot to the `Wide`, and extents and strides (in units of `unit` bytes) are as given. */
typedef struct Moving {
  i64 slot;
  i64 base;
  i64 delta;
  Maps *maps;
  i64 wide;
  i64 rank;
  i64 *shape;
  i64 *strides;
  i64 unit;
} Moving;

/* One launch of a call: the entry that has accepted it, what its `count` slots hold, and which of them move. */
typedef struct RepeatLaunch {
  CallEntry *entry;
  State *state;
  i64 count;
  u64 *slots;
  i64 moving;
  Moving *moves;
  u32 blocks[3];
} RepeatLaunch;

/* A call that is known by its key. Without launches it is one that cannot be repeated. What is made first, `returned` of it, goes to the caller: alone where `single`. `owner`: what
   holds all of this. `thread`: null, or the only one in which the call is repeated, since it uses memory that is kept for that and for `stream`, which `stream_function`
   (null: none) gives for `device`; and not while `capturing` gives something else than `calm`. `stale`: 1 where something has changed on which its launches depend. */
typedef struct Repeat {
  u64 hash;
  i64 words;
  u64 *key;
  i64 launches;
  RepeatLaunch *launch;
  i64 making;
  Made *make;
  i64 returned;
  i64 single;
  struct Object *owner;
  void *thread;
  void *stream_function;
  u64 device;
  u64 stream;
  struct Object *capturing;
  struct Object *calm;
  i64 stale;
} Repeat;

/* One for each function whose calls are repeated. `table`: by hash, one behind the other, `mask` is its size less one, a power of two less one. `items`: bytes of an element by
   torch's number of the dtype. `level`: of the tangents of torch. `watched`: words that every key has. `served`: how many calls were repeated. */
typedef struct Repeats {
  Context *context;
  Repeat **table;
  i64 mask;
  void *tensor;
  void *parameter;
  void *dtype;
  i64 checking;
  Check *checks;
  i64 watching;
  u64 **watched;
  WatchedName level;
  i64 served;
  i64 items[ITEMS];
} Repeats;

/* A dry run: `hook` is called with each launch of the thread, in its place (null: there is none). */
typedef struct Dry {
  struct Object *hook;
  void *thread;
} Dry;
