"""Tests of bagscope.export with models of Keras on TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from keras import layers, ops

import bagscope

pytestmark = [
    # tf2onnx 1.17 asks NumPy for names that it does not have any more.
    pytest.mark.filterwarnings("ignore:.*np.object:FutureWarning"),
    # Keras warns of the softmax of a single instance.
    pytest.mark.filterwarnings("ignore:You are using a softmax over axis:UserWarning"),
]

ROWS = np.random.default_rng(0).normal(size=(20, 8)).astype(np.float32)


def attention(outputs: str) -> keras.Model:
    """Return a functional model with gated attention."""
    bag = keras.Input((None, 8))
    hidden = layers.Dense(16, activation="tanh")(bag) * layers.Dense(16, activation="sigmoid")(bag)
    weights = layers.Softmax(axis=1)(layers.Dense(1)(hidden))
    logits = layers.Dense(3)(ops.sum(weights * bag, axis=1))
    shown: Any = {
        "scores": layers.Softmax()(logits),
        "mapping": {"logits": logits, "attention": weights, "probabilities": ops.softmax(logits)},
        "list": [logits, weights],
    }[outputs]
    return keras.Model(bag, shown)


class Pool(keras.Model):
    """A subclassed model of batches."""

    def __init__(self, how: str, axis: int = 1) -> None:
        super().__init__()
        self.encode, self.head = layers.Dense(6, activation="relu"), layers.Dense(2)
        self.how, self.axis = how, axis

    def call(self, bag: Any) -> Any:
        hidden = self.encode(bag)
        if self.how == "loop":
            return self.head(sum(hidden[:, i] for i in range(bag.shape[1] or 20)))
        pool = {"mean": ops.mean, "max": ops.max}[self.how]
        return self.head(ops.reshape(pool(hidden, axis=self.axis), (1, 6)))


class Random(keras.Model):
    """A model that draws random numbers."""

    def call(self, bag: Any) -> Any:
        return ops.mean(bag, axis=1) + keras.random.normal((1, 8))


@pytest.mark.parametrize("outputs", ["scores", "mapping", "list"])
def test_functional_model_is_proved(tmp_path: Path, outputs: str) -> None:
    keras.utils.set_random_seed(1)
    model = bagscope.export(attention(outputs), ROWS[None], tmp_path / "model.onnx")
    assert set(model.proof.deviations) == {1, 2, 7, 64}
    assert max(model.proof.deviations.values()) < 1e-6
    assert "encoded once" in model.proof.plan[0]
    assert bool(model.info.inherent) == (outputs != "scores")
    if outputs == "mapping":
        assert "'logits' holds logits" in model.proof.notes[0]


@pytest.mark.parametrize(("how", "axis"), [("mean", 1), ("max", 1), ("mean", 0)])
def test_subclassed_model_is_proved(tmp_path: Path, how: str, axis: int) -> None:
    """The number of instances is free, although the model was called with one number."""
    keras.utils.set_random_seed(1)
    module = Pool(how, axis)
    example = ROWS[None] if axis == 1 else ROWS
    module(example)
    model = bagscope.export(module, example, tmp_path / "model.onnx", classes=["a", "b"])
    assert max(model.proof.deviations.values()) < 1e-6
    want = np.asarray(module(ROWS[None, :5] if axis == 1 else ROWS[:5])).ravel()
    np.testing.assert_allclose(bagscope.predict(model, ROWS[:5]).raw, want, atol=1e-6)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (Pool("loop"), r"The file fails for 1 instance.*keras\.ops"),
        (Random(), "something is random"),
    ],
)
def test_what_is_not_proved(tmp_path: Path, model: keras.Model, says: str) -> None:
    with pytest.raises(bagscope.ExportError, match=says):
        bagscope.export(model, ROWS[None], tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
