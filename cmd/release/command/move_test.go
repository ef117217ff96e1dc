//go:build unix

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/owntest"
)

// A ledger moves to a server and back: each time the old one refuses to work, the new one has the release, and no
// password or user is printed.
func TestLedgerMovesToPostgresAndBack(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs the program in processes of its own, which the race detector does not join")
	}
	dsn, dir := ledgertest.Postgres(t).DSN(t), filepath.Join(t.TempDir(), "q")
	if err := copyQuickstart(dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LEDGER_DSN", dsn)
	file := filepath.Join(dir, "job.yaml")
	job, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	use := func(store string) {
		put(t, file, strings.Replace(string(job), "sqlite:ledger.db", store, 1))
	}
	run := func(want int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if code := execute(t.Context(), args, &out, &out); code != want {
			t.Fatalf("%v: exit code %d, want %d\n%s", args, code, want, &out)
		}
		if strings.Contains(out.String(), "ledger@") {
			t.Errorf("%v: the user is printed\n%s", args, &out)
		}
		return out.String()
	}
	run(exitDone, "run", file, "--quiet")
	run(exitDone, "ledger", "copy", file, "${env:LEDGER_DSN}")
	if text := run(exitLedger, "run", file, "--new-release"); !strings.Contains(text, "was moved to postgres://") {
		t.Error(text)
	}
	use("${env:LEDGER_DSN}")
	if text := run(exitDone, "run", file); !strings.Contains(text, "already released") {
		t.Error(text)
	}
	run(exitDone, "verify", filepath.Join(dir, "out"), "--job", file)
	run(exitDone, "run", file, "--new-release", "--quiet")
	run(exitDone, "ledger", "copy", file, "sqlite:"+filepath.Join(dir, "back.db"))
	run(exitLedger, "run", file)
	use("sqlite:back.db")
	run(exitDone, "run", file, "--new-release", "--quiet")
	run(exitDone, "ledger", "audit", file)
}
