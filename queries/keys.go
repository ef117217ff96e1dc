package queries

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/intern"
	"github.com/dprelease/dprelease/queries/problem"
)

// maxKeyBytes is the longest text that is a key; longer ones, and those that are not UTF-8, are no keys: their rows are dropped.
const maxKeyBytes = 1024

// errKeys is an error of size: one accumulator has met 2^31 - 1 keys.
var errKeys = errors.New("queries: more than 2^31 - 1 keys")

// keying finds the key of each row, by a number.
type keying struct {
	query   *discovering
	listed  *domain.Grouping // of the listed dimensions
	columns []discoveredColumn
	pairs   []*intern.Words // pairs[i]: (number of the key's listed cell and its columns up to i, value of column i + 1)
	ids     []int32
}

// discoveredColumn numbers the values of a column.
type discoveredColumn struct {
	domain.AxisCoder
	values *keyValues
}

// compileKeys makes the keying of the query for a schema, and reports every column that does not fit.
func (q *discovering) compileKeys(s table.Schema, p *problem.Problems) *keying {
	k := &keying{query: q, listed: q.compile(s, p)}
	l := q.layout(s, p)
	for i, d := range q.spec.By {
		if !d.Discover {
			continue
		}
		field := q.spec.dimensionField(i) + ".column"
		at, t, ok := l.Find(d.Column, field)
		if ok && !keyType(t) {
			p.Add(field, problem.CodeColumnType, "a column of type "+t.String()+" has no keys to discover", "numbers with fractions are cut with edges; input.csv.types types a CSV column")
		}
		v := &keyValues{kind: t, texts: intern.NewTexts()}
		k.columns = append(k.columns, discoveredColumn{domain.AxisCoder{At: at, Kind: t, Values: v, Null: columnar.Dropped}, v})
		k.pairs = append(k.pairs, intern.NewWords())
	}
	return k
}

func keyType(t table.Type) bool { return t.Kind != table.Float && columnar.HasCanonicalForm(t) }

// OfRows returns the number of the key of each row of a batch, or dropped.
func (k *keying) OfRows(b *table.Batch) ([]int32, error) {
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

// text returns the key of a number: the codes of the listed dimensions and the values of the others in the order of the dimensions, so
// that keys as bytes are in the order of their values.
func (k *keying) text(id int32) string {
	values := make([]int32, len(k.columns))
	for i := len(k.columns) - 1; i >= 0; i-- {
		id, values[i] = unpair(k.pairs[i].Keys[id])
	}
	var key []byte
	listed, discovered := 0, 0
	strides := domain.AxisStrides(k.query.axes)
	for i := range k.query.spec.By {
		if k.query.spec.By[i].Discover {
			key = append(key, k.columns[discovered].values.texts.At(values[discovered])...)
			discovered++
			continue
		}
		code := int(id) / strides[listed] % k.query.axes[listed].Size
		key = binary.BigEndian.AppendUint32(key, uint32(code))
		listed++
	}
	return string(key)
}

// keyValues numbers the values of a type by their form in keys.
type keyValues struct {
	kind  table.Type
	texts *intern.Texts
	buf   []byte
}

func (c *keyValues) Codes(v table.Values, from int, dst []int32) {
	for i := range dst {
		dst[i] = columnar.Dropped
		if form, ok := c.form(v, from+i); ok {
			dst[i] = c.texts.ID(form)
		}
	}
}

// The form of a value in a key: its kind; of times, whether they are instants and the length of their unit; then text with each 0
// followed by 255, and two more 0 at its end, or eight bytes, big-endian, whose order is that of the values.
func (c *keyValues) form(v table.Values, i int) (form []byte, ok bool) {
	c.buf = append(c.buf[:0], byte(c.kind.Kind))
	switch c.kind.Kind {
	case table.String:
		text := v.Bytes(i)
		if len(text) > maxKeyBytes || !utf8.Valid(text) {
			return nil, false
		}
		for _, b := range text {
			if c.buf = append(c.buf, b); b == 0 {
				c.buf = append(c.buf, 0xff)
			}
		}
		c.buf = append(c.buf, 0, 0)
	case table.Timestamp:
		instant := byte(0)
		if c.kind.Zone == table.UTC {
			instant = 1
		}
		c.buf = binary.BigEndian.AppendUint64(append(c.buf, instant), uint64(c.kind.Unit))
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(v.Ints[i])^1<<63)
	case table.Uint:
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(v.Ints[i]))
	default:
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(v.Ints[i])^1<<63)
	}
	return c.buf, true
}

