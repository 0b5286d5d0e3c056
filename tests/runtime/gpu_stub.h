/* What the stubs of drivers have in common, for tests: devices, memory, streams, launches, and what the tests ask and set (`stub_*`). */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
/* Both drivers have the same numbers. */
enum { INVALID = 1, NO_DEVICE = 100, BAD_DEVICE = 101, BAD_IMAGE = 200, BAD_CONTEXT = 201, NO_BINARY = 209, BAD_PTX = 218, BAD_HANDLE = 400,
       NOT_FOUND = 500, FAULT = 700, NO_RESOURCES = 701, LAUNCH_FAILURE = 719, CAPTURE_UNSUPPORTED = 900 };

struct arg { uint64_t size, offset; int pointer; };
struct kernel { char name[128]; int device, count; struct arg args[64]; uint64_t threads, lds, dynamic; uint32_t block[3]; };
struct module { int device, count; struct kernel kernels[8]; };
struct launch {
  char kernel[128];
  uint32_t grid[3], block[3], shared;
  int32_t device;
  uint64_t stream;
  int32_t count, padding;
  uint64_t values[64], sizes[64];
  uint32_t attributes[8][4];
  uint64_t wide[16][16]; /* arguments of 128 bytes, in order; `values` has their first word */
};
struct range { uint64_t start, size; int device; };
struct failure { char symbol[64]; int status; };

static struct {
  int devices, version, quiet, capturing, async, last, ranges, streams, failures;
  char arch[8][64], log[1 << 16];
  struct range range[256], stream[1024];
  struct failure failure[8];
  uint64_t launches;
  uint32_t words[256], written;
  struct launch launch;
} S;
/* What was loaded stays so when a test begins anew: kernels of the package keep the driver's functions. */
enum { MODULES = 1024 };
static struct module loaded[MODULES];
static unsigned loads;
static __thread int current, mode;

/* -- for the tests ---------------------------------------------------------------------------------------------------------------------- */

EXPORT void stub_reset(int devices, const char *arch, int version) {
  memset(&S, 0, sizeof S);
  S.devices = devices;
  S.version = version;
  for (int i = 0; i < 8; i++) snprintf(S.arch[i], sizeof S.arch[i], "%s", arch);
  current = mode = 0;
}
EXPORT void stub_arch(int device, const char *arch) { snprintf(S.arch[device], sizeof S.arch[device], "%s", arch); }
EXPORT void stub_memory(uint64_t start, uint64_t size, int device) { S.range[S.ranges++ % 256] = (struct range){start, size, device}; }
EXPORT void stub_stream(uint64_t handle, int device) { S.stream[S.streams++ % 1024] = (struct range){handle, 0, device}; }
EXPORT void stub_fail(const char *symbol, int status) {
  struct failure *f = &S.failure[S.failures++ % 8];
  snprintf(f->symbol, sizeof f->symbol, "%s", symbol);
  f->status = status;
}
/* For frames of XLA's that are timed: an answer to a question, memory, and its return. */
EXPORT uint64_t stub_said, stub_room;
EXPORT void *stub_answer(uint64_t *ask) { ask[3] = stub_said; return NULL; }
EXPORT void *stub_take(uint64_t *take) { take[5] = stub_room; return NULL; }
EXPORT void *stub_give(uint64_t *give) { (void)give; return NULL; }
EXPORT void stub_quiet(int quiet) { S.quiet = quiet; }
EXPORT void stub_capture(int on) { S.capturing = on; }
EXPORT const char *stub_log(void) { return S.log; }
EXPORT void stub_forget(void) { S.log[0] = 0; }
EXPORT uint64_t stub_launches(void) { return S.launches; }
EXPORT const struct launch *stub_launch(void) { return &S.launch; }

/* What the next kernel writes behind the first two words of its last argument, as one that prints would. */
EXPORT void stub_write(const uint32_t *words, uint32_t count) { memcpy(S.words, words, 4 * (S.written = count)); }

static int note(const char *symbol, const char *text) {
  for (int i = 0; i < S.failures; i++)
    if (!strcmp(S.failure[i].symbol, symbol)) {
      int status = S.failure[i].status;
      S.failure[i] = S.failure[--S.failures];
      return S.last = status;
    }
  size_t used = S.quiet ? 0 : strlen(S.log);
  if (!S.quiet && used + strlen(symbol) + strlen(text) + 3 < sizeof S.log) sprintf(S.log + used, "%s%s%s\n", symbol, *text ? " " : "", text);
  return 0;
}
#define CALLED(text)                          \
  do {                                        \
    int status_ = note(__func__, text);       \
    if (status_) return status_;              \
  } while (0)
#define FAIL(status) return S.last = (status)

