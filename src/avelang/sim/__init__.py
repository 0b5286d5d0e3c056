"""Executors in NumPy: `reference` runs the IR; it is the meaning of the language."""
