"""Writes registry.h5.gz with h5py and hdf5plugin: one array, packed by the filters of HDF5's registry.

Run in this folder: pip install h5py hdf5plugin && python registry.py && gzip -9n registry.h5

Entry i (row-major) is i * 37 % 251 in the type that a name ends with."""

import h5py
import hdf5plugin as p
import numpy as np

filters = {"zstd": p.Zstd(), "lz4": p.LZ4(), "lz4_small": p.LZ4(nbytes=64)}
for name in ["none", "lz4", "zstd"]:
    filters["bits_" + name] = p.Bitshuffle(cname=name)
filters["bits_small"] = p.Bitshuffle(nelems=16, cname="lz4")
for name in ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]:
    for shuffle in range(3):
        filters[f"blosc_{name}_{shuffle}"] = p.Blosc(cname=name, clevel=9, shuffle=shuffle)

with h5py.File("registry.h5", "w", libver="latest") as file:
    for name, options in filters.items():
        for dtype in ["u1", "f4", "f8"]:
            values = (np.arange(61 * 11) * 37 % 251).reshape(61, 11).astype(dtype)
            file.create_dataset(f"{name}_{dtype}", data=values, chunks=(43, 11), **options)
    file.create_dataset("blosc2", data=values, **p.Blosc2())
    far = np.random.default_rng(1).integers(0, 256, 20000).astype("u1")
    values = np.concatenate([far, far[:9000], far[3000:20000], np.zeros(5000, "u1")])
    file.create_dataset("far", data=values, chunks=values.shape,
                        **p.Blosc(cname="blosclz", clevel=9, shuffle=0))
    file.create_dataset("far_plain", data=values)

# The library's own filter, in a file of its own: gzip -9n scaleoffset.h5
with h5py.File("scaleoffset.h5", "w") as file:
    far = np.array([0, 2**62, -(2**62), 5] * 8).reshape(8, 4)
    odd = np.arange(61 * 11).reshape(61, 11) * 37 % 251
    arrays = {f"{kind}{order}": odd.astype(order + kind) for kind in ["u1", "i2", "u4", "i8"] for order in "<>"}
    arrays |= {"far": far, "negative": -odd.astype("i4"), "equal": odd * 0 + 7, "zero": odd * 0}
    for name, values in arrays.items():
        file.create_dataset(name, data=values, chunks=(values.shape[0] // 2 + 1, values.shape[1]), scaleoffset=0)
    for order in "<>":
        for kind in ["f4", "f8"]:
            for digits in [3, 1]:
                values = (np.sin(odd) * 100).astype(order + kind)
                file.create_dataset(f"{kind}{order}{digits}", data=values, chunks=(43, 11), scaleoffset=digits)
    file.create_dataset("gzip", data=odd, chunks=(43, 11), scaleoffset=0, compression="gzip", shuffle=True)
    file.create_dataset("unwritten", shape=(8, 4), dtype="i4", chunks=(3, 4), scaleoffset=0, fillvalue=9)[2] = -3
    for name, dataset in list(file.items()):
        file.create_dataset("plain_" + name, data=dataset[()])
