package local_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/sink"
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
	// partitions is how many partitions of units are merged apart; 0 if none are.
	partitions int
}

// write writes the parts of all shards into a folder, and returns their paths in another order.
func (s sharded) write(ctx context.Context, p *pipeline.Plan, k partial.Key, dir string) ([]string, error) {
	paths := make([]string, s.shards)
	for _, i := range rand.New(rand.NewPCG(uint64(s.shards), 1)).Perm(s.shards) {
		parts, to := writers(max(s.partitions, 1))
		if err := s.AggregateShard(ctx, p, pipeline.Silent{}, local.Shard{Number: i + 1, Of: s.shards}, k, program,
			to...); err != nil {
			return nil, err
		}
		paths[s.shards-1-i] = filepath.Join(dir, fmt.Sprintf("%d.part", i))
		for j := range parts {
			if err := os.WriteFile(paths[s.shards-1-i]+partition(j+1, s.partitions), parts[j].Bytes(), 0o600); err != nil {
				s.tb.Fatal(err)
			}
		}
	}
	if s.partitions == 0 {
		return paths, nil
	}
	return s.merge(ctx, p, k, dir, paths)
}

func writers(n int) (all []*bytes.Buffer, to []io.Writer) {
	for range n {
		b := &bytes.Buffer{}
		all, to = append(all, b), append(to, b)
	}
	return all, to
}

// partition is the end of the name of a partition's file.
func partition(number, of int) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprint(".", number)
}

// merge merges the files of each partition, and returns the paths of what they make.
func (s sharded) merge(ctx context.Context, p *pipeline.Plan, k partial.Key, dir string, paths []string) (merged []string, err error) {
	for _, j := range rand.New(rand.NewPCG(uint64(s.partitions), 2)).Perm(s.partitions) {
		var of []string
		for _, path := range paths {
			of = append(of, path+partition(j+1, s.partitions))
		}
		var b bytes.Buffer
		if err := local.MergePartition(ctx, of, k, p, program, local.Partition{Number: j + 1, Of: s.partitions},
			local.Limits{Workers: 2, Memory: 1 << 30, Scratch: dir}, pipeline.Silent{}, &b); err != nil {
			return nil, err
		}
		merged = append(merged, filepath.Join(dir, fmt.Sprintf("%d.merged", j+1)))
		if err := os.WriteFile(merged[len(merged)-1], b.Bytes(), 0o600); err != nil {
			s.tb.Fatal(err)
		}
	}
	return merged, nil
}

func (s sharded) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	dir, remove := stabilitytest.Temporary(s.tb)
	defer remove()
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
	for shards, partitions := range map[int]int{1: 0, 3: 2, 4: 5, 7: 0} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			enginetest.Suite(t, func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine {
				t.Helper()
				return sharded{local.New(dataset(t, p), workers), t, shards, false, partitions}
			})
		})
	}
}

// Shards and merges with almost no rows in memory give the same answers.
func TestShardedConformanceWithoutMemory(t *testing.T) {
	owntest.Slow(t)
	enginetest.Suite(t, func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine {
		t.Helper()
		return sharded{local.NewTight(dataset(t, p), workers, t.TempDir()), t, 4, true, 0}
	})
}

func openSharded(tb testing.TB) func(data *source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
	return func(data *source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
		e, ok := openTight(data, l, scratch).(*local.Engine)
		if !ok {
			tb.Fatal("no local engine")
		}
		shards := 1 + (data.Splits()+l.Workers)%4
		return sharded{e, tb, shards, l.Tight, []int{0, 2, 0, 3}[shards-1]}
	}
}

// If the answers for neighbouring tables come from shards, they differ by at most the declared sensitivity, and equal
// those of one process.
func TestStabilityOfShards(t *testing.T) {
	owntest.Slow(t)
	all := labs(t, 2)
	for _, l := range all {
		l.Open, l.Twin = openSharded(t), openTight
	}
	stable(t, &stabilitytest.Search{Seed: stabilitytest.Seed(t), PairsPerJob: 5,
		Pairs:   stabilitytest.Pairs(t, 150, 100_000),
		Writers: stabilitytest.Writers(), Labs: all, Mask: stabilitytest.WithoutUnits})
}

// Every kind of query has the same answers from shards as from one process.
func TestShardsAnswerEverything(t *testing.T) {
	owntest.Slow(t)
	lab := labs(t, 1)[0]
	lab.Open, lab.Twin = openSharded(t), openTight
	stabilitytest.AskEverything(t, lab, 3)
}

