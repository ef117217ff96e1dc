//go:build unix

package command

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline/sqlpush/sqlpushtest"
)

// reader is a folder with a job about the table visits of a server.
type reader struct {
	*testing.T
	dir    string
	visits sqlpushtest.Visits
	server *sqlpushtest.Proxy
	admin  *sql.DB
}

func newReader(t *testing.T) *reader {
	t.Helper()
	dsn := ledgertest.Postgres(t).DSN(t)
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r := &reader{t, t.TempDir(), sqlpushtest.Visits{Rows: 300}, sqlpushtest.NewProxy(t, dsn), db}
	r.visits.Load(t, &sqlpushtest.Server{Exec: func(text string) error { _, err := db.Exec(text); return err }})
	r.write(sqlpushtest.VisitsJobs()["several"])
	return r
}

func (r *reader) write(job string) {
	r.Helper()
	job = strings.Replace(job, "dsn: unused", `dsn: "${env:DSN}"`, 1)
	points := filepath.Join(r.dir, "points.csv")
	if err := errors.Join(os.WriteFile(filepath.Join(r.dir, "job.yaml"), []byte(job), 0o600),
		os.WriteFile(points, []byte("id,lat,lon\none,10,0\ntwo,40,50\n"), 0o600)); err != nil {
		r.Fatal(err)
	}
}

// run runs a verb with a connection string. Nothing that it prints has a value of a row or a piece of the connection
// string.
func (r *reader) run(dsn string, args ...string) (out string, code int) {
	r.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), asRelease+"=1", "DSN="+dsn)
	all, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		r.Fatal(err)
	}
	if found := r.visits.Found(all); len(found) > 0 || bytes.Contains(all, []byte("127.0.0.1")) ||
		bytes.Contains(all, []byte("SECRET")) {
		r.Errorf("%v prints %v or the connection string: %s", args, found, all)
	}
	return string(all), cmd.ProcessState.ExitCode()
}

// check inspects all output of a run: it contains no value of a row; there is one release if one is expected, with one
// charge; without a release there may be no charge.
func (r *reader) check(released bool) (digest string) {
	r.Helper()
	err := filepath.Walk(r.dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if found := r.visits.Found(text); len(found) > 0 {
			r.Errorf("%s has values of rows: %v", path, found)
		}
		return err
	})
	if err != nil {
		r.Error(err)
	}
	store, err := sqlstore.Named(context.Background(), "sqlite:"+filepath.Join(r.dir, "ledger.db"), false)
	if err != nil {
		r.Fatal(err)
	}
	defer store.Close()
	s, err := ledger.NewBook(store, time.Now).Snapshot(r.Context())
	charges := 0
	for i := range s.Accounts {
		charges += s.Accounts[i].Runs
	}
	if err != nil || charges > 1 || released && charges != 1 {
		r.Errorf("%v: %d charges", err, charges)
	}
	digest, err = sink.New().Inspect(r.Context(), filepath.Join(r.dir, "out"))
	if released != (err == nil) {
		r.Errorf("a release: %v; %v", released, err)
	}
	return digest
}

// Whatever fails between the program and a server, no output, log or file contains a value of a row or the connection
// string. When it works again, there is one release and one charge.
func TestDatabaseFails(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	r := newReader(t)
	dsn := r.server.DSN + "&password=SECRET"
	failures := []struct {
		name         string
		dsn          string
		before, mend string // statements of another client
		cut          int
	}{
		{name: "cut while the columns are read", dsn: dsn, cut: 700},
		{name: "cut in an answer", dsn: dsn, cut: 3000},
		{name: "too slow", dsn: dsn + "&options=-c%20statement_timeout%3D1",
			before: "ALTER TABLE visits ALTER note TYPE text USING note || repeat('x', 100000)", mend: "ALTER TABLE visits ALTER note TYPE text USING left(note, 20)"},
		{name: "no such table", dsn: dsn, before: "ALTER TABLE visits RENAME TO away",
			mend: "ALTER TABLE away RENAME TO visits"},
		{name: "no such column", dsn: dsn, before: "ALTER TABLE visits RENAME zone TO place",
			mend: "ALTER TABLE visits RENAME place TO zone"},
	}
	charged := false
	for _, f := range failures {
		if f.before != "" {
			if _, err := r.admin.Exec(f.before); err != nil {
				t.Fatal(err)
			}
		}
		r.server.CutAfter(f.cut)
		out, code := r.run(f.dsn, "run", "job.yaml", "--log", "json")
		if code == exitDone {
			t.Errorf("%s: the run did not fail", f.name)
		}
		for _, theirs := range []string{"EOF", "canceling", "does not exist", "reset by peer", "ledger@",
			"statement_timeout"} {
			if strings.Contains(out, theirs) {
				t.Errorf("%s: what is printed is not ours: %s", f.name, out)
			}
		}
		if f.mend != "" {
			if _, err := r.admin.Exec(f.mend); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(filepath.Join(r.dir, "ledger.db")); err == nil {
			charged = true
			r.check(false)
		}
	}
	if !charged {
		t.Error("no run was charged before it failed")
	}
	r.server.CutAfter(0)
	if out, code := r.run(dsn, "run", "job.yaml", "--log", "json"); code != exitDone {
		t.Fatal(out)
	}
	first := r.check(true)
	if out, code := r.run(dsn, "run", "job.yaml", "--log", "json"); code != exitDone || r.check(true) != first {
		t.Error("a second run changed the release:", out)
	}
	if found := r.visits.Found(bytes.Join(r.server.Sent(), nil)); len(found) > 0 {
		t.Errorf("the server sent values of rows: %v", found)
	}
}

// If a query of the job fails for a value, the server's error contains that value. The program does not pass it on.
func TestDatabaseNamesAValue(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	r := newReader(t)
	job := sqlpushtest.VisitsJobs()["several"]
	r.write(strings.Replace(job, "table: visits",
		`query: "SELECT person, day, zone, amount, age, lon, t, CAST(CAST(note AS int) AS text) AS note FROM visits"`, 1))
	out, code := r.run(r.server.DSN, "run", "job.yaml", "--log", "json")
	if code == exitDone || !strings.Contains(out, "SQLSTATE 22: a value makes") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if len(r.visits.Found(bytes.Join(r.server.Sent(), nil))) == 0 {
		t.Error("the server does not name the value: the test sees nothing")
	}
	r.check(false)
}
