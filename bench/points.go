package main

import (
	"fmt"
	"io"
	"math/rand/v2"
)

// The public points: as many as Manhattan has junctions, in the area of the trips. Half of them are in a tenth of the
// area, as in a city.
const (
	pointCount = 3874
	amongThem  = `lat: lat, lon: lon, points: points.csv, id: point, within_m: 500`
)

// point is a position in degrees.
type point struct{ lat, lon float64 }

// publicPoints returns the same points every time.
func publicPoints() []point {
	rng := rand.New(rand.NewPCG(40, 74))
	points := make([]point, pointCount)
	for i := range points {
		lat, lon := rng.Float64(), rng.Float64()
		if i%2 == 0 {
			lat, lon = 0.3+0.4*lat, 0.2+0.25*lon
		}
		points[i] = point{40.6 + 0.35*lat, -74.1 + 0.4*lon}
	}
	return points
}

func writePoints(w io.Writer) error {
	if _, err := io.WriteString(w, "point,lat,lon\n"); err != nil {
		return err
	}
	for i, p := range publicPoints() {
		if _, err := fmt.Fprintf(w, "%d,%.7f,%.7f\n", i, p.lat, p.lon); err != nil {
			return err
		}
	}
	return nil
}

// How DuckDB finds the nearest point: it joins each row with the points of the nine squares around it. A square is
// 0.005 degrees of latitude by 0.006 of longitude, more than 500 m each way, so no point within 500 m is missed.
// Distances are planar, as a careful user would compute them.
const (
	square = `floor(lat * 200)::INT AS y, floor(lon / 0.006)::INT AS x`
	around = `(SELECT point, lat, lon, y + dy AS y, x + dx AS x FROM (SELECT *, ` + square +
		` FROM POINTS), (SELECT unnest([-1, 0, 1]) AS dy), (SELECT unnest([-1, 0, 1]) AS dx))`
	metres2 = `12364328025 * (pow(a.lat - b.lat, 2) + 0.573049 * pow(a.lon - b.lon, 2))`
)

// nearestSQL counts the rows at each point.
const nearestSQL = `SELECT point, count(*) AS n FROM (SELECT arg_min(b.point, ` + metres2 + `) AS point, min(` +
	metres2 + `) AS d ` +
	`FROM (SELECT row_number() OVER () AS id, lat, lon, ` + square + ` FROM TABLE) a JOIN ` + around +
	` b USING (y, x) GROUP BY a.id) WHERE d <= 250000 GROUP BY point`

// kernelSQL spreads the counts of the points over the points around them.
const kernelSQL = `WITH counts AS (` + nearestSQL + `), pairs AS (SELECT a.point AS near, b.point, exp(` + metres2 +
	` / -45000) AS w FROM POINTS a JOIN POINTS b ` +
	`ON abs(a.lat - b.lat) < 0.006 AND abs(a.lon - b.lon) < 0.008 WHERE ` + metres2 + ` <= 360000), ` +
	`shares AS (SELECT near, point, w / sum(w) OVER (PARTITION BY near) AS w FROM pairs) ` +
	`SELECT shares.point, sum(n * w) FROM counts JOIN shares ON counts.point = shares.near GROUP BY shares.point`
