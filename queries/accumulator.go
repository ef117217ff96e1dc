package queries

// Accumulators: how engines add up rows
//
// Engines that read rows pass batches to the accumulators of aggregations. Engines that let a database add up rows pass
// one total for each cell ([aggregation.Total]). In both cases [HideTotals] then turns the totals into exact answers
// ([mechanism.Exact]), whose values other packages cannot read.

import (
	"errors"
	"slices"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/keyselection"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
)

// Accumulator gathers the exact totals of an aggregation for one worker. If the job names columns for the privacy unit,
// the accumulator keeps all rows, and [HideTotals] bounds the rows of each unit at the end. An accumulator is not safe
// for use by several goroutines. None of its errors depends on a row's value.
type Accumulator struct {
	of      *aggregation.Aggregation
	partial accumulate.Partial // nil after the totals were taken or merged into another accumulator
	rows    *bounding.Rows     // nil if each row is a unit, or if part holds the rows
	tally   bounding.BoundTally
	shared  *sharing // the accumulators that keep their rows together; nil if this one keeps its own
	// this accumulator's rows among the shared ones; nil if nothing is shared or the rows are bounded already
	part *bounding.QueryRows
}

// newAccumulator returns an accumulator without rows. The spill may be nil. It fails only for an
// aggregation that no kind of query makes.
func newAccumulator(of *aggregation.Aggregation, spill bounding.Spill) (*Accumulator, error) {
	p := &problem.Problems{}
	l := domain.BatchColumns{Schema: table.Schema{Fields: of.Columns}, Columns: of.ColumnNames(), Problems: p}
	reader := units.New(of.Unit, of.FloatUnit, l.Columns, l.Schema, p)
	partial, cellBytes := newPartial(of, l, spill)
	if err := p.Err(); err != nil {
		return nil, err
	}
	if partial == nil {
		return nil, errBins
	}
	g := &Accumulator{of: of, partial: partial}
	if len(of.Unit) > 0 {
		g.rows = bounding.NewRows(reader, cellBytes, partial.Content(), spill)
	}
	return g, nil
}

// errBins means a bug in this program: rows were counted in bins that are not those of the range from which the clamp
// is chosen.
var errBins = errors.New("queries: the bins of a discovered clamp do not match its range")

// newPartial returns the totals of an aggregation before any row is added. cellBytes is the number of bytes that a
// row's cell takes at the start of the row's content.
func newPartial(of *aggregation.Aggregation, l domain.BatchColumns, spill bounding.Spill) (a accumulate.Partial,
	cellBytes int) {
	if len(of.Keys) > 0 {
		return newKeyed(of, l, spill), keyselection.ContentBytes
	}
	if of.CellPerAxis {
		return accumulate.NewTables(of, l), accumulate.TableBytes(len(of.Axes))
	}
	groups, cells := domain.NewGrouping(of.Axes, of.Sizes, l), of.Cells(0)
	var values *quantize.RowValues
	if of.Value != nil {
		values = of.Value.Compile(l)
	}
	newOne := func() accumulate.Partial {
		switch {
		case of.Value != nil:
			return accumulate.NewSums(accumulate.SumsSpec{Quantizer: of.Value, Groups: groups, Values: values, Cells: cells,
				Second: of.Second, CountRows: of.CountRows, Weighted: of.Weighted})
		case !of.Dense && !of.Units && spill != nil && int64(cells) > spill.Cells():
			return accumulate.NewSparse(groups, cells)
		}
		return &accumulate.Counts{Groups: groups, Cells: cells, CountUnits: of.Units}
	}
	switch {
	case of.Bins != nil:
		binned := accumulate.BinnedSumsSpec{Quantizer: of.Value, Groups: groups, Values: values, Cells: cells}
		if !slices.Equal(of.Bins, binned.BinEdges()) {
			return nil, 0
		}
		return accumulate.NewBinnedSums(binned), bounding.CellBytes
	case of.Steps != nil:
		return accumulate.NewRanked(of.Steps, newOne), bounding.CellBytes
	}
	return newOne(), bounding.CellBytes
}

// newKeyed returns the accumulator of totals for discovered keys.
func newKeyed(of *aggregation.Aggregation, l domain.BatchColumns, spill bounding.Spill) accumulate.Partial {
	keys := keyselection.NewKeying(of, l)
	if of.Value == nil {
		return keyselection.NewCounts(keys, of.MinUnits, of.Weights, spill)
	}
	n := of.KeyAxes()
	return keyselection.NewValues(keyselection.ValuesSpec{
		Keys: keys, Listed: domain.NewGrouping(of.Axes[n:], of.Sizes[n:], l),
		Sums: accumulate.SumsSpec{Quantizer: of.Value, Values: of.Value.Compile(l), Cells: of.Cells(0), Second: of.Second,
			CountRows: of.CountRows},
	}, spill)
}

