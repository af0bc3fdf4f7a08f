"""Sources of models, options and pictures."""

import copy
import itertools
import math
import pickle
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import onnx
import pytest
from conftest import ROOT, TINY, TINY_BAGS, command
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import bagscope
from bagscope import _wire as wire

mpl.use("Agg")
BAG = bagscope.Bag(TINY_BAGS, index=3)
WANT = bagscope.explain(TINY, BAG).scores


@pytest.mark.parametrize(
    "source",
    [TINY, str(TINY), TINY.read_bytes(), onnx.load(TINY)],
    ids=["path", "text", "bytes", "onnx.ModelProto"],
)
def test_sources(source: Any) -> None:
    model = bagscope.open(source)
    assert model.classes == ["none", "one", "two"]
    assert (bagscope.explain(model, BAG).scores == WANT).all()
    assert bagscope.open(model) is model


def test_external_tensors_beside_the_file() -> None:
    parts = TINY.with_name("tiny_parts.onnx")
    assert (bagscope.explain(parts, BAG).scores == WANT).all()


def test_card() -> None:
    model = bagscope.open(TINY, card={"classes": ["a", "b", "c"]}, name="mine")
    e = bagscope.explain(model, BAG, class_="B", method="single")
    assert (e.classes, e.explained, model.name) == (["a", "b", "c"], [1], "mine")
    assert (e.score("b") == e.scores[0]).all()
    with pytest.raises(bagscope.SettingError, match="was not explained"):
        e.score("a")


def test_via(tmp_path: Path) -> None:
    def save(name: str, op: str, given: list[str | int], width: int = 2, **attributes: Any) -> Path:
        graph = helper.make_graph(
            [helper.make_node(op, ["x"], ["y"], **attributes)],
            "graph",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, given)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, width])],
        )
        opset = [helper.make_opsetid("", 13)]
        onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), tmp_path / name)
        return tmp_path / name

    encoder = save("encoder.onnx", "ReduceMax", ["k", 2], axes=[0])
    head = save("head.onnx", "Neg", [1, 2])
    bag = np.array([[1, 8], [4, 2]], np.float32)
    for source in (head, head.read_bytes()):
        model = bagscope.open(source, card={"output": "raw"}, via=encoder)
        assert bagscope.predict(model, bag).scores.tolist() == [-4, -8]
        assert any("goes through encoder.onnx" in note for note in model.info.notes)
    with pytest.raises(bagscope.FormatError, match="does not fit"):
        bagscope.open(head, via=save("wide.onnx", "ReduceMax", ["k", 3], 3, axes=[0]))
    with pytest.raises(bagscope.SettingError, match="it is for files"):
        bagscope.open(lambda bag: [0.0], via=encoder)


