"""Sets, pairs, what-ifs and checks as objects; test_questions.py compares the answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, SupportsIndex, TypeVar

import numpy as np
import pytest
from conftest import ROOT, TINY, TINY_BAGS, command
from typing_extensions import TypeAliasType

import bagscope
from bagscope import _tables as tables
from bagscope._json import converted

DIGITS = ROOT / "examples/digits/model.onnx"
DIGIT_BAGS = ROOT / "examples/digits/bags.npz"


def tiny(index: int = 3) -> bagscope.Bag:
    return bagscope.Bag(TINY_BAGS, index=index)


@pytest.mark.parametrize("question", ["sets", "pairs", "whatif", "groups", "inside", "check"])
def test_answers_equal_the_commands(question: str) -> None:
    got = getattr(bagscope, question)(DIGITS, DIGIT_BAGS, seed=4)
    args = ("--model", DIGITS, "--bag", DIGIT_BAGS, "--seed", 4, "--json")
    assert got.to_dict() == json.loads(command(question, *args))


def test_sets() -> None:
    got = bagscope.sets(DIGITS, DIGIT_BAGS, several=2, curves=True, seed=4)
    want = got.to_dict()
    assert len(got.sufficient) == len(got.necessary) == 2
    first = got.sufficient[0]
    assert first.instances.tolist() == want["sufficient"]["sets"][0]["instances"]
    assert first.value == first.values[got.class_]
    assert got.kept is not None
    assert got.kept.best.shape == got.kept.random.shape == got.kept.instances.shape
    frame = got.to_dataframe()
    assert frame["kind"].tolist() == ["sufficient"] * 2 + ["necessary"] * 2
    assert "<td>necessary</td>" in got._repr_html_()
    assert got.classes[got.class_] in repr(got)
    some = bagscope.sets(TINY, tiny(), kind="necessary", level=0.6, class_="two")
    assert (some.sufficient, some.level) == ([], 0.6)


def test_pairs() -> None:
    got = bagscope.pairs(TINY, tiny(), among=6, contexts=16, seed=2)
    assert got.pairs.shape == (15, 2)
    matrix = got.matrix()
    assert matrix.shape == (6, 6)
    np.testing.assert_array_equal(matrix, matrix.T)
    a, b = (got.among.tolist().index(i) for i in got.pairs[0])
    assert matrix[a, b] == got.values[0] == max(got.values, key=abs)
    assert got.to_dataframe()["evident"].tolist() == got.evident.tolist()
    assert "<th>meaning</th>" in got._repr_html_()


def test_whatif() -> None:
    got = bagscope.whatif(DIGITS, DIGIT_BAGS)
    assert got.fewest is not None
    assert got.fewest.removed.tolist() == [15, 21]  # the 8s of the bag
    assert got.turned
    assert len(got.to_dataframe()) == len(got.steps)
    got = bagscope.whatif(DIGITS, bagscope.Bag(DIGIT_BAGS, index=3), bagscope.Bag(DIGIT_BAGS))
    assert got.donor == got.to_dict()["donor"]
    assert "fewest" in got._repr_html_()


def test_groups() -> None:
    got = bagscope.groups(DIGITS, DIGIT_BAGS)
    want = got.to_dict()["groups"]
    assert [g.tolist() for g in got.groups] == want != []
    frame = got.to_dataframe()
    assert frame["instance"].tolist() == [i for g in want for i in g]
    assert frame["group"].max() == len(want) - 1
    assert "<th>count</th>" in got._repr_html_()
    # The other instances keep their numbers.
    first = got.groups[0].tolist()
    rest = bagscope.groups(DIGITS, DIGIT_BAGS, without=first[:1])
    named = [i for g in rest.groups for i in g.tolist()]
    assert first[0] not in named
    assert first[1] in named


def test_concepts(tmp_path: Path) -> None:
    named: dict[str, Iterable[SupportsIndex]] = {
        "8s": [16, 17],
        "9s": np.array([15, 21]),
        "rest": range(4),
    }
    got = bagscope.groups(DIGITS, DIGIT_BAGS, concepts=named)
    mask = {**named, "rest": np.arange(29) < 4}
    assert bagscope.groups(DIGITS, DIGIT_BAGS, concepts=mask).to_dict() == got.to_dict()
    wrong: Any
    for wrong in (np.ones((29, 1), bool), [0.5], "16"):
        with pytest.raises(bagscope.SettingError):
            bagscope.groups(DIGITS, DIGIT_BAGS, concepts={"8s": wrong})
    assert got.concepts is not None
    assert got.groups[0].tolist() == [16, 17]
    assert got.concepts["rule"]["text"] == "“8s” and “9s”"
    frame = got.to_dataframe()
    assert frame["concept"].tolist() == ["8s", "9s", "rest"]
    assert frame["evident"].tolist() == [True, True, False]
    as_text = bagscope.groups(DIGITS, DIGIT_BAGS, concepts="8s=16-17; 9s=15,21; rest=0-3")
    assert as_text.to_dict()["concepts"] == got.to_dict()["concepts"]
    assert "<th>shapley</th>" in got._repr_html_()
    with pytest.raises(bagscope.SettingError, match="must not contain"):
        bagscope.groups(DIGITS, DIGIT_BAGS, concepts={"a=b": [1]})

    area = {"type": "Polygon", "coordinates": [[[0, 0], [5, 0], [5, 5], [0, 5]]]}
    feature = {"type": "Feature", "properties": {"classification": {"name": "ink"}}}
    file = tmp_path / "slide.geojson"
    file.write_text(json.dumps([{**feature, "geometry": area}]))
    placed = bagscope.Bag(
        bagscope.values(DIGITS, DIGIT_BAGS), places=[(4 * i, 0) for i in range(29)], patch_size=4
    )
    inside = bagscope.groups(DIGITS, placed, concepts=file, random=0)
    assert inside.concepts is not None
    assert [c["name"] for c in inside.concepts["list"]] == ["ink"]
    assert inside.groups[0].tolist() == [0]

    def threshold(bag: np.ndarray) -> list[float]:
        return [float(bag[:, 0].sum() > 4), 0.0]

    values = np.arange(12.0).reshape(6, 2)
    got = bagscope.groups(threshold, values, concepts={"large": [4, 5]}, random=0)
    assert got.concepts is not None
    assert len(got.concepts["list"]) == 1


def test_groups_need_embeddings() -> None:
    with pytest.raises(bagscope.UnavailableError, match="embeddings"):
        bagscope.groups(lambda bag: [float(len(bag)), 0.0], np.zeros((4, 2)))


def test_inside() -> None:
    got = bagscope.inside(DIGITS, DIGIT_BAGS, instance=15, cell=9, samples=50)
    want = got.to_dict()
    assert got.scores.shape == got.evident.shape == (want["rows"], want["columns"])
    assert got.stderr is None or got.stderr.shape == got.scores.shape
    frame = got.to_dataframe()
    assert frame["score"].tolist() == want["scores"]
    assert frame["x"].max() == (want["columns"] - 1) * 9
    assert "<th>score</th>" in got._repr_html_()


@pytest.mark.parametrize("source", [DIGITS, DIGITS.read_bytes()], ids=["path", "bytes"])
def test_check(source: Any) -> None:
    """The file is opened again with random layers, also one that was given by its bytes."""
    got = bagscope.check(bagscope.open(source), DIGIT_BAGS, method="single", seed=2)
    want = got.to_dict()
    assert got.method == "single"
    assert got.layers is not None
    steps = [(s["layers"], s["correlation"]) for s in want["layers"]["steps"]]
    assert [(s.layers, s.correlation) for s in got.layers.steps] == steps
    assert got.noise.sentence == want["noise"]["sentence"]
    assert got.mark.instances.tolist() == want["mark"]["instances"]
    passed = [want[name]["passed"] for name in ("layers", "noise", "mark")]
    assert got.to_dataframe()["passed"].tolist() == passed
    assert got.layers.sentence in repr(got)


def test_functions_cannot_be_checked() -> None:
    with pytest.raises(bagscope.UnavailableError, match="function"):
        bagscope.check(lambda bag: bag.mean(axis=0)[:2], np.ones((4, 3), np.float32))


def test_without_keeps_the_numbers_of_instances() -> None:
    """Removed instances are in no answer, and the others keep their numbers."""
    whole = bagscope.sets(DIGITS, DIGIT_BAGS, kind="necessary")
    gone = whole.necessary[0].instances[:1]
    rest = bagscope.sets(DIGITS, DIGIT_BAGS, kind="necessary", without=gone.tolist(), class_=3)
    assert rest.instances == whole.instances - 1
    predicted = bagscope.predict(DIGITS, DIGIT_BAGS, without=gone.tolist())
    np.testing.assert_allclose(rest.prediction, predicted.scores, atol=1e-6)
    assert all(gone[0] not in s.instances for s in rest.necessary)
    pairs = bagscope.pairs(DIGITS, DIGIT_BAGS, without=gone.tolist(), among=5)
    assert gone[0] not in pairs.among
    assert max(pairs.among) > len(pairs.among)


def test_functions_and_progress() -> None:
    """A function has the answers of the file that it evaluates, and progress counts."""
    bag = np.random.default_rng(1).normal(size=(9, 6)).astype(np.float32)
    game = bagscope.open(TINY)

    def model(part: Any) -> Any:
        return bagscope.predict(game, part).raw

    info = game.info
    function = bagscope.open(
        model,
        classes=info.classes,
        scale=info.scale,  # type: ignore[arg-type]
        negative=info.negative,
    )
    seen: list[tuple[int, int]] = []
    got = bagscope.sets(function, bag, progress=lambda done, total: seen.append((done, total)))
    want = bagscope.sets(game, bag)
    for ours, theirs in zip(got.sufficient, want.sufficient, strict=True):
        assert (ours.instances == theirs.instances).all()
        np.testing.assert_allclose(ours.values, theirs.values, atol=1e-5)
    assert all(done <= total for done, total in seen if total > 0)
    assert seen[-1][0] == seen[-1][1] == got.evaluations > 0
    got_pairs, want_pairs = bagscope.pairs(function, bag), bagscope.pairs(game, bag)
    np.testing.assert_allclose(got_pairs.matrix(), want_pairs.matrix(), atol=1e-4)
    with pytest.raises(bagscope.UnavailableError, match="function"):
        bagscope.whatif(function, bag, bag)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: bagscope.sets(TINY, tiny(), size=3), "^size: it is not an option"),  # type: ignore[call-arg]
        (lambda: bagscope.sets(TINY, tiny(), several="two"), "^several: it must not be a string"),  # type: ignore[arg-type]
        (lambda: bagscope.sets(TINY, tiny(), without=[400]), "^without: "),
    ],
)
def test_errors(call: Any, says: str) -> None:
    with pytest.raises(bagscope.SettingError, match=says):
        call()


@pytest.mark.parametrize("name", ["sets", "pairs", "whatif", "inside", "check"])
def test_documentation_names_every_option(name: str) -> None:
    options = {"whatif": "TurnOptions"}.get(name, f"{name.capitalize()}Options")
    text = getattr(bagscope, name).__doc__
    for option in getattr(tables, options).__annotations__:
        assert f"``{option}``" in text


def test_arrays_of_newer_numpy() -> None:
    """From NumPy 2.5 on, NDArray is an alias of the type statement; lists of it may be None."""
    element = TypeVar("element")
    alias = TypeAliasType(
        "alias", np.ndarray[tuple[int, ...], np.dtype[element]], type_params=(element,)
    )
    got = converted(alias[np.float64], [1, None])
    assert isinstance(got, np.ndarray)
    np.testing.assert_array_equal(got, [1, np.nan])
    (first,) = converted(list[alias[np.int64]], [[1, 2]])
    assert first.dtype == np.int64


def test_profile() -> None:
    """Values are numbers or text; each is predicted as a bag that states it."""
    corpus = ROOT / "testdata/corpus"
    model = bagscope.open(corpus / "patient.onnx")
    file = corpus / "patients.csv"
    got = bagscope.profile(model, bagscope.Bag(file), values=[40, 80.5])
    assert got.covariate == "age"
    assert got.stated.tolist() == [63]
    assert got.values.tolist() == [[40], [80.5]]
    for value, row in zip([40, 80.5], got.predictions, strict=True):
        stated = bagscope.predict(model, bagscope.Bag(file, inputs={"age": value}))
        np.testing.assert_allclose(row, stated.scores, atol=1e-6)
    text = bagscope.profile(model, bagscope.Bag(file), values="40,80.5")
    np.testing.assert_array_equal(text.predictions, got.predictions)
    frame = got.to_dataframe()
    assert list(frame.columns) == ["age", "none", "one", "two"]
    assert frame["age"].tolist() == [40, 80.5]
    spread = bagscope.profile(model, bagscope.Bag(file), steps=4)  # between 50 and 71
    assert spread.values.ravel().tolist() == [50, 57, 64, 71]
