/* What lanes do one after another, the lowest first: moves between a wave's data and addresses of the active lanes (x86's scatter is slower, and writes
   element after element), and functions of the C library. */

#define EACH(lane, mask) for (u64 left = mask, lane; left && (lane = __builtin_ctzll(left), 1); left &= left - 1)

/* A piece of SIZE bytes of each lane, lane after lane in `values`. */
#define ROWS(SIZE)                                                                                               \
  OUT_OF_LINE void ave_scatter_rows_##SIZE(const u8 *values, u8 *const *at, u64 mask) {                          \
    EACH(n, mask) __builtin_memcpy(at[n], values + SIZE * n, SIZE);                                              \
  }                                                                                                              \
  OUT_OF_LINE void ave_gather_rows_##SIZE(u8 *values, const u8 *const *at, u64 mask) {                           \
    EACH(n, mask) __builtin_memcpy(values + SIZE * n, at[n], SIZE);                                              \
  }

ROWS(1) ROWS(2) ROWS(4) ROWS(8) ROWS(16) ROWS(32) ROWS(64)

/* `count` elements of each lane, which lie `lanes` apart. */
#define ELEMENTS(BITS, T)                                                                                        \
  OUT_OF_LINE void ave_scatter_elements_##BITS(const T *values, u8 *const *at, u64 mask, u64 count, u64 lanes) { \
    EACH(n, mask) for (u64 k = 0; k < count; k++) __builtin_memcpy(at[n] + sizeof(T) * k, values + lanes * k + n, sizeof(T)); \
  }

ELEMENTS(8, u8) ELEMENTS(16, unsigned short) ELEMENTS(32, u32) ELEMENTS(64, u64)

float fmodf(float, float);
double fmod(double, double);

OUT_OF_LINE void ave_each_fmodf(const float *x, const float *y, float *out, u64 count) {
  for (u64 k = 0; k < count; k++) out[k] = fmodf(x[k], y[k]);
}

OUT_OF_LINE void ave_each_fmod(const double *x, const double *y, double *out, u64 count) {
  for (u64 k = 0; k < count; k++) out[k] = fmod(x[k], y[k]);
}
