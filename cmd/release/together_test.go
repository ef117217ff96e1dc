package main

import (
	"fmt"
	"os/exec"
	"testing"

	"github.com/dprelease/dprelease/ledger/ledgertest"
)

// TestTogether: many processes of several jobs on one dataset at the same moment, with a budget for fewer: exactly so many are released.
func TestTogether(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { together(t, "sqlite:ledger.db") })
	t.Run("postgres", func(t *testing.T) { together(t, ledgertest.Postgres(t).DSN(t)) })
}

func together(t *testing.T, store string) {
	jobs, each, epsilon, fit := 4, 2, "1.9", 3 // mu² of epsilon 1.9 is that of 3.06 of epsilon 1
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
