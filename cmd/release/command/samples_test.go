package command

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sampleJobs returns the jobs that users copy: every job file next to the format's, and every YAML block of every page,
// by their places.
func sampleJobs(t *testing.T) map[string][]byte {
	t.Helper()
	jobs := map[string][]byte{}
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		sample := filepath.Ext(path) == ".yaml" && filepath.Dir(path) == filepath.Join(root, "configs")
		if !sample && filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if sample {
			jobs[path] = text
			return nil
		}
		for i, block := range strings.Split(string(text), "\n```yaml\n")[1:] {
			code, _, whole := strings.Cut(block, "\n```")
			if !whole {
				t.Errorf("%s: YAML block %d has no end", path, i+1)
			}
			jobs[fmt.Sprintf("%s, block %d", path, i+1)] = []byte(code)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// Every sample can be planned: it is a valid job, its public files exist, and it meets its own max_error and budget.
func TestSampleJobsPlan(t *testing.T) {
	jobs := sampleJobs(t)
	if len(jobs) < 4 {
		t.Fatalf("only %d samples", len(jobs))
	}
	for name, text := range jobs {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TRIPS", dir)
			t.Setenv("LEDGER", "sqlite:"+filepath.Join(dir, "ledger.db"))
			for _, folder := range []string{"../../../configs", "../../../configs/testdata"} {
				public, err := filepath.Glob(folder + "/*.csv")
				if err != nil {
					t.Fatal(err)
				}
				for _, path := range public {
					if err := os.Symlink(absolute(t, path), filepath.Join(dir, filepath.Base(path))); err != nil {
						t.Fatal(err)
					}
				}
			}
			job := filepath.Join(dir, "job.yaml")
			if err := os.WriteFile(job, text, 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"plan", job}
			if bytes.Contains(text, []byte("${day}")) {
				args = append(args, "--param", "day=2013-01-31")
			}
			var out bytes.Buffer
			if code := execute(t.Context(), args, &out, &out); code != exitDone {
				t.Errorf("exit code %d\n%s", code, out.String())
			}
		})
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
