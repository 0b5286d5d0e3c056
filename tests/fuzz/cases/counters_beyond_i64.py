"""The CPU's loop of known u64 bounds beyond an i64 was no loop: OverflowError while its lanes' counters were made."""
import avelang
import avelang.language as al


@avelang.jit
def kernel(a_u64: al.Tensor((1, 64), al.u64), o_u64: al.Tensor((2, 64), al.u64)):
    t = al.thread_id(0)
    v = a_u64[0, t]
    for i in al.range(18446744073709551612, al.u64(18446744073709551615), 2):
        v += i
    o_u64[0, t] = v
    for i in al.range(18446744073709551612, al.u64(18446744073709551615) - (v & 1), 2, unroll=True):
        v += i
    o_u64[1, t] = v

# {"block": [64, 1, 1], "grid": [1, 1, 1], "arrays": [["a_u64", "u64", 1], ["o_u64", "u64", 2]], "numbers": [], "seed": 1}
