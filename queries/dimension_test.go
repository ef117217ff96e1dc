package queries

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// codesOf compiles a dimension for a type and codes values with it.
func codesOf(t *testing.T, d domain.Dimension, zone *time.Location, c table.Column) []int32 {
	t.Helper()
	d.Column = "x"
	q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{d}, Location: zone})
	p := &problem.Problems{}
	g := groupingOf(q.Axes, q.BatchColumns(table.Schema{Fields: []table.Field{{Name: "x", Type: c.Type}}}, p))
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	codes, err := g.Axes[0].OfRows(&table.Batch{Rows: c.Len(), Columns: []table.Column{c}})
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

func ints(kind table.Kind, xs ...int64) table.Column {
	return table.Column{Type: table.Type{Kind: kind}, Values: table.Values{Ints: xs}}
}

func same(t *testing.T, got []int32, want ...int32) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLabelsMatchNumbersByValue(t *testing.T) {
	d := domain.Dimension{Labels: []domain.Label{{Name: "one", Members: []string{"1.0"}},
		{Name: "big", Members: []string{"9007199254740993"}}, {Name: "tenth", Members: []string{"0.1"}}}}
	same(t, codesOf(t, d, nil, ints(table.Int, 1, 9007199254740993, 9007199254740992, 0)), 0, 1, -1, -1)
	floats := table.Column{Type: table.Type{Kind: table.Float},
		Values: table.Values{Floats: []float64{1, 0.1, math.NaN(), math.Inf(1)}}}
	same(t, codesOf(t, d, nil, floats), 0, 2, -1, -1)
	d.Null, d.Other = domain.OwnCell, domain.OwnCell
	same(t, codesOf(t, d, nil, floats), 0, 2, 3, 4)
}

func TestLabelsOfTimes(t *testing.T) {
	d := domain.Dimension{Labels: []domain.Label{{Name: "a", Members: []string{"2013-01-01"}},
		{Name: "b", Members: []string{"2013-01-01T12:30:00.5"}}, {Name: "c",
			Members: []string{"2013-01-01 12:30"}}, {Name: "d", Members: []string{"1969-12-31 23:59:59.999"}}}}
	day := time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	local := ints(table.Timestamp, day, day+45000500, day+45000000, -1, day+1)
	local.Type.Unit, local.Type.Zone = 1e6, table.Local
	same(t, codesOf(t, d, nil, local), 0, 1, 2, 3, -1)
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip("no time zone data")
	}
	same(t, codesOf(t, d, newYork, local), 0, 1, 2, 3, -1)
	instants := ints(table.Timestamp, day, day+5*3600*1000)
	instants.Type.Unit, instants.Type.Zone = 1e6, table.UTC
	same(t, codesOf(t, d, nil, instants), 0, -1)
	same(t, codesOf(t, d, newYork, instants), -1, 0)
	d = domain.Dimension{Labels: []domain.Label{{Name: "a", Members: []string{"2013-01-01T02:00+02:00"}}}}
	same(t, codesOf(t, d, newYork, instants), 0, -1)
}

// If clocks go from 02:00 to 03:00, the cells between are empty, and the others are at their places.
func TestEdgesOfSkippedTimes(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip("no time zone data")
	}
	d := domain.Dimension{Edges: []string{"2013-03-10T01:30", "2013-03-10T02:00", "2013-03-10T02:30", "2013-03-10T03:00",
		"2013-03-10T03:30"}}
	c := ints(table.Timestamp)
	c.Type.Unit, c.Type.Zone = 1e9, table.UTC
	seven := time.Date(2013, 3, 10, 7, 0, 0, 0, time.UTC).Unix()
	c.Values.Ints = []int64{seven - 1801, seven - 1800, seven - 1, seven, seven + 1799, seven + 1800, seven + 1801}
	same(t, codesOf(t, d, newYork, c), -1, 0, 0, 3, 3, 3, -1)
	c.Type.Zone = table.Local
	same(t, codesOf(t, d, newYork, c), -1, -1, -1, -1, -1, -1, -1)
	c.Type.Zone = table.UTC
	same(t, codesOf(t, domain.Dimension{Labels: []domain.Label{{Name: "2", Members: []string{d.Edges[1]}},
		{Name: "3", Members: []string{d.Edges[3]}}}}, newYork, c), -1, -1, -1, 1, -1, -1, -1)
	for _, zone := range []string{"America/New_York", "Europe/Berlin", "Europe/London", "Atlantic/Azores",
		"Australia/Lord_Howe"} {
		everyHour(t, zone)
	}
}

