/* A library with the ABI of libcuda, for tests: launches come in; what the driver checks is checked, the packed arguments among it, and every call is
   written down. Nothing runs. It takes the ELF files that ptxas makes, and its own linker turns PTX into an image that is the PTX. A pointer argument
   that lies in no memory of the device is found by the next cuStreamSynchronize or launch, and stays so, as a fault on a card would. The checks are those
   that the CUDA Driver API documents for each function; `stub_*` is for the tests. */

#include "gpu_stub.h"

static struct context { int device; } contexts[8];
static struct { int stores, loads, portable; } spills;
static char image[1 << 18];
#define NEEDS_CONTEXT if (current < 0) FAIL(BAD_CONTEXT)

EXPORT void stub_current(int device) { current = device; }
EXPORT void stub_spills(int stores, int loads) { spills.stores = stores, spills.loads = loads, spills.portable = 0; }

/* -- code ----------------------------------------------------------------------------------------------------------------------------------- */

/* The compute capability behind "sm_": 90 of "sm_90a". */
static int number(const char *name) { return atoi(name + 3); }
static int runs(const char *target) {
  const char *have = S.arch[current];
  size_t n = strcspn(target, " ,\n");
  if (target[n - 1] == 'a') return n - 1 == strlen(have) && !strncmp(target, have, n - 1);
  return number(target) <= number(have);
}
static void read_ptx(const char *text, struct kernel *k) {
  const char *at = strstr(text, ".entry ") + 7, *end = strchr(at, ')');
  snprintf(k->name, sizeof k->name, "%.*s", (int)strcspn(at, "( "), at);
  for (const char *p = at; (p = strstr(p, ".param .")) && p < end; p += 8) {
    const char *type = p + 8, *stop = strpbrk(type, ",)");
    struct arg *a = &k->args[k->count];
    a->size = strncmp(type, "align", 5) ? atoi(type + 1) / 8 : atoi(strchr(type, '[') + 1);
    const char *pointer = strstr(type, ".ptr");
    a->pointer = pointer && pointer < stop;
    k->count++;
  }
  if ((at = strstr(text, ".reqntid "))) sscanf(at, ".reqntid %u, %u, %u", &k->block[0], &k->block[1], &k->block[2]);
}
/* Section .nv.info.NAME of an ELF file: records of kind, attribute and 16 bits of size or value. EIATTR_KPARAM_INFO (0x17) has a parameter's place in
   the list, its offset, and its size from bit 18 on; EIATTR_REQNTID (0x10) the block. */
static int read_elf(const char *elf, struct kernel *k) {
  uint64_t table = *(uint64_t *)(elf + 40);
  int count = *(uint16_t *)(elf + 60), names = *(uint16_t *)(elf + 62), found = 0;
  const char *strings = elf + *(uint64_t *)(elf + table + 64 * names + 24);
  for (int i = 0; i < count; i++) {
    const char *section = elf + table + 64 * i, *name = strings + *(uint32_t *)section;
    if (strncmp(name, ".nv.info.", 9)) continue;
    snprintf(k->name, sizeof k->name, "%.100s", name + 9);
    const uint8_t *p = (const uint8_t *)elf + *(uint64_t *)(section + 24), *end = p + *(uint64_t *)(section + 32);
    for (found = 1; p + 4 <= end;) {
      uint16_t value = *(uint16_t *)(p + 2);
      if (p[0] == 4 && p[1] == 0x17) {
        int place = *(uint16_t *)(p + 8);
        k->args[place].size = *(uint32_t *)(p + 12) >> 18 & 0x3fff;
        if (place >= k->count) k->count = place + 1;
      }
      if (p[0] == 4 && p[1] == 0x10) memcpy(k->block, p + 4, 12);
      p += 4 + (p[0] == 4 ? value : 0);
    }
  }
  return found;
}
EXPORT int cuModuleLoadData(void **module, const void *data) {
  CALLED("");
  NEEDS_CONTEXT;
  if (S.capturing && mode != 2) FAIL(CAPTURE_UNSUPPORTED);
  struct module *m = &loaded[loads++ % MODULES];
  struct kernel *k = &m->kernels[0];
  *m = (struct module){.device = current, .count = 1};
  k->device = current;
  const char *text = data;
  if (!memcmp(text, "\x7f" "ELF\x02\x01", 6)) {
    if (*(uint16_t *)(text + 18) != 190 || !read_elf(text, k)) FAIL(BAD_IMAGE);
  } else if (!strncmp(text, "stub image\n", 11)) {
    if (!runs(strstr(text, ".target ") + 8)) FAIL(NO_BINARY);
    read_ptx(text, k);
  } else FAIL(BAD_IMAGE);
  *module = m;
  return 0;
}
/* What the driver encodes, as words that a test can read: address; type, rank, interleave, swizzle, promotion and fill, a byte each; five extents; four
   strides; five extents of the box, two a word; five steps. */
