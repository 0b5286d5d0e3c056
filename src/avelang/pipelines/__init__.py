"""Parts of pipelined kernels, for threads and tiles alike: which tile a block makes next (`scheduler`)."""
