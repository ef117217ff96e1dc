package perunit

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
)

const partitions = 256

// partitionSeed seeds the hash that chooses a unit's partition. It is the same for all builders of the process, so that
// a unit is in the same partition of each. No answer depends on it.
var partitionSeed = maphash.MakeSeed()

// Builder computes a table of units from the rows of a table. Only one goroutine may use it.
type Builder struct {
	*Compiled
	units  *units.Reader // reads the units of batches, for this goroutine
	spill  bounding.Spill
	states [partitions]map[string][]state // for each partition, the states of each unit: one for each plan
	parts  [partitions][]written          // for each partition, where the spill has further states
	held   int64                          // the approximate memory of states in bytes
	coders []*domain.AxisCoder            // test the conditions of all columns, in order
	others []*Builder                     // builders that were merged into this one
	// Working memory:
	cells []int32   // for each row of the batch, Dropped if it does not count, else 0
	codes [][]int32 // for each condition, the code of each row: 0 if the row fulfils it
	value []byte
}

// written is bytes consecutive bytes in the spill, beginning at offset at.
type written struct{ at, bytes int64 }

// Builder returns an empty builder for batches with the columns of [Table.Reads]. It joins the spill.
func (b *Compiled) Builder(s bounding.Spill) *Builder {
	bounding.JoinNow(s)
	reads := b.of.Reads()
	out := &Builder{Compiled: b, spill: s, units: units.New(b.of.Unit, b.of.FloatUnit, reads, b.input,
		&problem.Problems{})}
	for i := range b.plans {
		for k := range b.plans[i].conditions {
			c := &b.plans[i].conditions[k]
			coder, _ := c.Coder(domain.BatchColumns{Schema: b.input, Columns: reads}).(*domain.AxisCoder)
			out.coders = append(out.coders, coder)
		}
	}
	for i := range out.states {
		out.states[i] = map[string][]state{}
	}
	return out
}

// Add adds the rows of a batch for which batch.Keep is true, or all rows if Keep is nil. It skips rows without a unit.
// Errors do not depend on the values of rows.
func (b *Builder) Add(batch *table.Batch) error {
	var err error
	if b.cells, err = columnar.Kept(b.cells, batch); err != nil {
		return err
	}
	if err := b.units.Open(batch, b.cells); err != nil {
		return err
	}
	b.codes = b.codes[:0]
	for _, coder := range b.coders {
		codes, err := coder.OfRows(batch)
		if err != nil {
			return err
		}
		b.codes = append(b.codes, slices.Clone(codes)) // a copy, because the next condition may use the same coder
	}
	for row, cell := range b.cells {
		if cell >= 0 {
			b.addRow(batch, row)
		}
	}
	if b.held > b.spill.Share() {
		return b.write()
	}
	return nil
}

func (b *Builder) addRow(batch *table.Batch, row int) {
	unit := b.units.Bytes(row)
	of := b.states[maphash.Bytes(partitionSeed, unit)%partitions]
	states, known := of[string(unit)]
	if !known {
		states = make([]state, len(b.plans))
		of[string(unit)] = states
		b.held += int64(len(unit)) + 64 + 96*int64(len(states))
	}
	condition := 0
	for i := range b.plans {
		p, s := &b.plans[i], &states[i]
		switch p.kind {
		case Count:
			s.n++
		case Any, All:
			fulfils := true
			for range p.conditions {
				fulfils = fulfils && b.codes[condition][row] == 0
				condition++
			}
			if fulfils {
				s.n++
			} else {
				s.other++
			}
		case Sum:
			b.addValue(p, s, &batch.Columns[p.at], row)
		default:
			b.keepValue(p, s, batch, row)
		}
	}
}

// addValue adds the value of a row, if it has one, to a sum.
func (b *Builder) addValue(p *plan, s *state, c *table.Column, row int) {
	if c.IsNull(row) {
		return
	}
	at, x := c.Index(row), 0.0
	switch c.Type.Kind {
	case table.Float:
		if x = c.Values.Floats[at]; x != x {
			return
		}
	case table.Uint:
		x = float64(uint64(c.Values.Ints[at]))
	default:
		x = float64(c.Values.Ints[at])
	}
	n := p.sum.quantize(x)
	s.n++
	s.total = s.total.Add(int128.Of(n))
}

// keepValue passes a row's value to its unit's state, which keeps the value if it is, for example, the smallest so far.
func (b *Builder) keepValue(p *plan, s *state, batch *table.Batch, row int) {
	var ok bool
	if b.value = b.value[:0]; p.by >= 0 {
		if b.value, ok = encode(b.value, &batch.Columns[p.by], row); !ok {
			return
		}
	}
	if b.value, ok = encode(b.value, &batch.Columns[p.at], row); !ok {
		return
	}
	before := len(s.best) + len(s.distinct)
	if p.kind == CountDistinct {
		s.takeDistinct(b.value)
	} else {
		s.keepExtreme(b.value, p.kind == Max || p.kind == Last)
	}
	if len(s.best)+len(s.distinct) > before {
		b.held += 24 + int64(len(b.value))
	}
}

