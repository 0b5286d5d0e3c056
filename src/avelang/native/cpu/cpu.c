/* What emitted CPU code calls, one unit: the loops over blocks and waves, barriers, reports, accesses of lanes one by one. `./dev native` makes cpu.ll of
   it, from which a kernel's module takes the functions that it needs. */

#include "../cpu.h"

typedef _Bool bool;

#define SHARED __attribute__((visibility("hidden")))
#define OUT_OF_LINE __attribute__((noinline, visibility("hidden")))
#define INLINE static inline __attribute__((always_inline))

#include "waits.c"
#include "run.c"
#include "report.c"
#include "lanes.c"
