"""Kernels of several ranks: collectives, and products that begin with what has come."""
