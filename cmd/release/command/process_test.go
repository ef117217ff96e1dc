package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/io/sink"
)

// asRelease makes the test binary the program itself.
const asRelease = "DPRELEASE_TEST_IS_RELEASE"

// long reports whether promises are tested at full size.
func long() bool { return os.Getenv("DPRELEASE_LONG") != "" }

// processJob is a dated job on a small table; %s are its name, a value that its filter excludes (no row has it: it
// changes the fingerprint), its folder, and its ledger's name and budget.
const processJob = `version: 1
name: %s
params: {day: {type: date, every: day}}
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {files: [people.csv], where: [{column: colour, not_in: [%s]}]}
queries:
  - name: colours
    histogram: {by: [{column: colour, values: [red, green, blue]}]}
output: {dir: "out-%s/${day}", formats: [parquet, csv]}
ledger: {store: "%s", dataset: people, budget: {epsilon: %s, delta: 1e-6}}
`

// processes is a folder with jobs that the program runs on as processes of its own.
type processes struct {
	*testing.T
	dir, store, epsilon string
}

func newProcesses(t *testing.T, store, epsilon string) *processes {
	t.Helper()
	p := &processes{t, t.TempDir(), store, epsilon}
	var table strings.Builder
	table.WriteString("person,colour\n")
	for i := range 2000 {
		fmt.Fprintf(&table, "%d,%s\n", i/2, []string{"red", "green", "blue"}[i%3])
	}
	p.write("people.csv", table.String())
	p.job("colours")
	return p
}

func (p *processes) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// job writes a job with a fingerprint of its own.
func (p *processes) job(name string) { p.presents(name, name) }

// presents writes a job with this name. Jobs with equal questions have equal fingerprints.
func (p *processes) presents(name, question string) {
	p.write(name+".yaml", fmt.Sprintf(processJob, name, question, name, p.store, p.epsilon))
}

// start starts the program on a job and a window.
func (p *processes) start(job, day string, more ...string) *exec.Cmd {
	p.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"run", job + ".yaml", "--param", "day=" + day, "--quiet"}, more...)...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), asRelease+"=1")
	cmd.Stderr = &strings.Builder{}
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = cmd.Process.Kill() }) // if the test gave up
	return cmd
}

// exit waits for a process and returns its exit code, or -1 if it was killed.
func exit(cmd *exec.Cmd) int {
	_ = cmd.Wait() // the exit code is in the state
	return cmd.ProcessState.ExitCode()
}

// book opens the ledger again.
func (p *processes) book() *ledger.Book {
	p.Helper()
	store := p.store
	if path, ok := strings.CutPrefix(store, "sqlite:"); ok {
		store = "sqlite:" + filepath.Join(p.dir, path)
	}
	s, err := sqlstore.Named(context.Background(), store, true)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = s.Close() })
	return ledger.NewBook(s, time.Now)
}

// visible returns the digest of an interval's release, "" if there is none, and fails if the folder holds anything
// else.
func (p *processes) visible(job, day string) string {
	p.Helper()
	dir := filepath.Join(p.dir, "out-"+job, day)
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	digest, err := sink.New().Inspect(context.Background(), dir)
	if err != nil {
		p.Errorf("half a release can be seen: %v", err)
	}
	return digest
}

// settled checks the end of a test: every run is published once, the audit succeeds, and no file is left behind.
func (p *processes) settled(releases int) {
	p.Helper()
	audit, err := p.book().Audit(context.Background())
	if err != nil || len(audit.Findings) > 0 {
		p.Fatal(err, audit.Findings)
	}
	s, err := p.book().Snapshot(context.Background())
	if err != nil {
		p.Fatal(err)
	}
	published := 0
	for i := range s.Runs {
		switch r := &s.Runs[i]; r.State {
		case ledger.Published:
			published++
			if _, digest, err := sink.ReadManifest(r.Charge.Dir); err != nil || digest != r.Digests.Release {
				p.Errorf("%s is not what the ledger has (%v)", r.Charge.Dir, err)
			}
		case ledger.Cancelled:
		default:
			p.Errorf("a run is %s: %v", r.State, r.Charge.Params)
		}
	}
	if published != releases || s.Accounts[0].Runs != releases {
		p.Errorf("%d releases are published and %d count, want %d", published, s.Accounts[0].Runs, releases)
	}
	left, err := filepath.Glob(filepath.Join(p.dir, "*", ".staging*"))
	if err != nil || len(left) > 0 {
		p.Errorf("left behind: %v (%v)", left, err)
	}
}
