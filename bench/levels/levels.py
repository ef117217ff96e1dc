"""Nested levels beside BlueDown and its TopDown, on the noise of one release.

The program releases an invented state, and its published noisy numbers of each level are the measurements of
google-research/census-bluedown (arXiv 2603.10099), whose functions are called for a state with 8 cells a block. Both know
the state's total, publish non-negative integers that add up, and have no other constraints. Instead of Gurobi, which needs
a licence, Clarabel solves their least squares and SCIP their rounding; bounds are relaxed by SLACK, since totals of an
earlier pass agree only to the solver's precision and some groups would have no feasible point. An error is theirs: the sum
of absolute errors of a query's cells, a mean over the places of a level.

    pip install absl-py numpy pandas scipy pyarrow fsspec protobuf ortools clarabel
    python levels.py PROGRAM CHECKOUT TREE [RUNS [SEED [EPSILON]]]
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

# Trees: the least number of children of a place and one more than the most, by level; the share of last places without
# people; the concentration of the mix of kinds in a group of places; mean and deviation of the logarithm of a place's people.
TREES = {
    "state": (((5, 8), (2, 6), (2, 4), (2, 9)), 0.25, 0.4, (3, 1.2)),
    "skewed": (((3, 12), (1, 12), (1, 4), (1, 30)), 0.25, 0.4, (2, 2)),
    "deep": (((2, 4),) * 6, 0.25, 0.4, (3, 1.2)),
    "wide": (((60, 61), (8, 9)), 0.25, 0.4, (3, 1.2)),
    "empty": (((5, 8), (2, 6), (2, 4), (2, 9)), 0.8, 0.1, (3, 1.2)),
    "full": (((5, 8), (2, 6), (2, 4), (2, 9)), 0, 5, (6, 0.5)),
    "chains": (((4, 7), (1, 2), (1, 3), (1, 2), (2, 9)), 0.25, 0.4, (3, 1.2)),
    "uneven": (((2, 4), (1, 60), (1, 2), (1, 20)), 0.25, 0.4, (3, 1.2)),
    "flat": (((300, 301),), 0.25, 0.4, (3, 1.2)),
    "binary": (((2, 3),) * 7, 0.95, 0.4, (3, 1.2)),
    "dominated": (((3, 6), (3, 6), (2, 9)), 0.25, 0.4, (1, 3.5)),
}
SLACK = 1e-6
A, B = 4, 2  # kinds of people: cells of a block
WIDTH = 3  # digits of a place below its parent
SHAPE = (A, 1, 1, B)
QUERIES = {"total": (1, 1, 1, 1), "by a": (A, 1, 1, 1), "by b": (1, 1, 1, B), "by a and b": SHAPE}

JOB = """
version: 1
name: state
privacy: {epsilon: EPSILON, delta: 1e-6, unit: [person], per_unit: {max_rows: 1}}
input: {files: [people.parquet]}
queries:
  - name: people
    unit: people
    crosstabs:
      by:
        - {column: place, values_from: {file: places.csv, column: LAST}, levels: [LEVELS]}
        - {column: a, values: [a0, a1, a2, a3]}
        - {column: b, values: [b0, b1]}
      optimize: tables
      nonnegative: true
      integers: true
      known: [{level: level0, file: totals.csv, column: people}]
output: {dir: out, formats: [parquet]}
ledger: {store: "sqlite:ledger.db", dataset: state, budget: {epsilon: EPSILON, delta: 1e-5}}
"""


def invent(tree, rng):
    """Returns the places of each level, as names that begin with their parent's, and the cells of the last places."""
    children, empty, concentration, size = TREES[tree]
    places = [["s"]]
    for least, most in children:
        places.append([p + str(i).zfill(WIDTH) for p in places[-1] for i in range(rng.integers(least, most))])
    mixes = {}  # the kinds of people differ between the places two levels above the last
    cells = []
    for place in places[-1]:
        group = place[: 1 + (len(children) - 2) * WIDTH]
        if group not in mixes:
            mixes[group] = rng.dirichlet(np.full(A * B, concentration))
        people = 0 if rng.random() < empty else rng.lognormal(*size)
        cells.append(rng.multinomial(int(people), mixes[group]))
    return places, np.array(cells)


def sums(places, cells):
    """Adds the cells of the blocks up to all levels."""
    out = []
    for names in places:
        row = {p: i for i, p in enumerate(names)}
        level = np.zeros((len(names), A * B))
        np.add.at(level, [row[b[: len(names[0])]] for b in places[-1]], cells)
        out.append(level)
    return out


