"""LLVM's AMDGPU backend ended the process ("illegal VGPR to SGPR copy"): llvm.arithmetic.fence behind a product that is the same in all lanes."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_f16: al.Tensor((1, 64), al.f16), o_f16: al.Tensor((6, 64), al.f16), s0: al.f32, s1: al.f64, s2: al.i32):
    t = al.thread_id(0)
    o_f16[0, t] = al.convert(s0 * -2.5, al.f16)
    o_f16[1, t] = al.convert(s1 * s1, al.f16)
    o_f16[2, t] = al.convert(al.full((4,), s0, al.f32) * -3.0, al.f16)[t & 3]
    x = s0
    for i in al.range(s2):
        x = x * s0
    o_f16[3, t] = al.convert(x, al.f16)
    if s2 > 1:
        x = -x * s0
    o_f16[4, t] = al.convert(x, al.f16) * a_f16[0, t]
    o_f16[5, t] = al.convert(al.convert(t - t, al.f32) * s0, al.f16)

# {"block": [64, 1, 1], "grid": [1, 1, 1], "arrays": [["a_f16", "f16", 1], ["o_f16", "f16", 6]], "numbers": [["s0", "f32", -1.5], ["s1", "f64", 0.25], ["s2", "i32", 2]], "seed": 3}
