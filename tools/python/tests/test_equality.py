"""Results are equal if they state the same, by one rule for all of their classes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import TINY
from slidemodels import SLIDE

import bagscope
from bagscope._result import Result

BAG = np.random.default_rng(2).normal(size=(12, 6)).astype(np.float32)
OTHER = BAG[::-1] * 2
CALLS: dict[str, Callable[[Any], Any]] = {
    "predict": lambda bag: bagscope.predict(TINY, bag),
    "explain": lambda bag: bagscope.explain(TINY, bag, method="milli", reliability=True),
    "explain by all": lambda bag: bagscope.explain(TINY, bag, method="all"),
    "reliability": lambda bag: bagscope.explain(TINY, bag, reliability=True).reliability,
    "sets": lambda bag: bagscope.sets(TINY, bag, curves=True),
    "pairs": lambda bag: bagscope.pairs(TINY, bag, among=4),
    "whatif": lambda bag: bagscope.whatif(TINY, bag),
    "check": lambda bag: bagscope.check(TINY, bag, method="single"),
    "groups": lambda bag: bagscope.groups(TINY, bag),
    "inside": lambda bag: bagscope.inside(TINY, bag),
    "evaluate": lambda bag: bagscope.evaluate(TINY, [bag], methods=["single", "milli"]),
    "plan": lambda bag: bagscope.plan(TINY, bag if bag is BAG else bag[:5]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_equal(call: Callable[[Any], Any]) -> None:
    result = call(BAG)
    assert isinstance(result, Result)
    for same in (result, call(BAG), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert result == same
    assert result != call(OTHER)
    assert result != "a result"
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)


def test_tiles_are_equal() -> None:
    got, other = (bagscope.tiles(SLIDE, patch_size=n, mpp=0, whole_slide=True) for n in (16, 32))
    assert got == pickle.loads(pickle.dumps(got)) != other


def test_every_part_decides() -> None:
    """NaN equals NaN; any other difference of a value, a shape or a type is one."""
    want = bagscope.Prediction(
        scores=np.array([0.5, np.nan]), output="prob", raw=np.array([1.0]), scale="raw",
        classes=["a", "b"], outputs={"y": np.zeros((1, 2))}, notes=[], units=["score"], curves=[],
    )  # fmt: skip
    assert want == copy.deepcopy(want)
    changes: list[dict[str, Any]] = [
        {"scores": np.array([np.nan, 0.5])}, {"scores": np.array([0.5])}, {"output": "logit"},
        {"raw": np.array([1])}, {"classes": ["a"]}, {"outputs": {}},
        {"outputs": {"y": np.zeros((2, 1))}}, {"outputs": {"z": np.zeros((1, 2))}},
        {"notes": ()}, {"units": ["probability"]},
    ]  # fmt: skip
    for change in changes:
        assert want != dataclasses.replace(want, **change), change


def test_every_result_has_the_rule() -> None:
    """Each class of the package that holds what a call returned compares in the same way."""
    others = {"Bag", "ExportedModel", "Game", "Model"}
    for name in bagscope.__all__:
        cls = getattr(bagscope, name)
        if isinstance(cls, type) and not issubclass(cls, Exception) and name not in others:
            assert issubclass(cls, Result), name
            assert cls.__eq__ is Result.__eq__, name
            assert cls.__hash__ is None, name