EXPORT int cuTensorMapEncodeTiled(uint64_t *map, int type, uint32_t rank, void *address, const uint64_t *extents, const uint64_t *strides,
                                  const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
  static const int bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4}, spans[] = {1 << 30, 32, 64, 128};
  CALLED("");
  NEEDS_CONTEXT;
  if ((uint64_t)map % 64 || type < 0 || type > 12 || rank < 1 || rank > 5 || (uint64_t)address % 16 || interleave || swizzle < 0 || swizzle > 3) FAIL(INVALID);
  if (promotion < 0 || promotion > 3 || (fill && (fill != 1 || type < 6)) || box[0] * bytes[type] % 16 || (int)box[0] * bytes[type] > spans[swizzle]) FAIL(INVALID);
  memset(map, 0, 128);
  map[0] = (uint64_t)address;
  map[1] = type | rank << 8 | interleave << 16 | swizzle << 24 | (uint64_t)promotion << 32 | (uint64_t)fill << 40;
  for (uint32_t i = 0; i < rank; i++) {
    if (!extents[i] || extents[i] > 1ull << 32 || !box[i] || box[i] > 256 || !steps[i] || steps[i] > 8) FAIL(INVALID);
    if (i && (strides[i - 1] % 16 || !strides[i - 1] || strides[i - 1] >= 1ull << 40)) FAIL(INVALID);
    map[2 + i] = extents[i], map[11 + i / 2] |= (uint64_t)box[i] << 32 * (i % 2), map[14] |= (uint64_t)steps[i] << 8 * i;
    if (i) map[6 + i] = strides[i - 1];
  }
  return 0;
}
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  CALLED(name);
  struct module *m = module;
  if (strcmp(m->kernels[0].name, name)) FAIL(NOT_FOUND);
  return *function = &m->kernels[0], 0;
}
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
  char text[32];
  snprintf(text, sizeof text, "%d %d", attribute, value);
  CALLED(text);
  NEEDS_CONTEXT;
  if (attribute == 8 && value > 227 * 1024) FAIL(INVALID);
  if (attribute == 8) ((struct kernel *)function)->dynamic = value;
  if (attribute == 14) spills.portable = value;
  return 0;
}

/* The linker: options are an array of numbers and one of words. 3 and 4 are the log and its size, 5 and 6 that of errors. */
static char *logs[2];
EXPORT int cuLinkCreate_v2(unsigned count, const int *names, void **values, void **state) {
  CALLED("");
  NEEDS_CONTEXT;
  if (S.capturing && mode != 2) FAIL(CAPTURE_UNSUPPORTED);
  for (unsigned i = 0; i < count; i++)
    if (names[i] == 3 || names[i] == 5) logs[names[i] == 5] = values[i];
  return *state = image, 0;
}
EXPORT int cuLinkAddData_v2(void *state, int kind, void *data, size_t size, const char *name, unsigned count, int *names, void **values) {
  const char *text = data;
  CALLED(name);
  (void)names, (void)values;
  if (kind != 1 || count || size > sizeof image - 100 || text[size - 1] || strlen(text) != size - 1) FAIL(INVALID);
  const char *entry = strstr(text, ".entry "), *target = strstr(text, ".target ");
  if (!entry || !target) {
    strcpy(logs[1], "ptxas application ptx input, line 1; fatal   : no entry\nptxas fatal   : Ptx assembly aborted due to errors");
    FAIL(BAD_PTX);
  }
  if (!runs(target + 8)) FAIL(NO_BINARY);
  sprintf(state, "stub image\n%s", text);
  sprintf(logs[0], "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function '%.*s' for '%s'\nptxas info    : Function properties for k\n"
          "    8 bytes stack frame, %d bytes spill stores, %d bytes spill loads\nptxas info    : Used 42 registers, used 0 barriers\n",
          (int)strcspn(entry + 7, "( "), entry + 7, S.arch[current], spills.stores, spills.loads);
  return 0;
}
EXPORT int cuLinkComplete(void *state, void **code, size_t *size) {
  CALLED("");
  return *code = state, *size = strlen(state) + 1, 0;
}
EXPORT int cuLinkDestroy(void *state) {
  CALLED("");
  return state == image ? 0 : INVALID;
}

/* -- launches --------------------------------------------------------------------------------------------------------------------------------- */

