"""Runs the example under a real Airflow: `airflow dags test`, then a scheduler with LocalExecutor that backfills three
days, of which one worker is killed as its program starts, and one together with its program in the middle of its run.
Every day must be released once and charged once, and every OpenLineage event must be sound.

    python check_airflow.py        # in an environment with dprelease, apache-airflow and its OpenLineage provider
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dprelease

ROOT = Path(__file__).resolve().parents[2]
JOB = """\
version: 1
name: loans-by-branch
params: {day: {type: date, every: day}}
privacy: {epsilon: 0.3, delta: 1e-6, unit: [Member], per_unit: {max_rows: 2}}
input:
  files: [loans.txt]
  format: tsv
  csv: {encoding: windows-1252, types: {Day: date 2/1/2006}}
  where: [{column: Day, from: "${day}", for: 1d}]
queries:
  - name: loans_by_branch
    histogram: {by: [{column: Branch, values: [Central, North, Café Sud, Old Harbour], other: bin}]}
output: {dir: "out/${day}", formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: loans-2024, budget: {epsilon: 8, delta: 1e-5}}
"""
# Stands in front of the program. On the first try of 2 March the worker dies, and the program goes on without it; on
# that of 3 March both die as soon as the run has a staging folder, which is after its charge.
WRAPPER = """\
#!/bin/sh
case "$*" in
*run*day=2024-03-02*) if mkdir {folder}/killed-02 2>/dev/null; then kill -9 $PPID; fi ;;
*run*day=2024-03-03*)
  if mkdir {folder}/killed-03 2>/dev/null; then
    {program} "$@" & child=$!
    while kill -0 $child 2>/dev/null && ! ls -d {folder}/out/.staging-* >/dev/null 2>&1; do :; done
    kill -9 $child; kill -9 $PPID; exit 1
  fi ;;
esac
exec {program} "$@"
"""
DAYS = ["2024-03-01", "2024-03-02", "2024-03-03"]


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="check-airflow-"))
    shutil.copy(ROOT / "examples" / "library" / "loans.txt", folder)
    (folder / "job.yaml").write_text(JOB)
    program = dprelease.find_program()
    wrapper = folder / "program"
    wrapper.write_text(WRAPPER.format(folder=folder, program=program))
    wrapper.chmod(0o755)
    (folder / "dags").mkdir()
    dag = (ROOT / "examples" / "airflow" / "dag.py").read_text()
    dag = dag.replace("datetime(2026, 11, 1)", "datetime(2024, 2, 1), end_date=datetime(2024, 3, 4)").replace(
        "catchup=True", "catchup=False"
    )
    dag = dag.replace("timedelta(minutes=10)", "timedelta(seconds=1)").replace('"retry_exponential_backoff": True', "")
    (folder / "dags" / "dag.py").write_text(dag)
    lineage = folder / "lineage.jsonl"
    os.environ.update(
        AIRFLOW_HOME=str(folder),
        AIRFLOW__CORE__DAGS_FOLDER=str(folder / "dags"),
        AIRFLOW__CORE__LOAD_EXAMPLES="False",
        AIRFLOW__CORE__EXECUTOR="LocalExecutor",
        AIRFLOW__CORE__PARALLELISM="2",
        AIRFLOW__CORE__EXECUTION_API_SERVER_URL="http://localhost:18793/execution/",
        AIRFLOW__API__PORT="18793",
        AIRFLOW__API__WORKERS="1",
        AIRFLOW__API_AUTH__JWT_SECRET="of this check only" * 4,
        AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT="30",
        AIRFLOW__OPENLINEAGE__TRANSPORT=json.dumps({"type": "file", "log_file_path": str(lineage), "append": True}),
        DPRELEASE_JOB=str(folder / "job.yaml"),
        PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    )
    airflow("db", "migrate")

    # A dead endpoint of OpenLineage fails no task.
    dead = {"AIRFLOW__OPENLINEAGE__TRANSPORT": '{"type": "http", "url": "http://localhost:9", "timeout": 1}'}
    airflow("dags", "test", "dprelease_nightly", "2024-02-29", env=dead)
    assert (folder / "out" / "2024-02-28" / "release.json").exists()
    print("airflow dags test: released, with a dead OpenLineage endpoint")

    os.environ["DPRELEASE_PROGRAM"] = str(wrapper)
    airflow("dags", "reserialize")
    airflow("dags", "unpause", "dprelease_nightly")
    servers = [
        subprocess.Popen(["airflow", name], stdout=open(folder / f"{name}.log", "w"), stderr=subprocess.STDOUT,
                         start_new_session=True)
        for name in ("api-server", "scheduler", "dag-processor")
    ]  # fmt: skip
    try:
        airflow("backfill", "create", "--dag-id", "dprelease_nightly", "--from-date", "2024-03-01",
                "--to-date", "2024-03-03", "--max-active-runs", "1")  # fmt: skip
        wait(folder, servers)
    finally:
        for server in servers:
            os.killpg(server.pid, signal.SIGTERM)
        for server in servers:
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
    os.environ.pop("DPRELEASE_PROGRAM")
    assert all((folder / f"killed-0{n}").exists() for n in (2, 3)), "nobody was killed"
    for day in DAYS:
        dprelease.verify(folder / "out" / day)
    text = subprocess.run([program, "ledger", "export", "--store", f"sqlite:{folder}/ledger.db"], check=True,
                          capture_output=True, text=True).stdout  # fmt: skip
    charged = [str(e) for e in json.loads(text)["entries"]]
    for day in ["2024-02-28", *DAYS]:
        assert sum(day in e for e in charged) == 1, f"{day}: {charged}"
    check_lineage(lineage)
    print(f"backfill with LocalExecutor, workers killed: {len(DAYS)} days released, each charged once")
    shutil.rmtree(folder)


def airflow(*args: str, env: dict[str, str] | None = None) -> None:
    done = subprocess.run(["airflow", *args], env=os.environ | (env or {}), capture_output=True, text=True)
    assert done.returncode == 0, f"airflow {' '.join(args)}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def wait(folder: Path, servers: list["subprocess.Popen[bytes]"], patience: float = 900) -> None:
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = subprocess.run(["airflow", "dags", "list-runs", "dprelease_nightly", "--output", "json"],
                               capture_output=True, text=True)  # fmt: skip
        lines = [line for line in found.stdout.splitlines() if line.startswith("[{")]  # not those of the log
        runs = json.loads(lines[0]) if lines else []
        states = [r["state"] for r in runs if "backfill" in r["run_id"]]
        print("  backfill:", states, flush=True)
        assert "failed" not in states, f"see {folder}"
        if len(states) == len(DAYS) and set(states) == {"success"}:
            return
        assert all(s.poll() is None for s in servers), f"a server ended, see {folder}"
        time.sleep(5)
    raise AssertionError(f"not done in time, see {folder}")


def check_lineage(path: Path) -> None:
    """Each release's last event has the facts of the release, and nothing of its rows."""
    events = [json.loads(line) for line in path.read_text().splitlines()]
    done = [e for e in events if e["eventType"] == "COMPLETE" and "dprelease_privacy" in e["run"]["facets"]]
    assert len(done) >= len(DAYS), len(done)
    for event in done:
        facet = event["run"]["facets"]["dprelease_privacy"]
        assert (facet["epsilon"], facet["unit"], facet["dataset"]) == (0.3, "Member", "loans-2024"), facet
        assert [i["name"] for i in event["inputs"]] == ["loans.txt"]
        assert event["outputs"][0]["name"].endswith("loans_by_branch")


if __name__ == "__main__":
    main()
