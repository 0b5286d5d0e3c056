"""A loop that lanes leave one after another: what they left with was made again behind it, from the counter of the last one."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_u32: al.Tensor((3, 48), al.u32), o_u32: al.Tensor((2, 48), al.u32)):
    t = al.thread_id(0)
    v = a_u32[0, t]
    for i in al.range(v & 3):
        v = i - v
    o_u32[0, t] = v
    n = al.u32(5)
    w = a_u32[1, t]
    while n < (w & 7) + 5:
        w = n - w
        n = n + 1
    o_u32[1, t] = w - n

# {"block": [48, 1, 1], "grid": [1, 1, 1], "arrays": [["a_u32", "u32", 3], ["o_u32", "u32", 2]], "numbers": [], "seed": 1234}
