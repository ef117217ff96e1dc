package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/report/picture"
)

func counted(values []float64, sparse bool) *Table {
	return &Table{Query: "q", Cells: len(values), Sparse: sparse, Values: []Column{{estimateColumn, heldSeries(values)}}}
}

// The page shows the rows of the largest values, in the order of the cells; all rows if they fit.
func TestChoose(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(rapid.Map(rapid.IntRange(-3, 9), func(x int) float64 { return float64(x) }), 1, 80).Draw(rt,
			"values")
		sparse, most := rapid.Bool().Draw(rt, "sparse"), rapid.IntRange(1, 90).Draw(rt, "most")
		cells, n := counted(values, sparse).choose(most)
		var rows []int
		for i, x := range values {
			if !sparse || x != 0 {
				rows = append(rows, i)
			}
		}
		if n != len(rows) || len(cells) != min(most, len(rows)) || !slices.IsSorted(cells) {
			rt.Fatalf("%d rows, chosen %v", n, cells)
		}
		left := slices.DeleteFunc(slices.Clone(rows), func(c int) bool { return slices.Contains(cells, c) })
		for _, c := range cells {
			for _, l := range left {
				if values[c] < values[l] {
					rt.Fatalf("cell %d of %g is shown, and %d of %g is not", c, values[c], l, values[l])
				}
			}
		}
	})
}

// read returns the values of the right cells, whether these are in one block of a series or far apart.
func TestRead(t *testing.T) {
	identity := func(start int, dst []float64) {
		for i := range dst {
			dst[i] = float64(start + i)
		}
	}
	cells := []int{0, 1, 5, block - 1, block, 3*block + 7, 9 * block, 9*block + 1}
	for i, x := range read(identity, cells) {
		if x != float64(cells[i]) {
			t.Errorf("cell %d has the value of %g", cells[i], x)
		}
	}
}

// A label cannot steer the display, and cannot fill the page.
func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "a\u202eb": "a[U+202E]b", "x\ny\x00": "x[U+000A]y[U+0000]", "\u2066z": "[U+2066]z",
		"\xff": "[U+FFFD]", "<script>": "<script>", "العربية": "العربية",
		strings.Repeat("k", 10_000): strings.Repeat("k", longest) + "…",
	} {
		if got := shown(text); got != want {
			t.Errorf("%.20q is shown as %q", text, got)
		}
	}
}

func keys(names ...string) *pageTable {
	t := &pageTable{Shown: 4, Rows: 4}
	for _, n := range names {
		t.Keys = append(t.Keys, pageKey{Name: n, Labels: []string{"1", "2"}, Codes: []int{0, 1, 0, 1}, Numeric: true})
	}
	return t
}

// The picture follows from the dimensions of the job, which are found by the names of the key columns.
func TestPictures(t *testing.T) {
	edges, hour, label := dimension{Column: "age", From: []byte("0")}, dimension{Column: "t", As: "hour",
		Part: "hour_of_day"}, dimension{Column: "sex"}
	grid := dimension{Grid: &struct {
		Rows  int         `json:"rows"`
		Cols  int         `json:"cols"`
		South json.Number `json:"south"`
		West  json.Number `json:"west"`
		North json.Number `json:"north"`
		East  json.Number `json:"east"`
	}{}}
	for _, c := range []struct {
		axes  []dimension
		keys  []string
		holds string
		types string
		want  string
	}{
		{nil, nil, "", "[]", pictureNumber},
		{[]dimension{label}, []string{"sex"}, "", "[category]", pictureBars},
		{[]dimension{edges}, []string{"age_from", "age_to"}, "", "[number]", pictureLines},
		{[]dimension{edges}, []string{"age_from", "age_before"}, "", "[number]", pictureLines},
		{[]dimension{hour}, []string{"hour"}, "", "[order]", pictureLines},
		{[]dimension{label, edges}, []string{"sex", "age_from", "age_to"}, "", "[category number]", pictureHeat},
		{[]dimension{grid}, []string{"row", "col"}, "", "[grid]", pictureHeat},
		{[]dimension{label, hour, edges}, []string{"sex", "hour", "age_from", "age_to"}, "", "[category order number]",
			pictureHeat},
		{[]dimension{label}, []string{"sex", "component"}, "", "[category category]", pictureHeat},
		{[]dimension{label, edges}, []string{"sex", "quantile"}, pictureQuantiles, "[category category]", pictureQuantiles},
		{[]dimension{label, edges}, []string{"sex", "age_below"}, pictureCDF, "[category number]", pictureCDF},
		{[]dimension{label, hour}, []string{"hour"}, "hour", "[order]", pictureLines},
		{[]dimension{label}, []string{"residual", "coordinate"}, "", "[category category]", pictureNone},
	} {
		p := keys(c.keys...)
		axes := axesOf(&queryFacts{axes: c.axes}, p, c.holds)
		var types []string
		for _, a := range axes {
			types = append(types, a.Type)
		}
		if got := pictureOf(axes, p, c.holds, false); fmt.Sprint(types) != c.types || got != c.want {
			t.Errorf("%v: axes %v, picture %s; want %s, %s", c.keys, types, got, c.types, c.want)
		}
	}
}

