// Package parquet reads Parquet files. A split is a row group; the requested column chunks of it are read page by page.
//
// The contract is row isolation: let a correct writer write the tables T and U into one file, and each into a file of
// its own. Then the rows read from the one file are the rows read from the two files. A correct writer keeps to
// parquet-format: counts, levels and lengths are true, codes are valid for their dictionary, and pages, headers and
// footers are within the lengths that the format can state (2^31 - 1 bytes and values for a page, 2^32 for a footer). A
// row is then given by its levels and values, or by the dictionary entry of its code.
//
// Rows decide how many values a page has, how long these are after prefixes and runs are expanded, how many row groups
// there are and how long the texts in statistics are. If one of these had a limit, a row could make the read of the
// others fail. So none has a limit: they are decoded in pieces (pieces.go), skipped (thrift.go) or decoded one by one
// (footer.go). A list of more than scan.MaxListed elements is null, and changes no other row. All other limits come
// from the schema or the format. A page is held in memory whole, but not those of all columns together (window.go).
//
// Privacy units are compared by the values that this package yields. Integers, dates, timestamps, booleans, texts and
// bytes are the bits of the file. Floats of 16 and 32 bits become float64, and all NaNs are one value. Decimals and
// Int96 have an exact form for the columns that need one (convert.go).
package parquet

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// file is an opened Parquet file.
type file struct {
	scan.Origin
	footer [sha256.Size]byte
	end    int64 // offset of the footer
	groups []rowGroup
	leaves []leaf
}

// Open opens a file and reads its schema and row groups. In the columns named in exact, different values stay
// different.
func Open(ctx context.Context, at scan.Place, exact []string) (scan.File, *fault.Error) {
	p := &file{Origin: scan.Origin{Place: at}}
	err := fault.Guard(func() error {
		f, err := p.Open(ctx)
		if err != nil {
			return err
		}
		defer f.Close()
		return p.load(f)
	})
	if err != nil {
		return nil, fault.From(err)
	}
	for i := range p.leaves {
		if l := &p.leaves[i]; slices.Contains(exact, l.field.Name) {
			l.makeExact()
		}
	}
	return p, nil
}

// likelyFooter is how many bytes at the end of a file are read at once. Most footers are shorter.
const likelyFooter = 64 << 10

// load reads the footer.
func (p *file) load(f scan.Handle) error {
	tail := min(likelyFooter, p.Size)
	f.Expect(scan.Extent{At: p.Size - tail, Size: tail})
	raw, err := readFooter(f, p.Size)
	if err != nil {
		return err
	}
	p.footer, p.end = sha256.Sum256(raw), p.Size-int64(len(raw))
	meta, groups, err := decodeFooter(raw)
	if err != nil {
		return err
	}
	leaves := 0
	if p.leaves, leaves, err = leavesOf(meta.Schema); err != nil {
		return err
	}
	p.groups, err = rowGroupsOf(meta, groups, leaves)
	return err
}

func (p *file) Schema() table.Schema {
	s := table.Schema{Fields: make([]table.Field, len(p.leaves))}
	for i, l := range p.leaves {
		s.Fields[i] = l.field
	}
	return s
}

func (p *file) Splits() int { return len(p.groups) }

func (p *file) Public(string) bool { return true }

// reopen opens the file again and checks that its footer has not changed.
func (p *file) reopen(ctx context.Context) (scan.Handle, error) {
	return p.Reopen(ctx, func(f scan.Handle) bool {
		raw, err := readFooter(f, p.Size)
		return err == nil && sha256.Sum256(raw) == p.footer
	})
}

func (p *file) Read(ctx context.Context, split int, columns []string, memory int64,
	yield func(*table.Batch) error) (sum scan.Summary, err error) {
	f, err := p.reopen(ctx)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	s, err := p.newScan(ctx, f, split, columns, memory)
	if err != nil {
		return sum, err
	}
	defer s.close()
	if err := s.run(yield); err != nil {
		return sum, err
	}
	sum.Digest, err = s.sum()
	return sum, err
}

func (p *file) Digest(ctx context.Context, split int, columns []string) ([]byte, error) {
	f, err := p.reopen(ctx)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := p.newScan(ctx, f, split, columns, 0)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.sum()
}

func (p *file) DigestFooter(split int) ([]byte, error) {
	f, err := p.reopen(context.Background())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return p.digestHead(split).Sum(nil), nil
}

// digestHead returns a hash that has read the footer and the number of a row group. The caller adds the digests of the
// chunks.
func (p *file) digestHead(split int) hash.Hash {
	h := sha256.New()
	h.Write([]byte("dprelease parquet 1\n"))
	h.Write(p.footer[:])
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(split)))
	return h
}

// countedLeaf returns the leaf whose rows are counted if no column is requested. It chooses the leaf that is probably
// shortest, by the schema alone.
func (p *file) countedLeaf() (int, error) {
	best := -1
	for i := range p.leaves {
		l := &p.leaves[i]
		if l.field.Type.Kind != table.Invalid && !l.void && (best < 0 || l.length() < p.leaves[best].length()) {
			best = i
		}
	}
	if best < 0 {
		return 0, fault.New(fault.CodeType, "the rows cannot be counted, since no column has a type that can be read")
	}
	return best, nil
}

// length returns a number that orders leaves by the usual length of their values: numbers, then texts, then lists, then
// nested columns.
func (l *leaf) length() int {
	switch {
	case l.nested:
		return 3 << 20
	case l.list != nil:
		return 2 << 20
	case l.physical == format.ByteArray:
		return 1 << 20
	}
	return l.bits()
}

// Bounds returns the min and max of a column in a row group, as the footer states them; ok is false if the footer
// states none, or none that can be trusted.
func (p *file) Bounds(split int, column string) (b table.Bounds, ok bool) {
	for i := range p.leaves {
		if l := &p.leaves[i]; l.field.Name == column {
			c := &p.groups[split].chunks[l.chunk]
			return c.bounds, c.bounded && l.isSigned() && c.physical == l.physical
		}
	}
	return b, false
}

// Rows returns the number of rows of a row group, as the footer states it.
func (p *file) Rows(split int) int64 { return p.groups[split].rows }
