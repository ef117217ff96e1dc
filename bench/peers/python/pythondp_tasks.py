"""python-dp, the Python interface of Google's C++ library, as its examples say: an algorithm for each cell."""

import collections

import pyarrow.parquet
from importlib.metadata import version
from pydp.algorithms.laplacian import BoundedMean, BoundedSum, Count
from pydp.algorithms.partition_selection import create_partition_strategy
from pydp.algorithms.quantile_tree import QuantileTree

from harness import (CATEGORIES, DELTA, DIMENSIONS, EPSILON, GROUPS, HOURS, KEYS, PAPER_EPSILON, QUANTILES, WIDE, main)


def column(file, name):
    return pyarrow.parquet.read_table(file)[name].to_pylist()


def noisy_count(cells, cell, epsilon, **bounds):
    """Returns a noisy count of a cell. Its interval cannot be had: noise_confidence_interval fails in this version."""
    return Count(epsilon=epsilon, dtype="int", **bounds).quick_result(cells[cell])


def by_cell(values):
    """Returns lists of as many entries as rows are in each cell."""
    return collections.defaultdict(list, {c: [1] * n for c, n in collections.Counter(values).items()})


def hours(file):
    """bounds as 5 cells with 1 row each, or 1 cell with 5: the library cannot say 5 rows in all; nothing enforces them"""
    cells = by_cell(column(file, "hour"))
    while True:
        yield {"counts": [noisy_count(cells, h, EPSILON, l0_sensitivity=5, linf_sensitivity=5) for h in HOURS]}


def groups(file):
    """bounds; the split of epsilon over sums and means; the loop over groups"""
    values = collections.defaultdict(list)
    for group, value in zip(column(file, "group"), column(file, "value")):
        values[group].append(value)
    while True:
        sums, means = [], []
        for g in GROUPS:
            bounds = {"lower_bound": 0, "upper_bound": 100, "dtype": "float"}
            sums.append(BoundedSum(epsilon=EPSILON / 2, **bounds).quick_result(values[g]))
            means.append(BoundedMean(epsilon=EPSILON / 2, **bounds).quick_result(values[g]))
        yield {"sums": sums, "means": means}


def quantiles(file):
    """bounds; height and branching of a tree, here those of the other Google libraries"""
    values = column(file, "value")
    while True:
        tree = QuantileTree(0, 1000, 4, 16)
        for value in values:
            tree.add_entry(value)
        yield {"quantiles": list(tree.compute_quantiles(EPSILON, DELTA, 1, 1, QUANTILES, "laplace"))}


def wide(file):
    """bounds; the loop over the cells"""
    cells = by_cell(column(file, "cell"))
    while True:
        yield {"counts": [noisy_count(cells, c, EPSILON) for c in range(WIDE)]}


def keys(file):
    """bounds, which nothing enforces; the split of epsilon over finding keys and counting; the loop over the keys"""
    cells = by_cell(column(file, "key"))
    strategy = create_partition_strategy("truncated_geometric", EPSILON / 2, DELTA, 5)
    while True:
        found = {k: noisy_count(cells, k, EPSILON / 2, l0_sensitivity=5) for k, units in cells.items()
                 if strategy.should_keep(len(units))}
        yield {"counts": [found.get(k, float("nan")) for k in KEYS]}


def histogram(file):
    """bounds; the loop over the cells"""
    cells = by_cell(column(file, "cell"))
    while True:
        yield {"counts": [noisy_count(cells, c, PAPER_EPSILON) for c in range(DIMENSIONS)]}


main(version("python-dp"), {f.__name__: f for f in (hours, groups, quantiles, wide, keys, histogram)},
     {"adult": "only Laplace noise: 45 tables by adding epsilons up, as by any tool for single counts",
      "large": "rows of a unit cannot be bounded", "mean": "no vectors"})