// Cells of very unequal width stand side by side with their names: on an axis of numbers the narrow ones would be one
// line.
func TestUnequalCellsHaveNames(t *testing.T) {
	for _, c := range []struct {
		edges []float64
		want  string
		names []string
	}{
		{[]float64{1, 10, 100, 1000, 10000}, "order", []string{"1 to 10", "10 to 100", "100 to 1,000", "1,000 to 10,000"}},
		{[]float64{0, 1, 5, 15, 25}, "number", nil},
		{[]float64{15, 30, 75}, "number", nil},
	} {
		cells := len(c.edges) - 1
		p, _ := (&Table{Cells: cells, Keys: []domain.KeyColumn{
			{Name: "fee_from", Stride: 1, Labels: domain.Labels{Floats: c.edges[:cells]}},
			{Name: "fee_to", Stride: 1, Labels: domain.Labels{Floats: c.edges[1:]}}},
			Values: []Column{{estimateColumn, heldSeries(make([]float64, cells))}}}).page(maxRows)
		q := &queryFacts{axes: []dimension{{Column: "fee", From: []byte("0")}}}
		a := axesOf(q, p, "")[0]
		if a.Type != c.want || c.names != nil && !slices.Equal(a.names(p), c.names) {
			t.Errorf("%g: %s %q", c.edges, a.Type, a.names(p))
		}
		below, _ := (&Table{Cells: cells, Keys: []domain.KeyColumn{
			{Name: "fee_below", Stride: 1, Labels: domain.Labels{Floats: c.edges[1:]}}},
			Values: []Column{{estimateColumn, heldSeries(make([]float64, cells))}}}).page(maxRows)
		if c.want == "order" {
			if a := axesOf(q, below, pictureCDF)[0]; a.Type != c.want {
				t.Errorf("below %g: %s", c.edges[1:], a.Type)
			}
		}
	}
}

// Rows in memory and cells of a domain give the same page.
func TestHeldTable(t *testing.T) {
	values := []float64{3, math.NaN(), 5, 7}
	cells := &Table{Query: "q", Cells: 4, Values: []Column{{noisyColumn, heldSeries(values)},
		{estimateColumn, heldSeries(values)}},
		Keys: []domain.KeyColumn{{Name: "a", Stride: 2, Labels: domain.Labels{Strings: []string{"x", "y"}}},
			{Name: "b", Stride: 1, Labels: domain.Labels{Ints: []int64{1, 2}}}}}
	rows := HeldTable("q", "", 4, []domain.KeyColumn{
		{Name: "a", Stride: 1, Labels: domain.Labels{Strings: []string{"x", "x", "y", "y"}}}, {Name: "b", Stride: 1,
			Labels: domain.Labels{Ints: []int64{1, 2, 1, 2}}},
	}, []string{noisyColumn, estimateColumn}, [][]float64{values, values})
	a, _ := cells.page(10)
	b, _ := rows.page(10)
	if x, y := asJSON(t, a), asJSON(t, b); x != y {
		t.Errorf("%s\n%s", x, y)
	}
	if !strings.Contains(asJSON(t, a), "null") {
		t.Error("a missing value is not null")
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A series is uniform only if both of its ends are; a table of one or no cell is.
func TestUniform(t *testing.T) {
	const n = 3 * block
	last := func(start int, dst []float64) {
		for i := range dst {
			dst[i] = map[bool]float64{true: 2, false: 1}[start+i == n-1]
		}
	}
	for _, c := range []struct {
		values func(int, []float64)
		n      int
		want   bool
	}{{last, n, false}, {last, n - 1, true}, {last, 1, true}, {last, 0, true}, {nil, 0, true}, {nil, 3, false}} {
		if got := uniform(c.values, c.n); got != c.want {
			t.Errorf("%d values: uniform is %v", c.n, got)
		}
	}
}

// Small tables have all digits of the files on the page, large ones seven.
func TestDigitsOfLargeTables(t *testing.T) {
	for n, want := range map[int]string{1: "0.3333333333333333", largeTable: "0.3333333333333333",
		largeTable + 1: "0.3333333"} {
		values := slices.Repeat([]float64{1.0 / 3}, n)
		p, _ := counted(values, false).page(n)
		if text, err := json.Marshal(p.Values[0].Data[0]); err != nil || string(text) != want {
			t.Errorf("%d rows: %s, %v", n, text, err)
		}
	}
}

// A telephone has a picture of its own if all marks and names fit there: panels stand below one another.
func TestNarrow(t *testing.T) {
	rows := func(names ...string) picture.Panel { return picture.Rows{Names: names} }
	cells := func(n int) picture.Panel { return picture.Cells{X: picture.Axis{Names: make([]string, n)}} }
	for _, c := range []struct {
		name    string
		panels  []picture.Panel
		columns int
		want    bool
	}{
		{"bars", []picture.Panel{rows("North", "Coast")}, 1, true},
		{"long names", []picture.Panel{rows("North", "Coast · Coast 1 · 18 to 65 · f")}, 1, false},
		{"two tables", []picture.Panel{cells(6), cells(6)}, 2, true},
		{"many cells", []picture.Panel{cells(12)}, 1, false},
		{"a map", []picture.Panel{picture.Map{}}, 1, false},
	} {
		f := &picture.Figure{Width: 16, Height: 5, Columns: c.columns, Panels: c.panels}
		n := narrow(f)
		if (n != nil) != c.want {
			t.Errorf("%s: %v", c.name, n)
		}
		if n != nil && (n.Columns != 1 || n.Width >= f.Width || f.Columns != c.columns) {
			t.Errorf("%s: %d columns of %g cm", c.name, n.Columns, n.Width)
		}
	}
	if n := narrow(&picture.Figure{Width: 8, Columns: 1}); n != nil {
		t.Error("a figure that fits has another one")
	}
}
