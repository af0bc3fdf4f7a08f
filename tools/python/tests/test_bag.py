"""Bags of arrays, tensors, files and AnnData objects."""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, TINY, TINY_BAGS

import bagscope
from bagscope import _array
from bagscope._array import block_of

DIGITS = ROOT / "examples/digits"
VALUES = np.random.default_rng(5).normal(size=(30, 6)).astype(np.float32)
WANT = bagscope.explain(TINY, VALUES, method="single").scores


class Tensor:
    """A tensor as PyTorch's: it must be detached and moved before NumPy can read it."""

    def __init__(self, array: Any, ready: int = 0) -> None:
        self.array, self.ready, self.dtype = array, ready, array.dtype

    def detach(self) -> "Tensor":
        return Tensor(self.array, self.ready + 1)

    def cpu(self) -> "Tensor":
        return Tensor(self.array, self.ready + 1)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        assert self.ready == 2
        return self.array


class Exchanged:
    """An array with __dlpack__ only."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


@pytest.mark.parametrize(
    "data",
    [
        VALUES.astype(np.float64),
        VALUES.tolist(),
        np.asfortranarray(VALUES),
        VALUES.astype(">f4"),
        np.repeat(VALUES, 2, axis=0)[::2],
        VALUES[None],
        Tensor(VALUES),
        Exchanged(VALUES),
    ],
    ids=["float64", "list", "fortran", "big-endian", "strided", "batch", "tensor", "dlpack"],
)
def test_array_like(data: Any) -> None:
    assert (bagscope.explain(TINY, data, method="single").scores == WANT).all()


def test_large_arrays_take_shared_memory(tmp_path: Path) -> None:
    """The values that the engine reads are those of the array, whatever the way and the offset."""
    large = np.random.default_rng(6).normal(size=(5000, 6)).astype(np.float32)
    file = tmp_path / "values.bin"
    file.write_bytes(b"123" + large.tobytes())
    mapped = np.memmap(file, np.float32, mode="r", offset=3, shape=large.shape)
    for data in (large, mapped, mapped[1000:4000], mapped[::2], large.astype(np.float64)):
        want = np.asarray(data, np.float32)
        assert (bagscope.values(TINY, data) == want).all()
    with block_of(mapped[1000:4000]) as block:
        assert (block.path, block.offset) == (str(file), 3 + 1000 * 24)
    changed = np.memmap(file, np.float32, mode="c", offset=3, shape=large.shape)
    changed[0] = 7
    assert (bagscope.values(TINY, changed) == changed).all()
    assert file.read_bytes()[3:] == large.tobytes()


def test_array_without_room_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large array is a part of the message if there is no folder for it, or a full one."""
    values = np.tile(VALUES, (600, 1))
    want = bagscope.predict(TINY, values).scores

    def full(handle: int | None = None, *_: Any, **__: Any) -> Any:
        if handle is not None:
            os.close(handle)
        raise OSError(28, "No space left on device")

    for module, name in ((tempfile, "mkstemp"), (os, "fdopen")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, full)
            assert (bagscope.predict(TINY, values).scores == want).all()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps files that are mapped")
def test_mapped_file_that_is_replaced(tmp_path: Path) -> None:
    """The values are those of the mapping, whatever has its name now."""
    file = tmp_path / "values.npy"
    np.save(file, VALUES)
    mapped = np.load(file, mmap_mode="r")
    want = bagscope.predict(TINY, VALUES).scores
    with block_of(mapped) as block:
        assert block.path == str(file)
    os.replace(file, tmp_path / "old.npy")
    assert (bagscope.predict(TINY, mapped).scores == want).all()
    np.save(file, VALUES + 1)
    assert (bagscope.predict(TINY, mapped).scores == want).all()
    with block_of(np.load(file, mmap_mode="r")) as block:
        assert block.path == str(file)


@pytest.mark.parametrize(
    "labels",
    [[0.5] * 30, [np.nan] * 30, [1e300] * 30, [[1]] * 30, [2**60] * 30, [2**53] * 30],
    ids=["half", "NaN", "large float", "column", "large", "first that floats round"],
)
def test_labels_are_whole_numbers(labels: Any) -> None:
    with pytest.raises(bagscope.BagError, match="labels must be whole numbers"):
        bagscope.Bag(VALUES, labels=labels)


