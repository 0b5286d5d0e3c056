"""Machine code of gfx942 comes in, as assembly or as a code object; its results on memory of this machine go out, and
what its waits missed.

Sections cited as "MI300 ISA" were read in AMD's text of the next generation (CDNA4), which describes what both have in
the same words as far as the two were compared; where LLVM's sources or another document decided, the docstring says so.
"""
