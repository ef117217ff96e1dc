package command

import (
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/ledger"
)

// app holds what all verbs share: the outputs, the flags of all verbs, and the metrics of a run.
type app struct {
	*console.Console
	metrics string // the value of --metrics as the user typed it
	checks  checkMode
	stdin   io.Reader // the answers that a person types
	last    lastRun
	added   []Verb // the verbs of release-full
}

// setJob records the name of the job whose outcome the metrics report.
func (a *app) setJob(name string) {
	a.last.Lock()
	defer a.last.Unlock()
	a.last.job = name
}

// checkMode is how a run treats data checks: the value of --data-checks.
type checkMode string

const (
	checksAuto   checkMode = "auto"
	checksShow   checkMode = "show"
	checksRefuse checkMode = "refuse"
	checksOff    checkMode = "off"
)

var checkModes = []string{string(checksAuto), string(checksShow), string(checksRefuse), string(checksOff)}

func (m *checkMode) String() string { return string(*m) }

// Set sets the mode to a value of the flag. It refuses an unknown one.
func (m *checkMode) Set(s string) error {
	if !slices.Contains(checkModes, s) {
		return console.Usagef("must be one of %s", strings.Join(checkModes, ", "))
	}
	*m = checkMode(s)
	return nil
}

func (m *checkMode) Type() string { return "mode" }

// lastRun holds the metrics of a run for the operator's monitoring. The mutex is needed, since a run may still be
// working while a signal makes the program write the metrics.
type lastRun struct {
	sync.Mutex
	file    string          // the file for Prometheus; "" without --metrics, and after the file was written
	job     string          // the job's name; "" if the command does not run a job
	command string          // the command, such as "ledger audit"
	balance *ledger.Balance // nil if the account's balance was not read
	waiting []ledger.Run    // charges of the dataset that have been reserved for long
}
