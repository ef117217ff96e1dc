//go:build unix

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/pipeline"
)

// searchJob finds a bound on rows and a clamp.
const searchJob = `version: 1
name: found
params: {day: {type: text}}
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {files: [people.csv]}
queries:
  - {name: rows, count: {}, per_unit: {max_rows: discover, max_rows_up_to: 1000}}
  - {name: total, sum: {column: person, clamp: discover, range: [0, 1e9]}}
output: {dir: "out-found/${day}", formats: [csv], report: false}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 1000, delta: 1e-3}}
`

// killAtNoise is the report of noise at which a process of TestKilledBetweenSearchAndAnswer kills itself.
const killAtNoise = "DPRELEASE_TEST_KILL_AT_NOISE"

// A run that is killed before or after each search and answer has one charge with
// each search once, and leaves no noisy value behind. The next run makes the release under that charge, and every later
// run repeats its bytes, without a search.
func TestKilledBetweenSearchAndAnswer(t *testing.T) {
	owntest.Slow(t)
	notShort(t)
	p := newProcesses(t, "sqlite:ledger.db", "1000")
	p.write("found.yaml", searchJob)
	reports := 0
	for ; ; reports++ {
		day := strconv.Itoa(reports)
		cmd := exec.Command(os.Args[0], "-test.run=^TestSearchChild$")
		cmd.Dir = p.dir
		cmd.Env = append(os.Environ(), killAtNoise+"="+strconv.Itoa(reports+1), "DAY="+day)
		out, _ := cmd.CombinedOutput() // the outcome is checked below
		killed := cmd.ProcessState.ExitCode() == -1
		if !killed && !cmd.ProcessState.Success() {
			t.Fatalf("report %d: %s", reports, out)
		}
		if killed {
			left, err := filepath.Glob(filepath.Join(p.dir, "out-found", ".staging*", "release", "*"))
			if err != nil || len(left) > 0 {
				t.Errorf("report %d: left behind: %v (%v)", reports, left, err)
			}
			p.chargedOnce(day, ledger.Reserved)
		}
		var bytes string
		for range 2 {
			if again := p.start("found", day); exit(again) != exitDone {
				t.Fatalf("after report %d: %s", reports, again.Stderr)
			}
			now := p.visible("found", day)
			if now == "" || bytes != "" && now != bytes {
				t.Errorf("after report %d: other bytes are published", reports)
			}
			bytes = now
			p.chargedOnce(day, ledger.Published)
		}
		if !killed {
			break
		}
	}
	if reports != 5 { // before each query, after each search, and at the end
		t.Errorf("%d reports", reports)
	}
	p.settled(reports + 1)
}

// chargedOnce checks that a run is charged once, with each search once.
func (p *processes) chargedOnce(day string, state ledger.State) {
	p.Helper()
	s, err := p.book().Snapshot(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	charges := 0
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.Charge.Params["day"] != day {
			continue
		}
		charges++
		var names []string
		for _, m := range r.Charge.Mechanisms {
			names = append(names, m.Query)
		}
		if want := []string{"rows", "rows/max_rows", "total", "total/clamp"}; r.State != state || !slices.Equal(names, want) {
			p.Errorf("a run of day %s is %s, with mechanisms %s", day, r.State, strings.Join(names, ", "))
		}
	}
	if charges != 1 {
		p.Errorf("%d charges for day %s", charges, day)
	}
}

// TestSearchChild is a run that kills itself; run directly, it does nothing.
func TestSearchChild(t *testing.T) {
	at, err := strconv.Atoi(os.Getenv(killAtNoise))
	if err != nil {
		t.Skip("a process of another test")
	}
	runToBeKilled(t, "found.yaml", &killer{}, noiseObserver{&killer{at: at}})
}

// noiseObserver kills the process when noise is reported.
type noiseObserver struct{ *killer }

func (o noiseObserver) Progress(s pipeline.Stage, _, _ int) {
	if s == pipeline.StageNoise {
		o.step()
	}
}
