"""Explanations for the plots of shap. A class stands for that of shap, which takes minutes."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import TINY

import bagscope

BAG = np.random.default_rng(2).normal(size=(12, 6)).astype(np.float32)


@pytest.fixture(autouse=True)
def _shap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shap", SimpleNamespace(Explanation=SimpleNamespace))


def test_values_sum_to_the_prediction_in_its_unit() -> None:
    e = bagscope.explain(TINY, BAG, method="single", without=[3])
    got: Any = e.to_shap("two")
    np.testing.assert_array_equal(got.values, e.score("two") - e.neutral[2])
    assert got.base_values + got.values.sum() == pytest.approx(e.prediction[2], abs=1e-12)
    assert isinstance(got.base_values, float)
    assert got.feature_names[2:4] == ["instance 2", "instance 4"]
    assert len(got.feature_names) == 11


def test_scores_in_another_unit_have_no_base() -> None:
    e = bagscope.explain(TINY, BAG)
    assert e.unit == "log-odds" != e.units[0]
    got: Any = e.to_shap()
    assert got.base_values == 0
    np.testing.assert_array_equal(got.values, e.scores[e.prediction.argmax()])


def test_the_class_is_an_explained_one() -> None:
    e = bagscope.explain(TINY, BAG, method="single", class_=1)
    got: Any = e.to_shap()
    np.testing.assert_array_equal(got.values, e.scores[0] - e.neutral[0])
    with pytest.raises(bagscope.SettingError, match="was not explained"):
        e.to_shap(2)