def test_target(tmp_path: Path) -> None:
    graph = helper.make_graph(
        [helper.make_node("ReduceMean", ["x"], ["y"], axes=[0])],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["k", 80])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 80])],
    )
    opset = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), tmp_path / "m.onnx")
    random = np.random.default_rng(0)
    bag, target = random.normal(size=(7, 80)).astype(np.float32), random.normal(size=80)

    def cosine(members: Sequence[int], to: NDArray[np.float64]) -> float:
        v = bag[list(members)].astype(np.float64).mean(axis=0)
        return float(v @ to / np.linalg.norm(v) / np.linalg.norm(to))

    # Shapley values by their definition.
    sets = [s for n in range(8) for s in itertools.combinations(range(7), n)]
    value = {s: cosine(s, target) if s else 0.0 for s in sets}
    shapley = [
        sum(
            (value[tuple(sorted((*s, i)))] - value[s]) / (7 * math.comb(6, len(s)))
            for s in sets
            if i not in s
        )
        for i in range(7)
    ]
    np.savez(tmp_path / "p.npz", near=target, far=-target)
    for source in (tmp_path / "m.onnx", (tmp_path / "m.onnx").read_bytes()):
        with pytest.raises(bagscope.SettingError, match="alike to what"):
            bagscope.explain(source, bag)
        model = bagscope.open(source, target=target)
        whole = cosine(range(7), target)
        near = bagscope.predict(model, bag).scores
        np.testing.assert_allclose(near, [whole], atol=1e-7)  # the graph computes in float32
        report = bagscope.explain(model, bag, method="shapley")
        np.testing.assert_allclose(report.prediction, [whole], rtol=0, atol=1e-9)
        np.testing.assert_allclose(report.scores, [shapley], rtol=0, atol=1e-9)
        both = bagscope.open(source, target=tmp_path / "p.npz")
        assert both.info.classes == ["near", "far"]
        np.testing.assert_allclose(bagscope.predict(both, bag).scores, [whole, -whole], atol=1e-7)
        probe = bagscope.open(source, target={"weight": target, "bias": [0.5]})
        mean = bag.astype(np.float64).mean(axis=0)
        np.testing.assert_allclose(bagscope.predict(probe, bag).scores, [mean @ target + 0.5], 1e-6)
    several = bagscope.open([tmp_path / "m.onnx"] * 2, target=target, likeness="dot")
    got = bagscope.predict(several, bag)
    np.testing.assert_allclose(got.scores, [mean @ target], 1e-6)
    np.testing.assert_allclose(got.folds[1].prediction, got.scores)
    with pytest.raises(bagscope.SettingError, match="it compares with a target; state target"):
        bagscope.open(tmp_path / "m.onnx", likeness="dot")
    with pytest.raises(bagscope.SettingError, match="of 3 numbers"):
        bagscope.open(tmp_path / "m.onnx", target=[1.0, 2.0, 3.0])
    with pytest.raises(bagscope.SettingError, match="target"):
        bagscope.open(tmp_path / "m.onnx", target=tmp_path / "none.npy")


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: bagscope.open("/no/such.onnx"), bagscope.BagscopeError, "does not exist"),
        (lambda: bagscope.open(b"junk"), bagscope.FormatError, "model"),
        (lambda: bagscope.open(3), TypeError, "cannot be a int"),
        (
            lambda: bagscope.explain(TINY, BAG, smoothing=9),  # type: ignore[call-overload]
            bagscope.SettingError,
            "not an option",
        ),
        (lambda: bagscope.explain(TINY, BAG, budget=2), bagscope.BudgetError, "budget"),
        (lambda: bagscope.explain(TINY, BAG, without=[99]), bagscope.SettingError, "instance 99"),
    ],
)
def test_errors(call: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        call()
    if isinstance(caught.value, bagscope.BagscopeError):
        again = pickle.loads(pickle.dumps(caught.value))
        assert (str(again), again.kind) == (str(caught.value), caught.value.kind)


def test_note_of_a_long_wait() -> None:
    bound = bagscope.open(TINY).bound(BAG, None)
    with pytest.warns(UserWarning, match="This takes long"):
        bound.event()(bound.child, 0, wire.Noted(["This takes long."]))


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    bagscope.explain(
        TINY, BAG, samples=3000, method="random_shap", progress=lambda *at: seen.append(at)
    )
    assert seen
    assert seen[-1][0] == seen[-1][1]
    assert (bagscope.explain(TINY, BAG, progress=True).scores == WANT).all()


def test_pictures_are_the_commands(tmp_path: Path) -> None:
    got, want = tmp_path / "got", tmp_path / "want"
    tissue = ROOT / "examples/tissue"
    args = ("explain", "--model", tissue / "model.onnx", "--bag", tissue / "slide.png")
    command(*args, "--png", f"{want}.png", "--geojson", f"{want}.geojson", "--method", "single")
    e = bagscope.explain(tissue / "model.onnx", tissue / "slide.png", method="single")
    e.save(f"{got}.png")
    e.save(f"{got}.geojson")
    for ending in ("png", "geojson"):
        assert (
            got.with_suffix(f".{ending}").read_bytes()
            == want.with_suffix(f".{ending}").read_bytes()
        )
    some = bagscope.explain(tissue / "model.onnx", tissue / "slide.png", without=[0, 5])
    some.save(f"{got}.png")
    assert got.with_suffix(".png").read_bytes() != want.with_suffix(".png").read_bytes()
    axes = e.plot()
    assert np.size(np.asarray(axes.collections[0].get_array())) == len(e.instances)
    axes.figure.clear()


def test_plot_bars() -> None:
    e = bagscope.explain(TINY, BAG, method="milli", without=[1])
    axes = e.plot("one")
    bars = [path.get_extents() for path in axes.collections[0].get_paths()]
    np.testing.assert_allclose([b.y0 + b.y1 for b in bars], e.score("one"))
    np.testing.assert_allclose([(b.x0 + b.x1) / 2 for b in bars], e.instances)
    low, high = axes.get_ylim()
    assert low < min(0, *e.score("one"))
    assert high > max(0, *e.score("one"))
    # The strongest colours are those of the other pictures.
    for colours, ends in {
        "": ("#e66f00", "#2f62ff"),
        "blue-orange": ("#e66f00", "#2f62ff"),
        "green-red": ("#d03c24", "#22a86c"),
    }.items():
        shades = e.plot("one", colours=colours).collections[0].get_cmap()
        assert tuple(mpl.colors.to_hex(shades(end)) for end in (0.0, 1.0)) == ends
    with pytest.raises(bagscope.SettingError, match="mauve"):
        e.plot("one", colours="mauve")
    assert "one" in axes.get_title()
    with pytest.raises(bagscope.SettingError, match="ending"):
        e.save("e.svg")


def test_dataframe() -> None:
    e = bagscope.explain(TINY, BAG, method=["milli", "single"])
    frame = e.to_dataframe()
    rows = frame[(frame["method"] == "milli") & (frame["class_name"] == "two")]
    assert (rows["score"].to_numpy() == e["milli"].score("two")).all()
    stderr = e["milli"].stderr
    assert stderr is not None
    assert (rows["stderr"].to_numpy() == stderr[2]).all()
    assert frame[frame["method"] == "single"]["stderr"].isna().all()


def test_notebooks_show_a_picture() -> None:
    """It is the bytes of a file, whose text is short, because notebooks store it, too."""
    picture = bagscope.explain(TINY, BAG, method="single").picture()
    assert isinstance(picture, bytes)
    assert picture.startswith(b"\x89PNG")
    assert picture._repr_png_() == picture
    assert repr(picture) == f"<PNG of {len(picture)} bytes>"
    assert pickle.loads(pickle.dumps(picture)) == picture


def test_explanations_can_be_pickled() -> None:
    e = bagscope.explain(TINY, BAG, method="milli")
    again = pickle.loads(pickle.dumps(e))
    assert (again.scores == e.scores).all()
    assert again.to_dict() == e.to_dict()


@pytest.mark.parametrize(
    ("source", "options", "says"),
    [
        (TINY, {"classes": ["a", "b", "c"]}, "classes: it is for functions"),
        (TINY, {"classes": np.array(["a", "b", "c"])}, "classes: it is for functions"),
        (TINY, {"scale": "probabilities"}, "scale: it is for functions"),
        (TINY, {"negative": 0}, "negative: it is for functions"),
        (TINY, {"batch": True}, "batch: it is for functions"),
        (len, {"card": {"classes": ["a"]}}, "card: it is for files"),
        (len, {"plain": True}, "plain: it is for files"),
        (bagscope.open(TINY), {"card": {"classes": ["a", "b", "c"]}}, "card: the model is open"),
        (bagscope.open(TINY), {"name": "mine"}, "name: the model is open"),
        (TINY, {"card": {"negative": np.int64(1)}}, "card: it cannot become JSON"),
        (TINY, {"card": 5}, "card: it is a int"),
    ],
    ids=lambda v: str(v)[:40],
)
def test_settings_without_an_effect(source: Any, options: Any, says: str) -> None:
    """What a model would ignore is an error: its scores would mean something else."""
    with pytest.raises(bagscope.SettingError, match=says):
        bagscope.open(source, **options)
    unchanged: dict[str, Any] = {"scale": "raw", "negative": np.int64(-1)}
    assert bagscope.open(source, **unchanged).name


def test_inputs_beside_the_bag() -> None:
    """The age and the sex of a patient are constants of a model, over those of its card."""
    number = onnx.TensorProto.FLOAT
    value = onnx.helper.make_tensor_value_info
    names = ["x", "age", "sex"]
    graph = onnx.helper.make_graph(
        [
            onnx.helper.make_node("ReduceMean", ["x"], ["z"], axes=[0], keepdims=1),
            onnx.helper.make_node("Concat", ["z", "age", "sex"], ["logits"], axis=1),
        ],
        "patient",
        [value(n, number, ["k" if n == "x" else 1, 1]) for n in names],
        [value("logits", number, [1, 3])],
        [],
    )
    file = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8
    )
    bag = np.array([[1.0], [4.0]], np.float32)
    card = {"output": "raw", "inputs": {"age": 1, "sex": 1}}
    model = bagscope.open(file, card=card, inputs={"age": 63})
    assert bagscope.predict(model, bag).scores.tolist() == [2.5, 63, 1]
    stated = bagscope.Bag(bag, inputs={"age": 50, "sex": [0.5]})
    assert bagscope.predict(model, stated).scores.tolist() == [2.5, 50, 0.5]
    # The logits are the covariates: each adds its difference from the reference.
    compared = bagscope.explain(model, stated, method="single", reference={"age": 48, "sex": 0})
    assert [c.adds.tolist() for c in compared.covariates] == [[0, 2, 0], [0, 0, 0.5]]
    assert [c.instead.tolist() for c in compared.covariates] == [[2.5, 48, 0.5], [2.5, 50, 0]]
    assert compared.covariates == copy.deepcopy(compared.covariates)
    (age, _) = bagscope.explain(model, stated, method="single").covariates
    assert age.name == "age"
    assert age.values.tolist() == [50]
    assert age.reference.size == 0
    with pytest.raises(bagscope.SettingError, match="no two bags of the file state a covariate"):
        bagscope.explain(model, stated, reference="mean")
    with pytest.raises(bagscope.BagError, match='no covariate "hight"'):
        bagscope.predict(model, bagscope.Bag(bag, inputs={"hight": 1}))
    alone = bagscope.open(file, inputs={"age": 63, "sex": [2]})
    assert bagscope.predict(alone, bag).raw.tolist() == [2.5, 63, 2]
    with pytest.raises(bagscope.BagscopeError, match='takes no input "hight"'):
        bagscope.open(file, inputs={"hight": 1})
    with pytest.raises(bagscope.SettingError, match="cannot become JSON"):
        bagscope.open(file, inputs={"age": object()})


