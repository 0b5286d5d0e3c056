/* Tensor maps by the arrays that they describe: an array's address, extents and strides come in; 128 bytes go out, encoded by `tensor_maps.py` when
   an array like this came by for the first time: for a GPU the driver's descriptor, for the CPU the words that its code reads.

   A table is for one type of map. It is read and written only by who holds the interpreter's lock, and a launch gets a copy: so a record may be
   replaced at any time, also while another thread waits in the driver. */

#define PROBES 8 /* records where a key may stand, one behind the other */
enum { EXTENTS = 1, STRIDES = 6, USED = 11 }; /* places in a key */

typedef i64 Eight __attribute__((ext_vector_type(8), aligned(8)));
typedef i64 Four __attribute__((ext_vector_type(4), aligned(8)));

INLINE u64 mixed(u64 hash, u64 word) { return (hash << 11 | hash >> 53) ^ word; }

/* Where a search begins: both halves of the product with 2^64 over the golden ratio, of which each bit of the hash changes many. */
INLINE u64 start_of(u64 hash) {
  unsigned __int128 product = (unsigned __int128)hash * 11400714819323198485u;
  return (u64)(product >> 64) ^ (u64)product;
}

/* All twelve words at once, as two vectors: vectors are not found by LLVM here. */
INLINE bool same_key(const i64 *a, const i64 *b) {
  Eight first = *(const Eight *)a ^ *(const Eight *)b;
  Four last = *(const Four *)(a + 8) ^ *(const Four *)(b + 8);
  return (__builtin_reduce_or(first) | __builtin_reduce_or(last)) == 0;
}

/* The record with this key, or the one to put it into, which is free or to be replaced; `*has`: whether it has the key. */
static TensorMapRecord *record_of(Maps *maps, const i64 *key, u64 hash, bool *has) {
  u64 start = start_of(hash);
  for (u64 i = 0; i < PROBES; i++) {
    TensorMapRecord *record = &maps->records[(start + i) & maps->mask];
    *has = same_key(record->key, key);
    if (*has || !record->key[USED]) return record;
  }
  /* Some record of the eight: which one, the key says. */
  return &maps->records[(start + hash % PROBES) & maps->mask];
}

/* The hash of a whole key, as `described` makes it word by word. `rank` extents and strides. */
static u64 hash_of(const i64 *key, u64 rank) {
  u64 hash = key[0];
  for (u64 k = 0; k < rank; k++) hash = mixed(mixed(hash, key[EXTENTS + k]), key[STRIDES + k]);
  return hash;
}

/* For Python, which holds the interpreter's lock: 1 where the table has the key, whose value is copied out. */
int ave_map_find(Maps *maps, const i64 *key, u64 rank, void *out) {
  bool has;
  TensorMapRecord *record = record_of(maps, key, hash_of(key, rank), &has);
  if (has) __builtin_memcpy(out, record->value, sizeof record->value);
  return has;
}

/* For Python, likewise: keeps a value, which may replace another one; 1 where a record that was free is used now. */
int ave_map_keep(Maps *maps, const i64 *key, u64 rank, const void *value) {
  bool has;
  TensorMapRecord *record = record_of(maps, key, hash_of(key, rank), &has);
  bool new = !record->key[USED];
  __builtin_memcpy(record->key, key, sizeof record->key);
  __builtin_memcpy(record->value, value, sizeof record->value);
  return new;
}

/* An array of `rank` dimensions, strides in units of `unit` bytes: where the table knows it, its value is copied to the `Wide`. */
static bool described(Maps *maps, u64 address, u64 rank, const i64 *shape, const i64 *strides, i64 unit, Wide *wide) {
  _Alignas(64) i64 key[12] = {[USED] = 1};
  u64 hash = address;
  key[0] = address;
  for (u64 k = 0; k < rank; k++) {
    key[EXTENTS + k] = shape[k];
    key[STRIDES + k] = strides[k] * unit;
    hash = mixed(mixed(hash, key[EXTENTS + k]), key[STRIDES + k]);
  }
  bool has;
  TensorMapRecord *record = record_of(maps, key, hash, &has);
  if (!has) return 0;
  __builtin_memcpy(wide->value, record->value, sizeof record->value);
  wide->word = address;
  return 1;
}
