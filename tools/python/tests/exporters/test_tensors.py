"""Bags of PyTorch's tensors."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from conftest import TINY

import bagscope

VALUES = torch.randn(30, 6, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize(
    "tensor",
    [
        VALUES.clone().requires_grad_(),
        torch.nn.Parameter(VALUES),
        VALUES.repeat(1, 2)[:, :6],
        VALUES.bfloat16(),
        VALUES.half(),
        VALUES.double(),
    ],
    ids=["requires_grad", "parameter", "strided", "bfloat16", "half", "double"],
)
def test_values_are_those_of_the_tensor(tensor: torch.Tensor) -> None:
    want = tensor.detach().float().numpy()
    np.testing.assert_array_equal(bagscope.values(TINY, tensor), want)


@pytest.mark.parametrize(
    ("tensor", "says"),
    [
        (VALUES.to_sparse(), "to_dense"),
        (VALUES.to("meta"), "meta"),
        (VALUES.to(torch.float8_e4m3fn), "Float8"),
        (torch.complex(VALUES, VALUES), "complex64"),
    ],
    ids=["sparse", "meta", "float8", "complex"],
)
def test_other_tensors_are_errors(tensor: torch.Tensor, says: str) -> None:
    with pytest.raises(bagscope.FormatError, match=says):
        bagscope.values(TINY, tensor)
