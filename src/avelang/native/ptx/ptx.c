/* What translated PTX calls, one unit: the scheduler of warps and of a grid's blocks, the log of watched code, where memory stands. `./dev native` makes ptx.ll of it, from which the executor takes the
   functions that a program needs. Those that it takes are not static. */

#include "../ptx.h"

typedef _Bool bool;

#define OUT_OF_LINE __attribute__((noinline, visibility("hidden")))
#define INLINE static inline __attribute__((always_inline))

#include "scheduler.c"
#include "watch.c"
#include "places.c"
