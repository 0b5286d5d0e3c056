"""A debugger of kernels over the reference executor: `session.py` decides where to stop, `looking.py` shows what names
hold, `terminal.py` and `adapter.py` (the debug adapter protocol) talk to people and editors."""
