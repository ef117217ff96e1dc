package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// city is an invented city: a grid of streets at the position of Manhattan, and one hour of cabs in it. The seed is
// fixed.
type city struct{ trips, cabs int }

const syntheticTrips = "nyc_synthetic_trips.csv.gz"

// The grid of 149 streets and 26 avenues has 3,874 junctions.
const (
	streets, avenues            = 149, 26
	streetMetres, avenueMetres  = 130.0, 105.0
	southLat, southLon, heading = 40.702, -74.016, 29 * math.Pi / 180 // degrees, degrees, radians east of north
	metresPerDegree             = 111_320.0
)

// junction returns the latitude and longitude of the corner of a street and an avenue.
func junction(street, avenue float64) (lat, lon float64) {
	up, across := street*streetMetres, avenue*avenueMetres
	north := up*math.Cos(heading) - across*math.Sin(heading)
	east := up*math.Sin(heading) + across*math.Cos(heading)
	return southLat + north/metresPerDegree, southLon + east/(metresPerDegree*math.Cos(southLat*math.Pi/180))
}

func (c city) write(dir string) error {
	var junctions bytes.Buffer
	junctions.WriteString(junctionsHeader + "\n")
	for i := range streets * avenues {
		lat, lon := junction(float64(i/avenues), float64(i%avenues))
		fmt.Fprintf(&junctions, "%d,%.6f,%.6f,%d\n", i, lat, lon, i)
	}
	if err := os.WriteFile(filepath.Join(dir, junctionsFile), junctions.Bytes(), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, sectionsFile), sections(), 0o600); err != nil {
		return err
	}
	trips, err := c.hour()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, syntheticTrips), trips, 0o600)
}

// sections returns the file of the streets between neighbouring junctions.
func sections() []byte {
	var out bytes.Buffer
	out.WriteString(sectionsHeader + "\n")
	for i := range streets * avenues {
		if i%avenues < avenues-1 {
			fmt.Fprintf(&out, "%d,%d,%.1f,0\n", i, i+1, avenueMetres)
		}
		if i/avenues < streets-1 {
			fmt.Fprintf(&out, "%d,%d,%.1f,0\n", i, i+avenues, streetMetres)
		}
	}
	return out.Bytes()
}

// hour returns the file of trips.
func (c city) hour() ([]byte, error) {
	d := drive{rand.New(rand.NewPCG(2013, 3874)), c.cabs}
	var lines strings.Builder
	lines.WriteString(tripsHeader + "\n")
	for range c.trips {
		lines.WriteString(d.trip())
	}
	var out bytes.Buffer
	text := gzip.NewWriter(&out)
	if _, err := text.Write([]byte(lines.String())); err != nil {
		return nil, err
	}
	if err := text.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// drive writes invented trips.
type drive struct {
	*rand.Rand
	cabs int
}

// trip writes one line. Few cabs make many trips, because the squares of uniform numbers are mostly near zero.
func (d drive) trip() string {
	u := d.Float64()
	cab := 1 + int(u*math.Sqrt(u)*float64(d.cabs))
	start := time.Date(2013, 1, 1, 0, d.IntN(57), 0, 0, time.UTC)
	end := start.Add(time.Duration(1+d.IntN(15)) * time.Minute)
	return fmt.Sprintf("%d,%d,%s,%s,%s,%s\n", cab, cab, start.Format(time.DateTime), end.Format(time.DateTime),
		d.position(), d.position())
}

// position returns a random position near a junction, more often in the middle of the island. One in fifty positions is
// missing, in one of the two forms in which the real table has it.
func (d drive) position() string {
	switch d.IntN(100) {
	case 0:
		return ","
	case 1:
		return "0.000000,0.000000"
	}
	street := min(max(55+25*d.NormFloat64(), 0), streets-1)
	avenue := min(max(12+5*d.NormFloat64(), -8), avenues+8) // some of the positions are in the rivers
	lat, lon := junction(street, avenue)
	return fmt.Sprintf("%.6f,%.6f", lat, lon)
}
