"""The object files of a translation: functions that programs share are made once a process, and have one text whatever
else is in the program."""

from avelang.llvm.core import IRModule
from avelang.llvm.engine import unpack
from avelang.sim.amdgcn import objects


def program(own: int) -> IRModule:
    module = IRModule()
    for n in range(own):  # constants of the program's own, so that those of the shared function have other numbers
        module.constant("i32", str(n), 4)
    table = module.constant("[2 x i32]", "[i32 5, i32 7]", 4)
    module.declare("llvm.ctpop.i32", "i32", ["i32"])
    shared = (
        f"  %p = getelementptr i32, ptr {table}, i32 %x\n  %a = load i32, ptr %p, align 4\n"
        f"  %b = call i32 @llvm.ctpop.i32(i32 %a)\n  ret i32 %b"
    )
    module.functions["ave_shared"] = f"define internal i32 @ave_shared(i32 %x) noinline #0 {{\n{shared}\n}}"
    block = f"  %a = call i32 @ave_shared(i32 1)\n  %b = add i32 %a, {own}\n  ret i32 %b"
    module.functions["ave_block_0"] = (
        f"define internal i32 @ave_block_0(ptr noalias %w, ptr noalias %g) #0 {{\n{block}\n}}"
    )
    return module


def test_what_programs_share_is_made_once():
    objects._well_made.cache_clear()
    (first, names), (second, _) = objects.made(program(1)), objects.made(program(3))
    assert objects._well_made.cache_info()[:2] == (1, 1) and set(names) == {"ave_shared", "ave_block_0"}
    assert unpack(first)[1] == unpack(second)[1] and unpack(first)[0] != unpack(second)[0]


def test_known_functions_are_left_out():
    _, names = objects.made(program(1))
    payload, more = objects.made(program(2), {"ave_shared": names["ave_shared"]})
    assert len(unpack(payload)) == 1 and set(more) == {"ave_block_0"}
