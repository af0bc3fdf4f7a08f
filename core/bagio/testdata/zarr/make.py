"""Writes the files of this folder with zarr 3 and anndata 0.12: stores in zip archives, cells.h5ad, which
holds the same as the stores of AnnData, and named.h5ad, whose instances and features have names.

pip install zarr anndata && python3 make.py

features[i, j] of arrays is (i * 4 + j) * 37 % 251 - 100, in 7 rows of 4, and coords[i] = (256 i, 512)."""

import shutil
import tempfile
import zipfile
from pathlib import Path

import anndata
import numcodecs
import numpy as np
import pandas as pd
import scipy.sparse as sp
import zarr
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec

out = Path(__file__).parent
values = np.arange(28).reshape(7, 4) * 37 % 251 - 100.0
coords = np.stack([np.arange(7) * 256, np.full(7, 512)], 1)


def packed(name, write):
    """Zips what write puts into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        write(store)
        with zipfile.ZipFile(out / f"{name}.zarr.zip", "w", zipfile.ZIP_STORED) as file:
            for path in sorted(store.rglob("*")):
                if path.is_file():
                    info = zipfile.ZipInfo(str(path.relative_to(store)))
                    file.writestr(info, path.read_bytes())


def arrays(name, dtype="f4", format=2, **options):
    def write(folder):
        group = zarr.create_group(folder, zarr_format=format, attributes={"patch_size": 256})
        f = group.create_array("features", shape=(7, 4), chunks=(3, 3), dtype=dtype, **options)
        f[:] = values.astype(dtype)
        c = group.create_array("coords", shape=(7, 2), chunks=(7, 2), dtype="i8",
                               compressors=None)
        c[:] = coords

    packed(name, write)


for codec in ["lz4", "zstd", "zlib", "blosclz"]:
    arrays(f"v2_blosc_{codec}", compressors=numcodecs.Blosc(codec, 5, 1))
arrays("v2_bits", "f8", compressors=numcodecs.Blosc("lz4", 5, 2))
arrays("v2_zstd", compressors=numcodecs.Zstd())
arrays("v2_gzip", "i2", compressors=numcodecs.GZip())
arrays("v2_zlib", "f2", compressors=numcodecs.Zlib())
arrays("v2_lz4", ">f4", compressors=numcodecs.LZ4())
arrays("v2_none", order="F", compressors=None)
arrays("v3_blosc", format=3, compressors=BloscCodec(cname="lz4", shuffle="shuffle", typesize=4))
arrays("v3_zstd", format=3, compressors=[ZstdCodec(), Crc32cCodec()])
arrays("v3_gzip", "i4", format=3, compressors=GzipCodec())
arrays("v3_none", "f8", format=3, serializer=BytesCodec(endian="big"), compressors=None)
arrays("v3_keys", format=3, chunk_key_encoding={"name": "v2", "separator": "/"})
arrays("v3_shards", format=3, shards=(6, 6))
arrays("transposed", format=3, filters=[TransposeCodec(order=(1, 0))])

n = 23
rng = np.random.default_rng(1)
obs = pd.DataFrame({
    "patient": pd.Categorical([f"p{i % 3}" for i in range(n)], categories=["p2", "p0", "p1"]),
    "batch": [f"b{i % 2}" for i in range(n)],
    "response": pd.Categorical([["no", "yes"][i % 3 % 2] for i in range(n)]),
    "stage": np.arange(n) % 3,
}, index=[f"cell{i}" for i in range(n)])
x = sp.random(n, 5, 0.4, random_state=1, dtype="f4").tocsr()
cells = anndata.AnnData(x, obs, obsm={"X_pca": rng.normal(size=(n, 3)).astype("f4")},
                        layers={"dense": x.toarray(), "columns": x.tocsc()})
cells.write_h5ad(out / "cells.h5ad", compression="gzip")
named = anndata.AnnData(
    np.arange(6, dtype="f4").reshape(3, 2),
    obs=pd.DataFrame(index=pd.Index(["AAAC-1", "AAAG-1", "AACC-1"], name="barcode")),
    var=pd.DataFrame(index=["EPCAM", "VIM"]))
named.write_h5ad(out / "named.h5ad")
anndata.settings.auto_shard_zarr_v3 = True
for format in [2, 3]:
    anndata.settings.zarr_write_format = format
    packed(f"cells{format}", lambda folder: cells.write_zarr(folder))


def picture(folder):
    group = zarr.create_group(folder, zarr_format=2).create_group("images").create_group("slide", attributes={
        "multiscales": [{"version": "0.4", "axes": [{"name": c} for c in "cyx"],
                         "datasets": [{"path": "0"}]}]})
    a = group.create_array("0", shape=(3, 64, 64), chunks=(3, 64, 64), dtype="u1")
    a[:] = 200


packed("picture", picture)
