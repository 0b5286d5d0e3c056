"""Kernels that use nothing but the public names of Ave: one file a kernel, each with a host function that takes arrays."""
