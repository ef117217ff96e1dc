package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// These tests read marks, colours and texts back from the drawing.

// record draws a panel alone. It returns the drawing actions, the panel's plot and its canvas.
func record(p Panel) ([]recorder.Action, *plot.Plot, draw.Canvas) {
	var r recorder.Canvas
	c := draw.NewCanvas(&r, 300, 200)
	drawn := p.plot(300, 200)
	drawn.Draw(c)
	return r.Actions, drawn, drawn.DataCanvas(c)
}

// ends returns the least and greatest place of a path.
func ends(p vg.Path) (low, high vg.Point) {
	low, high = vg.Point{X: vg.Length(inf), Y: vg.Length(inf)}, vg.Point{X: vg.Length(-inf), Y: vg.Length(-inf)}
	for _, x := range p {
		if x.Type != vg.CloseComp {
			low.X, low.Y = min(low.X, x.Pos.X), min(low.Y, x.Pos.Y)
			high.X, high.Y = max(high.X, x.Pos.X), max(high.Y, x.Pos.Y)
		}
	}
	return low, high
}

func same(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 1e-6 }

// If names are left out, the others keep their places.
func TestNamesStandAtTheirPlaces(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprint("n", i))
	}
	p := plot.New()
	Axis{Names: names}.apply(&p.X, -0.5, 39.5, 200, 100, false)
	ticks := p.X.Tick.Marker.Ticks(-0.5, 39.5)
	for _, tick := range ticks {
		if tick.Label != names[int(tick.Value)] {
			t.Errorf("%s stands at %g", tick.Label, tick.Value)
		}
	}
	if len(ticks) < 2 || len(ticks) >= len(names) {
		t.Errorf("%d of %d names", len(ticks), len(names))
	}
}

// An error bar has two standard errors up and down, and a line of many points keeps its peaks.
func TestLinesKeepTheirHeights(t *testing.T) {
	l := Line{Y: []float64{5}, Errors: []float64{2}, Low: []float64{0}, High: []float64{8}}
	if got := l.heights(0, false); !slices.Equal(got, []float64{5, 1, 9, 0, 8}) {
		t.Errorf("%v", got)
	}
	points := make([]vg.Point, 50_000)
	for i := range points {
		points[i] = vg.Point{X: vg.Length(i), Y: 10}
	}
	points[12_345].Y, points[40_000].Y = 11, 9
	out := thinned(points)
	if len(out) > maxPoints || !slices.Contains(out, points[12_345]) || !slices.Contains(out, points[40_000]) {
		t.Errorf("%d points are left, without a peak", len(out))
	}
}

// A line and its band have a gap at a value that is missing, and a value between two gaps is a point.
func TestLinesHaveGaps(t *testing.T) {
	nan := math.NaN()
	y := []float64{1, 2, nan, 4, nan, 6, 7}
	actions, _, _ := record(Chart{Lines: []Line{{Style: Style{Color: Blue, Line: Solid}, Band: Vermilion,
		X: []float64{0, 1, 2, 3, 4, 5, 6}, Y: y, Low: y, High: []float64{3, 4, nan, 6, nan, 8, 9}}}})
	var ink color.Color
	strokes, bands, points := 0, 0, 0
	for _, a := range actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			ink = a.Color
		case *recorder.Stroke:
			if ink == colors[Blue] {
				strokes++
			}
		case *recorder.Fill:
			switch ink {
			case colors[Blue]:
				points++
			case Style{Color: Vermilion, Fill: Pale}.fill():
				bands++
			}
		}
	}
	if strokes != 2 || bands != 3 || points != 1 {
		t.Errorf("%d strokes, %d bands, %d points", strokes, bands, points)
	}
}

// The first row of a heat map that is drawn as one image is at the top, or at the bottom if rows run upwards.
func TestImagesHaveTheirRows(t *testing.T) {
	names := make([]string, 60)
	for _, up := range []bool{false, true} {
		m := Cells{X: Axis{Names: names}, Y: Axis{Names: names}, Up: up, Scale: Scale{High: 1}}
		for x := range names {
			for y := range names {
				m.Cells = append(m.Cells, Cell{X: x, Y: y, Value: map[bool]float64{true: 1}[y == 0 && x > 29]})
			}
		}
		actions, _, _ := record(m)
		i := slices.IndexFunc(actions, func(a recorder.Action) bool { _, ok := a.(*recorder.DrawImage); return ok })
		if i < 0 {
			t.Fatal("no image is drawn")
		}
		picture := actions[i].(*recorder.DrawImage).Image
		size := picture.Bounds().Max
		for _, at := range [][2]int{{0, 0}, {0, size.Y - 1}, {size.X - 1, 0}, {size.X - 1, size.Y - 1}} {
			want := Scale{High: 1}.colour(map[bool]float64{true: 1}[at[0] > 0 && (at[1] > 0) == up])
			if got := picture.At(at[0], at[1]); color.RGBAModel.Convert(got) != color.RGBAModel.Convert(want) {
				t.Errorf("up %v: %v is %v, want %v", up, at, got, want)
			}
		}
	}
}

