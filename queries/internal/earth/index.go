package earth

import "math"

// Index finds places by where they are. It may be used by several goroutines.
type Index struct {
	tree    tree
	squares *squares // of the same places; nil if they are few
	within  float64
}

// NewIndex returns an index of places, which are numbered from 0, of which Nearest finds those that are at most within metres away.
func NewIndex(places []Place, within float64) *Index {
	t := newTree(places)
	return &Index{t, newSquares(places, t, within), within}
}

// Nearest returns the number of the place nearest to a position, the lowest of those equally near, or [Nobody].
func (x *Index) Nearest(lat, lon float64) int32 {
	if x.squares != nil {
		if found, ok := x.squares.nearest(lat, lon); ok {
			return found
		}
	}
	found, square := x.tree.nearest(OnEllipsoid(lat, lon), x.within*x.within)
	if found >= 0 && Along(math.Sqrt(square)) > x.within {
		return Nobody
	}
	return found
}

// Around appends the places at most so many metres from a position, in no particular order.
func (x *Index) Around(lat, lon, metres float64, found []Nearby) []Nearby {
	return x.tree.withinMetres(OnEllipsoid(lat, lon), metres, found)
}
