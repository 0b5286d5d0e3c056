/* Moves values between lanes. */

/* Lanes fetch or, `forward`, send data; lanes are counted in bytes, four each. Those that are not active neither send nor receive, and read as 0; where
   several send to one lane, the highest wins (MI300 ISA, section 11.3). */
INLINE void permuted(V32 *to, const u32 *address, const V32 *data, u64 exec, u32 shift, bool forward) {
  V32 masked = SELECT(exec, V32, *data, (V32)0u), result = 0;
  const u32 *from = (const u32 *)&masked;
  u32 *into = (u32 *)&result;
  for (u32 lane = 0; lane < LANES; lane++) {
    u32 other = (address[lane] + shift) / 4 % LANES;
    if (!forward) into[lane] = from[other];
    else if (exec >> lane & 1) into[other] = from[lane];
  }
  *to = SELECT(exec, V32, result, *to);
}

OUT_OF_LINE void ave_permute(V32 *to, const u32 *address, const V32 *data, u64 exec, u32 shift) { permuted(to, address, data, exec, shift, 1); }

OUT_OF_LINE void ave_bpermute(V32 *to, const u32 *address, const V32 *data, u64 exec, u32 shift) { permuted(to, address, data, exec, shift, 0); }

enum { ROW = 16 }; /* lanes that read a matrix together, and elements of its rows */

/* Registers of columns from `words` registers of rows, elements of `bits` (`memory_transposed.py`). */
OUT_OF_LINE void ave_turn(u32 *restrict data, const u32 *restrict rows, u32 bits, u32 words) {
  u32 held = 32 * words / bits;
  for (u32 n = 0; n < LANES; n++) {
    u32 column = n % ROW, bit = column % held * bits, word = bit / 32, shift = bit % 32, out[4] = {0, 0, 0, 0};
    for (u32 k = 0; k < held; k++) {
      u32 lane = n - column + k * (ROW / held) + column / held, to = k * bits;
      u64 both = rows[word * LANES + lane];
      if (shift + bits > 32) both |= (u64)rows[(word + 1) * LANES + lane] << 32;
      u64 element = (both >> shift & (1u << bits) - 1) << to % 32;
      out[to / 32] |= (u32)element;
      out[to / 32 + 1] |= (u32)(element >> 32);
    }
    for (u32 k = 0; k < words; k++) data[k * LANES + n] = out[k];
  }
}
