"""The histogram tester of Google's DP-Auditorium on releases of our program.

testers.py CHECKOUT PROGRAM, with a checkout of github.com/google/differential-privacy. Each cell of a histogram, with a
row for a unit, is a sample of the mechanism: two tables of one and of two rows in each cell are 200,000 pairs of
neighbours. The tester states a lower bound of delta that is wrong with a probability of 1e-6. It must not exceed the
promised delta, and it must exceed it if far less epsilon is claimed than was promised: else it could find nothing.
"""

import pathlib
import subprocess
import sys
import tempfile
import types

import numpy as np
import pandas as pd

# Its packages import what needs TensorFlow and Vizier, which this tester does not: they are made empty here.
FOLDER = pathlib.Path(sys.argv[1]) / "python" / "dp_auditorium" / "dp_auditorium"
for name in ("dp_auditorium", "dp_auditorium.testers"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [str(FOLDER / name.partition(".")[2])]
from dp_auditorium.configs import privacy_property, property_tester_config  # noqa: E402
from dp_auditorium.testers import histogram_tester  # noqa: E402

PROGRAM = pathlib.Path(sys.argv[2]).resolve()
CELLS, WRONG = 200_000, 1e-6
JOB = """
version: 1
name: tested
privacy: {{epsilon: {epsilon}, delta: {delta}, unit: row}}
input: {{files: [rows.csv], csv: {{types: {{cell: int}}}}}}
queries:
  - {{name: counts, histogram: {{by: [{{column: cell, from: 0, to: {cells}, width: 1, last_edge: excluded}}]}}}}
output: {{dir: out, formats: [csv], report: false}}
ledger: {{store: "sqlite:ledger.db", dataset: tested, budget: {{epsilon: 60, delta: 1e-5}}}}
"""


def sample(epsilon, delta, rows):
    """Returns a noisy count of that many rows for each cell."""
    with tempfile.TemporaryDirectory() as folder:
        pd.DataFrame({"cell": np.repeat(np.arange(CELLS), rows)}).to_csv(f"{folder}/rows.csv", index=False)
        pathlib.Path(folder, "job.yaml").write_text(JOB.format(epsilon=epsilon, delta=delta, cells=CELLS))
        subprocess.run([PROGRAM, "run", f"{folder}/job.yaml", "--quiet"], check=True)
        return pd.read_csv(f"{folder}/out/counts.csv")["noisy"].to_numpy()


def bound(claimed, delta, with_row, without, spread):
    """Returns the tester's lower bound of delta at a claimed epsilon, the larger one of both directions."""
    config = property_tester_config.HistogramPropertyTesterConfig(
        approximate_dp=privacy_property.ApproximateDp(epsilon=claimed, delta=delta), test_discrete_mechanism=False,
        histogram_size=20, min_value=1.5 - 4 * spread, max_value=1.5 + 4 * spread, use_original_tester=False)
    tester = histogram_tester.HistogramTester(config)
    return max(tester.estimate_lower_bound(with_row, without, WRONG),
               tester.estimate_lower_bound(without, with_row, WRONG))


failed = False
for epsilon, delta in [(1, 0), (1, 1e-6), (8, 1e-6)]:
    without, with_row = sample(epsilon, delta, 1), sample(epsilon, delta, 2)
    spread = float(np.std(without))
    promised = bound(epsilon, max(delta, 1e-12), with_row, without, spread)
    far_less = bound(0.01, max(delta, 1e-12), with_row, without, spread)
    print(f"epsilon {epsilon}, delta {delta}: the promise's delta is at least {promised:.3g}; "
          f"at epsilon 0.01 at least {far_less:.3g}")
    failed |= promised > delta
    failed |= far_less <= 0 and (epsilon, delta) != (1, 1e-6)  # there 200,000 samples are too few to find it
sys.exit(1 if failed else 0)