def test_missing_card() -> None:
    with pytest.raises(bagscope.MissingError, match=r"model card no\.json does not exist"):
        bagscope.open(TINY, card="no.json")


def test_file_that_changes(tmp_path: Path) -> None:
    """A model stays the one that was opened; if that is impossible, there is an error."""
    file = tmp_path / "model.onnx"
    shutil.copy(TINY, file)
    model = bagscope.open(file)
    e = bagscope.explain(model, BAG, method="single")
    network = onnx.load(file)
    network.producer_name = "another"
    onnx.save(network, file)
    assert (bagscope.explain(model, BAG, method="single").scores == e.scores).all()
    with pytest.raises(bagscope.UnavailableError, match=r"model\.onnx has changed"):
        e.widget()
    assert "image/png" in e._repr_mimebundle_()[0]
    bagscope.close()
    with pytest.raises(bagscope.FormatError, match="has changed since it was opened"):
        bagscope.explain(model, BAG, method="single")
    shutil.copy(TINY, file)
    assert (bagscope.explain(model, BAG, method="single").scores == e.scores).all()
    file.unlink()
    assert "image/png" in e._repr_mimebundle_()[0]


@pytest.mark.parametrize(
    "call",
    [
        lambda f: bagscope.values(f, BAG),
        lambda f: bagscope.inside(f, BAG),
        lambda f: bagscope.check(f, BAG),
        lambda f: bagscope.whatif(f, BAG, BAG),
        lambda f: bagscope.plan(f, np.eye(3)),
        lambda f: bagscope.inspect(f),
    ],
    ids=["values", "inside", "check", "donor", "plan", "inspect"],
)
def test_what_functions_cannot(call: Any) -> None:
    with pytest.raises(bagscope.UnavailableError, match="the model is a function"):
        call(lambda bag: bag.sum(0))


