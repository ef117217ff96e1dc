package queries

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
)

// randomFollower is a query that adds values up by the keys of a random histogram, and perhaps by a further dimension.
func randomFollower(t *rapid.T) Spec {
	h := randomDiscovery(t)
	s := h
	s.Leader = &Leader{Name: "leader", Dims: len(h.By)}
	s.Kind = rapid.SampledFrom([]Kind{Sum, Mean, Variance}).Draw(t, "kind")
	v := rapid.SampledFrom([]quantize.Value{{Lo: "-1", Hi: "2"}, {Lo: "0.1", Hi: "2.7"}, {Lo: "-3.3", Hi: "-0.5"},
		{Lo: "-100", Hi: "1"}}).Draw(t, "value")
	v.Columns = rapid.SampledFrom([][]string{{"int"}, {"float"}, {"digits"}, {"uint"}}).Draw(t, "columns")
	if s.Kind != Variance && rapid.IntRange(0, 3).Draw(t, "vector") == 0 {
		v.Columns = []string{"float", "digits"}
	}
	s.Value = &v
	s.Bounds = Bounds{MaxGroups: rapid.Int64Range(1, 4).Draw(t, "L"), MaxRowsPerGroup: rapid.Int64Range(1, 3).Draw(t, "m"),
		MaxRows: rapid.Int64Range(0, 6).Draw(t, "k")}
	if rapid.Bool().Draw(t, "further") {
		d := rapid.SampledFrom(randomDimensions).Draw(t, "further dimension")
		d.As, d.Null = "further", rapid.SampledFrom([]domain.Policy{"", domain.OwnCell}).Draw(t, "further null")
		s.By = append(slices.Clone(s.By), d)
	}
	return s
}

// refContribution is a row that counts. It has a key and, in the dimensions that are not part of the key, a cell. n is
// the number of earlier rows of its unit with the same key, cell and value.
type refContribution struct {
	key           string
	cell, n       int
	content       []int
	group, digest string
}

// refByKeys is a simple reference for the rows that count. The groups of a unit are its pairs of a key and a cell of
// the other dimensions. Of each unit, refByKeys keeps the max_groups groups of smallest digest; in each of these groups
// the max_rows_per_group rows of smallest digest; and of the rows that remain the max_rows of smallest digest.
func refByKeys(s Spec, t *testTable) (kept []refContribution) {
	byUnit := map[string][]refContribution{}
	first, further := s.By[:s.Leader.Dims], s.By[s.Leader.Dims:]
	for i, row := range t.rows {
		key, ok := refKey(s, first, t, row)
		cell := 0
		for _, d := range further {
			c := refAxis(s, d, t, row)
			cell, ok = cell*refSize(d)+c, ok && c >= 0
		}
		content, valued := refValue(s, t, row)
		unit := refUnit(s, t, row)
		if !ok || !valued || unit == "" {
			continue
		}
		if len(s.Unit) == 0 {
			unit = fmt.Sprint("unit", i)
		}
		x := refContribution{key: key, cell: cell, content: content}
		for _, r := range byUnit[unit] {
			if r.key == key && r.cell == cell && slices.Equal(r.content, content) {
				x.n++
			}
		}
		inner := sha256.Sum256([]byte(key))
		at := string(binary.BigEndian.AppendUint32(nil, uint32(cell))) + string(inner[:])
		message := at
		for _, c := range append(slices.Clone(content), x.n) {
			message += string(binary.BigEndian.AppendUint64(nil, uint64(c)))
		}
		hash := func(order, text string) string {
			d := sha256.Sum256([]byte("dprelease/bound1" + order + strings.TrimPrefix(unit, "unit") + "\x00\x00\x00\x00" + text))
			return string(d[:])
		}
		x.group, x.digest = hash("c", at), hash("r", message)
		byUnit[unit] = append(byUnit[unit], x)
	}
	for _, rows := range byUnit {
		if len(s.Unit) > 0 {
			rows = refWithin(rows, s.Bounds)
		}
		kept = append(kept, rows...)
	}
	return kept
}

