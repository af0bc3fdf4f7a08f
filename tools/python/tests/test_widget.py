"""Tests of widgets without a browser; notebooks/test_jupyterlab.py has one."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TINY, TINY_BAGS

import bagscope
from bagscope import _widget

PNG = b"\x89PNG\r\n\x1a\n"


def explained(method: str = "consensus", **options: Any) -> bagscope.Explanation:
    return bagscope.explain(TINY, TINY_BAGS, method=method, seed=3, **options)


def test_picture_is_png_and_stays_without_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Any:
        raise ImportError("No module named 'anywidget'")

    monkeypatch.setattr(_widget, "_class", missing)
    data, _ = explained()._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(PNG)
    assert set(data) == {"text/plain", "image/png"}


def test_attributes_repeat_the_explanation() -> None:
    e = explained("milli", samples=60, paired=True, class_=0)
    attributes = _widget.attributes_of(e)
    want = {"method": "milli", "seed": "3", "samples": "60", "paired": "on", "classes": "0"}
    assert attributes.items() >= want.items()


def test_attributes_repeat_how_the_bag_was_read() -> None:
    plain = _widget.attributes_of(explained())
    assert not {"array", "coords-unit", "dtype", "inputs", "slide-mpp"} & set(plain)
    bag = bagscope.Bag(TINY_BAGS, coords_unit="um", slide_mpp=0.5, dtype="stored")
    attributes = _widget.attributes_of(bagscope.explain(TINY, bag, method="single"))
    want = {"coords-unit": "um", "slide-mpp": "0.5", "dtype": "stored", "index": "0"}
    assert attributes.items() >= want.items()


def test_page_gets_the_same_files(tmp_path: Path) -> None:
    bag = np.arange(8, dtype=np.float32).reshape(4, 2)
    name, data = _widget._bag_file(bagscope.Bag(bag, name="rows"))
    (tmp_path / name).write_bytes(data)
    assert name == "rows.npy"
    np.testing.assert_array_equal(np.load(tmp_path / name), bag)
    assert _widget._model_file(bagscope.open(TINY)) == (TINY.name, TINY.read_bytes())


def test_what_a_page_cannot_compute_is_an_error() -> None:
    def mean(bag: Any) -> Any:
        return bag.mean(axis=0)

    e = bagscope.explain(mean, np.ones((3, 2)), method="one_removed")
    with pytest.raises(bagscope.UnavailableError, match=r"bagscope\.export"):
        e.widget()
    with pytest.raises(bagscope.UnavailableError, match="whole bags"):
        bagscope.explain(TINY, bagscope.Bag(TINY_BAGS, index=1), without=[0]).widget()


@pytest.mark.parametrize("wrap", [np.asarray, bagscope.Bag], ids=["array", "Bag"])
def test_array_that_changes(wrap: Any) -> None:
    """The page would compute with other values than those that were explained."""
    values = np.random.default_rng(4).normal(size=(8, 6))
    bag = wrap(values)
    e = bagscope.explain(TINY, bag, method="single")
    _widget._check_unchanged(e._model, e._bag)
    picture = e.picture()
    values[2] += 1
    with pytest.raises(bagscope.UnavailableError, match="array of the bag has changed"):
        e.widget()
    data, _ = e._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]) == picture
    assert set(data) == {"text/plain", "image/png"}
