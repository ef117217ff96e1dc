package main

import (
	"math"
	"path/filepath"

	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/report/picture"
)

// manhattan holds the public facts about the city: its junctions and the sections of street between them.
type manhattan struct {
	places  []place
	roads   *denoise.Graph
	streets picture.Map // the map's points and roads, without values
}

// readCity reads the public files in the folder data.
func readCity(data string) (*manhattan, error) {
	places, err := junctions(data)
	if err != nil {
		return nil, err
	}
	rows, err := readTable(filepath.Join(data, sectionsFile))
	if err != nil {
		return nil, err
	}
	edges := make([]denoise.Edge, len(rows))
	streets := drawn(places)
	for i, r := range rows {
		u, v := int(number(r[0])), int(number(r[1]))
		edges[i] = denoise.Edge{U: u, V: v, W: 1, Length: number(r[2])}
		streets.Roads = append(streets.Roads, [2]int{u, v})
	}
	// As in a job, parallel sections are one edge of weight 1.
	roads, err := denoise.NewGraph(denoise.Shape{Dims: []int{len(places)}, Ordered: []bool{false}}, 0, simple(edges))
	return &manhattan{places, roads, streets}, err
}

// simple returns the edges without loops, and of parallel edges only the shortest.
func simple(edges []denoise.Edge) (out []denoise.Edge) {
	at := map[[2]int]int{}
	for _, e := range edges {
		pair := [2]int{min(e.U, e.V), max(e.U, e.V)}
		i, there := at[pair]
		switch {
		case e.U == e.V:
		case !there:
			at[pair] = len(out)
			out = append(out, e)
		case e.Length < out[i].Length:
			out[i] = e
		}
	}
	return out
}

// drawn returns a map of the junctions as the figures show it: rotated so that the avenues run upwards.
func drawn(places []place) (s picture.Map) {
	sin, cos := math.Sincos(heading)
	for _, p := range places {
		north, east := offset(p, place{southLat, southLon})
		s.X = append(s.X, east*cos-north*sin)
		s.Y = append(s.Y, north*cos+east*sin)
	}
	return s
}

// histogram counts events by junction.
func (c *manhattan) histogram(events []event) []float64 {
	f := make([]float64, len(c.places))
	for _, e := range events {
		f[e.junction]++
	}
	return f
}

// shares returns the junctions near a junction, and which fraction of an event each of them gets. The fractions follow
// a normal density of standard deviation h metres, cut off at 4h, and sum to 1.
func (c *manhattan) shares(junction int, h float64) (near []int, share []float64) {
	total := 0.0
	for j, p := range c.places {
		if d := metres(p, c.places[junction]); d <= 4*h {
			w := math.Exp(-d * d / (2 * h * h))
			near, share, total = append(near, j), append(share, w), total+w
		}
	}
	for i := range share {
		share[i] /= total
	}
	return near, share
}

// spread returns a histogram in which each event is spread over the junctions near it, by shares.
func (c *manhattan) spread(events []event, h float64) []float64 {
	f := make([]float64, len(c.places))
	for i, n := range c.histogram(events) {
		if n == 0 {
			continue
		}
		near, share := c.shares(i, h)
		for k, j := range near {
			f[j] += n * share[k]
		}
	}
	return f
}
