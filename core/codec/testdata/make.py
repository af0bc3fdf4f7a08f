"""Writes the code streams and the samples that decoding them must give.

It needs opj_compress and opj_decompress (Debian: libopenjp2-tools), NumPy, and imagecodecs for the
fast block coder, which OpenJPEG decodes only:

    pip install numpy imagecodecs==2026.3.6
    python3 make.py

The pictures are drawn. Samples of a lossy stream are those that opj_decompress, OpenJPEG's native
program, decodes; those of others are the drawn ones. They are in little endian, pixel by pixel; a
channel with fewer samples repeats them.
"""

import subprocess
import tempfile
from pathlib import Path

import imagecodecs
import numpy as np

HERE = Path(__file__).parent
WIDE, HIGH = 62, 44


def planes(channels, bits, signed, steps):
    """Smooth waves with an edge and some noise, one plane for each channel."""
    draw = np.random.default_rng(7)
    y, x = np.mgrid[:HIGH, :WIDE]
    out = []
    for c in range(channels):
        v = 0.5 + 0.3 * np.sin((x + 7 * c) / 9) * np.cos((y - 3 * c) / 7) + 0.15 * (x + y > 55)
        v = v + draw.normal(0, 0.02, v.shape)
        v = np.round(v.clip(0, 1) * (2**bits - 1)).astype("i4") - (2 ** (bits - 1) if signed else 0)
        dx, dy = steps[c]
        out.append(v[::dy, ::dx])
    return out


def kind(bits, signed):
    return f"<{'i' if signed else 'u'}{1 if bits <= 8 else 2}"


def make(name, channels, bits, signed, steps, *options):
    shape = ":".join(f"{dx}x{dy}" for dx, dy in steps)
    about = f"{WIDE},{HIGH},{channels},{bits},{'s' if signed else 'u'}@{shape}"
    with tempfile.TemporaryDirectory() as folder:
        raw, back = Path(folder, "a.rawl"), Path(folder, "b.rawl")
        data = planes(channels, bits, signed, steps)
        raw.write_bytes(b"".join(p.astype(kind(bits, signed)).tobytes() for p in data))
        stream = HERE / f"{name}.j2k"
        quiet = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run(["opj_compress", "-i", raw, "-o", stream, "-F", about, *options], **quiet)
        if "-I" in options:
            subprocess.run(["opj_decompress", "-i", stream, "-o", back], **quiet)
            decoded = np.frombuffer(back.read_bytes(), kind(bits, signed))
            data = decoded.reshape(channels, HIGH, WIDE)
        whole = [p.repeat(dy, 0).repeat(dx, 1) for p, (dx, dy) in zip(data, steps)]
        samples = np.stack(whole, 2).astype(kind(bits, signed))
        (HERE / f"{name}.raw").write_bytes(samples.tobytes())


ONE, THREE = [(1, 1)], [(1, 1)] * 3
make("rgb_lossless", 3, 8, False, THREE, "-mct", "1")
make("rgb_lossy", 3, 8, False, THREE, "-mct", "1", "-I", "-r", "8")
make("ycc_422", 3, 8, False, [(1, 1), (2, 1), (2, 1)], "-mct", "0")
make("ycc_420", 3, 8, False, [(1, 1), (2, 2), (2, 2)], "-mct", "0")
make("grey_12", 1, 12, False, ONE)
make("grey_16_signed", 1, 16, True, ONE)
make("grey_tiles", 1, 8, False, ONE, "-t", "32,24", "-n", "3", "-M", "63")

for name in ("grey_12", "rgb_lossless"):
    dtype, shape = ("<u2", (HIGH, WIDE)) if name == "grey_12" else ("u1", (HIGH, WIDE, 3))
    samples = np.frombuffer((HERE / f"{name}.raw").read_bytes(), dtype).reshape(shape)
    stream = imagecodecs.htj2k_encode(samples, reversible=True)
    fast = HERE / f"{name.split('_')[0]}_ht"
    fast.with_suffix(".j2k").write_bytes(stream)
    fast.with_suffix(".raw").write_bytes(samples.tobytes())
