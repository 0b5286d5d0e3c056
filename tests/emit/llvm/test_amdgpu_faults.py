"""What LLVM's AMDGPU backend makes wrong code of, rewritten; the fuzzer's case `differences_from_zero` runs it."""

from __future__ import annotations

from avelang.emit.llvm.amdgpu_faults import without


def test_differences_from_zero_keep_their_zero():
    text = (
        "entry:\n  %a = fsub float 0.000000e+00, %x, !dbg !1\n  %b = fsub nnan <2 x half> splat (half 0xH0000), %y\n "
        " ret void\n"
    )
    assert without(text) == (
        'entry:\n  %held.zero1 = call float asm "", "=v,0"(float 0.000000e+00) nounwind memory(none)\n  %a = fsub '
        'float %held.zero1, %x, !dbg !1\n'
        '  %held.zero2 = call <2 x half> asm "", "=v,0"(<2 x half> splat (half 0xH0000)) nounwind memory(none)\n'
        "  %b = fsub nnan <2 x half> %held.zero2, %y\n  ret void\n"
    )


def test_others_stay():
    text = (
        "  %a = fsub float 1.000000e+00, %x\n  %b = fsub double %y, 0.000000e+00\n  %c = fneg float %x\n  %d = fsub "
        "float -0.000000e+00, %x\n"
    )
    assert without(text) is text
