// Package joined adds columns of one private table to the rows of another, by a key.
//
// There are two cases. If the key includes the privacy unit, a row gets the added columns of a row of its own unit. If
// several rows of the other table have the key, the row gets the smallest of their added columns. If the rows have no
// unit, they get the unit of the other table: a row is repeated for each unit that has a row with its key in the other
// table. In both cases, no row of one unit changes a row of another unit (docs/dev/stability.md).
//
// Memory holds the table that gives columns, as a [Side]. If the table does not fit, both tables are read several
// times. In each pass, memory holds the records whose hashes are in the pass's range of hashes, and rows are joined to
// these records. The hash of a record covers its unit too, so that any number of units may have the same key. Nothing
// is written to disk.
package joined

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/intern"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
)

// maxText is the largest length in bytes of a text in an added column. A longer text becomes null.
const maxText = 1024

// Fits reports whether columns of this type can be keys or can be added.
func Fits(t table.Type) bool { return columnar.HasCanonicalForm(t) }

// wordSeed and textSeed seed the hashes that divide records into ranges. They are the same for all sides of the
// process. No answer depends on them.
var (
	wordSeed = intern.NewHashSeed()
	textSeed = maphash.MakeSeed()
)

// Form describes the table that gives columns to the rows of another table.
type Form struct {
	// Keys are the columns of the key. Add are the columns that rows of the other table get. If rows also get their
	// privacy unit, it is the first Units columns of Add; otherwise Units is 0.
	Keys, Add []string
	Units     int
	// Columns are the columns of batches, in order. Schema has their types.
	Columns []string
	Schema  table.Schema
}

// Side is the table that gives columns, or the part of it that memory holds: the records whose hashes are at least from
// and at most to. There is a record for each key or, if rows get their unit, for each pair of key and unit.
type Side struct {
	Form
	types    []table.Type // the types of the columns in Add
	from, to uint64
	limit    int64 // the largest memory of the records in bytes

	mu      sync.Mutex
	records records
	columns []column // columns[i] holds the values of the column Add[i]; set by Complete
}

// records holds the key and the added values of each record. Keys and records are numbered from 0.
type records struct {
	words *intern.Uint64s // numbers the keys if each key is one 64-bit value
	texts *intern.Texts   // numbers the keys if they have another form
	// Records are numbered like their keys, unless the table also gives rows their unit. A key can then have several
	// records: rows numbers the pairs of key and unit, heads[k] is the first record of key k, next[r] the record of the
	// same key after record r, and keys[r] the key of record r.
	rows              *intern.Texts
	heads, next, keys []int32
	identity          []byte   // working memory: a pair of key and unit
	values            [][]byte // values[r] are the added values of record r, encoded so that bytes sort like the values
	hashes            []uint64 // hashes[r] is the hash of record r, of its key and its unit
	chunk             []byte   // memory for the next values
	bytes             int64    // the approximate memory of all records, in bytes
	garbage           int64    // the bytes of replaced values, which stay allocated until compact
}

// column holds the values of one added column (see Form.Add), one for each record.
type column struct {
	typ    table.Type
	valid  []bool
	values table.Values
	codes  []int32 // codes[r] is the number of the text of record r in values; nil if the column has no texts
	dict   uint64  // the identity of the dictionary of texts
}

// NewSide returns a side for records whose hashes are at least from. If the records exceed limit bytes, the side lowers
// the upper end of its range of hashes and drops the records above it.
func NewSide(f Form, from uint64, limit int64) *Side {
	s := &Side{Form: f, from: from, to: math.MaxUint64, limit: limit, records: newRecords()}
	for _, name := range f.Add {
		field, _ := f.Schema.Lookup(name)
		s.types = append(s.types, field.Type)
	}
	return s
}

func newRecords() records {
	return records{words: intern.NewUint64s(), texts: intern.NewTexts(), rows: intern.NewTexts()}
}

// Whole reports whether the side has all records of the table.
func (s *Side) Whole() bool { return s.from == 0 && s.to == math.MaxUint64 }

// Next returns the start of the next side's range of hashes. ok is false if this side is the last one.
func (s *Side) Next() (from uint64, ok bool) { return s.to + 1, s.to < math.MaxUint64 }

// Loader adds rows to a side. Only one goroutine may use it.
type Loader struct {
	side  *Side
	keys  *keyReader
	add   []int // the indexes of the added columns in a batch
	value []byte
	cells []int32
}

// Loader returns a new loader. Each goroutine that adds rows needs a loader of its own.
func (s *Side) Loader() *Loader {
	l := &Loader{side: s, keys: newKeyReader(s.Keys, s.Columns, s.Schema)}
	for _, name := range s.Add {
		l.add = append(l.add, slices.Index(s.Columns, name))
	}
	return l
}

