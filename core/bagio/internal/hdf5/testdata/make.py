"""Writes files.zip with h5py: HDF5 files with every structure that the reader supports or refuses, and
in expected.json what NumPy reads from them.

Run in this folder: pip install -r requirements.txt && python make.py

Entry i (row-major) of an array is formula(dtype, i); other contents are beside their dataset. expected.json has,
for each dataset, its shape, its type and the first 16 hexadecimal digits of SHA-256 of astype("<f8"), of
astype("<f4") and of astype("<i8"); and the values of all attributes.
"""
import ctypes
import hashlib
import io
import json
import os
import pathlib
import tempfile
import zipfile
import zlib

import h5py
import numpy as np

LIBVER = ["earliest", "v108", "v110", "v112", "v114", "v200"]
FILES, EXPECTED = {}, {}


def formula(dtype, n):
    i = np.arange(n)
    kind = np.dtype(dtype).kind
    if kind == "f":
        return ((i * 37 % 1009 - 500) / 8).astype(dtype)
    return (i * 7919).astype(np.uint64).astype(dtype)


def values(dtype, *shape):
    return formula(dtype, int(np.prod(shape))).reshape(shape)


def digest(a, dtype):
    with np.errstate(all="ignore"):
        a = a.astype(dtype)
    return hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()[:16]


def plain(value):
    """An attribute as JSON: a flat list of its entries."""
    if isinstance(value, h5py.Empty):
        return None
    entries = np.asarray(value).ravel().tolist()
    return [e.decode() if isinstance(e, bytes) else e for e in entries]


def record(name, data):
    FILES[name] = data
    facts = {"attributes": {}, "datasets": {}}

    def attributes(path, item):
        for key in item.attrs:
            try:
                facts["attributes"][path + "@" + key] = plain(item.attrs[key])
            except (TypeError, OSError):
                pass

    def visit(path, item):
        path = "/" + path
        attributes(path, item)
        if name == "chunks_damaged.h5" or not isinstance(item, h5py.Dataset):
            return
        if item.is_virtual or item.external:
            return
        if item.shape is None or item.dtype.kind not in "fiu" and item.dtype != bool:
            return
        try:
            a = item[()]
        except OSError:
            return
        facts["datasets"][path] = [
            list(item.shape), item.dtype.str, digest(a, "<f8"), digest(a, "<f4"), digest(a, "<i8")]

    with h5py.File(io.BytesIO(data), "r") as f:
        attributes("/", f)
        f.visititems(visit)
    EXPECTED[name] = facts


def made(name, libver="earliest", fcpl=None, userblock=None):
    """A decorator: runs a function on a new file and records it."""

    def run(fill):
        path = os.path.join(tempfile.gettempdir(), "bagscope_make.h5")
        bounds = (libver, "v200" if libver == "earliest" else libver)
        if fcpl is None:
            f = h5py.File(path, "w", libver=bounds, userblock_size=userblock)
        else:
            fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
            f = h5py.File(h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, fcpl, fapl))
        with f:
            fill(f)
        with open(path, "rb") as file:
            record(name, file.read())

    return run


