"""Writes the files of features with coordinates, and the pictures, that the readers are tested by.

    python make_files.py   (numpy, h5py 3, safetensors, tifffile with imagecodecs, Pillow)

Twelve instances for attention4.onnx lie on a grid of 4 by 3 patches of 256 pixels: instance 5 alarms, instance 6 calms.
The picture is 64 by 48 pixels: the left half bright, the right half dark with a red and a green square.
"""

import gzip
import pathlib

import h5py
import numpy as np
import tifffile
from PIL import Image
from safetensors.numpy import save_file

here = pathlib.Path(__file__).parent / "files"
here.mkdir(exist_ok=True)

rng = np.random.default_rng(7)
features = rng.normal(0, 0.1, (12, 4)).astype(np.float32)
features[5, 0], features[6, 1] = 2, 2
coords = np.stack([np.arange(12) % 4, np.arange(12) // 4], 1) * 256 + 1000


def hdf5(name, feats, attributes, **how):
    with h5py.File(here / name, "w", **how.pop("file", {})) as f:
        f.create_dataset("features", data=feats, **how)
        c = f.create_dataset("coords", data=coords.astype(np.int64))
        for key, value in attributes.items():
            c.attrs[key] = value


chunked = {"chunks": (1, 4), "maxshape": (None, 4)}
hdf5("clam.h5", features, {"patch_size": 128, "patch_level": 1, "downsample": np.array([2.0, 2.0])}, **chunked)
trident = {"patch_size": 512, "patch_size_level0": 256, "level0_width": 2500, "level0_height": 2000, "overlap": 0}
hdf5("trident.h5", features[None], trident, compression="gzip", shuffle=True)
hdf5("latest.h5", features, {"patch_size": 256}, file={"libver": "latest"})
# Features of two encoders: only the second of them fits attention4.onnx.
with h5py.File(here / "encoders.h5", "w") as f:
    f.create_dataset("coords", data=coords.astype(np.int64)).attrs["patch_size"] = 256
    f.create_dataset("conch/features", data=features[:, :3])
    f.create_dataset("uni/features", data=features)

np.savez(here / "coords.npz", feats=features[None], coords=coords.astype(np.float64))
np.savez_compressed(here / "packed.npz", features=features, coords=coords, patch_size=np.int64(256))
save_file({"features": features, "coords": coords}, here / "coords.safetensors", {"patch_size": "256"})
save_file({"embeddings": features.astype(np.float16)}, here / "half.safetensors")
rows = ["x,y," + ",".join(f"f{i}" for i in range(1, 5))]
rows += [",".join(map(str, [*c, *map(float, f)])) for c, f in zip(coords, features)]
(here / "coords.csv").write_text("\n".join(rows) + "\n")

picture = np.full((48, 64, 3), 240, np.uint8)
picture[:, 32:] = 40
picture[8:16, 40:48] = (200, 20, 20)
picture[24:32, 48:56] = (20, 200, 20)
Image.fromarray(picture).save(here / "picture.png")
Image.fromarray(picture).save(here / "picture.webp", lossless=True)
Image.fromarray(picture).save(here / "picture.jpg", quality=98, subsampling=0)
for name, how in {
    "plain": {},
    "lzw": {"compression": "lzw"},
    "deflate": {"compression": "deflate", "predictor": True},
    "tiles": {"compression": "jpeg", "compressionargs": {"level": 98}, "tile": (16, 16)},
}.items():
    tifffile.imwrite(here / f"{name}.tif", picture, photometric="rgb", metadata=None, **how)
tifffile.imwrite(here / "deep.tif", picture[..., 0].astype(np.uint16) * 257, metadata=None)
tifffile.imwrite(here / "float.tif", picture[..., 0].astype(np.float32), metadata=None)
pyramid = here / "pyramid.tif"
with tifffile.TiffWriter(pyramid) as t:
    big = np.repeat(np.repeat(picture, 300, 0), 300, 1)
    t.write(big, photometric="rgb", compression="deflate", tile=(1024, 1024), subifds=0, metadata=None)
    t.write(np.repeat(np.repeat(picture, 10, 0), 10, 1), photometric="rgb", compression="deflate", tile=(256, 256),
            subfiletype=1, metadata=None)
(here / "pyramid.tif.gz").write_bytes(gzip.compress(pyramid.read_bytes(), mtime=0))
pyramid.unlink()
