"""Writes the streams of JPEG-LS and the samples that decoding them must give.

    pip install numpy pyjpegls==1.5.1
    python3 jpegls.py

CharLS encodes drawn pictures: those of make.py, and one with long runs. Samples of a stream without
loss are the drawn ones, and others are those that CharLS decodes. They are in little endian, pixel
by pixel.
"""

from pathlib import Path

import jpeg_ls
import numpy as np

HERE = Path(__file__).parent
WIDE, HIGH = 62, 44
NONE, LINE, PIXEL = 0, 1, 2


def picture(name, kind, channels):
    data = np.frombuffer((HERE / f"{name}.raw").read_bytes(), kind)
    return data.reshape(HIGH, WIDE, channels)


def make(name, samples, bits, near=0, interleaving=NONE):
    high, wide, channels = samples.shape
    order = (2, 0, 1) if interleaving == NONE else (0, 1, 2)
    stored = np.ascontiguousarray(samples.transpose(order))
    stream = jpeg_ls.encode_buffer(
        stored.tobytes(), high, wide, channels, bits, near, interleaving if channels > 1 else None
    )
    (HERE / f"{name}.jls").write_bytes(stream)
    if near:
        # CharLS decodes planes one after another, too.
        back = np.frombuffer(jpeg_ls.decode_buffer(stream)[0], samples.dtype).reshape(stored.shape)
        samples = np.ascontiguousarray(back.transpose(np.argsort(order)))
        assert 0 < np.abs(samples.astype(int) - stored.transpose(np.argsort(order))).max() <= near
    (HERE / f"{name}_ls.raw").write_bytes(samples.tobytes())


def restarted(name, samples, bits, lines, interleaving=NONE):
    """Write a stream with restarts, whose intervals are streams of their own, joined."""
    high, wide, channels = samples.shape
    whole, scans = None, []
    for at in range(0, high, lines):
        part = np.ascontiguousarray(samples[at : at + lines])
        stream = bytes(
            jpeg_ls.encode_buffer(
                part.tobytes(), len(part), wide, channels, bits, 0, interleaving or None
            )
        )
        start = stream.index(b"\xff\xda")
        data = start + 2 + int.from_bytes(stream[start + 2 : start + 4], "big")
        whole = whole or [bytearray(stream[:start]), stream[start:data]]
        scans.append(stream[data : stream.rindex(b"\xff\xd9")])
    frame = whole[0].index(b"\xff\xf7")
    whole[0][frame + 5 : frame + 7] = high.to_bytes(2, "big")
    out = bytes(whole[0]) + b"\xff\xdd\0\4" + lines.to_bytes(2, "big") + whole[1]
    for i, scan in enumerate(scans):
        out += (bytes([0xFF, 0xD0 + (i - 1) % 8]) if i else b"") + scan
    out += b"\xff\xd9"
    assert jpeg_ls.decode_buffer(out)[0] == samples.tobytes()
    (HERE / f"{name}.jls").write_bytes(out)


grey, rgb = picture("grey_12", "<u2", 1), picture("rgb_lossless", "u1", 3)
y, x = np.mgrid[:HIGH, :300]
runs = np.where((x - 150) ** 2 + 9 * (y - 20) ** 2 < 2500, 200, 9 * (y // 16)).astype("u1")
make("grey_12", grey, 12)
make("grey_12_near", grey, 12, near=5)
make("grey_4", (grey >> 8).astype("u1"), 4)
make("runs", runs[:, :, None], 8)
make("rgb_planes", rgb, 8)
make("rgb_lines", rgb, 8, interleaving=LINE)
make("rgb_pixels", rgb, 8, interleaving=PIXEL)
make("rgb_pixels_near", rgb, 8, near=3, interleaving=PIXEL)
restarted("grey_12_restarts", grey, 12, 4)
restarted("rgb_pixels_restarts", rgb, 8, 20, PIXEL)
