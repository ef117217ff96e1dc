"""Jobs, releases, errors, and what is left of a process that was interrupted or killed."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import dprelease


def test_a_job_is_a_path_a_text_or_a_dict(job: dict[str, Any]) -> None:
    text = Path("job.yaml").read_text()
    assert dprelease.plan("job.yaml").json == dprelease.plan(text).json == dprelease.plan(Path("job.yaml")).json
    plan = dprelease.plan(job | {"input": {"files": ["trips.parquet"]}})
    assert plan.fits and [q.name for q in plan.queries] == ["hours", "boroughs"] and "hours: histogram" in repr(plan)
    assert not dprelease.plan(job | {"input": {"files": ["trips.parquet"]},
                                     "privacy": job["privacy"] | {"epsilon": 1000000}}).fits  # fmt: skip


def test_a_job_goes_through_a_file_where_descriptors_have_no_names(
    job: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = job | {"input": {"files": ["trips.parquet"]}}
    usual = dprelease.plan(text).json
    monkeypatch.setattr("dprelease._program._WINDOWS", True)
    assert dprelease.plan(text).json == usual
    with pytest.raises(dprelease.JobError) as wrong:
        dprelease.plan(text | {"queries": []})
    assert wrong.value.problems[0].file == "<job>"
    with pytest.raises(UnicodeEncodeError):
        dprelease.plan("name: \ud800\n")
    assert not list(Path().glob(".dprelease-job-*"))


def test_a_release_is_made_once(charges: Any) -> None:
    stages: list[tuple[str, int, int]] = []
    release = dprelease.run("job.yaml", progress=lambda *at: stages.append(at))
    assert release.status == "released" and {s[0] for s in stages} >= {"aggregate", "noise", "publish"}
    assert dprelease.run("job.yaml").status == "already-released" and charges() == 1
    assert [c.result for c in dprelease.verify(release) if c.name in ("digests", "noise", "ledger")] == ["pass"] * 3
    assert (release.epsilon, release.delta) == (1, 1e-6) and "differentially private" in release.statement
    (release.path / "trips_by_hour.csv").write_text("changed")
    with pytest.raises(dprelease.CheckError) as failed:
        dprelease.verify("out")
    assert failed.value.code == "digests" and failed.value.exit_code == 1


def test_tables_of_a_release() -> None:
    release = dprelease.run("job.yaml")
    table = release["trips_by_hour"]
    assert list(release) == ["trips_by_borough_and_payment", "trips_by_hour"] and len(table.rows()) == 24
    low, high = table.interval(hour_from=3)
    assert low < table.rows()[3]["noisy"] < high
    with pytest.raises(KeyError, match="no column hour: hour_from, "):
        table.interval(hour=3)
    with pytest.raises(KeyError, match="no table trips: trips_by_borough_and_payment, trips_by_hour"):
        release["trips"]
    with pytest.raises(KeyError, match="24 cells"):
        table.interval()
    with pytest.raises(KeyError):
        release["none"]
    page = release._repr_html_()
    assert page.count("<svg") == 2 and "differentially private" in page
    release.plot("trips_by_hour").save("hours.svg")
    assert Path("hours.svg").read_text().startswith("<?xml")
    with pytest.raises(dprelease.JobError):
        release.plot("none")
    sum = release.combine("trips_by_hour where hour_from in (8, 9)", minus=["trips_by_hour where hour_from = 3"])
    assert sum.noisy == table.rows()[8]["noisy"] + table.rows()[9]["noisy"] - table.rows()[3]["noisy"]
    share = release.combine("trips_by_hour where hour_from >= 12", of=["trips_by_hour"])
    assert share.ci95_low is not None and share.noisy is not None and 0 < share.ci95_low < share.noisy < 1
    with pytest.raises(dprelease.JobError, match="has no label"):
        release.combine("trips_by_hour where hour_from = 99")
    assert "<table>" in table._repr_html_() and "trips_by_hour" in repr(table)


def test_frames_of_a_release() -> None:
    table = dprelease.run("job.yaml")["trips_by_hour"]
    pytest.importorskip("pyarrow")
    assert table.to_arrow().num_rows == 24
    pytest.importorskip("pandas")
    assert list(table.to_pandas()["hour_from"]) == list(range(24))
    pytest.importorskip("polars")
    assert table.to_polars()["hour_from"].to_list() == list(range(24))


def test_a_preview_costs_nothing(charges: Any) -> None:
    preview = dprelease.preview("job.yaml", rows=1000)
    assert preview.synthetic and list(preview) == ["trips_by_borough_and_payment", "trips_by_hour"] and charges() == 0
    assert "sandbox" in preview._repr_html_()


def test_errors_have_code_place_and_hint(job: dict[str, Any], charges: Any) -> None:
    wrong = Path("job.yaml").read_text().replace("queries:", "querie:")
    with pytest.raises(dprelease.JobError) as e:
        dprelease.plan(wrong)
    line = wrong.splitlines().index("querie:") + 1
    unknown = next(p for p in e.value.problems if p.code == "unknown-key")
    assert unknown.place == f"<job>:{line}:1" and "queries" in unknown.hint and e.value.exit_code == 2
    with pytest.raises(dprelease.InputError) as gone:
        dprelease.run(Path("job.yaml").read_text().replace("trips.parquet", "none.parquet"))
    assert gone.value.code == "not-found" and gone.value.place == "none.parquet"
    with pytest.raises(dprelease.BudgetError):
        dprelease.run(job | {"privacy": job["privacy"] | {"epsilon": 1000000}, "input": {"files": ["trips.parquet"]}})
    with pytest.raises(TypeError, match="LEDGER"):
        dprelease.run("job.yaml", ledger="sqlite:x.db")
    assert charges() == 0


def test_status_of_a_dated_job() -> None:
    text = Path("job.yaml").read_text().replace("name: quickstart", "name: q\nparams: {day: {type: date, every: day}}")
    text = text.replace("dir: out ", 'dir: "out/${day}" ').replace("[trips.parquet]", '["trips.parquet"]\n  events: []')
    text = text.replace("  events: []", '  where: [{column: pickup, from: "${day}", for: 1d}]')
    found = dprelease.status(text, first="2026-11-01", last="2026-11-02")
    assert [(w.window, w.state) for w in found] == [("2026-11-01", "missing"), ("2026-11-02", "missing")]


def test_the_module_is_the_program() -> None:
    done = subprocess.run([sys.executable, "-m", "dprelease", "plan", "none.yaml"], capture_output=True, text=True)
    assert done.returncode == 2 and "none.yaml:1:1: unreadable" in done.stderr


KERNEL = """
import sys, dprelease
import pyarrow as pa, pyarrow.parquet as pq
job = eval(open("job.py").read())
table = pq.read_table("trips.parquet")
def batches():
    yield from table.to_batches()
    if sys.argv[1] == "wait":
        print("feeding", flush=True)
        import time; time.sleep(60)
