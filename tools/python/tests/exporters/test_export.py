"""Tests of bagscope.export with PyTorch."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import modules
import numpy as np
import nystrom_attention
import pytest
import torch
import torchmil.nn

import bagscope
from bagscope import ExportedModel, ExportError, export
from bagscope._export import _module
from bagscope._export._exporters import exporters
from bagscope._export._nystrom import unconditional


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


@pytest.fixture(params=list(exporters()))
def exporter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each exporter of this PyTorch alone."""
    return only(request.param, monkeypatch)


@pytest.fixture
def torchscript(monkeypatch: pytest.MonkeyPatch) -> str:
    return only("torchscript", monkeypatch)


def only(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    one = {name: exporters()[name]}
    monkeypatch.setattr(_module, "exporters", lambda: one)
    return name


def file(folder: Path, module: torch.nn.Module, bag: Any, **options: Any) -> ExportedModel:
    return export(module, bag, folder / "model.onnx", **options)


@pytest.mark.usefixtures("exporter")
def test_file_predicts_what_module_does(tmp_path: Path) -> None:
    module = modules.Attention()
    model = file(tmp_path, module, torch.randn(9, 8), classes=["a", "b", "c"])
    bag = torch.randn(5, 8)
    with torch.no_grad():
        want = module(bag)
    got = bagscope.predict(model, bag)
    assert model.classes == ["a", "b", "c"]
    assert model.info.scale == "logits"
    assert model.info.inherent == "attention"
    np.testing.assert_allclose(got.scores, want["probabilities"], atol=1e-5)
    np.testing.assert_allclose(got.outputs["attention"], want["attention"], atol=1e-5)


@pytest.mark.usefixtures("exporter")
@pytest.mark.parametrize(
    ("module", "bag"),
    [
        (modules.Mean(), torch.randn(1, 9, 8)),
        (modules.Places(), (torch.randn(9, 8), torch.randn(9, 2))),
        (modules.Places(), {"features": torch.randn(9, 8), "coords": torch.randn(9, 2)}),
        (modules.Listed(), [torch.randn(9, 8)]),
        (modules.Mean(), np.random.default_rng(0).normal(size=(1, 9, 8)).astype("f4")),
    ],
    ids=["batch", "tuple", "keywords", "list", "array"],
)
def test_forms_of_bags(tmp_path: Path, module: torch.nn.Module, bag: Any) -> None:
    proof = file(tmp_path, module, bag).proof
    assert list(proof.deviations) == [1, 2, 7, 64]
    assert max(proof.deviations.values()) < 1e-5
    assert "once" in proof.plan[0]


@pytest.mark.usefixtures("exporter")
@pytest.mark.parametrize("batch", [False, True])
def test_adjacency_is_the_bags(tmp_path: Path, batch: bool) -> None:
    features, adjacency = torch.randn(9, 8), torch.rand(9, 9)
    bag = {"features": features, "adj": adjacency}
    if batch:
        bag = {name: tensor[None] for name, tensor in bag.items()}
    module = modules.Related()
    model = file(tmp_path, module, bag, scale="raw")
    assert list(model.proof.deviations) == [1, 2, 7, 64]
    assert max(model.proof.deviations.values()) < 1e-5
    whole = bagscope.Bag(features, adjacency=adjacency)
    e = bagscope.explain(model, whole, method="one_removed")
    rest = [0, 1, 2, 3, 5, 6, 7, 8]
    with torch.no_grad():
        all_nine = module(features, adjacency)
        without = module(features[rest], adjacency[rest][:, rest])
    np.testing.assert_allclose(e.scores[:, 4], all_nine - without, atol=1e-5)


@pytest.mark.usefixtures("torchscript")
@pytest.mark.parametrize("by", ["numpy", "math"])
def test_square_roots_of_python_stay_tensors(tmp_path: Path, by: str) -> None:
    before = math.sqrt
    proof = file(tmp_path, modules.Square(by), torch.randn(20, 8)).proof
    assert list(proof.deviations) == [1, 2, 7, 64]
    assert max(proof.deviations.values()) < 1e-5
    assert math.sqrt is before
    assert "int" not in vars(modules)
    assert not hasattr(torch.Tensor, "__array_ufunc__")


@pytest.mark.parametrize(
    "layer",
    [
        torchmil.nn.NystromAttention(8, n_heads=2, att_dim=12, n_landmarks=4, out_dim=6),
        nystrom_attention.NystromAttention(8, dim_head=4, heads=2, num_landmarks=4),
        nystrom_attention.NystromAttention(8, heads=2, num_landmarks=3, residual=False),
    ],
)
def test_nystrom_attention_without_a_condition(layer: torch.nn.Module) -> None:
    layer.eval()
    for k in range(1, 14):
        x = torch.randn(1, k, 8)
        with torch.no_grad():
            want = layer(x)
            with unconditional(layer):
                got = layer(x)
        torch.testing.assert_close(got, want, atol=1e-6, rtol=1e-5)
        torch.testing.assert_close(layer(x), want)  # the layer's own again


@pytest.mark.parametrize(
    ("module", "owner", "line"),
    [
        (modules.Fixed(), "layer 'pool' (FixedPool)", "k = round(float(h.shape[0]))"),
        (modules.Item(), "the module (Item)", "mean = h.mean().item()"),
        (modules.Loop(), "the module (Loop)", "for i in range(bag.shape[0]):"),
    ],
    ids=["float", "item", "loop"],
)
@pytest.mark.usefixtures("torchscript")
def test_error_names_layer_and_line(
    tmp_path: Path, module: torch.nn.Module, owner: str, line: str
) -> None:
    with pytest.raises(ExportError) as raised:
        file(tmp_path, module, torch.randn(9, 8))
    assert f"The cause is in {owner}" in str(raised.value)
    assert f'"{line}"' in str(raised.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_exported_as_float32(tmp_path: Path, half: torch.dtype) -> None:
    module = modules.Attention().to(half)
    bag = 30 * torch.randn(9, 8, dtype=half)
    type_name = str(half).removeprefix("torch.")
    with pytest.raises(ExportError, match=rf"Layer 'encode' \(Linear\) returns {type_name}.*float"):
        file(tmp_path, module, bag)
    with pytest.raises(ExportError, match=f"are {type_name} and the example is float32. Exp"):
        file(tmp_path, module, bag.float())
    model = file(tmp_path, copy.deepcopy(module).float(), bag.float())
    with torch.no_grad():
        want = module(bag)["probabilities"].float()
    # The half precision of the module: 8 bits of bfloat16 and 11 of float16, over three layers.
    precision = 8 * torch.finfo(half).eps
    np.testing.assert_allclose(bagscope.predict(model, bag.float()).scores, want, atol=precision)


def test_autocast_is_named(tmp_path: Path) -> None:
    class Cast(modules.Attention):
        def forward(self, bag: torch.Tensor) -> dict[str, torch.Tensor]:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return super().forward(bag)

    with pytest.raises(ExportError, match=r"Layer 'encode' .* returns bfloat16.*torch.autocast"):
        file(tmp_path, Cast(), 30 * torch.randn(9, 8))


def test_error_names_layer_that_no_exporter_knows(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"layer 'pool' \(AdaptiveMaxPool1d\): pool by x.amax"):
        file(tmp_path, modules.Adaptive(), torch.randn(9, 8))


def test_random_module_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"F.dropout\(x, p, self.training\)"):
        file(tmp_path, modules.AlwaysDropout(), torch.randn(1, 9, 8))


def test_ambiguous_outputs_are_listed_and_chosen(tmp_path: Path) -> None:
    bag = torch.randn(9, 8)
    with pytest.raises(ExportError, match=r"'output_0' of shape \(2,\), 'output_1'"):
        file(tmp_path, modules.Two(), bag)
    module = modules.Two()
    model = file(tmp_path, module, bag, output="output_1")
    with torch.no_grad():
        np.testing.assert_allclose(bagscope.predict(model, bag).raw, module(bag)[1], atol=1e-5)


@pytest.mark.usefixtures("torchscript")
def test_order_of_instances_is_noted(tmp_path: Path) -> None:
    proof = file(tmp_path, modules.Ordered(), torch.randn(9, 8)).proof
    assert any("depend on the order" in note for note in proof.notes)


@pytest.mark.usefixtures("torchscript")
def test_state_is_restored(tmp_path: Path) -> None:
    module = modules.Mean()
    module.dropout.eval()
    bag = torch.randn(1, 9, 8)
    before = torch.get_rng_state()
    file(tmp_path, module, bag)
    assert (module.training, module.dropout.training) == (True, False)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("bag", "message"),
    [
        (torch.randn(1, 8), "at least two instances"),
        ([torch.randn(9, 8), torch.randn(4, 8)], "a list of 2 bags"),
        ({"features": torch.randn(9, 8), "coords": None}, "instead of a tensor"),
        ((torch.randn(9, 8), torch.randn(9, 9), torch.randn(9, 9)), "one adjacency matrix"),
        ((torch.randn(9, 8), torch.randn(9, 9)), "cannot compute the example"),
        (torch.randn(9, 5), "cannot compute the example"),
    ],
    ids=["one instance", "several bags", "no tensor", "two matrices", "a matrix", "shape"],
)
def test_wrong_examples(tmp_path: Path, bag: Any, message: str) -> None:
    with pytest.raises(ExportError, match=message):
        file(tmp_path, modules.Places() if isinstance(bag, dict) else modules.Two(), bag)


