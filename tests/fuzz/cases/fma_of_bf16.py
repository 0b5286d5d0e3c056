"""A bf16 far below a tie of the product was lost in f64 before the one rounding that al.fma has."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_bf16: al.Tensor((3, 128), al.bf16), o_bf16: al.Tensor((2, 128), al.bf16)):
    t = al.thread_id(0)
    o_bf16[0, t] = al.fma(al.sqrt(al.abs(a_bf16[0, t])), al.fma(a_bf16[1, t], a_bf16[0, t], 1e-07), a_bf16[0, t])
    o_bf16[1, t] = al.fma(a_bf16[0, t], a_bf16[1, t], a_bf16[2, t])

# {"block": [128, 1, 1], "grid": [1, 1, 1], "arrays": [["a_bf16", "bf16", 3], ["o_bf16", "bf16", 2]], "numbers": [], "seed": 17}
