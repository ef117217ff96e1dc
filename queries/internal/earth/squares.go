package earth

import (
	"math"
	"slices"
	"sync/atomic"
)

// Squares of an index of points
//
// A search of the tree costs a few hundred nanoseconds a row, since each step depends on the step before. So the area
// of the points is cut into squares of equal latitudes and longitudes, about eight a point, and each square knows the
// points that may be the nearest to some place in it. With C the middle of the square, R at least the distance from C
// to any place in it, and D the distance from C to the point that is nearest to C, these are the points at most D + 2R
// from C: from a place in the square the point of D is at most D + R away, and any other point at least its distance
// from C less R. A point whose distance from C exceeds the largest distance plus R is not a candidate. If a point q is
// nearer than a point p to the four corners, q is nearer to all places of the square: |P - p|² - |P - q|² is linear in
// P, and every place of the square is an average of the corners, except for the bulge of the earth. Most squares keep
// one to three points. If a square has one point, and it is near enough to all its places, no distance is computed.
//
// Squares are filled when a row falls in one for the first time: small tables pay for few of them. The candidates of a
// square are compared by the distances that the tree compares, lower numbers first, so that the answers are the tree's.
// Places outside of the area and squares with very many candidates are left to the tree.

const (
	squaresPerPoint = 8
	mostSquares     = 1 << 18
	leastPoints     = 2 * leafSize // below, the tree is as good
	mostCandidates  = 64           // the largest number of candidates of a square
	// longestRadius is the earth's largest radius of curvature, a/sqrt(1 - e²), rounded up: a degree of latitude is
	// nowhere longer than of a sphere of this radius, and neither is one of longitude times the cosine of its latitude.
	longestRadius = 6.4e6
	// squareSlack, in metres, is far more than the rounding of distances and of the borders of squares.
	squareSlack = 0.01
)

// squares is the index of the points of a tree.
type squares struct {
	tree                 tree
	within               float64
	most                 float64 // the largest square of a straight distance
	south, west          float64
	perLat, perLon       float64 // squares a degree
	cols                 int
	rowsFloat, colsFloat float64
	candidates           []atomic.Pointer[candidates]
}

// candidates are the points of a square. The first ones are beside the rest of it, so that most searches read two lines
// of the processor's cache.
type candidates struct {
	only  int32 // the answer for all places of the square; undecided if they differ
	few   int32 // number of points in first
	first [3]site
	more  []site // all by index
}

// Special values of candidates.only. undecided: the nearest point depends on the place within the square. nobody: no
// point is near enough to any place. tooMany: the square has more candidates than are stored.
const undecided, nobody, tooMany = -2, Nobody, -3

// newSquares returns an empty index, or nil if there are few points or all are on a line.
func newSquares(points []Place, t tree, within, most float64) *squares {
	if len(points) < leastPoints {
		return nil
	}
	south, north, west, east := 90.0, -90.0, 180.0, -180.0
	for _, p := range points {
		south, north = min(south, p.Lat), max(north, p.Lat)
		west, east = min(west, p.Lon), max(east, p.Lon)
	}
	high, wide := north-south, east-west
	if !(high > 0 && wide > 0) {
		return nil
	}
	around := within / longestRadius * (180 / math.Pi) // places near the outermost points
	south, high = south-min(around, high/4), high+2*min(around, high/4)
	west, wide = west-min(around, wide/4), wide+2*min(around, wide/4)
	n := float64(min(squaresPerPoint*len(points), mostSquares))
	squeezed := max(math.Cos((south+high/2)*(math.Pi/180)), 0.01) * wide // in degrees of latitude
	rows := min(max(math.Round(math.Sqrt(n*high/squeezed)), 1), n)
	cols := max(math.Floor(n/rows), 1)
	return &squares{
		tree: t, within: within, most: most, south: south, west: west, perLat: rows / high, perLon: cols / wide,
		cols: int(cols), rowsFloat: rows, colsFloat: cols, candidates: make([]atomic.Pointer[candidates],
			int(rows)*int(cols)),
	}
}

// nearest returns the point nearest to a place, the lowest of several equally near, or Nobody; ok is false if the
// caller must search the tree.
func (s *squares) nearest(lat, lon float64) (point int32, ok bool) {
	y, x := (lat-s.south)*s.perLat, (lon-s.west)*s.perLon
	if !(y >= 0 && y < s.rowsFloat && x >= 0 && x < s.colsFloat) {
		return 0, false
	}
	row, col := int(y), int(x)
	c := s.candidates[row*s.cols+col].Load()
	if c == nil {
		c = s.fill(row, col)
	}
	if c.only != undecided {
		return c.only, c.only != tooMany
	}
	at := OnEllipsoid(lat, lon)
	point, least := nearestOf(c.first[:c.few], &at, nobody, s.most)
	if len(c.more) > 0 {
		point, _ = nearestOf(c.more, &at, point, least)
	}
	return point, true
}

