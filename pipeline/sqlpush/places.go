package sqlpush

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/queries/domain"
)

// The nearest of several points is found in SQL with the same answer as in queries/internal/earth, bit for bit.
//
// Both compute with doubles, by the same steps in the same order: sums, differences, products, quotients and roots,
// each rounded separately, which gives the same result on all machines. Sines are polynomials. So both get the same
// squared distances, and the same ties. Neighbouring points form groups; the points of a group are compared only with
// rows that are near the group on all three axes. No step fails for any value: rows with invalid coordinates count as
// at 0 degrees, and angles below 2^-100 degrees as 0, in both programs, so that no product overflows or underflows.

// nearestWriter writes the expressions that find the nearest point of each row.
type nearestWriter struct {
	*writer
	rule *domain.NearestPoints
	// names of the columns with a row's coordinates in metres, from the earth's centre
	position [3]string
	// within is a column or a number, in metres: groups of points that are further away on some axis are skipped.
	within string
}

// nearest returns the index of the point nearest to a row, or NULL if all points are too far away. lat and lon are
// columns of doubles; the condition there is true if they are valid coordinates.
func (w *writer) nearest(r *domain.NearestPoints, lat, lon, there string) string {
	n := &nearestWriter{writer: w, rule: r}
	n.findPosition(n.radians(lat, there), n.radians(lon, there))
	var squares, numbers []string
	all := groupPoints(r.Points)
	n.findWithin(all)
	for _, g := range all {
		squares = append(squares, n.leastSquare(g))
	}
	squares = n.stages(squares)
	least := n.stage(n.leastOf(squares))
	for i, g := range all {
		numbers = append(numbers, fmt.Sprintf("CASE WHEN %s = %s THEN %s END", squares[i], least, n.number(g, least)))
	}
	return fmt.Sprintf("CASE WHEN %s <= %s THEN %s END", least, n.float(r.Most), n.leastOf(numbers))
}

// leastOf returns the minimum of some numbers, ignoring NULL.
func (w *writer) leastOf(x []string) string {
	if len(x) == 1 {
		return x[0]
	}
	return w.least(x)
}

// radians adds a column with an angle in radians; 0 if the condition there is false.
func (w *nearestWriter) radians(degrees, there string) string {
	f := &domain.WGS84
	return w.stage(fmt.Sprintf("CASE WHEN %s AND abs(%s) >= %s THEN %s * %s ELSE %s END", there, degrees, w.float(f.Least),
		degrees, w.float(f.Degree), w.float(0)))
}

// findPosition adds the columns of a row's three coordinates on the ellipsoid WGS 84. lat and lon are in radians.
func (w *nearestWriter) findPosition(lat, lon string) {
	f := &domain.WGS84
	sinLat, cosLat := w.sincos(lat)
	sinLon, cosLon := w.sincos(lon)
	n := w.stage(fmt.Sprintf("%s / sqrt(%s - (%s * %s) * %s)", w.float(f.SemiMajor), w.float(1), w.float(f.Eccentricity2),
		sinLat, sinLat))
	w.position = [3]string{
		w.stage(fmt.Sprintf("(%s * %s) * %s", n, cosLat, cosLon)),
		w.stage(fmt.Sprintf("(%s * %s) * %s", n, cosLat, sinLon)),
		w.stage(fmt.Sprintf("(%s * %s) * %s", n, w.float(f.Rest), sinLat)),
	}
}

// sincos adds columns with the sine and the cosine of an angle of magnitude at most pi.
func (w *nearestWriter) sincos(x string) (sin, cos string) {
	f := &domain.WGS84
	turns := fmt.Sprintf("abs(%s) * %s", x, w.float(f.PerRadian))
	times := w.stage(fmt.Sprintf("CASE WHEN %s >= %s THEN %s WHEN %s >= %s THEN %s ELSE %s END", turns, w.float(3),
		w.float(4), turns, w.float(1), w.float(2), w.float(0)))
	z := fmt.Sprintf("abs(%s)", x)
	for _, part := range f.Quarter {
		z = fmt.Sprintf("(%s - %s * %s)", z, times, w.float(part))
	}
	z = w.stage(z)
	zz := w.stage(fmt.Sprintf("%s * %s", z, z))
	c := w.stage(fmt.Sprintf("(%s - %s * %s) + (%s * %s) * %s", w.float(1), w.float(0.5), zz, zz, zz,
		w.polynomial(&f.Cos, zz)))
	s := w.stage(fmt.Sprintf("%s + (%s * %s) * %s", z, z, zz, w.polynomial(&f.Sin, zz)))
	cos = w.stage(fmt.Sprintf("CASE WHEN %s = %s THEN -%s WHEN %s = %s THEN -%s ELSE %s END", times, w.float(2), s, times,
		w.float(4), c, c))
	sin = w.stage(fmt.Sprintf("CASE WHEN %s = %s THEN %s WHEN %s = %s THEN -%s ELSE %s END", times, w.float(2), c, times,
		w.float(4), s, s))
	return w.stage(fmt.Sprintf("CASE WHEN %s < %s THEN -%s ELSE %s END", x, w.float(0), sin, sin)), cos
}