dprelease.run(job, pa.RecordBatchReader.from_batches(table.schema, batches()))
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_table_that_stops_coming_charges_nothing(how: int, job: dict[str, Any], charges: Any) -> None:
    pytest.importorskip("pyarrow")
    Path("job.py").write_text(repr(job))
    kernel = subprocess.Popen([sys.executable, "-c", KERNEL, "wait"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert kernel.stdout and kernel.stdout.readline() == b"feeding\n"
    kernel.send_signal(how)
    assert kernel.wait(20) != 0
    kernel.stdout.close()
    again(job)
    assert charges() == 1


def test_a_kernel_that_is_killed_anywhere_leaves_one_charge(job: dict[str, Any], charges: Any) -> None:
    pytest.importorskip("pyarrow")
    Path("job.py").write_text(repr(job))
    for _ in range(8):
        kernel = subprocess.Popen([sys.executable, "-c", KERNEL, "run"], stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 1.5))
        kernel.kill()
        kernel.wait()
        assert charges() <= 1
    again(job)
    assert charges() == 1
    dprelease.verify("out")


def again(job: dict[str, Any]) -> None:
    """Run once more, as soon as the program of a killed process has ended."""
    import pyarrow.parquet as pq

    for _ in range(100):
        try:
            dprelease.run(job, pq.read_table("trips.parquet"))
            return
        except dprelease.BusyError:
            time.sleep(0.1)
    raise AssertionError("the run stays in use")


def test_ctrl_c_waits_for_the_program() -> None:
    """If the program is a child, Ctrl+C reaches both processes, and the exit code is the one of the program."""
    child = (
        "import signal, sys, time\n"
        "def end(*_):\n    time.sleep(0.5)\n    sys.exit(7)\n"
        "signal.signal(signal.SIGINT, end)\nprint('ready', flush=True)\ntime.sleep(60)"
    )
    parent = (
        f"import sys\nfrom dprelease.__main__ import wait_for\nsys.exit(wait_for([sys.executable, '-c', {child!r}]))"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout and process.stdout.readline() == b"ready\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait() == 7
