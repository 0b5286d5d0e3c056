"""The frontend: the syntax tree of a jit function comes in, verified IR in phase "tensors" goes out. See `build.py`."""
