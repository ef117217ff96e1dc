"""Differentially private data releases.

    import dprelease

    dprelease.plan("job.yaml")                  # cost and accuracy; reads no data
    release = dprelease.run("job.yaml")         # makes the release, or finds it
    release["trips_by_hour"].to_pandas()
    dprelease.verify(release)

Each function runs a command of the program `dprelease`, which this package brings; all that concerns privacy happens
there. A job is a path, a text or a dict: https://github.com/dprelease/dprelease/blob/main/docs/reference/job-file.md
"""

from dprelease._interface import Check, Plan, PlannedQuery, Window, check, plan, preview, run, status, verify
from dprelease._program import Job, find_program
from dprelease.errors import (
    BudgetError,
    BusyError,
    CheckError,
    InputError,
    JobError,
    LedgerError,
    OutputError,
    Problem,
    ReleaseError,
)
from dprelease.release import Combined, Picture, Release, Table

__all__ = [
    "BudgetError",
    "BusyError",
    "Check",
    "CheckError",
    "Combined",
    "InputError",
    "Job",
    "JobError",
    "LedgerError",
    "OutputError",
    "Picture",
    "Plan",
    "PlannedQuery",
    "Problem",
    "Release",
    "ReleaseError",
    "Table",
    "Window",
    "check",
    "find_program",
    "plan",
    "preview",
    "run",
    "status",
    "verify",
]
