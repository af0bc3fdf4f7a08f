"""Functions of Python as models."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bagscope

BAG = np.arange(12.0).reshape(6, 2)


def total(x: NDArray[Any]) -> NDArray[Any]:
    scores: NDArray[Any] = x.sum(0)
    return scores


def test_removed_instances_are_removed() -> None:
    """one_removed of a sum is the instance itself; single is its own sum."""
    for method in ("single", "one_removed"):
        e = bagscope.explain(total, BAG, method=method)
        np.testing.assert_allclose(e.scores, BAG.T, rtol=1e-12)
        assert any("one_removed" in note for note in e.notes)


def test_batches_equal_single_calls() -> None:
    sizes: list[int] = []

    def many(bags: list[NDArray[Any]]) -> list[NDArray[Any]]:
        sizes.append(len(bags))
        return [total(b) for b in bags]

    got = bagscope.explain(many, BAG, method="milli", batch=True)
    want = bagscope.explain(total, BAG, method="milli")
    assert (got.scores == want.scores).all()
    assert max(sizes) > 1


def test_bag_keeps_its_type() -> None:
    kinds = set()

    def words(bag: list[str]) -> list[float]:
        kinds.add(type(bag))
        return [sum(w == "yes" for w in bag), len(bag)]

    e = bagscope.explain(words, ["yes", "no", "yes"], method="single")
    assert kinds == {list}
    assert e.scores.tolist() == [[1, 0, 1], [1, 1, 1]]


@pytest.mark.parametrize("after", [0, 3])
def test_exception_of_the_function_is_raised(after: int) -> None:
    calls = 0

    def fails(x: NDArray[Any]) -> NDArray[Any]:
        nonlocal calls
        calls += 1
        if calls > after:
            raise KeyError("mine")
        return total(x)

    with pytest.raises(KeyError, match="mine"):
        bagscope.explain(fails, BAG)
    assert bagscope.explain(total, BAG, method="single").scores.shape == (2, 6)


@pytest.mark.parametrize(
    ("returns", "says"),
    [
        (lambda x: np.zeros((3, 2)), r"shape \(3, 2\)"),
        (lambda x: np.zeros(len(x)), "returned 1 scores|scores for"),
    ],
    ids=["matrix", "classes change"],
)
def test_wrong_scores(returns: Any, says: str) -> None:
    with pytest.raises(bagscope.CallableError, match=says):
        bagscope.explain(returns, BAG, method="single")


def test_nan_is_an_error() -> None:
    with pytest.raises(bagscope.NonFiniteError):
        bagscope.explain(lambda x: [float("nan") if len(x) < 6 else 1.0], BAG, method="single")


def test_predict() -> None:
    p = bagscope.predict(total, BAG)
    assert p.scores.tolist() == BAG.sum(0).tolist()
    assert (p.output, p.scale) == ("raw", "raw")


def test_budget() -> None:
    with pytest.raises(bagscope.BudgetError):
        bagscope.explain(total, BAG, method="single", budget=3)
