"""Emitters that go through LLVM: one module of text per kernel."""
