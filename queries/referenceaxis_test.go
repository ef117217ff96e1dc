package queries

import (
	"math/big"
	"time"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/domain/domaintest"
)

// The values of the columns of times and coordinates in random tables, and the points and time zones of dimensions.
var (
	timePool = []int64{
		0, -1, 1357016399_999999, 1357016400_000000, // the end of 2012 in New York
		1362898799_000000, 1362898800_000000, 1383454800_000000, // clocks change
		-62135596800_000000, 253402300799_000000, 1e17, -6e16,
	}
	latPool = []float64{40.7, 40.75, 40.8, 40.85, 40.9, 40.95, 0, 90, -90.5, -40.7}
	lonPool = []string{"-74", "-73.95", "-73.9", "-73.80", "-73.7", "-73.6", "0", "0.0", "180", "200", "nan", "",
		"-7.39e1", "106"}
	// In pointPool no two points are about equally near to a place of the pools, except the last two, which are equal.
	pointPool = []domain.Point{{ID: "a", Lat: 40.72, Lon: -74.01}, {ID: "b", Lat: 40.78, Lon: -73.93},
		{ID: "c", Lat: 40.86, Lon: -73.8}, {ID: "pole", Lat: 90, Lon: 7}, {ID: "far", Lat: -40.71, Lon: 106.01}, {ID: "again",
			Lat: -40.71, Lon: 106.01}}
	zonePool = zones("", "America/New_York", "Australia/Lord_Howe")
)

// zones returns nil and the time zones that the system knows.
func zones(names ...string) []*time.Location {
	all := []*time.Location{nil}
	for _, n := range names {
		if z, err := time.LoadLocation(n); err == nil {
			all = append(all, z)
		}
	}
	return all
}

// refCells returns the number of cells of a dimension, without the null cell and the other cell.
func refCells(d domain.Dimension) int {
	switch {
	case d.Grid != nil:
		return d.Grid.Rows * d.Grid.Cols
	case d.Nearest != nil:
		return len(d.Nearest.Points)
	case d.TimeField != "":
		return map[string]int{
			"minute_of_hour": 60, "hour_of_day": 24, "hour_of_week": 168, "day_of_week": 7, "day_of_month": 31,
			"week_of_year": 53, "month": 12, "quarter": 4,
		}[d.TimeField]
	}
	return max(len(d.Labels), len(d.Edges)-1)
}

// refAxis returns the cell of a row in a dimension, or -1.
func refAxis(s Spec, d domain.Dimension, t *testTable, row []value) int {
	at := func(column string) (table.Type, value) {
		i := t.schema().Index(column)
		return t.fields[i].Type, row[i]
	}
	null, other := -1, -1
	n := refCells(d)
	if d.Null == domain.OwnCell {
		null, n = n, n+1
	}
	if d.Other == domain.OwnCell {
		other = n
	}
	cell := 0
	switch {
	case d.TimeField != "":
		typ, v := at(d.Column)
		if cell = null; !v.null {
			cell = refTimeField(d.TimeField, typ, v.n, s.Location)
		}
		return cell
	case d.Grid == nil && d.Nearest == nil:
		typ, v := at(d.Column)
		return refCell(d, typ, v)
	case d.Grid != nil:
		lat, lon := refPlace(at, d.Grid.Lat, d.Grid.Lon)
		if lat == nil {
			return null
		}
		cell = refGrid(d.Grid, lat, lon)
	default:
		lat, lon := refPlace(at, d.Nearest.Lat, d.Nearest.Lon)
		if lat == nil {
			return null
		}
		y, _ := lat.Float64()
		x, _ := lon.Float64()
		cell = refNearest(d.Nearest, y, x)
	}
	if cell < 0 {
		return other
	}
	return cell
}

// refTimeField computes a time field with the standard library alone.
func refTimeField(name string, typ table.Type, n int64, zone *time.Location) int {
	at := time.Unix(n*24*3600, 0).UTC()
	if typ.Kind == table.Timestamp {
		perSecond := int64(time.Second) / typ.Unit
		at = time.Unix(n/perSecond, n%perSecond*typ.Unit).UTC()
		if typ.Zone == table.UTC && zone != nil {
			at = at.In(zone)
		}
	}
	monday := (int(at.Weekday()) + 6) % 7
	switch name {
	case "minute_of_hour":
		return at.Minute()
	case "hour_of_day":
		return at.Hour()
	case "hour_of_week":
		return 24*monday + at.Hour()
	case "day_of_week":
		return monday
	case "day_of_month":
		return at.Day() - 1
	case "week_of_year":
		_, week := at.ISOWeek()
		return week - 1
	case "quarter":
		return (int(at.Month()) - 1) / 3
	}
	return int(at.Month()) - 1
}

// refPlace returns a row's coordinates; nil if it has none.
func refPlace(at func(string) (table.Type, value), latColumn, lonColumn string) (lat, lon *big.Rat) {
	coordinate := func(column string, most int64) *big.Rat {
		x, infinite := exactly(at(column))
		if x == nil || infinite != 0 || new(big.Rat).Abs(x).Cmp(big.NewRat(most, 1)) > 0 {
			return nil
		}
		return x
	}
	lat, lon = coordinate(latColumn, 90), coordinate(lonColumn, 180)
	if lat == nil || lon == nil || lat.Sign() == 0 && lon.Sign() == 0 {
		return nil, nil
	}
	return lat, lon
}

// refGrid returns the cell that contains a place, with edges rounded to floats; -1 if there is none.
func refGrid(g *domain.Grid, lat, lon *big.Rat) int {
	line := func(from, to string, n int, x *big.Rat) int {
		edge := func(i int) *big.Rat {
			e := new(big.Rat).Sub(rat(to), rat(from))
			e.Mul(e, big.NewRat(int64(i), int64(n)))
			f, _ := e.Add(e, rat(from)).Float64()
			return new(big.Rat).SetFloat64(f)
		}
		if x.Cmp(edge(n)) == 0 {
			return n - 1
		}
		for i := range n {
			if x.Cmp(edge(i)) >= 0 && x.Cmp(edge(i+1)) < 0 {
				return i
			}
		}
		return -1
	}
	row, col := line(g.South, g.North, g.Rows, lat), line(g.West, g.East, g.Cols, lon)
	if row < 0 || col < 0 {
		return -1
	}
	return row*g.Cols + col
}

// refNearest returns the first of the nearest points; -1 if none is near enough.
func refNearest(n *domain.Nearest, lat, lon float64) int {
	cell, least := -1, n.WithinM
	for i, p := range n.Points {
		if d := domaintest.Vincenty(lat, lon, p.Lat, p.Lon); d < least || d == least && cell < 0 {
			cell, least = i, d
		}
	}
	return cell
}