// everyHour checks that edges at every half hour of a year on the clocks of a zone ascend, and that only the cells of a
// skipped hour stay empty.
func everyHour(t *testing.T, name string) {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Skip("no time zone data")
	}
	var d domain.Dimension
	clock := time.Date(2013, 1, 1, 0, 0, 0, 0, time.UTC)
	for ; clock.Year() == 2013; clock = clock.Add(30 * time.Minute) {
		d.Edges = append(d.Edges, clock.Format("2006-01-02T15:04"))
	}
	c := ints(table.Timestamp)
	c.Type.Unit, c.Type.Zone = 1e9, table.UTC
	at := time.Date(2013, 1, 1, 0, 10, 0, 0, zone)
	for ; at.In(zone).Year() == 2013 && len(c.Values.Ints) < 17000; at = at.Add(30 * time.Minute) {
		c.Values.Ints = append(c.Values.Ints, at.Unix())
	}
	last := int32(-1)
	for i, code := range codesOf(t, d, zone, c) {
		if code < last || code > last+3 {
			t.Fatalf("%s: %v is in cell %d after cell %d", name, time.Unix(c.Values.Ints[i], 0).In(zone), code, last)
		}
		last = code
	}
}

func TestEdgesAtTheEndsOfIntegers(t *testing.T) {
	const least, most = math.MinInt64, math.MaxInt64
	d := domain.Dimension{Edges: []string{"-1e30", "-9223372036854775808", "0.5", "9223372036854775807", "1e30"},
		Other: domain.OwnCell}
	same(t, codesOf(t, d, nil, ints(table.Int, least, 0, 1, most-1, most)), 1, 1, 2, 2, 3)
	same(t, codesOf(t, d, nil, ints(table.Uint, 0, 1, most-1, most, least, -1)), 1, 2, 2, 3, 3, 3)
	d.Edges = []string{"-20", "9223372036854775806.5"}
	same(t, codesOf(t, d, nil, ints(table.Int, -21, -20, most-1, most)), 1, 0, 0, 1)
	d.Edges = []string{"-1e31", "-1e30"}
	same(t, codesOf(t, d, nil, ints(table.Int, least, most)), 1, 1)
	d.Edges = []string{"1e30", "1e31"}
	same(t, codesOf(t, d, nil, ints(table.Int, least, most)), 1, 1)
}

// Integers between random exact edges fall in the cell that a comparison of fractions gives.
func TestEdgesAreExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(rt, "edges")
		at := rapid.Int64Range(-100, 100).Draw(rt, "first")
		var edges []string
		for range n {
			at += rapid.Int64Range(1, 30).Draw(rt, "step")
			edges = append(edges, fmt.Sprintf("%s%d.%d", map[bool]string{true: "-"}[at < 0], abs(at)/10, abs(at)%10))
		}
		x := rapid.Int64Range(-30, 130).Draw(rt, "x")
		want := int32(-1)
		for i := range n - 1 {
			lower, upper := rat(edges[i]), rat(edges[i+1])
			v := new(big.Rat).SetInt64(x)
			if v.Cmp(lower) >= 0 && (v.Cmp(upper) < 0 || i == n-2 && v.Cmp(upper) == 0) {
				want = int32(i)
			}
		}
		text := table.Column{Type: table.Type{Kind: table.String},
			Values: plainValues(table.Type{Kind: table.String}, []value{{s: fmt.Sprint(x)}})}
		same(t, codesOf(t, domain.Dimension{Edges: edges}, nil, ints(table.Int, x)), want)
		same(t, codesOf(t, domain.Dimension{Edges: edges}, nil, text), want)
	})
}