// Add adds the rows of a batch for which b.Keep is true, or all rows if Keep is nil. It keeps no reference to the
// batch.
func (g *Accumulator) Add(b *table.Batch) error {
	switch {
	case g.partial == nil:
		return bounding.ErrSpent
	case g.part != nil:
		if err := g.partial.WriteRows(b, g.part); err != nil {
			return err
		}
		return g.part.EndBatch()
	case g.rows == nil:
		return g.partial.AddRows(b)
	}
	if err := g.partial.WriteRows(b, g.rows); err != nil {
		return err
	}
	return g.rows.EndBatch()
}

// AddTotal adds rows that another engine has already bounded and added up, for example a database.
func (g *Accumulator) AddTotal(t aggregation.Total) error {
	if g.partial == nil {
		return bounding.ErrSpent
	}
	return g.partial.AddTotal(t)
}

// Merge adds everything that accumulator o of the same aggregation holds, and empties o.
func (g *Accumulator) Merge(o *Accumulator) error {
	switch {
	case o == g || !o.of.Same(g.of):
		return bounding.ErrMerge
	case g.partial == nil || o.partial == nil:
		return bounding.ErrSpent
	}
	switch {
	case (g.shared == nil) != (o.shared == nil):
		return bounding.ErrMerge
	case g.shared != nil:
		if err := g.part.Merge(o.part); err != nil {
			return err
		}
	case g.rows != nil:
		if err := g.rows.Merge(o.rows); err != nil {
			return err
		}
	}
	if err := g.partial.Merge(o.partial); err != nil {
		return err
	}
	o.partial, o.rows, o.part = nil, nil, nil
	return nil
}

// HideTotals bounds the rows of each unit and returns the exact answer of each component of q. a must be an accumulator
// of q's aggregation and cannot be used afterwards. No other function passes totals to other packages.
func HideTotals(q query.Query, a *Accumulator) ([]mechanism.Exact, error) {
	if err := Bound([]*Accumulator{a}); err != nil {
		return nil, err
	}
	partial := a.partial
	a.partial = nil
	return q.Hide(partial.Totals())
}

// takeTally stores how many rows and units the bounds kept, and passes the number of units to a query that publishes
// it.
func (g *Accumulator) takeTally(t bounding.BoundTally) {
	g.tally = t
	if c, ok := g.partial.(*accumulate.Counts); ok {
		c.AddUnits(t.Units)
	}
}

// bounded returns the limits on a unit's rows and the functions that receive the kept rows.
func (g *Accumulator) bounded() bounding.Bounded {
	if ranked, ok := g.partial.(*accumulate.Ranked); ok {
		return bounding.Bounded{Limits: g.of.Limits, Ranked: ranked.ByRank()}
	}
	b := bounding.Bounded{Limits: g.of.Limits, Keep: g.partial.AddRecords()}
	if counts, ok := g.partial.(*keyselection.Counts); ok {
		b.KeepOf = counts.AddWeighted()
	}
	return b
}

// Bounded returns how many rows and units the bounds kept and dropped; zeros if each row is a unit.
func (g *Accumulator) Bounded() bounding.BoundTally { return g.tally }

// sharing is a group of accumulators that keep their rows together, because they have the same privacy unit and
// filters.
type sharing struct {
	members []*Accumulator
	bound   func() error // calls boundMembers once; later calls return its error
}

// boundMembers bounds the rows of each unit for all accumulators of the group.
func (s *sharing) boundMembers() error {
	parts, bounds := make([]*bounding.QueryRows, len(s.members)), make([]bounding.Bounded, len(s.members))
	for i, g := range s.members {
		if g.partial == nil {
			return bounding.ErrSpent
		}
		parts[i], bounds[i] = g.part, g.bounded()
		g.part = nil
	}
	tallies, err := bounding.BoundTogether(parts, bounds)
	for i, g := range s.members {
		g.takeTally(tallies[i])
	}
	return err
}

// MaxKeyBytes is the largest length of a discovered key that is text, in bytes.
const MaxKeyBytes = keyselection.MaxKeyBytes

// KeyOf makes the key of a group of rows from the values of its parts, for example a city and a year; ok is false if a
// value is not valid in a key.
func KeyOf(parts []aggregation.KeyPart, values []aggregation.KeyValue) (key string, ok bool) {
	return keyselection.Join(parts, values)
}
