package source

import (
	"context"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// Selection reads a dataset for some of its rows, and leaves aside what a file's statistics rule out. Its methods may be called
// concurrently.
type Selection struct {
	d       *Dataset
	columns []string
	none    func(column int, b table.Bounds) bool
}

// Where returns a selection. none says, for one of the columns by its position, that rows in which its value is within bounds, or is
// null or NaN, are not wanted; it may be called concurrently. Without columns, all rows are read.
func (d *Dataset) Where(columns []string, none func(column int, b table.Bounds) bool) *Selection {
	return &Selection{d: d, columns: columns, none: none}
}

// footed is a file whose footer says something of its splits.
type footed interface {
	rows(split int) int64
	bounds(split int, column string) (table.Bounds, bool)
	// readWhere reads the rows of a split that may be wanted, and returns how many others there are.
	readWhere(ctx context.Context, r request, yield func(*table.Batch) error) (sum []byte, skipped int64, err error)
	digestWhere(ctx context.Context, r request) ([]byte, error)
	// foresee counts the pages of a split's columns.
	foresee(r request) (Pages, error)
}

// request is what is asked of a split. where nil: all rows.
type request struct {
	split   int
	columns []string
	where   *Selection
}

// footed returns a split's file, if it is footed, and the split's number in it.
func (s *Selection) footed(split int) (footed, int, bool) {
	p := s.d.places[split]
	f, ok := s.d.files[p.file].(footed)
	return f, p.split, ok && len(s.columns) > 0
}

// Skips says whether a split has no row that is wanted, by what its file's footer says of it.
func (s *Selection) Skips(split int) bool {
	f, at, ok := s.footed(split)
	if !ok {
		return false
	}
	return slices.ContainsFunc(s.columns, func(name string) bool {
		b, ok := f.bounds(at, name)
		return ok && s.rulesOut(name, b)
	})
}

// rulesOut says whether no row is wanted in which a column's value is within bounds.
func (s *Selection) rulesOut(name string, b table.Bounds) bool {
	for i, c := range s.columns {
		if c == name && s.none(i, b) {
			return true
		}
	}
	return false
}

// Read is Dataset.Read without rows that are not wanted, as far as statistics tell, and returns how many were left out. In what is
// read, values of the selection's columns that contradict the statistics are an error. The digest is one of all that the result
// depends on: of a split that Skips names, the footer, and else of the statistics beside the columns, too.
func (s *Selection) Read(ctx context.Context, split int, columns []string, yield func(*table.Batch) error) (sum []byte, skipped int64, err error) {
	f, at, ok := s.footed(split)
	if !ok {
		sum, err = s.d.Read(ctx, split, columns, yield)
		return sum, 0, err
	}
	p, err := s.d.check(split, columns)
	if err != nil {
		return nil, 0, err
	}
	if s.Skips(split) {
		sum, err = s.d.Digest(ctx, split, nil)
		return sum, f.rows(at), err
	}
	sum, skipped, err = f.readWhere(ctx, request{at, columns, s}, yield)
	return sum, skipped, s.d.placed(err, p.file)
}

// Digest returns what Read would return for a split, without decoding.
func (s *Selection) Digest(ctx context.Context, split int, columns []string) ([]byte, error) {
	f, at, ok := s.footed(split)
	switch {
	case !ok:
		return s.d.Digest(ctx, split, columns)
	case s.Skips(split):
		return s.d.Digest(ctx, split, nil)
	}
	p, err := s.d.check(split, columns)
	if err != nil {
		return nil, err
	}
	sum, err := f.digestWhere(ctx, request{at, columns, s})
	return sum, s.d.placed(err, p.file)
}
