package beam

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/partial"
)

const setupJob = `
version: 1
name: ages
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 3}}
input: {files: [all.csv], csv: {types: {person: int, age: int}}}
queries:
  - {name: ages, histogram: {by: [{column: age, edges: [0, 20, 40, 60]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: ages, budget: {epsilon: 1, delta: 1e-6}}
`

// If a worker finds another file than the submitter found, it fails before it reads a byte of it.
func TestWorkerFindsOtherFiles(t *testing.T) {
	dir := t.TempDir()
	table, job := filepath.Join(dir, "all.csv"), filepath.Join(dir, "job.yaml")
	k, err := partial.NewKey(make([]byte, 32))
	if err := errors.Join(err, os.WriteFile(table, []byte("person,age\n1,20\n"), 0o600),
		os.WriteFile(job, []byte(setupJob), 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Setenv(KeyVariable, k.Reveal())
	task, submitter, err := NewTask(t.Context(), job, []byte(setupJob), nil, k, "of the test")
	if err != nil {
		t.Fatal(err)
	}
	defer submitter.Close()
	for content, want := range map[string]*Fault{"person,age\n1,20\n": nil, "person,age\n1,20\n2,30\n": Changed} {
		if err := os.WriteFile(table, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var w setup
		if err := w.make(task); err != nil {
			t.Fatal(err)
		}
		engine, err := w.open(t.Context(), local.Limits{Workers: 1})
		if FaultIn(err) != want || (err == nil) != (want == nil) {
			t.Errorf("%q: %v", content, err)
		}
		if err == nil {
			_ = engine.Close() // nothing was read
		}
	}
}

// A job with `checks` is refused before its input is opened: workers do not check columns.
func TestJobThatChecksColumnsIsRefusedBeforeItsInputIsOpened(t *testing.T) {
	k, err := partial.NewKey(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	job := filepath.Join(t.TempDir(), "job.yaml") // the input does not exist
	_, _, err = NewTask(t.Context(), job, []byte(setupJob+"data_checks: refuse\n"), nil, k, "of the test")
	var refused *pipeline.Error
	if !errors.As(err, &refused) || refused.Code != "data-checks-parts" {
		t.Fatal(err)
	}
}
