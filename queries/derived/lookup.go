package derived

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// Lookups: columns of a public table
//
// The values of each key column are mapped to codes, as the values of a dimension are; a dictionary is mapped once. The
// codes of a row select the row of the public table. Each added column is a dictionary with one code for each row. So a
// row costs one or two memory accesses for each key and each added column.

// Lookup adds columns of a public table to the rows of the input. A row gets the values of the public row with the same
// key, or nulls if there is no such row.
type Lookup struct {
	// Field is the lookup's place in the job: input.lookups[0].
	Field string
	// On lists the columns of the input that are the key.
	On []string
	// Keys[i][r] is the key value in column On[i] of public row r, as a text. A public row with an empty key value is
	// ignored.
	Keys [][]string
	// To[r] is the upper end of a key range that begins at Keys[0][r] and includes both ends; it needs exactly one column
	// in On. nil if keys are single values. A public row with an empty text is ignored.
	To []string
	// Add are the columns of the public table that are added.
	Add []Added
}

// Added is a column of the public table that a lookup adds.
type Added struct {
	// Name is the name of the derived column.
	Name string
	// Kind is the kind of its values: String, Int, Float, Bool or Date.
	Kind table.Kind
	// Values[r] is the value in public row r, as a text. An empty text is null.
	Values []string
}

// Reads implements Definition.
func (l *Lookup) Reads() []string { return l.On }

// Makes implements Definition.
func (l *Lookup) Makes() []string {
	names := make([]string, len(l.Add))
	for i := range l.Add {
		names[i] = l.Add[i].Name
	}
	return names
}

func (l *Lookup) place() string { return l.Field }

// joined is the public data of a lookup that all its programs share. It does not change.
type joined struct {
	codings []domain.Coding
	columns []string
	schema  table.Schema
	// sizes[i] is the number of different codes of key column i: its values, or its ranges and the gaps between them. The
	// codes of all key columns together make a mixed-radix number. If there are few such numbers, an array has a public
	// row for each; otherwise the map entries does.
	sizes   []int
	rows    []int32
	entries map[string]int32
	added   []addedColumn
}

// addedColumn is an added column: its different values, and for each public row the index of its value, or -1 for null.
type addedColumn struct {
	typ    table.Type
	values table.Values
	dict   uint64
	codes  []int32
}

// maxNumbered is the largest number of combinations of key values for which an array of all combinations is held.
const maxNumbered = 1 << 22

func (l *Lookup) bind(types []table.Type, zone *time.Location, p *problem.Problems) (made []table.Type,
	start func() program) {
	before := len(p.List)
	j := &joined{columns: l.On}
	rows := l.usedRows()
	codes := make([][]int32, len(l.On)) // codes[i][k] is the code of public row rows[k] in key column i
	combinations := 1
	for i, column := range l.On {
		j.schema.Fields = append(j.schema.Fields, table.Field{Name: column, Type: types[i]})
		var distinct []string
		at := map[string]int32{}
		for _, r := range rows {
			text := l.Keys[i][r]
			code, known := at[text]
			if !known {
				code = int32(len(distinct))
				at[text], distinct = code, append(distinct, text)
			}
			codes[i] = append(codes[i], code)
		}
		size, read := len(distinct), len(distinct)
		var c domain.Coding
		var err *problem.Error
		if l.To != nil {
			c, j.rows, err = l.ranges(types[i], rows)
			size = len(j.rows)
		} else {
			c, read, err = domain.KeyCoding(column, types[i], distinct, zone)
		}
		switch {
		case err != nil:
			p.Add(l.Field+".on", err.Code, fmt.Sprintf("column %s: %s", column, err.Message), err.Hint)
		case read == 0 && len(distinct) > 0:
			p.Add(l.Field+".on", problem.CodeColumnType, fmt.Sprintf("no key of the file is a value of column %s, which is %s",
				column, types[i]), "name the columns that have the same values: on: {COLUMN_OF_THE_INPUT: COLUMN_OF_THE_FILE}")
		}
		j.codings, j.sizes = append(j.codings, c), append(j.sizes, size)
		if combinations <= maxNumbered {
			combinations *= max(len(distinct), 1)
		}
	}
	if len(p.List) > before {
		return nil, nil
	}
	if l.To == nil {
		j.number(rows, codes, combinations)
	}
	for i := range l.Add {
		a := &l.Add[i]
		c := addedColumn{typ: table.Type{Kind: a.Kind}, dict: table.NextDictionary()}
		if err := c.fill(a.Values, rows); err != nil {
			p.Add(fmt.Sprintf("%s.add[%d]", l.Field, i), problem.CodeBadValue, err.Message, "correct the public file, or the "+
				"type of the column")
			return nil, nil
		}
		j.added, made = append(j.added, c), append(made, c.typ)
	}
	return made, func() program { return newLookupProgram(j) }
}