func (w *nearestWriter) polynomial(c *[6]float64, x string) string {
	y := w.float(c[0])
	for _, next := range c[1:] {
		y = fmt.Sprintf("(%s * %s + %s)", y, x, w.float(next))
	}
	return y
}

// pointGroup holds the indexes of some points, ascending.
type pointGroup []int

// maxGroupPoints is the largest number of points in a group.
const maxGroupPoints = 16

// groupPoints splits the points into groups: it halves them repeatedly, each time along the axis on which they extend
// furthest.
func groupPoints(points [][3]float64) (all []pointGroup) {
	g := make(pointGroup, len(points))
	for i := range g {
		g[i] = i
	}
	var cut func(g pointGroup)
	cut = func(g pointGroup) {
		if len(g) <= maxGroupPoints {
			slices.Sort(g)
			all = append(all, g)
			return
		}
		axis := 0
		for i := range 3 {
			if g.extent(points, i) > g.extent(points, axis) {
				axis = i
			}
		}
		slices.SortStableFunc(g, func(a, b int) int { return cmp.Compare(points[a][axis], points[b][axis]) })
		cut(g[:len(g)/2])
		cut(g[len(g)/2:])
	}
	cut(g)
	return all
}

func (g pointGroup) minMax(points [][3]float64, axis int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, i := range g {
		low, high = min(low, points[i][axis]), max(high, points[i][axis])
	}
	return low, high
}

func (g pointGroup) extent(points [][3]float64, axis int) float64 {
	low, high := g.minMax(points, axis)
	return high - low
}

// findWithin adds an upper bound of the distance to the nearest point: the largest allowed distance or, if that is
// wider than a group, the distance to the nearest of one point per group.
func (w *nearestWriter) findWithin(all []pointGroup) {
	most := w.float(w.rule.Most)
	wide := 0.0
	for axis := range 3 {
		wide = max(wide, all[0].extent(w.rule.Points, axis)) // all groups are about equally wide
	}
	if len(all) > 2 && math.Sqrt(w.rule.Most) > wide {
		squares := []string{most}
		for _, g := range all {
			squares = append(squares, w.square(g[len(g)/2]))
		}
		most = w.stage(w.leastOf(squares))
	}
	// The margin is far larger than the rounding errors of distances.
	w.within = w.stage(fmt.Sprintf("sqrt(%s) * %s + %s", most, w.float(1.001), w.float(0.01)))
}

// leastSquare returns the least squared distance from a row to a point of a group, or NULL if the row is further than
// within from the group on some axis.
func (w *nearestWriter) leastSquare(g pointGroup) string {
	var squares, near []string
	for _, i := range g {
		squares = append(squares, w.square(i))
	}
	for axis, at := range w.position {
		low, high := g.minMax(w.rule.Points, axis)
		near = append(near, fmt.Sprintf("%s + %s >= %s AND %s - %s <= %s", at, w.within, w.float(low), at, w.within,
			w.float(high)))
	}
	return "CASE WHEN " + strings.Join(near, " AND ") + " THEN " + w.leastOf(squares) + " END"
}

// number returns the index of the first point of a group whose squared distance equals least.
func (w *nearestWriter) number(g pointGroup, least string) string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, i := range g {
		fmt.Fprintf(&b, " WHEN %s = %s THEN %d", w.square(i), least, i)
	}
	return b.String() + " END"
}

// square returns the squared distance from a row to a point.
func (w *nearestWriter) square(point int) string {
	var terms [3]string
	for axis, at := range w.position {
		apart := fmt.Sprintf("(%s - %s)", at, w.float(w.rule.Points[point][axis]))
		terms[axis] = apart + " * " + apart
	}
	return fmt.Sprintf("((%s + %s) + %s)", terms[0], terms[1], terms[2])
}
