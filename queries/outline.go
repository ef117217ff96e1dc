package queries

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/gather"
	"github.com/dprelease/dprelease/queries/internal/keyselection"
	"github.com/dprelease/dprelease/queries/kinds"

	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Outlines: queries whose rows another engine adds up
//
// An [Outline] says in plain numbers and texts what a query does with a row, from its cell to its bounds. An engine
// that follows it returns totals of cells, which [AddTotal] hands to an accumulator: from there on a query is the same,
// whoever has added its rows up.

// Outline is what another engine needs to know of a query.
type Outline struct {
	// Axes find the cell of a row in each dimension, of Sizes cells; a row is left out if it has none in one of them.
	Axes  []domain.Coding
	Sizes []int
	// Tables are the tables to count, each by some axes, the last of which changes fastest. Only crosstabs have more than
	// one.
	Tables [][]int
	// Apart says that a row's content, of which digests are, has its cell of each axis and not its cell in all of them
	// together.
	Apart bool
	// Columns are the privacy unit's; if there are none, each row is a unit and nothing is bounded.
	Columns []string
	Limits  bounding.Limits
	// Keys are the parts of the keys of rows, if keys are discovered; else none. A row without one of them is left out.
	// Tables then has one table, by the axes that are no part of the key. Digests of a row's cell are of the cell and the
	// SHA-256 of the key.
	Keys []KeyPart
	// MinUnits is the least number of units of a key of which anything is told, at least 2: as counted by the query that
	// selects the keys.
	MinUnits int64
	// Value is what is added up, nil if rows are counted. AllRows says that rows without a value count as rows of a value
	// at the centre.
	Value   *quantize.Quantizer
	AllRows bool
	// Squared says that the squares of values, less LessSquare each, are added up too. SumsAlone says that the numbers of
	// rows are not needed beside the sums.
	Squared    bool
	LessSquare int64
	SumsAlone  bool
	// Units says that the number of units that have a row is needed too, as table 1.
	Units bool
	// Steps are the bounds on the rows of a unit of which one is chosen later, ascending, the last of which is that of
	// Limits; nil if the bound is fixed. A row that is kept counts in the table of the first step that is not below its
	// rank among those of its unit, by digest. After these tables there is one of units, by the step of their last row.
	Steps []int64
	// Bins are the quantized values from which on a bin but the first begins, ascending; nil if values are not added up by
	// bins. A row counts in the table of its bin, and one without a value in the table after the last bin.
	Bins []int64
}

// Total is what was added up in a cell.
type Total = accumulate.Total

// KeyPart is what a dimension adds to a key that is discovered.
type KeyPart = keyselection.Part

// KeyValue is what a part of a key is of a group of rows.
type KeyValue = keyselection.PartValue

// MaxKeyBytes is the length of the longest text that is a key.
const MaxKeyBytes = keyselection.MaxKeyBytes

// KeyOf makes a key of the values of its parts; ok is false if one of them is no key.
func KeyOf(parts []KeyPart, values []KeyValue) (key string, ok bool) {
	return keyselection.Join(parts, values)
}

// CodeNotPushed is the code of a query that has no outline.
const CodeNotPushed = "not-in-sql"

// HintLocal is the remedy for a query that has no outline.
const HintLocal = "write engine: local, so that this program reads the rows and adds them up"

// hintUnits is another remedy, for keys that are discovered.
const hintUnits = "; or write min_units: 2 or more in the histogram that discovers the keys, so that no key leaves " +
	"the database that only one unit has"

