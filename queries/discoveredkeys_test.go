package queries

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/keyselection"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
)

// keysOf returns the exact counts of a query that discovers its keys, by key. Each list of batches is a worker's.
func keysOf(tb testing.TB, q Query, t *testTable, workers [][]*table.Batch) map[string]int64 {
	tb.Helper()
	return keysWith(tb, q, t, workers, nil)
}

func keysWith(tb testing.TB, q Query, t *testTable, workers [][]*table.Batch, spill bounding.Spill) map[string]int64 {
	tb.Helper()
	sealed := hiddenBy(tb, q, t, workers, spill)
	keys, counts := mechanismtest.OpenKeyed(tb, sealed[0])
	if len(sealed) != 1 || !slices.IsSorted(keys) {
		tb.Fatalf("%d components, keys %q", len(sealed), keys)
	}
	out := map[string]int64{}
	for i, k := range keys {
		out[k] = counts[i]
	}
	return out
}

// refKey returns the key of a row in some dimensions. ok is false if the row has none.
func refKey(s Spec, by []domain.Dimension, t *testTable, row []value) (key string, ok bool) {
	ok = true
	for _, d := range by {
		if !d.Discover {
			c := refAxis(s, d, t, row)
			key, ok = key+string(binary.BigEndian.AppendUint32(nil, uint32(c))), ok && c >= 0
			continue
		}
		at := t.schema().Index(d.Column)
		kind, v := t.fields[at].Type, row[at]
		ok = ok && !v.null
		switch kind.Kind {
		case table.String:
			key += string(rune(kind.Kind)) + strings.ReplaceAll(v.s, "\x00", "\x00\xff") + "\x00\x00"
		case table.Timestamp:
			key += string(rune(kind.Kind)) + "\x01" + string(binary.BigEndian.AppendUint64(nil, uint64(kind.Unit))) +
				string(binary.BigEndian.AppendUint64(nil, uint64(v.n)+1<<63))
		case table.Uint:
			key += string(rune(kind.Kind)) + string(binary.BigEndian.AppendUint64(nil, uint64(v.n)))
		default:
			key += string(rune(kind.Kind)) + string(binary.BigEndian.AppendUint64(nil, uint64(v.n)+1<<63))
		}
	}
	return key, ok
}

// refKeys is a simple reference for a query that discovers its keys. Each unit counts in its max_groups keys of
// smallest digest: the SHA-256 of "c", the unit, and the SHA-256 of the key.
func refKeys(s Spec, t *testTable) map[string]int64 {
	units := map[string]map[string]bool{}
	for i, row := range t.rows {
		key, ok := refKey(s, s.By, t, row)
		unit := refUnit(s, t, row)
		if len(s.Unit) == 0 {
			unit = fmt.Sprint("unit", i)
		}
		if !ok || unit == "" {
			continue
		}
		if units[unit] == nil {
			units[unit] = map[string]bool{}
		}
		units[unit][key] = true
	}
	out := map[string]int64{}
	most := s.Bounds.MaxGroups
	if s.Bounds.MaxRows > 0 {
		most = min(most, s.Bounds.MaxRows)
	}
	for unit, keys := range units {
		digest := func(key string) string {
			inner := sha256.Sum256([]byte(key))
			outer := sha256.Sum256([]byte("dprelease/bound1c" + strings.TrimPrefix(unit, "unit") +
				"\x00\x00\x00\x00\x00\x00\x00\x00" + string(inner[:])))
			return string(outer[:])
		}
		order := slices.SortedFunc(maps.Keys(keys), func(a, b string) int { return strings.Compare(digest(a), digest(b)) })
		if len(s.Unit) > 0 {
			order = order[:min(int64(len(order)), most)]
		}
		for _, key := range order {
			out[key]++
		}
	}
	return out
}

