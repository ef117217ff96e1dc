package local_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/partial"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

const program = "of the test"

func runKey(tb testing.TB) partial.Key {
	tb.Helper()
	k, err := partial.NewKey(make([]byte, 32))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// sharded answers by writing a file for each of some shards and merging them.
type sharded struct {
	*local.Engine
	tb     testing.TB
	shards int
	tight  bool
}

// write writes the parts of all shards into a folder, and returns their paths in another order.
func (s sharded) write(ctx context.Context, p *pipeline.Plan, k partial.Key, dir string) ([]string, error) {
	paths := make([]string, s.shards)
	for _, i := range rand.Perm(s.shards) {
		var b bytes.Buffer
		if err := s.AggregateShard(ctx, p, pipeline.Silent{}, local.Shard{Number: i + 1, Of: s.shards}, k, program, &b); err != nil {
			return nil, err
		}
		paths[s.shards-1-i] = filepath.Join(dir, fmt.Sprintf("%d.part", i))
		if err := os.WriteFile(paths[s.shards-1-i], b.Bytes(), 0o600); err != nil {
			s.tb.Fatal(err)
		}
	}
	return paths, nil
}

func (s sharded) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	dir, err := os.MkdirTemp(stabilitytest.Folder(s.tb), "parts-*")
	if err != nil {
		s.tb.Fatal(err)
	}
	defer os.RemoveAll(dir)
	k := runKey(s.tb)
	paths, err := s.write(ctx, p, k, dir)
	if err != nil {
		return nil, err
	}
	open := local.OpenParts
	if s.tight {
		open = local.OpenPartsTight
	}
	m, err := open(paths, k, p, program, local.Limits{Workers: 2, Memory: 1 << 30, Scratch: dir})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	a, err := m.Aggregate(ctx, p, o)
	if err != nil {
		return nil, err
	}
	if again, err := m.Digest(ctx, p, o); err != nil || !bytes.Equal(again, a.Input) {
		s.tb.Errorf("digest %x, %v; aggregate said %x", again, err, a.Input)
	}
	return a, nil
}

func TestShardedConformance(t *testing.T) {
	for _, shards := range []int{1, 3, 7} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			enginetest.Suite(t, func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine {
				t.Helper()
				return sharded{local.New(dataset(t, p), workers), t, shards, false}
			})
		})
	}
}

// Shards and the merge that hold almost no rows in memory give the same answers.
func TestShardedConformanceWithoutMemory(t *testing.T) {
	enginetest.Suite(t, func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine {
		t.Helper()
		return sharded{local.NewTight(dataset(t, p), workers, t.TempDir()), t, 4, true}
	})
}

func openSharded(tb testing.TB) func(data *source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
	return func(data *source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
		e, ok := openTight(data, l, scratch).(*local.Engine)
		if !ok {
			tb.Fatal("no local engine")
		}
		return sharded{e, tb, 1 + (data.Splits()+l.Workers)%4, l.Tight}
	}
}

// The answers of neighbouring tables differ by at most the declared sensitivity if they come from shards.
func TestStabilityOfShards(t *testing.T) {
	all := labs(t, 2)
	for _, l := range all {
		l.Open = openSharded(t)
	}
	n := sized(t, 300, 300_000)
	s := stabilitytest.Search{Seed: stabilitytest.Seed(t), Pairs: n, PairsPerJob: 10, Writers: stabilitytest.Writers(), Labs: all}
	r := s.Run()
	t.Log(r)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
	if r.Pairs < n || 10*r.Skipped > r.Pairs {
		t.Errorf("of %d pairs %d were tried, and %d of these not written", n, r.Pairs, r.Skipped)
	}
}