def test_labels_of_other_types() -> None:
    largest = [2**53 - 1] * 30
    assert bagscope.Bag(VALUES, labels=largest).labels == largest
    want = [1, 0, -1] * 10
    for labels in (want, np.array(want, np.int8), np.array(want, float)):
        assert bagscope.Bag(VALUES, labels=labels).labels == want
    assert bagscope.Bag(VALUES, labels=np.array(want) > 0).labels == [1, 0, 0] * 10


def test_temporary_files_are_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_array, "_MEMORY", "/no/such/folder")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    large = np.ones((20_000, 6), np.float32)
    assert (bagscope.values(TINY, large) == large).all()
    with pytest.raises(bagscope.BagError):
        bagscope.values(TINY, np.ones((20_000, 7), np.float32))
    assert list(tmp_path.iterdir()) == []


def test_places_and_labels() -> None:
    places = np.arange(60).reshape(30, 2) * 10
    bag = bagscope.Bag(VALUES, name="b", places=places, patch_size=7, labels=[0, 1, -1] * 10)
    e = bagscope.explain(TINY, bag, method="single", without=[0, 2])
    assert e.boxes is not None
    assert e.boxes[0].tolist() == [20, 30, 27, 37]
    assert e.instances[:2] == [1, 3]
    assert e.to_dict()["without"] == [0, 2]


@pytest.mark.parametrize(
    ("options", "box", "slide"),
    [
        ({"coords_unit": "4"}, [80, 120, 87, 127], {"patch_size": 7}),
        ({"coords_unit": "um", "slide_mpp": 0.5}, [40, 60, 47, 67], {"patch_size": 7, "mpp": 0.5}),
        ({"coords_unit": "um"}, [20, 30, 27, 37], {"patch_size": 7, "unit": "um"}),
    ],
)
def test_units_of_places(options: Any, box: list[int], slide: Any, tmp_path: Path) -> None:
    """Places of arrays and of files count what the caller states."""
    places = np.arange(60).reshape(30, 2) * 10
    rows = [f"{x},{y},{','.join(map(str, v))}" for (x, y), v in zip(places, VALUES, strict=True)]
    file = tmp_path / "places.csv"
    file.write_text("x,y,a,b,c,d,e,f\n" + "\n".join(rows))
    for bag in (
        bagscope.Bag(VALUES, places=places, patch_size=7, **options),
        bagscope.Bag(file, patch_size=7, **options),
    ):
        e = bagscope.explain(TINY, bag, method="single")
        assert e.boxes is not None
        assert e.boxes[1].tolist() == box
        assert e.to_dict()["slide"] == {**slide, "origin": "canvas"}
    with pytest.raises(bagscope.SettingError, match="coords unit"):
        bagscope.explain(TINY, bagscope.Bag(VALUES, places=places, coords_unit="miles"))


def test_bits_of_bfloat16() -> None:
    """Integers that are the bits of bfloat16 are asked about, and read as what they are."""
    values = VALUES.astype("<f4").view("<u4") & np.uint32(0xFFFF0000)
    bits = (values >> 16).astype("<u2")
    for stored in (bits, bits.view("<i2"), bits.astype(np.int64)):
        with pytest.raises(bagscope.FormatError, match='dtype="bfloat16" if they are') as e:
            bagscope.predict(TINY, stored)
        assert e.value.details["option"] == "dtype"
        read = bagscope.predict(TINY, bagscope.Bag(stored, dtype="bfloat16"))
        assert read.scores.tolist() == bagscope.predict(TINY, values.view("<f4")).scores.tolist()
    bagscope.predict(TINY, bagscope.Bag(bits, dtype="stored"))