// nearestOf returns the nearest of sites and of point, whose squared distance is least; point may be Nobody.
func nearestOf(sites []site, at *Position, point int32, least float64) (int32, float64) {
	for i := range sites {
		if square := at.squareTo(&sites[i].Position); square < least || square == least && point < 0 {
			point, least = sites[i].index, square
		}
	}
	return point, least
}

// fill finds the candidates of a square. Several goroutines may do so at once, and find the same.
func (s *squares) fill(row, col int) *candidates {
	c := &candidates{only: undecided}
	b := s.box(row, col)
	_, square := s.tree.nearest(b.middle, math.Inf(1))
	nearest := math.Sqrt(square)
	reach := min(nearest+2*b.radius, s.within+b.radius) + squareSlack
	sites := s.tree.sitesWithin(&b.middle, reach*reach, nil)
	slices.SortFunc(sites, func(a, b site) int { return int(a.index) - int(b.index) })
	if len(sites) <= 4*mostCandidates {
		sites = b.withoutFurther(sites)
	}
	switch {
	case len(sites) > mostCandidates:
		c.only, sites = tooMany, nil
	case len(sites) == 0:
		c.only = nobody
	case len(sites) == 1 && Along(nearest+b.radius+squareSlack)+squareSlack < s.within:
		c.only = sites[0].index
	}
	c.few = int32(copy(c.first[:], sites))
	c.more = slices.Clone(sites[c.few:])
	s.candidates[row*s.cols+col].Store(c)
	return c
}

// box is a square in space.
type box struct {
	middle  Position
	corners [4]Position
	radius  float64 // at least the distance from the middle to a place in the square
	bulge   float64 // at least the distance from a place in the square to an average of the corners
}

// box returns the square in a row and a column.
//
// From a place to another, with dφ and dλ between their latitudes and longitudes and r the radius of the longer
// parallel, it is at most sqrt((M·dφ)² + (r·dλ)²), M the largest radius of curvature: the way along a meridian is
// longer than what the places differ by on the axis and in their distances from it. The average of the corners that
// interpolates latitude and longitude is off by at most an eighth of the squares of the sides times the second
// derivatives, which are below 7,000 km.
func (s *squares) box(row, col int) box {
	south, west := s.south+float64(row)/s.perLat, s.west+float64(col)/s.perLon
	north, east := south+1/s.perLat, west+1/s.perLon
	parallel := 1.0
	if south > 0 || north < 0 {
		parallel = math.Cos(min(math.Abs(south), math.Abs(north)) * (math.Pi / 180))
	}
	high, wide := (math.Pi/180)/s.perLat, (math.Pi/180)/s.perLon
	return box{
		middle: OnEllipsoid((south+north)/2, (west+east)/2),
		corners: [4]Position{OnEllipsoid(south, west), OnEllipsoid(south, east), OnEllipsoid(north, west),
			OnEllipsoid(north, east)},
		radius: longestRadius/2*math.Hypot(high, parallel*wide) + squareSlack,
		bulge:  7e6/8*(high*high+wide*wide) + squareSlack,
	}
}

// withoutFurther removes each site for which another one is nearer to all places of the square.
func (b *box) withoutFurther(sites []site) []site {
	var kept []site
	for i := range sites {
		if !slices.ContainsFunc(sites, func(q site) bool { return b.further(&sites[i].Position, &q.Position) }) {
			kept = append(kept, sites[i])
		}
	}
	return kept
}

// further reports whether p is further than q from all places of the square.
func (b *box) further(p, q *Position) bool {
	apart := 2*b.bulge*math.Sqrt(p.squareTo(q)) + squareSlack
	for i := range b.corners {
		if !(b.corners[i].squareTo(p)-b.corners[i].squareTo(q) > apart) {
			return false
		}
	}
	return true
}

// sitesWithin appends the sites whose squared straight distance from a position is at most square.
func (t tree) sitesWithin(at *Position, square float64, found []site) []site {
	if len(t) <= leafSize {
		for i := range t {
			if at.squareTo(&t[i].Position) <= square {
				found = append(found, t[i])
			}
		}
		return found
	}
	mid := len(t) / 2
	cut := &t[mid]
	if at.squareTo(&cut.Position) <= square {
		found = append(found, *cut)
	}
	beyond := at[cut.axis] - cut.Position[cut.axis]
	if beyond <= 0 || beyond*beyond <= square {
		found = t[:mid].sitesWithin(at, square, found)
	}
	if beyond >= 0 || beyond*beyond <= square {
		found = t[mid+1:].sitesWithin(at, square, found)
	}
	return found
}