func randomDiscovery(t *rapid.T) Spec {
	s := randomSpec(t)
	s.Kind = Histogram
	s.Bounds = Bounds{MaxGroups: rapid.Int64Range(1, 4).Draw(t, "L0")}
	if rapid.IntRange(0, 3).Draw(t, "max_rows too") == 0 {
		s.Bounds.MaxRows = rapid.Int64Range(1, 4).Draw(t, "k")
	}
	s.By = s.By[:min(len(s.By), 1)]
	for i := range rapid.IntRange(1, 2).Draw(t, "discovered") {
		column := rapid.SampledFrom([]string{"text", "int", "flag", "day", "uint", "when"}).Draw(t, "column")
		s.By = slices.Insert(s.By, rapid.IntRange(0, len(s.By)).Draw(t, "place"),
			domain.Dimension{Column: column, As: fmt.Sprint("key", i), Discover: true})
	}
	return s
}

func mustDiscover(tb testing.TB, s Spec) *kinds.Discovered {
	return makeQuery[*kinds.Discovered](tb, s)
}

// Keys and counts equal a plain reference, for any order of the rows, cut into batches, encoding and number of workers.
func TestDiscoveredKeysEqualTheReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomDiscovery(rt), randomTable(rt)
		q := mustDiscover(t, s)
		shuffled, workers := dealt(rt, q, tab)
		want := refKeys(s, tab)
		for _, spill := range spills() {
			if got := keysWith(t, q, shuffled, workers, spill); !maps.Equal(got, want) {
				rt.Fatalf("%+v\ngot  %v\nwant %v", s, got, want)
			}
		}
	})
}

// The threshold and the noise rely on two facts about neighbouring tables. The counts of keys change by at most the
// stated sensitivity. And at most max_groups keys occur in only one of the two tables, each with the count 1.
func TestDiscoveredNeighbours(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomDiscovery(rt), randomTable(rt)
		q := mustDiscover(t, s)
		other, adj := neighbour(rt, s, tab)
		all := func(x *testTable) map[string]int64 {
			return keysOf(t, q, x, [][]*table.Batch{x.batches(q.Columns(), nil, plain)})
		}
		one, two := all(tab), all(other)
		components, err := q.Components(adj)
		if err != nil || components[0].Keys != q.Limits.Cells {
			rt.Fatal(components, err)
		}
		squares := 0.0
		for _, side := range [][2]map[string]int64{{one, two}, {two, one}} {
			alone := int64(0)
			for k, n := range side[0] {
				m, both := side[1][k]
				switch d := float64(n - m); {
				case !both && n != 1:
					rt.Fatalf("%s: key %q counts %d in one table alone", adj, k, n)
				case !both:
					alone++
					squares++
				default:
					squares += d * d / 2
				}
			}
			if alone > components[0].Keys {
				rt.Fatalf("%s: %d keys in one table alone, at most %d", adj, alone, components[0].Keys)
			}
		}
		if math.Sqrt(squares) > components[0].Sens.L2 {
			rt.Fatalf("%+v, %s: changed by %g, stated %g", s, adj, math.Sqrt(squares), components[0].Sens.L2)
		}
	})
}

// Keys are sorted by the values of the first dimension, then of the second, and so on. Labels can be computed from
// keys.
func TestKeysKeepTheirValues(t *testing.T) {
	tab := &testTable{fields: []table.Field{
		{Name: "s", Type: table.Type{Kind: table.String}}, {Name: "n", Type: table.Type{Kind: table.Int}}, {Name: "x",
			Type: table.Type{Kind: table.Int}},
	}}
	texts := []string{"", "\x00", "\x00\x00", "\x00a", "a", "a\x00", "a\x00b", "ab", "b",
		strings.Repeat("z", keyselection.MaxKeyBytes), "ü"}
	numbers := []int64{math.MinInt64, -5, -1, 0, 1, 300, math.MaxInt64}
	for _, s := range append(slices.Clone(texts), "\xff", strings.Repeat("z", keyselection.MaxKeyBytes+1)) {
		for _, n := range numbers {
			tab.rows = append(tab.rows, []value{{s: s}, {n: n}, {n: 1}})
		}
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(tab.rows), func(i, j int) {
		tab.rows[i], tab.rows[j] = tab.rows[j],
			tab.rows[i]
	})
	q := mustDiscover(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{
		{Column: "n", Discover: true}, {Column: "x", Edges: []string{"0", "1", "2"}}, {Column: "s", As: "text",
			Discover: true},
	}})
	got := slices.Sorted(maps.Keys(keysOf(t, q, tab, [][]*table.Batch{tab.batches(q.Columns(), nil, plain)})))
	columns, err := q.Dimensions().Columns(got)
	if err != nil || len(columns) != 4 {
		t.Fatal(columns, err)
	}
	i := 0
	for _, n := range numbers {
		for _, s := range texts {
			if columns[0].Labels.Strings[i] != fmt.Sprint(n) || columns[3].Labels.Strings[i] != s ||
				columns[1].Labels.Ints[i] != 1 || columns[2].Labels.Ints[i] != 2 {
				t.Fatalf("key %d is %q %q, want %d %q", i, columns[0].Labels.Strings[i], columns[3].Labels.Strings[i], n, s)
			}
			i++
		}
	}
	if i != len(got) {
		t.Errorf("%d keys, want %d: texts that are too long or not UTF-8 are none", len(got), i)
	}
	for _, broken := range []string{"", "x", "\x02", got[0][:len(got[0])-1], got[0][1:]} {
		if _, err := q.Dimensions().Columns([]string{broken}); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
	if empty, err := q.Dimensions().Columns(nil); err != nil || len(empty[0].Labels.Strings) != 1 ||
		len(empty[1].Labels.Ints) != 1 {
		t.Errorf("%+v, %v", empty, err)
	}
}

