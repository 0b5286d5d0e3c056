/* What translated AMD code calls, one unit: the scheduler of waves and workgroups, the checker's functions, addresses of 64 lanes. `./dev native` makes
   amdgcn.ll of it, from which the executor takes the functions that a program needs. Those that it takes are not static; none is inlined into another
   one, since each program compiles them anew. */

#include "../amdgcn.h"

typedef _Bool bool;

#define OUT_OF_LINE __attribute__((noinline, visibility("hidden")))
#define INLINE static inline __attribute__((always_inline))

#include "scheduler.c"
#include "found.c"
#include "waits.c"
#include "swaps.c"
#include "lds.c"
#include "addresses.c"
#include "scalar.c"
#include "global.c"
#include "lanes.c"
#include "permute.c"
#include "banks.c"
#include "buffer.c"
