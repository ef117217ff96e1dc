package source

import (
	"context"
	"sync"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// SplitReader reads the splits of a dataset of any format. It skips a split if the min and max in the file's footer
// show that no row of the split passes the caller's filters. It fetches the next splits from stores before they are
// read. Its methods may be called concurrently.
type SplitReader struct {
	d       *Dataset
	columns []string
	none    func(column int, b table.Bounds) bool
	// Counted is true if the rows of skipped splits must be counted. Then a split is read, not skipped, if its file
	// does not state the number of its rows.
	Counted bool
	// End is the index of the first split that the caller will not read, so that no split from it on is fetched ahead;
	// 0 if the caller may read all.
	End int
	// Memory is how many bytes a call of Read should use at most for the pages and dictionaries of a Parquet file; 0 for
	// no limit. If they need more, some pages are decoded several times.
	Memory int64

	once sync.Once // runs before the first split is read
	mu   sync.Mutex
	next int // the first split that was neither read nor fetched ahead
}

// NewSplitReader returns a SplitReader. columns are the columns of filters. none(i, b) reports whether no row can
// pass if the value of columns[i] is within b or null; it may be called concurrently. Without columns, all splits are
// read.
func (d *Dataset) NewSplitReader(columns []string, none func(column int, b table.Bounds) bool) *SplitReader {
	return &SplitReader{d: d, columns: columns, none: none}
}

// Skips reports whether a split is skipped.
func (s *SplitReader) Skips(split int) bool {
	p := s.d.places[split]
	f := s.d.files[p.file]
	if s.Counted && f.Rows(p.split) == scan.UnknownRows {
		return false
	}
	for i, name := range s.columns {
		if b, ok := f.Bounds(p.split, name); ok && s.none(i, b) {
			return true
		}
	}
	return false
}

// Read does the same as Dataset.Read, but yields nothing for a skipped split.
func (s *SplitReader) Read(ctx context.Context, split int, columns []string,
	yield func(*table.Batch) error) (sum Summary, err error) {
	p, err := s.d.check(split, columns)
	if err != nil {
		return sum, err
	}
	f := s.d.files[p.file]
	if s.Skips(split) {
		sum.Skipped = max(0, f.Rows(p.split))
		sum.Digest, err = f.DigestFooter(p.split)
		return sum, s.d.addFileName(err, p.file)
	}
	if s.d.stores.haveFiles() {
		yield = s.fetchBefore(split, columns, yield)
	}
	sum, err = f.Read(ctx, p.split, columns, s.Memory, yield)
	return sum, s.d.addFileName(err, p.file)
}

// lookedAhead is the number of splits, after the current one, among which fetch searches for splits to fetch.
const lookedAhead = 64

// fetchBefore returns a function that calls yield. The requests for the current split are made before yield is called
// for the first time, so the returned function then starts to fetch the next splits.
func (s *SplitReader) fetchBefore(split int, columns []string,
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

// fetch fetches the next splits that are not skipped, as many as memory allows.
func (s *SplitReader) fetch(columns []string) {
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
		if !s.d.files[p.file].Fetch(p.split, columns) {
			return
		}
		s.next = i + 1
	}
}

// Digest returns the digest that Read would return for a split. It decodes nothing.
func (s *SplitReader) Digest(ctx context.Context, split int, columns []string) ([]byte, error) {
	p, err := s.d.check(split, columns)
	if err != nil {
		return nil, err
	}
	if !s.Skips(split) {
		return s.d.Digest(ctx, split, columns)
	}
	sum, err := s.d.files[p.file].DigestFooter(p.split)
	return sum, s.d.addFileName(err, p.file)
}
