//go:build unix

package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/owntest"
)

// Many processes of several jobs on one dataset run at the same moment, with a budget for fewer: exactly
// as many releases are made as fit.
func TestTogether(t *testing.T) {
	owntest.Slow(t)
	t.Run("sqlite", func(t *testing.T) { together(t, "sqlite:ledger.db") })
	t.Run("postgres", func(t *testing.T) { together(t, ledgertest.Postgres(t).DSN(t)) })
}

func together(t *testing.T, store string) {
	jobs, each, epsilon, fit := 4, 2, "1.9", 3 // mu² of epsilon 1.9 is 3.06 times mu² of epsilon 1
	if long() {
		jobs, each, epsilon, fit = 8, 4, "2.5", 5 // 5.01
	}
	p := newProcesses(t, store, epsilon)
	var all []*exec.Cmd
	for i := range jobs {
		p.job(fmt.Sprint("job", i))
	}
	for range each {
		for i := range jobs {
			all = append(all, p.start(fmt.Sprint("job", i), "2001-01-01"))
		}
	}
	for _, cmd := range all {
		if code := exit(cmd); code != exitDone && code != exitBudget && code != exitBusy {
			t.Errorf("exit code %d: %s", code, cmd.Stderr)
		}
	}
	seen := 0
	for i := range jobs {
		if p.visible(fmt.Sprint("job", i), "2001-01-01") != "" {
			seen++
		}
	}
	if seen != fit {
		t.Errorf("%d jobs are published, want %d", seen, fit)
	}
	p.settled(fit)
}

// Many processes run jobs with one fingerprint under different names at the same moment, and some
// are killed: there is one charge, one noise, and each name shows it.
func TestPresentTogether(t *testing.T) {
	owntest.Slow(t)
	names, rounds := 4, 2
	if long() {
		names, rounds = 16, 8
	}
	p := newProcesses(t, "sqlite:ledger.db", "1.1") // two do not fit
	for i := range names {
		p.presents(fmt.Sprint("name", i), "question")
	}
	for round := range rounds {
		var all []*exec.Cmd
		for i := range names {
			all = append(all, p.start(fmt.Sprint("name", i), "2001-01-01"))
		}
		for i, cmd := range all {
			if round < rounds-1 && i%2 == round%2 {
				time.Sleep(time.Duration(rand.Int64N(int64(100 * time.Millisecond))))
				_ = cmd.Process.Kill() // it may have ended
			}
			if code := exit(cmd); code >= 0 && code != exitDone && code != exitBusy {
				t.Errorf("exit code %d: %s", code, cmd.Stderr)
			}
		}
	}
	first := ""
	for i := range names {
		name := fmt.Sprint("name", i)
		for code := exitBusy; code == exitBusy; {
			cmd := p.start(name, "2001-01-01")
			if code = exit(cmd); code != exitDone && code != exitBusy {
				t.Fatalf("exit code %d: %s", code, cmd.Stderr)
			}
		}
		p.visible(name, "2001-01-01")
		noisy, err := os.ReadFile(filepath.Join(p.dir, "out-"+name, "2001-01-01", "colours.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(noisy)
		}
		if string(noisy) != first {
			t.Errorf("%s shows other noise", name)
		}
	}
	p.settled(1)
}
