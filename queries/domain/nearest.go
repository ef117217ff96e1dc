package domain

import (
	"fmt"

	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/queries/internal/earth"
	"github.com/dprelease/dprelease/queries/problem"
)

// MaxWithin is the largest value of the job key within_m, in metres.
const MaxWithin = 1e6

// NearestDomain has a cell for each public point.
type NearestDomain struct {
	*Nearest
	Index *earth.Index // finds the point nearest to a place; shared by all coders
}

func newNearest(d Dimension, field string, p *problem.Problems) domain {
	n := d.Nearest
	checkPlaceColumns(n.Lat, n.Lon, field, p)
	if !(n.WithinM > 0 && n.WithinM <= MaxWithin) {
		p.Add(field+".within_m", problem.CodeBadValue, fmt.Sprintf("the largest distance is %s m: above 0, and at most %.0f",
			spelling.Exact(n.WithinM), float64(MaxWithin)), "")
	}
	if d.As == "" && n.Name == "" {
		p.Add(field+".id", problem.CodeBadSpec, "the points' identifiers have no name", "name the key column with as: NAME")
	}
	if !n.checkPoints(field+".points", p) {
		return nil
	}
	places := make([]earth.Place, len(n.Points))
	for i, x := range n.Points {
		places[i] = earth.Place{Lat: x.Lat, Lon: x.Lon}
	}
	return NearestDomain{n, earth.NewIndex(places, n.WithinM)}
}

// checkPoints reports an empty list, too many points, or a point whose coordinates are out of range.
func (n *Nearest) checkPoints(field string, p *problem.Problems) bool {
	if len(n.Points) == 0 || len(n.Points) > MaxCells {
		p.Add(field, problem.CodeBadSpec, fmt.Sprintf("there are %d points: from 1 to 2^31 - 1", len(n.Points)), "")
		return false
	}
	for _, x := range n.Points {
		if !onEarth(x.Lat, x.Lon) {
			p.Add(field, problem.CodeBadValue, fmt.Sprintf("point %q is at latitude %s, longitude %s: there is no such place",
				x.ID, spelling.Exact(x.Lat), spelling.Exact(x.Lon)), "coordinates are decimal degrees")
			return false
		}
	}
	return true
}

// checkNames reports the first identifier that names two cells.
func (n *Nearest) checkNames(extra []string, field string, p *problem.Problems) {
	seen := make(map[string]bool, len(n.Points)+len(extra))
	for _, b := range extra {
		seen[b] = true
	}
	for _, x := range n.Points {
		if seen[x.ID] {
			p.Add(field+".nearest.points", problem.CodeDuplicate, fmt.Sprintf("two cells would be called %q", x.ID),
				"every point needs an identifier of its own, other than null and other if these are cells")
			return
		}
		seen[x.ID] = true
	}
}

func (d NearestDomain) size() int { return len(d.Points) }

func (d NearestDomain) places() (lat, lon, field string) { return d.Lat, d.Lon, ".nearest" }

// Keys returns one column: the identifiers of the points, then the labels of the null cell and the other cell.
func (d NearestDomain) Keys(name string, extra []string) []KeyColumn {
	ids := make([]string, 0, len(d.Points)+len(extra))
	for _, x := range d.Points {
		ids = append(ids, x.ID)
	}
	return []KeyColumn{{Name: name, Labels: Labels{Strings: append(ids, extra...)}}}
}

// NearestPoints maps a place to the nearest point, or to the first of several equally near ones. If the square of the
// straight-line distance to every point exceeds Most, the place belongs to no cell. [WGS84] converts places to
// positions in space. Squared distances are summed in the order x, y, z, so that all engines get the same rounding
// errors.
type NearestPoints struct {
	Lat, Lon string
	Points   [][3]float64
	Most     float64

	index *earth.Index // index of the points, shared by all coders
}

// WGS84 holds the constants for converting latitude and longitude to positions in space.
var WGS84 = earth.WGS84

func (d NearestDomain) coding() Coding {
	n := &NearestPoints{Lat: d.Lat, Lon: d.Lon, Most: d.Index.Most(), index: d.Index}
	for _, x := range d.Points {
		n.Points = append(n.Points, earth.OnEllipsoid(x.Lat, x.Lon))
	}
	return Coding{Nearest: n}
}

// nearestCells finds the cell of a place: its nearest point, or other if no point is near enough.
type nearestCells struct {
	index *earth.Index
	other int32
}

func (n nearestCells) cell(lat, lon float64) int32 {
	if found := n.index.Nearest(lat, lon); found != earth.Nobody {
		return found
	}
	return n.other
}
