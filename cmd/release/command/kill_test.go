//go:build unix

package command

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

// At whatever moments runs are killed (SIGKILL), each data interval ends with one release under one
// charge, and its visible bytes never change.
func TestKilledAtRandom(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	p, kills := newProcesses(t, "sqlite:ledger.db", "1000"), 4
	if long() {
		kills = 500
	}
	begin := time.Now()
	if code := exit(p.start("colours", "2000-01-01")); code != 0 {
		t.Fatal("exit code", code)
	}
	whole, windows := time.Since(begin), 1
	for killed := 0; killed < kills; windows++ {
		day, seen := time.Date(2001, 1, windows, 0, 0, 0, 0, time.UTC).Format("2006-01-02"), ""
		for {
			cmd := p.start("colours", day)
			time.Sleep(time.Duration(rand.Int64N(int64(whole))))
			_ = cmd.Process.Kill() // it may have ended
			code := exit(cmd)
			now := p.visible("colours", day)
			if seen != "" && now != seen {
				t.Fatalf("%s: what was published changed", day)
			}
			if seen = now; code >= 0 && code != exitDone {
				t.Fatalf("%s: exit code %d: %s", day, code, cmd.Stderr)
			} else if code == exitDone {
				break
			}
			killed++
		}
	}
	p.settled(windows)
}

// killAt is the step at which a process of TestKilledAtEachStep kills itself.
const killAt = "DPRELEASE_TEST_KILL_AT"

// A run that is killed before or after any call of the sink and of the ledger ends, run again, in
// one release under one charge.
func TestKilledAtEachStep(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	p, stride := newProcesses(t, "sqlite:ledger.db", "1000"), 5
	if long() {
		stride = 1
	}
	windows := 0
	for step := 1; ; step += stride {
		windows++
		day := time.Date(2001, 1, windows, 0, 0, 0, 0, time.UTC).Format("2006-01-02")
		cmd := exec.Command(os.Args[0], "-test.run=^TestStepChild$")
		cmd.Dir = p.dir
		cmd.Env = append(os.Environ(), killAt+"="+strconv.Itoa(step), "DAY="+day)
		out, _ := cmd.CombinedOutput() // the outcome is checked below
		killed, seen := cmd.ProcessState.ExitCode() == -1, p.visible("colours", day)
		if !killed && !cmd.ProcessState.Success() {
			t.Fatalf("step %d: %s", step, out)
		}
		again := p.start("colours", day)
		if code := exit(again); code != exitDone {
			t.Fatalf("after step %d: exit code %d: %s", step, code, again.Stderr)
		}
		if now := p.visible("colours", day); now == "" || seen != "" && now != seen {
			t.Errorf("after step %d: what was published changed", step)
		}
		if !killed {
			break
		}
	}
	p.settled(windows)
	if windows < 4 {
		t.Errorf("only %d steps", windows)
	}
}

