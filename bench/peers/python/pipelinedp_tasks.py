"""PipelineDP as its examples say: its engine on the local backend, with rows as Python tuples."""

import pipeline_dp
import pyarrow.parquet
from importlib.metadata import version
from pipeline_dp import Metrics
from pipeline_dp.aggregate_params import NormKind

from harness import (ADULT, CATEGORIES, DELTA, DIMENSIONS, EPSILON, GROUPS, HOURS, KEYS, PAPER_DELTA, PAPER_EPSILON,
                     QUANTILES, TABLES, WIDE, main)


def rows_of(file):
    """Returns the rows of a file as tuples, each with its number as a privacy unit at the end."""
    columns = pyarrow.parquet.read_table(file).to_pydict().values()
    return list(zip(*columns, range(len(next(iter(columns))))))


def answer(rows, unit, partition, value, public, epsilon=EPSILON, delta=DELTA, **params):
    """Returns the metrics of each partition."""
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=delta)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    extractors = pipeline_dp.DataExtractors(privacy_id_extractor=unit, partition_extractor=partition,
                                            value_extractor=value)
    result = engine.aggregate(rows, pipeline_dp.AggregateParams(**params), extractors, public_partitions=public)
    accountant.compute_budgets()
    return dict(result)


def hours(file):
    """bounds, keys, the function answer()"""
    rows = rows_of(file)
    while True:
        counts = answer(rows, lambda r: r[0], lambda r: r[1], lambda r: 0, HOURS, metrics=[Metrics.COUNT],
                        max_contributions=5)
        yield {"counts": [counts[h].count for h in HOURS]}


def groups(file):
    """bounds, keys, the function answer()"""
    rows = rows_of(file)
    while True:
        found = answer(rows, lambda r: r[2], lambda r: r[0], lambda r: r[1], GROUPS,
                       metrics=[Metrics.SUM, Metrics.MEAN], min_value=0, max_value=100, max_partitions_contributed=1,
                       max_contributions_per_partition=1)
        yield {"sums": [found[g].sum for g in GROUPS], "means": [found[g].mean for g in GROUPS]}


def quantiles(file):
    """bounds, the function answer()"""
    rows = rows_of(file)
    while True:
        found = answer(rows, lambda r: r[1], lambda r: 0, lambda r: r[0], [0],
                       metrics=[Metrics.PERCENTILE(100 * q) for q in QUANTILES], min_value=0, max_value=1000,
                       max_partitions_contributed=1, max_contributions_per_partition=1)
        yield {"quantiles": list(found[0])}


def wide(file):
    """bounds, keys, the function answer()"""
    rows = rows_of(file)
    while True:
        counts = answer(rows, lambda r: r[1], lambda r: r[0], lambda r: 0, range(WIDE), metrics=[Metrics.COUNT],
                        max_partitions_contributed=1, max_contributions_per_partition=1)
        yield {"counts": [counts[c].count for c in range(WIDE)]}


def keys(file):
    """bounds, the function answer()"""
    rows = rows_of(file)
    while True:
        counts = answer(rows, lambda r: r[0], lambda r: r[1], lambda r: 0, None, metrics=[Metrics.PRIVACY_ID_COUNT],
                        max_partitions_contributed=5, max_contributions_per_partition=1)
        yield {"counts": [counts[k].privacy_id_count if k in counts else float("nan") for k in KEYS]}


def adult(file):
    """bounds, keys as pairs of a table and a cell, the function answer(); the 45 tables are 45 partitions of a unit"""
    table = pyarrow.parquet.read_table(file).to_pydict()
    rows = [(i, (t, tuple(cell))) for t in TABLES for i, cell in enumerate(zip(*(table[c] for c in t)))]
    cells = [(t, (a,) + b) for t in TABLES for a in range(ADULT[t[0]])
             for b in ([()] if len(t) == 1 else [(x,) for x in range(ADULT[t[1]])])]
    while True:
        counts = answer(rows, lambda r: r[0], lambda r: r[1], lambda r: 0, cells, metrics=[Metrics.COUNT],
                        noise_kind=pipeline_dp.NoiseKind.GAUSSIAN, max_partitions_contributed=len(TABLES),
                        max_contributions_per_partition=1)
        yield {"cells": [counts[c].count for c in cells]}


def large(file):
    """bounds, keys, the function answer()"""
    rows = rows_of(file)
    while True:
        counts = answer(rows, lambda r: r[0], lambda r: r[1], lambda r: 0, CATEGORIES, metrics=[Metrics.COUNT],
                        max_contributions=5)
        yield {"counts": [counts[c].count for c in CATEGORIES]}


def mean(file):
    """bounds, the norm, the function answer(); a vector mean is made of a vector sum and a count"""
    rows = rows_of(file)
    while True:
        sums = answer(rows, lambda r: r[1], lambda r: 0, lambda r: r[0], [0], PAPER_EPSILON / 2, PAPER_DELTA / 2,
                      metrics=[Metrics.VECTOR_SUM], noise_kind=pipeline_dp.NoiseKind.GAUSSIAN, vector_size=DIMENSIONS,
                      vector_norm_kind=NormKind.L2, vector_max_norm=0.5 * DIMENSIONS**0.5,
                      max_partitions_contributed=1, max_contributions_per_partition=1)
        count = answer(rows, lambda r: r[1], lambda r: 0, lambda r: 0, [0], PAPER_EPSILON / 2, PAPER_DELTA / 2,
                       metrics=[Metrics.COUNT], noise_kind=pipeline_dp.NoiseKind.GAUSSIAN,
                       max_partitions_contributed=1, max_contributions_per_partition=1)
        yield {"means": [x / max(count[0].count, 1) for x in sums[0].vector_sum]}


def histogram(file):
    """bounds, keys, the function answer()"""
    rows = rows_of(file)
    while True:
        counts = answer(rows, lambda r: r[1], lambda r: r[0], lambda r: 0, range(DIMENSIONS), PAPER_EPSILON,
                        PAPER_DELTA, metrics=[Metrics.COUNT], max_partitions_contributed=1,
                        max_contributions_per_partition=1)
        yield {"counts": [counts[c].count for c in range(DIMENSIONS)]}


main(version("pipeline-dp"),
     {f.__name__: f for f in (hours, groups, quantiles, wide, keys, adult, large, mean, histogram)}, {})