// write moves all states to the spill.
func (b *Builder) write() error {
	var piece []byte
	for i, of := range b.states {
		if len(of) == 0 {
			continue
		}
		piece = piece[:0]
		for unit, states := range of {
			piece = appendBytes(piece, []byte(unit))
			for k := range states {
				piece = states[k].append(piece)
			}
		}
		at, err := b.spill.Write(piece)
		if err != nil {
			return err
		}
		b.parts[i] = append(b.parts[i], written{at, int64(len(piece))})
		b.states[i] = map[string][]state{}
	}
	b.held = 0
	return nil
}

// Merge adds the rows of another builder of the same table. The other builder cannot be used afterwards.
func (b *Builder) Merge(o *Builder) { b.others = append(append(b.others, o), o.others...) }

// A batch of units ends after batchRows rows, or when the texts that identify its units have batchBytes bytes.
const (
	batchRows  = 1 << 13
	batchBytes = 1 << 24
)

// Each calls add with batches of the table of units, in which each unit has one row. The builder is empty afterwards.
func (b *Builder) Each(add func(*table.Batch) error) error {
	for i := range b.states {
		if err := b.spill.Err(); err != nil {
			return err
		}
		all, err := b.partition(i)
		if err != nil {
			return err
		}
		out := b.newRows()
		for unit, states := range all {
			out.add(unit, states)
			if out.batch.Rows == batchRows || out.bytes > batchBytes {
				if err := add(&out.batch); err != nil {
					return err
				}
				out = b.newRows()
			}
		}
		if out.batch.Rows > 0 {
			if err := add(&out.batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// partition returns the states of the units in partition i, merged from all builders.
func (b *Builder) partition(i int) (map[string][]state, error) {
	all := b.states[i]
	b.states[i] = nil
	merge := func(unit string, states []state) {
		known, ok := all[unit]
		if !ok {
			all[unit] = states
			return
		}
		for k := range known {
			known[k].merge(&states[k], b.plans[k].kind)
		}
	}
	for _, o := range append([]*Builder{b}, b.others...) {
		for unit, states := range o.states[i] {
			merge(unit, states)
		}
		o.states[i] = nil
		for _, w := range o.parts[i] {
			r := reader{make([]byte, w.bytes)}
			if err := o.spill.Read(r.rest, w.at); err != nil {
				return nil, err
			}
			for len(r.rest) > 0 {
				unit := string(r.bytes())
				states := make([]state, len(b.plans))
				for k := range states {
					states[k] = r.state()
				}
				merge(unit, states)
			}
		}
	}
	return all, nil
}

// rows is a batch of the table of units that is being filled.
type rows struct {
	*Compiled
	batch table.Batch
	bytes int // total length of the texts that identify the units
}

func (b *Builder) newRows() *rows {
	r := &rows{Compiled: b.Compiled}
	for _, f := range b.Schema.Fields {
		c := table.Column{Type: f.Type}
		if f.Type.Kind == table.String {
			c.Values.Offsets = []uint32{0}
		}
		r.batch.Columns = append(r.batch.Columns, c)
	}
	return r
}

// add appends the row of a unit.
func (r *rows) add(unit string, states []state) {
	r.batch.Rows++
	r.bytes += len(unit)
	rest := []byte(unit)
	for i := range r.of.Unit {
		c := &r.batch.Columns[i]
		switch c.Type.Kind {
		case table.String:
			n := 4 + binary.BigEndian.Uint32(rest)
			columnar.AppendDecoded(&c.Values, rest[4:n], c.Type)
			rest = rest[n:]
			continue
		case table.Float:
			c.Values.Floats = append(c.Values.Floats, math.Float64frombits(binary.LittleEndian.Uint64(rest)))
		default:
			c.Values.Ints = append(c.Values.Ints, int64(binary.LittleEndian.Uint64(rest)))
		}
		rest = rest[8:]
	}
	for i := range r.plans {
		c := &r.batch.Columns[len(r.of.Unit)+i]
		c.Valid = append(c.Valid, r.plans[i].appendTo(&c.Values, &states[i]))
	}
}

// appendTo computes a column's value from the state s of a unit and appends it to v. It returns false if the value is
// null.
func (p *plan) appendTo(v *table.Values, s *state) bool {
	switch p.kind {
	case Count:
		v.Ints = append(v.Ints, s.n)
	case CountDistinct:
		v.Ints = append(v.Ints, int64(len(s.distinct)))
	case Any:
		v.Ints = append(v.Ints, min(s.n, 1))
	case All:
		v.Ints = append(v.Ints, 1-min(s.other, 1))
	case Sum:
		v.Floats = append(v.Floats, s.sum()*p.sum.size)
		return s.n > 0
	default:
		value := s.best
		if p.by >= 0 && value != nil {
			value = value[8:]
		}
		columnar.AppendDecoded(v, value, p.typ)
		return s.best != nil
	}
	return true
}