// Add adds the rows of a batch for which b.Keep is true, or all rows if Keep is nil. It drops rows without a key and,
// if rows get their unit, rows without a unit. Errors do not depend on the values of rows.
func (l *Loader) Add(b *table.Batch) error {
	var err error
	if l.cells, err = columnar.Kept(l.cells, b); err != nil {
		return err
	}
	if err := l.keys.open(b, l.cells); err != nil {
		return err
	}
	l.side.mu.Lock()
	defer l.side.mu.Unlock()
	for row, cell := range l.cells {
		if cell >= 0 {
			l.addRow(b, row)
			l.side.shrink()
		}
	}
	return nil
}

func (l *Loader) addRow(b *table.Batch, row int) {
	s := l.side
	hash := l.keys.hash(row)
	if s.Units == 0 && !s.has(hash) {
		return
	}
	l.value = l.value[:0]
	unit := 0 // the length of the encoded unit
	for i, at := range l.add {
		var ok bool
		if l.value, ok = appendValue(l.value, &b.Columns[at], row, i >= s.Units); !ok && i < s.Units {
			return
		}
		if i < s.Units {
			unit = len(l.value)
		}
		if i == s.Units-1 {
			if hash ^= maphash.Bytes(textSeed, l.value); !s.has(hash) {
				return
			}
		}
	}
	var key int32
	if l.keys.word {
		key = s.records.words.ID(l.keys.AllWords()[row])
	} else {
		key = s.records.textKey(l.keys.bytes(row))
	}
	s.records.add(key, hash, l.value, unit)
}

// textKey returns the number of a key that is not one 64-bit value.
func (r *records) textKey(text []byte) int32 {
	before := r.texts.Len()
	key := r.texts.ID(text)
	if r.texts.Len() > before {
		r.bytes += int64(len(text))
	}
	return key
}

// appendValue appends a row's value, encoded so that the order of the bytes is the order of the values: a byte 0 for
// null, else a byte 1 and the value. In a text, 255 follows each byte 0, and two bytes 0 end it. ok is false if the
// value is null. If short is set, a text of more than maxText bytes counts as null.
func appendValue(dst []byte, c *table.Column, row int, short bool) (out []byte, ok bool) {
	start := len(dst)
	if out, ok = columnar.AppendOrdered(append(dst, 1), c, row); ok && c.Type.Kind == table.String {
		text := out[start+1:]
		if ok = !short || len(text) <= maxText; ok {
			if bytes.IndexByte(text, 0) >= 0 {
				text = bytes.ReplaceAll(text, []byte{0}, []byte{0, 255})
			}
			out = append(append(out[:start+1], text...), 0, 0)
		}
	}
	if !ok {
		return append(out[:start], 0), false
	}
	return out, true
}

// cutValue splits encoded values, which appendValue wrote, into the first value, decoded, and the rest. value is nil
// for null.
func cutValue(b []byte, t table.Type) (value, rest []byte) {
	if b[0] == 0 {
		return nil, b[1:]
	}
	if b = b[1:]; t.Kind != table.String {
		return b[:8], b[8:]
	}
	text := []byte{}
	for {
		n := bytes.IndexByte(b, 0)
		text = append(text, b[:n]...)
		if b[n+1] == 0 {
			return text, b[n+2:]
		}
		text, b = append(text, 0), b[n+2:]
	}
}

// add stores the added values of a row, unless a row with smaller values has the same key and unit. unit is the length
// of the unit at the start of value; 0 if rows do not get their unit.
func (r *records) add(key int32, hash uint64, value []byte, unit int) {
	record := key
	if unit > 0 {
		r.identity = append(binary.LittleEndian.AppendUint32(r.identity[:0], uint32(key)), value[:unit]...)
		record = r.rows.ID(r.identity)
	}
	if int(record) < len(r.values) {
		if bytes.Compare(value, r.values[record]) < 0 {
			r.replace(record, value)
		}
		return
	}
	r.values = append(r.values, r.keep(value))
	r.hashes = append(r.hashes, hash)
	r.bytes += recordBytes + int64(unit)
	if unit == 0 {
		return
	}
	if int(key) == len(r.heads) {
		r.heads = append(r.heads, intern.None)
	}
	r.keys = append(r.keys, key)
	r.next = append(r.next, r.heads[key])
	r.heads[key] = record
}

// recordBytes is the approximate memory for a record, besides its value and its key, while Complete runs.
const recordBytes = 128

// chunkBytes is how much memory is allocated at once for values.
const chunkBytes = 1 << 18

// keep copies a value into r.chunk and returns the copy.
func (r *records) keep(value []byte) []byte {
	r.bytes += int64(len(value))
	if len(value) > cap(r.chunk)-len(r.chunk) {
		r.chunk = make([]byte, 0, max(chunkBytes, len(value)))
	}
	start := len(r.chunk)
	r.chunk = append(r.chunk, value...)
	return r.chunk[start:len(r.chunk):len(r.chunk)]
}

