package queries

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
)

func init() { owntest.DrawLess() }

// value is one value of a test table. The column's type decides which field holds it.
type value struct {
	null bool
	n    int64
	x    float64
	s    string
}

// key returns a text that differs for different values, including NaN and -0.
func (v value) key() string { return fmt.Sprint(v.null, v.n, math.Float64bits(v.x), v.s) }

// testTable is a small table, row by row.
type testTable struct {
	fields []table.Field
	rows   [][]value
}

func (t *testTable) schema() table.Schema { return table.Schema{Fields: t.fields} }

// encoding is a representation of a column.
type encoding int

const (
	plain encoding = iota
	dictionaryOnce
	dictionaryKept
	encodings
)

var lastDict uint64 // identities of dictionaries, never used twice

// batches divides the table into batches at the rows in cuts, and encodes the named columns.
func (t *testTable) batches(columns []string, cuts []int, how encoding) []*table.Batch {
	cuts = append(slices.Clone(cuts), len(t.rows))
	slices.Sort(cuts)
	batches := make([]*table.Batch, len(cuts))
	start := 0
	for i, end := range cuts {
		batches[i] = &table.Batch{Rows: end - start}
		start = end
	}
	for j, name := range columns {
		at := t.schema().Index(name)
		all := make([]value, len(t.rows))
		for i, r := range t.rows {
			all[i] = r[at]
		}
		lastDict++
		start := 0
		for i, end := range cuts {
			c := layOut(t.fields[at].Type, all, start, end, (how+encoding(j))%encodings)
			batches[i].Columns = append(batches[i].Columns, c)
			start = end
		}
	}
	return batches
}

// layOut returns a column with the values all[start:end] in an encoding.
func layOut(t table.Type, all []value, start, end int, how encoding) table.Column {
	c := table.Column{Type: t}
	part := all[start:end]
	if how != plain {
		c.Codes = []int32{}
		dict := part
		if how == dictionaryKept {
			c.Dict, dict = lastDict, all
		}
		distinct := map[string]int32{}
		var values []value
		for _, v := range dict {
			if _, ok := distinct[v.key()]; !ok && !v.null {
				distinct[v.key()] = int32(len(values))
				values = append(values, v)
			}
		}
		for _, v := range part {
			c.Codes = append(c.Codes, distinct[v.key()])
		}
		c.Values = plainValues(t, values)
	} else {
		c.Values = plainValues(t, part)
	}
	if slices.ContainsFunc(part, func(v value) bool { return v.null }) {
		for _, v := range part {
			c.Valid = append(c.Valid, !v.null)
		}
	}
	return c
}

func plainValues(t table.Type, part []value) table.Values {
	v := table.Values{}
	for _, x := range part {
		switch t.Kind {
		case table.Float:
			v.Floats = append(v.Floats, x.x)
		case table.String:
			if v.Offsets == nil {
				v.Offsets = []uint32{0}
			}
			v.Data = append(v.Data, x.s...)
			v.Offsets = append(v.Offsets, uint32(len(v.Data)))
		default:
			v.Ints = append(v.Ints, x.n)
		}
	}
	return v
}

// exact answers a query on a table with one accumulator and one batch.
func exact(tb testing.TB, q Query, t *testTable) []int64 {
	tb.Helper()
	return exactOf(tb, q, t, [][]*table.Batch{t.batches(q.Columns(), nil, plain)})
}

// dealt shuffles a table's rows, divides them into batches, and distributes the batches among workers. The order, the
// cuts, the encoding and the number of workers are random.
func dealt(t *rapid.T, q Query, tab *testTable) (shuffled *testTable, workers [][]*table.Batch) {
	shuffled = &testTable{fields: tab.fields, rows: rapid.Permutation(tab.rows).Draw(t, "order")}
	cuts := rapid.SliceOfN(rapid.IntRange(0, len(tab.rows)), 0, 5).Draw(t, "cuts")
	how := encoding(rapid.IntRange(0, int(encodings)-1).Draw(t, "encoding"))
	workers = make([][]*table.Batch, rapid.IntRange(1, 4).Draw(t, "workers"))
	for i, b := range shuffled.batches(q.Columns(), cuts, how) {
		workers[i%len(workers)] = append(workers[i%len(workers)], b)
	}
	return shuffled, workers
}

