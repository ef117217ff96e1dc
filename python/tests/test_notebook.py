"""The tutorial's notebook runs from its first cell to its last."""

import shutil
from pathlib import Path

import pytest
from conftest import ROOT

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")


def test_the_tutorial_runs(folder: Path) -> None:
    pytest.importorskip("pandas")
    shutil.copy(ROOT / "examples" / "library" / "loans.txt", folder)
    notebook = nbformat.read(ROOT / "python" / "tutorial.ipynb", as_version=4)
    assert all(not c.get("outputs") for c in notebook.cells), "a notebook without outputs is committed"
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
