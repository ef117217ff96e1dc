package picture

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// write draws a figure in a format. The test fails if that takes too long.
func write(t *testing.T, f *Figure, format string) string {
	t.Helper()
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- f.Write(&out, format) }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatalf("the %s is not drawn after a minute", format)
	}
	return out.String()
}

var inf, nan = math.Inf(1), math.NaN()

// Values that are undefined, infinite or huge end in a picture, in every format and every kind of panel.
func TestUndefinedValues(t *testing.T) {
	odd := []float64{1, nan, -inf, inf, math.MaxFloat64, -math.MaxFloat64, 5e-324, 1e17}
	low, high := make([]float64, len(odd)), make([]float64, len(odd))
	for i := range odd {
		low[i], high[i] = -inf, inf
	}
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	var grid []Cell
	for i, v := range odd {
		grid = append(grid, Cell{i, 0, v})
	}
	places := []float64{0, 1, 2, 3, 4, 5, 6, 7}
	for name, p := range map[string]Panel{
		"rows": Rows{Names: names, Marks: []RowMarks{{Style: Style{Fill: Full}, Values: odd},
			{Style: Style{Line: Solid}, Low: low, High: high}, {Style: Style{Mark: Circle}, Values: odd}}},
		"chart": Chart{Lines: []Line{{Style: Style{Line: Solid, Mark: Ring}, X: places, Y: odd, Low: low, High: high,
			Errors: odd}}},
		"edges":       Chart{Lines: []Line{{Style: Style{Line: Solid}, X: odd, Y: places}}},
		"far from 0":  Chart{Lines: []Line{{Style: Style{Line: Solid}, X: []float64{1e17, 1e17 + 32}, Y: []float64{1, 2}}}},
		"logarithmic": Chart{X: Axis{Log: true}, Y: Axis{Log: true}, Lines: []Line{{Style: Style{Line: Solid}, X: odd, Y: odd}}},
		"nothing":     Chart{Lines: []Line{{Style: Style{Line: Solid}, X: []float64{nan}, Y: []float64{nan}}}},
		"cells":       Cells{X: Axis{Names: names}, Y: Axis{Names: names[:1]}, Cells: grid, Scale: Scale{Low: -1, High: 1}},
		"map":         Map{X: places, Y: places, Values: odd, Roads: [][2]int{{0, 1}, {3, 4}}, Scale: Scale{High: 1, Root: true}},
		"points":      Map{X: places, Y: places, Values: odd, Scale: Scale{High: 1}},
		"no place":    Map{},
	} {
		t.Run(name, func(t *testing.T) {
			f := &Figure{Title: "t", Panels: []Panel{p}}
			for _, format := range []string{"svg", "png", "pdf"} {
				if text := write(t, f, format); format == "svg" && (strings.Contains(text, "NaN") ||
					strings.Contains(text, "Inf")) {
					t.Error("a coordinate is not a number")
				}
			}
		})
	}
}

