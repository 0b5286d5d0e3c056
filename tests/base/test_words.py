"""A word is read where it stands."""

import ctypes

from avelang.base.words import Word


def test_a_word_stands_at_its_address():
    word = Word(3)
    cell = ctypes.c_int64.from_address(word.address)
    assert word.value == cell.value == 3
    word.put(-(1 << 40))
    assert word.value == cell.value == -(1 << 40)
