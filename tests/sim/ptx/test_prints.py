"""printf of a kernel: texts and addresses among its arguments, and what it returns."""

from __future__ import annotations

import numpy as np

from sim.ptx.texts import kernel, run


def variable(name: str, text: str) -> str:
    data = [*text.encode(), 0]
    return f".global .align 1 .b8 {name}[{len(data)}] = {{{', '.join(map(str, data))}}};"


def test_texts_and_addresses(capsys):
    """Texts may look like conversions themselves; they are cut and padded as C says."""
    outside = "".join([variable("form", "%d|%-9s|%.2s|%%s|%6.1f|%p|%p|%s\n"), variable("one", "50% of %s"),
        variable("two", "äbc"), ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);"])  # fmt: skip
    body = """
        .local .align 8 .b8 stack[56]; mov.u32 %r0, %tid.x; st.local.u32 [stack], %r0;
        mov.u64 %d1, one; cvta.global.u64 %d1, %d1; st.local.u64 [stack+8], %d1; st.local.u64 [stack+48], %d1;
        mov.u64 %d2, two; cvta.global.u64 %d2, %d2; st.local.u64 [stack+16], %d2;
        mov.f64 %d3, 0d4004000000000000; st.local.f64 [stack+24], %d3;
        mov.u64 %d4, 4660; st.local.u64 [stack+32], %d4; mov.u64 %d4, 0; st.local.u64 [stack+40], %d4;
        mov.u64 %d5, form; cvta.global.u64 %d5, %d5; mov.u64 %d6, stack; cvta.local.u64 %d6, %d6;
        { .param .b64 a; .param .b64 b; .param .b32 o; st.param.b64 [a], %d5; st.param.b64 [b], %d6;
          call.uni (o), vprintf, (a, b); ld.param.b32 %r9, [o]; }
        mul.wide.u32 %d7, %r0, 4; add.u64 %d7, %d7, %p0; st.global.u32 [%d7], %r9; ret;"""
    out = np.zeros(2, np.uint32)
    run(kernel(body, outside=outside), out, block=(2, 1, 1))
    tail = "|50% of %s|äb|%s|   2.5|0x1234|(nil)|50% of %s\n"
    assert capsys.readouterr().out == "0" + tail + "1" + tail
    assert out.tolist() == [7, 7]  # arguments, as CUDA's printf counts them
