"""The runtime: a kernel and its arguments come in; the kernel has run when a launch returns. Arguments, cache, loading,
threads."""
