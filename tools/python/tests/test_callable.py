"""Functions of Python as models."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from conftest import TINY_BAGS
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


@pytest.mark.parametrize("method", ["single", "one_removed"])
@pytest.mark.parametrize("batch", [False, True])
def test_function_may_change_its_input(method: str, batch: bool) -> None:
    """Each call gets a copy, so that the scores and the caller's array stay as they are."""

    def changes(x: NDArray[Any]) -> NDArray[Any]:
        x += 1
        return total(x)

    def many(bags: list[NDArray[Any]]) -> list[NDArray[Any]]:
        return [changes(b) for b in bags]

    bag = BAG.copy()
    got = bagscope.explain(many if batch else changes, bag, method=method, batch=batch)
    want = bagscope.explain(lambda x: total(x + 1), BAG, method=method)
    assert (got.scores == want.scores).all()
    assert (bag == BAG).all()


@pytest.mark.parametrize(
    ("returns", "says"),
    [
        (None, "returned None"),
        ("one", "returned a str"),
        ({"logits": [1.0]}, "returned a dict"),
        ([[1.0], [2.0, 3.0]], "returned a list of list"),
        ((np.zeros(2), np.zeros(6)), "returned a tuple of ndarray"),
        (np.zeros(2, complex), "type complex128"),
    ],
    ids=["None", "text", "mapping", "ragged", "scores and attention", "complex"],
)
def test_what_are_no_scores(returns: Any, says: str) -> None:
    """The message names what was returned, for each call that evaluates the function."""
    for call in (bagscope.predict, bagscope.explain):
        with pytest.raises(bagscope.CallableError, match=says):
            call(lambda x: returns, BAG)


def test_batches_need_rows() -> None:
    with pytest.raises(bagscope.CallableError, match="returned a float; with batch=True"):
        bagscope.explain(lambda bags: 1.0, BAG, batch=True)
    with pytest.raises(bagscope.SettingError, match=r"batch=True to bagscope\.open"):
        bagscope.explain(bagscope.open(total), BAG, batch=True)


@pytest.mark.parametrize("data", [None, 5, {"x": BAG}, {1, 2}, memoryview(b"abc")])
def test_what_has_no_instances(data: Any) -> None:
    with pytest.raises(bagscope.BagError, match="does not give its instances"):
        bagscope.explain(lambda x: 1.0, data, method="single")


def test_sparse_matrix() -> None:
    """Rows of a sparse matrix, which has no length, are instances."""
    rows = scipy.sparse.csr_matrix(BAG)
    got = bagscope.explain(lambda x: np.asarray(x.sum(axis=0))[0], rows, method="single")
    np.testing.assert_allclose(got.scores, BAG.T, rtol=1e-12)


class Module:
    """A model with the state of a module of PyTorch."""

    def __init__(self, training: bool) -> None:
        self.training = training

    def __call__(self, x: NDArray[Any]) -> NDArray[Any]:
        return total(x)


def test_probabilities_that_are_explained_as_raw_are_noted() -> None:
    """The note names the argument that explains them as probabilities."""

    def probabilities(x: Any) -> Any:
        odds = np.exp(x.sum(axis=0)[:2])
        return odds / odds.sum()

    e = bagscope.explain(probabilities, BAG, method="single")
    assert e.output == "raw"
    (note,) = (n for n in e.notes if "look like probabilities" in n)
    assert 'scale="probabilities"' in note
    opened = bagscope.open(probabilities, classes=["a", "b"], scale="probabilities")
    for other in (opened, lambda x: x.sum(axis=0)[:2], lambda x: x.sum(axis=0)[:1] * 0 + 1):
        got = bagscope.explain(other, BAG, method="single")
        assert not any("look like probabilities" in n for n in got.notes)


def test_training_mode_is_noted() -> None:
    def said(notes: list[str]) -> bool:
        return any("training mode" in note for note in notes)

    for training in (True, False):
        model = Module(training)
        assert said(bagscope.explain(model, BAG, method="single").notes) == training
        assert said(bagscope.predict(model, BAG).notes) == training
        assert said(bagscope.sets(model, BAG).notes) == training


@pytest.mark.parametrize("method", ["single", "one_removed"])
def test_function_needs_an_array(method: str) -> None:
    """A function does not get the path of a file in place of the bag."""
    with pytest.raises(bagscope.BagError, match="needs an array; read the file"):
        bagscope.explain(lambda x: len(x), TINY_BAGS, method=method)


class BFloat16:
    """A tensor of PyTorch whose type NumPy cannot read."""

    dtype = "torch.bfloat16"

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values

    def detach(self) -> "BFloat16":
        return self

    def cpu(self) -> "BFloat16":
        return self

    def float(self) -> NDArray[Any]:
        return self.values

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Got unsupported ScalarType BFloat16")


def test_scores_of_bfloat16() -> None:
    want = bagscope.explain(total, BAG, method="single").scores
    got = bagscope.explain(lambda x: BFloat16(total(x)), BAG, method="single").scores
    assert (got == want).all()

    def mine(x: NDArray[Any]) -> Any:
        return BFloat16(x[:, 0])

    judged = bagscope.evaluate(total, [BAG], methods=[], scores={"mine": mine}, metrics="srg")
    same = bagscope.evaluate(total, [BAG], methods=[], scores={"mine": [BAG[:, 0]]}, metrics="srg")
    assert judged.rows == same.rows


@pytest.mark.parametrize("kind", [np.float16, np.longdouble, np.int8, np.uint64, bool, ">f4"])
def test_types_of_scores(kind: Any) -> None:
    e = bagscope.explain(lambda x: np.array([1, 0], kind), BAG, method="single")
    assert (e.scores == [[1], [0]]).all()
