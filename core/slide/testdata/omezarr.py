"""Writes OME-Zarr pictures of the colours of level_0.png, and what zarr reads of them.

Run in this folder: python omezarr.py
Made with zarr 3.1.6, ome-zarr 0.18.0, numcodecs 0.16.5, numpy 2.4.6 and Pillow. Each omezarr/NAME.zip is a store in an
archive; omezarr/pixels.json has the SHA-256 of the bytes (row, column, red, green, blue) of each level, as zarr reads
them, of NAMEs that are read.
"""
import hashlib
import json
import shutil
import tempfile
import zipfile
from pathlib import Path

import numcodecs
import numpy as np
import zarr
from ome_zarr.writer import write_multiscale
from PIL import Image
from zarr.codecs import BloscCodec, Crc32cCodec, ZstdCodec

here = Path(__file__).parent
out = here / "omezarr"
shutil.rmtree(out, ignore_errors=True)
out.mkdir()
base = np.asarray(Image.open(here / "level_0.png").convert("RGB"))
levels = [base[::2, ::2], base[::4, ::4], base[::8, ::8]]
pixels = {}


def hashed(picture):
    return hashlib.sha256(np.ascontiguousarray(picture).astype("u1").tobytes()).hexdigest()


def zipped(name, write, inside="", packing=zipfile.ZIP_STORED):
    """Zips what write puts into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        write(store)
        with zipfile.ZipFile(out / f"{name}.zip", "w", packing) as file:
            for path in sorted(store.rglob("*")):
                if path.is_file():
                    file.writestr(zipfile.ZipInfo(inside + str(path.relative_to(store))), path.read_bytes(), packing)


def axes(names, unit="micrometer"):
    kinds = {"t": "time", "c": "channel"}
    return [{"name": n, "type": kinds.get(n, "space"), **({} if n in kinds or not unit else {"unit": unit})}
            for n in names]


def picture(name, letters, version, unit="micrometer", scale=.5, pictures=levels, dtype="u1", omero=None, root="",
            more=None, inside="", packing=zipfile.ZIP_STORED, together=False, shards=False, read=True, **options):
    """Writes a pyramid with axes named by letters. A channel has chunks of its own unless together is set."""
    def write(folder):
        group = zarr.create_group(folder, zarr_format=3 if version == "0.5" else 2)
        if root:
            group.attrs.update({"bioformats2raw.layout": 3})
            for number in "1", root:
                group = zarr.create_group(folder / number, zarr_format=2)
        datasets, sums = [], []
        for i, p in enumerate(pictures):
            planes = np.moveaxis(p, -1, 0).copy() if "c" in letters else p[None, ..., 1]
            channels, high, wide = planes.shape
            if options.get("fill_value"):  # chunks that are not stored
                planes[..., 48:] = options["fill_value"]
            shape = {"c": channels, "y": high, "x": wide}
            chunk = {"c": channels if together else 1, "y": 20, "x": 24}
            shard = {"c": channels, "y": 40, "x": 48}
            a = group.create_array(f"level{i}", shape=[shape.get(n, 1) for n in letters], dtype=dtype,
                                   chunks=[chunk.get(n, 1) for n in letters],
                                   **({"shards": [shard.get(n, 1) for n in letters]} if shards else {}), **options)
            a[...] = (np.moveaxis(planes, 0, -1) if letters.endswith("c") else planes).reshape(a.shape)
            got = a[...]
            got = got if letters.endswith("c") else np.moveaxis(got.reshape(channels, high, wide), 0, -1)
            sums.append(hashed(np.repeat(got, 3, -1) if channels == 1 else got))
            datasets.append({"path": f"level{i}"})
            if version >= "0.4":
                datasets[i]["coordinateTransformations"] = [
                    {"type": "scale", "scale": [scale * 2**i if n in "yx" else 1 for n in letters]}]
        about = {"multiscales": [{"version": version, "datasets": datasets}], **(more or {})}
        if version >= "0.3":
            about["multiscales"][0]["axes"] = axes(letters, unit) if version >= "0.4" else list(letters)
        if omero:
            about["omero"] = omero
        group.attrs.update({"ome": {"version": version, **about}} if version == "0.5" else about)
        if read:
            pixels[name] = sums

    zipped(name, write, inside, packing)


def by_ome_zarr(folder):
    group = zarr.create_group(folder, zarr_format=3)
    stacks = [np.moveaxis(p, -1, 0).copy() for p in levels]
    write_multiscale(stacks, group, axes=axes("cyx"), storage_options={"chunks": (3, 32, 32)}, coordinate_transformations=[
        [{"type": "scale", "scale": [1, .25 * 2**i, .25 * 2**i]}] for i in range(3)])
    pixels["ome_zarr"] = [hashed(p) for p in levels]


zipped("ome_zarr", by_ome_zarr)
blosc = numcodecs.Blosc("lz4", 5, 1)
picture("v4_blosc", "tczyx", "0.4", compressors=blosc, chunk_key_encoding={"name": "v2", "separator": "/"})
picture("v4_zlib", "cyx", "0.4", "nanometer", 500, compressors=numcodecs.Zlib(), together=True, inside="slide.zarr/",
        packing=zipfile.ZIP_DEFLATED)
picture("v4_fortran", "cyx", "0.4", "millimeter", .0005, compressors=None, order="F", together=True)
picture("v4_fill", "cyx", "0.4", compressors=numcodecs.Zstd(), fill_value=240)
picture("v4_last", "yxc", "0.4", compressors=None, together=True, unit="")
picture("v4_grey", "yx", "0.4", compressors=None)
picture("v3_old", "cyx", "0.3", compressors=None)
picture("v1_old", "tczyx", "0.1", compressors=None)
picture("v4_raw", "tczyx", "0.4", compressors=blosc, root="0")
picture("v5_zstd", "czyx", "0.5", compressors=[ZstdCodec(), Crc32cCodec()])
picture("v5_shards", "cyx", "0.5", compressors=BloscCodec(cname="zstd"), shards=True, fill_value=240)
picture("v5_shards_deflated", "cyx", "0.5", compressors=ZstdCodec(), shards=True, packing=zipfile.ZIP_DEFLATED)
picture("v4_named", "cyx", "0.4", compressors=None, omero={"channels": [
    {"label": n, "color": c} for n, c in (("DAPI", "0000FF"), ("FITC", "00FF00"), ("TRITC", "FF0000"))]})
small = dict(pictures=levels[2:], compressors=None, read=False)
picture("refused_16_bits", "cyx", "0.4", dtype="u2", **small)
picture("refused_channels", "tczyx", "0.4", **{**small, "pictures": [np.concatenate([levels[2], levels[2]], 2)]})
picture("refused_plate", "cyx", "0.4", more={"plate": {"wells": []}}, **small)
picture("refused_codec", "cyx", "0.4", **{**small, "compressors": numcodecs.LZMA()})


def planes(folder):
    group = zarr.create_group(folder, zarr_format=2)
    group.create_array("0", shape=(5, 20, 30), chunks=(5, 20, 30), dtype="u1")[...] = 7
    group.attrs.update({"multiscales": [{"version": "0.4", "axes": axes("zyx"), "datasets": [{"path": "0"}]}]})


zipped("refused_planes", planes)
(out / "pixels.json").write_text(json.dumps(pixels, indent=1) + "\n")
