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
// Whoever gets a lock writes a note: the process, its host and the time. Whoever does not get it reads the note, so
// that an operator learns which process is in the way. The note decides nothing: the lock does. In SQLite it stands in
// the lock file, in one of slots places that the name's byte chooses. Two names may share a place; then one of their
// notes is missing. In PostgreSQL it is the name of the session.

const (
	slots    = 1 << 12
	slotSize = 256
)

// note returns the text of a holder: the process, the time and the host.
func note(now time.Time) string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return fmt.Sprintf("%d %s %s", os.Getpid(), now.UTC().Format(time.RFC3339), host)
}

// parseNote returns the error of a lock with this note. If the note is damaged, the error names no holder.
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

// writeNote writes the note of a lock that is held, behind the lock's byte. An error is ignored: a run does not fail
// because its note cannot be written.
func writeNote(f *os.File, at int64, text string) {
	p := make([]byte, slotSize)
	copy(p, strconv.FormatInt(at, 16)+" "+text)
	_, _ = f.WriteAt(p, slotOf(at))
}

// readNote returns the error of a lock that another call holds. A process that was killed leaves its note, too: a note
// of this host counts only if its process still runs.
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
	if held, ok := err.(*ledger.HeldError); ok { //nolint:errorlint // it was made here
		if host, _ := os.Hostname(); held.Host == host && gone(held.Process) {
			return ledger.ErrBusy
		}
	}
	return err
}
