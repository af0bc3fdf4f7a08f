"""Whole slides: their patches and features, and explanations of them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, TINY, TINY_BAGS, command
from slidemodels import SLIDE, save_encoder, save_head

import bagscope


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    return save_encoder(tmp_path / "means.onnx")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return save_head(tmp_path / "head.onnx")


def printed(*args: object) -> dict[str, Any]:
    out: dict[str, Any] = json.loads(command(*args, "--json"))
    return out


def test_tiles_are_the_commands(encoder: Path, tmp_path: Path) -> None:
    ours, theirs, mask = tmp_path / "ours.h5", tmp_path / "theirs.h5", tmp_path / "mask.png"
    seen: list[tuple[int, int]] = []
    got = bagscope.tiles(
        SLIDE, ours, encoder=encoder, mpp=1, overlap=4, min_tissue=0.1, mask=mask,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    want = printed(
        "tiles", SLIDE, "--out", theirs, "--encoder", encoder, "--mpp", 1, "--overlap", 4,
        "--min-tissue", 0.1,
    )  # fmt: skip
    assert got.to_dict() == want | {"out": str(ours)}
    assert ours.read_bytes() == theirs.read_bytes()
    assert mask.read_bytes().startswith(b"\x89PNG")
    assert seen[-1] == (len(got), len(got))
    assert got.places.shape == (len(got), 2)
    assert got.features.shape == got.shape == (len(got), 3)
    frame = got.to_dataframe()
    assert list(frame.columns) == ["x", "y", "f0", "f1", "f2"]
    assert (frame[["x", "y"]].to_numpy() == got.places).all()
    assert "<td>patch_size_level0</td><td>32</td>" in got._repr_html_()


def test_pixels_without_preprocessing_warn(encoder: Path, tmp_path: Path) -> None:
    """The warning comes before patches are encoded; as an error it ends the call."""
    encoder.with_suffix(".bagscope.json").unlink()
    out = tmp_path / "bag.h5"
    seen: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="states no preprocessing"):
            bagscope.tiles(
                SLIDE, out, encoder=encoder, mpp=0, progress=lambda done, _: seen.append(done)
            )
    assert seen == []
    with pytest.warns(UserWarning, match="states no preprocessing"):
        got = bagscope.tiles(SLIDE, out, encoder=encoder, mpp=0)
    assert "states no preprocessing" in got.to_dict()["notes"][0]


def test_places_alone(tmp_path: Path) -> None:
    got = bagscope.tiles(SLIDE, patch_size=16, mpp=0, whole_slide=True)
    want = printed(
        "tiles", SLIDE, "--patch-size", 16, "--mpp", 0, "--whole-slide", "--out", tmp_path / "a.h5"
    )
    del want["out"]
    assert got.to_dict() == want
    assert got.places[:2].tolist() == [[0, 0], [16, 0]]
    written = bagscope.tiles(SLIDE, tmp_path / "b.h5", patch_size=16, mpp=0, whole_slide=True)
    for alone in (got, written):
        with pytest.raises(bagscope.UnavailableError, match="no features"):
            _ = alone.features


def test_microns_of_level_0(tmp_path: Path) -> None:
    """A slide whose stated microns are wrong is laid by those of the caller."""
    got = bagscope.tiles(SLIDE, patch_size=16, mpp=1, slide_mpp=0.25, whole_slide=True)
    want = printed(
        "tiles", SLIDE, "--patch-size", 16, "--mpp", 1, "--slide-mpp", 0.25, "--whole-slide",
        "--out", tmp_path / "a.h5",
    )  # fmt: skip
    del want["out"]
    assert got.to_dict() == want
    assert got.places[1].tolist() == [64, 0]
    with pytest.raises(bagscope.SettingError, match="slide_mpp"):
        bagscope.tiles(SLIDE, patch_size=16, mpp=1, slide_mpp=-1)


def test_interrupted_tiles_continue(encoder: Path, tmp_path: Path) -> None:
    """An exception in the progress function cancels the call; the next one continues the file."""
    out = tmp_path / "bag.h5"
    options: Any = {"encoder": encoder, "mpp": 0, "whole_slide": True}

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    whole = bagscope.tiles(SLIDE, tmp_path / "whole.h5", **options)
    (tmp_path / "bag.h5.partial").write_bytes((tmp_path / "whole.h5").read_bytes()[: -12 * 60])
    seen: list[int] = []
    again = bagscope.tiles(SLIDE, out, progress=lambda done, _: seen.append(done), **options)
    assert min(seen) > len(whole) - 60  # what the file had is not encoded again
    assert (again.features == whole.features).all()
    assert list(tmp_path.glob("*.partial")) == []
    with pytest.raises(KeyboardInterrupt):
        bagscope.tiles(SLIDE, tmp_path / "other.h5", progress=stop, **options)
    got = bagscope.tiles(SLIDE, tmp_path / "other.h5", **options)
    assert (got.features == whole.features).all()
    bagscope.tiles(SLIDE, out, progress=stop, **options)  # complete: nothing is encoded


def test_bands_of_a_slide_are_the_commands(encoder: Path, model: Path) -> None:
    """The file is opened again for each question, after the bag was read."""
    bag = bagscope.Bag(SLIDE, encoder=encoder, mpp=1)
    cut = ("--bag", SLIDE, "--encoder", encoder, "--mpp", 1, "--groups", "bands")
    for given, flags in (
        ({"instance": 2}, ("--instance", 2)),
        ({"strongest": 3}, ("--strongest", 3)),
    ):
        seen: list[int] = []
        options: Any = {
            "groups": "bands",
            "progress": lambda done, _, s=seen: s.append(done),
        } | given
        got = bagscope.inside(model, bag, **options)
        assert got.to_dict() == printed("inside", "--model", model, *cut, *flags)
        assert len(got.together) == given.get("strongest", 1)
        assert got.scores.shape == (1, 3)
        assert seen


def test_explain_slide_is_the_commands(encoder: Path, model: Path) -> None:
    bag = bagscope.Bag(SLIDE, encoder=encoder, mpp=1, min_tissue=0.1)
    cut = ("--bag", SLIDE, "--encoder", encoder, "--mpp", 1, "--min-tissue", 0.1)
    seen: list[int] = []
    e = bagscope.explain(
        model, bag, method="one_removed", seed=4, progress=lambda done, total: seen.append(done)
    )
    assert seen[0] == e.instances[-1] + 1  # the patches are encoded first
    want = printed("explain", "--model", model, *cut, "--method", "one_removed", "--seed", 4)
    assert e.to_dict() == want
    assert e.boxes is not None
    p = bagscope.predict(model, bag)
    want = printed("predict", "--model", model, *cut)
    assert p.scores.tolist() == [row["score"] for row in want["classes"]]


def test_encoder_of_the_card(encoder: Path, model: Path) -> None:
    """The card beside a model names the encoder and the patches."""
    card = {"encoder": encoder.name, "patch": {"size": 16, "mpp": 1}}
    model.with_suffix(".bagscope.json").write_text(json.dumps(card))
    got = bagscope.explain(model, SLIDE, method="single")
    want = printed("explain", "--model", model, "--bag", SLIDE, "--method", "single")
    assert got.to_dict() == want


def test_evaluate_slide(encoder: Path, model: Path) -> None:
    """The metrics of a slide are those of the command."""
    model.with_suffix(".bagscope.json").write_text('{"patch": {"size": 16, "mpp": 1}}')
    given: Any = {"methods": ["single"], "metrics": ["aopc_r", "srg"], "seed": 2}
    got = bagscope.evaluate(model, SLIDE, encoder=encoder, **given)
    want = printed(
        "evaluate", "--model", model, "--bags", SLIDE, "--encoder", encoder, "--method", "single",
        "--metrics", "aopc_r,srg", "--seed", 2,
    )  # fmt: skip
    (means,) = [m for m in want["methods"] if m["method"] == "single"]
    np.testing.assert_allclose(
        got.summary()["single"]["srg"]["mean"], means["srg"]["mean"], rtol=1e-12
    )


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"patch_size": 16}, bagscope.SettingError, "^mpp: neither"),
        ({"mpp": 1}, bagscope.SettingError, "^patch_size: neither"),
        ({"mpp": 1, "patch_size": 16, "tissue_threshold": 256}, bagscope.SettingError, "^tissue_"),
        ({"mpp": 1, "patch_size": 16, "glass": 3}, bagscope.SettingError, "^glass: it is not"),
        ({"mpp": 1, "patch_size": 16, "memory": 1, "whole_slide": True}, None, ""),
        ({"mpp": 1, "encoder": "none.onnx", "out": "a.h5"}, bagscope.MissingError, "none.onnx"),
        ({"mpp": 1, "encoder": "none.onnx"}, bagscope.SettingError, "^out: "),
    ],
)
def test_errors_of_tiles(
    options: Any, error: type[Exception] | None, says: str, tmp_path: Path
) -> None:
    if error is None:
        assert len(bagscope.tiles(SLIDE, **options)) > 0
        return
    with pytest.raises(error, match=says):
        bagscope.tiles(SLIDE, **options)


def test_advice_on_features(encoder: Path, model: Path, tmp_path: Path) -> None:
    """A function gets the features of a slide as the error says, and patches have them."""

    def mean(bag: Any) -> Any:
        return bag.mean(axis=0)

    with pytest.raises(bagscope.BagError) as function:
        bagscope.predict(mean, SLIDE, encoder=encoder)
    assert "write the features of the slide by bagscope.tiles, and pass tiles.features" in str(
        function.value
    )
    with pytest.raises(bagscope.SettingError) as nowhere:
        bagscope.tiles(SLIDE, encoder=encoder, mpp=1)
    assert "name the .h5 file that the features are written to" in str(nowhere.value)
    places = bagscope.tiles(SLIDE, mpp=1, patch_size=16)
    for of in (lambda: places.features, lambda: places.bag):
        with pytest.raises(bagscope.UnavailableError) as none:
            of()
        assert "pass encoder= and out=" in str(none.value)
    tiles = bagscope.tiles(SLIDE, tmp_path / "a.h5", encoder=encoder, mpp=1)
    assert bagscope.predict(mean, tiles.features).scores.shape == (3,)
    assert bagscope.predict(model, tiles.bag).scores.size > 0


def test_errors_of_bags(encoder: Path, model: Path) -> None:
    with pytest.raises(bagscope.BagError, match="belong to files"):
        bagscope.Bag(np.ones((2, 3)), encoder=encoder)
    with pytest.raises(bagscope.BagError, match="pass encoder= to Bag"):
        bagscope.predict(model, bagscope.Bag(SLIDE), encoder=encoder)
    with pytest.raises(bagscope.BagError, match="are for pictures"):
        bagscope.predict(model, bagscope.Bag(SLIDE, encoder=encoder, stride=8))
    with pytest.raises(bagscope.BagError, match="write the features"):
        bagscope.predict(lambda bag: bag.mean(0), SLIDE, encoder=encoder)
    with pytest.raises(bagscope.SettingError, match=r"^encoder: it encodes whole"):
        bagscope.predict(TINY, TINY_BAGS, encoder=encoder)


def test_pictures_are_cut_as_by_the_command() -> None:
    folder = ROOT / "examples/tissue"
    picture = next(p for p in folder.iterdir() if p.suffix in (".png", ".jpg"))
    bag = bagscope.Bag(picture, patch_size=27, stride=54, background=230)
    got = bagscope.explain(folder / "model.onnx", bag, method="single")
    want = printed(
        "explain", "--model", folder / "model.onnx", "--bag", picture, "--method", "single",
        "--patch-size", 27, "--stride", 54, "--background", 230,
    )  # fmt: skip
    assert got.to_dict() == want


def test_files_lay_patches(encoder: Path, model: Path, tmp_path: Path) -> None:
    """Patches lie on drawn tissue, and again at the places of the first file."""
    drawn, first, second = tmp_path / "drawn.xml", tmp_path / "a.h5", tmp_path / "b.h5"
    drawn.write_text(
        '<Annotations><Annotation><Regions><Region Type="Rectangle"><Vertices><V X="0" Y="0"/>'
        '<V X="96" Y="64"/></Vertices></Region></Regions></Annotation></Annotations>'
    )
    with pytest.warns(UserWarning, match="14 of 20 patches are left out"):
        got = bagscope.tiles(SLIDE, first, encoder=encoder, mpp=1, tissue=drawn)
    assert len(got) == 6
    again = bagscope.tiles(SLIDE, second, encoder=encoder, places=first)
    assert (again.places == got.places).all()
    assert (again.features == got.features).all()
    bag = bagscope.Bag(SLIDE, encoder=encoder, places=first)
    want = bagscope.explain(model, bagscope.Bag(first), method="single")
    assert bagscope.explain(model, bag, method="single").scores == pytest.approx(want.scores)
    with pytest.raises(bagscope.SettingError, match="omit what lays a grid"):
        bagscope.tiles(SLIDE, second, encoder=encoder, places=first, whole_slide=True)
