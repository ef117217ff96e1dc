package airflow_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stub stands for the part of Airflow that the example uses. Executing the task prints how Airflow would take its end.
const stub = `
import subprocess, sys, types

class AirflowException(Exception): pass
class AirflowFailException(AirflowException): pass
class AirflowSkipException(AirflowException): pass

tasks = []

class DAG:
    def __init__(self, **kwargs): assert kwargs["catchup"] and kwargs["max_active_runs"] == 1
    def __enter__(self): return self
    def __exit__(self, *args): pass

class BaseOperator:
    def __init__(self, *, task_id): tasks.append(self)

class SubprocessHook:
    def run_command(self, command, env=None):
        return types.SimpleNamespace(exit_code=subprocess.run(command).returncode, output="")
    def send_sigterm(self): pass

for name, members in {
    "airflow": {"DAG": DAG},
    "airflow.exceptions": {"AirflowException": AirflowException, "AirflowFailException": AirflowFailException, "AirflowSkipException": AirflowSkipException},
    "airflow.hooks": {},
    "airflow.hooks.subprocess": {"SubprocessHook": SubprocessHook},
    "airflow.models": {},
    "airflow.models.baseoperator": {"BaseOperator": BaseOperator},
}.items():
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module

exec(compile(open("dag.py").read(), "dag.py", "exec"))
task, = tasks
for field in task.template_fields:
    setattr(task, field, getattr(task, field).replace("{{ ds }}", "2026-11-20"))
try:
    task.execute({})
    print("success")
except AirflowSkipException:
    print("skipped")
except AirflowFailException:
    print("failed")
except AirflowException:
    print("retried")
`

// An exhausted budget, a broken job and a check that is not met fail the task at once; nothing skips it; everything
// else is tried again.
func TestEndsOfTheTask(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the program in processes of its own, which the race detector does not join")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	bin := t.TempDir()
	for code, want := range map[string]string{
		"0": "success", "1": "failed", "2": "failed", "3": "retried", "4": "failed", "5": "retried", "6": "retried", "70": "retried", "75": "retried", "143": "retried",
	} {
		script := "#!/bin/sh\n[ \"$*\" = 'run /srv/dprelease/job.yaml --param day=2026-11-20 --log json --metrics " +
			"/var/lib/node_exporter/dprelease.prom' ] || exit 99\nexit " + code + "\n"
		if err := os.WriteFile(filepath.Join(bin, "release"), []byte(script), 0o755); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", stub) //nolint:gosec // both are of this test
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("exit code %s: %s (%v), want %s", code, got, err, want)
		}
	}
}
