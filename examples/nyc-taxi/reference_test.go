package main

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// event is a pick-up or drop-off near a junction.
type event struct {
	cab      string
	junction int
}

// reference lists the events of an hour ("2013-01-01 00") near a junction, in the plainest way: every event is compared
// with every junction.
func reference(t *testing.T, data, hour string) (events []event, junctions int) {
	t.Helper()
	points := records(t, filepath.Join(data, junctionsFile))
	places := make([]place, len(points))
	for i, p := range points {
		places[i] = place{number(p[1]), number(p[2])}
	}
	files, err := filepath.Glob(filepath.Join(data, tripsPattern))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		for _, trip := range records(t, path) {
			for _, at := range [][3]string{{trip[2], trip[4], trip[5]}, {trip[3], trip[6], trip[7]}} {
				if at[0][:len(hour)] != hour || at[1] == "" || at[2] == "" {
					continue
				}
				if j := nearest(places, place{number(at[1]), number(at[2])}); j >= 0 {
					events = append(events, event{trip[0], j})
				}
			}
		}
	}
	return events, len(places)
}

// records returns a CSV file's records without the header.
func records(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := csv.NewReader(f)
	if filepath.Ext(path) == ".gz" {
		unzipped, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		text = csv.NewReader(unzipped)
	}
	all, err := text.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[1:]
}

func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// place is a latitude and a longitude, in degrees.
type place struct{ lat, lon float64 }

// nearest returns the nearest of places within 150 m, -1 if there is none.
func nearest(places []place, p place) int {
	best, within := -1, 150.0
	for i, q := range places {
		if math.Abs(p.lat-q.lat) > 0.01 { // more than a kilometre
			continue
		}
		if d := metres(p, q); d <= within && (best < 0 || d < within) {
			best, within = i, d
		}
	}
	return best
}

// metres is the distance of two near places, in the plane that touches the WGS84 ellipsoid at their middle latitude. At
// 150 m it is exact to a millimetre; far places are far all the same.
func metres(p, q place) float64 {
	const a, e2, degree = 6378137.0, 0.00669437999014, math.Pi / 180
	sin, cos := math.Sincos((p.lat + q.lat) / 2 * degree)
	w := 1 - e2*sin*sin
	north := (p.lat - q.lat) * degree * a * (1 - e2) / (w * math.Sqrt(w)) // the meridian's radius of curvature
	east := (p.lon - q.lon) * degree * a / math.Sqrt(w) * cos             // the prime vertical's
	return math.Hypot(north, east)
}