// exactOf answers a query with one accumulator for each list of batches, merged into the first. It does so with each of
// the spills, and fails if their answers differ.
func exactOf(tb testing.TB, q Query, t *testTable, workers [][]*table.Batch) []int64 {
	tb.Helper()
	var first []int64
	for i, spill := range spills() {
		cells := counted(tb, accumulated(tb, q, t.schema(), spill, workers))
		if i > 0 && !slices.Equal(cells, first) {
			tb.Fatalf("spilled: %v, in memory %v", cells, first)
		}
		first = cells
	}
	return first
}

// counted returns the one vector of counts of an accumulator.
func counted(tb testing.TB, a adding) []int64 {
	tb.Helper()
	exacts, err := a.hide()
	if err != nil {
		tb.Fatal(err)
	}
	quantum, cells := mechanismtest.Open(tb, exacts[0])
	if quantum != 1 || len(exacts) != 1 {
		tb.Fatalf("quantum %g, %d components", quantum, len(exacts))
	}
	return cells
}

// hiddenOf does the same as exactOf, but without spills, and returns the hidden answers.
func hiddenOf(tb testing.TB, q Query, t *testTable, workers [][]*table.Batch) []mechanism.Exact {
	tb.Helper()
	exacts, err := accumulated(tb, q, t.schema(), nil, workers).hide()
	if err != nil {
		tb.Fatal(err)
	}
	return exacts
}

// The columns of random tables, and dimensions over them. There are few different values, so equal ones are likely.
var (
	randomFields = []table.Field{
		{Name: "u", Type: table.Type{Kind: table.Int}},
		{Name: "v", Type: table.Type{Kind: table.String}},
		{Name: "w", Type: table.Type{Kind: table.Float}},
		{Name: "text", Type: table.Type{Kind: table.String}},
		{Name: "int", Type: table.Type{Kind: table.Int}},
		{Name: "float", Type: table.Type{Kind: table.Float}},
		{Name: "digits", Type: table.Type{Kind: table.String}},
		{Name: "flag", Type: table.Type{Kind: table.Bool}},
		{Name: "day", Type: table.Type{Kind: table.Date}},
		{Name: "uint", Type: table.Type{Kind: table.Uint}},
		{Name: "when", Type: table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.UTC}},
		{Name: "lat", Type: table.Type{Kind: table.Float}},
		{Name: "lon", Type: table.Type{Kind: table.String}},
	}
	floatPool = []float64{-1, 0, math.Copysign(0, -1), 0.1, 0.3, 1, 1.5, 2, 2.5, 3, 99, math.Inf(1), math.Inf(-1),
		math.NaN()}
	textPool  = []string{"a", "b", "c", "A", "", "1", "1.0"}
	digitPool = []string{"-1", "0", "-0", "0.1", "0.3", "1", "1.0", "1e0", "+2", "2.5", "03", "99", "inf", "-Infinity",
		"nan", "x", "", "1_0", "0x1", "1e999"}
)

func randomValue(t *rapid.T, f table.Field) value {
	if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
		return value{null: true}
	}
	switch f.Name {
	case "u":
		return value{n: rapid.Int64Range(-1, 5).Draw(t, f.Name)}
	case "v":
		return value{s: rapid.SampledFrom([]string{"p", "q", ""}).Draw(t, f.Name)}
	case "w":
		return value{x: rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1.5, math.NaN()}).Draw(t, f.Name)}
	case "text":
		return value{s: rapid.SampledFrom(textPool).Draw(t, f.Name)}
	case "digits":
		return value{s: rapid.SampledFrom(digitPool).Draw(t, f.Name)}
	case "float":
		return value{x: rapid.SampledFrom(floatPool).Draw(t, f.Name)}
	case "flag":
		return value{n: rapid.Int64Range(0, 1).Draw(t, f.Name)}
	case "day":
		return value{n: rapid.Int64Range(-1, 3).Draw(t, f.Name)}
	case "when":
		return value{n: rapid.SampledFrom(timePool).Draw(t, f.Name)}
	case "lat":
		return value{x: rapid.SampledFrom(latPool).Draw(t, f.Name)}
	case "lon":
		return value{s: rapid.SampledFrom(lonPool).Draw(t, f.Name)}
	case "uint":
		return value{n: rapid.SampledFrom([]int64{0, 1, 2, 3, math.MaxInt64, math.MinInt64, -1}).Draw(t, f.Name)}
	}
	return value{n: rapid.Int64Range(-1, 4).Draw(t, f.Name)}
}

func randomRow(t *rapid.T) []value {
	row := make([]value, len(randomFields))
	for i, f := range randomFields {
		row[i] = randomValue(t, f)
	}
	return row
}