static int launch(struct kernel *k, const uint32_t *grid, const uint32_t *block, uint32_t shared, void *stream, void **params, void **extra) {
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  NEEDS_CONTEXT;
  if (S.async) FAIL(S.async);
  int device = device_of((uint64_t)stream);
  if (device < 0) FAIL(BAD_HANDLE);
  for (int i = 0; i < 3; i++)
    if (!grid[i] || !block[i] || grid[i] > (i ? 65535u : 0x7fffffffu) || (k->block[0] && block[i] != k->block[i])) FAIL(INVALID);
  if (threads > 1024 || (shared > 48 * 1024 && shared > k->dynamic)) FAIL(INVALID);
  if (device != current) FAIL(BAD_HANDLE);
  if (extra || (k->count && !params)) FAIL(INVALID);
  if (k->device != device) FAIL(BAD_HANDLE);
  return run(k, grid, block, shared, device, stream, params);
}
struct attribute { uint32_t id, padding, value[16]; };
struct config { uint32_t grid[3], block[3], shared; void *stream; struct attribute *attributes; uint32_t count; };
_Static_assert(sizeof(struct attribute) == 72 && sizeof(struct config) == 56, "CUlaunchAttribute, CUlaunchConfig");
EXPORT int cuLaunchKernelEx(const struct config *c, void *function, void **params, void **extra) {
  struct kernel *k = function;
  CALLED(k->name);
  for (uint32_t i = 0; i < c->count; i++) {
    const uint32_t *v = c->attributes[i].value;
    if (c->attributes[i].id != 4) continue;
    for (int d = 0; d < 3; d++)
      if (!v[d] || c->grid[d] % v[d]) FAIL(INVALID);
    if (v[0] * v[1] * v[2] > 8 && !spills.portable) FAIL(912);
  }
  int status = launch(k, c->grid, c->block, c->shared, c->stream, params, extra);
  for (uint32_t i = 0; i < c->count && i < 8; i++)
    memcpy(S.launch.attributes[i], (uint32_t[]){c->attributes[i].id, c->attributes[i].value[0], c->attributes[i].value[1], c->attributes[i].value[2]}, 16);
  return status;
}
EXPORT int cuStreamSynchronize(void *stream) {
  char text[32];
  snprintf(text, sizeof text, "%#llx", (unsigned long long)(uint64_t)stream);
  CALLED(text);
  NEEDS_CONTEXT;
  if (S.capturing) FAIL(CAPTURE_UNSUPPORTED);
  return S.async ? (S.last = S.async) : 0;
}
EXPORT int cuStreamIsCapturing(void *stream, int *status) {
  CALLED("");
  NEEDS_CONTEXT;
  return *status = stream && S.capturing, 0;
}

/* -- the rest --------------------------------------------------------------------------------------------------------------------------- */

EXPORT int cuInit(unsigned flags) {
  CALLED("");
  return flags ? INVALID : S.devices ? 0 : NO_DEVICE;
}
EXPORT int cuDriverGetVersion(int *version) {
  CALLED("");
  return *version = S.version, 0;
}
EXPORT int cuDeviceGetCount(int *count) {
  CALLED("");
  return *count = S.devices, 0;
}
EXPORT int cuDeviceGet(int *device, int index) {
  CALLED("");
  if (index < 0 || index >= S.devices) FAIL(BAD_DEVICE);
  return *device = index, 0;
}
EXPORT int cuDeviceGetName(char *name, int room, int device) {
  CALLED("");
  return snprintf(name, room, "Stub Accelerator %d", device), 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  CALLED("");
  int have = number(S.arch[device]);
  if (attribute != 75 && attribute != 76) FAIL(INVALID);
  return *value = attribute == 75 ? have / 10 : have % 10, 0;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  CALLED("");
  contexts[device].device = device;
  return *context = &contexts[device], 0;
}
EXPORT int cuCtxGetCurrent(void **context) {
  CALLED("");
  return *context = current < 0 ? NULL : &contexts[current], 0;
}
EXPORT int cuCtxSetCurrent(void *context) {
  char text[16];
  int device = context ? (int)((struct context *)context - contexts) : -1;
  snprintf(text, sizeof text, "%d", device);
  CALLED(text);
  if (device >= S.devices) FAIL(BAD_CONTEXT);
  return current = device, 0;
}
EXPORT int cuThreadExchangeStreamCaptureMode(int *wanted) {
  int had = mode;
  CALLED("");
  mode = *wanted;
  *wanted = had;
  return 0;
}
EXPORT int cuPointerGetAttribute(void *out, int attribute, uint64_t pointer) {
  CALLED("");
  int found = owner(pointer);
  if (attribute != 9 || found < 0) FAIL(INVALID);
  return *(int *)out = found, 0;
}
EXPORT int cuMemAlloc_v2(uint64_t *out, size_t size) {
  CALLED("");
  NEEDS_CONTEXT;
  if (S.capturing && mode != 2) FAIL(CAPTURE_UNSUPPORTED);
  *out = (uint64_t)aligned_alloc(256, (size + 255) & ~(size_t)255);
  return stub_memory(*out, size, current), 0;
}
EXPORT int cuMemFree_v2(uint64_t memory) {
  CALLED("");
  return released(memory);
}
EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
  CALLED("");
  return copy((void *)to, from, size, to);
}
EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
  CALLED("");
  return copy(to, (void *)from, size, from);
}

