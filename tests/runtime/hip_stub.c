/* A library with the ABI of libamdhip64, for tests: launches come in; what a driver checks is checked, the packed arguments among it, and every
   call is written down. Nothing runs. A pointer argument that lies in no memory of the device is found by the next hipStreamSynchronize, as a fault
   on a card would be. The checks are those of ROCm's own runtime (clr, hip_module.cpp); `stub_*` is for the tests. */

#include "gpu_stub.h"

/* -- MessagePack, as far as the metadata of code objects uses it -------------------------------------------------------------------------- */

typedef const uint8_t *bytes;
static uint64_t big(bytes p, int n) {
  uint64_t v = 0;
  for (int i = 0; i < n; i++) v = v << 8 | p[i];
  return v;
}
/* What stands at *p: 'm' map, 'a' array, 's' string, 'u' integer, 0 anything else; *n is its length or value; *p moves behind the head. */
static char head(bytes *p, uint64_t *n) {
  uint8_t t = *(*p)++;
  *n = 0;
  if (t < 0x80) return *n = t, 'u';
  if (t < 0x90) return *n = t & 15, 'm';
  if (t < 0xa0) return *n = t & 15, 'a';
  if (t < 0xc0) return *n = t & 31, 's';
  static const struct { uint8_t code; char kind; int bytes; } wide[] = {
      {0xcc, 'u', 1}, {0xcd, 'u', 2}, {0xce, 'u', 4}, {0xcf, 'u', 8}, {0xd9, 's', 1}, {0xda, 's', 2}, {0xdb, 's', 4},
      {0xdc, 'a', 2}, {0xdd, 'a', 4}, {0xde, 'm', 2}, {0xdf, 'm', 4}};
  for (unsigned i = 0; i < sizeof wide / sizeof *wide; i++)
    if (wide[i].code == t) {
      *n = big(*p, wide[i].bytes);
      *p += wide[i].bytes;
      return wide[i].kind;
    }
  return 0; /* nil, booleans */
}
static void skip(bytes *p) {
  uint64_t n;
  char kind = head(p, &n);
  if (kind == 's') *p += n;
  for (uint64_t i = 0; (kind == 'a' || kind == 'm') && i < n * (kind == 'm' ? 2 : 1); i++) skip(p);
}
/* The value of a key in the map at p, or null. */
static bytes get(bytes p, const char *key) {
  uint64_t n, length;
  if (head(&p, &n) != 'm') return NULL;
  for (uint64_t i = 0; i < n; i++) {
    head(&p, &length);
    int hit = length == strlen(key) && !memcmp(p, key, length);
    p += length;
    if (hit) return p;
    skip(&p);
  }
  return NULL;
}
static uint64_t number(bytes map, const char *key) {
  bytes p = get(map, key);
  uint64_t n = 0;
  return p && head(&p, &n) == 'u' ? n : 0;
}
static void string(bytes map, const char *key, char *out, size_t room) {
  bytes p = get(map, key);
  uint64_t n = 0;
  *out = 0;
  if (p && head(&p, &n) == 's') snprintf(out, room, "%.*s", (int)n, (const char *)p);
}

/* -- code objects ----------------------------------------------------------------------------------------------------------------------- */

