// Package keyselection counts the privacy units of each key, if the keys are not listed in the job.
//
// A key is what a histogram's dimensions say of a row: the codes of the listed dimensions and the values of the others,
// as the rows have them. Which keys there are is private. They go to package mechanism with their counts, sorted, and
// come back if the noisy count is large enough (partition selection). A key is text, from which its labels can be read:
// of each dimension, in their order, four bytes of code or the form of a value (form.go). [Keying] numbers the keys of
// batches, [Counts] counts them, and [Dimensions] turns keys into key columns and back.
package keyselection

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/intern"
	"github.com/dprelease/dprelease/queries/problem"
)

// errKeys is an error of size: one accumulator has met 2^31 - 1 keys.
var errKeys = errors.New("queries: more than 2^31 - 1 keys")

// Dimensions are those of a histogram of which some discover their keys.
type Dimensions struct {
	By   []domain.Dimension
	Axes []domain.Axis // of the listed dimensions, in order
}

// Keying finds the key of each row, by a number.
type Keying struct {
	Dimensions
	listed  *domain.Grouping // of the listed dimensions
	columns []discoveredColumn
	pairs   []*intern.Words // pairs[i]: (number of the key's listed cell and its columns up to i, value of column i + 1)
	ids     []int32
	digests []digest // by the number of the key, of those that were asked for
}

// discoveredColumn numbers the values of a column.
type discoveredColumn struct {
	domain.AxisCoder
	values *valueNumbers
}

// Compile makes the keying for a schema, and reports every column that does not fit. The fields are the places of the
// dimensions in the job.
func (d Dimensions) Compile(l domain.Layout, field func(dimension int) string) *Keying {
	k := &Keying{Dimensions: d, listed: domain.GroupingOf(d.Axes, l)}
	for i, dim := range d.By {
		if !dim.Discover {
			continue
		}
		f := field(i) + ".column"
		at, t, ok := l.Find(dim.Column, f)
		if ok && !hasKeys(t) {
			hint := problem.BadType(t).Hint // if no query reads such a column
			if hint == "" {
				hint = "numbers with fractions are cut with edges; input.csv.types types a CSV column"
			}
			l.Problems.Add(f, problem.CodeColumnType, "a column of type "+t.String()+" has no keys to discover", hint)
		}
		v := &valueNumbers{forms: forms{kind: t, fold: dim.Fold}, texts: intern.NewTexts()}
		k.columns = append(k.columns, discoveredColumn{domain.AxisCoder{At: at, Kind: t, Values: v, Null: columnar.Dropped},
			v})
		k.pairs = append(k.pairs, intern.NewWords())
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
		if pairs.Len() >= intern.MaxUnits || k.columns[i].values.texts.Len() >= intern.MaxUnits {
			return nil, errKeys
		}
	}
	return k.ids, nil
}

// text returns the key of a number. Keys as bytes are in the order of their values.
func (k *Keying) text(id int32) string {
	values := make([]int32, len(k.columns))
	for i := len(k.columns) - 1; i >= 0; i-- {
		id, values[i] = unpair(k.pairs[i].Keys[id])
	}
	var key []byte
	listed, discovered := 0, 0
	strides := domain.AxisStrides(k.Axes)
	for i := range k.By {
		if k.By[i].Discover {
			key = append(key, k.columns[discovered].values.texts.At(values[discovered])...)
			discovered++
			continue
		}
		code := int(id) / strides[listed] % k.Axes[listed].Size
		key = binary.BigEndian.AppendUint32(key, uint32(code))
		listed++
	}
	return string(key)
}

// digestOf returns the digest of a key. Numbers are given in order, but not every one is asked for: digests are made of
// all up to this one, and those that are new are told to named, which may be nil.
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

// bytes is about how much memory the numbers of keys take.
func (k *Keying) bytes() int64 {
	const ofPair = 20
	n := int64(len(k.digests)) * sha256.Size
	for i := range k.columns {
		n += k.columns[i].values.texts.Bytes() + ofPair*int64(k.pairs[i].Len())
	}
	return n
}

// forget forgets the numbers of all keys: those of the next batch begin anew.
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
