"""What errors and warnings advise, followed: the call fails, and succeeds as they say."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import BINARY, ROOT, TINY, TINY_BAGS
from PIL import Image

import bagscope
from bagscope import _process

BAG = np.random.default_rng(3).normal(size=(8, 6)).astype(np.float32)
EDGES = np.array([[0, 1, 2], [1, 2, 3]])
HOLES = np.eye(8, 6, dtype=bool)
MASKED = np.ma.array(BAG, mask=HOLES)
MASK = np.arange(8) < 3


def mean(bag: Any) -> Any:
    """Return scores of two classes."""
    return np.asarray(bag).mean(axis=0)[:2]


def shares(bag: Any) -> Any:
    """Return probabilities of two classes."""
    p = 1 / (1 + np.exp(-mean(bag)[0]))
    return np.array([p, 1 - p])


class Dropout:
    """A module as PyTorch has them."""

    training = True

    def __call__(self, bag: Any) -> Any:
        return mean(bag)

    def eval(self) -> Dropout:
        self.training = False
        return self


class Ragged:
    """A tensor that cannot become an array, such as a nested one of PyTorch."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("it is nested")


def single(model: Any, bag: Any, **options: Any) -> Any:
    return bagscope.explain(model, bag, method="single", **options)


Call = Callable[[], Any]
CASES: list[tuple[str, Call, Call]] = [
    (
        "pass (edge_index, edge_weight), or (edge_index, None)",
        lambda: bagscope.Bag(BAG, adjacency=(EDGES, None, None)),
        lambda: bagscope.Bag(BAG, adjacency=(EDGES, None)),
    ),
    (
        "pass a matrix (k, k), or edges as (edge_index, edge_weight)",
        lambda: bagscope.Bag(BAG, adjacency=np.ones((3, 4))),
        lambda: (
            bagscope.Bag(BAG, adjacency=np.ones((8, 8))),
            bagscope.Bag(BAG, adjacency=(EDGES, np.ones(3))),
        ),
    ),
    (
        "export the model by bagscope.export",
        lambda: bagscope.check(mean, BAG),
        lambda: bagscope.check(TINY, BAG),
    ),
    (
        "convert it to a NumPy array of float32",
        lambda: bagscope.predict(TINY, Ragged()),
        lambda: bagscope.predict(TINY, BAG),
    ),
    (
        "use an array (k, ...), a path, or an AnnData object",
        lambda: bagscope.predict(TINY, {"a": BAG}),
        lambda: (bagscope.predict(TINY, BAG), bagscope.predict(TINY, TINY_BAGS)),
    ),
    (
        "fill them, or remove their instances",
        lambda: bagscope.predict(TINY, MASKED),
        lambda: (
            bagscope.predict(TINY, MASKED.filled(0)),
            bagscope.predict(TINY, MASKED.data[HOLES.sum(axis=1) == 0]),
        ),
    ),
    (
        "convert it to float32, such as by .astype('float32')",
        lambda: bagscope.predict(TINY, BAG.astype(object)),
        lambda: bagscope.predict(TINY, BAG.astype(object).astype("float32")),
    ),
    (
        "pass the labels of an array as labels",
        lambda: bagscope.Bag(BAG, columns="a=label"),
        lambda: bagscope.Bag(BAG, labels=[0] * 8),
    ),
    (
        "pass the instances of one bag",
        lambda: bagscope.Bag(BAG, bag_by="patient"),
        lambda: bagscope.Bag(BAG[:4]),
    ),
    (
        "pass a NumPy array or a list, and convert it in the function",
        lambda: single(lambda bag: mean(list(bag.values())), dict(enumerate(BAG))),
        lambda: single(mean, list(BAG)),
    ),
    (
        "leave adjacency out, or export the model",
        lambda: bagscope.predict(mean, bagscope.Bag(BAG, adjacency=np.ones((8, 8)))),
        lambda: bagscope.predict(mean, bagscope.Bag(BAG)),
    ),
    (
        "name one of its arrays by array=",
        lambda: bagscope.Bag(SimpleNamespace(X=None, obsm={"uni": BAG})),
        lambda: bagscope.Bag(SimpleNamespace(X=None, obsm={"uni": BAG}), array="uni"),
    ),
    (
        "the bag is a Bag already; pass index= to Bag",
        lambda: bagscope.predict(TINY, bagscope.Bag(TINY_BAGS), index=1),
        lambda: bagscope.predict(TINY, bagscope.Bag(TINY_BAGS, index=1)),
    ),
    (
        "use strings, numbers, lists and dictionaries of Python",
        lambda: bagscope.open(TINY, card={"classes": {"a", "b", "c"}}),
        lambda: bagscope.open(TINY, card={"classes": ["a", "b", "c"]}),
    ),
    (
        "pass a path or a dictionary",
        lambda: bagscope.open(TINY, card=3),  # type: ignore[arg-type]
        lambda: bagscope.open(TINY, card={"classes": ["a", "b", "c"]}),
    ),
    (
        "pass a path or a dict",
        lambda: bagscope.open(TINY, card="none.json"),
        lambda: bagscope.open(TINY, card={"classes": ["a", "b", "c"]}),
    ),
    (
        "choose others",
        lambda: bagscope.evaluate(
            TINY, [bagscope.Bag(BAG)], methods="single", scores={"random_shap": [BAG[:, :3].T]}
        ),
        lambda: bagscope.evaluate(
            TINY, [bagscope.Bag(BAG)], methods="single", scores={"mine": [BAG[:, :3].T]}
        ),
    ),
    (
        "pass its file or its function",
        lambda: bagscope.open(bagscope.open(mean), classes=["a", "b"]),
        lambda: bagscope.open(mean, classes=["a", "b"]),
    ),
    (
        "pass batch=True to bagscope.open",
        lambda: single(bagscope.open(mean), BAG, batch=True),
        lambda: bagscope.open(mean, batch=True),
    ),
    (
        "state one by game(..., empty=0)",
        lambda: bagscope.game(TINY, BAG)(np.zeros((1, 8))),
        lambda: bagscope.game(TINY, BAG, empty=0)(np.zeros((1, 8))),
    ),
    (
        "use a path, the bytes of an ONNX file, an onnx.ModelProto, a function of a bag, "
        "or a list of models",
        lambda: bagscope.open(3),
        lambda: [bagscope.open(m) for m in (TINY, TINY.read_bytes(), mean, [TINY, TINY])],
    ),
    (
        "pass one function that returns the mean of all",
        lambda: bagscope.open([mean, mean]),
        lambda: bagscope.open(mean),
    ),
    (
        "a page of a notebook runs one model; use picture()",
        lambda: single([TINY, TINY], BAG).widget(),
        lambda: single([TINY, TINY], BAG).picture(),
    ),
    (
        "omit it for no limit",
        lambda: single(TINY, BAG, budget=-1),
        lambda: single(TINY, BAG),
    ),
    (
        "pass numpy.flatnonzero(mask)",
        lambda: single(TINY, BAG, without=MASK),
        lambda: single(TINY, BAG, without=np.flatnonzero(MASK)),
    ),
]


