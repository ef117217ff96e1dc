package perunit_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/perunit"
	"github.com/dprelease/dprelease/queries/problem"
)

// scratch is a spill in memory that lets a builder hold some bytes.
type scratch struct {
	bounding.Spill
	share int64
	data  []byte
	wrote int
}

func (s *scratch) Join()        {}
func (s *scratch) Share() int64 { return s.share }
func (s *scratch) Err() error   { return nil }
func (s *scratch) Write(pieces ...[]byte) (int64, error) {
	at := int64(len(s.data))
	for _, p := range pieces {
		s.data = append(s.data, p...)
	}
	s.wrote++
	return at, nil
}

func (s *scratch) Read(piece []byte, at int64) error {
	if copy(piece, s.data[at:]) < len(piece) {
		return errors.New("beyond the end")
	}
	return nil
}

// row is a row of the input; a nil text or number is null.
type row struct {
	person *string
	number *float64
	time   *int64
	text   *string
}

func of[T any](x T) *T { return &x }

func draw(r *rand.Rand, n int) (all []row) {
	for range n {
		x := row{}
		if r.IntN(20) > 0 {
			x.person = of(fmt.Sprint("p", r.IntN(n/5+1)))
		}
		if r.IntN(10) > 0 {
			x.number = of([]float64{0.1, -3, 7.25, 1e9, math.Inf(-1), math.NaN(), math.Copysign(0, -1), 5}[r.IntN(8)])
		}
		if r.IntN(10) > 0 {
			x.time = of([]int64{1, 2, -5, math.MaxInt64, math.MinInt64}[r.IntN(5)])
		}
		if r.IntN(10) > 0 {
			x.text = of([]string{"", "red", "blue", "\xff", "r"}[r.IntN(5)])
		}
		all = append(all, x)
	}
	return all
}

// batchOf returns the columns of some rows from which the table of units is made.
func batchOf(rows []row) *table.Batch {
	person := table.Column{Type: table.Type{Kind: table.String}, Values: table.Values{Offsets: []uint32{0}}}
	text := table.Column{Type: person.Type, Values: table.Values{Offsets: []uint32{0}}}
	number := table.Column{Type: table.Type{Kind: table.Float}}
	at := table.Column{Type: table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.Local}}
	put := func(c *table.Column, s *string) {
		c.Valid = append(c.Valid, s != nil)
		if s != nil {
			c.Values.Data = append(c.Values.Data, *s...)
		}
		c.Values.Offsets = append(c.Values.Offsets, uint32(len(c.Values.Data)))
	}
	for _, r := range rows {
		put(&person, r.person)
		put(&text, r.text)
		x, t := 0.0, int64(0)
		if number.Valid = append(number.Valid, r.number != nil); r.number != nil {
			x = *r.number
		}
		if at.Valid = append(at.Valid, r.time != nil); r.time != nil {
			t = *r.time
		}
		number.Values.Floats, at.Values.Ints = append(number.Values.Floats, x), append(at.Values.Ints, t)
	}
	b := &table.Batch{Rows: len(rows)}
	for _, name := range people().Reads() {
		b.Columns = append(b.Columns, map[string]table.Column{"person": person, "number": number, "time": at, "text": text}[name])
	}
	return b
}

var schema = table.Schema{Fields: []table.Field{
	{Name: "person", Type: table.Type{Kind: table.String}}, {Name: "number", Type: table.Type{Kind: table.Float}},
	{Name: "time", Type: table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.Local}},
	{Name: "text", Type: table.Type{Kind: table.String}},
}}

func people() *perunit.Table {
	return &perunit.Table{Unit: []string{"person"}, Columns: []perunit.Column{
		{Name: "rows", Kind: perunit.Count}, {Name: "texts", Kind: perunit.CountDistinct, Of: "text"},
		{Name: "total", Kind: perunit.Sum, Of: "number", Lo: "-2", Hi: "10"}, {Name: "least", Kind: perunit.Min, Of: "number"},
		{Name: "most", Kind: perunit.Max, Of: "text"}, {Name: "some", Kind: perunit.Any, Where: map[string]string{"text": "red"}},
		{Name: "each", Kind: perunit.All, Where: map[string]string{"text": "red", "number": "5"}},
		{Name: "first", Kind: perunit.First, Of: "text", By: "time"}, {Name: "last", Kind: perunit.Last, Of: "text", By: "time"},
	}}
}

// expected computes the table of units by loops over the rows of each person.
func expected(all []row) map[string]string {
	of := map[string][]row{}
	for _, r := range all {
		if r.person != nil {
			of[*r.person] = append(of[*r.person], r)
		}
	}
	out := map[string]string{}
	for person, rows := range of {
		texts := map[string]bool{}
		total, least, most, first, last := "NULL", "NULL", "NULL", "NULL", "NULL"
		sum, smallest := 0.0, math.Inf(1)
		some, each := false, true
		var ordered []row
		for _, r := range rows {
			is := r.text != nil && *r.text == "red"
			some, each = some || is, each && is && r.number != nil && *r.number == 5
			if r.text != nil {
				texts[*r.text] = true
				if most == "NULL" || "text "+*r.text > most {
					most = "text " + *r.text
				}
				if r.time != nil {
					ordered = append(ordered, r)
				}
			}
			if r.number != nil && !math.IsNaN(*r.number) {
				sum += max(-2, math.Min(10, *r.number))
				total = fmt.Sprintf("%.4f", sum)
				smallest = math.Min(smallest, *r.number)
				least = fmt.Sprint(smallest + 0)
			}
		}
		slices.SortFunc(ordered, func(a, b row) int { return cmp.Or(cmp.Compare(*a.time, *b.time), cmp.Compare(*a.text, *b.text)) })
		if n := len(ordered); n > 0 {
			first, last = "text "+*ordered[0].text, "text "+*ordered[n-1].text
		}
		out[person] = fmt.Sprint(len(rows), len(texts), " ", total, " ", least, " ", most, " ", some, each, " ", first, " ", last)
	}
	return out
}

