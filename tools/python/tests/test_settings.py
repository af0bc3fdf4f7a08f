"""Values that settings cannot have, in every function that takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TINY, TINY_BAGS

import bagscope

BAG = np.random.default_rng(2).normal(size=(12, 6)).astype(np.float32)
CALLS = {
    "explain": bagscope.explain,
    "sets": bagscope.sets,
    "pairs": bagscope.pairs,
    "whatif": bagscope.whatif,
    "check": bagscope.check,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize(
    ("setting", "value", "says"),
    [
        ("without", np.arange(12) < 3, "mask.*flatnonzero"),
        ("without", [True, False], "mask.*flatnonzero"),
        ("without", [1.5], "1.5 is not a whole number"),
        ("without", ["1"], "'1' is not a whole number"),
        ("without", "12", "not a sequence"),
        ("without", 3, "not a sequence"),
        ("without", None, "not a sequence"),
        ("seed", -1, r"within 0 and 2\^64 - 1"),
        ("seed", 2**64, r"within 0 and 2\^64 - 1"),
        ("seed", 1.5, "not a whole number"),
        ("seed", None, "not a whole number"),
        ("budget", -1, "must not be negative"),
        ("budget", "many", "not a whole number"),
        ("memory", -1, "must not be negative"),
        ("memory", 0.5, "not a whole number"),
        ("class_", "absent", "absent"),
    ],
    ids=str,
)
def test_invalid(call: Any, setting: str, value: Any, says: str) -> None:
    """A SettingError names the setting; nothing is computed by another value."""
    with pytest.raises(bagscope.SettingError, match=says) as caught:
        call(TINY, BAG, **{setting: value})
    assert str(caught.value).startswith(setting.rstrip("_"))
    assert bagscope.explain(TINY, BAG, method="single").scores.shape == (3, 12)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_numbers_of_numpy(call: Any) -> None:
    want = call(TINY, BAG, seed=3, budget=10**6, without=[1, 2], class_=1).to_dict()
    given: dict[str, Any] = {"seed": np.int64(3), "budget": 1e6, "without": np.array([1, 2])}
    assert call(TINY, BAG, class_=np.int32(1), **given).to_dict() == want


def test_types_of_numbers() -> None:
    """Arrays and numbers of NumPy are arguments for type checkers, too; mypy reads this test."""
    e = bagscope.explain(TINY, BAG, method="single", class_=np.int64(1))
    least = e.scores[0].argsort()[:2]
    some = bagscope.explain(TINY, BAG, method="single", without=least, class_=e.prediction.argmax())
    other = bagscope.explain(
        TINY, BAG, method="single", without=set(least.tolist()), class_=int(e.prediction.argmax())
    )
    assert (some.scores == other.scores).all()
    assert e.score(np.int64(1)).shape == (12,)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"class_": 1.0}, "neither the number nor the name"),
        ({"class_": [0, 1]}, "neither the number nor the name"),
        ({"method": "random_shap", "samples": BAG}, r"samples: array\(.* is not a setting"),
        ({"method": "random_shap", "samples": float("nan")}, "samples: nan is not a setting"),
        ({"method": "random_shap", "coalitions": [[0, 1]]}, "coalitions"),
    ],
    ids=str,
)
def test_invalid_in_explain(options: Any, says: str) -> None:
    with pytest.raises(bagscope.SettingError, match=says):
        bagscope.explain(TINY, BAG, **options)


@pytest.mark.parametrize("call", [bagscope.predict, *CALLS.values()], ids=["predict", *CALLS])
def test_index(call: Any) -> None:
    """Every call takes the number of a bag in a file; a Bag has its own."""

    def stated(answer: Any) -> Any:
        return answer.to_dict() if hasattr(answer, "to_dict") else answer.scores.tolist()

    got, want = call(TINY, TINY_BAGS, index=3), call(TINY, bagscope.Bag(TINY_BAGS, index=3))
    assert stated(got) == stated(want) != stated(call(TINY, TINY_BAGS, index=2))
    with pytest.raises(bagscope.BagError, match="pass index= to Bag"):
        call(TINY, bagscope.Bag(TINY_BAGS), index=3)
    with pytest.raises(bagscope.SettingError, match="index"):
        call(TINY, TINY_BAGS, index="a")
    with pytest.raises(bagscope.BagscopeError, match="100"):
        call(TINY, BAG, index=100)


@pytest.mark.parametrize(
    ("options", "says"),
    [({"name": 5}, "name"), ({"name": "\udcff"}, "name"), ({"index": "a"}, "index")],
    ids=str,
)
def test_invalid_in_bag(options: Any, says: str) -> None:
    """A value that a message cannot contain is an error that names the field."""
    with pytest.raises(bagscope.SettingError, match=says):
        bagscope.explain(TINY, bagscope.Bag(BAG, **options))


@pytest.mark.parametrize("setting", ["model", "bag"])
def test_empty_path(setting: str) -> None:
    """An empty path is an error, and not the current folder."""
    given: dict[str, Any] = {"model": TINY, "bag": BAG, setting: ""}
    with pytest.raises(bagscope.SettingError, match=f"{setting}: the path is empty"):
        bagscope.explain(**given)


def test_folder_as_model(tmp_path: Path) -> None:
    with pytest.raises(bagscope.BagscopeError, match="it is a folder; name a file in it"):
        bagscope.open(tmp_path)


def test_progress_may_be_any_flag() -> None:
    want = bagscope.explain(TINY, BAG).scores
    anything: list[Any] = [None, 0, np.False_]
    for progress in anything:
        assert (bagscope.explain(TINY, BAG, progress=progress).scores == want).all()


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ({"mine": [BAG[:, 0]]}, "mine has 1 arrays for 2 bags"),
        ({"mine": [BAG[:, 0]] * 3}, "mine has 3 arrays for 2 bags"),
        ({"mine": lambda bag: ["a"] * 12}, "mine has no array of numbers for bag 0"),
        ({"mine": lambda bag: None}, r"shape \(\) for bag 0"),
    ],
    ids=["too few", "too many", "text", "None"],
)
def test_invalid_scores(scores: Any, says: str) -> None:
    with pytest.raises(bagscope.SettingError, match=says):
        bagscope.evaluate(TINY, [BAG, BAG], methods="single", scores=scores)


def test_one_metric() -> None:
    one = bagscope.evaluate(TINY, [BAG], methods="single", metrics="srg")
    assert one.metrics == ["srg"]
