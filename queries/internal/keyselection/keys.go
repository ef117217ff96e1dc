// Package keyselection counts the privacy units of each key, if the keys are not listed in the job (private partition
// selection).
//
// The key of a row has, for each dimension of a histogram, the code of its cell if the dimension is listed, and
// otherwise its value. The set of keys is private. Package mechanism gets the keys with their counts, sorted, and
// returns the keys whose noisy counts are large enough. A key is a text from which its labels can be read: for each
// dimension, in order, four bytes of code or the form of a value (form.go). [Keying] numbers the keys of batches,
// [Counts] counts them, and [Dimensions] converts keys to key columns and back.
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

// Dimensions are the dimensions of a histogram, at least one of which discovers its keys.
type Dimensions struct {
	By   []domain.Dimension
	Axes []domain.Axis // the axes of the listed dimensions, in order
}

// Keying numbers the keys and finds the number of the key of each row.
type Keying struct {
	parts   []aggregation.KeyPart
	sizes   []int            // the sizes of the listed dimensions
	listed  *domain.Grouping // finds the cell of a row among the listed dimensions
	columns []discoveredColumn
	pairs   []*intern.Uint64s // pairs[i]: (number of the key's listed cell and its columns up to i, value of column i + 1)
	ids     []int32
	digests []digest // by the number of the key, for the keys whose digests were requested
}

// discoveredColumn numbers the values of a column.
type discoveredColumn struct {
	domain.AxisCoder
	values *valueNumbers
}

// NewKeying makes the keying of the keys of an aggregation, for batches of a layout.
func NewKeying(of *aggregation.Aggregation, l domain.BatchColumns) *Keying {
	n := of.KeyAxes()
	k := &Keying{parts: of.Keys, sizes: of.Sizes[:n], listed: domain.NewGrouping(of.Axes[:n], of.Sizes[:n], l)}
	for i := range of.Keys {
		p := &of.Keys[i]
		if p.Axis >= 0 {
			continue
		}
		v := &valueNumbers{forms: forms{kind: p.Type, fold: p.Fold}, texts: intern.NewTexts()}
		at := slices.Index(l.Columns, p.Column)
		k.columns = append(k.columns, discoveredColumn{domain.AxisCoder{At: at, Kind: p.Type, Values: v,
			Null: columnar.Dropped}, v})
		k.pairs = append(k.pairs, intern.NewUint64s())
	}
	return k
}

// OfRows returns the number of the key of each row of a batch, or dropped.
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

// text returns the key with the number id. The byte order of keys is the order of their values.
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
		stride /= k.sizes[axis] // parts are in the order of the axes
		key = binary.BigEndian.AppendUint32(key, uint32(int(id)/stride%k.sizes[axis]))
	}
	return string(key)
}

// digestOf returns the digest of a key. Digests are computed for all keys up to this number; named, if not nil, is
// called for each new one.
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

// outgrown reports whether the keys' numbers take more than some bytes, or run out.
func (k *Keying) outgrown(most int64) bool {
	for i := range k.columns {
		if max(k.pairs[i].Len(), k.columns[i].values.texts.Len()) > intern.MaxUnits/2 {
			return true
		}
	}
	return k.bytes() > most
}

// bytes returns the approximate memory of the keys' numbers.
func (k *Keying) bytes() int64 {
	const ofPair = 20
	n := int64(len(k.digests)) * sha256.Size
	for i := range k.columns {
		n += k.columns[i].values.texts.Bytes() + ofPair*int64(k.pairs[i].Len())
	}
	return n
}

// forget drops the numbers of all keys: numbering starts again with the next batch.
func (k *Keying) forget() {
	k.digests = nil
	for i := range k.columns {
		k.columns[i].Forget()
		k.columns[i].values.texts.Reset()
		k.pairs[i].Reset()
	}
}

// valueNumbers numbers the values of a type by their form in keys.
type valueNumbers struct {
	forms
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

// pair packs two numbers that are not negative; unpair takes them apart.
func pair(a, b int32) uint64 { return uint64(a)<<32 | uint64(b) }

func unpair(x uint64) (a, b int32) { return int32(x >> 32), int32(x & 0xffffffff) }