// replace stores another value for a record. It overwrites the old value if there is room.
func (r *records) replace(record int32, value []byte) {
	old := r.values[record]
	r.garbage += int64(len(old))
	if len(value) <= cap(old) {
		r.garbage -= int64(len(value))
		r.values[record] = append(old[:0], value...)
		return
	}
	r.values[record] = r.keep(value)
}

// compact frees the memory of values that were replaced.
func (r *records) compact() {
	r.chunk = nil
	for record, value := range r.values {
		r.bytes -= int64(len(value))
		r.values[record] = r.keep(value)
	}
	r.bytes -= r.garbage
	r.garbage = 0
}

// maxRecords and maxBytes limit a side, so that 32-bit numbers of records and offsets of texts do not overflow.
const (
	maxRecords = 1 << 30
	maxBytes   = 1 << 31
)

// shrink reduces the memory to the limit. It compacts the records if a quarter of the memory is unused. Otherwise it
// halves the range of hashes until the records fit or one record is left. Compacting is so rare that the time for a row
// is constant on average.
func (s *Side) shrink() {
	for r := &s.records; r.bytes > s.limit || len(r.values) > maxRecords || r.bytes > maxBytes; r = &s.records {
		if r.garbage >= max(r.bytes/4, 1) {
			r.compact()
			continue
		}
		if len(r.values) < 2 || s.to == s.from {
			return
		}
		s.to = s.from + (s.to-s.from)/2
		fewer := newRecords()
		for record, hash := range r.hashes {
			if hash > s.to {
				continue
			}
			key := int32(record)
			if s.Units > 0 {
				key = r.keys[record]
			}
			var number int32
			if r.words.Len() > 0 {
				number = fewer.words.ID(r.words.Keys[key])
			} else {
				number = fewer.textKey(r.texts.At(key))
			}
			fewer.add(number, hash, r.values[record], s.unitBytes(r.values[record]))
		}
		s.records = fewer
	}
}

// unitBytes returns the length of the unit at the start of a value.
func (s *Side) unitBytes(value []byte) int {
	rest := value
	for _, t := range s.types[:s.Units] {
		_, rest = cutValue(rest, t)
	}
	return len(value) - len(rest)
}

// Complete converts the records to columns, which joins need. No rows can be added afterwards.
func (s *Side) Complete() {
	values := s.records.values
	s.records.values, s.records.hashes, s.records.chunk, s.records.keys = nil, nil, nil, nil
	for _, t := range s.types {
		c := column{typ: t, valid: make([]bool, len(values))}
		if t.Kind == table.String {
			completeTexts(&c, values)
		} else {
			for i, rest := range values {
				var value []byte
				value, values[i] = cutValue(rest, t)
				c.valid[i] = value != nil
				columnar.AppendDecoded(&c.values, value, t)
			}
		}
		s.columns = append(s.columns, c)
	}
}

// completeTexts fills a column of texts, which stores each text once. Together they are shorter than 4 GiB, so that
// 32-bit offsets suffice: at most maxBytes, or a single text.
func completeTexts(c *column, values [][]byte) {
	texts := intern.NewTexts()
	c.codes = make([]int32, len(values))
	c.values.Offsets = []uint32{0}
	for i, rest := range values {
		var text []byte
		if text, values[i] = cutValue(rest, c.typ); text == nil {
			continue
		}
		c.valid[i] = true
		if c.codes[i] = texts.ID(text); int(c.codes[i]) == len(c.values.Offsets)-1 {
			columnar.AppendDecoded(&c.values, text, c.typ)
		}
	}
	if texts.Len() == 0 { // nulls have code 0, which must exist
		columnar.AppendDecoded(&c.values, nil, c.typ)
	}
	c.dict = table.NextDictionary()
}

// keyReader reads the keys of the rows of one of the two tables.
type keyReader struct {
	*units.Reader
	word bool // each key is one 64-bit value
	text []byte
}

func newKeyReader(keys, columns []string, schema table.Schema) *keyReader {
	r := units.New(keys, true, columns, schema, &problem.Problems{})
	return &keyReader{Reader: r, word: !r.HasText() && r.Columns() == 1}
}

// open reads the keys of a batch. It sets cells[i] to Dropped if row i has no key. An empty text is no key, because
// text files have an empty text if a value is missing.
func (k *keyReader) open(b *table.Batch, cells []int32) error {
	if err := k.Open(b, cells); err != nil {
		return err
	}
	k.DropEmptyTexts(cells)
	return nil
}

// hash returns the hash of a row's key. It is the hash of the row's record, unless rows get their unit.
func (k *keyReader) hash(row int) uint64 {
	if k.word {
		return wordSeed.Of(k.AllWords()[row])
	}
	return maphash.Bytes(textSeed, k.bytes(row))
}

// bytes returns the key of a row as bytes.
func (k *keyReader) bytes(row int) []byte {
	if k.HasText() {
		return k.Bytes(row)
	}
	k.text = k.text[:0]
	for _, word := range k.Uint64s(row) {
		k.text = binary.LittleEndian.AppendUint64(k.text, word)
	}
	return k.text
}
