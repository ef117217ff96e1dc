// Package joined adds columns of one private table to the rows of another, by a key.
//
// Either the key includes the privacy unit of both rows, or the rows have no unit and get the unit of their partner. In
// the first case, the added values are a function of the rows of the row's own unit: if several rows of the other table
// have the key, the partner is the smallest by its added columns. In the second case, a row becomes one row for each
// unit that has a row with its key: the rows that a unit gets this way are a function of the unit's rows in the other
// table and of the rows without a unit. So no row of one unit ever changes a row of another one
// (docs/dev/stability.md).
//
// The side that gives columns is held in memory, as far as it fits: the records whose hash is in a range. A record has
// a key, and a unit if rows get their unit. Both tables are read once for each range, so that each row meets each of
// its records once. So any number of units may have one key. Nothing is written to disk.
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

// mostText is the longest text that a row gets, in bytes; a longer one is null.
const mostText = 1024

// Fits reports whether columns of a type can be keys or be added.
func Fits(t table.Type) bool { return columnar.HasCanonicalForm(t) }

// The seeds that choose the ranges of records, the same for all sides of the process. No answer depends on them.
var (
	wordSeed = intern.NewHashSeed()
	textSeed = maphash.MakeSeed()
)

// Form describes the side of a join that gives columns.
type Form struct {
	// Keys are the columns of the key, Add the columns that the other side's rows get. The first Units of Add are the
	// privacy unit, if rows get it from their partner.
	Keys, Add []string
	Units     int
	// Columns are the columns of the batches, Schema has their types.
	Columns []string
	Schema  table.Schema
}

// Side is one side of a join: the records of a table whose hashes are in [from, to].
type Side struct {
	Form
	types    []table.Type // the types of the columns in Add
	from, to uint64
	limit    int64

	mu      sync.Mutex
	records records
	columns []column // once it is complete
}

// records are rows by number.
type records struct {
	words *intern.Uint64s // keys of one number
	texts *intern.Texts   // all other keys
	// If rows give their unit, a key has several records, which rows numbers by key and unit: heads[k] is the first
	// record of key k, next[r] the one after record r, keys[r] the key of record r. Otherwise a record has the number
	// of its key.
	rows              *intern.Texts
	heads, next, keys []int32
	identity          []byte
	values            [][]byte // by record: encodings of the added columns, which compare as these do
	hashes            []uint64 // by record
	chunk             []byte   // memory of values
	bytes             int64    // approximate memory of all
	garbage           int64    // memory that replaced values no longer use
}

// column is an added column by records.
type column struct {
	typ    table.Type
	valid  []bool
	values table.Values
	codes  []int32 // the number of each text
	dict   uint64
}

// NewSide returns the side with the records whose hashes start at from, as many as fit into limit bytes.
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

// Whole reports whether the side has all records.
func (s *Side) Whole() bool { return s.from == 0 && s.to == math.MaxUint64 }

// Next returns the start of the next side's range; ok is false if this side was the last.
func (s *Side) Next() (from uint64, ok bool) { return s.to + 1, s.to < math.MaxUint64 }

// Loader adds rows to a side. It is for one goroutine.
type Loader struct {
	side  *Side
	keys  *keyReader
	add   []int // positions of the added columns
	value []byte
	cells []int32
}

// Loader returns a new loader. Each goroutine that loads rows into the side needs its own.
func (s *Side) Loader() *Loader {
	l := &Loader{side: s, keys: newKeyReader(s.Keys, s.Columns, s.Schema)}
	for _, name := range s.Add {
		l.add = append(l.add, slices.Index(s.Columns, name))
	}
	return l
}

// Add adds the rows of a batch that its Keep keeps. Rows without a key, or without a unit to give, are dropped. No
// error depends on a row.
func (l *Loader) Add(b *table.Batch) error {
	l.cells = columnar.Resize(l.cells, b.Rows)
	for i := range l.cells {
		l.cells[i] = 0
		if b.Keep != nil && !b.Keep[i] {
			l.cells[i] = columnar.Dropped
		}
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
	unit := 0 // the length of the unit's encoding
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

// textKey returns the number of a key that is a text.
func (r *records) textKey(text []byte) int32 {
	before := r.texts.Len()
	key := r.texts.ID(text)
	if r.texts.Len() > before {
		r.bytes += int64(len(text))
	}
	return key
}

// appendValue appends the value of a row so that rows compare as their columns do: 0 for a null, else 1 and the value.
// A text ends with two zeros, and a zero in it has 255 after it. ok is false if it is null.
func appendValue(dst []byte, c *table.Column, row int, short bool) (out []byte, ok bool) {
	start := len(dst)
	if out, ok = columnar.AppendOrdered(append(dst, 1), c, row); ok && c.Type.Kind == table.String {
		text := out[start+1:]
		if ok = !short || len(text) <= mostText; ok {
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

// cutValue cuts the first value off; nil is a null.
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

// add adds a row, unless a smaller row has the same key and, if unit > 0, the same unit: the first unit bytes of the
// value.
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

// recordBytes is the approximate memory of a record in addition to its value and its key, while columns are made of the
// values.
const recordBytes = 128

// chunkBytes is the memory for values that is allocated at once.
const chunkBytes = 1 << 18

// keep returns a copy of a value.
func (r *records) keep(value []byte) []byte {
	r.bytes += int64(len(value))
	if len(value) > cap(r.chunk)-len(r.chunk) {
		r.chunk = make([]byte, 0, max(chunkBytes, len(value)))
	}
	start := len(r.chunk)
	r.chunk = append(r.chunk, value...)
	return r.chunk[start:len(r.chunk):len(r.chunk)]
}

// replace gives a record another value, in place if there is room.
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

// compact frees the memory that values no longer use.
func (r *records) compact() {
	r.chunk = nil
	for record, value := range r.values {
		r.bytes -= int64(len(value))
		r.values[record] = r.keep(value)
	}
	r.bytes -= r.garbage
	r.garbage = 0
}

// mostRecords and mostBytes are below the limits of 32-bit numbers.
const (
	mostRecords = 1 << 30
	mostBytes   = 1 << 31
)

// shrink compacts the records if a part of their memory is unused, and halves the range of hashes until they fit, or
// only one is left. The choice of the part makes the cost of compaction constant per row.
func (s *Side) shrink() {
	for r := &s.records; r.bytes > s.limit || len(r.values) > mostRecords || r.bytes > mostBytes; r = &s.records {
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

// unitBytes returns how many bytes of a value are the unit.
func (s *Side) unitBytes(value []byte) int {
	rest := value
	for _, t := range s.types[:s.Units] {
		_, rest = cutValue(rest, t)
	}
	return len(value) - len(rest)
}

// Complete makes the columns of the records. No rows can be added afterwards, and rows can be joined.
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

// completeTexts makes a column of texts: each text once. They have less than 4 GiB: at most mostBytes, or one text.
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
	if texts.Len() == 0 { // a code at a null is in range
		columnar.AppendDecoded(&c.values, nil, c.typ)
	}
	c.dict = table.NextDictionary()
}

// keyReader reads the keys of rows.
type keyReader struct {
	*units.Reader
	word bool // each key is one number
	text []byte
}

func newKeyReader(keys, columns []string, schema table.Schema) *keyReader {
	r := units.New(keys, true, columns, schema, &problem.Problems{})
	return &keyReader{Reader: r, word: !r.HasText() && r.Columns() == 1}
}

// open reads the keys of the rows of a batch, and drops, in cells, the rows that have no key. A key with an empty text
// is not a key: text files have an empty text if a value is missing.
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
