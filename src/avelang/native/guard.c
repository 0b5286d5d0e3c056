/* A call into LLVM that LLVM may want to end the process in: it comes in as a function's address and arguments; its result goes out, or that it was ended.

   `ave_exit`, `ave_abort` and `ave_write` stand in the table of imported functions of LLVM's library (llvm/guard.py puts them there). While a call runs in
   a thread, the first two jump back to where it began, and what the thread writes to standard error is kept; else they do what the real ones do. One call
   runs at a time: llvmlite's lock is held. */

#include "layouts.h"

enum { ROOM = 8192, ERRORS = 2 };

extern int _setjmp(void *place) __attribute__((returns_twice));
extern void longjmp(void *place, int value) __attribute__((noreturn));
extern void *pthread_self(void);

typedef i64 Function(i64, i64, i64, i64);
typedef void Exit(int);
typedef void Abort(void);
typedef i64 Write(int, const void *, u64);

/* More than any C library's jmp_buf takes. */
static u64 place[64] __attribute__((aligned(64)));
static void *volatile inside;

char ave_said[ROOM];
u64 ave_length;
void *ave_real_exit, *ave_real_abort, *ave_real_write;

i64 ave_guarded(Function *function, i64 a, i64 b, i64 c, i64 d, i64 *ended) {
  ave_length = 0;
  *ended = 1;
  if (_setjmp(place)) {
    inside = 0;
    return 0;
  }
  inside = pthread_self();
  i64 value = function(a, b, c, d);
  inside = 0;
  *ended = 0;
  return value;
}

void ave_exit(int status) {
  if (inside == pthread_self()) longjmp(place, 1);
  ((Exit *)ave_real_exit)(status);
}

void ave_abort(void) {
  if (inside == pthread_self()) longjmp(place, 1);
  ((Abort *)ave_real_abort)();
}

i64 ave_write(int file, const char *bytes, u64 count) {
  if (file != ERRORS || inside != pthread_self()) return ((Write *)ave_real_write)(file, bytes, count);
  for (u64 i = 0; i < count && ave_length < ROOM; i++) ave_said[ave_length++] = bytes[i];
  return (i64)count;
}
