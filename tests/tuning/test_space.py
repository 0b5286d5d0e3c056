"""Spaces: what they hold, what constraints let through, the words of choices; drawn at random."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import avelang
import avelang.language as al
from avelang import tuning
from avelang.base.errors import AveError
from avelang.tuning import values
from avelang.tuning.space import Choice, Space

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-10**12, 10**12) | st.text(max_size=6)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4,
)  # fmt: skip
names = st.sampled_from(["block", "m", "n", "stages", "split"])


@given(st.dictionaries(names, plain, min_size=1))
def test_choices_read_back(choice):
    text = values.spelled(choice)
    assert len(text.split()) == len(choice) and "|" not in text and "\n" not in text
    back = values.read(text)
    assert back == choice and all(type(back[x]) is type(choice[x]) for x in choice)


@given(st.dictionaries(names, st.lists(st.integers(0, 20), min_size=1, max_size=4), min_size=1, max_size=3),
       st.integers(0, 60))
@settings(max_examples=50)
def test_a_space_is_all_combinations_that_may_be(lists, n):
    space = Space(lists, lambda choice, limit: sum(choice.values()) <= limit)
    want = []
    for picked in itertools.product(*lists.values()):
        choice = dict(zip(lists, picked, strict=True))
        if sum(picked) <= n and choice not in want:
            want.append(choice)
    found = space.choices({"limit": n})
    assert found == want
    for choice in want:
        assert space.admits(Choice(choice).text, {"limit": n}) == choice
    for choice in space.every({"limit": n}):
        assert (space.admits(choice.text, {"limit": n}) is not None) == (choice in want)


def test_other_spaces():
    listed = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    assert Space(listed).choices({}) == listed and Space(listed).names == ("a", "b")
    made = Space(lambda n: {"a": range(n)}, where=lambda a: a % 2 == 0)
    assert [c.a for c in made.choices({"n": 5})] == [0, 2, 4] and made.names is None
    assert made.admits("a=4", {"n": 5}) == {"a": 4} and made.admits("a=4", {"n": 3}) is None
    assert made.admits("a=1", {"n": 5}) is None and made.admits("b=1", {"n": 5}) is None
    kept = Space({"dtype": [al.bf16, al.f32]})
    assert [c.text for c in kept.choices({})] == ['dtype="bf16"', 'dtype="f32"']
    assert kept.admits('dtype="f32"', {}).dtype is al.f32
    with pytest.raises(AttributeError):
        kept.choices({})[0].other


def test_keys():
    assert values.key_text(("bf16", 16, (3, 4))) == "bf16 16 3x4"
    assert values.key_text({"m": 1, "dtype": al.bf16}) == "m=1 dtype=bf16"
    assert values.key_text(7) == "7" and values.key_text("a b") == "a b"


@pytest.mark.parametrize("bad, code", [
    (lambda: Space({}), "L070"),
    (lambda: Space(3), "L070"),
    (lambda: Space("abc"), "L070"),
    (lambda: Space([3]), "L070"),
    (lambda: Space({"a b": [1]}), "L070"),
    (lambda: Space({"a": "xyz"}), "L070"),
    (lambda: Space({"a": 3}), "L070"),
    (lambda: Space({"a": [1]}, [3]), "L070"),
    (lambda: Space({"a": [object()]}).choices({}), "L070"),
    (lambda: Space({"a": [float("nan")]}).choices({}), "L070"),
    (lambda: Space({x: range(200) for x in "abc"}).choices({}), "L070"),
    (lambda: Space({"a": [1]}, lambda b: True).choices({}), "L072"),
    (lambda: Space({"a": [1]}, lambda *a: True), "L072"),
    (lambda: Space({"a": [1]}, int), "L072"),
    (lambda: values.key_text("a|b"), "L070"),
    (lambda: values.key_text(""), "L070"),
])  # fmt: skip
def test_what_is_no_space(bad, code):
    with pytest.raises(AveError) as e:
        bad()
    assert e.value.code == code
    if "values." not in json.dumps(code):
        assert e.value.span is None or e.value.span.file == __file__


def test_an_iterator_is_gone_through_for_each_call():
    for space in (Space({"a": iter([1, 2])}), Space({"a": x} for x in (1, 2)), Space(lambda n: iter([{"a": 1}, {"a": n}]), names="a")):
        for _ in range(2):
            assert space.choices({"n": 2}) == [{"a": 1}, {"a": 2}] and space.names == ("a",)
            assert space.admits("a=2", {"n": 2}) == {"a": 2}


def test_a_function_asks_by_name():
    space = Space({"a": [1, 2]}, lambda **given: given["a"] + given["n"] == 4)
    assert space.choices({"n": 2}) == [{"a": 2}]
    assert Space({"a": [1, 2]}, lambda a, missing=1: a == missing).choices({}) == [{"a": 1}]
    assert tuning.Space is Space and callable(avelang.tune)
