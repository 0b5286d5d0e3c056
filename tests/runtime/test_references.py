"""The count of references that the tests of launches use."""

from tests.runtime.references import growth


def test_a_leak_is_seen_beside_other_changes():
    kept, others = [], [[None] * 5000]

    def leaks():
        kept.append(None)
        if others:
            others.pop()

    assert growth(leaks, [None, object()], 200, 2) >= 200
    others.append([None] * 5000)
    assert growth(lambda: others and others.pop(), [None, object()], 200, 2) < 100
