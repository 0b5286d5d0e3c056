"""Parts of pipelined kernels, for threads and tiles alike: rings of stages (`ring`), tile schedulers (`scheduler`),
epilogues (`epilogue`), the warp-specialized product of Hopper (`warp_specialized`), and hints to AMD's instruction
scheduler (`scheduling`)."""
