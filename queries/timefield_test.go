package queries

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// timeFields lists all time fields, each with its number of cells. timeOfDay is set if dates do not have the field.
var timeFields = []struct {
	name      string
	cells     int
	timeOfDay bool
}{
	{"minute_of_hour", 60, true}, {"hour_of_day", 24, true}, {"hour_of_week", 168, true}, {"day_of_week", 7, false},
	{"day_of_month", 31, false}, {"week_of_year", 53, false}, {"month", 12, false}, {"quarter", 4, false},
}

// Every time field agrees with the standard library, in every unit and zone.
func TestTimeFieldsAgreeWithTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		typ := table.Type{Kind: table.Timestamp, Unit: rapid.SampledFrom([]int64{1, 1e3, 1e6, 1e9}).Draw(rt, "unit"),
			Zone: rapid.SampledFrom([]string{table.UTC, table.Local}).Draw(rt, "kind")}
		zone := rapid.SampledFrom(zonePool).Draw(rt, "zone")
		name := rapid.SampledFrom(timeFields).Draw(rt, "time field").name
		seconds := rapid.Int64Range(-6_000_000_000, 9_000_000_000).Draw(rt, "seconds")
		if rapid.Bool().Draw(rt, "near a change of clocks") {
			seconds = 1362898800 + rapid.Int64Range(-7300, 7300).Draw(rt, "around")
		}
		x := seconds*(1_000_000_000/typ.Unit) + rapid.Int64Range(0, 1_000_000_000/typ.Unit-1).Draw(rt, "fraction")
		c := ints(table.Timestamp, x, x, x+1)
		c.Type = typ
		got := codesOf(t, domain.Dimension{TimeField: name}, zone, c)
		same(t, got, int32(refTimeField(name, typ, x, zone)), int32(refTimeField(name, typ, x, zone)),
			int32(refTimeField(name, typ, x+1, zone)))
	})
}

func TestTimeFieldsOfDates(t *testing.T) {
	day := func(text string) int64 {
		at, _ := time.Parse("2006-01-02", text)
		return at.Unix() / (24 * 3600)
	}
	c := ints(table.Date, day("1969-12-31"), day("2012-12-31"), day("2016-01-03"), day("2000-02-29"), day("1582-10-04"))
	for name, want := range map[string][]int32{
		"day_of_week": {2, 0, 6, 1, 0}, "day_of_month": {30, 30, 2, 28, 3}, "week_of_year": {0, 0, 52, 8, 39}, "month": {11,
			11, 0, 1, 9}, "quarter": {3, 3, 0, 0, 3},
	} {
		got := codesOf(t, domain.Dimension{TimeField: name}, zonePool[len(zonePool)-1], c)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"minute_of_hour", "hour_of_day", "hour_of_week"} {
		q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{{Column: "x", TimeField: name}}})
		_, err := newAdding(q, table.Schema{Fields: []table.Field{{Name: "x", Type: c.Type}}}, nil)
		if es := problem.Errors(err); len(es) != 1 || es[0].Field != "histogram.by[0].column" ||
			es[0].Code != problem.CodeColumnType {
			t.Errorf("%s of a date: %v", name, err)
		}
	}
}

// All values have all time fields: the calendar has no end.
func TestTimeFieldsOfAllValues(t *testing.T) {
	extremes := []int64{math.MinInt64, math.MinInt64 + 1, -1, math.MaxInt64 - 1, math.MaxInt64}
	for _, p := range timeFields {
		for _, typ := range []table.Type{{Kind: table.Date}, {Kind: table.Timestamp, Unit: 1e9, Zone: table.UTC},
			{Kind: table.Timestamp, Unit: 1e6, Zone: table.Local}} {
			if typ.Kind == table.Date && p.timeOfDay {
				continue
			}
			for _, zone := range zonePool {
				c := ints(typ.Kind, extremes...)
				c.Type = typ
				for i, code := range codesOf(t, domain.Dimension{TimeField: p.name}, zone, c) {
					if code < 0 || int(code) >= p.cells {
						t.Errorf("%s of %d in %s: %d", p.name, extremes[i], typ, code)
					}
				}
			}
		}
	}
	c := ints(table.Date, extremes...)
	var want []int32
	for _, x := range extremes {
		n := new(big.Int).Add(big.NewInt(x), big.NewInt(3))
		want = append(want, int32(n.Mod(n, big.NewInt(7)).Int64()))
	}
	same(t, codesOf(t, domain.Dimension{TimeField: "day_of_week"}, nil, c), want...)
}

func TestKeysOfParts(t *testing.T) {
	keys := func(part string, null domain.Policy) domain.Labels {
		q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{{Column: "x", TimeField: part, Null: null}}})
		k := domain.KeyColumns(q.Axes)
		if len(k) != 1 || k[0].Name != "x" || k[0].Stride != 1 || len(k[0].Labels.Strings)+len(k[0].Labels.Ints) != q.Size {
			t.Fatalf("%s: %+v", part, k)
		}
		return k[0].Labels
	}
	for name, want := range map[string][2]int64{
		"minute_of_hour": {0, 59}, "hour_of_day": {0, 23}, "hour_of_week": {0, 167}, "day_of_month": {1,
			31}, "week_of_year": {1, 53}, "month": {1, 12}, "quarter": {1, 4},
	} {
		if l := keys(name, domain.Drop).Ints; l[0] != want[0] || l[len(l)-1] != want[1] ||
			int64(len(l)) != want[1]-want[0]+1 {
			t.Errorf("%s: %v", name, l)
		}
	}
	if l := keys("quarter", domain.OwnCell).Strings; !slices.Equal(l, []string{"1", "2", "3", "4", "null"}) {
		t.Errorf("%v", l)
	}
	if l := keys("day_of_week", domain.OwnCell).Strings; l[0] != "Monday" || l[6] != "Sunday" || l[7] != "null" {
		t.Errorf("%v", l)
	}
	if l := keys("day_of_week", domain.Drop).Strings; len(l) != 7 {
		t.Errorf("names of the week grew: %v", l)
	}
}
