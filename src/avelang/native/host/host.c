/* The host code, one unit: pool, tables of tensor maps, launches on GPUs, and what recognizes calls, of Python and of XLA. `./dev native` makes host.ll of it. */

#include "../xla.h"
#include "../python.h"

typedef _Bool bool; /* only in here: hosts pass it in ways of their own */

#define INLINE static inline __attribute__((always_inline))
#define LOAD(place, order) __atomic_load_n(place, __ATOMIC_##order)
#define STORE(place, value, order) __atomic_store_n(place, value, __ATOMIC_##order)

static inline u64 least(u64 a, u64 b) { return a < b ? a : b; }
static inline u64 greatest(u64 a, u64 b) { return a > b ? a : b; }

#include "pool.c"
#include "maps.c"
#include "gpu.c"
#include "arguments.c"
#include "expects.c"
#include "launch.c"
#include "subscript.c"
#include "repeats.c"
#include "xla.c"