// OutlineOf returns the outline of a query over a table. Errors are of type *Error; see [Errors]. One of code
// CodeNotPushed says that other engines cannot be told what the query does.
func OutlineOf(q Query, s table.Schema) (o Outline, err error) {
	if _, err := q.New(s, nil); err != nil {
		return o, err
	}
	switch q := q.(type) {
	case *kinds.Histogram:
		return outline(&q.Base, s)
	case *kinds.Ordered:
		return outline(&q.Base, s)
	case *kinds.Sums:
		if o, err = outline(&q.Base, s); err != nil {
			return o, err
		}
		o.Value, o.AllRows = q.Quantizer, q.Quantizer.Value.Rows > 0
		o.SumsAlone = !q.Quantizer.Centred
		if second := q.Second(); second != nil {
			o.Squared, o.LessSquare = true, second.Less
		}
		return o, nil
	case *kinds.Crosstabs:
		if o, err = outline(&q.Base, s); err != nil {
			return o, err
		}
		o.Tables, o.Apart = nil, true
		for _, t := range q.Margins.Largest() {
			o.Tables = append(o.Tables, t.Attributes())
		}
		return o, nil
	case *kinds.IndependentNoise:
		return outline(&q.Base, s)
	case *kinds.CommonNoise:
		o, err = outline(&q.Base, s)
		o.Units = true
		return o, err
	case *kinds.Limited:
		o, err = OutlineOf(q.Query, s)
		o.Steps = q.Steps()
		return o, err
	case *kinds.ByKeys:
		return byKeys(q, s)
	case *kinds.Discovered:
		if q.Spec.MinUnits < 2 {
			return o, problem.One(q.Name(), q.Spec.ByField(), CodeNotPushed,
				"keys that are discovered are private, and those of one unit would leave the database before they are selected", HintLocal+hintUnits)
		}
		o, err = outline(&q.Base, s)
		return withKeys(o, q.Dimensions(), q.Layout(s, &problem.Problems{}), q.Spec.DimensionField, q.Spec.MinUnits), err
	case *kinds.Clamped:
		o, err = outline(&q.Base, s)
		o.Value, o.Bins, o.AllRows = q.Values(), q.BinEdges(), q.Values().Value.Rows > 0
		return o, err
	}
	return o, problem.One(q.Name(), "", CodeNotPushed, "databases are not asked such a query", HintLocal)
}

// byKeys is the outline of sums by keys that another query selects.
func byKeys(q *kinds.ByKeys, s table.Schema) (Outline, error) {
	least := q.Spec.Leader.MinUnits
	if least < 2 {
		return Outline{}, problem.One(q.Name(), q.Spec.ByField(), CodeNotPushed, "keys that are discovered are private, "+
			"and what is added up by those of one unit would leave the database before they are selected", HintLocal+hintUnits)
	}
	o, err := outline(&q.Base, s)
	if err != nil {
		return o, err
	}
	o.Value = q.Quantizer
	if second := q.Second(); second != nil {
		o.Squared, o.LessSquare = true, second.Less
	}
	return withKeys(o, q.Dimensions(), q.Layout(s, &problem.Problems{}), q.Spec.DimensionField, least), nil
}

// withKeys says of an outline which of its axes are parts of keys.
func withKeys(o Outline, d keyselection.Dimensions, l domain.Layout, field func(int) string, least int64) Outline {
	o.Keys, o.MinUnits = d.Parts(l, field), least
	further := []int{}
	for i := len(d.Axes); i < len(o.Axes); i++ {
		further = append(further, i)
	}
	o.Tables = [][]int{further}
	return o
}

// outline is what all kinds of query have.
func outline(q *kinds.Base, s table.Schema) (Outline, error) {
	o := Outline{Columns: q.Spec.Unit, Limits: q.Limits}
	p := &problem.Problems{Query: q.Spec.Name}
	l := q.Layout(s, p)
	var all []int
	o.Axes, o.Sizes = domain.Codings(q.Axes, l)
	for i := range q.Axes {
		all = append(all, i)
	}
	o.Tables = [][]int{all}
	return o, p.Err()
}

// AddTotal adds what another engine has added up to an accumulator of the query.
func AddTotal(a Accumulator, t Total) error { return gather.AddTotal(a, t) }
