"""dprelease: a job file for each task, run by the program as in a folder of its own. Its lines are the job's."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np
import pandas as pd

from harness import CATEGORIES, KEYS, TABLES, main

PROGRAM = os.environ["DPRELEASE_PROGRAM"]
JOBS = pathlib.Path(__file__).parent.parent / "jobs"


def release(task, file):
    """Makes a release under a new ledger each time, and yields its folder."""
    while True:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(JOBS / f"{task}.yaml", folder)
            os.symlink(file, f"{folder}/{task}.parquet")
            if task == "large":
                pd.DataFrame({"category": CATEGORIES}).to_csv(f"{folder}/categories.csv", index=False)
            subprocess.run([PROGRAM, "run", f"{folder}/{task}.yaml", "--quiet"], check=True)
            yield f"{folder}/out"


def columns(table, rows=None):
    """Returns estimates and intervals of a table of a release. Intervals are around the noisy values."""
    if rows is not None:
        table = table.set_index(table.columns[0]).reindex(rows)
    return table["estimate"], table["ci95_low"], table["ci95_high"]


def simple(task, asked):
    """Returns the generator of a task of which each answer is a table."""
    def answers(file):
        for out in release(task, file):
            yield {name: columns(pd.read_csv(f"{out}/{name}.csv")) for name in asked}
    return answers


def groups(file):
    for out in release("groups", file):
        table = pd.read_csv(f"{out}/means.csv")
        sums = table["noisy_centred_sum"] + 50 * table["noisy_count"]
        yield {"sums": sums, "means": columns(table)}


def quantiles(file):
    for out in release("quantiles", file):
        yield {"quantiles": columns(pd.read_csv(f"{out}/values.quantiles.csv"))}


def keys(file):
    for out in release("keys", file):
        yield {"counts": columns(pd.read_csv(f"{out}/counts.csv"), KEYS)}


def adult(file):
    for out in release("adult", file):
        tables = [columns(pd.read_csv(f"{out}/tables.{'.'.join(t)}.csv")) for t in TABLES]
        yield {"cells": tuple(np.concatenate(part) for part in zip(*tables))}


TASKS = {"hours": simple("hours", ["counts"]), "groups": groups, "quantiles": quantiles,
         "wide": simple("wide", ["counts"]), "keys": keys, "adult": adult, "large": simple("large", ["counts"]),
         "mean": simple("mean", ["means"]), "histogram": simple("histogram", ["counts"])}
TEXTS = {task: (JOBS / f"{task}.yaml").read_text().splitlines() for task in TASKS}
for task, text in TEXTS.items():
    TASKS[task].__doc__ = text[0].removeprefix("# given by hand: ")
main(subprocess.run([PROGRAM, "version"], check=True, capture_output=True, text=True).stdout.split("\n")[0], TASKS, {},
     {task: sum(1 for line in text if line.strip() and not line.startswith("#")) for task, text in TEXTS.items()})
