"""Makes the slides beside it, and level_N.png: the pixels of level N before compression.

Run in this folder: python make.py
Made with tifffile 2026.3.3, imagecodecs 2026.3.6 and openslide-bin 4.0.1.2. What libjpeg-turbo decodes from level N of
a file with JPEG is in NAME_N.png; OpenSlide gives the same pixels. webp_lossy_0.png is of libwebp.
"""
import numpy as np
import openslide
import tifffile
from PIL import Image

WIDE, HIGH = 150, 110
y, x = np.mgrid[:HIGH, :WIDE]
base = np.stack([255 - x, 120 + y, 90 + (x + 2 * y) // 3], 2).astype("u1")
base[(x - 60) ** 2 + (y - 50) ** 2 < 900] = [170, 40, 130]
base[(x // 3 + y // 3) % 9 == 0] = [60, 30, 160]
levels = [base, base[::2, ::2], base[::4, ::4]]
for n, level in enumerate(levels):
    Image.fromarray(level).save(f"level_{n}.png")

TILED = {"tile": (48, 64), "photometric": "rgb"}
MICRONS = {"resolution": (20000, 20000), "resolutionunit": "CENTIMETER"}
JPEG = {"compression": "jpeg", "compressionargs": {"level": 90}}


def pyramid(name, levels=levels, below=False, metadata=None, ome=False, bigtiff=False, byteorder="<", **options):
    with tifffile.TiffWriter(name, bigtiff=bigtiff, byteorder=byteorder, ome=ome) as f:
        options = TILED | options
        f.write(levels[0], metadata=metadata, **({"subifds": len(levels) - 1} if below else {}), **MICRONS, **options)
        for level in levels[1:]:
            f.write(level, subfiletype=1, metadata=None, **options)
        if ome:
            f.write(base[:40, :60], photometric="rgb", metadata={"Name": "label"})


pyramid("none_big_endian.tif", byteorder=">", bigtiff=True)
pyramid("lzw_predictor.tif", compression="lzw", predictor=True)
pyramid("lzw_16_bit.tif", [v.astype("u2") * 257 for v in levels], byteorder=">", compression="lzw", predictor=True)
pyramid("deflate_planes.tif", [np.moveaxis(base, 2, 0)], planarconfig="separate", compression="deflate")
pyramid("packbits.tif", compression="packbits")
pyramid("webp.tif", [base], compression="webp", compressionargs={"level": 100, "lossless": True})
pyramid("webp_lossy.tif", [base], compression="webp", compressionargs={"level": 80, "lossless": False})
opacity = np.where(x < 75, 255, 0).astype("u1")
pyramid("deflate_alpha.tif", [np.dstack([base, opacity])], extrasamples=["unassalpha"], compression="deflate")
pyramid("grey.tif", [base[..., 0]], photometric="minisblack", compression="deflate")
pyramid("zstandard.tif", [base], compression="zstd")
pyramid("lzma.tif", [base], compression="lzma", predictor=True)
Image.fromarray(base).save("lzma_libtiff.tif", compression="lzma")  # Pillow 13.0.0: libtiff adds a filter
tifffile.imwrite("lerc.tif", np.arange(12, dtype="u1").reshape(3, 4), compression="lerc")
pyramid("jpeg_444.tif", below=True, **{**JPEG, "photometric": "rgb"})
pyramid("jpeg_422.tif", photometric="ycbcr", subsampling=(2, 1), **JPEG)
pyramid("jpeg_420.tif", photometric="ycbcr", subsampling=(2, 2), bigtiff=True, **JPEG)
pyramid("pyramid.ome.tif", below=True, ome=True, compression="deflate",
        metadata={"PhysicalSizeX": 250, "PhysicalSizeXUnit": "nm", "PhysicalSizeY": 0.25, "PhysicalSizeYUnit": "µm"})

tifffile.imwrite("colour_each.ome.tif", np.moveaxis(levels[2], 2, 0), photometric="minisblack", tile=(48, 64), ome=True,
                 metadata={"axes": "CYX"}, compression="deflate")

with tifffile.TiffWriter("strips.svs") as f:  # as scanners of Aperio write it
    text = "Aperio Image Library v11.2.1\r\n{} -> {} JPEG/RGB Q=90|AppMag = 20|MPP = 0.4990"
    options = {"metadata": None, "photometric": "ycbcr", "subsampling": (2, 2)} | JPEG
    f.write(base, tile=(48, 64), description=text.format("150x110", "150x110"), **options)
    f.write(levels[1], rowsperstrip=16, description=text.format("150x110", "75x55"), **options)
    f.write(levels[2], tile=(48, 64), description=text.format("150x110", "38x28"), **options)
    f.write(base[:30, :40], photometric="rgb", metadata=None, compression="lzw", rowsperstrip=30,
            description="Aperio Image Library v11.2.1\nlabel 40x30")
    f.write(base[:20, :80], description="Aperio Image Library v11.2.1\nmacro 80x20", rowsperstrip=20, **options)

for name in ["jpeg_444.tif", "jpeg_422.tif", "jpeg_420.tif", "strips.svs", "webp_lossy.tif"]:
    with tifffile.TiffFile(name) as f:
        pages = [p for p in [f.pages[0], *(f.pages[0].pages or []), *f.pages[1:]] if p.is_tiled]
        decoded = [p.asarray() for p in pages]
    for n, pixels in enumerate(decoded):
        Image.fromarray(pixels).save(f"{name.rpartition('.')[0]}_{n}.png")
    if name == "webp_lossy.tif":  # not for OpenSlide
        continue
    with openslide.OpenSlide(name) as slide:
        pixels = np.asarray(slide.read_region((0, 0), 0, (WIDE, HIGH)).convert("RGB"))
        assert (pixels == decoded[0]).all(), name
