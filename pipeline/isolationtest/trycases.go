package isolationtest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
)

// Search tries random cases until one violates a guarantee of the readers.
type Search struct {
	// Seed determines all cases: the cases of format number n depend only on Seed and n.
	Seed uint64
	// Pairs is the number of cases (pairs of tables) to try, and PerFormat the number of cases with the same format.
	Pairs, PerFormat int
	// Draw draws a format; ok is false if jobs cannot state it.
	Draw func(r *rand.Rand) (f Format, ok bool)
	// Write writes the tables of several cases at once, each case into its folder; errors[i] means that the writer
	// cannot write case i. If Write is nil, each case writes its own tables.
	Write func(cases []*Case, dirs []string) []error
	// Dirs lists folders, preferably in memory. One goroutine writes and reads in each folder.
	Dirs []string
	// Only skips the findings for which it returns false; nil skips none.
	Only func(*Finding) bool
}

// Result is the result of a search.
type Result struct {
	Pairs     int // pairs that were tried
	Unwritten int // cases that the writer cannot write
	Formats   int // formats that were drawn
	Refused   int // formats that jobs cannot state
	Failed    int // cases that fail with the same message for T alone and for T with U
	Doubted   int // findings in files that an independent reader reads differently too
	// Finding is the finding in the case with the lowest number, shrunk; nil if there is none.
	Finding *Finding
}

// String describes how many pairs were tried.
func (r Result) String() string {
	return fmt.Sprintf("%d pairs, %d not written, %d that cannot be read, %d doubted by a second reader; %d formats "+
		"drawn, %d refused", r.Pairs, r.Unwritten, r.Failed, r.Doubted, r.Formats, r.Refused)
}

// Run tries the cases.
func (s *Search) Run() (out Result) {
	var mu sync.Mutex
	var group sync.WaitGroup
	next, found := uint64(0), uint64(0)
	for _, dir := range s.Dirs {
		group.Go(func() {
			for {
				mu.Lock()
				number := next
				next++
				stop := out.Finding != nil || out.Pairs >= s.Pairs
				mu.Unlock()
				if stop {
					return
				}
				one := s.tryFormat(dir, number)
				mu.Lock()
				out.Pairs += one.Pairs
				out.Unwritten += one.Unwritten
				out.Formats += one.Formats
				out.Refused += one.Refused
				out.Failed += one.Failed
				out.Doubted += one.Doubted
				if one.Finding != nil && (out.Finding == nil || number < found) {
					out.Finding, found = one.Finding, number
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return out
}

// tryFormat tries the cases of format number number until one fails.
func (s *Search) tryFormat(dir string, number uint64) (out Result) {
	r := rand.New(rand.NewPCG(s.Seed, number))
	f, ok := s.Draw(r)
	out.Formats = 1
	if !ok {
		out.Refused = 1
		return out
	}
	cases, dirs := make([]*Case, s.PerFormat), make([]string, s.PerFormat)
	for i := range cases {
		cases[i], dirs[i] = Draw(f, r, fmt.Sprintf("seed %d, format %d, pair %d", s.Seed, number, i)), dir
	}
	errs := make([]error, len(cases))
	if s.Write != nil {
		for i := range dirs {
			dirs[i] = filepath.Join(dir, fmt.Sprint(i))
		}
		errs = s.Write(cases, dirs)
	}
	for i, c := range cases {
		out.Pairs++
		if s.Write == nil {
			errs[i] = c.Put(dir)
		}
		if errs[i] != nil {
			out.Unwritten++
			continue
		}
		found, failed := c.Compare(dirs[i])
		if failed {
			out.Failed++
		}
		if found != nil && found.doubted(dirs[i]) {
			out.Doubted++
			continue
		}
		if found != nil && (s.Only == nil || s.Only(found)) {
			out.Finding = found.shrink(dirs[i], s.put)
			return out
		}
	}
	return out
}

// put writes the tables of one case.
func (s *Search) put(c *Case, dir string) error {
	if s.Write == nil {
		return c.Put(dir)
	}
	return s.Write([]*Case{c}, []string{dir})[0]
}
