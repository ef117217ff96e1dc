// Package domain knows the cells of a query and finds the cell of a row: dimensions (listed values, edges, time fields,
// grids, nearest points), the filters that leave rows out, and the coders that read columns by their type.
//
// A [Dimension] is a dimension as the job states it. [NewAxes] checks it and makes an [Axis], whose cells are numbered
// from 0. [NewGrouping] compiles axes for a schema and finds the cell of each row of a batch, as a number in mixed
// radix. Everything here is public except the batches.
package domain

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/queries/problem"
)

// Policy determines what happens to a row whose value is null or outside the domain.
type Policy string

// Drop leaves the row out of the query (the default); OwnCell counts it in a cell of its own.
const (
	Drop    Policy = "drop"
	OwnCell Policy = "bin"
)

// The labels of the cells that OwnCell adds, after all other cells and in this order.
const (
	nullLabel  = "null"
	otherLabel = "other"
)

// Label is a cell of a values dimension and the source texts that belong to it (at least one).
type Label struct {
	Name    string
	Members []string
}

// Dimension is one public axis of a histogram. Exactly one of Labels, Edges, TimeField, Grid, Nearest and Discover is
// set.
//
// Labels: a row belongs to the label of which a member equals the column's value. In numeric columns members are
// decimal numbers, compared by value ("1" is 1.0); in columns of floats, as the nearest float. In other columns they
// are true and false, dates and times compared by instant, or texts compared byte by byte. Infinite values belong to no
// label.
//
// Edges: a row belongs to the cell [a, b) of its value; the last cell includes b. Edges are all decimal numbers, or all
// dates and times. Numbers are compared exactly with integers, and as the nearest float with floats. Text columns are
// read as numbers; a text that is not a number is null. Infinite values belong to the first or the last cell.
//
// TimeField: a row belongs to the cell of the field that a clock or a calendar shows at its time: minute_of_hour (0 to
// 59), hour_of_day (0 to 23), hour_of_week (0 to 167, from Monday 00:00), day_of_week (Monday to Sunday), day_of_month
// (1 to 31), week_of_year (ISO 8601, 1 to 53), month (1 to 12), quarter (1 to 4). Instants are read in the spec's
// Location, times without a zone as they stand; dates have no hour and no minute. The calendar is the Gregorian one at
// all times.
//
// Grid and Nearest name two columns, of latitudes and longitudes, and Column is empty: see [Grid] and [Nearest].
//
// Null is the policy for nulls and NaN, Other the policy for all values that belong to no label or cell.
type Dimension struct {
	Column string
	// As is the name of the key column in the answer. If it is empty, the name is Column, or Nearest.Name. A grid has
	// two key columns: <As>_row and <As>_col, or row and col.
	As     string
	Labels []Label
	// Edges are source texts in ascending order. LastOpen is set if the last cell does not include its upper edge.
	Edges     []string
	LastOpen  bool
	TimeField string
	Grid      *Grid
	Nearest   *Nearest
	// Discover is set if the keys are the column's values, as many as are selected; see [calibrate.KeySelection].
	Discover bool
	// Fold describes which differences between texts do not count, for Labels and Discover and in text columns.
	// Discovered keys are folded texts.
	Fold  Fold
	Null  Policy
	Other Policy
	// Levels are groups of the cells, each level within the one before; the last level is the cells themselves. It is
	// nil if the cells are in no groups.
	Levels []Level
}

// Level is one of several public groupings of the cells of a dimension with Labels or Edges.
type Level struct {
	Name string
	// Groups[i] is the group of cell i: numbers from 0 on that rise by 0 or 1 from cell to cell.
	Groups []int32
	// Labels names the groups of a dimension with Labels. Edges are the edges of the groups of one with Edges.
	Labels, Edges []string
}

// Grid divides a box of latitudes and longitudes into Rows x Cols cells of equal width. Row 0 is at the south, column 0
// at the west. A cell includes its south and west edges; the last row and column also include the north and east edges
// of the box.
//
// The edges are exact fractions of the box, and a coordinate is compared with the float nearest to an edge. So a
// decimal of up to 15 digits is on the side of an edge that its digits show, and no place is further than 3e-14
// degrees, 4 nanometres, from its cell.
type Grid struct {
	Lat, Lon                 string // columns
	South, West, North, East string // decimal degrees
	Rows, Cols               int
}

// Nearest has a cell for each of some public points. A place belongs to the nearest point, if the distance is at most
// WithinM metres; of several equally near points, to the first.
//
// Distances are lengths of geodesics on WGS84. They are computed from the straight line between two places in space,
// within 2 mm of the exact value up to 50 km and within 13 m up to 1000 km; points whose distances differ by less may
// count as equally near. Poles and the 180th meridian need no special treatment.
type Nearest struct {
	Lat, Lon string // columns
	Points   []Point
	WithinM  float64
	Name     string // name of the key column if As is empty: the name of the points' identifiers
	// BandwidthM spreads each row over the points around its own, by a normal density with this standard deviation in
	// metres, cut off at four standard deviations. If it is 0, rows are not spread.
	BandwidthM float64
}

// Point is a public place, in decimal degrees on WGS84.
type Point struct {
	ID       string
	Lat, Lon float64
}

// forms lists the forms of dimensions; a new form is entered here. Each has the key of the job, a test whether a
// dimension has the form, and a function that makes the domain. That function reports errors and returns nil; it also
// returns nil if the cells are not known before the data is read.
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

// Forms returns the job keys of the forms that are set: exactly one in a valid dimension.
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

// CheckForm reports a dimension without a column, or with none or several forms.
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

// Separates reports whether rows with different values of the column never share a cell. Different texts may both be
// null, if they are not of the column's type.
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

// KeyName returns the name of the key column of a dimension with one column.
func (d *Dimension) KeyName() string {
	if d.As != "" {
		return d.As
	}
	return d.Column
}
