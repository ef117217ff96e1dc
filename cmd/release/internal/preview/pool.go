package preview

import (
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
)

// pool holds synthetic values for one column, or for columns whose values belong together, such as latitude and
// longitude. The rows of a preview draw from it.
type pool struct {
	columns []string
	types   []table.Type
	uses    []use
	values  [][]value // values[i][j] is value i of column j
}

// Sizes of pools.
const (
	poolSize  = 5_000
	poolTries = 20 * poolSize
)

// newPools returns pools for the plan's logical columns, the columns that queries see. A column that the job uses only
// for the privacy unit gets no pool, since its values are identifiers.
func newPools(plan *pipeline.Plan, schema table.Schema, all []use, r *random) []*pool {
	var pools []*pool
	owner := map[string]*pool{}
	place := func(columns []string) *pool {
		p := &pool{columns: columns}
		for _, c := range columns {
			f, _ := schema.Lookup(c)
			p.types, owner[c] = append(p.types, f.Type), p
		}
		pools = append(pools, p)
		return p
	}
	for _, pairs := range []bool{true, false} {
		for _, u := range all {
			if pairs != (len(u.columns) > 1) {
				continue
			}
			p := owner[u.columns[0]]
			if p == nil && !slices.ContainsFunc(u.columns, func(c string) bool { return owner[c] != nil }) {
				p = place(u.columns)
			}
			if p != nil && slices.Equal(p.columns, u.columns) {
				p.uses = append(p.uses, u)
			}
		}
	}
	for _, c := range slices.Concat(plan.Logical(), plan.Columns()) {
		if owner[c] == nil && !slices.Contains(plan.Job().Privacy.Unit.Columns, c) {
			place([]string{c})
		}
	}
	for _, p := range pools {
		p.fill(plan, r)
	}
	return pools
}

// fill draws values that meet the job's conditions on the pool's columns. If hardly any value meets them, the pool also
// keeps other values; the conditions then drop rows, as in a real table.
func (p *pool) fill(plan *pipeline.Plan, r *random) {
	keep := p.filters(plan)
	var rest [][]value
	for tried := 0; len(p.values) < poolSize && tried < poolTries; {
		drawn := make([][]value, poolSize)
		for i := range drawn {
			drawn[i] = p.draw(r)
		}
		tried += len(drawn)
		passed := keep(drawn)
		for i, v := range drawn {
			switch {
			case passed == nil || passed[i]:
				p.values = append(p.values, v)
			case len(rest) < poolSize:
				rest = append(rest, v)
			}
		}
	}
	if len(p.values) == 0 {
		p.values = rest
	}
}

// draw returns a value for each column of the pool. It picks one of the columns' uses in the job at random, which draws
// the values. If no use draws any, the values are usual ones of the columns' types.
func (p *pool) draw(r *random) []value {
	const tries = 8
	for range tries {
		if len(p.uses) == 0 {
			break
		}
		if v, ok := p.uses[r.below(len(p.uses))].draw(r, p.types); ok {
			return v
		}
	}
	var out []value
	for i, t := range p.types {
		switch t.Kind {
		case table.String:
			out = append(out, running(r.early(discoveredKeys), p.columns[i], t))
		case table.List:
			out = append(out, value{})
		default:
			out = append(out, usual(t).at(r.middle(), t))
		}
	}
	return out
}

// filters returns a function that reports for each draw whether it meets the job's conditions on the pool's columns.
func (p *pool) filters(plan *pipeline.Plan) func([][]value) []bool {
	var specs []domain.FilterSpec
	for _, s := range plan.Filters().Specs {
		if slices.Contains(p.columns, s.Column) {
			specs = append(specs, s)
		}
	}
	schema := table.Schema{}
	for i, c := range p.columns {
		schema.Fields = append(schema.Fields, table.Field{Name: c, Type: p.types[i]})
	}
	f := domain.Filters{Specs: specs}
	compiled, err := f.Compile(schema, plan.Location())
	if err != nil || len(specs) == 0 {
		return func([][]value) []bool { return nil } // the plan's check will report the mistake
	}
	return func(drawn [][]value) []bool {
		batch := &table.Batch{Rows: len(drawn)}
		for _, c := range f.Columns() {
			i := slices.Index(p.columns, c)
			batch.Columns = append(batch.Columns, columnOf(drawn, i, p.types[i]))
		}
		if compiled.Apply(batch) != nil {
			return nil
		}
		return batch.Keep
	}
}

// columnOf returns the values that were drawn for a column, as a column of a batch.
func columnOf(drawn [][]value, column int, t table.Type) table.Column {
	c := table.Column{Type: t, Valid: make([]bool, len(drawn))}
	if t.Kind == table.String {
		c.Values.Offsets = []uint32{0}
	}
	if t.Kind == table.List {
		c.Lists = []uint32{0}
	}
	for i, row := range drawn {
		v := row[column]
		c.Valid[i] = !v.null
		switch t.Kind {
		case table.Float:
			c.Values.Floats = append(c.Values.Floats, v.real)
		case table.String:
			c.Values.Data = append(c.Values.Data, v.text...)
			c.Values.Offsets = append(c.Values.Offsets, uint32(len(c.Values.Data)))
		case table.List:
			c.Values.Floats = append(c.Values.Floats, v.list...)
			c.Lists = append(c.Lists, uint32(len(c.Values.Floats)))
		default:
			c.Values.Ints = append(c.Values.Ints, v.whole)
		}
	}
	return c
}
