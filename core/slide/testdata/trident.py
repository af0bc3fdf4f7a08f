"""Compares the places of patches with TRIDENT's, by its own code, and writes them to trident.json for the test of grids.

    git clone https://github.com/mahmoodlab/TRIDENT
    python trident.py TRIDENT ../../../examples/slide/CMU-1-Small-Region.svs

Needs vips, and the Python packages openslide-bin 4.0.1.2, openslide-python 1.4.7, geopandas 1.2.0, opencv-python-headless
5.0.0.93, h5py 3.16.0, pandas and tqdm. Compared with TRIDENT's commit a91fa84. Its modules are loaded without PyTorch,
which does not place patches.

Masks are random. TRIDENT gets the outline of a mask as its tissue. It simplifies outlines by a quarter of the patch
size, so pixels of masks are larger than that: no corner goes. Without a smallest part of tissue, TRIDENT also keeps
patches whose side touches the outline from outside; their area of tissue is zero, and they are left out here.
"""
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import types

import numpy as np

#: Patch sizes, microns a pixel, overlaps and smallest parts of tissue.
CASES = [
    (32, 0.5, 0, 0.0), (32, 0.5, 0, 0.25), (64, 1.0, 0, 0.1), (64, 0.7, 16, 0.0), (100, 0.37, 33, 0.5),
    (224, 0.499, 0, 0.15), (256, 0.5, 32, 0.0), (256, 0.25, 0, 0.5), (512, 0.5, 256, 0.05), (4096, 1.0, 0, 0.0),
]
#: Sizes and pixels a millimetre of the slides that vips makes.
MADE = [(5000, 3000, 4000.0), (3001, 4099, 2183.0)]


def load(checkout):
    """Imports TRIDENT's OpenSlideWSI."""
    for name in ("torch", "torch.utils", "torch.utils.data", "trident.segmentation_models.load"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["torch"].inference_mode = lambda: lambda function: function
    sys.modules["torch.utils.data"].Dataset = sys.modules["torch.utils.data"].DataLoader = object
    sys.modules["trident.segmentation_models.load"].SegmentationModel = object
    for name in ("trident", "trident.wsi_objects", "trident.segmentation_models"):
        module = sys.modules[name] = types.ModuleType(name)
        module.__path__ = [str(checkout.joinpath(*name.split(".")))]
    from trident.wsi_objects.OpenSlideWSI import OpenSlideWSI

    return OpenSlideWSI


def mask_of(random, width, height, scale):
    """Returns blobs: pixels (row, column) of scale pixels of the slide across, which may reach over it."""
    noise = random.standard_normal((-(-height // scale), -(-width // scale)))
    tissue = sum(np.roll(noise, shift, (0, 1)) for shift in ((0, 0), (1, 0), (0, 1), (1, 1))) > 1
    tissue[-1, 0] = True
    return tissue


def outline(mask, scale):
    import geopandas
    import shapely

    pixels = [shapely.box(x * scale, y * scale, (x + 1) * scale, (y + 1) * scale) for y, x in np.argwhere(mask)]
    whole = shapely.union_all(pixels)
    return geopandas.GeoDataFrame(geometry=list(getattr(whole, "geoms", [whole])))


def places(slide, mask, scale, size, microns, overlap, part):
    """Returns TRIDENT's places, without those of patches that only touch tissue, and how many these are."""
    import shapely

    tissue = outline(mask, scale)
    patcher = slide.create_patcher(size, src_pixel_size=slide.mpp, dst_pixel_size=microns, overlap=overlap,
                                   mask=tissue, threshold=part, coords_only=True)
    side, whole = patcher.patch_size_src, tissue.union_all()
    found = [(int(x), int(y)) for x, y in patcher]
    kept = [(x, y) for x, y in found if shapely.box(x, y, x + side, y + side).intersection(whole).area > 0]
    return kept, len(found) - len(kept), side


def cases(wsi, file, random):
    slide = wsi(str(file), lazy_init=False)
    for size, microns, overlap, part in CASES:
        scale = max(size // 4, slide.width // 30) + int(random.integers(1, size))
        mask = mask_of(random, slide.width, slide.height, scale)
        kept, touching, side = places(slide, mask, scale, size, microns, overlap, part)
        print(f"{file.name} {slide.width} x {slide.height}, {slide.mpp} µm: {size} pixels of {microns} µm, overlap "
              f"{overlap}, at least {part}: {len(kept)} patches, {touching} that touch")
        text = "".join(f"{x} {y}\n" for x, y in kept)
        yield {
            "slide": file.name, "width": slide.width, "height": slide.height, "microns": slide.mpp,
            "patch_size": size, "mpp": microns, "overlap": overlap, "min_tissue": part,
            "scale": scale, "mask": ["".join(" #"[int(v)] for v in row) for row in mask],
            "side": side, "patches": len(kept), "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }


def main(checkout, source):
    wsi, random, out = load(checkout), np.random.default_rng(11), []
    out += cases(wsi, source, random)
    with tempfile.TemporaryDirectory() as folder:
        for n, (width, height, resolution) in enumerate(MADE):
            file = pathlib.Path(folder) / f"made_{n}.tif"
            picture = file.with_suffix(".v")
            subprocess.run(["vips", "black", picture, str(width), str(height), "--bands", "3"], check=True)
            subprocess.run(["vips", "tiffsave", picture, file, "--tile", "--pyramid", "--compression", "deflate",
                            "--resunit", "cm", "--xres", str(resolution), "--yres", str(resolution)], check=True)
            out += cases(wsi, file, random)
    (pathlib.Path(__file__).parent / "trident.json").write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
