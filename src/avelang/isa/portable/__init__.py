"""Rows that every chip has, under names of `al` itself."""

from avelang.isa.portable import atomics

__all__ = ["atomics"]
