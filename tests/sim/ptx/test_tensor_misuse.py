"""What the executor reports of tcgen05: seeded faults, each beside a control that is without it."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from sim.ptx.tensor_programs import Case
from sim.ptx.test_tensor import drawn, in_lanes

SMALL = Case("f16", 128, 32, "bf16", "bf16")
HELD = Case("f16", 128, 32, "bf16", "bf16", at="tmem")
PAIR = Case("f16", 256, 32, "bf16", "bf16", group=2)
WAIT = "ISSUED: W2: mbarrier.try_wait.parity.shared.b64 %e, [done], 0; @!%e bra W2;"
COMMIT = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];"
FREE = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 32;"
MMA = "mov.u16 %h, 3; "

# The case; what is cut, and what stands there instead; the code and the words of the report.
FAULTS = {
    "nobody waits for the product": (SMALL, (WAIT, "ISSUED: bar.sync 0;"), "X033", r"`tcgen05.ld.*has what it reads, where "
        r"`tcgen05.mma.* still runs.*tcgen05.commit"),
    "the parity of the phase before": (SMALL, (WAIT, WAIT.replace(", 0;", ", 1;")), "X033", "still runs"),
    "no fence behind the wait": (SMALL, ("tcgen05.fence::after_thread_sync; //product", ""), "X033",
        r"no tcgen05.fence::after_thread_sync stands"),
    "no wait for a load": (SMALL, ("tcgen05.wait::ld.sync.aligned;", ""), "X033",
        r"`st.global.b32.*touches a register that `tcgen05.ld.* still loads.*tcgen05.wait::ld"),
    "no wait for a store": (HELD, ("tcgen05.wait::st.sync.aligned;", ""), "X033", "where `tcgen05.st.*still runs"),
    "no fence before the others read": (HELD, ("tcgen05.fence::before_thread_sync; //operand", ""), "X033",
        "no tcgen05.fence::before_thread_sync stands"),
    "no fence before what others wrote is read": (HELD, ("tcgen05.fence::after_thread_sync; //operand", ""), "X033",
        "`tcgen05.mma.*no tcgen05.fence::after_thread_sync stands"),
    "no commit": (SMALL, (COMMIT, ""), "X034", "try_wait"),
    "operands overwritten": (SMALL, (COMMIT, COMMIT + " st.shared.u32 [sa], %z;"), "X033",
        r"`tcgen05.mma.*which still reads there.*mbarrier of its tcgen05.commit"),
    "operands that are still to come": (SMALL, ("W1: mbarrier.try_wait.parity.shared.b64 %e, [full], 0; @!%e bra W1;", ""),
        "X033", "`tcgen05.mma.*to which a copy still brings data"),
    "operands by ordinary stores": (SMALL, ("setp.ne.u32 %lead", "@!%p st.shared.u32 [sb+64], %z; setp.ne.u32 %lead"), "X033",
        "no fence.proxy.async stands"),
    "not freed": (SMALL, (FREE, ""), "X033", "32 columns from column 0 on that this has allocated are not freed"),
    "freed twice": (SMALL, (FREE, FREE + FREE), "X035", "allocated are none"),
    "other columns freed": (SMALL, (FREE, FREE.replace("32;", "64;")), "X035", "frees 64 columns .*allocated are 32 from column 0"),
    "freed while the product runs": (SMALL, (WAIT, "ISSUED: bar.sync 0; @%p bra W; " + FREE + " W: bra END;"), "X033", "frees columns that|never come"),
    "columns of nobody": (SMALL, ("add.u32 %ad, %ad, 32;", "add.u32 %ad, %ad, 32; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x0}, "
        "[%ad];"), "X035", "in column 32, which is not allocated; allocated are columns 0 to 31"),
    "lanes of another warp": (SMALL, ("shl.b32 %ad, %w, 21;", "mov.u32 %ad, 0;"), "X035",
        "begins at lane 0 of tensor memory; warp [123] reaches lanes"),
    "a permit given up": (SMALL, (FREE, FREE + "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;"), "X035",
        "given up the permit"),
    "more than there is": (SMALL, ("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512;"), "X034", "tcgen05.alloc"),
    "every thread multiplies": (SMALL, ("or.pred %lead, %lead, %p; @%lead bra ISSUED;", "or.pred %lead, %lead, %q; @%lead bra ISSUED;"),
        "X035", "32 threads execute it"),
    "no such shape": (SMALL, (str(SMALL.descriptor), str(SMALL.descriptor + (1 << 17) * 40)), "X035", "N is 352"),
    "a descriptor of Hopper": (SMALL, (str(0x4000404000010000), str(0x4000004000010000)), "X035", "bits 48:46 .* 0b000"),
    "two groups": (SMALL, (FREE, FREE.replace("group::1", "group::2")), "X035", "all must have the same"),
    "the other block is not waited for": (PAIR, ("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n\nsetp", "\n\nsetp"),
        "X050", "`tcgen05.mma"),
}  # fmt: skip


def launched(case: Case, **more: object) -> None:
    rng = np.random.default_rng(0)
    a, b = drawn(rng, case.a, (case.m, case.deep)), drawn(rng, case.b, (case.n, case.deep))
    case.run(a, b, in_lanes(case, a) if case.at == "tmem" else None, **more)


@pytest.mark.parametrize("name", FAULTS)
def test_seeded_faults(name):
    case, cut, code, said = FAULTS[name]
    with pytest.raises(AveError, match="(?s)" + said) as caught:
        launched(Case(**{**case.__dict__, "cut": (cut,)}), check=("races",) if code == "X050" else ())
    assert caught.value.code == code


@pytest.mark.parametrize("case", [SMALL, HELD, PAIR], ids=["shared", "tensor", "pair"])
def test_controls(case):
    launched(case, check=("races", "init"))
    launched(case, order="reverse")
