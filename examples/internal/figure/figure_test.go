package figure

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A figure with points that a logarithmic axis cannot show is drawn all the same, and is the same each time.
func TestSave(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	f := Figure{
		Columns: 2, Note: "a note",
		Keys: []Key{{"one", Style{Color: Blue, Line: Dashed, Mark: Circle}}},
		Panels: []Panel{
			Chart{Title: "T", X: Axis{Label: "x", Log: true}, Y: Axis{Label: "y", Log: true}, Lines: []Line{
				{Style: Style{Line: Solid, Mark: Square}, X: []float64{0, 1, 10, 100}, Y: []float64{1, -1, 2, math.Inf(1)},
					Errors: []float64{0, 0, 1, 0}},
				{Style: Style{Line: Solid}, X: []float64{1, 1000}, Y: []float64{3, 4000}},
			}},
			Chart{Title: "empty", X: Axis{Log: true}},
			Chart{Title: "third"},
		},
	}
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := f.Save(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	a, b := content(t, dir, "a.png"), content(t, dir, "b.png")
	if picture, err := png.Decode(bytes.NewReader(a)); err != nil || picture.Bounds().Dx() < 900 || !bytes.Equal(a, b) {
		t.Errorf("%d and %d bytes, %v", len(a), len(b), err)
	}
	if svg := string(content(t, dir, "a.svg")); !strings.Contains(svg, "a note") || !strings.Contains(svg, ">one<") {
		t.Error("the drawing lacks the key or the note")
	}
}

func content(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestDecades(t *testing.T) {
	var labels []string
	for _, tick := range (decades{}).Ticks(-4, 1.3) {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	if got := strings.Join(labels, " "); got != "1e-4 1e-3 0.01 0.1 1 10" {
		t.Error(got)
	}
}

// A map has its title and colours, and a value beyond the scale is drawn as the brightest.
func TestMap(t *testing.T) {
	streets := &Streets{X: []float64{0, 100, 100}, Y: []float64{0, 0, 300}, Sections: [][2]int{{0, 1}, {1, 2}}}
	f := Figure{Width: 3, Height: 5, Panels: []Panel{Map{Title: "town", Streets: streets, Values: []float64{-3, 0, 1e9},
		High: 10}, Scale{Label: "events", High: 10}}}
	dir := t.TempDir()
	if err := f.Save(dir, "map"); err != nil {
		t.Fatal(err)
	}
	svg := string(content(t, dir, "map.svg"))
	for _, want := range []string{"town", "events", "#FCFFA4", "#28144B"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the map lacks %s", want)
		}
	}
}