func abs(x int64) int64 { return max(x, -x) }

func rat(text string) *big.Rat {
	x, _ := new(big.Rat).SetString(text)
	return x
}

func TestBadDimensions(t *testing.T) {
	label := func(name string, members ...string) domain.Label { return domain.Label{Name: name, Members: members} }
	for name, c := range map[string]struct {
		d           domain.Dimension
		field, code string
	}{
		"neither": {domain.Dimension{Column: "x"}, "histogram.by[0]", problem.CodeBadSpec},
		"both": {domain.Dimension{Column: "x", Labels: numbered(1), Edges: []string{"0", "1"}}, "histogram.by[0]",
			problem.CodeBadSpec},
		"no column": {domain.Dimension{Labels: numbered(1)}, "histogram.by[0].column", problem.CodeBadSpec},
		"policy": {domain.Dimension{Column: "x", Labels: numbered(1), Null: "keep"}, "histogram.by[0].null",
			problem.CodeBadValue},
		"one edge": {domain.Dimension{Column: "x", Edges: []string{"0"}}, "histogram.by[0].edges", problem.CodeBadSpec},
		"descending": {domain.Dimension{Column: "x", Edges: []string{"0", "2", "1"}}, "histogram.by[0].edges[2]",
			problem.CodeBadValue},
		"equal": {domain.Dimension{Column: "x", Edges: []string{"1", "1.0"}}, "histogram.by[0].edges[1]",
			problem.CodeBadValue},
		"mixed": {domain.Dimension{Column: "x", Edges: []string{"1", "2013-01-01"}}, "histogram.by[0].edges[1]",
			problem.CodeBadValue},
		"mixed offsets": {domain.Dimension{Column: "x", Edges: []string{"2013-01-01", "2013-01-02T00:00Z"}},
			"histogram.by[0].edges[1]", problem.CodeBadValue},
		"text": {domain.Dimension{Column: "x", Edges: []string{"a", "b"}}, "histogram.by[0].edges[0]",
			problem.CodeBadValue},
		"infinite": {domain.Dimension{Column: "x", Edges: []string{"0", "inf"}}, "histogram.by[0].edges[1]",
			problem.CodeBadValue},
		"long exponent": {domain.Dimension{Column: "x", Edges: []string{"0", "1e999999999"}}, "histogram.by[0].edges[1]",
			problem.CodeBadValue},
		"cell twice": {domain.Dimension{Column: "x", Labels: []domain.Label{label("a", "1"), label("a", "2")}},
			"histogram.by[0].values[1]", problem.CodeDuplicate},
		"value twice": {domain.Dimension{Column: "x", Labels: []domain.Label{label("a", "1"), label("b", "1")}},
			"histogram.by[0].values[1]", problem.CodeDuplicate},
		"no value": {domain.Dimension{Column: "x", Labels: []domain.Label{label("a")}}, "histogram.by[0].values[0]",
			problem.CodeBadSpec},
		"name of a bin": {domain.Dimension{Column: "x", Labels: []domain.Label{label("null", "null")}, Null: domain.OwnCell},
			"histogram.by[0].values[0]", problem.CodeDuplicate},
		"name of sigma": {domain.Dimension{Column: "standard_deviation", Labels: numbered(1)}, "histogram.by[0]",
			problem.CodeDuplicate},
		"too many cells": {domain.Dimension{Column: "x", As: "z", Labels: numbered(50000)}, "histogram.by",
			problem.CodeTooManyCells},
	} {
		s := Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{c.d}}
		if c.code == problem.CodeTooManyCells {
			s.By = append(s.By, domain.Dimension{Column: "y", Labels: numbered(50000)})
		}
		_, err := New(s)
		if es := problem.Errors(err); len(es) != 1 || es[0].Field != c.field || es[0].Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeyColumnsNeedTheirOwnNames(t *testing.T) {
	edges := []string{"0", "1"}
	s := Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{{Column: "x", Edges: edges}, {Column: "x", Edges: edges}}}
	_, err := New(s)
	es := problem.Errors(err)
	if len(es) != 2 || es[0].Field != "histogram.by[1]" || !strings.Contains(es[0].Hint, "as:") {
		t.Errorf("%v", err)
	}
	s.By[1].As = "y"
	if columns := must(t, s).Columns(); len(columns) != 1 || columns[0] != "x" {
		t.Errorf("columns %v", columns)
	}
}

