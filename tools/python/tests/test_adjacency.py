"""Bags with relations of their instances, compared with NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from onnx import TensorProto, helper, numpy_helper

import bagscope

RANDOM = np.random.default_rng(5)
WEIGHTS = RANDOM.normal(size=(3, 2)).astype(np.float32)
VALUES = RANDOM.normal(size=(9, 3)).astype(np.float32)
# Not symmetric, and mostly 0.
MATRIX = (RANDOM.random((9, 9)) * (RANDOM.random((9, 9)) < 0.3)).astype(np.float32)
ENDS = np.stack(np.nonzero(MATRIX))
PLACES = np.stack([np.arange(9) % 3, np.arange(9) // 3], 1) * 10


def scores_of(values: Any, matrix: Any) -> Any:
    """Return what the network of ``model`` computes."""
    return np.tanh(matrix @ (values @ WEIGHTS)).sum(0)


@pytest.fixture(scope="module")
def model() -> bagscope.Model:
    """Averages the neighbours of each instance and adds up all instances."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("MatMul", ["adj", "h"], ["m"]),
        helper.make_node("Tanh", ["m"], ["t"]),
        helper.make_node("ReduceSum", ["t", "axis"], ["scores"], keepdims=0),
    ]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["k", 3]),
        helper.make_tensor_value_info("adj", TensorProto.FLOAT, ["k", "k"]),
    ]
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, [2])
    constants = [
        numpy_helper.from_array(WEIGHTS, "w"),
        numpy_helper.from_array(np.array([0], np.int64), "axis"),
    ]
    graph = helper.make_graph(nodes, "graph", inputs, [scores], constants)
    opset = [helper.make_opsetid("", 17)]
    file = helper.make_model(graph, opset_imports=opset, ir_version=8)
    return bagscope.open(file.SerializeToString(), card={"output": "raw"})


class Tensor:
    """A tensor as PyTorch's, with its detach and cpu."""

    def __init__(self, array: Any) -> None:
        self.array, self.dtype = array, array.dtype

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


@pytest.mark.parametrize(
    "adjacency",
    [
        MATRIX,
        MATRIX.astype(np.float64)[None],
        Tensor(MATRIX),
        MATRIX.tolist(),
        scipy.sparse.csr_matrix(MATRIX),
        scipy.sparse.coo_array(MATRIX),
        (ENDS, MATRIX[tuple(ENDS)]),
        (Tensor(ENDS), Tensor(MATRIX[tuple(ENDS)][:, None])),
    ],
    ids=["matrix", "batch", "tensor", "list", "csr", "coo", "edges", "tensors of edges"],
)
def test_coalitions_have_the_pairs_of_their_members(model: bagscope.Model, adjacency: Any) -> None:
    bag = bagscope.Bag(VALUES, adjacency=adjacency)
    whole = scores_of(VALUES, MATRIX)
    np.testing.assert_allclose(bagscope.predict(model, bag).scores, whole, atol=1e-6)
    e = bagscope.explain(model, bag, method="one_removed")
    for i in range(9):
        rest = np.delete(np.arange(9), i)
        want = whole - scores_of(VALUES[rest], MATRIX[np.ix_(rest, rest)])
        np.testing.assert_allclose(e.scores[:, i], want, atol=1e-6)


def test_edges_without_weights_weigh_one(model: bagscope.Model) -> None:
    bag = bagscope.Bag(VALUES, adjacency=(ENDS, None))
    want = scores_of(VALUES, (MATRIX != 0).astype(np.float32))
    np.testing.assert_allclose(bagscope.predict(model, bag).scores, want, atol=1e-6)


def test_places_give_the_neighbours(model: bagscope.Model) -> None:
    bag = bagscope.Bag(VALUES, places=PLACES, patch_size=10, adjacency="grid4")
    steps = np.abs(PLACES[:, None] - PLACES[None]).sum(2)
    want = scores_of(VALUES, (steps == 10).astype(np.float32))
    np.testing.assert_allclose(bagscope.predict(model, bag).scores, want, atol=1e-6)


def test_games_and_metrics_use_relations(model: bagscope.Model) -> None:
    bag = bagscope.Bag(VALUES, adjacency=MATRIX)
    members = np.arange(9) % 2 == 0
    want = scores_of(VALUES[members], MATRIX[np.ix_(members, members)])
    np.testing.assert_allclose(bagscope.game(model, bag)(members[None])[0], want, atol=1e-6)
    other = bagscope.Bag(VALUES, adjacency=np.eye(9))
    metrics = [
        bagscope.evaluate(model, [b], methods=["one_removed"]).summary() for b in (bag, other)
    ]
    assert metrics[0] != metrics[1]


def test_files_have_their_own(model: bagscope.Model, tmp_path: Path) -> None:
    np.savez(tmp_path / "bag.npz", X=VALUES, adj=MATRIX)
    got = bagscope.predict(model, tmp_path / "bag.npz").scores
    np.testing.assert_allclose(got, scores_of(VALUES, MATRIX), atol=1e-6)
    with pytest.raises(bagscope.BagError, match="a file has its own"):
        bagscope.Bag(tmp_path / "bag.npz", adjacency=MATRIX)


@pytest.mark.parametrize(
    ("adjacency", "says"),
    [
        (np.ones((9, 8)), r"shape \(9, 8\) is not square"),
        (np.ones((2, 9, 9)), "is not square"),
        ((ENDS, None, None), "3 arrays"),
        ((ENDS.T, None), r"need shape \(2, edges\)"),
        ((ENDS.astype(float), None), "whole numbers"),
        ((ENDS, np.ones(3)), "3 weights for"),
        (np.ones((8, 8)), "64 values, and 9 instances have 81 pairs"),
        (np.full((9, 9), np.nan), "must be finite"),
        ((ENDS + 5, None), "joins instances"),
        ((ENDS - 1, None), "joins instances"),
        ("near", "near"),
        ("knn(2)", "have no places"),
        (None, "the bag has none"),
    ],
)
def test_wrong_relations_are_errors(model: bagscope.Model, adjacency: Any, says: str) -> None:
    with pytest.raises((bagscope.BagError, bagscope.SettingError), match=says):
        bagscope.predict(model, bagscope.Bag(VALUES, adjacency=adjacency))


def test_functions_take_no_relations() -> None:
    bag = bagscope.Bag(VALUES, adjacency=MATRIX)
    with pytest.raises(bagscope.BagError, match="function"):
        bagscope.explain(lambda part: part.sum(axis=0), bag, method="one_removed")


def test_widget_gets_relations(model: bagscope.Model, tmp_path: Path) -> None:
    from bagscope import _widget

    want = scores_of(VALUES, MATRIX)
    for adjacency in (MATRIX, (ENDS, MATRIX[tuple(ENDS)])):
        name, data = _widget._bag_file(bagscope.Bag(VALUES, name="b", adjacency=adjacency))
        (tmp_path / name).write_bytes(data)
        got = bagscope.predict(model, tmp_path / name).scores
        np.testing.assert_allclose(got, want, atol=1e-6)
    placed = bagscope.Bag(VALUES, places=PLACES, patch_size=10, adjacency="grid4")
    with pytest.raises(bagscope.UnavailableError, match="picture"):
        _widget._bag_file(placed)
