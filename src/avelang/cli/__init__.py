"""The command line `ave`: one module a command; `main` gathers them. Nothing is imported here, so that each part loads
alone."""
