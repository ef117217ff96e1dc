package queries

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// rowCapacity is the largest number of rows that a cell counts.
const rowCapacity = 1 << 48

// New compiles the query: counts if each row is a unit, of all cells or of those that have rows; else rows by unit.
func (q *counting) New(s table.Schema, spill bounding.Spill) (Accumulator, error) {
	p := &problem.Problems{Query: q.spec.Name}
	groups := q.compile(s, p)
	u := q.compileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	switch sparse := q.sparse(spill); {
	case !q.spec.perRow():
		return &unitCounts{query: q, groups: groups, rows: bounding.NewRows(u, bounding.CellBytes, 0, spill), sparse: sparse}, nil
	case sparse:
		return &sparseCounts{query: q, groups: groups, cells: newSparseCells()}, nil
	}
	return &rowCounts{query: q, groups: groups}, nil
}

// rowCounts counts the rows of each cell, if each row is a privacy unit.
type rowCounts struct {
	query  *counting
	groups *domain.Grouping
	slots  []int64 // slot 0: dropped rows; slot c + 1: rows of cell c; nil before the first batch
	spent  bool
}

// open makes the slots, which may be large, when they are needed first.
func (a *rowCounts) open() error {
	if a.spent {
		return bounding.ErrSpent
	}
	if a.slots == nil {
		a.slots = make([]int64, a.query.cells+1)
	}
	return nil
}

// Add counts the rows of a batch.
func (a *rowCounts) Add(b *table.Batch) error {
	if err := a.open(); err != nil {
		return err
	}
	if len(a.groups.Axes) == 0 && b.Keep == nil {
		a.slots[1] += int64(b.Rows)
		return nil
	}
	if x := a.groups.Only(); x != nil && b.Keep == nil {
		return a.addOne(x, b)
	}
	cells, err := a.groups.OfRows(b)
	if err != nil {
		return err
	}
	a.count(cells)
	return nil
}

func (a *rowCounts) count(cells []int32) {
	for _, c := range cells {
		a.slots[c+1]++
	}
}

// addOne counts by one axis: runs at once, dictionary codes without writing their cells down.
func (a *rowCounts) addOne(x *domain.AxisCoder, b *table.Batch) error {
	c, err := columnar.Of(b, x.At, x.Kind)
	if err != nil {
		return err
	}
	if c.Ends == nil && columnar.Worthwhile(c, b.Rows) {
		return a.countCodes(x.Lookup(c), c, x.Null)
	}
	codes, err := x.OfEntries(c)
	if err != nil {
		return err
	}
	if c.Ends == nil {
		a.count(codes)
		return nil
	}
	start := int32(0)
	for i, end := range c.Ends {
		a.slots[codes[i]+1] += int64(end - start)
		start = end
	}
	return nil
}

// countCodes counts dictionary codes by the cell that lookup gives each.
func (a *rowCounts) countCodes(lookup []int32, c *table.Column, null int32) error {
	slots := a.slots
	if c.Valid != nil {
		return a.countValid(lookup, c, null)
	}
	for _, code := range c.Codes {
		if uint(code) >= uint(len(lookup)) {
			return columnar.ErrShape
		}
		slots[lookup[code]+1]++
	}
	return nil
}

func (a *rowCounts) countValid(lookup []int32, c *table.Column, null int32) error {
	valid := c.Valid[:len(c.Codes)]
	for i, code := range c.Codes {
		cell := null
		if valid[i] {
			if uint(code) >= uint(len(lookup)) {
				return columnar.ErrShape
			}
			cell = lookup[code]
		}
		a.slots[cell+1]++
	}
	return nil
}

// Merge adds another's counts.
func (a *rowCounts) Merge(other Accumulator) error {
	o, ok := other.(*rowCounts)
	switch {
	case !ok || o == a || o.query != a.query:
		return bounding.ErrMerge
	case a.spent || o.spent:
		return bounding.ErrSpent
	}
	if a.slots == nil {
		a.slots, o.slots = o.slots, nil
	}
	for i, n := range o.slots {
		a.slots[i] = min(a.slots[i]+min(n, rowCapacity), rowCapacity)
	}
	o.slots, o.spent = nil, true
	return nil
}

// Seal returns the counts.
func (a *rowCounts) Seal() ([]mechanism.Exact, error) {
	if err := a.open(); err != nil {
		return nil, err
	}
	cells := a.slots[1:]
	a.slots, a.spent = nil, true
	return a.query.seal(cells)
}

// seal hides the counts of the cells, spread if the query has a kernel.
func (q *counting) seal(cells []int64) ([]mechanism.Exact, error) {
	if q.kernel != nil {
		return q.kernel.seal(cells)
	}
	return seal(cells)
}

// seal hides counts, each at most the capacity.
func seal(cells []int64) ([]mechanism.Exact, error) {
	for i, n := range cells {
		cells[i] = min(n, rowCapacity)
	}
	e, err := mechanism.Seal(1, cells)
	if err != nil {
		return nil, err
	}
	return []mechanism.Exact{e}, nil
}