/* -- memory, streams, launches ------------------------------------------------------------------------------------------------------------ */

static int device_of(uint64_t stream) {
  for (int i = 0; i < S.streams && i < 1024; i++)
    if (S.stream[i].start == stream) return S.stream[i].device;
  return stream ? -1 : current; /* the default stream is the current device's */
}
/* Memory that was freed and given out again belongs to the last who had it. */
static int owner(uint64_t address) {
  for (int i = S.ranges - 1; i >= 0 && i >= S.ranges - 256; i--)
    if (address - S.range[i % 256].start < S.range[i % 256].size) return S.range[i % 256].device;
  return -1;
}
/* A launch that the driver's own checks have let through: its arguments are copied by the sizes that the code gives them. */
static int run(struct kernel *k, const uint32_t *grid, const uint32_t *block, uint32_t shared, int device, void *stream, void **params) {
  struct launch *l = &S.launch;
  *l = (struct launch){.shared = shared, .device = device, .stream = (uint64_t)stream, .count = k->count};
  memcpy(l->grid, grid, sizeof l->grid);
  memcpy(l->block, block, sizeof l->block);
  memcpy(l->kernel, k->name, sizeof l->kernel);
  for (int i = 0, wides = 0; i < k->count; i++) {
    if (k->args[i].size > 8) memcpy(l->wide[wides++ % 16], params[i], k->args[i].size > 128 ? 128 : k->args[i].size);
    memcpy(&l->values[i], params[i], k->args[i].size > 8 ? 8 : k->args[i].size);
    l->sizes[i] = k->args[i].size;
    if (k->args[i].pointer && l->values[i] && owner(l->values[i]) != device && owner(l->values[i]) != 1000) S.async = FAULT;
  }
  if (S.written) memcpy((uint32_t *)l->values[k->count - 1] + 2, S.words, 4 * S.written);
  S.written = 0;
  __atomic_fetch_add(&S.launches, 1, __ATOMIC_RELAXED);
  return 0;
}
static int released(uint64_t memory) {
  for (int i = 0; i < S.ranges && i < 256; i++)
    if (S.range[i].size && S.range[i].start == memory) return free((void *)memory), S.range[i].size = 0, 0;
  FAIL(INVALID);
}
static int copy(void *to, const void *from, size_t size, uint64_t device) {
  if (owner(device) != current || owner(device + size - 1) != current) FAIL(INVALID);
  return memcpy(to, from, size), 0;
}
struct name { int status; const char *name, *text; };
static const char *word(const struct name *names, int status, int text) {
  for (; names->status; names++)
    if (names->status == status) break;
  return text ? names->text : names->name;
}

/* Events: an event is a number that grows with each record; two that were recorded one after another are a millisecond apart. Filling memory checks the
   range and writes nothing. Both drivers have these, by other names. */
struct event { int live, at; };
static struct event events[256];
static int recorded;
#define EVENTS(create, record, wait, elapsed, destroy, fill)                                       \
  EXPORT int create(struct event **event, unsigned flags) {                                        \
    CALLED("");                                                                                    \
    if (flags & ~2u) FAIL(INVALID); /* 2: no timing */                                             \
    for (int i = 0; i < 256; i++)                                                                  \
      if (!events[i].live) return events[i] = (struct event){1, 0}, *event = &events[i], 0;        \
    FAIL(NO_RESOURCES);                                                                            \
  }                                                                                                \
  EXPORT int record(struct event *event, void *stream) {                                           \
    CALLED("");                                                                                    \
    if (!event->live || device_of((uint64_t)stream) < 0) FAIL(BAD_HANDLE);                         \
    return event->at = ++recorded, 0;                                                              \
  }                                                                                                \
  EXPORT int wait(struct event *event) {                                                           \
    CALLED("");                                                                                    \
    return event->live ? S.async : (S.last = BAD_HANDLE);                                          \
  }                                                                                                \
  EXPORT int elapsed(float *ms, struct event *start, struct event *end) {                          \
    CALLED("");                                                                                    \
    if (!start->live || !end->live || !start->at || !end->at) FAIL(BAD_HANDLE);                    \
    return *ms = end->at - start->at, 0;                                                           \
  }                                                                                                \
  EXPORT int destroy(struct event *event) {                                                        \
    CALLED("");                                                                                    \
    if (!event->live) FAIL(BAD_HANDLE);                                                            \
    return event->live = 0;                                                                        \
  }                                                                                                \
  EXPORT int fill(void *memory, unsigned char byte, size_t size, void *stream) {                   \
    CALLED("");                                                                                    \
    (void)byte, (void)size;                                                                        \
    return !memory || device_of((uint64_t)stream) < 0 ? (S.last = INVALID) : 0;                    \
  }
