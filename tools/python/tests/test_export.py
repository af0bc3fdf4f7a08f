"""Export without frameworks: the choice of outputs, the proof, and a stand-in for Keras."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper

import bagscope
from bagscope._export._expect import expect, resized
from bagscope._export._outputs import choose

ROWS = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32)
WEIGHTS = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)


class Stand:
    """A model with the interface of keras.Model: logits of the mean, and a column as attention.

    ``changed`` multiplies the weights in the file.
    """

    __module__ = "keras.src.models.model"

    def __init__(self, *, changed: float = 1, random: bool = False):
        self.changed, self.random = changed, random

    def __call__(self, bags: NDArray[Any], training: bool) -> dict[str, NDArray[Any]]:
        assert not training
        noise = np.random.default_rng().normal() if self.random else 0
        return {"logits": bags.mean(axis=1) @ WEIGHTS + noise, "attention": bags[:, :, :1]}

    def export(self, path: str, format: str, verbose: bool, input_signature: list[Any]) -> None:
        assert (format, verbose) == ("onnx", False)
        (spec,) = input_signature
        assert spec.shape == (1, None, 4)
        weights = onnx.numpy_helper.from_array(WEIGHTS * np.float32(self.changed), "w")
        first = onnx.numpy_helper.from_array(np.array([0]), "first")
        float32 = onnx.TensorProto.FLOAT
        graph = helper.make_graph(
            [
                helper.make_node("ReduceMean", ["bags"], ["mean"], axes=[1], keepdims=0),
                helper.make_node("MatMul", ["mean", "w"], ["logits"]),
                helper.make_node("Gather", ["bags", "first"], ["attention"], axis=2),
            ],
            "stand",
            [helper.make_tensor_value_info("bags", float32, [1, "k", 4])],
            [
                helper.make_tensor_value_info("attention", float32, [1, "k", 1]),
                helper.make_tensor_value_info("logits", float32, [1, 3]),
            ],
            [weights, first],
        )
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)


@pytest.fixture(autouse=True)
def _keras(monkeypatch: pytest.MonkeyPatch) -> None:
    keras: Any = types.ModuleType("keras")
    keras.__version__ = "3.0"
    keras.InputSpec = lambda shape, dtype: types.SimpleNamespace(shape=shape, dtype=dtype)
    keras.ops = types.SimpleNamespace(
        is_tensor=lambda value: isinstance(value, np.ndarray), convert_to_numpy=np.asarray
    )
    monkeypatch.setitem(sys.modules, "keras", keras)


def test_keras_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    model = bagscope.export(Stand(), ROWS[None], path, classes=["a", "b", "c"], scale="logits")
    assert set(model.proof.deviations) == {1, 2, 7, 64}
    assert max(model.proof.deviations.values()) < 1e-6
    assert model.classes == ["a", "b", "c"]
    e = bagscope.explain(bagscope.open(path), ROWS, method="inherent")
    np.testing.assert_allclose(e.scores[0], ROWS[:, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("model", "example", "given", "says"),
    [
        (Stand(changed=2), ROWS[None], {}, r"1 instance: scores differ .* use keras\.ops"),
        (Stand(random=True), ROWS[None], {}, "different scores .* the argument training"),
        (Stand(), ROWS[None], {"classes": ["a"]}, "1 classes, but output 'logits' has 3"),
        (Stand(), ROWS[None], {"output": "attention"}, "'attention' changes its shape"),
        (Stand(), ROWS[None], {"output": "probability"}, "no output 'probability'"),
        (Stand(), ROWS, {}, "cannot compute the example"),
        (Stand(), ROWS[:1], {}, r"shape \(1, 4\); pass at least two"),
        (Stand(), ROWS[None], {"instance_axis": 2}, "pass at least two"),
        (Stand(), [ROWS, ROWS[:3]], {}, "one array"),
    ],
)
def test_what_is_not_proved(
    tmp_path: Path, model: Any, example: Any, given: Any, says: str
) -> None:
    with pytest.raises(bagscope.ExportError, match=says):
        bagscope.export(model, example, tmp_path / "model.onnx", **given)
    assert not list(tmp_path.iterdir())


def test_keras_without_tf2onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def export(*_: Any, **__: Any) -> None:
        raise ImportError("no module named tf2onnx")

    monkeypatch.setattr(Stand, "export", export)
    with pytest.raises(bagscope.ExportError, match="pip install tf2onnx"):
        bagscope.export(Stand(), ROWS[None], tmp_path / "model.onnx")


def test_error_of_keras_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def export(*_: Any, **__: Any) -> None:
        raise ValueError("the layer has no ONNX form")

    monkeypatch.setattr(Stand, "export", export)
    with pytest.raises(bagscope.ExportError, match=r"Keras 3\.0: the layer has no ONNX form"):
        bagscope.export(Stand(), ROWS[None], tmp_path / "model.onnx")


def test_scale_is_found_from_outputs() -> None:
    logits = np.array([[1.0, -2.0, 0.5]])
    softmax = np.exp(logits) / np.exp(logits).sum()
    for other, scale in ((softmax, "logits"), (1 / (1 + np.exp(-logits)), "sigmoid-logits")):
        found = {"y": other, "z": logits}
        assert choose(found, found, (2, 3), None, None, None).scale == scale
        assert choose(found, found, (2, 3), None, None, None).scores == "z"


def test_sizes_that_a_model_rejects_are_stated() -> None:
    def scores(rows: NDArray[Any]) -> Any:
        if len(rows) < 2:
            raise ValueError("too small")
        return np.arange(len(rows)) @ rows.astype(np.float64)

    bags = {k: resized(ROWS, k, 0) for k in (1, 2, 7)}
    found = expect(scores, bags, lambda rows, order: rows[order], bagscope.Bag, (), "")
    assert found.refused == {1: "too small"}
    assert list(found.scores) == [2, 7]
    assert "depend on the order" in found.notes[0]
    with pytest.raises(bagscope.ExportError, match="accepts bags of none"):
        expect(scores, {1: bags[1]}, lambda rows, order: rows[order], bagscope.Bag, (), "")
