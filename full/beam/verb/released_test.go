package verb

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/cmd/release/command"
)

// If a job is released already, a run returns the release and opens no input. With --new-release it needs the input.
func TestReleasedJobNeedsNoInput(t *testing.T) {
	const text = "version: 1\nname: n\nprivacy: {epsilon: 1, delta: 1e-6, unit: row}\ninput: {files: [t.csv]}\n" +
		"queries: [{name: q, count: {}}]\noutput: {dir: out}\n" +
		"ledger: {store: \"sqlite:ledger.db\", dataset: d, budget: {epsilon: 5, delta: 1e-4}}\n"
	dir := t.TempDir()
	job, table := filepath.Join(dir, "job.yaml"), filepath.Join(dir, "t.csv")
	for path, content := range map[string]string{job: text, table: "a\n1\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code := command.Run(t.Context(), "run", job, "--quiet"); code != 0 {
		t.Fatal(code)
	}
	manifest := filepath.Join(dir, "out", "release.json")
	before, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(table); err != nil {
		t.Fatal(err)
	}
	o := options{buckets: 1, ranges: 1, attempts: 1, workers: 1, stalled: 1, memory: "1GiB"}
	t.Setenv("TMPDIR", t.TempDir()) // a run sets it to a folder that it removes
	if code := o.run(job, []string{"--quiet"}); code != 0 {
		t.Errorf("exit code %d", code)
	}
	t.Setenv("TMPDIR", t.TempDir())
	if code := o.run(job, []string{"--quiet", "--new-release"}); code != exitInput {
		t.Errorf("a new release without an input: exit code %d", code)
	}
	t.Setenv("TMPDIR", t.TempDir())
	if code := o.run(job, []string{"--quiet", "--compare-input"}); code != exitInput {
		t.Errorf("an input to compare that is not there: exit code %d", code)
	}
	broken := filepath.Join(dir, "broken.yaml")
	if err := os.WriteFile(broken, []byte("version: 1\nname: n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	if code := o.run(broken, []string{"--quiet"}); code != exitUsage {
		t.Errorf("a job with problems: exit code %d", code)
	}
	if after, err := os.ReadFile(manifest); err != nil || string(after) != string(before) {
		t.Errorf("the release has other bytes: %v", err)
	}
}