// stable runs a search. At least four fifths of its pairs must be compared: writers cannot write some, often all pairs
// of one job.
func stable(t *testing.T, s *stabilitytest.Search) {
	t.Helper()
	r := s.Run()
	t.Log(r)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
	if compared := r.Pairs - r.Skipped; 5*compared < 4*s.Pairs {
		t.Errorf("of %d pairs %d were compared", s.Pairs, compared)
	}
}

// Whole runs with answers from shards have the same output for neighbouring tables, except for noisy numbers.
func TestStabilityOfMergedRuns(t *testing.T) {
	lab := labs(t, 1)[0]
	lab.Open = openSharded(t)
	s := stabilitytest.Search{Seed: stabilitytest.Seed(t) + 1, Pairs: stabilitytest.Pairs(t, 15, 10_000), PairsPerJob: 2,
		Writers: stabilitytest.Writers(), Labs: []*stabilitytest.Lab{lab}, Mask: stabilitytest.WithoutUnits}
	r := s.RunBy(func(l *stabilitytest.Lab, c *stabilitytest.Case) (*stabilitytest.Finding, bool) {
		return c.Couple(t, l, func() pipeline.Sink { return sink.New() })
	})
	t.Log(r)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
	if compared := r.Pairs - r.Skipped; 5*compared < 4*s.Pairs {
		t.Errorf("of %d pairs %d were compared", s.Pairs, compared)
	}
}

