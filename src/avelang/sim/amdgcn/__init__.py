"""Machine code of gfx942 comes in, as assembly or as a code object; its results on memory of this machine go out, and what its waits missed."""
