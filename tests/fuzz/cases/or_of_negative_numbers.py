"""LLVM's AMDGPU backend moved the other operand where the high word of an or was known late to be all ones: a choice between two negative numbers."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_u64: al.Tensor((3, 48), al.u64), a_i16: al.Tensor((3, 48), al.i16), o_u64: al.Tensor((8, 48), al.u64), o_i64: al.Tensor((2, 48), al.i64), s0: al.i32):
    t = al.thread_id(0)
    x = a_u64[0, t]
    n = a_i16[2, t]
    c = al.convert(n, al.u1)
    o_u64[0, t] = x | c - 13
    o_u64[1, t] = x | al.select(c, al.u64(0x5FFFFFFFF), al.u64(0x6FFFFFFFF))
    y = al.select(c, al.i64(-5), al.i64(-9))
    o_i64[0, t] = y
    if n > s0:
        x += 1
    o_u64[2, t] = x | al.convert(y, al.u64)
    o_u64[3, t] = (x ^ al.convert(y, al.u64)) & al.convert(y, al.u64)
    r = al.full((2,), x, al.u64) | al.convert(y, al.u64)
    o_u64[4, t] = r[n & 1]
    z = al.select(s0 > 1, al.i64(-5), al.i64(-9))
    o_i64[1, t] = z | a_i16[1, t]
    o_u64[5, t] = al.convert(z, al.u64) | x
    o_u64[6, t] = al.convert(z, al.u64) | a_u64[0, 5]
    o_u64[7, t] = a_u64[0, 7] | (al.convert(a_i16[2, 3], al.u1) - 13)

# {"block": [48, 1, 1], "grid": [1, 1, 1], "arrays": [["a_u64", "u64", 3], ["a_i16", "i16", 3], ["o_u64", "u64", 8], ["o_i64", "i64", 2]], "numbers": [["s0", "i32", 1]], "seed": 200067}