def test_default_method() -> None:
    """Without a method the model chooses it: no single instance can be removed from fours."""
    nodes = [
        helper.make_node("Reshape", ["x", "fours"], ["bags"]),
        helper.make_node("ReduceMean", ["bags"], ["scores"], axes=[0, 1], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "fours",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["k", 3])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [3])],
        [numpy_helper.from_array(np.array([-1, 4, 3], np.int64), "fours")],
    )
    fours = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    values = np.random.default_rng(6).normal(size=(12, 3)).astype(np.float32)
    e = bagscope.explain(fours, values)
    assert e.method == "random_shap"
    assert any(note.startswith("Random SHAP explains this model") for note in e.notes)
    assert repr(e).count("\nnote: ") == 4
    assert repr(e).endswith(f"\nnote: {len(e.notes) - 3} more in notes")
    assert repr(bagscope.groups(fours, values)).count("\nnote: ") == 3
    assert bagscope.check(fours, values).method == "random_shap"
    with pytest.raises(bagscope.UnavailableError, match="use random_shap"):
        bagscope.explain(fours, values, method="consensus")
    e = bagscope.explain(TINY, TINY_BAGS, index=3)
    assert e.method == "consensus"
    assert e.low is not None
    assert e.high is not None
    assert (e.low <= e.high).all()
    assert (e.low < e.high).any()
    both = bagscope.explain(TINY, TINY_BAGS, index=3, method=["single", "one_removed"])
    assert repr(both).startswith("<Explanations by single, one_removed>")
