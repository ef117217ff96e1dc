"""Tumult Analytics as its tutorials say: a session on Spark, with queries from the query builder."""

import itertools
import os
import sys

import numpy as np
from pyspark.sql import SparkSession
from tmlt.analytics import (AddOneRow, AddRowsWithID, ApproxDPBudget, KeySet, MaxGroupsPerID, MaxRowsPerGroupPerID,
                            MaxRowsPerID, PureDPBudget, QueryBuilder, RhoZCDPBudget, Session)
import tmlt.analytics

from harness import (ADULT, CATEGORIES, DELTA, DIMENSIONS, EPSILON, GROUPS, HOURS, KEYS, PAPER_EPSILON, QUANTILES,
                     TABLES, WIDE, main)


def spark():
    """Returns Spark on this machine, set up as the documentation says for local use."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (SparkSession.builder.master("local[2]").config("spark.driver.memory", "6g")
               .config("spark.sql.shuffle.partitions", "2").config("spark.ui.enabled", "false").getOrCreate())
    session.sparkContext.setLogLevel("OFF")
    return session


def hours(file):
    """bounds, keys; no interval is given with the answer"""
    data = spark().read.parquet(file)
    while True:
        session = Session.from_dataframe(PureDPBudget(EPSILON), "visits", data, protected_change=AddRowsWithID("unit"))
        query = QueryBuilder("visits").enforce(MaxRowsPerID(5)).groupby(KeySet.from_dict({"hour": HOURS})).count()
        answer = session.evaluate(query, PureDPBudget(EPSILON)).toPandas()
        yield {"counts": answer.sort_values("hour")["count"]}


def groups(file):
    """bounds, keys; the split of epsilon over sum and count; the mean as their quotient"""
    data = spark().read.parquet(file)
    while True:
        session = Session.from_dataframe(PureDPBudget(EPSILON), "rows", data, protected_change=AddOneRow())
        by = QueryBuilder("rows").groupby(KeySet.from_dict({"group": GROUPS}))
        sums = session.evaluate(by.sum("value", low=0, high=100), PureDPBudget(EPSILON / 2)).toPandas()
        counts = session.evaluate(by.count(), PureDPBudget(EPSILON / 2)).toPandas()
        sums, counts = (x.sort_values("group").iloc[:, 1].to_numpy() for x in (sums, counts))
        yield {"sums": sums, "means": sums / np.maximum(counts, 1)}


def quantiles(file):
    """bounds; the split of epsilon over the quantiles"""
    data = spark().read.parquet(file)
    while True:
        session = Session.from_dataframe(PureDPBudget(EPSILON), "rows", data, protected_change=AddOneRow())
        part = PureDPBudget(EPSILON / len(QUANTILES))
        yield {"quantiles": [session.evaluate(QueryBuilder("rows").quantile("value", q, low=0, high=1000), part)
                             .toPandas().iloc[0, 0] for q in QUANTILES]}


def wide(file):
    """keys"""
    data = spark().read.parquet(file)
    cells = KeySet.from_dataframe(spark().range(WIDE).withColumnRenamed("id", "cell"))
    while True:
        session = Session.from_dataframe(PureDPBudget(EPSILON), "rows", data, protected_change=AddOneRow())
        query = QueryBuilder("rows").groupby(cells).count()
        answer = session.evaluate(query, PureDPBudget(EPSILON)).toPandas()
        yield {"counts": answer.sort_values("cell")["count"]}


def keys(file):
    """bounds; the split of epsilon over finding keys and counting them"""
    data = spark().read.parquet(file)
    while True:
        session = Session.from_dataframe(ApproxDPBudget(EPSILON, DELTA), "words", data,
                                         protected_change=AddRowsWithID("unit"))
        bounded = QueryBuilder("words").enforce(MaxGroupsPerID("key", 5)).enforce(MaxRowsPerGroupPerID("key", 1))
        found = session.evaluate(bounded.get_groups(["key"]), ApproxDPBudget(EPSILON / 2, DELTA))
        query = bounded.groupby(KeySet.from_dataframe(found)).count()
        counts = session.evaluate(query, ApproxDPBudget(EPSILON / 2, 0)).toPandas().set_index("key")["count"]
        yield {"counts": counts.reindex(KEYS)}


def adult(file):
    """keys; rho for the guarantee, and its split over the tables"""
    data = spark().read.parquet(file)
    rho = rho_of(EPSILON, DELTA)
    while True:
        session = Session.from_dataframe(RhoZCDPBudget(rho), "rows", data, protected_change=AddOneRow())
        cells = []
        for table in TABLES:
            query = QueryBuilder("rows").groupby(KeySet.from_dict({c: list(range(ADULT[c])) for c in table})).count()
            answer = session.evaluate(query, RhoZCDPBudget(rho / len(TABLES))).toPandas()
            cells.append(answer.sort_values(list(table))["count"])
        yield {"cells": itertools.chain(*cells)}


def rho_of(epsilon, delta):
    """Returns the rho of which zCDP gives the guarantee, by the known conversion epsilon = rho + 2 sqrt(rho log 1/delta)."""
    log = -np.log(delta)
    return (np.sqrt(log + epsilon) - np.sqrt(log)) ** 2


def large(file):
    """bounds, keys"""
    data = spark().read.parquet(file)
    while True:
        session = Session.from_dataframe(PureDPBudget(EPSILON), "rows", data, protected_change=AddRowsWithID("unit"))
        query = (QueryBuilder("rows").enforce(MaxRowsPerID(5)).groupby(KeySet.from_dict({"category": CATEGORIES}))
                 .count())
        answer = session.evaluate(query, PureDPBudget(EPSILON)).toPandas()
        yield {"counts": answer.sort_values("category")["count"]}


def histogram(file):
    """keys"""
    data = spark().read.parquet(file)
    while True:
        session = Session.from_dataframe(PureDPBudget(PAPER_EPSILON), "rows", data, protected_change=AddOneRow())
        query = QueryBuilder("rows").groupby(KeySet.from_dict({"cell": list(range(DIMENSIONS))})).count()
        answer = session.evaluate(query, PureDPBudget(PAPER_EPSILON)).toPandas()
        yield {"counts": answer.sort_values("cell")["count"]}


main(tmlt.analytics.__version__,
     {f.__name__: f for f in (hours, groups, quantiles, wide, keys, adult, large, histogram)},
     {"mean": "no mean of a vector: its 100 columns would be 100 queries"})
