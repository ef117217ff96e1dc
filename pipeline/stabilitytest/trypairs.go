package stabilitytest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// Folder returns a folder for the test: in memory, if the system offers that.
func Folder(t testing.TB) string {
	t.Helper()
	dir, remove := Temporary(t)
	t.Cleanup(remove)
	return dir
}

// Temporary is [Folder] for a part of a test, which removes it.
func Temporary(t testing.TB) (dir string, remove func()) {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "stability")
	if err != nil {
		dir, err = os.MkdirTemp("", "stability")
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }
}

// Seed returns the seed of the cases of every test; DPRELEASE_SEED sets another one.
func Seed(t testing.TB) uint64 {
	t.Helper()
	text := os.Getenv("DPRELEASE_SEED")
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal("DPRELEASE_SEED is not a number")
	}
	return n
}

// Pairs returns how many pairs a test tries: short of them on every commit, a fifteenth of that with -short, and long
// of them if DPRELEASE_LONG is set. DPRELEASE_PAIRS sets another number.
func Pairs(t testing.TB, short, long int) int {
	t.Helper()
	if text := os.Getenv("DPRELEASE_PAIRS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal("DPRELEASE_PAIRS is not a number")
		}
		return n
	}
	switch {
	case os.Getenv("DPRELEASE_LONG") != "":
		return long
	case testing.Short():
		return short / 15
	}
	return short
}

// Search tries random cases until one fails or all held.
type Search struct {
	// Seed determines all cases: pair number n of a search depends on Seed and n alone.
	Seed uint64
	// Pairs is how many pairs of tables are tried, PairsPerJob how many of them with one job.
	Pairs, PairsPerJob int
	Writers            []Writer
	// Labs try the cases, each in a goroutine of its own.
	Labs []*Lab
	// Mask, if not nil, takes out of a job what an engine refuses, and returns false if nothing is left: then another
	// job is drawn.
	Mask func(*Job) bool
	// Only, if not nil, skips the findings for which it returns false.
	Only func(*Finding) bool
}

// Result is the result of a search.
type Result struct {
	Pairs   int            // tried
	Skipped int            // those that the drawn writer cannot write
	Refused int            // drafts of jobs without a plan, and jobs that a mask refused
	Writers map[string]int // pairs by writer
	// Finding is the first finding, made smaller; nil if there is none. Pairs counts the pairs up to it.
	Finding *Finding
}

// String describes how many pairs were tried with what.
func (r Result) String() string {
	return fmt.Sprintf("%d pairs, %d not written, %d drafts of jobs refused; by writer %v", r.Pairs, r.Skipped, r.Refused,
		r.Writers)
}

// Try tries a case. skipped is set if the writer cannot write it.
type Try func(l *Lab, c *Case) (found *Finding, skipped bool)

// Run compares the answers of all cases with the sensitivities. If there are several findings, it returns the one with
// the lowest number, which depends on the search alone.
func (s *Search) Run() Result {
	return s.RunBy(func(l *Lab, c *Case) (*Finding, bool) { return c.Measure(l) })
}

// RunBy is Run with another way to try a case.
func (s *Search) RunBy(try Try) Result {
	var next, stop atomic.Int64
	stop.Store(int64(s.Pairs+s.PairsPerJob-1) / int64(s.PairsPerJob))
	var mu sync.Mutex
	var group sync.WaitGroup
	out := Result{Writers: map[string]int{}}
	found := int64(-1)
	for _, l := range s.Labs {
		group.Go(func() {
			for {
				job := next.Add(1) - 1
				if job >= stop.Load() {
					return
				}
				one := s.tryJob(l, try, uint64(job))
				mu.Lock()
				out.addCounts(&one)
				if one.Finding != nil && (found < 0 || job < found) {
					found, out.Finding = job, one.Finding
					stop.Store(min(stop.Load(), job))
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return out
}

func (r *Result) addCounts(o *Result) {
	r.Pairs += o.Pairs
	r.Skipped += o.Skipped
	r.Refused += o.Refused
	for w, n := range o.Writers {
		r.Writers[w] += n
	}
}

// tryJob tries the pairs of one job until one fails.
func (s *Search) tryJob(l *Lab, try Try, number uint64) Result {
	out := Result{Writers: map[string]int{}}
	r := rand.New(rand.NewPCG(s.Seed, number<<32))
	job, refused := Draw(r)
	for s.Mask != nil && !s.Mask(job) || job.Tables != nil && l.OpenTables == nil {
		var more int
		job, more = Draw(r)
		refused += 1 + more
	}
	out.Refused = refused
	for i := range s.PairsPerJob {
		c := s.Case(job, number, uint64(i))
		out.Pairs++
		out.Writers[c.Writer.Name]++
		f, skipped := try(l, c)
		if skipped {
			out.Skipped++
			continue
		}
		if f != nil && (s.Only == nil || s.Only(f)) {
			out.Finding = s.smaller(l, try, f)
			return out
		}
	}
	return out
}

// Case returns a pair for a job, with a writer that supports all of its types.
func (s *Search) Case(job *Job, number, pair uint64) *Case {
	r := rand.New(rand.NewPCG(s.Seed, number<<32|pair+1))
	w := pick(r, s.Writers)
	for !w.Fits(job.Columns) {
		w = pick(r, s.Writers)
	}
	return &Case{
		Job: job, Pair: job.DrawPair(r), Writer: w, Layout: r.Uint64(), Limits: Limits{Workers: 1 + r.IntN(3),
			Tight: r.IntN(4) == 0},
		Whole: r.IntN(8) == 0, Note: fmt.Sprintf("seed %d, job %d, pair %d", s.Seed, number, pair),
	}
}

// smaller shrinks a finding.
func (s *Search) smaller(l *Lab, try Try, f *Finding) *Finding {
	f.Case.Shrink(func(c *Case) bool {
		if !c.Pair.neighbouring(c.Job) {
			return false
		}
		g, skipped := try(l, c)
		if skipped || g == nil || g.NoPlan || (g.Query == "") != (f.Query == "") || s.Only != nil && !s.Only(g) {
			return false
		}
		f = g
		return true
	})
	return f
}
