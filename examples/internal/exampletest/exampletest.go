// Package exampletest holds the helpers that the tests of the examples share. They run jobs in temporary folders and
// read exact answers through package mechanismtest.
package exampletest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/example"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// Folder copies the jobs of the package under test into a new folder dir with an empty folder data in it. replacements
// has pairs: a text that must be in a job, and the text to put in its place.
func Folder(t *testing.T, replacements ...string) (dir, data string) {
	t.Helper()
	dir = t.TempDir()
	jobs, err := filepath.Glob("*.yaml")
	if err != nil || len(jobs) == 0 {
		t.Fatalf("no jobs here: %v", err)
	}
	var all strings.Builder
	for _, name := range jobs {
		text := read(t, name)
		all.WriteString(text)
		put(t, filepath.Join(dir, name), strings.NewReplacer(replacements...).Replace(text))
	}
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(all.String(), replacements[i]) {
			t.Fatalf("no job holds %q", replacements[i])
		}
	}
	data = filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, data
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Original copies the original files of an example into the folder dir. It returns false if $DPRELEASE_DATA does not
// have them.
func Original(t *testing.T, e example.Example, dir string) bool {
	t.Helper()
	if found, _ := filepath.Glob(filepath.Join(os.Getenv("DPRELEASE_DATA"), e.Files[0].From)); len(found) == 0 {
		t.Logf("no public records: DPRELEASE_DATA names no folder with %s", e.Files[0].From)
		return false
	}
	Run(t, e, dir, "--prepare")
	return true
}

// Run runs an example in the folder dir and returns its output.
func Run(t *testing.T, e example.Example, dir string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := e.Execute(t.Context(), append([]string{"--dir", dir}, args...), &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return out.String()
}

// Plan returns the plan of the job file at path. Errors end the test.
func Plan(t *testing.T, path string, params map[string]string) *pipeline.Plan {
	t.Helper()
	plan, err := example.Plan(t.Context(), path, params)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Exact returns the exact counts of each count and histogram in a plan: [query][cell], with the queries in the order of
// the job.
func Exact(t *testing.T, plan *pipeline.Plan) [][]int64 {
	t.Helper()
	data, err := source.Open(t.Context(), wiring.SourceOptions(plan.Job()))
	if err != nil {
		t.Fatal(err)
	}
	engine := local.New(data, 2)
	defer engine.Close()
	if diags := plan.Check(engine.Schema()); len(diags) > 0 {
		t.Fatal(diags)
	}
	answers, err := engine.Aggregate(t.Context(), plan, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	var cells [][]int64
	for _, parts := range answers.Exacts {
		unit, counts := mechanismtest.Open(t, parts[0])
		for i := range counts {
			counts[i] = int64(float64(counts[i]) * unit) // exact: the quantum is a power of two
		}
		cells = append(cells, counts)
	}
	return cells
}

// Evaluate makes the figures of the example in dir with few releases, and returns the folder of the figures.
func Evaluate(t *testing.T, dir string, evaluate func(context.Context, example.At, *experiment.Session) error) string {
	t.Helper()
	out := filepath.Join(dir, "out")
	s, err := experiment.New(out, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	s.Quick = true
	if err := evaluate(t.Context(), example.At{Dir: dir}, s); err != nil {
		t.Fatal(err)
	}
	return out
}