func refWithin(rows []refContribution, b Bounds) (kept []refContribution) {
	groups := map[string]bool{}
	for _, r := range rows {
		groups[r.group] = true
	}
	left := slices.Sorted(maps.Keys(groups))
	left = left[:min(int64(len(left)), b.MaxGroups)]
	slices.SortFunc(rows, func(x, y refContribution) int { return cmp.Compare(x.digest, y.digest) })
	in := map[string]int64{}
	for _, r := range rows {
		if !slices.Contains(left, r.group) {
			continue
		}
		if in[r.group]++; in[r.group] <= b.MaxRowsPerGroup && (b.MaxRows == 0 || int64(len(kept)) < b.MaxRows) {
			kept = append(kept, r)
		}
	}
	return kept
}

// refSelected adds up the contributions of some keys. For each key and cell it returns the sum of the values, each
// minus the centre, and the number of rows.
func refSelected(s Spec, kept []refContribution, keys []string) (sums []*big.Int, rows []int64) {
	cells, dims := 1, len(s.Value.Columns)
	for _, d := range s.By[s.Leader.Dims:] {
		cells *= refSize(d)
	}
	_, low, high := refBounds(s)
	centre := new(big.Int)
	if s.Kind != Sum {
		centre.Rsh(centre.Add(low, high), 1)
	}
	rows = make([]int64, len(keys)*cells)
	for range len(rows) * dims {
		sums = append(sums, new(big.Int))
	}
	for _, r := range kept {
		k := slices.Index(keys, r.key)
		if k < 0 {
			continue
		}
		at := k*cells + r.cell
		rows[at]++
		for i, x := range r.content {
			sum := sums[at*dims+i]
			sum.Add(sum, big.NewInt(int64(x))).Sub(sum, centre)
		}
	}
	return sums, rows
}

// someKeys are some keys of tables, and one that no row has.
func someKeys(rt *rapid.T, s Spec, tabs ...*testTable) []string {
	all := map[string]bool{"\x00\x00\x00\x00nobody": true}
	for _, t := range tabs {
		for _, row := range t.rows {
			if key, ok := refKey(s, s.By[:s.Leader.Dims], t, row); ok {
				all[key] = true
			}
		}
	}
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if rapid.Bool().Draw(rt, "selected") {
			keys = append(keys, key)
		}
	}
	return keys
}

// selectedOf opens the exact answers for some keys, one vector for each component.
func selectedOf(tb testing.TB, exacts []mechanism.Exact, keys []string) (vectors [][]*big.Int) {
	tb.Helper()
	for _, e := range exacts {
		chosen, err := e.ForKeys(mechanismtest.Select(tb, keys...))
		if err != nil {
			tb.Fatal(err)
		}
		_, cells := mechanismtest.OpenWide(tb, chosen)
		vectors = append(vectors, cells)
	}
	return vectors
}

func hiddenBy(tb testing.TB, q Query, t *testTable, workers [][]*table.Batch, spill bounding.Spill) []mechanism.Exact {
	tb.Helper()
	exacts, err := accumulated(tb, q, t.schema(), spill, workers).hide()
	if err != nil {
		tb.Fatal(err)
	}
	return exacts
}

// The exact answers of selected keys equal a simple reference, for any order of the rows, batches, encoding and number
// of workers, in memory or with almost none.
func TestAnswersBySelectedKeysEqualTheReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomFollower(rt), randomTable(rt)
		q := makeQuery[*kinds.ByKeys](t, s)
		keys := someKeys(rt, s, tab)
		want, wantRows := refSelected(s, refByKeys(s, tab), keys)
		shuffled, workers := dealt(rt, q, tab)
		for _, spill := range spills() {
			got := selectedOf(t, hiddenBy(t, q, shuffled, workers, spill), keys)
			if !equalInts(got[0], want) {
				rt.Fatalf("%+v, value %+v, keys %q\ngot  %v\nwant %v", s, *s.Value, keys, got[0], want)
			}
			if s.Kind == Sum {
				continue
			}
			for i, n := range got[len(got)-1] {
				if !n.IsInt64() || n.Int64() != wantRows[i] {
					rt.Fatalf("%+v: rows %v, want %v", s, got[len(got)-1], wantRows)
				}
			}
		}
	})
}

// squaredReal is the square of the distance of two vectors in multiples of a quantum.
func squaredReal(a, b []*big.Int, quantum float64) float64 {
	sum := new(big.Int)
	for i := range a {
		d := new(big.Int).Sub(a[i], b[i])
		sum.Add(sum, d.Mul(d, d))
	}
	x, _ := new(big.Float).SetInt(sum).Float64()
	return x * quantum * quantum
}

