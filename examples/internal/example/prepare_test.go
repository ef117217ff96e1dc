//go:build check

package example

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

const originalText = "a,b\n1,2\n"

// small is an example of one small file, which is known, in a folder with a job.
func small(t *testing.T) (e Example, dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "job.yaml"), "")
	return Example{
		Dir: "examples/small", Files: []File{{From: "sub/table.txt", To: "table.csv"}},
		Known:     map[string]string{"table.txt": fmt.Sprintf("%x", sha256.Sum256([]byte(originalText)))},
		NoArchive: "it never was published",
		Synthetic: func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "table.csv"), []byte("a,b\n"), 0o600)
		},
		Count: func(dir string) (int, error) {
			text, err := os.ReadFile(filepath.Join(dir, "table.csv"))
			return bytes.Count(text, []byte("\n")) - 1, err
		},
	}, dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func prepare(t *testing.T, e Example, dir string) string {
	t.Helper()
	var out bytes.Buffer
	if err := e.Execute(t.Context(), []string{"--prepare", "--dir", dir}, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return out.String()
}

// holds checks the contents of the prepared table, and that no other file is next to it.
func holds(t *testing.T, dir, want string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "data", "table.csv"))
	if err != nil || string(got) != want {
		t.Errorf("the table holds %q, %v; want %q", got, err, want)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "data.new*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFromFolder(t *testing.T) {
	e, dir := small(t)
	write(t, filepath.Join(dir, "data.new", "half.csv"), "left by a process that was killed")
	root := t.TempDir()
	t.Setenv("DPRELEASE_DATA", root)
	write(t, filepath.Join(root, "sub", "table.txt"), originalText)
	if out := prepare(t, e, dir); out != "data: public original, from the folder $DPRELEASE_DATA (1 rows)\n" {
		t.Errorf("%q", out)
	}
	holds(t, dir, originalText)
}

// A file that is not the original is refused: the next origin is tried, and the output reports it.
func TestSynthetic(t *testing.T) {
	other := t.TempDir()
	write(t, filepath.Join(other, "sub", "table.txt"), "a,b\n3,4\n")
	for root, reason := range map[string]string{
		"":          "the variable is not set",
		t.TempDir(): "it holds no sub/table.txt",
		other:       "table.txt is not the known original",
	} {
		t.Run(reason, func(t *testing.T) {
			e, dir := small(t)
			t.Setenv("DPRELEASE_DATA", root)
			out := prepare(t, e, dir)
			for _, want := range []string{
				"not from the folder $DPRELEASE_DATA: " +
					reason, "not from download: it never was published", "data: SYNTHETIC, all rows invented",
			} {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
			holds(t, dir, "a,b\n")
		})
	}
}

// A failure leaves the table unchanged.
func TestFailureKeepsTheTable(t *testing.T) {
	e, dir := small(t)
	t.Setenv("DPRELEASE_DATA", "")
	prepare(t, e, dir)
	e.Synthetic = func(string) error { return errors.New("disk full") }
	if err := e.Execute(t.Context(), []string{"--prepare", "--dir", dir}, t.Output()); err == nil ||
		!strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v, want one that says %q", err, "disk full")
	}
	holds(t, dir, "a,b\n")
}

// A new table with an old ledger causes a notice; the same table again does not.
func TestAnotherTable(t *testing.T) {
	e, dir := small(t)
	t.Setenv("DPRELEASE_DATA", "")
	prepare(t, e, dir)
	write(t, filepath.Join(dir, "ledger.db"), "")
	if out := prepare(t, e, dir); strings.Contains(out, "note:") {
		t.Error(out)
	}
	root := t.TempDir()
	t.Setenv("DPRELEASE_DATA", root)
	write(t, filepath.Join(root, "sub", "table.txt"), originalText)
	if out := prepare(t, e, dir); !strings.Contains(out, "note:") {
		t.Error(out)
	}
}

func TestWrongFolder(t *testing.T) {
	e, _ := small(t)
	if err := e.Execute(t.Context(), []string{"--dir", t.TempDir()}, t.Output()); err == nil ||
		!strings.Contains(err.Error(), "no job.yaml") {
		t.Errorf("error %v, want one that says %q", err, "no job.yaml")
	}
}

// A job that fails makes the example fail.
func TestReleaseFails(t *testing.T) {
	owntest.Slow(t)
	e, dir := small(t)
	t.Setenv("DPRELEASE_DATA", "")
	err := e.Execute(t.Context(), []string{"--dir", dir, "--job", "none.yaml", "--", "--quiet"}, t.Output())
	if err == nil || !strings.Contains(err.Error(), "release run failed") {
		t.Errorf("error %v, want one that says %q", err, "release run failed")
	}
}
