/* DLPack's C exchange API of torch's own tensors, with the device replaced: tensors of a torch for the CPU pass for ones on GPU 0 or 1 of a torch
   for ROCm or CUDA. The current stream is what the test sets. */

#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
typedef struct { void *data; int32_t type, index, rank; uint8_t code, bits; uint16_t lanes; int64_t *shape, *strides; uint64_t offset; } tensor;
typedef int (*reader)(void *, tensor *);

static reader own;
static uint64_t streams[2], asked, reads;
static void *plain[16][2];
static int plains;
static int broken, kind = 10; /* kDLROCM */

static int moved(void *object, tensor *out, int index) {
  reads++;
  for (int i = 0; i < plains; i++)
    if (plain[i][0] == object) object = plain[i][1];
  int status = own(object, out);
  out->type = kind;
  out->index = index;
  return status;
}
static int read0(void *object, tensor *out) { return moved(object, out, 0); }
static int read1(void *object, tensor *out) { return moved(object, out, 1); }
static int current(int type, int index, void **out) {
  asked++;
  if (type != kind || broken) return -1;
  *out = (void *)streams[index];
  return 0;
}
EXPORT struct { uint32_t major, minor; void *before, *allocator, *from, *to; reader read; int (*stream)(int, int, void **); } rocm_api[2] = {
    {1, 3, 0, 0, 0, 0, read0, current}, {1, 3, 0, 0, 0, 0, read1, current}};
EXPORT void rocm_set(int index, uint64_t stream) { streams[index] = stream; }
EXPORT uint64_t rocm_get(int index) { return streams[index]; }
EXPORT void rocm_kind(int number) { kind = number; }
EXPORT void rocm_break(int on) { broken = on; }
EXPORT uint64_t rocm_asked(void) { return asked; }
EXPORT uint64_t rocm_reads(void) { return reads; }
/* A tensor of a subclass is read by way of a plain one with the same memory, at the plain one's cost: for measuring. */
EXPORT void rocm_plain(void *object, void *same) {
  plain[plains % 16][0] = object;
  plain[plains++ % 16][1] = same;
  plains = plains > 16 ? 16 : plains;
}
EXPORT void rocm_own(void *function) { memcpy(&own, &function, sizeof own); }
