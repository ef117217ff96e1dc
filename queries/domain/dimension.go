// Package domain knows the cells of a query and finds the cell of a row: dimensions (listed values, edges, time fields,
// grids, nearest points), the filters that leave rows out, and the coders that read columns by their type.
//
// A [Dimension] is a dimension as the job states it. [NewAxes] checks it and makes an [Axis], whose cells are numbered
// from 0. [NewGrouping] compiles several axes for a schema and numbers the cells of all axes together, as a number in
// mixed radix. Everything here is public except the batches.
package domain

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/queries/problem"
)

// Policy determines what happens to a row whose value is null or outside the domain.
type Policy string

// Drop leaves the row out of the query (the default). OwnCell counts it in an extra cell, the null cell or the other
// cell.
const (
	Drop    Policy = "drop"
	OwnCell Policy = "bin"
)

// The labels of the null cell and the other cell, which OwnCell adds after all other cells, in this order.
const (
	nullLabel  = "null"
	otherLabel = "other"
)

// Label is a cell of a dimension with listed values, and the values (at least one) that belong to it. Values are texts
// of the job.
type Label struct {
	Name    string
	Members []string
}

// Dimension is one public axis of a histogram. Exactly one of Labels, Edges, TimeField, Grid, Nearest and Discover is
// set.
//
// Labels: a row belongs to a label if the column's value equals one of the label's members. The column's type decides
// how members are read: decimal numbers, compared by value ("1" is 1.0) and in columns of floats as the nearest float;
// true and false; dates and times, compared by instant; texts, compared byte by byte. Infinite values belong to no
// label.
//
// Edges: a row belongs to the cell [a, b) that holds its value; the last cell includes b. The edges are all decimal
// numbers, or all dates and times. A number is compared with integers exactly, and with floats as the nearest float.
// Text columns are read as numbers; a text that is not a number is null. Infinite values belong to the first or the
// last cell.
//
// TimeField: a row belongs to the cell of the named field of its time: minute_of_hour (0 to 59), hour_of_day (0 to 23),
// hour_of_week (0 to 167, from Monday 00:00), day_of_week (Monday to Sunday), day_of_month (1 to 31), week_of_year (ISO
// 8601, 1 to 53), month (1 to 12), quarter (1 to 4). Instants are converted to the spec's Location; times without a
// zone are not converted. Dates have no hour and no minute. The calendar is Gregorian for all years.
//
// Grid and Nearest name two columns, of latitudes and longitudes, and Column is empty: see [Grid] and [Nearest].
//
// Null is the policy for nulls and NaN, Other the policy for all values that belong to no label or cell.
type Dimension struct {
	Column string
	// As is the name of the answer's key column. If As is empty, the key column is called as Column, or as Nearest.Name. A
	// grid has two key columns: <As>_row and <As>_col, or row and col.
	As     string
	Labels []Label
	// Edges are texts of the job, in ascending order. LastOpen is set if the last cell does not include its upper edge.
	Edges     []string
	LastOpen  bool
	TimeField string
	Grid      *Grid
	Nearest   *Nearest
	// Discover is set if the keys are the column's values that partition selection finds; see [calibrate.KeySelection].
	Discover bool
	// Fold selects differences between texts that are ignored, such as upper case. It applies to Labels and Discover in
	// text columns. Discovered keys are folded texts.
	Fold  Fold
	Null  Policy
	Other Policy
	// Levels group the cells, from the coarsest level to the finest, which is the cells themselves: for example regions,
	// then cities. nil if the cells are not grouped.
	Levels []Level
}

// Level is one public grouping of the cells of a dimension with Labels or Edges.
type Level struct {
	Name string
	// Groups[i] is the group of cell i. Groups are numbered from 0 in the order of the cells: the number stays or rises by
	// 1 from cell to cell.
	Groups []int32
	// Labels are the names of the groups if the dimension has Labels. Edges are the edges of the groups if it has Edges.
	Labels, Edges []string
}

// Grid divides a box of latitudes and longitudes into Rows x Cols cells of equal width. Row 0 is at the south, column 0
// at the west. A cell includes its south and west edges; the last row and column also include the north and east edges
// of the box.
//
// The edges divide the box exactly; a coordinate is compared with the float nearest to an edge. So a decimal of up to
// 15 digits is compared correctly, and no place is further than 3e-14 degrees (4 nanometres) from its cell.
type Grid struct {
	Lat, Lon                 string // columns
	South, West, North, East string // decimal degrees
	Rows, Cols               int
}

