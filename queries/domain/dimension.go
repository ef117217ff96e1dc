// Package domain finds the cell of each row of a query. It knows the dimensions of queries (listed values, edges, time
// fields, grids, nearest points), the filters that drop rows, and the coders that read columns by their type.
//
// A [Dimension] is a dimension as the job states it. [NewAxes] checks it and returns an [Axis], whose cells are
// numbered from 0. [NewGrouping] combines several axes for a schema: it numbers the cells of all axes together, as a
// mixed-radix number. Everything here is public except the batches.
package domain

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/queries/problem"
)

// Policy determines what happens to a row whose value is null or outside the domain.
type Policy string

// Drop means that the row is not counted (the default). OwnCell means that the row is counted in an extra cell, the
// null cell or the other cell.
const (
	Drop    Policy = "drop"
	OwnCell Policy = "bin"
)

// The labels of the null cell and the other cell. OwnCell adds these after all other cells, in this order.
const (
	nullLabel  = "null"
	otherLabel = "other"
)

// Label is a cell of a dimension with listed values, together with the values that belong to it (at least one). Values
// are texts from the job.
type Label struct {
	Name    string
	Members []string
}

// Dimension is one public axis of a histogram. Exactly one of Labels, Edges, TimeField, Grid, Nearest and Discover is
// set.
//
// Labels: a row belongs to a label if the column's value equals one of the label's members. The column's type decides
// how members are read. Decimal numbers are compared by value ("1" is 1.0), in columns of floats as the nearest float.
// Dates and times are compared by instant, and texts byte by byte. Booleans are true and false. Infinite values belong
// to no label.
//
// Edges: a row belongs to the cell [a, b) that contains its value; the last cell includes b. Either all edges are
// decimal numbers, or all are dates and times. A number is compared with integers exactly, and with floats as the
// nearest float. Text columns are read as numbers; a text that is not a number is null. Infinite values belong to the
// first or the last cell.
//
// TimeField: a row belongs to the cell of the named field of its time: minute_of_hour (0 to 59), hour_of_day (0 to 23),
// hour_of_week (0 to 167, from Monday 00:00), day_of_week (Monday to Sunday), day_of_month (1 to 31), week_of_year (ISO
// 8601, 1 to 53), month (1 to 12), quarter (1 to 4). Instants are converted to the time zone of the query; times
// without a time zone are not converted. Dates have no hour and no minute. The calendar is Gregorian for all years.
//
// Grid and Nearest name two columns, of latitudes and longitudes, and Column is empty: see [Grid] and [Nearest].
//
// Null is the policy for nulls and NaN. Other is the policy for all values that belong to no label or cell.
type Dimension struct {
	Column string
	// As is the name of the answer's key column. If As is empty, the key column has the name Column, or Nearest.Name. A
	// grid has two key columns: <As>_row and <As>_col, or row and col.
	As     string
	Labels []Label
	// Edges are texts from the job, in ascending order. LastOpen is set if the last cell does not include its upper edge.
	Edges     []string
	LastOpen  bool
	TimeField string
	Grid      *Grid
	Nearest   *Nearest
	// Discover is set if the keys are values of the column that private partition selection finds; see
	// [calibrate.KeySelection].
	Discover bool
	// Fold lists the differences between texts that are ignored, such as upper case. It applies to Labels and Discover in
	// text columns. Discovered keys are folded texts.
	Fold  Fold
	Null  Policy
	Other Policy
	// Levels are groupings of the cells, for example regions, then cities, from the coarsest to the finest. The finest
	// level has one group for each cell. Levels is nil if the cells are not grouped.
	Levels []Level
}

// Level is one public grouping of the cells of a dimension with Labels or Edges.
type Level struct {
	Name string
	// Groups[i] is the group of cell i. Groups are numbered from 0 in the order of the cells: from cell to cell, the
	// number stays or rises by 1.
	Groups []int32
	// Labels are the names of the groups if the dimension has Labels. Edges are the edges of the groups if it has Edges.
	Labels, Edges []string
}

// Grid divides a box of latitudes and longitudes into Rows × Cols cells of equal size in degrees. Row 0 is at the
// south, column 0 at the west. A cell includes its south and west edges; the last row and column also include the north
// and east edges of the box.
//
// The edges divide the box exactly. A coordinate is compared with the float nearest to an edge. So a decimal of up to
// 15 digits is compared correctly, and no place is further than 3e-14 degrees (4 nanometres) from its cell.
type Grid struct {
	Lat, Lon                 string // columns
	South, West, North, East string // decimal degrees
	Rows, Cols               int
}

// Nearest has one cell for each public point. A place belongs to its nearest point if the distance is at most WithinM
// metres. If several points are equally near, it belongs to the first.
//
// Distances are lengths of geodesics on WGS84. They are computed from the straight line between two places in space,
// with an error of at most 2 mm up to 50 km and 13 m up to 1000 km. Points whose distances differ by less may count as
// equally near. Poles and the 180th meridian need no special treatment.
type Nearest struct {
	Lat, Lon string // columns
	Points   []Point
	WithinM  float64
	Name     string // name of the key column if As is empty: the header of the points' identifiers
	// BandwidthM is set if each row is spread over the points near its own point, by a normal density. It is the density's
	// standard deviation in metres; the density ends at four standard deviations. If BandwidthM is 0, rows are not spread.
	BandwidthM float64
}

// Point is a public place, in decimal degrees on WGS84.
type Point struct {
	ID       string
	Lat, Lon float64
}

// forms lists the forms of dimensions. Add a new form here. Each entry has the form's key in the job, a test whether a
// dimension has the form, and a function that returns the domain. This function returns nil after it has reported
// errors. It also returns nil if the cells are not known before the data is read.
var forms = []struct {
	key string
	has func(d *Dimension) bool
	new func(d Dimension, zone *time.Location, field string, p *problem.Problems) domain
}{
	{"values", func(d *Dimension) bool { return len(d.Labels) > 0 },
		func(d Dimension, zone *time.Location, _ string, _ *problem.Problems) domain {
			return labelDomain{d.Labels, d.Fold, zone}
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

// Forms returns the job's keys of the forms that the dimension has. A valid dimension has exactly one form.
func (d *Dimension) Forms() (keys []string) {
	for i := range forms {
		if forms[i].has(d) {
			keys = append(keys, forms[i].key)
		}
	}
	return keys
}

// newDomain returns the domain for the form that a dimension has.
func newDomain(d Dimension, zone *time.Location, field string, p *problem.Problems) domain {
	if len(d.Forms()) != 1 {
		return nil // CheckForm reports this
	}
	for i := range forms {
		if f := &forms[i]; f.has(&d) && f.new != nil {
			return f.new(d, zone, field+"."+f.key, p)
		}
	}
	return nil
}

// CheckForm reports a dimension that has no column, or that does not have exactly one form.
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

// Separates reports whether rows with different values are always in different cells. Texts that are not of the
// column's type are an exception: all of them are nulls.
func (d *Dimension) Separates() bool {
	if d.Fold.Any() || d.Other == OwnCell || d.Null == OwnCell {
		return false
	}
	several := func(l Label) bool { return len(l.Members) > 1 }
	return d.Discover || len(d.Labels) > 0 && !slices.ContainsFunc(d.Labels, several)
}

// Columns returns the names of the columns that the dimension reads.
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

// Name returns the name of the answer's key column. If the answer has several key columns for the dimension, it returns
// the prefix of their names.
func (d *Dimension) Name() string {
	switch {
	case d.As != "":
		return d.As
	case d.Nearest != nil:
		return d.Nearest.Name
	}
	return d.Column
}