@pytest.mark.parametrize(("words", "wrong", "right"), CASES, ids=[c[0] for c in CASES])
def test_followed(words: str, wrong: Call, right: Call) -> None:
    with pytest.raises((bagscope.BagscopeError, TypeError)) as caught:
        wrong()
    assert words in str(caught.value)
    right()


@pytest.mark.parametrize(
    ("words", "wrong", "right"),
    [
        ("Call module.eval() before.", lambda: Dropout(), lambda: Dropout().eval()),
        (
            'open it by bagscope.open(f, classes=[...], scale="probabilities")',
            lambda: shares,
            lambda: bagscope.open(shares, classes=["a", "b"], scale="probabilities"),
        ),
    ],
)
def test_notes_of_functions(words: str, wrong: Call, right: Call) -> None:
    """The model of the advice has no such note."""

    def notes(model: Any) -> str:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            e = single(model, BAG)
        return " ".join([*e.notes, *(str(w.message) for w in caught)])

    assert words in notes(wrong())
    assert words not in notes(right())


def test_saved(tmp_path: Path) -> None:
    e, file = single(TINY, BAG), tmp_path / "e.json"
    with pytest.raises(bagscope.SettingError) as caught:
        e.save(tmp_path / "e.txt")
    says = str(caught.value)
    assert "use one of .json, .csv" in says
    e.save(file)
    bagscope.load(file)
    other = tmp_path / "other.json"
    other.write_text(json.dumps(json.loads(file.read_text()) | {"version": 99}))
    with pytest.raises(bagscope.FormatError) as caught_format:
        bagscope.load(other)
    says = str(caught_format.value)
    assert "use the release that wrote it, or explain the bag again" in says
    single(TINY, BAG).save(other)
    loaded: Any = bagscope.load(other)
    other.write_text("oops")
    with pytest.raises(bagscope.FormatError) as caught_format:
        bagscope.load(other)
    assert "load what save wrote as .json" in str(caught_format.value)
    with pytest.raises(bagscope.UnavailableError) as caught_absent:
        loaded.widget()
    assert "explain the bag again" in str(caught_absent.value)
    assert single(TINY, BAG).widget() is not None


