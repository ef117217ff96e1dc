package duckdb

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/pipeline/sqlpush"
)

// built is the folder of the program, which TestMain removes; "" if the program was not built.
var built string

// build makes the program, once for all tests.
var build = sync.OnceValues(func() (path string, err error) {
	dir, err := os.MkdirTemp("", "release-full")
	if err != nil {
		return "", err
	}
	built, path = dir, filepath.Join(dir, "release-full")
	out, err := exec.Command("go", "build", "-o", path, "../release-full").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	if !sqlpush.HasDriver("duckdb") {
		fmt.Println("skipped: built without cgo, so there is no DuckDB")
		return
	}
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// programJob is a job about a Parquet file; %d is the number of times that each row is read.
const programJob = `version: 1
name: visits
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 3}}
input:
  sql: {driver: duckdb, query: "SELECT p.* FROM read_parquet('visits.parquet') AS p, range(%d)"}
  where: [{column: note, not_in: [test]}]
engine: database
queries:
  - {name: zones, histogram: {by: [{column: zone, values: [north, south, "it's"], null: bin, other: bin}]}}
  - {name: spent, sum: {column: amount, clamp: [0, 10], by: [{column: zone, values: [north, south]}]}}
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: visits, budget: {epsilon: 5, delta: 1e-4}}
`

// canary marks values that the job does not name. The tests look for it in all output.
const canary = "CANARY"

// place is a folder with a Parquet file, a job and a ledger.
type place struct {
	*testing.T
	dir, program string
}

func newPlace(t *testing.T, copies int) *place {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t, t.TempDir(), program}
	execute(t, "", fmt.Sprintf(`COPY (SELECT '%s' || i %% 400 AS person, CASE i %% 4 WHEN 0 THEN 'north' WHEN 1 THEN 'south' WHEN 2 THEN 'it''s' ELSE '%s' END AS zone,
		'%s' || i AS note, i * CAST(0.7071067 AS DOUBLE) AS amount FROM range(2000) AS r(i)) TO '%s' (FORMAT parquet)`, canary, canary, canary, filepath.Join(p.dir, "visits.parquet")))
	if err := os.WriteFile(filepath.Join(p.dir, "job.yaml"), fmt.Appendf(nil, programJob, copies), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs the program with a verb and fails if the output holds a value of a row.
func (p *place) run(args ...string) (out string, code int) {
	p.Helper()
	cmd := exec.Command(p.program, args...)
	cmd.Dir = p.dir
	all, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.Fatal(err)
	}
	if bytes.Contains(all, []byte(canary)) {
		p.Errorf("%v prints a value of a row: %s", args, all)
	}
	return string(all), cmd.ProcessState.ExitCode()
}

func (p *place) mustRun(args ...string) string {
	p.Helper()
	out, code := p.run(args...)
	if code != 0 {
		p.Fatalf("%v: exit code %d: %s", args, code, out)
	}
	return out
}

// replace replaces a text of the job.
func (p *place) replace(old, new string) {
	p.Helper()
	path := filepath.Join(p.dir, "job.yaml")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, bytes.Replace(text, []byte(old), []byte(new), 1), 0o600)
	}
	if err != nil {
		p.Fatal(err)
	}
}

