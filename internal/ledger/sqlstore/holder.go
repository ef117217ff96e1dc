package sqlstore

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
)

// Who holds a lock
//
// A process that gets a lock writes a note: its number, its host and the time. A process that does not get the lock
// reads the note, so that its error names the holder. The note is only for that message; the operating system or the
// database decides who holds the lock. Beside a SQLite file the note is in the lock file, at one of slots positions,
// which depends on the lock's name. Two names can have the same position; then the later note replaces the earlier one.
// In PostgreSQL the note is the name of the session.

const (
	slots    = 1 << 12
	slotSize = 256
)

// note returns the text of a note: the process, the time and the host.
func note(now time.Time) string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return fmt.Sprintf("%d %s %s", os.Getpid(), now.UTC().Format(time.RFC3339), host)
}

// parseNote returns the HeldError that a note describes, or ErrBusy if the note is damaged.
func parseNote(text string) error {
	fields := strings.Fields(text)
	if len(fields) < 2 || len(fields) > 3 {
		return ledger.ErrBusy
	}
	pid, err1 := strconv.Atoi(fields[0])
	since, err2 := time.Parse(time.RFC3339, fields[1])
	if err1 != nil || err2 != nil || pid <= 0 {
		return ledger.ErrBusy
	}
	held := &ledger.HeldError{Process: pid, Since: since}
	if len(fields) == 3 {
		held.Host = fields[2]
	}
	return held
}

func slotOf(at int64) int64 { return at % slots * slotSize }

// writeNote writes the note of the lock on byte at. It ignores errors: a run does not fail because its note cannot be
// written.
func writeNote(f *os.File, at int64, text string) {
	p := make([]byte, slotSize)
	copy(p, strconv.FormatInt(at, 16)+" "+text)
	_, _ = f.WriteAt(p, slotOf(at))
}

// readNote returns the error for the lock on byte at, which another call holds: a HeldError, or ErrBusy if the note
// does not name the holder. A killed process leaves its note, so a note from this host counts only if its process still
// runs.
func readNote(f *os.File, at int64) error {
	p := make([]byte, slotSize)
	if _, err := f.ReadAt(p, slotOf(at)); err != nil {
		return ledger.ErrBusy
	}
	text, own := strings.CutPrefix(strings.TrimRight(string(p), "\x00"), strconv.FormatInt(at, 16)+" ")
	if !own {
		return ledger.ErrBusy
	}
	err := parseNote(text)
	if held, ok := err.(*ledger.HeldError); ok { //nolint:errorlint // parseNote does not wrap it
		if host, _ := os.Hostname(); held.Host == host && hasEnded(held.Process) {
			return ledger.ErrBusy
		}
	}
	return err
}
