"""Right answers to the puzzles, and wrong ones made of them: (puzzle, what is replaced, by what, words of the hint;
None: right all the same)."""

from __future__ import annotations

RIGHT = {
    1: """
if i < n:
    ys[i] = xs[i] + 1.0
""",
    2: """
i = al.block_id(0) * 64 + al.thread_id(0)
if i < n:
    outs[i] = a * xs[i] + ys[i]
""",
    3: """
row = al.block_id(1) * 8 + al.thread_id(1)
col = al.block_id(0) * 8 + al.thread_id(0)
if row < m and col < n:
    OUT[row, col] = A[row] + B[col]
""",
    4: """
stage[t] = xs[first + t]
al.syncthreads()
ys[first + t] = stage[127 - t]
""",
    5: """
v = X[row, lane]
for by in (32, 16, 8, 4, 2, 1):
    v = v + al.shuffle_xor(v, by)
if lane == 0:
    OUT[row] = v
""",
    6: """
sum = al.convert(0, al.f32)
for i in al.range(t, n, 256):
    sum = sum + X[row, i]
parts[t] = sum
al.syncthreads()
for r in range(8):
    half = 128 >> r
    if t < half:
        parts[t] = parts[t] + parts[t + half]
    al.syncthreads()
if t == 0:
    OUT[row] = parts[0]
""",
    7: """
most = al.convert(-1e30, al.f32)
for i in al.range(lane, n, 64):
    most = al.max(most, X[row, i])
for by in (32, 16, 8, 4, 2, 1):
    most = al.max(most, al.shuffle_xor(most, by))
total = al.convert(0, al.f32)
for i in al.range(lane, n, 64):
    total = total + al.exp(X[row, i] - most)
for by in (32, 16, 8, 4, 2, 1):
    total = total + al.shuffle_xor(total, by)
for i in al.range(lane, n, 64):
    Y[row, i] = al.exp(X[row, i] - most) / total
""",
    8: """
zero = al.convert(0, al.f32)
sum = al.convert(0, al.f32)
for first in al.range(0, k, 16):
    a_tile[ty, tx] = A[row, first + tx] if row < m and first + tx < k else zero
    b_tile[ty, tx] = B[first + ty, col] if first + ty < k and col < n else zero
    al.syncthreads()  # arrived
    for i in range(16):
        sum = sum + a_tile[ty, i] * b_tile[i, tx]
    al.syncthreads()  # used
if row < m and col < n:
    C[row, col] = sum
""",
    9: """
sums[t] = xs[i]
al.syncthreads()
for r in range(7):
    d = 1 << r
    mine = sums[t]
    if t >= d:
        mine = mine + sums[t - d]
    al.syncthreads()  # read
    sums[t] = mine
    al.syncthreads()  # written
ys[i] = sums[t]
""",
    10: """
for s in al.range(k // 16):
    acc = al.amdgpu.mfma_16x16x16_bf16_f32(A[line, s * 4 + part], B[line, s * 4 + part], acc)
for r in range(4):
    C[part * 4 + r, line] = acc[r]
""",
}

WRONG = [
    (1, "if i < n:", "if i <= n:", "the last thread is one too far"),
    (1, "if i < n:", "if i >= 0:", "outside of an array"),
    (1, "if i < n:", "if i + 1 < n:", "off by one in the mask"),
    (1, " + 1.0", "", "The 1 is missing"),
    (1, "ys[i] = xs[i] + 1.0", "xs[i] = xs[i] + 1.0", "input"),
    (1, "ys[i] = xs[i] + 1.0", "pass", "Nothing arrived"),
    (2, "al.block_id(0) * 64 + ", "", "number of the block"),
    (2, "if i < n:", "if i < n and al.block_id(0) == 0:", "al.block_id(0)"),
    (2, "if i < n:", "if i < n + 1:", "one too far"),
    (2, " + ys[i]", "", "y is not added"),
    (2, "a * xs[i]", "xs[i]", "not multiplied"),
    (3, "row < m and col < n", "row < m", "The mask needs both"),
    (3, "row < m and col < n", "row < n and col < m", "right axis"),
    (3, "al.block_id(1) * 8 + al.thread_id(1)", "al.block_id(1) * 8 + al.thread_id(0)", "dimension 1"),
    (3, "row < m and col < n", "row < m and col + 1 < n", "off by one"),
    (4, "al.syncthreads()\n", "", "al.syncthreads()"),
    (4, "127 - t", "128 - t", "is 127"),
    (4, "127 - t", "t", "other end"),
    (4, RIGHT[4], "ys[first + t] = xs[first + 127 - t]", "about that"),
    (5, "(32, 16, 8, 4, 2, 1)", "(16, 8, 4, 2, 1)", "by 32 is missing"),
    (5, "(32, 16, 8, 4, 2, 1)", "(32, 16, 8, 4, 2)", "by 1"),
    (5, "(32, 16, 8, 4, 2, 1)", "(32, 32, 16, 8, 4, 2, 1)", "one shuffle too many"),
    (5, "if lane == 0:", "if lane >= 0:", None),  # all lanes have the sum
    (5, "v = v + al.shuffle_xor(v, by)", "w = v + al.shuffle_xor(v, by)", "own element"),
    (6, "parts[t] = sum\nal.syncthreads()", "parts[t] = sum", "al.syncthreads()"),
    (6, "    al.syncthreads()\nif t", "if t", "al.syncthreads()"),
    (6, "al.range(t, n, 256)", "al.range(t, 256, 256)", ""),
    (6, "al.range(t, n, 256)", "al.range(t, n // 256 * 256, 256)", "last whole 256"),
    (
        6,
        "        parts[t] = parts[t] + parts[t + half]\n    al.syncthreads()",
        "        parts[t] = parts[t] + parts[t + half]\n        al.syncthreads()",
        "All threads of a block",
    ),
    (7, "X[row, i] - most", "X[row, i]", "maximum of the row"),
    (7, " / total", "", "division"),
    (7, "al.range(lane, n, 64):\n    Y", "al.range(lane, n - 1, 64):\n    Y", "off by one"),
    (8, "    al.syncthreads()  # arrived\n", "", "al.syncthreads()"),
    (8, "    al.syncthreads()  # used\n", "", "al.syncthreads()"),
    (9, "    al.syncthreads()  # written\n", "", "al.syncthreads()"),
    (7, "total = total + al.shuffle_xor(total, by)", "total = total + 0.0", "each lane's own"),
    (3, "A[row] + B[col]", "A[col] + B[row]", "exchanged"),
    (8, "row < m and first + tx < k", "row < m", "Loads of A"),
    (8, "al.range(0, k, 16)", "al.range(0, k // 16 * 16, 16)", "partial step"),
    (8, "a_tile[ty, i] * b_tile[i, tx]", "a_tile[ty, i] * b_tile[tx, i]", "b_tile[i, tx]"),
    (8, "sum = sum + a_tile", "sum = al.convert(0, al.f32) + a_tile", "Only the last product"),
    (9, "    al.syncthreads()  # read\n", "", "al.syncthreads()"),
    (9, "t >= d", "t >= 0", "wraps around"),
    (9, "ys[i] = sums[t]", "ys[i] = sums[t] - xs[i]", "exclusive"),
    (10, "C[part * 4 + r, line]", "C[line, part * 4 + r]", "transposed"),
    (10, "s * 4 + part], acc)", "s * 4 + part], al.full((4,), 0.0, al.f32))", "Give"),
    (10, "s * 4 + part", "part", "again and again"),
]
