"""The check of several ranks on one GPU, on the CPU: it passes, and it finds what is wrong."""

import argparse

import pytest

torch = pytest.importorskip("torch")
from gpu import dist_one_card  # noqa: E402


def given(kinds):
    return argparse.Namespace(kinds=kinds, ranks="2", cpu=True, seconds=20.0, draws=1, rounds=1, seed=0)


@pytest.fixture(autouse=True)
def as_it_was():
    copied = dist_one_card.exchange.COPIED
    yield
    dist_one_card.exchange.COPIED = copied
    torch.use_deterministic_algorithms(False)


def test_it_passes_where_all_is_right(capsys):
    assert dist_one_card.main(given("collectives,experts,absent,control")) == 0
    assert "FAIL" not in capsys.readouterr().out


def test_it_finds_a_rank_whose_result_is_of_another(monkeypatch, capsys):
    right = dist_one_card.collectives

    def stale(team, rng):
        what, program, want, terms = right(team, rng)
        return what, lambda member: [x.roll(1, 0) if member.rank else x for x in program(member)], want, terms

    monkeypatch.setitem(dist_one_card.KINDS, "collectives", stale)
    assert dist_one_card.main(given("collectives")) == 1
    said = capsys.readouterr().out
    assert "FAIL collectives of 2 ranks" in said and "rank 1, result 0" in said and "rank 0" not in said


@pytest.mark.parametrize(("made", "said"), [([1.0, float("nan")], "1 NaN"), ([1.0, 2.5], "(1,): 2.5 not 2.0"), ([1.0], "shape (1,)")])
def test_what_is_wrong_is_said(made, said):
    assert said in dist_one_card.wrong(torch.tensor(made), torch.tensor([1.0, 2.0]), 0.0)
    assert not dist_one_card.wrong(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0]), 0.0)
