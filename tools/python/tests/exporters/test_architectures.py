"""The table of architectures, compared with what becomes of torchmil's now."""

from __future__ import annotations

from pathlib import Path

import pytest
import table
from architectures import Architecture, torchmil_models

from bagscope._export._exporters import exporters
from bagscope._export._proof import TOLERANCE


@pytest.mark.parametrize("exporter", list(exporters()))
@pytest.mark.parametrize("architecture", torchmil_models(), ids=lambda a: a.name)
def test_row(architecture: Architecture, exporter: str, tmp_path: Path) -> None:
    found = table.examine("torchmil", architecture, exporter, tmp_path)
    cells = found.cells()
    want = table.committed()[cells[0], cells[1]]
    # Differences are those of rounding, which machines do not share.
    assert cells[:4] == want[:4]
    assert max(found.torch, found.runtime, found.coalitions) < TOLERANCE


def test_summary_counts_the_rows() -> None:
    rows = list(table.committed().values())
    assert table.summary(rows) in table.TABLE.read_text()
    assert "missing" not in {row[2] for row in rows}
    assert len({row[0].partition(",")[0] for row in rows}) == 26
