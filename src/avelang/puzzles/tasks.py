"""The ten puzzles: statements, skeletons, drawn cases, and what people get wrong in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avelang.base.lazy import np
from avelang.base.places import argument_error
from avelang.puzzles.puzzle import Case, Mistake, Puzzle

WAVE = 64


def _whole(rng: Any, *shape: int) -> Any:
    """Small whole numbers in f32, whose sums are exact."""
    return rng.integers(-9, 10, shape).astype(np.float32)


def _empty(*shape: int) -> Any:
    return np.empty(shape, np.float32)


def _up(n: int, by: int) -> int:
    return -(-n // by)


def _line(
    kernel_args: Callable[[Any, int], tuple[tuple[Any, ...], int, Any]],
    sizes: Callable[[Any], list[int]],
    grid: Callable[[int], tuple[int, ...]],
    block: tuple[int, ...],
) -> Callable[[Any], list[Case]]:
    """Cases of one extent n."""

    def cases(rng: Any) -> list[Case]:
        found = []
        for n in sizes(rng):
            args, out, want = kernel_args(rng, n)
            found.append(Case(args, out, want, grid(n), block, f"n = {n}"))
        return found

    return cases


# -- 1 and 2: a mask, and blocks ---------------------------------------------------------------------------------------


def _add_one(rng: Any, n: int) -> tuple[tuple[Any, ...], int, Any]:
    x = _whole(rng, n)
    return (x, _empty(n), n), 1, x + 1


def _saxpy(rng: Any, n: int) -> tuple[tuple[Any, ...], int, Any]:
    x, y = _whole(rng, n), _whole(rng, n)
    return (3.0, x, y, _empty(n), n), 3, 3 * x + y


ADD_ONE = Puzzle(
    1,
    "add_one",
    "One thread, one element",
    "y[i] = x[i] + 1 for i = 0 .. n - 1.\n"
    "There is one block of 64 threads, and n is at most 64. Threads from n on must do nothing.",
    """@avelang.jit
def add_one(x: al.Pointer[al.f32], y: al.Pointer[al.f32], n: al.u32):
    xs = al.make_tensor(x, al.f32, al.make_layout((n,)))
    ys = al.make_tensor(y, al.f32, al.make_layout((n,)))
    i = al.thread_id(0)
    # Yours: store into ys[i].
""",
    _line(_add_one, lambda rng: [64, 1, 63, int(rng.integers(2, 63))], lambda n: (1,), (64,)),
    (Mistake(lambda c: c.args[0], "y is x. The 1 is missing."),),
)

SAXPY = Puzzle(
    2,
    "saxpy",
    "Many blocks",
    "out[i] = a * x[i] + y[i] for i = 0 .. n - 1.\n"
    "Blocks have 64 threads, and there are enough of them: n rounded up to a multiple of 64. n can be any number.",
    """@avelang.jit
def saxpy(a: al.f32, x: al.Pointer[al.f32], y: al.Pointer[al.f32], out: al.Pointer[al.f32], n: al.u32):
    xs = al.make_tensor(x, al.f32, al.make_layout((n,)))
    ys = al.make_tensor(y, al.f32, al.make_layout((n,)))
    outs = al.make_tensor(out, al.f32, al.make_layout((n,)))
    # Yours: which element is this thread's? al.block_id(0) and al.thread_id(0) say where it is.
""",
    _line(_saxpy, lambda rng: [200, 64, 65, int(rng.integers(66, 300))], lambda n: (_up(n, 64),), (64,)),
    (
        Mistake(lambda c: c.args[0] * c.args[1], "y is not added."),
        Mistake(lambda c: c.args[1] + c.args[2], "x is not multiplied by a."),
    ),
    codes=(
        (
            "X040",
            "Several blocks write the same elements. The index needs the number of the block: "
            "al.block_id(0) * 64 + al.thread_id(0).",
        ),
    ),
)

# -- 3: two dimensions ------------------------------------------------------------------------------------------


def _outer_cases(rng: Any) -> list[Case]:
    found = []
    for m, n in ((8, 8), (5, 20), (17, 9), (int(rng.integers(9, 30)), int(rng.integers(1, 30)))):
        a, b = _whole(rng, m), _whole(rng, n)
        found.append(
            Case((a, b, _empty(m, n), m, n), 2, a[:, None] + b, (_up(n, 8), _up(m, 8)), (8, 8), f"m = {m}, n = {n}")
        )
    return found


def _outer_wrong(c: Case) -> Any:
    a, b = c.args[:2]
    return a[None, :] + b[:, None]


OUTER = Puzzle(
    3,
    "outer_add",
    "Rows and columns",
    "out[i, j] = a[i] + b[j]. a has m elements, b has n, out is m x n.\n"
    "Blocks have 8 x 8 threads. Dimension 0 of the block and of the grid counts columns (n), dimension 1 rows (m).",
    """@avelang.jit
