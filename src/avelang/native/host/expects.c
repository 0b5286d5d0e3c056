/* What a kernel expects of a launch: rows of arithmetic (expects.py) on slots and grid, of which some must not be 0. */

/* A row. `shift`: how far to shift left and back, which cuts a value to its bits; back with the sign where it is signed. */
typedef struct Row {
  i64 code;
  i64 a;
  i64 b;
  i64 c;
  i64 shift;
  i64 is_signed;
} Row;

/* x / y by the language's rules, truncated or rounded down; by zero -1, or x for what is left over. */
static i64 divided(i64 x, i64 y, bool down, bool rest) {
  if (!y) return rest ? x : -1;
  i64 q = y == -1 ? (i64)-(u64)x : x / y;
  i64 r = (i64)((u64)x - (u64)q * (u64)y);
  if (down && r && (r ^ y) < 0) {
    q -= 1;
    r += y;
  }
  return rest ? r : q;
}

INLINE i64 computed(const Row *row, i64 x, i64 y, i64 z, bool *known) {
  u64 far = least((u32)y, 63);
  switch (row->code) {
    case ADD: return (i64)((u64)x + (u64)y);
    case SUB: return (i64)((u64)x - (u64)y);
    case MUL: return (i64)((u64)x * (u64)y);
    case DIV: return divided(x, y, 0, 0);
    case REM: return divided(x, y, 0, 1);
    case FLOORDIV: return divided(x, y, 1, 0);
    case MOD: return divided(x, y, 1, 1);
    case AND: return x & y;
    case OR: return x | y;
    case XOR: return x ^ y;
    case SHL: return (i64)((u64)x << far);
    case SHR: return x >> far;
    case MIN: return x < y ? x : y;
    case MAX: return x > y ? x : y;
    case EQ: return x == y;
    case NE: return x != y;
    case LT: return x < y;
    case LE: return x <= y;
    case GT: return x > y;
    case GE: return x >= y;
    case SELECT: return x ? y : z;
    case CONVERT: return x;
    case NOT: return ~x;
    case NEG: return (i64)-(u64)x;
    case NOT1: return x ^ 1;
    default: *known = 0; return 0;
  }
}

/* Whether a launch keeps it. The table: how many rows, how many conditions, the rows, the numbers of the rows that must not be 0. */
static bool kept(const i64 *table, const u64 *slots, const u32 *grid) {
  i64 values[MOST_EXPECTED];
  i64 rows = table[0], asked = table[1];
  const Row *row = (const Row *)(table + 2);
  for (i64 i = 0; i < rows; i++, row++) {
    i64 value;
    bool known = 1;
    switch (row->code) {
      case CONST: value = row->a; break;
      case ARG: value = slots[row->a]; break;
      case GRID: value = grid[row->a]; break;
      default: value = computed(row, values[row->a], values[row->b], values[row->c], &known);
    }
    if (!known) return 0;
    u64 up = (u64)value << row->shift;
    values[i] = row->is_signed ? (i64)up >> row->shift : (i64)(up >> row->shift);
  }
  const i64 *must = (const i64 *)row;
  for (i64 i = 0; i < asked; i++)
    if (!values[must[i]]) return 0;
  return 1;
}

/* For Python. */
int ave_kept(const i64 *table, const u64 *slots, const u32 *grid) { return kept(table, slots, grid); }