def test_rows_and_columns() -> None:
    """Places that are rows and columns of a grid are asked about, with the unit that they have."""
    places = np.stack([np.arange(30) % 6, np.arange(30) // 6], axis=1)
    with pytest.raises(bagscope.FormatError, match='coords_unit="256" if they are rows and'):
        bagscope.explain(TINY, bagscope.Bag(VALUES, places=places, patch_size=256))
    bag = bagscope.Bag(VALUES, places=places, patch_size=256, coords_unit="256")
    e = bagscope.explain(TINY, bag, method="single")
    assert e.boxes is not None
    assert e.boxes[7].tolist() == [256, 256, 512, 512]


def test_labels_of_files() -> None:
    """Labels replace those of the file, and have the NDCG@n of an array with these labels."""
    bags = np.load(DIGITS / "bags.npz")
    values = bags["instances"][: bags["offsets"][1]]
    labels = bags["instance_labels"][: len(values)]

    def ndcg(data: Any, labels: Any = None) -> float:
        bag = bagscope.Bag(data, name="bag 0", labels=labels)
        e = bagscope.evaluate(DIGITS / "model.onnx", [bag], methods=["single"], metrics=["ndcg"])
        return e.summary()["single"]["ndcg"]["mean"]

    own, other = labels.copy(), labels[::-1]
    assert ndcg(DIGITS / "bags.npz", own) == ndcg(DIGITS / "bags.npz")
    assert ndcg(DIGITS / "bags.npz", other) == ndcg(values, other) != ndcg(values, own)


def test_picture_of_places() -> None:
    """Features with places are drawn as a map, those without as bars."""
    places = np.arange(60).reshape(30, 2) * 10
    mapped = bagscope.explain(TINY, bagscope.Bag(VALUES, places=places), method="single")
    assert mapped.picture() == mapped.picture(kind="map") != mapped.picture(kind="bars")
    bare = bagscope.explain(TINY, VALUES, method="single")
    assert bare.picture() == bare.picture(kind="bars")
    with pytest.raises(bagscope.BagError, match="no coordinates"):
        bare.picture(kind="map")
    green = bare.picture(colours="green-red")
    assert bare.picture() == bare.picture(colours="blue-orange") != green
    with pytest.raises(bagscope.SettingError, match="blue-orange"):
        bare.picture(colours="green")
    assert bare.picture(strongest=0) == bare.picture() != bare.picture(strongest=50)
    with pytest.raises(bagscope.SettingError, match="-1"):
        bare.picture(strongest=-1)


@pytest.mark.parametrize(
    ("data", "options", "error", "says"),
    [
        (VALUES[:, :5], {}, bagscope.BagError, "shape"),
        (VALUES[:0], {}, bagscope.BagError, "no instances"),
        (VALUES[0, 0], {}, bagscope.FormatError, "axis of instances"),
        (np.full((3, 6), np.nan), {}, bagscope.FormatError, "finite|nan|NaN"),
        (VALUES.astype(complex), {}, bagscope.FormatError, "float32"),
        (np.array([["a"] * 6]), {}, bagscope.FormatError, "float32"),
        (object(), {}, bagscope.FormatError, "cannot be a object"),
        ("/no/such/bag.npy", {}, bagscope.BagscopeError, "does not exist"),
        (VALUES, {"labels": [1, 2]}, bagscope.BagError, "2 instance labels for 30"),
        (TINY_BAGS, {"labels": []}, bagscope.BagError, "0 instance labels for 1"),
        (VALUES, {"places": np.zeros((30, 3))}, bagscope.FormatError, "90 coordinates"),
        (TINY_BAGS, {"places": [[0, 0]]}, bagscope.BagError, "belong to arrays"),
        (TINY_BAGS, {"index": 99}, bagscope.SettingError, "no bag 99"),
    ],
)
def test_errors(data: Any, options: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        bagscope.explain(TINY, bagscope.Bag(data, **options), method="single")


def test_bag_stays_open_for_a_model() -> None:
    model, bag = bagscope.open(TINY), bagscope.Bag(VALUES)
    bagscope.explain(model, bag)
    first = list(bag._open.values())
    bagscope.explain(model, bag)
    assert list(bag._open.values()) == first
    bagscope.explain(bagscope.open(TINY), bag)
    assert list(bag._open.values()) != first


def test_columns_of_the_card() -> None:
    """The card says what columns hold, as the argument does, which counts before it."""
    corpus = ROOT / "testdata/corpus"
    file, stated = corpus / "measured.csv", "who=bag; grade=label; cx=x; cy=y; f*=feature; *=skip"
    by_card = bagscope.predict(corpus / "columns.onnx", bagscope.Bag(file, index=1))
    bag = bagscope.Bag(file, index=1, columns=stated)
    by_argument = bagscope.predict(corpus / "features.onnx", bag)
    np.testing.assert_array_equal(by_card.scores, by_argument.scores)
    assert not any("model card" in note for note in by_card.notes)
    with pytest.raises(bagscope.BagError, match=r"\(5,\), but the model takes \(4,\)"):
        bagscope.predict(corpus / "columns.onnx", bagscope.Bag(file, columns="area=feature"))