func TestDiscoveryIsRefused(t *testing.T) {
	keys := domain.Dimension{Column: "text", Discover: true}
	binned, twice, form := keys, keys, keys
	binned.Null = domain.OwnCell
	form.Edges = []string{"0", "1"}
	twice.As = "noisy"
	spread := domain.Dimension{Nearest: &domain.Nearest{Lat: "lat", Lon: "lon", Name: "point",
		Points: []domain.Point{{ID: "a"}}, WithinM: 100, BandwidthM: 50}}
	unit := func(b Bounds, by ...domain.Dimension) Spec {
		return Spec{Name: "q", Kind: Histogram, Unit: []string{"u"}, Bounds: b, By: by}
	}
	for name, c := range map[string]struct {
		s    Spec
		want string
	}{
		"no max_groups": {unit(Bounds{MaxRows: 5}, keys), "per_unit"},
		"rows a key":    {unit(Bounds{MaxGroups: 5, MaxRowsPerGroup: 2}, keys), "per_unit.max_rows_per_group"},
		"bin":           {unit(Bounds{MaxGroups: 5}, binned), "histogram.by[0]"},
		"two forms":     {unit(Bounds{MaxGroups: 5}, form), "histogram.by[0]"},
		"taken":         {unit(Bounds{MaxGroups: 5}, twice), "histogram.by[0]"},
		"same name":     {unit(Bounds{MaxGroups: 5}, keys, keys), "histogram.by[1]"},
		"listed name": {unit(Bounds{MaxGroups: 5}, domain.Dimension{Column: "text", Labels: numbered(2)}, keys),
			"histogram.by[1]"},
		"kernel": {unit(Bounds{MaxGroups: 5}, keys, spread), "histogram.by[1].nearest.kernel"},
		"sum": {Spec{Name: "q", Kind: Sum, By: []domain.Dimension{keys},
			Value: &quantize.Value{Columns: []string{"int"}, Lo: "0", Hi: "1"}}, "sum.by"},
	} {
		_, err := New(c.s)
		if es := problem.Errors(err); len(es) != 1 || es[0].Field != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := unit(Bounds{MaxGroups: 4}, domain.Dimension{Column: "float", Discover: true})
	_, err := mustDiscover(t, s).Aggregation(table.Schema{Fields: randomFields})
	if es := problem.Errors(err); len(es) != 1 || es[0].Code != problem.CodeColumnType ||
		es[0].Field != "histogram.by[0].column" {
		t.Errorf("floats: %v", err)
	}
	s = unit(Bounds{MaxGroups: 4}, keys)
	for d, want := range map[float64]float64{0: 2, 3: 3, 1: 0} {
		s.Declared = d
		components, err := mustDiscover(t, s).Components(AddRemove)
		if (err == nil) != (want > 0) || err == nil && components[0].Sens.L2 != want {
			t.Errorf("declared %g: %+v, %v", d, components, err)
		}
	}
}