const shardJob = `
version: 1
name: %s
privacy: {epsilon: 1, delta: 1e-6, unit: [u], per_unit: {max_rows: 2}}
input: {files: ["t*.csv"]}
queries: [{name: q, count: {}}, {name: h, histogram: {by: [{column: u, values: ["1", "7"]}]}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

func shardPlan(t *testing.T, dir, question string) *pipeline.Plan {
	t.Helper()
	return enginetest.Plan(t, filepath.Join(dir, "job.yaml"), []byte(question))
}

// shardFiles are files of shards of one table: complete sets, and files that do not belong to a set or are damaged.
type shardFiles struct {
	dir                             string
	key                             partial.Key
	plan, otherPlan, swapped        *pipeline.Plan
	good, others, foreign, threes   []string
	grown, changed                  []string // of the table with one file more; with a row more in a file
	cut, flipped, newer, unreadable string
}

func newShardFiles(t *testing.T) *shardFiles {
	t.Helper()
	dir := t.TempDir()
	write := func(path string, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "t1.csv"), []byte("u\n1\n2\n"))
	write(filepath.Join(dir, "t2.csv"), []byte("u\n1\n"))
	f := &shardFiles{dir: dir, key: runKey(t), plan: shardPlan(t, dir, fmt.Sprintf(shardJob, "a"))}
	parts := func(k partial.Key, n int) []string {
		t.Helper()
		to, err := os.MkdirTemp(dir, "parts-*")
		if err != nil {
			t.Fatal(err)
		}
		paths, err := sharded{local.New(dataset(t, f.plan), 1), t, n, false, 0}.write(t.Context(), f.plan, k, to)
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	f.good, f.others, f.foreign, f.threes = parts(f.key, 2), parts(f.key, 2), parts(runKey(t), 2), parts(f.key, 3)
	write(filepath.Join(dir, "t3.csv"), []byte("u\n7\n"))
	f.grown = parts(f.key, 2)
	if err := os.Remove(filepath.Join(dir, "t3.csv")); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(dir, "t1.csv"), []byte("u\n1\n2\n2\n"))
	f.changed = parts(f.key, 2)
	f.otherPlan = shardPlan(t, dir, strings.Replace(fmt.Sprintf(shardJob, "a"), "max_rows: 2", "max_rows: 3", 1))
	swapped := strings.NewReplacer("name: q, count: {}}, {", "", `"7"]}]}}]`,
		`"7"]}]}}, {name: q, count: {}}]`).Replace(fmt.Sprintf(shardJob, "a"))
	f.swapped = shardPlan(t, dir, swapped)
	whole, err := os.ReadFile(f.good[0])
	if err != nil {
		t.Fatal(err)
	}
	f.cut, f.flipped, f.newer, f.unreadable = f.good[0]+".cut", f.good[0]+".flip", f.good[0]+".new", f.good[0]+".text"
	write(f.cut, whole[:len(whole)-1])
	flipped, newer := bytes.Clone(whole), bytes.Clone(whole)
	flipped[len(whole)-20] ^= 1
	newer[9]++ // the version
	write(f.flipped, flipped)
	write(f.newer, newer)
	write(f.unreadable, []byte("u\n1\n"))
	return f
}

// Files that are not exactly one part for each shard of one run are refused, with a code and a hint.
func TestPartsThatDoNotFit(t *testing.T) {
	f := newShardFiles(t)
	for name, c := range map[string]struct {
		paths         []string
		code, program string
		plan          *pipeline.Plan
	}{
		"all of it":      {f.good, "", program, f.plan},
		"of a same job":  {[]string{f.good[0], f.others[1]}, "", program, f.plan},
		"one is missing": {f.good[:1], "shard-missing", program, f.plan},
		"the other one":  {f.good[1:], "shard-missing", program, f.plan},
		"one not there": {append([]string{filepath.Join(t.TempDir(), "none.part")}, f.good...), "shard-missing", program,
			f.plan},
		"one twice":       {append(f.good[:1:1], f.good...), "shard-twice", program, f.plan},
		"another count":   {append(f.good[:1:1], f.threes...), "shard-foreign", program, f.plan},
		"another key":     {[]string{f.good[0], f.foreign[1]}, "shard-foreign", program, f.plan},
		"another table":   {[]string{f.good[0], f.grown[1]}, "shard-foreign", program, f.plan},
		"a changed file":  {[]string{f.good[0], f.changed[1]}, "shard-foreign", program, f.plan},
		"another program": {f.good, "shard-foreign", "newer", f.plan},
		"another job":     {f.good, "shard-foreign", program, f.otherPlan},
		"another order":   {f.good, "shard-foreign", program, f.swapped},
		"cut off":         {[]string{f.cut, f.good[1]}, "shard-damaged", program, f.plan},
		"one bit":         {[]string{f.flipped, f.good[1]}, "shard-damaged", program, f.plan},
		"another version": {[]string{f.newer, f.good[1]}, "shard-foreign", program, f.plan},
		"no part":         {[]string{f.unreadable, f.good[1]}, "shard-foreign", program, f.plan},
		"one is gone":     {[]string{"gone", f.good[1]}, "shard-missing", program, f.plan},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := local.OpenParts(c.paths, f.key, c.plan, c.program, local.Limits{})
			if err == nil {
				_, err = m.Aggregate(t.Context(), c.plan, pipeline.Silent{})
			}
			var e *pipeline.Error
			switch {
			case c.code == "" && err == nil:
			case !errors.As(err, &e) || e.Code != c.code || e.Hint == "" || e.Cause != pipeline.CauseInput:
				t.Errorf("%v, want %q", err, c.code)
			}
		})
	}
	if _, err := local.OpenParts([]string{filepath.Join(f.dir, "gone")}, f.key, f.plan, program,
		local.Limits{}); !errors.Is(err, pipeline.ErrInputGone) {
		t.Errorf("%v, want that the input is gone", err)
	}
}

// If another authentic file replaces one after it was opened, it is refused unless its header is the same.
func TestPartsReplacedAfterOpening(t *testing.T) {
	f := newShardFiles(t)
	swapped, err := sharded{local.New(dataset(t, f.plan), 1), t, 2, false, 0}.write(t.Context(), f.swapped, f.key,
		t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, by := range map[string]string{
		"the other shard": f.good[0], "another count": f.threes[1], "another table": f.grown[1], "a changed file": f.changed[1], "another order": swapped[1], "another key": f.foreign[1],
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(by)
			if err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(f.good[1])
			if err != nil {
				t.Fatal(err)
			}
			m, err := local.OpenParts(f.good, f.key, f.plan, program, local.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(f.good[1], text, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err = m.Aggregate(t.Context(), f.plan, pipeline.Silent{})
			var e *pipeline.Error
			if !errors.As(err, &e) || e.Code != "shard-damaged" && e.Code != "shard-foreign" {
				t.Errorf("%v", err)
			}
			if err := os.WriteFile(f.good[1], before, 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// shuffled answers in buckets, as an engine that shuffles does.
type shuffled struct {
	*local.Engine
	tb      testing.TB
	buckets int
}

func (s shuffled) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	dir, remove := stabilitytest.Temporary(s.tb)
	defer remove()
	k := runKey(s.tb)
	messages := make([][][]byte, s.buckets+1)
	for i := range 3 {
		from, to := partial.Range(3-i, 3, s.Splits())
		if err := s.Pack(ctx, p, k, program, from, to, s.buckets, func(bucket int, m []byte) {
			messages[bucket] = append(messages[bucket], m)
		}); err != nil {
			return nil, err
		}
	}
	l := local.Limits{Workers: 1, Memory: 1 << 30, Scratch: dir}
	answers := messages[s.buckets]
	for bucket, rows := range messages[:s.buckets] {
		if len(rows) == 0 {
			continue
		}
		if _, err := local.BoundBucket(ctx, p, s.Schema(), k, l, (bucket+1)%s.buckets, listed(rows)); s.buckets > 1 &&
			!errors.Is(err, partial.ErrLost) {
			s.tb.Errorf("messages that went to another bucket: %v", err)
		}
		m, err := local.BoundBucket(ctx, p, s.Schema(), k, l, bucket, listed(rows))
		if err != nil {
			return nil, err
		}
		answers = append(answers, m)
	}
	for _, wrong := range [][][]byte{answers[1:], append(answers[:1:1], answers...),
		append(answers[:len(answers):len(answers)], answers[len(answers)-1])} {
		// no range is empty
		if err := local.Together(ctx, p, s.Schema(), k, l, listed(wrong), io.Discard); !errors.Is(err, partial.ErrLost) &&
			s.Splits() >= 3 {
			s.tb.Errorf("messages that are lost or there twice: %v", err)
		}
	}
	var b bytes.Buffer
	if err := local.Together(ctx, p, s.Schema(), k, l, listed(answers), &b); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "all.part")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		s.tb.Fatal(err)
	}
	m, err := local.OpenParts([]string{path}, k, p, program, l)
	if err != nil {
		return nil, err
	}
	return m.Aggregate(ctx, p, o)
}

// A message between workers that is lost, occurs twice, or belongs to another fingerprint or program is an error.
func TestLostMessages(t *testing.T) {
	f := newShardFiles(t)
	e, l := local.New(dataset(t, f.plan), 1), local.Limits{Workers: 1}
	defer e.Close()
	pack := func(p *pipeline.Plan, program string, shard int) (rows, packed []byte) {
		t.Helper()
		from, to := partial.Range(shard, 2, e.Splits())
		if err := e.Pack(t.Context(), p, f.key, program, from, to, 1, func(bucket int, m []byte) {
			if bucket == 0 {
				rows = m
			} else {
				packed = m
			}
		}); err != nil || rows == nil || packed == nil {
			t.Fatal(err)
		}
		return rows, packed
	}
	rows1, packed1 := pack(f.plan, program, 1)
	rows2, packed2 := pack(f.plan, program, 2)
	_, otherQuestion := pack(f.otherPlan, program, 2)
	_, otherProgram := pack(f.plan, "newer", 2)
	bounded := func(rows ...[]byte) []byte {
		t.Helper()
		m, err := local.BoundBucket(t.Context(), f.plan, e.Schema(), f.key, l, 0, listed(rows))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	all := bounded(rows1, rows2)
	for name, messages := range map[string][][]byte{
		"":                        {packed1, packed2, all},
		"nothing":                 {},
		"rows are lost":           {packed1, packed2, bounded(rows1)},
		"rows came twice":         {packed1, packed2, bounded(rows1, rows2, rows1)},
		"answers are lost":        {packed1, packed2},
		"answers came twice":      {packed1, packed2, all, all},
		"a range is lost":         {packed1, all},
		"with its rows":           {packed1, bounded(rows1)},
		"a range came twice":      {packed1, packed2, packed2, all},
		"with its rows, twice":    {packed1, packed2, packed2, bounded(rows1, rows2, rows2)},
		"one for the other range": {packed1, packed1, all},
		"another question":        {packed1, otherQuestion, all},
		"another program":         {packed1, otherProgram, all},
	} {
		err := local.Together(t.Context(), f.plan, e.Schema(), f.key, l, listed(messages), io.Discard)
		if (name == "") != (err == nil) || err != nil && !errors.Is(err, partial.ErrLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// listed returns a function that returns one message after the other.
func listed(messages [][]byte) func() ([]byte, error) {
	return func() ([]byte, error) {
		if len(messages) == 0 {
			return nil, io.EOF
		}
		m := messages[0]
		messages = messages[1:]
		return m, nil
	}
}

func TestShuffledConformance(t *testing.T) {
	enginetest.Suite(t, func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine {
		t.Helper()
		return shuffled{local.New(dataset(t, p), workers), t, 4}
	})
}