// union returns a map with the keys of both.
func union(x, y map[string]*big.Int) map[string]*big.Int {
	out := maps.Clone(x)
	maps.Copy(out, y)
	return out
}

// Whatever keys are selected, even keys that only one of the tables has, the answers of neighbouring tables differ by
// at most the stated sensitivity. The same holds for the answers for all keys, before a selection.
func TestNeighboursBySelectedKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomFollower(rt), randomTable(rt)
		other, adj := neighbour(rt, s, tab)
		q := makeQuery[*kinds.ByKeys](t, s)
		components, err := q.Components(adj)
		if err != nil {
			rt.Fatal(err)
		}
		answers := func(x *testTable) []mechanism.Exact { return hiddenBy(t, q, x, plainly(q, x), nil) }
		keys := someKeys(rt, s, tab, other)
		one, two := selectedOf(t, answers(tab), keys), selectedOf(t, answers(other), keys)
		a, b := answers(tab), answers(other)
		for i, c := range components {
			if d := math.Sqrt(squaredReal(one[i], two[i], c.Quantum)); d > c.Sens.L2 {
				rt.Fatalf("%+v, %s, %q: %s changed by %g, stated %g", s, adj, keys, c.Name, d, c.Sens.L2)
			}
			quantum, x := mechanismtest.OpenForKeys(t, a[i])
			_, y := mechanismtest.OpenForKeys(t, b[i])
			var all, others []*big.Int
			for name := range union(x, y) {
				all, others = append(all, cmp.Or(x[name], new(big.Int))), append(others, cmp.Or(y[name], new(big.Int)))
			}
			if d := math.Sqrt(squaredReal(all, others, quantum)); d > c.Sens.L2 {
				rt.Fatalf("%+v, %s, all keys: %s changed by %g, stated %g", s, adj, c.Name, d, c.Sens.L2)
			}
		}
	})
}

// The stated sensitivity is the largest change of the answer, under both adjacencies. The test tries every contribution
// of one unit with up to four rows, over four keys and the two ends of the range, and every set of selected keys.
func TestEveryContributionToSelectedKeys(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	names := []string{"a", "b", "c", "d"}
	fields := []table.Field{{Name: "u", Type: table.Type{Kind: table.Int}},
		{Name: "key", Type: table.Type{Kind: table.String}}, {Name: "x", Type: table.Type{Kind: table.Int}}}
	var keys []string
	for _, n := range names {
		keys = append(keys, string(rune(table.String))+n+"\x00\x00")
	}
	for _, b := range []Bounds{{MaxGroups: 1, MaxRowsPerGroup: 1}, {MaxGroups: 2, MaxRowsPerGroup: 2},
		{MaxGroups: 2, MaxRowsPerGroup: 2, MaxRows: 3}} {
		s := Spec{
			Name: "q", Kind: Sum, Unit: []string{"u"}, Bounds: b, By: []domain.Dimension{{Column: "key",
				Discover: true}}, Leader: &Leader{Name: "leader", Dims: 1},
			Value: &quantize.Value{Columns: []string{"x"}, Lo: "-1", Hi: "3"},
		}
		q := makeQuery[*kinds.ByKeys](t, s)
		var contributions [][]float64 // of each key
		var add func(rows [][]value, from int)
		add = func(rows [][]value, from int) {
			tab := &testTable{fields: fields, rows: rows}
			answer := selectedOf(t, hiddenBy(t, q, tab, plainly(q, tab), nil), keys)[0]
			var c []float64
			for _, x := range answer {
				f, _ := new(big.Float).SetInt(x).Float64()
				c = append(c, f)
			}
			contributions = append(contributions, c)
			for i := from; i < 8 && len(rows) < 4; i++ {
				add(append(slices.Clone(rows), []value{{n: 1}, {s: names[i%4]}, {n: []int64{-1, 3}[i/4]}}), i)
			}
		}
		add(nil, 0)
		for _, adj := range []Adjacency{AddRemove, ReplaceOne} {
			components, err := q.Components(adj)
			if err != nil {
				t.Fatal(err)
			}
			most := 0.0
			for _, one := range contributions {
				for _, other := range contributions[:map[Adjacency]int{AddRemove: 1, ReplaceOne: len(contributions)}[adj]] {
					for selected := range 1 << len(keys) {
						sum := 0.0
						for k := range keys {
							if d := one[k] - other[k]; selected>>k&1 == 1 {
								sum += d * d
							}
						}
						most = max(most, sum)
					}
				}
			}
			most = math.Sqrt(most) * components[0].Quantum
			if l2 := components[0].Sens.L2; most > l2 || most < l2*(1-1e-9) {
				t.Errorf("%+v, %s: the largest change is %g, stated %g", b, adj, most, l2)
			}
		}
	}
}

