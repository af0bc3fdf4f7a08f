"""Writes the files of this folder with pyarrow, and bags.csv, which holds the same as all of them.

python3 make.py [FOLDER]"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
n, width = 12, 3
features = ((np.arange(n * width) * 7 % 23).astype("f4").reshape(n, width) - 11) / 8
slides = [f"slide {i % 3}" for i in range(n)]
label = np.arange(n) % 3 % 2
x, y = np.arange(n) % 4 * 256, np.arange(n) // 4 * 256
other = {
    "stain": pa.array([None, "H"] * 6),
    "when": pa.array([0] * n, type=pa.timestamp("ms")),
    "price": pa.array([1] * n).cast(pa.decimal128(21, 2)),
}

with (out / "bags.csv").open("w") as file:
    file.write("slide_id,label,x,y,f0,f1,f2\n")
    for i in range(n):
        file.write(f"{slides[i]},{label[i]},{x[i]},{y[i]}," + ",".join(map(str, features[i])) + "\n")

head = {"slide_id": slides, "label": label, "x": x, "y": y}
apart = pa.table(head | {f"f{j}": features[:, j] for j in range(width)} | other)
types = {
    "list": pa.list_(pa.float32()),
    "wide": pa.list_(pa.float64()),
    "half": pa.list_(pa.float16()),
    "fixed": pa.list_(pa.float32(), width),
    "large": pa.large_list(pa.float32()),
}


def lists(name):
    column = pa.array(list(features.astype("f2") if name == "half" else features), types[name])
    return pa.table(head | {"features": column} | other)


def parquet(name, table, **options):
    pq.write_table(table, out / f"{name}.parquet", store_schema=False, **options)


parquet("columns", apart)
for name in types:
    parquet(name, lists(name))
for codec in ["none", "gzip", "zstd", "lz4"]:
    parquet(codec, apart, compression=codec)
parquet("brotli", apart, compression="brotli")
parquet("groups", lists("list"), row_group_size=5, data_page_size=1)
parquet("plain2", lists("list"), use_dictionary=False, data_page_version="2.0", data_page_size=1)
parquet("split", apart, use_dictionary=False, use_byte_stream_split=[f"f{j}" for j in range(3)])
parquet(
    "delta",
    apart,
    use_dictionary=False,
    column_encoding={"slide_id": "DELTA_BYTE_ARRAY", "stain": "DELTA_LENGTH_BYTE_ARRAY",
                     "label": "DELTA_BINARY_PACKED", "x": "DELTA_BINARY_PACKED"},
)
small = apart.set_column(3, "y", apart["y"].cast(pa.uint16())).set_column(
    1, "label", apart["label"].cast(pa.bool_()))
parquet("narrow", small)
coords = pa.array(list(np.stack([x, y], 1)), pa.list_(pa.int64()))
parquet("coords", lists("list").drop(["x", "y"]).append_column("coords", coords))


def arrow(name, table, **options):
    feather.write_feather(table, out / f"{name}.feather", **options)


def rounded(column):
    return column.dictionary_encode()


arrow("columns", apart, compression="uncompressed")
for name in types:
    arrow(name, lists(name), compression="uncompressed")
arrow("lz4", apart.set_column(0, "slide_id", rounded(apart["slide_id"])), compression="lz4")
arrow("zstd", apart, compression="zstd")
arrow("narrow", small, compression="uncompressed")
arrow("batches", lists("list"), chunksize=5, compression="uncompressed")
arrow("coords", lists("list").drop(["x", "y"]).append_column("coords", coords))
arrow("large_text", apart.set_column(0, "slide_id", apart["slide_id"].cast(pa.large_string())))
arrow("view", apart.set_column(0, "slide_id", apart["slide_id"].cast(pa.string_view())))
