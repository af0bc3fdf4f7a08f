"""Bags of real objects of pandas and AnnData, and arrays in unusual memory."""

from __future__ import annotations

from typing import Any

import anndata
import numpy as np
import pandas
import pytest
import scipy.sparse
from conftest import TINY

import bagscope

VALUES = np.random.default_rng(5).normal(size=(30, 6)).astype(np.float32)
PLACES = np.arange(60).reshape(30, 2) * 10
WANT = bagscope.explain(TINY, VALUES, method="single").scores


def frozen() -> Any:
    array = VALUES.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "data",
    [
        frozen(),
        np.ascontiguousarray(VALUES[::-1])[::-1],
        np.concatenate([VALUES, VALUES], axis=1)[:, :6],
        np.broadcast_to(VALUES, (1, 30, 6)),
        VALUES.astype(">f8"),
        np.ma.masked_array(VALUES, mask=False),
        pandas.DataFrame(VALUES),
        anndata.AnnData(X=VALUES),
        anndata.AnnData(X=scipy.sparse.csr_matrix(VALUES)),
        anndata.AnnData(X=np.concatenate([VALUES, VALUES]))[:30],
        scipy.sparse.csr_matrix(VALUES),
        scipy.sparse.coo_array(VALUES),
    ],
    ids=[
        *("read-only", "negative stride", "wide rows", "broadcast", "big-endian float64"),
        *("masked array", "data frame", "AnnData", "sparse AnnData", "view of AnnData"),
        *("sparse matrix", "sparse array"),
    ],
)
def test_values_are_equal(data: Any) -> None:
    assert (bagscope.explain(TINY, data, method="single").scores == WANT).all()


def test_sparse_matrices_and_bfloat16_say_what_they_were_taken_for() -> None:
    e = bagscope.explain(TINY, scipy.sparse.csc_matrix(VALUES), method="single")
    assert e.notes[0].startswith("The sparse matrix of 30 x 6 is read as one bag")
    # bfloat16 is the upper half of float32.
    halves = (VALUES.view("<u4") >> 16).astype("<u2").view("V2")
    want = (VALUES.view("<u4") & 0xFFFF0000).view("<f4")
    e = bagscope.explain(TINY, halves, method="single")
    assert e.notes[0].endswith("are read as bfloat16.")
    assert (e.scores == bagscope.explain(TINY, want, method="single").scores).all()
    turned = bagscope.explain(TINY, np.asfortranarray(halves), method="single")
    assert (turned.scores == e.scores).all()


def test_anndata_has_places_and_arrays() -> None:
    data = anndata.AnnData(X=VALUES[:, :2], obsm={"spatial": PLACES, "features": VALUES})
    e = bagscope.explain(TINY, bagscope.Bag(data, array="features"), method="single")
    assert (e.scores == WANT).all()
    assert e.boxes is not None
    assert e.boxes[1].tolist() == [20, 30, 40, 50]


def test_bags_of_a_column_of_obs() -> None:
    ids = ["a", "b", None] * 20
    data = anndata.AnnData(X=np.repeat(VALUES, 2, axis=0), obs={"patient": pandas.Categorical(ids)})
    bag = bagscope.Bag(data, bag_by="patient", index=1)
    assert (bag.name, len(bag)) == ("b", 20)
    assert (bag.values == np.repeat(VALUES, 2, axis=0)[1::3]).all()


@pytest.mark.parametrize(
    ("data", "options", "error", "says"),
    [
        (VALUES, {"bag_by": "patient"}, bagscope.BagError, "bag_by belongs to files and AnnData"),
        (VALUES, {"columns": "a=bag"}, bagscope.BagError, "columns belong to files"),
        (
            anndata.AnnData(X=VALUES, obs={"patient": ["a"] * 30}),
            {"bag_by": "patient", "index": 1},
            bagscope.BagError,
            "no bag 1; the 1 values of patient",
        ),
        (anndata.AnnData(X=VALUES), {"bag_by": "x"}, bagscope.BagError, "obs has no column 'x'"),
        (np.ma.masked_array(VALUES, VALUES > 2), {}, bagscope.FormatError, "masked"),
        (VALUES.astype(object), {}, bagscope.FormatError, "type object"),
        (VALUES.astype(float) * 1e300, {}, bagscope.FormatError, "too large"),
        (np.where(VALUES > 2, np.inf, VALUES), {}, bagscope.FormatError, r"\+Inf"),
        ([[1.0, 2.0], [3.0]], {}, bagscope.FormatError, "a list cannot become an array"),
        (pandas.DataFrame(VALUES).assign(name="x"), {}, bagscope.FormatError, "type object"),
        (pandas.DataFrame(VALUES[:0]), {}, bagscope.BagError, "no instances"),
        (
            anndata.AnnData(X=VALUES, obsm={"spatial": PLACES}),
            {"array": "features"},
            bagscope.FormatError,
            r"no obsm\['features'\].*\['spatial'\]",
        ),
        (anndata.AnnData(obsm={"features": VALUES}), {}, bagscope.FormatError, "has no X"),
    ],
    ids=[
        *("bag_by of an array", "columns of an array", "no such bag", "no such column"),
        *("masked", "objects", "float64", "infinity", "ragged", "text column", "no rows"),
        *("no such array", "no X"),
    ],
)
def test_errors(data: Any, options: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        bagscope.explain(TINY, bagscope.Bag(data, **options), method="single")


@pytest.mark.parametrize("data", [pandas.DataFrame(VALUES), anndata.AnnData(X=VALUES)])
def test_function_gets_parts_in_the_type_of_the_data(data: Any) -> None:
    def model(bag: Any) -> Any:
        assert type(bag) is type(data)
        return np.asarray(getattr(bag, "X", bag)).sum(axis=0)

    want = bagscope.explain(lambda bag: bag.sum(axis=0), VALUES, method="one_removed").scores
    got = bagscope.explain(model, data, method="one_removed").scores
    np.testing.assert_allclose(got, want, atol=1e-5)
