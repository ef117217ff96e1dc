package queries

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/queries/domain"

	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/quantize"
)

// columnsOfAnswer returns the columns of a released answer that Recover takes.
func columnsOfAnswer(a Answer) Columns {
	read := func(s Series) []float64 {
		out := make([]float64, a.Cells)
		s(0, out)
		return out
	}
	c := Columns{Noisy: read(a.Noisy)}
	for _, e := range a.Extra {
		c.Extra = append(c.Extra, read(e.Values))
	}
	for _, k := range a.Keys {
		var texts []string
		for cell := range a.Cells {
			texts = append(texts, k.Text(cell))
		}
		c.Keys = append(c.Keys, texts)
	}
	return c
}

// For every kind of query, Recover returns exactly the multiples of the grids from which Finish computed an answer, and
// the answer computed again from them is equal bit for bit.
func TestRecover(t *testing.T) {
	value := &quantize.Value{Columns: []string{"x"}, Lo: "17.5", Hi: "1090"}
	vector := &quantize.Value{Columns: []string{"x", "y", "z"}, Lo: "-3", Hi: "7"}
	public := &quantize.Value{Columns: []string{"x"}, Lo: "17.5", Hi: "1090", Rows: 45222}
	by := []domain.Dimension{{Column: "sex", Labels: []domain.Label{{Name: "F", Members: []string{"f"}},
		{Name: "M", Members: []string{"m"}}}, Null: domain.OwnCell}}
	for name, s := range map[string]Spec{
		"count": {Kind: Count}, "histogram": {Kind: Histogram, By: by}, "sum": {Kind: Sum, By: by,
			Value: value}, "vector sum": {Kind: Sum, Value: vector},
		"mean": {Kind: Mean, By: by, Value: value}, "vector mean": {Kind: Mean, By: by,
			Value: vector}, "public mean": {Kind: Mean, Value: public},
		"variance": {Kind: Variance, By: by, Value: value},
	} {
		t.Run(name, func(t *testing.T) {
			s.Name, s.Bounds = "q", Bounds{MaxRows: 1}
			q, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			adjacency := AddRemove
			if s.Value != nil && s.Value.Rows > 0 {
				adjacency = ReplaceOne
			}
			components, err := q.Components(adjacency)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(7, 11))
			for _, grid := range []float64{1, math.Ldexp(1, -20), 64} {
				noisy, want, grids := randomComponents(t, r, components, grid)
				a, err := q.Finish(t.Context(), noisy, noisy)
				if err != nil {
					t.Fatal(err)
				}
				c := columnsOfAnswer(a)
				got, err := q.Recover(c, grids)
				if err != nil || !slices.EqualFunc(got.Multiples, want, slices.Equal) || got.Keys != nil {
					t.Fatalf("grid %g: %v, want %v (%v)", grid, got, want, err)
				}
				last := len(c.Extra) - 1
				switch {
				case last >= 0:
					c.Extra[last][0] = grids[last] / 2
				case s.Value != nil && s.Value.Rows > 0:
					c.Noisy[0] = 553.75 + grid/2/45222
				default:
					c.Noisy[0] = grid / 2
				}
				if _, err := q.Recover(c, grids); err == nil {
					t.Errorf("grid %g: a value that is no multiple of the grid is read", grid)
				}
			}
		})
	}
}

// mustRecover checks that a query reads the noisy numbers of its components back from the columns of its answer. It
// returns the columns and the grids.
func mustRecover(t *testing.T, q Query, adj Adjacency) (Columns, []float64) {
	t.Helper()
	components, err := q.Components(adj)
	if err != nil {
		t.Fatal(err)
	}
	noisy, want, grids := randomComponents(t, rand.New(rand.NewPCG(1, 1)), components, 1)
	a, err := q.Finish(t.Context(), noisy, noisy)
	if err != nil {
		t.Fatal(err)
	}
	c := columnsOfAnswer(a)
	got, err := q.Recover(c, grids)
	if err != nil || !slices.EqualFunc(got.Multiples, want, slices.Equal) {
		t.Fatalf("%v, want %v (%v)", got, want, err)
	}
	return c, grids
}

