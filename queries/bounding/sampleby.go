package bounding

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/manyhash"
	"github.com/dprelease/dprelease/queries/internal/units"
)

// Rows chosen by columns that the job names
//
// A job can name columns that tell the rows of a unit apart, such as a trip's number (sample_by). A row's digest is
// computed from its values in the unit's columns and in these. If more than k rows of a unit pass the filters, the rows
// whose digest is below the (k+1)-th smallest one are kept. So rows with equal digests are kept or dropped together,
// and at most k rows are kept. They depend on the unit's own rows alone.
//
// Unlike the rule in messages.go, this one needs neither cells nor values. So one choice serves all queries with the
// same filters and the same k, and a database computes cells only for kept rows. A row that counts in no query can take
// the place of one that does. The queries share records, each of which holds the row's digest after the queries' bits.
//
// If all of these columns hold integers, booleans, dates or times, the digest is computed modulo a prime, because this
// costs a database much less than a hash function: the values' numbers are the coefficients of a polynomial, and the
// digest is the cube of its value at SampleBase. The prime is 2 modulo 3, so that different numbers have different
// cubes. Without the cube, numbers that grow by a constant step would be kept at constant distances. Otherwise, the
// digest is the first eight bytes of the SHA-256 of the values' canonical texts ([units.Texts]).

// Constants of digests that are computed from numbers. The number of a time is its nanoseconds since 1970. Remainders
// have the sign of the dividend, as in SQL. All products are below 2^63.
const (
	SamplePrime = 2147483579 // the largest prime below 2^31 that is 2 modulo 3
	SampleBase  = 1001234567 // below 2^30
	SampleNull  = 1 << 30    // the number of null
)

// Numeric reports whether the digests of rows with values of these types are computed from numbers.
func Numeric(types []table.Type) bool {
	return !slices.ContainsFunc(types, func(t table.Type) bool {
		return t.Kind != table.Int && t.Kind != table.Bool && t.Kind != table.Date && t.Kind != table.Timestamp
	})
}

// Sample chooses the rows of a unit for all queries that share a store.
type Sample struct {
	Texts *units.Texts // the canonical texts of the unit's columns and of the columns in sample_by
	Rows  int64        // k
}

const sampleBytes = 8 // the length of a digest in a content

// putDigests writes the digest of each row of a batch that is not skipped into the row's packed content.
func (s *sharedStore) putDigests(b *table.Batch) error {
	texts := s.sample.Texts
	if err := texts.Open(b); err != nil {
		return err
	}
	columns := texts.Types()
	numeric := Numeric(columns)
	for row, skip := range s.skipped {
		if skip == columnar.Dropped {
			continue
		}
		var d uint64
		if numeric {
			d = numericDigest(texts, len(columns), row)
		} else {
			sum := manyhash.Of(texts.Row(row))
			d = sum.First()
		}
		binary.BigEndian.PutUint64(s.content[row*s.Packed+s.maskBytes:], d)
	}
	return nil
}

func numericDigest(values *units.Texts, columns, row int) uint64 {
	at := int64(0) // the value of the polynomial so far, between -SamplePrime and SamplePrime
	for i := range columns {
		n, ok := values.Remainder(i, row, SamplePrime)
		if !ok {
			n = SampleNull
		}
		at = (at + n) * SampleBase % SamplePrime
	}
	x := uint64(at+SamplePrime) % SamplePrime
	return x * x % SamplePrime * x % SamplePrime
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
