"""Writes the streams of JPEG and the samples that decoding them must give.

    pip install numpy imagecodecs==2026.3.6
    python3 jpeg.py

libjpeg-turbo encodes drawn pictures: those of make.py. Samples of a lossless stream are the drawn
ones, and those of 12 bits with loss are what libjpeg-turbo decodes. They are in little endian, pixel
by pixel.
"""

from pathlib import Path

import imagecodecs
import numpy as np

HERE = Path(__file__).parent
WIDE, HIGH = 62, 44


def picture(name, kind, channels):
    data = np.frombuffer((HERE / f"{name}.raw").read_bytes(), kind)
    return data.reshape(HIGH, WIDE, channels).squeeze()


def make(name, samples, bits, raw=None, **how):
    stream = imagecodecs.jpeg8_encode(samples, bitspersample=bits, **how)
    (HERE / f"{name}.jpg").write_bytes(stream)
    back = imagecodecs.jpeg8_decode(stream)
    assert back.dtype == samples.dtype, name
    if how.get("lossless"):
        assert (back == samples).all(), name
    if raw is None:
        raw = f"{name}_jpg"
        (HERE / f"{raw}.raw").write_bytes(back.astype(back.dtype.newbyteorder("<")).tobytes())
    assert (HERE / f"{raw}.raw").read_bytes() == back.tobytes(), name


grey, rgb = picture("grey_12", "<u2", 1), picture("rgb_lossless", "u1", 3)
for predictor in range(1, 8):
    make(f"lossless_{predictor}", grey, 12, "grey_12", lossless=True, predictor=predictor)
make("lossless_16bit", grey * 16 + grey % 13, 16, lossless=True, predictor=1)
make("lossless_2bit", (grey >> 10).astype("u1"), 2, lossless=True, predictor=4)
make("lossless_rgb", rgb, 8, "rgb_lossless", lossless=True, predictor=6, colorspace="rgb",
     outcolorspace="rgb")
make("dct", grey, 12, level=90)
make("dct_rgb", rgb.astype("<u2") * 16, 12, level=80, colorspace="rgb", outcolorspace="rgb",
     subsampling="444")