func TestSchemaErrors(t *testing.T) {
	schema := table.Schema{Fields: []table.Field{
		{Name: "cab_id", Type: table.Type{Kind: table.Int}}, {Name: "when",
			Type: table.Type{Kind: table.Timestamp, Unit: 1, Zone: table.Local}},
		{Name: "ratio", Type: table.Type{Kind: table.Float}},
		{Name: "list", Type: table.Type{Kind: table.Invalid, Name: "list"}}, {Name: "flag",
			Type: table.Type{Kind: table.Bool}},
	}}
	abc := []domain.Label{{Name: "a", Members: []string{"a"}}, {Name: "b", Members: []string{"b"}}}
	for name, c := range map[string]struct {
		column      string
		labels      []domain.Label
		edges       []string
		field, code string
	}{
		"misspelt":         {"cab_ld", abc, nil, ".column", problem.CodeUnknownColumn},
		"no such type":     {"list", abc, nil, ".column", problem.CodeColumnType},
		"text for numbers": {"cab_id", abc[:1], nil, ".values[0]", problem.CodeBadValue},
		"cells by value": {"cab_id", []domain.Label{{Name: "1", Members: []string{"1"}},
			{Name: "2", Members: []string{"1.0"}}}, nil, ".values[1]", problem.CodeDuplicate},
		"yes for booleans": {"flag", []domain.Label{{Name: "yes", Members: []string{"yes"}}}, nil, ".values[0]",
			problem.CodeBadValue},
		"edges of booleans": {"flag", nil, []string{"0", "1"}, ".column", problem.CodeColumnType},
		"numbers for times": {"when", nil, []string{"0", "1"}, ".column", problem.CodeColumnType},
		"times for numbers": {"cab_id", nil, []string{"2013-01-01", "2014-01-01"}, ".column", problem.CodeColumnType},
		"beyond floats":     {"ratio", nil, []string{"0", "1e999"}, ".edges[1]", problem.CodeBadValue},
		"no float": {"ratio", []domain.Label{{Name: "a", Members: []string{"1"}},
			{Name: "b", Members: []string{"b"}}}, nil, ".values[1]", problem.CodeBadValue},
		"offset": {"when", nil, []string{"2013-01-01T00:00Z", "2014-01-01T00:00Z"}, ".edges[0]",
			problem.CodeBadValue},
	} {
		q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{{Column: c.column, Labels: c.labels,
			Edges: c.edges}}})
		_, err := newAdding(q, schema, nil)
		if es := problem.Errors(err); len(es) != 1 || es[0].Field != "histogram.by[0]"+c.field || es[0].Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	q := must(t, Spec{Name: "q", Kind: Count, Unit: []string{"cab_ld", "list"}, Bounds: Bounds{MaxRows: 1}})
	_, err := newAdding(q, schema, nil)
	es := problem.Errors(err)
	if len(es) != 2 || es[0].Field != "privacy.unit" || es[0].Hint != "did you mean cab_id?" ||
		es[1].Code != problem.CodeColumnType {
		t.Errorf("%v", err)
	}
}