// A figure knows which letters of its texts the formats with an embedded font leave blank.
func TestMissingLetters(t *testing.T) {
	for name, want := range map[string]string{"Zürich Łódź Αθήνα Москва 2 € ² ≥": "", "東京 and 京都": "京東都"} {
		f := Figure{Title: "Cities", Panels: []Panel{Rows{Names: []string{name}, Marks: []RowMarks{{Style: Style{Fill: Full},
			Values: []float64{1}}}}}}
		if got := f.Missing(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Numbers are written as readers expect: no sign before 0, no unnecessary exponent.
func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{0: "0", math.Copysign(0, -1): "0", 3270: "3,270", -1234567.5: "-1,234,568",
		0.25: "0.25", 1e-7: "1e-7", 2.5e20: "2.5e20", -100: "-100", 999999: "999,999", 0.1 + 0.2: "0.3"} {
		if got := Number(x); got != want {
			t.Errorf("%g is written %s, want %s", x, got, want)
		}
	}
	for _, tick := range (round{limit: 5}).Ticks(-0.3, 0.3) {
		if tick.Label == "-0" {
			t.Error("a tick is -0")
		}
	}
}

func TestTicks(t *testing.T) {
	for want, ticks := range map[string][]plot.Tick{
		"0 5 10 15 20": round{5}.Ticks(0, 24), "-0.3 -0.2 -0.1 0 0.1 0.2 0.3": round{9}.Ticks(-0.3, 0.3),
		"0 500,000 1,000,000": round{4}.Ticks(0, 1e6), "": round{5}.Ticks(1, 1),
		"1e-4 1e-3 0.01 0.1 1 10": decades{most: 9}.Ticks(-4, 1.3),
	} {
		var labels []string
		for _, tick := range ticks {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Names that would overlap are turned or left out.
func TestNamesDoNotOverlap(t *testing.T) {
	many := make([]string, 200)
	for i := range many {
		many[i] = "category " + Number(float64(i))
	}
	for n, upright := range map[int]bool{4: false, 12: false, 60: false, 200: true, 199: false} {
		p := Cells{X: Axis{Names: many[:n]}, Y: Axis{Names: many[:n]}}.plot(15*vg.Centimeter, 10*vg.Centimeter)
		axis, length := p.X, 0.75*15*vg.Centimeter
		if upright {
			axis, length = p.Y, 0.7*10*vg.Centimeter
		}
		ticks := axis.Tick.Marker.Ticks(axis.Min, axis.Max)
		room := length / vg.Length(n) * vg.Length(math.Max(1, ticks[min(1, len(ticks)-1)].Value))
		needs := axis.Tick.Label.Font.Size
		if !upright && axis.Tick.Label.Rotation == 0 {
			needs = axis.Tick.Label.Width(ticks[0].Label)
		}
		if needs > room {
			t.Errorf("%d names need %v each and have %v", n, needs, room)
		}
	}
}

// The first row of cells is at the top, as in a table; rows of a grid are counted from the south.
func TestRowsRunDownwards(t *testing.T) {
	ink := func(up bool) bool { // whether the top of the picture has the colour of the first row
		p := Cells{Up: up, X: Axis{Names: []string{"x"}}, Y: Axis{Names: []string{"first", "second"}}, Cells: []Cell{{0, 0, 0},
			{0, 1, 1}}, Scale: Scale{High: 1}}
		picture, err := png.Decode(strings.NewReader(write(t, &Figure{Panels: []Panel{p}}, "png")))
		if err != nil {
			t.Fatal(err)
		}
		size := picture.Bounds()
		red, _, _, _ := picture.At(size.Dx()*2/3, size.Dy()/5).RGBA()
		return red>>8 > 200
	}
	if !ink(false) || ink(true) {
		t.Errorf("the first row is at the top: %v; of a grid: %v", ink(false), ink(true))
	}
}

// A heat map of many cells and a map of a city are short files.
func TestSizes(t *testing.T) {
	names := make([]string, 200)
	var many []Cell
	for i := range 200 * 200 {
		many = append(many, Cell{i % 200, i / 200, float64(i)})
	}
	heat := &Figure{Width: 15, Height: 15, Panels: []Panel{Cells{X: Axis{Names: names}, Y: Axis{Names: names}, Up: true,
		Cells: many, Scale: Scale{High: 40000}}}}
	city := Map{Scale: Scale{High: 4000}}
	for i := range 4000 {
		city.X, city.Y = append(city.X, float64(i%60)), append(city.Y, float64(i/60))
		city.Values = append(city.Values, float64(i))
		if i >= 60 {
			city.Roads = append(city.Roads, [2]int{i, i - 1}, [2]int{i, i - 60})
		}
	}
	long := Line{Style: Style{Line: Solid}}
	for i := range 40000 {
		long.X, long.Y = append(long.X, float64(i)), append(long.Y, float64(i%977))
	}
	for name, f := range map[string]*Figure{"heat": heat, "city": {Panels: []Panel{city}},
		"line": {Panels: []Panel{Chart{Lines: []Line{long}}}}} {
		if size := len(write(t, f, "svg")); size > 500_000 {
			t.Errorf("%s has %d bytes", name, size)
		}
	}
}

// A figure with keys, a ramp and a note shows them, and is the same each time.
func TestFigure(t *testing.T) {
	f := &Figure{
		Title: "title <b>", Columns: 2, Note: "a note", Ramp: &Ramp{Label: "events", Scale: Scale{High: 10}},
		Keys: []Key{{"one", Style{Color: Blue, Line: Dashed, Mark: Circle}}},
		Panels: []Panel{
			Chart{Title: "T", X: Axis{Label: "x", Log: true}, Y: Axis{Label: "y", Log: true}, Lines: []Line{
				{Style: Style{Line: Solid, Mark: Square}, X: []float64{0, 1, 10, 100}, Y: []float64{1, -1, 2, inf},
					Errors: []float64{0, 0, 1, 0}},
				{Style: Style{Line: Solid}, X: []float64{1, 1000}, Y: []float64{3, 4000}},
			}},
			Chart{Title: "empty", X: Axis{Log: true}},
			Rows{Title: "ratios", X: Axis{Log: true, From: 0.5, To: 2, Ticks: []Tick{{0.5, "half"}, {1, "same"}}},
				Names: []string{"row"}, Marks: []RowMarks{{Style: Style{Mark: Diamond}, Values: []float64{1e9}}}},
		},
	}
	text := write(t, f, "svg")
	for _, want := range []string{"title &lt;b&gt;", "a note", ">one<", "events", "empty", "ratios", "half"} {
		if !strings.Contains(text, want) {
			t.Errorf("the drawing lacks %s", want)
		}
	}
	a := write(t, f, "png")
	if picture, err := png.Decode(strings.NewReader(a)); err != nil || picture.Bounds().Dx() < 900 ||
		a != write(t, f, "png") {
		t.Errorf("%d bytes, %v", len(a), err)
	}
	if err := f.Write(&bytes.Buffer{}, "gif"); err == nil {
		t.Error("an unknown format is drawn")
	}
}

// Labels of the horizontal axis end inside the picture on the left: long numbers, and long names at an angle.
func TestLabelsEndInsideThePicture(t *testing.T) {
	long := "a name that is longer than the room to its left"
	for name, p := range map[string]Panel{
		"numbers": Rows{Names: []string{""}, Marks: []RowMarks{{Style: Style{Line: Solid}, Low: []float64{-8.2e9},
			High: []float64{-8.1e9}}}},
		"names": Cells{X: Axis{Names: []string{long, long, long, long, long, long}}, Y: Axis{Names: []string{"A"}},
			Cells: []Cell{{0, 0, 1}, {5, 0, 2}}, Scale: Scale{High: 3}},
	} {
		f := &Figure{Width: 12, Height: 9, Panels: []Panel{p, p}, Columns: 1}
		picture, err := png.Decode(strings.NewReader(write(t, f, "png")))
		if err != nil {
			t.Fatal(err)
		}
		for y := range picture.Bounds().Dy() {
			if red, _, _, _ := picture.At(0, y).RGBA(); red != 0xffff {
				t.Errorf("%s: a label crosses the left edge of the picture, at %d", name, y)
				break
			}
		}
	}
}
