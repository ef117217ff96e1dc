"""Each test works in a folder of its own, with the table and the jobs of the quickstart."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import dprelease

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(ROOT / "examples" / "quickstart" / "trips.parquet", tmp_path)
    shutil.copy(ROOT / "examples" / "quickstart" / "job.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def job() -> dict[str, Any]:
    """A job about a table in memory, with so little noise that rounded answers are exact."""
    return {
        "version": 1,
        "name": "mem",
        "privacy": {"epsilon": 200000, "delta": 1e-6, "unit": ["cab_id"], "per_unit": {"max_rows": 50}},
        "queries": [
            {"name": "hours", "histogram": {"by": [{"column": "hour", "from": 0, "to": 24, "width": 1}]}},
            {"name": "boroughs", "histogram": {"by": [{"column": "borough", "values": ["Manhattan", "Queens"]}]}},
        ],
        "output": {"dir": "out", "formats": ["parquet", "csv"]},
        "ledger": {"store": "sqlite:ledger.db", "dataset": "d", "budget": {"epsilon": 500000, "delta": 1e-4}},
    }


@pytest.fixture
def charges() -> Any:
    """Counts the charges of ledger.db."""

    def count() -> int:
        if not Path("ledger.db").exists():
            return 0
        args = [dprelease.find_program(), "ledger", "export", "--store", "sqlite:ledger.db", "--csv"]
        return len(subprocess.run(args, check=True, capture_output=True, text=True).stdout.splitlines()) - 1

    return count
