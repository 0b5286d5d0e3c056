"""Ave: a language in Python for matrix kernels, and its compiler."""
