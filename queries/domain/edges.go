package domain

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"time"

	"github.com/dprelease/dprelease/io/table"

	"github.com/dprelease/dprelease/queries/problem"
)

// EdgeDomain holds the cells [a, b) between edges. The last cell is [a, b], or [a, b) if it is open.
type EdgeDomain struct {
	texts   []string
	open    bool
	Numeric bool // the edges are numbers; else they are dates or times
	zone    *time.Location
}

// newEdges parses edges and reports errors at field. Either all times must have an offset from UTC, or none.
func newEdges(texts []string, zone *time.Location, open bool, field string, p *problem.Problems) EdgeDomain {
	d := EdgeDomain{texts: texts, open: open, zone: zone}
	if len(texts) < 2 {
		p.Add(field, problem.CodeBadSpec, "a cell needs two edges", "")
		return d
	}
	read := reader(texts[0])
	var before *big.Rat
	for i, text := range texts {
		x := read(text)
		if x == nil {
			p.Add(fmt.Sprintf("%s[%d]", field, i), problem.CodeBadValue,
				fmt.Sprintf("edge %q is neither a decimal number nor a date or time of the same form as the first",
					text), "list the ends of the cells, such as [0, 18, 65]; other: bin counts the values beyond them")
			return d
		}
		if i > 0 && before.Cmp(x) >= 0 {
			p.Add(fmt.Sprintf("%s[%d]", field, i), problem.CodeBadValue,
				fmt.Sprintf("edge %q is not above the edge before it", text), "edges ascend")
			return d
		}
		before = x
	}
	_, d.Numeric = Number(texts[0])
	return d
}

// reader returns a parser for edges of the same form as the text first: numbers, or times with or without an offset.
// The parser returns nil for texts of another form.
func reader(first string) func(string) *big.Rat {
	if _, numeric := Number(first); numeric {
		return func(text string) *big.Rat { x, _ := Number(text); return x }
	}
	_, offset, _ := parseMoment(first, time.UTC)
	return func(text string) *big.Rat {
		t, has, ok := parseMoment(text, time.UTC)
		if !ok || has != offset {
			return nil
		}
		return new(big.Rat).SetInt(sinceEpoch(t))
	}
}

func (d EdgeDomain) size() int { return max(len(d.texts)-1, 0) }

func (d EdgeDomain) coding(t table.Type, b ExtraCells) (c Coding, errs []*problem.Error) {
	switch {
	case d.Numeric && t.Kind == table.Float:
		c.FloatSteps, errs = d.floats(b)
		return c, errs
	case d.Numeric && (t.Kind == table.Int || t.Kind == table.Uint):
		c.IntSteps = d.ints(d.numbers(), t, b)
		return c, nil
	case d.Numeric && t.Kind == table.String: // integers are compared exactly, other numbers as floats
		c.FloatSteps, errs = d.floats(b)
		c.IntSteps = d.ints(d.numbers(), table.Type{Kind: table.Int}, b)
		return c, errs
	case !d.Numeric && (t.Kind == table.Date || t.Kind == table.Timestamp):
		c.IntSteps, errs = d.times(t, b)
		return c, errs
	}
	err := problem.BadType(t)
	err.Field, err.Message = ".column", fmt.Sprintf("a column of type %s cannot be cut at these edges", t)
	if t.Kind != table.Invalid {
		err.Hint = "numbers cut numeric columns, dates and times cut dates and timestamps; " +
			problem.TypesOfTexts
	}
	return c, []*problem.Error{err}
}

// times returns the steps for a column of dates or timestamps. Cells within an hour that the clocks of the time zone
// skip are empty.
func (d EdgeDomain) times(t table.Type, b ExtraCells) (*Steps[int64], []*problem.Error) {
	at := make([]*big.Rat, len(d.texts))
	for i, text := range d.texts {
		x, err := parseScalar(text, t, d.zone)
		if err == nil && i > 0 && x.Cmp(at[i-1]) < 0 {
			err = &problem.Error{Code: problem.CodeBadValue, Message: fmt.Sprintf("edge %q is not above the edge before it in "+
				"the column's time zone", text)}
		}
		if err != nil {
			err.Field = fmt.Sprintf(".edges[%d]", i)
			return nil, []*problem.Error{err}
		}
		at[i] = x
	}
	return d.ints(slices.Values(at), t, b), nil
}

