"""The functions of the package: each runs a command of the program."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from dprelease._program import Feed, Job, Progress, call, job_argument
from dprelease._tables import write_table
from dprelease.errors import CheckError, Problem
from dprelease.release import Release

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class PlannedQuery:
    """What a query will cost, and how accurate it will be."""

    name: str
    kind: str
    half_width: float | None
    """Half the width of a cell's 95 % interval, as far as the plan knows it; a mean's is to be divided by its rows."""
    standard_deviation: float | None
    share: float
    """The fraction of the release's mu² that the query uses."""
    why: str
    """The reason for the sensitivity."""


@dataclass(frozen=True)
class Plan:
    """What a release will cost, and how accurate it will be. It is the same for every table of the same schema."""

    name: str
    epsilon: float
    delta: float
    statement: str
    """The guarantee in words."""
    queries: list[PlannedQuery]
    json: dict[str, Any]
    """All that `dprelease plan --json` prints."""

    @property
    def fits(self) -> bool:
        """Whether the budget pays for the release, or nothing has to be paid."""
        return bool(self.json["budget"].get("fits", True))

    def __repr__(self) -> str:
        lines = [f"{self.name}: epsilon {self.epsilon}, delta {self.delta}" + ("" if self.fits else "; over budget")]
        for q in self.queries:
            width = "unknown" if q.half_width is None else f"{q.half_width:.4g}"
            lines.append(f"  {q.name}: {q.kind}, 95 % ± {width}, {q.share:.0%} of the budget")
        return "\n".join(lines)


@dataclass(frozen=True)
class Check:
    """A check of `verify`: `result` is pass, fail or skipped."""

    name: str
    result: str
    detail: str


@dataclass(frozen=True)
class Window:
    """A data interval of a dated job: `state` is published, missing, failed, over budget, never arrived or gone."""

    window: str
    state: str
    folder: str = ""
    note: str = ""


def plan(job: Job, *, params: Mapping[str, str] | None = None, out: Path | None = None) -> Plan:
    """Return what a job will cost and how accurate it will be. Reads no data.

    A plan that misses a stated accuracy or does not fit the budget is returned, too: look at `fits`.
    Raises JobError if the job is wrong.
    """
    with job_argument(job) as (argument, fds):
        found = call(["plan", argument, "--json", *_flags(params, out=out)], descriptors=fds, accept=(1, 4))
    queries = [
        PlannedQuery(
            q["name"], q["kind"], q.get("ci95_half_width"), q.get("standard_deviation"), q["share_of_mu2"], q["why"]
        )
        for q in found["queries"]
    ]
    return Plan(found["name"], found["epsilon"], found["delta"], found["statement"], queries, found)


def run(
    job: Job,
    table: object | None = None,
    *,
    params: Mapping[str, str] | None = None,
    out: Path | None = None,
    ledger: str | None = None,
    new_release: bool = False,
    compare_input: bool = False,
    new_ledger: bool = False,
    workers: int | None = None,
    memory_limit: str | None = None,
    tmp_dir: Path | None = None,
    sign: Path | None = None,
    anchor: Path | None = None,
    metrics: Path | None = None,
    progress: Progress | bool | None = None,
) -> Release:
    """Make the release of a job and publish it as one folder.

    The same run again returns the same release, spends nothing and does not look at the table: `status` of the result
    is then `already`. A run that was interrupted continues under the same charge when it is repeated.

    job: the path of a job file, its text, or a dict. Relative paths in a text or a dict start at the current folder.
    table: a pandas or polars frame, an Arrow table, a DuckDB relation, or anything else with `__arrow_c_stream__`, for
        a job whose input is `{files: ["-"], format: arrow}` (of a dict, the default). Only the columns that the job
        uses are passed on, through a pipe; the program keeps them in an encrypted file without a name in `tmp_dir`,
        since it reads them more than once. Columns of dtype object are read as text; all else in them is null.
    params: values of the job's parameters.
    out: the release folder, instead of the job's `output.dir`.
    ledger: the ledger's store, such as `sqlite:ledger.db`, of a job that is a dict.
    new_release: answer the same question again with new noise. Charges again.
    compare_input: fail if the table has changed since the release was made.
    progress: a function of (stage, done, total), True or False; by default a bar in notebooks and on terminals, if
        tqdm is installed.
    The others are the flags of `dprelease run`.

    Raises JobError, InputError, BudgetError, OutputError, LedgerError, BusyError or CheckError.
    """
    job = _prepare(job, table, ledger)
    feed = _feed_of(job, table, params)
    flags = _flags(
        params, out=out, new_release=new_release, compare_input=compare_input, new_ledger=new_ledger,
        workers=workers, memory_limit=memory_limit, tmp_dir=tmp_dir, sign=sign, anchor=anchor, metrics=metrics,
    )  # fmt: skip
    with job_argument(job) as (argument, fds), _Bar(progress) as bar:
        outcome = call(["run", argument, "--json", *flags], descriptors=fds, feed=feed, progress=bar)
    return Release(outcome["dir"], outcome)


