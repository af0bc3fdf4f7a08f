"""Tests of bagscope.export with classifiers of scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import bagscope

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(120, 6)).astype(np.float32)
LABELS = (ROWS[:, 0] + ROWS[:, 1] > 0).astype(int)


# scikit-learn 1.9 deprecates probability=True, which skl2onnx 1.20 reads.
SVC_PROBABILITY = pytest.mark.filterwarnings("ignore:.*prob(A_|ability).*:FutureWarning")


@SVC_PROBABILITY
@pytest.mark.parametrize("pool", ["mean", "max"])
@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(),
        RandomForestClassifier(5, random_state=0),
        GradientBoostingClassifier(n_estimators=5),
        MLPClassifier((8,), max_iter=2000, random_state=0),
        SVC(probability=True, random_state=0),
        CalibratedClassifierCV(SVC(kernel="poly"), ensemble=False),
    ],
    ids=lambda c: type(c).__name__,
)
def test_pipeline_is_pooled(tmp_path: Path, classifier: Any, pool: str) -> None:
    pipeline = make_pipeline(StandardScaler(), classifier).fit(ROWS, LABELS)
    model = bagscope.export(pipeline, ROWS[:20], tmp_path / "model.onnx", pool=pool)
    want = getattr(pipeline.predict_proba(ROWS[40:50]), pool)(axis=0)
    np.testing.assert_allclose(bagscope.predict(model, ROWS[40:50]).raw, want, atol=1e-5)
    assert model.classes == ["0", "1"]


def test_pool_is_needed(tmp_path: Path) -> None:
    model = LogisticRegression().fit(ROWS, LABELS)
    with pytest.raises(bagscope.ExportError, match="pool='mean' or pool='max'"):
        bagscope.export(model, ROWS, tmp_path / "model.onnx")


@SVC_PROBABILITY
def test_support_vectors_of_three_classes(tmp_path: Path) -> None:
    model = SVC(probability=True, random_state=0).fit(ROWS, LABELS + (ROWS[:, 2] > 0))
    exported = bagscope.export(model, ROWS, tmp_path / "model.onnx", pool="mean")
    want = model.predict_proba(ROWS[40:50]).mean(axis=0)
    np.testing.assert_allclose(bagscope.predict(exported, ROWS[40:50]).raw, want, atol=1e-5)


def test_unsupported_operator_is_named(tmp_path: Path) -> None:
    model = GaussianProcessClassifier(random_state=0).fit(ROWS[:20], LABELS[:20])
    with pytest.raises(bagscope.UnsupportedError, match="operator Solve"):
        bagscope.export(model, ROWS, tmp_path / "model.onnx", pool="mean")
    assert not list(tmp_path.iterdir())
