/* A stand-in for ROCm's libamd_comgr, version 3 of its ABI: the calls that linking takes, with handles that are checked for their kind and their
   life. "Linking" runs the program in LD on files, as the real library does inside. counts() says how many handles are alive. */
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { LOG = 5, OBJECT = 7, EXECUTABLE = 8, MAX = 64 };
typedef struct { uint64_t handle; } H;
typedef struct { char tag; int refs, kind, n, members[MAX]; size_t size; char *bytes; char isa[64], name[64]; bool logging; } Thing;
static Thing things[MAX];

static int fresh(char tag) {
  for (int i = 1; i < MAX; i++)
    if (!things[i].tag) { memset(&things[i], 0, sizeof *things); things[i].tag = tag; things[i].refs = 1; return i; }
  abort();
}
static Thing *get(H h, char tag) { return h.handle && h.handle < MAX && things[h.handle].tag == tag ? &things[h.handle] : NULL; }
static void drop(Thing *t) {
  if (--t->refs) return;
  for (int i = 0; i < t->n; i++) drop(&things[t->members[i]]);
  free(t->bytes);
  t->tag = 0;
}
static void put(Thing *set, int kind, const char *bytes, size_t size) {
  int i = fresh('d');
  things[i].kind = kind; things[i].size = size; things[i].bytes = malloc(size + 1); memcpy(things[i].bytes, bytes, size);
  set->members[set->n++] = i;
}

EXPORT int counts(void) { int n = 0; for (int i = 1; i < MAX; i++) n += things[i].tag != 0; return n; }
EXPORT void amd_comgr_get_version(size_t *major, size_t *minor) { *major = MAJOR; *minor = 0; }
EXPORT int amd_comgr_create_data(int kind, H *out) { out->handle = fresh('d'); things[out->handle].kind = kind; return 0; }
EXPORT int amd_comgr_release_data(H h) { Thing *t = get(h, 'd'); if (!t) return 2; drop(t); return 0; }
EXPORT int amd_comgr_set_data(H h, size_t size, const char *bytes) {
  Thing *t = get(h, 'd'); if (!t || !size) return 2;
  t->size = size; t->bytes = malloc(size); memcpy(t->bytes, bytes, size); return 0;
}
EXPORT int amd_comgr_set_data_name(H h, const char *name) { Thing *t = get(h, 'd'); if (!t) return 2; snprintf(t->name, 64, "%s", name); return 0; }
EXPORT int amd_comgr_get_data(H h, size_t *size, char *bytes) {
  Thing *t = get(h, 'd'); if (!t) return 2;
  if (bytes) memcpy(bytes, t->bytes, *size); else *size = t->size;
  return 0;
}
EXPORT int amd_comgr_create_data_set(H *out) { out->handle = fresh('s'); return 0; }
EXPORT int amd_comgr_destroy_data_set(H h) { Thing *t = get(h, 's'); if (!t) return 2; drop(t); return 0; }
EXPORT int amd_comgr_data_set_add(H set, H data) {
  Thing *s = get(set, 's'), *d = get(data, 'd'); if (!s || !d || !d->name[0]) return 2;
  d->refs++; s->members[s->n++] = data.handle; return 0;
}
EXPORT int amd_comgr_create_action_info(H *out) { out->handle = fresh('i'); return 0; }
EXPORT int amd_comgr_destroy_action_info(H h) { Thing *t = get(h, 'i'); if (!t) return 2; drop(t); return 0; }
EXPORT int amd_comgr_action_info_set_isa_name(H h, const char *isa) {
  Thing *t = get(h, 'i'); if (!t || strncmp(isa, "amdgcn-amd-amdhsa--gfx", 22)) return 2;
  snprintf(t->isa, 64, "%s", isa); return 0;
}
EXPORT int amd_comgr_action_info_set_logging(H h, bool on) { Thing *t = get(h, 'i'); if (!t) return 2; t->logging = on; return 0; }
EXPORT int amd_comgr_action_data_count(H set, int kind, size_t *count) {
  Thing *s = get(set, 's'); if (!s) return 2;
  *count = 0;
  for (int i = 0; i < s->n; i++) *count += things[s->members[i]].kind == kind;
  return 0;
}
EXPORT int amd_comgr_action_data_get_data(H set, int kind, size_t index, H *out) {
  Thing *s = get(set, 's'); if (!s) return 2;
  for (int i = 0; i < s->n; i++)
    if (things[s->members[i]].kind == kind && !index--) { out->handle = s->members[i]; things[out->handle].refs++; return 0; }
  return 2;
}
EXPORT int amd_comgr_do_action(int action, H info, H in, H out) {
  Thing *i = get(info, 'i'), *s = get(in, 's'), *r = get(out, 's');
  if (!i || !s || !r || !i->isa[0] || action != (MAJOR == 3 ? 7 : 9) || s->n != 1 || things[s->members[0]].kind != OBJECT) return 2;
  char from[] = "/tmp/comgrXXXXXX", to[64], command[512], text[4096];
  FILE *f = fdopen(mkstemp(from), "wb");
  fwrite(things[s->members[0]].bytes, 1, things[s->members[0]].size, f);
  fclose(f);
  snprintf(to, 64, "%s.out", from);
  snprintf(command, 512, "%s -shared --no-undefined -o %s %s 2>&1", LD, to, from);
  FILE *p = popen(command, "r");
  size_t n = fread(text, 1, sizeof text, p);
  int status = pclose(p);
  unlink(from);
  if (status) { if (i->logging) put(r, LOG, text, n); return 1; }
  f = fopen(to, "rb");
  char *bytes = malloc(1 << 20);
  n = fread(bytes, 1, 1 << 20, f);
  fclose(f);
  unlink(to);
  put(r, EXECUTABLE, bytes, n);
  free(bytes);
  return 0;
}
