package derived_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/derived"
	"github.com/dprelease/dprelease/queries/problem"
)

// texts returns a column of texts; "NULL" is a null.
func texts(values ...string) table.Column {
	c := table.Column{Type: table.Type{Kind: table.String}, Values: table.Values{Offsets: []uint32{0}}}
	for _, v := range values {
		c.Valid = append(c.Valid, v != "NULL")
		c.Values.Data = append(c.Values.Data, v...)
		c.Values.Offsets = append(c.Values.Offsets, uint32(len(c.Values.Data)))
	}
	return c
}

func ints(values ...int64) table.Column {
	return table.Column{Type: table.Type{Kind: table.Int}, Values: table.Values{Ints: values}}
}

func floats(values ...float64) table.Column {
	return table.Column{Type: table.Type{Kind: table.Float}, Values: table.Values{Floats: values}}
}

// shown returns the values of a column as texts.
func shown(c *table.Column) []string {
	out := make([]string, c.Len())
	for i := range out {
		at := c.Index(i)
		switch {
		case c.IsNull(i):
			out[i] = "NULL"
		case c.Type.Kind == table.String:
			out[i] = string(c.Values.Bytes(at))
		case c.Type.Kind == table.Float:
			out[i] = fmt.Sprint(c.Values.Floats[at])
		case c.Type.Kind == table.Bool:
			out[i] = fmt.Sprint(c.Values.Ints[at] != 0)
		default:
			out[i] = fmt.Sprint(c.Values.Ints[at])
		}
	}
	return out
}