// If a unit has more keys than max_groups, it counts in the same keys in the query that selects the keys and in the
// queries that use them, because both compare the same digests.
func TestSampleOfKeysIsShared(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := randomDiscovery(rt)
		h.Unit, h.Bounds = []string{"u"}, Bounds{MaxGroups: rapid.Int64Range(1, 3).Draw(rt, "L")}
		tab := randomTable(rt)
		at := tab.schema().Index("int")
		for i := range tab.rows {
			tab.rows[i][at] = value{n: 1} // so that each row has a value
		}
		s := h
		s.Kind, s.Value, s.Leader = Sum, &quantize.Value{Columns: []string{"int"}, Lo: "0", Hi: "1"}, &Leader{Name: "h",
			Dims: len(h.By)}
		s.Bounds.MaxRowsPerGroup = 1
		counts := keysOf(t, mustDiscover(t, h), tab, [][]*table.Batch{tab.batches(mustDiscover(t, h).Columns(), nil, plain)})
		keys := slices.Sorted(maps.Keys(counts))
		q := makeQuery[*kinds.ByKeys](t, s)
		components, err := q.Components(AddRemove)
		if err != nil || len(keys) == 0 {
			return
		}
		for i, x := range selectedOf(t, hiddenBy(t, q, tab, plainly(q, tab), nil), keys)[0] {
			f, _ := new(big.Float).SetInt(x).Float64()
			if f*components[0].Quantum != float64(counts[keys[i]]) {
				rt.Fatalf("key %q: %d units, the sum of ones is %g", keys[i], counts[keys[i]], f*components[0].Quantum)
			}
		}
	})
}