func randomTable(t *rapid.T) *testTable {
	n := rapid.IntRange(0, 60).Draw(t, "rows")
	tt := &testTable{fields: randomFields}
	for range n {
		tt.rows = append(tt.rows, randomRow(t))
	}
	return tt
}

var randomDimensions = []domain.Dimension{
	{Column: "text", Labels: []domain.Label{{Name: "a", Members: []string{"a", "A"}}, {Name: "b", Members: []string{"b"}},
		{Name: "one", Members: []string{"1"}}}},
	{Column: "int", Labels: []domain.Label{{Name: "zero", Members: []string{"0"}},
		{Name: "one", Members: []string{"1", "1.0", "2.0"}}, {Name: "never", Members: []string{"1.5"}}}},
	{Column: "int", Edges: []string{"0", "1", "2.5", "3"}},
	{Column: "int", Edges: []string{"-0.5", "1"}},
	{Column: "float", Labels: []domain.Label{{Name: "zero", Members: []string{"0"}},
		{Name: "third", Members: []string{"0.3"}}, {Name: "one", Members: []string{"1"}}}},
	{Column: "float", Edges: []string{"0.1", "0.3", "2"}},
	{Column: "digits", Edges: []string{"0", "0.3", "1", "3"}},
	{Column: "flag", Labels: []domain.Label{{Name: "yes", Members: []string{"true"}},
		{Name: "no", Members: []string{"false"}}}},
	{Column: "day", Labels: []domain.Label{{Name: "first", Members: []string{"1970-01-01"}},
		{Name: "third", Members: []string{"1970-01-03"}}}},
	{Column: "day", Edges: []string{"1970-01-01", "1970-01-02T12:00", "1970-01-03"}},
	{Column: "uint", Labels: []domain.Label{{Name: "1", Members: []string{"1"}},
		{Name: "big", Members: []string{"18446744073709551615", "9223372036854775808"}}}},
	{Column: "uint", Edges: []string{"1", "3", "9223372036854775807.5", "18446744073709551615"}},
	{Column: "when", TimeField: "hour_of_day"},
	{Column: "when", TimeField: "day_of_week"},
	{Column: "when", TimeField: "week_of_year"},
	{Column: "day", TimeField: "month"},
	{Grid: &domain.Grid{Lat: "lat", Lon: "lon", South: "40.7", West: "-74", North: "40.9", East: "-73.7", Rows: 2,
		Cols: 3}},
	{Nearest: &domain.Nearest{Lat: "lat", Lon: "lon", Points: pointPool, WithinM: 12_000, Name: "place"}},
}

func randomSpec(t *rapid.T) Spec {
	s := Spec{Name: "q", Kind: Count, Location: rapid.SampledFrom(zonePool).Draw(t, "zone")}
	s.Unit, s.FloatUnit = rapid.SampledFrom([][]string{nil, {"u"}, {"v"}, {"w"}, {"u", "v"}, {"v", "w", "u"}}).Draw(t,
		"unit"), true
	s.Bounds = Bounds{MaxRows: rapid.Int64Range(1, 8).Draw(t, "k"), MaxGroups: rapid.Int64Range(0, 4).Draw(t, "L"),
		MaxRowsPerGroup: rapid.Int64Range(0, 3).Draw(t, "m")}
	if s.Bounds.MaxGroups > 0 && s.Bounds.MaxRowsPerGroup > 0 && rapid.Bool().Draw(t, "no max_rows") {
		s.Bounds.MaxRows = 0
	}
	policies := []domain.Policy{"", domain.Drop, domain.OwnCell}
	for i := range rapid.IntRange(0, 3).Draw(t, "dimensions") {
		d := rapid.SampledFrom(randomDimensions).Draw(t, "dimension")
		d.As = fmt.Sprint("as", i)
		d.Null, d.Other = rapid.SampledFrom(policies).Draw(t, "null"), rapid.SampledFrom(policies).Draw(t, "other")
		s.Kind, s.By = Histogram, append(s.By, d)
	}
	return s
}

// makeQuery makes the query of a valid spec and returns it as its kind.
func makeQuery[Q Query](tb testing.TB, s Spec) Q {
	tb.Helper()
	made, err := New(s)
	if err != nil {
		tb.Fatal(err)
	}
	q, ok := made.(Q)
	if !ok {
		tb.Fatalf("%s is made as %T", s.Kind, made)
	}
	return q
}
