package stabilitytest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Folder returns a folder for the test, in memory if the system offers that.
func Folder(t testing.TB) string {
	t.Helper()
	dir, remove := Temporary(t)
	t.Cleanup(remove)
	return dir
}

// Temporary does the same as [Folder], but the caller removes the folder.
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

// Seed returns the seed from which tests draw cases: 1, or DPRELEASE_SEED.
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

// Pairs returns the number of pairs that a test tries: short, a fifteenth of that with -short but at least 30, or long
// if DPRELEASE_LONG is set. DPRELEASE_PAIRS overrides all of these.
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
		return min(short, max(short/15, 30))
	}
	return short
}

// Search tries random cases until one fails or a number of pairs is reached.
type Search struct {
	// Seed determines all cases: pair number n of a search depends on Seed and n alone.
	Seed uint64
	// Pairs is the number of pairs to try, PairsPerJob the number of pairs with the same job.
	Pairs, PairsPerJob int
	Writers            []Writer
	// Labs try the cases, each in a goroutine of its own.
	Labs []*Lab
	// Mask removes the queries that an engine refuses from a job. It returns false if none is left; then another job is
	// drawn. nil removes nothing.
	Mask func(*Job) bool
	// Only skips the findings for which it returns false; nil skips none.
	Only func(*Finding) bool
}

// WithoutUnits is a mask for engines that cannot make a table of units: it removes the queries over units.
func WithoutUnits(j *Job) bool {
	j.Queries = slices.DeleteFunc(j.Queries, func(q string) bool { return strings.Contains(q, ", over: units") })
	j.Units = ""
	if len(j.Queries) == 0 {
		return false
	}
	_, diags := j.Plan("job.yaml", "t.parquet")
	return len(diags) == 0
}

// Result counts the pairs of a search.
type Result struct {
	Pairs   int            // pairs that were tried
	Skipped int            // pairs that the drawn writer cannot write
	Refused int            // drafts of jobs without a plan, and jobs that a mask refused
	Writers map[string]int // pairs by writer
	// Finding is the first finding, shrunk; nil if there is none. Pairs counts the pairs up to it.
	Finding *Finding
}

// String returns the counts as text.
func (r Result) String() string {
	return fmt.Sprintf("%d pairs, %d not written, %d drafts of jobs refused; by writer %v", r.Pairs, r.Skipped, r.Refused,
		r.Writers)
}

// Try tries a case. skipped is set if the writer cannot write it.
type Try func(l *Lab, c *Case) (found *Finding, skipped bool)

// Run compares the answers of all cases with the sensitivities. If there are several findings, it returns the one with
// the lowest case number, so that the result depends on the seed alone.
func (s *Search) Run() Result {
	return s.RunBy(func(l *Lab, c *Case) (*Finding, bool) { return c.Measure(l) })
}

// RunBy does the same as Run, but tries each case by a function.
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

// Case returns a case for a job: the pair with this number, and a writer that supports all of its types.
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
