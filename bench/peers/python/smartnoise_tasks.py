"""SmartNoise SQL as its documentation says: SQL on a pandas data frame, with metadata."""

import warnings

import numpy as np
import pandas as pd
from importlib.metadata import version
from snsql import Privacy, from_df

from harness import (ADULT, CATEGORIES, DELTA, DIMENSIONS, EPSILON, GROUPS, HOURS, KEYS, PAPER_DELTA, PAPER_EPSILON,
                     TABLES, WIDE, main)

warnings.simplefilter("ignore")


def answer(rows, sql, options, epsilon=EPSILON, delta=DELTA, **columns):
    """Returns the rows of the answer as a data frame; columns describes the table's columns."""
    table = {**options, **columns}
    reader = from_df(rows, privacy=Privacy(epsilon=epsilon, delta=delta), metadata={"": {"t": {"t": table}}})
    names, *found = reader.execute(sql)
    return pd.DataFrame(found, columns=names)


def hours(file):
    """metadata; 5 rows a unit; censoring off, since the hours are public; another name for hour, a word of its SQL"""
    rows = pd.read_parquet(file).rename(columns={"hour": "h"})
    while True:
        found = answer(rows, "SELECT h, COUNT(*) AS n FROM t.t GROUP BY h",
                       {"max_ids": 5, "censor_dims": False, "clamp_counts": False},
                       unit={"type": "int", "private_id": True}, h={"type": "int"})
        yield {"counts": found.set_index("h")["n"].reindex(HOURS, fill_value=0)}


def groups(file):
    """metadata; censoring off; epsilon for each column of the answer: a third, since a mean takes two"""
    rows = pd.read_parquet(file).rename(columns={"group": "g"}).reset_index(names="unit")
    while True:
        found = answer(rows, "SELECT g, SUM(value) AS s, AVG(value) AS m FROM t.t GROUP BY g",
                       {"max_ids": 1, "censor_dims": False}, EPSILON / 3, unit={"type": "int", "private_id": True},
                       g={"type": "string"}, value={"type": "float", "lower": 0.0, "upper": 100.0})
        found = found.set_index("g").reindex(GROUPS, fill_value=0)
        yield {"sums": found["s"], "means": found["m"]}


def wide(file):
    """metadata; censoring off; cells without a row are not in the answer, which is no guarantee: counted as 0"""
    rows = pd.read_parquet(file).reset_index(names="unit")
    while True:
        found = answer(rows, "SELECT cell, COUNT(*) AS n FROM t.t GROUP BY cell",
                       {"max_ids": 1, "censor_dims": False, "clamp_counts": False},
                       unit={"type": "int", "private_id": True}, cell={"type": "int"})
        yield {"counts": found.set_index("cell")["n"].reindex(range(WIDE))}


def keys(file):
    """metadata; 5 keys a unit"""
    rows = pd.read_parquet(file)
    while True:
        found = answer(rows, "SELECT key, COUNT(DISTINCT unit) AS n FROM t.t GROUP BY key", {"max_ids": 5},
                       unit={"type": "int", "private_id": True}, key={"type": "string"})
        yield {"counts": found.set_index("key")["n"].reindex(KEYS)}


def adult(file):
    """metadata; censoring off; the split of epsilon and delta over the 45 tables"""
    rows = pd.read_parquet(file).reset_index(names="unit")
    columns = {c: {"type": "int"} for c in ADULT}
    while True:
        cells = []
        for table in TABLES:
            names = ", ".join(table)
            found = answer(rows, f"SELECT {names}, COUNT(*) AS n FROM t.t GROUP BY {names}",
                           {"max_ids": 1, "censor_dims": False, "clamp_counts": False}, EPSILON / len(TABLES),
                           DELTA / len(TABLES), unit={"type": "int", "private_id": True}, **columns)
            every = pd.MultiIndex.from_product([range(ADULT[c]) for c in table]) if len(table) > 1 else range(ADULT[table[0]])
            cells.append(found.set_index(list(table))["n"].reindex(every, fill_value=0).to_numpy())
        yield {"cells": np.concatenate(cells)}


def large(file):
    """metadata; 5 rows a unit; censoring off"""
    rows = pd.read_parquet(file)
    while True:
        found = answer(rows, "SELECT category, COUNT(*) AS n FROM t.t GROUP BY category",
                       {"max_ids": 5, "censor_dims": False}, unit={"type": "int", "private_id": True},
                       category={"type": "string"})
        yield {"counts": found.set_index("category")["n"].reindex(CATEGORIES, fill_value=0)}


def histogram(file):
    """metadata; censoring off"""
    rows = pd.read_parquet(file).reset_index(names="unit")
    while True:
        found = answer(rows, "SELECT cell, COUNT(*) AS n FROM t.t GROUP BY cell", {"max_ids": 1, "censor_dims": False},
                       PAPER_EPSILON, PAPER_DELTA, unit={"type": "int", "private_id": True}, cell={"type": "int"})
        yield {"counts": found.set_index("cell")["n"].reindex(range(DIMENSIONS), fill_value=0)}


main(version("smartnoise-sql"), {f.__name__: f for f in (hours, groups, wide, keys, adult, large, histogram)},
     {"quantiles": "SQL has no quantiles here", "mean": "no vectors: a mean takes a part of epsilon for each column"})
