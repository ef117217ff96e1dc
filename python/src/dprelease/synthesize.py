"""Invented rows that agree with released tables, by mbi (https://github.com/ryan112358/mbi).

They are made from published numbers alone, so they spend nothing and are as private as the release.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from dprelease.release import Release, Table

_MEASURES = ("noisy", "estimate", "standard_deviation", "ci95_low", "ci95_high")
_KINDS = ("histogram", "crosstabs")  # whose tables are counts of rows by listed cells


@dataclass(frozen=True)
class Synthetic:
    """Invented rows: one column a key of the tables, two for the edges of a cell."""

    table: pyarrow.Table
    preserves: list[str]
    """The released tables that the rows agree with, up to noise and the rounding of rows."""
    ignores: dict[str, str]
    """The other tables, and why. Nothing that was not released together is preserved either: columns that no table
    has in common are independent, given those that they share."""

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows as a pandas.DataFrame."""
        frame: pandas.DataFrame = self.table.to_pandas()
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return the rows as a polars.DataFrame."""
        import polars

        frame = polars.from_arrow(self.table)
        assert isinstance(frame, polars.DataFrame)
        return frame

    def __repr__(self) -> str:
        lines = [f"{self.table.num_rows} invented rows of {', '.join(self.table.column_names)}"]
        lines += [f"  agree with {name}" for name in self.preserves]
        lines += [f"  ignore {name}: {why}" for name, why in self.ignores.items()]
        return "\n".join(lines)


def synthesize(
    release: Release, rows: int | None = None, *, seed: int | None = None, iterations: int = 300
) -> Synthetic:
    """Fit a graphical model to a release's tables of counts, and draw rows from it.

    rows: how many; by default the estimated number of rows. seed: of numpy's generator, for the same rows again.
    iterations: of mirror descent. Needs the extra `dprelease[synthesize]`.

    Raises ValueError if the release has no table of counts by listed cells.
    """
    import numpy as np
    import pyarrow as pa
    from mbi import Domain, LinearMeasurement
    from mbi.estimation import MirrorDescent

    cells: dict[str, list[tuple[Any, ...]]] = {}
    columns: dict[str, list[str]] = {}
    measured: dict[tuple[str, ...], tuple[Any, float]] = {}
    preserves: list[str] = []
    ignores: dict[str, str] = {}
    kinds = {f["path"].rpartition(".")[0]: q["kind"] for q in release.manifest["queries"] for f in q["files"]}
    for name, table in release.items():
        if kinds[name] not in _KINDS:
            ignores[name] = f"its kind is {kinds[name]}"
            continue
        axes, values, deviation, why = _read(table)
        if why := why or _conflict(axes, cells):
            ignores[name] = why
            continue
        clique = tuple(axis for axis, _, _ in axes)
        if clique in measured:
            ignores[name] = "another table has the same keys"
            continue
        for axis, names, of in axes:
            cells[axis], columns[axis] = of, names
        measured[clique] = np.array(values, dtype=float), deviation
        preserves.append(name)
    if not measured:
        raise ValueError(f"no table of {release.name} can be used: {ignores}")
    domain = Domain(list(cells), [len(c) for c in cells.values()])
    measurements = [LinearMeasurement(y, clique, stddev=sd) for clique, (y, sd) in measured.items()]
    model = MirrorDescent().estimate(domain, measurements, iters=iterations)
    state = np.random.get_state()
    try:
        np.random.seed(seed)  # mbi draws from numpy's global generator
        drawn = model.synthetic_data(rows).to_dict()
    finally:
        np.random.set_state(state)
    out: dict[str, Any] = {}
    for axis, of in cells.items():
        for i, column in enumerate(columns[axis]):
            out[column] = pa.array([cell[i] for cell in of]).take(pa.array(np.asarray(drawn[axis])))
    return Synthetic(pa.table(out), preserves, ignores)


_Axes = list[tuple[str, list[str], list[tuple[Any, ...]]]]


def _read(table: Table) -> tuple[_Axes, list[float], float, str]:
    """Return a table's axes (name, columns, cells), its noisy counts in the order of the cells, their deviation, and
    why it cannot be used; "" if it can."""
    rows = table.rows()
    if not rows or "noisy" not in rows[0]:
        return [], [], 0, "it has no noisy counts"
    axes: _Axes = []
    if "withheld" in rows[0]:
        return [], [], 0, "a publish rule leaves cells out of it"
    keys = [k for k in rows[0] if k not in _MEASURES]
    while keys:
        names = [keys.pop(0)]
        axis = names[0].removesuffix("_from")
        if keys and axis != names[0] and keys[0] in (f"{axis}_to", f"{axis}_before"):
            names.append(keys.pop(0))
        of = list(dict.fromkeys(tuple(row[n] for n in names) for row in rows))
        axes.append((axis, names, of))
    size = 1
    for _, _, of in axes:
        size *= len(of)
    if not axes:
        return [], [], 0, "it has no keys"
    if size != len(rows):
        return axes, [], 0, "it does not have all cells"
    return axes, [row["noisy"] for row in rows], float(rows[0]["standard_deviation"]), ""


def _conflict(axes: _Axes, cells: dict[str, list[tuple[Any, ...]]]) -> str:
    for axis, _, of in axes:
        if axis in cells and cells[axis] != of:
            return f"its cells of {axis} are not those of another table"
    return ""