def outer_add(a: al.Pointer[al.f32], b: al.Pointer[al.f32], out: al.Pointer[al.f32], m: al.u32, n: al.u32):
    A = al.make_tensor(a, al.f32, al.make_layout((m,)))
    B = al.make_tensor(b, al.f32, al.make_layout((n,)))
    OUT = al.make_tensor(out, al.f32, al.make_layout((m, n)))
    # Yours: a row and a column, a mask for both, one store.
""",
    _outer_cases,
    (Mistake(_outer_wrong, "a goes along rows and b along columns: they are exchanged."),),
    codes=(
        (
            "X001",
            "An access is outside of an array. Is it the right axis? Rows are counted by dimension 1 and compared "
            "with m, columns by dimension 0 and compared with n. The mask needs both.",
        ),
        (
            "X040",
            "Two threads write one element. The row must come from dimension 1, block and thread, and the column "
            "from dimension 0.",
        ),
    ),
    holes="The row must come from dimension 1, of the block and of the thread, and the column from dimension 0.",
)

# -- 4 to 6: threads that meet -----------------------------------------------------------------------------------------


def _reverse(rng: Any, n: int) -> tuple[tuple[Any, ...], int, Any]:
    x = _whole(rng, n)
    return (x, _empty(n), n), 1, x.reshape(-1, 128)[:, ::-1].ravel()


REVERSE = Puzzle(
    4,
    "reverse",
    "Shared memory and a barrier",
    "Each block of 128 threads turns around its 128 elements: the first of them comes last. n is a multiple of 128.\n"
    "Use shared memory: each thread stores one element there and reads another one.",
    """@avelang.jit
def reverse(x: al.Pointer[al.f32], y: al.Pointer[al.f32], n: al.u32):
    xs = al.make_tensor(x, al.f32, al.make_layout((n,)))
    ys = al.make_tensor(y, al.f32, al.make_layout((n,)))
    t, first = al.thread_id(0), al.block_id(0) * 128
    stage = al.make_shared((128,), al.f32)
    # Yours: store to stage, wait, read from stage.
""",
    _line(_reverse, lambda rng: [128, 128 * int(rng.integers(2, 5))], lambda n: (n // 128,), (128,)),
    (
        Mistake(lambda c: c.args[0], "y is x. Read the element at the other end: 127 - t."),
        Mistake(lambda c: c.args[0][::-1], "The whole array is turned around. Each block should turn its own 128."),
    ),
    ("syncthreads",),
    (("X001", "An index is outside. The other end of 0 is 127, not 128."),),
)


def _rows_of_64(rng: Any, rows: int) -> tuple[tuple[Any, ...], int, Any]:
    x = _whole(rng, rows, 64)
    return (x, _empty(rows), rows), 1, x.sum(1)


WAVE_SUM = Puzzle(
    5,
    "wave_sum",
    "A sum without memory",
    "out[r] is the sum of row r of x, which is rows x 64. Each row has a block of its own: 64 threads, one wave.\n"
    "Use shuffles, no shared memory: after `v = v + al.shuffle_xor(v, 32)` a lane has a sum of two. One lane stores.",
    """@avelang.jit
def wave_sum(x: al.Pointer[al.f32], out: al.Pointer[al.f32], rows: al.u32):
    X = al.make_tensor(x, al.f32, al.make_layout((rows, 64)))
    OUT = al.make_tensor(out, al.f32, al.make_layout((rows,)))
    row, lane = al.block_id(0), al.lane_id()
    # Yours: six shuffles, one store.
""",
    _line(_rows_of_64, lambda rng: [1, int(rng.integers(2, 6))], lambda n: (n,), (64,)),
    (
        Mistake(lambda c: c.args[0][:, :32].sum(1), "Only half of the wave is in the sum: a shuffle by 32 is missing."),
        Mistake(lambda c: c.args[0][:, ::2].sum(1), "Every second lane is missing: a shuffle by 1, too."),
        Mistake(lambda c: c.args[0][:, 0], "The first lane's own element is stored. Add what the shuffle gives."),
        Mistake(lambda c: 2 * c.args[0].sum(1), "Twice the sum: one shuffle too many. 32, 16, 8, 4, 2, 1."),
    ),
    ("shuffle_xor", "shuffle_down", "shuffle"),
    target="gfx942",
)


def _rows_of_any(rng: Any, n: int) -> tuple[tuple[Any, ...], int, Any]:
    x = _whole(rng, 3, n)
    return (x, _empty(3), 3, n), 1, x.sum(1)


BLOCK_SUM = Puzzle(
    6,
    "block_sum",
    "A sum of any length",
    "out[r] is the sum of row r of x, which is rows x n. Each row has a block of its own: 256 threads. n is any\n"
    "number. Each thread adds up every 256th element. Then add the 256 sums through shared memory, half as many in\n"
    "each round.",
    """@avelang.jit