// ranges returns a coding that maps a key value to the range that holds it, or to a gap between ranges. rangeOf[code]
// is the index in rows of the range's public row, or Dropped for a gap. An error is a problem of the public file.
func (l *Lookup) ranges(t table.Type, rows []int) (c domain.Coding, rangeOf []int32, err *problem.Error) {
	if t.Kind != table.Int && t.Kind != table.Date {
		return c, nil, &problem.Error{Code: problem.CodeColumnType, Message: "ranges are of integers or dates, and the " +
			"column is " +
			t.String(), Hint: "type the column in csv.types, or derive a column of integers"}
	}
	type span struct {
		first, last int64
		at          int
	}
	all := make([]span, len(rows))
	for i, r := range rows {
		s := span{at: i}
		if s.first, err = domain.ParseInt(l.Keys[0][r], t, time.UTC); err == nil {
			s.last, err = domain.ParseInt(l.To[r], t, time.UTC)
		}
		if err != nil {
			return c, nil, err
		}
		if all[i] = s; s.first > s.last {
			return c, nil, &problem.Error{Code: problem.CodeBadValue, Message: fmt.Sprintf("row %d of the file has a range "+
				"that ends before it begins", r+1), Hint: "correct the public file"}
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	var at []int64
	for i, s := range all {
		if i > 0 && s.first <= all[i-1].last {
			return c, nil, &problem.Error{Code: problem.CodeDuplicate, Message: fmt.Sprintf("rows %d and %d of the file have "+
				"ranges with a value in common", rows[all[i-1].at]+1, rows[s.at]+1), Hint: "a value must have one row: cut one " +
				"of the ranges"}
		}
		if n := len(at); n > 0 && at[n-1] == s.first { // no value is between this range and the one before
			rangeOf[n-1] = int32(s.at)
		} else {
			at, rangeOf = append(at, s.first), append(rangeOf, int32(s.at))
		}
		if s.last < math.MaxInt64 {
			at, rangeOf = append(at, s.last+1), append(rangeOf, domain.Dropped)
		}
	}
	c = domain.Coding{Column: l.On[0], Type: t, Null: domain.Dropped, Other: domain.Dropped,
		IntSteps: &domain.Steps[int64]{At: at,
			Cells: int32(len(at)), Below: domain.Dropped, Beyond: domain.Dropped}}
	return c, rangeOf, nil
}

// usedRows returns the public rows whose key values are all present.
func (l *Lookup) usedRows() (rows []int) {
	for r := range l.Keys[0] {
		if l.To != nil && l.To[r] == "" {
			continue
		}
		if !slices.ContainsFunc(l.Keys, func(column []string) bool { return column[r] == "" }) {
			rows = append(rows, r)
		}
	}
	return rows
}

// Check reports a key that two rows of the public table have.
func (l *Lookup) Check(p *problem.Problems) {
	used := l.usedRows()
	if len(used) == 0 {
		p.Add(l.Field+".on", problem.CodeBadValue, "the file has no row with a key: no row of the table would find a value",
			"fill the file, or leave the lookup out")
		return
	}
	seen := map[string]int{}
	var key []byte
	for _, r := range used {
		key = key[:0]
		for i := range l.Keys {
			key = binary.AppendUvarint(key, uint64(len(l.Keys[i][r])))
			key = append(key, l.Keys[i][r]...)
		}
		if first, twice := seen[string(key)]; twice {
			p.Add(l.Field+".on", problem.CodeDuplicate, fmt.Sprintf("rows %d and %d of the file have the same key", first+1,
				r+1), "a key must name one row: add the other columns of the key to on, or remove rows from the file")
			return
		}
		seen[string(key)] = r
	}
}

// number fills j.rows or j.entries, which map the codes of a key to the index of its public row in rows.
func (j *joined) number(rows []int, codes [][]int32, combinations int) {
	if len(codes) == 1 {
		return // each key value is in one row, so the code is the row's index
	}
	if combinations <= maxNumbered {
		j.rows = make([]int32, combinations)
		for i := range j.rows {
			j.rows[i] = domain.Dropped
		}
		for r := range rows {
			at := 0
			for i := range codes {
				at = at*j.sizes[i] + int(codes[i][r])
			}
			j.rows[at] = int32(r)
		}
		return
	}
	j.entries = make(map[string]int32, len(rows))
	for r := range rows {
		key := make([]byte, 0, 4*len(codes))
		for i := range codes {
			key = binary.LittleEndian.AppendUint32(key, uint32(codes[i][r]))
		}
		j.entries[string(key)] = int32(r)
	}
}

// fill stores the values of some public rows. Equal texts are stored once.
func (c *addedColumn) fill(texts []string, rows []int) *problem.Error {
	at := map[string]int32{"": domain.Dropped}
	n := int32(0)
	for _, r := range rows {
		code, known := at[texts[r]]
		if !known {
			if err := domain.AppendParsed(&c.values, texts[r], c.typ); err != nil {
				return err
			}
			code, at[texts[r]] = n, n
			n++
		}
		c.codes = append(c.codes, code)
	}
	if n == 0 { // the code of a null row must exist, too
		switch c.typ.Kind {
		case table.Float:
			c.values = table.Values{Floats: []float64{0}}
		case table.String:
			c.values = table.Values{Offsets: []uint32{0, 0}}
		default:
			c.values = table.Values{Ints: []int64{0}}
		}
	}
	return nil
}

// lookupProgram evaluates a lookup.
type lookupProgram struct {
	*joined
	coders  []domain.RowCoder
	keys    table.Batch
	entries []int32
	key     []byte
	out     []table.Column
}

func newLookupProgram(j *joined) *lookupProgram {
	l := &lookupProgram{joined: j, out: make([]table.Column, len(j.added))}
	for i := range j.codings {
		l.coders = append(l.coders, j.codings[i].Coder(domain.BatchColumns{Schema: j.schema, Columns: j.columns}))
	}
	return l
}

func (l *lookupProgram) run(b *table.Batch, at []int) ([]table.Column, error) {
	l.keys.Rows, l.keys.Columns = b.Rows, l.keys.Columns[:0]
	for _, k := range at {
		l.keys.Columns = append(l.keys.Columns, b.Columns[k])
	}
	if err := l.find(); err != nil {
		return nil, err
	}
	for i := range l.added {
		l.out[i] = l.added[i].column(l.entries, l.out[i])
	}
	return l.out, nil
}

// find stores, for each row of the batch, the index of its public row, or Dropped if there is none.
func (l *lookupProgram) find() error {
	l.entries = slices.Grow(l.entries[:0], l.keys.Rows)[:l.keys.Rows]
	var all [][]int32
	for _, coder := range l.coders {
		codes, err := coder.OfRows(&l.keys)
		if err != nil {
			return err
		}
		all = append(all, codes)
	}
	switch {
	case l.rows == nil && len(all) == 1:
		copy(l.entries, all[0])
	case l.rows != nil:
		for r := range l.entries {
			number, missing := 0, false
			for i, codes := range all {
				missing = missing || codes[r] < 0
				number = number*l.sizes[i] + int(max(codes[r], 0))
			}
			if l.entries[r] = domain.Dropped; !missing && number < len(l.rows) {
				l.entries[r] = l.rows[number]
			}
		}
	default:
		for r := range l.entries {
			l.key = l.key[:0]
			for _, codes := range all {
				l.key = binary.LittleEndian.AppendUint32(l.key, uint32(codes[r])) // no key in entries has Dropped
			}
			entry, ok := l.joined.entries[string(l.key)]
			if !ok {
				entry = domain.Dropped
			}
			l.entries[r] = entry
		}
	}
	return nil
}

// column returns the added column for rows with these public rows (entries). It reuses the memory of old.
func (c *addedColumn) column(entries []int32, old table.Column) table.Column {
	n := len(entries)
	out := table.Column{Type: c.typ, Values: c.values, Dict: c.dict, Codes: slices.Grow(old.Codes[:0], n)[:n],
		Valid: slices.Grow(old.Valid[:0], n)[:n]}
	for r, entry := range entries {
		code := int32(domain.Dropped)
		if entry >= 0 {
			code = c.codes[entry]
		}
		out.Codes[r], out.Valid[r] = max(code, 0), code >= 0
	}
	return out
}
