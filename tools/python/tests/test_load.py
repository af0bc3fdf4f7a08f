"""load returns what save wrote, or an error in words."""

from __future__ import annotations

import copy
import json
import pickle
import random
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from conftest import ROOT, TINY, TINY_BAGS, command

import bagscope
from bagscope import _load

BAG = np.random.default_rng(7).normal(size=(12, 6)).astype(np.float32)
PLACES = np.arange(24).reshape(12, 2) * 16
TISSUE = ROOT / "examples/tissue"


def loaded(e: Any, folder: Path) -> Any:
    e.save(folder / "e.json")
    return bagscope.load(folder / "e.json")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "single", "without": [0, 5], "output": "logit"},
        {"method": "milli", "reliability": True, "class_": 1, "seed": 2**64 - 1},
        {"method": "all", "reliability": True},
        {"method": ["random_lime", "one_removed"], "without": [3]},
    ],
    ids=str,
)
@pytest.mark.parametrize("places", [None, PLACES], ids=["no places", "places"])
def test_explanation_equals_the_saved_one(options: Any, places: Any, tmp_path: Path) -> None:
    e = bagscope.explain(TINY, bagscope.Bag(BAG, places=places), **options)
    got = loaded(e, tmp_path)
    assert got == e
    assert repr(got) == repr(e)
    assert pickle.loads(pickle.dumps(got)) == e
    for ending in ("json", "csv", *(() if places is None else ("geojson",))):
        ours, theirs = tmp_path / f"ours.{ending}", tmp_path / f"theirs.{ending}"
        got.save(ours)
        e.save(theirs)
        assert ours.read_bytes() == theirs.read_bytes(), ending
    for one, want in zip(each(got), each(e), strict=True):
        for name in ("scores", "stderr", "evident", "neutral", "r2"):
            np.testing.assert_array_equal(getattr(one, name), getattr(want, name), name)
        assert (one.settings, one.unit, one.explained) == (want.settings, want.unit, want.explained)
        assert (one.method_notes, one.notes) == (want.method_notes, want.notes)
        assert one.reliability == want.reliability


def each(e: Any) -> list[bagscope.Explanation]:
    return [e] if isinstance(e, bagscope.Explanation) else list(e.values())


def test_pictures_without_the_bag(tmp_path: Path) -> None:
    """A map is the same; bars have no values, and what shows instances needs them."""
    matplotlib.use("agg")
    e = bagscope.explain(TINY, bagscope.Bag(BAG, places=PLACES), method="single")
    got = loaded(e, tmp_path)
    assert got.picture() == e.picture()
    assert got.plot().get_title() == e.plot().get_title()
    got.save(tmp_path / "e.png")
    e.save(tmp_path / "want.png")
    assert (tmp_path / "e.png").read_bytes() == (tmp_path / "want.png").read_bytes()
    matplotlib.pyplot.close("all")
    cut = bagscope.explain(TISSUE / "model.onnx", TISSUE / "bags.npz", method="single", without=[3])
    again = loaded(cut, tmp_path)
    assert again.picture() == again.picture(kind="map") != again.picture(kind="bars")
    for kind in ("strip", "overlay"):
        with pytest.raises(bagscope.UnavailableError, match="neither the model nor the bag"):
            again.picture(kind=kind)
    with pytest.raises(bagscope.UnavailableError, match="neither the model nor the bag"):
        again.widget()
    assert "image/png" in again._repr_mimebundle_()[0]


@pytest.mark.parametrize("method", ["consensus", "milli,single"])
def test_output_of_the_command(method: str, tmp_path: Path) -> None:
    args = ("explain", "--model", TINY, "--bag", TINY_BAGS, "--index", 3, "--method", method)
    (tmp_path / "e.json").write_text(command(*args, "--json"))
    names = method.split(",")
    want = bagscope.explain(TINY, TINY_BAGS, index=3, method=names if len(names) > 1 else names[0])
    assert bagscope.load(tmp_path / "e.json") == want


@pytest.fixture
def document() -> dict[str, Any]:
    """Return the JSON of a small explanation with all keys."""
    bag = bagscope.Bag(BAG[:4], places=PLACES[:4], patch_size=16)
    e = bagscope.explain(
        TINY, bag, method="milli", samples=8, without=[1], reliability=True, class_=1
    )
    return e.to_dict()


