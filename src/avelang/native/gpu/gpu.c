/* Functions that no GPU has and that are too long to write at each use. `./dev native` makes gpu.ll of it, whose functions a kernel's module takes. */

#include "../types.h"

#define SHARED __attribute__((visibility("hidden")))
#define INLINE static inline __attribute__((always_inline))

/* The remainder of a division truncated toward zero, exact: significands are subtracted bit by bit, as a school division does. BITS of a float, of which
   MANTISSA are its mantissa; U: unsigned numbers as wide, which
   hold the floats, I: signed ones. */
#define REMAINDER(NAME, U, I, BITS, MANTISSA)                                                                                 \
  /* The exponent of a magnitude, whose significand gets its leading one, also where the number is stored without it. */      \
  INLINE I NAME##_normalize(U *a) {                                                                                           \
    I exponent = (I)(*a >> MANTISSA), shift;                                                                                  \
    if (exponent) {                                                                                                           \
      *a = (*a & ((U)1 << MANTISSA) - 1) | (U)1 << MANTISSA;                                                                  \
      return exponent;                                                                                                        \
    }                                                                                                                         \
    shift = (I)__builtin_clzg(*a, BITS) - (BITS - 1 - MANTISSA);                                                              \
    *a <<= shift;                                                                                                             \
    return 1 - shift;                                                                                                         \
  }                                                                                                                           \
  SHARED U NAME(U x, U y) {                                                                                                   \
    const U magnitude = ~(U)0 >> 1, infinity = magnitude >> MANTISSA << MANTISSA, one = (U)1 << MANTISSA;                     \
    U a = x & magnitude, b = y & magnitude, sign = x & ~magnitude;                                                            \
    if (!b || b > infinity || a >= infinity) return infinity | one >> 1;                                                      \
    if (a < b) return x;                                                                                                      \
    I k = NAME##_normalize(&a), e = NAME##_normalize(&b);                                                                     \
    for (;; k--, a <<= 1) {                                                                                                   \
      if (a >= b) a -= b;                                                                                                     \
      if (k <= e) break;                                                                                                      \
    }                                                                                                                         \
    if (!a) return sign;                                                                                                      \
    I shift = (I)__builtin_clzg(a, BITS) - (BITS - 1 - MANTISSA);                                                             \
    a <<= shift;                                                                                                              \
    e -= shift;                                                                                                               \
    return sign | (e > 0 ? (a ^ one) | (U)e << MANTISSA : a >> (1 - e));                                                      \
  }

REMAINDER(ave_fmodf, u32, i32, 32, 23)
REMAINDER(ave_fmod, u64, i64, 64, 52)
