"""Writes one picture of 24 x 16 pixels in several formats, all without loss.

    pip install pillow==11.1.0 tifffile==2024.8.30 imagecodecs==2024.6.1 numpy==1.26.4
    python make.py
"""
import pathlib

import numpy
import tifffile
from PIL import Image

here = pathlib.Path(__file__).parent
y, x = numpy.mgrid[:16, :24]
pixels = numpy.stack([10 * x, 15 * y, 5 * (x + y)], axis=-1).astype("u1")
Image.fromarray(pixels).save(here / "picture.png")
Image.fromarray(pixels).save(here / "picture.webp", lossless=True)
for name, options in {"plain": {}, "lzw": {"compression": "lzw", "predictor": True},
                      "deflate": {"compression": "deflate"}, "tiles": {"tile": (16, 16)},
                      "big": {"byteorder": ">"}}.items():
    tifffile.imwrite(here / f"{name}.tif", pixels, photometric="rgb", metadata=None, **options)
# The last column of tiles of these reaches over the right side of the picture.
wide = pixels.astype("u2") * 257
grey = pixels[..., 0]
tiles = {"metadata": None, "tile": (16, 16), "compression": "deflate"}
tifffile.imwrite(here / "tiles16.tif", wide, photometric="rgb", byteorder=">", **tiles)
tifffile.imwrite(here / "tiles_grey.tif", grey, photometric="minisblack", **tiles)
Image.fromarray(grey).save(here / "grey.png")
tifffile.imwrite(here / "planes.tif", pixels.transpose(2, 0, 1), photometric="rgb", metadata=None,
                 planarconfig="separate")
bits = Image.fromarray(grey).convert("1")
bits.save(here / "bits.png")
for name, compression in {"fax": "group4", "fax3": "group3", "bits": "packbits"}.items():
    bits.save(here / f"{name}.tif", compression=compression)
colours = Image.fromarray(pixels).quantize(16)
colours.save(here / "colours.png")
colours.save(here / "colours.tif", compression="tiff_lzw")
tifffile.imwrite(here / "jpeg.tif", pixels, photometric="rgb", metadata=None, compression="jpeg",
                 tile=(16, 16))
tifffile.imwrite(here / "bigtiff.tif", pixels, photometric="rgb", metadata=None, bigtiff=True)
