// Package keyselection computes totals by key, if the keys are not listed in the job but discovered (private partition
// selection).
//
// The key of a row has one part for each dimension of a histogram. The part is the code of the row's cell in four bytes
// if the job lists the dimension's labels; otherwise it is the row's value, encoded as encoding.go describes. The set
// of keys is private. Package mechanism gets the sorted keys with their counts of privacy units, and returns only keys
// whose noisy counts are large enough.
//
// [Keying] numbers the keys of batches, [Counts] counts the units of each key, [Values] sums values by key, and
// [Dimensions] converts keys to key columns of the answer and back.
package keyselection

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/intern"
)

// Dimensions are the dimensions of a histogram. At least one of them discovers its labels.
type Dimensions struct {
	By   []domain.Dimension
	Axes []domain.Axis // one for each dimension with listed labels, in order
}

// Keying numbers the keys of rows from 0, in the order in which they are met.
type Keying struct {
	parts   []aggregation.KeyPart
	sizes   []int            // the number of cells of each listed dimension
	listed  *domain.Grouping // finds a row's cell in the listed dimensions
	columns []discoveredColumn
	// pairs[i] extends keys by discovered column i: it numbers the pairs of the number of a key of the columns before i
	// (for i = 0, of the listed cell) and the number of a value of column i. The numbers of the last pairs are the key
	// numbers.
	pairs   []*intern.Uint64s
	ids     []int32  // for each row of the batch, its key number
	digests []digest // by key number; computed when they are first needed
}

// discoveredColumn numbers the values of a discovered dimension's column.
type discoveredColumn struct {
	domain.AxisCoder
	values *valueNumbers
}

// NewKeying returns a Keying without keys, for an aggregation and for batches with the columns of l.
func NewKeying(of *aggregation.Aggregation, l domain.BatchColumns) *Keying {
	n := of.KeyAxes()
	k := &Keying{parts: of.Keys, sizes: of.Sizes[:n], listed: domain.NewGrouping(of.Axes[:n], of.Sizes[:n], l)}
	for i := range of.Keys {
		p := &of.Keys[i]
		if p.Axis >= 0 {
			continue
		}
		v := &valueNumbers{encoder: encoder{kind: p.Type, fold: p.Fold}, texts: intern.NewTexts()}
		at := slices.Index(l.Columns, p.Column)
		k.columns = append(k.columns, discoveredColumn{domain.AxisCoder{At: at, Kind: p.Type, Values: v,
			Null: columnar.Dropped}, v})
		k.pairs = append(k.pairs, intern.NewUint64s())
	}
	return k
}

// OfRows returns the key number of each row of a batch, or Dropped if the row has no key.
func (k *Keying) OfRows(b *table.Batch) ([]int32, error) {
	cells, err := k.listed.OfRows(b)
	if err != nil {
		return nil, err
	}
	k.ids = append(k.ids[:0], cells...)
	for i := range k.columns {
		codes, err := k.columns[i].OfRows(b)
		if err != nil {
			return nil, err
		}
		pairs := k.pairs[i]
		for row, id := range k.ids {
			k.ids[row] = columnar.Dropped
			if id >= 0 && codes[row] >= 0 {
				k.ids[row] = pairs.ID(pair(id, codes[row]))
			}
		}
	}
	return k.ids, nil
}

// text returns the bytes of the key with number id. Their order is the order of the key's values.
func (k *Keying) text(id int32) string {
	values := make([]int32, len(k.columns))
	for i := len(k.columns) - 1; i >= 0; i-- {
		id, values[i] = unpair(k.pairs[i].Keys[id])
	}
	var key []byte
	discovered, stride := 0, 1
	for _, size := range k.sizes {
		stride *= size
	}
	for i := range k.parts {
		axis := k.parts[i].Axis
		if axis < 0 {
			key = append(key, k.columns[discovered].values.texts.At(values[discovered])...)
			discovered++
			continue
		}
		stride /= k.sizes[axis] // the key's parts are in the order of the axes
		key = binary.BigEndian.AppendUint32(key, uint32(int(id)/stride%k.sizes[axis]))
	}
	return string(key)
}

// digestOf returns the digest of the key with number id. It computes the missing digests of all keys up to this one,
// and calls named, if not nil, with each new digest and its key.
func (k *Keying) digestOf(id int32, named func(d digest, key string)) *digest {
	for n := len(k.digests); n <= int(id); n++ {
		key := k.text(int32(n))
		k.digests = append(k.digests, sha256.Sum256([]byte(key)))
		if named != nil {
			named(k.digests[n], key)
		}
	}
	return &k.digests[id]
}

// outgrown reports whether the tables that number the keys take more than limit bytes, or half of the numbers are used.
func (k *Keying) outgrown(limit int64) bool {
	for i := range k.columns {
		if max(k.pairs[i].Len(), k.columns[i].values.texts.Len()) > intern.MaxUnits/2 {
			return true
		}
	}
	return k.bytes() > limit
}

// bytes returns the approximate memory in bytes of the tables that number the keys.
func (k *Keying) bytes() int64 {
	const ofPair = 20
	n := int64(len(k.digests)) * sha256.Size
	for i := range k.columns {
		n += k.columns[i].values.texts.Bytes() + ofPair*int64(k.pairs[i].Len())
	}
	return n
}

// forget removes all keys. The next batch numbers keys from 0 again.
func (k *Keying) forget() {
	k.digests = nil
	for i := range k.columns {
		k.columns[i].Forget()
		k.columns[i].values.texts.Reset()
		k.pairs[i].Reset()
	}
}

// valueNumbers numbers the values of a column. Values with the same encoding have the same number.
type valueNumbers struct {
	encoder
	texts *intern.Texts
}

func (c *valueNumbers) Codes(v table.Values, from int, dst []int32) {
	for i := range dst {
		dst[i] = columnar.Dropped
		if form, ok := c.ofValue(v, from+i); ok {
			dst[i] = c.texts.ID(form)
		}
	}
}

// pair packs two non-negative numbers into one.
func pair(a, b int32) uint64 { return uint64(a)<<32 | uint64(b) }

func unpair(x uint64) (a, b int32) { return int32(x >> 32), int32(x & 0xffffffff) }
