"""mbi as its README says: measurements of marginals with noise by hand, and an estimate of the distribution."""

import warnings

import jax
import numpy as np
import optax
import pandas as pd
from importlib.metadata import version
from scipy.optimize import brentq
from scipy.stats import norm

from harness import ADULT, DELTA, EPSILON, TABLES, main

warnings.simplefilter("ignore")
jax.config.update("jax_enable_x64", True)
import mbi  # noqa: E402  it warns if it comes first
from mbi.extensions.mixture_of_products import MixtureOfProductsEstimator  # noqa: E402


def sigma_of(epsilon, delta):
    """Returns the Gaussian noise that the guarantee needs at sensitivity 1 (Balle & Wang 2018); mbi has no noise."""
    def excess(s):
        return norm.cdf(0.5 / s - epsilon * s) - np.exp(epsilon) * norm.cdf(-0.5 / s - epsilon * s) - delta
    return brentq(excess, 0.1, 100) * (1 + 1e-9)


def adult(file):
    """the noise itself, from numpy, which is no secure source; its size; which tables are measured; a mixture of 400
    products and its steps, since the graphical model of all pairs has 76 million cells"""
    table = pd.read_parquet(file)[list(ADULT)]
    domain = mbi.Domain.fromdict(ADULT)
    data = mbi.Dataset.from_pandas(table, domain) if hasattr(mbi.Dataset, "from_pandas") else mbi.Dataset(table, domain)
    pairs = [t for t in TABLES if len(t) == 2]
    sigma = sigma_of(EPSILON, DELTA) * np.sqrt(len(pairs))
    while True:
        measured = [mbi.LinearMeasurement(np.asarray(data.project(t).datavector()) + np.random.normal(0, sigma, domain.size(t)),
                                          t, stddev=sigma) for t in pairs]
        model = MixtureOfProductsEstimator(optimizer=optax.adam(0.1), num_components=400).estimate(
            domain, measured, iters=3000)
        yield {"cells": np.concatenate([np.asarray(model.project(t).datavector()) for t in TABLES])}


main(version("mbi"), {"adult": adult},
     {t: "mbi estimates tables from noisy tables; it has no noise and reads no such query"
      for t in ("hours", "groups", "quantiles", "wide", "keys", "large", "mean", "histogram")})