def release(program, folder, places, cells, epsilon):
    """Releases the table. Returns the noisy cells of each level, their variances, and the published cells."""
    levels = [f"level{l}" for l in range(len(places))]
    place, kind = np.nonzero(cells)
    number = cells[place, kind]
    names = np.array(places[-1])
    pd.DataFrame({
        "person": np.arange(number.sum()),
        "place": np.repeat(names[place], number),
        "a": np.repeat([f"a{k // B}" for k in kind], number),
        "b": np.repeat([f"b{k % B}" for k in kind], number),
    }).to_parquet(folder / "people.parquet")
    with open(folder / "places.csv", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(levels)
        out.writerows([p[: 1 + l * WIDTH] for l in range(len(levels))] for p in places[-1])
    (folder / "totals.csv").write_text(f"level0,people\ns,{cells.sum()}\n")
    job = JOB.replace("LEVELS", ", ".join(levels)).replace("LAST", levels[-1]).replace("EPSILON", epsilon)
    (folder / "job.yaml").write_text(job)
    subprocess.run([program, "run", "job.yaml"], cwd=folder, check=True, capture_output=True)
    drawn = pd.read_parquet(folder / "out" / "people.parquet")
    noisy, variances, made = [], [], []
    for level in levels:
        of = drawn[drawn.level == level]
        noisy.append(of.noisy.to_numpy().reshape(-1, A * B))
        variances.append(float(of.standard_deviation.iloc[0]) ** 2)
        table = pd.read_parquet(folder / "out" / f"people.{level}.parquet")
        made.append(table.estimate.to_numpy().reshape(-1, A * B))
    return noisy, variances, made


def bluedown(checkout):
    """Imports their package for a state of other cells and without structural zeros."""
    sys.path.insert(0, str(checkout))
    from census_bluedown import block, constants
    constants.CONSTRAIN_BOTTOM_UP = False  # there are no equality constraints below the state
    constants.DETAILED_QUERY_SHAPE = SHAPE
    constants.CENSUS_ROUNDER_SECOND_PASS_QUERY_SHAPES = tuple(QUERIES.values())
    from census_bluedown import estimate, linear_postprocessing, nonlinear_solver, root_optimization
    import clarabel
    from ortools.math_opt.python import mathopt
    from scipy import sparse
    settings = clarabel.DefaultSettings()
    settings.verbose = False

    class Solved(dict):
        """The values of variables, as a result of the solver has them."""

        def variable_values(self, x):
            return self[x]

    def do_solve(model):
        quadratic = {t.key: t.coefficient for t in model.objective.quadratic_terms() if abs(t.coefficient) > 1e-9}
        if not quadratic:
            result = mathopt.solve(model, mathopt.SolverType.GSCIP)
            if result.termination.reason != mathopt.TerminationReason.OPTIMAL:
                raise RuntimeError(result.termination)
            return result
        variables = list(model.variables())
        at = {x: i for i, x in enumerate(variables)}
        n = len(variables)
        p, q = sparse.lil_matrix((n, n)), np.zeros(n)
        for key, c in quadratic.items():
            i, j = sorted((at[key.first_var], at[key.second_var]))
            p[i, j] += 2 * c if i == j else c
        for t in model.objective.linear_terms():
            q[at[t.variable]] = t.coefficient
        equal, below = ([], []), ([], [])
        for c in model.linear_constraints():
            row = np.zeros(n)
            for t in model.row_nonzeros(c):
                row[at[t]] = c.get_coefficient(t)
            if c.lower_bound == c.upper_bound:
                equal[0].append(row)
                equal[1].append(c.upper_bound)
                continue
            for sign, bound in ((1, c.upper_bound), (-1, -c.lower_bound)):
                if np.isfinite(bound):
                    below[0].append(sign * row)
                    below[1].append(bound + SLACK)
        for x in variables:
            for sign, bound in ((1, x.upper_bound), (-1, -x.lower_bound)):
                if np.isfinite(bound):
                    row = np.zeros(n)
                    row[at[x]] = sign
                    below[0].append(row)
                    below[1].append(bound + SLACK)
        rows = np.array(equal[0])  # rounded totals of an earlier pass contradict each other by as much
        equal[1][:] = rows @ np.linalg.lstsq(rows, np.array(equal[1]), rcond=None)[0]
        solver = clarabel.DefaultSolver(
            sparse.csc_matrix(p), q, sparse.csc_matrix(np.array(equal[0] + below[0])), np.array(equal[1] + below[1]),
            [clarabel.ZeroConeT(len(equal[0])), clarabel.NonnegativeConeT(len(below[0]))], settings)
        found = solver.solve()
        if found.status not in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved):
            raise RuntimeError(found.status)
        return Solved((x, min(max(y, x.lower_bound), x.upper_bound)) for x, y in zip(variables, found.x))

    def variable_values(result, variables):
        values = [result.variable_values(x) if isinstance(x, mathopt.Variable) else x for x in variables]
        return [float(np.rint(x)) if abs(x - np.rint(x)) < 1e-4 else x for x in values]  # floors stay those of the solution

    nonlinear_solver.do_solve, nonlinear_solver.variable_values = do_solve, variable_values
    nonlinear_solver.index_constrained_to_zero = lambda **_: False
    nonlinear_solver.query_index_constrained_to_zero = lambda *_: False
    return block, constants, estimate, linear_postprocessing, nonlinear_solver, root_optimization


