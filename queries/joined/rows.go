package joined

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/intern"
)

// Rows adds the columns of a side to the rows of the other table. Only one goroutine may use it.
type Rows struct {
	side    *Side
	keys    *keyReader
	cells   []int32
	rows    []int32 // for each joined row, its row in the batch; used if rows are dropped or repeated
	records []int32 // for each joined row, its record in the side, or intern.None
	batch   table.Batch
	own     []picked // memory for the columns of the other table
	added   []picked // memory for the added columns
}

// picked is the memory of one column of a joined batch, which the next batch uses again.
type picked struct {
	valid, unparsed []bool
	codes           []int32
	values          table.Values
	lists           []uint32
}

// Rows returns a Rows for batches with these columns, of which keys are the columns of the key.
func (s *Side) Rows(keys, columns []string, schema table.Schema) *Rows {
	return &Rows{side: s, keys: newKeyReader(keys, columns, schema), added: make([]picked, len(s.columns))}
}

// batchRows is the largest number of rows in a joined batch, if rows can be repeated.
const batchRows = 1 << 16

// Join calls yield with batches that have the columns of b and the added columns. A batch is valid until yield returns.
// The joined rows are the rows of b whose hashes are in the side's range, and rows without a key if the range is the
// first one. If rows get their unit, a row is instead repeated for each record of the side that has its key.
func (r *Rows) Join(b *table.Batch, yield func(*table.Batch) error) error {
	r.cells = columnar.Resize(r.cells, b.Rows)
	clear(r.cells)
	if err := r.keys.open(b, r.cells); err != nil {
		return err
	}
	s := r.side
	r.rows, r.records = r.rows[:0], r.records[:0]
	if s.Whole() && s.Units == 0 {
		for row := range r.cells {
			r.records = append(r.records, r.find(row))
		}
		return yield(r.joined(b, true))
	}
	for row, cell := range r.cells {
		if s.Units == 0 {
			if cell < 0 && s.from == 0 || cell >= 0 && s.has(r.keys.hash(row)) {
				r.rows, r.records = append(r.rows, int32(row)), append(r.records, r.find(row))
			}
			continue
		}
		key := r.find(row)
		if key < 0 {
			continue // the row gets no unit
		}
		for record := s.records.heads[key]; record != intern.None; record = s.records.next[record] {
			r.rows, r.records = append(r.rows, int32(row)), append(r.records, record)
			if len(r.rows) == batchRows {
				if err := yield(r.joined(b, false)); err != nil {
					return err
				}
				r.rows, r.records = r.rows[:0], r.records[:0]
			}
		}
	}
	if len(r.rows) == 0 {
		return nil
	}
	return yield(r.joined(b, false))
}

// find returns the number of a row's key, or None if the side does not have the key.
func (r *Rows) find(row int) int32 {
	switch {
	case r.cells[row] < 0:
		return intern.None
	case r.keys.word:
		return r.side.records.words.Find(r.keys.AllWords()[row])
	}
	return r.side.records.texts.Find(r.keys.bytes(row))
}

// joined returns the batch of the joined rows. all is set if they are exactly the rows of b.
func (r *Rows) joined(b *table.Batch, all bool) *table.Batch {
	r.batch.Rows = len(r.records)
	r.batch.Columns = r.batch.Columns[:0]
	if r.own == nil {
		r.own = make([]picked, len(b.Columns))
	}
	for i := range b.Columns {
		c := b.Columns[i]
		if !all {
			c = r.own[i].pick(&c, r.rows)
		}
		r.batch.Columns = append(r.batch.Columns, c)
	}
	for i := range r.side.columns {
		r.batch.Columns = append(r.batch.Columns, r.added[i].look(&r.side.columns[i], r.records))
	}
	return &r.batch
}

// has reports whether a hash is in the side's range.
func (s *Side) has(hash uint64) bool { return s.from <= hash && hash <= s.to }

// look returns an added column of a joined batch: records[i] is the record of row i.
func (m *picked) look(c *column, records []int32) table.Column {
	n := len(records)
	out := table.Column{Type: c.typ, Dict: c.dict}
	m.valid = columnar.Resize(m.valid, n)
	out.Valid = m.valid
	if c.codes != nil {
		m.codes = columnar.Resize(m.codes, n)
		out.Codes, out.Values = m.codes, c.values
		gather(m.codes, m.valid, c.codes, c.valid, records)
		return out
	}
	if c.typ.Kind == table.Float {
		m.values.Floats = columnar.Resize(m.values.Floats, n)
		gather(m.values.Floats, m.valid, c.values.Floats, c.valid, records)
	} else {
		m.values.Ints = columnar.Resize(m.values.Ints, n)
		gather(m.values.Ints, m.valid, c.values.Ints, c.valid, records)
	}
	out.Values = m.values
	return out
}

// gather sets dst[i] to items[r], where r is the record records[i]. It sets valid[i] to false if the record is None or
// if known[r] is false.
func gather[T any](dst []T, valid []bool, items []T, known []bool, records []int32) {
	var none T
	for i, record := range records {
		if record < 0 {
			dst[i], valid[i] = none, false
			continue
		}
		dst[i], valid[i] = items[record], known[record]
	}
}

// pick returns a column with only the listed rows. If the column has no dictionary, its values become one, and the
// rows' numbers the codes.
func (m *picked) pick(c *table.Column, rows []int32) table.Column {
	out := table.Column{Type: c.Type, Dict: c.Dict, Values: c.Values}
	if c.Type.Kind == table.List {
		m.lists, m.values.Floats = append(m.lists[:0], 0), m.values.Floats[:0]
		for _, row := range rows {
			m.values.Floats = append(m.values.Floats, c.List(int(row))...)
			m.lists = append(m.lists, uint32(len(m.values.Floats)))
		}
		out.Values, out.Lists = table.Values{Floats: m.values.Floats}, m.lists
	}
	switch {
	case c.Type.Kind == table.List:
	case c.Codes == nil:
		m.codes = append(m.codes[:0], rows...)
		out.Codes = m.codes
	default:
		m.codes = columnar.Resize(m.codes, len(rows))
		out.Codes = gatherRows(m.codes, c.Codes, rows)
	}
	if c.Valid != nil {
		m.valid = columnar.Resize(m.valid, len(rows))
		out.Valid = gatherRows(m.valid, c.Valid, rows)
	}
	if c.Unparsed != nil {
		m.unparsed = columnar.Resize(m.unparsed, len(rows))
		out.Unparsed = gatherRows(m.unparsed, c.Unparsed, rows)
	}
	return out
}

// gatherRows sets dst[i] to items[rows[i]].
func gatherRows[T any](dst, items []T, rows []int32) []T {
	for i, row := range rows {
		dst[i] = items[row]
	}
	return dst
}
