"""Writes aperio_33003.svs and aperio_33005.svs: slides of two levels with tiles of JPEG 2000, as
scanners of Aperio write them, and NAME_N.png: the pixels of level N that OpenSlide reads.

Run in this folder: python3 jpeg2000.py
Made with opj_compress 2.5.0 (Debian: libopenjp2-tools), OpenSlide 3.4.1 (openslide-tools), NumPy.
"""

import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np

WIDE, HIGH = 150, 110
TILE = (48, 64)  # rows, columns
y, x = np.mgrid[:HIGH, :WIDE]
base = np.stack([255 - x, 120 + y, 90 + (x + 2 * y) // 3], 2).astype("u1")
base[(x - 60) ** 2 + (y - 50) ** 2 < 900] = [170, 40, 130]
base[(x // 3 + y // 3) % 9 == 0] = [60, 30, 160]


def ycc(rgb):
    """JFIF's YCbCr, as planes; chroma is the mean of two pixels of a row."""
    r, g, b = np.moveaxis(rgb.astype("f8"), 2, 0)
    luma = 0.299 * r + 0.587 * g + 0.114 * b
    chroma = [128 + (b - luma) / 1.772, 128 + (r - luma) / 1.402]
    halves = [c.reshape(c.shape[0], -1, 2).mean(2) for c in chroma]
    return [np.round(p).clip(0, 255).astype("u1") for p in [luma, *halves]]


def encode(planes, shape, *options):
    with tempfile.TemporaryDirectory() as folder:
        raw, stream = Path(folder, "a.raw"), Path(folder, "a.j2k")
        raw.write_bytes(b"".join(p.tobytes() for p in planes))
        about = f"{TILE[1]},{TILE[0]},3,8,u@{shape}"
        command = ["opj_compress", "-i", raw, "-o", stream, "-F", about, "-I", "-r", "6", *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return stream.read_bytes()


def tiles(level, compression):
    rows, columns = -(-level.shape[0] // TILE[0]), -(-level.shape[1] // TILE[1])
    white = np.full((rows * TILE[0], columns * TILE[1], 3), 255, "u1")
    white[: level.shape[0], : level.shape[1]] = level
    for row in range(rows):
        for column in range(columns):
            tile = white[row * TILE[0] :, column * TILE[1] :][: TILE[0], : TILE[1]]
            if compression == 33003:
                yield encode(ycc(tile), "1x1:2x1:2x1", "-mct", "0")
            else:
                yield encode(np.moveaxis(tile, 2, 0), "1x1:1x1:1x1", "-mct", "1")


def write(name, compression):
    out = bytearray(b"II*\0\0\0\0\0")
    link = 4  # offset of the place of the next directory
    for level in [base, base[::2, ::2]]:
        high, wide = level.shape[:2]
        text = f"Aperio Image Library v11.2.1\r\n150x110 -> {wide}x{high} J2K|AppMag = 20|MPP = 0.4990\0"
        text = text.encode() + b"\0" * (len(text) % 2)
        blocks = list(tiles(level, compression))
        places = []
        for block in blocks:
            places.append(len(out))
            out += block + b"\0" * (len(block) % 2)

        def put(data):
            at = len(out)
            out.extend(data)
            return at

        count = len(blocks)
        entries = [
            (256, 4, 1, wide), (257, 4, 1, high), (258, 3, 3, put(struct.pack("<4H", 8, 8, 8, 0))),
            (259, 3, 1, compression), (262, 3, 1, 2), (270, 2, len(text), put(text)), (277, 3, 1, 3),
            (284, 3, 1, 1), (322, 3, 1, TILE[1]), (323, 3, 1, TILE[0]),
            (324, 4, count, put(struct.pack(f"<{count}I", *places))),
            (325, 4, count, put(struct.pack(f"<{count}I", *map(len, blocks)))),
        ]  # fmt: skip
        struct.pack_into("<I", out, link, len(out))
        out += struct.pack("<H", len(entries))
        for entry in entries:
            out += struct.pack("<HHII", *entry)
        link = len(out)
        out += bytes(4)
    Path(name + ".svs").write_bytes(out)
    for n, level in enumerate([base, base[::2, ::2]]):
        size = [str(level.shape[1]), str(level.shape[0])]
        command = ["openslide-write-png", name + ".svs", "0", "0", str(n), *size, f"{name}_{n}.png"]
        subprocess.run(command, check=True)


for code in [33003, 33005]:
    write(f"aperio_{code}", code)