// extend adds the columns that definitions make to a batch of columns, and returns all columns by name.
func extend(t *testing.T, names []string, columns []table.Column,
	definitions ...derived.Definition) map[string][]string {
	t.Helper()
	set, err := derived.New(definitions)
	if err != nil {
		t.Fatal(err)
	}
	var s table.Schema
	for i, name := range names {
		s.Fields = append(s.Fields, table.Field{Name: name, Type: columns[i].Type})
	}
	bound, err := set.Bind(s, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	e := bound.Evaluator(names)
	keep := make([]bool, columns[0].Len())
	for _, keep := range [][]bool{keep, nil} { // memory is used again
		b, err := e.Extend(&table.Batch{Rows: columns[0].Len(), Columns: columns, Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(b.Keep, keep) {
			t.Fatalf("the rows that count are %v, not %v", b.Keep, keep)
		}
		for i, f := range bound.Schema.Fields {
			if b.Columns[i].Type != f.Type || b.Columns[i].Len() != b.Rows {
				t.Fatalf("column %s has type %v and %d rows", f.Name, b.Columns[i].Type, b.Columns[i].Len())
			}
			out[f.Name] = shown(&b.Columns[i])
		}
	}
	return out
}

// zones is a lookup of boroughs by a column.
func zones(column string) *derived.Lookup {
	return &derived.Lookup{Field: "input.lookups[0]", On: []string{column}, Keys: [][]string{{"1", "2", "", "4.0", "x"}},
		Add: []derived.Added{
			{Name: "borough", Kind: table.String, Values: []string{"Bronx", "Queens", "lost", "Bronx", ""}},
			{Name: "people", Kind: table.Int, Values: []string{"7", "", "8", "9", "1"}},
			{Name: "area", Kind: table.Float, Values: []string{"0.5", "2", "", "1e3", "1"}},
			{Name: "since", Kind: table.Date, Values: []string{"1970-01-02", "", "", "1969-12-31", ""}},
			{Name: "airport", Kind: table.Bool, Values: []string{"true", "false", "", "", ""}},
			{Name: "nothing", Kind: table.Float, Values: []string{"", "", "", "", ""}},
		}}
}

// Keys are compared by the type of the input's column, and a row without a match gets nulls.
func TestLookupComparesByType(t *testing.T) {
	got := extend(t, []string{"id"}, []table.Column{ints(2, 1, 4, 3, math.MinInt64)}, zones("id"))
	want := map[string][]string{
		"id":      {"2", "1", "4", "3", "-9223372036854775808"},
		"borough": {"Queens", "Bronx", "Bronx", "NULL", "NULL"}, "people": {"NULL", "7", "9", "NULL", "NULL"},
		"area": {"2", "0.5", "1000", "NULL", "NULL"}, "since": {"NULL", "1", "-1", "NULL", "NULL"},
		"airport": {"false", "true", "NULL", "NULL", "NULL"}, "nothing": {"NULL", "NULL", "NULL", "NULL", "NULL"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = extend(t, []string{"id"}, []table.Column{texts("4.0", "4", "", "NULL", "x", "1", "\xff1", "1\x00")}, zones("id"))
	if d := cmp.Diff([]string{"Bronx", "NULL", "NULL", "NULL", "NULL", "Bronx", "NULL", "NULL"}, got["borough"]); d != "" {
		t.Error(d)
	}
	got = extend(t, []string{"id"}, []table.Column{floats(4, math.NaN(), math.Inf(1), 1.5, 2)}, zones("id"))
	if d := cmp.Diff([]string{"Bronx", "NULL", "NULL", "NULL", "Queens"}, got["borough"]); d != "" {
		t.Error(d)
	}
}

// Dictionaries give the same columns as plain values.
func TestLookupOfDictionaries(t *testing.T) {
	plain := ints(1, 1, 2, 9, 9, 4)
	want := extend(t, []string{"id"}, []table.Column{plain}, zones("id"))
	coded := table.Column{Type: plain.Type, Codes: []int32{0, 0, 1, 3, 3, 2}, Dict: table.NextDictionary(),
		Values: table.Values{Ints: []int64{1, 2, 4, 9}}}
	if d := cmp.Diff(want, extend(t, []string{"id"}, []table.Column{coded}, zones("id"))); d != "" {
		t.Error(d)
	}
}

// A key of several columns is found as a search of all rows finds it, whether its combinations are numbered or not.
func TestLookupByTwoColumns(t *testing.T) {
	for _, size := range []int{5, 3000} {
		r := rand.New(rand.NewPCG(1, uint64(size)))
		l := &derived.Lookup{Field: "input.lookups[0]", On: []string{"a", "b"}, Keys: make([][]string, 2),
			Add: []derived.Added{{Name: "v", Kind: table.Int}}}
		want := map[[2]string]string{}
		for i := range size {
			a, b := fmt.Sprint(r.IntN(size)), fmt.Sprint("k", r.IntN(size))
			if _, twice := want[[2]string{a, b}]; twice {
				continue
			}
			want[[2]string{a, b}] = fmt.Sprint(i)
			l.Keys[0], l.Keys[1] = append(l.Keys[0], a), append(l.Keys[1], b)
			l.Add[0].Values = append(l.Add[0].Values, fmt.Sprint(i))
		}
		var as []int64
		var bs []string
		for k := range l.Keys[0] {
			var a int64
			if _, err := fmt.Sscan(l.Keys[0][k], &a); err != nil {
				t.Fatal(err)
			}
			as, bs = append(as, a, int64(r.IntN(size)), -1), append(bs, l.Keys[1][k], fmt.Sprint("k", r.IntN(size)), "NULL")
		}
		got := extend(t, []string{"a", "b"}, []table.Column{ints(as...), texts(bs...)}, l)["v"]
		for i := range as {
			v, ok := want[[2]string{fmt.Sprint(as[i]), bs[i]}]
			if !ok {
				v = "NULL"
			}
			if got[i] != v {
				t.Fatalf("size %d: (%d, %s) has %s, want %s", size, as[i], bs[i], got[i], v)
			}
		}
	}
}

// A definition may read the columns of another one; their order in the job does not matter.
func TestDefinitionsReadEachOther(t *testing.T) {
	second := &derived.Lookup{Field: "input.lookups[1]", On: []string{"borough"}, Keys: [][]string{{"Bronx", "Queens"}},
		Add: []derived.Added{{Name: "code", Kind: table.String, Values: []string{"bx", "qn"}}}}
	got := extend(t, []string{"id"}, []table.Column{ints(2, 3, 1)}, second, zones("id"))
	if d := cmp.Diff([]string{"qn", "NULL", "bx"}, got["code"]); d != "" {
		t.Error(d)
	}
	set, err := derived.New([]derived.Definition{second, zones("id")})
	if err != nil {
		t.Fatal(err)
	}
	needed, inputs := set.For([]string{"x", "code", "id"})
	if d := cmp.Diff([]string{"x", "id"}, inputs); d != "" {
		t.Error(d)
	}
	if names := needed.Names(); names[len(names)-1] != "code" {
		t.Error("the columns that code needs do not come first:", names)
	}
	if needed, _ := set.For([]string{"x"}); len(needed.Names()) > 0 {
		t.Error("x needs no derived column")
	}
}

// Everything that can be wrong is found without a row.
func TestProblemsOfLookups(t *testing.T) {
	twice := zones("id")
	twice.Keys = [][]string{{"1", "2", "", "2", "x"}}
	p := &problem.Problems{}
	twice.Check(p)
	if len(p.List) != 1 || p.List[0].Code != problem.CodeDuplicate {
		t.Error("two rows with one key:", p.List)
	}
	circle := []derived.Definition{
		&derived.Lookup{Field: "input.lookups[0]", On: []string{"b"}, Keys: [][]string{{"1"}},
			Add: []derived.Added{{Name: "a", Values: []string{"1"}}}},
		&derived.Lookup{Field: "input.lookups[1]", On: []string{"a"}, Keys: [][]string{{"1"}},
			Add: []derived.Added{{Name: "b", Values: []string{"1"}}}},
	}
	if _, err := derived.New(circle); err == nil {
		t.Error("a circle is accepted")
	}
	if _, err := derived.New([]derived.Definition{zones("id"), zones("x")}); err == nil {
		t.Error("two definitions of one column are accepted")
	}
	equal := zones("id")
	equal.Keys = [][]string{{"1", "2", "", "1.0", "x"}}
	wrong := zones("id")
	wrong.Add[1].Values = []string{"7", "many", "", "", ""}
	none := zones("id")
	none.Keys = [][]string{{"a", "b", "c", "d", "e"}}
	schema := func(name string, kind table.Kind) table.Schema {
		return table.Schema{Fields: []table.Field{{Name: name, Type: table.Type{Kind: kind}}}}
	}
	taken := schema("id", table.Int)
	taken.Fields = append(taken.Fields, table.Field{Name: "area", Type: table.Type{Kind: table.Float}})
	for name, c := range map[string]struct {
		l    *derived.Lookup
		s    table.Schema
		code string
	}{
		"two keys that are one number": {equal, schema("id", table.Int), problem.CodeDuplicate},
		"a value that is not a number": {wrong, schema("id", table.Int), problem.CodeBadValue},
		"keys that are no numbers":     {none, schema("id", table.Int), problem.CodeColumnType},
		"a list":                       {zones("id"), schema("id", table.List), problem.CodeColumnType},
		"an unknown column":            {zones("id"), schema("ID", table.Int), problem.CodeUnknownColumn},
		"a column that the input has":  {zones("id"), taken, problem.CodeDuplicate},
	} {
		set, err := derived.New([]derived.Definition{c.l})
		if err != nil {
			t.Fatal(err)
		}
		_, err = set.Bind(c.s, nil)
		if found := problem.Errors(err); len(found) != 1 || found[0].Code != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

// A value gets the row of the range that contains it, the same as by a search through all ranges: ranges side by side,
// single values, gaps, the least and the greatest integer, in any order of the file. A row with an empty end is left
// out.
func TestLookupOfRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		l := &derived.Lookup{On: []string{"x"}, Keys: [][]string{{}}, To: []string{}, Add: []derived.Added{{Name: "name",
			Kind: table.String}}}
		var spans [][2]int64
		low := []int64{math.MinInt64, -9, 0}[r.IntN(3)]
		for range r.IntN(6) {
			first := low + r.Int64N(3)
			last := first + r.Int64N(3)
			spans, low = append(spans, [2]int64{first, last}), last+1
		}
		if r.IntN(3) == 0 {
			spans = append(spans, [2]int64{math.MaxInt64 - 2, math.MaxInt64})
		}
		r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		for i, s := range spans {
			l.Keys[0], l.To = append(l.Keys[0], fmt.Sprint(s[0])), append(l.To, fmt.Sprint(s[1]))
			l.Add[0].Values = append(l.Add[0].Values, fmt.Sprint("row ", i))
		}
		l.Keys[0], l.To, l.Add[0].Values = append(l.Keys[0], "5"), append(l.To, ""), append(l.Add[0].Values, "no end")
		x := ints(math.MinInt64, math.MinInt64+3, math.MaxInt64-3, math.MaxInt64-2, math.MaxInt64)
		for v := range int64(40) {
			x.Values.Ints = append(x.Values.Ints, v-12)
		}
		want := make([]string, len(x.Values.Ints))
		for i, v := range x.Values.Ints {
			want[i] = "NULL"
			for k, s := range spans {
				if v >= s[0] && v <= s[1] {
					want[i] = fmt.Sprint("row ", k)
				}
			}
		}
		if diff := cmp.Diff(want, extend(t, []string{"x"}, []table.Column{x}, l)["name"]); diff != "" {
			t.Fatalf("%v: %s", spans, diff)
		}
	}
}

// Errors of ranges follow from the public file, whatever the table holds.
func TestRangesAreChecked(t *testing.T) {
	of := func(kind table.Kind, first, to []string) string {
		l := &derived.Lookup{Field: "l", On: []string{"x"}, Keys: [][]string{first}, To: to,
			Add: []derived.Added{{Name: "name", Kind: table.String, Values: make([]string, len(first))}}}
		set, err := derived.New([]derived.Definition{l})
		if err != nil {
			t.Fatal(err)
		}
		_, err = set.Bind(table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: kind}}}}, time.UTC)
		return fmt.Sprint(err)
	}
	for want, got := range map[string]string{
		"<nil>":                  of(table.Date, []string{"2024-02-28"}, []string{"2024-03-01"}),
		"ranges are of integers": of(table.Float, []string{"1"}, []string{"2"}),
		"rows 2 and 1":           of(table.Int, []string{"4", "1"}, []string{"9", "4"}),
		"ends before it begins":  of(table.Int, []string{"4"}, []string{"3"}),
		"1.0.0.0":                of(table.Int, []string{"1.0.0.0"}, []string{"1.0.0.255"}),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
