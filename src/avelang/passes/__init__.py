"""Passes: a kernel comes in, the same kernel rewritten goes out; one file a pass. `avelang.pipeline` lists them in
order."""
