"""Native code of Ave: C comes in, with one header of layouts; LLVM IR that is committed goes out, for llvmlite to
compile on the user's machine.

`./dev native` makes the IR (`tools/native.py`); users need no compiler.
"""