def block_sum(x: al.Pointer[al.f32], out: al.Pointer[al.f32], rows: al.u32, n: al.u32):
    X = al.make_tensor(x, al.f32, al.make_layout((rows, n)))
    OUT = al.make_tensor(out, al.f32, al.make_layout((rows,)))
    row, t = al.block_id(0), al.thread_id(0)
    parts = al.make_shared((256,), al.f32)
    # Yours: al.range(t, n, 256) goes over this thread's elements.
""",
    _line(_rows_of_any, lambda rng: [256, 1000, 7, int(rng.integers(257, 700))], lambda n: (3,), (256,)),
    (
        Mistake(
            lambda c: c.args[0][:, :256].sum(1), "Only the first 256 elements are in the sum. Each thread needs a loop."
        ),
        Mistake(
            lambda c: c.args[0][:, : c.args[3] // 256 * 256].sum(1),
            "What is left behind the last whole 256 is missing.",
        ),
        Mistake(lambda c: c.args[0][:, ::256].sum(1), "That is thread 0's own sum. Add the other threads' parts."),
    ),
    ("syncthreads",),
)

# -- 7: softmax ------------------------------------------------------------------------------------------


def _softmax(x: Any, axis: int = 1, shift: bool = True) -> Any:
    x = x.astype(np.float64 if shift else np.float32)  # without the shift: as the kernel would overflow
    with np.errstate(over="ignore", invalid="ignore"):
        e = np.exp(x - x.max(axis, keepdims=True) if shift else x)
        return e / e.sum(axis, keepdims=True)


def _own_sums(c: Case) -> Any:
    """Each lane divides by the sum of its own elements."""
    x = c.args[0].astype(np.float64)
    e = np.exp(x - x.max(1, keepdims=True))
    lane = np.arange(x.shape[1]) % WAVE
    return e / ((lane[:, None] == lane) @ e.T).T


def _softmax_cases(rng: Any) -> list[Case]:
    found = []
    for rows, n, scale in ((2, 64, 1), (3, 100, 1), (2, 5, 1), (2, int(rng.integers(65, 150)), 1000)):
        x = (rng.standard_normal((rows, n)) * scale).astype(np.float32)
        label = f"rows = {rows}, n = {n}" + (", numbers around 1000" if scale > 1 else "")
        found.append(Case((x, _empty(rows, n), rows, n), 1, _softmax(x), (rows,), (64,), label))
    return found


SOFTMAX = Puzzle(
    7,
    "softmax",
    "Softmax of rows",
    "y[r, j] = exp(x[r, j]) / sum over j of exp(x[r, j]). Each row has a block of one wave, 64 threads.\n"
    "exp of a large number is infinite: take away the row's maximum first. It is two reductions, each as in puzzle 5.",
    """@avelang.jit
def softmax(x: al.Pointer[al.f32], y: al.Pointer[al.f32], rows: al.u32, n: al.u32):
    X = al.make_tensor(x, al.f32, al.make_layout((rows, n)))
    Y = al.make_tensor(y, al.f32, al.make_layout((rows, n)))
    row, lane = al.block_id(0), al.lane_id()
    # Yours: a maximum, a sum, a store; each goes over al.range(lane, n, 64).
