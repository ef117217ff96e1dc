package earth

import (
	"math"
	"slices"
	"sync/atomic"
)

// An index of points by squares
//
// A search of the tree costs a few hundred nanoseconds a row, because each of its steps waits for the step before. So
// the area of the points is cut into squares of equal height in latitude and equal width in longitude, about eight for
// each point. A square stores its candidates: the points that may be the nearest point of some place in it.
//
// Let C be the middle of the square, R at least the distance from C to any place in it, and D the distance from C to
// the point nearest to C. From any place in the square, this point is at most D + R away, and a point at distance d
// from C is at least d − R away. So only points at most D + 2R from C are candidates. Points further than the largest
// distance plus R from C are not. A point p is also no candidate if a point q is nearer than p to all four corners: |P
// - p|² - |P - q|² is linear in P, and every place of the square is an average of the corners, except for the bulge of
// the earth. Most squares keep one to three candidates. If there is one, and all places of the square are near enough,
// no distance is computed.
//
// A square's candidates are found when the first row falls in it, so a small table pays for few squares. Candidates are
// compared by the same distances as in the tree, lower indices first, so both give the same answers. The tree is
// searched for places outside of the area and for squares with very many candidates.

const (
	squaresPerPoint = 8
	maxSquares      = 1 << 18
	minPoints       = 2 * leafSize // with fewer points the tree is as fast
	maxCandidates   = 64           // the largest number of candidates that a square stores
	// longestRadius is the earth's largest radius of curvature in metres, a/sqrt(1 - e²), rounded up. No degree of
	// latitude is longer than on a sphere of this radius, and no degree of longitude longer than that times the cosine of
	// its latitude.
	longestRadius = 6.4e6
	// squareSlack, in metres, is far larger than the rounding errors of distances and of the borders of squares.
	squareSlack = 0.01
)

// squares is the index of points by squares.
type squares struct {
	tree                 tree
	within               float64 // the largest distance along the earth at which a point is found, in metres
	most                 float64 // the same as a squared straight-line distance, in square metres
	south, west          float64 // a corner of the area, in degrees
	perLat, perLon       float64 // squares per degree
	cols                 int
	rowsFloat, colsFloat float64                      // the numbers of rows and columns of squares
	candidates           []atomic.Pointer[candidates] // by square, row by row; nil before the first search in it
}

// candidates are the points that may be nearest to some place of a square. The first three are next to the header in
// memory, so that most searches read two lines of the processor's cache.
type candidates struct {
	only  int32 // the nearest point of all places of the square, or one of the special values below
	few   int32 // the number of points in first
	first [3]site
	more  []site // the other candidates, by index
}

// undecided, nobody and tooMany are special values of candidates.only. If only is undecided, the nearest point depends
// on the place in the square; if nobody, no point is near enough to any place of the square; if tooMany, the square has
// more than maxCandidates candidates, so the tree is searched.
const undecided, nobody, tooMany = -2, Nobody, -3

// newSquares returns an index without candidates, or nil if there are few points or all are on one line.
func newSquares(points []Place, t tree, within, most float64) *squares {
	if len(points) < minPoints {
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
	around := within / longestRadius * (180 / math.Pi) // in degrees: how far the area extends beyond the outermost points
	south, high = south-min(around, high/4), high+2*min(around, high/4)
	west, wide = west-min(around, wide/4), wide+2*min(around, wide/4)
	n := float64(min(squaresPerPoint*len(points), maxSquares))
	squeezed := max(math.Cos((south+high/2)*(math.Pi/180)), 0.01) * wide // width of the area, in degrees of latitude
	rows := min(max(math.Round(math.Sqrt(n*high/squeezed)), 1), n)
	cols := max(math.Floor(n/rows), 1)
	return &squares{
		tree: t, within: within, most: most, south: south, west: west, perLat: rows / high, perLon: cols / wide,
		cols: int(cols), rowsFloat: rows, colsFloat: cols, candidates: make([]atomic.Pointer[candidates],
			int(rows)*int(cols)),
	}
}

// nearest returns the index of the point nearest to a place, the lowest index if several are equally near, or Nobody.
// ok is false if the caller must search the tree.
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

// nearestOf returns the nearest of sites, with its squared distance, or the given point if no site is nearer. least is
// the squared distance of the given point, or the largest allowed one if point is Nobody.
func nearestOf(sites []site, at *Position, point int32, least float64) (int32, float64) {
	for i := range sites {
		if square := at.squareTo(&sites[i].Position); square < least || square == least && point < 0 {
			point, least = sites[i].index, square
		}
	}
	return point, least
}

// fill finds and stores the candidates of a square. Several goroutines may fill a square at once: they find the same
// candidates.
func (s *squares) fill(row, col int) *candidates {
	c := &candidates{only: undecided}
	b := s.box(row, col)
	_, square := s.tree.nearest(b.middle, math.Inf(1))
	nearest := math.Sqrt(square)
	reach := min(nearest+2*b.radius, s.within+b.radius) + squareSlack
	sites := s.tree.sitesWithin(&b.middle, reach*reach, nil)
	slices.SortFunc(sites, func(a, b site) int { return int(a.index) - int(b.index) })
	if len(sites) <= 4*maxCandidates {
		sites = b.withoutFurther(sites)
	}
	switch {
	case len(sites) > maxCandidates:
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

// box describes the part of the earth in one square.
type box struct {
	middle  Position
	corners [4]Position
	radius  float64 // an upper bound on the distance from the middle to any place in the square
	// bulge is an upper bound on the distance between a place in the square and the weighted average of the corners with
	// the weights that give the place's latitude and longitude.
	bulge float64
}

// box returns the box of the square in a row and a column.
//
// The radius: let dφ and dλ be the differences of two places in latitude and longitude, M the largest radius of
// curvature, and r the radius of the longer of their two parallels. The straight line between the places is at most
// sqrt((M·dφ)² + (r·dλ)²) long: if the distances from the earth's axis are ρ1 and ρ2, its square is the square of a
// chord of a meridian, at most (M·dφ)², plus 2·ρ1·ρ2·(1 − cos dλ), at most (r·dλ)². The bulge: bilinear interpolation
// between the corners has an error of at most an eighth of the sum of each side's square times the second derivative of
// the position along it. The second derivatives are below 7,000 km.
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

// withoutFurther removes each site if another site is nearer to all places of the square.
func (b *box) withoutFurther(sites []site) []site {
	var kept []site
	for i := range sites {
		if !slices.ContainsFunc(sites, func(q site) bool { return b.further(&sites[i].Position, &q.Position) }) {
			kept = append(kept, sites[i])
		}
	}
	return kept
}

// further reports whether every place of the square is nearer to q than to p.
func (b *box) further(p, q *Position) bool {
	apart := 2*b.bulge*math.Sqrt(p.squareTo(q)) + squareSlack
	for i := range b.corners {
		if !(b.corners[i].squareTo(p)-b.corners[i].squareTo(q) > apart) {
			return false
		}
	}
	return true
}

// sitesWithin appends the sites whose squared straight-line distance from at is at most square.
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
