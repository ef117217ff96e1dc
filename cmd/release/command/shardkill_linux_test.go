package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/owntest"
)

const shardKillJob = `
version: 1
name: shards
privacy: {epsilon: 1, delta: 1e-6, unit: [u], per_unit: {max_rows: 2}}
input: {files: ["t*.csv"], csv: {types: {u: int, x: int}}}
queries: [{name: x, histogram: {by: [{column: x, edges: [0, 10, 20, 40]}]}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: shards, budget: {epsilon: 1, delta: 1e-6}}
`

// shards are processes that aggregate three shards of a job.
type shards struct {
	*testing.T
	dir      string
	complete []string // the files that are there
}

const shardCount = 3

func newShards(t *testing.T) *shards {
	t.Helper()
	s := &shards{T: t, dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(s.dir, "parts"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(s.dir, "job.yaml"), shardKillJob)
	for i := range shardCount {
		var rows strings.Builder
		rows.WriteString("u,x\n")
		for k := range 60_000 {
			fmt.Fprintf(&rows, "%d,%d\n", k*7919%5000, (k+i)%40)
		}
		put(t, filepath.Join(s.dir, fmt.Sprintf("t%d.csv", i)), rows.String())
	}
	return s
}

func (s *shards) start(args ...string) *exec.Cmd {
	s.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Env, cmd.Stderr = s.dir, append(os.Environ(), asRelease+"=1"), &strings.Builder{}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	return cmd
}

// run runs a command and checks its exit code.
func (s *shards) run(want int, args ...string) {
	s.Helper()
	if cmd := s.start(args...); exit(cmd) != want {
		s.Fatalf("%v: exit code %d, want %d: %s", args, cmd.ProcessState.ExitCode(), want, cmd.Stderr)
	}
}

// there returns the names of the shards' files, made by any process.
func (s *shards) there() (names []string) {
	s.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, "parts"))
	if err != nil {
		s.Fatal(err)
	}
	for _, e := range entries {
		// a process was killed at the moment when its file got its name
		if !strings.HasPrefix(e.Name(), ".dprelease-new-") {
			names = append(names, filepath.Join("parts", e.Name()))
		}
	}
	return names
}

func (s *shards) aggregate(i int) []string {
	return []string{"aggregate", "job.yaml", "--key", "run.key", "--shard", fmt.Sprintf("%d/%d", i, shardCount), "--out",
		fmt.Sprintf("parts/%d.part", i)}
}

func (s *shards) merge() []string {
	return append([]string{"merge", "job.yaml", "--key", "run.key"}, s.complete...)
}

// duration returns how long a process takes that is not killed.
func (s *shards) duration() time.Duration {
	begin := time.Now()
	s.run(exitDone, s.aggregate(1)...)
	whole := time.Since(begin)
	if err := os.Remove(filepath.Join(s.dir, "parts", "1.part")); err != nil {
		s.Fatal(err)
	}
	return whole
}

// kill aggregates a shard, kills the process after a time, and reports whether its file exists. A time of 0 means that
// it is not killed.
func (s *shards) kill(i int, after time.Duration) bool {
	s.Helper()
	cmd := s.start(s.aggregate(i)...)
	if after > 0 {
		time.Sleep(after)
		_ = cmd.Process.Kill() // it may have ended
	}
	code, now, name := exit(cmd), s.there(), fmt.Sprintf("parts/%d.part", i)
	done := code == exitDone || code == -1 && slices.Contains(now, name) // killed after its file was complete
	if !done && code != -1 {
		s.Fatalf("exit code %d: %s", code, cmd.Stderr)
	}
	if done {
		s.complete = append(s.complete, name)
	}
	if !slices.Equal(now, s.complete) {
		s.Fatalf("%v are there, want %v", now, s.complete)
	}
	return done
}

// At whatever moments the processes of shards are killed (SIGKILL), a shard's file is
// complete if it exists, no other file is left, an incomplete set is not merged, and shards that are run again make the
// same release as one process, under one charge.
func TestShardsKilledAtRandom(t *testing.T) {
	owntest.Slow(t)
	kills := 6
	if long() {
		kills = 300
	}
	s := newShards(t)
	s.run(exitDone, "aggregate", "job.yaml", "--new-key", "run.key")
	whole := s.duration()
	for killed, i := 0, 1; i <= shardCount; {
		after := time.Duration(0)
		if killed < kills {
			after = 1 + time.Duration(rand.Int64N(int64(whole)))
		}
		if s.kill(i, after) {
			i++
		} else {
			killed++
		}
		if len(s.complete) > 0 && i <= shardCount {
			s.run(exitInput, s.merge()...)
		}
	}
	s.run(exitDone, s.merge()...)
	before, err := os.ReadFile(filepath.Join(s.dir, "out", "release.json"))
	if err != nil {
		t.Fatal(err)
	}
	s.run(exitDone, s.aggregate(2)...) // a scheduler that tries again
	s.run(exitDone, s.merge()...)
	s.run(exitDone, "run", "job.yaml") // the budget is spent: it finds the release of the same input
	if after, err := os.ReadFile(filepath.Join(s.dir, "out", "release.json")); err != nil ||
		string(after) != string(before) {
		t.Errorf("another release was made: %v", err)
	}
}