def test_example_of_another_precision(tmp_path: Path) -> None:
    with pytest.raises(
        ExportError, match=r"float32 and the example is float64: pass .* as float32"
    ):
        file(tmp_path, modules.Attention(), torch.randn(9, 8, dtype=torch.float64))


def test_other_objects_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="a list cannot be exported"):
        export([], torch.randn(9, 8), tmp_path / "model.onnx")


@pytest.mark.usefixtures("exporter")
def test_small_weights_are_inside_the_file(tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = export(modules.Attention(), torch.randn(9, 8), tmp_path / "a.onnx")
    torch.manual_seed(2)
    export(modules.Attention(), torch.randn(9, 8), tmp_path / "b.onnx")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.onnx", "b.onnx"]
    bag = np.ones((3, 8), np.float32)
    again = bagscope.predict(bagscope.open(tmp_path / "a.onnx"), bag)
    np.testing.assert_array_equal(again.scores, bagscope.predict(model, bag).scores)


def test_large_weights_are_named_like_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only("dynamo", monkeypatch)
    monkeypatch.setattr("bagscope._export._exporters.MOST", 0)
    model = export(modules.Attention(), torch.randn(9, 8), tmp_path / "a.onnx")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.onnx", "a.onnx.data"]
    assert bagscope.predict(model, np.ones((3, 8), np.float32)).scores.shape == (3,)


def test_names_of_classes_are_as_many_as_scores(tmp_path: Path) -> None:
    class OneLogit(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)

        def forward(self, bag: torch.Tensor) -> torch.Tensor:
            return self.layer(bag).mean(0)

    with pytest.raises(ExportError, match=r"one class: classes=\['tumour'\]"):
        file(tmp_path, OneLogit(), torch.randn(9, 8), classes=["no tumour", "tumour"])
    with pytest.raises(ExportError, match="3 scores; name each"):
        file(tmp_path, modules.Attention(), torch.randn(9, 8), classes=["tumour"])
