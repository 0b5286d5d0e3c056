"""A shift's count of a wider type was cut to the type of what is shifted, so that 256 shifted an i8 by 0."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_i8: al.Tensor((2, 64), al.i8), a_i32: al.Tensor((2, 64), al.i32), a_i64: al.Tensor((3, 64), al.i64), a_u32: al.Tensor((1, 64), al.u32), a_u64: al.Tensor((1, 64), al.u64), a_u16: al.Tensor((1, 64), al.u16), o_i8: al.Tensor((2, 64), al.i8), o_i32: al.Tensor((2, 64), al.i32), o_u16: al.Tensor((1, 64), al.u16)):
    t = al.thread_id(0)
    o_i8[0, t] = a_i8[0, t] << a_i64[0, t]
    o_i8[1, t] = a_i8[1, t] >> a_u32[0, t]
    o_u16[0, t] = a_u16[0, t] >> a_i64[1, t]
    o_i32[0, t] = a_i32[0, t] << a_u64[0, t]
    r = al.full((2,), a_i32[1, t], al.i32)
    r = r >> a_i64[2, t]
    o_i32[1, t] = r[1]

# {"block": [64, 1, 1], "grid": [1, 1, 1], "arrays": [["a_i8", "i8", 2], ["a_i32", "i32", 2], ["a_i64", "i64", 3], ["a_u32", "u32", 1], ["a_u64", "u64", 1], ["a_u16", "u16", 1], ["o_i8", "i8", 2], ["o_i32", "i32", 2], ["o_u16", "u16", 1]], "numbers": [], "seed": 1}
