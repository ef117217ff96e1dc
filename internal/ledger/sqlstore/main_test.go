package sqlstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
)

// # Processes
//
// The test binary runs itself as a child process, with one of these tasks in its environment, on the ledger at
// LEDGER_PATH.
const (
	taskVariable = "LEDGER_TASK"
	pathVariable = "LEDGER_PATH"
	nameVariable = "LEDGER_NAME"
)

var tasks = map[string]func(t *testing.T, s ledger.Store, name string) error{
	"charge":  chargeOnce,
	"work":    workForever,
	"stall":   stallInTransaction,
	"hold":    holdLock,
	"resumer": chargeShared,
}

// TestTask runs a task for another test. By itself it does nothing.
func TestTask(t *testing.T) {
	task := os.Getenv(taskVariable)
	if task == "" {
		t.Skip("a process of other tests")
	}
	name := os.Getenv(pathVariable)
	if !strings.HasPrefix(name, "postgres:") {
		name = "sqlite:" + name
	}
	s, err := sqlstore.Named(t.Context(), name, true)
	if err == nil {
		err = tasks[task](t, s, os.Getenv(nameVariable))
	}
	var over *ledger.OverBudgetError
	switch {
	case errors.As(err, &over):
		fmt.Println("over")
	case err != nil:
		fmt.Println("failed:", err)
		t.Fatal(err)
	}
}

// process is a running task.
type process struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startProcess(t *testing.T, task, path, name string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTask$", "-test.v=false")
	cmd.Env = append(os.Environ(), taskVariable+"="+task, pathVariable+"="+path, nameVariable+"="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &process{cmd, bufio.NewScanner(io.Reader(out))}
}

// line waits for the next line of the process.
func (p *process) line(t *testing.T) string {
	t.Helper()
	if !p.lines.Scan() {
		t.Fatal("the process ended early")
	}
	return p.lines.Text()
}

// kill kills the process (SIGKILL) and returns the lines that it had written.
func (p *process) kill(t *testing.T) (rest []string) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for p.lines.Scan() {
		rest = append(rest, p.lines.Text())
	}
	_ = p.cmd.Wait() // the error is the kill
	return rest
}

// finish waits for the process and returns its first line.
func (p *process) finish(t *testing.T) string {
	t.Helper()
	first := p.line(t)
	for p.lines.Scan() { // output of the testing package
	}
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
	return first
}

func chargeOnce(t *testing.T, s ledger.Store, name string) error {
	_, err := ledger.NewBook(s, time.Now).Charge(t.Context(), ledgertest.Quarter(t, name))
	if err == nil {
		fmt.Println("charged")
	}
	return err
}

func chargeShared(t *testing.T, s ledger.Store, _ string) error {
	return chargeOnce(t, s, "one run")
}

// workForever charges, seals and publishes tiny runs, and prints a line after each step.
func workForever(t *testing.T, s ledger.Store, name string) error {
	b, ctx := ledger.NewBook(s, time.Now), t.Context()
	for i := 0; ; i++ {
		c := tiny(t, fmt.Sprint(name, "-", i))
		r, err := b.Charge(ctx, c)
		if err != nil {
			return err
		}
		fmt.Println("reserved", c.Run)
		if err := b.Seal(ctx, r, ledgertest.Digests("a")); err != nil {
			return err
		}
		fmt.Println("sealed", c.Run)
		if err := b.Publish(ctx, c.Run, 1); err != nil {
			return err
		}
		fmt.Println("published", c.Run)
	}
}

func tiny(tb testing.TB, run string) ledger.Charge {
	c := ledgertest.Quarter(tb, run)
	c.Mechanisms[0].Sigma = 1e6
	return c
}

// stallInTransaction writes more than the page cache holds, so that the file itself changes, and then waits to be
// killed.
func stallInTransaction(t *testing.T, s ledger.Store, _ string) error {
	return s.Update(t.Context(), func(tx ledger.Tx) error {
		head, err := tx.Last()
		if err != nil {
			return err
		}
		for i := range int64(64) {
			e := ledger.Entry{Seq: head.Seq + 1 + i, Schema: 1, Time: time.Now(), Kind: "half", Body: make([]byte, 1<<17)}
			for j := range e.Body {
				e.Body[j] = 'x'
			}
			if err := tx.Append(e); err != nil {
				return err
			}
		}
		fmt.Println("stalled")
		time.Sleep(time.Hour)
		return nil
	})
}

func holdLock(t *testing.T, s ledger.Store, name string) error {
	if _, err := s.Lock(t.Context(), name); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Hour)
	return nil
}

func newPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "ledger.db")
}

func open(t *testing.T, path string) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// total returns the verified number of runs that count, and their states by name.
func total(t *testing.T, path string) (int, map[string]ledger.State) {
	t.Helper()
	b := ledger.NewBook(open(t, path), time.Now)
	if _, err := b.Entries(context.Background()); err != nil {
		t.Fatal(err)
	}
	runs, err := b.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]ledger.State{}
	for _, r := range runs {
		states[r.Charge.Run] = r.State
	}
	return len(runs), states
}
