package command

import (
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/ledger"
	"github.com/dprelease/dprelease/internal/regular"
)

// writeMetrics writes the outcome of a command to a file for the textfile collector of Prometheus' node exporter. The
// file appears complete or not at all. Only the first call writes.
func (a *app) writeMetrics(code int) {
	a.last.Lock()
	defer a.last.Unlock()
	file := a.last.file
	if file == "" {
		return
	}
	a.last.file = ""
	text := a.last.metrics(code, time.Now())
	// All users may read the file: the collector runs as another user, and nothing in the file is private.
	err := regular.Replace(file, 0o644, func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	})
	if err != nil {
		a.Errorf("warning: --metrics %s can't be written: %s\n", console.OneLine(file), regular.Reason(err))
	}
}

func (l *lastRun) metrics(code int, now time.Time) string {
	var b strings.Builder
	gauge := func(name, help, labels string, value any) {
		fmt.Fprintf(&b, "# HELP dprelease_%s %s\n# TYPE dprelease_%s gauge\ndprelease_%s{%s} %v\n", name, help, name, name,
			labels, value)
	}
	kind, labels, success := "run", "job="+label1(l.job), 0
	if l.job == "" {
		kind, labels = "command", "command="+label1(l.command)
	}
	if code == exitDone {
		success = 1
	}
	gauge("last_"+kind+"_timestamp_seconds", "When the last "+kind+" ended.", labels, now.Unix())
	gauge("last_"+kind+"_exit_code", "The exit code of the last "+kind+".", labels, code)
	gauge("last_"+kind+"_success", "Whether the last "+kind+" ended well.", labels, success)
	if l.balance != nil {
		dataset := "dataset=" + label1(l.balance.Account.Dataset)
		gauge("budget_mu2_spent", "What the dataset's budget has paid for, in mu squared.", dataset,
			ledger.Amount(l.balance.Spent, big.ToPositiveInf))
		gauge("budget_mu2_cap", "What the dataset's budget is, in mu squared.", dataset,
			ledger.Amount(l.balance.Cap, big.ToNegativeInf))
		gauge("charges_reserved_long", "How many charges have been reserved for more than an hour.", dataset, len(l.waiting))
	}
	return b.String()
}

// label1 returns a label's value, quoted and escaped for the text format of Prometheus.
func label1(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
