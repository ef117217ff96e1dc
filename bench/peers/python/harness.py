"""What all tools of the comparison share.

A tool is a script with one generator for each task, which reads the file and yields an answer for each run: a mapping
from what is asked to a list of estimates, or to the three lists estimates, lower and upper ends of 95 % intervals. The
generator is what a user writes, so its lines are counted. Its docstring says what had to be given by hand.
"""

import array
import inspect
import json
import os
import sys

EPSILON, DELTA = 1.0, 1e-6
PAPER_EPSILON, PAPER_DELTA = 0.1, 1e-4  # of the tasks "mean" and "histogram"
HOURS = list(range(24))
GROUPS = [f"group{i}" for i in range(10)]
QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95, 0.99]
WIDE = 1_000_000
KEYS = [f"key{i:05d}" for i in range(100_000)]
CATEGORIES = [f"category{i:02d}" for i in range(100)]
DIMENSIONS = 100
ADULT = {"workclass": 9, "education": 16, "marital_status": 7, "occupation": 15, "relationship": 6, "race": 5, "sex": 2,
         "native_country": 42, "income": 2}
# The columns of each table of Adult: single ones, then pairs.
TABLES = [(a,) for a in ADULT] + [(a, b) for i, a in enumerate(ADULT) for b in list(ADULT)[i + 1:]]


def lines_of(function):
    """Returns the number of lines of a function that are neither empty, comments nor its docstring."""
    text = inspect.getsource(function).split("\n")[1:]
    doc = len((function.__doc__ or "").split("\n")) if function.__doc__ else 0
    return sum(1 for line in text[doc:] if line.strip() and not line.strip().startswith("#"))


def main(version, tasks, refused, lines=None):
    """Answers the task of the command line: SCRIPT describe, or SCRIPT TASK FILE RUNS OUTPUT-FOLDER.

    tasks maps a task to its generator, refused a task to the reason why the tool has no answer. lines replaces the
    number of the user's lines of a task.
    """
    if sys.argv[1] == "describe":
        about = {t: {"lines": (lines or {}).get(t, lines_of(f)), "given": " ".join((f.__doc__ or "").split())}
                 for t, f in tasks.items()}
        print(json.dumps({"version": version, "tasks": about, "refused": refused}))
        return
    task, file, runs, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    answers = tasks[task](file)
    for _ in range(runs):
        for name, parts in next(answers).items():
            if not isinstance(parts, tuple):
                parts = (parts,)
            for part, ending in zip(parts, ("", ".low", ".high")):
                with open(os.path.join(out, name + ending), "ab") as f:
                    f.write(array.array("d", (float(x) for x in part)).tobytes())
        print("answered", flush=True)