""",
    _softmax_cases,
    (
        Mistake(
            lambda c: _softmax(c.args[0], shift=False), "exp overflows. Take away the maximum of the row before exp."
        ),
        Mistake(lambda c: _softmax(c.args[0], 0), "This is the softmax of columns. The reductions go along a row."),
        Mistake(
            lambda c: np.exp(c.args[0].astype(np.float64) - c.args[0].max(1, keepdims=True)),
            "The division by the sum is missing.",
        ),
        Mistake(_own_sums, "The sum is each lane's own. Add the other lanes' sums by shuffles, as in puzzle 5."),
    ),
    tolerance=1e-5,
    target="gfx942",
)

# -- 8: a product ------------------------------------------------------------------------------------------


def _product_cases(rng: Any) -> list[Case]:
    found = []
    for m, n, k in ((16, 16, 16), (16, 16, 48), (11, 20, 17), tuple(int(x) for x in rng.integers(5, 40, 3))):
        a, b = _whole(rng, m, k), _whole(rng, k, n)
        found.append(
            Case(
                (a, b, _empty(m, n), m, n, k),
                2,
                a @ b,
                (_up(n, 16), _up(m, 16)),
                (16, 16),
                f"m = {m}, n = {n}, k = {k}",
            )
        )
    return found


def _first_tile(c: Case) -> Any:
    a, b = c.args[:2]
    return a[:, :16] @ b[:16]


def _padded(x: Any) -> Any:
    """Rows and columns up to multiples of 16, zeros there."""
    return np.pad(x, [(0, -n % 16) for n in x.shape])


def _last_product(c: Case) -> Any:
    a, b = _padded(c.args[0]), _padded(c.args[1])
    return np.outer(a[:, -1], b[-1])[: c.args[3], : c.args[4]]


def _turned_tiles(c: Case) -> Any:
    a, b = _padded(c.args[0]), _padded(c.args[1])
    k, n = b.shape
    turned = b.reshape(k // 16, 16, n // 16, 16).transpose(0, 3, 2, 1).reshape(k, n)
    return (a @ turned)[: c.args[3], : c.args[4]]


def _whole_tiles(c: Case) -> Any:
    a, b, k = c.args[0], c.args[1], c.args[5] // 16 * 16
    return a[:, :k] @ b[:k]


MATMUL = Puzzle(
    8,
    "matmul",
    "A matrix product in tiles",
    "C = A @ B. A is m x k, B is k x n, all rows one after another. Blocks have 16 x 16 threads and make 16 x 16\n"
    "of C. Go along k in steps of 16: the block brings 16 x 16 of A and of B to shared memory, waits, multiplies,\n"
    "waits. At the edges, what is outside counts as zero.",
    """@avelang.jit
def matmul(a: al.Pointer[al.f32], b: al.Pointer[al.f32], c: al.Pointer[al.f32], m: al.u32, n: al.u32, k: al.u32):
    A = al.make_tensor(a, al.f32, al.make_layout((m, k)))
    B = al.make_tensor(b, al.f32, al.make_layout((k, n)))
    C = al.make_tensor(c, al.f32, al.make_layout((m, n)))
    tx, ty = al.thread_id(0), al.thread_id(1)
    row, col = al.block_id(1) * 16 + ty, al.block_id(0) * 16 + tx
    a_tile, b_tile = al.make_shared((16, 16), al.f32), al.make_shared((16, 16), al.f32)
    # Yours: for first in al.range(0, k, 16): ...
""",
    _product_cases,
    (
        Mistake(
            _whole_tiles,
            "The last, partial step along k is missing. The loop is over al.range(0, k, 16), not k // 16 steps.",
        ),
        Mistake(
            _last_product,
            "Only the last product of each element is there. Add to the sum, and begin it before the loop.",
        ),
        Mistake(_turned_tiles, "The tile of B is read the wrong way round: b_tile[i, tx], where i counts along k."),
        Mistake(
            _first_tile, "Only the first step along k is in the sum. Does the loop move on, and does the sum go on?"
        ),
    ),
    ("syncthreads",),
    (
        (
            "X001",
            "An access is outside. Loads of A need row < m and column < k, those of B row < k and column < n. "
            "The store needs both of C's. What is outside counts as zero.",
        ),
    ),
)

# -- 9: a scan ------------------------------------------------------------------------------------------


def _scan(rng: Any, n: int) -> tuple[tuple[Any, ...], int, Any]:
    x = _whole(rng, n)
    return (x, _empty(n), n), 1, np.cumsum(x.reshape(-1, 128), 1).ravel()


def _exclusive(c: Case) -> Any:
    x = c.args[0].reshape(-1, 128)
    return (np.cumsum(x, 1) - x).ravel()


SCAN = Puzzle(
    9,
    "scan",
    "Running sums",
    "Each block of 128 threads has 128 elements. y[i] is the sum of the block's elements up to and with x[i].\n"
    "n is a multiple of 128. In round d = 1, 2, 4, ... 64 each element adds the one that is d before it. Reading and\n"
    "writing the same shared memory takes two barriers in each round.",
    """@avelang.jit
