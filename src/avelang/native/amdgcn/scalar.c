/* Scalar accesses to memory (`memory_scalar.py`). */

/* The bytes must have been given to the kernel: 1 after a fault. */
OUT_OF_LINE i32 ave_scalar_inside(GroupState *g, u64 address, u64 bytes) {
  moved(g, 1, bytes);
  if (!ave_within(g, address, address, bytes)) return fault(g, OUTSIDE, 0, address, bytes);
  return raced(g, &address, 1, bytes);
}

/* Those of a load, which may run past the end of a piece as far as the aligned 16 bytes go in which the piece ends: LLVM makes one of several loads where the
   address is aligned to the whole, or to 16 bytes, since what lies there is in the same page. Only what was given counts. */
OUT_OF_LINE i32 ave_scalar_given(GroupState *g, u64 address, u64 bytes) {
  const u64 *region = g->regions;
  u64 end = address + bytes;
  if (!(address & ((bytes < 16 ? bytes : 16) - 1)))
    for (u32 n = 0; n < g->region_count; n++, region += 2)
      if (address >= region[0] && address < region[1] && end > region[1] && end <= ((region[1] + 15) & ~15ull)) bytes = region[1] - address;
  return ave_scalar_inside(g, address, bytes);
}

/* `count` dwords of the buffer whose resource has the words `low` and `num`. The range is num_records bytes, or as many times the stride (MI300 ISA,
   section 8.2.1.1): loads read 0 behind it, stores skip what is there. */
INLINE i32 scalar_buffer(GroupState *g, u32 *data, u64 low, u64 num, u64 offset, u64 count, bool store) {
  u64 stride = low >> 48 & 0x3FFF, range = (u64)(u32)num * (stride ? stride : 1), start = (low & 0xFFFFFFFFFFFFull) + offset & ~3ull;
  for (u64 k = 0; k < count; k++) {
    if (offset + 4 * k >= range) {
      if (!store) data[k] = 0;
      continue;
    }
    u32 *place = (u32 *)(start + 4 * k);
    if (ave_scalar_inside(g, (u64)place, 4)) return 1;
    if (store) *place = data[k];
    else data[k] = *place;
  }
  return 0;
}

OUT_OF_LINE i32 ave_scalar_buffer_load(GroupState *g, u32 *data, u64 low, u64 num, u64 offset, u64 count) {
  return scalar_buffer(g, data, low, num, offset, count, 0);
}

OUT_OF_LINE i32 ave_scalar_buffer_store(GroupState *g, u32 *data, u64 low, u64 num, u64 offset, u64 count) {
  return scalar_buffer(g, data, low, num, offset, count, 1);
}
