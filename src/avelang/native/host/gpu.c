/* A launch on a GPU: a loaded kernel, its arguments, a grid and a stream come in; a vendor's driver is asked to run it, and its status goes out.
   No memory is allocated and nothing is waited for, so a stream may be under capture. */

/* CUlaunchConfig of cuda.h. */
typedef struct Config {
  u32 grid[3];
  u32 block[3];
  u32 shared;
  void *stream;
  void *attributes;
  u32 many;
} Config;

typedef u32 LaunchEleven(void *, u32, u32, u32, u32, u32, u32, u32, void *, void **, void **);
typedef u32 LaunchConfig(Config *, void *, void **, void **);
typedef u32 Get(u64 *device);
typedef u32 Set(u64 device);

#define BY_GETTER (1ull << 32)
#define BY_SETTER (2ull << 32)

Recent ave_recent[NOTED];
i64 ave_launched;

/* Returns where it is noted. Without atomics, which would wait for what the processor still writes to the GPU: threads at the same moment may spoil one
   another's note. */
INLINE Recent *note(Gpu *gpu, const u64 *slots, const u32 *grid, void *stream) {
  i64 number = ave_launched++;
  Recent *recent = &ave_recent[number % (u64)NOTED];
  recent->gpu = gpu;
  recent->number = number;
  __builtin_memcpy(recent->grid, grid, sizeof recent->grid);
  recent->stream = stream;
  __builtin_memcpy(recent->slots, slots, sizeof recent->slots);
  for (u64 wide = gpu->wide & ((1u << KEPT) - 1); wide; wide &= wide - 1) {
    u64 which = __builtin_ctzll(wide);
    recent->slots[which] = ((const Wide *)slots[which])->word;
  }
  return recent;
}

/* Whether a launch failed because the thread's device is not the kernel's: of CUDA, an invalid context, an invalid handle, a destroyed context. */
INLINE bool astray(u32 rc) { return rc == 201 || rc == 400 || rc == 709; }

INLINE u32 handed_over(Gpu *gpu, const u32 *grid, void *stream, void **places) {
  const u32 *block = gpu->block;
  if (gpu->many == -1)
    return ((LaunchEleven *)gpu->launch)(
        gpu->function, grid[0], grid[1], grid[2], block[0], block[1], block[2], gpu->shared, stream, places, 0);
  Config config = {{grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, gpu->shared, stream, gpu->attributes, (u32)gpu->many};
  return ((LaunchConfig *)gpu->launch)(&config, gpu->function, places, 0);
}

/* Returns 0 or the status of the call that failed; `1 << 32` on top: it was the getter, `2 << 32`: the setter. A grid without blocks is not
   launched, since drivers refuse it. The thread's current device is afterwards what it was before. */
u64 ave_launch_gpu(Gpu *gpu, u64 *slots, const u32 *grid) {
  if (!grid[0] || !grid[1] || !grid[2]) return 0;
  i64 count = gpu->params;
  void **places = __builtin_alloca(count * sizeof *places);
  void *stream = (void *)slots[count];
  u64 had = 0; /* the getter may write four bytes only */
  bool trusted = gpu->only != 0, away = 0;
  u32 rc;
  Recent *noted;
  for (;; trusted = 0) {
    if (!trusted) {
      u32 got = ((Get *)gpu->get)(&had);
      if (got) return got | BY_GETTER;
      away = had != gpu->word;
      u32 moved = away ? ((Set *)gpu->set)(gpu->word) : 0;
      if (moved) return moved | BY_SETTER;
    }
    /* Little-endian: a narrow value begins where its slot begins. */
    for (i64 i = 0; i < count; i++) places[i] = gpu->wide >> i & 1 ? (void *)slots[i] : &slots[i];
    noted = note(gpu, slots, grid, stream);
    rc = handed_over(gpu, grid, stream, places);
    if (!trusted || !astray(rc)) break;
  }
  if (away) ((Set *)gpu->set)(had);
  if (rc) noted->gpu = 0;
  return rc;
}