def early(group, name, a, chunks, **options):
    """A chunked dataset whose storage is allocated at once, which HDF5 indexes implicitly."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(chunks)
    plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    space = h5py.h5s.create_simple(a.shape)
    h5py.h5d.create(group.id, name.encode(), h5py.h5t.py_create(a.dtype), space, plist)
    group[name][...] = a


def library():
    """The HDF5 library of h5py, for settings that h5py does not have."""
    folder = pathlib.Path(h5py.__file__).parent.parent / "h5py.libs"
    lib = ctypes.CDLL(str(next(folder.glob("libhdf5-*"))))
    for name in "H5Pset_istore_k H5Pset_chunk_opts H5Pset_shared_mesg_nindexes".split():
        getattr(lib, name).argtypes = (ctypes.c_int64, ctypes.c_uint)
    lib.H5Pset_shared_mesg_index.argtypes = (ctypes.c_int64,) + (ctypes.c_uint,) * 3
    return lib


FILTERS = {
    "plain": {},
    "gzip": {"compression": "gzip"},
    "shuffled": {"compression": "gzip", "shuffle": True},
    "lzf": {"compression": "lzf"},
    "summed": {"fletcher32": True},
    "all": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "lzf_all": {"compression": "lzf", "shuffle": True, "fletcher32": True},
}


def kinds(f):
    types = f.create_group("types")
    for kind in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split():
        for order, sign in (("le", "<"), ("be", ">")):
            types[f"{kind}_{order}"] = values(sign + kind, 3, 4)
    types["bool"] = np.array([True, False, True])
    types["scalar"] = np.float32(2.5)

    layout = f.create_group("layout")
    a = values("<f4", 10, 7)
    layout["contiguous"] = a
    layout.create_dataset("unallocated", (3, 2), "<f4", fillvalue=1.5)
    layout.create_dataset("empty", (0, 5), "<f4")
    layout.create_dataset("no_chunks", (3, 2), "<i4", fillvalue=-7, chunks=(2, 2), maxshape=(None, 2))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((10, 7))
    h5py.h5d.create(layout.id, b"compact", h5py.h5t.IEEE_F32LE, space, plist)
    layout["compact"][...] = a

    index = f.create_group("index")
    for name, options in FILTERS.items():
        g = index.create_group(name)
        g.create_dataset("single", data=a, chunks=a.shape, **options)
        g.create_dataset("fixed", data=a, chunks=(3, 2), **options)
        g.create_dataset("bounded", data=a, chunks=(3, 2), maxshape=(13, 9), **options)
        g.create_dataset("extensible", data=a, chunks=(3, 2), maxshape=(None, 7), **options)
        g.create_dataset("wide", data=a, chunks=(3, 2), maxshape=(10, None), **options)
        g.create_dataset("unlimited", data=a, chunks=(3, 2), maxshape=(None, None), **options)
        g.create_dataset("oversized", data=a, chunks=(16, 16), maxshape=(None, None), **options)
        g.create_dataset("wide_type", data=values(">f8", 10, 7), chunks=(4, 7), **options)
    early(index, "implicit", a, (3, 2))

    holes = f.create_group("holes")
    for name, most in (("fixed", (30, 7)), ("extensible", (None, 7)), ("unlimited", (None, None))):
        d = holes.create_dataset(name, (30, 7), "<i2", fillvalue=-3, chunks=(2, 2), maxshape=most)
        d[5:7, 1:3] = 9
        d[29, 6] = 4

    holes.create_dataset("large", (300, 100), "f4", chunks=(100, 100))

    f.create_group("a/b/c").create_dataset("nested", data=a)
    for i in range(3):
        f["a"].attrs[f"number{i}"] = i


for version in LIBVER:
    made(f"kinds_{version}.h5", version)(kinds)


def attributes(f):
    for name, count in (("few", 3), ("many", 40)):
        d = f.create_dataset(name, data=values("<f4", 2, 3))
        d.attrs["patch_size"] = 256
        d.attrs["mpp"] = 0.25
        d.attrs["name"] = "slide \u00e9"
        for i in range(count):
            d.attrs[f"filler{i:03}"] = np.arange(i, dtype="<i4") if i else 0
    g = f.create_group("kinds")
    g.attrs["bytes"] = np.bytes_("fixed")
    g.attrs["padded"] = np.array([b"a", b"bcd", b""], "S5")
    g.attrs["words"] = np.array(["x", "", "long \u00e4"], dtype=h5py.string_dtype())
    g.attrs["utf8"] = np.array("\u00fc".encode(), dtype=h5py.string_dtype("utf-8", 4))
    g.attrs["flag"] = True
    g.attrs["floats"] = np.array([[1.5, -2], [3, 1e300]], ">f8")
    g.attrs["half"] = np.float16(0.1)
    g.attrs["unsigned"] = np.array([2**64 - 1], "u8")
    g.attrs["signed"] = np.array([-(2**63), 5], ">i8")
    g.attrs["empty"] = h5py.Empty("f4")
    g.attrs["nothing"] = np.zeros(0, "f4")
    g.attrs["compound"] = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")])
    f.attrs["level0_width"] = 100000


for version in ("earliest", "v108", "v200"):
    made(f"attributes_{version}.h5", version)(attributes)


@made("attributes_huge.h5", "v114")
def _(f):
    for i in range(12):
        f.attrs[f"a{i}"] = i
    f.attrs["larger_than_a_heap_block"] = np.arange(3000, dtype="<i4")
    f.attrs["larger_than_a_message"] = np.arange(30000, dtype="<i4")


@made("creation_order.h5", "v114")
def _(f):
    g = f.create_group("g", track_order=True)
    for i in range(20):
        g.attrs[f"a{20 - i}"] = i
        g[f"d{20 - i}"] = np.float32(i)


@made("links_earliest.h5")
def _(f):
    f["d"] = values("<f4", 3, 2)
    for i in range(600):
        f[f"link{i:03}"] = f["d"]


@made("links_latest.h5", "v114")
def _(f):
    f["d"] = values("<f4", 3, 2)
    g = f.create_group("g")
    for i in range(1500):
        g[f"link{i:04}"] = f["d"]
    long = f.create_group("long")
    for i in range(700):
        long["x" * 1000 + str(i)] = f["d"]
    few = f.create_group("few")
    few["\u00e9"] = f["d"]


def links(f):
    f["data/features"] = values("<f4", 4, 3)
    f["features"] = h5py.SoftLink("/data/features")
    f["chain"] = h5py.SoftLink("data/relative")
    f["data/relative"] = h5py.SoftLink("features")
    f["dangling"] = h5py.SoftLink("/data/missing")
    f["round"] = h5py.SoftLink("/round")
    f["elsewhere"] = h5py.ExternalLink("other.h5", "/features")
    f["data/loop"] = f["/"]  # a cycle of groups
    f["again"] = f["data"]
    f["hard"] = f["data/features"]


made("links.h5")(links)
made("links_v114.h5", "v114")(links)


def refused(f):
    a = values("<f4", 6, 4)
    f["good"] = a
    f.create_dataset("scaleoffset", data=a.astype("i4"), scaleoffset=True, chunks=(3, 4))
    f.create_dataset("text", data=["a", "b"])
    f.create_dataset("compound", data=np.zeros(2, [("a", "i4"), ("b", "f4")]))
    f.create_dataset("ragged", (2,), h5py.vlen_dtype("f4"))
    f.create_dataset("opaque", data=np.zeros(2, "V3"))
    f.create_dataset("reference", (2,), h5py.ref_dtype)
    f.create_dataset("array", (2,), np.dtype(("f4", (3,))))
    f.create_dataset("null", data=h5py.Empty("f4"))
    f.create_dataset("elsewhere", (6, 4), "f4", external=[("other.bin", 0, 96)])
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((3, 4))
    plist.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL, ())
    h5py.h5d.create(f.id, b"nbit", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((6, 4)), plist)
    f["nbit"][...] = a
    f["types/committed"] = np.dtype("<f4")
    f.create_dataset("committed", data=a, dtype=f["types/committed"])
    bfloat = h5py.h5t.IEEE_F32LE.copy()
    bfloat.set_fields(15, 7, 8, 0, 7)
    bfloat.set_size(2)
    bfloat.set_ebias(127)
    h5py.h5d.create(f.id, b"bfloat16", bfloat, h5py.h5s.create_simple((6, 4)))
    f["bfloat16"][...] = a
    short = h5py.h5t.STD_I32LE.copy()
    short.set_precision(20)
    h5py.h5d.create(f.id, b"twenty_bits", short, h5py.h5s.create_simple((2,)))


made("refused_earliest.h5")(refused)
made("refused_v200.h5", "v200")(refused)


@made("virtual.h5", "v110")
def _(f):
    layout = h5py.VirtualLayout((4, 3), "f4")
    layout[:] = h5py.VirtualSource("other.h5", "features", shape=(4, 3))
    f.create_virtual_dataset("virtual", layout)
    f["features"] = values("<f4", 4, 3)


@made("deep_earliest.h5")
def _(f):
    f.create_dataset("level2", data=values("u1", 4300), chunks=(1,))
    f["features"] = values("<f4", 4, 3)


@made("deep_v114.h5", "v114")
def _(f):
    paged = f.create_dataset("fixed_paged", (5000,), "u1", chunks=(1,))
    paged[0:1500] = values("u1", 1500)
    paged[4999] = 5
    full = f.create_dataset("fixed_gzip", (1500,), "u1", chunks=(1,), compression="gzip")
    full[...] = values("u1", 1500)
    far = f.create_dataset("extensible_paged", (140000,), "u1", chunks=(1,), maxshape=(None,))
    for i in (0, 3, 4, 5, 100, 3000, 60000, 131067, 131068, 131069, 135000, 139999):
        far[i] = i % 251
    near = f.create_dataset("extensible", (3000,), "u1", chunks=(1,), maxshape=(None,))
    near[...] = values("u1", 3000)
    tree = f.create_dataset("tree", (80, 80), "u1", chunks=(1, 1), maxshape=(None, None))
    tree[...] = values("u1", 80, 80)
    flat = f.create_dataset("tree_gzip", (10, 10), "<i4", chunks=(1, 1), maxshape=(None, None),
                            compression="gzip")
    flat[...] = values("<i4", 10, 10)


@made("partial_chunks.h5", "v114")
def _(f):
    """Chunks at the edge are stored without filters."""
    a = values("<f4", 10, 7)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((4, 3))
    plist.set_deflate(6)
    library().H5Pset_chunk_opts(plist.id, 2)
    h5py.h5d.create(f.id, b"d", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((10, 7)), plist)
    f["d"][...] = a


@made("random.h5")
def _(f):
    """LZF and gzip over bytes that do not compress: filters that were skipped, and long literals."""
    a = np.random.default_rng(1).integers(0, 256, (64, 64), dtype="u1")
    f.create_dataset("lzf", data=a, chunks=(16, 64), compression="lzf")
    f.create_dataset("gzip", data=a, chunks=(16, 64), compression="gzip")
    repeated = np.tile(a[:2], (32, 1))
    f.create_dataset("lzf_repeated", data=repeated, chunks=(32, 64), compression="lzf")


@made("special.h5")
def _(f):
    inf = np.inf
    f["f8"] = np.array([0.1, -0.0, 1e300, 1e-310, 16777217, 1 + 2**-24, inf, -inf], "<f8")
    f["f2"] = np.frombuffer(np.arange(65536, dtype="<u2").tobytes(), "<f2")[:31744]
    f["u8"] = np.array([2**64 - 1, 2**63, 2**63 + 1025, 2**53 + 1, 16777217], "<u8")
    f["i8"] = np.array([-(2**63), 2**63 - 1, 2**53 + 1, -(2**24) - 1, 2**62 + 2**38 + 1], "<i8")


def property_list(offsets, lengths, **options):
    fcpl = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    fcpl.set_sizes(offsets, lengths)
    if "istore_k" in options:
        library().H5Pset_istore_k(fcpl.id, options["istore_k"])
    if "shared" in options:  # attributes and datatypes in a heap of the file
        library().H5Pset_shared_mesg_nindexes(fcpl.id, 1)
        library().H5Pset_shared_mesg_index(fcpl.id, 0, 0x1F, 1)
    return fcpl


def small(f):
    f.create_dataset("chunked", data=values("<f4", 20, 3), chunks=(2, 3), compression="gzip")
    f["contiguous"] = values("<i2", 4, 3)
    f["contiguous"].attrs["word"] = "text"


made("sizes_4_4.h5", fcpl=property_list(4, 4))(small)
made("sizes_2_8.h5", fcpl=property_list(2, 8))(small)
made("shared_messages.h5", fcpl=property_list(8, 8, shared=True))(small)
made("superblock_1.h5", fcpl=property_list(8, 8, istore_k=3))(small)
made("user_block.h5", userblock=1024)(small)
made("user_block_v114.h5", "v114", userblock=512)(small)


@made("chunks_damaged.h5")
def _(f):
    """Chunks that unpack to the wrong number of bytes, and one with a wrong checksum."""
    for name, data in (
        ("bomb", zlib.compress(bytes(800_000), 9)),
        ("long", zlib.compress(bytes(65))),
        ("short", zlib.compress(bytes(63))),
        ("cut", zlib.compress(bytes(64))[:-4]),
        ("no_zlib", b"not compressed at all"),
    ):
        d = f.create_dataset(name, (4, 4), "<f4", chunks=(4, 4), compression="gzip")
        d.id.write_direct_chunk((0, 0), data)
    d = f.create_dataset("sum", (4, 4), "<f4", chunks=(4, 4), fletcher32=True)
    d.id.write_direct_chunk((0, 0), bytes(range(64)) + b"sum!")
    for name, data in (
        ("lzf_bomb", b"\x00\x00" + b"\xe0\xff\x00" * 300),
        ("lzf_before", b"\x00\x00\x20\x09"),
        ("lzf_cut", b"\x1f\x00"),
    ):
        d = f.create_dataset(name, (4, 4), "<f4", chunks=(4, 4), compression="lzf")
        d.id.write_direct_chunk((0, 0), data)


@made("padded.h5")
def _(f):
    """Chunks of 512 KiB that hold one value each."""
    f.create_dataset("padded", (4096, 1), "<f4", chunks=(1, 1 << 17), maxshape=(None, None))


@made("packed_twice.h5")
def _(f):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((4, 4))
    for _ in range(2):
        plist.set_filter(h5py.h5z.FILTER_DEFLATE, 0, (1,))
    space = h5py.h5s.create_simple((4, 4))
    h5py.h5d.create(f.id, b"packed_twice", h5py.h5t.IEEE_F32LE, space, plist)


@made("batch_first.h5", "v110")
def _(f):
    a = values("<f4", 1, 12, 8)
    f["contiguous"] = a
    f.create_dataset("packed", data=a, chunks=(1, 5, 3), compression="gzip")
    f.create_dataset("longer_chunks", data=a, chunks=(2, 5, 8), maxshape=(None, 12, 8))
    f.create_dataset("twice", data=a.reshape(1, 1, 12, 8), chunks=(1, 1, 7, 8))


@made("clam.h5")
def _(f):
    f.create_dataset("features", data=values("<f4", 12, 8), chunks=(1, 8), maxshape=(None, 8))
    coords = f.create_dataset("coords", data=values("<i8", 12, 2), chunks=(1, 2), maxshape=(None, 2))
    coords.attrs["patch_size"] = 256
    coords.attrs["patch_level"] = 0
    coords.attrs["downsample"] = np.array([1.0, 1.0])
    coords.attrs["downsampled_level_dim"] = np.array([46000, 32914])
    coords.attrs["level_dim"] = np.array([46000, 32914])
    coords.attrs["name"] = "slide_1"
    coords.attrs["save_path"] = "patches"


def positions(rows, **attributes):
    """Features beside the coordinates of a grid with steps of 100."""

    def fill(f):
        f["features"] = values("<f4", 6, 4)
        i = np.arange(rows)
        f["coords"] = np.stack([i % 3 * 100, i // 3 * 100], 1)
        for key, value in attributes.items():
            f["coords"].attrs[key] = value

    return fill


made("coords_plain.h5")(positions(6))
made("coords_level1.h5")(positions(6, patch_size=256, patch_level=1, downsample=[4.0, 4.0]))
made("coords_no_downsample.h5")(positions(6, patch_size=256, patch_level=1))
made("coords_five.h5")(positions(5))


@made("names.h5")
def _(f):
    f["slide/embeddings"] = values("<f4", 3, 4)
    f["slide/logits"] = values("<f4", 3, 2)
    f["slide/positions"] = np.array([[0, 0], [10, 10], [20, 20]])
    f["slide/instance_labels"] = np.array([1, 0, -1])


@made("trident.h5")
def _(f):
    f.create_dataset("features", data=values("<f4", 1, 12, 8), compression="gzip")
    f["features"].attrs["name"] = "slide_2"
    coords = f.create_dataset("coords", data=values("<i8", 12, 2), compression="gzip")
    for key, value in {
        "patch_size": 512, "patch_size_level0": 1024, "level0_magnification": 40,
        "target_magnification": 20, "overlap": 0, "name": "slide_2", "savetodir": "out",
        "level0_width": 46000, "level0_height": 32914,
    }.items():
        coords.attrs[key] = value


FILES["expected.json"] = json.dumps(EXPECTED, separators=(",", ":"), sort_keys=True).encode()
with zipfile.ZipFile("files.zip", "w") as z:
    for name in sorted(FILES):
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED
        z.writestr(info, FILES[name], compresslevel=9)
