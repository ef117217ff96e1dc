package main

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
)

// event is a pick-up or a drop-off, assigned to its nearest junction.
type event struct {
	cab      string
	junction int
}

// place is a latitude and a longitude, in degrees.
type place struct{ lat, lon float64 }

// junctions reads the positions of the junctions.
func junctions(data string) ([]place, error) {
	rows, err := readTable(filepath.Join(data, junctionsFile))
	if err != nil {
		return nil, err
	}
	places := make([]place, len(rows))
	for i, p := range rows {
		places[i] = place{number(p[1]), number(p[2])}
	}
	return places, nil
}

// eventsOf returns the events of an hour ("2013-01-01 00") near a junction. The code is as simple as possible, since it
// checks the program: it compares every event with every junction.
func eventsOf(data, hour string, places []place) (events []event, err error) {
	files, err := filepath.Glob(filepath.Join(data, tripsPattern))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		trips, err := readTable(path)
		if err != nil {
			return nil, err
		}
		for _, trip := range trips {
			for _, at := range [][3]string{{trip[2], trip[4], trip[5]}, {trip[3], trip[6], trip[7]}} {
				if len(at[0]) < len(hour) || at[0][:len(hour)] != hour || at[1] == "" || at[2] == "" {
					continue
				}
				if j := nearest(places, place{number(at[1]), number(at[2])}); j >= 0 {
					events = append(events, event{trip[0], j})
				}
			}
		}
	}
	return events, nil
}

// readTable returns the records of a CSV file without the header.
func readTable(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text io.Reader = f
	if filepath.Ext(path) == ".gz" {
		if text, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	all, err := csv.NewReader(text).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s is empty", filepath.Base(path))
	}
	return all[1:], nil
}

func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// nearest returns the index of the nearest place within 150 m, or -1 if there is none.
func nearest(places []place, p place) int {
	best, within := -1, 150.0
	for i, q := range places {
		if math.Abs(p.lat-q.lat) > 0.01 { // the places are more than a kilometre apart
			continue
		}
		if d := metres(p, q); d <= within && (best < 0 || d < within) {
			best, within = i, d
		}
	}
	return best
}

// metres returns the distance of two places that are near each other, in the plane that touches the WGS84 ellipsoid at
// their middle latitude. At 150 m it is exact to a millimetre. At large distances it is inexact but large.
func metres(p, q place) float64 {
	north, east := offset(p, q)
	return math.Hypot(north, east)
}

// offset returns how far p lies north and east of q.
func offset(p, q place) (north, east float64) {
	const a, e2, degree = 6378137.0, 0.00669437999014, math.Pi / 180
	sin, cos := math.Sincos((p.lat + q.lat) / 2 * degree)
	w := 1 - e2*sin*sin
	north = (p.lat - q.lat) * degree * a * (1 - e2) / (w * math.Sqrt(w)) // with the radius of curvature of the meridian
	east = (p.lon - q.lon) * degree * a / math.Sqrt(w) * cos             // of the prime vertical
	return north, east
}