// The numbers below the colours are round, whole for counts, and do not overlap.
func TestRampsStateTheirValues(t *testing.T) {
	for want, scale := range map[string]Scale{
		"0 10 30 60 100 rows":           {High: 100, Root: true},
		"0 30 110 240 430 rows":         {High: 430.4, Root: true, Whole: true},
		"0 1 2 rows":                    {High: 1.6, Root: true, Whole: true},
		"0 0.3 0.6 0.9 1.23 rows":       {High: 1.234},
		"-12 -1 10 21 31.5 rows":        {Low: -12, High: 31.5},
		"0 30,000,000 456,810,000 rows": {High: 456.81e6, Root: true},
	} {
		var r recorder.Canvas
		c := draw.NewCanvas(&r, 400, 50)
		(&Ramp{Label: "rows", Scale: scale}).draw(c, 30)
		var texts []string
		var places []vg.Length // the middles of the texts
		for _, a := range r.Actions {
			if s, ok := a.(*recorder.FillString); ok {
				texts = append(texts, s.String)
				places = append(places, s.Point.X+letters(8).Width(s.String)/2)
			}
		}
		if got := strings.Join(texts, " "); got != want {
			t.Fatalf("%+v: %s, want %s", scale, got, want)
		}
		last := len(texts) - 2 // the label follows
		for _, x := range scale.ticks() {
			i := slices.Index(texts, scale.text(x))
			if i >= 0 && !same(places[i], places[0]+vg.Length(scale.share(x))*(places[last]-places[0])) {
				t.Errorf("%+v: %s is not below its colour", scale, texts[i])
			}
		}
	}
}

// The length of the scale bar agrees with its label.
func TestTheBarOfScale(t *testing.T) {
	for _, kilometre := range []float64{0.001, 0.1, 1, 30} {
		m := Map{X: []float64{0, 100}, Y: []float64{0, 60}, Values: []float64{1, 1}, Kilometre: kilometre,
			Scale: Scale{High: 1}}
		var r recorder.Canvas
		c := draw.NewCanvas(&r, 300, 200)
		_, _, each := (&places{m}).positions(c)
		(&places{m}).scaleBar(c, each)
		long, text := 0.0, ""
		for _, a := range r.Actions {
			switch a := a.(type) {
			case *recorder.Stroke:
				low, high := ends(a.Path)
				long = float64(high.X-low.X) / float64(each) / kilometre
			case *recorder.FillString:
				text = a.String
			}
		}
		want := Number(math.Round(long*1e6)/1e6) + " km"
		if long < 1 {
			want = Number(math.Round(long*1e6)/1e3) + " m"
		}
		if text != want {
			t.Errorf("a bar of %g km is called %s", long, text)
		}
	}
}

// A bar goes from 0 to its value, to either side.
func TestBarsBeginAtZero(t *testing.T) {
	actions, p, c := record(Rows{Names: []string{"up", "down"}, Marks: []RowMarks{{Style: Style{Color: Blue, Fill: Full},
		Values: []float64{30, -20}}}})
	x, _ := p.Transforms(&c)
	var bars [][2]vg.Length
	for _, a := range actions {
		if f, ok := a.(*recorder.Fill); ok {
			low, high := ends(f.Path)
			bars = append(bars, [2]vg.Length{low.X, high.X})
		}
	}
	want := [][2]vg.Length{{x(0), x(30)}, {x(-20), x(0)}}
	for _, w := range want {
		if !slices.ContainsFunc(bars, func(b [2]vg.Length) bool { return same(b[0], w[0]) && same(b[1], w[1]) }) {
			t.Errorf("no bar from %g to %g: %v", w[0], w[1], bars)
		}
	}
}

// A road has the colour of the mean of its two places.
func TestRoadsHaveTheMeanOfTheirPlaces(t *testing.T) {
	scale := Scale{High: 100}
	actions, _, _ := record(Map{X: []float64{0, 1}, Y: []float64{0, 1}, Values: []float64{0, 100}, Roads: [][2]int{{0, 1}},
		Scale: scale})
	want := scale.colour(scale.at((0.5*shades + 0.5) / shades))
	var seen []color.Color
	for _, a := range actions {
		if s, ok := a.(*recorder.SetColor); ok {
			seen = append(seen, s.Color)
		}
	}
	if !slices.Contains(seen, color.Color(want)) {
		t.Errorf("no road has the colour %v: %v", want, seen)
	}
}
