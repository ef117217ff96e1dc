package sqlstore_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
)

// Many processes charge different runs on the same new ledger, in which four fit. Exactly four succeed.
func TestProcessesNeverOverspend(t *testing.T) {
	t.Parallel()
	path, n := newPath(t), 12
	if os.Getenv("DPRELEASE_LONG") != "" {
		n = 32
	}
	var all []*process
	for i := range n {
		all = append(all, startProcess(t, "charge", path, fmt.Sprint("run ", i)))
	}
	count := map[string]int{}
	for _, p := range all {
		count[p.finish(t)]++
	}
	if count["charged"] != 4 || count["over"] != n-4 {
		t.Errorf("answers %v, want 4 charged and %d over", count, n-4)
	}
	if n, _ := total(t, path); n != 4 {
		t.Errorf("%d runs in the ledger, want 4", n)
	}
}

// Many processes of the same run reserve it once.
func TestProcessesReserveOnce(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var all []*process
	for range 8 {
		all = append(all, startProcess(t, "resumer", path, ""))
	}
	for _, p := range all {
		if got := p.finish(t); got != "charged" {
			t.Errorf("answer %q", got)
		}
	}
	b := ledger.NewBook(open(t, path), time.Now)
	if head, err := b.Head(t.Context()); err != nil || head.Seq != 2 {
		t.Errorf("%d entries, want a budget and a reservation (%v)", head.Seq, err)
	}
}

// A process that is killed at a random moment leaves a valid chain with everything that was reported durable, and at
// most one step more.
func TestKilled(t *testing.T) {
	t.Parallel()
	kills := 6
	if os.Getenv("DPRELEASE_LONG") != "" {
		kills = 200
	}
	path := newPath(t)
	said := map[string]string{}
	for i := range kills {
		p := startProcess(t, "work", path, fmt.Sprint("life ", i))
		note(said, p.line(t))
		time.Sleep(time.Duration(rand.IntN(50_000)) * time.Microsecond)
		for _, line := range p.kill(t) {
			note(said, line)
		}
	}
	_, states := total(t, path)
	order := map[string]int{"": 0, "reserved": 1, "sealed": 2, "published": 3}
	behind := 0
	for run, state := range states {
		ahead := order[string(state)] - order[said[run]]
		behind += ahead
		if ahead < 0 {
			t.Errorf("run %s was said to be %s, is %s", run, said[run], state)
		}
	}
	if behind > kills {
		t.Errorf("%d steps were recorded and not said, by %d processes", behind, kills)
	}
	for run := range said {
		if states[run] == "" {
			t.Errorf("run %s is lost", run)
		}
	}
}

func note(said map[string]string, line string) {
	if step, run, ok := strings.Cut(line, " "); ok && strings.HasPrefix(run, "life ") {
		said[run] = step
	}
}

// The unfinished transaction of a killed process is rolled back.
func TestKilledInTransaction(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	b := ledger.NewBook(open(t, path), time.Now)
	if _, err := b.Charge(t.Context(), tiny(t, "before")); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, "stall", path, "")
	p.line(t)
	if during, err := os.Stat(path); err != nil || during.Size() <= before.Size() {
		t.Errorf("the file did not grow within the transaction: the test shows little (%v)", err)
	}
	p.kill(t)
	if _, err := os.Stat(path + "-journal"); err != nil {
		t.Errorf("no journal was left to roll back: %v", err)
	}
	if _, err := b.Charge(t.Context(), tiny(t, "after")); err != nil {
		t.Fatal(err)
	}
	if n, _ := total(t, path); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
}

// A dead process holds no lock. A living one does.
func TestKilledHolder(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	p := startProcess(t, "hold", path, "run")
	p.line(t)
	if _, err := s.Lock(t.Context(), "run"); !errors.Is(err, ledger.ErrBusy) {
		t.Errorf("locked beside a living process: %v", err)
	}
	p.kill(t)
	unlock, err := s.Lock(t.Context(), "run")
	if err != nil {
		t.Fatalf("a dead process holds the lock: %v", err)
	}
	unlock()
}