static void read_kernel(bytes map, struct kernel *k) {
  char kind[64];
  uint64_t n = 0;
  string(map, ".name", k->name, sizeof k->name);
  k->threads = number(map, ".max_flat_workgroup_size");
  k->lds = number(map, ".group_segment_fixed_size");
  bytes args = get(map, ".args");
  if (args) head(&args, &n);
  for (uint64_t i = 0; i < n; i++, skip(&args)) {
    string(args, ".value_kind", kind, sizeof kind);
    if (strncmp(kind, "hidden_", 7) && k->count < 64) /* the runtime itself fills in the hidden ones */
      k->args[k->count++] = (struct arg){number(args, ".size"), number(args, ".offset"), !strcmp(kind, "global_buffer")};
  }
}
/* The metadata: note type 32 of the vendor "AMDGPU" (LLVM, AMDGPUUsage, "Code Object Metadata"). */
static bytes metadata(bytes elf) {
  uint64_t phoff = *(uint64_t *)(elf + 32);
  uint16_t size = *(uint16_t *)(elf + 54), count = *(uint16_t *)(elf + 56);
  for (int i = 0; i < count; i++) {
    bytes ph = elf + phoff + (uint64_t)i * size;
    if (*(uint32_t *)ph != 4) continue; /* PT_NOTE */
    bytes p = elf + *(uint64_t *)(ph + 8), end = p + *(uint64_t *)(ph + 32);
    while (p + 12 <= end) {
      uint32_t names = *(uint32_t *)p, room = *(uint32_t *)(p + 4), type = *(uint32_t *)(p + 8);
      bytes desc = p + 12 + ((names + 3) & ~3u);
      if (type == 32 && names == 7 && !memcmp(p + 12, "AMDGPU", 7)) return desc;
      p = desc + ((room + 3) & ~3u);
    }
  }
  return NULL;
}
EXPORT int hipModuleLoadData(void **module, const void *image) {
  CALLED("");
  if (S.capturing && mode != 2) FAIL(CAPTURE_UNSUPPORTED);
  bytes elf = image, map;
  char target[128], chip[64], want[128];
  uint64_t n = 0;
  if (memcmp(elf, "\x7f" "ELF\x02\x01\x01\x40", 8) || *(uint16_t *)(elf + 16) != 3 || *(uint16_t *)(elf + 18) != 224) FAIL(BAD_IMAGE);
  if (!(map = metadata(elf))) FAIL(BAD_IMAGE);
  string(map, "amdhsa.target", target, sizeof target);
  snprintf(chip, sizeof chip, "%s", S.arch[current]);
  chip[strcspn(chip, ":")] = 0;
  snprintf(want, sizeof want, "amdgcn-amd-amdhsa--%s", chip);
  if (strcmp(target, want)) FAIL(NO_BINARY);
  struct module *m = &loaded[loads++ % MODULES];
  *m = (struct module){.device = current};
  bytes list = get(map, "amdhsa.kernels");
  if (list) head(&list, &n);
  for (uint64_t i = 0; i < n && i < 8; i++, skip(&list)) {
    m->kernels[m->count].device = current;
    read_kernel(list, &m->kernels[m->count++]);
  }
  *module = m;
  return 0;
}
EXPORT int hipModuleGetFunction(void **function, void *module, const char *name) {
  CALLED(name);
  struct module *m = module;
  for (int i = 0; i < m->count; i++)
    if (!strcmp(m->kernels[i].name, name)) return *function = &m->kernels[i], 0;
  FAIL(NOT_FOUND);
}

/* -- launches --------------------------------------------------------------------------------------------------------------------------- */

EXPORT int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                 void *stream, void **params, void **extra) {
  struct kernel *k = function;
  uint64_t grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz}, threads = (uint64_t)bx * by * bz;
  CALLED(k->name);
  int device = device_of((uint64_t)stream);
  if (device < 0) FAIL(BAD_HANDLE);
  for (int i = 0; i < 3; i++)
    if (!grid[i] || !block[i] || grid[i] > (i ? 65536u : 0x7fffffffu) || grid[i] * block[i] > 0xffffffffu) FAIL(INVALID);
  if (threads > 1024 || shared + k->lds > 163840) FAIL(INVALID);
  if (device != current) FAIL(BAD_HANDLE);
  if (extra || (k->count && !params)) FAIL(INVALID);
  if (k->device != device) FAIL(BAD_DEVICE);
  if (threads > k->threads) FAIL(LAUNCH_FAILURE);
  return run(k, (uint32_t[]){gx, gy, gz}, (uint32_t[]){bx, by, bz}, shared, device, stream, params);
}
EXPORT int hipStreamIsCapturing(void *stream, int *status) {
  CALLED("");
  return *status = stream && S.capturing, 0;
}
EXPORT int hipStreamSynchronize(void *stream) {
  char text[32];
  snprintf(text, sizeof text, "%#llx", (unsigned long long)(uint64_t)stream);
  CALLED(text);
  if (S.capturing) FAIL(CAPTURE_UNSUPPORTED);
  return S.async ? (S.last = S.async) : 0;
}

/* -- the rest --------------------------------------------------------------------------------------------------------------------------- */

