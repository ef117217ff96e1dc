"""A release folder: its tables, its guarantee and its pictures."""

from __future__ import annotations

import csv
import html
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from dprelease.synthesize import Synthetic

_FORMATS = ("arrow", "parquet", "csv")  # the first of these that a table has is read
_PICTURES = 8  # in a notebook
_ROWS = 10


class Picture:
    """A picture of a query, which notebooks show. `save` writes it; `svg` is its text."""

    def __init__(self, svg: str):
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the SVG. `dprelease plot` also writes PNG and PDF."""
        Path(path).write_text(self.svg, encoding="utf-8")


@dataclass(frozen=True)
class Combined:
    """A combination of noisy cells: its value, the standard deviation of its noise, and its 95 % interval. All are None
    if it is a ratio and noise alone could explain the number to divide by."""

    noisy: float | None
    standard_deviation: float | None
    ci95_low: float | None
    ci95_high: float | None


class Table:
    """A table of a release: one row a cell, with `noisy`, `estimate`, `standard_deviation`, `ci95_low` and `ci95_high`
    after the keys."""

    def __init__(self, name: str, files: Mapping[str, Path]):
        self.name = name
        self.files = files
        """The table's files by format."""

    def to_arrow(self) -> pyarrow.Table:
        """Return a pyarrow.Table. Needs pyarrow."""
        import pyarrow.csv
        import pyarrow.feather
        import pyarrow.parquet

        format, path = self._file()
        if format == "arrow":
            return pyarrow.feather.read_table(path)
        if format == "parquet":
            return pyarrow.parquet.read_table(path)
        return pyarrow.csv.read_csv(path)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas.DataFrame. Needs pandas and pyarrow."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return a polars.DataFrame. Needs polars and pyarrow."""
        import polars

        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict a cell. Without pyarrow a table in CSV is read, and its keys are texts."""
        try:
            found: list[dict[str, Any]] = self.to_arrow().to_pylist()
            return found
        except ImportError:
            if "csv" not in self.files:
                raise
        with open(self.files["csv"], newline="", encoding="utf-8") as file:
            return [{k: _number(k, v) for k, v in row.items()} for row in csv.DictReader(file)]

    def interval(self, **keys: Any) -> tuple[float, float]:
        """Return the 95 % interval of the one cell that has these values in its key columns.

        It contains the exact answer, within the bounds of the job, in 95 of 100 cells. Raises KeyError if there is not
        exactly one such cell.
        """
        rows = self.rows()
        for key in keys:
            if rows and key not in rows[0]:
                raise KeyError(f"{self.name} has no column {key}: {', '.join(rows[0])}")
        found = [row for row in rows if all(row[k] == v for k, v in keys.items())]
        if len(found) != 1:
            raise KeyError(f"{len(found)} cells of {self.name} have {keys}")
        return found[0]["ci95_low"], found[0]["ci95_high"]

    def _file(self) -> tuple[str, Path]:
        for format in _FORMATS:
            if format in self.files:
                return format, self.files[format]
        raise ValueError(f"{self.name} is published as {', '.join(self.files)} only: add parquet to output.formats")

    def __repr__(self) -> str:
        return f"<Table {self.name}: {', '.join(str(p) for p in self.files.values())}>"

    def _repr_html_(self) -> str:
        rows = self.rows()
        if not rows:
            return f"<p>{html.escape(self.name)}: no rows</p>"
        head = "".join(f"<th>{html.escape(k)}</th>" for k in rows[0])
        body = "".join("<tr>" + "".join(f"<td>{_text(v)}</td>" for v in r.values()) + "</tr>" for r in rows[:_ROWS])
        more = f"<p>… {len(rows) - _ROWS} more rows</p>" if len(rows) > _ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class Release(Mapping[str, Table]):
    """A release folder, a mapping from the names of its tables to them. `Release(path)` opens one that was published;
    `verify` checks it."""

    def __init__(self, path: str | os.PathLike[str], outcome: Mapping[str, Any] | None = None):
        self.path = Path(path)
        self.outcome = dict(outcome or {})
        """What the program said of the run that made or found the release; empty if it was opened by its path."""
        self._prefix = "" if (self.path / "release.json").exists() else "synthetic-"
        self.manifest: dict[str, Any] = json.loads(
            (self.path / f"{self._prefix}release.json").read_text(encoding="utf-8")
        )
        """All of `release.json`."""

    @property
    def name(self) -> str:
        """The job's name."""
        return str(self.manifest["name"])

    @property
    def synthetic(self) -> bool:
        """Whether this is a preview, whose numbers mean nothing."""
        return self._prefix != ""

    @property
    def status(self) -> str:
        """`released` if the run made the release, `already-released`, `finished`, `copied` or `rerendered` if it
        spent nothing, `opened` if the release was opened by its path."""
        return str(self.outcome.get("status", "opened"))

    @property
    def epsilon(self) -> float:
        """The epsilon of the whole release."""
        return float(self.manifest["privacy"]["epsilon"])

    @property
    def delta(self) -> float:
        """The delta of the whole release."""
        return float(self.manifest["privacy"]["delta"])

    @property
    def statement(self) -> str:
        """The guarantee in words."""
        return str(self.manifest["privacy"]["statement"])

    @cached_property
    def _tables(self) -> dict[str, Table]:
        files: dict[str, dict[str, Path]] = {}
        for query in self.manifest["queries"]:
            for file in query["files"]:
                stem, _, format = file["path"].removeprefix(self._prefix).rpartition(".")
                files.setdefault(stem, {})[format] = self.path / file["path"]
        return {name: Table(name, formats) for name, formats in files.items()}

    def __getitem__(self, name: str) -> Table:
        if name not in self._tables:
            raise KeyError(f"the release has no table {name}: {', '.join(self)}")
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def _ask(self, verb: str, *options: str) -> str:
        """Run a verb of the program on the release, and return what it prints."""
        from dprelease._program import find_program
        from dprelease.errors import BY_EXIT_CODE, Problem, ReleaseError

        done = subprocess.run([find_program(), verb, str(self.path), *options], capture_output=True, text=True)
        if done.returncode:
            failed = BY_EXIT_CODE.get(done.returncode, ReleaseError)
            raise failed(done.returncode, [Problem(verb, done.stderr.strip().removeprefix("error: "))])
        return done.stdout

    def plot(self, query: str | None = None) -> Picture:
        """Return the picture of a query that the release's page shows. The name is not needed if there is one query.

        Quantiles and the like are named after a dot: `ages.quantiles`. A preview has no pictures outside its page.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.svg"
            self._ask("plot", "--out", str(path), "--quiet", *(["--query", query] if query else []))
            return Picture(path.read_text(encoding="utf-8"))

    def combine(self, *sum: str, minus: Iterable[str] = (), of: Iterable[str] = ()) -> Combined:
        """Add up noisy cells, and divide the sum by other cells if `of` names some. It spends no budget.

        Cells are described as for `release combine`: `release.combine("loans where branch in (Central, North)")`.
        """
        named = [("--sum", sum), ("--minus", minus), ("--of", of)]
        options = [f"{flag}={cells}" for flag, all_cells in named for cells in all_cells]
        result = json.loads(self._ask("combine", "--json", *options))
        return Combined(*(result[key] for key in ("noisy", "standard_deviation", "ci95_low", "ci95_high")))

    def synthesize(self, rows: int | None = None, *, seed: int | None = None) -> Synthetic:
        """Draw invented rows that agree with the released tables. It spends nothing: see `dprelease.synthesize`."""
        from dprelease.synthesize import synthesize

        return synthesize(self, rows, seed=seed)

    def __repr__(self) -> str:
        kind = "preview" if self.synthetic else "release"
        return (
            f"<{kind} {self.name}: epsilon {self.epsilon:g}, delta {self.delta:g}, {len(self)} tables in {self.path}>"
        )

    def _repr_html_(self) -> str:
        if self.synthetic:
            page = (self.path / f"{self._prefix}index.html").read_text(encoding="utf-8")
            return (
                f'<iframe sandbox="allow-scripts" style="width:100%;height:40em;border:0" srcdoc="{html.escape(page)}">'
                "</iframe>"
            )
        parts = [f"<h3>{html.escape(self.name)}</h3><p>{html.escape(self.statement)}</p>"]
        for name in list(self)[:_PICTURES]:
            try:
                parts.append(self.plot(name).svg)
            except Exception:  # noqa: BLE001 - a table without a picture is shown as a table
                parts.append(self[name]._repr_html_())
        if len(self) > _PICTURES:
            parts.append("<p>Also: " + html.escape(", ".join(list(self)[_PICTURES:])) + "</p>")
        return "".join(parts)


def _number(column: str, text: str) -> Any:
    measures = ("noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high")
    return float(text) if column in measures and text else text


def _text(value: Any) -> str:
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))
