package command

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The canary is in every private column, in every form of a value. It must be nowhere but in the input.
const canary = "C4N4RY90210"

const canaryJob = `
version: 1
name: canary
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {files: [FILE], csv: {types: {age: int}}}
queries:
  - name: colours
    histogram: {by: [{column: colour, values: [red, green], other: bin, null: bin}]}
  - name: ages
    histogram: {by: [{column: age, edges: [0, 50, 100]}]}
  - name: texts
    histogram: {by: [{column: text, edges: [0, 1, 2]}]}
output: {dir: out, formats: [parquet, csv]}
ledger: {store: "sqlite:ledger.db", dataset: canary, budget: {epsilon: 10, delta: 1e-5}}
`

const canaryRows = `person,colour,age,text
C4N4RY90210,C4N4RY90210,C4N4RY90210,C4N4RY90210
"C4N4RY90210""",red,4,C4N4RY90210
C4N4RY90210,"unclosed C4N4RY90210
C4N4RY90210,C4N4RY90210,C4N4RY90210,C4N4RY90210,C4N4RY90210,C4N4RY90210
`

func TestCanary(t *testing.T) {
	for name, c := range map[string]struct{ file, content, job string }{
		"released":       {"in.csv", canaryRows, canaryJob},
		"not gzip":       {"in.csv.gz", canaryRows, canaryJob},
		"not zstd":       {"in.csv.zst", canaryRows, canaryJob},
		"not Parquet":    {"in.parquet", "PAR1" + canaryRows + "PAR1", canaryJob},
		"canary header":  {"in.csv", canary + "\n" + canaryRows, canaryJob},
		"long record":    {"in.csv", "person,colour,age,text\n\"" + strings.Repeat(canary, 2<<20), canaryJob},
		"wrong type":     {"in.csv", canaryRows, strings.Replace(canaryJob, "age: int", "age: float", 1)},
		"unknown column": {"in.csv", canaryRows, strings.Replace(canaryJob, "column: text", "column: txet", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			put(t, filepath.Join(dir, c.file), c.content)
			put(t, filepath.Join(dir, "job.yaml"), strings.Replace(c.job, "FILE", c.file, 1))
			var stdout, stderr bytes.Buffer
			for _, log := range []string{"text", "json"} {
				code := execute(context.Background(), []string{"run", filepath.Join(dir, "job.yaml"), "--log", log}, &stdout,
					&stderr)
				t.Logf("exit %d\n%s%s", code, &stdout, &stderr)
				if name == "released" && code != 0 {
					t.Error("the release failed")
				}
				if bytes.Contains(stdout.Bytes(), []byte(canary)) || bytes.Contains(stderr.Bytes(), []byte(canary)) {
					t.Error("the canary is in the output")
				}
			}
			search(t, dir, c.file)
		})
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// search looks for the canary in the names and the bytes of everything below dir but the input.
func search(t *testing.T, dir, input string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == input {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Contains(data, []byte(canary)) || strings.Contains(d.Name(), canary) {
			t.Errorf("the canary is in %s", d.Name())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
