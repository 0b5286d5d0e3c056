"""Conversions from every dtype to every other, on numbers drawn bit by bit and on the edges of each format, against
NumPy and ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al

N = 64
NP = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
    "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip
INTS = [n for n in NP if n[0] in "iu"]
EDGES = [
    0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 100.0, 127.5, -128.5, 240.0, 255.0, 448.0, 464.0, 1e-3, 3e-8, 57344.0,
    61440.0, 65504.0, 65520.0,
]  # fmt: skip


def numbers(name):
    """Random bits, in front of them the edges."""
    d, rng = np.dtype(NP[name]), np.random.default_rng(1)
    x = rng.integers(0, 1 << 63, N, dtype=np.uint64).astype(f"u{d.itemsize}").view(d)
    if name in INTS:
        info = np.iinfo(d)
        x[:6] = np.array([info.min, info.max, 0, 1, info.max - 1, info.max // 2 + 1], d)
    else:
        with np.errstate(all="ignore"):
            x[: len(EDGES) + 3] = np.array([*EDGES, np.nan, np.inf, -np.inf]).astype(d)
    return x


def saturated(v, info):
    """Truncated, and held within the limits; what is no number gives 0."""
    if np.isnan(v):
        return 0
    return info.max if v >= info.max else info.min if v <= info.min else int(v)


def expected(x, source, target):
    d = NP[target]
    if source in INTS:
        if target in INTS:
            return x.astype(d)
        return x.astype(np.float64).astype(d)  # exact in f64: 64-bit integers are left out
    if target in INTS:
        return np.array([saturated(float(v), np.iinfo(d)) for v in x], d)
    return x.astype(d) if source == "f64" else x.astype(np.float64).astype(d)


AT_ONCE = 8  # conversions of one kernel


def converter(source, t):
    """A kernel that converts to `AT_ONCE` dtypes: compiling takes longer than all else here."""

    @avelang.jit
    def kernel(
        x: al.Tensor((N,), source), a: al.Tensor((N,), t[0]), b: al.Tensor((N,), t[1]), c: al.Tensor((N,), t[2]),
        d: al.Tensor((N,), t[3]),
        e: al.Tensor((N,), t[4]), f: al.Tensor((N,), t[5]), g: al.Tensor((N,), t[6]), h: al.Tensor((N,), t[7]),
    ):  # fmt: skip
        i = al.thread_id(0)
        a[i] = al.convert(x[i], t[0])
        b[i] = al.convert(x[i], t[1])
        c[i] = al.convert(x[i], t[2])
        d[i] = al.convert(x[i], t[3])
        e[i] = al.convert(x[i], t[4])
        f[i] = al.convert(x[i], t[5])
        g[i] = al.convert(x[i], t[6])
        h[i] = al.convert(x[i], t[7])

    return kernel


PAIRS = [(a, b) for a in NP for b in NP if a != b and not (a in ("i64", "u64") and b not in INTS)]


@pytest.mark.parametrize("source", NP)
def test_conversions(launch, source):
    x = numbers(source)
    targets = [b for a, b in PAIRS if a == source]
    outs = {target: np.zeros(N, NP[target]) for target in targets}
    for some in (targets[:AT_ONCE], targets[-AT_ONCE:]):
        some = (some * 2)[:AT_ONCE]  # 64-bit integers have one target less
        given = [
            outs[target] if n == some.index(target) else np.zeros_like(outs[target]) for n, target in enumerate(some)
        ]
        launch(converter(getattr(al, source), tuple(getattr(al, target) for target in some)), x, *given)
    for target, out in outs.items():
        with np.errstate(all="ignore"):
            want = expected(x, source, target)
        # Which NaN comes out is not said; where one does is.
        nan = want != want
        np.testing.assert_array_equal(out != out, nan, err_msg=target)
        unsigned = f"u{out.itemsize}"
        np.testing.assert_array_equal(
            out.view(unsigned)[~nan], want.view(unsigned)[~nan], err_msg=f"{source} to {target}"
        )