// Of 20,000 intervals of sums by selected keys, 94 to 96 % contain the exact sum. By the normal approximation, the test
// fails by chance with probability 1e-10.
func TestCoverageBySelectedKeys(t *testing.T) {
	const runs, keys = 100, 200
	s := Spec{
		Name: "q", Kind: Sum, By: []domain.Dimension{{Column: "key", Discover: true}}, Leader: &Leader{Name: "h", Dims: 1},
		Value: &quantize.Value{Columns: []string{"x"}, Lo: "-5", Hi: "5"},
	}
	tab := &testTable{fields: []table.Field{{Name: "key", Type: table.Type{Kind: table.Int}},
		{Name: "x", Type: table.Type{Kind: table.Int}}}}
	want := make([]float64, keys)
	for k := range int64(keys) {
		for i := range k % 7 {
			tab.rows = append(tab.rows, []value{{n: k}, {n: i - 2}})
			want[k] += float64(i - 2)
		}
	}
	var names []string
	for k := range keys {
		names = append(names, string(rune(table.Int))+string(binary.BigEndian.AppendUint64(nil, uint64(k)+1<<63)))
	}
	q := makeQuery[*kinds.ByKeys](t, s)
	components, err := q.Components(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	m := calibrate.Mechanism{Query: "q", Sens: components[0].Sens, Sigma: 7, Grid: 0.25}
	within := 0
	for range runs {
		e, err := hiddenBy(t, q, tab, plainly(q, tab), nil)[0].ForKeys(mechanismtest.Select(t, names...))
		if err != nil {
			t.Fatal(err)
		}
		noisy, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := q.WithKeys(names)
		if err != nil || bound.Cells() != keys {
			t.Fatal(bound, err)
		}
		a, err := bound.Finish(t.Context(), []mechanism.Noisy{noisy}, []mechanism.Noisy{noisy})
		if err != nil {
			t.Fatal(err)
		}
		low, high := make([]float64, keys), make([]float64, keys)
		a.Low(0, low)
		a.High(0, high)
		for k := range keys {
			if low[k] <= want[k] && want[k] <= high[k] {
				within++
			}
		}
	}
	if share := float64(within) / (runs * keys); math.Abs(share-0.95) > 0.01 {
		t.Errorf("%.4f of the intervals hold the sum", share)
	}
}

// If no key is selected, the answer has no cells, but its noise still needs a receipt.
func TestNoKeyIsSelected(t *testing.T) {
	s := Spec{
		Name: "q", Kind: Mean, By: []domain.Dimension{{Column: "text", Discover: true}}, Leader: &Leader{Name: "h", Dims: 1},
		Value: &quantize.Value{Columns: []string{"int"}, Lo: "0", Hi: "1"},
	}
	q := makeQuery[*kinds.ByKeys](t, s)
	tab := &testTable{fields: randomFields}
	exacts := hiddenBy(t, q, tab, plainly(q, tab), nil)
	components, err := q.Components(AddRemove)
	if err != nil || len(components) != len(exacts) {
		t.Fatal(components, err)
	}
	var noisy []mechanism.Noisy
	for i, e := range exacts {
		m := calibrate.Mechanism{Query: components[i].Name, Sens: components[i].Sens, Sigma: 7, Grid: 0.25}
		if _, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1); err == nil {
			t.Error("answers are noised before their keys are selected")
		}
		if e, err = e.ForKeys(mechanismtest.Select(t)); err != nil {
			t.Fatal(err)
		}
		n, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1)
		if err != nil || n.Len() != 0 {
			t.Fatal(n.Len(), err)
		}
		noisy = append(noisy, n)
	}
	if _, err := q.Finish(t.Context(), noisy, noisy); err == nil {
		t.Error("there is an answer without keys")
	}
	bound, err := q.WithKeys(nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := bound.Finish(t.Context(), noisy, noisy)
	if err != nil || a.Cells != 0 || len(a.Keys) != 1 || !bound.LooksEmpty(noisy) {
		t.Errorf("%+v, %v", a, err)
	}
	grids := make([]float64, len(components))
	back, err := bound.Recover(Columns{}, grids)
	if err != nil || len(back.Multiples) != len(components) {
		t.Errorf("%+v, %v", back, err)
	}
	for i, units := range back.Multiples {
		if units == nil || len(units) > 0 {
			t.Errorf("vector %d: %v", i, units)
		}
	}
	if _, err := bound.Recover(Columns{Noisy: []float64{1}}, grids); err == nil {
		t.Error("a cell is read back without a key")
	}
	if _, err := q.Recover(Columns{}, grids); err == nil {
		t.Error("a table is read back before its keys are")
	}
}

func TestFollowersAreRefused(t *testing.T) {
	key := domain.Dimension{Column: "text", Discover: true}
	good := Spec{
		Name: "q", Kind: Sum, Unit: []string{"u"}, Bounds: Bounds{MaxGroups: 3,
			MaxRowsPerGroup: 2}, By: []domain.Dimension{key}, Leader: &Leader{Name: "h", Dims: 1},
		Value: &quantize.Value{Columns: []string{"int"}, Lo: "0", Hi: "1"},
	}
	makeQuery[*kinds.ByKeys](t, good)
	for name, c := range map[string]struct {
		change func(*Spec)
		field  string
	}{
		"no max_groups":    {func(s *Spec) { s.Bounds = Bounds{MaxRows: 3} }, problem.FieldBounds},
		"rows not bounded": {func(s *Spec) { s.Bounds = Bounds{MaxGroups: 3} }, problem.FieldBounds},
		"declared":         {func(s *Spec) { s.Declared = 10 }, problem.FieldSensitivity},
		"clamp":            {func(s *Spec) { v := *s.Value; v.Share = 0.1; s.Value = &v }, "sum.clamp"},
		"further discovery": {func(s *Spec) { s.By = append(s.By, domain.Dimension{Column: "int", Discover: true}) },
			"sum.by[1]"},
		"taken name": {func(s *Spec) { s.By = []domain.Dimension{{Column: "text", As: "noisy", Discover: true}} },
			"sum.by[0]"},
		"no leader": {func(s *Spec) { s.Leader = nil }, "sum.by"},
	} {
		s := good
		s.By = slices.Clone(s.By)
		c.change(&s)
		_, err := New(s)
		if es := problem.Errors(err); len(es) == 0 || es[0].Field != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}
