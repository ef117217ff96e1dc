package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/owntest"
)

// Backups of a ledger are taken while many runs work: none fails or disturbs a run, each is a complete ledger whose
// entries are the first entries of the final ledger, and the last one, restored, finds a released job.
func TestBackupUnderLoad(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	jobs := 4
	if long() {
		jobs = 24
	}
	p := newProcesses(t, "sqlite:ledger.db", "1000")
	p.job("first")
	if code := exit(p.start("first", "2001-01-01")); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	var all []*exec.Cmd
	for i := range jobs {
		p.job(fmt.Sprint("job", i))
		all = append(all, p.start(fmt.Sprint("job", i), "2001-01-01"))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, cmd := range all {
			if code := exit(cmd); code != exitDone {
				t.Errorf("a run ended with %d: %s", code, cmd.Stderr)
			}
		}
	}()
	if err := os.Mkdir(filepath.Join(p.dir, "backup"), 0o700); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for working := true; working; taken++ {
		select {
		case <-done:
			working = false // one more, of the end
		default:
		}
		p.backup(fmt.Sprintf("backup/%d.db", taken), exitDone)
	}
	p.backup("backup/0.db", exitLedger) // it is a ledger already
	end := entriesOf(t, filepath.Join(p.dir, "ledger.db"))
	for i := range taken {
		copied := entriesOf(t, filepath.Join(p.dir, fmt.Sprintf("backup/%d.db", i)))
		if len(copied) == 0 || len(copied) > len(end) || copied[len(copied)-1].Hash != end[len(copied)-1].Hash {
			t.Errorf("backup %d has %d entries that are not the first of %d", i, len(copied), len(end))
		}
	}
	last := filepath.Join(p.dir, fmt.Sprintf("backup/%d.db", taken-1))
	if n := len(entriesOf(t, last)); n != len(end) {
		t.Errorf("the last backup has %d of %d entries", n, len(end))
	}
	if err := os.Rename(last, filepath.Join(p.dir, "ledger.db")); err != nil {
		t.Fatal(err)
	}
	before := p.visible("job0", "2001-01-01")
	if code := exit(p.start("job0", "2001-01-01")); code != exitDone || p.visible("job0", "2001-01-01") != before {
		t.Errorf("with the restored ledger a run ends with %d", code)
	}
	p.settled(jobs + 1)
}

// backup takes a backup, which must end with the given exit code.
func (p *processes) backup(file string, want int) {
	p.Helper()
	cmd := exec.Command(os.Args[0], "ledger", "backup", "sqlite:ledger.db", file)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), asRelease+"=1")
	out, _ := cmd.CombinedOutput() // the exit code is checked
	if code := cmd.ProcessState.ExitCode(); code != want {
		p.Errorf("%s: exit code %d, want %d: %s", file, code, want, out)
	}
}

// entriesOf reads and checks the entries of a ledger.
func entriesOf(t *testing.T, path string) []ledger.Entry {
	t.Helper()
	s, err := sqlstore.Named(context.Background(), "sqlite:"+path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	audit, err := ledger.NewBook(s, time.Now).Audit(context.Background())
	if err != nil || len(audit.Findings) > 0 {
		t.Fatal(path, err, audit)
	}
	return audit.Entries
}