// randomComponents returns noisy vectors for the components of a query, the multiples of their grids, and the grids.
func randomComponents(t *testing.T, r *rand.Rand, components []Component, grid float64) (noisy []mechanism.Noisy,
	want [][]int64, grids []float64) {
	for i, p := range components {
		g := math.Ldexp(grid, -3*i)
		units, values := make([]int64, p.Cells), make([]float64, p.Cells)
		for c := range units {
			units[c] = r.Int64N(1<<40) - 1<<39
			if c%3 == 1 {
				units[c] %= 100
			}
			values[c] = float64(units[c]) * g
		}
		m := calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 1}, Sigma: calibrate.Sigma(100 * g), Grid: g}
		noisy, want, grids = append(noisy, mechanismtest.Make(t, m, values)), append(want, units), append(grids, g)
	}
	return noisy, want, grids
}

// The largest and smallest noisy values are read back as they were shown, and other values are refused.
func TestToMultiples(t *testing.T) {
	for _, c := range []struct {
		value float64
		units int64
	}{{0, 0}, {-0.25, -1}, {math.Ldexp(1, 61), math.MaxInt64}, {-math.Ldexp(1, 61), math.MinInt64}, {1 << 59, 1 << 61}} {
		if got, err := kinds.ToMultiples([]float64{c.value}, 0.25); err != nil || got[0] != c.units {
			t.Errorf("%g: %d (%v), want %d", c.value, got, err, c.units)
		}
	}
	for _, bad := range []float64{0.1, math.NaN(), math.Inf(1), math.Inf(-1), math.Ldexp(1, 62), -math.Ldexp(1.5, 61),
		math.SmallestNonzeroFloat64} {
		if got, err := kinds.ToMultiples([]float64{bad}, 0.25); err == nil {
			t.Errorf("%g is read as %d", bad, got)
		}
	}
}

// Recover returns an error if neighbouring multiples of the grid give the same mean as a float64.
func TestMeansTooClose(t *testing.T) {
	q, err := New(Spec{Name: "q", Kind: Mean, Value: &quantize.Value{Columns: []string{"x"}, Lo: "100000000000",
		Hi: "100000000001", Rows: 1 << 30}, Bounds: Bounds{MaxRows: 1}})
	if err != nil {
		t.Fatal(err)
	}
	n := mechanismtest.Make(t, calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 1}, Sigma: 1, Grid: 1},
		[]float64{5})
	a, err := q.Finish(t.Context(), []mechanism.Noisy{n}, []mechanism.Noisy{n})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := q.Recover(columnsOfAnswer(a), []float64{1}); err == nil {
		t.Errorf("read as %v", got)
	}
}

// Recover reads selected keys back from released columns, so that the key columns of the answer have the same texts. In
// listed dimensions it finds the cell by its label; values of discovered dimensions are read as text.
func TestRecoverKeys(t *testing.T) {
	q, err := New(Spec{
		Name: "q", Kind: Histogram, Unit: []string{"u"}, Bounds: Bounds{MaxGroups: 2},
		By: []domain.Dimension{{Column: "city", Discover: true},
			{Column: "age", Edges: []string{"0", "18.5", "99"}, Null: domain.OwnCell}, {Column: "sex",
				Labels: []domain.Label{{Name: "F", Members: []string{"f"}}, {Name: "M", Members: []string{"m"}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := Columns{
		Noisy: []float64{12, 13.5, 14},
		Keys:  [][]string{{"A\x00b", "10", "9"}, {"0", "18.5", "null"}, {"18.5", "99", "null"}, {"M", "F", "F"}},
	}
	got, err := q.Recover(c, []float64{0.5})
	if err != nil || !slices.Equal(got.Multiples[0], []int64{24, 27, 28}) {
		t.Fatal(got, err)
	}
	d := q.(*kinds.Discovered)
	columns, err := d.Dimensions().Columns(got.Keys)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range columns {
		for row, want := range c.Keys[i] {
			if text := k.Text(row); text != want {
				t.Errorf("column %s, row %d: %q, want %q", k.Name, row, text, want)
			}
		}
	}
	c.Keys[1][1] = "17"
	if got, err := q.Recover(c, []float64{0.5}); err == nil {
		t.Errorf("a label that is none is read as %q", got.Keys)
	}
	if got, err := q.Recover(Columns{}, []float64{0.5}); err != nil || got.Keys == nil || len(got.Keys) != 0 {
		t.Errorf("no keys: %v (%v)", got, err)
	}
}