// If a process is killed before or after any call of the sink and of the ledger while a
// new release replaces an older one, the release folder always holds a release and none is lost.
func TestNewReleaseKilledAtEachStep(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	p, stride := newProcesses(t, "sqlite:ledger.db", "1000"), 7
	if long() {
		stride = 1
	}
	windows, exchanges := 0, exchanging(t, p.dir)
	for step := 1; ; step += stride {
		windows++
		day := time.Date(2001, 1, windows, 0, 0, 0, 0, time.UTC).Format("2006-01-02")
		if first := p.start("colours", day); exit(first) != exitDone {
			t.Fatal(first.Stderr)
		}
		old := p.visible("colours", day)
		cmd := exec.Command(os.Args[0], "-test.run=^TestStepChild$")
		cmd.Dir = p.dir
		cmd.Env = append(os.Environ(), killAt+"="+strconv.Itoa(step), "DAY="+day, killAgain+"=1")
		out, _ := cmd.CombinedOutput() // the outcome is checked below
		killed, seen := cmd.ProcessState.ExitCode() == -1, p.visible("colours", day)
		if !killed && !cmd.ProcessState.Success() {
			t.Fatalf("step %d: %s", step, out)
		}
		if seen == "" && exchanges {
			t.Errorf("step %d: no release is visible", step)
		}
		if killed {
			if again := p.start("colours", day, "--new-release"); exit(again) != exitDone {
				t.Fatalf("after step %d: %s", step, again.Stderr)
			}
		}
		now := p.visible("colours", day)
		if now == "" || now == old {
			t.Errorf("after step %d: %q is published, in place of %q", step, now, old)
		}
		for _, digest := range []string{old, seen} { // a second run may have made a third release
			if digest != now && digest != "" && !p.aside("colours", day, digest) {
				t.Errorf("after step %d: the release %s is lost", step, digest)
			}
		}
		if !killed {
			break
		}
	}
	if audit, err := p.book().Audit(t.Context()); err != nil || len(audit.Findings) > 0 {
		t.Fatal(err, audit.Findings)
	}
	if left, err := filepath.Glob(filepath.Join(p.dir, "*", ".staging*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	if windows < 4 {
		t.Errorf("only %d steps", windows)
	}
}

// aside reports whether a release was moved aside and is complete.
func (p *processes) aside(job, day, digest string) bool {
	found, err := sink.New().Inspect(context.Background(), filepath.Join(p.dir, "out-"+job, day+"."+digest[:8]))
	return err == nil && found == digest
}

// exchanging reports whether the file system of a folder can exchange two folders in one step.
func exchanging(t *testing.T, dir string) bool {
	t.Helper()
	one, staging := filepath.Join(dir, "one"), filepath.Join(dir, ".staging-other")
	release := filepath.Join(staging, "release")
	err := errors.Join(os.Mkdir(one, 0o700), os.MkdirAll(release, 0o700),
		os.WriteFile(filepath.Join(release, "release.json"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	err = sink.New().Exchange(t.Context(), staging, one, strings.Repeat("0", 64))
	if err := errors.Join(os.RemoveAll(one), os.RemoveAll(staging)); err != nil {
		t.Fatal(err)
	}
	return err == nil
}

// killAgain asks that process for a new release.
const killAgain = "DPRELEASE_TEST_KILL_NEW_RELEASE"

// TestStepChild is a run that kills itself; run directly, it does nothing.
func TestStepChild(t *testing.T) {
	at, err := strconv.Atoi(os.Getenv(killAt))
	if err != nil {
		t.Skip("a process of another test")
	}
	runToBeKilled(t, "colours.yaml", &killer{at: at}, pipeline.Silent{})
}

// runToBeKilled runs a job of the working directory.
func runToBeKilled(t *testing.T, job string, k *killer, o pipeline.Observer) {
	t.Helper()
	flags := &jobs.Flags{Params: []string{"day=" + os.Getenv("DAY")}, Workers: 1}
	a := &app{Console: console.New(nil, nil)}
	plan, err := flags.Load(t.Context(), a.Console, job)
	if err != nil {
		t.Fatal(err)
	}
	where, err := placeOf(flags, plan)
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlstore.Open(t.Context(), "ledger.db")
	if err != nil {
		t.Fatal(err)
	}
	book := ledger.NewBook(killStore{store, k}, time.Now)
	runner := protocol.Runner{
		Book: book, Sink: killSink{sink.New(), k}, Open: runjob.Opener(plan, where.limits, book.InputKey),
		Observer: o, Workers: 1, Program: runjob.Program(),
	}
	if _, err := runner.Run(t.Context(), protocol.Request{Plan: plan, Dir: where.dir,
		NewRelease: os.Getenv(killAgain) != ""}); err != nil {
		t.Fatal(err)
	}
}

// killer counts steps and kills the process at one of them.
type killer struct{ at, steps int }

func (k *killer) step() {
	if k.steps++; k.steps == k.at {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	}
}

func (k *killer) around(f func() error) error {
	k.step()
	err := f()
	k.step()
	return err
}

type killStore struct {
	ledger.Store
	*killer
}

func (s killStore) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.around(func() error {
		return s.Store.Update(ctx, func(tx ledger.Tx) error {
			err := fn(tx)
			s.step() // within the transaction
			return err
		})
	})
}

type killSink struct {
	pipeline.Sink
	*killer
}

func (s killSink) Prepare(staging string) error {
	return s.around(func() error { return s.Sink.Prepare(staging) })
}

func (s killSink) Stage(ctx context.Context, staging, note string, r *pipeline.Release) (digest string, err error) {
	err = s.around(func() (err error) {
		digest, err = s.Sink.Stage(ctx, staging, note, r)
		return err
	})
	return digest, err
}

func (s killSink) WriteMAC(staging, mac string) error {
	return s.around(func() error { return s.Sink.WriteMAC(staging, mac) })
}

func (s killSink) Publish(ctx context.Context, staging, dir string) error {
	return s.around(func() error { return s.Sink.Publish(ctx, staging, dir) })
}

func (s killSink) Exchange(ctx context.Context, staging, dir, digest string) error {
	return s.around(func() error { return s.Sink.Exchange(ctx, staging, dir, digest) })
}

func (s killSink) EndExchange(staging string) (moved string, err error) {
	err = s.around(func() (err error) {
		moved, err = s.Sink.EndExchange(staging)
		return err
	})
	return moved, err
}

func (s killSink) Discard(staging string) error {
	return s.around(func() error { return s.Sink.Discard(staging) })
}

// A run that receives SIGTERM while it reads cancels its reservation, reports this by its exit code,
// and leaves no file behind.
func TestTerminated(t *testing.T) {
	p := newProcesses(t, "sqlite:ledger.db", "1000")
	f, err := os.OpenFile(filepath.Join(p.dir, "people.csv"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 0, 1<<20)
	for i := 0; len(block) < 1<<20-20; i++ {
		block = fmt.Appendf(block, "%d,red\n", i)
	}
	for range 64 {
		if _, err := f.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := p.start("colours", "2001-01-01")
	staging := filepath.Join(p.dir, "out-colours", ".staging*")
	for found := []string{}; len(found) == 0; found, _ = filepath.Glob(staging) { // the pattern is well-formed
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	switch code := exit(cmd); code {
	case 143:
		runs, err := p.book().Runs(t.Context())
		if err != nil || len(runs) > 1 || len(runs) == 1 && runs[0].State != ledger.Cancelled {
			t.Errorf("%+v (%v)", runs, err)
		}
	case exitDone: // it had sealed already
	default:
		t.Errorf("exit code %d: %s", code, cmd.Stderr)
	}
	if left, _ := filepath.Glob(staging); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
