//go:build unix

package command

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/sink"
)

// The first signal ends the process even during a call that cannot be interrupted, such as a write to a pipe that
// nobody reads. The metrics show it.
func TestOneSignalEndsTheProcess(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := w.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	for err == nil { // until the pipe is full
		_, err = w.Write(make([]byte, 1<<10))
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "ledger", "audit", "--store", "sqlite:none.db", "--metrics", "m.prom")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asRelease+"=1")
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // if the test gave up
	_ = w.Close()                             // the process has its own
	time.Sleep(time.Second)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exit(cmd); code != stopped {
		t.Errorf("exit code %d", code)
	}
	metrics, err := os.ReadFile(filepath.Join(dir, "m.prom"))
	if want := `dprelease_last_command_exit_code{command="ledger audit"} 143`; err != nil || !strings.Contains(string(metrics), want) {
		t.Errorf("%v: %s", err, metrics)
	}
}

// stopJob is a job with every step that can take long: marginals that are made integers and agree, quantiles, graphs.
const stopJob = `version: 1
name: stop
params: {day: {type: date, every: day}}
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {files: [people.csv], csv: {types: {person: int}}}
queries:
  - name: tables
    crosstabs:
      by:
        - {column: person, from: 0, to: 1000, width: 50, as: a}
        - {column: person, from: 0, to: 1000, width: 40, as: b}
        - {column: colour, values: [red, green, blue]}
      ways: [1, 2]
      nonnegative: true
      integers: true
  - name: people
    histogram: {by: [{column: person, from: 0, to: 1000, width: 5}], quantiles: [0.5], cdf: true}
    denoise: [{method: nonnegative}]
output: {dir: "out/${day}", formats: [parquet, csv]}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 1000, delta: 1e-5}}
`

// stopped is the exit code after a SIGTERM, and signalled what is reported if the signal came before the program could
// handle it.
const (
	stopped   = 143
	signalled = -1
)

// TestStoppedAtAnyMoment sends one SIGTERM to each command that can take long, at moments of its work by a fixed seed.
// The process ends with the exit code of a stop or of success; no folder holds an incomplete release, and a stopped run
// costs nothing more when it is run again.
func TestStoppedAtAnyMoment(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	p := newProcesses(t, "sqlite:ledger.db", "1000")
	p.write("stop.yaml", stopJob)
	moments, windows := 1, 1
	r := rand.New(rand.NewPCG(19, 5))
	if long() {
		moments = 8
	}
	run := func(day string) []string { return []string{"run", "stop.yaml", "--quiet", "--param", "day=" + day} }
	if code, out := p.stop(0, run("2001-01-01")...); code != exitDone {
		t.Fatalf("exit code %d: %s", code, out)
	}
	for range moments {
		windows++
		day := time.Date(2001, 1, windows, 0, 0, 0, 0, time.UTC).Format("2006-01-02")
		window := []string{"stop.yaml", "--param", "day=" + day}
		commands := [][]string{
			run(day), // before a run that ends
			append([]string{"check", "--data"}, window...), append([]string{"plan"}, window...),
			append([]string{"preview"}, window...),
			{"backfill", "stop.yaml", "--from", day, "--to", day, "--quiet"}, // may finish the run that was stopped
			{"plot", "out/2001-01-01", "--query", "people", "--out", "plot.png"},
			{"denoise", "--input", "out/2001-01-01", "--query", "people", "--method", "auto", "--out", "better.csv"},
			{"report", "out/2001-01-01", "--out", "page.html"}, {"index", "out"},
			{"combine", "out/2001-01-01", "--sum", "people"},
			{"verify", "out/2001-01-01"}, {"selftest"}, {"columns", "people.csv"},
			{"calibrate", "compare", "--epsilon", "1", "--delta", "1e-6"},
			{"ledger", "audit", "--store", p.store}, {"status", "stop.yaml", "--from", "2001-01-01", "--to", day},
		}
		if !long() {
			commands = append(commands[:1:1], commands[1+r.IntN(len(commands)-1)]) // one of the others
		}
		for _, args := range commands {
			after := time.Duration(1 + r.Int64N(int64(time.Second)))
			code, out := p.stop(after, args...)
			unpublished := code == exitCheck && args[0] == "status"
			if !slices.Contains([]int{exitDone, exitBusy, stopped, signalled}, code) && !unpublished {
				t.Errorf("%q: exit code %d after %v: %s", args, code, after, out)
			}
		}
		if code, out := p.stop(0, run(day)...); code != exitDone {
			t.Errorf("%s: exit code %d: %s", day, code, out)
		}
		if _, err := sink.New().Inspect(t.Context(), filepath.Join(p.dir, "out", day)); err != nil {
			t.Errorf("%s: %v", day, err)
		}
	}
	p.settled(windows)
}

// stop runs the program and sends SIGTERM after some time, or never if that is 0. It fails if the process does not end.
func (p *processes) stop(after time.Duration, args ...string) (code int, output string) {
	p.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), asRelease+"=1")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	if after > 0 {
		defer time.AfterFunc(after, func() { _ = cmd.Process.Signal(syscall.SIGTERM) }).Stop() // it may have ended
	}
	deadline := time.AfterFunc(2*time.Minute, func() {
		p.Errorf("%q goes on after a signal", args)
		_ = cmd.Process.Kill()
	})
	defer deadline.Stop()
	return exit(cmd), out.String()
}

// A process ends within five seconds of the first signal, also if the processors are busy or it has much memory to give
// back.
func TestGrace(t *testing.T) {
	if grace+grace/10 >= 4*time.Second {
		t.Error(grace)
	}
}
