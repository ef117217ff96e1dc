"""OpenDP as its user guide says: Polars queries in a context; for long vectors the lower-level constructors."""

import warnings

import numpy as np
import opendp.prelude as dp
import polars as pl

from harness import (ADULT, CATEGORIES, DELTA, DIMENSIONS, EPSILON, GROUPS, HOURS, KEYS, PAPER_DELTA, PAPER_EPSILON,
                     QUANTILES, TABLES, WIDE, main)

warnings.simplefilter("ignore")
dp.enable_features("contrib")


def rho_of(epsilon, delta):
    """Returns the largest rho of which zCDP gives the guarantee, by the library's own conversion."""
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)

    def gaussian(scale):
        m = dp.m.make_gaussian(*space, scale=scale)
        return dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(m), delta=delta)
    scale = dp.binary_search_param(gaussian, d_in=1.0, d_out=(epsilon, delta))
    return 1 / (2 * scale**2)


def hours(file):
    """bounds, keys"""
    while True:
        context = dp.Context.compositor(
            data=pl.scan_parquet(file), privacy_unit=dp.unit_of(contributions=1, identifier="unit"),
            privacy_loss=dp.loss_of(epsilon=EPSILON), split_evenly_over=1)
        query = (context.query().truncate_per_group(5).group_by("hour").agg(dp.len(signed=True))
                 .with_keys(pl.LazyFrame({"hour": HOURS})))
        half = query.summarize(alpha=0.05)["accuracy"][0]
        counts = query.release().collect().sort("hour")["len"].to_numpy()
        yield {"counts": (counts, counts - half, counts + half)}


def groups(file):
    """bounds, keys, a bound on the number of rows; the mean as quotient of sum and count"""
    while True:
        context = dp.Context.compositor(
            data=pl.scan_parquet(file), privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=EPSILON), split_evenly_over=1,
            margins=[dp.polars.Margin(max_length=100_000)])
        query = (context.query().group_by("group")
                 .agg(dp.len(signed=True), pl.col("value").fill_nan(0.0).fill_null(0.0).dp.sum((0.0, 100.0)))
                 .with_keys(pl.LazyFrame({"group": GROUPS})))
        half = query.summarize(alpha=0.05)["accuracy"][1]
        answer = query.release().collect().sort("group")
        sums = answer["value"].to_numpy()
        yield {"sums": (sums, sums - half, sums + half), "means": sums / answer["len"].to_numpy()}


def quantiles(file):
    """candidates, a bound on the number of rows"""
    while True:
        context = dp.Context.compositor(
            data=pl.scan_parquet(file), privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=EPSILON), split_evenly_over=1,
            margins=[dp.polars.Margin(max_length=200_000)])
        value, candidates = pl.col("value").fill_nan(0.0).fill_null(0.0), [float(x) for x in range(1001)]
        answer = context.query().select(
            [value.dp.quantile(q, candidates).alias(str(q)) for q in QUANTILES]).release().collect()
        yield {"quantiles": list(answer.row(0))}


def wide(file):
    """categories; the data frame's group_by has the same error, and needs 200 s"""
    cells = pl.read_parquet(file)["cell"].to_list()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()
    counts = space >> dp.t.then_count_by_categories(list(range(WIDE)), null_category=False)
    release = dp.binary_search_chain(lambda s: counts >> dp.m.then_laplace(s), d_in=1, d_out=EPSILON)
    half = dp.discrete_laplacian_scale_to_accuracy(1 / EPSILON, alpha=0.05)
    while True:
        answer = np.array(release(cells))
        yield {"counts": (answer, answer - half, answer + half)}


def keys(file):
    """bounds on keys and rows; rows of a unit beyond its keys are not dropped, since truncate_num_groups fails here"""
    bound = dp.polars.Bound(by=["key"], per_group=1, num_groups=5)
    while True:
        context = dp.Context.compositor(
            data=pl.scan_parquet(file), privacy_unit=dp.unit_of(contributions=[bound]),
            privacy_loss=dp.loss_of(epsilon=EPSILON, delta=DELTA), split_evenly_over=1)
        query = context.query().group_by("key").agg(dp.len(signed=True))
        half = query.summarize(alpha=0.05)["accuracy"][0]
        found = dict(query.release().collect().select("key", "len").iter_rows())
        counts = np.array([found.get(k, np.nan) for k in KEYS])
        yield {"counts": (counts, counts - half, counts + half)}


def adult(file):
    """keys; rho for the guarantee; which tables are measured (opendp.extras.mbi, Fixed)"""
    counts = [dp.mbi.Count(by=table) for table in TABLES]
    rho = rho_of(EPSILON, DELTA)
    while True:
        context = dp.Context.compositor(
            data=pl.scan_parquet(file), privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(rho=rho),
            split_evenly_over=1)
        table = context.query().select(*ADULT).contingency_table(
            keys={c: list(range(n)) for c, n in ADULT.items()}, algorithm=dp.mbi.Fixed(queries=counts)).release()
        yield {"cells": np.concatenate([np.ravel(table.project(t)) for t in TABLES])}


def large(file):
    """bounds, keys"""
    while True:
        context = dp.Context.compositor(
            data=pl.scan_parquet(file), privacy_unit=dp.unit_of(contributions=1, identifier="unit"),
            privacy_loss=dp.loss_of(epsilon=EPSILON), split_evenly_over=1)
        query = (context.query().truncate_per_group(5).group_by("category").agg(dp.len(signed=True))
                 .with_keys(pl.LazyFrame({"category": CATEGORIES})))
        yield {"counts": query.release().collect().sort("category")["len"].to_numpy()}


def mean(file):
    """bounds; rho for the guarantee; the list as 100 columns; a bound on the number of rows; means as quotients"""
    rows = pl.read_parquet(file)["values"].list.to_struct(fields=[f"v{i}" for i in range(DIMENSIONS)]).struct.unnest()
    rho = rho_of(PAPER_EPSILON, PAPER_DELTA)
    while True:
        context = dp.Context.compositor(
            data=rows.lazy(), privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(rho=rho),
            split_evenly_over=1, margins=[dp.polars.Margin(max_length=1000)])
        answer = context.query().select(
            dp.len(signed=True),
            *[pl.col(c).fill_nan(0.0).fill_null(0.0).dp.sum((-0.5, 0.5)) for c in rows.columns]).release().collect()
        count, *sums = answer.row(0)
        yield {"means": np.array(sums) / max(count, 1)}


def histogram(file):
    """keys"""
    while True:
        context = dp.Context.compositor(
            data=pl.scan_parquet(file), privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=PAPER_EPSILON), split_evenly_over=1)
        query = (context.query().group_by("cell").agg(dp.len())
                 .with_keys(pl.LazyFrame({"cell": list(range(DIMENSIONS))})))
        half = query.summarize(alpha=0.05)["accuracy"][0]
        counts = query.release().collect().sort("cell")["len"].to_numpy().astype(float)
        yield {"counts": (counts, counts - half, counts + half)}


main(dp.__version__ if hasattr(dp, "__version__") else "0.16.0",
     {f.__name__: f for f in (hours, groups, quantiles, wide, keys, adult, large, mean, histogram)}, {})
