package domain

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// Places: dimensions that read two columns, a latitude and a longitude in decimal degrees on WGS84
//
// A row has no place, and the policy for nulls applies, in three cases: if a coordinate is null or not a number, if the
// latitude is not in [-90, 90] or the longitude not in [-180, 180], or if both are 0. GPS devices write 0, 0 if they do
// not know the position.

// pointDomain is a domain whose cells depend on a place (latitude and longitude).
type pointDomain interface {
	domain
	// places returns the names of the columns of latitude and longitude, and the path of both, relative to the dimension.
	places() (lat, lon, field string)
	// coding returns the coding of places. The caller sets the codes Null and Other.
	coding() Coding
}

// locator returns the cell of a place.
type locator interface{ cell(lat, lon float64) int32 }

// columnLocator is a locator that can also process whole columns, which is faster.
type columnLocator interface {
	locator
	// columnCells sets dst[i] to the cell of place i. If the place is on an edge or outside of all cells, it calls code
	// instead.
	columnCells(dst []int32, lat, lon []float64, code func(lat, lon float64) int32)
}

// newPointCoder returns the coder for a coding of places.
func newPointCoder(c *Coding, cells locator, l BatchColumns) RowCoder {
	at := c.Columns()
	return &pointCoder{lat: l.coordinates(at[0], ""), lon: l.coordinates(at[1], ""), cells: cells, null: c.Null}
}

// checkPlaceColumns reports a missing column, or a latitude and longitude in the same column.
func checkPlaceColumns(lat, lon, field string, p *problem.Problems) {
	if lat == "" || lon == "" {
		p.Add(field, problem.CodeBadSpec, "a place needs two columns, lat and lon", "")
	} else if lat == lon {
		p.Add(field+".lon", problem.CodeDuplicate, fmt.Sprintf("column %q holds both latitudes and longitudes", lat), "")
	}
}

// pointCoder maps the rows of batches to the cells of an axis of places (latitude and longitude).
type pointCoder struct {
	lat, lon Coordinates
	cells    locator
	null     int32
	codes    []int32
}

func (c *pointCoder) OfRows(b *table.Batch) ([]int32, error) {
	lat, err := c.lat.OfRows(b)
	if err != nil {
		return nil, err
	}
	lon, err := c.lon.OfRows(b)
	if err != nil {
		return nil, err
	}
	c.codes = columnar.Resize(c.codes, b.Rows)
	if cells, ok := c.cells.(columnLocator); ok { // the caller drops the rows that filters dropped
		cells.columnCells(c.codes, lat, lon, c.code)
		return c.codes, nil
	}
	for i := range c.codes {
		c.codes[i] = columnar.Dropped
		if b.Keep == nil || b.Keep[i] {
			c.codes[i] = c.code(lat[i], lon[i])
		}
	}
	return c.codes, nil
}

func (c *pointCoder) code(lat, lon float64) int32 {
	if !onEarth(lat, lon) || lat == 0 && lon == 0 {
		return c.null
	}
	return c.cells.cell(lat, lon)
}

// onEarth reports whether the coordinates are in range. It returns false for NaN.
func onEarth(lat, lon float64) bool { return math.Abs(lat) <= 90 && math.Abs(lon) <= 180 }