// ints returns integer steps for exact edges: x ≥ e iff x ≥ ceil(e), and x ≤ e iff x ≤ floor(e).
func (d EdgeDomain) ints(at iter.Seq[*big.Rat], t table.Type, b ExtraCells) *Steps[int64] {
	cells, n := int32(d.size()), integers{Unsigned: t.Kind == table.Uint}
	s := &Steps[int64]{Cells: cells, Below: b.Other, Beyond: b.Other, LastCode: cells - 1}
	s.At = make([]int64, 0, len(d.texts))
	var last *big.Rat
	for e := range at {
		last = e
		key, beyond := n.keyOf(Ceil(e))
		if beyond > 0 { // all values are below this edge and below all later ones
			return s
		}
		if beyond < 0 {
			key = signBit // no value is below this edge
		}
		s.At = append(s.At, key)
	}
	key, beyond := n.keyOf(Floor(last))
	s.Last, s.Closed = key, beyond == 0 && !d.open
	return s
}

// floats returns float steps. Each edge is rounded to the nearest float.
func (d EdgeDomain) floats(b ExtraCells) (*Steps[float64], []*problem.Error) {
	edges := make([]float64, 0, len(d.texts))
	for i, text := range d.texts {
		x, ok := nearest(text)
		if !ok {
			return nil, []*problem.Error{{Field: fmt.Sprintf(".edges[%d]", i), Code: problem.CodeBadValue,
				Message: fmt.Sprintf("edge %q is beyond float64's range", text)}}
		}
		edges = append(edges, x)
	}
	return FloatSteps(edges, b.Other, !d.open), nil
}

// FloatSteps returns the steps between edges. If closed is set, the last cell includes its upper edge. Numbers that
// belong to no cell have the code other.
func FloatSteps(edges []float64, other int32, closed bool) *Steps[float64] {
	last := len(edges) - 1
	return &Steps[float64]{At: edges, Cells: int32(last), Below: other, Beyond: other, Closed: closed, Last: edges[last],
		LastCode: int32(last - 1)}
}

// Keys returns two columns, <name>_from and <name>_to. If the last cell does not include its upper edge, the second
// column is <name>_before, since then no cell does. The columns hold integers if all edges are integers, floats if all
// edges are numbers, and texts otherwise. If the axis has a null cell or other cell, they hold texts, and both columns
// hold the name of this cell.
func (d EdgeDomain) Keys(name string, extra []string) []KeyColumn {
	from, to := d.bounds(extra)
	end := "_to"
	if d.open {
		end = "_before"
	}
	return []KeyColumn{{Name: name + "_from", Labels: from}, {Name: name + end, Labels: to}}
}

func (d EdgeDomain) bounds(extra []string) (from, before Labels) {
	n := d.size()
	if !d.Numeric || len(extra) > 0 {
		return Labels{Strings: slices.Concat(d.texts[:n], extra)}, Labels{Strings: slices.Concat(d.texts[1:], extra)}
	}
	if ints, ok := d.integers(); ok {
		return Labels{Ints: ints[:n]}, Labels{Ints: ints[1:]}
	}
	floats := d.Floats()
	return Labels{Floats: floats[:n]}, Labels{Floats: floats[1:]}
}

// integers returns the edges as int64 values, if all of them are integers in int64's range.
func (d EdgeDomain) integers() ([]int64, bool) {
	ints := make([]int64, 0, len(d.texts))
	for x := range d.numbers() {
		if !x.IsInt() || !x.Num().IsInt64() {
			return nil, false
		}
		ints = append(ints, x.Num().Int64())
	}
	return ints, true
}

// Floats returns the edges as the nearest float64 values. The edges must be numbers.
func (d EdgeDomain) Floats() []float64 {
	floats := make([]float64, 0, len(d.texts))
	for x := range d.numbers() {
		f, _ := x.Float64()
		floats = append(floats, f)
	}
	return floats
}

// numbers yields the edges, which must be numbers. They are parsed again each time, since a domain of a million cells
// would hold 100 MB of them.
func (d EdgeDomain) numbers() iter.Seq[*big.Rat] {
	return func(yield func(*big.Rat) bool) {
		for _, text := range d.texts {
			if x, _ := Number(text); !yield(x) {
				return
			}
		}
	}
}