class Measured(dict):
    """The measurements of a place for TopDown: the cells, and their sum for the pass over totals alone."""

    def __init__(self, cells, variance):
        super().__init__({QUERIES["total"]: (np.array([cells.sum()]), A * B * variance), SHAPE: (cells, variance)})

    def __iter__(self):
        return iter([SHAPE])


def theirs(modules, places, noisy, variances, total, topdown):
    """Runs BlueDown, or their TopDown, and returns the cells of each level."""
    block, constants, estimate, linear, solver, root = modules
    shape = block.BlockShape(shape=SHAPE, num_asymmetric_features=3)
    lower = []
    if topdown:
        lower = [[Measured(y, v) for y in of] for of, v in zip(noisy, variances)]
    else:
        below = None
        for names, of, v in reversed(list(zip(places, noisy, variances))):
            df = linear.process_blocks(shape, pd.DataFrame({
                constants.ID: names, constants.QUERY_SHAPE: [SHAPE] * len(names),
                constants.VALUE: list(of), constants.VARIANCE: [v] * len(names)}))
            if below is not None:
                df = linear.bottom_up_step(shape, below, df)
            below = df
            found = dict(zip(df[constants.ID], df[constants.ESTIMATE]))
            lower.insert(0, [found[name] for name in names])
    most, least = [int(total)] * A, [0] * A
    kinds = constants.ObjectiveFunctionType
    optimize = root.run_baseline_root_optimization if topdown else root.run_root_optimization
    variables, result = optimize(shape, kinds.FULL, "", lower[0][0], most, least, total)
    values = np.array(solver.variable_values(result, variables))
    variables, result = root.run_root_optimization(
        shape, kinds.FULL_ROUNDER, "", estimate.Estimate(val=values, cov=np.array(0)), most, least, total)
    out = [[np.floor(values).astype(int) + solver.integer_variable_values(result, variables)]]
    passes = solver.run_node_baseline_passes if topdown else solver.run_node_optimization_passes
    for l in range(1, len(places)):
        children = {}
        for name, est in zip(places[l], lower[l]):
            children.setdefault(name[:-WIDTH], {})[name] = est
        made = {}
        for parent, cells in zip(places[l - 1], out[-1]):
            of = children[parent]
            made.update(passes(
                shape, constants.FULL_PASSES if l == len(places) - 1 else constants.ALL_PASSES, parent, list(of),
                np.array(cells), of, {c: most for c in of}, {c: least for c in of}))
        out.append([made[name] for name in places[l]])
    return [np.array(of, dtype=float) for of in out]


def errors(made, exact):
    """Returns the error of each level and query."""
    out = np.zeros((len(exact), len(QUERIES)))
    for l, (x, y) in enumerate(zip(made, exact)):
        d = (x - y).reshape(-1, A, B)
        out[l] = [np.abs(d.sum(axis=(1, 2))).mean(), np.abs(d.sum(axis=2)).sum(axis=1).mean(),
                  np.abs(d.sum(axis=1)).sum(axis=1).mean(), np.abs(d).sum(axis=(1, 2)).mean()]
    return out


def main():
    program, checkout, tree = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    runs = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    epsilon = sys.argv[6] if len(sys.argv) > 6 else "1"
    modules = bluedown(checkout)
    places, cells = invent(tree, np.random.default_rng(int(sys.argv[5]) if len(sys.argv) > 5 else 1))
    exact = sums(places, cells)
    found = {"ours": [], "BlueDown": [], "TopDown": []}
    while len(found["ours"]) < runs:
        with tempfile.TemporaryDirectory() as folder:
            noisy, variances, made = release(program, pathlib.Path(folder), places, cells, epsilon)
        try:
            others = [theirs(modules, places, noisy, variances, float(cells.sum()), topdown) for topdown in (False, True)]
        except RuntimeError as e:
            print(f"{e}: another release in its place", file=sys.stderr)  # their totals agree to the solver's precision only
            continue
        for name, tables in zip(found, [made, *others]):
            found[name].append(errors(tables, exact))
    print(f"{tree}: {cells.sum()} people in {', '.join(str(len(p)) for p in places)} places; epsilon {epsilon}, {runs} releases")
    print("| level | query | ours | BlueDown | TopDown | ours / BlueDown |\n|---|---|---|---|---|---|")
    for l, names in enumerate(places):
        for q, query in enumerate(QUERIES):
            of = [np.array(found[name])[:, l, q] for name in found]
            if of[0].mean() + of[1].mean() == 0:
                continue
            gap = of[0] - of[1]
            print(f"| {len(names)} places | {query} | " + " | ".join(f"{x.mean():.2f}" for x in of)
                  + f" | {of[0].mean() / of[1].mean():.3f} ± {gap.std(ddof=1) / runs**0.5 / of[1].mean():.3f} |")


main()
