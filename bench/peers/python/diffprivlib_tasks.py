"""diffprivlib as its documentation says: its tools for statistics, with epsilon alone, and a row for a person."""

import itertools

import diffprivlib
import numpy as np
import pandas as pd
from diffprivlib import tools

from harness import (ADULT, DIMENSIONS, EPSILON, GROUPS, HOURS, PAPER_EPSILON, QUANTILES, TABLES, WIDE, main)


def hours(file):
    """epsilon / 5 for the five rows of a unit; the tool itself knows rows only and cannot check it"""
    rows = pd.read_parquet(file)["hour"]
    while True:
        counts, _ = tools.histogram(rows, epsilon=EPSILON / 5, bins=len(HOURS), range=(0, 24))
        yield {"counts": counts}


def groups(file):
    """the split of epsilon over sums and means; the loop over the groups"""
    rows = pd.read_parquet(file)
    values = [rows.value[rows.group == g].to_numpy() for g in GROUPS]
    while True:
        yield {"sums": [tools.sum(v, epsilon=EPSILON / 2, bounds=(0, 100)) for v in values],
               "means": [tools.mean(v, epsilon=EPSILON / 2, bounds=(0, 100)) for v in values]}


def quantiles(file):
    """bounds"""
    values = pd.read_parquet(file)["value"].to_numpy()
    while True:
        yield {"quantiles": tools.quantile(values, QUANTILES, epsilon=EPSILON, bounds=(0, 1000))}


def wide(file):
    """bins and their range"""
    cells = pd.read_parquet(file)["cell"]
    while True:
        counts, _ = tools.histogram(cells, epsilon=EPSILON, bins=WIDE, range=(0, WIDE))
        yield {"counts": counts}


def adult(file):
    """the split of epsilon over the 45 tables"""
    rows = pd.read_parquet(file)
    while True:
        cells = []
        for table in TABLES:
            counts, _ = tools.histogramdd(rows[list(table)].to_numpy(), epsilon=EPSILON / len(TABLES),
                                          bins=[ADULT[c] for c in table], range=[(0, ADULT[c]) for c in table])
            cells.append(counts.ravel())
        yield {"cells": itertools.chain(*cells)}


def mean(file):
    """bounds; the number of rows is taken as public"""
    vectors = np.stack(pd.read_parquet(file)["values"])
    while True:
        yield {"means": tools.mean(vectors, axis=0, epsilon=PAPER_EPSILON, bounds=(-0.5, 0.5))}


def histogram(file):
    """bins and their range"""
    cells = pd.read_parquet(file)["cell"]
    while True:
        counts, _ = tools.histogram(cells, epsilon=PAPER_EPSILON, bins=DIMENSIONS, range=(0, DIMENSIONS))
        yield {"counts": counts}


main(diffprivlib.__version__,
     {f.__name__: f for f in (hours, groups, quantiles, wide, adult, mean, histogram)},
     {"keys": "keys cannot be discovered: no partition selection",
      "large": "rows of a unit cannot be bounded"})
