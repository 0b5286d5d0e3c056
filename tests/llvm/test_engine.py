"""Several object files as one payload: loaded together, refused when torn or when a symbol is nowhere."""

import ctypes

import pytest

from avelang.llvm.core import HostCompiler
from avelang.llvm.engine import LoadedCode, pack, unpack

ATTRIBUTES = "attributes #0 = { nounwind }"
ONE = (
    f"declare i32 @two(i32)\ndefine i32 @one(i32 %x) #0 {{\n  %a = call i32 @two(i32 %x)\n  %b = add i32 %a, 1\n  "
    f"ret i32 %b\n}}\n{ATTRIBUTES}"
)
TWO = f"define i32 @two(i32 %x) #0 {{\n  %a = mul i32 %x, 10\n  ret i32 %a\n}}\n{ATTRIBUTES}"


@pytest.mark.parametrize("quick", [False, True])
def test_objects_call_one_another(quick):
    payload = pack([HostCompiler(1, quick=quick).object(ONE), HostCompiler(1).object(TWO)])
    code = LoadedCode(payload)
    assert ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(code.address("one"))(4) == 41
    assert [len(x) > 100 for x in unpack(payload)] == [True, True]


def test_what_cannot_be_loaded():
    one, two = HostCompiler(1).object(ONE), HostCompiler(1).object(TWO)
    with pytest.raises(ValueError, match="there is no symbol two"):
        LoadedCode(pack([one]))
    whole = pack([one, two])
    for torn in (whole[:-1], whole + b"x", whole[:14], pack([one, two[:100]]), pack([b"", two])):
        with pytest.raises(ValueError):
            LoadedCode(torn)