/* -- several ranks in one process (avelang.dist.gpus) -------------------------------------------------------------------------------------- */

/* Streams are idle always: what is put on one is done at once. */
EXPORT int cuStreamCreate(void **stream, uint32_t flags) {
  CALLED("");
  NEEDS_CONTEXT;
  if (flags != 1) FAIL(INVALID);
  *stream = malloc(1);
  return stub_stream((uint64_t)*stream, current), 0;
}
EXPORT int cuEventQuery(struct event *event) {
  CALLED("");
  return event->live && event->at ? 0 : BAD_HANDLE;
}
EXPORT int cuStreamWaitEvent(void *stream, struct event *event, uint32_t flags) {
  CALLED("");
  if (flags || device_of((uint64_t)stream) < 0 || !event->at) FAIL(INVALID);
  return 0;
}
EXPORT int cuCtxSynchronize(void) {
  CALLED("");
  NEEDS_CONTEXT;
  return 0;
}
EXPORT int cuMemHostAlloc(void **out, size_t size, uint32_t flags) {
  CALLED("");
  NEEDS_CONTEXT;
  if (flags != 3) FAIL(INVALID);
  return *out = aligned_alloc(256, (size + 255) & ~(size_t)255), 0;
}
EXPORT int cuMemsetD8_v2(uint64_t to, uint8_t value, size_t size) {
  CALLED("");
  if (owner(to) != current || owner(to + size - 1) != current) FAIL(INVALID);
  return memset((void *)to, value, size), 0;
}
EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream) {
  CALLED("");
  if (device_of((uint64_t)stream) != owner(to)) FAIL(INVALID);
  return memcpy((void *)to, from, size), 0;
}
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, void *stream) {
  char text[96];
  snprintf(text, sizeof text, "%#llx %#llx %zu", (unsigned long long)to, (unsigned long long)from, size);
  CALLED(text);
  if (device_of((uint64_t)stream) != owner(from) || owner(to) < 0) FAIL(INVALID);
  return memcpy((void *)to, (void *)from, size), 0;
}
EXPORT int cuStreamWaitValue32_v2(void *stream, uint64_t at, uint32_t value, uint32_t flags) {
  CALLED("");
  return flags || !value || device_of((uint64_t)stream) != owner(at) ? (S.last = INVALID) : 0;
}
EXPORT int cuStreamWriteValue32_v2(void *stream, uint64_t at, uint32_t value, uint32_t flags) {
  CALLED("");
  if (flags || device_of((uint64_t)stream) < 0 || owner(at) < 0) FAIL(INVALID);
  return *(uint32_t *)at = value, 0;
}
static int apart, met[8][8];
EXPORT void stub_apart(int on) { apart = on, memset(met, 0, sizeof met); }
EXPORT int cuDeviceCanAccessPeer(int *can, int one, int two) {
  CALLED("");
  if (one == two || one >= S.devices || two >= S.devices) FAIL(BAD_DEVICE);
  return *can = !apart, 0;
}
EXPORT int cuCtxEnablePeerAccess(struct context *peer, uint32_t flags) {
  CALLED("");
  NEEDS_CONTEXT;
  if (flags || peer->device == current) FAIL(BAD_DEVICE);
  if (met[current][peer->device]++) FAIL(704);
  return 0;
}
static const struct name names[] = {
    {INVALID, "CUDA_ERROR_INVALID_VALUE", "invalid argument"}, {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"}, {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {BAD_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}, {BAD_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {BAD_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NO_BINARY, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {BAD_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}, {BAD_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {FAULT, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {NO_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {LAUNCH_FAILURE, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration"}, {0, "CUDA_ERROR_UNKNOWN", "unknown error"}};
EXPORT int cuGetErrorName(int status, const char **out) { return *out = word(names, status, 0), 0; }
EXPORT int cuGetErrorString(int status, const char **out) { return *out = word(names, status, 1), 0; }

/* How long n bare launches take is measured from here, without Python. */
EXPORT int stub_repeat(uint64_t n, void *function, void *stream, void **params) {
  int status = 0;
  while (n--) status |= cuLaunchKernelEx(&(struct config){{1, 1, 1}, {64, 1, 1}, 0, stream, NULL, 0}, function, params, NULL);
  return status;
}
EVENTS(cuEventCreate, cuEventRecord, cuEventSynchronize, cuEventElapsedTime, cuEventDestroy_v2, cuMemsetD8Async)
