"""Makes the files of bands beside it. Sample b of pixel x, y is 1000 * (b + 1) + 3 * x + 7 * y.

Run in this folder: python bands.py
Made with tifffile 2026.3.3 and imagecodecs 2026.3.6.
"""
import numpy as np
import tifffile

WIDE, HIGH = 40, 30


def values(bands, step=1):
    b, y, x = np.mgrid[:bands, :HIGH:step, :WIDE:step]
    return 1000 * (b + 1) + 3 * x + 7 * y


def write(name, data, nodata=None, **options):
    extratags = [(42113, "s", 0, nodata, True)] if nodata else []
    tifffile.imwrite(name, data, metadata=None, photometric="minisblack", tile=(16, 16), extratags=extratags, **options)


together = {"planarconfig": "contig"}
write("16.tif", np.where(values(5) == 1000, 0, values(5)).astype("u2").transpose(1, 2, 0), "0", compression="deflate",
      predictor=True, **together)
write("planes.tif", values(4).astype("i2"), planarconfig="separate", compression="lzw", predictor=True, byteorder=">")
write("real.tif", np.where(values(3) == 1000, -3.4028234663852886e38, values(3)).astype("f4").transpose(1, 2, 0),
      "-3.4028234663852886e+38", compression="zstd", predictor=True, **together)
write("real_lzma.tif", values(3).astype("f4").transpose(1, 2, 0), compression="lzma", predictor=True, **together)
write("real_big.tif", values(3).astype("f8").transpose(1, 2, 0), compression="deflate", predictor=True, byteorder=">",
      **together)
write("half.tif", values(2).astype("f2").transpose(1, 2, 0), compression="deflate", predictor=True, **together)
write("32.tif", values(2).astype("i4").transpose(1, 2, 0), compression="deflate", predictor=True, **together)
with tifffile.TiffWriter("pages.ome.tif", ome=True) as f:
    options = {"photometric": "minisblack", "tile": (16, 16), "compression": "deflate"}
    f.write(values(6).astype("u2"), subifds=1, metadata={"axes": "CYX"}, **options)
    f.write(values(6, 2).astype("u2"), subfiletype=1, **options)
