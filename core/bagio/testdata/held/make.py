"""Writes held.zip: a set of bags in the files that people hold, by the tools that write these.

Run in this folder: python make.py, with anndata, h5py, ml_dtypes and zarr. Twelve instances of four features
are three bags, a, b and c, of three, five and four; held_test.go reads them.
"""

import io
import pathlib
import tempfile
import zipfile

import anndata
import h5py
import ml_dtypes
import numpy as np
import pandas as pd
import scipy.sparse
import zarr

FEATURES = (np.arange(48, dtype="f4") / 8 - 2).reshape(12, 4)
PARTS = [(0, 3), (3, 8), (8, 12)]
BAGS = [FEATURES[a:b] for a, b in PARTS]
LABELS = [1, 0, 1]
FILES = {}


def matlab73(name, fill):
    """A file of MATLAB 7.3: HDF5 behind a user block of 512 bytes that begins with a text."""
    memory = io.BytesIO()
    with h5py.File(memory, "w", userblock_size=512) as f:
        fill(f)
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
    FILES[name] = head + memory.getvalue()[len(head) :]


def put(group, name, values, kind="double"):
    """A dataset with its axes in reverse, as MATLAB writes it."""
    d = group.create_dataset(name, data=np.asarray(values).T)
    d.attrs["MATLAB_class"] = np.bytes_(kind)
    return d


def words(group, name, text):
    d = put(group, name, np.array([[ord(c) for c in text]], "u2"), "char")
    d.attrs["MATLAB_int_decode"] = np.int32(2)
    return d


def references(f, name, rows, kind):
    """Cells, or a field of structs, whose values are datasets of the group #refs#."""
    d = f.create_dataset(name, data=np.array(rows, dtype=object).T, dtype=h5py.ref_dtype)
    if kind:
        d.attrs["MATLAB_class"] = np.bytes_(kind)


def cells(f):
    refs = f.create_group("#refs#")
    rows = [[words(refs, f"n{n}", n).ref, put(refs, f"x{n}", x.astype("f8")).ref] for n, x in zip("abc", BAGS)]
    references(f, "data", rows, "cell")
    put(f, "labels", [[1.0, -1.0, 1.0]])


def structs(f):
    refs = f.create_group("#refs#")
    bags = f.create_group("bags")
    bags.attrs["MATLAB_class"] = np.bytes_("struct")
    references(bags, "instances", [[put(refs, f"x{n}", x).ref for n, x in zip("abc", BAGS)]], None)
    references(bags, "label", [[put(refs, f"y{n}", [[float(y)]]).ref for n, y in zip("abc", LABELS)]], None)
    references(bags, "name", [[words(refs, f"n{n}", n).ref for n in "abc"]], None)


def sparse(f):
    g = f.create_group("features")
    g.attrs["MATLAB_class"] = np.bytes_("double")
    g.attrs["MATLAB_sparse"] = np.uint64(12)
    at = np.nonzero(FEATURES.T)
    g["data"] = FEATURES.T[at].astype("f8")
    g["ir"] = at[1].astype("u8")
    g["jc"] = np.concatenate([[0], np.cumsum(np.count_nonzero(FEATURES, axis=0))]).astype("u8")
    put(f, "bag_ids", [[1.0] * 3 + [2.0] * 5 + [3.0] * 4])


matlab73("cells73.mat", cells)
matlab73("structs73.mat", structs)
matlab73("sparse73.mat", sparse)



def npz(name, **arrays):
    memory = io.BytesIO()
    np.savez(memory, **arrays)
    FILES[name] = memory.getvalue()


for kind in ("csr", "csc", "coo", "bsr"):
    memory = io.BytesIO()
    scipy.sparse.save_npz(memory, scipy.sparse.coo_matrix(FEATURES).asformat(kind))
    FILES[f"{kind}.npz"] = memory.getvalue()

SLIDES = ["b"] * 3 + ["a"] * 5 + ["c"] * 4
npz("slides.npz", **dict(zip("abc", BAGS)))
npz("ids.npz", X=FEATURES, y=np.array(LABELS), bag_ids=np.repeat([1, 2, 3], [3, 5, 4]))


def hdf5(name, fill):
    memory = io.BytesIO()
    with h5py.File(memory, "w") as f:
        fill(f)
    FILES[name] = memory.getvalue()


def groups(f):
    for name, x in zip("abc", BAGS):
        f[f"{name}/features"] = x
        f[f"{name}/coords"] = 256 * np.stack([np.arange(len(x)), np.zeros(len(x), int)], 1)
        f[f"{name}/coords"].attrs.update({"patch_size_level0": 256, "level0_width": 2048 * len(x), "level0_height": 256})


def listed(f):
    f["X"], f["y"], f["slide_id"] = FEATURES, np.repeat(LABELS, [3, 5, 4]), SLIDES


objects = np.empty(3, object)
objects[:] = BAGS
npz("objects.npz", bags=objects)

hdf5("groups.h5", groups)
hdf5("listed.h5", listed)

obs = pd.DataFrame({"patient": pd.Categorical(SLIDES), "response": pd.Categorical(np.repeat(["yes", "no", "yes"], [3, 5, 4]))})
obs.index = [f"cell {i}" for i in range(12)]
cells = anndata.AnnData(scipy.sparse.csr_matrix(FEATURES), obs=obs)
cells.raw = anndata.AnnData(-FEATURES, obs=obs)
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "raw.h5ad")
    cells.write_h5ad(path)
    FILES["raw.h5ad"] = path.read_bytes()
    path = pathlib.Path(folder, "table.h5")
    table = pd.DataFrame(FEATURES, columns=["w", "x1", "y1", "z"])
    table.insert(0, "slide", SLIDES)
    table.to_hdf(path, key="bags")
    FILES["table.h5"] = path.read_bytes()
    # A store of SpatialData has its table below tables.
    store = pathlib.Path(folder, "spatial.zarr")
    zarr.open_group(store, mode="w", zarr_format=2).create_group("tables")
    cells.write_zarr(store / "tables" / "table")
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as z:
        for path in sorted(p for p in store.rglob("*") if p.is_file()):
            z.writestr(zipfile.ZipInfo(path.relative_to(store).as_posix()), path.read_bytes())
    FILES["spatial.zarr.zip"] = memory.getvalue()

# JAX, and PyTorch by way of ml_dtypes, have bfloat16 in NumPy.
memory = io.BytesIO()
np.save(memory, np.asfortranarray(FEATURES.astype(ml_dtypes.bfloat16)))
FILES["bfloat16.npy"] = memory.getvalue()
npz("bfloat16.npz", features=FEATURES.astype(ml_dtypes.bfloat16))
memory = io.BytesIO()
with h5py.File(memory, "w") as f:
    f["features"] = FEATURES.astype(ml_dtypes.bfloat16)
FILES["bfloat16.h5"] = memory.getvalue()

with zipfile.ZipFile("held.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for name, data in FILES.items():
        z.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
