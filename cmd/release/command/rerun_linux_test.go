package command

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

// rerunJob has its input in a folder of its own, so that whoever looks into it can be seen.
const rerunJob = `version: 1
name: colours
params: {day: {type: date, every: day}}
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {files: [private/people.csv], where: [{column: day, in: ["${day}"]}]}
queries:
  - name: colours
    histogram: {by: [{column: colour, values: [red, green, blue]}]}
output: {dir: "out/${day}", formats: [FORMAT]}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 30, delta: 1e-6}}
`

// timed matches the parts of a log and metrics that differ between runs.
var timed = regexp.MustCompile(`"time":"[^"]*"|"run_id":"[^"]*"|(?m)^dprelease_last_run_timestamp_seconds.*$`)

// show runs the program and returns all that it shows: exit code, stdout, stderr, metrics and the files of the release.
func show(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], append(args, "--metrics", "run.prom")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asRelease+"=1")
	var out, err strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &err
	if failed := cmd.Run(); failed != nil && !errors.As(failed, new(*exec.ExitError)) {
		t.Fatal(failed)
	}
	text := []string{"exit " + cmd.ProcessState.String(), out.String(), err.String()}
	for _, from := range []string{"run.prom", "out"} {
		_ = filepath.WalkDir(filepath.Join(dir, from), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			text = append(text, path, string(data))
			return err
		})
	}
	return timed.ReplaceAllString(strings.Join(text, "\n"), "")
}

// looks watches a folder and returns how often it, or a file in it, was opened since the last call.
func looks(t *testing.T, dir string) func() int {
	t.Helper()
	watch, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Skipf("folders can't be watched here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Close(watch) })
	if _, err := syscall.InotifyAddWatch(watch, dir, syscall.IN_OPEN|syscall.IN_ACCESS); err != nil {
		t.Skipf("folders can't be watched here: %v", err)
	}
	return func() int {
		events, buffer := 0, make([]byte, 1<<16)
		for {
			n, err := syscall.Read(watch, buffer)
			if n <= 0 || err != nil {
				return events
			}
			events += n / syscall.SizeofInotifyEvent
		}
	}
}

const rerunTable = "day,person,colour\n2013-01-01,1,red\n2013-01-01,2,green\n2013-01-02,3,blue\n"

// fates are changes of an input.
var fates = map[string]func(path string) error{
	"the same": func(string) error { return nil },
	"one row more": func(path string) error {
		return os.WriteFile(path, []byte(rerunTable+"2013-01-01,9,red\n"),
			0o600)
	},
	"a row of today": func(path string) error {
		return os.WriteFile(path, []byte(rerunTable+"2013-01-09,9,red\n"),
			0o600)
	},
	"garbage":          func(path string) error { return os.WriteFile(path, []byte("\"\x00\xff"), 0o600) },
	"of other columns": func(path string) error { return os.WriteFile(path, []byte("x\n1\n"), 0o600) },
	"gone":             os.Remove,
	"without a folder": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
	"unreadable":       func(path string) error { return os.Chmod(path, 0) },
	"a folder":         func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	"a pipe":           func(path string) error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) },
}

// releasedJob returns a folder with a job whose release is published, and its input.
func releasedJob(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "private"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"private/people.csv": rerunTable, "job.yaml": strings.Replace(rerunJob, "FORMAT", "csv",
			1), "json.yaml": strings.Replace(rerunJob, "FORMAT", "json", 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := looks(t, filepath.Join(dir, "private"))
	if text := show(t, dir, "run", "job.yaml", "--param", "day=2013-01-01"); !strings.Contains(text, "colours: released") {
		t.Fatal(text)
	}
	if seen() == 0 {
		t.Fatal("a run that reads its input is not seen")
	}
	return dir
}

// A published job that is run again has the same output, whatever happened to its input, and the folder of the input is
// not opened: a run that depended on the input would reveal whether a person's rows are in it. This also holds for the
// job in another rendering.
func TestRerunShowsNothingOfTheInput(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs the program in processes of its own, which the race detector does not join")
	}
	first := releasedJob(t) // one for all, since each release has noise of its own
	for verb, args := range map[string][]string{
		"run":           {"run", "job.yaml", "--param", "day=2013-01-01"},
		"json":          {"run", "job.yaml", "--param", "day=2013-01-01", "--json", "--log", "json"},
		"elsewhere":     {"run", "job.yaml", "--param", "day=2013-01-01", "--out", "out/copy", "--data-checks", "refuse"},
		"backfill":      {"backfill", "job.yaml", "--from", "2013-01-01", "--to", "2013-01-01"},
		"merge":         {"merge", "job.yaml", "--param", "day=2013-01-01", "--key", "private/key", "private/1.part"},
		"as other file": {"run", "json.yaml", "--param", "day=2013-01-01"},
	} {
		shown := map[string]string{}
		for name, change := range fates {
			if !long() && !slices.Contains([]string{"the same", "one row more", "gone", "a pipe"}, name) {
				continue
			}
			dir := filepath.Join(t.TempDir(), "d")
			if err := errors.Join(os.CopyFS(dir, os.DirFS(first)), os.Chmod(filepath.Join(dir, "ledger.db"), 0o600),
				change(filepath.Join(dir, "private", "people.csv"))); err != nil {
				t.Fatal(err)
			}
			seen := func() int { return 0 }
			if _, err := os.Stat(filepath.Join(dir, "private")); err == nil {
				seen = looks(t, filepath.Join(dir, "private"))
			}
			text := strings.ReplaceAll(show(t, dir, args...), dir, "")
			if n := seen(); n > 0 {
				t.Errorf("%s, input %s: it was looked at %d times", verb, name, n)
			}
			if !strings.HasPrefix(text, "exit exit status 0\n") {
				t.Errorf("%s, input %s: %s", verb, name, text)
			}
			shown[name] = text
		}
		for name, text := range shown {
			if text != shown["the same"] {
				t.Errorf("%s, input %s:\n%s\nand the same input:\n%s", verb, name, text, shown["the same"])
			}
		}
	}
}