def scan(x: al.Pointer[al.f32], y: al.Pointer[al.f32], n: al.u32):
    xs = al.make_tensor(x, al.f32, al.make_layout((n,)))
    ys = al.make_tensor(y, al.f32, al.make_layout((n,)))
    t, i = al.thread_id(0), al.block_id(0) * 128 + al.thread_id(0)
    sums = al.make_shared((128,), al.f32)
    # Yours: for r in range(7): d = 1 << r ...
""",
    _line(_scan, lambda rng: [128, 128 * int(rng.integers(2, 4))], lambda n: (n // 128,), (128,)),
    (
        Mistake(_exclusive, "x[i] itself is not in y[i]: this is the exclusive sum."),
        Mistake(
            lambda c: np.cumsum(c.args[0].reshape(-1, 128)[:, ::-1], 1)[:, ::-1].ravel(),
            "The sums run from the end. Add the element d *before* this one.",
        ),
        Mistake(lambda c: c.args[0], "y is x. Is the sum stored back before the next round reads it?"),
    ),
    ("syncthreads", "shuffle_up"),
    (
        (
            "X001",
            "An index is outside. Threads below d have no element d before them; unsigned, t - d wraps around.",
        ),
    ),
)

# -- 10: a matrix instruction ------------------------------------------------------------------------------------------


def _mfma_cases(rng: Any) -> list[Case]:
    import ml_dtypes

    found = []
    for k in (16, 16 * int(rng.integers(2, 6))):
        a, b = (rng.integers(-3, 4, (16, k)).astype(ml_dtypes.bfloat16) for _ in range(2))
        want = a.astype(np.float32) @ b.astype(np.float32).T
        found.append(Case((a, b, _empty(16, 16), k), 2, want, (1,), (64,), f"k = {k}"))
    return found


def _f32(x: Any) -> Any:
    return x.astype(np.float32)


MFMA = Puzzle(
    10,
    "mfma",
    "A matrix instruction",
    "C = A @ B^T with A and B of 16 x k in bf16, C of 16 x 16 in f32, by one wave. k is a multiple of 16.\n"
    "al.amdgpu.mfma_16x16x16_bf16_f32(a, b, acc) takes 16 of k. Lane l brings row l % 16 of A and of B, of each the\n"
    "4 columns from 4 * (l // 16) on, and holds of C column l % 16, the 4 rows from 4 * (l // 16) on.",
    """@avelang.jit
def mfma(a: al.Pointer[al.bf16], b: al.Pointer[al.bf16], c: al.Pointer[al.f32], k: al.u32):
    A = al.make_tensor(a, al.bf16, al.make_layout((16, k // 4, 4), (k, 4, 1)))
    B = al.make_tensor(b, al.bf16, al.make_layout((16, k // 4, 4), (k, 4, 1)))
    C = al.make_tensor(c, al.f32, al.make_layout((16, 16)))
    line, part = al.lane_id() % 16, al.lane_id() // 16
    acc = al.full((4,), 0.0, al.f32)
    # Yours: A[line, ...] is a vector of 4 neighbors.
""",
    _mfma_cases,
    (
        Mistake(
            lambda c: c.want.T,
            "This is the transposed product. Lane l has column l % 16 of C, not a row; or A and B are exchanged.",
        ),
        Mistake(
            lambda c: _f32(c.args[0])[:, :16] @ _f32(c.args[1])[:, :16].T,
            "Only the first 16 of k are in the sum. Step number s takes the vectors 4 * s + part.",
        ),
        Mistake(
            lambda c: c.args[3] // 16 * (_f32(c.args[0])[:, :16] @ _f32(c.args[1])[:, :16].T),
            "The first 16 of k are in the sum again and again. Step number s takes the vectors 4 * s + part.",
        ),
        Mistake(
            lambda c: _f32(c.args[0])[:, -16:] @ _f32(c.args[1])[:, -16:].T,
            "Only the last 16 of k are in the sum. Give acc back to the instruction: acc = mfma(..., acc).",
        ),
    ),
    ("mfma_16x16x16_bf16_f32", "mfma_f32_16x16x16_bf16"),
    target="gfx942",
)

PUZZLES = (ADD_ONE, SAXPY, OUTER, REVERSE, WAVE_SUM, BLOCK_SUM, SOFTMAX, MATMUL, SCAN, MFMA)


def puzzle(number: int) -> Puzzle:
    """The puzzle of a number, from 1 on. Raises L066 where there is none."""
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(PUZZLES):
        raise argument_error(f"there is no puzzle {number!r}", f"they are numbered 1 to {len(PUZZLES)}")
    return PUZZLES[number - 1]
