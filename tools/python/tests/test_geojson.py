"""Files for QuPath and from it, held to the parser and the geometry of shapely."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import shapely
from conftest import ROOT, TINY, command

import bagscope

TISSUE = ROOT / "examples/tissue"


def test_patches_are_valid_polygons(tmp_path: Path) -> None:
    """A patch is the square at its place, with the scores of all classes."""
    rng = np.random.default_rng(0)
    places = rng.permutation(40)[:20, None] * np.array([512, 300]) + 7
    bag = bagscope.Bag(
        rng.standard_normal((20, 6)).astype(np.float32), places=places, patch_size=256
    )
    e = bagscope.explain(TINY, bag, method="single")
    e.save(tmp_path / "e.geojson")
    text = (tmp_path / "e.geojson").read_text()
    shapes = shapely.from_geojson(text)
    assert isinstance(shapes, shapely.GeometryCollection)
    properties = [feature["properties"] for feature in json.loads(text)["features"]]
    assert len(shapes.geoms) == len(properties) == 20
    for i, (shape, has) in enumerate(zip(shapes.geoms, properties, strict=True)):
        x, y = places[i].tolist()
        assert shape.is_valid
        assert shape.equals(shapely.box(x, y, x + 256, y + 256))
        scores = [has["measurements"][f"single: {name}"] for name in e.classes]
        assert scores == pytest.approx(e.scores[:, i].tolist())
    assert e.geojson(colours="blue-orange") == text.encode() != e.geojson(colours="green-red")
    with pytest.raises(bagscope.SettingError, match="mauve"):
        e.geojson(colours="mauve")


@pytest.mark.parametrize("seed", range(8))
def test_region_has_the_patches_whose_centres_shapely_finds_inside(
    seed: int, tmp_path: Path
) -> None:
    """Stars with many corners, one with a hole, drawn over a slide."""
    picture = TISSUE / "slide.png"
    args = ("explain", "--model", TISSUE / "model.onnx", "--bag", picture, "--method", "single")
    command(*args, "--geojson", tmp_path / "all.geojson")
    patches = shapely.from_geojson((tmp_path / "all.geojson").read_text()).geoms
    rng = np.random.default_rng(seed)
    regions = shapely.MultiPolygon([star(rng, patches, hole=True), star(rng, patches, hole=False)])
    feature = {
        "type": "Feature",
        "geometry": json.loads(shapely.to_geojson(regions)),
        "properties": {"objectType": "annotation", "classification": {"name": "Tumor"}},
    }
    (tmp_path / "region.geojson").write_text(
        json.dumps({"type": "FeatureCollection", "features": [feature]})
    )
    command(*args, "--region", tmp_path / "region.geojson", "--geojson", tmp_path / "some.geojson")
    got = shapely.from_geojson((tmp_path / "some.geojson").read_text()).geoms
    want = [p for p in patches if any(part.contains(p.centroid) for part in regions.geoms)]
    assert 0 < len(want) < len(patches)
    assert [p.bounds for p in got] == [p.bounds for p in want]


def star(
    rng: np.random.Generator, patches: shapely.GeometrySequence, hole: bool
) -> shapely.Polygon:
    """A polygon of 30 corners in one half of the slide: the left one if it has a hole."""
    left, top, right, bottom = shapely.union_all(list(patches)).bounds
    middle = np.array([left + (right - left) * (0.25 if hole else 0.75), (top + bottom) / 2])
    angles = np.sort(rng.uniform(0, 2 * np.pi, 30))
    spread = np.array([(right - left) / 4, (bottom - top) / 2]) * 0.98
    rays = np.stack([np.cos(angles), np.sin(angles)], 1) * spread
    shell = middle + rays * rng.uniform(0.5, 1, (30, 1))
    return shapely.Polygon(shell, [middle + rays * 0.3] if hole else []).buffer(0)
