package local

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// This file chooses the units that an audit removes. One pass over the privacy unit's columns finds, in memory that
// does not depend on the input,
//
//  - a uniform sample of the units: those of the smallest hashes under a key of this process, with their exact numbers
//    of rows;
//  - the heaviest units: the frequent items of Misra and Gries (1982), which include every unit with more than 1/8192
//    of a worker's rows.
//
// The unit of a row is computed here separately from the code of the queries: an audit shares as little as it can with
// what it audits.

const (
	auditHeavy   = 100
	auditRandom  = 200
	auditSampled = 2000 // random units in all; those beyond auditRandom are the other units of small tables
	auditCounted = 8192 // frequent items
)

// unitKeys computes the key of each row's privacy unit: its values or, if each row is a unit, its place.
type unitKeys struct {
	at      []int // positions of the unit's columns in a batch
	rowwise bool  // each row is a unit
	split   int
	row     uint64 // index in the split of the batch's first row
	buf     []byte
}

// newUnitKeys returns the unitKeys for batches with these columns, which include the unit's.
func newUnitKeys(p *pipeline.Plan, columns []string) *unitKeys {
	k := &unitKeys{rowwise: len(p.Job().Privacy.Unit) == 0}
	for _, name := range p.Job().Privacy.Unit {
		k.at = append(k.at, slices.Index(columns, name))
	}
	return k
}

// startSplit starts a split.
func (k *unitKeys) startSplit(split int) { k.split, k.row = split, 0 }

// eachRow calls f with the key of every row that belongs to a unit. The key is valid during the call.
func (k *unitKeys) eachRow(b *table.Batch, f func(row int, key []byte)) {
	for row := range b.Rows {
		if k.buildKey(b, row) {
			f(row, k.buf)
		}
	}
	k.row += uint64(b.Rows)
}

// buildKey sets buf. It returns false if a column is null or NaN.
func (k *unitKeys) buildKey(b *table.Batch, row int) bool {
	k.buf = k.buf[:0]
	if k.rowwise {
		k.buf = binary.BigEndian.AppendUint64(k.buf, uint64(k.split))
		k.buf = binary.BigEndian.AppendUint64(k.buf, k.row+uint64(row))
		return true
	}
	for _, at := range k.at {
		c := &b.Columns[at]
		if c.IsNull(row) {
			return false
		}
		i := c.Index(row)
		switch c.Type.Kind {
		case table.String:
			text := c.Values.Bytes(i)
			k.buf = append(binary.BigEndian.AppendUint64(k.buf, uint64(len(text))), text...)
		case table.Float:
			x := c.Values.Floats[i]
			if math.IsNaN(x) {
				return false
			}
			k.buf = binary.BigEndian.AppendUint64(k.buf, math.Float64bits(x+0)) // -0 + 0 is 0
		default:
			k.buf = binary.BigEndian.AppendUint64(k.buf, uint64(c.Values.Ints[i]))
		}
	}
	return true
}

// auditUnit is a unit and its number of rows; for a heavy unit the number may be too low.
type auditUnit struct {
	key  string
	hash uint64
	rows int64
}

// auditUnits are the units that an audit removes one at a time: the heavy ones, the heaviest first, and random ones.
// others accompany them in small tables. rows is the number of rows of all units.
type auditUnits struct {
	heavy, random, others []auditUnit
	rows                  int64
}

// census chooses the units for an audit.
func (e *Engine) census(ctx context.Context, p *pipeline.Plan) (auditUnits, error) {
	seed := maphash.MakeSeed()
	columns := p.Job().Privacy.Unit
	counts := make([]*counter, e.limits.Workers)
	keys := make([]*unitKeys, len(counts))
	for i := range counts {
		counts[i], keys[i] = newCounter(), newUnitKeys(p, columns)
	}
	_, err := e.scan(ctx, len(counts), func(ctx context.Context, i, split int) ([]byte, error) {
		keys[i].startSplit(split)
		return e.data.Read(ctx, split, columns, func(b *table.Batch) error {
			keys[i].eachRow(b, func(_ int, key []byte) { counts[i].countRow(key, maphash.Bytes(seed, key), len(columns) > 0) })
			return nil
		})
	}, func() {})
	if err != nil {
		return auditUnits{}, err
	}
	return chooseUnits(counts), nil
}

// chooseUnits combines what the workers counted.
func chooseUnits(counts []*counter) (u auditUnits) {
	sampled, frequent := map[string]auditUnit{}, map[string]auditUnit{}
	for _, c := range counts {
		u.rows += c.rows
		for key, x := range c.sampled {
			y := sampled[key]
			sampled[key] = auditUnit{key, x.hash, x.rows + y.rows}
		}
		for key, n := range c.frequent {
			frequent[key] = auditUnit{key: key, rows: *n + frequent[key].rows}
		}
	}
	heavy := slices.SortedFunc(mapValues(frequent), func(a, b auditUnit) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(a.key, b.key))
	})
	u.heavy = heavy[:min(len(heavy), auditHeavy)]
	random := slices.SortedFunc(mapValues(sampled), func(a, b auditUnit) int { return cmp.Compare(a.hash, b.hash) })
	random = slices.DeleteFunc(random[:min(len(random), auditSampled)], func(a auditUnit) bool {
		return slices.ContainsFunc(u.heavy, func(b auditUnit) bool { return a.key == b.key })
	})
	n := min(len(random), auditRandom)
	u.random, u.others = random[:n], random[n:]
	return u
}

func mapValues(m map[string]auditUnit) func(yield func(auditUnit) bool) {
	return func(yield func(auditUnit) bool) {
		for _, x := range m {
			if !yield(x) {
				return
			}
		}
	}
}

// counter is the census of one worker.
type counter struct {
	rows     int64
	sampled  map[string]*auditUnit // the units of the smallest hashes, with all their rows
	most     uint64                // units with a larger hash are no longer in the sample
	frequent map[string]*int64
}

func newCounter() *counter {
	return &counter{sampled: map[string]*auditUnit{}, most: math.MaxUint64, frequent: map[string]*int64{}}
}

// countRow counts a row. most only falls, so a unit that is in the sample at the end was in it from its first row on,
// and all its rows were counted.
func (c *counter) countRow(key []byte, hash uint64, frequent bool) {
	c.rows++
	if hash <= c.most {
		if u, ok := c.sampled[string(key)]; ok {
			u.rows++
		} else {
			c.sampled[string(key)] = &auditUnit{hash: hash, rows: 1}
			if len(c.sampled) > 2*auditSampled {
				c.shrink()
			}
		}
	}
	if !frequent {
		return
	}
	if n, ok := c.frequent[string(key)]; ok {
		*n++
		return
	}
	if len(c.frequent) < auditCounted {
		one := int64(1)
		c.frequent[string(key)] = &one
		return
	}
	for k, n := range c.frequent {
		if *n--; *n == 0 {
			delete(c.frequent, k)
		}
	}
}

// shrink keeps the half of the sample with the smallest hashes.
func (c *counter) shrink() {
	hashes := make([]uint64, 0, len(c.sampled))
	for _, u := range c.sampled {
		hashes = append(hashes, u.hash)
	}
	slices.Sort(hashes)
	c.most = hashes[auditSampled-1]
	for key, u := range c.sampled {
		if u.hash > c.most {
			delete(c.sampled, key)
		}
	}
}