EXPORT int hipInit(unsigned flags) {
  CALLED("");
  return flags ? (S.last = INVALID) : 0;
}
EXPORT int hipRuntimeGetVersion(int *version) {
  CALLED("");
  return *version = S.version, 0;
}
EXPORT int hipGetDeviceCount(int *count) {
  CALLED("");
  *count = S.devices;
  return S.devices ? 0 : (S.last = NO_DEVICE);
}
EXPORT int hipGetDevice(int *device) {
  CALLED("");
  return *device = current, 0;
}
EXPORT int hipSetDevice(int device) {
  char text[16];
  snprintf(text, sizeof text, "%d", device);
  CALLED(text);
  if (device < 0 || device >= S.devices) FAIL(BAD_DEVICE);
  return current = device, 0;
}
/* The layout of ROCm 6's hipDeviceProp_tR0600 up to the field that is read, written as a C compiler lays it out. */
struct properties {
  char name[256], uuid[16], luid[8];
  unsigned luid_mask;
  size_t global, shared;
  int registers, warp;
  size_t pitch;
  int threads, dims[3], grid[3], clock;
  size_t constant;
  int major, minor;
  size_t texture, texture_pitch;
  int flags[6], textures[26], surfaces[14];
  size_t surface;
  int more[16];
  size_t shared_sm;
  int others[12];
  size_t optin;
  int pages[4];
  size_t reserved_shared;
  int tail[13], reserved[63], hip_reserved[32];
  char arch[256];
};
_Static_assert(offsetof(struct properties, arch) == 1160, "hipDeviceProp_tR0600.gcnArchName");
EXPORT int hipGetDevicePropertiesR0600(struct properties *out, int device) {
  CALLED("");
  if (device < 0 || device >= S.devices) FAIL(BAD_DEVICE);
  memset(out, 0, 1472);
  snprintf(out->name, sizeof out->name, "Stub Accelerator %d", device);
  memcpy(out->arch, S.arch[device], 64);
  return 0;
}
EXPORT int hipThreadExchangeStreamCaptureMode(int *wanted) {
  int had = mode;
  CALLED("");
  mode = *wanted;
  *wanted = had;
  return 0;
}
EXPORT int hipPointerGetAttribute(void *out, int attribute, void *pointer) {
  CALLED("");
  int found = owner((uint64_t)pointer);
  if (attribute != 9 || found < 0) FAIL(INVALID);
  return *(int *)out = found, 0;
}
EXPORT int hipMalloc(void **out, size_t size) {
  CALLED("");
  if (S.capturing && mode != 2) FAIL(CAPTURE_UNSUPPORTED);
  *out = aligned_alloc(256, (size + 255) & ~(size_t)255);
  return stub_memory((uint64_t)*out, size, current), 0;
}
EXPORT int hipFree(void *memory) {
  CALLED("");
  return released((uint64_t)memory);
}
EXPORT int hipMemcpyHtoD(void *to, const void *from, size_t size) {
  CALLED("");
  return copy(to, from, size, (uint64_t)to);
}
EXPORT int hipMemcpyDtoH(void *to, const void *from, size_t size) {
  CALLED("");
  return copy(to, from, size, (uint64_t)from);
}
EXPORT int hipGetLastError(void) {
  int last = S.last;
  S.last = 0;
  return last;
}
EXPORT int hipPeekAtLastError(void) { return S.last; }
static const struct name names[] = {
    {INVALID, "hipErrorInvalidValue", "invalid argument"}, {3, "hipErrorNotInitialized", "initialization error"},
    {NO_DEVICE, "hipErrorNoDevice", "no ROCm-capable device is detected"}, {BAD_DEVICE, "hipErrorInvalidDevice", "invalid device ordinal"},
    {BAD_IMAGE, "hipErrorInvalidImage", "device kernel image is invalid"}, {2, "hipErrorOutOfMemory", "out of memory"},
    {NO_BINARY, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {BAD_HANDLE, "hipErrorInvalidResourceHandle", "invalid resource handle"}, {NOT_FOUND, "hipErrorNotFound", "named symbol not found"},
    {FAULT, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {NO_RESOURCES, "hipErrorLaunchOutOfResources", "too many resources requested for launch"},
    {LAUNCH_FAILURE, "hipErrorLaunchFailure", "unspecified launch failure"},
    {CAPTURE_UNSUPPORTED, "hipErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {0, "hipErrorUnknown", "unknown error"}};
EXPORT const char *hipGetErrorName(int status) { return word(names, status, 0); }
EXPORT const char *hipGetErrorString(int status) { return word(names, status, 1); }

/* How long n bare launches take is measured from here, without Python. */
EXPORT int stub_repeat(uint64_t n, void *function, void *stream, void **params) {
  int status = 0;
  while (n--) status |= hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, params, NULL);
  return status;
}
EVENTS(hipEventCreateWithFlags, hipEventRecord, hipEventSynchronize, hipEventElapsedTime, hipEventDestroy, hipMemsetD8Async)
