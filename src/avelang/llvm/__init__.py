"""LLVM IR as text and the machine code that it becomes: what emitters, executors of machine code and the runtime
share."""