// Nearest has one cell for each public point. A place belongs to its nearest point if that is at most WithinM metres
// away; if several points are equally near, to the first.
//
// Distances are lengths of geodesics on WGS84. They are computed from the straight line between two places in space,
// within 2 mm of the exact value up to 50 km and within 13 m up to 1000 km; points whose distances differ by less may
// count as equally near. Poles and the 180th meridian need no special treatment.
type Nearest struct {
	Lat, Lon string // columns
	Points   []Point
	WithinM  float64
	Name     string // the key column's name if As is empty: the header of the points' identifiers
	// BandwidthM spreads each row over the points around its own, by a normal density with this standard deviation in
	// metres, cut off at four standard deviations. If it is 0, rows are not spread.
	BandwidthM float64
}

// Point is a public place, in decimal degrees on WGS84.
type Point struct {
	ID       string
	Lat, Lon float64
}

// forms lists the forms of dimensions. Add a new form here. Each entry has the form's key in the job, a test whether a
// dimension has the form, and a function that makes the domain. The function reports errors and then returns nil. It
// also returns nil if the cells are not known before the data is read.
var forms = []struct {
	key string
	has func(d *Dimension) bool
	new func(d Dimension, zone *time.Location, field string, p *problem.Problems) domain
}{
	{"values", func(d *Dimension) bool { return len(d.Labels) > 0 },
		func(d Dimension, zone *time.Location, _ string, _ *problem.Problems) domain {
			return newLabels(d.Labels, d.Fold, zone)
		}},
	{"edges", func(d *Dimension) bool { return len(d.Edges) > 0 },
		func(d Dimension, zone *time.Location, field string, p *problem.Problems) domain {
			return newEdges(d.Edges, zone, d.LastOpen, field, p)
		}},
	{"part", func(d *Dimension) bool { return d.TimeField != "" },
		func(d Dimension, zone *time.Location, field string, p *problem.Problems) domain {
			return newTimeField(d.TimeField, zone, field, p)
		}},
	{"nearest", func(d *Dimension) bool { return d.Nearest != nil },
		func(d Dimension, _ *time.Location, field string, p *problem.Problems) domain {
			return newNearest(d, field, p)
		}},
	{"grid", func(d *Dimension) bool { return d.Grid != nil },
		func(d Dimension, _ *time.Location, field string, p *problem.Problems) domain {
			return newGrid(d, field, p)
		}},
	{"keys", func(d *Dimension) bool { return d.Discover }, nil},
}

// Forms returns the job's keys of the forms that are set. A valid dimension has exactly one.
func (d *Dimension) Forms() (keys []string) {
	for i := range forms {
		if forms[i].has(d) {
			keys = append(keys, forms[i].key)
		}
	}
	return keys
}

// newDomain makes the domain of the form that a dimension has.
func newDomain(d Dimension, zone *time.Location, field string, p *problem.Problems) domain {
	if len(d.Forms()) != 1 {
		return nil // reported already
	}
	for i := range forms {
		if f := &forms[i]; f.has(&d) && f.new != nil {
			return f.new(d, zone, field+"."+f.key, p)
		}
	}
	return nil
}

// CheckForm reports a dimension that has no column, or not exactly one form.
func CheckForm(d Dimension, field string, p *problem.Problems) {
	place := d.Grid != nil || d.Nearest != nil
	switch {
	case d.Column == "" && !place:
		p.Add(field+".column", problem.CodeBadSpec, "a dimension needs a column", "")
	case d.Column != "" && place:
		p.Add(field+".column", problem.CodeBadSpec, "a grid or nearest names its own columns", "remove column")
	}
	if len(d.Forms()) != 1 {
		p.Add(field, problem.CodeBadSpec, "a dimension needs values, edges, part, grid, nearest or discover, one of them", "")
	}
}

// Separates reports whether rows with different values never share a cell. Exception: texts that are not of the
// column's type are all null.
func (d *Dimension) Separates() bool {
	if d.Fold.Any() || d.Other == OwnCell || d.Null == OwnCell {
		return false
	}
	several := func(l Label) bool { return len(l.Members) > 1 }
	return d.Discover || len(d.Labels) > 0 && !slices.ContainsFunc(d.Labels, several)
}

// Columns returns the columns that a dimension reads.
func (d *Dimension) Columns() []string {
	switch {
	case d.Grid != nil:
		return []string{d.Grid.Lat, d.Grid.Lon}
	case d.Nearest != nil:
		return []string{d.Nearest.Lat, d.Nearest.Lon}
	}
	return []string{d.Column}
}

func checkPolicy(x Policy, field string, p *problem.Problems) {
	if x != "" && x != Drop && x != OwnCell {
		p.Add(field, problem.CodeBadValue, fmt.Sprintf("%q is not a policy", x), "policies: drop, bin")
	}
}

// KeyName returns the name of the answer's key column, for a dimension with one column.
func (d *Dimension) KeyName() string {
	if d.As != "" {
		return d.As
	}
	return d.Column
}
