package source

import (
	"context"
	"sync"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// RowGroupFilter reads a dataset without the row groups in which no row can pass the caller's filters, by the min and
// max that a file's footer states. Its methods may be called concurrently.
type RowGroupFilter struct {
	d       *Dataset
	columns []string
	none    func(column int, b table.Bounds) bool
	// Counted says that the rows of what is left out must be known: a split that does not state their number is read.
	Counted bool
	// End is the first split that will not be read, nor those behind it, and so is not fetched ahead; 0 if all may be
	// read.
	End int

	once sync.Once // before the first split is read
	mu   sync.Mutex
	next int // the splits before it are read or fetched
}

// FilterRowGroups returns a RowGroupFilter. none says, for one of the columns by its position, that no row passes whose
// value is within bounds or null; it may be called concurrently. Without columns all row groups are read.
func (d *Dataset) FilterRowGroups(columns []string, none func(column int, b table.Bounds) bool) *RowGroupFilter {
	return &RowGroupFilter{d: d, columns: columns, none: none}
}

// footed returns a split's file, if it is footed, and the split's number in it.
func (s *RowGroupFilter) footed(split int) (scan.Footed, int, bool) {
	p := s.d.places[split]
	f, ok := s.d.files[p.file].(scan.Footed)
	return f, p.split, ok
}

// Skips says whether a split is left out.
func (s *RowGroupFilter) Skips(split int) bool {
	f, at, ok := s.footed(split)
	if !ok || s.Counted && f.Rows(at) == scan.UnknownRows {
		return false
	}
	for i, name := range s.columns {
		if b, ok := f.Bounds(at, name); ok && s.none(i, b) {
			return true
		}
	}
	return false
}

// Read is Dataset.Read. Of a split that is left out it yields nothing.
func (s *RowGroupFilter) Read(ctx context.Context, split int, columns []string,
	yield func(*table.Batch) error) (sum Summary, err error) {
	p, err := s.d.check(split, columns)
	if err != nil {
		return sum, err
	}
	if s.Skips(split) {
		f, at, _ := s.footed(split)
		sum.Skipped = max(0, f.Rows(at))
		sum.Digest, err = f.DigestFooter(at)
		return sum, s.d.placed(err, p.file)
	}
	if s.d.stores.used() {
		yield = s.fetching(split, columns, yield)
	}
	sum, err = s.d.files[p.file].Read(ctx, p.split, columns, yield)
	return sum, s.d.placed(err, p.file)
}

// lookedAhead is how many splits are looked at, of which some are left out, to find one to fetch ahead.
const lookedAhead = 64

// fetching returns yield, before whose first call the next splits are fetched ahead: what this split needs was asked
// for by then.
func (s *RowGroupFilter) fetching(split int, columns []string,
	yield func(*table.Batch) error) func(*table.Batch) error {
	s.once.Do(s.d.stores.pool.Forget)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = max(s.next, split+1)
	first := true
	return func(b *table.Batch) error {
		if first {
			s.fetch(columns)
			first = false
		}
		return yield(b)
	}
}

// fetch fetches the next splits that are not left out, as many as there is room for.
func (s *RowGroupFilter) fetch(columns []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := len(s.d.places)
	if s.End > 0 {
		end = min(end, s.End)
	}
	for i, last := s.next, min(end, s.next+lookedAhead); i < last; i++ {
		if s.Skips(i) {
			s.next = i + 1
			continue
		}
		p := s.d.places[i]
		if f, ok := s.d.files[p.file].(scan.Fetcher); !ok || !f.Fetch(p.split, columns) {
			return
		}
		s.next = i + 1
	}
}

// Digest returns what Read would return for a split, without decoding.
func (s *RowGroupFilter) Digest(ctx context.Context, split int, columns []string) ([]byte, error) {
	p, err := s.d.check(split, columns)
	if err != nil {
		return nil, err
	}
	if s.Skips(split) {
		f, at, _ := s.footed(split)
		sum, err := f.DigestFooter(at)
		return sum, s.d.placed(err, p.file)
	}
	sum, err := s.d.files[p.file].Digest(ctx, p.split, columns)
	return sum, s.d.placed(err, p.file)
}