const shardJob = `
version: 1
name: %s
privacy: {epsilon: 1, delta: 1e-6, unit: [u], per_unit: {max_rows: 2}}
input: {files: ["t*.csv"]}
queries: [{name: q, count: {}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

func shardPlan(t *testing.T, dir, question string) *pipeline.Plan {
	t.Helper()
	return enginetest.Plan(t, filepath.Join(dir, "job.yaml"), []byte(question))
}

// Files that are not one part of each shard of one run are refused, with a code and a remedy.
func TestPartsThatDoNotFit(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("t1.csv", "u\n1\n2\n")
	write("t2.csv", "u\n1\n")
	p := shardPlan(t, dir, fmt.Sprintf(shardJob, "a"))
	other := shardPlan(t, dir, fmt.Sprintf(shardJob, "a")[1:]+"\n")
	k := runKey(t)
	parts := func(p *pipeline.Plan, k partial.Key, n int) []string {
		t.Helper()
		to, err := os.MkdirTemp(dir, "parts-*")
		if err != nil {
			t.Fatal(err)
		}
		paths, err := sharded{local.New(dataset(t, p), 1), t, n, false}.write(t.Context(), p, k, to)
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	good, others := parts(p, k, 2), parts(other, k, 2)
	foreign, threes := parts(p, runKey(t), 2), parts(p, k, 3)
	question := shardPlan(t, dir, fmt.Sprintf(shardJob, "a")[1:])
	write("t3.csv", "u\n7\n")
	grown := parts(question, k, 2)
	cut := good[0] + ".cut"
	whole, err := os.ReadFile(good[0])
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{cut: whole[:len(whole)-1], good[0] + ".flip": bytes.Clone(whole), good[0] + ".text": []byte("u\n1\n"), good[0] + ".new": bytes.Clone(whole)}
	files[good[0]+".flip"][len(whole)-20] ^= 1
	files[good[0]+".new"][9]++ // the version
	for path, b := range files {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		paths         []string
		code, program string
	}{
		"all of it":       {good, "", program},
		"of a same job":   {[]string{good[0], others[1]}, "", program},
		"one is missing":  {good[:1], "shard-missing", program},
		"one twice":       {append(good[:1:1], good...), "shard-twice", program},
		"another count":   {append(good[:1:1], threes...), "shard-foreign", program},
		"another key":     {[]string{good[0], foreign[1]}, "shard-foreign", program},
		"another table":   {[]string{good[0], grown[1]}, "shard-foreign", program},
		"another program": {good, "shard-foreign", "newer"},
		"cut off":         {[]string{cut, good[1]}, "shard-damaged", program},
		"one bit":         {[]string{good[0] + ".flip", good[1]}, "shard-damaged", program},
		"another version": {[]string{good[0] + ".new", good[1]}, "shard-foreign", program},
		"no part":         {[]string{good[0] + ".text", good[1]}, "shard-foreign", program},
		"one is gone":     {[]string{"gone", good[1]}, "shard-missing", program},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := local.OpenParts(c.paths, k, p, c.program, local.Limits{})
			if err == nil {
				_, err = m.Aggregate(t.Context(), p, pipeline.Silent{})
			}
			var e *pipeline.Error
			if code := ""; errors.As(err, &e) {
				if code = e.Code; code != c.code || e.Hint == "" || e.Cause != pipeline.CauseInput {
					t.Errorf("%v", err)
				}
			} else if err != nil || c.code != "" {
				t.Errorf("%v, want %q", err, c.code)
			}
		})
	}
	changed := shardPlan(t, dir, strings.Replace(fmt.Sprintf(shardJob, "a"), "max_rows: 2", "max_rows: 3", 1))
	var e *pipeline.Error
	if _, err := local.OpenParts(good, k, changed, program, local.Limits{}); !errors.As(err, &e) || e.Code != "shard-foreign" {
		t.Errorf("another job: %v", err)
	}
	if _, err := local.OpenParts([]string{filepath.Join(dir, "gone")}, k, p, program, local.Limits{}); !errors.Is(err, pipeline.ErrInputGone) {
		t.Errorf("%v, want that the input is gone", err)
	}
}