// made returns the table of units, from several builders, of which each gets some batches.
func made(t *testing.T, all []row, workers int, share int64) (map[string]string, int) {
	t.Helper()
	bound, err := people().Bind(schema)
	if err != nil {
		t.Fatal(err)
	}
	s := &scratch{share: share}
	builders := make([]*perunit.Builder, workers)
	for i := range builders {
		builders[i] = bound.Builder(s)
	}
	i := 0
	for batch := range slices.Chunk(all, 17) {
		if err := builders[i%workers].Add(batchOf(batch)); err != nil {
			t.Fatal(err)
		}
		i++
	}
	for _, b := range builders[1:] {
		builders[0].Merge(b)
	}
	out := map[string]string{}
	err = builders[0].Each(func(b *table.Batch) error {
		for i, f := range bound.Schema.Fields {
			if b.Columns[i].Type != f.Type || b.Columns[i].Len() != b.Rows {
				t.Fatalf("column %s: %v, %d rows", f.Name, b.Columns[i].Type, b.Columns[i].Len())
			}
		}
		for row := range b.Rows {
			show := func(column int) any {
				c := &b.Columns[column]
				switch {
				case c.IsNull(row):
					return "NULL"
				case c.Type.Kind == table.String:
					return "text " + string(c.Values.Bytes(row))
				case column == 3:
					return fmt.Sprintf("%.4f", c.Values.Floats[row])
				case c.Type.Kind == table.Float:
					return fmt.Sprint(c.Values.Floats[row])
				case c.Type.Kind == table.Bool:
					return c.Values.Ints[row] == 1
				}
				return c.Values.Ints[row]
			}
			person := string(b.Columns[0].Values.Bytes(row))
			if _, twice := out[person]; twice {
				t.Errorf("%s has two rows", person)
			}
			out[person] = fmt.Sprint(show(1), show(2), " ", show(3), " ", show(4), " ", show(5), " ", show(6), show(7), " ",
				show(8), " ", show(9))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, s.wrote
}

// The table of units equals the one computed by loops over the rows of each unit, in any order, with any number of
// builders, in memory and spilled.
func TestTableOfUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 60 {
		all := draw(r, 1+r.IntN(400))
		want := expected(all)
		for _, share := range []int64{1 << 30, 4000, 0} {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			got, wrote := made(t, all, 1+r.IntN(3), share)
			if share == 0 && len(want) > 0 && wrote == 0 {
				t.Fatal("nothing was written")
			}
			if len(got) != len(want) {
				t.Fatalf("%d units, want %d", len(got), len(want))
			}
			for person := range want {
				if got[person] != want[person] {
					t.Fatalf("%s: %s, want %s", person, got[person], want[person])
				}
			}
		}
	}
}

// If a unit's rows are removed, the rows of all other units do not change: the tables differ in one row.
func TestUnitsAreApart(t *testing.T) {
	all := draw(rand.New(rand.NewPCG(9, 9)), 300)
	whole, _ := made(t, all, 2, 1000)
	without := slices.DeleteFunc(slices.Clone(all), func(r row) bool { return r.person != nil && *r.person == "p3" })
	part, _ := made(t, without, 2, 1000)
	if _, is := whole["p3"]; !is {
		t.Fatal("p3 has no row")
	}
	delete(whole, "p3")
	if len(part) != len(whole) {
		t.Fatalf("%d units, want %d", len(part), len(whole))
	}
	for person := range whole {
		if part[person] != whole[person] {
			t.Errorf("%s: %s, want %s", person, part[person], whole[person])
		}
	}
}

// A unit has at most MaxDistinct different values, whatever their order.
func TestDistinctValuesEnd(t *testing.T) {
	var all []row
	for i := range 500 {
		all = append(all, row{person: of("p"), text: of(fmt.Sprint(i % 100))})
	}
	for range 3 {
		got, _ := made(t, all, 2, 0)
		if text := got["p"]; text[:6] != fmt.Sprint(500, " ", perunit.MaxDistinct) {
			t.Error(text)
		}
		slices.Reverse(all)
	}
}

// Problems of a column are found before any row is read.
func TestProblemsOfColumns(t *testing.T) {
	for name, c := range map[string]perunit.Column{
		"unknown column": {Name: "x", Kind: perunit.Min, Of: "city"},
		"sum of texts":   {Name: "x", Kind: perunit.Sum, Of: "text", Lo: "0", Hi: "1"},
		"no range":       {Name: "x", Kind: perunit.Sum, Of: "number", Lo: "1", Hi: "0"},
		"order of texts": {Name: "x", Kind: perunit.Last, Of: "number", By: "text"},
		"no number":      {Name: "x", Kind: perunit.Any, Where: map[string]string{"number": "many"}},
		"of the unit":    {Name: "person", Kind: perunit.Count},
	} {
		_, err := (&perunit.Table{Unit: []string{"person"}, Columns: []perunit.Column{c}}).Bind(schema)
		if len(problem.Errors(err)) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