def test_null_stands_for_not_a_number(document: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "e.json"
    document["explanations"][0]["scores"][1] = None
    document["explanations"][0]["settings"]["alpha"] = None
    document["prediction"][0] = None
    file.write_text(json.dumps(document))
    e = bagscope.load(file)
    assert isinstance(e, bagscope.Explanation)
    assert np.isnan(e.scores).tolist() == [[False, True, False]]
    assert np.isnan(e.prediction).tolist() == [True, False, False]
    assert e == loaded(e, tmp_path)
    assert json.loads(file.read_text()) == document


@pytest.mark.parametrize(
    ("version", "says"),
    [(2, "version 2.*reads version 1"), ("1", "version '1'"), (True, "True"), (None, "None")],
)
def test_versions(document: dict[str, Any], version: Any, says: str, tmp_path: Path) -> None:
    """A file without a version has the first one."""
    file = tmp_path / "e.json"
    file.write_text(json.dumps({"version": _load.VERSION, **document}))
    assert bagscope.load(file).to_dict() == document
    file.write_text(json.dumps({"version": version, "other": 1}))
    with pytest.raises(bagscope.FormatError, match=says):
        bagscope.load(file)


def test_what_is_no_saved_explanation(
    document: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "e.json"
    for data, says in [
        (b"", "is not JSON"),
        (b"\x89PNG\r\n", "is not JSON.*load what save wrote as .json"),
        (b"\xff\xfe\xff", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"seed": NaN}', "NaN is not a number of JSON"),
        (b"1" * 1000, "a number has 1000 digits"),
        (b"[]", "it must be dict, not list"),
        (b"{}", "it has no model"),
        (b"null", "not null"),
    ]:
        file.write_bytes(data)
        with pytest.raises(bagscope.FormatError, match=says):
            bagscope.load(file)
    with pytest.raises(bagscope.MissingError, match="does not exist"):
        bagscope.load(tmp_path / "absent.json")
    with pytest.raises(bagscope.FormatError, match="cannot be read"):
        bagscope.load(tmp_path)
    with pytest.raises(bagscope.SettingError, match="path: the path is empty"):
        bagscope.load("")
    file.write_text(json.dumps(document))
    monkeypatch.setattr(_load, "MAX_MESSAGE", file.stat().st_size - 1)
    with pytest.raises(bagscope.LimitError, match="more than"):
        bagscope.load(file)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"explanations": []}, "no explanations"),
        ({"prediction": []}, "no classes"),
        ({"classes": ["a"]}, "lists of classes differ"),
        ({"units": ["a"]}, "lists of classes differ"),
        ({"bag": {"name": "b", "instances": 10**15}}, "numbers of instances differ"),
        ({"bag": {"name": "b", "instances": 5}}, "numbers of instances differ"),
        ({"bag": {"name": "b"}}, "bag has no instances"),
        ({"without": [4]}, "absent instance"),
        ({"without": [-1]}, "absent instance"),
        ({"without": [1, 1], "bag": {"name": "b", "instances": 5}}, "removed twice"),
        ({"boxes": [[0, 0, 1, 1]]}, "number of boxes differs"),
        ({"boxes": [[0, 0, 1]] * 3}, "x0, y0, x1, y1"),
        ({"boxes": [[0, 0, 10**30, 1]] * 3}, "x0, y0, x1, y1"),
        ({"seed": 1.5}, "seed must be int, not float"),
        ({"notes": "a note"}, "notes must be list, not str"),
        ({"notes": [1]}, r"notes\[0\] must be str, not int"),
        ({"prediction": [1, 2, 10**390]}, "prediction must be numbers, not a number that is too"),
        ({"output": None}, "output must be str, not null"),
    ],
    ids=str,
)
def test_parts_that_do_not_fit(
    document: dict[str, Any], change: Any, says: str, tmp_path: Path
) -> None:
    (tmp_path / "e.json").write_text(json.dumps({**document, **change}))
    with pytest.raises(bagscope.FormatError, match=f"e.json cannot be loaded.*{says}"):
        bagscope.load(tmp_path / "e.json")


def test_broken_files(document: dict[str, Any], tmp_path: Path) -> None:
    """Whatever is changed, the file is refused in words, or what it gives can be used."""
    draw = random.Random(1)
    values: list[Any] = [
        None, True, -1, 0, 3, 10**18, 1e308, "", "milli", [], {}, [None], [[1]], [True], ["x"],
    ]  # fmt: skip
    file = tmp_path / "e.json"
    read = 0
    for _ in range(400):
        broken = json.loads(json.dumps(document))
        for _ in range(draw.choice((1, 1, 3))):
            at = broken
            while True:
                keys = list(at) if isinstance(at, dict) else list(range(len(at)))
                if not keys:
                    break
                key = draw.choice(keys)
                if isinstance(at[key], (dict, list)) and draw.random() < 0.7:
                    at = at[key]
                    continue
                if draw.random() < 0.2:
                    del at[key]
                else:
                    at[key] = copy.deepcopy(draw.choice(values))
                break
        file.write_text(json.dumps(broken))
        try:
            e = bagscope.load(file)
        except bagscope.FormatError:
            continue
        read += 1
        try:
            e.save(tmp_path / "again.json")
            repr(e)
            each(e)[0].picture(scale=1)
        except bagscope.BagscopeError:
            continue
    assert 0 < read < 400