// errKey is an error of the program: what came back is no key.
var errKey = errors.New("queries: a key cannot be read")

// label reads a value from its form: it returns its text and the rest of the key.
func label(key string) (text, rest string, err error) {
	if len(key) < 9 && (key == "" || table.Kind(key[0]) != table.String) {
		return "", "", errKey
	}
	t := table.Type{Kind: table.Kind(key[0])}
	key = key[1:]
	switch t.Kind {
	case table.String:
		return textLabel(key)
	case table.Timestamp:
		if len(key) < 17 {
			return "", "", errKey
		}
		if t.Zone = table.Local; key[0] == 1 {
			t.Zone = table.UTC
		}
		t.Unit, key = int64(binary.BigEndian.Uint64([]byte(key[1:9]))), key[9:]
	}
	word := binary.BigEndian.Uint64([]byte(key[:8]))
	if t.Kind != table.Uint {
		word ^= 1 << 63
	}
	return string(columnar.AppendWord(nil, word, t)), key[8:], nil
}

func textLabel(key string) (text, rest string, err error) {
	var b []byte
	for i := 0; i+1 < len(key); i++ {
		switch {
		case key[i] != 0:
			b = append(b, key[i])
		case key[i+1] == 0:
			return string(b), key[i+2:], nil
		default:
			b = append(b, 0)
			i++
		}
	}
	return "", "", errKey
}

// columnsOf returns the key columns of the dimensions, with a label for each key.
func (q *discovering) columnsOf(keys []string) ([]domain.KeyColumn, error) {
	rest := slices.Clone(keys)
	var columns []domain.KeyColumn
	listed := 0
	for i := range q.spec.By {
		d := &q.spec.By[i]
		if !d.Discover {
			a := &q.axes[listed]
			listed++
			codes, err := listedCodes(rest, a.Size)
			if err != nil {
				return nil, err
			}
			for _, k := range a.Domain.Keys(a.Name(), a.Extra.Names) {
				columns = append(columns, domain.KeyColumn{Name: k.Name, Stride: 1, Labels: pickLabels(&k, codes)})
			}
			continue
		}
		labels := make([]string, len(keys), max(len(keys), 1))
		for r := range rest {
			var err error
			if labels[r], rest[r], err = label(rest[r]); err != nil {
				return nil, err
			}
		}
		columns = append(columns, domain.KeyColumn{Name: d.KeyName(), Stride: 1, Labels: domain.Labels{Strings: orNoKey(labels)}})
	}
	return columns, nil
}

// listedCodes takes the code of a listed dimension off each key.
func listedCodes(keys []string, size int) ([]int, error) {
	codes := make([]int, len(keys))
	for i, key := range keys {
		if len(key) < 4 {
			return nil, errKey
		}
		code := binary.BigEndian.Uint32([]byte(key[:4]))
		if code > math.MaxInt32 || int(code) >= size {
			return nil, errKey
		}
		codes[i], keys[i] = int(code), key[4:]
	}
	return codes, nil
}

// pickLabels returns the labels of some cells of an axis; of none, a label that no row has.
func pickLabels(k *domain.KeyColumn, codes []int) domain.Labels {
	if len(codes) == 0 {
		codes = []int{0}
	}
	stride := max(k.Stride, 1)
	return domain.Labels{
		Strings: picked(k.Labels.Strings, codes, stride), Ints: picked(k.Labels.Ints, codes, stride), Floats: picked(k.Labels.Floats, codes, stride),
	}
}

func picked[T any](labels []T, codes []int, stride int) []T {
	if len(labels) == 0 {
		return nil
	}
	out := make([]T, len(codes))
	for i, c := range codes {
		out[i] = labels[c/stride%len(labels)]
	}
	return out
}

func orNoKey(labels []string) []string {
	if len(labels) == 0 {
		return noKey
	}
	return labels
}

// pair packs two numbers that are not negative; unpair takes them apart.
func pair(a, b int32) uint64 { return uint64(a)<<32 | uint64(b) }

func unpair(x uint64) (a, b int32) { return int32(x >> 32), int32(x & 0xffffffff) }
