/* XLA's structs, and what native code and Python share of its calls, as in `layouts.h`. */

#include "layouts.h"

/* XLA's structs of foreign functions (xla/ffi/api/c_api.h, version 0.x): each begins with its size and a pointer to what extends it. XLA_FFI_Args, XLA_FFI_Rets: `items` are
   the structs of the buffers. */
typedef struct XlaList {
  u64 size;
  void *extension;
  i64 count;
  void *types;
  void **items;
} XlaList;

/* XLA_FFI_ByteSpan. */
typedef struct XlaSpan {
  void *text;
  u64 length;
} XlaSpan;

/* XLA_FFI_Attrs: kinds, names and values. A text is a `XlaSpan`. */
typedef struct XlaAttributes {
  u64 size;
  void *extension;
  i64 count;
  i32 *types;
  XlaSpan **names;
  void **items;
} XlaAttributes;

/* XLA_FFI_Buffer. */
typedef struct XlaBuffer {
  u64 size;
  void *extension;
  i32 dtype;
  void *data;
  i64 rank;
  i64 *dims;
} XlaBuffer;

/* XLA_FFI_Api, as far as functions are called; those behind the first are found by their numbers (`XLA_MESSAGE` and the others). */
typedef struct XlaApi {
  u64 size;
  void *extension;
  u64 version_size;
  void *version_extension;
  i32 major;
  i32 minor;
  void *internal;
  void *functions[17];
} XlaApi;

/* XLA_FFI_CallFrame. */
typedef struct XlaFrame {
  u64 size;
  void *extension;
  XlaApi *api;
  void *context;
  i32 stage;
  XlaList arguments;
  XlaList results;
  XlaAttributes attributes;
} XlaFrame;

/* The argument of XLA's functions: XLA_FFI_Stream_Get_Args, XLA_FFI_RunId_Get_Args. */
typedef struct XlaAsk {
  u64 size;
  void *extension;
  void *context;
  u64 answer;
} XlaAsk;

/* XLA_FFI_DeviceMemory_Allocate_Args. */
typedef struct XlaTake {
  u64 size;
  void *extension;
  void *context;
  u64 bytes;
  u64 alignment;
  void *data;
} XlaTake;

/* XLA_FFI_DeviceMemory_Free_Args. */
typedef struct XlaGive {
  u64 size;
  void *extension;
  void *context;
  u64 bytes;
  void *data;
} XlaGive;

/* XLA_FFI_Error_GetMessage_Args, and XLA_FFI_Error_Destroy_Args without the last. */
typedef struct XlaFailure {
  u64 size;
  void *extension;
  void *error;
  char *message;
} XlaFailure;

/* Numbers of XLA's functions in its table, XLA_FFI_AttrType_SCALAR, and bytes of which XLA's memory begins at multiples. */
enum { XLA_ERROR, XLA_MESSAGE, XLA_DESTROY, XLA_REGISTER, XLA_STREAM, XLA_TAKE = 9, XLA_GIVE = 10, XLA_RUN = 16 };
enum { XLA_SCALAR = 3, XLA_UNIT = 16 };

/* Bounds of a call of XLA's that the host code makes again (`host/xla.c`): words of its key, memories, records of a table of tensor maps. */
enum { XLA_WORDS = 512, XLA_BASES = 64, XLA_MAPS = 1024 };

/* One thing that a call does: a launch (`gpu`), or else a call of a function of the driver, whose arguments are the slots. */
typedef struct XlaStep {
  Gpu *gpu;
  void *function;
} XlaStep;

/* A rank on a GPU. Nothing is launched while `*who` (a rank did not come) or `failed` is not 0. `touched` counts launches for who looks whether they end, which he does
   while `looking` is not 0. */
typedef struct XlaMember {
  u64 *who;
  i64 failed;
  i64 touched;
  i64 looking;
} XlaMember;

/* A call that is known by its key; `site`: 0, or where the text of the only call stands that it is. `launch`: of each step its slots and which of them move (without
   `entry` and `state`). It takes `room` bytes of XLA's memory, of which `starts` are the `making` pieces. `home`: of the device that driver's functions want (null: there
   are none). `watches`: what kernels depend on, looked at under the interpreter's lock with `context`. `number`: Python's of the call. */
typedef struct XlaCall {
  u64 hash;
  i64 words;
  u64 *key;
  u64 site;
  i64 steps;
  XlaStep *step;
  RepeatLaunch *launch;
  i64 room;
  i64 making;
  i64 *starts;
  Gpu *home;
  XlaMember *member;
  Context *context;
  i64 watched;
  WatchedName *watches;
  i64 number;
} XlaCall;

/* The known calls by hash, one behind the other; `mask` is the size less one, a power of two less one. */
typedef struct XlaTable {
  i64 mask;
  XlaCall **calls;
} XlaTable;

/* The calls of one driver. `inside`: threads that look at the table now; `lock`: 1 while somebody reads or writes a table of tensor maps; `served`: how many calls were made.
   A call goes to `slow` where it is not known, `*waiting` is not 0, or AVE_CHECK asks for something; `choices` is a word of each key. `failed` is called with
   the frame, the call's number, the step's, its status and where the memories begin, and gives XLA's error. */
typedef struct XlaCalls {
  XlaTable *table;
  i64 inside;
  i64 lock;
  i64 served;
  u64 *choices;
  i64 *waiting;
  void *slow;
  void *failed;
} XlaCalls;