def test_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(_process.VARIABLE, str(tmp_path / "none"))
    with pytest.raises(bagscope.EngineError) as caught:
        _process.binary()
    assert "correct or unset it" in str(caught.value)
    monkeypatch.delenv(_process.VARIABLE)
    if not (Path(_process.__file__).parent / "bin").is_dir():  # no wheel
        with pytest.raises(bagscope.EngineError) as caught:
            _process.binary()
        assert "install a wheel for this platform" in str(caught.value)
        assert f"build the program by 'make build' and name it in {_process.VARIABLE}" in str(
            caught.value
        )
    monkeypatch.setenv(_process.VARIABLE, str(BINARY))
    assert _process.binary() == str(BINARY)


def test_message_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    single(TINY, BAG)  # the engine has started
    monkeypatch.setattr(_process, "MAX_MESSAGE", TINY.stat().st_size)
    with pytest.raises(bagscope.EngineError) as caught:
        bagscope.open(TINY.read_bytes())
    assert "open files by their paths instead of" in str(caught.value)
    bagscope.open(TINY)


def test_model_file_that_changes(tmp_path: Path) -> None:
    file, other = tmp_path / "m.onnx", TINY.read_bytes()
    file.write_bytes(other)
    model = bagscope.open(file)
    e = single(model, BAG)
    file.write_bytes(other + b"\x12\x01p")  # the name of a producer
    with pytest.raises(bagscope.UnavailableError) as caught:
        e.widget()
    assert "open the model again, or use picture()" in str(caught.value)
    assert e.picture()
    assert single(bagscope.open(file), BAG).widget() is not None
    child = _process.engine()
    child.process.kill()
    child.process.wait()
    while child.alive:
        pass
    with pytest.raises(bagscope.FormatError) as caught_format:
        single(model, BAG)
    assert "open the model again" in str(caught_format.value)
    single(bagscope.open(file), BAG)


def test_widgets(tmp_path: Path) -> None:
    part = single(TINY, BAG, without=[0])
    pictures = tmp_path / "bag"
    pictures.mkdir()
    for name in "ab":
        Image.fromarray(np.full((27, 27, 3), 90 + ord(name), np.uint8)).save(
            pictures / f"{name}.png"
        )
    tissue = ROOT / "examples/tissue/model.onnx"
    placed = bagscope.Bag(BAG, places=np.argwhere(np.ones((2, 4))), adjacency="grid8")
    changed = copy.copy(BAG)
    old = single(TINY, changed)
    changed += 1
    for words, e in {
        "explain without without=, and set removed of the widget": part,
        "export the model by bagscope.export, or use picture()": single(mean, BAG),
        "use picture()": single(tissue, pictures),
        "pass it as numbers, or use picture()": single(TINY, placed),
        "explain it again, or use picture()": old,
    }.items():
        with pytest.raises(bagscope.UnavailableError) as caught:
            e.widget()
        assert words in str(caught.value)
        assert e.picture()
    numbers = bagscope.Bag(BAG, adjacency=np.ones((8, 8)))
    for bag in (BAG, changed, numbers):
        widget = single(TINY, bag).widget()
    widget.removed = [0]
    assert widget.removed == [0]
