package source

import "github.com/dprelease/dprelease/io/table"

// csvReader gathers records into batches.
type csvReader struct {
	scanner *csvScanner
	columns []csvColumn // each once
	order   []int       // of each column asked for: its place in columns
	rows    int
}

// csvColumn is one column of the batch that is gathered.
type csvColumn struct {
	csvType
	at     int // which field of a record
	values table.Values
	valid  []bool
	nulls  int
}

// column returns the place in columns of a column of the file, which it adds where it is not there yet.
func (r *csvReader) column(c *csvFile, name string) int {
	at := c.table.Index(name)
	for i := range r.columns {
		if r.columns[i].at == at {
			return i
		}
	}
	t, typed := c.dialect.types[name]
	if !typed {
		t = textType
	}
	r.columns = append(r.columns, csvColumn{csvType: t, at: at})
	return len(r.columns) - 1
}

// fill gathers the records of a batch; io.EOF: they are the last ones.
func (r *csvReader) fill() error {
	r.rows = 0
	for i := range r.columns {
		r.columns[i].reset()
	}
	for full := false; !full && r.rows < batchRows; {
		if err := r.scanner.next(); err != nil {
			return err
		}
		r.rows++
		for i := range r.columns {
			c := &r.columns[i]
			c.add(r.scanner, r.rows)
			full = full || len(c.values.Data) >= batchBytes
		}
	}
	return nil
}

func (c *csvColumn) reset() {
	v := &c.values
	v.Ints, v.Floats, v.Offsets, v.Data = v.Ints[:0], v.Floats[:0], append(v.Offsets[:0], 0), v.Data[:0]
	c.valid, c.nulls = c.valid[:0], 0
}

// add adds the current record's field, as that of row number rows from 1.
func (c *csvColumn) add(s *csvScanner, rows int) {
	ok := false
	if c.at < len(s.fields) {
		text := s.text(c.at)
		ok = !s.d.null(text) && c.parse(text, &c.values)
	}
	if !ok {
		for c.nulls == 0 && len(c.valid) < rows-1 { // until now there was none
			c.valid = append(c.valid, true)
		}
		c.null()
	}
	if c.nulls > 0 {
		c.valid = append(c.valid, ok)
	}
}

// null adds the value that stands at a null.
func (c *csvColumn) null() {
	c.nulls++
	switch v := &c.values; c.typ.Kind {
	case table.Float:
		v.Floats = append(v.Floats, 0)
	case table.String:
		v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	default:
		v.Ints = append(v.Ints, 0)
	}
}

// batch returns what was gathered.
func (r *csvReader) batch() *table.Batch {
	b := &table.Batch{Rows: r.rows, Columns: make([]table.Column, len(r.order))}
	for i, at := range r.order {
		c := &r.columns[at]
		b.Columns[i] = table.Column{Type: c.typ, Values: c.values}
		if c.nulls > 0 {
			b.Columns[i].Valid = c.valid
		}
	}
	return b
}
