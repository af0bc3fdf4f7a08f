"""The table of questions that every face answers alike."""

import json
import math
import re
from typing import Any

import pytest
from conftest import ROOT

import bagscope

CORPUS = ROOT / "testdata/corpus"
ANSWERS = json.loads((CORPUS / "answers.json").read_text())
DIGITS = ROOT / "examples/digits"


@pytest.fixture(scope="module")
def models() -> dict[bool, bagscope.Model]:
    """The models of the digits and of the patients, by whether it is that of the patients."""
    files = {False: DIGITS / "model.onnx", True: CORPUS / "patient.onnx"}
    return {patients: bagscope.open(file) for patients, file in files.items()}


def bag(index: int, patients: bool) -> bagscope.Bag:
    return bagscope.Bag(CORPUS / "patients.csv" if patients else DIGITS / "bags.npz", index=index)


def differs(got: Any, want: Any, at: str = "") -> str:
    """Name the first place where two values of JSON differ by more than rounding."""
    if isinstance(want, dict):
        if set(got) != set(want):
            return f"{at}: {sorted(got)}, want {sorted(want)}"
        return next(filter(None, (differs(got[k], want[k], f"{at}.{k}") for k in want)), "")
    if isinstance(want, list):
        if len(got) != len(want):
            return f"{at}: {got}, want {want}"
        pairs = enumerate(zip(got, want, strict=True))
        return next(filter(None, (differs(g, w, f"{at}[{i}]") for i, (g, w) in pairs)), "")
    if at.endswith(".sentence"):
        got, want = (re.sub(r"[\d.-]", "", s) for s in (got, want))
    if isinstance(want, float) and isinstance(got, (int, float)):
        return "" if math.isclose(got, want, rel_tol=1e-3, abs_tol=1e-3) else f"{at}: {got}, {want}"
    return "" if got == want else f"{at}: {got}, want {want}"


@pytest.mark.parametrize(
    "row", json.loads((CORPUS / "questions.json").read_text()), ids=lambda row: row["name"]
)
def test_question(models: dict[bool, bagscope.Model], row: dict[str, Any]) -> None:
    patients = row.get("patients", False)
    names = {"class": "class_", "methods": "method", "trust": "reliability"}
    options = {names.get(key, key): value for key, value in row["options"].items()}
    subject = [models[patients], bag(options.pop("index", 0), patients)]
    if "donor_index" in options:
        subject.append(bag(options.pop("donor_index"), patients))
    ask = getattr(bagscope, row["question"])
    if kind := row.get("error"):
        with pytest.raises(bagscope.BagscopeError, match=re.escape(row["says"])) as caught:
            ask(*subject, **options)
        assert caught.value.kind == kind
        return
    answer = ask(*subject, **options).to_dict()
    del answer["model"]["name"]
    assert differs(answer, ANSWERS[row["name"]]) == ""
