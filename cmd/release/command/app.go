package command

import (
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/ledger"
)

// app holds what all verbs share: their outputs, and the metrics of a run.
type app struct {
	*console.Console
	metrics string // --metrics as it was typed
	checks  checkMode
	stdin   io.Reader // for the answers of a person
	last    lastRun
	added   []Verb // the verbs of release-full
}

// setJob records the job whose outcome is to be written.
func (a *app) setJob(name string) {
	a.last.Lock()
	defer a.last.Unlock()
	a.last.job = name
}

// checkMode selects how a run treats data checks.
type checkMode string

const (
	checksAuto   checkMode = "auto"
	checksShow   checkMode = "show"
	checksRefuse checkMode = "refuse"
	checksOff    checkMode = "off"
)

var checkModes = []string{string(checksAuto), string(checksShow), string(checksRefuse), string(checksOff)}

func (m *checkMode) String() string { return string(*m) }

// Set refuses an unknown mode.
func (m *checkMode) Set(s string) error {
	if !slices.Contains(checkModes, s) {
		return console.Usagef("must be one of %s", strings.Join(checkModes, ", "))
	}
	*m = checkMode(s)
	return nil
}

// Type returns the name of the value's type in help texts.
func (m *checkMode) Type() string { return "mode" }

// lastRun holds the metrics of a run for the operator's monitoring. A run that does not end after a signal goes on
// while they are written.
type lastRun struct {
	sync.Mutex
	file    string          // for Prometheus; empty if there is none, and once it is written
	job     string          // empty if the command is not a run of a job
	command string          // such as "ledger audit"
	balance *ledger.Balance // nil if the account was not read
	waiting []ledger.Run    // charges of the account's dataset that have been reserved for long
}
