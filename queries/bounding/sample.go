package bounding

import (
	"bytes"
	"encoding/binary"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/manyhash"
	"github.com/dprelease/dprelease/queries/internal/units"
)

// Rows chosen by columns that the job names
//
// A job can name columns that tell the rows of a unit apart, such as a trip's number (sample_by). The digest of a row
// is then the first eight bytes of the SHA-256 of the texts of its unit and of these columns ([units.Texts]). If a unit
// has more than k rows that pass the filters, those are kept whose digest is below the (k+1)-th smallest one. So rows
// with equal digests are kept or dropped together, and at most k rows are kept. They depend on the unit's own rows
// alone.
//
// Compared with messages.go, the choice needs neither cells nor values: one choice serves all queries with the same
// filters and the same k, rows that count in no query use up places, and a database computes cells of kept rows only.
// The queries share records, each of which holds the row's digest after the queries' bits.

// Sample chooses the rows of a unit for all queries that share a store.
type Sample struct {
	Texts *units.Texts // of the unit's columns and of the named ones
	Rows  int64        // k
}

const sampleBytes = 8 // the length of a digest in a content

// putDigests writes the digest of each row of a batch that is not skipped into the row's packed content.
func (s *sharedStore) putDigests(b *table.Batch) error {
	if err := s.sample.Texts.Open(b); err != nil {
		return err
	}
	for row, skip := range s.skipped {
		if skip != columnar.Dropped {
			d := manyhash.Of(s.sample.Texts.Row(row))
			binary.BigEndian.PutUint64(s.content[row*s.Packed+s.maskBytes:], d.First())
		}
	}
	return nil
}

// sampleBar is the limit below which digests of a unit are kept: the (k+1)-th smallest. If cuts is false, the unit has
// at most k rows, and all are kept.
type sampleBar struct {
	digest uint64
	cuts   bool
}

// digestAt returns the digest in an unpacked content, which begins with mask bytes.
func digestAt(content []byte, mask int) uint64 { return binary.BigEndian.Uint64(content[mask:]) }

func (b *sampleBar) keeps(content []byte, mask int) bool {
	return !b.cuts || digestAt(content, mask) < b.digest
}

// countDigest adds rows with the same content to smallest, the bottom-k sample that finds the bar.
func countDigest(smallest *bottomK, content []byte, mask int, rows uint64) {
	d := digestAt(content, mask)
	sum := manyhash.Sum{uint32(d >> 32), uint32(d)}
	for range min(rows, uint64(smallest.limit)) {
		smallest.add(&sum, 0)
	}
}

// barOf returns the bar of a unit whose rows were all added to smallest, a sample of k + 1 digests.
func barOf(smallest *bottomK) (bar sampleBar) {
	kept := smallest.kept()
	bar.cuts = int64(len(kept)) == smallest.limit
	for i := range kept {
		bar.digest = max(bar.digest, kept[i].Digest.First())
	}
	return bar
}

// keepSample keeps, for each query, the rows of a unit that are in the sample and count in the query.
func (u *unitBounder) keepSample(slots []slot) {
	mask := u.rows.maskBytes
	u.least.reset(u.rows.sample.Rows + 1)
	for _, x := range slots {
		countDigest(&u.least, u.rows.Content(x.Ref), mask, x.Rows)
	}
	bar := barOf(&u.least)
	for i := range u.queries {
		q := &u.queries[i]
		before := len(q.kept)
		for _, x := range slots {
			switch content := u.rows.Content(x.Ref); {
			case !q.has(content):
			case bar.keeps(content, mask):
				q.kept = append(q.kept, x)
			default:
				q.cut += x.Rows
			}
		}
		u.endUnit(q, before)
	}
}

// boundSample keeps the rows of an oversized unit that are in the sample and count in the query. It reads the unit's
// rows twice: to find the bar, and to keep the rows below it.
func (c *oversizedUnit) boundSample() error {
	g := c.rows
	c.all.reset(g.sample.Rows + 1)
	err := g.rowsOf(c.segments, c.unit, func(content []byte, rows uint64) {
		countDigest(&c.all, content, g.maskBytes, rows)
	})
	if err != nil {
		return err
	}
	bar := barOf(&c.all)
	return g.rowsOf(c.segments, c.unit, func(content []byte, rows uint64) {
		switch {
		case !c.query.has(content):
		case bar.keeps(content, g.maskBytes):
			c.kept = append(c.kept, slot{Ref: uint32(len(c.contents)), Rows: rows})
			c.contents = append(c.contents, bytes.Clone(content))
		default:
			c.cut += rows
		}
	})
}