// killAt starts a run and kills it when it reports that a stage has done some tenths of its work. ran is false if the
// run never reported that.
func (p *place) killAt(stage string, tenths int) (ran bool) {
	p.Helper()
	cmd := exec.Command(p.program, "run", "job.yaml", "--log", "json")
	cmd.Dir = p.dir
	log, err := cmd.StderrPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	for lines := bufio.NewScanner(log); lines.Scan() && !ran; {
		var line struct {
			Stage string
			Done  int
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Stage == stage && line.Done == tenths {
			ran = true
			_ = cmd.Process.Kill() // it may have ended
		}
	}
	_ = cmd.Wait() // it was killed
	return ran
}

// release returns the digest of all files of the release; "" if there is none.
func (p *place) release() string {
	p.Helper()
	sum := sha256.New()
	out := filepath.Join(p.dir, "out")
	if _, err := os.Stat(out); err != nil {
		return ""
	}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(canary)) {
			p.Errorf("%s has a value of a row", path)
		}
		fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// tables returns the noisy values of the release.
func (p *place) tables() (all string) {
	p.Helper()
	for _, name := range []string{"zones", "spent"} {
		text, err := os.ReadFile(filepath.Join(p.dir, "out", name+".csv"))
		if err != nil {
			p.Fatal(err)
		}
		all += string(text)
	}
	return all
}

// oneCharge checks that the ledger has one charge and valid entries, and that it holds no value of a row.
func (p *place) oneCharge() {
	p.Helper()
	store, err := sqlstore.Named(context.Background(), "sqlite:"+filepath.Join(p.dir, "ledger.db"), false)
	if err != nil {
		p.Fatal(err)
	}
	book := ledger.NewBook(store, time.Now)
	audit, err := book.Audit(p.Context())
	if err != nil || len(audit.Findings) > 0 {
		p.Errorf("%v: %+v", err, audit)
	}
	if s, err := book.Snapshot(p.Context()); err != nil || len(s.Accounts) != 1 || s.Accounts[0].Runs != 1 {
		p.Errorf("%v: %+v", err, s)
	}
	_ = store.Close() // it was only read
	files, err := filepath.Glob(filepath.Join(p.dir, "ledger.db*"))
	if err != nil || len(files) == 0 {
		p.Fatal(files, err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err != nil || bytes.Contains(text, []byte(canary)) {
			p.Errorf("%s has a value of a row (%v)", f, err)
		}
	}
}

// For a job about a Parquet file, the verbs plan, sql, run and verify work, and a repeated run returns the same
// release.
func TestProgram(t *testing.T) {
	p := newPlace(t, 1)
	p.mustRun("plan", "job.yaml")
	statements := p.mustRun("sql", "job.yaml")
	if !strings.Contains(statements, "read_parquet('visits.parquet')") || strings.Count(statements, "-- query ") != 2 {
		t.Errorf("the statements are %s", statements)
	}
	p.mustRun("run", "job.yaml")
	first := p.release()
	again := p.mustRun("run", "job.yaml")
	if now := p.release(); first == "" || now != first {
		t.Errorf("a second run changed the release: %s", again)
	}
	p.mustRun("verify", "out")
	p.oneCharge()
	tables := p.tables()
	p.replace("engine: database\n", "")
	if plan := p.mustRun("plan", "job.yaml"); !strings.Contains(plan, "this program reads the rows and adds them up: a query chooses") {
		t.Errorf("the plan does not say who adds the rows up: %s", plan)
	}
	// The run fingerprint is the same, so the noisy values are re-rendered and not drawn again. The other engine must
	// find the same input.
	p.mustRun("run", "job.yaml", "--compare-input")
	if p.release() == first || p.tables() != tables {
		t.Error("the other engine changed noisy values, or was not used")
	}
	p.mustRun("verify", "out")
	p.oneCharge()
}

// If a run is killed at the beginning of a statement, or anywhere between charge and publication, the next run makes
// one release with one charge.
func TestProgramKilled(t *testing.T) {
	stages, killed := []string{"charge", "aggregate", "noise", "denoise", "publish"}, 0
	p := newPlace(t, 30) // each row is read 30 times, so that there is time to kill a statement
	for _, stage := range stages {
		for _, tenths := range []int{0, 10} {
			if err := os.RemoveAll(filepath.Join(p.dir, "out")); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(p.dir, "ledger.db")); err != nil {
				t.Fatal(err)
			}
			if !p.killAt(stage, tenths) {
				continue
			}
			killed++
			seen := p.release()
			p.mustRun("run", "job.yaml", "--quiet")
			now := p.release()
			if now == "" || seen != "" && now != seen {
				t.Errorf("killed at %s, %d tenths: what was published changed", stage, tenths)
			}
			p.oneCharge()
			p.mustRun("run", "job.yaml", "--quiet")
			if p.release() != now {
				t.Errorf("killed at %s, %d tenths: a second run changed the release", stage, tenths)
			}
			p.mustRun("verify", "out")
		}
	}
	if killed < 6 {
		t.Errorf("only %d runs were killed", killed)
	}
}

// If the file is removed between two statements, the run fails with a clear message. When the file is back, the next
// run makes one release with one charge.
func TestProgramLosesItsInput(t *testing.T) {
	p := newPlace(t, 30)
	file := filepath.Join(p.dir, "visits.parquet")
	cmd := exec.Command(p.program, "run", "job.yaml", "--log", "json")
	cmd.Dir = p.dir
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(log); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), `"aggregate"`) && strings.Contains(lines.Text(), `"done":0`) {
			if err := os.Rename(file, file+".away"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the run did not fail")
	}
	if text := said.String(); strings.Contains(text, canary) || strings.Contains(text, "visits.parquet") ||
		!strings.Contains(text, "the database") {
		t.Errorf("the run said: %s", text)
	}
	if p.release() != "" {
		t.Error("there is a release")
	}
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	p.mustRun("run", "job.yaml")
	first := p.release()
	p.mustRun("run", "job.yaml")
	if first == "" || p.release() != first {
		t.Error("a second run changed the release")
	}
	p.oneCharge()
}