def check(job: Job, table: object | None = None, *, params: Mapping[str, str] | None = None) -> None:
    """Check a job against the schema of its input. Raises JobError or InputError. No row is counted."""
    job = _prepare(job, table, None)
    feed = _feed_of(job, table, params)
    with job_argument(job) as (argument, fds):
        call(["check", argument, *_flags(params)], descriptors=fds, feed=feed)


def preview(
    job: Job, *, params: Mapping[str, str] | None = None, out: Path | None = None, rows: int | None = None
) -> Release:
    """Make the whole release from synthetic rows: it costs nothing, reads no row, and its numbers mean nothing."""
    job = _prepare(job, None, None)
    with job_argument(job) as (argument, fds):
        outcome = call(["preview", argument, "--json", *_flags(params, out=out, rows=rows)], descriptors=fds)
    return Release(outcome["dir"], outcome)


def verify(
    path: Path | Release, *, job: Path | None = None, store: str | None = None, key: Path | None = None
) -> list[Check]:
    """Check a published release: its files, noise, ledger and signature. Raises CheckError if a check fails.

    job or store name the ledger; without them it is looked for beside the release. key is the public key that must have
    signed the release.
    """
    folder = path.path if isinstance(path, Release) else path
    args = ["verify", os.fspath(folder), "--json", *_flags(job=job, store=store, key=key)]
    found = call(args, accept=(1,))
    checks = [Check(c["name"], c["result"], c["detail"]) for c in found["checks"]]
    if not found["pass"]:
        failed = [Problem(c.name, c.detail, file=os.fspath(folder)) for c in checks if c.result == "fail"]
        raise CheckError(1, failed or [Problem("verify", "a check failed")])
    return checks


def status(
    job: Job, *, params: Mapping[str, str] | None = None, first: str | None = None, last: str | None = None
) -> list[Window]:
    """List the data intervals of a dated job, from `first` to `last`. Reads no data."""
    with job_argument(job) as (argument, fds):
        args = ["status", argument, "--json", *_flags(params, **{"from": first, "to": last})]
        found = call(args, descriptors=fds, accept=(1,))
    return [Window(w["window"], w["state"], w.get("folder", ""), w.get("note", "")) for w in found["windows"]]


def _flags(params: Mapping[str, str] | None = None, /, **flags: Any) -> list[str]:
    out = [f"--param={name}={value}" for name, value in (params or {}).items()]
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            out.append(flag)
        elif value is not None and value is not False:
            out.append(f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return out


def _prepare(job: Job, table: object | None, ledger: str | None) -> Job:
    """Fill in what a dict need not say: that its input is the table in memory, and the ledger."""
    if not isinstance(job, Mapping):
        if ledger is not None:
            raise TypeError('only a job that is a dict takes ledger=; a file can say store: "${env:LEDGER}"')
        return job
    out = dict(job)
    if table is not None or "input" not in out:
        out["input"] = {"files": ["-"], "format": "arrow", **out.get("input", {})}
    if ledger is not None:
        out["ledger"] = {**out.get("ledger", {}), "store": ledger}
    return out


def _feed_of(job: Job, table: object | None, params: Mapping[str, str] | None) -> Feed | None:
    if table is None:
        return None
    planned = plan(job, params=params).json
    if not planned["stdin"]:
        raise TypeError('the job reads its own input: write input: {files: ["-"], format: arrow}, or pass no table')
    columns: Sequence[str] = planned["columns"] or ()  # null: only rows are counted
    return functools.partial(write_table, table, columns)


class _Bar:
    """Shows progress with tqdm, if that is wanted and there."""

    def __init__(self, progress: Progress | bool | None):
        self.progress = progress
        self.bar: Any = None
        wanted = progress is True or (progress is None and (sys.stderr.isatty() or "ipykernel" in sys.modules))
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self.bar = tqdm(total=0, leave=False)

    def __enter__(self) -> Progress | None:
        if callable(self.progress):
            return self.progress
        return self.show if self.bar is not None else None

    def show(self, stage: str, done: int, total: int) -> None:
        self.bar.set_description_str(stage, refresh=False)
        self.bar.total, self.bar.n = total, done
        self.bar.refresh()

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
